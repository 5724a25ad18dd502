// rungs.js: what each GPU rung of the ladder does with one block, in steps, for the reader's own tile and filter.
//
// Places are {z, y, x}, counted from the first element that the block sees, halo included; a box has extents and an origin along z, y, x.
// A step has words, and of what it does: `global` (places read from global memory; `from`: of which image), `again` (places that a cache
// answers, since a neighbour loads them), `weights` (how many are read from global memory), `tile` (which one lies in shared memory from
// then on), `shared` (its places read), `products`, `sums` (places written of the image between two passes), `outputs`, `threads` at work.

const along = (dims, number) => [dims > 2 ? number : 1, dims > 1 ? number : 1, number];
const box = (extents, origin = [0, 0, 0]) => ({extents, origin});
export const places = ({extents: [depth, height, width], origin: [z, y, x]}) =>
  Array.from({length: depth * height * width}, (_, n) => ({z: z + Math.floor(n / (height * width)), y: y + Math.floor(n / width) % height, x: x + n % width}));
export const contains = ({extents, origin}, {z, y, x}) => [z, y, x].every((at, axis) => at >= origin[axis] && at < origin[axis] + extents[axis]);
export const sizeText = ({extents}, dims) => extents.slice(3 - dims).join('×');
const windowOf = ({dims, half, mask}, {z, y, x}) => places(box(along(dims, mask), [dims > 2 ? z - half : 0, dims > 1 ? y - half : 0, x - half]));
const taps = block => block.mask ** block.dims;
const windowText = block => along(block.dims, block.mask).slice(3 - block.dims).join('×');
/** Places of a box relative to another's origin, where threads lie over elements. */
const relative = (all, {origin: [z, y, x]}) => all.map(place => ({z: place.z - z, y: place.y - y, x: place.x - x}));

/** A box cut into pieces of at most these extents, as loops along z, y, x go. */
function pieces({extents, origin}, most) {
  const starts = axis => Array.from({length: Math.ceil(extents[axis] / most[axis])}, (_, n) => n * most[axis]);
  return starts(0).flatMap(z => starts(1).flatMap(y => starts(2).map(x => box(
    [z, y, x].map((start, axis) => Math.min(most[axis], extents[axis] - start)), [z, y, x].map((start, axis) => start + origin[axis])))));
}

const wait = words => ({words: words ?? 'All threads of the block wait until the tile is complete.', threads: []});

/** A thread an output, every element from memory as often as it is needed. */
const eachFromMemory = (block, words, weights) => places(block.own).map((output, number) => ({
  words: words(number + 1, block), global: windowOf(block, output), weights: weights ? taps(block) : 0, products: taps(block), outputs: [output]}));

/** What follows the loading of a tile with its halo: a thread an output. */
const eachFromTile = block => places(block.own).map((output, number) => ({
  words: `Thread ${number + 1} of ${places(block.own).length} reads its ${windowText(block)} neighbours from shared memory and writes its output.`,
  shared: windowOf(block, output), products: taps(block), outputs: [output]}));

const constantWords = (number, block) => `Thread ${number} reads its ${windowText(block)} neighbours from global memory; the weights come from constant memory.`;
const naiveWords = (number, block) =>
  `Thread ${number} of ${places(block.own).length} reads its ${windowText(block)} neighbours and as many weights from global memory, and writes its output.`;

const naive = {
  idea: 'A thread an output. Elements and weights come from global memory, each as often as it is needed; the caches answer most of it.',
  steps: block => eachFromMemory(block, naiveWords, true),
};
const constant = {
  idea: 'The same with the weights in constant memory: one read serves a warp, and global memory is asked for elements alone.',
  steps: block => eachFromMemory(block, constantWords, false),
};
const cached = {
  idea: 'The tile holds only what the block lies over, an element a thread. The halo is what neighbouring blocks have in their tiles: it is read from ' +
      'global memory again, and a cache has it. Each tap must ask where its element is.',
  tiles: block => ({tile: block.own}),
  steps: block => [
    {words: `Each of the ${places(block.own).length} threads loads one element into the tile: no halo, no thread with more than one.`,
     global: places(block.own), tile: 'tile', threads: places(block.own)},
    wait(),
    ...places(block.own).map((output, number) => {
      const all = windowOf(block, output), shared = all.filter(place => contains(block.own, place)), global = all.filter(place => !contains(block.own, place));
      return {words: `Thread ${number + 1} finds ${shared.length} of its ${all.length} neighbours in the ` +
          `tile${global.length ? ` and reads ${global.length} from global memory, by the caches` : ''}.`,
              shared, global, products: taps(block), outputs: [output]};
    }),
  ],
};

/** Rows or planes come one after the other; those that an output needs are held on the chip. */
const rowByRow = (block, axis, words) => {
  const steps = [];
  for (let at = 0; at < block.side; ++at) {
    const extents = [...block.seen.extents], origin = [0, 0, 0];
    extents[axis] = 1;
    origin[axis] = at;
    const all = places(box(extents, origin)), done = at - 2 * block.half;
    const outputs = done < 0 ? [] : places(block.own).filter(({z, y}) => [z, y][axis] === done + block.half);
    steps.push({words: words(at + 1, done + 1), global: all.filter(place => contains(block.own, place)), again: all.filter(place => !contains(block.own, place)),
                products: outputs.length * taps(block), outputs});
  }
  return steps;
};

const slideRows = 8, laneOutputs = 4;

/** One of the two passes of separable_optimised, which filters columns and turns the image. */
function turningPass(block, number, from, written) {
  const {outputs: t, mask, half, side} = block, warps = Math.ceil(t / slideRows);
  const tile = `columns ${number}`, lanes = places(box([1, 1, t])).map(({x}) => x);
  const load = pieces(box([1, side, t], [0, 0, half]), [1, warps, t]).map((piece, n, all) => ({
    words: `Pass ${number}, load ${n + 1} of ${all.length}: ${warps === 1 ? 'the warp reads a row' : `each of ${warps} warps reads a row`} of ${t} elements ` +
        `into the tile.`,
    global: places(piece), from, tile, threads: places(box([1, piece.extents[1], t]))}));
  const slide = Array.from({length: warps}, (_, warp) => {
    const rows = Math.min(slideRows, t - warp * slideRows);
    return {words: `Pass ${number}, warp ${warp + 1} of ${warps}: each thread slides along ${rows + mask - 1} elements of its column, held in registers, ` +
        `and makes ${rows} sums of them: an element that is read once serves up to ${Math.min(rows, mask)} sums.`,
            shared: lanes.flatMap(x => places(box([1, rows + mask - 1, 1], [0, warp * slideRows, half + x]))), products: t * rows * mask,
            threads: lanes.map(x => ({z: 0, y: warp, x}))};
  });
  const turn = {words: `Pass ${number}: the ${t}×${t} sums go through shared memory once more and leave it turned, rows as ` +
      `columns${number === 1 ? ', to an image in global memory. The second pass is the same kernel, on that image' : ', which turns the image back'}.`,
                tile: `turned ${number}`, shared: places(block.own), threads: places(box([1, warps, t])), ...written};
  return [...load, wait(), ...slide, turn];
}

/** By dimensions, up the ladder. `real`: the sizes in the ladder's own file. */
export const ladder = {
  1: {
    basic: {...naive, real: 'ladder/1d/basic.cu: blocks of 256 threads.'},
    constant: {...constant, real: 'ladder/1d/constant.cu: blocks of 256 threads; only blocks at the signal\'s ends test their taps.'},
    tiled_halo: {
      idea: 'The block loads its tile, halos left and right, into shared memory: each element once. Then every tap is a read of shared memory.',
      real: 'ladder/1d/tiled_halo.cu: blocks of 256 threads, a tile of 256 + 2r elements.',
      tiles: block => ({tile: block.seen}),
      steps: block => {
        const {outputs: t, half} = block;
        const turns = (name, first, count) => pieces(box([1, 1, count], [0, 0, first]), [1, 1, t]).map(piece => ({
          words: `${name}: ${piece.extents[2]} of ${t} threads load an element each.`,
          global: places(piece), tile: 'tile', threads: places(box(piece.extents, block.own.origin))}));
        return [...turns('The left halo', 0, half), ...turns('The centre', half, t), ...turns('The right halo', half + t, half), wait(), ...eachFromTile(block)];
      },
    },
    tiled_cached: {...cached, real: 'ladder/1d/tiled_cached.cu: blocks of 256 threads, tiles of 256 elements.'},
    library: {
      idea: 'A piece of the signal comes into shared memory by a bulk copy, while the piece before is summed; then each lane slides along its outputs, sums ' +
          'and elements in registers. Memory gives each element once; the halo is a neighbour\'s too, and a cache has it.',
      real: `src/cuda/long_rows: pieces of 640 outputs a warp, 20 outputs a lane; here ${laneOutputs} a lane.`,
      tiles: block => ({tile: block.seen}),
      steps: block => [
        {words: `A bulk copy brings ${block.outputs} elements from memory, each once, and ${block.side - block.outputs} of the halo, which a cache has.`,
         global: places(block.own),
         again: places(block.seen).filter(place => !contains(block.own, place)), tile: 'tile'},
        ...pieces(block.own, [1, 1, laneOutputs]).map((piece, lane, all) => ({
          words: `Lane ${lane + 1} of ${all.length} takes ${piece.extents[2] + block.mask - 1} elements into registers, several at a time, and makes ` +
              `${piece.extents[2]} sums of them.`,
          shared: places(box([1, 1, piece.extents[2] + block.mask - 1], [0, 0, piece.origin[2] - block.half])),
          products: piece.extents[2] * block.mask, outputs: places(piece)})),
      ],
    },
  },
  2: {
    naive: {...naive, real: 'ladder/2d/naive.cu: blocks of 16×16 threads.'},
    constant: {...constant, real: 'ladder/2d/constant.cu: only blocks at the image\'s border test their taps.'},
    tiled_input_block: {
      idea: 'The block lies over the tile that it reads: a thread loads up to eight elements of its column, all under way at once, and then makes the ' +
          'outputs of that column. Threads over the halo\'s columns rest.',
      real: 'ladder/2d/tiled_input_block.cu: tiles of 64×64 elements, blocks of 64×8 threads, eight elements a thread.',
      input: true,
      threads: block => box([1, Math.ceil(block.side / 8), block.side]),
      tiles: block => ({tile: block.seen}),
      steps: block => {
        const rows = Math.ceil(block.side / 8), loads = pieces(block.seen, [1, rows, block.side]);
        const idle = 2 * block.half * rows, working = [...Array(block.outputs).keys()].map(x => x + block.half);
        return [
          ...loads.map((piece, n) => ({words: `Read ${n + 1} of ${loads.length}: each thread starts its read of ${n === 0 ? 'an element' : 'one more'}, and ` +
              `does not wait for the ones before.`,
                                       global: places(piece), tile: 'tile', threads: relative(places(piece), piece)})),
          wait(`All wait until the tile is complete. ${idle} of ${rows * block.side} threads lie over the halo's columns: they rest from here on.`),
          ...pieces(block.own, [1, 1, block.outputs]).map((piece, n) => ({
            words: `Row ${n + 1} of ${block.outputs} outputs: ${block.outputs} threads read their ${windowText(block)} neighbours from shared memory, ` +
                `${block.side - block.outputs} rest.`,
            shared: places(piece).flatMap(output => windowOf(block, output)), products: block.outputs * taps(block), outputs: places(piece),
            threads: working.map(x => ({z: 0, y: (n + block.half) % rows, x}))})),
        ];
      },
    },
    tiled_output_block: {
      idea: 'The block lies over the tile that it writes: no thread rests while computing, but each loads several elements, since the tile has a halo that ' +
          'the block does not.',
      real: 'ladder/2d/tiled_output_block.cu: blocks of 16×16 threads, tiles of (16 + 2r)×(16 + 2r).',
      tiles: block => ({tile: block.seen}),
      steps: block => [
        ...pieces(block.seen, [1, block.outputs, block.outputs]).map((piece, n, all) => ({
          words: `Load ${n + 1} of ${all.length}: ${places(piece).length} of ${block.outputs ** 2} threads load an element each.`,
          global: places(piece), tile: 'tile', threads: places(box(piece.extents, block.own.origin))})),
        wait(), ...eachFromTile(block)],
    },
    tiled_cached: {...cached, real: 'ladder/2d/tiled_cached.cu: blocks and tiles of 32×16.'},
    texture: {
      idea: 'A thread an output; elements are fetched through the texture unit, which answers for places outside by itself. Before that, the image is ' +
          'copied into the order that textures have: each element read and written once more, which is not counted here. Weights are plain reads.',
      real: 'ladder/2d/texture.cu: blocks of 32×8 threads; the unit answers 4 fetches a clock where plain reads get 32.',
      steps: block => eachFromMemory(block, number => `Thread ${number} of ${block.outputs ** 2} fetches its ${windowText(block)} neighbours through the ` +
          `texture unit, and reads as many weights.`, true),
    },
    separable_shared: {
      idea: 'The weights are a column times a row: one kernel filters rows, a second one the columns of the result. 2M multiply-adds in place of M², and an ' +
          'image between the two that goes to memory and back.',
      real: 'ladder/2d/separable_shared.cu: blocks of 16×16 threads in both passes.',
      between: true,
      tiles: block => ({rows: box([1, block.outputs, block.side], [0, block.half, 0]), columns: box([1, block.side, block.outputs], [0, 0, block.half])}),
      steps: block => {
        const {outputs: t, mask, half, side} = block;
        const load = (piece, pass, from, tile, n, all) => ({words: `Pass ${pass}, load ${n + 1} of ${all}: ${places(piece).length} of ${t * t} threads load ` +
            `an element each.`,
                                                            global: places(piece), from, tile, threads: places(box(piece.extents, block.own.origin))});
        const compute = (pass, windowed, written) => pieces(block.own, [1, 1, t]).map((row, n) => ({
          words: `Pass ${pass}, row ${n + 1} of threads: each sums ${mask} elements of its ${pass === 1 ? 'row' : 'column'} from shared memory and writes ` +
              `${pass === 1 ? 'the sum to global memory' : 'its output'}.`,
          shared: places(row).flatMap(windowed), products: t * mask, [written]: places(row), threads: places(row)}));
        const across = pieces(box([1, t, side], [0, half, 0]), [1, t, t]), down = pieces(box([1, side, t], [0, 0, half]), [1, t, t]);
        return [
          ...across.map((piece, n) => load(piece, 1, 'image', 'rows', n, across.length)), wait(),
          ...compute(1, ({y, x}) => places(box([1, 1, mask], [0, y, x - half])), 'sums'),
          {words: 'The first kernel ends, and the second begins. The rows above and below were filtered by other blocks.', threads: []},
          ...down.map((piece, n) => load(piece, 2, 'between', 'columns', n, down.length)), wait(),
          ...compute(2, ({y, x}) => places(box([1, mask, 1], [0, y - half, x])), 'outputs')];
      },
    },
    separable_optimised: {
      idea: 'One kernel that filters columns and turns the image, run twice. Each thread makes up to eight outputs of a column: what it reads from shared ' +
          'memory stays in registers and serves several of them.',
      real: 'ladder/2d/separable_optimised.cu: 32×8 threads over 32 columns of 64 rows, eight rows a thread.',
      between: 'turned',
      threads: block => box([1, Math.ceil(block.outputs / slideRows), block.outputs]),
      tiles: block => {
        const columns = box([1, block.side, block.outputs], [0, 0, block.half]);
        return {'columns 1': columns, 'turned 1': block.own, 'columns 2': columns, 'turned 2': block.own};
      },
      steps: block => [...turningPass(block, 1, 'image', {sums: places(block.own)}), ...turningPass(block, 2, 'between', {outputs: places(block.own)})],
    },
    library: {
      idea: 'Rows come from memory one after the other, each once, and stay on the chip until the last output that needs them: in registers of threads that ' +
          'make several rows of outputs, or, from 9×9 on, filtered along x in a ring in shared memory. Nothing goes back to memory in between.',
      real: 'src/cuda/register_tile: 4 columns × 4 to 6 rows of outputs a thread, read 16 bytes at a time; src/cuda/streaming for larger filters with factors.',
      steps: block => rowByRow(block, 1, (row, done) => `Row ${row} of ${block.side} comes, ` +
          `${block.mask <= 7 ? 'into registers' : 'and its sums along x into the ring'}; what of it is halo, a neighbour reads too, and a cache has ` +
              `it.${done > 0 ? ` Row ${done} of outputs is complete.` : ''}`),
    },
  },
  3: {
    naive: {...naive, real: 'ladder/3d/naive.cu: blocks of 32×4×4 threads.'},
    constant: {...constant, real: 'ladder/3d/constant.cu: blocks of 32×4×4 threads.'},
    tiled: {
      idea: 'The block loads its tile, with a halo on all sides, into shared memory: each element once. In three dimensions most of a small tile is halo.',
      real: 'ladder/3d/tiled.cu: blocks of 4×4 rows of 32 threads, 512 in all; thread n loads the elements n, n + 512, n + 1024 …',
      tiles: block => ({tile: block.seen}),
      steps: block => {
        const all = places(block.seen), threads = places(block.own), loads = Math.ceil(all.length / threads.length);
        return [...Array.from({length: loads}, (_, n) => {
          const part = all.slice(n * threads.length, (n + 1) * threads.length);
          return {words: `Load ${n + 1} of ${loads}: ${part.length} of ${threads.length} threads load an element each, along x, y, ` +
              `z.`, global: part, tile: 'tile', threads: threads.slice(0, part.length)};
        }), wait(), ...eachFromTile(block)];
      },
    },
    library: {
      idea: 'Planes come from memory one after the other, each element once, and stay on the chip until the last output that needs them. Nothing goes back ' +
          'to memory in between.',
      real: 'src/cuda/streaming: blocks of 128 columns walk down a volume with a ring of planes; filters with factors are summed axis by axis.',
      steps: block => rowByRow(block, 0, (plane, done) => `Plane ${plane} of ${block.side} comes; its halo a neighbour reads too, and a cache has ` +
          `it.${done > 0 ? ` Plane ${done} of outputs is complete.` : ''}`),
    },
  },
};

/** The block that a rung makes of the reader's sizes; of a block over its input tile `extent` is the tile's, enlarged to leave an output. */
export function blockOf(dims, rung, extent, mask) {
  const {input, threads} = ladder[dims][rung];
  const outputs = input ? Math.max(1, extent - mask + 1) : extent, half = (mask - 1) / 2, side = outputs + mask - 1;
  const block = {dims, rung, outputs, mask, half, side, seen: box(along(dims, side)), own: box(along(dims, outputs), [2, 1, 0].map(axis => axis < dims ? half : 0))};
  block.threads = threads?.(block) ?? null;  // null: one an output
  return block;
}

/** What a run of steps has read and made. */
export function countsOf(steps) {
  const counts = {global: 0, weights: 0, again: 0, shared: 0, products: 0, outputs: 0};
  for (const step of steps) {
    for (const name of ['global', 'again', 'shared', 'outputs']) counts[name] += step[name]?.length ?? 0;
    for (const name of ['weights', 'products']) counts[name] += step[name] ?? 0;
  }
  return counts;
}

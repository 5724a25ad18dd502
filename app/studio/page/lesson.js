// lesson.js: what a block of threads does on each rung of the ladder, for the reader's own tile and filter.
import {askJson} from './api.js';

const at = id => document.getElementById(id);
const cell = 2;  // elements of the image beyond the halo that are drawn on each side
const stepMilliseconds = 260;

/** What each rung does, in steps. A step reads places of the image (from global memory, or from the tile), and may write outputs. */
const rungs = {
  naive: {
    idea: 'A thread an output. Image and weights come from global memory, each as often as it is needed.',
    steps: block => outputsOf(block).map(output => ({
      words: `Thread ${output.number + 1} of ${block.outputs ** 2} reads its ${block.mask}×${block.mask} neighbours and as many weights from global memory, and writes its output.`,
      global: neighbours(block, output), weights: block.mask ** 2, outputs: [output]})),
  },
  constant: {
    idea: 'The same with the weights in constant memory: one read serves a warp, and global memory is asked for pixels alone.',
    steps: block => outputsOf(block).map(output => ({
      words: `Thread ${output.number + 1} reads its ${block.mask}×${block.mask} neighbours from global memory; the weights come from constant memory.`,
      global: neighbours(block, output), outputs: [output]})),
  },
  tiled_input_block: {
    idea: 'The block lies over the tile that it reads: each thread loads one element into shared memory, then those in the middle compute, and the halo\'s rest.',
    input: true,
    steps: block => [
      ...rowsOf(block).map((places, row) => ({words: `Row ${row + 1} of ${block.side} of threads: each loads one element into the tile in shared memory.`, global: places, tile: true})),
      {words: `All wait until the tile is complete. ${block.side ** 2 - block.outputs ** 2} of ${block.side ** 2} threads have no output: they rest from here on.`},
      ...outputsOf(block).map(output => ({words: `Thread ${output.number + 1} of ${block.outputs ** 2} that compute reads its neighbours from shared memory.`, shared: neighbours(block, output), outputs: [output]})),
    ],
  },
  tiled_output_block: {
    idea: 'The block lies over the tile that it writes: no thread rests, but each loads several elements, since the tile has a halo that the block does not.',
    steps: block => {
      const places = rowsOf(block).flat(), loads = [];
      for (let first = 0; first < places.length; first += block.outputs ** 2)
        loads.push({words: `Load ${loads.length + 1} of ${Math.ceil(places.length / block.outputs ** 2)}: the ${block.outputs ** 2} threads load ${Math.min(block.outputs ** 2, places.length - first)} elements into shared memory.`,
                    global: places.slice(first, first + block.outputs ** 2), tile: true});
      return [...loads, {words: 'All wait until the tile is complete.'},
        ...outputsOf(block).map(output => ({words: `Thread ${output.number + 1} of ${block.outputs ** 2} reads its neighbours from shared memory.`, shared: neighbours(block, output), outputs: [output]}))];
    },
  },
  separable_shared: {
    idea: 'The weights are a column times a row: rows are filtered first, columns of the result second. 2M multiply-adds in place of M².',
    steps: block => [
      ...rowsOf(block).map((places, row) => ({words: `Row ${row + 1} of ${block.side}: its ${block.side} elements come into shared memory, and ${block.outputs} sums along x are made of them, ${block.mask} products each.`,
                                              global: places, tile: true, sums: block.outputs})),
      {words: 'All wait until the sums along x are complete.'},
      ...outputsOf(block).map(output => ({words: `Thread ${output.number + 1} adds ${block.mask} sums of its column, each times its weight.`, shared: column(block, output), outputs: [output], short: true})),
    ],
  },
};

function blockOf(rung, threads, mask) {
  const outputs = rungs[rung].input ? Math.max(1, threads - mask + 1) : threads;
  return {outputs, mask, side: outputs + mask - 1, threads: rungs[rung].input ? (outputs + mask - 1) ** 2 : outputs ** 2};
}
const outputsOf = block => Array.from({length: block.outputs ** 2}, (_, number) => ({number, y: Math.floor(number / block.outputs), x: number % block.outputs}));
/** Places are counted from the tile's left top, of the halo. */
const neighbours = (block, output) => Array.from({length: block.mask ** 2}, (_, k) => ({y: output.y + Math.floor(k / block.mask), x: output.x + k % block.mask}));
const column = (block, output) => Array.from({length: block.mask}, (_, k) => ({y: output.y + k, x: output.x + Math.floor(block.mask / 2)}));
const rowsOf = block => Array.from({length: block.side}, (_, y) => Array.from({length: block.side}, (__, x) => ({y, x})));

let rung = 'naive', block, steps, now, timer = 0, model = null, record = null;
const asks = () => ({outputs: block.outputs, mask: block.mask});

function trouble(error) {
  at('trouble').textContent = error?.message ?? '';
  at('trouble').hidden = !error;
}

async function begin() {
  stop();
  rung = at('rung').value;
  at('tile-shown').value = at('tile').value;
  at('mask-shown').value = at('mask').value;
  block = blockOf(rung, Number(at('tile').value), Number(at('mask').value));
  steps = rungs[rung].steps(block);
  now = -1;
  at('idea').textContent = rungs[rung].idea;
  at('phase').textContent = `A block of ${block.threads} threads makes ${block.outputs}×${block.outputs} outputs of ${block.side}×${block.side} elements.`;
  const asked = asks();
  try {
    const answer = await askJson('/tile', asked);
    if (asked.outputs !== block.outputs || asked.mask !== block.mask) return;
    model = answer;
    trouble(null);
  } catch (error) {
    trouble(error);
  }
  draw();
  bars();
  questions();
  document.body.dataset.lesson = `${rung} ${block.outputs} ${block.mask}`;
}

function countsUpTo(last) {
  const counts = {global: 0, weights: 0, shared: 0, products: 0, outputs: 0};
  for (const step of steps.slice(0, last + 1)) {
    counts.global += step.global?.length ?? 0;
    counts.weights += step.weights ?? 0;
    counts.shared += step.shared?.length ?? 0;
    counts.outputs += step.outputs?.length ?? 0;
    counts.products += (step.outputs ? step.outputs.length * (step.short ? block.mask : block.mask ** 2) : 0) + (step.sums ?? 0) * block.mask;
    if (step.sums) counts.shared += step.sums * block.mask;
  }
  return counts;
}

function draw() {
  const canvas = at('block'), context = canvas.getContext('2d');
  const ratio = devicePixelRatio, width = canvas.clientWidth || 720;
  const columns = block.side + 2 * cell, gap = 3;
  const size = Math.floor(Math.min((width * 0.62) / columns, 400 / columns));
  const outputSize = Math.floor(Math.min((width * 0.36) / (block.outputs + 1), 400 / columns));
  const height = size * columns + 26;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.height = `${height}px`;
  context.scale(ratio, ratio);
  const resolved = name => { canvas.style.color = `var(${name})`; return getComputedStyle(canvas).color; };
  const inks = Object.fromEntries(['--idle', '--loaded', '--reading', '--halo-rim', '--output', '--soft'].map(name => [name, resolved(name)]));
  canvas.style.color = '';
  const reads = new Map(), key = place => place.y * block.side + place.x;
  for (const step of steps.slice(0, now + 1)) for (const place of step.global ?? []) reads.set(key(place), (reads.get(key(place)) ?? 0) + 1);
  const most = Math.max(1, block.mask ** 2 / 2);
  const step = steps[now] ?? {};
  const reading = new Set([...(step.global ?? []), ...(step.shared ?? [])].map(key));
  context.font = '13px system-ui, sans-serif';
  context.fillStyle = inks['--soft'];
  context.fillText(width < 500 ? `reads ${block.side}×${block.side}` : `the image: ${block.side}×${block.side} elements that the block sees`, 4, 14);
  const half = Math.floor(block.mask / 2);
  for (let y = -cell; y < block.side + cell; ++y) {
    for (let x = -cell; x < block.side + cell; ++x) {
      const inside = x >= 0 && y >= 0 && x < block.side && y < block.side;
      const count = inside ? reads.get(y * block.side + x) ?? 0 : 0;
      const left = (x + cell) * size, top = (y + cell) * size + 22;
      context.globalAlpha = 1;
      context.fillStyle = inks['--idle'];
      context.fillRect(left, top, size - 1, size - 1);
      if (count > 0) {
        context.globalAlpha = Math.min(1, 0.35 + 0.65 * count / most);
        context.fillStyle = inks['--loaded'];
        context.fillRect(left, top, size - 1, size - 1);
        context.globalAlpha = 1;
      }
      if (inside && reading.has(y * block.side + x)) {
        context.fillStyle = inks['--reading'];
        context.fillRect(left, top, size - 1, size - 1);
      }
    }
  }
  context.lineWidth = 2;
  context.strokeStyle = inks['--halo-rim'];
  context.strokeRect(cell * size - 1, cell * size + 21, block.side * size + 1, block.side * size + 1);
  context.setLineDash([4, 3]);
  context.strokeRect((cell + half) * size - 1, (cell + half) * size + 21, block.outputs * size + 1, block.outputs * size + 1);
  context.setLineDash([]);
  const right = columns * size + gap * 6;
  context.fillStyle = inks['--soft'];
  context.fillText(width < 500 ? `writes ${block.outputs}×${block.outputs}` : `its ${block.outputs}×${block.outputs} outputs`, right, 14);
  const written = new Set(steps.slice(0, now + 1).flatMap(each => each.outputs ?? []).map(output => output.number));
  for (const output of outputsOf(block)) {
    context.fillStyle = written.has(output.number) ? inks['--output'] : inks['--idle'];
    context.fillRect(right + output.x * outputSize, 22 + output.y * outputSize, outputSize - 1, outputSize - 1);
  }
  counts();
  canvas.ariaLabel = `${at('phase').textContent} ${[...at('counts').tBodies[0].rows].map(row => `${row.cells[0].textContent}: ${row.cells[1].textContent} of ${row.cells[2].textContent}`).join(', ')}.`;
}

function counts() {
  const soFar = countsUpTo(now), end = countsUpTo(steps.length - 1);
  const rows = [['elements read from global memory', soFar.global, end.global], ['weights read from global memory', soFar.weights, end.weights],
                ['reads of shared memory', soFar.shared, end.shared], ['multiply-adds', soFar.products, end.products], ['outputs', soFar.outputs, end.outputs]];
  const perByte = products => end.global + end.weights > 0 ? (2 * products / (4 * (end.global + end.weights))).toFixed(2) : '';
  at('counts').tBodies[0].replaceChildren(...rows.map(([name, one, all]) => row(name, one, all)), row('operations a byte from global memory', '', perByte(end.products)));
  if (model) {
    const note = row('the model: loads of a tile, and the reads of global memory that it replaces', model.loads, `${model.accesses} (${model.reduction.toFixed(1)} times)`);
    at('counts').tBodies[0].append(note);
  }
}

function row(name, one, all) {
  const made = document.createElement('tr');
  const head = Object.assign(document.createElement('th'), {scope: 'row', textContent: name});
  made.append(head, Object.assign(document.createElement('td'), {textContent: one}), Object.assign(document.createElement('td'), {textContent: all}));
  return made;
}

function advance() {
  if (now + 1 >= steps.length) {
    stop();
    return;
  }
  ++now;
  at('phase').textContent = steps[now].words;
  draw();
  document.body.dataset.step = now + 1;
}

function stop() {
  clearInterval(timer);
  timer = 0;
  at('play').textContent = 'Play';
  at('play').setAttribute('aria-pressed', 'false');
}

function play() {
  if (timer) return stop();
  if (now + 1 >= steps.length) now = -1;
  // As many steps as it has go by in the same time, be the block large or small.
  timer = setInterval(advance, Math.max(30, Math.min(stepMilliseconds, 20000 / steps.length)));
  at('play').textContent = 'Pause';
  at('play').setAttribute('aria-pressed', 'true');
}

const kernelOf = name => record?.rungs.find(each => each.rung === name && each.memory === 'pageable' && each.ms)?.ms.kernel;
const text = milliseconds => milliseconds < 1 ? `${(milliseconds * 1000).toPrecision(3)} µs` : `${milliseconds.toPrecision(3)} ms`;

function bars() {
  if (!record) return;
  const all = record.rungs.filter(each => each.place === 'gpu' && each.memory === 'pageable' && each.ms);
  const most = Math.max(...all.map(each => each.ms.kernel));
  at('bars').replaceChildren(...all.map(each => {
    const line = document.createElement('div');
    line.className = each.rung === rung ? 'bar chosen' : 'bar';
    const strip = Object.assign(document.createElement('span'), {className: 'strip'});
    const length = document.createElement('i');
    length.style.width = `${100 * each.ms.kernel / most}%`;
    strip.append(length);
    line.append(Object.assign(document.createElement('span'), {textContent: each.rung}), strip, Object.assign(document.createElement('span'), {textContent: text(each.ms.kernel)}));
    return line;
  }));
  const {width, height, radius} = record.job;
  at('times-words').textContent = `Recorded, not measured here: ${record.machine.gpu.name}, kernels alone, ${width}×${height} f32, ${2 * radius + 1}×${2 * radius + 1} taps, ${record.date.slice(0, 10)}.`;
  at('bars').ariaLabel = `${at('times-words').textContent} ${all.map(each => `${each.rung} ${text(each.ms.kernel)}`).join(', ')}.`;
}

/** Questions with the numbers of the reader's own block; the answer shows once one has been chosen. */
function questions() {
  const {outputs, mask, side} = block;
  const reads = outputs ** 2 * mask ** 2;
  const list = [
    {ask: `How many elements does the block of ${outputs}×${outputs} outputs read from global memory without a tile?`,
     choices: [side ** 2, outputs ** 2, reads], right: 2,
     why: `Each output reads its ${mask}×${mask} neighbours: ${outputs}² · ${mask}² = ${reads}, though there are only ${side}² = ${side ** 2} different ones.`},
    {ask: 'And with a tile in shared memory?', choices: [side ** 2, outputs ** 2, reads], right: 0,
     why: `Each of the ${side}×${side} elements once: ${side ** 2}, ${(reads / side ** 2).toFixed(1)} times fewer. The halo is what makes it more than ${outputs ** 2}.`},
    {ask: 'Which element of the tile is read most often?', choices: ['a corner', 'the middle of an edge', 'one in the middle'], right: 2,
     why: `One in the middle serves up to ${Math.min(outputs, mask)}×${Math.min(outputs, mask)} outputs, a corner one alone. ${model ? `Along an axis: ${model.reuse_along_an_axis.join(' ')}.` : ''}`},
    {ask: 'By counting, a tile saves most reads of global memory. How much quicker was the kernel with the textbook\'s tile (tiled_output_block) on an H200, 3×3?',
     choices: ['about 7 times', 'about 2 times', 'not at all: slower'], right: 2,
     why: kernelOf('naive') ? `${text(kernelOf('naive'))} became ${text(kernelOf('tiled_output_block'))}. The caches of today's GPU answer the repeated reads already, and hand out as many bytes a clock as shared memory does; what remains of the tile is two waits of the block, and loads of which few do something. tiled_input_block, ${text(kernelOf('tiled_input_block'))}, is quicker for another reason: it starts eight reads a thread at once.` : ''},
    {ask: `A separable filter of ${mask}×${mask}: how many multiply-adds an output?`, choices: [mask ** 2, 2 * mask, mask], right: 1,
     why: `${mask} along rows and ${mask} along columns: ${2 * mask} in place of ${mask ** 2}. At 3×3 that hardly counts and the image goes over memory twice; from about 7×7 on it is quicker than any dense rung.`},
  ];
  at('cards').replaceChildren(...list.map((question, number) => {
    const card = Object.assign(document.createElement('div'), {className: 'card'});
    const set = document.createElement('fieldset');
    set.append(Object.assign(document.createElement('legend'), {textContent: question.ask}));
    const answer = Object.assign(document.createElement('p'), {className: 'answer', hidden: true});
    answer.setAttribute('aria-live', 'polite');
    for (const [place, choice] of question.choices.entries()) {
      const label = document.createElement('label');
      const box = Object.assign(document.createElement('input'), {type: 'radio', name: `question-${number}`});
      box.addEventListener('change', () => {
        answer.hidden = false;
        answer.textContent = `${place === question.right ? 'Yes.' : `No: ${question.choices[question.right]}.`} ${question.why}`;
      });
      label.append(box, ` ${choice}`);
      set.append(label);
    }
    card.append(set, answer);
    return card;
  }));
}

at('back').href = `/${location.search}`;
for (const name of Object.keys(rungs)) at('rung').append(new Option(name, name));
for (const id of ['rung', 'tile', 'mask']) at(id).addEventListener('input', begin);
at('play').addEventListener('click', play);
at('step').addEventListener('click', () => { stop(); advance(); });
at('restart').addEventListener('click', begin);
new ResizeObserver(() => { if (block) draw(); }).observe(at('scene'));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => draw());
record = await (await fetch('/ladder.json')).json();
begin();

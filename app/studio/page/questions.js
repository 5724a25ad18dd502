// questions.js: questions with the numbers of the reader's own block and of the bars; the answer shows once one has been chosen.
import {kernelsOf, sourceText, timeText} from './bars.js';

/** Choices from numbers that may coincide: the different ones in order, the right one among them. */
function numbered(right, ...others) {
  const different = new Set([right, ...others]);
  for (let more = 2; different.size < 3; ++more) different.add(more * right);
  const choices = [...different].sort((a, b) => a - b);
  return {choices, right: choices.indexOf(right)};
}

const speeds = ['more than twice as quick', 'quicker, by less than that', 'about as quick, within 7%', 'slower'];
function speedOf(before, after) {
  const ratio = after / before;
  return ratio < 0.5 ? 0 : ratio < 0.93 ? 1 : ratio <= 1.07 ? 2 : 3;
}

/** How one rung compares with another, where both ran. */
function compared(answer, from, to, ask, why) {
  const kernels = kernelsOf(answer), before = kernels.get(from), after = kernels.get(to);
  if (!before || !after) return [];
  const right = speedOf(before, after);
  const because = right < 2 ? 'Here it helps, as far as the caches had not answered the repeated reads already.' : why(kernels);
  return [{ask: `${ask} On the ${answer.machine.gpu.name} of the bars, ${to} was, beside ${from} …`, choices: speeds, right,
           why: `${timeText(before)} became ${timeText(after)}. ${because} ${sourceText(answer)}`}];
}

function whyTilesBarelyHelp(kernels) {
  const words = ['Why the tile barely helps: the caches of today\'s GPU answer the repeated reads already, and hand out as many bytes a clock as shared',
                 'memory does; what remains of the tile is a wait of the block, and loads of which few do something.'];
  const input = kernels.get('tiled_input_block');
  if (input < kernels.get('tiled_output_block')) words.push(`tiled_input_block, ${timeText(input)}, is quicker for another reason: it starts eight reads a ` +
      `thread at once.`);
  return words.join(' ');
}

const reuseWords = model => model ? ` Along an axis, element by element: ${model.reuse_along_an_axis.join(' ')}.` : '';

const lists = {
  1: ({outputs: t, mask, half, side}, model, answer) => [
    {ask: `How many elements does a block of ${t} outputs read from global memory without a tile?`, ...numbered(t * mask, side, t),
     why: `Each output reads its ${mask} neighbours: ${t} · ${mask} = ${t * mask}, though there are only ${side} different ones.`},
    {ask: 'And with tiled_halo, a tile with both halos?', ...numbered(side, t, t * mask),
     why: `Each of ${t} + ${2 * half} = ${side} elements once, ${(t * mask / side).toFixed(1)} times fewer. The longer the block, the nearer to ${mask} ` +
         `times: the halo stays ${2 * half}.`},
    {ask: `How many outputs of the block use an element in the middle of the tile?`, ...numbered(Math.min(t, mask), 1, Math.max(t, mask)),
     why: `An output sees ${mask} elements, so an element is seen by ${mask} outputs, of which the block has ${t}.${reuseWords(model)}`},
    {ask: `tiled_cached keeps ${t} elements and no halo. How many of the block's ${t * mask} taps find their element beside the ` +
        `tile?`, ...numbered(half * (half + 1), 2 * half, t * mask - t),
     why: `The first output misses ${half} to the left, the next one fewer, down to none, and the same on the right: 2 · (1 + … + ${half}) = ` +
         `${half * (half + 1)}. The caches answer them.`},
    {ask: `constant no longer reads the weights from global memory. How many operations does it make for each byte that it asks ` +
        `for?`, choices: ['0.25', '0.5', '2'], right: 1,
     why: `An output makes 2 · ${mask} operations of ${mask} elements of 4 bytes: ${2 * mask} ÷ ${4 * mask} = 0.5, whatever the size. basic asks for as ` +
         `many weights too: 0.25.`},
    ...compared(answer, 'constant', 'tiled_halo', `By counting, your tile saves ${(100 * (1 - side / (t * mask))).toFixed(0)}% of all reads.`,
                () => 'The first cache answers the repeated reads of neighbours already, and is the same memory as the shared one. What the tile adds is a ' +
                    'wait of the whole block and two steps in which few threads load a halo.'),
  ],
  2: ({outputs: t, mask, side}, model, answer) => [
    {ask: `How many elements does the block of ${t}×${t} outputs read from global memory without a tile?`, ...numbered(t ** 2 * mask ** 2, side ** 2, t ** 2),
     why: `Each output reads its ${mask}×${mask} neighbours: ${t}² · ${mask}² = ${t ** 2 * mask ** 2}, though there are only ${side}² = ${side ** 2} different ones.`},
    {ask: 'And with a tile in shared memory that has the halo?', ...numbered(side ** 2, t ** 2, t ** 2 * mask ** 2),
     why: `Each of the ${side}×${side} elements once: ${side ** 2}, ${(t ** 2 * mask ** 2 / side ** 2).toFixed(1)} times fewer. The halo is what makes it ` +
         `more than ${t ** 2}.`},
    {ask: 'Which element of the tile is read most often?', choices: ['a corner', 'the middle of an edge', 'one in the middle'], right: 2,
     why: `One in the middle serves up to ${Math.min(t, mask)}×${Math.min(t, mask)} outputs, a corner one alone.${reuseWords(model)}`},
    {ask: `Of the tile's ${side ** 2} elements, how many are halo?`, ...numbered(side ** 2 - t ** 2, t ** 2, 4 * (mask - 1) * t),
     why: `${side}² − ${t}² = ${side ** 2 - t ** 2}. tiled_input_block has threads over them that make no output; tiled_output_block has its threads load ` +
         `several elements.`},
    ...compared(answer, 'naive', 'tiled_output_block',
                `By counting, your tile saves ${(100 * (1 - side ** 2 / (t * mask) ** 2)).toFixed(0)}% of all reads of global memory. How much does a tile help ` +
                'on today\'s GPU?', whyTilesBarelyHelp),
    {ask: `A separable filter of ${mask}×${mask}: how many multiply-adds an output?`, ...numbered(2 * mask, mask, mask ** 2),
     why: `${mask} along rows and ${mask} along columns: ${2 * mask} in place of ${mask ** 2}. At 3×3 that hardly counts and the image goes over memory ` +
         `twice; the more taps, the more it gains.`},
    ...compared(answer, 'constant', 'texture', `texture fetches the same ${mask ** 2} elements an output through a unit of its own, made for images.`,
                () => 'The unit answers 4 fetches a clock and multiprocessor, where plain reads get 32; and the image must first be copied into its order.'),
  ],
  3: ({outputs: t, mask, side}, model, answer) => [
    {ask: `How many elements does the block of ${t}×${t}×${t} outputs read from global memory without a tile?`, ...numbered(t ** 3 * mask ** 3, side ** 3, t ** 3),
     why: `Each output reads its ${mask}×${mask}×${mask} neighbours: ${t}³ · ${mask}³ = ${t ** 3 * mask ** 3}, though there are only ${side}³ = ` +
         `${side ** 3} different ones.`},
    {ask: 'And with a tile in shared memory?', ...numbered(side ** 3, t ** 3, t ** 3 * mask ** 3),
     why: `Each of the ${side}×${side}×${side} elements once: ${side ** 3}, ${(t ** 3 * mask ** 3 / side ** 3).toFixed(1)} times fewer.`},
    {ask: `Of the tile's ${side ** 3} elements, how many are halo?`, ...numbered(side ** 3 - t ** 3, t ** 3, side ** 2 - t ** 2),
     why: `${side}³ − ${t}³ = ${side ** 3 - t ** 3}, ${(100 * (1 - t ** 3 / side ** 3)).toFixed(0)}% of it. In a plane it would be ` +
         `${(100 * (1 - t ** 2 / side ** 2)).toFixed(0)}%, in a row ${(100 * (1 - t / side)).toFixed(0)}%: each axis adds to it.`},
    {ask: 'How many bytes of shared memory does the tile take?', ...numbered(4 * side ** 3, side ** 3, 4 * t ** 3),
     why: `4 bytes for each of ${side}³ elements. A block has 48 KB without asking for more; at 32×4×4 outputs and radius 7 the ladder's tile takes 59,616 bytes.`},
    {ask: `A filter of ${mask}×${mask}×${mask} that is a product of three: how many multiply-adds an output, axis by ` +
        `axis?`, ...numbered(3 * mask, mask ** 2, mask ** 3),
     why: `${mask} along each of three axes: ${3 * mask} in place of ${mask ** 3}. The library finds the factors by itself.`},
    ...compared(answer, 'constant', 'tiled', `By counting, your tile saves ${(100 * (1 - side ** 3 / (t * mask) ** 3)).toFixed(0)}% of all reads.`,
                () => 'On an H200 these rungs are far from every limit of memory, and probably bound by other work: positions in 64 bits, tests at taps, ' +
                    'divisions that place each ' +
                    'element of the tile.'),
  ],
};

export function showQuestions(place, block, model, answer) {
  place.replaceChildren(...lists[block.dims](block, model, answer).map((question, number) => {
    const card = Object.assign(document.createElement('div'), {className: 'card'}), set = document.createElement('fieldset');
    set.append(Object.assign(document.createElement('legend'), {textContent: question.ask}));
    const said = Object.assign(document.createElement('p'), {className: 'answer', hidden: true});
    said.setAttribute('aria-live', 'polite');
    for (const [index, choice] of question.choices.entries()) {
      const label = document.createElement('label'), box = Object.assign(document.createElement('input'), {type: 'radio', name: `question-${number}`});
      box.addEventListener('change', () => {
        said.hidden = false;
        said.textContent = `${index === question.right ? 'Yes.' : `No: ${question.choices[question.right]}.`} ${question.why}`;
      });
      label.append(box, ` ${choice}`);
      set.append(label);
    }
    card.append(set, said);
    return card;
  }));
}

// lesson.js: the lesson: which block is shown, its steps as they go by, what was counted, and the model's numbers beside.
import {Address, put} from './address.js';
import {askJson} from './api.js';
import {drawBars, ladderOf, measure} from './bars.js';
import {drawBlock} from './block.js';
import {showQuestions} from './questions.js';
import {blockOf, countsOf, ladder, sizeText} from './rungs.js';

const at = id => document.getElementById(id);
const stepMilliseconds = 260, wholeMilliseconds = 20000, leastMilliseconds = 30;
const kinds = {1: '1D: a signal', 2: '2D: an image', 3: '3D: a volume'};
// By dimensions: [least, most, first] outputs and taps along an axis.
const tiles = {1: [4, 32, 16], 2: [4, 16, 8], 3: [2, 4, 3]}, masks = {1: [3, 9, 5], 2: [3, 9, 5], 3: [3, 5, 3]};

const address = new Address(at('back'), '/');
let block, steps, now = -1, timer = 0, model = null, answer = null, asked = '';

function trouble(error) {
  at('trouble').textContent = error?.message ?? '';
  at('trouble').hidden = !error;
}

/** The first rung, tile and filter of so many dimensions, but for those that are wanted. */
function chooseDimensions(wanted = {}) {
  const dims = Number(at('dims').value);
  at('rung').replaceChildren(...Object.keys(ladder[dims]).map(name => new Option(name, name)));
  for (const [id, [least, most, first]] of [['tile', tiles[dims]], ['mask', masks[dims]]]) Object.assign(at(id), {min: least, max: most, value: wanted[id] ?? first});
  if (!put(at('rung'), wanted.rung ?? at('rung').value)) at('rung').selectedIndex = 0;
  begin();
}

async function begin() {
  stop();
  const dims = Number(at('dims').value), rung = at('rung').value, {input, idea, real} = ladder[dims][rung];
  block = blockOf(dims, rung, Number(at('tile').value), Number(at('mask').value));
  steps = ladder[dims][rung].steps(block);
  address.keep({dims, rung, tile: at('tile').value, mask: at('mask').value});
  now = -1;
  for (const name of ['step', 'lesson']) delete document.body.dataset[name];
  at('tile-name').textContent = input ? 'Tile that the block reads, elements a side' : dims === 1 ? 'Block, outputs' : 'Block, outputs a side';
  at('tile-shown').value = input ? block.side : block.outputs;
  at('mask-shown').value = block.mask;
  at('mask-name').textContent = dims === 1 ? 'Filter, taps' : 'Filter, taps a side';
  at('idea').textContent = idea;
  at('real').textContent = real;
  at('phase').textContent = `A block makes ${sizeText(block.own, dims)} outputs of ${sizeText(block.seen, dims)} elements${
    block.threads ? `, with ${sizeText(block.threads, 2)} threads` : rung === 'library' ? '' : ', a thread each'}. ${steps.length} steps.`;
  const words = {dims, rung, outputs: block.outputs, mask: block.mask}, mine = JSON.stringify(words);
  model = mine === asked ? model : null;
  asked = mine;
  draw();
  try {
    const [numbers, bars] = await Promise.all([model ?? askJson('/tile', words), ladderOf(dims)]);
    if (asked !== mine) return;
    [model, answer] = [numbers, bars];
    trouble(null);
  } catch (error) {
    if (asked === mine) trouble(error);
    return;
  }
  draw();
  showBars();
  document.body.dataset.lesson = `${dims} ${rung} ${block.outputs} ${block.mask}`;
}

/** The bars, and what asks about them and the block; what was guessed stays while both are the same. */
function showBars() {
  drawBars(at('bars'), at('times-words'), answer, block.rung);
  at('measure').hidden = !answer.gpu_here;
  at('measure').textContent = answer.measured_here ? 'Measure again' : `Measure here, on ${answer.gpu_here}`;
  const about = [block.dims, block.outputs, block.mask, answer.measured_here, answer.date].join(' ');
  if (at('cards').dataset.about === about) return;
  at('cards').dataset.about = about;
  showQuestions(at('cards'), block, model, answer);
}

function draw() {
  drawBlock(at('block'), block, steps, now);
  counts();
  const said = [...at('counts').tBodies[0].rows].map(row => `${row.cells[0].textContent}: ${row.cells[1].textContent} of ${row.cells[2].textContent}`);
  at('block').ariaLabel = `${at('phase').textContent} ${said.join(', ')}.`;
}

function row(name, text, cells) {
  const made = document.createElement('tr');
  made.dataset.name = name;
  made.append(Object.assign(document.createElement('th'), {scope: 'row', textContent: text}),
    ...cells.map(textContent => Object.assign(document.createElement('td'), {textContent})));
  return made;
}

/** What was read and made so far and in the end; then an output's share, as counted and by the model. */
function counts() {
  const soFar = countsOf(steps.slice(0, now + 1)), end = countsOf(steps), hides = at('hide').checked && now + 1 < steps.length;
  const hidden = value => hides ? '?' : value;
  const texts = {global: 'elements read from global memory', weights: 'weights read from global memory', again: 'halo elements, which a cache has',
                 shared: 'reads of shared memory', products: 'multiply-adds', outputs: 'outputs'};
  // The library's reads of shared memory are its methods' own affair.
  const shown = Object.keys(texts).filter(name => name === 'global' || (end[name] > 0 && !(name === 'shared' && block.rung === 'library')));
  at('counts').tBodies[0].replaceChildren(...shown.map(name => row(name, texts[name], [soFar[name], hidden(end[name])])));
  const reads = end.global + end.weights;
  const number = value => value === undefined ? '' : hidden(String(Number(value.toPrecision(4))));
  at('shares').tBodies[0].replaceChildren(
    row('loads', 'elements and weights read from global memory', [number(reads / end.outputs), number(model?.global_loads)]),
    row('operations', 'operations, two a multiply-add', [number(2 * end.products / end.outputs), number(model?.operations)]),
    row('intensity', 'operations a byte read', [number(2 * end.products / (4 * reads)), number(model?.operations_per_byte)]));
  at('reuse').textContent = model && !hides ? [
    `By the model a tile with its halo, ${sizeText(block.seen, block.dims)} elements, replaces ${model.accesses} reads of global memory by ${model.loads}:`,
    `${model.reduction.toFixed(1)} times fewer. Along an axis its elements serve ${model.reuse_along_an_axis.join(' ')} outputs.`].join(' ') : '';
}

function advance() {
  if (now + 1 >= steps.length) return stop();
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
  at('phase').ariaLive = 'polite';
}

function play() {
  if (timer) return stop();
  if (now + 1 >= steps.length) now = -1;
  // As many steps as it has go by in the same time, be the block large or small.
  timer = setInterval(advance, Math.max(leastMilliseconds, Math.min(stepMilliseconds, wholeMilliseconds / steps.length)));
  at('play').textContent = 'Pause';
  at('play').setAttribute('aria-pressed', 'true');
  at('phase').ariaLive = 'off';  // steps that go by are too many to be read out
}

async function measureHere() {
  const dims = block.dims;
  at('measure').disabled = true;
  at('measuring').textContent = `Measuring the rungs of ${dims}D on this GPU; previews wait meanwhile.`;
  try {
    const measured = await measure(dims);
    trouble(null);
    if (block.dims === dims) {
      answer = measured;
      showBars();
    }
  } catch (error) {
    trouble(error);
  }
  at('measuring').textContent = '';
  at('measure').disabled = false;
}

at('dims').replaceChildren(...Object.entries(kinds).map(([dims, text]) => new Option(text, dims)));
at('dims').addEventListener('input', () => chooseDimensions());
for (const id of ['rung', 'tile', 'mask']) at(id).addEventListener('input', begin);
at('play').addEventListener('click', play);
at('step').addEventListener('click', () => { stop(); advance(); });
at('restart').addEventListener('click', begin);
at('hide').addEventListener('input', draw);
at('measure').addEventListener('click', measureHere);
new ResizeObserver(() => draw()).observe(at('scene'));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => draw());
if (!put(at('dims'), address.words.dims ?? '2')) at('dims').value = '2';
chooseDimensions(address.words);

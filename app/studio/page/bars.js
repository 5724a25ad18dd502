// bars.js: what each rung gave: measured here where there is a GPU and the reader asks for it, as recorded elsewhere.
import {askJson} from './api.js';

const known = new Map();  // answers of /ladder, by dimensions

/** The GPU rungs of so many dimensions that ran, by name, in milliseconds of their kernels. */
export const kernelsOf = answer => new Map((answer?.rungs ?? []).filter(each => each.place === 'gpu' && each.memory === 'pageable' && each.ms)
  .map(each => [each.rung, each.ms.kernel]));
export const timeText = milliseconds => milliseconds < 1 ? `${(milliseconds * 1000).toPrecision(3)} µs` : `${milliseconds.toPrecision(3)} ms`;

export async function ladderOf(dims) {
  if (known.has(dims)) return known.get(dims);
  const record = await askJson('/ladder', {dims});
  if (!known.has(dims)) known.set(dims, record);  // unless they have been measured meanwhile
  return known.get(dims);
}

/** Replaces what is known. Throws with the program's sentence. */
export async function measure(dims) {
  known.set(dims, await askJson('/ladder', {dims, measure: 1}));
  return known.get(dims);
}

/** Where and how the figures came about. */
export function sourceText({measured_here: here, machine, job, date}) {
  const side = 2 * job.radius + 1, extents = [job.depth, job.height, job.width].slice(3 - job.dims);
  const size = job.dims === 1 ? `${job.width} samples` : extents.join('×');
  const taps = job.dims === 1 ? `${side} taps` : `${extents.map(() => side).join('×')} taps`;
  return `${here ? 'Measured here' : 'Recorded, not measured here'}: ${machine.gpu?.name ?? 'no GPU'}, kernels alone, ${size} f32, ${taps}, ${date.slice(0, 10)}.`;
}

export function drawBars(place, words, answer, chosen) {
  const kernels = kernelsOf(answer), most = Math.max(...kernels.values());
  const made = (tag, properties) => Object.assign(document.createElement(tag), properties);
  const failed = answer.rungs.filter(each => each.place === 'gpu' && each.memory === 'pageable' && !each.ms);
  place.replaceChildren(...[...kernels].map(([rung, ms]) => {
    const line = made('div', {className: rung === chosen ? 'bar chosen' : 'bar'}), strip = made('span', {className: 'strip'}), length = made('i');
    length.style.width = `${100 * ms / most}%`;
    strip.append(length);
    line.append(made('span', {textContent: rung}), strip, made('span', {textContent: timeText(ms)}));
    return line;
  }));
  words.textContent = [sourceText(answer), ...failed.map(each => `${each.rung}: ${each.reason}.`)].join(' ');
  words.dataset.measured = answer.measured_here ? 'here' : 'elsewhere';
  place.ariaLabel = `${words.textContent} ${[...kernels].map(([rung, ms]) => `${rung} ${timeText(ms)}`).join(', ')}.`;
}

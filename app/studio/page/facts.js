// facts.js: what is known of a filter and its result: weights, frequency response, histogram, methods.
import {short} from './chain.js';

const mostEdited = 11;  // taps along an axis that are shown as numbers to edit
const manyColumns = 6;

/** Towards one colour for what is positive and another for what is negative; words on it stay readable. */
function ground(weight, largest) {
  const share = largest > 0 ? Math.round(45 * Math.abs(weight) / largest) : 0;
  return `rgb(${weight < 0 ? '47 111 208' : '224 138 30'} / ${share}%)`;
}

const element = (name, text) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  return made;
};

/** In the few characters that a cell holds, fewer where there are many columns. */
function cell(weight, columns) {
  if (weight === null) return 'NaN';
  if (Number.isInteger(weight) && Math.abs(weight) < 1e5) return String(weight);
  const [digits, most] = columns > manyColumns ? [2, 6] : [3, 7];
  const text = String(Number(weight.toPrecision(digits)));
  return text.length <= most ? text : weight.toExponential(digits - 2);
}

function rowsOf(filter) {
  const {height, width} = filter.size;
  return Array.from({length: height}, (_, y) => filter.weights.slice(y * width, (y + 1) * width));
}

/** `edited(rows)` is called with weights that the user has changed, as a convolution takes them. */
export function showWeights(place, answer, edited) {
  const focused = [...place.querySelectorAll('input')].indexOf(document.activeElement);
  place.replaceChildren(...answer.filters.map(filter => {
    if (!filter.weights) return element('p', `${filter.size.height} × ${filter.size.width} weights: more than can be shown`);
    const rows = rowsOf(filter);
    const largest = Math.max(...filter.weights.map(Math.abs));
    if (Math.max(filter.size.height, filter.size.width) > mostEdited) return heatMap(rows, largest, filter);
    const table = element('table');
    table.className = filter.size.width > manyColumns ? 'many' : '';
    // Of even sizes a correlation's weights cannot be mirrored in place.
    const isAlone = answer.filters.length === 1 && filter.size.depth === 1 && (!filter.correlation || filter.size.height * filter.size.width % 2 === 1);
    for (const [y, row] of rows.entries()) {
      const line = table.insertRow();
      for (const [x, weight] of row.entries()) {
        const box = element('input');
        box.type = 'text';
        box.inputMode = 'decimal';
        box.value = cell(weight, row.length);
        box.title = String(weight);
        box.ariaLabel = `Weight in row ${y + 1}, column ${x + 1}`;
        box.readOnly = !isAlone;
        box.style.background = ground(weight, largest);
        box.addEventListener('change', () => {
          const value = Number(box.value);
          if (!Number.isFinite(value) || box.value.trim() === '') {
            box.value = cell(weight, row.length);
            return;
          }
          rows[y][x] = value;
          edited(filter.correlation ? rows.map(each => [...each].reverse()).reverse() : rows);
        });
        line.insertCell().append(box);
      }
    }
    oneStop(table, filter.size.width);
    return table;
  }));
  if (focused >= 0) place.querySelectorAll('input')[focused]?.focus();
}

/** The tabulator stops once in a grid of boxes; arrows lead from one to another, left and right from the ends of a text. */
function oneStop(table, columns) {
  const boxes = [...table.querySelectorAll('input')];
  const middle = Math.floor(boxes.length / 2);
  for (const [i, box] of boxes.entries()) {
    box.tabIndex = i === middle ? 0 : -1;
    box.addEventListener('focus', () => { for (const other of boxes) other.tabIndex = other === box ? 0 : -1; });
    box.addEventListener('keydown', event => {
      const isFirst = box.selectionStart === 0 && box.selectionEnd === 0, isLast = box.selectionStart === box.value.length;
      const steps = {ArrowUp: -columns, ArrowDown: columns, ArrowLeft: isFirst && i % columns > 0 ? -1 : 0, ArrowRight: isLast && i % columns < columns - 1 ? 1 : 0};
      const next = steps[event.key] ? boxes[i + steps[event.key]] : null;
      if (!next) return;
      event.preventDefault();
      next.focus();
      next.select();
    });
  }
}

function heatMap(rows, largest, filter) {
  const canvas = element('canvas');
  canvas.width = filter.size.width;
  canvas.height = filter.size.height;
  canvas.role = 'img';
  canvas.ariaLabel = `Heat map of ${filter.size.height} × ${filter.size.width} weights`;
  const context = canvas.getContext('2d');
  for (const [y, row] of rows.entries()) {
    for (const [x, weight] of row.entries()) {
      const share = largest > 0 ? Math.abs(weight) / largest : 0;
      const [r, g, b] = weight < 0 ? [47, 111, 208] : [224, 138, 30];
      context.fillStyle = `rgb(${r} ${g} ${b} / ${share})`;
      context.fillRect(x, y, 1, 1);
    }
  }
  return canvas;
}

export function showWeightFacts(list, answer) {
  list.replaceChildren();
  const add = (name, text) => list.append(element('dt', name), element('dd', text));
  for (const [k, filter] of answer.filters.entries()) {
    const {depth, height, width} = filter.size;
    if (answer.filters.length > 1) add('filter', `${k + 1} of ${answer.filters.length}`);
    add('size', `${depth > 1 ? `${depth} × ` : ''}${height} × ${width}, ${filter.taps} weights`);
    add('sum', short(filter.sum));
    add('symmetry', `${filter.symmetry.y} along y, ${filter.symmetry.x} along x`);
    add('rank', filter.rank ?? 'not counted');
    add('separable', filter.separable ? 'yes: a product of rows along the axes' : 'no');
    add('applied', filter.correlation ? 'as they lie (correlation)' : 'mirrored (convolution)');
  }
  if (answer.combine === 'magnitude') add('result', 'the root of the sum of squares');
}

const responseKind = ({points, values}) => {
  const most = Math.max(...values), least = Math.min(...values), middle = values[(points * points - 1) / 2];
  const kind = most === 0 ? 'nothing passes' : least > 0.99 * most ? 'all frequencies alike'
    : middle > 0.99 * most ? 'low frequencies pass: it smooths' : middle < 0.01 * most ? 'what is even vanishes: it finds differences' : 'high frequencies are raised: it sharpens';
  return `|H| from ${short(least)} (black) to ${short(most)} (white), at zero frequency, in the middle, ${short(middle)}; ${kind}`;
};

/** One a filter of the stage. */
export function showResponses(place, words, answer) {
  const canvases = [], said = [];
  for (const {response, size} of answer.filters) {
    if (!response) {
      said.push('of so many weights it is not computed');
      continue;
    }
    const {points, values} = response;
    const canvas = element('canvas');
    canvas.width = canvas.height = points;
    canvas.role = 'img';
    const context = canvas.getContext('2d'), most = Math.max(...values);
    for (const [k, value] of values.entries()) {
      const level = most > 0 ? Math.round(255 * value / most) : 0;
      context.fillStyle = `rgb(${level} ${level} ${level})`;
      context.fillRect(k % points, Math.floor(k / points), 1, 1);
    }
    canvas.ariaLabel = responseKind(response);
    canvases.push(canvas);
    said.push(`${canvas.ariaLabel}${size.depth > 1 ? '; of what does not change along z' : ''}`);
  }
  place.replaceChildren(...canvases);
  words.textContent = said.length > 1 ? said.map((sentence, k) => `${k + 1}: ${sentence}`).join('. ') : said.join('');
}

/** Colours of the bars of a picture's channels. */
const inksOf = colour => ({rgb: ['#d04848', '#2f9a57', '#3f74d6'], cmyk: ['#1f9fc4', '#c43a93', '#b59a17', '#666666']})[colour] ?? [];

/** Bars of the result, and the original's as lines. */
export function showHistogram(canvas, words, answer, before, colour) {
  const context = canvas.getContext('2d');
  const ratio = devicePixelRatio;
  canvas.width = Math.round(canvas.clientWidth * ratio) || 300;
  canvas.height = Math.round(120 * ratio);
  const after = answer.result.channels, original = before.original.channels;
  const inks = after.length >= 3 ? inksOf(colour) : [];
  const most = [...after, ...original].reduce((all, counts) => Math.max(all, ...counts.slice(1, -1)), 1);
  const height = count => Math.min(1, count / most) * canvas.height;
  for (const [c, counts] of after.entries()) {
    context.globalAlpha = 0.6;
    context.fillStyle = inks[c] ?? '#888888';
    for (const [level, count] of counts.entries()) context.fillRect(level * canvas.width / 256, canvas.height - height(count), Math.max(1, canvas.width / 256), height(count));
    if (c >= original.length || after.length !== original.length) continue;
    context.globalAlpha = 1;
    context.strokeStyle = inks[c] ?? '#888888';
    context.lineWidth = ratio;
    context.beginPath();
    for (const [level, count] of original[c].entries()) context.lineTo((level + 0.5) * canvas.width / 256, canvas.height - height(count));
    context.stroke();
  }
  const {known, share, note} = answer.clipped;
  words.textContent = `Bars: the result${after.length === original.length ? ', lines: the original' : ''}. ${note || (known ? (share > 0 ? `${(100 * share).toFixed(2)}% of the samples were clipped` : 'Less than 1% of the samples were clipped, or none')
    : 'How much was clipped is not counted for views and for pictures in strips')}.`;
  canvas.ariaLabel = `Histogram. ${words.textContent}`;
}

const milliseconds = seconds => seconds === undefined ? '' : seconds < 1e-3 ? `${(seconds * 1e6).toFixed(0)} µs` : `${(seconds * 1e3).toPrecision(3)} ms`;

export function showMethods(place, words, answer) {
  const table = element('table');
  const head = table.createTHead().insertRow();
  for (const title of ['Device', 'Method', 'Expected', 'Measured']) head.append(element('th', title));
  const body = table.createTBody();
  for (const one of [answer, ...answer.elsewhere]) {
    if (one.error) {
      const row = body.insertRow();
      row.insertCell().textContent = one.device;
      Object.assign(row.insertCell(), {colSpan: 3, textContent: one.error});
    }
    for (const [number, stage] of one.stages.entries()) {
      for (const [filter, ranking] of stage.entries()) {
        for (const [place, method] of ranking.entries()) {
          if (method.expected_seconds === undefined && method.measured_seconds === undefined) continue;
          const row = body.insertRow();
          if (place === 0) row.className = 'chosen';
          row.insertCell().textContent = place > 0 ? '' : one.device + (one.stages.length > 1 ? `, stage ${number + 1}` : '') + (stage.length > 1 ? `, filter ${filter + 1}` : '');
          row.insertCell().textContent = place === 0 ? `${method.method} ✓` : method.method;
          for (const seconds of [method.expected_seconds, method.measured_seconds]) {
            const cell = row.insertCell();
            cell.className = 'number';
            cell.textContent = milliseconds(seconds);
          }
        }
      }
    }
  }
  place.replaceChildren(table);
  const bound = element('p', `${answer.stages.length > 1 ? 'The last stage is off' : 'Off'} by at most ${answer.error_bound === null ? 'no finite number' : Number(answer.error_bound.toPrecision(3))} before rounding, of inputs up to ${short(answer.largest_input)}.`);
  bound.className = 'soft';
  place.append(bound);
  words.textContent = answer.text;
}

/** values × weights = sum, of one channel. */
export function showInspected(place, answer, names) {
  place.replaceChildren(element('strong', `Pixel ${answer.x}, ${answer.y}${answer.of ? `, of ${answer.of}` : ''}`));
  const grid = (one, which) => {
    const table = element('table');
    const largest = Math.max(...one.weights.map(Math.abs));
    for (let y = 0; y < one.rows; ++y) {
      const row = table.insertRow();
      for (let x = 0; x < one.columns; ++x) {
        const place = row.insertCell();
        place.textContent = cell(one[which][y * one.columns + x], one.columns);
        if (which === 'weights') place.style.background = ground(one.weights[y * one.columns + x], largest);
      }
    }
    return table;
  };
  for (const [c, channel] of answer.channels.entries()) {
    if (c === 0) {
      for (const one of channel.filters) {
        const sign = text => Object.assign(element('span', text), {className: 'sign'});
        const line = Object.assign(element('div'), {className: 'product'});
        line.append(grid(one, 'values'), sign('×'), grid(one, 'weights'), sign(`= ${short(one.sum)}`));
        if (one.rows * one.columns < one.all) line.append(sign(`(the middle of ${one.all} weights)`));
        place.append(line);
      }
    }
    place.append(element('div', `${names[c] ?? `channel ${c + 1}`}: Σ = ${channel.filters.map(one => short(one.sum)).join(', ')} → ${short(channel.value)} → ${answer.result[c] ?? ''}`));
  }
}

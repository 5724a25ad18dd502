// facts.js: what is known of a filter and its result: weights, frequency response, histogram, methods.
import {short} from './chain.js';

const mostEdited = 11;  // taps along an axis that are shown as numbers to edit

/** Towards one colour for what is positive and another for what is negative; words on it stay readable. */
function ground(weight, largest) {
  const share = largest > 0 ? Math.round(45 * Math.abs(weight) / largest) : 0;
  return `color-mix(in srgb, ${weight < 0 ? '#2f6fd0' : '#e08a1e'} ${share}%, var(--page))`;
}

const element = (name, text) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  return made;
};

/** In the few characters that a cell holds. */
function cell(weight) {
  if (weight === null) return 'NaN';
  const text = String(Number(weight.toPrecision(3)));
  return text.length <= 7 ? text : weight.toExponential(1);
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
    // Of even sizes a correlation's weights cannot be mirrored in place.
    const isAlone = answer.filters.length === 1 && filter.size.depth === 1 && (!filter.correlation || filter.size.height * filter.size.width % 2 === 1);
    for (const [y, row] of rows.entries()) {
      const line = table.insertRow();
      for (const [x, weight] of row.entries()) {
        const box = element('input');
        box.type = 'text';
        box.inputMode = 'decimal';
        box.value = cell(weight);
        box.title = String(weight);
        box.ariaLabel = `Weight in row ${y + 1}, column ${x + 1}`;
        box.readOnly = !isAlone;
        box.style.background = ground(weight, largest);
        box.addEventListener('change', () => {
          const value = Number(box.value);
          if (!Number.isFinite(value) || box.value.trim() === '') {
            box.value = cell(weight);
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
  for (const filter of answer.filters) {
    const {depth, height, width} = filter.size;
    add('size', `${depth > 1 ? `${depth} × ` : ''}${height} × ${width}, ${filter.taps} weights`);
    add('sum', short(filter.sum));
    add('symmetry', `${filter.symmetry.y} along y, ${filter.symmetry.x} along x`);
    add('rank', filter.rank ?? 'not counted');
    add('separable', filter.separable ? 'yes: a product of rows along the axes' : 'no');
    add('applied', filter.correlation ? 'as they lie (correlation)' : 'mirrored (convolution)');
  }
  if (answer.combine === 'magnitude') add('result', 'the root of the sum of squares');
}

export function showResponse(canvas, words, answer) {
  const filter = answer.filters[0];
  const context = canvas.getContext('2d');
  context.clearRect(0, 0, canvas.width, canvas.height);
  if (!filter?.response) {
    words.textContent = 'of so many weights it is not computed';
    return;
  }
  const {points, values} = filter.response;
  const most = Math.max(...values), least = Math.min(...values);
  const step = canvas.width / points;
  for (let y = 0; y < points; ++y) {
    for (let x = 0; x < points; ++x) {
      const level = most > 0 ? Math.round(255 * values[y * points + x] / most) : 0;
      context.fillStyle = `rgb(${level} ${level} ${level})`;
      context.fillRect(x * step, y * step, Math.ceil(step), Math.ceil(step));
    }
  }
  const middle = values[(points * points - 1) / 2];
  const kind = most === 0 ? 'nothing passes' : least > 0.99 * most ? 'all frequencies alike'
    : middle > 0.99 * most ? 'low frequencies pass: it smooths' : middle < 0.01 * most ? 'constants vanish: it finds differences' : 'high frequencies are raised: it sharpens';
  words.textContent = `|H| from ${short(least)} (black) to ${short(most)} (white), of constants ${short(middle)} in the middle; ${kind}`;
  canvas.ariaLabel = words.textContent;
}

export function showHistogram(canvas, words, answer) {
  const context = canvas.getContext('2d');
  const ratio = devicePixelRatio;
  canvas.width = Math.round(canvas.clientWidth * ratio) || 300;
  canvas.height = Math.round(120 * ratio);
  const channels = answer.result.channels.length;
  const inks = channels >= 3 ? ['#d04848', '#2f9a57', '#3f74d6', '#888888'] : ['#888888'];
  const most = answer.result.channels.reduce((all, counts) => Math.max(all, ...counts.slice(1, -1)), 1);
  context.globalAlpha = 0.6;
  for (const [c, counts] of answer.result.channels.entries()) {
    context.fillStyle = inks[c] ?? '#888888';
    for (const [level, count] of counts.entries()) {
      const height = Math.min(1, count / most) * canvas.height;
      context.fillRect(level * canvas.width / 256, canvas.height - height, Math.max(1, canvas.width / 256), height);
    }
  }
  context.globalAlpha = 1;
  const {known, share, note} = answer.clipped;
  words.textContent = note || (known ? (share > 0 ? `${(100 * share).toFixed(2)}% of the samples were clipped` : 'less than 1% of the samples were clipped, or none')
    : 'how much was clipped is not counted for views and for pictures in strips');
  canvas.ariaLabel = `Histogram of the result. ${words.textContent}`;
}

const milliseconds = seconds => seconds === undefined ? '' : seconds < 1e-3 ? `${(seconds * 1e6).toFixed(0)} µs` : `${(seconds * 1e3).toPrecision(3)} ms`;

export function showMethods(place, words, answer) {
  const table = element('table');
  const head = table.createTHead().insertRow();
  for (const title of ['Device', 'Method', 'Expected', 'Measured']) head.append(element('th', title));
  const body = table.createTBody();
  for (const one of [answer, ...answer.elsewhere]) {
    for (const [number, stage] of one.stages.entries()) {
      for (const ranking of stage) {
        for (const [place, method] of ranking.entries()) {
          if (method.expected_seconds === undefined && method.measured_seconds === undefined) continue;
          const row = body.insertRow();
          if (place === 0) row.className = 'chosen';
          row.insertCell().textContent = place === 0 ? `${one.device}${one.stages.length > 1 ? `, stage ${number + 1}` : ''}` : '';
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
  place.replaceChildren(element('strong', `Pixel ${answer.x}, ${answer.y}`));
  const grid = (one, which) => {
    const table = element('table');
    for (let y = 0; y < one.rows; ++y) {
      const row = table.insertRow();
      for (let x = 0; x < one.columns; ++x) row.insertCell().textContent = cell(one[which][y * one.columns + x]);
    }
    return table;
  };
  for (const [c, channel] of answer.channels.entries()) {
    const line = element('div');
    const name = names[c] ?? `channel ${c + 1}`;
    if (c === 0) {
      for (const one of channel.filters) {
        const sign = text => Object.assign(element('span', text), {className: 'sign'});
        line.append(grid(one, 'values'), sign('×'), grid(one, 'weights'), sign(`= ${short(one.sum)}`));
        if (one.rows * one.columns < one.all) line.append(sign(`(the middle of ${one.all} weights)`));
      }
    }
    line.append(element('div', `${name}: Σ = ${channel.filters.map(one => short(one.sum)).join(', ')} → ${short(channel.value)} → ${answer.result[c] ?? ''}`));
    place.append(line);
  }
}

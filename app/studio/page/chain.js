// chain.js: the chain of filters that is being built, as text and as controls.

const gestures = new EventTarget();
const usualMost = 50;  // of parameters whose range has no end that a slider could show

/** A number as short as it is told apart by eye. */
export const short = value => value === null ? 'no finite number' : String(Number(Number(value).toPrecision(6)));

const quoted = text => `'${text.replaceAll("'", '')}'`;
const unquoted = text => /^(['"])(.*)\1$/s.exec(text)?.[2] ?? text;

/** What stands between `ends`, unless these stand in quotes. Throws an Error where a quote has no end. */
function apart(text, ends) {
  const pieces = [''];
  let quote = '';
  for (const sign of text) {
    if (!quote && ends.includes(sign)) {
      pieces.push('');
      continue;
    }
    if (quote) quote = sign === quote ? '' : quote;
    else if (sign === "'" || sign === '"') quote = sign;
    pieces[pieces.length - 1] += sign;
  }
  if (quote) throw new Error(`the quote ${quote} is not closed`);
  return pieces;
}

export class ChainEditor {
  #list;
  #add;
  #filters;
  #changed;
  stages = [];  // {name, values: {parameter: text}, weights: text}

  /** `add` is the choice of a filter to go on with, `button` takes it. */
  constructor(list, add, button, filters, changed) {
    this.#list = list;
    this.#add = add;
    this.#filters = [...filters, {name: 'custom', summary: 'Weights of your own', parameters: []}];
    this.#changed = changed;
    for (const filter of this.#filters) add.append(new Option(filter.name, filter.name));
    add.value = 'unsharp_mask';
    button.addEventListener('click', () => {
      this.stages.push(this.#stage(add.value));
      this.#build();
      this.#list.lastElementChild.querySelector('select').focus();
      this.#changed();
    });
  }

  #filter(name) { return this.#filters.find(each => each.name === name); }

  #stage(name) { return {name, values: {}, weights: '0 -1 0; -1 5 -1; 0 -1 0'}; }

  /** The chain that `text` is, of none the picture as it is. Throws an Error that says what cannot be read, and keeps the one before; what values
      mean only the program knows. */
  setText(text) {
    this.stages = text ? apart(text, '|').map(words => this.#read(words)) : [];
    this.#build();
  }

  #read(text) {
    const [name, ...given] = apart(text, ' \t\r\n').filter(word => word);
    if (!name) throw new Error('a filter is missing beside |');
    const stage = this.#stage(name), filter = this.#filter(name);
    if (!filter) throw new Error(`there is no filter '${name}'`);
    for (const word of given) {
      const [, key, value] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
      const parameter = filter.parameters.find(each => each.name === key?.replaceAll('-', '_'));
      if (name === 'custom' && key === 'weights') stage.weights = unquoted(value);
      else if (!parameter) throw new Error(`${name} takes no '${word}'`);
      else if (parameter.choices?.includes(unquoted(value)) === false) throw new Error(`${name}: ${key} is one of ${parameter.choices.join(', ')}, not ${value}`);
      else stage.values[parameter.name] = unquoted(value);
    }
    return stage;
  }

  /** A stage's weights, as rows of numbers, in place of its filter. */
  setWeights(index, rows) {
    if (!this.stages[index]) return;  // it has gone meanwhile
    Object.assign(this.stages[index], {name: 'custom', values: {}, weights: rows.map(row => row.map(weight => String(Number(weight.toPrecision(12)))).join(' ')).join('; ')});
    this.#build();
    this.#changed();
  }

  textOf(stage) {
    if (stage.name === 'custom') return `custom weights=${quoted(stage.weights)}`;
    const given = Object.entries(stage.values).filter(([, value]) => value !== '');
    return [stage.name, ...given.map(([name, value]) => `${name}=${/^[-+.,\w]*$/.test(value) ? value : quoted(value)}`)].join(' ');
  }

  /** The chain of the first so many stages; of none, the picture as it is. */
  text(count = this.stages.length) {
    const stages = this.stages.slice(0, count).map(stage => this.textOf(stage));
    return stages.length ? stages.join(' | ') : 'identity';
  }

  #build() {
    this.#list.replaceChildren(...this.stages.map((stage, index) => this.#card(stage, index)));
  }

  #move(from, to) {
    if (to < 0 || to >= this.stages.length || from === to) return;
    this.stages.splice(to, 0, ...this.stages.splice(from, 1));
    this.#build();
    this.#changed();
    return this.#list.children[to];
  }

  #card(stage, index) {
    const card = document.createElement('li');
    card.className = 'stage';
    const head = document.createElement('div');
    head.className = 'head';
    const grip = document.createElement('span');
    grip.className = 'grip';
    grip.textContent = '⠿';
    grip.title = 'Drag to another place';
    grip.draggable = true;
    grip.setAttribute('aria-hidden', 'true');
    const choice = document.createElement('select');
    choice.ariaLabel = `Filter ${index + 1}`;
    for (const filter of this.#filters) choice.append(new Option(filter.name, filter.name));
    choice.value = stage.name;
    choice.title = this.#filter(stage.name).summary;
    choice.addEventListener('change', () => {
      this.stages[index] = this.#stage(choice.value);
      this.#build();
      this.#list.children[index].querySelector('select').focus();
      this.#changed();
    });
    const button = (sign, label, act) => {
      const made = document.createElement('button');
      made.type = 'button';
      made.textContent = sign;
      made.ariaLabel = `${label} ${stage.name}, filter ${index + 1}`;
      made.addEventListener('click', act);
      return made;
    };
    const moved = (step, which) => this.#move(index, index + step)?.querySelectorAll('button')[which].focus();
    head.append(grip, choice, button('↑', 'Move up', () => moved(-1, 0)), button('↓', 'Move down', () => moved(1, 1)),
                button('×', 'Remove', () => {
                  this.stages.splice(index, 1);
                  this.#build();
                  (this.#list.children[Math.min(index, this.stages.length - 1)]?.querySelector('select') ?? this.#add).focus();
                  this.#changed();
                }));
    card.append(head);
    this.#dragging(card, grip, index);
    if (stage.name === 'custom') card.append(this.#weightsBox(stage));
    for (const parameter of this.#filter(stage.name).parameters) card.append(this.#control(stage, parameter, index));
    return card;
  }

  #dragging(card, grip, index) {
    grip.addEventListener('dragstart', event => {
      event.dataTransfer.setData('text/plain', String(index));
      event.dataTransfer.effectAllowed = 'move';
      gestures.from = index;
    });
    grip.addEventListener('dragend', () => { gestures.from = undefined; });
    card.addEventListener('dragover', event => {
      if (gestures.from === undefined) return;
      event.preventDefault();
      card.classList.add('over');
    });
    card.addEventListener('dragleave', () => card.classList.remove('over'));
    card.addEventListener('drop', event => {
      if (gestures.from === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      const from = gestures.from;
      gestures.from = undefined;  // the grip goes, and with it its dragend
      this.#move(from, index);
    });
  }

  #weightsBox(stage) {
    const label = document.createElement('label');
    label.textContent = 'Weights, rows apart by ;';
    const box = document.createElement('textarea');
    box.rows = 3;
    box.spellcheck = false;
    box.value = stage.weights;
    box.addEventListener('input', () => {
      stage.weights = box.value;
      this.#changed();
    });
    label.append(box);
    return label;
  }

  #control(stage, parameter, index) {
    const whole = document.createElement('div');
    whole.className = 'parameter';
    const label = document.createElement('label');
    label.className = 'row';
    const unit = parameter.unit ? ` (${parameter.unit})` : '';
    label.append(`${parameter.name}${unit}`);
    label.title = `${parameter.meaning}; ${parameter.allowed}`;
    whole.append(label);
    const take = value => {
      if (value === parameter.default) delete stage.values[parameter.name];
      else stage.values[parameter.name] = value;
      this.#changed();
    };
    const current = stage.values[parameter.name] ?? parameter.default;
    if (parameter.choices) {
      const choice = document.createElement('select');
      for (const name of parameter.choices) choice.append(new Option(name, name));
      choice.value = current;
      choice.addEventListener('change', () => take(choice.value));
      label.append(choice);
      return whole;
    }
    const box = document.createElement('input');
    box.type = 'text';  // one value, or one for each axis with commas between them
    box.inputMode = 'decimal';
    box.value = current;
    box.placeholder = 'follows';
    label.append(box);
    const range = rangeOf(parameter);
    const slider = document.createElement('input');
    slider.type = 'range';
    slider.min = 0;
    slider.max = range.steps;
    slider.step = 1;
    slider.ariaLabel = `${parameter.name}${unit} of ${stage.name}, filter ${index + 1}`;
    slider.value = range.stepOf(Number(current.split(',')[0]) || range.least);
    const say = () => { slider.setAttribute('aria-valuetext', `${box.value || 'follows from others'}${unit}`); };
    slider.addEventListener('input', () => {
      box.value = short(range.valueOf(Number(slider.value)));
      say();
      take(box.value);
    });
    box.addEventListener('input', () => {
      const first = Number(box.value.split(',')[0]);
      if (box.value && Number.isFinite(first)) slider.value = range.stepOf(first);
      say();
      take(box.value.trim());
    });
    say();
    whole.append(slider);
    return whole;
  }
}

/** What a slider runs through: evenly, or, of what begins near 0 and has no end to speak of, by a quadratic law, finer where it is small. */
function rangeOf(parameter) {
  const least = parameter.integer ? Math.ceil(parameter.least) : parameter.least;
  const isLong = parameter.most - least > 1000 || !Number.isFinite(parameter.most);
  const most = isLong ? Math.max(usualMost, 4 * (Number(parameter.default) || 0)) : parameter.most;
  const bottom = least > 0 || least < -1e6 ? least : Math.max(least, -most);
  const begin = bottom > 0 && bottom < 0.1 && !parameter.integer ? 0.1 : bottom;
  const steps = parameter.integer ? Math.max(1, Math.round(most - begin)) : 1000;
  const law = isLong && !parameter.integer && begin >= 0 ? 2 : 1;
  return {
    least: begin,
    steps,
    valueOf(step) {
      const value = begin + (most - begin) * (step / steps) ** law;
      return parameter.integer ? Math.round(value) : Number(value.toPrecision(3));
    },
    stepOf(value) {
      const share = Math.min(1, Math.max(0, (value - begin) / (most - begin)));
      return Math.round(steps * share ** (1 / law));
    },
  };
}

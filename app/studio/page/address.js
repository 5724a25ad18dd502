// address.js: what a page shows, kept in its address behind #, so that it outlives the page: by reload, Back, a link or a bookmark.

const writeEvery = 400;  // ms; browsers bear a hundred changes of an address in half a minute
export const longestKept = 500000;  // characters of a word; browsers bear a million in an address

export class Address {
  #link;
  #path;
  #timer = 0;
  #written = -Infinity;
  words;  // of what is kept; replaced, never changed

  /** `link` leads to the page at `path`, which takes along what is kept. */
  constructor(link, path) {
    this.#link = link;
    this.#path = path;
    this.words = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    this.#lead();
    link.addEventListener('click', () => { if (this.#timer) this.#write(); });
    addEventListener('hashchange', () => {  // another was put in, by hand or from a bookmark
      this.#stop();
      location.reload();
    });
  }

  /** Changes these words; undefined ones go. */
  keep(words) {
    this.words = Object.fromEntries(Object.entries({...this.words, ...words}).filter(([, value]) => value !== undefined));
    this.#timer ||= setTimeout(() => this.#write(), Math.max(0, this.#written + writeEvery - performance.now()));
  }

  #stop() {
    clearTimeout(this.#timer);
    this.#timer = 0;
  }

  #write() {
    this.#stop();
    this.#written = performance.now();
    history.replaceState(null, '', `#${new URLSearchParams(this.words)}`);
    this.#lead();
  }

  #lead() { this.#link.href = this.#path + location.search + location.hash; }
}

export const valueOf = control => control.type !== 'checkbox' ? control.value : control.checked ? '1' : '';

/** Gives a control a value, and says whether it is one that it can have. */
export function put(control, value) {
  if (control.type === 'checkbox') control.checked = value === '1';
  else control.value = value;
  return valueOf(control) === value && control.selectedIndex !== -1;
}

/** So many numbers with commas between them; null where that is not what the text is. */
export function numbersIn(text, count) {
  const numbers = text ? text.split(',').map(Number) : [];
  return numbers.length === count && numbers.every(Number.isFinite) ? numbers : null;
}

// busy.js: that something is under way, once it has been for a while: what is quick gives no sign, which would flicker.

const patience = 150;  // ms

export class Busy {
  #sign;
  #regions;
  #works = new Set();  // {words, since}, the oldest first
  #timer = 0;

  /** `sign` says what is under way, in words, and `regions` are marked as busy meanwhile. */
  constructor(sign, regions) {
    this.#sign = sign;
    this.#regions = regions;
  }

  /** What `promise` gives; `words` are shown until it is over, well or not. */
  during(words, promise) {
    const work = {words, since: performance.now()};
    this.#works.add(work);
    this.#tell();
    return promise.finally(() => {
      this.#works.delete(work);
      this.#tell();
    });
  }

  #tell() {
    clearTimeout(this.#timer);
    const [oldest] = this.#works;
    const left = oldest ? oldest.since + patience - performance.now() : 0;
    const words = oldest && (left <= 0 || this.#sign.textContent) ? oldest.words : '';  // once shown it stays until nothing is under way
    if (oldest && !words) this.#timer = setTimeout(() => this.#tell(), left);
    if (words === this.#sign.textContent) return;
    this.#sign.textContent = words;
    for (const region of this.#regions) region.ariaBusy = String(Boolean(words));
  }
}

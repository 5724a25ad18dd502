// picture.js: the picture and its original on the screen: zoom, pan, the cut between them.

const mostZoom = 64;  // screen pixels a pixel
const zoomStep = 1.25;

export class PictureView {
  #frame;
  #canvases;
  #cut;
  #moved;
  #size = null;  // of the picture
  #scale = 1;
  #left = 0;  // of the frame's left top, in the picture's pixels
  #top = 0;
  #fits = true;
  #shown = {};  // by canvas: what was last drawn, and where it lies in the picture
  inspecting = false;

  /** `moved` is called when another part is to be seen, `picked(x, y)` when a pixel is pointed at. */
  constructor(frame, before, after, cut, moved, picked) {
    this.#frame = frame;
    this.#canvases = {before, after};
    this.#cut = cut;
    this.#moved = moved;
    new ResizeObserver(() => this.#resize()).observe(frame);
    frame.addEventListener('wheel', event => {
      event.preventDefault();
      this.zoomBy(event.deltaY < 0 ? zoomStep : 1 / zoomStep, ...this.#placeOf(event));
    }, {passive: false});
    this.#dragging(picked);
    frame.addEventListener('keydown', event => this.#key(event, picked));
  }

  get size() { return this.#size; }
  get scale() { return this.#scale; }
  has(x, y) { return Number.isInteger(x) && Number.isInteger(y) && x >= 0 && y >= 0 && x < this.#size?.width && y < this.#size?.height; }

  open(width, height) {
    this.#size = {width, height};
    this.#shown = {};
    this.fit();
  }

  fit() {
    this.#fits = true;
    this.#limit();
  }

  /** The picture's place in the middle of the frame, and screen pixels a pixel; null while all of it fits. */
  get place() {
    return this.#fits ? null : [this.#left + this.#frame.clientWidth / 2 / this.#scale, this.#top + this.#frame.clientHeight / 2 / this.#scale, this.#scale];
  }

  goTo(x, y, scale) {
    this.#fits = false;
    this.#scale = this.#allowed(scale);
    this.#left = x - this.#frame.clientWidth / 2 / this.#scale;
    this.#top = y - this.#frame.clientHeight / 2 / this.#scale;
    this.#limit();
  }

  pixelForPixel() { this.zoomTo(1 / devicePixelRatio); }

  zoomBy(factor, x, y) { this.zoomTo(this.#scale * factor, x, y); }

  /** So many screen pixels a pixel, with the frame's place x, y where it was. */
  zoomTo(scale, x = this.#frame.clientWidth / 2, y = this.#frame.clientHeight / 2) {
    if (!this.#size) return;
    const [px, py] = [this.#left + x / this.#scale, this.#top + y / this.#scale];
    this.#fits = false;
    this.#scale = this.#allowed(scale);
    this.#left = px - x / this.#scale;
    this.#top = py - y / this.#scale;
    this.#limit();
  }

  /** What is to be seen, in whole pixels, and on how many of the screen's. */
  look() {
    const {width, height} = this.#size;
    const x = Math.max(0, Math.floor(this.#left)), y = Math.max(0, Math.floor(this.#top));
    const right = Math.min(width, Math.ceil(this.#left + this.#frame.clientWidth / this.#scale));
    const bottom = Math.min(height, Math.ceil(this.#top + this.#frame.clientHeight / this.#scale));
    const part = {x, y, width: Math.max(1, right - x), height: Math.max(1, bottom - y)};
    const pixels = Math.max(1, Math.min(part.width, Math.round(part.width * this.#scale * devicePixelRatio)));
    return {part, pixels};
  }

  /** `which` is "before" or "after"; `part` is where the pixels lie in the picture. */
  show(which, rgba, width, height, part) {
    const pixels = new OffscreenCanvas(width, height);
    pixels.getContext('2d').putImageData(new ImageData(rgba, width, height), 0, 0);
    this.#shown[which] = {pixels, part};
    this.#draw(which);
  }

  /** So much of the frame, from the left, shows the original. */
  compare(share) {
    const percent = 100 * share;
    this.#canvases.before.style.clipPath = `inset(0 ${100 - percent}% 0 0)`;
    this.#cut.style.left = `calc(${percent}% - 1px)`;
    this.#cut.hidden = share === 0 || share === 1;
  }

  #allowed(scale) { return Math.min(mostZoom, Math.max(this.#fitting() / 2, scale)); }

  #fitting() {
    return Math.min(this.#frame.clientWidth / this.#size.width, this.#frame.clientHeight / this.#size.height);
  }

  #limit() {
    if (!this.#size || !this.#frame.clientWidth || !this.#frame.clientHeight) return;  // of nothing nothing is to be seen
    if (this.#fits) this.#scale = Math.min(mostZoom, this.#fitting());
    const place = (begin, extent, seen) => seen >= extent ? (extent - seen) / 2 : Math.min(Math.max(begin, 0), extent - seen);
    this.#left = place(this.#left, this.#size.width, this.#frame.clientWidth / this.#scale);
    this.#top = place(this.#top, this.#size.height, this.#frame.clientHeight / this.#scale);
    for (const which of ['before', 'after']) this.#draw(which);
    this.#moved();
  }

  #resize() {
    for (const canvas of Object.values(this.#canvases)) {
      canvas.width = Math.round(this.#frame.clientWidth * devicePixelRatio);
      canvas.height = Math.round(this.#frame.clientHeight * devicePixelRatio);
    }
    this.#limit();
  }

  #draw(which) {
    const canvas = this.#canvases[which], shown = this.#shown[which];
    const context = canvas.getContext('2d');
    context.clearRect(0, 0, canvas.width, canvas.height);
    if (!shown) return;
    const scale = this.#scale * devicePixelRatio;
    context.imageSmoothingEnabled = shown.pixels.width < shown.part.width || scale < 1;
    context.drawImage(shown.pixels, (shown.part.x - this.#left) * scale, (shown.part.y - this.#top) * scale,
                      shown.part.width * scale, shown.part.height * scale);
  }

  #placeOf(event) {
    const box = this.#frame.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  #pixelAt(x, y) {
    const px = Math.floor(this.#left + x / this.#scale), py = Math.floor(this.#top + y / this.#scale);
    return this.has(px, py) ? [px, py] : null;
  }

  #dragging(picked) {
    const fingers = new Map();
    let spread = 0;
    const distance = () => {
      const [a, b] = [...fingers.values()];
      return Math.hypot(a[0] - b[0], a[1] - b[1]);
    };
    this.#frame.addEventListener('pointerdown', event => {
      if (!this.#size) return;
      fingers.set(event.pointerId, this.#placeOf(event));
      this.#frame.setPointerCapture(event.pointerId);
      if (fingers.size === 2) spread = distance();
      const pixel = this.inspecting && this.#pixelAt(...this.#placeOf(event));
      if (pixel) picked(...pixel);
    });
    this.#frame.addEventListener('pointermove', event => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const now = this.#placeOf(event);
      fingers.set(event.pointerId, now);
      if (fingers.size === 2) {
        const wider = distance();
        if (spread > 0) this.zoomBy(wider / spread, ...now);
        spread = wider;
      } else if (!this.inspecting) {
        this.panBy(before[0] - now[0], before[1] - now[1]);
      }
    });
    for (const end of ['pointerup', 'pointercancel'])
      this.#frame.addEventListener(end, event => fingers.delete(event.pointerId));
  }

  /** Screen pixels to the right and down. */
  panBy(x, y) {
    if (!this.#size) return;
    this.#fits = false;
    this.#left += x / this.#scale;
    this.#top += y / this.#scale;
    this.#limit();
  }

  #key(event, picked) {
    if (!this.#size || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = 60;
    const acts = {
      ArrowLeft: () => this.panBy(-step, 0), ArrowRight: () => this.panBy(step, 0),
      ArrowUp: () => this.panBy(0, -step), ArrowDown: () => this.panBy(0, step),
      '+': () => this.zoomBy(zoomStep), '=': () => this.zoomBy(zoomStep), '-': () => this.zoomBy(1 / zoomStep),
      0: () => this.fit(), 1: () => this.pixelForPixel(),
      i: () => {
        const pixel = this.#pixelAt(this.#frame.clientWidth / 2, this.#frame.clientHeight / 2);
        if (pixel) picked(...pixel);
      },
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
}

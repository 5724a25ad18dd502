// block.js: a block drawn as it works: what it reads, the tile in shared memory, its threads and outputs; volumes as planes side by side.
import {contains, ladder, places, sizeText} from './rungs.js';

const largest = 30, smallest = 4;  // pixels of an element
const titleHeight = 22, gap = 18, planeGap = 8;
const leastNumbered = 19;  // from this size on an element says how often it was read
const key = ({z, y, x}) => `${z} ${y} ${x}`;

function tally(into, all) {
  for (const place of all ?? []) into.set(key(place), (into.get(key(place)) ?? 0) + 1);
}

/** What is to be drawn after these steps: panels of elements, each with a title, a box, and how an element looks. */
function panelsOf(block, steps, now, narrow) {
  const {dims, seen, own} = block, rung = ladder[dims][block.rung], around = dims < 3 ? 2 : 0;
  const done = steps.slice(0, now + 1), step = steps[now] ?? {};
  // Of a signal all panels stand one below the other, an element below itself.
  const offset = (name, area) => dims === 1 && name !== 'image' ? area.origin[2] + around : 0;
  const panel = (name, long, short, area, more) => ({name, title: narrow ? short : long, area, alone: dims === 1, offset: offset(name, area), ...more});
  const image = new Map(), between = new Map(), written = new Set(), made = new Set();
  for (const each of done) {
    tally(each.from === 'between' ? between : image, each.global);
    tally(image, each.again);
    for (const place of each.sums ?? []) made.add(key(place));
    for (const place of each.outputs ?? []) written.add(key(place));
  }
  const keysOf = (...lists) => new Set(lists.flatMap(list => list ?? []).map(key));
  const readsImage = step.from !== 'between';
  const panels = [panel('image', `${['', 'signal', 'image', 'volume'][dims]}: the block sees ${sizeText(seen, dims)} elements`,
    `sees ${sizeText(seen, dims)}`, seen, {counts: image, most: block.mask ** dims, now: readsImage ? keysOf(step.global, step.again) : new Set(), beyond: around, inner: own})];

  const tiles = rung.tiles?.(block);
  if (tiles) {
    const since = done.findLastIndex(each => each.tile), name = done[since]?.tile ?? Object.keys(tiles)[0], area = tiles[name];
    const first = done.findIndex(each => each.tile === name), reads = new Map(), loaded = new Set();
    for (const each of first < 0 ? [] : done.slice(first)) {
      for (const place of each.tile === name ? [...(each.global ?? []), ...(each.again ?? [])] : []) loaded.add(key(place));
      if (name.startsWith('turned') && each.tile === name) for (const place of places(area)) loaded.add(key(place));
      tally(reads, each.shared);
    }
    panels.push(panel('tile', `shared memory: a tile of ${sizeText(area, dims)}`, `tile ${sizeText(area, dims)}`, area, {
      counts: reads, loaded, most: block.mask ** dims, inner: own, dashed: area !== own,
      now: keysOf(step.shared, step.tile && !step.shared ? (step.global ?? []).filter(place => contains(area, place)) : [])}));
  }
  if (rung.between) {
    const turned = rung.between === 'turned';
    panels.push(panel('between', `between the passes${turned ? ', turned' : ''}: ${sizeText(seen, dims)} are seen`, `between${turned ? ', turned' : ''}`, seen, {
      counts: between, made, most: 2, now: readsImage ? keysOf(step.sums) : keysOf(step.global), inner: own}));
  }
  if (block.threads) {
    panels.push(panel('threads', `${sizeText(block.threads, 2)} threads, several outputs each`, `${sizeText(block.threads, 2)} threads`, block.threads,
      {counts: new Map(), now: keysOf(step.threads)}));
  }
  const each = block.rung === 'library' ? 'outputs' : block.threads ? 'outputs' : 'threads, an output each';
  const active = block.threads ? step.outputs : step.threads ?? step.outputs;
  panels.push(panel('outputs', `${sizeText(own, dims)} ${each}`, `${sizeText(own, dims)} outputs`, own, {counts: new Map(), written, now: keysOf(active)}));
  return panels;
}

/** Where the panels lie, with the largest elements that fit. */
function laid(panels, width, most, measure) {
  for (let size = largest; size >= smallest; --size) {
    let left = 0, top = 0, row = 0, fits = true;
    for (const panel of panels) {
      const [depth, height, across] = panel.area.extents, beyond = panel.beyond ?? 0;
      panel.columns = across + 2 * beyond;
      panel.rows = height + (height > 1 ? 2 * beyond : 0);
      const fit = Math.max(1, Math.floor((width + planeGap) / (panel.columns * size + planeGap)));
      panel.abreast = Math.ceil(depth / Math.ceil(depth / fit));
      const planes = panel.abreast * (panel.columns * size + planeGap) - planeGap;
      panel.width = Math.max(panel.offset * size + planes, Math.ceil(measure(panel.title)));
      panel.height = titleHeight + Math.ceil(depth / panel.abreast) * (panel.rows * size + planeGap);
      fits &&= panel.offset * size + planes <= width;
      if (left > 0 && (panel.alone || left + panel.width > width)) [left, top, row] = [0, top + row + 4, 0];
      [panel.left, panel.top] = [left, top];
      left += panel.width + gap;
      row = Math.max(row, panel.height);
    }
    if ((fits && top + row <= most) || size === smallest) return {size, height: top + row};
  }
  return null;
}

export function drawBlock(canvas, block, steps, now) {
  const context = canvas.getContext('2d'), ratio = devicePixelRatio, padding = 8, width = (canvas.clientWidth || 720) - 2 * padding;
  const narrow = width < 500, font = '13px system-ui, sans-serif';
  context.font = font;
  const panels = panelsOf(block, steps, now, narrow);
  const {size, height} = laid(panels, width, narrow ? 620 : 560, title => context.measureText(title).width);
  canvas.style.height = `${height + 2 * padding}px`;
  canvas.width = (width + 2 * padding) * ratio;
  canvas.height = (height + 2 * padding) * ratio;
  context.scale(ratio, ratio);
  context.translate(padding, padding);
  const ink = name => { canvas.style.color = `var(--${name})`; return getComputedStyle(canvas).color; };
  const inks = Object.fromEntries(['idle', 'loaded', 'reading', 'halo-rim', 'output', 'soft', 'text', 'on-reading'].map(name => [name, ink(name)]));
  canvas.style.color = '';
  context.textBaseline = 'middle';
  for (const panel of panels) {
    context.fillStyle = inks.soft;
    context.font = font;
    context.textAlign = 'left';
    context.fillText(panel.title, panel.left, panel.top + titleHeight / 2 - 3);
    drawPanel(context, panel, size, inks);
  }
  canvas.dataset.panels = panels.map(panel => panel.name).join(' ');
  canvas.dataset.size = size;
}

function drawPanel(context, panel, size, inks) {
  const {area, beyond = 0} = panel, [depth, height, width] = area.extents, [z0, y0, x0] = area.origin;
  const down = height > 1 ? beyond : 0;
  context.font = `${Math.min(12, Math.floor(size * 0.55))}px system-ui, sans-serif`;
  context.textAlign = 'center';
  for (let plane = 0; plane < depth; ++plane) {
    const left = panel.left + panel.offset * size + (plane % panel.abreast) * (panel.columns * size + planeGap);
    const top = panel.top + titleHeight + Math.floor(plane / panel.abreast) * (panel.rows * size + planeGap);
    for (let y = -down; y < height + down; ++y) for (let x = -beyond; x < width + beyond; ++x) {
      const place = {z: z0 + plane, y: y0 + y, x: x0 + x}, name = key(place), count = contains(area, place) ? panel.counts.get(name) ?? 0 : 0;
      const fill = (ink, alpha = 1) => {
        context.globalAlpha = alpha;
        context.fillStyle = inks[ink];
        context.fillRect(left + (x + beyond) * size, top + (y + down) * size, size - 1, size - 1);
        context.globalAlpha = 1;
      };
      fill('idle');
      if (panel.written?.has(name) || panel.made?.has(name)) fill('output');
      if (panel.loaded?.has(name)) fill('loaded', 0.3);
      if (count > 0) fill('loaded', Math.min(1, 0.35 + 0.65 * count / panel.most));
      if (panel.now.has(name)) fill('reading');
      if (count > 0 && size >= leastNumbered) {
        context.fillStyle = inks[panel.now.has(name) ? 'on-reading' : 'text'];
        context.fillText(count, left + (x + beyond) * size + size / 2 - 0.5, top + (y + down) * size + size / 2);
      }
    }
    if (!panel.inner) continue;
    context.lineWidth = 2;
    context.strokeStyle = inks['halo-rim'];
    context.strokeRect(left + beyond * size - 1, top + down * size - 1, width * size + 1, height * size + 1);
    const {origin, extents} = panel.inner;
    if (panel.dashed === false || z0 + plane < origin[0] || z0 + plane >= origin[0] + extents[0]) continue;
    context.setLineDash([4, 3]);
    context.strokeRect(left + (beyond + origin[2] - x0) * size - 1, top + (down + origin[1] - y0) * size - 1, extents[2] * size + 1, extents[1] * size + 1);
    context.setLineDash([]);
  }
}

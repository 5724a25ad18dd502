// main.js: the page: what the user does becomes requests, and answers become what is to be seen.
import {Address, longestKept, numbersIn, put, valueOf} from './address.js';
import {ask, askJson, client, Newest, putPicture} from './api.js';
import {Busy} from './busy.js';
import {ChainEditor, short} from './chain.js';
import {showHistogram, showInspected, showMethods, showResponses, showWeightFacts, showWeights} from './facts.js';
import {PictureView} from './picture.js';

const at = id => document.getElementById(id);
const busy = new Busy(at('busy'), [at('frame')]);
const busyFacts = new Busy(at('busy-facts'), ['weights-panel', 'histogram-panel', 'methods-panel', 'lines'].map(at));
const newest = {
  after: new Newest(promise => busy.during('Filtering…', promise)),
  before: new Newest(promise => busy.during('Drawing the original…', promise)),
  inspect: new Newest(promise => busy.during('Inspecting…', promise)),
  facts: new Newest(promise => busyFacts.during('Working these out…', promise), 1000),
};
const factsAfter = 150;  // ms of rest
let picture = null;
let factsTimer = 0;
let inspected = null;
let original = {};  // the histogram of picture `number`
const channelNames = {rgb: ['red', 'green', 'blue', 'alpha'], gray: ['gray', 'alpha'], cmyk: ['cyan', 'magenta', 'yellow', 'black', 'alpha']};
const frames = [];  // when the last were shown
const shownAgain = new Set(['preview', 'original', 'facts', 'inspect']);  // once there is another picture
const troubles = new Map();  // what did not work -> why, and what was asked then

const library = await busy.during('Loading…', askJson('/filters')).catch(error => {
  troubles.set('page', error);
  showTrouble();
  throw error;
});
const chain = new ChainEditor(at('chain'), at('add'), at('add-filter'), library.filters, changed);
const usualChain = 'gaussian';
const usual = {border: 'reflect101', 'border-value': '0', view: '', accuracy: 'exact', linear: '', gray: '', device: library.device, compare: '0'};
const address = new Address(at('lesson'), '/lesson');
const view = new PictureView(at('frame'), at('before'), at('after'), at('cut'), moved, inspect);

/** The newest of what did not work. */
function showTrouble() {
  at('trouble').textContent = [...troubles.values()].at(-1)?.message ?? '';
  at('trouble').hidden = troubles.size === 0;
}

/** What did not work with another chain, option or picture is over. */
function forgetTroubles() {
  const now = JSON.stringify(asked());
  for (const [of, {about}] of troubles) if (about !== now) troubles.delete(of);
  showTrouble();
}

/** What has worked, or with an error not. */
function trouble(of, error) {
  const isOther = error?.status === 410;  // another page has opened another picture
  if (isOther) readPicture();
  troubles.delete(of);
  if (!error) return forgetTroubles();
  if (!(isOther && shownAgain.has(of))) troubles.set(of, {message: error.message, about: JSON.stringify(asked())});
  showTrouble();
}

const readPicture = () => busy.during('Loading the picture…', askJson('/image')).then(answer => {
  if (!picture || answer.picture?.number !== picture.number) take(answer);
  else setTimeout(changed, factsAfter);  // the other one is still being read
  trouble('picture');
}, error => trouble('picture', error));

/** The options of `halation apply` that the page has. */
function options() {
  return {
    border: at('border').value === usual.border ? '' : at('border').value,
    'border-value': at('border').value === 'constant' ? at('border-value').value : '',
    view: at('view').value,
    accuracy: at('accuracy').value === usual.accuracy ? '' : at('accuracy').value,
    linear: at('linear').checked ? '1' : '',
    gray: at('gray').checked ? '1' : '',
    device: at('device').value,
    picture: picture?.number,
  };
}

const asked = () => ({chain: chain.text(), ...options()});
/** Without what the program would choose for itself. */
const askedElsewhere = () => ({...asked(), device: at('device').value === library.device && !library.device_asked_for ? '' : at('device').value});

async function pixels(words, signal) {
  const {part, pixels: w} = view.look();
  const response = await ask('/preview', {...words, w, crop: [part.x, part.y, part.width, part.height].join(), format: 'raw', client}, {signal});
  const of = name => response.headers.get(`X-Halation-${name}`);
  return {rgba: new Uint8ClampedArray(await response.arrayBuffer()), width: Number(of('Width')), height: Number(of('Height')), part,
          device: of('Device'), milliseconds: Number(of('Milliseconds')), way: of('Way')};
}

function showResult() {
  const {number} = picture;
  newest.after.start(async signal => ({of: chain.text(), ...await pixels(asked(), signal)}), (result, all) => {
    if (number !== picture.number) return;
    trouble('preview');
    view.show('after', result.rgba, result.width, result.height, result.part);
    const now = performance.now();
    frames.push(now);
    while (frames.length > 20 || frames[0] < now - 2000) frames.shift();
    const rate = frames.length > 2 ? `, ${(1000 * (frames.length - 1) / (now - frames[0])).toFixed(0)} FPS` : '';
    const work = result.way === 'kept' ? 'kept' : `filtered in ${result.milliseconds.toFixed(1)} ms${{strips: ', strip by strip', part: ', what is seen of it'}[result.way] ?? ''}`;
    at('status').textContent = `${result.device}: ${work}; shown in ${all.toFixed(0)} ms${rate}`;
    document.body.dataset.shown = result.of;
  }, error => trouble('preview', error));
}

function showOriginal() {
  const {number} = picture;
  newest.before.start(signal => pixels({of: 'original', picture: number}, signal), result => {
    if (number !== picture.number) return;
    trouble('original');
    view.show('before', result.rgba, result.width, result.height, result.part);
  }, error => trouble('original', error));
}

const stageShown = () => Math.min(Number(at('stage-choice').value) || 0, Math.max(0, chain.stages.length - 1));

function showStages(stage = stageShown()) {
  at('stage-choice').replaceChildren(...chain.stages.map((each, index) => new Option(`${index + 1} ${each.name}`, index)));
  if (chain.stages.length) at('stage-choice').value = stage;
}

/** What is shown, and how, goes into the address. */
function keep() {
  const text = chain.stages.length ? chain.text() : '', fits = text.length <= longestKept;
  if (!fits && !troubles.has('address')) trouble('address', new Error(`this chain is too long for the page's address: after a reload it is ${usualChain}`));
  address.keep({
    chain: fits ? text : undefined,
    ...Object.fromEntries(Object.keys(usual).map(id => [id, valueOf(at(id)) === usual[id] ? undefined : valueOf(at(id))])),
    stage: stageShown() || undefined,
    picture: picture?.name ?? address.words.picture,
    see: view.place?.map(short).join(),
    inspect: inspected?.join(),
  });
}

/** The chain and the options are those of these words; gives sentences on what cannot be, and is as usual. */
function takeOptions(words) {
  const problems = [];
  try {
    chain.setText(words.chain ?? usualChain);
  } catch (error) {
    chain.setText(usualChain);
    problems.push(`the chain in the page's address cannot be read, so this is ${usualChain}: ${error.message}`);
  }
  for (const [id, value] of Object.entries(usual)) {
    if (put(at(id), words[id] ?? value)) continue;
    put(at(id), value);
    problems.push(`the page's address has ${id}=${words[id]}, which is none here`);
  }
  view.compare(at('compare').value / 100);
  showStages(Math.min(Number(words.stage) || 0, chain.stages.length - 1));
  return problems;
}

/** What of the picture is seen and inspected is as in these words, unless they are of another picture; gives sentences on what is not. */
function takePlace(words) {
  if (words.picture && !picture) return [`the page's address is of ${words.picture}, which is not open: open it to see it`];
  if (words.picture && picture.name !== words.picture) return [`the page's address is of ${words.picture}; open is ${picture.name}`];
  const place = numbersIn(words.see, 3), pixel = numbersIn(words.inspect, 2);
  if (picture && place) view.goTo(...place);
  if (picture && pixel && view.has(...pixel)) inspect(...pixel);
  return [];
}

function tellOf(problems) {
  if (problems.length) trouble('address', new Error(problems.join('; ')));
}

/** The chain or an option is another. */
function changed() {
  at('border-value-row').hidden = at('border').value !== 'constant';
  showStages();
  keep();
  if (!picture) {
    if (troubles.has('picture')) readPicture();
    return forgetTroubles();
  }
  showResult();
  if (troubles.has('original')) showOriginal();
  clearTimeout(factsTimer);
  factsTimer = setTimeout(showFacts, factsAfter);
}

/** Another part is to be seen. */
function moved() {
  at('zoom').textContent = view.size ? `${(100 * view.scale * devicePixelRatio).toPrecision(3)}%` : '';
  if (!picture) return;
  keep();
  showResult();
  showOriginal();
}

/** The original's histogram, counted once a picture. */
function originalHistogram() {
  const {number} = picture;
  if (original.number !== number) {
    original = {number, answer: askJson('/histogram', {of: 'original', picture: number})};
    original.answer.catch(() => { if (original.number === number) original = {}; });
  }
  return original.answer;
}

/** Each panel shows its own answer; one that has none is marked as out of date. */
function showFacts() {
  clearTimeout(factsTimer);
  if (!picture) return;
  const stage = stageShown(), shown = chain.stages[stage];
  newest.facts.start(signal => {
    const words = {...asked(), client}, of = words.chain;
    const get = (path, more) => askJson(path, {...words, ...more}, {signal});
    return Promise.allSettled([askJson('/code', askedElsewhere(), {signal}), get('/weights', {stage}), get('/explain'), Promise.all([get('/histogram'), originalHistogram()])])
      .then(answers => ({of, answers}));
  }, ({of, answers}) => {
    const panels = [['lines', showCode],
      ['weights-panel', answer => {
        showWeights(at('weights'), answer, rows => chain.setWeights(chain.stages.indexOf(shown), rows));
        showWeightFacts(at('weight-facts'), answer);
        showResponses(at('responses'), at('response-words'), answer);
      }],
      ['methods-panel', answer => showMethods(at('methods'), at('explanation'), answer)],
      ['histogram-panel', ([answer, before]) => showHistogram(at('histogram'), at('histogram-words'), answer, before, picture.colour)]];
    for (const [place, [panel, show]] of panels.entries()) {
      const {status, value} = answers[place];
      at(panel).classList.toggle('stale', status === 'rejected');
      if (status === 'fulfilled') show(value);
    }
    trouble('facts', answers.find(({status, reason}) => status === 'rejected' && reason.status !== 409)?.reason);
    if (inspected) inspect(...inspected);
    document.body.dataset.facts = of;
  }, error => trouble('facts', error));
}

function showCode(answer) {
  at('line-command').textContent = answer.command;
  at('line-python').textContent = answer.python;
  at('line-cpp').textContent = answer.cpp;
  if (!at('save-as').dataset.edited) at('save-as').value = answer.save_as;
}

/** The methods' times as they are on this machine now; each runs a few times. */
async function measure() {
  at('measure').disabled = true;
  at('measure').textContent = 'Measuring…';
  const words = asked();
  try {
    const answer = await askJson('/explain', {...words, tune: 'measure'});
    if (JSON.stringify(words) === JSON.stringify(asked())) showMethods(at('methods'), at('explanation'), answer);
    trouble('measure');
  } catch (error) {
    trouble('measure', error);
  }
  at('measure').disabled = false;
  at('measure').textContent = 'Measure';
}

function inspect(x, y) {
  inspected = [x, y];
  keep();
  const stage = stageShown();
  const before = stage > 0 ? chain.text(stage) : '';
  const words = {...options(), chain: chain.stages.length ? chain.textOf(chain.stages[stage]) : 'identity', before, x, y, client};
  at('inspector').hidden = false;
  newest.inspect.start(signal => askJson('/inspect', words, {signal}),
    answer => showInspected(at('inspector'), answer, channelNames[at('gray').checked && picture.colour === 'rgb' ? 'gray' : picture.colour] ?? []),
    error => {
      trouble('inspect', error.status === 410 ? error : null);
      at('inspector').replaceChildren(error.message);
    });
}

/** Which picture it is, in the page's head. */
function name() {
  const deep = picture?.depth > 1 ? ` × ${picture.depth}` : '';
  if (!picture) at('picture-name').textContent = 'no picture yet';
  else at('picture-name').textContent = `${picture.name}: ${picture.width} × ${picture.height}${deep}, ${picture.channels > 1 ? `${picture.channels} channels of ` : ''}${picture.pixel}${picture.pages > 1 ? `, the first of ${picture.pages} pages` : ''}`;
}

function take(answer) {
  picture = answer.picture;
  if (!picture) return;
  name();
  at('drop').hidden = true;
  inspected = null;
  at('inspector').hidden = true;
  delete at('save-as').dataset.edited;
  view.open(picture.width, picture.height);
  changed();
}

async function open(file) {
  if (!file) return;
  const name = file.name || 'pasted.png';
  try {
    take(await busy.during(`Reading ${name}…`, putPicture(name, file)));
    trouble('open');
  } catch (error) {
    trouble('open', error);
  }
}

async function save() {
  const name = at('save-as').value;
  at('save').disabled = true;
  try {
    const file = await busy.during(`Saving ${name}…`, ask('/save', {...askedElsewhere(), as: name}).then(response => response.blob()));
    const link = Object.assign(document.createElement('a'), {href: URL.createObjectURL(file), download: name});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    trouble('save');
  } catch (error) {
    trouble('save', error);
  }
  at('save').disabled = false;
}

for (const name of library.borders) at('border').append(new Option(name));
for (const [label, value] of [['values', ''], ...library.views.map(name => [name, name])]) at('view').append(new Option(label, value));
for (const device of library.devices) at('device').append(Object.assign(new Option(device.name), {title: device.description}));

for (const id of ['border', 'border-value', 'view', 'accuracy', 'linear', 'gray', 'device']) at(id).addEventListener('input', changed);
at('stage-choice').addEventListener('input', () => {
  keep();
  showFacts();
});
at('compare').addEventListener('input', () => {
  view.compare(at('compare').value / 100);
  keep();
});
at('fit').addEventListener('click', () => view.fit());
at('one').addEventListener('click', () => view.pixelForPixel());
at('in').addEventListener('click', () => view.zoomBy(1.25));
at('out').addEventListener('click', () => view.zoomBy(0.8));
at('inspect').addEventListener('click', () => {
  view.inspecting = !view.inspecting;
  at('inspect').setAttribute('aria-pressed', view.inspecting);
  at('frame').classList.toggle('inspecting', view.inspecting);
});
async function openPicked() {
  const [file] = at('open').files;
  at('open').value = '';  // so that the same file can be opened again
  await open(file);
}
at('open').addEventListener('change', openPicked);
at('save').addEventListener('click', save);
at('measure').addEventListener('click', measure);
at('save-as').addEventListener('input', () => {
  at('save-as').dataset.edited = '1';
  trouble('save');
});
for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(at(button.dataset.copy).textContent);
    } catch {
      trouble('copy', new Error('the browser does not let this page copy; mark the line and copy it yourself'));
      return;
    }
    trouble('copy');
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
}
document.addEventListener('dragover', event => event.preventDefault());
document.addEventListener('drop', event => {
  event.preventDefault();
  open(event.dataTransfer.files[0]);
});
document.addEventListener('paste', event => {
  const file = [...event.clipboardData.files][0];
  if (file && !event.target.closest?.('input, textarea')) open(file);
});

const {words} = address, problems = takeOptions(words);
changed();
if (at('open').files.length) {  // a file picked before this page listened
  await openPicked();
  tellOf(problems);
} else {
  await readPicture();
  tellOf([...problems, ...takePlace(words)]);
}

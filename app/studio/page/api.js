// api.js: requests to the program that serves this page.

const token = new URLSearchParams(location.search).get('token') ?? '';
/** Of this page: its newer requests end its older ones. */
export const client = crypto.getRandomValues(new Uint32Array(2)).join('-');
const longestQuery = 6000;  // characters; longer ones go in a body

export class Refused extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

let turn = 0;  // of the latest request: one can overtake another on its way

/** The answer to GET (POST where the words are many) as a Response; throws Refused with the program's sentence. */
export async function ask(path, words = {}, options = {}) {
  const given = Object.entries(words.client ? {...words, turn: ++turn} : words).filter(([, value]) => value !== '' && value !== undefined && value !== null);
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  const headers = {'X-Halation-Token': token};
  const response = query.length <= longestQuery
    ? await reached(query ? `${path}?${query}` : path, {headers, ...options})
    : await reached(path, {method: 'POST', headers, ...options, body: JSON.stringify(Object.fromEntries(given.map(([name, value]) => [name, String(value)])))});
  return checked(response);
}

export async function askJson(path, words, options) {
  return (await ask(path, words, options)).json();
}

export async function putPicture(name, blob) {
  const response = await reached(`/image?${new URLSearchParams({name})}`, {method: 'PUT', headers: {'X-Halation-Token': token}, body: blob},
                                 'the program did not take it; is halation studio still running, and is there room for a file of this size?');
  return (await checked(response)).json();
}

/** fetch, with a sentence where nobody answers. */
async function reached(address, request, unanswered = 'the program does not answer; is halation studio still running?') {
  try {
    return await fetch(address, request);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Refused(0, unanswered);
  }
}

async function checked(response) {
  if (response.ok) return response;
  let sentence = `the program answered ${response.status}`;
  try {
    sentence = (await response.json()).error;
  } catch { /* no sentence came */ }
  throw new Refused(response.status, sentence);
}

/** Answers of one kind: the newest alone is handed on; older ones are let end while they are quick, and given up when they are not. */
export class Newest {
  #during;
  #patience;
  #begun = 0;
  #running = null;
  #next = null;

  /** `during(promise)` is called with each that begins. */
  constructor(during = promise => promise, patience = 120) {
    this.#during = during;
    this.#patience = patience;
  }

  /** `work(signal)` gives a promise; `done(result, milliseconds)` and `failed(error)` are called for the newest. */
  start(work, done, failed) {
    if (this.#running) {
      const running = this.#running;
      this.#next = [work, done, failed];
      setTimeout(() => running.abort(), this.#patience - (performance.now() - this.#begun));
      return;
    }
    const control = new AbortController();
    this.#running = control;
    this.#begun = performance.now();
    const over = () => {
      this.#running = null;
      const next = this.#next;
      this.#next = null;
      if (next) this.start(...next);
    };
    this.#during((async () => work(control.signal))()
      .then(result => { if (!control.signal.aborted) done(result, performance.now() - this.#begun); })
      .catch(error => { if (!control.signal.aborted && error.status !== 409) failed(error); })
      .finally(over));
  }
}

// SPDX-License-Identifier: MIT
// sharing_connection.js: sends requests about a history that `pqt studio` shares, and receives the stream
// of its changes. The stream is read from a request, because an EventSource sends no token.

import { request } from './requests.js';

/**
 * An entry: its number, the number of its parent, its label, name and time, and the author.
 * @typedef {[number, number, string, string | null, number, string]} Row
 *
 * A history as the server reports it: completely, or as the changes since the state `before`.
 * @typedef {object} Report
 * @property {'store' | 'line'} kind
 * @property {'documents' | 'trees'} holds  the kind of its versions
 * @property {string | null} readOnly  the reason why no page can change the history
 * @property {number} page  the page that made the change; 0: another program
 * @property {string | null} what  the label of a push, or the name of another change
 * @property {string | null} before
 * @property {string} state
 * @property {number} current
 * @property {number | null} saved
 * @property {string | null} redo  the label of the entry to which redo leads
 * @property {Row[]} entries
 *
 * An event: a report, the current state, a note that events were missed, or an error of the server.
 * @typedef {Partial<Report> & { missed?: boolean, problem?: string | null }} Heard
 */

/** The pause before a stream that ended is opened again, and before one that could not be opened, in milliseconds. */
const PAUSE = 500, PAUSE_OF_REFUSED = 2000;
/** Browsers allow six connections to a server. Each stream keeps one, and requests need one. */
const MOST_STREAMS = 5;
const LOCK = 'pqt-studio stream';

/** Splits a state into its session and its number. @returns {[string, number]} */
function partsOfState(/** @type {string} */ state) {
  const dash = state.lastIndexOf('-');
  return [state.slice(0, dash), Number(state.slice(dash + 1))];
}

/** Returns whether a state belongs to the same session as another one and is not later. */
export function isReached(/** @type {string} */ state, /** @type {string} */ present) {
  const [session, number] = partsOfState(state), [presentSession, presentNumber] = partsOfState(present);
  return session === presentSession && number <= presentNumber;
}

/** A failed request: the server refused it, or there is no connection. */
export class RequestError extends Error {
  constructor(/** @type {string} */ message, /** @type {number} */ status) {
    super(message);
    this.status = status;
  }
}

/** Throws if the browser has as many streams of this server as it allows, because requests would then never be answered. */
export async function checkStreams() {
  const held = (await navigator.locks?.query())?.held ?? [];
  if (held.filter(({ name }) => name?.startsWith(LOCK)).length >= MOST_STREAMS)
    throw new Error(`${MOST_STREAMS} pages with stores or lines are open in this browser, which allows no more. Close one of them, and reload this page.`);
}

/** Reads a stream of server-sent events, and calls a function with the data of each. */
async function readEvents(/** @type {ReadableStream<Uint8Array>} */ body, /** @type {(data: string) => void} */ take) {
  const decoder = new TextDecoder(), reader = body.getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (text + decoder.decode(value, { stream: true })).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events)
      for (const line of event.split('\n')) if (line.startsWith('data: ')) take(line.slice('data: '.length)); // others are comments
  }
}

/** Sends requests, and keeps a stream of events open. */
export class Connection {
  #folder;
  #stream = new AbortController();

  /**
   * @param {string} name  the name of the store or the line
   * @param {(heard: Heard) => void} hear  called for each event
   * @param {(isOpen: boolean) => void} turned  called when the stream opens or breaks
   */
  constructor(name, hear, turned) {
    this.#folder = `shared/${encodeURIComponent(name)}/`;
    this.hear = hear;
    this.turned = turned;
  }

  async #ask(/** @type {string} */ path, /** @type {RequestInit} */ options = {}) {
    let response;
    try {
      response = await request(this.#folder + path, options);
    } catch {
      throw new RequestError('there is no connection to the server', 0);
    }
    if (!response.ok) throw new RequestError((await response.text()).trim(), response.status);
    return response;
  }

  /** @returns {Promise<Report>} */
  async report() {
    return (await this.#ask('state')).json();
  }

  /** Returns the bytes of a version. */
  async version(/** @type {number} */ number) {
    return new Uint8Array(await (await this.#ask(`version?number=${number}`)).arrayBuffer());
  }

  /**
   * Asks the server to make a change.
   * @param {Record<string, string | number>} query
   * @param {Uint8Array} [bytes]  the version of a push
   * @returns {Promise<Report>}
   */
  async change(query, bytes) {
    const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
    return (await this.#ask(`change?${new URLSearchParams(texts)}`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/octet-stream', 'X-Pqt-Studio': 'save' },
      body: /** @type {BodyInit} */ (bytes ?? ''),
    })).json();
  }

  /** Opens the stream, and opens it again whenever it ends. */
  listen() {
    const { signal } = this.#stream;
    const listen = async () => {
      for (;;) {
        const wasOpen = await this.#follow(signal);
        if (signal.aborted) return;
        this.turned(false);
        await new Promise((end) => { setTimeout(end, wasOpen ? PAUSE : PAUSE_OF_REFUSED); });
      }
    };
    if (navigator.locks === undefined) listen();
    else navigator.locks.request(`${LOCK} ${crypto.getRandomValues(new Uint32Array(1))[0]}`, listen);
  }

  /** Follows the stream to its end. Returns whether it could be opened. */
  async #follow(/** @type {AbortSignal} */ signal) {
    let isOpen = false;
    try {
      const { body } = await this.#ask('events', { signal });
      isOpen = true;
      this.turned(true);
      if (body !== null) await readEvents(body, (data) => this.hear(JSON.parse(data)));
    } catch {
      // the connection broke, or there is none
    }
    return isOpen;
  }

  close() {
    this.#stream.abort();
  }
}

// SPDX-License-Identifier: MIT
// sharing_connection.js: sends requests about a history that `pqt studio` shares, and receives the stream
// of its changes.

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

/** The pause before a stream that the server refused is opened again, in milliseconds. */
const PAUSE = 2000;

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

/** Sends requests, and keeps a stream of events open. */
export class Connection {
  #folder;
  /** @type {EventSource | null} */
  #stream = null;
  #isClosed = false;

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
      response = await fetch(this.#folder + path, options);
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

  /** Opens the stream. */
  listen() {
    if (this.#isClosed) return;
    const stream = new EventSource(`${this.#folder}events`);
    this.#stream = stream;
    stream.addEventListener('open', () => this.turned(true));
    stream.addEventListener('message', ({ data }) => this.hear(JSON.parse(data)));
    stream.addEventListener('error', () => {
      this.turned(false);
      if (stream.readyState === EventSource.CLOSED) setTimeout(() => this.listen(), PAUSE); // the server refused the stream; in other cases, the browser opens it again
    });
  }

  close() {
    this.#isClosed = true;
    this.#stream?.close();
  }
}

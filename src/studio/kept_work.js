// SPDX-License-Identifier: MIT
// kept_work.js: keeps the work of a tab in the browser as a whole, and offers it when the tab is opened again. The editor, whose work
// may be large, keeps its versions one by one instead.

import { button, element } from './dom.js';

/**
 * @typedef {{ bytes: Uint8Array, state: object, versions: number, what: string }} Work  `what` names it in the offer
 */

/** The pause after a change before the work is written, in milliseconds. It is at least this multiple of the time for which the last write
    kept the page from drawing. */
const PAUSE = 500, PAUSES = 4;

/** The work of a tab. */
export class KeptWork {
  #id = `${Date.now().toString(36)}-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;
  /** The last writing. @type {Promise<unknown>} */
  #written = Promise.resolve();
  #pause = PAUSE;
  #hasChanged = false;
  #isWritten = false;

  /**
   * @param {import('./main.js').Studio} studio
   * @param {string} tab
   * @param {() => Work | null} take  returns the work; null if there is none, or if it cannot be kept
   * @param {(bytes: Uint8Array, state: any) => void | Promise<void>} put  makes the work again
   */
  constructor(studio, tab, take, put) {
    this.studio = studio;
    this.tab = tab;
    this.take = take;
    this.put = put;
  }

  /** Whether the work is in the browser, with its last change. */
  get isKept() {
    return this.#isWritten && !this.#hasChanged;
  }

  /** Notes that the work has changed. */
  note() {
    this.#hasChanged = true;
    this.#timer ??= setTimeout(() => this.flush(), this.#pause);
  }

  /** Writes the work, if it has changed. The requests are made before the function returns. */
  flush() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { keeper } = this.studio;
    if (typeof keeper === 'string' || !this.#hasChanged) return;
    const began = performance.now(), work = this.take();
    if (work === null) return;
    const { bytes, state, versions, what } = work;
    keeper.hold(this.#id).catch(() => {});
    this.#hasChanged = false;
    this.#isWritten = true;
    this.#written = keeper.write({ id: this.#id, tab: this.tab, name: what, contents: '', time: Date.now(), versions, state }, [], { history: bytes })
      .then(() => keeper.prune(this.tab), () => { this.#isWritten = false; });
    this.#pause = Math.max(PAUSE, PAUSES * (performance.now() - began));
  }

  /** Waits until the work is written. */
  async settled() {
    await this.#written;
  }

  /** Offers the newest work that no page has open, at the top of an element. */
  async offer(/** @type {HTMLElement} */ stage) {
    const { keeper } = this.studio;
    if (typeof keeper === 'string') return;
    const [work] = (await keeper.list(this.tab)).filter(({ id }) => id !== this.#id);
    if (work === undefined) return;
    const end = () => line.remove();
    const go = async (/** @type {() => Promise<void>} */ action) => {
      try {
        await action();
      } catch (reason) {
        this.studio.fail(reason);
      }
      end();
    };
    const line = element('p', { class: 'work', id: `${this.tab}-work`, role: 'status' }, element('span', {}, `${work.name} from before ${work.versions === 1 ? 'is' : 'are'} here.`),
      button('Continue', () => go(() => this.#continue(work.id)), { id: `${this.tab}-work-continue`, main: true }),
      button('Discard', () => go(() => keeper.remove(work.id).then(() => {})), { id: `${this.tab}-work-discard` }),
      button('Not now', end, { id: `${this.tab}-work-later`, title: 'It is offered again when the page is opened again' }));
    stage.prepend(line);
  }

  async #continue(/** @type {string} */ id) {
    const { keeper } = this.studio;
    if (typeof keeper === 'string') return;
    const stored = await keeper.take(id);
    keeper.release(this.#id);
    this.#id = id;
    await this.put(stored.history, stored.work.state);
    this.#isWritten = true;
    this.#hasChanged = false;
  }
}

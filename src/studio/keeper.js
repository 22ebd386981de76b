// SPDX-License-Identifier: MIT
// keeper.js: keeps work in the database of the browser (IndexedDB), so that it is there after a reload.
//
// A work is a description, its first versions as bytes, the bytes of its file, and a row for each later
// entry. So what an edit writes does not depend on the number of versions. A page holds a lock on the work
// that it writes, and no other page offers that work.

/**
 * @typedef {object} Work
 * @property {string} id
 * @property {string} [tab]  the tab that it belongs to; the editor if there is none
 * @property {string} name  the name of its file
 * @property {string} contents  the fingerprint of the contents that the file had when it was last read or written
 * @property {number} time  when the work was last changed, in milliseconds since 1970
 * @property {number} versions  the number of its versions
 * @property {any} state  all else that its tab needs
 *
 * @typedef {{ number: number, [member: string]: any }} Row  an entry, or a part of it
 * @typedef {{ history?: Uint8Array, file?: Uint8Array }} Base  the first versions, and the file
 * @typedef {{ work: Work, history: Uint8Array, file: Uint8Array | undefined, rows: Row[] }} Stored
 */

/** The maximum number of works of a tab that are kept. */
const MOST = 20;
const NAME = 'pqt-studio', VERSION = 1;

/** Returns the result of a request. @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
function resultOf(request) {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}

/** Returns the range of all keys that begin with the id of a work. */
function rangeOf(/** @type {string} */ id) {
  return IDBKeyRange.bound([id], [id, []]);
}

/** The works in the browser. */
export class Keeper {
  #database;
  /** Ends the locks of works by their ids. @type {Map<string, () => void>} */
  #held = new Map();

  constructor(/** @type {IDBDatabase} */ database) {
    this.#database = database;
  }

  /** Opens the database. Throws with the reason if the browser keeps nothing for this page. */
  static async open() {
    if (location.protocol === 'file:') throw new Error('it was opened from a file');
    if (globalThis.indexedDB === undefined || navigator.locks === undefined) throw new Error('its address is not secure (https or this machine)');
    const request = indexedDB.open(NAME, VERSION);
    request.addEventListener('upgradeneeded', () => {
      const { result } = request;
      result.createObjectStore('works', { keyPath: 'id' });
      result.createObjectStore('bases');
      result.createObjectStore('rows', { keyPath: ['work', 'number'] });
    });
    return new Keeper(await resultOf(request));
  }

  /** Makes the page the only one that writes a work. Returns whether it is. @returns {Promise<boolean>} */
  hold(/** @type {string} */ id) {
    if (this.#held.has(id)) return Promise.resolve(true);
    return new Promise((resolve, reject) => {
      navigator.locks.request(`${NAME} ${id}`, { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        return lock === null ? undefined : new Promise((end) => { this.#held.set(id, () => end(undefined)); });
      }).catch(reject);
    });
  }

  /** Lets other pages write a work. */
  release(/** @type {string} */ id) {
    this.#held.get(id)?.();
    this.#held.delete(id);
  }

  /** Returns the works of a tab that no other page writes, with the newest first. @returns {Promise<Work[]>} */
  async list(tab = 'editor') {
    /** @type {Work[]} */
    const works = await resultOf(this.#database.transaction('works').objectStore('works').getAll());
    const { held = [] } = await navigator.locks.query(), others = new Set(held.map(({ name }) => name));
    return works.filter(({ id, tab: own = 'editor' }) => own === tab && (this.#held.has(id) || !others.has(`${NAME} ${id}`))).sort((a, b) => b.time - a.time);
  }

  /** Returns a work with its versions; undefined if it was discarded. @returns {Promise<Stored | undefined>} */
  async read(/** @type {string} */ id) {
    const all = this.#database.transaction(['works', 'bases', 'rows']), bases = all.objectStore('bases');
    const [work, history, file, rows] = await Promise.all([resultOf(all.objectStore('works').get(id)), resultOf(bases.get([id, 'history'])),
      resultOf(bases.get([id, 'file'])), resultOf(all.objectStore('rows').getAll(rangeOf(id)))]);
    return work === undefined ? undefined : { work, history, file, rows };
  }

  /** Returns a work with its versions, which this page writes from now on. Throws if another page has it, or has discarded it. */
  async take(/** @type {string} */ id) {
    if (!await this.hold(id)) throw new Error('Another page has continued this work.');
    const stored = await this.read(id);
    if (stored !== undefined) return stored;
    this.release(id);
    throw new Error('Another page has discarded this work.');
  }

  /**
   * Writes a work: its description, rows that are new or have changed and, if they are given, its file and its first versions,
   * which replace all earlier rows. The requests are made before the function returns, so that a page which is being closed can call it. Throws if the
   * browser has no room.
   * @param {Work} work
   * @param {Row[]} rows
   * @param {Base} [base]
   * @returns {Promise<void>}
   */
  write(work, rows, { history, file } = {}) {
    return new Promise((resolve, reject) => {
      const change = this.#database.transaction(['works', 'bases', 'rows'], 'readwrite'), stored = change.objectStore('rows'), bases = change.objectStore('bases');
      change.addEventListener('complete', () => resolve());
      change.addEventListener('abort', () => reject(change.error ?? new Error('the database was closed')));
      change.objectStore('works').put(work);
      if (file !== undefined) bases.put(file, [work.id, 'file']);
      if (history !== undefined) {
        bases.put(history, [work.id, 'history']);
        stored.delete(rangeOf(work.id));
      }
      for (const row of rows) stored.put({ ...row, work: work.id });
      change.commit();
    });
  }

  /** Forgets a work. */
  remove(/** @type {string} */ id) {
    return new Promise((resolve, reject) => {
      const change = this.#database.transaction(['works', 'bases', 'rows'], 'readwrite');
      change.addEventListener('complete', () => resolve(undefined));
      change.addEventListener('abort', () => reject(change.error));
      change.objectStore('works').delete(id);
      change.objectStore('bases').delete(rangeOf(id));
      change.objectStore('rows').delete(rangeOf(id));
    });
  }

  /** Forgets the oldest works of a tab if there are too many. */
  async prune(tab = 'editor') {
    for (const { id } of (await this.list(tab)).slice(MOST)) if (!this.#held.has(id)) await this.remove(id);
  }
}

// SPDX-License-Identifier: MIT
// editor_work.js: keeps the versions of the editor in the browser as they are made, and makes them again.

import { MOST_BYTES, Scenes } from './editor_history.js';
import { checkParts, withChanges } from './editor_scene.js';
import { History, PersistentMap } from './pqt.js';

/**
 * @typedef {import('./keeper.js').Keeper} Keeper
 * @typedef {import('./keeper.js').Stored} Stored
 * @typedef {import('./editor_scene.js').Scene} Scene
 *
 * The description of a work of the editor.
 * @typedef {object} About
 * @property {string} name  the name of its file, or of the kind of sheet
 * @property {Uint8Array | null} file  the bytes of the file; null if there is none
 * @property {boolean} isUp
 * @property {string} [contents]  the identity of the bytes, if it is known
 * @property {Uint8Array} [first]  a history whose first version is that of the work, if it is known
 */

export { MOST_BYTES };

/** The pause after an edit before it is written, in milliseconds. Edits meanwhile are written with it. */
const PAUSE = 300;
/** If there are more rows than this when a work is continued, they become part of its first versions. */
const MOST_ROWS = 1000;

/** Returns a text that is equal for equal bytes. */
export function identityOf(/** @type {Uint8Array | null} */ bytes) {
  if (bytes === null) return '';
  const map = PersistentMap.of([[0, bytes]], { values: 'bytes' });
  try {
    return map.fingerprint();
  } finally {
    map.free();
  }
}

/** The work of the editor with one history: writes what has changed. */
export class EditorWork {
  /** The entries that have changed since they were written. @type {Set<number>} */
  #changed = new Set();
  /** The newest entry that is part of the first versions in the browser; -1 if nothing is there. */
  #base = -1;
  #hasChanged = false;
  #hasFile = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;
  #isClosed = false;
  /** The last write. @type {Promise<unknown>} */
  #written = Promise.resolve();
  /** The reason why the work is not kept; null if it is. @type {string | null} */
  problem = null;
  /** Called when `problem` changes, and after the first write. */
  onTurn = () => {};

  /**
   * @param {Keeper | string} keeper  a text says why nothing can be kept
   * @param {Scenes} scenes
   * @param {About} about
   * @param {Stored} [stored]  the work that is continued
   */
  constructor(keeper, scenes, about, stored) {
    this.keeper = keeper;
    this.scenes = scenes;
    this.about = typeof keeper === 'string' ? { ...about, first: undefined } : about; // it is needed only for writing
    this.contents = about.contents ?? identityOf(about.file);
    this.id = stored?.work.id ?? `${Date.now().toString(36)}-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`;
    if (stored !== undefined && stored.rows.length <= MOST_ROWS) {
      this.#base = stored.rows.length > 0 ? stored.rows[0].number - 1 : scenes.newest;
      this.#hasFile = true;
    }
    if (typeof keeper === 'string') this.problem = keeper;
    scenes.onChange = (entry) => this.#note(entry);
  }

  /** Whether the work is in the browser. */
  get isKept() {
    return this.#base >= 0 && this.problem === null;
  }

  /** Notes that an entry has changed; null: only the current entry or the saved mark. */
  #note(/** @type {number | null} */ entry) {
    if (entry !== null) this.#changed.add(entry);
    this.#hasChanged = true;
    this.#timer ??= setTimeout(() => this.flush(), PAUSE);
  }

  /** Records the contents that the file has now. */
  setFile(/** @type {Uint8Array} */ bytes) {
    this.contents = identityOf(bytes);
    this.about = { ...this.about, file: bytes };
    this.#hasFile = false;
    this.#note(null);
  }

  /** Writes what has changed since the last time. The requests are made before the function returns. */
  flush() {
    const written = this.#write();
    this.#written = Promise.all([this.#written, written]);
    return written;
  }

  async #write() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { keeper } = this, isNew = this.#base < 0;
    if (typeof keeper === 'string' || !this.#hasChanged || this.#isClosed) return;
    try {
      const held = isNew ? keeper.hold(this.id).catch(() => {}) : null;
      const { rows, history, base } = this.#take(), file = this.#hasFile || this.about.file === null ? undefined : this.about.file;
      const written = keeper.write(this.#work(), rows, { history, file });
      this.#base = base;
      this.#hasFile = true;
      this.#hasChanged = false;
      await Promise.all([written, held]);
      this.#turn(null);
      if (isNew) {
        this.onTurn();
        await keeper.prune();
      }
    } catch (reason) {
      this.#base = -1; // all of it is written with the next edit
      this.#hasFile = false;
      this.#hasChanged = true;
      this.#turn(reason instanceof DOMException && reason.name === 'QuotaExceededError' ? 'the browser has no more room for it'
        : reason instanceof Error ? reason.message : String(reason));
    }
  }

  #turn(/** @type {string | null} */ problem) {
    if (this.problem === problem) return;
    this.problem = problem;
    this.onTurn();
  }

  /** Returns the rows of the changed entries. If they are not enough, returns the first versions, too: the first one and rows
      for the others or, if that is impossible, all of them. */
  #take() {
    const { history } = this.scenes, changed = [...this.#changed];
    this.#changed.clear();
    if (this.#base >= 0) {
      const rows = changed.map((number) => this.#row(number));
      if (rows.every((row) => row !== null && row.number > this.#base)) return { rows: rowsOf(rows), base: this.#base };
    } else {
      const [first, ...others] = history.entries(), rows = others.map(({ number }) => this.#row(number));
      if (first.number === 0 && first.name === null && others.length <= MOST_ROWS && !rows.includes(null)) {
        const { first: known } = this.about;
        this.about = { ...this.about, first: undefined }; // its memory is not needed for long
        if (known !== undefined) return { rows: rowsOf(rows), history: known, base: 0 };
        const one = history.version(0), alone = new History(one);
        try {
          return { rows: rowsOf(rows), history: alone.toBytes(), base: 0 };
        } finally {
          alone.free();
          one.free();
        }
      }
    }
    return { rows: [], history: history.toBytes(), base: this.scenes.newest };
  }

  /** Returns the row of an entry; null if it is the first one, or has changes that a row cannot hold. */
  #row(/** @type {number} */ number) {
    const { history } = this.scenes, { parent, label, name, time } = history.entry(number);
    if (number === parent) return null;
    const before = history.version(parent), after = history.version(number);
    try {
      const changes = before.diff(after), fingerprint = after.fingerprint();
      if (!changes.every(({ kind }) => kind === 'tree' || kind === 'map')) return null;
      return { number, parent, label, name, time, fingerprint, changes: changes.map(withoutBefore) };
    } finally {
      before.free();
      after.free();
    }
  }

  /** @returns {import('./keeper.js').Work} */
  #work() {
    const { scenes, about: { name, isUp } } = this;
    return { id: this.id, name, contents: this.contents, time: Date.now(), versions: scenes.count, state: { ...scenes.state(), isUp } };
  }

  /** Ends the work in this page: another page may continue it when all of it is written. */
  async close() {
    this.flush();
    await this.#written;
    await this.flush(); // all of it again if a write failed
    this.#isClosed = true;
    if (typeof this.keeper !== 'string') this.keeper.release(this.id);
  }
}

function rowsOf(/** @type {unknown[]} */ rows) {
  return /** @type {import('./keeper.js').Row[]} */ (rows);
}

/** Returns a change of a document without what is not needed to make it again. */
function withoutBefore(/** @type {import('./pqt.js').DocumentChange} */ change) {
  return change.kind === 'map' ? { kind: change.kind, part: change.part, key: change.key, after: change.after } : change;
}

/**
 * Makes the versions of a work again. Versions that cannot be made, and those after them, are left out, and `fault` says why.
 * @param {Stored} stored
 * @param {(command: object) => void} record
 * @param {History<Scene>} history  the first versions, if they were read already
 */
export function continued({ work, history: bytes, rows }, record, history = /** @type {History<Scene>} */ (History.fromBytes(bytes, { maxBytes: MOST_BYTES }))) {
  checkParts(history.version(), work.name);
  let fault = /** @type {string | null} */ (null);
  try {
    for (const row of rows) append(history, row);
  } catch (reason) {
    fault = reason instanceof Error ? reason.message : String(reason);
  }
  const { first, current, tip, saved, nextId } = work.state;
  const go = (/** @type {number} */ to) => { if (hasEntry(history, to)) history.checkout(to); };
  if (saved !== null && hasEntry(history, saved)) {
    go(saved);
    history.markSaved();
  }
  go(tip); // so that redo leads there
  go(current);
  return { scenes: new Scenes(history.version(), record, first, history, { nextId }), fault };
}

function hasEntry(/** @type {History<Scene>} */ history, /** @type {number} */ number) {
  try {
    return history.entry(number).number === number;
  } catch {
    return false;
  }
}

/** Appends the version of a row to the history. */
function append(/** @type {History<Scene>} */ history, /** @type {import('./keeper.js').Row} */ { number, parent, label, name, time, fingerprint, changes }) {
  const before = history.version(parent), after = withChanges(before, changes);
  try {
    if (after.fingerprint() !== fingerprint) throw new Error(`version ${number} is not what it was`);
    if (history.current !== parent) history.checkout(parent);
    history.push(after, { label, time, keepEqual: true });
    if (history.current !== number) throw new Error(`version ${number} has another number now`);
    if (name !== null) history.setName(number, name);
  } finally {
    before.free();
    after.free();
  }
}

// SPDX-License-Identifier: MIT
// editor_history.js: keeps the history of scenes, records the commands for the native program, and finds
// the common ancestors and the branches of entries.

import { Lanes } from './editor_lanes.js';
import { largestId, partsOf } from './editor_scene.js';
import { toHex } from './hex.js';
import { History, memory } from './pqt.js';

/**
 * @typedef {import('./pqt.js').HistoryEntry} HistoryEntry
 * @typedef {import('./pqt.js').Document} Scene
 */

/** The limit for the versions of a history, in bytes. Beyond it, older ones are dropped. */
export const MOST_BYTES = 500e6;

/** The history of all scenes since a file was opened. */
export class Scenes {
  #record;
  /** The numbers that the log gives to scenes, by their fingerprints. @type {Map<string, number>} */
  #versions = new Map();
  #count = 0;
  /** The entries that are merges, each with the entry that was merged into it. @type {Map<number, number>} */
  merges = new Map();
  #nextId;
  /** Called by free(). */
  onFree = () => {};
  /** Called when an entry was made, was replaced or got a name; with null when only the current entry or the saved mark
      changed. @type {(entry: number | null) => void} */
  onChange = () => {};
  /** The number of entries. */
  count = 1;
  /** The entries and their branches; null after a change of others than an added one. @type {Lanes | null} */
  #lanes = null;
  /** The tips of the branches with changes that the current entry lacks; null if they are not known. An entry that is added at a
      tip leaves them as they are. @type {HistoryEntry[] | null} */
  #others = null;
  /** The number of the newest entry. */
  newest = 0;
  /** The newest entry to which redo leads. */
  #tip;
  /** @type {number | null} */
  #saved = null;
  /** Whether other pages see each change. */
  isShared = false;
  /** Whether all versions are in a file. */
  isStored;

  constructor(/** @type {Scene} */ first, /** @type {(command: object) => void} */ record, label = 'Open', history = new History(first, { maxBytes: MOST_BYTES }), { nextId = 0, isStored = false, largest = largestId(partsOf(first).boxes) } = {}) {
    this.#record = record;
    this.first = label;
    this.history = history;
    this.now = first;
    this.#nextId = Math.max(nextId, Math.max(largest, 0) + 1);
    this.#tip = history.current;
    this.isStored = isStored;
    if (history instanceof History) this.#readEntries();
    // The bytes are made when the log is read, because a scene may be large.
    this.#log(Object.defineProperty({ op: 'scene' }, 'bytes', { enumerable: true, get: () => toHex(first.toBytes()) }), first, -1);
  }

  /** Reads what the entries of a history that was not made here say: merges, the saved mark, and used ids. */
  #readEntries() {
    const entries = this.history.entries();
    for (const { number, label, isSaved, children } of entries) {
      this.newest = Math.max(this.newest, number);
      if (isSaved) this.#saved = number;
      const merged = /^Merge version (\d+)$/.exec(label);
      if (merged !== null) this.merges.set(number, Number(merged[1]));
      if (children === 0 && number !== this.history.current)
        this.#nextId = Math.max(this.#nextId, largestId(partsOf(this.history.version(number)).boxes) + 1);
    }
    this.count = entries.length;
  }

  #log(/** @type {object} */ command, /** @type {Scene} */ made, /** @type {number} */ from) {
    this.#record(Object.assign(command, { tab: 'editor', from }));
    this.#versions.set(made.fingerprint(), this.#count++);
  }

  /** Appends a scene. Consecutive scenes with the same key become one entry. Returns whether the
      scene differs from the current one. */
  push(/** @type {Scene} */ next, /** @type {string} */ label, key = 0) {
    if (next.equals(this.now)) return false;
    const changes = this.now.diff(next).map(plain), from = this.history.current;
    this.#log({ op: 'edit', changes }, next, this.versionOf(this.now));
    this.history.push(next, { label, key });
    this.now = next;
    const { current } = this.history;
    if (current > this.newest) {
      this.newest = current;
      this.count++;
      this.#lanes?.add(current, from);
      if ((this.find(from)?.children ?? 2) > 1) this.#others = null; // what followed it, or may have, is another branch now
    }
    if (memory().usedBytes > MOST_BYTES) this.forget(); // entries may have been dropped
    this.#tip = current;
    this.isStored = false;
    this.onChange(current);
    return true;
  }

  /** Returns a text that says which versions would be lost if another file were opened; null if none would be: each branch
      ends at the version that was saved. @returns {string | null} */
  unsaved() {
    if (this.isStored) return null;
    const entries = this.history.entries(), lost = entries.filter(({ children, isSaved }) => children === 0 && !isSaved).length;
    if (entries.length === 1 || lost === 0) return null;
    return `The ${entries.length} versions are in this page only, and ${lost === 1 ? 'the newest one' : `the ends of ${lost} branches`} ${lost === 1 ? 'is' : 'are'} not saved.`;
  }

  /** Records that the current version was saved to a file. */
  markSaved() {
    this.history.markSaved();
    this.#saved = this.history.current;
    this.onChange(null);
  }

  /** Returns all versions as the bytes of a file, and records that they were saved. */
  store() {
    const bytes = this.history.toBytes();
    this.isStored = true;
    return bytes;
  }

  /** Names the current version; null removes the name. @returns {void | Promise<void>} */
  setName(/** @type {string | null} */ name) {
    this.history.setName(this.history.current, name);
    this.#others = null;
    this.isStored = false;
    this.onChange(this.history.current);
  }

  /** Returns the state that is not in the entries, as plain data. */
  state() {
    return { first: this.first, current: this.history.current, tip: this.#tip, saved: this.#saved, nextId: this.#nextId };
  }

  /** Returns an id for a new item. */
  newId() {
    return this.#nextId++;
  }

  /** Loads the versions of entries. @returns {void | Promise<void>} */
  load(/** @type {number[]} */ ..._entries) {}

  /** Goes to another entry. @returns {void | Promise<void>} */
  checkout(/** @type {number} */ entry) {
    this.history.checkout(entry);
    this.#tip = entry;
    this.#went();
  }

  #went() {
    this.#others = null;
    this.now = this.history.version();
    this.onChange(null);
  }

  /** Undoes an edit, and returns its label. @returns {string | null | Promise<string | null>} */
  undo() {
    const label = this.history.undoLabel;
    if (!this.history.undo()) return null;
    this.#went();
    return label;
  }

  /** Redoes an edit, and returns its label. @returns {string | null | Promise<string | null>} */
  redo() {
    const label = this.history.redoLabel;
    const wasTip = this.history.current === this.#tip;
    if (!this.history.redo()) return null;
    if (wasTip) this.#tip = this.history.current;
    this.#went();
    return label;
  }

  /** Returns the number that the log gives to a scene. */
  versionOf(/** @type {Scene} */ scene) {
    return this.#versions.get(scene.fingerprint()) ?? -1;
  }

  /** Returns the entry with a number; undefined if there is none, or if it was dropped to save memory. */
  find(/** @type {number} */ number) {
    try {
      const entry = this.history.entry(number);
      return entry.number === number ? entry : undefined;
    } catch {
      return undefined;
    }
  }

  /** Returns the ancestors of an entry: itself, the entries before it, and those that were merged
      into any of these. */
  #origins(/** @type {number} */ entry) {
    const found = new Set([entry]);
    for (const number of found) { // the set grows during the loop
      const { depth, parent } = this.history.entry(number), other = this.merges.get(number);
      if (depth > 0) found.add(parent);
      if (other !== undefined && this.find(other) !== undefined) found.add(other);
    }
    return found;
  }

  /** Returns the number of the newest common ancestor of two entries. */
  ancestor(/** @type {number} */ a, /** @type {number} */ b) {
    const others = this.#origins(b);
    return [...this.#origins(a)].reduce((most, number) => (others.has(number) ? Math.max(most, number) : most), -1);
  }

  /** Forgets what is known of all entries, after a change of others than an added one. */
  forget() {
    this.#lanes = this.#others = null;
  }

  /** Records that the current entry is a merge with another one. */
  noteMerge(/** @type {number} */ other) {
    this.merges.set(this.history.current, other);
    this.#lanes?.merge(this.history.current, other);
    this.#others = null;
  }

  /** The entries and the branches that they are on. */
  get lanes() {
    return this.#lanes ??= new Lanes(this.history.entries(), this.merges);
  }

  /** Returns a function that says whether an entry follows the current one, or is it. @returns {(number: number) => boolean} */
  followers() {
    const { history, history: { current } } = this;
    return (number) => history.commonAncestor(current, number) === current;
  }

  /** Returns the tips of the branches with changes that the current entry lacks, except those that follow it and have all of its changes. */
  otherBranches() {
    const { history, history: { current } } = this;
    if (this.#others !== null) return this.#others;
    const origins = this.merges.size > 0 ? this.#origins(current) : null;
    const follows = this.followers();
    return this.#others = history.branches().filter(({ number, isOnPath }) => (origins === null ? !isOnPath : !origins.has(number)) && !follows(number));
  }

  /** Returns the version before the current one; null at the first entry, or if that version is not in this page. */
  before() {
    const { history } = this, { number, parent, depth } = history.entry(history.current);
    try {
      return depth === 0 || parent === number ? null : history.version(parent);
    } catch {
      return null;
    }
  }

  free() {
    this.onFree();
    this.history.free();
  }
}

/** Returns a change as plain data for JSON: bytes become text. */
function plain(/** @type {any} */ change) {
  const value = (/** @type {unknown} */ one) => (one instanceof Uint8Array ? toHex(one) : one ?? null);
  return change.kind === 'map' ? { part: change.part, key: change.key, after: value(change.after) } : change;
}

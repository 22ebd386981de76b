// SPDX-License-Identifier: MIT
// editor_history.js: the history of scenes: its graph, the common ancestor of two entries, and the log
// of commands for the native program.

import { toHex } from './hex.js';
import { History } from './pqt/index.js';

/**
 * @typedef {import('./pqt/index.js').HistoryEntry} HistoryEntry
 * @typedef {import('./pqt/index.js').Document} Scene
 * @typedef {{ entry: HistoryEntry, lane: number, parents: { from: number, to: number }[], passing: number[], isMergeOf: number | null }} GraphRow
 */

/** All scenes since a file was opened. */
export class Scenes {
  #record;
  /** The numbers that the log gives to scenes, by their fingerprints. @type {Map<string, number>} */
  #versions = new Map();
  #count = 0;
  /** The entries that are merges, with the other entry that was merged. @type {Map<number, number>} */
  merges = new Map();

  constructor(/** @type {Scene} */ first, /** @type {(command: object) => void} */ record, label = 'Open') {
    this.#record = record;
    this.first = label;
    this.history = new History(first, { maxBytes: 500e6 });
    this.now = first;
    // The bytes are made when the log is read, because a scene may be large.
    this.#log(Object.defineProperty({ op: 'scene' }, 'bytes', { enumerable: true, get: () => toHex(first.toBytes()) }), first, -1);
  }

  #log(/** @type {object} */ command, /** @type {Scene} */ made, /** @type {number} */ from) {
    this.#record(Object.assign(command, { tab: 'editor', from }));
    this.#versions.set(made.fingerprint(), this.#count++);
  }

  /** Appends a scene. Those with one key in sequence are one entry. Returns whether the scene differs. */
  push(/** @type {Scene} */ next, /** @type {string} */ label, key = 0) {
    if (next.equals(this.now)) return false;
    const changes = this.now.diff(next).map(plain);
    this.#log({ op: 'edit', changes }, next, this.versionOf(this.now));
    this.history.push(next, { label, key });
    this.now = next;
    return true;
  }

  /** Goes to another entry. */
  checkout(/** @type {number} */ entry) {
    this.history.checkout(entry);
    this.now = this.history.version();
  }

  undo() {
    const label = this.history.undoLabel;
    if (!this.history.undo()) return null;
    this.now = this.history.version();
    return label;
  }

  redo() {
    const label = this.history.redoLabel;
    if (!this.history.redo()) return null;
    this.now = this.history.version();
    return label;
  }

  /** The number that the log gives to a scene. */
  versionOf(/** @type {Scene} */ scene) {
    return this.#versions.get(scene.fingerprint()) ?? -1;
  }

  /** The number of the entry from which two entries come. */
  ancestor(/** @type {number} */ a, /** @type {number} */ b) {
    let one = this.history.entry(a), other = this.history.entry(b);
    while (one.number !== other.number) {
      if (one.depth >= other.depth) one = this.history.entry(one.parent);
      else other = this.history.entry(other.parent);
    }
    return one.number;
  }

  /** The tips of the branches that the current entry is not on. */
  otherBranches() {
    const { current } = this.history;
    return this.history.branches().filter(({ number }) => this.ancestor(number, current) !== number && number !== current);
  }

  /** The rows of the graph, the newest entry first. @returns {GraphRow[]} */
  graph() {
    const entries = this.history.entries().sort((a, b) => b.number - a.number);
    const first = entries[entries.length - 1]?.number ?? 0;
    /** The entry that each lane leads to. @type {(number | null)[]} */
    const lanes = [];
    return entries.map((entry) => {
      const { number, parent } = entry;
      let lane = lanes.indexOf(number);
      if (lane < 0) lane = lanes.indexOf(null);
      if (lane < 0) lane = lanes.length;
      const passing = lanes.flatMap((to, i) => (to !== null && to !== number && i !== lane ? [i] : []));
      const joining = lanes.flatMap((to, i) => (to === number ? [i] : []));
      for (const at of joining) lanes[at] = null;
      lanes[lane] = number === first ? null : parent;
      return { entry, lane, parents: joining.filter((at) => at !== lane).map((from) => ({ from, to: lane })), passing, isMergeOf: this.merges.get(number) ?? null };
    });
  }

  free() {
    this.history.free();
  }
}

/** Returns a change as plain data for JSON: bytes become text. */
function plain(/** @type {any} */ change) {
  const value = (/** @type {unknown} */ one) => (one instanceof Uint8Array ? toHex(one) : one ?? null);
  return change.kind === 'map' ? { part: change.part, key: change.key, after: value(change.after) } : change;
}

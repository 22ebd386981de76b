// SPDX-License-Identifier: MIT
// sharing_history.js: changes a history that pages share, and merges the changes by others.
//
// The history is on the server, in a store or as a line. The page keeps its entries, the versions that it
// has needed so far, and *drafts*: edits that the server does not have yet. A change names the state from
// which it was made. If others changed the history first, the drafts are merged with the current version
// and sent again. If the answer to a draft was lost, the page compares the draft with the version that
// the server may have made from it, so that no edit is made twice.

import { mergeScenes } from './editor_merge.js';
import { Connection, RequestError, isReached } from './sharing_connection.js';
import { Drafts } from './sharing_drafts.js';
import { SharedEntries } from './sharing_entries.js';
import { Steps } from './sharing_steps.js';
import { SharedVersions } from './sharing_versions.js';

/**
 * @typedef {import('./editor_scene.js').Scene} Scene
 * @typedef {import('./pqt.js').HistoryEntry} HistoryEntry
 * @typedef {import('./sharing_drafts.js').Draft} Draft
 * @typedef {import('./sharing_steps.js').Step} Step
 * @typedef {import('./sharing_connection.js').Report} Report
 * @typedef {import('./sharing_connection.js').Heard} Heard
 *
 * The callbacks from the history to the editor.
 * @typedef {object} Listener
 * @property {(scene: Scene) => void} scene  another scene became the current one
 * @property {(isEdit: boolean) => void} changed  the entries or the save state changed; `isEdit` says that an edit changed them, which the editor shows by itself
 * @property {(text: string) => void} news  another page or program changed something
 * @property {(entry: number) => boolean} isNeeded  whether the version of an entry must be kept
 * @property {(numbers: Map<number, number>) => void} renumbered  the entries of drafts have new numbers
 */

/** The pause before a movement of a drag is sent, in milliseconds. */
const PAUSE_OF_DRAG = 250;
/** The pauses before a failed request is sent again: the first one, and the longest one after each was twice as long as the
    one before. */
const FIRST_PAUSE = 1000, LONGEST_PAUSE = 30000;
/** Keys of the editor are below this number. */
const KEYS = 2 ** 21;

const CHANGES = /** @type {Record<string, string>} */ ({ undo: 'undo', redo: 'redo', checkout: 'another version', name: 'the name of a version', saved: 'the saved mark' });

export class SharedHistory {
  #connection;
  #versions;
  #drafts = new Drafts(/** @type {any} */ (null));
  #entries = new SharedEntries(this.#drafts);
  #steps = new Steps();
  /** The timer that sends a drag when it has paused. @type {ReturnType<typeof setTimeout> | undefined} */
  #rest = undefined;
  /** The timer that sends the drafts again after a failure of the connection or of the server. @type {ReturnType<typeof setTimeout> | undefined} */
  #again = undefined;
  #pause = FIRST_PAUSE;
  /** The last request. The next one waits for it. @type {Promise<unknown>} */
  #queue = Promise.resolve();
  /** The entries from which undo went back in a history that is open for reading. @type {number[]} */
  #left = [];
  #page = crypto.getRandomValues(new Uint32Array(1))[0] >>> 1;
  #isFreed = false;
  isConnected = false;
  /** The reason why drafts are not saved. @type {string | null} */
  problem = null;
  /** The error that the server has with its database. @type {string | null} */
  serverProblem = null;
  /** @type {Listener} */
  #listener = { scene() {}, changed() {}, news() {}, isNeeded: () => false, renumbered() {} };

  /** Opens a history by its name. @returns {Promise<SharedHistory>} */
  static async open(/** @type {string} */ name) {
    const history = new SharedHistory(name);
    const report = await history.#connection.report();
    history.#entries.take(report);
    history.#versions.holds = report.holds;
    history.#drafts.base = await history.#versions.fetch(report.current);
    history.#keep(report.current, history.#drafts.base);
    return history;
  }

  constructor(/** @type {string} */ name) {
    this.name = name;
    this.#connection = new Connection(name, (heard) => this.#hear(heard), (isOpen) => this.#turn(isOpen));
    this.#versions = new SharedVersions(this.#connection);
    addEventListener('online', this.#retry);
  }

  /** Starts to report changes to the editor. */
  listen(/** @type {Listener} */ listener) {
    this.#listener = listener;
    this.#connection.listen();
  }

  get #report() {
    return this.#entries.report;
  }

  get isLine() {
    return this.#report.kind === 'line';
  }

  /** The newest state of the server that the page knows. */
  get state() {
    return this.#report.state;
  }

  /** The reason why the history cannot be changed; null if it can be. */
  get readOnly() {
    return this.#report.readOnly;
  }

  /** Whether there are edits that the server does not have. */
  get hasDrafts() {
    return this.#drafts.list.length > 0;
  }

  // ---- Versions ----

  #keep(/** @type {number} */ number, /** @type {Scene} */ scene) {
    this.#versions.keep(number, scene, (old) => old === this.#report.current || this.#listener.isNeeded(old));
  }

  /** Returns the version of an entry, and fetches it if necessary. @returns {Promise<Scene>} */
  async load(/** @type {number} */ number) {
    for (;;) {
      const known = this.#sceneOf(number), { state } = this.#report;
      if (known !== undefined) return known;
      const scene = await this.#versions.fetch(number);
      if (this.#report.state !== state) continue; // the entry may have another version now
      this.#keep(number, scene);
      return scene;
    }
  }

  #sceneOf(/** @type {number} */ number) {
    const at = this.#entries.numbersOfDrafts().lastIndexOf(number);
    return at >= 0 ? this.#drafts.list[at].scene : this.#versions.get(number);
  }

  /** Returns the version of an entry, which must have been loaded. */
  version(number = this.current) {
    const scene = this.#sceneOf(number);
    if (scene === undefined) throw new Error(`version ${number} is not loaded`);
    return scene;
  }

  // ---- Entries ----

  get current() {
    return this.#entries.current;
  }

  /** Returns all entries in the order of their numbers. */
  entries() {
    return this.#entries.all();
  }

  /** @returns {HistoryEntry} */
  entry(/** @type {number} */ number) {
    const entry = this.#entries.get(number);
    if (entry === undefined) throw new RangeError(`there is no version ${number}`);
    return entry;
  }

  /** Returns whether there is an entry with this number. */
  has(/** @type {number} */ number) {
    return this.#entries.get(number) !== undefined;
  }

  branches() {
    return this.entries().filter(({ children }) => children === 0);
  }

  get undoLabel() {
    if (this.isLine) return this.#steps.undo.at(-1)?.label ?? null;
    const { depth, label } = this.entry(this.current);
    return depth === 0 ? null : label;
  }

  get redoLabel() {
    if (this.isLine) return this.#steps.redo.at(-1)?.label ?? null;
    if (this.readOnly !== null) return this.#left.length === 0 ? null : this.entry(this.#left[this.#left.length - 1]).label;
    return this.hasDrafts ? null : this.#report.redo;
  }

  // ---- Changes by this page ----

  #changed(isEdit = false) {
    this.#entries.changed();
    this.#listener.changed(isEdit);
  }

  /** Runs a task after all earlier ones. @template T @param {() => Promise<T>} task @returns {Promise<T>} */
  #inTurn(task) {
    const done = this.#queue.then(task);
    this.#queue = done.catch(() => {});
    return done;
  }

  #refuseIfReadOnly() {
    if (this.readOnly !== null) throw new Error(`${this.name} is open for reading only: ${this.readOnly}`);
  }

  /** Adds a scene after the current one. */
  push(/** @type {Scene} */ scene, { label = '', key = 0 } = {}) {
    this.#refuseIfReadOnly();
    this.#versions.check(scene, this.name);
    if (this.isLine) this.#steps.add({ before: this.#drafts.newest, after: scene, label, key });
    this.#addDraft(scene, label, key);
  }

  #addDraft(/** @type {Scene} */ scene, /** @type {string} */ label, key = 0) {
    this.#drafts.add(scene, label, key);
    this.#changed(true);
    clearTimeout(this.#rest);
    if (key === 0) this.save();
    else this.#rest = setTimeout(() => this.save(), PAUSE_OF_DRAG);
  }

  /** Whether the drafts are sent again without a request of the user. */
  get isRetrying() {
    return this.#again !== undefined;
  }

  /** Sends the drafts again or, if there are none, fetches the state that could not be fetched. Does nothing if an earlier
      request has succeeded meanwhile, or has met a conflict that the user did not resolve. */
  #retry = () => {
    const again = this.#again;
    clearTimeout(again);
    this.#inTurn(async () => {
      if (this.#isFreed || again !== this.#again) return;
      if (this.hasDrafts) await this.#flush();
      else if (again !== undefined) await this.#catchUpAgain();
    }).catch(() => {}); // it is kept in `problem`
  };

  async #catchUpAgain() {
    try {
      await this.#catchUp();
      this.#retryNoMore();
      this.problem = null;
    } catch (reason) {
      this.#fail(reason);
    }
    this.#changed();
  }

  #retryNoMore() {
    clearTimeout(this.#again);
    this.#again = undefined;
  }

  /** Sends the drafts. A failure is kept in `problem`. */
  save() {
    return this.#inTurn(() => this.#flush()).catch(() => {});
  }

  /** Sends the drafts; throws if that fails. */
  async #flush() {
    this.#retryNoMore();
    try {
      while (this.hasDrafts) await this.#send(this.#drafts.list[0]);
      this.problem = null;
      this.#pause = FIRST_PAUSE;
    } catch (reason) {
      this.#fail(reason);
      throw reason;
    } finally {
      for (const draft of this.#drafts.list) draft.isSent = false;
      if (!this.#isFreed) this.#changed();
    }
  }

  /** Keeps a failure, and tries again after a pause if the connection or the server failed. The pauses grow, because a server
      that is busy should not get more requests. */
  #fail(/** @type {unknown} */ reason) {
    this.problem = reason instanceof Error ? reason.message : String(reason);
    this.#retryNoMore();
    if (!(reason instanceof RequestError) || (reason.status > 0 && reason.status < 500) || this.#isFreed) return;
    this.#again = setTimeout(this.#retry, this.#pause);
    this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE);
  }

  async #send(/** @type {Draft} */ draft) {
    draft.isSent = true;
    const { scene, label, key } = draft;
    try {
      const report = await this.#connection.change({ op: 'push', from: this.#report.state, page: this.#page, text: label,
        key: key === 0 ? 0 : this.#page * KEYS + key }, this.#versions.bytesOf(scene));
      const numbers = this.#entries.numbersOfDrafts();
      this.#entries.take(report);
      this.#drafts.finish(scene, report.current);
      this.#keep(report.current, scene);
      this.#renumber(numbers, [report.current, ...this.#entries.numbersOfDrafts()]);
      this.#changed();
    } catch (reason) {
      if (!(reason instanceof RequestError)) throw reason;
      if (reason.status === 0 || reason.status >= 500) this.#drafts.lose(scene);
      if (reason.status !== 409) throw reason;
      await this.#catchUp();
    }
  }

  /** Reports drafts that have new numbers. */
  #renumber(/** @type {number[]} */ before, /** @type {number[]} */ after) {
    this.#listener.renumbered(new Map(before.map((number, i) => [number, after[i]])));
  }

  /** Sends the drafts, and then asks the server to make a change. @returns {Promise<boolean>} whether it was made */
  #command(/** @type {Record<string, string | number>} */ query) {
    this.#refuseIfReadOnly();
    const draft = this.#drafts.list[this.#entries.numbersOfDrafts().lastIndexOf(Number(query.entry))];
    return this.#inTurn(async () => {
      await this.#flush();
      if (draft !== undefined) query.entry = draft.number ?? this.#report.current; // the draft may have another number now, or be part of a merge
      const before = this.#report.current;
      try {
        const report = await this.#connection.change({ from: this.#report.state, page: this.#page, ...query });
        await this.#adopt(report, this.#versions.all());
      } catch (reason) {
        if (!(reason instanceof RequestError && reason.status === 409)) throw reason;
        await this.#catchUp();
        throw new Error('Another page changed the history first, so this was not done. Try again.');
      }
      return this.#report.current !== before;
    });
  }

  /** Makes another entry current, in this page only. */
  async #goAlone(/** @type {number} */ number) {
    const scene = await this.load(number);
    this.#entries.go(number);
    this.#drafts.base = scene;
    this.#changed();
    this.#listener.scene(scene);
    return true;
  }

  /**
   * Merges the newest scene with another one. If a newer scene has arrived when the user has chosen, merges that one, and
   * asks only about new conflicts. Returns null if the user cancels.
   */
  async #mergeNewest(/** @type {Scene} */ base, /** @type {Scene} */ theirs) {
    const decisions = new Map();
    for (;;) {
      const ours = this.#drafts.newest, merged = await mergeScenes(base, ours, theirs, decisions);
      if (merged === null || this.#drafts.newest === ours) return merged;
      merged.free();
    }
  }

  /** Undoes or redoes an edit that this page made on a line, by merging the inverse edit, or the edit
   * itself, with the current scene. */
  async #reverse(/** @type {Step[]} */ from, /** @type {Step[]} */ to, /** @type {string} */ verb) {
    const step = from.at(-1);
    if (step === undefined) return false;
    const [base, theirs] = verb === 'Undo' ? [step.after, step.before] : [step.before, step.after];
    const merged = await this.#mergeNewest(base, theirs);
    if (merged === null || from.at(-1) !== step) return false;
    from.pop();
    to.push({ ...step, key: 0 });
    if (!merged.equals(this.#drafts.newest)) this.#addDraft(merged, `${verb}: ${step.label}`);
    this.#listener.scene(merged);
    return true;
  }

  /** @returns {Promise<boolean>} */
  async undo() {
    if (this.isLine) return this.#reverse(this.#steps.undo, this.#steps.redo, 'Undo');
    if (this.undoLabel === null) return false;
    if (this.readOnly === null) return this.#command({ op: 'undo' });
    this.#left.push(this.current);
    return this.#goAlone(this.entry(this.current).parent);
  }

  /** @returns {Promise<boolean>} */
  async redo() {
    if (this.isLine) return this.#reverse(this.#steps.redo, this.#steps.undo, 'Redo');
    if (this.redoLabel === null) return false;
    if (this.readOnly === null) return this.#command({ op: 'redo' });
    return this.#goAlone(/** @type {number} */ (this.#left.pop()));
  }

  /** Makes an entry of a store current; on a line, adds a version that equals an earlier one. */
  async checkout(/** @type {number} */ number) {
    if (number === this.current) return;
    if (this.isLine) {
      const scene = await this.load(number);
      this.#refuseIfReadOnly();
      if (scene.equals(this.#drafts.newest)) return;
      this.push(scene, { label: `Back to version ${number}` });
      this.#listener.scene(scene);
    } else if (this.readOnly !== null) {
      this.#left = [];
      await this.#goAlone(number);
    } else {
      await this.#command({ op: 'checkout', entry: number });
    }
  }

  async setName(/** @type {number} */ number, /** @type {string | null} */ name) {
    if (this.isLine) throw new Error('The versions of a line have labels but no names.');
    await this.#command({ op: 'name', entry: number, text: name ?? '' });
  }

  // ---- Changes by others ----

  #turn(/** @type {boolean} */ isOpen) {
    this.isConnected = isOpen;
    if (this.#isFreed) return;
    this.#changed();
    if (isOpen && this.hasDrafts) this.save();
  }

  #hear(/** @type {Heard} */ heard) {
    if (this.#isFreed) return;
    if (heard.problem !== undefined) {
      this.serverProblem = heard.problem;
      this.#changed();
      if (heard.problem === null && this.hasDrafts) this.save();
      return;
    }
    if (heard.entries !== undefined && heard.page !== this.#page) this.#tell(/** @type {Report} */ (heard));
    this.serverProblem = null;
    this.#inTurn(async () => {
      await this.#follow(heard);
      if (!this.hasDrafts) this.problem = null;
    }).catch((reason) => this.#fail(reason)).finally(() => {
      if (!this.#isFreed) this.#changed();
    });
  }

  /** Reports the changes by others. */
  #tell(/** @type {Report} */ { page, what, entries, current }) {
    const [number, , label, , , who] = entries.at(-1) ?? [current, 0, '', null, 0, ''];
    const did = what === null ? label : CHANGES[what] ?? what;
    this.#listener.news(`${page !== 0 ? 'Another page' : who}: ${did} (version ${what === null ? number : current})`);
  }

  /** Goes to the state that an event names, unless the page has reached it already. */
  async #follow(/** @type {Heard} */ heard) {
    if (this.#isFreed || (heard.state !== undefined && isReached(heard.state, this.#report.state))) return;
    if (heard.entries !== undefined && heard.before === this.#report.state) {
      const versions = this.#versions.all();
      for (const [number] of heard.entries) versions.delete(number);
      await this.#adopt(/** @type {Report} */ (heard), versions);
    } else {
      await this.#catchUp();
    }
  }

  /** Fetches the current state. */
  async #catchUp() {
    await this.#adopt(await this.#connection.report(), new Map());
  }

  /**
   * Takes over a report with its current version, and merges the drafts with that version. `versions` has the
   * versions that the report leaves unchanged. The page fetches the others that it needs before it shows any part of it.
   */
  async #adopt(/** @type {Report} */ report, /** @type {Map<number, Scene>} */ versions) {
    const fetched = async (/** @type {number} */ number) => {
      const scene = versions.get(number) ?? await this.#versions.fetch(number);
      versions.set(number, scene);
      return scene;
    };
    const theirs = await fetched(report.current);
    const listed = this.#entries.numbersWith(report);
    for (const number of listed) if (this.#listener.isNeeded(number)) await fetched(number);
    let scene = theirs, shared = this.#drafts.base;
    if (this.hasDrafts) {
      shared = await this.#drafts.shared(this.#entries.numbersOfDrafts()[0], listed, fetched);
      const merged = await this.#mergeNewest(shared, theirs);
      if (merged === null) throw new Error('the conflict is not resolved');
      scene = merged;
    }
    const numbers = this.#entries.numbersOfDrafts(), made = this.#drafts.hasMade(shared) ? [numbers[0]] : [];
    this.#steps.endDrag();
    this.#entries.take(report);
    this.#drafts.merge(theirs, scene);
    this.#versions.replace(versions);
    this.#keep(report.current, theirs);
    const { current } = this;
    this.#renumber(numbers, numbers.map((_, i) => made[i] ?? current)); // the other drafts are part of the merge
    this.#changed();
    this.#listener.scene(scene);
    if (this.hasDrafts) this.save();
  }

  free() {
    this.#isFreed = true;
    clearTimeout(this.#rest);
    clearTimeout(this.#again);
    removeEventListener('online', this.#retry);
    this.#connection.close();
  }
}

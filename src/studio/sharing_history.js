// SPDX-License-Identifier: MIT
// sharing_history.js: a history that pages share, as the editor sees it.
//
// The history is on the server: that of a store, or a line. The page has its entries, the versions
// that it needed, and *drafts*: edits that the server does not have yet. A change names the state that
// it was made from. If others changed the history first, the drafts are merged with the present
// version, and sent again. If the answer to a draft was lost, the version that the server may have made of
// it is compared with it: an edit that is there already is not made twice.

import { mergeScenes } from './editor_merge.js';
import { sceneOfBytes, sceneOfTree, partsOf } from './editor_scene.js';
import { PersistentTree } from './pqt/index.js';
import { Connection, RequestError } from './sharing_connection.js';

/**
 * @typedef {import('./editor_scene.js').Scene} Scene
 * @typedef {import('./pqt/index.js').HistoryEntry} HistoryEntry
 * @typedef {import('./sharing_connection.js').Report} Report
 * @typedef {import('./sharing_connection.js').Heard} Heard
 *
 * An edit that the server does not have yet; `number` is its entry when it has.
 * @typedef {{ scene: Scene, label: string, key: number, isSent: boolean, number?: number }} Draft
 * @typedef {{ before: Scene, after: Scene, label: string, key: number }} Step
 *
 * The callbacks from the history to the editor.
 * @typedef {object} Listener
 * @property {(scene: Scene) => void} scene  another scene became the current one
 * @property {(isEdit: boolean) => void} changed  the entries or the state of saving changed; `isEdit` if it was an edit, which the editor shows itself
 * @property {(text: string) => void} news  another page or program changed something
 * @property {(entry: number) => boolean} isNeeded  whether the version of an entry must be kept
 * @property {(numbers: Map<number, number>) => void} renumbered  entries of drafts have other numbers now
 */

/** The number of versions that are kept in addition to those that are needed. */
const MOST_VERSIONS = 60;
/** The pause before a movement of a drag is sent, in milliseconds. */
const PAUSE_OF_DRAG = 250;
/** Keys of the editor are below this number. */
const KEYS = 2 ** 21;

const CHANGES = /** @type {Record<string, string>} */ ({ undo: 'undo', redo: 'redo', checkout: 'another version', name: 'the name of a version', saved: 'the saved mark' });

/** Returns the session of a state and its number. @returns {[string, number]} */
function partsOfState(/** @type {string} */ state) {
  const dash = state.lastIndexOf('-');
  return [state.slice(0, dash), Number(state.slice(dash + 1))];
}

/** Whether a state belongs to the same session as another one and is not later. */
function isReached(/** @type {string} */ state, /** @type {string} */ present) {
  const [session, number] = partsOfState(state), [presentSession, presentNumber] = partsOfState(present);
  return session === presentSession && number <= presentNumber;
}

export class SharedHistory {
  #connection;
  /** @type {Report} */
  #report;
  /** The rows of the entries by their numbers. @type {Map<number, import('./sharing_connection.js').Row>} */
  #rows = new Map();
  /** @type {Map<number, Scene>} */
  #versions = new Map();
  /** The current scene of the server, from which the first draft was made. @type {Scene} */
  #base;
  /** @type {Draft[]} */
  #drafts = [];
  /** The scenes that were sent from the present state without an answer. @type {Scene[]} */
  #unanswered = [];
  /** The key of the last push, if the current entry is from it. */
  #lastKey = 0;
  /** The timer that sends a drag after it rests. @type {ReturnType<typeof setTimeout> | undefined} */
  #rest = undefined;
  /** Requests are made one after the other. @type {Promise<unknown>} */
  #queue = Promise.resolve();
  /** @type {HistoryEntry[] | null} */
  #entries = null;
  /** The edits of a line by this page: those that undo takes back, and those that redo makes again. @type {{ undo: Step[], redo: Step[] }} */
  #steps = { undo: [], redo: [] };
  /** The entries that undo left in a history that is open for reading. @type {number[]} */
  #left = [];
  #page = crypto.getRandomValues(new Uint32Array(1))[0] >>> 1;
  #isFreed = false;
  isConnected = false;
  /** Why drafts are not saved. @type {string | null} */
  trouble = null;
  /** The server's error with its database. @type {string | null} */
  serverTrouble = null;
  /** @type {Listener} */
  #listener = { scene() {}, changed() {}, news() {}, isNeeded: () => false, renumbered() {} };

  /** Opens a history by its name. @returns {Promise<SharedHistory>} */
  static async open(/** @type {string} */ name) {
    const history = new SharedHistory(name);
    const report = await history.#connection.report();
    history.#report = report;
    history.#takeRows(report);
    history.#base = await history.#fetch(report.current);
    history.#versions.set(report.current, history.#base);
    return history;
  }

  constructor(/** @type {string} */ name) {
    this.name = name;
    this.#report = /** @type {any} */ (null);
    this.#base = /** @type {any} */ (null);
    this.#connection = new Connection(name, (heard) => this.#hear(heard), (isOpen) => this.#turn(isOpen));
  }

  /** Starts to report changes to the editor. */
  listen(/** @type {Listener} */ listener) {
    this.#listener = listener;
    this.#connection.listen();
  }

  get isLine() {
    return this.#report.kind === 'line';
  }

  /** The state of the server that the page knows. */
  get state() {
    return this.#report.state;
  }

  /** Why the history cannot be changed; null if it can. */
  get readOnly() {
    return this.#report.readOnly;
  }

  /** Whether there are edits that the server does not have. */
  get hasDrafts() {
    return this.#drafts.length > 0;
  }

  // ---- Versions ----

  async #fetch(/** @type {number} */ number) {
    const bytes = await this.#connection.version(number), name = `version ${number}`;
    return this.#report.holds === 'trees' ? sceneOfTree(PersistentTree.fromBytes(bytes), name) : sceneOfBytes(bytes, name);
  }

  #bytesOf(/** @type {Scene} */ scene) {
    if (this.#report.holds === 'documents') return scene.toBytes();
    return partsOf(scene).boxes.toBytes();
  }

  #keep(/** @type {number} */ number, /** @type {Scene} */ scene) {
    this.#versions.delete(number);
    this.#versions.set(number, scene);
    for (const old of this.#versions.keys()) {
      if (this.#versions.size <= MOST_VERSIONS) break;
      if (old !== number && old !== this.#report.current && !this.#listener.isNeeded(old)) this.#versions.delete(old);
    }
  }

  /** Fetches the version of an entry, unless the page has it. @returns {Promise<Scene>} */
  async load(/** @type {number} */ number) {
    for (;;) {
      const known = this.#sceneOf(number), { state } = this.#report;
      if (known !== undefined) return known;
      const scene = await this.#fetch(number);
      if (this.#report.state !== state) continue; // the entry may have another version since
      this.#keep(number, scene);
      return scene;
    }
  }

  #sceneOf(/** @type {number} */ number) {
    const drafts = this.#numbersOfDrafts(), at = drafts.lastIndexOf(number);
    return at >= 0 ? this.#drafts[at].scene : this.#versions.get(number);
  }

  /** The version of an entry that was loaded. */
  version(number = this.current) {
    const scene = this.#sceneOf(number);
    if (scene === undefined) throw new Error(`version ${number} is not loaded`);
    return scene;
  }

  // ---- Entries: those of the server, and the drafts after the current one ----

  #takeRows(/** @type {Report} */ report) {
    if (report.before === null) this.#rows.clear();
    for (const row of report.entries) this.#rows.set(row[0], row);
    this.#report = report;
    this.#entries = null;
  }

  /** The numbers that the drafts will have. */
  #numbersOfDrafts() {
    let next = this.#lastNumber();
    return this.#drafts.map(({ key }, i) => (i === 0 && key !== 0 && key === this.#lastKey ? this.#report.current : ++next));
  }

  #lastNumber() {
    let most = 0;
    for (const number of this.#rows.keys()) most = Math.max(most, number);
    return most;
  }

  get current() {
    return this.#numbersOfDrafts().at(-1) ?? this.#report.current;
  }

  /** All entries in the order of their numbers. */
  entries() {
    if (this.#entries !== null) return [...this.#entries];
    const rows = new Map(this.#rows), numbers = this.#numbersOfDrafts();
    let parent = this.#report.current;
    this.#drafts.forEach(({ label }, i) => {
      if (!rows.has(numbers[i])) rows.set(numbers[i], [numbers[i], parent, label, null, 0, '']);
      parent = numbers[i];
    });
    const current = numbers.at(-1) ?? this.#report.current;
    /** @type {Map<number, HistoryEntry>} */
    const made = new Map();
    for (const [number, above, label, name, time] of [...rows.values()].sort((a, b) => a[0] - b[0])) {
      const before = above === number ? undefined : made.get(above);
      if (before !== undefined) before.children++;
      made.set(number, { number, parent: above, depth: before === undefined ? 0 : before.depth + 1, children: 0, time, label, name,
        isCurrent: number === current, isSaved: number === this.#report.saved, isOnPath: false });
    }
    for (let at = made.get(current); at !== undefined && !at.isOnPath; at = made.get(at.parent)) at.isOnPath = true;
    this.#entries = [...made.values()];
    this.#byNumber = made;
    return [...this.#entries];
  }

  /** @type {Map<number, HistoryEntry>} */
  #byNumber = new Map();

  /** @returns {HistoryEntry} */
  entry(/** @type {number} */ number) {
    this.entries();
    const entry = this.#byNumber.get(number);
    if (entry === undefined) throw new RangeError(`there is no version ${number}`);
    return entry;
  }

  /** Whether there is an entry with this number. */
  has(/** @type {number} */ number) {
    this.entries();
    return this.#byNumber.has(number);
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
    return this.#drafts.length > 0 ? null : this.#report.redo;
  }

  // ---- Changes of this page ----

  #changed(isEdit = false) {
    this.#entries = null;
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

  /** The newest scene of this page. */
  get #newest() {
    return this.#drafts.at(-1)?.scene ?? this.#base;
  }

  /** Adds a scene after the current one. */
  push(/** @type {Scene} */ scene, { label = '', key = 0 } = {}) {
    this.#refuseIfReadOnly();
    const { colours, names } = partsOf(scene);
    if (this.#report.holds === 'trees' && (colours.size > 0 || names.size > 0)) throw new Error(`${this.name} holds trees, which have no names and colours`);
    if (this.isLine) this.#addStep(scene, label, key);
    this.#addDraft(scene, label, key);
  }

  /** Notes an edit that undo can take back. A drag is one edit, or two if an edit of others comes
   * in between. */
  #addStep(/** @type {Scene} */ after, /** @type {string} */ label, /** @type {number} */ key) {
    const last = this.#steps.undo.at(-1);
    if (key !== 0 && last?.key === key) last.after = after;
    else this.#steps.undo.push({ before: this.#newest, after, label, key });
    this.#steps.redo = [];
  }

  #addDraft(/** @type {Scene} */ scene, /** @type {string} */ label, key = 0) {
    const last = this.#drafts.at(-1);
    if (key !== 0 && last?.key === key && !last.isSent) last.scene = scene;
    else this.#drafts.push({ scene, label, key, isSent: false });
    this.#changed(true);
    clearTimeout(this.#rest);
    if (key === 0) this.save();
    else this.#rest = setTimeout(() => this.save(), PAUSE_OF_DRAG);
  }

  /** Sends the drafts. A failure is kept in `trouble`. */
  save() {
    return this.#inTurn(() => this.#flush()).catch(() => {});
  }

  /** Sends the drafts; throws if it cannot. */
  async #flush() {
    try {
      while (this.#drafts.length > 0) await this.#send(this.#drafts[0]);
      this.trouble = null;
    } catch (reason) {
      this.trouble = reason instanceof Error ? reason.message : String(reason);
      throw reason;
    } finally {
      for (const draft of this.#drafts) draft.isSent = false;
      if (!this.#isFreed) this.#changed();
    }
  }

  async #send(/** @type {Draft} */ draft) {
    draft.isSent = true;
    const { scene, label, key } = draft;
    try {
      const report = await this.#connection.change({ op: 'push', from: this.#report.state, page: this.#page, text: label,
        key: key === 0 ? 0 : this.#page * KEYS + key }, this.#bytesOf(scene));
      const numbers = this.#numbersOfDrafts();
      this.#drafts.shift();
      draft.number = report.current;
      this.#unanswered = [];
      this.#takeRows(report);
      this.#base = scene;
      this.#keep(report.current, scene);
      this.#lastKey = key;
      this.#renumber(numbers, [report.current, ...this.#numbersOfDrafts()]);
      this.#changed();
    } catch (reason) {
      if (!(reason instanceof RequestError)) throw reason;
      if ((reason.status === 0 || reason.status >= 500) && this.#unanswered.at(-1) !== scene) this.#unanswered.push(scene);
      if (reason.status !== 409) throw reason;
      await this.#catchUp();
    }
  }

  /** Reports drafts that have other numbers now. */
  #renumber(/** @type {number[]} */ before, /** @type {number[]} */ after) {
    this.#listener.renumbered(new Map(before.map((number, i) => [number, after[i]])));
  }

  /** Makes the server apply a change after the drafts. @returns {Promise<boolean>} whether it was made */
  #command(/** @type {Record<string, string | number>} */ query) {
    this.#refuseIfReadOnly();
    const draft = this.#drafts[this.#numbersOfDrafts().lastIndexOf(Number(query.entry))];
    return this.#inTurn(async () => {
      await this.#flush();
      if (draft !== undefined) query.entry = draft.number ?? this.#report.current; // it may have another number, or be in a merge
      const before = this.#report.current;
      try {
        const report = await this.#connection.change({ from: this.#report.state, page: this.#page, ...query });
        await this.#adopt(report, new Map(this.#versions));
      } catch (reason) {
        if (!(reason instanceof RequestError && reason.status === 409)) throw reason;
        await this.#catchUp();
        throw new Error('Another page changed the history first, so this was not done. Try again.');
      }
      return this.#report.current !== before;
    });
  }

  /** Goes to another entry in this page only. */
  async #goAlone(/** @type {number} */ number) {
    const scene = await this.load(number);
    this.#report = { ...this.#report, current: number };
    this.#base = scene;
    this.#changed();
    this.#listener.scene(scene);
    return true;
  }

  /**
   * Merges the newest scene with another one. If there is a newer one when the user has chosen, merges that, and
   * asks only what is new. Returns null if the user cancels.
   */
  async #mergeNewest(/** @type {Scene} */ base, /** @type {Scene} */ theirs) {
    const decisions = new Map();
    for (;;) {
      const ours = this.#newest, merged = await mergeScenes(base, ours, theirs, decisions);
      if (merged === null || this.#newest === ours) return merged;
      merged.free();
    }
  }

  /** Takes back an edit that this page made on a line, or makes it again: merges the opposite edit
   * with the present scene. */
  async #reverse(/** @type {Step[]} */ from, /** @type {Step[]} */ to, /** @type {string} */ verb) {
    const step = from.at(-1);
    if (step === undefined) return false;
    const [base, theirs] = verb === 'Undo' ? [step.after, step.before] : [step.before, step.after];
    const merged = await this.#mergeNewest(base, theirs);
    if (merged === null || from.at(-1) !== step) return false;
    from.pop();
    to.push({ ...step, key: 0 });
    if (!merged.equals(this.#newest)) this.#addDraft(merged, `${verb}: ${step.label}`);
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
      if (scene.equals(this.#newest)) return;
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
    if (this.isLine) throw new Error('The versions of a line have labels, and no names.');
    await this.#command({ op: 'name', entry: number, text: name ?? '' });
  }

  async markSaved() {
    if (!this.isLine && this.readOnly === null) await this.#command({ op: 'saved' });
  }

  // ---- Changes of others ----

  #turn(/** @type {boolean} */ isOpen) {
    this.isConnected = isOpen;
    if (this.#isFreed) return;
    this.#changed();
    if (isOpen && this.hasDrafts) this.save();
  }

  #hear(/** @type {Heard} */ heard) {
    if (this.#isFreed) return;
    if (heard.trouble !== undefined) {
      this.serverTrouble = heard.trouble;
      this.#changed();
      if (heard.trouble === null && this.hasDrafts) this.save();
      return;
    }
    if (heard.entries !== undefined && heard.page !== this.#page) this.#tell(/** @type {Report} */ (heard));
    this.serverTrouble = null;
    this.#inTurn(async () => {
      await this.#follow(heard);
      if (!this.hasDrafts) this.trouble = null;
    }).catch((reason) => {
      this.trouble = reason instanceof Error ? reason.message : String(reason);
    }).finally(() => {
      if (!this.#isFreed) this.#changed();
    });
  }

  /** Reports what others did. */
  #tell(/** @type {Report} */ { page, what, entries, current }) {
    const [number, , label, , , who] = entries.at(-1) ?? [current, 0, '', null, 0, ''];
    const did = what === null ? label : CHANGES[what] ?? what;
    this.#listener.news(`${page !== 0 ? 'Another page' : who}: ${did} (version ${what === null ? number : current})`);
  }

  /** Goes to the state that an event names, unless the page has reached it. */
  async #follow(/** @type {Heard} */ heard) {
    if (this.#isFreed || (heard.state !== undefined && isReached(heard.state, this.#report.state))) return;
    if (heard.entries !== undefined && heard.before === this.#report.state) {
      const versions = new Map(this.#versions);
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
   * Takes over a report with the version that is current in it, and merges the drafts with it. `versions` has those
   * that are as in the report; the others that are needed are fetched before the page shows any of it.
   */
  async #adopt(/** @type {Report} */ report, /** @type {Map<number, Scene>} */ versions) {
    const fetched = async (/** @type {number} */ number) => {
      const scene = versions.get(number) ?? await this.#fetch(number);
      versions.set(number, scene);
      return scene;
    };
    const theirs = await fetched(report.current);
    const listed = new Set([...(report.before === null ? [] : this.#rows.keys()), ...report.entries.map(([number]) => number)]);
    for (const number of listed) if (this.#listener.isNeeded(number)) await fetched(number);
    let scene = theirs, base = this.#base;
    if (this.hasDrafts) {
      base = await this.#baseOfDrafts(listed, fetched);
      const merged = await this.#mergeNewest(base, theirs);
      if (merged === null) throw new Error('the conflict is not resolved');
      scene = merged;
    }
    const numbers = this.#numbersOfDrafts(), made = this.#drafts.map((draft, i) => (i === 0 && base !== this.#base && draft.scene === base ? numbers[0] : null));
    const labels = new Set(this.#drafts.map(({ label }) => label)), open = this.#steps.undo.at(-1);
    if (open !== undefined) open.key = 0; // the rest of a drag is another edit
    this.#takeRows(report);
    this.#lastKey = 0;
    this.#unanswered = [];
    this.#base = theirs;
    this.#versions = versions;
    this.#keep(report.current, theirs);
    this.#drafts = scene.equals(theirs) ? [] : [{ scene, label: [...labels].join(', '), key: 0, isSent: false }];
    const { current } = this;
    this.#renumber(numbers, made.map((number) => number ?? current)); // the others are in the merge
    this.#changed();
    this.#listener.scene(scene);
    if (this.hasDrafts) this.save();
  }

  /** Returns the newest scene that the drafts and the server share: one that was sent without an answer, if the server has it. */
  async #baseOfDrafts(/** @type {Set<number>} */ listed, /** @type {(number: number) => Promise<Scene>} */ fetched) {
    const [number] = this.#numbersOfDrafts();
    if (this.#unanswered.length === 0 || !listed.has(number)) return this.#base;
    const made = await fetched(number);
    return this.#unanswered.find((scene) => scene.equals(made)) ?? this.#base;
  }

  free() {
    this.#isFreed = true;
    clearTimeout(this.#rest);
    this.#connection.close();
  }
}

// SPDX-License-Identifier: MIT
// history.js: the class History, which holds versions and their order.
import {
  DISPOSE, Handle, KINDS, PIN, SUMMARY, TREE, bufferAt, call, counted, kindOf, number, own, pinOf, raise, refusal, sendBytes, sendText,
  settings, surplus, takeBytes, textAt, wasm,
} from './core.js';
import { Reader } from './bytes.js';
import { CHANGE, checkedId, highOf, lowOf, receiveChanges } from './items.js';
import { windowOf } from './query.js';

const COMMANDS = { undo: 1, redo: 2, markSaved: 3, begin: 4, end: 5, cancel: 6, isModified: 7, endCoalescing: 8 };

/** Returns a limit as the library gets it, where 0 means none. */
function limitOf(limit, what) {
  if (!(number(limit, what) >= 1)) throw refusal('maxEntries and maxBytes must be at least 1');
  return limit < 2 ** 32 - 1 ? Math.floor(limit) : 0;
}

// The ways to drop entries, as in flat.h.
const THIN = 1, DROP = 2, DROP_BRANCH = 3;

/** Returns the halves of the number of an entry. */
function halvesOf(entry, what = "an entry's number") {
  if (!Number.isSafeInteger(number(entry, what)) || entry < 0)
    throw Object.assign(new Error(`${what} must be an integer of at least 0`), { code: 'PQT_ERROR_MISMATCH' });
  return [lowOf(entry), highOf(entry)];
}

/** Throws in pqt/trees, whose module lacks a part of what histories can do. */
function needWhole(what) {
  if (wasm.pqtjs_history_write === undefined) throw new Error(`pqt/trees ${what}: import pqt`);
}

const needBytes = () => needWhole('neither writes nor reads the bytes of histories');
const needQueries = () => needWhole('does not know what changed in a history');

/** The window of a question about all that changed. */
const EVERYTHING = { minX: -Infinity, minY: -Infinity, maxX: Infinity, maxY: Infinity };
const WHERE = ['tip', 'part'], WINDOW = ['window', 'relation', ...WHERE];

const histories = new FinalizationRegistry((history) => wasm.pqtjs_history_destroy(history));

/** A history of versions of one kind, with undo, redo, branches and labels. It holds all versions
    that were pushed. */
export class History extends Handle {
  #history = 0;
  #kind;

  /** Makes a history whose entry 0 is a version. Beyond a limit, it drops older entries. */
  constructor(first, given = {}) {
    super();
    if (first === PIN) {
      this.#history = given;
      this.#kind = wasm.pqtjs_history_kind(given);
      if (this.#kind < 0) {
        this.#history = 0;
        wasm.pqtjs_history_destroy(given);
        raise();
      }
    } else {
      const { maxEntries = Infinity, maxBytes = Infinity, indexed = false, time = 0 } = settings(given, ['maxEntries', 'maxBytes', 'indexed', 'time']);
      if (indexed) needQueries();
      const limits = [limitOf(maxEntries, 'maxEntries'), limitOf(maxBytes, 'maxBytes')];
      this.#kind = kindOf(first, 'the first version');
      this.#history = call(wasm.pqtjs_history_make, this.#kind, pinOf(first, this.#kind, 'the first version'), ...limits, indexed ? 1 : 0,
        number(time, 'time')) || raise();
    }
    histories.register(this, this.#history, this);
  }

  /** Makes a history from bytes that toBytes returned, in JavaScript or in another language. The
      limits hold for later pushes, and the next push adds an entry, whatever its key. */
  static fromBytes(bytes, given = {}) {
    if (arguments.length > 2) surplus(arguments.length, 'fromBytes', 2);
    needBytes();
    const { maxEntries = Infinity, maxBytes = Infinity, indexed = false } = settings(given, ['maxEntries', 'maxBytes', 'indexed']);
    const limits = [limitOf(maxEntries, 'maxEntries'), limitOf(maxBytes, 'maxBytes')];
    return new History(PIN, call(wasm.pqtjs_history_read, sendBytes(bytes), ...limits, indexed ? 1 : 0) || raise());
  }

  /** Returns the bytes of the history in the format of docs/format.md: all entries with their
      versions, the current one, the saved mark and the redo links. */
  toBytes() {
    needBytes();
    return takeBytes(counted(call(wasm.pqtjs_history_write, this.#history)));
  }

  #do(command) {
    return counted(call(wasm.pqtjs_history_do, this.#history, COMMANDS[command])) === 1;
  }

  /** Adds an entry after the current one. Consecutive pushes with the same nonzero key are one
      entry. */
  push(version, given = {}) {
    const { label = '', time = NaN, key = 0, keepEqual = false } = settings(given, ['label', 'time', 'key', 'keepEqual']);
    checkedId(number(key, 'key'));
    sendText(label, 'the label');
    call(wasm.pqtjs_history_push, this.#history, this.#kind, pinOf(version, this.#kind, 'the version'), number(time, 'time'), lowOf(key), highOf(key),
      keepEqual ? 1 : 0) || raise();
  }

  /** Goes to the parent of the current entry. Returns false at the first entry and in a
      group. */
  undo() {
    return this.#do('undo');
  }

  /** Goes to the child that was current most recently. Returns false at the tip of a branch and in
      a group. */
  redo() {
    return this.#do('redo');
  }

  /** Makes any entry current. */
  checkout(entry) {
    call(wasm.pqtjs_history_checkout, this.#history, ...halvesOf(entry)) || raise();
  }

  /** Opens a group: all pushes until end() become one entry with this label. */
  begin(label = '') {
    sendText(label, 'the label');
    this.#do('begin');
  }

  /** Closes a group. Returns false if none is open. */
  end() {
    return this.#do('end');
  }

  /** Closes all groups and goes to the entry before them. Returns false if none is open. */
  cancel() {
    return this.#do('cancel');
  }

  /** Makes the next push add an entry, even if it has the key of the last one. */
  endCoalescing() {
    this.#do('endCoalescing');
  }

  /** Moves the saved mark to the current entry. */
  markSaved() {
    this.#do('markSaved');
  }

  /** Whether the current entry does not have the saved mark. */
  get isModified() {
    return this.#do('isModified');
  }

  /** Names an entry, which is then never dropped; null removes the name. */
  setName(entry, name) {
    const halves = halvesOf(entry), text = name ?? '';
    sendText(text, 'the name');
    call(wasm.pqtjs_history_set_name, this.#history, ...halves, text === '' ? 0 : 1) || raise();
  }

  /** The number of the current entry. */
  get current() {
    return counted(call(wasm.pqtjs_history_current, this.#history));
  }

  /** Returns the version of an entry, by default the current one, as a new object. */
  version(entry = this.current) {
    return own(this.#kind, call(wasm.pqtjs_history_value, this.#history, ...halvesOf(entry)));
  }

  /** Like version, for a history of trees; throws a TypeError for any other history. */
  tree(entry) {
    if (this.#kind !== TREE) throw new TypeError(`the history has versions of a ${KINDS[this.#kind]}; call version`);
    return this.version(entry);
  }

  #label(redo) {
    return counted(call(wasm.pqtjs_history_label, this.#history, redo)) === 0 ? null : textAt(bufferAt());
  }

  /** The label of the entry that undo would undo; null if undo would return false. */
  get undoLabel() {
    return this.#label(0);
  }

  /** The label of the entry to which redo leads; null if redo would return false. */
  get redoLabel() {
    return this.#label(1);
  }

  /** Returns the properties of an entry. */
  entry(entry) {
    counted(call(wasm.pqtjs_history_entry, this.#history, ...halvesOf(entry)));
    const reader = Reader.ofStrings(), [number, parent, depth, children, , isCurrent, isSaved, isOnPath] = Array.from({ length: 8 }, () => reader.word());
    return { number, parent, depth, children, time: reader.double(), label: reader.text(), name: reader.text() || null,
      isCurrent: isCurrent === 1, isSaved: isSaved === 1, isOnPath: isOnPath === 1 };
  }

  /** Returns the words that a call has written. */
  #words(bytes) {
    const length = counted(bytes) / 8, reader = new Reader();
    return Array.from({ length }, () => reader.word());
  }

  #numbers(tips) {
    return this.#words(call(wasm.pqtjs_history_numbers, this.#history, tips));
  }

  /** Returns all entries: each entry before its children, and children in order of their numbers. */
  entries() {
    return this.#numbers(0).map((entry) => this.entry(entry));
  }

  /** Returns the entries at the tips of the branches, in order of their numbers. */
  branches() {
    return this.#numbers(1).map((entry) => this.entry(entry));
  }

  /** Returns the number of the entry with a name; null if there is none. */
  find(name) {
    sendText(name, 'the name');
    const [entry = null] = this.#words(call(wasm.pqtjs_history_find, this.#history));
    return entry;
  }

  /** Returns the number of the last entry on the path to an entry whose time is at most `time`; null if the first entry is later. */
  entryAt(time, tip = this.current) {
    const [entry = null] = this.#words(call(wasm.pqtjs_history_entry_at, this.#history, ...halvesOf(tip, 'the tip'), number(time, 'the time')));
    return entry;
  }

  /** Returns the numbers of the entries from one entry to another: up to the last common ancestor, and then down. */
  path(from, to) {
    return this.#words(call(wasm.pqtjs_history_path, this.#history, ...halvesOf(from), ...halvesOf(to), 0));
  }

  /** Returns the number of the last common ancestor of two entries, which may be one of them. */
  commonAncestor(a, b) {
    return this.#words(call(wasm.pqtjs_history_path, this.#history, ...halvesOf(a), ...halvesOf(b), 1))[0];
  }

  /** Counts entries, branches and bytes. */
  stats() {
    const [entries, branches, bytes, indexBytes, entryBytes] = this.#words(call(wasm.pqtjs_history_stats, this.#history));
    return { entries, branches, bytes, indexBytes, entryBytes };
  }

  /** Counts the bytes of an entry, and those that it shares with its parent and its children. */
  entryBytes(entry) {
    const [all, added, shared, freed] = this.#words(call(wasm.pqtjs_history_entry_bytes, this.#history, ...halvesOf(entry)));
    return { all, added, shared, freed };
  }

  #drop(command, halves) {
    call(wasm.pqtjs_history_drop, this.#history, command, ...halves) || raise();
  }

  /** Drops old entries; the older they are, the larger the fraction of them. Keeps those of the newest pushes, `recent` of them. */
  thin(recent) {
    this.#drop(THIN, halvesOf(recent, 'the number of pushes'));
  }

  /** Drops an entry; those that follow it are kept. */
  drop(entry) {
    this.#drop(DROP, halvesOf(entry));
  }

  /** Drops an entry and all that follow it, except those that are always kept. */
  dropBranch(entry) {
    this.#drop(DROP_BRANCH, halvesOf(entry));
  }

  /** Sends the name of a tree. Returns whether there is one, and the halves of the entry at which a path ends. */
  #sendPart({ part, tip = this.current }) {
    const end = halvesOf(tip, 'the tip');
    sendText(part ?? '', 'the name of the part');
    return [part === undefined ? 0 : 1, ...end];
  }

  /** Returns the last change that the library has found; null if there is none. */
  #lastChange(bytes) {
    if (counted(bytes) === 0) return null;
    const [change] = receiveChanges(1), reader = new Reader();
    reader.at += CHANGE;
    return { entry: reader.word(), before: reader.word(), time: reader.double(), change };
  }

  /** Returns the last entry on the path to an entry that changed something in a window; null if none did. Needs `indexed`. */
  lastChange(given = {}) {
    needQueries();
    const { window: area = EVERYTHING, relation } = settings(given, WINDOW);
    const window = windowOf(area, relation), part = this.#sendPart(given); // first, because reading them may free the history
    const found = this.#lastChange(call(wasm.pqtjs_history_last_change, this.#history, ...part, ...window));
    if (found === null) return null;
    const { entry, before, time } = found;
    return { entry, before, time };
  }

  /** Like lastChange, for the last insertion, move or removal of an item, which is the `change`. */
  lastItemChange(id, given = {}) {
    needQueries();
    settings(given, WHERE);
    checkedId(id);
    const part = this.#sendPart(given);
    return this.#lastChange(call(wasm.pqtjs_history_last_item_change, this.#history, ...part, lowOf(id), highOf(id)));
  }

  /** Returns the changes between the versions at two times on the path to an entry. If `to` is before `from`, they lead back. */
  changes(from, to, given = {}) {
    if (arguments.length > 3) surplus(arguments.length, 'changes', 3);
    needQueries();
    const { window: area = EVERYTHING, relation } = settings(given, WINDOW);
    const window = windowOf(area, relation), times = [number(from, 'from'), number(to, 'to')], part = this.#sendPart(given);
    return receiveChanges(counted(call(wasm.pqtjs_history_changes, this.#history, ...part, ...times, ...window)) / CHANGE);
  }

  [SUMMARY]() {
    return { kind: KINDS[this.#kind], entries: this.#numbers(0).length, current: this.current };
  }

  [DISPOSE]() {
    this.free();
  }

  /** Releases all versions of the history now. Later calls throw. */
  free() {
    if (this.#history === 0) return;
    histories.unregister(this);
    wasm.pqtjs_history_destroy(this.#history);
    this.#history = 0;
  }
}

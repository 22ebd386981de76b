// SPDX-License-Identifier: MIT
// history.js: the class History, which holds versions and their order.
import {
  DISPOSE, Handle, KINDS, PIN, SUMMARY, TREE, bufferAt, call, counted, kindOf, number, own, pinOf, raise, refusal, sendBytes, sendText,
  settings, surplus, takeBytes, textAt, wasm,
} from './core.js';
import { Reader } from './bytes.js';
import { checkedId, highOf, lowOf } from './items.js';

const COMMANDS = { undo: 1, redo: 2, markSaved: 3, begin: 4, end: 5, cancel: 6, isModified: 7 };

/** Returns a limit as the library gets it, where 0 means none. */
function limitOf(limit, what) {
  if (!(number(limit, what) >= 1)) throw refusal('maxEntries and maxBytes must be at least 1');
  return limit < 2 ** 32 - 1 ? Math.floor(limit) : 0;
}

/** Returns the halves of the number of an entry. */
function halvesOf(entry) {
  if (!Number.isSafeInteger(number(entry, 'the entry')) || entry < 0)
    throw Object.assign(new Error("an entry's number must be an integer of at least 0"), { code: 'PQT_ERROR_MISMATCH' });
  return [lowOf(entry), highOf(entry)];
}

/** Throws in pqt/trees, whose module neither writes nor reads histories. */
function needBytes() {
  if (wasm.pqtjs_history_write === undefined) throw new Error('pqt/trees neither writes nor reads the bytes of histories: import pqt');
}

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
      const { maxEntries = Infinity, maxBytes = Infinity, time = 0 } = settings(given, ['maxEntries', 'maxBytes', 'time']);
      const limits = [limitOf(maxEntries, 'maxEntries'), limitOf(maxBytes, 'maxBytes')];
      this.#kind = kindOf(first, 'the first version');
      this.#history = call(wasm.pqtjs_history_make, this.#kind, pinOf(first, this.#kind, 'the first version'), ...limits, 0,
        number(time, 'time')) || raise();
    }
    histories.register(this, this.#history, this);
  }

  /** Makes a history from bytes that toBytes returned, in JavaScript or in another language. The
      limits hold for later pushes, and the next push adds an entry, whatever its key. */
  static fromBytes(bytes, given = {}) {
    if (arguments.length > 2) surplus(arguments.length, 'fromBytes', 2);
    needBytes();
    const { maxEntries = Infinity, maxBytes = Infinity } = settings(given, ['maxEntries', 'maxBytes']);
    const limits = [limitOf(maxEntries, 'maxEntries'), limitOf(maxBytes, 'maxBytes')];
    return new History(PIN, call(wasm.pqtjs_history_read, sendBytes(bytes), ...limits, 0) || raise());
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

  #numbers(tips) {
    const bytes = counted(call(wasm.pqtjs_history_numbers, this.#history, tips)), reader = new Reader();
    return Array.from({ length: bytes / 8 }, () => reader.word());
  }

  /** Returns all entries: each entry before its children, and children in order of their numbers. */
  entries() {
    return this.#numbers(0).map((entry) => this.entry(entry));
  }

  /** Returns the entries at the tips of the branches, in order of their numbers. */
  branches() {
    return this.#numbers(1).map((entry) => this.entry(entry));
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

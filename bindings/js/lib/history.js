// SPDX-License-Identifier: MIT
// history.js: the class History, which holds versions and their order.
import {
  DISPOSE, Handle, KINDS, PIN, SUMMARY, TREE, call, counted, doubles, kindOf, number, own, pinOf, raise, sendBytes, sendText, settings,
  surplus, takeBytes, textAt, wasm,
} from './core.js';

const COMMANDS = { undo: 0, redo: 1, markSaved: 2, begin: 3, end: 4, cancel: 5, isModified: 6 };

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
    } else {
      const { maxEntries = Infinity, maxBytes = Infinity, time = 0 } = settings(given, ['maxEntries', 'maxBytes', 'time']);
      this.#kind = kindOf(first, 'the first version');
      this.#history = call(wasm.pqtjs_history_make, this.#kind, pinOf(first, this.#kind, 'the first version'), number(maxEntries, 'maxEntries'),
        number(maxBytes, 'maxBytes'), number(time, 'time')) || raise();
    }
    histories.register(this, this.#history, this);
  }

  /** Makes a history from bytes that toBytes returned, in JavaScript or in another language. The
      limits hold for later pushes, and the next push adds an entry, whatever its key. */
  static fromBytes(bytes, given = {}) {
    if (arguments.length > 2) surplus(arguments.length, 'fromBytes', 2);
    needBytes();
    const { maxEntries = Infinity, maxBytes = Infinity } = settings(given, ['maxEntries', 'maxBytes']);
    const limits = [number(maxEntries, 'maxEntries'), number(maxBytes, 'maxBytes')];
    return new History(PIN, call(wasm.pqtjs_history_read, sendBytes(bytes), ...limits) || raise());
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
    sendText(label, 'the label');
    call(wasm.pqtjs_history_push, this.#history, this.#kind, pinOf(version, this.#kind, 'the version'), number(time, 'time'), number(key, 'key'),
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
    call(wasm.pqtjs_history_checkout, this.#history, number(entry, 'the entry')) || raise();
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
    sendText(name ?? '', 'the name');
    call(wasm.pqtjs_history_set_name, this.#history, number(entry, 'the entry')) || raise();
  }

  /** The number of the current entry. */
  get current() {
    return counted(call(wasm.pqtjs_history_current, this.#history));
  }

  /** Returns the version of an entry, by default the current one, as a new object. */
  version(entry = this.current) {
    return own(this.#kind, call(wasm.pqtjs_history_value, this.#history, number(entry, 'the entry')));
  }

  /** Like version, for a history of trees; throws a TypeError for any other history. */
  tree(entry) {
    if (this.#kind !== TREE) throw new TypeError(`the history has versions of a ${KINDS[this.#kind]}; call version`);
    return this.version(entry);
  }

  #label(redo) {
    this.current; // throws if the history was freed
    const at = call(wasm.pqtjs_history_label, this.#history, redo);
    return at === 0 ? null : textAt(at);
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
    call(wasm.pqtjs_history_entry, this.#history, number(entry, 'the entry')) || raise();
    const [parent, depth, children, time, isCurrent, isSaved, isOnPath, label, name] = doubles(9);
    return { number: entry, parent, depth, children, time, label: textAt(label), name: name === 0 ? null : textAt(name),
      isCurrent: isCurrent === 1, isSaved: isSaved === 1, isOnPath: isOnPath === 1 };
  }

  #numbers(tips) {
    return [...doubles(counted(call(wasm.pqtjs_history_numbers, this.#history, tips)))];
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

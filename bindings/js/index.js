// SPDX-License-Identifier: MIT
// index.js: persistent quadtrees for JavaScript, on top of pqt.wasm; shim.c has the other half.
//
// An object owns a pin of its version: free(), or its finaliser, releases it. Arrays pass through one
// buffer in the memory of the instance. The views of that memory are made again after it has grown,
// which can happen in any call.

/** Returns the bytes of pqt.wasm, which is next to this file. */
async function readWasm() {
  const url = new URL('./pqt.wasm', import.meta.url);
  if (url.protocol === 'file:' && typeof process === 'object') {
    const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ 'node:fs/promises');
    return readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`pqt.wasm: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

const { instance } = await WebAssembly.instantiate(await readWasm(), {});
const wasm = instance.exports;
wasm._initialize();

const ITEM = 40; // bytes: four doubles, and an id of 64 bits
const DOUBLE = 8;
const SMALLEST_BUFFER = 65536;

// ---- Errors ----

const STATUS = ['OK', 'MEMORY', 'BOX', 'BOUNDS', 'OPTION', 'LIMIT', 'THREAD', 'MISMATCH', 'CORRUPT', 'STREAM',
  'UNSUPPORTED', 'CALLBACK', 'CONFLICT', 'BODY', 'FORMAT', 'ARITHMETIC'];
const OF_RANGE = new Set(['BOX', 'BOUNDS', 'OPTION', 'LIMIT', 'BODY']);

function textAt(pointer) {
  const bytes = new Uint8Array(wasm.memory.buffer, pointer >>> 0);
  return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
}

/** Throws the library's error, as a RangeError if an argument is out of range. */
function raise() {
  const at = wasm.pqtjs_error() >>> 0;
  const status = STATUS[new DataView(wasm.memory.buffer).getUint32(at, true)] ?? 'CORRUPT';
  const error = new (OF_RANGE.has(status) ? RangeError : Error)(textAt(at + 8));
  error.code = `PQT_ERROR_${status}`;
  throw error;
}

/** Calls the library. A trap is a fault of the library, whose sentence becomes the error. */
function call(exported, a, b, c, d, e, f, g) {
  try {
    return exported(a, b, c, d, e, f, g); // functions ignore arguments that they do not have
  } catch (trap) {
    throw new Error(textAt(wasm.pqtjs_last_words()) || `pqt: internal error: ${trap.message}`, { cause: trap });
  }
}

/** Returns a count or an answer; -1 is a failure. */
function counted(answer) {
  return answer < 0 ? raise() : answer;
}

// ---- Arguments ----

function reserve(bytes) {
  return wasm.pqtjs_reserve(Math.max(bytes, SMALLEST_BUFFER)) >>> 0 || raise();
}

// From now on, there always is a buffer for small results. Calls with more enlarge it.
reserve(0);

let numbers = new Float64Array(0);
let words = new Uint32Array(0);

/** Call after the library, before reading results by `numbers` and `words`. */
function renewViews() {
  const { buffer } = wasm.memory;
  if (numbers.buffer === buffer) return;
  numbers = new Float64Array(buffer);
  words = new Uint32Array(buffer);
}

function bufferAt() {
  return wasm.pqtjs_buffer() >>> 0;
}

function number(value, what) {
  if (typeof value !== 'number') throw new TypeError(`${what} is not a number`);
  return value;
}

function box(value, what) {
  if (value === null || typeof value !== 'object') throw new TypeError(`${what} is not an object with minX, minY, maxX, maxY`);
  const { minX, minY, maxX, maxY } = value;
  if (typeof minX !== 'number' || typeof minY !== 'number' || typeof maxX !== 'number' || typeof maxY !== 'number')
    throw new TypeError(`${what} needs the numbers minX, minY, maxX and maxY`);
  return value;
}

function item(value, what) {
  const { id } = box(value, what);
  if (typeof id !== 'number' && typeof id !== 'bigint') throw new TypeError(`${what} needs an id: a number or a bigint`);
  return value;
}

function bigId(id, what) {
  if (typeof id === 'number' && !Number.isSafeInteger(id) || id < 0 || id >= 2n ** 64n)
    throw new RangeError(`${what}: an id is an integer from 0 to 2^53 - 1, or a bigint below 2^64`);
  return BigInt(id);
}

// How the ids of a call are given; as in shim.c.
const INDICES = 0;
const WORDS = 1;
const LONG_WORDS = 2;
const DOUBLES = 3;

/** Throws for a typed array whose buffer was transferred; its length is 0 as that of an empty one. */
function attached(array, what) {
  if (array.length !== 0) return;
  try {
    new Uint8Array(array.buffer);
  } catch (cause) {
    throw new TypeError(`${what} is detached`, { cause });
  }
}

/** Copies boxes and ids into the buffer, for items_of_buffer of shim.c. Returns [count, kind of ids]. */
function sendArrays(boxes, ids) {
  if (boxes.length % 4 !== 0) throw new RangeError(`boxes have four numbers each, and the array has ${boxes.length}`);
  attached(boxes, 'the array of boxes');
  if (ArrayBuffer.isView(ids)) attached(ids, 'the array of ids');
  const count = boxes.length / 4;
  if (ids !== undefined && ids.length !== count) throw new RangeError(`there are ${count} boxes and ${ids.length} ids`);
  const kind = ids === undefined ? INDICES : ids instanceof Uint32Array ? WORDS
    : ids instanceof BigUint64Array ? LONG_WORDS : DOUBLES;
  if (kind === DOUBLES && !(ids instanceof Float64Array) && !Array.isArray(ids))
    throw new TypeError('ids are an array, a Uint32Array, a BigUint64Array or a Float64Array');
  const at = reserve(count * (ITEM + 4 * DOUBLE + DOUBLE)) + count * ITEM;
  new Float64Array(wasm.memory.buffer, at, boxes.length).set(boxes);
  if (kind !== INDICES) {
    const Words = kind === WORDS ? Uint32Array : kind === LONG_WORDS ? BigUint64Array : Float64Array;
    if (Array.isArray(ids)) ids.forEach((id, i) => number(id, `id ${i}`));
    new Words(wasm.memory.buffer, at + boxes.length * DOUBLE, count).set(ids);
  }
  return [count, kind];
}

/** Copies items into the buffer: objects, or a Float64Array of boxes and their ids. */
function send(items, ids) {
  if (items instanceof Float64Array) return sendArrays(items, ids);
  if (!Array.isArray(items)) throw new TypeError('items are an array of objects or a Float64Array of boxes');
  const boxes = new Float64Array(items.length * 4);
  const doubles = new Float64Array(items.length);
  let hasBigIds = false;
  for (let i = 0; i < items.length; i++) {
    const { minX, minY, maxX, maxY, id } = item(items[i], `item ${i}`);
    boxes.set([minX, minY, maxX, maxY], i * 4);
    if (typeof id === 'bigint') hasBigIds = true;
    else doubles[i] = id;
  }
  if (!hasBigIds) return sendArrays(boxes, doubles);
  return sendArrays(boxes, BigUint64Array.from(items, (one, i) => bigId(one.id, `item ${i}`)));
}

function flags({ uniqueIds = false, strictBounds = false }) {
  return (uniqueIds ? 1 : 0) + (strictBounds ? 2 : 0);
}

function options(given = {}) {
  if (given === null || typeof given !== 'object') throw new TypeError('options are an object');
  const { leafCapacity = 24, maxDepth = 24 } = given;
  return [number(leafCapacity, 'leafCapacity'), number(maxDepth, 'maxDepth'), flags(given)];
}

// ---- Results ----

/** Reads `count` items of `stride` bytes from the buffer; `rest` adds to each from its offset. */
function receive(count, stride = ITEM, offset = 0, rest = null) {
  renewViews();
  const found = [];
  for (let i = 0, at = bufferAt() + offset; i < count; i++, at += stride) {
    const k = at / 8;
    const low = words[at / 4 + 8];
    const high = words[at / 4 + 9];
    const id = high < 2097152 ? high * 4294967296 + low : new DataView(words.buffer).getBigUint64(at + 32, true);
    const one = { minX: numbers[k], minY: numbers[k + 1], maxX: numbers[k + 2], maxY: numbers[k + 3], id };
    found.push(one);
    if (rest !== null) rest(one, k);
  }
  return found;
}

function doubles(count) {
  return new Float64Array(wasm.memory.buffer, bufferAt(), count).slice();
}

const CHANGES = [undefined, 'insert', 'remove', 'move'];
const RESOLUTIONS = { ours: 1, theirs: 2, both: 3, neither: 4, base: 5 };

const pins = new FinalizationRegistry((pin) => wasm.pqtjs_unpin(pin));
const NEW = Symbol('a pin of the library');

// The class PersistentTree gives the other classes these.
let pinOf;
let own;

/** One version of a set of boxes with ids. No method changes it; those that edit return another. */
export class PersistentTree {
  #pin = 0;

  /** Makes an empty tree. */
  constructor(given, pin) {
    if (given !== NEW) {
      const { minX, minY, maxX, maxY } = box(given?.bounds, 'options.bounds');
      pin = call(wasm.pqtjs_tree_make, minX, minY, maxX, maxY, ...options(given)) || raise();
    }
    this.#pin = pin;
    pins.register(this, pin, this);
  }

  static #own(pin) {
    return new PersistentTree(NEW, pin || raise());
  }

  static #pinOf(tree, what) {
    if (tree === null || typeof tree !== 'object' || !(#pin in tree)) throw new TypeError(`${what} is not a PersistentTree`);
    return tree.#pin;
  }

  static {
    pinOf = PersistentTree.#pinOf;
    own = PersistentTree.#own;
  }

  /** Makes a tree from items in bulk; its bounds are those of the items. */
  static of(items, idsOrOptions, given) {
    const hasIds = Array.isArray(idsOrOptions) || ArrayBuffer.isView(idsOrOptions);
    const settings = options(hasIds ? given : idsOrOptions);
    const [count, kind] = send(items, hasIds ? idsOrOptions : undefined);
    return PersistentTree.#own(call(wasm.pqtjs_tree_of, count, kind, ...settings));
  }

  /** Makes a tree from what toJSON returned. */
  static fromJSON(data) {
    if (data === null || typeof data !== 'object' || !Array.isArray(data.items))
      throw new TypeError('the data is not from toJSON: it has no items');
    const empty = new PersistentTree(data);
    const items = data.items.map((one) => (typeof one?.id === 'string' && /^[0-9]{1,20}$/.test(one.id) ? { ...one, id: BigInt(one.id) } : one));
    try {
      return empty.load(items);
    } finally {
      empty.free();
    }
  }

  /** Makes a tree from what toBytes returned, here or in another language. */
  static fromBytes(bytes) {
    if (!(bytes instanceof Uint8Array)) throw new TypeError('bytes are a Uint8Array');
    attached(bytes, 'the array of bytes');
    new Uint8Array(wasm.memory.buffer, reserve(bytes.length), bytes.length).set(bytes);
    return PersistentTree.#own(call(wasm.pqtjs_tree_read, bytes.length));
  }

  #edited(items, ids, remove) {
    const [count, kind] = send(items, ids);
    return PersistentTree.#own(call(wasm.pqtjs_tree_edit_all, this.#pin, count, kind, remove));
  }

  /** Inserts items in bulk. */
  load(items, ids) {
    return this.#edited(items, ids, 0);
  }

  /** Inserts an item: with uniqueIds it replaces the item of the same id. */
  insert(one) {
    const { minX, minY, maxX, maxY, id } = item(one, 'the item');
    if (typeof id === 'bigint') return this.#edited([one], undefined, 0);
    return PersistentTree.#own(call(wasm.pqtjs_tree_insert, this.#pin, minX, minY, maxX, maxY, id));
  }

  /** Removes the item with this box and this id. If it is absent, the result equals this version. */
  remove(one) {
    const { minX, minY, maxX, maxY, id } = item(one, 'the item');
    if (typeof id === 'bigint') return this.#edited([one], undefined, 1);
    return PersistentTree.#own(call(wasm.pqtjs_tree_remove, this.#pin, minX, minY, maxX, maxY, id));
  }

  /** Removes items in bulk. */
  removeAll(items, ids) {
    return this.#edited(items, ids, 1);
  }

  /** Gives an item another box. If it is absent, the result equals this version. */
  move(one, to) {
    const { minX, minY, maxX, maxY } = box(to, 'the new box');
    const [, kind] = send([item(one, 'the item'), { minX, minY, maxX, maxY, id: one.id }]);
    return PersistentTree.#own(call(wasm.pqtjs_tree_move, this.#pin, kind));
  }

  /** Returns the empty tree with the same bounds and options. */
  clear() {
    return PersistentTree.#own(call(wasm.pqtjs_tree_clear, this.#pin));
  }

  /** The number of items. */
  get size() {
    return counted(call(wasm.pqtjs_tree_count, this.#pin));
  }

  #described() {
    call(wasm.pqtjs_tree_describe, this.#pin) || raise();
    return doubles(7);
  }

  /** The rectangle that the tree divides. */
  get bounds() {
    const [minX, minY, maxX, maxY] = this.#described();
    return { minX, minY, maxX, maxY };
  }

  /** Returns the items that touch a window, edges included, as new objects. */
  search(window) {
    const { minX, minY, maxX, maxY } = box(window, 'the window');
    return receive(counted(call(wasm.pqtjs_tree_search, this.#pin, minX, minY, maxX, maxY)));
  }

  /** Returns the ids alone; a RangeError if one is above 2^32 - 1. */
  searchIds(window) {
    const { minX, minY, maxX, maxY } = box(window, 'the window');
    const count = counted(call(wasm.pqtjs_tree_search_ids, this.#pin, minX, minY, maxX, maxY, 32));
    renewViews();
    const first = bufferAt() / 4;
    return words.slice(first, first + count);
  }

  /** Returns the ids alone, of any size. */
  searchBigIds(window) {
    const { minX, minY, maxX, maxY } = box(window, 'the window');
    const count = counted(call(wasm.pqtjs_tree_search_ids, this.#pin, minX, minY, maxX, maxY, 64));
    return new BigUint64Array(wasm.memory.buffer, bufferAt(), count).slice();
  }

  /** Returns all items, in tree order. */
  all() {
    return this.search({ minX: -Infinity, minY: -Infinity, maxX: Infinity, maxY: Infinity });
  }

  [Symbol.iterator]() {
    return this.all()[Symbol.iterator]();
  }

  /** Returns whether an item touches a window. */
  collides(window) {
    const { minX, minY, maxX, maxY } = box(window, 'the window');
    return counted(call(wasm.pqtjs_tree_count_in, this.#pin, minX, minY, maxX, maxY, 1)) === 1;
  }

  /** Returns the number of items that touch a window. */
  count(window) {
    const { minX, minY, maxX, maxY } = box(window, 'the window');
    return counted(call(wasm.pqtjs_tree_count_in, this.#pin, minX, minY, maxX, maxY, 0));
  }

  /** Returns the items nearest to a point, nearest first, each with its distance. */
  nearest(x, y, most = 1, maxDistance = Infinity) {
    [x, y, most, maxDistance].forEach((value, i) => number(value, ['x', 'y', 'most', 'maxDistance'][i]));
    const count = counted(call(wasm.pqtjs_tree_nearest, this.#pin, x, y, most, maxDistance));
    return receive(count, 48, 0, (one, k) => { one.distance = numbers[k + 5]; });
  }

  /** Returns the changes that turn this version into another of equal bounds and options. */
  diff(after) {
    const count = counted(call(wasm.pqtjs_tree_diff, this.#pin, PersistentTree.#pinOf(after, 'the other version')));
    const found = [];
    receive(count, 80, 8, (one, k) => {
      const change = { kind: CHANGES[words[2 * k - 2]], item: one };
      if (change.kind === 'move')
        change.to = { minX: numbers[k + 5], minY: numbers[k + 6], maxX: numbers[k + 7], maxY: numbers[k + 8] };
      found.push(change);
    });
    return found;
  }

  /** Returns a version with the changes of both sides, which were made from this one. */
  merge(ours, theirs, { onConflict = 'error' } = {}) {
    const resolution = onConflict === 'error' ? 0 : Object.hasOwn(RESOLUTIONS, onConflict) ? RESOLUTIONS[onConflict] : -1;
    if (resolution < 0) throw new RangeError(`onConflict is error, ${Object.keys(RESOLUTIONS).join(', ')}: not ${String(onConflict)}`);
    return PersistentTree.#own(call(wasm.pqtjs_tree_merge, this.#pin, PersistentTree.#pinOf(ours, 'ours'),
      PersistentTree.#pinOf(theirs, 'theirs'), resolution));
  }

  /** Returns the bytes of this version in the format of docs/format.md. */
  toBytes() {
    const count = counted(call(wasm.pqtjs_tree_write, this.#pin));
    return new Uint8Array(wasm.memory.buffer, bufferAt(), count).slice();
  }

  /** Returns a plain object, for JSON.stringify. Ids above 2^53 - 1 become strings of digits. */
  toJSON() {
    const [minX, minY, maxX, maxY, leafCapacity, maxDepth, bits] = this.#described();
    const items = this.all().map((one) => (typeof one.id === 'bigint' ? { ...one, id: String(one.id) } : one));
    return { bounds: { minX, minY, maxX, maxY }, leafCapacity, maxDepth, uniqueIds: (bits & 1) !== 0,
      strictBounds: (bits & 2) !== 0, items };
  }

  /** Returns 32 hexadecimal digits: equal versions have equal ones, in every language. */
  fingerprint() {
    call(wasm.pqtjs_tree_fingerprint, this.#pin) || raise();
    const [low, high] = new BigUint64Array(wasm.memory.buffer, bufferAt(), 2);
    return high.toString(16).padStart(16, '0') + low.toString(16).padStart(16, '0');
  }

  /** Returns whether two versions have equal items, bounds and options. */
  equals(other) {
    return counted(call(wasm.pqtjs_tree_equals, this.#pin, PersistentTree.#pinOf(other, 'the other version'))) === 1;
  }

  /** Checks the invariants of this version, and returns it. */
  check() {
    call(wasm.pqtjs_tree_check, this.#pin) || raise();
    return this;
  }

  /** Releases this version now instead of when the object is collected. Other calls then throw. */
  free() {
    if (this.#pin === 0) return;
    pins.unregister(this);
    wasm.pqtjs_unpin(this.#pin);
    this.#pin = 0;
  }
}

// ---- Histories ----

const COMMANDS = { undo: 0, redo: 1, markSaved: 2, begin: 3, end: 4, cancel: 5, isModified: 6 };

/** Copies a string into the buffer, in UTF-8 with a final 0. */
function sendText(text, what) {
  if (typeof text !== 'string') throw new TypeError(`${what} is not a string`);
  const bytes = new TextEncoder().encode(text.replaceAll('\0', ' '));
  const at = reserve(bytes.length + 1);
  new Uint8Array(wasm.memory.buffer, at, bytes.length + 1).set([...bytes, 0]);
}

const histories = new FinalizationRegistry((history) => wasm.pqtjs_history_destroy(history));

/** A history of trees: undo, redo, branches, labels. It holds all versions that were pushed. */
export class History {
  #history = 0;

  /** Makes a history whose entry 0 is a tree. Beyond a limit, it drops older entries. */
  constructor(first, given = {}) {
    if (given === null || typeof given !== 'object') throw new TypeError('options are an object');
    const { maxEntries = Infinity, maxBytes = Infinity, time = 0 } = given;
    this.#history = call(wasm.pqtjs_history_make, pinOf(first, 'the first version'), number(maxEntries, 'maxEntries'),
      number(maxBytes, 'maxBytes'), number(time, 'time')) || raise();
    histories.register(this, this.#history, this);
  }

  #do(command) {
    return counted(call(wasm.pqtjs_history_do, this.#history, COMMANDS[command])) === 1;
  }

  /** Adds an entry after the current one. Pushes in sequence with one key are one entry. */
  push(tree, given = {}) {
    if (given === null || typeof given !== 'object') throw new TypeError('options are an object');
    const { label = '', time = NaN, key = 0, keepEqual = false } = given;
    sendText(label, 'the label');
    call(wasm.pqtjs_history_push, this.#history, pinOf(tree, 'the version'), number(time, 'time'), number(key, 'key'),
      keepEqual ? 1 : 0) || raise();
  }

  /** Makes the parent of the current entry current; false at the first entry and in a group. */
  undo() {
    return this.#do('undo');
  }

  /** Makes the child current that was current last; false at the tip of a branch and in a group. */
  redo() {
    return this.#do('redo');
  }

  /** Makes any entry current. */
  checkout(entry) {
    call(wasm.pqtjs_history_checkout, this.#history, number(entry, 'the entry')) || raise();
  }

  /** Opens a group: all pushes until end make one entry with this label. */
  begin(label = '') {
    sendText(label, 'the label');
    this.#do('begin');
  }

  /** Closes a group; false if none is open. */
  end() {
    return this.#do('end');
  }

  /** Closes all groups and returns to the entry before them; false if none is open. */
  cancel() {
    return this.#do('cancel');
  }

  /** Gives the saved mark to the current entry. */
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

  /** Returns the version of an entry, of the current one by default, as a new object. */
  tree(entry = this.current) {
    return own(call(wasm.pqtjs_history_value, this.#history, number(entry, 'the entry')));
  }

  #label(redo) {
    this.current; // throws if the history was freed
    const at = call(wasm.pqtjs_history_label, this.#history, redo);
    return at === 0 ? null : textAt(at);
  }

  /** The label for a menu: what undo would undo; null if undo would return false. */
  get undoLabel() {
    return this.#label(0);
  }

  /** What redo would do again; null if redo would return false. */
  get redoLabel() {
    return this.#label(1);
  }

  /** Returns what is known of an entry. */
  entry(entry) {
    call(wasm.pqtjs_history_entry, this.#history, number(entry, 'the entry')) || raise();
    const [parent, depth, children, time, isCurrent, isSaved, isOnPath, label, name] = doubles(9);
    return { number: entry, parent, depth, children, time, label: textAt(label), name: name === 0 ? null : textAt(name),
      isCurrent: isCurrent === 1, isSaved: isSaved === 1, isOnPath: isOnPath === 1 };
  }

  #numbers(tips) {
    return [...doubles(counted(call(wasm.pqtjs_history_numbers, this.#history, tips)))];
  }

  /** Returns all entries: an entry before its children, children in the order of numbers. */
  entries() {
    return this.#numbers(0).map((entry) => this.entry(entry));
  }

  /** Returns the tips of the branches in the order of numbers. */
  branches() {
    return this.#numbers(1).map((entry) => this.entry(entry));
  }

  /** Releases all versions of the history now. Other calls then throw. */
  free() {
    if (this.#history === 0) return;
    histories.unregister(this);
    wasm.pqtjs_history_destroy(this.#history);
    this.#history = 0;
  }
}

// ---- Memory ----

/** Limits the memory of all versions together, in bytes; Infinity removes the limit. */
export function setMemoryLimit(bytes) {
  if (!(number(bytes, 'the limit') > 0)) throw new RangeError('the limit is a number of bytes above 0');
  wasm.pqtjs_set_limit(bytes);
}

function figures(reclaim) {
  call(wasm.pqtjs_memory, reclaim) || raise();
  const [bytes, usedBytes, versions] = doubles(3);
  return { bytes, usedBytes, versions };
}

/** Returns the bytes that versions take, and the number of objects that hold one. */
export function memory() {
  return figures(0);
}

/** Frees all versions that no object holds, and returns the memory afterwards. */
export function reclaim() {
  return figures(1);
}

// SPDX-License-Identifier: MIT
// tree.js: the class PersistentTree.
import {
  PIN, SUMMARY, TREE, Version, box, bufferAt, call, checkNearest, counted, doubles, fromBytes, number, numbers, own as ownVersion, pinOf, raise,
  raiseTrap, register, renewViews, settings, surplus, wasm, whole, wordAt, words,
} from './core.js';
import { INSERT, MOVE, MOVE_ID, REMOVE, REMOVE_ID, needFunction, sendEdits } from './draft.js';
import { DOUBLE, ITEM, checkedId, highOf, item, lowOf, send } from './items.js';
import { onStart } from './instance.js';

// Single edits and look-ups do not use `call`, because engines compile a direct call to a known
// function to little code.
let editTree, findItem;

onStart(() => {
  editTree = wasm.pqtjs_tree_edit;
  findItem = wasm.pqtjs_tree_find;
});

// The flags of a tree, as in shim.c.
const UNIQUE_IDS = 1;
const STRICT_BOUNDS = 2;

function flags({ uniqueIds = false, strictBounds = false }) {
  return (uniqueIds ? UNIQUE_IDS : 0) + (strictBounds ? STRICT_BOUNDS : 0);
}

const OPTIONS = ['leafCapacity', 'maxDepth', 'uniqueIds', 'strictBounds'];

function options(given = {}, known = OPTIONS) {
  const { leafCapacity = 24, maxDepth = 32 } = settings(given, known);
  return [whole(leafCapacity, 'leafCapacity'), whole(maxDepth, 'maxDepth'), flags(given)];
}

// ---- Results ----

/** Reads `count` consecutive items from the buffer. */
function receiveItems(count) {
  renewViews();
  const doubles = numbers, halves = words, found = new Array(count);
  for (let i = 0, k = bufferAt() / DOUBLE; i < count; i++, k += ITEM / DOUBLE) {
    const low = halves[2 * k + 8], high = halves[2 * k + 9];
    found[i] = { minX: doubles[k], minY: doubles[k + 1], maxX: doubles[k + 2], maxY: doubles[k + 3],
      id: high === 0 ? low : wordAt(k * DOUBLE + 32) };
  }
  return found;
}

/** Reads `count` items of `stride` bytes from the buffer; `rest` reads the further members of each. */
function receive(count, stride, offset, rest) {
  renewViews();
  for (let i = 0, at = bufferAt() + offset; i < count; i++, at += stride) {
    const k = at / DOUBLE;
    rest({ minX: numbers[k], minY: numbers[k + 1], maxX: numbers[k + 2], maxY: numbers[k + 3], id: wordAt(at + 32) }, k);
  }
}

const CHANGES = [undefined, 'insert', 'remove', 'move'];
const RESOLUTIONS = { ours: 1, theirs: 2, both: 3, neither: 4, base: 5 };

const pinOfTree = (tree, what = 'the object of the call') => pinOf(tree, TREE, what);
const own = (pin) => ownVersion(TREE, pin);

/** One version of a set of boxes with ids. No method changes it; methods that edit return another version. */
export class PersistentTree extends Version {
  [SUMMARY]() {
    return { size: this.size, bounds: this.bounds };
  }

  /** Makes an empty tree. */
  constructor(given, pin) {
    if (given !== PIN) {
      const { minX, minY, maxX, maxY } = box(given?.bounds, 'options.bounds');
      pin = call(wasm.pqtjs_tree_make, minX, minY, maxX, maxY, ...options(given, ['bounds', ...OPTIONS])) || raise();
    }
    super(PIN, TREE, pin);
  }

  /** Makes a tree from items in bulk. Its bounds are the smallest box around the items. */
  static of(items, idsOrOptions, given) {
    const hasIds = ArrayBuffer.isView(idsOrOptions) ||
      idsOrOptions !== null && typeof idsOrOptions === 'object' && Symbol.iterator in idsOrOptions;
    const settings = options(hasIds || idsOrOptions === undefined ? given : idsOrOptions);
    const [count, kind] = send(items, hasIds ? idsOrOptions : undefined);
    return own(call(wasm.pqtjs_tree_of, count, kind, ...settings));
  }

  /** Makes a tree from an object that toJSON returned. */
  static fromJSON(data) {
    if (data === null || typeof data !== 'object' || !Array.isArray(data.items))
      throw new TypeError('the data is not from toJSON: it has no items');
    const { bounds, leafCapacity, maxDepth, uniqueIds, strictBounds } = data;
    const empty = new PersistentTree({ bounds, leafCapacity, maxDepth, uniqueIds, strictBounds });
    const items = data.items.map((one) => (typeof one?.id === 'string' && /^[0-9]{1,20}$/.test(one.id) ? { ...one, id: BigInt(one.id) } : one));
    try {
      return empty.load(items);
    } finally {
      empty.free();
    }
  }

  /** Makes a tree from bytes that toBytes returned, in JavaScript or in another language. */
  static fromBytes(bytes) {
    return fromBytes(TREE, bytes);
  }

  #edited(items, ids, remove) {
    const [count, kind] = send(items, ids);
    return own(call(wasm.pqtjs_tree_edit_all, pinOfTree(this), count, kind, remove));
  }

  /** Inserts items in bulk. */
  load(items, ids) {
    return this.#edited(items, ids, 0);
  }

  /** Makes a version with one change. The numbers are the box of the item, and its new box. */
  #changed(kind, minX, minY, maxX, maxY, id, toMinX, toMinY, toMaxX, toMaxY) {
    const low = lowOf(checkedId(id)), high = highOf(id), old = pinOfTree(this);
    let pin;
    try {
      pin = editTree(old, kind, minX, minY, maxX, maxY, low, high, toMinX, toMinY, toMaxX, toMaxY);
    } catch (trap) {
      raiseTrap(trap);
    }
    return new PersistentTree(PIN, pin || raise());
  }

  /** Inserts an item. With uniqueIds, it replaces the item with the same id. */
  insert(one) {
    if (arguments.length > 1) surplus(arguments.length, 'insert', 1);
    const { minX, minY, maxX, maxY, id } = item(one, 'the item');
    return this.#changed(INSERT, minX, minY, maxX, maxY, id, 0, 0, 0, 0);
  }

  /** Removes the item with this box and this id. If it is absent, the result equals this version. */
  remove(one) {
    if (arguments.length > 1) surplus(arguments.length, 'remove', 1);
    const { minX, minY, maxX, maxY, id } = item(one, 'the item');
    return this.#changed(REMOVE, minX, minY, maxX, maxY, id, 0, 0, 0, 0);
  }

  /** Removes items in bulk. */
  removeAll(items, ids) {
    return this.#edited(items, ids, 1);
  }

  /** Changes the box of an item. If the item is absent, the result equals this version. */
  move(one, to) {
    const target = box(to, 'the new box'), { minX, minY, maxX, maxY, id } = item(one, 'the item');
    return this.#changed(MOVE, minX, minY, maxX, maxY, id, target.minX, target.minY, target.maxX, target.maxY);
  }

  /** Returns a version with all edits that a function makes on a draft, as if they were made one
      after another. */
  edit(change) {
    needFunction(change);
    return this.#draftedBy(change);
  }

  #draftedBy(change) {
    const [minX, minY, maxX, maxY, , , bits] = this.#described(), bounds = { minX, minY, maxX, maxY };
    const count = sendEdits(this, (bits & STRICT_BOUNDS) === 0 ? null : bounds, (bits & UNIQUE_IDS) !== 0, change);
    return own(call(wasm.pqtjs_tree_apply, pinOfTree(this), count));
  }

  /** Removes the item with an id. Needs uniqueIds. If there is none, the result equals this version. */
  removeId(id) {
    if (arguments.length > 1) surplus(arguments.length, 'removeId', 1);
    return this.#changed(REMOVE_ID, 0, 0, 0, 0, id, 0, 0, 0, 0);
  }

  /** Removes the items with some ids. Needs uniqueIds. */
  removeIds(ids) {
    return this.#draftedBy((draft) => { draft.removeIds(ids); });
  }

  /** Changes the box of the item with an id. Needs uniqueIds. If there is none, the result equals
      this version. */
  moveId(id, to) {
    const { minX, minY, maxX, maxY } = box(to, 'the new box');
    return this.#changed(MOVE_ID, 0, 0, 0, 0, id, minX, minY, maxX, maxY);
  }

  /** Changes the boxes of the items with some ids, one box for each id. Needs uniqueIds. */
  moveIds(ids, boxes) {
    return this.#draftedBy((draft) => { draft.moveIds(ids, boxes); });
  }

  /** Returns the empty tree with the same bounds and options. */
  clear() {
    return own(call(wasm.pqtjs_tree_clear, pinOfTree(this)));
  }

  /** The number of items. */
  get size() {
    return counted(call(wasm.pqtjs_tree_count, pinOfTree(this)));
  }

  #described() {
    call(wasm.pqtjs_tree_describe, pinOfTree(this)) || raise();
    return doubles(7);
  }

  /** The rectangle that the tree divides. */
  get bounds() {
    const [minX, minY, maxX, maxY] = this.#described();
    return { minX, minY, maxX, maxY };
  }

  /** Returns whether an item is found, by its id or by its box and its id. */
  #isFound(byId, minX, minY, maxX, maxY, id) {
    const low = lowOf(checkedId(id)), high = highOf(id), pin = pinOfTree(this);
    let found;
    try {
      found = findItem(pin, byId, minX, minY, maxX, maxY, low, high);
    } catch (trap) {
      raiseTrap(trap);
    }
    return counted(found) === 1;
  }

  /** Returns the item with an id; undefined if there is none. Needs uniqueIds. */
  find(id) {
    if (arguments.length > 1) surplus(arguments.length, 'find', 1);
    return this.#isFound(1, 0, 0, 0, 0, id) ? receiveItems(1)[0] : undefined;
  }

  /** Returns whether the tree contains the item with this box and this id. */
  has(one) {
    if (arguments.length > 1) surplus(arguments.length, 'has', 1);
    const { minX, minY, maxX, maxY, id } = item(one, 'the item');
    return this.#isFound(0, minX, minY, maxX, maxY, id);
  }

  /** Returns the items that touch a window, edges included, as new objects. */
  search(window) {
    if (arguments.length > 1) surplus(arguments.length, 'search', 1);
    const { minX, minY, maxX, maxY } = box(window, 'the window');
    return receiveItems(counted(call(wasm.pqtjs_tree_search, pinOfTree(this), minX, minY, maxX, maxY)));
  }

  /** Returns the same items as arrays: boxes, with four numbers per box, and ids. */
  searchArrays(window) {
    if (arguments.length > 1) surplus(arguments.length, 'searchArrays', 1);
    const { minX, minY, maxX, maxY } = box(window, 'the window');
    const count = counted(call(wasm.pqtjs_tree_search, pinOfTree(this), minX, minY, maxX, maxY));
    renewViews();
    const at = bufferAt() / 8;
    const found = { boxes: new Float64Array(4 * count), ids: new BigUint64Array(count) };
    const halves = new Uint32Array(found.ids.buffer); // no bigint is made for an item
    for (let i = 0, k = at; i < count; i++, k += ITEM / 8) {
      for (let j = 0; j < 4; j++) found.boxes[4 * i + j] = numbers[k + j];
      halves[2 * i] = words[2 * k + 8];
      halves[2 * i + 1] = words[2 * k + 9];
    }
    return found;
  }

  /** Returns only the ids; throws a RangeError if one is above 2^32 - 1. */
  searchIds(window) {
    if (arguments.length > 1) surplus(arguments.length, 'searchIds', 1);
    const { minX, minY, maxX, maxY } = box(window, 'the window');
    const count = counted(call(wasm.pqtjs_tree_search_ids, pinOfTree(this), minX, minY, maxX, maxY, 32));
    renewViews();
    const first = bufferAt() / 4;
    return words.slice(first, first + count);
  }

  /** Returns only the ids, of any size. */
  searchBigIds(window) {
    if (arguments.length > 1) surplus(arguments.length, 'searchBigIds', 1);
    const { minX, minY, maxX, maxY } = box(window, 'the window');
    const count = counted(call(wasm.pqtjs_tree_search_ids, pinOfTree(this), minX, minY, maxX, maxY, 64));
    return new BigUint64Array(wasm.memory.buffer, bufferAt(), count).slice();
  }

  /** Returns all items, in tree order. */
  all() {
    if (arguments.length > 0) surplus(arguments.length, 'all', 0);
    return this.search({ minX: -Infinity, minY: -Infinity, maxX: Infinity, maxY: Infinity });
  }

  [Symbol.iterator]() {
    return this.all()[Symbol.iterator]();
  }

  /** Returns whether an item touches a window. */
  collides(window) {
    if (arguments.length > 1) surplus(arguments.length, 'collides', 1);
    const { minX, minY, maxX, maxY } = box(window, 'the window');
    return counted(call(wasm.pqtjs_tree_count_in, pinOfTree(this), minX, minY, maxX, maxY, 1)) === 1;
  }

  /** Returns the number of items that touch a window. */
  count(window) {
    if (arguments.length > 1) surplus(arguments.length, 'count', 1);
    const { minX, minY, maxX, maxY } = box(window, 'the window');
    return counted(call(wasm.pqtjs_tree_count_in, pinOfTree(this), minX, minY, maxX, maxY, 0));
  }

  /** Returns the items nearest to a point (x, y, most, maxDistance) or to a box (box, most, maxDistance),
      nearest first, each with its distance. */
  nearest(...given) {
    const isBox = given[0] !== null && typeof given[0] === 'object', first = isBox ? 1 : 2;
    if (given.length > first + 2) surplus(given.length, 'nearest', first + 2);
    const { minX, minY, maxX, maxY } = isBox ? box(given[0], 'the box') : { minX: given[0], minY: given[1], maxX: given[0], maxY: given[1] };
    const [most = 1, maxDistance = Infinity] = given.slice(first);
    checkNearest(minX, minY, most);
    checkNearest(maxX, maxY, most);
    if (minX > maxX || minY > maxY) throw new RangeError(`the box ${minX}, ${minY}, ${maxX}, ${maxY} is inside out`);
    if (Number.isNaN(number(maxDistance, 'maxDistance'))) throw new RangeError('maxDistance is NaN');
    const count = counted(call(wasm.pqtjs_tree_nearest, pinOfTree(this), minX, minY, maxX, maxY, most, maxDistance));
    const found = [];
    receive(count, 48, 0, (one, k) => {
      one.distance = numbers[k + 5];
      found.push(one);
    });
    return found;
  }

  /** Returns the changes that turn this version into another one with equal bounds and options. */
  diff(after) {
    if (arguments.length > 1) surplus(arguments.length, 'diff', 1);
    const count = counted(call(wasm.pqtjs_tree_diff, pinOfTree(this), pinOfTree(after, 'the other version')));
    const found = [];
    receive(count, 80, 8, (one, k) => {
      const change = { kind: CHANGES[words[2 * k - 2]], item: one };
      if (change.kind === 'move')
        change.to = { minX: numbers[k + 5], minY: numbers[k + 6], maxX: numbers[k + 7], maxY: numbers[k + 8] };
      found.push(change);
    });
    return found;
  }

  /** Returns a version with the changes of both sides, which must derive from this version. */
  merge(ours, theirs, given = {}) {
    const { onConflict = 'error' } = settings(given, ['onConflict']);
    const resolution = onConflict === 'error' ? 0 : Object.hasOwn(RESOLUTIONS, onConflict) ? RESOLUTIONS[onConflict] : -1;
    if (resolution < 0) throw new RangeError(`onConflict must be one of error, ${Object.keys(RESOLUTIONS).join(', ')}, not ${String(onConflict)}`);
    return own(call(wasm.pqtjs_tree_merge, pinOfTree(this), pinOfTree(ours, 'ours'),
      pinOfTree(theirs, 'theirs'), resolution));
  }

  /** Returns a plain object, for JSON.stringify. Ids above 2^53 - 1 become strings of digits. */
  toJSON() {
    const [minX, minY, maxX, maxY, leafCapacity, maxDepth, bits] = this.#described();
    const items = this.all().map((one) => (typeof one.id === 'bigint' ? { ...one, id: String(one.id) } : one));
    return { bounds: { minX, minY, maxX, maxY }, leafCapacity, maxDepth, uniqueIds: (bits & UNIQUE_IDS) !== 0,
      strictBounds: (bits & STRICT_BOUNDS) !== 0, items };
  }
}

register(TREE, PersistentTree);

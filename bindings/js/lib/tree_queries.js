// SPDX-License-Identifier: MIT
// tree_queries.js: the queries of PersistentTree, which Draft has, too.
import {
  SUMMARY, TREE, box, bufferAt, call, checkNearest, counted, doubles, number, numbers, pinOf, raise, raiseTrap, renewViews, surplus, wasm, wordAt, words,
} from './core.js';
import { DOUBLE, ITEM, checkedId, highOf, item, lowOf } from './items.js';
import { onStart } from './instance.js';

// Look-ups do not use `call`, because engines compile a direct call to a known function to little code.
let findItem;

onStart(() => {
  findItem = wasm.pqtjs_tree_find;
});

// The flags of a tree, as in shim.c.
export const UNIQUE_IDS = 1;
export const STRICT_BOUNDS = 2;

let viewPinOf; // of draft.js

/** Sets the function that returns the pin of a draft's view, and undefined for any other value. */
export function readDraftsBy(read) {
  viewPinOf = read;
}

/** Returns the pin of a tree, or of the view of a draft, which is valid until the next edit of the draft. */
function pinToRead(tree, what = 'the object of the call') {
  return viewPinOf(tree) ?? pinOf(tree, TREE, what);
}

/** Returns the bounds, leafCapacity, maxDepth and flags of a tree. */
export function describe(pin) {
  call(wasm.pqtjs_tree_describe, pin) || raise();
  return doubles(7);
}

/** Returns whether an item is found, by its id or by its box and its id. */
function isFound(tree, byId, minX, minY, maxX, maxY, id) {
  const low = lowOf(checkedId(id)), high = highOf(id), pin = pinToRead(tree);
  let found;
  try {
    found = findItem(pin, byId, minX, minY, maxX, maxY, low, high);
  } catch (trap) {
    raiseTrap(trap);
  }
  return counted(found) === 1;
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
/** The queries, as methods. */
class TreeQueries {
  [SUMMARY]() {
    return { size: this.size, bounds: this.bounds };
  }

  /** The number of items. */
  get size() {
    return counted(call(wasm.pqtjs_tree_count, pinToRead(this)));
  }

  /** The rectangle that the tree divides. */
  get bounds() {
    const [minX, minY, maxX, maxY] = describe(pinToRead(this));
    return { minX, minY, maxX, maxY };
  }

  /** Returns the item with an id; undefined if there is none. Needs uniqueIds. */
  find(id) {
    if (arguments.length > 1) surplus(arguments.length, 'find', 1);
    return isFound(this, 1, 0, 0, 0, 0, id) ? receiveItems(1)[0] : undefined;
  }

  /** Returns whether the tree contains the item with this box and this id. */
  has(one) {
    if (arguments.length > 1) surplus(arguments.length, 'has', 1);
    const { minX, minY, maxX, maxY, id } = item(one, 'the item');
    return isFound(this, 0, minX, minY, maxX, maxY, id);
  }

  /** Returns the items that touch a window, edges included, as new objects. */
  search(window) {
    if (arguments.length > 1) surplus(arguments.length, 'search', 1);
    const { minX, minY, maxX, maxY } = box(window, 'the window');
    return receiveItems(counted(call(wasm.pqtjs_tree_search, pinToRead(this), minX, minY, maxX, maxY)));
  }

  /** Returns the same items as arrays: boxes, with four numbers per box, and ids. */
  searchArrays(window) {
    if (arguments.length > 1) surplus(arguments.length, 'searchArrays', 1);
    const { minX, minY, maxX, maxY } = box(window, 'the window');
    const count = counted(call(wasm.pqtjs_tree_search, pinToRead(this), minX, minY, maxX, maxY));
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
    const count = counted(call(wasm.pqtjs_tree_search_ids, pinToRead(this), minX, minY, maxX, maxY, 32));
    renewViews();
    const first = bufferAt() / 4;
    return words.slice(first, first + count);
  }

  /** Returns only the ids, of any size. */
  searchBigIds(window) {
    if (arguments.length > 1) surplus(arguments.length, 'searchBigIds', 1);
    const { minX, minY, maxX, maxY } = box(window, 'the window');
    const count = counted(call(wasm.pqtjs_tree_search_ids, pinToRead(this), minX, minY, maxX, maxY, 64));
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
    return counted(call(wasm.pqtjs_tree_count_in, pinToRead(this), minX, minY, maxX, maxY, 1)) === 1;
  }

  /** Returns the number of items that touch a window. */
  count(window) {
    if (arguments.length > 1) surplus(arguments.length, 'count', 1);
    const { minX, minY, maxX, maxY } = box(window, 'the window');
    return counted(call(wasm.pqtjs_tree_count_in, pinToRead(this), minX, minY, maxX, maxY, 0));
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
    const count = counted(call(wasm.pqtjs_tree_nearest, pinToRead(this), minX, minY, maxX, maxY, most, maxDistance));
    const found = [];
    receive(count, 48, 0, (one, k) => {
      one.distance = numbers[k + 5];
      found.push(one);
    });
    return found;
  }

  /** Returns the changes that turn this tree into another one with equal bounds and options. */
  diff(after) {
    if (arguments.length > 1) surplus(arguments.length, 'diff', 1);
    const count = counted(call(wasm.pqtjs_tree_diff, pinToRead(this), pinToRead(after, 'the other tree')));
    const found = [];
    receive(count, 80, 8, (one, k) => {
      const change = { kind: CHANGES[words[2 * k - 2]], item: one };
      if (change.kind === 'move')
        change.to = { minX: numbers[k + 5], minY: numbers[k + 6], maxX: numbers[k + 7], maxY: numbers[k + 8] };
      found.push(change);
    });
    return found;
  }

  /** Returns a plain object, for JSON.stringify. Ids above 2^53 - 1 become strings of digits. */
  toJSON() {
    const [minX, minY, maxX, maxY, leafCapacity, maxDepth, bits] = describe(pinToRead(this));
    const items = this.all().map((one) => (typeof one.id === 'bigint' ? { ...one, id: String(one.id) } : one));
    return { bounds: { minX, minY, maxX, maxY }, leafCapacity, maxDepth, uniqueIds: (bits & UNIQUE_IDS) !== 0,
      strictBounds: (bits & STRICT_BOUNDS) !== 0, items };
  }
}

/** Gives a class the queries. */
export function addQueries(target) {
  const { constructor, ...queries } = Object.getOwnPropertyDescriptors(TreeQueries.prototype);
  Object.defineProperties(target.prototype, queries);
}

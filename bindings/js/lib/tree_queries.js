// SPDX-License-Identifier: MIT
// tree_queries.js: the queries of PersistentTree, which Draft has, too.
import {
  Handle, SUMMARY, TREE, bigId, box, bufferAt, call, checkNearest, counted, doubles, number, numbers, own, pinOf, raise, raiseTrap, renewViews, settings,
  surplus, wasm, whole, words,
} from './core.js';
import { castHits, lineOf, offsetOf, pairChangesOf, pairIdsOf, pairsOf, slide } from './collision.js';
import { CHANGE, ITEM, checkedId, highOf, item, lowOf, receive, receiveChanges, receiveItems } from './items.js';
import { onStart } from './instance.js';
import { accepted, accepts, checkFilter, firstAccepted, isSphere, queryOf } from './query.js';

// Look-ups do not use `call`, because engines compile a direct call to a known function to little code.
let findItem, hasItem;

onStart(() => {
  findItem = wasm.pqtjs_tree_find;
  hasItem = wasm.pqtjs_tree_contains;
});

// The flags of a tree, as in flat.h.
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
    found = byId ? findItem(pin, low, high) : hasItem(pin, minX, minY, maxX, maxY, low, high);
  } catch (trap) {
    raiseTrap(trap);
  }
  return counted(found) === 1;
}

const LARGEST_DAMAGE = 65536; // boxes
const NEAR = 56; // bytes of an item and its distance
const EVERYWHERE = { minX: -Infinity, minY: -Infinity, maxX: Infinity, maxY: Infinity };

/** Returns an id as an element of a Uint32Array. */
function shortId({ id }) {
  if (id > 4294967295) throw Object.assign(new RangeError('an id is above 2^32 - 1: use 64-bit ids'), { code: 'PQT_ERROR_LIMIT' });
  return id;
}

/** Returns items as arrays, like searchArrays. */
function arraysOfItems(items) {
  const boxes = Float64Array.from(items.flatMap(({ minX, minY, maxX, maxY }) => [minX, minY, maxX, maxY]));
  return { boxes, ids: BigUint64Array.from(items, ({ id }) => bigId(id, 'an item')) };
}

/** Fills the buffer with the items that have a relation to a window, and returns their number. */
function sendItems(tree, { minX, minY, maxX, maxY }, relation) {
  return counted(call(wasm.pqtjs_tree_items, pinToRead(tree), minX, minY, maxX, maxY, relation));
}

/** Returns the items that have a relation to a window and that a filter accepts. */
export function itemsOf(tree, window, { relation, filter }) {
  return accepted(receiveItems(sendItems(tree, window, relation)), filter);
}

function sendIds(tree, { minX, minY, maxX, maxY }, relation, bits) {
  return counted(call(wasm.pqtjs_tree_search_ids, pinToRead(tree), minX, minY, maxX, maxY, relation, bits));
}

function countIn(counting, tree, { minX, minY, maxX, maxY }, relation) {
  return counted(call(counting, pinToRead(tree), minX, minY, maxX, maxY, relation));
}

function nearestTo(tree, { minX, minY, maxX, maxY }, most, maxDistance, onSphere) {
  const count = counted(call(wasm.pqtjs_tree_nearest, pinToRead(tree), minX, minY, maxX, maxY, most, maxDistance, onSphere ? 1 : 0));
  const found = [];
  receive(count, NEAR, 0, (one, k) => {
    one.distance = numbers[k + 5];
    found.push(one);
  });
  return found;
}

/** Reads the arguments of pairs: another tree, options, or both. */
function pairing(tree, given, method) {
  const isPair = given[0] instanceof Handle, last = isPair ? 2 : 1;
  if (given.length > last) surplus(given.length, method, last);
  const { relation, filter, rest } = queryOf(given[last - 1], isPair ? ['offset'] : []);
  const pins = () => (isPair ? [pinToRead(tree), pinToRead(given[0], 'the other tree')] : [pinToRead(tree)]);
  return { pins, query: { relation, filter }, offset: offsetOf(rest.offset) };
}

/** Reads the arguments of a cast. Returns a function that returns a number of hits, and the filter. */
function casting(tree, line, given) {
  const figures = lineOf(line), filter = checkFilter(settings(given, ['filter']).filter);
  return { fetch: (most) => castHits(() => pinToRead(tree), figures, most), filter };
}

/** Calls a function with the pin of a tree of the items in a window that a filter accepts. */
function withPart(tree, window, filter, action) {
  const items = itemsOf(tree, window, { relation: 1, filter });
  const empty = own(TREE, call(wasm.pqtjs_tree_make, ...describe(pinToRead(tree))));
  let part = empty;
  try {
    part = empty.load(items);
    return action(() => pinOf(part, TREE, 'the part'));
  } finally {
    empty.free();
    part.free();
  }
}

function slideIn(tree, shape, from, to, given, bounces) {
  return slide(() => pinToRead(tree), (...part) => withPart(tree, ...part), shape, from, to, given, bounces);
}


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

  /** The smallest box around all items; null if there are none. */
  get extent() {
    if (counted(call(wasm.pqtjs_tree_extent, pinToRead(this))) === 0) return null;
    const [minX, minY, maxX, maxY] = doubles(4);
    return { minX, minY, maxX, maxY };
  }

  /** Returns the item with an id; undefined if there is none. Needs uniqueIds. */
  find(id) {
    if (arguments.length > 1) surplus(arguments.length, 'find', 1);
    return isFound(this, true, 0, 0, 0, 0, id) ? receiveItems(1)[0] : undefined;
  }

  /** Returns whether the tree contains the item with this box and this id. */
  has(one) {
    if (arguments.length > 1) surplus(arguments.length, 'has', 1);
    const { minX, minY, maxX, maxY, id } = item(one, 'the item');
    return isFound(this, false, minX, minY, maxX, maxY, id);
  }

  /** Returns the items that have a relation to a window, as new objects. */
  search(window, given) {
    if (arguments.length > 2) surplus(arguments.length, 'search', 2);
    return itemsOf(this, box(window, 'the window'), queryOf(given));
  }

  /** Returns the same items as arrays: boxes, with four numbers per box, and ids. */
  searchArrays(window, given) {
    if (arguments.length > 2) surplus(arguments.length, 'searchArrays', 2);
    const area = box(window, 'the window'), query = queryOf(given);
    if (query.filter !== undefined) return arraysOfItems(itemsOf(this, area, query));
    const count = sendItems(this, area, query.relation);
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
  searchIds(window, given) {
    if (arguments.length > 2) surplus(arguments.length, 'searchIds', 2);
    const area = box(window, 'the window'), query = queryOf(given);
    if (query.filter !== undefined) return Uint32Array.from(itemsOf(this, area, query), shortId);
    const count = sendIds(this, area, query.relation, 32);
    renewViews();
    const first = bufferAt() / 4;
    return words.slice(first, first + count);
  }

  /** Returns only the ids, of any size. */
  searchBigIds(window, given) {
    if (arguments.length > 2) surplus(arguments.length, 'searchBigIds', 2);
    const area = box(window, 'the window'), query = queryOf(given);
    if (query.filter !== undefined) return arraysOfItems(itemsOf(this, area, query)).ids;
    const count = sendIds(this, area, query.relation, 64);
    return new BigUint64Array(wasm.memory.buffer, bufferAt(), count).slice();
  }

  /** Returns all items, in tree order. */
  all() {
    if (arguments.length > 0) surplus(arguments.length, 'all', 0);
    return this.search(EVERYWHERE);
  }

  [Symbol.iterator]() {
    return this.all()[Symbol.iterator]();
  }

  /** Returns whether an item has a relation to a window. */
  collides(window, given) {
    if (arguments.length > 2) surplus(arguments.length, 'collides', 2);
    const area = box(window, 'the window'), { relation, filter } = queryOf(given);
    if (filter === undefined) return countIn(wasm.pqtjs_tree_any, this, area, relation) === 1;
    return itemsOf(this, area, { relation }).some((one) => accepts(filter, one));
  }

  /** Returns the number of items that have a relation to a window. */
  count(window, given) {
    if (arguments.length > 2) surplus(arguments.length, 'count', 2);
    const area = box(window, 'the window'), query = queryOf(given);
    return query.filter === undefined ? countIn(wasm.pqtjs_tree_count_in, this, area, query.relation) : itemsOf(this, area, query).length;
  }

  /** Returns the items nearest to a point (x, y) or to a box, nearest first, each with its distance. The
      further arguments are `most` and `maxDistance`, or options. */
  nearest(...given) {
    const isBox = given[0] !== null && typeof given[0] === 'object', first = isBox ? 1 : 2;
    const hasOptions = given[first] !== null && typeof given[first] === 'object', last = first + (hasOptions ? 1 : 2);
    if (given.length > last) surplus(given.length, 'nearest', last);
    const area = isBox ? box(given[0], 'the box') : { minX: given[0], minY: given[1], maxX: given[0], maxY: given[1] };
    const limits = hasOptions ? settings(given[first], ['most', 'maxDistance', 'filter', 'surface']) : { most: given[first], maxDistance: given[first + 1] };
    const { most = 1, maxDistance = Infinity, filter, surface = 'plane' } = limits, { minX, minY, maxX, maxY } = area;
    checkNearest(minX, minY, most);
    checkNearest(maxX, maxY, most);
    if (minX > maxX || minY > maxY) throw new RangeError(`the box ${minX}, ${minY}, ${maxX}, ${maxY} is inside out`);
    if (Number.isNaN(number(maxDistance, 'maxDistance'))) throw new RangeError('maxDistance is NaN');
    const onSphere = isSphere(surface);
    if (onSphere && (minX !== maxX || minY !== maxY)) throw new RangeError('on the sphere, distances are measured from a point, not from a box');
    return firstAccepted(most, checkFilter(filter), (count) => nearestTo(this, area, count, maxDistance, onSphere));
  }

  /** Returns the pairs of items that have a relation, { a, b }: of this tree, or of this tree and another. */
  pairs(...given) {
    const { pins, query, offset } = pairing(this, given, 'pairs');
    return pairsOf(pins, query, offset);
  }

  /** Returns the ids of the same pairs, two for each; throws a RangeError if one is above 2^32 - 1. */
  pairIds(...given) {
    const { pins, query, offset } = pairing(this, given, 'pairIds');
    if (query.filter === undefined) return pairIdsOf(pins, query.relation, offset);
    return Uint32Array.from(pairsOf(pins, query, offset).flatMap(({ a, b }) => [a, b]), shortId);
  }

  /** Returns the first item that a line hits, with entry, exit and normal; undefined if there is none. */
  cast(line, given = {}) {
    if (arguments.length > 2) surplus(arguments.length, 'cast', 2);
    const { fetch, filter } = casting(this, line, given);
    return firstAccepted(1, filter, fetch)[0];
  }

  /** Returns all items that a line hits, front to back. */
  castAll(line, given = {}) {
    if (arguments.length > 2) surplus(arguments.length, 'castAll', 2);
    const { fetch, filter } = casting(this, line, given);
    return firstAccepted(Infinity, filter, fetch);
  }

  /** Moves a box or a circle from one position to another, and returns where an item stops it. */
  sweep(shape, from, to, given = {}) {
    if (arguments.length > 4) surplus(arguments.length, 'sweep', 4);
    return slideIn(this, shape, from, to, given, 0).first;
  }

  /** Like sweep, but the shape slides along the items that it hits, at most `bounces` times. */
  slide(shape, from, to, given = {}) {
    if (arguments.length > 4) surplus(arguments.length, 'slide', 4);
    return slideIn(this, shape, from, to, given, 3);
  }

  /** Returns the changes that turn this tree into another one with equal bounds and options. */
  diff(after) {
    if (arguments.length > 1) surplus(arguments.length, 'diff', 1);
    return receiveChanges(counted(call(wasm.pqtjs_tree_diff, pinToRead(this), pinToRead(after, 'the other tree'))) / CHANGE);
  }

  /** Returns the pairs of items that began or ended between this tree and another one, { began, a, b }. */
  pairChanges(after, given = {}) {
    if (arguments.length > 2) surplus(arguments.length, 'pairChanges', 2);
    return pairChangesOf(() => [pinToRead(this), pinToRead(after, 'the other tree')], queryOf(given, []));
  }

  /** Returns at most `most` boxes that cover the changes between this tree and another one. */
  damage(after, most = 16) {
    if (arguments.length > 2) surplus(arguments.length, 'damage', 2);
    if (whole(most, 'most') < 1 || most > LARGEST_DAMAGE) throw new RangeError(`most must be from 1 to ${LARGEST_DAMAGE}, not ${most}`);
    const sides = doubles(counted(call(wasm.pqtjs_tree_damage, pinToRead(this), pinToRead(after, 'the other tree'), most)) / 8);
    return Array.from({ length: sides.length / 4 }, (_, i) => ({ minX: sides[4 * i], minY: sides[4 * i + 1], maxX: sides[4 * i + 2], maxY: sides[4 * i + 3] }));
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

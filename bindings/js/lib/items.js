// SPDX-License-Identifier: MIT
// items.js: reads items that are arguments, copies them to the buffer, and reads items from it.
import { attached, bigId, box, bufferAt, isArrayOf, numbers, refusal, renewViews, reserve, scratch, wasm, wordAt, words } from './core.js';

export const ITEM = 40; // bytes: four doubles, and a 64-bit id
export const DOUBLE = 8;
export const CHANGE = 80; // bytes of a change: the kind, the item, and the new box
export const CHANGES = [undefined, 'insert', 'remove', 'move'];

export function isId(id) {
  return typeof id === 'number' ? Number.isSafeInteger(id) && id >= 0 : id >= 0n && id < 2n ** 64n;
}

/** Returns an id; throws unless it is one. */
export function checkedId(id) {
  if (typeof id !== 'number' && typeof id !== 'bigint') throw new TypeError('the id must be a number or a bigint');
  if (!isId(id)) throw refusal('an id must be an integer from 0 to 2^53 - 1, or a bigint below 2^64');
  return id;
}

// The halves of an id. The library and arrays of words take a number modulo 2^32, without a fraction.
export function lowOf(id) {
  return typeof id === 'number' ? id : Number(id & 0xffffffffn);
}

export function highOf(id) {
  return typeof id === 'number' ? id / 4294967296 : Number(id >> 32n);
}

/** Returns the members of an item as a new object. */
export function item(value, what) {
  const { minX, minY, maxX, maxY } = box(value, what);
  const { id } = value;
  if (typeof id !== 'number' && typeof id !== 'bigint') throw new TypeError(`${what}: the id must be a number or a bigint`);
  return { minX, minY, maxX, maxY, id };
}

// The forms in which the ids of a call are passed, as in shim.c.
export const INDICES = 0;
export const WORDS = 1;
export const LONG_WORDS = 2;
const DOUBLES = 3;

/** Returns the form of the ids in a typed array. */
function formOf(ids) {
  const form = isArrayOf(ids, 'Uint32Array') ? WORDS : isArrayOf(ids, 'BigUint64Array') ? LONG_WORDS : DOUBLES;
  if (form === DOUBLES && !isArrayOf(ids, 'Float64Array'))
    throw new TypeError('ids must be an array, a Uint32Array, a BigUint64Array or a Float64Array');
  return form;
}

/** Checks boxes and ids, which are typed arrays. Returns { boxes, ids, count, kind }, where `kind` is the form of the ids. */
function checked(boxes, ids) {
  const kind = ids === undefined ? INDICES : formOf(ids);
  const length = attached(boxes, 'the array of boxes'), count = length / 4;
  if (length % 4 !== 0) throw new RangeError(`boxes have four numbers each, but the array has ${length}`);
  const idCount = ids === undefined ? count : attached(ids, 'the array of ids');
  if (idCount !== count) throw new RangeError(`there are ${count} boxes and ${idCount} ids`);
  return { boxes, ids, count, kind };
}

/** Returns `count` ids that `read` returns, in a Float64Array, or in a BigUint64Array if one is a bigint. */
function collectIds(count, what, read) {
  const numbers = scratch(Float64Array, count);
  let bigIds = null;
  for (let i = 0; i < count; i++) {
    const id = read(i);
    if (typeof id === 'bigint' && bigIds === null) bigIds = BigUint64Array.from(numbers, (one, k) => (k < i ? bigId(one, `${what} ${k}`) : 0n));
    if (bigIds !== null) bigIds[i] = bigId(id, `${what} ${i}`);
    else numbers[i] = id;
  }
  return bigIds ?? numbers;
}

/** Copies ids from an array, and returns any other value. */
function idsFrom(ids) {
  if (!Array.isArray(ids)) return ids;
  return collectIds(ids.length, 'id', (i) => { // reading an id may change the array
    const id = ids[i];
    if (typeof id !== 'number' && typeof id !== 'bigint') throw new TypeError(`id ${i} is not a number or a bigint`);
    return id;
  });
}

/** Writes the edges of a box as element `i` of an array of boxes. */
function putBox(boxes, i, { minX, minY, maxX, maxY }) {
  boxes[4 * i] = minX;
  boxes[4 * i + 1] = minY;
  boxes[4 * i + 2] = maxX;
  boxes[4 * i + 3] = maxY;
}

/** Reads items, which are objects or a Float64Array of boxes and their ids. Returns { boxes, ids, count, kind }. */
export function arraysOf(items, given) {
  if (isArrayOf(items, 'Float64Array')) return checked(items, idsFrom(given));
  if (!Array.isArray(items)) throw new TypeError('items must be an array of objects or a Float64Array of boxes');
  if (given !== undefined) throw new TypeError('items that are objects have ids of their own: pass ids only with a Float64Array of boxes');
  const count = items.length; // reading an item may change the array
  const boxes = scratch(Float64Array, count * 4);
  const ids = collectIds(count, 'item', (i) => {
    const one = item(items[i], `item ${i}`);
    putBox(boxes, i, one);
    return one.id;
  });
  return checked(boxes, ids);
}

/** Reads ids and their new boxes, which are objects or a Float64Array. Returns the same as arraysOf. */
export function movesOf(given, to) {
  const ids = idsFrom(given);
  formOf(ids);
  if (isArrayOf(to, 'Float64Array')) return checked(to, ids);
  if (!Array.isArray(to)) throw new TypeError('the new boxes must be an array of objects or a Float64Array');
  const boxes = scratch(Float64Array, to.length * 4);
  for (let i = 0; 4 * i < boxes.length; i++) putBox(boxes, i, box(to[i], `box ${i}`));
  return checked(boxes, ids);
}

/** Reads ids. Returns { ids, count, kind }, where `kind` is the form of the ids. */
export function idsOf(given) {
  const ids = idsFrom(given), kind = formOf(ids);
  return { ids, count: attached(ids, 'the array of ids'), kind };
}

/** Copies items to the buffer, for items_of_buffer of shim.c. Returns [count, kind of ids]. */
export function send(items, given) {
  const { boxes, ids, count, kind } = arraysOf(items, given);
  const at = reserve(count * (ITEM + 4 * DOUBLE + DOUBLE)) + count * ITEM;
  new Float64Array(wasm.memory.buffer, at, 4 * count).set(boxes);
  if (kind !== INDICES) {
    const Words = kind === WORDS ? Uint32Array : kind === LONG_WORDS ? BigUint64Array : Float64Array;
    new Words(wasm.memory.buffer, at + 4 * count * DOUBLE, count).set(ids);
  }
  return [count, kind];
}

// ---- Results ----

/** Reads `count` consecutive items from the buffer, from byte `offset` on. */
export function receiveItems(count, offset = 0) {
  renewViews();
  const doubles = numbers, halves = words, found = new Array(count);
  for (let i = 0, k = (bufferAt() + offset) / DOUBLE; i < count; i++, k += ITEM / DOUBLE) {
    const low = halves[2 * k + 8], high = halves[2 * k + 9];
    found[i] = { minX: doubles[k], minY: doubles[k + 1], maxX: doubles[k + 2], maxY: doubles[k + 3],
      id: high === 0 ? low : wordAt(k * DOUBLE + 32) };
  }
  return found;
}

/** Reads `count` items of `stride` bytes from the buffer; `rest` reads the further members of each. */
export function receive(count, stride, offset, rest) {
  renewViews();
  for (let i = 0, at = bufferAt() + offset; i < count; i++, at += stride) {
    const k = at / DOUBLE;
    rest({ minX: numbers[k], minY: numbers[k + 1], maxX: numbers[k + 2], maxY: numbers[k + 3], id: wordAt(at + 32) }, k);
  }
}

/** Reads `count` changes from the buffer. */
export function receiveChanges(count) {
  const found = [];
  receive(count, CHANGE, 8, (one, k) => {
    const change = { kind: CHANGES[words[2 * k - 2]], item: one };
    if (change.kind === 'move')
      change.to = { minX: numbers[k + 5], minY: numbers[k + 6], maxX: numbers[k + 7], maxY: numbers[k + 8] };
    found.push(change);
  });
  return found;
}

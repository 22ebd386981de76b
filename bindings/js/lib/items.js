// SPDX-License-Identifier: MIT
// items.js: reads items that are arguments, and copies them to the buffer.
import { attached, bigId, box, isArrayOf, number, refusal, reserve, scratch, wasm } from './core.js';

export const ITEM = 40; // bytes: four doubles, and a 64-bit id
export const DOUBLE = 8;

export function isId(id) {
  return typeof id === 'number' ? Number.isSafeInteger(id) && id >= 0 : id >= 0n && id < 2n ** 64n;
}

/** Returns an item with an id, and with a box that nothing reads. Throws unless ids are unique. */
export function itemNamed(id, areUnique) {
  if (typeof id !== 'number' && typeof id !== 'bigint') throw new TypeError('the id must be a number or a bigint');
  if (!isId(id)) throw refusal('an id must be an integer from 0 to 2^53 - 1, or a bigint below 2^64');
  if (!areUnique) throw refusal('the tree was not made with uniqueIds');
  return { minX: 0, minY: 0, maxX: 0, maxY: 0, id };
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

/** Checks boxes and ids, which are typed arrays. Returns { boxes, ids, count, kind }, where `kind` is the form of the ids. */
function checked(boxes, ids) {
  const kind = ids === undefined ? INDICES : isArrayOf(ids, 'Uint32Array') ? WORDS
    : isArrayOf(ids, 'BigUint64Array') ? LONG_WORDS : DOUBLES;
  if (kind === DOUBLES && !isArrayOf(ids, 'Float64Array'))
    throw new TypeError('ids must be an array, a Uint32Array, a BigUint64Array or a Float64Array');
  const length = attached(boxes, 'the array of boxes'), count = length / 4;
  if (length % 4 !== 0) throw new RangeError(`boxes have four numbers each, but the array has ${length}`);
  const idCount = ids === undefined ? count : attached(ids, 'the array of ids');
  if (idCount !== count) throw new RangeError(`there are ${count} boxes and ${idCount} ids`);
  return { boxes, ids, count, kind };
}

/** Copies an array of ids, which must be numbers, into a Float64Array. */
function numbersOf(ids) {
  const numbers = scratch(Float64Array, ids.length); // reading an id may change the array
  for (let i = 0; i < numbers.length; i++) numbers[i] = number(ids[i], `id ${i}`);
  return numbers;
}

/** Reads items, which are objects or a Float64Array of boxes and their ids. Returns { boxes, ids, count, kind }. */
export function arraysOf(items, ids) {
  if (isArrayOf(items, 'Float64Array')) return checked(items, Array.isArray(ids) ? numbersOf(ids) : ids);
  if (!Array.isArray(items)) throw new TypeError('items must be an array of objects or a Float64Array of boxes');
  if (ids !== undefined) throw new TypeError('items that are objects have ids of their own: pass ids only with a Float64Array of boxes');
  const count = items.length; // reading an item may change the array
  const boxes = scratch(Float64Array, count * 4), numbers = scratch(Float64Array, count);
  let bigIds = null;
  for (let i = 0; i < count; i++) {
    const { minX, minY, maxX, maxY, id } = item(items[i], `item ${i}`);
    boxes[4 * i] = minX;
    boxes[4 * i + 1] = minY;
    boxes[4 * i + 2] = maxX;
    boxes[4 * i + 3] = maxY;
    if (typeof id === 'bigint' && bigIds === null) bigIds = BigUint64Array.from(numbers, (one, k) => (k < i ? bigId(one, `item ${k}`) : 0n));
    if (bigIds !== null) bigIds[i] = bigId(id, `item ${i}`);
    else numbers[i] = id;
  }
  return checked(boxes, bigIds ?? numbers);
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

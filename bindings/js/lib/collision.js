// SPDX-License-Identifier: MIT
// collision.js: pairs, casts, sweeps and slides in trees, for tree.js, and sweeps of two shapes.
import { box, bufferAt, call, counted, number, numbers, raise, renewViews, reserveArray, settings, surplus, wasm, words } from './core.js';
import { ITEM, receive, receiveItems } from './items.js';
import { accepts, checkFilter } from './query.js';

const HIT = 88, SWEEP = 120, PAIR = 88; // bytes, as in flat.c
const MOST = 0xffffffff; // hits
const BOX = 1, CIRCLE = 2; // as in flat.h
const STATUSES = ['none', 'free', 'touches', 'hits', 'overlaps'];

/** Returns the members x and y of an object, which are finite numbers; they default to those of a point. */
function pointOf(value, what, { x: defaultX, y: defaultY } = {}) {
  if (value === null || typeof value !== 'object') throw new TypeError(`${what} is not an object with x and y`);
  const { x = defaultX, y = defaultY } = value;
  if (!Number.isFinite(number(x, `${what}: x`)) || !Number.isFinite(number(y, `${what}: y`))) throw new RangeError(`${what}: ${x}, ${y} is not finite`);
  return [x, y];
}

// ---- Pairs ----

/** Fills the buffer with pairs. Returns the number of bytes. */
function sendPairs(pins, relation, [x, y], ids) {
  const [pin, other] = pins();
  return counted(call(wasm.pqtjs_tree_pairs, pin, other ?? pin, other === undefined ? 0 : 1, relation, x, y, ids ? 1 : 0));
}

/** Returns pairs of items, { a, b }, that a filter accepts. `pins` returns the pins of the trees. */
export function pairsOf(pins, { relation, filter }, offset) {
  const items = receiveItems(sendPairs(pins, relation, offset, false) / ITEM), pairs = [];
  for (let i = 0; i < items.length; i += 2)
    if (filter === undefined || accepts(filter, items[i], items[i + 1])) pairs.push({ a: items[i], b: items[i + 1] });
  return pairs;
}

/** Returns the ids of pairs, two for each, which must be below 2^32. */
export function pairIdsOf(pins, relation, offset) {
  const ids = new Uint32Array(sendPairs(pins, relation, offset, true) / 8);
  renewViews();
  for (let i = 0, at = bufferAt() / 4; i < ids.length; i++, at += 2) {
    if (words[at + 1] !== 0) throw Object.assign(new RangeError('an id is above 2^32 - 1: use pairs'), { code: 'PQT_ERROR_LIMIT' });
    ids[i] = words[at];
  }
  return ids;
}

/** Returns the pairs that began or ended between two trees, { began, a, b }. `pins` returns their pins. */
export function pairChangesOf(pins, { relation, filter }) {
  const count = counted(call(wasm.pqtjs_tree_pair_changes, ...pins(), relation)) / PAIR, first = [], found = [];
  receive(count, PAIR, 0, (a) => first.push(a));
  receive(count, PAIR, ITEM, (b, k) => found.push({ began: words[2 * k + 10] === 1, a: first[found.length], b }));
  return filter === undefined ? found : found.filter(({ a, b }) => accepts(filter, a, b));
}

/** Returns the offset of the second tree, 0, 0 by default. */
export function offsetOf(given = {}) {
  return pointOf(given, 'offset', { x: 0, y: 0 });
}

// ---- Casts ----

/** Returns the numbers of a line, { from, to } or { from, direction }, for castHits. */
export function lineOf(line) {
  if (line === null || typeof line !== 'object') throw new TypeError('the line is not an object with from, and with to or direction');
  const { from, to, direction } = line;
  if ((to === undefined) === (direction === undefined)) throw new TypeError('a line has either to or direction');
  return [direction === undefined ? 0 : 1, ...pointOf(from, 'from'), ...pointOf(to ?? direction, to === undefined ? 'direction' : 'to')];
}

/** Returns the first hits of a line, front to back, at most `most`. */
export function castHits(pinOfTree, line, most) {
  const bytes = counted(call(wasm.pqtjs_tree_cast, pinOfTree(), ...line, Math.min(most, MOST))), hits = [];
  receive(bytes / HIT, HIT, 8, (one, k) => {
    one.entry = numbers[k + 5];
    one.exit = numbers[k + 6];
    one.normalX = numbers[k + 7];
    one.normalY = numbers[k + 8];
    one.inside = one.entry === 0;
    hits.push(one);
  });
  return hits;
}

// ---- Sweeps ----

/** Returns a shape, which is a box or the radius of a circle, and both positions. `kind` and `figures` are
    what the library gets. */
export function moverOf(given, from, to) {
  const isCircle = typeof given === 'number';
  const shape = isCircle ? { minX: -given, minY: -given, maxX: given, maxY: given } : box(given, 'the shape'), { minX, minY, maxX, maxY } = shape;
  if (!Number.isFinite(maxX - minX) || !Number.isFinite(maxY - minY) || minX > maxX || minY > maxY)
    throw new RangeError(isCircle ? `the radius must be a finite number of at least 0, not ${given}` : `the shape ${minX}, ${minY}, ${maxX}, ${maxY} is not a box`);
  const start = pointOf(from, 'from'), end = pointOf(to, 'to');
  return { isCircle, shape, start, end, kind: isCircle ? CIRCLE : BOX, figures: [...start, ...end, isCircle ? given : minX, minY, maxX, maxY] };
}

/** Returns a window that contains the shape wherever a slide may move it: a box stays between the two
    positions, and a circle within their distance from the first one. */
function windowOf({ isCircle, shape: { minX, minY, maxX, maxY }, start: [x, y], end: [toX, toY] }) {
  if (!isCircle)
    return { minX: minX + Math.min(x, toX), minY: minY + Math.min(y, toY), maxX: maxX + Math.max(x, toX), maxY: maxY + Math.max(y, toY) };
  const reach = maxX + Math.hypot(toX - x, toY - y), error = 2 ** -40 * Math.max(Math.abs(x), Math.abs(y), reach);
  return { minX: x - reach - error, minY: y - reach - error, maxX: x + reach + error, maxY: y + reach + error };
}

/** Reads sweep `i` from the buffer. The views must be renewed. */
function receiveSweep(i) {
  let item;
  receive(1, ITEM, i * SWEEP, (one) => { item = one; });
  const first = (bufferAt() + i * SWEEP + ITEM) / 8;
  const [status, time, x, y, blocked, normalX, normalY, exit, freeX, freeY] = numbers.subarray(first, first + 10);
  return { status: STATUSES[status], time, x, y, blockedX: (blocked & 1) !== 0, blockedY: (blocked & 2) !== 0, normalX, normalY, exit, freeX, freeY,
    item: status > 1 ? item : null };
}

/** Slides a shape through a tree. Returns { x, y, bounces, blockedX, blockedY, first, last }. */
function slideMover(pinOfTree, { kind, figures }, bounces, ignoreOverlap) {
  reserveArray(Float64Array, figures.length).set(figures);
  call(wasm.pqtjs_tree_slide, pinOfTree(), kind, 0, bounces, ignoreOverlap) || raise();
  renewViews();
  const end = (bufferAt() + 2 * SWEEP) / 8, [x, y, made, blocked] = numbers.subarray(end, end + 4);
  return { x, y, bounces: made, blockedX: (blocked & 1) !== 0, blockedY: (blocked & 2) !== 0, first: receiveSweep(0), last: receiveSweep(1) };
}

/** Reads the arguments of a sweep or a slide, and slides the shape. With a filter, `part` makes a tree
    of the items in a window that the filter accepts, and calls a function with its pin. */
export function slide(pinOfTree, part, shape, from, to, given, most) {
  const { bounces = most, ignoreOverlap = false, filter } = settings(given, most === 0 ? ['ignoreOverlap', 'filter'] : ['bounces', 'ignoreOverlap', 'filter']);
  const mover = moverOf(shape, from, to);
  checkFilter(filter);
  if (typeof ignoreOverlap !== 'boolean') throw new TypeError('ignoreOverlap must be true or false');
  if (!Number.isInteger(bounces) || bounces < 0 || bounces > 2 ** 31 - 1) throw new RangeError(`bounces must be an integer from 0 to 2^31 - 1, not ${String(bounces)}`);
  const slideIn = (pinOf) => slideMover(pinOf, mover, bounces, ignoreOverlap);
  return filter === undefined ? slideIn(pinOfTree) : part(windowOf(mover), filter, slideIn);
}

/** Moves two shapes at once, { shape, from, to } each, and returns where they meet. */
export function sweepPair(a, b, given = {}) {
  if (arguments.length > 3) surplus(arguments.length, 'sweepPair', 3);
  const { ignoreOverlap = false } = settings(given, ['ignoreOverlap']);
  if (typeof ignoreOverlap !== 'boolean') throw new TypeError('ignoreOverlap must be true or false');
  const [first, second] = [[a, 'a'], [b, 'b']].map(([one, name]) => {
    if (one === null || typeof one !== 'object') throw new TypeError(`${name} is not an object with shape, from and to`);
    return moverOf(one.shape, one.from, one.to);
  });
  reserveArray(Float64Array, 16).set([...first.figures, ...second.figures]);
  call(wasm.pqtjs_sweep_pair, first.kind, second.kind, 0, 0, ignoreOverlap) || raise();
  renewViews();
  const at = bufferAt() / 8;
  const [status, time, x, y, otherX, otherY, blocked, normalX, normalY, exit, freeX, freeY] = numbers.subarray(at, at + 12);
  return { status: STATUSES[status], time, x, y, otherX, otherY, blockedX: (blocked & 1) !== 0, blockedY: (blocked & 2) !== 0,
    normalX, normalY, exit, freeX, freeY };
}

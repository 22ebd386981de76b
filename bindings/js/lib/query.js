// SPDX-License-Identifier: MIT
// query.js: the options of searches, filters, and pages of results.
//
// A filter is called with results that were copied, between calls of the library. So it may do
// anything, even call the library or free the tree that is searched.
import { box, bufferAt, call, counted, reserve, settings, wasm } from './core.js';
import { ITEM, receiveItems } from './items.js';

const RELATIONS = { touches: 1, overlaps: 2, inside: 3, covers: 4 };
const TOUCHES = RELATIONS.touches;
const CURSOR = 1544; // bytes, as in shim.c

/** Returns the number of a relation. */
export function relationOf(name) {
  if (!Object.hasOwn(RELATIONS, name)) throw new RangeError(`relation must be one of ${Object.keys(RELATIONS).join(', ')}, not ${String(name)}`);
  return RELATIONS[name];
}

/** Returns a window and the number of a relation, as the library gets them: five numbers. */
export function windowOf(window, relation = 'touches') {
  const { minX, minY, maxX, maxY } = box(window, 'the window');
  return [minX, minY, maxX, maxY, relationOf(relation)];
}

const ON_SPHERE = 8; // as in flat.c

/** Returns whether a surface is the sphere. */
export function isSphere(surface) {
  if (surface !== 'plane' && surface !== 'sphere') throw new RangeError(`surface must be plane or sphere, not ${String(surface)}`);
  return surface === 'sphere';
}

/** Returns a filter, which is undefined if there is none. */
export function checkFilter(filter) {
  if (filter !== undefined && typeof filter !== 'function') throw new TypeError('filter is not a function');
  return filter;
}

const EVERY = { relation: TOUCHES, filter: undefined, rest: {} };

/** Reads the options of a search. Returns the number of the relation, with a bit for the sphere, the
    filter, and the options whose names are in `more`. */
export function queryOf(given, more = ['surface']) {
  if (given === undefined) return EVERY;
  const { relation = 'touches', filter, surface = 'plane', ...rest } = settings(given, ['relation', 'filter', ...more]);
  return { relation: relationOf(relation) + (isSphere(surface) ? ON_SPHERE : 0), filter: checkFilter(filter), rest };
}

/** Returns the result of a filter for an item or for the two items of a pair. */
export function accepts(filter, ...items) {
  const answer = filter(...items);
  if (typeof answer !== 'boolean') throw new TypeError('a filter must return true or false');
  return answer;
}

/** Returns the items that a filter accepts; all if there is none. */
export function accepted(items, filter) {
  return filter === undefined ? items : items.filter((one) => accepts(filter, one));
}

/** Returns the first results that a filter accepts, at most `most`. `fetch` returns a given number of
    results of a search. */
export function firstAccepted(most, filter, fetch) {
  if (filter === undefined) return fetch(most);
  for (let asked = Math.max(most, 8); ; asked *= 8) {
    const found = fetch(asked), good = accepted(found, filter);
    if (good.length >= most || found.length < asked) return good.slice(0, most);
  }
}

/** Returns the next items of a search, at most `most`. `cursor` has the bytes of the C cursor. */
function nextItems(pinOfTree, { minX, minY, maxX, maxY }, relation, most, cursor) {
  const at = reserve(CURSOR), { bytes } = cursor;
  if (bytes !== null) new Uint8Array(wasm.memory.buffer, at, CURSOR).set(bytes);
  const size = counted(call(wasm.pqtjs_tree_page, pinOfTree(), minX, minY, maxX, maxY, relation, most, bytes === null ? 0 : 1)) - CURSOR;
  cursor.bytes = new Uint8Array(wasm.memory.buffer, bufferAt() + size, CURSOR).slice();
  return receiveItems(size / ITEM);
}

/** Iterates over the items of a search in arrays of `size` items; the last one may have fewer. */
export function* pagesOf(pinOfTree, window, { relation, filter }, size) {
  const cursor = { bytes: null };
  for (let page = [], ended = false; !ended;) {
    const found = nextItems(pinOfTree, window, relation, size, cursor);
    ended = found.length < size;
    for (const one of accepted(found, filter)) {
      page.push(one);
      if (page.length < size) continue;
      yield page;
      page = [];
    }
    if (ended && page.length > 0) yield page;
  }
}

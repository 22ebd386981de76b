// SPDX-License-Identifier: MIT
// map_queries.js: the queries of PersistentMap, which MapDraft has, too.
import { MAP, SUMMARY, call, counted, pinOf, surplus, takeBytes, wasm } from './core.js';
import { Reader, Writer, readColumns, textOf, writeKey } from './bytes.js';

let viewPinOf; // of map_draft.js

/** Sets the function that returns the pin of a draft's view, and undefined for any other value. */
export function readMapDraftsBy(read) {
  viewPinOf = read;
}

/** Returns the pin of a map, or of the view of a draft, which is valid until the next edit of the draft. */
function pinToRead(map, what = 'the object of the call') {
  return viewPinOf(map) ?? pinOf(map, MAP, what);
}

/** Returns two booleans: whether the keys of a map are byte strings, and whether its values are. */
export function kindsOf(pin) {
  const kinds = counted(call(wasm.pqtjs_map_kinds, pin));
  return [(kinds & 1) !== 0, (kinds & 2) !== 0];
}

const known = new WeakMap(); // the kinds of maps and drafts that were read, so that a query takes one call less

function knownKindsOf(map, pin) {
  if (!known.has(map)) known.set(map, kindsOf(pin));
  return known.get(map);
}

/** Reads a key. A byte key becomes a string, or a Uint8Array if it is not UTF-8. */
export function readKey(reader, byteKeys) {
  if (!byteKeys) return reader.word();
  const bytes = reader.bytes();
  return textOf(bytes) ?? bytes;
}

/** Reads a value; returns undefined if there is none. */
export function readValue(reader, byteValues) {
  const isThere = reader.word() !== 0, value = byteValues ? reader.bytes() : reader.word();
  return isThere ? value : undefined;
}

/** The queries, as methods. */
class MapQueries {
  [SUMMARY]() {
    return { size: this.size, keyKind: this.keyKind, valueKind: this.valueKind };
  }

  /** Returns the value of a key: a number up to 2^53 - 1, a larger bigint, or a Uint8Array;
      undefined if the key has none. */
  get(key) {
    if (arguments.length > 1) surplus(arguments.length, 'get', 1);
    // The first call of pinToRead makes the edits of a draft, and so writes to the buffer.
    const [byteKeys, byteValues] = knownKindsOf(this, pinToRead(this));
    const writer = new Writer();
    writeKey(writer, key, byteKeys);
    writer.send();
    if (counted(call(wasm.pqtjs_map_find, pinToRead(this))) === 0) return undefined;
    return byteValues ? takeBytes(wasm.pqtjs_appended()) : new Reader().word();
  }

  /** Returns the value of a key as a string; undefined if the key has none. The bytes must be
      UTF-8. */
  getText(key) {
    if (arguments.length > 1) surplus(arguments.length, 'getText', 1);
    const value = this.get(key);
    if (value === undefined) return undefined;
    const text = value instanceof Uint8Array ? textOf(value) : null;
    if (text === null) throw new TypeError('the value is not UTF-8 text');
    return text;
  }

  /** Returns whether a key has a value. */
  has(key) {
    if (arguments.length > 1) surplus(arguments.length, 'has', 1);
    return this.get(key) !== undefined;
  }

  /** The number of keys that have a value. */
  get size() {
    return counted(call(wasm.pqtjs_map_count, pinToRead(this)));
  }

  /** The kind of the keys: ids or bytes. */
  get keyKind() {
    return kindsOf(pinToRead(this))[0] ? 'bytes' : 'ids';
  }

  /** The kind of the values: numbers or bytes. */
  get valueKind() {
    return kindsOf(pinToRead(this))[1] ? 'bytes' : 'numbers';
  }

  /** Returns the pairs of a key and its value, in an order that the keys determine. */
  entries() {
    const pin = pinToRead(this);
    const [byteKeys, byteValues] = kindsOf(pin);
    counted(call(wasm.pqtjs_map_entries, pin));
    return Reader.ofStrings().all((reader) => [readKey(reader, byteKeys), readValue(reader, byteValues)]);
  }

  /** Returns the same as two columns, { keys, values }: a BigUint64Array for ids or numbers, and { bytes, ends } for byte strings,
      each of which ends before its place in `ends` and begins where the one before ends. */
  columns() {
    if (arguments.length > 0) surplus(arguments.length, 'columns', 0);
    const pin = pinToRead(this), [byteKeys, byteValues] = kindsOf(pin);
    counted(call(wasm.pqtjs_map_entries, pin));
    const [keys, , values] = readColumns(3, [...(byteKeys ? [0] : []), ...(byteValues ? [2] : [])]);
    return { keys, values };
  }

  [Symbol.iterator]() {
    return this.entries()[Symbol.iterator]();
  }

  keys() {
    return this.entries().map(([key]) => key);
  }

  values() {
    return this.entries().map(([, value]) => value);
  }

  /** Returns the keys whose values differ, each with its values before and after; undefined means
      that the key has none. */
  diff(after) {
    if (arguments.length > 1) surplus(arguments.length, 'diff', 1);
    const pin = pinToRead(this);
    const [byteKeys, byteValues] = kindsOf(pin);
    counted(call(wasm.pqtjs_map_diff, pin, pinToRead(after, 'the other version')));
    return Reader.ofStrings().all((reader) =>
      ({ key: readKey(reader, byteKeys), before: readValue(reader, byteValues), after: readValue(reader, byteValues) }));
  }
}

/** Gives a class the queries. */
export function addQueries(target) {
  const { constructor, ...queries } = Object.getOwnPropertyDescriptors(MapQueries.prototype);
  Object.defineProperties(target.prototype, queries);
}

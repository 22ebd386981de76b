// SPDX-License-Identifier: MIT
// map.js: the class PersistentMap, which maps ids or byte strings to numbers or byte strings.
import {
  MAP, PIN, SUMMARY, Version, call, counted, doubles, fromBytes, own as ownVersion, pinOf, raise, register, settings, surplus, wasm,
} from './core.js';
import { Reader, Writer, textOf, writeKey, writeValue } from './bytes.js';
import { mergeWith } from './conflicts.js';
import { needFunction } from './draft.js';
import { keysOf, pairsOf, sendMapEdits, writeChanges } from './map_draft.js';

const NAMES = { ours: 1, theirs: 2, neither: 3, base: 4 };
const KEEP_VALUE = 5;

const pinOfMap = (map, what = 'the object of the call') => pinOf(map, MAP, what);
const own = (pin) => ownVersion(MAP, pin);

/** Returns two booleans: whether the keys of a map are byte strings, and whether its values are. */
export function kindsOf(pin) {
  call(wasm.pqtjs_map_describe, pin) || raise();
  return [...doubles(2)].map((figure) => figure === 1);
}

/** Reads a key. A byte key becomes a string, or a Uint8Array if it is not UTF-8. */
export function readKey(reader, byteKeys) {
  if (!byteKeys) return reader.word();
  const bytes = reader.bytes();
  return textOf(bytes) ?? bytes;
}

/** Reads a value; returns undefined if there is none. */
export function readValue(reader, byteValues) {
  if (reader.word() === 0) return undefined;
  return byteValues ? reader.bytes() : reader.word();
}

function choice(value, names, what) {
  const index = names.indexOf(value);
  if (index < 0) throw new RangeError(`${what} must be ${names.join(' or ')}, not ${String(value)}`);
  return index;
}

/** One version of a map. No method changes it; methods that edit return another version. */
export class PersistentMap extends Version {
  /** Makes an empty map, from ids to numbers by default. */
  constructor(given = {}, pin = 0) {
    if (given !== PIN) {
      const { keys = 'ids', values = 'numbers' } = settings(given, ['keys', 'values']);
      pin = call(wasm.pqtjs_map_make, choice(keys, ['ids', 'bytes'], 'keys'), choice(values, ['numbers', 'bytes'], 'values')) || raise();
    }
    super(PIN, MAP, pin);
  }

  [SUMMARY]() {
    return { size: this.size, keyKind: this.keyKind, valueKind: this.valueKind };
  }

  /** Makes a map from pairs of a key and a value, for example from a Map. */
  static of(entries, given) {
    const empty = new PersistentMap(given);
    try {
      return empty.setAll(entries);
    } finally {
      empty.free();
    }
  }

  /** Makes a map from bytes that toBytes returned, in JavaScript or in another language. */
  static fromBytes(bytes) {
    return fromBytes(MAP, bytes);
  }

  /** Returns a version with changes of the form of writeChanges. */
  #apply(changes) {
    const writer = new Writer();
    writeChanges(writer, kindsOf(pinOfMap(this)), changes);
    writer.send();
    return own(call(wasm.pqtjs_map_apply, pinOfMap(this), changes.length));
  }

  /** Sets the value of a key, whether or not it had one. */
  set(key, value) {
    if (arguments.length > 2) surplus(arguments.length, 'set', 2);
    return this.#apply([[key, value]]);
  }

  /** Sets the values of many keys. If a key occurs several times, its last value is used. */
  setAll(entries) {
    return this.#apply(pairsOf(entries));
  }

  /** Removes a key and its value. If the key is absent, the result equals this version. */
  delete(key) {
    if (arguments.length > 1) surplus(arguments.length, 'delete', 1);
    return this.#apply([[key]]);
  }

  /** Removes many keys. */
  deleteAll(keys) {
    return this.#apply(keysOf(keys));
  }

  /** Returns a version with all edits that a function makes on a draft, as if they were made one
      after another. */
  edit(change) {
    needFunction(change);
    const count = sendMapEdits(this, kindsOf(pinOfMap(this)), change);
    return own(call(wasm.pqtjs_map_apply, pinOfMap(this), count));
  }

  /** Returns the value of a key: a number up to 2^53 - 1, a larger bigint, or a Uint8Array;
      undefined if the key has none. */
  get(key) {
    if (arguments.length > 1) surplus(arguments.length, 'get', 1);
    const [byteKeys, byteValues] = kindsOf(pinOfMap(this));
    const writer = new Writer();
    writeKey(writer, key, byteKeys);
    writer.send();
    counted(call(wasm.pqtjs_map_find, pinOfMap(this)));
    return readValue(new Reader(), byteValues);
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
    return counted(call(wasm.pqtjs_map_count, pinOfMap(this)));
  }

  /** The kind of the keys: ids or bytes. */
  get keyKind() {
    return kindsOf(pinOfMap(this))[0] ? 'bytes' : 'ids';
  }

  /** The kind of the values: numbers or bytes. */
  get valueKind() {
    return kindsOf(pinOfMap(this))[1] ? 'bytes' : 'numbers';
  }

  /** Returns the pairs of a key and its value, in an order that the keys determine. */
  entries() {
    const pin = pinOfMap(this);
    const [byteKeys, byteValues] = kindsOf(pin);
    const count = counted(call(wasm.pqtjs_map_entries, pin));
    const reader = new Reader();
    return Array.from({ length: count }, () => [readKey(reader, byteKeys), readValue(reader, byteValues)]);
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
    const pin = pinOfMap(this);
    const [byteKeys, byteValues] = kindsOf(pin);
    const count = counted(call(wasm.pqtjs_map_diff, pin, pinOfMap(after, 'the other version')));
    const reader = new Reader();
    return Array.from({ length: count }, () =>
      ({ key: readKey(reader, byteKeys), before: readValue(reader, byteValues), after: readValue(reader, byteValues) }));
  }

  /** Returns a version with the changes of both sides, which must derive from this version. */
  merge(ours, theirs, given = {}) {
    const { onConflict = 'error' } = settings(given, ['onConflict']);
    const pins = () => [pinOfMap(this), pinOfMap(ours, 'ours'), pinOfMap(theirs, 'theirs')];
    const [byteKeys, byteValues] = kindsOf(pins()[0]);
    const value = (reader) => readValue(reader, byteValues);
    return own(mergeWith({
      names: NAMES,
      attempt: (count, bytes, strict) => call(wasm.pqtjs_map_merge, ...pins(), strict, count, bytes),
      conflicts: () => {
        const reader = new Reader();
        return Array.from({ length: wasm.pqtjs_map_conflicts() }, () => ({ hash: reader.bigWord(), key: readKey(reader, byteKeys),
          base: value(reader), ours: value(reader), theirs: value(reader) }));
      },
      send: (writer, conflict, answer) => {
        if (!('value' in answer)) throw new TypeError('an answer that is an object must have a value');
        writeValue(writer, answer.value, byteValues);
        return KEEP_VALUE;
      },
    }, wasm.pqtjs_unpin, onConflict));
  }
}

register(MAP, PersistentMap);

// SPDX-License-Identifier: MIT
// map.js: the class PersistentMap, which maps ids or byte strings to numbers or byte strings.
import { MAP, PIN, Version, call, fromBytes, own as ownVersion, pinOf, raise, register, settings, surplus, wasm } from './core.js';
import { Writer } from './bytes.js';
import { mergeWith, valueAnswer } from './conflicts.js';
import { needFunction } from './draft.js';
import { beginMapDraft, columnsOf, editMap, keysOf, pairsOf, writeChanges } from './map_draft.js';
import { addQueries, kindsOf, readKey, readValue } from './map_queries.js';

const NAMES = { ours: 1, theirs: 2, neither: 3, base: 4 };
const KEEP_VALUE = 5;

const pinOfMap = (map, what = 'the object of the call') => pinOf(map, MAP, what);
const own = (pin) => ownVersion(MAP, pin);

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

  /** Makes a map from pairs of a key and a value, for example from a Map. */
  static of(entries, given) {
    return PersistentMap.#of(pairsOf(entries), given);
  }

  /** Makes a map from arrays or typed arrays of as many keys as values. */
  static ofColumns(keys, values, given) {
    return PersistentMap.#of(columnsOf(keys, values), given);
  }

  static #of(columns, given) {
    const empty = new PersistentMap(given);
    try {
      return empty.#apply(columns);
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
    return own(call(wasm.pqtjs_map_apply, pinOfMap(this), changes.count));
  }

  /** Sets the value of a key, whether or not it had one. */
  set(key, value) {
    if (arguments.length > 2) surplus(arguments.length, 'set', 2);
    return this.#apply({ keys: [key], values: [value], count: 1 });
  }

  /** Sets the values of many keys. If a key occurs several times, its last value is used. */
  setAll(entries) {
    return this.#apply(pairsOf(entries));
  }

  /** Sets the values of many keys, from arrays or typed arrays of as many keys as values. */
  setColumns(keys, values) {
    if (arguments.length > 2) surplus(arguments.length, 'setColumns', 2);
    return this.#apply(columnsOf(keys, values));
  }

  /** Removes a key and its value. If the key is absent, the result equals this version. */
  delete(key) {
    if (arguments.length > 1) surplus(arguments.length, 'delete', 1);
    return this.#apply({ keys: [key], count: 1 });
  }

  /** Removes many keys. */
  deleteAll(keys) {
    return this.#apply(keysOf(keys));
  }

  /** Returns a version with all edits that a function makes on a draft, as if they were made one
      after another. */
  edit(change) {
    needFunction(change);
    return editMap(pinOfMap(this), change);
  }

  /** Begins a draft of this version: a map that is edited in place, and read at any time. */
  beginDraft() {
    if (arguments.length > 0) surplus(arguments.length, 'beginDraft', 0);
    return beginMapDraft(pinOfMap(this));
  }

  /** Returns a version with the changes of both sides, which must derive from this version. */
  merge(ours, theirs, given = {}) {
    const { onConflict = 'error' } = settings(given, ['onConflict']);
    const pins = () => [pinOfMap(this), pinOfMap(ours, 'ours'), pinOfMap(theirs, 'theirs')];
    const [byteKeys, byteValues] = kindsOf(pins()[0]);
    const value = (reader) => readValue(reader, byteValues);
    return own(mergeWith({
      names: NAMES,
      attempt: (otherwise, count) => call(wasm.pqtjs_map_merge, ...pins(), otherwise, count),
      read: (reader) => ({ hash: reader.bigWord(), key: readKey(reader, byteKeys), base: value(reader), ours: value(reader), theirs: value(reader) }),
      answer: (conflict, answer) => {
        if (!('value' in answer)) throw new TypeError('an answer that is an object must have a value');
        return valueAnswer(KEEP_VALUE, answer.value, byteValues);
      },
    }, wasm.pqtjs_unpin, onConflict));
  }
}

addQueries(PersistentMap);
register(MAP, PersistentMap);

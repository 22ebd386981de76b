// SPDX-License-Identifier: MIT
// map_draft.js: the class MapDraft, which collects the edits of PersistentMap.edit, and the arguments of edits of maps.
//
// A draft writes its edits at once in the format of shim_map.h, so one call of the library applies
// them all. A key that may be too long throws at once, too: the same method of the map decides.
import { Handle, PIN, surplus } from './core.js';
import { Writer, writeKey, writeValue } from './bytes.js';
import { collectEdits, needSameCount, needUse } from './draft.js';

const LONGEST_KEY = 40; // the most bytes that a key of a map takes in the format

let end; // ends a draft, and returns its changes; users cannot reach it

/** Reads pairs of a key and a value from an iterable object. */
export function pairsOf(entries) {
  if (entries === null || typeof entries !== 'object' || typeof entries[Symbol.iterator] !== 'function')
    throw new TypeError('entries must be pairs of a key and a value');
  return [...entries].map((pair) => {
    if (!Array.isArray(pair) || pair.length !== 2) throw new TypeError('an entry must be an array of a key and a value');
    return [pair[0], pair[1]];
  });
}

/** Reads keys from an iterable object. Returns an array with each of them. */
export function keysOf(keys) {
  if (keys === null || typeof keys !== 'object' || typeof keys[Symbol.iterator] !== 'function')
    throw new TypeError('keys must be an array or another iterable object');
  return [...keys].map((key) => [key]);
}

/**
 * Writes changes, and returns whether all keys to be set are short enough.
 *
 * @param {Writer} writer   gets all changes, or none if one is of a wrong type
 * @param {boolean[]} kinds  as kindsOf of map.js returns them
 * @param {Array[]} changes  [key, value] sets a key, and [key] removes it
 */
export function writeChanges(writer, [byteKeys, byteValues], changes) {
  const { length } = writer;
  let areShort = true;
  try {
    for (const change of changes) {
      const at = writer.length, isSet = change.length === 2;
      writeKey(writer, change[0], byteKeys);
      areShort &&= !isSet || writer.length - at <= LONGEST_KEY;
      writer.word(isSet ? 1 : 0);
      if (isSet) writeValue(writer, change[1], byteValues);
    }
  } catch (error) {
    writer.length = length;
    throw error;
  }
  return areShort;
}

/** Edits of a map that are applied together. It cannot be read. */
class MapDraft extends Handle {
  #map; // null if the function that got the draft has returned
  #kinds;
  #writer = new Writer();
  #count = 0;

  constructor(token, map, kinds) {
    if (token !== PIN) throw new TypeError('only the method edit of a map makes drafts');
    super();
    this.#map = map;
    this.#kinds = kinds;
  }

  /** Appends changes. `read` returns them, and `refuse` makes the map do the same. */
  #append(read, refuse) {
    needUse(this.#map);
    const count = this.#count, changes = read();
    needSameCount(count, this.#count);
    const { length } = this.#writer;
    if (!writeChanges(this.#writer, this.#kinds, changes)) {
      this.#writer.length = length;
      refuse(this.#map, changes).free();
      throw new RangeError('a key is too long');
    }
    this.#count += changes.length;
    return this;
  }

  /** Sets the value of a key, like PersistentMap.set. */
  set(key, value) {
    if (arguments.length > 2) surplus(arguments.length, 'set', 2);
    return this.#append(() => [[key, value]], (map) => map.set(key, value));
  }

  /** Removes a key, like PersistentMap.delete. */
  delete(key) {
    if (arguments.length > 1) surplus(arguments.length, 'delete', 1);
    return this.#append(() => [[key]]);
  }

  /** Sets the values of many keys, like PersistentMap.setAll. */
  setAll(entries) {
    return this.#append(() => pairsOf(entries), (map, pairs) => map.setAll(pairs));
  }

  /** Removes many keys, like PersistentMap.deleteAll. */
  deleteAll(keys) {
    return this.#append(() => keysOf(keys));
  }

  static {
    end = (draft) => {
      draft.#map = null;
      return [draft.#writer, draft.#count];
    };
  }
}

/** Calls a function with a draft of a map. Copies the changes of the draft to the buffer, and returns
    their number. */
export function sendMapEdits(map, kinds, change) {
  const [writer, count] = collectEdits(new MapDraft(PIN, map, kinds), end, change);
  writer.send();
  return count;
}

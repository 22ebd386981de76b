// SPDX-License-Identifier: MIT
// map_draft.js: the class MapDraft, on top of pqt_map_draft, and the arguments of edits of maps.
//
// Like Draft, it collects edits until it is read, in the format of flat.h, and one call of the library
// makes them all. Edits with a key that may be too long are made at once, so the library refuses them at once.
import { DISPOSE, Handle, MAP, PIN, attached, call, isArrayOf, own, raise, raiseTrap, surplus, wasm } from './core.js';
import { Writer, writeKey, writeValue } from './bytes.js';
import { FREED, LATE, refuseLater } from './draft.js';
import { addQueries, kindsOf, readMapDraftsBy } from './map_queries.js';

const LONGEST_KEY = 32; // in bytes

function destroy(address) {
  try {
    wasm.pqtjs_map_draft_destroy(address);
  } catch (trap) {
    raiseTrap(trap);
  }
}

const drafts = new FinalizationRegistry(destroy); // those that no call of edit ends

// The class MapDraft sets these functions. Users of the package cannot reach them.
/** Begins a draft that ends when it is freed, or after nothing refers to it. */
export let beginMapDraft;
let end; // ends the draft of a call of edit

/** Reads pairs of a key and a value from an iterable object. Returns the columns { keys, values, count }. */
export function pairsOf(entries) {
  if (entries === null || typeof entries !== 'object' || typeof entries[Symbol.iterator] !== 'function')
    throw new TypeError('entries must be pairs of a key and a value');
  const keys = [], values = [];
  for (const pair of [...entries]) {
    if (!Array.isArray(pair) || pair.length !== 2) throw new TypeError('an entry must be an array of a key and a value');
    keys.push(pair[0]);
    values.push(pair[1]);
  }
  return { keys, values, count: keys.length };
}

/** Reads keys from an iterable object. Returns a column without values. */
export function keysOf(keys) {
  if (keys === null || typeof keys !== 'object' || typeof keys[Symbol.iterator] !== 'function')
    throw new TypeError('keys must be an array or another iterable object');
  const column = [...keys];
  return { keys: column, count: column.length };
}

/** Byte strings that follow each other: each ends before its place in `ends`, and begins where the one before ends. */
class Packed {
  constructor({ bytes, ends }, what) {
    if (!isArrayOf(bytes, 'Uint8Array') || !isArrayOf(ends, 'Uint32Array'))
      throw new TypeError(`${what} must be an array, a typed array, or { bytes, ends } with a Uint8Array and a Uint32Array`);
    const size = attached(bytes, `the bytes of ${what}`), count = attached(ends, `the ends of ${what}`);
    for (let i = 0, from = 0; i < count; from = ends[i++])
      if (ends[i] < from || ends[i] > size) throw new RangeError(`end ${i} of ${what} is ${ends[i]}, but must be ${from} to ${size}`);
    this.bytes = bytes;
    this.ends = ends;
  }

  get all() {
    return this.bytes.subarray(0, this.ends.at(-1) ?? 0);
  }

  at(i) {
    return this.bytes.subarray(i === 0 ? 0 : this.ends[i - 1], this.ends[i]);
  }
}

/** Returns a column and its length. Reading an element or the length of the user's own may run the user's code. */
function columnOf(column, what) {
  if (Array.isArray(column)) {
    const copy = [...column];
    return [copy, copy.length];
  }
  // The type of what is no typed array is undefined.
  if (isArrayOf(column, undefined)) {
    const packed = new Packed(Object(column), what);
    return [packed, packed.ends.length];
  }
  return [column, attached(column, `the array of ${what}`)];
}

/** Returns columns of as many keys as values. */
export function columnsOf(someKeys, someValues) {
  const [keys, count] = columnOf(someKeys, 'keys'), [values, others] = columnOf(someValues, 'values');
  if (count !== others) throw new RangeError(`there are ${count} keys and ${others} values`);
  return { keys, values, count };
}

/**
 * Writes changes, and returns whether all keys to be set are short enough.
 *
 * @param {Writer} writer   gets all changes, or none if one is of a wrong type
 * @param {boolean[]} kinds  as kindsOf of map_queries.js returns them
 * @param {object} columns  { keys, values, count } sets keys, and { keys, count } removes them
 */
export function writeChanges(writer, [byteKeys, byteValues], { keys, values, count }) {
  const { length, size } = writer, isSet = values !== undefined;
  // The bytes of values are copied together, unless keys are between them.
  const block = values instanceof Packed && byteValues && !byteKeys ? values : null;
  const nth = (column, isBytes, i) => (column instanceof Packed && isBytes ? column.at(i) : column[i]);
  let areShort = true;
  try {
    if (block !== null) writer.append(block.all);
    for (let i = 0; i < count; i++) {
      const at = writer.size;
      writeKey(writer, nth(keys, byteKeys, i), byteKeys);
      areShort &&= !isSet || writer.size - at <= LONGEST_KEY;
      writer.word(isSet ? 1 : 0);
      if (block !== null) writer.word(size + block.ends[i]);
      else if (isSet) writeValue(writer, nth(values, byteValues, i), byteValues);
      else writer.word(byteValues ? writer.size : 0);
    }
  } catch (error) {
    writer.cut(length, size);
    throw error;
  }
  return areShort;
}

/** A map that is edited in place between two versions. Its queries are those of PersistentMap. */
export class MapDraft extends Handle {
  #address; // of the draft in the library; 0 once it has ended
  #kinds;
  #writer = new Writer(); // the edits that are not made yet
  #count = 0; // of these
  #edits = 0; // of all
  #last = FREED; // why it cannot be used once it has ended

  constructor(token, pin) {
    if (token !== PIN) throw new TypeError('only the methods of a map make drafts');
    super();
    this.#kinds = kindsOf(pin);
    this.#address = call(wasm.pqtjs_map_draft_begin, pin) >>> 0 || raise();
  }

  #needUse() {
    if (this.#address === 0) throw new Error(this.#last);
  }

  /** Makes the collected edits. If memory is exhausted, keeps them. */
  #make() {
    if (this.#count === 0) return;
    this.#writer.send();
    call(wasm.pqtjs_map_draft_apply, this.#address, this.#count) || raise();
    this.#drop();
  }

  #drop() {
    this.#writer.cut(0, 0);
    this.#count = 0;
  }

  /** Adds changes that the library may refuse, and makes them at once. */
  #try(changes) {
    this.#make();
    writeChanges(this.#writer, this.#kinds, changes);
    this.#count = changes.count;
    try {
      this.#make();
    } finally {
      this.#drop();
    }
  }

  /** Adds changes, which `read` returns. */
  #add(read) {
    const edits = this.#edits, changes = read();
    this.#needUse();
    if (edits !== this.#edits) throw new Error('the draft was edited while an argument of another edit was read');
    const { length, size } = this.#writer;
    if (writeChanges(this.#writer, this.#kinds, changes)) {
      this.#count += changes.count;
    } else {
      this.#writer.cut(length, size);
      this.#try(changes);
    }
    this.#edits++;
    return this;
  }

  /** Sets the value of a key, like PersistentMap.set. */
  set(key, value) {
    if (arguments.length > 2) surplus(arguments.length, 'set', 2);
    return this.#add(() => ({ keys: [key], values: [value], count: 1 }));
  }

  /** Removes a key, like PersistentMap.delete. */
  delete(key) {
    if (arguments.length > 1) surplus(arguments.length, 'delete', 1);
    return this.#add(() => ({ keys: [key], count: 1 }));
  }

  /** Sets the values of many keys, like PersistentMap.setAll. */
  setAll(entries) {
    return this.#add(() => pairsOf(entries));
  }

  /** Sets the values of many keys, like PersistentMap.setColumns. */
  setColumns(keys, values) {
    if (arguments.length > 2) surplus(arguments.length, 'setColumns', 2);
    return this.#add(() => columnsOf(keys, values));
  }

  /** Removes many keys, like PersistentMap.deleteAll. */
  deleteAll(keys) {
    return this.#add(() => keysOf(keys));
  }

  /** Returns the draft as a version. The draft continues. */
  snapshot() {
    if (arguments.length > 0) surplus(arguments.length, 'snapshot', 0);
    this.#needUse();
    this.#make();
    return own(MAP, call(wasm.pqtjs_map_draft_snapshot, this.#address));
  }

  #view() {
    this.#needUse();
    this.#make();
    return this.#address + 1; // see map_of in shim.h
  }

  #end(last) {
    const address = this.#address;
    if (address === 0) return;
    this.#address = 0; // first, so that nothing destroys it twice, whatever throws
    this.#last = last;
    this.#writer = null;
    drafts.unregister(this);
    destroy(address);
  }

  [DISPOSE]() {
    this.free();
  }

  /** Ends the draft, without the edits since its last snapshot. Later calls throw. */
  free() {
    this.#end(FREED);
  }

  static {
    end = (draft) => draft.#end(LATE);
    readMapDraftsBy((value) => (value !== null && typeof value === 'object' && #address in value ? value.#view() : undefined));
    beginMapDraft = (pin) => {
      const draft = new MapDraft(PIN, pin);
      drafts.register(draft, draft.#address, draft);
      return draft;
    };
  }
}

addQueries(MapDraft);

/** Calls a function with a draft of a map. Returns the version that the draft has become. */
export function editMap(pin, change) {
  const draft = new MapDraft(PIN, pin);
  try {
    refuseLater(change(draft));
    return draft.snapshot();
  } finally {
    end(draft);
  }
}

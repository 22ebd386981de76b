// SPDX-License-Identifier: MIT
// core.js: the code that all kinds of versions share. shim.c is its counterpart in C.
//
// An object owns a pin on its version, which free() or the finaliser releases. Arrays pass through
// one buffer in the memory of the instance. Any call can enlarge that memory, and then the views of
// it are renewed.
import { onStart, wasm } from './instance.js';
import { decode, encode } from './utf8.js';

export { wasm };

const SMALLEST_BUFFER = 65536;

// ---- Errors ----

const STATUS = ['OK', 'MEMORY', 'BOX', 'BOUNDS', 'OPTION', 'LIMIT', 'THREAD', 'MISMATCH', 'CORRUPT', 'STREAM',
  'UNSUPPORTED', 'CALLBACK', 'CONFLICT', 'BODY', 'FORMAT', 'ARITHMETIC'];
const OF_RANGE = new Set(['BOX', 'BOUNDS', 'OPTION', 'LIMIT', 'BODY']);

export function textAt(pointer) {
  const bytes = new Uint8Array(wasm.memory.buffer, pointer >>> 0);
  return decode(bytes.slice(0, bytes.indexOf(0)));
}

/** Throws the library's error. It is a RangeError if an argument is out of range. */
export function raise() {
  const at = wasm.pqtjs_error() >>> 0;
  const status = STATUS[new DataView(wasm.memory.buffer).getUint32(at + 4, true)] ?? 'CORRUPT';
  const error = new (OF_RANGE.has(status) ? RangeError : Error)(textAt(at + 8));
  error.code = `PQT_ERROR_${status}`;
  throw error;
}

/** Returns the error for an argument that no call of the library gets, as raise() would throw it. */
export function refusal(text) {
  return Object.assign(new RangeError(text), { code: 'PQT_ERROR_OPTION' });
}

// Calls are not nested, so each of them begins with the same pointer to the stack of the C code.
let stackPointer, stackTop;

onStart(() => {
  stackPointer = wasm.__stack_pointer;
  stackTop = stackPointer.value;
});

/** Throws the error for a trap. Its cause is a bug in the library, or a recursion of the calling code
    that fills the stack of the engine. Undoes what the call would have undone at its end. */
export function raiseTrap(trap) {
  stackPointer.value = stackTop;
  try {
    wasm.pqtjs_end_scopes();
    wasm.pqtjs_error(); // clears the failure that the call has recorded
  } catch {
    // the stack of the engine is full even for this
  }
  throw new Error(`pqt: internal error: ${trap.message}`, { cause: trap });
}

/** Calls a function of the library, and throws if it traps. */
export function call(exported, a, b, c, d, e, f, g, h, i, j, k) {
  try {
    return exported(a, b, c, d, e, f, g, h, i, j, k); // a function ignores arguments beyond its parameters
  } catch (trap) {
    return raiseTrap(trap);
  }
}

/** Returns the result of a call; throws if it is -1, which means failure. */
export function counted(answer) {
  return answer < 0 ? raise() : answer;
}

// ---- Arguments ----
//
// Reading a member of an argument can run the user's code, which may call the library, replace the
// buffer and free versions. So each member is read once, before reserve and pinOf are called.

export function reserve(bytes) {
  return call(wasm.pqtjs_reserve, Math.max(bytes, SMALLEST_BUFFER)) >>> 0 || raise();
}

/** Makes room in the buffer for `length` numbers, and for at least `room` bytes in all. Returns a
    view of the numbers. */
export function reserveArray(Type, length, room = 0) {
  const at = reserve(Math.max(length * Type.BYTES_PER_ELEMENT, room)); // may replace wasm.memory.buffer
  return new Type(wasm.memory.buffer, at, length);
}

/** Returns a new array for the arguments of a call. */
export function scratch(Type, length) {
  try {
    return new Type(length);
  } catch (cause) {
    throw Object.assign(new Error('out of memory (arrays of a call)', { cause }), { code: 'PQT_ERROR_MEMORY' });
  }
}

// The buffer always has room for small results. Calls that need more room enlarge it.
onStart(() => reserve(0));

export let numbers = new Float64Array(0);
export let words = new Uint32Array(0);

/** Renews the views. Call this after a call to the library, before reading results from `numbers`
    and `words`. */
export function renewViews() {
  const { buffer } = wasm.memory;
  if (numbers.buffer === buffer) return;
  numbers = new Float64Array(buffer);
  words = new Uint32Array(buffer);
}

export function bufferAt() {
  return wasm.pqtjs_buffer() >>> 0;
}

export function number(value, what) {
  if (typeof value !== 'number') throw new TypeError(`${what} is not a number`);
  return value;
}

/** Returns an integer of 32 bits; throws if the value is not one. */
export function whole(value, what) {
  if (!Number.isInteger(number(value, what)) || value !== (value | 0)) throw new RangeError(`${what} must be a 32-bit integer, not ${value}`);
  return value;
}

/** Checks the arguments of a search for the nearest: a point, and the maximum number of results. */
export function checkNearest(x, y, most) {
  if (!Number.isFinite(number(x, 'x')) || !Number.isFinite(number(y, 'y'))) throw new RangeError(`the point ${x}, ${y} is not finite`);
  if (number(most, 'most') !== Infinity && !Number.isInteger(most) || most < 0)
    throw new RangeError(`most must be an integer of at least 0, or Infinity, not ${most}`);
}

/** Returns the edges of a box as a new object. */
export function box(value, what) {
  if (value === null || typeof value !== 'object') throw new TypeError(`${what} is not an object with minX, minY, maxX, maxY`);
  const { minX, minY, maxX, maxY } = value;
  if (typeof minX !== 'number' || typeof minY !== 'number' || typeof maxX !== 'number' || typeof maxY !== 'number')
    throw new TypeError(`${what} needs the numbers minX, minY, maxX and maxY`);
  return { minX, minY, maxX, maxY };
}

export function bigId(id, what) {
  if (typeof id === 'number' && !Number.isSafeInteger(id) || id < 0 || id >= 2n ** 64n)
    throw new RangeError(`${what}: an id must be an integer from 0 to 2^53 - 1, or a bigint below 2^64`);
  return BigInt(id);
}

// A member of a typed array can run the user's code, too, if its class replaces the member. These
// functions of the language do not, and they fail for a proxy of a typed array.
const typedArray = Object.getPrototypeOf(Uint8Array.prototype), { indexOf } = typedArray;
const [typeOf, lengthOf, bufferOf, offsetOf] = [Symbol.toStringTag, 'length', 'buffer', 'byteOffset']
  .map((name) => Object.getOwnPropertyDescriptor(typedArray, name).get);

/** Returns whether a value is a typed array of one of two types. A proxy is not. */
export function isArrayOf(value, type, other = type) {
  const found = typeOf.call(value);
  return found === type || found === other;
}

/** Returns the length of a typed array. Throws if its buffer was transferred or has shrunk; such an
 * array has the length 0, as if it were empty. */
export function attached(array, what) {
  const length = lengthOf.call(array);
  if (length !== 0) return length;
  try {
    indexOf.call(array, 0); // the engine checks the buffer
  } catch (cause) {
    throw new TypeError(`${what} is detached, or its buffer has shrunk`, { cause });
  }
  return 0;
}

/** Returns a typed array of `length` elements that views the bytes of another one from byte `start` on. */
export function viewOf(Type, array, length, start = 0) {
  return new Type(bufferOf.call(array), offsetOf.call(array) + start, length);
}

/** Returns the members of an argument; throws unless it is an object. */
export function members(given) {
  if (given === null || typeof given !== 'object') throw new TypeError('options must be an object');
  return given;
}

/** Returns the options; throws if they are not an object, or if one has a name that is not known. */
export function settings(given, known) {
  const unknown = Object.keys(members(given)).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new TypeError(`there is no option ${unknown}: the options are ${known.join(', ')}`);
  return given;
}

/** Throws for a call with more arguments than a method takes. The method counts them itself, since
    engines compile arguments.length to little code. */
export function surplus(count, method, most) {
  throw new TypeError(`${method} takes ${most} argument${most === 1 ? '' : 's'}, not ${count}`);
}

/** Copies a string into the buffer as null-terminated UTF-8. */
export function sendText(text, what) {
  if (typeof text !== 'string') throw new TypeError(`${what} is not a string`);
  const bytes = encode(text.replaceAll('\0', ' '));
  const at = reserve(bytes.length + 1);
  new Uint8Array(wasm.memory.buffer, at, bytes.length + 1).set([...bytes, 0]);
}

// ---- Results ----

/** Returns an id or a 64-bit number: a number up to 2^53 - 1, a bigint if it is larger. The views
    must be renewed. */
export function wordAt(at) {
  const low = words[at / 4], high = words[at / 4 + 1];
  if (high === 0) return low; // engines store a small integer without an allocation
  return high < 2097152 ? high * 4294967296 + low : new DataView(words.buffer).getBigUint64(at, true);
}

/** Returns the 32 hexadecimal digits of a fingerprint. */
export function fingerprintAt(at) {
  const [low, high] = new BigUint64Array(wasm.memory.buffer, at, 2);
  return high.toString(16).padStart(16, '0') + low.toString(16).padStart(16, '0');
}

export function doubles(count) {
  return new Float64Array(wasm.memory.buffer, bufferAt(), count).slice();
}

// ---- Versions ----

/** The kinds of versions, with the same numbers as in shim.h. */
export const TREE = 1;
export const REGION = 2;
export const WORLD = 3;
export const MAP = 4;
export const DOCUMENT = 5;
export const IMAGE = 6;

export const KINDS = [undefined, 'tree', 'region', 'world', 'map', 'document', 'image'];
const classes = [];

/** The first argument of a constructor, if the second one is a pin from the library. */
export const PIN = Symbol('a pin of the library');

// The JavaScript engine does not know how large versions are, so it would collect their objects too
// rarely. Some objects therefore carry an ArrayBuffer, whose size the engine takes into account. It
// is never written to, so the system allocates no memory for it.
const WEIGHTS = [0, 2048, 4096, 65536, 2048, 2048, 4096]; // bytes of a version by its kind, roughly
const BALLAST = 2097152;
let weight = 0; // the bytes of the versions registered since the last ArrayBuffer

/** Returns an ArrayBuffer for some of the versions, and null for the others. */
function ballastFor(kind) {
  weight += WEIGHTS[kind];
  if (weight < BALLAST) return null;
  weight = 0;
  try {
    return new ArrayBuffer(BALLAST);
  } catch {
    return null; // memory is exhausted, so the engine collects anyway
  }
}

let unpin; // see lib/tree.js

onStart(() => {
  unpin = wasm.pqtjs_unpin;
});

const pins = new FinalizationRegistry((pin) => unpin(pin));

// Registering a version and removing it again takes as long as a small edit. No finaliser runs before
// the calling code ends, and most versions are freed by then. So versions are registered only after
// the code has ended, or when there are many new ones.
const MOST_NEW = 64;
const newVersions = []; // made, neither registered nor freed
let willRegister = false;

// The class Version sets these functions for the other modules. Users of the package cannot reach them.
/** Returns the pin of a version, which must be of this kind. */
export let pinOf;
/** Returns the kind of a version. */
export let kindOf;
/** Registers the new versions, so that each is released when its object is collected. */
let registerNew;

function enterNew(version) {
  if (newVersions.length === MOST_NEW) registerNew();
  if (!willRegister) {
    queueMicrotask(() => {
      willRegister = false;
      registerNew();
    });
    willRegister = true; // unless queueMicrotask has thrown
  }
  return newVersions.push(version) - 1;
}

export const SUMMARY = Symbol('summary');

/** The method by which `using` ends an object; compilers use the second symbol if there is no first one. */
export const DISPOSE = Symbol.dispose ?? Symbol.for('Symbol.dispose');

/**
 * The base class of objects that refer to the memory of the instance. structuredClone and postMessage
 * would make an empty object of them. They throw a DataCloneError for an object with internal slots,
 * so each is a FinalizationRegistry, which holds nothing. It inherits no member of that class, so it is
 * shown, spread and compared like any other object. A new object takes 12 ns more.
 */
export class Handle extends FinalizationRegistry {
  constructor() {
    super(ignore);
  }

  /** Returns an object whose members console.log of node shows, after the name of the class. */
  [SUMMARY]() {
    return { ...this };
  }

  [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
    const { name } = this.constructor;
    try {
      return `${name} ${inspect(this[SUMMARY](), options)}`;
    } catch ({ message }) { // it was freed
      return `${name} (${message})`;
    }
  }
}
Object.setPrototypeOf(Handle.prototype, Object.prototype);

function ignore() {}

/** One version: the base class of the versions of the package. */
export class Version extends Handle {
  #kind;
  #pin = 0;
  #place; // the index in newVersions; -1 if the version is registered
  #ballast = null;

  constructor(token, kind, pin) {
    if (token !== PIN) throw new TypeError('only the classes of the package can make a version');
    super();
    this.#kind = kind;
    this.#pin = pin >>> 0; // the library returns addresses above 2^31 as negative numbers
    try {
      this.#place = enterNew(this);
    } catch (error) { // the stack of the engine is full
      this.#pin = 0;
      unpin(pin);
      throw error;
    }
  }

  static {
    kindOf = (version, what) => {
      if (version === null || typeof version !== 'object' || !(#pin in version)) throw new TypeError(`${what} is not a version of this package`);
      return version.#kind;
    };
    pinOf = (version, kind, what) => {
      if (version === null || typeof version !== 'object' || !(#pin in version) || version.#kind !== kind)
        throw new TypeError(`${what} is not a ${classes[kind].name}`);
      return version.#pin;
    };
    registerNew = () => {
      while (newVersions.length > 0) { // whatever throws, no version is registered twice
        const version = newVersions.pop();
        version.#place = -1;
        version.#ballast = ballastFor(version.#kind);
        pins.register(version, version.#pin, version);
      }
    };
  }

  /** Removes an unregistered version from newVersions. The last one takes its place. */
  #leaveNew() {
    const last = newVersions.pop();
    if (last === this) return;
    newVersions[this.#place] = last;
    last.#place = this.#place;
  }

  #call(name, ...rest) {
    return call(wasm[`pqtjs_${KINDS[this.#kind]}_${name}`], this.#pin, ...rest);
  }

  /** Returns the bytes of this version in the format of docs/format.md. */
  toBytes() {
    return takeBytes(counted(this.#call('write')));
  }

  /** Returns 32 hexadecimal digits, which are equal for equal versions in every language. */
  fingerprint() {
    this.#call('fingerprint') || raise();
    return fingerprintAt(bufferAt());
  }

  /** Returns whether two versions of the same kind are equal. */
  equals(other) {
    return counted(this.#call('equals', pinOf(other, this.#kind, 'the other version'))) === 1;
  }

  /** Checks the invariants of this version, and returns it. */
  check() {
    this.#call('check') || raise();
    return this;
  }

  [DISPOSE]() {
    this.free();
  }

  /** Releases this version now rather than when the object is collected. Later calls throw. */
  free() {
    const pin = this.#pin;
    if (pin === 0) return;
    this.#pin = 0; // first, so that nothing releases it twice, whatever throws
    this.#ballast = null;
    if (this.#place < 0) pins.unregister(this);
    else this.#leaveNew();
    try {
      unpin(pin);
    } catch (trap) {
      raiseTrap(trap);
    }
  }
}

/** Sets the class of a kind. */
export function register(kind, constructor) {
  classes[kind] = constructor;
}

/** Returns an object that owns a new pin; throws if the pin is 0, which means failure. */
export function own(kind, pin) {
  return new classes[kind](PIN, pin || raise());
}

/** Copies bytes to the buffer, and returns their number. */
export function sendBytes(bytes) {
  if (!isArrayOf(bytes, 'Uint8Array')) throw new TypeError('bytes must be a Uint8Array');
  const length = attached(bytes, 'the array of bytes');
  reserveArray(Uint8Array, length).set(bytes);
  return length;
}

/** Returns a copy of the first bytes of the buffer. */
export function takeBytes(count) {
  return new Uint8Array(wasm.memory.buffer, bufferAt(), count).slice();
}

/** Reads a version from bytes that toBytes returned. */
export function fromBytes(kind, bytes) {
  const length = sendBytes(bytes);
  return own(kind, call(wasm[`pqtjs_${KINDS[kind]}_read`], length));
}

// ---- Memory ----

/** Limits the memory of all versions together, in bytes; Infinity removes the limit. */
export function setMemoryLimit(bytes) {
  if (!(number(bytes, 'the limit') > 0)) throw new RangeError('the limit must be a number of bytes above 0');
  wasm.pqtjs_set_limit(Math.ceil(bytes)); // 0 would remove the limit
}

function figures(reclaim) {
  call(wasm.pqtjs_memory, reclaim) || raise();
  const [bytes, usedBytes, versions] = doubles(3);
  return { bytes, usedBytes, versions };
}

/** Returns the number of bytes that versions take, and the number of objects that hold one. */
export function memory() {
  return figures(0);
}

/** Frees all versions that no object holds, and then returns the same as memory(). */
export function reclaim() {
  return figures(1);
}

// SPDX-License-Identifier: MIT
// bytes.js: writes arguments of varying length to the buffer, and reads results from it, in the format of shim_map.h.
import { attached, bufferAt, isArrayOf, number, renewViews, reserveArray, scratch, wasm, wordAt } from './core.js';
import { decode, decodeStrictly, encode } from './utf8.js';

// The encoder would replace each half of a pair by the same character, so different strings would become equal.
const loneSurrogate = /[\ud800-\udfff]/u;

/** Decodes bytes as UTF-8; returns null if they are not UTF-8. */
export function textOf(bytes) {
  try {
    return decodeStrictly(bytes);
  } catch {
    return null;
  }
}

/** Collects the arguments of a call. */
export class Writer {
  #view = new DataView(new ArrayBuffer(256));
  #bytes = new Uint8Array(this.#view.buffer);
  length = 0;

  #extend(count) {
    if (this.length + count <= this.#bytes.length) return;
    const larger = scratch(Uint8Array, 2 * (this.length + count));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }

  /** Adds a 64-bit number: an integer from 0 to 2^53 - 1, or a bigint below 2^64. */
  word(value, what) {
    this.#extend(8);
    if (typeof value === 'number' ? !Number.isSafeInteger(value) || value < 0 : typeof value !== 'bigint' || value < 0n || value >> 64n)
      throw new (typeof value === 'number' || typeof value === 'bigint' ? RangeError : TypeError)(
        `${what} must be an integer from 0 to 2^53 - 1, or a bigint below 2^64`);
    if (typeof value === 'bigint') {
      this.#view.setBigUint64(this.length, value, true);
    } else {
      this.#view.setUint32(this.length, value >>> 0, true);
      this.#view.setUint32(this.length + 4, Math.floor(value / 4294967296), true);
    }
    this.length += 8;
  }

  double(value, what) {
    this.#extend(8);
    this.#view.setFloat64(this.length, number(value, what), true);
    this.length += 8;
  }

  /** Adds the bytes of a Uint8Array, or of a string in UTF-8. */
  bytes(value, what) {
    if (typeof value !== 'string' && !isArrayOf(value, 'Uint8Array')) throw new TypeError(`${what} must be a string or a Uint8Array`);
    if (typeof value === 'string' && loneSurrogate.test(value)) throw new RangeError(`${what} has half of a surrogate pair, which UTF-8 cannot represent`);
    const bytes = typeof value === 'string' ? encode(value) : value;
    const count = attached(bytes, what), room = Math.ceil(count / 8) * 8;
    this.word(count);
    this.#extend(room);
    this.#bytes.fill(0, this.length + count, this.length + room);
    this.#bytes.set(bytes, this.length);
    this.length += room;
  }

  /** Adds the size and then the bytes of another writer. */
  nested(other) {
    this.word(other.length);
    this.append(other);
  }

  /** Adds the bytes of another writer. */
  append(other) {
    this.#extend(other.length);
    this.#bytes.set(other.#bytes.subarray(0, other.length), this.length);
    this.length += other.length;
  }

  /** Copies the arguments to the buffer, and makes it at least `room` bytes large. */
  send(room = 0) {
    reserveArray(Uint8Array, this.length, room).set(this.#bytes.subarray(0, this.length));
  }
}

/** Writes a key of a map, whose keys are byte strings or ids. */
export function writeKey(writer, key, byteKeys) {
  if (byteKeys) writer.bytes(key, 'a key');
  else writer.word(key, 'a key');
}

/** Writes a value of a map, whose values are byte strings or numbers. */
export function writeValue(writer, value, byteValues) {
  if (byteValues) writer.bytes(value, 'a value');
  else writer.word(value, 'a value');
}

/** Reads results from the buffer. The library must not be called until the last one has been read. */
export class Reader {
  #view;
  at;

  constructor() {
    renewViews();
    this.#view = new DataView(wasm.memory.buffer);
    this.at = bufferAt();
  }

  word() {
    this.at += 8;
    return wordAt(this.at - 8);
  }

  /** Returns a word as a bigint, such as a hash. */
  bigWord() {
    this.at += 8;
    return this.#view.getBigUint64(this.at - 8, true);
  }

  double() {
    this.at += 8;
    return this.#view.getFloat64(this.at - 8, true);
  }

  bytes() {
    const count = this.word();
    const bytes = new Uint8Array(wasm.memory.buffer, this.at, count).slice();
    this.at += Math.ceil(count / 8) * 8;
    return bytes;
  }

  /** Decodes bytes as UTF-8. */
  text() {
    const count = this.word(), bytes = new Uint8Array(wasm.memory.buffer, this.at, count);
    this.at += Math.ceil(count / 8) * 8;
    return decode(bytes);
  }

  box() {
    return { minX: this.double(), minY: this.double(), maxX: this.double(), maxY: this.double() };
  }

  item() {
    return { minX: this.double(), minY: this.double(), maxX: this.double(), maxY: this.double(), id: this.word() };
  }
}

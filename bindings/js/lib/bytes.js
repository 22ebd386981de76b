// SPDX-License-Identifier: MIT
// bytes.js: writes arguments of varying length to the buffer, and reads results from it, in the format of bindings/flat/flat.h.
import { attached, bufferAt, isArrayOf, number, renewViews, reserveArray, scratch, wasm, wordAt } from './core.js';
import { decode, decodeStrictly, encode } from './utf8.js';

// The encoder would replace each half of a pair by the same character, so different strings would become equal.
const loneSurrogate = /[\ud800-\udfff]/u;

const NONE = new Uint8Array(0);

/** Decodes bytes as UTF-8; returns null if they are not UTF-8. */
export function textOf(bytes) {
  try {
    return decodeStrictly(bytes);
  } catch {
    return null;
  }
}

/** Returns a 64-bit number: an integer from 0 to 2^53 - 1, or a bigint below 2^64. */
export function wordFrom(value, what) {
  if (typeof value === 'number' ? !Number.isSafeInteger(value) || value < 0 : typeof value !== 'bigint' || value < 0n || value >> 64n)
    throw new (typeof value === 'number' || typeof value === 'bigint' ? RangeError : TypeError)(
      `${what} must be an integer from 0 to 2^53 - 1, or a bigint below 2^64`);
  return value;
}

/** Returns the bytes of a Uint8Array, or of a string in UTF-8. */
export function bytesFrom(value, what) {
  if (typeof value === 'string') {
    if (loneSurrogate.test(value)) throw new RangeError(`${what} has half of a surrogate pair, which UTF-8 cannot represent`);
    return encode(value);
  }
  if (!isArrayOf(value, 'Uint8Array')) throw new TypeError(`${what} must be a string or a Uint8Array`);
  attached(value, what);
  return value;
}

function extended(bytes, used, count) {
  const larger = scratch(Uint8Array, 2 * (used + count));
  larger.set(bytes.subarray(0, used));
  return larger;
}

/** Collects the arguments of a call: words, and byte strings, which follow the words. */
export class Writer {
  #view = new DataView(new ArrayBuffer(256));
  #words = new Uint8Array(this.#view.buffer);
  #bytes = NONE;
  length = 0; // of the words, in bytes
  size = 0; // of the byte strings together

  #extend() {
    if (this.length + 8 <= this.#words.length) return;
    this.#words = extended(this.#words, this.length, 8);
    this.#view = new DataView(this.#words.buffer);
  }

  /** Adds a 64-bit number. */
  word(value, what) {
    this.#extend();
    wordFrom(value, what);
    if (typeof value === 'bigint') {
      this.#view.setBigUint64(this.length, value, true);
    } else {
      this.#view.setUint32(this.length, value >>> 0, true);
      this.#view.setUint32(this.length + 4, Math.floor(value / 4294967296), true);
    }
    this.length += 8;
  }

  double(value, what) {
    this.#extend();
    this.#view.setFloat64(this.length, number(value, what), true);
    this.length += 8;
  }

  /** Adds the bytes of a Uint8Array, or of a string in UTF-8. */
  bytes(value, what) {
    const bytes = bytesFrom(value, what), count = attached(bytes, what);
    if (this.size + count > this.#bytes.length) this.#bytes = extended(this.#bytes, this.size, count + 64);
    this.#bytes.set(bytes, this.size);
    this.size += count;
    this.word(this.size);
  }

  /** Adds bytes that several byte strings follow each other in; the words for their ends are added by the caller. */
  append(bytes) {
    const count = bytes.length;
    if (this.size + count > this.#bytes.length) this.#bytes = extended(this.#bytes, this.size, count);
    this.#bytes.set(bytes, this.size);
    this.size += count;
  }

  /** Drops what was added after these sizes. */
  cut(length, size) {
    this.length = length;
    this.size = size;
  }

  /** Copies the arguments to the buffer, and makes it at least `room` bytes large. */
  send(room = 0) {
    const buffer = reserveArray(Uint8Array, this.length + this.size, room);
    buffer.set(this.#words.subarray(0, this.length));
    if (this.size > 0) buffer.set(this.#bytes.subarray(0, this.size), this.length);
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

/**
 * Reads a result of rows of `width` words as columns, without an object for each row: a BigUint64Array for words, and
 * { bytes, ends } for byte strings, which are in the columns `strings`.
 */
export function readColumns(width, strings) {
  renewViews();
  const at = bufferAt(), count = wordAt(at) / width, first = at + 8 + 8 * width * count, { buffer } = wasm.memory;
  const rows = new Uint32Array(buffer, at + 8, 2 * width * count), columns = [];
  for (let column = 0; column < width; column++) {
    if (strings.includes(column)) continue;
    const halves = new Uint32Array(2 * count);
    for (let i = 0, k = 2 * column; i < count; i++, k += 2 * width) {
      halves[2 * i] = rows[k];
      halves[2 * i + 1] = rows[k + 1];
    }
    columns[column] = new BigUint64Array(halves.buffer);
  }
  const sizes = strings.map(() => 0), ends = strings.map(() => new Uint32Array(count));
  for (let i = 0, begin = 0; i < count; i++)
    for (let j = 0; j < strings.length; j++) {
      const end = rows[2 * (i * width + strings[j])];
      ends[j][i] = sizes[j] += end - begin;
      begin = end;
    }
  const bytes = sizes.map((size) => new Uint8Array(size));
  if (strings.length === 1) {
    bytes[0].set(new Uint8Array(buffer, first, sizes[0]));
  } else {
    for (let i = 0, begin = 0; i < count; i++)
      for (let j = 0; j < strings.length; j++) {
        const from = i === 0 ? 0 : ends[j][i - 1], size = ends[j][i] - from;
        bytes[j].set(new Uint8Array(buffer, first + begin, size), from);
        begin += size;
      }
  }
  strings.forEach((column, j) => { columns[column] = { bytes: bytes[j], ends: ends[j] }; });
  return columns;
}

/** Reads results from the buffer. The library must not be called until the last one has been read. */
export class Reader {
  #view;
  #bytes; // where the byte strings begin
  #read = 0; // the bytes of the strings that were read
  at;

  constructor() {
    renewViews();
    this.#view = new DataView(wasm.memory.buffer);
    this.at = bufferAt();
  }

  /** Returns a reader of words and byte strings, before which the result has the number of words. */
  static ofStrings() {
    const reader = new Reader(), words = reader.word();
    reader.#bytes = reader.at + 8 * words;
    return reader;
  }

  /** Whether there are more words. */
  get hasMore() {
    return this.at < this.#bytes;
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

  #string() {
    const begin = this.#read;
    this.#read = this.word();
    return new Uint8Array(wasm.memory.buffer, this.#bytes + begin, this.#read - begin);
  }

  bytes() {
    return this.#string().slice();
  }

  /** Decodes bytes as UTF-8. */
  text() {
    return decode(this.#string());
  }

  box() {
    return { minX: this.double(), minY: this.double(), maxX: this.double(), maxY: this.double() };
  }

  item() {
    return { minX: this.double(), minY: this.double(), maxX: this.double(), maxY: this.double(), id: this.word() };
  }

  /** Reads results of one kind until there are no more words. */
  all(read) {
    const results = [];
    while (this.hasMore) results.push(read(this));
    return results;
  }
}

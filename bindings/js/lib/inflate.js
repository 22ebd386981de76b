// SPDX-License-Identifier: MIT
// inflate.js: decodes base64, and data that was compressed with DEFLATE (RFC 1951).
//
// An engine has DecompressionStream, but it is asynchronous, and a module that awaits something while
// it is imported cannot be part of a classic script, a CommonJS module or most bundles. The data is a
// part of the package, so nothing here expects damaged data.

const LONGEST = 15; // bits of a code

// The number of further bits of a length or a distance, and the smallest one, by their symbols.
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BITS = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13];
const LENGTHS = smallest(LENGTH_BITS, 3);
LENGTHS[28] = 258; // the last symbol repeats a length of the one before it, in fewer bits
const DISTANCES = smallest(DISTANCE_BITS, 1);

// The order in which a block has the lengths of the codes for lengths.
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

function smallest(bits, first) {
  const values = [first];
  for (const count of bits) values.push(values.at(-1) + (1 << count));
  return values;
}

function reversed(code, length) {
  let result = 0;
  for (let i = 0; i < length; i++) result |= (code >> i & 1) << (length - 1 - i);
  return result;
}

/** Returns a table that maps the next 15 bits to 16 times the symbol, plus the length of its code. */
function tableOf(lengths) {
  const table = new Uint16Array(1 << LONGEST);
  for (let length = 1, code = 0; length <= LONGEST; length++, code <<= 1)
    for (let symbol = lengths.indexOf(length); symbol >= 0; symbol = lengths.indexOf(length, symbol + 1), code++)
      for (let bits = reversed(code, length); bits < table.length; bits += 1 << length) table[bits] = symbol << 4 | length;
  return table;
}

/** Reads bits, the lowest ones first. */
class BitReader {
  #bytes;
  #at = 0;
  #held = 0; // bits that were read from the bytes
  #count = 0;

  constructor(bytes) {
    this.#bytes = bytes;
  }

  bits(count) {
    while (this.#count < count) {
      this.#held |= this.#bytes[this.#at++] << this.#count;
      this.#count += 8;
    }
    const value = this.#held & ((1 << count) - 1);
    this.#held >>>= count;
    this.#count -= count;
    return value;
  }

  symbol(table) {
    while (this.#count < LONGEST) {
      this.#held |= this.#bytes[this.#at++] << this.#count; // 0 after the end
      this.#count += 8;
    }
    const entry = table[this.#held & ((1 << LONGEST) - 1)], length = entry & 15;
    this.#held >>>= length;
    this.#count -= length;
    return entry >> 4;
  }

  /** Returns the bytes of a stored block, which begin at the next whole byte. */
  stored() {
    this.bits(this.#count & 7);
    const length = this.bits(16);
    this.bits(16); // the complement of the length
    const from = this.#at - this.#count / 8;
    this.#at = from + length;
    this.#held = this.#count = 0;
    return this.#bytes.subarray(from, this.#at);
  }
}

function fixedTables() {
  const lengths = Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8));
  return [tableOf(lengths), tableOf(new Array(30).fill(5))];
}

/** Reads the tables of a block that has its own. */
function readTables(reader) {
  const literals = reader.bits(5) + 257, distances = reader.bits(5) + 1, count = reader.bits(4) + 4;
  const ofLengths = new Array(19).fill(0), lengths = [];
  for (let i = 0; i < count; i++) ofLengths[ORDER[i]] = reader.bits(3);
  const table = tableOf(ofLengths);
  while (lengths.length < literals + distances) {
    const symbol = reader.symbol(table);
    if (symbol < 16) lengths.push(symbol);
    else if (symbol === 16) repeat(lengths, lengths.at(-1), 3 + reader.bits(2));
    else repeat(lengths, 0, symbol === 17 ? 3 + reader.bits(3) : 11 + reader.bits(7));
  }
  return [tableOf(lengths.slice(0, literals)), tableOf(lengths.slice(literals))];
}

function repeat(lengths, value, times) {
  for (let i = 0; i < times; i++) lengths.push(value);
}

/** Decodes a block to `output`, from index `at` on. Returns the index after it. */
function inflateBlock(reader, [literals, distances], output, at) {
  for (;;) {
    const symbol = reader.symbol(literals);
    if (symbol === 256) return at;
    if (symbol < 256) {
      output[at++] = symbol;
      continue;
    }
    const end = at + LENGTHS[symbol - 257] + reader.bits(LENGTH_BITS[symbol - 257]), code = reader.symbol(distances);
    const distance = DISTANCES[code] + reader.bits(DISTANCE_BITS[code]);
    for (; at < end; at++) output[at] = output[at - distance];
  }
}

/** Decompresses bytes, whose result has `length` bytes. */
export function inflate(bytes, length) {
  const reader = new BitReader(bytes), output = new Uint8Array(length);
  let at = 0, isLast;
  do {
    isLast = reader.bits(1);
    const type = reader.bits(2);
    if (type === 0) {
      const stored = reader.stored();
      output.set(stored, at);
      at += stored.length;
    } else {
      at = inflateBlock(reader, type === 1 ? fixedTables() : readTables(reader), output, at);
    }
  } while (!isLast);
  return output;
}

/** Decodes base64. */
export function decodeBase64(text) {
  const characters = atob(text), bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

// SPDX-License-Identifier: MIT
// embedded.test.js: tests what starts the library from text: the decoders, and UTF-8 without TextEncoder.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { constants, deflateRawSync } from 'node:zlib';
import test from 'node:test';
import { decodeBase64, inflate } from '../lib/inflate.js';
import { decode, decodeStrictly, decodeUtf8, encode, encodeUtf8 } from '../lib/utf8.js';
import { SEED, dice } from '../support/checks.js';

for (const name of ['pqt', 'pqt-trees'])
  test(`the text of ${name}.wasm is that file`, async () => {
    const { text, length } = await import(`../lib/${name}.wasm.js`);
    assert.deepEqual(Buffer.from(inflate(decodeBase64(text), length)), readFileSync(new URL(`../${name}.wasm`, import.meta.url)));
  });

const WAYS = { stored: { level: 0 }, fast: { level: 1 }, best: { level: 9 }, 'with the fixed codes': { strategy: constants.Z_FIXED },
  'without repetitions': { strategy: constants.Z_HUFFMAN_ONLY }, 'with repetitions of one byte': { strategy: constants.Z_RLE } };

for (const [what, way] of Object.entries(WAYS))
  test(`bytes that zlib compressed are the same after inflate: ${what}`, () => {
    const draw = dice(SEED);
    for (let length = 0; length < 200000; length = 2 * length + draw(30)) {
      const values = 1 + draw(256), bytes = Buffer.from(Array.from({ length }, () => draw(values)));
      bytes.copyWithin(length >> 1, 0, draw(1 + (length >> 1))); // a repetition from far away
      assert.ok(bytes.equals(inflate(deflateRawSync(bytes, way), length)), `${length} bytes of ${values} values`);
    }
  });

// Bytes with which characters begin and go on, and their limits.
const BYTES = [0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbb, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff];

function strictly(decoder, bytes) {
  try {
    return decoder(bytes);
  } catch (error) {
    assert.ok(error instanceof TypeError);
    return null;
  }
}

test('without TextDecoder, bytes are decoded as with it, to U+FFFD or an error where they are not UTF-8', () => {
  const draw = dice(SEED);
  for (let i = 0; i < 20000; i++) {
    const bytes = Uint8Array.from({ length: draw(9) }, () => BYTES[draw(BYTES.length)]);
    assert.equal(decodeUtf8(bytes, false), decode(bytes), String(bytes));
    assert.equal(strictly((given) => decodeUtf8(given, true), bytes), strictly(decodeStrictly, bytes), String(bytes));
  }
});

test('without TextEncoder, strings are encoded as with it, halves of pairs too', () => {
  const draw = dice(SEED), units = [() => draw(128), () => draw(65536), () => 0xd800 + draw(1024), () => 0xdc00 + draw(1024)];
  for (let i = 0; i < 20000; i++) {
    const text = String.fromCharCode(...Array.from({ length: draw(9) }, () => units[draw(4)]()));
    assert.deepEqual(encodeUtf8(text), encode(text), JSON.stringify(text));
  }
});

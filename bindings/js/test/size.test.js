// SPDX-License-Identifier: MIT
// size.test.js: limits the sizes of the WebAssembly files, so that they do not grow unnoticed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import test from 'node:test';

// Bytes after compression. A limit is 1 % to 2 % above the size that Debian's clang 14 and binaryen 108 produce.
// Images and all that regions can do take 16 kB of pqt.wasm: blending, floods, merges, contours, casts, sweeps of circles, distances,
// skeletons, maps and convolutions. Pairs that began or ended take 3 kB of each, and so does synchronisation. Steps that load only
// some bodies take 4 kB of pqt.wasm. Visits of several entries and items collected without a visitor take 0.4 kB of each.
// The index of changes of histories takes 3 kB of pqt.wasm; paths, sizes and drops of entries take 0.7 kB of each. Reading tables is compiled for speed, 1 kB.
for (const [file, limit] of [['pqt-trees.wasm', 109500], ['pqt.wasm', 252000]])
  test(`${file} has at most ${limit} bytes, compressed`, () => {
    const { length } = gzipSync(readFileSync(new URL(`../${file}`, import.meta.url)), { level: 9 });
    assert.ok(length <= limit, `${length} bytes`);
  });

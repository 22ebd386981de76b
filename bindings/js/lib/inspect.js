// SPDX-License-Identifier: MIT
// inspect.js: shows how a version is stored: the cells of its tree, and the bytes that another version does not share.
import { TREE, WORLD, bufferAt, call, counted, kindOf, pinOf, raise, wasm } from './core.js';

const CELL = 48; // bytes: four doubles; kind, depth, count and block as 32-bit words

/**
 * Returns the cells of a tree, or of the tree of a world, each before its quadrants: boxes (four
 * numbers per cell), kinds (1: an inner cell, 2: a leaf, 3: the own items of an inner cell), depths,
 * counts, and blocks. Two versions share the cells whose blocks are equal.
 */
export function cells(version) {
  const kind = kindOf(version, 'the version');
  if (kind !== WORLD) pinOf(version, TREE, 'the version');
  const count = counted(call(wasm.pqtjs_cells, kind, pinOf(version, kind, 'the version'))) / CELL;
  const at = bufferAt(), doubles = new Float64Array(wasm.memory.buffer, at, (count * CELL) / 8);
  const words = new Uint32Array(wasm.memory.buffer, at, (count * CELL) / 4);
  const found = { boxes: new Float64Array(4 * count), kinds: new Uint8Array(count), depths: new Uint8Array(count),
    counts: new Uint32Array(count), blocks: new Uint32Array(count) };
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 4; k++) found.boxes[4 * i + k] = doubles[6 * i + k];
    found.kinds[i] = words[12 * i + 8];
    found.depths[i] = words[12 * i + 9];
    found.counts[i] = words[12 * i + 10];
    found.blocks[i] = words[12 * i + 11];
  }
  return found;
}

/** Returns the number of bytes of a version that another version of the same kind does not share.
    Without another version, returns the number of all its bytes. */
export function exclusiveBytes(version, other) {
  const kind = kindOf(version, 'the version'), hasOther = other !== undefined;
  const bytes = call(wasm.pqtjs_exclusive_bytes, kind, pinOf(version, kind, 'the version'), hasOther ? 1 : 0,
    hasOther ? pinOf(other, kind, 'the other version') : 0);
  return bytes < 0 ? raise() : bytes;
}

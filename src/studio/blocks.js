// SPDX-License-Identifier: MIT
// blocks.js: finds the blocks of a version that another version does not share, and their places in a picture of the tree.

import { Region, cells } from './pqt.js';

/**
 * @typedef {import('./pqt.js').Cells} Cells
 * @typedef {import('./pqt.js').PersistentTree | import('./pqt.js').World | import('./pqt.js').Region} Pictured
 *
 * The blocks of a version and their positions. Each has the index of its parent (-1 for the root), x from 0 to 1, and its row from
 * the top.
 * @typedef {{ parents: Int32Array, x: Float64Array, row: Int32Array, isCopied: Uint8Array, rows: number }} Places
 * @typedef {Places & { cells: Cells, copied: number }} Layout
 */

/** The kinds of cells that stand for the squares of a region. */
const KINDS = { inner: 1, leaf: 2, full: 2 };

/** Returns the squares of a region as cells, with the numbers from 1 as blocks. @returns {Cells} */
function cellsOfRegion(/** @type {Region} */ region) {
  const squares = region.squares();
  return { boxes: Float64Array.from(squares.flatMap(({ minX, minY, maxX, maxY }) => [minX, minY, maxX, maxY])), kinds: Uint8Array.from(squares, ({ kind }) => KINDS[kind]),
    depths: new Uint8Array(squares.length), counts: Uint32Array.from(squares, ({ count }) => count), blocks: Uint32Array.from(squares, (_, i) => i + 1) };
}

/** Returns the blocks of the squares of a region that another version has, too, with the same pixels. */
function sharedSquares(/** @type {Region} */ after, /** @type {Cells} */ { boxes, blocks }, /** @type {Region} */ before) {
  const sides = new Set(before.squares().map(({ minX, minY, maxX }) => [minX, minY, maxX].join())), changed = before.diff(after);
  return new Set(blocks.filter((_, i) => {
    const [left, top, right, bottom] = boxes.subarray(4 * i, 4 * i + 4);
    return sides.has([left, top, right].join()) && !changed.some(({ minX, minY, maxX, maxY }) => minX < right && maxX > left && minY < bottom && maxY > top);
  }));
}

/** Computes x for blocks in an order in which each comes before its children. Leaves are side by side, and other blocks are centred
    above their children. */
export function placesOf(/** @type {Int32Array} */ parents) {
  const count = parents.length, first = new Float64Array(count).fill(Infinity), last = new Float64Array(count).fill(-Infinity);
  const x = new Float64Array(count), isInner = new Uint8Array(count);
  for (const parent of parents) if (parent >= 0) isInner[parent] = 1;
  let leaves = 0;
  for (let i = 0; i < count; i++) if (isInner[i] === 0) x[i] = leaves++;
  for (let i = count - 1; i >= 0; i--) {
    if (isInner[i] === 1) x[i] = (first[i] + last[i]) / 2;
    const parent = parents[i];
    if (parent < 0) continue;
    first[parent] = Math.min(first[parent], x[i]);
    last[parent] = Math.max(last[parent], x[i]);
  }
  for (let i = 0; i < count; i++) x[i] = (x[i] + 0.5) / Math.max(leaves, 1);
  return x;
}

/** Returns the blocks of a version in the order of its cells, without their places. Those that are not among `old` are copied. */
function blocksOf(/** @type {Cells} */ after, /** @type {Set<number>} */ old) {
  const count = after.kinds.length;
  const parents = new Int32Array(count).fill(-1), isCopied = new Uint8Array(count), row = new Int32Array(count);
  /** The inner cells on the path to the current one, each with the number of its items that are in later cells. @type {{ at: number, left: number }[]} */
  const path = [];
  let rows = 0, copied = 0;
  for (let i = 0; i < count; i++) {
    while (path.length > 0 && path[path.length - 1].left === 0) path.pop();
    const above = path[path.length - 1];
    if (above !== undefined) {
      parents[i] = above.at;
      above.left -= after.counts[i];
    }
    row[i] = path.length;
    rows = Math.max(rows, path.length + 1);
    isCopied[i] = old.has(after.blocks[i]) ? 0 : 1;
    copied += isCopied[i];
    if (after.kinds[i] === 1) path.push({ at: i, left: after.counts[i] });
  }
  return { parents, row, isCopied, rows, copied };
}

/** Computes the places of all blocks of a version. @returns {Layout} */
export function layOut(/** @type {Pictured} */ after, /** @type {Pictured} */ before) {
  const isRegion = after instanceof Region && before instanceof Region, own = after instanceof Region ? cellsOfRegion(after) : cells(after);
  const blocks = blocksOf(own, isRegion ? sharedSquares(after, own, before) : new Set(cells(/** @type {Exclude<Pictured, Region>} */ (before)).blocks));
  return { ...blocks, cells: own, x: placesOf(blocks.parents) };
}

/**
 * Computes the places of the blocks that were copied and of those directly below them, down to a row above which there are at most
 * `most` of them. `below` has the number of blocks under each one that are not placed.
 * @param {import('./pqt.js').PersistentTree} after
 * @param {Set<number>} old  the blocks of the version before
 * @param {number} most
 * @returns {Places & { copied: number, blocks: number, below: Uint32Array }}
 */
export function layOutPath(after, old, most) {
  const all = blocksOf(cells(after), old), count = all.parents.length;
  const isNear = (/** @type {number} */ i) => all.parents[i] < 0 || all.isCopied[all.parents[i]] === 1;
  const ofRow = new Uint32Array(all.rows);
  for (let i = 0; i < count; i++) if (isNear(i)) ofRow[all.row[i]]++;
  let rows = 0;
  for (let sum = 0; rows < all.rows && ofRow[rows] > 0 && (rows === 0 || sum + ofRow[rows] <= most); rows++) sum += ofRow[rows];
  /** The place of each block, or of the block above that has one. */
  const placeOf = new Int32Array(count), kept = /** @type {number[]} */ ([]);
  const below = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    if (isNear(i) && all.row[i] < rows) placeOf[i] = kept.push(i) - 1;
    else below[placeOf[i] = placeOf[all.parents[i]]]++;
  }
  const parents = Int32Array.from(kept, (i) => (all.parents[i] < 0 ? -1 : placeOf[all.parents[i]]));
  return { parents, x: placesOf(parents), row: Int32Array.from(kept, (i) => all.row[i]), isCopied: Uint8Array.from(kept, (i) => all.isCopied[i]), rows,
    copied: all.copied, blocks: count, below: below.subarray(0, kept.length) };
}

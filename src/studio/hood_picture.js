// SPDX-License-Identifier: MIT
// hood_picture.js: draws a tree as blocks in rows by depth, and as cells in the plane.

import { Region, cells } from './pqt.js';
import { element } from './dom.js';
import { Surface } from './surface.js';
import { colour } from './theme.js';

/** @typedef {import('./pqt.js').Cells} Cells */

/**
 * The blocks of a version and their positions. Each has the index of its parent (-1 for the root), x
 * from 0 to 1, and its row from the top.
 * @typedef {{ cells: Cells, parents: Int32Array, x: Float64Array, row: Int32Array, isCopied: Uint8Array, rows: number, copied: number }} Layout
 */

/**
 * Returns the cells of a version. A region of the Pixels tab has 64 x 64 pixels, which are in one
 * block; `number` becomes the number of that block.
 * @param {import('./hood.js').Pictured} version
 * @param {number} number
 * @returns {Cells}
 */
function cellsOf(version, number) {
  if (!(version instanceof Region)) return cells(version);
  return { boxes: Float64Array.of(0, 0, 64, 64), kinds: Uint8Array.of(2), depths: Uint8Array.of(0), counts: Uint32Array.of(version.size), blocks: Uint32Array.of(number) };
}

/** Computes the positions of the blocks. Leaves are side by side, and other blocks are centred above their children. @returns {Layout} */
export function layOut(/** @type {Cells} */ after, /** @type {Cells} */ before) {
  const count = after.kinds.length, old = new Set(before.blocks);
  const parents = new Int32Array(count).fill(-1), x = new Float64Array(count), isCopied = new Uint8Array(count);
  const row = new Int32Array(count);
  /** The inner cells on the path to the current one, each with the number of its items that are in later cells. @type {{ at: number, left: number }[]} */
  const path = [];
  let leaves = 0, rows = 0, copied = 0;
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
    else x[i] = leaves++;
  }
  const first = new Float64Array(count).fill(Infinity), last = new Float64Array(count).fill(-Infinity);
  for (let i = count - 1; i >= 0; i--) {
    if (after.kinds[i] === 1) x[i] = (first[i] + last[i]) / 2;
    const parent = parents[i];
    if (parent < 0) continue;
    first[parent] = Math.min(first[parent], x[i]);
    last[parent] = Math.max(last[parent], x[i]);
  }
  for (let i = 0; i < count; i++) x[i] = (x[i] + 0.5) / Math.max(leaves, 1);
  return { cells: after, parents, x, row, isCopied, rows, copied };
}

/** The picture of the blocks and cells of an action. */
export class Picture {
  /** @type {Layout | null} */
  #layout = null;

  constructor() {
    this.view = element('div', { class: 'view' });
    this.surface = new Surface(this.view, 'The blocks of the new version: coloured if copied, grey if shared');
    this.surface.onDraw(() => this.#draw());
  }

  /** Shows an action. Returns the number of blocks, and the number of those that were copied. */
  show(/** @type {import('./hood.js').Action} */ { before, after }) {
    const isSame = after instanceof Region && before instanceof Region && after.equals(before);
    this.#layout = layOut(cellsOf(after, 1), cellsOf(before, isSame ? 1 : 2));
    this.surface.drawNow();
    return { blocks: this.#layout.isCopied.length, copied: this.#layout.copied };
  }

  #draw() {
    const { surface } = this;
    Object.assign(surface, { left: 0, top: 0, scale: 1 });
    const { context, width, height } = surface;
    const ratio = devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    surface.fill(colour('surface'));
    if (this.#layout === null || this.#layout.isCopied.length === 0) return;
    const isWide = width > height;
    const map = Math.min(isWide ? width * 0.38 : width, isWide ? height : height * 0.45) - 32;
    this.#drawBlocks(this.#layout, 16, 16, isWide ? width - map - 64 : width - 32, isWide ? height - 32 : height - map - 64);
    this.#drawCells(this.#layout, isWide ? width - map - 16 : (width - map) / 2, isWide ? (height - map) / 2 : height - map - 16, map);
  }

  /**
   * Draws the blocks in rows by depth.
   * @param {Layout} layout
   * @param {number} left
   * @param {number} top
   * @param {number} width
   * @param {number} height
   */
  #drawBlocks({ parents, x, row, isCopied, rows, cells: { kinds } }, left, top, width, height) {
    const { context } = this.surface;
    const count = kinds.length, distance = height / Math.max(rows, 1);
    const size = Math.max(2, Math.min(14, distance * 0.4, (width / count) * 1.6));
    const placeX = (/** @type {number} */ i) => left + x[i] * width, placeY = (/** @type {number} */ i) => top + (row[i] + 0.5) * distance;
    for (const copied of [0, 1]) {
      context.strokeStyle = context.fillStyle = colour(copied === 1 ? 'copied' : 'shared');
      context.lineWidth = copied === 1 ? 2 : 1;
      context.beginPath();
      for (let i = 0; i < count; i++) {
        if (isCopied[i] !== copied || parents[i] < 0) continue;
        context.moveTo(placeX(parents[i]), placeY(parents[i]));
        context.lineTo(placeX(i), placeY(i));
      }
      context.stroke();
      for (let i = 0; i < count; i++)
        if (isCopied[i] === copied) {
          const side = copied === 1 ? Math.max(size, 5) : size;
          context.fillRect(placeX(i) - side / 2, placeY(i) - side / 2, side, side);
        }
    }
  }

  /**
   * Draws the cells in the plane.
   * @param {Layout} layout
   * @param {number} left
   * @param {number} top
   * @param {number} size
   */
  #drawCells({ cells: { boxes, kinds }, isCopied }, left, top, size) {
    const { context } = this.surface;
    // Differences of two numbers can exceed the range of numbers, but not those of their halves, which are scaled instead.
    const [minX, minY, maxX, maxY] = boxes.slice(0, 4).map((one) => one / 2), scale = size / Math.max(maxX - minX, maxY - minY, Number.MIN_VALUE);
    const offsetX = left + (size - (maxX - minX) * scale) / 2, offsetY = top + (size - (maxY - minY) * scale) / 2;
    for (const copied of [0, 1]) {
      context.strokeStyle = colour(copied === 1 ? 'copied' : 'shared');
      context.fillStyle = colour('copied');
      context.lineWidth = copied === 1 ? 1.5 : 0.75;
      context.beginPath();
      for (let i = 0; i < kinds.length; i++) {
        if (isCopied[i] !== copied || kinds[i] === 3) continue;
        const k = 4 * i, x = offsetX + (boxes[k] / 2 - minX) * scale, y = offsetY + (boxes[k + 1] / 2 - minY) * scale;
        const width = (boxes[k + 2] / 2 - boxes[k] / 2) * scale, height = (boxes[k + 3] / 2 - boxes[k + 1] / 2) * scale;
        context.rect(x, y, width, height);
        if (copied === 1 && kinds[i] === 2) {
          context.globalAlpha = 0.25;
          context.fillRect(x, y, width, height);
          context.globalAlpha = 1;
        }
      }
      context.stroke();
    }
  }
}

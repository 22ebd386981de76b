// SPDX-License-Identifier: MIT
// hood_picture.js: draws a tree as blocks in rows by depth, and as cells in the plane.

import { layOut } from './blocks.js';
import { element } from './dom.js';
import { Surface } from './surface.js';
import { colour } from './theme.js';

/** @typedef {import('./blocks.js').Layout} Layout */

/** The picture of the blocks and cells of an action. */
export class Picture {
  /** @type {Layout | null} */
  #layout = null;
  /** Whether y points up in the plane. */
  #isUp = false;

  constructor() {
    this.view = element('div', { class: 'view' });
    this.surface = new Surface(this.view, 'The blocks of the new version: coloured if copied, grey if shared');
    this.surface.onDraw(() => this.#draw());
  }

  /** Shows an action. Returns the number of blocks, and the number of those that were copied. */
  show(/** @type {import('./hood.js').Action} */ { before, after, isUp = false }) {
    this.#layout = layOut(after, before);
    this.#isUp = isUp;
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
        const k = 4 * i, x = offsetX + (boxes[k] / 2 - minX) * scale, y = offsetY + (this.#isUp ? maxY - boxes[k + 3] / 2 : boxes[k + 1] / 2 - minY) * scale;
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

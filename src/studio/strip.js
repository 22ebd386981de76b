// SPDX-License-Identifier: MIT
// strip.js: the strip below a canvas that shows what the last edit copied: a small tree, in which the path to the edit lights up,
// and a sentence.

import { layOutPath, placesOf } from './blocks.js';
import { button, element, inBytes } from './dom.js';
import { cells, exclusiveBytes } from './pqt.js';
import { colour, onThemeChange } from './theme.js';

/**
 * @typedef {import('./pqt.js').Document} Document
 * @typedef {import('./pqt.js').PersistentTree} PersistentTree
 * @typedef {{ parents: Int32Array, x: Float64Array, row: Int32Array, isCopied: Uint8Array, rows: number, below: Uint32Array, copied: number, blocks: number }} Small
 *
 * An edit: the version that it started from, and the one that it made.
 * @typedef {{ label: string, before: Document, after: Document }} Edit
 */

/** The maximum number of blocks that are drawn. */
const MOST = 160;
/** The blocks of a tree with more of them are found after a pause, because that takes longer than a frame. */
const MANY = 20000, PAUSE = 200;

/** Returns a document as a root with its parts below it. @returns {Small} */
function partsIn(/** @type {Edit} */ { before, after }) {
  const isCopied = after.parts.map(/** @returns {number} */ ({ name }) => {
    const [old, next] = [before.get(name), after.get(name)];
    return old.equals(/** @type {any} */ (next)) ? 0 : 1;
  });
  const copied = isCopied.reduce((sum, one) => sum + one, 0), parents = Int32Array.from([-1, ...isCopied.map(() => 0)]);
  return { parents, x: placesOf(parents), row: Int32Array.from(parents, (parent) => parent + 1), isCopied: Uint8Array.from([copied > 0 ? 1 : 0, ...isCopied]), rows: 2,
    below: new Uint32Array(parents.length), copied, blocks: isCopied.length };
}

const number = (/** @type {number} */ one) => one.toLocaleString('en');

/** The strip of a tab. */
export class Strip {
  /** The edit that is shown. @type {Edit | null} */
  edit = null;
  /** Whether the sentence and the picture are those of `edit`. */
  #isDrawn = true;
  /** @type {Small | null} */
  #small = null;
  /** The version before the edit, which remains the same during a drag, with its blocks and bytes. @type {{ version: Document, blocks: Set<number>, bytes: number } | null} */
  #old = null;
  #empty;

  /**
   * @param {string} id
   * @param {import('./main.js').Studio} studio
   * @param {{ tree?: string, empty: string }} options  the part whose tree is drawn; without it, the parts of the document are drawn. `empty` is shown before the first edit
   */
  constructor(id, studio, { tree, empty }) {
    this.tree = tree;
    this.#empty = empty;
    this.canvas = element('canvas', { 'aria-hidden': 'true' });
    this.sentence = element('p', { id: `${id}-sharing` }, empty);
    this.view = element('div', { class: 'strip', id: `${id}-strip` }, this.canvas,
      element('div', {}, this.sentence, element('p', { class: 'muted' }, element('span', { class: 'sample copied', 'aria-hidden': 'true' }), ' copied  ',
        element('span', { class: 'sample shared', 'aria-hidden': 'true' }), ' shared with the version before')),
      button('Under the hood', () => studio.show('hood'), { id: `${id}-hood`, title: 'The same, larger' }));
    onThemeChange(() => this.#paint());
    new ResizeObserver(() => this.#paint()).observe(this.canvas);
  }

  /** Shows an edit in the next frame; null shows that there is none yet. Of several edits before that frame, only the last one is
      examined. */
  show(/** @type {Edit | null} */ edit) {
    this.edit = edit;
    if (!this.#isDrawn) return;
    this.#isDrawn = false;
    if (this.#small !== null && this.#small.blocks > MANY) setTimeout(() => this.drawNow(), PAUSE);
    else requestAnimationFrame(() => this.drawNow());
  }

  /** Returns the version before an edit, with its blocks and bytes. An equal version of another history has other blocks. */
  #oldOf(/** @type {Document} */ version) {
    if (this.#old === null || !this.#old.version.equals(version) || exclusiveBytes(version, this.#old.version) > 0) {
      const blocks = this.tree === undefined ? [] : cells(/** @type {PersistentTree} */ (version.get(this.tree))).blocks;
      this.#old = { version, blocks: new Set(blocks), bytes: exclusiveBytes(version) };
    }
    return this.#old;
  }

  drawNow() {
    const { edit } = this;
    this.#isDrawn = true;
    if (edit === null) {
      this.#small = null;
      this.sentence.textContent = this.#empty;
    } else {
      const old = this.#oldOf(edit.before);
      this.#small = this.tree === undefined ? partsIn(edit) : layOutPath(edit.after.get(this.tree), old.blocks, MOST);
      this.sentence.textContent = this.#sentenceOf(edit, this.#small, old.bytes);
    }
    this.#paint();
  }

  #sentenceOf(/** @type {Edit} */ { label, before, after }, /** @type {Small} */ { copied, blocks }, /** @type {number} */ bytesBefore) {
    if (blocks === 0) return `${label}: no box is left, so there is no block.`;
    const own = exclusiveBytes(after, before), bytes = inBytes(own), all = inBytes(bytesBefore - exclusiveBytes(before, after) + own), noun = this.tree === undefined ? 'parts' : 'blocks';
    const rest = this.tree === undefined || copied > 0 ? `, ${bytes}` : ` of the tree, and ${bytes} of names and colours`;
    return `${label}: this edit copied ${number(copied)} of ${number(blocks)} ${noun}${rest}; a full copy takes ${all}.`;
  }

  #paint() {
    const { canvas } = this, ratio = devicePixelRatio || 1, { clientWidth, clientHeight } = canvas;
    if (clientWidth === 0) return;
    canvas.width = Math.round(clientWidth * ratio);
    canvas.height = Math.round(clientHeight * ratio);
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    context.scale(ratio, ratio);
    if (this.#small !== null) paintPath(context, this.#small, clientWidth, clientHeight);
  }
}

/**
 * Draws the blocks in rows: copied ones as large squares, shared ones as small squares, or as triangles if there are blocks below
 * them.
 * @param {CanvasRenderingContext2D} context
 * @param {Small} small
 * @param {number} width
 * @param {number} height
 */
function paintPath(context, { parents, x, row, isCopied, rows, below }, width, height) {
  const distance = height / rows, side = Math.max(3, Math.min(9, distance * 0.55, width / parents.length));
  const placeX = (/** @type {number} */ i) => x[i] * width, placeY = (/** @type {number} */ i) => (row[i] + 0.5) * distance;
  for (const copied of [0, 1]) {
    context.strokeStyle = context.fillStyle = colour(copied === 1 ? 'copied' : 'shared');
    context.lineWidth = copied === 1 ? 2 : 1;
    context.beginPath();
    for (let i = 0; i < parents.length; i++) {
      if (isCopied[i] !== copied || parents[i] < 0) continue;
      context.moveTo(placeX(parents[i]), placeY(parents[i]));
      context.lineTo(placeX(i), placeY(i));
    }
    context.stroke();
    context.beginPath();
    for (let i = 0; i < parents.length; i++) {
      if (isCopied[i] !== copied) continue;
      const half = (copied === 1 ? side : side * 0.8) / 2, left = placeX(i) - half, top = placeY(i) - half;
      if (copied === 1 || below[i] === 0) context.rect(left, top, 2 * half, 2 * half);
      else {
        context.moveTo(left + half, top - half / 2);
        context.lineTo(left - half / 2, top + 2.5 * half);
        context.lineTo(left + 2.5 * half, top + 2.5 * half);
        context.closePath();
      }
    }
    context.fill();
  }
}

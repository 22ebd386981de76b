// SPDX-License-Identifier: MIT
// editor_canvas.js: draws a scene in the plane of the editor, and finds items and handles.

import { sum } from './decimal.js';
import { element } from './dom.js';
import { partsOf } from './editor_scene.js';
import { Raster } from './raster.js';
import { Surface } from './surface.js';
import { colour, packed } from './theme.js';

/**
 * @typedef {import('./pqt.js').Box} Box
 * @typedef {import('./pqt.js').Item} Item
 * @typedef {import('./editor_scene.js').Scene} Scene
 * @typedef {import('./surface.js').Point} Point
 * @typedef {import('./surface.js').Edges} Edges
 */

/** The colours of the palette, by their numbers. */
export const PALETTE = ['ball-0', 'ball-1', 'ball-2', 'ball-3', 'ball-4', 'ball-5'];
/** The distance, in CSS pixels, within which the pointer grabs a handle or an item. */
const NEAR = 7;
/** The side of the smallest item that gets handles, in CSS pixels. */
const ROOM = 24;
const NAME_FONT = '12px system-ui, "DejaVu Sans", sans-serif';
/** The maximum number of names that are drawn. */
const MOST_NAMES = 60;
/** Parts of boxes that are farther from the canvas than this, in CSS pixels, are cut off. */
const FAR = 1e6;
/** The side of the smallest tile, in device pixels. */
const SMALLEST_TILE = 16;
/** If there are more changes than this, the whole picture is redrawn. */
const MOST_CHANGES = 500;

const HANDLES = /** @type {[string, number, number][]} */ ([
  ['nw', 0, 0], ['n', 0.5, 0], ['ne', 1, 0], ['w', 0, 0.5], ['e', 1, 0.5], ['sw', 0, 1], ['s', 0.5, 1], ['se', 1, 1],
]);

/** Returns the number at a part of the way from one number to another, whose difference may be too large for a number. */
function between(/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ part) {
  return from * (1 - part) + to * part;
}

/** Returns the box that has two points as opposite corners. */
export function boxBetween(/** @type {Point} */ a, /** @type {Point} */ b) {
  return { minX: Math.min(a.x, b.x), minY: Math.min(a.y, b.y), maxX: Math.max(a.x, b.x), maxY: Math.max(a.y, b.y) };
}

/** Moves the edges of a box that meet at a handle, and returns the new box. */
export function resized(/** @type {Box} */ box, /** @type {string} */ handle, /** @type {number} */ dx, /** @type {number} */ dy) {
  const next = { ...box };
  if (handle.includes('w')) next.minX = sum(next.minX, dx);
  if (handle.includes('e')) next.maxX = sum(next.maxX, dx);
  if (handle.includes('n')) next.minY = sum(next.minY, dy);
  if (handle.includes('s')) next.maxY = sum(next.maxY, dy);
  return boxBetween({ x: next.minX, y: next.minY }, { x: next.maxX, y: next.maxY });
}

/** The picture of a scene. */
export class Plane {
  /** The scene that was drawn last, without the selection. @type {Scene | null} */
  #drawn = null;
  /** A text that identifies the part of the plane that was drawn last. */
  #drawnView = '';
  /** If more boxes than this are seen, a frame draws some tiles of the picture, and the next frames draw the others. */
  mostAtOnce = 100000;
  /** The tiles of that part that are not drawn yet, from the last to the first, in device pixels. @type {Edges[]} */
  #tiles = [];
  /** The picture of the scene without the layers above it. */
  #raster = new Raster();
  /** The colours of the items in the scene that was drawn, by their ids. @type {Map<number | bigint, number>} */
  #colours = new Map();

  constructor(/** @type {import('./editor.js').Editor} */ editor) {
    this.editor = editor;
    this.view = element('div', { class: 'view', id: 'editor-plane' });
    /** @type {Surface} */
    this.surface = new Surface(this.view, 'The plane: draw and select boxes. Arrow keys move the selection, I inserts a box, N and P select the next and the previous box.');
    this.surface.onDraw(() => editor.guarded(() => this.#draw()));
  }

  /** Redraws everything, for example when the colours have changed. */
  forget() {
    this.#drawn = null;
    this.surface.redraw();
  }

  // ---- The scene ----

  /** Derives the colours of a scene from the colours of the previous scene. */
  #readColours(/** @type {Scene} */ scene) {
    const { colours } = partsOf(scene);
    if (this.#drawn === null) {
      this.#colours = new Map(colours.entries().map(([id, value]) => [id, Number(value)]));
      return;
    }
    const before = partsOf(this.#drawn).colours;
    for (const { key, after } of before.diff(colours)) {
      if (after === undefined) this.#colours.delete(key);
      else this.#colours.set(key, Number(after));
    }
  }

  /** Returns the box of all changes since the scene that was drawn; null if everything must be redrawn. */
  #damage(/** @type {Scene} */ scene, /** @type {string} */ view) {
    if (this.#drawn === null || view !== this.#drawnView) return null;
    const changes = this.#drawn.diff(scene);
    if (changes.length > MOST_CHANGES) return null;
    const damage = { minX: Infinity, minY: Infinity, maxX: -Infinity, maxY: -Infinity };
    const add = (/** @type {Box} */ { minX, minY, maxX, maxY }) => {
      damage.minX = Math.min(damage.minX, minX);
      damage.minY = Math.min(damage.minY, minY);
      damage.maxX = Math.max(damage.maxX, maxX);
      damage.maxY = Math.max(damage.maxY, maxY);
    };
    for (const change of changes) {
      if (change.kind === 'tree') {
        add(change.item);
        if (change.change === 'move') add(change.to);
      } else if (change.kind === 'map' && change.part === 'colours') {
        return null;
      }
    }
    return damage;
  }

  /** Redraws the whole picture, or only the part that changed. */
  #update(/** @type {Scene} */ scene) {
    const { surface } = this, { canvas } = surface, raster = this.#raster;
    const view = [surface.left, surface.top, surface.scale, surface.isUp, canvas.width, canvas.height].join();
    if (this.#drawn !== scene || view !== this.#drawnView) {
      const damage = this.#damage(scene, view);
      this.#readColours(scene);
      raster.resize(canvas.width, canvas.height);
      const reach = this.#reach, part = damage === null || damage.minX > damage.maxX ? null : surface.edgesOf(damage, surface.ratio);
      if (damage === null) this.#begin(scene);
      else if (part !== null && raster.clip(Math.floor(part.left) - reach, Math.floor(part.top) - reach, Math.ceil(part.right) + reach, Math.ceil(part.bottom) + reach)) this.#drawItems(scene);
      this.#drawn = scene;
      this.#drawnView = view;
    }
    this.#drawTiles(scene);
    raster.clip(0, 0, canvas.width, canvas.height);
  }

  /** Divides the picture into tiles that have few enough boxes for a frame, and clears it if it has several. */
  #begin(/** @type {Scene} */ scene) {
    const { canvas: { width, height } } = this.surface, raster = this.#raster, { boxes } = partsOf(scene);
    /** @returns {Edges[]} */
    const divided = (/** @type {Edges} */ tile) => {
      const { left, top, right, bottom } = tile;
      raster.clip(left, top, right, bottom);
      if (Math.max(right - left, bottom - top) <= SMALLEST_TILE || boxes.count(this.#windowOf()) <= this.mostAtOnce) return [tile];
      const x = right - left > bottom - top ? (left + right) >> 1 : right, y = x < right ? bottom : (top + bottom) >> 1;
      return [...divided(x < right ? { left: x, top, right, bottom } : { left, top: y, right, bottom }), ...divided({ left, top, right: x, bottom: y })];
    };
    this.#tiles = boxes.size <= this.mostAtOnce ? [{ left: 0, top: 0, right: width, bottom: height }] : divided({ left: 0, top: 0, right: width, bottom: height });
    raster.clip(0, 0, width, height);
    if (this.#tiles.length > 1) raster.fill(packed('surface'));
  }

  /** Draws tiles until they have as many boxes as a frame should draw. */
  #drawTiles(/** @type {Scene} */ scene) {
    let count = 0;
    for (let tile = this.#tiles.pop(); tile !== undefined; tile = count < this.mostAtOnce ? this.#tiles.pop() : undefined)
      if (this.#raster.clip(tile.left, tile.top, tile.right, tile.bottom)) count += this.#drawItems(scene);
    if (this.#tiles.length > 0) this.surface.redraw();
  }

  /** Draws at once what the next frames would draw. */
  finish() {
    do this.surface.drawNow(); while (this.#tiles.length > 0);
  }

  /** The distance at which a box reaches into a part of the picture: small ones are drawn enlarged. */
  get #reach() {
    return this.#least + 1;
  }

  /** Returns the box of the plane whose items reach into the part of the picture that is being drawn. */
  #windowOf() {
    const { surface, surface: { ratio } } = this, raster = this.#raster, reach = this.#reach;
    return surface.boxOf({ left: (raster.left - reach) / ratio, top: (raster.top - reach) / ratio, right: (raster.right + reach) / ratio, bottom: (raster.bottom + reach) / ratio });
  }

  /** The side of the square that represents each smaller item, in device pixels. */
  get #least() {
    return Math.max(2, Math.round(1.5 * this.surface.ratio));
  }

  /** Draws the items in the part of the picture that is being drawn, without making an object for
      each item or colour. Returns the number of items. */
  #drawItems(/** @type {Scene} */ scene) {
    const { surface } = this, { ratio } = surface, raster = this.#raster, line = Math.max(1, Math.round(ratio));
    raster.fill(packed('surface'));
    const { boxes, ids } = partsOf(scene).boxes.searchArrays(this.#windowOf());
    // The edges are converted to pixels, and the items are sorted by colour.
    const count = ids.length, halves = new Uint32Array(ids.buffer), groups = new Uint8Array(count), ends = new Uint32Array(PALETTE.length + 1);
    for (let i = 0; i < count; i++) {
      const high = halves[2 * i + 1], id = high < 2 ** 21 ? halves[2 * i] + high * 2 ** 32 : ids[i];
      groups[i] = (this.#colours.get(id) ?? 0) % PALETTE.length;
      ends[groups[i] + 1]++;
    }
    for (let group = 1; group < PALETTE.length; group++) ends[group] += ends[group - 1];
    const edges = new Float64Array(4 * count); // ends[group] is the place for the next item of a group
    // As in edgesOf(), but without an object for each item.
    const { left, top, isUp } = surface, scaleX = 2 * surface.pixels, scaleY = isUp ? -scaleX : scaleX, upper = isUp ? 3 : 1, lower = 4 - upper;
    for (let i = 0; i < count; i++) {
      const to = 4 * ends[groups[i]]++;
      edges[to] = (boxes[4 * i] / 2 - left / 2) * scaleX;
      edges[to + 1] = (boxes[4 * i + upper] / 2 - top / 2) * scaleY;
      edges[to + 2] = (boxes[4 * i + 2] / 2 - left / 2) * scaleX;
      edges[to + 3] = (boxes[4 * i + lower] / 2 - top / 2) * scaleY;
    }
    for (let group = 0, first = 0; group < PALETTE.length; first = 4 * ends[group++])
      if (4 * ends[group] > first) this.#drawGroup(edges, first, 4 * ends[group], packed(PALETTE[group]), line);
    return count;
  }

  /**
   * Draws items of one colour. Fills the area that they cover once, and then outlines each item, or draws a square if it is small.
   * @param {Float64Array} edges  four numbers per item, in device pixels
   * @param {number} first
   * @param {number} end
   * @param {number} paint
   * @param {number} line  the width of lines
   */
  #drawGroup(edges, first, end, paint, line) {
    const raster = this.#raster, least = this.#least;
    for (let k = first; k < end; k += 4)
      if (edges[k + 2] - edges[k] >= least || edges[k + 3] - edges[k + 1] >= least) raster.cover(edges[k], edges[k + 1], edges[k + 2], edges[k + 3]);
    raster.fillCovered(paint, 46);
    for (let k = first; k < end; k += 4) {
      if (edges[k + 2] - edges[k] >= least || edges[k + 3] - edges[k + 1] >= least) {
        raster.outline(edges[k], edges[k + 1], edges[k + 2], edges[k + 3], paint, line);
      } else {
        const x = Math.round((edges[k] + edges[k + 2] - least) / 2), y = Math.round((edges[k + 1] + edges[k + 3] - least) / 2);
        raster.box(x, y, x + least, y + least, paint);
      }
    }
  }

  // ---- Layers above the scene ----
  //
  // They are drawn in CSS pixels, because a canvas computes with numbers of single precision.

  /** Returns the place of a box on the canvas, without the parts that are far outside of it. */
  #placeOf(/** @type {Box} */ box) {
    const { left, top, right, bottom } = this.surface.edgesOf(box);
    const near = (/** @type {number} */ one) => Math.min(Math.max(one, -FAR), FAR);
    return { x: near(left), y: near(top), width: near(right) - near(left), height: near(bottom) - near(top) };
  }

  #draw() {
    const { surface, editor } = this, { context, ratio } = surface;
    this.#update(editor.scenes.now);
    this.#raster.put(context);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const outline = (/** @type {Box} */ box) => {
      const { x, y, width, height } = this.#placeOf(box);
      context.strokeRect(x, y, width, height);
    };
    this.#drawNames();
    this.#drawDifference();
    context.strokeStyle = colour('selected');
    context.lineWidth = 2;
    for (const item of editor.selection.values()) outline(item);
    context.fillStyle = colour('selected');
    for (const { x: atX, y: atY } of this.#handles()) {
      const { x, y } = this.#placeOf({ minX: atX, minY: atY, maxX: atX, maxY: atY });
      context.fillRect(x - 4, y - 4, 8, 8);
    }
    for (const [box, name] of /** @type {[Box | null, string][]} */ ([[editor.band, 'accent'], [editor.window, 'normal']])) {
      if (box === null) continue;
      context.setLineDash([6, 4]);
      context.strokeStyle = colour(name);
      outline(box);
      context.setLineDash([]);
    }
  }

  /** Returns the names that have room in their boxes, if there are few boxes, each with the place of its upper left corner. */
  names() {
    const { surface, editor } = this, { boxes, names } = partsOf(editor.scenes.now), found = /** @type {(Point & { name: string, text: string })[]} */ ([]);
    if (names.size === 0 || boxes.count(surface.visible) > 20 * MOST_NAMES) return found;
    for (const item of boxes.search(surface.visible)) {
      const { x, y, width, height } = this.#placeOf(item);
      const name = width >= 24 && height >= 16 ? names.getText(item.id) : undefined;
      if (name === undefined || found.length === MOST_NAMES) continue;
      found.push({ x: x + 3, y: y + 2, name, text: this.#shortened(name, width - 6) });
    }
    return found;
  }

  /** Returns as much of a text as has room in a width, in CSS pixels. */
  #shortened(/** @type {string} */ text, /** @type {number} */ width) {
    const { context } = this.surface, letters = [...text];
    context.font = NAME_FONT;
    const fits = (/** @type {number} */ count) => context.measureText(`${letters.slice(0, count).join('')}…`).width <= width;
    if (context.measureText(text).width <= width) return text;
    let low = 1, high = letters.length - 1; // `low` letters are shown in any case
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (fits(middle)) low = middle;
      else high = middle - 1;
    }
    return `${letters.slice(0, low).join('')}…`;
  }

  #drawNames() {
    const { context } = this.surface;
    context.font = NAME_FONT;
    context.textBaseline = 'top';
    context.fillStyle = colour('text');
    for (const { x, y, text } of this.names()) context.fillText(text, x, y);
  }

  /** Draws the differences from the version with which the current one is compared. */
  #drawDifference() {
    const { surface: { context }, editor } = this;
    const difference = editor.difference();
    if (difference === null) return;
    const least = 3;
    const outline = (/** @type {Box} */ box, /** @type {string} */ name, dash = false) => {
      const { x, y, width, height } = this.#placeOf(box);
      context.strokeStyle = colour(name);
      context.lineWidth = 2.5;
      context.setLineDash(dash ? [5, 3] : []);
      context.strokeRect(x, y, Math.max(width, least), Math.max(height, least));
      context.setLineDash([]);
      return { x: x + width / 2, y: y + height / 2 };
    };
    for (const change of difference) {
      if (change.kind !== 'tree') continue;
      if (change.change === 'insert') outline(change.item, 'inserted');
      else if (change.change === 'remove') outline(change.item, 'removed', true);
      else if ('to' in change) {
        const from = outline(change.item, 'moved', true), to = outline(change.to, 'moved');
        context.beginPath();
        context.moveTo(from.x, from.y);
        context.lineTo(to.x, to.y);
        context.stroke();
      }
    }
  }

  /** Returns the handles of the selected item, if only one item is selected, and there is room between them to grab the item itself. */
  #handles() {
    const [item, ...others] = this.editor.selection.values();
    if (item === undefined || others.length > 0) return [];
    const { left, top, right, bottom } = this.surface.edgesOf(item);
    if (Math.max(right - left, bottom - top) < ROOM) return [];
    return HANDLES.map(([name, x, y]) => ({ name, x: between(item.minX, item.maxX, x), y: between(item.minY, item.maxY, y) }));
  }

  // ---- Finding ----

  /** Returns the handle at a position; null if there is none. */
  handleAt(/** @type {Point} */ at) {
    const near = NEAR / this.surface.scale;
    return this.#handles().find(({ x, y }) => Math.abs(x - at.x) <= near && Math.abs(y - at.y) <= near)?.name ?? null;
  }

  /** Returns the smallest item at a position; undefined if there is none. @returns {Item | undefined} */
  itemAt(/** @type {Point} */ { x, y }) {
    const near = 3 / this.surface.scale;
    // Not by area, with which a line of any length would win over a small box.
    const size = (/** @type {Item} */ { minX, minY, maxX, maxY }) => (maxX - minX) + (maxY - minY);
    return partsOf(this.editor.scenes.now).boxes.search({ minX: x - near, minY: y - near, maxX: x + near, maxY: y + near })
      .sort((a, b) => size(a) - size(b) || Number(a.id) - Number(b.id))[0];
  }
}

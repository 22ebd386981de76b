// SPDX-License-Identifier: MIT
// editor_canvas.js: the plane of the editor: draws a scene, and takes the pointer.

import { element } from './dom.js';
import { partsOf } from './editor_scene.js';
import { Surface } from './surface.js';
import { colour } from './theme.js';

/**
 * @typedef {import('./pqt/index.js').Box} Box
 * @typedef {import('./pqt/index.js').Item} Item
 * @typedef {import('./editor_scene.js').Scene} Scene
 * @typedef {import('./surface.js').Point} Point
 */

/** The colours of the palette, by their numbers. */
export const PALETTE = ['ball-0', 'ball-1', 'ball-2', 'ball-3', 'ball-4', 'ball-5'];
/** Pixels of the page within which the pointer takes hold of a handle or an item. */
const NEAR = 7;
/** The most names that are written into the picture. */
const MOST_NAMES = 60;
/** The most changes for which a part of the picture is drawn again, in place of all of it. */
const MOST_CHANGES = 500;

const HANDLES = /** @type {[string, number, number][]} */ ([
  ['nw', 0, 0], ['n', 0.5, 0], ['ne', 1, 0], ['w', 0, 0.5], ['e', 1, 0.5], ['sw', 0, 1], ['s', 0.5, 1], ['se', 1, 1],
]);

/** Returns the box between two points. */
export function boxBetween(/** @type {Point} */ a, /** @type {Point} */ b) {
  return { minX: Math.min(a.x, b.x), minY: Math.min(a.y, b.y), maxX: Math.max(a.x, b.x), maxY: Math.max(a.y, b.y) };
}

/** Returns a box with other edges: those of a handle are moved. */
export function resized(/** @type {Box} */ box, /** @type {string} */ handle, /** @type {number} */ dx, /** @type {number} */ dy) {
  const next = { ...box };
  if (handle.includes('w')) next.minX += dx;
  if (handle.includes('e')) next.maxX += dx;
  if (handle.includes('n')) next.minY += dy;
  if (handle.includes('s')) next.maxY += dy;
  return boxBetween({ x: next.minX, y: next.minY }, { x: next.maxX, y: next.maxY });
}

/** The picture of a scene. */
export class Plane {
  /** The scene as it was drawn last, without selection. @type {Scene | null} */
  #drawn = null;
  /** The part of the plane that was drawn. */
  #drawnView = '';
  /** The scene without what is over it. */
  #layer = new OffscreenCanvas(1, 1);
  /** The colours of items, by their ids, for the scene that was drawn. @type {Map<bigint, number>} */
  #colours = new Map();

  constructor(/** @type {import('./editor.js').Editor} */ editor) {
    this.editor = editor;
    this.view = element('div', { class: 'view', id: 'editor-plane' });
    /** @type {Surface} */
    this.surface = new Surface(this.view, 'The plane: draw and select boxes. Arrow keys move what is selected, I inserts a box, N and P select the next and the one before.');
    this.surface.onDraw(() => editor.guarded(() => this.#draw()));
  }

  /** Draws everything again, for example in other colours. */
  forget() {
    this.#drawn = null;
    this.surface.redraw();
  }

  // ---- The scene ----

  /** Takes over the colours of a scene from those of the scene before. */
  #readColours(/** @type {Scene} */ scene) {
    const { colours } = partsOf(scene);
    if (this.#drawn === null) {
      this.#colours = new Map(colours.entries().map(([id, value]) => [BigInt(/** @type {number} */ (id)), Number(value)]));
      return;
    }
    const before = partsOf(this.#drawn).colours;
    for (const { key, after } of before.diff(colours)) {
      const id = BigInt(/** @type {number} */ (key));
      if (after === undefined) this.#colours.delete(id);
      else this.#colours.set(id, Number(after));
    }
  }

  /** Returns the box of all changes since the scene that was drawn; null if all must be drawn again. */
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

  /** Brings the layer up to date: all of it, or the part that changed. */
  #update(/** @type {Scene} */ scene) {
    const { surface } = this, { canvas } = surface;
    const view = [surface.left, surface.top, surface.scale, canvas.width, canvas.height].join();
    if (this.#drawn === scene && view === this.#drawnView) return;
    const damage = this.#damage(scene, view);
    this.#readColours(scene);
    if (this.#layer.width !== canvas.width || this.#layer.height !== canvas.height) this.#layer = new OffscreenCanvas(canvas.width, canvas.height);
    const context = /** @type {OffscreenCanvasRenderingContext2D} */ (this.#layer.getContext('2d'));
    const ratio = canvas.width / surface.width, scale = surface.scale * ratio;
    context.setTransform(scale, 0, 0, scale, -surface.left * scale, -surface.top * scale);
    const all = surface.visible, pixel = 2 / surface.scale;
    const part = damage === null ? all : {
      minX: Math.max(all.minX, damage.minX - pixel), minY: Math.max(all.minY, damage.minY - pixel),
      maxX: Math.min(all.maxX, damage.maxX + pixel), maxY: Math.min(all.maxY, damage.maxY + pixel),
    };
    if (part.minX <= part.maxX && part.minY <= part.maxY) {
      context.save();
      context.beginPath();
      context.rect(part.minX, part.minY, part.maxX - part.minX, part.maxY - part.minY);
      context.clip();
      this.#drawItems(context, scene, part);
      context.restore();
    }
    this.#drawn = scene;
    this.#drawnView = view;
  }

  /** Draws the items that touch a part of the plane, one path for each colour. */
  #drawItems(/** @type {OffscreenCanvasRenderingContext2D} */ context, /** @type {Scene} */ scene, /** @type {Box} */ part) {
    const { scale } = this.surface, least = 1.5 / scale;
    context.fillStyle = colour('surface');
    context.fillRect(part.minX, part.minY, part.maxX - part.minX, part.maxY - part.minY);
    const window = { minX: part.minX - least, minY: part.minY - least, maxX: part.maxX + least, maxY: part.maxY + least };
    const { boxes, ids } = partsOf(scene).boxes.searchArrays(window);
    const colours = new Uint8Array(ids.length);
    for (let i = 0; i < ids.length; i++) colours[i] = (this.#colours.get(ids[i]) ?? 0) % PALETTE.length;
    for (let group = 0; group < PALETTE.length; group++) {
      const outline = new Path2D();
      context.fillStyle = context.strokeStyle = colour(PALETTE[group]);
      let some = false;
      for (let i = 0, k = 0; i < ids.length; i++, k += 4) {
        if (colours[i] !== group) continue;
        const width = boxes[k + 2] - boxes[k], height = boxes[k + 3] - boxes[k + 1];
        if (width < least && height < least) {
          context.fillRect(boxes[k] + (width - least) / 2, boxes[k + 1] + (height - least) / 2, least, least);
          continue;
        }
        outline.rect(boxes[k], boxes[k + 1], Math.max(width, least / 2), Math.max(height, least / 2));
        some = true;
      }
      if (!some) continue;
      context.lineWidth = 1 / scale;
      context.globalAlpha = 0.18;
      context.fill(outline);
      context.globalAlpha = 1;
      context.stroke(outline);
    }
  }

  // ---- What is over the scene ----

  #draw() {
    const { surface, editor } = this, { context, canvas, scale } = surface;
    this.#update(editor.scenes.now);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.#layer, 0, 0);
    const whole = surface.scale * (canvas.width / surface.width);
    context.setTransform(whole, 0, 0, whole, -surface.left * whole, -surface.top * whole);
    this.#drawNames();
    this.#drawDifference();
    context.strokeStyle = colour('selected');
    context.lineWidth = 2 / scale;
    for (const { minX, minY, maxX, maxY } of editor.selection.values()) context.strokeRect(minX, minY, maxX - minX, maxY - minY);
    context.fillStyle = colour('selected');
    for (const { x, y } of this.#handles()) context.fillRect(x - 4 / scale, y - 4 / scale, 8 / scale, 8 / scale);
    for (const [box, name] of /** @type {[Box | null, string][]} */ ([[editor.band, 'accent'], [editor.window, 'normal']])) {
      if (box === null) continue;
      context.setLineDash([6 / scale, 4 / scale]);
      context.strokeStyle = colour(name);
      context.strokeRect(box.minX, box.minY, box.maxX - box.minX, box.maxY - box.minY);
      context.setLineDash([]);
    }
  }

  /** Writes the names of boxes into those that have room, if they are few. */
  #drawNames() {
    const { surface, editor } = this, { context, scale } = surface;
    const { boxes, names } = partsOf(editor.scenes.now);
    if (names.size === 0 || boxes.count(surface.visible) > 20 * MOST_NAMES) return;
    context.font = `${12 / scale}px system-ui, "DejaVu Sans", sans-serif`;
    context.textBaseline = 'top';
    context.fillStyle = colour('text');
    let written = 0;
    for (const { id, minX, minY, maxX, maxY } of boxes.search(surface.visible)) {
      const name = (maxX - minX) * scale >= 24 && (maxY - minY) * scale >= 16 ? names.getText(id) : undefined;
      if (name === undefined || written === MOST_NAMES) continue;
      written++;
      const most = Math.floor(((maxX - minX) * scale) / 7);
      context.fillText(name.length > most ? `${name.slice(0, most - 1)}…` : name, minX + 3 / scale, minY + 2 / scale);
    }
  }

  /** Draws what differs from the version that is compared with. */
  #drawDifference() {
    const { surface: { context, scale }, editor } = this;
    const difference = editor.difference();
    if (difference === null) return;
    const least = 3 / scale;
    const outline = (/** @type {Box} */ { minX, minY, maxX, maxY }, /** @type {string} */ name, dash = false) => {
      context.strokeStyle = colour(name);
      context.lineWidth = 2.5 / scale;
      context.setLineDash(dash ? [5 / scale, 3 / scale] : []);
      context.strokeRect(minX, minY, Math.max(maxX - minX, least), Math.max(maxY - minY, least));
      context.setLineDash([]);
    };
    for (const change of difference) {
      if (change.kind !== 'tree') continue;
      if (change.change === 'insert') outline(change.item, 'inserted');
      else if (change.change === 'remove') outline(change.item, 'removed', true);
      else if ('to' in change) {
        const { item, to } = change;
        outline(item, 'moved', true);
        outline(to, 'moved');
        context.beginPath();
        context.moveTo((item.minX + item.maxX) / 2, (item.minY + item.maxY) / 2);
        context.lineTo((to.minX + to.maxX) / 2, (to.minY + to.maxY) / 2);
        context.stroke();
      }
    }
  }

  /** The handles of the item that alone is selected. */
  #handles() {
    const [item, ...others] = this.editor.selection.values();
    if (item === undefined || others.length > 0) return [];
    return HANDLES.map(([name, x, y]) => ({ name, x: item.minX + x * (item.maxX - item.minX), y: item.minY + y * (item.maxY - item.minY) }));
  }

  // ---- Finding ----

  /** Returns the handle at a place; null if there is none. */
  handleAt(/** @type {Point} */ at) {
    const near = NEAR / this.surface.scale;
    return this.#handles().find(({ x, y }) => Math.abs(x - at.x) <= near && Math.abs(y - at.y) <= near)?.name ?? null;
  }

  /** Returns the smallest item at a place; undefined if there is none. @returns {Item | undefined} */
  itemAt(/** @type {Point} */ { x, y }) {
    const near = 3 / this.surface.scale;
    const area = (/** @type {Item} */ { minX, minY, maxX, maxY }) => (maxX - minX) * (maxY - minY);
    return partsOf(this.editor.scenes.now).boxes.search({ minX: x - near, minY: y - near, maxX: x + near, maxY: y + near })
      .sort((a, b) => area(a) - area(b) || Number(a.id) - Number(b.id))[0];
  }
}

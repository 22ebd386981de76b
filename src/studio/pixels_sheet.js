// SPDX-License-Identifier: MIT
// pixels_sheet.js: a sheet of 64 x 64 pixels on which the user draws an object with the pointer or the keyboard.

import { drawColours } from './pixels_draw.js';
import { SIDE, painted } from './pixels_objects.js';
import { Surface } from './surface.js';
import { element } from './dom.js';
import { colour } from './theme.js';

/**
 * @typedef {import('./pixels_objects.js').Name} Name
 * @typedef {{ op: 'set' | 'clear', x: number, y: number, toX: number, toY: number, radius: number }} Stroke
 */

const BOUNDS = { minX: 0, minY: 0, maxX: SIDE, maxY: SIDE };

/** A canvas that shows an object and accepts strokes. */
export class Sheet {
  /** The strokes since the pointer went down. @type {Stroke[]} */
  #strokes = [];
  /** The object and its colours with these strokes applied. @type {ReturnType<typeof painted> | null} */
  #preview = null;
  #at = { x: SIDE / 2, y: SIDE / 2 };
  /** The id of the pointer that draws. Other pointers are ignored. @type {number | null} */
  #pointer = null;
  /** Whether the keyboard cursor is shown. */
  #hasCursor = false;

  /**
   * @param {Name} name
   * @param {string} label
   * @param {import('./pixels.js').Pixels} pixels
   */
  constructor(name, label, pixels) {
    this.name = name;
    this.label = label;
    this.pixels = pixels;
    this.view = element('div', { class: 'view sheet', id: `pixels-${name}` });
    this.surface = new Surface(this.view, `${label}: draw with the pointer; arrow keys move a cursor, Enter draws`, () => this.surface.fit(BOUNDS, 1));
    this.surface.onDraw(() => this.#draw());
    const { canvas } = this.surface;
    canvas.addEventListener('pointerdown', (event) => this.#begin(event));
    canvas.addEventListener('pointermove', (event) => this.#move(event));
    canvas.addEventListener('pointerup', (event) => this.#end(event));
    canvas.addEventListener('pointercancel', (event) => {
      if (event.pointerId === this.#pointer) this.#drop();
    });
    canvas.addEventListener('blur', () => {
      this.#hasCursor = false;
      this.surface.drawNow();
    });
  }

  #stroke(/** @type {{ x: number, y: number }} */ from, /** @type {{ x: number, y: number }} */ to) {
    const { pen, isErasing } = this.pixels;
    return /** @type {Stroke} */ ({ op: isErasing ? 'clear' : 'set', x: from.x, y: from.y, toX: to.x, toY: to.y, radius: pen / 2 });
  }

  #begin(/** @type {PointerEvent} */ event) {
    if (event.button !== 0 || this.#pointer !== null) return;
    this.surface.canvas.setPointerCapture(event.pointerId);
    this.#pointer = event.pointerId;
    this.#at = this.surface.at(event);
    this.#append(this.#stroke(this.#at, this.#at));
  }

  #move(/** @type {PointerEvent} */ event) {
    if (event.pointerId !== this.#pointer) return;
    const to = this.surface.at(event);
    this.#append(this.#stroke(this.#at, to));
    this.#at = to;
  }

  #append(/** @type {Stroke} */ stroke) {
    this.#strokes.push(stroke);
    const { region, colours } = this.#shown, old = this.#preview;
    this.#preview = painted(region, colours, [stroke], this.pixels.ink);
    old?.region.free();
    this.surface.redraw();
  }

  get #shown() {
    const { now, colours } = this.pixels.objects;
    return this.#preview ?? { region: now[this.name], colours: colours[this.name] };
  }

  #end(/** @type {PointerEvent} */ event) {
    if (event.pointerId !== this.#pointer) return;
    const strokes = this.#strokes;
    this.#drop();
    this.pixels.paint(this.name, strokes);
  }

  #drop() {
    this.#pointer = null;
    this.#strokes = [];
    this.#preview?.region.free();
    this.#preview = null;
    this.surface.redraw();
  }

  /** Moves the cursor, or draws at it. Returns whether it handled the key. */
  key(/** @type {string} */ key) {
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key] ?? [0, 0];
    if (dx === 0 && dy === 0 && key !== 'Enter') return false;
    const clamp = (/** @type {number} */ value) => Math.min(Math.max(Math.floor(value) + 0.5, 0.5), SIDE - 0.5);
    this.#hasCursor = true;
    this.#at = { x: clamp(this.#at.x + dx), y: clamp(this.#at.y + dy) };
    if (key === 'Enter') this.pixels.paint(this.name, [this.#stroke(this.#at, this.#at)]);
    this.surface.drawNow();
    return true;
  }

  #draw() {
    const { surface, pixels } = this;
    const { context, scale } = surface;
    const { region, colours } = this.#shown;
    surface.fill(colour('sunken'));
    context.fillStyle = colour('surface');
    context.fillRect(0, 0, SIDE, SIDE);
    context.fillStyle = colour(this.name);
    context.beginPath(); // one path for all boxes, so that there are no seams between them
    for (const { minX, minY, maxX, maxY } of region.boxes(BOUNDS)) context.rect(minX, minY, maxX - minX, maxY - minY);
    context.fill();
    drawColours(context, colours, { x: 0, y: 0 });
    context.strokeStyle = colour('line');
    context.lineWidth = 0.5 / scale;
    context.beginPath();
    for (let i = 0; i <= SIDE; i += 8) {
      context.moveTo(i, 0);
      context.lineTo(i, SIDE);
      context.moveTo(0, i);
      context.lineTo(SIDE, i);
    }
    context.stroke();
    if (!this.#hasCursor) return;
    context.strokeStyle = colour('accent');
    context.lineWidth = 2 / scale;
    context.beginPath();
    context.arc(this.#at.x, this.#at.y, Math.max(pixels.pen / 2, 1), 0, 2 * Math.PI);
    context.stroke();
  }
}

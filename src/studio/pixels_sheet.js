// SPDX-License-Identifier: MIT
// pixels_sheet.js: a sheet of pixels on which the user draws an object with the pointer or the keyboard. It has 64 x 64 pixels, or those
// of the picture that was loaded.

import { button, element } from './dom.js';
import { follow, middleOf, zoomWithWheel } from './pan.js';
import { drawPicture } from './pixels_draw.js';
import { SIDE, painted, sheetOf } from './pixels_objects.js';
import { ObjectPicture } from './pixels_picture.js';
import { Surface } from './surface.js';
import { colour } from './theme.js';

/**
 * @typedef {import('./pixels_objects.js').Name} Name
 * @typedef {{ op: 'set' | 'clear', x: number, y: number, toX: number, toY: number, radius: number }} Stroke
 */

/** The distance between the lines of the grid, in pixels of the sheet, and the least one on the screen at which they are drawn, in CSS
    pixels. */
const GRID = 8, LEAST_GRID = 14;
/** The number of pixels by which the cursor moves while Shift is pressed. */
const FAR = 10;

/** A canvas that shows an object and accepts strokes. */
export class Sheet {
  /** The strokes since the pointer went down. @type {Stroke[]} */
  #strokes = [];
  /** The object and its colours with these strokes applied. @type {ReturnType<typeof painted> | null} */
  #preview = null;
  #at = { x: SIDE / 2, y: SIDE / 2 };
  /** The positions of the pointers that are down, in CSS pixels. @type {Map<number, { x: number, y: number }>} */
  #pointers = new Map();
  /** The id of the pointer that draws. @type {number | null} */
  #pointer = null;
  /** Whether the pointers move the sheet. */
  #isPanned = false;
  /** Whether Space is down, so that a drag moves the sheet. */
  #isPanning = false;
  #picture = new ObjectPicture();
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
    this.surface = new Surface(this.view, `${label}: draw with the pointer; arrow keys move a cursor, Enter draws, plus and minus zoom`, () => this.fit());
    this.size = element('span', { class: 'muted' });
    this.bar = element('div', { class: 'row zoom', hidden: true }, this.size,
      button('−', () => this.surface.zoom(0.8), { id: `pixels-out-${name}`, title: 'Zoom out' }),
      button('+', () => this.surface.zoom(1.25), { id: `pixels-in-${name}`, title: 'Zoom in' }),
      button('Fit', () => this.fit(), { id: `pixels-fit-${name}`, title: 'Show all of the picture' }));
    this.surface.onDraw(() => this.#draw());
    const { canvas } = this.surface;
    canvas.addEventListener('pointerdown', (event) => this.#begin(event));
    canvas.addEventListener('pointermove', (event) => this.#move(event));
    canvas.addEventListener('pointerup', (event) => this.#end(event));
    canvas.addEventListener('pointercancel', (event) => {
      this.#pointers.delete(event.pointerId);
      this.#isPanned = this.#isPanned && this.#pointers.size > 0;
      if (event.pointerId === this.#pointer) this.#drop();
    });
    canvas.addEventListener('keyup', () => { this.#isPanning = false; });
    canvas.addEventListener('blur', () => {
      this.#isPanning = this.#hasCursor = false;
      this.surface.drawNow();
    });
    zoomWithWheel(this.surface);
  }

  /** Shows all of the sheet. */
  fit() {
    this.surface.fit(sheetOf(this.#size), 1);
    this.surface.redraw();
  }

  get #size() {
    return this.pixels.objects.sizes[this.name];
  }

  /** Adopts the size of the object. */
  resize() {
    const { width, height } = this.#size;
    this.bar.hidden = width === SIDE && height === SIDE;
    this.size.textContent = `${width.toLocaleString('en')} x ${height.toLocaleString('en')} px`;
    this.#at = { x: width / 2, y: height / 2 };
    this.fit();
  }

  #stroke(/** @type {{ x: number, y: number }} */ from, /** @type {{ x: number, y: number }} */ to) {
    const { pen, isErasing } = this.pixels;
    return /** @type {Stroke} */ ({ op: isErasing ? 'clear' : 'set', x: from.x, y: from.y, toX: to.x, toY: to.y, radius: pen / 2 });
  }

  #begin(/** @type {PointerEvent} */ event) {
    this.surface.canvas.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.#pointers.size >= 2) this.#drop(); // two fingers move and scale the sheet
    this.#isPanned = this.#isPanned || this.#pointers.size >= 2 || event.button === 1 || this.#isPanning;
    if (event.button !== 0 || this.#isPanned) return;
    this.#pointer = event.pointerId;
    this.#at = this.surface.at(event);
    this.#append(this.#stroke(this.#at, this.#at));
  }

  #move(/** @type {PointerEvent} */ event) {
    const before = middleOf(this.#pointers);
    if (this.#pointers.has(event.pointerId)) this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.#isPanned) follow(this.surface, before, middleOf(this.#pointers));
    if (event.pointerId !== this.#pointer) return;
    const to = this.surface.at(event);
    this.#append(this.#stroke(this.#at, to));
    this.#at = to;
  }

  #append(/** @type {Stroke} */ stroke) {
    this.#strokes.push(stroke);
    const { region, colours } = this.#shown;
    this.#preview = painted(region, colours, [stroke], this.pixels.ink);
    this.surface.redraw();
  }

  get #shown() {
    const { now, colours } = this.pixels.objects;
    return this.#preview ?? { region: now[this.name], colours: colours[this.name] };
  }

  #end(/** @type {PointerEvent} */ event) {
    this.#pointers.delete(event.pointerId);
    this.#isPanned = this.#isPanned && this.#pointers.size > 0;
    if (event.pointerId !== this.#pointer) return;
    const strokes = this.#strokes;
    this.#drop();
    this.pixels.paint(this.name, strokes);
  }

  #drop() {
    this.#pointer = null;
    this.#strokes = [];
    this.#preview = null;
    this.surface.redraw();
  }

  /** Moves the cursor, draws at it, or scales the sheet. Returns whether it handled the key. */
  key(/** @type {string} */ key, isFar = false) {
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key] ?? [0, 0];
    const scale = { '+': 1.25, '=': 1.25, '-': 0.8 }[key];
    if (scale !== undefined) this.surface.zoom(scale);
    else if (key.toLowerCase() === 'f') this.fit();
    else if (key === ' ') this.#isPanning = true;
    else if (dx === 0 && dy === 0 && key !== 'Enter') return false;
    else this.#moveCursor(isFar ? FAR * dx : dx, isFar ? FAR * dy : dy, key === 'Enter');
    return true;
  }

  #moveCursor(/** @type {number} */ dx, /** @type {number} */ dy, /** @type {boolean} */ isDrawing) {
    const { width, height } = this.#size, { surface } = this;
    const clamp = (/** @type {number} */ value, /** @type {number} */ most) => Math.min(Math.max(Math.floor(value) + 0.5, 0.5), most - 0.5);
    this.#hasCursor = true;
    this.#at = { x: clamp(this.#at.x + dx, width), y: clamp(this.#at.y + dy, height) };
    const { minX, minY, maxX, maxY } = surface.visible, { x, y } = this.#at;
    if (x < minX || y < minY || x > maxX || y > maxY) surface.pan(((minX + maxX) / 2 - x) * surface.scale, ((minY + maxY) / 2 - y) * surface.scale);
    if (isDrawing) this.pixels.paint(this.name, [this.#stroke(this.#at, this.#at)]);
    surface.drawNow();
  }

  #draw() {
    const { surface, pixels } = this;
    const { context, scale } = surface;
    const { region, colours } = this.#shown, { width, height } = colours;
    surface.fill(colour('sunken'));
    context.fillStyle = colour('surface');
    context.fillRect(0, 0, width, height);
    drawPicture(context, this.#picture.show({ region, image: colours, name: this.name, colours: 'all' }), { x: 0, y: 0 }, surface.pixels);
    if (GRID * scale >= LEAST_GRID) this.#drawGrid(width, height);
    if (!this.#hasCursor) return;
    context.strokeStyle = colour('accent');
    context.lineWidth = 2 / scale;
    context.beginPath();
    context.arc(this.#at.x, this.#at.y, Math.max(pixels.pen / 2, 1), 0, 2 * Math.PI);
    context.stroke();
  }

  #drawGrid(/** @type {number} */ width, /** @type {number} */ height) {
    const { context, scale, visible } = this.surface;
    const [left, right] = [Math.max(visible.minX, 0), Math.min(visible.maxX, width)], [top, bottom] = [Math.max(visible.minY, 0), Math.min(visible.maxY, height)];
    context.strokeStyle = colour('line');
    context.lineWidth = 0.5 / scale;
    context.beginPath();
    for (let x = GRID * Math.ceil(left / GRID); x <= right; x += GRID) {
      context.moveTo(x, top);
      context.lineTo(x, bottom);
    }
    for (let y = GRID * Math.ceil(top / GRID); y <= bottom; y += GRID) {
      context.moveTo(left, y);
      context.lineTo(right, y);
    }
    context.stroke();
  }
}

// SPDX-License-Identifier: MIT
// surface.js: a canvas with the resolution of the device, which shows a part of the plane.

import { element } from './dom.js';

/** @typedef {{ x: number, y: number }} Point */

/** A canvas and the part of the plane that it shows. y points down. */
export class Surface {
  /** @type {() => void} */
  #draw = () => {};
  #pending = false;
  #ratio = 1;
  /** The position of the upper left corner, in world units. */
  left = 0;
  top = 0;
  /** The number of CSS pixels per world unit. */
  scale = 1;
  /** The size, in CSS pixels. */
  width = 1;
  height = 1;

  /**
   * Makes a canvas with a label in an element of the class `view`, and always gives it the size of that element.
   * @param {HTMLElement} view
   * @param {string} label
   * @param {() => void} [resized]
   */
  constructor(view, label, resized = () => {}) {
    this.canvas = element('canvas', { tabindex: 0, role: 'img', 'aria-label': label });
    view.prepend(this.canvas);
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d'));
    this.#resized = resized;
    new ResizeObserver(() => this.measure()).observe(view);
  }
  #resized;

  /** The number of device pixels per CSS pixel. */
  get ratio() {
    return this.#ratio;
  }

  /** The number of device pixels per world unit. */
  get pixels() {
    return this.scale * this.#ratio;
  }

  /** Adopts the size of the element. A tab calls this when it is shown; later changes of the size
      are detected. */
  measure() {
    const { clientWidth, clientHeight } = this.canvas;
    const isOld = clientWidth === this.width && clientHeight === this.height && this.#ratio === (devicePixelRatio || 1);
    if (isOld || clientWidth === 0) return;
    this.#ratio = devicePixelRatio || 1;
    this.width = Math.max(clientWidth, 1);
    this.height = Math.max(clientHeight, 1);
    this.canvas.width = Math.round(this.width * this.#ratio);
    this.canvas.height = Math.round(this.height * this.#ratio);
    this.#resized();
    this.drawNow();
  }

  /** Sets the function that draws. It uses world units. */
  onDraw(/** @type {() => void} */ draw) {
    this.#draw = draw;
  }

  /** Draws in the next frame. Several calls before that frame draw only once. */
  redraw() {
    if (this.#pending) return;
    this.#pending = true;
    requestAnimationFrame(() => {
      if (this.#pending) this.drawNow();
    });
  }

  drawNow() {
    this.#pending = false;
    const { context } = this;
    const scale = this.scale * this.#ratio;
    context.setTransform(scale, 0, 0, scale, -this.left * scale, -this.top * scale);
    this.#draw();
  }

  /** Shows a box in the middle of the canvas, as large as possible. */
  fit(/** @type {{ minX: number, minY: number, maxX: number, maxY: number }} */ box, margin = 8) {
    const width = Math.max(box.maxX - box.minX, 1e-9), height = Math.max(box.maxY - box.minY, 1e-9);
    this.scale = Math.min(Math.max(this.width - 2 * margin, 1) / width, Math.max(this.height - 2 * margin, 1) / height);
    this.left = (box.minX + box.maxX) / 2 - this.width / 2 / this.scale;
    this.top = (box.minY + box.maxY) / 2 - this.height / 2 / this.scale;
  }

  /** Converts the position of a pointer event, or another position in the window, to a position in the world. @returns {Point} */
  at(/** @type {{ clientX: number, clientY: number }} */ event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: this.left + (event.clientX - box.left) / this.scale, y: this.top + (event.clientY - box.top) / this.scale };
  }

  /** Moves the plane by a number of CSS pixels. */
  pan(/** @type {number} */ dx, /** @type {number} */ dy) {
    this.left -= dx / this.scale;
    this.top -= dy / this.scale;
    this.redraw();
  }

  /** Changes the scale. A position in the world, `at`, stays in place. */
  zoom(/** @type {number} */ factor, /** @type {Point} */ at = this.middle()) {
    const scale = Math.min(Math.max(this.scale * factor, 1e-6), 1e6), applied = scale / this.scale;
    this.left = at.x - (at.x - this.left) / applied;
    this.top = at.y - (at.y - this.top) / applied;
    this.scale = scale;
    this.redraw();
  }

  /** @returns {Point} */
  middle() {
    return { x: this.left + this.width / 2 / this.scale, y: this.top + this.height / 2 / this.scale };
  }

  /** The visible part of the plane, as a box. */
  get visible() {
    return { minX: this.left, minY: this.top, maxX: this.left + this.width / this.scale, maxY: this.top + this.height / this.scale };
  }

  /** Fills the canvas with a colour; with an alpha below 1, older drawings fade. */
  fill(/** @type {string} */ colour, alpha = 1) {
    const { minX, minY, maxX, maxY } = this.visible;
    this.context.globalAlpha = alpha;
    this.context.fillStyle = colour;
    this.context.fillRect(minX, minY, maxX - minX, maxY - minY);
    this.context.globalAlpha = 1;
  }
}

// SPDX-License-Identifier: MIT
// surface.js: a canvas with the resolution of the device, which shows a part of the plane.

import { rounded } from './decimal.js';
import { element } from './dom.js';

/**
 * @typedef {{ x: number, y: number }} Point
 * @typedef {{ minX: number, minY: number, maxX: number, maxY: number }} Box
 * @typedef {{ left: number, top: number, right: number, bottom: number }} Edges  the edges of a box on the canvas, in pixels
 */

/** The scales that zooming reaches, in CSS pixels per world unit. A box that is shown as a whole may need another one. */
const LEAST_SCALE = 1e-6, MOST_SCALE = 1e6;

/** Returns the number, or the finite one next to it. Boxes may be anywhere in the range of numbers, and so the edges of the view
    may be beyond it. */
function finite(/** @type {number} */ number) {
  return Math.min(Math.max(number, -Number.MAX_VALUE), Number.MAX_VALUE);
}

/** A canvas and the part of the plane that it shows. y points down, unless `isUp` is set. */
export class Surface {
  /** @type {() => void} */
  #draw = () => {};
  #pending = false;
  #ratio = 1;
  /** Whether y points up. Functions that draw with the transform of the context need a plane in which y points down. */
  isUp = false;
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
  fit(/** @type {Box} */ { minX, minY, maxX, maxY }, margin = 8) {
    // The difference of two numbers can exceed the range of numbers, but not that of their halves.
    const halfWidth = Math.max(maxX / 2 - minX / 2, 5e-10), halfHeight = Math.max(maxY / 2 - minY / 2, 5e-10);
    this.scale = Math.min(Math.max(this.width - 2 * margin, 1) / 2 / halfWidth, Math.max(this.height - 2 * margin, 1) / 2 / halfHeight);
    this.left = finite(minX / 2 + maxX / 2 - this.width / 2 / this.scale);
    this.top = this.#below(minY / 2 + maxY / 2, -this.height / 2);
  }

  /** Lets y point up or down, and shows the same part of the plane. */
  setUp(/** @type {boolean} */ isUp) {
    const { minY, maxY } = this.visible;
    this.isUp = isUp;
    this.top = isUp ? maxY : minY;
    this.redraw();
  }

  /** Returns the y that is shown some CSS pixels below another one. */
  #below(/** @type {number} */ y, /** @type {number} */ distance) {
    return finite(this.isUp ? y - distance / this.scale : y + distance / this.scale);
  }

  /** Converts the position of a pointer event, or another position in the window, to a position in the world. @returns {Point} */
  at(/** @type {{ clientX: number, clientY: number }} */ event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: finite(this.left + (event.clientX - box.left) / this.scale), y: this.#below(this.top, event.clientY - box.top) };
  }

  /** Rounds a length or a coordinate, in world units, to as many decimals as a CSS pixel shows. */
  rounded(/** @type {number} */ number) {
    return rounded(number, 1 / this.scale);
  }

  /** Rounds the sides of a box in the same way. @returns {Box} */
  roundedBox(/** @type {Box} */ { minX, minY, maxX, maxY }) {
    return { minX: this.rounded(minX), minY: this.rounded(minY), maxX: this.rounded(maxX), maxY: this.rounded(maxY) };
  }

  /** Converts a box to its edges on the canvas, in pixels of which `unit` are a CSS pixel. @returns {Edges} */
  edgesOf(/** @type {Box} */ { minX, minY, maxX, maxY }, unit = 1) {
    const twice = 2 * this.scale * unit, { left, top, isUp } = this;
    const x = (/** @type {number} */ one) => (one / 2 - left / 2) * twice, y = (/** @type {number} */ one) => (isUp ? top / 2 - one / 2 : one / 2 - top / 2) * twice;
    return { left: x(minX), top: y(isUp ? maxY : minY), right: x(maxX), bottom: y(isUp ? minY : maxY) };
  }

  /** Converts edges on the canvas, in CSS pixels, to a box. @returns {Box} */
  boxOf(/** @type {Edges} */ { left, top, right, bottom }) {
    const high = this.#below(this.top, top), low = this.#below(this.top, bottom);
    return { minX: finite(this.left + left / this.scale), minY: Math.min(high, low), maxX: finite(this.left + right / this.scale), maxY: Math.max(high, low) };
  }

  /** Moves the plane by a number of CSS pixels. */
  pan(/** @type {number} */ dx, /** @type {number} */ dy) {
    this.left = finite(this.left - dx / this.scale);
    this.top = this.#below(this.top, -dy);
    this.redraw();
  }

  /** Changes the scale. A position in the world, `at`, stays in place. */
  zoom(/** @type {number} */ factor, /** @type {Point} */ at = this.middle()) {
    const scale = Math.min(Math.max(this.scale * factor, Math.min(this.scale, LEAST_SCALE)), Math.max(this.scale, MOST_SCALE)), applied = scale / this.scale;
    const moved = (/** @type {number} */ edge, /** @type {number} */ fixed) => finite(2 * (fixed / 2 - (fixed / 2 - edge / 2) / applied));
    this.left = moved(this.left, at.x);
    this.top = moved(this.top, at.y);
    this.scale = scale;
    this.redraw();
  }

  /** @returns {Point} */
  middle() {
    return { x: finite(this.left + this.width / 2 / this.scale), y: this.#below(this.top, this.height / 2) };
  }

  /** The visible part of the plane, as a box. */
  get visible() {
    return this.boxOf({ left: 0, top: 0, right: this.width, bottom: this.height });
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

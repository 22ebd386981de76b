// SPDX-License-Identifier: MIT
// pixels_scene.js: moves the objects of the Pixels tab, and computes what the collider hits.

import { PLACES } from './pixels_objects.js';
import { rectangleOf } from './pixels_squares.js';

/**
 * @typedef {import('./pqt.js').Region} Region
 * @typedef {import('./surface.js').Surface} Surface
 * @typedef {{ x: number, y: number }} Point
 * @typedef {'tip' | 'collider' | 'blocking'} Held  what the pointer or the keys move
 * @typedef {'intersect' | 'sweep' | 'slide'} Mode
 * @typedef {'pixels' | 'rectangle' | 'rectangles'} Shapes
 */

/** The part of the plane that the scene shows, in pixels of the objects. */
export const SCENE = { minX: 0, minY: 0, maxX: 240, maxY: 160 };
/** The distance, in CSS pixels, within which the pointer grabs the tip of the vector or the centre of an object. */
const NEAR = 18;
/** The distance, in CSS pixels, from a pixel of an object within which the pointer grabs the object. */
const BESIDE = 4;
/** The time in seconds in which the object moves along the whole vector. */
const DURATION = 1.5;

/** The state of the scene. */
export class Scene {
  /** @type {Point} */
  blocking = { ...PLACES.blocking };
  /** @type {Point} */
  collider = { ...PLACES.collider };
  /** The movement of the collider. @type {Point} */
  vector = { ...PLACES.vector };
  /** @type {Mode} */
  mode = 'sweep';
  /** @type {Shapes} */
  shapes = 'pixels';
  /** The sides of the cells that are compared, in pixels. */
  levels = { blocking: 1, collider: 1 };
  /** The position of the collider while it moves along its vector. @type {Point | null} */
  running = null;
  #seconds = 0;

  constructor(/** @type {import('./pixels_objects.js').Objects} */ objects) {
    this.objects = objects;
  }

  /** Returns the regions of the objects, as pixels or as rectangles. The caller frees those that
      are rectangles. */
  #regions() {
    const { blocking, collider } = this.objects.now;
    return {
      blocking: this.shapes === 'rectangles' ? rectangleOf(blocking) : blocking,
      collider: this.shapes === 'pixels' ? collider : rectangleOf(collider),
    };
  }

  /** Returns a position relative to the blocking object. @returns {Point} */
  #relative(/** @type {Point} */ { x, y }) {
    return { x: x - this.blocking.x, y: y - this.blocking.y };
  }

  get #cells() {
    return { cell: this.levels.collider, otherCell: this.levels.blocking };
  }

  /**
   * Computes the motion of the collider from one position to another.
   * @param {Point} from
   * @param {Point} to
   */
  #move(from, to) {
    const { blocking, collider } = this.#regions();
    const begin = this.#relative(from), end = this.#relative(to);
    const found = this.mode === 'slide' ? collider.slide(begin, end, blocking, this.#cells) : collider.sweep(begin, end, blocking, this.#cells);
    return { ...found, stop: { x: found.x + this.blocking.x, y: found.y + this.blocking.y } };
  }

  /** Computes the overlap at the collider's position and, if it moves, the result of the movement. */
  result() {
    const { blocking, collider } = this.#regions();
    const at = this.running ?? this.collider;
    const relative = this.#relative(at);
    const isExact = this.levels.blocking === 1 && this.levels.collider === 1;
    const opposite = { x: -relative.x, y: -relative.y };
    const overlaps = collider.overlaps(blocking, opposite, this.#cells);
    const area = isExact ? collider.overlapArea(blocking, opposite) : null;
    const move = this.mode === 'intersect' ? null
      : this.#move(this.collider, { x: this.collider.x + this.vector.x, y: this.collider.y + this.vector.y });
    return { blocking, collider, at, overlaps, area, move };
  }

  /** Advances the running collider. It starts again after DURATION, even if the blocking object stopped it. */
  advance(/** @type {number} */ seconds) {
    const from = this.running ?? this.collider;
    this.#seconds += seconds;
    if (this.running === null || this.#seconds > DURATION) {
      this.#seconds = 0;
      this.running = { ...this.collider };
      return;
    }
    const part = seconds / DURATION;
    const to = { x: from.x + this.vector.x * part, y: from.y + this.vector.y * part };
    this.running = this.mode === 'intersect' ? to : this.#move(from, to).stop;
  }

  stop() {
    this.running = null;
    this.#seconds = 0;
  }

  /** Returns the part of the scene that the pointer grabs: the nearest of the tip and the centres, or an object with a pixel there. @returns {Held | null} */
  grab(/** @type {Surface} */ { scale }, /** @type {Point} */ at) {
    const distance = (/** @type {Point} */ { x, y }) => Math.hypot(at.x - x, at.y - y) * scale;
    /** @type {[Held, number][]} */
    const near = [['tip', distance(this.tip())], ['collider', distance(this.centre('collider'))], ['blocking', distance(this.centre('blocking'))]];
    const [what, least] = near.reduce((best, one) => (one[1] < best[1] ? one : best));
    if (least <= NEAR) return what;
    const beside = BESIDE / scale;
    for (const [dx, dy] of [[0, 0], [-beside, 0], [beside, 0], [0, -beside], [0, beside]])
      for (const name of /** @type {const} */ (['collider', 'blocking']))
        if (this.objects.now[name].has(Math.floor(at.x + dx - this[name].x), Math.floor(at.y + dy - this[name].y))) return name;
    return null;
  }

  /** Returns the centre of an object. */
  centre(/** @type {'collider' | 'blocking'} */ name) {
    const { width, height } = this.objects.sizes[name];
    return { x: this[name].x + width / 2, y: this[name].y + height / 2 };
  }

  /** The part of the plane with both objects and the movement. */
  get bounds() {
    const { blocking, collider, vector: { x, y }, objects: { sizes } } = this;
    return { minX: Math.min(blocking.x, collider.x, collider.x + x), minY: Math.min(blocking.y, collider.y, collider.y + y),
      maxX: Math.max(blocking.x + sizes.blocking.width, Math.max(collider.x, collider.x + x) + sizes.collider.width),
      maxY: Math.max(blocking.y + sizes.blocking.height, Math.max(collider.y, collider.y + y) + sizes.collider.height) };
  }

  /** Returns the tip of the vector, which begins in the middle of the collider. */
  tip() {
    const { x, y } = this.centre('collider');
    return { x: x + this.vector.x, y: y + this.vector.y };
  }

  /** Moves an object, or the tip of the vector. Its centre stays in `view`, so that it can be dragged back. */
  drag(/** @type {Held} */ what, /** @type {number} */ dx, /** @type {number} */ dy, view = SCENE) {
    const one = what === 'tip' ? this.vector : this[what], from = what === 'tip' ? this.tip() : this.centre(what);
    const moved = (/** @type {number} */ at, /** @type {number} */ by, /** @type {number} */ least, /** @type {number} */ most) => Math.min(Math.max(at + by, least), most) - at;
    one.x += moved(from.x, dx, view.minX, view.maxX);
    one.y += moved(from.y, dy, view.minY, view.maxY);
    this.stop();
  }

  /** Puts the objects and the movement where they are in an entry. */
  put(/** @type {import('./pixels_objects.js').Places} */ { blocking, collider, vector }) {
    Object.assign(this, { blocking: { ...blocking }, collider: { ...collider }, vector: { ...vector } });
    this.stop();
  }
}

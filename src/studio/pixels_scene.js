// SPDX-License-Identifier: MIT
// pixels_scene.js: moves the objects of the Pixels tab, computes what the collider hits, and draws the scene.

import { SIDE, rectangleOf, squaresOf } from './pixels_objects.js';
import { colour } from './theme.js';

/**
 * @typedef {import('./pqt.js').Region} Region
 * @typedef {import('./surface.js').Surface} Surface
 * @typedef {{ x: number, y: number }} Point
 * @typedef {'intersect' | 'sweep' | 'slide'} Mode
 * @typedef {'pixels' | 'rectangle' | 'rectangles'} Shapes
 */

/** The part of the plane that the scene shows, in pixels of the objects. */
export const SCENE = { minX: 0, minY: 0, maxX: 240, maxY: 160 };
/** The distance, in CSS pixels, within which the pointer grabs the tip of the vector. */
const NEAR = 18;
/** The time in seconds in which the object moves along the whole vector. */
const DURATION = 1.5;

/** The state of the scene. */
export class Scene {
  /** @type {Point} */
  blocking = { x: 130, y: 60 };
  /** @type {Point} */
  collider = { x: 20, y: 16 };
  /** The movement of the collider. @type {Point} */
  vector = { x: 110, y: 44 };
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

  /** Returns the object that the pointer grabs. @returns {'tip' | 'collider' | 'blocking' | null} */
  grab(/** @type {Surface} */ { scale }, /** @type {Point} */ at) {
    const tip = this.tip(), distance = Math.hypot(at.x - tip.x, at.y - tip.y) * scale;
    if (distance <= NEAR) return 'tip';
    for (const name of /** @type {const} */ (['collider', 'blocking'])) {
      const { x, y } = this[name];
      if (at.x >= x && at.x < x + SIDE && at.y >= y && at.y < y + SIDE) return name;
    }
    return null;
  }

  /** Returns the tip of the vector, which begins in the middle of the collider. */
  tip() {
    return { x: this.collider.x + SIDE / 2 + this.vector.x, y: this.collider.y + SIDE / 2 + this.vector.y };
  }

  /** Moves an object, or the tip of the vector. */
  drag(/** @type {'tip' | 'collider' | 'blocking'} */ what, /** @type {number} */ dx, /** @type {number} */ dy) {
    const one = what === 'tip' ? this.vector : this[what];
    const limit = what === 'tip' ? 300 : 400;
    one.x = Math.min(Math.max(one.x + dx, -limit), limit);
    one.y = Math.min(Math.max(one.y + dy, -limit), limit);
    this.stop();
  }
}

/** Draws squares of a region, filled or as outlines. */
function drawSquares(/** @type {Surface} */ { context, scale }, /** @type {Region} */ region, /** @type {Point} */ at, /** @type {number} */ least,
  /** @type {string} */ name) {
  context.strokeStyle = colour(name);
  context.lineWidth = 1 / scale;
  context.globalAlpha = 0.8;
  context.beginPath();
  for (const [x, y, side] of squaresOf(region, least)) context.rect(at.x + x, at.y + y, side, side);
  context.stroke();
  context.globalAlpha = 1;
}

/** Returns the shape of a region at a position. */
function shapeOf(/** @type {Region} */ region, /** @type {Point} */ { x, y }) {
  const path = new Path2D();
  for (const { minX, minY, maxX, maxY } of region.boxes()) path.rect(x + minX, y + minY, maxX - minX, maxY - minY);
  return path;
}

function drawArrow(/** @type {Surface} */ { context, scale }, /** @type {Point} */ from, /** @type {Point} */ to, /** @type {string} */ name) {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length === 0) return;
  const head = Math.min(10 / scale, length / 2), ux = ((to.x - from.x) / length) * head, uy = ((to.y - from.y) / length) * head;
  context.strokeStyle = colour(name);
  context.lineWidth = 2 / scale;
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.lineTo(to.x, to.y);
  context.moveTo(to.x - ux - uy / 2, to.y - uy + ux / 2);
  context.lineTo(to.x, to.y);
  context.lineTo(to.x - ux + uy / 2, to.y - uy - ux / 2);
  context.stroke();
}

/**
 * Draws the scene: the objects, their cells, the overlap, the movement, the stop and the contact.
 * @param {Surface} surface
 * @param {Scene} scene
 * @param {ReturnType<Scene['result']>} result
 * @param {{ withCells: boolean, grabbed: string | null }} options
 */
export function drawScene(surface, scene, { blocking, collider, at, move }, { withCells, grabbed }) {
  const { context, scale } = surface;
  surface.fill(colour('surface'));
  const wall = shapeOf(blocking, scene.blocking), mover = shapeOf(collider, at);
  context.fillStyle = colour('blocking');
  context.fill(wall);
  context.globalAlpha = 0.85;
  context.fillStyle = colour('collider');
  context.fill(mover);
  context.globalAlpha = 1;
  context.save();
  context.clip(wall);
  context.fillStyle = colour('overlap');
  context.fill(mover);
  context.restore();
  if (withCells) {
    drawSquares(surface, blocking, scene.blocking, scene.levels.blocking, 'cell');
    drawSquares(surface, collider, at, scene.levels.collider, 'cell');
  }
  const middle = { x: scene.collider.x + SIDE / 2, y: scene.collider.y + SIDE / 2 };
  drawArrow(surface, middle, scene.tip(), 'arrow');
  context.beginPath();
  context.arc(scene.tip().x, scene.tip().y, 6 / scale, 0, 2 * Math.PI);
  context.fillStyle = colour('arrow');
  context.fill();
  for (const [name, place] of /** @type {[string, Point][]} */ ([['blocking', scene.blocking], ['collider', scene.collider]])) {
    context.strokeStyle = colour(name === grabbed ? 'accent' : 'line');
    context.lineWidth = (name === grabbed ? 2 : 1) / scale;
    context.strokeRect(place.x, place.y, SIDE, SIDE);
  }
  if (move !== null) drawStop(surface, scene, collider, move);
}

/**
 * Draws the stop position of the collider, the two pixels that meet, and the normal.
 * @param {Surface} surface
 * @param {Scene} scene
 * @param {Region} collider
 * @param {NonNullable<ReturnType<Scene['result']>['move']>} move
 */
function drawStop(surface, scene, collider, move) {
  const { context } = surface;
  if (move.status === 'overlaps') {
    const out = { x: scene.collider.x + move.outX, y: scene.collider.y + move.outY };
    drawArrow(surface, { x: scene.collider.x + SIDE / 2, y: scene.collider.y + SIDE / 2 }, { x: out.x + SIDE / 2, y: out.y + SIDE / 2 }, 'normal');
    return;
  }
  context.fillStyle = colour('collider');
  context.globalAlpha = 0.25;
  context.fill(shapeOf(collider, move.stop));
  context.globalAlpha = 1;
  const outline = collider.outline(4);
  context.fill(shapeOf(outline, move.stop));
  outline.free();
  if (move.met === null) return;
  const { levels } = scene;
  const own = { x: move.stop.x + move.met.x, y: move.stop.y + move.met.y }, other = { x: scene.blocking.x + move.met.otherX, y: scene.blocking.y + move.met.otherY };
  context.fillStyle = colour('overlap');
  context.fillRect(other.x, other.y, levels.blocking, levels.blocking);
  // In a slide, the pixels met at the position where the object was blocked on one axis, not at the stop.
  if (scene.mode === 'sweep') context.fillRect(own.x, own.y, levels.collider, levels.collider);
  const from = { x: other.x + levels.blocking / 2, y: other.y + levels.blocking / 2 };
  drawArrow(surface, from, { x: from.x + move.normalX * 18, y: from.y + move.normalY * 18 }, 'normal');
}

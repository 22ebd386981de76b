// SPDX-License-Identifier: MIT
// pixels_draw.js: draws the scene of the Pixels tab.

import { ObjectPicture } from './pixels_picture.js';
import { squaresOf } from './pixels_squares.js';
import { colour } from './theme.js';

/**
 * @typedef {import('./pqt.js').Region} Region
 * @typedef {import('./surface.js').Surface} Surface
 * @typedef {import('./pixels_scene.js').Scene} Scene
 * @typedef {{ x: number, y: number }} Point
 */

/** The least side of a cell that is drawn, in CSS pixels: smaller ones are drawn as the cell that they are in. */
const LEAST_CELL = 2;

/** The pictures of the scene. */
const pictures = { wall: new ObjectPicture(), mover: new ObjectPicture(), outline: new ObjectPicture() };
/** A canvas of the size of the scene, in which the overlap is found. */
const overlapping = new OffscreenCanvas(1, 1);
/** The outlines of regions. @type {WeakMap<Region, Region>} */
const outlines = new WeakMap();

function outlineOf(/** @type {Region} */ region) {
  const found = outlines.get(region) ?? region.outline(4);
  outlines.set(region, found);
  return found;
}

/** Draws a picture with its pixels as squares, or as means of their colours if they are smaller than those of the screen. */
export function drawPicture(/** @type {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} */ context, /** @type {OffscreenCanvas} */ picture, /** @type {Point} */ { x, y }, /** @type {number} */ scale) {
  context.imageSmoothingEnabled = scale < 1;
  context.drawImage(picture, x, y);
}

/** Draws the pixels that two pictures have in common in one colour. */
function drawOverlap(/** @type {Surface} */ { context, canvas, pixels }, /** @type {OffscreenCanvas} */ wall, /** @type {Point} */ wallAt, /** @type {OffscreenCanvas} */ mover, /** @type {Point} */ at) {
  const { width, height } = canvas;
  Object.assign(overlapping, { width, height }); // this clears it
  const common = /** @type {OffscreenCanvasRenderingContext2D} */ (overlapping.getContext('2d'));
  common.setTransform(context.getTransform());
  drawPicture(common, wall, wallAt, pixels);
  common.globalCompositeOperation = 'source-in';
  drawPicture(common, mover, at, pixels);
  common.resetTransform();
  common.fillStyle = colour('overlap');
  common.fillRect(0, 0, width, height);
  context.save();
  context.resetTransform();
  context.drawImage(overlapping, 0, 0);
  context.restore();
}

/** Draws squares of a region as outlines. */
function drawSquares(/** @type {Surface} */ { context, scale, visible }, /** @type {Region} */ region, /** @type {Point} */ at, /** @type {number} */ level,
  /** @type {string} */ name) {
  let least = level;
  while (least * scale < LEAST_CELL) least *= 2;
  context.strokeStyle = colour(name);
  context.lineWidth = 1 / scale;
  context.globalAlpha = 0.8;
  context.beginPath();
  for (const [x, y, side] of squaresOf(region, least)) {
    const left = at.x + x, top = at.y + y;
    if (left <= visible.maxX && top <= visible.maxY && left + side >= visible.minX && top + side >= visible.minY) context.rect(left, top, side, side);
  }
  context.stroke();
  context.globalAlpha = 1;
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
export function drawScene(surface, scene, { blocking, collider, at, overlaps, move }, { withCells, grabbed }) {
  const { context, scale, pixels } = surface, { shapes, objects: { colours } } = scene;
  surface.fill(colour('surface'));
  const wall = pictures.wall.show({ region: blocking, image: colours.blocking, name: 'blocking', colours: shapes === 'rectangles' ? 'none' : 'own' });
  const mover = pictures.mover.show({ region: collider, image: colours.collider, name: 'collider', colours: shapes === 'pixels' ? 'own' : 'none' });
  drawPicture(context, wall, scene.blocking, pixels);
  context.globalAlpha = 0.85;
  drawPicture(context, mover, at, pixels);
  context.globalAlpha = 1;
  if (overlaps) drawOverlap(surface, wall, scene.blocking, mover, at);
  if (withCells) {
    drawSquares(surface, blocking, scene.blocking, scene.levels.blocking, 'cell');
    drawSquares(surface, collider, at, scene.levels.collider, 'cell');
  }
  drawArrow(surface, scene.centre('collider'), scene.tip(), 'arrow');
  context.beginPath();
  context.arc(scene.tip().x, scene.tip().y, 6 / scale, 0, 2 * Math.PI);
  context.fillStyle = colour('arrow');
  context.fill();
  for (const name of /** @type {const} */ (['blocking', 'collider'])) {
    const { x, y } = scene.centre(name), isGrabbed = name === grabbed;
    context.beginPath();
    context.arc(x, y, 5 / scale, 0, 2 * Math.PI);
    context.moveTo(x - 9 / scale, y);
    context.lineTo(x + 9 / scale, y);
    context.moveTo(x, y - 9 / scale);
    context.lineTo(x, y + 9 / scale);
    for (const [stroke, width] of /** @type {[string, number][]} */ ([['surface', 4], [isGrabbed ? 'accent' : 'text', isGrabbed ? 2.5 : 1.5]])) {
      context.strokeStyle = colour(stroke);
      context.lineWidth = width / scale;
      context.stroke();
    }
  }
  if (move !== null) drawStop(surface, scene, collider, mover, move);
}

/**
 * Draws the stop position of the collider, the two pixels that meet, and the normal.
 * @param {Surface} surface
 * @param {Scene} scene
 * @param {Region} collider
 * @param {OffscreenCanvas} mover  its picture
 * @param {NonNullable<ReturnType<Scene['result']>['move']>} move
 */
function drawStop(surface, scene, collider, mover, move) {
  const { context, pixels } = surface;
  if (move.status === 'overlaps') {
    const { x, y } = scene.centre('collider');
    drawArrow(surface, { x, y }, { x: x + move.outX, y: y + move.outY }, 'normal');
    return;
  }
  context.globalAlpha = 0.25;
  drawPicture(context, mover, move.stop, pixels);
  context.globalAlpha = 1;
  drawPicture(context, pictures.outline.show({ region: outlineOf(collider), image: scene.objects.colours.collider, name: 'collider', colours: 'none' }), move.stop, pixels);
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

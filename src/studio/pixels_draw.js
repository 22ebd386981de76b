// SPDX-License-Identifier: MIT
// pixels_draw.js: draws the scene of the Pixels tab.

import { SIDE } from './pixels_objects.js';
import { squaresOf } from './pixels_squares.js';
import { colour } from './theme.js';

/**
 * @typedef {import('./pqt.js').PersistentImage} PersistentImage
 * @typedef {import('./pqt.js').Region} Region
 * @typedef {import('./surface.js').Surface} Surface
 * @typedef {import('./pixels_scene.js').Scene} Scene
 * @typedef {{ x: number, y: number }} Point
 */

/** The pictures of colours. @type {WeakMap<PersistentImage, OffscreenCanvas>} */
const pictures = new WeakMap();

/** Returns colours as a picture that a canvas draws. */
export function pictureOfColours(/** @type {PersistentImage} */ colours) {
  let found = pictures.get(colours);
  if (found === undefined) {
    const { width, height } = colours;
    found = new OffscreenCanvas(width, height);
    const image = new ImageData(width, height);
    image.data.set(colours.toPixels());
    /** @type {OffscreenCanvasRenderingContext2D} */ (found.getContext('2d')).putImageData(image, 0, 0);
    pictures.set(colours, found);
  }
  return found;
}

/** Draws the colours of an object over its pixels. */
export function drawColours(/** @type {CanvasRenderingContext2D} */ context, /** @type {PersistentImage} */ colours, /** @type {Point} */ { x, y }) {
  context.imageSmoothingEnabled = false;
  context.drawImage(pictureOfColours(colours), x, y);
}

/** Draws squares of a region as outlines. */
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
  const { shapes, objects } = scene;
  context.fillStyle = colour('blocking');
  context.fill(wall);
  if (shapes !== 'rectangles') drawColours(context, objects.colours.blocking, scene.blocking);
  context.globalAlpha = 0.85;
  context.fillStyle = colour('collider');
  context.fill(mover);
  if (shapes === 'pixels') drawColours(context, objects.colours.collider, at);
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

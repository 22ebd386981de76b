// SPDX-License-Identifier: MIT
// balls_draw.js: draws a world: its balls, cells and obstacle, and the paths between two moments.

import { cells } from './pqt.js';
import { LARGEST } from './raster.js';
import { colour, packed } from './theme.js';

/**
 * @typedef {import('./pqt.js').World} World
 * @typedef {import('./surface.js').Surface} Surface
 * @typedef {import('./raster.js').Raster} Raster
 */

export const COLOURS = 6;
const FIGURES = 8; // x, y, vx, vy, ax, ay, radius, mass
const NAMES = Array.from({ length: COLOURS }, (_, i) => `stage-${i}`);

/**
 * A canvas and the part of the plane that it shows; see surface.js.
 * @typedef {Pick<Surface, 'canvas' | 'context' | 'left' | 'top' | 'pixels' | 'scale' | 'ratio'>} Stage
 */

/** Makes a canvas of a size a stage that shows a box. @returns {Stage} */
export function stageOf(/** @type {HTMLCanvasElement} */ canvas, /** @type {import('./pqt.js').Box} */ { minX, minY, maxX, maxY }) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const scale = Math.min(canvas.width / (maxX - minX), canvas.height / (maxY - minY));
  context.setTransform(scale, 0, 0, scale, -minX * scale, -minY * scale);
  return { canvas, context, left: minX, top: minY, pixels: scale, scale, ratio: 1 };
}

/**
 * Begins a picture that is as large as a stage.
 * @param {Stage} stage
 * @param {Raster} raster
 * @param {'clear' | 'keep' | 'fade'} trails  what remains of the previous picture
 */
export function beginPicture({ canvas }, raster, trails) {
  const isNew = raster.resize(canvas.width, canvas.height);
  if (isNew || trails === 'clear') raster.fill(packed('stage'));
  else if (trails === 'fade') raster.fade(packed('stage'));
}

/** Draws the walls of a world, which are its bounds. */
export function drawWalls(/** @type {Stage} */ { left, top, pixels: scale, ratio }, /** @type {Raster} */ raster, /** @type {World} */ world) {
  const { minX, minY, maxX, maxY } = world.bounds, width = Math.max(1, Math.round(ratio));
  raster.outline((minX - left) * scale - width, (minY - top) * scale - width, (maxX - left) * scale, (maxY - top) * scale, packed('stage-wall'), width);
}

/** Draws the balls of a world, and returns their number. A ball's data is the number of its colour. */
export function drawBalls(/** @type {Stage} */ { left, top, pixels: scale, context }, /** @type {Raster} */ raster, /** @type {World} */ world) {
  const { figures, data } = world.arrays();
  const halves = new Uint32Array(data.buffer), count = data.length;
  const colours = NAMES.map(packed);
  let large = 0;
  for (let i = 0, k = 0; i < count; i++, k += FIGURES) {
    const radius = figures[k + 6] * scale;
    // 2^32 modulo 6 is 4.
    const colourOf = colours[(halves[2 * i] + 4 * (halves[2 * i + 1] % COLOURS)) % COLOURS];
    if (radius <= LARGEST) raster.disc((figures[k] - left) * scale, (figures[k + 1] - top) * scale, radius, colourOf);
    else large++;
  }
  raster.put(context);
  if (large > 0) drawLarge(context, scale, figures, halves);
  return count;
}

/** Draws the balls that are too large for the raster, one by one. */
function drawLarge(/** @type {CanvasRenderingContext2D} */ context, /** @type {number} */ scale, /** @type {Float64Array} */ figures,
  /** @type {Uint32Array} */ halves) {
  for (let k = 0; k < figures.length; k += FIGURES) {
    if (figures[k + 6] * scale <= LARGEST) continue;
    const i = k / FIGURES;
    context.fillStyle = colour(NAMES[(halves[2 * i] + 4 * (halves[2 * i + 1] % COLOURS)) % COLOURS]);
    context.beginPath();
    context.arc(figures[k], figures[k + 1], figures[k + 6], 0, 2 * Math.PI);
    context.fill();
  }
}

/** Draws the balls of a world as rings. */
export function drawRings(/** @type {Stage} */ { left, top, pixels: scale, ratio }, /** @type {Raster} */ raster, /** @type {World} */ world) {
  const { figures } = world.arrays(), line = packed('stage-ghost'), inside = packed('stage');
  for (let k = 0; k < figures.length; k += FIGURES) {
    const x = (figures[k] - left) * scale, y = (figures[k + 1] - top) * scale, radius = Math.min(figures[k + 6] * scale, LARGEST);
    raster.disc(x, y, radius, line);
    if (radius > 2 * ratio) raster.disc(x, y, radius - 1.5 * ratio, inside);
  }
}

/** Draws the cells of the world's tree. */
export function drawCells(/** @type {Stage} */ { left, top, pixels: scale, ratio }, /** @type {Raster} */ raster, /** @type {World} */ world) {
  const { boxes, kinds } = cells(world);
  const line = packed('stage-cell'), width = Math.max(1, Math.round(ratio));
  for (let i = 0, k = 0; i < kinds.length; i++, k += 4)
    if (kinds[i] !== 3) raster.outline((boxes[k] - left) * scale, (boxes[k + 1] - top) * scale, (boxes[k + 2] - left) * scale, (boxes[k + 3] - top) * scale, line, width);
}

/** The boxes of obstacles, four numbers per box, by the fingerprints of their regions. @type {Map<string, Int32Array>} */
const shapes = new Map();

function shapeOf(/** @type {import('./pqt.js').Region} */ region) {
  const fingerprint = region.fingerprint();
  let edges = shapes.get(fingerprint);
  if (edges === undefined) {
    edges = Int32Array.from(region.boxes().flatMap(({ minX, minY, maxX, maxY }) => [minX, minY, maxX, maxY]));
    shapes.set(fingerprint, edges);
  }
  return edges;
}

/** Draws the pixels that balls bounce off. */
export function drawObstacle(/** @type {Stage} */ { left, top, pixels: scale }, /** @type {Raster} */ raster, /** @type {World} */ world) {
  const { obstacle } = world;
  if (obstacle === null) return;
  const edges = shapeOf(obstacle.region), x = obstacle.x - left, y = obstacle.y - top, fill = packed('stage-rock');
  obstacle.region.free();
  for (let k = 0; k < edges.length; k += 4)
    raster.box((x + edges[k]) * scale, (y + edges[k + 1]) * scale, (x + edges[k + 2]) * scale, (y + edges[k + 3]) * scale, fill);
}

/** Draws an arrow from each ball's earlier position to its current one. Returns the number of balls
    that moved. */
export function drawMoves(/** @type {Stage} */ { context, scale }, /** @type {World} */ before, /** @type {World} */ after) {
  const from = before.arrays(), to = after.arrays();
  /** @type {Map<bigint, number>} */
  const places = new Map();
  from.ids.forEach((id, i) => places.set(id, i));
  let moved = 0;
  context.beginPath();
  to.ids.forEach((id, i) => {
    const at = places.get(id);
    if (at === undefined) return;
    const x = from.figures[at * FIGURES], y = from.figures[at * FIGURES + 1];
    const toX = to.figures[i * FIGURES], toY = to.figures[i * FIGURES + 1];
    const dx = toX - x, dy = toY - y, length = Math.hypot(dx, dy);
    if (length === 0) return;
    moved++;
    const head = Math.min(7 / scale, length / 2), ux = (dx / length) * head, uy = (dy / length) * head;
    context.moveTo(x, y);
    context.lineTo(toX, toY);
    context.moveTo(toX - ux - uy / 2, toY - uy + ux / 2);
    context.lineTo(toX, toY);
    context.lineTo(toX - ux + uy / 2, toY - uy - ux / 2);
  });
  context.lineWidth = 1.2 / scale;
  context.strokeStyle = colour('stage-arrow');
  context.stroke();
  return moved;
}

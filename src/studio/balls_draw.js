// SPDX-License-Identifier: MIT
// balls_draw.js: draws a world: balls, cells, obstacle, and the paths between two moments.

import { cells } from './pqt/index.js';
import { colour } from './theme.js';

/**
 * @typedef {import('./pqt/index.js').World} World
 * @typedef {import('./surface.js').Surface} Surface
 */

export const COLOURS = 6;
const FIGURES = 8; // x, y, vx, vy, ax, ay, radius, mass

/** Draws the balls of a world, and returns their number. A ball's data is the number of its colour. */
export function drawBalls(/** @type {Surface} */ { context, scale }, /** @type {World} */ world) {
  const { figures, data } = world.arrays();
  const count = data.length;
  const colourOf = new Uint8Array(count);
  for (let i = 0; i < count; i++) colourOf[i] = Number(data[i] % BigInt(COLOURS));
  for (let group = 0; group < COLOURS; group++) {
    context.beginPath();
    for (let i = 0; i < count; i++) {
      if (colourOf[i] !== group) continue;
      const k = i * FIGURES, x = figures[k], y = figures[k + 1], radius = figures[k + 6];
      if (radius * scale < 1.2) {
        context.rect(x - radius, y - radius, 2 * radius, 2 * radius);
      } else {
        context.moveTo(x + radius, y);
        context.arc(x, y, radius, 0, 2 * Math.PI);
      }
    }
    context.fillStyle = colour(`ball-${group}`);
    context.fill();
  }
  return count;
}

/** Draws the cells of the world's tree. */
export function drawCells(/** @type {Surface} */ { context, scale }, /** @type {World} */ world) {
  const { boxes, kinds } = cells(world);
  context.beginPath();
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] === 3) continue;
    const k = 4 * i;
    context.rect(boxes[k], boxes[k + 1], boxes[k + 2] - boxes[k], boxes[k + 3] - boxes[k + 1]);
  }
  context.lineWidth = 1 / scale;
  context.strokeStyle = colour('cell');
  context.globalAlpha = 0.6;
  context.stroke();
  context.globalAlpha = 1;
}

/** The shapes of obstacles by the fingerprints of their regions. @type {Map<string, Path2D>} */
const shapes = new Map();

function shapeOf(/** @type {import('./pqt/index.js').Region} */ region) {
  const fingerprint = region.fingerprint();
  let path = shapes.get(fingerprint);
  if (path === undefined) {
    path = new Path2D();
    for (const { minX, minY, maxX, maxY } of region.boxes()) path.rect(minX, minY, maxX - minX, maxY - minY);
    shapes.set(fingerprint, path);
  }
  return path;
}

/** Draws the pixels that balls bounce off. */
export function drawObstacle(/** @type {Surface} */ { context }, /** @type {World} */ world) {
  const { obstacle } = world;
  if (obstacle === null) return;
  context.fillStyle = colour('obstacle');
  context.save();
  context.translate(obstacle.x, obstacle.y);
  context.fill(shapeOf(obstacle.region));
  context.restore();
  obstacle.region.free();
}

/** Draws an arrow from where each ball was to where it is. Returns the number of balls that moved. */
export function drawMoves(/** @type {Surface} */ { context, scale }, /** @type {World} */ before, /** @type {World} */ after) {
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
  context.strokeStyle = colour('arrow');
  context.stroke();
  return moved;
}

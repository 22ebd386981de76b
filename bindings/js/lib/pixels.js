// SPDX-License-Identifier: MIT
// pixels.js: overlaps and sweeps of regions, for region.js. shim_pixels.c is its counterpart in C.
import { box, call, doubles, members, number, raise, reserveArray, settings, wasm } from './core.js';
import { moverOf } from './collision.js';

const CELL_OPTIONS = ['cell', 'otherCell', 'kind'];
const STATUSES = ['none', 'free', 'touches', 'hits', 'overlaps'];

function finite(value, what) {
  if (!Number.isFinite(number(value, what))) throw new RangeError(`${what} must be a finite number`);
  return value;
}

/** Returns a position, 0, 0 by default. */
export function positionOf(given) {
  const { x = 0, y = 0 } = members(given);
  return [finite(x, 'a position'), finite(y, 'a position')];
}

/** Returns whether a shape is a circle, and its numbers. */
export function shapeOf(shape) {
  const { x, y, radius } = members(shape);
  if (radius === undefined) {
    const { minX, minY, maxX, maxY } = box(shape, 'the shape');
    return [0, minX, minY, maxX, maxY];
  }
  return [1, finite(x, 'x'), finite(y, 'y'), finite(radius, 'the radius'), 0];
}

function cellsOf({ cell = 1, otherCell = 1, kind = 'outer' }) {
  if (kind !== 'outer' && kind !== 'inner') throw new RangeError(`the kind of cells must be outer or inner, not ${String(kind)}`);
  return [number(cell, 'cell'), number(otherCell, 'otherCell'), kind === 'inner' ? 1 : 0];
}

const optionsOf = (usual) => (usual === 0 ? ['ignoreOverlap'] : ['ignoreOverlap', 'bounces']);

/** Returns whether overlaps are ignored, and the number of bounces. */
function motionOf({ bounces, ignoreOverlap = false }, usual, most) {
  const limit = bounces ?? usual;
  if (!Number.isInteger(limit) || limit < 0 || limit > most) throw new RangeError(`bounces must be an integer from 0 to ${most}, not ${String(limit)}`);
  if (typeof ignoreOverlap !== 'boolean') throw new TypeError('ignoreOverlap must be true or false');
  return [ignoreOverlap ? 1 : 0, limit];
}

/** Reads a slide from the buffer. */
function receiveSlide() {
  const [status, time, x, y, blocked, normalX, normalY, outX, outY, metX, metY, metOtherX, metOtherY, bounces, exit] = doubles(15);
  const met = blocked === 0 ? null : { x: metX, y: metY, otherX: metOtherX, otherY: metOtherY };
  return { status: STATUSES[status], time, x, y, blockedX: (blocked & 1) !== 0, blockedY: (blocked & 2) !== 0, normalX, normalY, exit, outX, outY, met, bounces };
}

function slide(pinOfRegion, region, path, other, [cell, otherCell, inner], motion) {
  const figures = [...path, cell, otherCell];
  reserveArray(Float64Array, figures.length).set(figures);
  call(wasm.pqtjs_region_sweep, pinOfRegion(region), pinOfRegion(other, 'the other region'), inner, ...motion) || raise();
  return receiveSlide();
}

/** Slides a region along another one. With `usual` 0, it only sweeps, and has no option `bounces`. */
export function slideRegion(pinOfRegion, region, from, to, other, given, usual) {
  const { cell, otherCell, kind, ...motion } = settings(given, [...CELL_OPTIONS, ...optionsOf(usual)]);
  const cells = cellsOf({ cell, otherCell, kind }), how = motionOf(motion, usual, 2);
  return slide(pinOfRegion, region, [...positionOf(from), ...positionOf(to)], other, cells, how);
}

/** Returns whether cells of two regions overlap. */
export function overlapsCells(pinOfRegion, region, other, at, given) {
  const [x, y] = positionOf(at), cells = cellsOf(settings(given, CELL_OPTIONS));
  return slide(pinOfRegion, region, [-x, -y, -x, -y], other, cells, [0, 0]).status === 'overlaps';
}

/** Slides a box or a circle along a region. */
export function slideShape(pinOfRegion, shape, from, to, given, usual) {
  const motion = motionOf(settings(given, optionsOf(usual)), usual, 2 ** 31 - 1);
  const { isCircle, figures } = moverOf(shape, from, to);
  reserveArray(Float64Array, figures.length).set(figures);
  call(wasm.pqtjs_region_sweep_shape, pinOfRegion(), isCircle ? 1 : 0, ...motion) || raise();
  return receiveSlide();
}

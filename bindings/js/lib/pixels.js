// SPDX-License-Identifier: MIT
// pixels.js: overlaps and sweeps of regions, for region.js.
import { box, call, counted, doubles, members, number, raise, reserveArray, settings, wasm, whole } from './core.js';
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

/** Returns the call for a shape, a box or a circle, and its numbers. */
export function shapeOf(shape) {
  const { x, y, radius } = members(shape);
  if (radius === undefined) {
    const { minX, minY, maxX, maxY } = box(shape, 'the shape');
    return [wasm.pqtjs_region_overlaps_box, [minX, minY, maxX, maxY]];
  }
  return [wasm.pqtjs_region_overlaps_circle, [finite(x, 'x'), finite(y, 'y'), finite(radius, 'the radius')]];
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
  return [limit, ignoreOverlap];
}

/** Reads a slide from the buffer. */
function receiveSlide() {
  const [status, x, y, blocked, bounces, , time, , , , normalX, normalY, exit, outX, outY, metX, metY, metOtherX, metOtherY] = doubles(19);
  const met = blocked === 0 ? null : { x: metX, y: metY, otherX: metOtherX, otherY: metOtherY };
  return { status: STATUSES[status], time, x, y, blockedX: (blocked & 1) !== 0, blockedY: (blocked & 2) !== 0, normalX, normalY, exit, outX, outY, met, bounces };
}

function slide(pinOfRegion, region, path, other, [cell, otherCell, inner], motion) {
  const figures = [...path, cell, otherCell];
  reserveArray(Float64Array, figures.length).set(figures);
  call(wasm.pqtjs_region_slide, pinOfRegion(region), pinOfRegion(other, 'the other region'), inner, ...motion) || raise();
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
  const [x, y] = positionOf(at), [cell, otherCell, inner] = cellsOf(settings(given, CELL_OPTIONS));
  return counted(call(wasm.pqtjs_region_overlaps, pinOfRegion(region), pinOfRegion(other, 'the other region'), x, y, whole(cell, 'cell'), whole(otherCell, 'otherCell'), inner)) === 1;
}

/** Slides a box or a circle along a region. */
export function slideShape(pinOfRegion, shape, from, to, given, usual) {
  const motion = motionOf(settings(given, optionsOf(usual)), usual, 2 ** 31 - 1);
  const { kind, figures } = moverOf(shape, from, to);
  reserveArray(Float64Array, figures.length).set(figures);
  call(wasm.pqtjs_region_slide_shape, pinOfRegion(), kind, 0, ...motion) || raise();
  return receiveSlide();
}

// SPDX-License-Identifier: MIT
// region.js: the class Region, a set of pixels.
import {
  PIN, REGION, SUMMARY, Version, attached, box, bufferAt, call, counted, doubles, fromBytes, isArrayOf, members, number, own as ownVersion, pinOf, raise,
  register, reserve, reserveArray, settings, surplus, viewOf, wasm, whole,
} from './core.js';
import { Writer } from './bytes.js';
import { lineOf } from './collision.js';
import { overlapsCells, positionOf, shapeOf, slideRegion, slideShape } from './pixels.js';

const TARGETS = { region: 1, outside: 2 };
export const SAMPLINGS = { nearest: 1, area: 2 };
const OPERATIONS = { set: 1, clear: 2, toggle: 3 };
const PRIMITIVE = 56; // bytes of a flat_primitive
const MOST_BOXES = 1048576; // what `most` may be, so that little memory is taken
const ORDINALS = ['first', 'second'];
const SQUARES = [undefined, 'inner', 'leaf', 'full']; // by pqt_square_kind
const SIDES = { top: 1, bottom: 2, left: 3, right: 4 };
const BOX = 1, STROKE = 2, BYTES_OF_BOX = 16;
const TRANSFORMS = { flipX: 1, flipY: 2, rotate180: 3, flipDiagonal: 4, rotate90: 5, rotate270: 6, flipAntidiagonal: 7 };
const PIXEL_OPTIONS = ['width', 'height', 'pixelStride', 'offset', 'threshold', 'x', 'y', 'stride'];

const pinOfRegion = (region, what = 'the object of the call') => pinOf(region, REGION, what);
const own = (pin) => ownVersion(REGION, pin);

/** Returns the edges of a box of pixels, which are integers. */
export function corners(value, what) {
  const { minX, minY, maxX, maxY } = box(value, what);
  return [whole(minX, `${what}: minX`), whole(minY, `${what}: minY`), whole(maxX, `${what}: maxX`), whole(maxY, `${what}: maxY`)];
}

/** Returns the number of a name. */
export function named(value, names, what) {
  if (!Object.hasOwn(names, value)) throw new RangeError(`${what} must be one of ${Object.keys(names).join(', ')}, not ${String(value)}`);
  return names[value];
}

/** Writes a primitive, a flat_primitive. */
function writePaint(writer, paint, i, operations) {
  if (paint === null || typeof paint !== 'object') throw new TypeError(`primitive ${i} is not an object`);
  const { op = 'set', box: area, x, y, toX = x, toY = y, radius = 0.5 } = paint;
  const what = `primitive ${i}`;
  const figures = area === undefined ? [STROKE, x, y, toX, toY, radius] : [BOX, ...corners(area, `${what}: box`), 0];
  [named(op, operations, `${what}: op`), ...figures].forEach((figure) => writer.double(figure, `a coordinate or the radius of ${what}`));
}

/** Copies primitives to the buffer, and returns their number. */
export function sendPaints(primitives, operations) {
  const writer = new Writer();
  primitives.forEach((primitive, i) => writePaint(writer, primitive, i, operations));
  writer.send();
  return writer.length / PRIMITIVE;
}

/** Returns a copy of the 32-bit integers in the buffer. */
export function receiveIntegers(bytes) {
  return new Int32Array(wasm.memory.buffer, bufferAt(), bytes / 4).slice();
}

/** Reads boxes from the buffer, and returns them as objects. */
export function receiveBoxes(bytes, offset = 0) {
  const found = new Int32Array(wasm.memory.buffer, bufferAt() + offset, bytes / 4);
  return Array.from({ length: bytes / BYTES_OF_BOX }, (_, i) => ({ minX: found[4 * i], minY: found[4 * i + 1], maxX: found[4 * i + 2], maxY: found[4 * i + 3] }));
}

/** Copies an Int32Array to the buffer, and returns the number of its rows. */
function sendIntegers(numbers, columns, what) {
  const length = attached(numbers, `the array of ${what}`);
  if (length % columns !== 0) throw new RangeError(`${what} have ${columns} numbers each, but the array has ${length}`);
  reserveArray(Int32Array, length).set(numbers);
  return length / columns;
}

/** Makes a region from an Int32Array of boxes. */
const regionOf = (numbers) => own(call(wasm.pqtjs_region_of_boxes, sendIntegers(numbers, 4, 'boxes')));

/** Sends the map of a DOMMatrix, or of another object with the numbers a to f. */
export function sendMatrix(matrix) {
  const { a, b, c, d, e, f } = members(matrix), writer = new Writer();
  [a, c, e, b, d, f].forEach((value) => writer.double(value, 'a number of the matrix'));
  writer.send();
}

/** Sends the map that rotates about a point, so that the x axis turns onto a heading. */
export function sendRotation(heading, centre) {
  const { x, y } = members(heading), { x: atX = 0, y: atY = 0 } = members(centre);
  [x, y, atX, atY].forEach((value) => number(value, 'a coordinate of the heading or the centre'));
  call(wasm.pqtjs_affine_rotation, x, y, atX, atY); // writes the map to the buffer
}

/** One version of a set of pixels. No method changes it; methods that edit return another version. */
export class Region extends Version {
  /** Makes a region without pixels. */
  constructor(given, pin) {
    super(PIN, REGION, given === PIN ? pin : call(wasm.pqtjs_region_of_boxes, 0) || raise());
  }

  [SUMMARY]() {
    return { size: this.size, bounds: this.bounds };
  }

  /** Makes a region from an image. A pixel is in the region if its byte is above the threshold. */
  static ofPixels(bytes, given) {
    if (!isArrayOf(bytes, 'Uint8Array', 'Uint8ClampedArray')) throw new TypeError('pixels must be a Uint8Array or a Uint8ClampedArray');
    const { width, height, pixelStride = 1, offset = 0, threshold = 0, x = 0, y = 0, stride = width * pixelStride } = settings(given, PIXEL_OPTIONS);
    const sizes = { width, height, stride, pixelStride, offset };
    for (const [name, size] of Object.entries(sizes))
      if (whole(size, name) < 0) throw new RangeError(`${name} is ${size}, but must be 0 or more`);
    if (whole(threshold, 'threshold') < 0 || threshold > 255) throw new RangeError(`threshold must be an integer from 0 to 255, not ${threshold}`);
    const needed = width === 0 || height === 0 ? 0 : offset + (height - 1) * stride + (width - 1) * pixelStride + 1;
    const length = attached(bytes, 'the array of pixels'), start = Math.min(offset, needed);
    if (length < needed) throw new RangeError(`the image needs ${needed} bytes, but the array has ${length}`);
    reserveArray(Uint8Array, needed - start, needed).set(viewOf(Uint8Array, bytes, needed - start, start));
    return own(call(wasm.pqtjs_region_of_bytes, width, height, stride, pixelStride, threshold, whole(x, 'x'), whole(y, 'y')));
  }

  /** Makes a region from boxes of pixels, which are half open: objects, or an Int32Array with four
      numbers per box. */
  static ofBoxes(boxes) {
    let numbers = boxes;
    if (Array.isArray(boxes)) numbers = Int32Array.from(boxes.flatMap((one, i) => corners(one, `box ${i}`)));
    else if (!isArrayOf(boxes, 'Int32Array')) throw new TypeError('boxes must be an array of objects or an Int32Array');
    return regionOf(numbers);
  }

  /** Makes a region from runs, an Int32Array with three numbers per run: the row, the first column, and
      the one after the last. */
  static ofRuns(runs) {
    if (!isArrayOf(runs, 'Int32Array')) throw new TypeError('runs must be an Int32Array');
    return own(call(wasm.pqtjs_region_of_runs, sendIntegers(runs, 3, 'runs')));
  }

  /** Makes a region from bytes that toBytes returned, in JavaScript or in another language. */
  static fromBytes(bytes) {
    return fromBytes(REGION, bytes);
  }

  /** Paints primitives in order: { op, box } or { op, x, y, toX, toY, radius }. */
  paint(...primitives) {
    const count = sendPaints(primitives.flat(), OPERATIONS);
    return own(call(wasm.pqtjs_region_paint, pinOfRegion(this), count));
  }

  #combine(operation, other, given) {
    const { x = 0, y = 0 } = members(given);
    return own(call(operation, pinOfRegion(this), pinOfRegion(other, 'the other region'), whole(x, 'x'), whole(y, 'y')));
  }

  /** Returns the pixels that are in either region. Here and below, the other region is first moved
      by x, y. */
  union(other, at = {}) {
    return this.#combine(wasm.pqtjs_region_union, other, at);
  }

  /** Returns the pixels that are in both regions. */
  intersection(other, at = {}) {
    return this.#combine(wasm.pqtjs_region_intersection, other, at);
  }

  /** Returns the pixels that are not in the other region. */
  difference(other, at = {}) {
    return this.#combine(wasm.pqtjs_region_difference, other, at);
  }

  /** Returns the pixels that are in exactly one of the two regions. */
  xor(other, at = {}) {
    return this.#combine(wasm.pqtjs_region_xor, other, at);
  }

  #change(operation, ...given) {
    const integers = given.map((one, i) => whole(one, `the ${ORDINALS[i]} argument`));
    return own(call(operation, pinOfRegion(this), ...integers));
  }

  /** Returns the region moved by whole pixels. */
  move(x, y) {
    return this.#change(wasm.pqtjs_region_move, x, y);
  }

  /** Returns the region enlarged by whole factors. */
  scale(factorX, factorY = factorX) {
    return this.#change(wasm.pqtjs_region_scale, factorX, factorY);
  }

  /** Returns the region flipped or rotated about the point 0, 0. */
  transform(name) {
    return this.#change(wasm.pqtjs_region_transform, named(name, TRANSFORMS, 'the transform'));
  }

  /** Returns the region after adding the neighbours of all pixels, `steps` times. */
  dilate(steps, connectivity = 8) {
    return this.#change(wasm.pqtjs_region_dilate, steps, connectivity);
  }

  /** Returns the region after removing the pixels that have a neighbour outside, `steps` times. */
  erode(steps, connectivity = 8) {
    return this.#change(wasm.pqtjs_region_erode, steps, connectivity);
  }

  #morph(operation, radius) {
    return own(call(operation, pinOfRegion(this), number(radius, 'the radius')));
  }

  /** Returns the pixels with a distance of at most `radius` from a pixel of the region. */
  dilateDisc(radius) {
    return this.#morph(wasm.pqtjs_region_dilate_disc, radius);
  }

  /** Returns the pixels whose distance from all pixels outside is above `radius`. */
  erodeDisc(radius) {
    return this.#morph(wasm.pqtjs_region_erode_disc, radius);
  }

  /** Returns lines that are one pixel wide in the middle of the region. */
  skeleton() {
    return own(call(wasm.pqtjs_region_skeleton, pinOfRegion(this)));
  }

  /** Returns the squared distance of each pixel of a window to the nearest pixel of the window that is in
      the 'region', or 'outside' of it, row by row; 2^32 - 1 if there is none. */
  squaredDistances(window = this.bounds, to = 'region') {
    const [minX, minY, maxX, maxY] = corners(window, 'the window'), target = named(to, TARGETS, 'the target');
    const count = Math.max(maxX - minX, 0) * Math.max(maxY - minY, 0);
    reserve(4 * count);
    call(wasm.pqtjs_region_distances, pinOfRegion(this), minX, minY, maxX, maxY, target) || raise();
    return new Uint32Array(wasm.memory.buffer, bufferAt(), count).slice();
  }

  /** Returns the pixels of a box scaled to another width and height, with the upper left corner 0, 0. With
      'nearest', a pixel is set if its centre comes from the region, with 'area', if half of its area does. */
  resize(width, height, area = this.bounds, sampling = 'nearest') {
    const from = corners(area, 'the box'), to = [0, 0, whole(width, 'the width'), whole(height, 'the height')];
    const rule = named(sampling, SAMPLINGS, 'the sampling'), pin = pinOfRegion(this);
    reserveArray(Int32Array, 8).set([...from, ...to]);
    return own(call(wasm.pqtjs_region_resize, pin, rule));
  }

  /** Returns the region mapped by a DOMMatrix, or another object with the numbers a to f: the point x, y goes to
      a x + c y + e, b x + d y + f. */
  map(matrix, sampling = 'nearest') {
    const rule = named(sampling, SAMPLINGS, 'the sampling');
    sendMatrix(matrix);
    return own(call(wasm.pqtjs_region_map, pinOfRegion(this), rule));
  }

  /** Returns the region rotated about a point, so that the x axis turns onto a heading. */
  rotate(heading, centre = {}, sampling = 'nearest') {
    const rule = named(sampling, SAMPLINGS, 'the sampling');
    sendRotation(heading, centre);
    return own(call(wasm.pqtjs_region_map, pinOfRegion(this), rule));
  }

  /** Returns the box of the offsets of another region at which the bounds of both overlap. */
  overlapOffsets(other) {
    call(wasm.pqtjs_region_overlap_offsets, pinOfRegion(this), pinOfRegion(other, 'the other region')) || raise();
    return receiveBoxes(BYTES_OF_BOX)[0];
  }

  /** Returns the number of pixels in common with another region at each offset of a box, row by row. */
  convolve(other, offsets = this.overlapOffsets(other)) {
    const [minX, minY, maxX, maxY] = corners(offsets, 'the offsets');
    const count = Math.max(maxX - minX, 0) * Math.max(maxY - minY, 0);
    reserve(4 * count);
    call(wasm.pqtjs_region_convolve, pinOfRegion(this), pinOfRegion(other, 'the other region'), minX, minY, maxX, maxY) || raise();
    return new Uint32Array(wasm.memory.buffer, bufferAt(), count).slice();
  }

  /** Returns the pixels that have a neighbour outside the region. */
  outline(connectivity = 4) {
    return this.#change(wasm.pqtjs_region_outline, connectivity);
  }

  /** Returns a version with the same pixels that stores equal squares once. */
  intern() {
    return this.#change(wasm.pqtjs_region_intern);
  }

  /** Returns the pixels of a box that are in the region. */
  crop(area) {
    const edges = corners(area, 'the box');
    return own(call(wasm.pqtjs_region_crop, pinOfRegion(this), ...edges));
  }

  /** Returns the pixels of a box that are not in the region. */
  complement(area) {
    const edges = corners(area, 'the box');
    return own(call(wasm.pqtjs_region_complement, pinOfRegion(this), ...edges));
  }

  /** Returns the connected component that contains a pixel; it is empty if the pixel is not in the
      region. */
  component(x, y, connectivity = 4) {
    return own(call(wasm.pqtjs_region_component, pinOfRegion(this), whole(x, 'x'), whole(y, 'y'), whole(connectivity, 'connectivity')));
  }

  /** Returns the connected component with the most pixels; the first of several. */
  largestComponent(connectivity = 4) {
    return this.#change(wasm.pqtjs_region_largest_component, connectivity);
  }

  /** Returns the connected components of at least `minimum` pixels, in the order of their first pixels. */
  components(connectivity = 4, minimum = 0) {
    if (!Number.isSafeInteger(number(minimum, 'minimum')) || minimum < 0) throw new RangeError(`minimum must be an integer of at least 0, not ${minimum}`);
    const numbers = receiveIntegers(counted(call(wasm.pqtjs_region_components, pinOfRegion(this), whole(connectivity, 'connectivity'), minimum)));
    const found = [];
    for (let at = 0, end = 0; end < numbers.length; end += 4) { // an empty box follows those of a component
      if (numbers[end] < numbers[end + 2]) continue;
      found.push(regionOf(numbers.slice(at, end)));
      at = end + 4;
    }
    return found;
  }

  /** Returns the edges of the region as polygons, a list for each component: the outer contour, and
      those of its holes. A polygon is an Int32Array of corners, two numbers each. */
  contours(connectivity = 4, tolerance = 0) {
    const bytes = counted(call(wasm.pqtjs_region_contours, pinOfRegion(this), whole(connectivity, 'connectivity'), number(tolerance, 'the tolerance')));
    const integers = receiveIntegers(bytes), parts = new Map();
    for (let at = 0; at < integers.length;) {
      const [count, outer] = integers.subarray(at, at + 2);
      if (!parts.has(outer)) parts.set(outer, []);
      at += 2 + 2 * count;
      parts.get(outer).push(integers.slice(at - 2 * count, at));
    }
    return [...parts.values()];
  }

  /** Returns the middle of the region, and how far it extends and in which direction. */
  moments() {
    call(wasm.pqtjs_region_moments, pinOfRegion(this)) || raise();
    const [x, y, xx, xy, yy, axisX, axisY] = doubles(7);
    return { x, y, xx, xy, yy, axisX, axisY };
  }

  /** The number of pixels. */
  get size() {
    return counted(call(wasm.pqtjs_region_count, pinOfRegion(this)));
  }

  /** Returns the number of pixels of a window that are in the region. */
  count(window) {
    if (arguments.length > 1) surplus(arguments.length, 'count', 1);
    const edges = corners(window, 'the window');
    return counted(call(wasm.pqtjs_region_count_in, pinOfRegion(this), ...edges));
  }

  /** Returns whether a pixel is in the region. */
  has(x, y) {
    if (arguments.length > 2) surplus(arguments.length, 'has', 2);
    return counted(call(wasm.pqtjs_region_contains, pinOfRegion(this), whole(x, 'x'), whole(y, 'y'))) === 1;
  }

  /** The smallest box that contains all pixels; 0, 0, 0, 0 if there are none. */
  get bounds() {
    call(wasm.pqtjs_region_bounds, pinOfRegion(this)) || raise();
    return receiveBoxes(BYTES_OF_BOX)[0];
  }

  /** Returns boxes that cover exactly the pixels of a window, row by row; all pixels by default. */
  boxes(window = this.bounds) {
    if (arguments.length > 1) surplus(arguments.length, 'boxes', 1);
    const edges = corners(window, 'the window');
    return receiveBoxes(counted(call(wasm.pqtjs_region_boxes, pinOfRegion(this), ...edges)));
  }

  /** Returns the pixels of a window as runs, row by row: an Int32Array with three numbers per run, the
      row, the first column, and the one after the last; all pixels by default. */
  runs(window = this.bounds) {
    if (arguments.length > 1) surplus(arguments.length, 'runs', 1);
    const edges = corners(window, 'the window');
    return receiveIntegers(counted(call(wasm.pqtjs_region_runs, pinOfRegion(this), ...edges)));
  }

  /** Returns the squares of the quadtree that contain pixels, each before its parts. */
  squares() {
    if (arguments.length > 0) surplus(arguments.length, 'squares', 0);
    const figures = receiveIntegers(counted(call(wasm.pqtjs_region_squares, pinOfRegion(this))));
    return Array.from({ length: figures.length / 8 }, (_, i) => {
      const [minX, minY, maxX, maxY, kind, , low, high] = figures.subarray(8 * i, 8 * i + 8);
      return { minX, minY, maxX, maxY, kind: SQUARES[kind], count: (high >>> 0) * 2 ** 32 + (low >>> 0) };
    });
  }

  /** Returns a byte for each pixel of a window, row by row: `value` if it is in the region,
      otherwise 0. */
  toPixels(window = this.bounds, value = 255) {
    const [minX, minY, maxX, maxY] = corners(window, 'the window');
    if (whole(value, 'the value') < 0 || value > 255) throw new RangeError(`the value must be an integer from 0 to 255, not ${value}`);
    const bytes = Math.max(maxX - minX, 0) * Math.max(maxY - minY, 0);
    reserve(bytes);
    call(wasm.pqtjs_region_to_bytes, pinOfRegion(this), minX, minY, maxX, maxY, value) || raise();
    return new Uint8Array(wasm.memory.buffer, bufferAt(), bytes).slice();
  }

  /** Returns boxes that cover all pixels in which two versions differ, so that they can be redrawn. If
      there are more than `most`, some are merged into larger ones. */
  diff(after, most = Infinity) {
    if (arguments.length > 2) surplus(arguments.length, 'diff', 2);
    if (most !== Infinity && (whole(most, 'most') < 1 || most > MOST_BOXES)) throw new RangeError(`most must be an integer from 1 to 2^20, or Infinity, not ${most}`);
    return receiveBoxes(counted(call(wasm.pqtjs_region_damage, pinOfRegion(this), pinOfRegion(after, 'the other version'), most === Infinity ? 0 : most)));
  }

  /** Returns whether any pixels, or cells, overlap. The other region is first moved by x, y, which
      need not be whole. */
  overlaps(other, at = {}, cells = {}) {
    return overlapsCells(pinOfRegion, this, other, at, cells);
  }

  /** Returns the area that both regions have in common, in pixels. */
  overlapArea(other, at = {}) {
    const [x, y] = positionOf(at);
    return counted(call(wasm.pqtjs_region_overlap_area, pinOfRegion(this), pinOfRegion(other, 'the other region'), x, y));
  }

  /** Returns the first pair of pixels that overlap, or null: { x, y, otherX, otherY }. The first is the one
      that comes first from a side: 'top' (row by row), 'bottom', 'left' (column by column) or 'right'. */
  firstOverlap(other, at = {}, side = 'top') {
    const [x, y] = positionOf(at), from = named(side, SIDES, 'the side');
    const found = counted(call(wasm.pqtjs_region_first_overlap, pinOfRegion(this), pinOfRegion(other, 'the other region'), x, y, from));
    if (found === 0) return null;
    const [pixelX, pixelY, otherX, otherY] = receiveIntegers(16);
    return { x: pixelX, y: pixelY, otherX, otherY };
  }

  /** Returns all pairs of pixels that overlap, as rectangles: an Int32Array with six numbers for each, x, y,
      otherX, otherY, width and height. */
  overlapPairs(other, at = {}) {
    const [x, y] = positionOf(at);
    return receiveIntegers(counted(call(wasm.pqtjs_region_overlap_pairs, pinOfRegion(this), pinOfRegion(other, 'the other region'), x, y)));
  }

  /** Returns whether a box of any coordinates, or a circle { x, y, radius }, overlaps the region. */
  overlapsShape(shape) {
    const [overlaps, numbers] = shapeOf(shape);
    return counted(call(overlaps, pinOfRegion(this), ...numbers)) === 1;
  }

  /** Returns the first pixel that a line hits, or null. The line is { from, to } or { from, direction }. */
  cast(line) {
    if (arguments.length > 1) surplus(arguments.length, 'cast', 1);
    const numbers = lineOf(line);
    if (counted(call(wasm.pqtjs_region_cast, pinOfRegion(this), ...numbers)) === 0) return null;
    const [inside, x, y, entry, normalX, normalY] = doubles(6);
    return { x, y, entry, normalX, normalY, inside: inside === 1 };
  }

  /** Moves the region from one position to another, and returns where the other region stops it. */
  sweep(from, to, other, given = {}) {
    const { bounces, ...found } = slideRegion(pinOfRegion, this, from, to, other, given, 0);
    return found;
  }

  /** Like sweep, but if one axis is blocked, the region continues along the other one, at most
      `bounces` times. */
  slide(from, to, other, given = {}) {
    return slideRegion(pinOfRegion, this, from, to, other, given, 2);
  }

  /** Moves a shape, a box or the radius of a circle, from one position to another, and returns where this
      region stops it. */
  sweepShape(shape, from, to, given = {}) {
    const { bounces, ...found } = slideShape(() => pinOfRegion(this), shape, from, to, given, 0);
    return found;
  }

  /** Like sweepShape, but the shape slides along the region, at most `bounces` times. */
  slideShape(shape, from, to, given = {}) {
    return slideShape(() => pinOfRegion(this), shape, from, to, given, 3);
  }
}

register(REGION, Region);

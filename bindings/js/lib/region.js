// SPDX-License-Identifier: MIT
// region.js: the class Region, a set of pixels.
import {
  PIN, REGION, SUMMARY, Version, attached, box, bufferAt, call, counted, doubles, fromBytes, isArrayOf, members, number, own as ownVersion, pinOf, raise,
  register, reserve, reserveArray, settings, surplus, viewOf, wasm, whole,
} from './core.js';
import { Reader, Writer } from './bytes.js';

const UNION = 0, INTERSECTION = 1, DIFFERENCE = 2, XOR = 3;
const MOVE = 0, SCALE = 1, TRANSFORM = 2, DILATE = 3, ERODE = 4, OUTLINE = 5, INTERN = 6;
const OPERATIONS = { set: 1, clear: 2, toggle: 3 };
const PRIMITIVE = 56, PAINT = 72; // bytes, as in shim_region.c
const BOX = 1, STROKE = 2;
const TRANSFORMS = { flipX: 1, flipY: 2, rotate180: 3, flipDiagonal: 4, rotate90: 5, rotate270: 6, flipAntidiagonal: 7 };
const PIXEL_OPTIONS = ['width', 'height', 'pixelStride', 'offset', 'threshold', 'x', 'y', 'stride'];
const CELL_OPTIONS = ['cell', 'otherCell', 'kind'];
const STATUSES = ['none', 'free', 'touches', 'hits', 'overlaps'];

const pinOfRegion = (region, what = 'the object of the call') => pinOf(region, REGION, what);
const own = (pin) => ownVersion(REGION, pin);

function corners(value, what) {
  const { minX, minY, maxX, maxY } = box(value, what);
  return [whole(minX, `${what}: minX`), whole(minY, `${what}: minY`), whole(maxX, `${what}: maxX`), whole(maxY, `${what}: maxY`)];
}

function named(value, names, what) {
  if (!Object.hasOwn(names, value)) throw new RangeError(`${what} must be one of ${Object.keys(names).join(', ')}, not ${String(value)}`);
  return names[value];
}

/** Writes a primitive in the layout that shim_region.c reads. */
function writePaint(writer, paint, i) {
  if (paint === null || typeof paint !== 'object') throw new TypeError(`primitive ${i} is not an object`);
  const { op = 'set', box: area, x, y, toX = x, toY = y, radius = 0.5 } = paint;
  const what = `primitive ${i}`;
  const figures = area === undefined ? [STROKE, x, y, toX, toY, radius] : [BOX, ...corners(area, `${what}: box`), 0];
  [named(op, OPERATIONS, `${what}: op`), ...figures].forEach((figure) => writer.double(figure, `a coordinate or the radius of ${what}`));
}

/** Reads `count` boxes from the buffer, and returns them as objects. */
function receiveBoxes(count) {
  const found = new Int32Array(wasm.memory.buffer, bufferAt(), 4 * count);
  return Array.from({ length: count }, (_, i) => ({ minX: found[4 * i], minY: found[4 * i + 1], maxX: found[4 * i + 2], maxY: found[4 * i + 3] }));
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
    const length = attached(numbers, 'the array of boxes');
    if (length % 4 !== 0) throw new RangeError(`boxes have four numbers each, but the array has ${length}`);
    reserveArray(Int32Array, length).set(numbers);
    return own(call(wasm.pqtjs_region_of_boxes, length / 4));
  }

  /** Makes a region from bytes that toBytes returned, in JavaScript or in another language. */
  static fromBytes(bytes) {
    return fromBytes(REGION, bytes);
  }

  /** Paints primitives in order: { op, box } or { op, x, y, toX, toY, radius }. */
  paint(...primitives) {
    const writer = new Writer();
    primitives.flat().forEach((primitive, i) => writePaint(writer, primitive, i));
    const count = writer.length / PRIMITIVE;
    writer.send(count * (PRIMITIVE + PAINT)); // the shim writes the paints after the primitives
    return own(call(wasm.pqtjs_region_paint, pinOfRegion(this), count));
  }

  #combine(operation, other, given) {
    const { x = 0, y = 0 } = members(given);
    return own(call(wasm.pqtjs_region_combine, operation, pinOfRegion(this), pinOfRegion(other, 'the other region'), whole(x, 'x'), whole(y, 'y')));
  }

  /** Returns the pixels that are in either region. Here and below, the other region is first moved
      by x, y. */
  union(other, at = {}) {
    return this.#combine(UNION, other, at);
  }

  /** Returns the pixels that are in both regions. */
  intersection(other, at = {}) {
    return this.#combine(INTERSECTION, other, at);
  }

  /** Returns the pixels that are not in the other region. */
  difference(other, at = {}) {
    return this.#combine(DIFFERENCE, other, at);
  }

  /** Returns the pixels that are in exactly one of the two regions. */
  xor(other, at = {}) {
    return this.#combine(XOR, other, at);
  }

  #change(operation, a, b) {
    return own(call(wasm.pqtjs_region_change, operation, pinOfRegion(this), whole(a, 'the first argument'), whole(b, 'the second argument')));
  }

  /** Returns the region moved by whole pixels. */
  move(x, y) {
    return this.#change(MOVE, x, y);
  }

  /** Returns the region enlarged by whole factors. */
  scale(factorX, factorY = factorX) {
    return this.#change(SCALE, factorX, factorY);
  }

  /** Returns the region flipped or rotated about the point 0, 0. */
  transform(name) {
    return this.#change(TRANSFORM, named(name, TRANSFORMS, 'the transform'), 0);
  }

  /** Returns the region after adding the neighbours of all pixels, `steps` times. */
  dilate(steps, connectivity = 8) {
    return this.#change(DILATE, steps, connectivity);
  }

  /** Returns the region after removing the pixels that have a neighbour outside, `steps` times. */
  erode(steps, connectivity = 8) {
    return this.#change(ERODE, steps, connectivity);
  }

  /** Returns the pixels that have a neighbour outside the region. */
  outline(connectivity = 4) {
    return this.#change(OUTLINE, 0, connectivity);
  }

  /** Returns a version with the same pixels that stores equal squares once. */
  intern() {
    return this.#change(INTERN, 0, 0);
  }

  /** Returns the pixels of a box that are in the region. */
  crop(area) {
    const edges = corners(area, 'the box');
    return own(call(wasm.pqtjs_region_restrict, pinOfRegion(this), 0, ...edges));
  }

  /** Returns the pixels of a box that are not in the region. */
  complement(area) {
    const edges = corners(area, 'the box');
    return own(call(wasm.pqtjs_region_restrict, pinOfRegion(this), 1, ...edges));
  }

  /** Returns the connected component that contains a pixel; it is empty if the pixel is not in the
      region. */
  component(x, y, connectivity = 4) {
    return own(call(wasm.pqtjs_region_component, pinOfRegion(this), whole(x, 'x'), whole(y, 'y'), whole(connectivity, 'connectivity')));
  }

  /** Returns the connected components, in the order of their first pixels. */
  components(connectivity = 4) {
    const count = counted(call(wasm.pqtjs_region_components, pinOfRegion(this), whole(connectivity, 'connectivity')));
    const reader = new Reader();
    const pins = Array.from({ length: count }, () => reader.word());
    return pins.map(own);
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
    return whole(x, 'x') < 2147483647 && whole(y, 'y') < 2147483647 && this.count({ minX: x, minY: y, maxX: x + 1, maxY: y + 1 }) === 1;
  }

  /** The smallest box that contains all pixels; 0, 0, 0, 0 if there are none. */
  get bounds() {
    call(wasm.pqtjs_region_bounds, pinOfRegion(this)) || raise();
    return receiveBoxes(1)[0];
  }

  /** Returns boxes that cover exactly the pixels of a window, row by row; all pixels by default. */
  boxes(window = this.bounds) {
    if (arguments.length > 1) surplus(arguments.length, 'boxes', 1);
    const edges = corners(window, 'the window');
    return receiveBoxes(counted(call(wasm.pqtjs_region_boxes, pinOfRegion(this), ...edges)));
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

  /** Returns boxes that cover all pixels in which two versions differ, so that they can be redrawn. */
  diff(after) {
    if (arguments.length > 1) surplus(arguments.length, 'diff', 1);
    return receiveBoxes(counted(call(wasm.pqtjs_region_diff, pinOfRegion(this), pinOfRegion(after, 'the other version'))));
  }

  #at(given) {
    const { x = 0, y = 0 } = members(given);
    for (const value of [x, y])
      if (!Number.isFinite(number(value, 'a position'))) throw new RangeError('a position must be a finite number');
    return [x, y];
  }

  #cells(given) {
    const { cell = 1, otherCell = 1, kind = 'outer' } = settings(given, CELL_OPTIONS);
    if (kind !== 'outer' && kind !== 'inner') throw new RangeError(`the kind of cells must be outer or inner, not ${String(kind)}`);
    return [number(cell, 'cell'), number(otherCell, 'otherCell'), kind === 'inner' ? 1 : 0];
  }

  /** Returns whether any pixels, or cells, overlap. The other region is first moved by x, y, which
      need not be whole. */
  overlaps(other, at = {}, cells) {
    const [x, y] = this.#at(at);
    if (cells !== undefined) return this.sweep({ x: -x, y: -y }, { x: -x, y: -y }, other, cells).status === 'overlaps';
    return counted(call(wasm.pqtjs_region_overlaps, pinOfRegion(this), pinOfRegion(other, 'the other region'), x, y)) === 1;
  }

  /** Returns the area that both regions have in common, in pixels. */
  overlapArea(other, at = {}) {
    const [x, y] = this.#at(at);
    return counted(call(wasm.pqtjs_region_overlap, pinOfRegion(this), pinOfRegion(other, 'the other region'), x, y));
  }

  #move(from, to, other, cells, bounces) {
    const [cell, otherCell, inner] = this.#cells(cells);
    const figures = [...this.#at(from), ...this.#at(to), cell, otherCell];
    reserveArray(Float64Array, figures.length).set(figures);
    call(wasm.pqtjs_region_sweep, pinOfRegion(this), pinOfRegion(other, 'the other region'), inner, bounces) || raise();
    const [status, time, x, y, blocked, normalX, normalY, outX, outY, metX, metY, metOtherX, metOtherY, made] = doubles(14);
    const met = blocked === 0 ? null : { x: metX, y: metY, otherX: metOtherX, otherY: metOtherY };
    return { status: STATUSES[status], time, x, y, blockedX: (blocked & 1) !== 0, blockedY: (blocked & 2) !== 0, normalX, normalY, outX, outY, met, bounces: made };
  }

  /** Moves the region from one position to another, and returns where the other region stops it. */
  sweep(from, to, other, cells = {}) {
    const { bounces, ...found } = this.#move(from, to, other, cells, 0);
    return found;
  }

  /** Like sweep, but if one axis is blocked, the region continues along the other one, at most
      `bounces` times. */
  slide(from, to, other, given = {}) {
    const { bounces = 2, ...cells } = settings(given, ['bounces', ...CELL_OPTIONS]);
    if (!Number.isInteger(bounces) || bounces < 0 || bounces > 2) throw new RangeError('bounces must be 0, 1 or 2');
    return this.#move(from, to, other, cells, bounces);
  }
}

register(REGION, Region);

// SPDX-License-Identifier: MIT
// image.js: the class PersistentImage, a picture of 8-bit RGBA.
import {
  IMAGE, PIN, REGION, SUMMARY, Version, attached, bufferAt, call, counted, fromBytes, isArrayOf, members, own as ownVersion, pinOf, raise,
  register, reserve, reserveArray, settings, surplus, viewOf, wasm, whole,
} from './core.js';
import { SAMPLINGS, corners, named, receiveBoxes, sendMatrix, sendPaints, sendRotation } from './region.js';

const MODES = { replace: 1, over: 2 };
const OPERATIONS = { set: 1 };
const ALPHA = 1, LIGHT = 2, COLOUR = 3; // pqt_image_property
const WORD = 8; // in bytes
const RESOLUTIONS = { error: 0, ours: 1, theirs: 2, base: 3 };
const LARGEST = 1048576; // pixels, PQT_PIXEL_LIMIT

const pinOfImage = (image, what = 'the object of the call') => pinOf(image, IMAGE, what);
const own = (pin) => ownVersion(IMAGE, pin);

function byte(value, what) {
  if (whole(value, what) < 0 || value > 255) throw new RangeError(`${what} must be an integer from 0 to 255, not ${value}`);
  return value;
}

/** Returns a colour, [r, g, b] or [r, g, b, a], as the number that the library takes. */
function colourOf(colour) {
  if (!Array.isArray(colour) && !isArrayOf(colour, 'Uint8Array', 'Uint8ClampedArray')) throw new TypeError('a colour must be an array [r, g, b] or [r, g, b, a]');
  const channels = Array.isArray(colour) ? [...colour] : [...viewOf(Uint8Array, colour, attached(colour, 'the array of a colour'))];
  if (channels.length !== 3 && channels.length !== 4) throw new RangeError(`a colour has 3 or 4 numbers, not ${channels.length}`);
  const [r, g, b, a = 255] = channels.map((channel) => byte(channel, 'a channel of a colour'));
  return (r | g << 8 | b << 16 | a << 24) >>> 0;
}

const modeOf = (mode) => named(mode, MODES, 'the mode');

function side(value, what) {
  if (whole(value, what) < 1 || value > LARGEST) throw new RangeError(`the ${what} must be an integer from 1 to 2^20, not ${value}`);
  return value;
}

/** Returns the numbers of an edit from its options: the position, if it has one, the mode and others. */
function optionsOf(given, defaults) {
  const options = settings(given, Object.keys(defaults));
  const found = Object.fromEntries(Object.entries(defaults).map(([name, usual]) => {
    const { [name]: value = usual } = options;
    return [name, value];
  }));
  return { ...found, mode: modeOf(found.mode) };
}

/** One version of a picture, whose size never changes. No method changes it; methods that edit return
    another version. A colour is [r, g, b] or [r, g, b, a], from 0 to 255, not multiplied by alpha. */
export class PersistentImage extends Version {
  /** Makes an image of one colour. */
  constructor(given, pin) {
    super(PIN, IMAGE, given === PIN ? pin : PersistentImage.#make(given));
  }

  static #make(given) {
    const { width, height, colour = [0, 0, 0, 0] } = settings(given, ['width', 'height', 'colour']);
    const size = [side(width, 'width'), side(height, 'height')], number = colourOf(colour);
    return call(wasm.pqtjs_image_make, ...size, number) || raise();
  }

  [SUMMARY]() {
    return { width: this.width, height: this.height };
  }

  /** Makes an image of an ImageData, or of an object { data, width, height, stride }: a Uint8Array or a
      Uint8ClampedArray with four bytes per pixel. */
  static of(given) {
    const { data, width, height, stride = 4 * width } = members(given);
    if (!isArrayOf(data, 'Uint8Array', 'Uint8ClampedArray')) throw new TypeError('data must be a Uint8Array or a Uint8ClampedArray');
    side(width, 'width');
    side(height, 'height');
    if (whole(stride, 'stride') < 4 * width) throw new RangeError(`stride is ${stride}, but a row has ${4 * width} bytes`);
    const needed = (height - 1) * stride + 4 * width, length = attached(data, 'the array of pixels');
    if (length < needed) throw new RangeError(`the image needs ${needed} bytes, but the array has ${length}`);
    reserveArray(Uint8Array, needed).set(viewOf(Uint8Array, data, needed));
    return own(call(wasm.pqtjs_image_of_rgba, width, height, stride));
  }

  /** Makes an image from bytes that toBytes returned, in JavaScript or in another language. */
  static fromBytes(bytes) {
    return fromBytes(IMAGE, bytes);
  }

  // ---- Edits ----

  /** Draws primitives in one colour: { box } or { x, y, toX, toY, radius }. */
  paint(primitives, colour, options = {}) {
    const number = colourOf(colour), { mode } = optionsOf(options, { mode: 'over' });
    const count = sendPaints(Array.isArray(primitives) ? primitives : [primitives], OPERATIONS);
    return own(call(wasm.pqtjs_image_paint, pinOfImage(this), count, number, mode));
  }

  /** Draws a colour on the pixels of a region, moved by x, y. */
  fill(region, colour, options = {}) {
    const number = colourOf(colour), { x, y, mode } = optionsOf(options, { x: 0, y: 0, mode: 'over' });
    return own(call(wasm.pqtjs_image_fill, pinOfImage(this), pinOf(region, REGION, 'the shape'), whole(x, 'x'), whole(y, 'y'), number, mode));
  }

  /** Draws a box of another image at x, y; all of it by default. */
  blit(source, options = {}) {
    const { x, y, box, mode } = optionsOf(options, { x: 0, y: 0, box: undefined, mode: 'over' });
    const numbers = [...box === undefined ? boundsOf(pinOfImage(source, 'the source')) : corners(box, 'the box'), whole(x, 'x'), whole(y, 'y')];
    return own(call(wasm.pqtjs_image_blit, pinOfImage(this), pinOfImage(source, 'the source'), ...numbers, mode));
  }

  /** Draws a colour on the area of a pixel: all that can be reached over edges, and whose channels each
      differ from those of the pixel by at most the tolerance. */
  flood(x, y, colour, options = {}) {
    const number = colourOf(colour), { tolerance, mode } = optionsOf(options, { tolerance: 0, mode: 'replace' });
    return own(call(wasm.pqtjs_image_flood, pinOfImage(this), whole(x, 'x'), whole(y, 'y'), byte(tolerance, 'the tolerance'), number, mode));
  }

  /** Returns a box of the image, all of it by default, scaled to another width and height. With 'nearest', a pixel
      has the colour of the one that its centre comes from, with 'area', the mean of those that cover it. */
  resize(width, height, box = undefined, sampling = 'nearest') {
    const pin = pinOfImage(this), from = box === undefined ? boundsOf(pin) : corners(box, 'the box');
    const size = [side(width, 'width'), side(height, 'height')], rule = named(sampling, SAMPLINGS, 'the sampling');
    return own(call(wasm.pqtjs_image_resize, pin, ...from, ...size, rule));
  }

  /** Returns the image mapped by a DOMMatrix, or another object with the numbers a to f: the point x, y goes to
      a x + c y + e, b x + d y + f. Pixels that it maps outside of the result are left out. */
  map(matrix, options = {}) {
    const { width = this.width, height = this.height, sampling = 'nearest' } = settings(options, ['width', 'height', 'sampling']);
    const size = [side(width, 'width'), side(height, 'height')], rule = named(sampling, SAMPLINGS, 'the sampling');
    sendMatrix(matrix);
    return own(call(wasm.pqtjs_image_map, pinOfImage(this), ...size, rule));
  }

  /** Returns the image rotated about a point, so that the x axis turns onto a heading. */
  rotate(heading, options = {}) {
    const { centre = {}, width = this.width, height = this.height, sampling = 'nearest' } = settings(options, ['centre', 'width', 'height', 'sampling']);
    const size = [side(width, 'width'), side(height, 'height')], rule = named(sampling, SAMPLINGS, 'the sampling');
    sendRotation(heading, centre);
    return own(call(wasm.pqtjs_image_map, pinOfImage(this), ...size, rule));
  }

  // ---- Reading ----

  /** The width in pixels. */
  get width() {
    return boundsOf(pinOfImage(this))[2];
  }

  /** The height in pixels. */
  get height() {
    return boundsOf(pinOfImage(this))[3];
  }

  /** Returns the colour of a pixel as [r, g, b, a]; zeros outside the image. */
  pixel(x, y) {
    if (arguments.length > 2) surplus(arguments.length, 'pixel', 2);
    call(wasm.pqtjs_image_pixel, pinOfImage(this), whole(x, 'x'), whole(y, 'y')) || raise();
    return Array.from(new Uint8Array(wasm.memory.buffer, bufferAt(), 4));
  }

  /** Returns the pixels of a window, four bytes each, for an ImageData; all by default. With `into`, an
      array of that length, writes them there and returns it. */
  toPixels(window, into) {
    if (arguments.length > 2) surplus(arguments.length, 'toPixels', 2);
    const [minX, minY, maxX, maxY] = window === undefined ? boundsOf(pinOfImage(this)) : corners(window, 'the window');
    const stride = 4 * Math.max(maxX - minX, 0), bytes = stride * Math.max(maxY - minY, 0);
    if (into !== undefined && !isArrayOf(into, 'Uint8Array', 'Uint8ClampedArray')) throw new TypeError('into must be a Uint8Array or a Uint8ClampedArray');
    if (into !== undefined && attached(into, 'into') !== bytes) throw new RangeError(`the window has ${bytes} bytes, but into has ${attached(into, 'into')}`);
    reserve(bytes);
    call(wasm.pqtjs_image_to_rgba, pinOfImage(this), minX, minY, maxX, maxY, stride) || raise();
    const found = new Uint8ClampedArray(wasm.memory.buffer, bufferAt(), bytes);
    if (into === undefined) return found.slice();
    viewOf(Uint8Array, into, bytes).set(found);
    return into;
  }

  /** Returns the region of the pixels whose alpha or brightness is above a threshold, { alpha } or
      { light }, or whose channels each differ from a colour by at most the tolerance, { colour, tolerance }. */
  select(given) {
    const { alpha, light, colour, tolerance = 0 } = settings(given, ['alpha', 'light', 'colour', 'tolerance']);
    if ([alpha, light, colour].filter((one) => one !== undefined).length !== 1) throw new TypeError('a selection needs exactly one of alpha, light and colour');
    const [property, limit] = alpha !== undefined ? [ALPHA, byte(alpha, 'alpha')] : light !== undefined ? [LIGHT, byte(light, 'light')]
      : [COLOUR, byte(tolerance, 'the tolerance')];
    const number = colour === undefined ? 0 : colourOf(colour);
    return ownVersion(REGION, call(wasm.pqtjs_image_select, pinOfImage(this), property, limit, number));
  }

  // ---- Several versions ----

  /** Returns boxes that cover all pixels in which two versions of one size differ, so that they can be redrawn. */
  diff(after) {
    if (arguments.length > 1) surplus(arguments.length, 'diff', 1);
    return receiveBoxes(counted(call(wasm.pqtjs_image_damage, pinOfImage(this), pinOfImage(after, 'the other version'))));
  }

  #merged(ours, theirs, decisions) {
    reserveArray(Uint8Array, decisions.length).set(decisions);
    return own(call(wasm.pqtjs_image_merge, pinOfImage(this), pinOfImage(ours, 'ours'), pinOfImage(theirs, 'theirs'), decisions.length));
  }

  /** Returns the boxes around the pixels that both sides changed to different colours. */
  conflicts(ours, theirs) {
    const merged = this.#merged(ours, theirs, [RESOLUTIONS.ours]);
    try {
      return receiveBoxes(wasm.pqtjs_appended() - WORD, WORD);
    } finally {
      merged.free();
    }
  }

  /** Returns a version with the changes of both sides, which must derive from this version. `onConflict`
      is a name, or a function that returns one for the box of each conflict. */
  merge(ours, theirs, given = {}) {
    const { onConflict = 'error' } = settings(given, ['onConflict']);
    const decision = (name) => named(name, RESOLUTIONS, 'the decision');
    const decisions = typeof onConflict === 'function' ? this.conflicts(ours, theirs).map((box) => decision(onConflict(box))) : [decision(onConflict)];
    if (decisions.length === 0) decisions.push(RESOLUTIONS.error);
    return this.#merged(ours, theirs, decisions);
  }
}

/** Returns the edges of an image, minX, minY, maxX and maxY. */
function boundsOf(pin) {
  call(wasm.pqtjs_image_bounds, pin) || raise();
  return [...new Int32Array(wasm.memory.buffer, bufferAt(), 4)];
}

register(IMAGE, PersistentImage);

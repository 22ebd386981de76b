// SPDX-License-Identifier: MIT
// raster.js: draws many small shapes into a picture with plain arithmetic.
//
// A canvas spends more time on a path with thousands of shapes than on its pixels. Here, a disc is
// drawn by copying a mask that is made once, and a box by filling rows of pixels. No shape allocates
// an object. put() copies all pixels to the canvas.

/** Positions and radii of discs are rounded to 1/PARTS of a pixel. */
const PARTS = 4;
/** An upper bound on the rounding error of positions, in pixels. */
const SLACK = 1 / 1024;
/** Up to this number of pixels, a loop is faster than a call to fill. */
const NARROW = 16;
/** The largest radius of a disc, in pixels. */
export const LARGEST = 60;

/** The masks of discs, which hold a coverage from 0 to 256 for each pixel, by their radius and position in parts of a pixel. @type {Map<number, { side: number, cover: Uint16Array }>} */
const masks = new Map();

/** Returns the mask of a disc. The centre is `partX` parts to the right of the upper left corner of the
    middle pixel, and `partY` parts below it. */
function maskOf(/** @type {number} */ parts, /** @type {number} */ partX, /** @type {number} */ partY) {
  const key = (parts * PARTS + partY) * PARTS + partX;
  let mask = masks.get(key);
  if (mask === undefined) {
    const radius = parts / PARTS, reach = Math.ceil(radius) + 1, side = 2 * reach + 1, cover = new Uint16Array(side * side);
    for (let y = 0; y < side; y++)
      for (let x = 0; x < side; x++) {
        const distance = Math.hypot(x + 0.5 - reach - partX / PARTS, y + 0.5 - reach - partY / PARTS);
        cover[y * side + x] = Math.round(256 * Math.min(Math.max(radius + 0.5 - distance, 0), 1));
      }
    masks.set(key, mask = { side, cover });
  }
  return mask;
}

/** Mixes two colours: `part` / 256 of `over`, and the rest of the other. */
export function mix(/** @type {number} */ under, /** @type {number} */ over, /** @type {number} */ part) {
  const rest = 256 - part;
  const redBlue = (Math.imul(under & 0xff00ff, rest) + Math.imul(over & 0xff00ff, part)) >>> 8;
  const green = (Math.imul((under >>> 8) & 0xff, rest) + Math.imul((over >>> 8) & 0xff, part)) & 0xff00;
  return 0xff000000 | green | (redBlue & 0xff00ff);
}

/** A picture. Positions are in pixels from the upper left corner; colours have the format of
    packed(). */
export class Raster {
  image = new ImageData(1, 1);
  #pixels = new Uint32Array(this.image.data.buffer);
  /** The number of boxes that cover each pixel, stored as differences from the pixels above and to the left. @type {Int32Array} */
  #edges = new Int32Array(0);
  #covered = { left: Infinity, top: Infinity, right: -1, bottom: -1 };
  /** The part that is being drawn. */
  left = 0;
  top = 0;
  right = 1;
  bottom = 1;

  /** Sets the size. Returns whether it has changed, in which case all pixels are transparent. */
  resize(/** @type {number} */ width, /** @type {number} */ height) {
    if (width === this.image.width && height === this.image.height) return false;
    this.image = new ImageData(width, height);
    this.#pixels = new Uint32Array(this.image.data.buffer);
    this.#edges = new Int32Array(0);
    this.clip(0, 0, width, height);
    return true;
  }

  /** Restricts drawing to a part of the picture, given in whole pixels. Returns whether the part
      has any pixels. */
  clip(/** @type {number} */ left, /** @type {number} */ top, /** @type {number} */ right, /** @type {number} */ bottom) {
    const { width, height } = this.image;
    this.left = Math.max(left, 0);
    this.top = Math.max(top, 0);
    this.right = Math.min(right, width);
    this.bottom = Math.min(bottom, height);
    return this.left < this.right && this.top < this.bottom;
  }

  /** Fills the part that is being drawn. */
  fill(/** @type {number} */ colour) {
    const pixels = this.#pixels, { width } = this.image;
    for (let y = this.top; y < this.bottom; y++) pixels.fill(colour, y * width + this.left, y * width + this.right);
  }

  /** Takes each pixel of the part that is being drawn an eighth of the way to a colour, so that older drawings fade. */
  fade(/** @type {number} */ colour) {
    const pixels = this.#pixels, { width } = this.image, eighth = (colour >>> 3) & 0x1f1f1f;
    for (let y = this.top; y < this.bottom; y++)
      for (let at = y * width + this.left, end = y * width + this.right; at < end; at++) {
        const old = pixels[at];
        if (old === colour) continue;
        // All channels at once: none borrows, because an eighth of it is taken, and none overflows. Rounding ends the fading early.
        const next = (old - ((old >>> 3) & 0x1f1f1f) + eighth) >>> 0;
        pixels[at] = next === old ? colour : next;
      }
  }

  /** Fills a box. Each side is rounded to a pixel. */
  box(/** @type {number} */ minX, /** @type {number} */ minY, /** @type {number} */ maxX, /** @type {number} */ maxY, /** @type {number} */ colour) {
    const left = Math.max(Math.round(minX), this.left), right = Math.min(Math.round(maxX), this.right);
    const top = Math.max(Math.round(minY), this.top), bottom = Math.min(Math.round(maxY), this.bottom);
    if (left >= right) return;
    const pixels = this.#pixels, { width } = this.image;
    for (let y = top; y < bottom; y++) {
      const first = y * width + left, end = y * width + right;
      if (right - left > NARROW) pixels.fill(colour, first, end);
      else for (let at = first; at < end; at++) pixels[at] = colour;
    }
  }

  /** Draws the sides of a box as lines of `line` pixels. They include the pixels of its upper left
      and lower right corners. */
  outline(/** @type {number} */ minX, /** @type {number} */ minY, /** @type {number} */ maxX, /** @type {number} */ maxY, /** @type {number} */ colour, line = 1) {
    const { width, height } = this.image;
    const left = Math.floor(minX + SLACK), top = Math.floor(minY + SLACK);
    // A side on the border of the picture is drawn inside it.
    const right = Math.abs(maxX - width) < line ? width - line : Math.floor(maxX), bottom = Math.abs(maxY - height) < line ? height - line : Math.floor(maxY);
    this.box(left, top, right + line, top + line, colour);
    this.box(left, bottom, right + line, bottom + line, colour);
    this.box(left, top + line, left + line, bottom, colour);
    this.box(right, top + line, right + line, bottom, colour);
  }

  /** Draws a disc of a radius up to LARGEST. */
  disc(/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ radius, /** @type {number} */ colour) {
    const partsX = Math.round(x * PARTS), partsY = Math.round(y * PARTS);
    const pixelX = Math.floor(partsX / PARTS), pixelY = Math.floor(partsY / PARTS);
    const { side, cover } = maskOf(Math.max(1, Math.round(radius * PARTS)), partsX - pixelX * PARTS, partsY - pixelY * PARTS);
    const left = pixelX - ((side - 1) >> 1), top = pixelY - ((side - 1) >> 1), { width } = this.image, pixels = this.#pixels;
    const firstX = Math.max(left, this.left), endX = Math.min(left + side, this.right);
    const firstY = Math.max(top, this.top), endY = Math.min(top + side, this.bottom);
    for (let row = firstY; row < endY; row++) {
      const mask = (row - top) * side - left, at = row * width;
      for (let column = firstX; column < endX; column++) {
        const part = cover[mask + column];
        if (part === 256) pixels[at + column] = colour;
        else if (part > 0) pixels[at + column] = mix(pixels[at + column], colour, part);
      }
    }
  }

  /** Adds a box to the area that fillCovered() will fill. */
  cover(/** @type {number} */ minX, /** @type {number} */ minY, /** @type {number} */ maxX, /** @type {number} */ maxY) {
    const left = Math.max(Math.floor(minX), this.left), right = Math.min(Math.floor(maxX) + 1, this.right);
    const top = Math.max(Math.floor(minY), this.top), bottom = Math.min(Math.floor(maxY) + 1, this.bottom);
    if (left >= right || top >= bottom) return;
    const { width, height } = this.image, stride = width + 1;
    if (this.#edges.length === 0) this.#edges = new Int32Array(stride * (height + 1));
    const edges = this.#edges, all = this.#covered;
    edges[top * stride + left]++;
    edges[top * stride + right]--;
    edges[bottom * stride + left]--;
    edges[bottom * stride + right]++;
    if (left < all.left) all.left = left;
    if (top < all.top) all.top = top;
    if (right > all.right) all.right = right;
    if (bottom > all.bottom) all.bottom = bottom;
  }

  /** Mixes a colour once into each pixel that at least one box covers, and discards the boxes. */
  fillCovered(/** @type {number} */ colour, /** @type {number} */ part) {
    const { left, top, right, bottom } = this.#covered, { width } = this.image, stride = width + 1, edges = this.#edges, pixels = this.#pixels;
    for (let y = top; y <= bottom; y++) {
      let row = 0; // the sum of the edges in this row; the sum over all rows so far is carried to the next row
      for (let x = left; x <= right; x++) {
        const at = y * stride + x;
        row += edges[at];
        const count = row + (y > top ? edges[at - stride] : 0);
        if (y > top) edges[at - stride] = 0;
        edges[at] = count;
        if (count > 0) pixels[y * width + x] = mix(pixels[y * width + x], colour, part);
      }
    }
    if (bottom >= 0) edges.fill(0, bottom * stride + left, bottom * stride + right + 1);
    this.#covered = { left: Infinity, top: Infinity, right: -1, bottom: -1 };
  }

  /** Copies the pixels of the part that is being drawn to a canvas of the same size. */
  put(/** @type {CanvasRenderingContext2D} */ context) {
    context.putImageData(this.image, 0, 0, this.left, this.top, this.right - this.left, this.bottom - this.top);
  }
}

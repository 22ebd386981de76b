// SPDX-License-Identifier: MIT
// pixels_squares.js: computes the squares of the quadtree of an object, and the rectangle around it.

import { SIDE, sheetOf } from './pixels_objects.js';
import { Region } from './pqt.js';

/** @typedef {{ side: number, sums: Uint32Array }} Sums  the side of the largest square, and the number of pixels above and to the left of each position in it */

/** The sums of regions. @type {WeakMap<Region, Sums>} */
const known = new WeakMap();

/** Returns the smallest box around all pixels as a region; an empty region if there are no pixels. */
export function rectangleOf(/** @type {Region} */ region) {
  return region.size === 0 ? new Region() : Region.ofBoxes([region.bounds]);
}

/** Returns the sums of a region. @returns {Sums} */
function sumsOf(/** @type {Region} */ region) {
  let found = known.get(region);
  if (found === undefined) {
    const { maxX, maxY } = region.bounds;
    let side = SIDE;
    while (side < Math.max(maxX, maxY)) side *= 2;
    const pixels = region.toPixels(sheetOf({ width: side, height: side }), 1), sums = new Uint32Array((side + 1) * (side + 1)), row = side + 1;
    for (let y = 0; y < side; y++)
      for (let x = 0, count = 0; x < side; x++) sums[(y + 1) * row + x + 1] = sums[y * row + x + 1] + (count += pixels[y * side + x]);
    known.set(region, found = { side, sums });
  }
  return found;
}

/**
 * Returns the squares of a quadtree over the sheet that contain a pixel, each as [x, y, side]. Squares
 * with the side `least` and full squares are not divided.
 */
export function squaresOf(/** @type {Region} */ region, /** @type {number} */ least) {
  const { side: whole, sums } = sumsOf(region), row = whole + 1;
  /** @type {[number, number, number][]} */
  const found = [];
  const divide = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ side) => {
    const count = sums[(y + side) * row + x + side] - sums[(y + side) * row + x] - sums[y * row + x + side] + sums[y * row + x];
    if (count === 0) return;
    if (side <= least || count === side * side) {
      found.push([x, y, side]);
      return;
    }
    const half = side / 2;
    for (const [dx, dy] of [[0, 0], [half, 0], [0, half], [half, half]]) divide(x + dx, y + dy, half);
  };
  divide(0, 0, whole);
  return found;
}

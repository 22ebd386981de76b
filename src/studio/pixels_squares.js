// SPDX-License-Identifier: MIT
// pixels_squares.js: computes the squares of the quadtree of an object, and the rectangle around it.

import { SIDE } from './pixels_objects.js';
import { Region } from './pqt.js';

const INSIDE = { minX: 0, minY: 0, maxX: SIDE, maxY: SIDE };

/** Returns the smallest box around all pixels as a region; an empty region if there are no pixels. */
export function rectangleOf(/** @type {Region} */ region) {
  return region.size === 0 ? new Region() : Region.ofBoxes([region.bounds]);
}

/**
 * Returns the squares of a quadtree over the sheet that contain a pixel, each as [x, y, side]. Squares
 * with the side `least` and full squares are not divided.
 */
export function squaresOf(/** @type {Region} */ region, /** @type {number} */ least) {
  const pixels = region.toPixels(INSIDE, 1);
  /** The number of pixels above and to the left of each position. */
  const sums = new Uint32Array((SIDE + 1) * (SIDE + 1));
  for (let y = 0; y < SIDE; y++)
    for (let x = 0; x < SIDE; x++)
      sums[(y + 1) * (SIDE + 1) + x + 1] = pixels[y * SIDE + x] + sums[y * (SIDE + 1) + x + 1] + sums[(y + 1) * (SIDE + 1) + x] - sums[y * (SIDE + 1) + x];
  /** @type {[number, number, number][]} */
  const found = [];
  const divide = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ side) => {
    const at = (/** @type {number} */ column, /** @type {number} */ row) => sums[row * (SIDE + 1) + column];
    const count = at(x + side, y + side) - at(x, y + side) - at(x + side, y) + at(x, y);
    if (count === 0) return;
    if (side <= least || count === side * side) {
      found.push([x, y, side]);
      return;
    }
    const half = side / 2;
    for (const [dx, dy] of [[0, 0], [half, 0], [0, half], [half, half]]) divide(x + dx, y + dy, half);
  };
  divide(0, 0, SIDE);
  return found;
}

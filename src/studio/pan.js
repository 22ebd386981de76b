// SPDX-License-Identifier: MIT
// pan.js: moves and scales the plane of a canvas with the pointers that are down, and with the wheel.

/**
 * @typedef {import('./surface.js').Point} Point
 * @typedef {import('./surface.js').Surface} Surface
 */

/** Returns the middle of the first two pointers, and half their distance; for one pointer, its position and 0. */
export function middleOf(/** @type {Map<number, Point>} */ pointers) {
  const [a, b] = pointers.values();
  if (a === undefined) return { x: 0, y: 0, reach: 0 };
  return b === undefined ? { ...a, reach: 0 } : { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, reach: Math.hypot(a.x - b.x, a.y - b.y) / 2 };
}

/** Moves and scales the plane, so that the point that was between the two pointers stays between them. */
export function follow(/** @type {Surface} */ surface, /** @type {ReturnType<typeof middleOf>} */ before, /** @type {ReturnType<typeof middleOf>} */ now) {
  if (now.reach > 0 && before.reach > 0) surface.zoom(now.reach / before.reach, surface.at({ clientX: before.x, clientY: before.y }));
  surface.pan(now.x - before.x, now.y - before.y);
}

/** Lets the wheel scale the plane. The point under the pointer stays there. */
export function zoomWithWheel(/** @type {Surface} */ surface) {
  surface.canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    surface.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), surface.at(event));
  }, { passive: false });
}

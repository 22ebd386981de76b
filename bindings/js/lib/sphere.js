// SPDX-License-Identifier: MIT
// sphere.js: distances on the sphere, where x is a longitude and y a latitude.
import { box, call, number, surplus, wasm } from './core.js';

/** Returns the distance in metres from a point to a box, along a great circle. */
export function sphereDistance(longitude, latitude, to) {
  if (arguments.length > 3) surplus(arguments.length, 'sphereDistance', 3);
  const { minX, minY, maxX, maxY } = box(to, 'the box');
  const metres = call(wasm.pqtjs_sphere_distance, number(longitude, 'longitude'), number(latitude, 'latitude'), minX, minY, maxX, maxY);
  if (Number.isNaN(metres)) throw new RangeError('the point or the box is not on the sphere');
  return metres;
}

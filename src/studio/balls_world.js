// SPDX-License-Identifier: MIT
// balls_world.js: represents the commands of the Balls tab as data, and applies them to worlds.
//
// A command names the version that it starts from and makes one or more new ones, which are numbered
// in the order of the log. apply() makes the versions again, as the native program does.

import { fromHex } from './hex.js';
import { Region, World } from './pqt.js';

/**
 * @typedef {object} StepSettings
 * @property {number} restitution
 * @property {number} gravity  units per second squared, downwards
 * @property {number} [friction]  the coefficient of friction, 0 if absent
 * @property {number} [contactBudget]  the contacts after which a step delays balls; if absent, it depends on their number
 */

/**
 * @typedef {import('./pqt.js').NewBody} NewBody
 * @typedef {(
 *   { op: 'world', bounds: import('./pqt.js').Box } |
 *   { op: 'file', bytes: string } |
 *   { op: 'add', bodies: NewBody[] } |
 *   { op: 'remove', ids: number[] } |
 *   { op: 'clear' } |
 *   { op: 'obstacle', boxes: number[] | null } |
 *   { op: 'step', count: number, dt: number } & StepSettings
 * ) & { tab: 'balls', from: number, recipe?: import('./balls_link.js').Action }} Command  `recipe` is how a link writes it
 */

/** The duration of a step, in seconds. */
export const DT = 0.01;

/** The numbers of balls that the slider offers. */
export const NUMBERS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000];

/** The bounds of worlds that do not come from a file. */
export const BOUNDS = { minX: 0, minY: 0, maxX: 800, maxY: 480 };

/** Returns the options of a step for the settings of the tab. */
export function stepOptions(/** @type {StepSettings} */ { restitution, gravity, friction = 0, contactBudget = 0 }) {
  return { restitution, gravity: { x: 0, y: gravity }, restSpeed: gravity === 0 ? 0 : 5, friction, contactBudget };
}

/** Returns whether two settings give the same steps. */
export function areEqual(/** @type {StepSettings} */ a, /** @type {StepSettings} */ b) {
  return a.restitution === b.restitution && a.gravity === b.gravity && (a.friction ?? 0) === (b.friction ?? 0) &&
    (a.contactBudget ?? 0) === (b.contactBudget ?? 0);
}

/** Makes a region from boxes, given as four integers each. */
export function regionOf(/** @type {number[]} */ boxes) {
  return Region.ofBoxes(new Int32Array(boxes));
}

/**
 * Applies a command to a world, and returns the result. If the command has several steps, makes
 * only the first.
 * @param {World | null} from
 * @param {Command} command
 * @returns {World}
 */
export function apply(from, command) {
  if (command.op === 'world') return new World({ bounds: command.bounds });
  if (command.op === 'file') return World.fromBytes(fromHex(command.bytes));
  if (from === null) throw new Error('the command has no world to start from');
  switch (command.op) {
    case 'add': return from.add(command.bodies);
    case 'remove': return from.remove(command.ids);
    case 'clear': return from.clear();
    case 'obstacle': return from.setObstacle(command.boxes === null ? null : regionOf(command.boxes));
    case 'step': return from.step(command.dt, stepOptions(command));
  }
}

// SPDX-License-Identifier: MIT
// pixels_objects.js: keeps the two regions of the Pixels tab and their history, records the commands that
// change them, and computes the squares of their quadtrees.

import { Document, History, Region } from './pqt.js';

/**
 * @typedef {'blocking' | 'collider'} Name
 * @typedef {import('./pqt.js').Paint} Paint
 * @typedef {import('./pqt.js').Box} Box
 * @typedef {(
 *   { op: 'boxes', boxes: number[] } |
 *   { op: 'paint', primitives: { op: 'set' | 'clear', x: number, y: number, toX: number, toY: number, radius: number }[] }
 * ) & { tab: 'pixels', from: number }} Command
 */

/** The side of an object, in pixels. */
export const SIDE = 64;
const INSIDE = { minX: 0, minY: 0, maxX: SIDE, maxY: SIDE };

/** The initial objects: a vessel with a rock in it, and a ring with a tail. */
function firstBlocking() {
  /** @type {Paint[]} */
  const walls = [];
  for (let i = 0; i < 6; i++) walls.push({ x: 8 + 2 * i, y: 20 + 5 * i, toX: 10 + 2 * i, toY: 25 + 5 * i, radius: 3.5 });
  walls.push({ x: 20, y: 52, toX: 46, toY: 52, radius: 4 }, { x: 46, y: 52, toX: 56, toY: 24, radius: 3.5 }, { x: 33, y: 34, radius: 5 });
  return new Region().paint(walls);
}

function firstCollider() {
  return new Region().paint({ x: 30, y: 30, radius: 13 }, { op: 'clear', x: 30, y: 30, radius: 7 }, { x: 41, y: 38, toX: 52, toY: 50, radius: 2.5 });
}

/** Returns the boxes of a region as an array of numbers, four per box. */
export function boxesOf(/** @type {Region} */ region) {
  return region.boxes().flatMap(({ minX, minY, maxX, maxY }) => [minX, minY, maxX, maxY]);
}

/** Both objects, and all versions of them. */
export class Objects {
  #record;
  /** The numbers that the log gives to versions, by their fingerprints. @type {Map<string, number>} */
  #versions = new Map();
  #count = 0;

  constructor(/** @type {(command: object) => void} */ record) {
    this.#record = record;
    const blocking = firstBlocking(), collider = firstCollider();
    this.history = new History(Document.of({ blocking, collider }));
    for (const region of [blocking, collider]) this.#log({ op: 'boxes', boxes: boxesOf(region) }, -1, region);
    this.#read();
  }

  /** The current regions. @type {Record<Name, Region>} */
  now = /** @type {any} */ ({});

  #read() {
    const document = this.history.version();
    this.now = { blocking: document.get('blocking'), collider: document.get('collider') };
    document.free();
  }

  /** @param {object} command  @param {number} from  @param {Region} made */
  #log(command, from, made) {
    this.#record({ tab: 'pixels', from, ...command });
    this.#versions.set(made.fingerprint(), this.#count++);
  }

  /** Returns the number that the log gives to a version of a region. */
  versionOf(/** @type {Region} */ region) {
    return this.#versions.get(region.fingerprint()) ?? -1;
  }

  /** Appends a version of an object to the history. */
  #push(/** @type {Name} */ name, /** @type {Region} */ region, /** @type {string} */ label) {
    const document = this.history.version(), next = document.set(name, region);
    this.history.push(next, { label });
    document.free();
    next.free();
    this.#read();
  }

  /** Paints a stroke, and adds an entry to the history. Pixels outside the sheet are ignored. */
  paint(/** @type {Name} */ name, /** @type {Paint[]} */ primitives, /** @type {string} */ label) {
    const before = this.now[name], painted = before.paint(primitives);
    const after = this.#within(painted);
    if (after.equals(before)) return;
    const command = { op: 'paint', primitives: primitives.map((one) => ({ op: 'set', radius: 0.5, ...one })) };
    this.#log(command, this.versionOf(before), after);
    this.#push(name, after, label);
  }

  /** Replaces an object. */
  replace(/** @type {Name} */ name, /** @type {Region} */ region, /** @type {string} */ label) {
    const after = this.#within(region);
    this.#log({ op: 'boxes', boxes: boxesOf(after) }, -1, after);
    this.#push(name, after, label);
  }

  /** Returns the pixels of a region that are on the sheet. */
  #within(/** @type {Region} */ region) {
    return region.crop(INSIDE);
  }

  undo() {
    const label = this.history.undoLabel;
    if (!this.history.undo()) return null;
    this.#read();
    return label;
  }

  redo() {
    const label = this.history.redoLabel;
    if (!this.history.redo()) return null;
    this.#read();
    return label;
  }
}

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

// SPDX-License-Identifier: MIT
// balls_seek.js: goes to a moment without holding up the page.
//
// A recording stores one world in several, and the others are recomputed. A Seek shows the nearest
// stored world at once, and makes the missing steps in slices of a bounded size. If the user
// aims at another moment meanwhile, it forgets the earlier aim.

/**
 * @typedef {import('./pqt.js').World} World
 * @typedef {import('./balls_timeline.js').Timeline} Timeline
 * @typedef {import('./balls_timeline.js').Line} Line
 * @typedef {import('./balls_timeline.js').Segment} Segment
 */
import { DT, stepOptions } from './balls_world.js';

/** The steps of a slice times the balls. */
const WORK = 8000;

export class Seek {
  /** The world that it has reached. The object owns it. @type {World | null} */
  world = null;
  /** @type {Segment | null} */
  #segment = null;
  #step = 0;
  #target = 0;

  /** The number of steps that are still to be made. */
  get missing() {
    return this.#target - this.#step;
  }

  /** Aims at a moment of a line, and makes the first slice. */
  aim(/** @type {Timeline} */ timeline, /** @type {Line} */ line, /** @type {number} */ moment) {
    const { segment, step } = timeline.placeOf(moment, line);
    const isStored = step % segment.every === 0 || step === segment.last;
    const stored = isStored ? step : step - (step % segment.every);
    const isOnTheWay = this.#segment === segment && this.#step <= step && this.#step >= stored;
    this.#target = step;
    if (!isOnTheWay) {
      this.#become(segment.recording.at(stored), stored);
      this.#segment = segment;
    }
    this.#advance(Math.floor(WORK / Math.max(1, /** @type {World} */ (this.world).size)));
  }

  /** Makes another slice. It has one step at least. */
  advance() {
    if (this.world !== null) this.#advance(Math.max(1, Math.floor(WORK / Math.max(1, this.world.size))));
  }

  #advance(/** @type {number} */ most) {
    for (let i = 0; i < most && this.missing > 0; i++) {
      const { settings } = /** @type {Segment} */ (this.#segment);
      this.#become(/** @type {World} */ (this.world).step(DT, stepOptions(settings)), this.#step + 1);
    }
  }

  #become(/** @type {World} */ world, /** @type {number} */ step) {
    this.world?.free();
    this.world = world;
    this.#step = step;
  }

  /** Forgets the aim and frees the world. */
  clear() {
    this.world?.free();
    this.world = null;
    this.#segment = null;
    this.#step = this.#target = 0;
  }
}

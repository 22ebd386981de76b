// SPDX-License-Identifier: MIT
// balls_clock.js: runs the simulation of the Balls tab, frame by frame, or makes one step.

import { collisionsOf } from './balls_timeline.js';
import { DT } from './balls_world.js';

/** The milliseconds that a frame may spend on steps. Further steps are skipped, and the simulation slows down. */
const STEP_TIME = 12;
const MOST_STEPS = 16;

/** Makes the steps of the line that is shown. */
export class Clock {
  #balls;
  /** The time that is due to be simulated, in seconds. */
  #due = 0;
  #lastFrame = 0;
  #frame = 0;
  /** The counts of the last step. */
  report = { tests: 0, collisions: 0 };
  /** The average number of frames per second. @type {number | undefined} */
  rate;

  constructor(/** @type {import('./balls.js').Balls} */ balls) {
    this.#balls = balls;
  }

  run() {
    this.#balls.isRunning = true;
    this.#lastFrame = 0;
    this.#requestFrame();
  }

  stop() {
    this.#balls.isRunning = false;
    this.pause();
    this.#balls.show();
  }

  /** Makes no steps until run() is called. */
  pause() {
    cancelAnimationFrame(this.#frame);
  }

  #requestFrame() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame((now) => this.#balls.guarded(() => this.#runFrame(now)));
  }

  /** Makes the steps that have become due since the last frame, and draws. */
  #runFrame(/** @type {number} */ now) {
    if (!this.#balls.isRunning || !this.#balls.isShown) return;
    const passed = this.#lastFrame === 0 ? DT : Math.min((now - this.#lastFrame) / 1000, 0.1);
    if (this.#lastFrame !== 0) this.rate = (this.rate ?? 60) * 0.9 + (0.1 * 1000) / Math.max(now - this.#lastFrame, 1);
    this.#lastFrame = now;
    this.#due += passed * this.#balls.speed;
    const began = performance.now();
    for (let steps = 0; this.#due >= DT && steps < MOST_STEPS && performance.now() - began < STEP_TIME; steps++) {
      this.#step();
      this.#due -= DT;
      if (this.#hasEnded()) {
        this.stop();
        return;
      }
    }
    if (this.#due > DT) this.#due = 0;
    this.#balls.show();
    this.#requestFrame();
  }

  /** Whether a scene has shown what it shows. */
  #hasEnded() {
    return this.#balls.scene?.ends !== undefined && !this.#balls.isEdited && this.#balls.timeline.length === this.#balls.scene.ends;
  }

  #step() {
    /** @type {import('./pqt.js').StepReport} */
    const report = {};
    const before = this.#balls.timeline.tip;
    const after = this.#balls.timeline.step(this.#balls.settings, report);
    this.#balls.controls.scrubber.take();
    this.report = { tests: report.tests ?? 0, collisions: collisionsOf(report) };
    if (!this.#balls.isRunning) this.#balls.showUnderHood('step', before, after);
  }

  stepOnce() {
    if (this.#balls.isRunning) this.stop();
    if (this.#balls.viewed !== null && this.#balls.viewed < this.#balls.timeline.length - 1) {
      this.#balls.goTo(this.#balls.viewed + 1);
      return;
    }
    this.#balls.viewed = null;
    this.#step();
    this.#balls.show();
  }
}

// SPDX-License-Identifier: MIT
// balls_check.js: recomputes the worlds of a line from its commands, and compares the last one.

import { apply } from './balls_world.js';

/** The milliseconds of work after which the page may handle events. */
const SLICE = 30;

/**
 * Makes all worlds that lead to a moment again, from the log of commands, and returns their number and the last fingerprint.
 * @param {import('./balls_timeline.js').Timeline} timeline
 * @param {number} moment
 * @param {(made: number) => void} progress  called between slices of work
 */
async function recompute(timeline, moment, progress) {
  /** @type {import('./pqt.js').World | null} */
  let world = null;
  let made = 0, began = performance.now();
  for (const command of timeline.commandsOf(timeline.versionAt(moment)))
    for (let i = 0; i < (command.op === 'step' ? command.count : 1); i++) {
      const next = apply(world, command);
      world?.free();
      world = next;
      made++;
      if (performance.now() - began > SLICE) {
        progress(made);
        await new Promise((resolve) => { setTimeout(resolve); });
        began = performance.now();
      }
    }
  const fingerprint = world?.fingerprint();
  world?.free();
  return { made, fingerprint };
}

let isChecking = false;

/** Recomputes all worlds of the line from the log of commands, and says whether the last fingerprint is the same. */
export async function check(/** @type {import('./balls.js').Balls} */ { timeline, studio }) {
  if (isChecking) return;
  isChecking = true;
  try {
    const expected = timeline.tip.fingerprint();
    const { made, fingerprint } = await recompute(timeline, timeline.length - 1, (count) => studio.announce(`Recomputed ${count.toLocaleString('en')} worlds …`));
    studio.announce(fingerprint === expected
      ? `Yes: ${made.toLocaleString('en')} worlds were recomputed, and the last one is equal: ${fingerprint}`
      : `No: the fingerprints differ: ${fingerprint} now, ${expected} before`);
  } catch (reason) {
    studio.fail(reason);
  } finally {
    isChecking = false;
  }
}

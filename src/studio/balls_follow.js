// SPDX-License-Identifier: MIT
// balls_follow.js: opens links in the Balls tab, and copies them.

import { commandOf, readLink, writeLink } from './balls_link.js';
import { FIRST } from './balls_scenes.js';
import { nextIdOf } from './balls_timeline.js';

/**
 * @typedef {import('./balls.js').Balls} Balls
 * @typedef {import('./balls_link.js').Action} Action
 */

/** The milliseconds of work after which the page may handle events. */
const SLICE = 30;

/**
 * Does actions in slices. Calls `progress` between slices with the number of steps, and ends if it returns false.
 * @param {Balls} balls
 * @param {Action[]} actions
 * @param {(steps: number) => boolean} progress
 */
export async function perform(balls, actions, progress) {
  let began = performance.now(), steps = 0;
  const { timeline } = balls;
  for (const action of actions) {
    if (action.op === 'set') balls.settings = { ...balls.settings, ...action.settings };
    else if (action.op !== 'step') timeline.edit(commandOf(action, balls), balls.settings);
    for (let i = 0; action.op === 'step' && i < action.count; i++) {
      timeline.step(balls.settings, {});
      balls.controls.scrubber.take();
      steps++;
      if (performance.now() - began < SLICE) continue;
      await new Promise((resolve) => { setTimeout(resolve); });
      if (!progress(steps)) return false;
      began = performance.now();
    }
  }
  return true;
}

/**
 * Opens what follows balls& in a link; an empty text is the first scene. A link with actions shows their moment and waits. A link
 * that is damaged is refused with one line.
 * @param {Balls} balls
 * @param {string} text
 * @param {boolean} runs  whether a link without actions runs
 */
export async function openLink(balls, text, runs) {
  /** @type {ReturnType<typeof readLink>} */
  let link = { scene: FIRST, seed: null, actions: [] };
  try {
    if (text !== '') link = readLink(text);
  } catch (reason) {
    balls.studio.fail(new Error(`The link cannot be opened: ${/** @type {Error} */ (reason).message}.`));
    if (balls.timeline.lines.length > 0) return;
  }
  balls.start(link.scene, link.seed ?? undefined);
  if (link.actions.length > 0) await follow(balls, link.actions);
  else if (runs) balls.clock.run();
}

/** Does the actions of a link. An edit or another scene meanwhile ends that. */
async function follow(/** @type {Balls} */ balls, /** @type {Action[]} */ actions) {
  const { timeline: { line }, studio } = balls;
  try {
    const isDone = await perform(balls, actions, (steps) => {
      if (balls.timeline.line !== line || balls.isEdited) return false;
      studio.announce(`The link is being followed: ${steps.toLocaleString('en')} steps …`);
      balls.show();
      return true;
    });
    if (!isDone) return;
    balls.controls.showSettings(balls.settings);
    balls.nextId = nextIdOf(balls.timeline.tip);
    balls.show();
    balls.greeting = 'This is the moment of the link. Run goes on from it, and the lane below the picture goes back.';
    studio.announce(balls.greeting);
  } catch (reason) {
    studio.fail(new Error(`The link cannot be followed: ${/** @type {Error} */ (reason).message}.`));
  }
}

/** Copies a link to the moment that is shown, and puts it into the address bar. */
export async function copyLink(/** @type {Balls} */ balls) {
  const { studio } = balls;
  try {
    history.replaceState(null, '', `${location.pathname}#${writeLink(balls)}`);
    const isCopied = await navigator.clipboard.writeText(location.href).then(() => true, () => false);
    const where = isCopied ? 'The link to this moment is copied. It is in the address bar, too.' : 'The link to this moment is in the address bar.';
    studio.announce(['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname) ? `${where} On another machine, the command pqt studio 'LINK' opens it.` : where);
  } catch (reason) {
    studio.fail(reason);
  }
}

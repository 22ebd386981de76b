// SPDX-License-Identifier: MIT
// balls_kept.js: keeps the lines of the Balls tab in the browser: not their frames, but a link for each line and the moment at which it
// branches off.

import { perform } from './balls_follow.js';
import { readLink, writeLink } from './balls_link.js';
import { commandsOf } from './balls_scenes.js';
import { nextIdOf } from './balls_timeline.js';
import { KeptWork } from './kept_work.js';

/**
 * @typedef {import('./balls.js').Balls} Balls
 * @typedef {import('./balls_link.js').Action} Action
 * @typedef {{ lines: { text: string, parent: number, from: number }[], current: number }} Kept
 */

/** Returns the lines, if the user has edited them and links can hold them; null if not. */
function take(/** @type {Balls} */ { isEdited, scene, seed, timeline }) {
  if (!isEdited || scene === null) return null;
  const { lines, current } = timeline, begun = commandsOf(scene, seed).length;
  if (lines.some(({ parent, from }) => parent !== null && from < begun - 1)) return null; // it branches off before the scene is complete
  let moments = 0;
  /** @type {Kept} */
  const kept = { lines: [], current };
  try {
    lines.forEach((line, i) => {
      timeline.current = i;
      moments += timeline.length - (line.parent === null ? 0 : line.from + 1);
      kept.lines.push({ text: writeLink({ scene, seed, timeline, viewed: null }).slice('balls&'.length), parent: line.parent === null ? -1 : lines.indexOf(line.parent), from: line.from });
    });
  } catch {
    return null;
  } finally {
    timeline.current = current;
  }
  return { bytes: new TextEncoder().encode(JSON.stringify(kept)), state: {}, versions: moments, what: `Your balls with ${moments.toLocaleString('en')} moments` };
}

/** Splits actions at a number of moments: returns the settings that those before it made, and the actions after it. */
function after(/** @type {Action[]} */ actions, /** @type {number} */ moments) {
  const settings = {}, rest = /** @type {Action[]} */ ([]);
  for (const action of actions) {
    if (action.op === 'set') {
      if (moments > 0) Object.assign(settings, action.settings);
      else rest.push(action);
    } else {
      const count = action.op === 'step' ? action.count : 1, past = Math.min(count, moments);
      moments -= past;
      if (past < count) rest.push(action.op === 'step' ? { op: 'step', count: count - past } : action);
    }
  }
  return { settings, rest };
}

/** Makes the lines again. Throws if a link is damaged, or if the user did something else meanwhile. */
async function put(/** @type {Balls} */ balls, /** @type {Uint8Array} */ bytes) {
  const { lines, current } = /** @type {Kept} */ (JSON.parse(new TextDecoder().decode(bytes))), { timeline, studio } = balls;
  const links = lines.map(({ text }) => readLink(text)), [{ scene, seed }] = links;
  balls.start(scene, seed ?? undefined);
  const first = timeline.line, begun = commandsOf(scene, seed ?? 0).length;
  for (const [i, { parent, from }] of lines.entries()) {
    if (i > 0) {
      timeline.current = parent;
      timeline.branch(from);
    }
    const { settings, rest } = after(links[i].actions, i > 0 ? from - begun + 1 : 0);
    balls.settings = { ...scene.settings, ...settings };
    const { line } = timeline, isDone = await perform(balls, rest, (steps) => {
      if (timeline.line !== line || timeline.lines[0] !== first || balls.isEdited) return false;
      studio.announce(`Your balls are being made again: ${steps.toLocaleString('en')} steps …`);
      balls.show();
      return true;
    });
    if (!isDone) throw new Error('Your balls were not made again, because something else was done meanwhile.');
  }
  balls.nextId = timeline.lines.reduce((most, { tip }) => Math.max(most, nextIdOf(tip)), 1);
  balls.isEdited = true;
  balls.showLines();
  balls.choose(current);
  balls.controls.showSettings(balls.settings);
  studio.announce('Your balls are here, with all lines of time.');
}

/** Makes the work of the tab. */
export function keptWork(/** @type {Balls} */ balls) {
  return new KeptWork(balls.studio, 'balls', () => take(balls), (bytes) => put(balls, bytes));
}

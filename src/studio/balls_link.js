// SPDX-License-Identifier: MIT
// balls_link.js: a moment as a link: the scene, its seed, and what was done since, not its frames.
//
// The fragment is balls&scene=NAME&seed=N&do=ACTION,ACTION... with the actions
//   sCOUNT              steps
//   aCOUNT:SEED:ID[:X:Y]  random balls from a seed, the first with an id, around a point or anywhere
//   kCOUNT              removes all balls but those with the COUNT lowest ids
//   c                   removes all balls
//   o                   removes the obstacle
//   eNUMBER, gNUMBER    the restitution and the gravity of later steps
// Equal commands give equal worlds on every machine, so the link is short and the moment is the same.

import { NUMBERS } from './balls_world.js';
import { commandsOf, randomBalls, sceneOf } from './balls_scenes.js';
import { randomFrom } from './random.js';

/**
 * @typedef {import('./balls.js').Balls} Balls
 * @typedef {import('./balls_scenes.js').Scene} Scene
 * @typedef {(
 *   { op: 'step', count: number } |
 *   { op: 'add', count: number, seed: number, first: number, around: { x: number, y: number } | null } |
 *   { op: 'keep', count: number } |
 *   { op: 'clear' } |
 *   { op: 'obstacle' } |
 *   { op: 'set', settings: { restitution?: number, gravity?: number } }
 * )} Action
 */

/** The limits of a link: its characters, actions, steps, balls, and the sum of the balls of all steps. */
const MOST = { characters: 20000, actions: 2000, steps: 100000, balls: NUMBERS[NUMBERS.length - 1], work: 2e7 };

/** Reads a whole number. */
function whole(/** @type {string} */ text, /** @type {string} */ what, most = 2 ** 31) {
  if (!/^\d{1,10}$/.test(text)) throw new RangeError(`${what} "${text.slice(0, 20)}" is not a whole number`);
  if (Number(text) > most) throw new RangeError(`${what} ${text} is more than ${most}`);
  return Number(text);
}

/** Reads a decimal number in a range. */
function decimal(/** @type {string} */ text, /** @type {string} */ what, /** @type {number} */ least, /** @type {number} */ most) {
  if (!/^-?\d{1,6}(\.\d{1,6})?$/.test(text) || Number(text) < least || Number(text) > most)
    throw new RangeError(`${what} "${text.slice(0, 20)}" is not a number from ${least} to ${most}`);
  return Number(text);
}

/** @returns {Action} */
function readAction(/** @type {string} */ text) {
  const [first, seed, id, x, y, ...rest] = text.slice(1).split(':');
  const isAdd = text[0] === 'a';
  if (rest.length > 0 || (isAdd ? id === undefined || (x === undefined) !== (y === undefined) : seed !== undefined))
    throw new RangeError(`the action "${text.slice(0, 20)}" has a wrong number of parts`);
  switch (text[0]) {
    case 's': return { op: 'step', count: whole(first, 'the number of steps', MOST.steps) };
    case 'a': return { op: 'add', count: whole(first, 'the number of balls', MOST.balls), seed: whole(seed, 'the seed'), first: whole(id, 'the id'),
      around: x === undefined ? null : { x: decimal(x, 'the position', -1e6, 1e6), y: decimal(y, 'the position', -1e6, 1e6) } };
    case 'k': return { op: 'keep', count: whole(first, 'the number of balls', MOST.balls) };
    case 'e': return { op: 'set', settings: { restitution: decimal(first, 'the restitution', 0, 1) } };
    case 'g': return { op: 'set', settings: { gravity: decimal(first, 'the gravity', -500, 500) } };
  }
  if (text === 'c') return { op: 'clear' };
  if (text === 'o') return { op: 'obstacle' };
  throw new RangeError(`"${text.slice(0, 20)}" is not an action`);
}

/** Throws if the actions take too much work. The numbers of balls are upper bounds. */
function checkWork(/** @type {Action[]} */ actions, /** @type {number} */ balls) {
  let steps = 0, work = 0;
  for (const action of actions) {
    if (action.op === 'add') balls += action.count;
    if (action.op === 'keep') balls = Math.min(balls, action.count);
    if (action.op === 'clear') balls = 0;
    if (action.op === 'step') steps += action.count;
    if (action.op === 'step') work += action.count * balls;
    if (balls > MOST.balls) throw new RangeError(`it has more than ${MOST.balls.toLocaleString('en')} balls`);
    if (steps > MOST.steps) throw new RangeError(`it has more than ${MOST.steps.toLocaleString('en')} steps`);
    if (work > MOST.work) throw new RangeError('its steps would take too long');
  }
}

/**
 * Reads what follows balls& in a link. Throws an Error with one sentence if it is not one.
 * Other names than those of a link are left to their readers.
 * @returns {{ scene: Scene, seed: number | null, actions: Action[] }}
 */
export function readLink(/** @type {string} */ text) {
  if (text.length > MOST.characters) throw new RangeError(`it has ${text.length.toLocaleString('en')} characters; the studio reads up to ${MOST.characters.toLocaleString('en')}`);
  const given = new URLSearchParams(text), name = given.get('scene') ?? '', scene = sceneOf(name);
  if (scene === undefined) throw new RangeError(`there is no scene "${name.slice(0, 20)}"`);
  const seed = given.get('seed'), done = given.get('do') ?? '';
  const texts = done === '' ? [] : done.split(',');
  if (texts.length > MOST.actions) throw new RangeError(`it has more than ${MOST.actions.toLocaleString('en')} actions`);
  const actions = texts.map(readAction);
  checkWork(actions, scene.balls(randomFrom(0)).length);
  return { scene, seed: seed === null ? null : whole(seed, 'the seed'), actions };
}

function writeAction(/** @type {Action} */ action) {
  switch (action.op) {
    case 'step': return `s${action.count}`;
    case 'add': return ['a' + action.count, action.seed, action.first, ...(action.around === null ? [] : [action.around.x, action.around.y])].join(':');
    case 'keep': return `k${action.count}`;
    case 'clear': return 'c';
    case 'obstacle': return 'o';
    case 'set': return action.settings.restitution !== undefined ? `e${action.settings.restitution}` : `g${action.settings.gravity}`;
  }
}

/** Returns the fragment for the moment that is shown. Throws an Error with one sentence if it has none. */
export function writeLink(/** @type {Pick<Balls, 'scene' | 'seed' | 'timeline' | 'viewed'>} */ { scene, seed, timeline, viewed }) {
  if (scene === null) throw new Error('The balls began with a file, which a link cannot hold. Save the moment instead.');
  const commands = timeline.commandsOf(timeline.versionAt(viewed ?? timeline.length - 1)).slice(commandsOf(scene, seed).length);
  /** @type {Action[]} */
  const actions = [];
  let { restitution, gravity } = scene.settings;
  for (const command of commands) {
    if ('recipe' in command && command.recipe !== undefined) actions.push(command.recipe);
    else if (command.op !== 'step') throw new Error('A picture is the obstacle, which a link cannot hold. Save the moment instead.');
    if (command.op !== 'step') continue;
    if (command.restitution !== restitution) actions.push({ op: 'set', settings: { restitution: ({ restitution } = command).restitution } });
    if (command.gravity !== gravity) actions.push({ op: 'set', settings: { gravity: ({ gravity } = command).gravity } });
    actions.push({ op: 'step', count: command.count });
  }
  const text = `balls&scene=${scene.name}&seed=${seed}${actions.length === 0 ? '' : `&do=${actions.map(writeAction).join(',')}`}`;
  try {
    readLink(text.slice('balls&'.length));
  } catch (reason) {
    throw new Error(`The moment is too far from its start for a link: ${reason instanceof Error ? reason.message : reason}. Save it instead.`);
  }
  return text;
}

/** Returns the command that an action makes, other than a step, for the last world of a timeline. */
export function commandOf(/** @type {Exclude<Action, { op: 'step' | 'set' }>} */ action, /** @type {Pick<Balls, 'timeline' | 'view'>} */ { timeline: { tip }, view }) {
  switch (action.op) {
    case 'add': return { op: 'add', bodies: randomBalls(randomFrom(action.seed), { ...action, before: tip.size, bounds: view }), recipe: action };
    case 'keep': return { op: 'remove', ids: tip.bodies().map(({ id }) => Number(id)).sort((a, b) => a - b).slice(action.count), recipe: action };
    case 'clear': return { op: 'clear', recipe: action };
    case 'obstacle': return { op: 'obstacle', boxes: null, recipe: action };
  }
}

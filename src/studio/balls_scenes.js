// SPDX-License-Identifier: MIT
// balls_scenes.js: the scenes of the Balls tab as data: their bounds, balls, obstacles and settings.
//
// A scene and a seed give the same world on every machine: positions are sums, products, quotients and
// square roots of constants and of random numbers from the seed.

import { COLOURS } from './balls_draw.js';
import { BOUNDS } from './balls_world.js';
import { randomFrom } from './random.js';

/**
 * @typedef {import('./pqt.js').NewBody} NewBody
 * @typedef {import('./pqt.js').Box} Box
 * @typedef {import('./balls_world.js').StepSettings} StepSettings
 */

/**
 * @typedef {object} Scene
 * @property {string} name  in links
 * @property {string} label
 * @property {string} sentence  what it shows
 * @property {Box} [bounds]  of the world, BOUNDS if absent
 * @property {Box} [view]  the part that is shown, the bounds if absent
 * @property {StepSettings} settings
 * @property {(random: () => number) => NewBody[]} balls
 * @property {(random: () => number) => number[]} [obstacle]  boxes of pixels, four integers for each
 * @property {number} [digits]  the number of digits of pi that the collisions give
 * @property {number} [ends]  the number of steps after which it stops
 * @property {number} preview  the number of steps before the picture on its button
 */

/** Up to this number of balls, random ones have radii of 2 to 4. */
const FAMILIAR = 2000;
const LOOSE = { restitution: 1, gravity: 0 };

/**
 * Returns random balls, around a point or anywhere in a box.
 * @param {() => number} random
 * @param {{ count: number, before: number, first: number, around: { x: number, y: number } | null, bounds: Box }} options
 *   `before` balls are in the world; the first new one gets the id `first`
 * @returns {NewBody[]}
 */
export function randomBalls(random, { count, before, first, around, bounds: { minX, minY, maxX, maxY } }) {
  const small = Math.min(1, Math.sqrt(FAMILIAR / (before + count)));
  const clamp = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ high) => Math.min(Math.max(value, low), high);
  return Array.from({ length: count }, (_, i) => {
    const radius = (2 + 2 * random()) * small;
    const signed = () => (30 + 150 * random()) * (random() < 0.5 ? -1 : 1);
    const vx = signed();
    const vy = signed();
    const x = around === null ? minX + random() * (maxX - minX) : around.x + (random() - 0.5) * 60;
    const y = around === null ? minY + random() * (maxY - minY) : around.y + (random() - 0.5) * 60;
    return { id: first + i, x: clamp(x, minX + 1.001 * radius, maxX - 1.001 * radius), y: clamp(y, minY + 1.001 * radius, maxY - 1.001 * radius),
      vx, vy, radius, data: (first + i) % COLOURS };
  });
}

/**
 * Returns rows of equal balls, of which each row has `fewer` balls than the row before.
 * @param {{ first: number, balls: number, rows: number, fewer?: number, x: number, y: number, across: { x: number, y: number },
 *   down: { x: number, y: number }, radius: number, colour: (row: number, place: number) => number }} rows
 */
function rowsOf({ first, balls, rows, fewer = 0, x, y, across, down, radius, colour }) {
  /** @type {NewBody[]} */
  const all = [];
  for (let row = 0; row < rows; row++)
    for (let i = 0; i < balls - row * fewer; i++)
      all.push({ id: first + all.length, x: x + i * across.x + row * down.x, y: y + i * across.y + row * down.y, radius, data: colour(row, i) });
  return all;
}

/** A break shot. The triangle has gaps of a hundredth of a radius, and the cue ball hits it off its centre line. */
function billiards(/** @type {() => number} */ random) {
  const radius = 12, across = 1.735 * radius, half = 1.005 * radius;
  return [{ id: 1, x: 190, y: 232 + 16 * random(), vx: 1500, radius, data: 4 },
    ...rowsOf({ first: 2, balls: 5, rows: 5, fewer: 1, x: 520, y: 240, across: { x: across, y: half }, down: { x: across, y: -half }, radius,
      colour: (row, i) => [0, 1, 2, 3, 5][(row + 2 * i) % 5] })];
}

/** Two balls hit five that touch. */
function cradle() {
  const radius = 34, row = (/** @type {number} */ first, /** @type {number} */ count, /** @type {number} */ x, /** @type {number} */ colour) => rowsOf({ first, balls: count,
    rows: 1, x, y: 240, across: { x: 2 * radius, y: 0 }, down: { x: 0, y: 0 }, radius, colour: () => colour });
  return [...row(1, 2, 50, 3).map((ball) => ({ ...ball, vx: 320 })), ...row(3, 5, 300, 0)];
}

/** A ball pushes another, 100^k times lighter, against the left wall. */
function pi(/** @type {number} */ k) {
  return [{ id: 1, x: 110, y: 240, radius: 14, mass: 1, data: 3 }, { id: 2, x: 330, y: 240, vx: -150, radius: 70, mass: 100 ** k, data: 0 }];
}

/** Fourteen rows that are stacked, and a heavy ball that is shot at them. */
function pyramid() {
  const radius = 13;
  return [...rowsOf({ first: 1, balls: 14, rows: 14, fewer: 1, x: 330, y: 480 - radius, across: { x: 2 * radius, y: 0 }, down: { x: radius, y: -1.7322 * radius }, radius,
    colour: (row) => row % COLOURS }), { id: 1000, x: 40, y: 250, vx: 620, vy: -110, radius: 24, mass: 4000, data: 3 }];
}

/** Balls of two sizes, in rows that are shifted. */
function pile(/** @type {() => number} */ random) {
  return Array.from({ length: 340 }, (_, i) => {
    const row = Math.floor(i / 34), place = i % 34, radius = place % 2 === 0 ? 10 : 6;
    return { id: 1 + i, x: 20 + 23 * place + 4 * random(), y: 20 + 26 * row + 4 * random(), vx: 60 * (random() - 0.5), radius, data: (row + place) % COLOURS };
  });
}

const TILE = 10; // pixels of a side of a square of rock

/** Returns which squares of a cave are rock: random ones, smoothed four times by the majority of their neighbours. */
function rock(/** @type {() => number} */ random) {
  const width = BOUNDS.maxX / TILE, height = BOUNDS.maxY / TILE;
  let all = Array.from({ length: width * height }, () => random() < 0.44);
  for (let pass = 0; pass < 4; pass++)
    all = all.map((_, at) => {
      const x = at % width, y = (at - x) / width;
      let near = 0;
      for (let dy = -1; dy <= 1; dy++)
        for (let dx = -1; dx <= 1; dx++) {
          const isInside = x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height;
          if (isInside && all[(y + dy) * width + x + dx]) near++;
        }
      return near >= 5;
    });
  return { all, width, height };
}

/** The balls of the cave are in squares whose neighbours are free. */
function caveBalls(/** @type {() => number} */ random) {
  const { all, width, height } = rock(random);
  const isFree = (/** @type {number} */ x, /** @type {number} */ y) => [-1, 0, 1].every((dy) => [-1, 0, 1].every((dx) => !all[(y + dy) * width + x + dx]));
  /** @type {NewBody[]} */
  const balls = [];
  for (let y = 1; y < height - 1; y++)
    for (let x = 1; x < width - 1; x++)
      if (isFree(x, y) && random() < 0.14)
        balls.push({ id: 1 + balls.length, x: (x + 0.5) * TILE, y: (y + 0.5) * TILE, vx: 240 * (random() - 0.5), vy: 240 * (random() - 0.5),
          radius: 3 + 2 * random(), data: balls.length % COLOURS });
  return balls;
}

/** Returns the rock of the cave: a box for each run of squares in a row. */
function caveRock(/** @type {() => number} */ random) {
  const { all, width, height } = rock(random);
  /** @type {number[]} */
  const boxes = [];
  for (let y = 0; y < height; y++)
    for (let x = 0, start = -1; x <= width; x++) {
      const isRock = x < width && all[y * width + x];
      if (isRock && start < 0) start = x;
      if (isRock || start < 0) continue;
      boxes.push(start * TILE, y * TILE, x * TILE, (y + 1) * TILE);
      start = -1;
    }
  return boxes;
}

/** @type {Scene[]} */
export const SCENES = [
  { name: 'billiards', label: 'Billiards', preview: 44, settings: LOOSE, balls: billiards,
    sentence: 'A break shot without friction. Each collision is computed at its own time, and all machines get the same bits.' },
  { name: 'cradle', label: 'Newton’s cradle', preview: 60, settings: LOOSE, balls: cradle,
    sentence: 'Two balls hit five that touch: two leave on the other side, at the same speed.' },
  ...[0, 1, 2, 3, 4, 5].map((k) => ({ name: `pi${k}`, label: 'Digits of pi', preview: 0, settings: { ...LOOSE, contactBudget: 1e7 }, balls: () => pi(k),
    bounds: { ...BOUNDS, maxX: 12000 }, view: BOUNDS, digits: k + 1, ends: 700,
    sentence: `The large ball is ${k === 0 ? 'as heavy as the small one' : `${(100 ** k).toLocaleString('en')} times as heavy as the small one`}. The number of collisions, with each other and with the wall, is ${k === 0 ? 'the first digit' : `the first ${k + 1} digits`} of pi.` })),
  { name: 'pyramid', label: 'Pyramid', preview: 46, settings: { restitution: 0, gravity: 300, friction: 0.5 }, balls: pyramid,
    sentence: 'A stack of balls with friction, and a heavy ball that hits it.' },
  { name: 'pile', label: 'Pile', preview: 45, settings: { restitution: 0.3, gravity: 400 }, balls: pile,
    sentence: '340 balls of two sizes fall into a bin. When they rest, they fall asleep, and their steps take less time.' },
  { name: 'cave', label: 'Pixel cave', preview: 30, settings: LOOSE, balls: caveBalls, obstacle: caveRock,
    sentence: 'The rock is a picture of pixels, kept in a quadtree. Balls bounce off the edges of single pixels.' },
  { name: 'five', label: 'Five balls', preview: 60, settings: LOOSE,
    balls: (random) => randomBalls(random, { count: 5, before: 0, first: 1, around: null, bounds: BOUNDS }),
    sentence: 'Five balls. Click to add ten, and again, or use the slider Number.' },
];

/** The scenes that have a button. The digits of pi have one for all. */
export const SHOWN = SCENES.filter(({ digits }) => digits === undefined || digits === 3);

/** The scene that runs when the page opens. */
export const [FIRST] = SCENES;

/** Returns a scene by its name; undefined if there is none. */
export function sceneOf(/** @type {string} */ name) {
  return SCENES.find((scene) => scene.name === name);
}

/** Returns the commands that make the first world of a scene. */
export function commandsOf(/** @type {Scene} */ { bounds = BOUNDS, balls, obstacle }, /** @type {number} */ seed) {
  return [{ op: 'world', bounds }, ...(obstacle === undefined ? [] : [{ op: 'obstacle', boxes: obstacle(randomFrom(seed)) }]),
    { op: 'add', bodies: balls(randomFrom(seed)) }];
}

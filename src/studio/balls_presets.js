// SPDX-License-Identifier: MIT
// balls_presets.js: the row of scenes, each with a small picture that is drawn from the scene itself.

import { button, element } from './dom.js';
import { beginPicture, drawBalls, drawObstacle, stageOf } from './balls_draw.js';
import { SCENES, SHOWN, commandsOf } from './balls_scenes.js';
import { BOUNDS, DT, apply, stepOptions } from './balls_world.js';
import { Raster } from './raster.js';

/**
 * @typedef {import('./balls_scenes.js').Scene} Scene
 * @typedef {import('./balls_world.js').Command} Command
 */

/** The size of the pictures, in pixels; CSS shows them at half of it. */
const WIDTH = 192, HEIGHT = 116;
/** The number of steps whose balls remain as a trail. */
const TRAIL = 26;

/** Calls a function when the page has nothing else to do, but soon. */
function soon(/** @type {() => void} */ next) {
  if (globalThis.requestIdleCallback === undefined) setTimeout(next, 50);
  else requestIdleCallback(next, { timeout: 300 });
}

/** Returns the world that a scene begins with. */
function firstWorld(/** @type {Scene} */ scene) {
  return /** @type {import('./pqt.js').World} */ (commandsOf(scene, 1).reduce((world, command) => {
    const next = apply(world, /** @type {Command} */ (command));
    world?.free();
    return next;
  }, /** @type {import('./pqt.js').World | null} */ (null)));
}

/** Draws a scene after some of its steps, with trails. */
export function drawPreview(/** @type {HTMLCanvasElement} */ canvas, /** @type {Scene} */ scene) {
  const stage = stageOf(canvas, scene.view ?? scene.bounds ?? BOUNDS), raster = new Raster();
  let world = firstWorld(scene);
  for (let step = 0; step <= scene.preview; step++) {
    if (step > 0) {
      const before = world;
      world = before.step(DT, stepOptions(scene.settings));
      before.free();
    }
    const isFirst = step === Math.max(0, scene.preview - TRAIL);
    if (step < scene.preview - TRAIL) continue;
    beginPicture(stage, raster, isFirst ? 'clear' : step % 2 === 0 ? 'fade' : 'keep');
    drawObstacle(stage, raster, world);
    drawBalls(stage, raster, world);
  }
  world.free();
}

/**
 * Makes the row. A click on a scene calls `choose`.
 * @param {(scene: Scene) => void} choose
 */
export function makePresets(choose) {
  const drawings = SHOWN.map((scene) => ({ scene, canvas: element('canvas', { width: WIDTH, height: HEIGHT, 'aria-hidden': 'true' }) }));
  const buttons = drawings.map(({ scene, canvas }) => {
    const one = button('', () => choose(scene), { id: `balls-scene-${scene.name}`, pressed: false });
    one.append(canvas, element('span', {}, scene.label));
    return one;
  });
  const sentence = element('p', { class: 'sentence', id: 'balls-sentence' });
  const powers = element('div', { class: 'row', role: 'group', 'aria-label': 'Mass of the large ball' },
    ...SCENES.filter(({ digits }) => digits !== undefined).map((scene, k) => button(`100${['⁰', '¹', '²', '³', '⁴', '⁵'][k]}`, () => choose(scene), { id: `balls-scene-mass-${k}`, pressed: false })));
  const row = element('div', { class: 'presets', role: 'group', 'aria-label': 'Scenes' }, ...buttons);
  return {
    row, sentence, powers,
    /** Shows which scene was chosen. */
    show(/** @type {Scene | null} */ chosen) {
      const isPi = chosen?.digits !== undefined;
      SHOWN.forEach((scene, i) => buttons[i].setAttribute('aria-pressed', String(scene === chosen || (isPi && scene.digits !== undefined))));
      powers.hidden = !isPi;
      [...powers.children].forEach((one, k) => one.setAttribute('aria-pressed', String(chosen?.digits === k + 1)));
      sentence.textContent = chosen === null ? 'A world from a file.' : chosen.sentence;
    },
    /** Draws the pictures one after another, while the page has nothing else to do. */
    drawSoon() {
      const next = () => {
        const drawing = drawings.shift();
        if (drawing === undefined) return;
        drawPreview(drawing.canvas, drawing.scene);
        soon(next);
      };
      soon(next);
    },
  };
}

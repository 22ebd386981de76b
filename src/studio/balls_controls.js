// SPDX-License-Identifier: MIT
// balls_controls.js: makes the column of controls of the Balls tab.

import { makeAbout } from './balls_about.js';
import { check } from './balls_check.js';
import * as worlds from './balls_files.js';
import { makeStage } from './balls_stage.js';
import { NUMBERS } from './balls_world.js';
import { button, checkbox, element, figures, group, slider } from './dom.js';

/** @typedef {import('./balls.js').Balls} Balls */

/** Makes the sliders for the balls and their motion. */
function makeSliders(/** @type {Balls} */ balls) {
  const number = slider('Number', { id: 'balls-number', min: 0, max: NUMBERS.length - 1, step: 1, value: 3, show: (at) => NUMBERS[at].toLocaleString('en') },
    (at) => balls.guarded(() => balls.setNumber(NUMBERS[at])));
  const restitution = slider('Restitution', { id: 'balls-restitution', min: 0, max: 1, step: 0.05, value: 1, show: (value) => value.toFixed(2) },
    (restitution) => { balls.settings = { ...balls.settings, restitution }; });
  const gravity = slider('Gravity', { id: 'balls-gravity', min: -500, max: 500, step: 50, value: 0, show: (value) => `${value} px/s²` },
    (gravity) => { balls.settings = { ...balls.settings, gravity }; });
  const speed = slider('Speed', { id: 'balls-speed', min: 0.1, max: 4, step: 0.1, value: 1, show: (value) => `${value.toFixed(1)} ×` }, (value) => { balls.speed = value; });
  return { number, restitution, gravity, speed };
}

/** Makes the controls of a tab in its panel, and returns those that the tab updates. */
export function makeControls(/** @type {HTMLElement} */ panel, /** @type {Balls} */ balls) {
  const stage = makeStage(balls), { number, restitution, gravity, speed } = makeSliders(balls), about = makeAbout();
  const saveBackButton = button('Save back', () => worlds.replaceFile(balls), { id: 'balls-save-back', title: 'Replace the file by the world of this moment' });
  const diagnostics = figures({ bodies: 'Bodies', drawn: 'Drawn', tests: 'Pairs tested', collisions: 'Collisions in the last step', kept: 'Versions kept',
    bytes: 'Bytes of the last version', moved: 'Moved since the mark', rate: 'Frames per second' });
  panel.append(stage.stage, element('div', { class: 'controls' }, about.about,
    group('Balls', element('div', { class: 'row' },
      button('Add ten', () => balls.guarded(() => balls.addTen(null)), { id: 'balls-add' }),
      button('Clear', () => balls.guarded(() => balls.clear()), { id: 'balls-clear' }),
      button('Start again', () => balls.guarded(() => balls.restart()), { id: 'balls-restart' }),
      button('Open …', () => worlds.choose(balls, '.pqt'), { id: 'balls-open', title: 'A world in a .pqt file' }),
      button('Save', () => worlds.save(balls), { id: 'balls-save', title: 'Save the world of this moment as a .pqt file' }), saveBackButton), number),
    group('Motion',
      speed, restitution, gravity),
    group('Obstacle', element('div', { class: 'row' },
      button('Picture …', () => worlds.choose(balls, 'image/png'), { id: 'balls-picture', title: 'A PNG picture: balls bounce off its dark or opaque pixels' }),
      button('Remove', () => balls.guarded(() => balls.setObstacle(null)), { id: 'balls-no-picture' }))),
    group('Proof', element('div', { class: 'row' },
      button('Is it deterministic?', () => check(balls), { id: 'balls-check', title: 'Recompute all worlds of this line, and compare fingerprints' }))),
    group('Drawing',
      checkbox('Cells of the tree', { id: 'balls-cells', value: true }, (value) => { balls.withCells = value; balls.show(); }),
      checkbox('Trails', { id: 'balls-trails', value: true }, (value) => { balls.withTrails = value; balls.show(); }),
      element('div', { class: 'row' }, button('Save picture', stage.savePicture, { id: 'balls-png', title: 'What is seen, as a PNG file' })), about.legend),
    group('Diagnostics', diagnostics),
    element('p', { class: 'muted' }, element('kbd', {}, 'Space'), ' run or stop, ', element('kbd', {}, '.'), ' and ', element('kbd', {}, ','),
      ' one moment forward and back, ', element('kbd', {}, 'L'), ' live, ', element('kbd', {}, 'B'), ' run from here, ', element('kbd', {}, 'M'), ' compare')));
  return {
    ...stage, about, number, diagnostics,
    /** Shows the settings of a scene. */
    showSettings(/** @type {import('./balls_world.js').StepSettings} */ settings) {
      restitution.set(settings.restitution);
      gravity.set(settings.gravity);
    },
    /** Shows which moment it is, and what applies to it. */
    showMoment() {
      saveBackButton.hidden = balls.source === null;
      stage.showMoment();
    },
  };
}

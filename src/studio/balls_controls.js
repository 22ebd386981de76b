// SPDX-License-Identifier: MIT
// balls_controls.js: makes the canvas, the buttons and the sliders of the Balls tab.

import { makeAbout, pngOf } from './balls_about.js';
import { check } from './balls_check.js';
import * as worlds from './balls_files.js';
import { copyLink } from './balls_follow.js';
import { NUMBERS } from './balls_world.js';
import { makePresets } from './balls_presets.js';
import { button, checkbox, choice, element, figures, group, slider } from './dom.js';
import { Scrubber } from './balls_scrubber.js';
import { Surface } from './surface.js';
import { colour } from './theme.js';

/** Makes the controls of a tab in its panel, and returns those that the tab updates. */
export function makeControls(/** @type {HTMLElement} */ panel, /** @type {import('./balls.js').Balls} */ balls) {
  const view = element('div', { class: 'view' });
  const hint = element('p', { class: 'hint', hidden: true }, 'No balls. Click here, or press Enter, to add ten.');
  const total = element('output', { id: 'balls-total' }), totalLine = element('p', { class: 'total' }, total, element('span', {}, ' collisions'));
  const positionText = element('output', { for: 'balls-moment', class: 'position', id: 'balls-position' });
  view.append(hint, totalLine, positionText);
  /** @type {Surface} */
  const surface = new Surface(view, 'The balls. Enter adds ten.', () => surface.fit(balls.view));
  surface.onDraw(() => balls.draw());
  // A click and not a press: on a touch screen, a swipe that begins here scrolls the page.
  surface.canvas.addEventListener('click', (event) => balls.guarded(() => balls.addTen(surface.at(event))));
  const presets = makePresets((scene) => balls.guarded(() => balls.chooseScene(scene)));

  const runButton = button('Run', () => balls.toggle(), { id: 'balls-run', main: true, title: 'Space' });
  const scrubber = new Scrubber(balls);
  const liveButton = button('Live', () => balls.live(), { id: 'balls-live', title: 'Show the last moment (L)' });
  const resumeButton = button('Resume here', () => balls.resume(), { id: 'balls-resume', title: 'Run on from this moment in a new line (B)' });
  const markButton = button('Compare with this', () => balls.mark(), { id: 'balls-mark', title: 'Draw how the balls moved between this moment and others (M)', pressed: false });
  const lines = choice('Line', { id: 'balls-line', choices: [['0', 'Line 1']], value: '0' }, (value) => balls.choose(Number(value)));
  const ghost = choice('Ghost of another line', { id: 'balls-ghost', choices: [['-1', 'none']], value: '-1' }, (value) => balls.setGhost(Number(value)));
  const checkButton = button('Is it deterministic?', () => check(balls), { id: 'balls-check', title: 'Recompute all worlds of this line, and compare fingerprints' });
  const stage = element('div', { class: 'stage' }, presets.row, presets.sentence, presets.powers, view, scrubber.element,
    element('div', { class: 'bar' }, runButton,
      button('Step', () => balls.guarded(() => balls.stepOnce()), { id: 'balls-step', title: 'One step (.)' }),
      liveButton, resumeButton, markButton, lines,
      button('Copy a link to this moment', () => copyLink(balls), { id: 'balls-link', title: 'The link holds the scene and what you did, not frames' })));

  const number = slider('Number', { id: 'balls-number', min: 0, max: NUMBERS.length - 1, step: 1, value: 3, show: (at) => NUMBERS[at].toLocaleString('en') },
    (at) => balls.guarded(() => balls.setNumber(NUMBERS[at])));
  const restitution = slider('Restitution', { id: 'balls-restitution', min: 0, max: 1, step: 0.05, value: 1, show: (value) => value.toFixed(2) },
    (restitution) => { balls.settings = { ...balls.settings, restitution }; });
  const gravity = slider('Gravity', { id: 'balls-gravity', min: -500, max: 500, step: 50, value: 0, show: (value) => `${value} px/s²` },
    (gravity) => { balls.settings = { ...balls.settings, gravity }; });
  const saveBackButton = button('Save back', () => worlds.replaceFile(balls), { id: 'balls-save-back', title: 'Replace the file by the world of this moment' });
  const diagnostics = figures({ bodies: 'Bodies', drawn: 'Drawn', tests: 'Pairs tested', collisions: 'Collisions in the last step', kept: 'Versions kept',
    bytes: 'Bytes of the last version', moved: 'Moved since the mark', rate: 'Frames per second' });
  const about = makeAbout();
  panel.append(stage, element('div', { class: 'controls' }, about.about,
    group('Balls', element('div', { class: 'row' },
      button('Add ten', () => balls.guarded(() => balls.addTen(null)), { id: 'balls-add' }),
      button('Clear', () => balls.guarded(() => balls.clear()), { id: 'balls-clear' }),
      button('Start again', () => balls.guarded(() => balls.restart()), { id: 'balls-restart' }),
      button('Open …', () => worlds.choose(balls, '.pqt'), { id: 'balls-open', title: 'A world in a .pqt file' }),
      button('Save', () => worlds.save(balls), { id: 'balls-save', title: 'Save the world of this moment as a .pqt file' }), saveBackButton), number),
    group('Motion',
      slider('Speed', { id: 'balls-speed', min: 0.1, max: 4, step: 0.1, value: 1, show: (value) => `${value.toFixed(1)} ×` }, (speed) => { balls.speed = speed; }),
      restitution, gravity),
    group('Obstacle', element('div', { class: 'row' },
      button('Picture …', () => worlds.choose(balls, 'image/png'), { id: 'balls-picture', title: 'A PNG picture: balls bounce off its dark or opaque pixels' }),
      button('Remove', () => balls.guarded(() => balls.setObstacle(null)), { id: 'balls-no-picture' }))),
    group('Proof', element('div', { class: 'row' }, checkButton)),
    group('Drawing',
      checkbox('Cells of the tree', { id: 'balls-cells', value: true }, (value) => { balls.withCells = value; balls.show(); }),
      checkbox('Trails', { id: 'balls-trails', value: true }, (value) => { balls.withTrails = value; balls.show(); }), ghost,
      element('div', { class: 'row' }, button('Save picture', savePicture, { id: 'balls-png', title: 'What is seen, as a PNG file' })), about.legend),
    group('Diagnostics', diagnostics),
    element('p', { class: 'muted' }, element('kbd', {}, 'Space'), ' run or stop, ', element('kbd', {}, '.'), ' and ', element('kbd', {}, ','),
      ' one moment forward and back, ', element('kbd', {}, 'L'), ' live, ', element('kbd', {}, 'B'), ' resume here, ', element('kbd', {}, 'M'), ' compare')));
  /** Saves what is seen. */
  async function savePicture() {
    try {
      const texts = { total: total.textContent ?? '', position: positionText.textContent ?? '', isLarge: totalLine.classList.contains('large'),
        font: getComputedStyle(totalLine).fontFamily, colour: colour('stage-text'), ratio: surface.ratio };
      balls.studio.files.save('balls.png', await pngOf(surface.canvas, texts), 'image/png');
    } catch (reason) {
      balls.studio.fail(reason);
    }
  }
  /** Shows which moment it is, and which buttons apply to it. */
  function showMoment() {
    const { timeline, viewed, missing, isRunning } = balls, last = timeline.length - 1, moment = viewed ?? last, isPast = viewed !== null;
    const late = missing === 0 ? '' : ` The picture is ${missing} steps behind, which are being computed.`;
    positionText.textContent = `${moment.toLocaleString('en')} of ${last.toLocaleString('en')}, ${timeline.timeAt(moment).toFixed(2)} s${late}${isRunning && isPast ? ` ${timeline.line.name} runs on.` : ''}`;
    runButton.textContent = isRunning ? 'Stop' : isPast ? 'Run from here' : 'Run';
    saveBackButton.hidden = balls.source === null;
    liveButton.disabled = resumeButton.disabled = !isPast;
    markButton.setAttribute('aria-pressed', String(balls.marked !== null));
    lines.select.value = String(timeline.current);
    ghost.select.value = String(balls.ghost === null ? -1 : timeline.lines.indexOf(balls.ghost));
    scrubber.input.setAttribute('aria-valuetext', `moment ${moment} of ${last}, ${timeline.line.name}`);
    scrubber.show();
  }
  return {
    /** Shows the settings of a scene. */
    showSettings(/** @type {import('./balls_world.js').StepSettings} */ settings) {
      restitution.set(settings.restitution);
      gravity.set(settings.gravity);
    },
    /** Shows the number of collisions up to the moment that is shown, in large digits if they are those of pi. */
    showTotal(/** @type {number} */ collisions, /** @type {boolean} */ isPi) {
      const text = isPi ? String(collisions) : collisions.toLocaleString('en');
      if (total.textContent !== text) total.textContent = text;
      totalLine.classList.toggle('large', isPi);
    },
    showMoment, about, presets, hint, surface, scrubber, lines, ghost, number, diagnostics };
}

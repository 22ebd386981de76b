// SPDX-License-Identifier: MIT
// balls_stage.js: makes the scenes, the picture and the bar of the Balls tab, and shows which moment it is.

import { pngOf } from './balls_about.js';
import { copyLink } from './balls_follow.js';
import { makePresets } from './balls_presets.js';
import { Scrubber } from './balls_scrubber.js';
import { button, choice, element } from './dom.js';
import { Surface } from './surface.js';
import { colour } from './theme.js';

/** @typedef {import('./balls.js').Balls} Balls */

/** The distance by which a pointer may move during a click, in pixels. */
const STILL = 6;

/** Sets the text of an element, if it differs. */
function write(/** @type {HTMLElement} */ one, /** @type {string} */ text) {
  if (one.textContent !== text) one.textContent = text;
}

/** Makes the picture, with texts over it. */
function makeView(/** @type {Balls} */ balls) {
  const view = element('div', { class: 'view' });
  const hint = element('p', { class: 'hint', hidden: true }, 'No balls. Click here, or press Enter, to add ten.');
  const total = element('output', { id: 'balls-total' }), totalLine = element('p', { class: 'total' }, total, element('span', {}, ' collisions'));
  const position = element('output', { for: 'balls-moment', class: 'position', id: 'balls-position' });
  view.append(hint, totalLine, position);
  /** @type {Surface} */
  const surface = new Surface(view, 'The balls. Enter adds ten.', () => surface.fit(balls.view));
  surface.onDraw(() => balls.draw());
  // A click and not a press: on a touch screen, a swipe that begins here scrolls the page. A drag with a mouse ends with a click, too.
  let pressed = { x: 0, y: 0 };
  surface.canvas.addEventListener('pointerdown', ({ clientX, clientY }) => { pressed = { x: clientX, y: clientY }; });
  surface.canvas.addEventListener('click', (event) => {
    if (event.detail === 0 || Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) <= STILL) balls.guarded(() => balls.addTen(surface.at(event)));
    else balls.studio.announce('Balls cannot be dragged. A click adds ten balls.');
  });
  return {
    view, hint, surface, position,
    /** Shows the number of collisions up to the moment that is shown, in large digits if they are those of pi. */
    showTotal(/** @type {number} */ collisions, /** @type {boolean} */ isPi) {
      write(total, isPi ? String(collisions) : collisions.toLocaleString('en'));
      totalLine.classList.toggle('large', isPi);
    },
    /** Saves what is seen. */
    async savePicture() {
      try {
        const texts = { total: total.textContent ?? '', position: position.textContent ?? '', isLarge: totalLine.classList.contains('large'),
          font: getComputedStyle(totalLine).fontFamily, colour: colour('stage-text'), ratio: surface.ratio };
        balls.studio.files.save('balls.png', await pngOf(surface.canvas, texts), 'image/png');
      } catch (reason) {
        balls.studio.fail(reason);
      }
    },
  };
}

/** Makes the bar of buttons for time. */
function makeBar(/** @type {Balls} */ balls) {
  const runButton = button('Run', () => balls.toggle(), { id: 'balls-run', main: true, title: 'Space' });
  const liveButton = button('Live', () => balls.live(), { id: 'balls-live', title: 'Show the last moment (L)' });
  const resumeButton = button('Run from here', () => balls.resume(), { id: 'balls-resume', title: 'Run on from this moment in a new line (B)' });
  const markButton = button('Compare with this', () => balls.mark(), { id: 'balls-mark', title: 'Draw how the balls moved between this moment and others (M)', pressed: false });
  const lines = choice('Line', { id: 'balls-line', choices: [['0', 'Line 1']], value: '0' }, (value) => balls.choose(Number(value)));
  const ghost = choice('Ghost', { id: 'balls-ghost', choices: [['-1', 'none']], value: '-1' }, (value) => balls.setGhost(Number(value)));
  ghost.title = 'Draw rings where the balls of another line are at the same time';
  const undoButton = button('Undo', () => balls.guarded(() => balls.undoing.undo()), { id: 'balls-undo', title: 'Undo the last edit, Clear or start (Ctrl-Z)' });
  const bar = element('div', { class: 'bar' }, runButton,
    button('Step', () => balls.guarded(() => balls.clock.stepOnce()), { id: 'balls-step', title: 'One step (.)' }),
    undoButton, liveButton, resumeButton, lines, markButton, ghost,
    button('Copy a link', () => copyLink(balls), { id: 'balls-link', title: 'A link to this moment, which holds the scene and what you did, not frames' }));
  return {
    bar, lines, ghost,
    /** Shows which buttons apply to the moment. */
    showButtons() {
      const isPast = balls.viewed !== null;
      write(runButton, balls.isRunning ? 'Stop' : isPast ? 'Run from here' : 'Run');
      undoButton.disabled = !balls.undoing.isPossible;
      liveButton.disabled = !isPast;
      resumeButton.hidden = !isPast || !balls.isRunning; // otherwise Run does this
      markButton.setAttribute('aria-pressed', String(balls.marked !== null));
      lines.select.value = String(balls.timeline.current);
      ghost.hidden = balls.timeline.lines.length < 2;
      ghost.select.value = String(balls.ghost === null ? -1 : balls.timeline.lines.indexOf(balls.ghost));
    },
  };
}

/** Makes the stage, which is all that is not in the column of controls. */
export function makeStage(/** @type {Balls} */ balls) {
  const { view, hint, surface, position, showTotal, savePicture } = makeView(balls), { bar, lines, ghost, showButtons } = makeBar(balls);
  const presets = makePresets((scene) => balls.guarded(() => balls.chooseScene(scene))), scrubber = new Scrubber(balls);
  const stage = element('div', { class: 'stage' }, presets.row, presets.sentence, presets.powers, view, scrubber.element, bar);
  return {
    stage, hint, surface, presets, scrubber, lines, ghost, showTotal, savePicture,
    /** Shows which moment it is, and what applies to it. */
    showMoment() {
      const { timeline, viewed, missing, isRunning } = balls, last = timeline.length - 1, moment = viewed ?? last;
      const late = missing === 0 ? '' : ` The picture is ${missing} steps behind, which are being computed.`;
      const dropped = timeline.start === 0 ? '' : ` The moments before ${timeline.start.toLocaleString('en')} were dropped, because the memory was full.`;
      const runsOn = isRunning && viewed !== null ? ` ${timeline.line.name} runs on.` : '';
      write(position, `${moment.toLocaleString('en')} of ${last.toLocaleString('en')}, ${timeline.timeAt(moment).toFixed(2)} s${late}${runsOn}${dropped}`);
      scrubber.input.setAttribute('aria-valuetext', `moment ${moment} of ${last}, ${timeline.line.name}`);
      showButtons();
      scrubber.show();
    },
  };
}

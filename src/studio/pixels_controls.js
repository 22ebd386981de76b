// SPDX-License-Identifier: MIT
// pixels_controls.js: makes the canvas of the scene, the sheets and the controls of the Pixels tab.

import { button, checkbox, choice, element, figures as makeFigures, group, slider } from './dom.js';
import { Sheet } from './pixels_sheet.js';
import { WIDEST } from './pixels.js';
import { Surface } from './surface.js';

/** The cell sizes that the user can choose from, in pixels. */
const LEVELS = [1, 2, 4, 8, 16, 32, 64];

/** The classes of the samples of colours, and what they stand for. */
const LEGEND = [
  ['blocking', 'blocking object'], ['collider', 'collision object; where it stops, pale with an outline'], ['overlap', 'pixels of both, and those that meet'],
  ['arrow', 'movement of the collision object'], ['normal', 'normal of the contact, or the shortest way out'], ['cell', 'cells of the quadtrees that are compared'],
];

/** Returns the colour of a colour field. @returns {import('./pixels_objects.js').Colour} */
function colourOf(/** @type {string} */ text) {
  return [parseInt(text.slice(1, 3), 16), parseInt(text.slice(3, 5), 16), parseInt(text.slice(5, 7), 16), 255];
}

/** Makes the controls of the tab in its panel, and returns those that the tab updates. */
export function makeControls(/** @type {HTMLElement} */ panel, /** @type {import('./pixels.js').Pixels} */ pixels) {
  const view = element('div', { class: 'view', id: 'pixels-scene' });
  /** @type {Surface} */
  const surface = new Surface(view, 'The scene: drag an object by its pixels or its centre, or the tip of the arrow; arrow keys move the selected one', () => pixels.fitView());
  surface.onDraw(() => pixels.guarded(() => pixels.draw()));
  takePointer(surface, pixels);

  const sheets = [new Sheet('blocking', 'Blocking object', pixels), new Sheet('collider', 'Collision object', pixels)];
  const undoButton = button('Undo', () => pixels.undo(), { id: 'pixels-undo', title: 'Ctrl-Z' });
  const redoButton = button('Redo', () => pixels.redo(), { id: 'pixels-redo', title: 'Ctrl-Shift-Z' });
  const runButton = button('Run', () => pixels.toggle(), { id: 'pixels-run', main: true, title: 'R' });
  const pen = slider('Pen size', { id: 'pixels-pen', min: 1, max: WIDEST, step: 1, value: pixels.pen, show: (value) => `${value} px` }, (value) => pixels.setPen(value));
  const eraser = checkbox('Eraser', { id: 'pixels-eraser', value: false }, (value) => pixels.setEraser(value));
  const figures = makeFigures({ status: 'Result', area: 'Overlapping pixels', time: 'Fraction of the path', stop: 'Stop', normal: 'Normal', entries: 'Versions kept' });
  const level = (/** @type {string} */ label, /** @type {'blocking' | 'collider'} */ name) =>
    slider(label, { id: `pixels-level-${name}`, min: 0, max: LEVELS.length - 1, step: 1, value: 0, show: (at) => `cells of ${LEVELS[at]} px` }, (at) => {
      pixels.scene.levels[name] = LEVELS[at];
      pixels.show();
    });

  const colour = element('input', { type: 'color', id: 'pixels-colour', value: '#e0702a' });
  const withColour = checkbox('Paint in this colour', { id: 'pixels-in-colour', value: false }, () => setInk());
  const setInk = () => { pixels.ink = withColour.input.checked ? colourOf(colour.value) : null; };
  colour.addEventListener('input', () => {
    withColour.input.checked = true;
    setInk();
  });
  const stage = element('div', { class: 'stage' }, view, pixels.strip.view,
    element('div', { class: 'bar' }, runButton,
      button('Fit', () => pixels.fit(), { id: 'pixels-fit', title: 'Show both objects and the movement' }),
      button('Reset places', () => pixels.reset(), { id: 'pixels-reset', title: 'Put the objects where they were at the start' }),
      choice('Mode', { id: 'pixels-mode', choices: [['intersect', 'Intersect'], ['sweep', 'Sweep'], ['slide', 'Slide']], value: 'sweep' }, (mode) => {
        pixels.scene.mode = /** @type {import('./pixels_scene.js').Mode} */ (mode);
        pixels.show();
      }),
      choice('Objects', {
        id: 'pixels-shapes', choices: [['pixels', 'Pixels'], ['rectangle', 'Collision object as rectangle'], ['rectangles', 'Both as rectangles']], value: 'pixels',
      }, (shapes) => {
        pixels.scene.shapes = /** @type {import('./pixels_scene.js').Shapes} */ (shapes);
        pixels.show();
      }),
      choice('Arrow keys move', {
        id: 'pixels-grabbed', choices: [['collider', 'Collision object'], ['blocking', 'Blocking object'], ['tip', 'Movement']], value: 'collider',
      }, (what) => {
        pixels.grabbed = /** @type {import('./pixels_scene.js').Held} */ (what);
        pixels.show();
      })));
  const drawings = element('div', { class: 'sheets' }, ...sheets.map((sheet) => element('div', { class: 'drawing' },
    element('div', { class: 'row' }, element('h2', {}, sheet.label),
      button('Load …', () => pixels.choosePicture(sheet.name), { id: `pixels-load-${sheet.name}`, title: 'Load a PNG picture: its dark or opaque pixels are the object' }),
      button('Save', () => pixels.savePicture(sheet.name), { id: `pixels-save-${sheet.name}`, title: 'Save as a PNG picture' }),
      button('Clear', () => pixels.clear(sheet.name), { id: `pixels-clear-${sheet.name}` })),
    sheet.view, sheet.bar)));
  const about = element('div', { class: 'about' },
    element('h2', {}, 'Pixels meet exactly'),
    element('p', {}, 'Two objects of pixels, which you draw on the sheets or load from pictures. The scene shows whether they overlap, and where the collision object stops on its way along the arrow, however fast it is and however thin the other object.'),
    element('p', {}, element('strong', {}, 'Why this is cheap: '), 'an object is a quadtree of squares, so large parts are decided at once. A stroke copies the squares that it touches, and undo goes back to a version that shares the others.'));
  panel.append(stage, drawings, element('div', { class: 'controls' }, about,
    group('Drawing', pen, eraser, element('div', { class: 'field' }, element('label', { for: 'pixels-colour' }, 'Colour'), colour), withColour, element('div', { class: 'row' }, undoButton, redoButton)),
    group('Coarse levels', level('Cells of the blocking object', 'blocking'), level('Cells of the collision object', 'collider'),
      checkbox('Show cells', { id: 'pixels-cells', value: true }, (value) => { pixels.withCells = value; pixels.show(); })),
    group('Result', figures),
    group('Legend', element('ul', { class: 'legend' }, ...LEGEND.map(([name, text]) =>
      element('li', {}, element('span', { class: `sample pixels ${name}`, 'aria-hidden': 'true' }), text)))),
    element('p', { class: 'muted' }, 'Every stroke and every move is a version. An object is dragged by its pixels or by its centre. In a sheet, the wheel zooms; ',
      'the middle button, or Space and a drag, moves it, and so do two fingers.'),
    element('p', { class: 'muted' }, element('kbd', {}, 'E'), ' eraser, ', element('kbd', {}, 'R'), ' run or stop, ', element('kbd', {}, 'A'), ' and ',
      element('kbd', {}, 'S'), ' smaller and larger pen, ', element('kbd', {}, 'Ctrl-Z'), ' and ', element('kbd', {}, 'Ctrl-Shift-Z'), ' undo and redo')));
  return { stage, surface, sheets, undoButton, redoButton, runButton, pen, eraser, figures };
}

/** Lets the pointer drag the objects and the tip of the movement. */
function takePointer(/** @type {Surface} */ surface, /** @type {import('./pixels.js').Pixels} */ pixels) {
  /** @type {import('./pixels_scene.js').Held | null} */
  let held = null;
  let key = 0;
  /** The id of the pointer that holds the object. Other pointers are ignored. */
  let holder = -1, last = { x: 0, y: 0 };
  const { canvas } = surface;
  canvas.addEventListener('pointerdown', (event) => {
    if (held !== null) return;
    last = surface.at(event);
    held = event.button === 0 ? pixels.scene.grab(surface, last) : null;
    if (held === null) return;
    holder = event.pointerId;
    key = pixels.newDrag();
    canvas.setPointerCapture(holder);
  });
  canvas.addEventListener('pointermove', (event) => {
    const at = surface.at(event);
    if (held !== null) {
      if (event.pointerId !== holder) return;
      pixels.drag(held, at.x - last.x, at.y - last.y, key);
    }
    last = at;
    canvas.classList.toggle('grabs', held !== null || pixels.scene.grab(surface, at) !== null);
  });
  for (const end of ['pointerup', 'pointercancel'])
    canvas.addEventListener(end, (event) => {
      if (/** @type {PointerEvent} */ (event).pointerId === holder) held = null;
    });
}

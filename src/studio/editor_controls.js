// SPDX-License-Identifier: MIT
// editor_controls.js: makes the controls of the Editor tab for tools, properties and versions.

import { button, checkbox, choice, element, figures, group, inBytes } from './dom.js';
import { Graph } from './editor_graph.js';
import { partsOf } from './editor_scene.js';
import { makeSearch } from './editor_search.js';
import { memory } from './pqt.js';

const COLOURS = /** @type {[string, string][]} */ ([['0', 'Blue'], ['1', 'Teal'], ['2', 'Purple'], ['3', 'Orange'], ['4', 'Green'], ['5', 'Pink']]);

/** Makes the controls of the tab in its panel. show() brings them up to date. */
export function makeControls(/** @type {HTMLElement} */ panel, /** @type {import('./editor.js').Editor} */ editor) {
  const tools = /** @type {['hand' | 'draw' | 'select' | 'window', string, string][]} */ ([
    ['hand', 'Hand', 'Drag to move the plane, click to select a box (H)'], ['draw', 'Draw', 'Drag to draw boxes (D)'], ['select', 'Select', 'Drag boxes to move them, or around them to select them (V)'],
    ['window', 'Restore part', 'Drag around a part of the plane to bring it back from another version (W)'],
  ])
    .map(([tool, label, title]) => button(label, () => editor.setTool(tool), { id: `editor-${tool}`, title, pressed: false }));
  const remove = button('Delete', () => editor.guarded(() => editor.removeSelected()), { id: 'editor-delete', title: 'Delete' });
  const undo = button('Undo', () => editor.undo(), { id: 'editor-undo', title: 'Ctrl-Z' });
  const redo = button('Redo', () => editor.redo(), { id: 'editor-redo', title: 'Ctrl-Shift-Z' });
  const older = element('input', { type: 'number', id: 'editor-restore-from', min: 0, step: 1, 'aria-describedby': 'editor-restore-label' });
  const olderLabel = element('span', { id: 'editor-restore-label' });
  const restore = button('Restore', () => editor.restoreWindow(Number(older.value)), {
    id: 'editor-restore', main: true, title: 'Bring the boxes in the window back as they are in that version' });
  const restoring = element('div', { id: 'editor-restoring', hidden: true }, element('label', { for: 'editor-restore-from' }, 'from version'), older, olderLabel, restore);
  const hint = element('p', { class: 'hint' }, 'An empty sheet. Drag to draw a box, or open a file or the countries and cities.');
  editor.plane.view.append(hint);
  const bar = element('div', { class: 'bar' }, ...tools, remove, undo, redo,
    button('Show all', () => editor.showAll(), { id: 'editor-all', title: 'F' }),
    button('−', () => editor.plane.surface.zoom(0.8), { id: 'editor-out', title: 'Zoom out' }),
    button('+', () => editor.plane.surface.zoom(1.25), { id: 'editor-in', title: 'Zoom in' }), restoring);
  // After a click on a tool, the keys belong to the plane, so that Space and a drag move it.
  bar.addEventListener('click', ({ detail, target }) => {
    if (detail > 0 && target instanceof HTMLButtonElement) editor.plane.surface.canvas.focus({ preventScroll: true });
  });
  const stage = element('div', { class: 'stage' }, editor.plane.view, editor.strip.view, bar);

  const colour = choice('Colour', { id: 'editor-colour', choices: COLOURS, value: '0' }, (value) => editor.setColour(Number(value)));
  const name = element('input', { type: 'text', id: 'editor-name', maxlength: 200, autocomplete: 'off' });
  name.addEventListener('change', () => editor.setName(name.value));
  const label = element('input', { type: 'text', id: 'editor-label', maxlength: 60, autocomplete: 'off' });
  label.addEventListener('change', () => editor.label(label.value));
  const mark = button('Compare with this', () => editor.mark(), { id: 'editor-mark', title: 'Show what differs between this version and others (M)', pressed: false });
  const isCut = element('p', { class: 'muted', id: 'editor-cut', hidden: true });
  const branches = element('select', { id: 'editor-branch' });
  const merge = button('Merge', () => editor.merge(Number(branches.value)), { id: 'editor-merge', title: 'Merge the changes of the other branch' });
  const merging = element('div', { class: 'row' }, element('label', { for: 'editor-branch' }, 'Branch'), branches, merge);
  const noBranch = element('p', { class: 'muted' }, 'No other branch to merge. Go to an older version and draw to begin one.');
  const search = makeSearch(editor), graph = new Graph((entry) => editor.checkout(entry));
  const saveBack = button('Save back', () => editor.files.saveBack(), { id: 'editor-save-back' });
  const up = checkbox('Let y point up', { id: 'editor-up', value: false }, (value) => editor.setUp(value));
  const numbers = figures({ boxes: 'Boxes', selected: 'Selected', differ: 'Changes since the mark', versions: 'Versions kept', memory: 'Memory of all tabs' });

  const side = element('div', { class: 'controls' },
    group('File', element('div', { class: 'row' },
      button('New', () => editor.files.newSheet(), { id: 'editor-new' }),
      button('Open …', () => editor.files.chooseFile(), { id: 'editor-open', title: 'A CSV, GeoJSON or .pqt file, also one with a history' }),
      button('Save .pqt', () => editor.files.save('pqt'), { id: 'editor-save', title: 'The current version, with names and colours (Ctrl-S)' }),
      button('Save CSV', () => editor.files.save('csv'), { id: 'editor-save-csv' }),
      button('Save GeoJSON', () => editor.files.save('geojson'), { id: 'editor-save-geojson' }),
      button('Save history', () => editor.files.saveHistory(), { id: 'editor-save-history', title: 'All versions, in a .pqt file that opens here again' }),
      button('Countries and cities', () => editor.files.openExample(), { id: 'editor-example', title: 'Natural Earth, public domain; GeoNames, CC BY 4.0' }), saveBack)),
    search.view,
    group('Selected boxes', colour, element('div', { class: 'field' }, element('label', { for: 'editor-name' }, 'Name'), name)),
    group('Versions', merging, noBranch, element('div', { class: 'row' }, mark), isCut,
      element('div', { class: 'field' }, element('label', { for: 'editor-label' }, 'Label'), label), graph.field, graph.view),
    group('Plane', up, element('div', { class: 'row' },
      button('Save PNG', () => editor.files.savePicture('png'), { id: 'editor-png', title: 'What is seen, as a PNG file' }),
      button('Save SVG', () => editor.files.savePicture('svg'), { id: 'editor-svg', title: 'The boxes that are seen, as an SVG file' }))),
    editor.earlier.panel,
    group('Figures', numbers),
    element('p', { class: 'muted' }, 'Drag to draw, to select or to move the plane, as the tool says; Shift adds. The wheel zooms; the middle button, or Space and a drag, moves the plane with every tool. One drag is one version.'),
    element('p', { class: 'muted' }, element('kbd', {}, 'I'), ' insert, ', element('kbd', {}, 'N'), ' and ', element('kbd', {}, 'P'), ' next and previous box (Shift adds), arrows move it, ',
      element('kbd', {}, 'Ctrl'), ' and arrows resize it, ', element('kbd', {}, 'W'), ' and ', element('kbd', {}, 'Enter'), ' restore around it or in the view, ',
      element('kbd', {}, 'Del'), ' delete, ', element('kbd', {}, 'M'), ' compare, ', element('kbd', {}, 'F'), ' show all, ', element('kbd', {}, 'Ctrl-Z'), ' undo'));
  panel.append(stage, side);

  /** Says which version a window is restored from. */
  const showOlder = () => {
    const { history, first } = editor.scenes, entry = older.value === '' ? undefined : editor.scenes.find(Number(older.value));
    olderLabel.textContent = entry === undefined ? 'no such version' : entry.name ?? (entry.label === '' ? first : entry.label);
    restore.disabled = editor.window === null || entry === undefined || entry.number === history.current;
  };
  older.addEventListener('input', showOlder);

  /** Offers a version to restore a window from: the one that is compared, otherwise the previous one. The choice of the user remains. */
  const offerOlder = (/** @type {import('./editor_history.js').Scenes} */ { history, newest }) => {
    const { number, parent } = history.entry(history.current);
    older.max = String(newest);
    if (older.dataset.for === String(number)) return;
    older.dataset.for = String(number);
    older.value = String(editor.marked ?? parent);
  };

  /** Updates the controls that depend on all versions. */
  const showVersions = (/** @type {import('./editor_history.js').Scenes} */ scenes) => {
    const { history } = scenes, { marked } = editor;
    if (document.activeElement !== label) label.value = history.entry(history.current).name ?? '';
    mark.setAttribute('aria-pressed', String(marked !== null));
    offerOlder(scenes);
    const tips = scenes.otherBranches();
    branches.replaceChildren(...tips.map(({ number, label: text, name: own }) => element('option', { value: number }, `${number}. ${own ?? text}`)));
    branches.disabled = merge.disabled = merging.hidden = tips.length === 0;
    noBranch.hidden = tips.length > 0;
    graph.show(scenes, marked);
    numbers.show({ versions: scenes.lanes.size });
  };

  return {
    /** The column of controls. */
    side,
    /** Brings the controls up to date. Updates the controls for versions only if the versions have
        changed. */
    show(withVersions = true) {
      const { scenes, selection, tool } = editor, { history } = scenes;
      const { boxes, names, colours } = partsOf(scenes.now);
      tools.forEach((one) => one.setAttribute('aria-pressed', String(one.id === `editor-${tool}`)));
      hint.hidden = boxes.size > 0;
      remove.disabled = selection.size === 0;
      undo.disabled = history.undoLabel === null;
      redo.disabled = history.redoLabel === null;
      saveBack.hidden = editor.files.source === null;
      up.input.checked = editor.plane.surface.isUp;
      const [id, ...others] = selection.keys();
      name.disabled = id === undefined || others.length > 0;
      if (document.activeElement !== name || name.disabled) name.value = name.disabled || id === undefined ? '' : names.getText(id) ?? '';
      colour.select.value = String(id === undefined ? editor.colour : Number(colours.get(id) ?? 0));
      if (withVersions) {
        showVersions(scenes);
        search.follow();
      }
      restoring.hidden = editor.window === null;
      showOlder();
      for (const kind of /** @type {const} */ (['hand', 'draw'])) editor.plane.surface.canvas.classList.toggle(kind, tool === kind);
      const difference = editor.difference(), changes = difference?.number ?? 0;
      isCut.hidden = changes === (difference?.length ?? 0);
      isCut.textContent = `Of ${changes.toLocaleString('en')} changes, ${(difference?.length ?? 0).toLocaleString('en')} are drawn.`;
      numbers.show({ boxes: boxes.size, selected: selection.size, differ: difference === null ? '–' : changes, memory: inBytes(memory().usedBytes) });
    },
  };
}

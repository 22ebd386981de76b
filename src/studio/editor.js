// SPDX-License-Identifier: MIT
// editor.js: the Editor tab, in which the user edits boxes on a plane and can return to any version.

import { sum } from './decimal.js';
import { Plane } from './editor_canvas.js';
import { makeControls } from './editor_controls.js';
import { makeEarlier } from './editor_earlier.js';
import { isOpened } from './editor_file.js';
import { EditorFiles } from './editor_files.js';
import { Scenes } from './editor_history.js';
import { makeKeys } from './editor_keys.js';
import { mergeScenes } from './editor_merge.js';
import { labelFor, nameOf } from './editor_names.js';
import { takePointer } from './editor_pointer.js';
import {
  SHEET, partsOf, sceneOf, withColour, withItem, withMoved, withName, withWindowOf, without,
} from './editor_scene.js';
import { Selection } from './editor_selection.js';
import { EditorWork } from './editor_work.js';
import { openShared } from './sharing.js';
import { Strip } from './strip.js';
import { onThemeChange } from './theme.js';

/**
 * @typedef {import('./main.js').Studio} Studio
 * @typedef {import('./pqt.js').Box} Box
 * @typedef {import('./pqt.js').Item} Item
 * @typedef {import('./pqt.js').DocumentChange} Change
 * @typedef {import('./editor_scene.js').Scene} Scene
 * @typedef {'hand' | 'select' | 'draw' | 'window'} Tool
 */

/** The maximum number of changes that are drawn. */
const MOST_DRAWN = 20000;

/** Makes the tab. */
export function create(/** @type {HTMLElement} */ panel, /** @type {Studio} */ studio) {
  return new Editor(panel, studio).tab();
}

/** The tab. Its public methods are the actions of the controls. */
export class Editor {
  /** @type {Tool} */
  tool = 'draw';
  isPanning = false;
  isShown = false;
  /** The box that the pointer draws. @type {Box | null} */
  band = null;
  /** The window to restore. @type {Box | null} */
  window = null;
  /** The entry with which the current version is compared. @type {number | null} */
  marked = null;
  /** The colour of new boxes. */
  colour = 0;
  /** Keeps the versions in the browser; null for a store or a line. @type {EditorWork | null} */
  work = null;
  #hasStarted = false;
  /** Identifies the edit that made the current version. */
  #edit = {};
  /** @type {{ from: Scene, to: Scene, changes: Change[] } | null} */
  #difference = null;

  constructor(/** @type {HTMLElement} */ panel, /** @type {Studio} */ studio) {
    this.studio = studio;
    this.scenes = new Scenes(sceneOf({ items: [], names: [], colours: [] }), (command) => studio.record(command), 'Empty sheet');
    this.files = new EditorFiles(this);
    this.selection = new Selection(this);
    this.selection.begin();
    this.plane = new Plane(this);
    this.strip = new Strip('editor', studio, { tree: 'boxes', empty: 'Edit a box: the blocks of the tree that the edit copies light up here.' });
    this.earlier = makeEarlier(this);
    this.controls = makeControls(panel, this);
    this.#keep({ name: 'scene', isUp: false, bytes: null });
    takePointer(this);
    this.#key = makeKeys(this);
    onThemeChange(() => this.plane.forget());
  }

  #key;

  tab() {
    let isFirst = true;
    return {
      editor: this,
      tip: 'Drag to draw a box. Each drag is a version, and each version in the list is a click away.',
      shown: () => {
        this.isShown = true;
        this.plane.surface.measure();
        if (isFirst) this.showAll();
        isFirst = false;
        this.show();
        this.earlier.show();
      },
      hidden: () => { this.isShown = false; },
      key: this.#key,
      open: (/** @type {string} */ name, /** @type {Uint8Array} */ bytes, /** @type {import('./source.js').Source | null} */ source) => this.files.open(name, bytes, source),
      takes: isOpened,
      isUnsaved: () => !this.#isKept && this.scenes.unsaved() !== null,
      keep: () => this.work?.flush(),
      offer: () => this.earlier.offer(),
      start: async () => {
        if (this.#hasStarted || this.files.isBusy || this.scenes.count > 1 || partsOf(this.scenes.now).boxes.size > 0) return;
        this.#hasStarted = true;
        await this.files.openExample(true);
      },
      share: (/** @type {string} */ name) => openShared(this, name),
    };
  }

  /** Runs an action. A failure is shown, and changes nothing. */
  guarded(/** @type {() => void} */ action) {
    try {
      action();
    } catch (reason) {
      this.studio.fail(reason);
    }
  }

  // ---- Scenes ----

  /** Whether the versions remain in the browser when the page leaves them. */
  get #isKept() {
    return this.work !== null && this.work.problem === null;
  }

  /** Asks whether versions that are neither saved nor kept may be discarded. */
  mayLeave() {
    const unsaved = this.#isKept ? null : this.scenes.unsaved();
    return unsaved === null || confirm(`${unsaved} Continue without them?`);
  }

  /** Keeps the current versions in the browser. @param {{ name: string, isUp: boolean, bytes: Uint8Array | null, stored?: import('./keeper.js').Stored, contents?: string, first?: Uint8Array }} about */
  #keep({ name, isUp, bytes, stored, contents, first }) {
    this.work = new EditorWork(this.studio.keeper, this.scenes, { name, isUp, file: bytes, contents, first }, stored);
    this.work.onTurn = () => this.earlier.show();
  }

  /**
   * Replaces the scenes, and clears the selection, the window and the comparison. The previous ones remain among the earlier
   * work.
   * @param {Scenes} scenes
   * @param {object} about
   * @param {string} about.name  the name of the file
   * @param {boolean} [about.isUp]
   * @param {import('./editor_file.js').OpenedScene | null} [about.file]
   * @param {import('./source.js').Source | null} [about.source]
   * @param {Uint8Array | null} [about.bytes]  the bytes of the file
   * @param {import('./keeper.js').Stored} [about.stored]  the work that is continued
   * @param {string} [about.contents]  the identity of the bytes, if it is known
   * @param {Uint8Array} [about.first]  a history whose first version is that of the scenes, if it is known
   * @param {boolean} [about.isShared]  whether the versions are in a store or a line
   */
  async begin(scenes, { name, isUp = false, file = null, source = null, bytes = null, stored, contents, first, isShared = false }) {
    const { scenes: previous, work } = this, closed = work?.close();
    this.scenes = scenes;
    this.work = null;
    if (!isShared) this.#keep({ name, isUp, bytes, stored, contents, first });
    this.files.take(name, file, source);
    this.marked = null;
    this.band = null;
    this.window = null;
    this.#difference = null;
    this.selection.begin();
    this.plane.surface.isUp = isUp;
    this.plane.forget();
    this.studio.succeeded();
    this.#showEdit();
    const { size } = partsOf(scenes.now).boxes;
    if (size === 0) this.tool = 'draw';
    else if (this.tool === 'draw') this.tool = 'hand'; // a drag in a loaded world moves the view
    this.showAll();
    this.studio.announce(size === 0 ? 'An empty sheet. Drag to draw a box.' : `${size === 1 ? 'One box' : `${size.toLocaleString('en')} boxes`}. Drag to move the plane, and click a box to select it.`);
    await closed;
    previous.free();
    if (this.isShown) await this.earlier.show();
  }

  // ---- Edits ----

  /** Appends a version. Consecutive versions with the same key become one entry. */
  #push(/** @type {Scene} */ next, /** @type {string} */ label, key = 0) {
    const before = this.scenes.now, entry = this.scenes.history.current;
    const isNew = this.scenes.push(next, label, key), isOther = this.scenes.history.current !== entry;
    if (isOther) this.#edit = {};
    if (isNew) this.studio.changed({ label: `Editor: ${label[0].toLowerCase()}${label.slice(1)}`, before: partsOf(before).boxes, after: partsOf(next).boxes, edit: this.#edit, isUp: this.plane.surface.isUp });
    if (isNew) this.studio.succeeded();
    if (isOther) this.studio.announce(`${label}.`);
    this.selection.follow();
    this.#showEdit();
    this.show({ versions: isOther });
  }

  /** Shows in the strip what the current version copied of the one before it. */
  #showEdit() {
    const { scenes } = this, before = scenes.before();
    this.strip.show(before === null ? null : { label: scenes.history.entry(scenes.history.current).label, before, after: scenes.now });
  }

  /** Adds a box, and selects it. A box without extent gets a default size. */
  drawBox(/** @type {Box} */ box) {
    const { surface } = this.plane, { scale } = surface, least = 4 / scale;
    if (box.maxX - box.minX < least && box.maxY - box.minY < least)
      box = surface.roundedBox({ minX: box.minX - 30 / scale, minY: box.minY - 20 / scale, maxX: box.minX + 30 / scale, maxY: box.minY + 20 / scale });
    const item = { ...box, id: this.scenes.newId() };
    this.selection.take([item]);
    this.#push(withItem(this.scenes.now, item, this.colour), 'Draw a box');
  }

  /** Moves items from where they were when the drag began. */
  moveTo(/** @type {Item[]} */ items, /** @type {number} */ dx, /** @type {number} */ dy, /** @type {number} */ key) {
    const moves = items.flatMap((item) => {
      const now = this.selection.get(item.id);
      const minX = sum(item.minX, dx), minY = sum(item.minY, dy);
      const to = { minX, minY, maxX: Math.max(minX, sum(item.maxX, dx)), maxY: Math.max(minY, sum(item.maxY, dy)) }; // a box may be as narrow as what is rounded
      return now === undefined ? [] : [{ item: now, to }];
    });
    if (moves.length > 0) this.#push(withMoved(this.scenes.now, moves), labelFor('Move', this.scenes.now, moves.map(({ item }) => item.id)), key);
  }

  resizeTo(/** @type {Item} */ item, /** @type {Box} */ to, /** @type {number} */ key) {
    const now = this.selection.get(item.id);
    if (now !== undefined) this.#push(withMoved(this.scenes.now, [{ item: now, to }]), labelFor('Resize', this.scenes.now, [item.id]), key);
  }

  removeSelected() {
    const items = [...this.selection.values()];
    if (items.length === 0) return;
    const { now } = this.scenes;
    this.selection.clear();
    this.#push(without(now, items), labelFor('Delete', now, items.map(({ id }) => id)));
    this.studio.announce(items.length === 1 ? `${nameOf(now, items[0].id, 'The box')} is deleted. Undo brings it back.`
      : `${items.length.toLocaleString('en')} boxes are deleted. Undo brings them back.`);
  }

  /** Sets the colour of the selected boxes, and of boxes that are drawn later. */
  setColour(/** @type {number} */ colour) {
    this.colour = colour;
    const ids = [...this.selection.keys()];
    if (ids.length > 0) this.guarded(() => this.#push(withColour(this.scenes.now, ids, colour), labelFor('Colour', this.scenes.now, ids)));
  }

  setName(/** @type {string} */ name) {
    const [id, ...others] = this.selection.keys();
    if (id !== undefined && others.length === 0) this.guarded(() => this.#push(withName(this.scenes.now, id, name), name === '' ? 'Remove a name' : `Name a box ${name.slice(0, 30)}`));
  }

  showBand(/** @type {Box | null} */ band) {
    this.band = band;
    this.plane.surface.redraw();
  }

  setWindow(/** @type {Box | null} */ window) {
    this.window = window;
    if (window !== null) this.studio.announce('Choose the version to restore the boxes in the window from, then press Restore.');
    this.show();
  }

  setTool(/** @type {Tool} */ tool) {
    this.tool = tool;
    this.plane.view.scrollIntoView({ block: 'nearest' }); // on a narrow screen
    if (tool === 'window') this.studio.announce('Drag around the part of the plane to restore from another version.');
    this.show();
  }

  // ---- Versions ----

  /** Runs an action that may wait for versions, and then shows the current version. */
  async #travel(/** @type {() => void | Promise<void>} */ action) {
    try {
      await action();
      this.studio.succeeded();
      this.refresh();
    } catch (reason) {
      this.studio.fail(reason);
    }
  }

  undo() {
    return this.#travel(async () => {
      const label = await this.scenes.undo();
      this.studio.announce(label === null ? 'Nothing to undo.' : `Undone: ${label}`);
    });
  }

  redo() {
    return this.#travel(async () => {
      const label = await this.scenes.redo();
      this.studio.announce(label === null ? 'Nothing to redo.' : `Redone: ${label}`);
    });
  }

  checkout(/** @type {number} */ entry) {
    return this.#travel(async () => {
      await this.scenes.checkout(entry);
      this.studio.announce(`Version ${entry} is shown.`);
    });
  }

  /** Shows a version that another page or program made, and keeps the selection. */
  refresh() {
    this.selection.follow();
    this.#showEdit();
    this.show();
  }

  /** Names the current version; an empty name removes the name. */
  label(/** @type {string} */ name) {
    return this.#travel(() => this.scenes.setName(name === '' ? null : name));
  }

  /** Marks the current version for comparison with others, or ends the comparison. */
  mark() {
    this.marked = this.marked === null ? this.scenes.history.current : null;
    this.#difference = null;
    this.show();
  }

  /** Returns the changes from the marked version to the current one that are drawn; null if none is marked. `number` is the number
      of all changes. */
  difference() {
    if (this.marked === null) return null;
    const to = this.scenes.now;
    if (this.#difference?.to !== to) {
      const from = this.scenes.history.version(this.marked);
      this.#difference = { from, to, changes: from.diff(to) };
    }
    const { changes } = this.#difference;
    return Object.assign(changes.slice(0, MOST_DRAWN), { number: changes.length });
  }

  /** Merges the tip of another branch into the current version. */
  async merge(/** @type {number} */ other) {
    const { scenes } = this, { now } = scenes, ours = scenes.history.current;
    try {
      const ancestor = scenes.ancestor(ours, other);
      await scenes.load(ancestor, other);
      const base = scenes.history.version(ancestor), theirs = scenes.history.version(other);
      const merged = await mergeScenes(base, now, theirs);
      if (merged === null || this.scenes !== scenes) return;
      if (scenes.history.current !== ours || !scenes.now.equals(now)) throw new Error('The scene has changed in the meantime, so nothing was merged. Merge again.');
      this.#push(merged, `Merge version ${other}`);
      if (scenes.history.current !== ours) scenes.noteMerge(other);
      this.studio.announce(scenes.history.current !== ours ? `Version ${other} is merged.` : 'The other branch has no changes that are missing here.');
      this.show();
    } catch (reason) {
      this.studio.fail(reason);
    }
  }

  /** Restores the items in the window from another version. */
  restoreWindow(/** @type {number} */ entry) {
    const { window } = this;
    if (window === null) return Promise.resolve();
    return this.#travel(async () => {
      await this.scenes.load(entry);
      const older = this.scenes.history.version(entry), before = this.scenes.now;
      this.#push(withWindowOf(this.scenes.now, older, window), `Restore a window of version ${entry}`);
      const isSame = this.scenes.now === before;
      if (!isSame) this.window = null;
      this.studio.announce(isSame ? `The window is the same in version ${entry}. Choose another version.` : `The window now shows version ${entry}.`);
      this.show();
    });
  }

  // ---- View ----

  /** Lets y point up, as in maps, or down. */
  setUp(/** @type {boolean} */ isUp) {
    this.plane.surface.setUp(isUp);
    this.show();
  }

  showAll() {
    const { boxes } = partsOf(this.scenes.now);
    this.plane.surface.fit(boxes.size === 0 ? SHEET : boxes.bounds, 24);
    this.show();
  }

  /** Shows the current version in the plane and the controls, and all versions in the graph, unless
      these are unchanged. */
  show({ versions = true } = {}) {
    if (!this.isShown) return;
    this.guarded(() => {
      this.controls.show(versions);
      this.plane.surface.redraw();
    });
  }
}

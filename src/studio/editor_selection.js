// SPDX-License-Identifier: MIT
// editor_selection.js: keeps the boxes that are selected in the Editor tab, and finds and selects others.

import { nameOf } from './editor_names.js';
import { partsOf } from './editor_scene.js';

/**
 * @typedef {import('./pqt.js').Box} Box
 * @typedef {import('./pqt.js').Id} Id
 * @typedef {import('./pqt.js').Item} Item
 * @typedef {import('./editor_scene.js').Scene} Scene
 */

/** The maximum number of items that can be selected together. */
const MOST_SELECTED = 5000;

/** The items that are selected, by their ids. @extends {Map<Id, Item>} */
export class Selection extends Map {
  #editor;
  /** The scene that the boxes come from. @type {Scene | null} */
  #from = null;

  constructor(/** @type {import('./editor.js').Editor} */ editor) {
    super();
    this.#editor = editor;
  }

  /** Selects nothing in other scenes. */
  begin() {
    this.clear();
    this.#from = this.#editor.scenes.now;
  }

  /** Selects items in place of others. */
  take(/** @type {Item[]} */ items) {
    this.clear();
    for (const item of items) this.set(item.id, item);
  }

  /** Selects items in place of others, and says which. */
  select(/** @type {Item[]} */ items) {
    this.take(items.slice(0, MOST_SELECTED));
    const number = (/** @type {number} */ one) => one.toLocaleString('en');
    this.#editor.studio.announce(items.length === 1 ? `${nameOf(this.#editor.scenes.now, items[0].id)} is selected.`
      : items.length <= MOST_SELECTED ? `${number(items.length)} boxes are selected.`
      : `${number(MOST_SELECTED)} of these ${number(items.length)} boxes are selected, which is the most that the editor selects together.`);
    this.#editor.show();
  }

  toggle(/** @type {Item} */ item) {
    if (!this.delete(item.id)) this.set(item.id, item);
    this.#editor.show();
  }

  inWindow(/** @type {Box} */ window) {
    this.select(partsOf(this.#editor.scenes.now).boxes.search(window));
  }

  /** Selects the next or the previous item in the order of ids, alone or in addition to the selection. */
  next(/** @type {number} */ step, isAdded = false) {
    const all = partsOf(this.#editor.scenes.now).boxes.search(this.#editor.plane.surface.visible).sort((a, b) => Number(a.id) - Number(b.id));
    if (all.length === 0) return;
    const current = [...this.keys()].at(-1);
    const at = all.findIndex(({ id }) => id === current);
    const next = all[(at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step + all.length) % all.length];
    this.select(isAdded ? [...[...this.values()].filter(({ id }) => id !== next.id), next] : [next]);
  }

  /** Selects a box, and moves the view to it, with as much around it as is needed to see where it is. */
  goTo(/** @type {import('./pqt.js').Id} */ id) {
    const { boxes } = partsOf(this.#editor.scenes.now), item = boxes.find(id);
    if (item === undefined) throw new Error(`Box ${id} is not in this version.`);
    const { bounds } = boxes, x = item.minX / 2 + item.maxX / 2, y = item.minY / 2 + item.maxY / 2;
    const halfWidth = Math.max(item.maxX / 2 - item.minX / 2, (bounds.maxX / 2 - bounds.minX / 2) / 40), halfHeight = Math.max(item.maxY / 2 - item.minY / 2, (bounds.maxY / 2 - bounds.minY / 2) / 40);
    this.#editor.plane.surface.fit({ minX: x - halfWidth, minY: y - halfHeight, maxX: x + halfWidth, maxY: y + halfHeight }, 60);
    this.select([item]);
  }


  /** Updates the boxes of the selected items from the changes since the previous version. */
  follow() {
    const before = this.#from, { now } = this.#editor.scenes;
    this.#from = now;
    if (this.size === 0 || before === now || before === null) return;
    for (const change of before.diff(now)) {
      if (change.kind !== 'tree') continue;
      const { id } = change.item;
      if (!this.has(id)) continue;
      if (change.change === 'remove') this.delete(id);
      else this.set(id, { ...('to' in change ? change.to : change.item), id });
    }
  }
}

// SPDX-License-Identifier: MIT
// editor_names.js: gives boxes their names in messages, and finds boxes by name.

import { partsOf } from './editor_scene.js';

/**
 * @typedef {import('./pqt.js').Id} Id
 * @typedef {import('./editor_scene.js').Scene} Scene
 * @typedef {import('./pqt.js').PersistentMap<'ids', 'bytes'>} Names
 */

/** Up to this number of boxes that match equally well are sorted by their sizes. */
const MOST_SORTED = 1000;
/** Names in messages are cut to this number of characters. */
const LONGEST = 40;

const decoder = new TextDecoder();

/** Returns the name of a box, or the given text if it has none. */
export function nameOf(/** @type {Scene} */ scene, /** @type {Id} */ id, other = `Box ${id}`) {
  const name = partsOf(scene).names.getText(id);
  if (name === undefined || name === '') return other;
  const characters = [...name];
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST - 1).join('')}…` : name;
}

/** Returns a label such as “Move France”, “Move a box” or “Move 3 boxes”. */
export function labelFor(/** @type {string} */ verb, /** @type {Scene} */ scene, /** @type {Id[]} */ ids) {
  return `${verb} ${ids.length === 1 ? nameOf(scene, ids[0], 'a box') : `${ids.length.toLocaleString('en')} boxes`}`;
}

/** The names of a scene in lower case, which are read once for each version of the names. */
export class NameIndex {
  /** @type {Names | null} */
  #names = null;
  /** @type {Id[]} */
  #ids = [];
  /** @type {string[]} */
  #texts = [];

  #read(/** @type {Names} */ names) {
    if (this.#names?.equals(names)) return;
    this.#names = names;
    const entries = names.entries();
    this.#ids = entries.map(([id]) => id);
    this.#texts = entries.map(([, bytes]) => decoder.decode(bytes).toLowerCase());
  }

  /**
   * Returns the ids of the boxes whose names contain a text: first those whose names equal it, then those whose names begin with it, then
   * the others, and of equal ones the largest first. A number also finds the box that has it as its id. `count` is the number of all that match.
   * @param {Scene} scene
   * @param {string} text
   * @param {number} most
   */
  find(scene, text, most) {
    const { names, boxes } = partsOf(scene), wanted = text.trim().toLowerCase();
    if (wanted === '') return { ids: [], count: 0 };
    this.#read(names);
    /** @type {Id[][]} */
    const found = [[], [], [], []];
    const id = /^\d{1,15}$/.test(wanted) ? Number(wanted) : -1;
    if (id >= 0 && boxes.find(id) !== undefined) found[0].push(id);
    this.#texts.forEach((name, i) => {
      const at = name.indexOf(wanted);
      if (at >= 0 && this.#ids[i] !== id) found[name === wanted ? 1 : at === 0 ? 2 : 3].push(this.#ids[i]);
    });
    const sizeOf = (/** @type {Id} */ one) => {
      const { minX, minY, maxX, maxY } = /** @type {import('./pqt.js').Item} */ (boxes.find(one));
      return (maxX - minX) + (maxY - minY);
    };
    const all = found.flatMap((some) => {
      if (some.length < 2 || some.length > MOST_SORTED) return some;
      const sizes = new Map(some.map((one) => [one, sizeOf(one)]));
      return some.sort((a, b) => /** @type {number} */ (sizes.get(b)) - /** @type {number} */ (sizes.get(a)));
    });
    return { ids: all.slice(0, most), count: all.length };
  }
}

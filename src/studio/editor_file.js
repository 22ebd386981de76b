// SPDX-License-Identifier: MIT
// editor_file.js: reads the files that the editor opens, and writes scenes back as files of the same kind.

import { openCsv } from './editor_csv.js';
import { partsOf, sceneOf, sceneOfBytes } from './editor_scene.js';
import { Document, PersistentTree } from './pqt.js';

/**
 * @typedef {import('./editor_scene.js').Scene} Scene
 *
 * A file that was opened.
 * @typedef {object} OpenedScene
 * @property {Scene} scene
 * @property {'csv' | 'pqt'} format
 * @property {boolean} isUp  whether y points up, as latitudes do
 * @property {(scene: Scene) => Uint8Array} write  returns the bytes of the file with another scene, which holds all that the
 *     file held before; for the scene of the file itself, the same bytes. Throws if the file cannot hold the scene
 */

/** Returns a file whose scene was not edited as it is. @returns {(scene: Scene) => Uint8Array} */
function unlessEdited(/** @type {Scene} */ first, /** @type {Uint8Array} */ bytes, /** @type {(scene: Scene) => Uint8Array} */ write) {
  return (scene) => (scene.equals(first) ? bytes : write(scene));
}

/** Opens a file with a tree. Edits are made in the tree of the file, which keeps its bounds and options. @returns {OpenedScene} */
function openTree(/** @type {PersistentTree} */ tree, /** @type {Uint8Array} */ bytes, /** @type {string} */ name) {
  const items = tree.all();
  if (new Set(items.map(({ id }) => id)).size < items.length) throw new Error(`${name}: an id occurs twice, but in the editor each box needs its own id`);
  const scene = sceneOf({ items, names: [], colours: [] });
  const write = (/** @type {Scene} */ next) => {
    const { boxes, names, colours } = partsOf(next);
    if (names.size > 0 || colours.size > 0) throw new Error('The file holds a tree, which has no names and colours.');
    const edited = tree.edit((draft) => {
      for (const change of partsOf(scene).boxes.diff(boxes)) {
        if (change.kind === 'insert') draft.insert(change.item);
        else if (change.kind === 'remove') draft.remove(change.item);
        else if ('to' in change) draft.move(change.item, change.to);
      }
    });
    try {
      return edited.toBytes();
    } finally {
      edited.free();
    }
  };
  return { scene, format: 'pqt', isUp: false, write: unlessEdited(scene, bytes, write) };
}

/** Opens a .pqt file, which holds a scene or a tree. @returns {OpenedScene} */
function openPqt(/** @type {Uint8Array} */ bytes, /** @type {string} */ name) {
  try {
    Document.fromBytes(bytes).free();
  } catch (reason) {
    let tree;
    try {
      tree = PersistentTree.fromBytes(bytes);
    } catch {
      throw new Error(`${name}: ${reason instanceof Error ? reason.message : reason}`);
    }
    return openTree(tree, bytes, name);
  }
  const scene = sceneOfBytes(bytes, name);
  return { scene, format: 'pqt', isUp: false, write: unlessEdited(scene, bytes, (next) => next.toBytes()) };
}

/** Opens a CSV or .pqt file. Returns null for other names. Throws if the file cannot be read. @returns {OpenedScene | null} */
export function openFile(/** @type {string} */ name, /** @type {Uint8Array} */ bytes) {
  const lower = name.toLowerCase();
  if (lower.endsWith('.pqt')) return openPqt(bytes, name);
  if (!lower.endsWith('.csv')) return null;
  const { scene, isUp, write } = openCsv(bytes, name);
  return { scene, format: 'csv', isUp, write: unlessEdited(scene, bytes, write) };
}

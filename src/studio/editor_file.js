// SPDX-License-Identifier: MIT
// editor_file.js: reads the files that the editor opens, and writes scenes back as files of the same kind.

import { csvOf, limits, openTable } from './editor_csv.js';
import { geojsonOf, isJson, openGeojson } from './editor_geojson.js';
import { checkParts, partsOf, sceneOf, sceneOfBytes, sceneOfTree } from './editor_scene.js';
import { MOST_BYTES } from './editor_work.js';
import { Document, History, PersistentTree } from './pqt.js';
import { Cancelled } from './progress.js';

/**
 * @typedef {import('./editor_scene.js').Scene} Scene
 *
 * A file that was opened.
 * @typedef {object} OpenedScene
 * @property {Scene} scene
 * @property {History<Scene>} [history]  all versions, if the file holds a history
 * @property {'csv' | 'geojson' | 'pqt' | 'history'} format
 * @property {boolean} isUp  whether y points up, as latitudes do
 * @property {boolean} [isOfTrees]  whether a history has trees in place of scenes
 * @property {(scene: Scene, scenes: import('./editor_history.js').Scenes) => Uint8Array | Promise<Uint8Array>} write  returns the bytes of the file with
 *     another scene, which holds all that the file held before; for the scene of the file itself, the same bytes. A file with a
 *     history gets all versions. Throws if the file cannot hold the scene
 * @property {(scene: Scene, scenes: import('./editor_history.js').Scenes) => Uint8Array | Promise<Uint8Array>} [writeCsv]  writes a scene as CSV with all columns of a GeoJSON file
 */

/** The number of bytes before the first section of a .pqt file. */
const HEAD = 16;

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

/** Returns a history of scenes that equals a history of trees. */
function scenesOfTrees(/** @type {History<PersistentTree>} */ trees, /** @type {string} */ name) {
  const entries = trees.entries(), scene = (/** @type {number} */ number) => sceneOfTree(trees.tree(number), name);
  const history = new History(scene(entries[0].number), { maxBytes: MOST_BYTES, time: entries[0].time }), numbers = new Map([[entries[0].number, 0]]);
  for (const { number, parent, label, name: own, time } of entries.slice(1).sort((a, b) => a.number - b.number)) {
    history.checkout(numbers.get(parent) ?? 0);
    history.push(scene(number), { label, time, keepEqual: true });
    numbers.set(number, history.current);
    if (own !== null) history.setName(history.current, own);
  }
  history.checkout(numbers.get(trees.current) ?? 0);
  return history;
}

/** Opens a file with a history of scenes or of trees. @returns {OpenedScene} */
function openHistory(/** @type {Uint8Array} */ bytes, /** @type {string} */ name) {
  let all;
  try {
    all = History.fromBytes(bytes, { maxBytes: MOST_BYTES });
  } catch (reason) {
    throw new Error(`${name}: ${reason instanceof Error ? reason.message : reason}`);
  }
  const newest = /** @type {unknown} */ (all.version()), isOfTrees = newest instanceof PersistentTree;
  if (!isOfTrees && !(newest instanceof Document)) throw new Error(`${name}: the editor opens histories of scenes and of trees only`);
  const history = isOfTrees ? scenesOfTrees(/** @type {any} */ (all), name) : /** @type {History<Scene>} */ (/** @type {unknown} */ (all));
  for (const { number } of history.branches()) checkParts(history.version(number), name);
  const write = (/** @type {Scene} */ _, /** @type {import('./editor_history.js').Scenes} */ scenes) => {
    if (isOfTrees && scenes.history === history && scenes.isStored) return bytes;
    if (isOfTrees) throw new Error('The file holds a history of trees, which has no names and colours.');
    return scenes.store();
  };
  return { scene: history.version(), history, format: 'history', isUp: false, isOfTrees, write };
}

/** Returns whether bytes begin like a history, by the name of their first section (docs/format.md). */
function isHistory(/** @type {Uint8Array} */ bytes) {
  return String.fromCharCode(...bytes.subarray(HEAD, HEAD + 4)) === 'HIST';
}

/** Opens a .pqt file, which holds a scene, a tree or a history of these. Throws if its scene has too many boxes. @returns {OpenedScene} */
function openPqt(/** @type {Uint8Array} */ bytes, /** @type {string} */ name) {
  const file = readPqt(bytes, name), { size } = partsOf(file.scene).boxes;
  if (size > limits.boxes) throw new RangeError(`${name}: ${size} boxes, but the editor opens up to ${limits.boxes}`);
  return file;
}

/** @returns {OpenedScene} */
function readPqt(/** @type {Uint8Array} */ bytes, /** @type {string} */ name) {
  if (isHistory(bytes)) return openHistory(bytes, name);
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

/** The endings of the names of tables, whose contents show whether they are GeoJSON, as for the program. */
const TABLES = /\.(csv|tsv|txt|json|geojson|geojsonl|ndjson)$/;

/** Returns whether a file is a .pqt file, by its name. */
export function isPqt(/** @type {string} */ name) {
  return name.toLowerCase().endsWith('.pqt');
}

/** Returns whether the editor opens files with a name. */
export function isOpened(/** @type {string} */ name) {
  return TABLES.test(name.toLowerCase()) || isPqt(name);
}

/** Returns whether a file is a table other than GeoJSON. */
export function isTable(/** @type {string} */ name, /** @type {Uint8Array} */ bytes) {
  return TABLES.test(name.toLowerCase()) && !isJson(bytes);
}

/** Opens a table, GeoJSON or a .pqt file. Returns null for other names. Throws if the file cannot be read. @returns {OpenedScene | null} */
export function openFile(/** @type {string} */ name, /** @type {Uint8Array} */ bytes) {
  if (isPqt(name)) return openPqt(bytes, name);
  if (!isOpened(name)) return null;
  if (isTable(name, bytes)) {
    const { scene, isUp, write } = openTable(bytes, name);
    return { scene, format: 'csv', isUp, write: unlessEdited(scene, bytes, write) };
  }
  const { scene, isUp, write, writeCsv } = openGeojson(bytes, name);
  return { scene, format: 'geojson', isUp, write: unlessEdited(scene, bytes, write), writeCsv };
}

/**
 * Returns a scene as a file: as the kind of file that it was opened from if that has the format and can hold the scene, and otherwise
 * as a new one. `isReduced` says that the old file has more than boxes, names and colours, which the new one lacks.
 * @param {import('./editor_history.js').Scenes} scenes
 * @param {OpenedScene | null} file
 * @param {'pqt' | 'csv' | 'geojson'} format
 * @returns {Promise<{ bytes: Uint8Array, isReduced: boolean }>}
 */
export async function bytesOf(scenes, file, format) {
  const scene = scenes.now, write = file?.format === format ? file.write : format === 'csv' ? file?.writeCsv : undefined;
  try {
    if (write !== undefined) return { bytes: await write(scene, scenes), isReduced: false };
  } catch (reason) {
    if (reason instanceof Cancelled) throw reason;
    // a new file of the general kind holds it
  }
  const bytes = format === 'pqt' ? scene.toBytes() : format === 'csv' ? csvOf(scene) : geojsonOf(scene);
  return { bytes, isReduced: write !== undefined && format !== 'pqt' };
}

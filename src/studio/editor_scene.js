// SPDX-License-Identifier: MIT
// editor_scene.js: represents scenes of the editor as documents, and edits them.
//
// A scene has three parts: `boxes`, a tree with unique ids, and the maps `colours` and `names` of its
// items. A colour is an index into the palette; items of colour 0 have no entry. An edit returns a
// new scene.

import { Document, PersistentMap, PersistentTree } from './pqt.js';

/**
 * @typedef {import('./pqt.js').Box} Box
 * @typedef {import('./pqt.js').Item} Item
 * @typedef {import('./pqt.js').Document} Scene
 */

/** The bounds of a sheet without boxes. */
export const SHEET = { minX: 0, minY: 0, maxX: 1000, maxY: 700 };

/** The window that contains all boxes. */
export const PLANE = { minX: -Infinity, minY: -Infinity, maxX: Infinity, maxY: Infinity };

/** New ids are not larger than this, so that they are exact as numbers. Files may have larger ones. */
const MOST_ID = BigInt(Number.MAX_SAFE_INTEGER);

/** Makes a scene from items. */
export function sceneOf(/** @type {{ items: readonly Item[], names: [number | bigint, string][], colours: [number | bigint, number][] }} */ { items, names, colours }) {
  const boxes = items.length === 0 ? new PersistentTree({ bounds: SHEET, uniqueIds: true }) : PersistentTree.of(items, { uniqueIds: true });
  return sceneOfParts(boxes, PersistentMap.of(colours), PersistentMap.of(names, { values: 'bytes' }));
}

/** Makes a scene from its parts. @returns {Scene} */
export function sceneOfParts(/** @type {PersistentTree} */ boxes, /** @type {PersistentMap} */ colours, /** @type {PersistentMap<'ids', 'bytes'>} */ names) {
  return Document.of({ boxes, colours: { map: colours, keyedBy: 'boxes' }, names: { map: names, keyedBy: 'boxes' } });
}

/** Makes a scene from the bytes of a document. Throws if it lacks a part of scenes. */
export function sceneOfBytes(/** @type {Uint8Array} */ bytes, /** @type {string} */ name) {
  const document = Document.fromBytes(bytes);
  checkParts(document, name);
  return document;
}

/** Throws if a document lacks a part of scenes. */
export function checkParts(/** @type {Document} */ document, /** @type {string} */ name) {
  const parts = document.parts.map((part) => `${part.name} ${part.kind}`);
  for (const part of ['boxes tree', 'colours map', 'names map'])
    if (!parts.includes(part)) throw new Error(`${name}: the document has no ${part.split(' ').reverse().join(' called ')}`);
}

/** Makes a scene from a tree, which keeps its options. Throws if an id occurs twice in it. */
export function sceneOfTree(/** @type {PersistentTree} */ boxes, /** @type {string} */ name) {
  const { ids } = boxes.searchArrays(PLANE);
  if (new Set(ids).size < ids.length) throw new Error(`${name}: an id occurs twice, but in the editor each box needs its own id`);
  return Document.of({ boxes, colours: new PersistentMap(), names: new PersistentMap({ values: 'bytes' }) });
}

/** Returns the parts of a scene. The caller may keep them. */
export function partsOf(/** @type {Scene} */ scene) {
  return {
    boxes: /** @type {PersistentTree} */ (scene.get('boxes')),
    colours: /** @type {PersistentMap<'ids', 'numbers'>} */ (scene.get('colours')),
    names: /** @type {PersistentMap<'ids', 'bytes'>} */ (scene.get('names')),
  };
}

/** Adds an item, or replaces the item with the same id. */
export function withItem(/** @type {Scene} */ scene, /** @type {Item} */ item, colour = 0) {
  const { boxes, colours } = partsOf(scene);
  return scene.set({ boxes: boxes.insert(item), colours: colour === 0 ? colours : colours.set(item.id, colour) });
}

/** Changes the boxes of items. */
export function withMoved(/** @type {Scene} */ scene, /** @type {{ item: Item, to: Box }[]} */ moves) {
  let { boxes } = partsOf(scene);
  for (const { item, to } of moves) boxes = boxes.move(item, to);
  return scene.set('boxes', boxes);
}

/** Removes items with their names and colours. */
export function without(/** @type {Scene} */ scene, /** @type {Item[]} */ items) {
  const { boxes } = partsOf(scene);
  return scene.set('boxes', boxes.removeAll(items));
}

/** Sets the colour of items. */
export function withColour(/** @type {Scene} */ scene, /** @type {(number | bigint)[]} */ ids, /** @type {number} */ colour) {
  const { colours } = partsOf(scene);
  return scene.set('colours', colour === 0 ? colours.deleteAll(ids) : colours.setAll(ids.map((id) => [id, colour])));
}

/** Names an item; an empty name removes the name. */
export function withName(/** @type {Scene} */ scene, /** @type {number | bigint} */ id, /** @type {string} */ name) {
  const { names } = partsOf(scene);
  return scene.set('names', name === '' ? names.delete(id) : names.set(id, name));
}

/**
 * Restores a window: the items that touch it are replaced by the items that touched it in an older
 * scene, with their names and colours. An item that has left the window since then returns to it.
 */
export function withWindowOf(/** @type {Scene} */ scene, /** @type {Scene} */ older, /** @type {Box} */ window) {
  const now = partsOf(scene), then = partsOf(older);
  const wanted = then.boxes.search(window);
  const leaving = now.boxes.search(window);
  const boxes = now.boxes.removeAll(leaving).load(wanted);
  const next = scene.set('boxes', boxes);
  let { colours, names } = partsOf(next);
  for (const { id } of wanted) {
    const colour = then.colours.get(id), name = then.names.get(id);
    colours = colour === undefined ? colours.delete(id) : colours.set(id, colour);
    names = name === undefined ? names.delete(id) : names.set(id, name);
  }
  return next.set({ colours, names });
}

/** Makes changes again, which diff() has found between two other scenes. @returns {Scene} */
export function withChanges(/** @type {Scene} */ scene, /** @type {any[]} */ changes) {
  const own = (/** @type {string} */ part) => changes.filter((change) => change.part === part);
  const boxes = partsOf(scene).boxes.edit((draft) => {
    for (const { change, item, to } of own('boxes')) {
      if (change === 'insert') draft.insert(item);
      else if (change === 'remove') draft.remove(item);
      else draft.move(item, to);
    }
  });
  const next = scene.set('boxes', boxes), { colours, names } = partsOf(next); // without those of removed boxes
  const edited = (/** @type {PersistentMap<any, any>} */ map, /** @type {any[]} */ some) => map.edit((draft) => {
    for (const { key, after } of some) {
      if (after === undefined) draft.delete(key);
      else draft.set(key, after);
    }
  });
  return next.set({ colours: edited(colours, own('colours')), names: edited(names, own('names')) });
}

/** Returns the largest id of a tree that leaves room for larger ones; -1 if there is none. */
export function largestId(/** @type {PersistentTree} */ boxes) {
  const { ids } = boxes.searchArrays(PLANE);
  let most = -1n;
  for (const id of ids) if (id > most && id < MOST_ID) most = id;
  return Number(most);
}

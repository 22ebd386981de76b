// SPDX-License-Identifier: MIT
// sharing.js: opens a store or a line of `pqt studio` in the editor.

import { Scenes } from './editor_history.js';
import { partsOf } from './editor_scene.js';
import { checkStreams } from './sharing_connection.js';
import { SharedHistory } from './sharing_history.js';
import { makeSharingView } from './sharing_view.js';

/** @typedef {import('./editor_scene.js').Scene} Scene */

/** The number of ids for new items that a page reserves at a time. */
const IDS = 1000;

/** The scenes of a shared history. */
class SharedScenes extends Scenes {
  isShared = true;
  #next = 0;
  #end = 0;

  constructor(/** @type {SharedHistory} */ shared) {
    super(shared.version(), () => {}, `Open ${shared.name}`, /** @type {any} */ (shared));
    this.shared = shared;
  }

  /** Returns the id of a new item. Pages must not use the same ids, so each reserves blocks at
      random positions. */
  newId() {
    while (this.#next === this.#end) {
      const first = (1 + (crypto.getRandomValues(new Uint32Array(1))[0] >>> 8)) * IDS;
      const { ids } = partsOf(this.now).boxes.searchArrays({ minX: -Infinity, minY: -Infinity, maxX: Infinity, maxY: Infinity });
      if (ids.some((id) => id >= first && id < first + IDS)) continue;
      this.#next = first;
      this.#end = first + IDS;
    }
    return this.#next++;
  }

  /** In one pass over the entries, each of which comes after its parent. */
  followers() {
    const below = new Set([this.shared.current]);
    for (const { number, parent } of this.shared.entries()) if (below.has(parent)) below.add(number);
    return (/** @type {number} */ number) => below.has(number);
  }

  /** @returns {string | null} */
  unsaved() {
    return this.shared.hasDrafts ? `${this.shared.name} does not have the last edits of this page yet.` : null;
  }

  /** A file that is saved is a copy. The store has each edit already, and does not change. */
  markSaved() {}

  async setName(/** @type {string | null} */ name) {
    await this.shared.setName(this.shared.current, name);
  }

  async load(/** @type {number[]} */ ...entries) {
    for (const entry of entries) await this.shared.load(entry);
  }

  async checkout(/** @type {number} */ entry) {
    await this.shared.checkout(entry);
  }

  async undo() {
    const label = this.shared.undoLabel;
    return await this.shared.undo() ? label : null;
  }

  async redo() {
    const label = this.shared.redoLabel;
    return await this.shared.redo() ? label : null;
  }
}

/** Opens a shared history in the editor. */
export async function openShared(/** @type {import('./editor.js').Editor} */ editor, /** @type {string} */ name) {
  if (!editor.mayLeave()) return;
  await checkStreams();
  const shared = await SharedHistory.open(name), scenes = new SharedScenes(shared), view = makeSharingView(shared);
  editor.begin(scenes, { name, isShared: true });
  editor.controls.side.prepend(view.panel);
  scenes.onFree = () => view.panel.remove();
  const isShown = () => editor.scenes === scenes;
  shared.listen({
    scene(scene) {
      scenes.now = scene;
      if (isShown()) editor.refresh();
    },
    changed(isEdit) {
      scenes.forget();
      if (editor.marked !== null && !shared.has(editor.marked)) editor.marked = null;
      view.show();
      if (!isEdit && isShown()) editor.show();
    },
    news(text) {
      view.tell(text);
      editor.studio.announce(text);
    },
    isNeeded: (entry) => entry === editor.marked,
    renumbered(numbers) {
      if (editor.marked !== null) editor.marked = numbers.get(editor.marked) ?? editor.marked;
    },
  });
  view.show();
}

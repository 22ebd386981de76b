// SPDX-License-Identifier: MIT
// sharing_steps.js: the edits of a line by one page: those that its undo takes back, and those that redo makes again.

/**
 * @typedef {import('./editor_scene.js').Scene} Scene
 * @typedef {{ before: Scene, after: Scene, label: string, key: number }} Step
 */

export class Steps {
  /** @type {Step[]} */
  undo = [];
  /** @type {Step[]} */
  redo = [];

  /** Notes an edit. A drag is one, or one before and one after an edit of others. */
  add(/** @type {Step} */ step) {
    const last = this.undo.at(-1);
    if (step.key !== 0 && last?.key === step.key) last.after = step.after;
    else this.undo.push(step);
    this.redo = [];
  }

  /** Others made an edit: what a drag does from now on is another step, whose undo keeps that edit. */
  endDrag() {
    const open = this.undo.at(-1);
    if (open !== undefined) open.key = 0;
  }
}

// SPDX-License-Identifier: MIT
// sharing_steps.js: keeps the edits that one page made on a line, so that undo can take them back and redo can make them again.

/**
 * @typedef {import('./editor_scene.js').Scene} Scene
 * @typedef {{ before: Scene, after: Scene, label: string, key: number }} Step
 */

export class Steps {
  /** @type {Step[]} */
  undo = [];
  /** @type {Step[]} */
  redo = [];

  /** Adds an edit. A drag is one step, or one step before and another after an edit of others. */
  add(/** @type {Step} */ step) {
    const last = this.undo.at(-1);
    if (step.key !== 0 && last?.key === step.key) last.after = step.after;
    else this.undo.push(step);
    this.redo = [];
  }

  /** Must be called when others made an edit. The rest of a drag is then another step, whose undo
      keeps that edit. */
  endDrag() {
    const open = this.undo.at(-1);
    if (open !== undefined) open.key = 0;
  }
}

// SPDX-License-Identifier: MIT
// sharing_steps.js: keeps the edits that one page made on a line, for undo and redo.

/**
 * @typedef {import('./editor_scene.js').Scene} Scene
 * @typedef {{ before: Scene, after: Scene, label: string, key: number }} Step
 */

export class Steps {
  /** @type {Step[]} */
  undo = [];
  /** @type {Step[]} */
  redo = [];

  /** Adds an edit. A drag is one step, or two if others made an edit in the meantime. */
  add(/** @type {Step} */ step) {
    const last = this.undo.at(-1);
    if (step.key !== 0 && last?.key === step.key) last.after = step.after;
    else this.undo.push(step);
    this.redo = [];
  }

  /** Must be called when others have made an edit. The rest of a drag is then a separate step, so that
      undoing it keeps their edit. */
  endDrag() {
    const open = this.undo.at(-1);
    if (open !== undefined) open.key = 0;
  }
}

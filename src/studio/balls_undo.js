// SPDX-License-Identifier: MIT
// balls_undo.js: undoes edits and starts in the Balls tab. An edit is undone by a line that branches off before it; a start, by putting
// back the lines that were there before.

import { memory } from './pqt.js';

/**
 * @typedef {import('./balls.js').Balls} Balls
 * @typedef {import('./balls_timeline.js').Line} Line
 */

/** If all versions take less than this, in bytes, lines remain for undo when others start. */
const ROOM = 300e6;

/** Takes the lines out with all that belongs to them. */
function takeOut(/** @type {Balls} */ { timeline, scene, seed, source, settings, view, nextId, isEdited }) {
  return { ...timeline.takeOut(), scene, seed, source, settings, view, nextId, isEdited };
}

export class BallsUndo {
  /** The last edit: its line, and the moment before it. @type {{ line: Line, moment: number, label: string } | null} */
  #edit = null;
  /** The lines of before the last start. @type {ReturnType<typeof takeOut> | null} */
  #earlier = null;

  constructor(/** @type {Balls} */ balls) {
    this.balls = balls;
  }

  /** Whether there is room for the lines that the user has edited and for others. */
  get #hasRoom() {
    return memory().usedBytes < ROOM;
  }

  /** The last edit, if it is in the running line and the moment before it is kept. */
  get #undoable() {
    const { line } = this.balls.timeline, edit = this.#edit;
    return edit !== null && line === edit.line && edit.moment >= line.dropped ? edit : null;
  }

  /** Whether undo can do something. */
  get isPossible() {
    return this.#earlier !== null || this.#undoable !== null;
  }

  /** Notes that the last moment of the running line is an edit. */
  note(/** @type {string} */ label) {
    const { line, length } = this.balls.timeline;
    this.#edit = { line, moment: length - 2, label };
  }

  /** Forgets the last edit. */
  forgetEdit() {
    this.#edit = null;
  }

  /** Asks whether lines may be dropped that the user has edited: those of before the last start or, if the memory has no room to keep them
      for undo, those that are shown. */
  mayDrop() {
    const { timeline: { lines }, isEdited } = this.balls;
    if (lines.length === 0 || !isEdited || (this.#hasRoom && !this.#earlier?.isEdited)) return true;
    if (this.#hasRoom) return confirm('Undo can bring back what you leave now, but no longer the lines of before the last start. Continue without those?');
    const { length } = this.balls.timeline;
    const what = lines.length === 1 ? `The ${length.toLocaleString('en')} moments of this line are` : `${lines.length} lines with all their moments are`;
    return confirm(`${what} in this page only. Continue without them?`);
  }

  /** Empties the timeline. Lines that the user has edited are kept for undo, if there is room. */
  leave() {
    const { balls } = this;
    if (!balls.isEdited || !this.#hasRoom) {
      balls.timeline.free();
      return;
    }
    if (this.#earlier !== null) balls.timeline.free(this.#earlier.lines);
    this.#earlier = takeOut(balls);
  }

  /** Undoes the last edit. Without an edit since the last start, changes to the lines of before; a further undo changes back. */
  undo() {
    const { balls } = this, edit = this.#undoable;
    if (edit !== null) {
      this.#edit = null;
      if (balls.isRunning) balls.clock.stop();
      balls.viewed = edit.moment;
      balls.studio.announce(`Undone: ${edit.label}. ${balls.branchIfPast().trim()}`);
      balls.show();
    } else if (this.#earlier !== null) {
      const { lines, current, ...about } = this.#earlier, isOne = lines.length === 1;
      balls.end();
      this.#earlier = takeOut(balls);
      balls.timeline.putBack({ lines, current });
      Object.assign(balls, about);
      balls.began();
      balls.studio.announce(`${isOne ? 'The line' : `${lines.length} lines`} of before the last start ${isOne ? 'is' : 'are'} back. Undo changes to the other again.`);
    } else {
      balls.studio.announce('Nothing to undo.');
    }
  }
}

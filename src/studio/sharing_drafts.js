// SPDX-License-Identifier: MIT
// sharing_drafts.js: keeps the edits of a page that the server does not have yet, and the scene from
// which they were made.

/**
 * @typedef {import('./editor_scene.js').Scene} Scene
 *
 * An edit. `number` is the number of its entry as soon as the server has made the entry.
 * @typedef {{ scene: Scene, label: string, key: number, isSent: boolean, number?: number }} Draft
 */

export class Drafts {
  /** @type {Draft[]} */
  list = [];
  /** The scenes that were sent from the current state and whose answers have not arrived.
   * @type {Scene[]} */
  #unanswered = [];
  /** The key of the last push, if that push made the current entry. */
  #lastKey = 0;

  /** @param {Scene} base  the current scene of the server, from which the first draft was made */
  constructor(base) {
    this.base = base;
  }

  /** Returns the newest scene of the page. */
  get newest() {
    return this.list.at(-1)?.scene ?? this.base;
  }

  /** Returns the numbers of the entries that the drafts will become, from the server's current
   * entry and last number. */
  numbers(/** @type {number} */ current, /** @type {number} */ last) {
    return this.list.map(({ key }, i) => (i === 0 && key !== 0 && key === this.#lastKey ? current : ++last));
  }

  /** Adds an edit. The movements of a drag have the same key, and are one edit until it is sent. */
  add(/** @type {Scene} */ scene, /** @type {string} */ label, key = 0) {
    const last = this.list.at(-1);
    if (key !== 0 && last?.key === key && !last.isSent) last.scene = scene;
    else this.list.push({ scene, label, key, isSent: false });
  }

  /** Records that a scene was sent and that its answer is not yet known. */
  lose(/** @type {Scene} */ scene) {
    if (this.#unanswered.at(-1) !== scene) this.#unanswered.push(scene);
  }

  /** Removes the first draft, from which the server has made an entry. `scene` is the scene of the
   * draft when it was sent. */
  finish(/** @type {Scene} */ scene, /** @type {number} */ number) {
    const draft = /** @type {Draft} */ (this.list.shift());
    draft.number = number;
    this.#lastKey = draft.key;
    this.#begin(scene);
  }

  /** Replaces the drafts by one draft, which is their merge with the server's scene. If the merge
   * equals that scene, no draft remains. */
  merge(/** @type {Scene} */ theirs, /** @type {Scene} */ merged) {
    const labels = new Set(this.list.map(({ label }) => label));
    this.list = merged.equals(theirs) ? [] : [{ scene: merged, label: [...labels].join(', '), key: 0, isSent: false }];
    this.#lastKey = 0;
    this.#begin(theirs);
  }

  #begin(/** @type {Scene} */ base) {
    this.base = base;
    this.#unanswered = [];
  }

  /**
   * Returns the newest scene that the drafts and the server have in common: an unanswered one if the server
   * has it, otherwise the base.
   * @param {number} number  the number that the entry of the first draft would have
   * @param {Set<number>} listed  the entries of the server @param {(number: number) => Promise<Scene>} fetched
   */
  async shared(number, listed, fetched) {
    if (this.#unanswered.length === 0 || !listed.has(number)) return this.base;
    const made = await fetched(number);
    return this.#unanswered.find((scene) => scene.equals(made)) ?? this.base;
  }

  /** Returns true if the server already has the first draft. `shared` is the result of shared(). */
  hasMade(/** @type {Scene} */ shared) {
    return shared !== this.base && this.list[0].scene === shared;
  }
}

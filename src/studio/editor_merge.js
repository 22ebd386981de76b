// SPDX-License-Identifier: MIT
// editor_merge.js: merges two branches, and asks for a choice at each conflict.

import { button, element } from './dom.js';
import { nameOf } from './editor_names.js';

/**
 * @typedef {import('./pqt.js').DocumentConflict} Conflict
 * @typedef {import('./pqt.js').DocumentDecision} Decision
 * @typedef {import('./pqt.js').Box} Box
 * @typedef {import('./editor_scene.js').Scene} Scene
 */

const rounded = (/** @type {number} */ one) => Math.round(one * 100) / 100;

const shown = (/** @type {Box[]} */ boxes) => (boxes.length === 0 ? 'removed'
  : boxes.map(({ minX, minY, maxX, maxY }) => `at ${rounded(minX)}, ${rounded(minY)}, ${rounded(maxX - minX)} wide, ${rounded(maxY - minY)} high`).join('; '));

function value(/** @type {unknown} */ one) {
  return one === undefined ? 'none' : one instanceof Uint8Array ? `“${new TextDecoder().decode(one)}”` : String(one);
}

/** Returns the choices for a conflict, each a decision and its text. @returns {[Decision, string][]} */
function choicesAt(/** @type {Conflict} */ conflict) {
  if (conflict.kind === 'part' || conflict.kind === 'pixels') return [['ours', 'this branch'], ['theirs', 'the other branch']];
  const text = conflict.kind === 'entry' ? value : (/** @type {any} */ boxes) => shown(boxes);
  return [['ours', `this branch: ${text(/** @type {any} */ (conflict.ours))}`], ['theirs', `the other branch: ${text(/** @type {any} */ (conflict.theirs))}`],
    ['base', `neither change: ${text(/** @type {any} */ (conflict.base))}`]];
}

/** Returns the title of a conflict. A box has the name that it had before both changes. */
function titleOf(/** @type {Conflict} */ conflict, /** @type {Scene} */ base) {
  if (conflict.kind === 'part') return `The part ${conflict.part}`;
  if (conflict.kind === 'pixels') return `Pixels of ${conflict.part}, ${shown([conflict.box])}`;
  if (conflict.kind === 'entry') return `${conflict.part === 'names' ? 'The name' : 'The colour'} of ${nameOf(base, /** @type {import('./pqt.js').Id} */ (conflict.key), `box ${conflict.key}`)}`;
  return conflict.kind === 'removedItem' ? `${nameOf(base, conflict.id)}, which one branch removed` : nameOf(base, conflict.id);
}

/** Returns the key of a conflict among the decisions: its id and choices, as text. */
function keyOf(/** @type {Conflict} */ conflict) {
  const id = conflict.kind === 'part' ? null : conflict.kind === 'pixels' ? shown([conflict.box]) : conflict.kind === 'entry' ? conflict.key : conflict.id;
  return JSON.stringify([conflict.kind, conflict.part, String(id), choicesAt(conflict)]);
}

/**
 * Merges two scenes. Asks in a dialog about the conflicts that `decisions` lacks, and adds the choices to `decisions`.
 * Returns null if the user cancels.
 * @param {Scene} base @param {Scene} ours @param {Scene} theirs @param {Map<string, Decision>} decisions @returns {Promise<Scene | null>}
 */
export async function mergeScenes(base, ours, theirs, decisions = new Map()) {
  /** @type {Map<string, Conflict>} */
  const conflicts = new Map();
  const first = base.merge(ours, theirs, {
    onConflict: (conflict) => {
      const key = keyOf(conflict), decision = decisions.get(key);
      if (decision === undefined) conflicts.set(key, conflict);
      return decision ?? 'ours';
    },
  });
  if (conflicts.size === 0) return first;
  first.free();
  const chosen = await ask([...conflicts.values()], base);
  if (chosen === null) return null;
  for (const [key, decision] of chosen) decisions.set(key, decision);
  return base.merge(ours, theirs, { onConflict: (conflict) => decisions.get(keyOf(conflict)) ?? 'ours' });
}

/** Shows the conflicts, and returns the decisions by their keys; null if the user cancels. @returns {Promise<Map<string, Decision> | null>} */
function ask(/** @type {Conflict[]} */ conflicts, /** @type {Scene} */ base) {
  return new Promise((resolve) => {
    const form = element('form', { method: 'dialog' });
    conflicts.forEach((conflict, i) => {
      const group = element('fieldset', {}, element('legend', {}, titleOf(conflict, base)));
      choicesAt(conflict).forEach(([decision, text], k) => {
        const id = `conflict-${i}-${decision}`;
        const input = element('input', { type: 'radio', name: `conflict-${i}`, id, value: decision });
        input.checked = k === 0;
        group.append(element('div', { class: 'check' }, input, element('label', { for: id }, text)));
      });
      form.append(group);
    });
    const dialog = element('dialog', { id: 'editor-conflicts', 'aria-labelledby': 'conflicts-title' },
      element('h2', { id: 'conflicts-title' }, `Both branches changed the same values: ${conflicts.length === 1 ? 'one conflict' : `${conflicts.length} conflicts`}`), form);
    let decisions = /** @type {Map<string, Decision> | null} */ (null);
    form.append(element('div', { class: 'row' },
      button('Merge', () => {
        decisions = new Map(conflicts.map((conflict, i) => [keyOf(conflict),
          /** @type {Decision} */ (/** @type {HTMLInputElement} */ (form.querySelector(`[name="conflict-${i}"]:checked`)).value)]));
        dialog.close();
      }, { id: 'conflicts-merge', main: true }),
      button('Cancel', () => dialog.close(), { id: 'conflicts-cancel' })));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(decisions);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

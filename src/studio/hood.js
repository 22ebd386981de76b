// SPDX-License-Identifier: MIT
// hood.js: the "Under the hood" tab, which shows the blocks that each action copied, and those that
// it shares with the previous version.

import { World, exclusiveBytes } from './pqt.js';
import { element, figures, group, inBytes } from './dom.js';
import { Picture } from './hood_picture.js';
import { onThemeChange } from './theme.js';

/**
 * @typedef {import('./main.js').Studio} Studio
 * @typedef {import('./blocks.js').Pictured} Pictured
 *
 * An action. Those in succession with the same `edit` made one version together, such as the movements of a drag.
 * `isUp` says that y points up in the plane.
 * @typedef {{ label: string, before: Pictured, after: Pictured, edit?: object, isUp?: boolean }} Action
 */

/** The maximum number of actions that are listed. */
const MOST = 30;

/** Makes the tab. */
export function create(/** @type {HTMLElement} */ panel, /** @type {Studio} */ studio) {
  return new Hood(panel, studio).tab();
}

class Hood {
  /** The last actions, with the newest first. @type {Action[]} */
  actions = [];
  chosen = 0;
  isShown = false;

  constructor(/** @type {HTMLElement} */ panel, /** @type {Studio} */ studio) {
    this.list = element('ul', { class: 'actions', 'aria-label': 'Actions' });
    this.picture = new Picture();
    this.figures = figures({ items: 'Items or pixels', blocks: 'Blocks of the version', copied: 'Copied', shared: 'Shared', bytes: 'Bytes copied',
      all: 'Bytes of the version' });
    this.empty = element('p', { class: 'hint' }, 'No action yet. Add balls, make a step, or draw a box in the editor, and come back.');
    this.picture.view.append(this.empty);
    this.sentence = element('p', { class: 'sentence', id: 'hood-sentence', hidden: true });
    this.noAction = element('p', { class: 'muted' }, 'None yet.');
    panel.append(element('div', { class: 'stage' }, this.sentence, this.picture.view),
      element('div', { class: 'controls' },
        element('p', { class: 'muted' }, 'Each square is a block: the memory of one cell of the tree, with its items or its parts. The root is at the top, and children are below their parents. The action copied the coloured blocks; ',
          'the grey ones belong to both versions. The map shows the same cells in the plane.'),
        group('This action', this.figures), group('Actions, newest first', this.noAction, this.list)));
    studio.changed = (action) => this.#add(action);
    onThemeChange(() => this.#show());
  }

  tab() {
    return {
      hood: this,
      tip: '',
      shown: () => {
        this.isShown = true;
        this.picture.surface.measure();
        this.#list();
        this.#show();
      },
      hidden: () => { this.isShown = false; },
      key: (/** @type {KeyboardEvent} */ { key }) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[key];
        if (step === undefined || this.actions.length === 0) return false;
        this.#choose(Math.min(Math.max(this.chosen + step, 0), this.actions.length - 1));
        /** @type {HTMLElement | undefined} */ (this.list.children[this.chosen]?.firstElementChild ?? undefined)?.focus();
        return true;
      },
    };
  }

  #add(/** @type {Action} */ action) {
    const [last] = this.actions;
    if (last?.edit !== undefined && last.edit === action.edit) this.actions[0] = { ...action, before: last.before };
    else this.actions.unshift(action);
    this.actions.length = Math.min(this.actions.length, MOST);
    this.chosen = 0;
    if (!this.isShown) return;
    this.#list();
    this.#show();
  }

  #list() {
    this.list.replaceChildren(...this.actions.map(({ label }, i) => {
      const one = element('button', { type: 'button', 'aria-pressed': i === this.chosen }, label);
      one.setAttribute('aria-pressed', String(i === this.chosen));
      one.addEventListener('click', () => this.#choose(i));
      return element('li', {}, one);
    }));
  }

  #choose(/** @type {number} */ at) {
    this.chosen = at;
    [...this.list.children].forEach((one, i) => one.firstElementChild?.setAttribute('aria-pressed', String(i === at)));
    this.#show();
  }

  #show() {
    const action = this.actions[this.chosen];
    this.empty.hidden = this.noAction.hidden = action !== undefined;
    this.sentence.hidden = action === undefined;
    if (action === undefined || !this.isShown) return;
    const { blocks, copied } = this.picture.show(action);
    const bytes = inBytes(exclusiveBytes(/** @type {any} */ (action.after), action.before)), all = inBytes(exclusiveBytes(action.after));
    this.figures.show({ items: action.after.size, blocks, copied, shared: blocks - copied, bytes, all });
    const rest = copied === 0 ? 'Both versions share all of it.' : copied < blocks ? 'Both versions share the rest.'
      : action.after instanceof World ? 'Each block has a ball that moved, so none is shared.' : 'Each block has a change, so none is shared.';
    this.sentence.textContent = `${action.label}: copied ${copied.toLocaleString('en')} of ${blocks.toLocaleString('en')} blocks of the tree, ${bytes} of ${all}. ${rest}`;
  }
}

// SPDX-License-Identifier: MIT
// progress.js: the line at the top that shows how far a long action is, and cancels it.

import { button, element, newId } from './dom.js';

/** The user has cancelled an action. */
export class Cancelled extends Error {
  constructor() {
    super('It was cancelled.');
  }
}

/** Says that the page does not answer until an action is done, and waits until the message is seen. */
export async function sayBusy(/** @type {import('./main.js').Studio} */ studio, /** @type {string} */ text, /** @type {string} */ done) {
  studio.announce(`${text}. The page does not answer until it is ${done} …`);
  await new Promise((resolve) => { setTimeout(resolve, 60); });
}

/** Shows a line for an action. `cancel` is called when the user cancels it. */
export function showProgress(/** @type {string} */ text, /** @type {() => void} */ cancel) {
  const id = newId('progress'), label = element('label', { for: id }, text), bar = element('progress', { id, max: 1 });
  const line = element('p', { class: 'progress' }, label, bar, button('Cancel', cancel));
  document.querySelector('main')?.prepend(line);
  return {
    /** Shows another text, and the part that is done, from 0 to 1. */
    show(/** @type {string} */ next, /** @type {number} */ part) {
      label.textContent = next;
      bar.value = part;
    },
    end: () => line.remove(),
  };
}

// SPDX-License-Identifier: MIT
// source.js: saves back to the files that `pqt studio` was given, and asks what to do if that is refused.

import { button, element } from './dom.js';
import { StoreError, store } from './files.js';

/** A file that `pqt studio` was given, as this page has last read or written it. */
export class Source {
  #bytes;
  #tag;

  constructor(/** @type {import('./files.js').OfferedFile} */ { name, bytes, tag }) {
    this.name = name;
    this.#bytes = bytes;
    this.#tag = tag;
  }

  /** Returns whether the file had these bytes when the page last read or wrote it. */
  has(/** @type {Uint8Array} */ bytes) {
    const own = this.#bytes;
    return own === bytes || (own.length === bytes.length && own.every((byte, i) => byte === bytes[i]));
  }

  /** The bytes of the file when the page last read or wrote it. */
  get bytes() {
    return this.#bytes;
  }

  /** Replaces the file, unless another program has changed it and `isForced` is false. Throws a StoreError if that fails. */
  async store(/** @type {Uint8Array} */ bytes, isForced = false) {
    this.#tag = await store(this.name, bytes, isForced ? '*' : this.#tag);
    this.#bytes = bytes;
  }
}

/**
 * Asks a question with some choices in a dialog. Returns the value of the choice; null if the user cancels.
 * @param {string} id
 * @param {string} heading
 * @param {string} text
 * @param {[string, string][]} choices  each a value and its text
 * @returns {Promise<string | null>}
 */
export function ask(id, heading, text, choices) {
  return new Promise((resolve) => {
    let chosen = /** @type {string | null} */ (null);
    const dialog = element('dialog', { id, 'aria-labelledby': `${id}-title` }, element('h2', { id: `${id}-title` }, heading), element('p', {}, text));
    dialog.append(element('div', { class: 'row' }, ...choices.map(([value, label]) => button(label, () => {
      chosen = value;
      dialog.close();
    }, { id: `${id}-${value}` })), button('Cancel', () => dialog.close(), { id: `${id}-cancel` })));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(chosen);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/**
 * Replaces a file by the bytes that `make` returns, after asking. If there is a reason against it, shows the reason, and offers
 * what else can be done. Returns whether the file has these bytes now.
 * @param {import('./main.js').Studio} studio
 * @param {Source} source
 * @param {() => Uint8Array | Promise<Uint8Array>} make  throws if the file cannot hold what it would have to
 * @param {{ saveAs: () => void, reopen: () => void, declined?: () => void }} others  the other choices; `declined` is called if the user keeps the file
 */
export async function saveBack(studio, source, make, { saveAs, reopen, declined = () => {} }) {
  const { name } = source;
  let isForced = false;
  for (;;) {
    try {
      const bytes = await make();
      if (source.has(bytes) && !isForced) {
        studio.announce(`${name} has these contents already.`);
        return true;
      }
      if (!isForced && !confirm(`Replace the file ${name}?`)) {
        declined();
        return false;
      }
      await source.store(bytes, isForced);
      studio.announce(`${name} is saved.`);
      return true;
    } catch (reason) {
      const isChanged = reason instanceof StoreError && reason.status === 412;
      const choice = await ask('not-saved', `${name} is not saved`, reason instanceof Error ? reason.message : String(reason), [
        ...(isChanged ? /** @type {[string, string][]} */ ([['reopen', 'Open the changed file'], ['overwrite', 'Overwrite it']]) : []),
        ['save-as', 'Save as a new file']]);
      if (choice === 'save-as') saveAs();
      if (choice === 'reopen') reopen();
      if (choice !== 'overwrite') return false;
      isForced = true;
    }
  }
}

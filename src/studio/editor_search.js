// SPDX-License-Identifier: MIT
// editor_search.js: makes the field that finds boxes by name, with the list of those that it found.

import { element, group } from './dom.js';
import { NameIndex, nameOf } from './editor_names.js';

/** The maximum number of boxes that are listed. */
const MOST = 12;
/** The pause after a key before the names are searched, in milliseconds. */
const PAUSE = 120;

/** Makes the field and the list. */
export function makeSearch(/** @type {import('./editor.js').Editor} */ editor) {
  const input = element('input', { type: 'search', id: 'editor-search', maxlength: 100, autocomplete: 'off', placeholder: 'Name or id' });
  const list = element('ul', { class: 'actions', id: 'editor-found', 'aria-label': 'Boxes that were found' });
  const count = element('p', { class: 'muted', id: 'editor-found-count', role: 'status' });
  const index = new NameIndex();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer = undefined;
  /** The texts and ids that the list shows, as JSON. */
  let listed = '';

  const show = () => {
    clearTimeout(timer);
    timer = undefined;
    const { now } = editor.scenes, found = index.find(now, input.value, MOST);
    const names = found.ids.map((id) => nameOf(now, id));
    const texts = names.map((name, i) => (names.indexOf(name) !== names.lastIndexOf(name) ? `${name}, box ${found.ids[i]}` : name));
    const next = JSON.stringify([texts, found.ids.map(String)]);
    if (next !== listed) { // an equal list keeps the focus
      listed = next;
      list.replaceChildren(...found.ids.map((id, i) => {
        const one = element('button', { type: 'button' }, texts[i]);
        one.addEventListener('click', () => editor.guarded(() => editor.selection.goTo(id)));
        return element('li', {}, one);
      }));
    }
    const sentence = input.value.trim() === '' ? '' : found.count === 0 ? 'No box has this name or id.'
      : found.count > MOST ? `${found.count.toLocaleString('en')} boxes; the first ${MOST} are listed.` : found.count === 1 ? 'One box.' : `${found.count} boxes.`;
    if (count.textContent !== sentence) count.textContent = sentence;
    return found.ids;
  };
  input.addEventListener('input', () => { timer ??= setTimeout(() => editor.guarded(show), PAUSE); });
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    editor.guarded(() => {
      const [first] = show();
      if (first !== undefined) editor.selection.goTo(first);
    });
  });
  return {
    view: group('Find', element('div', { class: 'field' }, element('label', { for: 'editor-search' }, 'Name'), input), count, list),
    /** Searches the version that is shown now. */
    follow() { if (input.value.trim() !== '') timer ??= setTimeout(() => editor.guarded(show), PAUSE); },
  };
}

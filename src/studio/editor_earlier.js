// SPDX-License-Identifier: MIT
// editor_earlier.js: offers work that the browser has kept, and continues or discards it.

import { button, element, group, inBytes } from './dom.js';
import { isPqt, isTable, openFile } from './editor_file.js';
import { LARGE, unreadFile } from './editor_large.js';
import { continued, identityOf } from './editor_work.js';
import { Cancelled, sayBusy } from './progress.js';

/**
 * @typedef {import('./keeper.js').Work} Work
 * @typedef {import('./keeper.js').Stored} Stored
 */

const when = (/** @type {number} */ time) => new Date(time).toLocaleString('en-GB', { day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const versions = (/** @type {number} */ count) => (count === 1 ? 'one version' : `${count.toLocaleString('en')} versions`);

/** Makes the list of earlier work, and the line that offers one of it. */
export function makeEarlier(/** @type {import('./editor.js').Editor} */ editor) {
  const { studio } = editor;
  const list = element('select', { id: 'editor-earlier' });
  const choices = element('div', { class: 'row' },
    button('Continue', () => go(list.value), { id: 'editor-earlier-continue', title: 'Open this work with all its versions' }),
    button('Discard', () => discard(list.value), { id: 'editor-earlier-discard', title: 'Forget this work and all its versions' }));
  const none = element('p', { class: 'muted' }, 'What you leave without saving appears here.');
  const kept = element('p', { class: 'muted', id: 'editor-kept' });
  const panel = group('Earlier work', element('div', { class: 'field' }, element('label', { for: 'editor-earlier' }, 'Work'), list), choices, none, kept);
  /** @type {HTMLElement | null} */
  let offer = null;

  const endOffer = () => {
    offer?.remove();
    offer = null;
  };

  /** Returns the kept works that are not open in the editor. @returns {Promise<Work[]>} */
  const others = async () => (typeof studio.keeper === 'string' ? [] : (await studio.keeper.list()).filter(({ id }) => id !== editor.work?.id));

  const show = async () => {
    const { work } = editor, { keeper } = studio, all = await others();
    list.replaceChildren(...all.map(({ id, name, time, versions: count }) => element('option', { value: id }, `${name}, ${when(time)}, ${versions(count)}`)));
    const isEmpty = all.length === 0;
    choices.hidden = isEmpty;
    /** @type {HTMLElement} */ (list.parentElement).hidden = isEmpty;
    none.hidden = !isEmpty || typeof keeper === 'string';
    const problem = work === null ? null : work.problem;
    kept.textContent = problem !== null ? `This page keeps no work: ${problem}. Save the history before you leave.`
      : work?.isKept ? 'This work is kept in this browser. A private window forgets it when it is closed.' : '';
    kept.classList.toggle('warning', problem !== null);
  };

  async function go(/** @type {string} */ id) {
    try {
      if (await take(id)) {
        endOffer();
        await studio.show('editor');
      }
    } catch (reason) {
      studio.fail(reason);
    }
    await show();
  }

  /** Continues a work that this page has taken, once. Returns whether it is open. */
  async function take(/** @type {string} */ id) {
    const { keeper } = studio, { files } = editor;
    if (typeof keeper === 'string' || files.isReading(id) || editor.work?.id === id) return false;
    return files.read('The work', async (reading) => {
      const stored = await keeper.take(id);
      try {
        files.check(reading);
        await begin(stored, reading);
      } catch (reason) {
        if (editor.work?.id !== id && !files.isReading(id, reading)) keeper.release(id);
        throw reason;
      }
    }, id);
  }

  async function begin(/** @type {Stored} */ stored, /** @type {import('./editor_files.js').Reading} */ reading) {
    const { files } = editor, { work: { name, contents }, file: bytes, history } = stored, isLarge = bytes !== undefined && bytes.length > LARGE;
    const read = history.length > LARGE ? await files.readLarge(`${name}.pqt`, history, reading, `the work on ${name}`) : null;
    if (isLarge && isPqt(name)) {
      await sayBusy(studio, `Reading ${name}, ${inBytes(bytes.length)}`, 'read');
      files.check(reading);
    }
    const { scenes, fault } = continued(stored, (command) => studio.record(command), read?.file.history);
    const isSame = files.source?.name === name && identityOf(files.source.bytes) === contents, source = isSame ? files.source : null;
    const file = bytes === undefined ? null : isLarge && !isPqt(name) ? { scene: scenes.now, ...unreadFile(studio, name, bytes, isTable(name, bytes) ? 'csv' : 'geojson') } : openFile(name, bytes);
    await editor.begin(scenes, { name, isUp: stored.work.state.isUp, file, source, bytes: bytes ?? null, stored, contents });
    if (editor.scenes !== scenes) throw new Cancelled(); // another file was begun while this one closed the work before
    studio.announce(`The work on ${name} is here, with ${versions(scenes.count)}.`);
    if (fault !== null) studio.fail(`Some versions of ${name} could not be read: ${fault}.`);
  }

  async function discard(/** @type {string} */ id) {
    if (editor.files.isReading(id)) {
      studio.announce('This work is being opened. Cancel that before you discard it.');
      return;
    }
    const { keeper } = studio, work = (await others()).find((one) => one.id === id);
    if (typeof keeper === 'string' || work === undefined || !confirm(`Discard the work on ${work.name} with ${versions(work.versions)}?`)) return;
    await keeper.remove(id);
    endOffer();
    await show();
  }

  return {
    panel,
    show: () => show().catch((reason) => studio.fail(reason)),
    /** Offers the newest work, or the newest on the file that is open. */
    async offer(/** @type {string | null} */ name = null, contents = '') {
      endOffer();
      const [work] = (await others()).filter((one) => name === null || one.name === name);
      if (work === undefined) return;
      const isChanged = name !== null && work.contents !== contents;
      const text = `Your work on ${work.name} from ${when(work.time)} is here, with ${versions(work.versions)}.${isChanged ? ' The file has changed since then.' : ''}`;
      offer = element('p', { id: 'work', role: 'status' }, element('span', {}, text),
        button('Continue', () => go(work.id), { id: 'work-continue', main: true }), button('Discard', () => discard(work.id), { id: 'work-discard' }),
        button('Not now', endOffer, { id: 'work-later', title: 'The work stays in the list of the editor' }));
      document.querySelector('main')?.prepend(offer);
    },
  };
}

// SPDX-License-Identifier: MIT
// main.js: handles the tabs of the studio, its messages, its keys, and files that are dropped on it.

import * as files from './files.js';
import { Keeper } from './keeper.js';
import { takeToken } from './requests.js';
import { Source } from './source.js';

/**
 * The functions that a tab provides to the page.
 * @typedef {object} Tab
 * @property {string} tip  a hint about what to do first, which is shown at the bottom when the tab is chosen
 * @property {() => void} shown  called when the tab becomes visible
 * @property {() => void} hidden  called when another tab is chosen
 * @property {(event: KeyboardEvent) => boolean} key  returns whether it handled the key
 * @property {(name: string, bytes: Uint8Array, source: Source | null) => boolean | Promise<boolean>} [open]  returns whether it accepted the file; `source` is given if the file can be saved back
 * @property {(name: string) => boolean} [takes]  returns whether the tab reads a file with this name for longer, and cancels that if another one is opened
 * @property {(text: string) => void} [link]  opens what follows the name of the tab in a link
 * @property {() => boolean} [isUnsaved]  returns whether work would be lost with the page
 * @property {() => unknown} [keep]  writes work to the browser's database at once
 * @property {() => Promise<void>} [offer]  offers to continue the newest work that the browser has kept
 * @property {() => Promise<void>} [offerOwn]  the same, for a tab that does so once, when it is made
 * @property {() => Promise<void>} [start]  shows the first scene of the tab, unless something is there; called if nothing else was opened
 * @property {(name: string) => Promise<void>} [share]  opens a store or a line
 */

/**
 * The functions that the page provides to its tabs.
 * @typedef {object} Studio
 * @property {(text: string) => void} announce  shows a line at the bottom, which screen readers speak
 * @property {(error: unknown) => void} fail  shows an error, until an action of the user succeeds, or a click
 * @property {() => void} succeeded  says that an action of the user succeeded
 * @property {typeof files} files
 * @property {(operation: object) => void} record  appends to the log of commands
 * @property {object[]} log  all commands, from which the native program can make the same versions
 * @property {(action: import('./hood.js').Action) => void} changed  shows a change under the hood
 * @property {string} link  what follows the name of the Balls tab in the address that was opened
 * @property {Keeper | string} keeper  keeps work in the browser; a text says why it cannot
 * @property {(tab: string) => Promise<void>} show  shows a tab
 * @property {(name: string) => Promise<void>} openOffered  opens a file, a store or a line that `pqt studio` was given
 */

document.getElementById('not-started')?.remove();

/** The tabs in their order. Each has a module, a button and a panel. */
const NAMES = ['balls', 'pixels', 'editor', 'hood'];
/** The fragment of the address: the name of a tab and, after `&`, a link for it. */
const [wanted, ...rest] = takeToken();
const error = /** @type {HTMLElement} */ (document.getElementById('error'));
const status = /** @type {HTMLElement} */ (document.getElementById('status'));

/** @type {Record<string, Tab>} */
const tabs = {};
let current = '';
/** Whether nothing was opened: no file, no link, and no work that the browser has kept. `#editor&empty` opens an empty sheet. */
let isPlain = false;

/** @type {Studio} */
const studio = {
  announce(text) {
    status.textContent = text;
  },
  fail(reason) {
    error.textContent = reason instanceof Error ? reason.message : String(reason);
    error.hidden = false;
  },
  succeeded: clearError,
  files,
  log: [],
  record(operation) {
    studio.log.push(operation);
  },
  changed() {},
  link: wanted === 'balls' ? rest.join('&') : '',
  keeper: 'its database is not open yet',
  show: (name) => show(name, true),
  openOffered,
};

/** The time after which a database that does not answer is given up, in milliseconds. */
const PATIENCE = 3000;
const keeping = Promise.race([Keeper.open(), new Promise((_, reject) => { setTimeout(() => reject(new Error('its database does not answer')), PATIENCE); })])
  .then((keeper) => { studio.keeper = /** @type {Keeper} */ (keeper); }, (reason) => { studio.keeper = reason instanceof Error ? reason.message : String(reason); });

function clearError() {
  error.hidden = true;
}

const button = (/** @type {string} */ name) => /** @type {HTMLElement} */ (document.getElementById(`tab-${name}`));
const panel = (/** @type {string} */ name) => /** @type {HTMLElement} */ (document.getElementById(name));

/** Shows a tab, and loads it first if necessary. Also shows its tip, unless `hasMessage` says that the tab
    shows a message instead. */
async function show(/** @type {string} */ name, hasMessage = false) {
  if (name === current) return;
  if (current !== '') tabs[current]?.hidden();
  current = name;
  clearError();
  if (!hasMessage) studio.announce('');
  for (const other of NAMES) {
    const isShown = other === name;
    panel(other).hidden = !isShown;
    button(other).setAttribute('aria-selected', String(isShown));
    button(other).tabIndex = isShown ? 0 : -1;
  }
  if (location.hash.slice(1).split('&')[0] !== name) history.replaceState(null, '', `${location.search}#${name}`);
  if (!await load(name) || current !== name) return;
  tabs[name].shown();
  if (!hasMessage) studio.announce(tabs[name].tip);
  if (isPlain) await tabs[name].start?.();
}

/** Loads the module of a tab once. Returns whether that worked. */
async function load(/** @type {string} */ name) {
  if (tabs[name] !== undefined) return true;
  try {
    const [module] = await Promise.all([import(`./${name}.js`), name === 'editor' ? keeping : null]);
    if (tabs[name] === undefined) {
      tabs[name] = module.create(panel(name), studio);
      keeping.then(() => tabs[name].offerOwn?.()).catch((reason) => studio.fail(reason));
    }
    return true;
  } catch (reason) {
    studio.fail(reason);
    return false;
  }
}

for (const name of NAMES) button(name).addEventListener('click', () => show(name));

// A link that is pasted into the address bar of an open studio changes only the fragment.
addEventListener('hashchange', async () => {
  const [name, ...parts] = location.hash.slice(1).split('&');
  if (!NAMES.includes(name)) return;
  await show(name, parts.length > 0);
  if (parts.length > 0) tabs[name]?.link?.(parts.join('&'));
});

document.querySelector('[role="tablist"]')?.addEventListener('keydown', (event) => {
  const { key } = /** @type {KeyboardEvent} */ (event);
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
  const to = key === 'Home' ? 0 : key === 'End' ? NAMES.length - 1
    : step === undefined ? -1 : (NAMES.indexOf(current) + step + NAMES.length) % NAMES.length;
  if (to < 0) return;
  event.preventDefault();
  event.stopPropagation();
  button(NAMES[to]).focus();
  show(NAMES[to]);
});

/** Returns whether a key belongs to an open dialog, or to the focused element: a text field, a list,
    a slider, a button or a link. */
function isForControl(/** @type {KeyboardEvent} */ event) {
  const { target, key } = event;
  if (document.querySelector('dialog[open]') !== null) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && ['text', 'number', 'search'].includes(target.type)) return true;
  if (target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement) return true;
  const moves = key.startsWith('Arrow') || ['Home', 'End', 'PageUp', 'PageDown'].includes(key);
  if (target instanceof HTMLInputElement && target.type === 'range') return moves;
  return (target instanceof HTMLButtonElement || target instanceof HTMLInputElement || target instanceof HTMLAnchorElement) &&
    (key === ' ' || key === 'Enter');
}

document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || isForControl(event)) return;
  if (event.key === 'Escape') clearError();
  try {
    if (tabs[current]?.key(event)) event.preventDefault();
  } catch (reason) {
    studio.fail(reason);
  }
});

error.addEventListener('click', clearError);

/** Settled when the next file may be opened. @type {Promise<unknown>} */
let turn = Promise.resolve();

/**
 * Opens a file in the tab that is shown, or in the first other tab that accepts it. A .pqt file
 * opens in the tab for its contents. The editor is tried last, because it reports an error for files
 * that it cannot read. Files are opened in the order of the calls, also while tabs are loading.
 */
async function open(/** @type {string} */ name, /** @type {Uint8Array} */ bytes, /** @type {Source | null} */ source = null) {
  const order = name.toLowerCase().endsWith('.pqt') ? NAMES : [current, ...NAMES.filter((other) => other !== current)], before = turn;
  let pass = () => {};
  turn = new Promise((resolve) => { pass = () => resolve(undefined); });
  try {
    await before;
    let isLoaded = false; // if no tab is, the reason is already shown
    for (const tab of order) {
      if (!await load(tab)) continue;
      isLoaded = true;
      const opened = tabs[tab].open?.(name, bytes, source);
      if (tabs[tab].takes?.(name)) pass();
      if (await opened) {
        await show(tab, true);
        return;
      }
    }
    if (isLoaded) throw new Error(`${name} is neither a picture, nor CSV, nor GeoJSON, nor a .pqt file`);
  } catch (reason) {
    studio.fail(reason);
  } finally {
    pass();
  }
}

document.addEventListener('dragover', (event) => event.preventDefault());
document.addEventListener('drop', async (event) => {
  event.preventDefault();
  for (const file of event.dataTransfer?.files ?? []) {
    try {
      const { name, bytes } = await files.readFile(file);
      await open(name, bytes);
    } catch (reason) {
      studio.fail(reason);
    }
  }
});

// Work is written at once when the page may be about to end.
const keep = () => Object.values(tabs).forEach((tab) => tab.keep?.());
document.addEventListener('visibilitychange', keep);
addEventListener('pagehide', keep);

// Reload, Back and closing the page ask before they lose work.
addEventListener('beforeunload', (event) => {
  keep();
  if (Object.values(tabs).some((tab) => tab.isUnsaved?.())) event.preventDefault();
});

// The address with the token is opened where the page without it already is.
addEventListener('hashchange', () => {
  if (location.hash.includes('token=')) location.reload();
});

addEventListener('error', (event) => studio.fail(event.error ?? event.message));
addEventListener('unhandledrejection', (event) => studio.fail(event.reason));

// Tests read the log and the tabs, and wait until the page is ready.
const forTests = { studio, tabs, show, open, isReady: false };
Object.assign(globalThis, { pqtStudio: forTests });

const first = NAMES.includes(wanted) ? wanted : 'balls';
current = '';
await show(first);
if (first !== 'hood') await load('hood');

/** The number of files that were chosen. */
let chosen = 0;

/** Opens a file that `pqt studio` was given, unless another one is chosen before it has arrived. */
async function openOffered(/** @type {string} */ given) {
  const number = ++chosen;
  try {
    const { shared, canReplace } = await files.offered();
    if (shared?.includes(given)) {
      if (!await load('editor') || number !== chosen) return;
      await tabs.editor.share?.(given);
      await show('editor');
      return;
    }
    const file = await files.load(given);
    if (number === chosen) await open(given, file.bytes, canReplace ? new Source(file) : null);
  } catch (reason) {
    studio.fail(reason);
  }
}

/** Returns the names of the files, stores and lines that `pqt studio` was given. */
async function namesOfOffered() {
  try {
    return (await files.offered()).files;
  } catch (reason) {
    if (studio.link === '') studio.fail(reason); // a link needs no file
    return [];
  }
}

const names = await namesOfOffered();
if (names.length > 0) {
  const select = /** @type {HTMLSelectElement} */ (document.getElementById('offered-file'));
  select.replaceChildren(...(studio.link === '' ? [] : ['']).concat(names).map((name) => new Option(name, name)));
  select.addEventListener('change', () => { if (select.value !== '') openOffered(select.value); });
  /** @type {HTMLElement} */ (document.getElementById('offered')).hidden = select.options.length < 2;
  if (studio.link === '') await openOffered(names[0]);
} else if (await keeping, typeof studio.keeper !== 'string' && (await studio.keeper.list()).length > 0 && await load('editor')) {
  await tabs.editor.offer?.();
} else if (rest.length === 0) {
  isPlain = true;
  await tabs[current]?.start?.();
}
forTests.isReady = true;

// SPDX-License-Identifier: MIT
// requests.js: sends requests to the server of the page, with the token that the address had.

const NAME = 'pqt-token';

/** The token, also where the browser has no storage for the tab. @type {string | null} */
let token = null;
try {
  token = sessionStorage.getItem(NAME);
} catch {
  // a reload will need the address with the token
}

/**
 * Takes the token out of the fragment of the address, and removes it there, so that it is neither shown nor kept with the
 * visited pages. It is in the storage of the tab, where a reload finds it. Returns the other parts of the fragment.
 */
export function takeToken() {
  const parts = location.hash.slice(1).split('&'), found = parts.find((part) => part.startsWith('token='));
  if (found === undefined) return parts;
  token = found.slice('token='.length);
  try {
    sessionStorage.setItem(NAME, token);
  } catch {
    // as above
  }
  const rest = parts.filter((part) => part !== found);
  history.replaceState(null, '', `${location.pathname}${location.search}${rest.length === 0 ? '' : `#${rest.join('&')}`}`);
  return rest;
}

/** Requests a path below the folder of the page. A page that is one file answers itself (single.js). @returns {Promise<Response>} */
export function request(/** @type {string} */ path, /** @type {RequestInit} */ options = {}) {
  const { pqtAnswer } = /** @type {any} */ (globalThis);
  if (pqtAnswer !== undefined) return Promise.resolve(pqtAnswer(path));
  const headers = new Headers(options.headers);
  if (token !== null) headers.set('Authorization', `Bearer ${token}`);
  return fetch(path, { ...options, headers });
}

/** Starts a module below the folder of the page as a worker. Throws for a page that is one file: the workers of a file import no modules. */
export function startWorker(/** @type {string} */ path) {
  if (/** @type {any} */ (globalThis).pqtAnswer !== undefined) throw new Error('A page that is one file has no workers.');
  return new Worker(path, { type: 'module' });
}

// SPDX-License-Identifier: MIT
// files.js: opens and saves files with the browser's dialogs, and loads and replaces the files that `pqt studio` was given.

import { element } from './dom.js';
import { request } from './requests.js';

/**
 * @typedef {{ name: string, bytes: Uint8Array }} OpenedFile
 * @typedef {OpenedFile & { tag: string }} OfferedFile  `tag` is the entity tag of the contents
 */

/** The size of the largest file that is read, in bytes. */
export const MOST_BYTES = 256 * 1024 * 1024;

/** Throws if a file is too large. */
function checkSize(/** @type {string} */ name, /** @type {number} */ size) {
  if (size > MOST_BYTES) throw new RangeError(`${name} has ${size} bytes; the studio reads up to ${MOST_BYTES}`);
}

/** Returns a file's bytes; throws if it is too large. @returns {Promise<OpenedFile>} */
export async function readFile(/** @type {File} */ file) {
  checkSize(file.name, file.size);
  return { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
}

/**
 * Lets the user choose files. Returns an empty array if none was chosen.
 * @param {{ accept?: string, multiple?: boolean }} options
 * @returns {Promise<OpenedFile[]>}
 */
export function open({ accept = '', multiple = false } = {}) {
  return new Promise((resolve, reject) => {
    const input = element('input', { type: 'file', accept, multiple, hidden: true, 'data-open': true });
    document.body.append(input);
    input.addEventListener('cancel', () => {
      input.remove();
      resolve([]);
    });
    input.addEventListener('change', () => {
      input.remove();
      Promise.all([...(input.files ?? [])].map(readFile)).then(resolve, reject);
    });
    input.click();
  });
}

/** Saves bytes as a file in the downloads folder. */
export function save(/** @type {string} */ name, /** @type {Uint8Array | string} */ bytes, type = 'application/octet-stream') {
  const url = URL.createObjectURL(new Blob([/** @type {BlobPart} */ (bytes)], { type }));
  const link = element('a', { href: url, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

/**
 * Asks the server for the names of the files, stores and lines that `pqt studio` was given, and whether it replaces files: one
 * that serves an exported site does not. Any other server has no names. Throws if the server wants a token that the page lacks.
 * @returns {Promise<{ files: string[], shared?: string[], canReplace?: boolean }>}
 */
export async function offered() {
  let response;
  try {
    response = await request('files.json');
    if (response.ok) return await response.json();
  } catch {
    return { files: [] };
  }
  if (response.status === 403) throw new Error(`This page has no token, so it gets no files. ${sentenceOf(await response.text())}`);
  return { files: [] };
}

/** Returns a message of the server as a sentence. */
function sentenceOf(/** @type {string} */ text) {
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1).trim()}.`;
}

/** Returns a file that `pqt studio` offers; throws if it is too large. @returns {Promise<OfferedFile>} */
export async function load(/** @type {string} */ name) {
  const response = await request(`files/${encodeURIComponent(name)}`);
  if (!response.ok) throw new Error(`${name}: ${await response.text()}`);
  checkSize(name, Number(response.headers.get('Content-Length')));
  const bytes = new Uint8Array(await response.arrayBuffer());
  checkSize(name, bytes.length); // a server need not tell the size
  return { name, bytes, tag: response.headers.get('ETag') ?? '' };
}

/** A file was not replaced. The status is that of HTTP: 412 says that another program has changed the file, and 0 that there is no connection. */
export class StoreError extends Error {
  constructor(/** @type {string} */ message, /** @type {number} */ status) {
    super(message);
    this.status = status;
  }
}

/** Replaces a file that `pqt studio` offers, if its contents have the tag; '*' is the tag of any contents. Returns the tag of the new contents. */
export async function store(/** @type {string} */ name, /** @type {Uint8Array} */ bytes, /** @type {string} */ tag) {
  let response;
  try {
    response = await request(`files/${encodeURIComponent(name)}`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/octet-stream', 'X-Pqt-Studio': 'save', 'If-Match': tag },
      body: /** @type {BodyInit} */ (bytes),
    });
  } catch {
    throw new StoreError('There is no connection to the server.', 0);
  }
  const text = (await response.text()).trim();
  if (!response.ok) throw new StoreError(text, response.status);
  return response.headers.get('ETag') ?? '';
}

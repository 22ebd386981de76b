// SPDX-License-Identifier: MIT
// single.js: starts the studio from a page that holds all its files, which `pqt studio --export FILE.html` writes. It is the only
// script of that page. A browser loads no module from a file, so each module becomes a blob, and a map of imports names it.

(() => {
  /** The files, as pairs of a path and the contents, in base64. @type {[string, string][]} */
  const given = /** @type {any} */ (globalThis).pqtFiles;
  const bytesOf = (/** @type {string} */ text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const textOf = (/** @type {string} */ text) => new TextDecoder().decode(bytesOf(text));
  const files = new Map(given.map(([path, contents]) => [textOf(path), contents]));

  /** Answers a request as a server would. requests.js calls it. */
  const answer = (/** @type {string} */ path) => {
    const contents = files.get(decodeURIComponent(path));
    if (contents === undefined) return new Response('there is no such file', { status: 404 });
    return new Response(bytesOf(contents), { headers: path.endsWith('.wasm') ? { 'Content-Type': 'application/wasm' } : {} });
  };

  /** Returns the path that a module means by another one. */
  const pathOf = (/** @type {string} */ from, /** @type {string} */ to) => {
    const parts = from.split('/').slice(0, -1);
    for (const part of to.split('/')) {
      if (part === '..') parts.pop();
      else if (part !== '.') parts.push(part);
    }
    return parts.join('/');
  };

  const imports = /** @type {Record<string, string>} */ ({});
  for (const [path, contents] of files) {
    if (!path.endsWith('.js')) continue;
    const text = textOf(contents).replace(/(\bfrom |\bimport\(|\bimport )(['"`])(\.[^'"`]*)\2/g, (_, before, quote, to) => `${before}${quote}studio/${pathOf(path, to)}${quote}`);
    imports[`studio/${path}`] = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  }
  const map = document.createElement('script');
  map.type = 'importmap';
  map.nonce = 'pqt';
  map.textContent = JSON.stringify({ imports });
  document.head.append(map);
  Object.assign(globalThis, { pqtAnswer: answer });
  const first = 'studio/main.js';
  import(first);
})();

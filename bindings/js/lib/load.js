// SPDX-License-Identifier: MIT
// load.js: starts the library with pqt.wasm from an address, a response, bytes, or a compiled module.
import { start, startedPart } from './instance.js';

let starting; // the promise of the first call, unless it failed

/**
 * Starts the library with pqt.wasm: its URL, the Response for it, its bytes, a WebAssembly.Module, or a
 * promise of one of these. It resolves when calls work. Once the library has started, or while it
 * starts, the source is not read.
 */
export function init(source) {
  if (startedPart !== undefined) return Promise.resolve();
  starting ??= load(source).catch((error) => {
    starting = undefined; // so that another source can be tried
    throw error;
  });
  return starting;
}

async function load(source) {
  const module = await moduleOf(await source);
  if (!WebAssembly.Module.exports(module).some(({ name }) => name === 'pqtjs_document_make'))
    throw new TypeError('the WebAssembly module is not pqt.wasm');
  start(module, 'all');
}

/** Returns the module of a source. Its type is compared by name, since an object of another realm, such
    as that of a test, is no instance of this realm's classes. */
async function moduleOf(source) {
  switch (ArrayBuffer.isView(source) ? 'bytes' : Object.prototype.toString.call(source).slice(8, -1)) {
    case 'WebAssembly.Module': return source;
    case 'bytes': case 'ArrayBuffer': return WebAssembly.compile(source);
    case 'String': case 'URL': return compileResponse(await request(source), source);
    case 'Response': return compileResponse(source, source.url);
    default: throw new TypeError('init needs pqt.wasm: a URL, a Response, bytes, or a WebAssembly.Module');
  }
}

async function request(url) {
  try {
    return await fetch(url);
  } catch (cause) {
    throw new Error(`${url} cannot be fetched; node fetches no files: pass the bytes of the file`, { cause });
  }
}

/** Compiles the body of a response while it arrives. Engines do that only if its type is right. */
async function compileResponse(response, url) {
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  if (response.headers.get('Content-Type') === 'application/wasm') return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

// SPDX-License-Identifier: MIT
// pqt.js: the JavaScript package, started with the file pqt.wasm, which compiles while it arrives.
import { init } from './pqt/init.js';
import { request } from './requests.js';

if (globalThis.WebAssembly === undefined) throw new Error('The studio is a program in WebAssembly, which this browser lacks or its settings forbid.');

async function compiled() {
  const response = await request('pqt/pqt.wasm');
  if (!response.ok) throw new Error(`pqt.wasm: ${response.status} ${response.statusText}`);
  const compiles = response.headers.get('Content-Type') === 'application/wasm';
  return compiles ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** The compiled module. A worker has it from its page. @type {WebAssembly.Module} */
export const module = /** @type {any} */ (globalThis).pqtModule ?? await compiled();
await init(module);

export * from './pqt/init.js';

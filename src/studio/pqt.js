// SPDX-License-Identifier: MIT
// pqt.js: the JavaScript package, started with the file pqt.wasm, which compiles while it arrives.
import { init } from './pqt/init.js';
import { request } from './requests.js';

if (globalThis.WebAssembly === undefined) throw new Error('The studio is a program in WebAssembly, which this browser lacks or its settings forbid.');
await init(request('pqt/pqt.wasm'));

export * from './pqt/init.js';

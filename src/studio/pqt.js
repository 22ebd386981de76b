// SPDX-License-Identifier: MIT
// pqt.js: the JavaScript package, started with the file pqt.wasm, which compiles while it arrives.
import { init } from './pqt/init.js';

await init(new URL('./pqt/pqt.wasm', import.meta.url));

export * from './pqt/init.js';

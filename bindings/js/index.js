// SPDX-License-Identifier: MIT
// index.js: persistent quadtrees for JavaScript. Importing it starts the library, without awaiting anything.
import { startEmbedded } from './lib/embedded.js';
import * as whole from './lib/pqt.wasm.js';

startEmbedded(whole, 'all');

export * from './init.js';

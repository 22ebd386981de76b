// SPDX-License-Identifier: MIT
// trees.js: trees and their histories only, on top of pqt-trees.wasm, which is smaller than pqt.wasm.
import { startEmbedded } from './lib/embedded.js';
import * as trees from './lib/pqt-trees.wasm.js';

startEmbedded(trees, 'trees');

export { sweepPair } from './lib/collision.js';
export { memory, reclaim, setMemoryLimit } from './lib/core.js';
export { History } from './lib/history.js';
export { sphereDistance } from './lib/sphere.js';
export { PersistentTree } from './lib/tree.js';

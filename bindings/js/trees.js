// SPDX-License-Identifier: MIT
// trees.js: trees and their histories only, on top of pqt-trees.wasm, which is smaller than pqt.wasm.
import './lib/choose_trees.js';

export { memory, reclaim, setMemoryLimit } from './lib/core.js';
export { History } from './lib/history.js';
export { PersistentTree } from './lib/tree.js';

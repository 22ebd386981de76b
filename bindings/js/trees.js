// SPDX-License-Identifier: MIT
// trees.js: only trees and their histories, on top of pqt-trees.wasm, which is smaller.
import './lib/choose_trees.js';

export { memory, reclaim, setMemoryLimit } from './lib/core.js';
export { History } from './lib/history.js';
export { PersistentTree } from './lib/tree.js';

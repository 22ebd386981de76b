// SPDX-License-Identifier: MIT
// choose_trees.js: makes core.js read pqt-trees.wasm. It must be the first import of trees.js.
import { choose } from './part.js';

choose('trees');

// SPDX-License-Identifier: MIT
// index.js: persistent quadtrees for JavaScript, on top of pqt.wasm.
import { part } from './lib/part.js';

if (part() !== 'all') throw new Error('a program uses pqt or pqt/trees, not both');

export { memory, reclaim, setMemoryLimit } from './lib/core.js';
export { Document } from './lib/document.js';
export { History } from './lib/history.js';
export { cells, exclusiveBytes } from './lib/inspect.js';
export { PersistentMap } from './lib/map.js';
export { Region } from './lib/region.js';
export { Table } from './lib/table.js';
export { PersistentTree } from './lib/tree.js';
export { Recording, World } from './lib/world.js';

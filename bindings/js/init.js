// SPDX-License-Identifier: MIT
// init.js: the package for programs that pass pqt.wasm themselves, by its address for instance. No call works
// before `init` has ended.
export { sweepPair } from './lib/collision.js';
export { memory, reclaim, setMemoryLimit } from './lib/core.js';
export { Document } from './lib/document.js';
export { History } from './lib/history.js';
export { PersistentImage } from './lib/image.js';
export { cells, exclusiveBytes } from './lib/inspect.js';
export { init } from './lib/load.js';
export { PersistentMap } from './lib/map.js';
export { Region } from './lib/region.js';
export { sphereDistance } from './lib/sphere.js';
export { Table } from './lib/table.js';
export { PersistentTree } from './lib/tree.js';
export { Recording, World } from './lib/world.js';

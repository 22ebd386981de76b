// SPDX-License-Identifier: MIT
export { History, PersistentTree, memory, reclaim, setMemoryLimit, sphereDistance, sweepPair } from './index.js';
export type * from './index.js';

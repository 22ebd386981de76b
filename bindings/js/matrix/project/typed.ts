// SPDX-License-Identifier: MIT
// typed.ts: uses the types of each entry. It is also compiled as typed.mts and as typed.cts.
import { PersistentTree, type Box, type Item } from 'pqt';
import { PersistentTree as SameTree, init } from 'pqt/init';
import { PersistentTree as SmallTree } from 'pqt/trees';

declare const process: { env: { PQT_CASE: string } };
declare const console: { log(text: string): void };

const { bounds, items }: { bounds: Box, items: Item[] } = JSON.parse(process.env.PQT_CASE);
let tree: PersistentTree = new PersistentTree({ bounds });
for (const item of items) tree = tree.insert(item);
export const same: SameTree = tree;
export const started: Promise<void> = init('pqt.wasm');
export type Small = SmallTree;
// @ts-expect-error an item has an id
export const wrong = () => tree.insert(bounds);
console.log(tree.fingerprint());

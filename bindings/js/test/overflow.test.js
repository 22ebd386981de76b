// SPDX-License-Identifier: MIT
// overflow.test.js: calls the library when the stack of the engine is almost full, as a recursion without an end does.
import assert from 'node:assert/strict';
import test from 'node:test';

import { Document, PersistentMap, PersistentTree, Region, World, memory, reclaim } from 'pqt';

const BOUNDS = { minX: 0, minY: 0, maxX: 100, maxY: 100 };
const box = (x) => ({ minX: x % 99, minY: x % 89, maxX: (x % 99) + 1, maxY: (x % 89) + 1 });
const tree = new PersistentTree({ bounds: BOUNDS, uniqueIds: true }).load(Array.from({ length: 2000 }, (_, id) => ({ ...box(7 * id), id })));
const map = PersistentMap.of(Array.from({ length: 1000 }, (_, i) => [i, i]));
const region = Region.ofBoxes([{ minX: 0, minY: 0, maxX: 50, maxY: 5 }]), bytes = tree.toBytes();
const world = new World({ bounds: BOUNDS }).add([{ id: 1, x: 20, y: 50, radius: 5, vx: 9 }, { id: 2, x: 60, y: 50, radius: 5 }]);
const item = { ...box(50), id: 9 };

const CALLS = {
  insert: () => tree.insert(item), moveId: () => tree.moveId(9, item), load: () => tree.load([item]), set: () => map.set(5, 7), dilate: () => region.dilate(2),
  step: () => world.step(1), fromBytes: () => PersistentTree.fromBytes(bytes), document: () => Document.of({ tree, map }), search: () => { tree.search(BOUNDS); },
};

/** Fills the stack, and calls an action in each frame from the last one on until it succeeds once.
    `padding` changes the room that is left. Returns the result. */
function callWithFullStack(action, padding) {
  const given = new Array(padding).fill(0);
  const padded = (..._) => action();
  let result, isDone = false;
  const recurse = () => {
    try {
      recurse();
    } catch {
      // the stack is full
    }
    if (isDone) return;
    try {
      result = padded(...given);
      isDone = true;
    } catch {
      // there is too little room in this frame
    }
  };
  recurse();
  return result;
}

const used = () => reclaim().usedBytes;

for (const [name, action] of Object.entries(CALLS))
  test(`${name}: a full stack of the engine harms neither versions nor later calls`, () => {
    const versions = [tree, map, region, world], prints = versions.map((version) => version.fingerprint());
    for (let padding = 0; padding < 40; padding++) callWithFullStack(action, padding)?.free();
    versions.forEach((version, i) => assert.equal(version.check().fingerprint(), prints[i]));
    let last = tree.insert(item);
    const before = used();
    for (let i = 0; i < 5000; i++) {
      const next = last.moveId(i % 2000, box(i));
      last.free();
      last = next;
    }
    last.check().free();
    assert.ok(used() < before + 500000, `${used()} bytes in use after ${before}, ${memory().versions} versions`);
  });

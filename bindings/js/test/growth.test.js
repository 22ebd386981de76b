// SPDX-License-Identifier: MIT
// growth.test.js: tests calls whose arguments are larger than the memory of the instance, which
// therefore grows during the call. Each argument is larger than all earlier ones.
import assert from 'node:assert/strict';
import test from 'node:test';
import { PersistentMap, PersistentTree, Region, World, reclaim } from 'pqt';

const bounds = { minX: 0, minY: 0, maxX: 1000, maxY: 1000 };

test('the memory may grow in each call that takes arrays', () => {
  const bodies = Array.from({ length: 60000 }, (_, i) => ({ id: i, x: (i % 245) * 4 + 2, y: Math.floor(i / 245) * 4 + 2, radius: 1 }));
  const empty = new World({ bounds, walls: false }), world = empty.add(bodies); // 6 MB
  assert.equal(world.size, 60000);

  const pixels = Region.ofPixels(new Uint8Array(4000 * 4000).fill(1, 0, 4000), { width: 4000, height: 4000 }); // 16 MB
  assert.equal(pixels.size, 4000);

  const nothing = Region.ofBoxes(new Int32Array(4 * 2000000).fill(1)); // 32 MB, of empty boxes
  assert.equal(nothing.size, 0);

  assert.throws(() => PersistentTree.fromBytes(new Uint8Array(64e6)), { code: 'PQT_ERROR_FORMAT' });

  const map = new PersistentMap({ values: 'bytes' }), text = map.set(1, new Uint8Array(128e6));
  assert.equal(text.get(1).length, 128e6);

  // In a page, other tests use the same memory.
  for (const version of [empty, world, pixels, nothing, map, text]) version.free();
  assert.ok(reclaim().usedBytes < 50e6);
});

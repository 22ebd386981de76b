// SPDX-License-Identifier: MIT
// growth.test.js: calls whose arguments are larger than the memory of the instance, which therefore
// grows during the call. Each argument is larger than those before it.
import assert from 'node:assert/strict';
import test from 'node:test';
import { PersistentMap, PersistentTree, Region, World } from 'pqt';

const bounds = { minX: 0, minY: 0, maxX: 1000, maxY: 1000 };

test('the memory may grow in each call that takes arrays', () => {
  const bodies = Array.from({ length: 60000 }, (_, i) => ({ id: i, x: (i % 245) * 4 + 2, y: Math.floor(i / 245) * 4 + 2, radius: 1 }));
  assert.equal(new World({ bounds, walls: false }).add(bodies).size, 60000); // 6 MB

  const pixels = Region.ofPixels(new Uint8Array(4000 * 4000).fill(1, 0, 4000), { width: 4000, height: 4000 }); // 16 MB
  assert.equal(pixels.size, 4000);

  assert.equal(Region.ofBoxes(new Int32Array(4 * 2000000).fill(1)).size, 0); // 32 MB, of empty boxes

  assert.throws(() => PersistentTree.fromBytes(new Uint8Array(64e6)), { code: 'PQT_ERROR_FORMAT' });

  const text = new PersistentMap({ values: 'bytes' }).set(1, new Uint8Array(128e6));
  assert.equal(text.get(1).length, 128e6);
});

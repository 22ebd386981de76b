// SPDX-License-Identifier: MIT
// reclaim.test.js: tests that memory does not grow while calls fail, or make no version that is kept.
import assert from 'node:assert/strict';
import test from 'node:test';

import { Document, PersistentImage, PersistentMap, Recording, Region, World, memory, reclaim } from 'pqt';

const MIB = 1048576;
const BOUNDS = { minX: 0, minY: 0, maxX: 1000, maxY: 1000 };

/** Makes three maps of which the last two both changed some of the first one's keys. */
function conflictingMaps() {
  const entries = (from, to, value) => Array.from({ length: to - from }, (_, i) => [from + i, value]);
  const base = PersistentMap.of(entries(0, 3000, 0));
  return [base, base.setAll(entries(0, 800, 1)), base.setAll(entries(799, 1600, 2))];
}

const CALLS = {
  'merges of maps that fail': () => {
    const [base, ours, theirs] = conflictingMaps();
    return () => assert.throws(() => base.merge(ours, theirs), { code: 'PQT_ERROR_CONFLICT' });
  },
  'merges of documents that fail': () => {
    const [base, ours, theirs] = conflictingMaps().map((map) => Document.of({ map }));
    return () => assert.throws(() => base.merge(ours, theirs), { code: 'PQT_ERROR_CONFLICT' });
  },
  'verifications of a recording': () => {
    const balls = Array.from({ length: 300 }, (_, i) => ({ id: i, x: 20 + (i % 30) * 30, y: 20 + Math.floor(i / 30) * 30, vx: i % 9, vy: i % 7, radius: 3 }));
    const recording = new Recording(new World({ bounds: BOUNDS }).add(balls), 0.02, { every: 10 });
    for (let i = 0; i < 20; i++) recording.step().free();
    return () => assert.equal(recording.verify(), true);
  },
  'merges of images that fail': () => {
    const base = new PersistentImage({ width: 500, height: 500 });
    const [ours, theirs] = [[1, 2, 3], [3, 2, 1]].map((colour) => base.paint({ x: 250, y: 250, radius: 200 }, colour));
    return () => {
      assert.throws(() => base.merge(ours, theirs), { code: 'PQT_ERROR_CONFLICT' });
      assert.ok(base.conflicts(ours, theirs).length > 9);
    };
  },
  'images that are freed': () => {
    const base = new PersistentImage({ width: 500, height: 500 });
    let round = 0;
    return () => {
      const drawn = base.paint([{ x: round % 500, y: 250, radius: 60 }, { x: 99, y: 99, radius: 9 }], [round++ % 256, 2, 3, 99]);
      drawn.select({ alpha: 9 }).free();
      drawn.flood(0, 0, [1, 1, 1]).free();
      drawn.free();
    };
  },
  'components that are freed': () => {
    const region = Region.ofBoxes(Array.from({ length: 100 }, (_, i) => ({ minX: 9 * i, minY: i, maxX: 9 * i + 7, maxY: i + 7 })));
    return () => region.components().forEach((component) => component.free());
  },
};

for (const [name, prepare] of Object.entries(CALLS))
  test(`memory does not grow: ${name}`, () => {
    const act = prepare();
    reclaim();
    for (let i = 0; i < 50; i++) act();
    const level = memory().usedBytes; // more is used between two cycles, in proportion to what is held
    for (let i = 0; i < 400; i++) act();
    const { usedBytes } = memory();
    assert.ok(usedBytes <= 2 * level + MIB, `${usedBytes} bytes after ${level}`);
  });

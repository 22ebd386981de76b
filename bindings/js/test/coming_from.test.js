// SPDX-License-Identifier: MIT
// coming_from.test.js: runs what each line of the tables of coming-from.md says of this package.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { Document, PersistentMap, PersistentTree, cells } from '../index.js';

const box = (minX, minY, maxX, maxY) => ({ minX, minY, maxX, maxY });
const point = (x, y, id) => ({ ...box(x, y, x, y), id });
const EVERYWHERE = box(-Infinity, -Infinity, Infinity, Infinity);
const ITEMS = [{ ...box(0, 0, 2, 2), id: 1 }, { ...box(5, 5, 8, 8), id: 2 }, { ...box(9, 0, 9, 0), id: 3 }];
const BOXES = Float64Array.from(ITEMS.flatMap(({ minX, minY, maxX, maxY }) => [minX, minY, maxX, maxY]));
const idsOf = (items) => [...items].map(({ id }) => id).sort();
const tree = PersistentTree.of(ITEMS, { uniqueIds: true });
const index = PersistentTree.of(BOXES, { leafCapacity: 4 });
const map = PersistentMap.of([[1, 10], [2, 20]]);
const words = PersistentMap.of([['a', 'one']], { keys: 'bytes', values: 'bytes' });

// By the title of a table: a check for each of its lines, in their order.
const CHECKS = {
  'From rbush': [
    () => assert.equal(new PersistentTree({ bounds: box(0, 0, 9, 9), leafCapacity: 9 }).size, 0),
    () => assert.equal(PersistentTree.of(ITEMS).size, 3),
    () => assert.deepEqual([tree.insert(point(1, 1, 7)).size, tree.load([point(1, 1, 7), point(1, 1, 8)]).size], [4, 5]),
    () => assert.deepEqual([tree.remove(ITEMS[0]).size, tree.remove({ ...ITEMS[0], maxX: 3 }).size], [2, 3]),
    () => assert.deepEqual(idsOf(tree.removeId(1)), [2, 3]),
    () => {
      const moved = tree.moveId(1, box(20, 20, 21, 21));
      assert.ok(moved.equals(tree.move(ITEMS[0], box(20, 20, 21, 21))) && moved.has({ ...box(20, 20, 21, 21), id: 1 }));
    },
    () => assert.ok(tree.removeIds([1, 2]).equals(tree.removeAll(ITEMS.slice(0, 2)))),
    () => assert.deepEqual([tree.find(2), tree.find(9), PersistentTree.of(ITEMS).has(ITEMS[2])], [ITEMS[1], undefined, true]),
    () => {
      const edited = tree.edit((draft) => { draft.insert(point(1, 1, 7)); draft.remove(ITEMS[0]); });
      assert.deepEqual([idsOf(edited), tree.size], [[2, 3, 7], 3]);
    },
    () => assert.equal(tree.clear().size, 0),
    () => {
      assert.deepEqual([idsOf(tree.search(box(2, 2, 5, 5))), tree.all().length, tree.collides(box(3, 3, 4, 4))], [[1, 2], 3, false]);
      assert.deepEqual([...tree.searchIds(box(2, 2, 5, 5))].sort(), [1, 2]);
    },
    () => {
      assert.ok(PersistentTree.fromJSON(JSON.parse(JSON.stringify(tree))).equals(tree));
      assert.ok(tree.toBytes().length < JSON.stringify(tree).length);
    },
    () => assert.deepEqual(idsOf(tree.load([{ data: 'mine' }].map((mine, id) => ({ ...point(4, 4, id), mine })))), [0, 1, 2, 3]),
    () => {
      const found = tree.nearest(9, 1, { most: 2, filter: ({ id }) => id !== 3, maxDistance: 20 });
      assert.deepEqual(found.map(({ id }) => id), [2, 1]);
    },
  ],
  'From flatbush': [
    () => assert.deepEqual(idsOf(index), [0, 1, 2]),
    () => assert.deepEqual(index.searchIds(box(6, 6, 7, 7)), Uint32Array.of(1)),
    () => assert.deepEqual([...index.searchIds(box(0, 0, 9, 9), { filter: ({ id }) => id % 2 === 0 })].sort(), [0, 2]),
    () => assert.deepEqual([index.nearest(9, 1, 2, 3).map(({ id, distance }) => [id, distance]), index.nearest(9, 1).length], [[[2, 1]], 1]),
    () => assert.equal(index.nearest(9, 1, { most: 1, maxDistance: 20, filter: ({ id }) => id !== 2 })[0].id, 1),
    () => assert.equal(index.size, 3),
    () => assert.ok(PersistentTree.fromBytes(index.toBytes()).equals(index)),
    () => assert.ok(!(index.toBytes().buffer instanceof SharedArrayBuffer)),
  ],
  'From d3-quadtree': [
    () => assert.deepEqual(idsOf(PersistentTree.of(Float64Array.of(1, 2, 1, 2, 3, 4, 3, 4))), [0, 1]),
    () => assert.equal(tree.insert(point(4, 4, 9)).find(9).minX, 4),
    () => assert.ok(tree.load([point(4, 4, 9)]).removeAll([point(4, 4, 9)]).equals(tree)),
    () => assert.ok(tree.remove(ITEMS[0]).equals(tree.removeId(1))),
    () => assert.deepEqual([tree.nearest(9, 1)[0], tree.clear().nearest(9, 1)[0]], [{ ...ITEMS[2], distance: 1 }, undefined]),
    () => assert.deepEqual([tree.nearest(9, 1, 1, 1)[0].id, tree.nearest(9, 1, 1, 0.5)[0]], [3, undefined]),
    () => assert.deepEqual(idsOf(tree.search(box(0, 0, 4, 4))), [1]),
    () => assert.equal(tree.count(box(0, 0, 9, 4)), 2),
    () => assert.ok(cells(tree).boxes.length >= 4),
    () => assert.deepEqual([idsOf(tree.all()), tree.size], [[1, 2, 3], 3]),
    () => assert.deepEqual(tree.extent, box(0, 0, 9, 8)),
    () => assert.deepEqual(idsOf(new PersistentTree({ bounds: box(0, 0, 1, 1) }).insert(point(50, 50, 4)).search(box(49, 49, 51, 51))), [4]),
    () => {
      const copy = tree;
      assert.ok(!tree.insert(point(1, 1, 7)).equals(copy) && copy.size === 3);
    },
    () => assert.equal(tree.visitAfter, undefined),
  ],
  'From Map of Immutable.js': [
    () => assert.deepEqual([new PersistentMap().size, words.keyKind, words.valueKind], [0, 'bytes', 'bytes']),
    () => assert.deepEqual([map.size, words.size], [2, 1]),
    () => assert.equal(map.set(1, 11).get(1), 11),
    () => assert.deepEqual([map.get(1), words.getText('a'), words.get('a')], [10, 'one', new TextEncoder().encode('one')]),
    () => assert.equal(map.get(9) ?? 7, 7),
    () => assert.deepEqual([map.has(1), map.has(9), map.size], [true, false, 2]),
    () => assert.deepEqual([map.delete(1).size, map.deleteAll([1, 2]).size], [1, 0]),
    () => assert.equal(map.set(1, map.get(1) + 5).get(1), 15),
    () => assert.deepEqual([...map.setAll(PersistentMap.of([[2, 21], [3, 30]]))].sort(), [[1, 10], [2, 21], [3, 30]]),
    () => assert.equal(map.edit((draft) => { draft.set(3, 30); }).size, 3),
    () => assert.ok(new PersistentMap().equals(map.deleteAll([1, 2]))),
    () => assert.ok(map.set(1, 11).set(1, 10).equals(map)),
    () => assert.match(map.fingerprint(), /^[0-9a-f]{32}$/),
    () => assert.deepEqual([map.entries().length, map.keys().sort(), map.values().sort(), [...map].length], [2, [1, 2], [10, 20], 2]),
    () => assert.deepEqual([...PersistentMap.of([...map].filter(([key]) => key > 1))], [[2, 20]]),
    () => assert.deepEqual(Object.fromEntries(map), { 1: 10, 2: 20 }),
    () => assert.deepEqual(map.diff(map.set(1, 11)), [{ key: 1, before: 10, after: 11 }]),
    () => assert.ok(Document.of({ map, tree }).get('map').equals(map)),
  ],
};

const text = readFileSync(new URL('../coming-from.md', import.meta.url), 'utf8');
for (const section of text.split(/^## /m).slice(1)) {
  const title = section.slice(0, section.indexOf('\n'));
  const lines = section.split('\n').filter((line) => line.startsWith('| ')).slice(1).map((line) => line.split(' | ')[0].slice(2));

  test(`each line of the table "${title}" has a check`, () => assert.equal(CHECKS[title]?.length, lines.length));

  lines.forEach((line, i) => test(`${title}: ${line}`, () => CHECKS[title][i]()));
}

test('boxes with infinite, missing or inverted sides are refused, and inverted windows', () => {
  for (const one of [{ ...box(0, 0, Infinity, 1), id: 4 }, { ...box(2, 0, 1, 1), id: 4 }, { ...box(NaN, 0, 1, 1), id: 4 }])
    assert.throws(() => tree.insert(one), { name: 'RangeError', code: 'PQT_ERROR_BOX' });
  assert.throws(() => tree.insert({ minX: 0, minY: 0, id: 4 }), TypeError);
  assert.throws(() => tree.search(box(1, 0, 0, 0)), RangeError);
  assert.equal(tree.search(EVERYWHERE).length, 3);
});

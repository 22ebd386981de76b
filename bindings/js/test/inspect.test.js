// SPDX-License-Identifier: MIT
// inspect.test.js: tests cells() and exclusiveBytes().
import assert from 'node:assert/strict';
import test from 'node:test';
import { Document, PersistentMap, PersistentTree, Region, World, cells, exclusiveBytes } from 'pqt';

const bounds = { minX: 0, minY: 0, maxX: 100, maxY: 100 };

function grid(side) {
  const items = [];
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) items.push({ minX: x * 5 + 1, minY: y * 5 + 1, maxX: x * 5 + 2, maxY: y * 5 + 2, id: y * side + x });
  return new PersistentTree({ bounds, leafCapacity: 8 }).load(items);
}

test('cells are nested, and the leaves contain all items', () => {
  const tree = grid(20), found = cells(tree);
  assert.equal(found.counts[0], 400);
  assert.deepEqual([...found.boxes.slice(0, 4)], [0, 0, 100, 100]);
  assert.equal(found.depths[0], 0);
  assert.equal(found.kinds[0], 1);
  let items = 0;
  found.kinds.forEach((kind, i) => { if (kind !== 1) items += found.counts[i]; });
  assert.equal(items, 400);
  assert.equal(new Set(found.blocks).size, found.blocks.length);
  assert.equal(cells(tree.clear()).kinds.length, 0);
});

test('an edit copies the cells around it and shares the others', () => {
  const before = grid(20), after = before.insert({ minX: 41, minY: 71, maxX: 42, maxY: 72, id: 1000 });
  const old = new Set(cells(before).blocks), found = cells(after);
  let copied = 0;
  found.blocks.forEach((block, i) => {
    const [minX, minY, maxX, maxY] = found.boxes.slice(4 * i, 4 * i + 4);
    const isOnPath = minX <= 41.5 && 41.5 <= maxX && minY <= 71.5 && 71.5 <= maxY;
    assert.equal(!old.has(block), isOnPath);
    copied += isOnPath ? 1 : 0;
  });
  assert.ok(copied >= 3 && copied < found.blocks.length / 8, `${copied} of ${found.blocks.length}`);
});

test('the exclusive bytes of a version are those that its edit added', () => {
  const before = grid(20), after = before.insert({ minX: 41, minY: 71, maxX: 42, maxY: 72, id: 1000 });
  const all = exclusiveBytes(after), own = exclusiveBytes(after, before);
  assert.ok(own > 0 && own < all / 4, `${own} of ${all}`);
  assert.equal(exclusiveBytes(after, after), 0);
  const world = new World({ bounds }).add({ id: 1, x: 50, y: 50, radius: 3 });
  const region = Region.ofBoxes([{ minX: 0, minY: 0, maxX: 500, maxY: 300 }]);
  const map = new PersistentMap().set(1, 2);
  for (const version of [world, region, map, Document.of({ before, map })]) {
    assert.ok(exclusiveBytes(version) > 0);
    assert.equal(exclusiveBytes(version, version), 0);
  }
  assert.equal(cells(world).counts[0], 1);
});

test('an edit by id copies no more than the same edit by box and id', () => {
  const items = grid(20).all(), tree = new PersistentTree({ bounds, leafCapacity: 8, uniqueIds: true }).load(items);
  items.forEach((item, i) => {
    const to = items[(i * 91 + 5) % items.length];
    assert.equal(exclusiveBytes(tree.removeId(item.id), tree), exclusiveBytes(tree.remove(item), tree));
    assert.equal(exclusiveBytes(tree.moveId(item.id, to), tree), exclusiveBytes(tree.move(item, to), tree));
  });
});

test('invalid arguments of cells and exclusiveBytes are refused', () => {
  const tree = grid(2), freed = grid(2);
  freed.free();
  assert.throws(() => cells(new Region()), /not a PersistentTree/);
  assert.throws(() => cells({}), /not a version/);
  assert.throws(() => cells(freed), /was freed/);
  assert.throws(() => exclusiveBytes(tree, new Region()), /not a PersistentTree/);
  assert.throws(() => exclusiveBytes(tree, freed), /was freed/);
});

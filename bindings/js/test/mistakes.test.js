// SPDX-License-Identifier: MIT
// mistakes.test.js: tests that nothing which a caller passes is ignored, and that objects are not cloned.
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import test from 'node:test';
import { Document, History, PersistentMap, PersistentTree, Recording, Region, Table, World } from '../index.js';

const bounds = { minX: 0, minY: 0, maxX: 100, maxY: 100 };
const area = { minX: 1, minY: 1, maxX: 2, maxY: 2 };
const item = { ...area, id: 1 };
const line = { from: { x: 0, y: 0 }, to: { x: 5, y: 5 } };
const tree = new PersistentTree({ bounds });
const map = new PersistentMap();
const region = Region.ofBoxes([{ minX: 0, minY: 0, maxX: 4, maxY: 4 }]);
const world = new World({ bounds }).add({ id: 1, x: 5, y: 5, radius: 1 });
const plan = Document.of({ shapes: tree });

/** Calls that take options, each with a function that makes it. */
const WITH_OPTIONS = {
  'new PersistentTree': (more) => new PersistentTree({ bounds, ...more }),
  'PersistentTree.of': (more) => PersistentTree.of([item], more),
  'PersistentTree.of with arrays': (more) => PersistentTree.of(new Float64Array(4), undefined, more),
  'PersistentTree.merge': (more) => tree.merge(tree, tree, more),
  'PersistentTree.union': (more) => tree.union(tree, more),
  'PersistentTree.search': (more) => tree.search(area, more),
  'PersistentTree.searchArrays': (more) => tree.searchArrays(area, more),
  'PersistentTree.searchIds': (more) => tree.searchIds(area, more),
  'PersistentTree.searchBigIds': (more) => tree.searchBigIds(area, more),
  'PersistentTree.count': (more) => tree.count(area, more),
  'PersistentTree.collides': (more) => tree.collides(area, more),
  'PersistentTree.keep': (more) => tree.keep(area, more),
  'PersistentTree.restore': (more) => tree.restore(tree, area, more),
  'PersistentTree.pages': (more) => tree.pages(area, more),
  'PersistentTree.nearest': (more) => tree.nearest(1, 2, more),
  'PersistentTree.pairs': (more) => tree.pairs(more),
  'PersistentTree.pairs of two trees': (more) => tree.pairs(tree, more),
  'PersistentTree.pairIds': (more) => tree.pairIds(tree, more),
  'PersistentTree.cast': (more) => tree.cast(line, more),
  'PersistentTree.castAll': (more) => tree.castAll(line, more),
  'PersistentTree.sweep': (more) => tree.sweep(area, line.from, line.to, more),
  'PersistentTree.slide': (more) => tree.slide(area, line.from, line.to, more),
  'new PersistentMap': (more) => new PersistentMap(more),
  'PersistentMap.of': (more) => PersistentMap.of([[1, 2]], more),
  'PersistentMap.merge': (more) => map.merge(map, map, more),
  'Document.merge': (more) => plan.merge(plan, plan, more),
  'new History': (more) => new History(tree, more),
  'History.fromBytes': (more) => History.fromBytes(new History(tree).toBytes(), more),
  'History.push': (more) => new History(tree).push(tree.insert(item), more),
  'Region.ofPixels': (more) => Region.ofPixels(new Uint8Array(1), { width: 1, height: 1, ...more }),
  'Region.overlaps': (more) => region.overlaps(region, {}, more),
  'Region.sweep': (more) => region.sweep({}, { x: 1 }, region, more),
  'Region.slide': (more) => region.slide({}, { x: 1 }, region, more),
  'new World': (more) => new World({ bounds, ...more }),
  'World.step': (more) => world.step(1, more),
  'new Recording': (more) => new Recording(world, 1, more),
  'Recording.step': (more) => new Recording(world, 1).step(more),
};

for (const [name, make] of Object.entries(WITH_OPTIONS))
  test(`${name} refuses an option that it does not know, and names it and the known ones`, () => {
    make({});
    assert.throws(() => make({ uniqueids: true }), { name: 'TypeError', message: /^there is no option uniqueids: the options are [a-zA-Z, ]+$/ });
    assert.throws(() => make({ uniqueids: undefined }), TypeError);
  });

test('the message for an unknown option lists the known ones', () => {
  assert.throws(() => PersistentTree.of([item], { uniqueids: true }),
    { message: 'there is no option uniqueids: the options are leafCapacity, maxDepth, uniqueIds, strictBounds' });
  assert.throws(() => PersistentTree.of([item], { bounds }), { message: /^there is no option bounds/ });
  assert.throws(() => new Recording(world, 1, { report: {} }), { message: /^there is no option report/ });
});

test('positions, windows and items may have further members', () => {
  assert.equal(region.union(region, { x: 1, y: 1, name: 'here' }).size, 23);
  assert.equal(tree.insert({ ...item, name: 'oak' }).search({ ...area, name: 'here' }).length, 1);
  world.step(1, { gravity: { x: 0, y: 1, z: 2 } });
  assert.equal(PersistentTree.fromJSON({ ...tree.toJSON(), note: 'mine' }).equals(tree), true);
});

/** Calls with one argument more than the method takes. */
const SURPLUS = {
  insert: () => tree.insert(item, { ...item, id: 2 }),
  remove: () => tree.remove(item, (a, b) => a.id === b.id),
  removeId: () => PersistentTree.of([item], { uniqueIds: true }).removeId(1, 2),
  search: () => tree.search(area, {}, () => false),
  searchArrays: () => tree.searchArrays(area, {}, () => false),
  searchIds: () => tree.searchIds(area, {}, () => false),
  searchBigIds: () => tree.searchBigIds(area, {}, () => false),
  all: () => tree.all(area),
  collides: () => tree.collides(area, {}, () => false),
  count: () => tree.count(area, {}, () => false),
  find: () => PersistentTree.of([item], { uniqueIds: true }).find(1, 2),
  has: () => tree.has(item, item),
  diff: () => tree.diff(tree, {}),
  nearest: () => tree.nearest(0, 0, 1, 5, () => false),
  'nearest to a box': () => tree.nearest({ minX: 0, minY: 0, maxX: 1, maxY: 1 }, 1, 5, () => false),
  'nearest with options': () => tree.nearest(0, 0, { most: 1 }, 5),
  pages: () => tree.pages(area, {}, 10),
  digest: () => tree.digest('', 1),
  itemsAt: () => tree.itemsAt('', 1),
  keep: () => tree.keep(area, {}, 10),
  restore: () => tree.restore(tree, area, {}, 10),
  damage: () => tree.damage(tree, 5, {}),
  pairs: () => tree.pairs({}, tree),
  'pairs of two trees': () => tree.pairs(tree, {}, 5),
  pairIds: () => tree.pairIds({}, {}),
  cast: () => tree.cast(line, {}, 1),
  castAll: () => tree.castAll(line, {}, 1),
  sweep: () => tree.sweep(area, line.from, line.to, {}, 1),
  slide: () => tree.slide(area, line.from, line.to, {}, 1),
  intersection: () => tree.intersection(tree, {}),
  difference: () => tree.difference(tree, {}),
  'insert of a draft': () => tree.edit((draft) => { draft.insert(item, item); }),
  'remove of a draft': () => tree.edit((draft) => { draft.remove(item, item); }),
  'get of a map': () => map.get(1, 'a default'),
  'set of a map': () => map.set(1, 2, 3),
  'delete of a map': () => map.delete(1, 2),
  'set of a draft of a map': () => map.edit((draft) => { draft.set(1, 2, 3); }),
  'get of a document': () => plan.get('shapes', 'names'),
  'set of a document': () => plan.set('shapes', tree, 'names'),
  'add of a world': () => world.add({ id: 2, x: 20, y: 20, radius: 1 }, { id: 3, x: 30, y: 30, radius: 1 }),
  'bodies of a world': () => world.bodies(area, {}, () => false),
  'arrays of a world': () => world.arrays(area, {}, () => false),
  'keep of a world': () => world.keep(area, {}, () => false),
  'nearest of a world': () => world.nearest(0, 0, 1, 5),
  'get of a world': () => world.get(1, 2),
  'boxes of a region': () => region.boxes(area, () => false),
  'count of a region': () => region.count(area, 1),
};

for (const [name, make] of Object.entries(SURPLUS))
  test(`an argument too many is refused: ${name}`, () => {
    assert.throws(make, { name: 'TypeError', message: /^[a-zA-Z]+ takes \d arguments?, not \d$/ });
  });

const table = Table.read(new TextEncoder().encode('id,x,y\n1,2,3\n'));
const OBJECTS = { tree, map, region, world, document: plan, history: new History(tree), recording: new Recording(world, 1), table };

for (const [name, object] of Object.entries(OBJECTS))
  test(`a ${name} cannot be cloned or posted, and looks like any other object`, () => {
    assert.throws(() => structuredClone(object), { name: 'DataCloneError' });
    assert.throws(() => structuredClone({ within: [object] }), { name: 'DataCloneError' });
    const { port1, port2 } = new MessageChannel();
    assert.throws(() => port1.postMessage(object), { name: 'DataCloneError' });
    port1.close();
    port2.close();
    const { name: className } = object.constructor;
    assert.equal(inspect(object).split(' {')[0], className);
    assert.equal(String(object), '[object Object]');
    assert.deepEqual(Object.keys({ ...object }), name === 'table' ? ['position', 'hasIds', 'columns'] : []);
    assert.equal(object instanceof FinalizationRegistry, false);
    assert.equal(object.register, undefined);
  });

test('versions are compared, and written as JSON, like objects without members', () => {
  assert.deepEqual(tree, new PersistentTree({ bounds }));
  assert.equal(JSON.stringify(map), '{}');
});

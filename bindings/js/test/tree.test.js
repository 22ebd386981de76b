// SPDX-License-Identifier: MIT
// tree.test.js: tests PersistentTree: a model test, and bad input of every kind.
//
// PQT_SEED sets the seed of the random commands.
import assert from 'node:assert/strict';
import test from 'node:test';

import { PersistentTree, reclaim, setMemoryLimit, sphereDistance } from 'pqt';
import { SEED, detached, dice } from '../support/checks.js';

const BOUNDS = { minX: 0, minY: 0, maxX: 1000, maxY: 1000 };

function drawBox(draw) {
  const minX = draw(990), minY = draw(990);
  return { minX, minY, maxX: minX + draw(12), maxY: minY + draw(12) };
}

const key = (one) => `${one.minX} ${one.minY} ${one.maxX} ${one.maxY} ${one.id}`;
const sorted = (items) => items.map(key).sort();
const touches = (a, w) => a.minX <= w.maxX && w.minX <= a.maxX && a.minY <= w.maxY && w.minY <= a.maxY;

function gap(a, b) {
  return Math.hypot(Math.max(a.minX - b.maxX, 0, b.minX - a.maxX), Math.max(a.minY - b.maxY, 0, b.minY - a.maxY));
}

const distance = (one, x, y) => gap(one, { minX: x, minY: y, maxX: x, maxY: y });

function assertEqualToModel(tree, model, draw) {
  const items = [...model.values()];
  const window = drawBox(draw);
  window.maxX += draw(300);
  window.maxY += draw(300);
  const inside = items.filter((one) => touches(one, window));
  assert.equal(tree.size, items.length);
  assert.deepEqual(sorted(tree.all()), sorted(items));
  assert.deepEqual(sorted(tree.search(window)), sorted(inside));
  assert.deepEqual([...tree.searchIds(window)], tree.search(window).map((one) => one.id));
  assert.deepEqual([...tree.searchBigIds(window)], tree.search(window).map((one) => BigInt(one.id)));
  const { boxes, ids } = tree.searchArrays(window);
  assert.deepEqual([...ids], tree.search(window).map((one) => BigInt(one.id)));
  assert.deepEqual([...boxes], tree.search(window).flatMap(({ minX, minY, maxX, maxY }) => [minX, minY, maxX, maxY]));
  assert.equal(tree.count(window), inside.length);
  assert.equal(tree.collides(window), inside.length > 0);
  const x = draw(1000), y = draw(1000);
  const expected = items.map((one) => distance(one, x, y)).sort((a, b) => a - b).slice(0, 5);
  assert.deepEqual(tree.nearest(x, y, 5).map((one) => one.distance.toFixed(9)), expected.map((d) => d.toFixed(9)));
  assert.deepEqual(tree.nearest({ minX: x, minY: y, maxX: x, maxY: y }, 5), tree.nearest(x, y, 5));
  const fromWindow = items.map((one) => gap(one, window)).sort((a, b) => a - b).slice(0, 5);
  assert.deepEqual(tree.nearest(window, 5).map((one) => one.distance.toFixed(9)), fromWindow.map((d) => d.toFixed(9)));
  assert.deepEqual(tree.nearest(window, 5, 10), tree.nearest(window, 5).filter((one) => one.distance <= 10));
  tree.check();
}

/** Applies a random command to a tree and to a model of it. */
function edit(tree, model, draw, nextId) {
  const items = [...model.values()];
  const some = items[draw(Math.max(items.length, 1))];
  const command = some === undefined ? 0 : draw(8);
  if (command === 6) {
    const to = drawBox(draw);
    model.delete(key(some));
    model.set(key({ ...to, id: some.id }), { ...to, id: some.id });
    return tree.move(some, to);
  }
  if (command === 5) {
    model.delete(key(some));
    return tree.remove(some);
  }
  if (command === 7) {
    const many = Array.from({ length: draw(60) }, (_, i) => ({ ...drawBox(draw), id: nextId + i }));
    many.forEach((one) => model.set(key(one), one));
    return tree.load(many);
  }
  const one = { ...drawBox(draw), id: nextId };
  model.set(key(one), one);
  return tree.insert(one);
}

test('searches on the sphere cross the antimeridian', () => {
  const fiji = { minX: 177, minY: -19, maxX: 182, maxY: -12, id: 1 };
  const items = [fiji, { minX: -172.5, minY: -14, maxX: -171.5, maxY: -13, id: 2 }, { minX: 0, minY: 0, maxX: 1, maxY: 1, id: 3 }];
  const tree = new PersistentTree({ bounds: { minX: -180, minY: -90, maxX: 180, maxY: 90 } }).load(items);
  const window = { minX: 170, minY: -30, maxX: -170, maxY: 0 }, options = { surface: 'sphere' };
  const ids = (found) => Array.from(found, (one) => Number(one.id ?? one)).sort();
  assert.deepEqual(ids(tree.search(window, options)), [1, 2]);
  assert.deepEqual(ids(tree.searchIds(window, options)), [1, 2]);
  assert.deepEqual(ids(tree.searchArrays(window, options).ids), [1, 2]);
  assert.equal(tree.count(window, options), 2);
  assert.equal(tree.count(window, { ...options, filter: (one) => one.id === 1 }), 1);
  assert.equal(tree.count({ ...window, minX: -180 }, { surface: 'sphere', relation: 'inside' }), 1);
  assert.equal(tree.collides({ ...window, minX: -179, maxX: -179 }, options), true);
  assert.deepEqual([...tree.pages(window, { ...options, size: 1 })].flat().map((one) => one.id).sort(), [1, 2]);
  assert.equal(tree.keep(window, options).size, 2);
  assert.equal(tree.clear().restore(tree, window, options).size, 2);
  const near = tree.nearest(-171.8, -13.8, { most: 3, surface: 'sphere' });
  assert.deepEqual(near.map((one) => one.id), [2, 1, 3]);
  assert.equal(near[1].distance, sphereDistance(-171.8, -13.8, fiji));
  assert.equal(near[1].distance, sphereDistance(-171.8, -13.8, { ...fiji, maxX: -178 }));
  assert.deepEqual(tree.nearest(-171.8, -13.8, { most: 3, maxDistance: 1e6, surface: 'sphere' }).map((one) => one.id), [2, 1]);
  assert.deepEqual(tree.nearest(-171.8, -13.8, 3).map((one) => one.id), [2, 3, 1]);
});

test('a tree equals a plain array after each of many random commands, and old versions stay unchanged', () => {
  const draw = dice(SEED);
  let tree = new PersistentTree({ bounds: BOUNDS, leafCapacity: 4 });
  const model = new Map();
  const kept = [];
  for (let step = 0; step < 600; step++) {
    const before = tree;
    tree = edit(tree, model, draw, step * 100);
    if (step % 10 === 0) kept.push([tree, new Map(model), tree.fingerprint()]);
    else if (before !== tree && !kept.some(([version]) => version === before)) before.free();
    if (step % 5 === 0) assertEqualToModel(tree, model, draw);
  }
  reclaim();
  for (const [version, items, fingerprint] of kept) {
    assertEqualToModel(version, items, draw);
    assert.equal(version.fingerprint(), fingerprint);
  }
});

test('a diff lists the changes that turn one version into the other', () => {
  const draw = dice(SEED + 1);
  const model = new Map();
  let tree = new PersistentTree({ bounds: BOUNDS });
  for (let i = 0; i < 200; i++) tree = edit(tree, model, draw, i * 100);
  const before = tree;
  for (let i = 200; i < 240; i++) tree = edit(tree, model, draw, i * 100);
  let replayed = before;
  for (const { kind, item, to } of before.diff(tree))
    replayed = kind === 'insert' ? replayed.insert(item) : kind === 'remove' ? replayed.remove(item) : replayed.move(item, to);
  assert.ok(replayed.equals(tree));
  assert.equal(replayed.fingerprint(), tree.fingerprint());
  assert.deepEqual(tree.diff(tree), []);
});

test('a merge has the changes of both sides, and a conflict is resolved as requested', () => {
  const at = (id, x) => ({ minX: x, minY: 0, maxX: x + 1, maxY: 1, id });
  const base = new PersistentTree({ bounds: BOUNDS, uniqueIds: true }).load([at(1, 0), at(2, 10), at(3, 20)]);
  const ours = base.move(at(1, 0), at(1, 5)).insert(at(4, 30));
  const theirs = base.remove(at(2, 10));
  assert.deepEqual(base.merge(ours, theirs).all().map((one) => one.id).sort(), [1, 3, 4]);
  const other = base.move(at(1, 0), at(1, 7));
  assert.throws(() => base.merge(ours, other), { code: 'PQT_ERROR_CONFLICT' });
  assert.equal(base.merge(ours, other, { onConflict: 'theirs' }).search(at(1, 7))[0].minX, 7);
  assert.throws(() => base.merge(ours, other, { onConflict: 'toString' }), RangeError);
});

test('bytes and JSON return an equal tree, with 64-bit ids', () => {
  const huge = 2n ** 64n - 1n;
  const tree = new PersistentTree({ bounds: BOUNDS, leafCapacity: 7, strictBounds: true })
    .load([{ minX: 1, minY: 2, maxX: 3, maxY: 4, id: huge }, { minX: 5, minY: 5, maxX: 5, maxY: 5, id: 9 }]);
  assert.ok(PersistentTree.fromBytes(tree.toBytes()).equals(tree));
  assert.ok(PersistentTree.fromJSON(JSON.parse(JSON.stringify(tree))).equals(tree));
  assert.deepEqual([...tree].map((one) => one.id).sort(), [9, huge].sort());
  assert.deepEqual(tree.bounds, BOUNDS);
  assert.equal(tree.remove({ minX: 1, minY: 2, maxX: 3, maxY: 4, id: huge }).size, 1);
  assert.throws(() => tree.searchIds(BOUNDS), { name: 'RangeError', code: 'PQT_ERROR_LIMIT' });
});

test('boxes of a Float64Array have the ids 0, 1, 2, or the given ids', () => {
  const boxes = Float64Array.of(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5);
  const ids = (tree) => [...tree.searchBigIds({ minX: 0, minY: 0, maxX: 9, maxY: 9 })].map(Number).sort((a, b) => a - b);
  assert.deepEqual(ids(PersistentTree.of(boxes)), [0, 1, 2]);
  for (const given of [[7, 8, 9], Uint32Array.of(7, 8, 9), BigUint64Array.of(7n, 8n, 9n), Float64Array.of(7, 8, 9)])
    assert.deepEqual(ids(PersistentTree.of(boxes, given)), [7, 8, 9]);
  const tree = PersistentTree.of(boxes, { uniqueIds: true });
  assert.equal(tree.load(boxes).size, 3);
  assert.equal(tree.removeAll(boxes).size, 0);
  assert.equal(tree.clear().size, 0);
});

test('ids that are undefined are left out, and the options after them apply', () => {
  const made = PersistentTree.of(Float64Array.of(0, 0, 1, 1, 2, 2, 3, 3), undefined, { leafCapacity: 3 });
  assert.deepEqual(made.toJSON().items.map(({ id }) => id), [0, 1]);
  assert.equal(made.toJSON().leafCapacity, 3);
  assert.equal(PersistentTree.of([one], undefined, { uniqueIds: true }).toJSON().uniqueIds, true);
});

test('a message says which ids the items have', () => {
  const message = 'items that are objects have ids of their own: pass ids only with a Float64Array of boxes';
  assert.throws(() => PersistentTree.of([one], [2]), { name: 'TypeError', message });
});

test('numbers in messages have the format of the C library', () => {
  const tree = new PersistentTree({ bounds: BOUNDS, strictBounds: true });
  for (const [number, text] of [[-1.5, '-1.5'], [-0.1 - 0.2, '-0.30000000000000004'], [-3e-7, '-3e-07'], [-1e23, '-1e+23'], [-120000, '-120000'],
    [-5e-324, '-5e-324'], [-0.00012, '-0.00012'], [-123456789012345680000, '-1.2345678901234568e+20'], [-1000.25, '-1000.25']])
    assert.throws(() => tree.insert({ minX: number, minY: 0, maxX: 1, maxY: 1, id: 1 }),
      { message: `item 0: leaves the strict bounds (min.x ${text} < 0)` });
  assert.throws(() => tree.insert({ minX: NaN, minY: 0, maxX: 1, maxY: 1, id: 1 }), { message: 'item 0: min.x is nan' });
  assert.throws(() => tree.insert({ minX: 0, minY: 0, maxX: 1, maxY: Infinity, id: 1 }), { message: 'item 0: max.y is inf' });
});

const one = { minX: 0, minY: 0, maxX: 1, maxY: 1, id: 1 };

const BAD = {
  'a tree without bounds': [() => new PersistentTree(), TypeError],
  'bounds that are NaN': [() => new PersistentTree({ bounds: { ...BOUNDS, minX: NaN } }), RangeError],
  'a capacity out of range': [() => new PersistentTree({ bounds: BOUNDS, leafCapacity: 1e9 }), RangeError],
  'a capacity that is a fraction': [() => new PersistentTree({ bounds: BOUNDS, leafCapacity: 1.5 }), RangeError],
  'a capacity beyond 32 bits': [() => new PersistentTree({ bounds: BOUNDS, leafCapacity: 2 ** 32 + 24 }), RangeError],
  'a capacity that is NaN': [() => new PersistentTree({ bounds: BOUNDS, leafCapacity: NaN }), RangeError],
  'a depth out of range': [() => new PersistentTree({ bounds: BOUNDS, maxDepth: 33 }), RangeError],
  'options that are null': [() => PersistentTree.of([], null), TypeError],
  'items that are a string': [() => PersistentTree.of('items'), TypeError],
  'items that are missing': [() => PersistentTree.of(), TypeError],
  'items that are a generator': [(tree) => tree.load((function* () { yield one; })()), TypeError],
  'ids that are a generator': [() => PersistentTree.of(new Float64Array(4), (function* () { yield 1; })()), TypeError],
  'ids that are a set': [() => PersistentTree.of(new Float64Array(4), new Set([1])), TypeError],
  'ids that are a DataView': [() => PersistentTree.of(new Float64Array(4), new DataView(new ArrayBuffer(4))), TypeError],
  'ids with objects': [() => PersistentTree.of([one], [2]), TypeError],
  'ids with objects to load': [(tree) => tree.load([{ ...one, id: 2 }], [3]), TypeError],
  'ids with objects to remove': [(tree) => tree.removeAll([one], Uint32Array.of(1)), TypeError],
  'ids with objects for a draft': [(tree) => tree.edit((draft) => draft.load([one], [2])), TypeError],
  'ids with an empty array of objects': [(tree) => tree.load([], null), TypeError],
  'an item without coordinates': [() => PersistentTree.of([{ id: 1 }]), TypeError],
  'an item without an id': [() => PersistentTree.of([{ ...BOUNDS }]), TypeError],
  'an item that is null': [() => PersistentTree.of([null]), TypeError],
  'a hole in the array of items': [() => PersistentTree.of(new Array(3)), TypeError],
  'coordinates that are strings': [(tree) => tree.insert({ ...one, minX: '0' }), TypeError],
  'a NaN in an item': [(tree) => tree.insert({ ...one, minX: NaN }), RangeError],
  'an infinite item': [(tree) => tree.insert({ ...one, maxX: Infinity }), RangeError],
  'an inverted item': [(tree) => tree.load([one, { ...one, minX: 2 }]), RangeError],
  'an id that is a fraction': [(tree) => tree.insert({ ...one, id: 1.5 }), RangeError],
  'a negative id': [(tree) => tree.insert({ ...one, id: -1 }), RangeError],
  'an id that is NaN': [(tree) => tree.insert({ ...one, id: NaN }), RangeError],
  'a negative bigint': [(tree) => tree.insert({ ...one, id: -1n }), RangeError],
  'a bigint of 65 bits': [(tree) => tree.insert({ ...one, id: 2n ** 64n }), RangeError],
  '32-bit ids that are strings': [() => PersistentTree.of(new Float64Array(4), ['1']), TypeError],
  'ids of a wrong type': [() => PersistentTree.of(new Float64Array(4), new Int8Array(1)), TypeError],
  'fewer ids than boxes': [() => PersistentTree.of(new Float64Array(8), [1]), RangeError],
  'a length that is not a multiple of 4': [() => PersistentTree.of(new Float64Array(7)), RangeError],
  'an array of 33 million boxes': [() => PersistentTree.of(new Float64Array(2 ** 27)), Error],
  'a NaN in an array': [() => PersistentTree.of(Float64Array.of(0, 0, NaN, 1)), RangeError],
  'a detached array of boxes': [() => PersistentTree.of(detached(new Float64Array(8))), TypeError],
  'a detached array of ids': [(tree) => tree.load(new Float64Array(0), detached(new Uint32Array(8))), TypeError],
  'detached bytes': [() => PersistentTree.fromBytes(detached(new Uint8Array(8))), TypeError],
  'bytes of another format': [() => PersistentTree.fromBytes(new Uint8Array(100)), Error],
  'bytes that are an array': [() => PersistentTree.fromBytes([1, 2]), TypeError],
  'cut bytes': [(tree) => PersistentTree.fromBytes(tree.toBytes().slice(0, -1)), Error],
  'JSON without items': [() => PersistentTree.fromJSON({ bounds: BOUNDS }), TypeError],
  'JSON that is null': [() => PersistentTree.fromJSON(null), TypeError],
  'a window without coordinates': [(tree) => tree.search({}), TypeError],
  'no window': [(tree) => tree.search(), TypeError],
  'a window that is NaN': [(tree) => tree.search({ ...BOUNDS, maxX: NaN }), RangeError],
  'an inverted window': [(tree) => tree.collides({ minX: 1, minY: 0, maxX: 0, maxY: 1 }), RangeError],
  'a window beyond a pole': [(tree) => tree.search({ minX: 0, minY: 0, maxX: 0, maxY: 91 }, { surface: 'sphere' }), RangeError],
  'a window of NaN on the sphere': [(tree) => tree.count({ ...BOUNDS, maxX: NaN }, { surface: 'sphere' }), RangeError],
  'a surface that is none': [(tree) => tree.search(BOUNDS, { surface: 'globe' }), RangeError],
  'a surface of pairs': [(tree) => tree.pairs({ surface: 'sphere' }), TypeError],
  'a point beyond a pole': [(tree) => tree.nearest(0, 91, { surface: 'sphere' }), RangeError],
  'a box on the sphere': [(tree) => tree.nearest({ minX: 0, minY: 0, maxX: 1, maxY: 1 }, { surface: 'sphere' }), RangeError],
  'a distance beyond a pole': [() => sphereDistance(0, 91, BOUNDS), RangeError],
  'a distance to nothing': [() => sphereDistance(0, 0), TypeError],
  'a point that is NaN': [(tree) => tree.nearest(NaN, 0), RangeError],
  'a point at infinity': [(tree) => tree.nearest(0, -Infinity), RangeError],
  'a distance that is NaN': [(tree) => tree.nearest(0, 0, 1, NaN), RangeError],
  'a nearest box that is inside out': [(tree) => tree.nearest({ minX: 1, minY: 0, maxX: 0, maxY: 0 }), RangeError],
  'a nearest box with infinite sides': [(tree) => tree.nearest({ minX: 0, minY: 0, maxX: Infinity, maxY: 0 }), RangeError],
  'a nearest box without sides': [(tree) => tree.nearest({}), TypeError],
  'half a nearest item': [(tree) => tree.nearest(0, 0, 1.5), RangeError],
  'a negative number of nearest items': [(tree) => tree.nearest(0, 0, -1), RangeError],
  'a point that is a string': [(tree) => tree.nearest('0', 0), TypeError],
  'options of a merge that are null': [(tree) => tree.merge(tree, tree, null), TypeError],
  'a diff with a plain object': [(tree) => tree.diff({}), TypeError],
  'a diff with nothing': [(tree) => tree.diff(null), TypeError],
  'a diff with a tree of other bounds': [(tree) => tree.diff(PersistentTree.of([one])), Error],
  'an item outside strict bounds': [() => new PersistentTree({ bounds: BOUNDS, strictBounds: true }).insert({ ...one, minX: -5 }), RangeError],
  'a method of another object': [() => PersistentTree.prototype.search.call({}, BOUNDS), TypeError],
  'a limit that is a string': [() => setMemoryLimit('1 MB'), TypeError],
  'a limit that is NaN': [() => setMemoryLimit(NaN), RangeError],
};

for (const [name, [action, type]] of Object.entries(BAD))
  test(`${name}: throws ${type.name} with a message`, () => {
    const tree = new PersistentTree({ bounds: BOUNDS }).insert(one);
    assert.throws(() => action(tree), (error) => {
      assert.ok(error instanceof type, String(error));
      assert.ok(!(error.cause instanceof WebAssembly.RuntimeError), String(error));
      assert.match(error.message, /\w+ \w+/);
      return true;
    });
    assert.deepEqual(tree.all(), [one]);
  });

test('damaged bytes give an error or a tree and never trap', () => {
  const bytes = new PersistentTree({ bounds: BOUNDS }).load([one, { ...one, minX: 0.5, id: 3 }]).toBytes();
  for (let i = 0; i < bytes.length; i++) {
    const damaged = bytes.slice();
    damaged[i] ^= 0x55;
    assert.throws(() => PersistentTree.fromBytes(damaged), (error) => !(error.cause instanceof WebAssembly.RuntimeError));
  }
});

test('each method of a freed tree throws an error with a message', () => {
  const tree = new PersistentTree({ bounds: BOUNDS });
  const other = tree.insert(one);
  tree.free();
  tree.free();
  const uses = [() => tree.size, () => tree.bounds, () => tree.all(), () => tree.search(one), () => tree.searchIds(one),
    () => tree.searchBigIds(one), () => tree.searchArrays(one), () => tree.collides(one), () => tree.count(one), () => tree.insert(one), () => tree.remove(one),
    () => tree.load([one]), () => tree.removeAll([one]), () => tree.move(one, one), () => tree.find(1), () => tree.has(one), () => tree.removeId(1),
    () => tree.moveId(1, one), () => tree.edit(() => undefined), () => tree.clear(), () => tree.nearest(0, 0),
    () => tree.diff(other), () => other.diff(tree), () => tree.merge(other, other), () => other.merge(other, tree), () => tree.toBytes(),
    () => tree.toJSON(), () => tree.fingerprint(), () => tree.equals(other), () => other.equals(tree), () => tree.check(), () => [...tree]];
  for (const use of uses) assert.throws(use, { message: 'the tree was freed' });
  assert.deepEqual(other.all(), [one]);
});

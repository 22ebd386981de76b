// SPDX-License-Identifier: MIT
// edit.test.js: tests PersistentTree.edit, which applies the edits of a draft as one version.
//
// PQT_SEED sets the seed of the random edits.
import assert from 'node:assert/strict';
import test from 'node:test';

import { PersistentTree, memory } from 'pqt';
import { SEED, detached, dice, refusalsOf, refuses, refusesFreed } from '../support/checks.js';

const BOUNDS = { minX: 0, minY: 0, maxX: 100, maxY: 100 };
const box = (x, y = x) => ({ minX: x, minY: y, maxX: x + 1, maxY: y + 1 });
const one = { ...box(1), id: 1 }, other = { ...box(2), id: 2 };
const none = () => undefined;

/** Draws a box from few, so that many edits address the same item. */
function drawBox(draw) {
  const minX = draw(8) * 12, minY = draw(8) * 12;
  return { minX, minY, maxX: minX + draw(20), maxY: minY + draw(20) };
}

function drawItem(draw) {
  const id = draw(10);
  return { ...drawBox(draw), id: draw(9) === 0 ? 2n ** 63n + BigInt(id) : id };
}

/** Returns an item, or something that a tree may refuse. */
function drawAny(draw) {
  const drawn = drawItem(draw);
  const changes = [{ minX: NaN }, { maxX: drawn.minX - 1 }, { maxY: Infinity }, { minX: -5 }, { maxX: 101 }, { id: -1 }, { id: 0.5 }, { id: 2 ** 53 },
    { id: -1n }, { id: 2n ** 64n }, { id: 'x' }, { minY: '0' }, { minX: -0 }];
  return draw(12) === 0 ? { ...drawn, ...changes[draw(changes.length)] } : drawn;
}

/** Draws many items: objects, or arrays of boxes and ids of some type. */
function drawMany(draw) {
  const items = Array.from({ length: draw(6) }, () => drawAny(draw));
  if (draw(2) === 0) return [items];
  const boxes = Float64Array.from(items.flatMap(({ minX, minY, maxX, maxY }) => [minX, minY, maxX, maxY].map(Number)));
  const ids = items.map(() => draw(10));
  return [boxes, [undefined, ids, Uint32Array.from(ids), Float64Array.from(ids, (id) => (draw(20) === 0 ? -id : id)),
    BigUint64Array.from(ids, BigInt)][draw(5)]];
}

/** Draws edits by ids: ids of some type, and boxes that are objects or an array. */
function drawIdEdits(draw) {
  const items = Array.from({ length: draw(6) }, () => drawAny(draw)), fine = items.map(() => draw(10)), kind = draw(5);
  const ids = kind === 0 ? items.map(({ id }) => id) : kind === 1 ? fine : [Uint32Array.from(fine), Float64Array.from(fine), BigUint64Array.from(fine, BigInt)][kind - 2];
  if (draw(2) === 0) return ['removeIds', ids];
  return ['moveIds', ids, draw(2) === 0 ? items : Float64Array.from(items.flatMap(({ minX, minY, maxX, maxY }) => [minX, minY, maxX, maxY].map(Number)))];
}

/** Draws the name and the arguments of an edit. */
function drawEdit(draw) {
  const kind = draw(13);
  if (kind === 0) return ['load', ...drawMany(draw)];
  if (kind === 12) return drawIdEdits(draw);
  if (kind === 1) return ['removeAll', ...drawMany(draw)];
  if (kind < 4) return ['move', drawAny(draw), drawAny(draw)];
  if (kind === 4) return draw(2) === 0 ? ['removeId', drawAny(draw).id] : ['moveId', drawAny(draw).id, drawAny(draw)];
  return [kind < 7 ? 'remove' : 'insert', drawAny(draw)];
}

/** Applies edits to trees one after another. Returns the last tree and the messages of all errors. */
function applied(tree, edits) {
  const messages = [];
  for (const [name, ...given] of edits)
    try {
      const next = tree[name](...given);
      tree.free();
      tree = next;
    } catch (error) {
      messages.push(String(error));
    }
  return [tree, messages];
}

const OPTIONS = [{}, { uniqueIds: true }, { strictBounds: true }, { uniqueIds: true, strictBounds: true }, { leafCapacity: 1, maxDepth: 3 }];

for (const options of OPTIONS)
  test(`a draft makes the same version and the same errors as single edits, with ${JSON.stringify(options)}`, () => {
    const draw = dice(SEED);
    let tree = new PersistentTree({ bounds: BOUNDS, leafCapacity: 4, ...options });
    let errors = 0;
    for (let round = 0; round < 300; round++) {
      const edits = Array.from({ length: draw(4) === 0 ? draw(300) : draw(6) }, () => drawEdit(draw));
      const [expected, messages] = applied(tree.edit(none), edits);
      let refused;
      const next = tree.edit((draft) => { refused = refusalsOf(draft, edits); });
      assert.deepEqual(refused, messages);
      assert.equal(next.check().fingerprint(), expected.fingerprint());
      assert.deepEqual(next.all(), expected.all());
      errors += messages.length;
      [tree, expected].forEach((version) => version.free());
      tree = round % 50 === 49 ? next.clear() : next;
    }
    assert.ok(errors > 100, `${errors} errors`);
  });

test('a draft with very many edits equals a load', () => {
  const items = Array.from({ length: 40000 }, (_, i) => ({ ...box(i % 97, i % 89), id: i }));
  const empty = new PersistentTree({ bounds: BOUNDS });
  const loaded = empty.load(items), drawn = empty.edit((draft) => items.forEach((item) => { draft.insert(item); }));
  assert.equal(drawn.check().fingerprint(), loaded.fingerprint());
  const rest = drawn.edit((draft) => { draft.removeAll(items.slice(100)).load(items.slice(0, 50)); });
  assert.equal(rest.size, 100);
  assert.ok(rest.equals(empty.load(items.slice(0, 100))));
});

test('an edit without changes returns an equal tree that is freed separately', () => {
  const tree = new PersistentTree({ bounds: BOUNDS }).insert(one);
  const same = tree.edit((draft) => { draft.insert(other).remove(other).move(other, box(5)); });
  const empty = tree.edit(none);
  tree.free();
  assert.deepEqual(same.all(), [one]);
  assert.deepEqual(empty.check().all(), [one]);
});

test('an item that a tree refuses is named, and changes nothing', () => {
  const tree = new PersistentTree({ bounds: BOUNDS, strictBounds: true }).insert(one);
  const { versions } = memory();
  const outside = { ...box(-5), id: 3 };
  const refused = (edit, message, code) => assert.throws(() => tree.edit((draft) => edit(draft.insert(other))), { name: 'RangeError', message, code });
  refused((draft) => draft.insert(outside), 'item 0: leaves the strict bounds (min.x -5 < 0)', 'PQT_ERROR_BOUNDS');
  refused((draft) => draft.move(one, outside), 'item 0: leaves the strict bounds (min.x -5 < 0)', 'PQT_ERROR_BOUNDS');
  refused((draft) => draft.load([one, other, outside]), 'item 2: leaves the strict bounds (min.x -5 < 0)', 'PQT_ERROR_BOUNDS');
  const unique = new PersistentTree({ bounds: BOUNDS, uniqueIds: true, strictBounds: true });
  assert.throws(() => unique.moveIds([7, 8], [one, outside]), { message: 'item 1: leaves the strict bounds (min.x -5 < 0)', code: 'PQT_ERROR_BOUNDS' });
  assert.throws(() => unique.moveIds([7, -1], [one, one]), { message: /an id must be an integer/, code: 'PQT_ERROR_OPTION' });
  unique.free();
  refused((draft) => draft.insert({ ...one, maxY: NaN }), 'item 0: max.y is nan', 'PQT_ERROR_BOX');
  refused((draft) => draft.load(Float64Array.of(0, 0, 1, 1, 3, 3, 2, 4)), 'item 1: box is inverted (x 3 > 2)', 'PQT_ERROR_BOX');
  refused((draft) => draft.remove({ ...one, id: 0.5 }), /an id must be an integer/, 'PQT_ERROR_OPTION');
  assert.equal(memory().versions, versions);
  assert.deepEqual(tree.check().all(), [one]);
});

test('an exception in the function reaches the caller, and no version leaks', () => {
  const tree = new PersistentTree({ bounds: BOUNDS }).insert(one), failure = new Error('the function failed');
  const { versions } = memory();
  let draft;
  assert.throws(() => tree.edit((given) => {
    draft = given.remove(one);
    throw failure;
  }), (error) => error === failure);
  assert.throws(() => draft.insert(other), { message: 'the draft was used after the function of edit returned' });
  assert.equal(memory().versions, versions);
  assert.deepEqual(tree.edit(none).all(), [one]);
});

test('a draft that is used after the function has returned throws', () => {
  const tree = new PersistentTree({ bounds: BOUNDS });
  let draft;
  const next = tree.edit((given) => { draft = given.insert(one); });
  refusesFreed('the draft was used after the function of edit returned', [() => draft.insert(other), () => draft.remove(one), () => draft.move(one, box(3)),
    () => draft.load([other]), () => draft.removeAll([one]), () => draft.removeId(1), () => draft.moveId(1, box(3)), () => draft.removeIds([1]), () => draft.moveIds([1], [box(3)]), () => tree.edit(() => { draft.insert(other); })]);
  assert.deepEqual(next.all(), [one]);
});

test('a draft that is edited and read while an argument is read has both edits', () => {
  const tree = new PersistentTree({ bounds: BOUNDS, uniqueIds: true });
  const uses = [(draft, item) => draft.insert(item), (draft, item) => draft.load([item]), (draft, item) => draft.insert(one).move(item, one),
    (draft, item) => draft.insert(one).move(one, item), (draft, item) => draft.insert(one).moveId(1, item)];
  for (const use of uses)
    for (const read of [none, (draft) => draft.size]) {
      const next = tree.edit((draft) => {
        use(draft, { ...one, get minX() { draft.insert(other); read(draft); return 1; } });
      });
      assert.deepEqual(next.check().all(), [one, other]);
    }
});

test('an async function is refused, even if it uses the draft later or fails', async () => {
  const tree = new PersistentTree({ bounds: BOUNDS });
  const { versions } = memory();
  const functions = [async (draft) => { draft.insert(one); }, async (draft) => { await null; draft.insert(one); }, async () => { throw new Error('it failed'); },
    (draft) => ({ then: () => draft.insert(one) })];
  for (const change of functions) assert.throws(() => tree.edit(change), { name: 'TypeError', message: /must not be async/ });
  assert.equal(memory().versions, versions);
  await new Promise((resolve) => { setTimeout(resolve); });
  assert.equal(tree.size, 0);
});

test('a generator is refused, because its code would run after the call or never', () => {
  const tree = new PersistentTree({ bounds: BOUNDS });
  const { versions } = memory();
  function* generator(draft) { draft.insert(one); }
  for (const change of [generator, async function* (draft) { draft.insert(one); }, (draft) => generator(draft)])
    assert.throws(() => tree.edit(change), { name: 'TypeError', message: /must not be async or a generator/ });
  assert.equal(memory().versions, versions);
  assert.equal(tree.edit((draft) => { for (const _ of generator(draft)); }).size, 1);
});

test('a function may edit, search and free other trees, and may edit the same tree again', () => {
  const tree = new PersistentTree({ bounds: BOUNDS }).insert(one);
  const next = tree.edit((draft) => {
    for (let i = 0; i < 100; i++) draft.insert({ ...box(i), id: 10 + i });
    const inner = tree.edit((another) => { another.insert(other).remove(one); });
    assert.deepEqual(inner.all(), [other]);
    draft.load(inner.all());
    inner.free();
    draft.load(PersistentTree.of(new Float64Array(40000)).all());
  });
  assert.equal(next.check().size, 102 + 10000);
});

test('an edit by id equals the edit of the item that has the id', () => {
  const draw = dice(SEED);
  let tree = new PersistentTree({ bounds: BOUNDS, uniqueIds: true, leafCapacity: 4 });
  tree = tree.load(Array.from({ length: 500 }, (_, id) => ({ ...drawBox(draw), id: id % 50 === 0 ? 2n ** 64n - 1n - BigInt(id) : id })));
  const moves = tree.all().slice(0, 200).map((item) => [item, drawBox(draw)]);
  const moved = tree.edit((draft) => moves.forEach(([{ id }, to]) => { draft.moveId(id, to); })).check();
  assert.equal(moved.fingerprint(), tree.edit((draft) => moves.forEach(([item, to]) => { draft.move(item, to); })).fingerprint());
  for (let round = 0; round < 300; round++) {
    const id = draw(600), item = tree.find(id), to = drawBox(draw);
    assert.deepEqual(item, tree.all().find((each) => each.id === id));
    if (item === undefined) {
      assert.ok(tree.removeId(id).equals(tree) && tree.moveId(id, to).equals(tree));
      continue;
    }
    assert.ok(tree.has(item) && !tree.has({ ...item, maxX: item.maxX + 1 }) && !tree.has({ ...item, id: 1000 }));
    const removed = tree.removeId(id).check(), next = tree.moveId(id, to).check();
    assert.equal(removed.fingerprint(), tree.remove(item).fingerprint());
    assert.equal(removed.find(id), undefined);
    assert.equal(next.fingerprint(), tree.move(item, to).fingerprint());
    assert.deepEqual(next.find(id), { ...to, id });
    assert.deepEqual(tree.find(id), item);
    tree = draw(3) === 0 ? removed : next;
  }
});

test('edits by ids equal the edits by each id in turn', () => {
  const draw = dice(SEED);
  let tree = new PersistentTree({ bounds: BOUNDS, uniqueIds: true, leafCapacity: 4 });
  tree = tree.load(Array.from({ length: 300 }, (_, id) => ({ ...drawBox(draw), id: id % 10 === 0 ? 2n ** 64n - 1n - BigInt(id) : id })));
  const ids = Array.from({ length: 200 }, () => { const id = draw(400); return id % 10 === 0 ? 2n ** 64n - 1n - BigInt(id) : id; });
  const boxes = ids.map(() => drawBox(draw)), edges = Float64Array.from(boxes.flatMap(({ minX, minY, maxX, maxY }) => [minX, minY, maxX, maxY]));
  const { versions } = memory();
  const removed = ids.reduce((next, id) => next.removeId(id), tree).fingerprint();
  const moved = ids.reduce((next, id, i) => next.moveId(id, boxes[i]), tree).fingerprint();
  const before = memory().versions;
  for (const all of [ids, ids.map(BigInt), BigUint64Array.from(ids, BigInt)]) {
    const results = [tree.removeIds(all), tree.edit((draft) => draft.removeIds(all)), tree.moveIds(all, boxes), tree.moveIds(all, edges),
      tree.edit((draft) => draft.moveIds(all, edges))];
    assert.deepEqual(results.map((each) => each.check().fingerprint()), [removed, removed, moved, moved, moved]);
    results.forEach((each) => each.free());
  }
  assert.equal(memory().versions, before);
  assert.ok(before > versions);
});

test('the ids that a search returns can be removed, in each of its forms', () => {
  const tree = new PersistentTree({ bounds: BOUNDS, uniqueIds: true }).load(Array.from({ length: 90 }, (_, id) => ({ ...box(id), id })));
  const large = tree.insert({ ...box(3), id: 2n ** 60n }), window = { minX: 0, minY: 0, maxX: 9, maxY: 9 };
  for (const ids of [tree.searchIds(window), tree.searchBigIds(window), tree.search(window).map(({ id }) => id)])
    assert.equal(tree.removeIds(ids).size, 80);
  assert.equal(large.removeIds(large.search(window).map(({ id }) => id)).size, 80);
  assert.ok(tree.removeIds([]).equals(tree) && tree.moveIds([], []).equals(tree) && tree.moveIds(new Uint32Array(0), new Float64Array(0)).equals(tree));
});

test('ids of boxes may be bigints in an array', () => {
  const tree = PersistentTree.of(Float64Array.of(0, 0, 1, 1, 2, 2, 3, 3), [5, 2n ** 64n - 1n]);
  assert.deepEqual(tree.all().map(({ id }) => id), [5, 2n ** 64n - 1n]);
  assert.equal(tree.removeAll(Float64Array.of(2, 2, 3, 3), [2n ** 64n - 1n]).size, 1);
});

test('ids of 64 bits are found', () => {
  const ids = [0, 2 ** 32, 2 ** 53 - 1, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n];
  const tree = new PersistentTree({ bounds: BOUNDS, uniqueIds: true }).load(ids.map((id, i) => ({ ...box(i), id })));
  ids.forEach((id, i) => {
    assert.deepEqual(tree.find(id), { ...box(i), id });
    assert.deepEqual(tree.find(BigInt(id)), { ...box(i), id });
    assert.ok(tree.has({ ...box(i), id }) && tree.removeId(id).size === 5);
    assert.deepEqual(tree.moveId(id, box(50)).find(id), { ...box(50), id });
  });
  assert.equal(tree.find(1), undefined);
});

test('a tree without unique ids has no edits by id, but has items', () => {
  const tree = new PersistentTree({ bounds: BOUNDS }).insert(one);
  const sentence = { name: 'RangeError', code: 'PQT_ERROR_OPTION', message: 'the tree was not made with uniqueIds' };
  for (const use of [() => tree.find(1), () => tree.removeId(1), () => tree.moveId(1, box(5)), () => tree.edit((draft) => draft.removeId(1)),
    () => tree.edit((draft) => draft.insert(other).moveId(1, box(5))), () => tree.removeIds([1]), () => tree.moveIds([1], [box(5)]),
    () => tree.removeIds([]), () => tree.moveIds([], []), () => tree.edit((draft) => draft.removeIds(new Uint32Array(0)))])
    assert.throws(use, sentence);
  assert.ok(tree.has(one) && tree.has({ ...one, minX: 1, id: 1n }) && !tree.has(other));
  assert.deepEqual(tree.check().all(), [one]);
});

const unique = () => new PersistentTree({ bounds: BOUNDS, uniqueIds: true }).insert(one);
refuses([
  ['a search for an id that is a string', () => unique().find('1'), TypeError],
  ['a search for no id', () => unique().find(), TypeError],
  ['a search for an item', () => unique().find(one), TypeError],
  ['a search for a fraction', () => unique().find(0.5), RangeError],
  ['a search for an id of 65 bits', () => unique().find(2n ** 64n), RangeError],
  ['a search for an id that is NaN', () => unique().find(NaN), RangeError],
  ['a removal of an id that is null', () => unique().removeId(null), TypeError],
  ['a removal of an id that is an object with valueOf', () => unique().removeId({ valueOf: () => 1 }), TypeError],
  ['a removal of a negative id', () => unique().edit((draft) => draft.removeId(-1)), RangeError],
  ['a removal of a negative bigint', () => unique().removeId(-1n), RangeError],
  ['a move of an id to no box', () => unique().moveId(1), TypeError],
  ['a move of an id to a NaN', () => unique().moveId(1, { ...box(1), maxX: NaN }), RangeError],
  ['a move of an absent id to an inverted box', () => unique().edit((draft) => draft.moveId(7, { ...box(1), maxX: 0 })), RangeError],
  ['a move of an id out of strict bounds', () => new PersistentTree({ bounds: BOUNDS, uniqueIds: true, strictBounds: true }).moveId(1, box(100)), RangeError],
  ['a removal of one id as many', () => unique().removeIds(1), TypeError],
  ['a removal of no ids', () => unique().removeIds(), TypeError],
  ['a removal of ids in a set', () => unique().removeIds(new Set([1])), TypeError],
  ['a removal of ids that are strings', () => unique().removeIds(['1']), TypeError],
  ['a removal of signed ids', () => unique().removeIds(Int32Array.of(1)), TypeError],
  ['a removal of a fraction among ids', () => unique().removeIds([1, 0.5]), RangeError],
  ['a removal of a NaN among ids', () => unique().removeIds(Float64Array.of(NaN)), RangeError],
  ['a removal of detached ids', () => unique().removeIds(detached(new Uint32Array(2))), TypeError],
  ['a move of ids to fewer boxes', () => unique().moveIds([1, 2], [box(1)]), RangeError],
  ['a move of ids to half a box', () => unique().moveIds([1], new Float64Array(2)), RangeError],
  ['a move of ids to no boxes', () => unique().moveIds([1]), TypeError],
  ['a move of ids to one box', () => unique().moveIds([1], box(1)), TypeError],
  ['a move of ids to boxes of 32 bits', () => unique().moveIds([1], new Float32Array(4)), TypeError],
  ['a move of ids to detached boxes', () => unique().moveIds([1], detached(new Float64Array(4))), TypeError],
  ['a move of an absent id among others to an inverted box', () => unique().moveIds([7], [{ ...box(1), maxX: 0 }]), RangeError],
  ['a move of ids out of strict bounds', () => new PersistentTree({ bounds: BOUNDS, uniqueIds: true, strictBounds: true }).moveIds([1], [box(100)]), RangeError],
  ['a removal of ids from another object', () => PersistentTree.prototype.removeIds.call({}, [1]), TypeError],
  ['a search for an item without an id', () => unique().has(box(1)), TypeError],
  ['a search for an item that is null', () => unique().has(null), TypeError],
  ['a search for an item whose id is a fraction', () => unique().has({ ...one, id: 0.5 }), RangeError],
  ['a search in another object', () => PersistentTree.prototype.find.call({}, 1), TypeError],
  ['a removal from a proxy', () => new Proxy(unique(), {}).removeId(1), TypeError],
  ['an edit by id of another draft', () => unique().edit((draft) => draft.removeId.call({}, 1)), TypeError],
  ['an edit without a function', () => new PersistentTree({ bounds: BOUNDS }).edit(), TypeError],
  ['an edit with an object', () => new PersistentTree({ bounds: BOUNDS }).edit({ insert: one }), TypeError],
  ['an edit of another object', () => PersistentTree.prototype.edit.call({}, none), TypeError],
  ['a draft of its own', () => new PersistentTree({ bounds: BOUNDS }).edit((draft) => new draft.constructor()), TypeError],
  ['a method of another draft', () => new PersistentTree({ bounds: BOUNDS }).edit((draft) => draft.insert.call({}, one)), TypeError],
  ['a draft that is given an item without an id', () => new PersistentTree({ bounds: BOUNDS }).edit((draft) => draft.insert(box(1))), TypeError],
  ['a draft that is given a detached array', () => new PersistentTree({ bounds: BOUNDS }).edit((draft) => draft.load(detached(new Float64Array(8)))), TypeError],
  ['a draft that is given too many items', () => new PersistentTree({ bounds: BOUNDS }).edit((draft) => draft.load(new Array(2 ** 32 - 1))), Error],
]);

test('a draft needs its tree only when it begins', () => {
  const version = new PersistentTree({ bounds: BOUNDS }).insert(other);
  const next = version.edit((draft) => {
    version.free();
    draft.insert(one);
    assert.throws(() => draft.insert({ ...one, maxX: NaN }), RangeError);
  });
  assert.deepEqual(next.check().all(), [one, other]);
  for (const use of [() => version.edit(none), () => version.beginDraft()]) assert.throws(use, { message: 'the tree was freed' });
});

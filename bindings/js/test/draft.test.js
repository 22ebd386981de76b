// SPDX-License-Identifier: MIT
// draft.test.js: tests the class Draft: what it reads, its snapshots, its end and its memory.
//
// PQT_SEED sets the seed of the random edits.
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import test from 'node:test';

import { Document, History, PersistentTree, exclusiveBytes, memory, reclaim, setMemoryLimit } from 'pqt';
import { SEED, dice, refuses, refusesFreed } from '../support/checks.js';

const MIB = 1048576;
const BOUNDS = { minX: 0, minY: 0, maxX: 100, maxY: 100 };
const box = (x, y = x) => ({ minX: x, minY: y, maxX: x + 1, maxY: y + 1 });
const one = { ...box(1), id: 1 }, other = { ...box(2), id: 2 };
const none = () => undefined;
const dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');

function drawBox(draw) {
  const minX = draw(96), minY = draw(96);
  return { minX, minY, maxX: minX + draw(5), maxY: minY + draw(5) };
}

/** Draws the name and the arguments of an edit of a tree with uniqueIds. */
function drawEdit(draw) {
  const id = draw(200), kind = draw(8);
  if (kind === 0) return ['load', Array.from({ length: draw(20) }, () => ({ ...drawBox(draw), id: draw(200) }))];
  if (kind === 1) return ['moveIds', [id, id + 1], [drawBox(draw), drawBox(draw)]];
  if (kind === 2) return ['removeId', id];
  return kind < 5 ? ['moveId', id, drawBox(draw)] : ['insert', { ...drawBox(draw), id }];
}

/** Checks that all queries of a draft answer as those of a version. */
function readsLike(draft, version, draw) {
  const window = { minX: draw(50), minY: draw(50), maxX: 50 + draw(50), maxY: 50 + draw(50) }, id = draw(200);
  for (const read of [({ size }) => size, ({ bounds }) => bounds, (tree) => tree.all(), (tree) => [...tree], (tree) => tree.search(window), (tree) => tree.toJSON(),
    (tree) => tree.searchArrays(window), (tree) => tree.searchIds(window), (tree) => tree.searchBigIds(window), (tree) => tree.count(window),
    (tree) => tree.collides(window), (tree) => tree.nearest(draw.x, 50, 5), (tree) => tree.find(id), (tree) => tree.has({ ...window, id })])
    assert.deepEqual(read(draft), read(version));
  assert.deepEqual(draft.diff(version), []);
  assert.deepEqual(version.diff(draft), []);
}

test('a draft that is read at random answers like versions, and its snapshots stay as they are', () => {
  const draw = Object.assign(dice(SEED), { x: 50 });
  let version = new PersistentTree({ bounds: BOUNDS, uniqueIds: true, leafCapacity: 4 });
  const draft = version.beginDraft(), kept = [];
  for (let round = 0; round < 2000; round++) {
    const [name, ...given] = drawEdit(draw), before = version;
    version = before[name](...given);
    before.free();
    assert.equal(draft[name](...given), draft);
    if (draw(10) === 0) readsLike(draft, version, draw);
    if (draw(20) === 0) kept.push([draft.snapshot(), version.fingerprint()]);
    if (draw(100) === 0) reclaim();
  }
  for (const [snapshot, fingerprint] of kept) assert.equal(snapshot.check().fingerprint(), fingerprint);
  draft.free();
  assert.ok(kept.length > 50);
});

test('a draft has every method of a tree that reads, but pages, and every edit of a single item or of many', () => {
  const methods = ({ prototype }) => Object.getOwnPropertyNames(prototype);
  const draft = new PersistentTree({ bounds: BOUNDS }).beginDraft(), own = methods(draft.constructor);
  const missing = methods(PersistentTree).filter((name) => !own.includes(name));
  assert.deepEqual(missing, ['edit', 'beginDraft', 'clear', 'pages', 'digest', 'itemsAt', 'findMismatches', 'keep', 'restore', 'merge', 'union', 'intersection', 'difference']);
  draft.free();
});

test('a draft that is passed to edit can be read between its edits', () => {
  const sizes = [];
  const next = new PersistentTree({ bounds: BOUNDS }).edit((draft) => {
    for (let i = 0; i < 5; i++) {
      draft.insert({ ...box(i), id: i });
      sizes.push(draft.size, draft.count(box(0)));
    }
    if (draft.has(one)) draft.remove(one);
    assert.deepEqual(draft.snapshot().all(), draft.all());
  });
  assert.deepEqual(sizes, [1, 1, 2, 2, 3, 2, 4, 2, 5, 2]);
  assert.equal(next.check().size, 4);
});

test('a snapshot of a draft without edits equals its tree, and one after an edit does not change', () => {
  const tree = new PersistentTree({ bounds: BOUNDS }).insert(one), draft = tree.beginDraft();
  assert.ok(draft.snapshot().equals(tree));
  const first = draft.insert(other).snapshot();
  draft.remove(one).move(other, box(50));
  assert.deepEqual(draft.snapshot().all(), [{ ...box(50), id: 2 }]);
  assert.deepEqual(first.check().all(), [one, other]);
  draft.free();
  assert.deepEqual(first.all(), [one, other]);
});

test('a draft that was freed throws, and its snapshots stay', () => {
  const draft = new PersistentTree({ bounds: BOUNDS, uniqueIds: true }).beginDraft(), version = draft.insert(one).snapshot();
  draft.insert(other);
  draft[dispose]();
  draft.free();
  refusesFreed('the draft was freed', [() => draft.insert(other), () => draft.remove(one), () => draft.move(one, other), () => draft.removeId(1),
    () => draft.moveId(1, one), () => draft.load([one]), () => draft.removeAll([one]), () => draft.removeIds([1]), () => draft.moveIds([1], [one]),
    () => draft.snapshot(), () => draft.size, () => draft.bounds, () => draft.all(), () => draft.search(one), () => draft.nearest(0, 0), () => draft.find(1),
    () => draft.has(one), () => draft.toJSON(), () => draft.diff(version), () => version.diff(draft)]);
  assert.match(inspect(draft), /^Draft \(the draft was freed\)$/);
  assert.deepEqual(version.check().all(), [one]);
});

test('a draft throws after the function of edit has returned, when it is read, too', () => {
  let draft;
  new PersistentTree({ bounds: BOUNDS }).edit((given) => { draft = given.insert(one); });
  refusesFreed('the draft was used after the function of edit returned', [() => draft.size, () => draft.snapshot(), () => draft.search(one)]);
  draft.free();
  refusesFreed('the draft was used after the function of edit returned', [() => draft.size]);
});

test('console.log shows what a draft is', () => {
  const draft = new PersistentTree({ bounds: BOUNDS }).beginDraft().insert(one);
  assert.equal(inspect(draft, { breakLength: Infinity }), 'Draft { size: 1, bounds: { minX: 0, minY: 0, maxX: 100, maxY: 100 } }');
  assert.throws(() => structuredClone(draft), { name: 'DataCloneError' });
  draft.free();
});

const draft = () => new PersistentTree({ bounds: BOUNDS }).beginDraft();
refuses([
  ['a merge with a draft', () => new PersistentTree({ bounds: BOUNDS }).merge(draft(), draft()), TypeError],
  ['a history of a draft', () => new History(draft()), TypeError],
  ['a document with a draft', () => Document.of({ tree: draft() }), TypeError],
  ['the bytes of a draft', () => exclusiveBytes(draft()), TypeError],
  ['a comparison with a draft', () => new PersistentTree({ bounds: BOUNDS }).equals(draft()), TypeError],
  ['an edit of a tree that is a draft', () => PersistentTree.prototype.insert.call(draft(), one), TypeError],
  ['a snapshot with an argument', () => draft().snapshot(1), TypeError],
  ['a beginning with an argument', () => new PersistentTree({ bounds: BOUNDS }).beginDraft(none), TypeError],
  ['a draft of a draft', () => PersistentTree.prototype.beginDraft.call(draft()), TypeError],
  ['a query of a proxy of a draft', () => new Proxy(draft(), {}).size, TypeError],
  ['a look-up by id in a draft without uniqueIds', () => draft().find(1), RangeError],
  ['a window that is inverted', () => draft().search({ ...one, maxX: 0 }), RangeError],
]);

test('memory does not grow while drafts are edited, read and freed', () => {
  const items = Array.from({ length: 2000 }, (_, id) => ({ ...box(id % 97, id % 89), id }));
  const tree = new PersistentTree({ bounds: BOUNDS, uniqueIds: true }).load(items), long = tree.beginDraft();
  const act = (i) => {
    const id = i % 2000, to = box(i % 83, i % 79), short = tree.beginDraft();
    long.moveId(id, to);
    assert.deepEqual(long.find(id), { ...to, id });
    short.insert({ ...to, id: 3000 }).snapshot().free();
    short.free();
  };
  reclaim();
  for (let i = 0; i < 3000; i++) act(i);
  const level = memory().usedBytes;
  for (let i = 0; i < 12000; i++) act(i);
  const { usedBytes } = memory();
  assert.ok(usedBytes <= 2 * level + MIB, `${usedBytes} bytes after ${level}`);
  long.free();
});

test('memory of drafts that nothing refers to is freed', { skip: globalThis.gc === undefined && 'node needs --expose-gc' }, async () => {
  const tree = PersistentTree.of(Array.from({ length: 2000 }, (_, id) => ({ ...box(id % 97, id % 89), id })));
  const before = reclaim().usedBytes;
  for (let i = 0; i < 20; i++) tree.beginDraft().load(tree.all().map((item) => ({ ...item, id: item.id + 2000 }))).size;
  assert.ok(reclaim().usedBytes > before + 20 * 100000);
  for (let i = 0; i < 20 && reclaim().usedBytes > before + 100000; i++) {
    globalThis.gc();
    await new Promise((resolve) => { setTimeout(resolve); });
  }
  assert.ok(reclaim().usedBytes <= before + 100000);
});

test('an edit that finds no memory throws when the draft is read, and is made once there is memory', () => {
  const items = Float64Array.from({ length: 4 * 400000 }, (_, i) => (i >> 2) % (i % 2 === 0 ? 97 : 89) + (i % 4 >> 1)); // more than is free in the heap
  const tree = new PersistentTree({ bounds: BOUNDS }), draft = tree.beginDraft().insert(one);
  assert.equal(draft.size, 1);
  try {
    setMemoryLimit(reclaim().bytes + 1);
    draft.load(items);
    assert.throws(() => draft.size, { code: 'PQT_ERROR_MEMORY' });
    assert.throws(() => draft.snapshot(), { code: 'PQT_ERROR_MEMORY' });
    assert.throws(() => tree.edit((given) => { given.load(items); }), { code: 'PQT_ERROR_MEMORY' });
  } finally {
    setMemoryLimit(Infinity);
  }
  assert.ok(draft.snapshot().check().equals(tree.load(items).insert(one)));
  draft.free();
});

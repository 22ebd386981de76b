// SPDX-License-Identifier: MIT
// map_draft.test.js: tests the class MapDraft: what it reads, its snapshots, its end and its memory.
//
// PQT_SEED sets the seed of the random edits.
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import test from 'node:test';

import { Document, History, PersistentMap, PersistentTree, exclusiveBytes, memory, reclaim, setMemoryLimit } from 'pqt';
import { SEED, dice, refuses, refusesFreed } from '../support/checks.js';

const none = () => undefined;
const dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
const KINDS = [['ids', 'numbers'], ['ids', 'bytes'], ['bytes', 'numbers'], ['bytes', 'bytes']];

/** Draws the name and the arguments of an edit. */
function drawEdit(draw, keys, values) {
  const key = () => (keys === 'ids' ? draw(40) : 'k'.repeat(draw(30))), value = () => (values === 'numbers' ? draw(9) : 'v'.repeat(draw(40)));
  switch (draw(6)) {
    case 0: return ['setAll', Array.from({ length: draw(9) }, () => [key(), value()])];
    case 1: return ['deleteAll', Array.from({ length: draw(4) }, key)];
    case 2: return ['delete', key()];
    default: return ['set', key(), value()];
  }
}

/** Checks that all queries of a draft answer as those of a version. */
function readsLike(draft, version, key) {
  for (const read of [({ size }) => size, ({ keyKind }) => keyKind, ({ valueKind }) => valueKind, (map) => map.entries(), (map) => [...map], (map) => map.keys(),
    (map) => map.values(), (map) => map.get(key), (map) => map.has(key), (map) => (map.valueKind === 'bytes' ? map.getText(key) : undefined)])
    assert.deepEqual(read(draft), read(version));
  assert.deepEqual(draft.diff(version), []);
  assert.deepEqual(version.diff(draft), []);
}

for (const [keys, values] of KINDS)
  test(`a draft from ${keys} to ${values} that is read at random answers like versions, and its snapshots stay as they are`, () => {
    const draw = dice(SEED), kept = [];
    let version = new PersistentMap({ keys, values });
    const draft = version.beginDraft();
    for (let round = 0; round < 1500; round++) {
      const [name, ...given] = drawEdit(draw, keys, values), before = version;
      version = before[name](...given);
      before.free();
      assert.equal(draft[name](...given), draft);
      if (draw(10) === 0) readsLike(draft, version, keys === 'ids' ? draw(40) : 'k'.repeat(draw(30)));
      if (draw(20) === 0) kept.push([draft.snapshot(), version.fingerprint()]);
      if (draw(100) === 0) reclaim();
    }
    for (const [snapshot, fingerprint] of kept) assert.equal(snapshot.check().fingerprint(), fingerprint);
    draft.free();
    assert.ok(kept.length > 50);
  });

test('a draft has every method of a map that reads, and every edit', () => {
  const methods = ({ prototype }) => Object.getOwnPropertyNames(prototype);
  const draft = new PersistentMap().beginDraft(), own = methods(draft.constructor);
  assert.deepEqual(methods(PersistentMap).filter((name) => !own.includes(name)), ['edit', 'beginDraft', 'merge']);
  draft.free();
});

test('a draft that is passed to edit can be read between its edits', () => {
  const counts = new PersistentMap().edit((draft) => {
    for (const letter of 'mississippi') draft.set(letter.charCodeAt(0), (draft.get(letter.charCodeAt(0)) ?? 0) + 1);
    assert.deepEqual(draft.snapshot().entries(), draft.entries());
  });
  assert.deepEqual(['m', 'i', 's', 'p'].map((letter) => counts.get(letter.charCodeAt(0))), [1, 4, 4, 2]);
});

test('a snapshot of a draft without edits equals its map, and one after an edit does not change', () => {
  const map = PersistentMap.of([[1, 10]]), draft = map.beginDraft(), same = draft.snapshot();
  assert.ok(same.equals(map));
  assert.equal(exclusiveBytes(same, map), 0);
  map.free();
  const next = draft.set(2, 20).snapshot();
  assert.ok(draft.delete(1).snapshot().equals(PersistentMap.of([[2, 20]])));
  assert.deepEqual(next.check().entries().sort(), [[1, 10], [2, 20]]);
  draft[dispose]();
  assert.equal(same.size, 1);
});

test('a draft that has ended throws, and says how it ended', () => {
  const map = PersistentMap.of([[1, 10]]), draft = map.beginDraft();
  let late;
  map.edit((given) => { late = given.set(2, 2); });
  const uses = (one) => [() => one.set(1, 1), () => one.delete(1), () => one.setAll([]), () => one.deleteAll([]), () => one.snapshot(), () => one.size,
    () => one.get(1), () => one.entries(), () => one.diff(map), () => map.diff(one)];
  refusesFreed('the draft was used after the function of edit returned', uses(late));
  draft.free();
  draft.free();
  refusesFreed('the draft was freed', uses(draft));
});

test('an edit that is refused leaves the draft as it was, with the edits before it', () => {
  const draft = new PersistentMap({ keys: 'bytes' }).beginDraft().set('a', 1);
  assert.throws(() => draft.set('x'.repeat(33), 1), { name: 'RangeError', code: 'PQT_ERROR_LIMIT' });
  assert.throws(() => draft.setAll([['b', 2], ['x'.repeat(33), 1]]), { code: 'PQT_ERROR_LIMIT' });
  assert.throws(() => draft.setAll([['b', 2], ['c', -1]]), RangeError);
  assert.deepEqual(draft.delete('x'.repeat(33)).set('d', 4).entries().sort(), [['a', 1], ['d', 4]]);
  draft.free();
});

test('console.log shows what a draft is', () => {
  const draft = PersistentMap.of([[1, 10]]).beginDraft();
  assert.equal(inspect(draft, { breakLength: Infinity }), "MapDraft { size: 1, keyKind: 'ids', valueKind: 'numbers' }");
  draft.free();
  assert.equal(inspect(draft), 'MapDraft (the draft was freed)');
});

test('an edit that finds no memory throws when the draft is read, and is made once there is memory', () => {
  const draft = PersistentMap.of(Array.from({ length: 20000 }, (_, id) => [id, id])).beginDraft();
  setMemoryLimit(reclaim().bytes);
  draft.setAll(Array.from({ length: 200000 }, (_, id) => [id, id + 1]));
  assert.throws(() => draft.size, { code: 'PQT_ERROR_MEMORY' });
  setMemoryLimit(Infinity);
  assert.equal(draft.size, 200000);
  assert.equal(draft.snapshot().check().get(199999), 200000);
  draft.free();
});

test('memory does not grow while drafts are edited, read and freed', () => {
  const map = PersistentMap.of(Array.from({ length: 2000 }, (_, id) => [id, id])), { versions } = memory(), draft = map.beginDraft();
  let level;
  for (let i = 0; i < 6000; i++) {
    draft.set(i % 2000, i);
    assert.equal(draft.get(i % 2000), i);
    if (i % 7 === 0) draft.snapshot().free();
    if (i % 50 === 0) map.beginDraft().deleteAll(map.keys()).free();
    if (i === 1000) level = reclaim().usedBytes;
  }
  assert.ok(reclaim().usedBytes < level + 500000);
  draft.free();
  assert.equal(memory().versions, versions);
});

const map = PersistentMap.of([[1, 10]]), kept = map.beginDraft();
refuses([
  ['a merge with a draft', () => map.merge(kept, map), TypeError],
  ['a history of a draft', () => new History(kept), TypeError],
  ['a document with a draft', () => Document.of({ kept }), TypeError],
  ['a comparison with a draft', () => map.equals(kept), TypeError],
  ['an edit of a map that is a draft', () => PersistentMap.prototype.edit.call(kept, none), TypeError],
  ['a query of a tree with a draft of a map', () => PersistentTree.prototype.find.call(kept, 1), TypeError],
  ['a query of a map with a draft of a tree', () => PersistentMap.prototype.get.call(PersistentTree.of([]).beginDraft(), 1), TypeError],
  ['a difference from a map of another kind', () => kept.diff(new PersistentMap({ keys: 'bytes' })), Error],
  ['a snapshot with an argument', () => kept.snapshot(1), TypeError],
  ['a beginning with an argument', () => map.beginDraft(1), TypeError],
  ['a draft of its own', () => new kept.constructor(), TypeError],
  ['a query of a proxy of a draft', () => new Proxy(kept, {}).get(1), TypeError],
]);

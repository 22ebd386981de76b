// SPDX-License-Identifier: MIT
// history_past.test.js: tests what an indexed history says about its past.
import assert from 'node:assert/strict';
import test from 'node:test';

import { Document, History, PersistentTree, exclusiveBytes } from 'pqt';

test('an indexed history answers questions about the past', () => {
  let tree = new PersistentTree({ bounds: { minX: 0, minY: 0, maxX: 99, maxY: 99 }, uniqueIds: true });
  const history = new History(tree, { indexed: true }), window = { minX: 0, minY: 0, maxX: 3, maxY: 3 }, expected = [];
  for (let i = 0; i < 60; i++) {
    tree = tree.insert({ minX: i % 13, minY: i % 7, maxX: i % 13 + 1, maxY: i % 7, id: i });
    history.push(tree, { time: i / 2 });
    if (i % 13 <= 3 && i % 7 <= 3) expected.unshift({ entry: i + 1, before: i, time: i / 2 });
  }
  const found = [];
  for (let at = history.lastChange({ window }); at !== null; at = history.lastChange({ window, tip: at.before })) found.push(at);
  assert.deepEqual(found, expected);
  const to = { minX: 50, minY: 50, maxX: 51, maxY: 51 }, old = tree.find(3);
  history.push(tree.moveId(3, to));
  assert.deepEqual(history.lastChange(), { entry: 61, before: 60, time: 29.5 });
  assert.equal(history.lastChange({ window: to, relation: 'inside' }).entry, 61);
  assert.equal(history.lastChange({ window: to, relation: 'overlaps', tip: 60 }), null);
  const change = { kind: 'move', item: old, to };
  assert.deepEqual(history.lastItemChange(3), { entry: 61, before: 60, time: 29.5, change });
  assert.equal(history.lastItemChange(3, { tip: 60 }).entry, 4);
  assert.equal(history.lastItemChange(3, { tip: 3 }), null);
  assert.equal(history.lastItemChange(2n ** 64n - 1n), null);
  const changed = history.changes(29, 29.5).sort((a, b) => a.item.id - b.item.id);
  assert.deepEqual(changed, [change, { kind: 'insert', item: tree.find(59) }]);
  assert.deepEqual(history.changes(29.5, 29, { window: to }), [{ kind: 'remove', item: { ...to, id: 3 } }], 'it leaves the window');
  assert.deepEqual(history.changes(29.5, 99), []);

  assert.throws(() => history.lastChange({ window: { ...window, minX: NaN } }), { code: 'PQT_ERROR_BOX' });
  assert.throws(() => history.lastChange({ relation: 'near' }), RangeError);
  assert.throws(() => history.lastChange({ within: window }), TypeError);
  assert.throws(() => history.lastItemChange(3, { window }), TypeError);
  assert.throws(() => history.lastChange({ part: 'boxes' }), { code: 'PQT_ERROR_OPTION' });
  assert.throws(() => history.changes(NaN, 1), { code: 'PQT_ERROR_OPTION' });
  assert.throws(() => new History(tree).lastChange(), { code: 'PQT_ERROR_OPTION', message: /without an index/ });
  const again = History.fromBytes(history.toBytes(), { indexed: true });
  assert.deepEqual(again.lastItemChange(3), history.lastItemChange(3));
  assert.ok(again.stats().indexBytes > 0);
});

test('in a history of documents, a part names the tree', () => {
  const tree = new PersistentTree({ bounds: { minX: 0, minY: 0, maxX: 99, maxY: 99 } }), item = { minX: 1, minY: 1, maxX: 2, maxY: 2, id: 1 };
  const first = Document.of({ walls: tree, roofs: tree }), history = new History(first, { indexed: true });
  history.push(first.set('roofs', tree.insert(item)), { time: 1 });
  assert.equal(history.lastChange({ part: 'walls' }), null);
  assert.deepEqual(history.lastChange({ part: 'roofs' }), { entry: 1, before: 0, time: 1 });
  assert.deepEqual(history.lastItemChange(1, { part: 'roofs' }).change, { kind: 'insert', item });
  assert.deepEqual(history.changes(0, 1, { part: 'roofs' }), [{ kind: 'insert', item }]);
  assert.throws(() => history.lastChange(), { code: 'PQT_ERROR_OPTION' });
  assert.throws(() => history.changes(0, 1, { part: 'doors' }), { code: 'PQT_ERROR_OPTION' });
});

test('the bytes of an entry are those of its version, and what its parent does not share', () => {
  const tree = PersistentTree.of(Array.from({ length: 500 }, (_, id) => ({ minX: id, minY: 0, maxX: id + 1, maxY: 1, id })));
  const history = new History(tree);
  history.push(tree.insert({ minX: 9, minY: 0, maxX: 9, maxY: 1, id: 500 }));
  const { all, added, shared, freed } = history.entryBytes(1);
  assert.deepEqual([all, added, shared, freed], [exclusiveBytes(history.tree(1)), exclusiveBytes(history.tree(1), tree), all - added, added]);
});

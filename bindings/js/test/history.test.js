// SPDX-License-Identifier: MIT
// history.test.js: tests History: a model test, labels and groups, bad input, and leaks.
import assert from 'node:assert/strict';
import test from 'node:test';

import { History, PersistentTree, memory } from 'pqt';
import { SEED } from '../support/checks.js';

const BOUNDS = { minX: 0, minY: 0, maxX: 1000, maxY: 1000 };
const item = (id) => ({ minX: id % 990, minY: 0, maxX: (id % 990) + 1, maxY: 1, id });
const empty = () => new PersistentTree({ bounds: BOUNDS });

test('a history equals a plain tree of entries after each of many random commands', () => {
  let state = SEED;
  const draw = (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * below);
  };
  const history = new History(empty());
  const model = [{ parent: -1, last: -1, fingerprint: empty().fingerprint() }];
  let current = 0;
  for (let step = 0; step < 1000; step++) {
    const command = draw(5);
    if (command === 0) {
      const parent = model[current].parent;
      assert.equal(history.undo(), parent >= 0);
      if (parent >= 0) model[parent].last = current, current = parent;
    } else if (command === 1) {
      const { last } = model[current];
      assert.equal(history.redo(), last >= 0);
      if (last >= 0) current = last;
    } else if (command === 2 && model.length > 1) {
      current = draw(model.length);
      history.checkout(current);
      for (let at = current; model[at].parent >= 0; at = model[at].parent) model[model[at].parent].last = at;
    } else {
      const before = history.tree();
      const after = before.insert(item(step));
      history.push(after, { label: `step ${step}` });
      model[current].last = model.length;
      model.push({ parent: current, last: -1, fingerprint: after.fingerprint() });
      current = model.length - 1;
      before.free();
      after.free();
    }
    assert.equal(history.current, current);
  }
  const entries = history.entries();
  assert.equal(entries.length, model.length);
  for (const { number, parent, depth, isCurrent } of entries) {
    const version = history.tree(number);
    assert.equal(version.check().fingerprint(), model[number].fingerprint);
    assert.equal(parent, Math.max(model[number].parent, 0));
    assert.equal(version.size, depth);
    assert.equal(isCurrent, number === current);
    version.free();
  }
  const tips = history.branches().map(({ number }) => number);
  assert.deepEqual(tips, model.map((_, i) => i).filter((i) => model.every(({ parent }) => parent !== i)));
  history.free();
});

test('entries have labels, names, times, keys and groups', () => {
  const history = new History(empty(), { time: 5 });
  assert.equal(history.undoLabel, null);
  history.push(history.tree().insert(item(1)), { label: 'Größe \u{1f600}', time: 7 });
  assert.equal(history.undoLabel, 'Größe \u{1f600}');
  assert.equal(history.redoLabel, null);
  assert.equal(history.entry(1).time, 7);
  history.setName(1, 'first');
  assert.equal(history.entry(1).name, 'first');
  history.setName(1, null);
  assert.equal(history.entry(1).name, null);
  for (const id of [2, 3, 4]) history.push(history.tree().insert(item(id)), { label: 'Drag', key: 9 });
  assert.equal(history.current, 2);
  assert.equal(history.tree().size, 4);
  history.begin('Group');
  for (const id of [5, 6]) history.push(history.tree().insert(item(id)));
  assert.equal(history.undo(), false);
  assert.equal(history.end(), true);
  assert.equal(history.end(), false);
  assert.equal(history.undoLabel, 'Group');
  history.undo();
  assert.equal(history.redoLabel, 'Group');
  assert.equal(history.tree().size, 4);
  assert.equal(history.isModified, true);
  history.markSaved();
  assert.equal(history.isModified, false);
  history.push(history.tree());
  assert.equal(history.current, 2);
  history.push(history.tree(), { keepEqual: true });
  assert.equal(history.entry(history.current).parent, 2);
});

const BAD = {
  'a history of nothing': [() => new History(), TypeError],
  'a limit of 0 entries': [(history, tree) => new History(tree, { maxEntries: 0 }), RangeError],
  'a limit that is NaN': [(history, tree) => new History(tree, { maxBytes: NaN }), RangeError],
  'a time that is infinite': [(history, tree) => new History(tree, { time: Infinity }), RangeError],
  'a push of a plain object': [(history) => history.push({}), TypeError],
  'a label that is a number': [(history, tree) => history.push(tree, { label: 1 }), TypeError],
  'a time before the current one': [(history, tree) => history.push(tree.insert(item(1)), { time: -1 }), RangeError],
  'a key that is a fraction': [(history, tree) => history.push(tree, { key: 0.5 }), RangeError],
  'options that are null': [(history, tree) => history.push(tree, null), TypeError],
  'an entry that does not exist': [(history) => history.checkout(99), Error],
  'the tree of an entry that does not exist': [(history) => history.tree(99), Error],
  'an entry that is NaN': [(history) => history.entry(NaN), Error],
  'an entry that is a fraction': [(history) => history.checkout(0.5), Error],
  'an entry that is text': [(history) => history.tree('0'), TypeError],
  'a name that is a number': [(history) => history.setName(0, 5), TypeError],
  'a push of a freed tree': [(history, tree) => { const other = tree.insert(item(1)); other.free(); history.push(other); }, Error],
};

for (const [name, [action, type]] of Object.entries(BAD))
  test(`${name}: throws ${type.name} with a message`, () => {
    const tree = empty();
    const history = new History(tree);
    assert.throws(() => action(history, tree), (error) => {
      assert.ok(error instanceof type, String(error));
      assert.ok(!(error.cause instanceof WebAssembly.RuntimeError), String(error));
      assert.match(error.message, /\w+ \w+/);
      return true;
    });
    assert.equal(history.entries().length, 1);
  });

test('a history knows its paths, times and sizes, and drops entries', () => {
  const history = new History(empty());
  for (let i = 0; i < 3; i++) history.push(history.tree().insert(item(i)), { label: `insert ${i}`, time: i + 1 });
  history.checkout(1);
  history.push(history.tree().insert(item(9)), { time: 7 });
  assert.deepEqual(history.path(3, 4), [3, 2, 1, 4]);
  assert.deepEqual(history.path(4, 4), [4]);
  assert.deepEqual([history.commonAncestor(3, 4), history.commonAncestor(0, 3), history.commonAncestor(2, 3)], [1, 0, 2]);
  assert.throws(() => history.path(0, 5), { code: 'PQT_ERROR_MISMATCH', message: /no entry with this number/ });
  assert.throws(() => history.commonAncestor(5, 0), { code: 'PQT_ERROR_MISMATCH' });
  assert.throws(() => history.path('0', 1), TypeError);
  assert.deepEqual([-1, 0, 2.5, 9].map((time) => history.entryAt(time, 3)), [null, 0, 2, 3]);
  assert.deepEqual([history.entryAt(6.9), history.entryAt(7)], [1, 4]);
  assert.throws(() => history.entryAt(0, 5), { code: 'PQT_ERROR_MISMATCH' });

  history.setName(2, 'two');
  assert.deepEqual([history.find('two'), history.find('three')], [2, null]);
  const stats = history.stats(), sizes = history.entryBytes(1);
  assert.deepEqual([stats.entries, stats.branches, stats.indexBytes], [5, 2, 0]);
  assert.ok(stats.bytes > 0 && stats.entryBytes > 0);
  assert.ok(sizes.added > 0 && sizes.added <= sizes.all);
  assert.equal(sizes.freed, sizes.all - sizes.shared);
  assert.throws(() => history.entryBytes(5), { code: 'PQT_ERROR_MISMATCH' });

  history.drop(1);
  assert.deepEqual(history.path(3, 4), [3, 2, 0, 4]);
  assert.throws(() => history.drop(2), { code: 'PQT_ERROR_MISMATCH' }, 'it has a name');
  history.setName(2, null);
  history.dropBranch(2);
  assert.deepEqual(history.entries().map(({ number }) => number), [0, 4]);
  for (let i = 0; i < 20; i++) history.push(history.tree().insert(item(100 + i)));
  history.thin(0);
  assert.deepEqual(history.entries().map(({ number }) => number), [0, history.current]);
  assert.throws(() => history.thin(-1), { code: 'PQT_ERROR_MISMATCH' });

  history.push(history.tree().insert(item(1)), { key: 5 });
  history.push(history.tree().insert(item(2)), { key: 5 });
  assert.equal(history.stats().entries, 3);
  history.endCoalescing();
  history.push(history.tree().insert(item(3)), { key: 5 });
  assert.equal(history.stats().entries, 4);
  history.free();
});

test('each method of a freed history throws an error with a message', () => {
  const tree = empty();
  const history = new History(tree);
  history.free();
  history.free();
  const uses = [() => history.push(tree), () => history.undo(), () => history.redo(), () => history.checkout(0), () => history.begin(),
    () => history.end(), () => history.cancel(), () => history.markSaved(), () => history.isModified, () => history.setName(0, 'a'),
    () => history.current, () => history.tree(), () => history.tree(0), () => history.undoLabel, () => history.redoLabel,
    () => history.entry(0), () => history.entries(), () => history.branches()];
  for (const use of uses) assert.throws(use, { message: 'the history was freed' });
});

test('memory does not grow while a history with a limit grows', () => {
  const history = new History(empty(), { maxEntries: 100 });
  let level = 0;
  for (let i = 0; i < 20000; i++) {
    const before = history.tree();
    const fewer = before.remove(item(Math.max(i - 50, 0)));
    const after = fewer.insert(item(i));
    history.push(after);
    [before, fewer, after].forEach((tree) => tree.free());
    if (i === 5000) level = memory().bytes;
  }
  assert.ok(history.entries().length <= 101);
  assert.ok(memory().bytes <= level + 2 * 1048576, `${memory().bytes} bytes after ${level}`);
  history.free();
});

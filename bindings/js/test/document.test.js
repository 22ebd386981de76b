// SPDX-License-Identifier: MIT
// document.test.js: tests Document: parts, keyed maps, differences, merges, bad input and bytes.
import assert from 'node:assert/strict';
import test from 'node:test';

import { Document, History, PersistentMap, PersistentTree, Region, World, memory } from 'pqt';
import { SEED, damages, dice, refuses, refusesFreed } from '../support/checks.js';

const BOUNDS = { minX: 0, minY: 0, maxX: 1000, maxY: 1000 };
const box = (id, x) => ({ minX: x, minY: 0, maxX: x + 1, maxY: 1, id });
const where = (x) => ({ minX: x, minY: 0, maxX: x + 1, maxY: 1 });
const shapes = () => new PersistentTree({ bounds: BOUNDS, uniqueIds: true });

/** Makes a document with three boxes, their colours and names, a mask and a world. */
function plan() {
  return Document.of({
    shapes: shapes().load([box(1, 10), box(2, 20), box(3, 30)]),
    colours: { map: PersistentMap.of([[1, 0xff0000], [2, 0x00ff00], [3, 0x0000ff]]), keyedBy: 'shapes' },
    names: { map: PersistentMap.of([[1, 'one']], { values: 'bytes' }), keyedBy: 'shapes' },
    notes: PersistentMap.of([['author', 'somebody']], { keys: 'bytes', values: 'bytes' }),
    mask: Region.ofBoxes([{ minX: 0, minY: 0, maxX: 9, maxY: 9 }]),
    balls: new World({ bounds: BOUNDS }).add({ id: 1, x: 50, y: 50, radius: 5 }),
  });
}

test('a document has its parts, and setting one shares the others', () => {
  const first = plan();
  assert.deepEqual(first.parts, [
    { kind: 'world', name: 'balls', keyedBy: null }, { kind: 'map', name: 'colours', keyedBy: 'shapes' },
    { kind: 'region', name: 'mask', keyedBy: null }, { kind: 'map', name: 'names', keyedBy: 'shapes' },
    { kind: 'map', name: 'notes', keyedBy: null }, { kind: 'tree', name: 'shapes', keyedBy: null }]);
  const next = first.set('balls', first.get('balls').step(1));
  assert.equal(first.get('mask').size, 81);
  assert.ok(next.get('shapes').equals(first.get('shapes')));
  assert.ok(next.check().equals(first));
  assert.ok(!next.set('mask', new Region()).equals(first));
  assert.ok(Document.fromBytes(next.toBytes()).equals(next));
  assert.equal(Document.fromBytes(next.toBytes()).fingerprint(), next.fingerprint());
});

test('the attributes of an item are removed and restored with it', () => {
  const first = plan();
  const removed = first.set('shapes', first.get('shapes').remove(box(1, 10)));
  assert.deepEqual(removed.get('colours').keys().sort(), [2, 3]);
  assert.equal(removed.get('names').size, 0);
  assert.equal(first.get('names').getText(1), 'one');
  const added = first.set({ shapes: first.get('shapes').insert(box(4, 40)), colours: first.get('colours').set(4, 1) });
  assert.equal(added.get('colours').get(4), 1);
  assert.throws(() => first.set('colours', first.get('colours').set(4, 1)), { code: 'PQT_ERROR_MISMATCH' });
});

test('a diff lists the changes of each part', () => {
  const before = plan();
  const after = before.set({
    shapes: before.get('shapes').move(box(1, 10), where(15)).insert(box(5, 50)).remove(box(3, 30)),
    colours: before.get('colours').set(2, 7),
    mask: new Region(),
  });
  const byPart = (part) => before.diff(after).filter((change) => change.part === part);
  assert.deepEqual(byPart('colours').sort((a, b) => a.key - b.key), [
    { part: 'colours', kind: 'map', key: 2, before: 0x00ff00, after: 7 },
    { part: 'colours', kind: 'map', key: 3, before: 0x0000ff, after: undefined }]);
  assert.deepEqual(byPart('mask'), [{ part: 'mask', kind: 'region' }]);
  assert.deepEqual(byPart('shapes').sort((a, b) => a.item.id - b.item.id), [
    { part: 'shapes', kind: 'tree', change: 'move', item: box(1, 10), to: where(15) },
    { part: 'shapes', kind: 'tree', change: 'remove', item: box(3, 30) },
    { part: 'shapes', kind: 'tree', change: 'insert', item: box(5, 50) }]);
  assert.deepEqual(before.diff(before), []);
});

test('a merge has the changes of both sides, and calls the function for each kind of conflict', () => {
  const base = plan();
  const ours = base.set({
    shapes: base.get('shapes').move(box(1, 10), where(11)).remove(box(3, 30)),
    colours: base.get('colours').set(2, 1),
    balls: base.get('balls').remove(1),
    mask: base.get('mask').move(1, 0),
  });
  const theirs = base.set({
    shapes: base.get('shapes').move(box(1, 10), where(12)).insert(box(9, 90)),
    colours: base.get('colours').set(2, 2).set(3, 3),
    balls: base.get('balls').add({ id: 2, x: 80, y: 50, radius: 5 }),
    mask: base.get('mask').move(0, 20),
    notes: base.get('notes').set('author', 'they'),
  });
  assert.throws(() => base.merge(ours, theirs), { code: 'PQT_ERROR_CONFLICT' });
  const seen = [], spare = new World({ bounds: BOUNDS });
  const merged = base.merge(ours, theirs, { onConflict: (conflict) => {
    seen.push(conflict);
    base.get('shapes').all(); // uses the buffer
    return { item: { boxes: [where(100)] }, entry: { value: 3 }, removedItem: 'theirs', part: { version: spare } }[conflict.kind];
  } });
  assert.deepEqual(seen.sort((a, b) => (a.kind < b.kind ? -1 : 1)), [
    { kind: 'entry', part: 'colours', key: 2, base: 0x00ff00, ours: 1, theirs: 2 },
    { kind: 'item', part: 'shapes', id: 1, base: [where(10)], ours: [where(11)], theirs: [where(12)] },
    { kind: 'part', part: 'balls' },
    { kind: 'removedItem', part: 'shapes', id: 3, base: [where(30)], ours: [], theirs: [where(30)] }]);
  assert.deepEqual(merged.check().get('shapes').all().map(({ id, minX }) => [id, minX]).sort(([a], [b]) => a - b),
    [[1, 100], [2, 20], [3, 30], [9, 90]]);
  assert.deepEqual([2, 3].map((id) => merged.get('colours').get(id)), [3, 3]);
  assert.ok(merged.get('balls').equals(spare));
  const flipped = (side) => side.get('mask').xor(base.get('mask'));
  assert.ok(merged.get('mask').equals(base.get('mask').xor(flipped(ours).union(flipped(theirs)))));
  assert.equal(merged.get('notes').getText('author'), 'they');
  assert.equal(base.merge(ours, theirs, { onConflict: 'ours' }).get('colours').get(2), 1);
  assert.equal(base.merge(ours, theirs, { onConflict: 'theirs' }).get('shapes').search(where(30)).length, 1);
});

test('merges of random edits by a function equal those by the name of a choice', () => {
  const draw = dice(SEED);
  for (let round = 0; round < 30; round++) {
    const base = Document.of({ shapes: shapes().load(Array.from({ length: 30 }, (_, id) => box(id, 10 * id))),
      colours: { map: PersistentMap.of(Array.from({ length: 30 }, (_, id) => [id, id])), keyedBy: 'shapes' } });
    const edited = () => {
      let tree = base.get('shapes'), map = base.get('colours');
      for (let i = 0; i < 12; i++) {
        const id = draw(30), item = tree.all().find((one) => one.id === id);
        if (item === undefined) continue;
        if (draw(3) === 0) tree = tree.remove(item);
        else if (draw(2) === 0) tree = tree.move(item, where(draw(900)));
        else map = map.set(id, draw(5));
      }
      return base.set({ shapes: tree, colours: map });
    };
    const ours = edited(), theirs = edited();
    for (const side of ['ours', 'theirs', 'base', 'neither'])
      assert.ok(base.merge(ours, theirs, { onConflict: side }).check().equals(base.merge(ours, theirs, { onConflict: () => side })));
    base.merge(ours, theirs, { onConflict: ({ kind, id, key }) => ((id ?? key) % 2 === 0 ? 'neither' : kind === 'item' ? 'base' : 'theirs') }).check();
  }
});

test('an exception in the conflict callback reaches the caller, and no version leaks', () => {
  const base = plan();
  const ours = base.set('balls', base.get('balls').remove(1)), theirs = base.set('balls', base.get('balls').add({ id: 2, x: 80, y: 50, radius: 5 }));
  const held = memory().versions;
  assert.throws(() => base.merge(ours, theirs, { onConflict: () => { throw new Error('my own'); } }), { message: 'my own' });
  assert.equal(memory().versions, held);
  assert.throws(() => base.merge(ours, theirs, { onConflict: () => 'neither' }), { code: 'PQT_ERROR_CALLBACK' });
  assert.throws(() => base.merge(ours, theirs, { onConflict: () => ({ version: PersistentTree.of([]) }) }), TypeError);
  assert.throws(() => base.merge(ours, theirs, { onConflict: () => ({ value: 1 }) }), TypeError);
  const mine = new World({ bounds: BOUNDS });
  const merged = base.merge(ours, theirs, { onConflict: () => ({ version: mine }) });
  mine.free();
  assert.ok(merged.get('balls').equals(new World({ bounds: BOUNDS })));
});

test('regions are merged pixel by pixel, without a conflict', () => {
  const base = plan(), mask = base.get('mask');
  const merged = base.merge(base.set('mask', mask.move(1, 0)), base.set('mask', mask.union(mask.move(0, 20))));
  assert.ok(merged.get('mask').equals(mask.move(1, 0).union(mask.move(0, 20))));
});

test('a history of documents undoes all parts in one step', () => {
  const history = new History(plan());
  const first = history.version();
  history.push(first.set({ shapes: first.get('shapes').insert(box(7, 70)), colours: first.get('colours').set(7, 7) }), { label: 'Add' });
  assert.equal(history.version().get('colours').get(7), 7);
  assert.equal(history.undo(), true);
  assert.ok(history.version().equals(first));
});

const document = plan(), tree = shapes();
test('a merge uses the parts of the document, even if its members are replaced', () => {
  const bounds = { minX: 0, minY: 0, maxX: 9, maxY: 9 }, area = Region.ofBoxes([bounds]), world = new World({ bounds });
  const numbers = PersistentMap.of([[1, 1]]), bytes = new PersistentMap({ values: 'bytes' }).set(1, 'x');
  const plan = Document.of({ area, numbers, bytes, world }), { versions } = memory();
  const added = (id) => world.add({ id, x: 4, y: 4, radius: 1 });
  const conflicts = [['world', added(1), added(2), { version: area }, /must be a world/],
    ['numbers', numbers.set(1, 2), numbers.set(1, 3), { value: 'yyyyyyyyyyyyyyyy' }, /a value must be an integer/],
    ['bytes', bytes.set(1, 'a'), bytes.set(1, 'b'), { value: 123456 }, /a value must be a string/]];
  const [{ kind }] = plan.parts;
  for (const [name, ours, theirs, answer, message] of conflicts) {
    const before = Document.of({ area, numbers, bytes, world }), one = before.set(name, ours), other = before.set(name, theirs);
    const fake = { area: world, world: area, numbers: bytes, bytes: numbers };
    Object.defineProperty(before, 'parts', { value: plan.parts.map((part) => ({ ...part, kind: { area: 'world', world: 'region' }[part.name] ?? part.kind })) });
    before.get = (part) => Document.of({ part: fake[part] }).get('part');
    assert.throws(() => before.merge(one, other, { onConflict: () => answer }), { name: 'TypeError', message });
    assert.equal(before.diff(one).length, 1);
    assert.ok(before.merge(one, other, { onConflict: 'ours' }).check().equals(one));
  }
  assert.equal(kind, 'region');
  assert.ok(versions > 0);
});

refuses([
  ['a name of a part with half of a surrogate pair', () => Document.of({ 'a\ud800': new PersistentMap() }), RangeError],
  ['a document made by new', () => new Document({ tree }), TypeError],
  ['a document without parts', () => Document.of({}), RangeError],
  ['a document made from null', () => Document.of(null), TypeError],
  ['a part that is not a version', () => Document.of({ shapes: [1, 2] }), TypeError],
  ['a part that is null', () => Document.of({ shapes: null }), TypeError],
  ['a part that is a document', () => Document.of({ inner: document }), TypeError],
  ['a part without a name', () => Document.of({ '': tree }), RangeError],
  ['a name with a control character', () => Document.of({ 'a\nb': tree }), RangeError],
  ['a name with a zero', () => Document.of({ 'a\0b': tree }), RangeError],
  ['a name of 64 bytes', () => Document.of({ ['x'.repeat(64)]: tree }), RangeError],
  ['seventeen parts', () => Document.of(Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`part ${i}`, tree]))), RangeError],
  ['a map keyed by nothing', () => Document.of({ tree, map: { map: new PersistentMap(), keyedBy: 'trees' } }), RangeError],
  ['a map keyed by a number', () => Document.of({ tree, map: { map: new PersistentMap(), keyedBy: 5 } }), TypeError],
  ['a keyed tree', () => Document.of({ tree, other: { map: tree, keyedBy: 'tree' } }), RangeError],
  ['a key that is not the id of an item', () => Document.of({ tree, map: { map: new PersistentMap().set(1, 1), keyedBy: 'tree' } }), Error],
  ['a part that the document lacks', () => document.get('trees'), RangeError],
  ['a call of get without a name', () => document.get(), RangeError],
  ['a set part that the document lacks', () => document.set('trees', tree), RangeError],
  ['a set part of another kind', () => document.set('shapes', new Region()), RangeError],
  ['setting a part that is not a version', () => document.set('shapes', {}), TypeError],
  ['nothing to set', () => document.set(), TypeError],
  ['a diff with another document', () => document.diff(Document.of({ tree })), Error],
  ['a diff with a tree', () => document.diff(tree), TypeError],
  ['a merge with another document', () => document.merge(document, Document.of({ tree })), Error],
  ['an unknown decision', () => document.merge(document, document, { onConflict: 'mine' }), RangeError],
  ['bytes of a tree as a document', () => Document.fromBytes(tree.toBytes()), Error],
]);

test('damaged bytes of a document throw an error and never trap', () => damages(document.toBytes(), Document.fromBytes));

test('each method of a freed document throws an error with a message', () => {
  const freed = plan(), other = plan();
  freed.free();
  refusesFreed('the document was freed', [() => freed.parts, () => freed.get('shapes'), () => freed.set('shapes', tree), () => freed.diff(other),
    () => other.diff(freed), () => freed.merge(other, other), () => other.merge(freed, other), () => freed.toBytes(), () => freed.fingerprint(),
    () => freed.equals(other), () => freed.check(), () => new History(freed)]);
  const region = new Region();
  region.free();
  assert.throws(() => Document.of({ region }), { message: 'the region was freed' });
});

// SPDX-License-Identifier: MIT
// map.test.js: tests PersistentMap: a model test, merges, bad input and bytes.
import assert from 'node:assert/strict';
import test from 'node:test';

import { History, PersistentMap, PersistentTree, memory } from 'pqt';
import { SEED, damages, detached, dice, refuses, refusesFreed } from '../support/checks.js';

const bytesOf = (text) => new TextEncoder().encode(text);
const sorted = (entries) => [...entries].map(([key, value]) => `${key}=${value}`).sort();

for (const [keys, values, key, value] of [
  ['ids', 'numbers', (n) => n, (n) => n],
  ['ids', 'bytes', (n) => n, (n) => bytesOf('x'.repeat(n % 40))],
  ['bytes', 'numbers', (n) => `key ${n}`, (n) => n],
  ['bytes', 'bytes', (n) => 'ä'.repeat(n % 16), (n) => bytesOf(`${n}`)],
])
  test(`a map from ${keys} to ${values} equals a Map after each of many random commands, and old versions stay unchanged`, () => {
    const draw = dice(SEED);
    let map = new PersistentMap({ keys, values });
    const model = new Map();
    const kept = [];
    for (let step = 0; step < 400; step++) {
      const command = draw(4);
      if (command === 0) {
        const one = key(draw(60));
        model.delete(one);
        map = map.delete(one);
      } else if (command === 1) {
        const many = Array.from({ length: draw(20) }, () => [key(draw(60)), value(draw(1000))]);
        many.forEach(([one, to]) => model.set(one, to));
        map = map.setAll(many);
      } else {
        const one = key(draw(60)), to = value(draw(1000));
        model.set(one, to);
        map = map.set(one, to);
      }
      const asked = key(draw(60));
      assert.deepEqual(map.get(asked), model.get(asked));
      assert.equal(map.has(asked), model.has(asked));
      assert.equal(map.size, model.size);
      if (step % 20 === 0) kept.push([map, new Map(model)]);
    }
    kept.forEach(([version, entries], i) => {
      assert.deepEqual(sorted(version), sorted(entries));
      assert.equal(version.check().fingerprint(), PersistentMap.of(entries, { keys, values }).fingerprint());
      assert.ok(PersistentMap.fromBytes(version.toBytes()).equals(version));
      const [before, from] = kept[Math.max(i - 1, 0)];
      const replayed = new Map(from);
      for (const { key: one, before: was, after } of before.diff(version)) {
        assert.deepEqual(replayed.get(one), was);
        if (after === undefined) replayed.delete(one);
        else replayed.set(one, after);
      }
      assert.deepEqual(sorted(replayed), sorted(entries));
    });
    const last = kept.at(-1)[0];
    assert.equal(last.deleteAll(last.keys()).size, 0);
    assert.equal(last.values().length, last.size);
    assert.deepEqual([last.keyKind, last.valueKind], [keys, values]);
  });

test('values can be any bytes, and ids and numbers have 64 bits', () => {
  const huge = 2n ** 64n - 1n;
  const map = new PersistentMap().set(huge, huge).set(2n ** 53n, 0).set(Number.MAX_SAFE_INTEGER, 2n ** 53n - 1n);
  assert.equal(map.get(huge), huge);
  assert.equal(map.get(2n ** 53n), 0);
  assert.equal(map.get(BigInt(Number.MAX_SAFE_INTEGER)), Number.MAX_SAFE_INTEGER);
  const bytes = Uint8Array.of(255, 0, 254);
  const names = PersistentMap.of([['', ''], [bytes, bytes], ['text', 'Größe \0 \u{1f600}']], { keys: 'bytes', values: 'bytes' });
  assert.deepEqual(names.get(bytes), bytes);
  assert.equal(names.getText('text'), 'Größe \0 \u{1f600}');
  assert.equal(names.getText(''), '');
  assert.equal(names.getText('absent'), undefined);
  assert.ok(names.keys().some((key) => key instanceof Uint8Array && key[0] === 255));
  assert.throws(() => names.getText(bytes), { message: 'the value is not UTF-8 text' });
});

test('a map made from columns equals one made from pairs', () => {
  const ids = [7, 2 ** 40, 3], numbers = [1, 0, 2 ** 53 - 1], texts = ['a', '', 'Größe'];
  const pairs = (values) => ids.map((id, i) => [id, values[i]]), empty = new PersistentMap();
  const expected = PersistentMap.of(pairs(numbers)), names = PersistentMap.of(pairs(texts), { values: 'bytes' });
  for (const keys of [ids, BigUint64Array.from(ids, BigInt), Float64Array.from(ids)])
    for (const values of [numbers, BigUint64Array.from(numbers, BigInt), Float64Array.from(numbers)]) {
      assert.ok(PersistentMap.ofColumns(keys, values).equals(expected));
      assert.ok(empty.set(3, 4).setColumns(keys, values).equals(expected));
      assert.ok(empty.edit((draft) => draft.set(3, 4).setColumns(keys, values)).equals(expected));
    }
  for (const values of [texts, texts.map(bytesOf)]) assert.ok(PersistentMap.ofColumns(ids, values, { values: 'bytes' }).check().equals(names));
  assert.equal(PersistentMap.ofColumns([1, 1], [2, 3]).get(1), 3);
  const both = { keys: 'bytes', values: 'bytes' };
  assert.ok(PersistentMap.ofColumns(texts, texts, both).equals(PersistentMap.of(texts.map((text) => [text, text]), both)));
});

/** Returns strings as one column of bytes, with some after them that belong to none. */
function packed(texts) {
  const all = texts.map(bytesOf), bytes = Uint8Array.from([...all.flatMap((one) => [...one]), 255]);
  let end = 0;
  return { bytes, ends: Uint32Array.from(all, ({ length }) => (end += length)) };
}

test('byte strings that follow each other are a column, of values and of keys', () => {
  const texts = ['a', '', 'Größe', 'z'.repeat(40)], ids = [7, 2 ** 40, 3, 2n ** 63n];
  const names = PersistentMap.of(ids.map((id, i) => [id, texts[i]]), { values: 'bytes' }), both = { keys: 'bytes', values: 'bytes' };
  assert.ok(PersistentMap.ofColumns(ids, packed(texts), { values: 'bytes' }).check().equals(names));
  const draft = new PersistentMap({ values: 'bytes' }).set(1, 'one').beginDraft();
  draft.set(2, 'two').setColumns(ids, packed(texts)).set(3, 'three');
  assert.ok(draft.snapshot().check().equals(names.setAll([[1, 'one'], [2, 'two'], [3, 'three']])));
  const keys = ['k', '', 'Größe', 'z'.repeat(32)];
  assert.ok(PersistentMap.ofColumns(packed(keys), [1, 2, 3, 4], { keys: 'bytes' }).equals(PersistentMap.of(keys.map((key, i) => [key, i + 1]), { keys: 'bytes' })));
  assert.ok(PersistentMap.ofColumns(packed(keys), packed(texts), both).check().equals(PersistentMap.of(keys.map((key, i) => [key, texts[i]]), both)));
  assert.throws(() => PersistentMap.ofColumns(packed(texts), packed(texts), both), { message: /^key 3: 40 bytes/ });
  assert.equal(PersistentMap.ofColumns([], packed([]), { values: 'bytes' }).size, 0);
});

test('the columns of a map make it again, without an object for each entry', () => {
  const count = 1000, ids = Array.from({ length: count }, (_, i) => (i % 7 === 0 ? 2n ** 60n + BigInt(i) : i * 31)), texts = ids.map((id) => 'x'.repeat(Number(id) % 11));
  for (const [keys, values, options] of [[ids, ids, {}], [ids, texts, { values: 'bytes' }], [ids.map(String), ids, { keys: 'bytes' }], [ids.map(String), texts, { keys: 'bytes', values: 'bytes' }]]) {
    const map = PersistentMap.of(keys.map((key, i) => [key, values[i]]), options), columns = map.columns();
    assert.ok(PersistentMap.ofColumns(columns.keys, columns.values, options).check().equals(map));
    for (const [column, isBytes] of [[columns.keys, 'keys' in options], [columns.values, 'values' in options]])
      assert.ok(isBytes ? column.bytes instanceof Uint8Array && column.ends.length === count : column instanceof BigUint64Array && column.length === count);
    const [[key]] = map.entries();
    assert.equal('keys' in options ? bytesOf(key).length : BigInt(key), 'keys' in options ? columns.keys.ends[0] : columns.keys[0]);
  }
  assert.deepEqual(new PersistentMap({ values: 'bytes' }).columns(), { keys: new BigUint64Array(0), values: { bytes: new Uint8Array(0), ends: new Uint32Array(0) } });
  const draft = new PersistentMap().beginDraft().set(1, 2);
  assert.deepEqual(draft.columns(), { keys: BigUint64Array.of(1n), values: BigUint64Array.of(2n) });
});

test('the length of a column is not that of a class of the user', () => {
  for (let honest = 0; honest < 6; honest++) {
    let reads = 0;
    class Column extends Float64Array {
      get length() {
        return reads++ < honest ? super.length : 1000;
      }
    }
    const expected = PersistentMap.of([[7, 8]]);
    assert.ok(PersistentMap.ofColumns(Column.of(7), [8]).equals(expected));
    reads = 0;
    assert.ok(new PersistentMap().edit((draft) => draft.setColumns(Column.of(7), Float64Array.of(8))).equals(expected));
  }
});

test('a merge applies the changes of both sides, and its callback resolves conflicts and may use the maps', () => {
  const base = PersistentMap.of([[1, 10], [2, 20], [3, 30], [4, 40]]);
  const ours = base.set(1, 11).set(2, 21).delete(3);
  const theirs = base.set(2, 22).set(3, 33).set(5, 50);
  assert.throws(() => base.merge(ours, theirs), { code: 'PQT_ERROR_CONFLICT' });
  const seen = [];
  const merged = base.merge(ours, theirs, { onConflict: (conflict) => {
    seen.push(conflict);
    base.set(9, 9).entries(); // overwrites the buffer that passes arguments
    return conflict.key === 2 ? { value: conflict.ours + conflict.theirs } : 'theirs';
  } });
  assert.deepEqual(sorted(merged), sorted([[1, 11], [2, 43], [3, 33], [4, 40], [5, 50]]));
  assert.deepEqual(seen.sort((a, b) => a.key - b.key), [
    { key: 2, base: 20, ours: 21, theirs: 22 }, { key: 3, base: 30, ours: undefined, theirs: 33 }]);
  for (const [onConflict, expected] of [['ours', [21, undefined]], ['theirs', [22, 33]], ['neither', [undefined, undefined]], ['base', [20, 30]]]) {
    const decided = base.merge(ours, theirs, { onConflict });
    assert.deepEqual([decided.get(2), decided.get(3)], expected);
  }
});

test('an exception in the conflict callback reaches the caller, and no version leaks', () => {
  const base = PersistentMap.of([['a', '1']], { keys: 'bytes', values: 'bytes' });
  const ours = base.set('a', '2'), theirs = base.set('a', '3');
  const held = memory().versions;
  assert.throws(() => base.merge(ours, theirs, { onConflict: () => { throw new Error('my own'); } }), { message: 'my own' });
  assert.throws(() => base.merge(ours, theirs, { onConflict: () => 'yours' }), TypeError);
  assert.throws(() => base.merge(ours, theirs, { onConflict: () => ({}) }), TypeError);
  assert.throws(() => base.merge(ours, theirs, { onConflict: () => ({ value: 5 }) }), TypeError);
  assert.equal(memory().versions, held);
  assert.throws(() => base.merge(ours, theirs, { onConflict: () => { theirs.free(); return 'theirs'; } }), { message: 'the map was freed' });
});

test('a history of maps undoes edits', () => {
  const history = new History(new PersistentMap());
  history.push(history.version().set(1, 2), { label: 'Set' });
  assert.equal(history.version().get(1), 2);
  history.undo();
  assert.equal(history.version().size, 0);
  assert.throws(() => history.tree(), TypeError);
  assert.throws(() => history.push(PersistentTree.of([])), TypeError);
});

const ids = new PersistentMap(), texts = new PersistentMap({ keys: 'bytes', values: 'bytes' });
test('strings that UTF-8 cannot represent are refused, so that they do not become equal keys', () => {
  const map = new PersistentMap({ keys: 'bytes', values: 'bytes' }).set('\ud83d\ude00', '\u{1f600}').set('\ufffd', 'a');
  const message = /has half of a surrogate pair, which UTF-8 cannot represent/;
  for (const text of ['\ud800', 'a\udc00b', '\ude00\ud83d'])
    for (const use of [() => map.set(text, ''), () => map.set('a', text), () => map.get(text), () => map.has(text), () => map.delete(text),
      () => PersistentMap.of([[text, 1]], { keys: 'bytes' }), () => map.edit((draft) => draft.set(text, '')), () => map.edit((draft) => draft.deleteAll([text]))])
      assert.throws(use, { name: 'RangeError', message });
  assert.deepEqual(map.keys().sort(), ['\ud83d\ude00', '\ufffd']);
});

refuses([
  ['keys of another kind', () => new PersistentMap({ keys: 'words' }), RangeError],
  ['map options that are null', () => new PersistentMap(null), TypeError],
  ['entries that are a string', () => ids.setAll('ab'), TypeError],
  ['entries that are not pairs', () => ids.setAll([1]), TypeError],
  ['no entries', () => PersistentMap.of(), TypeError],
  ['more keys than values', () => ids.setColumns([1, 2], [1]), RangeError],
  ['a column that is a string', () => ids.setColumns('ab', [1, 2]), TypeError],
  ['a column that is a DataView', () => ids.setColumns(new DataView(new ArrayBuffer(8)), []), TypeError],
  ['a column of values that is absent', () => PersistentMap.ofColumns([1]), TypeError],
  ['a column that is detached', () => ids.setColumns(detached(new Float64Array(1)), []), TypeError],
  ['a column with a negative id', () => ids.edit((draft) => draft.setColumns(Int32Array.of(1, -1), [1, 1])), RangeError],
  ['a column of numbers in a map of byte strings', () => texts.setColumns(['a'], Uint8Array.of(1)), TypeError],
  ['a column of bytes without ends', () => texts.setColumns(['a'], { bytes: Uint8Array.of(1) }), TypeError],
  ['a column of bytes with ends in an array', () => texts.setColumns(['a'], { bytes: Uint8Array.of(1), ends: [1] }), TypeError],
  ['a column of bytes whose ends decrease', () => texts.setColumns(['a', 'b'], { bytes: new Uint8Array(9), ends: Uint32Array.of(5, 4) }), RangeError],
  ['a column of bytes whose ends are beyond the bytes', () => texts.setColumns(['a'], { bytes: new Uint8Array(9), ends: Uint32Array.of(10) }), RangeError],
  ['a column of bytes that is detached', () => texts.setColumns(['a'], { bytes: detached(new Uint8Array(1)), ends: Uint32Array.of(0) }), TypeError],
  ['fewer byte strings than keys', () => texts.setColumns(['a', 'b'], { bytes: Uint8Array.of(1), ends: Uint32Array.of(1) }), RangeError],
  ['a column of byte strings in a map of numbers', () => ids.setColumns([1], { bytes: Uint8Array.of(1), ends: Uint32Array.of(1) }), TypeError],
  ['a column of byte strings as ids', () => ids.setColumns({ bytes: Uint8Array.of(1), ends: Uint32Array.of(1) }, [1]), TypeError],
  ['keys that are a number', () => ids.deleteAll(5), TypeError],
  ['a key that is a string in a map of ids', () => ids.set('1', 1), TypeError],
  ['a key that is a fraction', () => ids.get(0.5), RangeError],
  ['a key that is NaN', () => ids.has(NaN), RangeError],
  ['a negative number as a value', () => ids.set(1, -1), RangeError],
  ['a bigint of 65 bits as a value', () => ids.set(1, 2n ** 64n), RangeError],
  ['no value', () => ids.set(1), TypeError],
  ['a key that is a number in a map of bytes', () => texts.set(1, ''), TypeError],
  ['a key that is null', () => texts.get(null), TypeError],
  ['a key of 33 bytes', () => texts.set('x'.repeat(33), ''), RangeError],
  ['a value that is detached', () => texts.set('a', detached(new Uint8Array(8))), TypeError],
  ['a diff with a map of another kind', () => ids.diff(texts), Error],
  ['a diff with a tree', () => ids.diff(PersistentTree.of([])), TypeError],
  ['a merge with a map of another kind', () => ids.merge(ids, texts), Error],
  ['an unknown decision', () => ids.merge(ids, ids, { onConflict: 'toString' }), RangeError],
  ['the text of a value that is a number', () => ids.set(1, 1).getText(1), TypeError],
  ['bytes of a tree as a map', () => PersistentMap.fromBytes(PersistentTree.of([]).toBytes()), Error],
  ['a map method called on a tree', () => PersistentMap.prototype.get.call(PersistentTree.of([]), 1), TypeError],
  ['a map with the methods of a tree', () => Object.setPrototypeOf(new PersistentMap(), PersistentTree.prototype).all(), TypeError],
  ['a map made with the constructor of its base class', () => new (Object.getPrototypeOf(PersistentMap))('pin', 4, 1024), TypeError],
]);

test('a key of 33 bytes is not found', () => assert.equal(texts.get('x'.repeat(33)), undefined));

test('damaged bytes of a map throw an error and never trap', () =>
  damages(PersistentMap.of([['a', 'b'], ['c', 'd']], { keys: 'bytes', values: 'bytes' }).toBytes(), PersistentMap.fromBytes));

test('each method of a freed map throws an error with a message', () => {
  const map = new PersistentMap(), other = new PersistentMap();
  map.free();
  refusesFreed('the map was freed', [() => map.size, () => map.get(1), () => map.has(1), () => map.set(1, 1), () => map.setAll([]),
    () => map.delete(1), () => map.deleteAll([]), () => map.edit(() => undefined), () => map.entries(), () => [...map], () => map.diff(other), () => other.diff(map),
    () => other.merge(other, map), () => map.merge(other, other), () => map.toBytes(), () => map.fingerprint(), () => map.equals(other),
    () => other.equals(map), () => map.check(), () => map.keyKind, () => new History(map)]);
});

test('a key that begins with U+FEFF stays another key than the one without it', () => {
  const map = PersistentMap.of([['key', 1], ['\ufeffkey', 2]], { keys: 'bytes' });
  assert.deepEqual([...map.keys()].sort(), ['key', '\ufeffkey']);
  assert.equal(map.get('\ufeffkey'), 2);
});

// SPDX-License-Identifier: MIT
// map_edit.test.js: tests PersistentMap.edit, which applies the edits of a draft as one version.
//
// PQT_SEED sets the seed of the random edits.
import assert from 'node:assert/strict';
import test from 'node:test';

import { Document, PersistentMap, PersistentTree, exclusiveBytes, memory, reclaim } from 'pqt';
import { SEED, detached, dice, refusalsOf, refuses, refusesFreed } from '../support/checks.js';

const none = () => undefined;
const KINDS = { ids: [0, 1, 2, 3, 2n ** 64n - 1n, 2 ** 53 - 1, 9], bytes: ['', 'a', 'b', 'Größe', 'x'.repeat(32), Uint8Array.of(255, 0), Uint8Array.of(97)] };
const VALUES = { numbers: [0, 1, 2 ** 53, 2n ** 53n, 2n ** 64n - 1n, 7], bytes: ['', 'one', 'x'.repeat(1000), Uint8Array.of(1, 2, 3)] };
const ODD = [undefined, null, NaN, -1, 0.5, -1n, 2n ** 64n, 'text', 'x'.repeat(33), {}, [], Symbol('s'), new Float64Array(1)];

/** Draws an element, or rarely something that a map may refuse. */
function drawOf(draw, choices) {
  return draw(12) === 0 ? ODD[draw(ODD.length)] : choices[draw(choices.length)];
}

/** Draws the name and the arguments of an edit. */
function drawEdit(draw, keys, values) {
  const key = () => drawOf(draw, KINDS[keys]), value = () => drawOf(draw, VALUES[values]);
  switch (draw(6)) {
    case 0: return ['setAll', Array.from({ length: draw(5) }, () => [key(), value()])];
    case 1: return ['deleteAll', Array.from({ length: draw(5) }, key)];
    case 2: return ['delete', key()];
    default: return ['set', key(), value()];
  }
}

/** Applies edits to maps one after another. Returns the last map and the messages of all errors. */
function applied(map, edits) {
  const messages = [];
  for (const [name, ...given] of edits)
    try {
      map = map[name](...given);
    } catch (error) {
      messages.push(String(error));
    }
  return [map, messages];
}

for (const keys of Object.keys(KINDS))
  for (const values of Object.keys(VALUES))
    test(`a draft makes the same map and the same errors as single edits, from ${keys} to ${values}`, () => {
      const draw = dice(SEED);
      let map = new PersistentMap({ keys, values });
      let errors = 0;
      for (let round = 0; round < 300; round++) {
        const edits = Array.from({ length: draw(4) === 0 ? draw(100) : draw(6) }, () => drawEdit(draw, keys, values));
        const [expected, messages] = applied(map, edits);
        let refused;
        const next = map.edit((draft) => { refused = refusalsOf(draft, edits); });
        assert.deepEqual(refused, messages);
        assert.equal(next.check().fingerprint(), expected.fingerprint());
        assert.deepEqual(next.entries(), expected.entries());
        errors += messages.length;
        map = round % 20 === 19 ? new PersistentMap({ keys, values }) : next;
      }
      assert.ok(errors > 100, `${errors} errors`);
    });

test('a draft with very many edits copies each block of the map once', () => {
  const base = PersistentMap.of(Array.from({ length: 20000 }, (_, id) => [id, id]));
  const some = Array.from({ length: 300 }, (_, i) => 61 * i), others = some.map((id) => id + 30);
  const edited = base.edit((draft) => {
    for (const id of some) draft.set(id, 1);
    for (const id of others) draft.delete(id);
  }).check();
  assert.equal(edited.size, 20000 - 300);
  const set = base.setAll(some.map((id) => [id, 1])), both = set.deleteAll(others);
  assert.ok(edited.equals(both));
  const bytes = exclusiveBytes(edited, base);
  assert.equal(bytes, exclusiveBytes(both, base));
  assert.ok(bytes < exclusiveBytes(set, base) + exclusiveBytes(both, set), 'one version shares more than two');
  const single = some.reduce((sum, id) => sum + exclusiveBytes(base.set(id, 1), base), 0);
  assert.ok(exclusiveBytes(set, base) < single / 2, `${exclusiveBytes(set, base)} of ${single}`);
  assert.equal(exclusiveBytes(base.edit((draft) => { draft.setAll(some.map((id) => [id, 1])); }), base), exclusiveBytes(set, base));
});

test('the last edit of a key applies, and a removed key can be set again', () => {
  const map = PersistentMap.of([[1, 10], [2, 20]]);
  const next = map.edit((draft) => { draft.set(1, 11).delete(1).delete(2).set(2, 22).set(3, 30).set(3, 33); });
  assert.deepEqual(next.entries().sort(([a], [b]) => a - b), [[2, 22], [3, 33]]);
  assert.equal(map.get(1), 10);
});

test('an edit without changes returns an equal map that is freed separately', () => {
  const map = PersistentMap.of([[1, 10]]);
  const same = map.edit((draft) => { draft.set(1, 10).delete(2).set(2, 5).delete(2); }), empty = map.edit(none);
  map.free();
  assert.deepEqual(same.entries(), [[1, 10]]);
  assert.deepEqual(empty.check().entries(), [[1, 10]]);
});

test('a draft keeps the bytes that it was given', () => {
  const key = Uint8Array.of(1, 2), value = Uint8Array.of(3, 4);
  const map = new PersistentMap({ keys: 'bytes', values: 'bytes' }).edit((draft) => {
    draft.set(key, value);
    key.fill(9);
    value.fill(9);
  });
  assert.deepEqual(map.get(Uint8Array.of(1, 2)), Uint8Array.of(3, 4));
});

test('a draft takes entries from any iterable object', () => {
  function* entries() {
    yield [1, 10];
    yield [2, 20];
  }
  const map = new PersistentMap().edit((draft) => { draft.setAll(entries()).setAll(new Map([[3, 30]])).deleteAll(new Set([1])); });
  assert.deepEqual(map.keys().sort(), [2, 3]);
});

test('an exception in the function reaches the caller, and no version leaks', () => {
  const map = PersistentMap.of([[1, 10]]), failure = new Error('the function failed');
  const { versions } = memory();
  let draft;
  assert.throws(() => map.edit((given) => {
    draft = given.delete(1);
    throw failure;
  }), (error) => error === failure);
  refusesFreed('the draft was used after the function of edit returned', [() => draft.set(1, 1), () => draft.delete(1), () => draft.setAll([]),
    () => draft.deleteAll([])]);
  assert.equal(memory().versions, versions);
  assert.deepEqual(map.edit(none).entries(), [[1, 10]]);
});

test('a draft that is edited while an argument is read throws, and has only the inner edit', () => {
  const sentence = { message: 'the draft was edited while an argument of another edit was read' };
  for (const use of [(draft, some) => draft.setAll(some), (draft, some) => draft.deleteAll(some)]) {
    const next = new PersistentMap().edit((draft) => {
      assert.throws(() => use(draft, { *[Symbol.iterator]() { draft.set(7, 7); yield [1, 2]; } }), sentence);
    });
    assert.deepEqual(next.entries(), [[7, 7]]);
  }
});

test('if one of several entries is refused, a draft adds none of them', () => {
  const next = new PersistentMap({ keys: 'bytes' }).edit((draft) => {
    draft.set('a', 1);
    for (const entries of [[['b', 2], ['c', -1]], [['b', 2], [5, 1]], [['b', 2], ['x'.repeat(33), 3]], [['b', 2], ['c']]]) assert.throws(() => draft.setAll(entries));
    assert.throws(() => draft.deleteAll(['a', 5]), TypeError);
    draft.set('d', 4);
  });
  assert.deepEqual(next.check().entries().sort(), [['a', 1], ['d', 4]]);
});

test('a key of 33 bytes is refused with the error of the map, even if a subclass allows it', () => {
  const map = new PersistentMap({ keys: 'bytes' });
  let expected;
  try { map.set('x'.repeat(33), 1); } catch (error) { expected = error; }
  assert.throws(() => map.edit((draft) => { draft.set('x'.repeat(33), 1); }), { name: 'RangeError', message: expected.message, code: 'PQT_ERROR_LIMIT' });
  assert.equal(map.edit((draft) => { draft.delete('x'.repeat(33)).set('x'.repeat(32), 1); }).size, 1);
  class Lenient extends PersistentMap {
    set() {
      return { free() {} };
    }
  }
  assert.throws(() => new Lenient({ keys: 'bytes' }).edit((draft) => draft.set('x'.repeat(33), 1)), RangeError);
});

test('a function that is async or a generator is refused', async () => {
  const map = new PersistentMap(), { versions } = memory();
  function* generator(draft) { draft.set(1, 1); }
  for (const change of [async (draft) => { draft.set(1, 1); }, async (draft) => { await null; draft.set(1, 1); }, generator,
    async function* (draft) { draft.set(1, 1); }, (draft) => ({ then: () => draft.set(1, 1) })])
    assert.throws(() => map.edit(change), { name: 'TypeError', message: /must not be async or a generator/ });
  assert.equal(memory().versions, versions);
  await new Promise((resolve) => { setTimeout(resolve); });
  assert.equal(map.size, 0);
});

test('a function may edit, read and free other versions, and may edit the same map again', () => {
  const map = PersistentMap.of([[1, 10]]);
  const next = map.edit((draft) => {
    draft.set(2, 20);
    const inner = map.edit((another) => { another.set(1, 11).set(3, 33); });
    draft.setAll(inner);
    inner.free();
    PersistentTree.of(new Float64Array(40000)).all();
    draft.set(4, map.get(1));
  });
  assert.deepEqual(next.entries().sort(), [[1, 11], [2, 20], [3, 33], [4, 10]]);
});

test('a map may be freed during an edit, and one that was freed before throws', () => {
  const map = new PersistentMap({ keys: 'bytes' });
  for (const change of [none, (draft) => draft.set('a', 1), (draft) => draft.set('x'.repeat(32), 1)]) {
    const version = map.set('b', 1);
    const next = version.edit((draft) => {
      version.free();
      reclaim();
      change(draft);
    });
    assert.equal(next.check().get('b'), 1);
    assert.throws(() => version.edit(change), { message: 'the map was freed' });
  }
});

const ids = new PersistentMap(), texts = new PersistentMap({ keys: 'bytes', values: 'bytes' });
refuses([
  ['an edit without a function', () => ids.edit(), TypeError],
  ['an edit with pairs', () => ids.edit([[1, 2]]), TypeError],
  ['an edit of another object', () => PersistentMap.prototype.edit.call({}, none), TypeError],
  ['an edit of a tree', () => PersistentMap.prototype.edit.call(PersistentTree.of([]), none), TypeError],
  ['an edit of a proxy', () => new Proxy(ids, {}).edit(none), TypeError],
  ['a draft of its own', () => ids.edit((draft) => new draft.constructor()), TypeError],
  ['a method of another draft', () => ids.edit((draft) => draft.set.call({}, 1, 2)), TypeError],
  ['a proxy of a draft', () => ids.edit((draft) => new Proxy(draft, {}).delete(1)), TypeError],
  ['a key that is NaN', () => ids.edit((draft) => draft.set(NaN, 1)), RangeError],
  ['a value that is a fraction', () => ids.edit((draft) => draft.set(1, 0.5)), RangeError],
  ['no value', () => ids.edit((draft) => draft.set(1)), TypeError],
  ['a key of another kind', () => texts.edit((draft) => draft.delete(1)), TypeError],
  ['a key that is an object with valueOf', () => ids.edit((draft) => draft.set({ valueOf: () => 1 }, 1)), TypeError],
  ['a value that is detached', () => texts.edit((draft) => draft.set('a', detached(new Uint8Array(8)))), TypeError],
  ['entries that are a string', () => ids.edit((draft) => draft.setAll('ab')), TypeError],
  ['entries that are an object', () => ids.edit((draft) => draft.setAll({ 1: 2 })), TypeError],
  ['keys that are a string', () => texts.edit((draft) => draft.deleteAll('ab')), TypeError],
  ['keys that are missing', () => ids.edit((draft) => draft.deleteAll()), TypeError],
]);

test('an edited map replaces a part of a document', () => {
  const plan = Document.of({ colours: PersistentMap.of([[1, 1]]) });
  const next = plan.set('colours', plan.get('colours').edit((draft) => { draft.set(2, 2).delete(1); }));
  assert.deepEqual(next.get('colours').entries(), [[2, 2]]);
});

// SPDX-License-Identifier: MIT
// sync.test.js: compares trees of two machines, which exchange digests and items of cells as JSON.
//
// PQT_SEED sets the seed of the random edits.
import assert from 'node:assert/strict';
import test from 'node:test';

import { PersistentTree } from 'pqt';
import { SEED, dice } from '../support/checks.js';

const BOUNDS = { minX: 0, minY: 0, maxX: 1000, maxY: 1000 };

/** A tree on another machine, which counts what is asked of it, and answers later. */
class Machine {
  calls = 0;
  paths = [];
  itemsSent = 0;

  constructor(tree) {
    this.tree = tree;
  }

  digests = async (paths) => {
    this.calls++;
    this.paths.push(...paths);
    return JSON.parse(JSON.stringify(paths.map((path) => this.tree.digest(path))));
  };

  items = async (paths) => {
    const found = paths.map((path) => this.tree.itemsAt(path));
    this.itemsSent += found.flat().length;
    return found;
  };
}

/** Returns the tree with the changes of cells. */
function applied(tree, cells) {
  return tree.edit((draft) => cells.forEach(({ changes }) => changes.forEach(({ kind, item }) => draft[kind](item))));
}

async function became(tree, other) {
  return applied(tree, await tree.findMismatches(other));
}

function machine(tree) {
  const { digests, items } = new Machine(tree);
  return { digests, items };
}

function someItems(count, draw) {
  return Array.from({ length: count }, (_, id) => {
    const minX = draw(9900) / 10, minY = draw(9900) / 10, size = draw(50) === 0 ? draw(2000) : draw(9);
    return { id, minX, minY, maxX: minX + size, maxY: minY + draw(9) };
  });
}

/** Checks that a promise is rejected with an error of a type and a message. */
async function rejects(promise, type, pattern) {
  let thrown;
  try {
    await promise;
  } catch (error) {
    thrown = error;
  }
  assert.ok(thrown instanceof type, String(thrown));
  assert.match(thrown.message, pattern);
}

test('equal trees need one digest', async () => {
  const items = someItems(1000, dice(1)), tree = PersistentTree.of(items), other = new Machine(PersistentTree.of([...items].reverse()));
  const { digests, items: fetch } = other;
  assert.deepEqual(await tree.findMismatches({ digests, items: fetch }), []);
  assert.deepEqual(other.paths, ['']);
  assert.equal(other.itemsSent, 0);
  assert.deepEqual(tree.digest(), { size: 1000, fingerprint: tree.fingerprint() });
});

for (const count of [0, 1, 10, 100, 1000, 20000])
  for (const changed of [1, 3, 30])
    test(`a tree of ${count} items becomes that of another machine, with ${changed} changes`, async () => {
      const tree = new PersistentTree({ bounds: BOUNDS, uniqueIds: true }).load(someItems(count, dice(count + changed)));
      const theirs = tree.edit((draft) => {
        for (let i = 0; i < changed; i++) draft.removeId(i).insert({ minX: i, minY: i, maxX: i + 1, maxY: i + 1, id: 2n ** 63n + BigInt(i) });
      });
      const other = new Machine(theirs), { digests, items } = other;
      assert.ok((await became(tree, { digests, items })).equals(theirs));
      assert.ok(other.calls <= 40, `${other.calls} calls`);
      assert.equal(new Set(other.paths).size, other.paths.length);
      if (count === 20000) assert.ok(other.itemsSent < 60 * changed && other.paths.length < 100 * changed, `${other.itemsSent} items, ${other.paths.length} digests`);
    });

test('a cell has its box, its digests and its changes', async () => {
  const items = Array.from({ length: 256 }, (_, id) => ({ minX: id >> 4, minY: id & 15, maxX: (id >> 4) + 0.5, maxY: (id & 15) + 0.5, id }));
  const tree = new PersistentTree({ bounds: { minX: 0, minY: 0, maxX: 16, maxY: 16 }, leafCapacity: 4 }).load(items);
  const theirs = tree.remove(items[49]), { digests, items: fetch } = new Machine(theirs);
  const [cell, ...more] = await tree.findMismatches({ digests, items: fetch });
  assert.deepEqual(more, []);
  const { path, changes, ...rest } = cell;
  assert.deepEqual(rest, { box: { minX: 2, minY: 0, maxX: 4, maxY: 2 }, own: tree.digest(path), other: theirs.digest(path) });
  assert.deepEqual([rest.own.size, rest.other.size], [4, 3]);
  assert.deepEqual(changes, [{ kind: 'remove', item: items[49] }]);
  assert.deepEqual(await tree.findMismatches({ digests }), [{ path, ...rest }]);
  assert.equal(tree.itemsAt(path).length, 4);
  assert.deepEqual(tree.itemsAt(), tree.all());
  assert.deepEqual(tree.digest(`3.0${'1'.repeat(62)}`), { size: 0, fingerprint: '0'.repeat(32) });
});

test('machines with random edits have what their models have', async () => {
  const draw = dice(SEED), keyOf = ({ minX, minY, maxX, maxY, id }) => [minX, minY, maxX, maxY, id].join();
  for (let round = 0; round < 40; round++) {
    const options = { leafCapacity: [1, 2, 24][draw(3)], maxDepth: [0, 3, 32][draw(3)] };
    const trees = [0, 1].map(() => new PersistentTree({ bounds: { ...BOUNDS, maxX: 100 }, ...options })), models = [new Map(), new Map()];
    for (let i = draw(300); i >= 0; i--) {
      const minX = draw(100), minY = draw(100), huge = draw(20) === 0;
      const one = { minX: huge ? -9 : minX, minY, maxX: huge ? 900 : minX + draw(9), maxY: minY + draw(9), id: draw(100) };
      const insert = draw(10) < 7;
      for (const side of draw(10) < 7 ? [0, 1] : [draw(2)]) {
        const gone = insert ? one : [...models[side].values()][0];
        if (gone === undefined) continue;
        trees[side] = insert ? trees[side].insert(gone) : trees[side].remove(gone);
        if (insert) models[side].set(keyOf(gone), gone);
        else models[side].delete(keyOf(gone));
      }
    }
    const cells = await trees[0].findMismatches(machine(trees[1]));
    const found = cells.flatMap(({ changes }) => changes.map(({ kind, item }) => `${kind} ${keyOf(item)}`)).sort();
    const only = (kind, a, b) => [...a.keys()].filter((key) => !b.has(key)).map((key) => `${kind} ${key}`);
    assert.deepEqual(found, [...only('insert', models[1], models[0]), ...only('remove', models[0], models[1])].sort());
    assert.ok((await became(trees[0], machine(trees[1]))).equals(trees[1]));
    assert.ok((await became(trees[1], machine(trees[0]))).equals(trees[0]));
  }
});

test('two machines that exchange their items have the union', async () => {
  const items = someItems(3000, dice(5)), base = new PersistentTree({ bounds: BOUNDS }).load(items);
  const ours = base.remove(items[7]).insert({ minX: 1, minY: 1, maxX: 2, maxY: 2, id: 5000 });
  const theirs = base.remove(items[8]).insert({ minX: 999, minY: 1, maxX: 999.5, maxY: 2, id: 5001 });
  const united = await Promise.all([[ours, theirs], [theirs, ours]].map(async ([tree, other]) => {
    const cells = await tree.findMismatches(machine(other));
    return applied(tree, cells.map(({ changes }) => ({ changes: changes.filter(({ kind }) => kind === 'insert') })));
  }));
  assert.ok(united[0].equals(united[1]) && united[0].equals(ours.union(theirs)));
  assert.equal(united[0].size, 3002);
});

test('the rounds grow with the depth, and not with the differences', async () => {
  const items = someItems(20000, dice(9)), tree = new PersistentTree({ bounds: BOUNDS }).load(items);
  const moved = items.map((one) => (one.id % 40 === 0 ? { ...one, maxX: one.maxX + 0.125 } : one));
  const other = new Machine(new PersistentTree({ bounds: BOUNDS }).load(moved)), { digests, items: fetch } = other;
  assert.ok((await became(tree, { digests, items: fetch })).equals(other.tree));
  assert.ok(other.paths.length > 1000 && other.calls <= 40, `${other.paths.length} digests in ${other.calls} calls`);
});

test('wrong paths and answers are refused with one clear error', async () => {
  const tree = PersistentTree.of(someItems(500, dice(3))), theirs = tree.insert({ minX: 1, minY: 1, maxX: 2, maxY: 2, id: 9999 });
  for (const path of ['4', '0..', '0.1.', 'x', '0\0', '0'.repeat(65), 'é', '\ud800'])
    for (const read of [(at) => tree.digest(at), (at) => tree.itemsAt(at)])
      assert.throws(() => read(path), { name: 'RangeError', message: /^a path must be at most 64 digits from 0 to 3, with at most one dot/ });
  assert.throws(() => tree.digest(5), { name: 'TypeError', message: 'a path is not a string' });
  assert.throws(() => tree.itemsAt(null), { name: 'TypeError', message: 'a path is not a string' });
  const { digests, items } = machine(theirs), digest = (size, fingerprint) => (paths) => paths.map(() => ({ size, fingerprint }));
  const one = '1'.padStart(32, '0');
  for (const [peer, type, pattern] of [
    [undefined, TypeError, /^options must be an object/],
    [{}, TypeError, /^digests must be a function/],
    [{ digests, item: items }, TypeError, /^there is no option item: the options are digests, items$/],
    [{ digests: () => [] }, TypeError, /^digests must return an array with an answer for each of 1 paths/],
    [{ digests: () => undefined }, TypeError, /^digests must return an array/],
    [{ digests: () => [5] }, TypeError, /^a digest must be an object with size and fingerprint/],
    [{ digests: digest(-1, one) }, RangeError, /^the size of a digest must be an integer of at least 0, not -1/],
    [{ digests: digest('1', one) }, RangeError, /^the size of a digest/],
    [{ digests: digest(1, 'x') }, RangeError, /^the fingerprint of a digest must have 32 hexadecimal digits/],
    [{ digests: digest(2 ** 40, one) }, Error, /counts more items than a tree can hold/],
    [{ digests: digest(0, one) }, Error, /counts no items, but has a fingerprint/],
    [{ digests: digest(1e6, one) }, Error, /its children hold more items than the cell/],
    [{ digests, items: 5 }, TypeError, /^items must be a function/],
    [{ digests, items: () => [] }, TypeError, /^items must return an array with an answer for each/],
    [{ digests, items: (paths) => paths.map(() => theirs.all()) }, TypeError, /^items must return an array of \d+ items for the path/],
    [{ digests, items: (paths) => paths.map((path) => theirs.itemsAt(path).map((item) => ({ ...item, maxX: item.maxX + 1 }))) }, Error,
      /the fetched items do not have its digest/],
    [{ digests, items: (paths) => paths.map((path) => theirs.itemsAt(path).map((item) => ({ ...item, id: -1 }))) }, RangeError, /an id must be an integer/],
  ]) await rejects(tree.findMismatches(peer), type, pattern);
  await rejects(tree.findMismatches({ digests }, 5), TypeError, /^findMismatches takes 1 argument, not 2$/);
});

test('an exception of a function, and a tree that is freed meanwhile, reject the promise', async () => {
  const tree = PersistentTree.of(someItems(500, dice(3))), other = machine(tree.clear());
  await rejects(tree.findMismatches({ digests: () => { throw new Error('no answer'); } }), Error, /^no answer$/);
  await rejects(tree.findMismatches({ digests: async () => { throw new Error('no answer'); } }), Error, /^no answer$/);
  await rejects(tree.findMismatches({ digests: (paths) => { tree.free(); return other.digests(paths); } }), Error, /^the tree was freed$/);
});

// SPDX-License-Identifier: MIT
// memory.test.js: tests that memory does not grow while versions are made and dropped.
//
//     node test/memory.test.js [VERSIONS]    100000 by default; npm run test:long makes 1000000
import assert from 'node:assert/strict';
import test from 'node:test';

import { PersistentTree, memory, reclaim, setMemoryLimit } from 'pqt';
import { SEED, dice } from '../support/checks.js';

const VERSIONS = Number(globalThis.process?.argv[2] ?? 100000);
const MIB = 1048576;
const BOUNDS = { minX: 0, minY: 0, maxX: 1000, maxY: 1000 };
const one = { minX: 0, minY: 0, maxX: 1, maxY: 1, id: 1 };

function drawBox(draw) {
  const minX = draw(990), minY = draw(990);
  return { minX, minY, maxX: minX + draw(12), maxY: minY + draw(12) };
}

/** Makes a tree with 2,000 items. */
function start(draw) {
  const boxes = new Float64Array(8000);
  for (let i = 0; i < boxes.length; i += 4) boxes.set(Object.values(drawBox(draw)), i);
  return PersistentTree.of(boxes, { uniqueIds: true });
}

test('memory does not grow while versions are made and freed', () => {
  const draw = dice(SEED);
  let tree = start(draw);
  const held = memory().versions;
  const step = () => {
    const next = tree.insert({ ...drawBox(draw), id: draw(2000) });
    tree.free();
    tree = next;
  };
  for (let i = 0; i < VERSIONS / 10; i++) step();
  const level = memory().bytes;
  for (let i = 0; i < VERSIONS; i++) step();
  assert.ok(memory().versions <= held, `${memory().versions} versions after ${held}`);
  assert.ok(memory().bytes <= level + MIB, `${memory().bytes} bytes after ${level}`);
  tree.check();
});

test('memory does not grow while versions are made from drafts with many edits', () => {
  const draw = dice(SEED);
  let tree = start(draw);
  const step = () => {
    const next = tree.edit((draft) => {
      for (let i = 0; i < 500; i++) draft.insert({ ...drawBox(draw), id: draw(2000) });
    });
    tree.free();
    tree = next;
  };
  let level = 0;
  for (let i = 0; i < VERSIONS / 250; i++) {
    step();
    if (i * 4 < VERSIONS / 250) level = Math.max(level, memory().bytes);
  }
  assert.ok(memory().bytes <= level + MIB, `${memory().bytes} bytes after ${level}`);
  tree.check();
});

test('without free, memory does not grow in a loop that awaits a task after each 1,000 versions', async () => {
  const draw = dice(SEED);
  let tree = start(draw), mostBytes = 0, mostVersions = 0;
  for (let i = 0; i < VERSIONS; i++) {
    tree = tree.insert({ ...drawBox(draw), id: draw(2000) });
    if (i % 1000 !== 999) continue;
    const { bytes, versions } = memory();
    mostBytes = Math.max(mostBytes, bytes);
    mostVersions = Math.max(mostVersions, versions);
    await new Promise((resolve) => { setTimeout(resolve); });
  }
  tree.check();
  assert.ok(mostBytes <= 128 * MIB, `${mostBytes} bytes`);
  assert.ok(mostVersions <= 50000, `${mostVersions} versions`);
  if (globalThis.process) console.log(`# at most ${mostVersions} versions, ${Math.round(mostBytes / MIB)} MiB`);
});

test('a loop without free gets an exception at the limit, and the versions that it holds stay correct', () => {
  const tree = new PersistentTree({ bounds: BOUNDS }).insert(one);
  const kept = [];
  setMemoryLimit(reclaim().bytes + 8 * MIB);
  try {
    assert.throws(() => {
      for (let i = 0, last = tree; ; i++) kept.push(last = last.insert({ ...one, id: i + 2 }));
    }, { code: 'PQT_ERROR_MEMORY' });
    assert.ok(kept.length > 1000);
    assert.deepEqual(tree.all(), [one]);
    for (const i of [0, kept.length >> 1, kept.length - 1]) assert.equal(kept[i].check().size, i + 2);
    kept.splice(0, kept.length - 1).forEach((version) => version.free());
    assert.equal(kept[0].insert({ ...one, id: 0 }).size, kept[0].size + 1);
  } finally {
    setMemoryLimit(Infinity);
  }
});

// Memory that earlier versions took is used again without regard to the limit.
test('a limit below one byte is a limit', () => {
  const kept = [new PersistentTree({ bounds: BOUNDS }).insert(one)];
  setMemoryLimit(0.5);
  try {
    assert.throws(() => {
      while (kept.length < 1000000) kept.push(kept.at(-1).insert({ ...one, id: kept.length + 1 }));
    }, { code: 'PQT_ERROR_MEMORY' });
  } finally {
    setMemoryLimit(Infinity);
    kept.forEach((version) => version.free());
  }
});

test('only versions that outlive the code that made them are registered for a finaliser', async () => {
  const { prototype } = FinalizationRegistry, { register, unregister } = prototype;
  let registered = 0, removed = 0;
  prototype.register = function (...given) {
    registered++;
    return register.apply(this, given);
  };
  prototype.unregister = function (...given) {
    removed++;
    return unregister.apply(this, given);
  };
  try {
    let tree = new PersistentTree({ bounds: BOUNDS });
    for (let i = 0; i < 1000; i++) {
      const next = tree.insert({ ...one, id: i });
      tree.free();
      tree = next;
    }
    assert.deepEqual([registered, removed], [0, 0]);
    await null;
    assert.deepEqual([registered, removed], [1, 0]);

    const kept = Array.from({ length: 1000 }, (_, i) => tree.insert({ ...one, id: 1000 + i }));
    assert.ok(registered > 900, `${registered} of 1000 in one loop`);
    kept.slice(980).reverse().forEach((version) => version.free()); // the newest versions, in reverse order
    await null;
    assert.equal(registered - removed, 981);
    const { versions } = memory();
    [tree, ...kept].forEach((version) => version.free());
    assert.equal(registered, removed);
    assert.equal(memory().versions, versions - 981);
  } finally {
    Object.assign(prototype, { register, unregister });
  }
});

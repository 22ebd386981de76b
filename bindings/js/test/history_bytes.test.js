// SPDX-License-Identifier: MIT
// history_bytes.test.js: tests histories as bytes: files that C wrote, damaged bytes, limits, and failing memory.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import test from 'node:test';
import { Document, History, PersistentMap, PersistentTree, memory, reclaim, setMemoryLimit } from 'pqt';
import { damages, refuses } from '../support/checks.js';

const BOUNDS = { minX: 0, minY: 0, maxX: 1000, maxY: 1000 };
const item = (id) => ({ minX: id % 990, minY: 0, maxX: (id % 990) + 1, maxY: 1, id });
const golden = new URL('../../../test/golden/', import.meta.url);
const files = readdirSync(golden).filter((name) => /^history-.*\.pqt$/.test(name));

/** Returns a history of scenes with a branch, a name, a saved mark and an undo position. */
function sample() {
  const history = new History(Document.of({ boxes: new PersistentTree({ bounds: BOUNDS, uniqueIds: true }), names: new PersistentMap({ values: 'bytes' }) }), { time: 1 });
  const add = (id, options) => {
    const scene = history.version();
    history.push(scene.set({ boxes: scene.get('boxes').insert(item(id)), names: scene.get('names').set(id, `box ${id}`) }), { time: id, ...options });
  };
  add(2, { label: 'Größe \u{1f600}' });
  add(3, { label: 'Drag', key: 7 });
  add(4, { label: 'Drag', key: 7 });
  history.markSaved();
  history.checkout(1);
  add(5, { label: 'Branch' });
  history.setName(2, 'first end');
  history.undo();
  return history;
}

const shown = (history) => ({ current: history.current, undo: history.undoLabel, redo: history.redoLabel,
  entries: history.entries().map((entry) => ({ ...entry, fingerprint: history.version(entry.number).check().fingerprint() })) });

test('each history that C wrote is read, and written with the same bytes', () => {
  assert.ok(files.length >= 9, files.join());
  for (const name of files) {
    const bytes = new Uint8Array(readFileSync(new URL(name, golden))), history = History.fromBytes(bytes);
    assert.deepEqual(history.toBytes(), bytes, name);
    for (const { number } of history.entries())
      history.version(number).check();
    history.free();
  }
});

test('a history that is read equals the one that was written, and can be continued', () => {
  const history = sample(), same = History.fromBytes(history.toBytes());
  assert.deepEqual(shown(same), shown(history));
  assert.deepEqual(same.toBytes(), history.toBytes());
  same.push(same.version().set('names', new PersistentMap({ values: 'bytes' })), { label: 'More' });
  assert.equal(same.current, 4);
  assert.equal(history.entries().length, 4, 'the histories are two');
});

test('versions that are read share structure', () => {
  const first = PersistentTree.of(Array.from({ length: 20000 }, (_, id) => ({ ...item(id), minY: id / 20, maxY: id / 20 + 1 })), { uniqueIds: true });
  const history = new History(first);
  for (let i = 0; i < 200; i++) history.push(history.tree().insert(item(30000 + i)));
  const bytes = history.toBytes();
  history.free();
  const before = reclaim().usedBytes, same = History.fromBytes(bytes);
  assert.ok(bytes.length < 2 * first.toBytes().length, `${bytes.length} bytes`);
  assert.ok(reclaim().usedBytes - before < 4e6, `${memory().usedBytes - before} bytes for 201 versions`);
  same.free();
});

test('the limits hold for later pushes', () => {
  const same = History.fromBytes(sample().toBytes(), { maxEntries: 3 });
  for (let i = 0; i < 20; i++) same.push(same.version().set('boxes', same.version().get('boxes').insert(item(100 + i))));
  assert.ok(same.entries().length <= 6, `${same.entries().length} entries`);
});

test('damaged, cut and foreign bytes are refused', () => {
  const bytes = sample().toBytes();
  damages(bytes, (damaged) => History.fromBytes(damaged));
  for (let length = 0; length < bytes.length; length += 7) assert.throws(() => History.fromBytes(bytes.slice(0, length)), { code: 'PQT_ERROR_FORMAT' });
  assert.throws(() => History.fromBytes(Uint8Array.of(...bytes, 0)), { code: 'PQT_ERROR_FORMAT', message: 'bytes follow the history' });
  assert.throws(() => History.fromBytes(sample().version().toBytes()), { code: 'PQT_ERROR_FORMAT' });
  assert.throws(() => PersistentTree.fromBytes(bytes), { code: 'PQT_ERROR_FORMAT' });
  assert.equal(History.fromBytes(bytes).entries().length, 4);
});

test('a history whose numbers are not exact in JavaScript is refused', () => {
  const bytes = sample().toBytes(), view = new DataView(bytes.buffer), head = new TextDecoder('latin1').decode(bytes).indexOf('HIST');
  const next = head + 4 + 4 + 1 + 4 + 8 + 8; // the name, the length, and the columns before the next number
  assert.equal(view.getBigUint64(next, true), 4n);
  view.setBigUint64(next, 2n ** 60n, true);
  const end = next + 8;
  view.setUint32(end, crc32c(bytes.subarray(head, end)), true);
  assert.throws(() => History.fromBytes(bytes), { code: 'PQT_ERROR_LIMIT', message: 'the numbers of the entries are above 2^52' });
});

/** Returns the checksum of a section. */
function crc32c(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc >>> 0;
}

test('a history that needs more memory than there is throws, and the package works on', () => {
  const bytes = sample().toBytes(), level = reclaim().bytes;
  setMemoryLimit(level);
  try {
    let failures = 0;
    const held = [];
    for (let i = 0; i < 4000 && failures === 0; i++)
      try {
        held.push(History.fromBytes(bytes));
      } catch (error) {
        assert.equal(error.code, 'PQT_ERROR_MEMORY');
        failures++;
      }
    assert.equal(failures, 1);
    held.forEach((history) => history.free());
  } finally {
    setMemoryLimit(Infinity);
  }
  assert.equal(History.fromBytes(bytes).entries().length, 4);
});

const open = () => {
  const history = sample();
  history.begin('Group');
  return history;
};
const freed = () => {
  const history = sample();
  history.free();
  return history;
};
refuses([
  ['bytes that are an array', () => History.fromBytes([1, 2, 3]), TypeError],
  ['a limit of 0 entries of a history that is read', () => History.fromBytes(sample().toBytes(), { maxEntries: 0 }), RangeError],
  ['a limit that is text', () => History.fromBytes(sample().toBytes(), { maxBytes: '5' }), TypeError],
  ['a third argument', () => History.fromBytes(sample().toBytes(), {}, 5), TypeError],
  ['the bytes of a history with an open group', () => open().toBytes(), Error],
  ['the bytes of a history that was freed', () => freed().toBytes(), Error],
]);

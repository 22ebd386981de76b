// SPDX-License-Identifier: MIT
// bench.js: compares pqt with rbush and flatbush: answers first, then times.
//
//     cd bindings/js && npm install && node bench.js [COUNT...]   1000 100000 1000000 by default
//
// Prints the median of nine runs, in microseconds for one operation.
import { PersistentTree } from 'pqt';

const WINDOWS = 200;
const EDITS = 1000;
const RUNS = 9;

const peers = await Promise.all(['rbush', 'flatbush'].map((name) => import(name).catch(() => null)));
if (peers.includes(null)) {
  console.log('rbush and flatbush are not installed: run npm install first');
  process.exit();
}
const [{ default: RBush }, { default: Flatbush }] = peers;

let state = 2026;
function draw() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 4294967296;
}

function objectsOf(boxes) {
  return Array.from({ length: boxes.length / 4 }, (_, id) => ({
    minX: boxes[4 * id], minY: boxes[4 * id + 1], maxX: boxes[4 * id + 2], maxY: boxes[4 * id + 3], id,
  }));
}

/** Uniform boxes in the unit square, each a tenth as wide as the space that it has. */
function uniform(count) {
  const boxes = new Float64Array(4 * count);
  const side = 0.1 / Math.sqrt(count);
  for (let i = 0; i < boxes.length; i += 4) {
    const x = draw(), y = draw();
    boxes.set([x, y, x + side, y + side], i);
  }
  return boxes;
}

function windowsFor(count, hits) {
  const side = Math.sqrt(Math.min(hits / count, 1));
  return Array.from({ length: WINDOWS }, () => {
    const minX = draw() * (1 - side), minY = draw() * (1 - side);
    return { minX, minY, maxX: minX + side, maxY: minY + side };
  });
}

/** Returns microseconds for one of `operations` that `run` does; `prepare` and `clean` are not timed. */
function time(operations, run, prepare = () => undefined, clean = () => undefined) {
  const times = [];
  for (let i = 0; i < RUNS; i++) {
    const before = prepare();
    const start = performance.now();
    const result = run(before);
    times.push((performance.now() - start) * 1000);
    clean(result, before);
  }
  return times.sort((a, b) => a - b)[RUNS >> 1] / operations;
}

function row(task, count, pqt, rbush, flatbush) {
  const cell = (value) => (value === null ? 'none' : value.toFixed(value < 100 ? 2 : 0)).padStart(10);
  console.log(`${String(count).padStart(8)}  ${task.padEnd(28)}${cell(pqt)}${cell(rbush)}${cell(flatbush)}`);
}

function flatOf(boxes) {
  const flat = new Flatbush(boxes.length / 4);
  for (let i = 0; i < boxes.length; i += 4) flat.add(boxes[i], boxes[i + 1], boxes[i + 2], boxes[i + 3]);
  flat.finish();
  return flat;
}

function compareAnswers(windows, tree, bush, flat) {
  for (const window of windows) {
    const { minX, minY, maxX, maxY } = window;
    const expected = String(flat.search(minX, minY, maxX, maxY).sort((a, b) => a - b));
    const answers = [[...tree.searchIds(window)], tree.search(window).map(({ id }) => id), bush.search(window).map(({ id }) => id)];
    for (const ids of answers) if (String(ids.sort((a, b) => a - b)) !== expected) throw new Error('the answers differ');
  }
}

function insertAll(tree, items) {
  for (const item of items) {
    const next = tree.insert(item);
    tree.free();
    tree = next;
  }
  return tree;
}

function removeAll(tree, items) {
  for (const item of items) {
    const next = tree.remove(item);
    tree.free();
    tree = next;
  }
  return tree;
}

function benchmark(count) {
  const boxes = uniform(count);
  const objects = objectsOf(boxes);
  const tree = PersistentTree.of(boxes), bush = new RBush().load(objects), flat = flatOf(boxes);
  const free = (made) => made.free();
  row('build, arrays', count, time(1, () => PersistentTree.of(boxes), undefined, free), null, time(1, () => flatOf(boxes)));
  row('build, objects', count, time(1, () => PersistentTree.of(objects), undefined, free), time(1, () => new RBush().load(objects)), null);
  for (const hits of [10, 1000]) {
    const windows = windowsFor(count, hits);
    compareAnswers(windows.slice(0, 20), tree, bush, flat);
    const each = (search) => time(WINDOWS, () => windows.forEach(search));
    row(`window, ${hits} hits, ids`, count, each((w) => tree.searchIds(w)), null, each((w) => flat.search(w.minX, w.minY, w.maxX, w.maxY)));
    row(`window, ${hits} hits, objects`, count, each((w) => tree.search(w)), each((w) => bush.search(w)), null);
  }
  const added = objectsOf(uniform(EDITS)).map((item) => ({ ...item, id: item.id + count }));
  const copy = () => tree.insert(objects[0]); // an equal version in a separate object
  const full = tree.load(added);
  row('insert', count, time(EDITS, (made) => insertAll(made, added), copy, free),
    time(EDITS, () => added.forEach((item) => bush.insert(item)), undefined, () => added.forEach((item) => bush.remove(item))), null);
  const loaded = () => added.forEach((item) => bush.insert(item));
  row('remove', count, time(EDITS, (made) => removeAll(made, added), () => full.insert(added[0]), free),
    time(EDITS, () => added.forEach((item) => bush.remove(item)), loaded), null);
  [tree, full].forEach(free);
}

console.log(`${''.padStart(8)}  ${'microseconds'.padEnd(28)}${['pqt', 'rbush', 'flatbush'].map((name) => name.padStart(10)).join('')}`);
const counts = process.argv.slice(2).map(Number);
for (const count of counts.length > 0 ? counts : [1000, 100000, 1000000]) benchmark(count);

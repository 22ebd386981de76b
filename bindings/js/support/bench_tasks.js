// SPDX-License-Identifier: MIT
// bench_tasks.js: runs the tasks of bench.js, in node and in a page. It compares answers before it
// measures times.
import { PersistentTree, sphereDistance } from 'pqt';

const QUERIES = 200;
const COMPARED = 50; // the number of queries whose answers are compared
const EDITS = 1000;
const RUNS = 31;
const RUNS_OF_MANY = 7; // the number of runs with more than 100,000 items
const WARM_UP = 200; // milliseconds
const NEAREST = 10;

/** The packages that are compared, in the order of the figures. */
export const PACKAGES = ['pqt', 'rbush', 'flatbush', 'geokdbush'];
/** Distances on the sphere that differ by less, relative to their size, are equal: geokdbush and pqt
    round differently. The second number is in metres. */
const EQUAL = 1e-9, EQUAL_METRES = 1e-3;

// A peer that is not installed is null.
const [RBush, Flatbush, KDBush] = await Promise.all([import('rbush'), import('flatbush'), import('kdbush')]
  .map((peer) => peer.then((module) => module.default, () => null)));
const around = await import('geokdbush').then((module) => module.around, () => null);

let state = 2026;
function draw() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 4294967296;
}

/** Returns uniformly distributed boxes in the unit square. Each is a tenth as wide as a cell of a
    grid of `of` cells. */
function uniform(count, of = count) {
  const boxes = new Float64Array(4 * count);
  const side = 0.1 / Math.sqrt(of);
  for (let i = 0; i < boxes.length; i += 4) {
    const x = draw(), y = draw();
    boxes.set([x, y, x + side, y + side], i);
  }
  return boxes;
}

function objectsOf(boxes, firstId = 0) {
  return Array.from({ length: boxes.length / 4 }, (_, i) => ({
    minX: boxes[4 * i], minY: boxes[4 * i + 1], maxX: boxes[4 * i + 2], maxY: boxes[4 * i + 3], id: firstId + i,
  }));
}

function windowsFor(count, hits) {
  const side = Math.sqrt(Math.min(hits / count, 1));
  return Array.from({ length: QUERIES }, () => {
    const minX = draw() * (1 - side), minY = draw() * (1 - side);
    return { minX, minY, maxX: minX + side, maxY: minY + side };
  });
}

const none = () => undefined;

/** Runs a task until the engine has optimised its code. WebAssembly takes longer than JavaScript. */
function warmUp({ prepare = none, run, clean = none }) {
  for (const end = performance.now() + WARM_UP; performance.now() < end;) {
    const before = prepare();
    clean(run(before), before);
  }
}

/** Runs every package once per run. Returns the median of each, in microseconds per operation. */
function medians(runs, operations, contestants) {
  const times = contestants.map(() => []);
  contestants.filter((contestant) => contestant !== null).forEach(warmUp);
  for (let i = 0; i < runs; i++)
    contestants.forEach((contestant, k) => {
      if (contestant === null) return;
      const { prepare = none, run, clean = none } = contestant;
      const before = prepare();
      const start = performance.now();
      const result = run(before);
      times[k].push((performance.now() - start) * 1000 / operations);
      clean(result, before);
    });
  return times.map((all) => (all.length === 0 ? null : all.sort((a, b) => a - b)[runs >> 1]));
}

function require(equal, what) {
  if (!equal) throw new Error(`${what}: the answers differ`);
}

const sorted = (ids) => String([...ids].sort((a, b) => a - b));

/** Requires that all packages give the same answers to the first queries. */
function compare(what, queries, contestants) {
  const searches = contestants.filter((search) => search !== null);
  for (const query of queries.slice(0, COMPARED)) {
    const expected = searches[0](query);
    for (const search of searches.slice(1)) require(search(query) === expected, what);
  }
}

/** Requires that two packages find points at the same distances, and the same points apart from those
    at equal distances. geokdbush has another radius, so pqt measures both. */
function compareOnSphere(at, points, first, second) {
  const metres = (id) => sphereDistance(at[0], at[1], { minX: points[2 * id], minY: points[2 * id + 1], maxX: points[2 * id], maxY: points[2 * id + 1] });
  const areEqual = (a, b) => Math.abs(a - b) <= EQUAL * a + EQUAL_METRES;
  require(first.length === second.length, 'nearest on the sphere');
  first.forEach((id, i) => require(id === second[i] || areEqual(metres(id), metres(second[i])), 'nearest on the sphere'));
}

/** Returns uniformly distributed points of the sphere. */
function onSphere(count) {
  const points = new Float64Array(2 * count);
  for (let i = 0; i < points.length; i += 2) points.set([360 * draw() - 180, Math.asin(2 * draw() - 1) * 180 / Math.PI], i);
  return points;
}

/** Measures searches for the points nearest on the sphere, at all longitudes and latitudes. */
function measureSphere(count, print) {
  const points = onSphere(count), from = onSphere(QUERIES), boxes = new Float64Array(4 * count);
  for (let i = 0; i < count; i++) boxes.set([points[2 * i], points[2 * i + 1], points[2 * i], points[2 * i + 1]], 4 * i);
  const at = Array.from({ length: QUERIES }, (_, i) => [from[2 * i], from[2 * i + 1]]);
  const tree = PersistentTree.of(boxes), search = ([x, y]) => tree.nearest(x, y, { most: NEAREST, surface: 'sphere' }).map(({ id }) => id);
  let peer = null;
  if (KDBush !== null && around !== null) {
    const index = new KDBush(count);
    for (let i = 0; i < count; i++) index.add(points[2 * i], points[2 * i + 1]);
    index.finish();
    peer = ([x, y]) => around(index, x, y, NEAREST);
    for (const one of at) compareOnSphere(one, points, search(one), peer(one));
  }
  print(`nearest ${NEAREST} on the sphere, ids`, QUERIES, [search, null, null, peer].map((one) => one && { run: () => at.forEach(one) }));
  tree.free();
}

function flatOf(boxes) {
  const flat = new Flatbush(boxes.length / 4);
  for (let i = 0; i < boxes.length; i += 4) flat.add(boxes[i], boxes[i + 1], boxes[i + 2], boxes[i + 3]);
  flat.finish();
  return flat;
}

/** Applies an edit with each item in turn, and frees every version but the last. */
function edited(tree, items, edit) {
  let newest = tree;
  for (const item of items) {
    const next = edit(newest, item);
    if (newest !== tree) newest.free();
    newest = next;
  }
  return newest;
}

/** Measures all tasks with `count` items. Passes each row to `write`: the task and
    a median for each package. */
function measure(count, write) {
  const print = (task, operations, contestants) =>
    write(task, medians(count > 100000 ? RUNS_OF_MANY : RUNS, operations, PACKAGES.map((_, i) => contestants[i] ?? null)));
  const boxes = uniform(count), objects = objectsOf(boxes);
  const tree = PersistentTree.of(boxes), bush = RBush && new RBush().load(objects), flat = Flatbush && flatOf(boxes);
  const ofBush = (contestant) => (RBush === null ? null : contestant), ofFlat = (contestant) => (Flatbush === null ? null : contestant);

  // Small builds are repeated, so that a run takes longer than the resolution of the clock.
  const builds = Math.max(1, Math.floor(20000 / count));
  const repeated = (make) => ({
    run: () => Array.from({ length: builds }, make),
    clean: (made) => made.forEach((one) => one.free?.()),
  });
  print('load, arrays', builds, [repeated(() => PersistentTree.of(boxes)), null, ofFlat(repeated(() => flatOf(boxes)))]);
  print('load, objects', builds, [repeated(() => PersistentTree.of(objects)), ofBush(repeated(() => new RBush().load(objects))), null]);

  for (const hits of [10, 1000]) {
    const windows = windowsFor(count, hits);
    const each = (search) => search && { run: () => windows.forEach(search) };
    const inBush = ofBush((w) => bush.search(w)), inFlat = ofFlat((w) => flat.search(w.minX, w.minY, w.maxX, w.maxY));
    const ids = [(w) => tree.searchIds(w), ofBush((w) => inBush(w).map(({ id }) => id)), inFlat];
    const found = [(w) => tree.search(w), inBush, ofFlat((w) => inFlat(w).map((id) => objects[id]))];
    compare('search', windows, [...ids.map((search) => search && ((w) => sorted(search(w)))),
      ...found.map((search) => search && ((w) => sorted(search(w).map(({ id }) => id))))]);
    print(`search, ${hits} hits, ids`, QUERIES, ids.map(each));
    print(`search, ${hits} hits, objects`, QUERIES, found.map(each));
  }

  const points = Array.from({ length: QUERIES }, () => [draw(), draw()]);
  const nearest = [([x, y]) => tree.nearest(x, y, NEAREST).map(({ id }) => id), null, ofFlat(([x, y]) => flat.neighbors(x, y, NEAREST))];
  compare('nearest', points, nearest.map((search) => search && ((point) => sorted(search(point)))));
  print(`nearest ${NEAREST}, ids`, QUERIES, nearest.map((search) => search && { run: () => points.forEach(search) }));

  measureSphere(count, print);

  const added = objectsOf(uniform(EDITS, count), count), whole = windowsFor(count, 1000);
  const insertAll = () => edited(tree, added, (version, item) => version.insert(item));
  const insertTogether = () => tree.edit((draft) => added.forEach((item) => { draft.insert(item); }));
  const full = insertAll(), together = insertTogether();
  const removeAll = () => edited(full, added, (version, item) => version.remove(item));
  const removeTogether = () => full.edit((draft) => added.forEach((item) => { draft.remove(item); }));
  const bushInsert = () => added.forEach((item) => bush.insert(item)), bushRemove = () => added.forEach((item) => bush.remove(item));
  const matches = (what, version) => compare(what, whole, [(w) => sorted(version.searchIds(w)), ofBush((w) => sorted(bush.search(w).map(({ id }) => id)))]);
  if (RBush !== null) bushInsert();
  matches('insert', full);
  matches('insert, one version', together);
  if (RBush !== null) bushRemove();
  const bare = removeAll(), bareTogether = removeTogether();
  matches('remove', bare);
  matches('remove, one version', bareTogether);
  const free = (version) => version.free();
  const bushInserts = ofBush({ run: bushInsert, clean: bushRemove }), bushRemovals = ofBush({ prepare: bushInsert, run: bushRemove });
  print('insert', EDITS, [{ run: insertAll, clean: free }, bushInserts, null]);
  print('insert, one version', EDITS, [{ run: insertTogether, clean: free }, bushInserts, null]);
  print('remove', EDITS, [{ run: removeAll, clean: free }, bushRemovals, null]);
  print('remove, one version', EDITS, [{ run: removeTogether, clean: free }, bushRemovals, null]);
  [tree, full, together, bare, bareTogether].forEach(free);
}

/** Runs the benchmark, and passes each row to `write`: { count, task, figures }, with a figure, or
    null, for each package. */
export async function benchmark(counts, write) {
  for (const count of counts) {
    const rows = [];
    measure(count, (task, figures) => rows.push({ count, task, figures }));
    for (const row of rows) await write(row);
  }
}

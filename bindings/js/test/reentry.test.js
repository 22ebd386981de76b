// SPDX-License-Identifier: MIT
// reentry.test.js: passes arguments whose members run code that calls the library, frees versions or throws.
import assert from 'node:assert/strict';
import test from 'node:test';

import { Document, History, PersistentImage, PersistentMap, PersistentTree, Recording, Region, World } from 'pqt';

const BOUNDS = { minX: 0, minY: 0, maxX: 100, maxY: 100 };
const box = (id) => ({ minX: id, minY: id, maxX: id + 1, maxY: id + 1, id });
const boxes = (count) => Float64Array.from({ length: 4 * count }, (_, i) => (i >> 2) % 99 + (i & 2) / 2);
const ball = (id, x) => ({ id, x, y: 50, radius: 1 });

/** Makes the library replace its buffer with a larger one, and fill it. */
function callLibrary() {
  const tree = PersistentTree.of(boxes(callLibrary.count *= 2));
  assert.equal(tree.all().length, tree.size);
  tree.free();
}
callLibrary.count = 2000;

/** Returns a copy of an object. Reading or writing any member of the copy first calls `act`. */
function hostile(object, act) {
  return new Proxy({ ...object }, {
    get: (to, name) => { act(name); return to[name]; },
    set: (to, name, value) => { act(name); to[name] = value; return true; },
  });
}

/** Makes an array whose first element calls `act` when it is read. */
function hostileArray(array, act) {
  const [first] = array, copy = [...array];
  Object.defineProperty(copy, 0, { get() { act(copy); return first; } });
  return copy;
}

const base = new PersistentTree({ bounds: BOUNDS, uniqueIds: true }).load([box(1), box(2)]);
const square = Region.ofBoxes([{ minX: 0, minY: 0, maxX: 5, maxY: 5 }]);
const world = new World({ bounds: BOUNDS }).add([ball(1, 20), ball(2, 40)]);
const picture = new PersistentImage({ width: 20, height: 20, colour: [255, 255, 255] }), dot = picture.paint({ x: 5.5, y: 5.5 }, [1, 2, 3]);

// The calls that are tested, by name. `of` and `array` make arguments from plain objects and arrays.
const CALLS = {
  'ids of boxes': (of, array) => PersistentTree.of(boxes(3000), array(Array.from({ length: 3000 }, (_, i) => i))),
  'items': (of, array) => PersistentTree.of(array([of(box(1)), of(box(2))])),
  'an insertion': (of) => base.insert(of(box(5))),
  'a bigint as an id': (of) => base.insert(of({ ...box(5), id: 5n })),
  'a removal': (of) => base.remove(of(box(2))),
  'a move': (of) => base.move(of(box(2)), of(box(7))),
  'an item that is looked up': (of) => base.has(of(box(2))),
  'a move of an id': (of) => base.moveId(2, of(box(7))),
  'a move of an id by a draft': (of) => base.edit((draft) => draft.moveId(2, of(box(7))).removeId(1)),
  'ids to remove': (of, array) => base.removeIds(array([2, 1])),
  'ids and boxes to move': (of, array) => base.moveIds(array([1, 2n]), array([of(box(5)), of(box(6))])),
  'ids and boxes for a draft': (of, array) => base.edit((draft) => draft.moveIds(array([1, 2]), array([of(box(5)), of(box(6))])).removeIds(array([1]))),
  'edits of a draft': (of) => base.edit((draft) => draft.insert(of(box(5))).remove(of(box(1))).move(of(box(2)), of(box(7)))),
  'items of a draft': (of, array) => base.edit((draft) => draft.load(array([of(box(5)), of(box(6))])).removeAll(array([of(box(1))]))),
  'a window': (of) => base.search(of(BOUNDS)),
  'a window for ids': (of) => base.searchIds(of(BOUNDS)),
  'a window and options': (of) => base.search(of(BOUNDS), of({ relation: 'inside' })),
  'a window for pages': (of) => [...base.pages(of(BOUNDS), of({ relation: 'overlaps', size: 1 }))],
  'options of nearest': (of) => base.nearest(of(box(5)), of({ most: 2, maxDistance: 90 })),
  'a tree and options for pairs': (of) => base.pairs(base, of({ relation: 'overlaps', offset: of({ x: 0.5, y: 0 }) })),
  'a line': (of) => base.castAll(of({ from: of({ x: 0, y: 0 }), direction: of({ x: 1, y: 1 }) }), of({})),
  'a shape and positions': (of) => base.slide(of(BOUNDS), of({ x: -200, y: 0 }), of({ x: 200, y: 9 }), of({ bounces: 2, ignoreOverlap: false })),
  'a window to keep': (of) => base.keep(of(box(1)), of({ relation: 'inside' })),
  'a window to restore': (of) => base.restore(base, of(box(1)), of({ relation: 'inside' })),
  'options of a union': (of) => base.union(base, of({ onConflict: 'ours' })),
  'bounds': (of) => new PersistentTree(of({ bounds: of(BOUNDS) })),
  'options of a map': (of) => new PersistentMap(of({ keys: 'bytes', values: 'bytes' })).set('a', 'b').entries(),
  'entries of a map': (of, array) => PersistentMap.of(array([array([1, 2]), array([3, 4])])),
  'entries for a draft of a map': (of, array) => PersistentMap.of([[9, 1]]).edit((draft) => draft.setAll(array([array([1, 2]), [3, 4]])).deleteAll(array([9]))),
  'parts of a document': (of) => Document.of(of({ tree: base, map: of({ map: PersistentMap.of([[1, 2]]), keyedBy: 'tree' }) })),
  'pixels': (of) => Region.ofPixels(Uint8Array.of(0, 9, 9, 0), of({ width: 2, height: 2 })),
  'boxes of pixels': (of, array) => Region.ofBoxes(array([of({ minX: 0, minY: 0, maxX: 5, maxY: 5 })])),
  'a primitive': (of) => square.paint(of({ op: 'clear', box: of({ minX: 0, minY: 0, maxX: 2, maxY: 5 }) })),
  'a position': (of) => square.union(square, of({ x: 3, y: 4 })),
  'positions of a sweep': (of) => square.sweep(of({ x: -20, y: 0 }), of({ x: 20, y: 0 }), square, of({ cell: 1 })),
  'a slide': (of) => square.slide(of({ x: -20, y: 1 }), of({ x: 20, y: 3 }), square, of({ bounces: 1 })),
  'a line and a shape among pixels': (of) => [square.cast(of({ from: of({ x: -3, y: 1 }), to: of({ x: 9, y: 2 }) })), square.overlapsShape(of({ x: 1, y: 1, radius: 2 })),
    square.sweepShape(of({ minX: 0, minY: 0, maxX: 1, maxY: 1 }), of({ x: -9, y: 0 }), of({ x: 9, y: 1 }), of({ ignoreOverlap: true }))],
  'positions of overlaps': (of) => [square.firstOverlap(square, of({ x: 1, y: 2 }), 'left'), [...square.overlapPairs(square, of({ x: 1, y: 2 }))],
    [...square.runs(of({ minX: 1, minY: 1, maxX: 3, maxY: 3 }))], [...square.squaredDistances(of({ minX: 1, minY: 1, maxX: 9, maxY: 3 }))]],
  'an image': (of, array) => new PersistentImage(of({ width: 3, height: 4, colour: array([1, 2, 3]) })),
  'pixels of an image': (of) => PersistentImage.of(of({ data: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), width: 1, height: 2 })),
  'primitives of an image': (of, array) => picture.paint(array([of({ x: 5, y: 5, radius: 3 }), of({ box: of(box(1)) })]), array([1, 2, 3, 99]), of({ mode: 'over' })),
  'a fill and a blit': (of, array) => [picture.fill(square, array([1, 2, 3]), of({ x: 2, y: 3 })), picture.blit(dot, of({ x: 2, y: 1, box: of(box(5)) }))],
  'a flood and a selection': (of, array) => [picture.flood(1, 1, array([1, 2, 3]), of({ tolerance: 4 })), dot.select(of({ colour: array([1, 2, 3]), tolerance: 1 }))],
  'a window of an image': (of) => [...dot.toPixels(of(box(5)))],
  'options of a merge of images': (of) => picture.merge(dot, picture, of({ onConflict: 'ours' })),
  'bodies': (of, array) => world.add(array([of(ball(3, 60)), of(ball(4, 80))])),
  'bodies as arrays': (of) => world.add(of({ figures: Float64Array.of(9, 9, 0, 0, 0, 0, 1, 1), ids: Uint32Array.of(9) })),
  'options of a step': (of) => world.step(1, of({ gravity: of({ x: 1, y: 2 }), damping: 0.5 })),
  'a report': (of) => {
    const report = of({});
    world.step(1, { report });
    return { ...report };
  },
  'a recording': (of) => new Recording(world, 1, of({ every: 2 })).step(of({})),
  'a window of bodies': (of) => [world.bodies(of(BOUNDS), of({ relation: 'inside' })).map(({ id }) => id), world.arrays(of(BOUNDS), of({ relation: 'inside' })).ids,
    world.keep(of({ ...BOUNDS, maxX: 30 }), of({ relation: 'overlaps' }))],
  'columns of byte strings': (of) => PersistentMap.ofColumns([1, 2], of({ bytes: Uint8Array.of(1, 2, 3), ends: Uint32Array.of(1, 3) }), of({ values: 'bytes' })),
  'the past of a history': (of) => {
    const history = new History(base, of({ indexed: true }));
    history.push(base.insert(box(3)), { time: 1 });
    return [history.lastChange(of({ window: of(BOUNDS), tip: 1 })), history.lastItemChange(3, of({ tip: 1 })), history.changes(0, 1, of({ window: of(BOUNDS), relation: 'touches' }))];
  },
  'a zone': (of) => world.add(ball(3, 60)).crossings(world, of(BOUNDS)).map(({ entered }) => entered),
  'a history': (of) => {
    const history = new History(base, of({ maxEntries: 5 }));
    history.push(base.insert(box(3)), of({ label: 'a'.repeat(200), time: 1 }));
    return [history.undoLabel, history.tree()];
  },
};

/** Returns results as text, so that they can be compared. */
function shown(result) {
  if (Array.isArray(result)) return result.map(shown).join('; ');
  if (typeof result?.fingerprint === 'function') return result.check().fingerprint();
  return ArrayBuffer.isView(result) ? String(result) : JSON.stringify(result);
}

for (const [name, run] of Object.entries(CALLS)) {
  test(`${name}: a getter may call the library`, () => {
    const expected = shown(run((one) => one, (all) => all));
    callLibrary.count = 2000;
    let calls = 0;
    const act = () => { if (calls++ < 3) callLibrary(); };
    const result = run((one) => hostile(one, act), (all) => hostileArray(all, act));
    assert.equal(shown(result), expected);
    assert.ok(calls > 0);
    [base, square, world, picture, dot].forEach((version) => version.check());
  });

  test(`${name}: an exception in the user's code reaches the caller`, () => {
    const failure = new Error('the code of the user failed');
    const act = () => { throw failure; };
    let thrown = null;
    try {
      run((one) => hostile(one, act), (all) => hostileArray(all, act));
    } catch (error) {
      thrown = error;
    }
    assert.equal(thrown, failure);
    [base, square, world, picture, dot].forEach((version) => version.check());
  });

  test(`${name}: each member is read once`, () => {
    const reads = [];
    let objects = 0;
    const counted = (one) => {
      const own = objects++;
      return hostile(one, (member) => typeof member === 'string' && reads.push(`${own}.${member}`));
    };
    run(counted, (all) => all);
    if (name !== 'a report') assert.equal(new Set(reads).size, reads.length);
  });
}

const bodies = world.arrays(), words = Uint32Array.of(1, 2), longWords = BigUint64Array.of(1n, 2n);
const bodiesWith = (name) => (array) => world.clear().add({ ...bodies, [name]: array });

// The calls that take a typed array: an array for each, and the call.
const ARRAYS = {
  'boxes of a tree': [boxes(4), (array) => PersistentTree.of(array)],
  'boxes to load': [boxes(4), (array) => base.load(array)],
  'boxes to remove': [boxes(2), (array) => base.removeAll(array)],
  'ids of 32 bits': [words, (array) => base.load(boxes(2), array)],
  'ids of 64 bits': [longWords, (array) => base.load(boxes(2), array)],
  'ids as doubles': [Float64Array.of(1, 2), (array) => base.removeAll(boxes(2), array)],
  'boxes for a draft': [boxes(4), (array) => base.edit((draft) => draft.load(array))],
  'boxes to remove by a draft': [boxes(4), (array) => base.edit((draft) => draft.removeAll(array))],
  'ids of 32 bits for a draft': [words, (array) => base.edit((draft) => draft.load(boxes(2), array))],
  'ids of 64 bits for a draft': [longWords, (array) => base.edit((draft) => draft.load(boxes(2), array))],
  'ids as doubles for a draft': [Float64Array.of(1, 2), (array) => base.edit((draft) => draft.removeAll(boxes(2), array))],
  'ids to remove of 32 bits': [words, (array) => base.removeIds(array)],
  'ids to remove of 64 bits': [longWords, (array) => base.removeIds(array)],
  'ids to move as doubles': [Float64Array.of(1, 2), (array) => base.moveIds(array, boxes(2))],
  'new boxes': [boxes(2), (array) => base.moveIds(words, array)],
  'bytes of a version': [base.toBytes(), (array) => PersistentTree.fromBytes(array)],
  'a key of a map': [Uint8Array.of(1, 2), (array) => new PersistentMap({ keys: 'bytes' }).set(array, 1)],
  'a value of a map': [Uint8Array.of(1, 2), (array) => new PersistentMap({ values: 'bytes' }).set(1, array)],
  'a key for a draft': [Uint8Array.of(1, 2), (array) => new PersistentMap({ keys: 'bytes' }).edit((draft) => draft.set(array, 1))],
  'a value for a draft': [Uint8Array.of(1, 2), (array) => new PersistentMap({ values: 'bytes' }).edit((draft) => draft.set(1, array))],
  'bytes of pixels': [Uint8Array.of(9, 0, 9, 9, 0), (array) => Region.ofPixels(array, { width: 2, height: 2, offset: 1 })],
  'clamped bytes of pixels': [Uint8ClampedArray.of(0, 9, 9, 0), (array) => Region.ofPixels(array, { width: 2, height: 2 })],
  'pixels in an image': [Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), (array) => PersistentImage.of({ data: array, width: 2, height: 1 })],
  'clamped pixels in an image': [Uint8ClampedArray.of(1, 2, 3, 4), (array) => PersistentImage.of({ data: array, width: 1, height: 1 })],
  'a colour': [Uint8Array.of(1, 2, 3), (array) => picture.paint({ x: 5, y: 5, radius: 3 }, array)],
  'an array that gets pixels': [new Uint8Array(4), (array) => { dot.toPixels(box(5), array); return dot; }],
  'an array of runs': [Int32Array.of(0, 0, 5), (array) => Region.ofRuns(array)],
  'an array of boxes of pixels': [Int32Array.of(0, 0, 5, 5), (array) => Region.ofBoxes(array)],
  ...Object.fromEntries(Object.entries(bodies).map(([name, array]) => [`${name} of bodies`, [array, bodiesWith(name)]])),
};
const MEMBERS = ['length', 'buffer', 'byteOffset', 'byteLength', 'constructor', 'subarray', 'slice', 'set', 'some', 'every', 'map', 'forEach',
  'indexOf', Symbol.iterator, Symbol.toStringTag];

for (const [name, [plain, run]] of Object.entries(ARRAYS)) {
  test(`${name}: no member of a typed array runs the user's code`, () => {
    let calls = 0;
    const array = plain.slice();
    for (const member of MEMBERS)
      Object.defineProperty(array, member, { get: () => { calls++; callLibrary(); return Reflect.get(Object.getPrototypeOf(array), member, array); } });
    Object.setPrototypeOf(array, new Proxy(Object.getPrototypeOf(array), { getPrototypeOf: (to) => { calls++; return Reflect.getPrototypeOf(to); } }));
    callLibrary.count = 2000;
    assert.equal(shown(run(array)), shown(run(plain)));
    assert.equal(calls, 0);
  });

  test(`${name}: a proxy of a typed array is refused before it runs the user's code`, () => {
    let calls = 0;
    const handler = { get: (to, member) => { calls++; return typeof to[member] === 'function' ? to[member].bind(to) : to[member]; },
      getPrototypeOf: (to) => { calls++; return Reflect.getPrototypeOf(to); } };
    assert.throws(() => run(new Proxy(plain, handler)), TypeError);
    assert.equal(calls, 0);
    [base, square, world, picture, dot].forEach((version) => version.check());
  });
}

test('a proxy of an array of ids is not mistaken for options', () => {
  assert.throws(() => PersistentTree.of(boxes(2), new Proxy(words, {})), { name: 'TypeError', message: /ids must be an array/ });
});

test('an array of pixels that is transferred while the options are read is refused', () => {
  const bytes = new Uint8Array(4);
  const options = hostile({ width: 2, height: 2 }, () => { if (bytes.length > 0) structuredClone(bytes.buffer, { transfer: [bytes.buffer] }); });
  assert.throws(() => Region.ofPixels(bytes, options), { message: /is detached, or its buffer has shrunk/ });
});

test('no method of a class of the user is called by a draft', () => {
  class Meddler extends PersistentTree {}
  for (const name of ['load', 'insert', 'move', 'size', 'bounds', 'beginDraft', 'free'])
    Object.defineProperty(Meddler.prototype, name, { get() { throw new Error(`${name} was read`); } });
  const tree = new Meddler({ bounds: BOUNDS, strictBounds: true });
  const next = tree.edit((draft) => {
    assert.throws(() => draft.load([{ ...box(1), maxX: 101 }, box(2)]), { code: 'PQT_ERROR_BOUNDS' });
    draft.insert(box(7));
  });
  assert.deepEqual(next.all(), [box(7)]);
});

test('a version that is freed while an argument is read throws the error of the library', () => {
  const uses = [(tree, of) => tree.insert(of(box(5))), (tree, of) => tree.insert(of({ ...box(5), id: 5n })), (tree, of) => tree.remove(of(box(1))),
    (tree, of) => tree.has(of(box(1))), (tree, of) => tree.moveId(1, of(box(5))), (tree, of) => tree.moveIds([1], [of(box(5))]),
    (tree, of) => tree.load([of(box(5))]), (tree, of) => tree.move(of(box(1)), box(5)), (tree, of) => tree.search(of(BOUNDS)),
    (tree, of) => tree.searchIds(of(BOUNDS)), (tree, of) => tree.searchArrays(of(BOUNDS)), (tree, of) => tree.count(of(BOUNDS))];
  for (const use of uses) {
    const tree = base.insert(box(3));
    assert.throws(() => use(tree, (one) => hostile(one, () => tree.free())), { message: 'the tree was freed' });
  }
  const region = square.move(1, 1);
  assert.throws(() => region.sweep(hostile({ x: 0 }, () => region.free()), {}, square), { message: 'the region was freed' });
  const one = world.add(ball(3, 60));
  assert.throws(() => one.add(hostile(ball(4, 80), () => one.free())), { message: 'the world was freed' });
  for (const use of [(freed, of) => freed.bodies(of(BOUNDS)), (freed, of) => freed.bodies(BOUNDS, of({ relation: 'inside' })), (freed, of) => freed.arrays(of(BOUNDS)),
    (freed, of) => freed.keep(of(BOUNDS)), (freed, of) => freed.keep(BOUNDS, of({ relation: 'inside' }))]) {
    const freed = world.add(ball(3, 60));
    assert.throws(() => use(freed, (given) => hostile(given, () => freed.free())), { message: 'the world was freed' });
  }
  for (const use of [(freed, of) => freed.lastChange(of({ window: BOUNDS, tip: 0 })), (freed, of) => freed.lastItemChange(1, of({ tip: 0, part: 'a' })),
    (freed, of) => freed.changes(0, 1, of({ tip: 0 }))]) {
    const freed = new History(base, { indexed: true });
    assert.throws(() => use(freed, (given) => hostile(given, () => freed.free())), { message: 'the history was freed' });
  }
});

test('a number that is an object with valueOf is refused before its code runs', () => {
  const evil = { valueOf() { throw new Error('valueOf ran'); } };
  for (const use of [() => base.insert({ ...box(5), minX: evil }), () => base.search({ ...BOUNDS, maxY: evil }), () => base.nearest(evil, 0),
    () => square.union(square, { x: evil }), () => square.sweep({ x: evil }, {}, square), () => world.add({ ...ball(3, 60), vx: evil }),
    () => world.step(evil), () => PersistentTree.of(boxes(1), [evil])])
    assert.throws(use, TypeError);
});

test('an array that grows or shrinks while it is read is copied or refused', () => {
  const grown = PersistentTree.of(hostileArray([box(1), box(2)], (all) => all.push(box(3))));
  assert.equal(grown.size, 2);
  assert.throws(() => PersistentTree.of(hostileArray([box(1), box(2)], (all) => { all.length = 1; })), { message: /item 1 is not an object/ });
  assert.equal(world.add(hostileArray([ball(3, 60)], (all) => all.push(ball(4, 80)))).size, 3);
  assert.throws(() => world.add(hostileArray([ball(3, 60), ball(4, 80)], (all) => { all.length = 1; })), { message: /body 1 is not an object/ });
});

test('a proxy of a version is refused', () => {
  const proxy = new Proxy(base, {});
  for (const use of [() => proxy.insert(box(5)), () => proxy.size, () => proxy.fingerprint(), () => proxy.free(), () => base.diff(proxy),
    () => base.equals(proxy), () => new History(proxy), () => Document.of({ tree: proxy })])
    assert.throws(use, TypeError);
  assert.equal(base.check().size, 2);
});

const isResizable = 'resizable' in ArrayBuffer.prototype; // from node 20 on

test('an array whose buffer has shrunk is refused', () => {
  if (!isResizable) return;
  const buffer = new ArrayBuffer(64, { maxByteLength: 64 });
  const floats = new Float64Array(buffer, 0, 8), bytes = new Uint8Array(buffer, 0, 64), words = new Int32Array(buffer, 0, 4);
  buffer.resize(8);
  for (const use of [() => PersistentTree.of(floats), () => PersistentTree.fromBytes(bytes), () => Region.ofBoxes(words),
    () => Region.ofPixels(bytes, { width: 1, height: 1 }), () => PersistentImage.of({ data: bytes, width: 1, height: 1 }),
    () => picture.paint({ x: 1, y: 1 }, bytes), () => picture.toPixels(box(1), bytes), () => Region.ofRuns(words), () => world.add({ figures: floats }), () => base.load(new Float64Array(0), floats)])
    assert.throws(use, { message: /is detached, or its buffer has shrunk/ });
});

test('arrays in growing and shared buffers are copied', () => {
  const plain = PersistentTree.of(boxes(4)).fingerprint();
  if (isResizable) {
    const grown = new Float64Array(new ArrayBuffer(0, { maxByteLength: 128 }));
    grown.buffer.resize(128);
    grown.set(boxes(4));
    assert.equal(PersistentTree.of(grown).fingerprint(), plain);
  }
  if (typeof SharedArrayBuffer === 'undefined') return; // pages have it only with certain headers
  const shared = new Float64Array(new SharedArrayBuffer(128));
  shared.set(boxes(4));
  assert.equal(PersistentTree.of(shared).fingerprint(), plain);
});

test('arrays that are too long throw the error of the library', () => {
  const long = new Array(2 ** 32 - 1);
  for (const use of [() => PersistentTree.of(long), () => base.removeAll(long), () => world.add(long)])
    assert.throws(use, { code: 'PQT_ERROR_MEMORY', message: 'out of memory (arrays of a call)' });
});

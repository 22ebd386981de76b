// SPDX-License-Identifier: MIT
// region.test.js: tests Region: a model test, images, collisions, bad input and bytes.
import assert from 'node:assert/strict';
import test from 'node:test';

import { History, PersistentTree, Region, memory } from 'pqt';
import { SEED, damages, detached, dice, refuses, refusesFreed } from '../support/checks.js';

const SIDE = 150;
const WINDOW = { minX: 0, minY: 0, maxX: SIDE, maxY: SIDE };

/** A plain set of pixels, with one byte per pixel. */
const plain = (set) => Uint8Array.from({ length: SIDE * SIDE }, (_, i) => (set(i % SIDE, Math.floor(i / SIDE)) ? 255 : 0));
const inside = (x, y) => x >= 0 && y >= 0 && x < SIDE && y < SIDE;

test('a region equals an array of pixels after each of many random commands, and old versions stay unchanged', () => {
  const draw = dice(SEED);
  let region = new Region(), model = plain(() => false);
  const kept = [];
  for (let step = 0; step < 60; step++) {
    const minX = draw(SIDE), minY = draw(SIDE), box = { minX, minY, maxX: Math.min(minX + draw(80), SIDE), maxY: Math.min(minY + draw(80), SIDE) };
    const covers = (x, y) => x >= box.minX && x < box.maxX && y >= box.minY && y < box.maxY;
    const before = model;
    const was = (x, y) => inside(x, y) && before[y * SIDE + x] !== 0;
    const other = Region.ofBoxes([box]);
    const [made, set] = [
      () => [region.paint({ box }), (x, y) => was(x, y) || covers(x, y)],
      () => [region.paint([{ op: 'clear', box }]), (x, y) => was(x, y) && !covers(x, y)],
      () => [region.paint({ op: 'toggle', box }), (x, y) => was(x, y) !== covers(x, y)],
      () => [region.union(other), (x, y) => was(x, y) || covers(x, y)],
      () => [region.difference(other, { x: 1, y: 2 }), (x, y) => was(x, y) && !covers(x - 1, y - 2)],
      () => [region.xor(other), (x, y) => was(x, y) !== covers(x, y)],
      () => [region.union(region.move(1, 0)).crop(WINDOW), (x, y) => was(x, y) || was(x - 1, y)],
      () => [region.dilate(1, 4).crop(WINDOW), (x, y) => [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]].some(([i, k]) => was(x + i, y + k))],
      () => [region.erode(1), (x, y) => [-1, 0, 1].every((i) => [-1, 0, 1].every((k) => was(x + i, y + k)))],
      () => [region.complement(WINDOW), (x, y) => !was(x, y)],
      () => [region.transform('flipX').move(SIDE, 0), (x, y) => was(SIDE - 1 - x, y)],
      () => [region.transform('flipDiagonal'), (x, y) => was(y, x)],
      () => [region.intersection(other), (x, y) => was(x, y) && covers(x, y)],
      () => [region.outline(), (x, y) => was(x, y) && [[1, 0], [-1, 0], [0, 1], [0, -1]].some(([i, k]) => !was(x + i, y + k))],
    ][draw(step < 20 ? 4 : 14)]();
    model = plain(set);
    assert.deepEqual(made.toPixels(WINDOW), model);
    const damage = region.diff(made);
    for (let i = 0; i < model.length; i++)
      if (model[i] !== before[i])
        assert.ok(damage.some((b) => i % SIDE >= b.minX && i % SIDE < b.maxX && i / SIDE >= b.minY && i / SIDE < b.maxY));
    assert.equal(made.size, model.filter((byte) => byte !== 0).length);
    assert.ok(Region.ofBoxes(made.boxes()).equals(made));
    assert.equal(Region.ofPixels(model, { width: SIDE, height: SIDE }).fingerprint(), made.check().fingerprint());
    kept.push([made, model]);
    region = made;
  }
  for (const [version, pixels] of kept) {
    assert.deepEqual(version.toPixels(WINDOW), pixels);
    assert.ok(Region.fromBytes(version.toBytes()).equals(version));
  }
});

test('an image may have more bytes than pixels, a threshold and a position', () => {
  const alpha = Uint8ClampedArray.of(9, 9, 9, 200, 9, 9, 9, 100, 9, 9, 9, 128, 9, 9, 9, 255);
  const region = Region.ofPixels(alpha, { width: 2, height: 2, pixelStride: 4, offset: 3, threshold: 127, x: -5, y: 7 });
  assert.deepEqual(region.boxes(), [{ minX: -5, minY: 7, maxX: -4, maxY: 8 }, { minX: -5, minY: 8, maxX: -3, maxY: 9 }]);
  assert.deepEqual(region.bounds, { minX: -5, minY: 7, maxX: -3, maxY: 9 });
  assert.ok(region.has(-5, 7) && !region.has(-4, 7) && !region.has(0, 0));
  assert.equal(region.count({ minX: -5, minY: 8, maxX: 100, maxY: 100 }), 2);
  assert.equal(Region.ofPixels(new Uint8Array(0), { width: 0, height: 5 }).size, 0);
  assert.deepEqual(region.toPixels({ minX: -5, minY: 7, maxX: -3, maxY: 8 }, 1), Uint8Array.of(1, 0));
});

test('pens draw discs and strokes, and components are found', () => {
  const region = new Region().paint({ x: 10, y: 10, radius: 5 }, { x: 40, y: 10, toX: 60, toY: 10, radius: 2 }, { x: 100.5, y: 5.5 });
  const parts = region.components();
  assert.equal(parts.length, 3);
  assert.equal(parts.reduce((sum, part) => sum + part.size, 0), region.size);
  assert.ok(region.component(100, 5).equals(Region.ofBoxes(Int32Array.of(100, 5, 101, 6))));
  assert.equal(region.component(0, 0).size, 0);
  assert.equal(region.scale(3, 2).size, 6 * region.size);
  assert.ok(region.intern().equals(region));
});

test('regions overlap and stop each other exactly', () => {
  const wall = Region.ofBoxes([{ minX: 50, minY: -10, maxX: 60, maxY: 10 }]), ship = Region.ofBoxes([{ minX: 0, minY: 0, maxX: 4, maxY: 4 }]);
  assert.equal(ship.overlaps(wall), false);
  assert.equal(ship.overlaps(wall, { x: -47 }), true);
  assert.equal(ship.overlapArea(wall, { x: -46.5 }), 2);
  const sweep = ship.sweep({ x: 0, y: 0 }, { x: 92, y: 0 }, wall);
  assert.deepEqual([sweep.status, sweep.time, sweep.x, sweep.blockedX, sweep.blockedY, sweep.normalX], ['hits', 0.5, 46, true, false, -1]);
  assert.equal(ship.sweep({}, { y: 50 }, wall).status, 'free');
  assert.equal(ship.sweep({ x: 49 }, { x: 50 }, wall).status, 'overlaps');
  assert.deepEqual(sweep.met, { x: 3, y: 0, otherX: 50, otherY: 0 });
  assert.equal(ship.sweep({}, { y: 5 }, wall).met, null);
});

test('a region slides along another one', () => {
  const wall = Region.ofBoxes([{ minX: 50, minY: -10, maxX: 60, maxY: 10 }]), ship = Region.ofBoxes([{ minX: 0, minY: 0, maxX: 4, maxY: 4 }]);
  const slide = ship.slide({}, { x: 92, y: 5 }, wall);
  assert.deepEqual([slide.status, slide.x, slide.y, slide.blockedX, slide.bounces], ['touches', 46, 5, true, 1]);
  assert.deepEqual(ship.slide({}, { x: 92, y: 5 }, wall, { bounces: 0 }).y, ship.sweep({}, { x: 92, y: 5 }, wall).y);
  assert.equal('bounces' in ship.sweep({}, {}, wall), false);
});

test('regions can collide in coarser cells', () => {
  const dot = Region.ofBoxes([{ minX: 20, minY: 4, maxX: 21, maxY: 5 }]), ship = Region.ofBoxes([{ minX: 0, minY: 0, maxX: 4, maxY: 4 }]);
  assert.equal(ship.overlaps(dot), false);
  assert.equal(ship.overlaps(dot, {}, { otherCell: 32 }), true);
  assert.equal(ship.overlaps(dot, {}, { otherCell: 32, kind: 'inner' }), false);
  assert.equal(ship.overlaps(dot, {}, { cell: 64 }), true);
  assert.equal(ship.sweep({}, { x: 40 }, dot).status, 'free');
  assert.equal(ship.sweep({}, { x: 40 }, dot, { otherCell: 8 }).x, 12);
  assert.equal(ship.slide({}, { x: 40 }, dot, { cell: 8, otherCell: 8 }).x, 8);
});

test('a history of regions undoes strokes', () => {
  const history = new History(new Region());
  history.push(history.version().paint({ x: 5, y: 5, radius: 3 }), { label: 'Stroke' });
  assert.ok(history.version().size > 20);
  history.undo();
  assert.equal(history.version().size, 0);
});

test('the memory of components is freed', () => {
  const region = Region.ofBoxes([WINDOW, { minX: 500, minY: 0, maxX: 501, maxY: 1 }]);
  const held = memory().versions;
  region.components().forEach((part) => part.free());
  assert.equal(memory().versions, held);
});

const region = Region.ofBoxes([{ minX: 0, minY: 0, maxX: 5, maxY: 5 }]);
const image = { width: 2, height: 2 };
refuses([
  ['pixels that are an array', () => Region.ofPixels([1, 2, 3, 4], image), TypeError],
  ['no pixels', () => Region.ofPixels(), TypeError],
  ['an image without a size', () => Region.ofPixels(new Uint8Array(4), {}), TypeError],
  ['an image without options', () => Region.ofPixels(new Uint8Array(4)), TypeError],
  ['an image larger than its bytes', () => Region.ofPixels(new Uint8Array(3), image), RangeError],
  ['an image of a negative width', () => Region.ofPixels(new Uint8Array(4), { width: -2, height: 2 }), RangeError],
  ['a huge image', () => Region.ofPixels(new Uint8Array(4), { width: 2 ** 31 - 1, height: 2 ** 31 - 1 }), RangeError],
  ['a stride of 0', () => Region.ofPixels(new Uint8Array(4), { ...image, stride: 0 }), RangeError],
  ['a pixel stride of 0', () => Region.ofPixels(new Uint8Array(4), { ...image, pixelStride: 0 }), RangeError],
  ['a threshold of 256', () => Region.ofPixels(new Uint8Array(4), { ...image, threshold: 256 }), RangeError],
  ['a position of NaN', () => Region.ofPixels(new Uint8Array(4), { ...image, x: NaN }), RangeError],
  ['an image beyond the limit', () => Region.ofPixels(new Uint8Array(4), { ...image, x: 1048575 }), RangeError],
  ['detached pixels', () => Region.ofPixels(detached(new Uint8Array(4)), image), TypeError],
  ['boxes that are a string', () => Region.ofBoxes('boxes'), TypeError],
  ['three numbers of a box', () => Region.ofBoxes(new Int32Array(3)), RangeError],
  ['detached boxes', () => Region.ofBoxes(detached(new Int32Array(4))), TypeError],
  ['an inverted box of pixels', () => Region.ofBoxes([{ minX: 5, minY: 0, maxX: 0, maxY: 5 }]), RangeError],
  ['a box of half a pixel', () => Region.ofBoxes([{ minX: 0, minY: 0, maxX: 0.5, maxY: 5 }]), RangeError],
  ['a box beyond 32 bits', () => Region.ofBoxes([{ minX: 0, minY: 0, maxX: 2 ** 31, maxY: 5 }]), RangeError],
  ['a primitive that is null', () => region.paint(null), TypeError],
  ['a primitive without a position', () => region.paint({ radius: 5 }), TypeError],
  ['a pen of NaN', () => region.paint({ x: 0, y: 0, radius: NaN }), RangeError],
  ['a pen beyond the limit', () => region.paint({ x: 1e300, y: 0 }), RangeError],
  ['an unknown operation of a primitive', () => region.paint({ op: 'toString', x: 0, y: 0 }), RangeError],
  ['a union with a tree', () => region.union(PersistentTree.of([])), TypeError],
  ['a union beyond the limit', () => region.union(region, { x: 1048575 }), RangeError],
  ['an offset of half a pixel', () => region.xor(region, { x: 0.5 }), RangeError],
  ['a move beyond the limit', () => region.move(2 ** 30, 0), RangeError],
  ['a factor of 0', () => region.scale(0), RangeError],
  ['an unknown transform', () => region.transform('rotate45'), RangeError],
  ['steps below 0', () => region.dilate(-1), RangeError],
  ['a connectivity of 5', () => region.components(5), RangeError],
  ['an inverted box of a crop', () => region.crop({ minX: 5, minY: 0, maxX: 0, maxY: 5 }), RangeError],
  ['a huge window of pixels', () => region.toPixels({ minX: -(2 ** 31), minY: -(2 ** 31), maxX: 2 ** 31 - 1, maxY: 2 ** 31 - 1 }), Error],
  ['a value of 256', () => region.toPixels(WINDOW, 256), RangeError],
  ['a position that is infinite', () => region.overlaps(region, { x: Infinity }), RangeError],
  ['a sweep beyond the limit', () => region.sweep({}, { x: 1e9 }, region), RangeError],
  ['a sweep against nothing', () => region.sweep({}, {}, null), TypeError],
  ['three bounces', () => region.slide({}, {}, region, { bounces: 3 }), RangeError],
  ['cells of 3 pixels', () => region.sweep({}, {}, region, { cell: 3 }), RangeError],
  ['cells of half a pixel', () => region.overlaps(region, {}, { otherCell: 0.5 }), RangeError],
  ['cells of NaN pixels', () => region.overlaps(region, {}, { cell: NaN }), RangeError],
  ['an unknown kind of cells', () => region.slide({}, {}, region, { kind: 'middle' }), RangeError],
  ['bytes of a tree as a region', () => Region.fromBytes(PersistentTree.of([]).toBytes()), Error],
]);

test('damaged bytes of a region throw an error and never trap', () =>
  damages(region.paint({ x: 40, y: 40, radius: 9 }).toBytes(), Region.fromBytes));

test('each method of a freed region throws an error with a message', () => {
  const freed = new Region();
  freed.free();
  refusesFreed('the region was freed', [() => freed.size, () => freed.bounds, () => freed.boxes(WINDOW), () => freed.toPixels(WINDOW),
    () => freed.count(WINDOW), () => freed.has(0, 0), () => freed.paint({ x: 0, y: 0 }), () => freed.union(region), () => region.xor(freed),
    () => freed.move(1, 1), () => freed.crop(WINDOW), () => freed.component(0, 0), () => freed.components(), () => freed.diff(region),
    () => freed.overlaps(region), () => region.overlapArea(freed), () => freed.sweep({}, {}, region), () => freed.toBytes(),
    () => freed.fingerprint(), () => freed.equals(region), () => freed.check(), () => freed.intern(), () => freed.outline()]);
});

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

/** The pixels of a region, as [x, y]. */
const pixelsOf = (region) => region.boxes().flatMap(({ minX, minY, maxX, maxY }) =>
  Array.from({ length: (maxX - minX) * (maxY - minY) }, (_, i) => [minX + i % (maxX - minX), minY + Math.floor(i / (maxX - minX))]));

/** A region of noise, 20 x 20 pixels. */
const noise = (draw, share = 3) => Region.ofPixels(Uint8Array.from({ length: 400 }, () => (draw(share) === 0 ? 1 : 0)), { width: 20, height: 20 });

test('overlaps at an offset agree with pairs of pixels', () => {
  const draw = dice(SEED);
  for (let round = 0; round < 20; round++) {
    const one = noise(draw, 9), other = noise(draw, 9), x = draw(30) - 15, y = draw(30) - 15;
    const both = pixelsOf(one).filter(([a, b]) => other.has(a - x, b - y));
    assert.equal(one.overlapArea(other, { x, y }), both.length);
    const orders = { top: ([a, b]) => [b, a], bottom: ([a, b]) => [-b, a], left: ([a, b]) => [a, b], right: ([a, b]) => [-a, b] };
    for (const [side, key] of Object.entries(orders)) {
      const [first] = both.slice().sort((p, q) => key(p)[0] - key(q)[0] || key(p)[1] - key(q)[1]);
      const found = one.firstOverlap(other, { x, y }, side);
      assert.deepEqual(found, first === undefined ? null : { x: first[0], y: first[1], otherX: first[0] - x, otherY: first[1] - y });
    }
    const rows = one.overlapPairs(other, { x, y }), pairs = [];
    for (let i = 0; i < rows.length; i += 6) {
      const [aX, aY, bX, bY, width, height] = rows.subarray(i, i + 6);
      assert.deepEqual([aX - bX, aY - bY], [x, y]);
      for (let k = 0; k < width * height; k++) pairs.push([aX + k % width, aY + Math.floor(k / width)]);
    }
    assert.deepEqual(pairs.map(String).sort(), both.map(String).sort());
  }
});

test('squares are those of the quadtree', () => {
  const region = Region.ofBoxes([{ minX: 0, minY: 0, maxX: 128, maxY: 128 }, { minX: 200, minY: 5, maxX: 203, maxY: 6 }]);
  const found = region.squares(), of = (kind) => found.filter((one) => one.kind === kind);
  assert.deepEqual(found[0].kind, 'inner');
  assert.equal(found[0].count, region.size);
  assert.deepEqual(of('full'), [{ minX: 0, minY: 0, maxX: 128, maxY: 128, kind: 'full', count: 16384 }]);
  assert.deepEqual(of('leaf'), [{ minX: 192, minY: 0, maxX: 256, maxY: 64, kind: 'leaf', count: 3 }]);
  assert.equal(of('inner').length + 2, found.length);
  assert.deepEqual(new Region().squares(), []);
});

test('runs, contours and moments describe the pixels', () => {
  const draw = dice(SEED);
  for (let round = 0; round < 10; round++) {
    const one = noise(draw), window = { minX: 2, minY: 3, maxX: 15, maxY: 12 }, runs = one.runs(window);
    assert.ok(Region.ofRuns(runs).equals(one.crop(window)) && Region.ofRuns(one.runs()).equals(one));
    assert.equal(runs.length % 3, 0);
    const parts = one.contours(8), components = one.components(8);
    assert.equal(parts.length, components.length);
    const area = (corners) => {
      let twice = 0;
      for (let i = 0; i < corners.length; i += 2) {
        const k = (i + 2) % corners.length;
        twice += corners[i] * corners[k + 1] - corners[k] * corners[i + 1];
      }
      return twice / 2;
    };
    assert.deepEqual(parts.map((contours) => contours.reduce((sum, corners) => sum + area(corners), 0)), components.map((part) => part.size));
    assert.ok(parts.every(([outer, ...holes]) => area(outer) > 0 && holes.every((hole) => area(hole) < 0)));
    const pixels = pixelsOf(one), mean = (of) => pixels.reduce((sum, pixel) => sum + of(pixel), 0) / pixels.length;
    const { x, y, xx, xy, yy, axisX, axisY } = one.moments(), middleX = mean(([a]) => a + 0.5), middleY = mean(([, b]) => b + 0.5);
    const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);
    [[x, middleX], [y, middleY], [xx, mean(([a]) => (a + 0.5 - middleX) ** 2)], [yy, mean(([, b]) => (b + 0.5 - middleY) ** 2)],
      [xy, mean(([a, b]) => (a + 0.5 - middleX) * (b + 0.5 - middleY))], [Math.hypot(axisX, axisY), 1]].forEach(([found, expected]) => near(found, expected));
  }
  const square = Region.ofBoxes([{ minX: 0, minY: 0, maxX: 5, maxY: 5 }]);
  assert.deepEqual(square.contours(), [[Int32Array.of(0, 0, 5, 0, 5, 5, 0, 5)]]);
  assert.ok(square.paint({ x: 40, y: 40, radius: 9 }).contours(4, 2)[1][0].length < square.paint({ x: 40, y: 40, radius: 9 }).contours()[1][0].length);
});

test('distances and discs agree with all pairs of pixels', () => {
  const draw = dice(SEED);
  for (let round = 0; round < 6; round++) {
    const one = noise(draw, 2 + 4 * round), window = { minX: -4, minY: -4, maxX: 24, maxY: 24 }, side = 28;
    const pixels = Array.from({ length: side * side }, (_, i) => [i % side - 4, Math.floor(i / side) - 4]);
    const squares = (targets) => Uint32Array.from(pixels, ([x, y]) =>
      targets.reduce((least, [a, b]) => Math.min(least, (a - x) ** 2 + (b - y) ** 2), 2 ** 32 - 1));
    const inside = squares(pixels.filter(([x, y]) => one.has(x, y))), outside = squares(pixels.filter(([x, y]) => !one.has(x, y)));
    assert.deepEqual(one.squaredDistances(window), inside);
    assert.deepEqual(one.squaredDistances(window, 'outside'), outside);
    assert.deepEqual(one.dilateDisc(2.5).toPixels(window, 1), Uint8Array.from(inside, (square) => (square <= 6.25 ? 1 : 0)));
    assert.deepEqual(one.erodeDisc(1.5).toPixels(window, 1), Uint8Array.from(outside, (square) => (square > 2.25 ? 1 : 0)));
    const thin = one.skeleton();
    assert.ok(thin.difference(one).size === 0 && thin.skeleton().equals(thin) && thin.components(8).length === one.components(8).length);
  }
});

test('a convolution counts the overlaps at each offset', () => {
  const draw = dice(SEED);
  for (let round = 0; round < 6; round++) {
    const one = noise(draw, 3 + 4 * round), other = noise(draw, 8);
    const { minX, minY, maxX, maxY } = one.overlapOffsets(other), counts = one.convolve(other), width = maxX - minX;
    assert.equal(counts.length, width * (maxY - minY));
    counts.forEach((count, i) => assert.equal(count, one.overlapArea(other, { x: minX + i % width, y: minY + Math.floor(i / width) })));
    const wide = one.convolve(other, { minX: -60, minY: -60, maxX: 61, maxY: 61 });
    assert.equal(wide.reduce((sum, count) => sum + count, 0), one.size * other.size);
  }
  assert.equal(new Region().convolve(new Region()).length, 0);
});

test('regions are scaled, rotated and mapped', () => {
  const draw = dice(SEED + 1), origin = { x: 0, y: 0 };
  for (let round = 0; round < 6; round++) {
    const one = noise(draw, 3 + 4 * round), area = { minX: 0, minY: 0, maxX: 24, maxY: 24 };
    assert.ok(one.resize(72, 48, area, 'area').equals(one.scale(3, 2)));
    const small = one.resize(8, 12, area).toPixels({ minX: 0, minY: 0, maxX: 8, maxY: 12 }, 1);
    small.forEach((pixel, i) => assert.equal(pixel, Number(one.has(Math.floor((2 * (i % 8) + 1) * 24 / 16), Math.floor((2 * Math.floor(i / 8) + 1) * 24 / 24)))));
    assert.ok(one.rotate({ x: 0, y: 5 }).equals(one.transform('rotate90')));
    assert.ok(one.rotate({ x: 0, y: 5 }, origin, 'area').equals(one.transform('rotate90')));
    assert.ok(one.map({ a: -1, b: 0, c: 0, d: 1, e: 0, f: 0 }).equals(one.transform('flipX')));
    assert.ok(one.map({ a: 1, b: 0, c: 0, d: 1, e: 3, f: -4 }, 'area').equals(one.move(3, -4)));
    assert.ok(one.map({ a: 0, b: 1, c: 1, d: 0, e: 0, f: 0 }).equals(one.transform('flipDiagonal')));
  }
});

test('components can have a least size, and one is the largest', () => {
  const parts = Region.ofBoxes([{ minX: 0, minY: 0, maxX: 1, maxY: 1 }, { minX: 5, minY: 0, maxX: 8, maxY: 1 }, { minX: 20, minY: 0, maxX: 22, maxY: 1 }]);
  assert.deepEqual([0, 1, 2, 3, 4].map((minimum) => parts.components(4, minimum).length), [3, 3, 2, 1, 0]);
  assert.deepEqual(parts.largestComponent().bounds, { minX: 5, minY: 0, maxX: 8, maxY: 1 });
});

test('differences can be covered by few boxes', () => {
  const spread = new Region().paint([0, 100, 500].map((x) => ({ x: x + 0.5, y: 0.5 }))), none = new Region();
  assert.equal(none.diff(spread).length, 3);
  for (const most of [1, 2, 9]) {
    const boxes = none.diff(spread, most);
    assert.equal(boxes.length, Math.min(most, 3));
    assert.equal(spread.difference(Region.ofBoxes(boxes)).size, 0);
  }
});

test('a cast finds the first pixel, and shapes overlap', () => {
  const walls = Region.ofBoxes([{ minX: 10, minY: 0, maxX: 12, maxY: 5 }, { minX: 20, minY: 0, maxX: 22, maxY: 5 }]);
  assert.deepEqual(walls.cast({ from: { x: 0, y: 2.5 }, to: { x: 20, y: 2.5 } }), { x: 10, y: 2, entry: 0.5, normalX: -1, normalY: 0, inside: false });
  assert.equal(walls.cast({ from: { x: 30, y: 2.5 }, direction: { x: -2, y: 0 } }).entry, 4);
  assert.ok(walls.cast({ from: { x: 11, y: 1 }, to: { x: 11, y: 9 } }).inside);
  assert.equal(walls.cast({ from: { x: 0, y: 5 }, to: { x: 30, y: 5 } }), null);
  assert.ok(walls.overlapsShape({ minX: 11.5, minY: 0, maxX: 12.5, maxY: 1 }) && !walls.overlapsShape({ minX: 12, minY: 0, maxX: 20, maxY: 1 }));
  assert.ok(walls.overlapsShape({ x: 15, y: 2, radius: 3.01 }) && !walls.overlapsShape({ x: 15, y: 2, radius: 3 }));
});

test('boxes and circles sweep and slide along a region, and movers leave what they overlap', () => {
  const wall = Region.ofBoxes([{ minX: 50, minY: -10, maxX: 60, maxY: 10 }]), box = { minX: 0, minY: 0, maxX: 4, maxY: 4 }, ship = Region.ofBoxes([box]);
  const swept = wall.sweepShape(box, { x: 0, y: 0 }, { x: 92, y: 0 }), same = ship.sweep({}, { x: 92 }, wall);
  assert.deepEqual({ ...swept, met: null }, { ...same, met: null });
  const ball = wall.sweepShape(2, { x: 0, y: 0 }, { x: 96, y: 0 });
  assert.deepEqual([ball.status, ball.x, ball.normalX], ['hits', 48, -1]);
  const slid = wall.slideShape(box, { x: 0, y: 0 }, { x: 92, y: 5 });
  assert.deepEqual([slid.x, slid.y, slid.bounces], [46, 5, 1]);
  assert.equal(wall.slideShape(box, { x: 0, y: 0 }, { x: 92, y: 5 }, { bounces: 0 }).y, ship.sweep({}, { x: 92, y: 5 }, wall).y);
  const inside = ship.sweep({ x: 49 }, { x: 69 }, wall);
  assert.deepEqual([inside.status, inside.x, inside.outX, inside.exit], ['overlaps', 49, -3, 11 / 20]);
  assert.equal(ship.sweep({ x: 49 }, { x: 69 }, wall, { ignoreOverlap: true }).x, 69);
  assert.equal(wall.sweepShape(2, { x: 49, y: 0 }, { x: 40, y: 0 }, { ignoreOverlap: true }).x, 40);
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
  ['a width of -1', () => region.resize(-1, 5), RangeError],
  ['a sampling without a name', () => region.resize(5, 5, WINDOW, 'best'), RangeError],
  ['a heading of no length', () => region.rotate({ x: 0, y: 0 }), RangeError],
  ['a map without an inverse', () => region.map({ a: 1, b: 1, c: 1, d: 1, e: 0, f: 0 }), RangeError],
  ['a matrix that lacks a number', () => region.map({ a: 1, b: 1, c: 1, d: 1, e: 0 }), TypeError],
  ['offsets in an inverted box', () => region.convolve(region, { minX: 2, minY: 0, maxX: 1, maxY: 1 }), RangeError],
  ['a convolution with no region', () => region.convolve({}), TypeError],
  ['a disc of radius -1', () => region.dilateDisc(-1), RangeError],
  ['a disc of radius NaN', () => region.erodeDisc(NaN), RangeError],
  ['distances in a huge window', () => region.squaredDistances({ minX: 0, minY: 0, maxX: 40000, maxY: 1 }), RangeError],
  ['distances to nothing', () => region.squaredDistances(WINDOW, 'inside'), RangeError],
  ['runs of four numbers', () => Region.ofRuns(new Int32Array(4)), RangeError],
  ['runs that are an array', () => Region.ofRuns([1, 2, 3]), TypeError],
  ['an inverted run', () => Region.ofRuns(Int32Array.of(0, 5, 4)), RangeError],
  ['a least size of -1', () => region.components(4, -1), RangeError],
  ['a tolerance of NaN', () => region.contours(4, NaN), RangeError],
  ['contours of connectivity 5', () => region.contours(5), RangeError],
  ['a difference in no box', () => region.diff(region, 0), RangeError],
  ['an unknown side', () => region.firstOverlap(region, {}, 'middle'), RangeError],
  ['pairs at a position of NaN', () => region.overlapPairs(region, { y: NaN }), RangeError],
  ['a circle without a centre', () => region.overlapsShape({ radius: 5 }), TypeError],
  ['a line without an end', () => region.cast({ from: { x: 0, y: 0 } }), TypeError],
  ['a line to infinity', () => region.cast({ from: { x: 0, y: 0 }, to: { x: Infinity, y: 0 } }), RangeError],
  ['a circle of radius 0 that is swept', () => region.sweepShape(0, { x: 0, y: 0 }, { x: 1, y: 1 }), RangeError],
  ['an unknown option of a sweep', () => region.sweep({}, {}, region, { bounces: 1 }), TypeError],
  ['ignoreOverlap of a slide that is a number', () => region.slide({}, {}, region, { ignoreOverlap: 1 }), TypeError],
  ['bounces of a shape below 0', () => region.slideShape(1, { x: 0, y: 0 }, { x: 1, y: 1 }, { bounces: -1 }), RangeError],
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
    () => freed.fingerprint(), () => freed.equals(region), () => freed.check(), () => freed.intern(), () => freed.outline(), () => freed.runs(WINDOW),
    () => freed.contours(), () => freed.moments(), () => freed.skeleton(), () => freed.erodeDisc(1), () => freed.squaredDistances(WINDOW), () => freed.largestComponent(), () => freed.firstOverlap(region), () => region.overlapPairs(freed),
    () => freed.overlapsShape(WINDOW), () => freed.cast({ from: { x: 0, y: 0 }, to: { x: 1, y: 1 } }), () => freed.slide({}, {}, region),
    () => freed.sweepShape(1, { x: 0, y: 0 }, { x: 1, y: 1 }), () => freed.slideShape(1, { x: 0, y: 0 }, { x: 1, y: 1 })]);
});

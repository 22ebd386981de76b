// SPDX-License-Identifier: MIT
// image.test.js: tests PersistentImage: a model test, arrays, selections, merges, bad input and bytes.
import assert from 'node:assert/strict';
import test from 'node:test';

import { Document, History, PersistentImage, PersistentTree, Region, exclusiveBytes, memory } from 'pqt';
import { SEED, damages, detached, dice, refuses, refusesFreed } from '../support/checks.js';

const WIDTH = 70, HEIGHT = 45;
const WINDOW = { minX: 0, minY: 0, maxX: WIDTH, maxY: HEIGHT };
const LEVELS = [0, 1, 128, 255];

/** Returns a colour drawn over another one, as image.h defines it, in whole numbers. */
function over([r, g, b, a], under) {
  const s = 255 * a, t = under[3] * (255 - a), whole = s + t;
  if (a === 0) return [...under];
  if (a === 255) return [r, g, b, a];
  const mix = (c, C) => Math.floor((2 * (s * c + t * C) + whole) / (2 * whole));
  return [mix(r, under[0]), mix(g, under[1]), mix(b, under[2]), Math.floor((2 * whole + 255) / 510)];
}

const at = (model, x, y) => model.slice(4 * (y * WIDTH + x), 4 * (y * WIDTH + x) + 4);

/** Returns the model after drawing the colour that `ink` returns for each pixel, or none if it returns null. */
function drawn(model, ink, mode) {
  const next = model.slice();
  for (let y = 0; y < HEIGHT; y++)
    for (let x = 0; x < WIDTH; x++) {
      const colour = ink(x, y);
      if (colour !== null) next.set(mode === 'replace' ? colour : over(colour, at(model, x, y)), 4 * (y * WIDTH + x));
    }
  return next;
}

const alike = (one, other, tolerance) => one.every((channel, i) => Math.abs(channel - other[i]) <= tolerance);

/** Returns the indices of the pixels of a flood. */
function areaOf(model, fromX, fromY, tolerance) {
  const found = new Set(), edge = [[fromX, fromY]], colour = at(model, fromX, fromY);
  while (edge.length > 0) {
    const [x, y] = edge.pop();
    if (x < 0 || y < 0 || x >= WIDTH || y >= HEIGHT || found.has(y * WIDTH + x) || !alike(at(model, x, y), colour, tolerance)) continue;
    found.add(y * WIDTH + x);
    edge.push([x + 1, y], [x - 1, y], [x, y + 1], [x, y - 1]);
  }
  return found;
}

const noise = (draw) => Uint8ClampedArray.from({ length: 4 * WIDTH * HEIGHT }, () => 127 * draw(3));
const colourFrom = (draw) => [0, 0, 0, 0].map(() => LEVELS[draw(4)]);

/** Returns the differences between an image and its model after a random edit of both. */
function edited(draw, image, model) {
  const x = draw(WIDTH + 9) - 9, y = draw(HEIGHT + 9) - 9, ink = colourFrom(draw), mode = ['over', 'replace'][draw(2)];
  const box = { minX: x, minY: y, maxX: x + draw(30), maxY: y + draw(30) };
  const within = (column, row) => column >= box.minX && column < box.maxX && row >= box.minY && row < box.maxY;
  const where = (holds) => drawn(model, (column, row) => (holds(column, row) ? ink : null), mode);
  return [
    () => [image.paint({ box }, ink, { mode }), where(within)],
    () => [image.paint([{ x, y, radius: 9 }], ink, { mode }), where((column, row) => (column + 0.5 - x) ** 2 + (row + 0.5 - y) ** 2 <= 81)],
    () => [image.fill(Region.ofBoxes([{ minX: 0, minY: 0, maxX: 5, maxY: 9 }, { minX: 7, minY: 0, maxX: 20, maxY: 1 }]), ink, { x, y, mode }),
      where((column, row) => row >= y && column >= x && (column < x + 5 && row < y + 9 || column >= x + 7 && column < x + 20 && row < y + 1))],
    () => {
      const fromX = Math.max(x, 0), fromY = Math.max(y, 0), tolerance = [0, 1, 128][draw(3)], area = areaOf(model, fromX, fromY, tolerance);
      return [image.flood(fromX, fromY, ink, { tolerance, mode }), where((column, row) => area.has(row * WIDTH + column))];
    },
    () => {
      const pixels = noise(draw), source = PersistentImage.of({ data: pixels, width: WIDTH, height: HEIGHT });
      const of = (column, row) => (column >= x && column < x + 30 && row >= y && row < y + 20 ? at(pixels, column - x + 10, row - y + 5) : null);
      return [image.blit(source, { x, y, box: { minX: 10, minY: 5, maxX: 40, maxY: 25 }, mode }), drawn(model, of, mode)];
    },
  ][draw(5)]();
}

test('an image equals an array of pixels after each of many random edits, and old versions stay unchanged', () => {
  const draw = dice(SEED), kept = [];
  let image = new PersistentImage({ width: WIDTH, height: HEIGHT }), model = new Uint8ClampedArray(4 * WIDTH * HEIGHT);
  for (let step = 0; step < 80; step++) {
    const [made, next] = edited(draw, image, model);
    assert.deepEqual(made.toPixels(), next);
    const boxes = image.diff(made);
    for (let i = 0; i < next.length; i++) {
      const x = (i >> 2) % WIDTH, y = Math.floor((i >> 2) / WIDTH);
      if (next[i] !== model[i]) assert.ok(boxes.some((box) => x >= box.minX && x < box.maxX && y >= box.minY && y < box.maxY));
    }
    assert.equal(boxes.length === 0, made.equals(image));
    kept.push([made, next]);
    [image, model] = [made, next];
  }
  for (const [version, pixels] of kept) {
    assert.deepEqual(version.check().toPixels(), pixels);
    const again = PersistentImage.of({ data: pixels, width: WIDTH, height: HEIGHT });
    assert.ok(again.equals(version) && again.fingerprint() === version.fingerprint());
    assert.ok(PersistentImage.fromBytes(version.toBytes()).equals(version));
  }
});

test('pixels are read one by one, by window, and into an array of the user', () => {
  const model = noise(dice(SEED)), image = PersistentImage.of({ data: model, width: WIDTH, height: HEIGHT });
  assert.deepEqual([image.width, image.height], [WIDTH, HEIGHT]);
  assert.deepEqual(image.pixel(3, 4), [...at(model, 3, 4)]);
  assert.deepEqual([image.pixel(-1, 0), image.pixel(2 ** 31 - 1, 0)], [[0, 0, 0, 0], [0, 0, 0, 0]]);
  const window = image.toPixels({ minX: -1, minY: 3, maxX: 2, maxY: 5 });
  assert.ok(window instanceof Uint8ClampedArray);
  assert.deepEqual([...window], [0, 0, 0, 0, ...at(model, 0, 3), ...at(model, 1, 3), 0, 0, 0, 0, ...at(model, 0, 4), ...at(model, 1, 4)]);
  const into = new Uint8Array(4 * WIDTH * HEIGHT + 8).subarray(4, 4 + 4 * WIDTH * HEIGHT);
  assert.equal(image.toPixels(undefined, into), into);
  assert.deepEqual([...into], [...model]);
  assert.equal(new Uint8Array(into.buffer)[3], 0);
  assert.equal(image.toPixels({ minX: 5, minY: 5, maxX: 5, maxY: 9 }).length, 0);
});

test('rows of pixels may be apart, and an ImageData is an image', () => {
  const data = Uint8Array.of(1, 2, 3, 4, 9, 9, 9, 9, 5, 6, 7, 8), image = PersistentImage.of({ data, width: 1, height: 2, stride: 8 });
  assert.deepEqual([image.pixel(0, 0), image.pixel(0, 1)], [[1, 2, 3, 4], [5, 6, 7, 8]]);
  if (typeof ImageData === 'undefined') return; // node has none
  const shown = new ImageData(image.toPixels(), image.width);
  assert.ok(PersistentImage.of(shown).equals(image) && shown.height === 2);
});

test('a selection has the pixels with a property', () => {
  const model = noise(dice(SEED)), image = PersistentImage.of({ data: model, width: WIDTH, height: HEIGHT });
  const expected = (holds) => Uint8Array.from({ length: WIDTH * HEIGHT }, (_, i) => (holds(at(model, i % WIDTH, Math.floor(i / WIDTH))) ? 255 : 0));
  for (const threshold of [0, 126, 127, 255]) {
    assert.deepEqual(image.select({ alpha: threshold }).toPixels(WINDOW), expected(([, , , a]) => a > threshold));
    assert.deepEqual(image.select({ light: threshold }).toPixels(WINDOW), expected(([r, g, b]) => Math.floor((77 * r + 150 * g + 29 * b) / 256) > threshold));
    assert.deepEqual(image.select({ colour: [127, 0, 254, 127], tolerance: threshold }).toPixels(WINDOW),
      expected((colour) => alike(colour, [127, 0, 254, 127], threshold)));
  }
});

const blank = new PersistentImage({ width: 64, height: 64, colour: [255, 255, 255] });
const dots = (colour) => blank.paint([{ box: { minX: 0, minY: 0, maxX: 1, maxY: 1 } }, { box: { minX: 40, minY: 40, maxX: 43, maxY: 42 } }], colour);

test('a merge has the changes of both sides, and decides conflicts by box', () => {
  const ours = dots([9, 0, 0]), theirs = dots([0, 9, 0]).paint({ x: 60.5, y: 5.5 }, [1, 1, 1]);
  const boxes = [{ minX: 0, minY: 0, maxX: 1, maxY: 1 }, { minX: 40, minY: 40, maxX: 43, maxY: 42 }];
  assert.deepEqual(blank.conflicts(ours, theirs), boxes);
  assert.throws(() => blank.merge(ours, theirs), { code: 'PQT_ERROR_CONFLICT' });
  const colours = (image) => [image.pixel(0, 0)[0], image.pixel(42, 41)[1], image.pixel(60, 5)[0]];
  assert.deepEqual(colours(blank.merge(ours, theirs, { onConflict: 'ours' })), [9, 0, 1]);
  assert.deepEqual(colours(blank.merge(ours, theirs, { onConflict: 'theirs' })), [0, 9, 1]);
  assert.deepEqual(colours(blank.merge(ours, theirs, { onConflict: 'base' })), [255, 255, 1]);
  const asked = [];
  const merged = blank.merge(ours, theirs, { onConflict: (box) => (asked.push(box), box.minX === 0 ? 'base' : 'theirs') });
  assert.deepEqual(asked, boxes);
  assert.deepEqual(colours(merged), [255, 9, 1]);
  assert.throws(() => blank.merge(ours, theirs, { onConflict: (box) => (box.minX === 0 ? 'ours' : 'error') }), { code: 'PQT_ERROR_CONFLICT' });
  assert.ok(blank.merge(ours, blank, { onConflict: () => assert.fail('nothing is in conflict') }).equals(ours));
  assert.throws(() => blank.merge(ours, theirs, { onConflict: () => ours.free() }), RangeError);
});

test('a merge whose function frees a side throws', () => {
  const ours = dots([9, 0, 0]), theirs = dots([0, 9, 0]);
  assert.throws(() => blank.merge(ours, theirs, { onConflict: () => { theirs.free(); return 'ours'; } }), { message: 'the image was freed' });
});

test('histories and documents hold images', () => {
  const history = new History(blank);
  history.push(history.version().paint({ x: 5, y: 5, radius: 3 }, [200, 0, 0, 128]), { label: 'Stroke' });
  const again = History.fromBytes(history.toBytes());
  assert.ok(again.version() instanceof PersistentImage && again.version().equals(history.version()));
  again.undo();
  assert.ok(again.version().equals(blank));
  const plan = Document.of({ paper: blank, ink: new Region() }), later = plan.set('paper', history.version());
  assert.ok(later.get('paper').equals(history.version()));
  assert.deepEqual(plan.diff(later), [{ part: 'paper', kind: 'image' }]);
  assert.equal(plan.parts.find(({ name }) => name === 'paper').kind, 'image');
  const theirs = plan.set('paper', dots([1, 2, 3]));
  const merged = plan.merge(later, theirs); // of different pixels
  assert.deepEqual([merged.get('paper').pixel(0, 0), merged.get('paper').pixel(5, 5)], [[1, 2, 3, 255], history.version().pixel(5, 5)]);
  const boxes = [];
  const decided = plan.merge(plan.set('paper', dots([7, 7, 7])), theirs, { onConflict: ({ kind, part, box }) => (boxes.push({ kind, part, box }), 'theirs') });
  assert.ok(decided.get('paper').equals(dots([1, 2, 3])));
  assert.deepEqual(boxes, [{ minX: 0, minY: 0, maxX: 1, maxY: 1 }, { minX: 40, minY: 40, maxX: 43, maxY: 42 }].map((one) => ({ kind: 'pixels', part: 'paper', box: one })));
  assert.throws(() => plan.merge(plan.set('paper', dots([7, 7, 7])), theirs, { onConflict: () => ({ version: blank }) }), /the answer to pixels of paper must be a name/);
  const small = new PersistentImage({ width: 9, height: 9 }), large = new PersistentImage({ width: 90, height: 9 });
  const resized = plan.merge(plan.set('paper', small), plan.set('paper', large), { onConflict: ({ kind, part }) => ({ version: { part: dots([7, 7, 7]) }[kind] ?? assert.fail(part) }) });
  assert.deepEqual(resized.get('paper').pixel(0, 0), [7, 7, 7, 255]);
  assert.ok(exclusiveBytes(history.version(), blank) > 0);
});

test('the memory of images is freed', () => {
  const held = memory().versions;
  for (let i = 0; i < 200; i++) {
    const made = blank.paint({ x: i % 64, y: 20, radius: 9 }, [i, 0, 0, 99]);
    made.select({ alpha: 9 }).free();
    blank.conflicts(made, dots([1, 1, 1])).forEach(() => {});
    made.free();
  }
  assert.ok(memory().versions <= held + 200, 'each round leaves at most the version of `dots`');
});

const image = new PersistentImage({ width: 9, height: 9 }), region = Region.ofBoxes([{ minX: 0, minY: 0, maxX: 5, maxY: 5 }]);
const black = [0, 0, 0], pixels = { data: new Uint8Array(16), width: 2, height: 2 };
refuses([
  ['an image without a size', () => new PersistentImage({}), TypeError],
  ['no options of an image', () => new PersistentImage(), TypeError],
  ['a width of 0', () => new PersistentImage({ width: 0, height: 5 }), RangeError],
  ['a height beyond the limit', () => new PersistentImage({ width: 5, height: 2 ** 20 + 1 }), RangeError],
  ['an unknown option of an image', () => new PersistentImage({ width: 5, height: 5, color: black }), TypeError],
  ['a colour of two numbers', () => new PersistentImage({ width: 5, height: 5, colour: [1, 2] }), RangeError],
  ['a channel of 256', () => image.paint({ x: 1, y: 1 }, [0, 0, 256]), RangeError],
  ['a channel of a half', () => image.paint({ x: 1, y: 1 }, [0, 0, 0.5]), RangeError],
  ['a colour that is a string', () => image.paint({ x: 1, y: 1 }, 'red'), TypeError],
  ['a colour that is missing', () => image.paint({ x: 1, y: 1 }), TypeError],
  ['pixels that are an array', () => PersistentImage.of({ ...pixels, data: [1, 2, 3, 4] }), TypeError],
  ['pixels that are null', () => PersistentImage.of(null), TypeError],
  ['fewer pixels than the size', () => PersistentImage.of({ ...pixels, width: 3 }), RangeError],
  ['a stride below a row', () => PersistentImage.of({ ...pixels, stride: 7 }), RangeError],
  ['a huge size', () => PersistentImage.of({ ...pixels, width: 2 ** 20, height: 2 ** 20 }), RangeError],
  ['pixels that are detached', () => PersistentImage.of({ ...pixels, data: detached(new Uint8Array(16)) }), TypeError],
  ['an operation of a primitive of an image', () => image.paint({ op: 'clear', x: 1, y: 1 }, black), RangeError],
  ['an unknown mode', () => image.paint({ x: 1, y: 1 }, black, { mode: 'under' }), RangeError],
  ['an unknown option of paint', () => image.paint({ x: 1, y: 1 }, black, { alpha: 5 }), TypeError],
  ['a pen beyond the limit of an image', () => image.paint({ x: 1e300, y: 0 }, black), RangeError],
  ['an inverted box of an image', () => image.paint({ box: { minX: 5, minY: 0, maxX: 0, maxY: 5 } }, black), RangeError],
  ['a fill of an image', () => image.fill(image, black), TypeError],
  ['a fill at half a pixel', () => image.fill(region, black, { x: 0.5 }), RangeError],
  ['a blit of a region', () => image.blit(region), TypeError],
  ['a blit of an inverted box', () => image.blit(image, { box: { minX: 5, minY: 0, maxX: 0, maxY: 5 } }), RangeError],
  ['a tolerance of 256', () => image.flood(0, 0, black, { tolerance: 256 }), RangeError],
  ['a flood at half a pixel', () => image.flood(0.5, 0, black), RangeError],
  ['a pixel at NaN', () => image.pixel(NaN, 0), RangeError],
  ['a huge window of an image', () => image.toPixels({ minX: -(2 ** 31), minY: -(2 ** 31), maxX: 2 ** 31 - 1, maxY: 2 ** 31 - 1 }), Error],
  ['an array for pixels that is too short', () => image.toPixels(undefined, new Uint8Array(5)), RangeError],
  ['an array for pixels of another type', () => image.toPixels(undefined, new Int32Array(81)), TypeError],
  ['a selection by nothing', () => image.select({}), TypeError],
  ['a selection by two properties', () => image.select({ alpha: 1, light: 1 }), TypeError],
  ['a threshold of -1', () => image.select({ alpha: -1 }), RangeError],
  ['a difference of two sizes', () => image.diff(blank), Error],
  ['a difference to a region', () => image.diff(region), TypeError],
  ['a merge of two sizes', () => image.merge(image, blank), Error],
  ['an unknown decision', () => image.merge(image, image, { onConflict: 'both' }), RangeError],
  ['bytes of a tree as an image', () => PersistentImage.fromBytes(PersistentTree.of([]).toBytes()), Error],
]);

test('damaged bytes of an image throw an error and never trap', () =>
  damages(image.paint([{ x: 4, y: 4, radius: 3 }], [1, 2, 3]).toBytes(), PersistentImage.fromBytes));

test('each method of a freed image throws an error with a message', () => {
  const freed = new PersistentImage({ width: 9, height: 9 });
  freed.free();
  refusesFreed('the image was freed', [() => freed.width, () => freed.height, () => freed.pixel(0, 0), () => freed.toPixels(), () => freed.toPixels(WINDOW),
    () => freed.paint({ x: 0, y: 0 }, black), () => freed.fill(region, black), () => freed.blit(image), () => image.blit(freed),
    () => image.blit(freed, { box: WINDOW }), () => freed.flood(0, 0, black), () => freed.select({ alpha: 1 }), () => freed.diff(image), () => image.diff(freed),
    () => freed.conflicts(image, image), () => image.merge(freed, image), () => image.merge(image, freed), () => freed.toBytes(), () => freed.fingerprint(),
    () => freed.equals(image), () => freed.check(), () => freed.resize(1, 1), () => freed.map({ a: 1, b: 0, c: 0, d: 1, e: 0, f: 0 }),
    () => freed.rotate({ x: 0, y: 1 })]);
});

test('images are scaled, mapped and rotated', () => {
  const pixels = noise(dice(SEED)), image = PersistentImage.of({ data: pixels, width: WIDTH, height: HEIGHT });
  const window = image.resize(2 * WIDTH, HEIGHT).toPixels();
  for (let i = 0; i < 2 * WIDTH * HEIGHT; i++)
    assert.deepEqual([...window.slice(4 * i, 4 * i + 4)], [...at(pixels, Math.floor(i % (2 * WIDTH) / 2), Math.floor(i / (2 * WIDTH)))]);
  const opaque = PersistentImage.of({ data: pixels.map((value, i) => i % 4 === 3 ? 255 : value), width: WIDTH, height: HEIGHT });
  const [r] = opaque.resize(1, 1, { minX: 0, minY: 0, maxX: 2, maxY: 1 }, 'area').pixel(0, 0);
  assert.ok(Math.abs(r - (pixels[0] + pixels[4]) / 2) <= 1);
  const flipped = image.map({ a: -1, b: 0, c: 0, d: 1, e: WIDTH, f: 0 });
  assert.deepEqual(flipped.pixel(0, 3), image.pixel(WIDTH - 1, 3));
  const turned = image.rotate({ x: 0, y: 2 }, { centre: { x: 0, y: 0 }, width: 10, height: 10 });
  assert.deepEqual([turned.width, turned.height], [10, 10]);
  assert.equal(image.rotate({ x: 0, y: 1 }).map({ a: 1, b: 0, c: 0, d: 1, e: HEIGHT, f: 0 }, { width: HEIGHT, height: WIDTH }).width, HEIGHT);
  const quarter = image.map({ a: 0, b: 1, c: -1, d: 0, e: HEIGHT, f: 0 }, { width: HEIGHT, height: WIDTH });
  assert.deepEqual(quarter.pixel(HEIGHT - 1 - 4, 7), image.pixel(7, 4));
  assert.throws(() => image.resize(0, 5), /the width must be an integer from 1 to 2\^20, not 0/);
  assert.throws(() => image.map({ a: 1, b: 0, c: 0, d: 1, e: 0, f: NaN }), /the matrix has no inverse/);
  assert.throws(() => image.rotate({ x: 0, y: 1 }, { size: 3 }), /size/);
});

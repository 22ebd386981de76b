// SPDX-License-Identifier: MIT
// raster.test.js: tests, pixel by pixel, the shapes that src/studio/raster.js draws.
import assert from 'node:assert/strict';
import test from 'node:test';
import { randomFrom } from './random.js';

globalThis.ImageData = class {
  constructor(width, height) {
    Object.assign(this, { width, height, data: new Uint8ClampedArray(4 * width * height) });
  }
};
const { Raster, mix } = await import('../../src/studio/raster.js');

const WHITE = 0xffffffff, BLACK = 0xff000000, RED = 0xff0000ff;

/** Returns the picture as text: a dot for white, the first letter of red and black, and a plus
 * sign for other colours. */
function shown(raster) {
  const pixels = new Uint32Array(raster.image.data.buffer), { width, height } = raster.image;
  const letters = { [WHITE]: '.', [BLACK]: 'b', [RED]: 'r' };
  return Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => letters[pixels[y * width + x]] ?? '+').join(''));
}

function white(width, height) {
  const raster = new Raster();
  assert.ok(raster.resize(width, height));
  assert.ok(!raster.resize(width, height));
  raster.fill(WHITE);
  return raster;
}

test('boxes and outlines are whole pixels, and are clipped', () => {
  const raster = white(6, 5);
  raster.box(-3, 3.4, 2.2, 99, RED);
  raster.outline(1, 0, 6, 4, BLACK);
  assert.deepEqual(shown(raster), ['.bbbbb', '.b...b', '.b...b', 'rb...b', 'rbbbbb']);
  assert.ok(raster.clip(2, 1, 4, 3));
  raster.fill(RED);
  raster.box(0, 2, 6, 3, BLACK);
  assert.deepEqual(shown(raster), ['.bbbbb', '.brr.b', '.bbb.b', 'rb...b', 'rbbbbb']);
  assert.ok(!raster.clip(6, 0, 9, 5));
});

test('a picture fades to a colour by an eighth at a time, in each channel, and reaches it', () => {
  const to = 0xff140d0a, from = [0xffffffff, 0xff000000, 0xff0000ff, 0xff102030];
  for (const first of from) {
    const raster = new Raster();
    raster.resize(1, 1);
    raster.fill(first);
    const pixels = new Uint32Array(raster.image.data.buffer);
    for (let last = first, rounds = 0; last !== to; last = pixels[0], rounds++) {
      assert.ok(rounds < 80);
      raster.fade(to);
      const isEnd = pixels[0] === to;
      for (const shift of [0, 8, 16]) {
        const [before, now, end] = [last, pixels[0], to].map((pixel) => (pixel >>> shift) & 255);
        assert.ok(isEnd ? Math.abs(before - end) < 9 : Math.abs(now - (before + (end - before) / 8)) <= 1, `${before} became ${now}`);
      }
      assert.equal(pixels[0] >>> 24, 255);
    }
  }
});

test('a disc covers the area of a circle, wherever it is', () => {
  for (const radius of [1, 2.25, 3.5, 10, 60])
    for (const [x, y] of [[70, 70], [70.25, 69.5], [71.75, 70.25]]) {
      const raster = white(140, 140);
      raster.disc(x, y, radius, BLACK);
      const pixels = new Uint32Array(raster.image.data.buffer);
      let area = 0, sumX = 0;
      pixels.forEach((pixel, i) => {
        const part = 1 - (pixel & 0xff) / 255;
        area += part;
        sumX += part * ((i % 140) + 0.5);
      });
      assert.ok(Math.abs(area - Math.PI * radius ** 2) < 0.06 * Math.PI * radius ** 2 + 0.4, `${radius}: ${area}`);
      assert.ok(Math.abs(sumX / area - x) < 0.1, `${x}: ${sumX / area}`);
    }
  const raster = white(4, 4);
  raster.disc(0, 0, 2, BLACK); // most of it is outside
  raster.disc(-50, 900, 20, BLACK);
  assert.deepEqual(shown(raster), ['b+..', '++..', '....', '....']);
});

test('a pixel that several boxes cover is blended once', () => {
  const random = randomFrom(5), below = (end) => Math.floor(random() * end);
  for (let round = 0; round < 200; round++) {
    const raster = white(12, 9), isCovered = new Uint8Array(12 * 9);
    for (let i = below(8); i >= 0; i--) {
      const minX = below(20) - 5, minY = below(16) - 4, maxX = minX + below(9), maxY = minY + below(9);
      raster.cover(minX, minY, maxX, maxY);
      for (let y = Math.max(minY, 0); y <= Math.min(maxY, 8); y++)
        for (let x = Math.max(minX, 0); x <= Math.min(maxX, 11); x++) isCovered[y * 12 + x] = 1;
    }
    raster.fillCovered(BLACK, 128);
    assert.deepEqual([...new Uint32Array(raster.image.data.buffer)], [...isCovered].map((one) => (one ? mix(WHITE, BLACK, 128) >>> 0 : WHITE)));
    raster.fill(WHITE);
    raster.fillCovered(BLACK, 128);
    assert.ok(shown(raster).every((row) => row === '............'), 'the boxes are forgotten');
  }
});

test('older drawings fade out completely', () => {
  for (const [under, over] of [[BLACK, WHITE], [WHITE, BLACK], [RED, 0xff1c2027]]) {
    const raster = white(2, 1);
    raster.fill(under);
    for (let i = 0; i < 40; i++) raster.fill(over, 64);
    assert.deepEqual([...new Uint32Array(raster.image.data.buffer)], [over, over]);
  }
});

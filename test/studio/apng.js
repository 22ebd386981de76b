// SPDX-License-Identifier: MIT
// apng.js: writes screenshots as one animated PNG.
//
// The frames share a palette, and each has only the rectangle in which it differs from the one before it.
import { deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const MOST_COLOURS = 256;

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? 0xedb88320 ^ (sum >>> 1) : sum >>> 1;
  return sum;
});

function chunk(type, ...parts) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), ...parts]), around = Buffer.alloc(8);
  around.writeUInt32BE(body.length - 4);
  let sum = 0xffffffff;
  for (const byte of body) sum = crcTable[(sum ^ byte) & 255] ^ (sum >>> 8);
  around.writeUInt32BE((sum ^ 0xffffffff) >>> 0, 4);
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)]);
}

const words = (...numbers) => {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, i) => bytes.writeUInt32BE(number, 4 * i));
  return bytes;
};

/** Reads a PNG with 8 bits a sample and without interlacing, as a browser writes screenshots. Returns a number 0xrrggbb for each pixel. */
export function readPng(bytes) {
  const width = bytes.readUInt32BE(16), height = bytes.readUInt32BE(20), samples = { 2: 3, 6: 4 }[bytes[25]], data = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  const rows = inflateSync(Buffer.concat(data)), stride = samples * width, pixels = new Uint32Array(width * height);
  let above = new Uint8Array(stride);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (stride + 1)], row = new Uint8Array(rows.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
    for (let i = 0; i < stride; i++) {
      const a = i < samples ? 0 : row[i - samples], b = above[i], c = i < samples ? 0 : above[i - samples], p = a + b - c;
      const paeth = Math.abs(p - a) <= Math.abs(p - b) && Math.abs(p - a) <= Math.abs(p - c) ? a : Math.abs(p - b) <= Math.abs(p - c) ? b : c;
      row[i] += [0, a, b, (a + b) >> 1, paeth][filter];
    }
    for (let x = 0; x < width; x++) pixels[y * width + x] = row[samples * x] << 16 | row[samples * x + 1] << 8 | row[samples * x + 2];
    above = row;
  }
  return { width, height, pixels };
}

/** Returns the palette of pictures, and the index of the nearest of its colours for each colour. */
function paletteOf(pictures) {
  const counts = new Map();
  for (const { pixels } of pictures) for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const palette = [...counts].sort((a, b) => b[1] - a[1]).slice(0, MOST_COLOURS).map(([colour]) => colour), indexOf = new Map();
  const distance = (one, other) => [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);
  for (const colour of counts.keys()) indexOf.set(colour, palette.reduce((best, one, i) => (distance(one, colour) < distance(palette[best], colour) ? i : best), 0));
  return { palette, indexOf };
}

/** Returns the rectangle in which pictures of indices differ; one pixel if they do not. */
function differenceOf(before, after, width) {
  let left = width, top = Infinity, right = 0, bottom = 0;
  after.forEach((index, i) => {
    if (before !== null && before[i] === index) return;
    const x = i % width, y = Math.floor(i / width);
    left = Math.min(left, x);
    right = Math.max(right, x + 1);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y + 1);
  });
  return right === 0 ? { left: 0, top: 0, right: 1, bottom: 1 } : { left, top, right, bottom };
}

/** Returns an animated PNG that repeats forever. Each frame is the bytes of a PNG and its time in milliseconds. */
export function animated(frames) {
  const pictures = frames.map(({ png }) => readPng(png)), [{ width, height }] = pictures, { palette, indexOf } = paletteOf(pictures);
  const chunks = [chunk('IHDR', words(width, height), Buffer.from([8, 3, 0, 0, 0])), chunk('acTL', words(frames.length, 0)),
    chunk('PLTE', Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255])))];
  let before = null, number = 0;
  pictures.forEach(({ pixels }, i) => {
    const after = Uint8Array.from(pixels, (pixel) => indexOf.get(pixel)), { left, top, right, bottom } = differenceOf(before, after, width), rows = [];
    for (let y = top; y < bottom; y++) rows.push(Buffer.from([0]), after.subarray(y * width + left, y * width + right));
    const time = Buffer.alloc(6); // numerator and denominator of seconds; what was drawn before remains, and is drawn over
    time.writeUInt16BE(frames[i].time);
    time.writeUInt16BE(1000, 2);
    chunks.push(chunk('fcTL', words(number++, right - left, bottom - top, left, top), time));
    const data = deflateSync(Buffer.concat(rows), { level: 9 });
    chunks.push(i === 0 ? chunk('IDAT', data) : chunk('fdAT', words(number++), data));
    before = after;
  });
  return Buffer.concat([SIGNATURE, ...chunks, chunk('IEND')]);
}

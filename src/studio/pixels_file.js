// SPDX-License-Identifier: MIT
// pixels_file.js: reads the files that the Pixels tab opens, and writes an object back as a file of the same kind.
//
// A picture keeps its size and the colours of the pixels that were not drawn or erased. Its samples must have at most 8 bits,
// and each pixel must be opaque or transparent, because a canvas keeps no other colours exactly.

import { readPicture, sizeOfPng, solidPixels } from './picture.js';
import { SIDE, noColours } from './pixels_objects.js';
import { PersistentImage, Region } from './pqt.js';

/**
 * @typedef {object} OpenedObject
 * @property {Region} region
 * @property {PersistentImage} colours  the colours of its pixels
 * @property {string} note  what of the file is not in the sheet, as a sentence; empty if all of it is
 * @property {(region: Region, colours: PersistentImage) => Promise<Uint8Array>} write  returns the bytes of the file with another object;
 *     for the object of the file itself, the same bytes. Throws if the file cannot hold the object
 *
 * @typedef {{ type: string, bytes: Uint8Array }} Chunk
 */

const INSIDE = { minX: 0, minY: 0, maxX: SIDE, maxY: SIDE };
/** The chunks of a PNG whose contents depend on the kind of its samples. New ones are made. */
const OF_SAMPLES = ['IHDR', 'PLTE', 'tRNS', 'sBIT', 'bKGD', 'hIST', 'IDAT', 'IEND'];
/** The chunks of an animation. */
const OF_FRAMES = ['acTL', 'fcTL', 'fdAT'];

/** Splits a PNG into its chunks. */
function chunksOf(/** @type {Uint8Array} */ bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length), found = /** @type {Chunk[]} */ ([]);
  for (let at = 8; at + 12 <= bytes.length;) {
    const end = at + 12 + view.getUint32(at);
    found.push({ type: String.fromCharCode(...bytes.subarray(at + 4, at + 8)), bytes: bytes.subarray(at, end) });
    at = end;
  }
  return found;
}

/** Encodes an image as PNG. */
export async function pngOf(/** @type {ImageData} */ image) {
  const canvas = new OffscreenCanvas(image.width, image.height);
  /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d')).putImageData(image, 0, 0);
  return new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer());
}

/** Encodes an image as PNG with the texts, the resolution and the colour space of another picture of the same size. */
async function pngLike(/** @type {ImageData} */ image, /** @type {Chunk[]} */ old) {
  const bytes = await pngOf(image), made = chunksOf(bytes), body = old.findIndex(({ type }) => type === 'IDAT');
  const ours = (/** @type {string} */ type) => made.filter((chunk) => chunk.type === type);
  const kept = (/** @type {Chunk[]} */ chunks) => chunks.filter(({ type }) => !OF_SAMPLES.includes(type));
  const all = [...ours('IHDR'), ...kept(old.slice(0, body)), ...ours('IDAT'), ...kept(old.slice(body)), ...ours('IEND')];
  return new Uint8Array(await new Blob(/** @type {BlobPart[]} */ ([bytes.subarray(0, 8), ...all.map((chunk) => chunk.bytes)])).arrayBuffer());
}

/** Returns the reason why the colours of a picture cannot be written again; null if they can be. */
function lossOf(/** @type {Uint8Array} */ bytes, /** @type {Chunk[]} */ chunks, /** @type {ImageData} */ { data }) {
  if (bytes[24] > 8) return 'Its samples have 16 bits, of which the studio keeps 8.';
  if (chunks.some(({ type }) => OF_FRAMES.includes(type))) return 'It is animated, and the studio shows one picture of it.';
  for (let i = 3; i < data.length; i += 4)
    if (data[i] !== 0 && data[i] !== 255) return 'It has pixels that are partly transparent, whose colours the studio does not keep exactly.';
  return null;
}

/**
 * Makes the pixels of an image solid where an object has pixels, and empty elsewhere. Pixels that are so already, and whose colours are
 * those of the picture, keep them; others get the colours of the object, or black.
 * @param {ImageData} image
 * @param {Uint8Array} before
 * @param {Uint8Array} after
 * @param {Uint8ClampedArray} old  the colours of the picture, four bytes for each pixel
 * @param {Uint8ClampedArray} next
 */
function drawInto({ width, height, data }, before, after, old, next) {
  const hasAlpha = data.some((value, i) => i % 4 === 3 && value === 0);
  const image = new ImageData(new Uint8ClampedArray(data), width, height);
  const empty = hasAlpha ? [0, 0, 0, 0] : [255, 255, 255, 255];
  for (let i = 0; i < after.length; i++) {
    const isPainted = after[i] > 0 && [0, 1, 2, 3].some((k) => old[4 * i + k] !== next[4 * i + k]);
    if (before[i] === after[i] && !isPainted) continue;
    image.data.set(after[i] === 0 ? empty : next[4 * i + 3] > 0 ? next.subarray(4 * i, 4 * i + 4) : [0, 0, 0, 255], 4 * i);
  }
  return image;
}

/** Returns the colours of a part of a sheet, four bytes for each pixel. */
function pixelsOf(/** @type {PersistentImage} */ colours, /** @type {import('./pqt.js').Box} */ frame) {
  return colours.toPixels(frame, new Uint8ClampedArray(4 * (frame.maxX - frame.minX) * (frame.maxY - frame.minY)));
}

/** Returns the colours of the solid pixels of a picture at a position in a sheet. */
function coloursOf(/** @type {ImageData} */ { width, height, data }, /** @type {Uint8Array} */ solid, /** @type {number} */ x, /** @type {number} */ y) {
  const sheet = new Uint8ClampedArray(4 * SIDE * SIDE);
  for (let i = 0; i < width * height; i++) {
    if (solid[i] === 0) continue;
    const at = 4 * ((y + Math.floor(i / width)) * SIDE + x + (i % width));
    sheet.set(data.subarray(4 * i, 4 * i + 3), at);
    sheet[at + 3] = 255;
  }
  return PersistentImage.of({ data: sheet, width: SIDE, height: SIDE });
}

/** Opens a picture. One that is larger than a sheet is reduced. @returns {Promise<OpenedObject>} */
export async function openPicture(/** @type {Uint8Array} */ bytes, /** @type {string} */ name) {
  const image = await readPicture(bytes, name, { width: SIDE, height: SIDE });
  const { width, height } = image, x = Math.floor((SIDE - width) / 2), y = Math.floor((SIDE - height) / 2);
  const solid = solidPixels(image), region = Region.ofPixels(solid, { width, height, x, y });
  if (region.size === 0) throw new Error(`${name} has no dark or opaque pixel`);
  const full = sizeOfPng(bytes), frame = { minX: x, minY: y, maxX: x + width, maxY: y + height };
  const colours = coloursOf(image, solid, x, y), isReduced = full?.width !== width || full.height !== height;
  const write = async (/** @type {Region} */ next, /** @type {PersistentImage} */ inks) => {
    if (next.equals(region) && inks.equals(colours)) return bytes;
    if (isReduced)
      throw new Error(`The picture has ${full?.width} x ${full?.height} pixels and was reduced to ${width} x ${height} when it was opened, so its own pixels are not in the sheet.`);
    const chunks = chunksOf(bytes), loss = lossOf(bytes, chunks, image);
    if (loss !== null) throw new Error(loss);
    const inside = next.crop(frame);
    if (!inside.equals(next)) throw new Error(`The picture has ${width} x ${height} pixels, and something is drawn outside of them.`);
    const wanted = next.toPixels(frame), drawn = drawInto(image, solid, wanted, pixelsOf(colours, frame), pixelsOf(inks, frame));
    if (!solidPixels(drawn).every((value, i) => value > 0 === wanted[i] > 0))
      throw new Error('In its colours, the pixels of the object could not be told from the others.');
    return pngLike(drawn, chunks);
  };
  return { region, colours, write, note: isReduced ? `It has ${full?.width} x ${full?.height} pixels, and was reduced to ${width} x ${height}.` : '' };
}

/** Opens a .pqt file with a region; returns null if the file holds none. @returns {OpenedObject | null} */
export function openRegion(/** @type {Uint8Array} */ bytes) {
  let region;
  try {
    region = Region.fromBytes(bytes);
  } catch {
    return null;
  }
  const shown = region.crop(INSIDE), isWhole = shown.equals(region);
  const colours = noColours();
  return { region: shown, colours, note: isWhole ? '' : `Its pixels outside of the sheet of ${SIDE} x ${SIDE} were cut off.`, async write(next, inks) {
    if (!inks.equals(colours)) throw new Error('The file holds a region, which has no colours.');
    if (next.equals(shown)) return bytes;
    if (!isWhole) throw new Error(`The region has pixels outside the sheet of ${SIDE} x ${SIDE}, which were cut off when it was opened.`);
    return next.toBytes();
  } };
}

/** Returns an object as a new picture on a transparent background. Pixels without a colour are black. */
export function pictureOf(/** @type {Region} */ region, /** @type {PersistentImage} */ colours) {
  const image = new ImageData(SIDE, SIDE), inks = pixelsOf(colours, INSIDE);
  region.toPixels(INSIDE).forEach((value, i) => {
    if (value > 0) image.data.set(inks[4 * i + 3] > 0 ? inks.subarray(4 * i, 4 * i + 3) : [0, 0, 0], 4 * i);
    image.data[4 * i + 3] = value;
  });
  return pngOf(image);
}

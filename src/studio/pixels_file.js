// SPDX-License-Identifier: MIT
// pixels_file.js: reads the files that the Pixels tab opens, and writes an object back as a file of the same kind.
//
// A picture keeps its size and the colours of the pixels that were not drawn or erased. To be written back, its samples must have at most
// 8 bits.

import { encode, isOpaque } from './png.js';
import { readPicture, sizeOfPng, solidPixels } from './picture.js';
import { SIDE, noColours, sheetOf } from './pixels_objects.js';
import { PersistentImage, Region } from './pqt.js';

/**
 * @typedef {{ bytes: Uint8Array, note: string }} Written  `note` says, as a sentence, how the object in the bytes differs; empty if it does not
 *
 * @typedef {object} OpenedObject
 * @property {Region} region
 * @property {PersistentImage} colours  the colours of its pixels and of all others of the sheet
 * @property {string} note  what of the file is not in the sheet, as a sentence; empty if all of it is
 * @property {(region: Region, colours: PersistentImage) => Promise<Written>} write  returns the bytes of the file with another object;
 *     for the object of the file itself, the same bytes. Throws if the file cannot hold the object
 *
 * @typedef {{ type: string, bytes: Uint8Array }} Chunk
 */

/** The number of pixels of the largest sheet, and its longest side. */
export const limits = { pixels: 2 ** 22, side: 2 ** 13 };
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

/** Encodes an image as PNG. A canvas makes smaller pictures of opaque pixels. */
async function pngOf(/** @type {ImageData} */ image) {
  if (!isOpaque(image)) return encode(image);
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
function lossOf(/** @type {Uint8Array} */ bytes, /** @type {Chunk[]} */ chunks, /** @type {boolean} */ isExact) {
  if (bytes[24] > 8) return 'Its samples have 16 bits, of which the studio keeps 8.';
  if (chunks.some(({ type }) => OF_FRAMES.includes(type))) return 'It is animated, and the studio shows one picture of it.';
  return isExact ? null : 'It has transparent pixels, whose colours this browser does not read exactly.';
}

/** Returns an array of bytes as one of the 32 bits of each pixel. */
function pixelsIn(/** @type {Uint8ClampedArray} */ data) {
  return new Uint32Array(data.buffer, data.byteOffset, data.length / 4);
}

const BLACK = new Uint32Array(Uint8Array.of(0, 0, 0, 255).buffer)[0], WHITE = 0xffffffff;

/**
 * Draws an object into a picture. Pixels that were neither drawn nor erased keep the colours of the picture; others get those of the
 * sheet. Without a colour, a pixel of the object is black, and another one transparent or, in a picture without transparent pixels, white.
 * @param {ImageData} image
 * @param {Uint8Array} before  a byte for each pixel that the object had
 * @param {Uint8Array} after
 * @param {Uint8ClampedArray} old  the colours that the object had, four bytes for each pixel
 * @param {Uint8ClampedArray} next
 */
function drawInto({ width, height, data }, before, after, old, next) {
  const image = new ImageData(new Uint8ClampedArray(data), width, height);
  const pixels = pixelsIn(image.data), from = pixelsIn(old), to = pixelsIn(next), empty = pixels.some((pixel) => pixel >>> 24 < 128) ? 0 : WHITE;
  for (let i = 0; i < pixels.length; i++)
    if (before[i] !== after[i] || from[i] !== to[i]) pixels[i] = to[i] >>> 24 > 0 ? to[i] : after[i] > 0 ? BLACK : empty;
  return image;
}

/** Says how many pixels of a picture have colours for which it has another object when it is opened again. */
function noteOn(/** @type {ImageData} */ image, /** @type {Uint8Array} */ wanted) {
  const solid = solidPixels(image);
  let count = 0;
  for (let i = 0; i < solid.length; i++) if (solid[i] > 0 !== wanted[i] > 0) count++;
  return count === 0 ? '' : `When it is opened again, ${count.toLocaleString('en')} ${count === 1 ? 'pixel' : 'pixels'} will be on the other side of the outline, because of ${count === 1 ? 'its colour' : 'their colours'}.`;
}

/** Returns the colours of a part of a sheet, four bytes for each pixel. */
function pixelsOf(/** @type {PersistentImage} */ colours, /** @type {import('./pqt.js').Box} */ frame) {
  return colours.toPixels(frame, new Uint8ClampedArray(4 * (frame.maxX - frame.minX) * (frame.maxY - frame.minY)));
}

/** Returns the size to which a picture is reduced if it has too many pixels. */
function mostOf(/** @type {Uint8Array} */ bytes) {
  const { width, height } = sizeOfPng(bytes) ?? { width: 1, height: 1 }, shrink = Math.min(1, Math.sqrt(limits.pixels / width / height));
  const side = (/** @type {number} */ full) => Math.max(1, Math.min(Math.floor(full * shrink), limits.side));
  return { width: side(width), height: side(height) };
}

/** Opens a picture. One that is larger than the largest sheet is reduced; one that is smaller than the first sheets is in the middle of
    such a sheet. @returns {Promise<OpenedObject>} */
export async function openPicture(/** @type {Uint8Array} */ bytes, /** @type {string} */ name) {
  const { image, isExact } = await readPicture(bytes, name, mostOf(bytes));
  const { width, height } = image, sheet = { width: Math.max(SIDE, width), height: Math.max(SIDE, height) };
  const x = Math.floor((sheet.width - width) / 2), y = Math.floor((sheet.height - height) / 2);
  const solid = solidPixels(image), region = Region.ofPixels(solid, { width, height, x, y });
  if (region.size === 0) throw new Error(`${name} has no dark or opaque pixel`);
  const full = sizeOfPng(bytes), frame = { minX: x, minY: y, maxX: x + width, maxY: y + height };
  const colours = noColours(sheet).blit(PersistentImage.of(image), { x, y, mode: 'replace' }), isReduced = full?.width !== width || full.height !== height;
  const write = async (/** @type {Region} */ next, /** @type {PersistentImage} */ inks) => {
    if (next.equals(region) && inks.equals(colours)) return { bytes, note: '' };
    if (isReduced)
      throw new Error(`The picture has ${full?.width} x ${full?.height} pixels and was reduced to ${width} x ${height} when it was opened, so its own pixels are not in the sheet.`);
    const chunks = chunksOf(bytes), loss = lossOf(bytes, chunks, isExact);
    if (loss !== null) throw new Error(loss);
    if (inks.width !== sheet.width || inks.height !== sheet.height) throw new Error(`The picture has ${width} x ${height} pixels, and the sheet has another size.`);
    const inside = next.crop(frame);
    if (!inside.equals(next)) throw new Error(`The picture has ${width} x ${height} pixels, and something is drawn outside of them.`);
    const wanted = next.toPixels(frame), drawn = drawInto(image, solid, wanted, pixelsOf(colours, frame), pixelsOf(inks, frame));
    return { bytes: await pngLike(drawn, chunks), note: noteOn(drawn, wanted) };
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
  const { maxX, maxY } = region.bounds, most = Math.floor(Math.sqrt(limits.pixels));
  const sheet = { width: Math.min(Math.max(SIDE, maxX), most), height: Math.min(Math.max(SIDE, maxY), most) };
  const shown = region.crop(sheetOf(sheet)), isWhole = shown.equals(region), text = `${sheet.width} x ${sheet.height}`;
  const colours = noColours(sheet);
  return { region: shown, colours, note: isWhole ? '' : `Its pixels outside of the sheet of ${text} were cut off.`, async write(next, inks) {
    if (!inks.equals(colours)) throw new Error('The file holds a region, which has no colours.');
    if (next.equals(shown)) return { bytes, note: '' };
    if (!isWhole) throw new Error(`The region has pixels outside the sheet of ${text}, which were cut off when it was opened.`);
    return { bytes: next.toBytes(), note: '' };
  } };
}

/** Returns a sheet as a new picture. Without a colour, a pixel of the object is black, and another one transparent or, if the object has a
    background, white: with a transparent pixel, the background would be part of the object. @returns {Promise<Written>} */
export async function pictureOf(/** @type {Region} */ region, /** @type {PersistentImage} */ colours) {
  const { width, height } = colours, all = sheetOf(colours), image = new ImageData(pixelsOf(colours, all), width, height);
  const pixels = pixelsIn(image.data), wanted = region.toPixels(all), hasBackground = pixels.some((pixel, i) => wanted[i] === 0 && pixel >>> 24 >= 128);
  for (let i = 0; i < pixels.length; i++)
    if (pixels[i] >>> 24 === 0) pixels[i] = wanted[i] > 0 ? BLACK : hasBackground ? WHITE : 0;
  return { bytes: await pngOf(image), note: noteOn(image, wanted) };
}

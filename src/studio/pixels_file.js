// SPDX-License-Identifier: MIT
// pixels_file.js: reads the files that the Pixels tab opens, and writes an object back as a file of the same kind.
//
// A picture keeps its size and the colours of the pixels that were not drawn or erased. Its samples must have at most 8 bits,
// and each pixel must be opaque or transparent, because a canvas keeps no other colours exactly.

import { readPicture, sizeOfPng, solidPixels } from './picture.js';
import { SIDE } from './pixels_objects.js';
import { Region } from './pqt.js';

/**
 * @typedef {object} OpenedObject
 * @property {Region} region
 * @property {(region: Region) => Promise<Uint8Array>} write  returns the bytes of the file with another object; for the object of
 *     the file itself, the same bytes. Throws if the file cannot hold the object
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

/** Makes the pixels of an image solid where an object has pixels, and empty elsewhere. Pixels that are so already keep their colours. */
function drawInto(/** @type {ImageData} */ { width, height, data }, /** @type {Uint8Array} */ before, /** @type {Uint8Array} */ after) {
  const hasAlpha = data.some((value, i) => i % 4 === 3 && value === 0);
  const image = new ImageData(new Uint8ClampedArray(data), width, height);
  const empty = hasAlpha ? [0, 0, 0, 0] : [255, 255, 255, 255];
  for (let i = 0; i < after.length; i++)
    if (before[i] !== after[i]) image.data.set(after[i] > 0 ? [0, 0, 0, 255] : empty, 4 * i);
  return image;
}

/** Opens a picture. One that is larger than a sheet is reduced. @returns {Promise<OpenedObject>} */
export async function openPicture(/** @type {Uint8Array} */ bytes, /** @type {string} */ name) {
  const image = await readPicture(bytes, name, { width: SIDE, height: SIDE });
  const { width, height } = image, x = Math.floor((SIDE - width) / 2), y = Math.floor((SIDE - height) / 2);
  const solid = solidPixels(image), region = Region.ofPixels(solid, { width, height, x, y });
  if (region.size === 0) throw new Error(`${name} has no dark or opaque pixel`);
  const full = sizeOfPng(bytes), frame = { minX: x, minY: y, maxX: x + width, maxY: y + height };
  const write = async (/** @type {Region} */ next) => {
    if (next.equals(region)) return bytes;
    if (full?.width !== width || full.height !== height)
      throw new Error(`The picture has ${full?.width} x ${full?.height} pixels and was reduced to ${width} x ${height} when it was opened, so its own pixels are not in the sheet.`);
    const chunks = chunksOf(bytes), loss = lossOf(bytes, chunks, image);
    if (loss !== null) throw new Error(loss);
    const inside = next.crop(frame);
    if (!inside.equals(next)) throw new Error(`The picture has ${width} x ${height} pixels, and something is drawn outside of them.`);
    const wanted = next.toPixels(frame), drawn = drawInto(image, solid, wanted);
    if (!solidPixels(drawn).every((value, i) => value > 0 === wanted[i] > 0))
      throw new Error('In its colours, the pixels of the object could not be told from the others.');
    return pngLike(drawn, chunks);
  };
  return { region, write };
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
  return { region: shown, async write(next) {
    if (next.equals(shown)) return bytes;
    if (!isWhole) throw new Error(`The region has pixels outside the sheet of ${SIDE} x ${SIDE}, which were cut off when it was opened.`);
    return next.toBytes();
  } };
}

/** Returns an object as a new picture: black pixels on a transparent background. */
export function pictureOf(/** @type {Region} */ region) {
  const image = new ImageData(SIDE, SIDE);
  region.toPixels(INSIDE).forEach((value, i) => { image.data[4 * i + 3] = value; });
  return pngOf(image);
}

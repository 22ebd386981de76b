// SPDX-License-Identifier: MIT
// picture.js: reads pictures from files, and finds their solid pixels.

import { SIGNATURE, isOpaque, pixelsOfTexture } from './png.js';

/** The size of the largest picture that is read, in pixels. The browser unpacks it to four bytes
    per pixel. */
export const MOST_PIXELS = 2 ** 26;

/**
 * Reads a picture, and scales it down if it exceeds a maximum width or height. Returns its RGBA bytes, and whether these are exactly
 * its samples of 8 bits: some browsers have no way to read the colours of transparent pixels.
 * @param {Uint8Array} bytes
 * @param {string} name
 * @param {{ width: number, height: number }} most
 * @returns {Promise<{ image: ImageData, isExact: boolean }>}
 */
export async function readPicture(bytes, name, most) {
  const size = sizeOfPng(bytes);
  if (size === null) throw new Error(bytes.length === 0 ? `${name} is empty` : `${name} is not a PNG picture`);
  if (size.width * size.height > MOST_PIXELS)
    throw new RangeError(`${name} has ${size.width} x ${size.height} pixels; the studio reads up to ${MOST_PIXELS}`);
  const scale = Math.min(1, most.width / size.width, most.height / size.height);
  const width = Math.max(1, Math.round(size.width * scale)), height = Math.max(1, Math.round(size.height * scale));
  let bitmap;
  try {
    bitmap = await createImageBitmap(new Blob([/** @type {BlobPart} */ (bytes)], { type: 'image/png' }),
      { colorSpaceConversion: 'none', premultiplyAlpha: 'none', ...(scale < 1 && { resizeWidth: width, resizeHeight: height, resizeQuality: 'pixelated' }) });
  } catch {
    throw new Error(`${name} is a damaged PNG picture`);
  }
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (new OffscreenCanvas(width, height).getContext('2d'));
  context.drawImage(bitmap, 0, 0, width, height);
  const drawn = context.getImageData(0, 0, width, height), exact = isOpaque(drawn) ? drawn : pixelsOfTexture(bitmap);
  bitmap.close();
  return { image: exact ?? drawn, isExact: exact !== null };
}

/** Returns the size in the header of a PNG picture; null if the bytes are not a PNG picture. */
export function sizeOfPng(/** @type {Uint8Array} */ bytes) {
  if (bytes.length < 24 || !SIGNATURE.every((byte, i) => bytes[i] === byte)) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/**
 * Returns a byte for each pixel: 255 if it is solid, otherwise 0. In a picture with transparent
 * pixels, the opaque pixels are solid; in other pictures, the dark ones.
 */
export function solidPixels(/** @type {ImageData} */ { data }) {
  const solid = new Uint8Array(data.length / 4);
  let isTransparent = false;
  for (let i = 3; i < data.length && !isTransparent; i += 4) isTransparent = data[i] < 128;
  for (let i = 0; i < solid.length; i++) {
    const k = 4 * i, light = 0.299 * data[k] + 0.587 * data[k + 1] + 0.114 * data[k + 2];
    solid[i] = (isTransparent ? data[k + 3] >= 128 : light < 128) ? 255 : 0;
  }
  return solid;
}

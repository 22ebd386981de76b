// SPDX-License-Identifier: MIT
// png.js: reads and writes the pixels of PNG pictures exactly, also those that are not opaque. A canvas multiplies colours by their
// alpha, so it keeps the colours of such pixels only roughly.

/** The first bytes of each PNG picture. */
export const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** The remainders of all bytes, for the checksum of a chunk (CRC-32 of ISO 3309). */
const REMAINDERS = Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? 0xedb88320 ^ (byte >>> 1) : byte >>> 1;
  return byte;
});

/** Returns whether all pixels are opaque. */
export function isOpaque(/** @type {ImageData} */ { data }) {
  for (let i = 3; i < data.length; i += 4) if (data[i] !== 255) return false;
  return true;
}

/** Returns the pixels of a picture that was read without multiplying; null if the browser has no textures of its size. */
export function pixelsOfTexture(/** @type {ImageBitmap} */ bitmap) {
  const { width, height } = bitmap, gl = new OffscreenCanvas(1, 1).getContext('webgl2');
  if (gl === null) return null;
  const image = Math.max(width, height) <= gl.getParameter(gl.MAX_TEXTURE_SIZE) ? new ImageData(width, height) : null;
  if (image !== null) {
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
    gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(image.data.buffer));
  }
  const isRead = image !== null && gl.getError() === gl.NO_ERROR;
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return isRead ? image : null;
}

/** Returns a chunk with its length and its checksum. */
function chunk(/** @type {string} */ type, /** @type {Uint8Array} */ contents) {
  const bytes = new Uint8Array(12 + contents.length), view = new DataView(bytes.buffer);
  view.setUint32(0, contents.length);
  bytes.set(Array.from(type, (letter) => letter.charCodeAt(0)), 4);
  bytes.set(contents, 8);
  let sum = 0xffffffff;
  for (const byte of bytes.subarray(4, 8 + contents.length)) sum = REMAINDERS[(sum ^ byte) & 255] ^ (sum >>> 8);
  view.setUint32(8 + contents.length, ~sum);
  return bytes;
}

/** Encodes a picture, four samples of 8 bits for each pixel. Each row has the filter 1: the differences from the pixel to the left. */
export async function encode(/** @type {ImageData} */ { width, height, data }) {
  const header = new DataView(new ArrayBuffer(13)), size = 4 * width, rows = new Uint8Array(height * (size + 1));
  header.setUint32(0, width);
  header.setUint32(4, height);
  header.setUint16(8, 0x0806);
  for (let y = 0; y < height; y++) {
    const from = y * size, to = y * (size + 1);
    rows[to] = 1;
    for (let i = 0; i < size; i++) rows[to + 1 + i] = data[from + i] - (i < 4 ? 0 : data[from + i - 4]);
  }
  const packed = new Response(new Blob([rows]).stream().pipeThrough(new CompressionStream('deflate')));
  const parts = [Uint8Array.from(SIGNATURE), chunk('IHDR', new Uint8Array(header.buffer)), chunk('IDAT', new Uint8Array(await packed.arrayBuffer())), chunk('IEND', new Uint8Array())];
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

// SPDX-License-Identifier: MIT
// hex.js: converts bytes to hexadecimal digits and back, for the log of commands.

/** Converts bytes to digits, two for each byte. */
export function toHex(/** @type {Uint8Array} */ bytes) {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}

/** Converts digits to bytes. */
export function fromHex(/** @type {string} */ text) {
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => parseInt(text.slice(2 * i, 2 * i + 2), 16));
}

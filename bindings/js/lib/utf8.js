// SPDX-License-Identifier: MIT
// utf8.js: UTF-8 by TextEncoder and TextDecoder, or by the functions below where an environment lacks
// them, such as jsdom in jest.

const REPLACEMENT = 0xfffd;

/** Encodes a string. Half of a surrogate pair becomes U+FFFD. */
export const encode = typeof TextEncoder === 'undefined' ? encodeUtf8 : withMethod(new TextEncoder(), 'encode');

/** Decodes bytes. Bytes that are not UTF-8 become U+FFFD. */
export const decode = decoder(false);

/** Decodes bytes; throws if they are not UTF-8. */
export const decodeStrictly = decoder(true);

function withMethod(object, name) {
  return (given) => object[name](given);
}

function decoder(fatal) {
  if (typeof TextDecoder === 'undefined') return (bytes) => decodeUtf8(bytes, fatal);
  return withMethod(new TextDecoder('utf-8', { fatal, ignoreBOM: true }), 'decode'); // U+FEFF is a character like others
}

/** What `encode` is without TextEncoder. */
export function encodeUtf8(text) {
  const bytes = [];
  for (const character of text) {
    const code = character.codePointAt(0), isHalf = code >= 0xd800 && code < 0xe000;
    addCode(bytes, isHalf ? REPLACEMENT : code);
  }
  return Uint8Array.from(bytes);
}

function addCode(bytes, code) {
  if (code < 0x80) return bytes.push(code);
  const further = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  bytes.push(0xff00 >> further + 1 & 0xff | code >> 6 * further);
  for (let i = further - 1; i >= 0; i--) bytes.push(0x80 | code >> 6 * i & 0x3f);
  return bytes.length;
}

/** What `decode` is without TextDecoder, or `decodeStrictly` if `fatal` is true. */
export function decodeUtf8(bytes, fatal) {
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const { code, end } = codeAt(bytes, at);
    if (code < 0 && fatal) throw new TypeError('the bytes are not UTF-8');
    text += String.fromCodePoint(code < 0 ? REPLACEMENT : code);
    at = end;
  }
  return text;
}

/** Reads the character at `at`. Its code is -1 if the bytes up to `end` begin no character. */
function codeAt(bytes, at) {
  const first = bytes[at];
  if (first < 0x80) return { code: first, end: at + 1 };
  if (first < 0xc2 || first > 0xf4) return { code: -1, end: at + 1 };
  const further = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
  let code = first & 0x3f >> further;
  for (let i = 1; i <= further; i++) {
    const [least, most] = i === 1 ? secondByte(first) : [0x80, 0xbf], byte = bytes[at + i];
    if (!(byte >= least && byte <= most)) return { code: -1, end: at + i }; // also at the end of the bytes
    code = code << 6 | byte & 0x3f;
  }
  return { code, end: at + further + 1 };
}

/** Returns the limits of the second byte: no character has two forms, or is half of a surrogate pair. */
function secondByte(first) {
  switch (first) {
    case 0xe0: return [0xa0, 0xbf];
    case 0xed: return [0x80, 0x9f];
    case 0xf0: return [0x90, 0xbf];
    case 0xf4: return [0x80, 0x8f];
    default: return [0x80, 0xbf];
  }
}

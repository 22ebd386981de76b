// SPDX-License-Identifier: MIT
// embedded.js: starts the library with a module that is part of the program, as text.
import { decodeBase64, inflate } from './inflate.js';
import { start, startedPart } from './instance.js';

/** Starts a part of the package. `text` is its module, compressed and then written in base64, and
    `length` is the number of bytes of the module. */
export function startEmbedded({ text, length }, part) {
  if (startedPart !== part) start(new WebAssembly.Module(inflate(decodeBase64(text), length)), part);
}

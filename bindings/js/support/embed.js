// SPDX-License-Identifier: MIT
// embed.js: writes a WebAssembly module as a module of JavaScript: base64 of the compressed bytes.
//
//     node support/embed.js MODULE OUTPUT    run by make wasm
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { deflateRawSync } from 'node:zlib';

const [module, output] = process.argv.slice(2), bytes = readFileSync(module), name = basename(module);
mkdirSync(dirname(output), { recursive: true });
writeFileSync(`${output}.new`, `// ${name}.js: ${name}, compressed with DEFLATE, in base64. make wasm writes this file.
export const length = ${bytes.length};
export const text = '${deflateRawSync(bytes, { level: 9, memLevel: 9 }).toString('base64')}';
`);
renameSync(`${output}.new`, output);

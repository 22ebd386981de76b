// SPDX-License-Identifier: MIT
// run_wasi.js: runs a program compiled for WASI, such as test/results/fingerprints.wasm.
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

const wasi = new WASI({ version: 'preview1', args: process.argv.slice(2) });
const module = await WebAssembly.compile(await readFile(process.argv[2]));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport })) ?? 0;

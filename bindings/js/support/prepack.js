// SPDX-License-Identifier: MIT
// prepack.js: completes the package before npm packs it: the modules for require(), their types, and the
// licence. It refuses a package without WebAssembly.
//
//     node support/prepack.js    run by npm pack and npm publish
//
// esbuild, which `npm install` or a package of Debian installs, makes one CommonJS module of all files.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('..', import.meta.url)), at = (name) => join(folder, name);
const ENTRIES = ['index', 'trees'];

function refuse(reason) {
  console.error(`the package cannot be packed: ${reason}`);
  process.exit(1);
}

function requireModules() {
  for (const name of ['pqt.wasm', 'pqt-trees.wasm'])
    if (!existsSync(at(name)) || !existsSync(at(`lib/${name}.js`)))
      refuse(`there is no ${name}; make wasm compiles it, and completes the package in the folder wasm/bindings/js of the build`);
}

function writeCommonJs(entry) {
  const { status, error, stderr } = spawnSync('esbuild', [`${entry}.js`, '--bundle', '--format=cjs', '--platform=node', '--target=es2022', '--log-level=warning',
    `--outfile=${entry}.cjs`], { cwd: folder, encoding: 'utf8' });
  if (error?.code === 'ENOENT') refuse('there is no esbuild; npm install in this folder installs it');
  if (status !== 0) refuse(`esbuild failed: ${error?.message ?? stderr}`);
}

/** TypeScript takes the types of a .cjs file from a .d.cts file. */
function writeTypes(entry) {
  writeFileSync(at(`${entry}.d.cts`), readFileSync(at(`${entry}.d.ts`), 'utf8').replaceAll("'./index.js'", "'./index.cjs'"));
}

requireModules();
ENTRIES.forEach(writeCommonJs);
ENTRIES.forEach(writeTypes);
copyFileSync(at('../../COPYING'), at('LICENSE'));

// SPDX-License-Identifier: MIT
// package.test.js: tests what npm packs. The matrix tests the packed package.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'node:test';

const folder = fileURLToPath(new URL('..', import.meta.url));
const { exports, files, scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Copies the files that prepack needs, except one. Returns the folder of the package. */
function copyWithout(t, missing) {
  const copy = mkdtempSync(join(tmpdir(), 'pqt-package-'));
  t.after(() => rmSync(copy, { recursive: true }));
  const names = ['package.json', 'pqt.wasm', 'pqt-trees.wasm', 'lib/pqt.wasm.js', 'lib/pqt-trees.wasm.js', 'support/prepack.js'];
  for (const name of names.filter((one) => one !== missing)) cpSync(join(folder, name), join(copy, name));
  return copy;
}

for (const [missing, module] of [['pqt.wasm', 'pqt.wasm'], ['pqt-trees.wasm', 'pqt-trees.wasm'], ['lib/pqt.wasm.js', 'pqt.wasm']])
  test(`a package without ${missing} is not packed`, (t) => {
    const copy = copyWithout(t, missing);
    assert.equal(scripts.prepack, 'node support/prepack.js'); // npm packs nothing if it fails
    const { status, stderr } = spawnSync(process.execPath, ['support/prepack.js'], { cwd: copy, encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, new RegExp(`^the package cannot be packed: there is no ${module}; make wasm compiles it`));
  });

test('each entry has types, and each of its files is packed', () => {
  for (const [entry, conditions] of Object.entries(exports)) {
    const leaves = typeof conditions === 'string' ? [{ default: conditions }] : Object.values(conditions);
    for (const leaf of leaves) {
      if (typeof conditions !== 'string') assert.match(leaf.types, leaf.default.endsWith('.cjs') ? /\.d\.cts$/ : /\.d\.ts$/, entry);
      const name = leaf.default.slice(2), pattern = name.replace(/[^.]+$/, '*');
      assert.ok(name === 'package.json' || files.includes(name) || files.includes(pattern), `${name} of ${entry}`);
    }
  }
});

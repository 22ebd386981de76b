// SPDX-License-Identifier: MIT
// types.test.js: checks the studio's scripts with TypeScript, which reads the types in their
// comments.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'node:test';
import ts from 'typescript';

const source = fileURLToPath(new URL('../../src/studio', import.meta.url));
const bindings = fileURLToPath(new URL('../../bindings/js', import.meta.url));

test('TypeScript finds no error in the scripts', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pqt-types-'));
  t.after(() => rmSync(folder, { recursive: true }));
  cpSync(source, folder, { recursive: true });
  symlinkSync(bindings, join(folder, 'pqt'));
  const files = readdirSync(folder).filter((name) => name.endsWith('.js')).map((name) => join(folder, name));
  assert.ok(files.length > 10);
  const program = ts.createProgram(files, { allowJs: true, checkJs: true, noEmit: true, strict: true, skipLibCheck: true,
    target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022, moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'], types: [], preserveSymlinks: true });
  const faults = ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) =>
    `${file?.fileName.slice(folder.length + 1)}:${(file?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0) + 1}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
  assert.deepEqual(faults, []);
});

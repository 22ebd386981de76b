// SPDX-License-Identifier: MIT
// types.test.js: compiles support/types.ts against index.d.ts, if TypeScript is installed.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import test from 'node:test';

const ts = (await import('typescript').catch(() => ({ default: null }))).default;
const path = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Compiles support/types.ts. Returns its faults. */
function faultsOf(options) {
  const program = ts.createProgram([path('../support/types.ts')], { noEmit: true, strict: true, target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    types: [], paths: { pqt: [path('../index.d.ts')] }, ...options });
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) =>
    `${file?.fileName}:${file?.getLineAndCharacterOfPosition(start).line + 1}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
}

for (const [options, what] of [[{}, ''], [{ exactOptionalPropertyTypes: true }, ', with exact optional members']])
  test(`the types accept what the package accepts, and refuse what it refuses${what}`, { skip: ts === null && 'npm install installs TypeScript' }, () => {
    assert.deepEqual(faultsOf(options), []);
  });

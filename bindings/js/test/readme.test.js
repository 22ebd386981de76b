// SPDX-License-Identifier: MIT
// readme.test.js: runs each program of README.md, in a process of its own, and compares its output
// with the block of text that follows it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'node:test';

const directory = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const blocks = [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text]) => ({ language, text }));
const programs = blocks.filter(({ language }) => language === 'js');

test('README.md has programs, and each has an output', () => {
  assert.ok(programs.length >= 3);
  blocks.forEach(({ language }, i) => {
    if (language === 'js') assert.equal(blocks[i + 1]?.language, 'text');
  });
});

programs.forEach((program, i) =>
  test(`program ${i + 1} of README.md prints what README.md says`, () => {
    const run = spawnSync(process.execPath, ['--input-type=module'], { cwd: directory, input: program.text, encoding: 'utf8' });
    assert.equal(run.stderr, '');
    assert.equal(run.stdout, blocks[blocks.indexOf(program) + 1].text);
  }));

// SPDX-License-Identifier: MIT
// readme.test.js: runs each program of the documents, in a process of its own, and compares its output
// with the block of text that follows it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'node:test';

const directory = fileURLToPath(new URL('..', import.meta.url));

for (const [document, least] of [['README.md', 8], ['coming-from.md', 4]]) {
  const text = readFileSync(new URL(`../${document}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, lines]) => ({ language, lines }));
  const programs = blocks.filter(({ language }) => language === 'js');

  test(`${document} has programs, and each has an output`, () => {
    assert.ok(programs.length >= least, `${programs.length} programs`);
    blocks.forEach(({ language }, i) => {
      if (language === 'js') assert.equal(blocks[i + 1]?.language, 'text');
    });
  });

  programs.forEach((program, i) =>
    test(`program ${i + 1} of ${document} prints what the document says`, () => {
      const run = spawnSync(process.execPath, ['--input-type=module'], { cwd: directory, input: program.lines, encoding: 'utf8' });
      assert.equal(run.stderr, '');
      assert.equal(run.stdout, blocks[blocks.indexOf(program) + 1].lines);
    }));
}

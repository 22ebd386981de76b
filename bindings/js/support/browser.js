// SPDX-License-Identifier: MIT
// browser.js: runs the tests in headless Chromium, in a page and in a worker.
//
//     node support/browser.js
//
// chromium.js finds the browser. If there is none, the tests are skipped, and a line says so.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { browser, folder, inChromium } from './chromium.js';

const SECONDS = 300; // the time limit for all tests

if (browser === undefined) {
  console.log('# Chromium is not installed: the tests in a page and in a worker are skipped');
  process.exit();
}

/** Returns the names of the tests that import no Node.js modules except node:test and
    node:assert/strict. */
function tests() {
  return readdirSync(join(folder, 'test'))
    .filter((name) => !/'node:(?!test'|assert\/strict')/.test(readFileSync(join(folder, 'test', name), 'utf8')));
}

const expected = new Set(['page', 'worker']);
let failed = false;

function take({ where, passed, failures }) {
  console.log(`# ${where}: ${passed} passed, ${failures.length} failed`);
  failures.forEach((failure) => console.log(`not ok - ${where}: ${failure}`));
  failed ||= failures.length > 0 || passed === 0;
  expected.delete(where);
  return expected.size === 0;
}

await inChromium({
  script: '/support/page.js', seconds: SECONDS, take,
  texts: { '/tests': () => JSON.stringify(tests()), '/cases.json': () => readFileSync(join(folder, '../../test/cases.json')) },
});
for (const where of expected) console.log(`not ok - ${where}: the browser gave no result`);
process.exitCode = failed || expected.size > 0 ? 1 : 0;

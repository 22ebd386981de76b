// SPDX-License-Identifier: MIT
// bench.js: compares pqt with rbush and flatbush: answers first, then times.
//
//     cd bindings/js && npm install && node bench.js [--browser] [COUNT...]
//
// Prints a table of medians, in microseconds for one operation, with 1000, 100000 and 1000000 items
// unless the command names other counts. With --browser, a page in headless Chromium measures. The
// cells of a peer that is not installed are empty.
import { browser, inChromium } from './support/chromium.js';

const SECONDS = 1800; // for a page

const words = process.argv.slice(2);
const named = words.filter((word) => word !== '--browser').map(Number);
const counts = named.length > 0 ? named : [1000, 100000, 1000000];

async function inPage() {
  if (browser === undefined) {
    console.log('Chromium is not installed: the benchmark in a page is skipped');
    return;
  }
  let failure = 'the page gave no result';
  const take = ({ line, error, done }) => {
    if (line !== undefined) console.log(line);
    if (done) failure = null;
    failure = error ?? failure;
    return done || error !== undefined;
  };
  await inChromium({ script: '/support/bench_page.js', seconds: SECONDS, take, texts: { '/counts': () => JSON.stringify(counts) } });
  if (failure === null) return;
  console.error(failure);
  process.exitCode = 1;
}

if (words.includes('--browser')) await inPage();
else await (await import('./support/bench_tasks.js')).benchmark(counts, (line) => console.log(line));

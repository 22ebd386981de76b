// SPDX-License-Identifier: MIT
// bench.js: compares pqt with rbush, flatbush and geokdbush, in node and in a page: first answers,
// then times.
//
//     make -C build wasm && cd build/wasm/bindings/js && npm install
//     npm run bench -- [--report FILE | COUNT...]
//
// Prints a table of medians, in microseconds per operation, with 1000, 100000 and 1000000 items
// unless the command names other counts. With --report, the table replaces the one in FILE, which is
// docs/performance.md. A cell is "-" if a package has no such operation, or is not installed.
import { readFileSync, writeFileSync } from 'node:fs';
import { PACKAGES, benchmark } from './support/bench_tasks.js';
import { browser, inChromium } from './support/chromium.js';

const SECONDS = 1800; // the time limit for a page
const BEGIN = '<!-- begin javascript -->\n', END = '<!-- end javascript -->\n';

const words = process.argv.slice(2), isReport = words[0] === '--report', report = words[1];
const named = words.slice(isReport ? 2 : 0);
const wrong = named.find((word) => !Number.isInteger(Number(word)) || !(Number(word) > 0));
if (wrong !== undefined || (isReport && words.length !== 2)) {
  console.error(wrong === undefined ? 'bench.js: --report takes the path of docs/performance.md, and no numbers of items' : `bench.js: ${wrong} is not a number of items`);
  process.exit(2);
}
const counts = named.length > 0 ? named.map(Number) : [1000, 100000, 1000000];

async function inNode() {
  const rows = [];
  await benchmark(counts, (row) => rows.push(row));
  return rows;
}

/** Returns the rows that a page in headless Chromium measures; none without a browser. */
async function inPage() {
  if (browser === undefined) {
    console.error('Chromium is not installed: the benchmark in a page is skipped');
    return [];
  }
  const rows = [];
  let failure = 'the page gave no result';
  const take = ({ row, error, done }) => {
    if (row !== undefined) rows.push(row);
    if (done) failure = null;
    failure = error ?? failure;
    return done || error !== undefined;
  };
  await inChromium({ script: '/support/bench_page.js', seconds: SECONDS, take, texts: { '/counts': () => JSON.stringify(counts) } });
  if (failure !== null) throw new Error(failure);
  return rows;
}

function cell(figure) {
  return figure === null || figure === undefined ? '-' : figure.toFixed(figure < 100 ? 2 : 0);
}

function tableOf(rows, pageRows) {
  const heads = ['node', 'page'].flatMap((place) => PACKAGES.map((name) => `${name}, ${place}`));
  const lines = rows.map(({ count, task, figures }, i) =>
    `| ${[count, task, ...[...figures, ...pageRows[i]?.figures ?? PACKAGES.map(() => null)].map(cell)].join(' | ')} |`);
  return [`| items | task | ${heads.join(' | ')} |`, `|---|---|${heads.map(() => '---|').join('')}`, ...lines, ''].join('\n');
}

const rows = await inNode();
const table = tableOf(rows, await inPage());
console.log(table);
if (isReport) {
  const text = readFileSync(report, 'utf8'), from = text.indexOf(BEGIN) + BEGIN.length, to = text.indexOf(END);
  if (from < BEGIN.length || to < from) throw new Error(`${report} has no table of JavaScript`);
  writeFileSync(report, text.slice(0, from) + table + text.slice(to));
}

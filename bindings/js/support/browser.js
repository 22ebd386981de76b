// SPDX-License-Identifier: MIT
// browser.js: runs the tests in headless Chromium, in a page and in a worker.
//
//     node support/browser.js
//
// The page comes from a server on this machine, with a strict Content-Security-Policy. CHROMIUM is
// the browser; without it, the first of chromium, chromium-browser and google-chrome. If there is
// none, the tests are skipped, with a line that says so.
import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const SECONDS = 300; // for all tests
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'";
const TYPES = { js: 'text/javascript', json: 'application/json', wasm: 'application/wasm' };
const PAGE = '<!doctype html><meta charset="utf-8"><title>pqt</title><script type="module" src="/support/page.js"></script>';

const folder = fileURLToPath(new URL('..', import.meta.url));
const browser = [process.env.CHROMIUM, 'chromium', 'chromium-browser', 'google-chrome']
  .find((name) => name && spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
if (browser === undefined) {
  console.log('# Chromium is not installed: the tests in a page and in a worker are skipped');
  process.exit();
}

/** Returns the source of a module whose imports a browser finds without an import map. */
function forBrowsers(source) {
  return source.replaceAll("'pqt'", "'/index.js'").replaceAll("'node:test'", "'/support/browser_runner.js'")
    .replaceAll("'node:assert/strict'", "'/support/browser_assert.js'");
}

/** Returns the names of the tests that import nothing else of node. */
function tests() {
  return readdirSync(join(folder, 'test'))
    .filter((name) => !/'node:(?!test'|assert\/strict')/.test(readFileSync(join(folder, 'test', name), 'utf8')));
}

const expected = new Set(['page', 'worker']);
let finish;
const finished = new Promise((resolve) => { finish = resolve; });
let failed = false;

function take({ where, passed, failures }) {
  console.log(`# ${where}: ${passed} passed, ${failures.length} failed`);
  failures.forEach((failure) => console.log(`not ok - ${where}: ${failure}`));
  failed ||= failures.length > 0 || passed === 0;
  expected.delete(where);
  if (expected.size === 0) finish();
}

const server = createServer((request, response) => {
  const send = (status, type, body) =>
    response.writeHead(status, { 'Content-Type': type, 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-store' }).end(body);
  const { pathname } = new URL(request.url, 'http://localhost');
  if (request.method === 'POST') {
    let body = '';
    request.on('data', (part) => { body += part; });
    request.on('end', () => {
      send(200, 'text/plain', '');
      take(JSON.parse(body));
    });
    return;
  }
  if (pathname === '/') return send(200, 'text/html', PAGE);
  if (pathname === '/tests') return send(200, 'application/json', JSON.stringify(tests()));
  const type = TYPES[pathname.split('.').at(-1)];
  try {
    const bytes = pathname === '/cases.json' ? readFileSync(join(folder, '../../test/cases.json')) : readFileSync(join(folder, normalize(pathname)));
    send(200, type ?? 'text/plain', type === TYPES.js ? forBrowsers(bytes.toString()) : bytes);
  } catch {
    send(404, 'text/plain', 'there is no such file');
  }
});
server.listen(0, '127.0.0.1');
await new Promise((resolve) => { server.once('listening', resolve); });

const profile = mkdtempSync(join(tmpdir(), 'pqt-browser-'));
const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const chromium = spawn(browser, ['--headless=new', ...sandbox, '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
  `--user-data-dir=${profile}`, `http://127.0.0.1:${server.address().port}/`], { stdio: 'ignore', detached: true });
const ended = new Promise((resolve) => { chromium.once('exit', resolve); });
const timer = setTimeout(finish, SECONDS * 1000);
await Promise.race([finished, ended]);
clearTimeout(timer);
for (const where of expected) console.log(`not ok - ${where}: the browser gave no result`);
try { // with the processes that it began
  process.kill(-chromium.pid, 'SIGKILL');
} catch {
  chromium.kill();
}
await ended;
server.closeAllConnections();
server.close();
try { // processes of the browser may still write to it
  rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
} catch (error) {
  console.log(`# the folder of the browser stays: ${error.message}`);
}
process.exitCode = failed || expected.size > 0 ? 1 : 0;

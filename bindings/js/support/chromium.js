// SPDX-License-Identifier: MIT
// chromium.js: opens a page in headless Chromium, for the tests and the benchmark.
//
// The page comes from a server on this machine, with a strict Content-Security-Policy. CHROMIUM names
// the browser; without it, the first of chromium, chromium-browser and google-chrome.
import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const TYPES = { js: 'text/javascript', json: 'application/json', wasm: 'application/wasm' };
const HEADERS = {
  'Content-Security-Policy': "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'",
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin', // with the next header, the resolution of clocks is 5 us instead of 100
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** The modules that the package, its tests and the benchmark import, with the addresses at which a
    browser finds them. */
const MODULES = {
  pqt: '/index.js',
  'node:test': '/support/browser_runner.js',
  'node:assert/strict': '/support/browser_assert.js',
  rbush: '/node_modules/rbush/index.js',
  flatbush: '/node_modules/flatbush/index.js',
  flatqueue: '/node_modules/flatqueue/index.js',
  quickselect: '/node_modules/quickselect/index.js',
  geokdbush: '/node_modules/geokdbush/index.js',
  kdbush: '/node_modules/kdbush/index.js',
  tinyqueue: '/node_modules/tinyqueue/index.js',
};

export const folder = fileURLToPath(new URL('..', import.meta.url));

/** Returns the command that starts the browser; undefined if there is none. */
export const browser = [process.env.CHROMIUM, 'chromium', 'chromium-browser', 'google-chrome']
  .find((name) => name && spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);

/** Returns the source of a module, with imports that a browser finds without an import map. */
function forBrowsers(source) {
  return Object.entries(MODULES).reduce((text, [name, path]) => text.replaceAll(`'${name}'`, `'${path}'`), source);
}

/** Serves the files of the package, the strings in `texts` by their paths, and a page that runs
    `script`. */
async function serve({ script, texts, take }) {
  const page = `<!doctype html><meta charset="utf-8"><title>pqt</title><script type="module" src="${script}"></script>`;
  const server = createServer((request, response) => {
    const send = (status, type, body) => response.writeHead(status, { ...HEADERS, 'Content-Type': type }).end(body);
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
    if (pathname === '/') return send(200, 'text/html', page);
    const type = TYPES[pathname.split('.').at(-1)];
    try {
      const bytes = texts[pathname]?.() ?? readFileSync(join(folder, normalize(pathname)));
      send(200, type ?? 'text/plain', type === TYPES.js ? forBrowsers(bytes.toString()) : bytes);
    } catch {
      send(404, 'text/plain', 'there is no such file');
    }
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => { server.once('listening', resolve); });
  return server;
}

/** Opens an address in headless Chromium. Returns a promise of the end of the browser, and a function
    that ends it. */
export function startBrowser(url) {
  const profile = mkdtempSync(join(tmpdir(), 'pqt-browser-'));
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const chromium = spawn(browser, ['--headless=new', ...sandbox, '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
    `--user-data-dir=${profile}`, url], { stdio: 'ignore', detached: true });
  const ended = new Promise((resolve) => { chromium.once('exit', resolve); });
  const kill = () => {
    try { // kills the processes that it started as well
      process.kill(-chromium.pid, 'SIGKILL');
    } catch {
      chromium.kill();
    }
  };
  process.once('exit', kill); // even if an uncaught error ends this program
  const stop = async () => {
    kill();
    await ended;
    process.off('exit', kill);
    try { // processes of the browser may still write to the folder
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    } catch (error) {
      console.log(`# the folder of the browser stays: ${error.message}`);
    }
  };
  return { ended, stop };
}

/**
 * Runs a script of the package in a page, and passes each of its messages to `take`. Ends when
 * `take` returns true, when the browser exits, or after `seconds`.
 */
export async function inChromium({ script, seconds, take, texts = {} }) {
  let finish;
  const finished = new Promise((resolve) => { finish = resolve; });
  const server = await serve({ script, texts, take: (posted) => { if (take(posted)) finish(); } });
  const { ended, stop } = startBrowser(`http://127.0.0.1:${server.address().port}/`);
  const timer = setTimeout(finish, seconds * 1000);
  await Promise.race([finished, ended]);
  clearTimeout(timer);
  await stop();
  server.closeAllConnections();
  server.close();
}

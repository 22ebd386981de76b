// SPDX-License-Identifier: MIT
// page.js: starts the program's server and a browser for the tests of the studio.
//
// PQT is the program, build/pqt by default; CHROMIUM is the browser, /usr/bin/chromium by default.
// SCREENSHOTS is a folder for pictures. If it is not set, none are kept.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const top = fileURLToPath(new URL('../..', import.meta.url));
export const program = process.env.PQT ?? fileURLToPath(new URL('../../build/pqt', import.meta.url));

/** The token of the servers of the tests, and the header that has it. */
export const TOKEN = '0123456789abcdef0123456789abcdef', AUTHORIZED = { Authorization: `Bearer ${TOKEN}` };
const state = mkdtempSync(join(tmpdir(), 'pqt-state-'));
mkdirSync(join(state, 'pqt'), { mode: 0o700 });
writeFileSync(join(state, 'pqt', 'studio-token'), `${TOKEN}\n`, { mode: 0o600 });
process.on('exit', () => rmSync(state, { recursive: true }));
/** The environment of the servers. */
export const environment = { ...process.env, XDG_STATE_HOME: state };

/** Starts `pqt studio` with arguments. Returns its address, its output on standard error, and a
 * function that ends it. */
export async function startServer(...files) {
  // The program also finds the data of the examples below the current folder.
  const port = files.some((one) => one.startsWith('--port')) ? [] : ['--port=0'];
  const child = spawn(program, ['studio', '--no-browser', ...port, ...files], { cwd: top, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '', errors = '';
  child.stderr.on('data', (text) => { errors += text; });
  const address = await new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => {
      output += text;
      const found = /(http:\S+?)[#&]token=\w+ /.exec(output);
      if (found !== null) resolve(found[1]);
    });
    child.once('exit', (status) => reject(new Error(`pqt studio ended with ${status}: ${errors}`)));
  });
  return {
    address,
    /** Returns the address of a tab, with the token. */
    at: (tab) => `${address}#${tab}&token=${TOKEN}`,
    child,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await once(child, 'exit');
      }
      assert.equal(child.exitCode, 0, errors);
      assert.equal(errors, '');
    },
  };
}

/** Counts the shapes of paths, the paths, and the calls to the library in the page, in
 * `globalThis.counts`. */
function countCalls() {
  const counts = globalThis.counts = { shapes: 0, paths: 0, calls: 0 };
  for (const { prototype } of [CanvasRenderingContext2D, OffscreenCanvasRenderingContext2D, Path2D])
    for (const name of ['rect', 'arc', 'moveTo', 'lineTo', 'fillRect', 'strokeRect', 'beginPath', 'fill', 'stroke'].filter((one) => one in prototype)) {
      const old = prototype[name], kind = ['beginPath', 'fill', 'stroke'].includes(name) ? 'paths' : 'shapes';
      prototype[name] = function count(...rest) {
        counts[kind]++;
        return old.apply(this, rest);
      };
    }
  const { Instance } = WebAssembly;
  WebAssembly.Instance = function count(...given) {
    const { exports } = new Instance(...given);
    return { exports: Object.fromEntries(Object.entries(exports).map(([name, one]) => [name, typeof one !== 'function' ? one : (...rest) => {
      counts.calls++;
      return one(...rest);
    }])) };
  };
}

/** Starts a browser. */
export async function startBrowser() {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: ['--no-sandbox'] });
  return {
    browser,
    /**
     * Opens the studio at an address in a new window. Errors in the page, refusals by its policy,
     * and failed requests fail the test, except those that `allowed` matches. Unless `motion` is true, the system
     * asks for less motion, so that no scene runs by itself. Unless `isEmpty` is false, the editor has an empty sheet.
     */
    async open(address, { tab = 'balls', scene = 'five', isEmpty = true, motion = false, seed = 1, width = 1280, height = 720, dark = false, touch = false, counted = false, allowed = /^$/ } = {}) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light', acceptDownloads: true, hasTouch: touch,
        reducedMotion: motion ? 'no-preference' : 'reduce' });
      const page = await context.newPage();
      if (counted) await page.addInitScript(countCalls);
      const faults = [];
      const take = (fault) => { if (!allowed.test(fault)) faults.push(fault); };
      page.on('pageerror', (error) => take(error.stack ?? String(error)));
      page.on('console', (message) => { if (message.type() === 'error') take(message.text()); });
      page.on('requestfailed', (request) => take(`${request.url()} failed`));
      await page.goto(`${address}?seed=${seed}#${tab}${tab === 'balls' && scene !== '' ? `&scene=${scene}` : ''}${tab === 'editor' && isEmpty ? '&empty' : ''}&token=${TOKEN}`);
      await page.waitForSelector(`#${tab} canvas`, { state: 'attached' });
      await page.waitForFunction(() => globalThis.pqtStudio?.isReady);
      return Object.assign(page, {
        faults,
        async done() {
          assert.deepEqual(faults, []);
          await context.close();
        },
      });
    },
    stop: () => browser.close(),
  };
}

/** Starts a server and a browser, and ends both after the tests. */
export async function startStudio({ files = [] } = {}) {
  const server = await startServer(...files);
  const { browser, open, stop } = await startBrowser();
  return {
    server,
    browser,
    open: (options) => open(server.address, options),
    async stop() {
      await stop();
      await server.stop();
    },
  };
}

/** Saves a picture of a page for docs/ if SCREENSHOTS names a folder. */
export async function picture(page, name) {
  const { SCREENSHOTS } = process.env;
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: `${SCREENSHOTS}/${name}.png` });
}

/** Sets a slider as if a user had dragged it. */
export async function slide(page, id, value) {
  await page.fill(`#${id}`, String(value));
}

/** Returns a figure that the page shows, without commas. */
export async function figure(page, panel, name) {
  return (await page.textContent(`#${panel} [data-figure="${name}"]`)).replaceAll(',', '');
}

/** Returns the pixel of a canvas at a position on the page, as [red, green, blue]. */
export async function pixelAt(page, panel, x, y) {
  return page.evaluate(([selector, left, top]) => {
    const canvas = document.querySelector(selector);
    const ratio = canvas.width / canvas.clientWidth;
    return [...canvas.getContext('2d').getImageData(Math.round(left * ratio), Math.round(top * ratio), 1, 1).data].slice(0, 3);
  }, [`#${panel}.view canvas, #${panel} .view canvas`, x, y]);
}

/** Returns a hash of the pixels of a canvas, which shows whether a picture changed. */
export async function hashOfCanvas(page, panel) {
  return page.evaluate(async (selector) => {
    const canvas = document.querySelector(selector);
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', data));
    return [...hash.slice(0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  }, `#${panel}.view canvas, #${panel} .view canvas`);
}

/**
 * Moves fingers on the page. Each finger is a list of positions [x, y], and all lists have the same
 * length. The fingers go down one after another, move together from position to position, and are
 * lifted.
 */
export async function touch(page, ...fingers) {
  const session = await page.context().newCDPSession(page);
  const at = (step, some = fingers) => some.map((places, id) => ({ x: places[step][0], y: places[step][1], id }));
  const send = (type, touchPoints) => session.send('Input.dispatchTouchEvent', { type, touchPoints });
  for (let down = 1; down <= fingers.length; down++) await send('touchStart', at(0, fingers.slice(0, down)));
  for (let step = 1; step < fingers[0].length; step++) await send('touchMove', at(step));
  await send('touchEnd', []);
  await session.detach();
}

/** Returns the average processor time of the page's thread per run of a function, in milliseconds,
 * over `times` runs. The function receives the number of the run. The time of other programs is not
 * included. */
export async function cpuOf(page, times, fn) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const now = async () => (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'ThreadTime').value;
  const source = `for (let i = 0; i < ${times}; i++) (${fn})(i)`;
  await page.evaluate(source); // only the second run is measured
  const before = await now();
  await page.evaluate(source);
  const spent = await now() - before;
  await session.detach();
  return (1000 * spent) / times;
}

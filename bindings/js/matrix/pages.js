// SPDX-License-Identifier: MIT
// pages.js: serves folders, and opens pages in Chromium, one after another, in a frame of a page.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, normalize } from 'node:path';
import { startBrowser } from '../support/chromium.js';

const TYPES = { html: 'text/html', js: 'text/javascript', json: 'application/json', wasm: 'application/wasm' };
const FRAME_SECONDS = 30; // the time limit for a page

/** Starts a server on this machine. Returns its URL, and a function that ends it. */
async function startServer(answer) {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => { server.once('listening', resolve); });
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, close };
}

/** Serves a folder. */
export function serveFolder(folder) {
  return startServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost'), path = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    try {
      const bytes = readFileSync(join(folder, normalize(path)));
      response.writeHead(200, { 'Content-Type': TYPES[path.split('.').at(-1)] ?? 'text/plain' }).end(bytes);
    } catch {
      response.writeHead(404).end('there is no such file');
    }
  });
}

/** Returns the number of a port that is free. */
export async function freePort() {
  const { url, close } = await startServer(() => {});
  close();
  return new URL(url).port;
}

/** Waits until a server answers, for at most `seconds`. */
export async function untilItAnswers(url, seconds) {
  for (let i = 0; i < 10 * seconds; i++) {
    if (await fetch(url).then(({ ok }) => ok, () => false)) return;
    await new Promise((resolve) => { setTimeout(resolve, 100); });
  }
  throw new Error(`${url} does not answer`);
}

/** Runs in the page: opens each address in a frame, and posts the first message from it. */
async function showFrames(urls, seconds) {
  for (const url of urls) {
    const frame = document.createElement('iframe'), { origin } = new URL(url);
    const said = await new Promise((resolve) => {
      window.onmessage = (event) => { if (event.origin === origin) resolve(String(event.data)); };
      setTimeout(() => resolve(`nothing in ${seconds} s`), seconds * 1000);
      frame.src = url;
      document.body.append(frame);
    });
    frame.remove();
    await fetch('/said', { method: 'POST', body: said });
  }
}

/** Opens pages in Chromium. Returns the message that each of them posted. */
export async function openPages(urls) {
  const said = [];
  let finish;
  const finished = new Promise((resolve) => { finish = resolve; });
  const script = `(${showFrames})(${JSON.stringify(urls)}, ${FRAME_SECONDS})`;
  const { url, close } = await startServer(async (request, response) => {
    if (request.method === 'POST') said.push((await request.toArray()).join(''));
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(request.url === '/' ? `<!doctype html><body><script>${script}</script>` : '');
    if (said.length === urls.length) finish();
  });
  const { ended, stop } = startBrowser(url);
  await Promise.race([finished, ended]);
  await stop();
  close();
  return urls.map((_, i) => said[i] ?? 'nothing: the browser has ended');
}

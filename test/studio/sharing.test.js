// SPDX-License-Identifier: MIT
// sharing.test.js: tests stores and lines in the studio: the undo tree of a store that is reopened,
// and pages that share a history, with edits, merges, conflicts, and a server that cannot be
// reached.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { program, startBrowser, startServer as start } from './page.js';

let browser, folder, stores = 0;
const servers = [];
before(async () => {
  browser = await startBrowser();
  folder = mkdtempSync(join(tmpdir(), 'pqt-sharing-'));
});
after(async () => {
  await browser.stop();
  for (const { child } of servers) if (child.exitCode === null) child.kill(); // the servers of tests that failed
  rmSync(folder, { recursive: true });
});

async function startServer(...files) {
  servers.push(await start(...files));
  return servers.at(-1);
}

const newStore = () => join(folder, `plan${++stores}.pqts`);
const run = (page, fn, ...rest) => page.evaluate(`(${fn})(pqtStudio.tabs.editor.editor, ...${JSON.stringify(rest)})`);
const boxes = (page) => run(page, ({ scenes }) => scenes.now.get('boxes').all().map(({ minX, minY, maxX, maxY }) => [minX, minY, maxX, maxY].map(Math.round))
  .sort((a, b) => a[0] - b[0] || a[1] - b[1]));
const fingerprint = (page) => run(page, ({ scenes }) => scenes.now.fingerprint());
const graph = (page) => page.$$eval('#editor-graph button', (all) => all.map(({ textContent }) => textContent));
const pqt = (...words) => execFileSync(program, words, { encoding: 'utf8' });

/** Opens the page of a server. Failed requests that a test provokes are not errors. */
async function open(server, allowed = /^$/) {
  const page = await browser.open(server.address, { tab: 'editor', allowed });
  await page.waitForSelector('#sharing-status[data-state="saved"], #sharing-status[data-state="reading"]');
  return page;
}

/** Waits until the server has all edits of a page. */
const saved = (page) => page.waitForSelector('#sharing-status[data-state="saved"]');
/** Waits until no page has an unsent edit, and all show the current version of the server. */
async function agree(...pages) {
  for (const page of pages) await saved(page);
  const { state } = await run(pages[0], async ({ scenes }) => (await (await import('./requests.js')).request(`shared/${scenes.shared.name}/state`)).json());
  for (const page of pages) await page.waitForFunction((wanted) => pqtStudio.tabs.editor.editor.scenes.shared.state === wanted, state);
  const [print, ...others] = await Promise.all(pages.map(fingerprint));
  for (const one of others) assert.equal(one, print);
  return print;
}

const drawAt = (page, x, y, width = 50, height = 40) => run(page, (editor, box) => editor.drawBox(box), { minX: x, minY: y, maxX: x + width, maxY: y + height });
/** Moves the box at a position, as a drag does. */
const moveAt = (page, x, y, dx, dy, key = 0) => run(page, (editor, at, by, drag) => {
  const items = editor.scenes.now.get('boxes').search({ minX: at[0], minY: at[1], maxX: at[0], maxY: at[1] });
  editor.selection.select(items);
  editor.moveTo([...editor.selection.values()], by[0], by[1], drag);
}, [x, y], [dx, dy], key);

/** Returns the entries of the page: number, parent, label, name, and marks. */
const entries = (page) => run(page, ({ scenes: { history } }) => history.entries().map(({ number, parent, label, name, isCurrent, isSaved }) =>
  [number, parent, label, name, isCurrent, isSaved]));

/** Returns the fingerprint of a version of a store or a line, as the program prints it. */
const shown = (name) => /[0-9a-f]{32}/.exec(pqt('info', name))[0];

test('the sixth page of a browser says that the browser allows no more', async () => {
  const server = await startServer(newStore()), first = await open(server), pages = [];
  for (let i = 0; i < 5; i++) {
    const page = await first.context().newPage();
    await page.goto(server.at('editor'));
    await page.waitForFunction(() => globalThis.pqtStudio?.isReady);
    pages.push(page);
  }
  assert.equal(await pages[4].textContent('#error'),
    '5 pages with stores or lines are open in this browser, which allows no more. Close one of them, and reload this page.');
  for (const page of pages.slice(0, 4)) assert.ok(await page.isHidden('#error'));
  await drawAt(pages[3], 100, 100);
  await saved(pages[3]);
  await pages[0].close();
  await pages[4].reload();
  await pages[4].waitForSelector('#sharing-status');
  await first.done();
  await server.stop();
});

test('a store keeps the undo tree of the page, and shows it when it is reopened', async () => {
  const store = newStore();
  let server = await startServer(store);
  let page = await open(server);
  await drawAt(page, 100, 100);
  await drawAt(page, 300, 100);
  await page.click('#editor-undo');
  await page.waitForFunction(() => document.getElementById('status').textContent.startsWith('Undone'));
  await drawAt(page, 500, 300);
  for (const dx of [1, 2, 3]) await moveAt(page, 510 + dx - 1, 310, 1, 0, 7); // they are parts of one drag
  await saved(page);
  await page.fill('#editor-label', 'corner');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('#editor-graph b')?.textContent === 'corner');
  await page.fill('#editor-name', 'Zürich "7"');
  await page.keyboard.press('Tab');
  await saved(page);
  await page.click('#editor-graph [data-entry="2"]');
  await page.waitForSelector('#editor-graph [data-entry="2"][aria-current]');
  const tree = await entries(page), prints = {};
  for (const [number] of tree) prints[number] = await run(page, async ({ scenes }, n) => (await scenes.load(n), scenes.history.version(n).fingerprint()), number);
  assert.deepEqual(tree.map(([number, parent, label, name, isCurrent]) => [number, parent, label, name, isCurrent]), [
    [0, 0, '', null, false], [1, 0, 'Draw a box', null, false], [2, 1, 'Draw a box', null, true], [3, 1, 'Draw a box', null, false],
    [4, 3, 'Move a box', 'corner', false], [5, 4, 'Name a box Zürich "7"', null, false]]);
  await page.done();
  await server.stop();

  for (const [number] of tree) assert.equal(shown(`${store}@${number}`), prints[number], `version ${number}`);
  const log = pqt('log', '--check', store);
  assert.match(log, /> 2 Draw a box .*current/);
  assert.match(log, /4 Move a box .*named corner/);

  server = await startServer(store);
  page = await open(server);
  assert.deepEqual(await entries(page), tree);
  assert.equal(await fingerprint(page), prints[2]);
  await page.click('#editor-undo');
  await page.waitForSelector('#editor-graph [data-entry="1"][aria-current]');
  await page.click('#editor-redo');
  await page.waitForSelector('#editor-graph [data-entry="2"][aria-current]');
  await page.click('#editor-graph [data-entry="5"]');
  await page.waitForSelector('#editor-graph [data-entry="5"][aria-current]');
  assert.equal(await fingerprint(page), prints[5]);
  await page.click('#editor-branch + #editor-merge');
  await page.waitForSelector('#editor-graph [data-entry="6"]');
  await saved(page);
  assert.equal((await boxes(page)).length, 3);
  await page.done();
  await server.stop();
  assert.match(pqt('log', store), /6 Merge version 2/);
});

test('a store is equal byte for byte after a page has shown it and saved copies, without an edit', async () => {
  const scene = newStore(), trees = newStore(), table = join(folder, 'same.csv');
  let server = await startServer(scene), page = await open(server);
  await drawAt(page, 100, 100);
  await saved(page);
  await page.done();
  await server.stop();
  writeFileSync(table, 'id,x,y\n7,10,20\n9,30,40\n');
  pqt('save', trees, table);
  for (const store of [scene, trees]) {
    const first = readFileSync(store);
    server = await startServer(store);
    page = await open(server);
    for (const button of ['#editor-save', '#editor-save-csv']) {
      const copy = page.waitForEvent('download');
      await page.click(button);
      await copy;
    }
    await page.done();
    await server.stop();
    assert.deepEqual(readFileSync(store), first);
    assert.deepEqual(readdirSync(folder).filter((name) => name.startsWith(basename(store)) && name !== basename(store)), []);
  }
});

test('two pages see each other\'s edits, and concurrent edits are merged', async () => {
  const store = newStore(), server = await startServer(store);
  const one = await open(server, /409|503/), other = await open(server, /409|503/);
  await drawAt(one, 100, 100);
  await agree(one, other);
  await other.waitForFunction(() => document.getElementById('sharing-news').textContent === 'Another page: Draw a box (version 1)');
  await moveAt(other, 110, 110, 50, 0);
  await agree(one, other);
  assert.deepEqual(await boxes(one), [[150, 100, 200, 140]]);
  for (let round = 0; round < 10; round++) {
    // Both begin with the same version.
    await Promise.all([drawAt(one, 10 * round, 200 + 10 * round), drawAt(other, 500 + 10 * round, 10 * round)]);
    await agree(one, other);
  }
  assert.equal((await boxes(one)).length, 21);
  assert.deepEqual(await boxes(one), await boxes(other));
  assert.deepEqual(await entries(one), await entries(other));
  const print = await agree(one, other);
  // An undo, a name and a checkout of one page appear on the other page.
  await one.click('#editor-undo');
  await one.waitForFunction((old) => pqtStudio.tabs.editor.editor.scenes.now.fingerprint() !== old, print);
  await agree(one, other);
  assert.equal((await boxes(other)).length, 20);
  await other.click('#editor-redo');
  await other.waitForFunction((old) => pqtStudio.tabs.editor.editor.scenes.now.fingerprint() === old, print);
  await agree(other, one);
  const [first] = await entries(one);
  await other.fill('#editor-version', '0');
  await one.waitForSelector(`#editor-graph [data-entry="${first[0]}"][aria-current]`);
  await agree(one, other);
  assert.equal((await boxes(one)).length, 0);
  await one.done();
  await other.done();
  await server.stop();
  pqt('log', '--check', store);
});

/** Makes both pages move one box to different places, starting from the same version. */
async function conflict(one, other, x, y) {
  await one.route('**/change?*', (route) => route.abort());
  await moveAt(one, x, y, 0, 100);
  await one.waitForSelector('#sharing-status[data-state="problem"]');
  await moveAt(other, x, y, 100, 0);
  await one.waitForSelector('#editor-conflicts');
  await one.unroute('**/change?*');
}

test('a conflict is shown with its choices, and the resolution reaches both pages', async () => {
  const store = newStore(), server = await startServer(store), allowed = /409|ERR_FAILED|change\?.* failed/;
  const one = await open(server, allowed), other = await open(server, allowed);
  await drawAt(one, 100, 100);
  await agree(one, other);
  await conflict(one, other, 110, 110);
  assert.match(await one.textContent('#editor-conflicts legend'), /^Box \d+$/);
  assert.deepEqual(await one.$$eval('#editor-conflicts label', (all) => all.map(({ textContent }) => textContent)),
    ['this branch: at 100, 200, 50 wide, 40 high', 'the other branch: at 200, 100, 50 wide, 40 high', 'neither change: at 100, 100, 50 wide, 40 high']);
  await one.check('#editor-conflicts [value="ours"]');
  await one.click('#conflicts-merge');
  await agree(one, other);
  assert.deepEqual(await boxes(other), [[100, 200, 150, 240]]);

  await conflict(one, other, 110, 210);
  await one.click('#conflicts-cancel');
  await one.waitForFunction(() => document.getElementById('sharing-status').textContent === 'Not saved: the conflict is not resolved');
  assert.deepEqual(await boxes(one), [[100, 300, 150, 340]], 'the page keeps its edit');
  await one.click('#sharing-retry');
  await one.waitForSelector('#editor-conflicts');
  await one.check('#editor-conflicts [value="theirs"]');
  await one.click('#conflicts-merge');
  await agree(one, other);
  assert.deepEqual(await boxes(one), [[200, 200, 250, 240]]);
  const print = await fingerprint(other), current = (await entries(other)).find(([, , , , isCurrent]) => isCurrent)[0];
  await one.done();
  await other.done();
  await server.stop();
  assert.equal(shown(`${store}@${current}`), print);
});

/** Delays a page's requests to a path, and counts them. `release` lets them continue. */
async function hold(page, place) {
  const sent = [], held = { count: 0, release() {}, async end() {
    held.release();
    await Promise.all(sent);
    await page.unroute(place);
  } };
  const released = new Promise((resolve) => { held.release = resolve; });
  await page.route(place, (route) => {
    held.count++;
    sent.push(released.then(() => route.continue()));
  });
  return held;
}

test('a drag is sent once, after the pointer rests', async () => {
  const server = await startServer(newStore()), page = await open(server);
  await drawAt(page, 100, 100);
  await saved(page);
  let puts = 0;
  page.on('request', (request) => { if (request.method() === 'PUT') puts++; });
  await page.evaluate(() => {
    const real = { setTimeout, clearTimeout }, timers = new Map();
    let last = 0;
    globalThis.setTimeout = (action) => { timers.set(++last, action); return last; };
    globalThis.clearTimeout = (one) => { timers.delete(one); };
    globalThis.rest = () => {
      Object.assign(globalThis, real);
      for (const action of timers.values()) action();
      return timers.size;
    };
  });
  for (let step = 0; step < 5; step++) await moveAt(page, 110 + step, 110, 1, 0, 7);
  assert.equal(puts, 0);
  assert.equal(await page.evaluate(() => globalThis.rest()), 1);
  await saved(page);
  assert.equal(puts, 1);
  assert.deepEqual(await boxes(page), [[105, 100, 155, 140]]);
  await page.done();
  await server.stop();
});

test('a comparison continues while others change the history', async () => {
  const server = await startServer(newStore()), one = await open(server, /409/), other = await open(server, /409/);
  await drawAt(one, 100, 100);
  await agree(one, other);
  await one.click('#editor-mark');
  const differ = () => one.textContent('[data-figure="differ"]');
  const held = await hold(one, '**/change?*');
  await drawAt(one, 300, 100);
  await drawAt(other, 500, 100);
  await saved(other);
  await held.end();
  await agree(one, other);
  assert.equal(await one.textContent('#error'), '');
  assert.equal(await differ(), '2');
  await run(other, ({ scenes }) => scenes.history.setName(1, 'marked'));
  await drawAt(other, 700, 100);
  await agree(one, other);
  assert.equal(await one.textContent('#error'), '');
  assert.equal(await differ(), '3');
  await one.done();
  await other.done();
  await server.stop();
});

test('a comparison with an edit stays with it if it is renumbered because another page saved first', async () => {
  const server = await startServer(newStore()), one = await open(server, /409/), other = await open(server, /409/);
  const held = await hold(one, '**/change?*');
  await drawAt(one, 100, 100);
  await one.click('#editor-mark');
  await drawAt(other, 500, 100);
  await drawAt(other, 700, 100);
  await saved(other);
  await held.end();
  await agree(one, other);
  const marked = () => run(one, (editor) => editor.marked);
  const differ = () => one.textContent('[data-figure="differ"]');
  assert.equal(await marked(), 3); // 1 and 2 were made by the other page
  assert.equal(await differ(), '0');
  await drawAt(one, 100, 300);
  await agree(one, other);
  assert.equal(await marked(), 3);
  assert.equal(await differ(), '1');
  await one.done();
  await other.done();
  await server.stop();
});

test('a name stays with the edit that was named, even if another page saved first', async () => {
  const server = await startServer(newStore()), one = await open(server, /409/), other = await open(server, /409/);
  const held = await hold(one, '**/change?*');
  await drawAt(one, 100, 100);
  await drawAt(other, 500, 100);
  await saved(other);
  await one.waitForFunction(() => document.getElementById('sharing-news').textContent !== '');
  const named = run(one, ({ scenes }) => scenes.history.setName(scenes.history.current, 'mine')); // both are version 1
  await held.end();
  await named;
  await agree(one, other);
  assert.deepEqual((await entries(other)).map(([number, , , name]) => [number, name]), [[0, null], [1, null], [2, 'mine']]);
  assert.equal((await boxes(other)).length, 2);
  await one.done();
  await other.done();
  await server.stop();
});

test('an edit made while a conflict is shown is kept, and shortcut keys do nothing meanwhile', async () => {
  const server = await startServer(newStore()), allowed = /409|ERR_FAILED|change\?.* failed/;
  const one = await open(server, allowed), other = await open(server, allowed);
  await drawAt(one, 100, 100);
  await agree(one, other);
  await conflict(one, other, 110, 110);
  await one.evaluate(() => document.activeElement.blur());
  await one.keyboard.press('i');
  assert.equal((await boxes(one)).length, 1);
  await drawAt(one, 600, 300); // this ends the drag
  await one.click('#conflicts-merge');
  await agree(one, other);
  assert.deepEqual(await boxes(other), [[100, 200, 150, 240], [600, 300, 650, 340]]);
  await one.done();
  await other.done();
  await server.stop();
});

test('a merge of branches does not undo what another page did in the meantime', async () => {
  const server = await startServer(newStore()), one = await open(server), other = await open(server);
  await drawAt(one, 100, 100);
  await moveAt(one, 110, 110, 0, 100);
  await saved(one);
  await one.click('#editor-graph [data-entry="1"]');
  await one.waitForSelector('#editor-graph [data-entry="1"][aria-current]');
  await agree(one, other);
  await moveAt(other, 110, 110, 100, 0, 7);
  await agree(one, other);
  await one.click('#editor-branch + #editor-merge');
  await one.waitForSelector('#editor-conflicts');
  await moveAt(other, 210, 110, 100, 0, 7); // the same drag, so that version 3 is replaced
  await agree(one, other);
  await one.click('#conflicts-merge');
  await one.waitForFunction(() => document.getElementById('error').textContent.endsWith('Merge again.'));
  await agree(one, other);
  assert.deepEqual(await boxes(one), [[300, 100, 350, 140]]);
  assert.equal((await entries(one)).length, 4);
  await one.click('#editor-branch + #editor-merge');
  await one.check('#editor-conflicts [value="theirs"]');
  await one.click('#conflicts-merge');
  await one.waitForSelector('#editor-graph [data-entry="4"]');
  await agree(one, other);
  await one.done();
  await other.done();
  await server.stop();
});

test('an edit whose response is lost is applied once, and does not conflict with the drag that continues', async () => {
  const server = await startServer(newStore()), allowed = /409|ERR_FAILED|change\?.* failed/;
  const page = await open(server, allowed);
  /** Drops the next response after an action, while the page waits for it. */
  const lose = async (action) => {
    await page.route('**/change?*', async (route) => {
      await route.fetch();
      await action();
      await route.abort();
    }, { times: 1 });
  };
  await lose(() => {});
  await drawAt(page, 100, 100);
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.shared.state.endsWith('-2')); // a new store begins with version 1
  await agree(page);
  assert.equal((await entries(page)).length, 2);
  await lose(() => moveAt(page, 120, 110, 10, 0, 7));
  await moveAt(page, 110, 110, 10, 0, 7);
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.shared.state.endsWith('-4'));
  await agree(page);
  assert.deepEqual(await boxes(page), [[120, 100, 170, 140]]);
  assert.deepEqual((await entries(page)).map(([, , label]) => label), ['', 'Draw a box', 'Move a box', 'Move a box']);
  await page.done();
  await server.stop();
});

test('an edit whose response is lost is applied once, even if another page edits before it is resent', async () => {
  const server = await startServer(newStore()), allowed = /409|ERR_FAILED|change\?.* failed/;
  const one = await open(server, allowed), other = await open(server);
  await one.route('**/change?*', async (route) => {
    await route.fetch(); // the server has executed the request
    await other.waitForSelector('#editor-graph [data-entry="1"]');
    await drawAt(other, 500, 100);
    await saved(other);
    await route.abort();
  }, { times: 1 });
  await drawAt(one, 100, 100);
  await one.click('#editor-mark');
  await one.waitForSelector('#editor-graph [data-entry="2"]');
  await agree(one, other);
  assert.deepEqual(await boxes(other), [[100, 100, 150, 140], [500, 100, 550, 140]]);
  assert.deepEqual((await entries(one)).map(([number, parent]) => [number, parent]), [[0, 0], [1, 0], [2, 1]]);
  assert.equal(await run(one, (editor) => editor.marked), 1);
  assert.equal(await one.textContent('[data-figure="differ"]'), '1');
  assert.equal(await one.textContent('#error'), '');
  await one.done();
  await other.done();
  await server.stop();
});

test('other entries are fetched with their newest versions, and the current one does not change', async () => {
  const server = await startServer(newStore()), other = await open(server);
  for (let i = 0; i < 62; i++) await drawAt(other, 10 * i, 100);
  await saved(other);
  const one = await open(server);
  await run(one, async ({ scenes }) => {
    for (const { number } of scenes.history.entries()) await scenes.load(number);
    scenes.history.version();
  });
  const third = await open(server), held = await hold(third, '**/version?number=0');
  const loaded = run(third, async ({ scenes }) => (await scenes.load(0), scenes.history.version(0).get('boxes').size));
  await drawAt(other, 100, 300);
  await agree(other, one, third);
  held.release();
  assert.equal(await loaded, 0);
  assert.equal(held.count, 2);
  await one.done();
  await third.done();
  await other.done();
  await server.stop();
});

test('pages keep working while the server is unavailable, and save when it returns', async () => {
  const store = newStore(), allowed = /409|ERR_|failed|503/;
  let server = await startServer(store);
  const port = new URL(server.address).port;
  const one = await open(server, allowed), other = await open(server, allowed);
  await drawAt(one, 100, 100);
  await agree(one, other);
  await server.stop();
  for (const page of [one, other]) await page.waitForSelector('#sharing-status[data-state="alone"]');
  await drawAt(one, 300, 100);
  await one.waitForSelector('#sharing-status[data-state="problem"]');
  await drawAt(other, 500, 100);
  await drawAt(other, 500, 300);
  assert.equal((await boxes(other)).length, 3);
  server = await startServer('--port', port, store);
  await one.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.now.get('boxes').size === 4);
  await other.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.now.get('boxes').size === 4);
  await agree(one, other);
  await one.done();
  await other.done();
  await server.stop();
});

test('an edit is saved after a failed request without a click, and the page says so meanwhile', async () => {
  const server = await startServer(newStore()), one = await open(server, /ERR_|failed|503/), other = await open(server);
  const status = () => one.textContent('#sharing-status');
  for (const [answer, reason] of [[(route) => route.abort(), 'there is no connection to the server'],
    [(route) => route.fulfill({ status: 503, body: 'the database does not answer' }), 'the database does not answer']]) {
    await one.route('**/change?*', answer);
    await drawAt(one, 100, 100);
    await one.waitForSelector('#sharing-status[data-state="problem"]');
    assert.equal(await status(), `Not saved: ${reason}. The page tries again by itself.`);
    await one.unroute('**/change?*');
    if (reason.startsWith('there')) await one.evaluate(() => dispatchEvent(new Event('online'))); // the other one after a pause
    await agree(one, other);
    assert.match(await status(), /: saved$/);
  }
  // A page that misses the edit of another one fetches it later.
  await one.route('**/state', (route) => route.abort());
  await one.route('**/version?*', (route) => route.abort());
  await drawAt(other, 300, 100);
  await one.waitForSelector('#sharing-status[data-state="problem"]');
  assert.match(await status(), /^Perhaps not up to date: /);
  for (const place of ['**/state', '**/version?*']) await one.unroute(place);
  await agree(one, other);
  assert.equal((await boxes(one)).length, 3);
  await one.done();
  await other.done();
  await server.stop();
});

test('a store that another process writes is opened for reading', async () => {
  const store = newStore(), writer = await startServer(store);
  const page = await open(writer);
  await drawAt(page, 100, 100);
  await saved(page);
  const reader = await startServer(store), readers = await open(reader);
  assert.match(await readers.textContent('#sharing-status'), /^plan\d+\.pqts is open for reading only: .*process/);
  await drawAt(readers, 300, 100).catch(() => {});
  assert.equal((await boxes(readers)).length, 1);
  await readers.click('#editor-undo');
  await readers.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.now.get('boxes').size === 0);
  await readers.click('#editor-redo');
  await readers.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.now.get('boxes').size === 1);
  await page.done();
  await readers.done();
  await reader.stop();
  await writer.stop();
});

test('a store of trees, as pqt save makes it, is edited too', async () => {
  const store = newStore(), table = join(folder, 'houses.csv');
  writeFileSync(table, 'id,min_x,min_y,max_x,max_y\n1,0,0,10,10\n2,100,100,130,120\n');
  pqt('save', store, table);
  const server = await startServer(store), page = await open(server, /409/), other = await open(server, /409/);
  await moveAt(page, 5, 5, 50, 50);
  await drawAt(other, 200, 200);
  await agree(page, other);
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.now.get('boxes').size === 3);
  await page.selectOption('#editor-colour', '2');
  await page.waitForFunction(() => document.getElementById('error').textContent.endsWith('holds trees, which have no names and colours'));
  await page.done();
  await other.done();
  await server.stop();
  assert.match(pqt('info', store), /items +3/);
});

// ---- Lines ----

const url = process.env.PQT_TEST_BOB; // set by test/with_postgresql
const hasLines = spawnSync(program, ['log', 'postgresql://@/none?host=/nowhere#none'], { encoding: 'utf8' }).stderr.includes('has no PostgreSQL') === false;
const skip = url === undefined ? 'there is no PostgreSQL: run this with test/with_postgresql' : !hasLines && 'this build has no lines: configure --with-postgresql';

test('two servers of one line exchange edits, merge, and resolve a conflict', { skip }, async () => {
  const line = `${url}#studio`, allowed = /409|ERR_FAILED|change\?.* failed/;
  const first = await startServer('--author', 'Ada', line), second = await startServer('--author', 'Bob', line);
  const one = await open(first, allowed), other = await open(second, allowed);
  assert.deepEqual(await graph(one), ['1. Empty sheet']);
  await drawAt(one, 100, 100);
  await saved(one);
  await other.waitForFunction(() => document.getElementById('sharing-news').textContent === 'Ada: Draw a box (version 2)');
  await agreeOnLine(one, other);
  for (let round = 0; round < 10; round++) {
    await Promise.all([drawAt(one, 10 * round, 200 + 10 * round), drawAt(other, 500 + 10 * round, 10 * round)]);
    await agreeOnLine(one, other);
  }
  assert.equal((await boxes(one)).length, 21);
  await conflict(one, other, 110, 110);
  await one.check('#editor-conflicts [value="ours"]');
  await one.click('#conflicts-merge');
  const print = await agreeOnLine(one, other);
  // Undo reverts the edits of this page, and keeps those that the other page has made since.
  await drawAt(one, 700, 500);
  await agreeOnLine(one, other);
  await drawAt(other, 800, 500);
  await agreeOnLine(one, other);
  await one.click('#editor-undo');
  await one.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.now.get('boxes').size === 22);
  await agreeOnLine(one, other);
  assert.ok((await boxes(other)).some(([x, y]) => x === 800 && y === 500));
  assert.match((await graph(other))[0], /^\d+\. Undo: Draw a box$/);
  await other.click('#editor-undo');
  await other.waitForFunction((wanted) => pqtStudio.tabs.editor.editor.scenes.now.fingerprint() === wanted, print);
  await agreeOnLine(one, other);
  await one.evaluate(() => { document.querySelector('.graph').scrollTop = 10 ** 6; }); // the list has the rows that are seen
  await one.click('#editor-graph [data-entry="2"]');
  await one.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.now.get('boxes').size === 1);
  const last = await agreeOnLine(one, other);
  const newest = (await entries(other)).length;
  await one.done();
  await other.done();
  await first.stop();
  await second.stop();
  assert.equal(shown(`${line}@${newest}`), last);
  assert.match(pqt('log', '--check', line), /Back to version 2/);
});

test('undo on a line keeps the edits that others make during a drag or a conflict', { skip }, async () => {
  const server = await startServer(`${url}#undo`), one = await open(server, /409/), other = await open(server, /409/);
  await drawAt(one, 100, 100);
  await agree(one, other);
  await moveAt(one, 110, 110, 10, 0, 7);
  await agree(one, other);
  await drawAt(other, 500, 100);
  await agree(one, other);
  await moveAt(one, 120, 110, 10, 0, 7); // the drag continues
  await agree(one, other);
  const undone = () => one.waitForFunction(() => document.getElementById('status').textContent.startsWith('Undone'));
  await one.click('#editor-undo');
  await undone();
  await agree(one, other);
  assert.deepEqual(await boxes(other), [[110, 100, 160, 140], [500, 100, 550, 140]]);

  await moveAt(one, 120, 110, 0, 100);
  await agree(one, other);
  await moveAt(other, 120, 210, 0, 100);
  await agree(one, other);
  await one.click('#editor-undo');
  await one.waitForSelector('#editor-conflicts');
  await drawAt(other, 700, 100);
  await agree(one, other);
  await one.check('#editor-conflicts [value="theirs"]');
  await one.click('#conflicts-merge');
  await undone();
  await agree(one, other);
  assert.deepEqual(await boxes(other), [[110, 100, 160, 140], [500, 100, 550, 140], [700, 100, 750, 140]]);
  await one.done();
  await other.done();
  await server.stop();
});

/** Waits until no page of two servers has an unsent edit, and all show the newest version of the
 * line. */
async function agreeOnLine(...pages) {
  for (const page of pages) await saved(page);
  const states = await Promise.all(pages.map((page) => run(page, ({ scenes }) => scenes.shared.state)));
  const newest = `line-${Math.max(...states.map((state) => Number(state.slice(5))))}`;
  for (const page of pages) await page.waitForFunction((wanted) => pqtStudio.tabs.editor.editor.scenes.shared.state === wanted, newest);
  const [print, ...others] = await Promise.all(pages.map(fingerprint));
  for (const one of others) assert.equal(one, print);
  return print;
}

test('pages of a line keep working while the database is unavailable, and edits are saved when it returns', { skip }, async () => {
  const line = `${url}#away`, allowed = /409|503/;
  const first = await startServer(line), second = await startServer(line);
  const one = await open(first, allowed), other = await open(second, allowed);
  await drawAt(one, 100, 100);
  await agreeOnLine(one, other);
  execFileSync('sh', ['-c', process.env.PQT_TEST_RESTART]);
  await drawAt(one, 300, 100);
  await drawAt(other, 500, 100);
  await one.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.now.get('boxes').size === 3);
  await other.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.now.get('boxes').size === 3);
  await agreeOnLine(one, other);
  await one.done();
  await other.done();
  await first.stop();
  await second.stop();
});

test('a reader of a line gets an error if it pushes', { skip }, async () => {
  const writer = await startServer(`${url}#rights`), reader = await startServer(`${process.env.PQT_TEST_ALICE}#rights`);
  const one = await open(writer), other = await open(reader, /422|503/);
  await drawAt(other, 300, 100);
  await other.waitForSelector('#sharing-status[data-state="problem"]');
  assert.match(await other.textContent('#sharing-status'), /^Not saved: .*permission/);
  await drawAt(one, 100, 100);
  await other.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.now.get('boxes').size === 2);
  await one.done();
  await other.done();
  await writer.stop();
  await reader.stop();
});

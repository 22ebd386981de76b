// SPDX-License-Identifier: MIT
// work.test.js: tests that the browser keeps the work of the editor: after a reload, a crash and a change of the file; that the
// page says so if it cannot; and that histories are saved as files which the program reads.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { environment, picture, program, startStudio } from './page.js';

const TABLE = 'id,x,y,name\n7,10,20,Basel\n9,30,40,Bern\n', OTHER = 'id,x,y,name\n7,10,25,Basel\n';
let folder, studio, plain;
const at = (name) => join(folder, name);

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pqt-work-'));
  writeFileSync(at('map.csv'), TABLE);
  writeFileSync(at('other.csv'), OTHER);
  studio = await startStudio({ files: [at('map.csv'), at('other.csv')] });
  plain = await startStudio();
});
after(async () => {
  await studio?.stop();
  await plain?.stop();
  rmSync(folder, { recursive: true });
});

const run = (page, fn, ...rest) => page.evaluate(`(${fn})(pqtStudio.tabs.editor.editor, ...${JSON.stringify(rest)})`);
const draw = (page, x = 1) => run(page, (editor, left) => editor.drawBox({ minX: left, minY: 2, maxX: left + 300, maxY: 400 }), x);
const open = (options) => plain.open({ tab: 'editor', ...options });
const kept = (page) => page.waitForFunction(() => pqtStudio.tabs.editor.editor.work.isKept);
const isReady = (page) => page.waitForFunction(() => globalThis.pqtStudio?.isReady);

/** Returns everything that a history holds. */
const shown = (page) => run(page, ({ scenes }) => ({ current: scenes.history.current, undo: scenes.history.undoLabel, redo: scenes.history.redoLabel,
  merges: [...scenes.merges], nextId: scenes.newId(), entries: scenes.history.entries().map((entry) => ({ ...entry, fingerprint: scenes.history.version(entry.number).fingerprint() })) }));

/** Reloads a page, which must not ask first. */
async function reload(page, doFirst = () => {}) {
  page.once('dialog', (dialog) => assert.fail(dialog.message()));
  await page.mouse.click(5, 5); // without a click, browsers do not ask
  const loaded = page.waitForEvent('load');
  await page.evaluate(`(${doFirst})(pqtStudio.tabs.editor.editor); setTimeout(() => location.reload());`);
  await loaded;
  await isReady(page);
  page.removeAllListeners('dialog');
}

/** Makes versions of all kinds: boxes, a drag, a name, a colour, a branch, a merge, a label, a saved mark, an undo position. */
async function work(page) {
  await draw(page);
  await draw(page, 500);
  await run(page, (editor) => { for (let i = 1; i < 6; i++) editor.moveTo([...editor.selection.values()], 1, 0, 77); });
  await page.fill('#editor-name', 'Zürich');
  await page.keyboard.press('Enter');
  await page.selectOption('#editor-colour', '4');
  const saved = page.waitForEvent('download');
  await page.click('#editor-save');
  await saved;
  await run(page, (editor) => editor.checkout(2));
  await run(page, (editor) => { editor.selection.select([editor.scenes.now.get('boxes').find(1)]); editor.removeSelected(); });
  await run(page, (editor) => editor.merge(5));
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.merges.size === 1);
  await page.fill('#editor-label', 'merged');
  await page.keyboard.press('Enter');
  await draw(page, 900);
  await run(page, (editor) => editor.undo());
}

test('work is there after a reload, with all its versions and without a question', async () => {
  const page = await open();
  assert.ok(!await page.$('#work'), 'nothing is offered in a new browser');
  await work(page);
  const first = await shown(page);
  await reload(page);
  await page.waitForSelector('#work');
  await picture(page, 'work-offered');
  assert.match(await page.textContent('#work span'), /^Your work on scene from .+ is here, with \d+ versions\.$/);
  await page.click('#work-continue');
  await page.waitForFunction(() => document.getElementById('work') === null);
  const second = await shown(page);
  assert.deepEqual({ ...second, nextId: 0 }, { ...first, nextId: 0 });
  assert.ok(second.nextId >= first.nextId, 'no id is given twice');

  // The work continues, and is there again.
  await run(page, (editor) => editor.redo());
  await run(page, (editor) => editor.selection.select([editor.scenes.now.get('boxes').find(2)]));
  await page.fill('#editor-name', '');
  await page.keyboard.press('Enter');
  const third = await shown(page);
  await reload(page);
  await page.click('#work-continue');
  await page.waitForFunction(() => document.getElementById('work') === null);
  assert.deepEqual({ ...await shown(page), nextId: 0 }, { ...third, nextId: 0 });
  await page.done();
});

test('an edit right before a reload is kept, and so is one right before the page is killed', async () => {
  const page = await open();
  await reload(page, (editor) => editor.drawBox({ minX: 1, minY: 2, maxX: 300, maxY: 400 }));
  await page.click('#work-continue');
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.count === 2);
  await draw(page, 500);
  await kept(page);
  await page.waitForTimeout(500);
  const other = await page.context().newPage(), session = await page.context().newCDPSession(page);
  const crashed = page.waitForEvent('crash');
  session.send('Page.crash').catch(() => {});
  await crashed;
  do { // the browser frees the lock of a page some time after its end
    await other.goto(plain.server.at('editor'));
    await isReady(other);
  } while (await other.$('#work') === null);
  await other.click('#work-continue');
  await other.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.count === 3);
  await page.context().close();
});

test('what an edit writes does not depend on the number of versions', async () => {
  const page = await open();
  await page.evaluate(() => {
    const { put } = IDBObjectStore.prototype;
    globalThis.written = [];
    IDBObjectStore.prototype.put = function count(value, ...rest) {
      globalThis.written.push(value instanceof Uint8Array ? value.length : JSON.stringify(value).length);
      return put.call(this, value, ...rest);
    };
  });
  const written = async (edits) => {
    await run(page, async (editor, number) => {
      for (let i = 0; i < number; i++) editor.drawBox({ minX: i, minY: 2, maxX: i + 300, maxY: 400 });
      await editor.work.flush();
      globalThis.written.length = 0;
      editor.drawBox({ minX: 2000, minY: 2, maxX: 2300, maxY: 400 });
      await editor.work.flush();
    }, edits);
    return page.evaluate(() => globalThis.written);
  };
  const early = await written(10), late = await written(1500);
  assert.equal(early.length, 2, 'the description and the entry');
  assert.equal(late.length, 2);
  late.forEach((bytes, i) => assert.ok(bytes < early[i] + 20, `${bytes} bytes after ${early[i]}`));

  // More than a thousand rows are put together when the work is continued.
  await reload(page);
  await page.click('#work-continue');
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.count === 1513);
  await draw(page);
  await run(page, (editor) => editor.work.flush());
  const rows = await page.evaluate(async () => (await pqtStudio.studio.keeper.read(pqtStudio.tabs.editor.editor.work.id)).rows.length);
  assert.equal(rows, 0);
  await draw(page, 7);
  await reload(page);
  await page.click('#work-continue');
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.count === 1515);
  await page.done();
});

test('work belongs to its file, and Save back still works after a reload', async () => {
  const page = await studio.open({ tab: 'editor' });
  const move = (id) => run(page, (editor, one) => {
    editor.selection.select([editor.scenes.now.get('boxes').find(one)]);
    editor.moveTo([...editor.selection.values()], 1, 0, 0);
  }, id);
  await move(7);
  page.once('dialog', (dialog) => dialog.accept());
  await page.click('#editor-save-back');
  await page.waitForFunction(() => document.getElementById('status').textContent === 'map.csv is saved.');
  assert.equal(readFileSync(at('map.csv'), 'utf8'), TABLE.replace('7,10', '7,11'));
  await move(9);
  await page.selectOption('#offered-file', 'other.csv');
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.files.source.name === 'other.csv');
  assert.ok(!await page.$('#work'), 'other.csv has no work');
  await reload(page);
  assert.match(await page.textContent('#work span'), /^Your work on map.csv from .+ is here, with 3 versions\.$/);
  await page.click('#work-continue');
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.count === 3);
  page.once('dialog', (dialog) => dialog.accept());
  await page.click('#editor-save-back');
  await page.waitForFunction(() => document.getElementById('status').textContent === 'map.csv is saved.');
  assert.equal(readFileSync(at('map.csv'), 'utf8'), TABLE.replace('7,10', '7,11').replace('9,30', '9,31'));

  // Another program changes the file: the work is there, but cannot overwrite it.
  await move(7);
  writeFileSync(at('map.csv'), TABLE);
  await reload(page);
  assert.match(await page.textContent('#work span'), /The file has changed since then\.$/);
  assert.ok(await page.isVisible('#editor-save-back'));
  await page.click('#work-continue');
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.count === 4);
  assert.ok(!await page.isVisible('#editor-save-back'));
  const saved = page.waitForEvent('download');
  await page.click('#editor-save-csv');
  assert.equal(readFileSync(await (await saved).path(), 'utf8'), TABLE.replace('7,10', '7,12').replace('9,30', '9,31'), 'the columns are those of the file');
  await page.done();
});

test('New and Open leave the work among the earlier work, where it is continued or discarded', async () => {
  const page = await open();
  await draw(page);
  await draw(page, 500);
  await run(page, (editor) => editor.checkout(0));
  page.on('dialog', (dialog) => dialog.accept());
  await page.click('#editor-new');
  await page.waitForSelector('#editor-earlier option', { state: 'attached' });
  assert.match(await page.textContent('#editor-earlier option'), /^scene, .+, 3 versions$/);
  await page.click('#editor-earlier-continue');
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.count === 3);
  assert.equal(await run(page, ({ scenes }) => scenes.history.current), 0);
  await picture(page, 'work-earlier');
  await page.click('#editor-new');
  await page.waitForSelector('#editor-earlier option', { state: 'attached' });
  await page.click('#editor-earlier-discard');
  await page.waitForSelector('#editor-earlier', { state: 'hidden' });
  await reload(page);
  assert.ok(!await page.$('#work'));
  await page.done();
});

test('two pages never write the same work', async () => {
  const page = await open(), other = await page.context().newPage();
  await draw(page);
  await kept(page);
  await other.goto(plain.server.at('editor'));
  await isReady(other);
  assert.ok(!await other.$('#work'), 'the other page is still writing it');
  await page.goto('about:blank');
  do {
    await other.reload();
    await isReady(other);
  } while (await other.$('#work') === null);
  const third = await page.context().newPage();
  await third.goto(plain.server.at('editor'));
  await isReady(third);
  await other.click('#work-continue');
  await other.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.count === 2);
  await third.click('#work-continue');
  await third.waitForFunction(() => document.getElementById('error').textContent === 'Another page has continued this work.');
  await page.context().close();
});

test('a work has its lock until its last write is done', async () => {
  const page = await open();
  await draw(page);
  await kept(page);
  const found = await run(page, async (editor) => {
    const { keeper, id } = editor.work, { write } = keeper, isHeld = async () => (await navigator.locks.query()).held.some(({ name }) => name.endsWith(id));
    let finish = () => {};
    const finished = new Promise((resolve) => { finish = resolve; });
    keeper.write = async (...given) => { // slow
      await write.apply(keeper, given);
      await finished;
    };
    editor.drawBox({ minX: 500, minY: 2, maxX: 700, maxY: 400 });
    editor.work.flush();
    keeper.write = write;
    editor.files.newSheet();
    const states = [];
    for (let i = 0; i < 20; i++) {
      states.push(await isHeld());
      await new Promise((resolve) => { setTimeout(resolve, 10); });
    }
    finish();
    while (await isHeld()) await new Promise((resolve) => { setTimeout(resolve, 10); });
    return { states, versions: (await keeper.read(id)).work.versions };
  });
  assert.deepEqual(found, { states: Array.from({ length: 20 }, () => true), versions: 3 });
  await page.done();
});

test('a version that was damaged in the browser is left out, and the page says so', async () => {
  const page = await open();
  for (const x of [1, 100, 200]) await draw(page, x);
  await run(page, async (editor) => {
    await editor.work.flush();
    const { keeper } = pqtStudio.studio, { work: row, rows } = await keeper.read(editor.work.id);
    rows[1].changes[0].item.maxX += 1;
    await keeper.write(row, rows);
  });
  await reload(page);
  await page.click('#work-continue');
  await page.waitForFunction(() => !document.getElementById('error').hidden);
  assert.equal(await page.textContent('#error'), 'Some versions of scene could not be read: version 2 is not what it was.');
  assert.equal(await run(page, ({ scenes }) => scenes.count), 2);
  await page.done();
});

test('a page that cannot keep work says so, and asks before it is left', async () => {
  const asks = async (page) => {
    await page.mouse.click(5, 5);
    const asked = page.waitForEvent('dialog');
    page.evaluate(() => { setTimeout(() => location.reload()); });
    const dialog = await asked;
    assert.equal(dialog.type(), 'beforeunload');
    await dialog.dismiss();
  };
  const closed = await open();
  await closed.context().addInitScript(() => { Object.defineProperty(globalThis, 'indexedDB', { value: undefined }); });
  await closed.reload();
  await isReady(closed);
  assert.equal(await closed.textContent('#editor-kept'), 'This page keeps no work: its address is not secure (https or this machine). Save the history before you leave.');
  await draw(closed);
  await asks(closed);
  const saved = closed.waitForEvent('download');
  await closed.click('#editor-save-history');
  await saved;
  await reload(closed);
  await closed.done();

  const full = await open({ allowed: /Quota/ }), session = await full.context().newCDPSession(full);
  await session.send('Storage.overrideQuotaForOrigin', { origin: new URL(plain.server.address).origin, quotaSize: 1 });
  await draw(full);
  await full.waitForFunction(() => /^This page keeps no work: the browser has no more room/.test(document.getElementById('editor-kept').textContent));
  await picture(full, 'work-not-kept');
  await asks(full);
  await session.send('Storage.overrideQuotaForOrigin', { origin: new URL(plain.server.address).origin });
  await draw(full, 500);
  await kept(full);
  await reload(full);
  await full.click('#work-continue');
  await full.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.count === 3);
  await full.done();
});

const pqt = (...given) => {
  const { status, stdout, stderr } = spawnSync(program, given, { encoding: 'utf8' });
  assert.ok(status === 0 || (status === 1 && given[0] === 'diff'), stderr);
  return stdout;
};

test('a history is saved as a file that pqt log, show and diff read, and that opens again', async () => {
  const page = await open();
  await work(page);
  const first = await shown(page), saved = page.waitForEvent('download');
  await page.click('#editor-save-history');
  const file = await saved, path = at('scene-history.pqt');
  assert.equal(file.suggestedFilename(), 'scene-history.pqt');
  assert.match(await page.textContent('#status'), /^All \d+ versions were saved as scene-history\.pqt\.$/);
  writeFileSync(path, readFileSync(await file.path()));
  const log = pqt('log', path);
  for (const { number, label, name } of first.entries.slice(1)) assert.match(log, new RegExp(`\\b${number}\\b.*${label}${name === null ? '' : `.*${name}|${number}.*${name}`}`), log);
  assert.match(pqt('show', `${path}@2`), /document/);
  assert.match(pqt('show', `${path}@merged`), /Merge version 5/);
  assert.match(pqt('diff', `${path}@1`, `${path}@2`), /^added,2,,,,,500,2,800,400$/m);

  // It opens in another page, is edited there, and saved back.
  const given = await startStudio({ files: [path] }), again = await given.open({ tab: 'editor' });
  assert.deepEqual({ ...await shown(again), nextId: 0 }, { ...first, nextId: 0 });
  await draw(again, 700);
  again.on('dialog', (dialog) => dialog.accept());
  await again.click('#editor-save-back');
  await again.waitForFunction(() => document.getElementById('status').textContent === 'scene-history.pqt is saved.');
  assert.ok(pqt('log', path).split('\n').length > log.split('\n').length);
  await again.done();
  await given.stop();
  await page.done();
});

test('a history that is opened again in the same page says the same cost of its last edit', async () => {
  const page = await open();
  await page.evaluate(async () => {
    const rows = Array.from({ length: 300 }, (_, i) => `${i},${i % 20},${i / 20}`);
    await pqtStudio.open('grid.csv', new TextEncoder().encode(`id,x,y\n${rows.join('\n')}\n`));
  });
  await draw(page, 5);
  const cost = () => page.textContent('#editor-sharing'), own = () => page.waitForFunction(() => document.getElementById('editor-sharing').textContent.includes(' copied '));
  await own();
  const saved = page.waitForEvent('download');
  await page.click('#editor-save-history');
  const bytes = [...readFileSync(await (await saved).path())], told = [await cost()];
  for (let i = 0; i < 2; i++) {
    await page.evaluate(async (all) => {
      pqtStudio.tabs.editor.editor.strip.show(null);
      pqtStudio.tabs.editor.editor.strip.drawNow();
      await pqtStudio.open('again.pqt', new Uint8Array(all));
    }, bytes);
    await own();
    told.push(await cost());
  }
  assert.deepEqual(told, [told[0], told[0], told[0]]);
  const [, copied, blocks] = /copied (\d+) of (\d+)/.exec(told[0]);
  assert.ok(Number(copied) < Number(blocks) / 2, told[0]);
  const { x, width } = await (await page.$('#editor-earlier')).boundingBox();
  assert.ok(width > 0 && x + width <= page.viewportSize().width, 'the list of earlier work is not cut off');
  await page.done();
});

test('a history of trees opens in the editor, and damaged histories are refused', async () => {
  pqt('save', at('trees.pqts'), at('other.csv'));
  pqt('save', at('trees.pqts'), at('map.csv'));
  pqt('log', '--output', at('trees.pqt'), at('trees.pqts'));
  const page = await open(), bytes = [...readFileSync(at('trees.pqt'))];
  await page.evaluate((all) => pqtStudio.open('trees.pqt', new Uint8Array(all)), bytes);
  assert.equal(await run(page, ({ scenes }) => scenes.count), 2);
  assert.equal(await page.textContent('#editor [data-figure="boxes"]'), '2');
  await page.evaluate((all) => pqtStudio.open('bad.pqt', new Uint8Array(all)), bytes.slice(0, -9));
  assert.match(await page.textContent('#error'), /^bad\.pqt: /);
  assert.equal(await run(page, ({ scenes }) => scenes.count), 2);
  await page.done();
});

test('the port is the same at each start, and the next free one is said aloud', async () => {
  const start = async () => {
    const child = spawn(program, ['studio', '--no-browser'], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    for await (const part of child.stdout) {
      text += part;
      const found = /http:\/\/127\.0\.0\.1:(\d+)\//.exec(text);
      if (found !== null) return { child, text, port: Number(found[1]) };
    }
    return assert.fail(text);
  };
  const first = await start(), second = await start();
  assert.ok(first.port >= 7787 && first.port <= 7795, first.text);
  assert.ok(second.port > first.port && second.port <= 7796, second.text);
  assert.match(second.text, new RegExp(`^Port 7787 is taken, so this is port ${second.port}\\. Browsers keep work for each port apart\\.\n`));
  if (first.port === 7787) assert.doesNotMatch(first.text, /taken/);
  for (const { child } of [first, second]) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
});

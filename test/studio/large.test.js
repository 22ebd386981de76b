// SPDX-License-Identifier: MIT
// large.test.js: tests files that the editor reads in a worker: in parts, with progress, and so that the result is that of reading the
// file as a whole.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { figure, hashOfCanvas, program, startBrowser, startStudio } from './page.js';
import { randomFrom } from './random.js';

const ROWS = 130000;
const folder = mkdtempSync(join(tmpdir(), 'pqt-large-'));
const at = (name) => join(folder, name);
const run = (page, fn, ...rest) => page.evaluate(`(${fn})(pqtStudio.tabs.editor.editor, ...${JSON.stringify(rest)})`);
const fingerprint = (page) => run(page, ({ scenes }) => scenes.now.fingerprint());

/** Returns a table of boxes, some with names and colours. */
function tableOf(rows, { header = 'id,min_x,min_y,max_x,max_y,name,colour', separator = ',', end = '\n' } = {}) {
  const random = randomFrom(rows), columns = header.split(separator), lines = [header];
  const number = (value) => (separator === ';' ? value.toFixed(2).replace('.', ',') : value.toFixed(2));
  for (let i = 0; i < rows; i++) {
    const x = 10000 * random(), y = 10000 * random();
    const fields = { id: 7 * i + 3, min_x: number(x), min_y: number(y), max_x: number(x + 3), max_y: number(y + 4), x: number(x), y: number(y),
      name: i % 3 === 0 ? '' : `"box ""${i}""${end}of ${rows}"`, colour: i % 5 };
    lines.push(columns.map((column) => fields[column]).join(separator));
  }
  return `${lines.join(end)}${end}`;
}

let studio;
before(async () => {
  writeFileSync(at('boxes.csv'), tableOf(ROWS));
  writeFileSync(at('small.csv'), 'id,x,y\n1,2,3\n');
  studio = await startStudio({ files: [at('small.csv'), at('boxes.csv')] });
});
after(async () => {
  await studio.stop();
  rmSync(folder, { recursive: true });
});

/** Collects what the line of progress says, in `globalThis.said`. */
const listen = (page) => page.evaluate(() => {
  const said = globalThis.said = [];
  new MutationObserver(() => {
    const line = document.querySelector('.progress');
    if (line !== null) said.push({ text: line.querySelector('label').textContent, part: line.querySelector('progress').position });
  }).observe(document.querySelector('main'), { childList: true, subtree: true, characterData: true, attributes: true });
});
const isRead = (page, count) => page.waitForFunction((text) => document.querySelector('#editor [data-figure="boxes"]').textContent === text, count.toLocaleString('en'));
const openLarge = async (page) => {
  await page.selectOption('#offered-file', 'boxes.csv');
  await isRead(page, ROWS);
};

/** Returns the fingerprint of a file that is read as a whole. */
const readAtOnce = (page, name) => page.evaluate(async (file) => {
  const { openFile } = await import('./editor_file.js'), { load } = pqtStudio.studio.files;
  return openFile(file, (await load(file)).bytes).scene.fingerprint();
}, name);

test('a large table is read in parts, with progress, and has the boxes, names and colours of its rows', async () => {
  const page = await studio.open({ tab: 'editor' });
  await listen(page);
  await openLarge(page);
  assert.equal(await fingerprint(page), await readAtOnce(page, 'boxes.csv'));
  const said = await page.evaluate(() => said), texts = [...new Set(said.map(({ text }) => text))];
  const [, total] = /^Reading boxes\.csv, (\d\.\d MB)$/.exec(texts[0]);
  assert.ok(texts.some((text) => /^Reading boxes\.csv: 1\.0 MB of/.test(text)), texts.join('\n'));
  const count = ROWS + ROWS * 4 / 5 + Math.floor(ROWS * 2 / 3);
  assert.ok(texts.includes(`Reading boxes.csv, ${total}: 10,000 of ${count.toLocaleString('en')} boxes, names and colours`), texts.join('\n'));
  // Between two parts, the page may draw and answer. A part has at most 10,000 boxes, or 4,000 names.
  assert.ok(texts.length > ROWS / 10000 + ROWS * 2 / 3 / 4000, String(texts.length));
  const parts = said.map(({ part }) => part).filter((part) => part >= 0);
  assert.deepEqual(parts, [...parts].sort((a, b) => a - b));
  assert.ok(!await page.isVisible('.progress'));
  await page.done();
});

test('reading a large file is cancelled, by a click or by another file, and changes nothing', async () => {
  const page = await studio.open({ tab: 'editor' }), old = await fingerprint(page);
  await page.evaluate(() => {
    new MutationObserver((_, observer) => {
      if (!/ 10,000 of /.test(document.querySelector('.progress')?.textContent)) return;
      observer.disconnect();
      document.querySelector('.progress button').click();
    }).observe(document.querySelector('main'), { childList: true, subtree: true, characterData: true });
  });
  await page.selectOption('#offered-file', 'boxes.csv');
  await page.waitForFunction(() => document.getElementById('status').textContent === 'boxes.csv was not opened.');
  assert.equal(await fingerprint(page), old);
  assert.ok(!await page.isVisible('.progress') && !await page.isVisible('#error'));
  await page.evaluate(() => {
    pqtStudio.studio.openOffered('boxes.csv');
    return pqtStudio.studio.openOffered('small.csv');
  });
  await openLarge(page); // the page can read it afterwards
  await page.done();
});

test('tables of all kinds have the same boxes in parts as at once', async () => {
  const page = await studio.open({ tab: 'editor' });
  const kinds = [{ end: '\r\n' }, { end: '\r' }, { header: 'name,x,y' }, { header: 'id;x;y;name', separator: ';' }, { header: 'x\ty\tcolour', separator: '\t' }];
  const tables = [...kinds.map((kind) => tableOf(60000, kind)), `\ufeffsep=;\n${tableOf(60000, { header: 'x;y;name', separator: ';' })}`];
  for (const [i, table] of tables.entries()) {
    assert.ok(table.length > 1 << 20);
    const kinds = await page.evaluate(async (text) => {
      const { openFile } = await import('./editor_file.js'), { readFile } = await import('./editor_large_parts.js');
      const bytes = new TextEncoder().encode(text), sent = [];
      readFile('table.csv', bytes, (message) => sent.push(message));
      const { fingerprint: inParts, contents } = sent.find(({ kind }) => kind === 'end'), { identityOf } = await import('./editor_work.js');
      return { parts: sent.filter(({ kind }) => kind === 'read').length, isSame: inParts === openFile('table.csv', bytes).scene.fingerprint(), isKnown: contents === identityOf(bytes) };
    }, table);
    assert.deepEqual(kinds, { parts: Math.ceil(Buffer.byteLength(table) / 2 ** 20), isSame: true, isKnown: true }, String(i));
  }
  await page.done();
});

test('a fault in a large table is told with its line, and too many boxes are refused', async () => {
  const page = await studio.open({ tab: 'editor' }), old = await fingerprint(page);
  const lines = tableOf(ROWS, { header: 'id,x,y,colour' }).replaceAll(',0\n', ',            0\n').split('\n');
  const messageFor = async (name, changed) => {
    writeFileSync(at(name), changed.join('\n'));
    const isOpened = await page.evaluate(async ([file, text]) => {
      await pqtStudio.open(file, new TextEncoder().encode(text));
      return document.getElementById('error').hidden;
    }, [name, changed.join('\n')]);
    assert.ok(!isOpened);
    return page.textContent('#error');
  };
  assert.ok(lines.join('\n').length > 4e6 / 2);
  const wide = lines.map((line, i) => (i === 0 ? `${line},note` : i < ROWS + 1 ? `${line},${'n'.repeat(30)}` : line));
  const bad = wide.with(100000, wide[100000].replace(/,[^,]*,/, ',east,'));
  const told = spawnSync(program, ['info', at('bad.csv')], { encoding: 'utf8' });
  assert.equal(told.stdout, '');
  const message = await messageFor('bad.csv', bad);
  const { stderr } = spawnSync(program, ['info', at('bad.csv')], { encoding: 'utf8' });
  assert.ok(stderr.includes(message.slice('bad.csv'.length)) && message.startsWith('bad.csv:100001: '), `${message}\n${stderr}`);
  assert.equal(await messageFor('twice.csv', wide.with(90000, wide[7])), 'twice.csv:90001: the id 45 occurs twice, but in the editor each box needs its own id');
  assert.equal(await fingerprint(page), old);
  await page.done();
});

test('a large table is saved back with the fields that changed, and its work is continued after a reload', async () => {
  const page = await studio.open({ tab: 'editor' });
  page.on('dialog', (dialog) => dialog.accept());
  await openLarge(page);
  const text = readFileSync(at('boxes.csv'), 'utf8');
  await page.click('#editor-save-back');
  await page.waitForFunction(() => document.getElementById('status').textContent === 'boxes.csv has these contents already.');
  await run(page, (editor) => {
    editor.selection.goTo(7 * 65000 + 3);
    editor.setName('the middle');
  });
  await page.click('#editor-save-back');
  await page.waitForFunction(() => document.getElementById('status').textContent === 'boxes.csv is saved.');
  const changed = readFileSync(at('boxes.csv'), 'utf8');
  assert.equal(changed.replace('"the middle"', `"box ""65000""\nof ${ROWS}"`), text);
  const edited = await fingerprint(page);
  await page.evaluate(() => pqtStudio.tabs.editor.keep());
  await page.reload();
  await page.waitForFunction(() => globalThis.pqtStudio?.isReady);
  await openLarge(page);
  await page.click('#work-continue');
  await page.waitForFunction(() => document.getElementById('status').textContent.startsWith('The work on boxes.csv is here, with 2 versions'));
  assert.equal(await fingerprint(page), edited);
  await page.click('#editor-undo');
  await page.click('#editor-save-back');
  await page.waitForFunction(() => document.getElementById('status').textContent === 'boxes.csv is saved.');
  assert.ok(readFileSync(at('boxes.csv'), 'utf8') === text);
  // An edit that was not saved back is, after another reload, although the page did not read the file.
  await page.click('#editor-redo');
  await page.evaluate(() => pqtStudio.tabs.editor.keep());
  await page.reload();
  await page.waitForFunction(() => globalThis.pqtStudio?.isReady);
  await openLarge(page);
  await page.click('#work-continue');
  await page.waitForFunction(() => document.getElementById('status').textContent.startsWith('The work on boxes.csv is here, with 2 versions'));
  assert.equal(await fingerprint(page), edited);
  // Writing can be cancelled; then the page says so, and the file is as it was.
  await page.evaluate(() => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector('.progress')?.textContent.startsWith('Writing boxes.csv')) return;
      observer.disconnect();
      document.querySelector('.progress button').click();
    }).observe(document.querySelector('main'), { childList: true });
  });
  await page.click('#editor-save-back');
  await page.waitForSelector('#not-saved');
  assert.match(await page.textContent('#not-saved'), /It was cancelled\./);
  await page.click('#not-saved-cancel');
  assert.ok(readFileSync(at('boxes.csv'), 'utf8') === text);
  await page.click('#editor-save-back');
  await page.waitForFunction(() => document.getElementById('status').textContent === 'boxes.csv is saved.');
  assert.ok(readFileSync(at('boxes.csv'), 'utf8') === changed);
  await page.done();
});

test('a large scene and a large GeoJSON file are read by the worker, too', async () => {
  const page = await studio.open({ tab: 'editor' });
  await openLarge(page);
  const first = await fingerprint(page);
  await listen(page);
  await page.evaluate(() => {
    const { scenes } = pqtStudio.tabs.editor.editor;
    return pqtStudio.open('scene.pqt', scenes.now.toBytes());
  });
  assert.equal(await run(page, ({ files }) => files.name), 'scene');
  assert.equal(await fingerprint(page), first);
  assert.match(await page.evaluate(() => said[0].text), /^Reading scene\.pqt, \d/);
  const features = Array.from({ length: 40000 }, (_, i) => ({ type: 'Feature', id: i + 5, properties: { name: `city ${i}` }, geometry: { type: 'Point', coordinates: [i / 300, i / 600] } }));
  await page.evaluate((text) => pqtStudio.open('cities.geojson', new TextEncoder().encode(text)), JSON.stringify({ type: 'FeatureCollection', features }));
  assert.equal(await figure(page, 'editor', 'boxes'), '40000');
  assert.ok(await page.evaluate(() => said.some(({ text }) => text.startsWith('Reading cities.geojson'))));
  assert.equal(await run(page, ({ scenes }) => scenes.now.get('names').getText(39999 + 5)), 'city 39999');
  await page.done();
});

test('the studio as one page, which has no worker, says that it does not answer while it reads a large file', async (t) => {
  assert.equal(spawnSync(program, ['studio', `--export=${at('studio.html')}`, at('small.csv'), at('boxes.csv')]).status, 0);
  const browser = await startBrowser();
  t.after(() => browser.stop());
  const page = await browser.open(`file://${at('studio.html')}`, { tab: 'editor' });
  await page.evaluate(() => {
    const said = globalThis.said = [], status = document.getElementById('status');
    new MutationObserver(() => said.push(status.textContent)).observe(status, { childList: true, subtree: true });
  });
  await openLarge(page);
  assert.match(await page.evaluate(() => said[0]), /^Reading boxes\.csv, \d\.\d MB\. The page does not answer until it is read …$/);
  assert.ok(!await page.isVisible('.progress'));
  await page.done();
});

test('many boxes are drawn in tiles, with the same picture', async () => {
  const page = await studio.open({ tab: 'editor' });
  await page.click('#editor-example');
  await isRead(page, 53278);
  await run(page, ({ plane }) => plane.finish());
  const whole = await hashOfCanvas(page, 'editor-plane');
  const frames = await run(page, ({ plane }) => {
    plane.mostAtOnce = 5000;
    plane.forget();
    let count = 0;
    const old = plane.surface.redraw.bind(plane.surface);
    plane.surface.redraw = () => {
      count++;
      old();
    };
    plane.finish();
    return count;
  });
  assert.ok(frames >= 53278 / 5000 / 3, String(frames));
  assert.equal(await hashOfCanvas(page, 'editor-plane'), whole);
  await page.done();
});

// SPDX-License-Identifier: MIT
// large.test.js: tests files that the editor reads in a worker: in parts, with progress, and so that the result is that of reading the
// file as a whole.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { figure, hashOfCanvas, program, startBrowser, startServer, startStudio } from './page.js';
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
/** Runs a function in the page as soon as the line of progress shows that boxes are inserted. */
const onceInserting = (page, fn) => page.evaluate(`new MutationObserver((_, observer) => {
  if (!/ 10,000 of /.test(document.querySelector('.progress')?.textContent)) return;
  observer.disconnect();
  (${fn})();
}).observe(document.querySelector('main'), { childList: true, subtree: true, characterData: true })`);
const pressCancel = () => document.querySelector('.progress button').click();
const says = (page, text) => page.waitForFunction((begin) => document.getElementById('status').textContent.startsWith(begin), text);
const openLarge = async (page) => {
  await page.selectOption('#offered-file', 'boxes.csv');
  await isRead(page, ROWS);
};

/** Loads the page again, and continues the work on the file, which has two versions. */
async function reloadAndContinue(page) {
  await page.evaluate(() => pqtStudio.tabs.editor.keep());
  await page.reload();
  await page.waitForFunction(() => globalThis.pqtStudio?.isReady);
  await openLarge(page);
  await page.click('#work-continue');
  await page.waitForFunction(() => document.getElementById('status').textContent.startsWith('The work on boxes.csv is here, with 2 versions'));
}

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
  await onceInserting(page, pressCancel);
  await page.selectOption('#offered-file', 'boxes.csv');
  await says(page, 'boxes.csv was not opened.');
  assert.equal(await fingerprint(page), old);
  assert.ok(!await page.isVisible('.progress') && !await page.isVisible('#error'));
  // The other file is opened at once, while the tab is shown, while the worker reads, and before the page reads what the worker cannot.
  await page.click('#tab-balls');
  await page.waitForFunction(() => pqtStudio.tabs.balls !== undefined);
  for (const when of ['at once', 'soon', 'meanwhile', 'without a worker']) {
    await page.click('#tab-pixels');
    await page.waitForFunction(() => pqtStudio.tabs.pixels !== undefined);
    const shown = await page.evaluate(async (moment) => {
      const { load } = pqtStudio.studio.files, [{ bytes: large }, { bytes: small }] = await Promise.all(['boxes.csv', 'small.csv'].map(load));
      const { postMessage } = Worker.prototype, status = document.getElementById('status');
      const until = (isDone) => new Promise((resolve) => {
        const observer = new MutationObserver(() => {
          if (!isDone()) return;
          observer.disconnect();
          resolve();
        });
        observer.observe(document.body, { childList: true, subtree: true, characterData: true });
      });
      if (moment === 'without a worker') Worker.prototype.postMessage = () => { throw new DOMException('no memory', 'DataCloneError'); };
      const first = pqtStudio.open('boxes.csv', large);
      if (moment === 'soon') for (let i = 0; i < 10; i++) await null;
      if (moment === 'meanwhile') await until(() => / 10,000 of /.test(document.querySelector('.progress')?.textContent));
      if (moment === 'without a worker') await until(() => status.textContent.startsWith('Reading boxes.csv'));
      await pqtStudio.open('small.csv', small);
      await first;
      Worker.prototype.postMessage = postMessage;
      return { name: pqtStudio.tabs.editor.editor.files.name, status: status.textContent };
    }, when);
    assert.deepEqual(shown, { name: 'small', status: 'One box. Drag to move the plane, and click a box to select it.' }, when);
    assert.equal(await figure(page, 'editor', 'boxes'), '1', when);
    assert.ok(!await page.isVisible('.progress') && !await page.isVisible('#error'), when);
  }
  await openLarge(page); // the page can read it afterwards
  await page.done();
});

test('of two files that are chosen, the last one is opened, also if the first one arrives later', async () => {
  const page = await studio.open({ tab: 'editor' });
  let answer;
  const isAsked = new Promise((resolve) => {
    page.route('**/files/boxes.csv', (route) => {
      answer = () => route.continue();
      resolve();
    });
  });
  await page.evaluate(() => { globalThis.first = pqtStudio.studio.openOffered('boxes.csv'); });
  await isAsked;
  await page.evaluate(() => pqtStudio.studio.openOffered('small.csv'));
  await answer();
  await page.evaluate(() => first);
  assert.equal(await run(page, ({ files }) => files.name), 'small');
  assert.equal(await figure(page, 'editor', 'boxes'), '1');
  await page.done();
});

test('a large file that is opened in another tab is not preceded by the example', async () => {
  const plain = await startServer(), page = await studio.browser.newPage(), asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(plain.at('pixels'));
  await page.waitForFunction(() => globalThis.pqtStudio?.isReady);
  await page.evaluate((text) => pqtStudio.open('boxes.csv', new TextEncoder().encode(text)), readFileSync(at('boxes.csv'), 'utf8'));
  assert.equal(await run(page, ({ files }) => files.name), 'boxes');
  assert.deepEqual(asked.filter((path) => path.startsWith('/data/')), []);
  await page.close();
  await plain.stop();
});

test('a worker that gets no message, or cannot read it, leaves the file to the page', async () => {
  const page = await studio.open({ tab: 'editor' });
  for (const kind of ['throws', 'messageerror']) {
    await page.selectOption('#offered-file', 'small.csv');
    await isRead(page, 1);
    await page.evaluate((what) => {
      Worker.prototype.postMessage = function refuse() {
        if (what === 'throws') throw new DOMException('no memory', 'DataCloneError');
        this.dispatchEvent(new MessageEvent(what));
      };
    }, kind);
    await openLarge(page);
    assert.ok(!await page.isVisible('.progress') && !await page.isVisible('#error'), kind);
    assert.equal(await fingerprint(page), await readAtOnce(page, 'boxes.csv'));
  }
  await page.done();
});

test('tables of all kinds have the same boxes in parts as at once', async () => {
  const page = await studio.open({ tab: 'editor' });
  const kinds = [{ end: '\r\n' }, { end: '\r' }, { header: 'name,x,y' }, { header: 'id;x;y;name', separator: ';' }, { header: 'x\ty\tcolour', separator: '\t' }];
  const tables = [...kinds.map((kind) => tableOf(60000, kind)), `\ufeffsep=;\n${tableOf(60000, { header: 'x;y;name', separator: ';' })}`,
    `SEP=,\r\n \t\r\n\n${tableOf(60000)}`, tableOf(60000, { header: 'sep=x,x,y,name' })]; // the last one begins with a column, not with a separator
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

test('a fault in a large table is told with its line', async () => {
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

test('a file with too many bytes, rows or boxes is refused', async () => {
  const page = await studio.open({ tab: 'editor' }), old = await fingerprint(page);
  const messages = await page.evaluate(async () => {
    const { limits } = await import('./editor_csv.js'), parts = await import('./editor_large_parts.js'), { openFile } = await import('./editor_file.js');
    const { files: { load, readFile, MOST_BYTES } } = pqtStudio.studio, { fetch } = globalThis, found = [];
    const refusal = async (action) => { found.push(await (async () => action())().then(() => 'opened', ({ message }) => message)); };
    const answer = (headers, size) => { globalThis.fetch = async () => ({ ok: true, headers: new Headers(headers), arrayBuffer: async () => new ArrayBuffer(size) }); };
    answer({ 'Content-Length': MOST_BYTES + 1 }, 0);
    await refusal(() => load('told.csv'));
    answer({}, MOST_BYTES + 1);
    await refusal(() => load('untold.csv'));
    globalThis.fetch = fetch;
    await refusal(() => readFile({ name: 'chosen.csv', size: MOST_BYTES + 1, arrayBuffer: async () => new ArrayBuffer(0) }));
    const bytesOf = (text) => new TextEncoder().encode(text), table = bytesOf('x,y\n1,2\n3,4\n5,6\n'), scene = openFile('table.csv', table).scene.toBytes();
    const points = bytesOf([1, 2, 3].map((x) => `{"type":"Point","coordinates":[${x},2]}\n`).join(''));
    for (const most of [3, 2]) {
      Object.assign(limits, { rows: most, boxes: most });
      await refusal(() => parts.readFile('parts.csv', table, () => {}));
      await refusal(() => openFile('table.csv', table));
      await refusal(() => openFile('points.geojsonl', points));
      await refusal(() => parts.readFile('parts.pqt', scene, () => {}));
      await refusal(() => openFile('scene.pqt', scene));
    }
    await pqtStudio.open('page.pqt', scene);
    return [...found, document.getElementById('error').textContent];
  });
  const bytes = `has ${2 ** 28 + 1} bytes; the studio reads up to ${2 ** 28}`, boxes = '3 boxes, but the editor opens up to 2';
  assert.deepEqual(messages, [`told.csv ${bytes}`, `untold.csv ${bytes}`, `chosen.csv ${bytes}`, ...Array(5).fill('opened'),
    'parts.csv: more than 2 rows', 'table.csv: more than 2 rows', 'points.geojsonl: more than 2 rows', `parts.pqt: ${boxes}`, `scene.pqt: ${boxes}`, `page.pqt: ${boxes}`]);
  assert.equal(await fingerprint(page), old);
  await page.done();
});

test('work on a large table is continued once, and remains for other pages if it is cancelled', async () => {
  const page = await studio.open({ tab: 'editor' });
  await openLarge(page);
  await run(page, (editor) => editor.drawBox({ minX: 1, minY: 2, maxX: 30, maxY: 40 }));
  const edited = await fingerprint(page), locks = () => page.evaluate(async () => (await navigator.locks.query()).held.length);
  await page.evaluate(() => pqtStudio.tabs.editor.keep());
  await page.reload();
  await page.waitForFunction(() => globalThis.pqtStudio?.isReady);
  await page.waitForSelector('#editor-earlier option', { state: 'attached' });
  assert.equal(await run(page, ({ files }) => files.name), 'small');
  // Cancel, and another file, end it.
  await onceInserting(page, pressCancel);
  await page.click('#editor-earlier-continue');
  await says(page, 'The work was not opened.');
  assert.ok(!await page.isVisible('.progress') && !await page.isVisible('#error'));
  assert.equal(await locks(), 0);
  await onceInserting(page, () => { globalThis.opened = pqtStudio.studio.openOffered('small.csv'); });
  await page.click('#editor-earlier-continue');
  await page.waitForFunction(() => globalThis.opened);
  await page.evaluate(() => globalThis.opened);
  assert.ok(!await page.isVisible('.progress') && !await page.isVisible('#error'));
  assert.equal(await run(page, ({ files }) => files.name), 'small');
  assert.match(await page.textContent('#status'), /^One box\./);
  assert.equal(await locks(), 0);
  // Meanwhile, a second click does nothing, and the work is not discarded.
  await listen(page);
  await run(page, (editor) => {
    const begin = editor.begin.bind(editor);
    globalThis.begun = 0;
    editor.begin = (...given) => {
      globalThis.begun++;
      return begin(...given);
    };
  });
  await onceInserting(page, () => {
    for (const action of ['discard', 'continue']) document.getElementById(`editor-earlier-${action}`).click();
    globalThis.discarded = document.getElementById('status').textContent;
  });
  await page.evaluate(() => {
    for (let i = 0; i < 2; i++) document.getElementById('editor-earlier-continue').click();
  });
  await says(page, 'The work on boxes.csv is here, with 2 versions');
  assert.equal(await page.evaluate(() => begun), 1);
  assert.equal(await page.evaluate(() => discarded), 'This work is being opened. Cancel that before you discard it.');
  assert.match(await page.evaluate(() => said[0].text), /^Reading the work on boxes\.csv, \d\.\d MB$/);
  assert.equal(await fingerprint(page), edited);
  assert.equal(await locks(), 1);
  await page.done();
});

test('a page without workers says that it does not answer, also while it continues work and writes', async () => {
  const page = await studio.open({ tab: 'editor' }), text = readFileSync(at('boxes.csv'), 'utf8');
  page.on('dialog', (dialog) => dialog.accept());
  await openLarge(page);
  await run(page, (editor) => {
    editor.selection.goTo(7 * 65000 + 3);
    editor.setName('the middle');
  });
  await page.evaluate(() => pqtStudio.tabs.editor.keep());
  await page.reload();
  await page.waitForFunction(() => globalThis.pqtStudio?.isReady);
  await openLarge(page);
  await page.evaluate(() => {
    Worker.prototype.postMessage = () => { throw new DOMException('no memory', 'DataCloneError'); };
    const said = globalThis.said = [], status = document.getElementById('status');
    new MutationObserver(() => said.push(status.textContent)).observe(status, { childList: true, subtree: true });
  });
  await page.click('#work-continue');
  await says(page, 'The work on boxes.csv is here, with 2 versions');
  assert.match(await page.evaluate(() => said[0]), /^Reading the work on boxes\.csv, \d\.\d MB\. The page does not answer until it is read …$/);
  await page.click('#editor-save-back');
  await says(page, 'boxes.csv is saved.');
  assert.ok(await page.evaluate(() => said.includes('Writing boxes.csv. The page does not answer until it is written …')));
  assert.equal(readFileSync(at('boxes.csv'), 'utf8').replace('"the middle"', `"box ""65000""\nof ${ROWS}"`), text);
  writeFileSync(at('boxes.csv'), text);
  await page.done();
});

test('work on a large history keeps all its versions, whatever the case of the name', async () => {
  const first = await studio.open({ tab: 'editor' });
  await openLarge(first);
  await run(first, (editor) => editor.drawBox({ minX: 1, minY: 2, maxX: 30, maxY: 40 }));
  const saved = first.waitForEvent('download');
  await first.click('#editor-save-history');
  await (await saved).saveAs(at('SCENE.PQT'));
  await first.done();
  const own = await startServer(at('SCENE.PQT')), context = await studio.browser.newContext(), page = await context.newPage();
  page.on('dialog', (dialog) => dialog.accept());
  await page.goto(own.at('editor'));
  await page.waitForFunction(() => globalThis.pqtStudio?.isReady);
  await isRead(page, ROWS + 1);
  await run(page, (editor) => editor.drawBox({ minX: 50, minY: 2, maxX: 70, maxY: 40 }));
  await page.evaluate(() => pqtStudio.tabs.editor.keep());
  await page.reload();
  await page.click('#work-continue');
  await says(page, 'The work on SCENE.PQT is here, with 3 versions');
  await page.click('#editor-save-back');
  await says(page, 'SCENE.PQT is saved.');
  const { stdout } = spawnSync(program, ['log', at('SCENE.PQT')], { encoding: 'utf8' });
  assert.equal(stdout.match(/Draw a box/g)?.length, 2, stdout);
  await context.close();
  await own.stop();
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
  await reloadAndContinue(page);
  assert.equal(await fingerprint(page), edited);
  await page.click('#editor-undo');
  await page.click('#editor-save-back');
  await page.waitForFunction(() => document.getElementById('status').textContent === 'boxes.csv is saved.');
  assert.ok(readFileSync(at('boxes.csv'), 'utf8') === text);
  // An edit that was not saved back is, after another reload, although the page did not read the file.
  await page.click('#editor-redo');
  await reloadAndContinue(page);
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

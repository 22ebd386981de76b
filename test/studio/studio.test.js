// SPDX-License-Identifier: MIT
// studio.test.js: tests the page as a whole: tabs, keys, accessibility, dropped files, the Under
// the hood panel, and what steps and edits cost, counted.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { TOKEN, figure, hashOfCanvas, picture, slide, startStudio } from './page.js';

const TABS = ['balls', 'pixels', 'editor', 'hood'];
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let studio;
before(async () => { studio = await startStudio(); });
after(() => studio.stop());

test('tabs are chosen by a click, by keys, and by the URL', async () => {
  const page = await studio.open();
  for (const tab of TABS) {
    await page.click(`#tab-${tab}`);
    assert.deepEqual(await page.$$eval('[role=tabpanel]', (panels) => panels.filter(({ hidden }) => !hidden).map(({ id }) => id)), [tab]);
    assert.equal(new URL(page.url()).hash.split('&')[0], `#${tab}`);
  }
  await page.focus('#tab-hood');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.getAttribute('#tab-balls', 'aria-selected'), 'true');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Home');
  await page.keyboard.press('End');
  assert.equal(await page.getAttribute('#tab-hood', 'aria-selected'), 'true');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-hood');
  await page.done();
});

test('each tab says at the bottom what to do first, and no message of another tab', async () => {
  const page = await studio.open();
  assert.match(await page.textContent('#status'), /^Nothing moves/);
  await page.click('#balls-add');
  assert.equal(await page.textContent('#status'), '15 balls');
  for (const [tab, tip] of [['pixels', 'Draw on the two sheets'], ['editor', 'Drag to draw a box'], ['hood', '']]) {
    await page.click(`#tab-${tab}`);
    await page.waitForFunction((text) => (text === '' ? document.getElementById('status').textContent === '' : document.getElementById('status').textContent.startsWith(text)), tip);
  }
  await page.done();
});

test('the simulation pauses while another tab is shown, and continues afterwards', async () => {
  const page = await studio.open();
  await page.click('#balls-run');
  await page.waitForFunction(() => pqtStudio.tabs.balls.balls.timeline.length > 10);
  await page.click('#tab-editor');
  const length = () => page.evaluate(() => pqtStudio.tabs.balls.balls.timeline.length);
  const hidden = await length();
  await page.waitForTimeout(150);
  assert.equal(await length(), hidden);
  await page.click('#tab-balls');
  await page.waitForFunction((least) => pqtStudio.tabs.balls.balls.timeline.length > least, hidden);
  await page.done();
});

test('axe finds no violation, in light and dark, wide and narrow', async () => {
  for (const dark of [false, true])
    for (const [width, height] of [[1280, 720], [390, 844]])
      for (const tab of TABS) {
        const page = await studio.open({ tab, dark, width, height });
        if (tab !== 'hood') await page.evaluate(() => document.querySelector('[role=tabpanel]:not([hidden]) canvas').focus());
        await page.evaluate(`${axe}; undefined`);
        const violations = await page.evaluate(async () => (await axe.run()).violations.map(({ id, impact, nodes }) =>
          `${id} (${impact}): ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`));
        assert.deepEqual(violations, [], `${tab}, ${dark ? 'dark' : 'light'}, ${width} x ${height}`);
        await page.done();
      }
});

test('axe finds no violation in what appears at work: the strip, progress, comparisons and questions; also with forced colours and at 200 %', async () => {
  // At 200 %, a window of 1280 x 720 has room for 640 x 360 CSS pixels.
  for (const options of [{ viewport: { width: 1280, height: 720 }, forcedColors: 'active' }, { viewport: { width: 640, height: 360 } }, { viewport: { width: 768, height: 1024 }, colorScheme: 'dark' }]) {
    const context = await studio.browser.newContext({ ...options, reducedMotion: 'reduce' }), page = await context.newPage(), name = JSON.stringify(options);
    await page.goto(`${studio.server.address}?seed=1#editor&token=${TOKEN}`);
    await page.waitForFunction(() => globalThis.pqtStudio?.isReady && pqtStudio.tabs.editor.editor.files.name === 'world');
    await page.evaluate(`${axe}; undefined`);
    const check = async (what) => {
      const found = await page.evaluate(async () => ({ violations: (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`),
        isWide: document.documentElement.scrollWidth > innerWidth }));
      assert.deepEqual(found, { violations: [], isWide: false }, `${what}, ${name}`);
    };
    await page.evaluate(async () => {
      const { editor } = pqtStudio.tabs.editor, { showProgress } = await import('./progress.js');
      editor.selection.goTo(100004);
      for (const key of [1, 2]) editor.moveTo([...editor.selection.values()], 1, 1, key);
      await editor.undo();
      editor.mark();
      editor.setColour(3);
      const line = showProgress('Reading map.csv', () => line.end());
      line.show('Reading map.csv: 3.0 MB of 8.1 MB', 0.3);
    });
    await page.waitForFunction(() => document.getElementById('editor-sharing').textContent.includes('copied'));
    assert.ok(await page.isVisible('.progress') && await page.isVisible('#editor-strip'));
    assert.ok((await page.locator('#editor-plane').boundingBox()).height > 150, `the plane has room, ${name}`);
    await check('the editor');
    await page.focus('.progress button');
    await page.keyboard.press('Enter');
    assert.ok(!await page.isVisible('.progress'));
    // A question is answered by the keyboard, which returns to where it was.
    await page.focus('#editor-save-history');
    await page.evaluate(async () => {
      const { ask } = await import('./source.js');
      globalThis.answer = ask('question', 'map.csv is not saved', 'The file has no column “colour”, and a box has a colour.', [['reopen', 'Open the changed file'], ['save-as', 'Save as a new file']]);
    });
    await check('a question');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => answer), 'save-as');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'editor-save-history');
    // Enter goes to a version of the list.
    await page.focus('#editor-graph button[aria-current]');
    const from = await page.evaluate(() => pqtStudio.tabs.editor.editor.scenes.history.current);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForFunction((old) => pqtStudio.tabs.editor.editor.scenes.history.current !== old, from);
    await page.click('#tab-pixels');
    await page.waitForFunction(() => pqtStudio.tabs.pixels !== undefined);
    await page.evaluate(() => pqtStudio.tabs.pixels.pixels.paint('blocking', [{ op: 'set', x: 3, y: 3, toX: 30, toY: 9, radius: 3 }]));
    await page.waitForFunction(() => document.getElementById('pixels-sharing').textContent.includes('copied'));
    await check('pixels');
    await context.close();
  }
});

test('every control is reached by the Tab key, and has a name', async () => {
  for (const tab of ['balls', 'pixels', 'editor']) {
    const page = await studio.open({ tab });
    const expected = await page.$$eval(`#${tab} :is(button, input, select, canvas[tabindex])`, (all) =>
      all.filter((one) => !one.disabled && one.offsetParent !== null).map((one) => one.id || one.dataset.entry || one.getAttribute('aria-label') || one.textContent));
    const reached = new Set();
    await page.focus(`#tab-${tab}`);
    for (let i = 0; i < expected.length + 5; i++) {
      await page.keyboard.press('Tab');
      reached.add(await page.evaluate(() => {
        const one = document.activeElement;
        return one.id || one.dataset.entry || one.getAttribute('aria-label') || one.textContent;
      }));
    }
    for (const name of expected) assert.ok(reached.has(name), `${tab}: ${name} is not reached`);
    await page.done();
  }
});

test('a dropped file goes to the tab that accepts it; others are refused with a message', async () => {
  const page = await studio.open();
  const drop = (name, text) => page.evaluate(([file, content]) => {
    const data = new DataTransfer();
    data.items.add(new File([content], file));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  }, [name, text]);
  await drop('points.csv', 'x,y\n1,2\n3,4\n');
  await page.waitForFunction(() => document.querySelector('#editor [data-figure="boxes"]')?.textContent === '2');
  await page.waitForSelector('#tab-editor[aria-selected=true]');
  const opened = (kind) => page.evaluate((what) => pqtStudio.open('mine.pqt', what === 'world' ? pqtStudio.tabs.balls.balls.timeline.tip.toBytes()
    : pqtStudio.tabs.pixels.pixels.objects.now.collider.toBytes()), kind);
  await opened('world');
  assert.equal(await page.getAttribute('#tab-balls', 'aria-selected'), 'true');
  await page.click('#tab-editor');
  await opened('region');
  assert.equal(await page.getAttribute('#tab-pixels', 'aria-selected'), 'true');
  await drop('letter.doc', 'text');
  await page.waitForFunction(() => document.getElementById('error').textContent.includes('letter.doc'));
  assert.equal(await page.textContent('#error'), 'letter.doc is neither a picture, nor CSV, nor GeoJSON, nor a .pqt file');
  await page.click('#error');
  assert.ok(!await page.isVisible('#error'));
  await page.done();
});

test('the files of the command line are listed, and each is opened by its kind', async (t) => {
  const data = (name) => fileURLToPath(new URL(`../../docs/examples/data/${name}`, import.meta.url));
  const own = await startStudio({ files: [data('countries.csv'), data('sprites/ship.png')] });
  t.after(() => own.stop());
  const page = await own.open({ tab: 'hood' });
  await page.waitForFunction(() => document.querySelector('#editor [data-figure="boxes"]')?.textContent === '4,253');
  assert.equal(await page.getAttribute('#tab-editor', 'aria-selected'), 'true');
  await page.selectOption('#offered-file', 'ship.png');
  await page.waitForFunction(() => document.getElementById('status').textContent === 'ship.png is the blocking object.');
  await page.waitForSelector('#tab-pixels[aria-selected=true]');
  await page.done();
});

test('files are opened in the order in which they were chosen, also while a tab loads', async () => {
  const page = await studio.open(), ship = readFileSync(new URL('../../docs/examples/data/sprites/ship.png', import.meta.url));
  let load = () => {};
  const loading = new Promise((resolve) => { load = resolve; });
  await page.route('**/editor.js', async (route) => {
    await loading;
    await route.continue();
  });
  const asked = page.waitForRequest('**/editor.js');
  const opened = page.evaluate((bytes) => Promise.all([pqtStudio.open('first.csv', new TextEncoder().encode('x,y\n1,2\n')), pqtStudio.open('second.png', new Uint8Array(bytes))]), [...ship]);
  await asked;
  await page.waitForTimeout(300);
  load();
  await opened;
  assert.equal(await page.textContent('#status'), 'second.png is the obstacle.');
  assert.equal(await page.getAttribute('#tab-balls', 'aria-selected'), 'true');
  assert.equal(await page.textContent('#editor [data-figure="boxes"]'), '1');
  await page.done();
});

test('a huge CSV file is read or refused, and the page keeps working', async () => {
  const page = await studio.open({ tab: 'editor' });
  await page.evaluate(async () => {
    const line = '12345.678,87654.321\n', bytes = new TextEncoder().encode(`x,y\n${line.repeat(1000001)}`);
    await pqtStudio.open('huge.csv', bytes);
  });
  assert.equal(await page.textContent('#error'), 'huge.csv: more than 1000000 rows');
  await page.click('#editor-example');
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.files.name === 'world');
  await page.done();
});

test('under the hood says what shared nothing, and why', async () => {
  const page = await studio.open();
  await page.click('#balls-step');
  await page.click('#tab-hood');
  assert.match(await page.textContent('#hood-sentence'), /Each block has a ball that moved, so none is shared\.$/);
  await page.click('#tab-editor');
  await page.waitForFunction(() => pqtStudio.tabs.editor !== undefined);
  await page.evaluate(() => pqtStudio.tabs.editor.editor.drawBox({ minX: 1, minY: 2, maxX: 30, maxY: 40 }));
  await page.click('#tab-hood');
  assert.match(await page.textContent('#hood-sentence'), /copied 1 of 1 blocks .* Each block has a change, so none is shared\.$/);
  await page.done();
});

test('under the hood, the blocks of an action are those that the library allocated', async () => {
  const page = await studio.open({ tab: 'editor' });
  await page.click('#editor-example');
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.files.name === 'world');
  await page.focus('#editor-plane canvas');
  await page.keyboard.press('n');
  await page.keyboard.press('ArrowRight');
  await page.click('#tab-hood');
  const [items, blocks, copied, shared] = (await Promise.all(['items', 'blocks', 'copied', 'shared'].map((name) => figure(page, 'hood', name)))).map(Number);
  assert.equal(items, 53278);
  assert.equal(copied + shared, blocks);
  assert.match(await page.textContent('#hood-sentence'), /^Editor: move Indonesia: copied \d+ of [\d,]+ blocks of the tree, [\d.]+ kB of [\d.]+ MB\. Both versions share the rest\.$/);
  assert.ok(copied >= 2 && copied < 40, `${copied} copied`);
  const expected = await page.evaluate(async () => {
    const { cells, exclusiveBytes } = await import(new URL('pqt.js', location.href).href);
    const [{ before, after }] = pqtStudio.tabs.hood.hood.actions;
    const old = new Set(cells(before).blocks);
    return [cells(after).blocks.filter((block) => !old.has(block)).length, exclusiveBytes(after, before)];
  });
  assert.equal(copied, expected[0]);
  assert.ok(expected[1] < 20000, `${expected[1]} bytes`);
  // Most cells are north of the equator, which is up in the editor.
  const [north, south] = await page.evaluate(() => {
    const canvas = document.querySelector('#hood canvas'), { width, height } = canvas, context = canvas.getContext('2d'), from = Math.round(width * 0.64);
    const count = (top, bottom) => {
      const { data } = context.getImageData(from, top, width - from, bottom - top), [red] = context.getImageData(0, 0, 1, 1).data;
      return data.reduce((sum, value, i) => sum + (i % 4 === 0 && value !== red ? 1 : 0), 0);
    };
    const middle = Math.floor(height / 2);
    return [count(0, middle), count(middle, height)];
  });
  assert.ok(north > 1.3 * south, `${north} and ${south}`);
  await picture(page, 'hood-wide');
  const drawn = await hashOfCanvas(page, 'hood');
  await page.click('#tab-editor');
  await page.click('#editor-plane canvas', { position: { x: 300, y: 300 } });
  await page.click('#editor-draw');
  await page.focus('#editor-plane canvas');
  await page.keyboard.press('i');
  await page.click('#tab-hood');
  assert.notEqual(await hashOfCanvas(page, 'hood'), drawn);
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.$$eval('#hood [aria-pressed=true]', ([{ parentElement }]) => [...parentElement.parentElement.children].indexOf(parentElement)), 1);
  await page.done();
});

test('under the hood, a stroke and a step are listed with their bytes', async () => {
  const page = await studio.open({ tab: 'pixels' });
  await page.click('#pixels-clear-collider');
  await page.focus('#pixels-collider canvas');
  await page.keyboard.press('Enter');
  await page.click('#tab-balls');
  await page.click('#balls-step');
  await page.click('#tab-hood');
  assert.deepEqual(await page.$$eval('#hood .actions button', (all) => all.slice(0, 3).map(({ textContent }) => textContent)),
    ['Balls: step', 'Pixels: draw on the collision object', 'Pixels: clear the collision object']);
  await page.click('#hood .actions li:nth-child(2) button');
  assert.deepEqual(await Promise.all(['items', 'blocks', 'copied'].map((name) => figure(page, 'hood', name))), ['9', '1', '1']);
  // On a large picture, a stroke copies the squares with its pixels, and those above.
  await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(300, 200), context = canvas.getContext('2d');
    for (let y = 0; y < 200; y += 2) context.fillRect(0, y, 300, 1);
    await pqtStudio.open('stripes.png', new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer()));
    pqtStudio.tabs.pixels.pixels.paint('blocking', [{ op: 'set', x: 20, y: 20, radius: 3 }]);
  });
  await page.click('#tab-hood');
  assert.deepEqual(await Promise.all(['blocks', 'copied', 'shared'].map((name) => figure(page, 'hood', name))), ['29', '4', '25']);
  await page.done();
});

/** Returns the counts of some actions; see countCalls() in page.js. */
const counted = (page, fn) => page.evaluate(`(() => {
  const before = { ...counts };
  (${fn})();
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count - before[name]]));
})()`);

test('stepping and drawing 5,000 balls takes a few calls of the library, and no path for a ball', async () => {
  const page = await studio.open({ counted: true });
  await slide(page, 'balls-number', 12);
  await page.click('#balls-step');
  const found = await counted(page, () => pqtStudio.tabs.balls.balls.clock.stepOnce());
  console.log(`# a step of 5,000 balls and its drawing: ${JSON.stringify(found)}`);
  assert.ok(found.shapes + found.paths <= 12, 'the lane of the scrubber has some shapes, and no ball has one');
  assert.ok(found.calls > 0 && found.calls <= 30, `${found.calls} calls of the library`);
  await page.done();
});

test('an edit among 53,278 boxes and a zoom take few calls, and no path for a box', async () => {
  const page = await studio.open({ tab: 'editor', counted: true });
  await page.click('#editor-example');
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.files.name === 'world');
  await page.focus('#editor-plane canvas');
  await page.keyboard.press('n');
  const edit = await counted(page, () => {
    const { editor } = pqtStudio.tabs.editor;
    editor.moveTo([...editor.selection.values()], 0.1, 0.1, 0);
    editor.plane.surface.drawNow();
  });
  const zoom = await counted(page, () => {
    const { surface } = pqtStudio.tabs.editor.editor.plane;
    surface.zoom(1.25);
    surface.drawNow();
  });
  console.log(`# an edit among 53,278 boxes: ${JSON.stringify(edit)}; a zoom: ${JSON.stringify(zoom)}`);
  assert.ok(edit.shapes <= 10 && zoom.shapes <= 10, 'the selected box and its handles are shapes, and no other box');
  assert.ok(edit.paths === 0 && zoom.paths === 0);
  assert.ok(edit.calls > 0 && edit.calls <= 200 && zoom.calls <= 60, JSON.stringify([edit, zoom]));
  await page.done();
});

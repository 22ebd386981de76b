// SPDX-License-Identifier: MIT
// editor.test.js: tests the Editor tab: boxes, versions, branches, merges, files, and whether its
// versions equal those of the native program.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { cpuOf, figure, hashOfCanvas, picture, program, startStudio, touch } from './page.js';
import { randomFrom } from './random.js';
import { replayed } from './replay.js';

let studio;
before(async () => { studio = await startStudio(); });
after(() => studio.stop());

const pqt = (...given) => assert.equal(spawnSync(program, given).status, 0);
const open = (options) => studio.open({ tab: 'editor', ...options });
const run = (page, fn, ...rest) => page.evaluate(`(${fn})(pqtStudio.tabs.editor.editor, ...${JSON.stringify(rest)})`);
const boxes = (page) => run(page, ({ scenes }) => scenes.now.get('boxes').all().sort((a, b) => a.id - b.id)
  .map(({ minX, minY, maxX, maxY, id }) => [id, ...[minX, minY, maxX, maxY].map(Math.round)]));
const fingerprint = (page) => run(page, ({ scenes }) => scenes.now.fingerprint());
const count = (page) => figure(page, 'editor', 'boxes');

/** Returns the point on the page that shows a position in the plane. */
const placeOf = (page, [x, y]) => run(page, ({ plane: { surface } }, toX, toY) => {
  const box = surface.canvas.getBoundingClientRect();
  return { x: box.left + (toX - surface.left) * surface.scale, y: box.top + (toY - surface.top) * surface.scale };
}, x, y);

async function drag(page, from, to, options = {}) {
  const begin = await placeOf(page, from), end = await placeOf(page, to);
  await page.mouse.move(begin.x, begin.y);
  await page.mouse.down(options);
  await page.mouse.move((begin.x + end.x) / 2, (begin.y + end.y) / 2);
  await page.mouse.move(end.x, end.y);
  await page.mouse.up(options);
}

/** Draws two boxes, and selects the Select tool. */
async function drawTwo(page) {
  await drag(page, [100, 100], [300, 200]);
  await drag(page, [500, 300], [600, 500]);
  await page.click('#editor-select');
}

test('boxes are drawn, moved, resized and deleted, and each drag makes one version', async () => {
  const page = await open();
  assert.ok(await page.isVisible('#editor .hint'));
  await drawTwo(page);
  assert.deepEqual(await boxes(page), [[1, 100, 100, 300, 200], [2, 500, 300, 600, 500]]);
  assert.ok(!await page.isVisible('#editor .hint'));
  await drag(page, [200, 150], [250, 250]);
  assert.deepEqual((await boxes(page))[0], [1, 150, 200, 350, 300]);
  await drag(page, [350, 300], [400, 320]);
  assert.deepEqual((await boxes(page))[0], [1, 150, 200, 400, 320]);
  assert.equal(await figure(page, 'editor', 'versions'), '5');
  await page.click('#editor-delete');
  assert.equal(await page.textContent('#status'), 'The box is deleted. Undo brings it back.');
  assert.deepEqual(await boxes(page), [[2, 500, 300, 600, 500]]);
  assert.deepEqual(await page.$$eval('#editor-graph button', (all) => all.map(({ textContent }) => textContent)),
    ['5. Delete a box', '4. Resize a box', '3. Move a box', '2. Draw a box', '1. Draw a box', '0. Empty sheet']);
  await page.click('#editor-undo');
  assert.equal(await count(page), '2');
  await page.keyboard.press('Control+z');
  assert.deepEqual((await boxes(page))[0], [1, 150, 200, 350, 300]);
  await page.keyboard.press('Control+Shift+Z');
  assert.deepEqual((await boxes(page))[0], [1, 150, 200, 400, 320]);
  await page.done();
});

test('a drag during which a file is opened has no effect on the file', async () => {
  const page = await open();
  const openMeanwhile = async (from, to) => {
    const begin = await placeOf(page, from), end = await placeOf(page, to);
    await page.mouse.move(begin.x, begin.y);
    await page.mouse.down();
    await page.mouse.move((begin.x + end.x) / 2, (begin.y + end.y) / 2);
    await page.evaluate(() => pqtStudio.open('one.csv', new TextEncoder().encode('id,min_x,min_y,max_x,max_y\n1,100,100,300,200\n')));
    await page.mouse.move(end.x, end.y);
    await page.mouse.up();
    assert.deepEqual(await boxes(page), [[1, 100, 100, 300, 200]]);
    assert.deepEqual(await run(page, ({ scenes, band }) => ({ count: scenes.count, band })), { count: 1, band: null });
  };
  await openMeanwhile([100, 100], [300, 200]); // draws
  await page.click('#editor-select');
  await openMeanwhile([200, 150], [250, 180]); // moves the box with the same id
  await page.done();
});

test('changes of colours and names make versions, too', async () => {
  const page = await open();
  await drawTwo(page);
  const attributes = () => run(page, ({ scenes }) => [scenes.now.get('names').getText(2) ?? null, scenes.now.get('colours').get(2) ?? 0]);
  await page.fill('#editor-name', 'Zürich');
  await page.keyboard.press('Enter');
  await page.selectOption('#editor-colour', '4');
  assert.deepEqual(await attributes(), ['Zürich', 4]);
  await page.click('#editor-undo');
  await page.click('#editor-undo');
  assert.deepEqual(await attributes(), [null, 0]);
  await page.click('#editor-redo');
  assert.deepEqual(await attributes(), ['Zürich', 0]);
  assert.equal(await page.inputValue('#editor-name'), 'Zürich');
  await page.click('#editor-delete');
  assert.deepEqual(await attributes(), [null, 0]);
  await page.click('#editor-undo');
  assert.deepEqual(await attributes(), ['Zürich', 0]);
  await page.done();
});

test('boxes are selected by a click, by Shift, by a window, and by keys', async () => {
  const page = await open();
  await drawTwo(page);
  await drag(page, [700, 100], [900, 200]); // a window that contains nothing
  assert.equal(await figure(page, 'editor', 'selected'), '0');
  const one = await placeOf(page, [200, 150]), other = await placeOf(page, [550, 400]);
  await page.mouse.click(one.x, one.y);
  assert.equal(await figure(page, 'editor', 'selected'), '1');
  await page.keyboard.down('Shift');
  await page.mouse.click(other.x, other.y);
  await page.keyboard.up('Shift');
  assert.equal(await figure(page, 'editor', 'selected'), '2');
  await page.keyboard.press('Escape');
  assert.equal(await figure(page, 'editor', 'selected'), '0');
  await drag(page, [50, 50], [700, 600]);
  assert.equal(await figure(page, 'editor', 'selected'), '2');
  await drag(page, [200, 150], [210, 160]);
  assert.deepEqual(await boxes(page), [[1, 110, 110, 310, 210], [2, 510, 310, 610, 510]]);
  await page.keyboard.press('Escape');
  await page.focus('#editor-plane canvas');
  await page.keyboard.press('n');
  assert.deepEqual(await run(page, ({ selection }) => [...selection.keys()]), [1]);
  await page.keyboard.press('n');
  assert.deepEqual(await run(page, ({ selection }) => [...selection.keys()]), [2]);
  await page.keyboard.press('p');
  assert.deepEqual(await run(page, ({ selection }) => [...selection.keys()]), [1]);
  await page.done();
});

test('everything can be done with the keyboard alone', async () => {
  const page = await open();
  await page.evaluate(() => { performance.now = () => 5000; }); // arrow keys within a second make one version
  await page.focus('#editor-plane canvas');
  await page.keyboard.press('i');
  assert.equal(await count(page), '1');
  const [before] = await boxes(page);
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('ArrowDown');
  const [moved] = await boxes(page);
  assert.ok(moved[1] > before[1] && moved[2] > before[2]);
  assert.equal(await figure(page, 'editor', 'versions'), '3', 'arrows in sequence are one version');
  for (const key of ['Control+Shift+ArrowRight', 'Control+ArrowDown', 'Control+ArrowUp']) await page.keyboard.press(key);
  const [resized] = await boxes(page);
  assert.ok(resized[3] > moved[3] && resized[1] === moved[1] && resized[2] === moved[2] && resized[4] === moved[4], `${moved} ${resized}`);
  assert.equal(await figure(page, 'editor', 'versions'), '4');

  // Draw another box. Shift-N selects both. W and Enter make a window around them, and Tab moves to
  // Restore.
  await page.keyboard.press('i');
  await page.keyboard.press('Shift+N');
  assert.equal(await figure(page, 'editor', 'selected'), '2');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('w');
  await page.keyboard.press('Enter');
  const reached = () => page.evaluate(() => document.activeElement.id);
  for (let i = 0; i < 20 && await reached() !== 'editor-restore'; i++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  assert.deepEqual((await boxes(page))[0], resized, 'the window is as in the previous version');
  await page.focus('#editor-plane canvas');
  await page.keyboard.press('Delete');
  assert.equal(await count(page), '0');
  await page.keyboard.press('Enter');
  assert.equal(await run(page, ({ window, plane }) => window.minX === plane.surface.left), true, 'without a selection, the view is the window');
  await page.keyboard.press('Escape');
  const left = () => run(page, ({ plane }) => plane.surface.left);
  await page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); })); // the plane has its new height
  await page.keyboard.press('f');
  const shown = await left();
  await page.keyboard.press('ArrowRight');
  assert.notEqual(await left(), shown);
  await page.keyboard.press('f');
  assert.equal(await left(), shown);
  await page.keyboard.press('+');
  assert.notEqual(await left(), shown);
  await page.done();
});

test('the pointer pans and zooms the plane', async () => {
  const page = await open();
  await drawTwo(page);
  const view = () => run(page, ({ plane: { surface: { left, top, scale } } }) => ({ left, top, scale }));
  const before = await view();
  await drag(page, [200, 150], [300, 150], { button: 'middle' });
  const panned = await view();
  assert.ok(Math.abs(panned.left - (before.left - 100)) < 1 && panned.scale === before.scale);
  await page.mouse.wheel(0, -400);
  assert.ok((await view()).scale > before.scale * 1.5);
  await page.click('#editor-all');
  assert.deepEqual(await boxes(page), [[1, 100, 100, 300, 200], [2, 500, 300, 600, 500]]);
  await page.done();
});

test('one finger draws; two pan and zoom, and draw nothing', async () => {
  const page = await open({ touch: true, width: 390, height: 844 });
  const atFinger = ([x, y]) => run(page, ({ plane: { surface } }, clientX, clientY) => surface.at({ clientX, clientY }), x, y);
  const view = () => run(page, ({ plane: { surface: { left, top, scale } } }) => ({ left, top, scale }));
  const isNear = (a, b, scale) => Math.hypot(a.x - b.x, a.y - b.y) * scale < 1;
  await touch(page, [[60, 150], [90, 170], [140, 220]]);
  assert.equal(await count(page), '1');
  assert.equal(await figure(page, 'editor', 'versions'), '2');

  // Pinch: the positions under both fingers remain under them.
  const before = await view();
  const from = [[150, 300], [250, 300]], to = [[100, 260], [300, 260]];
  const held = await Promise.all(from.map(atFinger));
  await touch(page, ...from.map(([x, y], i) => [0, 0.25, 0.5, 0.75, 1].map((part) => [x + (to[i][0] - x) * part, y + (to[i][1] - y) * part])));
  const zoomed = await view();
  assert.ok(Math.abs(zoomed.scale / before.scale - 2) < 0.02, `${zoomed.scale / before.scale}`);
  for (const i of [0, 1]) assert.ok(isNear(await atFinger(to[i]), held[i], zoomed.scale), JSON.stringify([await atFinger(to[i]), held[i]]));

  // Pan: both fingers make the same motion.
  await touch(page, [[100, 200], [120, 230], [150, 260]], [[200, 200], [220, 230], [250, 260]]);
  const panned = await view();
  assert.ok(Math.abs(panned.scale / zoomed.scale - 1) < 1e-6);
  assert.ok(Math.abs((zoomed.left - panned.left) * panned.scale - 50) < 1 && Math.abs((zoomed.top - panned.top) * panned.scale - 60) < 1);

  // A third finger changes nothing. Nor do two fingers with the tools that select and restore.
  for (const tool of ['draw', 'select', 'window']) {
    await page.click(`#editor-${tool}`);
    await touch(page, [[100, 200], [110, 210]], [[200, 200], [210, 210]], [[150, 350], [160, 360]]);
  }
  assert.equal(await count(page), '1');
  assert.equal(await figure(page, 'editor', 'versions'), '2');
  assert.equal(await run(page, ({ window, band }) => [window, band].every((one) => one === null)), true);
  await touch(page, [[40, 140], [90, 170], [340, 420]]);
  assert.ok(await page.isVisible('#editor-restore'), 'one finger draws a window again');
  await page.done();
});

test('a click on the graph shows a version, branches remain, and versions have labels', async () => {
  const page = await open();
  await drawTwo(page);
  const first = await fingerprint(page);
  await page.fill('#editor-label', 'two boxes');
  await page.keyboard.press('Enter');
  await drag(page, [200, 150], [200, 250]);
  const moved = await fingerprint(page);
  await page.click('#editor-graph [data-entry="2"]');
  assert.equal(await fingerprint(page), first);
  await drag(page, [550, 400], [650, 400]);
  assert.deepEqual(await page.$$eval('#editor-graph button', (all) => all.map(({ textContent }) => textContent)),
    ['4. Move a box', '3. Move a box', '2. Draw a box two boxes', '1. Draw a box', '0. Empty sheet']);
  await page.click('#editor-graph [data-entry="3"]');
  assert.equal(await fingerprint(page), moved);
  assert.equal(await page.getAttribute('#editor-graph [data-entry="3"]', 'aria-current'), 'true');
  await page.focus('#editor-graph [data-entry="4"]');
  await page.keyboard.press('Enter');
  assert.deepEqual(await boxes(page), [[1, 100, 100, 300, 200], [2, 600, 300, 700, 500]]);
  await page.done();
});

test('the difference between two versions is counted and drawn', async () => {
  const page = await open();
  await drawTwo(page);
  await page.click('#editor-mark');
  assert.equal(await figure(page, 'editor', 'differ'), '0');
  await drag(page, [200, 150], [200, 250]);
  await page.click('#editor-draw');
  await drag(page, [700, 100], [800, 200]);
  assert.equal(await figure(page, 'editor', 'differ'), '2');
  assert.deepEqual(await run(page, (editor) => editor.difference().map(({ change }) => change).sort()), ['insert', 'move']);
  const drawn = await hashOfCanvas(page, 'editor-plane');
  await page.click('#editor-mark');
  await page.waitForTimeout(50);
  assert.notEqual(await hashOfCanvas(page, 'editor-plane'), drawn);
  await page.done();
});

test('branches are merged, and conflicts are resolved', async () => {
  const page = await open();
  await drawTwo(page);
  await drag(page, [200, 150], [200, 250]); // version 3 moves box 1 down
  await page.click('#editor-graph [data-entry="2"]');
  await drag(page, [550, 400], [650, 400]); // version 4 moves box 2 to the right
  assert.deepEqual(await page.$$eval('#editor-branch option', (all) => all.map(({ textContent }) => textContent)), ['3. Move a box']);
  await page.click('#editor-merge');
  await page.waitForSelector('#editor-graph [data-entry="5"]');
  assert.deepEqual(await boxes(page), [[1, 100, 200, 300, 300], [2, 600, 300, 700, 500]]);
  assert.equal(await page.textContent('#editor-graph [data-entry="5"]'), '5. Merge version 3');

  await page.click('#editor-graph [data-entry="2"]');
  await drag(page, [200, 150], [300, 150]); // version 6 moves box 1 to the right
  await page.selectOption('#editor-branch', '5');
  for (const [decision, expected] of [['theirs', [1, 100, 200, 300, 300]], ['ours', [1, 200, 100, 400, 200]], ['base', [1, 100, 100, 300, 200]]]) {
    await page.click('#editor-merge');
    await page.waitForSelector('#editor-conflicts');
    assert.match(await page.textContent('#editor-conflicts h2'), /one conflict/);
    await page.check(`#conflict-0-${decision}`);
    await page.click('#conflicts-merge');
    await page.waitForFunction((at) => pqtStudio.tabs.editor.editor.scenes.history.current > at, 6);
    assert.deepEqual(await boxes(page), [expected, [2, 600, 300, 700, 500]]);
    await page.click('#editor-graph [data-entry="6"]');
    await page.selectOption('#editor-branch', '5');
  }
  await page.click('#editor-merge');
  await page.click('#conflicts-cancel');
  assert.deepEqual((await boxes(page))[0], [1, 200, 100, 400, 200]);
  await page.done();
});

test('an edit is whole if the history drops the version before it, to save memory', async () => {
  const page = await open();
  const found = await page.evaluate(async () => {
    const [{ Scenes }, { History }, { partsOf, sceneOf, withMoved }] = await Promise.all(['editor_history', 'pqt', 'editor_scene'].map((name) => import(`/${name}.js`)));
    const box = (x, y) => ({ minX: x, minY: y, maxX: x + 0.5, maxY: y + 0.5 });
    const first = sceneOf({ items: Array.from({ length: 2000 }, (_, id) => ({ ...box(id % 50, Math.floor(id / 50)), id })), names: [], colours: [] });
    const scenes = new Scenes(first, () => {}, 'Open', new History(first, { maxBytes: 300000 })), changed = [];
    scenes.onChange = (entry) => changed.push(entry);
    for (let i = 0; i < 5; i++) {
      const moves = partsOf(scenes.now).boxes.all().map((item) => ({ item, to: box(item.minX + 1, item.minY) }));
      scenes.push(withMoved(scenes.now, moves), 'Move all');
    }
    return { changed, tip: scenes.state().tip, entries: scenes.history.entries().length, others: scenes.otherBranches().length };
  });
  assert.deepEqual(found.changed, [1, 2, 3, 4, 5]);
  assert.ok(found.tip === 5 && found.entries < 6 && found.others === 0, JSON.stringify(found));
  await page.done();
});

test('what redo leads to is no other branch, until an edit makes it one', async () => {
  const page = await open();
  await drawTwo(page);
  const offered = async () => (await page.isVisible('#editor-merge') ? page.$$eval('#editor-branch option', (all) => all.map(({ textContent }) => textContent)) : []);
  await page.click('#editor-undo');
  await page.click('#editor-undo');
  assert.deepEqual(await offered(), []);
  await page.click('#editor-redo');
  await page.click('#editor-draw');
  await drag(page, [500, 300], [600, 500]); // version 3
  assert.deepEqual(await offered(), ['2. Draw a box']);
  await page.click('#editor-undo');
  assert.deepEqual(await offered(), []);
  await page.click('#editor-graph [data-entry="2"]');
  assert.deepEqual(await offered(), ['3. Draw a box']);
  await page.done();
});

test('a merged branch is not offered again, and later deletions are not undone', async () => {
  const page = await open();
  await drag(page, [100, 100], [300, 200]); // version 1
  await drag(page, [500, 300], [600, 500]); // version 2
  await page.click('#editor-graph [data-entry="1"]');
  await drag(page, [100, 400], [300, 500]); // version 3
  assert.equal(await page.textContent('#editor-branch'), '2. Draw a box');
  await page.click('#editor-merge'); // version 4
  await page.waitForSelector('#editor-graph [data-entry="4"]');
  assert.equal(await page.textContent('#status'), 'Version 2 is merged.');
  assert.ok(!await page.isVisible('#editor-merge'), 'no branch is left');
  assert.equal(await page.$$eval('#editor-graph li:first-child path', (all) => all.length), 2, 'a line leads to each of both');
  await page.click('#editor-select');
  await page.mouse.click(...Object.values(await placeOf(page, [550, 400])));
  await page.keyboard.press('Delete'); // version 5 lacks the box of version 2
  assert.equal(await count(page), '2');
  await page.click('#editor-graph [data-entry="2"]');
  await page.click('#editor-draw');
  await drag(page, [700, 100], [800, 200]); // version 6 continues the branch of version 2
  await page.click('#editor-graph [data-entry="5"]');
  await page.click('#editor-merge');
  await page.waitForSelector('#editor-graph [data-entry="7"]');
  assert.deepEqual(await boxes(page), [[1, 100, 100, 300, 200], [3, 100, 400, 300, 500], [4, 700, 100, 800, 200]]);
  await page.done();
});

test('one window is restored from an older version', async () => {
  const page = await open();
  await drawTwo(page);
  await drag(page, [200, 150], [200, 250]);
  await drag(page, [550, 400], [650, 400]);
  assert.ok(!await page.isVisible('#editor-restore'));
  await page.click('#editor-window');
  assert.match(await page.textContent('#status'), /^Drag around the part/);
  await drag(page, [90, 90], [310, 210]);
  assert.match(await page.textContent('#status'), /press Restore\.$/);
  assert.equal(await page.inputValue('#editor-restore-from'), '3', 'the previous version is offered first');
  await page.click('#editor-restore');
  assert.equal(await page.textContent('#status'), 'The window is the same in version 3. Choose another version.');
  assert.equal(await figure(page, 'editor', 'versions'), '5');
  await page.fill('#editor-restore-from', '9');
  assert.ok(await page.isDisabled('#editor-restore'), 'there is no version 9');
  await page.fill('#editor-restore-from', '2');
  await page.click('#editor-restore');
  assert.equal(await page.textContent('#status'), 'The window now shows version 2.');
  assert.deepEqual(await boxes(page), [[1, 100, 100, 300, 200], [2, 600, 300, 700, 500]]);
  await page.click('#editor-undo');
  assert.deepEqual(await boxes(page), [[1, 100, 200, 300, 300], [2, 600, 300, 700, 500]]);
  await page.done();
});

async function choose(page, file) {
  const chosen = page.waitForEvent('filechooser');
  await page.click('#editor-open');
  await (await chosen).setFiles(file);
}

async function download(page, id) {
  const saved = page.waitForEvent('download');
  await page.click(id);
  const file = await saved;
  return { name: file.suggestedFilename(), buffer: readFileSync(await file.path()) };
}

test('a scene is saved and opened again, as .pqt and as CSV', async () => {
  const page = await open();
  await drawTwo(page);
  await page.fill('#editor-name', 'a "name", with a comma');
  await page.keyboard.press('Enter');
  await page.selectOption('#editor-colour', '2');
  const saved = await fingerprint(page);
  const pqt = await download(page, '#editor-save');
  assert.equal(await page.textContent('#status'), 'The version shown was saved as scene.pqt.');
  const csv = await download(page, '#editor-save-csv');
  assert.equal(pqt.name, 'scene.pqt');
  assert.equal(csv.name, 'scene.csv');
  await page.click('#editor-new');
  assert.equal(await count(page), '0');
  await choose(page, { name: 'mine.pqt', mimeType: '', buffer: pqt.buffer });
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.files.name === 'mine');
  assert.equal(await fingerprint(page), saved);
  await choose(page, { name: 'table.csv', mimeType: 'text/csv', buffer: csv.buffer });
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.files.name === 'table');
  assert.deepEqual(await boxes(page), [[1, 100, 100, 300, 200], [2, 500, 300, 600, 500]]);
  assert.deepEqual(await run(page, ({ scenes }) => [scenes.now.get('names').getText(2), scenes.now.get('colours').get(2)]), ['a "name", with a comma', 2]);
  await page.done();
});

/** Returns the message with which the program refuses a file; null if it reads the file. */
function refusalOf(name, content) {
  const folder = mkdtempSync(join(tmpdir(), 'pqt-refused-'));
  writeFileSync(join(folder, name), content);
  const { status, stderr } = spawnSync(program, ['search', '--count', '--window=-inf,-inf,inf,inf', name], { cwd: folder, encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return status === 2 ? stderr.trim().replace(/^pqt: /, '') : null;
}

test('the editor reads a table as the program does, or refuses it with the same message', async () => {
  const page = await open();
  page.on('dialog', (dialog) => dialog.accept());
  for (const [i, content] of ['id,x,y\n,2,3\n', 'id,x,y\n ,2,3\n', 'id,x,y\n1.0,2,3\n', 'id,x,y\n0x1F,2,3\n', 'id,x,y\n1e2,2,3\n', 'x,y\n0x10,2\n', 'x,y\n0b11,2\n', 'x,y\n0o17,2\n',
    'x,y,x\n1,2,9\n', 'x,y,lon,lat\n1,2,30,40\n', 'x,y,name\n1,2,5" pipe\n', 'x,y\n1\u00a0,2\n', 'id,x,y,id\n1,2,3,4\n', 'id, "x", "y"\n1, "2", "3"\n', '\ufeffid,x,y\r\n1,2,3\r\n',
    'x,y\r1,2\r', 'x,y,name\n1,2,"a\nb"\n3,oops,c\n', 'x;y\n1;2\n', 'id,x,y\n9007199254740993,2,3\n', 'x,y\n\t1\t,2\n', 'x,y\n1_000,2\n', 'x,y\n1,2\n,\n3,4\n', 'x,y,name\n1,2,a\0b\n',
    Buffer.from('x,y,name\n1,2,Z\xfcrich\n', 'latin1'), 'x,y\n1,2\n5,6\n',
    'x,y,w,h\n1,2,3,4\n', 'x,y,w,h\n1,2,-3,4\n', 'min_lon,min_lat,max_lon,max_lat\n1,2,3,4\n', 'min_lon,min_lat,max_lon,max_lat\n1,2,0,4\n',
    '[{"id":7.0,"x":1.50,"y":2},{"id":1e1,"x":3,"y":4}]', '{"type":"Feature","id":3.0,"geometry":{"type":"Point","coordinates":[1.50,2e0]}}', '[{"id":7.5,"x":1,"y":2}]',
    '[{"id":"7.0","x":1,"y":2}]'].entries()) {
    const name = `f${i}.csv`, bytes = Buffer.from(content), refused = refusalOf(name, bytes);
    await page.click('#editor-new');
    await page.evaluate(() => document.getElementById('error').click());
    await page.evaluate(([file, given]) => pqtStudio.open(file, new Uint8Array(given)), [name, [...bytes]]);
    if (refused !== null) {
      assert.equal(await page.textContent('#error'), refused);
      continue;
    }
    assert.ok(!await page.isVisible('#error'), `${JSON.stringify(content)}: ${await page.textContent('#error')}`);
    const folder = mkdtempSync(join(tmpdir(), 'pqt-read-'));
    writeFileSync(join(folder, name), bytes);
    pqt('search', '--window=-inf,-inf,inf,inf', join(folder, name), '-o', join(folder, 'tree.pqt'));
    assert.deepEqual(await page.evaluate(async (tree) => {
      const { PersistentTree } = await import(new URL('pqt.js', location.href).href);
      const plain = (items) => items.map(({ id, minX, minY, maxX, maxY }) => [String(id), minX, minY, maxX, maxY]).sort();
      return JSON.stringify(plain(PersistentTree.fromBytes(new Uint8Array(tree)).all())) === JSON.stringify(plain(pqtStudio.tabs.editor.editor.scenes.now.get('boxes').all()));
    }, [...readFileSync(join(folder, 'tree.pqt'))]), true, JSON.stringify(content));
    rmSync(folder, { recursive: true });
  }
  await page.done();
});

test('a file that cannot be read gives one message, and changes nothing', async () => {
  const page = await open();
  await drawTwo(page);
  const before = await fingerprint(page);
  const pqt = await download(page, '#editor-save');
  for (const [name, content, sentence] of [
    ['cut.pqt', pqt.buffer.subarray(0, pqt.buffer.length - 5), /^cut\.pqt: .*/],
    ['noise.pqt', Buffer.from('nothing of the kind'), /^noise\.pqt: .*/],
    ['map.csv', Buffer.from('a,b\n1,2\n'), null],
    ['nan.csv', Buffer.from('x,y\n1,2\n3,NaN\n'), null],
    ['short.csv', Buffer.from('x,y\n1\n'), null],
    ['open.csv', Buffer.from('x,y,name\n1,2,"no end\n'), null],
    ['twice.csv', Buffer.from('id,x,y\n1,2,3\n1,4,5\n'), 'twice.csv:3: the id 1 occurs twice, but in the editor each box needs its own id'],
    ['inverted.csv', Buffer.from('min_x,min_y,max_x,max_y\n5,0,1,9\n'), null],
    ['empty.csv', Buffer.from(''), null],
    ['latin.csv', Buffer.from([0x78, 0x2c, 0x79, 0x0a, 0xe4, 0x2c, 0x31]), null],
  ]) {
    await choose(page, { name, mimeType: '', buffer: content });
    await page.waitForFunction((file) => document.getElementById('error').textContent.includes(file), name);
    const shown = await page.textContent('#error');
    if (sentence === null) assert.equal(shown, refusalOf(name, content));
    else if (typeof sentence === 'string') assert.equal(shown, sentence);
    else assert.match(shown, sentence);
    assert.ok(await page.isVisible('#error'));
    assert.equal(await fingerprint(page), before);
  }
  await page.done();
});

test('a file of the command line is opened at the start, and overwritten only after a question', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pqt-studio-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'towns.csv');
  writeFileSync(path, 'id,x,y,name\n7,10,20,Basel\n9,30,40,Bern\n');
  const own = await startStudio({ files: [path] });
  const page = await own.open({ tab: 'editor' });
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.files.source?.name === 'towns.csv');
  assert.equal(await count(page), '2');
  await page.focus('#editor-plane canvas');
  await page.keyboard.press('n');
  await page.keyboard.press('Delete');
  page.once('dialog', (dialog) => dialog.dismiss());
  await page.click('#editor-save-back');
  assert.match(readFileSync(path, 'utf8'), /Basel/);
  page.once('dialog', (dialog) => dialog.accept());
  await page.click('#editor-save-back');
  await page.waitForFunction(() => document.getElementById('status').textContent === 'towns.csv is saved.');
  assert.equal(readFileSync(path, 'utf8'), 'id,x,y,name\n9,30,40,Bern\n');
  await page.done();
  await own.stop();
});

test('the countries and the cities of the world are edited', async () => {
  const page = await open();
  await page.click('#editor-example');
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.files.name === 'world');
  assert.equal(await count(page), '53278');
  const edit = await cpuOf(page, 30, (i) => {
    const { editor } = pqtStudio.tabs.editor;
    editor.selection.select(editor.scenes.now.get('boxes').nearest(i * 5, -i, 1));
    editor.moveTo([...editor.selection.values()], 0.1, 0.1, 0);
    editor.plane.surface.drawNow();
  });
  const zoom = await cpuOf(page, 20, (i) => {
    const { surface } = pqtStudio.tabs.editor.editor.plane;
    surface.zoom(i % 2 === 0 ? 1.25 : 0.8);
    surface.drawNow();
  });
  console.log(`# 53,278 boxes: an edit and its drawing takes ${edit.toFixed(1)} ms of the thread, a zoom ${zoom.toFixed(1)} ms`);
  assert.equal(await figure(page, 'editor', 'versions'), '61');
  // A picture that is redrawn in parts equals one that is drawn at once.
  const drawn = [];
  for (const isWhole of [false, true]) {
    await run(page, (editor, whole) => {
      editor.selection.clear();
      if (whole) editor.plane.forget();
      editor.plane.surface.drawNow();
    }, isWhole);
    drawn.push(await hashOfCanvas(page, 'editor-plane'));
  }
  assert.equal(drawn[0], drawn[1]);
  await picture(page, 'editor-world');
  await page.done();
});

test('boxes anywhere in the range of numbers are shown, zoomed and edited, and a new sheet is as usual', async () => {
  const page = await open();
  page.on('dialog', (dialog) => dialog.accept());
  const view = () => run(page, ({ plane: { surface: { left, top, scale, visible } } }) => [left, top, scale, ...Object.values(visible)]);
  const [sheet, marks] = [await view(), () => run(page, ({ plane: { surface } }) => {
    surface.drawNow();
    const { data } = surface.context.getImageData(0, 0, surface.canvas.width, surface.canvas.height), first = data.slice(0, 3);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (first.some((value, k) => data[i + k] !== value)) count++;
    return count;
  })];
  for (const rows of [['1e308,0', '1,2'], ['1e308,1e308', '-1e308,-1e308'], ['1.7976931348623157e308,-1.7976931348623157e308', '-1.7976931348623157e308,0'], ['5e-324,0', '0,5e-324'],
    ['1e300,1e300', '1e300,1e300']])
    for (const columns of ['x,y', 'lon,lat']) {
      const name = `${rows[0]} ${columns}.csv`;
      await page.evaluate(([file, text]) => pqtStudio.open(file, new TextEncoder().encode(text)), [name, `${columns}\n${rows.join('\n')}\n`]);
      assert.equal(await page.evaluate(() => document.getElementById('error').hidden), true, name);
      const all = await view();
      assert.ok(all.every(Number.isFinite) && all[2] > 0, `${name}: ${all}`);
      assert.equal(await run(page, ({ scenes, plane: { surface } }) => scenes.now.get('boxes').count(surface.visible)), 2, name);
      assert.ok(await marks() >= 4, `${name}: the boxes are drawn (${await marks()} ${all})`);
      await page.click('#editor-plane canvas');
      for (const key of ['+', '-', '-', 'ArrowLeft', 'ArrowUp', 'n', 'ArrowRight', 'Control+ArrowDown', 'Delete']) await page.keyboard.press(key);
      await page.mouse.wheel(0, -4000);
      assert.ok((await view()).every(Number.isFinite), `${name}: ${await view()}`);
      // A box at the end of the range cannot be moved beyond it.
      if (!name.startsWith('1.79')) assert.equal(await page.evaluate(() => document.getElementById('error').hidden), true, await page.textContent('#error'));
      await page.keyboard.press('Escape');
    }
  await page.click('#tab-hood');
  await page.click('#tab-editor');
  await page.click('#editor-new');
  assert.deepEqual(await view(), sheet);
  await drawTwo(page);
  assert.deepEqual(await boxes(page), [[1, 100, 100, 300, 200], [2, 500, 300, 600, 500]]);
  await page.done();
});

test('latitudes point up, other files point down, and the user can turn both; no coordinate changes', async () => {
  const page = await open(), item = () => run(page, ({ selection }) => [...selection.values()][0]);
  const heights = () => run(page, ({ scenes, plane: { surface } }) => scenes.now.get('boxes').all().sort((a, b) => a.id - b.id).map((one) => Math.round(surface.edgesOf(one).top)));
  for (const [columns, isUp] of [['lon,lat', true], ['x,y', false]]) {
    await page.evaluate(([name, text]) => pqtStudio.open(name, new TextEncoder().encode(text)), [`${columns}.csv`, `id,${columns}\n1,2.35,48.85\n2,18.42,-33.92\n`]);
    assert.deepEqual(await run(page, ({ scenes }) => scenes.now.get('boxes').all().map(({ minY }) => minY).sort()), [-33.92, 48.85]);
    assert.equal(await page.isChecked('#editor-up'), isUp);
    const [paris, cape] = await heights();
    assert.equal(paris < cape, isUp, `${columns}: Paris is at ${paris}, Cape Town at ${cape}`);
    await page.click('#editor-up');
    assert.deepEqual(await heights(), [cape, paris]);
    await page.click('#editor-up');
    const [x, y] = await run(page, ({ scenes, plane: { surface } }) => {
      const { left, top } = surface.edgesOf(scenes.now.get('boxes').find(1)), box = surface.canvas.getBoundingClientRect();
      return [left + box.left, top + box.top];
    });
    await page.click('#editor-select');
    await page.mouse.click(x, y);
    assert.equal((await item()).id, 1);
    await page.focus('#editor-plane canvas');
    await page.keyboard.press('ArrowUp');
    assert.equal((await item()).minY > 48.85, isUp);
    assert.ok((await heights())[0] < paris);
    await page.click('#editor-save');
  }
  await page.evaluate(() => pqtStudio.open('wkt.csv', new TextEncoder().encode('id,wkt\n1,"POINT (2.35 48.85)"\n')));
  assert.equal(await page.isChecked('#editor-up'), true, 'geometries');
  // Two maps of the world have the same orientation, with boxes as with points.
  page.on('dialog', (dialog) => dialog.accept());
  for (const name of ['countries.csv', 'cities.csv']) {
    const text = readFileSync(new URL(`../../docs/examples/data/${name}`, import.meta.url), 'utf8');
    await page.evaluate(([file, content]) => pqtStudio.open(file, new TextEncoder().encode(content)), [name, text]);
    assert.ok(await page.isChecked('#editor-up'), name);
    const [north, south] = await run(page, ({ scenes, plane: { surface } }) => {
      const sorted = scenes.now.get('boxes').all().sort((a, b) => b.maxY - a.maxY);
      return [sorted[0], sorted[sorted.length - 1]].map((one) => surface.edgesOf(one).top);
    });
    assert.ok(north < south, name);
  }
  await page.done();
});

test('the number of selected boxes is the one that is shown', async () => {
  const page = await open();
  await page.click('#editor-example');
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.files.name === 'world');
  await picture(page, 'editor-example');
  await page.keyboard.press('Control+a');
  assert.equal(await page.textContent('#status'), '5,000 of these 53,278 boxes are selected, which is the most that the editor selects together.');
  assert.equal(await figure(page, 'editor', 'selected'), '5000');
  await page.keyboard.press('Delete');
  assert.equal(await page.textContent('#status'), '5,000 boxes are deleted. Undo brings them back.');
  assert.equal(await count(page), '48278');
  await page.click('#editor-mark');
  await run(page, (editor) => {
    while (editor.scenes.now.get('boxes').size > 30000) {
      editor.selection.inWindow(editor.plane.surface.visible);
      editor.removeSelected();
    }
  });
  const changes = await run(page, ({ scenes: { history, now }, marked }) => history.version(marked).diff(now).length);
  assert.ok(changes > 20000);
  assert.equal(await figure(page, 'editor', 'differ'), String(changes));
  assert.equal(await page.textContent('#editor-cut'), `Of ${changes.toLocaleString('en')} changes, 20,000 are drawn.`);
  await page.done();
});

test('200 drags, clicks and keys give the same versions as the native program', async () => {
  const page = await open();
  const random = randomFrom(11);
  const below = (end) => Math.floor(random() * end);
  const seen = new Set([await fingerprint(page)]);
  for (let i = 0; i < 200; i++) {
    const action = below(14), from = [below(1000), below(600)], to = [below(1000), below(600)];
    if (action < 3) {
      await page.click('#editor-draw');
      await drag(page, from, to);
    } else if (action < 7) {
      await page.click('#editor-select');
      await drag(page, from, [from[0] + below(200) - 100, from[1] + below(200) - 100]);
    } else if (action === 7) await page.selectOption('#editor-colour', String(below(6)));
    else if (action === 8 && await page.isEnabled('#editor-name')) {
      await page.fill('#editor-name', ['', 'one', 'zwei', 'tröis'][below(4)]);
      await page.keyboard.press('Enter');
    } else if (action === 9) await page.keyboard.press(['Control+z', 'Control+Shift+Z'][below(2)]);
    else if (action === 10) {
      const entries = await page.$$('#editor-graph button');
      await entries[below(entries.length)].click();
    } else if (action === 11 && await page.isEnabled('#editor-merge')) {
      await page.click('#editor-merge');
      await page.waitForTimeout(30);
      if (await page.isVisible('#editor-conflicts')) {
        for (const group of await page.$$('#editor-conflicts fieldset')) await (await group.$$('input'))[below(3)].check();
        await page.click('#conflicts-merge');
        await page.waitForSelector('#editor-conflicts', { state: 'detached' });
      }
    } else if (action === 12) await page.keyboard.press('m');
    else if (action === 13) {
      await page.click('#editor-window');
      await drag(page, from, to);
      if (await page.isVisible('#editor-restore')) {
        const versions = await run(page, ({ scenes }) => scenes.lanes.numbers);
        await page.fill('#editor-restore-from', String(versions[below(versions.length)]));
        if (await page.isEnabled('#editor-restore')) await page.click('#editor-restore');
      }
    }
    if (below(12) === 0) await page.click('#editor-plane canvas', { position: { x: 5, y: 5 } }).then(() => page.keyboard.press('Delete'));
    seen.add(await fingerprint(page));
  }
  const expected = replayed('editor', await page.evaluate(() => pqtStudio.studio.log));
  assert.ok(expected.length > 80, `${expected.length} versions`);
  const made = new Set(expected);
  for (const one of seen) assert.ok(made.has(one), `${one} is not among the versions of the native program`);
  const kept = await run(page, ({ scenes: { history } }) => history.entries().map(({ number }) => history.version(number).fingerprint()));
  for (const one of kept) assert.ok(made.has(one), `${one} is not among the versions of the native program`);
  await page.done();
});

test('pictures of the tab are written', async () => {
  for (const dark of [false, true])
    for (const [name, width, height] of [['wide', 1280, 720], ['narrow', 390, 844]]) {
      const page = await open({ dark, width, height });
      const drawNamed = async (colour, text, ...places) => {
        await page.click('#editor-draw');
        await drag(page, ...places);
        await page.selectOption('#editor-colour', String(colour));
        await page.fill('#editor-name', text);
        await page.keyboard.press('Enter');
      };
      await drawNamed(0, 'Hall', [60, 60], [420, 300]);
      await drawNamed(1, 'Yard', [470, 60], [940, 300]);
      await drawNamed(3, 'Store', [60, 360], [300, 620]);
      const base = await run(page, ({ scenes }) => scenes.history.current);
      await page.click('#editor-mark');
      await drawNamed(2, 'Office', [350, 360], [620, 480]);
      await page.click(`#editor-graph [data-entry="${base}"]`);
      await page.click('#editor-select');
      await drag(page, [700, 180], [720, 230]);
      await drawNamed(4, 'Garden', [680, 400], [940, 620]);
      await page.click('#editor-merge');
      await page.waitForFunction(() => document.getElementById('status').textContent.endsWith('is merged.'));
      await page.click('#editor-select');
      await page.mouse.click(...Object.values(await placeOf(page, [200, 500])));
      await page.keyboard.press('Delete');
      await picture(page, `editor-${name}-${dark ? 'dark' : 'light'}`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than the window');
      await page.done();
    }
});

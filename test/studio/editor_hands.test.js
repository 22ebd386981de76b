// SPDX-License-Identifier: MIT
// editor_hands.test.js: tests the strip of sharing of the Editor tab, its list of all versions, the names of boxes in messages, the hand
// tool, and pictures.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { animated } from './apng.js';
import { figure, hashOfCanvas, picture, startStudio } from './page.js';

let studio;
before(async () => { studio = await startStudio(); });
after(() => studio.stop());

const open = (options) => studio.open({ tab: 'editor', ...options });
const run = (page, fn, ...rest) => page.evaluate(`(${fn})(pqtStudio.tabs.editor.editor, ...${JSON.stringify(rest)})`);
const status = (page) => page.textContent('#status');

async function openWorld(options) {
  const page = await open(options);
  await page.click('#editor-example');
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.files.name === 'world');
  return page;
}

/** Returns the point on the page that shows the middle of the box with a name. */
const placeOf = (page, name) => run(page, ({ scenes, plane: { surface } }, wanted) => {
  const [[id]] = scenes.now.get('names').entries().filter(([, bytes]) => new TextDecoder().decode(bytes) === wanted);
  const { left, top, right, bottom } = surface.edgesOf(scenes.now.get('boxes').find(id)), box = surface.canvas.getBoundingClientRect();
  return { x: box.left + (left + right) / 2, y: box.top + (top + bottom) / 2 };
}, name);

/** Returns the counts of the library for the current version and the one before it, as the strip shows them. */
const sharing = (page) => run(page, async ({ scenes }) => {
  const { cells, exclusiveBytes } = await import(new URL('pqt.js', location.href).href), { inBytes } = await import(new URL('dom.js', location.href).href);
  const { parent } = scenes.history.entry(scenes.history.current), older = scenes.history.version(parent), old = new Set(cells(older.get('boxes')).blocks);
  const { blocks } = cells(scenes.now.get('boxes'));
  return `${blocks.filter((block) => !old.has(block)).length} of ${blocks.length.toLocaleString('en')} blocks, ${inBytes(exclusiveBytes(scenes.now, older))}; a full copy takes ${inBytes(exclusiveBytes(scenes.now))}.`;
});

test('the strip shows during a drag what the version copies, as the library counts it', async () => {
  const page = await openWorld();
  assert.match(await page.textContent('#editor-sharing'), /^Edit a box/);
  await page.fill('#editor-search', 'zürich');
  await page.keyboard.press('Enter');
  await page.click('#editor-select');
  const { x, y } = await placeOf(page, 'Zürich'), texts = [];
  const drawn = () => page.evaluate(() => document.querySelector('#editor-strip canvas').toDataURL());
  const empty = await drawn();
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 1; i < 5; i++) {
    await page.mouse.move(x + 9 * i, y + 5 * i);
    await page.waitForTimeout(40);
    texts.push(await page.textContent('#editor-sharing'));
    assert.equal(texts[i - 1], `Move Zürich: this edit copied ${await sharing(page)}`);
  }
  await picture(page, 'editor-strip');
  await page.mouse.up();
  assert.equal(await figure(page, 'editor', 'versions'), '2');
  assert.ok(Number(/copied (\d+) of/.exec(texts[3])[1]) < 40);
  assert.notEqual(await drawn(), empty);
  // The drag is one version, and one entry under the hood, which says the same.
  await page.click('#editor-hood');
  assert.deepEqual(await page.$$eval('#hood .actions button', (all) => all.map(({ textContent }) => textContent)), ['Editor: move Zürich']);
  assert.equal(await figure(page, 'hood', 'copied'), /copied (\d+) of/.exec(texts[3])[1]);
  await page.click('#tab-editor');
  await page.click('#editor-undo');
  await page.waitForFunction(() => document.getElementById('editor-sharing').textContent.startsWith('Edit a box'));
  await page.click('#editor-redo');
  await page.selectOption('#editor-colour', '2');
  await page.waitForFunction(() => /^Colour Zürich: this edit copied 0 of [\d,]+ blocks of the tree, and \d+ B of names and colours; /.test(document.getElementById('editor-sharing').textContent));
  await page.done();
});

/** Shows an arrow at a position of the page, since screenshots have no pointer. */
const point = (page, x, y) => page.evaluate(([left, top]) => {
  const arrow = document.getElementById('arrow') ?? document.body.appendChild(Object.assign(document.createElement('div'), { id: 'arrow' }));
  Object.assign(arrow.style, { position: 'fixed', left: `${left}px`, top: `${top}px`, width: '14px', height: '20px', background: '#000', pointerEvents: 'none',
    clipPath: 'polygon(0 0, 0 80%, 28% 62%, 48% 100%, 66% 92%, 47% 55%, 80% 55%)' });
}, [x, y]);

test('an animation of a drag shows the path that each of its versions copies', async () => {
  const page = await openWorld({ width: 1000, height: 640 }), frames = [], copied = [];
  await page.click('#editor-select');
  await page.fill('#editor-search', 'madagascar');
  await page.keyboard.press('Enter');
  await run(page, ({ plane: { surface } }) => surface.zoom(0.4));
  // A place in the box that is far from all cities, which are smaller, and from the handles.
  const { x, y } = await run(page, ({ scenes, plane, plane: { surface } }, wanted) => {
    const parts = scenes.now.get('names').entries().filter(([, bytes]) => new TextDecoder().decode(bytes) === wanted).map(([id]) => scenes.now.get('boxes').find(id));
    const { id, minX, minY, maxX, maxY } = parts.reduce((most, one) => (one.maxY - one.minY > most.maxY - most.minY ? one : most));
    const places = Array.from({ length: 400 }, (_, i) => ({ x: minX + (maxX - minX) * (i % 20 + 0.5) / 20, y: minY + (maxY - minY) * (Math.floor(i / 20) + 0.5) / 20 }));
    const far = (place) => Math.hypot(place.x - (minX + maxX) / 2, place.y - (minY + maxY) / 2);
    const [at] = places.filter((place) => plane.itemAt(place)?.id === id).sort((a, b) => far(a) - far(b)), { left, top } = surface.edgesOf({ minX: at.x, minY: at.y, maxX: at.x, maxY: at.y });
    const box = surface.canvas.getBoundingClientRect();
    return { x: box.left + left, y: box.top + top };
  }, 'Madagascar');
  const stage = await page.locator('#editor-plane').boundingBox(), strip = await page.locator('#editor-strip').boundingBox();
  const clip = { x: stage.x, y: stage.y, width: stage.width, height: strip.y + strip.height - stage.y };
  const add = async (time) => frames.push({ png: await page.screenshot({ clip }), time });
  await page.mouse.click(x, y);
  await point(page, x, y);
  await add(1200);
  await page.mouse.down();
  for (let i = 1; i <= 24; i++) {
    const angle = Math.PI * i / 24, to = { x: x + 90 * Math.sin(angle), y: y - 60 * (1 - Math.cos(angle)) };
    await page.mouse.move(to.x, to.y);
    await point(page, to.x, to.y);
    const [, label] = await page.waitForFunction(() => {
      const { strip: { edit, sentence }, scenes } = pqtStudio.tabs.editor.editor;
      return edit?.after === scenes.now && /: this edit copied (\d+) of/.exec(sentence.textContent);
    }).then((handle) => handle.jsonValue());
    copied.push(Number(label));
    assert.equal(await page.textContent('#editor-sharing'), `Move Madagascar: this edit copied ${await sharing(page)}`);
    await add(i === 24 ? 2500 : 110);
  }
  await page.mouse.up();
  assert.deepEqual([...new Set(copied)], [6, 7], 'as README.md says');
  const bytes = animated(frames);
  assert.ok(bytes.length < 300000, String(bytes.length));
  // The browser finds the frames, and the last one is the last screenshot, but for colours that are rare.
  const found = await page.evaluate(async ([text, last]) => {
    const bytesOf = (one) => Uint8Array.from(atob(one), (letter) => letter.charCodeAt(0));
    const decoder = new ImageDecoder({ data: bytesOf(text), type: 'image/png' });
    await Promise.all([decoder.completed, decoder.tracks.ready]);
    const frameCount = decoder.tracks.selectedTrack.frameCount, canvas = new OffscreenCanvas(1, 1), context = canvas.getContext('2d', { willReadFrequently: true });
    const pixelsOf = (image, width, height) => {
      Object.assign(canvas, { width, height });
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, width, height).data;
    };
    const { image } = await decoder.decode({ frameIndex: frameCount - 1 }), bitmap = await createImageBitmap(new Blob([bytesOf(last)], { type: 'image/png' }));
    const ours = pixelsOf(image, image.displayWidth, image.displayHeight), theirs = pixelsOf(bitmap, bitmap.width, bitmap.height);
    return { frameCount, size: ours.length === theirs.length, far: ours.reduce((count, value, i) => count + (Math.abs(value - theirs[i]) > 40 ? 1 : 0), 0) };
  }, [bytes.toString('base64'), frames.at(-1).png.toString('base64')]);
  assert.deepEqual({ ...found, far: found.far < 100 }, { frameCount: frames.length, size: true, far: true }, JSON.stringify(found));
  const { SCREENSHOTS } = process.env;
  if (SCREENSHOTS !== undefined) {
    mkdirSync(SCREENSHOTS, { recursive: true });
    writeFileSync(`${SCREENSHOTS}/editor-drag.png`, bytes);
    for (const i of [0, 8, 16, 24]) writeFileSync(`${SCREENSHOTS}/editor-drag-${i}.png`, frames[i].png);
  }
  await page.done();
});

/** Counts what an edit makes: elements, and calls of the library. */
const costOfEdit = (page) => run(page, (editor) => {
  let made = 0;
  const old = {};
  for (const name of ['createElement', 'createElementNS']) {
    old[name] = document[name];
    document[name] = (...rest) => { made++; return old[name].apply(document, rest); };
  }
  const before = counts.calls;
  editor.moveTo([...editor.selection.values()], 1, 1, 0);
  const calls = counts.calls - before;
  for (const name of Object.keys(old)) delete document[name];
  return { made, calls };
});

test('the cost of an edit does not depend on the number of versions, and all versions are listed', async () => {
  const page = await open({ counted: true });
  const edits = (count) => run(page, (editor, times) => {
    if (editor.selection.size === 0) editor.drawBox({ minX: 10, minY: 20, maxX: 200, maxY: 300 });
    for (let i = 0; i < times; i++) editor.moveTo([...editor.selection.values()], i % 2 === 0 ? 1 : -1, 0.5, 0);
  }, count);
  await edits(20);
  const few = await costOfEdit(page);
  await edits(2000);
  const many = await costOfEdit(page);
  console.log(`# an edit at 22 and at 2,023 versions: ${JSON.stringify([few, many])}`);
  assert.ok(many.made <= few.made + 1 && many.made <= 12, 'elements');
  assert.ok(many.calls <= few.calls + 4, 'calls of the library');
  assert.equal(await page.textContent('output[for="editor-version"]'), '2,024 of 2,024');
  // The slider and the list reach every version.
  const current = () => run(page, ({ scenes }) => scenes.history.current);
  for (const at of [0, 1, 700, 2022]) {
    await page.fill('#editor-version', String(at));
    assert.equal(await current(), at);
    await page.waitForSelector(`#editor-graph [data-entry="${at}"][aria-current]`);
    const isSeen = await page.evaluate(() => {
      const row = document.querySelector('#editor-graph [aria-current]').getBoundingClientRect(), list = document.querySelector('.graph').getBoundingClientRect();
      return row.top >= list.top - 1 && row.bottom <= list.bottom + 1;
    });
    assert.ok(isSeen, `version ${at} is scrolled into view`);
    assert.ok(await page.$$eval('#editor-graph li', (all) => all.length) < 30);
  }
  await page.evaluate(() => { document.querySelector('.graph').scrollTop = 1000 * 34; });
  await page.waitForSelector('#editor-graph [data-entry="1020"]');
  await page.click('#editor-graph [data-entry="1020"]');
  assert.equal(await current(), 1020);
  await page.done();
});

test('the lines of the list join branches and merges, and the rows of a part are those of the whole', async () => {
  const page = await open();
  const found = await page.evaluate(async () => {
    const { Lanes } = await import(new URL('editor_lanes.js', location.href).href);
    // 0 - 1 - 2 - 5 (merges 4) - 6, and 1 - 3 - 4 - 7.
    const entries = [[0, 0], [1, 0], [2, 1], [3, 1], [4, 3], [5, 2], [6, 5], [7, 4]].map(([number, parent]) => ({ number, parent }));
    const lanes = new Lanes(entries, new Map([[5, 4]]));
    return { all: lanes.rows(0, 8), part: lanes.rows(2, 6), places: [3, 7, 9].map((number) => lanes.indexOf(number)) };
  });
  const short = found.all.map(({ number, column, passing, joining, merged }) => [number, column, passing, joining, merged]);
  assert.deepEqual(short, [[7, 1, [], [], null], [6, 0, [1], [], null], [5, 0, [1], [], 1], [4, 1, [0], [], null], [3, 1, [0], [], null], [2, 0, [1], [], null],
    [1, 0, [], [1], null], [0, 0, [], [], null]]);
  assert.deepEqual(found.part, found.all.slice(2, 6));
  assert.deepEqual(found.places, [3, 7, -1]);
  await page.done();
});

test('boxes are found by name, called by it in messages, and small ones win a click', async () => {
  const page = await openWorld();
  assert.equal(await page.getAttribute('#editor-hand', 'aria-pressed'), 'true', 'a drag in a loaded world moves it');
  await page.fill('#editor-search', 'bern');
  await page.waitForFunction(() => /\d/.test(document.getElementById('editor-found-count').textContent));
  assert.equal(await page.textContent('#editor-found li:first-child'), 'Bern');
  await page.click('#editor-found li:first-child button');
  assert.equal(await status(page), 'Bern is selected.');
  const { x, y } = await placeOf(page, 'Bern');
  assert.ok(await page.evaluate(([left, top]) => document.elementFromPoint(left, top).matches('#editor-plane canvas'), [x, y]), 'the view is there');
  await page.keyboard.press('Escape');
  await page.mouse.click(x, y);
  assert.equal(await status(page), 'Bern is selected.', 'not a country around it');
  await page.focus('#editor-plane canvas');
  await page.keyboard.press('Delete');
  assert.equal(await status(page), 'Bern is deleted. Undo brings it back.');
  await page.fill('#editor-search', 'france');
  await page.keyboard.press('Enter');
  assert.match(await page.textContent('#editor-found li:first-child'), /^France, box \d+$/, 'several boxes have this name');
  assert.ok(await run(page, ({ selection }) => [...selection.values()].every(({ minX, maxX }) => maxX - minX > 10)), 'the largest one is the first');
  await page.fill('#editor-search', 'no such town');
  await page.waitForFunction(() => document.getElementById('editor-found-count').textContent === 'No box has this name or id.');
  // A line of any length loses against a small box.
  await page.click('#editor-new');
  await run(page, (editor) => {
    editor.drawBox({ minX: 480, minY: 340, maxX: 520, maxY: 360 });
    editor.drawBox({ minX: 0, minY: 350, maxX: 1000, maxY: 350 });
  });
  assert.equal(await run(page, ({ plane }) => plane.itemAt({ x: 500, y: 350 }).id), 1);
  await page.done();
});

test('the editor begins with the world, unless something else is there, and an error ends with the next success', async () => {
  const page = await open({ isEmpty: false });
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.files.name === 'world');
  assert.match(await status(page), /^53,278 boxes\. Drag to move the plane/);
  await page.evaluate(() => pqtStudio.open('bad.csv', new TextEncoder().encode('a,b\n')));
  assert.ok(await page.isVisible('#error'));
  await run(page, (editor) => editor.drawBox({ minX: 0, minY: 0, maxX: 1, maxY: 1 }));
  assert.ok(!await page.isVisible('#error'));
  await page.done();
});

test('the hand moves the plane and draws nothing, and so does Space after a click on a button', async () => {
  const page = await openWorld();
  const view = () => run(page, ({ plane: { surface: { left, top, scale } } }) => [left * scale, top * scale]);
  const box = await page.evaluate(() => document.querySelector('#editor-plane canvas').getBoundingClientRect().toJSON());
  const dragBy = async (dx, dy) => {
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + dx / 2, y + dy / 2);
    await page.mouse.move(x + dx, y + dy);
    await page.mouse.up();
  };
  const near = (a, b) => assert.ok(Math.hypot(a[0] - b[0], a[1] - b[1]) < 1, `${a} ${b}`);
  let before = await view();
  await dragBy(60, 0);
  near(await view(), [before[0] - 60, before[1]]);
  await page.click('#editor-draw');
  before = await view();
  await page.keyboard.down(' ');
  await dragBy(-30, 0);
  await page.keyboard.up(' ');
  near(await view(), [before[0] + 30, before[1]]);
  assert.equal(await figure(page, 'editor', 'versions'), '1');
  await page.keyboard.press('h');
  assert.equal(await page.getAttribute('#editor-hand', 'aria-pressed'), 'true');
  await page.done();
});

test('what is seen is saved as PNG and as SVG', async () => {
  const page = await open();
  const saved = async (id) => {
    const waiting = page.waitForEvent('download');
    await page.click(id);
    const file = await waiting;
    return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
  };
  await run(page, (editor) => {
    for (let i = 0; i < 3; i++) editor.drawBox({ minX: 100 + 200 * i, minY: 100, maxX: 250 + 200 * i, maxY: 300 });
    editor.setName('A <b> & "c"');
    editor.setColour(4);
    editor.drawBox({ minX: 5000, minY: 100, maxX: 5001, maxY: 101 });
    editor.selection.clear();
    editor.plane.surface.fit({ minX: 0, minY: 0, maxX: 1000, maxY: 700 });
    editor.plane.surface.drawNow();
  });
  const svg = await saved('#editor-svg'), png = await saved('#editor-png');
  assert.deepEqual([svg.name, png.name], ['scene.svg', 'scene.png']);
  assert.equal(await status(page), 'What is seen was saved as scene.png.');
  const found = await page.evaluate(async ([text, bytes]) => {
    const parsed = new DOMParser().parseFromString(text, 'image/svg+xml'), { surface } = pqtStudio.tabs.editor.editor.plane;
    const image = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: 'image/png' }));
    return { error: parsed.querySelector('parsererror') !== null, boxes: parsed.querySelectorAll('g rect').length, names: [...parsed.querySelectorAll('text')].map(({ textContent }) => textContent),
      isWhole: image.width === surface.canvas.width && image.height === surface.canvas.height };
  }, [svg.bytes.toString(), [...png.bytes]]);
  assert.deepEqual(found, { error: false, boxes: 3, names: ['A <b> & "c"'], isWhole: true }, 'the box outside of the view is not in the picture');
  await page.done();
});

// SPDX-License-Identifier: MIT
// pixels.test.js: tests the Pixels tab: each control and key, and whether its versions equal those
// of the native program.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { figure, hashOfCanvas, picture, program, slide, startStudio, touch } from './page.js';
import { randomFrom } from './random.js';
import { replayed } from './replay.js';

let studio;
before(async () => { studio = await startStudio(); });
after(() => studio.stop());

const open = (options) => studio.open({ tab: 'pixels', ...options });
const run = (page, fn, ...rest) => page.evaluate(`(${fn})(pqtStudio.tabs.pixels.pixels, ...${JSON.stringify(rest)})`);
const sizes = (page) => run(page, ({ objects }) => [objects.now.blocking.size, objects.now.collider.size]);
const fingerprints = (page) => run(page, ({ objects }) => [objects.now.blocking.fingerprint(), objects.now.collider.fingerprint()]);

/** Returns the point on the page that shows a pixel of a sheet, or a position in the scene. */
const placeOf = (page, which, x, y) => run(page, ({ controls }, name, at) => {
  const surface = name === 'scene' ? controls.surface : controls.sheets.find((sheet) => sheet.name === name).surface;
  const box = surface.canvas.getBoundingClientRect();
  return { x: box.left + (at.x - surface.left) * surface.scale, y: box.top + (at.y - surface.top) * surface.scale };
}, which, { x, y });

async function drag(page, which, from, to) {
  const begin = await placeOf(page, which, ...from), end = await placeOf(page, which, ...to);
  await page.mouse.move(begin.x, begin.y);
  await page.mouse.down();
  await page.mouse.move((begin.x + end.x) / 2, (begin.y + end.y) / 2);
  await page.mouse.move(end.x, end.y);
  await page.mouse.up();
}

test('a stroke is drawn on each sheet, erased, undone and redone', async () => {
  const page = await open();
  const [blocking, collider] = await sizes(page);
  await slide(page, 'pixels-pen', 6);
  await drag(page, 'blocking', [5, 5], [40, 5]);
  const drawn = await sizes(page);
  assert.ok(drawn[0] > blocking + 150 && drawn[1] === collider, `${drawn}`);
  await page.check('#pixels-eraser');
  await drag(page, 'collider', [30, 18], [30, 42]);
  const erased = await sizes(page);
  assert.ok(erased[1] < collider && erased[0] === drawn[0]);
  assert.equal(await figure(page, 'pixels', 'entries'), '3');
  await page.click('#pixels-undo');
  assert.deepEqual(await sizes(page), drawn);
  assert.equal(await page.textContent('#status'), 'Undone: Erase on the collision object');
  await page.keyboard.press('Control+z');
  assert.deepEqual(await sizes(page), [blocking, collider]);
  assert.ok(await page.isDisabled('#pixels-undo'));
  await page.keyboard.press('Control+Shift+Z');
  await page.click('#pixels-redo');
  assert.deepEqual(await sizes(page), erased);
  assert.ok(await page.isDisabled('#pixels-redo'));
  await page.done();
});

test('a finger draws and drags; a second one is ignored', async () => {
  const page = await open({ touch: true });
  await page.click('#pixels-clear-collider');
  const place = async (...at) => Object.values(await placeOf(page, ...at));
  const left = await place('collider', 10, 10), right = await place('collider', 50, 10), below = await place('collider', 10, 50);
  await touch(page, [left, left, left], [right, below, right]);
  assert.ok((await sizes(page))[1] < 20, 'a dot, and no line to the other finger');
  const held = await place('scene', 150, 100), free = await place('scene', 52, 48), away = await place('scene', 60, 120);
  const before = await run(page, ({ scene: { blocking, collider } }) => [{ ...blocking }, { ...collider }]);
  await touch(page, [held, held], [free, away]);
  assert.deepEqual(await run(page, ({ scene: { blocking, collider } }) => [blocking, collider]), before);
  await touch(page, [free, away]);
  assert.notDeepEqual(await run(page, ({ scene: { collider } }) => collider), before[1]);
  await page.done();
});

test('the keys e, a and s set the pen, and r runs', async () => {
  const page = await open();
  await page.focus('#pixels-scene canvas');
  await page.keyboard.press('e');
  assert.ok(await page.isChecked('#pixels-eraser'));
  await page.keyboard.press('e');
  assert.ok(!await page.isChecked('#pixels-eraser'));
  await page.keyboard.press('s');
  await page.keyboard.press('s');
  assert.equal(await page.inputValue('#pixels-pen'), '5');
  await page.keyboard.press('a');
  assert.equal(await run(page, (pixels) => pixels.pen), 4);
  for (let i = 0; i < 10; i++) await page.keyboard.press('a');
  assert.equal(await run(page, (pixels) => pixels.pen), 1);
  await page.keyboard.press('r');
  await page.waitForFunction(() => pqtStudio.tabs.pixels.pixels.scene.running?.x > 25);
  assert.equal(await page.textContent('#pixels-run'), 'Stop');
  await page.keyboard.press('r');
  assert.equal(await run(page, ({ scene }) => scene.running), null);
  await page.done();
});

test('a moving object never overlaps, and sliding takes it further', async () => {
  const page = await open();
  const found = await run(page, ({ scene }) => {
    const ends = {};
    for (const mode of ['sweep', 'slide']) {
      scene.mode = mode;
      scene.stop();
      let farthest = 0;
      for (let i = 0; i < 80; i++) {
        scene.advance(1.4 / 80);
        const { area } = scene.result();
        if (area !== 0) throw new Error(`${mode}: overlap of ${area}`);
        farthest = Math.max(farthest, scene.running.x + scene.running.y);
      }
      ends[mode] = farthest;
    }
    return ends;
  });
  assert.ok(found.slide > found.sweep + 5, JSON.stringify(found));
  await page.done();
});

test('objects and the tip of the movement are dragged, and moved by keys', async () => {
  const page = await open();
  await drag(page, 'scene', [40, 46], [60, 56]);
  assert.deepEqual(await run(page, ({ scene: { collider } }) => [Math.round(collider.x), Math.round(collider.y)]), [40, 26]);
  await drag(page, 'scene', [170, 110], [160, 120]);
  assert.deepEqual(await run(page, ({ scene: { blocking } }) => [Math.round(blocking.x), Math.round(blocking.y)]), [120, 70]);
  const tip = await run(page, ({ scene }) => scene.tip());
  await drag(page, 'scene', [tip.x, tip.y], [tip.x + 10, tip.y - 20]);
  assert.deepEqual(await run(page, ({ scene: { vector } }) => [Math.round(vector.x), Math.round(vector.y)]), [130, 42]);
  await page.selectOption('#pixels-grabbed', 'tip');
  await page.focus('#pixels-scene canvas');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Shift+ArrowDown');
  assert.deepEqual(await run(page, ({ scene: { vector } }) => [Math.round(vector.x), Math.round(vector.y)]), [129, 52]);
  await page.done();
});

test('an object is dragged by its pixels or its centre, stays in reach, and its places are undone', async () => {
  const page = await open();
  const places = () => run(page, ({ scene: { blocking, collider, vector } }) => [blocking, collider, vector].map(({ x, y }) => [Math.round(x), Math.round(y)]));
  const first = await places();
  await drag(page, 'scene', [132, 118], [100, 100]); // in the frame of the blocking object, where it has no pixel
  assert.deepEqual(await places(), first);
  const centre = await run(page, ({ scene }) => scene.centre('blocking'));
  await drag(page, 'scene', [centre.x, centre.y], [centre.x - 12, centre.y + 5]);
  assert.deepEqual(await places(), [[118, 65], first[1], first[2]]);
  await drag(page, 'scene', [118 + 32, 65 + 52], [5000, 117]);
  const [[x]] = await places();
  assert.equal(x, 240 - 32, 'the centre stays in view');
  assert.equal(await figure(page, 'pixels', 'entries'), '3', 'a drag is one version');
  await page.click('#pixels-undo');
  assert.equal(await page.textContent('#status'), 'Undone: Move the blocking object');
  assert.deepEqual((await places())[0], [118, 65]);
  await page.click('#pixels-reset');
  assert.deepEqual(await places(), first);
  await page.click('#pixels-undo');
  assert.deepEqual((await places())[0], [118, 65]);
  await page.click('#pixels-fit');
  const [seen, bounds] = await run(page, ({ scene, controls: { surface } }) => [surface.visible, scene.bounds]);
  assert.ok(seen.minX <= bounds.minX && seen.minY <= bounds.minY && seen.maxX >= bounds.maxX && seen.maxY >= bounds.maxY);
  await page.done();
});

test('pixels are painted in colours, which are undone, saved and loaded', async () => {
  const page = await open();
  await page.click('#pixels-clear-blocking');
  await page.fill('#pixels-colour', '#ff8000');
  assert.ok(await page.isChecked('#pixels-in-colour'));
  await drag(page, 'blocking', [20, 20], [40, 20]);
  const colourAt = (x, y) => run(page, ({ objects }, atX, atY) => objects.colours.blocking.pixel(atX, atY), x, y);
  assert.deepEqual(await colourAt(30, 20), [255, 128, 0, 255]);
  await page.waitForFunction(() => document.getElementById('pixels-sharing').textContent.startsWith('Paint on the blocking object: this edit copied 2 of 4 parts, '));
  const [size] = await sizes(page);
  await page.fill('#pixels-colour', '#0000ff'); // the same pixels in another colour
  await drag(page, 'blocking', [20, 20], [40, 20]);
  assert.deepEqual(await colourAt(30, 20), [0, 0, 255, 255]);
  assert.equal((await sizes(page))[0], size);
  await page.click('#pixels-undo');
  assert.deepEqual(await colourAt(30, 20), [255, 128, 0, 255]);
  const saved = page.waitForEvent('download');
  await page.click('#pixels-save-blocking');
  const buffer = readFileSync(await (await saved).path());
  await page.check('#pixels-eraser');
  await drag(page, 'blocking', [20, 20], [40, 20]);
  assert.deepEqual(await colourAt(30, 20), [0, 0, 0, 0]);
  assert.deepEqual((await sizes(page))[0], 0);
  await page.evaluate((bytes) => pqtStudio.open('mine.png', new Uint8Array(bytes)), [...buffer]);
  assert.deepEqual(await colourAt(30, 20), [255, 128, 0, 255]);
  assert.equal(await page.textContent('#status'), 'mine.png is the blocking object.');
  await page.done();
});

/** Returns a picture with a size, as PNG in base 64: pixels of many colours, of which those of the right half are transparent if it is `holed`. */
const pngOf = (page, width, height, isHoled = false) => page.evaluate(async ([w, h, holed]) => {
  const canvas = new OffscreenCanvas(w, h), image = new ImageData(w, h), pixels = new Uint32Array(image.data.buffer);
  for (let i = 0, state = 1; i < pixels.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    pixels[i] = holed && i % w > w / 2 ? 0 : (state | 0xff000000) >>> 0;
  }
  canvas.getContext('2d').putImageData(image, 0, 0);
  const reader = new FileReader();
  return new Promise((resolve) => {
    reader.addEventListener('load', () => resolve(reader.result.split(',')[1]));
    canvas.convertToBlob().then((blob) => reader.readAsDataURL(blob));
  });
}, [width, height, isHoled]);

const openPng = (page, text) => page.evaluate((png) => pqtStudio.open('large.png', Uint8Array.from(atob(png), (one) => one.charCodeAt(0))), text);

/** Compares the pixels of two PNG pictures. Returns the size, the number of pixels that differ, and the box around them. */
const compared = (page, a, b) => page.evaluate(async (both) => {
  const [one, other] = await Promise.all(both.map(async (bytes) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0))])), { width, height } = bitmap;
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    return { width, height, pixels: new Uint32Array(context.getImageData(0, 0, width, height).data.buffer) };
  }));
  const places = [...one.pixels.keys()].filter((i) => one.pixels[i] !== other.pixels[i]).map((i) => [i % one.width, Math.floor(i / one.width)]);
  const ends = (k) => (places.length === 0 ? [] : [places.reduce((least, at) => Math.min(least, at[k]), Infinity), places.reduce((most, at) => Math.max(most, at[k]), -1)]);
  return { size: [one.width, one.height], isSameSize: one.width === other.width && one.height === other.height, count: places.length, x: ends(0), y: ends(1) };
}, [a, b]);

const savedPicture = async (page) => {
  const saved = page.waitForEvent('download');
  await page.click('#pixels-save-blocking');
  return readFileSync(await (await saved).path()).toString('base64');
};

test('a picture of 1024 x 768 keeps its size and its pixels: opened, painted, undone, kept and saved', async () => {
  const page = await open(), png = await pngOf(page, 1024, 768);
  await openPng(page, png);
  assert.equal(await page.textContent('#status'), 'large.png is the blocking object.');
  assert.equal(await page.textContent('#pixels-blocking + .zoom span'), '1,024 x 768 px');
  assert.equal(await savedPicture(page), png, 'without an edit, the same bytes');
  const unedited = await fingerprints(page);
  await page.fill('#pixels-colour', '#201040');
  await slide(page, 'pixels-pen', 20);
  await page.click('#pixels-in-blocking');
  await drag(page, 'blocking', [500, 400], [600, 400]);
  await page.waitForFunction(() => document.getElementById('pixels-sharing').textContent.startsWith('Paint on the blocking object: this edit copied 2 of 4 parts, '));
  const [, own, unit, all] = /parts, ([\d.]+) (kB|B); a full copy takes ([\d.]+) MB/.exec(await page.textContent('#pixels-sharing'));
  assert.ok(Number(own) * (unit === 'kB' ? 1000 : 1) < 60000 && Number(all) > 3, 'a stroke copies its tiles');
  const painted = await savedPicture(page), change = await compared(page, png, painted);
  assert.deepEqual([change.size, change.isSameSize], [[1024, 768], true]);
  assert.ok(change.x[0] >= 488 && change.x[1] <= 612 && change.y[0] >= 388 && change.y[1] <= 412 && change.count > 2000, JSON.stringify(change));
  await page.click('#pixels-undo');
  assert.deepEqual(await fingerprints(page), unedited);
  assert.equal(await savedPicture(page), png, 'after undo, too');
  await page.click('#pixels-redo');
  await page.waitForFunction(() => pqtStudio.tabs.pixels.pixels.work.isKept);
  await page.reload();
  await page.click('#pixels-work-continue');
  await page.waitForFunction(() => pqtStudio.tabs.pixels.pixels.objects.sizes.blocking.width === 1024);
  assert.equal((await compared(page, painted, await savedPicture(page))).count, 0, 'the picture is whole after the work was continued');
  await page.click('#pixels-undo');
  assert.equal((await compared(page, png, await savedPicture(page))).count, 0);
  await page.click('#pixels-undo');
  assert.deepEqual(await run(page, ({ objects }) => objects.sizes.blocking), { width: 64, height: 64 });
  await page.done();
});

test('a large sheet is moved and scaled by the wheel, by buttons, keys, the middle button and two fingers', async () => {
  const page = await open({ touch: true }), png = await pngOf(page, 300, 200, true);
  await openPng(page, png);
  const view = () => run(page, ({ controls: { sheets: [{ surface: { left, top, scale } }] } }) => ({ left, top, scale })), first = await view();
  const entries = () => figure(page, 'pixels', 'entries'), place = await placeOf(page, 'blocking', 100, 100), before = await entries();
  await page.mouse.move(place.x, place.y);
  await page.mouse.wheel(0, -600);
  await page.waitForFunction((scale) => pqtStudio.tabs.pixels.pixels.controls.sheets[0].surface.scale > 2 * scale, first.scale);
  const under = await placeOf(page, 'blocking', 100, 100);
  assert.ok(Math.hypot(under.x - place.x, under.y - place.y) < 3, 'the point under the pointer stays');
  const zoomed = await view();
  await page.mouse.down({ button: 'middle' });
  await page.mouse.move(place.x + 30, place.y + 20);
  await page.mouse.up({ button: 'middle' });
  const moved = await view();
  assert.deepEqual([moved.left, moved.top].map((one) => Math.round(100 * one)), [zoomed.left - 30 / zoomed.scale, zoomed.top - 20 / zoomed.scale].map((one) => Math.round(100 * one)));
  await page.focus('#pixels-blocking canvas');
  await page.keyboard.down(' ');
  await page.mouse.down();
  await page.mouse.move(place.x, place.y);
  await page.mouse.up();
  await page.keyboard.up(' ');
  assert.ok(Math.abs((await view()).left - zoomed.left) < 0.01);
  await page.keyboard.press('f');
  assert.deepEqual(await view(), first);
  await page.keyboard.press('+');
  await page.click('#pixels-in-blocking');
  assert.ok(Math.abs((await view()).scale / first.scale - 1.5625) < 1e-9);
  await page.keyboard.press('-');
  await page.click('#pixels-out-blocking');
  await page.click('#pixels-fit-blocking');
  assert.deepEqual(await view(), first);
  const finger = (x, y) => [place.x + x, place.y + y];
  await touch(page, [finger(-10, 0), finger(-10, 0), finger(-30, 0)], [finger(10, 0), finger(10, 0), finger(30, 0)]);
  assert.ok((await view()).scale > 2 * first.scale);
  assert.equal(await entries(), before, 'nothing was drawn');
  await page.focus('#pixels-blocking canvas');
  await page.click('#pixels-in-blocking', { clickCount: 8 });
  await page.focus('#pixels-blocking canvas');
  for (let i = 0; i < 40; i++) await page.keyboard.press('Shift+ArrowRight');
  const seen = await run(page, ({ controls: { sheets: [{ surface }] } }) => surface.visible);
  assert.ok(seen.minX <= 299.5 && seen.maxX >= 299.5, 'the cursor stays in view');
  await page.keyboard.press('Enter');
  assert.equal(await run(page, ({ objects }) => objects.now.blocking.has(299, 100)), true);
  await page.done();
});

test('a picture with more pixels than the largest sheet is reduced, which the page says', async () => {
  const page = await open();
  await page.evaluate(async () => {
    const { limits } = await import(new URL('pixels_file.js', location.href).href);
    Object.assign(limits, { pixels: 100 * 100, side: 150 });
  });
  const note = async (width, height) => {
    const png = await pngOf(page, width, height);
    await openPng(page, png);
    return (await page.textContent('#status')).slice('large.png is the blocking object.'.length);
  };
  assert.equal(await note(100, 100), '');
  assert.equal(await note(200, 100), ' It has 200 x 100 pixels, and was reduced to 140 x 70.');
  assert.equal(await note(160, 10), ' It has 160 x 10 pixels, and was reduced to 150 x 9.');
  await page.done();
});

test('a large picture is drawn without a path for its pixels', async () => {
  const page = await open({ counted: true }), png = await pngOf(page, 1024, 768);
  await openPng(page, png);
  await page.uncheck('#pixels-cells');
  const counted = (fn) => page.evaluate(`(() => { const before = { ...counts }; (${fn})(pqtStudio.tabs.pixels.pixels); return { shapes: counts.shapes - before.shapes, calls: counts.calls - before.calls }; })()`);
  const found = await counted((pixels) => {
    pixels.paint('blocking', [{ op: 'set', x: 500, y: 300, toX: 600, toY: 300, radius: 8 }]);
    for (const { surface } of pixels.controls.sheets) surface.drawNow();
  });
  console.log(`# a stroke on a picture of 1024 x 768: ${JSON.stringify(found)}`);
  assert.ok(found.shapes < 80 && found.calls < 300, JSON.stringify(found));
  await page.done();
});

test('all modes, shapes and levels give the same results as the library', async () => {
  const page = await open();
  assert.equal(await figure(page, 'pixels', 'status'), 'hits');
  const sweep = await page.textContent('#pixels [data-figure="stop"]');
  await page.selectOption('#pixels-mode', 'slide');
  assert.notEqual(await page.textContent('#pixels [data-figure="stop"]'), sweep);
  assert.match(await figure(page, 'pixels', 'status'), /^slides,? blocked along [xy]/, 'not free, as its end is');
  assert.match(await figure(page, 'pixels', 'time'), /^blocked last at 0\.\d+$/);
  await page.selectOption('#pixels-mode', 'intersect');
  assert.equal(await figure(page, 'pixels', 'status'), 'apart');
  await run(page, (pixels) => pixels.drag('collider', 105, 30));
  assert.equal(await figure(page, 'pixels', 'status'), 'overlaps');
  const area = await run(page, ({ objects: { now }, scene: { collider, blocking } }) =>
    now.collider.overlapArea(now.blocking, { x: blocking.x - collider.x, y: blocking.y - collider.y }));
  assert.ok(area > 0);
  assert.equal(await page.textContent('#pixels [data-figure="area"]'), `${Math.round(area * 100) / 100} px²`);
  await page.selectOption('#pixels-shapes', 'rectangles');
  const larger = Number.parseFloat(await page.textContent('#pixels [data-figure="area"]'));
  assert.ok(larger > area);
  await page.selectOption('#pixels-shapes', 'rectangle');
  assert.ok(Number.parseFloat(await page.textContent('#pixels [data-figure="area"]')) < larger);
  await page.selectOption('#pixels-shapes', 'pixels');
  await page.selectOption('#pixels-mode', 'sweep');
  await run(page, (pixels) => pixels.drag('collider', -105, -30));
  assert.equal(await page.textContent('#pixels [data-figure="stop"]'), sweep);
  await slide(page, 'pixels-level-blocking', 3);
  assert.equal(await run(page, ({ scene }) => scene.levels.blocking), 8);
  const coarse = Number.parseFloat(await page.textContent('#pixels [data-figure="stop"]'));
  assert.ok(coarse < Number.parseFloat(sweep), 'coarse cells stop it earlier');
  await slide(page, 'pixels-level-collider', 4);
  assert.ok(Number.parseFloat(await page.textContent('#pixels [data-figure="stop"]')) < coarse);
  const withCells = await hashOfCanvas(page, 'pixels-scene');
  await page.uncheck('#pixels-cells');
  assert.notEqual(await hashOfCanvas(page, 'pixels-scene'), withCells);
  await page.done();
});

test('a picture is saved and loaded again', async () => {
  const page = await open();
  const [before] = await fingerprints(page);
  const saved = page.waitForEvent('download');
  await page.click('#pixels-save-blocking');
  const file = await saved;
  assert.equal(file.suggestedFilename(), 'blocking.png');
  const buffer = readFileSync(await file.path());
  await page.click('#pixels-clear-blocking');
  assert.deepEqual((await sizes(page))[0], 0);
  const chosen = page.waitForEvent('filechooser');
  await page.click('#pixels-load-blocking');
  await (await chosen).setFiles({ name: 'mine.png', mimeType: 'image/png', buffer });
  await page.waitForFunction(() => pqtStudio.tabs.pixels.pixels.objects.now.blocking.size > 0);
  assert.equal((await fingerprints(page))[0], before);
  await page.evaluate(() => pqtStudio.open('bad.png', new Uint8Array([1, 2, 3])));
  assert.equal(await page.textContent('#error'), 'bad.png is not a PNG picture');
  await page.evaluate(() => pqtStudio.open('none.png', new Uint8Array()));
  assert.equal(await page.textContent('#error'), 'none.png is empty');
  for (const name of ['boxes.csv', 'tree.pqt']) {
    const other = page.waitForEvent('filechooser');
    await page.click('#pixels-load-blocking');
    await (await other).setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from('id,x,y\n1,2,3\n') });
    await page.waitForFunction((text) => document.getElementById('error').textContent === text, `${name} is neither a PNG picture nor a .pqt file with a region`);
  }
  assert.equal((await fingerprints(page))[0], before);
  await page.done();
});

test('a picture of the command line is opened at the start, and overwritten only after a question', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pqt-pixels-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const ship = join(folder, 'ship.png');
  copyFileSync(new URL('../../docs/examples/data/sprites/ship.png', import.meta.url), ship);
  const original = readFileSync(ship);
  const own = await startStudio({ files: [ship] });
  const page = await own.open({ tab: 'pixels' });
  await page.waitForFunction(() => pqtStudio.tabs.pixels.pixels.sources.blocking?.name === 'ship.png');
  await page.click('#pixels-clear-blocking');
  await drag(page, 'blocking', [10, 10], [50, 50]);
  const drawn = (await sizes(page))[0];
  page.once('dialog', (dialog) => dialog.dismiss());
  const saved = page.waitForEvent('download');
  await page.click('#pixels-save-blocking');
  await saved;
  assert.deepEqual(readFileSync(ship), original);
  page.once('dialog', (dialog) => dialog.accept());
  await page.click('#pixels-save-blocking');
  await page.waitForFunction(() => document.getElementById('status').textContent === 'ship.png is saved.');
  const { stdout } = spawnSync(program, ['region', ship], { encoding: 'utf8' });
  assert.match(stdout, new RegExp(`^pixels +${drawn}$`, 'm'));
  await page.done();
  await own.stop();
});

test('drawing is possible with the keyboard alone', async () => {
  const page = await open();
  await page.click('#pixels-clear-collider');
  await page.focus('#pixels-collider canvas');
  for (const key of ['a', 'a', 'Enter', 'ArrowRight', 'Enter', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  assert.equal((await sizes(page))[1], 3);
  await page.done();
});

test('200 strokes, clicks and keys give the same versions as the native program', async () => {
  const page = await open({ seed: 3 });
  const random = randomFrom(3);
  const below = (end) => Math.floor(random() * end);
  const seen = new Set(await fingerprints(page));
  for (let i = 0; i < 200; i++) {
    const action = below(10);
    const name = ['blocking', 'collider'][below(2)];
    if (action < 5) await drag(page, name, [below(70) - 3, below(70) - 3], [below(70) - 3, below(70) - 3]);
    else if (action === 5) await slide(page, 'pixels-pen', 1 + below(16));
    else if (action === 6) await page.keyboard.press(['e', 'a', 's'][below(3)]);
    else if (action === 7) await page.keyboard.press('Control+z');
    else if (action === 8) await page.keyboard.press('Control+Shift+Z');
    else if (below(3) === 0) await page.click(`#pixels-clear-${name}`);
    for (const fingerprint of await fingerprints(page)) seen.add(fingerprint);
  }
  const expected = replayed('pixels', await page.evaluate(() => pqtStudio.studio.log));
  assert.ok(expected.length > 60, `${expected.length} versions`);
  assert.deepEqual([...seen].sort(), [...new Set(expected)].sort());
  await page.done();
});

test('pictures of the tab are written', async () => {
  for (const dark of [false, true])
    for (const [name, width, height] of [['wide', 1280, 720], ['middle', 768, 1024], ['narrow', 390, 844]]) {
      const page = await open({ dark, width, height });
      await page.evaluate(() => {
        const { pixels } = pqtStudio.tabs.pixels;
        pixels.ink = [224, 112, 42, 255];
        pixels.paint('blocking', [{ op: 'set', x: 20, y: 52, toX: 46, toY: 52, radius: 2.5 }]);
      });
      await page.waitForFunction(() => document.getElementById('pixels-sharing').textContent.includes('copied'));
      await picture(page, `pixels-${name}-${dark ? 'dark' : 'light'}`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than the window');
      assert.ok(await page.$$eval('.drawing h2', (all) => all.every((one) => one.scrollWidth <= one.clientWidth && one.getBoundingClientRect().left >= one.closest('.drawing').getBoundingClientRect().left)),
        'no heading is cut');
      await page.done();
    }
});

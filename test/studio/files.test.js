// SPDX-License-Identifier: MIT
// files.test.js: tests that the studio loses nothing of the files that it is given, and no work without a question.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { deflateSync, inflateSync } from 'node:zlib';
import { picture, program, startBrowser, startServer, startStudio } from './page.js';

const CSV = {
  'plain.csv': 'id,x,y,name\n7,10,20,Basel\n9,30,40,Bern\n',
  'extra.csv': 'name,country,lon,lat,population\n"Sant Julià de Lòria",AD,1.49129,42.46372,8022\n"les ""Escaldes""",AD,1.53414,42.50729,15853\n',
  'crlf.csv': '\ufeffid,min_x,min_y,max_x,max_y,note\r\n1,0.50,1e3,007,1500.0,"a, b"\r\n2,-0,+1,1.,2e0,\r\n',
  'no end.csv': 'x,y\n1.50,2',
};
const GEOJSON = {
  'places.geojson': `{ "type": "FeatureCollection", "name": "places", "area": 1.50, "features": [
{ "type": "Feature", "id": 7, "properties": { "Name": "Basel", "pop": 9007199254740993, "of": {"k":[1, 2.0]} }, "geometry": { "type": "Point", "coordinates": [ 7.50, 47.5, 260 ] }, "rank": [1] },
{ "type": "Feature", "id": 9, "properties": null, "geometry": { "type": "Polygon", "coordinates": [[[0,0],[2,0],[2,1],[0,1],[0,0]]] }, "bbox": [0, 0, 2, 1] },
{ "type": "Feature", "id": 11, "properties": {}, "geometry": { "type": "LineString", "coordinates": [[0,0],[2,5]] } }
], "after": true }
`,
  'marked.json': '\ufeff{"type":"Feature","properties":{"a":1},"geometry":{"type":"Point","coordinates":[1,2]}}',
  'lines.geojsonl': '{"type":"Point","coordinates":[1,2]}\r\n{"type":"Feature","id":"x","properties":{"id":"y"},"geometry":{"type":"Point","coordinates":[3,4]}}',
  'records.json': '\x1e{"type":"Point","coordinates":[1,2]}\n\x1e{"type":"Point","coordinates":[3,4]}\n',
  'tabs.tsv': 'wkt\tname\nPOINT (1 2)\ta\n',
};
const sprites = (name) => new URL(`../../docs/examples/data/sprites/${name}`, import.meta.url);

let folder, studio;
const at = (name) => join(folder, name);
const bytesOf = (name) => readFileSync(at(name));
const pqt = (...given) => {
  const { status, stdout, stderr } = spawnSync(program, given, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout;
};

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pqt-files-'));
  for (const [name, text] of Object.entries({ ...CSV, ...GEOJSON })) writeFileSync(at(name), text);
  writeFileSync(at('boxes'), 'id,min_x,min_y,max_x,max_y\n5,0,0,10,10\n6,20,5,30,9\n18446744073709551615,40,40,50,50\n');
  pqt('search', '--window=-inf,-inf,inf,inf', at('boxes'), '-o', at('tree.pqt'));
  for (const name of ['ship.png', 'terrain.png']) copyFileSync(sprites(name), at(name));
  pqt('region', at('ship.png'), '-o', at('region.pqt'));
  pqt('region', at('terrain.png'), '-o', at('large.pqt'));
  const names = [...Object.keys(CSV), ...Object.keys(GEOJSON), 'tree.pqt', 'ship.png', 'terrain.png', 'region.pqt', 'large.pqt'];
  const made = await madeBytes();
  for (const name of ['scene.pqt', 'world.pqt']) writeFileSync(at(name), made[name]);
  studio = await startStudio({ files: [...names, 'scene.pqt', 'world.pqt'].map(at) });
});
after(async () => {
  await studio?.stop();
  rmSync(folder, { recursive: true });
});

/** Returns the bytes of a scene with names and colours, and of a world, which a page makes. */
async function madeBytes() {
  const own = await startStudio(), page = await own.open({ tab: 'balls' });
  await page.click('#tab-editor');
  await page.waitForFunction(() => pqtStudio.tabs.editor !== undefined);
  const bytes = await page.evaluate(async () => {
    await pqtStudio.open('a.csv', new TextEncoder().encode('id,x,y,name,colour\n1,2,3,one,4\n2,5,6,,0\n'));
    const world = pqtStudio.tabs.balls.balls.timeline.tip.setObstacle(null);
    return { 'scene.pqt': [...pqtStudio.tabs.editor.editor.scenes.now.toBytes()], 'world.pqt': [...world.toBytes()] };
  });
  await page.done();
  await own.stop();
  return Object.fromEntries(Object.entries(bytes).map(([name, some]) => [name, Buffer.from(some)]));
}

/** Opens a page with one of the files. */
async function open(name, options = {}) {
  const page = await studio.open({ tab: 'editor', ...options });
  await choose(page, name);
  return page;
}

async function choose(page, name) {
  await page.evaluate((file) => pqtStudio.studio.openOffered(file), name);
  await page.waitForFunction((file) => [pqtStudio.tabs.editor?.editor.files.source, pqtStudio.tabs.pixels?.pixels.sources.blocking, pqtStudio.tabs.balls?.balls.source].some((source) => source?.name === file), name);
}

const run = (page, fn, ...rest) => page.evaluate(`(${fn})(pqtStudio.tabs.editor.editor, ...${JSON.stringify(rest)})`);
const says = (page, text) => page.waitForFunction((wanted) => document.getElementById('status').textContent === wanted, text);

/** Presses a button and agrees to the question that follows. The status is cleared before, so that `says` waits for a message, also if
    it is the same as the last one. */
async function agree(page, button) {
  await page.evaluate(() => { document.getElementById('status').textContent = ''; });
  page.once('dialog', (dialog) => dialog.accept());
  await page.click(button);
}

/** Moves the first box, and waits until the page shows that. */
async function moveOne(page, dx = 1) {
  await run(page, (editor, by) => {
    editor.selection.select([editor.scenes.now.get('boxes').all().sort((a, b) => Number(a.id) - Number(b.id))[0]]);
    editor.moveTo([...editor.selection.values()], by, 0, 0);
  }, dx);
}

async function refusal(page) {
  await page.waitForSelector('#not-saved');
  return page.textContent('#not-saved p');
}

test('each file is equal byte for byte after it is saved back without an edit', async () => {
  const names = [...Object.keys(CSV), ...Object.keys(GEOJSON), 'tree.pqt', 'scene.pqt', 'ship.png', 'terrain.png', 'region.pqt', 'large.pqt', 'world.pqt'];
  const buttons = { editor: '#editor-save-back', pixels: '#pixels-save-blocking', balls: '#balls-save-back' };
  const first = Object.fromEntries(names.map((name) => [name, bytesOf(name)])), page = await studio.open({ tab: 'editor' });
  page.on('dialog', (dialog) => dialog.accept());
  for (const name of names) {
    await choose(page, name);
    const tab = await page.$eval('[aria-selected=true]', ({ id }) => id.slice('tab-'.length));
    await page.click(buttons[tab]);
    await says(page, `${name} has these contents already.`);
    assert.deepEqual(bytesOf(name), first[name], name);
    if (tab !== 'editor') continue;
    // An edit that is undone, after it was saved, gives the first bytes again.
    await moveOne(page);
    await page.click('#editor-save-back');
    await says(page, `${name} is saved.`);
    assert.notDeepEqual(bytesOf(name), first[name], name);
    await page.click('#editor-undo');
    await page.click('#editor-save-back');
    await says(page, `${name} is saved.`);
    assert.deepEqual(bytesOf(name), first[name], name);
  }
  await page.done();
});

test('an edited table changes only in the fields that were edited', async () => {
  const page = await studio.open({ tab: 'editor' });
  page.on('dialog', (dialog) => dialog.accept());
  const first = Object.fromEntries(Object.keys(CSV).map((name) => [name, bytesOf(name)]));
  const save = async (name, expected) => {
    await page.click('#editor-save-back');
    await says(page, `${name} is saved.`);
    assert.equal(bytesOf(name).toString(), expected);
    writeFileSync(at(name), first[name]);
  };
  await choose(page, 'extra.csv');
  await moveOne(page, 1);
  await page.fill('#editor-name', 'Sant Julià, "new"');
  await page.keyboard.press('Enter');
  await save('extra.csv', `name,country,lon,lat,population\n"Sant Julià, ""new""",AD,2.49129,42.46372,8022\n"les ""Escaldes""",AD,1.53414,42.50729,15853\n`);
  await choose(page, 'crlf.csv');
  await run(page, (editor) => {
    editor.selection.select([editor.scenes.now.get('boxes').find(2)]);
    editor.moveTo([...editor.selection.values()], 0, 1, 0);
    editor.drawBox({ minX: 5, minY: 6.25, maxX: 700, maxY: 800 });
  });
  await save('crlf.csv', `${CSV['crlf.csv'].slice(0, CSV['crlf.csv'].indexOf('2,-0'))}2,-0,2,1.,3,\r\n3,5,6.25,700,800,\r\n`);
  await choose(page, 'plain.csv');
  await run(page, (editor) => {
    editor.selection.select([editor.scenes.now.get('boxes').find(7)]);
    editor.removeSelected();
  });
  await save('plain.csv', 'id,x,y,name\n9,30,40,Bern\n');
  await choose(page, 'plain.csv');
  await moveOne(page);
  await page.selectOption('#editor-colour', '3');
  await page.click('#editor-save-back');
  assert.equal(await refusal(page), 'The file has no column “colour”, and a box has a colour.');
  await page.click('#not-saved-cancel');
  await page.click('#editor-undo');
  await run(page, (editor) => {
    editor.selection.clear();
    editor.setColour(0);
    editor.drawBox({ minX: 5, minY: 6.25, maxX: 700, maxY: 800 });
  });
  await page.click('#editor-save-back');
  assert.equal(await refusal(page), 'The columns of the file hold points, and box 10 is larger than a point.');
  await page.click('#not-saved-cancel');
  assert.deepEqual(bytesOf('plain.csv'), first['plain.csv']);
  await choose(page, 'no end.csv');
  assert.deepEqual(await run(page, ({ scenes }) => scenes.now.get('boxes').all().map(({ id }) => id)), [0], 'rows without ids begin at 0');
  await moveOne(page, 0.25);
  await save('no end.csv', 'x,y\n1.75,2');
  await page.done();
});

test('an edited GeoJSON file changes only in the values that were edited', async () => {
  const page = await open('places.geojson'), text = GEOJSON['places.geojson'], name = 'places.geojson';
  page.on('dialog', (dialog) => dialog.accept());
  const save = async (expected) => {
    await page.click('#editor-save-back');
    await says(page, `${name} is saved.`);
    assert.equal(bytesOf(name).toString(), expected);
  };
  const refused = async (expected) => {
    await page.click('#editor-save-back');
    assert.equal(await refusal(page), expected);
    await page.click('#not-saved-cancel');
    await page.click('#editor-undo');
  };
  const move = (id, to) => run(page, (editor, of, box) => {
    editor.selection.select([editor.scenes.now.get('boxes').find(of)]);
    editor.resizeTo([...editor.selection.values()][0], box, 0);
  }, id, to);
  assert.equal(await page.isChecked('#editor-up'), true, 'y points up');
  const saved = page.waitForEvent('download');
  await page.click('#editor-save-csv');
  assert.match(readFileSync(await (await saved).path(), 'utf8'), /^"7","POINT \(7\.5 47\.5 260\)","Basel","9007199254740993",/m, 'with all properties');
  await move(7, { minX: 8.25, minY: 47, maxX: 8.25, maxY: 47 });
  await page.fill('#editor-name', 'Bâle "B"');
  await page.keyboard.press('Enter');
  let expected = text.replace('[ 7.50, 47.5, 260 ]', '[8.25,47,260]').replace('"Basel"', '"Bâle \\"B\\""');
  await save(expected);
  await move(9, { minX: 1, minY: 0, maxX: 3, maxY: 2.5 });
  await page.selectOption('#editor-colour', '3');
  expected = expected.replace('null', '{"colour":3}').replace('[[[0,0],[2,0],[2,1],[0,1],[0,0]]]', '[[[1,0],[3,0],[3,2.5],[1,2.5],[1,0]]]').replace('[0, 0, 2, 1]', '[1,0,3,2.5]');
  await save(expected);
  await run(page, (editor) => {
    editor.selection.select([editor.scenes.now.get('boxes').find(9)]);
    editor.removeSelected();
    editor.setColour(0);
    editor.drawBox({ minX: 5, minY: 6, maxX: 7, maxY: 8 });
  });
  expected = expected.replace(/{ "type": "Feature", "id": 9.*\n/, '').replace('\n], "after"',
    ',\n{"type":"Feature","id":12,"properties":{},"geometry":{"type":"Polygon","coordinates":[[[5,6],[7,6],[7,8],[5,8],[5,6]]]}}\n], "after"');
  await save(expected);
  assert.match(pqt('search', '--window=-inf,-inf,inf,inf', at(name)), /^12,"POLYGON \(\(5 6,7 6,7 8,5 8,5 6\)\)",,,$/m, 'the program reads it');

  // An edit that the file cannot hold is refused, and a new file is offered.
  await move(11, { minX: 1, minY: 0, maxX: 3, maxY: 2.5 });
  await refused('The geometry of box 11 is no point and no rectangle (LineString), so it does not follow its box.');
  await move(7, { minX: 1, minY: 0, maxX: 3, maxY: 2.5 });
  await refused('Box 7 is a point with a height, and would be larger than a point.');
  assert.equal(bytesOf(name).toString(), expected);
  await page.click('#editor-save-csv');
  await says(page, 'The version shown was saved as places.csv, with boxes, names and colours only.');
  writeFileSync(at(name), text);

  await choose(page, 'lines.geojsonl');
  await run(page, (editor) => editor.drawBox({ minX: 5, minY: 6, maxX: 5.5, maxY: 6.5 }));
  await page.click('#editor-save-back');
  await says(page, 'lines.geojsonl is saved.');
  const added = '\r\n{"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":[[[5,6],[5.5,6],[5.5,6.5],[5,6.5],[5,6]]]}}';
  assert.equal(bytesOf('lines.geojsonl').toString(), GEOJSON['lines.geojsonl'] + added);
  writeFileSync(at('lines.geojsonl'), GEOJSON['lines.geojsonl']);

  await choose(page, 'marked.json');
  await run(page, (editor) => editor.drawBox({ minX: 5, minY: 6, maxX: 7, maxY: 8 }));
  await refused('The file is one feature, which has no room for another.');
  await page.done();
});

test('a GeoJSON file that the program refuses is refused with the same line', async () => {
  const page = await studio.open({ tab: 'editor' });
  const refuses = async (text, expected) => {
    await page.evaluate((contents) => pqtStudio.open('case.json', new TextEncoder().encode(contents)), text);
    assert.equal(await page.textContent('#error'), expected);
    writeFileSync(at('case.json'), text);
    const { status, stderr } = spawnSync(program, ['info', at('case.json')], { encoding: 'utf8' });
    assert.equal(status, 2, text);
    assert.equal(/:\d+: /.exec(stderr)?.[0] ?? '', /:\d+: /.exec(expected)?.[0] ?? '', stderr);
  };
  const feature = '{"type":"Feature","properties":{},"geometry":';
  await refuses(`\n${feature}{"type":"Point","coordinates":[1,2]},"bbox":[177,-20,-178,-16]}`,
    'case.json:2: bbox crosses the antimeridian, so it is no box of the plane (west 177 > east -178)');
  await refuses('{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:3857"}},"features":[]}',
    'case.json:1: the coordinates are not those of WGS 84 (EPSG:3857)');
  await refuses(`{"type":"Point","coordinates":[1,2]}\n${feature}null}`, 'case.json:2: the feature has no geometry, and so no box');
  await refuses('{"type":"Point","coordinates":[1e999,2]}', 'case.json:1: a coordinate of the geometry is too large');
  await refuses('{"type":"Point","coordinates":[1,2', "case.json:1: is not JSON (a value expected near 'end of file')");
  await refuses('{"type":"Point","type":"Point"}', 'case.json:1: is not JSON (a member occurs twice: type)');
  await refuses('[{"x":1,"y":2},\n{"y":3}]', 'case.json:2: x is not a number ()');
  await refuses('{"type":"FeatureCollection","features":[1]}', "case.json:1: is not JSON ('{' expected near '1')");
  await page.done();
});

test('an edited tree is saved back as a tree with the same bounds and options, and not with names', async () => {
  const page = await open('tree.pqt'), first = bytesOf('tree.pqt'), details = (text) => text.split('\n').filter((line) => /bounds|capacity|depth|strict|unique|kind/.test(line));
  const before = pqt('info', at('tree.pqt'));
  await moveOne(page, 3);
  await run(page, (editor) => editor.drawBox({ minX: 1, minY: 2, maxX: 300, maxY: 400 }));
  await run(page, (editor) => editor.undo());
  await agree(page, '#editor-save-back');
  await says(page, 'tree.pqt is saved.');
  assert.equal(pqt('search', '--window=-inf,-inf,inf,inf', at('tree.pqt')),
    'id,min_x,min_y,max_x,max_y\n5,3,0,13,10\n6,20,5,30,9\n18446744073709551615,40,40,50,50\n');
  assert.deepEqual(details(pqt('info', at('tree.pqt'))), details(before));
  assert.ok(details(before).length > 0, before);
  await run(page, (editor) => editor.selection.select([editor.scenes.now.get('boxes').all()[0]]));
  await page.fill('#editor-name', 'no place for it');
  await page.keyboard.press('Enter');
  const tree = bytesOf('tree.pqt');
  await page.click('#editor-save-back');
  assert.equal(await refusal(page), 'The file holds a tree, which has no names and colours.');
  assert.deepEqual(await page.$$eval('#not-saved button', (all) => all.map(({ textContent }) => textContent)), ['Save as a new file', 'Cancel']);
  const saved = page.waitForEvent('download');
  await page.click('#not-saved-save-as');
  assert.equal((await saved).suggestedFilename(), 'tree.pqt');
  assert.deepEqual(bytesOf('tree.pqt'), tree);
  writeFileSync(at('tree.pqt'), first);
  await page.done();
});

/** Returns a chunk of a PNG. */
function chunk(type, text) {
  const body = Buffer.from(type + text, 'latin1'), ends = Buffer.alloc(8);
  let sum = 0xffffffff;
  for (const byte of body) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ ((sum & 1) * 0xedb88320);
  }
  ends.writeUInt32BE(text.length, 0);
  ends.writeUInt32BE(~sum >>> 0, 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

test('the moment of a world that is shown is saved back, and the first one gives the bytes of the file', async () => {
  const page = await open('world.pqt', { tab: 'balls' }), first = bytesOf('world.pqt');
  const fingerprint = () => page.evaluate(() => pqtStudio.tabs.balls.balls.timeline.tip.fingerprint());
  await page.click('#balls-step');
  await page.click('#balls-add');
  await agree(page, '#balls-save-back');
  await says(page, 'world.pqt is saved.');
  assert.notDeepEqual(bytesOf('world.pqt'), first);
  assert.match(pqt('info', at('world.pqt')), /\b15\b/);
  const saved = await fingerprint();
  await page.evaluate(() => pqtStudio.tabs.balls.balls.goTo(0));
  await agree(page, '#balls-save-back');
  await says(page, 'world.pqt is saved.');
  assert.deepEqual(bytesOf('world.pqt'), first);
  assert.equal(await fingerprint(), saved, 'saving a moment changes no world');
  page.on('dialog', (dialog) => dialog.accept());
  await page.click('#balls-restart');
  assert.ok(!await page.isVisible('#balls-save-back'), 'other balls are not those of the file');
  await page.done();
});

test('an exported site opens its files, and offers to save none of them back', async (t) => {
  pqt('studio', `--export=${at('site')}`, at('plain.csv'), at('ship.png'), at('world.pqt'));
  const types = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml', wasm: 'application/wasm', json: 'application/json' };
  const server = createServer(({ url }, answer) => {
    const asked = decodeURIComponent(new URL(url, 'http://localhost').pathname), path = asked === '/' ? '/index.html' : asked;
    answer.setHeader('Content-Type', types[path.split('.').at(-1)] ?? 'application/octet-stream');
    answer.setHeader('ETag', '"1"'); // other servers have tags, too
    answer.end(readFileSync(join(folder, 'site', path)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const browser = await startBrowser(), { port } = server.address();
  t.after(async () => {
    await browser.stop();
    server.closeAllConnections();
    server.close();
  });
  const page = await browser.open(`http://127.0.0.1:${port}/`, { tab: 'editor' });
  assert.equal(await page.textContent('#editor [data-figure="boxes"]'), '2');
  assert.ok(await page.isVisible('#editor-save') && !await page.isVisible('#editor-save-back'));
  const show = (name) => page.evaluate((file) => pqtStudio.studio.openOffered(file), name);
  await show('ship.png');
  await page.waitForSelector('#tab-pixels[aria-selected=true]');
  const savedAs = async () => {
    const saved = page.waitForEvent('download');
    await page.click('#pixels-save-blocking');
    return (await saved).suggestedFilename();
  };
  assert.equal(await savedAs(), 'ship.png', 'the picture is saved as a new file, without a question');
  await page.click('#pixels-undo');
  assert.equal(await savedAs(), 'blocking.png', 'this object is from no file');
  await page.click('#pixels-redo');
  await page.evaluate(() => pqtStudio.tabs.pixels.pixels.paint('blocking', [{ x: 30, y: 30, radius: 3 }]));
  assert.equal(await savedAs(), 'ship.png');
  await page.click('#pixels-clear-blocking');
  assert.equal(await savedAs(), 'blocking.png');
  await show('world.pqt');
  await page.waitForSelector('#tab-balls[aria-selected=true]');
  assert.ok(await page.isVisible('#balls-save') && !await page.isVisible('#balls-save-back'));
  await page.done();
  const linked = await browser.open(`http://127.0.0.1:${port}/`, { scene: 'pi2&seed=1&do=s600' });
  await linked.waitForFunction(() => document.getElementById('balls-total').textContent === '314'); // a link is opened in place of the files
  await linked.selectOption('#offered-file', 'world.pqt');
  await linked.waitForFunction(() => document.getElementById('balls-sentence').textContent === 'A world from a file.');
  await linked.done();
});

test('the studio as one page runs from a file, with files, example data and no request', async (t) => {
  pqt('studio', `--export=${at('studio.html')}`, at('extra.csv'), at('ship.png'), at('world.pqt'));
  const browser = await startBrowser(), requests = [];
  t.after(() => browser.stop());
  const page = await browser.open(`file://${at('studio.html')}`, { tab: 'editor' });
  page.on('request', (request) => { if (!/^(blob|data):/.test(request.url())) requests.push(request.url()); });
  assert.equal(await page.textContent('#editor [data-figure="boxes"]'), '2');
  assert.equal(await page.textContent('#editor-kept'), 'This page keeps no work: it was opened from a file. Save the history before you leave.');
  assert.ok(await page.isVisible('#editor-save') && !await page.isVisible('#editor-save-back'));
  await page.click('#editor-example');
  await page.waitForFunction(() => document.querySelector('#editor [data-figure="boxes"]').textContent === '53,278');
  await run(page, (editor) => editor.drawBox({ minX: 1, minY: 2, maxX: 3, maxY: 4 }));
  await page.evaluate(() => pqtStudio.studio.openOffered('ship.png'));
  await page.waitForSelector('#tab-pixels[aria-selected=true]');
  await page.evaluate(() => pqtStudio.studio.openOffered('world.pqt'));
  await page.waitForSelector('#tab-balls[aria-selected=true]');
  await page.click('#balls-step');
  await page.click('#tab-hood');
  await page.waitForSelector('#hood canvas');
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).display), 'flex', 'the style is applied');
  assert.deepEqual(requests, []);
  await page.done();
});

test('a folder that is opened from a file says what it needs, and so does a browser without WebAssembly', async (t) => {
  pqt('studio', `--export=${at('site')}`);
  const browser = await startBrowser();
  t.after(() => browser.stop());
  const page = await (await browser.browser.newContext()).newPage();
  await page.goto(`file://${at('site')}/index.html`);
  assert.ok(!await page.isVisible('#not-started'), 'a page that is loading says nothing');
  await page.waitForSelector('#not-started', { state: 'visible' });
  assert.match(await page.textContent('#not-started'), /pqt studio --export studio\.html\.$/);
  const other = await (await browser.browser.newContext()).newPage();
  await other.addInitScript(() => { delete globalThis.WebAssembly; });
  await other.goto(studio.server.at('editor'));
  await other.waitForSelector('#error', { state: 'visible' });
  assert.equal(await other.textContent('#error'), 'The studio is a program in WebAssembly, which this browser lacks or its settings forbid.');
});

/** Returns a picture with a dark box, on a transparent background or on one of a colour. */
const pictureWith = async (page, ...given) => Buffer.from(await page.evaluate(async ([width, height, background]) => {
  const canvas = new OffscreenCanvas(width, height), context = canvas.getContext('2d');
  if (background !== null) {
    context.fillStyle = background;
    context.fillRect(0, 0, width, height);
  }
  context.fillStyle = '#c81e46';
  context.fillRect(2, 2, Math.floor(width / 2) - 2, height - 4);
  return [...new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())];
}, [...given, null]));

/** Returns the size of a picture, and the colours of some pixels. */
const colours = (page, bytes, places) => page.evaluate(async ([all, some]) => {
  const bitmap = await createImageBitmap(new Blob([new Uint8Array(all)])), context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
  context.drawImage(bitmap, 0, 0);
  return [bitmap.width, bitmap.height, ...some.map(([x, y]) => [...context.getImageData(x, y, 1, 1).data])];
}, [[...bytes], places]);

test('an edited picture keeps its size and its other colours, or is refused with the reason', async () => {
  const page = await open('ship.png', { tab: 'pixels' }), first = bytesOf('ship.png');
  // A picture with colours, a text and transparent pixels.
  const coloured = await pictureWith(page, 20, 10);
  writeFileSync(at('ship.png'), Buffer.concat([coloured.subarray(0, 33), chunk('tEXt', 'a\0bcd'), coloured.subarray(33)]));
  await choose(page, 'ship.png');
  await page.evaluate(() => pqtStudio.tabs.pixels.pixels.paint('blocking', [{ x: 22 + 15, y: 27 + 5, radius: 1 }]));
  await agree(page, '#pixels-save-blocking');
  await says(page, 'ship.png is saved.');
  assert.ok(bytesOf('ship.png').includes('tEXta\0bcd'));
  assert.deepEqual(await colours(page, bytesOf('ship.png'), [[3, 3], [15, 5], [0, 0]]), [20, 10, [200, 30, 70, 255], [0, 0, 0, 255], [0, 0, 0, 0]]);

  const edited = bytesOf('ship.png');
  await page.evaluate(() => pqtStudio.tabs.pixels.pixels.paint('blocking', [{ x: 2, y: 2, radius: 1 }]));
  await page.click('#pixels-save-blocking');
  assert.equal(await refusal(page), 'The picture has 20 x 10 pixels, and something is drawn outside of them.');
  await page.click('#not-saved-cancel');
  assert.deepEqual(bytesOf('ship.png'), edited);
  writeFileSync(at('ship.png'), first);

  // A picture without transparent pixels, of another size than the first sheets: what is erased becomes white, and paint of a light colour is not
  // part of the object when the picture is opened again.
  writeFileSync(at('ship.png'), await pictureWith(page, 300, 80, '#fafafa'));
  await choose(page, 'ship.png');
  await page.evaluate(() => {
    const { pixels } = pqtStudio.tabs.pixels;
    pixels.isErasing = true;
    pixels.paint('blocking', [{ op: 'clear', x: 20.5, y: 20.5, radius: 0.5 }]);
    pixels.isErasing = false;
    pixels.ink = [255, 240, 0, 255];
    pixels.paint('blocking', [{ op: 'set', x: 200.5, y: 60.5, radius: 0.5 }]);
  });
  await agree(page, '#pixels-save-blocking');
  await says(page, 'ship.png is saved. When it is opened again, 1 pixel will be on the other side of the outline, because of its colour.');
  assert.deepEqual(await colours(page, bytesOf('ship.png'), [[20, 20], [200, 60], [21, 20], [250, 5]]), [300, 80, [255, 255, 255, 255], [255, 240, 0, 255], [200, 30, 70, 255], [250, 250, 250, 255]]);
  await page.evaluate(() => { pqtStudio.tabs.pixels.pixels.ink = null; });
  writeFileSync(at('ship.png'), first);

  const small = bytesOf('terrain.png'), large = await pictureWith(page, 4096, 2048);
  writeFileSync(at('terrain.png'), large);
  await choose(page, 'terrain.png');
  await page.waitForFunction(() => document.getElementById('status').textContent === 'terrain.png is the blocking object. It has 4096 x 2048 pixels, and was reduced to 2896 x 1448.');
  await page.evaluate(() => pqtStudio.tabs.pixels.pixels.paint('blocking', [{ x: 30, y: 30, radius: 3 }]));
  await page.click('#pixels-save-blocking');
  assert.equal(await refusal(page), 'The picture has 4096 x 2048 pixels and was reduced to 2896 x 1448 when it was opened, so its own pixels are not in the sheet.');
  await picture(page, 'files-refused');
  const saved = page.waitForEvent('download');
  await page.click('#not-saved-save-as');
  assert.equal((await saved).suggestedFilename(), 'terrain.png');
  await says(page, 'The blocking object was saved as terrain.png, the whole sheet of 2896 x 1448 pixels. The picture has 4096 x 2048 pixels and was reduced to 2896 x 1448 when it was opened, so its own pixels are not in the sheet.');
  assert.deepEqual(bytesOf('terrain.png'), large);
  writeFileSync(at('terrain.png'), small);

  await choose(page, 'large.pqt');
  assert.equal(await page.textContent('#pixels-blocking + .zoom span'), '512 x 160 px');
  await page.evaluate(() => pqtStudio.tabs.pixels.pixels.paint('blocking', [{ x: 30, y: 30, radius: 30 }]));
  await agree(page, '#pixels-save-blocking');
  await says(page, 'large.pqt is saved.');
  const outside = Buffer.from(await page.evaluate(async () => {
    const { Region } = await import(new URL('pqt.js', location.href).href);
    return [...Region.ofBoxes([{ minX: -5, minY: 3, maxX: 90, maxY: 9 }]).toBytes()];
  }));
  writeFileSync(at('large.pqt'), outside);
  await choose(page, 'large.pqt');
  await page.evaluate(() => pqtStudio.tabs.pixels.pixels.paint('blocking', [{ x: 30, y: 30, radius: 30 }]));
  await page.click('#pixels-save-blocking');
  assert.match(await refusal(page), /^The region has pixels outside the sheet of 90 x 64, /);
  await page.click('#not-saved-cancel');
  assert.deepEqual(bytesOf('large.pqt'), outside);
  await page.done();
});

/** Returns a PNG of pixels of four bytes. */
function rgbaPng(width, height, pixels) {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 6, 0, 0, 0]), rows = [];
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  for (let y = 0; y < height; y++) rows.push(Buffer.from([0]), pixels.subarray(4 * width * y, 4 * width * (y + 1)));
  const text = (bytes) => bytes.toString('latin1');
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', text(header)), chunk('IDAT', text(deflateSync(Buffer.concat(rows)))), chunk('IEND', '')]);
}

/** Returns the pixels of a PNG with four bytes for each, whose rows have the filters 0 or 1. */
function pixelsOfPng(png) {
  const width = png.readUInt32BE(16), height = png.readUInt32BE(20), parts = [], pixels = Buffer.alloc(4 * width * height);
  assert.deepEqual([...png.subarray(24, 29)], [8, 6, 0, 0, 0]);
  for (let at = 8; at < png.length;) {
    const end = at + 12 + png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, end - 4));
    at = end;
  }
  const rows = inflateSync(Buffer.concat(parts)), size = 4 * width;
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (size + 1)];
    assert.ok(filter < 2, `filter ${filter}`);
    for (let i = 0; i < size; i++)
      pixels[y * size + i] = rows[y * (size + 1) + 1 + i] + (filter === 1 && i >= 4 ? pixels[y * size + i - 4] : 0);
  }
  return { width, height, pixels };
}

test('pixels that are partly transparent, or have a colour that is not seen, keep it when another pixel is painted', async () => {
  const width = 256, height = 40, pixels = Buffer.alloc(4 * width * height), first = bytesOf('ship.png');
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) pixels.set([(7 * x + y) & 255, (x * y) & 255, 255 - y, x], 4 * (y * width + x));
  writeFileSync(at('ship.png'), rgbaPng(width, height, pixels));
  const page = await open('ship.png', { tab: 'pixels' });
  const paint = () => page.evaluate(() => {
    const { pixels } = pqtStudio.tabs.pixels;
    pixels.ink = [255, 240, 0, 255];
    pixels.paint('blocking', [{ op: 'set', x: 20.5, y: Math.floor((64 - 40) / 2) + 5.5, radius: 0.5 }]);
  });
  await paint();
  await agree(page, '#pixels-save-blocking');
  await says(page, 'ship.png is saved.');
  pixels.set([255, 240, 0, 255], 4 * (5 * width + 20));
  const saved = pixelsOfPng(bytesOf('ship.png'));
  assert.deepEqual([saved.width, saved.height], [width, height]);
  assert.ok(saved.pixels.equals(pixels));
  // A pixel that is erased on a translucent background becomes transparent. If it became white, it would be in the object when the picture is opened again.
  const veil = Buffer.alloc(4 * width * height);
  for (let i = 0; i < width * height; i++) veil.set(i % width < 200 ? [10, 20, 30, 100] : [255, 0, 0, 255], 4 * i);
  writeFileSync(at('ship.png'), rgbaPng(width, height, veil));
  await choose(page, 'ship.png');
  await page.waitForFunction(() => document.getElementById('status').textContent === 'ship.png is the blocking object.');
  await page.evaluate(() => {
    const { pixels } = pqtStudio.tabs.pixels;
    pixels.isErasing = true;
    pixels.paint('blocking', [{ op: 'clear', x: 230.5, y: 12 + 5.5, radius: 0.5 }]);
    pixels.isErasing = false;
  });
  await agree(page, '#pixels-save-blocking');
  await says(page, 'ship.png is saved.');
  veil.set([0, 0, 0, 0], 4 * (5 * width + 230));
  assert.ok(pixelsOfPng(bytesOf('ship.png')).pixels.equals(veil));
  // The same in a browser that cannot read such pixels: it says so, and keeps the file.
  await page.evaluate(() => { OffscreenCanvas.prototype.getContext = new Proxy(OffscreenCanvas.prototype.getContext, { apply: (get, self, [kind, ...more]) => (kind === 'webgl2' ? null : Reflect.apply(get, self, [kind, ...more])) }); });
  writeFileSync(at('ship.png'), rgbaPng(width, height, pixels));
  const kept = bytesOf('ship.png');
  await choose(page, 'ship.png');
  await page.waitForFunction(() => document.getElementById('status').textContent === 'ship.png is the blocking object.');
  await page.evaluate(() => pqtStudio.tabs.pixels.pixels.paint('blocking', [{ op: 'set', x: 25.5, y: 20.5, radius: 0.5 }]));
  await page.click('#pixels-save-blocking');
  assert.equal(await refusal(page), 'It has transparent pixels, whose colours this browser does not read exactly.');
  await page.click('#not-saved-cancel');
  assert.deepEqual(bytesOf('ship.png'), kept);
  writeFileSync(at('ship.png'), first);
  await page.done();
});

test('a file that another program has changed is opened, kept or overwritten, as the user chooses', async () => {
  const page = await open('scene.pqt', { allowed: /412/ }), first = bytesOf('scene.pqt');
  const touch = () => { // another program writes the same bytes
    const { atime, mtime } = statSync(at('scene.pqt'));
    utimesSync(at('scene.pqt'), atime, new Date(Number(mtime) + 1000));
  };
  await moveOne(page);
  touch();
  await agree(page, '#editor-save-back');
  assert.equal(await refusal(page), 'scene.pqt is not replaced: another program has changed it since it was opened');
  await picture(page, 'files-changed');
  await page.click('#not-saved-cancel');
  assert.deepEqual(bytesOf('scene.pqt'), first);
  await agree(page, '#editor-save-back');
  await refusal(page);
  await page.click('#not-saved-overwrite');
  await says(page, 'scene.pqt is saved.');
  assert.notDeepEqual(bytesOf('scene.pqt'), first);
  await moveOne(page);
  writeFileSync(at('scene.pqt'), first);
  await agree(page, '#editor-save-back');
  await refusal(page);
  await agree(page, '#not-saved-reopen');
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.scenes.history.entries().length === 1);
  assert.deepEqual(await run(page, ({ scenes }) => scenes.now.get('boxes').all().map(({ minX }) => minX).sort()), [2, 5]);
  assert.deepEqual(bytesOf('scene.pqt'), first);
  await page.done();
});

test('one version is saved back at a time', async () => {
  const page = await open('plain.csv'), first = bytesOf('plain.csv'), puts = [];
  page.on('dialog', (dialog) => dialog.accept());
  page.on('request', (request) => { if (request.method() === 'PUT') puts.push(request.url()); });
  await moveOne(page);
  const text = await run(page, ({ files }) => {
    for (let i = 0; i < 2; i++) files.saveBack();
    return document.getElementById('status').textContent;
  });
  assert.equal(text, 'A file is being saved back already.');
  await says(page, 'plain.csv is saved.');
  assert.equal(puts.length, 1);
  await page.click('#editor-undo');
  await page.click('#editor-save-back');
  await says(page, 'plain.csv is saved.');
  assert.deepEqual(bytesOf('plain.csv'), first);
  await page.done();
});

test('a file is not saved back while the server is gone, and the work is kept until it can be', async () => {
  const path = at('alone.csv'), { open: openAt, stop } = await startBrowser();
  writeFileSync(path, CSV['plain.csv']);
  let server = await startServer(path);
  const { port } = new URL(server.address), page = await openAt(server.address, { tab: 'editor', allowed: /ERR_|failed/ });
  const boxes = () => run(page, ({ scenes }) => scenes.now.get('boxes').all().map(({ id, minX }) => [Number(id), minX]).sort());
  await choose(page, 'alone.csv');
  await moveOne(page);
  await server.stop();
  for (let i = 0; i < 2; i++) { // the second time, the user tries again too early
    await agree(page, '#editor-save-back');
    assert.equal(await refusal(page), 'There is no connection to the server.');
    assert.equal(await page.textContent('#not-saved h2'), 'alone.csv is not saved');
    await page.click('#not-saved-cancel');
    assert.deepEqual(await boxes(), [[7, 11], [9, 30]]);
    assert.ok(await run(page, ({ scenes }) => scenes.unsaved() !== null), 'the page says that the work is saved');
    assert.equal(readFileSync(path, 'utf8'), CSV['plain.csv']);
  }
  server = await startServer('--port', port, path);
  await agree(page, '#editor-save-back');
  await says(page, 'alone.csv is saved.');
  assert.equal(readFileSync(path, 'utf8'), CSV['plain.csv'].replace('7,10,', '7,11,'));
  await page.done();
  await stop();
  await server.stop();
});

test('a file of the same name that was not given to the program is not saved back', async () => {
  const page = await open('plain.csv'), first = bytesOf('plain.csv');
  await page.evaluate(() => pqtStudio.open('plain.csv', new TextEncoder().encode('x,y\n1,2\n')));
  assert.ok(!await page.isVisible('#editor-save-back'));
  assert.equal(await run(page, ({ files }) => files.source), null);
  assert.deepEqual(bytesOf('plain.csv'), first);
  await page.done();
});

/** Reloads a page, and returns whether it asked first. If so, it is not reloaded. */
async function reload(page) {
  await page.mouse.click(5, 5); // without a click, browsers do not ask
  let answered = () => {};
  const take = async (dialog) => {
    assert.equal(dialog.type(), 'beforeunload');
    await dialog.dismiss();
    answered(true);
  };
  page.once('dialog', take);
  const hasAsked = await new Promise((resolve) => {
    answered = resolve;
    page.once('load', () => resolve(false));
    page.evaluate(() => { setTimeout(() => location.reload()); });
  });
  page.off('dialog', take);
  if (!hasAsked) await page.waitForFunction(() => globalThis.pqtStudio?.isReady);
  for (const tab of ['balls', 'pixels', 'editor']) {
    await page.click(`#tab-${tab}`);
    await page.waitForFunction((name) => pqtStudio.tabs[name] !== undefined, tab);
  }
  return hasAsked;
}

test('drawings and balls are kept over a reload; a page that cannot keep them asks before it is left', async () => {
  const fresh = await studio.open({ tab: 'editor' });
  assert.ok(!await reload(fresh), 'nothing was done');
  const worlds = () => fresh.evaluate(() => {
    const { timeline } = pqtStudio.tabs.balls.balls;
    return timeline.lines.map(({ name, from, tip }) => [name, from, tip.fingerprint()]);
  });
  const drawings = () => fresh.evaluate(() => {
    const { objects: { now, colours, places, history } } = pqtStudio.tabs.pixels.pixels;
    return [now.blocking, now.collider, colours.blocking, colours.collider].map((one) => one.fingerprint()).concat(JSON.stringify([places, history.entries().map(({ label }) => label)]));
  });
  await fresh.evaluate(() => {
    const { pixels } = pqtStudio.tabs.pixels;
    pixels.ink = [9, 99, 199, 255];
    pixels.paint('collider', [{ x: 9, y: 9, radius: 2 }]);
    pixels.drag('blocking', 3, 4);
    const { balls } = pqtStudio.tabs.balls;
    balls.clock.stop();
    for (let i = 0; i < 7; i++) balls.clock.stepOnce();
    balls.addTen({ x: 300, y: 200 });
    for (let i = 0; i < 5; i++) balls.clock.stepOnce();
    balls.goTo(11);
    balls.setNumber(30);
    balls.settings = { restitution: 0.5, gravity: 100 };
    for (let i = 0; i < 4; i++) balls.clock.stepOnce();
  });
  const [before, drawn] = [await worlds(), await drawings()];
  assert.equal(before.length, 2);
  assert.ok(!await reload(fresh), 'the work is in the browser');
  await fresh.click('#tab-balls');
  await fresh.click('#balls-work-continue');
  await fresh.waitForFunction(() => document.getElementById('status').textContent === 'Your balls are here, with all lines of time.');
  assert.deepEqual(await worlds(), before);
  await fresh.click('#tab-pixels');
  await fresh.click('#pixels-work-continue');
  await fresh.waitForSelector('#pixels-work', { state: 'detached' });
  assert.deepEqual(await drawings(), drawn);
  await fresh.click('#pixels-undo');
  await fresh.evaluate(() => { pqtStudio.studio.keeper = 'the test forbids it'; });
  await fresh.click('#pixels-undo');
  assert.ok(await reload(fresh), 'the last undo is not kept');
  const saved = fresh.waitForEvent('download');
  await fresh.click('#tab-pixels');
  await fresh.click('#pixels-save-collider');
  await saved;
  await fresh.done();
});

test('Start again is undone, with all lines of time; the second one asks', async () => {
  const page = await studio.open({ tab: 'editor' });
  const ask = async (button, answer) => {
    let text = null;
    page.once('dialog', (dialog) => {
      text = dialog.message();
      dialog[answer]();
    });
    await page.click(button);
    page.removeAllListeners('dialog');
    return text;
  };
  await page.click('#tab-balls');
  const bodies = () => page.textContent('#balls [data-figure="bodies"]');
  assert.ok(await page.isDisabled('#balls-undo'));
  assert.equal(await ask('#balls-restart', 'dismiss'), null);
  await page.click('#balls-add');
  assert.equal(await bodies(), '26');
  await page.evaluate(() => { pqtStudio.tabs.balls.balls.goTo(1); pqtStudio.tabs.balls.balls.resume(); pqtStudio.tabs.balls.balls.clock.stop(); });
  const lines = () => page.evaluate(() => pqtStudio.tabs.balls.balls.timeline.lines.map(({ tip }) => tip.fingerprint()));
  const before = await lines();
  assert.equal(before.length, 2);
  assert.equal(await ask('#balls-restart', 'dismiss'), null, 'undo brings back the lines');
  assert.equal((await lines()).length, 1);
  await page.click('#balls-undo');
  assert.equal(await page.textContent('#status'), '2 lines of before the last start are back. Undo changes to the other again.');
  assert.deepEqual(await lines(), before);
  await page.click('#balls-undo');
  assert.equal((await lines()).length, 1);
  // Clear is undone by a line that branches off before it.
  await page.click('#balls-clear');
  assert.equal(await bodies(), '0');
  await page.keyboard.press('Control+z');
  assert.equal(await page.textContent('#status'), 'Undone: remove all balls. Line 2 branches off Line 1 at moment 1; Line 1 remains.');
  assert.equal(await bodies(), '16');
  assert.match(await ask('#balls-restart', 'dismiss'), /^Undo can bring back what you leave now/);
  assert.equal((await lines()).length, 2);
  await page.done();
});

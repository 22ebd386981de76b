// SPDX-License-Identifier: MIT
// table.test.js: tests reading CSV files and writing them back. test/tables.txt has texts that C and the program read too.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { PersistentTree, Table } from 'pqt';

const bytesOf = (text) => Uint8Array.from(Buffer.from(text));
const read = (text) => Table.read(bytesOf(text));
const textOf = (bytes) => Buffer.from(bytes).toString();
const ownRows = (table) => table.items.map((item, row) => ({ ...item, row }));

/** Replaces escapes as in C; returns bytes, because a text need not be UTF-8. */
function unescape(text) {
  const letters = { n: '\n', r: '\r', t: '\t' };
  return Uint8Array.from(Buffer.from(text.replace(/\\([0-7]{3})|\\([nrt])/g, (_, octal, letter) =>
    octal === undefined ? letters[letter] : String.fromCharCode(Number.parseInt(octal, 8))), 'latin1'));
}

const cases = readFileSync(new URL('../../../test/tables.txt', import.meta.url), 'utf8').split('\n')
  .filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split('\t').map((field) => (field === '-' ? '' : field)));

test('each text of the shared cases has its answer', () => {
  assert.ok(cases.length >= 50);
  for (const [name, text, answer] of cases) {
    const bytes = unescape(text);
    if (answer.startsWith('line ')) {
      assert.throws(() => Table.read(bytes), (error) => error.message === answer && error.line === Number.parseInt(answer.slice(5)), name);
      continue;
    }
    const table = Table.read(bytes);
    const items = table.items.map(({ id, minX, minY, maxX, maxY }) => [id, minX, minY, maxX, maxY].join(' ')).join(';');
    assert.equal(items, answer, name);
    assert.deepEqual(table.write(ownRows(table)), bytes, name);
  }
});

test('the items and the texts of a table are columns, too', () => {
  const table = read('Name,id,max_x,max_y,min_x,min_y\n"a ""b"", c",7,3,4,1,2\n,18446744073709551615,3,4,1,2\nÄ,9007199254740993,30,40,-1,-2\n');
  assert.deepEqual(table.arrays(), { boxes: Float64Array.of(1, 2, 3, 4, 1, 2, 3, 4, -1, -2, 30, 40), ids: BigUint64Array.of(7n, 2n ** 64n - 1n, 2n ** 53n + 1n) });
  assert.deepEqual(table.items.map(({ id }) => id), [7, 2n ** 64n - 1n, 2n ** 53n + 1n]);
  const { bytes, ends } = table.textBytes('name');
  assert.deepEqual([...ends].map((end, i) => textOf(bytes.subarray(i === 0 ? 0 : ends[i - 1], end))), table.texts('name'));
  table.arrays().boxes.fill(0); // copies
  assert.equal(table.arrays().boxes[0], 1);
  assert.throws(() => table.textBytes('other'), RangeError);
  assert.equal(read('x,y\n').arrays().ids.length, 0);
});

test('a table has columns, items and texts', () => {
  const table = read('Name,id,max_x,max_y,min_x,min_y\n"a ""b"", c",7,3,4,1,2\n,18446744073709551615,3,4,1,2\n');
  assert.deepEqual(table.columns, ['Name', 'id', 'max_x', 'max_y', 'min_x', 'min_y']);
  assert.equal(table.position, 'boxes');
  assert.equal(table.hasIds, true);
  assert.deepEqual(table.items[0], { minX: 1, minY: 2, maxX: 3, maxY: 4, id: 7 });
  assert.equal(table.items[1].id, 2n ** 64n - 1n);
  assert.deepEqual(table.texts('name'), ['a "b", c', '']);
  assert.deepEqual(table.texts('MAX_X'), ['3', '3']);
  assert.equal(table.line(1), 3);
  assert.throws(() => table.texts('colour'), RangeError);
  assert.throws(() => table.line(2), RangeError);
});

test('positions have names, and rows without ids have their numbers', () => {
  for (const [header, row, position] of [['x,y', '1,2', 'points'], ['lon,lat', '1,2', 'degrees'], ['x,y,w,h', '1,2,3,4', 'sizes'],
    ['min_lon,min_lat,max_lon,max_lat', '1,2,3,4', 'degree-boxes']]) {
    const table = read(`${header}\n${row}\n${row}\n`);
    assert.equal(table.position, position);
    assert.equal(table.hasIds, false);
    assert.deepEqual(table.items.map(({ id }) => id), [0, 1]);
  }
});

test('the items of a table are items of a tree', () => {
  const table = read('id,x,y\n3,1,1\n9,5,5\n');
  const tree = new PersistentTree({ bounds: { minX: 0, minY: 0, maxX: 10, maxY: 10 } }).load(table.items);
  assert.equal(tree.size, 2);
});

test('only what changes is written again', () => {
  const text = '\ufeffname,id,x,y,"n"\r\n"cat",01,1.50,2.0,"9"\r\n\r\nowl,2,1e3,7,8';
  const table = read(text);
  const [cat, owl] = ownRows(table);
  assert.equal(textOf(table.write([cat, owl])), text);
  assert.equal(textOf(table.write([{ ...cat, minY: -0.25, maxY: -0.25 }, { ...owl, texts: { name: 'owl', N: 'a "b"' } }])),
    '\ufeffname,id,x,y,"n"\r\n"cat",01,1.50,-0.25,"9"\r\n\r\nowl,2,1e3,7,"a ""b"""');
  assert.equal(textOf(table.write([owl, { minX: 0.1, minY: 1e23, maxX: 0.1, maxY: 1e23, id: 2n ** 64n - 1n, texts: { name: 'Zoë' } }])),
    '\ufeffname,id,x,y,"n"\r\n\r\nowl,2,1e3,7,8\r\n"Zoë",18446744073709551615,0.1,1e+23,');
  assert.equal(textOf(table.write([])), '\ufeffname,id,x,y,"n"');
});

test('what a table cannot hold is refused', () => {
  const table = read('x,y\n1,2\n'), box = { minX: 0, minY: 0, maxX: 1, maxY: 1, id: 5 };
  assert.throws(() => table.write([box]), (error) => error.code === 'PQT_ERROR_MISMATCH' && /row 0: the columns cannot hold the box of id 5/.test(error.message));
  assert.throws(() => table.write([{ ...box, minX: NaN }]), RangeError);
  assert.throws(() => table.write([{ ...box, maxX: 0, maxY: 0, row: 1 }]), RangeError);
  assert.throws(() => table.write([{ ...box, maxX: 0, maxY: 0, texts: { name: '' } }]), RangeError);
  assert.throws(() => table.write([{ ...box, maxX: 0, maxY: 0, texts: { x: 3 } }]), TypeError);
  assert.throws(() => table.write(box), TypeError);
  assert.throws(() => Table.read('x,y'), TypeError);
  assert.throws(() => new Table(), TypeError);
  assert.equal(textOf(table.write([{ row: 0, minX: 1, minY: 2, maxX: 1, maxY: 2, id: 77 }])), 'x,y\n1,2\n');
});

test('a table keeps its bytes when those that it was read from change', () => {
  const bytes = bytesOf('x,y\n1,2\n'), table = Table.read(bytes);
  bytes.fill(0);
  assert.equal(textOf(table.write(ownRows(table))), 'x,y\n1,2\n');
});

test('only the rows and columns of the file are read, whatever becomes of the arrays', () => {
  const file = 'id,x,y,name\n1,2,3,a\n2,3,4,b\n', table = read(file), rows = ownRows(table);
  Object.defineProperty(rows[0], 'maxX', { get: () => {
    for (let id = 0; id < 3000; id++) rows.push({ minX: 1, minY: 1, maxX: 1, maxY: 1, id });
    return 2;
  } });
  assert.equal(textOf(table.write(rows)), file);
  assert.throws(() => table.write([, ...ownRows(table)]), TypeError);
  table.items.push(table.items[0]);
  assert.deepEqual(table.texts('name'), ['a', 'b']);
  assert.throws(() => table.line(2), RangeError);
  assert.throws(() => table.write([{ ...table.items[0], row: 2 }]), RangeError);
  assert.throws(() => table.columns.push('other'), TypeError);
});

test('100,000 rows are read and written', () => {
  const lines = ['id,x,y,name'];
  for (let i = 0; i < 100000; i++) lines.push(`${i},${i % 317}.50,${i % 211}e-1,"name ${i}"`);
  const text = `${lines.join('\r\n')}\r\n`, table = read(text);
  assert.equal(table.items.length, 100000);
  assert.equal(table.texts('name')[99999], 'name 99999');
  assert.equal(textOf(table.write(ownRows(table))), text);
});

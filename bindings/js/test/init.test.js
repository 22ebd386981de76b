// SPDX-License-Identifier: MIT
// init.test.js: tests pqt/init in processes of their own, since a process starts the library once.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import test from 'node:test';
import { PersistentTree } from 'pqt';

const directory = fileURLToPath(new URL('..', import.meta.url));
const bounds = { minX: 0, minY: 0, maxX: 9, maxY: 9 };

/** Runs a program, in which `file` is the content of pqt.wasm and `serve` answers requests with bytes of a
    type. Returns its output. */
function run(program) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module'], { cwd: directory, encoding: 'utf8', input: `
    import { readFileSync } from 'node:fs';
    import { createServer } from 'node:http';
    import * as pqt from 'pqt/init';
    const file = readFileSync('pqt.wasm'), bounds = ${JSON.stringify(bounds)};
    async function serve(type, bytes, status = 200) {
      const server = createServer((_, response) => response.writeHead(status, { 'Content-Type': type, Connection: 'close' }).end(bytes));
      server.listen(0, '127.0.0.1').unref();
      await new Promise((resolve) => { server.once('listening', resolve); });
      return 'http://127.0.0.1:' + server.address().port + '/pqt.wasm';
    }
    const print = () => console.log(new pqt.PersistentTree({ bounds }).insert({ ...bounds, id: 1 }).fingerprint());
    const message = (action) => Promise.resolve().then(action).then(() => 'nothing', ({ message }) => message);
    ${program}` });
  assert.equal(stderr, '');
  assert.equal(status, 0);
  return stdout;
}

const expected = `${new PersistentTree({ bounds }).insert({ ...bounds, id: 1 }).fingerprint()}\n`;

for (const [what, source] of [
  ['the bytes of pqt.wasm', 'file'],
  ['an ArrayBuffer', 'file.buffer.slice(file.byteOffset, file.byteOffset + file.length)'],
  ['a promise of the bytes', 'Promise.resolve(file)'],
  ['a compiled module', 'new WebAssembly.Module(file)'],
  ['a URL as a string', "await serve('application/wasm', file)"],
  ['a URL', "new URL(await serve('application/wasm', file))"],
  ['a URL that is served with another type', "await serve('application/octet-stream', file)"],
  ['a promise of a response', "fetch(await serve('application/wasm', file))"],
])
  test(`init starts the library with ${what}`, () => {
    assert.equal(run(`await pqt.init(${source}); print();`), expected);
  });

test('before init, each call throws a sentence', () => {
  const calls = ['new pqt.PersistentTree({ bounds })', 'pqt.PersistentTree.of([{ ...bounds, id: 1 }])', 'pqt.PersistentTree.fromBytes(file)',
    'new pqt.PersistentMap({ keys: "ids" })', 'new pqt.Region()', 'new pqt.World({ bounds })', 'pqt.Document.of({})',
    'pqt.Table.read(file)', 'pqt.memory()', 'pqt.reclaim()', 'pqt.setMemoryLimit(1e9)'];
  const printed = run(calls.map((call) => `console.log(await message(() => ${call}));`).join('\n')).trimEnd().split('\n');
  assert.equal(printed.length, calls.length);
  for (const line of printed) assert.equal(line, 'pqt has not started: await init(source) before the first call');
});

test('init throws a sentence for a source that is not pqt.wasm, and another source may follow', () => {
  const [nothing, missing, file, other, ...rest] = run(`
    console.log(await message(() => pqt.init()));
    console.log(await message(async () => pqt.init(await serve('text/html', 'there is no such file', 404))));
    console.log(await message(() => pqt.init(new URL('file:///pqt.wasm'))));
    console.log(await message(() => pqt.init(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0))));
    await pqt.init(file);
    print();`).trimEnd().split('\n');
  assert.equal(nothing, 'init needs pqt.wasm: a URL, a Response, bytes, or a WebAssembly.Module');
  assert.match(missing, /^http:.*pqt\.wasm: 404 Not Found$/);
  assert.match(file, /^file:\/\/\/pqt\.wasm cannot be fetched; node fetches no files: pass the bytes of the file$/);
  assert.equal(other, 'the WebAssembly module is not pqt.wasm');
  assert.deepEqual(rest, [expected.trimEnd()]);
});

test('calls of init at the same time, and after the start, start the library once', () => {
  assert.equal(run(`
    const both = [pqt.init(file), pqt.init('http://127.0.0.1:1/')];
    await Promise.all(both);
    const tree = new pqt.PersistentTree({ bounds });
    await pqt.init(file);
    tree.check();
    print();`), expected);
});

test('pqt/init and pqt are one library', () => {
  assert.equal(run(`
    const { PersistentTree } = await import('pqt');
    console.log(PersistentTree === pqt.PersistentTree);
    await pqt.init('nothing is fetched');
    print();`), `true\n${expected}`);
});

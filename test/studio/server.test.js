// SPDX-License-Identifier: MIT
// server.test.js: tests the web server of `pqt studio` under abuse. It must answer with a clear
// status, leave the files intact, and continue to run. make check-studio runs this. If PQT was
// built with AddressSanitizer, it also finds memory errors and leaks.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, renameSync, rmSync, statSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { spawn, spawnSync } from 'node:child_process';
import { AUTHORIZED, TOKEN, environment, program, startBrowser, startServer } from './page.js';
import { randomFrom } from './random.js';

const TABLE = 'id,x,y\n1,2,3\n';
let folder, server, port, version;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pqt-server-'));
  mkdirSync(join(folder, 'files'));
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  writeFileSync(join(folder, 'files', 'table.csv'), TABLE);
  const { status } = spawnSync(program, ['search', '--window', '0,0,9,9', join(folder, 'files', 'table.csv'), '-o', join(folder, 'files', 'tree.pqt')]);
  assert.equal(status, 0);
  version = readFileSync(join(folder, 'files', 'tree.pqt'));
  server = await startServer(join(folder, 'files', 'table.csv'), join(folder, 'files', 'tree.pqt'));
  port = Number(new URL(server.address).port);
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** Sends a request, and returns { status, headers, text }. */
function ask(path, { method = 'GET', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers: { ...AUTHORIZED, ...headers }, agent: false }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(parts).toString() }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Sends bytes over a connection. Returns the first line of the answer, or '' if there is none. */
async function send(bytes, wait = 2000) {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (part) => { answer += part; });
  socket.on('error', () => {});
  socket.write(bytes);
  await Promise.race([once(socket, 'close'), new Promise((resolve) => { setTimeout(resolve, wait); }), once(socket, 'data')]).catch(() => {});
  socket.destroy();
  return answer.split('\r\n')[0];
}

const lives = async () => assert.equal((await ask('/')).status, 200);
const SAVE = { ...AUTHORIZED, 'X-Pqt-Studio': 'save', 'If-Match': '*' };

test('pages and files have their types and a strict policy', async () => {
  for (const [path, type] of [['/', 'text/html; charset=utf-8'], ['/main.js', 'text/javascript; charset=utf-8'], ['/pqt/pqt.wasm', 'application/wasm'],
    ['/studio.css', 'text/css; charset=utf-8'], ['/files/table.csv', 'text/csv; charset=utf-8'], ['/data/countries.csv', 'text/csv; charset=utf-8']]) {
    const { status, headers } = await ask(path);
    assert.equal(status, 200, path);
    assert.equal(headers['content-type'], type);
    assert.match(headers['content-security-policy'], /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; style-src 'self'/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
  }
  assert.deepEqual(JSON.parse((await ask('/files.json')).text), { files: ['table.csv', 'tree.pqt'], canReplace: true });
  assert.equal((await ask('/files/table.csv', { method: 'HEAD' })).headers['content-length'], String(TABLE.length));
});

test('no path leaves the pages and the named files', async () => {
  for (const path of ['/../secret.txt', '/files/../secret.txt', '/files/..%2fsecret.txt', '/files/%2e%2e/secret.txt', '/files//etc/passwd', '//etc/passwd',
    '/files/secret.txt', '/files/', '/data/../../secret.txt', '/data/sprites', '/pqt/../main.js', '/index.html%00.js', '/%', '/files/table.csv%00', '/..']) {
    const { status, text } = await ask(path);
    assert.equal(status, 404, path);
    assert.doesNotMatch(text, /secret|root:/);
  }
  assert.match(await send('GET secret.txt HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'), /^HTTP\/1\.1 400/);
});

test('a request that names another host is refused', async () => {
  for (const host of ['evil.example', `evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.evil.example', '[::1', '127.0.0.1:80.evil', 'a'.repeat(300)])
    assert.equal((await ask('/', { headers: { Host: host } })).status, 421, host);
  for (const host of ['localhost', `localhost:${port}`, '127.0.0.1', `[::1]:${port}`, '192.168.1.5'])
    assert.equal((await ask('/', { headers: { Host: host } })).status, 200, host);
  assert.match(await send('GET / HTTP/1.1\r\n\r\n'), /^HTTP\/1\.1 4\d\d/);
  assert.match(await send('GET / HTTP/1.1\r\nHost:\r\n\r\n'), /^HTTP\/1\.1 421/);
});

test('methods other than GET, HEAD and PUT are refused', async () => {
  for (const method of ['POST', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE']) {
    const { status, headers } = await ask('/files/table.csv', { method });
    assert.equal(status, 405, method);
    assert.equal(headers.allow, 'GET, HEAD, PUT');
  }
  assert.equal(readFileSync(join(folder, 'files', 'table.csv'), 'utf8'), TABLE);
});

test('only the page may replace a file, and only by a readable one', async () => {
  const put = (name, body, headers = SAVE) => ask(`/files/${name}`, { method: 'PUT', body, headers });
  assert.equal((await put('table.csv', 'x', {})).status, 403);
  assert.equal((await put('table.csv', 'x', { ...SAVE, Origin: 'http://evil.example' })).status, 403);
  assert.equal((await put('table.csv', 'x', { ...SAVE, Origin: 'null' })).status, 403);
  assert.equal((await put('other.csv', 'x')).status, 404);
  assert.equal((await put('..%2fsecret.txt', 'x')).status, 404);
  for (const broken of ['', 'nothing', version.subarray(0, version.length - 3), Buffer.concat([version, version.subarray(0, 9)])]) {
    const { status, text } = await put('tree.pqt', broken);
    assert.equal(status, 422);
    assert.match(text, /^tree\.pqt is not replaced: /);
  }
  assert.deepEqual(readFileSync(join(folder, 'files', 'tree.pqt')), version);
  assert.equal(readFileSync(join(folder, 'files', 'table.csv'), 'utf8'), TABLE);
  assert.equal((await put('table.csv', 'x,y\n', { ...SAVE, Origin: `http://127.0.0.1:${port}` })).status, 200);
  assert.equal(readFileSync(join(folder, 'files', 'table.csv'), 'utf8'), 'x,y\n');
  assert.equal((await put('table.csv', TABLE)).status, 200);
  assert.equal((await put('tree.pqt', version)).status, 200);
  assert.deepEqual(readdirSync(join(folder, 'files')).sort(), ['table.csv', 'tree.pqt']);
});

/** Returns the tag of a file, which a request to replace it must name. */
const tagOf = async (name) => (await ask(`/files/${name}`)).headers.etag;

test('a file that another program has changed is not overwritten unless the request says so', async () => {
  const path = join(folder, 'files', 'table.csv'), put = (tag, body) => ask('/files/table.csv', { method: 'PUT', body, headers: { ...SAVE, 'If-Match': tag } });
  const first = await tagOf('table.csv');
  assert.match(first, /^"[0-9a-f.-]+"$/);
  assert.equal(await tagOf('table.csv'), first);
  const { status: unnamed } = await ask('/files/table.csv', { method: 'PUT', body: TABLE, headers: { 'X-Pqt-Studio': 'save' } });
  assert.equal(unnamed, 428, 'a request must name the contents that it replaces');
  const saved = await put(first, 'id,x,y\n1,2,4\n');
  assert.equal(saved.status, 200);
  assert.equal(saved.headers.etag, await tagOf('table.csv'), 'the answer has the tag of the new contents');
  assert.equal((await put(first, TABLE)).status, 412, 'a tag is good for one replacement');
  // The same size in place, another time; another file with the same time and size.
  const { atime, mtime } = statSync(path), other = `${path}.other`;
  const changes = [() => { writeFileSync(path, 'id,x,y\n1,2,5\n'); utimesSync(path, atime, new Date(Number(mtime) + 1)); },
    () => { writeFileSync(other, 'id,x,y\n1,2,6\n'); utimesSync(other, atime, new Date(Number(mtime) + 1)); renameSync(other, path); }];
  for (const change of changes) {
    const tag = await tagOf('table.csv');
    change();
    const theirs = readFileSync(path, 'utf8'), { status, text } = await put(tag, TABLE);
    assert.equal(status, 412);
    assert.equal(text, 'table.csv is not replaced: another program has changed it since it was opened');
    assert.equal(readFileSync(path, 'utf8'), theirs);
  }
  assert.equal((await put('*', TABLE)).status, 200);
  unlinkSync(path);
  assert.equal((await put('*', TABLE)).status, 410);
  writeFileSync(path, TABLE);
  assert.deepEqual(readdirSync(join(folder, 'files')).sort(), ['table.csv', 'tree.pqt']);
});

test('new contents that arrive while the file changes do not replace it', async () => {
  const path = join(folder, 'files', 'table.csv'), tag = await tagOf('table.csv');
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (part) => { answer += part; });
  socket.write(`PUT /files/table.csv HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\nX-Pqt-Studio: save\r\nIf-Match: ${tag}\r\nContent-Length: ${TABLE.length}\r\n\r\nid,`);
  while (readdirSync(join(folder, 'files')).length < 3) await lives();
  writeFileSync(path, 'id,x,y\n7,7,7\n8,8,8\n');
  socket.write(TABLE.slice(3));
  await once(socket, 'data');
  socket.destroy();
  assert.match(answer, /^HTTP\/1\.1 412/);
  assert.equal(readFileSync(path, 'utf8'), 'id,x,y\n7,7,7\n8,8,8\n');
  writeFileSync(path, TABLE);
  await lives();
  assert.deepEqual(readdirSync(join(folder, 'files')).sort(), ['table.csv', 'tree.pqt']);
});

test('a file is replaced with its mode and through links, and not if it has a second name', async (t) => {
  const at = (name) => join(folder, name);
  writeFileSync(at('real.csv'), TABLE);
  chmodSync(at('real.csv'), 0o604);
  symlinkSync('real.csv', at('link.csv'));
  const own = await startServer(at('link.csv'));
  t.after(() => own.stop());
  const put = (body) => fetch(`${own.address}files/link.csv`, { method: 'PUT', body, headers: SAVE });
  assert.equal((await put('x,y\n3,4\n')).status, 200);
  assert.equal(readlinkSync(at('link.csv')), 'real.csv');
  assert.equal(readFileSync(at('real.csv'), 'utf8'), 'x,y\n3,4\n');
  assert.equal(statSync(at('real.csv')).mode & 0o777, 0o604);
  linkSync(at('real.csv'), at('second.csv'));
  const refused = await put(TABLE);
  assert.equal(refused.status, 422);
  assert.match(await refused.text(), /^link\.csv is not replaced: the file has 2 names/);
  assert.equal(readFileSync(at('second.csv'), 'utf8'), 'x,y\n3,4\n');
});

test('a file is replaced only by contents of its own kind', async (t) => {
  const at = (name) => join(folder, name), picture = readFileSync(new URL('../../docs/examples/data/sprites/ship.png', import.meta.url));
  writeFileSync(at('ship.png'), picture);
  spawnSync(program, ['region', at('ship.png'), '-o', at('region.pqt')]);
  const region = readFileSync(at('region.pqt'));
  const places = '{"type":"Point","coordinates":[1,2]}\n';
  writeFileSync(at('places.geojson'), places);
  const own = await startServer(at('ship.png'), at('region.pqt'), at('places.geojson'));
  t.after(() => own.stop());
  const put = async (name, body) => {
    const response = await fetch(`${own.address}files/${name}`, { method: 'PUT', body, headers: SAVE });
    return [response.status, await response.text()];
  };
  for (const broken of ['', 'noise', 'a,b\n1,2\n', 'x,y\n1,2\n3\n', 'x,y\n1,"2\n', 'x,y\n1,NaN\n', version]) {
    const { status, text } = await ask('/files/table.csv', { method: 'PUT', body: broken, headers: SAVE });
    assert.equal(status, 422);
    assert.match(text, /^table\.csv is not replaced: /);
  }
  assert.equal(readFileSync(join(folder, 'files', 'table.csv'), 'utf8'), TABLE);
  for (const broken of ['', 'noise', '{"type":"Point","coordinates":[1,2', '{"type":"Point","coordinates":[1]}\n', '[{"x":1}]', version]) {
    const [status, text] = await put('places.geojson', broken);
    assert.equal(status, 422);
    assert.match(text, /^places\.geojson is not replaced: /);
  }
  assert.equal(readFileSync(at('places.geojson'), 'utf8'), places);
  assert.deepEqual(await put('places.geojson', `${places}{"type":"Point","coordinates":[3,"4"]}`),
    [422, 'places.geojson is not replaced: line 2: a coordinate of the geometry is not a number']);
  assert.deepEqual(await put('places.geojson', places + places), [200, 'replaced\n']);
  for (const broken of ['', 'noise', picture.subarray(0, 100), picture.subarray(1)]) {
    const [status, text] = await put('ship.png', broken);
    assert.equal(status, 422);
    assert.match(text, /^ship\.png is not replaced: /);
  }
  assert.deepEqual(readFileSync(at('ship.png')), picture);
  assert.deepEqual(await put('ship.png', picture), [200, 'replaced\n']);
  assert.deepEqual(await put('region.pqt', version), [422, 'region.pqt is not replaced: it holds a region, and the new contents are a tree']);
  assert.deepEqual(await put('region.pqt', region), [200, 'replaced\n']);
});

test('an upload that stops leaves the file unchanged', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`PUT /files/table.csv HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\nX-Pqt-Studio: save\r\nIf-Match: *\r\nContent-Length: 1000\r\n\r\nhalf of it`);
  await new Promise((resolve) => { setTimeout(resolve, 100); });
  socket.destroy();
  await lives();
  await new Promise((resolve) => { setTimeout(resolve, 100); });
  assert.equal(readFileSync(join(folder, 'files', 'table.csv'), 'utf8'), TABLE);
  assert.deepEqual(readdirSync(join(folder, 'files')).sort(), ['table.csv', 'tree.pqt']);
});

test('a file that cannot be written is kept, and the response gives the reason', { skip: process.getuid() === 0 && 'root may write everywhere' }, async () => {
  chmodSync(join(folder, 'files', 'table.csv'), 0o444);
  const { status, text } = await ask('/files/table.csv', { method: 'PUT', body: TABLE, headers: SAVE });
  chmodSync(join(folder, 'files', 'table.csv'), 0o644);
  assert.equal(status, 422);
  assert.match(text, /cannot be written/);
});

test('oversized and malformed requests are refused', async () => {
  assert.match(await send(`GET /${'a'.repeat(200000)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`), /^(HTTP\/1\.1 4\d\d|$)/);
  assert.match(await send(`GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Large: ${'b'.repeat(200000)}\r\n\r\n`), /^(HTTP\/1\.1 4\d\d|$)/);
  assert.match(await send(`PUT /files/table.csv HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\nX-Pqt-Studio: save\r\nContent-Length: 99999999999999999999\r\n\r\n`), /^(HTTP\/1\.1 4\d\d|$)/);
  assert.match(await send('GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n'), /^(HTTP\/1\.1 [45]\d\d|$)/);
  const random = randomFrom(5);
  for (let i = 0; i < 200; i++) {
    const bytes = Buffer.from(Array.from({ length: 1 + Math.floor(random() * 300) }, () => Math.floor(random() * 256)));
    await send(Buffer.concat([Buffer.from(['GET / HTTP/1.1\r\n', `PUT /files/table.csv HTTP/1.1\r\nAuthorization: Bearer ${TOKEN}\r\nX-Pqt-Studio: save\r\n`, ''][i % 3]), bytes, Buffer.from('\r\n\r\n')]), 20);
  }
  await lives();
  assert.equal(readFileSync(join(folder, 'files', 'table.csv'), 'utf8'), TABLE);
});

test('slow clients do not block others', async () => {
  const slow = Array.from({ length: 50 }, () => connect(port, '127.0.0.1'));
  slow.forEach((socket) => {
    socket.on('error', () => {});
    socket.write('GET / HT');
  });
  await lives();
  slow.forEach((socket) => socket.write('TP/1.1\r\nHost: 127'));
  await lives();
  slow.forEach((socket) => socket.destroy());
});

test('the server survives thousands of connections', async () => {
  for (let round = 0; round < 3; round++) {
    const sockets = Array.from({ length: 1000 }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n');
      return socket;
    });
    await new Promise((resolve) => { setTimeout(resolve, 200); });
    sockets.forEach((socket) => socket.destroy());
    for (let attempt = 0; ; attempt++) {
      try {
        await lives();
        break;
      } catch (reason) {
        if (attempt === 50) throw reason;
        await new Promise((resolve) => { setTimeout(resolve, 100); });
      }
    }
  }
});

const REFUSED = 'open the address that pqt studio printed: it has the token that this request lacks\n';

test('requests for files without the token are refused with a message; the page needs none', async () => {
  for (const Authorization of ['', 'Bearer', `Bearer ${TOKEN.slice(1)}`, `Bearer ${TOKEN}0`, `Bearer ${TOKEN.replace(/f$/, 'e')}`, `bearer ${TOKEN}`, `Basic ${TOKEN}`, TOKEN, `Bearer ${TOKEN.toUpperCase()}`])
    for (const [path, method] of [['/files.json', 'GET'], ['/files/table.csv', 'GET'], ['/files/table.csv', 'HEAD'], ['/files/none.csv', 'GET'], ['/shared/plan.pqts/state', 'GET'],
      ['/files/table.csv', 'PUT'], ['/shared/plan.pqts/change', 'PUT'], ['/index.html', 'PUT'], ['/%66iles/table.csv', 'GET']]) {
      const { status, text } = await ask(path, { method, headers: { ...SAVE, Authorization }, body: method === 'PUT' ? 'x,y\n' : undefined });
      assert.equal(status, 403, `${method} ${path} ${Authorization}`);
      if (method !== 'HEAD') assert.equal(text, REFUSED);
    }
  for (const path of ['/', '/main.js', '/pqt/pqt.wasm', '/data/countries.csv']) assert.equal((await ask(path, { headers: { Authorization: '' } })).status, 200, path);
  assert.equal(readFileSync(join(folder, 'files', 'table.csv'), 'utf8'), TABLE);
});

test('another user of the machine gets neither the files nor the token', { skip: process.getuid() !== 0 && 'only root can become another user' }, async () => {
  const as = (command, ...given) => spawnSync(command, given, { uid: 65534, gid: 65534, cwd: '/', encoding: 'utf8', env: { PATH: process.env.PATH } });
  const script = (path, options) => `fetch('http://127.0.0.1:${port}${path}', ${JSON.stringify(options)}).then(async (answer) => console.log(answer.status, (await answer.text()).trim()))`;
  const get = (path, options = {}) => as(process.execPath, '-e', script(path, options)).stdout;
  assert.match(get('/main.js'), /^200 /);
  assert.equal(get('/files/table.csv'), `403 ${REFUSED}`);
  assert.equal(get('/files/table.csv', { method: 'PUT', body: 'x,y\n', headers: { 'X-Pqt-Studio': 'save', 'If-Match': '*' } }), `403 ${REFUSED}`);
  assert.equal(as('cat', join(environment.XDG_STATE_HOME, 'pqt', 'studio-token')).status, 1);
  assert.equal(readFileSync(join(folder, 'files', 'table.csv'), 'utf8'), TABLE);
});

/** Starts a server with a folder for its token, and returns the token and all that it printed. */
async function tokenIn(folderOfState, environmentOfIt = { XDG_STATE_HOME: folderOfState }) {
  const child = spawn(program, ['studio', '--no-browser', '--port=0'], { env: { PATH: process.env.PATH, ...environmentOfIt }, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const part of child.stdout) {
    text += part;
    if (text.includes('Ctrl-C')) break;
  }
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
  return { token: /#token=([0-9a-f]{32}) /.exec(text)?.[1], text };
}

test('the token is the same at each start, and is in a file that only the user can read', async () => {
  const own = join(folder, 'a', 'state'), path = join(own, 'pqt', 'studio-token');
  const first = await tokenIn(own), second = await tokenIn(own);
  assert.equal(first.token, second.token);
  assert.equal(readFileSync(path, 'utf8'), `${first.token}\n`);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(statSync(join(own, 'pqt')).mode & 0o777, 0o700);
  assert.deepEqual(readdirSync(join(own, 'pqt')), ['studio-token']);
  const atHome = await tokenIn('', { HOME: join(folder, 'home') });
  assert.equal(readFileSync(join(folder, 'home', '.local', 'state', 'pqt', 'studio-token'), 'utf8'), `${atHome.token}\n`);
  assert.notEqual(atHome.token, first.token);
  assert.notEqual((await tokenIn('', {})).token, (await tokenIn('', {})).token, 'without a folder, it is new');

  // A file that others can read, with other contents, or a link is not used, and not changed.
  const bad = [() => chmodSync(path, 0o644), () => writeFileSync(path, 'x'), () => writeFileSync(path, `${first.token.toUpperCase()}\n`),
    () => { renameSync(path, `${path}.old`); symlinkSync(`${path}.old`, path); }];
  for (const spoil of bad) {
    spoil();
    const before = readFileSync(path, 'utf8'), { token, text } = await tokenIn(own);
    assert.notEqual(token, first.token);
    assert.match(text, /studio-token cannot be used for the token, so it is a new one at each start\.\n/);
    assert.equal(readFileSync(path, 'utf8'), before);
    unlinkSync(path);
    writeFileSync(path, `${first.token}\n`, { mode: 0o600 });
  }
});

test('a browser of the desktop gets the address in a file that only the user can read', async () => {
  const own = join(folder, 'desktop'), bin = join(folder, 'bin'), seen = join(folder, 'seen');
  mkdirSync(bin);
  writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\necho "$@" > ${seen}\n`, { mode: 0o755 });
  const child = spawn(program, ['studio', '--port=0'], { env: { PATH: `${bin}:${process.env.PATH}`, XDG_STATE_HOME: own, DISPLAY: ':9' }, stdio: ['ignore', 'pipe', 'inherit'] });
  const [text] = await once(child.stdout, 'data');
  for (let i = 0; i < 200 && !existsSync(seen); i++) await new Promise((resolve) => { setTimeout(resolve, 20); });
  child.kill('SIGTERM');
  await once(child, 'exit');
  const given = readFileSync(seen, 'utf8').trim(), address = /http:\S+/.exec(String(text))[0];
  assert.equal(given, join(own, 'pqt', 'studio.html'));
  assert.ok(readFileSync(given, 'utf8').includes(`content="0; url=${address}"`));
  assert.equal(statSync(given).mode & 0o777, 0o600);
});

test('the page takes the token out of its address, keeps it over a reload, and says so if it has none', async (t) => {
  const browser = await startBrowser();
  t.after(() => browser.stop());
  const page = await browser.open(server.address, { tab: 'editor', allowed: /403/ });
  assert.doesNotMatch(page.url(), /token/);
  assert.equal(await page.evaluate(() => history.length), 2, 'about:blank and the page');
  assert.equal(await page.textContent('#editor [data-figure="boxes"]'), '1');
  await page.reload();
  await page.waitForFunction(() => globalThis.pqtStudio?.isReady);
  assert.equal(await page.textContent('#editor [data-figure="boxes"]'), '1');
  const other = await page.context().newPage();
  await other.goto(`${server.address}#editor`);
  await other.waitForFunction(() => globalThis.pqtStudio?.isReady);
  assert.equal(await other.textContent('#error'), 'This page has no token, so it gets no files. Open the address that pqt studio printed: it has the token that this request lacks.');
  const friend = await page.context().newPage();
  await friend.goto(`${server.address}#balls&scene=five&seed=1&do=s3`);
  await friend.waitForFunction(() => globalThis.pqtStudio?.isReady);
  assert.deepEqual([await friend.textContent('#error'), await friend.textContent('#balls-position')], ['', '4 of 4, 0.03 s'], 'a link needs no file');
  await friend.close();
  const loaded = other.waitForEvent('load');
  await other.evaluate((token) => { location.hash = `editor&token=${token}`; }, TOKEN); // the user opens the address in the same tab
  await loaded;
  await other.waitForFunction(() => globalThis.pqtStudio?.isReady);
  assert.equal(await other.textContent('#editor [data-figure="boxes"]'), '1');
  assert.doesNotMatch(other.url(), /token/);
  await page.done();
});

test('Ctrl-C and other signals end the server with status 0', async () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) await (await startServer()).stop(signal);
});

test('a port that is in use is refused with a message', () => {
  const { status, stderr } = spawnSync(program, ['studio', '--no-browser', '--port', String(port)], { encoding: 'utf8', timeout: 10000 });
  assert.equal(status, 2);
  assert.match(stderr, new RegExp(`^pqt: 127\\.0\\.0\\.1: port ${port} cannot be used \\(.*\\)\\n$`));
});

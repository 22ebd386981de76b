// SPDX-License-Identifier: MIT
// sharing_server.test.js: tests the requests for shared histories under abuse. The server must
// answer with a clear status, keep the store valid, and continue to run. make check-studio runs
// this. If PQT was built with AddressSanitizer, it also finds memory errors and leaks.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { AUTHORIZED, TOKEN, program, startServer } from './page.js';
import { randomFrom } from './random.js';

const SAVE = { ...AUTHORIZED, 'X-Pqt-Studio': 'save' };
let folder, store, server, port, version, tree;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pqt-sharing-server-'));
  store = join(folder, 'plan.pqts');
  server = await startServer(store);
  port = Number(new URL(server.address).port);
  version = (await ask('/shared/plan.pqts/version?number=0')).bytes;
  writeFileSync(join(folder, 'table.csv'), 'id,x,y\n1,2,3\n');
  execFileSync(program, ['search', '--window', '0,0,9,9', join(folder, 'table.csv'), '-o', join(folder, 'tree.pqt')]);
  tree = readFileSync(join(folder, 'tree.pqt'));
});
after(async () => {
  await server.stop();
  assert.equal(spawnSync(program, ['log', '--check', store]).status, 0);
  rmSync(folder, { recursive: true });
});

const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

/** Waits until a condition holds. */
async function until(isSo, what) {
  for (let attempt = 0; attempt < 6000; attempt++) {
    if (await isSo()) return;
    await pause(10);
  }
  assert.fail(`${what}: it is not so after a minute`);
}

/** Sends a request, and returns { status, text, bytes }. */
function ask(path, { method = 'GET', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers: { ...AUTHORIZED, ...headers }, agent: false }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(parts).toString(), bytes: Buffer.concat(parts) }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const report = async () => JSON.parse((await ask('/shared/plan.pqts/state')).text);
/** Requests a change to the current state, unless the query names another state. */
async function change(query, body, headers = SAVE) {
  const texts = new URLSearchParams({ from: (await report()).state, ...query });
  return ask(`/shared/plan.pqts/change?${texts}`, { method: 'PUT', headers, body });
}

/** Opens a stream of events. Returns { status, text(), end() } when its headers arrive; the status
 * is 0 if they do not. */
function listen(headers = {}) {
  return new Promise((resolve) => {
    let text = '';
    const sent = request({ host: '127.0.0.1', port, path: '/shared/plan.pqts/events', headers: { ...AUTHORIZED, ...headers }, agent: false }, (response) => {
      response.on('data', (part) => { text += part; });
      response.on('error', () => {});
      resolve({ status: response.statusCode, type: response.headers['content-type'], text: () => text, end: () => sent.destroy() });
    });
    sent.on('error', () => resolve({ status: 0, text: () => text, end() {} }));
    sent.end();
  });
}

test('only pages of this server may change anything', async () => {
  const before = await report();
  assert.equal((await change({ op: 'name', entry: 0, text: 'x' }, '', {})).status, 403);
  assert.equal((await change({ op: 'name', entry: 0, text: 'x' }, '', { ...SAVE, Origin: 'http://evil.example' })).status, 403);
  assert.equal((await change({ op: 'name', entry: 0, text: 'x' }, '', { ...SAVE, Host: 'evil.example' })).status, 421);
  assert.equal((await listen({ Origin: 'http://evil.example' })).status, 403);
  assert.equal((await listen({ Host: 'evil.example' })).status, 421);
  assert.equal((await ask('/shared/plan.pqts/state', { headers: { Host: 'evil.example' } })).status, 421);
  assert.deepEqual(await report(), before);
});

test('unknown names and requests are not found, and a store is not served as a file', async () => {
  for (const path of ['/shared/', '/shared/plan.pqts', '/shared/plan.pqts/', '/shared/other.pqts/state', '/shared/../state', '/shared//state',
    '/shared/plan.pqts/change', '/shared/plan.pqts/state/x', '/shared/plan.pqts%00/state', '/files/plan.pqts'])
    assert.equal((await ask(path)).status, 404, path);
  for (const path of ['/shared/plan.pqts/state', '/shared/other.pqts/change', '/files/plan.pqts'])
    assert.equal((await ask(path, { method: 'PUT', headers: SAVE, body: 'x' })).status, 404, path);
});

test('invalid numbers, states and changes are refused with a message', async () => {
  const before = await report();
  for (const number of ['x', '-1', '1.5', '99999999999999999999', '0x1', '1 '])
    assert.equal((await ask(`/shared/plan.pqts/version?number=${encodeURIComponent(number)}`)).status, 400, number);
  for (const number of ['1', '4294967296', '18446744073709551615'])
    assert.equal((await ask(`/shared/plan.pqts/version?number=${number}`)).status, 404, number);
  for (const query of [{ entry: 'x' }, { entry: '-1' }, { key: '99999999999999999999' }, { page: '1,"x":2' }, { page: '4294967295' }])
    assert.equal((await change({ op: 'checkout', ...query })).status, 400, JSON.stringify(query));
  for (const from of ['', 'x', '-', 'line-1', `${before.state}0`, 'a'.repeat(5000)])
    assert.equal((await change({ op: 'undo', from })).status, 409, from);
  for (const [query, sentence] of [[{ op: 'none' }, /does not support this change/], [{ op: '' }, /does not support this change/], [{ op: 'checkout', entry: 7 }, /entry/],
    [{ op: 'name', entry: 9, text: 'x' }, /entry/], [{ op: 'name', entry: 0, text: 'a'.repeat(300) }, /name/], [{ op: 'name', entry: 0, text: 'a\nb' }, /name/]]) {
    const { status, text } = await change(query);
    assert.equal(status, 422, JSON.stringify(query));
    assert.match(text, sentence);
  }
  const after = await report();
  assert.deepEqual({ ...after, state: '' }, { ...before, state: '' });
});

test('a damaged version is never pushed', async () => {
  const before = await report();
  const broken = [Buffer.alloc(0), Buffer.from('nothing'), tree, Buffer.concat([version, Buffer.from('more')])];
  for (let cut = 0; cut < version.length; cut += 7) broken.push(version.subarray(0, cut));
  const random = randomFrom(3);
  for (let i = 0; i < version.length; i++) {
    const copy = Buffer.from(version);
    copy[i] ^= 1 + Math.floor(random() * 255);
    broken.push(copy);
  }
  for (const body of broken) assert.equal((await change({ op: 'push', text: 'broken' }, body)).status, 422);
  assert.deepEqual(await report(), before);
});

test('labels and names of any kind are returned as they were given', async () => {
  for (const text of ['"quoted" \\ back', '<b>ä€😀</b>', 'a&b=c+d %41', '\u2028']) {
    assert.equal((await change({ op: 'name', entry: 0, text })).status, 200);
    assert.equal((await report()).entries[0][3], text);
  }
  assert.equal((await change({ op: 'name', entry: 0, text: '' })).status, 200);
  assert.equal((await report()).entries[0][3], null);
});

test('an oversized version is refused', async () => {
  const before = await report();
  const large = await change({ op: 'push' }, Buffer.alloc(64 * 1024 * 1024 + 1));
  assert.equal(large.status, 413);
  assert.match(large.text, /too large/);
  assert.deepEqual(await report(), before);
});

test('at most two large versions are received at once, and uploads that stop are dropped', async () => {
  const before = await report(), LARGE = 60_000_000;
  for (let round = 0; round < 2; round++) {
    const sockets = Array.from({ length: 2 }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(`PUT /shared/plan.pqts/change?op=push HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\nX-Pqt-Studio: save\r\nContent-Length: ${LARGE}\r\n\r\n`);
      socket.write(Buffer.alloc(LARGE - 1));
      return socket;
    });
    let refused;
    await until(async () => (refused = await change({ op: 'push' }, 'no version')).status === 503, 'a third version is refused');
    assert.match(refused.text, /too many versions are being received/);
    sockets.forEach((socket) => socket.destroy());
    await until(async () => (await change({ op: 'push' }, 'no version')).status === 422, 'the place is free again');
  }
  assert.equal((await change({ op: 'push' }, Buffer.alloc(LARGE))).status, 422);
  assert.deepEqual(await report(), before);
});

test('a stream begins with the state, and contains each change', async () => {
  const stream = await listen();
  assert.equal(stream.status, 200);
  assert.equal(stream.type, 'text/event-stream');
  await until(() => stream.text().includes('\n\n'), 'the stream begins');
  assert.equal(JSON.parse(/data: (.*)\n\n/.exec(stream.text())[1]).state, (await report()).state);
  await change({ op: 'name', entry: 0, text: 'heard' });
  const { state } = await report();
  await until(() => stream.text().includes(`"state":"${state}"`), 'the name is heard');
  assert.match(stream.text(), /"before":"[^"]+".*"heard"/);
  stream.end();
});

test('the server survives a thousand streams, and slow readers do not block others', async () => {
  const streams = await Promise.all(Array.from({ length: 1000 }, () => listen()));
  const open = streams.filter(({ status }) => status === 200);
  assert.ok(open.length > 0 && open.length <= 100, `${open.length} streams`);
  for (const { status } of streams) assert.ok([0, 200, 503].includes(status), `status ${status}`);
  assert.equal((await ask('/')).status, 200);
  const { state } = JSON.parse((await change({ op: 'name', entry: 0, text: 'for all' })).text);
  await until(() => open.every((stream) => stream.text().includes(`"state":"${state}"`)), 'all streams hear the name');
  streams.forEach((stream) => stream.end());
  // After a while, closed pages no longer count toward the limit.
  const slow = [];
  for (let attempt = 0; slow.length < 20 && attempt < 300; attempt++) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    const answer = await new Promise((resolve) => {
      socket.once('data', (part) => resolve(part.toString()));
      socket.once('close', () => resolve(''));
      socket.write(`GET /shared/plan.pqts/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
    });
    socket.pause(); // it no longer reads
    if (/^HTTP\/1\.1 200/.test(answer)) slow.push(socket);
    else await pause(100);
  }
  assert.equal(slow.length, 20);
  const reader = await listen();
  assert.equal(reader.status, 200);
  let last = '';
  for (let i = 0; i < 300; i++) last = JSON.parse((await change({ op: 'name', entry: 0, text: `${i}${'x'.repeat(200)}` })).text).state;
  await until(() => reader.text().includes(`"state":"${last}"`), 'the reader hears the last name');
  reader.end();
  slow.forEach((socket) => socket.destroy());
  assert.equal((await ask('/')).status, 200);
});

test('a page of another site reads nothing, not even as an image', async () => {
  for (const site of ['cross-site', 'same-site']) {
    const headers = { 'Sec-Fetch-Site': site };
    for (const path of ['state', 'version?number=0', 'events'])
      assert.equal((await ask(`/shared/plan.pqts/${path}`, { headers })).status, 403, path);
    assert.equal((await change({ op: 'name', entry: 0, text: 'x' }, '', { ...SAVE, ...headers })).status, 403);
  }
  for (const site of ['same-origin', 'none'])
    assert.equal((await ask('/shared/plan.pqts/state', { headers: { 'Sec-Fetch-Site': site } })).status, 200, site);
});

test('the number of a page is a JSON number', async () => {
  for (const page of ['01', '00', '4294967294']) {
    const { status, text } = await change({ op: 'name', entry: 0, text: 'numbered', page });
    assert.equal(status, 200, page);
    assert.equal(JSON.parse(text).page, Number(page));
  }
});

/** Makes a store of trees. Each number in `counts` makes a version with this number of points. */
function storeOfTrees(name, ...counts) {
  const path = join(folder, name), table = join(folder, `${name}.csv`);
  const random = randomFrom(5);
  for (const count of counts) {
    writeFileSync(table, `id,x,y\n${Array.from({ length: count }, (_, id) => `${id},${random()},${random()}\n`).join('')}`);
    execFileSync(program, ['save', path, table]);
  }
  return path;
}

/** Runs a test with a separate server for a store or a line. */
async function withServer(history, run) {
  const [before, own] = [port, await startServer(history)];
  port = Number(new URL(own.address).port);
  try {
    await run(own);
    await own.stop();
  } finally {
    port = before;
    if (own.child.exitCode === null) own.child.kill();
  }
}

const stateOf = async (name) => JSON.parse((await ask(`/shared/${name}/state`)).text);
const changeOf = async (name, query, body) =>
  ask(`/shared/${name}/change?${new URLSearchParams({ from: (await stateOf(name)).state, ...query })}`, { method: 'PUT', headers: SAVE, body });
/** Opens the stream of a history, and returns { text(), end() }. */
function follow(name) {
  let text = '';
  const sent = request({ host: '127.0.0.1', port, path: `/shared/${name}/events`, headers: AUTHORIZED, agent: false }, (response) => {
    response.on('data', (part) => { text += part; });
    response.on('error', () => {});
  });
  sent.on('error', () => {});
  sent.end();
  return { text: () => text, end: () => sent.destroy() };
}

/** Starts another program, which holds the lock of a database. */
async function holdLock(path) {
  const child = spawn('sqlite3', [path], { stdio: ['pipe', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (part) => { text += part; });
  child.stdin.write('.timeout 10000\nBEGIN IMMEDIATE;\n.shell echo held\n');
  await until(() => text.includes('held'), 'the lock is held');
  return async () => {
    child.stdin.end('ROLLBACK;\n');
    await once(child, 'exit');
  };
}

const noSqlite = spawnSync('sqlite3', ['-version']).status !== 0 && 'there is no sqlite3';
test('a change whose position cannot be written is made once, and only its own request fails', { skip: noSqlite }, async () => {
  const path = storeOfTrees('held.pqts', 1, 2, 3);
  await withServer(path, async () => {
    const stream = follow('held.pqts');
    await until(() => stream.text().includes('"state"'), 'the stream begins');
    const { state: first } = await stateOf('held.pqts');
    let release = await holdLock(path);
    assert.equal((await changeOf('held.pqts', { op: 'undo' })).status, 503);
    await release();
    await until(() => stream.text().includes('"missed":true'), 'pages are told');
    assert.equal((await stateOf('held.pqts')).current, 1);
    assert.equal((await changeOf('held.pqts', { op: 'undo', from: first })).status, 409); // two undos would go back too far
    release = await holdLock(path);
    assert.equal((await changeOf('held.pqts', { op: 'checkout', entry: 2 })).status, 503);
    await release();
    assert.equal((await stateOf('held.pqts')).current, 2);
    assert.equal((await changeOf('held.pqts', { op: 'undo' })).status, 200);
    assert.equal((await stateOf('held.pqts')).current, 1);
    stream.end();
  });
  assert.match(execFileSync(program, ['log', path], { encoding: 'utf8' }), /^> 1 .*current$/m);
});

test('a change of a store whose lock was removed fails, and the store keeps its entries', async () => {
  const path = storeOfTrees('unlocked.pqts', 1, 2, 3);
  await withServer(path, async () => {
    const copy = (await ask('/shared/unlocked.pqts/version?number=0')).bytes;
    rmSync(`${path}-writer`);
    const refused = await changeOf('unlocked.pqts', { op: 'push', text: 'Copy' }, copy);
    assert.equal(refused.status, 503);
    assert.match(refused.text, /lock of the store was removed/);
    assert.equal((await stateOf('unlocked.pqts')).current, 2);
  });
  assert.match(execFileSync(program, ['log', '--check', path], { encoding: 'utf8' }), /^> 2 .*current$/m);
});

test('versions sent to slow pages take bounded memory', async () => {
  const path = storeOfTrees('large.pqts', 1_000_000);
  await withServer(path, async () => {
    const size = (await ask('/shared/large.pqts/version?number=0')).bytes.length, slow = [];
    assert.ok(size > 10_000_000, `${size} bytes`);
    let answer = '';
    for (let i = 0; i < 20 && !answer.startsWith('HTTP/1.1 503'); i++) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      slow.push(socket);
      answer = await new Promise((resolve) => {
        socket.once('data', (part) => {
          socket.pause(); // it no longer reads
          resolve(part.toString());
        });
        socket.write(`GET /shared/large.pqts/version?number=0 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
      });
    }
    assert.match(answer, /^HTTP\/1\.1 503/);
    assert.ok((slow.length - 1) * size <= 128 * 1024 * 1024, `${slow.length} answers`);
    assert.equal((await ask('/shared/large.pqts/state')).status, 200);
    slow.forEach((socket) => socket.destroy());
    await until(async () => (await ask('/shared/large.pqts/version?number=0')).status === 200, 'there is room again');
  });
});

const url = process.env.PQT_TEST_BOB; // set by test/with_postgresql
const hasLines = !spawnSync(program, ['log', 'postgresql://@/none?host=/nowhere#none'], { encoding: 'utf8' }).stderr.includes('has no PostgreSQL');
const noLines = url === undefined ? 'there is no PostgreSQL: run it by test/with_postgresql' : !hasLines && 'this build has no lines: configure --with-postgresql';

/** Runs a program until it succeeds, because another test may have just stopped the database. */
const insist = (file, ...words) => until(() => spawnSync(file, words, { stdio: ['ignore', 'ignore', 'inherit'] }).status <= 1, words.join(' '));
const sql = (...commands) => insist(process.env.PQT_TEST_PSQL, '-qX', '--set', 'ON_ERROR_STOP=1',
  ...commands.flatMap((command) => ['-c', command]), process.env.PQT_TEST_POSTGRESQL);

test('if new versions cannot be listed, pages are told that they missed some', { skip: noLines }, async () => {
  const line = `${url}#unlisted`, path = storeOfTrees('unlisted.pqts', 1, 2);
  await insist(program, 'push', path, line);
  // A role that is not valid text causes an error where entries are listed, but not where versions
  // are fetched.
  await sql("CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN NEW.role := E'a\\nb'; RETURN NEW; END$$",
    "CREATE TRIGGER spoil BEFORE INSERT ON pqt.version FOR EACH ROW WHEN (NEW.label LIKE 'spoilt%') EXECUTE FUNCTION spoil()");
  await withServer(line, async () => {
    const version = (await ask('/shared/unlisted/version?number=1')).bytes, stream = follow('unlisted');
    await until(() => stream.text().includes('"state"'), 'the stream begins');
    assert.equal((await changeOf('unlisted', { op: 'push', text: 'spoilt here' }, version)).status, 503);
    await until(() => stream.text().includes('"missed":true'), 'pages are told of their own push');
    stream.end();
    const later = follow('unlisted');
    await until(() => later.text().includes('"state"'), 'the stream begins');
    const other = storeOfTrees('other.pqts', 5);
    await sql("UPDATE pqt.version SET role = 'bob' WHERE label LIKE 'spoilt%'");
    await insist(program, 'pull', line, join(folder, 'pulled.pqts'));
    execFileSync(program, ['save', join(folder, 'pulled.pqts'), `${other}.csv`, '--label', 'spoilt there']);
    await insist(program, 'push', join(folder, 'pulled.pqts'), line);
    await until(() => later.text().includes('"missed":true'), 'pages are told of the push of another program');
    await sql("UPDATE pqt.version SET role = 'bob' WHERE label LIKE 'spoilt%'");
    assert.equal((await stateOf('unlisted')).current, 4);
    later.end();
  });
});

test('if many versions arrive at once, pages are told that they missed some', { skip: noLines }, async () => {
  const line = `${url}#many`, path = storeOfTrees('many.pqts', 1);
  await insist(program, 'push', path, line);
  await withServer(line, async ({ child }) => {
    const stream = follow('many');
    await until(() => stream.text().includes('"state"'), 'the stream begins');
    storeOfTrees('many.pqts', ...Array.from({ length: 101 }, (_, i) => i + 2));
    child.kill('SIGSTOP');
    await insist(program, 'push', path, line);
    child.kill('SIGCONT');
    await until(() => stream.text().includes('"missed":true'), 'pages are told');
    assert.ok(!stream.text().includes('"entries"'));
    assert.equal((await stateOf('many')).current, 102);
    stream.end();
  });
});

test('a stream that begins while the database is unavailable reports that', { skip: noLines }, async () => {
  await sql('CREATE ROLE carl LOGIN', 'GRANT pqt_writer TO carl');
  await withServer(`${url.replace('//bob@', '//carl@')}#lost`, async () => {
    const stream = follow('lost');
    await until(() => stream.text().includes('"state"'), 'the stream begins');
    await sql('ALTER ROLE carl NOLOGIN', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'carl'");
    await until(() => stream.text().includes('"problem":"'), 'the problem is reported');
    const later = follow('lost');
    await until(() => later.text().includes('"problem":"'), 'the later page gets it, too');
    assert.match(later.text(), /"state":"line-1"[^]*"problem":"/);
    await sql('ALTER ROLE carl LOGIN');
    for (const one of [stream, later]) await until(() => one.text().includes('"problem":null'), 'the database is found');
    stream.end();
    later.end();
  });
});

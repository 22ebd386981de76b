// SPDX-License-Identifier: MIT
// trees.test.js: runs the tests of trees and histories with pqt/trees instead of pqt.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'node:test';

const directory = fileURLToPath(new URL('..', import.meta.url));

/** Runs a program in a process that reports results as text, not to the runner of this test. */
function run(program) {
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  return spawnSync(process.execPath, ['--input-type=module'], { cwd: directory, input: program, encoding: 'utf8', env });
}

for (const file of ['tree.test.js', 'collision.test.js', 'edit.test.js', 'history.test.js', 'memory.test.js'])
  test(`${file} passes with pqt/trees`, () => {
    const program = readFileSync(new URL(file, import.meta.url), 'utf8')
      .replaceAll("'pqt'", "'pqt/trees'").replaceAll("'../support/", "'./support/");
    assert.match(program, /'pqt\/trees'/);
    const { status, stdout } = run(program);
    assert.equal(status, 0, stdout);
    assert.match(stdout, /^# pass [1-9]|^ℹ pass [1-9]/m);
  });

test('pqt/trees loads pqt-trees.wasm, and its versions equal those of pqt', () => {
  const program = (name) => `import * as all from '${name}';
    import { wasm } from './lib/core.js';
    const boxes = Float64Array.from({ length: 4000 }, (_, i) => (i >> 2) * 7 % 101 + (i % 4 > 1));
    const tree = all.PersistentTree.of(boxes);
    console.log(tree.fingerprint(), tree.insert({ minX: 1, minY: 2, maxX: 3, maxY: 4, id: 5 }).fingerprint());
    console.error('pqtjs_world_step' in wasm, Object.keys(all).length);`;
  const trees = run(program('pqt/trees')), whole = run(program('pqt'));
  assert.match(trees.stdout, /^[0-9a-f]{32} [0-9a-f]{32}\n$/);
  assert.equal(trees.stdout, whole.stdout);
  assert.equal(trees.stderr, 'false 7\n');
  assert.match(whole.stderr, /^true [1-9][0-9]*\n$/);
});

test('the types of pqt/trees are those of index.d.ts, for each name that trees.js exports', () => {
  const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
  const exported = [...read('trees.js').matchAll(/export \{ (.*) \} from/g)].flatMap(([, names]) => names.split(', ')).sort();
  const [, typed, rest] = /export \{ (.*) \} from '.\/index.js';\n(.*)\n$/.exec(read('trees.d.ts'));
  const program = "import * as trees from 'pqt/trees'; console.log(Object.keys(trees).join());";
  assert.deepEqual(exported, run(program).stdout.trim().split(','));
  assert.deepEqual(typed.split(', '), exported);
  assert.equal(rest, "export type * from './index.js';");
});

test('pqt/trees says that histories have neither bytes nor an index there', () => {
  const { stdout } = run(`import { History, PersistentTree } from 'pqt/trees';
    const history = new History(new PersistentTree({ bounds: { minX: 0, minY: 0, maxX: 9, maxY: 9 } }));
    for (const use of [() => history.toBytes(), () => History.fromBytes(new Uint8Array(9))])
      try { use(); } catch (error) { console.log(error.message); }
    for (const use of [() => new History(history.tree(), { indexed: true }), () => history.lastChange(), () => history.lastItemChange(1), () => history.changes(0, 1)])
      try { use(); } catch (error) { console.log(error.message); }`);
  assert.equal(stdout, 'pqt/trees neither writes nor reads the bytes of histories: import pqt\n'.repeat(2) +
    'pqt/trees does not know what changed in a history: import pqt\n'.repeat(4));
});

test('a program cannot use both pqt/trees and pqt', () => {
  const { status, stderr } = run("import 'pqt/trees'; await import('pqt');");
  assert.notEqual(status, 0);
  assert.match(stderr, /a program uses pqt or pqt\/trees, not both/);
});

// SPDX-License-Identifier: MIT
// shown.test.js: tests what console.log shows of objects of the package, and `using`.
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import test from 'node:test';
import { Document, History, PersistentImage, PersistentMap, PersistentTree, Recording, Region, Table, World, memory } from 'pqt';

const bounds = { minX: 0, minY: 0, maxX: 9, maxY: 9 };
const tree = new PersistentTree({ bounds }).insert({ ...bounds, id: 1 });
const world = new World({ bounds });
const shownBounds = 'bounds: { minX: 0, minY: 0, maxX: 9, maxY: 9 }';

for (const [object, shown] of [
  [tree, `PersistentTree { size: 1, ${shownBounds} }`],
  [PersistentMap.of([['a', 1], ['b', 2]], { keys: 'bytes' }), "PersistentMap { size: 2, keyKind: 'bytes', valueKind: 'numbers' }"],
  [Region.ofBoxes([bounds]), `Region { size: 81, ${shownBounds} }`],
  [new PersistentImage({ width: 5, height: 4 }), 'PersistentImage { width: 5, height: 4 }'],
  [world, `World { size: 0, ${shownBounds} }`],
  [Document.of({ boxes: tree, world }), "Document { boxes: 'tree', world: 'world' }"],
  [new History(tree), "History { kind: 'tree', entries: 1, current: 0 }"],
  [new Recording(world, 0.1), 'Recording { last: 0, kept: 1 }'],
])
  test(`console.log shows what a ${object.constructor.name} is, and that it was freed`, () => {
    assert.equal(inspect(object, { breakLength: Infinity }), shown);
    assert.match(inspect([object], { breakLength: Infinity }), /^\[ \w+ \{.*\} \]$/);
    const copy = 'fingerprint' in object && 'toBytes' in object ? object.constructor.fromBytes(object.toBytes()) : object;
    copy.free();
    assert.match(inspect(copy), new RegExp(`^${object.constructor.name} \\(the \\w+ was freed\\)$`));
  });

test('console.log shows the members of a table', () => {
  assert.match(inspect(Table.read(new TextEncoder().encode('id,x,y\n1,2,3\n'))), /^Table \{\s+position: 'points',\s+hasIds: true,/);
});

test('the method for `using` frees a version, a history and a recording', () => {
  const dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
  const one = tree.insert({ ...bounds, id: 2 }), { versions } = memory();
  one[dispose]();
  assert.equal(memory().versions, versions - 1);
  assert.throws(() => one.size, { message: 'the tree was freed' });
  const history = new History(tree), recording = new Recording(world, 0.1);
  history[dispose]();
  recording[dispose]();
  assert.throws(() => history.current, { message: 'the history was freed' });
  assert.throws(() => recording.last, { message: 'the recording was freed' });
});

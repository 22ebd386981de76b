// SPDX-License-Identifier: MIT
// random.test.js: calls all methods with random arguments of all kinds.
import assert from 'node:assert/strict';
import test from 'node:test';

import * as pqt from 'pqt';
import { SEED, dice } from '../support/checks.js';

const { Document, History, PersistentMap, PersistentTree, Recording, Region, World } = pqt;
const CLASSES = [Document, History, PersistentMap, PersistentTree, Recording, Region, World];
const BOUNDS = { minX: 0, minY: 0, maxX: 100, maxY: 100 };
const CALLS = 20000;

/** Returns the names of the methods and properties of an object. */
function membersOf(object) {
  const names = [];
  for (let at = Object.getPrototypeOf(object); at !== Object.prototype; at = Object.getPrototypeOf(at)) names.push(...Reflect.ownKeys(at));
  return names.filter((name) => !['constructor', 'free', Symbol.dispose ?? Symbol.for('Symbol.dispose')].includes(name));
}

for (const [limits, what] of [[false, ''], [true, ', even when memory is almost exhausted']])
  test(`random calls with random arguments return or throw, and never trap${what}`, () => callAtRandom(limits));

/** Checks an error that a call throws, or with which it rejects its promise. */
function checkError(error, name) {
  const text = `${String(name)}: ${error?.stack}`;
  assert.ok(error instanceof Error, text);
  assert.ok(!(error.cause instanceof WebAssembly.RuntimeError) && !(error instanceof WebAssembly.RuntimeError), text);
  assert.ok(error.code !== 'PQT_ERROR_CORRUPT', text);
}

async function callAtRandom(limits) {
  const draw = dice(SEED);
  const tree = new PersistentTree({ bounds: BOUNDS, uniqueIds: true }).insert({ minX: 1, minY: 1, maxX: 2, maxY: 2, id: 1 });
  const map = PersistentMap.of([[1, 5]]), region = Region.ofBoxes([{ minX: 0, minY: 0, maxX: 70, maxY: 5 }]);
  const world = new World({ bounds: BOUNDS }).add({ id: 1, x: 50, y: 50, vx: 9, radius: 5 });
  const freed = new PersistentTree({ bounds: BOUNDS });
  freed.free();
  const objects = [tree, map, region, world, new PersistentMap({ keys: 'bytes', values: 'bytes' }), freed, new History(tree), new History(map),
    Document.of({ tree, region, world, map: { map, keyedBy: 'tree' } }), new Recording(world, 0.01)];
  const values = [undefined, null, true, NaN, Infinity, -Infinity, 0, -0, 1, 2, 4, 8, 0.5, -1, 2 ** 20, 2 ** 31, 2 ** 32, 2 ** 53, 1e300, 5e-324, 1n,
    -1n, 2n ** 64n, '', 'tree', 'map', 'region', 'flipX', 'ours', 'x'.repeat(40), 'a\0b', '\ud800', [], {}, [1], [[1, 2]], () => 'ours', () => null,
    Symbol('s'), BOUNDS, { ...BOUNDS, id: 1 }, { ...BOUNDS, minX: 101 }, { id: 3, x: 9, y: 9, radius: 2 }, { x: 5, y: 5, radius: 3 }, { x: 1 }, { x: NaN },
    { width: 2, height: 2 }, { keys: 'bytes' }, { onConflict: 'theirs' }, { onConflict: () => ({ value: 1 }) }, { bounds: BOUNDS }, { every: 2 },
    { gravity: { y: 9 }, restitution: 0.5 }, { figures: new Float64Array(8) }, { map, keyedBy: 'tree' }, { tree }, new Uint8Array(4), new Float64Array(8),
    new Int32Array(8), new Uint32Array(2), new BigUint64Array(2), tree.toBytes(), world.toBytes(), new Map([[1, 2]]),
    { digests: (paths) => paths.map((path) => tree.digest(path.slice(1))), items: (paths) => paths.map(() => tree.all()) }];
  const edits = ['insert', 'remove', 'move', 'load', 'removeAll', 'removeId', 'moveId', 'removeIds', 'moveIds', 'set', 'delete', 'setAll', 'deleteAll'];
  values.push((draft) => {
    for (let k = draw(9); k > 0; k--) draft?.[edits[draw(edits.length)]]?.(any(), any());
  });
  const any = () => (draw(3) === 0 ? objects[draw(objects.length)] : values[draw(values.length)]);
  const promised = [];
  let returned = 0;
  for (let i = 0; i < CALLS; i++) {
    const object = objects[draw(objects.length)], names = membersOf(object), name = names[draw(names.length)];
    const given = Array.from({ length: draw(4) }, any);
    if (limits && i % 50 === 0) pqt.setMemoryLimit(draw(2) === 0 ? pqt.reclaim().bytes + draw(200000) : Infinity);
    try {
      const from = draw(10) === 0 ? CLASSES[draw(CLASSES.length)] : null;
      const statics = from === null ? [] : ['of', 'fromBytes', 'fromJSON', 'ofPixels', 'ofBoxes'].filter((one) => one in from);
      const made = statics.length > 0 ? from[statics[draw(statics.length)]](...given) : from !== null ? new from(...given)
        : typeof Object.getOwnPropertyDescriptor(Object.getPrototypeOf(object), name)?.get === 'function' ? object[name] : object[name](...given);
      returned++;
      if (made instanceof Promise) promised.push(made.catch((error) => checkError(error, name)));
      if (CLASSES.some((Class) => made instanceof Class) && draw(4) === 0) objects[10 + draw(30)] = made;
      for (let k = 10; k < objects.length; k++) objects[k] ??= tree;
    } catch (error) {
      checkError(error, name);
    }
  }
  await Promise.all(promised);
  pqt.setMemoryLimit(Infinity);
  assert.ok(returned > CALLS / 10, `${returned}`);
  assert.equal(tree.check().size, 1);
  assert.equal(world.check().size, 1);
}

// SPDX-License-Identifier: MIT
// cases.test.js: runs the cases that the C library writes (test/cases.c), and compares every answer.
import assert from 'node:assert/strict';
import test from 'node:test';

import { Document, History, PersistentImage, PersistentMap, PersistentTree, Region, World } from 'pqt';
import { readCases } from '../support/cases.js';

const CLASSES = { tree: PersistentTree, map: PersistentMap, region: Region, image: PersistentImage, world: World, document: Document };
const STATUSES = ['none', 'free', 'touches', 'hits', 'overlaps'];
const file = await readCases();
let steps = 0;

const real = (value) => (value === 'nan' ? NaN : value);
const id = (value) => (typeof value === 'string' ? BigInt(value) : value);
const boxOf = ([minX, minY, maxX, maxY]) => ({ minX: real(minX), minY: real(minY), maxX: real(maxX), maxY: real(maxY) });
const itemOf = ([number, box]) => ({ id: id(number), ...boxOf(box) });
const textOf = (value) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : value);
const bytesOf = (hex) => Uint8Array.from(hex.match(/../g), (digits) => parseInt(digits, 16));
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const sizeOf = (version) => (version instanceof Document ? version.parts.length
  : version instanceof PersistentImage ? version.width * version.height : version.size);
const bodyOf = ({ id: number, at, velocity, radius, mass, fixed }) =>
  ({ id: id(number), x: at[0], y: at[1], vx: velocity[0], vy: velocity[1], radius, mass, fixed });

/** The operations that make a version from other versions. */
const MAKERS = {
  tree: (step) => new PersistentTree({ bounds: boxOf(step.bounds), uniqueIds: step.uniqueIds, strictBounds: step.strictBounds }),
  insert: (step, of) => of.insert(itemOf([step.id, step.box])),
  remove: (step, of) => of.remove(itemOf([step.id, step.box])),
  move: (step, of) => of.move(itemOf([step.id, step.box]), boxOf(step.to)),
  load: (step, of) => of.load(step.items.map(itemOf)),
  apply: (step, of) => of.edit((draft) => {
    for (const [kind, number, box, to] of step.changes) draft[kind](itemOf([number, box]), ...(to === undefined ? [] : [boxOf(to)]));
  }),
  clear: (step, of) => of.clear(),
  merge: (step, of, versions) =>
    of.merge(versions.get(step.ours), versions.get(step.theirs), step.resolution ? { onConflict: step.resolution } : {}),
  read: (step) => CLASSES[step.kind].fromBytes(bytesOf(step.bytes)),
  map: (step) => new PersistentMap({ keys: step.keys, values: step.values }),
  set: (step, of) => of.set(of.keyKind === 'ids' ? id(step.key) : step.key, of.valueKind === 'numbers' ? id(step.value) : step.value),
  delete: (step, of) => of.delete(id(step.key)),
  region: (step) => Region.ofBoxes([boxOf(step.box)]),
  disc: (step, of) => of.paint({ op: step.set ? 'set' : 'clear', x: step.at[0], y: step.at[1], radius: step.radius }),
  union: (step, of, versions) => of.union(versions.get(step.other)),
  intersection: (step, of, versions) => of.intersection(versions.get(step.other)),
  difference: (step, of, versions) => of.difference(versions.get(step.other)),
  xor: (step, of, versions) => of.xor(versions.get(step.other)),
  shift: (step, of) => of.move(...step.by),
  dilate: (step, of) => of.dilate(...step.by),
  erode: (step, of) => of.erode(...step.by),
  image: ({ width, height, colour }) => new PersistentImage({ width, height, colour }),
  ink: ({ from, to, radius, colour, mode }, of) =>
    of.paint({ x: real(from[0]), y: from[1], toX: to[0], toY: to[1], radius }, colour, { mode }),
  fill: ({ other, at, colour, mode }, of, versions) => of.fill(versions.get(other), colour, { x: at[0], y: at[1], mode }),
  blit: ({ other, at, box, mode }, of, versions) => of.blit(versions.get(other), { x: at[0], y: at[1], box: boxOf(box), mode }),
  flood: ({ at, tolerance, colour, mode }, of) => of.flood(...at, colour, { tolerance, mode }),
  world: (step) => new World({ bounds: boxOf(step.bounds) }),
  add: (step, of) => of.add(step.bodies.map(bodyOf)),
  step: (step, of) => {
    for (let i = 0; i < step.times; i++) of = of.step(step.dt, { restitution: step.restitution, gravity: { y: step.gravity } });
    return of;
  },
  document: (step, of, versions) => Document.of(Object.fromEntries(step.parts.map(([name, version, keyedBy]) =>
    [name, keyedBy === null ? versions.get(version) : { map: versions.get(version), keyedBy }]))),
  setPart: (step, of, versions) => of.set(step.part, versions.get(step.to)),
};

/** The queries whose answers are compared. */
const QUESTIONS = {
  window: (step, of) => assert.deepEqual(of.search(boxOf(step.box)), step.is.map(itemOf).map(({ id: number, ...box }) => ({ ...box, id: number }))),
  count: (step, of) => assert.equal(of.count(boxOf(step.box)), step.is),
  nearest: (step, of) => {
    const found = of.nearest(...step.at, step.most);
    assert.deepEqual(found.map((one) => one.id), step.is.map(id));
    assert.deepEqual(found.map((one) => one.distance), step.distances);
  },
  equals: (step, of, versions) => assert.equal(of.equals(versions.get(step.other)), step.is),
  diff: (step, of, versions) => assert.deepEqual(of.diff(versions.get(step.other)).map(({ kind, item, to }) =>
    ({ kind, item, ...(to === undefined ? {} : { to }) })),
  step.is.map(([kind, number, box, to]) => ({ kind, item: itemOf([number, box]), ...(to === undefined ? {} : { to: boxOf(to) }) }))),
  bytes: (step, of) => assert.equal(hexOf(of.toBytes()), step.is),
  get: (step, of) => assert.equal(textOf(of.get(of.keyKind === 'ids' ? id(step.key) : step.key)) ?? null, step.is === null ? null
    : of.valueKind === 'numbers' ? id(step.is) : step.is),
  sweep: (step, of, versions) => {
    const [x, y] = step.from, [toX, toY] = step.to;
    const found = of.sweep({ x, y }, { x: toX, y: toY }, versions.get(step.other));
    assert.deepEqual([found.status, found.time, found.x, found.y, found.blockedX, found.blockedY],
      [STATUSES[step.status], step.time, ...step.stop, (step.blocked & 1) !== 0, (step.blocked & 2) !== 0]);
  },
  pixel: (step, of) => assert.deepEqual(of.pixel(...step.at), step.is),
  damage: (step, of, versions) => assert.deepEqual(of.diff(versions.get(step.other)), step.is.map(boxOf)),
  body: (step, of) => {
    const found = of.get(id(step.id)), expected = bodyOf(step.is);
    for (const name of Object.keys(expected)) assert.equal(found[name], expected[name], name);
  },
  push: (step, of, versions) => of.push(versions.get(step.version), { label: step.label }),
  undo: (step, of) => assert.equal(of.undo(), step.is),
  redo: (step, of) => assert.equal(of.redo(), step.is),
  now: (step, of) => assert.equal(of.version().fingerprint(), step.is),
};

function runStep(step, versions) {
  const of = versions.get(step.of);
  if (step.op === 'history') {
    versions.set(step.as, new History(of));
  } else if (Object.hasOwn(QUESTIONS, step.op)) {
    QUESTIONS[step.op](step, of, versions);
  } else {
    assert.ok(Object.hasOwn(MAKERS, step.op), `the operation ${step.op} is unknown`);
    if (step.error !== undefined) {
      assert.throws(() => MAKERS[step.op](step, of, versions), (error) => error.code === step.error || (error.code === undefined && error instanceof RangeError));
      return;
    }
    const version = MAKERS[step.op](step, of, versions);
    assert.equal(sizeOf(version), step.size);
    assert.equal(version.fingerprint(), step.fingerprint);
    versions.set(step.as, version);
  }
}

for (const { name, steps: list } of file.cases)
  test(name, () => {
    const versions = new Map();
    list.forEach((step, i) => {
      try {
        runStep(step, versions);
      } catch (error) {
        error.message = `step ${i + 1}, ${JSON.stringify(step).slice(0, 200)}: ${error.message}`;
        throw error;
      }
      steps++;
    });
  });

test('all steps in the file of cases were run', () => {
  assert.equal(file.format, 1);
  assert.ok(steps > 0);
  assert.equal(steps, file.steps);
});

// SPDX-License-Identifier: MIT
// world.test.js: tests World and Recording: bodies, steps, obstacles, bad input and bytes.
import assert from 'node:assert/strict';
import test from 'node:test';

import { History, PersistentTree, Recording, Region, World, memory, reclaim } from 'pqt';
import { SEED, damages, detached, dice, refuses, refusesFreed } from '../support/checks.js';

const BOUNDS = { minX: 0, minY: 0, maxX: 200, maxY: 100 };
const empty = () => new World({ bounds: BOUNDS });
const ball = (id, x, y, rest = {}) => ({ id, x, y, radius: 2, ...rest });

/** Returns balls on a grid that move in many directions. */
function balls(count) {
  const draw = dice(SEED);
  return Array.from({ length: count }, (_, id) => ball(id, 5 + 6 * (id % 30), 5 + 6 * Math.floor(id / 30), { vx: draw(100) - 50, vy: draw(100) - 50 }));
}

test('bodies are returned as they were given, as objects and as arrays', () => {
  const full = { id: 2n ** 64n - 1n, x: 50, y: 50, vx: 1, vy: -1, ax: 0, ay: 0, radius: 3, mass: 7, fixed: false, kinematic: true, sensor: true, ownFriction: true, friction: 0.25, angle: 1, angularVelocity: -2,
    data: 2 ** 53 - 1,
    category: 0xffffffff, mask: 0x80000000 };
  const world = empty().add([full, ball(1, 10, 10, { fixed: true })]);
  assert.equal(world.size, 2);
  assert.deepEqual(world.get(2n ** 64n - 1n), full);
  assert.equal(world.get(1).fixed, true);
  assert.equal(world.get(3), null);
  assert.deepEqual(world.bodies({ minX: 40, minY: 40, maxX: 60, maxY: 60 }), [full]);
  assert.deepEqual([...world].map(({ id }) => id).sort(), [1, 2n ** 64n - 1n].sort());
  assert.ok(empty().add(world.arrays()).equals(world));
  assert.deepEqual([world.bounds, world.walls], [BOUNDS, true]);
  assert.equal(world.nearest(11, 10)[0].id, 1);
  assert.deepEqual(world.nearest(15, 10, 9).map(({ distance }) => distance)[0], 3);
  assert.deepEqual([...world.tree.searchBigIds({ minX: 0, minY: 0, maxX: 20, maxY: 20 })], [1n]);
  assert.equal(world.change({ ...full, x: 60 }).get(full.id).x, 60);
  assert.equal(world.differs(world.change({ ...full, x: 60 })), full.id);
  assert.equal(world.differs(world), null);
  assert.equal(world.remove(1, full.id).size, 0);
  assert.equal(world.remove([1]).size, 1);
  assert.equal(world.clear().size, 0);
});

test('bodies in arrays have the ids 0, 1, 2 unless others are given', () => {
  const figures = Float64Array.of(10, 10, 1, 0, 0, 0, 2, 0, 30, 30, 0, 0, 0, 0, 2, 5);
  assert.deepEqual([...empty().add({ figures })].map(({ id, x, mass }) => [id, x, mass > 0]), [[0, 10, true], [1, 30, true]]);
  const world = empty().add({ figures, ids: Uint32Array.of(8, 9), roles: Uint8Array.of(0, 1), data: BigUint64Array.of(1n, 2n) });
  assert.deepEqual([world.get(9).fixed, world.get(9).data, world.get(8).fixed, world.get(8).data], [true, 2, false, 1]);
});

test('a ball that slides begins to roll, and friction turns it', () => {
  const options = { gravity: { x: 0, y: 10 }, restitution: 0, friction: 0.5 };
  const sliding = empty().add(ball(1, 10, 98, { radius: 2, vx: 6 }));
  let world = sliding;
  for (let i = 0; i < 60; i++) world = world.step(1 / 60, options);
  const { vx, angularVelocity, angle } = world.get(1);
  assert.ok(Math.abs(vx - 4) < 1e-9 && Math.abs(angularVelocity - 2) < 1e-9 && angle > 1);
  assert.equal(sliding.step(1, { ...options, friction: 0 }).get(1).angularVelocity, 0);
  assert.throws(() => sliding.step(1, { friction: -1 }), /friction/);
  const figures = Float64Array.of(10, 10, 0, 0, 0, 0, 2, 0);
  const turned = empty().add({ figures, spins: Float64Array.of(1, 2), frictions: Float32Array.of(0.5) }).get(0);
  assert.deepEqual([turned.angle, turned.angularVelocity, turned.friction], [1, 2, 0.5]);
});

test('bodies meet if their masks allow it', () => {
  const figures = Float64Array.of(30, 10, 10, 0, 0, 0, 2, 0, 60, 10, -10, 0, 0, 0, 2, 0);
  const passing = { figures, categories: Uint32Array.of(1, 2), masks: Uint32Array.of(1, 0) };
  assert.equal(empty().add(passing).step(2).get(0).vx, 10);
  assert.equal(empty().add({ ...passing, masks: Uint32Array.of(2, 1) }).step(2).get(0).vx, -10);
});

test('a kinematic body pushes and is not pushed, and hits are listed', () => {
  const world = empty().add([ball(1, 20, 50, { vx: 10, kinematic: true }), ball(2, 44, 50, { mass: 1 })]).step(4, { events: true });
  assert.deepEqual([world.get(1).x, world.get(1).vx, world.get(2).vx], [60, 10, 20]);
  assert.deepEqual(world.events(), [{ time: 2, kind: 'hit', side: 'body', low: 1, high: 2, impulse: 20, x: 42, y: 50, normalX: 1, normalY: 0 }]);
  assert.deepEqual(world.step(0.1).events(), []);
});

test('a sensor lists who enters and leaves it', () => {
  const figures = Float64Array.of(100, 50, 0, 0, 0, 0, 10, 0, 50, 50, 50, 0, 0, 0, 2, 0);
  const world = empty().add({ figures, roles: Uint8Array.of(5, 0) });
  assert.deepEqual([world.get(0).fixed, world.get(0).kinematic, world.get(0).sensor], [true, false, true]);
  const next = world.step(2, { events: true });
  assert.equal(next.get(1).vx, 50);
  assert.deepEqual(next.events().map(({ kind, time, low, high }) => [kind, time, low, high]), [['sensorBegin', 0.76, 0, 1], ['sensorEnd', 1.24, 0, 1]]);
});

test('crossings are the bodies that entered or left a box or a region', () => {
  const first = empty().add([ball(1, 20, 50, { vx: 20 }), ball(2, 60, 50, { vx: 20 }), ball(3, 150, 20)]);
  const later = first.step(2);
  const zone = { minX: 50, minY: 40, maxX: 70, maxY: 60 };
  const names = (crossings) => crossings.map(({ body, entered }) => [body.id, entered]);
  assert.deepEqual(names(later.crossings(first, zone)), [[1, true], [2, false]]);
  assert.equal(later.crossings(first, zone)[0].body.x, 60);
  assert.deepEqual(names(later.crossings(first, { region: Region.ofBoxes([{ minX: 0, minY: 0, maxX: 20, maxY: 20 }]), x: 50, y: 40 })), [[1, true], [2, false]]);
  assert.deepEqual(later.crossings(later, zone), []);
});

test('a ball on the floor falls asleep, and wakes when another gravity pulls', () => {
  const fall = { restitution: 0, gravity: { y: 10 }, sleepSteps: 5, report: {} };
  let world = empty().add(ball(1, 10, 97));
  for (let i = 0; i < 60; i++) world = world.step(1 / 60, fall);
  assert.equal(world.isAsleep(1), true);
  assert.equal(world.isAsleep(2), false);
  assert.ok(fall.report.asleep > 1);
  assert.equal(fall.report.separationEnergy, 0);
  const apart = { ...fall, report: {} };
  empty().add([ball(1, 50, 50), ball(2, 52, 50)]).step(1 / 60, apart);
  assert.ok(apart.report.separated === 2 && Object.keys(apart.report).length === 17, JSON.stringify(apart.report));
  assert.ok(world.step(1 / 60, fall).equals(world));
  assert.equal(world.step(1 / 60, { ...fall, gravity: { x: 1 } }).isAsleep(1), false);
  assert.equal(World.fromBytes(world.toBytes()).isAsleep(1), true);
});

test('a step moves bodies, counts contacts, and keeps energy and all old worlds', () => {
  let world = empty().add(balls(300));
  const kept = [], report = {}, { energy } = world.stats();
  for (let i = 0; i < 50; i++) {
    kept.push([world, world.fingerprint()]);
    world = world.step(1 / 60, { report });
  }
  assert.ok(report.contacts > 100 && report.bounces > 10, JSON.stringify(report));
  assert.ok(Math.abs(world.stats().energy / energy - 1) < 1e-9);
  assert.equal(world.check().size, 300);
  for (const [version, fingerprint] of kept) assert.equal(version.fingerprint(), fingerprint);
  assert.ok(World.fromBytes(world.toBytes()).step(1 / 60).equals(world.step(1 / 60)));
  const falling = empty().add(ball(1, 100, 10)).step(1, { gravity: { y: 9 } });
  assert.equal(falling.get(1).vy, 9);
  assert.equal(empty().add(ball(1, 100, 50, { vx: 10 })).step(1, { damping: 1 }).get(1).vx, 5);
});

test('the bodies of a window are found by their relation to it', () => {
  const world = empty().add([ball(1, 50, 50), ball(2, 60, 50), ball(3, 90, 50)]), window = { minX: 44, minY: 40, maxX: 60, maxY: 60 };
  const { radius } = world.get(1), inside = world.bodies(window, { relation: 'inside' });
  assert.deepEqual(inside.map(({ id }) => id), radius <= 6 ? [1] : []);
  assert.deepEqual(world.bodies(window).map(({ id }) => id).sort(), [1, 2]);
  assert.deepEqual([...world.arrays(window, { relation: 'inside' }).ids].map(Number), inside.map(({ id }) => id));
  const kept = world.keep(window);
  assert.deepEqual(kept.check().bodies().map(({ id }) => id).sort(), [1, 2]);
  assert.equal(world.keep(window, { relation: 'covers' }).size, 0);
  assert.ok(world.keep(BOUNDS).equals(world));
  assert.throws(() => world.keep({ ...window, minX: NaN }), { code: 'PQT_ERROR_BOX' });
  assert.throws(() => world.keep(window, { relation: 'near' }), RangeError);
  assert.throws(() => world.bodies(window, { filter: () => true }), TypeError);
});

test('a region is an obstacle for bodies', () => {
  const wall = Region.ofBoxes([{ minX: 0, minY: 0, maxX: 10, maxY: 100 }]);
  const world = empty().add(ball(1, 80, 50, { vx: 100 })).setObstacle(wall, { x: 100, y: 0 });
  assert.equal(world.obstacle.x, 100);
  assert.deepEqual([world.isObstructed(1000, 1000, 1), world.isObstructed(100.5, 5, 1)], [false, true]);
  assert.ok(world.obstacle.region.equals(wall));
  const report = {};
  assert.equal(world.step(1, { report }).get(1).vx, -100);
  assert.equal(report.obstacleHits, 1);
  const free = world.setObstacle(null);
  assert.equal(free.obstacle, null);
  assert.equal(free.step(1).get(1).x, 180);
});

test('a recording goes back to each step, with few worlds stored', () => {
  const first = empty().add(balls(100));
  const recording = new Recording(first, 1 / 60, { every: 10, restitution: 0.9, gravity: { y: 50 } });
  const prints = [first.fingerprint()];
  for (let i = 0; i < 65; i++) {
    const world = recording.step();
    prints.push(world.fingerprint());
    world.free();
  }
  assert.equal(recording.last, 65);
  assert.ok(recording.kept <= 8, `${recording.kept}`);
  for (const step of [0, 7, 33, 64, 65]) {
    const world = recording.at(step);
    assert.equal(world.fingerprint(), prints[step]);
    assert.equal(recording.fingerprint(step), prints[step]);
  }
  assert.equal(recording.verify(), true);
  const branch = new Recording(recording.at(33), 1 / 60, { every: 10, restitution: 0.9, gravity: { y: 50 } });
  assert.equal(branch.step().fingerprint(), prints[34]);
  const other = new Recording(first.change(ball(7, 50, 50)), 1 / 60, { every: 10, restitution: 0.9, gravity: { y: 50 } });
  for (let i = 0; i < 3; i++) other.step();
  assert.deepEqual(recording.compare(other), { step: 0, body: 7 });
  assert.equal(other.compare(other), null);
  assert.throws(() => recording.compare(first), TypeError);
  assert.throws(() => recording.compare(null), TypeError);
  assert.throws(() => recording.at(66), RangeError);
  assert.throws(() => recording.at(0.5), RangeError);
  assert.throws(() => recording.fingerprint(NaN), RangeError);
  recording.free();
  recording.free();
  refusesFreed('the recording was freed', [() => recording.step(), () => recording.at(0), () => recording.last, () => recording.kept,
    () => recording.fingerprint(0), () => recording.verify(), () => recording.compare(branch), () => branch.compare(recording)]);
});

test('memory does not grow while worlds are stepped and freed', () => {
  let world = empty().add(balls(300));
  const step = () => {
    const next = world.step(1 / 60);
    world.free();
    world = next;
  };
  for (let i = 0; i < 100; i++) step();
  const { versions, bytes } = memory(), { usedBytes } = reclaim();
  for (let i = 0; i < 500; i++) step();
  assert.ok(memory().versions <= versions, `${memory().versions} versions after ${versions}`);
  assert.ok(memory().bytes <= 1.5 * bytes + 1048576, `${memory().bytes} bytes after ${bytes}`);
  assert.ok(reclaim().usedBytes <= usedBytes + 1048576, `${memory().usedBytes} used bytes after ${usedBytes}`);
});

test('undo works in a history of worlds', () => {
  const history = new History(empty());
  history.push(history.version().add(ball(1, 10, 10)), { label: 'Add' });
  history.undo();
  assert.equal(history.version().size, 0);
});

const world = empty().add(ball(1, 10, 10));
refuses([
  ['a world without bounds', () => new World({}), TypeError],
  ['a world without options', () => new World(), TypeError],
  ['bounds of a world that are infinite', () => new World({ bounds: { ...BOUNDS, maxX: Infinity } }), RangeError],
  ['a leaf capacity out of range', () => new World({ bounds: BOUNDS, leafCapacity: 1e9 }), RangeError],
  ['no bodies', () => world.add(), TypeError],
  ['bodies that are a string', () => world.add('bodies'), TypeError],
  ['a body that is null', () => world.add([null]), TypeError],
  ['a body without an id', () => world.add({ x: 1, y: 1, radius: 1 }), TypeError],
  ['a body without a radius', () => world.add({ id: 5, x: 1, y: 1 }), TypeError],
  ['a body at NaN', () => world.add(ball(5, NaN, 5)), RangeError],
  ['a body of radius 0 without a mass', () => world.add(ball(5, 50, 50, { radius: 0 })), RangeError],
  ['a negative radius', () => world.add(ball(5, 50, 50, { radius: -1 })), RangeError],
  ['a fixed body that moves', () => world.add(ball(5, 50, 50, { fixed: true, vx: 1 })), RangeError],
  ['a kinematic body that accelerates', () => world.add(ball(5, 50, 50, { kinematic: true, ax: 1 })), RangeError],
  ['a role of 16', () => world.add({ figures: new Float64Array(8), roles: Uint8Array.of(16) }), RangeError],
  ['crossings of a tree', () => world.crossings(PersistentTree.of([]), BOUNDS), TypeError],
  ['crossings without a zone', () => world.crossings(world), TypeError],
  ['crossings with a box that has a NaN', () => world.crossings(world, { ...BOUNDS, minX: NaN }), RangeError],
  ['crossings of a region that is a tree', () => world.crossings(world, { region: PersistentTree.of([]) }), TypeError],
  ['a body outside the walls', () => world.add(ball(5, 300, 50)), RangeError],
  ['an id that already exists', () => world.add(ball(1, 50, 50)), RangeError],
  ['a body id that is a fraction', () => world.add(ball(0.5, 50, 50)), RangeError],
  ['data that are text', () => world.add(ball(5, 50, 50, { data: 'red' })), TypeError],
  ['figures that are an array', () => world.add({ figures: [1, 2] }), TypeError],
  ['seven figures', () => world.add({ figures: new Float64Array(7) }), RangeError],
  ['detached figures', () => world.add({ figures: detached(new Float64Array(8)) }), TypeError],
  ['fewer ids than bodies', () => world.add({ figures: new Float64Array(8), ids: new Uint32Array(0) }), RangeError],
  ['ids that are doubles', () => world.add({ figures: new Float64Array(8), ids: new Float64Array(1) }), TypeError],
  ['figures of zeros', () => world.add({ figures: new Float64Array(8), ids: Uint32Array.of(7) }), RangeError],
  ['an id to remove that is text', () => world.remove('1'), TypeError],
  ['an id to look up that is negative', () => world.get(-1), RangeError],
  ['a step of NaN', () => world.step(NaN), RangeError],
  ['a step that is text', () => world.step('1'), TypeError],
  ['no step', () => world.step(), TypeError],
  ['a negative step', () => world.step(-1), RangeError],
  ['a restitution of 2', () => world.step(1, { restitution: 2 }), RangeError],
  ['a gravity that is a number', () => world.step(1, { gravity: 9.81 }), TypeError],
  ['a gravity of NaN', () => world.step(1, { gravity: { x: NaN } }), RangeError],
  ['a contact budget that is a fraction', () => world.step(1, { contactBudget: 0.5 }), RangeError],
  ['sleep after a negative number of steps', () => world.step(1, { sleepSteps: -1 }), RangeError],
  ['a mask of 33 bits', () => world.add(ball(5, 50, 50, { mask: 2 ** 32 })), RangeError],
  ['masks of another length', () => world.add({ figures: new Float64Array(8), masks: new Uint32Array(2) }), RangeError],
  ['a report that is a number', () => world.step(1, { report: 5 }), TypeError],
  ['an obstacle that is a tree', () => world.setObstacle(PersistentTree.of([])), TypeError],
  ['an obstacle at NaN', () => world.setObstacle(new Region(), { x: NaN }), RangeError],
  ['a window of NaN', () => world.bodies({ ...BOUNDS, minX: NaN }), RangeError],
  ['a point at infinity', () => world.nearest(Infinity, 0), RangeError],
  ['half a nearest body', () => world.nearest(0, 0, 0.5), RangeError],
  ['a leaf capacity that is a fraction', () => new World({ bounds: BOUNDS, leafCapacity: 1.5 }), RangeError],
  ['a point of NaN', () => world.nearest(NaN, 0), RangeError],
  ['a recording of a tree', () => new Recording(PersistentTree.of([]), 1), TypeError],
  ['a recording with steps of length 0', () => new Recording(world, 0), RangeError],
  ['a recording that stores a world every 0 steps', () => new Recording(world, 1, { every: 0 }), RangeError],
  ['bytes of a tree as a world', () => World.fromBytes(PersistentTree.of([]).toBytes()), Error],
]);

test('damaged bytes of a world throw an error and never trap', () => damages(world.toBytes(), World.fromBytes));

test('each method of a freed world throws an error with a message', () => {
  const freed = empty();
  freed.free();
  refusesFreed('the world was freed', [() => freed.size, () => freed.bounds, () => freed.walls, () => freed.add([]), () => freed.change([]),
    () => freed.remove(1), () => freed.clear(), () => freed.keep(BOUNDS), () => freed.setObstacle(null), () => freed.obstacle, () => freed.isObstructed(0, 0, 1), () => freed.step(1), () => freed.bodies(),
    () => freed.arrays(), () => freed.get(1), () => freed.events(), () => freed.crossings(world, BOUNDS), () => world.crossings(freed, BOUNDS), () => freed.nearest(0, 0), () => freed.tree, () => freed.stats(), () => freed.differs(world),
    () => world.differs(freed), () => freed.toBytes(), () => freed.fingerprint(), () => freed.equals(world), () => freed.check(),
    () => new Recording(freed, 1)]);
});

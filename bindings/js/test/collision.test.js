// SPDX-License-Identifier: MIT
// collision.test.js: tests relations, filters, pages, pairs, casts, sweeps and slides of trees, compared with loops over all items.
//
// Coordinates are small integers. So a time, which is a quotient of two of them, is the same double in
// the plain loops, and two times are equal if and only if the fractions are.
import assert from 'node:assert/strict';
import test from 'node:test';

import { History, PersistentTree, memory, reclaim, sweepPair } from 'pqt';
import { SEED, dice, refuses } from '../support/checks.js';

const BOUNDS = { minX: 0, minY: 0, maxX: 200, maxY: 200 };
const EVERYWHERE = { minX: -Infinity, minY: -Infinity, maxX: Infinity, maxY: Infinity };
const FILTERS = [undefined, ({ id }) => id % 3 !== 0, () => false];

const RELATIONS = {
  touches: (a, w) => a.minX <= w.maxX && w.minX <= a.maxX && a.minY <= w.maxY && w.minY <= a.maxY,
  overlaps: (a, w) => a.minX < w.maxX && w.minX < a.maxX && a.minY < w.maxY && w.minY < a.maxY,
  inside: (a, w) => w.minX <= a.minX && a.maxX <= w.maxX && w.minY <= a.minY && a.maxY <= w.maxY,
  covers: (a, w) => RELATIONS.inside(w, a),
};

function drawBox(draw, size = 14) {
  const minX = draw(200), minY = draw(200);
  return { minX, minY, maxX: minX + 1 + draw(size), maxY: minY + 1 + draw(size) };
}

const moved = ({ minX, minY, maxX, maxY }, { x, y }) => ({ minX: minX + x, minY: minY + y, maxX: maxX + x, maxY: maxY + y });
const key = (one) => `${one.minX} ${one.minY} ${one.maxX} ${one.maxY} ${one.id}`;
const sorted = (items) => items.map(key).sort();
const keepsOf = (filter) => filter ?? (() => true);

/** Calls `action` with a tree and an array of its items, after each of some random commands. */
function withModel(seed, rounds, action) {
  const draw = dice(seed), items = [];
  let tree = new PersistentTree({ bounds: BOUNDS, leafCapacity: 4 });
  for (let round = 0; round < rounds; round++) {
    const before = tree, i = draw(items.length + 1), command = i === items.length ? 0 : draw(4);
    if (command === 2) {
      tree = tree.remove(items.splice(i, 1)[0]);
    } else if (command === 3) {
      const to = drawBox(draw);
      tree = tree.move(items[i], to);
      items[i] = { ...to, id: items[i].id };
    } else {
      const more = Array.from({ length: 1 + draw(6) }, (_, k) => ({ ...drawBox(draw), id: 10 * round + k }));
      tree = tree.load(more);
      items.push(...more);
    }
    before.free();
    assert.equal(tree.size, items.length);
    assert.deepEqual(tree.extent, items.length === 0 ? null : {
      minX: Math.min(...items.map((one) => one.minX)), minY: Math.min(...items.map((one) => one.minY)),
      maxX: Math.max(...items.map((one) => one.maxX)), maxY: Math.max(...items.map((one) => one.maxY)),
    });
    action(tree, items, draw);
  }
  tree.free();
}

// ---- Relations, filters and pages ----

test('searches find the items with a relation that a filter accepts', () => {
  withModel(SEED, 80, (tree, items, draw) => {
    const window = drawBox(draw, 60);
    if (draw(8) === 0) window.maxX = Infinity;
    for (const relation of [undefined, ...Object.keys(RELATIONS)])
      for (const filter of FILTERS) {
        const options = { relation, filter };
        const expected = items.filter((one) => RELATIONS[relation ?? 'touches'](one, window) && keepsOf(filter)(one));
        const found = tree.search(window, options);
        assert.deepEqual(sorted(found), sorted(expected));
        assert.deepEqual([...tree.searchIds(window, options)], found.map(({ id }) => id));
        assert.deepEqual([...tree.searchBigIds(window, options)], found.map(({ id }) => BigInt(id)));
        const { boxes, ids } = tree.searchArrays(window, options);
        assert.deepEqual([...boxes], found.flatMap(({ minX, minY, maxX, maxY }) => [minX, minY, maxX, maxY]));
        assert.deepEqual([...ids], found.map(({ id }) => BigInt(id)));
        assert.equal(tree.count(window, options), expected.length);
        assert.equal(tree.collides(window, options), expected.length > 0);
        const size = 1 + draw(9), pages = [...tree.pages(window, { ...options, size })];
        assert.deepEqual(pages.flat(), found);
        assert.ok(pages.every((page, i) => page.length === size || i === pages.length - 1 && page.length > 0));
      }
  });
});

test('nearest finds the nearest items that a filter accepts', () => {
  const gap = (a, b) => Math.hypot(Math.max(a.minX - b.maxX, 0, b.minX - a.maxX), Math.max(a.minY - b.maxY, 0, b.minY - a.maxY));
  withModel(SEED + 1, 80, (tree, items, draw) => {
    const from = drawBox(draw), most = draw(30), maxDistance = draw(2) === 0 ? Infinity : draw(60), { minX, minY } = from;
    for (const filter of FILTERS) {
      const expected = items.filter((one) => keepsOf(filter)(one) && gap(one, from) <= maxDistance).map((one) => gap(one, from)).sort((a, b) => a - b);
      const found = tree.nearest(from, { most, maxDistance, filter });
      assert.deepEqual(found.map(({ distance }) => distance.toFixed(9)), expected.slice(0, most).map((one) => one.toFixed(9)));
      assert.ok(found.every(keepsOf(filter)));
      const point = { minX, minY, maxX: minX, maxY: minY };
      assert.deepEqual(tree.nearest(minX, minY, { most, filter }), tree.nearest(point, { most, filter }));
    }
    assert.deepEqual(tree.nearest(from, { most, maxDistance }), tree.nearest(from, most, maxDistance));
  });
});

test('the page of a version is of that version, whatever is made from it in the meantime', () => {
  const items = Array.from({ length: 100 }, (_, id) => ({ minX: id, minY: 0, maxX: id + 1, maxY: 1, id }));
  const tree = PersistentTree.of(items), pages = tree.pages(EVERYWHERE, { size: 7 }), seen = [];
  for (const page of pages) {
    seen.push(...page);
    const next = tree.remove(page[0]).load(items.map((one) => ({ ...one, id: 1000 + one.id })));
    assert.equal(next.size, 199);
    next.free();
    reclaim();
  }
  assert.deepEqual(seen, tree.all());
  assert.equal(pages.next().done, true);
});

test('a loop over pages that ends early reads no more, and pages of a freed tree throw', () => {
  const tree = PersistentTree.of(Array.from({ length: 100 }, (_, id) => ({ minX: id, minY: 0, maxX: id + 1, maxY: 1, id })));
  let calls = 0;
  const filter = () => { calls++; return true; };
  for (const page of tree.pages(EVERYWHERE, { size: 10, filter })) {
    assert.equal(page.length, 10);
    break;
  }
  assert.equal(calls, 10);
  const { versions } = memory(), pages = tree.pages(EVERYWHERE, { size: 10 });
  pages.next();
  assert.equal(memory().versions, versions); // a page holds no version
  tree.free();
  assert.throws(() => pages.next(), { message: 'the tree was freed' });
});

// ---- Pairs ----

const pairKey = (a, b) => [key(a), key(b)].sort().join(', ');

test('pairs of a tree are those of a loop over all pairs', () => {
  withModel(SEED + 2, 60, (tree, items) => {
    for (const relation of Object.keys(RELATIONS)) {
      const relates = RELATIONS[relation], isOrdered = relation === 'inside' || relation === 'covers';
      const expected = [];
      for (let i = 0; i < items.length; i++)
        for (let j = 0; j < i; j++)
          if (relates(items[i], items[j]) || isOrdered && relates(items[j], items[i])) expected.push(pairKey(items[i], items[j]));
      const found = tree.pairs({ relation });
      assert.deepEqual(found.map(({ a, b }) => pairKey(a, b)).sort(), expected.sort());
      assert.ok(found.every(({ a, b }) => relates(a, b)));
      assert.deepEqual([...tree.pairIds({ relation })], found.flatMap(({ a, b }) => [a.id, b.id]));
      const filter = (a, b) => (a.id + b.id) % 2 === 0, accepted = found.filter(({ a, b }) => filter(a, b));
      assert.deepEqual(tree.pairs({ relation, filter }), accepted);
      assert.deepEqual([...tree.pairIds({ relation, filter })], accepted.flatMap(({ a, b }) => [a.id, b.id]));
    }
    assert.deepEqual(tree.pairs(), tree.pairs({ relation: 'touches' }));
  });
});

test('pairs of two trees are those of a loop over both, with the second one moved', () => {
  withModel(SEED + 3, 60, (tree, items, draw) => {
    const others = Array.from({ length: draw(40) }, (_, i) => ({ ...drawBox(draw, 40), id: 5000 + i }));
    const other = PersistentTree.of(others), offset = { x: draw(60) - 30, y: draw(60) - 30 };
    for (const relation of Object.keys(RELATIONS)) {
      const relates = RELATIONS[relation];
      const expected = items.flatMap((a) => others.filter((b) => relates(a, moved(b, offset))).map((b) => `${key(a)}, ${key(b)}`));
      const found = tree.pairs(other, { relation, offset });
      assert.deepEqual(found.map(({ a, b }) => `${key(a)}, ${key(b)}`).sort(), expected.sort());
      assert.deepEqual([...tree.pairIds(other, { relation, offset })], found.flatMap(({ a, b }) => [a.id, b.id]));
    }
    const { x } = offset;
    assert.deepEqual(tree.pairs(other, { offset: { x } }), tree.pairs(other, { offset: { x, y: 0 } }));
    assert.deepEqual(tree.pairs(other), tree.pairs(other, { relation: 'touches', offset: { x: 0, y: 0 } }));
    other.free();
  });
});

test('pair changes are the pairs that only one of two trees has', () => {
  const counts = { began: 0, ended: 0 };
  withModel(SEED + 15, 60, (tree, all, draw) => {
    const lost = all.filter(() => draw(4) === 0), after = tree.removeAll(lost).load([{ ...drawBox(draw, 40), id: 10000 }]);
    const draft = tree.beginDraft().removeAll(lost);
    for (const relation of Object.keys(RELATIONS)) {
      const ends = ({ a, b }) => (relation === 'inside' || relation === 'covers' ? [key(a), key(b)] : [key(a), key(b)].sort()).join('|');
      const was = new Set(tree.pairs({ relation }).map(ends)), now = new Set(after.pairs({ relation }).map(ends));
      const found = tree.pairChanges(after, { relation });
      const began = found.filter((one) => one.began).map(ends), ended = found.filter((one) => !one.began).map(ends);
      assert.deepEqual(began.sort(), [...now].filter((one) => !was.has(one)).sort());
      assert.deepEqual(ended.sort(), [...was].filter((one) => !now.has(one)).sort());
      counts.began += began.length;
      counts.ended += ended.length;
      const filter = (a, b) => (a.id + b.id) % 2 === 0;
      assert.deepEqual(tree.pairChanges(after, { relation, filter }), found.filter(({ a, b }) => filter(a, b)));
    }
    assert.ok(tree.pairChanges(draft).every(({ began }) => !began));
    assert.deepEqual(tree.pairChanges(tree), []);
    draft.free();
  });
  assert.ok(counts.began > 0 && counts.ended > 0);
});

test('two shapes that move stop where they meet', () => {
  const at = (x, y) => ({ x, y }), box = { minX: 0, minY: 0, maxX: 2, maxY: 2 };
  const met = sweepPair({ shape: 1, from: at(0, 0), to: at(10, 0) }, { shape: 1, from: at(12, 0), to: at(2, 0) });
  assert.deepEqual(met, { status: 'hits', time: 0.5, x: 5, y: 0, otherX: 7, otherY: 0, blockedX: true, blockedY: false,
    normalX: -1, normalY: 0, exit: 0, freeX: 0, freeY: 0 });
  const rest = { shape: box, from: at(6, 0), to: at(6, 0) };
  assert.equal(sweepPair({ shape: box, from: at(0, 0), to: at(8, 0) }, rest).x, 4);
  assert.equal(sweepPair({ shape: 1, from: at(0, 1), to: at(8, 1) }, rest).x, 5);
  assert.equal(sweepPair(rest, { shape: 1, from: at(0, 9), to: at(8, 9) }).status, 'free');
  const inside = { shape: box, from: at(5, 0), to: at(9, 0) }, overlaps = sweepPair(inside, rest);
  assert.deepEqual([overlaps.status, overlaps.freeX, overlaps.freeY, overlaps.exit], ['overlaps', 4, 0, 0.75]);
  assert.equal(sweepPair(inside, rest, { ignoreOverlap: true }).status, 'free');
});

test('pairs of a tree with itself are ordered pairs, each item with itself too', () => {
  const tree = PersistentTree.of([{ minX: 0, minY: 0, maxX: 2, maxY: 2, id: 1 }, { minX: 1, minY: 1, maxX: 3, maxY: 3, id: 2 }]);
  assert.deepEqual([...tree.pairIds()], [1, 2]);
  const ids = [...tree.pairIds(tree)];
  assert.equal(ids.length, 8);
});

test('pairIds throws for an id above 2^32 - 1, which pairs returns', () => {
  const long = 2 ** 40;
  const tree = PersistentTree.of([{ minX: 0, minY: 0, maxX: 2, maxY: 2, id: 1 }, { minX: 1, minY: 1, maxX: 3, maxY: 3, id: long }]);
  assert.deepEqual(tree.pairs().map(({ a, b }) => [a.id, b.id].sort()), [[1, long]]);
  assert.throws(() => tree.pairIds(), { name: 'RangeError', code: 'PQT_ERROR_LIMIT' });
  assert.throws(() => tree.pairIds({ filter: () => true }), { name: 'RangeError', code: 'PQT_ERROR_LIMIT' });
  assert.throws(() => tree.searchIds(EVERYWHERE, { filter: () => true }), { name: 'RangeError', code: 'PQT_ERROR_LIMIT' });
  assert.equal(tree.check().size, 2);
});

// ---- Casts ----

/** Returns the fractions of a line between which it is at least at `min` and at most at `max`. */
function passage(from, step, min, max) {
  if (step === 0) return min <= from && from <= max ? [-Infinity, Infinity] : [Infinity, -Infinity];
  const times = [(min - from) / step, (max - from) / step];
  return step > 0 ? times : times.reverse();
}

/** Returns where a line is in a box, or null. */
function hitOf(one, { from, to, direction }) {
  const step = direction ?? { x: to.x - from.x, y: to.y - from.y };
  const [enterX, leaveX] = passage(from.x, step.x, one.minX, one.maxX), [enterY, leaveY] = passage(from.y, step.y, one.minY, one.maxY);
  const enter = Math.max(enterX, enterY, 0), leave = Math.min(leaveX, leaveY, direction ? Infinity : 1);
  if (enter > leave) return null;
  const inside = Math.max(enterX, enterY) <= 0;
  const normalX = !inside && enterX >= enterY ? -Math.sign(step.x) : 0, normalY = !inside && enterX < enterY ? -Math.sign(step.y) : 0;
  return { ...one, entry: inside ? 0 : enter, exit: leave, normalX, normalY, inside };
}

function drawLine(draw) {
  const from = { x: draw(200), y: draw(200) }, x = draw(3) === 0 ? 0 : draw(100) - 50, y = draw(3) === 0 ? 0 : draw(100) - 50;
  return draw(2) === 0 ? { from, to: { x: from.x + x, y: from.y + y } } : { from, direction: { x, y } };
}

test('casts find the hits of a loop over all items, front to back', () => {
  const text = ({ exit, ...one }) => JSON.stringify({ ...one, normalX: one.normalX + 0, normalY: one.normalY + 0, exit: exit === Infinity ? 'never' : exit });
  withModel(SEED + 4, 120, (tree, items, draw) => {
    for (let i = 0; i < 4; i++) {
      const line = drawLine(draw);
      for (const filter of FILTERS) {
        const expected = items.filter(keepsOf(filter)).map((one) => hitOf(one, line)).filter((one) => one !== null);
        const found = tree.castAll(line, { filter });
        assert.deepEqual(found.map(text).sort(), expected.map(text).sort(), JSON.stringify(line));
        assert.ok(found.every(({ entry }, k) => k === 0 || found[k - 1].entry <= entry));
        assert.deepEqual(tree.cast(line, { filter }), found[0]);
      }
    }
  });
});

// ---- Sweeps ----

/** Returns the time at which a box enters an item, { time, blockedX, blockedY }, or null. */
function impactOf(one, shape, from, to) {
  const enters = ['x', 'y'].map((axis) => {
    const [min, max] = axis === 'x' ? [one.minX - shape.maxX, one.maxX - shape.minX] : [one.minY - shape.maxY, one.maxY - shape.minY];
    const step = to[axis] - from[axis];
    if (step === 0) return min < from[axis] && from[axis] < max ? [-Infinity, Infinity] : [Infinity, -Infinity];
    return passage(from[axis], step, min, max);
  });
  const [[enterX, leaveX], [enterY, leaveY]] = enters, time = Math.max(enterX, enterY);
  if (time < 0 || time >= 1 || time >= Math.min(leaveX, leaveY)) return null;
  return { one, time, blockedX: enterX === time, blockedY: enterY === time };
}

/** Sweeps a box past items by a loop. Returns { status, time, blockedX, blockedY, items }; each of `items` may be the one that is hit. */
function sweepOf(items, shape, from, to, ignoreOverlap) {
  const overlaps = (at) => (one) => RELATIONS.overlaps(moved(shape, at), one);
  const within = items.filter(overlaps(from)), free = items.filter((one) => !within.includes(one));
  if (within.length > 0 && !ignoreOverlap) return { status: 'overlaps', time: 0, items: within };
  const impacts = free.map((one) => impactOf(one, shape, from, to)).filter((one) => one !== null);
  if (impacts.length > 0) {
    const time = Math.min(...impacts.map((one) => one.time)), first = impacts.filter((one) => one.time === time);
    const sides = first.filter((one) => one.blockedX !== one.blockedY), hit = sides.length > 0 ? sides : first;
    return { status: 'hits', time, hits: hit, items: hit.map(({ one }) => one) };
  }
  if (within.some(overlaps(to))) return { status: 'overlaps', time: 1, items: within };
  const near = items.filter((one) => RELATIONS.touches(moved(shape, to), one));
  return { status: near.length > 0 ? 'touches' : 'free', time: 1, items: near };
}

function assertSweep(found, items, shape, from, to, ignoreOverlap) {
  const expected = sweepOf(items, shape, from, to, ignoreOverlap);
  assert.equal(found.status, expected.status);
  assert.ok(Math.abs(found.time - expected.time) < 1e-14, `${found.time} ${expected.time}`);
  if (expected.status === 'free') assert.equal(found.item, null);
  else assert.ok(expected.items.some((one) => key(one) === key(found.item)));
  const stop = { x: from.x + expected.time * (to.x - from.x), y: from.y + expected.time * (to.y - from.y) };
  assert.ok(Math.hypot(found.x - stop.x, found.y - stop.y) < 1e-9);
  if (expected.status === 'hits') {
    const { blockedX, blockedY } = expected.hits.find(({ one }) => key(one) === key(found.item));
    assert.deepEqual([found.blockedX, found.blockedY], [blockedX, blockedY]);
    assert.ok(Math.abs(Math.hypot(found.normalX, found.normalY) - 1) < 1e-15);
    assert.ok(!blockedX || found.normalX * (to.x - from.x) < 0);
    assert.ok(!blockedY || found.normalY * (to.y - from.y) < 0);
  } else {
    assert.deepEqual([found.blockedX, found.blockedY], [false, false]);
  }
  if (expected.status === 'overlaps')
    assert.ok(!RELATIONS.overlaps(moved(shape, { x: found.freeX, y: found.freeY }), found.item) && found.exit > 0);
}

function drawShape(draw) {
  const minX = draw(7) - 5, minY = draw(7) - 5;
  return { minX, minY, maxX: minX + 1 + draw(5), maxY: minY + 1 + draw(5) };
}

function drawPoint(draw) {
  return { x: draw(200), y: draw(200) };
}

test('a sweep of a box ends where a loop over all items ends it', () => {
  const counts = {};
  withModel(SEED + 5, 400, (tree, all, draw) => {
    const shape = drawShape(draw), from = drawPoint(draw), to = draw(4) === 0 ? { ...drawPoint(draw), x: from.x } : drawPoint(draw);
    for (const filter of FILTERS)
      for (const ignoreOverlap of [false, true]) {
        const items = all.filter(keepsOf(filter)), found = tree.sweep(shape, from, to, { filter, ignoreOverlap });
        assertSweep(found, items, shape, from, to, ignoreOverlap);
        counts[found.status] = (counts[found.status] ?? 0) + 1;
      }
  });
  for (const status of ['free', 'touches', 'hits', 'overlaps']) assert.ok(counts[status] > 20 || status === 'touches', JSON.stringify(counts));
});

test('a slide continues each sweep along the axis that is free', () => {
  let bounced = 0;
  withModel(SEED + 6, 200, (tree, items, draw) => {
    const shape = drawShape(draw), from = drawPoint(draw), to = drawPoint(draw), bounces = draw(4);
    for (const filter of FILTERS) {
      let last = tree.sweep(shape, from, to, { filter }), made = 0, end = to, blockedX = last.blockedX, blockedY = last.blockedY;
      const first = last;
      while (last.status === 'hits' && made < bounces) {
        const alongX = last.blockedX && last.blockedY ? Math.abs(end.x - last.x) >= Math.abs(end.y - last.y) : last.blockedY;
        end = alongX ? { x: end.x, y: last.y } : { x: last.x, y: end.y };
        if ((end.x - last.x) * (to.x - from.x) + (end.y - last.y) * (to.y - from.y) <= 0) break;
        last = tree.sweep(shape, { x: last.x, y: last.y }, end, { filter });
        blockedX ||= last.blockedX;
        blockedY ||= last.blockedY;
        made++;
      }
      assert.deepEqual(tree.slide(shape, from, to, { bounces, filter }), { x: last.x, y: last.y, bounces: made, blockedX, blockedY, first, last });
      bounced += made;
    }
    assert.deepEqual(tree.slide(shape, from, to), tree.slide(shape, from, to, { bounces: 3, ignoreOverlap: false }));
    assert.deepEqual(tree.slide(shape, from, to, { bounces: 0 }).first, tree.sweep(shape, from, to));
  });
  assert.ok(bounced > 50, `${bounced}`);
});

test('a circle stops at the distance of its radius from the item that it hits, and passes through none', () => {
  const depth = (one, r, x, y) => r - Math.hypot(Math.max(one.minX - x, 0, x - one.maxX), Math.max(one.minY - y, 0, y - one.maxY));
  let hits = 0;
  withModel(SEED + 7, 200, (tree, all, draw) => {
    const r = (1 + draw(6)) / 2, from = drawPoint(draw), to = drawPoint(draw);
    for (const filter of FILTERS) {
      const items = all.filter(keepsOf(filter)), found = tree.sweep(r, from, to, { filter });
      const deepest = (time) => Math.max(...items.map((one) => depth(one, r, from.x + time * (to.x - from.x), from.y + time * (to.y - from.y))));
      if (found.status === 'overlaps') {
        assert.ok(deepest(0) > 0);
        continue;
      }
      for (let i = 0; i <= 20; i++) assert.ok(items.length === 0 || deepest(found.time * i / 20) < 1e-9);
      if (found.status !== 'hits') continue;
      hits++;
      assert.ok(Math.abs(depth(found.item, r, found.x, found.y)) < 1e-9);
      const end = tree.slide(r, from, to, { filter });
      assert.deepEqual(end.first, found);
      assert.ok(items.every((one) => depth(one, r, end.x, end.y) < 1e-9));
    }
  });
  assert.ok(hits > 50, `${hits}`);
});

// ---- Set operations ----

test('the set operations of trees are those of plain sets', () => {
  withModel(SEED + 8, 120, (tree, items, draw) => {
    const kept = items.filter(() => draw(3) > 0), more = Array.from({ length: draw(9) }, (_, i) => ({ ...drawBox(draw), id: 9000 + i }));
    const others = [...kept, ...more], empty = tree.clear(), other = empty.load(others);
    const union = tree.union(other), both = tree.intersection(other), rest = tree.difference(other);
    assert.deepEqual(sorted(union.check().all()), sorted([...items, ...more]));
    assert.deepEqual(sorted(both.check().all()), sorted(kept));
    assert.deepEqual(sorted(rest.check().all()), sorted(items.filter((one) => !kept.includes(one))));
    assert.equal(union.fingerprint(), other.union(tree).fingerprint());
    assert.equal(rest.union(both).fingerprint(), tree.fingerprint());
    [empty, other, union, both, rest].forEach((version) => version.free());
  });
});

test('keep returns the tree of the items that a search finds, and restore brings those of an older version back', () => {
  withModel(SEED + 10, 100, (tree, items, draw) => {
    const window = drawBox(draw, 80), relation = Object.keys(RELATIONS)[draw(4)], matches = (one) => RELATIONS[relation](one, window);
    for (const filter of FILTERS) {
      const kept = tree.keep(window, { relation, filter }), expected = tree.clear().load(items.filter((one) => matches(one) && keepsOf(filter)(one)));
      assert.equal(kept.check().fingerprint(), expected.fingerprint());
      assert.ok(kept.equals(expected));
    }
    const gone = items.filter(() => draw(3) === 0), more = Array.from({ length: draw(9) }, (_, i) => ({ ...drawBox(draw), id: 9000 + i }));
    const now = tree.edit((draft) => draft.removeAll(gone).load(more)), restored = now.restore(tree, window, { relation });
    const expected = [...items.filter((one) => !gone.includes(one) || matches(one)), ...more.filter((one) => !matches(one))];
    assert.deepEqual(sorted(restored.check().all()), sorted(expected));
    assert.ok(now.restore(tree, EVERYWHERE).equals(tree));
    now.free();
  });
});

test('damage covers each box that changed, with few boxes', () => {
  withModel(SEED + 11, 100, (tree, items, draw) => {
    const gone = items.filter(() => draw(5) === 0), more = Array.from({ length: draw(9) }, (_, i) => ({ ...drawBox(draw), id: 9000 + i }));
    const draft = tree.beginDraft().removeAll(gone).load(more), most = 1 + draw(8), boxes = tree.damage(draft, most);
    assert.ok(boxes.length <= most && boxes.length <= gone.length + more.length);
    for (const one of [...gone, ...more]) assert.ok(boxes.some((box) => RELATIONS.inside(one, box)));
    assert.deepEqual(tree.damage(tree), []);
    assert.deepEqual(tree.damage(draft), tree.damage(draft, 16));
    draft.free();
  });
});

test('a union resolves an id that both trees have with different boxes, or throws', () => {
  const at = (id, minX) => ({ minX, minY: 0, maxX: minX + 1, maxY: 1, id });
  const empty = new PersistentTree({ bounds: BOUNDS, uniqueIds: true }), ours = empty.load([at(1, 0), at(2, 5)]), theirs = empty.load([at(1, 9), at(3, 5)]);
  assert.throws(() => ours.union(theirs), { code: 'PQT_ERROR_CONFLICT' });
  assert.deepEqual(sorted(ours.union(theirs, { onConflict: 'theirs' }).all()), sorted([at(1, 9), at(2, 5), at(3, 5)]));
  assert.deepEqual(sorted(ours.union(theirs, { onConflict: 'neither' }).all()), sorted([at(2, 5), at(3, 5)]));
  assert.throws(() => ours.union(new PersistentTree({ bounds: { ...BOUNDS, maxX: 1 } })), { code: 'PQT_ERROR_MISMATCH' });
});

// ---- Filters that do other things ----

test('a filter may call the library, edit and free the tree that is searched, or throw', () => {
  const items = Array.from({ length: 300 }, (_, id) => ({ minX: id % 20, minY: id / 20, maxX: id % 20 + 2, maxY: id / 20 + 2, id }));
  const line = { from: { x: -1, y: 5 }, direction: { x: 1, y: 0.1 } }, shape = { minX: 0, minY: 0, maxX: 1, maxY: 1 };
  const calls = {
    search: (tree, filter) => tree.search(EVERYWHERE, { filter }).length,
    searchArrays: (tree, filter) => tree.searchArrays(EVERYWHERE, { filter }).ids.length,
    count: (tree, filter) => tree.count(EVERYWHERE, { filter }),
    pairs: (tree, filter) => tree.pairs({ filter }).length,
    castAll: (tree, filter) => tree.castAll(line, { filter }).length,
  };
  for (const [name, run] of Object.entries(calls)) {
    const expected = run(PersistentTree.of(items), () => true), tree = PersistentTree.of(items);
    assert.ok(expected > 10);
    let versions = 0;
    const busy = () => {
      tree.free();
      reclaim();
      versions += PersistentTree.of(items.slice(0, 20)).pairs().length > 0;
      return true;
    };
    assert.equal(run(tree, busy), expected, name);
    assert.ok(versions > 10);
  }
  const tree = PersistentTree.of(items), failure = new Error('the filter failed'), fails = () => { throw failure; };
  const { versions } = memory();
  for (const run of [...Object.values(calls), (_, filter) => tree.collides(EVERYWHERE, { filter }), (_, filter) => tree.cast(line, { filter }),
    (_, filter) => tree.nearest(0, 0, { filter }), (_, filter) => tree.sweep(shape, { x: -9, y: 0 }, { x: 9, y: 0 }, { filter }),
    (_, filter) => tree.pages(EVERYWHERE, { filter }).next()])
    assert.throws(() => run(tree, fails), failure);
  assert.equal(memory().versions, versions);
  assert.equal(tree.check().size, 300);
});

test('a draft answers like its snapshot, also if a filter edits it', () => {
  withModel(SEED + 9, 60, (tree, items, draw) => {
    const draft = tree.beginDraft(), other = tree.beginDraft(), filter = ({ id }) => id % 3 !== 0, window = drawBox(draw, 60), line = drawLine(draw);
    const shape = drawShape(draw), from = drawPoint(draw), to = drawPoint(draw);
    const calls = [
      (one, accepts) => one.search(window, { relation: 'inside', filter: accepts }),
      (one, accepts) => one.collides(window, { filter: accepts }),
      (one, accepts) => [...one.searchIds(window, { filter: accepts })],
      (one, accepts) => one.pairs({ filter: (a, b) => accepts(a) && accepts(b) }),
      (one, accepts) => one.pairs(one, { filter: (a, b) => accepts(a) && accepts(b), offset: { x: 3 } }),
      (one, accepts) => one.castAll(line, { filter: accepts }),
      (one, accepts) => one.sweep(shape, from, to, { filter: accepts }),
      (one) => one.slide(shape, from, to),
      (one) => [...one.pairIds()],
      (one) => one.cast(line),
      (one) => one.extent,
    ];
    for (const run of calls) {
      draft.insert({ ...drawBox(draw), id: 100000 + draw(1000) });
      if (items.length > 0) draft.remove(items[draw(items.length)]);
      const snapshot = draft.snapshot();
      assert.deepEqual(run(draft, filter), run(snapshot, filter));
      const edits = (one) => {
        draft.insert({ ...drawBox(draw), id: 200000 + draw(1000) });
        return filter(one);
      };
      assert.deepEqual(run(draft, edits), run(snapshot, filter));
      snapshot.free();
    }
    const near = (one, accepts) => one.nearest(window, { most: 5, filter: accepts }).map(({ id }) => id);
    assert.deepEqual(near(draft, filter), near(draft.snapshot(), filter));
    assert.equal(tree.pairs(other, {}).length, tree.pairs(tree).length);
    draft.free();
    other.free();
    assert.throws(() => draft.pairs(), { message: 'the draft was freed' });
    assert.throws(() => tree.pairs(draft), { message: 'the draft was freed' });
  });
});

test('no call here keeps a version: a sweep with a filter frees the tree that it makes', () => {
  const tree = PersistentTree.of(Array.from({ length: 300 }, (_, id) => ({ minX: id, minY: 0, maxX: id + 1, maxY: 1, id })));
  const { versions, usedBytes } = reclaim(), shape = { minX: 0, minY: 0, maxX: 1, maxY: 1 }, filter = ({ id }) => id % 2 === 0;
  for (let i = 0; i < 300; i++) {
    assert.equal(tree.sweep(shape, { x: -9, y: 0 }, { x: 400, y: 0 }, { filter }).item.id, 0);
    assert.throws(() => tree.sweep(shape, { x: -9, y: 0 }, { x: 1e308, y: 0 }, { filter: () => 1 }), TypeError);
    tree.pairs(tree, { filter: (a, b) => a.id < b.id });
    tree.castAll({ from: { x: 0, y: 0 }, to: { x: 300, y: 0 } });
    for (const page of tree.pages(EVERYWHERE, { size: 3 })) if (page[0].id > 6) break;
  }
  assert.equal(memory().versions, versions);
  assert.ok(reclaim().usedBytes <= usedBytes, `${memory().usedBytes} ${usedBytes}`);
});

// ---- Mistakes ----

const tree = new PersistentTree({ bounds: BOUNDS }).insert({ minX: 1, minY: 1, maxX: 2, maxY: 2, id: 1 });
const area = { minX: 0, minY: 0, maxX: 9, maxY: 9 }, here = { x: 0, y: 0 }, there = { x: 5, y: 5 };
const freed = tree.clear();
freed.free();
const resting = { shape: 1, from: { x: 0, y: 0 }, to: { x: 0, y: 0 } };

refuses([
  ['pair changes of other bounds', () => tree.pairChanges(new PersistentTree({ bounds: { ...BOUNDS, maxX: 9 } })), Error],
  ['pair changes of a number', () => tree.pairChanges(3), TypeError],
  ['pair changes by an unknown relation', () => tree.pairChanges(tree, { relation: 'near' }), RangeError],
  ['pair changes on the sphere', () => tree.pairChanges(tree, { surface: 'sphere' }), TypeError],
  ['a sweep of a pair with a number', () => sweepPair(resting, 3), TypeError],
  ['a sweep of a pair with a negative radius', () => sweepPair({ ...resting, shape: -1 }, resting), RangeError],
  ['a sweep of a pair to NaN', () => sweepPair(resting, { ...resting, to: { x: NaN, y: 0 } }), RangeError],
  ['a sweep of a pair with a filter', () => sweepPair(resting, resting, { filter: () => true }), TypeError],
  ['a relation that does not exist', () => tree.search(area, { relation: 'near' }), RangeError],
  ['a relation that is a member of every object', () => tree.count(area, { relation: 'toString' }), RangeError],
  ['a relation that is a number', () => tree.pairs({ relation: 1 }), RangeError],
  ['a filter that is no function', () => tree.search(area, { filter: 'id' }), TypeError],
  ['a filter that returns a number', () => tree.search(area, { filter: ({ id }) => id & 1 }), TypeError],
  ['a filter that is async', () => tree.count(area, { filter: async () => true }), TypeError],
  ['a filter in place of options', () => tree.search(area, () => true), TypeError],
  ['pages of no items', () => tree.pages(area, { size: 0 }), RangeError],
  ['pages of half an item', () => tree.pages(area, { size: 1.5 }), RangeError],
  ['pages that are too large', () => tree.pages(area, { size: 2 ** 21 }), RangeError],
  ['pages of a window with NaN', () => tree.pages({ ...area, minX: NaN }).next(), RangeError],
  ['pairs with something that is no tree', () => tree.pairs(3), TypeError],
  ['pairs with a history', () => tree.pairs(new History(tree)), TypeError],
  ['pairs with null', () => tree.pairs(null), TypeError],
  ['pairs with a freed tree', () => tree.pairs(freed), Error],
  ['pairs with an object that pretends to be a tree', () => tree.pairs(Object.create(PersistentTree.prototype)), TypeError],
  ['an offset within one tree', () => tree.pairs({ offset: here }), TypeError],
  ['an offset that is not finite', () => tree.pairs(tree, { offset: { x: Infinity } }), RangeError],
  ['an offset that is null', () => tree.pairs(tree, { offset: null }), TypeError],
  ['an offset that is a number', () => tree.pairs(tree, { offset: 3 }), TypeError],
  ['a line without an end', () => tree.cast({ from: here }), TypeError],
  ['a line with two ends', () => tree.cast({ from: here, to: there, direction: there }), TypeError],
  ['a line that is a box', () => tree.castAll(area), TypeError],
  ['a line that is not finite', () => tree.castAll({ from: here, to: { x: NaN, y: 0 } }), RangeError],
  ['a direction of strings', () => tree.castAll({ from: here, direction: { x: '1', y: '0' } }), TypeError],
  ['a negative radius', () => tree.sweep(-1, here, there), RangeError],
  ['a radius that is NaN', () => tree.sweep(NaN, here, there, { filter: () => true }), RangeError],
  ['a shape that is inverted', () => tree.sweep({ ...area, maxX: -1 }, here, there), RangeError],
  ['a shape that is infinite', () => tree.sweep({ ...area, maxX: Infinity }, here, there), RangeError],
  ['a shape that is infinite at its end', () => tree.sweep({ ...area, maxX: 1e308 }, here, { x: 1.5e308, y: 0 }), RangeError],
  ['a position that is not finite', () => tree.sweep(area, here, { x: Infinity, y: 0 }), RangeError],
  ['a position without y', () => tree.sweep(area, { x: 1 }, here), TypeError],
  ['an option of slides for a sweep', () => tree.sweep(area, here, there, { bounces: 1 }), TypeError],
  ['a negative number of bounces', () => tree.slide(area, here, there, { bounces: -1 }), RangeError],
  ['ignoreOverlap that is a number', () => tree.sweep(area, here, there, { ignoreOverlap: 1 }), TypeError],
  ['an older version that was freed', () => tree.restore(freed, area), Error],
  ['an older version with other bounds', () => tree.restore(new PersistentTree({ bounds: area }), area), Error],
  ['a filter of restore', () => tree.restore(tree, area, { filter: () => true }), TypeError],
  ['a window with NaN to keep', () => tree.keep({ ...area, minX: NaN }), RangeError],
  ['damage without boxes', () => tree.damage(tree, 0), RangeError],
  ['damage of something that is no tree', () => tree.damage(3), TypeError],
  ['a union with a freed tree', () => tree.union(freed), Error],
  ['an intersection with options', () => tree.intersection(tree, { onConflict: 'ours' }), TypeError],
]);

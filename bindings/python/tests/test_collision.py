# SPDX-License-Identifier: MIT
"""test_collision.py: compares casts, sweeps and slides in trees with plain loops."""
import math

import numpy as np
import pytest

import pqt

WALL, FLOOR = (50, 0, 60, 100), (0, 90, 40, 100)
ROOM = pqt.Tree((0, 0, 100, 100)).insert(WALL, 1).insert(FLOOR, 2)


def boxes_of(random, count):
    corners = random.integers(0, 900, (count, 2))
    return np.hstack((corners, corners + random.integers(1, 40, (count, 2)))).astype(float)


def entry_of(box, start, end):
    """Returns the fraction of a segment at which it enters a box, or None, by the slab test."""
    low, high = 0.0, 1.0
    for axis in (0, 1):
        step = end[axis] - start[axis]
        if step == 0:
            if not box[axis] <= start[axis] <= box[axis + 2]:
                return None
            continue
        first, last = sorted(((box[axis] - start[axis]) / step, (box[axis + 2] - start[axis]) / step))
        low, high = max(low, first), min(high, last)
    return low if low <= high else None


def test_a_cast_finds_the_first_item():
    hit = ROOM.cast((10, 50), (90, 50))
    assert hit == (((50, 0, 60, 100), 1), 0.5, 0.625, (-1, 0), False)
    assert hit.item.box == WALL and hit.item.id == 1 and not hit.inside
    assert ROOM.cast((10, 50), direction=(0, 1)).item == (FLOOR, 2)
    assert ROOM.cast((10, 50), direction=(0, 2)).entry == 20
    assert ROOM.cast((10, 50), (10, 60)) is None and ROOM.cast((10, 50), direction=(0, -1)) is None
    inside = ROOM.cast((55, 5), (99, 5))
    assert inside.inside and inside.entry == 0 and inside.normal == (0, 0)
    with pytest.raises(pqt.InvalidValue, match="not finite"):
        ROOM.cast((math.nan, 5), (99, 5))
    found = ROOM.cast_all((10, 95), direction=(1, 0))
    assert found["id"].tolist() == [2, 1] and found["hit"].all()
    assert found["inside"].tolist() == [True, False] and found["exit"].tolist() == [30, 50]
    assert len(ROOM.cast_all((0, 0), (1, 1))) == 0


def test_two_shapes_that_move_stop_where_they_meet():
    met = pqt.sweep_pair(1, (0, 0), (10, 0), 1, (12, 0), (2, 0))
    assert met.status == "hits" and met.time == 0.5
    assert met.stop == (5, 0) and met.stop_b == (7, 0) and met.normal == (-1, 0)
    assert met.blocked_x and not met.blocked_y and met.exit == 0
    box, square = (0, 0, 2, 2), [(0, 0), (2, 0), (2, 2), (0, 2)]
    for shape in (box, square):
        met = pqt.sweep_pair(shape, (0, 0), (8, 0), box, (6, 0), (6, 0))
        assert met.status == "hits" and met.stop == (4, 0) and met.stop_b == (6, 0)
    assert pqt.sweep_pair(box, (0, 0), (0, 9), box, (5, 0), (5, 9)).status == "free"
    apart = pqt.sweep_pair(box, (0, 0), (4, 0), box, (1, 0), (1, 0))
    assert apart.status == "overlaps" and apart.free_position == (-1, 0) and apart.exit == 0.75
    gone = pqt.sweep_pair(box, (0, 0), (4, 0), box, (1, 0), (1, 0), ignore_overlap=True)
    assert gone.status == "free" and gone.stop == (4, 0)
    for wrong in (lambda: pqt.sweep_pair(-1, (0, 0), (1, 1), 1, (0, 0), (1, 1)),
                  lambda: pqt.sweep_pair(1, (0, 0), (1, math.nan), 1, (0, 0), (1, 1)),
                  lambda: pqt.sweep_pair(1, (0, 0, 0), (1, 1), 1, (0, 0), (1, 1)),
                  lambda: pqt.sweep_pair([(0, 0)], (0, 0), (1, 1), 1, (0, 0), (1, 1))):
        with pytest.raises(ValueError):
            wrong()


def test_casts_agree_with_a_loop_over_all_items():
    random = np.random.default_rng(1)
    boxes = boxes_of(random, 400)
    tree = pqt.Tree.of(boxes)
    starts, ends = random.integers(0, 1000, (2, 300, 2)).astype(float)
    first = tree.cast_each(starts, ends)
    hits = 0
    for start, end, row in zip(starts, ends, first):
        entries = [entry_of(box, start, end) for box in boxes]
        expected = sorted(entry for entry in entries if entry is not None)
        found = tree.cast_all(start, end)
        assert np.allclose(found["entry"], expected, rtol=0, atol=1e-12)
        assert {int(id) for id in found["id"]} == \
            {id for id, entry in enumerate(entries) if entry is not None}
        assert row["hit"] == bool(expected)
        one = tree.cast(start, end)
        assert (one is not None) == bool(expected)
        if expected:
            assert one.item.id == row["id"] == found["id"][0] and one.entry == row["entry"]
            assert (boxes[row["id"]] == row["box"]).all() and tuple(row["normal"]) == one.normal
        hits += len(expected)
    assert hits > 300
    assert (tree.cast_each(starts, directions=ends - starts)["hit"] >= first["hit"]).all()


def test_a_sweep_ends_where_an_item_stops_it():
    sweep = ROOM.sweep((0, 0, 10, 10), (0, 20), (80, 20))
    assert (sweep.status, sweep.stop, sweep.time) == ("hits", (40, 20), 0.5)
    assert (sweep.blocked_x, sweep.blocked_y, sweep.normal) == (True, False, (-1, 0))
    assert sweep.item == (WALL, 1)
    disc = ROOM.sweep(5, (20, 20), (20, 95))
    assert (disc.status, disc.stop, disc.item.id) == ("hits", (20, 85), 2)
    corner = ROOM.sweep([(-5, 0), (0, -5), (5, 0), (0, 5)], (20, 20), (80, 20))
    assert corner.stop == (45, 20)
    assert ROOM.sweep(5, (20, 20), (30, 20))[:4] == ("free", 1, (30, 20), False)
    touches = ROOM.sweep((0, 0, 10, 10), (0, 0), (40, 0))
    assert touches.status == "touches" and touches.item.id == 1
    inside = ROOM.sweep((0, 0, 10, 10), (45, 20), (20, 20))
    assert inside.status == "overlaps" and inside.stop == (45, 20) and inside.time == 0
    assert inside.free_position == (40, 20) and inside.exit == 0.2
    out = ROOM.sweep((0, 0, 10, 10), (45, 20), (20, 20), ignore_overlap=True)
    assert out.status == "free" and out.stop == (20, 20) and out.item is None


def test_a_slide_continues_along_the_item_that_it_hits():
    pit = ROOM.insert((40, 90, 50, 100), 3)
    slide = pit.slide((0, 0, 10, 10), (10, 20), (80, 95))
    assert slide.stop == (40, 80) and slide.bounces == 1
    assert slide.blocked_x and slide.blocked_y
    assert slide.first.item.id == 1 and slide.last.item.id == 3
    past = ROOM.slide((0, 0, 10, 10), (10, 20), (80, 95))
    assert past.stop == (40, 95) and past.blocked_x and not past.blocked_y
    short = ROOM.slide((0, 0, 10, 10), (10, 20), (80, 95), bounces=0)
    assert short.stop == short.first.stop == ROOM.sweep((0, 0, 10, 10), (10, 20), (80, 95)).stop


def test_sweeps_agree_with_a_loop_over_all_items():
    """Checks that a box that moves along one axis stops at the first item on its path."""
    random = np.random.default_rng(2)
    boxes = boxes_of(random, 300)
    tree, stopped = pqt.Tree.of(boxes), 0
    for x, y in random.integers(0, 1000, (300, 2)).tolist():
        sweep = tree.sweep((0, 0, 7, 7), (x, y), (2000, y))
        rows = boxes[(boxes[:, 1] < y + 7) & (boxes[:, 3] > y)]
        if ((rows[:, 0] < x + 7) & (rows[:, 2] > x)).any():
            assert sweep.status == "overlaps"
            continue
        ahead = rows[rows[:, 0] >= x + 7][:, 0]
        expected = ahead.min() - 7 if len(ahead) else 2000
        assert sweep.stop == (expected, y)
        stopped += sweep.status == "hits"
    assert stopped > 50


@pytest.mark.parametrize("call, expected", [
    (lambda: ROOM.cast((0, 0)), TypeError),
    (lambda: ROOM.cast((0, 0), (1, 1), direction=(1, 1)), TypeError),
    (lambda: ROOM.cast((0, 0, 0), (1, 1)), ValueError),
    (lambda: ROOM.cast((0, 0), (1,)), ValueError),
    (lambda: ROOM.cast((0, "a"), (1, 1)), ValueError),
    (lambda: ROOM.cast(None, (1, 1)), TypeError),
    (lambda: ROOM.cast_all((0, 0)), TypeError),
    (lambda: ROOM.cast_each([(0, 0)], [(0, 0), (1, 1)]), ValueError),
    (lambda: ROOM.cast_each([(0, 0, 0)], [(0, 0, 0)]), ValueError),
    (lambda: ROOM.cast_each([0, 0], [0, 0]), ValueError),
    (lambda: ROOM.cast_each([("a", "b")], [(0, 0)]), ValueError),
    (lambda: ROOM.cast_each([(0, 0)]), TypeError),
    (lambda: ROOM.sweep((0, 0, 1), (0, 0), (1, 1)), ValueError),
    (lambda: ROOM.sweep("box", (0, 0), (1, 1)), ValueError),
    (lambda: ROOM.sweep(None, (0, 0), (1, 1)), ValueError),
    (lambda: ROOM.sweep((1, 1, 0, 0), (0, 0), (1, 1)), ValueError),
    (lambda: ROOM.sweep(-1, (0, 0), (1, 1)), ValueError),
    (lambda: ROOM.sweep(math.nan, (0, 0), (1, 1)), ValueError),
    (lambda: ROOM.sweep(1, (0, math.inf), (1, 1)), ValueError),
    (lambda: ROOM.sweep(1, (0, 0), (1, 1, 1)), ValueError),
    (lambda: ROOM.sweep(1, (0, "a"), (1, 1)), TypeError),
    (lambda: ROOM.sweep(np.empty((0, 2)), (0, 0), (1, 1)), ValueError),
    (lambda: ROOM.sweep([(0, 0)], (0, 0), (1, 1)), ValueError),
    (lambda: ROOM.sweep([(0, 0), (0, 0)], (0, 0), (1, 1)), ValueError),
    (lambda: ROOM.sweep([(0, 0), (1, math.nan)], (0, 0), (1, 1)), ValueError),
    (lambda: ROOM.sweep([(i, i * i) for i in range(9)], (0, 0), (1, 1)), ValueError),
    (lambda: ROOM.sweep(np.zeros((1, 1, 2)), (0, 0), (1, 1)), ValueError),
    (lambda: ROOM.slide(1, (0, 0), (1, 1), bounces=-1), ValueError),
    (lambda: ROOM.slide(1, (0, 0), (1, 1), bounces=2 ** 40), ValueError),
    (lambda: ROOM.slide(1, (0, 0), (1, 1), bounces="a"), TypeError),
])
def test_misuse_raises_exceptions(call, expected):
    with pytest.raises(expected):
        call()
    assert len(ROOM.cast_each(np.empty((0, 2)), np.empty((0, 2)))) == 0

# SPDX-License-Identifier: MIT
"""test_world.py: tests what worlds tell: searches, events, crossings, reports, sleep."""
import math
import os

import numpy as np
import pytest

import pqt

SEED = int(os.environ.get("PQT_SEED", "1"))
BOUNDS = (0, 0, 100, 100)


def some_world(generator, count=40):
    positions = generator.uniform(5, 95, (count, 2))
    return pqt.World(BOUNDS).add(pqt.bodies(positions, 1, ids=range(10, 10 + count), fixed=True))


def boxes_of(bodies):
    position, radius = bodies["position"], bodies["radius"][:, None]
    return np.hstack((position - radius, position + radius))


def test_searches_agree_with_loops_over_all_bodies():
    generator = np.random.default_rng(SEED)
    world = some_world(generator)
    everything = np.sort(world.bodies(), order="id")
    boxes = boxes_of(everything)
    for _ in range(20):
        x, y, to_x, to_y = np.sort(generator.uniform(0, 100, (2, 2)), axis=0).reshape(-1)
        for relation, holds in (
                ("touches", (boxes[:, 0] <= to_x) & (boxes[:, 2] >= x)
                 & (boxes[:, 1] <= to_y) & (boxes[:, 3] >= y)),
                ("inside", (boxes[:, 0] >= x) & (boxes[:, 2] <= to_x)
                 & (boxes[:, 1] >= y) & (boxes[:, 3] <= to_y))):
            found = np.sort(world.bodies((x, y, to_x, to_y), relation), order="id")
            assert np.array_equal(found, everything[holds])
            part = world.search((x, y, to_x, to_y), relation)
            assert np.array_equal(np.sort(part.bodies(), order="id"), found)
        distances = np.maximum(np.hypot(*(everything["position"] - (x, y)).T) - 1, 0)
        order = np.argsort(distances)[:3]
        near, far = world.nearest((x, y), 3, return_distance=True)
        assert near["id"].tolist() == everything["id"][order].tolist()
        assert np.allclose(far, distances[order])
    assert len(world.nearest((0, 0), 1000)) == 40 and len(world.nearest((0, 0), 0)) == 0
    assert world.find(12) == everything[2] and world.find(9) is None
    assert len(world.clear()) == 0 and world.clear().bounds == BOUNDS


def test_a_step_lists_its_events_and_counts():
    balls = pqt.bodies([(20, 50), (60, 50), (95, 10)], 5, ids=[1, 2, 3],
                       velocities=[(10, 0), (-10, 0), (1, 0)])
    world, report = pqt.World(BOUNDS).add(balls), {"contacts": 5}
    later = world.step(2, events=True, report=report)
    events = later.events()
    wall, hit = events[events["side"] == 2][0], events[events["side"] == 0][0]
    assert (hit["kind"], hit["low"], hit["high"], hit["time"]) == (1, 1, 2, 1.5)
    assert hit["impulse"] == 20 and hit["point"].tolist() == [40, 50]
    assert hit["normal"].tolist() == [1, 0] and (wall["low"], wall["time"]) == (3, 0)
    assert (report["contacts"], report["bounces"], report["delayed"]) == (6, 1, 0)
    assert len(world.step(2).events()) == 0 and len(world.events()) == 0
    assert world.step(2) == later and hash(world.step(2)) == hash(later)
    twice = later.step(1, report=report)
    assert report["contacts"] == 6 and twice.differs(later) == 1 and later.differs(later) is None
    delayed = {}
    world.step(2, contact_budget=1, report=delayed)
    assert delayed["separation_energy"] == 0


def test_crossings_name_the_bodies_that_enter_and_leave():
    balls = pqt.bodies([(20, 50), (48, 50), (90, 90)], 2, ids=[1, 2, 3],
                       velocities=[(30, 0), (40, 0), (0, 0)])
    world = pqt.World(BOUNDS).add(balls)
    later = world.step(1)
    for zone in ((40, 40, 60, 60), pqt.Region.of_boxes([(40, 40, 60, 60)])):
        bodies, entered = later.crossings(world, zone)
        assert bodies["id"].tolist() == [1, 2] and entered.tolist() == [True, False]
        assert bodies["position"][0].tolist() == [50, 50]
    bodies, entered = later.crossings(world, pqt.Region.of_boxes([(0, 0, 20, 20)]), (40, 40))
    assert bodies["id"].tolist() == [1, 2] and len(later.crossings(later, BOUNDS)[0]) == 0


def test_bodies_fall_asleep_on_an_obstacle_that_is_returned():
    ground = pqt.Region.of_boxes([(0, 90, 100, 100)])
    world = pqt.World(BOUNDS).add(pqt.bodies([(50, 84)], 5, ids=[7]))
    assert world.obstacle is None and not world.is_obstructed((50, 92), 1)
    world = world.set_obstacle(ground, (0.5, 0))
    assert world.obstacle == (ground, (0.5, 0)) and world.is_obstructed((50, 92), 1)
    assert not world.is_obstructed((50, 50), 1) and not world.is_asleep(7)
    for _ in range(120):
        world = world.step(1 / 30, restitution=0, gravity=(0, 50), sleep_steps=10)
    assert world.is_asleep(7) and not world.is_asleep(8)
    assert world.set_obstacle(None).obstacle is None


WORLD = pqt.World(BOUNDS).add(pqt.bodies([(50, 50)], 5))
REFUSED = [
    (lambda: WORLD.bodies((5, 0, 0, 5)), ValueError),
    (lambda: WORLD.bodies((0, 0, 1, 1), "near"), ValueError),
    (lambda: WORLD.search((0, 0, math.nan, 1)), ValueError),
    (lambda: WORLD.find(-1), ValueError),
    (lambda: WORLD.find("a"), TypeError),
    (lambda: WORLD.is_asleep(2 ** 64), ValueError),
    (lambda: WORLD.nearest((0, math.inf)), ValueError),
    (lambda: WORLD.nearest((0, 0), -1), ValueError),
    (lambda: WORLD.differs(pqt.Map()), TypeError),
    (lambda: WORLD.crossings(WORLD, (5, 0, 0, 5)), ValueError),
    (lambda: WORLD.crossings(pqt.Map(), BOUNDS), TypeError),
    (lambda: WORLD.crossings(WORLD, pqt.Region.of([[1]]), (2 ** 30, 0)), ValueError),
    (lambda: WORLD.step(1, contact_budget=-1), ValueError),
    (lambda: WORLD.step(1, report=[]), TypeError),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_misuse_raises_exceptions(number):
    call, expected = REFUSED[number]
    with pytest.raises(expected):
        call()

# SPDX-License-Identifier: MIT
"""test_kinds.py: compares regions, maps and histories with models, and tests bad arguments."""
import os
import pickle
import random
import sys
import threading

import numpy as np
import pytest

import pqt
from pqt.history import _limit

SCALE = float(os.environ.get("PQT_TEST_SCALE", "1"))
SIDE = 24


def some_pixel_box(source):
    x, y = source.randrange(SIDE), source.randrange(SIDE)
    return x, y, min(SIDE, x + source.randrange(9)), min(SIDE, y + source.randrange(9))


def pixels_of(box):
    return {(x, y) for x in range(box[0], box[2]) for y in range(box[1], box[3])}


def test_regions_agree_with_sets_of_pixels_after_random_commands():
    source = random.Random(1)
    versions = [(pqt.Region(), frozenset())]
    for step in range(max(30, int(300 * SCALE))):
        region, model = source.choice(versions[-3:])
        other, pixels = source.choice(versions)
        box, command = some_pixel_box(source), source.randrange(8)
        if command == 0:
            region, model = region.paint_box(box), model | pixels_of(box)
        elif command == 1:
            region, model = region.paint_box(box, "clear"), model - pixels_of(box)
        elif command == 2:
            region, model = region.paint_box(box, "toggle"), model ^ pixels_of(box)
        elif command == 3:
            region, model = region | other, model | pixels
        elif command == 4:
            region, model = region & other | region, model
        elif command == 5:
            region, model = region ^ other, model ^ pixels
        elif command == 6:
            region, model = region - other, model - pixels
        else:
            region, model = region.crop((0, 0, SIDE, SIDE)).move(0, 0), model
        versions.append((region, frozenset(model)))
    for region, model in versions:
        assert set(region) == model and len(region) == len(model)
        region.check()
        image = region.to_array((0, 0, SIDE, SIDE))
        assert {(x, y) for y, x in np.argwhere(image).tolist()} == model
        assert pqt.Region.of(image) == region == pqt.Region.of_boxes(region.boxes())
        assert pickle.loads(pickle.dumps(region)) == region


def test_regions_are_moved_grown_shrunk_and_outlined():
    region = pqt.Region.of([[0, 1], [1, 1]], at=(10, 20))
    assert sorted(region) == [(10, 21), (11, 20), (11, 21)]
    assert region.bounds == (10, 20, 12, 22) and (10, 20) not in region and (11, 20) in region
    assert set(region.move(-10, -20)) == {(0, 1), (1, 0), (1, 1)}
    assert set(region.complement((10, 20, 12, 22))) == {(10, 20)}
    box = pqt.Region.of_boxes([(0, 0, 5, 5)])
    assert box.dilate(2) == pqt.Region.of_boxes([(-2, -2, 7, 7)]) and box.dilate(2).erode(2) == box
    assert len(box.outline()) == 16
    assert len(pqt.Region().paint_disc((0.5, 0.5), 1)) == 5
    assert region.damage(region).shape == (0, 4)
    assert region.damage(pqt.Region()).shape[0] > 0
    assert pqt.Region().bounds == (0, 0, 0, 0) and pqt.Region().to_array().shape == (0, 0)
    assert pqt.Region.of(np.zeros((0, 5))) == pqt.Region()
    assert repr(box) == "<pqt.Region of 25 pixels in (0, 0, 5, 5)>"


@pytest.mark.parametrize("keys", ["ids", "bytes"])
@pytest.mark.parametrize("values", ["numbers", "bytes"])
def test_maps_agree_with_dictionaries_after_random_commands(keys, values):
    source = random.Random(2)

    def key():
        return source.randrange(60) if keys == "ids" else b"k" * source.randrange(33)

    def value():
        number = source.randrange(2 ** 64)
        return number if values == "numbers" else number.to_bytes(8, "big")[:number % 9]

    versions = [(pqt.Map(keys=keys, values=values), {})]
    for step in range(max(30, int(300 * SCALE))):
        some, model = source.choice(versions[-3:])
        model, command = dict(model), source.randrange(4)
        if command == 0:
            one = key()
            some = some.remove(one)
            model.pop(one, None)
        elif command == 1:
            many = [key() for _ in range(5)]
            some = some.remove_all(many)
            model = {one: other for one, other in model.items() if one not in many}
        elif command == 2:
            one, other = key(), value()
            some = some.set(one, other)
            model[one] = other
        else:
            many = {key(): value() for _ in range(5)}
            some = some.update(many)
            model.update(many)
        versions.append((some, model))
    for some, model in versions:
        assert dict(some.items()) == model and len(some) == len(model) and set(some) == set(model)
        some.check()
        assert pqt.Map(model, keys=keys, values=values) == some
        assert pickle.loads(pickle.dumps(some)) == some and some.kinds == (keys, values)
        for one in set(model) | {key()}:
            assert some.get(one, -1) == model.get(one, -1) and (one in some) == (one in model)
    assert len({some for some, _ in versions}) == len({tuple(sorted(model.items()))
                                                        for _, model in versions})


def test_maps_read_arrays_and_merge():
    some = pqt.Map().set_all(np.arange(5), np.arange(5) * 2)
    keys, values = some.arrays()
    assert dict(zip(keys.tolist(), values.tolist())) == {i: 2 * i for i in range(5)}
    assert some[3] == 6 and sorted(some.values()) == [0, 2, 4, 6, 8]
    ours, theirs = some.set(1, 7), some.set(2, 8)
    assert dict(some.merge(ours, theirs).items()) == {0: 0, 1: 7, 2: 8, 3: 6, 4: 8}
    with pytest.raises(pqt.Conflict):
        some.merge(ours, some.set(1, 9))
    assert some.merge(ours, some.set(1, 9), "theirs")[1] == 9
    text = pqt.Map({"name": "cat"}, keys="bytes", values="bytes")
    assert text["name"] == b"cat" and text.get(b"name") == b"cat"
    assert text.set("", "")[""] == b""
    with pytest.raises(KeyError):
        some[99]


def test_a_history_agrees_with_a_list_of_versions():
    trees = [pqt.Tree((0, 0, 9, 9))]
    history = pqt.History(trees[0])
    for i in range(10):
        trees.append(trees[-1].insert((i, i, i, i), i))
        history.push(trees[-1], "add %d" % i, time=i)
    for tree in reversed(trees[:-1]):
        assert history.undo() and history.value == tree
    assert not history.undo() and history.is_modified is not None
    for tree in trees[1:]:
        assert history.redo() and history.value == tree
    assert not history.redo() and len(history) == 11
    history.mark_saved()
    assert not history.is_modified
    history.undo()
    assert history.is_modified
    history.push(trees[0], "branch")
    numbers = [entry.number for entry in history]
    assert len(numbers) == 12
    history.set_name(numbers[3], "here")
    assert history.find("here") == numbers[3] and history.find("there") is None
    entry = history.entry(numbers[3])
    assert (entry.name, entry.label, entry.time) == ("here", "add 2", 2)
    history.checkout(numbers[3])
    assert history.value == history.value_of(numbers[3]) == trees[3]
    assert history.current == numbers[3]
    history.begin("group")
    for tree in trees[:3]:
        history.push(tree)
    assert not history.undo()
    assert history.end() and history.value == trees[2] and not history.end()
    assert history.entry(history.current).label == "group"
    assert history.undo() and history.value == trees[3]
    history.begin()
    history.push(trees[5])
    assert history.cancel() and history.value == trees[3] and not history.cancel()
    history.thin(1)
    assert history.value == trees[3]


def test_histories_hold_regions_and_maps_and_stay_within_limits():
    for first, change in ((pqt.Region(), lambda v, i: v.paint_box((i, 0, i + 1, 1))),
                          (pqt.Map(), lambda v, i: v.set(i, i))):
        history = pqt.History(first, max_entries=5)
        for i in range(20):
            history.push(change(history.value, i))
        assert len(history) == 5 and len(history.value) == 20
        assert type(history.value) is type(first)


def varied_history(first, second, third):
    history = pqt.History(first, time=-2)
    history.push(second, "Second", time=1, key=7)
    history.undo()
    history.push(third, "Third", time=2)
    history.checkout(1)
    history.set_name(1, "two")
    history.undo()
    return history


def versions():
    """Returns three versions of each kind."""
    tree = pqt.Tree((0, 0, 9, 9), unique_ids=True)
    trees = [tree, tree.insert((1, 1, 2, 2), 1), tree.insert((1, 1, 2, 2), 2)]
    region = pqt.Region()
    world = pqt.World((0, 0, 99, 99)).add(pqt.bodies([(50, 10)], 2, velocities=[(1, 2)]))
    names = pqt.Map(keys="ids", values="bytes")
    yield trees
    yield [region, region.paint_box((0, 0, 5, 5)), region.paint_box((3, 3, 90, 5))]
    yield [world, world.step(0.5), world.step(0.25)]
    yield [names, names.set(1, b"one"), names.set(2, b"two")]
    yield [pqt.Document({"shapes": each}) for each in trees]


@pytest.mark.parametrize("three", list(versions()), ids=lambda three: type(three[0]).__name__)
def test_a_history_goes_to_bytes_and_back(three, tmp_path):
    history = varied_history(*three)
    data = history.to_bytes()
    read = pqt.History.from_bytes(data)
    assert read.to_bytes() == data
    for entry, other in zip(read.entries(), history.entries()):
        assert entry._replace(added_bytes=0) == other._replace(added_bytes=0)
    assert len(read) == 3 and all(read.value_of(n) == history.value_of(n) for n in range(3))
    assert read.redo() and read.current == 1 and read.find("two") == 1
    history.save(tmp_path / "h.pqt")
    loaded = pqt.History.load(tmp_path / "h.pqt", max_entries=2)
    assert loaded.to_bytes() == data
    with pytest.raises(TypeError):
        loaded.push(next(of for of in (pqt.Tree((0, 0, 1, 1)), pqt.Region())
                         if type(of) is not type(three[0])))
    with pytest.raises(pqt.Error, match="byte"):
        pqt.History.from_bytes(data[:-1])
    with pytest.raises(pqt.Error, match="bytes follow the history"):
        pqt.History.from_bytes(data + b"\0")
    with pytest.raises(pqt.Error, match="expected a history"):
        pqt.History.from_bytes(three[0].to_bytes())
    with pytest.raises(pqt.Error, match="found a history"):
        type(three[0]).from_bytes(data)
    with pytest.raises(FileNotFoundError):
        pqt.History.load(tmp_path / "none.pqt")


def test_a_history_in_bytes_has_no_open_group_and_may_be_indexed():
    tree = pqt.Tree((0, 0, 9, 9), unique_ids=True)
    history = pqt.History(tree)
    history.push(tree.insert((1, 1, 2, 2), 5))
    read = pqt.History.from_bytes(bytearray(history.to_bytes()), indexed=True)
    assert read.last_item_change(5).entry == 1
    history.begin("open")
    with pytest.raises(pqt.Error, match="group"):
        history.to_bytes()


def test_a_limit_may_be_larger_than_2_gib():
    assert [_limit(number) for number in (None, 1, 2 ** 40)] == [0, 1, 2 ** 40]
    assert _limit(2 ** 70) == sys.maxsize
    with pytest.raises(ValueError, match="not 0"):
        pqt.History(pqt.Map(), max_bytes=0)


def past(history, **part):
    """Returns the entries that changed the window (0, 0, 3, 3), as last_change finds them."""
    found, tip = [], None
    while True:
        answer = history.last_change((0, 0, 3, 3), tip=tip, **part)
        if answer is None:
            return found
        assert answer.change is None and answer.time == history.entry(answer.entry).time
        assert answer.before == history.entry(answer.entry).parent
        found.append(answer.entry)
        tip = answer.before


def test_a_history_knows_its_paths_labels_times_and_sizes():
    tree = pqt.Tree((0, 0, 99, 99))
    history = pqt.History(tree)
    for i in range(3):
        tree = tree.insert((i, 0, i + 1, 1), i)
        history.push(tree, "insert %d" % i, time=i + 1)
    history.checkout(1)
    assert (history.undo_label, history.redo_label) == ("insert 0", "insert 1")
    history.push(history.value.insert((9, 9, 10, 10), 9), "insert 9", time=7)
    assert (history.undo_label, history.redo_label) == ("insert 9", None)

    assert history.path(3, 4) == [3, 2, 1, 4] and history.path(4, 4) == [4]
    assert [history.common_ancestor(*pair) for pair in ((3, 4), (0, 3), (2, 3))] == [1, 0, 2]
    with pytest.raises(pqt.Error, match="no entry with this number"):
        history.path(0, 5)
    with pytest.raises(pqt.Error, match="no entry with this number"):
        history.common_ancestor(5, 0)
    assert [entry.number for entry in history.branches()] == [3, 4]
    assert [history.entry_at(time, tip=3) for time in (-1, 0, 2.5, 9)] == [None, 0, 2, 3]
    assert history.entry_at(6.9) == 1 and history.entry_at(7) == 4
    with pytest.raises(pqt.Error, match="no entry with this number"):
        history.entry_at(0, tip=5)

    stats, sizes = history.stats(), history.entry_bytes(1)
    assert stats[:2] == (5, 2) and stats.index_bytes == 0 and stats.entry_bytes > 0
    assert stats.bytes == sum(entry.added_bytes for entry in history)
    assert sizes.all == history.value_of(1).exclusive_bytes()
    assert sizes.added == history.value_of(1).exclusive_bytes(history.value_of(0))
    assert sizes.freed == sizes.all - sizes.shared
    with pytest.raises(pqt.Error, match="no entry with this number"):
        history.entry_bytes(5)

    changes = history.changes(1, 3, tip=3)
    assert changes["kind"].tolist() == [1, 1] and sorted(changes["id"].tolist()) == [1, 2]
    assert history.changes(3, 1, (2.5, 0, 3, 1), "touches", tip=3)["kind"].tolist() == [2]
    assert history.changes(1, 3).size == 0
    with pytest.raises(ValueError, match="time is NaN"):
        history.changes(float("nan"), 1)

    history.push(history.value.clear(), key=5)
    history.push(history.value.insert((1, 1, 2, 2), 1), key=5)
    assert len(history) == 6
    history.end_coalescing()
    history.push(history.value.insert((1, 1, 2, 2), 2), key=5)
    assert len(history) == 7


def test_an_indexed_history_answers_questions_about_the_past():
    tree = pqt.Tree((0, 0, 99, 99), unique_ids=True)
    history, expected = pqt.History(tree, indexed=True), []
    for i in range(60):
        tree = tree.insert((i % 13, i % 7, i % 13 + 1, i % 7), i)
        history.push(tree, time=i / 2)
        if i % 13 <= 3 and i % 7 <= 3:
            expected.insert(0, i + 1)
    assert past(history) == expected
    moved = tree.move_id(3, (50, 50, 51, 51))
    history.push(moved)
    answer = history.last_change()
    assert answer == (61, 60, 29.5, None) and isinstance(answer, pqt.LastChange)
    assert history.last_change((50, 50, 51, 51), "inside").entry == 61
    assert history.last_change((50, 50, 51, 51), "overlaps", tip=60) is None
    change = history.last_item_change(3)
    assert (change.entry, change.change["kind"], change.change["id"]) == (61, 3, 3)
    assert change.change["to"].tolist() == [50, 50, 51, 51]
    assert history.last_item_change(3, tip=change.before).entry == 4
    assert history.last_item_change(3, tip=3) is None
    assert history.last_item_change(2 ** 64 - 1) is None
    history.undo()
    assert history.last_change().entry == 60

    with pytest.raises(ValueError, match="NaN"):
        history.last_change((0, 0, float("nan"), 1))
    with pytest.raises(ValueError, match="relation"):
        history.last_change((0, 0, 1, 1), "near")
    with pytest.raises(ValueError, match="entry"):
        history.last_change(tip=99)
    with pytest.raises(pqt.InvalidValue):
        history.last_change(part="shapes")
    with pytest.raises(pqt.InvalidValue, match="index"):
        pqt.History(tree).last_change()
    with pytest.raises(pqt.InvalidValue, match="index"):
        pqt.History(tree).last_item_change(3)
    with pytest.raises(pqt.InvalidValue):
        pqt.History(pqt.Map(), indexed=True)
    with pytest.raises(pqt.InvalidValue):
        history.push(pqt.Tree((0, 0, 5, 5)))


def test_an_indexed_history_of_documents_has_the_past_of_each_tree():
    plan = pqt.Document({"a": pqt.Tree((0, 0, 9, 9)), "b": pqt.Tree((0, 0, 9, 9))})
    history = pqt.History(plan, indexed=True)
    for i in range(6):
        name = "ab"[i % 2]
        plan = plan.set(**{name: plan[name].insert((1, 1, 2, 2), i)})
        history.push(plan)
    assert past(history, part="a") == [5, 3, 1] and past(history, part="b") == [6, 4, 2]
    assert history.last_item_change(2, part="a").entry == 3
    for part in (None, "c"):
        with pytest.raises(pqt.InvalidValue):
            history.last_change(part=part)
    with pytest.raises(TypeError):
        history.last_item_change(2, part=1)


def test_threads_share_a_history():
    history, failures = pqt.History(pqt.Map(), max_entries=50), []

    def work(number):
        try:
            for i in range(max(20, int(200 * SCALE))):
                history.push(pqt.Map({number: i}), "x")
                assert len(history.value) <= 1 and len(history.entries()) <= 50
                history.undo()
                history.redo()
        except BaseException as error:  # pylint: disable=broad-except
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_worlds_step_and_keep_their_energy():
    some = pqt.bodies([(x * 10 + 5, 50) for x in range(9)], 2, velocities=(3, 1))
    some["velocity"][4] = (-5, 2)
    world = pqt.World((0, 0, 100, 100)).add(some)
    assert len(world) == 9 and world.walls and world.bounds == (0, 0, 100, 100)
    assert np.array_equal(np.sort(world.bodies(), order="id"), some)
    versions = [world]
    for _ in range(50):
        versions.append(versions[-1].step(0.1))
    assert versions[-1].stats.energy == pytest.approx(world.stats.energy, rel=1e-9)
    assert len(set(versions)) == 51 and versions[0] == world
    again = world
    for version in versions[1:]:
        again = again.step(0.1)
        assert again == version and pickle.loads(pickle.dumps(again)) == again
    assert len(world.tree.ids_in((0, 0, 30, 100))) == 3
    assert len(world.remove([1, 2, 99])) == 7
    faster = world.bodies()
    faster["velocity"] *= 2
    assert world.change(faster).stats.energy == pytest.approx(4 * world.stats.energy)
    falling = pqt.World((0, 0, 100, 100)).add(pqt.bodies([(50, 10)], 2))
    floor = falling.set_obstacle(pqt.Region.of_boxes([(0, 60, 100, 100)]))
    for _ in range(100):
        floor = floor.step(0.1, gravity=(0, 10))
        assert floor.bodies()["position"][0, 1] <= 58.001
    assert floor.set_obstacle(None) != floor
    assert len(world.add(some[:0])) == 9
    history = pqt.History(world)
    history.push(versions[5])
    assert history.undo() and history.value == world
    assert repr(world) == "<pqt.World of 9 bodies in (0, 0, 100, 100)>"


def test_a_ball_that_slides_begins_to_roll():
    some = pqt.bodies([(10, 98)], 2, velocities=(6, 0))
    sliding = pqt.World((0, 0, 100, 100)).add(some)
    rolling = sliding
    for _ in range(60):
        rolling = rolling.step(1 / 60, restitution=0, gravity=(0, 10), friction=0.5)
    body = rolling.bodies()[0]
    assert body["velocity"][0] == pytest.approx(4) and body["angular_velocity"] == pytest.approx(2)
    assert body["angle"] > 1 and sliding.step(1, gravity=(0, 10)).bodies()["angle"][0] == 0
    some["friction"], some["angle"] = 0.25, 1
    assert np.array_equal(pqt.World((0, 0, 100, 100)).add(some).bodies(), some)
    with pytest.raises(ValueError):
        sliding.step(1, friction=-1)


def some_document():
    shapes = pqt.Tree.of([(0, 0, 1, 1), (5, 5, 6, 6)], [1, 2], unique_ids=True)
    return pqt.Document({"shapes": shapes, "colours": pqt.Map({1: 7, 2: 8}),
                         "mask": pqt.Region.of([[1, 1]]), "balls": pqt.World((0, 0, 9, 9))},
                        keyed_by={"colours": "shapes"})


def test_documents_change_their_parts_together():
    plan = some_document()
    assert sorted(plan) == ["balls", "colours", "mask", "shapes"] and len(plan) == 4
    assert plan.keyed_by == {"colours": "shapes"} and "mask" in plan and "x" not in plan
    assert [type(plan[name]) for name in ("shapes", "mask", "balls", "colours")] == [
        pqt.Tree, pqt.Region, pqt.World, pqt.Map]
    ours = plan.set(shapes=plan["shapes"].remove_id(1))
    assert dict(ours["colours"].items()) == {2: 8} and len(plan["colours"]) == 2
    theirs = plan.set({"mask": pqt.Region()}, colours=plan["colours"].set(2, 9))
    merged = plan.merge(ours, theirs)
    assert dict(merged["colours"].items()) == {2: 9} and len(merged["mask"]) == 0
    with pytest.raises(pqt.Conflict):
        plan.merge(theirs, plan.set(colours=plan["colours"].set(2, 10)))
    assert plan.merge(theirs, plan.set(colours=plan["colours"].set(2, 10)), "ours") == theirs
    assert pickle.loads(pickle.dumps(plan)) == plan == some_document() and hash(plan)
    plan.check()
    history = pqt.History(plan)
    history.push(merged)
    assert history.undo() and history.value == plan
    for _ in range(200):
        plan = plan.set(shapes=plan["shapes"].move_id(2, (3, 3, 4, 4)))
        plan = plan.set(shapes=plan["shapes"].move_id(2, (5, 5, 6, 6)))
    assert plan == some_document()
    with pytest.raises(KeyError):
        plan["x"]


DOCUMENT = some_document()
WORLD = pqt.World((0, 0, 9, 9)).add(pqt.bodies([(5, 5)], 1))
REGION, MAP, TREE = pqt.Region.of([[1]]), pqt.Map({1: 2}), pqt.Tree((0, 0, 9, 9))
TEXTS = pqt.Map({"a": "b"}, keys="bytes", values="bytes")
REFUSED = [
    (lambda: pqt.Region.of([1, 2]), ValueError),
    (lambda: pqt.Region.of(None), ValueError),
    (lambda: pqt.Region.of([["a"]]), TypeError),
    (lambda: pqt.Region.of([[1]], at=(2 ** 31, 0)), ValueError),
    (lambda: pqt.Region.of([[1]], at=(2 ** 31 - 1, 0)), ValueError),
    (lambda: pqt.Region.of_boxes([(0, 0, 1.5, 1)]), TypeError),
    (lambda: pqt.Region.of_boxes([(0, 0, 1)]), ValueError),
    (lambda: pqt.Region.of_boxes([(1, 0, 0, 1)]), ValueError),
    (lambda: pqt.Region.of_boxes([(0, 0, 2 ** 40, 1)]), ValueError),
    (lambda: REGION.paint_box((1, 0, 0, 1)), ValueError),
    (lambda: REGION.paint_box((0, 0, 1, 1), "x"), ValueError),
    (lambda: REGION.paint_box((0, 0, 1.5, 1)), TypeError),
    (lambda: REGION.paint_box(None), TypeError),
    (lambda: REGION.paint_disc((float("nan"), 0), 1), ValueError),
    (lambda: REGION.paint_disc((0, 0), -1), ValueError),
    (lambda: REGION.paint_disc((0, 0), 1e300), ValueError),
    (lambda: REGION.paint_stroke((0, 0), None, 1), TypeError),
    (lambda: REGION.move(2 ** 31 - 1, 0), ValueError),
    (lambda: REGION.dilate(-1), ValueError),
    (lambda: REGION.dilate(1, 5), ValueError),
    (lambda: REGION.erode(1, 0), ValueError),
    (lambda: REGION.outline(3), ValueError),
    (lambda: REGION.crop((1, 1, 0, 0)), ValueError),
    (lambda: REGION.complement((-2 ** 31, 0, 2 ** 31 - 1, 1)), ValueError),
    (lambda: REGION.to_array((1, 0, 0, 1)), ValueError),
    (lambda: REGION.to_array((-2 ** 31, -2 ** 31, 2 ** 31 - 1, 2 ** 31 - 1)),
     (MemoryError, ValueError)),
    (lambda: REGION | MAP, TypeError),
    (lambda: REGION.damage(MAP), TypeError),
    (lambda: (1.5, 0) in REGION, TypeError),
    (lambda: pqt.Region.from_bytes(MAP.to_bytes()), ValueError),
    (lambda: pqt.Map(keys="x"), ValueError),
    (lambda: pqt.Map([1]), TypeError),
    (lambda: pqt.Map({"a": 1}), TypeError),
    (lambda: pqt.Map({1: "a"}), TypeError),
    (lambda: MAP.set(-1, 1), ValueError),
    (lambda: MAP.set(1, 2 ** 64), ValueError),
    (lambda: MAP.set_all([1], []), ValueError),
    (lambda: MAP.set_all(np.array([-1]), np.array([1])), ValueError),
    (lambda: MAP.get("a"), TypeError),
    (lambda: TEXTS.get(1), TypeError),
    (lambda: TEXTS.set("a", 1), TypeError),
    (lambda: TEXTS.set(b"k" * 100_000_000, ""), ValueError),
    (lambda: MAP.merge(TEXTS, MAP), ValueError),
    (lambda: MAP.merge(MAP, REGION), TypeError),
    (lambda: MAP.merge(MAP, MAP, "x"), ValueError),
    (lambda: pqt.Document({}), ValueError),
    (lambda: pqt.Document([]), TypeError),
    (lambda: pqt.Document({"a": 1}), TypeError),
    (lambda: pqt.Document({"a": DOCUMENT}), TypeError),
    (lambda: pqt.Document({1: TREE}), TypeError),
    (lambda: pqt.Document({"": TREE}), ValueError),
    (lambda: pqt.Document({"a\0b": TREE}), ValueError),
    (lambda: pqt.Document({"n" * 100: TREE}), ValueError),
    (lambda: pqt.Document({str(i): TREE for i in range(17)}), ValueError),
    (lambda: pqt.Document({"a": TREE}, keyed_by={"b": "a"}), ValueError),
    (lambda: pqt.Document({"a": TREE}, keyed_by={"a": "a"}), ValueError),
    (lambda: pqt.Document({"a": TREE, "m": MAP}, keyed_by={"m": "a"}), ValueError),
    (lambda: DOCUMENT.set(x=TREE), ValueError),
    (lambda: DOCUMENT.set(mask=TREE), ValueError),
    (lambda: DOCUMENT.set({str(i): TREE for i in range(17)}), ValueError),
    (lambda: DOCUMENT.set(colours=pqt.Map({99: 1})), ValueError),
    (lambda: DOCUMENT.set(shapes=TREE), ValueError),
    (lambda: DOCUMENT.merge(DOCUMENT, TREE), TypeError),
    (lambda: DOCUMENT.diff(TREE), TypeError),
    (lambda: DOCUMENT.diff(pqt.Document({"a": TREE})), ValueError),
    (lambda: pqt.Document({"a": TREE}).diff(pqt.Document({"a": MAP})), ValueError),
    (lambda: MAP.diff(TREE), TypeError),
    (lambda: MAP.diff(None), TypeError),
    (lambda: pqt.Map().diff(pqt.Map(values="bytes")), ValueError),
    (lambda: pqt.Map().diff(pqt.Map(keys="bytes")), ValueError),
    (lambda: DOCUMENT.merge(DOCUMENT, DOCUMENT, []), ValueError),
    (lambda: pqt.World((0, 0, float("nan"), 1)), ValueError),
    (lambda: pqt.World((0, 0, 1, 1), leaf_capacity=-1), ValueError),
    (lambda: WORLD.add([(1, 2)]), TypeError),
    (lambda: WORLD.add(np.zeros((1, 1), pqt.BODY)), ValueError),
    (lambda: WORLD.add(pqt.bodies([(5, 5)], 1)), ValueError),
    (lambda: WORLD.add(pqt.bodies([(50, 5)], 1, ids=[7])), ValueError),
    (lambda: WORLD.add(pqt.bodies([(5, 5)], -1, ids=[7])), ValueError),
    (lambda: WORLD.add(pqt.bodies([(5, float("nan"))], 1, ids=[7])), ValueError),
    (lambda: pqt.bodies([5, 5], 1), ValueError),
    (lambda: pqt.bodies([(5, 5)], 1, ids=[-1]), ValueError),
    (lambda: WORLD.remove(["a"]), TypeError),
    (lambda: WORLD.step(float("nan")), ValueError),
    (lambda: WORLD.step(-1), ValueError),
    (lambda: WORLD.step(None), TypeError),
    (lambda: WORLD.step(1, restitution=5), ValueError),
    (lambda: WORLD.step(1, sleep_steps=-1), ValueError),
    (lambda: WORLD.step(1, gravity=(float("inf"), 0)), ValueError),
    (lambda: WORLD.set_obstacle(MAP), TypeError),
    (lambda: WORLD.set_obstacle(REGION, (float("nan"), 0)), ValueError),
    (lambda: pqt.History(None), TypeError),
    (lambda: pqt.History(TREE, max_entries=0), ValueError),
    (lambda: pqt.History(TREE, time=float("inf")), ValueError),
    (lambda: pqt.History(TREE).push(MAP), TypeError),
    (lambda: pqt.History(TREE).push(TREE, 5), TypeError),
    (lambda: pqt.History(TREE).push(TREE, "a\0b"), ValueError),
    (lambda: pqt.History(TREE).push(TREE, time=float("inf"), keep_equal=True), ValueError),
    (lambda: pqt.History(TREE).push(TREE, key=-1), ValueError),
    (lambda: pqt.History(TREE).checkout(99), ValueError),
    (lambda: pqt.History(TREE).value_of(99), ValueError),
    (lambda: pqt.History(TREE).entry(99), ValueError),
    (lambda: pqt.History(TREE).drop(99), ValueError),
    (lambda: pqt.History(TREE).thin(-1), ValueError),
    (lambda: pqt.History(TREE).set_name(99, "a"), ValueError),
    (lambda: pqt.History(TREE).set_name(1, ""), ValueError),
    (lambda: object.__new__(pqt.History).undo(), AttributeError),
]


@pytest.mark.parametrize("keys", ["ids", "bytes"])
@pytest.mark.parametrize("values", ["numbers", "bytes"])
def test_differences_of_maps_agree_with_dictionaries(keys, values):
    source = random.Random(9)
    for _ in range(30):
        dictionaries, maps = [], []
        for _ in range(2):
            entries = {source.randrange(40): source.randrange(4) for _ in range(source.randrange(40))}
            if keys == "bytes":
                entries = {b"%d" % key: value for key, value in entries.items()}
            if values == "bytes":
                entries = {key: b"x" * value for key, value in entries.items()}
            dictionaries.append(entries)
            maps.append(pqt.Map(entries, keys=keys, values=values))
        before, after = dictionaries
        expected = {(key, before.get(key), after.get(key)) for key in set(before) | set(after)
                    if before.get(key) != after.get(key)}
        changes = maps[0].diff(maps[1])
        assert len(changes) == len(expected) and set(changes) == expected
        assert maps[0].diff(maps[0]) == []
        for change in changes:
            maps[0] = (maps[0].remove(change.key) if change.after is None
                       else maps[0].set(change.key, change.after))
        assert maps[0] == maps[1]


def test_the_difference_of_documents_names_the_parts():
    shapes = pqt.Tree.of([(0, 0, 1, 1), (2, 2, 3, 3)], [1, 2], unique_ids=True)
    plan = pqt.Document({"shapes": shapes, "colours": pqt.Map({1: 5, 2: 6}), "pixels": pqt.Region(),
                         "balls": pqt.World((0, 0, 9, 9))}, keyed_by={"colours": "shapes"})
    painted = pqt.Region.of_boxes([(0, 0, 2, 2)])
    later = plan.set(shapes=shapes.remove_id(1), pixels=painted)
    changes = plan.diff(later)
    assert sorted(changes) == ["colours", "pixels", "shapes"]
    assert changes["shapes"]["id"].tolist() == [1] and changes["shapes"]["kind"].tolist() == [2]
    assert changes["colours"] == [(1, 5, None)] and changes["pixels"] == (pqt.Region(), painted)
    assert plan.diff(plan) == {} and later.diff(plan)["colours"] == [pqt.MapChange(1, None, 5)]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_misuse_raises_exceptions(number):
    call, expected = REFUSED[number]
    with pytest.raises(expected):
        call()

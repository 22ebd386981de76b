# SPDX-License-Identifier: MIT
"""test_tree.py: compares trees with a model, and tests all arguments that they refuse."""
import copy
import gc
import math
import os
import pickle
import random
import subprocess
import sys
import threading

import numpy as np
import pytest

import pqt

SCALE = float(os.environ.get("PQT_TEST_SCALE", "1"))
LONG = os.environ.get("PQT_TEST_LONG") == "1"
BOUNDS = (0, 0, 100, 100)
RELATIONS = {
    "touches": lambda a, w: a[0] <= w[2] and w[0] <= a[2] and a[1] <= w[3] and w[1] <= a[3],
    "overlaps": lambda a, w: a[0] < w[2] and w[0] < a[2] and a[1] < w[3] and w[1] < a[3],
    "inside": lambda a, w: w[0] <= a[0] and a[2] <= w[2] and w[1] <= a[1] and a[3] <= w[3],
    "covers": lambda a, w: a[0] <= w[0] and w[2] <= a[2] and a[1] <= w[1] and w[3] <= a[3],
}


def some_box(source):
    """Returns a box on a coarse grid, so that edges often coincide."""
    x, y = source.randrange(0, 100), source.randrange(0, 100)
    width, height = source.randrange(0, 9), source.randrange(0, 9)
    return (float(x), float(y), float(x + width), float(y + height))


def some_boxes(count, seed=1):
    """Returns an array of boxes in (0, 0, 1000, 1000)."""
    generator = np.random.default_rng(seed)
    corners = generator.uniform(0, 990, (count, 2))
    return np.hstack((corners, corners + generator.uniform(0, 10, (count, 2))))


def items_of(tree):
    """Returns the items of a tree as a set of (box, id)."""
    return {(tuple(box), id) for box, id in tree}


def distance(box, x, y):
    return math.hypot(max(box[0] - x, 0, x - box[2]), max(box[1] - y, 0, y - box[3]))


def agrees(tree, model, source):
    """Compares every search in a tree with the same search in a set."""
    assert len(tree) == len(model)
    assert items_of(tree) == model
    window = some_box(source)
    for relation, holds in RELATIONS.items():
        expected = sorted(id for box, id in model if holds(box, window))
        assert sorted(tree.ids_in(window, relation).tolist()) == expected
        assert tree.count_in(window, relation) == len(expected)
        offsets, ids = tree.ids_in_each([window, window], relation)
        assert offsets.tolist() == [0, len(expected), 2 * len(expected)]
        assert sorted(ids[offsets[1]:].tolist()) == expected
        assert tree.count_in_each([window], relation).tolist() == [len(expected)]
        boxes, ids = tree.items_in(window, relation)
        assert ({(tuple(box), id) for box, id in zip(boxes.tolist(), ids.tolist())}
                == {(box, id) for box, id in model if holds(box, window)})
        assert sorted(tree.search(window, relation).items()[1].tolist()) == expected
    x, y = window[:2]
    nearest = sorted(distance(box, x, y) for box, _ in model)[:5]
    assert tree.nearest((x, y), 5, return_distance=True)[1].tolist() == pytest.approx(nearest)


def test_versions_agree_with_sets_after_random_commands_and_do_not_change():
    source = random.Random(3)
    tree, model = pqt.Tree(BOUNDS, leaf_capacity=4), frozenset()
    versions = [(tree, model, tree.fingerprint)]
    for step in range(max(30, int(400 * SCALE))):
        tree, model, _ = source.choice(versions[-3:])
        many = [(some_box(source), source.randrange(50)) for _ in range(source.randrange(8))]
        boxes = [box for box, _ in many]
        ids = [id for _, id in many]
        present = source.sample(sorted(model), min(len(model), 3))
        command = source.randrange(7)
        if command == 0:
            box, id = some_box(source), source.randrange(50)
            tree, model = tree.insert(box, id), model | {(box, id)}
        elif command == 1 and present:
            tree, model = tree.remove(*present[0]), model - {present[0]}
        elif command == 2 and present:
            to = some_box(source)
            tree = tree.move(*present[0], to)
            model = model - {present[0]} | {(to, present[0][1])}
        elif command == 3:
            tree, model = tree.insert_all(boxes, ids), model | set(many)
        elif command == 4:
            tree = tree.remove_all([box for box, _ in present], [id for _, id in present])
            model = model - set(present)
        elif command == 5:
            moved = [some_box(source) for _ in present]
            tree = tree.move_all([box for box, _ in present], [id for _, id in present], moved)
            for (box, id), to in zip(present, moved):
                model = model - {(box, id)} | {(to, id)}
        elif command == 6 and step % 20 == 0:
            tree, model = tree.clear(), frozenset()
        versions.append((tree, model, tree.fingerprint))
        if step % 10 == 0:
            agrees(tree, model, source)
    for tree, model, fingerprint in versions:
        assert tree.fingerprint == fingerprint
        assert items_of(tree) == model
        tree.check()
    for tree, model, _ in source.sample(versions, 20):
        agrees(tree, model, source)


def some_edit(source):
    """Returns the name and the arguments of an edit of few items, which a tree may refuse."""
    boxes = [(0, 0, 9, 9), (5, 5, 8, 8), (90, 90, 99, 99), (0, 0, 0, 0), (-3, 0, 1, 1)]
    if source.random() < 0.02:
        boxes.append((3, 3, 1, 4))
    box, id, to = source.choice(boxes), source.randrange(4), source.choice(boxes)
    return source.choice([("insert", box, id), ("remove", box, id), ("move", box, id, to),
                          ("remove_id", id), ("move_id", id, to)])


def edited(tree, edits):
    """Applies edits one after another. Returns the tree, and the number of edits done."""
    for i, (name, *given) in enumerate(edits):
        try:
            tree = getattr(tree, name)(*given)
        except pqt.Error:
            return tree, i
    return tree, len(edits)


@pytest.mark.parametrize("options", [{}, {"unique_ids": True}, {"strict_bounds": True},
                                     {"unique_ids": True, "strict_bounds": True}])
def test_a_batch_equals_single_edits(options):
    source = random.Random(4)
    tree, refused = pqt.Tree(BOUNDS, leaf_capacity=2, **options), 0
    for _ in range(max(50, int(300 * SCALE))):
        edits = [some_edit(source) for _ in range(source.choice([1, 3, 60]))]
        if not options.get("unique_ids"):
            edits = [edit for edit in edits if "id" not in edit[0]]
        batch = pqt.Batch()
        for name, *given in edits:
            assert getattr(batch, name)(*given) is batch
        assert len(batch) == len(edits)
        expected, done = edited(tree, edits)
        if done < len(edits):
            before, refused = tree.fingerprint, refused + 1
            with pytest.raises(ValueError) as caught:
                tree.apply(batch)
            assert caught.value.index == done and "item %d:" % done in str(caught.value)
            assert tree.fingerprint == before
            continue
        made = tree.apply(batch)
        assert made == expected and made.fingerprint == expected.fingerprint
        tree = made if source.random() < 0.9 else tree.clear()
        tree.check()
    assert refused > 5 or not options.get("strict_bounds")


def test_a_batch_accepts_arrays_and_can_be_reused():
    boxes = some_boxes(1000) / 10
    batch = pqt.Batch().insert_all(boxes, range(1000)).remove_all(boxes[::2], range(0, 1000, 2))
    batch.move_all(boxes[1:4:2], [1, 3], boxes[[0, 2]])
    tree = pqt.Tree(BOUNDS, unique_ids=True)
    odd = tree.apply(batch)
    expected = {(tuple(boxes[i - 1] if i < 4 else boxes[i]), i) for i in range(1, 1000, 2)}
    assert len(batch) == 1502 and items_of(odd) == expected
    assert tree.apply(batch) == odd
    batch.clear()
    assert len(batch) == 0 and odd.apply(batch) == odd
    batch.move_ids([5, 6], boxes[:2]).remove_ids(range(7, 1000))
    assert items_of(odd.apply(batch)) == {(tuple(boxes[0]), 1), (tuple(boxes[2]), 3),
                                          (tuple(boxes[0]), 5)}
    assert pickle.loads(pickle.dumps(batch)).__len__() == len(copy.copy(batch)) == len(batch)


@pytest.mark.parametrize("copier", [copy.copy, copy.deepcopy,
                                    lambda some: pickle.loads(pickle.dumps(some))])
def test_a_copy_of_a_batch_is_independent(copier):
    class Named(pqt.Batch):
        """A batch with an attribute of its own."""
    Named.__qualname__, globals()["Named"] = "Named", Named
    batch = Named().insert((0, 0, 1, 1), 1)
    batch.name = ["first"]
    made = copier(batch)
    made.insert((1, 1, 2, 2), 2)
    batch.insert((2, 2, 3, 3), 3).insert((3, 3, 4, 4), 4)
    assert type(made) is Named and made.name == ["first"]
    assert (made.name is batch.name) == (copier is copy.copy)
    tree = pqt.Tree(BOUNDS)
    assert sorted(id for _, id in tree.apply(made)) == [1, 2]
    assert sorted(id for _, id in tree.apply(batch)) == [1, 3, 4]
    batch.clear()
    assert len(made) == 2
    assert not hasattr(copy.copy(object.__new__(pqt.Batch)), "_bytes")


def test_an_id_may_use_the_batch_while_it_is_added():
    class Id:
        def __init__(self, act):
            self.act = act

        def __index__(self):
            self.act()
            return 1

    batch = pqt.Batch().insert((0, 0, 1, 1), 7)
    batch.insert((0, 0, 1, 1), Id(batch.clear))
    assert items_of(pqt.Tree(BOUNDS).apply(batch)) == {((0, 0, 1, 1), 1)}
    batch.insert((2, 2, 3, 3), Id(lambda: batch.insert((4, 4, 5, 5), 9)))
    assert items_of(pqt.Tree(BOUNDS).apply(batch)) == {((0, 0, 1, 1), 1), ((2, 2, 3, 3), 1),
                                                       ((4, 4, 5, 5), 9)}


def test_a_batch_reads_the_boxes_of_a_move_once():
    class Boxes:
        reads = 0

        def __array__(self, *given, **named):
            self.reads += 1
            return np.array([(0, 0, 1, 1)], np.float64)

    boxes = Boxes()
    batch = pqt.Batch().insert((0, 0, 1, 1), 1).move_all(boxes, [1], [(2, 2, 3, 3)])
    assert boxes.reads == 1
    assert items_of(pqt.Tree(BOUNDS).apply(batch)) == {((2, 2, 3, 3), 1)}


def test_the_first_edit_that_is_refused_raises():
    outside, tree = (90, 90, 1000, 1000), pqt.Tree(BOUNDS, strict_bounds=True)
    for batch, text in [(pqt.Batch().insert(outside, 1).remove_id(1), "bounds"),
                        (pqt.Batch().remove_id(1).insert(outside, 1), "unique_ids")]:
        with pytest.raises(ValueError, match=text) as caught:
            tree.apply(batch)
        assert caught.value.index == 0
    with pytest.raises(ValueError, match="unique_ids") as caught:
        tree.apply(pqt.Batch().insert((0, 0, 1, 1), 1).remove_id(1).insert(outside, 1))
    assert caught.value.index == 1


def test_a_difference_is_applied():
    before = pqt.Tree(BOUNDS).insert_all(some_boxes(300) / 10, range(300))
    after = before.remove(*next(iter(before))).insert((0, 0, 1, 1), 2 ** 64 - 1)
    changes = before.diff(after)
    assert before.apply(changes) == after
    assert before.apply(np.repeat(changes, 2)[::2]) == after
    backward = after.diff(before)
    assert after.apply(backward) == before and len(before.apply(backward[:0])) == 300


def test_threads_may_add_to_a_batch_while_it_is_applied():
    batch, tree, sizes = pqt.Batch(), pqt.Tree(BOUNDS), []

    def add():
        for i in range(3000):
            batch.insert((0, 0, 1, 1), i)

    thread = threading.Thread(target=add)
    thread.start()
    while thread.is_alive():
        sizes.append(len(tree.apply(batch)))
    thread.join()
    assert sizes == sorted(sizes) and len(tree.apply(batch)) == 3000


def test_the_program_of_the_readme_gives_its_numbers():
    monday = pqt.Tree(BOUNDS).insert((10, 20, 30, 30), 1).insert((40, 60, 70, 80), 2)
    tuesday = monday.move((10, 20, 30, 30), 1, (60, 20, 80, 30))
    left = (0, 0, 50, 100)
    assert (tuesday.count_in(left, "inside"), monday.count_in(left, "inside")) == (0, 1)
    assert tuesday.ids_in(left).tolist() == [2]


def test_equal_trees_compare_equal_and_have_the_same_hash():
    boxes = some_boxes(1000)
    a = pqt.Tree.of(boxes)
    order = np.random.default_rng(2).permutation(1000)
    b = pqt.Tree.of(boxes[order], order)
    assert a == b and hash(a) == hash(b) and len({a, b}) == 1
    assert a != b.remove(boxes[5], 5) and not a == 5 and a != None  # noqa: E711
    assert a.remove(boxes[5], 5).insert(boxes[5], 5) == a
    assert copy.copy(a) is a and copy.deepcopy(a) is a


def test_pickles_and_files_return_equal_trees(tmp_path):
    tree = pqt.Tree.of(some_boxes(500), unique_ids=True)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(tree, protocol))
        assert again == tree and again.options == tree.options and again.bounds == tree.bounds
    tree.save(tmp_path / "a.pqt")
    assert pqt.Tree.load(tmp_path / "a.pqt") == tree
    assert pqt.Tree.from_bytes(bytearray(tree.to_bytes())) == tree
    data = bytearray(tree.to_bytes())
    data[len(data) // 2] ^= 1
    with pytest.raises(pqt.InvalidValue):
        pqt.Tree.from_bytes(data)
    with pytest.raises(pqt.InvalidValue):
        pqt.Tree.from_bytes(b"")
    with pytest.raises(pqt.Error):
        pqt.Tree.load(tmp_path / "absent.pqt")
    with pytest.raises(pqt.Error):
        tree.save(tmp_path / "absent" / "a.pqt")


def test_items_are_iterated_and_contained():
    tree = pqt.Tree.of([(0, 0, 1, 1), (5, 5, 6, 7)], [2 ** 64 - 1, 8])
    assert {item.id for item in tree} == {2 ** 64 - 1, 8}
    assert all(item in tree for item in tree)
    assert ((0, 0, 1, 1), 8) not in tree
    assert ((math.nan, 0, 1, 1), 8) not in tree
    assert repr(tree) == "<pqt.Tree of 2 items in (0, 0, 6, 7)>"
    assert tree.bounds == (0, 0, 6, 7) and tree.options.leaf_capacity == 24
    assert tree.remove((5, 5, 6, 7), 8).extent == pqt.Box(0, 0, 1, 1)
    assert tree.clear().extent is None and tree.bounds == tree.extent
    assert tree.stats.items == 2 and tree.stats.bytes > 0


def test_unique_ids_are_found_moved_and_removed():
    tree = pqt.Tree.of([(0, 0, 1, 1), (5, 5, 6, 7)], [3, 8], unique_ids=True)
    assert tree.find(8) == pqt.Box(5, 5, 6, 7) and tree.find(9) is None
    assert tree.move_id(8, (1, 1, 2, 2)).find(8) == (1, 1, 2, 2)
    assert tree.move_ids([3, 8], [(2, 2, 3, 3), (1, 1, 2, 2)]).find(3) == (2, 2, 3, 3)
    assert tree.insert((9, 9, 9, 9), 3).find(3) == (9, 9, 9, 9)
    assert len(tree.remove_id(3)) == 1 and len(tree.remove_ids([3, 8, 9])) == 0


def test_trees_have_differences_merges_and_set_operations():
    base = pqt.Tree(BOUNDS).insert_all([(0, 0, 1, 1), (5, 5, 6, 6)], [1, 2])
    ours, theirs = base.move((0, 0, 1, 1), 1, (9, 9, 9, 9)), base.insert((7, 7, 8, 8), 3)
    change = base.diff(ours)
    assert (change["kind"].tolist(), change["id"].tolist()) == ([3], [1])
    assert change["to"].tolist() == [[9, 9, 9, 9]]
    merged = base.merge(ours, theirs)
    assert items_of(merged) == {((9, 9, 9, 9), 1), ((5, 5, 6, 6), 2), ((7, 7, 8, 8), 3)}
    other = base.move((0, 0, 1, 1), 1, (4, 4, 4, 4))
    with pytest.raises(pqt.Conflict):
        base.merge(ours, other)
    assert base.merge(ours, other, "theirs") == other
    assert base | theirs == theirs and theirs & base == base
    assert items_of(theirs - base) == {((7, 7, 8, 8), 3)}
    with pytest.raises(TypeError):
        base | 3


def test_pairs_agree_with_two_loops():
    boxes = np.round(some_boxes(200)) / 4
    tree = pqt.Tree.of(boxes)
    expected = {(i, j) for i in range(200) for j in range(i)
                if RELATIONS["touches"](boxes[i], boxes[j])}
    assert {(max(pair), min(pair)) for pair in tree.pairs().tolist()} == expected
    assert len(tree.pairs(pqt.Tree.of(boxes))) == 2 * len(expected) + 200


def test_pairs_that_began_or_ended_are_those_of_one_tree_alone():
    before = pqt.Tree.of(np.round(some_boxes(200)) / 4)
    boxes, ids = before.items()
    after = before.remove_all(boxes[50:150], ids[50:150]).insert((10, 10, 60, 60), 999)
    was, now = ({tuple(sorted(pair)) for pair in tree.pairs().tolist()} for tree in (before, after))
    found = before.pair_changes(after)
    assert found.dtype.names == ("began", "a", "a_box", "b", "b_box")
    began = {tuple(sorted(pair)) for pair in found[found["began"]][["a", "b"]].tolist()}
    ended = {tuple(sorted(pair)) for pair in found[~found["began"]][["a", "b"]].tolist()}
    assert began == now - was and ended == was - now and began and ended
    new = found[found["a"] == 999]
    assert len(new) == 0 or new["a_box"][0].tolist() == [10, 10, 60, 60]
    with pytest.raises(pqt.Error, match="bounds"):
        before.pair_changes(pqt.Tree((0, 0, 1, 1)))
    with pytest.raises(TypeError):
        before.pair_changes(3)


def test_pages_have_the_items_of_a_search_in_its_order():
    tree = pqt.Tree.of(np.round(some_boxes(200)) / 4)
    window = (0, 0, 150, 150)
    boxes, ids = tree.items_in(window)
    for size in (1, 7, len(ids), 5000):
        pages = list(tree.pages(window, size))
        assert all(len(page[1]) == size for page in pages[:-1])
        assert np.concatenate([page[1] for page in pages]).tolist() == ids.tolist()
        assert np.concatenate([page[0] for page in pages]).tolist() == boxes.tolist()
    assert list(tree.pages((-9, -9, -8, -8))) == []
    pages = tree.pages(window, 5, "inside")
    del tree  # the pages keep it
    gc.collect()
    assert len(next(pages)[1]) == 5
    for size in (0, -1, 2 ** 31):
        with pytest.raises(ValueError, match="size"):
            pqt.Tree(BOUNDS).pages(window, size)
    with pytest.raises(ValueError):
        next(pqt.Tree(BOUNDS).pages((5, 5, 0, 0)))


def test_exclusive_bytes_are_those_that_no_other_version_shares():
    tree = pqt.Tree.of(some_boxes(1000))
    later = tree.insert((1, 1, 2, 2), 5000)
    assert tree.exclusive_bytes() == tree.stats.bytes
    alone = later.exclusive_bytes(tree)
    assert 0 < alone == later.stats.bytes - later.shared_bytes(tree) < 5000
    assert later.exclusive_bytes(tree, later) == 0
    with pytest.raises(TypeError):
        later.exclusive_bytes(pqt.Map())


def test_arrays_of_every_layout_are_read():
    boxes = some_boxes(50)
    tree = pqt.Tree.of(boxes)
    for layout in (boxes.tolist(), np.asfortranarray(boxes), boxes.astype(">f8"),
                   np.hstack((boxes, boxes))[:, :4], np.repeat(boxes, 2, axis=0)[::2]):
        assert pqt.Tree.of(layout) == tree
    frozen = boxes.copy()
    frozen.setflags(write=False)
    assert pqt.Tree.of(frozen, np.arange(50, dtype=np.int16)) == tree
    found, ids = tree.items()
    assert found.flags.c_contiguous and ids.dtype == np.uint64
    assert pqt.Tree.of(found, ids) == tree
    assert len(pqt.Tree.of([])) == 0 and len(pqt.Tree.of(np.empty((0, 4)))) == 0
    assert tree.insert_all([], []) == tree
    assert tree.ids_in_each(np.empty((0, 4)))[0].tolist() == [0]
    many = pqt.Tree.of(some_boxes(5000))
    assert sorted(many.ids_in((-math.inf, -math.inf, math.inf, math.inf))) == list(range(5000))


def test_searches_on_the_sphere_cross_the_antimeridian():
    fiji, samoa = (177, -19, 182, -12), (-172.5, -14, -171.5, -13)
    tree = pqt.Tree((-180, -90, 180, 90)).insert_all([fiji, samoa, (0, 0, 1, 1)], [1, 2, 3])
    window = (170, -30, -170, 0)
    assert sorted(tree.ids_in(window, surface="sphere").tolist()) == [1, 2]
    assert tree.count_in(window, surface="sphere") == 2
    assert tree.count_in((-180, -30, -170, 0), "inside", surface="sphere") == 1
    assert tree.items_in(window, surface="sphere")[1].tolist() == \
        tree.ids_in(window, surface="sphere").tolist()
    assert len(tree.search(window, surface="sphere")) == 2
    assert tree.count_in_each([window, (0, 0, 1, 1)], surface="sphere").tolist() == [2, 1]
    assert tree.ids_in_each([window, (0, 0, 1, 1)], surface="sphere")[0].tolist() == [0, 2, 3]
    ids, metres = tree.nearest((-171.8, -13.8), 3, return_distance=True, surface="sphere")
    assert ids.tolist() == [2, 1, 3] and metres[0] == 0
    assert metres[1] == pqt.sphere_distance((-171.8, -13.8), fiji) == pytest.approx(668e3, rel=.1)
    assert metres[1] == pqt.sphere_distance((-171.8, -13.8), (177, -19, -178, -12))
    assert tree.nearest((-171.8, -13.8), 3).tolist() == [2, 3, 1]
    assert tree.nearest_each([(-171.8, -13.8)], 2, max_distance=1e6, surface="sphere")[1].tolist() \
        == [2, 1]


def test_the_nearest_items_of_many_points_are_those_of_each():
    tree, places = pqt.Tree.of(some_boxes(300)), some_boxes(20, 9)
    for array in (places, places[:, :2]):
        offsets, ids, distances = tree.nearest_each(array, 4, max_distance=60)
        for i, place in enumerate(array):
            one = tree.nearest(place, 4, max_distance=60, return_distance=True)
            assert ids[offsets[i]:offsets[i + 1]].tolist() == one[0].tolist()
            assert distances[offsets[i]:offsets[i + 1]].tolist() == one[1].tolist()
    assert len(tree.nearest((0, 0), 10 ** 30)) == 300
    assert tree.nearest((0, 0), 0).tolist() == []
    assert pqt.Tree(BOUNDS).nearest((0, 0), 3).tolist() == []


def test_pictures_are_svg_with_the_window():
    tree = pqt.Tree(BOUNDS).insert((1, 1, 2, 2), 1)
    assert tree._repr_svg_().startswith("<") and "</svg>" in tree._repr_svg_()
    assert "window" in tree.to_svg((0, 0, 5, 5))
    demo = subprocess.run([sys.executable, "-m", "pqt", "demo"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    assert demo.count("<path") > 1 and "</svg>" in demo
    assert subprocess.run([sys.executable, "-m", "pqt"], stderr=subprocess.PIPE).returncode == 2


NAN, INF = math.nan, math.inf
TREE = pqt.Tree.of([(0, 0, 1, 1), (5, 5, 6, 7)], [3, 8])
UNIQUE = pqt.Tree.of([(0, 0, 1, 1), (5, 5, 6, 7)], [3, 8], unique_ids=True)
BOX = (0, 0, 1, 1)
REFUSED = [
    (lambda: pqt.Tree((0, 0, NAN, 1)), ValueError),
    (lambda: pqt.Tree((0, 0, -1, 1)), ValueError),
    (lambda: pqt.Tree((0, 0, INF, 1)), ValueError),
    (lambda: pqt.Tree((0, 0, 1)), ValueError),
    (lambda: pqt.Tree("abcd"), TypeError),
    (lambda: pqt.Tree(None), TypeError),
    (lambda: pqt.Tree(), TypeError),
    (lambda: pqt.Tree(BOUNDS, leaf_capacity=0), ValueError),
    (lambda: pqt.Tree(BOUNDS, leaf_capacity=10 ** 30), ValueError),
    (lambda: pqt.Tree(BOUNDS, max_depth=-1), ValueError),
    (lambda: pqt.Tree(BOUNDS, max_depth=1.5), TypeError),
    (lambda: pqt.Tree(BOUNDS, strict_bounds=True).insert((0, 0, 200, 1), 1), ValueError),
    (lambda: pqt.Tree.of([(0, 0, 1)]), ValueError),
    (lambda: pqt.Tree.of((0, 0, 1, 1)), ValueError),
    (lambda: pqt.Tree.of([[BOX]]), ValueError),
    (lambda: pqt.Tree.of([("a", "b", "c", "d")]), TypeError),
    (lambda: pqt.Tree.of([(0, 0, 1j, 1)]), TypeError),
    (lambda: pqt.Tree.of(None), TypeError),
    (lambda: pqt.Tree.of(np.zeros(3, dtype=[("a", float)])), TypeError),
    (lambda: pqt.Tree.of([BOX, (0, 0, NAN, 1)]), ValueError),
    (lambda: pqt.Tree.of([BOX], [1, 2]), ValueError),
    (lambda: pqt.Tree.of([BOX], [-1]), ValueError),
    (lambda: pqt.Tree.of([BOX], [1.5]), TypeError),
    (lambda: pqt.Tree.of([BOX], [2 ** 64]), (TypeError, ValueError)),
    (lambda: pqt.Tree.of([BOX], 1), TypeError),
    (lambda: pqt.Tree.of([BOX], {1}), TypeError),
    (lambda: pqt.Tree.of([BOX], np.array(1)), ValueError),
    (lambda: pqt.Tree.of([BOX], leaf_capacity=-5), ValueError),
    (lambda: pqt.Tree.of([BOX], leaf_capacity=2 ** 32 + 24), ValueError),
    (lambda: TREE.insert(BOX, -1), ValueError),
    (lambda: TREE.insert(BOX, 2 ** 64), ValueError),
    (lambda: TREE.insert(BOX, 1.0), TypeError),
    (lambda: TREE.insert(BOX, None), TypeError),
    (lambda: TREE.insert(None, 1), TypeError),
    (lambda: TREE.insert((0, 0, INF, 1), 1), ValueError),
    (lambda: TREE.move(BOX, 3, None), TypeError),
    (lambda: TREE.move(BOX, 3, (0, 0, NAN, 0)), ValueError),
    (lambda: TREE.move_all([BOX], [3], []), ValueError),
    (lambda: TREE.move_all([BOX], [3], None), TypeError),
    (lambda: TREE.insert_all([BOX], None), TypeError),
    (lambda: TREE.insert_all(None, []), TypeError),
    (lambda: TREE.apply(None), TypeError),
    (lambda: TREE.apply([]), TypeError),
    (lambda: TREE.apply(np.zeros(3)), TypeError),
    (lambda: TREE.apply(np.zeros((1, 1), TREE.diff(TREE).dtype)), ValueError),
    (lambda: TREE.apply(np.zeros(1, TREE.diff(TREE).dtype)), ValueError),
    (lambda: TREE.apply(pqt.Batch().insert(BOX, 1).remove_id(3)), ValueError),
    (lambda: TREE.apply(pqt.Batch().insert((0, 0, NAN, 1), 1)), ValueError),
    (lambda: TREE.apply(pqt.Batch().move(BOX, 1, (0, 0, INF, 1))), ValueError),
    (lambda: pqt.Batch().insert((0, 0, 1), 1), ValueError),
    (lambda: pqt.Batch().insert("abcd", 1), TypeError),
    (lambda: pqt.Batch().insert(BOX, -1), ValueError),
    (lambda: pqt.Batch().insert(BOX, 2 ** 64), ValueError),
    (lambda: pqt.Batch().remove_id(0.5), TypeError),
    (lambda: pqt.Batch().move_all([BOX], [3], []), ValueError),
    (lambda: pqt.Batch().insert_all([BOX], [1, 2]), ValueError),
    (lambda: pqt.Batch(5), TypeError),
    (lambda: TREE.remove_id(3), ValueError),
    (lambda: TREE.move_id(3, BOX), ValueError),
    (lambda: TREE.remove_ids([3]), ValueError),
    (lambda: TREE.remove_ids([]), ValueError),
    (lambda: TREE.move_ids([], []), ValueError),
    (lambda: UNIQUE.remove_ids({3}), TypeError),
    (lambda: UNIQUE.remove_ids(id for id in [3]), TypeError),
    (lambda: UNIQUE.remove_ids(3), TypeError),
    (lambda: UNIQUE.remove_ids("3"), TypeError),
    (lambda: UNIQUE.remove_ids(np.array([3.0])), TypeError),
    (lambda: UNIQUE.move_ids([3], []), ValueError),
    (lambda: UNIQUE.move_ids([9], [(1, 0, 0, 1)]), ValueError),
    (lambda: TREE.find(3), ValueError),
    (lambda: UNIQUE.find("a"), TypeError),
    (lambda: UNIQUE.move_id(3, None), TypeError),
    (lambda: TREE.ids_in((0, 0, NAN, 1)), ValueError),
    (lambda: TREE.ids_in((1, 0, 0, 1)), ValueError),
    (lambda: TREE.ids_in((0, 0, 1)), ValueError),
    (lambda: TREE.ids_in(5), TypeError),
    (lambda: TREE.ids_in("abcd"), TypeError),
    (lambda: TREE.ids_in(BOX, "near"), ValueError),
    (lambda: TREE.ids_in(BOX, []), ValueError),
    (lambda: TREE.ids_in(BOX, 1), ValueError),
    (lambda: TREE.count_in((0, 0, NAN, 1)), ValueError),
    (lambda: TREE.items_in((0, 0, NAN, 1)), ValueError),
    (lambda: TREE.items_in(None), TypeError),
    (lambda: TREE.search((0, 0, NAN, 1)), ValueError),
    (lambda: TREE.search(BOX, 0), ValueError),
    (lambda: TREE.ids_in_each([BOX, (0, 0, NAN, 1)]), ValueError),
    (lambda: TREE.ids_in_each(BOX), ValueError),
    (lambda: TREE.count_in_each([(1, 0, 0, 0)]), ValueError),
    (lambda: TREE.ids_in((0, 0, 0, 91), surface="sphere"), ValueError),
    (lambda: TREE.count_in((0, 1, 0, 0), surface="sphere"), ValueError),
    (lambda: TREE.items_in((NAN, 0, 0, 0), surface="sphere"), ValueError),
    (lambda: TREE.ids_in(BOX, surface="globe"), ValueError),
    (lambda: TREE.ids_in(BOX, surface=1), ValueError),
    (lambda: TREE.nearest((0, 91), surface="sphere"), ValueError),
    (lambda: TREE.nearest((0, 0, 1, 1), surface="sphere"), ValueError),
    (lambda: TREE.nearest((0, 0), surface=None), ValueError),
    (lambda: pqt.sphere_distance((0, 0), (0, 0, 0, 91)), ValueError),
    (lambda: pqt.sphere_distance((0,), (0, 0, 0, 0)), TypeError),
    (lambda: TREE.nearest((NAN, 0)), ValueError),
    (lambda: TREE.nearest((INF, 0)), ValueError),
    (lambda: TREE.nearest((1, 2, 3)), ValueError),
    (lambda: TREE.nearest(("a", "b")), TypeError),
    (lambda: TREE.nearest((0, 0), -1), ValueError),
    (lambda: TREE.nearest((0, 0), 1.5), TypeError),
    (lambda: TREE.nearest((0, 0), max_distance=NAN), ValueError),
    (lambda: TREE.nearest((0, 0), max_distance="far"), TypeError),
    (lambda: TREE.nearest_each([(0, 0), (NAN, 0)]), ValueError),
    (lambda: TREE.pairs(3), TypeError),
    (lambda: TREE.pairs(relation="x"), ValueError),
    (lambda: TREE.diff(None), TypeError),
    (lambda: TREE.diff(pqt.Tree(BOUNDS)), ValueError),
    (lambda: TREE.merge(TREE, None), TypeError),
    (lambda: TREE.merge(TREE, TREE, "x"), ValueError),
    (lambda: TREE.to_svg((0, 0, NAN, 1)), ValueError),
    (lambda: (BOX, -1) in TREE, ValueError),
    (lambda: 5 in TREE, TypeError),
    (lambda: pqt.Tree.from_bytes("text"), TypeError),
    (lambda: pqt.Tree.load("a\0b"), ValueError),
    (lambda: setattr(TREE, "_pin", None), AttributeError),
    (lambda: setattr(TREE, "colour", 1), AttributeError),
    (lambda: delattr(TREE, "_pin"), AttributeError),
    (lambda: object.__new__(pqt.Tree).bounds, AttributeError),
    (lambda: pqt.Tree.__mro__[-2].from_bytes(b""), ValueError),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_misuse_raises_exceptions(number):
    call, expected = REFUSED[number]
    with pytest.raises(expected):
        call()
    assert len(TREE) == len(UNIQUE) == 2


def test_errors_have_the_message_the_status_and_the_index():
    with pytest.raises(pqt.Error) as caught:
        pqt.Tree.of([(0, 0, 1, 1), (4, 0, 3, 1)])
    assert str(caught.value) == "item 1: box is inverted (x 4 > 3)"
    assert (caught.value.code, caught.value.index) == (2, 1)
    assert isinstance(caught.value, ValueError) and caught.value.name
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.code, again.index) == (str(caught.value), 2, 1)


def test_methods_of_a_subclass_return_the_subclass():
    class Map(pqt.Tree):
        pass
    assert type(Map(BOUNDS).insert(BOX, 1)) is Map


def test_the_package_installs_no_signal_handler():
    code = ("import signal, pqt; "
            "before = [signal.getsignal(s) for s in signal.valid_signals()]; "
            "t = pqt.Tree((0, 0, 9, 9)); "
            "[t := t.insert((i % 9, 1, i % 9, 2), i) for i in range(20000)]; "
            "print(before == [signal.getsignal(s) for s in signal.valid_signals()])")
    assert subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True,
                          check=True).stdout == "True\n"


def test_memory_does_not_grow_while_versions_are_dropped():
    tree = pqt.Tree.of(some_boxes(2000))
    gc.collect()
    pins, most, level = pqt.memory(reclaim=True).pins, 0, None
    for i in range(1_000_000 if LONG else max(40_000, int(100_000 * SCALE))):
        x = float(i % 991)
        tree = tree.insert((x, x, x + 1, x + 1), i + 10_000)
        if i >= 50:
            x = float((i - 50) % 991)
            tree = tree.remove((x, x, x + 1, x + 1), i - 50 + 10_000)
        if i == 20_000:
            level = pqt.memory().bytes
        if i > 20_000 and i % 1000 == 0:
            most = max(most, pqt.memory().bytes)
    assert most <= level + 4 * 2 ** 20
    gc.collect()
    assert pqt.memory(reclaim=True).pins == pins


def test_readers_and_a_writer_share_versions():
    """Searches and edits versions in eight threads while another thread makes new ones."""
    import time
    end = time.monotonic() + (60 if LONG else 2)
    boxes = some_boxes(500)
    newest, failures, reads = [pqt.Tree((0, 0, 1000, 1000)).insert_all(boxes, range(500))], [], []

    def read(number):
        count = 0
        try:
            while time.monotonic() < end:
                tree = newest[0]
                assert len(tree) == 500
                offsets, ids = tree.ids_in_each([(0, 0, 1000, 1000)] * 3)
                assert offsets.tolist() == [0, 500, 1000, 1500]
                assert sorted(ids[:500].tolist()) == list(range(500))
                other = tree.move_all(*tree.items(), np.roll(boxes, number, axis=0))
                assert len(other) == 500
                count += 1
        except BaseException as error:  # pylint: disable=broad-except
            failures.append(error)
        reads.append(count)

    threads = [threading.Thread(target=read, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    source, where = random.Random(5), boxes.copy()
    while time.monotonic() < end:
        id, x = source.randrange(500), source.uniform(0, 990)
        to = (x, x, x + 3, x + 3)
        newest[0] = newest[0].move(where[id], id, to)
        where[id] = to
    for thread in threads:
        thread.join()
    assert not failures and min(reads) > 0
    newest[0].check()


def test_a_forked_child_continues():
    tree = pqt.Tree.of(some_boxes(100))
    child = os.fork()
    if child == 0:
        os._exit(0 if len(tree.insert((0, 0, 1, 1), 7)) in (100, 101) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_subclass_cannot_claim_versions_of_another_kind():
    with pytest.raises(TypeError, match="_kind"):
        type("Cars", (pqt.Tree,), {"_kind": pqt.World._kind})
    for name in ("_pin", "_hidden"):
        with pytest.raises(TypeError, match=name):
            type("Cars", (pqt.Tree,), {name: None})
    with pytest.raises(TypeError, match="_kind"):
        type("Cars", (type("Boxes", (pqt.Tree,), {}),), {"_kind": 10 ** 6})
    boxes = type("Boxes", (pqt.Tree,), {"__slots__": ()})
    assert type(boxes((0, 0, 9, 9)).insert((1, 1, 2, 2), 3)) is boxes


def test_damage_covers_the_changes_and_restore_undoes_those_of_a_window():
    old = pqt.Tree.of([(0, 0, 1, 1), (8, 8, 9, 9), (20, 20, 21, 21)])
    new = old.remove((0, 0, 1, 1), 0).insert((4, 8, 5, 9), 7).insert((30, 30, 31, 31), 8)
    boxes = old.damage(new)
    assert boxes.shape[1] == 4 and 1 <= len(boxes) <= 16
    for change in old.diff(new):
        sides = change["box"]
        assert any((box[:2] <= sides[:2]).all() and (sides[2:] <= box[2:]).all() for box in boxes)
    assert len(old.damage(new, 1)) == 1 and len(old.damage(old)) == 0
    assert new.restore(old, (0, 0, 10, 10)) == old.insert((30, 30, 31, 31), 8)
    assert new.restore(old, (29, 29, 40, 40), "inside").ids_in((29, 29, 40, 40)).size == 0
    for most in (0, 65537):
        with pytest.raises(ValueError):
            old.damage(new, most)
    with pytest.raises(ValueError, match="NaN or is inverted"):
        new.restore(old, (1, 0, 0, 0))


def test_any_in_is_whether_count_in_is_above_zero():
    tree = pqt.Tree.of(np.array([[0, 0, 1, 1], [8, 8, 9, 9]]))
    for window in ((0, 0, 4, 4), (2, 2, 4, 4), (1, 1, 8, 8)):
        for relation in ("touches", "overlaps", "inside", "covers"):
            assert tree.any_in(window, relation) == (tree.count_in(window, relation) > 0)
    for window in ((1, 0, 0, 0), (float("nan"), 0, 1, 1)):
        with pytest.raises(ValueError, match="NaN or is inverted"):
            tree.any_in(window)

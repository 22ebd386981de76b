# SPDX-License-Identifier: MIT
"""test_sync.py: compares trees of two machines, which exchange digests and items of cells."""
import json
import random

import numpy as np
import pytest

import pqt
from test_tree import BOUNDS, SCALE, items_of, some_box, some_boxes

_HUGE = (-500.0, -500.0, 500.0, 500.0)


class Machine:
    """A tree on another machine, which counts what is asked of it."""

    def __init__(self, tree):
        self.tree, self.calls, self.paths, self.items_sent = tree, 0, [], 0

    def digests(self, paths):
        """Answers as text, as between two machines."""
        self.calls += 1
        self.paths += paths
        answers = json.dumps([self.tree.digest(path) for path in paths])
        return [tuple(one) for one in json.loads(answers)]

    def items(self, paths):
        found = [self.tree.items_at(path) for path in paths]
        self.items_sent += sum(len(ids) for _, ids in found)
        return found


def became(tree, other):
    """Returns the tree with the items of that of another machine."""
    for cell in tree.find_mismatches(other.digests, other.items):
        tree = tree.apply(cell.changes)
    return tree


def some_items(count, seed):
    """Returns boxes of all sizes, and their ids."""
    boxes = some_boxes(count, seed)
    boxes[:, 2:] += np.random.default_rng(seed).exponential(1, (count, 1)) ** 6
    return boxes, np.arange(count)


def test_equal_trees_need_one_digest():
    boxes, ids = some_items(1000, 1)
    tree, other = pqt.Tree.of(boxes, ids), Machine(pqt.Tree.of(boxes[::-1], ids[::-1]))
    assert tree.find_mismatches(other.digests, other.items) == []
    assert other.paths == [""] and other.items_sent == 0
    empty = pqt.Tree(BOUNDS)
    assert empty.find_mismatches(Machine(empty).digests) == []


@pytest.mark.parametrize("count", [0, 1, 10, 100, 1000, 20000])
@pytest.mark.parametrize("changed", [1, 3, 30])
def test_a_tree_becomes_that_of_another_machine(count, changed):
    boxes, ids = some_items(count, count + changed)
    tree = pqt.Tree((0, 0, 1000, 1000), unique_ids=True).insert_all(boxes, ids)
    theirs = tree
    for i in range(changed):
        theirs = theirs.remove_id(i).insert((i, i, i + 1, i + 1), count + i)
    other = Machine(theirs)
    assert became(tree, other) == theirs
    assert other.calls <= 40 and len(other.paths) == len(set(other.paths))
    if count == 20000:
        assert other.items_sent < 40 * changed and len(other.paths) < 100 * changed


def test_a_cell_has_its_box_its_digests_and_its_changes():
    boxes = np.array([(x, y, x + 0.5, y + 0.5) for x in range(16) for y in range(16)], float)
    tree = pqt.Tree((0, 0, 16, 16), leaf_capacity=4).insert_all(boxes, np.arange(256))
    other = Machine(tree.remove((3, 1, 3.5, 1.5), 49))
    cell, = tree.find_mismatches(other.digests, other.items)
    assert (cell.box, cell.own.size, cell.other.size) == ((2, 0, 4, 2), 4, 3)
    assert cell.own == tree.digest(cell.path) and cell.other == other.tree.digest(cell.path)
    assert cell.changes["kind"].tolist() == [2] and cell.changes["id"].tolist() == [49]
    same, = tree.find_mismatches(other.digests)
    assert same[:4] == cell[:4] and same.changes is None
    assert len(tree.items_at(cell.path)[1]) == 4
    assert tree.items_at()[1].tolist() == tree.items()[1].tolist()
    assert tree.digest() == (256, tree.fingerprint)
    assert tree.digest("0123" * 16) == (0, 0) == tree.digest("3.0" + "1" * 62)


def test_machines_with_random_edits_have_what_their_models_have():
    source = random.Random(11)
    for round in range(int(40 * SCALE) + 1):
        trees = [pqt.Tree(BOUNDS, leaf_capacity=source.choice([1, 2, 24]),
                          max_depth=source.choice([0, 3, 32]))] * 2
        models = [set(), set()]
        for _ in range(source.randrange(1, 300)):
            box = _HUGE if source.random() < 0.05 else some_box(source)
            id = source.randrange(100)
            sides = [0, 1] if source.random() < 0.7 else [source.randrange(2)]
            for side in sides:
                if source.random() < 0.7:
                    trees[side] = trees[side].insert(box, id)
                    models[side].add((box, id))
                elif models[side]:
                    gone = source.choice(sorted(models[side]))
                    trees[side] = trees[side].remove(*gone)
                    models[side].discard(gone)
        mine, theirs = trees
        cells = mine.find_mismatches(Machine(theirs).digests, Machine(theirs).items)
        changes = [one for cell in cells for one in cell.changes]
        given = {(tuple(one["box"]), int(one["id"]), int(one["kind"])) for one in changes}
        assert given == ({one + (1,) for one in models[1] - models[0]}
                         | {one + (2,) for one in models[0] - models[1]})
        assert len(changes) == len(given)
        assert became(mine, Machine(theirs)) == theirs and became(theirs, Machine(mine)) == mine


def test_two_machines_that_exchange_their_items_have_the_union():
    boxes, ids = some_items(3000, 5)
    base = pqt.Tree((0, 0, 1000, 1000)).insert_all(boxes, ids)
    ours = base.remove(boxes[7], 7).insert((1, 1, 2, 2), 5000)
    theirs = base.remove(boxes[8], 8).insert((999, 1, 999.5, 2), 5001)
    united = []
    for tree, other in ((ours, Machine(theirs)), (theirs, Machine(ours))):
        for cell in tree.find_mismatches(other.digests, other.items):
            tree = tree.apply(cell.changes[cell.changes["kind"] == 1])
        united.append(tree)
    assert united[0] == united[1] == ours | theirs
    assert items_of(united[0]) - items_of(base) == {((1, 1, 2, 2), 5000), ((999, 1, 999.5, 2), 5001)}
    assert items_of(base) < items_of(united[0])


def test_the_rounds_grow_with_the_depth_and_not_with_the_differences():
    boxes, ids = some_items(20000, 9)
    tree = pqt.Tree((0, 0, 1000, 1000)).insert_all(boxes, ids)
    moved = boxes.copy()
    moved[::40] += 0.125
    other = Machine(pqt.Tree((0, 0, 1000, 1000)).insert_all(moved, ids))
    assert became(tree, other) == other.tree
    assert len(other.paths) > 1000 and other.calls <= 2 * tree.stats.depth + 2


def test_wrong_paths_and_answers_raise_one_clear_error():
    tree = pqt.Tree.of(some_boxes(500))
    other = Machine(tree.insert((1, 1, 2, 2), 9999))
    for path in ("4", "0..", "0.1.", "x", "0\0", "0" * 65, "é", "\ud800"):
        for read in (tree.digest, tree.items_at):
            with pytest.raises(pqt.InvalidValue, match="a path must be at most 64 digits"):
                read(path)
    with pytest.raises(TypeError, match="a path must be a str, not bytes"):
        tree.digest(b"0")
    for answer, error, text in [
            ((-1, 0), ValueError, "the size of a digest must be an integer"),
            ((1, -1), ValueError, "a fingerprint must be an integer"),
            ((1, 2 ** 128), ValueError, "a fingerprint must be an integer"),
            (("1", 1), TypeError, "str"),
            ((2 ** 64 - 1, 1), pqt.Error, "counts more items than a tree can hold"),
            ((0, 1), pqt.Error, "counts no items, but has a fingerprint"),
            ((10 ** 6, 1), pqt.Error, "its children hold more items than the cell")]:
        with pytest.raises(error, match=text):
            tree.find_mismatches(lambda paths: [answer] * len(paths), other.items)
    with pytest.raises(ValueError, match="digests returned 0 answers for 1 paths"):
        tree.find_mismatches(lambda paths: [], other.items)
    some = other.tree.items_at("")
    refused = [(lambda paths: [], ValueError, "items returned 0 answers for"),
              (lambda paths: [some] * len(paths), ValueError, "items returned 501 items for the path"),
              (lambda paths: [(boxes + 1, ids) for boxes, ids in map(other.tree.items_at, paths)],
               pqt.Error, "the fetched items do not have its digest")]
    for items, error, text in refused:
        with pytest.raises(error, match=text):
            tree.find_mismatches(other.digests, items)


def test_an_exception_of_a_function_is_passed_on():
    tree = pqt.Tree.of(some_boxes(500))

    def fail(paths):
        raise ConnectionError("no answer")
    with pytest.raises(ConnectionError, match="no answer"):
        tree.find_mismatches(fail)
    with pytest.raises(ConnectionError, match="no answer"):
        tree.clear().find_mismatches(Machine(tree).digests, fail)

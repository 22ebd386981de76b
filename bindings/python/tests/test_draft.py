# SPDX-License-Identifier: MIT
"""Tests drafts: random edits beside trees, snapshots, refusals, threads and memory."""
import copy
import gc
import pickle
import random
import threading

import numpy as np
import pytest

import pqt

BOUNDS = (0, 0, 100, 100)
QUERIES = {
    "len": len, "list": list, "bounds": lambda tree: tree.bounds,
    "options": lambda tree: tree.options, "stats": lambda tree: tree.stats[:4],
    "items": lambda tree: tree.items(), "find": lambda tree: tree.find(7),
    "contains": lambda tree: ((1, 1, 2, 2), 7) in tree,
    "ids_in": lambda tree: tree.ids_in((10, 10, 60, 60), "inside"),
    "intersection": lambda tree: tree.intersection((10, 10, 60, 60)),
    "count_in": lambda tree: tree.count_in((10, 10, 60, 60)),
    "items_in": lambda tree: tree.items_in((10, 10, 60, 60)),
    "ids_in_each": lambda tree: tree.ids_in_each([(0, 0, 9, 9), (5, 5, 50, 50)]),
    "count_in_each": lambda tree: tree.count_in_each([(0, 0, 9, 9), (5, 5, 50, 50)]),
    "nearest": lambda tree: tree.nearest((50, 50), 5, return_distance=True),
    "nearest_each": lambda tree: tree.nearest_each([(1, 1), (50, 50)], 2),
    "pairs": lambda tree: tree.pairs(),
    "pairs with a tree": lambda tree: tree.pairs(pqt.Tree.of([(0, 0, 50, 50)])),
    "cast": lambda tree: tree.cast((0, 0), (99, 99)),
    "cast_all": lambda tree: tree.cast_all((0, 0), (99, 99)),
    "cast_each": lambda tree: tree.cast_each([(0, 0)], [(99, 99)]),
    "sweep": lambda tree: tree.sweep(1.0, (0, 0), (99, 99), ignore_overlap=True),
    "slide": lambda tree: tree.slide(1.0, (0, 0), (99, 99), ignore_overlap=True),
    "to_svg": lambda tree: tree.to_svg(), "_repr_svg_": lambda tree: tree._repr_svg_(),
    "diff": lambda tree: tree.diff(pqt.Tree(BOUNDS, unique_ids=True, leaf_capacity=4)),
}


def same(a, b):
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def draw_box(dice):
    x, y = dice.randrange(95), dice.randrange(95)
    return x, y, x + dice.randrange(6), y + dice.randrange(6)


def draw_edit(dice):
    """Returns the name and the arguments of an edit of a tree with unique ids."""
    id, kind = dice.randrange(100), dice.randrange(9)
    if kind == 0:
        count = dice.randrange(9)
        return "insert_all", [draw_box(dice) for _ in range(count)], dice.sample(range(100), count)
    if kind == 1:
        return "move_ids", [id, id + 1], [draw_box(dice), draw_box(dice)]
    if kind == 2:
        return "remove_ids", [id, id + 5]
    if kind == 3:
        return "apply", pqt.Batch().insert(draw_box(dice), id).remove_id(id + 1)
    if kind == 4:
        return "remove_id", id
    return ("move_id", id, draw_box(dice)) if kind < 7 else ("insert", draw_box(dice), id)


def test_a_draft_that_is_read_at_random_answers_like_trees_and_leaves_its_snapshots():
    dice = random.Random(7)
    tree = pqt.Tree(BOUNDS, unique_ids=True, leaf_capacity=4)
    draft, kept = pqt.Draft(tree), []
    for _ in range(1500):
        name, *given = draw_edit(dice)
        tree = getattr(tree, name)(*given)
        assert getattr(draft, name)(*given) is draft
        if dice.random() < 0.1:
            query = QUERIES[dice.choice(sorted(QUERIES))]
            assert same(query(draft), query(tree))
        if dice.random() < 0.05:
            kept.append((draft.snapshot(), tree))
            assert kept[-1][0] == tree
    for snapshot, tree in kept:
        snapshot.check()
        assert snapshot == tree and snapshot.fingerprint == tree.fingerprint
    assert len(kept) > 30


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_each_query_of_a_tree_reads_a_draft(name):
    dice, draft = random.Random(3), pqt.Draft(pqt.Tree(BOUNDS, unique_ids=True, leaf_capacity=4))
    for id in range(80):
        draft.insert(draw_box(dice), id)
    assert same(QUERIES[name](draft), QUERIES[name](draft.snapshot()))


def test_a_draft_has_every_method_of_a_tree_that_reads_and_every_edit():
    missing = {name for name in dir(pqt.Tree) if name[0] != "_"} - set(dir(pqt.Draft))
    assert missing == {"check", "clear", "digest", "exclusive_bytes", "find_mismatches", "fingerprint",
                       "from_bytes", "items_at", "load", "merge", "of", "pages",
                       "pair_changes", "restore", "save", "search", "shared_bytes", "to_bytes",
                       "union"}


def test_items_are_moved_and_removed_by_box_and_id():
    tree = pqt.Tree(BOUNDS).insert((0, 0, 1, 1), 1).insert((2, 2, 3, 3), 2)
    draft = pqt.Draft(tree).move((0, 0, 1, 1), 1, (5, 5, 6, 6)).remove((2, 2, 3, 3), 2)
    assert list(draft) == [pqt.Item(pqt.Box(5, 5, 6, 6), 1)]
    draft.move_all([(5, 5, 6, 6)], [1], [(7, 7, 8, 8)]).remove_all([(9, 9, 9, 9)], [1])
    assert draft.ids_in((7, 7, 7, 7)).tolist() == [1] and len(tree) == 2
    assert pqt.Draft(tree).snapshot() == tree
    assert repr(draft) == "<pqt.Draft of 1 items in (0, 0, 100, 100)>"


def test_an_edit_that_is_refused_leaves_the_draft_as_it_was():
    tree = pqt.Tree(BOUNDS, strict_bounds=True).insert((0, 0, 1, 1), 1)
    draft = pqt.Draft(tree)
    batch = pqt.Batch().insert((3, 3, 4, 4), 2).insert((5, 5, 4, 4), 3)
    for refused in [lambda: draft.insert((5, 5, 4, 4), 9),
                    lambda: draft.insert((99, 99, 101, 100), 9),
                    lambda: draft.move((0, 0, 1, 1), 1, (0, 0, -1, 0)), lambda: draft.apply(batch),
                    lambda: draft.remove_id(1), lambda: draft.move_id(1, (0, 0, 1, 1)),
                    lambda: draft.remove_ids([]), lambda: draft.move_ids([1], [(0, 0, 1, 1)]),
                    lambda: draft.apply(pqt.Batch().insert((3, 3, 4, 4), 2).remove_id(1)),
                    lambda: draft.find(1), lambda: draft.insert((0, 0, 1, 1), -1)]:
        with pytest.raises(ValueError):
            refused()
    with pytest.raises(pqt.InvalidValue) as caught:
        draft.apply(batch)
    assert caught.value.index == 1
    assert draft.snapshot() == tree and len(draft) == 1


def test_mistakes_raise():
    tree = pqt.Tree(BOUNDS)
    draft = pqt.Draft(tree)
    for mistake in [lambda: pqt.Draft(), lambda: pqt.Draft(None), lambda: pqt.Draft(draft),
                    lambda: draft.diff(draft), lambda: draft.pairs(draft), lambda: tree.diff(draft),
                    lambda: tree.merge(draft, draft), lambda: pqt.History(draft),
                    lambda: pickle.dumps(draft), lambda: copy.copy(draft), lambda: draft.insert(1),
                    lambda: pqt.Draft.__new__(pqt.Draft).merge]:
        with pytest.raises((TypeError, AttributeError)):
            mistake()
    with pytest.raises(AttributeError):
        len(pqt.Draft.__new__(pqt.Draft))
    with pytest.raises(pqt.InvalidValue):
        draft.__init__(tree)
    with pytest.raises(AttributeError):
        draft._handle = None


def test_code_that_runs_while_an_argument_is_read_may_edit_the_draft():
    draft = pqt.Draft(pqt.Tree(BOUNDS))

    class Meddler:
        def __float__(self):
            draft.insert((1, 1, 2, 2), len(draft))
            return 0.0

    assert draft.count_in((Meddler(), 0, 9, 9)) == len(draft) == 1
    draft.insert((Meddler(), 0, 9, 9), 7)
    assert draft.ids_in((0, 0, 0.5, 0.5)).tolist() == [7] and len(draft) == 3
    draft.snapshot().check()


def test_threads_edit_and_read_one_draft():
    draft, rounds = pqt.Draft(pqt.Tree(BOUNDS, unique_ids=True)), 300
    wrong = []

    def work(first):
        try:
            for id in range(first, first + rounds):
                draft.insert((id % 90, first % 90, id % 90 + 1, first % 90 + 1), id)
                assert id in draft.ids_in(BOUNDS) and draft.find(id) is not None
                draft.snapshot().check()
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(rounds * i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [] and len(draft) == 3 * rounds


def test_memory_does_not_grow_while_drafts_are_edited_and_dropped():
    gc.collect()
    dice = random.Random(5)
    tree = pqt.Tree.of([draw_box(dice) for _ in range(2000)], unique_ids=True)
    draft = pqt.Draft(tree)
    pins = pqt.memory().pins
    for i in range(6000):
        draft.move_id(i % 2000, draw_box(dice))
        if i % 7 == 0:
            draft.snapshot()
        if i % 50 == 0:
            pqt.Draft(tree).remove_ids(range(500))
        if i == 1000:
            level = pqt.memory(reclaim=True).used_bytes
    gc.collect()
    assert pqt.memory(reclaim=True).used_bytes < level + 500000
    assert pqt.memory().pins == pins

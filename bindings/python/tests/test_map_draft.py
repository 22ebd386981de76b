# SPDX-License-Identifier: MIT
"""test_map_draft.py: drafts of maps: random edits beside maps, snapshots, refusals and memory."""
import copy
import gc
import pickle
import random
import threading

import numpy as np
import pytest

import pqt
from test_map_batch import some_map_edit

OTHER = {"ids": 3, "bytes": b"kkk"}
QUERIES = {
    "len": lambda of, key: len(of), "items": lambda of, key: of.items(), "keys": lambda of, key: of.keys(),
    "values": lambda of, key: of.values(), "list": lambda of, key: list(of),
    "get": lambda of, key: of.get(key, "none"), "in": lambda of, key: key in of,
    "kinds": lambda of, key: of.kinds, "[]": lambda of, key: of[key] if key in of else None,
    "arrays": lambda of, key: [list(some) for some in of.arrays()],
    "diff": lambda of, key: of.diff(pqt.Map(keys=of.kinds[0], values=of.kinds[1])),
}


@pytest.mark.parametrize("keys", ["ids", "bytes"])
@pytest.mark.parametrize("values", ["numbers", "bytes"])
def test_a_draft_that_is_read_at_random_answers_like_maps_and_leaves_its_snapshots(keys, values):
    source = random.Random(11)
    some = pqt.Map(keys=keys, values=values)
    draft, kept = pqt.MapDraft(some), []
    for _ in range(1500):
        name, *given = some_map_edit(source, keys, values)
        some = getattr(some, name)(*given)
        assert getattr(draft, name)(*given) is draft
        query = QUERIES[source.choice(sorted(QUERIES))]
        assert query(draft, OTHER[keys]) == query(some, OTHER[keys])
        if name == "set":
            value = given[1].encode() if values == "bytes" else given[1]
            assert draft[given[0]] == value
        if source.random() < 0.05:
            kept.append((draft.snapshot(), some, dict(some.items())))
    for snapshot, expected, model in kept:
        snapshot.check()
        assert snapshot == expected and dict(snapshot.items()) == model
    assert len(kept) > 30


def test_a_draft_has_every_method_of_a_map_that_reads_or_edits():
    missing = {name for name in dir(pqt.Map) if name[0] != "_"} - set(dir(pqt.MapDraft))
    assert missing == {"check", "exclusive_bytes", "fingerprint", "from_bytes", "load", "merge", "save",
                       "shared_bytes", "to_bytes"}


def test_batches_and_changes_apply_to_a_draft():
    some = pqt.Map({1: 10, 2: 20, 3: 30})
    draft = pqt.MapDraft(some).apply(pqt.MapBatch().set(4, 40).remove(1).set(2, 21))
    assert sorted(draft.items()) == [(2, 21), (3, 30), (4, 40)]
    assert len(draft.diff(some)) == 3
    assert draft.apply(draft.diff(some)).snapshot() == some
    assert pqt.MapDraft(some).snapshot() == some
    draft.set_all(np.arange(5), np.arange(5)).remove_all([0, 1])
    assert sorted(draft) == [2, 3, 4] and repr(draft) == "<pqt.MapDraft of 3 entries from ids to numbers>"
    assert len(some) == 3


def test_an_edit_that_is_refused_leaves_the_draft_as_it_was():
    some = pqt.Map({"a": "1"}, keys="bytes", values="bytes")
    draft = pqt.MapDraft(some)
    for refused, error in [(lambda: draft.set("x" * 33, "1"), pqt.InvalidValue),
                           (lambda: draft.update([("b", "2"), ("x" * 33, "1")]), pqt.InvalidValue),
                           (lambda: draft.set(5, "1"), TypeError), (lambda: draft.set("b", 5), TypeError),
                           (lambda: draft.get(5), TypeError), (lambda: draft.set_all(["b"], []), ValueError),
                           (lambda: draft.remove_all("ab"), TypeError),
                           (lambda: draft.diff(pqt.Map()), pqt.InvalidValue),
                           (lambda: draft["b"], KeyError)]:
        with pytest.raises(error):
            refused()
    with pytest.raises(pqt.InvalidValue) as caught:
        draft.apply(pqt.MapBatch().set("b", "2").set("x" * 33, "1"))
    assert caught.value.index == 1
    assert draft.snapshot() == some and len(draft) == 1


def test_mistakes_raise():
    some = pqt.Map({1: 1})
    draft = pqt.MapDraft(some)
    for mistake in [lambda: pqt.MapDraft(), lambda: pqt.MapDraft(None), lambda: pqt.MapDraft(draft),
                    lambda: pqt.MapDraft(pqt.Tree((0, 0, 1, 1))), lambda: pqt.Draft(some),
                    lambda: draft.diff(draft), lambda: some.diff(draft), lambda: some.merge(some, draft),
                    lambda: pqt.History(draft), lambda: pickle.dumps(draft), lambda: copy.copy(draft),
                    lambda: pqt.Document({"some": draft}), lambda: pqt.MapDraft.__new__(pqt.MapDraft).merge]:
        with pytest.raises((TypeError, AttributeError)):
            mistake()
    with pytest.raises(AttributeError):
        len(pqt.MapDraft.__new__(pqt.MapDraft))
    with pytest.raises(pqt.InvalidValue):
        draft.__init__(some)
    with pytest.raises(AttributeError):
        draft._handle = None


def test_code_that_runs_while_an_argument_is_read_may_edit_the_draft():
    draft = pqt.MapDraft(pqt.Map())

    class Meddler:
        def __index__(self):
            draft.set(7, len(draft))
            return 5

    draft.set(Meddler(), Meddler())
    assert draft.get(Meddler()) == 5 and sorted(draft.items()) == [(5, 5), (7, 2)]
    draft.snapshot().check()


def test_threads_edit_and_read_one_draft():
    draft, rounds, wrong = pqt.MapDraft(pqt.Map(values="bytes")), 300, []

    def work(first):
        try:
            for id in range(first, first + rounds):
                assert draft.set(id, b"v" * (id % 50)) is draft and draft[id] == b"v" * (id % 50)
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
    some = pqt.Map({id: id for id in range(2000)})
    draft, pins = pqt.MapDraft(some), pqt.memory().pins
    for i in range(6000):
        draft.set(i % 2000, i)
        if i % 7 == 0:
            draft.snapshot()
        if i % 50 == 0:
            pqt.MapDraft(some).remove_all(range(500))
        if i == 1000:
            level = pqt.memory(reclaim=True).used_bytes
    gc.collect()
    assert pqt.memory(reclaim=True).used_bytes < level + 500000
    assert pqt.memory().pins == pins

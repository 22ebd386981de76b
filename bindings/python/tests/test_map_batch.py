# SPDX-License-Identifier: MIT
"""test_map_batch.py: compares batches of edits of maps with single edits, and tests bad arguments."""
import copy
import gc
import os
import pickle
import random

import numpy as np
import pytest

import pqt

SCALE = float(os.environ.get("PQT_TEST_SCALE", "1"))
TREE = pqt.Tree.of([(0, 0, 1, 1), (5, 5, 6, 7)], [3, 8])


def some_map_edit(source, keys, values):
    """Returns the name and the arguments of an edit of few keys."""
    def key():
        return source.randrange(9) if keys == "ids" else b"k" * source.randrange(9)

    def value():
        return source.randrange(3) if values == "numbers" else "v" * source.randrange(3)

    many = [key() for _ in range(source.randrange(4))]
    return source.choice([("set", key(), value()), ("remove", key()), ("remove_all", many),
                          ("update", {key(): value()}), ("update", [(key(), value())]),
                          ("set_all", many, [value() for _ in many])])


@pytest.mark.parametrize("keys", ["ids", "bytes"])
@pytest.mark.parametrize("values", ["numbers", "bytes"])
def test_a_batch_of_a_map_equals_single_edits(keys, values):
    source = random.Random(5)
    some = pqt.Map(keys=keys, values=values)
    for _ in range(max(50, int(300 * SCALE))):
        edits = [some_map_edit(source, keys, values) for _ in range(source.choice([0, 1, 3, 40]))]
        batch, expected = pqt.MapBatch(), some
        for name, *given in edits:
            assert getattr(batch, name)(*given) is batch
            expected = getattr(expected, name)(*given)
        made = some.apply(batch)
        assert made == expected and made.fingerprint == expected.fingerprint
        assert some.apply(some.diff(made)) == made and made.apply(iter(made.diff(some))) == some
        made.check()
        some = made if source.random() < 0.9 else pqt.Map(keys=keys, values=values)


def test_a_batch_of_a_map_takes_arrays_and_is_used_again():
    batch = pqt.MapBatch().set_all(np.arange(1000), np.arange(1000, dtype=">u4"))
    batch.remove_all(np.arange(0, 1000, 2, dtype=np.int16)).set(2 ** 64 - 1, 2 ** 64 - 1)
    odd = pqt.Map().apply(batch)
    assert len(batch) == 1501 and repr(batch) == "<pqt.MapBatch of 1501 edits>"
    assert dict(odd.items()) == {**{i: i for i in range(1, 1000, 2)}, 2 ** 64 - 1: 2 ** 64 - 1}
    assert pqt.Map({5: 0, 6: 6}).apply(batch) == odd
    batch.clear()
    assert len(batch) == 0 and odd.apply(batch) == odd
    words = pqt.MapBatch().set_all(np.array([b"a", b"b"]), ["x", bytearray(b"y")]).remove("a")
    assert pqt.Map(keys="bytes", values="bytes").apply(words).items() == [(b"b", b"y")]


def test_a_batch_of_a_map_makes_one_version():
    base = pqt.Map().set_all(np.arange(20000), np.arange(20000))
    some, others = range(0, 18000, 60), range(30, 18000, 60)
    batch = pqt.MapBatch()
    for key, other in zip(some, others):
        batch.set(key, 1).remove(other)

    def used(edit):
        before, made = pqt.memory(reclaim=True).used_bytes, edit()
        return pqt.memory(reclaim=True).used_bytes - before, made

    gc.collect()
    bytes_of_batch, made = used(lambda: base.apply(batch))
    bytes_of_two, pair = used(lambda: [one := base.set_all(some, [1] * 300),
                                       one.remove_all(list(others))])
    assert made == pair[1] and len(made) == 20000 - 300
    assert 0 < bytes_of_batch < bytes_of_two


@pytest.mark.parametrize("copier", [copy.copy, copy.deepcopy,
                                    lambda some: pickle.loads(pickle.dumps(some))])
def test_a_copy_of_a_batch_of_a_map_is_independent(copier):
    batch = pqt.MapBatch().set(1, 10)
    made = copier(batch).set(2, 20)
    batch.set(3, 30).remove(4)
    assert type(made) is pqt.MapBatch and sorted(pqt.Map().apply(made).keys()) == [1, 2]
    assert sorted(pqt.Map().apply(batch).keys()) == [1, 3]


def test_a_batch_of_a_map_keeps_what_it_was_given():
    key, value = bytearray(b"key"), bytearray(b"value")
    batch = pqt.MapBatch().set(key, memoryview(value)).update([(b"k2", value)])
    key[:], value[:] = b"xxx", b"yyyyy"
    assert dict(pqt.Map(keys="bytes", values="bytes").apply(batch).items()) == {
        b"key": b"value", b"k2": b"value"}


def test_the_first_edit_of_a_map_that_is_refused_raises():
    words = pqt.Map({"a": 1}, keys="bytes")
    batch = pqt.MapBatch().set("b", 2).remove("x" * 33).set("x" * 33, 3).set("c", 4)
    with pytest.raises(ValueError) as caught:
        words.apply(batch)
    assert caught.value.index == 2 and words.items() == [(b"a", 1)]


def test_a_key_that_uses_the_batch_of_a_map_while_it_is_added():
    class Id:
        def __init__(self, act):
            self.act = act

        def __index__(self):
            self.act()
            return 1

    batch = pqt.MapBatch().set(7, 7)
    batch.set(Id(batch.clear), 2)
    assert pqt.Map().apply(batch).items() == [(1, 2)]
    batch.remove_all([5, Id(lambda: batch.set(5, 5))])
    assert pqt.Map({5: 1}).apply(batch).items() == []


REFUSED = [
    (lambda: pqt.Map().apply(5), TypeError),
    (lambda: pqt.Map().apply(None), TypeError),
    (lambda: pqt.Map().apply(pqt.Map({1: 2})), TypeError),
    (lambda: pqt.Map().apply(pqt.Batch()), TypeError),
    (lambda: pqt.Map().apply([(1, 2)]), ValueError),
    (lambda: pqt.Map().apply([(1, None, 0.5)]), TypeError),
    (lambda: pqt.Map().apply(TREE.diff(TREE.clear())), ValueError),
    (lambda: pqt.Map().apply(pqt.MapBatch().set("a", 1)), TypeError),
    (lambda: pqt.Map().apply(pqt.MapBatch().set(1, b"a")), TypeError),
    (lambda: pqt.Map(keys="bytes").apply(pqt.MapBatch().remove(1)), TypeError),
    (lambda: pqt.Map(values="bytes").apply(pqt.MapBatch().set(1, 1)), TypeError),
    (lambda: pqt.Map().apply(object.__new__(pqt.MapBatch)), AttributeError),
    (lambda: TREE.apply(pqt.MapBatch()), TypeError),
    (lambda: pqt.MapBatch().set(float("nan"), 1), TypeError),
    (lambda: pqt.MapBatch().set(1, None), TypeError),
    (lambda: pqt.MapBatch().set(1, -1), ValueError),
    (lambda: pqt.MapBatch().set(2 ** 64, 1), ValueError),
    (lambda: pqt.MapBatch().remove(None), TypeError),
    (lambda: pqt.MapBatch().remove_all(5), TypeError),
    (lambda: pqt.MapBatch().remove_all(np.zeros(2)), TypeError),
    (lambda: pqt.MapBatch().remove_all(np.array([-1])), ValueError),
    (lambda: pqt.MapBatch().remove_all(np.zeros((2, 2), int)), ValueError),
    (lambda: pqt.MapBatch().update([1]), TypeError),
    (lambda: pqt.MapBatch().update({1: None}), TypeError),
    (lambda: pqt.MapBatch().set_all([1, 2], [3]), ValueError),
    (lambda: pqt.MapBatch(5), TypeError),
    (lambda: pqt.Map().set_all([1], None), TypeError),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_misuse_raises_exceptions(number):
    call, expected = REFUSED[number]
    with pytest.raises(expected):
        call()


@pytest.mark.parametrize("text", ["abc", b"abc", bytearray(b"abc")])
def test_a_string_is_one_key_and_not_many(text):
    some = pqt.Map({"a": 1, "b": 2, "abc": 3}, keys="bytes")
    ids = pqt.Map({97: 1, 98: 2})
    for call in (some.remove_all, ids.remove_all, pqt.MapBatch().remove_all,
                 lambda keys: some.set_all(keys, [1, 2, 3]),
                 lambda keys: ids.set_all([1, 2, 3], keys),
                 lambda keys: pqt.MapBatch().set_all(keys, [1, 2, 3])):
        with pytest.raises(TypeError, match="must be an array or a list, not %s"
                           % type(text).__name__):
            call(text)
    assert len(some.remove_all([text])) == 2


def test_a_map_is_made_from_another_map():
    some = pqt.Map({1: 2, 3: 4})
    assert pqt.Map(some) == some and pqt.Map({3: 5, 9: 9}).update(some) == some.set(9, 9)
    assert pqt.Map().apply(pqt.MapBatch().update(some)) == some

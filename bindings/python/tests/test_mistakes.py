# SPDX-License-Identifier: MIT
"""test_mistakes.py: tests that mistakes in Python code do not crash the interpreter, and tests
docstrings and types."""
import ast
import copy
import inspect
import os
import pickle
import random
import subprocess
import sys
import threading

import numpy as np
import pytest

import pqt
from pqt._core import Version, ffi, lib

SCALE = float(os.environ.get("PQT_TEST_SCALE", "1"))
TREE = pqt.Tree.of([(0, 0, 1, 1), (5, 5, 6, 7)], [3, 8])
WORLD = pqt.World((0, 0, 9, 9)).add(pqt.bodies([(5, 5)], 1))
VERSIONS = [TREE, pqt.Region.of([[1]]), pqt.Map({1: 2}), WORLD, pqt.Document({"tree": TREE}),
            pqt.Image.of([[1]])]
OWNERS = [pqt.History, pqt.Recording, pqt.Store]
CALLS = {"insert": ((0, 0, 1, 1), 1), "count_in": ((0, 0, 1, 1),), "paint_box": ((0, 0, 1, 1),),
         "set": (1, 2), "get": ("tree",), "step": (1,), "move": (1, 1), "remove": ([1],),
         "add": (WORLD.bodies(),), "nearest": ((0, 0),), "cast": ((0, 0), (1, 1)), "find": (1,),
         "sweep": (1, (0, 0), (1, 1)), "to_svg": ((0, 0, 1, 1),)}


def make_owner(kind, folder):
    """Returns a new history, recording or store."""
    return {pqt.History: lambda: pqt.History(TREE), pqt.Recording: lambda: pqt.Recording(WORLD, 1),
            pqt.Store: lambda: pqt.Store(folder / "a.pqts")}[kind]()


# ---- Private attributes ----


@pytest.mark.parametrize("kind", OWNERS)
def test_private_attributes_cannot_be_changed(kind, tmp_path):
    owner = make_owner(kind, tmp_path)
    for name in [name for of in kind.__mro__ for name in getattr(of, "__slots__", ())
                 if name != "__weakref__"]:
        for value in (None, 1, pqt.World, ffi.NULL, owner):
            with pytest.raises(AttributeError, match=name):
                setattr(owner, name, value)
        with pytest.raises(AttributeError, match=name):
            delattr(owner, name)
    assert repr(owner)


@pytest.mark.parametrize("kind", OWNERS)
def test_a_null_handle_is_refused(kind, tmp_path):
    owner = make_owner(kind, tmp_path)
    object.__setattr__(owner, "_handle", ffi.NULL)
    for name in ("undo", "step", "verify", "check", "stats", "value", "mark_saved", "last"):
        if hasattr(kind, name):
            with pytest.raises((ValueError, pqt.Error)):
                found = getattr(owner, name)
                found()


@pytest.mark.parametrize("kind", OWNERS)
def test_an_object_cannot_be_initialised_twice(kind, tmp_path):
    owner, handle = make_owner(kind, tmp_path), None
    handle = owner._handle
    arguments = {pqt.History: (pqt.Map(),), pqt.Recording: (WORLD, 1),
                 pqt.Store: (tmp_path / "b.pqts",)}
    with pytest.raises(ValueError, match="already initialised"):
        owner.__init__(*arguments[kind])
    assert owner._handle is handle and repr(owner)


@pytest.mark.parametrize("kind", OWNERS)
def test_an_object_that_changes_is_neither_copied_nor_pickled(kind, tmp_path):
    owner = make_owner(kind, tmp_path)
    for copier in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            copier(owner)


def test_a_subclass_has_attributes_of_its_own():
    class Editor(pqt.History):
        def __init__(self):
            super().__init__(TREE)
            self.title = "plan"
    editor = Editor()
    editor.title += "s"
    del editor.title
    assert not hasattr(editor, "title") and editor.value == TREE


@pytest.mark.parametrize("kind", OWNERS + [type(version) for version in VERSIONS])
def test_an_uninitialised_object_raises(kind):
    some = object.__new__(kind)
    for name, member in inspect.getmembers(kind):
        if isinstance(member, property):
            with pytest.raises(AttributeError):
                getattr(some, name)
        elif name in ("undo", "step", "close", "check", "to_bytes", "__len__", "copy", "entries"):
            with pytest.raises((AttributeError, TypeError)):
                getattr(some, name)()


# ---- Versions of another kind ----


@pytest.mark.parametrize("number", range(len(VERSIONS)))
def test_a_method_called_with_another_class_raises(number):
    refused = 0
    for name, member in inspect.getmembers(type(VERSIONS[number])):
        if name[0] == "_" and name not in ("__len__", "__iter__", "__contains__"):
            continue
        if hasattr(Version, name) or inspect.ismethod(member):
            continue
        for other in VERSIONS:
            if other is VERSIONS[number]:
                continue
            try:  # a method may succeed if it only calls methods that both classes have
                if isinstance(member, property):
                    member.fget(other)
                else:
                    found = member(other, *CALLS.get(name, ()))
                    list(found) if name == "__iter__" else None
            except (TypeError, AttributeError, ValueError, IndexError):
                refused += 1
    assert refused > 10
    for version in VERSIONS:
        version.check()


def test_a_version_with_the_pin_of_another_raises():
    for version in VERSIONS:
        for other in VERSIONS:
            mixed = object.__new__(type(version))
            object.__setattr__(mixed, "_pin", other._pin)
            mixed.check()
            assert mixed.fingerprint == other.fingerprint and mixed.to_bytes() == other.to_bytes()
            if other is not version:
                assert mixed != version
                with pytest.raises(TypeError):
                    len(mixed)
    with pytest.raises(TypeError):
        TREE | pqt.Tree.__new__(pqt.Region, (0, 0, 1, 1))


def test_a_class_with_the_kind_of_another_raises():
    number = pqt.Tree._kind
    try:
        pqt.Tree._kind = pqt.World._kind
        history = pqt.History(TREE)
        history.push(TREE.insert((1, 1, 2, 2), 9))
        assert len(history.value) == 3
        with pytest.raises(TypeError):
            len(pqt.Tree.from_bytes(WORLD.to_bytes()))
        with pytest.raises(ValueError):
            pqt.Tree.from_bytes(TREE.to_bytes())
        assert TREE != WORLD
        plan = pqt.Document({"tree": TREE})
        assert isinstance(plan["tree"], pqt.Tree) and len(plan["tree"]) == 2
    finally:
        pqt.Tree._kind = number


def test_a_class_of_two_kinds_raises():
    both = type("Both", (pqt.Tree, pqt.Region), {})((0, 0, 9, 9))
    assert len(both.insert((1, 1, 2, 2), 1)) == 1
    with pytest.raises(TypeError):
        both.paint_box((0, 0, 1, 1))
    with pytest.raises(TypeError):
        pqt.Region() | both


def test_a_history_refuses_versions_of_another_kind():
    history = pqt.History(TREE)
    object.__setattr__(history, "_class", pqt.World)
    with pytest.raises(ValueError, match="another kind"):
        history.push(WORLD)
    with pytest.raises(TypeError):
        history.value.step(1)


# ---- Arguments that change during a call ----


class Shrinking(dict):
    """A mapping with more values than keys."""

    def values(self):
        return list(super().values()) * 9

    def items(self):
        return list(super().items()) * 9

    def __len__(self):
        return 16


def test_parts_that_contradict_themselves_make_one_document():
    plan = pqt.Document(Shrinking(a=TREE, b=pqt.Map()), keyed_by=Shrinking())
    assert sorted(plan.names()) == ["a", "b"]
    assert len(plan.set(Shrinking(a=TREE.clear()))["a"]) == 0


def test_a_list_of_ids_that_changes_itself_is_refused():
    class Id:
        def __index__(self):
            ids.append(5)
            return 1
    ids = [Id(), 2]
    with pytest.raises((ValueError, TypeError)):
        pqt.Tree.of([(0, 0, 1, 1), (1, 1, 2, 2)], ids)

    class Emptying:
        def __index__(self):
            ids.clear()
            return 1
    ids = [Emptying(), 2 ** 63]
    with pytest.raises((ValueError, TypeError)):
        pqt.Tree.of([(0, 0, 1, 1), (1, 1, 2, 2)], ids)


def test_a_map_is_packed_by_its_own_kinds():
    class Inventory(pqt.Map):
        kinds = ("tools", "food")
    words = Inventory({"hammer": "bread"}, keys="bytes", values="bytes")
    assert words["hammer"] == b"bread" and words.set("saw", "tea").get(b"saw") == b"tea"
    assert Inventory({7: 8})[7] == 8


def test_strings_that_lie_about_their_length_are_read_whole():
    class Long(bytes):
        def __len__(self):
            return 10 ** 6

        def __bytes__(self):
            return self
    for values in ([Long(b"x")], [Long(b"x"), b"y"]):
        map = pqt.Map(values="bytes").set_all(list(range(len(values))), values)
        assert map.set(7, values[0]).values() == [b"x", b"y"][:len(values)] + [b"x"]


def test_arrays_that_another_thread_reshapes_are_read_as_they_were():
    boxes = np.zeros((1024, 4))
    boxes[:, 2:] = 1
    places, done = np.zeros((1024, 2)), threading.Event()

    def reshape():
        while not done.is_set():
            boxes.shape = (4096,)
            boxes.shape = (1024, 4)
            places.shape = (2048, 1)
            places.shape = (1024, 2)

    thread = threading.Thread(target=reshape)
    thread.start()
    try:
        for _ in range(max(50, int(300 * SCALE))):
            for call in (lambda: len(pqt.Tree.of(boxes)), lambda: len(TREE.count_in_each(boxes)),
                         lambda: len(TREE.cast_each(places, places + 1))):
                try:
                    assert call() == 1024
                except ValueError as error:
                    assert "shape" in str(error) or "starts" in str(error)
    finally:
        done.set()
        thread.join()


def test_a_buffer_cannot_be_resized_while_it_is_read():
    data, stop, failures = bytearray(TREE.to_bytes()), threading.Event(), []
    whole = bytes(data)

    def resize():
        while not stop.is_set():
            try:
                data.extend(b"x" * 4096)
                del data[len(whole):]
            except BufferError:
                pass
            except BaseException as error:  # pylint: disable=broad-except
                failures.append(error)

    thread = threading.Thread(target=resize)
    thread.start()
    try:
        for _ in range(max(50, int(500 * SCALE))):
            try:
                assert pqt.Tree.from_bytes(data) == TREE
            except ValueError:
                pass
    finally:
        stop.set()
        thread.join()
    assert not failures
    view = memoryview(bytearray(whole))
    assert pqt.Tree.from_bytes(view) == TREE
    with pytest.raises((ValueError, TypeError, BufferError)):
        pqt.Tree.from_bytes(view[::2])
    view.release()
    with pytest.raises(ValueError):
        pqt.Tree.from_bytes(view)


def test_arguments_that_close_the_object_raise(tmp_path):
    store = pqt.Store(tmp_path / "a.pqts")
    history = pqt.History(TREE)
    store.save(history)

    class Closing:
        def __float__(self):
            store.close()
            return 1.0

        def __index__(self):
            store.close()
            return 1

    with pytest.raises(pqt.Error, match="closed"):
        history.push(TREE.clear(), time=Closing())
    with pytest.raises(pqt.Error, match="closed"):
        history.value_of(Closing())
    store.close()


# ---- Arrays ----


def test_masked_elements_are_refused():
    boxes = np.ma.masked_array([(0., 0, 1, 1), (2, 2, 3, 3)], mask=False)
    assert len(pqt.Tree.of(boxes)) == 2
    boxes[1, 2] = np.ma.masked
    ids = np.ma.masked_array([1, 2], mask=[0, 1])
    for call in (lambda: pqt.Tree.of(boxes), lambda: TREE.count_in_each(boxes),
                 lambda: pqt.Tree.of([(0, 0, 1, 1)] * 2, ids), lambda: pqt.Region.of(boxes),
                 lambda: TREE.nearest_each(boxes), lambda: TREE.remove_all(boxes, [1, 2]),
                 lambda: pqt.Map().remove_all(ids), lambda: WORLD.remove(ids)):
        with pytest.raises(ValueError, match="masked"):
            call()


def test_arrays_of_any_layout_are_read_or_refused():
    boxes = np.array([(0., 0, 1, 1), (2, 2, 3, 3), (4, 4, 6, 6)])
    tree = pqt.Tree.of(boxes)
    frozen = boxes.copy()
    frozen.flags.writeable = False
    for same in (boxes[::-1][::-1], np.asfortranarray(boxes), boxes.astype(">f8"), frozen,
                 boxes.astype(np.float16), boxes.astype(np.longdouble), boxes.astype(np.int8),
                 np.repeat(boxes, 3, axis=1)[:, ::3], memoryview(boxes), boxes.view(np.matrix)):
        assert pqt.Tree.of(same) == tree
    assert pqt.Tree.of(boxes[::-1], [2, 1, 0]) == tree
    assert pqt.Tree.of(boxes, np.array([0, 1, 2], ">u2")[::-1][::-1]) == tree
    assert len(pqt.Tree.of(np.broadcast_to(boxes[0], (5, 4)))) == 5
    for wrong in (np.array(5.0), boxes.astype(object), boxes.astype(complex), boxes.astype(str),
                  boxes.astype(bool), boxes.astype("M8[s]"), boxes.T, boxes[None], boxes[0],
                  np.zeros((1, 4), [("a", float)]), np.full((1, 4), np.nan), [[0, 0, 1], [0]]):
        with pytest.raises((TypeError, ValueError)):
            pqt.Tree.of(wrong)
        with pytest.raises((TypeError, ValueError)):
            TREE.ids_in_each(wrong)
    for wrong in (np.array(5), np.array([1, 2, 3], object), np.array([.5, 1, 2]), [[1, 2, 3]],
                  np.array([1, 2, 3], "m8[s]"), np.array(["a", "b", "c"]), [None] * 3):
        with pytest.raises((TypeError, ValueError)):
            pqt.Tree.of(boxes, wrong)


def test_results_too_large_for_memory_raise():
    everything = (-2 ** 31, -2 ** 31, 2 ** 31 - 1, 2 ** 31 - 1)
    with pytest.raises((MemoryError, ValueError)):
        pqt.Region().to_array(everything)

    class Long(pqt.Tree):
        def __len__(self):
            return 2 ** 62
    with pytest.raises((MemoryError, ValueError)):
        Long((0, 0, 1, 1)).nearest((0, 0), 2 ** 62)


@pytest.mark.parametrize("draft", [pqt.Draft(pqt.Tree((0, 0, 9, 9))), pqt.MapDraft(pqt.Map())], ids=repr)
def test_the_methods_of_all_versions_refuse_a_draft(draft):
    for call in (pqt.Map.to_bytes, pqt.Map.check, lambda draft: pqt.Map.save(draft, "unwritten")):
        with pytest.raises(pqt.Error, match="has no versions"):
            call(draft)
    assert pqt.Map.fingerprint.fget(draft) == 0


# ---- Random calls ----

CALLER = r"""
import gc, itertools, os, random, sys, pqt, numpy as np
from pqt._core import Owner, Version
source = random.Random(int(sys.argv[1]))
classes = [pqt.Tree, pqt.Region, pqt.Image, pqt.Map, pqt.World, pqt.Document, pqt.History, pqt.Recording,
           pqt.Store, pqt.Batch, pqt.MapBatch]
nan, inf = float("nan"), float("inf")

def fresh():
    tree, world = pqt.Tree.of([(0, 0, 1, 1), (5, 5, 6, 7)], [3, 8], unique_ids=True), \
        pqt.World((0, 0, 9, 9)).add(pqt.bodies([(5, 5)], 1))
    some = [tree, pqt.Tree((0, 0, 9, 9)), pqt.Region.of([[1, 0]]), pqt.Map({1: 2}), world,
            pqt.Image.of([[1, 0]]),
            pqt.Map({"a": "b"}, keys="bytes", values="bytes"), pqt.History(tree),
            pqt.History(world), pqt.Recording(world, 0.1), pqt.Document({"a": tree, "b": world}),
            pqt.Batch().insert((0, 0, 1, 1), 1).remove_id(3),
            pqt.MapBatch().set(1, 2).set("a", "b").remove(3)]
    return some + [object.__new__(of) for of in classes]

def simple():
    return source.choice([
        0, 1, -1, 3, 2 ** 31, 2 ** 64 - 1, 2 ** 64, 10 ** 30, 0.5, nan, inf, 1e308, True, None, "a",
        b"", "touches", "clear", "ours", "a\0b", (0, 0), (nan, 0), (0, 0, 1, 1), (0, 0, nan, 1),
        (1, 1, 0, 0), (-inf, -inf, inf, inf), [(0, 0, 1, 1)], [(0, 0), (1, 1), (0, 1)], [], {},
        [1], [2 ** 63, 2 ** 64 - 1], [-1], ["a"], {"a": some[0]}, np.zeros((3, 4)), np.zeros(4),
        np.array(5.0), np.array([1, 2], np.int8), np.zeros((4, 4))[::-1], np.zeros((1, 4), object),
        np.zeros(1, pqt.BODY), np.array([[1, 0], [1, 1]], bool), np.array([1, 2], ">u8"),
        memoryview(b"abcdef")[::2], bytearray(b"x"), range(3), np.uint64(5), "store.pqts"])

def value():
    return source.choice(some) if source.random() < 0.45 else simple()

some = fresh()
for _ in range(int(sys.argv[2])):
    of = source.choice(classes)
    name = source.choice([name for name in dir(of) if name[0] != "_" or name in (
        "__len__", "__iter__", "__eq__", "__or__", "__contains__", "__init__", "__reduce__")])
    member = getattr(of, name)
    member = member.fget if isinstance(member, property) else member
    values = [source.choice(some)] + [value() for _ in range(source.randrange(4))]
    try:
        made = member(*values)
        if hasattr(made, "__next__"):
            made = list(itertools.islice(made, 100))
        if isinstance(made, (Version, Owner)):
            some[source.randrange(len(some))] = made
    except Exception as error:
        assert not isinstance(error, SystemError), error
    if source.random() < 0.01:
        some = fresh()
        gc.collect()
print("alive")
"""


def test_random_calls_leave_the_interpreter_alive(tmp_path):
    seed = int(os.environ.get("PQT_SEED", "1"))
    for number in range(seed, seed + 2):
        child = subprocess.run([sys.executable, "-W", "ignore", "-c", CALLER, str(number),
                                str(int(3000 * SCALE) + 500)], cwd=tmp_path, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert (child.returncode, child.stdout[-6:]) == (0, "alive\n"), (number, child.stdout)


# ---- Documentation ----


def public_members():
    """Returns the names and the functions of the public interface."""
    for name in pqt.__all__:
        thing = getattr(pqt, name)
        if isinstance(thing, np.dtype):
            continue
        yield name, thing
        if not inspect.isclass(thing):
            continue
        for member in vars(thing):
            if member[0] != "_" and not (issubclass(thing, tuple) and member in thing._fields):
                yield "%s.%s" % (name, member), inspect.getattr_static(thing, member)


def test_everything_public_is_described_and_has_types():
    for name, thing in public_members():
        if isinstance(thing, property):
            thing = thing.fget
        thing = getattr(thing, "__func__", thing)
        if not (inspect.isfunction(thing) or inspect.isclass(thing)):
            continue
        assert inspect.getdoc(thing), name
        if inspect.isfunction(thing):
            parameters = [parameter for parameter in inspect.signature(thing).parameters
                          if parameter not in ("self", "cls")]
            assert set(parameters) | {"return"} == set(thing.__annotations__) - {"self"}, name


def test_the_types_of_the_module_are_those_of_all_its_calls():
    with open(os.path.join(os.path.dirname(pqt.__file__), "_pqt.pyi"), encoding="utf-8") as file:
        typed = [node.name for node in ast.walk(ast.parse(file.read())) if isinstance(node, ast.FunctionDef)]
    called = [name for name in dir(lib) if callable(getattr(lib, name))]
    assert sorted(typed) == sorted(called) and len(called) > 200


def test_mypy_finds_no_error_in_the_package(tmp_path):
    api = pytest.importorskip("mypy.api")
    out, errors, status = api.run(["--cache-dir", str(tmp_path), os.path.dirname(pqt.__file__)])
    assert status == 0, out + errors


@pytest.mark.parametrize("call, message", [
    (lambda: TREE.insert((0, 0, 1, 1), -1), "an id must be an integer from 0 to 2^64 - 1, not -1"),
    (lambda: pqt.Map({-1: 2}), "a key must be an integer from 0 to 2^64 - 1, not -1"),
    (lambda: pqt.Map({1: -2}), "a value must be an integer from 0 to 2^64 - 1, not -2"),
    (lambda: pqt.Map().get(2 ** 64), "a key must be an integer from 0 to 2^64 - 1, not "
     "18446744073709551616"),
    (lambda: pqt.Map().set_all([1], np.array([-2])),
     "values must be integers from 0 to 2^64 - 1, not -2"),
    (lambda: pqt.MapBatch().set(1, -2), "a value must be an integer from 0 to 2^64 - 1, not -2"),
    (lambda: pqt.MapBatch().remove_all([-1]), "a key must be an integer from 0 to 2^64 - 1, not -1"),
    (lambda: pqt.History(TREE).checkout(-1),
     "the number of an entry must be an integer from 0 to 2^64 - 1, not -1"),
    (lambda: pqt.Recording(WORLD, 1).at(-1),
     "the number of a step must be an integer from 0 to 2^64 - 1, not -1"),
])
def test_messages_name_the_number_that_is_out_of_range(call, message):
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == message

# SPDX-License-Identifier: MIT
"""test_lifetimes.py: tests when objects are released: in cycles, after interrupts, in threads and at
the end of the interpreter."""
import copy
import gc
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import pqt

MAKE = """
import gc, itertools, os, sys, tempfile
import pqt
tree = pqt.Tree((0, 0, 9, 9)).insert((1, 1, 2, 2), 1)
world = pqt.World((0, 0, 9, 9)).add(pqt.bodies([(5, 5)], 1))
numbers = itertools.count()
folder = tempfile.TemporaryDirectory()
make = {"tree": lambda: tree.insert((3, 3, 4, 4), 2), "region": lambda: pqt.Region.of([[1]]),
        "image": lambda: pqt.Image.of([[1]]),
        "map": lambda: pqt.Map({1: 2}), "world": lambda: world.step(1),
        "document": lambda: pqt.Document({"tree": tree}), "history": lambda: pqt.History(tree),
        "recording": lambda: pqt.Recording(world, 1),
        "store": lambda: pqt.Store(os.path.join(folder.name, "%d.pqts" % next(numbers)))}
use = {"history": lambda some: some.undo(), "recording": lambda some: some.step(),
       "store": lambda some: some.kind}
used = []

class Holder:
    def __init__(self, some, use):
        self.myself, self.some, self.use = self, some, use
    def __del__(self):
        self.use(self.some)
        used.append(repr(self.some))

def generate(some, use):
    try:
        yield
    finally:
        use(some)
        used.append(repr(some))

def fill(name):
    of = use.get(name, lambda some: (some.check(), some.fingerprint, some.to_bytes()))
    Holder(make[name](), of)
    cycle = [generate(make[name](), of)]
    next(cycle[0])
    cycle.append(cycle)
"""


def run(code):
    """Runs Python code in another process, and returns what it prints."""
    done = subprocess.run([sys.executable, "-c", MAKE + code], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["tree", "region", "image", "map", "world", "document", "history",
                                  "recording", "store"])
def test_del_in_a_cycle_may_use_an_object_of_the_cycle(name):
    code = """
gc.collect()
pins = pqt.memory(reclaim=True).pins
fill(%r)
gc.collect()
print(len(used), pqt.memory(reclaim=True).pins - pins)
"""
    assert run(code % name) == "2 0\n"


def test_objects_that_live_at_the_end_of_the_interpreter_may_be_used():
    assert run("""
class Last(Holder):
    def __del__(self, write=os.write):
        write(1, b"%d " % self.use(self.some))
kept = [Last(tree, len), Last(pqt.Map({1: 2}), len), pqt.History(tree)]
sys.kept = [Last(tree, len)]
""").split() == ["1"] * 3
    assert run("""
import threading
def work():
    some = tree
    while True:
        some = some.insert((1, 1, 2, 2), len(some) % 50)
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
print("end")
""") == "end\n"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers")
def test_an_interrupt_during_a_long_call_leaks_nothing():
    boxes = np.zeros((60_000, 4))
    boxes[:, :2] = np.random.default_rng(5).random((60_000, 2))
    boxes[:, 2:] = boxes[:, :2]
    tree, large = pqt.Tree.of(boxes), pqt.Map().set_all(np.arange(30_000), np.arange(30_000))
    calls = [lambda: pqt.Tree.of(boxes), lambda: tree.insert_all(boxes, np.arange(60_000) + 1),
             lambda: tree | tree.clear().insert_all(boxes, np.arange(60_000)),
             lambda: large.set_all(np.arange(30_000), np.zeros(30_000, int))]

    class Interrupted(Exception):
        pass

    def interrupt(*_):
        raise Interrupted

    gc.collect()
    before, interrupts = pqt.memory(reclaim=True).pins, 0
    old = signal.signal(signal.SIGALRM, interrupt)
    try:
        for i in range(100):
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.0002 * (i // 4 + 1))
                calls[i % 4]()
                signal.setitimer(signal.ITIMER_REAL, 0)
            except Interrupted:
                interrupts += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    gc.collect()
    assert interrupts > 0
    assert pqt.memory(reclaim=True).pins == before
    tree.check()
    large.check()


def test_a_batch_that_threads_fill_has_all_their_edits():
    batch, maps, failures = pqt.Batch(), pqt.MapBatch(), []

    def fill(first):
        try:
            for i in range(first, first + 500):
                batch.insert((1, 1, 2, 2), i)
                maps.set(i, i).remove_all([i])
                if i % 100 == 0:
                    batch.remove_all(np.ones((3, 4)), [1, 2, 3])
                    copies = [copy.copy(batch), pickle.loads(pickle.dumps(batch)), maps]
                    assert all(len(one) > 0 for one in copies)
                    pqt.Tree((0, 0, 9, 9)).apply(copies[0]).check()
        except BaseException as error:  # pylint: disable=broad-except
            failures.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=fill, args=(k * 1000,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not failures
    assert len(batch) == 4 * 515 and len(maps) == 4 * 1000
    assert len(pqt.Tree((0, 0, 9, 9)).apply(batch)) == 2000 and len(pqt.Map().apply(maps)) == 0


def test_an_argument_may_use_the_batch():
    class Array:
        def __init__(self, use):
            self.use = use

        def __array__(self, *_, **__):
            self.use()
            return np.ones((1, 4))

    batch = pqt.Batch().insert((1, 1, 2, 2), 1)
    batch.insert_all(Array(lambda: batch.insert((3, 3, 4, 4), 2)), [5])
    assert len(batch) == 3
    batch.insert_all(Array(batch.clear), [5])
    assert len(batch) == 1

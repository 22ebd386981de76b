# SPDX-License-Identifier: MIT
"""test_store.py: tests histories in files."""
import gc
import os
import pathlib
import random
import shutil
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import pqt

CAT, DOG = (10, 20, 30, 30), (40, 60, 70, 80)
TREE = pqt.Tree((0, 0, 1000, 1000), unique_ids=True).insert(CAT, 1).insert(DOG, 2)
MAP = pqt.Map({1: 10, 2: 20})
REGION = pqt.Region.of_boxes([(0, 0, 5, 5)])
WORLD = pqt.World((0, 0, 100, 100)).add(pqt.bodies([(5, 5), (50, 50)], 1, ids=[1, 2]))
PLAN = pqt.Document({"shapes": TREE, "colours": MAP}, keyed_by={"colours": "shapes"})


def has_stores(folder):
    try:
        pqt.Store(folder / "probe.pqts").close()
    except pqt.Error as error:
        if error.code != 10:
            raise
        return False
    return True


@pytest.fixture
def path(tmp_path):
    if not has_stores(tmp_path):
        pytest.skip("the library has no SQLite")
    return tmp_path / "plan.pqts"


def fill(path):
    """Makes a store with four entries. Entries 2 and 3 both follow entry 1."""
    with pqt.Store(path) as store:
        history = pqt.History(TREE)
        store.save(history)
        history.push(TREE.remove_id(1), "Remove", time=5)
        history.set_name(1, "fork")
        history.push(TREE.clear(), "Clear")
        history.undo()
        history.push(TREE.move_id(2, CAT), "Move")


VERSIONS = [TREE, TREE.remove_id(1), TREE.clear(), TREE.move_id(2, CAT)]


def test_a_library_without_sqlite_says_so(tmp_path):
    if has_stores(tmp_path):
        pytest.skip("the library has SQLite")
    with pytest.raises(pqt.Error, match="no SQLite"):
        pqt.Store(tmp_path / "plan.pqts")


def test_a_history_continues_after_it_was_closed(path):
    fill(path)
    assert sorted(os.listdir(path.parent)) == ["plan.pqts", "probe.pqts"]
    with pqt.Store(path, create=False) as store:
        history = store.history()
        assert store.kind is pqt.Tree and history.current == 3 and history.find("fork") == 1
        assert [entry.number for entry in history] == [0, 1, 2, 3]
        assert [entry.label for entry in history] == ["", "Remove", "Clear", "Move"]
        assert history.entry(1).time == 5 and history.entry(3).parent == 1
        assert history.undo() and history.current == 1 and history.value == VERSIONS[1]
        assert history.redo() and history.current == 3 and history.value == VERSIONS[3]
        assert [history.value_of(number) for number in range(4)] == VERSIONS
        history.checkout(2)
        history.push(TREE, "Again")
        assert history.current == 4
        history.mark_saved()
    with pqt.Store(path) as store:
        history = store.history()
        assert history.current == 4 and not history.is_modified and history.undo()
        assert history.current == 2 and history.is_modified
        history.checkout(4)
        assert history.value.insert(DOG, 9) == TREE.insert(DOG, 9)


@pytest.mark.parametrize("first, second", [
    (TREE, TREE.clear()), (MAP, MAP.set(3, 30)), (REGION, REGION.move(5, 5)),
    (pqt.Map({b"a": b"b"}, keys="bytes", values="bytes"),
     pqt.Map({b"a": b"c"}, keys="bytes", values="bytes")),
    (WORLD, WORLD.remove([2])), (PLAN, PLAN.set(shapes=TREE.remove_id(1)))])
def test_histories_of_all_kinds_are_loaded_unchanged(path, first, second):
    with pqt.Store(path) as store:
        assert store.kind is None
        history = pqt.History(first)
        store.save(history)
        history.push(second, "Change")
    with pqt.Store(path) as store:
        assert store.kind is type(first)
        history = store.history()
        assert history.value == second and history.undo() and history.value == first
        assert type(history.value) is type(first)
        store.check()
        if isinstance(first, pqt.Document):
            assert history.value["colours"] == MAP


def test_each_change_is_in_the_file_when_its_function_returns(path):
    with pqt.Store(path, sync="full") as store:
        history = pqt.History(TREE)
        store.save(history)
        for i in range(20):
            history.push(TREE.insert(CAT, 10 + i))
            if i % 3 == 2:
                assert history.undo()
            with pqt.Store(path, readonly=True) as reader:
                seen = reader.history()
                assert seen.current == history.current and seen.value == history.value
        with pytest.raises(ValueError, match="open for reading"):
            with pqt.Store(path, readonly=True) as reader:
                reader.history().push(TREE)


def test_a_history_is_opened_with_limits(path):
    fill(path)
    with pqt.Store(path) as store:
        history = store.history(max_entries=3)
        for i in range(20):
            history.push(history.value.insert(CAT, 100 + i))
        assert len(history) <= 3 and history.current == 23
        assert store.history() is history
        with pytest.raises(pqt.InvalidValue, match="already open"):
            store.history(max_entries=4)
        with pytest.raises(pqt.InvalidValue, match="already open"):
            store.history(indexed=True)
        del history
        gc.collect()
        history = store.history()
        for i in range(5):
            history.push(history.value.insert(CAT, 200 + i))
        assert len(history) > 5
    with pqt.Store(path) as store:
        for wrong in (0, -1):
            with pytest.raises(ValueError, match="a limit"):
                store.history(max_bytes=wrong)
        history = store.history(max_bytes=1)
        history.push(history.value.insert(CAT, 300))
        assert history.current == 29 and len(history) < 6


def test_an_indexed_history_answers_from_the_file(path):
    fill(path)
    with pqt.Store(path) as store:
        history = store.history(indexed=True)
        loads = store.stats.loads
        answer = history.last_item_change(1)
        assert (answer.entry, answer.before, answer.change["kind"]) == (3, 1, 1)
        answer = history.last_item_change(1, tip=answer.before)
        assert (answer.entry, answer.before, answer.time) == (1, 0, 5)
        assert answer.change["kind"] == 2 and answer.change["box"].tolist() == list(CAT)
        assert history.last_change(CAT).entry == 3 and history.last_change(DOG, tip=1) is None
        assert history.last_change(DOG, tip=2).entry == 2
        assert store.stats.loads == loads
        history.push(TREE)
        assert history.last_item_change(2).entry == 4
    with pytest.raises(pqt.Error, match="closed"):
        history.last_change()
    with pqt.Store(path) as store:
        with pytest.raises(pqt.InvalidValue, match="index"):
            store.history().last_change()
    other = path.with_name("map.pqts")
    with pqt.Store(other) as store:
        store.save(pqt.History(MAP))
    with pqt.Store(other) as store:
        with pytest.raises(pqt.InvalidValue):
            store.history(indexed=True)
        assert store.history().value == MAP


def test_killed_programs_leave_each_push_that_returned(path):
    program = textwrap.dedent("""
        import os, signal, sys, pqt
        store = pqt.Store(sys.argv[1])
        history = store.history() if store.kind else pqt.History(pqt.Map())
        if not store.kind:
            store.save(history)
        for i in range(10):
            history.push(history.value.set(len(history.value), i))
        os.kill(os.getpid(), signal.SIGKILL)
        """)
    for run in range(3):
        killed = subprocess.run([sys.executable, "-c", program, str(path)])
        assert killed.returncode == -9
        with pqt.Store(path) as store:
            assert len(store.history().value) == 10 * (run + 1)
            store.check()


def test_the_error_of_a_second_writer_names_the_first(path):
    with pqt.Store(path):
        with pytest.raises(pqt.Conflict, match="process %d" % os.getpid()):
            pqt.Store(path)
        program = "import sys, pqt; pqt.Store(sys.argv[1])"
        other = subprocess.run([sys.executable, "-c", program, str(path)], text=True,
                               stderr=subprocess.PIPE)
        assert other.returncode == 1 and "process %d" % os.getpid() in other.stderr
    pqt.Store(path).close()


def test_a_history_keeps_the_file_open_and_closing_ends_it(path):
    store = pqt.Store(path)
    history = pqt.History(TREE)
    store.save(history)
    assert store.history() is history
    with pytest.raises(ValueError, match="in a store"):
        store.save(history)
    with pytest.raises(ValueError, match="not empty"):
        store.save(pqt.History(TREE))
    del store
    gc.collect()
    history.push(TREE.clear())
    with pytest.raises(pqt.Conflict):
        pqt.Store(path)
    del history
    gc.collect()
    store = pqt.Store(path)
    history = store.history()
    assert history.current == 1 and store.history() is history
    del history
    gc.collect()
    history = store.history()  # opened again
    assert history.undo() and history.value == TREE
    value = history.value
    store.close()
    store.close()
    for use in (history.undo, history.begin, history.entries, lambda: history.value,
                lambda: history.current, lambda: history.is_modified, lambda: len(history),
                lambda: history.push(TREE), lambda: history.value_of(0), lambda: history.thin(0),
                lambda: history.find("a"), lambda: history.set_name(0, "a"),
                lambda: history.checkout(0), lambda: history.entry(0), store.history, store.check,
                store.compact, lambda: store.stats, lambda: store.kind,
                lambda: store.save(pqt.History(TREE)), lambda: store.save(history)):
        with pytest.raises(pqt.InvalidValue, match="closed|in a store"):
            use()
    assert "closed" in repr(history) and "plan.pqts" in repr(store) and value == TREE
    with pqt.Store(path) as store:
        assert store.history().current == 0


def test_an_object_that_lost_its_history_is_refused(path):
    """Collects a cycle whose finaliser uses a history that has lost its weak references."""
    fill(path)
    store, found = pqt.Store(path), []

    class Holder:
        def __del__(self):
            found.append(store.history())
            try:
                self.history.undo()
            except pqt.InvalidValue as error:
                found.append(str(error))

    holder = Holder()
    holder.history, holder.holder = store.history(), holder
    del holder
    gc.collect()
    assert found[0].current == 3 and found[1:] == ["another object has the history"]
    assert store.history() is found[0]
    store.close()


@pytest.mark.parametrize("call, expected", [
    (lambda path: pqt.Store(path, readonly=True), FileNotFoundError),
    (lambda path: pqt.Store(path, create=False), FileNotFoundError),
    (lambda path: pqt.Store(path.parent), pqt.Error),
    (lambda path: pqt.Store(path / "no" / "folder"), FileNotFoundError),
    (lambda path: pqt.Store(str(path) + "\0"), ValueError),
    (lambda path: pqt.Store(None), TypeError),
    (lambda path: pqt.Store(path, sync="never"), ValueError),
    (lambda path: pqt.Store(path, sync=None), ValueError),
    (lambda path: pqt.Store(path, sync=[]), TypeError),
    (lambda path: pqt.Store(path, max_loaded=-1), ValueError),
    (lambda path: pqt.Store(path, max_loaded="1"), TypeError),
    (lambda path: pqt.Store(path, keyframe_ratio=0), ValueError),
    (lambda path: pqt.Store(path, keyframe_ratio=float("nan")), ValueError),
    (lambda path: pqt.Store(path, keyframe_ratio="1"), TypeError),
    (lambda path: pqt.Store(path).save(TREE), TypeError),
    (lambda path: pqt.Store(path).save(object.__new__(pqt.History)), AttributeError),
    (lambda path: pqt.Store(path).history(), ValueError),
    (lambda path: object.__new__(pqt.Store).close(), AttributeError),
    (lambda path: object.__new__(pqt.Store).kind, AttributeError),
    (lambda path: pqt.is_store(path), FileNotFoundError),
])
def test_misuse_raises_exceptions(path, call, expected):
    with pytest.raises(expected):
        call(path)
    gc.collect()
    with pqt.Store(path, max_loaded=2 ** 70) as store:
        assert store.kind is None and store.check() is None and store.stats.entries == 0


def test_a_history_with_an_open_group_is_not_saved(path):
    history = pqt.History(TREE)
    history.begin("Group")
    with pqt.Store(path) as store:
        with pytest.raises(ValueError, match="group"):
            store.save(history)
        history.push(TREE.clear())
        assert history.end() and store.kind is None
        store.save(history)
        history.begin("Second")
        history.push(TREE)
        history.push(TREE.remove_id(2))
        assert history.end() and len(history) == 3
    with pqt.Store(path) as store:
        assert store.history().entry(2).label == "Second"


def test_files_of_stores_are_recognised(path, tmp_path):
    fill(path)
    other = tmp_path / "tree.pqt"
    TREE.save(other)
    (tmp_path / "empty").write_bytes(b"")
    assert pqt.is_store(path) and not pqt.is_store(str(other))
    assert not pqt.is_store(tmp_path / "empty")
    for wrong in (other, tmp_path / "wrong"):
        if wrong != other:
            wrong.write_text("a text\n" * 100)
        with pytest.raises(ValueError):
            pqt.Store(wrong)


# A store in its first session: its creator has it open, or was killed before it closed it.
@pytest.mark.parametrize("killed", [False, True])
@pytest.mark.parametrize("saved", [False, True])
def test_a_store_in_its_first_session_is_recognised(path, saved, killed):
    program = textwrap.dedent("""
        import os, sys, pqt
        store = pqt.Store(sys.argv[1])
        if "saved" in sys.argv:
            history = pqt.History(pqt.Map({1: 2}))
            store.save(history)
            history.push(pqt.Map({3: 4}))
        print(pqt.is_store(sys.argv[1]), flush=True)
        sys.stdin.read()
        os._exit(3)
        """)
    with subprocess.Popen([sys.executable, "-c", program, str(path)] + ["saved"] * saved,
                          text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as maker:
        assert maker.stdout.readline() == "True\n"  # in the process that has it open
        assert pqt.is_store(path)  # while that process has it open
        if killed:
            maker.kill()
        else:
            maker.stdin.close()  # it exits, and leaves the store open
        assert maker.wait() == (-9 if killed else 3)
    assert pqt.is_store(path)
    with pqt.Store(path) as store:
        store.check()
        assert store.kind is (pqt.Map if saved else None)
        assert not saved or store.history().value == pqt.Map({3: 4})


def test_loaded_versions_stay_within_their_limit(path):
    tree = pqt.Tree.of(np.tile(CAT, (1000, 1)), np.arange(1000), unique_ids=True)
    with pqt.Store(path) as store:
        history = pqt.History(tree)
        store.save(history)
        for i in range(1, 300):
            history.push(history.value.move_id(i, DOG))
        del history
        gc.collect()
    source = random.Random(5)
    pqt.memory(reclaim=True)
    with pqt.Store(path, readonly=True, max_loaded=100_000) as store:
        history = store.history()
        before, most = pqt.memory().used_bytes, 0
        for _ in range(1000):
            number = source.randrange(300)
            version = history.value_of(number)
            assert version.count_in((0, 0, 30, 30)) == 1000 - number
            most = max(most, pqt.memory().used_bytes)
        assert store.stats.loads > 300 and store.stats.loaded_bytes < 300_000
        assert most < before + 5_000_000


def test_thinning_and_compacting_make_the_file_smaller(path):
    with pqt.Store(path) as store:
        history = pqt.History(TREE)
        store.save(history)
        for i in range(500):
            history.push(history.value.insert(CAT, 10 + i), "x" * 100)
        store.compact()
        before = store.stats
        assert before.entries == 501 and before.file_bytes == path.stat().st_size
        history.thin(0)
        store.compact()
        assert store.stats.entries == 2 and path.stat().st_size < before.file_bytes / 2
        store.check()
        with pqt.Store(path, readonly=True) as reader:
            reader.check()
            with pytest.raises(ValueError, match="reading"):
                reader.compact()
            assert reader.history().value == history.value


def test_damage_raises_and_never_yields_another_version(path, tmp_path):
    fill(path)
    whole, source, raised = path.read_bytes(), random.Random(3), 0
    for number in range(60):
        data = bytearray(whole)
        place = source.randrange(len(data) - 64)
        data[place:place + 64] = b"x" * 64
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "plan.pqts").write_bytes(data)
        try:
            with pqt.Store(folder / "plan.pqts", readonly=number % 2 == 0) as store:
                history = store.history()
                assert [history.value_of(entry) for entry in range(4)] == VERSIONS
                store.check()
        except pqt.Error as error:
            assert error.code in (9, 14), error
            raised += 1
        shutil.rmtree(folder)
    assert 0 < raised


def test_a_version_that_cannot_be_loaded_raises(path):
    with pqt.Store(path) as store:
        history = pqt.History(TREE)
        store.save(history)
        for i in range(1, 101):
            x = np.array([0x4050123456789a00 + i], np.uint64).view(np.float64)[0]
            history.push(history.value.insert((x, 0, 100, 100), 10 + i))
        history.checkout(0)
    data = bytearray(path.read_bytes())
    place = data.index(b"\x32\x9a\x78\x56\x34\x12")
    data[place:place + 4] = b"xxxx"
    path.write_bytes(data)
    with pqt.Store(path) as store:
        history = store.history()
        assert all(history.redo() for _ in range(49)) and history.current == 49
        for use in (history.redo, lambda: history.value_of(60), lambda: history.checkout(50),
                    store.check):
            with pytest.raises(pqt.InvalidValue, match="50"):
                use()
        assert history.current == 49 and history.undo() and history.redo()
        with pytest.raises(ValueError, match="no entry"):
            history.value_of(101)


def test_threads_share_a_store(path):
    failures, store = [], pqt.Store(path, max_loaded=20_000)
    history = pqt.History(pqt.Map())
    store.save(history)

    def work(number):
        try:
            for i in range(60):
                history.push(pqt.Map({number: i}), str(number))
                entries = history.entries()
                assert len(history.value_of(entries[i % len(entries)].number)) <= 1
                history.undo()
                assert store.stats.entries >= 1 and store.kind is pqt.Map
                if i % 20 == number:
                    store.check()
                    history.begin("Group")
                    history.end()
        except BaseException as error:  # noqa: the main thread reports it
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    history.thin(20)
    store.check()
    store.close()
    with pqt.Store(path) as store:
        store.check()


def test_closing_while_other_threads_work_raises_in_them(path):
    store, stopped = pqt.Store(path), []
    history = pqt.History(pqt.Map())
    store.save(history)
    started = threading.Barrier(4)

    def work(number):
        started.wait()
        i = 0
        try:
            while True:
                i += 1
                history.push(pqt.Map({number: i}))
                history.undo()
                store.stats
        except pqt.InvalidValue as error:
            stopped.append(str(error))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    started.wait()
    store.close()
    for thread in threads:
        thread.join()
    assert stopped == ["the store is closed"] * 3
    with pqt.Store(path) as store:
        store.check()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_process_after_fork_is_refused(path):
    program = textwrap.dedent("""
        import os, sys, pqt
        store = pqt.Store(sys.argv[1])
        history = pqt.History(pqt.Map({1: 2}))
        store.save(history)
        child = os.fork()
        if child == 0:
            refused = 0
            for use in (history.undo, lambda: history.value, store.check, lambda: store.kind,
                        lambda: history.push(pqt.Map())):
                try:
                    use()
                except pqt.InvalidValue as error:
                    refused += "fork" in str(error)
            own = pqt.History(pqt.Map({3: 4}))
            store.close()
            del store, history
            sys.exit(refused if own.value[3] == 4 else 1)
        assert os.waitpid(child, 0)[1] == 5 << 8
        history.push(pqt.Map({5: 6}))
        store.check()
        store.close()
        with pqt.Store(sys.argv[1]) as store:
            print(store.history().value.items())
        """)
    done = subprocess.run([sys.executable, "-c", program, str(path)], text=True,
                          stdout=subprocess.PIPE, timeout=300)
    assert done.returncode == 0 and done.stdout == "[(5, 6)]\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_process_waits_for_no_thread_of_its_parent(path):
    program = textwrap.dedent("""
        import os, signal, sys, threading, pqt
        store, history = pqt.Store(sys.argv[1]), pqt.History(pqt.Map({1: 2}))
        alone, idle = pqt.History(pqt.Map()), pqt.History(pqt.Map({3: 4}))
        recording = pqt.Recording(pqt.World((0, 0, 9, 9)), 0.1)
        store.save(history)
        held, done = threading.Event(), threading.Event()
        def hold():
            with store._lock, history._lock, alone._lock, recording._lock:
                held.set()
                done.wait()
        thread = threading.Thread(target=hold)
        thread.start()
        held.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            refused = 0
            for use in (history.undo, alone.undo, lambda: len(alone), recording.step,
                        recording.verify, lambda: store.save(idle)):
                try:
                    use()
                except pqt.InvalidValue as error:
                    refused += "fork" in str(error)
            store.close()
            idle.push(pqt.Map())
            del store, history, alone, recording
            sys.exit(refused if idle.undo() else 1)
        status = os.waitpid(child, 0)[1]
        done.set()
        thread.join()
        alone.push(pqt.Map({1: 2}))
        print(status >> 8, status & 255, recording.step() is not None, alone.undo(), len(history))
        """)
    done = subprocess.run([sys.executable, "-c", program, str(path)], text=True,
                          stdout=subprocess.PIPE, timeout=300)
    assert done.returncode == 0 and done.stdout == "6 0 True True 1\n"


def test_a_program_may_end_with_an_open_store(path):
    program = textwrap.dedent("""
        import sys, pqt
        stores = [pqt.Store(sys.argv[1])]
        history = pqt.History(pqt.Map({1: 2}))
        stores[0].save(history)
        stores.append(stores)
        history.push(pqt.Map())
        """)
    assert subprocess.run([sys.executable, "-c", program, str(path)], timeout=300).returncode == 0
    with pqt.Store(pathlib.Path(path)) as store:
        assert store.history().current == 1


def recording_of(steps, every=5):
    recording = pqt.Recording(WORLD, 0.25, every=every, gravity=(0, -3), restitution=0.5)
    for _ in range(steps):
        recording.step()
    return recording


def test_a_recording_continues_where_it_ended(path):
    whole, recording = recording_of(40), recording_of(7)
    with pqt.Store(path) as store:
        assert not store.has_recording
        store.save(recording)
        assert store.has_recording and store.kind is pqt.World and store.recording() is recording
        for _ in range(9):
            recording.step()
        with pytest.raises(pqt.Error, match="the recording is already in a store"):
            store.save(recording)
        with pytest.raises(pqt.Error, match="not empty"):
            store.save(recording_of(1))
        with pytest.raises(pqt.Error, match="holds a recording"):
            store.history()
        store.check()
    with pytest.raises(pqt.Error, match="the store is closed"):
        recording.step()
    with pytest.raises(pqt.Error, match="the store is closed"):
        recording.last
    with pqt.Store(path) as store:
        store.check()
        recording = store.recording()
        assert recording.last == 16 and recording.compare(whole) is None
        assert store.recording() is recording and store.stats.entries == 17
        for step in range(17, 41):
            assert recording.step() == whole.at(step)
        assert all(recording.at(step) == whole.at(step) for step in (0, 3, 5, 22, 40))
        assert recording.verify() is None and recording.compare(recording) is None
        store.check()
        del recording
        gc.collect()
        assert store.recording().last == 40


def test_a_reader_cannot_add_a_step(path):
    with pqt.Store(path) as store:
        store.save(recording_of(3))
        with pqt.Store(path, readonly=True) as reader:
            recording = reader.recording()
            with pytest.raises(pqt.Error, match="open for reading"):
                recording.step()
            assert recording.last == 3 and recording.at(2) == recording_of(3).at(2)


def test_a_recording_keeps_its_file_open(path):
    recording = recording_of(3)
    store = pqt.Store(path)
    store.save(recording)
    del store
    gc.collect()
    recording.step()
    with pytest.raises(pqt.Conflict):
        pqt.Store(path)
    del recording
    gc.collect()
    with pqt.Store(path) as store:
        assert store.recording().last == 4


def test_a_store_of_a_history_holds_no_recording_and_no_single_version(path):
    with pqt.Store(path) as store:
        with pytest.raises(TypeError):
            store.save(WORLD)
        with pytest.raises(pqt.Error, match="no recording"):
            store.recording()


def test_threads_step_and_check_a_recording(path):
    with pqt.Store(path) as store:
        recording = recording_of(1)
        store.save(recording)
        failures = []

        def work(number):
            try:
                for i in range(30):
                    if number == 0:
                        recording.step()
                    elif number == 1:
                        recording.at(i % (recording.last + 1))
                    else:
                        store.check()
            except Exception as error:  # pylint: disable=broad-except
                failures.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures and recording.last == 31 and recording.verify() is None

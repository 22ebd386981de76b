# SPDX-License-Identifier: MIT
"""test_recording.py: tests recordings of worlds."""
import gc
import math
import threading

import numpy as np
import pytest

import pqt


def world_of(count):
    random = np.random.default_rng(3)
    places = np.stack((np.arange(count) % 10, np.arange(count) // 10), 1) * 40.0 + 20
    return pqt.World((0, 0, 400, 400)).add(
        pqt.bodies(places, 5, velocities=random.integers(-60, 60, (count, 2))))


WORLD = world_of(60)


def test_a_recording_returns_each_step():
    recording = pqt.Recording(WORLD, 0.05, every=8, gravity=(0, 10), restitution=0.9)
    worlds = [WORLD]
    assert recording.last == 0 and recording.kept == 1 and recording.at(0) == WORLD
    for _ in range(50):
        worlds.append(recording.step())
        assert worlds[-1] == worlds[-2].step(0.05, gravity=(0, 10), restitution=0.9)
    assert recording.last == 50 and len(recording) == 51 and recording.kept == 8
    for number in (50, 0, 7, 8, 9, 33, 49):
        assert recording.at(number) == worlds[number]
        assert recording.fingerprint(number) == worlds[number].fingerprint
    assert recording.verify() is None and repr(recording) == "<pqt.Recording of 50 steps>"


def test_the_first_difference_of_two_recordings_is_found():
    bouncy, dull = (pqt.Recording(WORLD, 0.05, every=16, restitution=restitution)
                    for restitution in (1, 0.5))
    for _ in range(40):
        bouncy.step()
        dull.step()
    found = bouncy.compare(dull)
    step = next(i for i in range(41) if bouncy.at(i) != dull.at(i))
    ours, theirs = (np.sort(one.at(step).bodies(), order="id") for one in (bouncy, dull))
    assert found == dull.compare(bouncy)
    assert (found.step, found.seen) == (step, step) and step % 16
    differs = [one["id"] for one, other in zip(ours, theirs) if one != other]
    assert found.body == min(differs)
    assert bouncy.compare(bouncy) is None
    empty = pqt.Recording(WORLD, 0.05)
    assert empty.compare(bouncy) is None


def test_recordings_are_freed():
    gc.collect()
    before = pqt.memory(reclaim=True)
    recording = pqt.Recording(WORLD, 0.05, every=4)
    for _ in range(100):
        recording.step()
    assert recording.at(99) and recording.verify() is None
    during = pqt.memory(reclaim=True)
    assert during.used_bytes > before.used_bytes
    del recording
    gc.collect()
    after = pqt.memory(reclaim=True)
    assert after.used_bytes == before.used_bytes and after.pins == before.pins


def test_threads_use_recordings_while_others_reclaim():
    recording, twin = (pqt.Recording(world_of(10), 0.05, every=25) for _ in range(2))
    for _ in range(140):
        recording.step()
        twin.step()
    worlds = [recording.at(number) for number in range(141)]
    failures, stop = [], threading.Event()

    def ask(first, second):
        try:
            for i in range(40):
                assert first.verify() is None and first.compare(second) is None
                assert first.at(i * 7 % 141) == worlds[i * 7 % 141]
        except BaseException as error:  # noqa: the main thread reports it
            failures.append(error)

    def reclaim():
        while not stop.is_set():
            pqt.memory(reclaim=True)

    reclaimer = threading.Thread(target=reclaim)
    threads = [threading.Thread(target=ask, args=pair)
               for pair in ((recording, twin), (twin, recording), (recording, recording))]
    for thread in [reclaimer, *threads]:
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    reclaimer.join()
    assert not failures


@pytest.mark.parametrize("call, expected", [
    (lambda: pqt.Recording(None, 1), TypeError),
    (lambda: pqt.Recording(WORLD, 0), ValueError),
    (lambda: pqt.Recording(WORLD, math.nan), ValueError),
    (lambda: pqt.Recording(WORLD, "a"), TypeError),
    (lambda: pqt.Recording(WORLD, 1, every=0), ValueError),
    (lambda: pqt.Recording(WORLD, 1, every=-1), ValueError),
    (lambda: pqt.Recording(WORLD, 1, every=1.5), TypeError),
    (lambda: pqt.Recording(WORLD, 1, sleep_steps=-1), ValueError),
    (lambda: pqt.Recording(WORLD, 1, gravity=(1,)), ValueError),
    (lambda: pqt.Recording(WORLD, 1, restitution=5).step(), ValueError),
    (lambda: pqt.Recording(WORLD, 1).at(1), ValueError),
    (lambda: pqt.Recording(WORLD, 1).at(-1), ValueError),
    (lambda: pqt.Recording(WORLD, 1).at(2 ** 64 - 1), ValueError),
    (lambda: pqt.Recording(WORLD, 1).fingerprint(1), ValueError),
    (lambda: pqt.Recording(WORLD, 1).compare(WORLD), TypeError),
    (lambda: object.__new__(pqt.Recording).step(), AttributeError),
    (lambda: pqt.Recording(WORLD, 1).compare(object.__new__(pqt.Recording)), AttributeError),
])
def test_misuse_raises_exceptions(call, expected):
    with pytest.raises(expected):
        call()

# SPDX-License-Identifier: MIT
"""Recordings of all steps of a world, which are recomputed from a few stored versions."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence

from ._core import Owner, ffi, id_of, lib, new_error, raise_error
from .world import World, step_options


class Divergence(NamedTuple):
    """The first difference between two runs."""

    step: int
    """the first step whose worlds differ"""
    seen: int
    """the step at which bodies were compared: `step`, or the next one that is stored"""
    body: int
    """the lowest id of a body that differs at that step"""


class Recording(Owner):
    """The steps of a world: the fingerprint of each, and the world of every `every`-th step.

    Other worlds are recomputed from the stored world before them, and compared with the
    fingerprint. Store.save puts a recording into a file, and Store.recording opens it. A recording
    changes in place. Any thread may use it; an internal lock serialises its calls.
    """

    __slots__ = ()

    def __init__(self, first: World, dt: float, *, every: int = 60, restitution: float = 1,
                 gravity: Sequence[float] = (0, 0), damping: float = 0, rest_speed: float = 0,
                 sleep_steps: int = 60, friction: float = 0) -> None:
        """Begins a recording with a world as step 0. Each step takes `dt` seconds.

        The options of all steps are those of World.step.
        """
        if not isinstance(first, World):
            raise TypeError("a recording begins with a World, not %s" % type(first).__name__)
        numbers = step_options(dt, restitution, gravity, damping, rest_speed, sleep_steps,
                                      friction)
        error = new_error()
        recording = lib.pqtpy_recording_make(first._pin, numbers, id_of(every, "every"), error)
        if recording == ffi.NULL:
            raise_error(error)
        self._take(recording)

    def step(self) -> World:
        """Makes and records the next step, and returns its world."""
        error = new_error()
        with self._lock:
            pin = lib.pqtpy_recording_step(self._handle, error)
        return World._wrap(pin, error)

    def _take(self, recording: Any) -> None:
        """Takes over a recording that a store opened."""
        self._own(recording, lib.pqtpy_recording_destroy)

    def _describe(self) -> Any:
        figures, error = ffi.new("uint64_t[2]"), new_error()
        with self._lock:
            if not lib.pqtpy_recording_describe(self._handle, figures, error):
                raise_error(error)
        return figures

    @property
    def last(self) -> int:
        """The number of the last step; 0 before the first one."""
        return self._describe()[0]

    @property
    def kept(self) -> int:
        """The number of stored worlds."""
        return self._describe()[1]

    def fingerprint(self, step: int) -> int:
        """Returns the fingerprint of the world after a step."""
        halves, step, error = ffi.new("uint64_t[2]"), id_of(step, "the number of a step"), new_error()
        with self._lock:
            if not lib.pqtpy_recording_fingerprint(self._handle, step, halves, error):
                raise_error(error)
        return halves[0] | halves[1] << 64

    def at(self, step: int) -> World:
        """Returns the world after a step. If it is not stored, it is recomputed."""
        step, error = id_of(step, "the number of a step"), new_error()
        with self._lock:
            pin = lib.pqtpy_recording_at(self._handle, step, error)
        return World._wrap(pin, error)

    def verify(self) -> Optional[Divergence]:
        """Repeats all steps, and returns the first one that gives a different world, or None."""
        with self._lock:
            return self._compare(ffi.NULL)

    def compare(self, other: "Recording") -> Optional[Divergence]:
        """Returns the first difference between two recordings in their common steps, or None."""
        if not isinstance(other, Recording):
            raise TypeError("expected a Recording, not %s" % type(other).__name__)
        first, second = sorted((self, other), key=id)
        with first._lock, second._lock:
            return self._compare(other._handle)

    def _compare(self, other: Any) -> Optional[Divergence]:
        figures, error = ffi.new("uint64_t[4]"), new_error()
        if not lib.pqtpy_recording_compare(self._handle, other, figures, error):
            raise_error(error)
        return Divergence(*list(figures)[1:]) if figures[0] else None

    def __len__(self) -> int:
        """Returns the number of worlds, which is the number of the last step plus 1."""
        return self.last + 1

    def __repr__(self) -> str:
        return "<pqt.Recording of %d steps>" % self.last

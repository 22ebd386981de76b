# SPDX-License-Identifier: MIT
"""Worlds of balls that collide; each step is a version."""
from __future__ import annotations

import math
import operator
from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._core import (Box, BoxLike, Version, array_of, ffi, filled, id_of, ids_of, lib, new_error,
                    relation_of, small, words)
from .region import Region
from .tree import Tree

_NO_LIMIT = 2 ** 53  # the largest number of steps or tests that a double represents
_FLAGS = ("fixed", "kinematic", "sensor", "own_friction")
_EVERYWHERE = (-math.inf, -math.inf, math.inf, math.inf)

BODY = np.dtype({
    "names": ["id", "position", "velocity", "acceleration", "radius", "mass", "fixed", "kinematic",
              "sensor", "own_friction", "friction", "user_data", "category", "mask", "angle",
              "angular_velocity"],
    "formats": [np.uint64, (np.float64, 2), (np.float64, 2), (np.float64, 2), np.float64,
                np.float64, np.bool_, np.bool_, np.bool_, np.bool_, np.float32, np.uint64,
                np.uint32, np.uint32, np.float64, np.float64],
    "offsets": [0, 8, 24, 40, 56, 64, 72, 73, 74, 75, 76, 80, 88, 92, 96, 104], "itemsize": 112})

EVENT = np.dtype([("time", np.float64), ("kind", np.int32), ("side", np.int32), ("low", np.uint64),
                  ("high", np.uint64), ("impulse", np.float64), ("point", np.float64, 2),
                  ("normal", np.float64, 2)])
_NEAR = np.dtype([("body", BODY), ("distance", np.float64)])
_CROSSING = np.dtype([("body", BODY), ("entered", np.uint64)])
_COUNTS = ("tests", "contacts", "bounces", "obstacle_hits", "overlaps", "separated", "clusters",
           "passes", "resting", "plastic", "delayed", "embedded", "squares", "asleep", "woken",
           "visited")


def bodies(positions: Any, radii: Any, *, ids: Any = None, velocities: Any = 0, masses: Any = 1,
           fixed: Any = False) -> np.ndarray:
    """Returns an array of bodies, of dtype BODY, for World.add.

    Positions have shape (n, 2). Each other argument is an array, or one value for all bodies. The
    ids are the indices by default.
    """
    positions = np.asarray(positions, np.float64)
    if positions.ndim != 2 or positions.shape[1] != 2:
        raise ValueError("positions must have shape (n, 2), not %s" % (positions.shape,))
    array = np.zeros(len(positions), BODY)
    array["id"] = np.arange(len(positions)) if ids is None else ids_of(ids, len(positions))
    array["position"], array["radius"], array["mass"] = positions, radii, masses
    array["velocity"], array["fixed"] = velocities, fixed
    return array


def step_options(dt: float, restitution: float, gravity: Sequence[float], damping: float,
                 rest_speed: float, sleep_steps: int, friction: float, contact_budget: int = 0,
                 events: bool = False) -> Any:
    """Returns the options of a step for the library, as a C array of doubles."""
    gravity_x, gravity_y = gravity
    counts = [min(id_of(count, what), _NO_LIMIT) for count, what in
              ((contact_budget, "the contact budget"), (sleep_steps, "sleep_steps"))]
    return ffi.new("double[10]", (dt, restitution, gravity_x, gravity_y, damping, rest_speed,
                                  *counts, bool(events), friction))


class WorldStats(NamedTuple):
    """The kinetic energy and the momentum of all bodies."""

    energy: float
    momentum_x: float
    momentum_y: float


class World(Version):
    """An immutable set of balls in a box. Each step returns a new world, and old worlds remain."""

    __slots__ = ()
    _kind = 3

    def __new__(cls, bounds: BoxLike, *, walls: bool = True, leaf_capacity: int = 24) -> "World":
        """Returns an empty world. Bodies bounce off the sides of the bounds if there are walls."""
        min_x, min_y, max_x, max_y = bounds
        return cls._make(lib.pqtpy_world_make, min_x, min_y, max_x, max_y, bool(walls),
                         small(leaf_capacity))

    def _edit(self, call: Any, some: Any) -> "World":
        array = array_of(some, "bodies")
        if array.dtype != BODY:
            raise TypeError("bodies must be an array of dtype pqt.BODY; pqt.bodies makes one")
        if array.ndim != 1:
            raise ValueError("bodies must have shape (n,), not %s" % (array.shape,))
        array = np.array(array, order="C")
        for flag in _FLAGS:  # the bytes of a boolean may have other values than 0 and 1
            array[flag] = array[flag].view(np.uint8) != 0
        data = array.view(np.uint8) if len(array) else np.empty(0, np.uint8)
        return self._make(call, self._pin, ffi.from_buffer(data), len(array))

    def add(self, some: Any) -> "World":
        """Returns the world with more bodies, an array of dtype BODY."""
        return self._edit(lib.pqtpy_world_add_all, some)

    def change(self, some: Any) -> "World":
        """Returns the world with some bodies replaced by given ones that have the same ids."""
        return self._edit(lib.pqtpy_world_change_all, some)

    def remove(self, ids: Any) -> "World":
        """Returns the world without the bodies with given ids."""
        array = ids_of(ids)
        return self._make(lib.pqtpy_world_remove_all, self._pin, words(array), len(array))

    def set_obstacle(self, region: Optional[Region], at: Sequence[float] = (0, 0)) -> "World":
        """Returns the world with a region of pixels as an obstacle; None removes it."""
        if region is not None and not isinstance(region, Region):
            raise TypeError("an obstacle must be a Region, not %s" % type(region).__name__)
        x, y = at
        if region is None:
            return self._make(lib.pqtpy_world_remove_obstacle, self._pin)
        return self._make(lib.pqtpy_world_set_obstacle, self._pin, region._pin, x, y)

    def step(self, dt: float, *, restitution: float = 1, gravity: Sequence[float] = (0, 0),
             damping: float = 0, rest_speed: float = 0, sleep_steps: int = 60,
             friction: float = 0, contact_budget: int = 0, events: bool = False,
             report: Optional[Dict[str, float]] = None) -> "World":
        """Returns the world after `dt` seconds. The options are those of pqt_step_options.

        With `events`, the new world has the contacts of the step; see the method `events`. The step
        adds its counts, those of pqt_step_report, to the dictionary `report`.
        """
        numbers = step_options(dt, restitution, gravity, damping, rest_speed, sleep_steps, friction,
                               contact_budget, events)
        if report is not None and not isinstance(report, dict):
            raise TypeError("a report must be a dict, not %s" % type(report).__name__)
        counts = ffi.new("uint64_t[17]")  # the last one is a double
        made = self._make(lib.pqtpy_world_step, self._pin, numbers, counts)
        if report is not None:
            energy = ffi.cast("double *", counts)[16]
            for name, more in (*zip(_COUNTS, counts), ("separation_energy", energy)):
                report[name] = report.get(name, 0) + more
        return made

    def clear(self) -> "World":
        """Returns the world without bodies, with the same bounds, options and obstacle."""
        return self._make(lib.pqtpy_world_clear, self._pin)

    def search(self, window: BoxLike, relation: str = "touches") -> "World":
        """Returns a world of the bodies whose boxes a window finds; see Tree.search."""
        min_x, min_y, max_x, max_y = window
        return self._make(lib.pqtpy_world_search, self._pin, min_x, min_y, max_x, max_y,
                          relation_of(relation))

    # ---- Reading ----

    def bodies(self, window: Optional[BoxLike] = None, relation: str = "touches") -> np.ndarray:
        """Returns the bodies whose boxes a window finds, an array of dtype BODY; all by default."""
        number = relation_of(relation if window is not None else "touches")
        min_x, min_y, max_x, max_y = _EVERYWHERE if window is None else window
        return filled(BODY, lib.pqtpy_world_bodies, self._pin, min_x, min_y, max_x, max_y, number)

    def find(self, id: int) -> Optional[np.void]:
        """Returns the body with an id, an element of dtype BODY, or None."""
        array = np.zeros(1, BODY)
        data = ffi.from_buffer(array.view(np.uint8))
        return array[0] if lib.pqtpy_world_find(self._pin, id_of(id), data) else None

    def is_asleep(self, id: int) -> bool:
        """Returns whether a body is asleep: it rests until something touches it."""
        return lib.pqtpy_world_is_asleep(self._pin, id_of(id))

    def nearest(self, point: Sequence[float], k: int = 1, *,
                return_distance: bool = False) -> Any:
        """Returns at most k bodies, nearest to a point first, an array of dtype BODY.

        The distance is that to the surface of the ball, 0 inside of it. With `return_distance`,
        also returns the distances.
        """
        (x, y), most = point, operator.index(k)
        if not (math.isfinite(x) and math.isfinite(y)):
            raise ValueError("the point (%r, %r) is not finite" % (x, y))
        if most < 0:
            raise ValueError("k must be at least 0, not %d" % most)
        near = filled(_NEAR, lib.pqtpy_world_nearest, self._pin, x, y, min(most, 2 ** 31))
        found = near["body"].copy()
        return (found, near["distance"].copy()) if return_distance else found

    def differs(self, other: "World") -> Optional[int]:
        """Returns the lowest id whose body differs in another world, or None."""
        id = ffi.new("uint64_t *")
        return id[0] if lib.pqtpy_world_differs(self._pin, self._same(other), id) else None

    def crossings(self, earlier: "World", zone: Union[BoxLike, Region],
                  at: Sequence[float] = (0, 0)) -> Tuple[np.ndarray, np.ndarray]:
        """Returns the bodies that entered or left a zone since an earlier version, by their ids.

        The zone is a box, or a region of pixels at a position. The second array tells whether each
        body entered the zone. A body that passed through in between does neither.
        """
        before, (x, y) = self._same(earlier), at
        if isinstance(zone, Region):
            found = filled(_CROSSING, lib.pqtpy_world_region_crossings, before, self._pin, zone._pin,
                           x, y)
        else:
            min_x, min_y, max_x, max_y = zone
            found = filled(_CROSSING, lib.pqtpy_world_crossings, before, self._pin, min_x, min_y,
                           max_x, max_y)
        return found["body"].copy(), found["entered"] == 1

    def events(self) -> np.ndarray:
        """Returns the contacts of the step that made this world, if it had the option `events`.

        The array has the fields time, kind (1: hit, 2: begin and 3: end of rest, 4: begin and 5: end
        at a sensor), side (0: another body, 1 to 4: the left, right, upper or lower wall, 5: the
        obstacle), low and high (the ids), impulse, point and normal.
        """
        return filled(EVENT, lib.pqtpy_world_events, self._pin)

    @property
    def obstacle(self) -> Optional[Tuple[Region, Tuple[float, float]]]:
        """The obstacle and its position, or None."""
        at = ffi.new("double[2]")
        if not lib.pqtpy_world_obstacle_at(self._pin, at):
            return None
        return Region._make(lib.pqtpy_world_obstacle, self._pin), (at[0], at[1])

    def is_obstructed(self, centre: Sequence[float], radius: float) -> bool:
        """Returns whether a ball would overlap the obstacle."""
        x, y = centre
        return lib.pqtpy_world_is_obstructed(self._pin, x, y, radius)

    @property
    def tree(self) -> Tree:
        """A tree of the boxes around all bodies, for searches."""
        return Tree._make(lib.pqtpy_world_tree, self._pin)

    def _describe(self) -> Any:
        figures = ffi.new("double[12]")
        lib.pqtpy_world_describe(self._pin, figures)
        return list(figures)

    @property
    def bounds(self) -> Box:
        """The bounds that the world was made with."""
        return Box(*self._describe()[:4])

    @property
    def walls(self) -> bool:
        """Whether the sides of the bounds are walls."""
        return bool(self._describe()[4])

    @property
    def stats(self) -> WorldStats:
        """The energy and the momentum of all bodies. Takes O(n) time."""
        return WorldStats(*self._describe()[9:])

    def __len__(self) -> int:
        return lib.pqtpy_world_count(self._pin)

    def __repr__(self) -> str:
        return "<pqt.World of %d bodies in (%g, %g, %g, %g)>" % ((len(self),) + self.bounds)

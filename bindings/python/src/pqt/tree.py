# SPDX-License-Identifier: MIT
"""Persistent quadtrees of boxes with ids."""
from __future__ import annotations

import operator
from typing import Any, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._core import (CHANGE, CHANGES, ITEM, NO_BOX, REFUSED, RESOLUTIONS, Box, BoxLike, Growing,
                    InvalidValue, Item, Version, array_of, box_of, boxes_of, copied, doubles, ffi,
                    filled, id_of, ids_of, is_sphere, lib, new_error, places_of, point_or_box,
                    raise_error, refused_window, relation_of, small, words)
from .batch import Batch, changes_of, changes_of_kind
from .sync import Digest, Digests, Items, Mismatch, digest_at, find_mismatches, items_at

HIT = np.dtype({"names": ["hit", "inside", "box", "id", "entry", "exit", "normal"],
                "formats": [np.bool_, np.bool_, (np.float64, 4), np.uint64, np.float64, np.float64,
                            (np.float64, 2)],
                "offsets": [0, 1, 8, 40, 48, 56, 64], "itemsize": 88})

PAIR_CHANGE = np.dtype({"names": ["began", "a", "a_box", "b", "b_box"],
                        "formats": [np.bool_, np.uint64, (np.float64, 4), np.uint64, (np.float64, 4)],
                        "offsets": [80, 32, 0, 72, 40], "itemsize": 88})

_UNIQUE_IDS, _STRICT_BOUNDS = 1, 2  # as in flat.h
_STATUSES = ("none", "free", "touches", "hits", "overlaps")
_BOX, _CIRCLE, _CONVEX = 1, 2, 3  # as in flat.h
_MERGE, _UNION, _INTERSECTION, _DIFFERENCE = 1, 2, 3, 4
_OPTION = 4  # the code of an option that the library refuses
_ROOM = 256
_CURSOR = 1544  # bytes, as in flat.c
_PICTURE_ITEMS = 100_000


def _flags(strict_bounds: Any, unique_ids: Any) -> int:
    return (_STRICT_BOUNDS if strict_bounds else 0) + (_UNIQUE_IDS if unique_ids else 0)


class TreeOptions(NamedTuple):
    """The options that a tree was made with."""

    leaf_capacity: int
    max_depth: int
    strict_bounds: bool
    unique_ids: bool


class TreeStats(NamedTuple):
    """Statistics of one version. `bytes` includes the blocks that it shares with other versions."""

    items: int
    nodes: int
    leaves: int
    depth: int
    bytes: int


class RayHit(NamedTuple):
    """An item that a line hits; see Tree.cast. Entry and exit are fractions of the line."""

    item: Item
    entry: float
    """the fraction at which the line enters the box; 0 if it begins inside"""
    exit: float
    """the fraction at which the line leaves the box or ends"""
    normal: Tuple[float, float]
    """a unit vector out of the side that the line enters; (0, 0) if it begins inside"""
    inside: bool
    """whether the line begins in the box or on its edge"""


class Sweep(NamedTuple):
    """The result of sweeping a shape; see Tree.sweep."""

    status: str
    """'free', 'touches', 'hits' or 'overlaps'"""
    time: float
    """the time of the stop, as a fraction of the motion"""
    stop: Tuple[float, float]
    """the position of the shape at that time"""
    blocked_x: bool
    """whether the shape cannot move further along x"""
    blocked_y: bool
    """whether the shape cannot move further along y"""
    normal: Tuple[float, float]
    """a unit vector out of the item that was hit or overlapped; (0, 0) if there is none"""
    exit: float
    """if the shape overlaps an item at the start: the time at which it would leave the item"""
    free_position: Tuple[float, float]
    """if the shape overlaps an item: the nearest position at which it does not"""
    item: Optional[Item]
    """the item that was hit, touched or overlapped"""


class Slide(NamedTuple):
    """The motion of a shape that slides along items; see Tree.slide."""

    stop: Tuple[float, float]
    """the position at which the motion ended"""
    bounces: int
    """the number of times that a hit changed its direction"""
    blocked_x: bool
    blocked_y: bool
    first: Sweep
    last: Sweep


_SWEEP = np.dtype([("box", np.float64, 4), ("id", np.uint64), ("numbers", np.float64, 10)])
_SLIDE = np.dtype([("sweeps", _SWEEP, 2), ("end", np.float64, 4)])


def _sweep_of(found: Any) -> Sweep:
    """Returns a sweep that flat_tree_slide wrote."""
    status, time, x, y, blocked, normal_x, normal_y, exit, free_x, free_y = found["numbers"].tolist()
    item = Item(Box(*found["box"].tolist()), int(found["id"])) if status > 1 else None
    return Sweep(_STATUSES[int(status)], time, (x, y), bool(int(blocked) & 1),
                 bool(int(blocked) & 2), (normal_x, normal_y), exit, (free_x, free_y), item)


class PairSweep(NamedTuple):
    """The result of sweeping two shapes against each other; see sweep_pair."""

    status: str
    """'free', 'touches', 'hits' or 'overlaps'"""
    time: float
    """the time at which they meet, as a fraction of the motion"""
    stop: Tuple[float, float]
    """the position of the first shape at that time"""
    stop_b: Tuple[float, float]
    """the position of the second shape at that time"""
    blocked_x: bool
    """whether the first shape cannot move further along x"""
    blocked_y: bool
    """whether the first shape cannot move further along y"""
    normal: Tuple[float, float]
    """a unit vector from the second shape to the first; (0, 0) if there is none"""
    exit: float
    """the time at which shapes that overlap at the start would part; otherwise 0"""
    free_position: Tuple[float, float]
    """the position of the first shape, nearest to its start, that is free of the second"""


def sweep_pair(shape: Any, start: Sequence[float], end: Sequence[float], shape_b: Any,
               start_b: Sequence[float], end_b: Sequence[float], *,
               ignore_overlap: bool = False) -> PairSweep:
    """Moves two shapes at once, each from one position to another, and returns where they meet.

    Shapes are those of Tree.sweep. A shape at rest has equal positions.
    """
    kind, numbers = shape_of(shape)
    kind_b, numbers_b = shape_of(shape_b)
    (x, y), (to_x, to_y), (x_b, y_b), (to_x_b, to_y_b) = start, end, start_b, end_b
    movers = [x, y, to_x, to_y, *numbers.tolist()] + [0] * (4 - len(numbers))
    movers += [x_b, y_b, to_x_b, to_y_b, *numbers_b.tolist()] + [0] * (4 - len(numbers_b))
    found, error = ffi.new("double[12]"), new_error()
    if not lib.pqtpy_sweep_pair(kind, kind_b, ffi.new("double[]", movers), len(numbers) // 2,
                                len(numbers_b) // 2, bool(ignore_overlap), found, error):
        raise_error(error)
    status, time, x, y, x_b, y_b, blocked, normal_x, normal_y, exit, free_x, free_y = found
    return PairSweep(_STATUSES[int(status)], time, (x, y), (x_b, y_b), bool(int(blocked) & 1),
                     bool(int(blocked) & 2), (normal_x, normal_y), exit, (free_x, free_y))


def _points(points: Any, name: str) -> np.ndarray:
    array = array_of(points, name)
    if array.size == 0:
        return np.empty((0, 2))
    if array.dtype.kind not in "fiu" or array.ndim != 2 or array.shape[1] != 2:
        raise ValueError("%s must be numbers of shape (n, 2), not %s" % (name, array.shape))
    return array


def _check_lines(lines: np.ndarray, what: str) -> None:
    """Raises InvalidValue if a line is not finite. `what` names it, with %d for its index."""
    finite = np.isfinite(lines).all(axis=1)
    if not finite.all():
        index = int(np.argmin(finite))
        name = what % index if "%" in what else what
        raise InvalidValue("%s is not finite: %s" % (name, lines[index].tolist()), 2, index)


def _ends(ends: Any, directions: Any) -> Tuple[Any, bool]:
    """Returns the ends of segments or the directions of rays, and whether the lines are rays."""
    if (ends is None) == (directions is None):
        raise TypeError("a line needs either an end or a direction")
    return (ends, False) if directions is None else (directions, True)


def _hits(call: Any, *arguments: Any) -> np.ndarray:
    """Returns hits. The bytes between the fields are 0, so that equal hits have equal bytes."""
    hits = filled(HIT, call, *arguments)
    rows = hits.view(np.uint8).reshape(-1, HIT.itemsize)
    rows[:, 2:8] = 0
    rows[:, 80:] = 0
    return hits


def line_of(start: Any, end: Any, direction: Any) -> Tuple[np.ndarray, bool]:
    """Returns the four numbers of a line, shape (1, 4), and whether it is a ray."""
    other, is_ray = _ends(end, direction)
    (x, y), (to_x, to_y) = start, other
    line = np.array([(x, y, to_x, to_y)], np.float64)
    _check_lines(line, "the line")
    return line, is_ray


def shape_of(shape: Any) -> Tuple[int, np.ndarray]:
    """Returns the kind of a shape, and its numbers."""
    array = array_of(shape, "the points of a shape")
    kind = {0: _CIRCLE, 1: _BOX, 2: _CONVEX}.get(array.ndim)
    if (array.dtype.kind not in "fiu" or kind is None or (kind == _BOX and len(array) != 4)
            or (kind == _CONVEX and array.shape[1] != 2)):
        raise ValueError("a shape must be a radius, a box (min_x, min_y, max_x, max_y), or points "
                         "of shape (n, 2)")
    return kind, np.require(array, np.float64, ["C", "A"]).reshape(-1)


def sphere_distance(point: Tuple[float, float], box: BoxLike) -> float:
    """Returns the distance in metres from a point (longitude, latitude) to a box on the sphere.

    It is measured along a great circle. A box whose first longitude is greater than the second one
    crosses the antimeridian.
    """
    metres = lib.pqtpy_sphere_distance(*point, *box)
    if metres != metres:
        raise InvalidValue("the point or the box is not on the sphere", 2)
    return metres


class TreeQueries:
    """The queries of a tree, which is a Tree or a Draft."""

    __slots__ = ()

    _pin: Any
    _same: Any

    def ids_in(self, window: BoxLike, relation: str = "touches", *,
               surface: str = "plane") -> np.ndarray:
        """Returns the ids of the items in a window, in tree order.

        An item is in the window if it has the relation 'touches', 'overlaps', 'inside' or 'covers'
        to it. Sides of a window may be infinite.

        On the surface 'sphere', x is a longitude and y a latitude, in degrees. A window whose first
        longitude is greater than the second one crosses the antimeridian, and so does an item whose
        max_x is greater than 180.
        """
        min_x, min_y, max_x, max_y = window
        number = relation_of(relation, surface)
        room = _ROOM
        while True:
            ids = np.empty(room, np.uint64)
            count = lib.pqtpy_tree_ids_in(self._pin, min_x, min_y, max_x, max_y, number,
                                          ffi.from_buffer("uint64_t[]", ids), room)
            if count == room:
                return ids
            if count < room:
                return ids[:count].copy()
            if count == REFUSED:
                raise refused_window(surface)
            room = count

    def intersection(self, window: BoxLike) -> np.ndarray:
        """Returns the ids of the items that touch a window, like Index.intersection in rtree."""
        return self.ids_in(window)

    def count_in(self, window: BoxLike, relation: str = "touches", *,
                 surface: str = "plane") -> int:
        """Returns the number of items in a window."""
        min_x, min_y, max_x, max_y = window
        count = lib.pqtpy_tree_count_in(self._pin, min_x, min_y, max_x, max_y,
                                        relation_of(relation, surface))
        if count == REFUSED:
            raise refused_window(surface)
        return count

    def any_in(self, window: BoxLike, relation: str = "touches", *, surface: str = "plane") -> bool:
        """Returns whether there is an item in a window."""
        min_x, min_y, max_x, max_y = window
        found = lib.pqtpy_tree_any(self._pin, min_x, min_y, max_x, max_y,
                                   relation_of(relation, surface))
        if found < 0:
            raise refused_window(surface)
        return bool(found)

    def items_in(self, window: BoxLike, relation: str = "touches", *,
                 surface: str = "plane") -> Tuple[np.ndarray, np.ndarray]:
        """Returns the boxes, shape (n, 4), and the ids of the items in a window."""
        return self._items(box_of(window), relation_of(relation, surface))

    def items(self) -> Tuple[np.ndarray, np.ndarray]:
        """Returns the boxes, shape (n, 4), and the ids of all items, in tree order."""
        return self._items(ffi.NULL, 1)

    def _items(self, window: Any, relation: int) -> Tuple[np.ndarray, np.ndarray]:
        error = new_error()
        with Growing() as out:
            if not lib.pqtpy_tree_items_in(self._pin, window, relation, out.bytes, error):
                raise_error(error)
            items = out.array(ITEM)
        return np.ascontiguousarray(items["box"]), np.ascontiguousarray(items["id"])

    def ids_in_each(self, windows: Any, relation: str = "touches", *,
                    surface: str = "plane") -> Tuple[np.ndarray, np.ndarray]:
        """Searches many windows, shape (n, 4), in one call. Returns offsets and ids.

        The ids of window i are ids[offsets[i]:offsets[i + 1]].
        """
        windows = boxes_of(windows, "windows")
        offsets, error = np.zeros(len(windows) + 1, np.uint64), new_error()
        with Growing() as out:
            if not lib.pqtpy_tree_ids_in_each(self._pin, doubles(windows), len(windows),
                                              relation_of(relation, surface), words(offsets),
                                              out.bytes, error):
                raise_error(error)
            return offsets.astype(np.intp), out.array(np.uint64)

    def count_in_each(self, windows: Any, relation: str = "touches", *,
                      surface: str = "plane") -> np.ndarray:
        """Returns the number of items in each of many windows, shape (n, 4)."""
        windows = boxes_of(windows, "windows")
        counts, error = np.zeros(len(windows), np.uint64), new_error()
        if not lib.pqtpy_tree_count_in_each(self._pin, doubles(windows), len(windows),
                                            relation_of(relation, surface), words(counts), error):
            raise_error(error)
        return counts.astype(np.intp)

    def nearest(self, place: BoxLike, k: int = 1, *, max_distance: float = float("inf"),
                return_distance: bool = False, surface: str = "plane"
                ) -> Union[np.ndarray, Tuple[np.ndarray, np.ndarray]]:
        """Returns the ids of the k items nearest to a point (x, y) or a box, nearest first.

        With `return_distance` it returns the ids and the distances. On the surface 'sphere', the
        place is a point (longitude, latitude) in degrees, and distances are those of great circles,
        in metres.
        """
        min_x, min_y, max_x, max_y = point_or_box(place)
        most, error = self._most(k), new_error()
        ids, distances = np.empty(most, np.uint64), np.empty(most)
        count = lib.pqtpy_tree_nearest(self._pin, min_x, min_y, max_x, max_y, most, max_distance,
                                       is_sphere(surface), words(ids), doubles(distances), error)
        if count == REFUSED:
            raise_error(error)
        if count < most:
            ids, distances = ids[:count].copy(), distances[:count].copy()
        return (ids, distances) if return_distance else ids

    def nearest_each(self, places: Any, k: int = 1, *, max_distance: float = float("inf"),
                     surface: str = "plane") -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Finds the k items nearest to each of many points, shape (n, 2), or boxes, shape (n, 4).

        Returns offsets, ids and distances. The results for place i are the elements
        [offsets[i]:offsets[i + 1]] of the ids and of the distances.
        """
        places = places_of(places)
        offsets, error = np.zeros(len(places) + 1, np.uint64), new_error()
        with Growing() as ids, Growing() as distances:
            if not lib.pqtpy_tree_nearest_each(self._pin, doubles(places), len(places),
                                               self._most(k), max_distance, is_sphere(surface),
                                               words(offsets), ids.bytes, distances.bytes, error):
                raise_error(error)
            return offsets.astype(np.intp), ids.array(np.uint64), distances.array(np.float64)

    def _most(self, k: int) -> int:
        """Returns the maximum number of items that a search for the k nearest items can find."""
        k = operator.index(k)
        if k < 0:
            raise ValueError("the number of nearest items must be 0 or more, not %d" % k)
        return min(k, len(self))

    def pairs(self, other: Optional["Tree"] = None, relation: str = "touches") -> np.ndarray:
        """Returns the two ids of each pair of items that have a relation, shape (n, 2).

        The pairs are within this tree, or consist of an item of this tree and one of `other`.
        """
        pin = self._pin if other is None else self._same(other)
        return filled(np.uint64, lib.pqtpy_tree_pairs, self._pin, pin, other is not None,
                      relation_of(relation), 0, 0, True).reshape(-1, 2)

    def cast(self, start: Sequence[float], end: Optional[Sequence[float]] = None, *,
             direction: Optional[Sequence[float]] = None) -> Optional[RayHit]:
        """Returns the first item that a line hits, or None.

        The line is a segment from `start` to `end`, or a ray from `start` in a direction. Entry and
        exit are fractions of the segment, or multiples of the direction.
        """
        hits = self._cast_each(*line_of(start, end, direction))
        if not hits["hit"][0]:
            return None
        x, y = hits["normal"][0].tolist()
        return RayHit(Item(Box(*hits["box"][0].tolist()), int(hits["id"][0])),
                      float(hits["entry"][0]), float(hits["exit"][0]), (x, y),
                      bool(hits["inside"][0]))

    def cast_all(self, start: Sequence[float], end: Optional[Sequence[float]] = None, *,
                 direction: Optional[Sequence[float]] = None) -> np.ndarray:
        """Returns all hits of a line, front to back, as an array of dtype HIT."""
        line, is_ray = line_of(start, end, direction)
        return _hits(lib.pqtpy_tree_cast, self._pin, is_ray, *line.ravel(), REFUSED)

    def cast_each(self, starts: Any, ends: Any = None, *, directions: Any = None) -> np.ndarray:
        """Casts many lines in one call.

        `starts` and `ends` or `directions` have shape (n, 2). Returns an array of dtype HIT with
        the first hit of each line. If a line hits nothing, the field `hit` of its element is False.
        """
        others, is_ray = _ends(ends, directions)
        starts, others = _points(starts, "starts"), _points(others, "ends and directions")
        if len(starts) != len(others):
            raise ValueError("there are %d starts and %d ends or directions"
                             % (len(starts), len(others)))
        lines = np.require(np.hstack((starts, others)), np.float64, ["C", "A"])
        _check_lines(lines, "line %d")
        return self._cast_each(lines, is_ray)

    def _cast_each(self, lines: np.ndarray, is_ray: bool) -> np.ndarray:
        return _hits(lib.pqtpy_tree_cast_each, self._pin, is_ray, doubles(lines), len(lines))

    def sweep(self, shape: Any, start: Sequence[float], end: Sequence[float], *,
              ignore_overlap: bool = False) -> Sweep:
        """Moves a shape from one position to another, and returns where an item stops it.

        The shape is a box, a circle, given by its radius, or the convex hull of 2 to 8 points, an
        array of shape (n, 2). Its coordinates are those at the position (0, 0). With
        `ignore_overlap`, the sweep ignores items that the shape overlaps at the start.
        """
        return self.slide(shape, start, end, bounces=0, ignore_overlap=ignore_overlap).first

    def slide(self, shape: Any, start: Sequence[float], end: Sequence[float], *, bounces: int = 3,
              ignore_overlap: bool = False) -> Slide:
        """Like sweep, but the shape slides along items that it hits, up to `bounces` times."""
        kind, numbers = shape_of(shape)
        (x, y), (to_x, to_y), bounces = start, end, operator.index(bounces)
        if not 0 <= bounces < 2 ** 31:
            raise ValueError("bounces must be an integer from 0 to 2^31 - 1, not %d" % bounces)
        mover = ffi.new("double[]", [x, y, to_x, to_y] + numbers.tolist())
        found, error = np.empty((), _SLIDE), new_error()
        if not lib.pqtpy_tree_slide(self._pin, kind, mover, len(numbers) // 2, bounces,
                                    bool(ignore_overlap), ffi.from_buffer("double[]", found), error):
            raise_error(error)
        x, y, bounces, blocked = found["end"].tolist()
        first, last = found["sweeps"]
        return Slide((x, y), int(bounces), bool(int(blocked) & 1), bool(int(blocked) & 2),
                     _sweep_of(first), _sweep_of(last))

    def find(self, id: int) -> Optional[Box]:
        """Returns the box of the item with a given id, or None. Needs unique_ids."""
        item, error = ffi.new("double[5]"), new_error()
        found = lib.pqtpy_tree_find(self._pin, id_of(id), item, error)
        if found < 0:
            raise_error(error)
        return Box(*item[0:4]) if found else None

    def diff(self, after: "Tree") -> np.ndarray:
        """Returns the changes that turn this tree into another one with equal bounds and options.

        The array has the fields kind (1 insert, 2 remove, 3 move), box, id and to.
        """
        return filled(CHANGE, lib.pqtpy_tree_diff, self._pin, self._same(after))

    def damage(self, after: "Tree", most: int = 16) -> np.ndarray:
        """Returns at most `most` boxes, shape (n, 4), that cover all changes between two trees."""
        most = operator.index(most)
        if not 1 <= most <= 65536:
            raise ValueError("most must be from 1 to 65536, not %d" % most)
        return filled(np.float64, lib.pqtpy_tree_damage, self._pin, self._same(after),
                      most).reshape(-1, 4)

    def __len__(self) -> int:
        return lib.pqtpy_tree_count(self._pin)

    def __iter__(self) -> Iterator[Item]:
        boxes, ids = self.items()
        return (Item(Box(*box.tolist()), int(id)) for box, id in zip(boxes, ids))

    def __contains__(self, item: Any) -> bool:
        (min_x, min_y, max_x, max_y), id = item
        return lib.pqtpy_tree_contains(self._pin, min_x, min_y, max_x, max_y, id_of(id))

    def _describe(self) -> Tuple[Box, TreeOptions]:
        found = ffi.new("double[7]")
        lib.pqtpy_tree_describe(self._pin, found)
        *bounds, capacity, depth, flags = found
        return Box(*bounds), TreeOptions(int(capacity), int(depth), bool(int(flags) & _STRICT_BOUNDS),
                                         bool(int(flags) & _UNIQUE_IDS))

    @property
    def bounds(self) -> Box:
        """The bounds that the tree was made with."""
        return self._describe()[0]

    @property
    def extent(self) -> Optional[Box]:
        """The smallest box around all items; None if there are none."""
        extent = ffi.new("double[4]")
        return Box(*extent) if lib.pqtpy_tree_extent(self._pin, extent) else None

    @property
    def options(self) -> TreeOptions:
        """The options that the tree was made with."""
        return self._describe()[1]

    @property
    def stats(self) -> TreeStats:
        """The items, nodes, leaves, depth and bytes of this version. Takes O(nodes) time."""
        figures = ffi.new("uint64_t[5]")
        lib.pqtpy_tree_stats(self._pin, figures)
        return TreeStats(*figures)

    def to_svg(self, window: Optional[BoxLike] = None) -> str:
        """Returns an SVG picture of the cells and the items, and of a window with its items."""
        error = new_error()
        with Growing() as out:
            if not lib.pqtpy_tree_svg(self._pin, ffi.NULL if window is None else box_of(window),
                                      out.bytes, error):
                raise_error(error)
            return out.copy().decode()

    def _repr_svg_(self) -> Optional[str]:
        return self.to_svg() if len(self) <= _PICTURE_ITEMS else None


class Tree(TreeQueries, Version):
    """An immutable set of items. An item is a box and an id from 0 to 2^64 - 1.

    Edits return new trees, which share as much as possible with the old ones. A tree may be read
    from any thread. A box is (min_x, min_y, max_x, max_y), in doubles.
    """

    __slots__ = ()
    _kind = 1

    def __new__(cls, bounds: BoxLike, *, leaf_capacity: int = 24, max_depth: int = 32,
                strict_bounds: bool = False, unique_ids: bool = False) -> "Tree":
        """Returns an empty tree.

        Items outside the bounds are slower to find; with `strict_bounds`, they are refused. With
        `unique_ids`, each id occurs at most once; find, remove_id and move_id need that.
        """
        min_x, min_y, max_x, max_y = bounds
        return cls._make(lib.pqtpy_tree_make, min_x, min_y, max_x, max_y, small(leaf_capacity),
                         small(max_depth), _flags(strict_bounds, unique_ids))

    @classmethod
    def of(cls, boxes: Any, ids: Any = None, *, leaf_capacity: int = 24, max_depth: int = 32,
           strict_bounds: bool = False, unique_ids: bool = False) -> "Tree":
        """Returns a tree of an array of boxes, shape (n, 4). The ids are the indices by default.

        The bounds of the tree are the smallest box around all boxes.
        """
        boxes = boxes_of(boxes)
        keys = None if ids is None else ids_of(ids, len(boxes))
        error = new_error()
        return cls._made(lib.pqtpy_tree_of, doubles(boxes), words(keys), len(boxes),
                         small(leaf_capacity), small(max_depth),
                         _flags(strict_bounds, unique_ids), error)

    # ---- Edits ----

    def _edit(self, kind: str, box: BoxLike, id: Any, to: BoxLike = NO_BOX) -> "Tree":
        (min_x, min_y, max_x, max_y), (to_min_x, to_min_y, to_max_x, to_max_y) = box, to
        error = new_error()
        pin = lib.pqtpy_tree_edit(self._pin, CHANGES[kind], min_x, min_y, max_x, max_y, id_of(id),
                                  to_min_x, to_min_y, to_max_x, to_max_y, error)
        return self._wrap(pin, error)

    def insert(self, box: BoxLike, id: int) -> "Tree":
        """Returns the tree with one more item; an equal tree if it contains the item already."""
        return self._edit("insert", box, id)

    def remove(self, box: BoxLike, id: int) -> "Tree":
        """Returns the tree without an item; an equal tree if it does not contain the item."""
        return self._edit("remove", box, id)

    def move(self, box: BoxLike, id: int, to: BoxLike) -> "Tree":
        """Returns the tree with an item moved to another box."""
        return self._edit("move", box, id, to)

    def remove_id(self, id: int) -> "Tree":
        """Returns the tree without the item with a given id. Needs unique_ids."""
        return self._edit("remove_id", NO_BOX, id)

    def move_id(self, id: int, to: BoxLike) -> "Tree":
        """Returns the tree in which the item with a given id has another box. Needs unique_ids."""
        return self._edit("move_id", NO_BOX, id, to)

    def _apply_by_id(self, changes: np.ndarray) -> "Tree":
        """Applies edits by id. The tree must have unique ids even if there are no edits."""
        if len(changes) == 0 and not self._describe()[1].unique_ids:
            raise InvalidValue("the tree was not made with unique_ids", _OPTION)
        return self._apply(changes)

    def _apply(self, changes: np.ndarray) -> "Tree":
        return self._make(lib.pqtpy_tree_apply, self._pin, *copied(changes))

    def insert_all(self, boxes: Any, ids: Any) -> "Tree":
        """Returns the tree with the given items added: boxes of shape (n, 4), and n ids."""
        return self._apply(changes_of_kind("insert", ids, box=boxes))

    def remove_all(self, boxes: Any, ids: Any) -> "Tree":
        """Returns the tree without the given items. Items that it does not contain are ignored."""
        return self._apply(changes_of_kind("remove", ids, box=boxes))

    def move_all(self, boxes: Any, ids: Any, to: Any) -> "Tree":
        """Returns the tree with the given items moved, in order, from `boxes` to `to`."""
        return self._apply(changes_of_kind("move", ids, box=boxes, to=to))

    def remove_ids(self, ids: Any) -> "Tree":
        """Returns the tree without the items with given ids. Needs unique_ids."""
        return self._apply_by_id(changes_of_kind("remove_id", ids))

    def move_ids(self, ids: Any, to: Any) -> "Tree":
        """Returns the tree in which the items with given ids have other boxes. Needs unique_ids."""
        return self._apply_by_id(changes_of_kind("move_id", ids, to=to))

    def apply(self, changes: Union[Batch, np.ndarray]) -> "Tree":
        """Returns the tree with all edits of a Batch, or all changes of an array from Tree.diff.

        The result is the same as after single edits in the same order. If an edit is refused, none
        is made, and `index` of the error is its index.
        """
        return self._apply(changes_of(changes))

    def clear(self) -> "Tree":
        """Returns the empty tree with the same bounds and options."""
        return self._make(lib.pqtpy_tree_clear, self._pin)

    def pair_changes(self, after: "Tree", relation: str = "touches") -> np.ndarray:
        """Returns the pairs of items that began or ended between two trees of equal options.

        The array has the fields began, a, a_box, b and b_box: a pair that ended has the items of
        this tree, and one that began those of `after`. The other pairs are not visited.
        """
        return filled(PAIR_CHANGE, lib.pqtpy_tree_pair_changes, self._pin, self._same(after),
                      relation_of(relation))

    def digest(self, path: str = "") -> Digest:
        """Returns the digest of a cell, for find_mismatches on another machine. Takes O(depth) time.

        A path leads from the root to a cell, and is a text that find_mismatches passes. A cell that
        the tree does not have gives the digest of no items.
        """
        return digest_at(self._pin, path)

    def items_at(self, path: str = "") -> Tuple[np.ndarray, np.ndarray]:
        """Returns the boxes, shape (n, 4), and the ids of the items of a cell, in tree order."""
        return items_at(self._pin, path)

    def find_mismatches(self, digests: Digests, items: Optional[Items] = None) -> List[Mismatch]:
        """Returns the cells in which a tree on another machine differs. Both trees have equal bounds
        and options, and the other one must stay as it is meanwhile.

        `digests` gets a list of paths, and returns the result of `digest` of the other tree for
        each. It is called about once for each level of the tree, and gets only children of cells
        that differ. `items` gets the paths of the cells that differ, and returns the result of
        `items_at` of the other tree for each. The changes of all cells, applied in order, turn this
        tree into the other one. Without `items`, the changes are None.
        """
        return find_mismatches(self._pin, digests, items)

    def pages(self, window: BoxLike, size: int = 1000, relation: str = "touches", *,
              surface: str = "plane") -> Iterator[Tuple[np.ndarray, np.ndarray]]:
        """Iterates over the items in a window, `size` at a time: boxes, shape (n, 4), and ids.

        The search goes on only when the next page is taken.
        """
        size, area = operator.index(size), box_of(window)
        if not 1 <= size < 2 ** 31:
            raise ValueError("size must be from 1 to 2^31 - 1, not %d" % size)
        return self._pages(area, relation_of(relation, surface), size)

    def _pages(self, area: Any, relation: int, size: int) -> Iterator[Tuple[np.ndarray, np.ndarray]]:
        (min_x, min_y, max_x, max_y), cursor, count = area, b"", size
        while count == size:
            error = new_error()
            with Growing() as out:
                if not lib.pqtpy_tree_page(self._pin, min_x, min_y, max_x, max_y, relation, size,
                                           cursor != b"", cursor, out.bytes, error):
                    raise_error(error)
                data = out.copy()
            cursor = data[-_CURSOR:]
            items = np.frombuffer(data[:-_CURSOR], ITEM)
            count = len(items)
            if count > 0:
                yield np.ascontiguousarray(items["box"]), np.ascontiguousarray(items["id"])

    def search(self, window: BoxLike, relation: str = "touches", *,
               surface: str = "plane") -> "Tree":
        """Returns a tree of the items in a window. It shares the subtrees inside the window."""
        min_x, min_y, max_x, max_y = window
        return self._make(lib.pqtpy_tree_search, self._pin, min_x, min_y, max_x, max_y,
                          relation_of(relation, surface))

    def restore(self, old: "Tree", window: BoxLike, relation: str = "touches", *,
                surface: str = "plane") -> "Tree":
        """Returns the tree in which a window has the items of an older version: undo in a place."""
        min_x, min_y, max_x, max_y = window
        return self._make(lib.pqtpy_tree_restore, self._pin, self._same(old), min_x, min_y, max_x,
                          max_y, relation_of(relation, surface))

    # ---- Several versions ----

    def merge(self, ours: "Tree", theirs: "Tree", resolve: Optional[str] = None) -> "Tree":
        """Returns the three-way merge of two trees that both derive from this one.

        `resolve` decides which items the result has for an id that both sides changed: 'ours',
        'theirs', 'both', 'neither' or 'base'. Without it, such an id raises Conflict.
        """
        return self._combine(_MERGE, self._pin, self._same(ours), self._same(theirs), resolve)

    def union(self, other: "Tree", resolve: Optional[str] = None) -> "Tree":
        """Returns a tree of the items that are in either tree. `a | b` is the same."""
        return self._combine(_UNION, self._pin, self._pin, self._same(other), resolve)

    def _combine(self, operation: int, base: Any, ours: Any, theirs: Any,
                 resolve: Optional[str]) -> "Tree":
        try:
            resolution = RESOLUTIONS[resolve]
        except (KeyError, TypeError):
            raise ValueError("a resolution must be None, 'ours', 'theirs', 'both', 'neither' or "
                             "'base', not %r" % (resolve,)) from None
        return self._make(lib.pqtpy_tree_combine, operation, base, ours, theirs, resolution)

    def __or__(self, other: object) -> Any:
        return self.union(other) if isinstance(other, Tree) else NotImplemented

    def __and__(self, other: object) -> Any:
        if not isinstance(other, Tree):
            return NotImplemented
        return self._combine(_INTERSECTION, self._pin, self._pin, other._pin, None)

    def __sub__(self, other: object) -> Any:
        if not isinstance(other, Tree):
            return NotImplemented
        return self._combine(_DIFFERENCE, self._pin, self._pin, other._pin, None)

    def __repr__(self) -> str:
        return "<pqt.Tree of %d items in (%g, %g, %g, %g)>" % ((len(self),) + self.bounds)

# SPDX-License-Identifier: MIT
"""Persistent sets of pixels."""
from __future__ import annotations

import math
import operator
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._core import (BoxLike, Growing, Version, array_of, doubles, ffi, filled, lib, new_error,
                    raise_error)
from .tree import line_of, shape_of

SQUARE = np.dtype([("box", np.int32, 4), ("kind", np.uint64), ("count", np.uint64)])

_OPERATIONS = {"set": 1, "clear": 2, "toggle": 3}
_BOX, _STROKE = 1, 2  # pqt_paint_shape
SAMPLINGS = {"nearest": 1, "area": 2}
_TARGETS = {"region": 1, "outside": 2}
_TRANSFORMS = {"flip_x": 1, "flip_y": 2, "rotate_180": 3, "flip_diagonal": 4, "rotate_90": 5,
               "rotate_270": 6, "flip_antidiagonal": 7}
_SIDES = {"top": 1, "bottom": 2, "left": 3, "right": 4}
_CHANNELS = {"auto": 1, "alpha": 2, "light": 3, "dark": 4}
_KINDS = {"outer": 0, "inner": 1}


class PixelBox(NamedTuple):
    """The pixels with min_x <= x < max_x and min_y <= y < max_y."""

    min_x: int
    min_y: int
    max_x: int
    max_y: int


_STATUSES = ("none", "free", "touches", "hits", "overlaps")


class RegionSweep(NamedTuple):
    """The result of sweeping a region; see Region.sweep."""

    status: str
    """'free', 'touches', 'hits' or 'overlaps'"""
    time: float
    """the time of the stop, as a fraction of the motion"""
    stop: Tuple[float, float]
    """the position at which the sweep ends; the regions do not overlap there"""
    blocked_x: bool
    """whether the region cannot move further along x"""
    blocked_y: bool
    """whether the region cannot move further along y"""
    normal: Tuple[float, float]
    """a unit vector out of the region that was hit; otherwise (0, 0)"""
    push_out: Tuple[float, float]
    """if the regions overlap at the start: the smallest displacement that separates them"""
    exit: float
    """if they overlap at the start: the time at which they would be apart; otherwise 0"""
    met: Optional[Tuple[Tuple[int, int], Tuple[int, int]]]
    """the pixels of both that would overlap next, each in its own coordinates, if one is blocked;
    of a shape, the first is (0, 0)"""


class RegionSlide(NamedTuple):
    """The result of a slide among pixels; see Region.slide."""

    status: str
    """that of the last sweep"""
    stop: Tuple[float, float]
    """the position at which the slide ends"""
    blocked_x: bool
    """whether anything blocked the motion along x"""
    blocked_y: bool
    """whether anything blocked the motion along y"""
    bounces: int
    """how many times the motion changed its direction"""
    last: RegionSweep
    """the last sweep that was blocked; if none was, the only one"""


class PixelHit(NamedTuple):
    """The first pixel that a line hits; see Region.cast."""

    pixel: Tuple[int, int]
    """the pixel that the line enters, or in which it starts"""
    entry: float
    """the position of the hit, as a fraction of the segment or in multiples of the direction"""
    normal: Tuple[float, float]
    """the unit vector out of the side that the line enters; (0, 0) if it starts inside"""
    inside: bool
    """whether the line starts inside the region"""


class RegionStats(NamedTuple):
    """Statistics of a region; see Region.stats."""

    pixels: int
    nodes: int
    leaves: int
    """squares of 64 x 64 pixels that are neither empty nor full"""
    full: int
    """full squares of 64 x 64 pixels or more, which take no memory"""
    bytes: int
    level: int
    """the region covers -2^level to 2^level on both axes"""


class Moments(NamedTuple):
    """The middle of a region, and how far it extends; see Region.moments."""

    centroid: Tuple[float, float]
    """the mean of the centres of the pixels"""
    xx: float
    """the mean of dx * dx, for the distances dx, dy of the centres from the centroid"""
    xy: float
    """the mean of dx * dy"""
    yy: float
    """the mean of dy * dy"""
    axis: Tuple[float, float]
    """the unit vector along which the region extends most"""


def pixel_of(number: Any) -> int:
    """Returns an integer that fits into 32 bits."""
    number = operator.index(number)
    if not -2 ** 31 <= number < 2 ** 31:
        raise ValueError("a coordinate of a pixel must fit into 32 bits, but %d does not" % number)
    return number


def pixel_box_of(box: Sequence[int]) -> PixelBox:
    """Returns a box of pixels; raises if it is inverted."""
    min_x, min_y, max_x, max_y = (pixel_of(number) for number in box)
    if min_x > max_x or min_y > max_y:
        raise ValueError("the box is inverted: (%d, %d, %d, %d)" % (min_x, min_y, max_x, max_y))
    return PixelBox(min_x, min_y, max_x, max_y)


def named(name: Any, names: Dict[str, int], what: str) -> int:
    """Returns the number of a name."""
    try:
        return names[name]
    except (KeyError, TypeError):
        raise ValueError("%s must be %s, not %r" % (what, " or ".join(map(repr, names)),
                                                    name)) from None


def _operation(name: str) -> int:
    return named(name, _OPERATIONS, "an operation")


def _offset(offset: Sequence[float]) -> Tuple[float, float]:
    x, y = offset
    if not (math.isfinite(x) and math.isfinite(y)):
        raise ValueError("a position must be finite, not (%r, %r)" % (x, y))
    return x, y


def _cells(cell: int, other_cell: int, kind: str) -> Tuple[int, int, bool]:
    return pixel_of(cell), pixel_of(other_cell), bool(named(kind, _KINDS, "the kind of cells"))


def pixel_boxes(call: Any, *arguments: Any) -> np.ndarray:
    """Returns the boxes of pixels that a call of the library appends."""
    return filled(np.int32, call, *arguments).reshape(-1, 4)


def box_primitive(box: Sequence[int], operation: int = 1) -> Any:
    """Returns a box of pixels as a primitive for the library."""
    sides = [pixel_of(side) for side in box]
    if len(sides) != 4:
        raise ValueError("a box has 4 numbers, not %d" % len(sides))
    return ffi.new("double[7]", [operation, _BOX] + sides)


def stroke_primitive(start: Sequence[float], end: Sequence[float], radius: float,
                     operation: int = 1) -> Any:
    """Returns a stroke as a primitive for the library."""
    (x, y), (to_x, to_y) = start, end
    return ffi.new("double[7]", (operation, _STROKE, x, y, to_x, to_y, radius))


def path_of(start: Sequence[float], end: Sequence[float], *more: Any) -> Any:
    """Returns the two ends of a motion, and more numbers, as a C array."""
    (x, y), (to_x, to_y) = start, end
    return ffi.new("double[]", (x, y, to_x, to_y) + more)


def _integers(some: Any, columns: int, name: str) -> np.ndarray:
    """Returns a new array of integers of 32 bits, shape (n, columns)."""
    array = array_of(some, name)
    if array.size == 0:
        array = np.empty((0, columns), np.int32)
    if array.ndim != 2 or array.shape[1] != columns:
        raise ValueError("%s must have shape (n, %d), not %s" % (name, columns, array.shape))
    if array.dtype.kind not in "iu":
        raise TypeError("%s of pixels must be integers, not of dtype %s" % (name, array.dtype))
    if array.size and (array.min() < -2 ** 31 or array.max() >= 2 ** 31):
        raise ValueError("a coordinate of a pixel must fit into 32 bits")
    return np.array(array, np.int32, order="C")


def _slide_of(numbers: Any) -> RegionSlide:
    """Returns the result that write_slide in flat_pixels.c wrote."""
    status, x, y, blocked, bounces, last, time, stop_x, stop_y, axes = list(numbers)[:10]
    normal_x, normal_y, exit, push_x, push_y, a_x, a_y, b_x, b_y = list(numbers)[10:]
    met = ((int(a_x), int(a_y)), (int(b_x), int(b_y))) if axes else None
    sweep = RegionSweep(_STATUSES[int(last)], time, (stop_x, stop_y), bool(int(axes) & 1),
                        bool(int(axes) & 2), (normal_x, normal_y), (push_x, push_y), exit, met)
    return RegionSlide(_STATUSES[int(status)], (x, y), bool(int(blocked) & 1),
                       bool(int(blocked) & 2), int(bounces), sweep)


def bounces_of(bounces: Any) -> int:
    """Returns a number of bounces."""
    bounces = operator.index(bounces)
    if not 0 <= bounces < 2 ** 31:
        raise ValueError("bounces must be an integer from 0 to 2^31 - 1, not %d" % bounces)
    return bounces



def matrix_of(matrix: Any) -> np.ndarray:
    """Returns a matrix of shape (2, 3) as an array of doubles, as a pqt_affine has them."""
    array = array_of(matrix, "a matrix")
    if array.shape != (2, 3) or array.dtype.kind not in "fiu":
        raise ValueError("a matrix must be numbers of shape (2, 3)")
    return np.require(array, np.float64, ["C", "A"])


def rotation_of(heading: Sequence[float], centre: Sequence[float]) -> Any:
    """Returns the six numbers of the rotation about a point that turns the x axis onto a heading."""
    (heading_x, heading_y), (x, y) = heading, centre
    numbers = ffi.new("double[6]")
    lib.pqtpy_affine_rotation(heading_x, heading_y, x, y, numbers)
    return numbers


class Region(Version):
    """An immutable set of pixels. The coordinates of a pixel are two integers. y points down.

    Edits return new regions, which share as much as possible with the old ones. Boxes of pixels are
    half open: (0, 0, 2, 1) contains the pixels (0, 0) and (1, 0).
    """

    __slots__ = ()
    _kind = 2

    def __new__(cls) -> "Region":
        """Returns the empty region."""
        return cls.of_boxes(np.empty((0, 4), np.int32))

    @classmethod
    def of(cls, image: Any, at: Sequence[int] = (0, 0)) -> "Region":
        """Returns a region of the elements of a two-dimensional array that are not 0.

        The element in row y and column x becomes the pixel (x, y), moved by `at`.
        """
        array = array_of(image, "an image")
        if array.ndim != 2:
            raise ValueError("an image must have shape (height, width), not %s" % (array.shape,))
        if array.dtype.kind not in "biuf":
            raise TypeError("an image must be an array of numbers or booleans, not of dtype %s"
                            % array.dtype)
        x, y = at
        array = np.ascontiguousarray(array != 0)
        height, width = array.shape
        return cls._make(lib.pqtpy_region_of_bytes, ffi.from_buffer("uint8_t[]", array), width,
                         height, width, 1, 0, pixel_of(x), pixel_of(y))

    @classmethod
    def of_boxes(cls, boxes: Any) -> "Region":
        """Returns a region of the pixels in an array of integer boxes, shape (n, 4)."""
        array = _integers(boxes, 4, "boxes")
        return cls._make(lib.pqtpy_region_of_boxes, ffi.from_buffer(array), len(array))

    @classmethod
    def of_runs(cls, runs: Any) -> "Region":
        """Returns a region of runs, shape (n, 3): the row, the first column, and the one after the
        last."""
        array = _integers(runs, 3, "runs")
        return cls._make(lib.pqtpy_region_of_runs, ffi.from_buffer(array), len(array))

    @classmethod
    def from_png(cls, data: Any, at: Sequence[int] = (0, 0), *, channel: str = "auto",
                 threshold: int = 127) -> "Region":
        """Returns a region of the pixels of a PNG, as bytes, whose value is above a threshold.

        The channel 'auto' takes the alpha if the picture has any, and otherwise the brightness;
        'alpha', 'light' and 'dark' take one of them, 'dark' for ink on paper.
        """
        x, y = at
        threshold = operator.index(threshold)
        if not 0 <= threshold <= 255:
            raise ValueError("the threshold must be from 0 to 255, not %d" % threshold)
        numbers = (pixel_of(x), pixel_of(y), named(channel, _CHANNELS, "the channel"), threshold)
        source, error = ffi.from_buffer("char[]", data), new_error()
        return cls._made(lib.pqtpy_region_read_png, source, len(source),
                         ffi.new("int32_t[4]", numbers), error)

    # ---- Painting ----

    def paint_pixel(self, x: int, y: int, operation: str = "set") -> "Region":
        """Returns the region with one pixel set, cleared or toggled."""
        return self.paint_box((x, y, operator.index(x) + 1, operator.index(y) + 1), operation)

    def paint_box(self, box: Sequence[int], operation: str = "set") -> "Region":
        """Returns the region with the pixels of a box set, cleared or toggled."""
        primitive = box_primitive(box, _operation(operation))
        return self._make(lib.pqtpy_region_paint, self._pin, primitive, 1)

    def paint_disc(self, centre: Sequence[float], radius: float,
                   operation: str = "set") -> "Region":
        """Returns the region with the pixels of a disc set, cleared or toggled."""
        return self.paint_stroke(centre, centre, radius, operation)

    def paint_stroke(self, start: Sequence[float], end: Sequence[float], radius: float,
                     operation: str = "set") -> "Region":
        """Returns the region with all pixels near a segment set, cleared or toggled.

        These are the pixels whose centres are within `radius` of the segment.
        """
        primitive = stroke_primitive(start, end, radius, _operation(operation))
        return self._make(lib.pqtpy_region_paint, self._pin, primitive, 1)

    # ---- Sets ----

    def _combine(self, call: Any, other: object, offset: Sequence[int] = (0, 0)) -> Any:
        if not isinstance(other, Region):
            return NotImplemented
        x, y = offset
        return self._make(call, self._pin, other._pin, pixel_of(x), pixel_of(y))

    def union(self, other: "Region", offset: Sequence[int] = (0, 0)) -> "Region":
        """Returns the pixels that are in either region, after moving `other` by `offset`."""
        return self._combine(lib.pqtpy_region_union, self._region(other), offset)

    def intersection(self, other: "Region", offset: Sequence[int] = (0, 0)) -> "Region":
        """Returns the pixels that are in both regions, after moving `other` by `offset`."""
        return self._combine(lib.pqtpy_region_intersection, self._region(other), offset)

    def difference(self, other: "Region", offset: Sequence[int] = (0, 0)) -> "Region":
        """Returns the pixels that are not in `other`, after moving it by `offset`."""
        return self._combine(lib.pqtpy_region_difference, self._region(other), offset)

    def symmetric_difference(self, other: "Region", offset: Sequence[int] = (0, 0)) -> "Region":
        """Returns the pixels of exactly one of both, after moving `other` by `offset`."""
        return self._combine(lib.pqtpy_region_xor, self._region(other), offset)

    @staticmethod
    def _region(other: Any) -> "Region":
        if not isinstance(other, Region):
            raise TypeError("expected a Region, not %s" % type(other).__name__)
        return other

    def __or__(self, other: object) -> Any:
        return self._combine(lib.pqtpy_region_union, other)

    def __and__(self, other: object) -> Any:
        return self._combine(lib.pqtpy_region_intersection, other)

    def __sub__(self, other: object) -> Any:
        return self._combine(lib.pqtpy_region_difference, other)

    def __xor__(self, other: object) -> Any:
        return self._combine(lib.pqtpy_region_xor, other)

    def _change(self, call: Any, *numbers: Any) -> "Region":
        return self._make(call, self._pin, *(pixel_of(number) for number in numbers))

    def move(self, x: int, y: int) -> "Region":
        """Returns the region moved by whole pixels."""
        return self._change(lib.pqtpy_region_move, x, y)

    def scale(self, factor_x: int, factor_y: Optional[int] = None) -> "Region":
        """Returns the region enlarged by whole factors; by one for both axes if only it is given.

        The pixel x, y becomes the box of factor_x x factor_y pixels at x * factor_x, y * factor_y.
        """
        return self._change(lib.pqtpy_region_scale, factor_x,
                            factor_x if factor_y is None else factor_y)

    def resize(self, size: Sequence[int], box: Optional[Sequence[int]] = None,
               sampling: str = "nearest") -> "Region":
        """Returns the pixels of a box, the bounds by default, scaled to a (width, height) at (0, 0).

        With 'nearest', a pixel is set if its centre comes from the region, with 'area', if at least
        half of its area does. Everything is exact.
        """
        width, height = size
        boxes = self._window(box) + pixel_box_of((0, 0, width, height))
        return self._make(lib.pqtpy_region_resize, self._pin, ffi.new("int32_t[8]", boxes),
                          named(sampling, SAMPLINGS, "the sampling"))

    def map(self, matrix: Any, sampling: str = "nearest") -> "Region":
        """Returns the region mapped by a matrix of shape (2, 3): the point x, y goes to
        matrix @ (x, y, 1). See `resize` for the sampling.
        """
        array = matrix_of(matrix)
        return self._make(lib.pqtpy_region_map, self._pin, doubles(array),
                          named(sampling, SAMPLINGS, "the sampling"))

    def rotate(self, heading: Sequence[float], centre: Sequence[float] = (0, 0),
               sampling: str = "nearest") -> "Region":
        """Returns the region rotated about a point, so that the x axis turns onto a heading.

        A heading is a vector of any length: (0, 1) turns clockwise on a screen.
        """
        return self._make(lib.pqtpy_region_map, self._pin, rotation_of(heading, centre),
                          named(sampling, SAMPLINGS, "the sampling"))

    def transform(self, name: str) -> "Region":
        """Returns the region flipped or rotated about the point 0, 0.

        The name is 'flip_x', 'flip_y', 'rotate_90' (clockwise on a screen), 'rotate_180',
        'rotate_270', 'flip_diagonal' or 'flip_antidiagonal'. With 'flip_x', the pixel x, y goes to
        -1 - x, y; `move` moves the result elsewhere.
        """
        return self._change(lib.pqtpy_region_transform,
                            named(name, _TRANSFORMS, "the transform"))

    def intern(self) -> "Region":
        """Returns an equal region that stores equal squares once, for repetitive pictures."""
        return self._change(lib.pqtpy_region_intern)

    def complement(self, box: Sequence[int]) -> "Region":
        """Returns the pixels of a box that are not in the region."""
        min_x, min_y, max_x, max_y = box
        return self._change(lib.pqtpy_region_complement, min_x, min_y, max_x, max_y)

    def crop(self, box: Sequence[int]) -> "Region":
        """Returns the pixels of the region that are in a box."""
        min_x, min_y, max_x, max_y = box
        return self._change(lib.pqtpy_region_crop, min_x, min_y, max_x, max_y)

    def dilate(self, steps: int = 1, connectivity: int = 8) -> "Region":
        """Returns the region after adding the 4 or 8 neighbours of all pixels, `steps` times."""
        return self._change(lib.pqtpy_region_dilate, steps, connectivity)

    def erode(self, steps: int = 1, connectivity: int = 8) -> "Region":
        """Returns the region after removing pixels that have a neighbour outside, `steps` times."""
        return self._change(lib.pqtpy_region_erode, steps, connectivity)

    def dilate_disc(self, radius: float) -> "Region":
        """Returns the pixels with a distance of at most `radius` from a pixel of the region."""
        return self._make(lib.pqtpy_region_dilate_disc, self._pin, radius)

    def erode_disc(self, radius: float) -> "Region":
        """Returns the pixels whose distance from all pixels outside is above `radius`."""
        return self._make(lib.pqtpy_region_erode_disc, self._pin, radius)

    def skeleton(self) -> "Region":
        """Returns lines that are one pixel wide in the middle of the region."""
        return self._make(lib.pqtpy_region_skeleton, self._pin)

    def squared_distances(self, window: Optional[Sequence[int]] = None,
                          to: str = "region") -> np.ndarray:
        """Returns the squared distance of each pixel of a window to the nearest pixel of the window
        that is in the region or, with 'outside', that is not, as an array of shape (height, width).

        The distances are exact: those between the centres of pixels. They are 2^32 - 1 if the window
        has no such pixel. The window is the bounds by default.
        """
        sides, target = self._window(window), named(to, _TARGETS, "the target")
        min_x, min_y, max_x, max_y = sides
        squares, error = np.empty((max_y - min_y, max_x - min_x), np.uint32), new_error()
        if not lib.pqtpy_region_distances(self._pin, *sides, target,
                                          ffi.from_buffer("uint32_t[]", squares), error):
            raise_error(error)
        return squares

    def outline(self, connectivity: int = 4) -> "Region":
        """Returns the pixels that have one of their 4 or 8 neighbours outside the region."""
        return self._change(lib.pqtpy_region_outline, connectivity)

    def component(self, x: int, y: int, connectivity: int = 4) -> "Region":
        """Returns the connected component that contains a pixel: a flood fill.

        It is empty if the pixel is not in the region.
        """
        return self._change(lib.pqtpy_region_component, x, y, connectivity)

    def largest_component(self, connectivity: int = 4) -> "Region":
        """Returns the connected component with the most pixels; the first of several."""
        return self._change(lib.pqtpy_region_largest_component, connectivity)

    def components(self, connectivity: int = 4, minimum: int = 0) -> List["Region"]:
        """Returns the connected components, in the order of their first pixels, row by row.

        Components of fewer than `minimum` pixels are left out.
        """
        minimum = operator.index(minimum)
        if not 0 <= minimum < 2 ** 64:
            raise ValueError("the minimum must be from 0 to 2^64 - 1, not %d" % minimum)
        boxes = pixel_boxes(lib.pqtpy_region_components, self._pin, pixel_of(connectivity),
                            float(min(minimum, 2 ** 63)))
        ends = np.flatnonzero(boxes[:, 0] == boxes[:, 2]).tolist()  # empty boxes
        return [type(self).of_boxes(boxes[begin:end])
                for begin, end in zip([0] + [end + 1 for end in ends], ends)]

    def contours(self, connectivity: int = 4, tolerance: float = 0) -> List[List[np.ndarray]]:
        """Returns the edges of the region as polygons, a list for each component.

        The first polygon of a list is the outer contour, clockwise on a screen; the others are
        holes, counterclockwise. A polygon is an array of corners, shape (n, 2); the corner (x, y) is
        the upper left one of the pixel (x, y). With a tolerance, in pixels, polygons are
        simplified: corners that are at most that far from the result are left out.
        """
        corners = filled(np.int32, lib.pqtpy_region_contours, self._pin, pixel_of(connectivity),
                         tolerance).reshape(-1, 2)
        found: Dict[int, List[np.ndarray]] = {}
        at = 0
        while at < len(corners):  # a row with the count and the outer contour precedes a contour
            count, outer = corners[at].tolist()
            found.setdefault(outer, []).append(corners[at + 1:at + 1 + count].copy())
            at += 1 + count
        return list(found.values())

    # ---- Collisions ----

    def overlaps(self, other: "Region", offset: Sequence[float] = (0, 0), *, cell: int = 1,
                 other_cell: int = 1, kind: str = "outer") -> bool:
        """Returns whether any pixels of two regions overlap, after moving `other` by `offset`.

        The offset need not be whole. With `cell` or `other_cell` above 1, a power of two, squares of
        that side are compared instead of pixels: a square counts if any of its pixels is in the
        region or, with the kind 'inner', if all of them are.
        """
        x, y = _offset(offset)
        error = new_error()
        found = lib.pqtpy_region_overlaps(self._pin, self._region(other)._pin, x, y,
                                          *_cells(cell, other_cell, kind), error)
        if found < 0:
            raise_error(error)
        return bool(found)

    def overlap_area(self, other: "Region", offset: Sequence[float] = (0, 0)) -> float:
        """Returns the area that both regions have in common, in pixels."""
        x, y = _offset(offset)
        return lib.pqtpy_region_overlap_area(self._pin, self._region(other)._pin, x, y)

    def overlap_offsets(self, other: "Region") -> PixelBox:
        """Returns the box of the offsets at which the bounds of two regions overlap."""
        offsets = ffi.new("int32_t[4]")
        lib.pqtpy_region_overlap_offsets(self._pin, self._region(other)._pin, offsets)
        return PixelBox(*offsets)

    def convolve(self, other: "Region", offsets: Optional[Sequence[int]] = None) -> np.ndarray:
        """Returns the number of pixels that both regions have in common at each offset of a box.

        The array has shape (height, width); the element [0, 0] is that for the upper left offset.
        The box is `overlap_offsets` by default.
        """
        pin = self._region(other)._pin
        box = pixel_box_of(self.overlap_offsets(other) if offsets is None else offsets)
        counts, error = np.empty((box[3] - box[1], box[2] - box[0]), np.uint32), new_error()
        if not lib.pqtpy_region_convolve(self._pin, pin, *box,
                                         ffi.from_buffer("uint32_t[]", counts), error):
            raise_error(error)
        return counts

    def first_overlap(self, other: "Region", offset: Sequence[float] = (0, 0), side: str = "top"
                      ) -> Optional[Tuple[Tuple[int, int], Tuple[int, int]]]:
        """Returns the first pair of pixels that overlap, or None: (x, y) of both regions, each in
        its own coordinates.

        The first is the one of this region that comes first from a side: 'top' (row by row),
        'bottom', 'left' (column by column) or 'right'.
        """
        x, y = _offset(offset)
        pair, number = ffi.new("int32_t[4]"), named(side, _SIDES, "the side")
        if not lib.pqtpy_region_first_overlap(self._pin, self._region(other)._pin, x, y, number,
                                              pair):
            return None
        return (pair[0], pair[1]), (pair[2], pair[3])

    def overlap_pairs(self, other: "Region", offset: Sequence[float] = (0, 0)) -> np.ndarray:
        """Returns all pairs of pixels that overlap, as an array of rectangles, shape (n, 6).

        A row (x, y, other_x, other_y, width, height) means that each pixel (x + i, y + k) of this
        region overlaps (other_x + i, other_y + k) of the other, for i < width and k < height.
        """
        x, y = _offset(offset)
        return filled(np.int32, lib.pqtpy_region_overlap_pairs, self._pin,
                      self._region(other)._pin, x, y).reshape(-1, 6)

    def overlaps_box(self, box: BoxLike) -> bool:
        """Returns whether a box of any coordinates overlaps the region."""
        min_x, min_y, max_x, max_y = box
        return lib.pqtpy_region_overlaps_box(self._pin, min_x, min_y, max_x, max_y)

    def overlaps_circle(self, centre: Sequence[float], radius: float) -> bool:
        """Returns whether a circle overlaps the region."""
        x, y = centre
        return lib.pqtpy_region_overlaps_circle(self._pin, x, y, radius)

    def cast(self, start: Sequence[float], end: Optional[Sequence[float]] = None, *,
             direction: Optional[Sequence[float]] = None) -> Optional[PixelHit]:
        """Returns the first pixel that a line hits, or None.

        The line is a segment from `start` to `end`, or a ray from `start` in a direction. A line
        along the outer edge of the region touches it, but does not hit it.
        """
        line, is_ray = line_of(start, end, direction)
        x, y, to_x, to_y = line.ravel().tolist()
        numbers = ffi.new("double[6]")
        if not lib.pqtpy_region_cast(self._pin, is_ray, x, y, to_x, to_y, numbers):
            return None
        inside, x, y, entry, normal_x, normal_y = numbers
        return PixelHit((int(x), int(y)), entry, (normal_x, normal_y), bool(inside))

    def sweep(self, start: Sequence[float], end: Sequence[float], other: "Region", *,
              ignore_overlap: bool = False, cell: int = 1, other_cell: int = 1,
              kind: str = "outer") -> RegionSweep:
        """Moves this region from one position to another, and returns where `other` stops it.

        A position is the displacement of the region in pixels, and need not be whole. With
        `ignore_overlap`, a region that overlaps at the start moves freely until it is out. Cells
        are as in `overlaps`.
        """
        return self.slide(start, end, other, bounces=0, ignore_overlap=ignore_overlap, cell=cell,
                          other_cell=other_cell, kind=kind).last

    def slide(self, start: Sequence[float], end: Sequence[float], other: "Region", *,
              bounces: int = 2, ignore_overlap: bool = False, cell: int = 1, other_cell: int = 1,
              kind: str = "outer") -> RegionSlide:
        """Like sweep, but if one axis is blocked, the region continues along the other one, up to
        `bounces` times; more than 2 are never needed."""
        side, other_side, is_inner = _cells(cell, other_cell, kind)
        numbers, error = ffi.new("double[19]"), new_error()
        if not lib.pqtpy_region_slide(self._pin, self._region(other)._pin,
                                      path_of(start, end, side, other_side), is_inner, bounces_of(bounces),
                                      bool(ignore_overlap), numbers, error):
            raise_error(error)
        return _slide_of(numbers)

    def sweep_shape(self, shape: Any, start: Sequence[float], end: Sequence[float], *,
                    ignore_overlap: bool = False) -> RegionSweep:
        """Moves a shape from one position to another, and returns where this region stops it.

        The shape is a box, a circle, given by its radius, or the convex hull of 2 to 8 points, as
        in Tree.sweep.
        """
        return self.slide_shape(shape, start, end, bounces=0, ignore_overlap=ignore_overlap).last

    def slide_shape(self, shape: Any, start: Sequence[float], end: Sequence[float], *,
                    bounces: int = 3, ignore_overlap: bool = False) -> RegionSlide:
        """Like sweep_shape, but the shape slides along the region, up to `bounces` times."""
        kind, corners = shape_of(shape)
        numbers, error = ffi.new("double[19]"), new_error()
        if not lib.pqtpy_region_slide_shape(self._pin, kind, path_of(start, end, *corners.tolist()),
                                            len(corners) // 2, bounces_of(bounces),
                                            bool(ignore_overlap), numbers, error):
            raise_error(error)
        return _slide_of(numbers)

    # ---- Reading ----

    @property
    def stats(self) -> RegionStats:
        """The pixels, nodes, leaves and bytes of this version. Takes O(nodes) time."""
        figures = ffi.new("uint64_t[6]")
        lib.pqtpy_region_stats(self._pin, figures)
        return RegionStats(*figures)

    def moments(self) -> Moments:
        """Returns the centroid, the second central moments and the axis of the region."""
        numbers = ffi.new("double[7]")
        lib.pqtpy_region_moments(self._pin, numbers)
        x, y, xx, xy, yy, axis_x, axis_y = numbers
        return Moments((x, y), xx, xy, yy, (axis_x, axis_y))

    @property
    def bounds(self) -> PixelBox:
        """The smallest box around all pixels; (0, 0, 0, 0) if there are none."""
        bounds = ffi.new("int32_t[4]")
        lib.pqtpy_region_bounds(self._pin, bounds)
        return PixelBox(*bounds)

    def _window(self, window: Optional[Sequence[int]]) -> PixelBox:
        """Returns a window; the bounds if it is None."""
        return pixel_box_of(self.bounds if window is None else window)

    def count_in(self, window: Sequence[int]) -> int:
        """Returns the number of pixels of a window that are in the region."""
        return lib.pqtpy_region_count_in(self._pin, *pixel_box_of(window))

    def boxes(self, window: Optional[Sequence[int]] = None) -> np.ndarray:
        """Returns boxes that cover exactly the pixels of a window, shape (n, 4): all by default.

        They do not overlap, and are in the order of their upper left corners, row by row.
        """
        return pixel_boxes(lib.pqtpy_region_boxes, self._pin, *self._window(window))

    def runs(self, window: Optional[Sequence[int]] = None) -> np.ndarray:
        """Returns the pixels of a window as runs, shape (n, 3), row by row; all by default.

        A run is (y, min_x, max_x): consecutive pixels of a row, with min_x <= x < max_x.
        """
        return filled(np.int32, lib.pqtpy_region_runs, self._pin,
                      *self._window(window)).reshape(-1, 3)

    def squares(self) -> np.ndarray:
        """Returns the squares of the quadtree that contain pixels, each before its parts.

        The array has the fields box, kind (1 divided, 2 a leaf, 3 full) and count, the number of
        pixels of the region in the square.
        """
        return filled(SQUARE, lib.pqtpy_region_squares, self._pin)

    def damage(self, after: "Region", most: Optional[int] = None) -> np.ndarray:
        """Returns boxes that cover the pixels in which two regions differ, shape (n, 4).

        If there are more than `most` boxes, some are merged into larger ones.
        """
        count = 0 if most is None else operator.index(most)
        if most is not None and not 1 <= count < 2 ** 31:
            raise ValueError("most must be from 1 to 2^31 - 1, not %d" % count)
        return pixel_boxes(lib.pqtpy_region_damage, self._pin, self._same(after), count)

    def to_array(self, window: Optional[Sequence[int]] = None) -> np.ndarray:
        """Returns the pixels in a window as an array of booleans, shape (height, width).

        The window is the bounds by default.
        """
        sides = self._window(window)
        min_x, min_y, max_x, max_y = sides
        image, error = np.zeros((max_y - min_y, max_x - min_x), np.uint8), new_error()
        if not lib.pqtpy_region_to_bytes(self._pin, *sides, 1, ffi.from_buffer("uint8_t[]", image),
                                         error):
            raise_error(error)
        return image.view(np.bool_)

    def to_png(self, window: Optional[Sequence[int]] = None) -> bytes:
        """Returns the pixels in a window as a PNG of one bit: black, and transparent elsewhere.

        The window is the bounds by default; it must have a pixel.
        """
        error = new_error()
        with Growing() as out:
            if not lib.pqtpy_region_write_png(self._pin, tuple(self._window(window)), out.bytes, error):
                raise_error(error)
            return out.copy()

    def __len__(self) -> int:
        return lib.pqtpy_region_count(self._pin)

    def __contains__(self, pixel: Any) -> bool:
        x, y = pixel
        return lib.pqtpy_region_contains(self._pin, pixel_of(x), pixel_of(y))

    def __iter__(self) -> Iterator[Tuple[int, int]]:
        for min_x, min_y, max_x, max_y in self.boxes().tolist():
            for y in range(min_y, max_y):
                for x in range(min_x, max_x):
                    yield x, y

    def __repr__(self) -> str:
        return "<pqt.Region of %d pixels in (%d, %d, %d, %d)>" % ((len(self),) + self.bounds)

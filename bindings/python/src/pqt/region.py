# SPDX-License-Identifier: MIT
"""Persistent sets of pixels."""
from __future__ import annotations

import operator
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._core import Growing, Version, array_of, ffi, lib, new_error, raise_error

_OPERATIONS = {"set": 1, "clear": 2, "toggle": 3}
_UNION, _INTERSECTION, _DIFFERENCE, _XOR = 1, 2, 3, 4
_MOVE, _COMPLEMENT, _CROP, _DILATE, _ERODE, _OUTLINE, _COMPONENT, _LARGEST = range(1, 9)


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


def _pixel(number: Any) -> int:
    """Returns an integer that fits into 32 bits."""
    number = operator.index(number)
    if not -2 ** 31 <= number < 2 ** 31:
        raise ValueError("a coordinate of a pixel must fit into 32 bits, but %d does not" % number)
    return number


def _operation(name: str) -> int:
    try:
        return _OPERATIONS[name]
    except (KeyError, TypeError):
        raise ValueError("an operation must be 'set', 'clear' or 'toggle', "
                         "not %r" % (name,)) from None


def _pixel_boxes(out: Growing) -> np.ndarray:
    return out.array(np.int32).reshape(-1, 4)


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
        error = new_error()
        pin = lib.pqtpy_region_of_bytes(ffi.from_buffer("uint8_t[]", array), array.shape[1],
                                        array.shape[0], _pixel(x), _pixel(y), error)
        return cls._wrap(pin, error)

    @classmethod
    def of_boxes(cls, boxes: Any) -> "Region":
        """Returns a region of the pixels in an array of integer boxes, shape (n, 4)."""
        array = array_of(boxes, "boxes")
        if array.size == 0:
            array = np.empty((0, 4), np.int32)
        if array.ndim != 2 or array.shape[1] != 4:
            raise ValueError("boxes must have shape (n, 4), not %s" % (array.shape,))
        if array.dtype.kind not in "iu":
            raise TypeError("boxes of pixels must be integers, not of dtype %s" % array.dtype)
        if array.size and (array.min() < -2 ** 31 or array.max() >= 2 ** 31):
            raise ValueError("a coordinate of a pixel must fit into 32 bits")
        array, error = np.require(array, np.int32, ["C", "A"]), new_error()
        pin = lib.pqtpy_region_of_boxes(ffi.from_buffer("int32_t[]", array), len(array), error)
        return cls._wrap(pin, error)

    # ---- Painting ----

    def paint_box(self, box: Sequence[int], operation: str = "set") -> "Region":
        """Returns the region with the pixels of a box set, cleared or toggled."""
        min_x, min_y, max_x, max_y = box
        error = new_error()
        pin = lib.pqtpy_region_paint_box(self._pin, _operation(operation), _pixel(min_x),
                                         _pixel(min_y), _pixel(max_x), _pixel(max_y), error)
        return self._wrap(pin, error)

    def paint_disc(self, centre: Sequence[float], radius: float,
                   operation: str = "set") -> "Region":
        """Returns the region with the pixels of a disc set, cleared or toggled."""
        return self.paint_stroke(centre, centre, radius, operation)

    def paint_stroke(self, start: Sequence[float], end: Sequence[float], radius: float,
                     operation: str = "set") -> "Region":
        """Returns the region with all pixels near a segment set, cleared or toggled.

        These are the pixels whose centres are within `radius` of the segment.
        """
        from_x, from_y = start
        to_x, to_y = end
        error = new_error()
        pin = lib.pqtpy_region_paint_stroke(self._pin, _operation(operation), from_x, from_y, to_x,
                                            to_y, radius, error)
        return self._wrap(pin, error)

    # ---- Sets ----

    def _combine(self, operation: int, other: object) -> Any:
        if not isinstance(other, Region):
            return NotImplemented
        error = new_error()
        return self._made(lib.pqtpy_region_combine, operation, self._pin, other._pin, error)

    def __or__(self, other: object) -> Any:
        return self._combine(_UNION, other)

    def __and__(self, other: object) -> Any:
        return self._combine(_INTERSECTION, other)

    def __sub__(self, other: object) -> Any:
        return self._combine(_DIFFERENCE, other)

    def __xor__(self, other: object) -> Any:
        return self._combine(_XOR, other)

    def _change(self, operation: int, *numbers: Any) -> "Region":
        four = [_pixel(number) for number in numbers] + [0] * (4 - len(numbers))
        error = new_error()
        return self._made(lib.pqtpy_region_change, operation, self._pin, *four, error)

    def move(self, x: int, y: int) -> "Region":
        """Returns the region moved by whole pixels."""
        return self._change(_MOVE, x, y)

    def complement(self, box: Sequence[int]) -> "Region":
        """Returns the pixels of a box that are not in the region."""
        min_x, min_y, max_x, max_y = box
        return self._change(_COMPLEMENT, min_x, min_y, max_x, max_y)

    def crop(self, box: Sequence[int]) -> "Region":
        """Returns the pixels of the region that are in a box."""
        min_x, min_y, max_x, max_y = box
        return self._change(_CROP, min_x, min_y, max_x, max_y)

    def dilate(self, steps: int = 1, connectivity: int = 8) -> "Region":
        """Returns the region after adding the 4 or 8 neighbours of all pixels, `steps` times."""
        return self._change(_DILATE, steps, connectivity)

    def erode(self, steps: int = 1, connectivity: int = 8) -> "Region":
        """Returns the region after removing pixels that have a neighbour outside, `steps` times."""
        return self._change(_ERODE, steps, connectivity)

    def outline(self, connectivity: int = 4) -> "Region":
        """Returns the pixels that have one of their 4 or 8 neighbours outside the region."""
        return self._change(_OUTLINE, 0, connectivity)

    def component(self, x: int, y: int, connectivity: int = 4) -> "Region":
        """Returns the connected component that contains a pixel: a flood fill.

        It is empty if the pixel is not in the region.
        """
        return self._change(_COMPONENT, x, y, connectivity)

    def largest_component(self, connectivity: int = 4) -> "Region":
        """Returns the connected component with the most pixels; the first of several."""
        return self._change(_LARGEST, connectivity)

    def components(self, connectivity: int = 4, minimum: int = 0) -> List["Region"]:
        """Returns the connected components, in the order of their first pixels, row by row.

        Components of fewer than `minimum` pixels are left out.
        """
        minimum, error = operator.index(minimum), new_error()
        if not 0 <= minimum < 2 ** 64:
            raise ValueError("the minimum must be from 0 to 2^64 - 1, not %d" % minimum)
        with Growing() as out:
            if not lib.pqtpy_region_components(self._pin, _pixel(connectivity), minimum, out.bytes,
                                               error):
                raise_error(error)
            boxes = _pixel_boxes(out)
        found, at = [], 0
        while at < len(boxes):  # a row with the number of boxes precedes those of a component
            end = at + 1 + int(boxes[at, 0])
            found.append(type(self).of_boxes(boxes[at + 1:end]))
            at = end
        return found

    def contours(self, connectivity: int = 4, tolerance: float = 0) -> List[List[np.ndarray]]:
        """Returns the edges of the region as polygons, a list for each component.

        The first polygon of a list is the outer contour, clockwise on a screen; the others are
        holes, counterclockwise. A polygon is an array of corners, shape (n, 2); the corner (x, y) is
        the upper left one of the pixel (x, y). With a tolerance, in pixels, polygons are
        simplified: corners that are at most that far from the result are left out.
        """
        error = new_error()
        with Growing() as out:
            if not lib.pqtpy_region_contours(self._pin, _pixel(connectivity), tolerance, out.bytes,
                                             error):
                raise_error(error)
            corners = out.array(np.int32).reshape(-1, 2)
        found: Dict[int, List[np.ndarray]] = {}
        at = 0
        while at < len(corners):  # a row with the count and the outer contour precedes a contour
            count, outer = corners[at].tolist()
            found.setdefault(outer, []).append(corners[at + 1:at + 1 + count].copy())
            at += 1 + count
        return list(found.values())

    # ---- Reading ----

    def moments(self) -> Moments:
        """Returns the centroid, the second central moments and the axis of the region."""
        numbers = ffi.new("double[7]")
        lib.pqtpy_region_moments(self._pin, numbers)
        x, y, xx, xy, yy, axis_x, axis_y = numbers
        return Moments((x, y), xx, xy, yy, (axis_x, axis_y))

    def sweep(self, start: Sequence[float], end: Sequence[float], other: "Region") -> RegionSweep:
        """Moves this region from one position to another, and returns where `other` stops it.

        A position is the displacement of the region in pixels, and need not be whole.
        """
        if not isinstance(other, Region):
            raise TypeError("a region is swept against a Region, not %s" % type(other).__name__)
        numbers = ffi.new("double[9]")
        path = [float(number) for number in (*start, *end)]
        if len(path) != 4:
            raise ValueError("a position must be (x, y)")
        lib.pqtpy_region_sweep(self._pin, other._pin, path, numbers)
        if numbers[0] == 0:
            raise ValueError("a position must be finite and at most 2^20 pixels away, not %s to %s"
                             % (tuple(start), tuple(end)))
        blocked = int(numbers[4])
        return RegionSweep(_STATUSES[int(numbers[0])], numbers[1], (numbers[2], numbers[3]),
                           bool(blocked & 1), bool(blocked & 2), (numbers[5], numbers[6]),
                           (numbers[7], numbers[8]))

    @property
    def bounds(self) -> PixelBox:
        """The smallest box around all pixels; (0, 0, 0, 0) if there are none."""
        bounds = ffi.new("int32_t[4]")
        lib.pqtpy_region_bounds(self._pin, bounds)
        return PixelBox(*bounds)

    def boxes(self) -> np.ndarray:
        """Returns boxes that cover the region and do not overlap, shape (n, 4)."""
        error = new_error()
        with Growing() as out:
            if not lib.pqtpy_region_boxes(self._pin, out.bytes, error):
                raise_error(error)
            return _pixel_boxes(out)

    def damage(self, after: "Region") -> np.ndarray:
        """Returns boxes that cover the pixels in which two regions differ, shape (n, 4)."""
        error = new_error()
        with Growing() as out:
            if not lib.pqtpy_region_damage(self._pin, self._same(after), out.bytes, error):
                raise_error(error)
            return _pixel_boxes(out)

    def to_array(self, window: Optional[Sequence[int]] = None) -> np.ndarray:
        """Returns the pixels in a window as an array of booleans, shape (height, width).

        The window is the bounds by default.
        """
        box = self.bounds if window is None else window
        min_x, min_y, max_x, max_y = (_pixel(number) for number in box)
        if min_x > max_x or min_y > max_y:
            raise ValueError("the window is inverted")
        image, error = np.zeros((max_y - min_y, max_x - min_x), np.uint8), new_error()
        sides = ffi.new("int32_t[4]", (min_x, min_y, max_x, max_y))
        if not lib.pqtpy_region_to_bytes(self._pin, sides, ffi.from_buffer("uint8_t[]", image),
                                         error):
            raise_error(error)
        return image.view(np.bool_)

    def __len__(self) -> int:
        return lib.pqtpy_region_count(self._pin)

    def __contains__(self, pixel: Any) -> bool:
        x, y = pixel
        return lib.pqtpy_region_contains(self._pin, _pixel(x), _pixel(y))

    def __iter__(self) -> Iterator[Tuple[int, int]]:
        for min_x, min_y, max_x, max_y in self.boxes().tolist():
            for y in range(min_y, max_y):
                for x in range(min_x, max_x):
                    yield x, y

    def __repr__(self) -> str:
        return "<pqt.Region of %d pixels in (%d, %d, %d, %d)>" % ((len(self),) + self.bounds)

# SPDX-License-Identifier: MIT
"""Persistent pictures of 8-bit RGBA."""
from __future__ import annotations

import operator
from typing import Any, Callable, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._core import Growing, Version, array_of, doubles, ffi, lib, new_error, raise_error
from .region import (SAMPLINGS, PixelBox, Region, box_primitive, matrix_of, named, pixel_box_of,
                     pixel_boxes, pixel_of, rotation_of, stroke_primitive)

_MODES = {"replace": 1, "over": 2}
_ALPHA, _LIGHT, _COLOUR = 1, 2, 3
_RESOLUTIONS = {"ours": 1, "theirs": 2, "base": 3}
_LIMIT = 1048576  # pixels, PQT_PIXEL_LIMIT

Resolve = Union[None, str, Callable[[PixelBox], str]]


class Colour(NamedTuple):
    """A colour: four numbers from 0 to 255; alpha 255 is opaque."""

    r: int
    g: int
    b: int
    a: int


class ImageStats(NamedTuple):
    """Statistics of an image; see Image.stats."""

    nodes: int
    tiles: int
    """squares of 16 x 16 pixels that have several colours"""
    bytes: int
    level: int
    """the root covers 2^level pixels on both axes"""


def _byte(number: Any, what: str) -> int:
    number = operator.index(number)
    if not 0 <= number <= 255:
        raise ValueError("%s must be from 0 to 255, not %d" % (what, number))
    return number


def _colour(colour: Sequence[int]) -> int:
    """Returns the four bytes of a colour as one number. Without an alpha, it is opaque."""
    numbers = [_byte(number, "a channel of a colour") for number in colour]
    if len(numbers) not in (3, 4):
        raise ValueError("a colour has 3 or 4 numbers, not %d" % len(numbers))
    return int.from_bytes(bytes((numbers + [255])[:4]), "little")


def _mode(mode: str) -> int:
    return named(mode, _MODES, "the mode")


def _side(number: Any, what: str) -> int:
    number = operator.index(number)
    if not 1 <= number <= _LIMIT:
        raise ValueError("the %s must be from 1 to 2^20, not %d" % (what, number))
    return number


def _rgba_of(pixels: Any) -> np.ndarray:
    """Returns pixels as an array of bytes, shape (height, width, 4), whose rows have no gaps.

    Copies them only if necessary.
    """
    array = array_of(pixels, "pixels")
    if array.dtype == np.bool_ or array.ndim not in (2, 3):
        raise ValueError("pixels must have shape (height, width), (height, width, 3) or (height, "
                         "width, 4), and numbers from 0 to 255")
    if array.dtype != np.uint8:
        if array.dtype.kind not in "iu":
            raise TypeError("pixels must be integers from 0 to 255, not of dtype %s" % array.dtype)
        if array.size and (array.min() < 0 or array.max() > 255):
            raise ValueError("pixels must be from 0 to 255")
        array = array.astype(np.uint8)
    if array.ndim == 2:
        array = np.repeat(array[:, :, None], 3, axis=2)
    if array.shape[2] == 3:
        opaque = np.full(array.shape[:2] + (1,), 255, np.uint8)
        array = np.concatenate((array, opaque), axis=2)
    if array.shape[2] != 4:
        raise ValueError("a pixel has 1, 3 or 4 numbers, not %d" % array.shape[2])
    return array if _has_plain_rows(array) else np.ascontiguousarray(array)


def _has_plain_rows(array: np.ndarray) -> bool:
    """Returns whether the pixels of each row follow each other, and the rows do not go upward."""
    return array.strides[1:] == (4, 1) and array.strides[0] >= 4 * array.shape[1]


class Image(Version):
    """An immutable picture. Its width and height never change. y points down.

    A colour is (r, g, b) or (r, g, b, a), from 0 to 255, and not multiplied by alpha. Edits return
    new images, which share all equal parts with the old ones; drawing beyond the edges has no
    effect. The mode 'over' draws a colour over the pixels, 'replace' gives them the colour with its
    alpha. Boxes of pixels are half open, as in Region.
    """

    __slots__ = ()
    _kind = 6

    def __new__(cls, width: int, height: int, colour: Sequence[int] = (0, 0, 0, 0)) -> "Image":
        """Returns an image of one colour, which takes no memory for its pixels."""
        return cls._make(lib.pqtpy_image_make, _side(width, "width"), _side(height, "height"),
                         _colour(colour))

    @classmethod
    def of(cls, pixels: Any) -> "Image":
        """Returns an image of an array of numbers from 0 to 255: grey, RGB or RGBA.

        The shape is (height, width), (height, width, 3) or (height, width, 4). An array of bytes of
        RGBA is read where it is, if the pixels of each row follow each other.
        """
        array = _rgba_of(pixels)
        height, width = array.shape[:2]
        data = ffi.cast("uint8_t *", array.ctypes.data)
        return cls._make(lib.pqtpy_image_of_rgba, data, width, height, array.strides[0])

    @classmethod
    def from_png(cls, data: Any) -> "Image":
        """Returns the image of a PNG, as bytes. 16 bits are rounded to 8; every PNG can be read."""
        source, error = ffi.from_buffer("char[]", data), new_error()
        return cls._made(lib.pqtpy_image_read_png, source, len(source), error)

    # ---- Painting ----

    def _paint(self, primitive: Any, colour: Sequence[int], mode: str) -> "Image":
        return self._make(lib.pqtpy_image_paint, self._pin, primitive, 1, _colour(colour),
                          _mode(mode))

    def paint_pixel(self, x: int, y: int, colour: Sequence[int], mode: str = "over") -> "Image":
        """Returns the image with a colour drawn on one pixel."""
        return self.paint_box((x, y, operator.index(x) + 1, operator.index(y) + 1), colour, mode)

    def paint_box(self, box: Sequence[int], colour: Sequence[int], mode: str = "over") -> "Image":
        """Returns the image with a colour drawn on the pixels of a box."""
        return self._paint(box_primitive(pixel_box_of(box)), colour, mode)

    def paint_disc(self, centre: Sequence[float], radius: float, colour: Sequence[int],
                   mode: str = "over") -> "Image":
        """Returns the image with a colour drawn on the pixels of a disc."""
        return self.paint_stroke(centre, centre, radius, colour, mode)

    def paint_stroke(self, start: Sequence[float], end: Sequence[float], radius: float,
                     colour: Sequence[int], mode: str = "over") -> "Image":
        """Returns the image with a colour drawn on all pixels near a segment.

        These are the pixels whose centres are within `radius` of the segment, as in Region. To draw
        a line of several strokes with a colour that is not opaque, paint the strokes into a Region
        and `fill` that, so that the colour is drawn once.
        """
        return self._paint(stroke_primitive(start, end, radius), colour, mode)

    def fill(self, region: Region, colour: Sequence[int], at: Sequence[int] = (0, 0),
             mode: str = "over") -> "Image":
        """Returns the image with a colour drawn on the pixels of a region, moved by `at`."""
        if not isinstance(region, Region):
            raise TypeError("expected a Region, not %s" % type(region).__name__)
        x, y = at
        return self._make(lib.pqtpy_image_fill, self._pin, region._pin, pixel_of(x), pixel_of(y),
                          _colour(colour), _mode(mode))

    def blit(self, source: "Image", at: Sequence[int] = (0, 0),
             box: Optional[Sequence[int]] = None, mode: str = "over") -> "Image":
        """Returns the image with a box of another one drawn at `at`; all of it by default."""
        pin, (x, y) = self._same(source), at
        part = pixel_box_of(source.bounds if box is None else box)
        return self._make(lib.pqtpy_image_blit, self._pin, pin, *part, pixel_of(x), pixel_of(y),
                          _mode(mode))

    def resize(self, size: Sequence[int], box: Optional[Sequence[int]] = None,
               sampling: str = "nearest") -> "Image":
        """Returns a box, all of the image by default, scaled to a (width, height).

        With 'nearest', a pixel has the colour of the one that its centre comes from. With 'area',
        it is the mean of the pixels that cover it, weighted by area and alpha, rounded once.
        """
        width, height = size
        part = pixel_box_of(self.bounds if box is None else box)
        return self._make(lib.pqtpy_image_resize, self._pin, *part, _side(width, "width"),
                          _side(height, "height"), named(sampling, SAMPLINGS, "the sampling"))

    def map(self, matrix: Any, size: Optional[Sequence[int]] = None,
            sampling: str = "nearest") -> "Image":
        """Returns the image mapped by a matrix of shape (2, 3): the point x, y goes to
        matrix @ (x, y, 1). The result has a (width, height), that of the image by default; what is
        mapped elsewhere is left out. See `resize` for the sampling.
        """
        array = matrix_of(matrix)
        return self._mapped(doubles(array), size, sampling)

    def rotate(self, heading: Sequence[float], centre: Sequence[float] = (0, 0),
               size: Optional[Sequence[int]] = None, sampling: str = "nearest") -> "Image":
        """Returns the image rotated about a point, so that the x axis turns onto a heading.

        A heading is a vector of any length: (0, 1) turns clockwise on a screen. See `map` for the
        size.
        """
        return self._mapped(rotation_of(heading, centre), size, sampling)

    def _mapped(self, numbers: Any, size: Optional[Sequence[int]], sampling: str) -> "Image":
        width, height = self.size if size is None else size
        return self._make(lib.pqtpy_image_map, self._pin, numbers, _side(width, "width"),
                          _side(height, "height"), named(sampling, SAMPLINGS, "the sampling"))

    def flood(self, x: int, y: int, colour: Sequence[int], tolerance: int = 0,
              mode: str = "replace") -> "Image":
        """Returns the image with a colour drawn on the area of a pixel.

        The area has all pixels that can be reached over edges, and whose channels each differ from
        those of the pixel by at most the tolerance.
        """
        return self._make(lib.pqtpy_image_flood, self._pin, pixel_of(x), pixel_of(y),
                          _byte(tolerance, "the tolerance"), _colour(colour), _mode(mode))

    # ---- Reading ----

    @property
    def width(self) -> int:
        """The width in pixels."""
        return self.size[0]

    @property
    def height(self) -> int:
        """The height in pixels."""
        return self.size[1]

    @property
    def size(self) -> Tuple[int, int]:
        """The width and the height in pixels."""
        return self.bounds[2:]

    @property
    def bounds(self) -> PixelBox:
        """The box of all pixels."""
        bounds = ffi.new("int32_t[4]")
        lib.pqtpy_image_bounds(self._pin, bounds)
        return PixelBox(*bounds)

    @property
    def stats(self) -> ImageStats:
        """The nodes, tiles and bytes of this version. Takes O(nodes) time."""
        figures = ffi.new("uint64_t[4]")
        lib.pqtpy_image_stats(self._pin, figures)
        return ImageStats(*figures)

    def pixel(self, x: int, y: int) -> Colour:
        """Returns the colour of a pixel; (0, 0, 0, 0) outside the image."""
        colour = ffi.new("uint8_t[4]")
        lib.pqtpy_image_pixel(self._pin, pixel_of(x), pixel_of(y), colour)
        return Colour(*colour)

    def to_array(self, window: Optional[Sequence[int]] = None, *,
                 out: Optional[np.ndarray] = None) -> np.ndarray:
        """Returns the pixels of a window as an array of bytes, shape (height, width, 4).

        The window is the whole image by default; pixels outside the image are 0. With `out`, an
        array of that shape, the pixels are written there, and `out` is returned.
        """
        sides = pixel_box_of(self.bounds if window is None else window)
        shape = (sides[3] - sides[1], sides[2] - sides[0], 4)
        array = np.empty(shape, np.uint8) if out is None else out
        view = array[...] if isinstance(array, np.ndarray) else np.empty(0)  # keeps its shape
        if not (view.dtype == np.uint8 and view.shape == shape and view.flags.writeable
                and (view.size == 0 or _has_plain_rows(view))):
            raise ValueError("out must be a writeable array of bytes of shape %s, in which the "
                             "pixels of each row follow each other" % (shape,))
        data, error = ffi.cast("uint8_t *", view.ctypes.data), new_error()
        if not lib.pqtpy_image_to_rgba(self._pin, *sides, data,
                                       max(view.strides[0], 4 * shape[1]), error):
            raise_error(error)
        return array

    def to_png(self) -> bytes:
        """Returns the image as a PNG of 8-bit RGBA. from_png returns an equal image."""
        error = new_error()
        with Growing() as out:
            if not lib.pqtpy_image_write_png(self._pin, out.bytes, error):
                raise_error(error)
            return out.copy()

    def _repr_png_(self) -> Optional[bytes]:
        return self.to_png() if self.width * self.height <= 2 ** 22 else None

    def select(self, *, alpha: Optional[int] = None, light: Optional[int] = None,
               colour: Optional[Sequence[int]] = None, tolerance: int = 0) -> Region:
        """Returns the region of the pixels with one property.

        `alpha` and `light` are thresholds: the alpha, or the brightness (77 r + 150 g + 29 b) / 256,
        is above it. With `colour`, no channel differs from it by more than the tolerance.
        """
        if [alpha, light, colour].count(None) != 2:
            raise ValueError("a selection needs exactly one of alpha, light and colour")
        if colour is not None:
            kind, limit = _COLOUR, _byte(tolerance, "the tolerance")
        elif light is not None:
            kind, limit = _LIGHT, _byte(light, "the threshold")
        else:
            kind, limit = _ALPHA, _byte(alpha, "the threshold")
        return Region._make(lib.pqtpy_image_select, self._pin, kind, limit,
                            _colour((0, 0, 0, 0) if colour is None else colour))

    # ---- Several versions ----

    def damage(self, after: "Image") -> np.ndarray:
        """Returns boxes that cover the pixels in which two images of one size differ, shape (n, 4).
        """
        return pixel_boxes(lib.pqtpy_image_damage, self._pin, self._same(after))

    def _merge(self, ours: "Image", theirs: "Image", decisions: bytes) -> Tuple["Image", np.ndarray]:
        """Returns the merged image, and the boxes of the conflicts."""
        error = new_error()
        with Growing() as out:
            made = self._made(lib.pqtpy_image_merge, self._pin, self._same(ours),
                              self._same(theirs), decisions, len(decisions), out.bytes, error)
            return made, out.array(np.int32)[2:].reshape(-1, 4)  # after the number of words

    def conflicts(self, ours: "Image", theirs: "Image") -> np.ndarray:
        """Returns the boxes around the pixels that both sides changed to different colours.

        Each is the box around those in one square of 16 x 16 pixels, or a larger square that
        is in conflict as a whole. They are in Z order, and have shape (n, 4).
        """
        return self._merge(ours, theirs, bytes([_RESOLUTIONS["ours"]]))[1]

    def merge(self, ours: "Image", theirs: "Image", resolve: Resolve = None) -> "Image":
        """Returns the three-way merge of two images that both derive from this one, by pixels.

        `resolve` decides the pixels that both sides changed to different colours: 'ours', 'theirs'
        or 'base', or a function that returns one of these for the box of a conflict; see
        `conflicts`. Without it, such a pixel raises Conflict.
        """
        if resolve is None:
            return self._merge(ours, theirs, b"\0")[0]
        if isinstance(resolve, str):
            return self._merge(ours, theirs, bytes([_resolution(resolve)]))[0]
        boxes = self.conflicts(ours, theirs)
        decisions = bytes(_resolution(resolve(PixelBox(*box))) for box in boxes.tolist())
        return self._merge(ours, theirs, decisions or b"\0")[0]

    def __repr__(self) -> str:
        return "<pqt.Image of %d x %d pixels>" % self.size


def _resolution(name: Any) -> int:
    return named(name, _RESOLUTIONS, "a resolution")

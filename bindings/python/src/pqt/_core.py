# SPDX-License-Identifier: MIT
"""Errors, arrays and versions: code that all classes of the package share."""
from __future__ import annotations

import errno
import operator
import os
import re
import struct
import sys
import threading
import weakref
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._pqt import ffi, lib

BoxLike = Union[Sequence[float], np.ndarray]

RELATIONS = {"touches": 1, "overlaps": 2, "inside": 3, "covers": 4}
_ON_SPHERE = 8  # as in shim.c
CHANGES = {"insert": 1, "remove": 2, "move": 3, "remove_id": 4, "move_id": 5}
RESOLUTIONS = {None: 0, "ours": 1, "theirs": 2, "both": 3, "neither": 4, "base": 5}

ITEM = np.dtype([("box", np.float64, 4), ("id", np.uint64)])
CHANGE = np.dtype({"names": ["kind", "box", "id", "to"],
                   "formats": [np.int32, (np.float64, 4), np.uint64, (np.float64, 4)],
                   "offsets": [0, 8, 40, 48], "itemsize": 80})

REFUSED = int(ffi.cast("size_t", -1))

_OBJECT = np.dtype(object)
_UNPIN = (lib.pqtpy_unpin,)


class Error(Exception):
    """A failure of the library.

    `code` is the value of pqt_status, `name` is its name, and `index` is the index of the faulty
    element of the array, or 0. The text of the exception names the value and the place.
    """

    def __init__(self, text: str, code: int = 0, index: int = 0) -> None:
        super().__init__(text, code, index)
        self.code = code
        self.index = index

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def name(self) -> str:
        """The name of the code as a short text."""
        return ffi.string(lib.pqt_status_name(self.code)).decode()


class InvalidValue(Error, ValueError):
    """The library refuses a number, a box, an option or a format."""


class OutOfMemory(Error, MemoryError):
    """There is not enough memory for the result. Nothing has changed."""


class Conflict(Error):
    """Both sides of a merge changed the same id, and no resolution was given; or another process
    has a store open for writing."""


class FileError(Error, OSError):
    """A file could not be opened, read or written.

    It has the attributes of an OSError: errno, strerror and filename. If Python has a class for the
    errno, such as FileNotFoundError, the exception is of that class as well.
    """

    def __init__(self, number: int, text: str, filename: Any = None) -> None:
        OSError.__init__(self, number, text, filename)
        self.code = _STREAM
        self.index = 0

    def __str__(self) -> str:
        return OSError.__str__(self)


class _NotFound(FileError, FileNotFoundError):
    pass


class _NotPermitted(FileError, PermissionError):
    pass


class _IsADirectory(FileError, IsADirectoryError):
    pass


class _NotADirectory(FileError, NotADirectoryError):
    pass


class _Exists(FileError, FileExistsError):
    pass


_STREAM = 9
_FILE_ERRORS = {errno.ENOENT: _NotFound, errno.EACCES: _NotPermitted, errno.EPERM: _NotPermitted,
                errno.EISDIR: _IsADirectory, errno.ENOTDIR: _NotADirectory, errno.EEXIST: _Exists}
_CLASSES = {1: OutOfMemory, 6: Error, 9: Error, 10: Error, 11: Error, 12: Conflict, 15: Error}


class Box(NamedTuple):
    """The four sides of a box. y points down."""

    min_x: float
    min_y: float
    max_x: float
    max_y: float


class Item(NamedTuple):
    """An item of a tree: its box and its id."""

    box: Box
    id: int


def new_error() -> Any:
    """Returns a pqt_error without a failure."""
    return ffi.new("pqt_error *")


def raise_error(error: Any) -> None:
    """Raises the exception for a pqt_error."""
    text = ffi.string(error.text).decode("utf-8", "replace")
    raise _CLASSES.get(error.status, InvalidValue)(text, int(error.status), int(error.index))


def raise_file_error(error: Any, path: Any) -> None:
    """Raises the exception for a pqt_error of a call that opens a file by its name.

    The text ends with the errno of the system call that failed. errno itself and the state of the
    file may have changed since.
    """
    text = ffi.string(error.text).decode("utf-8", "replace")
    found = re.search(r"\(errno (\d+)\)$", text)
    if error.status != _STREAM or found is None:
        raise_error(error)
    else:
        number = int(found.group(1))
        raise _FILE_ERRORS.get(number, FileError)(number, os.strerror(number), os.fspath(path))


def refused_window(surface: str = "plane") -> InvalidValue:
    """Returns the exception for a window that is NaN or inverted, or not one on the sphere."""
    return InvalidValue("the window is not on the sphere" if surface == "sphere" else
                        "the window contains NaN or is inverted", 2)


def relation_of(name: str, surface: str = "plane") -> int:
    """Returns the number of the relation with a given name, with a bit for the sphere."""
    try:
        return RELATIONS[name] + (_ON_SPHERE if is_sphere(surface) else 0)
    except (KeyError, TypeError):
        raise ValueError("a relation must be 'touches', 'overlaps', 'inside' or 'covers', not %r"
                         % (name,)) from None


def is_sphere(surface: str) -> bool:
    """Returns whether a surface is the sphere."""
    if surface not in ("plane", "sphere"):
        raise ValueError("a surface must be 'plane' or 'sphere', not %r" % (surface,))
    return surface == "sphere"


def id_of(number: Any, what: str = "an id") -> int:
    """Returns an id or another integer from 0 to 2^64 - 1."""
    number = operator.index(number)
    if not 0 <= number < 2 ** 64:
        raise ValueError("%s must be an integer from 0 to 2^64 - 1, not %d" % (what, number))
    return number


def small(number: Any) -> int:
    """Returns an integer for an int option of the C library."""
    number = operator.index(number)
    if not -2 ** 31 <= number < 2 ** 31:
        raise ValueError("the option %d does not fit into 32 bits" % number)
    return number


def box_of(box: BoxLike) -> Any:
    """Returns a box as a C array of four doubles."""
    min_x, min_y, max_x, max_y = box
    return ffi.new("double[4]", (min_x, min_y, max_x, max_y))


NO_BOX = (0.0, 0.0, 0.0, 0.0)


def copied(changes: np.ndarray) -> Tuple[bytes, int]:
    """Returns a copy of changes, to which no other thread can write, and their number."""
    return np.ndarray.tobytes(changes), len(changes)


def point_or_box(place: BoxLike) -> Tuple[float, float, float, float]:
    """Returns the four numbers of a box that is given as a point (x, y) or as a box."""
    numbers = tuple(place)
    if len(numbers) == 2:
        numbers += numbers
    if len(numbers) == 4:
        return numbers[0], numbers[1], numbers[2], numbers[3]
    raise ValueError("a place must be a point (x, y) or a box (min_x, min_y, max_x, max_y)")


def array_of(some: Any, name: str) -> np.ndarray:
    """Returns an array whose shape no other code can change. It may share its data with `some`."""
    if isinstance(some, np.ma.MaskedArray) and np.ma.is_masked(some):
        raise ValueError("%s must not have masked elements" % name)
    return np.asarray(some)[...]


def boxes_of(boxes: Any, name: str = "boxes") -> np.ndarray:
    """Returns boxes as an array of doubles, shape (n, 4). Copies them only if necessary."""
    array = array_of(boxes, name)
    if array.size == 0 and array.ndim <= 2:
        if array.ndim == 2 and array.shape[1] not in (0, 4):
            raise ValueError("%s must have shape (n, 4), not %s" % (name, array.shape))
        return np.empty((0, 4))
    if array.dtype.kind not in "fiu":
        raise TypeError("%s must be an array of numbers, not of dtype %s" % (name, array.dtype))
    if array.ndim != 2 or array.shape[1] != 4:
        raise ValueError("%s must have shape (n, 4), not %s" % (name, array.shape))
    return np.require(array, np.float64, ["C", "A"])


def places_of(places: Any) -> np.ndarray:
    """Returns boxes for an array of points, shape (n, 2), or of boxes, shape (n, 4)."""
    array = array_of(places, "places")
    if array.ndim == 2 and array.shape[1] == 2 and array.dtype.kind in "fiu":
        return np.require(np.hstack((array, array)), np.float64, ["C", "A"])
    return boxes_of(array, "places")


def ids_of(ids: Any, count: Optional[int] = None, *, name: str = "ids") -> np.ndarray:
    """Returns ids as an array, which must have `count` elements if that is given."""
    array = array_of(ids, name)
    if array.ndim == 0 and not isinstance(ids, np.ndarray):
        raise TypeError("%s must be an array or a list of integers, not %s"
                        % (name, type(ids).__name__))
    if array.ndim == 1 and array.dtype.kind in "fO" and not isinstance(ids, np.ndarray):
        # NumPy converts integers to doubles if some are below 2^63 and some are not.
        array = np.array([id_of(id) for id in ids], np.uint64)
    if array.ndim != 1:
        raise ValueError("%s must have shape (n,), not %s" % (name, array.shape))
    if count is not None and len(array) != count:
        raise ValueError("there are %d boxes and %d ids" % (count, len(array)))
    if array.size == 0:
        return np.empty(0, np.uint64)
    if array.dtype.kind not in "iu":
        raise TypeError("%s must be integers from 0 to 2^64 - 1, not of dtype %s"
                        % (name, array.dtype))
    if array.dtype.kind == "i" and array.min() < 0:
        raise ValueError("%s must be integers from 0 to 2^64 - 1, not %d" % (name, array.min()))
    return np.require(array, np.uint64, ["C", "A"])


def doubles(array: Optional[np.ndarray]) -> Any:
    """Returns the pointer to an array of doubles; NULL for None."""
    return ffi.NULL if array is None else ffi.from_buffer("double[]", array)


def words(array: Optional[np.ndarray]) -> Any:
    """Returns the pointer to an array of 64-bit integers; NULL for None."""
    return ffi.NULL if array is None else ffi.from_buffer("uint64_t[]", array)


def filled(dtype: Any, call: Any, *arguments: Any) -> np.ndarray:
    """Returns the results that a call of the library appends, as an array. Raises if it fails."""
    error = new_error()
    with Growing() as out:
        if not call(*arguments, out.bytes, error):
            raise_error(error)
        return out.array(dtype)


def split(ends: np.ndarray, data: bytes) -> List[bytes]:
    """Splits a block of bytes into byte strings with the given ends."""
    return [data[begin:end] for begin, end in zip([0] + ends.tolist(), ends.tolist())]


class Growing:
    """A block of bytes to which the library appends. A `with` statement frees it."""

    def __enter__(self) -> "Growing":
        self.bytes = ffi.new("pqtpy_bytes *")
        return self

    def __exit__(self, *_: Any) -> None:
        lib.pqtpy_free(self.bytes)

    def array(self, dtype: Any) -> np.ndarray:
        """Returns a copy of the bytes as an array."""
        dtype = np.dtype(dtype)
        array = np.empty(self.bytes.size // dtype.itemsize, dtype)
        if array.size:
            ffi.memmove(ffi.from_buffer(array), self.bytes.data, self.bytes.size)
        return array

    def copy(self) -> bytes:
        """Returns a copy of the block as bytes."""
        return ffi.buffer(self.bytes.data, self.bytes.size)[:] if self.bytes.size else b""

    def words(self) -> Tuple[Tuple[int, ...], bytes]:
        """Returns the words of a block that has their number, the words, and byte strings; and the
        bytes of these."""
        data = self.copy()
        count = int.from_bytes(data[:8], sys.byteorder)
        return struct.unpack_from("=%dQ" % count, data, 8), data[8 + 8 * count:]

    def rows(self, width: int, *strings: int) -> List[Any]:
        """Returns the columns of a block with rows of `width` words: arrays, and lists of bytes for
        the columns `strings`."""
        data = ffi.buffer(self.bytes.data, self.bytes.size)
        count = int.from_bytes(data[:8], sys.byteorder)
        table = np.frombuffer(data, np.uint64, count, 8).reshape(-1, width)
        columns: List[Any] = list(table.T.copy())
        found = split(table[:, strings].ravel(), data[8 + 8 * count:]) if strings else []
        for i, column in enumerate(strings):
            columns[column] = found[i::len(strings)]
        return columns


def hidden(pointer: Any) -> np.ndarray:
    """Returns an object with a reference that the garbage collector does not see.

    The collector finalises all objects of a cycle before it clears any, so __del__ of an object
    could use a version of the same cycle whose pointer is already released. With this reference the
    collector takes the pointer for one in use, so it is released only after the version is cleared.
    """
    holder = np.empty(1, _OBJECT)  # arrays of NumPy take no part in garbage collection
    holder[0] = pointer
    return holder


class MemoryUse(NamedTuple):
    """Statistics of the memory of all versions; see memory()."""

    bytes: int
    used_bytes: int
    pins: int


def memory(reclaim: bool = False) -> MemoryUse:
    """Returns the bytes that the heap takes, the bytes in use, and the number of pins.

    With `reclaim` it first frees everything that no object holds.
    """
    figures, error = ffi.new("uint64_t[3]"), new_error()
    if not lib.pqtpy_memory(bool(reclaim), figures, error):
        raise_error(error)
    return MemoryUse(*figures)


class _LostLock:
    """The lock for an object that another thread was using when the process was forked."""

    def __enter__(self) -> None:
        raise InvalidValue("another thread was using the object when the process was forked",
                           _MISMATCH)

    def __exit__(self, *_: Any) -> None:
        pass


_MISMATCH = 7
_MODULES = ["pqt." + name for name in ("document", "image", "map", "region", "tree", "world")]
_with_locks: Any = weakref.WeakValueDictionary()  # by id(), because a subclass may be unhashable


def new_lock(owner: Any) -> Any:
    """Returns the lock of an object that changes in place, which the object keeps as `_lock`."""
    _with_locks[id(owner)] = owner
    return threading.RLock()


def _forget_threads() -> None:
    """Runs in a child process, and replaces locks that other threads of the parent held.

    No thread of the child would release them. An object that such a thread was changing is not used
    again, and not destroyed either. Only a store needs no such care, because it notices that it is
    in a child process.
    """
    for owner in list(_with_locks.values()):
        lock = getattr(owner, "_lock", None)
        if lock is None or isinstance(lock, _LostLock):
            continue
        if lock.acquire(blocking=False):
            lock.release()
            continue
        if owner._knows_processes:
            object.__setattr__(owner, "_lock", threading.RLock())
            continue
        object.__setattr__(owner, "_lock", _LostLock())
        ffi.gc(owner._handle, None)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


class Owner:
    """An object that changes in place. It owns a handle of the library, and has a lock.

    Both are set once. The library trusts handles, so no other code may replace them.
    """

    __slots__ = ("_handle", "_hidden", "_lock", "__weakref__")
    _knows_processes = False
    _private = frozenset(("_handle", "_hidden", "_lock", "_class", "_opened", "_path"))

    _handle: Any
    _lock: Any

    def _set(self, **fields: Any) -> None:
        """Sets private attributes."""
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def _own(self, handle: Any, destroy: Any) -> None:
        """Takes over a handle from C; raises an exception if there is one already."""
        handle = ffi.gc(handle, destroy)
        if hasattr(self, "_handle"):
            raise InvalidValue("this %s is already initialised" % type(self).__name__, _MISMATCH)
        self._set(_handle=handle, _hidden=hidden(handle), _lock=new_lock(self))

    def __setattr__(self, name: str, value: Any) -> None:
        if name in Owner._private:
            raise AttributeError("%s of a %s cannot be changed" % (name, type(self).__name__))
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        if name in Owner._private:
            raise AttributeError("%s of a %s cannot be deleted" % (name, type(self).__name__))
        object.__delattr__(self, name)

    def __reduce__(self) -> Any:
        raise TypeError("a %s cannot be copied or pickled; its versions can"
                        % type(self).__name__)


_PINS = {number: ffi.typeof("pqtpy_%s *" % name) for number, name in
         enumerate(("tree", "region", "world", "map", "document", "image"), 1)}


class Version:
    """An immutable value of the library. The object holds a pin, which its finaliser releases."""

    __slots__ = ("_pin", "_hidden", "__weakref__")
    _kind = 0

    _pin: Any

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        if ("_pin" in cls.__dict__ or "_hidden" in cls.__dict__
                or "_kind" in cls.__dict__ and cls.__module__ not in _MODULES):
            raise TypeError("a subclass must not define _kind, _pin or _hidden, by which the "
                            "package knows its versions")

    @classmethod
    def _wrap(cls, pin: Any, error: Any) -> Any:
        """Returns an object for a pin; raises the error if the pin is NULL."""
        if pin == ffi.NULL:
            raise_error(error)
        return cls._adopt(ffi.gc(pin, lib.pqtpy_unpin))

    @classmethod
    def _made(cls, make: Any, *arguments: Any) -> Any:
        """Returns an object for the pin that a function of the library makes. Its last argument is
        the error. For functions that may take long.

        An interrupt raises an exception as soon as a call has returned, before its result is
        assigned. So one call, of `next`, makes the pin and the object that releases it.
        """
        pin = next(map(ffi.gc, map(make, *((one,) for one in arguments)), _UNPIN))
        if pin == ffi.NULL:
            raise_error(arguments[-1])
        return cls._adopt(pin)

    @classmethod
    def _make(cls, make: Any, *arguments: Any) -> Any:
        """Does the same with an error of its own."""
        return cls._made(make, *arguments, new_error())

    @classmethod
    def _adopt(cls, pin: Any) -> Any:
        """Returns an object for a pin that is released with the object of the pin."""
        version = object.__new__(cls)
        object.__setattr__(version, "_pin", pin)
        object.__setattr__(version, "_hidden", hidden(pin))
        return version

    @classmethod
    def _wrap_any(cls, pin: Any, error: Any) -> Any:
        """Returns an object for a pin whose type does not give its kind; see shim_calls.h."""
        kind = lib.pqtpy_kind(pin)
        return cls._wrap(ffi.cast(_PINS[kind], pin) if kind else pin, error)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("%s is immutable" % type(self).__name__)

    def __delattr__(self, name: str) -> None:
        raise AttributeError("%s is immutable" % type(self).__name__)

    def _same(self, other: Any) -> Any:
        """Returns the pin of another object of this kind."""
        if not isinstance(other, Version) or other._kind != self._kind:
            raise TypeError("expected a %s, not %s"
                            % (type(self).__name__, type(other).__name__))
        return other._pin

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Version) or other._kind != self._kind:
            return NotImplemented
        return lib.pqtpy_equals(self._pin, other._pin)

    def __hash__(self) -> int:
        return hash((self._kind, self.fingerprint))

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __reduce__(self) -> Any:
        return type(self).from_bytes, (self.to_bytes(),)

    @property
    def fingerprint(self) -> int:
        """128 bits that are equal for equal contents. Takes O(1) time."""
        halves = ffi.new("uint64_t[2]")
        lib.pqtpy_fingerprint(self._pin, halves)
        return halves[0] | halves[1] << 64

    def check(self) -> None:
        """Checks every invariant, and raises Error if one is broken."""
        error = new_error()
        if not lib.pqtpy_check(self._pin, error):
            raise_error(error)

    def shared_bytes(self, other: Any) -> int:
        """Returns how many bytes of this version another one of the same kind shares.

        If the other one is kept anyway, this one costs its own bytes without these.
        """
        count, error = ffi.new("size_t *"), new_error()
        if not lib.pqtpy_shared_bytes(self._pin, self._same(other), count, error):
            raise_error(error)
        return count[0]

    def exclusive_bytes(self, *others: Any) -> int:
        """Returns how many bytes of this version none of the others, of the same kind, shares."""
        pins = ffi.new("void *[]", [self._same(other) for other in others])
        count, error = ffi.new("size_t *"), new_error()
        if not lib.pqtpy_exclusive_bytes(self._pin, pins, len(others), count, error):
            raise_error(error)
        return count[0]

    def to_bytes(self) -> bytes:
        """Returns the version in the file format of the library."""
        error = new_error()
        with Growing() as out:
            if not lib.pqtpy_write(self._pin, out.bytes, error):
                raise_error(error)
            return out.copy()

    @classmethod
    def from_bytes(cls, data: Any) -> Any:
        """Reads a version from bytes that to_bytes or the library wrote. Checks every byte."""
        error = new_error()
        source = ffi.from_buffer("char[]", data)
        return cls._wrap_any(lib.pqtpy_read(cls._kind, source, len(source), error), error)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the version to a .pqt file, which is replaced completely or not at all."""
        error = new_error()
        if not lib.pqtpy_save(self._pin, path_of(path), error):
            raise_file_error(error, path)

    @classmethod
    def load(cls, path: Union[str, "os.PathLike[str]"]) -> Any:
        """Reads a version from a .pqt file. Checks every byte."""
        error = new_error()
        pin = lib.pqtpy_load(cls._kind, path_of(path), error)
        if pin == ffi.NULL:
            raise_file_error(error, path)
        return cls._wrap_any(pin, error)


def path_of(path: Any) -> bytes:
    """Returns the bytes of a path."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError("a path contains a null byte")
    return name

# SPDX-License-Identifier: MIT
"""Finding where a tree differs from one on another machine."""
from __future__ import annotations

import struct
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._core import (CHANGE, ITEM, Box, boxes_of, ffi, filled, id_of, ids_of, lib, new_error,
                    raise_error)

_DIGEST = [("low", np.uint64), ("high", np.uint64), ("count", np.uint64)]
_CELL = np.dtype([("path", "S71"), ("is_question", np.bool_), ("box", np.float64, 4),
                  ("own", _DIGEST), ("other", _DIGEST)])
_ANSWER = struct.Struct("=72sQQQ")
_LOW = 2 ** 64 - 1

Digests = Callable[[List[str]], Sequence[Any]]
Items = Callable[[List[str]], Sequence[Tuple[Any, Any]]]


class Digest(NamedTuple):
    """The digest of the items of a cell: two cells with equal digests have equal items."""

    size: int
    """the number of items"""
    fingerprint: int


class Mismatch(NamedTuple):
    """A cell in which two trees differ; see Tree.find_mismatches."""

    path: str
    box: Box
    """the cell; its items may extend beyond it"""
    own: Digest
    other: Digest
    changes: Optional[np.ndarray]
    """for Tree.apply: removals and insertions that make this cell equal to that of the other tree"""


def digest_at(pin: Any, path: str) -> Digest:
    """Returns the digest of a cell of a tree."""
    found, error = ffi.new("uint64_t[3]"), new_error()
    if not lib.pqtpy_tree_digest(pin, *_path(path), found, error):
        raise_error(error)
    return Digest(found[2], found[0] | found[1] << 64)


def items_at(pin: Any, path: str) -> Tuple[np.ndarray, np.ndarray]:
    """Returns the boxes and the ids of the items of a cell of a tree."""
    items = filled(ITEM, lib.pqtpy_tree_items_at, pin, *_path(path))
    return np.ascontiguousarray(items["box"]), np.ascontiguousarray(items["id"])


def find_mismatches(pin: Any, digests: Digests, items: Optional[Items]) -> List[Mismatch]:
    """Returns the cells in which a tree differs from another one, which the functions ask."""
    answers: List[bytes] = []
    while True:
        cells = filled(_CELL, lib.pqtpy_tree_sync_cells, pin, b"".join(sorted(answers)), len(answers))
        paths = _paths(cells[cells["is_question"]])
        if not paths:
            break
        answers += map(_packed, paths, _asked(digests, paths, "digests"))
    changes = [None] * len(cells) if items is None else _changes(pin, answers, cells, items)
    return [Mismatch(path.decode(), Box(*box), _digest(own), _digest(other), some)
            for (path, _, box, own, other), some in zip(cells.tolist(), changes)]


def _changes(pin: Any, answers: List[bytes], cells: np.ndarray, items: Items) -> List[Any]:
    """Fetches the items of the cells in the other tree, and returns the changes of each cell."""
    wanted = cells[cells["other"]["count"] > 0]
    paths = _paths(wanted)
    found = _asked(items, paths, "items") if paths else []
    fetched = b"".join(map(_packed_items, paths, found, wanted["other"]["count"].tolist()))
    changes = filled(CHANGE, lib.pqtpy_tree_sync_changes, pin, b"".join(sorted(answers)) + fetched,
                     len(answers), len(fetched) // ITEM.itemsize)
    starts = np.flatnonzero(changes["kind"] == 0)
    return [part[1:] for part in np.split(changes, starts[1:])] if len(starts) else []


def _path(path: str) -> Tuple[bytes, int]:
    if not isinstance(path, str):
        raise TypeError("a path must be a str, not %s" % type(path).__name__)
    encoded = path.encode("utf-8", "replace")
    return encoded, len(encoded)


def _paths(cells: np.ndarray) -> List[str]:
    return [path.decode() for path in cells["path"].tolist()]


def _digest(numbers: Tuple[int, int, int]) -> Digest:
    low, high, count = numbers
    return Digest(count, low | high << 64)


def _asked(ask: Any, paths: List[str], name: str) -> List[Any]:
    """Asks the other machine; raises an exception unless there is one answer for each path."""
    found = list(ask(list(paths)))
    if len(found) != len(paths):
        raise ValueError("%s returned %d answers for %d paths" % (name, len(found), len(paths)))
    return found


def _packed(path: str, digest: Any) -> bytes:
    size, fingerprint = digest
    size, fingerprint = id_of(size, "the size of a digest"), int(fingerprint)
    if not 0 <= fingerprint < 2 ** 128:
        raise ValueError("a fingerprint must be an integer from 0 to 2^128 - 1, not %d"
                         % fingerprint)
    return _ANSWER.pack(path.encode(), fingerprint & _LOW, fingerprint >> 64, size)


def _packed_items(path: str, found: Any, count: int) -> bytes:
    boxes, ids = found
    boxes = boxes_of(boxes)
    if len(boxes) != count:
        raise ValueError("items returned %d items for the path %r, whose digest has %d"
                         % (len(boxes), path, count))
    some = np.zeros(count, ITEM)
    some["box"], some["id"] = boxes, ids_of(ids, count)
    return some.tobytes()

# SPDX-License-Identifier: MIT
"""Edits that are applied together: the base of all batches, and edits of a tree."""
from __future__ import annotations

import struct
from typing import Any, Union

import numpy as np

from ._core import CHANGE, CHANGES, BoxLike, array_of, box_of, boxes_of, ffi, id_of, ids_of

_LAYOUT = struct.Struct("=i4x32sQ32s")
_NO_BOX = bytes(32)


class Edits:
    """Edits that are applied together. Copies of the object are independent of it."""

    __slots__ = ("_edits",)

    _edits: Any
    """a list or an array, which grows in place"""

    def clear(self) -> None:
        """Discards the edits."""
        self._edits = type(self._edits)()

    def __setstate__(self, state: Any) -> None:
        """Sets the attributes of a copy, or of an object from pickle."""
        for attributes in state if isinstance(state, tuple) else (state,):
            for name, value in (attributes or {}).items():
                setattr(self, name, value[:] if name == "_edits" else value)

    def __len__(self) -> int:
        return len(self._edits)

    def __repr__(self) -> str:
        return "<pqt.%s of %d edits>" % (type(self).__name__, len(self))


class Batch(Edits):
    """Edits that Tree.apply makes together, as one version.

        >>> import pqt
        >>> batch = pqt.Batch().insert((0, 0, 1, 1), 1).insert((2, 2, 3, 3), 2)
        >>> pqt.Tree((0, 0, 9, 9)).apply(batch.move((0, 0, 1, 1), 1, (5, 5, 6, 6))).ids_in((4, 4, 7, 7))
        array([1], dtype=uint64)

    The edits apply in the order in which they were added. Adding one edits no tree, so boxes that a
    tree refuses are refused by Tree.apply. Each method that adds edits returns the batch.
    """

    __slots__ = ()

    _edits: bytearray

    def __init__(self) -> None:
        """Makes a batch without edits."""
        self._edits = bytearray()

    def _add(self, kind: str, box: Any, id: Any, to: Any) -> "Batch":
        change = _LAYOUT.pack(CHANGES[kind], box, id_of(id), to)  # __index__ may use the batch
        self._edits += change
        return self

    def _add_all(self, kind: str, ids: Any, **boxes: Any) -> "Batch":
        changes = changes_of_kind(kind, ids, **boxes).tobytes()  # __array__ may use the batch
        self._edits += changes
        return self

    def insert(self, box: BoxLike, id: int) -> "Batch":
        """Adds an edit that inserts an item; see Tree.insert."""
        return self._add("insert", _bytes_of(box), id, _NO_BOX)

    def remove(self, box: BoxLike, id: int) -> "Batch":
        """Adds an edit that removes an item; see Tree.remove."""
        return self._add("remove", _bytes_of(box), id, _NO_BOX)

    def move(self, box: BoxLike, id: int, to: BoxLike) -> "Batch":
        """Adds an edit that changes the box of an item; see Tree.move."""
        return self._add("move", _bytes_of(box), id, _bytes_of(to))

    def remove_id(self, id: int) -> "Batch":
        """Adds an edit that removes the item with a given id. Needs unique_ids."""
        return self._add("remove_id", _NO_BOX, id, _NO_BOX)

    def move_id(self, id: int, to: BoxLike) -> "Batch":
        """Adds an edit that moves the item with a given id. Needs unique_ids."""
        return self._add("move_id", _NO_BOX, id, _bytes_of(to))

    def insert_all(self, boxes: Any, ids: Any) -> "Batch":
        """Adds edits that insert items: boxes of shape (n, 4), and n ids."""
        return self._add_all("insert", ids, box=boxes)

    def remove_all(self, boxes: Any, ids: Any) -> "Batch":
        """Adds edits that remove items: boxes of shape (n, 4), and n ids."""
        return self._add_all("remove", ids, box=boxes)

    def move_all(self, boxes: Any, ids: Any, to: Any) -> "Batch":
        """Adds edits that move items from `boxes` to `to`, both of shape (n, 4)."""
        return self._add_all("move", ids, box=boxes, to=to)

    def remove_ids(self, ids: Any) -> "Batch":
        """Adds edits that remove the items with given ids. Need unique_ids."""
        return self._add_all("remove_id", ids)

    def move_ids(self, ids: Any, to: Any) -> "Batch":
        """Adds edits that move the items with given ids. Need unique_ids."""
        return self._add_all("move_id", ids, to=to)

    def __len__(self) -> int:
        return len(self._edits) // CHANGE.itemsize


def _bytes_of(box: BoxLike) -> bytes:
    return bytes(ffi.buffer(box_of(box)))


def changes_of_kind(kind: str, ids: Any, **boxes: Any) -> np.ndarray:
    """Returns changes of one kind. `boxes` has the fields that this kind needs: box, to or both."""
    names = {"box": "boxes", "to": "the new boxes"}
    fields = {field: boxes_of(some, names[field]) for field, some in boxes.items()}
    counts = [len(some) for some in fields.values()]
    if len(set(counts)) > 1:
        raise ValueError("there are %d boxes and %d new boxes" % tuple(counts))
    fields["id"] = ids_of(ids, *counts[:1])
    changes = np.zeros(len(fields["id"]), CHANGE)
    changes["kind"] = CHANGES[kind]
    for field, some in fields.items():
        changes[field] = some
    return changes


def changes_of(changes: Union[Batch, np.ndarray]) -> np.ndarray:
    """Returns the changes of a batch, or of an array like the one that Tree.diff returns."""
    if isinstance(changes, Batch):
        return np.frombuffer(bytes(changes._edits), CHANGE)
    array = array_of(changes, "changes")
    if array.dtype != CHANGE:
        raise TypeError("changes must be a Batch, or an array like that of Tree.diff")
    if array.ndim != 1:
        raise ValueError("changes must have shape (n,), not %s" % (array.shape,))
    return np.ascontiguousarray(array)

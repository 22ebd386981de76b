# SPDX-License-Identifier: MIT
"""Edits of a map that are applied together."""
from __future__ import annotations

from typing import Any, Iterable, List, Mapping, Tuple, Union

import numpy as np

from ._core import id_of, ids_of
from .batch import Edits

Key = Union[int, bytes, str]
Value = Union[int, bytes, str]
Entries = Union[Mapping[Any, Any], Iterable[Tuple[Any, Any]]]


class MapBatch(Edits):
    """Edits that Map.apply makes together, as one version.

        >>> import pqt
        >>> batch = pqt.MapBatch().set(1, 10).set(2, 20).remove(1)
        >>> pqt.Map({1: 5, 3: 30}).apply(batch).get(2)
        20

    If a key is edited several times, its last edit counts. Adding an edit edits no map, so keys and
    values of the wrong kind are refused by Map.apply. Each method that adds edits returns the batch.
    """

    __slots__ = ()

    _edits: List[Tuple[Any, Any]]
    """the edits: a key and its value, which is None if the key is removed"""

    def __init__(self) -> None:
        """Makes a batch without edits."""
        self._edits = []

    def _add(self, edits: List[Tuple[Any, Any]]) -> "MapBatch":
        self._edits += edits
        return self

    def set(self, key: Key, value: Value) -> "MapBatch":
        """Adds an edit that sets the value of a key; see Map.set."""
        return self._add([(_read(key, "a key"), _read(value, "a value"))])

    def remove(self, key: Key) -> "MapBatch":
        """Adds an edit that removes a key; see Map.remove."""
        return self._add([(_read(key, "a key"), None)])

    def update(self, entries: Entries) -> "MapBatch":
        """Adds edits that set the given entries, from a mapping or from pairs."""
        return self._add([(_read(key, "a key"), _read(value, "a value"))
                          for key, value in pairs_of(entries)])

    def set_all(self, keys: Any, values: Any) -> "MapBatch":
        """Adds edits that set entries, from arrays or lists of keys and of values."""
        keys, values = _read_all(keys, "keys"), _read_all(values, "values")
        need_same_count(keys, values)
        return self._add(list(zip(keys, values)))

    def remove_all(self, keys: Any) -> "MapBatch":
        """Adds edits that remove the given keys."""
        return self._add([(key, None) for key in _read_all(keys, "keys")])


def _read(some: Any, what: str) -> Union[int, bytes]:
    """Returns a key or a value as an integer or as bytes, which no other code can change."""
    if isinstance(some, str):
        return str.encode(some)
    if isinstance(some, (bytes, bytearray, memoryview)):
        return bytes(some)
    return id_of(some, what)


def need_many(some: Any, what: str) -> None:
    """Raises an exception for a string, which is one key or one value."""
    if isinstance(some, (str, bytes, bytearray)):
        raise TypeError("%s must be an array or a list, not %s" % (what, type(some).__name__))


def _read_all(some: Any, what: str) -> List[Union[int, bytes]]:
    need_many(some, what)
    if isinstance(some, np.ndarray) and some.dtype.kind in "iu":
        return ids_of(some, name=what).tolist()
    return [_read(one, "a " + what[:-1]) for one in some]


def pairs_of(entries: Entries) -> List[Tuple[Any, Any]]:
    """Returns the pairs of a key and its value."""
    return [(key, value) for key, value in
            list(entries.items() if hasattr(entries, "items") else entries)]


def need_same_count(keys: Any, values: Any) -> None:
    """Raises an exception unless there are as many keys as values."""
    if len(keys) != len(values):
        raise ValueError("there are %d keys and %d values" % (len(keys), len(values)))


def edits_of(changes: Any) -> List[Tuple[Any, Any]]:
    """Returns the edits of a batch, or of a list like the one that Map.diff returns."""
    if isinstance(changes, MapBatch):
        return list(changes._edits)
    return [(_read(key, "a key"), None if after is None else _read(after, "a value"))
            for key, _, after in changes]

# SPDX-License-Identifier: MIT
"""Persistent maps from ids or byte strings to numbers or byte strings."""
from __future__ import annotations

import itertools
from typing import Any, Iterable, Iterator, List, NamedTuple, Optional, Tuple, TypeVar, Union

import numpy as np

from ._core import Growing, Version, ffi, id_of, ids_of, lib, new_error, raise_error, words
from .map_batch import (Entries, Key, MapBatch, Value, edits_of, need_many, need_same_count,
                        pairs_of)

_Edited = TypeVar("_Edited", bound="MapCalls")
_RESOLUTIONS = {None: 0, "ours": 1, "theirs": 2, "neither": 3, "base": 4}

def _string(value: Any, what: str) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    raise TypeError("%s of this map must be bytes or str, not %s" % (what, type(value).__name__))


def _split(ends: np.ndarray, data: bytes) -> List[bytes]:
    """Splits a block of bytes into byte strings with the given ends."""
    return [data[begin:end] for begin, end in zip([0] + ends.tolist(), ends.tolist())]


class MapChange(NamedTuple):
    """A key whose values in two maps differ. A value is None if the key is not in that map."""

    key: Union[int, bytes]
    before: Union[int, bytes, None]
    after: Union[int, bytes, None]


class MapCalls:
    """The queries and edits of a map, which is a Map or a MapDraft.

    An edit of a Map returns another Map. An edit of a MapDraft changes the draft, and returns it.
    """

    __slots__ = ()

    _pin: Any
    _same: Any
    _edited: Any

    @property
    def kinds(self) -> Tuple[str, str]:
        """The kinds of the keys and of the values, as they are passed to Map()."""
        return self._kinds()

    def _kinds(self) -> Tuple[str, str]:
        kinds = ffi.new("int[2]")
        lib.pqtpy_map_describe(self._pin, kinds)
        return "bytes" if kinds[0] else "ids", "bytes" if kinds[1] else "numbers"

    @staticmethod
    def _pack(kind: str, some: Any, what: str) -> Tuple[np.ndarray, bytes]:
        """Returns integers and bytes for the library: numbers, or byte strings with their ends."""
        if kind != "bytes":
            if isinstance(some, np.ndarray):
                return ids_of(some, name=what), b""
            one = "a " + what[:-1]
            return np.fromiter((id_of(number, one) for number in some), np.uint64, len(some)), b""
        strings = [_string(one, what) for one in some]
        ends = np.fromiter(itertools.accumulate(map(len, strings)), np.uint64, len(strings))
        return ends, b"".join(strings)

    def _apply(self: _Edited, keys: Any, values: Any, removed: Any = slice(0)) -> _Edited:
        """Sets the values of keys, and removes the keys with the indices `removed`."""
        kinds = self._kinds()
        key_words, key_bytes = self._pack(kinds[0], keys, "keys")
        value_words, value_bytes = self._pack(kinds[1], values, "values")
        need_same_count(key_words, value_words)
        are_removed = np.zeros(len(key_words), np.uint8)
        are_removed[removed] = 1
        return self._edited(ffi.from_buffer("uint8_t[]", are_removed), len(key_words),
                            words(key_words), ffi.from_buffer(key_bytes), len(key_bytes),
                            words(value_words), ffi.from_buffer(value_bytes), len(value_bytes),
                            new_error())

    def _nothing(self, count: int) -> Any:
        """Returns values for keys that are removed, which are not read."""
        return [b""] * count if self._kinds()[1] == "bytes" else np.zeros(count, np.uint64)

    def set(self: _Edited, key: Key, value: Value) -> _Edited:
        """Sets the value of a key."""
        return self._apply([key], [value])

    def remove(self: _Edited, key: Key) -> _Edited:
        """Removes a key. If it is absent, nothing changes."""
        return self._apply([key], self._nothing(1), slice(None))

    def update(self: _Edited, entries: Entries) -> _Edited:
        """Sets the given entries, from a mapping or from pairs."""
        pairs = pairs_of(entries)
        return self._apply([key for key, _ in pairs], [value for _, value in pairs])

    def set_all(self: _Edited, keys: Any, values: Any) -> _Edited:
        """Sets entries, from arrays or lists of keys and of values."""
        need_many(keys, "keys")
        need_many(values, "values")
        return self._apply(keys, values)

    def remove_all(self: _Edited, keys: Any) -> _Edited:
        """Removes the given keys."""
        need_many(keys, "keys")
        keys = keys if isinstance(keys, np.ndarray) else list(keys)
        return self._apply(keys, self._nothing(len(keys)), slice(None))

    def apply(self: _Edited, changes: Union[MapBatch, Iterable[MapChange]]) -> _Edited:
        """Makes all edits of a MapBatch, or all changes of a list from Map.diff.

        Each block of the map is copied at most once. If an edit is refused, none is made, and
        `index` of the error is its index.
        """
        edits = edits_of(changes)
        nothing: Any = b"" if self._kinds()[1] == "bytes" else 0
        return self._apply([key for key, _ in edits],
                           [nothing if value is None else value for _, value in edits],
                           np.array([value is None for _, value in edits], np.bool_))

    def _find(self, key: Any) -> Any:
        kinds = self._kinds()
        id, data = (0, _string(key, "keys")) if kinds[0] == "bytes" else (id_of(key, "a key"), b"")
        number, error = ffi.new("uint64_t *"), new_error()
        with Growing() as out:
            found = lib.pqtpy_map_find(self._pin, id, ffi.from_buffer(data), len(data), number,
                                       out.bytes, error)
            if found < 0:
                raise_error(error)
            if not found:
                return None
            return out.copy() if kinds[1] == "bytes" else number[0]

    def get(self, key: Key, default: Any = None) -> Any:
        """Returns the value of a key, or the default."""
        found = self._find(key)
        return default if found is None else found

    def __getitem__(self, key: Key) -> Any:
        found = self._find(key)
        if found is None:
            raise KeyError(key)
        return found

    def __contains__(self, key: Any) -> bool:
        return self._find(key) is not None

    def __len__(self) -> int:
        return lib.pqtpy_map_count(self._pin)

    def _entries(self) -> Tuple[Any, Any]:
        error = new_error()
        with Growing() as keys, Growing() as key_bytes, Growing() as values, \
                Growing() as value_bytes:
            if not lib.pqtpy_map_entries(self._pin, keys.bytes, key_bytes.bytes, values.bytes,
                                         value_bytes.bytes, error):
                raise_error(error)
            kinds = self._kinds()
            some: Any = keys.array(np.uint64)
            others: Any = values.array(np.uint64)
            if kinds[0] == "bytes":
                some = _split(some, key_bytes.copy())
            if kinds[1] == "bytes":
                others = _split(others, value_bytes.copy())
            return some, others

    def arrays(self) -> Tuple[Any, Any]:
        """Returns all keys and all values: arrays of integers, or lists of bytes."""
        return self._entries()

    def keys(self) -> List[Any]:
        """Returns all keys."""
        return [key for key, _ in self.items()]

    def values(self) -> List[Any]:
        """Returns all values, in the order of the keys."""
        return [value for _, value in self.items()]

    def items(self) -> List[Tuple[Any, Any]]:
        """Returns all pairs of a key and its value."""
        keys, values = (some.tolist() if isinstance(some, np.ndarray) else some
                        for some in self._entries())
        return list(zip(keys, values))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.keys())

    def diff(self, after: "Map") -> List[MapChange]:
        """Returns the keys whose values differ from those of another map of the same kinds."""
        pin, kinds, error = self._same(after), self._kinds(), new_error()
        with Growing() as keys, Growing() as key_bytes, Growing() as values, \
                Growing() as value_bytes, Growing() as is_there:
            if not lib.pqtpy_map_diff(self._pin, pin, keys.bytes, key_bytes.bytes, values.bytes,
                                      value_bytes.bytes, is_there.bytes, error):
                raise_error(error)
            names: Any = keys.array(np.uint64)
            found: Any = values.array(np.uint64)
            names = _split(names, key_bytes.copy()) if kinds[0] == "bytes" else names.tolist()
            found = _split(found, value_bytes.copy()) if kinds[1] == "bytes" else found.tolist()
            found = [value if there else None for value, there in zip(found, is_there.copy())]
        return [MapChange(*change) for change in zip(names, found[::2], found[1::2])]


class Map(MapCalls, Version):
    """An immutable map. Edits return new maps, which share as much as possible with the old ones.

    The keys of a map are either all ids, which are integers from 0 to 2^64 - 1, or all byte strings
    of at most 32 bytes. Its values are either all numbers in the same range, or all byte strings. A
    str is encoded as UTF-8. Byte strings in results are bytes objects.
    """

    __slots__ = ()
    _kind = 4

    def __new__(cls, entries: Entries = (), *, keys: str = "ids", values: str = "numbers") -> "Map":
        """Makes a map from entries. `keys` is 'ids' or 'bytes', `values` 'numbers' or 'bytes'."""
        if keys not in ("ids", "bytes") or values not in ("numbers", "bytes"):
            raise ValueError("keys must be 'ids' or 'bytes', and values 'numbers' or 'bytes'")
        error = new_error()
        empty = cls._wrap(lib.pqtpy_map_make(keys == "bytes", values == "bytes", error), error)
        return empty.update(entries)

    def _edited(self, *arguments: Any) -> "Map":
        return self._made(lib.pqtpy_map_apply, self._pin, *arguments)

    def merge(self, ours: "Map", theirs: "Map", resolve: Optional[str] = None) -> "Map":
        """Returns the three-way merge of two maps that both derive from this one.

        `resolve` decides the value of a key that both sides changed: 'ours', 'theirs', 'neither' or
        'base'. Without it, such a key raises Conflict.
        """
        try:
            resolution = _RESOLUTIONS[resolve]
        except (KeyError, TypeError):
            raise ValueError("a resolution must be None, 'ours', 'theirs', 'neither' or 'base', "
                             "not %r" % (resolve,)) from None
        error = new_error()
        return self._made(lib.pqtpy_map_merge, self._pin, self._same(ours), self._same(theirs),
                          resolution, error)

    def __repr__(self) -> str:
        return "<pqt.Map of %d entries from %s to %s>" % ((len(self),) + self.kinds)

# SPDX-License-Identifier: MIT
"""Persistent maps from ids or byte strings to numbers or byte strings."""
from __future__ import annotations

import itertools
import struct
from typing import Any, Iterable, Iterator, List, NamedTuple, Optional, Tuple, TypeVar, Union

import numpy as np

from ._core import Growing, Version, ffi, id_of, ids_of, lib, new_error, raise_error
from .map_batch import (Entries, Key, MapBatch, Value, edits_of, need_many, need_same_count,
                        pairs_of)

_Edited = TypeVar("_Edited", bound="MapCalls")
_RESOLUTIONS = {None: 0, "ours": 1, "theirs": 2, "neither": 3, "base": 4}

def _string(value: Any, what: str) -> bytes:
    """Returns a string as an object of bytes itself: the length of another class may be wrong."""
    if isinstance(value, str):
        return str.encode(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return b"".join((bytes(value),))
    raise TypeError("%s of this map must be bytes or str, not %s" % (what, type(value).__name__))


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
        byte_keys, byte_values = self._kinds()
        return "bytes" if byte_keys else "ids", "bytes" if byte_values else "numbers"

    def _kinds(self) -> Tuple[bool, bool]:
        """Returns whether keys are byte strings, and whether values are."""
        kinds = lib.pqtpy_map_kinds(self._pin)
        return bool(kinds & 1), bool(kinds & 2)

    @staticmethod
    def _column(is_bytes: bool, some: Any, what: str) -> Any:
        """Returns numbers as an array or a list, or byte strings as a list."""
        one = "a " + what[:-1]
        if is_bytes:
            return [_string(text, what) for text in some]
        if isinstance(some, np.ndarray):
            return ids_of(some, name=what)
        return [id_of(number, one) for number in some]

    def _apply(self: _Edited, keys: Any, values: Any, removed: Any = slice(0)) -> _Edited:
        """Sets the values of keys, and removes the keys with the indices `removed`."""
        kinds = self._kinds()
        keys = self._column(kinds[0], keys, "keys")
        values = self._column(kinds[1], values, "values")
        need_same_count(keys, values)
        table = np.empty((len(keys), 3), np.uint64)
        table[:, 1] = 1
        table[removed, 1] = 0
        strings = []
        for column, is_bytes, some in ((0, kinds[0], keys), (2, kinds[1], values)):
            if is_bytes:
                strings.append(some)
                some = np.fromiter(map(len, some), np.uint64, len(some))
            table[:, column] = some
        if strings:  # the word of a byte string is the offset of its end
            columns = [column for column in (0, 2) if kinds[column // 2]]
            table[:, columns] = table[:, columns].cumsum().reshape(-1, len(columns))
        data = b"".join(itertools.chain.from_iterable(zip(*strings)))
        return self._edited(table.tobytes() + data, len(keys), new_error())

    def _edit(self: _Edited, key: Any, value: Any, is_there: int) -> _Edited:
        """Sets the value of one key, or removes the key."""
        byte_keys, byte_values = self._kinds()
        data = _string(key, "keys") if byte_keys else b""
        word = len(data) if byte_keys else id_of(key, "a key")
        if byte_values:
            data += _string(value, "values") if is_there else b""
            value = len(data)
        else:
            value = id_of(value, "a value")
        return self._edited(struct.pack("=3Q", word, is_there, value) + data, 1, new_error())

    def _nothing(self, count: int) -> Any:
        """Returns values for keys that are removed, which are not read."""
        return [b""] * count if self._kinds()[1] else np.zeros(count, np.uint64)

    def set(self: _Edited, key: Key, value: Value) -> _Edited:
        """Sets the value of a key."""
        return self._edit(key, value, 1)

    def remove(self: _Edited, key: Key) -> _Edited:
        """Removes a key. If it is absent, nothing changes."""
        return self._edit(key, 0, 0)

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
        nothing: Any = b"" if self._kinds()[1] else 0
        return self._apply([key for key, _ in edits],
                           [nothing if value is None else value for _, value in edits],
                           np.array([value is None for _, value in edits], np.bool_))

    def _find(self, key: Any) -> Any:
        byte_keys, byte_values = self._kinds()
        data, error = _string(key, "keys") if byte_keys else b"", new_error()
        data = struct.pack("=Q", len(data) if byte_keys else id_of(key, "a key")) + data
        with Growing() as out:
            found = lib.pqtpy_map_find(self._pin, data, out.bytes, error)
            if found < 0:
                raise_error(error)
            if not found:
                return None
            return out.copy() if byte_values else struct.unpack("=Q", out.copy())[0]

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

    def _strings(self, width: int) -> List[int]:
        """Returns the columns of byte strings in rows of a key and values, which may be absent."""
        byte_keys, byte_values = self._kinds()
        return [0] * byte_keys + list(range(2, width, 2)) * byte_values

    def _entries(self) -> Tuple[Any, Any]:
        error = new_error()
        with Growing() as out:
            if not lib.pqtpy_map_entries(self._pin, out.bytes, error):
                raise_error(error)
            keys, _, values = out.rows(3, *self._strings(3))
            return keys, values

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
        pin, error = self._same(after), new_error()
        with Growing() as out:
            if not lib.pqtpy_map_diff(self._pin, pin, out.bytes, error):
                raise_error(error)
            keys, had, before, has, now = (
                some.tolist() if isinstance(some, np.ndarray) else some
                for some in out.rows(5, *self._strings(5)))
        return [MapChange(key, one if had_one else None, other if has_one else None)
                for key, had_one, one, has_one, other in zip(keys, had, before, has, now)]


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
        with Growing() as conflicts:
            return self._make(lib.pqtpy_map_merge, self._pin, self._same(ours), self._same(theirs),
                              resolution, b"", 0, conflicts.bytes)

    def __repr__(self) -> str:
        return "<pqt.Map of %d entries from %s to %s>" % ((len(self),) + self.kinds)

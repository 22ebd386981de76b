# SPDX-License-Identifier: MIT
"""Histories of versions of one kind, with undo, redo, branches, labels and names."""
from __future__ import annotations

import operator
import os
import struct
import sys
from functools import partial
from math import inf
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple, Type, Union

import numpy as np

from ._core import (CHANGE, BoxLike, Error, Growing, Owner, Version, box_of, ffi, filled, id_of,
                    lib, new_error, path_of, raise_error, raise_file_error, relation_of)
from .document import Document
from .image import Image
from .map import Map
from .region import Region
from .tree import Tree
from .world import World

_VERSIONS: Tuple[Type[Version], ...] = (Tree, Region, Image, Map, World, Document)
CLASSES = {of._kind: of for of in _VERSIONS}

_UNDO, _REDO, _MARK_SAVED, _BEGIN, _END, _CANCEL, _IS_MODIFIED, _END_COALESCING = range(1, 9)
_THIN, _DROP, _DROP_BRANCH = 1, 2, 3
_ENTRY = "the number of an entry"
_ANSWER = np.dtype([("change", CHANGE), ("entry", np.uint64), ("before", np.uint64),
                    ("time", np.float64)])
_WORD, _DOUBLE = struct.Struct("=Q"), struct.Struct("=d")


class Entry(NamedTuple):
    """An entry of a history. The parent of the first entry is 0; `name` may be None."""

    number: int
    parent: int
    depth: int
    children: int
    added_bytes: int
    is_current: bool
    is_saved: bool
    is_on_path: bool
    time: float
    label: str
    name: Optional[str]


class LastChange(NamedTuple):
    """The last change up to an entry; see History.last_change and last_item_change."""

    entry: int
    """the number of the entry that made the change"""
    before: int
    """the number of its parent, which is the `tip` for finding the change before this one"""
    time: float
    """the time of the entry"""
    change: Optional[np.void]
    """the change of an item, with the fields of Tree.diff; None after a search in a window"""


class HistoryStats(NamedTuple):
    """Sizes of a history; see History.stats."""

    entries: int
    branches: int
    """the number of entries without children"""
    bytes: int
    """bytes of the versions, with shared blocks counted once"""
    index_bytes: int
    """memory of the index of changes; 0 without an index"""
    entry_bytes: int
    """memory of the entries with their labels and names"""


class EntryBytes(NamedTuple):
    """Sizes of an entry among its neighbours, which are its parent and its children."""

    all: int
    """bytes of its version"""
    added: int
    """those that its parent does not share"""
    shared: int
    """those that a neighbour shares"""
    freed: int
    """those that dropping the entry frees, if nothing else refers to them"""


def _window(window: Optional[BoxLike]) -> List[float]:
    """Returns the sides of a window; None means everything."""
    return [-inf, -inf, inf, inf] if window is None else list(box_of(window))


def _text(text: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError("a label or name must be a str, not %s" % type(text).__name__)
    data = str.encode(text)
    if b"\0" in data:
        raise ValueError("a label or name contains a null character")
    return data


def _double(word: int) -> float:
    """Returns the double whose bits are a word."""
    return _DOUBLE.unpack(_WORD.pack(word))[0]


def _limit(number: Optional[int]) -> int:
    """Returns a limit for C, where 0 means no limit."""
    if number is None:
        return 0
    number = operator.index(number)
    if number < 1:
        raise ValueError("a limit must be None, or 1 or more, not %d" % number)
    return min(number, sys.maxsize)


class History(Owner):
    """A history of versions of one kind: trees, regions, maps, worlds or documents.

    A history changes in place. Any thread may use it; an internal lock serialises its calls.

    A history may be in a Store. Then each change is in the file when its function returns, and the
    history is closed with the store. If the store cannot be read or written, Error is raised;
    nothing has changed then, with one exception: if an undo position, a saved mark or a group
    cannot be written, it has changed in memory, and the next change writes it.
    """

    __slots__ = ("_class",)

    _class: Any

    def __init__(self, first: Version, *, max_entries: Optional[int] = None,
                 max_bytes: Optional[int] = None, indexed: bool = False,
                 time: float = 0.0) -> None:
        """Makes a history that begins with a version.

        Beyond a limit the oldest entries are dropped. last_change and last_item_change need
        `indexed`. Then the versions must be trees, or documents with trees, that all have equal
        bounds and options.
        """
        if not isinstance(first, Version):
            raise TypeError("a history must hold trees, regions, maps, worlds or documents, not %s"
                            % type(first).__name__)
        entries, size, error = _limit(max_entries), _limit(max_bytes), new_error()
        history = lib.pqtpy_history_make(first._pin, entries, size, bool(indexed), time, error)
        if history == ffi.NULL:
            raise_error(error)
        self._take(history, type(first))

    def _take(self, history: Any, of: type) -> None:
        """Takes over a history from C, with versions of one class."""
        self._own(history, lib.pqtpy_history_destroy)
        self._set(_class=of)

    @classmethod
    def _read(cls, history: Any) -> History:
        """Returns an object for a history that C has read."""
        read = object.__new__(cls)
        read._take(history, CLASSES[lib.pqtpy_history_kind(history)])
        return read

    def to_bytes(self) -> bytes:
        """Returns the history in the file format of the library, with all its versions.

        Equal histories give equal bytes. A history with an open group raises Error.
        """
        error = new_error()
        with self._lock, Growing() as out:
            if not lib.pqtpy_history_write(self._handle, out.bytes, error):
                raise_error(error)
            return out.copy()

    @classmethod
    def from_bytes(cls, data: Any, *, max_entries: Optional[int] = None,
                   max_bytes: Optional[int] = None, indexed: bool = False) -> History:
        """Reads a history from bytes that to_bytes or the library wrote. Checks every byte.

        The options are those of History. The limits apply to later pushes, the first of which adds
        an entry, whatever its key.
        """
        entries, size, error = _limit(max_entries), _limit(max_bytes), new_error()
        source = ffi.from_buffer("char[]", data)
        history = lib.pqtpy_history_read(source, len(source), entries, size, bool(indexed), error)
        if history == ffi.NULL:
            raise_error(error)
        return cls._read(history)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the history to a .pqt file, which is replaced completely or not at all.

        The file has the history as it is now. A Store has each later change, too.
        """
        name, error = path_of(path), new_error()
        with self._lock:
            if not lib.pqtpy_history_save(self._handle, name, error):
                raise_file_error(error, path)

    @classmethod
    def load(cls, path: Union[str, "os.PathLike[str]"], *, max_entries: Optional[int] = None,
             max_bytes: Optional[int] = None, indexed: bool = False) -> History:
        """Reads a history from a .pqt file. Checks every byte. The options are as in from_bytes."""
        entries, size, error = _limit(max_entries), _limit(max_bytes), new_error()
        history = lib.pqtpy_history_load(path_of(path), entries, size, bool(indexed), error)
        if history == ffi.NULL:
            raise_file_error(error, path)
        return cls._read(history)

    def push(self, version: Version, label: str = "", *, time: float = float("nan"), key: int = 0,
             keep_equal: bool = False) -> None:
        """Adds a version after the current one, and makes it current.

        Versions that are pushed consecutively with the same nonzero `key` become one entry.
        A version that equals the current one adds no entry, unless `keep_equal` is true. Without a
        time, the entry gets the time of the current one.
        """
        if not isinstance(version, self._class):
            raise TypeError("this history must hold versions of class %s, not %s"
                            % (self._class.__name__, type(version).__name__))
        text, key, error = _text(label), id_of(key, "the key of a push"), new_error()
        with self._lock:
            if not lib.pqtpy_history_push(self._handle, version._pin, text, time, key,
                                          bool(keep_equal), error):
                raise_error(error)

    def _do(self, command: int, label: bytes = b"") -> bool:
        error = new_error()
        with self._lock:
            done = lib.pqtpy_history_do(self._handle, command, label, error)
        if error.status:
            raise_error(error)
        return done

    def undo(self) -> bool:
        """Goes to the parent of the current entry.

        Returns False if there is none, or if a group is open.
        """
        return self._do(_UNDO)

    def redo(self) -> bool:
        """Goes to the child that was current most recently.

        Returns False if there is none, or if a group is open.
        """
        return self._do(_REDO)

    def _label(self, redo: bool) -> Optional[str]:
        label = filled(np.uint8, lib.pqtpy_history_label, self._handle, redo).tobytes()
        return label[:-1].decode() if label else None

    @property
    def undo_label(self) -> Optional[str]:
        """The label of the entry that undo would undo; None if undo would return False."""
        with self._lock:
            return self._label(False)

    @property
    def redo_label(self) -> Optional[str]:
        """The label of the entry to which redo would lead; None if redo would return False."""
        with self._lock:
            return self._label(True)

    def begin(self, label: str = "") -> None:
        """Opens a group: all pushes until its end become one entry."""
        self._do(_BEGIN, _text(label))

    def end(self) -> bool:
        """Closes the group that was opened last. Returns False if none is open."""
        return self._do(_END)

    def cancel(self) -> bool:
        """Closes all groups and goes to the entry before them. Returns False if none is open."""
        return self._do(_CANCEL)

    def end_coalescing(self) -> None:
        """Makes the next push add an entry, even if it has the key of the last one."""
        self._do(_END_COALESCING)

    def mark_saved(self) -> None:
        """Marks the current entry as the saved one."""
        self._do(_MARK_SAVED)

    @property
    def is_modified(self) -> bool:
        """Whether the current entry is not the saved one."""
        return self._do(_IS_MODIFIED)

    def checkout(self, number: int) -> None:
        """Makes an entry current."""
        number, error = id_of(number, _ENTRY), new_error()
        with self._lock:
            if not lib.pqtpy_history_checkout(self._handle, number, error):
                raise_error(error)

    @property
    def value(self) -> Any:
        """The current version."""
        with self._lock:
            return self.value_of(self.current)

    def value_of(self, number: int) -> Any:
        """Returns the version of an entry."""
        number, error = id_of(number, _ENTRY), new_error()
        with self._lock:
            pin = lib.pqtpy_history_value(self._handle, number, error)
        return self._class._wrap_any(pin, error)

    @property
    def current(self) -> int:
        """The number of the current entry."""
        error = new_error()
        with self._lock:
            number = lib.pqtpy_history_current(self._handle, error)
        if error.status:
            raise_error(error)
        return number

    def set_name(self, number: int, name: Optional[str]) -> None:
        """Names an entry, so that it is never dropped; None removes the name."""
        number, error = id_of(number, _ENTRY), new_error()
        text = b"" if name is None else _text(name)
        with self._lock:
            if not lib.pqtpy_history_set_name(self._handle, number, name is not None, text, error):
                raise_error(error)

    def find(self, name: str) -> Optional[int]:
        """Returns the number of the entry with a given name, or None."""
        text = _text(name)
        with self._lock:
            found = filled(np.uint64, lib.pqtpy_history_find, self._handle, text).tolist()
        return found[0] if found else None

    def entry(self, number: int) -> Entry:
        """Returns the properties of an entry."""
        number, error = id_of(number, _ENTRY), new_error()
        with Growing() as out:
            with self._lock:
                if not lib.pqtpy_history_entry(self._handle, number, out.bytes, error):
                    raise_error(error)
            figures, data = out.words()
        label, end = figures[9], figures[10]
        return Entry._make([*figures[:5], *map(bool, figures[5:8]), _double(figures[8]),
                            data[:label].decode(), data[label:end].decode() or None])

    def _numbers(self, tips: bool = False) -> List[int]:
        return filled(np.uint64, lib.pqtpy_history_numbers, self._handle, tips).tolist()

    def entries(self) -> List[Entry]:
        """Returns all entries, each after its parent."""
        with self._lock:
            return [self.entry(number) for number in self._numbers()]

    def branches(self) -> List[Entry]:
        """Returns the entries at the tips of the branches, in order of their numbers."""
        with self._lock:
            return [self.entry(number) for number in self._numbers(True)]

    def entry_at(self, time: float, *, tip: Optional[int] = None) -> Optional[int]:
        """Returns the number of the last entry on the path to `tip` whose time is at most `time`.

        `tip` is by default the current entry. Returns None if the first entry is later.
        """
        with self._lock:
            end = self.current if tip is None else id_of(tip, _ENTRY)
            found = filled(np.uint64, lib.pqtpy_history_entry_at, self._handle, end, time).tolist()
        return found[0] if found else None

    def _path(self, start: int, end: int, ancestor: bool) -> List[int]:
        start, end = id_of(start, _ENTRY), id_of(end, _ENTRY)
        with self._lock:
            return filled(np.uint64, lib.pqtpy_history_path, self._handle, start, end, ancestor).tolist()

    def path(self, start: int, end: int) -> List[int]:
        """Returns the numbers of the entries from one entry to another, both included.

        The path leads up to the last common ancestor, and then down.
        """
        return self._path(start, end, False)

    def common_ancestor(self, a: int, b: int) -> int:
        """Returns the number of the last common ancestor of two entries, which may be one of them."""
        return self._path(a, b, True)[0]

    def _changed(self, call: Any, part: Optional[str], tip: Optional[int], *arguments: Any) -> Any:
        """Calls a function for the past, with the name of a tree, and an entry."""
        name = b"" if part is None else _text(part)
        with self._lock:
            end = self.current if tip is None else id_of(tip, _ENTRY)
            return call(self._handle, part is not None, name, end, *arguments)

    @staticmethod
    def _answer(found: np.ndarray, has_change: bool = False) -> Optional[LastChange]:
        if found.size == 0:
            return None
        return LastChange(int(found["entry"][0]), int(found["before"][0]), float(found["time"][0]),
                          found["change"][0] if has_change else None)

    def last_change(self, window: Optional[BoxLike] = None, relation: str = "touches", *,
                    tip: Optional[int] = None, part: Optional[str] = None) -> Optional[LastChange]:
        """Returns the last change in a window on the path to an entry, or None if there is none.

        Without a window, any change matches. The path leads from the first entry, which is not a
        change, to `tip`, by default the current entry. A change that was reverted later also
        matches. `part` names the tree if documents have several trees. The history must be indexed.
        """
        found = self._changed(partial(filled, _ANSWER, lib.pqtpy_history_last_change), part, tip,
                              *_window(window), relation_of(relation))
        return self._answer(found)

    def last_item_change(self, number: int, *, tip: Optional[int] = None,
                         part: Optional[str] = None) -> Optional[LastChange]:
        """Like last_change, for the last insertion, move or removal of the item with a given id."""
        found = self._changed(partial(filled, _ANSWER, lib.pqtpy_history_last_item_change), part, tip,
                              id_of(number))
        return self._answer(found, True)

    def changes(self, start: float, end: float, window: Optional[BoxLike] = None,
                relation: str = "touches", *, tip: Optional[int] = None,
                part: Optional[str] = None) -> np.ndarray:
        """Returns the changes between the versions at two times, with the fields of Tree.diff.

        The versions are those on the path to `tip`, by default the current entry. Changes that were
        reverted in between are left out. A time before the first entry means that entry. If `end`
        is before `start`, the changes lead back.
        """
        return self._changed(partial(filled, CHANGE, lib.pqtpy_history_changes), part, tip, start, end,
                             *_window(window), relation_of(relation))

    def stats(self) -> HistoryStats:
        """Counts entries, branches and bytes."""
        with self._lock:
            return HistoryStats._make(
                filled(np.uint64, lib.pqtpy_history_stats, self._handle).tolist())

    def entry_bytes(self, number: int) -> EntryBytes:
        """Counts the bytes of an entry, and those that it shares with its parent and its children."""
        number = id_of(number, _ENTRY)
        with self._lock:
            return EntryBytes._make(
                filled(np.uint64, lib.pqtpy_history_entry_bytes, self._handle, number).tolist())

    def _drop(self, command: int, number: int) -> None:
        number, error = id_of(number, _ENTRY), new_error()
        with self._lock:
            if not lib.pqtpy_history_drop(self._handle, command, number, error):
                raise_error(error)

    def thin(self, recent: int) -> None:
        """Drops old entries. The older the entries, the larger the fraction of them that it drops.

        Keeps the last `recent` entries.
        """
        self._drop(_THIN, recent)

    def drop(self, number: int) -> None:
        """Drops an entry; the entries that follow it are kept."""
        self._drop(_DROP, number)

    def drop_branch(self, number: int) -> None:
        """Drops an entry and all entries that follow it, except those that are always kept."""
        self._drop(_DROP_BRANCH, number)

    def __len__(self) -> int:
        with self._lock:
            return len(self._numbers())

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries())

    def __repr__(self) -> str:
        try:
            count = "%d versions" % len(self)
        except Error:
            count = "a closed store, versions"
        return "<pqt.History of %s of class %s>" % (count, self._class.__name__)

# SPDX-License-Identifier: MIT
"""Stores of histories and recordings in files."""
from __future__ import annotations

import operator
import os
import sys
import weakref
from typing import Any, NamedTuple, Optional, Type, Union

from ._core import InvalidValue, Owner, Version, ffi, lib, new_error, path_of, raise_error, \
    raise_file_error
from .history import CLASSES, History, _limit
from .recording import Recording

_CREATE, _WRITE, _READ = 0, 1, 2
_SYNC = {"normal": 0, "full": 1}


class StoreStats(NamedTuple):
    """Sizes of a store, and counts since it was opened. `keyframes` counts whole versions."""

    entries: int
    keyframes: int
    change_bytes: int
    keyframe_bytes: int
    file_bytes: int
    loads: int
    changes_read: int
    keyframes_read: int
    loaded_bytes: int


def is_store(path: Union[str, "os.PathLike[str]"]) -> bool:
    """Returns whether a file is a store, also while its first writer is making it.

    It is safe while this process has that store open. Do not open the file in another way then:
    when the file is closed, the system ends the locks of the store.
    """
    os.stat(path)  # raises an exception if there is no such file
    return lib.pqt_is_store_file(path_of(path))


class Store(Owner):
    """A file that holds one history with its entries, labels, names, times and undo position.

    `save` puts a history into an empty store, and `history` opens the history in the store. Each
    change of the history is in the file when the function that makes it returns. A store may hold a
    Recording instead of a history: `save` puts it into the store, and `recording` opens it.

    One process may write to a store, and others may read it at the same time. Any thread may use
    it; a lock serialises its calls and those of its history. `with` closes the store and its
    history. A history that is not closed keeps the file open. A child process after fork cannot use
    the store.
    """

    __slots__ = ("_opened", "_path")
    _knows_processes = True

    _opened: Any
    _path: str

    def __init__(self, path: Union[str, "os.PathLike[str]"], *, readonly: bool = False,
                 create: bool = True, sync: str = "normal", max_loaded: Optional[int] = None,
                 keyframe_ratio: float = 0.5) -> None:
        """Opens a store. A missing file is created, unless `create` is False or `readonly` is True.

        If another process has the store open for writing, Conflict is raised, with the number of
        that process. With sync "normal", a push survives a crash of the process; with "full", it
        also survives a power failure. When loaded versions take more than `max_loaded` bytes (None:
        256 MiB), all but the current one are dropped from memory. A version is stored whole when
        the changes since the last whole version take more bytes than that version (or than 64 KiB,
        if that is more) times `keyframe_ratio`.
        """
        if sync not in _SYNC:
            raise ValueError("sync must be 'normal' or 'full', not %r" % (sync,))
        limit = 0 if max_loaded is None else operator.index(max_loaded)
        if limit < 0:
            raise ValueError("max_loaded must be None, or 0 or more, not %d" % limit)
        access, error = _READ if readonly else _CREATE if create else _WRITE, new_error()
        store = lib.pqtpy_store_open(path_of(path), access, _SYNC[sync], max_loaded is not None,
                                     min(limit, sys.maxsize), keyframe_ratio, error)
        if store == ffi.NULL:
            raise_file_error(error, path)
        self._own(store, lib.pqtpy_store_release)
        self._set(_opened=None, _path=os.fsdecode(path))

    def close(self) -> None:
        """Closes the store and its history. Does nothing if the store is closed already.

        Raises Error if the undo position or the saved mark could not be written.
        """
        error = new_error()
        with self._lock:
            self._set(_opened=None)
            if not lib.pqtpy_store_close(self._handle, error):
                raise_error(error)

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @property
    def kind(self) -> Optional[Type[Version]]:
        """The class of the versions, such as Tree; None if the store is empty."""
        error = new_error()
        kind = lib.pqtpy_store_kind(self._handle, error)
        if kind < 0:
            raise_error(error)
        return CLASSES[kind] if kind else None

    def save(self, history: Union[History, Recording]) -> None:
        """Puts a history or a recording into an empty store, which then stores each change."""
        if not isinstance(history, (History, Recording)):
            raise TypeError("a store holds a History or a Recording, not %s"
                            % type(history).__name__)
        error = new_error()
        with self._lock, history._lock:
            if isinstance(history, Recording):
                saved = lib.pqtpy_store_save_recording(self._handle, history._handle, error)
            else:
                saved = lib.pqtpy_store_save(self._handle, history._handle, error)
            if not saved:
                raise_error(error)
            self._set(_opened=weakref.ref(history))

    @property
    def has_recording(self) -> bool:
        """Whether the store holds a recording rather than a history."""
        answer, error = ffi.new("bool *"), new_error()
        if not lib.pqtpy_store_has_recording(self._handle, answer, error):
            raise_error(error)
        return bool(answer[0])

    def recording(self) -> Recording:
        """Returns the recording. The next step continues it.

        As long as the returned object is in use, later calls return it too.
        """
        error = new_error()
        with self._lock:
            opened = self._opened() if self._opened is not None else None
            if not isinstance(opened, Recording):
                recording = lib.pqtpy_store_recording(self._handle, error)
                if recording == ffi.NULL:
                    raise_error(error)
                opened = object.__new__(Recording)
                opened._take(recording)
                self._set(_opened=weakref.ref(opened))
            return opened

    def history(self, *, max_entries: Optional[int] = None, max_bytes: Optional[int] = None,
                indexed: bool = False) -> History:
        """Returns the history. Its entries have the same numbers as when they were made.

        The options are those of History. The limits apply to later pushes; `max_bytes` limits the
        bytes that all versions would take in memory. With `indexed`, queries about the past read
        the changes in the file, and load no version.

        As long as the returned object is in use, later calls return it too, and refuse options.
        """
        entries, size, error = _limit(max_entries), _limit(max_bytes), new_error()
        with self._lock:
            opened = self._opened() if self._opened is not None else None
            if isinstance(opened, History) and (entries or size or indexed):
                raise InvalidValue("the history of the store is already open, so its options "
                                   "cannot change", 7)
            if not isinstance(opened, History):
                of = self.kind
                history = lib.pqtpy_store_history(self._handle, entries, size, bool(indexed), error)
                if history == ffi.NULL:
                    raise_error(error)
                opened = object.__new__(History)
                opened._take(history, of)
                self._set(_opened=weakref.ref(opened))
            return opened

    def check(self) -> None:
        """Reads and checks everything, and raises Error for the first entry that is damaged."""
        error = new_error()
        with self._lock:
            if not lib.pqtpy_store_check(self._handle, error):
                raise_error(error)

    def compact(self) -> None:
        """Returns the space of dropped entries to the file system."""
        error = new_error()
        with self._lock:
            if not lib.pqtpy_store_compact(self._handle, error):
                raise_error(error)

    @property
    def stats(self) -> StoreStats:
        """The statistics of the store."""
        figures, error = ffi.new("uint64_t[9]"), new_error()
        with self._lock:
            if not lib.pqtpy_store_stats(self._handle, figures, error):
                raise_error(error)
        return StoreStats(*figures)

    def __repr__(self) -> str:
        return "<pqt.Store %r>" % self._path

# SPDX-License-Identifier: MIT
"""Maps that are edited in place between two versions."""
from __future__ import annotations

from typing import Any, Tuple

from ._core import Owner, ffi, lib, new_error, raise_error
from .draft import lock_queries
from .map import Map, MapCalls


class MapDraft(Owner, MapCalls):
    """A map that is edited in place between two versions, and read at any time.

        >>> import pqt
        >>> draft = pqt.MapDraft(pqt.Map({1: 10}))
        >>> for id in range(5):
        ...     _ = draft.set(id, draft.get(id, 0) + 1)
        >>> map = draft.snapshot()
        >>> len(draft.remove(1)), len(map), map[1]
        (4, 5, 11)

    It has the queries and the edits of a Map. Each edit returns the draft, and an edit that is
    refused leaves it as it was. A snapshot is a Map, which equals the map that the same edits of
    maps return. Any thread may use a draft; an internal lock serialises its calls.
    """

    __slots__ = ()

    def __init__(self, map: Map) -> None:
        """Begins a draft of a map, which does not change."""
        error = new_error()
        draft = lib.pqtpy_map_draft_begin(self._same(map), error)
        if draft == ffi.NULL:
            raise_error(error)
        self._own(draft, lib.pqtpy_map_draft_destroy)

    @property
    def _pin(self) -> Any:
        return lib.pqtpy_map_draft_view(self._handle)

    def _same(self, other: Any) -> Any:
        if not isinstance(other, Map):
            raise TypeError("expected a Map, not %s" % type(other).__name__)
        return other._pin

    def _kinds(self) -> Tuple[bool, bool]:
        with self._lock:
            return MapCalls._kinds(self)

    def _edited(self, *arguments: Any) -> "MapDraft":
        with self._lock:
            done = lib.pqtpy_map_draft_apply(self._handle, *arguments)
        if not done:
            raise_error(arguments[-1])
        return self

    def snapshot(self) -> Map:
        """Returns the draft as a map. The draft continues, and never changes the map."""
        error = new_error()
        with self._lock:
            pin = lib.pqtpy_map_draft_snapshot(self._handle, error)
        return Map._wrap(pin, error)

    def __repr__(self) -> str:
        with self._lock:
            return "<pqt.MapDraft of %d entries from %s to %s>" % ((len(self),) + self.kinds)


lock_queries(MapDraft, MapCalls,
             without=("set", "remove", "update", "set_all", "remove_all", "apply"))

# SPDX-License-Identifier: MIT
"""Trees that are edited in place between two versions."""
from __future__ import annotations

import functools
from typing import Any, Callable, Sequence, Union

import numpy as np

from ._core import (CHANGES, NO_BOX, BoxLike, InvalidValue, Owner, copied, ffi, id_of, lib,
                    new_error, raise_error)
from .batch import Batch, changes_of, changes_of_kind
from .tree import Tree, TreeQueries

_OPTION = 4  # the code of an option that the library refuses


class Draft(Owner, TreeQueries):
    """A tree that is edited in place between two versions, and read at any time.

        >>> import pqt
        >>> draft = pqt.Draft(pqt.Tree((0, 0, 9, 9)))
        >>> for id in range(5):
        ...     _ = draft.insert((id, id, id + 1, id + 1), id)
        >>> len(draft), draft.ids_in((0, 0, 0.5, 0.5)).tolist()
        (5, [0])
        >>> tree = draft.snapshot()
        >>> _ = draft.remove((0, 0, 1, 1), 0)
        >>> len(draft), len(tree)
        (4, 5)

    It has the queries of a Tree. Each edit returns the draft, and an edit that is refused leaves it
    as it was. A snapshot is a Tree, which equals the tree that the same edits of trees return. Any
    thread may use a draft; an internal lock serialises its calls.
    """

    __slots__ = ()

    def __init__(self, tree: Tree) -> None:
        """Begins a draft of a tree, which does not change."""
        if not isinstance(tree, Tree):
            raise TypeError("expected a Tree, not %s" % type(tree).__name__)
        error = new_error()
        draft = lib.pqtpy_draft_begin(tree._pin, error)
        if draft == ffi.NULL:
            raise_error(error)
        self._own(draft, lib.pqtpy_draft_destroy)

    @property
    def _pin(self) -> Any:
        return lib.pqtpy_draft_view(self._handle)

    def _same(self, other: Any) -> Any:
        if not isinstance(other, Tree):
            raise TypeError("expected a Tree, not %s" % type(other).__name__)
        return other._pin

    def snapshot(self) -> Tree:
        """Returns the draft as a tree. The draft continues, and never changes the tree."""
        error = new_error()
        with self._lock:
            pin = lib.pqtpy_draft_snapshot(self._handle, error)
        return Tree._wrap(pin, error)

    # ---- Edits ----

    def _edit(self, kind: str, box: BoxLike, id: Any, to: BoxLike = NO_BOX) -> "Draft":
        (min_x, min_y, max_x, max_y), (to_min_x, to_min_y, to_max_x, to_max_y) = box, to
        number, error = id_of(id), new_error()
        with self._lock:
            done = lib.pqtpy_draft_edit(self._handle, CHANGES[kind], min_x, min_y, max_x, max_y,
                                        number, to_min_x, to_min_y, to_max_x, to_max_y, error)
        if not done:
            raise_error(error)
        return self

    def _apply(self, changes: np.ndarray, by_id: bool = False) -> "Draft":
        error = new_error()
        with self._lock:
            if by_id and len(changes) == 0 and not self._describe()[1].unique_ids:
                raise InvalidValue("the tree was not made with unique_ids", _OPTION)
            done = lib.pqtpy_draft_apply(self._handle, *copied(changes), error)
        if not done:
            raise_error(error)
        return self

    def insert(self, box: BoxLike, id: int) -> "Draft":
        """Inserts an item; see Tree.insert."""
        return self._edit("insert", box, id)

    def remove(self, box: BoxLike, id: int) -> "Draft":
        """Removes an item, if the draft contains it."""
        return self._edit("remove", box, id)

    def move(self, box: BoxLike, id: int, to: BoxLike) -> "Draft":
        """Moves an item to another box, if the draft contains it."""
        return self._edit("move", box, id, to)

    def remove_id(self, id: int) -> "Draft":
        """Removes the item with a given id, if there is one. Needs unique_ids."""
        return self._edit("remove_id", NO_BOX, id)

    def move_id(self, id: int, to: BoxLike) -> "Draft":
        """Moves the item with a given id, if there is one. Needs unique_ids."""
        return self._edit("move_id", NO_BOX, id, to)

    def insert_all(self, boxes: Any, ids: Any) -> "Draft":
        """Inserts items: boxes of shape (n, 4), and n ids."""
        return self._apply(changes_of_kind("insert", ids, box=boxes))

    def remove_all(self, boxes: Any, ids: Any) -> "Draft":
        """Removes items. Those that the draft does not contain are ignored."""
        return self._apply(changes_of_kind("remove", ids, box=boxes))

    def move_all(self, boxes: Any, ids: Any, to: Any) -> "Draft":
        """Moves items, in order, from `boxes` to `to`."""
        return self._apply(changes_of_kind("move", ids, box=boxes, to=to))

    def remove_ids(self, ids: Any) -> "Draft":
        """Removes the items with given ids. Needs unique_ids."""
        return self._apply(changes_of_kind("remove_id", ids), by_id=True)

    def move_ids(self, ids: Any, to: Any) -> "Draft":
        """Moves the items with given ids to other boxes. Needs unique_ids."""
        return self._apply(changes_of_kind("move_id", ids, to=to), by_id=True)

    def apply(self, changes: Union[Batch, np.ndarray]) -> "Draft":
        """Makes all edits of a Batch, or all changes of an array from Tree.diff, or none."""
        return self._apply(changes_of(changes))

    def __repr__(self) -> str:
        with self._lock:
            return "<pqt.Draft of %d items in (%g, %g, %g, %g)>" % ((len(self),) + self.bounds)


def _locked(query: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a query that holds the lock of the draft that it reads."""
    @functools.wraps(query)
    def read(self: Any, *given: Any, **named: Any) -> Any:
        with self._lock:
            return query(self, *given, **named)
    return read


def lock_queries(owner: type, queries: type, without: Sequence[str] = ()) -> None:
    """Makes the queries of a class of drafts hold the lock of the draft."""
    for name, query in list(vars(queries).items()):
        if isinstance(query, property) and query.fget is not None:
            setattr(owner, name, property(_locked(query.fget), doc=query.__doc__))
        elif callable(query) and name not in without and (
                name[0] != "_" or name in ("__len__", "__iter__", "__contains__", "__getitem__")):
            setattr(owner, name, _locked(query))


lock_queries(Draft, TreeQueries)

# SPDX-License-Identifier: MIT
"""Documents: named trees, regions, images, worlds and maps that change together."""
from __future__ import annotations

import struct
from typing import Any, Dict, Iterator, List, Mapping, Optional, Type

from ._core import Growing, InvalidValue, Version, ffi, lib, new_error, raise_error
from .image import Image
from .map import Map
from .region import Region
from .tree import Tree
from .world import World

_CLASSES: Dict[int, Type[Version]] = {1: Tree, 2: Region, 3: World, 4: Map, 6: Image}
_MISMATCH = 7  # the code of an error: there is no such part
_RESOLUTIONS = {None: 0, "ours": 1, "theirs": 2, "neither": 3, "base": 4, "both": 6}


def _name(name: Any) -> bytes:
    if not isinstance(name, str):
        raise TypeError("the name of a part must be a str, not %s" % type(name).__name__)
    data = str.encode(name)
    if b"\0" in data:
        raise ValueError("the name of a part contains a null character")
    return data


class _Parts:
    """Parts, in the form in which the library gets them: each is a kind, a pin, a name, and the name
    of a tree or no bytes. Names end with a zero. The object keeps the pins."""

    def __init__(self, parts: Mapping[str, Version], keyed: Mapping[str, str] = {}) -> None:
        if not isinstance(parts, Mapping):
            raise TypeError("parts must be a mapping from names to versions")
        self.parts = parts = dict(parts)  # a copy that no other thread changes
        for version in parts.values():
            if not isinstance(version, Version) or version._kind not in _CLASSES:
                raise TypeError("a part must be a tree, region, world or map, not %s"
                                % type(version).__name__)
        words, data = [], b""
        for name, version in parts.items():
            words += [version._kind, int(ffi.cast("uintptr_t", version._pin))]
            for text in (_name(name) + b"\0", _name(keyed[name]) + b"\0" if name in keyed else b""):
                data += text
                words.append(len(data))
        self.block, self.count = struct.pack("=%dQ" % len(words), *words) + data, len(parts)


class Document(Version):
    """An immutable set of up to 16 named parts: trees, regions, worlds and maps.

    All parts together have one version, one fingerprint and one entry in a history.
    """

    __slots__ = ()
    _kind = 5

    def __new__(cls, parts: Mapping[str, Version], *,
                keyed_by: Optional[Mapping[str, str]] = None) -> "Document":
        """Returns a document of parts.

        `keyed_by` maps the name of a map to the name of the tree whose ids are the keys of that
        map. When an item of the tree is removed, so are its entries in the map. The tree needs
        unique_ids.
        """
        keyed = dict(keyed_by or {})
        given = _Parts(parts, keyed)
        unknown = set(keyed) - set(given.parts)
        if unknown:
            raise ValueError("keyed_by names parts that do not exist: %s" % sorted(unknown))
        return cls._make(lib.pqtpy_document_make, given.block, given.count)

    def set(self, parts: Optional[Mapping[str, Version]] = None, **named: Version) -> "Document":
        """Returns the document with some parts replaced by versions of the same kind."""
        given = _Parts({**(parts or {}), **named})
        return self._make(lib.pqtpy_document_set, self._pin, given.block, given.count)

    def get(self, name: str, default: Any = None) -> Any:
        """Returns the part with a given name, or the default."""
        text, error = _name(name), new_error()
        pin = lib.pqtpy_document_part(self._pin, text, error)
        if error.status == _MISMATCH:
            return default
        return _CLASSES.get(lib.pqtpy_kind(pin), Tree)._wrap_any(pin, error)

    def __getitem__(self, name: str) -> Any:
        part = self.get(name)
        if part is None:
            raise KeyError(name)
        return part

    def __contains__(self, name: Any) -> bool:
        return self.get(name) is not None

    def __len__(self) -> int:
        return len(self._parts())

    def _parts(self) -> Dict[str, Optional[str]]:
        """Returns the names of all parts, each with the name of the tree that keys it, or None."""
        error = new_error()
        with Growing() as out:
            if not lib.pqtpy_document_parts(self._pin, out.bytes, error):
                raise_error(error)
            words, data = out.words()
        ends = (0, *(end for i, end in enumerate(words) if i % 3 > 0))  # of a name and a tree each
        texts = [data[begin:end].decode() for begin, end in zip(ends, ends[1:])]
        return {name: tree or None for name, tree in zip(texts[::2], texts[1::2])}

    def names(self) -> List[str]:
        """Returns the names of all parts."""
        return list(self._parts())

    @property
    def keyed_by(self) -> Dict[str, str]:
        """The names of the maps that a tree keys, each with the name of that tree."""
        return {name: tree for name, tree in self._parts().items() if tree is not None}

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def diff(self, after: "Document") -> Dict[str, Any]:
        """Returns the changes in each part that differs in another document of the same schema.

        For a tree, they are the array of Tree.diff; for a map, the list of Map.diff; for a region,
        an image or a world, the pair of the versions before and after.
        """
        self._same(after)
        parts, changes = self._parts(), {}
        if parts != after._parts():
            raise InvalidValue("the documents have different parts", 7)
        for name in parts:
            one, other = self[name], after[name]
            if type(one) is not type(other):
                raise InvalidValue("the documents have different parts: %s" % name, 7)
            if one != other:
                changes[name] = (one.diff(other) if isinstance(one, (Tree, Map))
                                 else (one, other))
        return changes

    def merge(self, ours: "Document", theirs: "Document",
              resolve: Optional[str] = None) -> "Document":
        """Returns the three-way merge of two documents that both derive from this one.

        `resolve` applies to all conflicts: 'ours', 'theirs', 'both', 'neither' or 'base'. Without
        it, a conflict raises Conflict.
        """
        try:
            resolution = _RESOLUTIONS[resolve]
        except (KeyError, TypeError):
            raise ValueError("a resolution must be None, 'ours', 'theirs', 'both', 'neither' or "
                             "'base', not %r" % (resolve,)) from None
        with Growing() as conflicts:
            return self._make(lib.pqtpy_document_merge, self._pin, self._same(ours),
                              self._same(theirs), resolution, b"", 0, conflicts.bytes)

    def __repr__(self) -> str:
        return "<pqt.Document of %s>" % ", ".join(self.names())

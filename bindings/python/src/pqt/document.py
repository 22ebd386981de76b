# SPDX-License-Identifier: MIT
"""Documents: named trees, regions, images, worlds and maps that change together."""
from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, Optional, Type

from ._core import Growing, InvalidValue, Version, ffi, lib, new_error, raise_error
from .image import Image
from .map import Map
from .region import Region
from .tree import Tree
from .world import World

_CLASSES: Dict[int, Type[Version]] = {1: Tree, 2: Region, 3: World, 4: Map, 6: Image}
_RESOLUTIONS = {None: 0, "ours": 1, "theirs": 2, "neither": 3, "base": 4, "both": 6}


def _name(name: Any) -> bytes:
    if not isinstance(name, str):
        raise TypeError("the name of a part must be a str, not %s" % type(name).__name__)
    data = name.encode()
    if b"\0" in data:
        raise ValueError("the name of a part contains a null character")
    return data


class _Parts:
    """The C arrays that describe parts. They are valid as long as this object exists."""

    def __init__(self, parts: Mapping[str, Version]) -> None:
        if not isinstance(parts, Mapping):
            raise TypeError("parts must be a mapping from names to versions")
        parts = dict(parts)  # a copy that no other thread changes
        for version in parts.values():
            if not isinstance(version, Version) or version._kind not in _CLASSES:
                raise TypeError("a part must be a tree, region, world or map, not %s"
                                % type(version).__name__)
        self.parts = parts
        self.texts = [ffi.new("char[]", _name(name)) for name in parts]
        self.versions = list(parts.values())
        self.names = ffi.new("char *[]", self.texts)
        self.pins = ffi.new("void *[]", [version._pin for version in self.versions])
        self.count = len(self.versions)


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
        given, keyed = _Parts(parts), dict(keyed_by or {})
        unknown = set(keyed) - set(given.parts)
        if unknown:
            raise ValueError("keyed_by names parts that do not exist: %s" % sorted(unknown))
        texts = [ffi.new("char[]", _name(keyed[name])) if name in keyed else ffi.NULL
                 for name in given.parts]
        error = new_error()
        pin = lib.pqtpy_document_make(given.names, given.pins, ffi.new("char *[]", texts),
                                      given.count, error)
        return cls._wrap(pin, error)

    def set(self, parts: Optional[Mapping[str, Version]] = None, **named: Version) -> "Document":
        """Returns the document with some parts replaced by versions of the same kind."""
        given, error = _Parts({**(parts or {}), **named}), new_error()
        return self._made(lib.pqtpy_document_set, self._pin, given.names, given.pins, given.count,
                          error)

    def get(self, name: str, default: Any = None) -> Any:
        """Returns the part with a given name, or the default."""
        text, error = _name(name), new_error()
        pin = lib.pqtpy_document_get(self._pin, text, error)
        if pin == ffi.NULL and error.status == 0:
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
        return lib.pqtpy_document_count(self._pin)

    def _parts(self) -> Dict[str, Optional[str]]:
        """Returns the names of all parts, each with the name of the tree that keys it, or None."""
        parts: Dict[str, Optional[str]] = {}
        error = new_error()
        for index in range(len(self)):
            with Growing() as name, Growing() as tree:
                if not lib.pqtpy_document_part(self._pin, index, name.bytes, tree.bytes, error):
                    raise_error(error)
                parts[name.copy().decode()] = tree.copy().decode() or None
        return parts

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
        error = new_error()
        return self._made(lib.pqtpy_document_merge, self._pin, self._same(ours), self._same(theirs),
                          resolution, error)

    def __repr__(self) -> str:
        return "<pqt.Document of %s>" % ", ".join(self.names())

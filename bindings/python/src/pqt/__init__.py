# SPDX-License-Identifier: MIT
"""Persistent quadtrees: every edit returns a new tree, and every version stays searchable.

    >>> import pqt
    >>> monday = pqt.Tree((0, 0, 100, 100)).insert((10, 20, 30, 30), 1)
    >>> tuesday = monday.move((10, 20, 30, 30), 1, (60, 20, 80, 30))
    >>> monday.count_in((0, 0, 50, 100)), tuesday.count_in((0, 0, 50, 100))
    (1, 0)

Values are immutable, and any thread may use them. Failures raise subclasses of pqt.Error, some of
which are also ValueError, MemoryError or OSError.
"""
from ._core import (Box, Conflict, Error, FileError, InvalidValue, Item, MemoryUse, OutOfMemory,
                    memory)
from ._pqt import ffi as _ffi, lib as _lib
from .batch import Batch
from .document import Document
from .draft import Draft
from .history import Entry, EntryBytes, History, HistoryStats, LastChange
from .image import Colour, Image, ImageStats
from .map import Map, MapChange
from .map_batch import MapBatch
from .map_draft import MapDraft
from .recording import Divergence, Recording
from .region import (Moments, PixelBox, PixelHit, Region, RegionSlide, RegionStats,
                     RegionSweep)
from .store import Store, StoreStats, is_store
from .sync import Digest, Mismatch
from .tree import (PairSweep, RayHit, Slide, Sweep, Tree, TreeOptions, TreeStats, sphere_distance,
                   sweep_pair)
from .world import BODY, EVENT, World, WorldStats, bodies

__all__ = ["BODY", "Batch", "Box", "Colour", "Conflict", "Digest", "Divergence", "Document", "Draft", "EVENT", "Entry",
           "EntryBytes", "Error", "FileError", "History", "HistoryStats", "Image", "ImageStats", "InvalidValue", "Item",
           "LastChange", "Map", "MapBatch", "MapChange", "MapDraft", "MemoryUse", "Mismatch", "Moments", "OutOfMemory",
           "PairSweep", "PixelBox", "PixelHit", "RayHit", "Recording", "Region", "RegionSlide", "RegionStats",
           "RegionSweep", "Slide", "Store", "StoreStats", "Sweep", "Tree", "TreeOptions",
           "TreeStats", "World", "WorldStats", "bodies", "is_store", "memory", "sphere_distance",
           "sweep_pair"]

__version__ = _ffi.string(_lib.pqt_version()).decode()

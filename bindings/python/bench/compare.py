# SPDX-License-Identifier: MIT
"""compare.py: times pqt, rtree and shapely on the same boxes and windows.

    PYTHONPATH=... python3 compare.py [BOXES]

Answers are compared before times are printed. A library that is not installed is omitted.
"""
import sys
import time

import numpy as np

import pqt

try:
    import rtree
except ImportError:
    rtree = None
try:
    import shapely
    import shapely.geometry
    import shapely.strtree
except ImportError:
    shapely = None

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
SEARCHES = 1000
K = 10


def seconds(call, repeat=3):
    """Returns the shortest time of several runs, and the result of the last one."""
    least = float("inf")
    for _ in range(repeat):
        begin = time.perf_counter()
        result = call()
        least = min(least, time.perf_counter() - begin)
    return least, result


def row(name, load, windows, nearest):
    """Prints the microseconds per window and per search, and the milliseconds for loading."""
    per_search = ["-" if one is None else "%.2f" % (one / SEARCHES * 1e6)
                  for one in (windows, nearest)]
    print("%-24s %10.1f %12s %12s" % (name, load * 1e3, *per_search))


generator = np.random.default_rng(1)
corners = generator.uniform(0, 1e6, (COUNT, 2))
side = 1e6 / np.sqrt(COUNT)
boxes = np.hstack((corners, corners + generator.uniform(0, side / 4, (COUNT, 2))))
places = generator.uniform(0, 1e6 - 4 * side, (SEARCHES, 2))
windows = np.hstack((places, places + 3 * side))

load, tree = seconds(lambda: pqt.Tree.of(boxes))
as_lists, as_points = windows.tolist(), places.tolist()
one, found = seconds(lambda: [tree.ids_in(window) for window in as_lists])
near, nearest = seconds(lambda: [tree.nearest(p, K, return_distance=True)[1] for p in as_points])
batch, (offsets, ids) = seconds(lambda: tree.ids_in_each(windows))
near_batch, (_, _, distances) = seconds(lambda: tree.nearest_each(places, K))
answers = [sorted(some.tolist()) for some in found]
lengths = np.concatenate(nearest)
assert [sorted(ids[a:b].tolist()) for a, b in zip(offsets, offsets[1:])] == answers
assert np.array_equal(distances, lengths)


def distances_of(indices, place):
    """Returns the distances from a point to boxes, sorted."""
    some = boxes[indices]
    gaps = np.maximum(np.maximum(some[:, :2] - place, place - some[:, 2:]), 0)
    return np.sort(np.hypot(gaps[:, 0], gaps[:, 1]))


print("%d boxes, %d searches of %.1f items each, %d nearest" % (COUNT, SEARCHES,
                                                                len(ids) / SEARCHES, K))
print("%-24s %10s %12s %12s" % ("", "load, ms", "window, us", "nearest, us"))
row("pqt", load, one, near)
row("pqt, batches", load, batch, near_batch)

if rtree is not None:
    def stream():
        """Yields the entries for a bulk load."""
        for i, box in enumerate(boxes.tolist()):
            yield i, box, None

    load, index = seconds(lambda: rtree.index.Index(stream()), 1)
    one, found = seconds(lambda: [list(index.intersection(window)) for window in as_lists])
    near, nearest = seconds(lambda: [list(index.nearest(p + p, K)) for p in as_points])
    assert [sorted(some) for some in found] == answers
    for some, place, expected in zip(nearest, places, lengths.reshape(-1, K)):
        assert np.allclose(distances_of(some, place)[:K], expected)
    row("rtree " + rtree.__version__, load, one, near)

if shapely is not None:
    shapes = [shapely.geometry.box(*box) for box in boxes.tolist()]
    asked = [shapely.geometry.box(*window) for window in as_lists]
    load, strtree = seconds(lambda: shapely.strtree.STRtree(shapes), 1)
    strtree.query(asked[0])
    one, found = seconds(lambda: [strtree.query(window) for window in asked])
    if shapely.__version__ < "2":
        number = {id(shape): i for i, shape in enumerate(shapes)}
        found = [[number[id(shape)] for shape in some] for some in found]
    assert [sorted(int(i) for i in some) for some in found] == answers
    row("shapely " + shapely.__version__, load, one, None)

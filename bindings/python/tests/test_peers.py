# SPDX-License-Identifier: MIT
"""test_peers.py: tests the tables of docs/python.md for users of rtree, shapely and pygame.mask.

Each test is skipped without the other package.
"""
import math
import os
from pathlib import Path

import numpy as np
import pytest

import pqt

BOXES = [(0, 0, 1, 1), (2, 0, 3, 1), (10, 10, 11, 11)]


def test_the_table_for_users_of_rtree_is_correct():
    index = pytest.importorskip("rtree.index")
    ids = [5, 6, 7]
    peer = index.Index((id, box, None) for id, box in zip(ids, BOXES))
    tree = pqt.Tree.of(BOXES, ids, unique_ids=True)
    for window in ((0, 0, 3, 3), (1, 1, 1.5, 1.5), (4, 4, 5, 5)):
        assert sorted(peer.intersection(window)) == sorted(tree.intersection(window).tolist())
        assert peer.count(window) == tree.count_in(window)
    assert tuple(peer.bounds) == tree.bounds
    assert list(peer.nearest((10, 10, 10, 10), 1)) == tree.nearest((10, 10, 10, 10), 1).tolist()
    assert len(list(peer.nearest((1.5, 0.5, 1.5, 0.5), 1))) == 2
    assert len(tree.nearest((1.5, 0.5), 1)) == 1
    peer.insert(8, (4, 4, 5, 5))
    peer.delete(5, BOXES[0])
    tree = tree.insert((4, 4, 5, 5), 8).remove(BOXES[0], 5)
    assert tree.find(6) == BOXES[1] and tree.remove_id(6) == tree.remove(BOXES[1], 6)
    everything = (-9, -9, 99, 99)
    assert sorted(peer.intersection(everything)) == sorted(tree.intersection(everything).tolist())


def test_the_table_for_users_of_shapely_is_correct():
    shapely = pytest.importorskip("shapely")
    if not hasattr(shapely, "bounds"):
        pytest.skip("shapely 2 is needed")
    from shapely import Point, Polygon, STRtree, box
    geometries = [box(*sides) for sides in BOXES]
    peer, tree = STRtree(geometries), pqt.Tree.of(shapely.bounds(geometries))
    window, point = box(1, 1, 12, 12), Point(1.5, 0.5)
    assert sorted(peer.query(window).tolist()) == sorted(tree.ids_in(window.bounds).tolist())
    several = [window, box(0, 0, 1, 1)]
    found = peer.query(several)
    offsets, ids = tree.ids_in_each(shapely.bounds(several))
    for i in range(2):
        assert sorted(found[1][found[0] == i]) == sorted(ids[offsets[i]:offsets[i + 1]])
    assert peer.nearest(point) in peer.query_nearest(point) and len(peer.query_nearest(point)) == 2
    assert tree.nearest((1.5, 0.5))[0] in peer.query_nearest(point)
    with pytest.raises(ValueError):
        pqt.Tree.of(shapely.bounds([Polygon()]))


def mask_pixels(mask):
    """Converts a mask to a region."""
    width, height = mask.get_size()
    return pqt.Region.of([[mask.get_at((x, y)) for x in range(width)] for y in range(height)])


def test_the_table_for_users_of_pygame_is_correct():
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    pygame = pytest.importorskip("pygame")
    size, generator = (7, 5), np.random.default_rng(1)
    everything = (0, 0) + size
    for _ in range(20):
        masks, regions = [], []
        for _ in range(2):
            surface = pygame.Surface(size, pygame.SRCALPHA)
            alpha = pygame.surfarray.pixels_alpha(surface)
            alpha[:] = generator.integers(0, 256, alpha.shape)
            del alpha
            masks.append(pygame.mask.from_surface(surface))
            regions.append(pqt.Region.of(pygame.surfarray.array_alpha(surface).T > 127))
        mask, other = masks
        region, x_y = regions[0], (3, 2)
        assert mask_pixels(mask) == region and mask.count() == len(region)
        assert bool(mask.get_at(x_y)) == (x_y in region)
        for offset in ((0, 0), (2, 1), (-3, 2), (6, 4)):
            moved = regions[1].move(*offset)
            assert mask.overlap_area(other, offset) == len(region & moved)
            assert mask_pixels(mask.overlap_mask(other, offset)) == region & moved
            first = mask.overlap(other, offset)
            assert first in region & moved if first else len(region & moved) == 0
            drawn, erased = mask.copy(), mask.copy()
            drawn.draw(other, offset)
            erased.erase(other, offset)
            assert mask_pixels(drawn) == (region | moved).crop(everything)
            assert mask_pixels(erased) == region - moved
        inverted, painted = mask.copy(), mask.copy()
        inverted.invert()
        painted.set_at(x_y)
        assert mask_pixels(inverted) == region.complement(everything)
        assert mask_pixels(painted) == region.paint_box((3, 2, 4, 3))
        x, y = region.moments().centroid
        assert mask.centroid() == (math.floor(x - 0.5), math.floor(y - 0.5)) or not region


def mask_of(pygame, pixels):
    """Converts an array of booleans to a mask."""
    mask = pygame.mask.Mask(pixels.shape[::-1])
    for y, x in np.argwhere(pixels):
        mask.set_at((int(x), int(y)))
    return mask


def turned_ellipses():
    """Returns arrays of the pixels of ellipses in several directions."""
    y, x = np.mgrid[0:61, 0:61] - 30
    for fifths in range(16):
        c, s = math.cos(fifths / 5), math.sin(fifths / 5)
        yield ((c * x + s * y) / 25) ** 2 + ((c * y - s * x) / 9) ** 2 <= 1


def area_of(polygon):
    """Returns the area inside of a polygon, above 0 if it is clockwise on a screen."""
    x, y = polygon.astype(float).T
    return (x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def test_moments_and_components_are_those_of_pygame():
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    pygame = pytest.importorskip("pygame")
    for pixels in turned_ellipses():
        moments = pqt.Region.of(pixels).moments()
        y, x = np.nonzero(pixels)
        covariance = np.cov(x, y, bias=True)
        assert np.allclose(covariance, [[moments.xx, moments.xy], [moments.xy, moments.yy]])
        axis = moments.axis
        assert abs(abs(np.linalg.eigh(covariance)[1][:, 1] @ axis) - 1) < 1e-12
        degrees = math.degrees(math.atan2(-axis[1], axis[0]))  # y points up in pygame's angles
        angle = mask_of(pygame, pixels).angle()  # from moments that are rounded to integers
        assert abs((angle - degrees + 90) % 180 - 90) < 1
    generator = np.random.default_rng(2)
    for _ in range(20):
        noise = generator.random((30, 40)) < 0.4
        mask, region = mask_of(pygame, noise), pqt.Region.of(noise)
        for minimum in (1, 3, 10):
            ours = region.components(8, minimum)
            assert sum(map(len, ours)) == sum(m.count() for m in mask.connected_components(minimum))
            assert sorted(map(len, ours)) == sorted(
                m.count() for m in mask.connected_components(minimum))
        assert len(region.largest_component(8)) == mask.connected_component().count()
        contours = region.contours(8)
        assert [tuple(one.bounds) for one in region.components(8)] == [
            tuple(polygons[0].min(0)) + tuple(polygons[0].max(0)) for polygons in contours]
        assert sum(map(area_of, sum(contours, []))) == mask.count()
        y, x = map(int, np.argwhere(noise)[7])
        assert region.component(x, y, 8) == mask_pixels(mask.connected_component((x, y)))
        boxes = sorted((m.left, m.top, m.right, m.bottom) for m in mask.get_bounding_rects())
        assert sorted(one.bounds for one in region.components(8)) == boxes


def test_the_manual_names_every_method_of_a_mask():
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    mask = pytest.importorskip("pygame.mask")
    manual = Path(__file__).resolve().parents[3] / "docs" / "manual.md"
    if not manual.exists():
        pytest.skip("the manual is not beside the tests")
    text = manual.read_text()
    table = text[text.index("The methods of `pygame.mask`:"):]
    names = [name for name in dir(mask.Mask) if name[0] != "_"] + ["from_surface", "from_threshold"]
    assert len(names) > 20
    assert [name for name in names if "`%s`" % name not in table] == []

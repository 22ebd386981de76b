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


def get_pygame():
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    return pytest.importorskip("pygame")


def some_surface(pygame, size, generator):
    """Returns a surface of random alpha."""
    surface = pygame.Surface(size, pygame.SRCALPHA)
    alpha = pygame.surfarray.pixels_alpha(surface)
    alpha[:] = generator.integers(0, 256, alpha.shape)
    return surface


def test_the_table_for_users_of_pygame_is_correct():
    pygame = get_pygame()
    size, generator = (7, 5), np.random.default_rng(1)
    everything = (0, 0) + size
    for _ in range(20):
        surfaces = [some_surface(pygame, size, generator) for _ in range(2)]
        mask, other_mask = map(pygame.mask.from_surface, surfaces)
        region, other = (pqt.Region.of(pygame.surfarray.array_alpha(surface).T > 127)
                         for surface in surfaces)
        x, y = x_y = (3, 2)
        assert mask_pixels(mask) == region and mask.count() == len(region)
        assert bool(mask.get_at(x_y)) == (x_y in region)
        for offset in ((0, 0), (2, 1), (-3, 2), (6, 4)):
            assert mask.overlap_area(other_mask, offset) == region.overlap_area(other, offset)
            both = region.intersection(other, offset)
            assert mask_pixels(mask.overlap_mask(other_mask, offset)) == both
            first = mask.overlap(other_mask, offset)
            found = region.first_overlap(other, offset)
            assert (first in both and found[0] in both) if first else (found is None and not both)
            drawn, erased = mask.copy(), mask.copy()
            drawn.draw(other_mask, offset)
            erased.erase(other_mask, offset)
            assert mask_pixels(drawn) == region.union(other, offset).crop(everything)
            assert mask_pixels(erased) == region.difference(other, offset)
        inverted, painted, cleared = mask.copy(), mask.copy(), mask.copy()
        inverted.invert()
        painted.set_at(x_y)
        cleared.set_at(x_y, 0)
        assert mask_pixels(inverted) == region.complement(everything)
        assert mask_pixels(painted) == region.paint_pixel(x, y)
        assert mask_pixels(cleared) == region.paint_pixel(x, y, "clear")
        assert mask_pixels(mask.scale((3 * size[0], 3 * size[1]))) == region.scale(3)
        a, b = region.moments().centroid
        assert mask.centroid() == (math.floor(a - 0.5), math.floor(b - 0.5)) or not region


def test_a_surface_with_a_colour_key_makes_the_region_that_pygame_makes():
    pygame = get_pygame()
    generator = np.random.default_rng(3)
    for flags in (0, pygame.SRCALPHA):
        for key in ((0, 0, 0), (9, 9, 9)):
            surface = pygame.Surface((7, 5), flags, 32)
            surface.set_colorkey(key)
            for x, y in np.ndindex(7, 5):
                red, alpha = int(generator.choice([0, 9])), int(generator.choice([0, 60, 255]))
                surface.set_at((x, y), (red, red, int(generator.choice([red, 5])), alpha))
            mask = pygame.mask.from_surface(surface)
            region = pqt.Region.of(pygame.surfarray.array_colorkey(surface).T)
            assert 0 < mask.count() < 35 and mask_pixels(mask) == region
            assert pqt.Region.of(pygame.surfarray.array_alpha(surface).T > 127) != region


def test_a_threshold_and_a_surface_are_those_of_pygame():
    pygame = get_pygame()
    surface = pygame.Surface((40, 1), 0, 32)
    for x in range(40):
        surface.set_at((x, 0), (100 + x, 70, 100 - x))
    pixels = pygame.surfarray.array3d(surface).swapaxes(0, 1)
    for t in (1, 2, 9, 30):
        colour = (110, 70, 95)
        mask = pygame.mask.from_threshold(surface, colour, (t, t, t, 255))
        found = pqt.Image.of(pixels).select(colour=colour, tolerance=t - 1)
        assert mask_pixels(mask) == found
    mask = pygame.mask.Mask((7, 5))
    for x_y in ((1, 1), (3, 4), (6, 0)):
        mask.set_at(x_y)
    shown = mask.to_surface(setcolor=(255, 0, 0, 255), unsetcolor=(0, 9, 0, 128))
    image = pqt.Image(7, 5, (0, 9, 0, 128)).fill(mask_pixels(mask), (255, 0, 0), mode="replace")
    ours = pygame.image.frombuffer(image.to_array(), image.size, "RGBA")
    for x_y in np.ndindex(7, 5):
        assert ours.get_at(x_y) == shown.get_at(x_y)


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
    pygame = get_pygame()
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
    mask, docs = get_pygame().mask, Path(__file__).resolve().parents[3] / "docs"
    if not (docs / "manual.md").exists():
        pytest.skip("the manual is not beside the tests")
    names = [name for name in dir(mask.Mask) if name[0] != "_"] + ["from_surface", "from_threshold"]
    assert len(names) > 20
    for page, begin, form in (("manual.md", "All methods of `pygame.mask`", "`%s`"),
                              ("python.md", "## Coming from pygame.mask", "`mask.%s(")):
        text = (docs / page).read_text()
        table = text[text.index(begin):]
        assert [name for name in names if form % name not in table] == [], page

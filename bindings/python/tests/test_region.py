# SPDX-License-Identifier: MIT
"""test_region.py: compares transforms, overlaps, casts, sweeps and PNG of regions with arrays."""
import itertools
import math
import os
import random

import numpy as np
import pytest

import pqt

SCALE = float(os.environ.get("PQT_TEST_SCALE", "1"))
SEED = int(os.environ.get("PQT_SEED", "1"))
UNSUPPORTED = 10


def rounds(count):
    return range(max(5, int(count * SCALE)))


def some_pixels(generator, share=0.4):
    height, width = generator.integers(1, 20, 2)
    return generator.random((height, width)) < share


def pixels_of(region):
    return set(region)


def cells_of(pixels, side, inner):
    """Returns the cells that count, as sets of their indices."""
    counts = {}
    for x, y in pixels:
        counts[x // side, y // side] = counts.get((x // side, y // side), 0) + 1
    return {cell for cell, count in counts.items() if not inner or count == side * side}


def test_transforms_are_those_of_numpy():
    generator = np.random.default_rng(SEED)
    for _ in rounds(20):
        pixels = some_pixels(generator)
        height, width = pixels.shape
        region = pqt.Region.of(pixels)
        for name, expected, move in (
                ("flip_x", pixels[:, ::-1], (width, 0)), ("flip_y", pixels[::-1], (0, height)),
                ("rotate_90", np.rot90(pixels, -1), (height, 0)),
                ("rotate_180", np.rot90(pixels, 2), (width, height)),
                ("rotate_270", np.rot90(pixels), (0, width)), ("flip_diagonal", pixels.T, (0, 0)),
                ("flip_antidiagonal", np.rot90(pixels, 2).T, (height, width))):
            assert region.transform(name).move(*move) == pqt.Region.of(expected), name
        assert region.scale(3, 2) == pqt.Region.of(pixels.repeat(2, 0).repeat(3, 1))
        assert region.scale(2) == region.scale(2, 2)
        assert region.intern() == region


def test_operations_move_the_other_region_first():
    generator = np.random.default_rng(SEED)
    for _ in rounds(20):
        one, other = (pqt.Region.of(some_pixels(generator)) for _ in range(2))
        x, y = map(int, generator.integers(-9, 9, 2))
        moved = other.move(x, y)
        assert one.union(other, (x, y)) == one | moved and one.union(other) == one | other
        assert one.intersection(other, (x, y)) == one & moved
        assert one.difference(other, (x, y)) == one - moved
        assert one.symmetric_difference(other, (x, y)) == one ^ moved
    with pytest.raises(TypeError):
        one.union({(0, 0)})


def test_runs_boxes_and_counts_are_those_of_a_window():
    generator = np.random.default_rng(SEED)
    for _ in rounds(20):
        pixels = some_pixels(generator)
        region, window = pqt.Region.of(pixels, (-3, 5)), (-2, 6, 8, 12)
        inside = region.crop(window)
        runs = [(int(y), int(x), int(end)) for y, x, end in region.runs(window)]
        assert {(x, y) for y, start, end in runs for x in range(start, end)} == pixels_of(inside)
        assert all(a[0] != b[0] or a[2] < b[1] for a, b in zip(runs, runs[1:]))
        assert pqt.Region.of_runs(region.runs()) == region == pqt.Region.of_boxes(region.boxes())
        assert pqt.Region.of_boxes(region.boxes(window)) == inside
        assert region.count_in(window) == len(inside)
        assert region.stats.pixels == len(region) and region.stats.level == 6
    assert region.paint_pixel(100, 7) == region.paint_box((100, 7, 101, 8))
    assert region.paint_pixel(100, 7).stats.bytes > region.stats.bytes > 0


def test_damage_can_be_limited():
    dots = pqt.Region.of_boxes([(x, y, x + 1, y + 1) for x in (0, 100, 500) for y in (0, 900)])
    boxes = pqt.Region().damage(dots)
    assert len(boxes) == 6
    for most in (1, 2, 5, 9):
        merged = pqt.Region().damage(dots, most)
        assert len(merged) == min(most, 6)
        assert (dots - pqt.Region.of_boxes(merged)) == pqt.Region()
    with pytest.raises(ValueError):
        dots.damage(dots, 0)


def test_overlaps_agree_with_sets_of_pixels():
    generator = np.random.default_rng(SEED)
    for _ in rounds(40):
        one, other = (pqt.Region.of(some_pixels(generator, 0.2)) for _ in range(2))
        x, y = map(int, generator.integers(-12, 12, 2))
        both = pixels_of(one) & {(a + x, b + y) for a, b in other}
        assert one.overlaps(other, (x, y)) == bool(both)
        assert one.overlap_area(other, (x, y)) == len(both)
        assert one.overlap_area(other, (x + 0.5, y)) == (
            len(both) + len(pixels_of(one) & {(a + x + 1, b + y) for a, b in other})) / 2
        for side, order in (("top", lambda p: (p[1], p[0])), ("bottom", lambda p: (-p[1], p[0])),
                            ("left", lambda p: p), ("right", lambda p: (-p[0], p[1]))):
            first = min(both, key=order) if both else None
            assert one.first_overlap(other, (x, y), side) == (
                first and (first, (first[0] - x, first[1] - y)))
        pairs = {((a_x + i, a_y + k), (b_x + i, b_y + k))
                 for a_x, a_y, b_x, b_y, width, height in one.overlap_pairs(other, (x, y)).tolist()
                 for i in range(width) for k in range(height)}
        assert pairs == {(pixel, (pixel[0] - x, pixel[1] - y)) for pixel in both}
        for side, kind in itertools.product((2, 4), ("outer", "inner")):
            cells = cells_of(pixels_of(one), side, kind == "inner")
            others = cells_of(pixels_of(other), side, kind == "inner")
            at = (x * side, y * side)
            assert one.overlaps(other, at, cell=side, other_cell=side, kind=kind) == bool(
                cells & {(a + x, b + y) for a, b in others})


def test_shapes_overlap_regions():
    region = pqt.Region.of_boxes([(10, 10, 20, 20)])
    assert region.overlaps_box((19.5, 0, 30, 30)) and not region.overlaps_box((20, 0, 30, 30))
    assert region.overlaps_box((12, 12, 12, 12)) and not region.overlaps_box((10, 10, 10, 10))
    assert region.overlaps_circle((25, 15), 5.5) and not region.overlaps_circle((25, 15), 5)
    assert not region.overlaps_circle((23, 24), 5) and region.overlaps_circle((23, 24), 5.01)


def test_a_cast_hits_the_first_pixel():
    region = pqt.Region.of_boxes([(10, 0, 12, 5), (20, 0, 22, 5)])
    hit = region.cast((0, 2.5), (20, 2.5))
    assert hit == pqt.PixelHit((10, 2), 0.5, (-1.0, 0.0), False)
    assert region.cast((0, 2.5), direction=(5, 0)).entry == 2
    assert region.cast((30, 2.5), direction=(-1, 0)).pixel == (21, 2)
    assert region.cast((11, 1), (11, 9)).inside
    assert region.cast((0, 2.5), (9, 2.5)) is None and region.cast((0, 5), (30, 5)) is None
    generator = random.Random(SEED)
    noise = pqt.Region.of(np.random.default_rng(SEED).random((40, 40)) < 0.1)
    for _ in rounds(100):
        x, y = generator.uniform(-5, 45), generator.uniform(-5, 45)
        to_x, to_y = generator.uniform(-5, 45), generator.uniform(-5, 45)
        steps = [(x + (to_x - x) * i / 4000, y + (to_y - y) * i / 4000) for i in range(4001)]
        met = next(((math.floor(a), math.floor(b)) for a, b in steps
                    if (math.floor(a), math.floor(b)) in noise), None)
        hit = noise.cast((x, y), (to_x, to_y))
        if met is not None:  # the steps may leave out a corner that the line crosses
            assert hit is not None
            reached = next(i for i, (a, b) in enumerate(steps)
                           if (math.floor(a), math.floor(b)) == met)
            assert hit.pixel == met or hit.entry * 4000 <= reached
    for wrong in (((0, 0), None), ((0, math.nan), (1, 1))):
        with pytest.raises((ValueError, TypeError)):
            region.cast(*wrong)


def test_a_sweep_stops_at_the_first_step_that_overlaps():
    generator = np.random.default_rng(SEED)
    for _ in rounds(30):
        mover, other = (pqt.Region.of(some_pixels(generator, 0.2)) for _ in range(2))
        start, length = (-30, int(generator.integers(-8, 8))), 60
        found = mover.sweep(start, (start[0] + length, start[1]), other)
        free = next((i for i in range(length + 1)
                     if mover.overlaps(other, (-start[0] - i, -start[1]))), None)
        if free is None:
            assert found.status in ("free", "touches") and found.stop == (start[0] + length, start[1])
        else:
            assert found.status == "hits" and found.stop == (start[0] + free - 1, start[1])
            assert found.blocked_x and not found.blocked_y and found.normal == (-1, 0)
            (x, y), (other_x, other_y) = found.met
            assert (x, y) in mover and (other_x, other_y) in other
            assert x + found.stop[0] + 1 == other_x and y + found.stop[1] == other_y


def squares_of(targets):
    """Returns the squared distance of each pixel to the nearest target."""
    height, width = targets.shape
    rows, columns = np.nonzero(targets)
    y, x = np.mgrid[0:height, 0:width]
    if len(rows) == 0:
        return np.full((height, width), 2 ** 32 - 1, np.uint32)
    return ((x[..., None] - columns) ** 2 + (y[..., None] - rows) ** 2).min(axis=2)


def test_distances_and_discs_agree_with_all_pairs_of_pixels():
    generator = np.random.default_rng(SEED)
    for share in (0.02, 0.3, 0.9):
        for _ in rounds(5):
            pixels = some_pixels(generator, share)
            height, width = pixels.shape
            region, window = pqt.Region.of(pixels), (0, 0, width, height)
            assert np.array_equal(region.squared_distances(window), squares_of(pixels))
            assert np.array_equal(region.squared_distances(window, "outside"), squares_of(~pixels))
            radius = float(generator.uniform(0, 6))
            around = np.pad(pixels, 8)
            grown = squares_of(around) <= (round(radius * 1024) / 1024) ** 2 + 1e-9
            shrunk = squares_of(~around) > (round(radius * 1024) / 1024) ** 2 + 1e-9
            assert region.dilate_disc(radius) == pqt.Region.of(grown, (-8, -8))
            assert region.erode_disc(radius) == pqt.Region.of(shrunk & around, (-8, -8))
            thin = region.skeleton()
            assert len(thin - region) == 0 and thin.skeleton() == thin
            assert len(thin.components(8)) == len(region.components(8))
    for wrong in (lambda: region.dilate_disc(-1), lambda: region.erode_disc(math.nan),
                  lambda: region.squared_distances((0, 0, 40000, 1)),
                  lambda: region.squared_distances(window, "inside")):
        with pytest.raises(ValueError):
            wrong()


def test_a_convolution_counts_the_overlaps_at_each_offset():
    generator = np.random.default_rng(SEED)
    for _ in rounds(10):
        one, other = (pqt.Region.of(some_pixels(generator, 0.3)) for _ in range(2))
        box = one.overlap_offsets(other)
        counts = one.convolve(other)
        assert counts.shape == (box.max_y - box.min_y, box.max_x - box.min_x)
        for (row, column), count in np.ndenumerate(counts):
            assert count == one.overlap_area(other, (box.min_x + column, box.min_y + row))
        wide = one.convolve(other, (-40, -40, 41, 41))
        assert wide.sum() == len(one) * len(other)
    assert pqt.Region().convolve(one).shape == (0, 0)
    with pytest.raises(ValueError):
        one.convolve(other, (2, 0, 1, 1))


def test_regions_are_scaled_rotated_and_mapped():
    generator = np.random.default_rng(SEED)
    for _ in rounds(10):
        pixels = some_pixels(generator)
        (height, width), region = pixels.shape, pqt.Region.of(pixels)
        box = (0, 0, width, height)
        to = tuple(int(side) for side in generator.integers(1, 40, 2))
        rows = (2 * np.arange(to[1]) + 1) * height // (2 * to[1])
        columns = (2 * np.arange(to[0]) + 1) * width // (2 * to[0])
        assert region.resize(to, box) == pqt.Region.of(pixels[rows][:, columns])
        assert region.resize((3 * width, 2 * height), box, "area") == region.scale(3, 2)
        assert region.rotate((0, 5)) == region.transform("rotate_90")
        assert region.map([(-1, 0, 0), (0, 1, 0)]) == region.transform("flip_x")
        assert region.map([(1, 0, 3), (0, 1, -4)], "area") == region.move(3, -4)
        turned = region.dilate(2).rotate((3, 4), (width / 2, height / 2))
        assert abs(len(turned) - len(region.dilate(2))) <= 60
    for wrong in (lambda: region.resize((-1, 5)), lambda: region.resize((5, 5), sampling="best"),
                  lambda: region.rotate((0, 0)), lambda: region.map([(1, 0), (0, 1)]),
                  lambda: region.map([(1, 1, 0), (1, 1, 0)]),
                  lambda: region.map([(math.nan, 0, 0), (0, 1, 0)])):
        with pytest.raises(ValueError):
            wrong()


WALL, SHIP = pqt.Region.of_boxes([(50, -10, 60, 10)]), pqt.Region.of_boxes([(0, 0, 4, 4)])


def test_a_mover_that_overlaps_can_leave():
    found = SHIP.sweep((49, 0), (69, 0), WALL)
    assert found.status == "overlaps" and found.stop == (49, 0) and found.push_out == (-3, 0)
    assert found.exit == 11 / 20
    assert SHIP.sweep((49, 0), (69, 0), WALL, ignore_overlap=True).stop == (69, 0)
    assert SHIP.sweep((0, 0), (92, 0), WALL, other_cell=8).stop == (44, 0)


def test_a_region_slides():
    found = SHIP.slide((0, 0), (92, 5), WALL)
    assert found[:5] == ("touches", (46, 5), True, False, 1) and found.last.time == 0.5
    assert SHIP.slide((0, 0), (92, 5), WALL, bounces=0).last == SHIP.sweep((0, 0), (92, 5), WALL)
    for wrong in (lambda: SHIP.slide((0, 0), (92, 5), WALL, bounces=-1),
                  lambda: SHIP.slide((0, 0), (92, 5), WALL, cell=3),
                  lambda: SHIP.sweep((0, 0), (2 ** 21, 0), WALL),
                  lambda: SHIP.sweep((0, 0), (math.nan, 0), WALL),
                  lambda: SHIP.overlaps(WALL, (math.inf, 0)),
                  lambda: SHIP.overlaps(WALL, kind="middle"),
                  lambda: SHIP.first_overlap(WALL, side="middle")):
        with pytest.raises(ValueError):
            wrong()


def test_shapes_sweep_and_slide_along_a_region():
    assert WALL.sweep_shape((0, 0, 4, 4), (0, 0), (92, 0)).stop == (46, 0)
    ball = WALL.sweep_shape(2, (0, 0), (96, 0))
    assert (ball.status, ball.stop, ball.normal) == ("hits", (48, 0), (-1, 0))
    triangle = WALL.sweep_shape([(0, 0), (4, 0), (0, 4)], (0, 0), (92, 0))
    assert triangle.status == "hits" and abs(triangle.stop[0] - 46) < 1e-6
    slid = WALL.slide_shape((0, 0, 4, 4), (0, 0), (92, 5))
    assert slid.stop == (46, 5) and slid.bounces == 1 and slid.blocked_x
    assert WALL.sweep_shape(2, (49, 0), (40, 0), ignore_overlap=True).stop == (40, 0)
    for wrong in ((0, (0, 0), (9, 0)), (-1, (0, 0), (9, 0)), (2, (0, 0), (math.nan, 0)),
                  ([(0, 0)], (0, 0), (1, 1))):
        with pytest.raises(ValueError):
            WALL.sweep_shape(*wrong)


def has_png():
    """Returns whether the library reads and writes PNG."""
    try:
        return bool(WALL.to_png())
    except pqt.Error as error:
        assert error.code == UNSUPPORTED
        return False


def test_a_library_without_png_says_so():
    if has_png():
        pytest.skip("the library has PNG")
    image = pqt.Image(2, 2)
    for call in (WALL.to_png, image.to_png, lambda: pqt.Region.from_png(b"\x89PNG"), lambda: pqt.Image.from_png(b"\x89PNG")):
        with pytest.raises(pqt.Error, match="PNG"):
            call()


def test_a_region_goes_to_png_and_back():
    if not has_png():
        pytest.skip("the library has no PNG")
    generator = np.random.default_rng(SEED)
    for _ in rounds(10):
        pixels = some_pixels(generator)
        region = pqt.Region.of(pixels)
        png = region.to_png((0, 0, 20, 20))
        assert pqt.Region.from_png(png) == region
        assert pqt.Region.from_png(png, (5, -7)) == region.move(5, -7)
        assert pqt.Region.from_png(bytearray(png), channel="dark", threshold=0) == region
        assert len(pqt.Region.from_png(png, threshold=255)) == 0
    for wrong in (lambda: pqt.Region.from_png(png[:50]), lambda: pqt.Region.from_png(b""),
                  lambda: pqt.Region.from_png(png, channel="red"),
                  lambda: pqt.Region.from_png(png, threshold=256),
                  lambda: pqt.Region.from_png(png, (2 ** 20, 0)), lambda: pqt.Region().to_png(),
                  lambda: region.to_png((2, 0, 1, 1))):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        pqt.Region.from_png("text")


def test_squares_are_those_of_the_quadtree():
    region = pqt.Region.of_boxes([(0, 0, 128, 128), (200, 5, 203, 6)])
    found = region.squares()
    stats = region.stats
    assert len(found) == stats.nodes + stats.leaves + stats.full
    assert found[0]["kind"] == 1 and found[0]["count"] == len(region) == 128 * 128 + 3
    full, leaf = found[found["kind"] == 3], found[found["kind"] == 2]
    assert full["box"].tolist() == [[0, 0, 128, 128]] and full["count"][0] == 128 * 128
    assert leaf["box"].tolist() == [[192, 0, 256, 64]] and leaf["count"][0] == 3
    assert len(pqt.Region().squares()) == 0


def test_shared_bytes_are_those_of_the_part_that_did_not_change():
    region = pqt.Region.of(np.random.default_rng(SEED).random((500, 500)) < 0.5)
    later = region.paint_pixel(3, 3, "toggle")
    assert region.shared_bytes(region) == region.stats.bytes
    assert 0.9 * region.stats.bytes < region.shared_bytes(later) < region.stats.bytes
    assert region.shared_bytes(pqt.Region()) < 1000
    with pytest.raises(TypeError):
        region.shared_bytes(pqt.Map())

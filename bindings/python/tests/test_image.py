# SPDX-License-Identifier: MIT
"""test_image.py: compares images with arrays, and tests them in histories, documents and stores."""
import os
import pickle

import numpy as np
import pytest

import pqt
from test_region import has_png, rounds
from test_store import has_stores

SEED = int(os.environ.get("PQT_SEED", "1"))
WIDTH, HEIGHT = 70, 45


def over(ink, under):
    """Returns a colour drawn over pixels, as image.h defines it, in whole numbers."""
    ink = np.broadcast_to(np.asarray(ink, np.int64), under.shape)
    under = under.astype(np.int64)
    s = 255 * ink[..., 3:]
    t = under[..., 3:] * (255 - ink[..., 3:])
    alpha = (2 * (s + t) + 255) // 510
    whole = np.maximum(s + t, 1)
    colour = (2 * (s * ink[..., :3] + t * under[..., :3]) + whole) // (2 * whole)
    made = np.concatenate((colour, alpha), axis=-1)
    return np.where(s == 0, under, np.where(s == 255 * 255, ink, made)).astype(np.uint8)


def drawn(array, where, ink, mode):
    """Returns the array after drawing a colour, or an array of colours, on pixels."""
    made = np.broadcast_to(np.asarray(ink, np.uint8), array.shape) if mode == "replace" \
        else over(ink, array)
    return np.where(where[..., None], made, array)


def area_of(array, x, y, tolerance):
    """Returns the pixels of a flood."""
    alike = (np.abs(array.astype(int) - array[y, x].astype(int)) <= tolerance).all(axis=2)
    found, edge = np.zeros(alike.shape, bool), [(x, y)]
    while edge:
        x, y = edge.pop()
        if 0 <= x < WIDTH and 0 <= y < HEIGHT and alike[y, x] and not found[y, x]:
            found[y, x] = True
            edge += [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
    return found


def some_colour(generator):
    palette = [0, 1, 128, 255]
    return tuple(int(generator.choice(palette)) for _ in range(4))


def some_array(generator):
    return generator.integers(0, 3, (HEIGHT, WIDTH, 4)).astype(np.uint8) * 127


def change(generator, image, array):
    """Makes a random edit of both."""
    mode, ink = str(generator.choice(["over", "replace"])), some_colour(generator)
    x, y = int(generator.integers(-9, WIDTH)), int(generator.integers(-9, HEIGHT))
    columns, rows = np.arange(WIDTH)[None], np.arange(HEIGHT)[:, None]
    command = int(generator.integers(6))
    if command == 0:
        box = (x, y, x + int(generator.integers(30)), y + int(generator.integers(30)))
        where = (columns >= x) & (columns < box[2]) & (rows >= y) & (rows < box[3])
        return image.paint_box(box, ink, mode), drawn(array, where, ink, mode)
    if command == 1:
        where = (columns + 0.5 - x) ** 2 + (rows + 0.5 - y) ** 2 <= 81
        return image.paint_disc((x, y), 9, ink, mode), drawn(array, where, ink, mode)
    if command == 2:
        where = (columns == x) & (rows == y)
        return image.paint_pixel(x, y, ink, mode), drawn(array, where, ink, mode)
    if command == 3:
        noise = generator.random((20, 20)) < 0.5
        where = np.zeros((HEIGHT + 40, WIDTH + 40), bool)
        where[y + 20:y + 40, x + 20:x + 40] = noise
        where = where[20:20 + HEIGHT, 20:20 + WIDTH]
        return image.fill(pqt.Region.of(noise), ink, (x, y), mode), drawn(array, where, ink, mode)
    if command == 4:
        x, y, tolerance = max(x, 0), max(y, 0), int(generator.choice([0, 1, 128]))
        where = area_of(array, x, y, tolerance)
        return image.flood(x, y, ink, tolerance, mode), drawn(array, where, ink, mode)
    source = some_array(generator)
    moved, where = np.zeros((HEIGHT, WIDTH, 4), np.uint8), np.zeros((HEIGHT, WIDTH), bool)
    for row in range(5, 25):
        for column in range(10, 40):
            to_x, to_y = x + column - 10, y + row - 5
            if 0 <= to_x < WIDTH and 0 <= to_y < HEIGHT:
                moved[to_y, to_x], where[to_y, to_x] = source[row, column], True
    return (image.blit(pqt.Image.of(source), (x, y), (10, 5, 40, 25), mode),
            drawn(array, where, moved, mode))


def test_images_are_resized_and_turned():
    array = some_array(np.random.default_rng(SEED))
    array[..., 3] = 255
    image, height, width = pqt.Image.of(array), *array.shape[:2]
    doubled = image.resize((2 * width, 2 * height))
    assert np.array_equal(doubled.to_array(), array.repeat(2, 0).repeat(2, 1))
    assert doubled.resize(image.size, sampling="area") == image
    assert np.array_equal(image.resize((4, 3), (2, 1, 6, 4)).to_array(), array[1:4, 2:6])
    turned = image.rotate((0, 1), size=(height, width))
    assert turned == pqt.Image(height, width)  # turned about 0, 0, it is on the left
    turned = image.map([[0, -1, height], [1, 0, 0]], (height, width), "area")
    assert np.array_equal(turned.to_array(), np.rot90(array, -1))
    quarters = array[:height // 2 * 2, :width // 2 * 2, :3].astype(int)
    sums = quarters[::2, ::2] + quarters[1::2, ::2] + quarters[::2, 1::2] + quarters[1::2, 1::2]
    small = image.resize((width // 2, height // 2), (0, 0, width // 2 * 2, height // 2 * 2), "area")
    assert np.array_equal(small.to_array()[..., :3], (sums + 2) // 4)


def test_images_agree_with_arrays_after_random_edits():
    generator = np.random.default_rng(SEED)
    image, array = pqt.Image(WIDTH, HEIGHT), np.zeros((HEIGHT, WIDTH, 4), np.uint8)
    kept = []
    for _ in rounds(150):
        later, expected = change(generator, image, array)
        assert np.array_equal(later.to_array(), expected)
        differs = (expected != array).any(axis=2)
        covered = pqt.Region.of_boxes(image.damage(later)).to_array((0, 0, WIDTH, HEIGHT))
        assert not (differs & ~covered).any() and (later == image) == (not differs.any())
        image, array = later, expected
        kept.append((image, array))
    for image, array in kept:
        assert np.array_equal(image.to_array(), array)
        again = pqt.Image.of(array)
        image.check()
        assert again == image == pickle.loads(pickle.dumps(image)) and hash(again) == hash(image)


def test_pixels_and_windows_are_read():
    generator = np.random.default_rng(SEED)
    array = some_array(generator)
    image = pqt.Image.of(array)
    assert (image.width, image.height, image.size) == (WIDTH, HEIGHT, (WIDTH, HEIGHT))
    assert image.bounds == (0, 0, WIDTH, HEIGHT) and repr(image) == "<pqt.Image of 70 x 45 pixels>"
    assert image.pixel(3, 4) == tuple(array[4, 3]) and image.pixel(3, 4).a == array[4, 3, 3]
    assert image.pixel(-1, 0) == image.pixel(WIDTH, 0) == (0, 0, 0, 0)
    window = image.to_array((-2, 3, 5, 9))
    assert np.array_equal(window[:, 2:], array[3:9, :5]) and not window[:, :2].any()
    assert image.to_array((4, 4, 4, 9)).shape == (5, 0, 4)
    stats = pqt.Image(WIDTH, HEIGHT, (1, 2, 3)).stats
    assert (stats.nodes, stats.tiles, stats.level) == (0, 0, 7) and image.stats.tiles == 15


def test_an_image_is_written_into_an_array_without_a_copy():
    image = pqt.Image.of(some_array(np.random.default_rng(SEED)))
    wide = np.full((HEIGHT, WIDTH + 9, 4), 7, np.uint8)
    view = wide[:, 2:2 + WIDTH]
    assert image.to_array(out=view) is view
    assert np.array_equal(view, image.to_array())
    assert (wide[:, :2] == 7).all() and (wide[:, 2 + WIDTH:] == 7).all()
    frozen = view.copy()
    frozen.flags.writeable = False
    for wrong in (frozen, view[:-1], view[:, ::-1], view[::-1], view.astype(np.int16), bytearray(9),
                  np.zeros((HEIGHT, WIDTH, 3), np.uint8)):
        with pytest.raises(ValueError):
            image.to_array(out=wrong)


def test_arrays_of_any_layout_are_read_or_refused():
    array = some_array(np.random.default_rng(SEED))
    image = pqt.Image.of(array)
    wide = np.zeros((HEIGHT, WIDTH + 9, 4), np.uint8)
    wide[:, 2:2 + WIDTH] = array
    for same in (wide[:, 2:2 + WIDTH], np.asfortranarray(array), array.astype(np.int64),
                 array[::-1].copy()[::-1], array.astype(">u2"), memoryview(array)):
        assert pqt.Image.of(same) == image
    rgb = array[:, :, :3]
    assert np.array_equal(pqt.Image.of(rgb).to_array()[:, :, :3], rgb)
    assert (pqt.Image.of(rgb).to_array()[:, :, 3] == 255).all()
    assert pqt.Image.of([[5]]).pixel(0, 0) == (5, 5, 5, 255)
    assert pqt.Image.of(np.broadcast_to(np.uint8([1, 2, 3, 4]), (5, 6, 4))) == \
        pqt.Image(6, 5, (1, 2, 3, 4))
    for wrong in (np.zeros(4, np.uint8), np.zeros((2, 2, 5), np.uint8), np.zeros((2, 2), bool),
                  np.full((2, 2), 256), np.full((2, 2), -1), np.zeros((2, 2)), [["a"]],
                  np.zeros((0, 2, 4), np.uint8), np.zeros((2, 2), object), None):
        with pytest.raises((TypeError, ValueError)):
            pqt.Image.of(wrong)


def test_a_selection_has_the_pixels_with_a_property():
    array = some_array(np.random.default_rng(SEED))
    image, window = pqt.Image.of(array), (0, 0, WIDTH, HEIGHT)
    r, g, b, a = np.moveaxis(array.astype(int), 2, 0)
    for threshold in (0, 100, 126, 127, 255):
        assert np.array_equal(image.select(alpha=threshold).to_array(window), a > threshold)
        assert np.array_equal(image.select(light=threshold).to_array(window),
                              (77 * r + 150 * g + 29 * b) // 256 > threshold)
    for tolerance in (0, 126, 127, 255):
        alike = (np.abs(array.astype(int) - [127, 0, 254, 127]) <= tolerance).all(axis=2)
        found = image.select(colour=(127, 0, 254, 127), tolerance=tolerance)
        assert np.array_equal(found.to_array(window), alike)
    for wrong in ({}, {"alpha": 1, "light": 1}, {"alpha": 256}, {"colour": (1, 2)},
                  {"colour": (1, 2, 3), "tolerance": -1}):
        with pytest.raises(ValueError):
            image.select(**wrong)


def test_a_merge_has_the_changes_of_both_sides():
    generator = np.random.default_rng(SEED)
    for _ in rounds(20):
        arrays = [some_array(generator)]
        for _ in range(2):
            ink, noise = some_colour(generator), generator.random((HEIGHT, WIDTH)) < 0.02
            arrays.append(drawn(arrays[0], noise, ink, "replace"))
        base, ours, theirs = map(pqt.Image.of, arrays)
        (b, o, t) = arrays
        mine, yours = (o != b).any(axis=2), (t != b).any(axis=2)
        conflict = mine & yours & (o != t).any(axis=2)
        expected = np.where(yours[..., None] & ~conflict[..., None], t, o)
        boxes = base.conflicts(ours, theirs)
        covered = pqt.Region.of_boxes(boxes).to_array((0, 0, WIDTH, HEIGHT))
        assert not (conflict & ~covered).any() and (len(boxes) > 0) == conflict.any()
        for side, array in (("ours", o), ("theirs", t), ("base", b)):
            merged = np.where(conflict[..., None], array, expected)
            assert np.array_equal(base.merge(ours, theirs, side).to_array(), merged)
        if conflict.any():
            with pytest.raises(pqt.Conflict):
                base.merge(ours, theirs)
        else:
            assert np.array_equal(base.merge(ours, theirs).to_array(), expected)


def test_a_function_decides_each_conflict():
    base = pqt.Image(64, 64)
    ours, theirs = (base.paint_box((0, 0, 1, 1), ink).paint_box((40, 40, 43, 42), ink)
                    for ink in ((9, 0, 0), (0, 9, 0)))
    asked = []

    def decide(box):
        asked.append(box)
        return "theirs" if box.min_x > 0 else "base"
    merged = base.merge(ours, theirs, decide)
    assert asked == [(0, 0, 1, 1), (40, 40, 43, 42)]
    assert base.conflicts(ours, theirs).tolist() == [[0, 0, 1, 1], [40, 40, 43, 42]]
    assert merged == base.paint_box((40, 40, 43, 42), (0, 9, 0))
    with pytest.raises(ValueError):
        base.merge(ours, theirs, lambda box: "both")
    with pytest.raises(ZeroDivisionError):
        base.merge(ours, theirs, lambda box: 1 / 0)
    with pytest.raises(TypeError):
        base.merge(ours, theirs, 5)
    assert base.merge(ours, base, decide) == ours and len(asked) == 2


def test_an_image_goes_to_png_and_back():
    if not has_png():
        pytest.skip("the library has no PNG")
    image = pqt.Image.of(some_array(np.random.default_rng(SEED)))
    png = image.to_png()
    assert pqt.Image.from_png(png) == image == pqt.Image.from_png(bytearray(png))
    assert image._repr_png_() == png and pqt.Image(4096, 4096)._repr_png_() is None
    assert pqt.Region.from_png(png, channel="alpha") == image.select(alpha=127)
    for wrong in (png[:60], b"", b"no picture"):
        with pytest.raises(ValueError):
            pqt.Image.from_png(wrong)


def test_histories_documents_and_stores_hold_images(tmp_path):
    blank = pqt.Image(100, 100, (255, 255, 255))
    stroke = blank.paint_stroke((9, 9), (90, 40), 8, (200, 0, 0, 128))
    history = pqt.History(blank)
    history.push(stroke, "Stroke")
    again = pqt.History.from_bytes(history.to_bytes())
    assert isinstance(again.value, pqt.Image) and again.value == stroke
    assert again.undo() and again.value == blank
    plan = pqt.Document({"paper": blank, "ink": pqt.Region()})
    later = plan.set(paper=stroke)
    assert later["paper"] == stroke and plan.diff(later) == {"paper": (blank, stroke)}
    assert plan.merge(later, plan.set(ink=pqt.Region.of([[1]])))["paper"] == stroke
    stroke.save(tmp_path / "a.pqt")
    assert pqt.Image.load(tmp_path / "a.pqt") == stroke
    assert stroke.shared_bytes(blank) < stroke.stats.bytes == stroke.shared_bytes(stroke)
    if has_stores(tmp_path):
        with pqt.Store(tmp_path / "a.pqts") as store:
            store.save(history)
            assert store.kind is pqt.Image
        with pqt.Store(tmp_path / "a.pqts") as store:
            opened = store.history()
            assert opened.value == stroke and opened.undo() and opened.value == blank


IMAGE, REGION = pqt.Image(9, 9), pqt.Region.of([[1]])
REFUSED = [
    (lambda: pqt.Image(0, 5), ValueError),
    (lambda: pqt.Image(5, 2 ** 20 + 1), ValueError),
    (lambda: pqt.Image(5, -1), ValueError),
    (lambda: pqt.Image(5, 5.5), TypeError),
    (lambda: pqt.Image(5, 5, (1, 2)), ValueError),
    (lambda: pqt.Image(5, 5, (1, 2, 3, 256)), ValueError),
    (lambda: pqt.Image(5, 5, (1, 2, 3, 0.5)), TypeError),
    (lambda: pqt.Image(5, 5, 7), TypeError),
    (lambda: IMAGE.paint_box((1, 0, 0, 1), (0, 0, 0)), ValueError),
    (lambda: IMAGE.paint_box((0, 0, 1, 1), (0, 0, 0), "under"), ValueError),
    (lambda: IMAGE.paint_box((0, 0, 2 ** 30, 1), (0, 0, 0)), ValueError),
    (lambda: IMAGE.paint_pixel(2 ** 31 - 1, 0, (0, 0, 0)), ValueError),
    (lambda: IMAGE.paint_pixel(0.5, 0, (0, 0, 0)), TypeError),
    (lambda: IMAGE.paint_disc((0, float("nan")), 1, (0, 0, 0)), ValueError),
    (lambda: IMAGE.paint_disc((0, 0), -1, (0, 0, 0)), ValueError),
    (lambda: IMAGE.fill(IMAGE, (0, 0, 0)), TypeError),
    (lambda: IMAGE.fill(REGION, (0, 0, 0), (0.5, 0)), TypeError),
    (lambda: IMAGE.blit(REGION), TypeError),
    (lambda: IMAGE.blit(IMAGE, (0, 0), (1, 1, 0, 0)), ValueError),
    (lambda: IMAGE.flood(0, 0, (0, 0, 0), 256), ValueError),
    (lambda: IMAGE.resize((0, 5)), ValueError),
    (lambda: IMAGE.resize((5, 5), sampling="cubic"), ValueError),
    (lambda: IMAGE.resize((5, 5), (3, 0, 0, 3)), ValueError),
    (lambda: IMAGE.map([[1, 0, 0]]), ValueError),
    (lambda: IMAGE.map([[0, 0, 0], [0, 1, 0]]), ValueError),
    (lambda: IMAGE.rotate((0, 0)), ValueError),
    (lambda: IMAGE.rotate((1, 0), size=(2 ** 30, 1)), ValueError),
    (lambda: IMAGE.pixel(2 ** 31, 0), ValueError),
    (lambda: IMAGE.to_array((1, 1, 0, 0)), ValueError),
    (lambda: IMAGE.to_array((-2 ** 31, -2 ** 31, 2 ** 31 - 1, 2 ** 31 - 1)),
     (MemoryError, ValueError)),
    (lambda: IMAGE.damage(pqt.Image(9, 8)), ValueError),
    (lambda: IMAGE.damage(REGION), TypeError),
    (lambda: IMAGE.merge(pqt.Image(9, 8), IMAGE), ValueError),
    (lambda: IMAGE.merge(IMAGE, IMAGE, "both"), ValueError),
    (lambda: pqt.Image.from_bytes(REGION.to_bytes()), ValueError),
    (lambda: setattr(IMAGE, "width", 5), AttributeError),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_misuse_raises_exceptions(number):
    call, expected = REFUSED[number]
    with pytest.raises(expected):
        call()

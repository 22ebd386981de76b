#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# region_cases.py: writes test/region_cases.txt, the results of other libraries with which
# test_region_cases compares those of regions.
#
#     python3 test/region/region_cases.py > test/region_cases.txt
#
# Needs numpy, scipy, skimage and Pillow: python3-skimage in Debian brings all of them. A case
# is a line with its name and its numbers, and then rows of pixels, # or ., or of numbers.

import math
import random

import numpy as np
from PIL import Image
from scipy import ndimage, signal
from skimage import morphology

print("written by test/region/region_cases.py")
random.seed(38)
np.random.seed(38)


def noise(width, height, share):
    return np.random.rand(height, width) < share


def blobs(width, height, smoothing):
    field = ndimage.gaussian_filter(np.random.rand(height, width), smoothing)
    return field > np.median(field)


def strokes(width, height, count):
    pixels = np.zeros((height, width), bool)
    y, x = np.mgrid[0:height, 0:width]
    for _ in range(count):
        ax, bx = (random.uniform(4, width - 4) for _ in range(2))
        ay, by = (random.uniform(4, height - 4) for _ in range(2))
        t = np.clip(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2), 0, 1)
        pixels |= (x - ax - t * (bx - ax)) ** 2 + (y - ay - t * (by - ay)) ** 2 < random.uniform(1, 30)
    return pixels


def show(pixels):
    for row in pixels:
        print("".join("#" if pixel else "." for pixel in row))


def show_numbers(numbers):
    for row in numbers:
        print(*(int(number) for number in row))


def squares_to(targets):
    """The squared distance of each pixel to the nearest target."""
    if not targets.any():
        return np.full(targets.shape, 2**32 - 1)
    return np.rint(ndimage.distance_transform_edt(~targets) ** 2)


def skeleton(pixels):
    print("skeleton", *pixels.shape[::-1])
    show(pixels)
    show(morphology.thin(np.pad(pixels, 1))[1:-1, 1:-1])


def distances(pixels):
    print("distances", *pixels.shape[::-1])
    show(pixels)
    show_numbers(squares_to(pixels))
    show_numbers(squares_to(~pixels))


def discs(pixels, radius):
    """Dilation and erosion by a radius, which is a multiple of 1/1024."""
    margin = math.floor(radius)
    print("discs", *pixels.shape[::-1], radius, margin)
    show(pixels)
    show(squares_to(np.pad(pixels, margin)) <= radius**2)
    show(squares_to(~np.pad(pixels, 1))[1:-1, 1:-1] > radius**2)


def convolve(a, b):
    print("convolve", *a.shape[::-1], *b.shape[::-1])
    show(a)
    show(b)
    show_numbers(np.rint(signal.correlate2d(a.astype(float), b.astype(float))))


def resize(pixels, width, height):
    """By the nearest pixel, of Pillow, and by area, of blocks of whole units."""
    picture = Image.fromarray(pixels.astype(np.float32), "F")
    units = np.kron(pixels, np.ones((height, width)))
    shares = units.reshape(height, pixels.shape[0], width, pixels.shape[1]).mean(axis=(1, 3))
    print("resize", *pixels.shape[::-1], width, height)
    show(pixels)
    # A position on an edge between two pixels may be rounded to either: it is a ?.
    columns = (2 * np.arange(width) + 1) * pixels.shape[1] % (2 * width) == 0
    rows = (2 * np.arange(height) + 1) * pixels.shape[0] % (2 * height) == 0
    nearest = np.asarray(picture.resize((width, height), Image.NEAREST))
    show_shares(np.where(rows[:, None] | columns, 0.5, nearest))
    show(np.rint(shares * pixels.size) * 2 >= pixels.size)


def show_shares(shares):
    """A pixel of which half is covered, or nearly, is a ?."""
    for row in shares:
        print("".join("?" if abs(share - 0.5) < 0.02 else "#" if share > 0.5 else "." for share in row))


def affine(pixels, matrix, shift):
    """A map of the plane, about the corner of the picture. The result is shown in twice its size."""
    size, finer = (2 * pixels.shape[0], 2 * pixels.shape[1]), 16
    inverse = np.linalg.inv(np.array(matrix))
    to_rows = inverse[::-1, ::-1]  # scipy has rows first
    move = np.array(shift)[::-1]

    def sampled(step):
        # Samples are in the middle of cells of `step` pixels; indices are from the middle of a pixel.
        # scipy reads nothing beyond the middle of the outermost pixels, so two more surround them.
        offset = to_rows @ (step / 2 - move) - 0.5 + 2
        return ndimage.affine_transform(np.pad(pixels, 2).astype(float), to_rows * step, offset=offset, order=0,
                                        output_shape=tuple(round(n / step) for n in size))

    shares = sampled(1 / finer).reshape(size[0], finer, size[1], finer).mean(axis=(1, 3))
    print("affine", *pixels.shape[::-1], *matrix[0], shift[0], *matrix[1], shift[1])
    show(pixels)
    y, x = np.mgrid[0:size[0], 0:size[1]] + 0.5
    at = np.stack([inverse[i, 0] * (x - shift[0]) + inverse[i, 1] * (y - shift[1]) for i in range(2)])
    on_edge = (abs(at - np.rint(at)) < 1e-9).any(axis=0)
    show_shares(np.where(on_edge, 0.5, sampled(1)))
    show_shares(shares)


for picture in (np.ones((1, 1)), np.ones((2, 2)), np.ones((7, 31)), blobs(64, 40, 3), blobs(65, 63, 5),
                blobs(129, 70, 8), strokes(100, 80, 9), noise(70, 30, 0.5), noise(66, 66, 0.85)):
    skeleton(picture.astype(bool))
for picture in (np.zeros((3, 4)), np.ones((5, 2)), noise(1, 40, 0.2), noise(40, 1, 0.2), noise(40, 30, 0.02),
                blobs(50, 20, 4), noise(30, 30, 0.97)):
    distances(picture.astype(bool))
for picture, radius in ((np.ones((1, 1)), 9.5), (blobs(40, 30, 3), 1), (blobs(70, 40, 5), 2.5),
                        (noise(64, 20, 0.1), 4.125), (blobs(50, 50, 8), 7), (noise(30, 70, 0.9), 1.4375)):
    discs(picture.astype(bool), radius)
for a, b in ((noise(9, 7, 0.5), noise(4, 12, 0.6)), (np.ones((3, 50)), np.ones((8, 1))), (blobs(70, 20, 3), noise(20, 30, 0.4)),
             (noise(70, 50, 0.5), blobs(60, 40, 4))):
    convolve(a.astype(bool), b.astype(bool))
for picture, width, height in ((blobs(40, 30, 2), 80, 60), (blobs(40, 30, 3), 27, 11), (noise(33, 33, 0.5), 100, 7),
                               (noise(64, 64, 0.6), 16, 16), (blobs(150, 90, 6), 71, 83), (noise(5, 4, 0.5), 1, 1)):
    resize(picture.astype(bool), width, height)
for picture, matrix, shift in ((blobs(30, 30, 3), ((0.6, -0.8), (0.8, 0.6)), (17.3, 1.6)),
                               (noise(24, 20, 0.5), ((1.0, 0.0), (0.0, 1.0)), (3.25, -2.4)),
                               (blobs(50, 40, 4), ((1.7, 0.31), (-0.42, 1.33)), (2.7, 9.1)),
                               (noise(60, 50, 0.6), ((0.37, 0.11), (-0.21, 0.43)), (30.2, 20.3)),
                               (blobs(40, 40, 5), ((-1.0, 0.2), (0.1, 0.9)), (50.5, 1.25))):
    affine(picture.astype(bool), matrix, shift)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# region_cases.py: writes test/region_cases.txt, the results of other libraries with which
# test_region_cases compares those of regions.
#
#     python3 test/region/region_cases.py > test/region_cases.txt
#
# Needs numpy, scipy and skimage: python3-numpy, python3-scipy and python3-skimage in Debian. A case
# is a line with its name and its numbers, and then rows of pixels, # or ., or of numbers.

import math
import random

import numpy as np
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


for picture in (np.ones((1, 1)), np.ones((2, 2)), np.ones((7, 31)), blobs(64, 40, 3), blobs(65, 63, 5),
                blobs(129, 70, 8), strokes(100, 80, 9), noise(70, 30, 0.5), noise(66, 66, 0.85)):
    skeleton(picture.astype(bool))
for picture in (np.zeros((3, 4)), np.ones((5, 2)), noise(1, 40, 0.2), noise(40, 1, 0.2), noise(40, 30, 0.02),
                blobs(50, 20, 4), noise(30, 30, 0.97)):
    distances(picture.astype(bool))
for picture, radius in ((np.ones((1, 1)), 9.5), (blobs(40, 30, 3), 1), (blobs(70, 40, 5), 2.5),
                        (noise(64, 20, 0.1), 4.125), (blobs(50, 50, 8), 7), (noise(30, 70, 0.9), 1.4375)):
    discs(picture.astype(bool), radius)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# image_cases.py: writes test/image_cases.txt, the results of Pillow with which test_image_affine
# compares those of images.
#
#     python3 test/image/image_cases.py > test/image_cases.txt
#
# Needs numpy and Pillow: python3-pil and python3-numpy in Debian. A case is a line with its name
# and its numbers, then the pixels of the picture and of the result, RGBA in hexadecimal, and `any`
# where Pillow's result is too near to the middle between two.

import random

import numpy as np
from PIL import Image

print("written by test/image/image_cases.py with Pillow", Image.__version__)
random.seed(38)
np.random.seed(38)


def noise(width, height):
    pixels = np.random.randint(0, 256, (height, width, 4)).astype(np.uint8)
    pixels[np.random.rand(height, width) < 0.3, 3] = 0
    return pixels


def gradient(width, height):
    y, x = np.mgrid[0:height, 0:width]
    channels = [128 + 127 * np.sin(x / 9 + i) * np.cos(y / 11 - 2 * i) for i in range(3)]
    return np.stack(channels + [255 - (x + y) % 90], axis=2).astype(np.uint8)


def show(pixels, is_any=None):
    for y, row in enumerate(pixels):
        print(*("any" if is_any is not None and is_any[y, x] else bytes(pixel).hex() for x, pixel in enumerate(row)))


def planes(pixels):
    """The alpha, and the channels multiplied by it, as floating-point pictures of Pillow."""
    alpha = pixels[:, :, 3].astype(np.float32)
    return [Image.fromarray(plane.astype(np.float32)) for plane in
            [alpha] + [alpha * pixels[:, :, i] for i in range(3)]]


def mean_colours(sums):
    """Colours of sums of alpha and of multiplied channels, for each pixel of a result."""
    alpha, *channels = (np.asarray(plane, np.float64) for plane in sums)
    exact = np.stack([channel / np.where(alpha > 0, alpha, 1) for channel in channels] + [alpha], axis=2)
    rounded = np.floor(exact + 0.5).astype(np.uint8)
    is_any = (abs(exact - np.floor(exact) - 0.5) < 1e-3).any(axis=2)
    rounded[rounded[:, :, 3] == 0] = 0
    return rounded, is_any


def resize(pixels, width, height):
    """The sides of the picture are odd, so that no position is between two pixels."""
    print("nearest", *pixels.shape[1::-1], width, height)
    show(pixels)
    show(np.asarray(Image.fromarray(pixels).resize((width, height), Image.NEAREST)))


def reduce(pixels, width, height):
    """By area. The sides of the picture are multiples, where Pillow's filter is a mean."""
    print("area", *pixels.shape[1::-1], width, height)
    show(pixels)
    show(*mean_colours([plane.resize((width, height), Image.BOX) for plane in planes(pixels)]))


def affine(pixels, matrix, shift, width, height):
    """A map, by the nearest pixel, and by area as the mean of 32 x 32 samples."""
    inverse = np.linalg.inv(np.array(matrix))
    move = -inverse @ np.array(shift)
    print("map", *pixels.shape[1::-1], width, height, *matrix[0], shift[0], *matrix[1], shift[1])
    show(pixels)
    data = (*inverse[0], move[0], *inverse[1], move[1])
    y, x = np.mgrid[0:height, 0:width] + 0.5
    at = [data[3 * i] * x + data[3 * i + 1] * y + data[3 * i + 2] for i in range(2)]
    on_edge = (abs(at - np.rint(at)) < 1e-9).any(axis=0)
    show(np.asarray(Image.fromarray(pixels).transform((width, height), Image.AFFINE, data, Image.NEAREST)), on_edge)
    finer = 32
    step = (data[0] / finer, data[1] / finer, data[2], data[3] / finer, data[4] / finer, data[5])
    sums = [np.asarray(plane.transform((finer * width, finer * height), Image.AFFINE, step, Image.NEAREST),
                       np.float64).reshape(height, finer, width, finer).mean(axis=(1, 3)) for plane in planes(pixels)]
    show(mean_colours(sums)[0])


for picture, width, height in ((noise(9, 7), 20, 16), (noise(21, 15), 12, 30), (gradient(35, 21), 20, 17)):
    resize(picture, width, height)
for picture, width, height in ((noise(12, 8), 4, 8), (noise(20, 36), 4, 4), (noise(32, 24), 16, 12), (gradient(30, 25), 10, 5)):
    reduce(picture, width, height)
for picture, matrix, shift, width, height in (
        (gradient(20, 16), ((0.6, -0.8), (0.8, 0.6)), (11.3, 1.6), 24, 25),
        (gradient(14, 20), ((1.7, 0.31), (-0.42, 1.33)), (2.7, 6.1), 25, 30),
        (gradient(24, 20), ((-0.5, 0.2), (0.1, 0.9)), (18.5, 1.25), 21, 23)):
    affine(picture, matrix, shift, width, height)

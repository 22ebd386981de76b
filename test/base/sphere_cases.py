#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# sphere_cases.py: writes test/sphere.txt, the distances on the sphere that test_sphere compares.
#
#     python3 test/base/sphere_cases.py > test/sphere.txt
#
# Needs mpmath, which Debian has as python3-mpmath. Distances are computed with 60 digits, and by
# another method than the library's: points are vectors, the angle between two of them is the
# arctangent of the lengths of their cross and dot products, and the nearest point of a meridian is
# the projection onto its plane.

import random

from mpmath import atan2, cos, mp, mpf, pi, sin, sqrt

mp.dps = 60
RADIUS = mpf('6371008.8')


def vector(longitude, latitude):
    a, b = mpf(longitude) * pi / 180, mpf(latitude) * pi / 180
    return (cos(b) * cos(a), cos(b) * sin(a), sin(b))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def length(a):
    return sqrt(dot(a, a))


def angle(a, b):
    return atan2(length(cross(a, b)), dot(a, b))


def angle_to_meridian(point, longitude, south, north):
    """The angle to the arc of a meridian between two latitudes."""
    ends = [angle(point, vector(longitude, latitude)) for latitude in (south, north)]
    east = vector(longitude + 90, 0)
    foot = [p - dot(point, east) * e for p, e in zip(point, east)]
    if length(foot) > mpf(10) ** -40 and dot(foot, vector(longitude, 0)) > 0:
        latitude = atan2(foot[2], sqrt(foot[0] ** 2 + foot[1] ** 2)) * 180 / pi
        if south < latitude < north:
            ends.append(angle(point, [x / length(foot) for x in foot]))
    return min(ends)


def distance(longitude, latitude, box):
    west, south, east, north = (mpf(x) for x in box)
    off = (mpf(longitude) - west) % 360
    if off <= east - west:
        nearest = min(max(mpf(latitude), south), north)
        return RADIUS * abs(mpf(latitude) - nearest) * pi / 180
    point = vector(longitude, latitude)
    return RADIUS * min(angle_to_meridian(point, side, south, north) for side in (west, east))


def draw(dice):
    """A point and a box: anywhere, near each other, near a pole, or on opposite sides."""
    kind = dice.randrange(5)
    longitude, latitude = dice.uniform(-180, 180), dice.uniform(-90, 90)
    if kind == 1:
        latitude = dice.choice((-1, 1)) * (90 - 10 ** dice.uniform(-9, 1))
    size = 10 ** dice.uniform(-7, 2) if kind != 0 else 10 ** dice.uniform(0, 2)
    west, south = dice.uniform(-180, 180), dice.uniform(-90, 90)
    if kind in (2, 3):
        off = 10 ** dice.uniform(-9, 1)
        west, south = longitude + off, max(-90, min(90, latitude - off / 3))
    if kind == 4:
        west, south = longitude + 180 - dice.uniform(0, 0.001), -latitude + dice.uniform(0, 0.001)
    south = max(-90, min(90, south))
    is_point = dice.random() < 0.5
    east = west if is_point else west + min(size, 300)
    north = south if is_point else min(90, south + size / 2)
    if dice.random() < 0.2:
        west, east = west + 180, east + 180
    return longitude, latitude, (west, south, east, north)


def main():
    dice = random.Random(1)
    print('# longitude latitude west south east north metres, written by test/base/sphere_cases.py')
    rows = [(0, 0, (90, 0, 90, 0)), (0, 0, (180, 0, 180, 0)), (10, 90, (20, -90, 30, -90)),
            (179, 10, (-179, 10, -179, 10)), (13.4, 52.5, (-74, 40.7, -74, 40.7)),
            (0, 45, (90, -30, 100, 80)), (0, -45, (30, -80, 40, 10)), (0, 90, (50, 10, 60, 20))]
    rows += [draw(dice) for _ in range(192)]
    for longitude, latitude, box in rows:
        metres = distance(longitude, latitude, box)
        print(*(repr(float(x)) for x in (longitude, latitude, *box)), mp.nstr(metres, 25))


if __name__ == '__main__':
    main()

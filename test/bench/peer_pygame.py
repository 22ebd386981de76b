# SPDX-License-Identifier: MIT
"""peer_pygame.py: runs pygame.mask for the region benchmark, which starts this script.

Each command and each answer is a line:
    picture NAME FD SIDE        reads a square RGBA picture from an inherited file; "ok"
    TASK NAME ROUNDS            runs a task on that picture; "NANOSECONDS ANSWER"
    TASK A B SEED COUNT ROUNDS  runs a task on two pictures, at COUNT random offsets
Only the processor time of the task is measured. The first line that the script prints is the
version of pygame, or "none" if pygame is not installed.
"""
import os
import sys
import time

os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
os.environ["SDL_VIDEODRIVER"] = "dummy"
try:
    import pygame
    import pygame.mask
except ImportError:
    print("none", flush=True)
    sys.exit()


class Dice:
    """The same random numbers as in region_tasks.c and region_collisions.c."""

    def __init__(self, seed=1):
        self.state = seed

    def below(self, bound):
        self.state = (self.state * 1664525 + 1013904223) & 0xFFFFFFFF
        return (self.state >> 8) % bound


class Picture:
    """A surface, its mask, and the masks with which tasks combine it."""

    def __init__(self, descriptor, side):
        data = os.pread(descriptor, 4 * side * side, 0)
        while len(data) < 4 * side * side:
            data += os.pread(descriptor, 4 * side * side - len(data), len(data))
        self.side = side
        self.surface = pygame.image.frombuffer(data, (side, side), "RGBA")
        self.mask = pygame.mask.from_surface(self.surface, 127)
        self.disc = None

    def prepare(self):
        """Makes the masks with which tasks combine the picture, which takes some time."""
        if self.disc is None:
            self.disc = stroke_mask(self.side // 4, 0, 0)
            self.stroke = stroke_mask(PEN_RADIUS, PEN_X, PEN_Y)


PEN_RADIUS, PEN_X, PEN_Y = 10, 30, 12


def stroke_mask(radius, dx, dy):
    """Returns the pixels of a stroke of a round pen from a corner of a pixel, by (dx, dy)."""
    mask = pygame.mask.Mask((2 * radius + dx, 2 * radius + dy))
    ex, ey = 2 * dx, 2 * dy
    length = ex * ex + ey * ey
    for y in range(2 * radius + dy):
        for x in range(2 * radius + dx):
            px, py = 2 * (x - radius) + 1, 2 * (y - radius) + 1
            along = px * ex + py * ey
            if along <= 0:
                inside = px * px + py * py <= 4 * radius**2
            elif along >= length:
                inside = (px - ex) ** 2 + (py - ey) ** 2 <= 4 * radius**2
            else:
                inside = (px * ey - py * ex) ** 2 <= 4 * radius**2 * length
            if inside:
                mask.set_at((x, y))
    return mask


def build(picture, rounds):
    for _ in range(rounds):
        mask = pygame.mask.from_surface(picture.surface, 127)
    return mask


def toggle(mask, x, y):
    mask.set_at((x, y), 1 - mask.get_at((x, y)))


def edit_kept(picture, rounds):
    dice = Dice()
    versions = [picture.mask]
    for _ in range(rounds):
        mask = versions[-1].copy()
        toggle(mask, dice.below(picture.side), dice.below(picture.side))
        versions.append(mask)
    return versions[-1]


def edit(picture, rounds):
    dice = Dice()
    mask = picture.mask.copy()
    for _ in range(rounds):
        toggle(mask, dice.below(picture.side), dice.below(picture.side))
    return mask


def stroke_kept(picture, rounds):
    dice = Dice()
    versions = [picture.mask]
    width, height = picture.stroke.get_size()
    for _ in range(rounds):
        mask = versions[-1].copy()
        x = dice.below(picture.side - width)
        mask.erase(picture.stroke, (x, dice.below(picture.side - height)))
        versions.append(mask)
    return versions[-1]


def offset_of(picture, i):
    return (picture.side // 5 + i % 7, picture.side // 7 + i % 5)


def union(picture, rounds):
    for i in range(rounds):
        mask = picture.mask.copy()
        mask.draw(picture.disc, offset_of(picture, i))
    return mask


def intersection(picture, rounds):
    for i in range(rounds):
        mask = picture.mask.overlap_mask(picture.disc, offset_of(picture, i))
    return mask


def difference(picture, rounds):
    for i in range(rounds):
        mask = picture.mask.copy()
        mask.erase(picture.disc, offset_of(picture, i))
    return mask


def count(picture, rounds):
    for _ in range(rounds):
        picture.mask.count()
    return picture.mask


TASKS = {
    "build": build,
    "edit-kept": edit_kept,
    "edit": edit,
    "stroke-kept": stroke_kept,
    "union": union,
    "intersection": intersection,
    "difference": difference,
    "count": count,
}


def offsets_of(a, b, seed, count):
    """Returns the same random offsets as in region_collisions.c."""
    dice, bound = Dice(seed), a.side + b.side - 1
    return [(dice.below(bound) - b.side + 1, dice.below(bound) - b.side + 1) for _ in range(count)]


def overlap(a, b, offsets):
    found = 0
    for offset in offsets:
        found += a.mask.overlap(b.mask, offset) is not None
    return found


def area(a, b, offsets):
    found = 0
    for offset in offsets:
        found += a.mask.overlap_area(b.mask, offset)
    return found


def steps_to(a, b, y, to_y):
    """Returns the number of steps to the right until b, which starts left of a, overlaps it."""
    length = a.side + b.side
    for i in range(length):
        if a.mask.overlap(b.mask, (i - b.side, y + i * (to_y - y) // length)) is not None:
            return i
    return length


def level(a, b, offsets):
    return sum(steps_to(a, b, y, y) for _, y in offsets)


def slant(a, b, offsets):
    return sum(steps_to(a, b, y, x) for x, y in offsets)


TASKS_OF_TWO = {"overlap": overlap, "area": area, "level": level, "slant": slant}


def run_of_two(task, a, b, seed, count, rounds):
    offsets = offsets_of(a, b, int(seed), int(count))
    begin = time.process_time_ns()
    for _ in range(int(rounds)):
        found = task(a, b, offsets)
    return time.process_time_ns() - begin, found


def main():
    print("pygame", pygame.version.ver, flush=True)
    pictures = {}
    for line in sys.stdin:
        words = line.split()
        if words[0] == "picture":
            pictures[words[1]] = Picture(int(words[2]), int(words[3]))
            print("ok", flush=True)
            continue
        if words[0] in TASKS_OF_TWO:
            a, b = pictures[words[1]], pictures[words[2]]
            print(*run_of_two(TASKS_OF_TWO[words[0]], a, b, *words[3:]), flush=True)
            continue
        picture, rounds = pictures[words[1]], int(words[2])
        picture.prepare()
        begin = time.process_time_ns()
        mask = TASKS[words[0]](picture, rounds)
        spent = time.process_time_ns() - begin
        print(spent, mask.count(), flush=True)


main()

# SPDX-License-Identifier: MIT
"""python -m pqt demo [FILE]: draws a tree and a window as SVG, to a file or to standard output."""
import sys

import numpy as np

from . import Tree


def demo() -> str:
    """Returns a picture of 2,000 boxes around three centres, and of a window."""
    random = np.random.default_rng(7)
    centres = np.array([(250, 300), (650, 500), (800, 150)])[random.integers(0, 3, 2000)]
    corners = np.clip(centres + random.normal(0, 90, (2000, 2)), 0, 985)
    boxes = np.hstack((corners, corners + random.uniform(1, 15, (2000, 2))))
    return Tree((0, 0, 1000, 1000)).insert_all(boxes, np.arange(2000)).to_svg((200, 200, 600, 450))


def main() -> int:
    """Runs the command that the arguments name, and returns its exit status."""
    words = sys.argv[1:]
    if not 1 <= len(words) <= 2 or words[0] != "demo":
        print("usage: python -m pqt demo [FILE.svg]", file=sys.stderr)
        return 2
    if len(words) == 1:
        print(demo())
    else:
        with open(words[1], "w", encoding="utf-8") as file:
            file.write(demo())
    return 0


if __name__ == "__main__":
    sys.exit(main())

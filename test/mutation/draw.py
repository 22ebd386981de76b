# SPDX-License-Identifier: MIT
"""draw.py: draws changes at random.

Each executable line has the same chance. One of the kinds that fit the line is drawn, and then one
of its changes. Locks are drawn by function. The same seed draws the same changes from the same
sources.
"""
import random

from changes import changes_of, locks_of
from coverage import line_of

MOST_TRIES = 1000


class Source:
    """The changes of one file, by the executable line to which they belong."""

    def __init__(self, file, text, executable):
        self.text = text
        self.locks = locks_of(file, text)
        self.by_line = {}
        for change in changes_of(file, text):
            line = line_of(change.line, executable)
            if line is not None and line >= change.body:
                self.by_line.setdefault(line, []).append(change)


class Draw:
    """An endless series of drawn changes, none of them twice."""

    def __init__(self, sources, seed):
        self.sources = sources
        self.random = random.Random(f"changes {seed}")
        self.lines = [(file, line) for file, source in sorted(sources.items())
                      for line in sorted(source.by_line)]
        self.drawn = set()
        self.locks = [lock for _, source in sorted(sources.items()) for lock in source.locks]
        random.Random(f"locks {seed}").shuffle(self.locks)

    def next(self):
        """Returns a change, or None if hardly any is left."""
        for _ in range(MOST_TRIES if self.lines else 0):
            file, line = self.random.choice(self.lines)
            found = self.sources[file].by_line[line]
            kind = self.random.choice(sorted({change.kind for change in found}))
            change = self.random.choice([change for change in found if change.kind == kind])
            if (file, change.edits) not in self.drawn:
                self.drawn.add((file, change.edits))
                return change
        return None

    def next_lock(self):
        """Returns the locks of a function, or None if there are no more."""
        return self.locks.pop() if self.locks else None

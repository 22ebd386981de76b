# SPDX-License-Identifier: MIT
"""set_aside.py: the changes that nobody has to notice, with the reason.

set_aside.txt names them by file, function and text, so that they are found again when lines move:

    src/memory/heap_root.c pqti_heap_pin_set
    - if (!is_marking(heap) || pqti_is_marked(version))
    + if (!is_marking(heap))
      A marked version is marked again, which changes nothing.

An entry holds for each place in the function that has this text.
"""
from collections import namedtuple

Entry = namedtuple("Entry", "file function before after reason")


def read_entries(text):
    """Returns the entries of a text. Lines that begin with # are comments."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return [read_entry(block) for block in "\n".join(lines).split("\n\n") if block.strip()]


def read_entry(block):
    parts = {"-": [], "+": [], " ": []}
    lines = block.strip("\n").splitlines()
    head = lines[0].split()
    for line in lines[1:]:
        if len(head) != 2 or line[:1] not in parts:
            raise ValueError("set_aside.txt: not an entry:\n" + block)
        parts[line[0]] += line[1:].split()
    before, after, reason = (" ".join(parts[mark]) for mark in "-+ ")
    if not before or not reason:
        raise ValueError("set_aside.txt: an entry needs a line with - and a reason:\n" + block)
    return Entry(head[0], head[1], before, after, reason)


def key_of(change):
    """Returns what an entry and a change have in common."""
    return (change.file, change.function, change.before, change.after)


class SetAside:
    """All entries of set_aside.txt."""

    def __init__(self, text):
        self.entries = read_entries(text)
        self.reasons = {key_of(entry): entry.reason for entry in self.entries}

    def reason(self, change):
        """Returns why nobody has to notice the change, or None."""
        return self.reasons.get(key_of(change))

    def unmatched(self, changes_of_file):
        """Returns the entries that no change has. `changes_of_file` returns all of a file."""
        keys = {}
        for entry in self.entries:
            if entry.file not in keys:
                keys[entry.file] = {key_of(change) for change in changes_of_file(entry.file)}
        return [entry for entry in self.entries if key_of(entry) not in keys[entry.file]]

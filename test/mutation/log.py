# SPDX-License-Identifier: MIT
"""log.py: the log of a run, one JSON object in each line, written as soon as it is known.

An interrupted run is continued from its log. A later result for the same change replaces an earlier
one.
"""
import json
import os
from collections import namedtuple

# `result` is noticed, survived, unexecuted, same code or not compiled. `by` is the suite that
# noticed the change, and `how` says how. `runs` are (suite, how, seconds).
Result = namedtuple("Result", "file line kind function before after lines result by how runs")


def key_of(result):
    """Returns what tells two changes apart."""
    return (result.file, result.kind, tuple(result.lines), result.before, result.after)


class Log:
    """The results of a run, in the order in which they were drawn."""

    def __init__(self, path):
        self.path = path
        self.results = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as lines:
                for line in lines:
                    if line.endswith("\n"):
                        self.keep(Result(**json.loads(line)))

    def keep(self, result):
        self.results[key_of(result)] = result

    def add(self, result):
        self.keep(result)
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(result._asdict()) + "\n")

    def find(self, change):
        return self.results.get(key_of(change))

    def counted(self):
        """Returns the results of changes that changed the code."""
        return [result for result in self.results.values()
                if result.result not in ("same code", "not compiled")]

# SPDX-License-Identifier: MIT
"""project.py: the files of the project at one commit, by what they are for."""
import os

import c_source

PROGRAM = ("src/tool", "src/studio")
BINDINGS = ("bindings",)
EXAMPLES = ("docs/examples",)
BENCHMARKS = ("test/bench",)


class Project:
    """The sources in a folder. Files are read once."""

    def __init__(self, root):
        self.root = root
        self._texts = {}
        self._code = {}
        self._functions = {}

    def files(self, folders, endings, without=()):
        """Returns the sorted paths of files in the folders, apart from those in `without`."""
        found = []
        for folder in folders:
            for place, below, names in os.walk(os.path.join(self.root, folder)):
                below[:] = [name for name in below if name not in ("node_modules", "__pycache__")]
                path = os.path.relpath(place, self.root)
                found += [os.path.join(path, name) for name in names if name.endswith(endings)]
        inside = tuple(folder + "/" for folder in without)
        return sorted(path for path in found if not path.startswith(inside))

    def text(self, path):
        """Returns the text of a file, or an empty text if there is none."""
        if path not in self._texts:
            try:
                with open(os.path.join(self.root, path), encoding="utf-8") as file:
                    self._texts[path] = file.read()
            except (FileNotFoundError, UnicodeDecodeError):
                self._texts[path] = ""
        return self._texts[path]

    def lines(self, path):
        return self.text(path).count("\n")

    def code(self, path):
        """Returns the text of a C file without comments."""
        if path not in self._code:
            self._code[path] = c_source.without_comments(self.text(path))
        return self._code[path]

    def functions(self, path):
        if path not in self._functions:
            self._functions[path] = c_source.functions(self.text(path))
        return self._functions[path]

    def sources(self):
        """The library: the C sources and internal headers of src/, without the program."""
        return self.files(("src",), (".c", ".h"), without=PROGRAM)

    def headers(self):
        return self.files(("include",), (".h",))

    def included(self, header):
        """Returns the public headers that a public header includes, directly or not."""
        found, waiting = [], [header]
        while waiting:
            for name in c_source.included(self.text(os.path.join("include", waiting.pop()))):
                if name not in found and self.text(os.path.join("include", name)):
                    found.append(name)
                    waiting.append(name)
        return sorted(found)

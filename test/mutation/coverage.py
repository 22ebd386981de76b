# SPDX-License-Identifier: MIT
"""coverage.py: the lines that each suite executes, from gcov.

They are kept in lines.json in the folder of the run. A suite is measured again if the library or
the suite has changed.
"""
import hashlib
import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import suites

LIMIT = 900


def digest_of(paths):
    """Returns a digest of the contents of files."""
    total = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            total.update(hashlib.sha256(file.read()).digest())
    return total.hexdigest()


def line_of(line, executable):
    """Returns the last executable line up to a line. A statement of several lines may have one."""
    before = [other for other in executable if other <= line]
    return before[-1] if before else None


class Coverage:
    """The measured lines of all suites."""

    def __init__(self, build, plain, folder, files, scale):
        self.build = build
        self.plain = plain
        self.folder = folder
        self.files = files
        self.scale = scale
        self.path = os.path.join(folder, "lines.json")
        self.known = {"library": None, "executable": {}, "suites": {}}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                self.known = json.load(file)

    # ---- Measuring ----

    def measure(self, names, report):
        """Measures the suites that are not known yet. `report` is called with a line of text."""
        library = digest_of([os.path.join(self.build.top, file) for file in self.files]
                            + [os.path.join(self.build.folder, "config.h")])
        if self.known["library"] != library:
            self.known = {"library": library, "executable": self.executable_lines(), "suites": {}}
        digests = {name: self.digest_of_suite(name) for name in names}
        missing = [name for name in names if not self.is_known(name, digests[name])]
        if missing:
            report(f"measuring the lines of {len(missing)} suites")
            self.plain.put(self.build.shared_library(), copy=True)
            self.measure_all(missing, digests)
            self.plain.restore()
            self.judge_again(missing)
        for name in list(self.known["suites"]):
            if name not in digests:
                del self.known["suites"][name]
        self.write()

    def is_known(self, name, digest):
        known = self.known["suites"].get(name)
        return known is not None and known["digest"] == digest and known["how"] == "passed"

    def measure_all(self, names, digests):
        pool = ThreadPoolExecutor(self.build.jobs)
        try:
            for name, result in zip(names, pool.map(self.measure_suite, names)):
                result["digest"] = digests[name]
                self.known["suites"][name] = result
                self.write()
        finally:
            pool.shutdown(cancel_futures=True)

    def judge_again(self, names):
        """Runs the suites that failed with the counting library, which opens files and is slow,
        with the library that the trials use."""
        for name in names:
            known = self.known["suites"][name]
            if known["how"] != "passed":
                run = suites.run_suite(self.plain, name, 1, self.scale, LIMIT)
                known.update(how=run.how, seconds=run.seconds)

    def write(self):
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            json.dump(self.known, file)
        os.replace(self.path + ".new", self.path)

    def digest_of_suite(self, name):
        paths = [suites.path_of(self.plain, name)]
        if name.endswith(".sh"):
            paths.append(suites.path_of(self.plain, suites.LINE))
        return digest_of(paths) + f" {self.scale}"

    def measure_suite(self, name):
        """Runs the suite with the counting library. Returns its seconds, end and lines."""
        counts = os.path.join(self.folder, "counts", name.replace("/", "-"))
        shutil.rmtree(counts, ignore_errors=True)
        os.makedirs(counts)
        strip = os.path.realpath(self.build.folder).count("/")
        more = {"GCOV_PREFIX": counts, "GCOV_PREFIX_STRIP": str(strip)}
        run = suites.run_suite(self.plain, name, 1, self.scale, LIMIT, more=more)
        lines = self.lines_in(counts)
        shutil.rmtree(counts)
        return {"seconds": run.seconds, "how": run.how, "lines": lines}

    # ---- Reading gcov ----

    def lines_in(self, counts):
        """Returns the executed lines of each file, from the counts that a suite wrote."""
        data = []
        for folder, _, names in os.walk(counts):
            for name in names:
                if name.endswith(".gcda"):
                    path = os.path.join(folder, name)
                    notes = path[:-5] + ".gcno"
                    made = os.path.join(self.build.folder, os.path.relpath(notes, counts))
                    os.symlink(made, notes)
                    data.append(path)
        executed = {}
        for file, line, count in self.read_gcov(data):
            if count > 0:
                executed.setdefault(file, set()).add(line)
        return {file: sorted(lines) for file, lines in sorted(executed.items())}

    def executable_lines(self):
        """Returns the lines of each file that have code."""
        notes = [os.path.join(self.build.folder, self.build.pic_object(self.build.object_of(file)))
                 for file in self.files]
        lines = {}
        for file, line, _ in self.read_gcov([path[:-2] + ".gcno" for path in notes]):
            lines.setdefault(file, set()).add(line)
        return {file: sorted(found) for file, found in sorted(lines.items())}

    def read_gcov(self, paths):
        """Yields (file, line, count) of the sources in the list, from gcov's JSON."""
        wanted = set(self.files)
        for start in range(0, len(paths), 50):
            done = subprocess.run(["gcov", "--json-format", "--stdout", *paths[start:start + 50]],
                                  cwd=self.build.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, check=False)
            for text in done.stdout.splitlines():
                for entry in json.loads(text)["files"]:
                    path = os.path.join(self.build.folder, entry["file"])
                    file = os.path.relpath(path, self.build.top)
                    if file in wanted:
                        for line in entry["lines"]:
                            yield file, line["line_number"], line["count"]

    # ---- Questions ----

    def executable(self, file):
        return self.known["executable"].get(file, [])

    def suites_at(self, file, lines):
        """Returns the suites that execute one of the lines."""
        lines = {line_of(line, self.executable(file)) for line in lines}
        return [name for name, known in self.known["suites"].items()
                if not lines.isdisjoint(known["lines"].get(file, ()))]

    def seconds(self, name):
        return self.known["suites"][name]["seconds"]

    def failing(self):
        """Returns the suites that fail without any change."""
        return sorted(name for name, known in self.known["suites"].items()
                      if known["how"] != "passed")

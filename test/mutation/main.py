#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""main.py: makes small changes to the library, and finds those that no test notices.

`make mutation` runs it in the build folder. docs/mutation.md describes it.
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import suites
from builds import Build, BuildError
from changes import Change, changes_of, locks_of
from coverage import Coverage, digest_of
from draw import Draw, Source
from log import Log, key_of
from set_aside import SetAside
from summary import describe, summarise
from trial import Trial

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read_options():
    """Returns the variables of make mutation, or their defaults."""
    count = read_number("N", int, 20)
    return SimpleNamespace(
        count=count,
        locks=read_number("LOCKS", int, -(-count // 20)),
        seed=read_number("SEED", int, random.SystemRandom().randrange(1000000)),
        folders=os.environ.get("FOLDERS", "").split(),
        change=os.environ.get("CHANGE", ""),
        patch=os.environ.get("PATCH", ""),
        again=os.environ.get("AGAIN", "") not in ("", "0"),
        scale=read_number("SCALE", float, 0.1),
        jobs=max(1, read_number("JOBS", int, os.cpu_count())))


def read_number(name, kind, default):
    text = os.environ.get(name, "")
    try:
        number = kind(text) if text else default
    except ValueError:
        number = -1
    if number < 0:
        complain(f"{name} is not a number: {text}")
    return number


def complain(text):
    print("make mutation: " + text, file=sys.stderr)
    sys.exit(2)


def report(text):
    print(time.strftime("%H:%M:%S ") + text, flush=True)


def read(file):
    with open(os.path.join(TOP, file), encoding="utf-8") as source:
        return source.read()


class Session:
    """The builds, the coverage and the log of one call of make mutation."""

    def __init__(self, options):
        self.options = options
        self.folder = os.path.join(os.getcwd(), "mutation")
        os.makedirs(self.folder, exist_ok=True)
        self.plain, counting, self.thread = (
            Build(kind, TOP, self.folder, options.jobs) for kind in ("plain", "coverage", "thread"))
        report("building the library and the suites")
        self.plain.make_library()
        names = suites.suites_of(self.plain)
        self.plain.make_programs(self.plain.variable("check_PROGRAMS check_LTLIBRARIES").split())
        self.files = [name for name in self.plain.variable("library_sources").split()]
        self.thread_runs = suites.thread_runs(TOP)
        self.coverage = Coverage(counting.make_library(), self.plain, self.folder, self.files,
                                 options.scale)
        self.coverage.measure(names, report)
        for name in self.coverage.failing():
            report(f"{name} fails without a change, so it is left out")
        self.set_aside = SetAside(read("test/mutation/set_aside.txt"))
        self.trial = Trial((self.plain, self.thread), self.coverage, self.thread_runs, options.seed,
                           options.scale, options.jobs)
        self.is_thread_built = False

    def try_change(self, change, text, changed=None):
        if change.kind == "lock" and not self.is_thread_built:
            report("building the programs of threads with ThreadSanitizer")
            self.thread.make_library()
            self.thread.make_programs([program for program, _ in self.thread_runs])
            self.is_thread_built = True
        return self.trial.run(change, text, changed)

    def sources(self):
        """Returns the sources in the folders of the options, by name."""
        folders = self.options.folders
        names = [file for file in self.files if not folders or is_below(file, folders)]
        if not names:
            complain(f"no source of the library is in {' '.join(folders)}")
        return {file: Source(file, read(file), self.coverage.executable(file)) for file in names}

    # ---- A run ----

    def run(self):
        """Draws and tries changes until the log has enough. Returns the results."""
        sources = self.sources()
        log = self.open_log(sources)
        for result in log.counted():
            self.trial.learn(result)
        if self.options.again:
            self.try_survivors(log, sources)
        draw = Draw(sources, self.options.seed)
        results = self.take(draw, draw.next, self.options.count, log)
        return results + self.take(draw, draw.next_lock, self.options.locks, log)

    def open_log(self, sources):
        digest = digest_of([os.path.join(TOP, file) for file in sorted(sources)])
        path = os.path.join(self.folder, f"log-{self.options.seed}-{digest[:8]}.jsonl")
        report(f"the seed is {self.options.seed}, the log is {os.path.relpath(path)}")
        return Log(path)

    def take(self, draw, next_change, count, log):
        """Returns the results of the first `count` changes of a series that change the code."""
        results = []
        while len(results) < count:
            change = next_change()
            if change is None:
                break
            result = log.find(change)
            if result is None:
                result = self.try_change(change, draw.sources[change.file].text)
                log.add(result)
                report_result(result, len(results) + 1)
            if result.result not in ("same code", "not compiled"):
                results.append(result)
        return results

    def try_survivors(self, log, sources):
        """Tries again what was not noticed, for example after a test was written."""
        changes = {key_of(change): change for source in sources.values()
                   for found in [*source.by_line.values(), source.locks] for change in found}
        for result in log.counted():
            change = changes.get(key_of(result))
            if result.result != "noticed" and change and not self.set_aside.reason(change):
                log.add(self.try_change(change, sources[change.file].text))
                report_result(log.find(change))

    def report_entries(self):
        """Names the entries of set_aside.txt that no longer belong to any change."""
        for entry in self.set_aside.unmatched(all_changes):
            report(f"set_aside.txt: no change of {entry.file} {entry.function} has the text "
                   f"of this entry any more: {entry.before}")

    # ---- Changes by name ----

    def run_named(self):
        """Tries the changes that the options name."""
        file, line, *kind = self.options.change.split(":")
        if file not in self.files or not line.isdigit():
            complain("CHANGE has the form src/FOLDER/FILE.c:LINE or src/FOLDER/FILE.c:LINE:KIND")
        text = read(file)
        found = [change for change in changes_of(file, text) + locks_of(file, text)
                 if change.line == int(line) and kind in ([], [change.kind])]
        if not found:
            complain(f"no such change begins at this line: {self.options.change}")
        return [self.try_and_report(change, text) for change in found]

    def try_and_report(self, change, text, changed=None):
        result = self.try_change(change, text, changed)
        report_result(result)
        return result

    def run_patch(self):
        """Tries a patch of one source."""
        with open(self.options.patch, encoding="utf-8") as patch:
            names = [line.split()[1].partition("/")[2] for line in patch if line.startswith("+++ ")]
        if len(names) != 1 or names[0] not in self.files:
            complain(f"{self.options.patch} does not change exactly one source of the library")
        text = read(names[0])
        changed = os.path.join(self.folder, "patched.c")
        shutil.copy(os.path.join(TOP, names[0]), changed)
        if subprocess.run(["patch", "-s", changed, self.options.patch], check=False).returncode:
            complain(f"{self.options.patch} does not apply to {names[0]}")
        with open(changed, encoding="utf-8") as file:
            new = file.read()
        return [self.try_and_report(patched_change(names[0], text, new), text, new)]


def patched_change(file, text, new):
    """Returns a Change for a patched file, with the lines that are no longer there."""
    kept = set(new.splitlines())
    lines = tuple(n for n, line in enumerate(text.splitlines(), 1) if line not in kept)
    kind = "lock" if "lock" in "".join(set(text.splitlines()) - kept) else "patch"
    return Change(file, lines[0] if lines else 0, kind, "", (), "", "", lines, 0)


def is_below(file, folders):
    return any(file == folder or file.startswith(folder.rstrip("/") + "/") for folder in folders)


def all_changes(file):
    path = os.path.join(TOP, file)
    return changes_of(file, read(file)) + locks_of(file, read(file)) if os.path.exists(path) else []


def report_result(result, number=None):
    text = f"{result.file}:{result.line} {result.kind}: {result.result}"
    if result.by:
        text += f" by {result.by} ({result.how})"
    seconds = sum(run[2] for run in result.runs)
    report((f"{number} " if number else "") + f"{text}, {len(result.runs)} suites, {seconds:.1f} s")


def main():
    options = read_options()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for tool in ("gcov", "patch"):
        if shutil.which(tool) is None and (tool == "gcov" or options.patch):
            complain(f"{tool} is not installed")
    if options.patch and not os.path.exists(options.patch):
        complain(f"there is no file {options.patch}, seen from {os.getcwd()}")
    try:
        session = Session(options)
        if options.change or options.patch:
            results = session.run_named() if options.change else session.run_patch()
            print("\n" + "\n".join(describe(result) for result in results
                                   if result.result in ("survived", "unexecuted")), end="")
            return
        results = session.run()
        session.report_entries()
    except BuildError as error:
        complain(str(error))
    except KeyboardInterrupt:
        complain(f"interrupted; SEED={options.seed} with the same FOLDERS continues")
    print("\n" + summarise(results, session.set_aside), end="")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""trial.py: tries one change: compiles it, links it, and runs the suites that execute its lines.

The suites run in the order of notices per second so far, so that a change that is noticed at all
is noticed soon. The first notice ends the trial.
"""
import os
import threading

import suites
from changes import apply_edits
from log import Result

# A suite hangs if it takes longer than this many seconds, or this many times its usual time.
LEAST_LIMIT = 10
TIMES_USUAL = 4


class Trial:
    """What all trials of a run share."""

    def __init__(self, builds, coverage, thread_runs, seed, scale, jobs):
        self.plain, self.thread = builds
        self.coverage = coverage
        self.thread_runs = thread_runs
        self.seed = seed
        self.scale = scale
        self.jobs = jobs
        self.unchanged = {}
        self.statistics = {}
        self.trusted = {}

    def learn(self, result):
        """Counts the runs of a result for the order of the suites."""
        folder = os.path.dirname(result.file)
        for suite, how, _ in result.runs:
            known = self.statistics.setdefault((folder, suite), [0, 0])
            known[0] += 1
            known[1] += how not in ("passed", "stopped")

    def hope(self, file, suite):
        """Returns the chance of a notice per second, from earlier results in the folder."""
        runs, notices = self.statistics.get((os.path.dirname(file), suite), (0, 0))
        return (notices + 1) / (runs + 3) / (self.coverage.seconds(suite) + 0.1)

    def run(self, change, text, changed=None):
        """Tries a change of a file with this text. `changed` is the new text, if it is not made of
        edits. Returns the Result."""
        if changed is None:
            changed = apply_edits(text, change.edits)
        self.plain.restore()
        code = self.plain.compile(change.file, changed)
        if code is None:
            return self.result(change, "not compiled")
        if code == self.unchanged_code(change.file, text, changed):
            return self.result(change, "same code")
        result = self.run_all(change)
        self.learn(result)
        return result

    def unchanged_code(self, file, text, changed):
        """Returns the object's bytes of the unchanged text. Leaves the changed one compiled."""
        if file not in self.unchanged:
            self.unchanged[file] = self.plain.compile(file, text)
            self.plain.compile(file, changed)
        return self.unchanged[file]

    def run_all(self, change):
        names = self.coverage.suites_at(change.file, change.lines)
        names = [name for name in names if name not in self.coverage.failing()]
        names.sort(key=lambda name: -self.hope(change.file, name))
        runs = []
        if change.kind == "lock":
            runs = self.run_threads(change, names)
        if not any(notices(run) for run in runs):
            self.plain.relink(change.file)
            runs += self.run_suites(names)
            self.plain.restore()
        noticed = [run for run in runs if notices(run)]
        if noticed:
            return self.result(change, "noticed", noticed[0].suite, noticed[0].how, runs)
        return self.result(change, "survived" if names else "unexecuted", runs=runs)

    # ---- The suites ----

    def run_suites(self, names):
        """Runs suites until one of them notices the change. Returns the runs."""
        waiting = list(reversed(names))
        runs = []
        stop = threading.Event()

        def work():
            while waiting and not stop.is_set():
                try:
                    name = waiting.pop()
                except IndexError:
                    return
                run = suites.run_suite(self.plain, name, self.seed, self.scale,
                                       self.limit(name), stop)
                runs.append(run)
                if notices(run):
                    stop.set()

        workers = [threading.Thread(target=work) for _ in range(self.jobs)]
        for worker in workers:
            worker.start()
        try:
            for worker in workers:
                worker.join()
        except KeyboardInterrupt:
            stop.set()
            raise
        return self.without_false_notices(runs, names)

    def without_false_notices(self, runs, names):
        """Verifies that a suite that noticed the change passes without it. If it does not, runs
        the suites that were left out because of it."""
        for run in runs:
            if notices(run) and not self.is_trusted(run.suite):
                changed = self.plain.shared_library() + ".changed"
                os.replace(changed, self.plain.shared_library())
                self.coverage.known["suites"][run.suite]["how"] = "failed"
                left = [name for name in names if name != run.suite
                        and not any(r.suite == name and r.how == "passed" for r in runs)]
                return [r for r in runs if r.how == "passed"] + self.run_suites(left)
        return runs

    def is_trusted(self, suite):
        if suite not in self.trusted:
            os.rename(self.plain.shared_library(), self.plain.shared_library() + ".changed")
            self.plain.restore()
            run = suites.run_suite(self.plain, suite, self.seed, self.scale, self.limit(suite))
            self.trusted[suite] = run.how == "passed"
        return self.trusted[suite]

    def limit(self, name):
        return LEAST_LIMIT + TIMES_USUAL * self.coverage.seconds(name)

    # ---- The programs of threads ----

    def run_threads(self, change, names):
        """Runs the programs of threads that execute the lines, under ThreadSanitizer."""
        with open(os.path.join(self.plain.folder, "changed", os.path.basename(change.file)),
                  encoding="utf-8") as source:
            self.thread.compile(change.file, source.read())
        self.thread.relink(change.file)
        runs = []
        for program, case in self.thread_runs:
            if program not in names:
                continue
            more = {"GC_DONT_GC": "1", **({"CK_RUN_CASE": case} if case else {})}
            run = suites.run_suite(self.thread, program, self.seed, self.scale,
                                   3 * self.limit(program), more=more)
            if notices(run) and not self.passes_unchanged(change, program, more):
                continue
            runs.append(run._replace(suite=program + " (threads)"))
            if notices(run):
                break
        self.thread.restore()
        return runs

    def passes_unchanged(self, change, program, more):
        key = program + " (threads)"
        if key not in self.trusted:
            self.thread.restore()
            run = suites.run_suite(self.thread, program, self.seed, self.scale,
                                   3 * self.limit(program), more=more)
            self.trusted[key] = run.how == "passed"
            self.thread.relink(change.file)
        return self.trusted[key]

    @staticmethod
    def result(change, kind, by=None, how=None, runs=()):
        return Result(change.file, change.line, change.kind, change.function, change.before,
                      change.after, list(change.lines), kind, by, how,
                      [(run.suite, run.how, round(run.seconds, 2)) for run in runs])


def notices(run):
    return run.how not in ("passed", "stopped")

# SPDX-License-Identifier: MIT
"""suites.py: the suites of a build, and one run of a suite.

A suite passes if it ends in time with status 0 and reports no test that failed.
"""
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections import namedtuple

MOST_MEMORY = 12 << 30
MOST_FILE = 2 << 30
POLL = 0.01

# The suite that the scripts start with a server.
LINE = "test/line/test_line"
LINE_SCRIPTS = (LINE + ".sh", "test/line/test_line_peer.sh")

# `how` is passed, failed, crashed, hung or stopped.
Run = namedtuple("Run", "suite how seconds")


def suites_of(build):
    """Returns the names of the suites in C of a build: programs, and scripts that start one."""
    names = build.variable("suites fuzzers").split()
    tests = build.variable("TESTS").split()
    return names + [name for name in tests if name in LINE_SCRIPTS]


def thread_runs(top):
    """Returns (program, case) of the programs of threads that make tsan runs."""
    runs = []
    with open(os.path.join(top, "test", "tsan_runs"), encoding="utf-8") as lines:
        for line in lines:
            words = line.split("#")[0].split()
            if words:
                runs.append((words[0], words[1] if len(words) > 1 else ""))
    return runs


def path_of(build, suite):
    """Returns the file to run: a script, or the program behind libtool's wrapper."""
    if suite.endswith(".sh"):
        return os.path.join(build.top, suite)
    folder, name = os.path.split(suite)
    return os.path.join(build.folder, folder, ".libs", name)


def environment_of(build, seed, scale, folder, more):
    environment = dict(os.environ)
    for name in ("MAKEFLAGS", "MFLAGS", "PQT_TEST", "CK_FORK", "CK_RUN_CASE"):
        environment.pop(name, None)
    environment.update({
        "LD_LIBRARY_PATH": os.path.join(build.folder, ".libs"), "srcdir": build.top,
        "PQT_CASES": os.path.join(build.top, "test", "cases.json"), "PQT_SEED": str(seed),
        "PQT_TEST_SCALE": str(scale), "TMPDIR": folder, "TSAN_OPTIONS": "halt_on_error=1"})
    environment.update(more)
    return environment


def limit_resources():
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE, MOST_FILE))


def limit_memory():
    limit_resources()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def run_suite(build, suite, seed, scale, limit, stop=None, more=None):
    """Runs a suite for at most `limit` seconds, or until the event `stop` is set."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as output:
        folder = tempfile.mkdtemp(prefix="pqt-mutation-")
        os.chmod(folder, 0o711)  # a PostgreSQL server runs as another user if root tests
        # ThreadSanitizer reserves more address space than any limit.
        process = subprocess.Popen(
            [path_of(build, suite)], cwd=build.folder, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, env=environment_of(build, seed, scale, folder, more or {}),
            preexec_fn=limit_resources if build.kind == "thread" else limit_memory)
        how = wait_for(process, start + limit, stop)
        end_group(process)
        shutil.rmtree(folder, ignore_errors=True)
        output.seek(0)
        text = output.read()
    return Run(suite, how or judge(process.returncode, text), time.monotonic() - start)


def wait_for(process, deadline, stop):
    """Waits for the process. Returns None if it ended, and otherwise why it is not waited for."""
    while process.poll() is None:
        if stop is not None and stop.is_set():
            return "stopped"
        if time.monotonic() > deadline:
            return "hung"
        time.sleep(POLL)
    return None


def end_group(process):
    """Ends the process and all that it started. A script gets time to end a server."""
    for request, seconds in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, request)
        except ProcessLookupError:
            break
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            pass
    process.wait()


def judge(status, text):
    if status < 0:
        return "crashed"
    if status != 0 or b"\nnot ok " in b"\n" + text or b"WARNING: ThreadSanitizer" in text:
        return "failed"
    return "passed"

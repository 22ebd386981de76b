# SPDX-License-Identifier: MIT
"""ways.py: the functions and files on the way of one operation, from a run.

The library is compiled without optimisation and with -finstrument-functions, so each function that
an operation enters is recorded, also one that is inlined otherwise. It is configured with nothing
optional: no collector, no PNG, no SQLite, no PostgreSQL.
"""
import concurrent.futures
import os
import re
import shlex
import subprocess

_CONFIG = """\
#define _GNU_SOURCE 1
#define PACKAGE_VERSION "0"
#define PQT_WITH_COLLECTOR 0
#define PQT_WITH_PIXELS 1
#define PQT_WITH_PNG 0
#define PQT_WITH_POSTGRESQL 0
#define PQT_WITH_SQLITE 0
#define PQT_WITH_WORLDS 1
"""
_FLAGS = ["-std=gnu17", "-w", "-O0", "-g1", "-fno-pie", "-finstrument-functions"]


class WayError(Exception):
    """The way of an operation cannot be measured."""


def _run(arguments, **options):
    return subprocess.run(arguments, capture_output=True, text=True, check=False, **options)


def _compile(compiler, project, work, source, output):
    return _run(compiler + _FLAGS + ["-I", work, "-I", os.path.join(project.root, "include"), "-I",
                                     os.path.join(project.root, "src"), "-c", source, "-o", output])


def build(project, work):
    """Compiles way.c with the library, and returns the path of the program.

    Some sources may need headers of libraries that are not installed. A source that cannot be
    compiled is an error only if the program needs it."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    with open(os.path.join(work, "config.h"), "w", encoding="utf-8") as config:
        config.write(_CONFIG)
    sources = [os.path.join(project.root, path) for path in project.sources()
               if path.endswith(".c")]
    sources.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "way.c"))
    objects = [os.path.join(work, "%d.o" % i) for i in range(len(sources))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda pair: _compile(compiler, project, work, *pair),
                                zip(sources, objects)))
    errors = "".join(result.stderr for result in results)
    library = os.path.join(work, "library.a")
    program = os.path.join(work, "way")
    _run(["ar", "rcs", library] + list(filter(os.path.exists, objects[:-1])))
    linked = _run(compiler + ["-no-pie", objects[-1], library, "-lm", "-pthread", "-o", program])
    if linked.returncode != 0:
        raise WayError(errors + linked.stderr)
    return program


def source_of(project, path, name):
    """Returns the file that defines a function, given the file that addr2line names. That is the .c
    file for a function that a header writes with a macro, such as PQTI_EACH_OF_2(name, ...)."""
    def defines(file, pattern):
        return re.search(pattern + re.escape(name) + r"[(,]", project.text(file), re.MULTILINE)
    if not path.endswith(".c") or defines(path, "^"):
        return path
    headers = (file for file in project.sources() if file.endswith(".h"))
    return next((file for file in headers if defines(file, r"^(?:[A-Z0-9_]+\()?")), path)


def way_of(project, program, operation):
    """Returns the (file, function) pairs that the operation enters. Functions of the same name in
    different files, and copies of one of a header in different files, count as what they are in the
    source."""
    run = _run([program, operation])
    if run.returncode != 0:
        raise WayError(run.stderr)
    lines = _run(["addr2line", "-f", "-e", program] + run.stdout.split()).stdout.split("\n")
    root = os.path.realpath(project.root) + os.sep
    pairs = set()
    for name, place in zip(lines[::2], lines[1::2]):
        path = os.path.realpath(place.rsplit(":", 1)[0])
        if path.startswith(root):
            pairs.add((source_of(project, path[len(root):], name), name))
    if not pairs:
        raise WayError("addr2line finds no function of %s\n" % root)
    return sorted(pairs)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_dist.py: refuses a wheel or a source distribution of pqt that would not work elsewhere.

    python3 bindings/python/check_dist.py FILE...

A wheel has the licence, and an extension module that contains the library: it is linked only with
libraries of C, has no rpath, exports nothing but its initialization, and its symbols are not newer
than the platform in the name of the wheel. A source distribution has the licence and the library.
Needs readelf.
"""
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

# glibc has these libraries, and each Linux with glibc has it.
SYSTEM = re.compile(r"lib(c|m|pthread|dl|rt)\.so\.\d+|ld-linux.*")
IN_SOURCES = ("COPYING", "README.md", "PKG-INFO", "pyproject.toml", "setup.py", "shim_build.py", "library/pqt.c",
              "library/pqt.h", "library/pqt/all.h", "flat/calls.txt", "src/pqt/__init__.py", "src/pqt/py.typed")


def refuse(name, reason):
    raise SystemExit("%s: %s" % (name, reason))


def readelf(option, module):
    return subprocess.run(["readelf", "-W", option, str(module)], check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def platform_of(module):
    """Returns the name of the oldest platform that has the symbols of the C library that a module needs."""
    versions = re.findall(r"\bGLIBC_(\d+)\.(\d+)", readelf("--version-info", module))
    if not versions:
        refuse(module.name, "it needs no glibc; wheels are made on Linux with glibc")
    newest = max((int(major), int(minor)) for major, minor in versions)
    return "manylinux_%d_%d_%s" % (newest + (sysconfig.get_platform().partition("-")[2],))


def check_module(name, module):
    """Checks the extension module of a wheel."""
    dynamic = readelf("--dynamic", module)
    for needed in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
        if needed.startswith("libpqt."):
            refuse(name, "it lacks the library: %s is linked with %s; make python-dist writes a wheel with it"
                   % (module.name, needed))
        if not SYSTEM.fullmatch(needed):
            refuse(name, "%s is linked with %s, which not each system has" % (module.name, needed))
    if re.search(r"\((RPATH|RUNPATH)\)", dynamic):
        refuse(name, "%s has an rpath" % module.name)
    # The columns: number, value, size, type, binding, visibility, section, name.
    rows = [line.split() for line in readelf("--dyn-syms", module).splitlines()]
    exported = [row[7] for row in rows if len(row) > 7 and row[4] in ("GLOBAL", "WEAK") and row[6] != "UND"]
    if exported != ["PyInit__pqt"]:
        refuse(name, "%s exports %s; PyInit__pqt alone is wanted" % (module.name, " ".join(exported)))


def check_wheel(path):
    name = path.name
    with zipfile.ZipFile(path) as wheel, tempfile.TemporaryDirectory() as folder:
        files = wheel.namelist()
        modules = [file for file in files if re.fullmatch(r"pqt/_pqt\..*so", file)]
        if len(modules) != 1:
            refuse(name, "it has %d extension modules; one is wanted" % len(modules))
        wheel.extract(modules[0], folder)
        module = pathlib.Path(folder, modules[0])
        check_module(name, module)
        if platform_of(module) not in name:
            refuse(name, "its symbols need the platform %s" % platform_of(module))
        if not any(re.search(r"\.dist-info/(licenses/)?COPYING$", file) for file in files):
            refuse(name, "the text of the licence is missing")


def check_sources(path):
    with tarfile.open(path) as archive:
        files = {file.partition("/")[2] for file in archive.getnames()}
    for wanted in IN_SOURCES:
        if wanted not in files:
            refuse(path.name, "%s is missing; make python-dist writes a source distribution with it" % wanted)


def check(path):
    """Checks a file; exits with a message if it is refused."""
    if path.name.endswith(".whl"):
        check_wheel(path)
    elif path.name.endswith(".tar.gz"):
        check_sources(path)
    else:
        refuse(path.name, "neither a wheel nor a source distribution (.tar.gz)")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit("usage: check_dist.py FILE...")
    for argument in sys.argv[1:]:
        check(pathlib.Path(argument))

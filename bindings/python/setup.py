# SPDX-License-Identifier: MIT
"""setup.py: builds the pqt package, which contains the library or is linked with it.

In a source distribution, the folder `library` has the library in one file, and the extension module
contains it. PQT_SQLITE and PQT_PNG say how SQLite and libpng are linked: `shared`, `static`, or
`no`. By default they are shared if the compiler finds them.

In the source tree, the module is linked with the library in the build folder that PQT_BUILD names,
or with the installed library, which pkg-config finds. The folder of the library is recorded in the
module as its rpath, except with PQT_RPATH=no.
"""
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tempfile

import cffi  # without it, setup would make a package without the module
from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist
from distutils import ccompiler, errors
from distutils.sysconfig import customize_compiler

LIBRARY = "library"
IS_WHOLE = os.path.exists(os.path.join(LIBRARY, "pqt.c"))
TOP = os.path.join("..", "..")  # of the source tree

# What the library can use: the variable of the environment, the macro of pqt.c, a program that
# needs it, the names of the libraries, and the package of Debian that has them.
OPTIONAL = (
    ("PQT_SQLITE", "PQT_WITH_SQLITE",
     "#include <sqlite3.h>\nint main(void) { return sqlite3_libversion_number() == 0; }\n",
     ("sqlite3",), "libsqlite3-dev"),
    ("PQT_PNG", "PQT_WITH_PNG",
     "#include <png.h>\nint main(void) { return png_access_version_number() == 0; }\n",
     ("png", "z"), "libpng-dev"),
)

# All other symbols are local to the module: another SQLite, libpng or pqt in the process is not
# mixed up with its own.
EXPORTS = "{ global: PyInit_*; _cffi_pypyinit_*; local: *; };\n"


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def version():
    """Returns the release number that the headers have."""
    header = read(LIBRARY, "pqt.h") if IS_WHOLE else read(TOP, "include", "pqt", "version.h")
    return re.search(r'#define PQT_VERSION "(.*)"', header).group(1)


class Build(build_ext):
    """Finds the library, or compiles it into the extension module. Writes the module's types."""

    def run(self):
        super().run()
        sys.path.insert(0, os.getcwd())
        import shim_build
        folder = os.path.dirname(self.get_ext_fullpath("pqt._pqt"))
        with open(os.path.join(folder, "_pqt.pyi"), "w", encoding="utf-8") as file:
            file.write(shim_build.stub())

    def pre_run(self, ext, ffi):
        """Is called by cffi before the module is compiled."""
        if IS_WHOLE:
            self.contain_library(ext)
        else:
            link_library(ext)

    def contain_library(self, ext):
        if sys.platform == "win32":
            raise SystemExit("pqt for Python does not run on Windows, only in its Linux subsystem (WSL)")
        ext.sources.append(os.path.join(LIBRARY, "pqt.c"))
        ext.include_dirs.append(LIBRARY)
        ext.extra_compile_args.append("-ffp-contract=off")
        ext.define_macros.append(("PQT_CONTRACT_OFF", "1"))
        ext.extra_link_args.append("-pthread")
        ext.define_macros.append(("PQT_PLAIN", "0"))
        for variable, macro, program, names, package in OPTIONAL:
            chosen = os.environ.get(variable, "")
            if chosen not in ("", "no", "shared", "static"):
                raise SystemExit("%s is %s; it can be no, shared or static" % (variable, chosen))
            arguments = ["-l" + names[0]]
            if chosen == "static":
                arguments = ["-l:lib%s.a" % name for name in names] + ["-lm"]
                if macro == "PQT_WITH_PNG":
                    ext.sources.append("shim_stderr.c")
                    ext.extra_link_args.append("-Wl,--wrap=stderr")
            has_it = chosen != "no" and self.links(program, arguments)
            if chosen and chosen != "no" and not has_it:
                raise SystemExit("%s is %s, but no program can be linked with %s (Debian: %s); "
                                 "%s=no leaves it out" % (variable, chosen, " ".join(arguments), package, variable))
            ext.define_macros.append((macro, str(int(has_it))))
            ext.extra_link_args += arguments if has_it else []
        if sys.platform.startswith(("linux", "freebsd")):
            script = os.path.join(self.build_temp, "exports.map")
            with open(script, "w", encoding="utf-8") as file:
                file.write(EXPORTS)
            ext.extra_link_args.append("-Wl,--version-script=" + script)

    def links(self, program, arguments):
        """Returns whether a program compiles and links. The compiler's messages are dropped."""
        compiler = ccompiler.new_compiler()
        customize_compiler(compiler)
        os.makedirs(self.build_temp, exist_ok=True)
        kept = os.dup(2)
        with tempfile.TemporaryDirectory(dir=self.build_temp) as folder, open(os.devnull, "w") as nothing:
            source = os.path.join(folder, "program.c")
            with open(source, "w", encoding="utf-8") as file:
                file.write(program)
            os.dup2(nothing.fileno(), 2)
            try:
                objects = compiler.compile([source], output_dir=folder)
                compiler.link_executable(objects, os.path.join(folder, "program"), extra_postargs=arguments)
            except (errors.CompileError, errors.LinkError):
                return False
            finally:
                os.dup2(kept, 2)
                os.close(kept)
        return True


def link_library(ext):
    """Links the module with the library of a build folder, or with the installed one."""
    build = os.environ.get("PQT_BUILD")
    if build:
        build = os.path.abspath(build)
        source = os.environ.get("PQT_SOURCE", os.path.dirname(build))
        folder = os.path.join(build, ".libs")
        ext.include_dirs += [os.path.join(source, "include"), os.path.join(build, "include")]
        ext.library_dirs.append(folder)
        ext.libraries.append("pqt")
    else:
        try:
            words, folder = (subprocess.run(["pkg-config", *options, "pqt"], check=True, stdout=subprocess.PIPE,
                                            text=True).stdout.strip()
                             for options in (("--cflags", "--libs"), ("--variable=libdir",)))
        except (OSError, subprocess.CalledProcessError):
            raise SystemExit("pkg-config does not find pqt: install the library first, or set "
                             "PKG_CONFIG_PATH, or set PQT_BUILD to its build folder; or run make python-dist, "
                             "and install the wheel, which contains the library") from None
        words = shlex.split(words)
        ext.extra_compile_args += [word for word in words if word[:2] in ("-I", "-D", "-p")]
        ext.extra_link_args += [word for word in words if word[:2] in ("-L", "-l", "-p")]
    if os.environ.get("PQT_RPATH") != "no":
        ext.extra_link_args.append("-Wl,-rpath," + folder)


class SourceDistribution(sdist):
    """Refuses to make a source distribution that lacks the library."""

    def run(self):
        if not IS_WHOLE:
            raise SystemExit("a source distribution contains the library: make python-dist writes it")
        super().run()


# The module uses only the stable interface of CPython; cffi does not, with another Python.
is_stable = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED") \
    and not hasattr(sys, "gettotalrefcount")
setup(
    name="pqt",
    version=version(),
    description="Persistent quadtrees: every edit returns a new tree, and old ones stay",
    long_description=read("README.md") if IS_WHOLE else None,
    long_description_content_type="text/markdown",
    license="MIT",
    license_files=[name for name in ("COPYING", "LIBRARIES") if os.path.exists(name)],
    python_requires=">=3.9",
    package_dir={"": "src"},
    packages=["pqt"],
    package_data={"pqt": ["py.typed"]},
    install_requires=["cffi>=1.15", "numpy"],
    cffi_modules=["shim_build.py:ffibuilder"],
    cmdclass={"build_ext": Build, "sdist": SourceDistribution},
    options={"bdist_wheel": {"py_limited_api": "cp39"}} if is_stable else {},
    zip_safe=False,
)

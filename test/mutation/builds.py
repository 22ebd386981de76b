# SPDX-License-Identifier: MIT
"""builds.py: the builds of the library that a run needs, each in a folder of its own.

    plain      the library and the test programs
    coverage   the library, which counts the lines that run
    thread     the library and the programs of threads, with ThreadSanitizer

In each of them the test programs use the shared library, whose functions are all visible. So a
change costs the compilation of one file and one link. The options are those of the build folder in
which make mutation runs. A changed source is a copy; the sources themselves stay as they are.
"""
import os
import shlex
import shutil
import subprocess

VISIBLE = "-fvisibility=default -fno-semantic-interposition -w"
OPTIONS = {
    "plain": ["CFLAGS=-O2 " + VISIBLE],
    "coverage": ["CFLAGS=-O1 --coverage " + VISIBLE, "LDFLAGS=--coverage"],
    "thread": ["CFLAGS=-O1 -g1 " + VISIBLE, "--enable-sanitizer=thread"],
}
# These options of the outer build would contradict the ones above.
OVERRIDDEN = ("CFLAGS=", "LDFLAGS=", "--prefix", "--cache-file", "--enable-sanitizer",
              "--enable-coverage", "--disable-shared", "--enable-static", "--enable-werror", "-q")
STRICT = ["-Werror=incompatible-pointer-types", "-Werror=int-conversion",
          "-Werror=discarded-qualifiers", "-Werror=implicit-function-declaration"]


class BuildError(Exception):
    """A build that is needed for all changes failed."""


def run_quietly(command, folder, text=None):
    """Runs a command. Returns its output; raises BuildError with the end of it if it fails."""
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    done = subprocess.run(command, cwd=folder, input=text, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise BuildError(f"{shlex.join(command)} in {folder}:\n" + done.stdout[-3000:])
    return done.stdout


class Build:
    """One build folder."""

    def __init__(self, kind, top, folder, jobs):
        self.kind = kind
        self.top = top
        self.folder = os.path.join(folder, kind)
        self.outer = os.path.dirname(folder)
        self.jobs = jobs
        self.compile_commands = {}
        self.link_words = None

    # ---- The whole library ----

    def make_library(self):
        """Configures and builds the library. Ends with the unchanged library in its place."""
        os.makedirs(self.folder, exist_ok=True)
        if not os.path.exists(os.path.join(self.folder, "Makefile")):
            run_quietly([os.path.join(self.top, "configure"), "-q", *self.options()], self.folder)
        if os.path.exists(self.kept()):
            self.restore()
        self.make("libpqt.la")
        shutil.copy2(self.shared_library(), self.kept())
        return self

    def options(self):
        status = run_quietly([os.path.join(self.outer, "config.status"), "--config"], self.outer)
        inherited = [word for word in shlex.split(status) if not word.startswith(OVERRIDDEN)]
        nowhere = os.path.join(self.folder, "nowhere")
        return inherited + ["--disable-static", "--prefix=" + nowhere] + OPTIONS[self.kind]

    def make(self, *targets):
        run_quietly(["make", "-s", f"-j{self.jobs}", *targets], self.folder)

    def make_programs(self, programs):
        """Builds programs that use the shared library in place of the objects."""
        self.make("LDADD=libpqt-test.la libpqt.la " + self.variable(
            "CHECK_LIBS libpqt_internal_la_LIBADD DL_LIBS"), *programs)

    def variable(self, names):
        """Returns the value of a variable of the Makefile, or of several."""
        values = " ".join(f"$({name})" for name in names.split())
        text = f"include Makefile\nprint-variable:\n\t@echo '{values}'\n"
        return run_quietly(["make", "-s", "-f", "-", "print-variable"], self.folder, text).strip()

    def shared_library(self):
        folder = os.path.join(self.folder, ".libs")
        return os.path.realpath(os.path.join(folder, "libpqt.so"))

    def kept(self):
        return os.path.join(self.folder, "unchanged.so")

    def restore(self):
        """Puts the unchanged library back."""
        self.put(self.kept(), copy=True)

    def put(self, library, copy=False):
        place = self.shared_library()
        new = place + ".new"
        (shutil.copy2 if copy else os.replace)(library, new)
        os.replace(new, place)

    # ---- One change ----

    def object_of(self, file):
        folder, name = os.path.split(file)
        return f"{folder}/libpqt_internal_la-{name[:-2]}.lo"

    def compile(self, file, text):
        """Compiles the text in place of a source. Returns the object's bytes, or None."""
        folder = os.path.join(self.folder, "changed")
        os.makedirs(folder, exist_ok=True)
        source = os.path.join(folder, os.path.basename(file))
        with open(source, "w", encoding="utf-8") as out:
            out.write(text)
        made = source[:-2] + ".lo"
        command = self.compile_command(file) + ["-o", made, source]
        done = subprocess.run(command, cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            return None
        with open(self.changed_object(file), "rb") as compiled:
            return compiled.read()

    def changed_object(self, file):
        return os.path.join(self.folder, "changed", ".libs", os.path.basename(file)[:-2] + ".o")

    def compile_command(self, file):
        """Returns the command of libtool that compiles a file, without its source and output."""
        if file not in self.compile_commands:
            source = os.path.relpath(os.path.join(self.top, file), self.folder)
            lines = run_quietly(["make", "-n", "V=1", "-W", source, self.object_of(file)],
                                self.folder)
            line = [line for line in lines.splitlines() if "--mode=compile" in line][-1]
            words = shlex.split(line[line.index("/bin/"):].split("`")[0])
            self.compile_commands[file] = self.without_outputs(words) + STRICT + [
                "-iquote", os.path.join(self.top, os.path.dirname(file)), "-c"]
        return self.compile_commands[file]

    @staticmethod
    def without_outputs(words):
        kept = []
        skip = False
        for word in words:
            if skip:
                skip = False
            elif word in ("-MT", "-MF", "-o"):
                skip = True
            elif word not in ("-MD", "-MP", "-c", "-w"):  # -w would hide STRICT
                kept.append(word)
        return kept

    def relink(self, file):
        """Links the shared library with the changed object of a file, and puts it in its place."""
        if self.link_words is None:
            self.link_words = self.find_link_words()
        compiler, objects, libraries = self.link_words
        replaced = self.object_of(file)
        inputs = [self.changed_object(file) if name == replaced else self.pic_object(name)
                  for name in objects]
        linked = os.path.join(self.folder, "changed.so")
        run_quietly([*compiler, "-shared", "-fPIC", *inputs, *libraries, "-o", linked], self.folder)
        self.put(linked)

    def find_link_words(self):
        folder = os.path.dirname(self.shared_library())
        names = [name for name in os.listdir(folder) if name.startswith("libpqt.so.")]
        soname = min(names, key=len)
        compiler = shlex.split(self.variable("CC PQT_CFLAGS CFLAGS"))
        objects = self.variable("libpqt_internal_la_OBJECTS").split()
        libraries = shlex.split(self.variable(
            "PQT_LDFLAGS LDFLAGS PQT_LIBRARY_LDFLAGS libpqt_internal_la_LIBADD LIBS"))
        return compiler, objects, libraries + ["-pthread", "-Wl,-soname," + soname]

    @staticmethod
    def pic_object(name):
        folder, base = os.path.split(name)
        return f"{folder}/.libs/{base[:-3]}.o"

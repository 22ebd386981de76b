# SPDX-License-Identifier: MIT
"""shim_build.py: describes the extension module pqt._pqt to cffi: the calls and the sources of the
shim, and to type checkers. setup.py adds the library."""
import os
import re
import sys

from cffi import FFI

TYPES = """
typedef enum pqt_status { PQT_OK, PQT_ERROR_MEMORY, ... } pqt_status;
typedef struct pqt_error { size_t index; pqt_status status; char text[104]; } pqt_error;
typedef struct pqt_pin pqt_pin;
typedef ... pqtpy_tree;
typedef ... pqtpy_region;
typedef ... pqtpy_map;
typedef ... pqtpy_world;
typedef ... pqtpy_document;
typedef ... pqtpy_image;
typedef struct pqtpy_recording pqtpy_recording;
typedef struct pqtpy_history pqtpy_history;
typedef ... pqtpy_draft;
typedef ... pqtpy_map_draft;
typedef struct pqtpy_store pqtpy_store;
typedef struct pqtpy_bytes { char *data; size_t size; size_t capacity; } pqtpy_bytes;
const char *pqt_version(void);
const char *pqt_status_name(pqt_status status);
bool pqt_is_store_file(const char *path);
"""


def calls():
    """Returns the prototypes of shim_calls.h, without comments."""
    with open("shim_calls.h", encoding="utf-8") as header:
        return re.sub(r"/\*.*?\*/", "", header.read(), flags=re.DOTALL)


SOURCES = ["shim.c", "shim_history.c", "shim_png.c", "shim_recording.c", "shim_store.c"]

# The calls that the package for JavaScript has, too.
FLAT = os.path.abspath("flat" if os.path.isdir("flat") else os.path.join("..", "flat"))
sys.dont_write_bytecode = True  # the source tree may be read-only
sys.path.insert(0, FLAT)
flat = __import__("flat")
HELPERS = "".join('#include "%s"\n' % name for name in sorted(os.listdir(FLAT)) if name.endswith(".c"))

PROTOTYPES = TYPES + calls() + flat.prototypes()


def python_type(declared):
    """Returns the annotation for a parameter or a result of a C function."""
    if "*" in declared:
        return "CData"
    word = declared.replace("const ", "").split()[0]
    return {"void": "None", "bool": "bool", "double": "float", "float": "float"}.get(word, "int")


def stub():
    """Returns _pqt.pyi: the functions of the module with the types of their parameters."""
    lines = ["# Written by shim_build.py.", "from typing import Any", "", "CData = Any  # a pointer or an array of cffi",
             "ffi: Any", "", "", "class _Lib:"]
    for result, name, parameters in re.findall(r"^([\w ]+[ *])(\w+)\(([^)]*)\);", PROTOTYPES, flags=re.MULTILINE):
        named = [] if parameters == "void" else [
            "%s: %s" % (re.search(r"\w+$", declared).group(), python_type(declared))
            for declared in re.split(r",\s*", parameters)]
        lines += ["    @staticmethod",
                  "    def %s(%s) -> %s: ..." % (name, ", ".join(named + ["/"] * bool(named)), python_type(result))]
    return "\n".join(lines + ["", "", "lib: _Lib", ""])


ffibuilder = FFI()
ffibuilder.cdef(PROTOTYPES)
ffibuilder.set_source("pqt._pqt", flat.code(flat.Python) + HELPERS, sources=SOURCES,
                      depends=["shim.h", "shim_calls.h"], include_dirs=[".", FLAT],
                      extra_compile_args=["-std=gnu17", "-fvisibility=hidden"])

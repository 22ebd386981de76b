# SPDX-License-Identifier: MIT
"""shim_build.py: describes the extension module pqt._pqt to cffi: the calls and the sources of the
shim. setup.py adds the library."""
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

ffibuilder = FFI()
ffibuilder.cdef(TYPES + calls() + flat.prototypes())
ffibuilder.set_source("pqt._pqt", flat.code(flat.Python) + HELPERS, sources=SOURCES,
                      depends=["shim.h", "shim_calls.h"], include_dirs=[".", FLAT],
                      extra_compile_args=["-std=gnu17", "-fvisibility=hidden"])

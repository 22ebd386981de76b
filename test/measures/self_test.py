# SPDX-License-Identifier: MIT
"""self_test.py: tests the measures with a small project, and compares those of the library that
must stay 0. Prints TAP. test/check_measures runs it."""
import importlib.machinery
import importlib.util
import os
import tempfile

import c_source
import counts
import ways
from project import Project

HERE = os.path.dirname(os.path.abspath(__file__))

FILES = {
    "include/pqt.h": "/* all */\n#include <pqt/tree.h>\n",
    "include/pqt/tree.h": """\
#include <stddef.h>
#include <pqt/kind.h>
/** Inserts: unlike pqt_tree_hidden(tree). */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_insert(const pqt_tree *tree,
                                                      pqt_item item);
/** A name. */
PQT_API const char *const *pqt_tree_check(void);
#define PQT_API_OF(name) PQT_API void pqt_macro(void)
static inline size_t
pqt_tree_size(const pqt_tree *tree)
{
    return pqt_tree_held(tree);
}
PQT_API size_t pqt_tree_held(const pqt_tree *tree);
""",
    "include/pqt/kind.h": """\
typedef enum pqt_kind {
    PQT_KIND_NONE,
    PQT_KIND_TREE = 1, /**< PQT_KIND_OTHER_TREE */
    PQT_KIND_MAP,
    PQT_KIND_WORLD
} pqt_kind;
enum { PQT_MORE_TREE, PQT_MORE_MAP };
PQT_API void pqt_map_check(void);
PQT_API void pqt_map_find(void);
""",
    "include/pqt/extra.h": """\
/** Something else. */
typedef int pqt_extra;
/**
 * Steps a world,
 * by one step.
 */
PQT_API const pqt_world *pqt_world_step(const pqt_world *world);
PQT_API void pqt_nobody_calls(void);
""",
    "include/pqt.hpp": "// pqt_nobody_calls()\nauto a = pqt_##kind##_find;\n",
    "src/tree/tree.c": """\
#include "tree.h"
#define BEGIN { \\
    if (a) {
/* PQT_KIND_WORLD == 3 */
static const char *const names[] = {[PQT_KIND_TREE] = "tree == PQT_KIND_MAP"};
static const int sizes[] = {1, 2};

static int
size_of(const leaf_edit *t, pqti_inner_leaf *l, knn_search r[2], int n, double x)
{
    return n;
}

int
pqt_tree_insert(const pqt_tree *a, void (*visit)(int i),
                pqt_item b, const pqti_ball *const a2)
{
    if (a == PQT_KIND_MAP)
        for (;;)
            if (PQT_KIND_TREE != a &&
                    b)
                return 1;
    return '{';
}
""",
    "src/tree/tree.h": "PQTI_EACH(pqti_add, +)\n",
    "src/tree/walk.c": """\
#define EACH_KIND(ROW) \\
    ROW(PQT_KIND_TREE, 1) \\
    ROW(PQT_KIND_MAP, 2)
static void
walk(pqti_node *a, pqti_ball *b)
{
    switch (a) {
    case PQT_KIND_TREE:
        return;
    }
    switch (b) {
    case 1:
        return;
    }
}

static void
visit(pqti_node *a)
{
""" + "    call();\n" * 41 + """\
}

static int
cross(pqt_vec a, pqt_vec b, pqt_vec c, pqt_axis x, pqt_axis y, pqt_vec d)
{
    return 0;
}

static int
cut(pqt_vec a, pqt_vec c, pqt_axis x)
{
    return 0;
}
""",
    "src/tool/main.c": "int\nmain(void)\n{\n    pqt_tree_insert(t, i); // pqt_tree_check\n}\n",
    "test/bench/bench.c": "pqt_tree_size(t);\n",
    "README.md": "`pqt_nobody_calls()`\n\n```c\npqt_tree_check();\n```\n",
    "Makefile.am": "include src/Makefile.inc\nall = \\\n\tsrc/a.c \\\n\tsrc/b.c\n\tcd src/a && b\n",
    "src/Makefile.inc": "a = b\n",
    "src/Makefile_of_nobody.inc": "a = b\n",
}

EXPECTED = {
    "public_functions": ["pqt_map_check", "pqt_map_find", "pqt_nobody_calls", "pqt_tree_check",
                         "pqt_tree_held", "pqt_tree_insert", "pqt_tree_size", "pqt_world_step"],
    "functions_of_pqt_h": ["pqt_map_check", "pqt_map_find", "pqt_tree_check", "pqt_tree_held",
                           "pqt_tree_insert", "pqt_tree_size"],
    "lines_of_pqt_h": 23,
    "repeated_verbs": ["pqt_map_check", "pqt_tree_check"],
    "uncalled": ["pqt_map_check", "pqt_map_find", "pqt_nobody_calls", "pqt_tree_check",
                 "pqt_world_step"],
    "uncalled_but_by_bindings": ["pqt_map_find"],
    "uncalled_but_in_documents": ["pqt_tree_check"],
    "uncalled_by_all": ["pqt_map_check", "pqt_nobody_calls", "pqt_world_step"],
    "files_that_name_kinds": ["include/pqt/kind.h", "src/tree/tree.c", "src/tree/walk.c"],
    "kind_enums": [["PQT_KIND_TREE", "PQT_KIND_MAP", "PQT_KIND_WORLD"]],
    "kind_tables": 2,
    "kind_switches": 1,
    "kind_comparisons": 2,
    "library_files": ["src/tree/tree.c", "src/tree/tree.h", "src/tree/walk.c"],
    "library_lines": 98,
    "comment_lines": 4,
    "comment_words": 6,
    "letters": ["leaf_edit t", "pqti_inner_leaf l", "knn_search r", "pqt_tree a", "pqt_item b",
                "pqti_node a", "pqti_ball b", "pqti_node a", "pqt_vec a", "pqt_vec b", "pqt_vec c",
                "pqt_axis x", "pqt_axis y", "pqt_vec d", "pqt_vec a", "pqt_vec c", "pqt_axis x"],
    "letters_that_fit_no_type": ["leaf_edit t", "knn_search r", "pqt_vec c", "pqt_axis x"],
    "lone_letters": ["pqti_node a", "pqt_vec a"],
    "build_files": ["Makefile.am", "src/Makefile.inc"],
    "build_lines": 6,
    "largest_build_file": 5,
    "path_lines": 2,
    "functions_defined": 6,
    "median_length": 6,
    "ninth_decile": 41,
    "long_functions": 1,
    "deepest_nesting": 3,
}

# The file that addr2line names for a function, the function, and the file that defines it.
SOURCES = (
    ("src/tree/tree.c", "pqt_tree_insert", "src/tree/tree.c"),
    ("src/tree/tree.c", "pqti_add", "src/tree/tree.h"),
    ("src/tree/tree.h", "pqti_add", "src/tree/tree.h"),
    ("src/tree/tree.c", "of_nowhere", "src/tree/tree.c"),
)

# Measures that are 0 for the library, and what that means.
NONE_IN_THE_LIBRARY = {
    "letters_that_fit_no_type": "each letter of a parameter begins a word of its type's name",
    "lone_letters": "parameters called a and b come in pairs",
}


def plain(found):
    """Returns parameters as their types and names, and anything else unchanged."""
    if isinstance(found, list) and found and isinstance(found[0], tuple):
        return ["%s %s" % (parameter.type, parameter.name) for _, parameter in found]
    return found


class Results:
    """The results, which are printed as TAP."""

    def __init__(self):
        self.count = 0

    def equal(self, name, found, expected):
        self.count += 1
        if found == expected:
            print("ok %d - %s" % (self.count, name))
        else:
            print("not ok %d - %s\n# found %s\n# not   %s" % (self.count, name, found, expected))


def main():
    results = Results()
    with tempfile.TemporaryDirectory() as root:
        for path, text in FILES.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        project = Project(root)
        for path, name, expected in SOURCES:
            results.equal("the file that defines %s is found" % name,
                          ways.source_of(project, path, name), expected)
        for name, expected in EXPECTED.items():
            results.equal("the measure " + name + " counts by its definition",
                          plain(getattr(counts, name)(project)), expected)
    other = "/** Inserts. */\nint pqt_tree_insert(void);"
    results.equal("a comment of an absent function is empty",
                  c_source.comment_of(other, "pqt_tree"), "")
    loader = importlib.machinery.SourceFileLoader("measure", os.path.join(HERE, "measure"))
    measure = importlib.util.module_from_spec(importlib.util.spec_from_loader("measure", loader))
    loader.exec_module(measure)
    pairs = [("src/a.c", "f"), ("src/a.c", "g"), ("src/a.h", "h")]
    results.equal("a way has functions of .c files, all functions, and files",
                  measure.cell_of_way(pairs), "2; 3; 2")
    measured = {name for _, names, _ in measure.ROWS for name in names}
    results.equal("each measure of the table states how it counts",
                  [name for name in sorted(measured) if not getattr(counts, name).__doc__], [])
    results.equal("each measure of the table is tested", sorted(measured - set(EXPECTED)), [])
    library = Project(measure.TOP)
    for name, requirement in NONE_IN_THE_LIBRARY.items():
        results.equal(requirement, measure.lines_of(library, name), [])
    print("1..%d" % results.count)


if __name__ == "__main__":
    main()

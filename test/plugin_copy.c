/* SPDX-License-Identifier: MIT */
/* plugin_copy.c: a plugin that contains its own copy of the library, next to the program's copy. */
#include <stdbool.h>
#include <stdio.h>

#include <pqt.h>

PQT_API bool copy_attach(bool attach);
PQT_API bool copy_works(int edits);

/* Attaches the calling thread to the collector of this copy, or detaches it. */
bool
copy_attach(bool attach)
{
    if (attach)
        return pqt_thread_attach(NULL);
    pqt_thread_detach();
    return true;
}

/* Makes `edits` versions that only the stack refers to. Returns true if they are correct. With
   enough edits, the collector runs. */
bool
copy_works(int edits)
{
    pqt_error error = {0};
    const pqt_tree *tree = pqt_tree_make((pqt_box){{0, 0}, {100, 100}}, NULL, &error);
    for (int i = 0; i < edits; i++) {
        const double x = i % 100, y = i / 100 % 100;
        tree = pqt_tree_insert(tree, (pqt_item){{{x, y}, {x, y}}, (uint64_t)i}, &error);
    }
    const bool right =
        tree != NULL && pqt_tree_count(tree) == (size_t)edits && pqt_tree_check(tree, &error);
    if (!right)
        fprintf(stderr, "# the copy: %s\n", error.text);
    return right;
}

/* SPDX-License-Identifier: MIT */
/* plugin_keeper.c: a plugin that refers to versions only from a static array. */
#include <stddef.h>

#include <pqt/tree.h>

enum { SLOTS = 64 };

static const pqt_tree *slots[SLOTS];

PQT_API const pqt_tree *plugin_keep(size_t slot, const pqt_tree *tree);

const pqt_tree *
plugin_keep(size_t slot, const pqt_tree *tree)
{
    if (tree != NULL)
        slots[slot] = tree;
    return slots[slot];
}

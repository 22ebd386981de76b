/* SPDX-License-Identifier: MIT */
/* shim_inspect.c: finds the cells of trees and counts the bytes of versions, for lib/inspect.js. */
#include "shim.h"

/* The layout of a cell in the buffer, as lib/inspect.js reads it. */
typedef struct sent_cell {
    double box[4];
    uint32_t kind, depth, count, block;
} sent_cell;

_Static_assert(sizeof(sent_cell) == 48, "as in lib/inspect.js");

static bool
append_cell(const pqt_cell *cell, void *context)
{
    (void)context;
    const pqt_box box = cell->box;
    const sent_cell sent = {{box.min.x, box.min.y, box.max.x, box.max.y},
                            (uint32_t)cell->kind,
                            (uint32_t)cell->depth,
                            (uint32_t)cell->count,
                            (uint32_t)(uintptr_t)cell->block};
    return append(&sent, sizeof sent);
}

/* Fills the buffer with the cells of a tree, or of the tree of a world. Returns the number of bytes
   written; -1 on failure. */
int32_t
EXPORT(pqtjs_cells)(int kind, pqt_pin *pin)
{
    const void *version = version_of(kind, pin);
    if (version == NULL)
        return -1;
    begin_append();
    if (!pqt_tree_visit_cells(kind == PQT_KIND_WORLD ? pqt_world_tree(version) : version,
                              append_cell, NULL))
        return -1;
    return pqtjs_appended();
}

/* Counts the bytes of a version that another version of its kind, if one is given, does not share.
   Returns -1 on failure. */
double
EXPORT(pqtjs_exclusive_bytes)(int kind, pqt_pin *pin, int has_other, pqt_pin *of_other)
{
    const void *version = version_of(kind, pin);
    const void *other = has_other ? version_of(kind, of_other) : NULL;
    if (version == NULL || (has_other && other == NULL))
        return -1;
    const size_t others = has_other ? 1 : 0;
    size_t bytes = 0;
    const bool done = pqt_version_exclusive_bytes(version, &other, others, &bytes, &failure);
    return done ? (double)bytes : -1;
}

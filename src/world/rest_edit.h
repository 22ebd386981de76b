/* SPDX-License-Identifier: MIT */
/* rest_edit.h: makes the version after an edit, and finds the bodies that the edit wakes. */
#ifndef PQTI_REST_EDIT_H
#define PQTI_REST_EDIT_H

#include "world/world_internal.h"

/* The parts of an edit of a world that concern bodies at rest. */
typedef struct pqti_rest_edit {
    /* Returns true if a body was removed or changed. NULL if no body was removed or changed. */
    bool (*is_edited)(uint64_t id, const void *context);
    const void *context;
    const pqti_body_edit *edits; /* edits whose bodies wake the sleeping bodies that they touch */
    size_t edit_count;
    bool is_of_obstacle; /* the obstacle changed: all bodies wake, and contacts with pixels end */
} pqti_rest_edit;

/* Sets *made to the states of `world` after an edit, without edited bodies and their contacts.
 * Bodies that wake keep their contacts and have no quiet steps. Returns false when out of
 * memory. */
bool pqti_rest_after_edit(const pqt_world *world, const pqti_rest_edit *edit,
                          pqti_rest_states *made);

/* Returns the version after an edit, with the given tree, bodies and totals. Returns NULL with an
 * error set when out of memory. */
const pqt_world *pqti_world_next(const pqt_world *world, const pqt_tree *tree, pqti_bodymap bodies,
                                 const pqti_body_totals *totals, const pqti_rest_edit *edit,
                                 pqt_error *error);

#endif

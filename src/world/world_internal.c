/* SPDX-License-Identifier: MIT */
/*
 * world_internal.c: checks input and allocates, for all functions that make a version of a world.
 */
#include "config.h"

#include "world/world_internal.h"

#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/error_internal.h"

bool
pqti_world_check_input_in(const char *function, const pqt_world *world, pqt_error *error)
{
    PQT_ASSERT_IN(function, world != NULL || pqti_may_be_null(error),
                  "the world is NULL, and no earlier error is set");
    if (world == NULL)
        return false;
    pqti_assert_world_alive(function, world);
    return pqti_may_compute(error);
}

const pqt_world *
pqti_world_make(const pqt_world *version, pqt_error *error)
{
    static pqti_layout layout =
        PQTI_VERSION_LAYOUT(pqti_world_calls, sizeof(pqt_world),
                            PQTI_REFERENCES(offsetof(pqt_world, tree), 1) |
                                PQTI_REFERENCES(offsetof(pqt_world, bodies), 3) |
                                PQTI_REFERENCES(offsetof(pqt_world, obstacle), 4));
    _Static_assert(sizeof(pqti_bodymap) == 3 * sizeof(void *),
                   "a body map does not consist of three references");
    _Static_assert(
        offsetof(pqt_world, rest) == offsetof(pqt_world, obstacle) + sizeof(void *) &&
            sizeof(pqti_rest_states) == 2 * sizeof(void *) &&
            offsetof(pqt_world, events) == offsetof(pqt_world, obstacle) + 3 * sizeof(void *),
        "the references to the states of rest and to the events do not follow the obstacle");
    PQT_INVARIANT(version->tree->count == pqti_bodymap_count(&version->bodies),
                  "the tree and the body map of a world differ in size");
    pqt_world *made = pqti_alloc_node(pqti_world_memory(version), &layout);
    if (made == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    *made = *version;
    made->version.sign = pqti_sign_of_new(pqti_world_memory(version), PQT_KIND_WORLD);
    return made;
}

/* SPDX-License-Identifier: MIT */
/*
 * shim_index.c: replaces the source of change indexes, which histories in JavaScript do not have.
 */
#include "config.h"

#include "never_called.h"
#include "version/history_internal.h"

NEVER_CALLED(bool, pqti_index_make, pqt_history *history, const void *first, pqt_error *error)

/* The library also calls this function for a history without an index. */

bool
pqti_index_seal(pqt_history *history, uint32_t slot, pqt_error *error)
{
    if (history->index != NULL)
        __builtin_trap();
    return true;
}

/* SPDX-License-Identifier: MIT */
/* shim_history.c: what lib/history.js asks of a history that was read from bytes. */
#include "shim.h"

#include "version/history_internal.h"

/* Numbers of entries are doubles in JavaScript, so a history whose next entries could have numbers
   that are not exact is refused. */
#define MOST_ENTRIES ((uint64_t)1 << 52)

/* Returns the kind of the versions of a history, a pqt_kind; -1 if its numbers are too large. */
int32_t
EXPORT(pqtjs_history_kind)(pqt_history *history)
{
    if (history->next_number <= MOST_ENTRIES)
        return (int32_t)pqt_kind_of(pqt_history_value(history));
    fail(PQT_ERROR_LIMIT, "the numbers of the entries are above 2^52");
    return -1;
}

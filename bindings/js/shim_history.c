/* SPDX-License-Identifier: MIT */
/* shim_history.c: writes histories as bytes and reads them, for lib/history.js. */
#include "shim.h"

#include "version/history_internal.h"

/* Numbers of entries pass through doubles, so a history whose next entries could have numbers that
   are not exact is refused. */
#define MOST_ENTRIES ((uint64_t)1 << 52)

/* Writes a history to the buffer. Returns the number of bytes; -1 on failure. */
int32_t
EXPORT(pqtjs_history_write)(pqt_history *history)
{
    begin_append();
    if (!is_history(history) || !pqt_history_write(history, flat_append, NULL, &failure))
        return -1;
    return pqtjs_appended();
}

static pqt_history *
read_history(size_t count, const pqt_history_options *options)
{
    source from = {0, count};
    pqt_memory *memory = memory_of_versions();
    pqt_history *history =
        memory == NULL ? NULL : pqt_history_read(read_bytes, &from, options, memory, &failure);
    if (history == NULL)
        return NULL;
    if (from.next < from.count)
        fail(PQT_ERROR_FORMAT, "bytes follow the history");
    else if (history->next_number > MOST_ENTRIES)
        fail(PQT_ERROR_LIMIT, "the numbers of the entries are above 2^52");
    else
        return history;
    pqt_history_destroy(&history);
    return NULL;
}

/* Reads a history from `count` bytes in the buffer. */
pqt_history *
EXPORT(pqtjs_history_read)(size_t count, double entries, double bytes)
{
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    if (!limit_from(entries, &options.max_entries) || !limit_from(bytes, &options.max_bytes))
        return NULL;
    pqt_history *history = read_history(count, &options);
    if (history == NULL && try_again())
        history = read_history(count, &options);
    keep(NULL);
    return history;
}

/* Returns the kind of the versions of a history, a pqt_kind. */
int32_t
EXPORT(pqtjs_history_kind)(pqt_history *history)
{
    return (int32_t)pqt_kind_of(pqt_history_value(history));
}

/* SPDX-License-Identifier: MIT */
/* flat_history_bytes.c: histories as bytes. pqt-trees.wasm has no such calls. */
#include "flat.h"

pqt_history *
flat_history_read(const char *bytes, size_t count, size_t entries, size_t limit, bool indexed,
                  pqt_memory *memory, pqt_error *error)
{
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.max_entries = entries;
    options.max_bytes = limit;
    options.indexed = indexed;
    flat_source from = {bytes, count};
    pqt_history *history = pqt_history_read(flat_read_source, &from, &options, memory, error);
    if (history == NULL || from.count == 0)
        return history;
    flat_fail(error, PQT_ERROR_FORMAT, 0, "bytes follow the history");
    pqt_history_destroy(&history);
    return NULL;
}

bool
flat_history_write(const pqt_history *history, void *out, pqt_error *error)
{
    return pqt_history_write(history, flat_append, out, error);
}

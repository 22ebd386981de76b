/* SPDX-License-Identifier: MIT */
/* flat_history_queries.c: what changed in a history, and when. pqt-trees.wasm has no such calls. */
#include "flat.h"

/* Appends an answer, if there is one. */
static bool
append_answer(const pqt_history_answer *answer, void *out)
{
    const uint64_t numbers[2] = {answer->entry, answer->before};
    return !answer->found ||
           (flat_append_change(&answer->change, out) && flat_append(numbers, sizeof numbers, out) &&
            flat_append(&answer->time, sizeof answer->time, out));
}

bool
flat_history_last_change(const pqt_history *history, bool has_part, const char *part, uint64_t tip,
                         const pqt_query *query, void *out, pqt_error *error)
{
    pqt_history_answer answer;
    return pqt_history_last_change(history, has_part ? part : NULL, tip, query, &answer, error) &&
           append_answer(&answer, out);
}

bool
flat_history_last_item_change(const pqt_history *history, bool has_part, const char *part,
                              uint64_t tip, uint64_t id, void *out, pqt_error *error)
{
    pqt_history_answer answer;
    return pqt_history_last_item_change(history, has_part ? part : NULL, tip, id, &answer, error) &&
           append_answer(&answer, out);
}

bool
flat_history_changes(const pqt_history *history, bool has_part, const char *part, uint64_t tip,
                     double from, double to, const pqt_query *query, void *out, pqt_error *error)
{
    return pqt_history_visit_changes(history, has_part ? part : NULL, tip, from, to, query,
                                     flat_append_change, out, error);
}

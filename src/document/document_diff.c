/* SPDX-License-Identifier: MIT */
/*
 * document_diff.c: visits the changes between two documents with the same schema.
 */
#include "config.h"

#include "document/document_internal.h"

#include "base/error_internal.h"

/* The state of a visit to the changes of one part. */
typedef struct document_diff {
    pqt_visit_document_change_fn *visit;
    void *context;
    pqt_document_change change;
} document_diff;

static bool
visit_difference(const pqti_difference *difference, void *context)
{
    document_diff *diff = context;
    diff->change.item = difference->item;
    diff->change.key = difference->key;
    diff->change.value = difference->value;
    diff->change.to_value = difference->to_value;
    return diff->visit(&diff->change, diff->context);
}

/* Visits the differences in a part, or the part itself if those of its kind are only counted. */
static bool
visit_part_changes(document_diff *diff, pqt_error *error)
{
    const pqt_document_change *change = &diff->change;
    const pqti_kind_calls *calls = pqti_calls_of(change->before);
    pqt_error failure = {0};
    if (change->before == change->after)
        return true;
    if (calls->visit_diff == NULL)
        return pqti_equals(change->before, change->after) || diff->visit(change, diff->context);
    if (calls->visit_diff(change->before, change->after, visit_difference, diff, &failure))
        return true;
    if (failure.status != PQT_OK)
        pqti_part_failed(error, change->part, &failure);
    return false;
}

bool
pqt_document_visit_diff(const pqt_document *before, const pqt_document *after,
                        pqt_visit_document_change_fn *visit, void *context, pqt_error *error)
{
    PQT_ASSERT(visit != NULL, "the visitor is NULL");
    if (!pqti_document_check_input(before, error) || !pqti_document_check_input(after, error) ||
        !pqti_check_schemas(before, after, error))
        return false;
    for (size_t i = 0; i < before->schema->count; i++) {
        document_diff diff = {visit,
                              context,
                              {.part = pqti_part_name_at(before, i),
                               .kind = pqti_part_kind_at(before, i),
                               .before = before->parts[i],
                               .after = after->parts[i]}};
        if (!visit_part_changes(&diff, error))
            return false;
    }
    return true;
}

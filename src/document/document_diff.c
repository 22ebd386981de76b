/* SPDX-License-Identifier: MIT */
/*
 * document_diff.c: visits the changes between two documents with the same schema.
 */
#include "config.h"

#include "document/document_internal.h"

#include <pqt/diff.h>

#include "base/error_internal.h"

/* The state of a visit to the changes of one part. */
typedef struct document_diff {
    pqt_visit_document_change_fn *visit;
    void *context;
    pqt_document_change change;
} document_diff;

static bool
visit_item(const pqt_change *item, void *context)
{
    document_diff *diff = context;
    diff->change.item = item;
    return diff->visit(&diff->change, diff->context);
}

static bool
visit_entry(const pqt_map_key *key, const pqt_map_value *before, const pqt_map_value *after,
            void *context)
{
    document_diff *diff = context;
    diff->change.key = key;
    diff->change.value = before;
    diff->change.to_value = after;
    return diff->visit(&diff->change, diff->context);
}

static bool
visit_tree_changes(document_diff *diff, pqt_error *error)
{
    pqt_error failure = {0};
    if (pqt_tree_visit_diff(diff->change.before, diff->change.after, NULL, visit_item, diff,
                            &failure))
        return true;
    if (failure.status != PQT_OK)
        pqti_part_failed(error, diff->change.part, &failure);
    return false;
}

static bool
visit_map_changes(document_diff *diff, pqt_error *error)
{
    const pqt_map *before = diff->change.before, *after = diff->change.after;
    return pqti_check_map_kinds(diff->change.part, before, after, error) &&
           pqt_map_visit_diff(before, after, visit_entry, diff);
}

static bool
visit_part_changes(document_diff *diff, pqt_error *error)
{
    const pqt_document_change *change = &diff->change;
    if (change->before == change->after)
        return true;
    if (change->kind == PQT_KIND_TREE)
        return visit_tree_changes(diff, error);
    if (change->kind == PQT_KIND_MAP)
        return visit_map_changes(diff, error);
    return pqti_equals(change->before, change->after) || diff->visit(change, diff->context);
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

/* SPDX-License-Identifier: MIT */
/*
 * history_trees.c: finds the trees in the versions of a history. An index covers these trees, and
 * queries name them.
 *
 * A version of a history of trees is a tree itself. A document may contain several trees. All
 * versions that an index covers have the same schema, so a given tree is at the same position among
 * the parts of each version.
 */
#include "config.h"

#include "version/history_internal.h"

#include <string.h>

#include "base/error_internal.h"
#include "document/document_internal.h"
#include "tree/algebra/same_depth.h"

bool
pqti_history_find_trees(pqt_history *history, const void *first, pqt_error *error)
{
    history->tree_count = pqti_history_has_trees(history);
    if (pqti_history_has_documents(history))
        for (size_t i = 0; i < pqt_document_count(first); i++)
            if (pqti_is_tree(first, i))
                history->tree_indices[history->tree_count++] = (uint8_t)i;
    if (history->tree_count > 0)
        return true;
    pqti_error_set(
        error, PQT_ERROR_OPTION, 0,
        "indexed: only a history of trees, or of documents with trees, can have an index");
    return false;
}

const pqt_tree *
pqti_history_tree_of(const pqt_history *history, const void *value, size_t tree)
{
    return pqti_history_has_trees(history)
               ? value
               : ((const pqt_document *)value)->parts[history->tree_indices[tree]];
}

static void
report_missing_tree(const pqt_history *history, const char *part, pqt_error *error)
{
    if (!pqti_history_has_trees(history) && !pqti_history_has_documents(history))
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "part: the history holds %s, which have no tree",
                       history->kind.name);
    else if (part == NULL)
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "part: it is NULL, but the documents do not have exactly one tree");
    else
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "part: the versions have no tree named %s",
                       part);
}

/* Returns the index of a tree among the parts of a document, or PQT_MAX_PARTS if there is none. */
static size_t
index_of_tree(const pqt_document *document, const char *part)
{
    size_t place = PQT_MAX_PARTS, trees = 0;
    for (size_t i = 0; i < document->schema->count; i++)
        if (pqti_is_tree(document, i) &&
            (part == NULL || strcmp(part, pqti_part_name_at(document, i)) == 0)) {
            place = i;
            trees++;
        }
    return trees == 1 ? place : PQT_MAX_PARTS;
}

bool
pqti_history_find_tree(const pqt_history *history, const char *part, size_t *tree, pqt_error *error)
{
    *tree = 0;
    if (pqti_history_has_trees(history) && part == NULL)
        return true;
    if (pqti_history_has_documents(history)) {
        const size_t place = index_of_tree(pqt_history_value(history), part);
        for (size_t i = 0; i < history->tree_count; i++)
            if (history->tree_indices[i] == place) {
                *tree = i;
                return true;
            }
    }
    report_missing_tree(history, part, error);
    return false;
}

const pqt_tree *
pqti_history_named_tree(const pqt_history *history, const void *value, const char *part,
                        pqt_error *error)
{
    if (pqti_history_has_trees(history) && part == NULL)
        return value;
    if (pqti_history_has_documents(history)) {
        const pqt_document *document = value;
        const size_t place = index_of_tree(document, part);
        if (place != PQT_MAX_PARTS)
            return document->parts[place];
    }
    report_missing_tree(history, part, error);
    return NULL;
}

/* Returns true if tree number `tree` of a version is comparable with that of the current version,
   which is loaded. Otherwise sets PQT_ERROR_MISMATCH; for a document, the message names the
   part. */
static bool
check_tree(const pqt_history *history, const void *value, size_t tree, pqt_error *error)
{
    pqt_error failure = {0};
    if (pqti_check_comparable(pqti_history_tree_of(history, pqt_history_value(history), tree),
                              pqti_history_tree_of(history, value, tree), &failure))
        return true;
    if (pqti_history_has_documents(history))
        pqti_part_failed(error, pqti_part_name_at(value, history->tree_indices[tree]), &failure);
    else
        pqti_error_set(error, failure.status, failure.index, "%s", failure.text);
    return false;
}

bool
pqti_history_check_trees(const pqt_history *history, const void *value, pqt_error *error)
{
    if (pqti_history_has_documents(history) &&
        !pqti_check_schemas(pqt_history_value(history), value, error))
        return false;
    for (size_t i = 0; i < history->tree_count; i++)
        if (!check_tree(history, value, i, error))
            return false;
    return true;
}

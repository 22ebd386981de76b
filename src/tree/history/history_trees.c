/* SPDX-License-Identifier: MIT */
/* history_trees.c: finds the trees in the versions of a history, which its queries name. */
#include "config.h"

#include "tree/history/tree_history.h"

#include <string.h>

#include "base/error_internal.h"
#include "tree/algebra/same_depth.h"

/* Returns how the versions of a history contain trees, or NULL if they do not. */
static const pqti_inner_trees *
inner_trees(const pqt_history *history)
{
    return history->versions == PQT_KIND_NONE ? NULL : pqti_calls_of_kind(history->versions)->trees;
}

/* Returns the index of a history that has one. */
static const pqti_tree_index *
index_of(const pqt_history *history)
{
    return (const pqti_tree_index *)history->index;
}

size_t
pqti_history_position_of_tree(const pqt_history *history, size_t tree)
{
    return index_of(history)->trees[tree].position;
}

const pqt_tree *
pqti_history_tree_of(const pqt_history *history, const void *value, size_t tree)
{
    const pqti_tree_index *index = index_of(history);
    return index->inner->at(value, index->trees[tree].position);
}

static void
report_missing_tree(const pqt_history *history, const char *part, pqt_error *error)
{
    if (inner_trees(history) == NULL)
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "part: the history holds %s, which have no tree",
                       history->kind.name);
    else if (part == NULL)
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "part: it is NULL, but the documents do not have exactly one tree");
    else
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "part: the versions have no tree named %s",
                       part);
}

/* A version that is a tree itself has no names. */
static bool
is_named(const pqti_inner_trees *trees, const void *value, size_t position, const char *part)
{
    const char *name = trees->name(value, position);
    return part == NULL || (name != NULL && strcmp(part, name) == 0);
}

/* Finds the only position of a tree with this name. Returns false if there is none, or several. */
static bool
find_position(const pqti_inner_trees *trees, const void *value, const char *part, size_t *position)
{
    size_t found = 0;
    for (size_t i = 0; i < trees->count(value); i++)
        if (trees->at(value, i) != NULL && is_named(trees, value, i, part)) {
            *position = i;
            found++;
        }
    return found == 1;
}

bool
pqti_history_find_tree(const pqt_history *history, const char *part, size_t *tree, pqt_error *error)
{
    const pqti_tree_index *index = index_of(history);
    size_t position = 0;
    if (find_position(index->inner, pqt_history_value(history), part, &position))
        for (size_t i = 0; i < index->count; i++)
            if (index->trees[i].position == position) {
                *tree = i;
                return true;
            }
    report_missing_tree(history, part, error);
    return false;
}

const pqt_tree *
pqti_history_named_tree(const pqt_history *history, const void *value, const char *part,
                        pqt_error *error)
{
    const pqti_inner_trees *trees = inner_trees(history);
    size_t position = 0;
    if (trees != NULL && find_position(trees, value, part, &position))
        return trees->at(value, position);
    report_missing_tree(history, part, error);
    return NULL;
}

/* Returns true if tree number `tree` of a version is comparable with that of the current version,
   which is loaded. Otherwise sets PQT_ERROR_MISMATCH; the message begins with the name. */
static bool
check_tree(const pqt_history *history, const void *value, size_t tree, pqt_error *error)
{
    pqt_error failure = {0};
    if (pqti_check_comparable(pqti_history_tree_of(history, pqt_history_value(history), tree),
                              pqti_history_tree_of(history, value, tree), &failure))
        return true;
    const pqti_tree_index *index = index_of(history);
    const char *name = index->inner->name(value, index->trees[tree].position);
    pqti_error_set(error, failure.status, failure.index, "%s%s%s", name == NULL ? "" : name,
                   name == NULL ? "" : ": ", failure.text);
    return false;
}

bool
pqti_history_check_trees(const pqt_history *history, const void *value, pqt_error *error)
{
    const pqti_tree_index *index = index_of(history);
    if (!index->inner->have_same_positions(pqt_history_value(history), value, error))
        return false;
    for (size_t i = 0; i < index->count; i++)
        if (!check_tree(history, value, i, error))
            return false;
    return true;
}

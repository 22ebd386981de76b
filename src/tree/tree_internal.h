/* SPDX-License-Identifier: MIT */
/*
 * tree_internal.h: the common parts of the functions that return a version, which check their input
 * first and allocate the version last.
 *
 * Source files in this folder without a header of their own: batch_distinct.c, batch_flatten.c,
 * batch_replay.c, cells.c, draft.c, extent.c, radix_sort.c, tree_check.c, tree_copy.c,
 * tree_stats.c.
 */
#ifndef PQTI_TREE_INTERNAL_H
#define PQTI_TREE_INTERNAL_H

#include "tree/node.h"

/* Does the same as pqt_tree_make. */
const pqt_tree *pqti_tree_make(const pqt_box *bounds, const pqt_tree_options *options,
                               pqt_error *error);

/* Makes a version from these parts. Returns NULL and sets the error if out of memory. */
const pqt_tree *pqti_version_of(const pqti_domain *domain, const pqti_node_ref *root,
                                const pqt_fingerprint *fingerprint, const void *ids,
                                pqt_error *error);

/*
 * Returns true if a public function may continue: `tree` is not NULL, and `error` holds no earlier
 * failure. If `tree` is NULL although `error` holds no failure, the caller of `function` has made a
 * mistake, and the program stops.
 */
bool pqti_check_input_in(const char *function, const pqt_tree *tree, pqt_error *error);

/* Does the same for a function that only reads, so that `tree` may be the view of a draft. */
bool pqti_check_read_in(const char *function, const pqt_tree *tree, pqt_error *error);

/* Do the same within the public function itself. */
#define pqti_check_input(tree, error) pqti_check_input_in(__func__, tree, error)
#define pqti_check_read(tree, error) pqti_check_read_in(__func__, tree, error)

/*
 * Returns true if one call may pass `count` items or changes. If `count` exceeds PQT_MAX_ITEMS,
 * sets an error and returns false.
 */
bool pqti_may_count(size_t count, pqt_error *error);

#endif

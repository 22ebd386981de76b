/* SPDX-License-Identifier: MIT */
/* tree_internal.c: checks the input of functions that return a version, and allocates versions. */
#include "config.h"

#include "tree/tree_internal.h"

#include <stddef.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/draft_state.h"
#include "tree/node.h"

static bool
is_null(const char *function, const pqt_tree *tree, const pqt_error *error)
{
    PQT_ASSERT_IN(function, tree != NULL || pqti_may_be_null(error),
                  "the tree is NULL, and no earlier error is set");
    return tree == NULL;
}

bool
pqti_check_read_in(const char *function, const pqt_tree *tree, pqt_error *error)
{
    if (is_null(function, tree, error))
        return false;
    pqti_assert_alive(function, tree);
    return pqti_may_compute(error);
}

bool
pqti_check_input_in(const char *function, const pqt_tree *tree, pqt_error *error)
{
    if (is_null(function, tree, error))
        return false;
    pqti_assert_version(function, PQT_KIND_TREE, tree);
    return pqti_may_compute(error);
}

/* Returns the block for a version. A draft has room for the next state of its tree. */
static pqt_tree *
alloc_version(const pqti_domain *domain)
{
    static pqti_layout layout = PQTI_WRITTEN_VERSION_LAYOUT(
        pqti_tree_calls, PQTI_VERSION_SIZE, PQTI_REFERENCES(offsetof(pqt_tree, domain), 3));
    return domain->draft != NULL ? domain->draft->next
                                 : pqti_alloc_node(domain->options.memory, &layout);
}

static uint32_t
sign_of_new(const pqti_domain *domain)
{
    return domain->draft != NULL ? PQTI_SIGN_OF(PQT_KIND_TREE) | PQTI_LIVES
                                 : pqti_sign_of_new(domain->options.memory, PQT_KIND_TREE);
}

const pqt_tree *
pqti_version_of(const pqti_domain *domain, const pqti_node_ref *root,
                const pqt_fingerprint *fingerprint, const void *ids, pqt_error *error)
{
    _Static_assert(sizeof(pqt_tree) <= PQTI_VERSION_SIZE &&
                       offsetof(pqt_tree, ids) + sizeof(void *) < PQTI_VERSION_SIZE,
                   "the last word of a version may hold a pointer");
    _Static_assert(offsetof(pqt_tree, ids) == offsetof(pqt_tree, domain) + 2 * sizeof(void *),
                   "domain, root and ids are not adjacent");
    PQT_INVARIANT((root->at == NULL) == (root->count == 0), "an empty root is not NULL");
    PQTI_DEBUG_ASSERT(pqti_node_ref_fingerprint(*root).low == fingerprint->low &&
                          pqti_node_ref_fingerprint(*root).high == fingerprint->high,
                      "the fingerprint of a version is not that of its root");
    pqt_tree *tree = alloc_version(domain);
    if (tree == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    *tree = (pqt_tree){
        .tagged_count = root->tagged_count & ~PQTI_HASH_BIT,
        .sign = sign_of_new(domain),
        .domain = domain,
        .root = root->at,
        .ids = ids,
        .fingerprint = *fingerprint,
    };
    return tree;
}

bool
pqti_may_count(size_t count, pqt_error *error)
{
    if (count <= PQT_MAX_ITEMS)
        return true;
    pqti_error_set(error, PQT_ERROR_LIMIT, 0,
                   "%zu items or changes in one call exceed the limit of %d", count, PQT_MAX_ITEMS);
    return false;
}

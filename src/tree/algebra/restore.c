/* SPDX-License-Identifier: MIT */
/*
 * restore.c - one region as it was, the rest as it is.
 *
 * Both versions are walked together. A part that no window reaches stays as it is now; one that
 * lies wholly inside in both becomes what it was; the others are entered. Where a leaf meets a
 * node, each side goes its own way, now's to what lies outside and old's to what lies inside, and
 * the two are united.
 */
#include "config.h"

#include <pqt/merge.h>

#include "base/error_internal.h"
#include "base/validate.h"
#include "memory/memory_internal.h"
#include "tree/algebra/conflict.h"
#include "tree/algebra/setops.h"
#include "tree/tree_internal.h"

typedef struct grafter {
    const pqti_space *space;
    const pqti_window *window;
} grafter;

static bool
may_find(const grafter *g, pqti_place place, pqti_ref ref, int i)
{
    return ref.count > 0 && pqti_may_find(pqti_sieve_at(g->window, place.strays), ref.at, i);
}

/* Whether a quarter has nothing that the query does not find. */
static bool
is_inside(const grafter *g, pqti_place place, pqti_ref ref, int i)
{
    if (pqti_child_at(ref, i).count == 0)
        return true;
    return g->window->query.filter == NULL &&
           pqti_is_inside(pqti_sieve_at(g->window, place.strays), ref.at, i);
}

static bool graft_at(const grafter *g, pqti_place place, pqti_ref now, pqti_ref old,
                     pqti_ref *result);

static bool
graft_part(const grafter *g, pqti_place place, pqti_ref now, pqti_ref old, int part,
           pqti_ref *result)
{
    *result = pqti_child_at(now, part);
    if (part != PQTI_BUCKET) {
        if (!may_find(g, place, now, part) && !may_find(g, place, old, part))
            return true;
        if (is_inside(g, place, now, part) && is_inside(g, place, old, part)) {
            if (!pqti_same(*result, pqti_child_at(old, part)))
                *result = pqti_child_at(old, part);
            return true;
        }
    }
    return graft_at(g, pqti_part_place(g->space, place, part), *result, pqti_child_at(old, part),
                    result);
}

static bool
graft_inner(const grafter *g, pqti_place place, pqti_ref now, pqti_ref old, pqti_ref *result)
{
    pqti_ref parts[PQTI_PARTS];
    pqti_count_inner(g->window->query.tally, now);
    pqti_count_inner(g->window->query.tally, old);
    for (int i = 0; i < PQTI_PARTS; i++)
        if (!graft_part(g, place, now, old, i, &parts[i]))
            return false;
    return pqti_join_or_take(g->space, place, parts, now, old, result);
}

static PQTI_NOINLINE bool
graft_deep(const grafter *g, pqti_place place, pqti_ref now, pqti_ref old, pqti_ref *result)
{
    pqti_division both;
    pqti_divide(&both, g->space, place, (pqti_ref[]){now, old}, 2);
    if (!graft_inner(g, both.at, both.node[0], both.node[1], result))
        return false;
    *result = pqti_undivided(&both, *result);
    return true;
}

static bool
graft_leaves(const grafter *g, pqti_place place, pqti_ref now, pqti_ref old, pqti_ref *result)
{
    pqti_list list = {0};
    *result = now;
    bool made = pqti_list_differences(&list, g->space, g->window, g->window->query.tally, place,
                                      now, old) &&
                pqti_list_edit(&list, g->space, place, result);
    pqti_list_free(&list);
    return made;
}

static bool
graft_mixed(const grafter *g, pqti_place place, pqti_ref now, pqti_ref old, pqti_ref *result)
{
    pqti_ref outside, inside;
    return graft_at(g, place, now, PQTI_EMPTY_REF, &outside) &&
           graft_at(g, place, PQTI_EMPTY_REF, old, &inside) &&
           pqti_combine(g->space, g->window->query.tally, PQTI_UNION, place, outside, inside,
                        result);
}

static bool
graft_at(const grafter *g, pqti_place place, pqti_ref now, pqti_ref old, pqti_ref *result)
{
    bool made;
    *result = now;
    if (pqti_same(now, old))
        return true;
    if (pqti_is_open(now) && pqti_is_open(old))
        made = (now.deep || old.deep ? graft_deep : graft_inner)(g, place, now, old, result);
    else if (pqti_is_small(now) && pqti_is_small(old))
        made = graft_leaves(g, place, now, old, result);
    else
        made = graft_mixed(g, place, now, old, result);
    if (made)
        *result = pqti_prefer(*result, now, old);
    return made;
}

/* Items that are elsewhere now, and of which another place comes back. */
static bool
list_elsewhere(const pqti_list *changes, const pqt_tree *now, const pqti_window *window,
               pqti_list *elsewhere)
{
    for (size_t i = 0; i < changes->count; i++) {
        pqt_item item;
        bool comes = !changes->removals[i];
        if (comes && pqti_ids_find(now->ids, changes->items[i].id, &item) &&
            !pqti_finds(window, &item) && !pqti_list_add(elsewhere, &item, true))
            return false;
    }
    return true;
}

/* With unique ids: `now` without what would be at two places. */
static const pqt_tree *
make_way(const pqt_tree *now, const pqt_tree *old, const pqti_window *window, pqt_error *error)
{
    pqti_list changes = {0}, elsewhere = {0};
    const pqt_tree *cleared = NULL;
    if (pqti_list_differences(&changes, now->space, window, window->query.tally, PQTI_ROOT,
                              pqti_root(now), pqti_root(old)) &&
        list_elsewhere(&changes, now, window, &elsewhere) && pqti_list_index(&elsewhere))
        cleared = pqti_settle(now, &elsewhere, error);
    else
        pqti_out_of_memory(error);
    pqti_list_free(&elsewhere);
    pqti_list_free(&changes);
    return cleared;
}

static const pqt_tree *
graft(const pqt_tree *now, const pqt_tree *old, const pqti_window *window, pqt_error *error)
{
    grafter g = {now->space, window};
    pqti_ref root;
    if (now->space->options.unique_ids)
        now = make_way(now, old, window, error);
    if (now == NULL || !pqti_has_room(now, now, old, window, error))
        return NULL;
    if (!graft_at(&g, PQTI_ROOT, pqti_root(now), pqti_root(old), &root)) {
        pqti_out_of_memory(error);
        return NULL;
    }
    return pqti_version_with(root, now, (const pqt_tree *[]){now, old}, 2, window->query.tally,
                             error);
}

const pqt_tree *
pqt_tree_graft(const pqt_tree *now, const pqt_tree *old, pqt_query query, pqt_error *error)
{
    if (!pqti_may_go_on(now, error) || !pqti_may_go_on(old, error) ||
        !pqti_window_admit(query.window, "window", &query.window, error) ||
        !pqti_match(now, old, error))
        return NULL;
    pqti_window window = pqti_window_of(now->space, query);
    const pqt_tree *made = graft(now, old, &window, error);
    pqti_keep(now);
    pqti_keep(old);
    return made;
}

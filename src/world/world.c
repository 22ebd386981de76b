/* SPDX-License-Identifier: MIT */
/*
 * world.c: makes, clears and searches worlds, and adds, removes and changes single bodies.
 *
 * A version holds each body twice: in the body map by its id, and as a box in the tree. The box
 * follows from the body, so the tree needs no id map of its own. The body map finds the body, from
 * which the box is computed.
 */
#include "config.h"

#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/error_internal.h"
#include "base/format_double.h"
#include "base/option_structs.h"
#include "tree/item_hash.h"
#include "tree/tree_internal.h"
#include "world/contact_events.h"
#include "world/rest_edit.h"

static bool
bounds_are_within_limit(pqt_box bounds, pqt_error *error)
{
    const double values[] = {bounds.min.x, bounds.min.y, bounds.max.x, bounds.max.y};
    for (size_t i = 0; i < 4; i++) {
        if (values[i] >= -PQTI_WORLD_LIMIT && values[i] <= PQTI_WORLD_LIMIT)
            continue;
        pqti_error_set(error, PQT_ERROR_LIMIT, 0, "bounds: %s is beyond 2^200",
                       pqti_format_double(values[i]).text);
        return false;
    }
    return true;
}

PQTI_DEFINE_OPTIONS(pqti_world_options, pqt_world_options, memory, PQT_WORLD_DEFAULTS);

const pqt_world *
pqt_world_make(pqt_box bounds, const pqt_world_options *options, pqt_error *error)
{
    pqt_tree_options tree_options = PQT_TREE_DEFAULTS;
    pqt_world_options converted;
    options = pqti_options_read(&pqti_world_options_layout, options, &converted, error);
    if (options == NULL)
        return NULL;
    tree_options.leaf_capacity = options->leaf_capacity;
    tree_options.max_depth = PQTI_WORLD_DEPTH;
    tree_options.memory = options->memory;
    const pqt_tree *tree = pqti_tree_make(&bounds, &tree_options, error);
    if (tree == NULL || !bounds_are_within_limit(bounds, error))
        return NULL;
    return pqti_world_make(&(pqt_world){.tree = tree, .walls = options->walls}, error);
}

/* Returns true if the body map `context` does not contain a body. */
static bool
is_absent(uint64_t id, const void *context)
{
    const pqti_bodymap *bodies = context;
    pqt_body body;
    return !pqti_bodymap_find(bodies, id, &body);
}

const pqt_world *
pqt_world_clear(const pqt_world *world, pqt_error *error)
{
    if (!pqti_world_check_input(world, error))
        return NULL;
    if (world->tree->count == 0)
        return world;
    const pqt_tree *tree = pqt_tree_clear(world->tree, error);
    if (tree == NULL)
        return NULL;
    const pqti_bodymap none = {NULL, NULL, NULL};
    const pqti_rest_edit edit = {.is_edited = is_absent, .context = &none};
    return pqti_world_next(world, tree, none, &(pqti_body_totals){.mobile = 0}, &edit, error);
}

/* ---- Changing one body ---- */

/* Returns the tree in which the item of `new` replaces the item of `old`. Either may be NULL. */
static const pqt_tree *
exchange_item(const pqt_tree *tree, const pqt_body *old, const pqt_body *new, pqt_error *error)
{
    pqt_item old_item, new_item;
    if (old != NULL)
        old_item = pqti_body_item(old->id, old->position, old->radius);
    if (new != NULL)
        new_item = pqti_body_item(new->id, new->position, new->radius);
    if (old == NULL)
        return pqt_tree_insert(tree, new_item, error);
    return new == NULL ? pqt_tree_remove(tree, old_item, error)
                       : pqt_tree_move(tree, old_item, new_item.box, error);
}

/* Returns true if an id equals *context. */
static bool
is_id(uint64_t id, const void *context)
{
    return id == *(const uint64_t *)context;
}

/* Returns the version in which `new` replaces `old`. Either may be NULL. */
static const pqt_world *
replace_body(const pqt_world *world, const pqt_body *old, const pqt_body *new, pqt_error *error)
{
    const pqt_tree *tree = exchange_item(world->tree, old, new, error);
    if (tree == NULL)
        return NULL;
    pqti_body_edit edit = pqti_body_edit_of(new != NULL ? new : old);
    pqti_body_totals totals = pqti_world_totals(world);
    pqti_bodymap bodies;
    edit.removal = new == NULL;
    if (!pqti_bodymap_edit(pqti_world_memory(world), &world->bodies, &edit, 1, &bodies)) {
        pqti_out_of_memory(error);
        return NULL;
    }
    if (old != NULL) {
        const pqti_body_edit before = pqti_body_edit_of(old);
        pqti_totals_subtract(&totals, &before);
    }
    if (new != NULL)
        pqti_totals_add(&totals, &edit);
    const pqti_rest_edit rest = {.is_edited = old == NULL ? NULL : is_id,
                                 .context = &edit.static_state.id,
                                 .edits = &edit,
                                 .edit_count = 1};
    return pqti_world_next(world, tree, bodies, &totals, &rest, error);
}

static bool
id_is_absent(const pqt_world *world, uint64_t id, size_t index, pqt_error *error)
{
    pqt_body existing;
    if (!pqti_bodymap_find(&world->bodies, id, &existing))
        return true;
    pqti_error_set(error, PQT_ERROR_BODY, index, "body %zu: id %llu already exists", index,
                   (unsigned long long)id);
    return false;
}

const pqt_world *
pqt_world_add(const pqt_world *world, pqt_body body, pqt_error *error)
{
    if (!pqti_world_check_input(world, error) ||
        !pqti_validate_body(world, &body, 0, &body, error) ||
        !id_is_absent(world, body.id, 0, error))
        return NULL;
    return replace_body(world, NULL, &body, error);
}

const pqt_world *
pqt_world_remove(const pqt_world *world, uint64_t id, pqt_error *error)
{
    pqt_body old;
    if (!pqti_world_check_input(world, error))
        return NULL;
    return pqti_bodymap_find(&world->bodies, id, &old) ? replace_body(world, &old, NULL, error)
                                                       : world;
}

const pqt_world *
pqt_world_change(const pqt_world *world, pqt_body body, pqt_error *error)
{
    pqt_body old;
    if (!pqti_world_check_input(world, error) || !pqti_validate_body(world, &body, 0, &body, error))
        return NULL;
    if (!pqti_bodymap_find(&world->bodies, body.id, &old))
        return world;
    pqti_body_edit before = pqti_body_edit_of(&old), after = pqti_body_edit_of(&body);
    if (pqti_same_states(&before, &after))
        return world;
    return replace_body(world, &old, &body, error);
}

/* ---- Search ---- */

typedef struct found_bodies {
    const pqt_world *world;
    pqti_body_edit *edits;
    size_t count;
    pqti_body_totals totals;
} found_bodies;

static bool
collect_found_body(const pqt_item *item, void *context)
{
    found_bodies *f = context;
    pqt_body body;
    bool found = pqti_bodymap_find(&f->world->bodies, item->id, &body);
    PQT_INVARIANT(found, "an item of a world's tree has no body");
    f->edits[f->count] = pqti_body_edit_of(&body);
    pqti_totals_add(&f->totals, &f->edits[f->count]);
    f->count++;
    return true;
}

static int
compare_body_edits(const void *a, const void *b)
{
    uint64_t key_a = ((const pqti_body_edit *)a)->key;
    uint64_t key_b = ((const pqti_body_edit *)b)->key;
    return key_a < key_b ? -1 : key_a > key_b;
}

/* Returns the world with the bodies whose items are in `tree`. */
static const pqt_world *
world_of_found(const pqt_world *world, const pqt_tree *tree, pqti_body_edit *edits,
               pqt_error *error)
{
    found_bodies f = {.world = world, .edits = edits};
    pqti_bodymap bodies;
    pqti_each_item(pqti_root(tree), collect_found_body, &f);
    qsort(edits, f.count, sizeof *edits, compare_body_edits);
    if (!pqti_bodymap_edit(pqti_world_memory(world), &(pqti_bodymap){NULL, NULL, NULL}, edits,
                           f.count, &bodies)) {
        pqti_out_of_memory(error);
        return NULL;
    }
    const pqti_rest_edit edit = {.is_edited = is_absent, .context = &bodies};
    return pqti_world_next(world, tree, bodies, &f.totals, &edit, error);
}

const pqt_world *
pqt_world_search(const pqt_world *world, const pqt_query *query, pqt_error *error)
{
    if (!pqti_world_check_input(world, error))
        return NULL;
    const pqt_tree *tree = pqt_tree_search(world->tree, query, error);
    if (tree == NULL || tree == world->tree)
        return tree == NULL ? NULL : world;
    pqti_body_edit *edits = pqti_alloc_scratch(pqt_tree_count(tree), sizeof *edits);
    if (edits == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    const pqt_world *next = world_of_found(world, tree, edits, error);
    pqti_free_scratch(edits);
    pqti_keep_alive(world);
    return next;
}

/* SPDX-License-Identifier: MIT */
/*
 * bodymap.c - the persistent map of bodies: making blocks, by edits, moves and copies.
 *
 * Every block that is made stands in the result: what becomes a leaf is never made in parts before,
 * and what comes out as it was is the block that was there.
 */
#include "config.h"

#include "world/bodymap.h"

#include <string.h>

#include "tree/key.h"
#include "world/bodymap_node.h"

/* ---- Making blocks ---- */

static const void *
make_traits(pqt_memory *memory, const pqti_trait *traits, uint64_t count)
{
    pqti_trait_leaf *leaf = pqti_leaf(memory, pqti_trait_leaf_size(count));
    if (leaf == NULL)
        return NULL;
    leaf->count = count;
    memcpy(leaf->traits, traits, (size_t)count * sizeof *traits);
    return leaf;
}

static const void *
make_motions(pqt_memory *memory, const pqti_body_state *motions, uint64_t count)
{
    pqti_body_state *leaf = pqti_leaf(memory, (size_t)count * sizeof *motions);
    if (leaf != NULL)
        memcpy(leaf, motions, (size_t)count * sizeof *motions);
    return leaf;
}

/* No block for no body. */
static bool
make_leaf(pqt_memory *memory, pqti_map_slice p, pqti_bodies *made)
{
    *made = (pqti_bodies){NULL, NULL};
    if (p.count == 0)
        return true;
    made->traits = make_traits(memory, p.traits, p.count);
    if (made->traits != NULL)
        made->motions = make_motions(memory, p.motion, p.count);
    return made->traits != NULL && made->motions != NULL;
}

static const void *
make_trait_node(pqt_memory *memory, const pqti_bodies child[PQTI_MAP_FANOUT])
{
    pqti_trait_node *node = pqti_node(memory, pqti_rounded(sizeof *node));
    for (int i = 0; node != NULL && i < PQTI_MAP_FANOUT; i++) {
        node->count += pqti_count_of(child[i].traits);
        node->child[i] = child[i].traits;
    }
    return node;
}

static const void *
make_motion_node(pqt_memory *memory, const pqti_bodies child[PQTI_MAP_FANOUT])
{
    pqti_motion_node *node = pqti_node(memory, pqti_rounded(sizeof *node));
    for (int i = 0; node != NULL && i < PQTI_MAP_FANOUT; i++)
        node->child[i] = child[i].motions;
    return node;
}

/* A node over children that come in the place of those of `old`, if that is a node: what it can
   share, it does. */
static bool
make_node(pqt_memory *memory, pqti_map_slice old, const pqti_bodies child[PQTI_MAP_FANOUT],
          pqti_bodies *made)
{
    bool same_traits = pqti_is_node(old), same_motions = pqti_is_node(old);
    for (unsigned i = 0; i < PQTI_MAP_FANOUT && pqti_is_node(old); i++) {
        pqti_bodies before = pqti_child_of(old, i);
        same_traits = same_traits && before.traits == child[i].traits;
        same_motions = same_motions && before.motions == child[i].motions;
    }
    *made = old.blocks;
    if (!same_traits)
        made->traits = make_trait_node(memory, child);
    if (!same_motions && made->traits != NULL)
        made->motions = make_motion_node(memory, child);
    return made->traits != NULL && made->motions != NULL;
}

/* ---- Editing ---- */

/* Bodies and edits on their way into one leaf. */
typedef struct merging {
    const pqti_body_edit *edit, *end; /* those still to come */
    pqti_trait traits[PQTI_BODIES_LEAF];
    pqti_body_state motions[PQTI_BODIES_LEAF];
    size_t count;
} merging;

/* The functions of merging return false where a leaf cannot hold what is merged. */
static bool
merge_body(merging *m, const pqti_trait *trait, const pqti_body_state *motion)
{
    if (m->count == PQTI_BODIES_LEAF)
        return false;
    m->traits[m->count] = *trait;
    m->motions[m->count++] = *motion;
    return true;
}

static bool
merge_edit(merging *m)
{
    const pqti_body_edit *edit = m->edit++;
    return edit->removal || merge_body(m, &edit->trait, &edit->motion);
}

/* A body that was there, after the edits before it; an edit of its own id overrules it. */
static bool
merge_old(const pqti_trait *trait, const pqti_body_state *motion, void *context)
{
    merging *m = context;
    uint64_t key = pqti_map_key_of(trait);
    while (m->edit < m->end && m->edit->key < key)
        if (!merge_edit(m))
            return false;
    return (m->edit < m->end && m->edit->key == key) || merge_body(m, trait, motion);
}

/* Blocks that come out as they were are kept as they were. */
static bool
make_merged(pqt_memory *memory, pqti_map_slice old, const merging *m, pqti_bodies *edited)
{
    pqti_map_slice new = {{NULL, NULL}, m->traits, m->motions, m->count};
    if (old.count != m->count || old.blocks.traits == NULL ||
        memcmp(old.traits, m->traits, m->count * sizeof *m->traits) != 0)
        return make_leaf(memory, new, edited);
    *edited = old.blocks;
    if (memcmp(old.motion, m->motions, m->count * sizeof *m->motions) != 0)
        edited->motions = make_motions(memory, m->motions, m->count);
    return edited->motions != NULL;
}

/*
 * Makes the leaf of a pqti_map_slice and its edits; *fits is false, and nothing made, if it would
 * be
   too large.
 */
static PQTI_NOINLINE bool
edit_as_leaf(pqt_memory *memory, pqti_map_slice p, const pqti_body_edit *edits, size_t count,
             bool *fits, pqti_bodies *edited)
{
    merging m = {.edit = edits, .end = edits + count};
    *fits = pqti_stretch_visit(p, merge_old, &m);
    while (*fits && m.edit < m.end)
        *fits = merge_edit(&m);
    if (!*fits)
        return true;
    return make_merged(memory, pqti_is_node(p) ? (pqti_map_slice){.count = 0} : p, &m, edited);
}

static bool edit(pqt_memory *memory, pqti_map_slice p, unsigned level, const pqti_body_edit *edits,
                 size_t count, pqti_bodies *edited);

static bool
edit_parts(pqt_memory *memory, pqti_map_slice p, unsigned level, const pqti_body_edit *edits,
           size_t count, pqti_bodies *edited)
{
    pqti_map_slice parts[PQTI_MAP_FANOUT];
    pqti_bodies child[PQTI_MAP_FANOUT];
    size_t from = 0;
    pqti_split(p, level, parts);
    for (unsigned i = 0; i < PQTI_MAP_FANOUT; i++) {
        size_t to = from;
        while (to < count && pqti_digit_of(edits[to].key, level) == i)
            to++;
        if (!edit(memory, parts[i], level + 1, edits + from, to - from, &child[i]))
            return false;
        from = to;
    }
    return make_node(memory, p, child, edited);
}

static bool
edit(pqt_memory *memory, pqti_map_slice p, unsigned level, const pqti_body_edit *edits,
     size_t count, pqti_bodies *edited)
{
    *edited = p.blocks;
    if (count == 0)
        return p.blocks.traits != NULL || make_leaf(memory, p, edited);
    bool fits = false;
    if (p.count <= PQTI_BODIES_LEAF + count && /* else removals cannot make it a leaf */
        !edit_as_leaf(memory, p, edits, count, &fits, edited))
        return false;
    return fits || edit_parts(memory, p, level, edits, count, edited);
}

bool
pqti_bodies_edit(pqt_memory *memory, pqti_bodies bodies, const pqti_body_edit *edits, size_t count,
                 pqti_bodies *edited)
{
    return edit(memory, pqti_stretch_of(bodies), 0, edits, count, edited);
}

/* ---- Moving and copying ---- */

static bool
move_part(pqt_memory *memory, pqti_map_slice p, const pqti_body_state **next, pqti_bodies *moved)
{
    pqti_bodies child[PQTI_MAP_FANOUT];
    *moved = p.blocks;
    if (!pqti_is_node(p)) {
        const pqti_body_state *motions = *next;
        *next += p.count;
        if (p.count > 0 && memcmp(motions, p.motion, (size_t)p.count * sizeof *motions) != 0)
            moved->motions = make_motions(memory, motions, p.count);
        return p.count == 0 || moved->motions != NULL;
    }
    for (unsigned i = 0; i < PQTI_MAP_FANOUT; i++)
        if (!move_part(memory, pqti_stretch_of(pqti_child_of(p, i)), next, &child[i]))
            return false;
    return make_node(memory, p, child, moved);
}

bool
pqti_bodies_move(pqt_memory *memory, pqti_bodies bodies, const pqti_body_state *motions,
                 pqti_bodies *moved)
{
    return move_part(memory, pqti_stretch_of(bodies), &motions, moved);
}

bool
pqti_bodies_copy(pqt_memory *memory, pqti_bodies bodies, pqti_bodies *copy)
{
    pqti_bodies child[PQTI_MAP_FANOUT];
    pqti_map_slice p = pqti_stretch_of(bodies);
    if (!pqti_is_node(p))
        return make_leaf(memory, p, copy);
    for (unsigned i = 0; i < PQTI_MAP_FANOUT; i++)
        if (!pqti_bodies_copy(memory, pqti_child_of(p, i), &child[i]))
            return false;
    return make_node(memory, (pqti_map_slice){.count = 0}, child, copy);
}

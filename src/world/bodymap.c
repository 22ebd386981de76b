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

#include "tree/item_hash.h"
#include "tree/key.h"

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

/*
 * One body: as the caller gives it, and as the map of bodies keeps it.
 *
 * A body's fingerprint is a chain over its numbers, as an item's is (item_hash.h). The chain over
 * what does not change as it moves is kept beside it, so a step takes up the chain from there.
 */

uint64_t
pqti_trait_stir(const pqti_trait *trait)
{
    const uint64_t odd = UINT64_C(0x9e6c63d0876a9a47);
    uint64_t state = pqti_stir(UINT64_C(0xb5297a4d3f84d5a3), trait->id, odd);
    state = pqti_stir(state, pqti_bits_of(trait->radius), odd);
    state = pqti_stir(state, pqti_bits_of(trait->mass), odd);
    state = pqti_stir(state, pqti_bits_of(trait->acceleration.x), odd);
    state = pqti_stir(state, pqti_bits_of(trait->acceleration.y), odd);
    return pqti_stir(state, trait->fixed, odd);
}

static uint64_t
stir_motion(uint64_t state, const pqti_body_state *motion, uint64_t odd)
{
    state = pqti_stir(state, pqti_bits_of(motion->position.x), odd);
    state = pqti_stir(state, pqti_bits_of(motion->position.y), odd);
    state = pqti_stir(state, pqti_bits_of(motion->velocity.x), odd);
    return pqti_finish(pqti_stir(state, pqti_bits_of(motion->velocity.y), odd));
}

pqt_fingerprint
pqti_body_fingerprint(uint64_t stir, const pqti_body_state *motion)
{
    return (pqt_fingerprint){stir_motion(stir, motion, UINT64_C(0xd6e8feb86659fd93)),
                             stir_motion(pqti_finish(stir), motion, UINT64_C(0xaf251af3b0f025b5))};
}

pqti_body_edit
pqti_body_edit_of(const pqt_body *body)
{
    pqti_body_edit edit = {
        .key = pqti_id_key(body->id),
        .trait = {.id = body->id,
                  .radius = body->radius,
                  .mass = body->mass,
                  .acceleration = body->acceleration,
                  .fixed = body->fixed},
        .motion = {body->position, body->velocity},
    };
    edit.trait.stir = pqti_trait_stir(&edit.trait);
    return edit;
}

pqt_body
pqti_body_of(const pqti_trait *trait, const pqti_body_state *motion)
{
    return (pqt_body){.id = trait->id,
                      .position = motion->position,
                      .velocity = motion->velocity,
                      .acceleration = trait->acceleration,
                      .radius = trait->radius,
                      .mass = trait->mass,
                      .fixed = trait->fixed != 0};
}

/* Walks over the map of bodies: finding, comparing, checking, counting bytes. */

size_t
pqti_bodies_count(pqti_bodies bodies)
{
    return (size_t)pqti_count_of(bodies.traits);
}

bool
pqti_bodies_find(pqti_bodies bodies, uint64_t id, pqt_body *found)
{
    uint64_t key = pqti_id_key(id);
    pqti_map_slice p = pqti_stretch_of(bodies);
    for (unsigned level = 0; pqti_is_node(p); level++)
        p = pqti_stretch_of(pqti_child_of(p, pqti_digit_of(key, level)));
    for (uint64_t i = 0; i < p.count; i++) {
        if (p.traits[i].id == id) {
            *found = pqti_body_of(&p.traits[i], &p.motion[i]);
            return true;
        }
    }
    return false;
}

/* ---- Walks ---- */

bool
pqti_stretch_visit(pqti_map_slice p, pqti_visit_trait_fn *visit, void *context)
{
    if (pqti_is_node(p)) {
        for (unsigned i = 0; i < PQTI_MAP_FANOUT; i++)
            if (!pqti_stretch_visit(pqti_stretch_of(pqti_child_of(p, i)), visit, context))
                return false;
        return true;
    }
    for (uint64_t i = 0; i < p.count; i++)
        if (!visit(&p.traits[i], &p.motion[i], context))
            return false;
    return true;
}

bool
pqti_bodies_visit(pqti_bodies bodies, pqti_visit_trait_fn *visit, void *context)
{
    return pqti_stretch_visit(pqti_stretch_of(bodies), visit, context);
}

/* Two stretches side by side, in key order. */
static bool
compare_leaves(pqti_map_slice a, pqti_map_slice b, pqti_visit_change_fn *visit, void *context)
{
    uint64_t i = 0, j = 0;
    while (i < a.count || j < b.count) {
        bool from_a = i < a.count && (j == b.count || pqti_map_key_of(&a.traits[i]) <=
                                                          pqti_map_key_of(&b.traits[j]));
        bool from_b = j < b.count && (i == a.count || pqti_map_key_of(&b.traits[j]) <=
                                                          pqti_map_key_of(&a.traits[i]));
        bool same = from_a && from_b && memcmp(&a.traits[i], &b.traits[j], sizeof *a.traits) == 0 &&
                    memcmp(&a.motion[i], &b.motion[j], sizeof *a.motion) == 0;
        pqt_body body_a = {0}, body_b = {0};
        if (from_a)
            body_a = pqti_body_of(&a.traits[i], &a.motion[i]);
        if (from_b)
            body_b = pqti_body_of(&b.traits[j], &b.motion[j]);
        if (!same && !visit(from_a ? &body_a : NULL, from_b ? &body_b : NULL, context))
            return false;
        i += from_a;
        j += from_b;
    }
    return true;
}

static bool
compare(pqti_map_slice a, pqti_map_slice b, unsigned level, pqti_visit_change_fn *visit,
        void *context)
{
    if (a.blocks.traits != NULL && a.blocks.traits == b.blocks.traits &&
        a.blocks.motions == b.blocks.motions)
        return true;
    if (!pqti_is_node(a) && !pqti_is_node(b))
        return compare_leaves(a, b, visit, context);
    pqti_map_slice parts_a[PQTI_MAP_FANOUT], parts_b[PQTI_MAP_FANOUT];
    pqti_split(a, level, parts_a);
    pqti_split(b, level, parts_b);
    for (int i = 0; i < PQTI_MAP_FANOUT; i++)
        if (!compare(parts_a[i], parts_b[i], level + 1, visit, context))
            return false;
    return true;
}

bool
pqti_bodies_compare(pqti_bodies a, pqti_bodies b, pqti_visit_change_fn *visit, void *context)
{
    return compare(pqti_stretch_of(a), pqti_stretch_of(b), 0, visit, context);
}

/* ---- Checking ---- */

/* Keys above `level` agree with `prefix`, and rise. */
static bool
check_leaf(pqti_map_slice p, unsigned level, uint64_t prefix)
{
    for (uint64_t i = 0; i < p.count; i++) {
        uint64_t key = pqti_map_key_of(&p.traits[i]);
        if (level > 0 && (key ^ prefix) >> (64 - PQTI_WAY_BITS * level) != 0)
            return false;
        if ((i > 0 && key <= pqti_map_key_of(&p.traits[i - 1])) ||
            p.traits[i].stir != pqti_trait_stir(&p.traits[i]))
            return false;
    }
    return true;
}

static bool
check_part(pqti_map_slice p, unsigned level, uint64_t prefix)
{
    if ((p.blocks.traits == NULL) != (p.blocks.motions == NULL) ||
        (p.count == 0) != (p.blocks.traits == NULL))
        return false;
    if (!pqti_is_node(p))
        return check_leaf(p, level, prefix);
    if (level == PQTI_WAY_LEVELS) /* no key has bits for its parts */
        return false;
    uint64_t count = 0;
    for (unsigned i = 0; i < PQTI_MAP_FANOUT; i++) {
        pqti_map_slice child = pqti_stretch_of(pqti_child_of(p, i));
        uint64_t below = prefix | (uint64_t)i << (64 - PQTI_WAY_BITS) >> (PQTI_WAY_BITS * level);
        if (!check_part(child, level + 1, below))
            return false;
        count += child.count;
    }
    return count == p.count;
}

bool
pqti_bodies_check(pqti_bodies bodies)
{
    return check_part(pqti_stretch_of(bodies), 0, 0);
}

/* ---- Bytes ---- */

static size_t
trait_bytes(const pqt_memory *memory, pqti_map_slice p)
{
    size_t asked =
        pqti_is_node(p) ? pqti_rounded(sizeof(pqti_trait_node)) : pqti_trait_leaf_size(p.count);
    return p.count == 0 ? 0 : pqti_block_size(memory, p.blocks.traits, asked);
}

static size_t
motion_bytes(const pqt_memory *memory, pqti_map_slice p)
{
    size_t asked = pqti_is_node(p) ? pqti_rounded(sizeof(pqti_motion_node))
                                   : (size_t)p.count * sizeof(pqti_body_state);
    return p.count == 0 ? 0 : pqti_block_size(memory, p.blocks.motions, asked);
}

/* The bytes of those blocks of `a` that stand in `b` at the same place. */
size_t
pqti_bodies_shared_bytes(const pqt_memory *memory, pqti_bodies a, pqti_bodies b)
{
    pqti_map_slice p = pqti_stretch_of(a), q = pqti_stretch_of(b);
    size_t bytes = 0;
    if (a.traits == b.traits)
        bytes += trait_bytes(memory, p);
    if (a.motions == b.motions)
        bytes += motion_bytes(memory, p);
    for (unsigned i = 0; i < PQTI_MAP_FANOUT && pqti_is_node(p) && pqti_is_node(q); i++)
        bytes += pqti_bodies_shared_bytes(memory, pqti_child_of(p, i), pqti_child_of(q, i));
    return bytes;
}

/* The parts of the others where one of `bodies` stands; returns how many are there. */
static size_t
children_of(const pqti_bodies *others, size_t count, unsigned way, pqti_bodies *children)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (pqti_is_node(pqti_stretch_of(others[i])))
            children[found++] = pqti_child_of(pqti_stretch_of(others[i]), way);
    return found;
}

/* What is shared is shared with all below it, of each trie by itself. */
size_t
pqti_bodies_bytes_beside(const pqt_memory *memory, pqti_bodies bodies, const pqti_bodies *others,
                         size_t count, pqti_bodies *slices, size_t width)
{
    const pqti_map_slice p = pqti_stretch_of(bodies);
    bool traits_shared = false, motions_shared = false;
    for (size_t i = 0; i < count; i++) {
        traits_shared = traits_shared || others[i].traits == bodies.traits;
        motions_shared = motions_shared || others[i].motions == bodies.motions;
    }
    if (traits_shared && motions_shared)
        return 0;
    size_t bytes = traits_shared ? 0 : trait_bytes(memory, p);
    bytes += motions_shared ? 0 : motion_bytes(memory, p);
    for (unsigned way = 0; way < PQTI_MAP_FANOUT && pqti_is_node(p); way++) {
        const size_t found = children_of(others, count, way, slices);
        bytes += pqti_bodies_bytes_beside(memory, pqti_child_of(p, way), slices, found,
                                          slices + width, width);
    }
    return bytes;
}

/* SPDX-License-Identifier: MIT */
/* bodymap_read.c - walks over the map of bodies: finding, comparing, checking, counting bytes. */
#include "config.h"

#include <string.h>

#include "world/bodymap_node.h"

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

/* SPDX-License-Identifier: MIT */
/*
 * bodymap.c: the persistent body map: edits, moves, copies, traversals.
 *
 * Every block that is made becomes part of the result: a leaf is never first made in pieces, and an
 * unchanged block is shared.
 */
#include "config.h"

#include "world/bodymap.h"

#include <string.h>

#include "tree/item_hash.h"
#include "tree/key.h"

/* ---- Making blocks ---- */

static const void *
make_static_leaf(pqt_memory *memory, const pqti_body_static *static_states, uint64_t count)
{
    PQT_INVARIANT(count <= PQTI_BODYMAP_LEAF, "a leaf of the body map is too large");
    pqti_body_static_leaf *leaf = pqti_alloc_leaf(memory, pqti_body_static_leaf_size(count));
    if (leaf == NULL)
        return NULL;
    leaf->count = count;
    memcpy(leaf->statics, static_states, (size_t)count * sizeof *static_states);
    return leaf;
}

static const void *
make_dynamic_leaf(pqt_memory *memory, const pqti_body_dynamic *dynamic_states, uint64_t count)
{
    pqti_body_dynamic *leaf = pqti_alloc_leaf(memory, (size_t)count * sizeof *dynamic_states);
    if (leaf != NULL)
        memcpy(leaf, dynamic_states, (size_t)count * sizeof *dynamic_states);
    return leaf;
}

/* Makes no block if there is no body. */
static bool
make_bodymap_leaf(pqt_memory *memory, pqti_bodymap_node p, pqti_bodymap *made)
{
    *made = (pqti_bodymap){NULL, NULL};
    if (p.count == 0)
        return true;
    made->statics = make_static_leaf(memory, p.statics, p.count);
    if (made->statics != NULL)
        made->dynamics = make_dynamic_leaf(memory, p.dynamics, p.count);
    return made->statics != NULL && made->dynamics != NULL;
}

static const void *
make_static_node(pqt_memory *memory, const pqti_bodymap child[PQTI_BODYMAP_BRANCHES])
{
    static pqti_layout layout =
        PQTI_LAYOUT(sizeof(pqti_body_static_node),
                    PQTI_REFERENCES(offsetof(pqti_body_static_node, child), PQTI_BODYMAP_BRANCHES));
    pqti_body_static_node *node = pqti_alloc_node(memory, &layout);
    for (int i = 0; node != NULL && i < PQTI_BODYMAP_BRANCHES; i++) {
        node->count += pqti_bodymap_block_count(child[i].statics);
        node->child[i] = child[i].statics;
    }
    return node;
}

static const void *
make_dynamic_node(pqt_memory *memory, const pqti_bodymap child[PQTI_BODYMAP_BRANCHES])
{
    static pqti_layout layout = PQTI_LAYOUT(
        sizeof(pqti_body_dynamic_node),
        PQTI_REFERENCES(offsetof(pqti_body_dynamic_node, child), PQTI_BODYMAP_BRANCHES));
    pqti_body_dynamic_node *node = pqti_alloc_node(memory, &layout);
    for (int i = 0; node != NULL && i < PQTI_BODYMAP_BRANCHES; i++)
        node->child[i] = child[i].dynamics;
    return node;
}

/* Makes a node with the given children, or shares the blocks of `old` if they have the same. */
static bool
make_bodymap_inner(pqt_memory *memory, pqti_bodymap_node old,
                   const pqti_bodymap child[PQTI_BODYMAP_BRANCHES], pqti_bodymap *made)
{
    bool same_statics = pqti_bodymap_is_inner(old), same_dynamics = pqti_bodymap_is_inner(old);
    for (unsigned i = 0; i < PQTI_BODYMAP_BRANCHES && pqti_bodymap_is_inner(old); i++) {
        pqti_bodymap before = pqti_bodymap_child(old, i);
        same_statics = same_statics && before.statics == child[i].statics;
        same_dynamics = same_dynamics && before.dynamics == child[i].dynamics;
    }
    *made = old.blocks;
    if (!same_statics)
        made->statics = make_static_node(memory, child);
    if (!same_dynamics && made->statics != NULL)
        made->dynamics = make_dynamic_node(memory, child);
    return made->statics != NULL && made->dynamics != NULL;
}

/* ---- Edits ---- */

/* The bodies and edits that are merged into one leaf. */
typedef struct leaf_merge {
    const pqti_body_edit *edit, *end; /* the remaining edits */
    pqti_body_static statics[PQTI_BODYMAP_LEAF];
    pqti_body_dynamic dynamics[PQTI_BODYMAP_LEAF];
    size_t count;
} leaf_merge;

/* The merge_ functions return false if a leaf cannot hold the result. */
static bool
merge_body(leaf_merge *m, const pqti_body_static *static_state,
           const pqti_body_dynamic *dynamic_state)
{
    if (m->count == PQTI_BODYMAP_LEAF)
        return false;
    m->statics[m->count] = *static_state;
    m->dynamics[m->count++] = *dynamic_state;
    return true;
}

static bool
merge_body_edit(leaf_merge *m)
{
    const pqti_body_edit *edit = m->edit++;
    return edit->removal || merge_body(m, &edit->static_state, &edit->dynamic_state);
}

/* Merges a body of the old leaf, after the edits with smaller keys. An edit of its own id replaces
 * it. */
static bool
merge_old_body(const pqti_body_static *static_state, const pqti_body_dynamic *dynamic_state,
               void *context)
{
    leaf_merge *m = context;
    uint64_t key = pqti_body_static_key(static_state);
    while (m->edit < m->end && m->edit->key < key)
        if (!merge_body_edit(m))
            return false;
    return (m->edit < m->end && m->edit->key == key) || merge_body(m, static_state, dynamic_state);
}

/* Makes the merged leaf; shares the old block of static states, or of both, if it is equal. */
static bool
make_merged_leaf(pqt_memory *memory, pqti_bodymap_node old, const leaf_merge *m,
                 pqti_bodymap *edited)
{
    pqti_bodymap_node new = {{NULL, NULL}, m->statics, m->dynamics, m->count};
    if (old.count != m->count || old.blocks.statics == NULL ||
        memcmp(old.statics, m->statics, m->count * sizeof *m->statics) != 0)
        return make_bodymap_leaf(memory, new, edited);
    *edited = old.blocks;
    if (memcmp(old.dynamics, m->dynamics, m->count * sizeof *m->dynamics) != 0)
        edited->dynamics = make_dynamic_leaf(memory, m->dynamics, m->count);
    return edited->dynamics != NULL;
}

/* Makes the leaf of a slice and its edits. If it would be too large, sets *fits to false and makes
 * nothing. */
static PQTI_NOINLINE bool
edit_bodymap_as_leaf(pqt_memory *memory, pqti_bodymap_node p, const pqti_body_edit *edits,
                     size_t count, bool *fits, pqti_bodymap *edited)
{
    leaf_merge m = {.edit = edits, .end = edits + count};
    *fits = pqti_bodymap_node_visit(p, merge_old_body, &m);
    while (*fits && m.edit < m.end)
        *fits = merge_body_edit(&m);
    if (!*fits)
        return true;
    return make_merged_leaf(memory, pqti_bodymap_is_inner(p) ? (pqti_bodymap_node){.count = 0} : p,
                            &m, edited);
}

static bool edit_bodymap_node(pqt_memory *memory, pqti_bodymap_node p, unsigned level,
                              const pqti_body_edit *edits, size_t count, pqti_bodymap *edited);

static bool
edit_bodymap_children(pqt_memory *memory, pqti_bodymap_node p, unsigned level,
                      const pqti_body_edit *edits, size_t count, pqti_bodymap *edited)
{
    pqti_bodymap_node children[PQTI_BODYMAP_BRANCHES];
    pqti_bodymap child[PQTI_BODYMAP_BRANCHES];
    size_t from = 0;
    pqti_bodymap_split(p, level, children);
    for (unsigned i = 0; i < PQTI_BODYMAP_BRANCHES; i++) {
        size_t to = from;
        while (to < count && pqti_bodymap_digit(edits[to].key, level) == i)
            to++;
        if (!edit_bodymap_node(memory, children[i], level + 1, edits + from, to - from, &child[i]))
            return false;
        from = to;
    }
    return make_bodymap_inner(memory, p, child, edited);
}

static bool
edit_bodymap_node(pqt_memory *memory, pqti_bodymap_node p, unsigned level,
                  const pqti_body_edit *edits, size_t count, pqti_bodymap *edited)
{
    *edited = p.blocks;
    if (count == 0)
        return p.blocks.statics != NULL || make_bodymap_leaf(memory, p, edited);
    bool fits = false;
    if (p.count <= PQTI_BODYMAP_LEAF + count && /* else removals cannot make it a leaf */
        !edit_bodymap_as_leaf(memory, p, edits, count, &fits, edited))
        return false;
    return fits || edit_bodymap_children(memory, p, level, edits, count, edited);
}

static inline bool
edits_ascend(const pqti_body_edit *edits, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (edits[i - 1].key >= edits[i].key)
            return false;
    return true;
}

bool
pqti_bodymap_edit(pqt_memory *memory, pqti_bodymap bodies, const pqti_body_edit *edits,
                  size_t count, pqti_bodymap *edited)
{
    PQT_INVARIANT(edits_ascend(edits, count), "edits of bodies are not in key order");
    return edit_bodymap_node(memory, pqti_bodymap_node_of(bodies), 0, edits, count, edited);
}

/* ---- Moves and copies ---- */

static bool
move_bodymap_node(pqt_memory *memory, pqti_bodymap_node p, const pqti_body_dynamic **next,
                  pqti_bodymap *moved)
{
    pqti_bodymap child[PQTI_BODYMAP_BRANCHES];
    *moved = p.blocks;
    if (!pqti_bodymap_is_inner(p)) {
        const pqti_body_dynamic *dynamic_states = *next;
        *next += p.count;
        if (p.count > 0 &&
            memcmp(dynamic_states, p.dynamics, (size_t)p.count * sizeof *dynamic_states) != 0)
            moved->dynamics = make_dynamic_leaf(memory, dynamic_states, p.count);
        return p.count == 0 || moved->dynamics != NULL;
    }
    for (unsigned i = 0; i < PQTI_BODYMAP_BRANCHES; i++)
        if (!move_bodymap_node(memory, pqti_bodymap_node_of(pqti_bodymap_child(p, i)), next,
                               &child[i]))
            return false;
    return make_bodymap_inner(memory, p, child, moved);
}

bool
pqti_bodymap_move(pqt_memory *memory, pqti_bodymap bodies, const pqti_body_dynamic *dynamic_states,
                  pqti_bodymap *moved)
{
    return move_bodymap_node(memory, pqti_bodymap_node_of(bodies), &dynamic_states, moved);
}

bool
pqti_bodymap_copy(pqt_memory *memory, pqti_bodymap bodies, pqti_bodymap *copy)
{
    pqti_bodymap child[PQTI_BODYMAP_BRANCHES];
    pqti_bodymap_node p = pqti_bodymap_node_of(bodies);
    if (!pqti_bodymap_is_inner(p))
        return make_bodymap_leaf(memory, p, copy);
    for (unsigned i = 0; i < PQTI_BODYMAP_BRANCHES; i++)
        if (!pqti_bodymap_copy(memory, pqti_bodymap_child(p, i), &child[i]))
            return false;
    return make_bodymap_inner(memory, (pqti_bodymap_node){.count = 0}, child, copy);
}

/*
 * Bodies: the caller's form, and the form in the body map.
 *
 * The fingerprint of a body is a hash chain over its numbers, as for an item (item_hash.h). The
 * chain over the static state is stored, so a step continues it from there.
 */

uint64_t
pqti_body_static_hash(const pqti_body_static *static_state)
{
    const uint64_t odd = UINT64_C(0x9e6c63d0876a9a47);
    uint64_t state = pqti_hash_combine(UINT64_C(0xb5297a4d3f84d5a3), static_state->id, odd);
    state = pqti_hash_combine(state, pqti_bits_of(static_state->radius), odd);
    state = pqti_hash_combine(state, pqti_bits_of(static_state->mass), odd);
    state = pqti_hash_combine(state, pqti_bits_of(static_state->acceleration.x), odd);
    state = pqti_hash_combine(state, pqti_bits_of(static_state->acceleration.y), odd);
    state = pqti_hash_combine(state, static_state->fixed, odd);
    return pqti_hash_combine(state, static_state->user_data, odd);
}

static uint64_t
hash_dynamic_state(uint64_t state, const pqti_body_dynamic *dynamic_state, uint64_t odd)
{
    state = pqti_hash_combine(state, pqti_bits_of(dynamic_state->position.x), odd);
    state = pqti_hash_combine(state, pqti_bits_of(dynamic_state->position.y), odd);
    state = pqti_hash_combine(state, pqti_bits_of(dynamic_state->velocity.x), odd);
    return pqti_hash_mix64(pqti_hash_combine(state, pqti_bits_of(dynamic_state->velocity.y), odd));
}

pqt_fingerprint
pqti_body_fingerprint(uint64_t static_hash, const pqti_body_dynamic *dynamic_state)
{
    return (pqt_fingerprint){
        hash_dynamic_state(static_hash, dynamic_state, UINT64_C(0xd6e8feb86659fd93)),
        hash_dynamic_state(pqti_hash_mix64(static_hash), dynamic_state,
                           UINT64_C(0xaf251af3b0f025b5))};
}

pqti_body_edit
pqti_body_edit_of(const pqt_body *body)
{
    pqti_body_edit edit = {
        .key = pqti_id_key(body->id),
        .static_state = {.id = body->id,
                         .radius = body->radius,
                         .mass = body->mass,
                         .acceleration = body->acceleration,
                         .fixed = body->fixed,
                         .user_data = body->user_data},
        .dynamic_state = {body->position, body->velocity},
    };
    edit.static_state.static_hash = pqti_body_static_hash(&edit.static_state);
    return edit;
}

pqt_body
pqti_body_of(const pqti_body_static *static_state, const pqti_body_dynamic *dynamic_state)
{
    return (pqt_body){.id = static_state->id,
                      .position = dynamic_state->position,
                      .velocity = dynamic_state->velocity,
                      .acceleration = static_state->acceleration,
                      .radius = static_state->radius,
                      .mass = static_state->mass,
                      .fixed = static_state->fixed != 0,
                      .user_data = static_state->user_data};
}

/* Traversals of the body map: find, compare, check, count bytes. */

size_t
pqti_bodymap_count(pqti_bodymap bodies)
{
    return (size_t)pqti_bodymap_block_count(bodies.statics);
}

bool
pqti_bodymap_find(pqti_bodymap bodies, uint64_t id, pqt_body *found)
{
    uint64_t key = pqti_id_key(id);
    pqti_bodymap_node p = pqti_bodymap_node_of(bodies);
    for (unsigned level = 0; pqti_bodymap_is_inner(p); level++)
        p = pqti_bodymap_node_of(pqti_bodymap_child(p, pqti_bodymap_digit(key, level)));
    for (uint64_t i = 0; i < p.count; i++) {
        if (p.statics[i].id == id) {
            *found = pqti_body_of(&p.statics[i], &p.dynamics[i]);
            return true;
        }
    }
    return false;
}

/* ---- Visits ---- */

bool
pqti_bodymap_node_visit(pqti_bodymap_node p, pqti_visit_body_static_fn *visit, void *context)
{
    if (pqti_bodymap_is_inner(p)) {
        for (unsigned i = 0; i < PQTI_BODYMAP_BRANCHES; i++)
            if (!pqti_bodymap_node_visit(pqti_bodymap_node_of(pqti_bodymap_child(p, i)), visit,
                                         context))
                return false;
        return true;
    }
    for (uint64_t i = 0; i < p.count; i++)
        if (!visit(&p.statics[i], &p.dynamics[i], context))
            return false;
    return true;
}

bool
pqti_bodymap_visit(pqti_bodymap bodies, pqti_visit_body_static_fn *visit, void *context)
{
    return pqti_bodymap_node_visit(pqti_bodymap_node_of(bodies), visit, context);
}

/* Merge-joins two leaf slices in key order. */
static bool
compare_leaves(pqti_bodymap_node a, pqti_bodymap_node b, pqti_visit_change_fn *visit, void *context)
{
    uint64_t i = 0, j = 0;
    while (i < a.count || j < b.count) {
        bool from_a = i < a.count && (j == b.count || pqti_body_static_key(&a.statics[i]) <=
                                                          pqti_body_static_key(&b.statics[j]));
        bool from_b = j < b.count && (i == a.count || pqti_body_static_key(&b.statics[j]) <=
                                                          pqti_body_static_key(&a.statics[i]));
        bool same = from_a && from_b &&
                    memcmp(&a.statics[i], &b.statics[j], sizeof *a.statics) == 0 &&
                    memcmp(&a.dynamics[i], &b.dynamics[j], sizeof *a.dynamics) == 0;
        pqt_body body_a = {0}, body_b = {0};
        if (from_a)
            body_a = pqti_body_of(&a.statics[i], &a.dynamics[i]);
        if (from_b)
            body_b = pqti_body_of(&b.statics[j], &b.dynamics[j]);
        if (!same && !visit(from_a ? &body_a : NULL, from_b ? &body_b : NULL, context))
            return false;
        i += from_a;
        j += from_b;
    }
    return true;
}

static bool
compare_bodymap_nodes(pqti_bodymap_node a, pqti_bodymap_node b, unsigned level,
                      pqti_visit_change_fn *visit, void *context)
{
    if (a.blocks.statics != NULL && a.blocks.statics == b.blocks.statics &&
        a.blocks.dynamics == b.blocks.dynamics)
        return true;
    if (!pqti_bodymap_is_inner(a) && !pqti_bodymap_is_inner(b))
        return compare_leaves(a, b, visit, context);
    pqti_bodymap_node children_a[PQTI_BODYMAP_BRANCHES], children_b[PQTI_BODYMAP_BRANCHES];
    pqti_bodymap_split(a, level, children_a);
    pqti_bodymap_split(b, level, children_b);
    for (int i = 0; i < PQTI_BODYMAP_BRANCHES; i++)
        if (!compare_bodymap_nodes(children_a[i], children_b[i], level + 1, visit, context))
            return false;
    return true;
}

bool
pqti_bodymap_compare(pqti_bodymap a, pqti_bodymap b, pqti_visit_change_fn *visit, void *context)
{
    return compare_bodymap_nodes(pqti_bodymap_node_of(a), pqti_bodymap_node_of(b), 0, visit,
                                 context);
}

/* ---- Check ---- */

/* Checks that the keys agree with `prefix` above `level`, and ascend. */
static bool
check_bodymap_leaf(pqti_bodymap_node p, unsigned level, uint64_t prefix)
{
    for (uint64_t i = 0; i < p.count; i++) {
        uint64_t key = pqti_body_static_key(&p.statics[i]);
        if (level > 0 && (key ^ prefix) >> (64 - PQTI_BODYMAP_BITS * level) != 0)
            return false;
        if ((i > 0 && key <= pqti_body_static_key(&p.statics[i - 1])) ||
            p.statics[i].static_hash != pqti_body_static_hash(&p.statics[i]))
            return false;
    }
    return true;
}

static bool
check_bodymap_node(pqti_bodymap_node p, unsigned level, uint64_t prefix)
{
    if ((p.blocks.statics == NULL) != (p.blocks.dynamics == NULL) ||
        (p.count == 0) != (p.blocks.statics == NULL))
        return false;
    if (!pqti_bodymap_is_inner(p))
        return check_bodymap_leaf(p, level, prefix);
    if (level == PQTI_BODYMAP_LEVELS) /* a key has no more bits */
        return false;
    uint64_t count = 0;
    for (unsigned i = 0; i < PQTI_BODYMAP_BRANCHES; i++) {
        pqti_bodymap_node child = pqti_bodymap_node_of(pqti_bodymap_child(p, i));
        uint64_t below =
            prefix | (uint64_t)i << (64 - PQTI_BODYMAP_BITS) >> (PQTI_BODYMAP_BITS * level);
        if (!check_bodymap_node(child, level + 1, below))
            return false;
        count += child.count;
    }
    return count == p.count;
}

bool
pqti_bodymap_check(pqti_bodymap bodies)
{
    return check_bodymap_node(pqti_bodymap_node_of(bodies), 0, 0);
}

/* ---- Bytes ---- */

static size_t
static_block_bytes(const pqt_memory *memory, pqti_bodymap_node p)
{
    size_t size = pqti_bodymap_is_inner(p) ? pqti_rounded(sizeof(pqti_body_static_node))
                                           : pqti_body_static_leaf_size(p.count);
    return p.count == 0 ? 0 : pqti_block_size(memory, p.blocks.statics, size);
}

static size_t
dynamic_block_bytes(const pqt_memory *memory, pqti_bodymap_node p)
{
    size_t size = pqti_bodymap_is_inner(p) ? pqti_rounded(sizeof(pqti_body_dynamic_node))
                                           : (size_t)p.count * sizeof(pqti_body_dynamic);
    return p.count == 0 ? 0 : pqti_block_size(memory, p.blocks.dynamics, size);
}

/* Counts the blocks of `a` that are at the same position in `b`. */
size_t
pqti_bodymap_shared_bytes(const pqt_memory *memory, pqti_bodymap a, pqti_bodymap b)
{
    pqti_bodymap_node p = pqti_bodymap_node_of(a), q = pqti_bodymap_node_of(b);
    size_t bytes = 0;
    if (a.statics == b.statics)
        bytes += static_block_bytes(memory, p);
    if (a.dynamics == b.dynamics)
        bytes += dynamic_block_bytes(memory, p);
    for (unsigned i = 0;
         i < PQTI_BODYMAP_BRANCHES && pqti_bodymap_is_inner(p) && pqti_bodymap_is_inner(q); i++)
        bytes +=
            pqti_bodymap_shared_bytes(memory, pqti_bodymap_child(p, i), pqti_bodymap_child(q, i));
    return bytes;
}

/* Collects child i of each of the others that is a node; returns their number. */
static size_t
bodymap_children_of(const pqti_bodymap *others, size_t count, unsigned branch,
                    pqti_bodymap *children)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (pqti_bodymap_is_inner(pqti_bodymap_node_of(others[i])))
            children[found++] = pqti_bodymap_child(pqti_bodymap_node_of(others[i]), branch);
    return found;
}

/* A shared block is shared with all blocks below it, separately in each trie. */
size_t
pqti_bodymap_exclusive_bytes(const pqt_memory *memory, pqti_bodymap bodies,
                             const pqti_bodymap *others, size_t count, pqti_bodymap *slices,
                             size_t width)
{
    const pqti_bodymap_node p = pqti_bodymap_node_of(bodies);
    bool statics_shared = false, dynamics_shared = false;
    for (size_t i = 0; i < count; i++) {
        statics_shared = statics_shared || others[i].statics == bodies.statics;
        dynamics_shared = dynamics_shared || others[i].dynamics == bodies.dynamics;
    }
    if (statics_shared && dynamics_shared)
        return 0;
    size_t bytes = statics_shared ? 0 : static_block_bytes(memory, p);
    bytes += dynamics_shared ? 0 : dynamic_block_bytes(memory, p);
    for (unsigned branch = 0; branch < PQTI_BODYMAP_BRANCHES && pqti_bodymap_is_inner(p);
         branch++) {
        const size_t found = bodymap_children_of(others, count, branch, slices);
        bytes += pqti_bodymap_exclusive_bytes(memory, pqti_bodymap_child(p, branch), slices, found,
                                              slices + width, width);
    }
    return bytes;
}

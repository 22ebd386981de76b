/* SPDX-License-Identifier: MIT */
/*
 * bodymap.c: edits, moves, copies and traverses the persistent body map.
 *
 * The algorithms are in map/trie_template.h. A reference names a block of static states, and the
 * blocks of dynamic states and of spins at the same position. An edit or a move makes new blocks
 * only for the parts that change.
 */
#include "config.h"

#include "world/bodymap.h"

#include <math.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/prefetch.h"
#include "tree/item_hash.h"
#include "tree/key.h"

enum { TRIE_BITS = 2, TRIE_LEAF = PQTI_BODYMAP_LEAF, TRIE_LEVELS = 32, TRIE_PARTS = 3 };

enum { STATICS, DYNAMICS, SPINS }; /* the three parts of a reference */

_Static_assert(1 << TRIE_BITS == PQTI_BODYMAP_BRANCHES,
               "the numbers of children and digits differ");
_Static_assert(PQTI_BODYMAP_LEVEL_COUNTS == TRIE_LEVELS + 1,
               "the numbers of slices and levels differ");

typedef pqti_bodymap bodymap_ref;
typedef pqti_body_entry bodymap_entries;
typedef uint64_t bodymap_key;
typedef pqti_body_edit bodymap_edit;

typedef struct bodymap_leaf_buffer {
    pqti_body_static statics[TRIE_LEAF];
    pqti_body_dynamic dynamics[TRIE_LEAF];
    pqti_body_spin spins[TRIE_LEAF];
} bodymap_leaf_buffer;

typedef struct pqt_memory bodymap_memory;

#define TRIE_NUMBER_KEYS
#define TRIE_NAME(name) bodymap_##name
#define TRIE_EDITS
#define TRIE_VISITS
#define TRIE_COMPARES
#define TRIE_DIFFS
#define TRIE_CHECKS
#define TRIE_BYTES
#include "map/trie_template.h"

/* ---- Blocks ---- */

static inline bodymap_ref
bodymap_nothing(void)
{
    return (bodymap_ref){NULL, NULL, NULL};
}

static inline bool
bodymap_is_block(bodymap_ref ref)
{
    return ref.statics != NULL;
}

static inline bool
bodymap_same_block(bodymap_ref a, bodymap_ref b)
{
    return a.statics == b.statics && a.dynamics == b.dynamics && a.spins == b.spins;
}

static inline uint64_t
bodymap_count(bodymap_ref ref)
{
    return ref.statics == NULL ? 0 : *(const uint64_t *)ref.statics;
}

static inline bodymap_ref
bodymap_child(bodymap_ref ref, unsigned i)
{
    const pqti_body_static_node *statics = ref.statics;
    const pqti_body_dynamic_node *dynamics = ref.dynamics, *spins = ref.spins;
    return (bodymap_ref){statics->child[i], dynamics->child[i],
                         spins == NULL ? NULL : spins->child[i]};
}

static inline bodymap_entries
bodymap_leaf_entries(bodymap_ref ref)
{
    const pqti_body_static_leaf *leaf = ref.statics;
    return (bodymap_entries){leaf == NULL ? NULL : leaf->statics, ref.dynamics, ref.spins};
}

static inline bodymap_entries
bodymap_entry_at(bodymap_entries entries, uint64_t i)
{
    return i == 0 ? entries
                  : (bodymap_entries){entries.statics + i, entries.dynamics + i,
                                      entries.spins == NULL ? NULL : entries.spins + i};
}

static inline bodymap_key
bodymap_entry_key(bodymap_entries entry)
{
    return pqti_id_key(entry.statics->id);
}

static inline size_t
static_leaf_size(size_t count)
{
    return pqti_rounded(sizeof(pqti_body_static_leaf) + count * sizeof(pqti_body_static));
}

static const void *
make_static_leaf(pqt_memory *memory, const pqti_body_static *static_states, size_t count)
{
    PQT_INVARIANT(count <= TRIE_LEAF, "a leaf of the body map is too large");
    pqti_body_static_leaf *leaf = pqti_alloc_leaf(memory, static_leaf_size(count));
    if (leaf == NULL)
        return NULL;
    leaf->count = count;
    memcpy(leaf->statics, static_states, count * sizeof *static_states);
    return leaf;
}

static const void *
make_dynamic_leaf(pqt_memory *memory, const pqti_body_dynamic *dynamic_states, size_t count)
{
    pqti_body_dynamic *leaf = pqti_alloc_leaf(memory, count * sizeof *dynamic_states);
    if (leaf != NULL)
        memcpy(leaf, dynamic_states, count * sizeof *dynamic_states);
    return leaf;
}

static bool
spin_is_zero(const pqti_body_spin *spin)
{
    return spin->angle == 0 && spin->velocity == 0;
}

/* Sets *made to a leaf of spins. Sets it to NULL if all spins are 0, and to `old` if the spins in
 * `old` are the same. `spins` and `old` may be NULL. Returns false when out of memory. */
static bool
make_spin_leaf(pqt_memory *memory, const pqti_body_spin *spins, size_t count,
               const pqti_body_spin *old, const void **made)
{
    size_t turning = 0;
    for (size_t i = 0; spins != NULL && i < count; i++)
        turning += !spin_is_zero(&spins[i]);
    *made = turning == 0 ? NULL : old;
    if (turning == 0 || (old != NULL && memcmp(old, spins, count * sizeof *spins) == 0))
        return true;
    pqti_body_spin *leaf = pqti_alloc_leaf(memory, count * sizeof *spins);
    if (leaf != NULL)
        memcpy(leaf, spins, count * sizeof *spins);
    *made = leaf;
    return leaf != NULL;
}

/* Makes a leaf, or no block if there is no body. */
static bool
make_bodymap_leaf(pqt_memory *memory, bodymap_entries entries, size_t count, bodymap_ref *made)
{
    *made = bodymap_nothing();
    if (count == 0)
        return true;
    made->statics = make_static_leaf(memory, entries.statics, count);
    if (made->statics != NULL)
        made->dynamics = make_dynamic_leaf(memory, entries.dynamics, count);
    return made->statics != NULL && made->dynamics != NULL &&
           make_spin_leaf(memory, entries.spins, count, NULL, &made->spins);
}

/* ---- Summaries ---- */

/* The exponent of the radius 0. */
enum { NO_RADIUS = INT16_MIN };

/* Returns the least exponent of 2 that gives at least the radius, or nearly so. */
static int16_t
exponent_of(double radius)
{
    int exponent;
    (void)frexp(radius, &exponent);
    return radius == 0 ? NO_RADIUS : (int16_t)exponent;
}

static int16_t
larger_exponent(int16_t a, int16_t b)
{
    return a > b ? a : b;
}

static pqti_body_summary
join_summaries(pqti_body_summary a, pqti_body_summary b)
{
    return (pqti_body_summary){a.movable + b.movable,
                               larger_exponent(a.movable_exponent, b.movable_exponent),
                               larger_exponent(a.exponent, b.exponent)};
}

static pqti_body_summary
summary_of_state(const pqti_body_static *static_state)
{
    const bool is_movable = (static_state->roles & (PQTI_FIXED | PQTI_KINEMATIC)) == 0;
    const int16_t exponent = exponent_of(static_state->radius);
    return (pqti_body_summary){is_movable, is_movable ? exponent : NO_RADIUS, exponent};
}

static pqti_body_summary
summary_of(bodymap_ref ref)
{
    pqti_body_summary sum = {0, NO_RADIUS, NO_RADIUS};
    const trie_slice slice = trie_slice_of(ref);
    if (trie_is_inner(&slice))
        return ((const pqti_body_static_node *)ref.statics)->summary;
    for (uint64_t i = 0; i < slice.count; i++)
        sum = join_summaries(sum, summary_of_state(&slice.entries.statics[i]));
    return sum;
}

static pqti_body_summary
summary_of_children(const bodymap_ref child[TRIE_WAYS])
{
    pqti_body_summary sum = {0, NO_RADIUS, NO_RADIUS};
    for (unsigned i = 0; i < TRIE_WAYS; i++)
        sum = join_summaries(sum, summary_of(child[i]));
    return sum;
}

static bool
is_velocity(const pqti_body_dynamic *dynamic_state)
{
    return dynamic_state->velocity.x != 0 || dynamic_state->velocity.y != 0;
}

/* Returns true if a velocity in a subtree is not 0 or, for spins, an angular velocity. */
static bool
is_in_motion(bodymap_ref ref, int part)
{
    const void *block = part == SPINS ? ref.spins : ref.dynamics;
    const trie_slice slice = trie_slice_of(ref);
    bool any = false;
    if (block == NULL)
        return false;
    if (trie_is_inner(&slice))
        return ((const pqti_body_dynamic_node *)block)->is_in_motion != 0;
    for (uint64_t i = 0; i < slice.count && !any; i++)
        any = part == SPINS ? slice.entries.spins[i].velocity != 0
                            : is_velocity(&slice.entries.dynamics[i]);
    return any;
}

static bool
any_is_in_motion(const bodymap_ref child[TRIE_WAYS], int part)
{
    bool any = false;
    for (unsigned i = 0; i < TRIE_WAYS && !any; i++)
        any = is_in_motion(child[i], part);
    return any;
}

/* ---- Nodes ---- */

static const void *
make_static_node(pqt_memory *memory, const bodymap_ref child[TRIE_WAYS], uint64_t count)
{
    static pqti_layout layout =
        PQTI_LAYOUT(sizeof(pqti_body_static_node),
                    PQTI_REFERENCES(offsetof(pqti_body_static_node, child), TRIE_WAYS));
    pqti_body_static_node *node = pqti_alloc_node(memory, &layout);
    if (node == NULL)
        return NULL;
    node->count = count;
    for (unsigned i = 0; i < TRIE_WAYS; i++)
        node->child[i] = child[i].statics;
    node->summary = summary_of_children(child);
    return node;
}

/* Makes a node of dynamic states or spins. */
static const void *
make_dynamic_node(pqt_memory *memory, const bodymap_ref child[TRIE_WAYS], int part)
{
    static pqti_layout layout =
        PQTI_LAYOUT(sizeof(pqti_body_dynamic_node),
                    PQTI_REFERENCES(offsetof(pqti_body_dynamic_node, child), TRIE_WAYS));
    pqti_body_dynamic_node *node = pqti_alloc_node(memory, &layout);
    if (node == NULL)
        return NULL;
    for (unsigned i = 0; i < TRIE_WAYS; i++)
        node->child[i] = part == SPINS ? child[i].spins : child[i].dynamics;
    node->is_in_motion = any_is_in_motion(child, part);
    node->unused = 0;
    return node;
}

/* ---- Edits ---- */

static inline void
bodymap_keep(bodymap_leaf_buffer *room, size_t i, bodymap_entries entry)
{
    room->statics[i] = *entry.statics;
    room->dynamics[i] = *entry.dynamics;
    room->spins[i] = entry.spins == NULL ? (pqti_body_spin){0, 0} : *entry.spins;
}

static inline void
bodymap_put(bodymap_leaf_buffer *room, size_t i, const bodymap_edit *edit)
{
    room->statics[i] = edit->static_state;
    room->dynamics[i] = edit->dynamic_state;
    room->spins[i] = edit->spin;
}

/* Lets each edit replace the entry: bodymap_make_leaf detects edits that change nothing. */
static inline bool
bodymap_overrules(const bodymap_edit *edit, bodymap_entries entry)
{
    (void)edit;
    (void)entry;
    return true;
}

/* Shares the old block of static states if it is equal, and in that case also the equal blocks of
 * the other parts. */
static inline bool
bodymap_make_leaf(bodymap_memory *memory, const trie_slice *old, bodymap_leaf_buffer *room,
                  size_t count, bodymap_ref *made)
{
    if (old->count != count || !bodymap_is_block(old->ref) ||
        memcmp(old->entries.statics, room->statics, count * sizeof *room->statics) != 0)
        return make_bodymap_leaf(
            memory, (bodymap_entries){room->statics, room->dynamics, room->spins}, count, made);
    *made = old->ref;
    if (memcmp(old->entries.dynamics, room->dynamics, count * sizeof *room->dynamics) != 0)
        made->dynamics = make_dynamic_leaf(memory, room->dynamics, count);
    return made->dynamics != NULL &&
           make_spin_leaf(memory, room->spins, count, old->entries.spins, &made->spins);
}

static inline bool
bodymap_make_slice(bodymap_memory *memory, const trie_slice *slice, bodymap_ref *made)
{
    return make_bodymap_leaf(memory, slice->entries, (size_t)slice->count, made);
}

/* Shares the old block of each part whose children are the same. */
static inline bool
bodymap_make_inner(bodymap_memory *memory, const trie_slice *old,
                   const bodymap_ref child[TRIE_WAYS], uint64_t count, bodymap_ref *made)
{
    const bool was_inner = trie_is_inner(old);
    bool same_statics = was_inner, same_dynamics = was_inner;
    bool same_spins = was_inner && old->ref.spins != NULL, any_spins = false;
    for (unsigned i = 0; i < TRIE_WAYS; i++) {
        const bodymap_ref before = was_inner ? bodymap_child(old->ref, i) : bodymap_nothing();
        same_statics = same_statics && before.statics == child[i].statics;
        same_dynamics = same_dynamics && before.dynamics == child[i].dynamics;
        same_spins = same_spins && before.spins == child[i].spins;
        any_spins = any_spins || child[i].spins != NULL;
    }
    *made = old->ref;
    if (!same_statics)
        made->statics = make_static_node(memory, child, count);
    if (!same_dynamics && made->statics != NULL)
        made->dynamics = make_dynamic_node(memory, child, DYNAMICS);
    if (made->statics == NULL || made->dynamics == NULL)
        return false;
    if (!any_spins)
        made->spins = NULL;
    else if (!same_spins)
        made->spins = make_dynamic_node(memory, child, SPINS);
    return !any_spins || made->spins != NULL;
}

static inline void
bodymap_children(bodymap_ref ref, bodymap_ref child[TRIE_WAYS])
{
    for (unsigned i = 0; i < TRIE_WAYS; i++)
        child[i] = bodymap_child(ref, i);
}

/* Prefetches the first cache lines of both blocks. */
static inline void
bodymap_prefetch(bodymap_ref ref)
{
    pqti_prefetch(ref.statics);
    pqti_prefetch(ref.dynamics);
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
pqti_bodymap_edit(pqt_memory *memory, const pqti_bodymap *bodies, const pqti_body_edit *edits,
                  size_t count, pqti_bodymap *edited)
{
    PQT_INVARIANT(edits_ascend(edits, count), "edits of bodies are not in key order");
    return trie_apply(memory, *bodies, edits, count, edited);
}

/* ---- Moves and copies ---- */

/* The next states of the bodies that have not been moved yet. */
typedef struct next_states {
    const pqti_body_dynamic *dynamics;
    const pqti_body_spin *spins; /* NULL: all are 0 */
} next_states;

/* Shares the old leaf if its dynamic states and spins equal the next ones. */
static bool
move_leaf(pqt_memory *memory, const trie_slice *slice, next_states *next, bodymap_ref *moved)
{
    const next_states states = *next;
    const size_t count = (size_t)slice->count;
    *moved = slice->ref;
    if (count == 0)
        return true;
    next->dynamics += count;
    if (states.spins != NULL)
        next->spins += count;
    if (memcmp(states.dynamics, slice->entries.dynamics, count * sizeof *states.dynamics) != 0)
        moved->dynamics = make_dynamic_leaf(memory, states.dynamics, count);
    return moved->dynamics != NULL &&
           make_spin_leaf(memory, states.spins, count, slice->entries.spins, &moved->spins);
}

static bool
move_bodies(pqt_memory *memory, const bodymap_ref *ref, next_states *next, bodymap_ref *moved)
{
    const trie_slice slice = trie_slice_of(*ref);
    if (!trie_is_inner(&slice))
        return move_leaf(memory, &slice, next, moved);
    bodymap_ref child[TRIE_WAYS];
    for (unsigned i = 0; i < TRIE_WAYS; i++) {
        const bodymap_ref before = bodymap_child(*ref, i);
        if (!move_bodies(memory, &before, next, &child[i]))
            return false;
    }
    return bodymap_make_inner(memory, &slice, child, slice.count, moved);
}

bool
pqti_bodymap_move(pqt_memory *memory, const pqti_bodymap *bodies,
                  const pqti_body_dynamic *dynamic_states, const pqti_body_spin *spins,
                  pqti_bodymap *moved)
{
    next_states next = {dynamic_states, spins};
    return move_bodies(memory, bodies, &next, moved);
}

/* Sets the states of a leaf in which some bodies move. */
static bool
move_some_of_leaf(pqt_memory *memory, const trie_slice *slice, const pqti_body_motion *motions,
                  size_t count, bodymap_ref *moved)
{
    bodymap_leaf_buffer room;
    size_t moving = 0;
    for (uint64_t i = 0; i < slice->count; i++) {
        const bodymap_entries entry = bodymap_entry_at(slice->entries, i);
        const bool moves = moving < count && motions[moving].key == bodymap_entry_key(entry);
        const pqti_body_spin old = entry.spins == NULL ? (pqti_body_spin){0, 0} : *entry.spins;
        room.dynamics[i] = moves ? motions[moving].dynamic_state : *entry.dynamics;
        room.spins[i] = moves ? motions[moving].spin : old;
        moving += moves;
    }
    PQT_INVARIANT(moving == count, "a body that moves is not in the body map");
    next_states next = {room.dynamics, room.spins};
    return move_leaf(memory, slice, &next, moved);
}

/* Returns the number of motions at the start of an array whose keys have this digit. */
static size_t
count_of_digit(const pqti_body_motion *motions, size_t count, unsigned level, unsigned digit)
{
    size_t n = 0;
    while (n < count && trie_digit(motions[n].key, level) == digit)
        n++;
    return n;
}

static bool
move_some(pqt_memory *memory, const bodymap_ref *ref, unsigned level,
          const pqti_body_motion *motions, size_t count, bodymap_ref *moved)
{
    *moved = *ref;
    if (count == 0)
        return true;
    const trie_slice slice = trie_slice_of(*ref);
    if (!trie_is_inner(&slice))
        return move_some_of_leaf(memory, &slice, motions, count, moved);
    bodymap_ref child[TRIE_WAYS];
    for (unsigned i = 0; i < TRIE_WAYS; i++) {
        const bodymap_ref before = bodymap_child(*ref, i);
        const size_t here = count_of_digit(motions, count, level, i);
        if (!move_some(memory, &before, level + 1, motions, here, &child[i]))
            return false;
        motions += here;
        count -= here;
    }
    return bodymap_make_inner(memory, &slice, child, slice.count, moved);
}

bool
pqti_bodymap_move_some(pqt_memory *memory, const pqti_bodymap *bodies,
                       const pqti_body_motion *motions, size_t count, pqti_bodymap *moved)
{
    return move_some(memory, bodies, 0, motions, count, moved);
}

/* A copy of maps to another memory. */
typedef struct body_copier {
    pqt_memory *memory;
    pqti_hashtable *copies; /* maps each block to its copy */
} body_copier;

/* Returns the copies that were made of the blocks of a reference. */
static bodymap_ref
known_copies(const body_copier *copier, const bodymap_ref *ref)
{
    return (bodymap_ref){pqti_hashtable_of_block(copier->copies, ref->statics),
                         pqti_hashtable_of_block(copier->copies, ref->dynamics),
                         pqti_hashtable_of_block(copier->copies, ref->spins)};
}

static bool
is_copied(const bodymap_ref *ref, const bodymap_ref *copy)
{
    return (copy->statics != NULL || ref->statics == NULL) &&
           (copy->dynamics != NULL || ref->dynamics == NULL) &&
           (copy->spins != NULL || ref->spins == NULL);
}

/* Makes the blocks of a leaf that have no copy yet. Returns false when out of memory. */
static bool
copy_leaf(const body_copier *copier, const trie_slice *slice, bodymap_ref *copy)
{
    const size_t count = (size_t)slice->count;
    if (copy->statics == NULL)
        copy->statics = make_static_leaf(copier->memory, slice->entries.statics, count);
    if (copy->dynamics == NULL && copy->statics != NULL)
        copy->dynamics = make_dynamic_leaf(copier->memory, slice->entries.dynamics, count);
    if (copy->dynamics == NULL || slice->ref.spins == NULL || copy->spins != NULL)
        return copy->dynamics != NULL;
    return make_spin_leaf(copier->memory, slice->entries.spins, count, NULL, &copy->spins);
}

/* Makes the blocks of a node that have no copy yet, from the copies of its children. Returns false
 * when out of memory. */
static bool
copy_node(const body_copier *copier, const trie_slice *slice, const bodymap_ref child[TRIE_WAYS],
          bodymap_ref *copy)
{
    if (copy->statics == NULL)
        copy->statics = make_static_node(copier->memory, child, slice->count);
    if (copy->dynamics == NULL && copy->statics != NULL)
        copy->dynamics = make_dynamic_node(copier->memory, child, DYNAMICS);
    if (copy->dynamics != NULL && copy->spins == NULL && slice->ref.spins != NULL)
        copy->spins = make_dynamic_node(copier->memory, child, SPINS);
    return copy->dynamics != NULL && (copy->spins != NULL || slice->ref.spins == NULL);
}

/* Remembers the copies of the blocks that had none. Returns false when out of memory. */
static bool
record_copies(const body_copier *copier, const bodymap_ref *ref, const bodymap_ref *known,
              const bodymap_ref *copy)
{
    pqti_hashtable *copies = copier->copies;
    return (known->statics != NULL ||
            pqti_hashtable_add_block(copies, ref->statics, copy->statics)) &&
           (known->dynamics != NULL ||
            pqti_hashtable_add_block(copies, ref->dynamics, copy->dynamics)) &&
           (ref->spins == NULL || known->spins != NULL ||
            pqti_hashtable_add_block(copies, ref->spins, copy->spins));
}

/* The tries share blocks independently: after a step, the static states are shared and the dynamic
 * ones are not. So the copy of each block is looked up on its own. */
static bool
copy_bodies(const body_copier *copier, const bodymap_ref *ref, bodymap_ref *copy)
{
    bodymap_ref child[TRIE_WAYS];
    const bodymap_ref known = known_copies(copier, ref);
    *copy = known;
    if (is_copied(ref, copy))
        return true;
    const trie_slice slice = trie_slice_of(*ref);
    for (unsigned i = 0; i < TRIE_WAYS && trie_is_inner(&slice); i++) {
        const bodymap_ref from = bodymap_child(*ref, i);
        if (!copy_bodies(copier, &from, &child[i]))
            return false;
    }
    return (trie_is_inner(&slice) ? copy_node(copier, &slice, child, copy)
                                  : copy_leaf(copier, &slice, copy)) &&
           record_copies(copier, ref, &known, copy);
}

bool
pqti_bodymap_copy(pqt_memory *memory, const pqti_bodymap *bodies, pqti_hashtable *copies,
                  pqti_bodymap *copy)
{
    const body_copier copier = {memory, copies};
    return copy_bodies(&copier, bodies, copy);
}

/*
 * Converts bodies between the caller's form and the form in the body map.
 *
 * The fingerprint of a body is a chained hash of its numbers, like the fingerprint of an item
 * (item_hash.h). The hash of the static state is stored, so a step continues the chain from it. The
 * spin is in the chain unless it is 0.
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
    state = pqti_hash_combine(state, static_state->roles, odd);
    state = pqti_hash_combine(state, static_state->user_data, odd);
    return pqti_hash_combine(state, static_state->category | (uint64_t)static_state->mask << 32,
                             odd);
}

static uint64_t
hash_dynamic_state(uint64_t state, const pqti_body_dynamic *dynamic_state,
                   const pqti_body_spin *spin, uint64_t odd)
{
    state = pqti_hash_combine(state, pqti_bits_of(dynamic_state->position.x), odd);
    state = pqti_hash_combine(state, pqti_bits_of(dynamic_state->position.y), odd);
    state = pqti_hash_combine(state, pqti_bits_of(dynamic_state->velocity.x), odd);
    state = pqti_hash_combine(state, pqti_bits_of(dynamic_state->velocity.y), odd);
    if (spin != NULL && !spin_is_zero(spin)) {
        state = pqti_hash_combine(state, pqti_bits_of(spin->angle), odd);
        state = pqti_hash_combine(state, pqti_bits_of(spin->velocity), odd);
    }
    return pqti_hash_mix64(state);
}

pqt_fingerprint
pqti_body_fingerprint(uint64_t static_hash, const pqti_body_dynamic *dynamic_state,
                      const pqti_body_spin *spin)
{
    return (pqt_fingerprint){
        hash_dynamic_state(static_hash, dynamic_state, spin, UINT64_C(0xd6e8feb86659fd93)),
        hash_dynamic_state(pqti_hash_mix64(static_hash), dynamic_state, spin,
                           UINT64_C(0xaf251af3b0f025b5))};
}

bool
pqti_body_is_mobile(const pqti_body_static *static_state, const pqti_body_dynamic *dynamic_state,
                    const pqti_body_spin *spin)
{
    return (static_state->roles & (PQTI_FIXED | PQTI_KINEMATIC)) == 0 ||
           is_velocity(dynamic_state) || (spin != NULL && spin->velocity != 0);
}

static pqt_fingerprint
fingerprint_of_edit(const pqti_body_edit *edit)
{
    return pqti_body_fingerprint(edit->static_state.static_hash, &edit->dynamic_state, &edit->spin);
}

static bool
edit_is_mobile(const pqti_body_edit *edit)
{
    return pqti_body_is_mobile(&edit->static_state, &edit->dynamic_state, &edit->spin);
}

void
pqti_totals_add(pqti_body_totals *totals, const pqti_body_edit *edit)
{
    totals->fingerprint = pqti_fingerprint_add(totals->fingerprint, fingerprint_of_edit(edit));
    totals->mobile += edit_is_mobile(edit);
}

void
pqti_totals_subtract(pqti_body_totals *totals, const pqti_body_edit *edit)
{
    totals->fingerprint = pqti_fingerprint_subtract(totals->fingerprint, fingerprint_of_edit(edit));
    totals->mobile -= edit_is_mobile(edit);
}

bool
pqti_same_states(const pqti_body_edit *a, const pqti_body_edit *b)
{
    return memcmp(&a->static_state, &b->static_state, sizeof a->static_state) == 0 &&
           memcmp(&a->dynamic_state, &b->dynamic_state, sizeof a->dynamic_state) == 0 &&
           memcmp(&a->spin, &b->spin, sizeof a->spin) == 0;
}

uint64_t
pqti_body_roles(const pqt_body *body)
{
    uint32_t friction;
    memcpy(&friction, &body->friction, sizeof friction);
    return (body->fixed ? PQTI_FIXED : 0) | (body->kinematic ? PQTI_KINEMATIC : 0) |
           (body->sensor ? PQTI_SENSOR : 0) | (body->own_friction ? PQTI_OWN_FRICTION : 0) |
           (uint64_t)friction << 32;
}

void
pqti_body_set_roles(pqt_body *body, uint64_t roles)
{
    body->fixed = (roles & PQTI_FIXED) != 0;
    body->kinematic = (roles & PQTI_KINEMATIC) != 0;
    body->sensor = (roles & PQTI_SENSOR) != 0;
    body->own_friction = (roles & PQTI_OWN_FRICTION) != 0;
    body->friction = pqti_friction_of_roles(roles);
}

float
pqti_friction_of_roles(uint64_t roles)
{
    const uint32_t bits = (uint32_t)(roles >> 32);
    float friction;
    memcpy(&friction, &bits, sizeof friction);
    return friction;
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
                         .roles = pqti_body_roles(body),
                         .user_data = body->user_data,
                         .category = body->category,
                         .mask = body->mask},
        .dynamic_state = {body->position, body->velocity},
        .spin = {body->angle, body->angular_velocity},
    };
    edit.static_state.static_hash = pqti_body_static_hash(&edit.static_state);
    return edit;
}

pqt_body
pqti_body_of(const pqti_body_entry *entry)
{
    const pqti_body_static *static_state = entry->statics;
    const pqti_body_dynamic *dynamic_state = entry->dynamics;
    pqt_body body = {.id = static_state->id,
                     .position = dynamic_state->position,
                     .velocity = dynamic_state->velocity,
                     .acceleration = static_state->acceleration,
                     .radius = static_state->radius,
                     .mass = static_state->mass,
                     .user_data = static_state->user_data,
                     .category = static_state->category,
                     .mask = static_state->mask,
                     .angle = entry->spins == NULL ? 0 : entry->spins->angle,
                     .angular_velocity = entry->spins == NULL ? 0 : entry->spins->velocity};
    pqti_body_set_roles(&body, static_state->roles);
    return body;
}

/* ---- Finding and visiting ---- */

size_t
pqti_bodymap_count(const pqti_bodymap *bodies)
{
    return (size_t)bodymap_count(*bodies);
}

bool
pqti_bodymap_find_states(const pqti_bodymap *bodies, uint64_t id, pqti_body_entry *found)
{
    const trie_slice leaf = trie_slice_of(trie_leaf_of_key(*bodies, pqti_id_key(id), 0));
    for (uint64_t i = 0; i < leaf.count; i++) {
        if (leaf.entries.statics[i].id == id) {
            *found = bodymap_entry_at(leaf.entries, i);
            return true;
        }
    }
    return false;
}

bool
pqti_bodymap_find(const pqti_bodymap *bodies, uint64_t id, pqt_body *found)
{
    pqti_body_entry entry;
    const bool is_there = pqti_bodymap_find_states(bodies, id, &entry);
    if (is_there)
        *found = pqti_body_of(&entry);
    return is_there;
}

bool
pqti_bodymap_visit(const pqti_bodymap *bodies, pqti_visit_body_entry_fn *visit, void *context)
{
    const trie_slice whole = trie_slice_of(*bodies);
    return trie_visit(&whole, visit, context);
}

pqti_body_summary
pqti_bodymap_summary(const pqti_bodymap *bodies)
{
    return summary_of(*bodies);
}

typedef struct awake_search {
    const pqti_quiet_body *asleep;
    pqti_visit_body_entry_fn *visit;
    void *context;
} awake_search;

/* Visits the bodies of a leaf that may move. The bodies from `from` on are asleep, in key order. */
static bool
visit_awake_of_leaf(const awake_search *s, const trie_slice *slice, size_t from, size_t to)
{
    for (uint64_t i = 0; i < slice->count; i++) {
        const bodymap_entries entry = bodymap_entry_at(slice->entries, i);
        if (from < to && s->asleep[from].id == entry.statics->id)
            from++;
        else if (pqti_body_is_mobile(entry.statics, entry.dynamics, entry.spins) &&
                 !s->visit(&entry, s->context))
            return false;
    }
    return true;
}

/* Returns the index after the bodies in [from, to) whose keys have at most this digit. */
static size_t
end_of_digit(const awake_search *s, size_t from, size_t to, unsigned level, unsigned digit)
{
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (trie_digit(pqti_id_key(s->asleep[middle].id), level) <= digit)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Visits the bodies of a subtree that may move. Those in [from, to) are asleep. */
static bool
visit_awake(const awake_search *s, const bodymap_ref *ref, unsigned level, size_t from, size_t to)
{
    const trie_slice slice = trie_slice_of(*ref);
    if (to - from == slice.count)
        return true;
    if (!trie_is_inner(&slice))
        return visit_awake_of_leaf(s, &slice, from, to);
    if (summary_of(*ref).movable == to - from && !is_in_motion(*ref, DYNAMICS) &&
        !is_in_motion(*ref, SPINS))
        return true;
    for (unsigned i = 0; i < TRIE_WAYS; i++) {
        const bodymap_ref child = bodymap_child(*ref, i);
        const size_t end = end_of_digit(s, from, to, level, i);
        if (!visit_awake(s, &child, level + 1, from, end))
            return false;
        from = end;
    }
    return true;
}

bool
pqti_bodymap_visit_awake(const pqti_bodymap *bodies, const pqti_quiet_body *asleep, size_t count,
                         pqti_visit_body_entry_fn *visit, void *context)
{
    const awake_search s = {asleep, visit, context};
    return visit_awake(&s, bodies, 0, 0, count);
}

/* ---- Comparing ---- */

/* Returns false, because blocks store no sums that could be compared. */
static inline bool
bodymap_same_sum(bodymap_ref a, bodymap_ref b)
{
    (void)a;
    (void)b;
    return false;
}

static bool
same_spin(const pqti_body_spin *a, const pqti_body_spin *b)
{
    if (a == NULL || b == NULL)
        return (a == NULL || spin_is_zero(a)) && (b == NULL || spin_is_zero(b));
    return memcmp(a, b, sizeof *a) == 0;
}

static inline bool
bodymap_equal_entries(bodymap_entries a, bodymap_entries b)
{
    return memcmp(a.statics, b.statics, sizeof *a.statics) == 0 &&
           memcmp(a.dynamics, b.dynamics, sizeof *a.dynamics) == 0 && same_spin(a.spins, b.spins);
}

typedef struct body_comparison {
    pqti_visit_change_fn *visit;
    void *context;
} body_comparison;

/* Writes the only body of a slice to *body and returns `body`. Returns NULL if the slice is
 * empty. */
static const pqt_body *
body_of_slice(const trie_slice *slice, pqt_body *body)
{
    if (slice->count == 0)
        return NULL;
    *body = pqti_body_of(&slice->entries);
    return body;
}

static bool
visit_change(const trie_slice *a, const trie_slice *b, void *context)
{
    const body_comparison *c = context;
    pqt_body body_a, body_b;
    return c->visit(body_of_slice(a, &body_a), body_of_slice(b, &body_b), c->context);
}

bool
pqti_bodymap_compare(const pqti_bodymap *a, const pqti_bodymap *b, pqti_visit_change_fn *visit,
                     void *context)
{
    body_comparison c = {visit, context};
    const trie_slice whole_a = trie_slice_of(*a), whole_b = trie_slice_of(*b);
    size_t blocks = 0;
    return trie_diff(&whole_a, &whole_b, 0, visit_change, &c, &blocks);
}

/* ---- Checks and bytes ---- */

static inline bool
bodymap_is_whole(bodymap_ref ref)
{
    return (ref.statics == NULL) == (ref.dynamics == NULL) &&
           (ref.statics != NULL || ref.spins == NULL);
}

/* Returns true if a block of spins has a spin that is not 0. */
static bool
has_spin(const trie_slice *slice)
{
    bool any = false;
    for (unsigned i = 0; i < TRIE_WAYS && trie_is_inner(slice); i++)
        any = any || bodymap_child(slice->ref, i).spins != NULL;
    for (uint64_t i = 0; i < slice->count && !trie_is_inner(slice); i++)
        any = any || !spin_is_zero(&slice->entries.spins[i]);
    return any;
}

/* Checks what a node stores about the bodies below it. */
static bool
check_node(const trie_slice *slice)
{
    const pqti_body_static_node *statics = slice->ref.statics;
    bodymap_ref child[TRIE_WAYS];
    bodymap_children(slice->ref, child);
    const pqti_body_summary sum = summary_of_children(child);
    return memcmp(&sum, &statics->summary, sizeof sum) == 0 &&
           is_in_motion(slice->ref, DYNAMICS) == any_is_in_motion(child, DYNAMICS) &&
           is_in_motion(slice->ref, SPINS) == any_is_in_motion(child, SPINS);
}

/* Checks the hashes of a leaf's static states. Inner blocks store no hash. */
static inline bool
bodymap_check_block(const trie_slice *slice)
{
    if ((slice->ref.spins != NULL && !has_spin(slice)) ||
        (trie_is_inner(slice) && !check_node(slice)))
        return false;
    for (uint64_t i = 0; i < slice->count && !trie_is_inner(slice); i++)
        if (slice->entries.statics[i].static_hash !=
            pqti_body_static_hash(&slice->entries.statics[i]))
            return false;
    return true;
}

bool
pqti_bodymap_check(const pqti_bodymap *bodies)
{
    unsigned char path[TRIE_LEVELS];
    return trie_check(*bodies, 0, path);
}

static inline bool
bodymap_shares(bodymap_ref a, bodymap_ref b, int part)
{
    if (part == SPINS)
        return a.spins == b.spins;
    return part == STATICS ? a.statics == b.statics : a.dynamics == b.dynamics;
}

static inline size_t
bodymap_block_bytes(const pqt_memory *memory, const trie_slice *slice, int part)
{
    const size_t count = (size_t)slice->count;
    if (part == STATICS)
        return pqti_block_size(memory, slice->ref.statics,
                               trie_is_inner(slice) ? pqti_rounded(sizeof(pqti_body_static_node))
                                                    : static_leaf_size(count));
    const void *block = part == SPINS ? slice->ref.spins : slice->ref.dynamics;
    const size_t entry = part == SPINS ? sizeof(pqti_body_spin) : sizeof(pqti_body_dynamic);
    if (block == NULL)
        return 0;
    return pqti_block_size(memory, block,
                           trie_is_inner(slice) ? pqti_rounded(sizeof(pqti_body_dynamic_node))
                                                : count * entry);
}

/* If a block is shared, so are all blocks below it. The three tries share blocks independently. */
size_t
pqti_bodymap_exclusive_bytes(const pqt_memory *memory, const pqti_bodymap *bodies,
                             const pqti_bodymap *others, size_t count, pqti_bodymap *slices,
                             size_t width)
{
    return trie_exclusive_bytes(memory, *bodies, 0, others, count, slices, width);
}

size_t
pqti_bodymap_shared_bytes(const pqt_memory *memory, const pqti_bodymap *a, const pqti_bodymap *b)
{
    pqti_bodymap slices[PQTI_BODYMAP_LEVEL_COUNTS];
    return trie_exclusive_bytes(memory, *a, 0, NULL, 0, slices, 1) -
           trie_exclusive_bytes(memory, *a, 0, b, 1, slices, 1);
}

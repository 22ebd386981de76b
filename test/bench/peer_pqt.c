/* SPDX-License-Identifier: MIT */
/*
 * peer_pqt.c: pqt as a contestant, on the collector and in an arena, used through <pqt.h>.
 *
 * Like a real program, it uses the header of the collector to keep versions in an array of
 * collected memory, and to collect garbage before the heap is measured. Only the contestants whose
 * descriptions say so enlarge the heap beforehand or switch collections off.
 */
#include "config.h"

#include "peer_pqt.h"

#include <pqt/nearest.h>
#include <pqt/ray.h>

#include <stdio.h>
#include <stdlib.h>

#if PQT_WITH_COLLECTOR
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#endif

/* Allocates zeroed memory. The collector scans it if `on_collector` is set. */
static void *
held(bool on_collector, size_t size)
{
#if PQT_WITH_COLLECTOR
    if (on_collector)
        return GC_malloc_uncollectable(size);
#endif
    (void)on_collector;
    return calloc(1, size);
}

static void
let_go(bool on_collector, void *block)
{
#if PQT_WITH_COLLECTOR
    if (on_collector) {
        GC_free(block);
        GC_gcollect();
        return;
    }
#endif
    (void)on_collector;
    free(block);
}

/* Returns true if no edit failed. Otherwise prints the error. */
bool
holder_succeeds(const holder *s)
{
    if (s->error.status == PQT_OK)
        return true;
    fprintf(stderr, "bench: pqt: %s\n", s->error.text);
    return false;
}

static void *
make_in(bool on_collector, const pqt_item *items, size_t count, pqt_box world)
{
    pqt_error error = {0};
    holder *s = pqt_init(&error) ? held(on_collector, sizeof *s) : NULL;
    if (s == NULL)
        return NULL;
    *s = (holder){.items = items, .count = count, .world = world, .error = error};
    if (!on_collector)
        s->arena = pqt_arena_make(0, &s->error);
    return s;
}

void *
holder_make(const pqt_item *items, size_t count, pqt_box world)
{
    return make_in(PQT_WITH_COLLECTOR, items, count, world);
}

static void *
make_in_arena(const pqt_item *items, size_t count, pqt_box world)
{
    return make_in(false, items, count, world);
}

#if PQT_WITH_COLLECTOR
static const size_t LARGE_HEAP = (size_t)1 << 30; /* in bytes */

static void *
make_in_large_heap(const pqt_item *items, size_t count, pqt_box world)
{
    void *s = holder_make(items, count, world);
    return GC_expand_hp(LARGE_HEAP) ? s : NULL;
}

static void *
make_uncollected(const pqt_item *items, size_t count, pqt_box world)
{
    void *s = holder_make(items, count, world);
    GC_disable();
    return s;
}
#endif

static pqt_tree_options
options_of(const holder *s)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = s->arena;
    return options;
}

/* Makes a tree. If the items are outside the declared bounds, the tree has these bounds; otherwise
   its bounds contain all items. */
bool
holder_build(void *of)
{
    holder *s = of;
    pqt_tree_options options = options_of(s);
    if (pqt_box_touches(s->items[0].box, s->world))
        s->tree = pqt_tree_of(s->items, s->count, &options, &s->error);
    else
        s->tree = pqt_tree_insert_all(pqt_tree_make(s->world, &options, &s->error), s->items,
                                      s->count, &s->error);
    return holder_succeeds(s);
}

bool
holder_move(void *of, const pqt_item *from, const pqt_box *to)
{
    holder *s = of;
    s->tree = pqt_tree_move(s->tree, *from, *to, &s->error);
    return holder_succeeds(s);
}

static bool
add_ids(const uint64_t *ids, size_t count, void *context)
{
    answer *found = context;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += ids[i];
    found->hits += count;
    found->ids += sum;
    return true;
}

void
holder_query(const pqt_tree *tree, const pqt_box *window, answer *found)
{
    pqt_tree_visit_ids(tree, &(pqt_query){.window = *window, .relation = PQT_TOUCHES}, add_ids,
                       found);
}

static void
query(const void *of, const pqt_box *window, answer *found)
{
    const holder *s = of;
    holder_query(s->tree, window, found);
}

static bool
add_items(const pqt_item_columns *items, void *context)
{
    answer *found = context;
    uint64_t sum = 0;
    for (size_t i = 0; i < items->count; i++)
        sum += item_mark(items->min_x[i], items->min_y[i], items->max_x[i], items->max_y[i],
                         items->ids[i]);
    found->hits += items->count;
    found->ids += sum;
    return true;
}

static void
query_items(const void *of, const pqt_box *window, answer *found)
{
    const holder *s = of;
    pqt_tree_visit_columns(s->tree, &(pqt_query){.window = *window, .relation = PQT_TOUCHES},
                           add_items, found);
}

static double
bytes(const void *of)
{
    const holder *s = of;
    return (double)pqt_tree_get_stats(s->tree).bytes;
}

void
holder_free(void *of)
{
    holder *s = of;
    bool on_collector = s->arena == NULL;
    pqt_head_destroy(&s->head);
    pqt_arena_destroy(&s->arena);
    if (s->versions != NULL)
        let_go(on_collector, s->versions);
    free(s->changes);
    free(s->moved);
    s->tree = NULL;
    let_go(on_collector, s);
}

static bool
begin_history(void *of, size_t count)
{
    holder *s = of;
    pqt_tree_options options = options_of(s);
    s->tree = pqt_tree_make(s->world, &options, &s->error);
    s->versions = held(s->arena == NULL, (count + 1) * sizeof(const pqt_tree *));
    if (!holder_succeeds(s) || s->versions == NULL)
        return false;
    s->versions[0] = s->tree;
    return true;
}

static bool
insert(void *of, const pqt_item *item)
{
    holder *s = of;
    s->tree = pqt_tree_insert(s->tree, *item, &s->error);
    s->versions[++s->last] = s->tree;
    return holder_succeeds(s);
}

static void
query_version(const void *of, size_t version, const pqt_box *window, answer *found)
{
    const holder *s = of;
    holder_query(s->versions[version], window, found);
}

static double
own_bytes(const void *of, size_t version)
{
    const holder *s = of;
    const pqt_tree *tree = s->versions[version];
    double all = (double)pqt_tree_get_stats(tree).bytes;
    return all - (double)pqt_tree_shared_bytes(tree, s->versions[version - 1]);
}

static double
memory_bytes(const void *of)
{
    const holder *s = of;
#if PQT_WITH_COLLECTOR
    if (s->arena == NULL)
        GC_gcollect();
#endif
    return (double)pqt_memory_get_stats(pqt_tree_memory(s->tree)).bytes;
}

static const peer_history history = {
    .begin = begin_history,
    .insert = insert,
    .query = query_version,
    .own_bytes = own_bytes,
    .memory_bytes = memory_bytes,
};

static bool
add_touching(const pqt_item *a, const pqt_item *b, void *context)
{
    add_pair(context, a->id, b->id);
    return true;
}

static void
pairs(void *of, answer *found)
{
    const holder *s = of;
    pqt_pairs_visit(s->tree, NULL, &(pqt_pair_query){.relation = PQT_TOUCHES}, add_touching, found);
}

static bool
take(void *of, const drawn_move *moves, size_t count)
{
    holder *s = of;
    if (s->changes == NULL)
        s->changes = malloc(s->count * sizeof *s->changes);
    if (s->moved == NULL)
        s->moved = malloc(s->count * sizeof *s->moved);
    if (s->changes == NULL || s->moved == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        s->changes[i] = (pqt_change){PQT_MOVE, moves[i].from, moves[i].to};
        s->moved[i] = (pqt_item){moves[i].to, moves[i].from.id};
    }
    s->change_count = count;
    return true;
}

/* Moves the items. If all of them move, building a new version takes less time than a batch. */
static bool
advance(void *of)
{
    holder *s = of;
    if (s->change_count == s->count)
        s->tree =
            pqt_tree_insert_all(pqt_tree_clear(s->tree, &s->error), s->moved, s->count, &s->error);
    else
        s->tree = pqt_tree_apply(s->tree, s->changes, s->change_count, &s->error);
    return holder_succeeds(s);
}

static bool
add_pair_change(pqt_pair_change change, const pqt_item *a, const pqt_item *b, void *context)
{
    answer *found = context;
    uint64_t sign = change == PQT_PAIR_BEGAN ? 1 : UINT64_MAX;
    found->hits += sign;
    found->ids += sign * pair_mark(a->id, b->id);
    return true;
}

static bool
follow(void *of, answer *found)
{
    holder *s = of;
    const pqt_tree *before = s->tree;
    if (!advance(of))
        return false;
    pqt_pairs_visit_changes(before, s->tree, &(pqt_pair_query){.relation = PQT_TOUCHES},
                            add_pair_change, found, &s->error);
    return holder_succeeds(s);
}

static const peer_collision collision = {
    .pairs = pairs,
    .take = take,
    .advance = advance,
    .follow = follow,
};

enum { MOST_NEAREST = 64 };

static size_t
nearest(const void *of, pqt_vec from, size_t most, uint64_t *ids)
{
    const holder *s = of;
    pqt_near found[MOST_NEAREST];
    if (most > MOST_NEAREST)
        most = MOST_NEAREST;
    size_t count = pqt_tree_nearest(s->tree, (pqt_box){from, from}, NULL, found, most);
    for (size_t i = 0; i < count; i++)
        ids[i] = found[i].item.id;
    return count;
}

static bool
first_hit(const void *of, const pqt_segment *segment, uint64_t *id)
{
    const holder *s = of;
    pqt_ray_hit first = pqt_tree_cast(s->tree, (pqt_cast[]){pqt_cast_segment(*segment)});
    *id = first.item.id;
    return first.hit;
}

static bool
first_met(const void *of, pqt_vec half, const pqt_segment *segment, uint64_t *id)
{
    const holder *s = of;
    pqt_box shape = {{-half.x, -half.y}, half};
    pqt_sweep sweep =
        pqt_tree_sweep(s->tree, pqt_mover_box(shape, segment->from, segment->to), NULL);
    *id = sweep.item.id;
    return sweep.status == PQT_SWEEP_HITS || sweep.status == PQT_SWEEP_OVERLAPS;
}

static const peer_sight sight = {
    .nearest = nearest,
    .first_hit = first_hit,
    .first_met = first_met,
};

/* Defines a contestant of this file. The contestants differ only in their memories. */
#define PQT_CONTESTANT(own_name, own_what, own_make, own_sharing)                                  \
    {                                                                                              \
        .name = (own_name), .what = (own_what), .is_pqt = true, .make = (own_make),                \
        .build = holder_build, .move = holder_move, .query = query, .query_items = query_items,    \
        .bytes = bytes, .free = holder_free, .history = &history, .collision = &collision,         \
        .sight = &sight, .sharing = (own_sharing)                                                  \
    }

const peer peer_pqt = PQT_CONTESTANT("pqt",
                                     "default options; windows by pqt_tree_visit_ids and "
                                     "pqt_tree_visit_columns; W5 rebuilt from the items; W5b by "
                                     "pqt_pairs_visit_changes",
                                     holder_make, &pqt_sharing);

const peer peer_pqt_arena = PQT_CONTESTANT(
    "pqt-arena", "the same in an arena, which keeps every version", make_in_arena, NULL);

#if PQT_WITH_COLLECTOR
const peer peer_pqt_large_heap =
    PQT_CONTESTANT("pqt-large-heap", "the same on a heap of 1 GB from the start: GC_expand_hp",
                   make_in_large_heap, &pqt_sharing);

const peer peer_pqt_uncollected = PQT_CONTESTANT(
    "pqt-uncollected", "the same without collections: GC_disable", make_uncollected, &pqt_sharing);
#endif

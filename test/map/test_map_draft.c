/* SPDX-License-Identifier: MIT */
/*
 * test_map_draft.c: tests drafts of maps: random edits compared with a plain array in every memory,
 * costs, failures and misuse. test_map_draft_threads.c tests drafts while other threads work.
 */
#include "config.h"

#include <pqt.h>

#include "hooks.h"
#include "map_support.h"
#include "memory/heap_internal.h"
#include "misuse.h"
#include "suite.h"

/* ---- Random edits ---- */

enum { OPERATIONS = 12000, RUN_OPERATIONS = 500, KEPT = 12, BATCH = 80, HASHES = 3 };

/* In a sliced heap, a slice of a cycle precedes each allocation, and slices are between edits. In
   the others, a collection or a whole cycle is between some edits. */
typedef enum memories { ARENA, COLLECTOR, HEAP, SLICED_HEAP, MEMORIES } memories;

/* The number of bits in the hashes of byte strings. */
static const unsigned hash_bits[HASHES] = {64, 7, 0};

/* A snapshot, or the version that the draft was begun from, and what it holds. */
typedef struct kept {
    pqt_pin *pin;
    map_model model;
} kept;

typedef struct run {
    memories kind;
    int form;
    uint64_t seed;
    size_t operation;
    dice d;
    pqt_memory *memory;
    pqt_map_draft *draft;
    map_model model;
    const pqt_map *beside; /* the version that the same edits of versions make, in an arena */
    pqt_memory *arena;
    kept kept[KEPT];
} run;

static void
expect(const run *r, bool right, const char *what)
{
    if (!right)
        ck_abort_msg("PQT_SEED=%llu: operation %zu, form %d, memory %d: %s",
                     (unsigned long long)r->seed, r->operation, r->form, (int)r->kind, what);
}

static void
expect_map(const run *r, const pqt_map *map, const map_model *model)
{
    const char *wrong = map_differs(r->form, map, model);
    expect(r, wrong == NULL, wrong);
}

static pqt_memory *
memory_of(memories kind)
{
    if (kind == COLLECTOR)
        return pqt_collector();
    return kind == ARENA ? pqt_arena_make(0, NULL) : pqt_heap_make(NULL, NULL);
}

static void
drop_memory(memories kind, pqt_memory *memory)
{
    if (kind == ARENA)
        pqt_arena_destroy(&memory);
    else if (kind != COLLECTOR)
        pqt_heap_destroy(&memory);
}

/* Makes a cycle of the heap due, whatever it has allocated, and runs a part of it. */
static void
reclaim_some(run *r, size_t most)
{
    pqti_heap *heap = (pqti_heap *)r->memory;
    heap->is_full = heap->is_full || dice_chance(&r->d, 30);
    (void)pqt_memory_reclaim(r->memory, 1 + dice_below(&r->d, most));
}

static pqt_map_change
draw_change(run *r, map_model *model)
{
    const int k = (int)dice_below(&r->d, MAP_KEYS), v = (int)dice_below(&r->d, MAP_VALUES);
    const bool removal = dice_chance(&r->d, model->values[0] == NO_VALUE ? 30 : 45);
    model->values[k] = removal ? NO_VALUE : v;
    return (pqt_map_change){removal ? PQT_MAP_REMOVE : PQT_MAP_INSERT, map_key(r->form, k),
                            map_value(r->form, v)};
}

static bool
change_draft(pqt_map_draft *draft, const pqt_map_change *change, pqt_error *error)
{
    if (change->kind == PQT_MAP_REMOVE)
        return pqt_map_draft_remove(draft, change->key, error);
    return pqt_map_draft_insert(draft, change->key, change->value, error);
}

static void
change_one(run *r)
{
    pqt_error error = {0};
    const pqt_map_change change = draw_change(r, &r->model);
    expect(r, change_draft(r->draft, &change, &error), error.text);
    r->beside = pqt_map_apply(r->beside, &change, 1, NULL);
}

static void
change_many(run *r)
{
    pqt_error error = {0};
    pqt_map_change changes[BATCH];
    const size_t count = dice_below(&r->d, dice_chance(&r->d, 50) ? 5 : BATCH);
    for (size_t i = 0; i < count; i++)
        changes[i] = draw_change(r, &r->model);
    expect(r, pqt_map_draft_apply(r->draft, changes, count, &error), error.text);
    r->beside = pqt_map_apply(r->beside, changes, count, NULL);
}

/* The bytes of the new value are in the view, in a block that the edit may replace. */
static void
copy_value(run *r)
{
    pqt_map_value value;
    const int k = (int)dice_below(&r->d, MAP_KEYS), to = (int)dice_below(&r->d, MAP_KEYS);
    if (!pqt_map_find(pqt_map_draft_view(r->draft), map_key(r->form, k), &value))
        return;
    expect(r, pqt_map_draft_insert(r->draft, map_key(r->form, to), value, NULL), "a copy fails");
    r->model.values[to] = r->model.values[k];
    r->beside = pqt_map_insert(r->beside, map_key(r->form, to),
                               map_value(r->form, r->model.values[to]), NULL);
}

static void
keep_version(run *r, const pqt_map *version)
{
    kept *k = &r->kept[dice_below(&r->d, KEPT)];
    pqt_unpin(&k->pin);
    *k = (kept){pqt_map_pin(version, NULL), r->model};
    expect(r, k->pin != NULL, "pin");
}

static void
check_kept(const run *r, const kept *k)
{
    if (k->pin != NULL)
        expect_map(r, pqt_pin_get_map(k->pin), &k->model);
}

static void
take_snapshot(run *r)
{
    expect(r, pqt_scope_begin(r->memory, NULL), "scope");
    const pqt_map *version = pqt_map_draft_snapshot(r->draft, NULL);
    expect(r, version != NULL, "a snapshot fails");
    expect(r, pqt_map_draft_snapshot(r->draft, NULL) == version, "two snapshots of one state");
    expect(r, pqt_map_equals(version, r->beside), "a snapshot does not equal its version");
    keep_version(r, version);
    pqt_scope_end(r->memory);
}

/* Destroys the draft, and begins another one of any version that is kept. */
static void
begin_again(run *r)
{
    const kept *k = &r->kept[dice_below(&r->d, KEPT)];
    if (k->pin == NULL)
        return;
    pqt_map_draft_destroy(&r->draft);
    r->draft = pqt_map_draft_begin(pqt_pin_get_map(k->pin), NULL);
    expect(r, r->draft != NULL, "a beginning fails");
    r->model = k->model;
    r->beside = pqt_map_copy(pqt_pin_get_map(k->pin), r->arena, NULL);
}

static void
check_view(run *r)
{
    const pqt_map *view = pqt_map_draft_view(r->draft);
    const pqt_fingerprint of_view = pqt_map_fingerprint(view),
                          of_version = pqt_map_fingerprint(r->beside);
    expect(r, of_view.low == of_version.low && of_view.high == of_version.high, "a fingerprint");
    expect(r, pqt_map_equals(view, r->beside), "the view does not equal the version");
    expect_map(r, view, &r->model);
}

static void
operate(run *r)
{
    const size_t which = dice_below(&r->d, 1000);
    if (which < 800)
        change_one(r);
    else if (which < 860)
        change_many(r);
    else if (which < 900)
        copy_value(r);
    else if (which < 960)
        take_snapshot(r);
    else if (which < 970)
        begin_again(r);
    else
        check_kept(r, &r->kept[dice_below(&r->d, KEPT)]);
    if (dice_chance(&r->d, 30))
        check_view(r);
}

/* The hook of sliced heaps. */
static bool
reclaim_at_allocation(pqti_block kind, size_t size, void *context)
{
    (void)kind;
    (void)size;
    reclaim_some(context, 40);
    return true;
}

static void
operate_in(run *r)
{
    if (r->kind == SLICED_HEAP)
        pqti_set_allocation_hook(reclaim_at_allocation, r);
    operate(r);
    pqti_set_allocation_hook(NULL, NULL);
    if (r->kind == SLICED_HEAP)
        reclaim_some(r, 100);
    else if (r->kind != ARENA && dice_chance(&r->d, 10))
        pqti_collect(r->memory);
}

static void
start(run *r, uint64_t seed, memories kind)
{
    *r = (run){.kind = kind, .form = (int)(seed % MAP_FORMS), .seed = seed, .d = {seed}};
    r->memory = memory_of(kind);
    r->arena = pqt_arena_make(0, NULL);
    r->model = map_model_make();
    r->beside = map_make(r->form, r->arena);
    expect(r, pqt_scope_begin(r->memory, NULL), "scope");
    const pqt_map *first = map_make(r->form, r->memory);
    r->draft = pqt_map_draft_begin(first, NULL);
    keep_version(r, first);
    pqt_scope_end(r->memory);
}

static void
finish(run *r)
{
    pqt_map_draft_destroy(&r->draft);
    for (size_t i = 0; i < KEPT; i++) {
        check_kept(r, &r->kept[i]);
        pqt_unpin(&r->kept[i].pin);
    }
    drop_memory(r->kind, r->memory);
    pqt_arena_destroy(&r->arena);
}

START_TEST(random_edits_agree_with_a_plain_array_and_with_versions)
{
    const memories kind = (memories)(_i / HASHES);
    static run r; /* static, so that the collector finds the version in it */
    if (kind == COLLECTOR && pqt_collector() == NULL)
        return;
    uint64_t seed = test_seed("random_edits_of_maps");
    const size_t operations = test_scaled_from(OPERATIONS, MAP_FORMS * RUN_OPERATIONS);
    pqti_map_weaken_hash(hash_bits[_i % HASHES]);
    for (size_t done = 0; done < operations; seed++) {
        start(&r, seed, kind);
        for (; r.operation < RUN_OPERATIONS; r.operation++, done++)
            operate_in(&r);
        finish(&r);
    }
}
END_TEST

/* ---- Costs ---- */

static pqt_memory *arena;

static void
make_arena(void)
{
    arena = pqt_arena_make(0, NULL);
}

static void
drop_arena(void)
{
    pqt_arena_destroy(&arena);
}

/* A map in which each key has value 0. */
static const pqt_map *
whole_map(int form)
{
    map_model model;
    for (int k = 0; k < MAP_KEYS; k++)
        model.values[k] = 0;
    return map_of_model(form, arena, &model);
}

/* Change `i` of a sequence that gives every key another value, and removes and inserts every other
   key. Each key has its value 0 again after 4 * MAP_KEYS changes. */
static pqt_map_change
change_at(int form, size_t i)
{
    const int k = (int)(i / 4 % MAP_KEYS), step = (int)(i % 4);
    const bool removal = step == 1 && k % 2 == 0;
    return (pqt_map_change){removal ? PQT_MAP_REMOVE : PQT_MAP_INSERT, map_key(form, k),
                            map_value(form, step == 3 ? 0 : 5)};
}

static void
make_changes(pqt_map_draft *draft, int form, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const pqt_map_change change = change_at(form, i);
        ck_assert(change_draft(draft, &change, NULL));
    }
}

START_TEST(edits_of_what_a_draft_has_made_allocate_nothing)
{
    pqt_map_draft *draft = pqt_map_draft_begin(whole_map(_i), NULL);
    make_changes(draft, _i, 2 * 4 * MAP_KEYS);
    hooks watch = {0};
    hooks_start(&watch);
    make_changes(draft, _i, 4 * MAP_KEYS);
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
    ck_assert(pqt_map_equals(pqt_map_draft_view(draft), whole_map(_i)));
    pqt_map_draft_destroy(&draft);
}
END_TEST

START_TEST(batches_that_divide_and_join_blocks_use_them_again)
{
    pqt_map_change inserts[MAP_KEYS / 2], removals[MAP_KEYS / 2];
    for (int i = 0; i < MAP_KEYS / 2; i++) {
        inserts[i] = (pqt_map_change){PQT_MAP_INSERT, map_key(_i, 2 * i), map_value(_i, 0)};
        removals[i] = (pqt_map_change){.kind = PQT_MAP_REMOVE, .key = map_key(_i, 2 * i)};
    }
    pqt_map_draft *draft = pqt_map_draft_begin(whole_map(_i), NULL);
    hooks watch = {0};
    for (int round = 0; round < 20; round++) {
        if (round == 3)
            hooks_start(&watch);
        ck_assert(pqt_map_draft_apply(draft, removals, MAP_KEYS / 2, NULL));
        ck_assert(pqt_map_draft_apply(draft, inserts, MAP_KEYS / 2, NULL));
        for (int i = 0; i < MAP_KEYS / 2; i++)
            ck_assert(change_draft(draft, &removals[i], NULL));
        for (int i = 0; i < MAP_KEYS / 2; i++)
            ck_assert(change_draft(draft, &inserts[i], NULL));
    }
    hooks_stop();
    ck_assert_uint_eq(hooks_kept_blocks(&watch), 0);
    ck_assert(pqt_map_equals(pqt_map_draft_view(draft), whole_map(_i)));
    pqt_map_draft_destroy(&draft);
}
END_TEST

static size_t
bytes_of_versions(const pqt_map *map, int form, size_t count)
{
    hooks watch = {0};
    hooks_start(&watch);
    for (size_t i = 0; i < count; i++) {
        const pqt_map_change change = change_at(form, i);
        map = change.kind == PQT_MAP_REMOVE ? pqt_map_remove(map, change.key, NULL)
                                            : pqt_map_insert(map, change.key, change.value, NULL);
    }
    hooks_stop();
    return hooks_kept_bytes(&watch);
}

START_TEST(a_snapshot_after_each_edit_takes_no_more_bytes_than_a_version)
{
    enum { SNAPSHOTS = 10000 };
    const pqt_map *map = whole_map(_i);
    pqt_map_draft *draft = pqt_map_draft_begin(map, NULL);
    hooks watch = {0};
    hooks_start(&watch);
    for (size_t i = 0; i < SNAPSHOTS; i++) {
        const pqt_map_change change = change_at(_i, i);
        ck_assert(change_draft(draft, &change, NULL));
        ck_assert(pqt_map_draft_snapshot(draft, NULL) != NULL);
    }
    hooks_stop();
    ck_assert_uint_eq(hooks_kept_bytes(&watch), bytes_of_versions(map, _i, SNAPSHOTS));
    ck_assert_uint_eq(watch.bytes[PQTI_BLOCK_SCRATCH], 0);
    pqt_map_draft_destroy(&draft);
}
END_TEST

/* ---- Failures ---- */

typedef bool edit_fn(pqt_map_draft *draft, int form, pqt_error *error);

static bool
by_insert(pqt_map_draft *draft, int form, pqt_error *error)
{
    return pqt_map_draft_insert(draft, map_key(form, MAP_KEYS - 1), map_value(form, 3), error);
}

static bool
by_replacement(pqt_map_draft *draft, int form, pqt_error *error)
{
    return pqt_map_draft_insert(draft, map_key(form, 7), map_value(form, 3), error);
}

static bool
by_remove(pqt_map_draft *draft, int form, pqt_error *error)
{
    return pqt_map_draft_remove(draft, map_key(form, 12), error);
}

static bool
by_batch(pqt_map_draft *draft, int form, pqt_error *error)
{
    pqt_map_change changes[MAP_KEYS];
    for (size_t i = 0; i < MAP_KEYS; i++)
        changes[i] = change_at(form, 7 * i);
    return pqt_map_draft_apply(draft, changes, MAP_KEYS, error);
}

static edit_fn *const edit_fns[] = {by_insert, by_replacement, by_remove, by_batch};
enum { EDIT_FNS = sizeof edit_fns / sizeof *edit_fns };

/* A draft that owns some of its blocks. The last key is absent. */
static pqt_map_draft *
used_draft(const pqt_map *map, int form)
{
    pqt_map_draft *draft = pqt_map_draft_begin(map, NULL);
    for (int k = 0; k < MAP_KEYS - 1; k += 7)
        ck_assert(pqt_map_draft_insert(draft, map_key(form, k), map_value(form, 9), NULL));
    return draft;
}

/* Fails allocation `n` of an edit. Returns false if it has fewer. */
static bool
fail_edit(pqt_map_draft *draft, int form, edit_fn *edit, size_t n)
{
    pqt_error error = {0};
    const pqt_map *before = pqt_map_copy(pqt_map_draft_snapshot(draft, NULL), arena, NULL);
    hooks watch = {.fail_at = n};
    hooks_start(&watch);
    const bool done = edit(draft, form, &error);
    hooks_stop();
    const bool failed = watch.failures > 0 && !done;
    ck_assert(done || watch.failures > 0); /* without memory for its table, an edit succeeds */
    ck_assert_int_eq(error.status, done ? PQT_OK : PQT_ERROR_MEMORY);
    ck_assert(pqt_map_check(pqt_map_draft_view(draft), NULL));
    ck_assert_int_eq(pqt_map_equals(pqt_map_draft_view(draft), before), failed);
    ck_assert(done || edit(draft, form, NULL));
    return watch.failures > 0;
}

START_TEST(a_failed_allocation_leaves_the_draft_as_it_was)
{
    const int form = _i % MAP_FORMS;
    edit_fn *edit = edit_fns[_i / MAP_FORMS];
    const pqt_map *map = pqt_map_remove(whole_map(form), map_key(form, MAP_KEYS - 1), NULL);
    const pqt_map *next = NULL;
    bool more = true;
    size_t n = 0;
    while (more) {
        pqt_map_draft *draft = used_draft(map, form);
        more = fail_edit(draft, form, edit, ++n);
        const pqt_map *now = pqt_map_draft_snapshot(draft, NULL);
        ck_assert(pqt_map_check(now, NULL) && (next == NULL || pqt_map_equals(now, next)));
        next = now;
        pqt_map_draft_destroy(&draft);
    }
    ck_assert_uint_gt(n, 1);
    ck_assert(pqt_map_check(map, NULL));
}
END_TEST

START_TEST(a_failed_snapshot_or_beginning_changes_nothing)
{
    pqt_error error = {0};
    const pqt_map *map = whole_map(0);
    pqt_map_draft *draft = used_draft(map, 0);
    hooks watch = {.fail_at = 1};
    hooks_start(&watch);
    ck_assert_ptr_null(pqt_map_draft_snapshot(draft, &error));
    hooks_stop();
    ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    ck_assert(pqt_map_equals(pqt_map_draft_snapshot(draft, NULL), pqt_map_draft_view(draft)));
    pqt_map_draft_destroy(&draft);
    for (size_t n = 1; draft == NULL; n++) {
        error = (pqt_error){0};
        watch = (hooks){.fail_at = n};
        hooks_start(&watch);
        draft = pqt_map_draft_begin(map, &error);
        hooks_stop();
        ck_assert(draft != NULL || n <= 2);
        ck_assert_int_eq(error.status, draft != NULL ? PQT_OK : PQT_ERROR_MEMORY);
    }
    pqt_map_draft_destroy(&draft);
    pqt_map_draft_destroy(&draft);
    pqt_map_draft_destroy(NULL);
}
END_TEST

/* Refuses scratch, and counts what it has refused. */
static bool
refuse_scratch(pqti_block kind, size_t size, void *context)
{
    (void)size;
    *(size_t *)context += kind == PQTI_BLOCK_SCRATCH;
    return kind != PQTI_BLOCK_SCRATCH;
}

/* Without memory for a larger table, a draft copies blocks that it has made. A map without cells
   has too few blocks for that. */
START_TEST(a_draft_without_memory_for_its_table_is_still_right)
{
    size_t refused = 0;
    const pqt_map *map = whole_map(_i);
    pqt_map_draft *draft = pqt_map_draft_begin(map, NULL);
    pqti_set_allocation_hook(refuse_scratch, &refused);
    make_changes(draft, _i, 2 * 4 * MAP_KEYS + 1);
    pqti_set_allocation_hook(NULL, NULL);
    ck_assert_int_eq(refused > 0, _i > 0);
    ck_assert(pqt_map_check(pqt_map_draft_view(draft), NULL));
    ck_assert(!pqt_map_equals(pqt_map_draft_view(draft), map));
    make_changes(draft, _i, 4 * MAP_KEYS);
    ck_assert(pqt_map_equals(pqt_map_draft_view(draft), map));
    ck_assert(pqt_map_check(map, NULL));
    pqt_map_draft_destroy(&draft);
}
END_TEST

START_TEST(a_refused_edit_leaves_the_draft_as_it_was)
{
    pqt_error errors[6] = {{0}};
    const pqt_map *map = whole_map(1);
    const pqt_map_key text = pqt_map_text("a"), id = pqt_map_id(1);
    const pqt_map_key longest = pqt_map_byte_key(map_bytes(), PQT_MAX_MAP_KEY + 1);
    const pqt_map_value number = pqt_map_number(1), bytes = pqt_map_bytes("b", 1);
    const pqt_map_change changes[] = {{PQT_MAP_INSERT, text, number},
                                      {PQT_MAP_INSERT, text, bytes}};
    pqt_map_draft *draft = pqt_map_draft_begin(map, NULL);
    ck_assert(!pqt_map_draft_insert(draft, id, number, &errors[0]));
    ck_assert(!pqt_map_draft_insert(draft, text, bytes, &errors[1]));
    ck_assert(!pqt_map_draft_remove(draft, id, &errors[2]));
    ck_assert(!pqt_map_draft_apply(draft, changes, 2, &errors[3]));
    ck_assert(!pqt_map_draft_insert(draft, longest, number, &errors[4]));
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(errors[i].status, PQT_ERROR_MISMATCH);
    ck_assert_uint_eq(errors[3].index, 1);
    ck_assert_int_eq(errors[4].status, PQT_ERROR_LIMIT);
    ck_assert(pqt_map_draft_remove(draft, longest, &errors[5]));
    ck_assert_ptr_eq(pqt_map_draft_snapshot(draft, NULL), map);
    pqt_map_draft_destroy(&draft);
}
END_TEST

START_TEST(edits_that_change_nothing_keep_the_version_and_the_view)
{
    const pqt_map *map = pqt_map_remove(whole_map(_i), map_key(_i, 9), NULL);
    const pqt_map_change same[] = {
        {PQT_MAP_INSERT, map_key(_i, 3), map_value(_i, 5)},
        {PQT_MAP_INSERT, map_key(_i, 3), map_value(_i, 0)},
        {.kind = PQT_MAP_REMOVE, .key = map_key(_i, 9)},
    };
    pqt_map_draft *draft = pqt_map_draft_begin(map, NULL);
    const pqt_map *view = pqt_map_draft_view(draft);
    hooks watch = {0};
    hooks_start(&watch);
    ck_assert(change_draft(draft, &same[1], NULL) && change_draft(draft, &same[2], NULL));
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
    ck_assert(pqt_map_draft_apply(draft, same, 3, NULL));
    ck_assert(pqt_map_draft_apply(draft, NULL, 0, NULL));
    ck_assert_ptr_eq(pqt_map_draft_view(draft), view);
    ck_assert_ptr_eq(pqt_map_draft_snapshot(draft, NULL), map);
    pqt_map_draft_destroy(&draft);
}
END_TEST

/* ---- Views ---- */

static bool
count_diff(const pqt_map_key *key, const pqt_map_value *before, const pqt_map_value *after,
           void *context)
{
    (void)key;
    (void)before;
    (void)after;
    ++*(size_t *)context;
    return true;
}

START_TEST(a_view_is_read_like_a_version)
{
    size_t changes = 0, bytes = 0;
    const pqt_map *map = whole_map(3);
    pqt_map_draft *draft = used_draft(map, 3);
    const pqt_map *version = pqt_map_draft_snapshot(draft, NULL), *view = pqt_map_draft_view(draft);
    ck_assert_ptr_eq(pqt_map_draft_view(draft), view);
    ck_assert(pqt_map_equals(view, version) && pqt_map_equals(version, view));
    ck_assert(pqt_map_visit_diff(map, view, count_diff, &changes));
    ck_assert_uint_eq(changes, (MAP_KEYS + 5) / 7);
    ck_assert_ptr_eq(pqt_map_memory(view), arena);
    ck_assert_uint_eq(pqt_map_get_stats(view).bytes, pqt_map_get_stats(version).bytes);
    ck_assert(pqt_map_exclusive_bytes(view, &map, 1, &bytes, NULL) && bytes > 0);
    ck_assert_uint_gt(pqt_map_shared_bytes(view, map), 0);
    pqt_map_draft_destroy(&draft);
}
END_TEST

typedef void misuse_fn(pqt_map_draft *draft, const pqt_map *view);

static void
edit_the_view(pqt_map_draft *draft, const pqt_map *view)
{
    (void)draft;
    (void)!pqt_map_insert(view, pqt_map_id(1), pqt_map_number(1), NULL);
}

static void
apply_to_the_view(pqt_map_draft *draft, const pqt_map *view)
{
    (void)draft;
    (void)!pqt_map_apply(view, NULL, 0, NULL);
}

static void
pin_the_view(pqt_map_draft *draft, const pqt_map *view)
{
    (void)draft;
    (void)!pqt_map_pin(view, NULL);
}

static void
copy_the_view(pqt_map_draft *draft, const pqt_map *view)
{
    (void)draft;
    (void)!pqt_map_copy(view, NULL, NULL);
}

static void
merge_the_view(pqt_map_draft *draft, const pqt_map *view)
{
    (void)draft;
    (void)!pqt_map_merge(view, view, view, NULL, NULL);
}

static void
begin_from_the_view(pqt_map_draft *draft, const pqt_map *view)
{
    (void)draft;
    (void)!pqt_map_draft_begin(view, NULL);
}

static void
put_the_view_into_a_document(pqt_map_draft *draft, const pqt_map *view)
{
    const pqt_part parts[] = {{.name = "map", .kind = PQT_KIND_MAP, .version = view}};
    (void)draft;
    (void)!pqt_document_make(parts, 1, NULL);
}

static void
use_an_old_view(pqt_map_draft *draft, const pqt_map *view)
{
    (void)pqt_map_draft_insert(draft, pqt_map_id(1), pqt_map_number(1), NULL);
    (void)pqt_map_draft_view(draft);
    (void)pqt_map_count(view);
}

static void
edit_null(pqt_map_draft *draft, const pqt_map *view)
{
    (void)draft;
    (void)view;
    (void)pqt_map_draft_remove(NULL, pqt_map_id(1), NULL);
}

/* An edit that begins while another one is in progress, as two threads would begin it. */
static bool
edit_at_allocation(pqti_block kind, size_t size, void *draft)
{
    (void)kind;
    (void)size;
    return pqt_map_draft_insert(draft, pqt_map_id(2), pqt_map_number(2), NULL);
}

static void
edit_twice_at_once(pqt_map_draft *draft, const pqt_map *view)
{
    (void)view;
    pqti_set_allocation_hook(edit_at_allocation, draft);
    (void)pqt_map_draft_insert(draft, pqt_map_id(3), pqt_map_number(3), NULL);
}

typedef struct mistake {
    misuse_fn *make;
    const char *text;
} mistake;

static const mistake mistakes[] = {
    {edit_the_view, "pqt_map_insert: this is the view of a draft"},
    {apply_to_the_view, "pqt_map_apply: this is the view of a draft"},
    {pin_the_view, "pqt_version_pin: this is the view of a draft"},
    {copy_the_view, "this is the view of a draft"},
    {merge_the_view, "pqt_map_merge: this is the view of a draft"},
    {begin_from_the_view, "pqt_map_draft_begin: this is the view of a draft"},
    {put_the_view_into_a_document, "this is the view of a draft"},
    {use_an_old_view, "pqt_map_count: this is the view of a draft that was changed"},
    {edit_null, "pqt_map_draft_remove: the draft is NULL"},
    {edit_twice_at_once, "pqt_map_draft_insert: another thread"},
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

static void
make_mistake(void *context)
{
    const mistake *chosen = context;
    pqt_map_draft *draft = pqt_map_draft_begin(map_make(0, arena), NULL);
    chosen->make(draft, pqt_map_draft_view(draft));
}

START_TEST(misuse_of_a_draft_or_a_view_stops_the_program)
{
    char text[MISUSE_TEXT];
    mistake chosen = mistakes[_i];
    if (!misuse_can_be_tested())
        return;
    ck_assert(misuse_aborts(make_mistake, &chosen, text));
    ck_assert_msg(strstr(text, chosen.text) != NULL, "%s", text);
}
END_TEST

/* ---- Heaps ---- */

START_TEST(a_heap_keeps_the_map_of_a_draft_and_reclaims_what_it_dropped)
{
    pqt_memory *heap = pqt_heap_make(NULL, NULL);
    pqt_map_draft *draft = pqt_map_draft_begin(map_make(_i, heap), NULL);
    make_changes(draft, _i, 4 * MAP_KEYS);
    ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    const uint64_t before = pqt_memory_get_stats(heap).used_bytes;
    for (int i = 0; i < 100; i++) {
        make_changes(draft, _i, 4 * MAP_KEYS);
        ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    }
    ck_assert_uint_le(pqt_memory_get_stats(heap).used_bytes, before + 60000);
    ck_assert(pqt_map_equals(pqt_map_draft_view(draft), whole_map(_i)));
    pqt_map_draft_destroy(&draft);
    ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    ck_assert_uint_le(pqt_memory_get_stats(heap).used_bytes, 60000);
    pqt_heap_destroy(&heap);
}
END_TEST

static TCase *
add_tests(Suite *suite, const char *name)
{
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, make_arena, drop_arena);
    suite_add_tcase(suite, tests);
    return tests;
}

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("map_draft");
    TCase *tests = add_tests(suite, "model");
    tcase_add_loop_test(tests, random_edits_agree_with_a_plain_array_and_with_versions, 0,
                        MEMORIES * HASHES);
    tests = add_tests(suite, "costs");
    tcase_add_loop_test(tests, edits_of_what_a_draft_has_made_allocate_nothing, 0, MAP_FORMS);
    tcase_add_loop_test(tests, batches_that_divide_and_join_blocks_use_them_again, 0, MAP_FORMS);
    tcase_add_loop_test(tests, a_snapshot_after_each_edit_takes_no_more_bytes_than_a_version, 0,
                        MAP_FORMS);
    tests = add_tests(suite, "failures");
    tcase_add_loop_test(tests, a_failed_allocation_leaves_the_draft_as_it_was, 0,
                        MAP_FORMS * EDIT_FNS);
    tcase_add_test(tests, a_failed_snapshot_or_beginning_changes_nothing);
    tcase_add_loop_test(tests, a_draft_without_memory_for_its_table_is_still_right, 0, MAP_FORMS);
    tcase_add_test(tests, a_refused_edit_leaves_the_draft_as_it_was);
    tcase_add_loop_test(tests, edits_that_change_nothing_keep_the_version_and_the_view, 0,
                        MAP_FORMS);
    tests = add_tests(suite, "views");
    tcase_add_test(tests, a_view_is_read_like_a_version);
    tcase_add_loop_test(tests, misuse_of_a_draft_or_a_view_stops_the_program, 0, MISTAKES);
    tests = add_tests(suite, "heaps");
    tcase_add_loop_test(tests, a_heap_keeps_the_map_of_a_draft_and_reclaims_what_it_dropped, 0,
                        MAP_FORMS);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}

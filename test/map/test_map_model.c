/* SPDX-License-Identifier: MIT */
/*
 * test_map_model.c: compares random commands on maps of each kind with plain arrays.
 *
 * All versions are kept and compared again at the end. The hashes of byte strings are weakened in
 * some rounds, so that keys collide.
 */
#include "config.h"

#include "map_support.h"
#include "memory_support.h"
#include "suite.h"

enum { VERSIONS = 300, MOST_BATCH = 60, HASHES = 4 };

/* The number of bits in the hashes of each round. */
static const unsigned hash_bits[HASHES] = {64, 7, 2, 0};

typedef struct versions {
    int form;
    pqt_memory *memory;
    dice d;
    size_t count;
    const pqt_map *maps[VERSIONS];
    map_model models[VERSIONS];
} versions;

/* Static, so that the collector finds the versions. */
static versions all;

static void
add_version(const pqt_map *map, const map_model *model)
{
    const char *wrong = map_differs(all.form, map, model);
    ck_assert_msg(wrong == NULL, "version %zu of form %d: %s", all.count, all.form, wrong);
    all.maps[all.count] = map;
    all.models[all.count++] = *model;
}

static void
change_one_key(size_t from)
{
    map_model model = all.models[from];
    const int k = (int)dice_below(&all.d, MAP_KEYS);
    const int v = dice_chance(&all.d, 60) ? (int)dice_below(&all.d, MAP_VALUES) : NO_VALUE;
    const bool same = model.values[k] == v;
    const pqt_map *map = v == NO_VALUE ? pqt_map_remove(all.maps[from], map_key(all.form, k), NULL)
                                       : pqt_map_insert(all.maps[from], map_key(all.form, k),
                                                        map_value(all.form, v), NULL);
    ck_assert_int_eq(map == all.maps[from], same);
    model.values[k] = v;
    add_version(map, &model);
}

static void
apply_batch(size_t from)
{
    pqt_map_change changes[MOST_BATCH];
    map_model model = all.models[from];
    const size_t count = dice_below(&all.d, MOST_BATCH), removals = dice_below(&all.d, 101);
    for (size_t i = 0; i < count; i++) {
        const int k = (int)dice_below(&all.d, MAP_KEYS), v = (int)dice_below(&all.d, MAP_VALUES);
        const bool removal = dice_chance(&all.d, removals);
        changes[i] = (pqt_map_change){removal ? PQT_MAP_REMOVE : PQT_MAP_INSERT,
                                      map_key(all.form, k), map_value(all.form, v)};
        model.values[k] = removal ? NO_VALUE : v;
    }
    const pqt_map *map = pqt_map_apply(all.maps[from], changes, count, NULL);
    ck_assert_int_eq(map == all.maps[from], equal_models(&model, &all.models[from]));
    add_version(map, &model);
}

static void
merge_three(size_t base)
{
    const size_t ours = dice_below(&all.d, all.count), theirs = dice_below(&all.d, all.count);
    const pqt_map *const maps[] = {all.maps[base], all.maps[ours], all.maps[theirs]};
    const map_model *const models[] = {&all.models[base], &all.models[ours], &all.models[theirs]};
    const pqt_map *merged;
    map_model model;
    const char *wrong =
        merge_differs(all.form, (unsigned)dice_next(&all.d), maps, models, &merged, &model);
    ck_assert_msg(wrong == NULL, "a merge of form %d: %s", all.form, wrong);
    add_version(merged, &model);
}

static void
compare_two(size_t a)
{
    const size_t b = dice_below(&all.d, all.count);
    ck_assert(diff_is_right(all.form, all.maps[a], &all.models[a], all.maps[b], &all.models[b]));
    const bool same = equal_models(&all.models[a], &all.models[b]);
    const pqt_fingerprint x = pqt_map_fingerprint(all.maps[a]),
                          y = pqt_map_fingerprint(all.maps[b]);
    ck_assert_int_eq(x.low == y.low && x.high == y.high, same);
}

static void
run_commands(int form, int which, unsigned bits, uint64_t seed)
{
    pqti_map_weaken_hash(bits);
    all = (versions){.form = form, .memory = make_memory(which), .d = {seed}};
    const map_model none = map_model_make();
    add_version(map_make(form, all.memory), &none);
    while (all.count < VERSIONS) {
        const size_t from = dice_chance(&all.d, 70) ? all.count - 1 : dice_below(&all.d, all.count);
        const size_t command = dice_below(&all.d, 10);
        if (command < 4)
            change_one_key(from);
        else if (command < 8)
            apply_batch(from);
        else
            merge_three(from);
        compare_two(from);
        if (all.count % 50 == 0)
            pqti_collect(all.memory);
    }
    for (size_t i = 0; i < all.count; i++) {
        const char *wrong = map_differs(form, all.maps[i], &all.models[i]);
        ck_assert_msg(wrong == NULL, "version %zu of form %d, at the end: %s", i, form, wrong);
    }
    drop_memory(all.memory);
}

START_TEST(random_edits_and_merges_equal_those_of_plain_arrays)
{
    const uint64_t seed = test_seed("random_edits_and_merges");
    const int which = _i / HASHES % 2;
    if (which >= count_memories())
        return;
    for (size_t round = 0; round < test_scaled(1); round++)
        for (int form = 0; form < MAP_FORMS; form++)
            run_commands(form, which, hash_bits[_i % HASHES], seed + round * MAP_FORMS);
}
END_TEST

/* ---- One shape ---- */

static bool
same_shape(const void *a, const void *b)
{
    if (pqti_map_count_of(a) != pqti_map_count_of(b))
        return false;
    if (!pqti_map_is_inner(a)) {
        const pqti_map_slots x = pqti_map_slots_of(a), y = pqti_map_slots_of(b);
        for (uint64_t i = 0; i < pqti_map_count_of(a); i++) {
            const pqti_map_slots p = pqti_map_slot_at(x, i), q = pqti_map_slot_at(y, i);
            if (p.at->hash != q.at->hash || !pqti_map_equal_values(&p, &q))
                return false;
        }
        return true;
    }
    const pqti_map_inner *x = a, *y = b;
    for (int i = 0; i < PQTI_MAP_BRANCHES; i++)
        if (!same_shape(x->child[i], y->child[i]))
            return false;
    return memcmp(&x->sum, &y->sum, sizeof x->sum) == 0;
}

START_TEST(entries_alone_determine_every_block)
{
    dice d = {test_seed("entries_alone")};
    pqt_memory *memory = make_memory(0);
    pqti_map_weaken_hash(hash_bits[_i % HASHES]);
    for (int form = 0; form < MAP_FORMS; form++) {
        const pqt_map *map = map_make(form, memory);
        map_model model = map_model_make();
        for (int i = 0; i < 600; i++) {
            const int k = (int)dice_below(&d, MAP_KEYS), v = (int)dice_below(&d, MAP_VALUES);
            const bool removal = dice_chance(&d, i < 300 ? 20 : 70);
            map = removal ? pqt_map_remove(map, map_key(form, k), NULL)
                          : pqt_map_insert(map, map_key(form, k), map_value(form, v), NULL);
            model.values[k] = removal ? NO_VALUE : v;
            if (i % 20 == 0)
                ck_assert(same_shape(map->root, map_of_model(form, memory, &model)->root));
        }
    }
    drop_memory(memory);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("map_model");
    TCase *tests = tcase_create("map_model");
    tcase_add_loop_test(tests, random_edits_and_merges_equal_those_of_plain_arrays, 0, 2 * HASHES);
    tcase_add_loop_test(tests, entries_alone_determine_every_block, 0, HASHES);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}

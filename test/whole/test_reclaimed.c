/* SPDX-License-Identifier: MIT */
/*
 * test_reclaimed.c: tests that the library detects a version that was reclaimed while the program
 * still uses it, and that it never reports a live version.
 */
#include "config.h"

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/worlds.h>

#include <stdlib.h>
#include <string.h>

#include "memory_support.h"
#include "misuse.h"
#include "suite.h"

#if PQT_WITH_COLLECTOR
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#endif

#define BOUNDS ((pqt_box){{0, 0}, {1000, 1000}})

static inline pqt_item
item_of(uint64_t id)
{
    const double x = (double)(id * 7919 % 990), y = (double)(id * 104729 % 990);
    return (pqt_item){{{x, y}, {x + 5, y + 5}}, id};
}

/* ---- One kind of version ---- */

typedef struct version_kind {
    pqt_kind kind;
    const void *(*first)(pqt_memory *memory);
    const void *(*edit)(const void *version, uint64_t i); /* its result never equals its argument */
    void (*use)(const void *version);
} version_kind;

static const void *
first_tree(pqt_memory *memory)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = memory;
    return pqt_tree_make(BOUNDS, &options, NULL);
}

static const void *
edit_tree(const void *tree, uint64_t i)
{
    return pqt_tree_insert(tree, item_of(i), NULL);
}

static void
use_tree(const void *tree)
{
    (void)pqt_tree_count(tree);
}

static const void *
first_region(pqt_memory *memory)
{
    return pqt_region_make(memory, NULL);
}

static const void *
edit_region(const void *region, uint64_t i)
{
    const pqt_pixel pixel = {(int32_t)(i % 200), (int32_t)(i / 200)};
    return pqt_region_paint(region, pqt_paint_pixel(PQT_PAINT_SET, pixel), NULL);
}

static void
use_region(const void *region)
{
    (void)pqt_region_count(region);
}

static const void *
first_world(pqt_memory *memory)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = memory;
    return pqt_world_make(BOUNDS, &options, NULL);
}

static const void *
edit_world(const void *world, uint64_t i)
{
    return pqt_world_add(world, (pqt_body){.id = i, .position = {500, 500}, .radius = 1}, NULL);
}

static void
use_world(const void *world)
{
    (void)pqt_world_count(world);
}

static const void *
first_map(pqt_memory *memory)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = memory;
    return pqt_map_make(&options, NULL);
}

static const void *
edit_map(const void *map, uint64_t i)
{
    return pqt_map_insert(map, pqt_map_id(i), pqt_map_number(i), NULL);
}

static void
use_map(const void *map)
{
    (void)pqt_map_count(map);
}

static const void *
first_document(pqt_memory *memory)
{
    const pqt_part part = {.name = "map", .kind = PQT_KIND_MAP, .version = first_map(memory)};
    return pqt_document_make(&part, 1, NULL);
}

static const void *
edit_document(const void *document, uint64_t i)
{
    const pqt_map *map = pqt_document_map(document, "map");
    return pqt_document_set_map(document, "map", edit_map(map, i), NULL);
}

static void
use_document(const void *document)
{
    (void)pqt_document_count(document);
}

static const void *
first_image(pqt_memory *memory)
{
    return pqt_image_make(200, 200, (pqt_rgba){0, 0, 0, 0}, memory, NULL);
}

static const void *
edit_image(const void *image, uint64_t i)
{
    const pqt_pixel pixel = {(int32_t)(i % 200), (int32_t)(i / 200)};
    return pqt_image_set_pixel(image, pixel, (pqt_rgba){9, 9, 9, 255}, NULL);
}

static void
use_image(const void *image)
{
    (void)pqt_image_bounds(image);
}

static const version_kind kinds[] = {
    {PQT_KIND_TREE, first_tree, edit_tree, use_tree},
    {PQT_KIND_MAP, first_map, edit_map, use_map},
    {PQT_KIND_DOCUMENT, first_document, edit_document, use_document},
    {PQT_KIND_REGION, first_region, edit_region, use_region},
    {PQT_KIND_IMAGE, first_image, edit_image, use_image},
    {PQT_KIND_WORLD, first_world, edit_world, use_world},
};

/* The number of kinds in the build. */
enum { KINDS = 3 + 2 * PQT_WITH_PIXELS + PQT_WITH_WORLDS, RUNS = 20 };

/* Expects a message that contains `sentence`, and says how to keep versions. */
static inline void
expect_text(void (*program)(void *), void *context, const char *sentence)
{
    char text[MISUSE_TEXT];
    if (!misuse_can_be_tested())
        return;
    ck_assert(misuse_aborts(program, context, text));
    ck_assert_msg(strstr(text, sentence) != NULL, "%s", text);
    ck_assert_msg(strstr(text, "hold it by a pin") != NULL, "%s", text);
}

static inline void
expect_sentence(void (*program)(void *), void *context)
{
    expect_text(program, context, "the version was reclaimed");
}

#if PQT_WITH_COLLECTOR

/* ---- A typical first program ---- */

typedef struct step {
    struct step *before;
    const void *version;
} step;

static void
undo_by_malloc(void *context)
{
    enum { EDITS = 20000 };
    const version_kind *kind = context;
    step *list = calloc(1, sizeof *list);
    list->version = kind->first(NULL);
    for (uint64_t i = 0; i < EDITS; i++) {
        step *next = malloc(sizeof *next);
        next->before = list;
        next->version = kind->edit(list->version, i);
        list = next;
    }
    for (; list != NULL; list = list->before)
        kind->use(list->version);
}

START_TEST(an_undo_list_in_malloced_memory_stops_the_program_with_a_message)
{
    version_kind kind = kinds[_i / RUNS];
    expect_sentence(undo_by_malloc, &kind);
}
END_TEST

typedef struct document {
    const version_kind *kind;
    const void *now, *saved;
} document;

/* Makes the document in a thread that ends, so that no stack refers to the saved version. */
static bool
open_document(void *context)
{
    document *opened = context;
    REQUIRE(pqt_thread_attach(NULL));
    opened->saved = opened->kind->edit(opened->kind->first(NULL), 0);
    opened->now = opened->kind->edit(opened->saved, 1);
    pqt_thread_detach();
    return true;
}

static void
save_by_malloc(void *kind)
{
    document *opened = malloc(sizeof *opened);
    opened->kind = kind;
    (void)pqt_init(NULL);
    (void)in_thread(open_document, opened);
    for (uint64_t i = 2; i < 5000; i++) {
        opened->now = opened->kind->edit(opened->now, i);
        if (i % 1000 == 999)
            pqti_collect(pqt_collector());
    }
    pqti_collect(pqt_collector());
    opened->kind->use(opened->saved);
}

START_TEST(a_version_held_in_malloced_memory_stops_the_program_with_a_message)
{
    version_kind kind = kinds[_i / RUNS];
    expect_sentence(save_by_malloc, &kind);
}
END_TEST

/* Makes a version to which only memory from malloc refers, and collects. */
static const void *
make_reclaimed_version(const version_kind *kind)
{
    document *opened = malloc(sizeof *opened);
    opened->kind = kind;
    (void)pqt_init(NULL);
    (void)in_thread(open_document, opened);
    (void)!pqt_tree_make(BOUNDS, NULL, NULL); /* introduces the thread to the collector */
    pqti_collect(pqt_collector());
    return opened->saved;
}

static void
use_tree_after_a_collection(void *use)
{
    const pqt_tree *saved = make_reclaimed_version(&kinds[0]);
    pqt_error error = {0};
    size_t count = 0;
    switch (*(const int *)use) {
    case 0:
        (void)pqt_tree_count(saved);
        break;
    case 1:
        (void)!pqt_tree_insert(saved, item_of(7), &error);
        break;
    case 2:
        (void)!pqt_tree_pin(saved, &error);
        break;
    case 3:
        (void)pqt_tree_equals(pqt_tree_make(BOUNDS, NULL, NULL), saved);
        break;
    case 4:
        (void)pqt_diff_collect(pqt_tree_make(BOUNDS, NULL, NULL), saved, NULL, NULL, 0, &count,
                               &error);
        break;
    case 5:
        (void)!pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), saved, NULL, &error);
        break;
    case 6:
        (void)!pqt_head_make(saved, &error);
        break;
    default:
        (void)!pqt_tree_copy(saved, pqt_collector(), &error);
    }
}

START_TEST(each_kind_of_call_notices_a_version_that_the_last_collection_reclaimed)
{
    expect_sentence(use_tree_after_a_collection, &_i);
}
END_TEST

/* Defines use_KIND_after_a_collection, with the calls that all kinds except trees have. */
#define USE_AFTER_A_COLLECTION(kind, KIND, index)                                                  \
    static void use_##kind##_after_a_collection(const int use)                                     \
    {                                                                                              \
        const pqt_##kind *saved = make_reclaimed_version(&kinds[index]);                           \
        const pqt_##kind *other = kinds[index].first(NULL);                                        \
        pqt_error error = {0};                                                                     \
        size_t bytes;                                                                              \
        if (use == 0)                                                                              \
            (void)kinds[index].edit(saved, 7);                                                     \
        else if (use == 1)                                                                         \
            (void)!pqt_##kind##_pin(saved, &error);                                                \
        else if (use == 2)                                                                         \
            (void)pqt_##kind##_equals(other, saved);                                               \
        else if (use == 3)                                                                         \
            (void)pqt_##kind##_check(saved, &error);                                               \
        else if (use == 4)                                                                         \
            (void)!pqt_history_make(pqt_history_kind_of(PQT_KIND_##KIND), saved, NULL, &error);    \
        else if (use == 5)                                                                         \
            (void)!pqt_head_make(saved, &error);                                                   \
        else if (use == 6)                                                                         \
            (void)!pqt_##kind##_copy(saved, pqt_collector(), &error);                              \
        else if (use == 7)                                                                         \
            (void)pqt_##kind##_fingerprint(saved);                                                 \
        else                                                                                       \
            (void)pqt_##kind##_exclusive_bytes(saved, NULL, 0, &bytes, &error);                    \
    }

enum { USES = 9 };

USE_AFTER_A_COLLECTION(region, REGION, 1)
USE_AFTER_A_COLLECTION(world, WORLD, 2)
USE_AFTER_A_COLLECTION(map, MAP, 3)
USE_AFTER_A_COLLECTION(document, DOCUMENT, 4)
USE_AFTER_A_COLLECTION(image, IMAGE, 5)

static void
use_after_a_collection(void *use)
{
    static void (*const uses[])(int use) = {
        use_region_after_a_collection, use_world_after_a_collection, use_map_after_a_collection,
        use_document_after_a_collection, use_image_after_a_collection};
    uses[*(const int *)use / USES](*(const int *)use % USES);
}

START_TEST(calls_with_other_kinds_notice_a_version_that_the_last_collection_reclaimed)
{
    expect_sentence(use_after_a_collection, &_i);
}
END_TEST

/* ---- Live versions ---- */

static const pqt_tree *kept;

START_TEST(versions_of_each_kind_survive_any_number_of_collections)
{
    const version_kind *kind = &kinds[_i];
    const void **collected = GC_malloc(2 * sizeof *collected);
    collected[0] = kind->edit(kind->first(NULL), 0);
    for (uint64_t i = 1; i < 100; i++) {
        pqti_collect(pqt_collector());
        kind->use(collected[0]);
        collected[0] = kind->edit(collected[0], i);
    }
}
END_TEST

START_TEST(versions_that_are_found_survive_any_number_of_collections)
{
    pqt_error error = {0};
    const pqt_tree **collected = GC_malloc(2 * sizeof *collected);
    pqt_pin **pin = malloc(sizeof *pin);
    kept = pqt_tree_make(BOUNDS, NULL, &error);
    *pin = pqt_tree_pin(pqt_tree_insert(kept, item_of(1), &error), &error);
    collected[0] = pqt_tree_insert(pqt_pin_get_tree(*pin), item_of(2), &error);
    for (size_t i = 0; i < 300; i++) {
        if (i % 3 != 0)
            pqti_collect(pqt_collector());
        ck_assert_uint_eq(pqt_tree_count(kept), 0);
        ck_assert_uint_eq(pqt_tree_count(pqt_pin_get_tree(*pin)), 1);
        ck_assert_uint_eq(pqt_tree_count(collected[0]), 2);
        ck_assert(pqt_tree_check(pqt_tree_insert(collected[0], item_of(3), &error), &error));
    }
    pqt_unpin(pin);
    free(pin);
}
END_TEST

static bool
counts_pinned(void *pin)
{
    REQUIRE(pqt_tree_count(pqt_pin_get_tree(pin)) == 1);
    return true;
}

static void *
read_while_the_lock_is_held(void *pin)
{
    return in_thread(counts_pinned, pin) ? pin : NULL;
}

START_TEST(a_thread_that_is_not_attached_reads_a_pinned_version_without_the_collectors_lock)
{
    const pqt_tree *tree = pqt_tree_insert(pqt_tree_make(BOUNDS, NULL, NULL), item_of(1), NULL);
    pqt_pin *pin = pqt_tree_pin(tree, NULL);
    pqti_collect(pqt_collector());
    ck_assert_ptr_nonnull(GC_call_with_alloc_lock(read_while_the_lock_is_held, pin));
    pqt_unpin(&pin);
}
END_TEST

/* Collects in steps, so that live versions are temporarily unmarked. */
static bool
edits_while_collections_are_incremental(void *unused)
{
    (void)unused;
    REQUIRE(pqt_init(NULL));
    GC_enable_incremental();
    kept = pqt_tree_make(BOUNDS, NULL, NULL);
    const pqt_tree *tree = kept;
    for (uint64_t i = 0; i < 20000; i++) {
        tree = pqt_tree_insert(tree, item_of(i), NULL);
        (void)GC_collect_a_little();
        REQUIRE(pqt_tree_count(kept) == 0 && pqt_tree_count(tree) == i + 1);
    }
    return true;
}

START_TEST(versions_survive_incremental_collections)
{
    ck_assert(in_child(edits_while_collections_are_incremental, NULL));
}
END_TEST

/* ---- Other blocks at the address of a version ---- */

typedef struct mistaken {
    const void *version;
    const version_kind *for_kind;
} mistaken;

static void
use_as_another_kind(void *context)
{
    const mistaken *m = context;
    m->for_kind->use(m->version);
}

/* At first the version is new. Then the last collection has found it. */
START_TEST(a_version_in_the_place_of_one_of_another_kind_is_named)
{
    const version_kind *kind = &kinds[_i / KINDS], *other = &kinds[_i % KINDS];
    mistaken m = {kind->edit(kind->first(NULL), 1), other};
    char sentence[80];
    snprintf(sentence, sizeof sentence,
             "the version is a%s %s, not a%s %s; or the version was reclaimed",
             kind->kind == PQT_KIND_IMAGE ? "n" : "", pqt_kind_name(kind->kind),
             other->kind == PQT_KIND_IMAGE ? "n" : "", pqt_kind_name(other->kind));
    for (int i = 0; i < 2 && kind != other; i++) {
        expect_text(use_as_another_kind, &m, sentence);
        pqti_collect(pqt_collector());
    }
    kind->use(m.version);
}
END_TEST

/* The block has the size of a tree and is live. Its words look like signs of other collections. */
START_TEST(a_block_in_the_place_of_a_version_is_noticed_and_left_unchanged)
{
    enum { WORDS = 12 };
    const pqt_kind kind = (pqt_kind)_i;
    (void)!pqt_tree_make(BOUNDS, NULL, NULL); /* introduces the thread to the collector */
    uint32_t *block = GC_malloc(WORDS * sizeof *block - 1);
    for (uint32_t later = 2; later < 100; later++) {
        const uint32_t life = 0x8000 | ((uint32_t)GC_get_gc_no() + later);
        for (size_t i = 0; i + 1 < WORDS; i++)
            block[i] = PQTI_SIGN_OF(kind) | life;
        pqti_collect(pqt_collector());
        ck_assert(!pqti_is_alive(block, kind));
        ck_assert(!pqti_is_alive(block + 4, kind)); /* where no block begins */
        for (size_t i = 0; i + 1 < WORDS; i++)
            ck_assert_uint_eq(block[i], PQTI_SIGN_OF(kind) | life);
    }
}
END_TEST

static void
add_collector(TCase *tests)
{
    tcase_add_loop_test(tests, a_version_in_the_place_of_one_of_another_kind_is_named, 0,
                        KINDS * KINDS);
    tcase_add_loop_test(tests, a_block_in_the_place_of_a_version_is_noticed_and_left_unchanged,
                        PQT_KIND_TREE, PQT_KIND_DOCUMENT + 1);
    tcase_add_loop_test(tests, an_undo_list_in_malloced_memory_stops_the_program_with_a_message, 0,
                        KINDS * RUNS);
    tcase_add_loop_test(tests, a_version_held_in_malloced_memory_stops_the_program_with_a_message,
                        0, KINDS * RUNS);
    tcase_add_loop_test(
        tests, each_kind_of_call_notices_a_version_that_the_last_collection_reclaimed, 0, 8);
    tcase_add_loop_test(tests,
                        calls_with_other_kinds_notice_a_version_that_the_last_collection_reclaimed,
                        0, (KINDS - 1) * USES);
    tcase_add_loop_test(tests, versions_of_each_kind_survive_any_number_of_collections, 0, KINDS);
    tcase_add_test(tests, versions_survive_incremental_collections);
    tcase_add_test(tests, versions_that_are_found_survive_any_number_of_collections);
    tcase_add_test(
        tests, a_thread_that_is_not_attached_reads_a_pinned_version_without_the_collectors_lock);
}

#endif

/* AddressSanitizer reports the use of a reclaimed block itself. */
#if !TESTED_WITH_ADDRESS_SANITIZER

typedef struct reclaimed_use {
    pqt_memory *heap;
    const version_kind *kind;
} reclaimed_use;

static void
use_after_reclaiming(void *context)
{
    const reclaimed_use *of = context;
    const void *reclaimed = of->kind->first(of->heap);
    (void)pqt_memory_reclaim(of->heap, PQT_RECLAIM_ALL);
    of->kind->use(reclaimed);
}

/*
 * Makes versions without a pin, of which the last one is used after others were made. These reuse
 * the blocks of lower addresses.
 */
static void
use_after_a_forgotten_pin(void *context)
{
    enum { EDITS = 500, OTHERS = 50 };
    const reclaimed_use *of = context;
    const void *forgotten = of->kind->first(of->heap);
    for (uint64_t i = 0; i < EDITS; i++)
        forgotten = of->kind->edit(forgotten, i);
    (void)pqt_memory_reclaim(of->heap, PQT_RECLAIM_ALL);
    const void *other = of->kind->first(of->heap);
    for (uint64_t i = 0; i < OTHERS; i++)
        other = of->kind->edit(other, i);
    of->kind->use(forgotten);
}

START_TEST(a_heap_notices_a_forgotten_pin_while_other_versions_are_made)
{
    reclaimed_use of = {pqt_heap_make(NULL, NULL), &kinds[_i]};
    expect_sentence(use_after_a_forgotten_pin, &of);
    pqt_heap_destroy(&of.heap);
}
END_TEST

START_TEST(a_heap_notices_a_version_that_it_reclaimed)
{
    reclaimed_use of = {pqt_heap_make(NULL, NULL), &kinds[_i / RUNS]};
    expect_sentence(use_after_reclaiming, &of);
    pqt_heap_destroy(&of.heap);
}
END_TEST

#ifdef PQT_DEBUG

/* Makes and reclaims 8,000 other versions before the use, or twice as many together with their
 * parts. */
static void
use_after_reclaiming_others(void *context)
{
    enum { OTHERS = 8000, AT_ONCE = 500 };
    const reclaimed_use *of = context;
    const void *reclaimed = of->kind->first(of->heap);
    for (uint64_t i = 0; i < OTHERS; i++) {
        if (i % AT_ONCE == 0)
            (void)pqt_memory_reclaim(of->heap, PQT_RECLAIM_ALL);
        (void)of->kind->first(of->heap);
    }
    of->kind->use(reclaimed);
}

START_TEST(a_checked_heap_notices_a_version_that_it_reclaimed_long_ago)
{
    reclaimed_use of = {pqt_heap_make(NULL, NULL), &kinds[_i]};
    expect_sentence(use_after_reclaiming_others, &of);
    pqt_heap_destroy(&of.heap);
}
END_TEST

START_TEST(a_checked_heap_reuses_the_blocks_of_versions)
{
    enum { LIMIT = 1 << 20, EDITS = 100000 };
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.limit = LIMIT;
    pqt_memory *heap = pqt_heap_make(&options, NULL);
    for (uint64_t i = 0; i < EDITS; i++) {
        ck_assert_ptr_nonnull(kinds[_i].edit(kinds[_i].first(heap), i));
        if (i % 100 == 0)
            (void)pqt_memory_reclaim(heap, PQT_RECLAIM_ALL);
    }
    pqt_heap_destroy(&heap);
}
END_TEST

#endif

#endif

int
main(void)
{
    Suite *suite = suite_create("reclaimed");
    TCase *tests = tcase_create("reclaimed");
#if PQT_WITH_COLLECTOR
    add_collector(tests);
#endif
#if !TESTED_WITH_ADDRESS_SANITIZER
    tcase_add_loop_test(tests, a_heap_notices_a_version_that_it_reclaimed, 0, KINDS * RUNS);
    tcase_add_loop_test(tests, a_heap_notices_a_forgotten_pin_while_other_versions_are_made, 0,
                        KINDS);
#endif
#if defined(PQT_DEBUG) && !TESTED_WITH_ADDRESS_SANITIZER
    tcase_add_loop_test(tests, a_checked_heap_notices_a_version_that_it_reclaimed_long_ago, 0,
                        KINDS);
    tcase_add_loop_test(tests, a_checked_heap_reuses_the_blocks_of_versions, 0, KINDS);
#endif
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}

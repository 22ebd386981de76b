/* SPDX-License-Identifier: MIT */
/*
 * test_reclaimed_calls.c: tests that each public function that is given a version notices that a
 * heap has reclaimed it, or that it is NULL.
 *
 * version_calls.inc has a call of each of these functions, and test/check_misuse verifies that none
 * is missing. The call is made once for each version among its arguments, which is then the only
 * one without a pin.
 */
#include "config.h"

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/shapes.h>
#include <pqt/worlds.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "misuse.h"
#include "suite.h"

/* Results are not used, because the calls abort. */
#pragma GCC diagnostic ignored "-Wunused-result"

/* ---- The arguments of the calls ---- */

enum { MOST_VERSIONS = 3 };

static pqt_memory *heap;
static pqt_error *error; /* the error that the calls are given */
static const pqt_tree *t[MOST_VERSIONS];
static const pqt_region *r[MOST_VERSIONS];
static const pqt_world *w[MOST_VERSIONS];
static const pqt_map *m[MOST_VERSIONS];
static const pqt_document *d[MOST_VERSIONS];
static const pqt_image *p[MOST_VERSIONS];
static pqt_query query;
static pqt_mover mover;
static pqt_svg svg;
static const pqt_pair_query pair_query = {.relation = PQT_TOUCHES};
static const pqt_box bounds = {{0, 0}, {100, 100}};
static _Alignas(16) char buffer[4096]; /* for any argument that a call reads or writes */

/* Replaces a callback of any type. The calls abort before they would call it. */
static void
any_function(void)
{
}

static const pqt_sync_peer peer = {.digest = (pqt_fetch_digest_fn *)any_function};

/* ---- The calls ---- */

#define X(function, versions, arguments)                                                           \
    static void call_##function(void)                                                              \
    {                                                                                              \
        (void)function arguments;                                                                  \
    }
#include "version_calls.inc"
#undef X

/* A call, and the kinds of its versions, in the order of its arguments: t, r, w, m, d, or
   p for an image. */
static const struct {
    const char *name;
    void (*call)(void);
    const char *versions;
} calls[] = {
#define X(function, versions, arguments) {#function, call_##function, versions},
#include "version_calls.inc"
#undef X
};
enum { CALLS = sizeof calls / sizeof *calls };

/* ---- Versions ---- */

static const pqt_tree *
make_tree(void)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = heap;
    options.unique_ids = true;
    return pqt_tree_make(bounds, &options, NULL);
}

static const pqt_world *
make_world(void)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = heap;
    return pqt_world_make(bounds, &options, NULL);
}

static const pqt_map *
make_map(void)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = heap;
    return pqt_map_make(&options, NULL);
}

static const pqt_document *
make_document(void)
{
    const pqt_part parts[] = {
        {.name = "tree", .kind = PQT_KIND_TREE, .version = make_tree()},
        {.name = "region", .kind = PQT_KIND_REGION, .version = pqt_region_make(heap, NULL)},
        {.name = "world", .kind = PQT_KIND_WORLD, .version = make_world()},
        {.name = "map", .kind = PQT_KIND_MAP, .version = make_map()}};
    return pqt_document_make(parts, 4, NULL);
}

/* Makes version `i` of each kind. */
static void
make_versions(size_t i)
{
    t[i] = make_tree();
    r[i] = pqt_region_make(heap, NULL);
    w[i] = make_world();
    m[i] = make_map();
    d[i] = make_document();
    p[i] = pqt_image_make(20, 20, (pqt_rgba){0}, heap, NULL);
}

/* Returns the index of argument `at` among the versions of its kind. */
static size_t
index_of(const char *versions, size_t at)
{
    size_t index = 0;
    for (size_t i = 0; i < at; i++)
        index += versions[i] == versions[at];
    return index;
}

typedef struct use {
    size_t call, at;
} use;

/* Pins the versions with index `i`, except the one of the kind `lost`. */
static void
pin_versions(size_t i, char lost)
{
    if (lost != 't')
        (void)pqt_tree_pin(t[i], NULL);
    if (lost != 'r')
        (void)pqt_region_pin(r[i], NULL);
    if (lost != 'w')
        (void)pqt_world_pin(w[i], NULL);
    if (lost != 'm')
        (void)pqt_map_pin(m[i], NULL);
    if (lost != 'd')
        (void)pqt_document_pin(d[i], NULL);
    if (lost != 'p')
        (void)pqt_image_pin(p[i], NULL);
}

/* Makes the call with version `at` reclaimed. */
static void
use_reclaimed(void *context)
{
    const use *of = context;
    const char *versions = calls[of->call].versions;
    const size_t lost = index_of(versions, of->at);
    for (size_t i = 0; i < MOST_VERSIONS; i++) {
        make_versions(i);
        pin_versions(i, i == lost ? versions[of->at] : '\0');
    }
    query = pqt_query_all();
    svg = (pqt_svg){.stream = stdout, .half_extent = 50, .scale = 1, .on_map = true};
    mover = pqt_mover_circle(1, (pqt_vec){0, 0}, (pqt_vec){1, 0});
    (void)pqt_memory_reclaim(heap, PQT_RECLAIM_ALL);
    calls[of->call].call();
}

/* Works in a new folder, whose name it writes, until end_in_empty_folder. */
static void
begin_in_empty_folder(char folder[MISUSE_TEXT])
{
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, MISUSE_TEXT, "%s/pqt-reclaimed-XXXXXX",
             temporary == NULL ? "/tmp" : temporary);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

/* Verifies that no call has left a file, such as the one that a save would have renamed. */
static void
end_in_empty_folder(const char *folder)
{
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_msg(rmdir(folder) == 0, "a call has left a file in %s", folder);
}

/* Returns true if the use of a reclaimed version stops the program with the sentence. */
static bool
is_noticed(use of)
{
    char text[MISUSE_TEXT];
    fflush(stdout); /* the child must not write it again */
    const bool aborts = misuse_aborts(use_reclaimed, &of, text);
    if (aborts && strstr(text, "the version was reclaimed") != NULL)
        return true;
    printf("# %s does not notice version %zu: %s\n", calls[of.call].name, of.at + 1, text);
    return false;
}

START_TEST(each_function_notices_a_version_that_a_heap_reclaimed)
{
    size_t missed = 0;
    char folder[MISUSE_TEXT];
    if (!misuse_can_be_tested())
        return;
    begin_in_empty_folder(folder);
    heap = pqt_heap_make(NULL, NULL);
    ck_assert_ptr_nonnull(heap);
    for (size_t call = 0; call < CALLS; call++)
        for (size_t at = 0; at < strlen(calls[call].versions); at++)
            missed += !is_noticed((use){call, at});
    ck_assert_uint_eq(missed, 0);
    pqt_heap_destroy(&heap);
    end_in_empty_folder(folder);
}
END_TEST

/* ---- Versions that are NULL ---- */

static void
set_null(char kind, size_t i)
{
    if (kind == 't')
        t[i] = NULL;
    else if (kind == 'r')
        r[i] = NULL;
    else if (kind == 'w')
        w[i] = NULL;
    else if (kind == 'm')
        m[i] = NULL;
    else if (kind == 'p')
        p[i] = NULL;
    else
        d[i] = NULL;
}

static void
prepare_null(const use *of)
{
    const char *versions = calls[of->call].versions;
    for (size_t i = 0; i < MOST_VERSIONS; i++)
        make_versions(i);
    set_null(versions[of->at], index_of(versions, of->at));
    query = pqt_query_all();
    svg = (pqt_svg){.stream = stdout, .half_extent = 50, .scale = 1, .on_map = true};
    mover = pqt_mover_circle(1, (pqt_vec){0, 0}, (pqt_vec){1, 0});
}

#define RETURNS "each call returns"

/* Makes the call without an error, and then with a used one, which it must leave alone. */
static void
use_null(void *context)
{
    const use *of = context;
    pqt_error used;
    memset(&used, 0x5a, sizeof used);
    used.status = PQT_ERROR_BOX;
    const pqt_error before = used;
    prepare_null(of);
    error = NULL;
    calls[of->call].call();
    error = &used;
    calls[of->call].call();
    fputs(memcmp(&used, &before, sizeof used) == 0 ? RETURNS : "the used error changed", stderr);
    abort();
}

/* No earlier call has failed, so a version that is NULL is a mistake of the caller. */
static void
use_null_without_failure(void *context)
{
    pqt_error empty = {0};
    prepare_null(context);
    error = &empty;
    calls[((const use *)context)->call].call();
}

/* Returns true if a function is documented to accept NULL for a version in any case: the part of a
   document that is NULL is NULL, pairs of a tree with NULL are those within it, and a zone may have
   no region. */
static bool
accepts_null(use of)
{
    static const struct {
        const char *name;
        size_t at;
    } accepted[] = {{"pqt_document_part", 0},
                    {"pqt_pairs_collect", 1},
                    {"pqt_pairs_count", 1},
                    {"pqt_pairs_visit", 1},
                    {"pqt_world_visit_crossings", 2}};
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++)
        if (strcmp(calls[of.call].name, accepted[i].name) == 0 && of.at == accepted[i].at)
            return true;
    return false;
}

/* Returns true if the program is stopped with a message that names NULL. */
static bool
names_null(const char *text)
{
    return strstr(text, " is NULL") != NULL || strstr(text, " are NULL") != NULL;
}

/* Some functions accept NULL if an earlier call may have failed, and the others stop the program.
   None crashes or computes with the other versions. */
static bool
survives_null(use of)
{
    char text[MISUSE_TEXT];
    fflush(stdout); /* the children must not write it again */
    const bool is_safe =
        misuse_aborts(use_null, &of, text) && (strcmp(text, RETURNS) == 0 || names_null(text));
    if (!is_safe)
        printf("# %s, version %zu is NULL: %s\n", calls[of.call].name, of.at + 1, text);
    if (accepts_null(of))
        return is_safe;
    const bool is_mistake = misuse_aborts(use_null_without_failure, &of, text) && names_null(text);
    if (!is_mistake)
        printf("# %s, version %zu is NULL without a failure: %s\n", calls[of.call].name, of.at + 1,
               text);
    return is_safe && is_mistake;
}

START_TEST(each_version_of_each_function_may_be_null_after_a_failure_or_stops_the_program)
{
    size_t missed = 0;
    if (!misuse_can_be_tested())
        return;
    heap = pqt_heap_make(NULL, NULL);
    ck_assert_ptr_nonnull(heap);
    for (size_t call = 0; call < CALLS; call++)
        for (size_t at = 0; at < strlen(calls[call].versions); at++)
            missed += !survives_null((use){call, at});
    ck_assert_uint_eq(missed, 0);
    pqt_heap_destroy(&heap);
}
END_TEST

/* ---- Functions for any kind of version ---- */

/* The kind of a version, and whether the call is that of a history or of any_version.h. */
typedef struct generic_use {
    pqt_kind kind;
    int call;
} generic_use;

static const void *
version_of(pqt_kind kind, size_t i)
{
    const void *const versions[] = {
        [PQT_KIND_TREE] = t[i], [PQT_KIND_REGION] = r[i],   [PQT_KIND_WORLD] = w[i],
        [PQT_KIND_MAP] = m[i],  [PQT_KIND_DOCUMENT] = d[i], [PQT_KIND_IMAGE] = p[i]};
    return versions[kind];
}

static void
push_reclaimed(const generic_use *of, bool keep_equal)
{
    const pqt_history_entry_info info = {.keep_equal = keep_equal};
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(of->kind), version_of(of->kind, 0), NULL, NULL);
    (void)pqt_memory_reclaim(heap, PQT_RECLAIM_ALL);
    (void)pqt_history_push(history, version_of(of->kind, 1), &info, NULL);
}

enum { GENERIC_CALLS = 15 };

static void
use_reclaimed_of_any_kind(void *context)
{
    const generic_use *of = context;
    make_versions(0);
    make_versions(1);
    if (of->call < 2) {
        push_reclaimed(of, of->call == 1);
        return;
    }
    const void *version = version_of(of->kind, 1);
    (void)pqt_memory_reclaim(heap, PQT_RECLAIM_ALL);
    if (of->call == 2)
        (void)pqt_version_pin(version, NULL);
    else if (of->call == 3)
        (void)pqt_version_fingerprint(version);
    else if (of->call == 4)
        (void)pqt_version_check(version, NULL);
    else if (of->call == 5)
        (void)pqt_version_write(version, (pqt_write_fn *)any_function, NULL, NULL);
    else if (of->call == 6)
        (void)pqt_version_save(version, "part", NULL);
    else if (of->call == 7)
        (void)!pqt_head_make(version, NULL);
    else if (of->call == 8)
        (void)pqt_head_publish(NULL, version, NULL);
    else if (of->call == 9)
        (void)pqt_version_count(version);
    else if (of->call == 10)
        (void)pqt_version_shared_bytes(version, version, &(size_t){0}, NULL);
    else if (of->call == 11)
        (void)pqt_version_count_diff(version, version, &(uint64_t){0}, NULL);
    else if (of->call == 12)
        (void)!pqt_version_copy(version, NULL, NULL);
    else if (of->call == 13)
        (void)!pqt_version_copy_all(&version, 1, NULL, &(const void *){NULL}, NULL);
    else
        (void)pqt_history_make(pqt_history_kind_of(of->kind), version, NULL, NULL);
}

START_TEST(functions_of_any_kind_notice_a_version_that_a_heap_reclaimed)
{
    static const pqt_kind kinds[] = {PQT_KIND_TREE, PQT_KIND_REGION,   PQT_KIND_WORLD,
                                     PQT_KIND_MAP,  PQT_KIND_DOCUMENT, PQT_KIND_IMAGE};
    char text[MISUSE_TEXT], folder[MISUSE_TEXT];
    generic_use of = {kinds[_i / GENERIC_CALLS], _i % GENERIC_CALLS};
    if (!misuse_can_be_tested())
        return;
    begin_in_empty_folder(folder);
    heap = pqt_heap_make(NULL, NULL);
    ck_assert_ptr_nonnull(heap);
    ck_assert(misuse_aborts(use_reclaimed_of_any_kind, &of, text));
    ck_assert_msg(strstr(text, "the version was reclaimed") != NULL, "%s", text);
    pqt_heap_destroy(&heap);
    end_in_empty_folder(folder);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("reclaimed calls");
    TCase *tests = tcase_create("reclaimed calls");
    suite_add_tcase(suite, tests);
    /* AddressSanitizer reports the use of a reclaimed block itself. */
    if (TESTED_WITH_ADDRESS_SANITIZER)
        return suite;
    tcase_add_test(tests, each_function_notices_a_version_that_a_heap_reclaimed);
    tcase_add_test(tests,
                   each_version_of_each_function_may_be_null_after_a_failure_or_stops_the_program);
    tcase_add_loop_test(tests, functions_of_any_kind_notice_a_version_that_a_heap_reclaimed, 0,
                        6 * GENERIC_CALLS);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}

/* SPDX-License-Identifier: MIT */
/* test_errors.c: tests calls that report PQT_ERROR_MEMORY, one for each row of a table. */
#include "config.h"

#include <pqt/document.h>
#include <pqt/region.h>
#include <pqt/world.h>

#include "hooks.h"
#include "memory_support.h"
#include "suite.h"

/* Versions in `memory`. Calls copy them to `other`. */
static struct {
    pqt_memory *memory, *other;
    const pqt_tree *tree;
    const pqt_region *region, *overlapping;
    const pqt_world *world;
    const pqt_document *document;
} here;

static const pqt_pixel no_offset = {0, 0};
static const pqt_pixel_run runs[] = {{0, 0, 100}, {1, 3, 50}};

static void
set_scene(void)
{
    const pqt_box bounds = {{0, 0}, {16, 16}};
    pqt_error error = {0};
    here.memory = make_memory(0);
    here.other = make_memory(0);
    pqt_tree_options tree_options = PQT_TREE_DEFAULTS;
    pqt_world_options world_options = PQT_WORLD_DEFAULTS;
    tree_options.memory = world_options.memory = here.memory;
    here.tree = pqt_tree_make(bounds, &tree_options, &error);
    here.tree = pqt_tree_insert(here.tree, (pqt_item){{{1, 1}, {2, 2}}, 1}, &error);
    here.region = pqt_region_of_runs(runs, 2, here.memory, &error);
    here.overlapping = pqt_region_of_runs(&runs[1], 1, here.memory, &error);
    here.overlapping = pqt_region_move(here.overlapping, (pqt_pixel){40, 0}, &error);
    here.world = pqt_world_make(bounds, &world_options, &error);
    const pqt_part part = {.name = "items", .kind = PQT_KIND_TREE, .version = here.tree};
    here.document = pqt_document_make(&part, 1, &error);
    ck_assert_msg(error.status == PQT_OK, "%s", error.text);
}

/* ---- The calls: each returns true if it succeeded ---- */

typedef bool call_fn(pqt_error *error);

static bool
unpin(pqt_pin *pin)
{
    const bool pinned = pin != NULL;
    if (pinned)
        pqt_unpin(&pin);
    return pinned;
}

static bool
document_copy(pqt_error *error)
{
    return pqt_document_copy(here.document, here.other, error) != NULL;
}

static bool
document_get_stats(pqt_error *error)
{
    pqt_document_stats stats;
    return pqt_document_get_stats(here.document, &stats, error);
}

static bool
document_pin(pqt_error *error)
{
    return unpin(pqt_document_pin(here.document, error));
}

static bool
region_copy(pqt_error *error)
{
    return pqt_region_copy(here.region, here.other, error) != NULL;
}

static bool
region_difference(pqt_error *error)
{
    return pqt_region_difference(here.region, here.overlapping, no_offset, error) != NULL;
}

static bool
region_intersection(pqt_error *error)
{
    return pqt_region_intersection(here.region, here.overlapping, no_offset, error) != NULL;
}

static bool
region_make(pqt_error *error)
{
    return pqt_region_make(here.memory, error) != NULL;
}

static bool
region_of_runs(pqt_error *error)
{
    return pqt_region_of_runs(runs, 2, here.memory, error) != NULL;
}

static bool
region_pin(pqt_error *error)
{
    return unpin(pqt_region_pin(here.region, error));
}

static bool
world_pin(pqt_error *error)
{
    return unpin(pqt_world_pin(here.world, error));
}

static const struct {
    const char *name;
    call_fn *call;
} rows[] = {
    {"pqt_document_copy", document_copy},
    {"pqt_document_get_stats", document_get_stats},
    {"pqt_document_pin", document_pin},
    {"pqt_region_copy", region_copy},
    {"pqt_region_difference", region_difference},
    {"pqt_region_intersection", region_intersection},
    {"pqt_region_make", region_make},
    {"pqt_region_of_runs", region_of_runs},
    {"pqt_region_pin", region_pin},
    {"pqt_world_pin", world_pin},
};
enum { ROWS = sizeof rows / sizeof *rows };

START_TEST(each_failed_allocation_is_reported_as_out_of_memory)
{
    set_scene();
    size_t failures = 0;
    for (bool succeeded = false; !succeeded;) {
        pqt_error error = {0};
        hooks watch = {.fail_at = failures + 1};
        hooks_start(&watch);
        succeeded = rows[_i].call(&error);
        hooks_stop();
        if (!succeeded) {
            ck_assert_msg(error.status == PQT_ERROR_MEMORY, "%s: %s", rows[_i].name, error.text);
            failures++;
        }
    }
    ck_assert_msg(failures > 0, "%s allocates nothing", rows[_i].name);
    drop_memory(here.memory);
    drop_memory(here.other);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("errors");
    TCase *tests = tcase_create("errors");
    tcase_add_loop_test(tests, each_failed_allocation_is_reported_as_out_of_memory, 0, ROWS);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}

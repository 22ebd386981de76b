/* SPDX-License-Identifier: MIT */
/*
 * test_gc_roots.c: tests that heads and pins keep versions alive while the collector runs and
 * allocations fail.
 *
 * Only a pin or a plugin refers to the versions. Each is compared with its own model at the end.
 */
#include "config.h"

#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "head_support.h"
#include "hooks.h"
#include "plain_model.h"
#include "random.h"
#include "suite.h"

START_TEST(a_head_is_a_pin)
{
    use_memory(_i);
    const pqt_tree *tree = small_tree(2);
    pqt_memory *memory = pqt_tree_memory(tree);
    const uint64_t before = pqt_memory_get_stats(memory).pins;
    pqt_head *head = head_of(tree);
    ck_assert_uint_eq(pqt_memory_get_stats(memory).pins, before + 1);
    pqt_head_destroy(&head);
    ck_assert_uint_eq(pqt_memory_get_stats(memory).pins, before);
}
END_TEST

START_TEST(a_pin_of_a_head_keeps_its_version_after_a_publication)
{
    use_memory(_i);
    pqt_error error = {0};
    uint64_t number = 0;
    const pqt_tree *tree = inserted(small_tree(2), cat);
    pqt_head *head = head_of(tree);
    pqt_pin *pin = pqt_head_pin(head, &number, &error);
    ck_assert_uint_eq(number, 1);
    publish(head, inserted(tree, dog));
    pqt_pin *next = pqt_head_pin(head, NULL, &error);
    pqt_head_destroy(&head);
    ck_assert_ptr_eq(pqt_pin_get_tree(pin), tree);
    ck_assert_uint_eq(pqt_tree_count(pqt_pin_get_tree(next)), 2);
    pqt_unpin(&pin);
    pqt_unpin(&next);
}
END_TEST

/* In a child: loads the version of its parent, edits it, and collects. */
static bool
goes_on(pqt_head *head)
{
    pqt_error error = {0};
    uint64_t number = 0;
    for (uint64_t i = 0; i < 64; i++) {
        const pqt_tree *next =
            pqt_tree_insert(pqt_head_load(head, NULL), dot_of_grid(8, (size_t)i), &error);
        if (!pqt_head_publish(head, next, &error))
            return false;
        if (i % 16 == 0)
            pqti_collect(pqt_tree_memory(next));
    }
    const pqt_tree *last = pqt_head_load(head, &number);
    pqt_head_destroy(&head);
    return number == 65 && pqt_tree_count(last) == 65 && pqt_tree_check(last, &error);
}

START_TEST(a_head_works_in_a_child)
{
    int status = -1;
    use_memory(_i);
    const pqt_tree *tree = inserted(small_tree(2), cat);
    pqt_head *head = head_of(tree);
    const pid_t child = fork();
    if (child == 0)
        _exit(goes_on(head) ? EXIT_SUCCESS : EXIT_FAILURE);
    ck_assert(child > 0 && waitpid(child, &status, 0) == child);
    ck_assert_int_eq(status, 0);
    ck_assert_ptr_eq(pqt_head_load(head, NULL), tree);
    pqt_head_destroy(&head);
}
END_TEST

enum { STEPS = 300, KEPT = 60 };

static const pqt_box bounds_of_steps = {{-100, -100}, {100, 100}};

/* An edit to a model. It can be applied again with the same result, as an update may do. */
typedef struct step {
    pqt_change changes[4];
    size_t count;
} step;

static step
draw_step(dice *d, const model *m)
{
    step drawn = {.count = 1 + dice_below(d, 4)};
    for (size_t i = 0; i < drawn.count; i++) {
        double x = dice_real(d) * 220 - 110, y = dice_real(d) * 220 - 110;
        pqt_item fresh = {box(x, y, x + dice_real(d) * 9, y + dice_real(d) * 9), dice_next(d)};
        drawn.changes[i] = inserting(fresh);
        if (m->count > 20 && dice_chance(d, 60)) {
            pqt_item old = m->items[dice_below(d, m->count)];
            drawn.changes[i] = dice_chance(d, 50) ? removing(old) : moving(old, fresh.box);
        }
    }
    return drawn;
}

static const void *
make_step(const void *now, void *context, pqt_error *error)
{
    const step *drawn = context;
    return pqt_tree_apply(now, drawn->changes, drawn->count, error);
}

/* Makes half of the steps by updates, and half by publishing. */
static void
take_step(pqt_head *head, step *drawn, size_t i)
{
    pqt_error error = {0};
    if (i % 2 == 0)
        (void)pqt_head_update(head, make_step, drawn, NULL, &error);
    else
        (void)pqt_head_publish(head, make_step(pqt_head_load(head, NULL), drawn, &error), &error);
    require(error.status == PQT_OK, error.text);
}

static void
expect_model(const model *m, const pqt_tree *tree)
{
    complaint why = {{'\0'}};
    if (!check_version(m, tree, &why))
        ck_abort_msg("%s", why.text);
}

/* Stores a version in a place that the collector scans. If it is NULL, returns the version in that
 * place. */
typedef const pqt_tree *holder(size_t slot, const pqt_tree *tree);

static pqt_pin **pins_in_malloced_memory;

static const pqt_tree *
hold_by_pin(size_t slot, const pqt_tree *tree)
{
    pqt_error error = {0};
    if (tree != NULL)
        pins_in_malloced_memory[slot] = pqt_tree_pin(tree, &error);
    require(error.status == PQT_OK, error.text);
    return pqt_pin_get_tree(pins_in_malloced_memory[slot]);
}

/* Keeps some versions of a head, and checks all of them at the end. */
static void
step_under_collections(size_t every, bool unique, holder *hold)
{
    static model models[KEPT];
    dice d = {test_seed("step_under_collections") + every};
    pqt_tree_options options = options_of(3, 24);
    options.unique_ids = unique;
    hooks watch = {.collect_every = every, .memory = pqt_collector()};
    model m = model_make(bounds_of_steps, &options);
    pqt_head *head = head_of(made(bounds_of_steps, options));
    size_t steps = test_scaled(STEPS), count = 0;
    for (size_t i = 0; i < steps; i++) {
        step drawn = draw_step(&d, &m);
        model_apply(&m, drawn.changes, drawn.count);
        hooks_start(&watch);
        take_step(head, &drawn, i);
        if (i % (steps / KEPT + 1) == 0 && count < KEPT) {
            (void)hold(count, pqt_head_load(head, NULL));
            models[count++] = model_copy(&m);
        }
        hooks_stop();
    }
    expect_model(&m, pqt_head_load(head, NULL));
    pqt_head_destroy(&head);
    for (size_t i = 0; i < count; i++) {
        expect_model(&models[i], hold(i, NULL));
        model_free(&models[i]);
    }
    model_free(&m);
}

/* Each holder is tested with a collection at every Nth allocation, with and without unique ids. */
static const size_t every[] = {1, 7, 100};
enum { WAYS = 2 * sizeof every / sizeof every[0] };

START_TEST(pins_in_malloced_memory_keep_versions_of_a_head)
{
    use_memory(1);
    pins_in_malloced_memory = calloc(KEPT, sizeof *pins_in_malloced_memory);
    ck_assert_ptr_nonnull(pins_in_malloced_memory);
    step_under_collections(every[_i / 2], _i % 2 == 1, hold_by_pin);
    for (size_t i = 0; i < KEPT; i++)
        pqt_unpin(&pins_in_malloced_memory[i]);
    free(pins_in_malloced_memory);
}
END_TEST

/* Only static variables of the plugin refer to the versions. */
START_TEST(static_variables_of_a_plugin_keep_versions_of_a_head)
{
    use_memory(1);
    void *plugin = dlopen("test/.libs/plugin_keeper.so", RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL) {
        fprintf(stderr, "# no plugin, so nothing is tested: %s\n", dlerror());
        return;
    }
    holder *keep = NULL;
    *(void **)&keep = dlsym(plugin, "plugin_keep");
    ck_assert(keep != NULL);
    step_under_collections(every[_i / 2], _i % 2 == 1, keep);
    ck_assert_int_eq(dlclose(plugin), 0);
}
END_TEST

/* ---- Allocations that fail ---- */

/* Calls functions of heads, one of whose allocations may fail. Returns true if all calls
   succeeded. */
static bool
call_all(const pqt_tree *tree, pqt_head *head, pqt_error *error)
{
    pqt_head *other = pqt_head_make(tree, error);
    pqt_pin *pin = pqt_head_pin(head, NULL, error);
    const pqt_tree *now = pqt_head_load(head, NULL);
    const bool published =
        pqt_head_publish(head, now == tree ? pqt_tree_insert(now, dog, error) : tree, error);
    const bool updated = pqt_head_update(head, insert_cat, NULL, NULL, error) != NULL;
    const bool fine = other != NULL && pin != NULL && published && updated;
    ck_assert(fine == (error->status == PQT_OK));
    pqt_head_destroy(&other);
    pqt_unpin(&pin);
    return fine;
}

START_TEST(a_failed_allocation_publishes_only_whole_versions)
{
    use_memory(_i);
    const pqt_tree *tree = small_tree(2);
    pqt_memory *memory = pqt_tree_memory(tree);
    hooks watch = {.fail_at = 0};
    bool fine = false;
    while (!fine) {
        pqt_head *head = head_of(tree);
        pqt_error error = {0};
        watch.fail_at++;
        hooks_start(&watch);
        fine = call_all(tree, head, &error);
        hooks_stop();
        ck_assert_int_eq(error.status, fine ? PQT_OK : PQT_ERROR_MEMORY);
        ck_assert(fine == (watch.failures == 0));
        expect_sound(pqt_head_load(head, NULL));
        ck_assert_uint_eq(pqt_head_number(head) - 1, pqt_tree_count(pqt_head_load(head, NULL)));
        pqt_head_destroy(&head);
    }
    ck_assert_uint_gt(watch.fail_at, 8);
    ck_assert_uint_eq(pqt_memory_get_stats(memory).pins, 0);
}
END_TEST

static void
add_keeping(Suite *suite)
{
    TCase *tests = add_tests(suite, "keeping");
    add_to_each(tests, a_head_is_a_pin);
    add_to_each(tests, a_pin_of_a_head_keeps_its_version_after_a_publication);
    add_to_each(tests, a_head_works_in_a_child);
    add_to_each(tests, a_failed_allocation_publishes_only_whole_versions);
    if (pqt_collector() == NULL)
        return;
    tcase_add_loop_test(tests, pins_in_malloced_memory_keep_versions_of_a_head, 0, WAYS);
    tcase_add_loop_test(tests, static_variables_of_a_plugin_keep_versions_of_a_head, 0, WAYS);
}

int
main(void)
{
    Suite *suite = suite_create("keeping");
    add_keeping(suite);
    return run_suite(suite);
}

/* SPDX-License-Identifier: MIT */
/*
 * test_merge_countries.c: tests merging the edits that two people make to the countries of the
 * world.
 */
#include "config.h"

#include <stdio.h>

#include <pqt/merge.h>
#include <pqt/tree.h>

#include "merge_support.h"
#include "options_support.h"
#include "plain_model.h"
#include "random.h"
#include "suite.h"
#include "tree_support.h"

enum { COUNTRY_PARTS = 5000, SESSION_EDITS = 1000, SESSION_ROOM = 8000 };

typedef struct item_set {
    pqt_item *items;
    size_t count;
} item_set;

static item_set
set_make(void)
{
    item_set set = {malloc(SESSION_ROOM * sizeof(pqt_item)), 0};
    ck_assert_ptr_nonnull(set.items);
    return set;
}

static void
set_put(item_set *set, pqt_item item)
{
    ck_assert_uint_lt(set->count, SESSION_ROOM);
    set->items[set->count++] = item;
}

static item_set
set_copy(const item_set *from)
{
    item_set set = set_make();
    memcpy(set.items, from->items, from->count * sizeof *from->items);
    set.count = from->count;
    return set;
}

static int
by_id_and_box(const void *a, const void *b)
{
    const pqt_item *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return memcmp(x, y, sizeof *x);
}

static void
set_sort(item_set *set)
{
    qsort(set->items, set->count, sizeof *set->items, by_id_and_box);
}

/* Reads lines of the form "name",part,min_lon,min_lat,max_lon,max_lat. The ids are those of the
 * parts or of their countries. */
static item_set
read_countries(bool by_country)
{
    item_set set = set_make();
    char path[4096], line[1024], last[1024] = "";
    const char *top = getenv("srcdir");
    uint64_t country = 0;
    snprintf(path, sizeof path, "%s/docs/examples/data/countries.csv", top == NULL ? "." : top);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s cannot be read", path);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file) != NULL) {
        pqt_box b;
        unsigned part;
        char *rest = strrchr(line, '"');
        ck_assert_ptr_nonnull(rest);
        *rest++ = '\0';
        ck_assert_int_eq(
            sscanf(rest, ",%u,%lf,%lf,%lf,%lf", &part, &b.min.x, &b.min.y, &b.max.x, &b.max.y), 5);
        country += strcmp(line, last) != 0;
        strcpy(last, line);
        set_put(&set, boxed(b, by_country ? country : set.count));
    }
    fclose(file);
    ck_assert_uint_gt(set.count, 4000);
    return set;
}

static const pqt_tree *
tree_of_set(const item_set *set, bool unique)
{
    pqt_tree_options options = options_of(24, 24);
    pqt_error error = {0};
    options.unique_ids = unique;
    const pqt_tree *tree =
        pqt_tree_insert_all(made(box(-180, -90, 180, 90), options), set->items, set->count, &error);
    return must(tree, &error);
}

static pqt_box
nearby(dice *d, pqt_box b)
{
    double x = dice_real(d) * 2 - 1, y = dice_real(d) * 2 - 1;
    return box(b.min.x + x, b.min.y + y, b.max.x + x, b.max.y + y);
}

/* Makes moves, removals and new parts, one at a time, as a user would. */
static const pqt_tree *
edit_session(uint64_t seed, const pqt_tree *tree, item_set *set, bool unique)
{
    dice d = {seed};
    for (size_t i = 0; i < SESSION_EDITS; i++) {
        size_t at = dice_below(&d, set->count), kind = dice_below(&d, 10);
        pqt_item item = set->items[at];
        pqt_box to = nearby(&d, item.box);
        if (kind < 6) {
            tree = moved(tree, item, to);
            set->items[at].box = to;
        } else if (kind < 8) {
            tree = removed(tree, item);
            set->items[at] = set->items[--set->count];
        } else {
            /* Both sessions use the same number for their first new part. */
            pqt_item new = boxed(to, unique ? COUNTRY_PARTS + i / 2 * 2 : item.id);
            if (unique && pqt_tree_find(tree, new.id, NULL))
                continue;
            tree = inserted(tree, new);
            set_put(set, new);
        }
    }
    set_sort(set);
    return tree;
}

/* Returns the items with an id in a sorted set, beginning at *at, and moves *at past them. */
static pqt_items
next_run(const item_set *set, size_t *at, uint64_t id)
{
    size_t from = *at;
    while (*at < set->count && set->items[*at].id == id)
        ++*at;
    return (pqt_items){set->items + from, *at - from};
}

static bool
same_run(pqt_items a, pqt_items b)
{
    return a.count == b.count &&
           (a.count == 0 || memcmp(a.items, b.items, a.count * sizeof *a.items) == 0);
}

static bool
run_has(pqt_items run, pqt_item item)
{
    for (size_t i = 0; i < run.count; i++)
        if (same_bits(run.items[i], item))
            return true;
    return false;
}

/* Returns the smallest box around some items. */
static pqt_box
around(pqt_items items, pqt_box all, bool *any)
{
    for (size_t i = 0; i < items.count; i++) {
        all = *any ? pqt_box_union(all, items.items[i].box) : items.items[i].box;
        *any = true;
    }
    return all;
}

/* Returns the box that replaces all changed items of an id in conflict. */
static pqt_item
compromise(uint64_t id, pqt_items base, pqt_items ours, pqt_items theirs)
{
    bool any = false;
    pqt_box all = around(base, world_box, &any);
    all = around(ours, all, &any);
    return boxed(around(theirs, all, &any), id);
}

static void
put_unless_there(item_set *set, size_t from, pqt_item item)
{
    if (!run_has((pqt_items){set->items + from, set->count - from}, item))
        set_put(set, item);
}

typedef struct three_runs {
    pqt_items base, ours, theirs;
} three_runs;

/* Merges changed items, which may conflict. All others are unchanged. */
static void
put_compromise(item_set *merged_set, uint64_t id, three_runs r)
{
    item_set touched[3] = {set_make(), set_make(), set_make()};
    pqt_items runs[3] = {r.base, r.ours, r.theirs};
    for (size_t side = 0; side < 3; side++) {
        for (size_t i = 0; i < runs[side].count; i++) {
            pqt_item item = runs[side].items[i];
            bool untouched =
                run_has(r.base, item) && run_has(r.ours, item) && run_has(r.theirs, item);
            if (!untouched)
                set_put(&touched[side], item);
            else if (side == 0)
                set_put(merged_set, item);
        }
    }
    set_put(merged_set, compromise(id, (pqt_items){touched[0].items, touched[0].count},
                                   (pqt_items){touched[1].items, touched[1].count},
                                   (pqt_items){touched[2].items, touched[2].count}));
    for (size_t side = 0; side < 3; side++)
        free(touched[side].items);
}

static void
put_merged(item_set *merged_set, uint64_t id, three_runs r, pqt_resolution decision,
           size_t *conflicts)
{
    size_t from = merged_set->count;
    bool only_theirs = same_run(r.base, r.ours);
    bool conflict = !only_theirs && !same_run(r.base, r.theirs) && !same_run(r.ours, r.theirs);
    *conflicts += conflict;
    if (conflict && decision == PQT_KEEP_ITEMS) {
        put_compromise(merged_set, id, r);
        return;
    }
    bool take_theirs = conflict ? decision != PQT_KEEP_OURS : only_theirs;
    bool take_ours = conflict ? decision != PQT_KEEP_THEIRS : !only_theirs;
    for (size_t i = 0; i < r.ours.count && take_ours; i++)
        set_put(merged_set, r.ours.items[i]);
    for (size_t i = 0; i < r.theirs.count && take_theirs; i++)
        put_unless_there(merged_set, from, r.theirs.items[i]);
}

/* Returns the merge of sorted sets, computed id by id. */
static item_set
merge_sets(const item_set sets[3], pqt_resolution decision, size_t *conflicts)
{
    item_set all = set_make();
    size_t at[3] = {0, 0, 0};
    *conflicts = 0;
    for (uint64_t id = 0; id <= 2 * COUNTRY_PARTS; id++) {
        three_runs r = {next_run(&sets[0], &at[0], id), next_run(&sets[1], &at[1], id),
                        next_run(&sets[2], &at[2], id)};
        put_merged(&all, id, r, decision, conflicts);
    }
    return all;
}

typedef struct mediator {
    pqt_resolution decision;
    pqt_item answer;
    size_t calls;
} mediator;

static pqt_resolution
mediate(const pqt_conflict *conflict, pqt_items *answer, void *context)
{
    mediator *m = context;
    m->calls++;
    m->answer = compromise(conflict->id, conflict->base, conflict->ours, conflict->theirs);
    if (m->decision == PQT_KEEP_ITEMS)
        *answer = (pqt_items){&m->answer, 1};
    return m->decision;
}

static void
expect_set(const pqt_tree *tree, const item_set *set)
{
    pqt_tree_options options = options_of_tree(tree);
    model m = model_make(pqt_tree_bounds(tree), &options);
    complaint why = {{'\0'}};
    m.items = set->items;
    m.count = set->count;
    ck_assert_msg(check_version(&m, tree, &why), "%s", why.text);
    expect_sound(tree);
}

static void
merge_sessions(const pqt_tree *const trees[3], const item_set sets[3], pqt_resolution decision)
{
    size_t conflicts;
    mediator m = {.decision = decision};
    pqt_merge_options options = PQT_MERGE_DEFAULTS;
    pqt_error error = {0};
    options.resolve = mediate;
    options.context = &m;
    item_set all = merge_sets(sets, decision, &conflicts);
    const pqt_tree *tree = pqt_tree_merge(trees[0], trees[1], trees[2], &options, &error);
    expect_set(must(tree, &error), &all);
    ck_assert_uint_eq(m.calls, conflicts);
    ck_assert_uint_gt(conflicts, 20);
    free(all.items);
}

START_TEST(two_sessions_on_the_countries_are_merged)
{
    static const pqt_resolution decisions[] = {PQT_KEEP_OURS, PQT_KEEP_THEIRS, PQT_KEEP_ITEMS,
                                               PQT_KEEP_BOTH};
    for (int by_country = 0; by_country < 2; by_country++) {
        bool unique = by_country == 0;
        item_set sets[3];
        const pqt_tree *trees[3];
        pqt_error error = {0};
        sets[0] = read_countries(by_country);
        sets[1] = set_copy(&sets[0]);
        sets[2] = set_copy(&sets[0]);
        trees[0] = tree_of_set(&sets[0], unique);
        trees[1] = edit_session(1, trees[0], &sets[1], unique);
        trees[2] = edit_session(2, trees[0], &sets[2], unique);
        set_sort(&sets[0]);
        ck_assert_ptr_null(pqt_tree_merge(trees[0], trees[1], trees[2], NULL, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_CONFLICT);
        for (size_t i = 0; i < (unique ? 3 : 4); i++)
            merge_sessions(trees, sets, decisions[i]);
        for (size_t i = 0; i < 3; i++)
            expect_set(trees[i], &sets[i]);
        for (size_t i = 0; i < 3; i++)
            free(sets[i].items);
    }
}
END_TEST

static void
add_country_tests(Suite *suite)
{
    TCase *tests = add_tests(suite, "countries");
    tcase_add_test(tests, two_sessions_on_the_countries_are_merged);
}

int
main(void)
{
    Suite *suite = suite_create("merge_countries");
    add_country_tests(suite);
    return run_suite(suite);
}

/* SPDX-License-Identifier: MIT */
/* test_pair_delta.c: compares the pairs that began or ended with two plain arrays. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <pqt.h>

#include "hooks.h"
#include "random.h"
#include "suite.h"
#include "tree_bounds.h"
#include "tree_support.h"

enum { ITEMS = 120, ROOM = 2 * ITEMS * ITEMS };

/* The items of a version, in tree order. */
typedef struct listing {
    size_t count;
    pqt_item items[ITEMS];
} listing;

static bool
list_next(const pqt_item *item, void *context)
{
    listing *l = context;
    l->items[l->count++] = *item;
    return true;
}

static listing
list_items(const pqt_tree *tree)
{
    listing l = {.count = 0};
    pqt_tree_visit(tree, NULL, list_next, &l);
    return l;
}

/* An item of either version, or a moved item of both versions, with its index in each. */
typedef struct thing {
    bool was, is;
    size_t before, after;
} thing;

typedef struct things {
    size_t count;
    thing all[2 * ITEMS];
} things;

static bool
has(const listing *l, pqt_item item, size_t *number)
{
    for (*number = 0; *number < l->count; ++*number)
        if (pqt_item_equals(l->items[*number], item))
            return true;
    return false;
}

/* Returns the number of items with an id that one version has and the other does not have. Sets
   *last to the index of the last one. */
static size_t
count_own(const listing *l, const listing *other, uint64_t id, size_t *last)
{
    size_t count = 0, ignored;
    for (size_t i = 0; i < l->count; i++)
        if (l->items[i].id == id && !has(other, l->items[i], &ignored)) {
            count++;
            *last = i;
        }
    return count;
}

/* Lists the items of both versions. An item in both counts once. So does a moved item that is the
 * only changed one with its id. */
static void
list_things(const listing *before, const listing *after, things *t)
{
    size_t only;
    t->count = 0;
    for (size_t i = 0; i < before->count; i++) {
        thing one = {.was = true, .before = i};
        uint64_t id = before->items[i].id;
        one.is = has(after, before->items[i], &one.after) ||
                 (count_own(before, after, id, &only) == 1 &&
                  count_own(after, before, id, &one.after) == 1);
        t->all[t->count++] = one;
    }
    for (size_t i = 0; i < after->count; i++) {
        uint64_t id = after->items[i].id;
        if (!has(before, after->items[i], &only) &&
            (count_own(before, after, id, &only) != 1 || count_own(after, before, id, &only) != 1))
            t->all[t->count++] = (thing){.is = true, .after = i};
    }
}

/* A change of a pair, reported or expected. */
typedef struct turn {
    pqt_pair_change change;
    pqt_item a, b;
} turn;

typedef struct turns {
    size_t count, most; /* the visitor stops at `most` */
    turn all[ROOM];
} turns;

static bool
note_turn(pqt_pair_change change, const pqt_item *a, const pqt_item *b, void *context)
{
    turns *t = context;
    t->all[t->count++] = (turn){change, *a, *b};
    return t->count != t->most;
}

static int
compare_items(const pqt_item *a, const pqt_item *b)
{
    const double x[] = {(double)a->id, a->box.min.x, a->box.min.y, a->box.max.x, a->box.max.y};
    const double y[] = {(double)b->id, b->box.min.x, b->box.min.y, b->box.max.x, b->box.max.y};
    for (size_t i = 0; i < 5; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static int
by_items(const void *x, const void *y)
{
    const turn *a = x, *b = y;
    if (a->change != b->change)
        return a->change < b->change ? -1 : 1;
    int order = compare_items(&a->a, &b->a);
    return order != 0 ? order : compare_items(&a->b, &b->b);
}

static bool
have_odd_sum(const pqt_item *a, const pqt_item *b, void *context)
{
    (void)context;
    return (a->id + b->id) % 2 == 1;
}

/* A filter whose result depends on the boxes, which a move may change, and on the order of the two
   items. */
static bool
first_is_not_wider(const pqt_item *a, const pqt_item *b, void *context)
{
    (void)context;
    return a->box.max.x - a->box.min.x <= b->box.max.x - b->box.min.x;
}

/* Returns true if the items `i` and `j` of a version are a pair, and sets *pair. Sets *first to the
   index of its first item. */
static bool
are_pair(const listing *l, pqt_pair_query query, size_t i, size_t j, turn *pair, size_t *first)
{
    *first = i < j ? i : j;
    size_t second = i < j ? j : i;
    if (query.relation >= PQT_INSIDE &&
        !pqt_box_relates(l->items[*first].box, l->items[second].box, query.relation)) {
        second = *first;
        *first = i < j ? j : i;
    }
    pair->a = l->items[*first];
    pair->b = l->items[second];
    return pqt_box_relates(pair->a.box, pair->b.box, query.relation) &&
           (query.filter == NULL || query.filter(&pair->a, &pair->b, NULL));
}

static void
expect_turns(const listing *before, const listing *after, pqt_pair_query query, turns *t)
{
    static things found;
    list_things(before, after, &found);
    t->count = 0;
    for (const thing *x = found.all; x < found.all + found.count; x++) {
        for (const thing *y = x + 1; y < found.all + found.count; y++) {
            turn then = {.change = PQT_PAIR_ENDED}, now = {.change = PQT_PAIR_BEGAN};
            size_t first_then = 0, first_now = 0;
            bool was = x->was && y->was &&
                       are_pair(before, query, x->before, y->before, &then, &first_then);
            bool is =
                x->is && y->is && are_pair(after, query, x->after, y->after, &now, &first_now);
            bool same_first = (first_then == x->before) == (first_now == x->after);
            if (was && is && (query.relation < PQT_INSIDE || same_first))
                continue;
            if (was)
                t->all[t->count++] = then;
            if (is)
                t->all[t->count++] = now;
        }
    }
}

/* Two versions, their items, and the parameters from which they were drawn. */
typedef struct scene {
    const pqt_tree *before, *after;
    listing old, new;
    const world *here;
    pqt_tree_options options;
    box_layout kind;
    uint64_t names; /* the number of different ids */
} scene;

static void
check_turns(const scene *s, pqt_pair_query query)
{
    static turns reported, expected;
    pqt_error error = {0};
    reported.count = reported.most = 0;
    require(pqt_pairs_visit_changes(s->before, s->after, &query, note_turn, &reported, &error),
            error.text);
    expect_turns(&s->old, &s->new, query, &expected);
    qsort(reported.all, reported.count, sizeof(turn), by_items);
    qsort(expected.all, expected.count, sizeof(turn), by_items);
    ck_assert_msg(reported.count == expected.count, "relation %d: %zu pairs, not %zu",
                  (int)query.relation, reported.count, expected.count);
    for (size_t i = 0; i < reported.count; i++)
        ck_assert_msg(reported.all[i].change == expected.all[i].change &&
                          pqt_item_equals(reported.all[i].a, expected.all[i].a) &&
                          pqt_item_equals(reported.all[i].b, expected.all[i].b),
                      "relation %d: another pair", (int)query.relation);
}

static void
check_all_turns(const scene *s)
{
    for (pqt_relation relation = PQT_TOUCHES; relation <= PQT_COVERS; relation++) {
        check_turns(s, (pqt_pair_query){.relation = relation});
        check_turns(s, (pqt_pair_query){.relation = relation, .filter = have_odd_sum});
        check_turns(s, (pqt_pair_query){.relation = relation, .filter = first_is_not_wider});
    }
}

/* Returns a random valid box without -0.0, as a tree stores it. */
static pqt_box
drawn(dice *d, pqt_box bounds, box_layout kind)
{
    pqt_box box = draw_box(d, bounds, kind);
    return (pqt_box){{box.min.x + 0.0, box.min.y + 0.0}, {box.max.x + 0.0, box.max.y + 0.0}};
}

/* Moves a box by less than its size, as in a frame of a game. A box that would leave the range of
 * doubles does not move. */
static pqt_box
nudged(dice *d, pqt_box box)
{
    double x = (dice_real(d) - 0.5) * (box.max.x - box.min.x);
    double y = (dice_real(d) - 0.5) * (box.max.y - box.min.y);
    pqt_box there = {{box.min.x + x + 0.0, box.min.y + y + 0.0},
                     {box.max.x + x + 0.0, box.max.y + y + 0.0}};
    return pqt_box_is_valid(there) ? there : box;
}

static const pqt_tree *
tree_of_listing(const scene *s, const listing *l)
{
    pqt_error error = {0};
    const pqt_tree *tree = pqt_tree_make(s->here->bounds, &s->options, &error);
    for (size_t i = l->count; i-- > 0;)
        tree = pqt_tree_insert(tree, l->items[i], &error);
    ck_assert_msg(tree != NULL, "%s", error.text);
    return tree;
}

/* Moves some items by short or long distances, removes some, and inserts some with the same or with
 * other ids. */
static void
edit(dice *d, scene *s, size_t edits)
{
    pqt_error error = {0};
    listing held = s->old;
    for (size_t n = 0; n < edits; n++) {
        size_t i = dice_below(d, ITEMS - 1);
        bool is_held = i < held.count && held.count > 0, goes = is_held && dice_chance(d, 20);
        bool near = is_held && dice_chance(d, 60);
        if (is_held)
            s->after = pqt_tree_remove(s->after, held.items[i], &error);
        if (goes) {
            held.items[i] = held.items[--held.count];
            continue;
        }
        uint64_t id = is_held ? held.items[i].id : dice_below(d, s->names);
        pqt_box box = near ? nudged(d, held.items[i].box) : drawn(d, s->here->bounds, s->kind);
        s->after = pqt_tree_insert(s->after, (pqt_item){box, id}, &error);
        held = list_items(s->after);
    }
    ck_assert_msg(s->after != NULL, "%s", error.text);
}

/* Draws two versions. Their ids are unique, or some items have the same id, or all do. */
static void
draw_scene(dice *d, scene *s, pqt_memory *memory)
{
    static const int capacities[] = {1, 2, 24, 64};
    static const uint64_t names[] = {ITEMS, ITEMS / 3, 1};
    *s = (scene){.options = PQT_TREE_DEFAULTS};
    s->kind = (box_layout)dice_below(d, BOX_LAYOUTS);
    s->here = &worlds[dice_below(d, worlds_count)];
    s->options.leaf_capacity = capacities[dice_below(d, 4)];
    s->options.unique_ids = dice_chance(d, 50);
    s->options.memory = memory;
    s->names = s->options.unique_ids ? ITEMS : names[dice_below(d, 3)];
    for (size_t i = 0; i < ITEMS - 1; i++)
        if (!dice_chance(d, 10))
            s->old.items[s->old.count++] =
                (pqt_item){drawn(d, s->here->bounds, s->kind), i % s->names};
    s->before = s->after = tree_of_listing(s, &s->old);
    s->old = list_items(s->before);
    edit(d, s, dice_chance(d, 10) ? 2 * ITEMS : dice_below(d, 30));
    s->new = list_items(s->after);
}

static void
compare_with_arrays(dice *d, pqt_memory *memory, size_t rounds)
{
    static scene s;
    for (size_t round = 0; round < rounds; round++) {
        draw_scene(d, &s, memory == NULL ? arena : memory);
        check_all_turns(&s);
        require(pqt_tree_check(s.before, NULL), "the previous version was changed");
        require(pqt_tree_check(s.after, NULL), "the version after was changed");
        if (memory != NULL)
            continue;
        close_arena();
        open_arena();
    }
}

START_TEST(pair_changes_equal_those_of_plain_arrays)
{
    dice d = {test_seed("pair changes in an arena")};
    compare_with_arrays(&d, NULL, test_scaled(120));
}
END_TEST

START_TEST(pair_changes_in_the_collector_equal_those_of_plain_arrays)
{
    dice d = {test_seed("pair changes on the collector")};
    if (pqt_collector() != NULL)
        compare_with_arrays(&d, pqt_collector(), test_scaled(40));
}
END_TEST

START_TEST(pair_changes_survive_a_collection_at_each_allocation)
{
    static scene s;
    dice d = {test_seed("pair changes while collecting")};
    for (size_t round = 0; round < 3 && pqt_collector() != NULL; round++) {
        draw_scene(&d, &s, pqt_collector());
        hooks watch = {.collect_every = 1, .memory = pqt_collector()};
        hooks_start(&watch);
        check_all_turns(&s);
        hooks_stop();
        ck_assert_uint_gt(watch.collections, 0);
    }
}
END_TEST

static void
note_all(const pqt_tree *before, const pqt_tree *after, pqt_relation relation, turns *t)
{
    pqt_error error = {0};
    t->count = t->most = 0;
    require(pqt_pairs_visit_changes(before, after, &(pqt_pair_query){.relation = relation},
                                    note_turn, t, &error),
            error.text);
}

START_TEST(the_order_of_pair_changes_does_not_depend_on_the_history_of_versions)
{
    static scene s;
    static turns first, second;
    dice d = {test_seed("order of pair changes")};
    for (size_t round = 0; round < test_scaled(30); round++) {
        draw_scene(&d, &s, arena);
        const pqt_tree *stranger = tree_of_listing(&s, &s.new);
        for (pqt_relation relation = PQT_TOUCHES; relation <= PQT_COVERS; relation++) {
            note_all(s.before, s.after, relation, &first);
            note_all(s.before, stranger, relation, &second);
            ck_assert_uint_eq(first.count, second.count);
            for (size_t i = 0; i < first.count; i++)
                ck_assert(by_items(&first.all[i], &second.all[i]) == 0);
        }
    }
}
END_TEST

/* Makes a row of 32 adjacent boxes, and moves every second one down. The id of a box is its index
   modulo `names`. */
static void
make_row(size_t names, const pqt_tree **before, const pqt_tree **after)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    options.leaf_capacity = 2;
    options.memory = arena;
    *before = pqt_tree_make((pqt_box){{0, 0}, {64, 64}}, &options, &error);
    for (size_t i = 0; i < 32; i++) {
        double x = 2 * (double)i;
        *before = pqt_tree_insert(*before, (pqt_item){{{x, 1}, {x + 2, 2}}, i % names}, &error);
    }
    *after = *before;
    for (size_t i = 0; i < 32; i += 2) {
        double x = 2 * (double)i;
        pqt_item item = {{{x, 1}, {x + 2, 2}}, i % names};
        *after = pqt_tree_move(*after, item, (pqt_box){{x, 3}, {x + 2, 4}}, &error);
    }
    ck_assert_msg(*after != NULL, "%s", error.text);
}

START_TEST(each_failed_allocation_is_reported_and_nothing_is_visited)
{
    static turns t;
    const pqt_tree *before, *after;
    pqt_error error = {0};
    hooks watch = {.fail_at = 0};
    bool found = false;
    /* with 7 ids, the table of whole items is needed, too */
    make_row(_i == 0 ? 32 : 7, &before, &after);
    while (!found) {
        error = (pqt_error){0};
        t.count = t.most = 0;
        watch.fail_at++;
        hooks_start(&watch);
        found = pqt_pairs_visit_changes(before, after, &(pqt_pair_query){.relation = PQT_TOUCHES},
                                        note_turn, &t, &error);
        hooks_stop();
        ck_assert(found == (watch.failures == 0));
        ck_assert_int_eq(error.status, found ? PQT_OK : PQT_ERROR_MEMORY);
        ck_assert(found || t.count == 0);
        ck_assert_uint_eq(hooks_kept_blocks(&watch), 0);
    }
    ck_assert_uint_gt(watch.fail_at, _i == 0 ? 4 : 5);
    ck_assert_uint_eq(t.count, 31);
}
END_TEST

START_TEST(a_visitor_stops_the_search_at_any_pair)
{
    static turns all, some;
    const pqt_tree *before, *after;
    make_row(32, &before, &after);
    note_all(before, after, PQT_TOUCHES, &all);
    for (size_t most = 1; most <= all.count; most++) {
        some.count = 0;
        some.most = most;
        ck_assert(!pqt_pairs_visit_changes(
            before, after, &(pqt_pair_query){.relation = PQT_TOUCHES}, note_turn, &some, NULL));
        ck_assert_uint_eq(some.count, most);
        ck_assert(by_items(&some.all[most - 1], &all.all[most - 1]) == 0);
    }
}
END_TEST

START_TEST(invalid_pair_changes_are_refused)
{
    static turns t;
    const pqt_tree *before, *after;
    const pqt_tree *wider = made((pqt_box){{0, 0}, {65, 64}}, options_of(2, 24));
    pqt_error error = {0};
    pqt_pair_query query = {.relation = PQT_TOUCHES};
    make_row(32, &before, &after);
    note_all(before, before, PQT_TOUCHES, &t);
    ck_assert_uint_eq(t.count, 0);
    ck_assert(!pqt_pairs_visit_changes(before, wider, &query, note_turn, &t, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_MISMATCH);
    ck_assert(!pqt_pairs_visit_changes(NULL, after, &query, note_turn, &t, &error));
    ck_assert(!pqt_pairs_visit_changes(before, NULL, &query, note_turn, &t, NULL));
    ck_assert_uint_eq(t.count, 0);
}
END_TEST

enum { SPREAD = 100000, MOVED = 100 };

/* Draws many items. A few of them move by a vector, short or long. */
static void
count_among_many(pqt_vec by, turns *t, pqt_query_stats *stats)
{
    pqt_item *items = malloc(SPREAD * sizeof *items);
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    dice d = {42};
    pqt_error error = {0};
    ck_assert_ptr_nonnull(items);
    for (size_t i = 0; i < SPREAD; i++) {
        pqt_vec min = {dice_real(&d) * 5000, dice_real(&d) * 5000};
        items[i] = (pqt_item){{min, {min.x + dice_real(&d) * 31, min.y + dice_real(&d) * 31}}, i};
    }
    options.memory = arena;
    const pqt_tree *before = pqt_tree_make((pqt_box){{0, 0}, {10000, 10000}}, &options, &error);
    before = pqt_tree_insert_all(before, items, SPREAD, &error);
    const pqt_tree *after = before;
    for (size_t i = 0; i < MOVED; i++) {
        pqt_box box = items[i * 777].box;
        pqt_box there = {pqt_vec_add(box.min, by), pqt_vec_add(box.max, by)};
        after = pqt_tree_move(after, items[i * 777], there, &error);
    }
    ck_assert_msg(after != NULL, "%s", error.text);
    pqt_pair_query query = {.relation = PQT_TOUCHES, .stats = stats};
    t->count = t->most = 0;
    ck_assert(pqt_pairs_visit_changes(before, after, &query, note_turn, t, &error));
    free(items);
}

START_TEST(pair_changes_of_a_few_moves_visit_few_nodes)
{
    static turns t;
    pqt_query_stats near = {0}, far = {0};
    count_among_many((pqt_vec){5, -5}, &t, &near);
    ck_assert_uint_gt(t.count, 10);
    ck_assert_uint_lt(near.nodes + near.leaves, MOVED * 50);
    count_among_many((pqt_vec){4900, 4900}, &t, &far);
    ck_assert_uint_gt(t.count, 10);
    ck_assert_uint_lt(far.nodes + far.leaves, MOVED * 70);
    ck_assert_uint_lt(far.boxes, MOVED * 300);
}
END_TEST

/* A line turns from horizontal to vertical. The box around both positions contains all items, but
   few items are near either line. */
START_TEST(pair_changes_of_a_line_that_turns_test_few_items)
{
    static turns t;
    pqt_item *items = malloc(SPREAD * sizeof *items);
    pqt_query_stats stats = {0};
    pqt_pair_query query = {.relation = PQT_TOUCHES, .stats = &stats};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    const pqt_item line = {{{0, 5000}, {10000, 5001}}, SPREAD};
    dice d = {7};
    pqt_error error = {0};
    ck_assert_ptr_nonnull(items);
    for (size_t i = 0; i < SPREAD; i++) {
        pqt_vec at = {dice_real(&d) * 10000, dice_real(&d) * 10000};
        items[i] = (pqt_item){{at, at}, i};
    }
    options.memory = arena;
    const pqt_tree *before = pqt_tree_make((pqt_box){{0, 0}, {10000, 10000}}, &options, &error);
    before = pqt_tree_insert_all(before, items, SPREAD, &error);
    before = pqt_tree_insert(before, line, &error);
    const pqt_tree *after =
        pqt_tree_move(before, line, (pqt_box){{5000, 0}, {5001, 10000}}, &error);
    ck_assert_msg(after != NULL, "%s", error.text);
    t.count = t.most = 0;
    ck_assert(pqt_pairs_visit_changes(before, after, &query, note_turn, &t, &error));
    ck_assert_uint_gt(t.count, 10);
    ck_assert_uint_lt(stats.boxes, SPREAD / 10);
    free(items);
}
END_TEST

/* Points at one position do not overlap each other, but a box around them overlaps all. */
START_TEST(pair_changes_among_many_identical_boxes_test_few_items)
{
    enum { MANY = ITEMS * ITEMS };
    static pqt_item items[MANY];
    static turns t;
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    pqt_query_stats stats = {0};
    pqt_pair_query query = {.relation = PQT_OVERLAPS, .stats = &stats};
    for (size_t i = 0; i < MANY; i++)
        items[i] = (pqt_item){{{7, 7}, {7, 7}}, i};
    options.unique_ids = true;
    options.memory = arena;
    const pqt_tree *points = pqt_tree_make((pqt_box){{0, 0}, {64, 64}}, &options, &error);
    points = pqt_tree_insert_all(points, items, MANY, &error);
    const pqt_tree *less = pqt_tree_remove_id(points, 5, &error);
    const pqt_tree *around = pqt_tree_move_id(points, 5, (pqt_box){{6, 6}, {8, 8}}, &error);
    ck_assert_msg(around != NULL, "%s", error.text);
    ck_assert(pqt_pairs_visit_changes(points, less, &query, note_turn, &t, &error));
    ck_assert_uint_eq(t.count, 0);
    ck_assert_uint_lt(stats.boxes, 200);
    ck_assert(pqt_pairs_visit_changes(less, around, &query, note_turn, &t, &error));
    ck_assert_uint_eq(t.count, MANY - 1);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("pair_changes");
    TCase *tcase = add_tests(suite, "pair_changes");
    tcase_add_test(tcase, pair_changes_equal_those_of_plain_arrays);
    tcase_add_test(tcase, pair_changes_in_the_collector_equal_those_of_plain_arrays);
    tcase_add_test(tcase, pair_changes_survive_a_collection_at_each_allocation);
    tcase_add_test(tcase, the_order_of_pair_changes_does_not_depend_on_the_history_of_versions);
    tcase_add_loop_test(tcase, each_failed_allocation_is_reported_and_nothing_is_visited, 0, 2);
    tcase_add_test(tcase, a_visitor_stops_the_search_at_any_pair);
    tcase_add_test(tcase, invalid_pair_changes_are_refused);
    tcase_add_test(tcase, pair_changes_of_a_few_moves_visit_few_nodes);
    tcase_add_test(tcase, pair_changes_of_a_line_that_turns_test_few_items);
    tcase_add_test(tcase, pair_changes_among_many_identical_boxes_test_few_items);
    return run_suite(suite);
}

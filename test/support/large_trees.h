/* SPDX-License-Identifier: MIT */
/* large_trees.h: trees of 100,000 boxes from many distributions in arenas, for tests that count
 * costs. */
#ifndef TEST_LARGE_TREES_H
#define TEST_LARGE_TREES_H

#include <math.h>
#include <stdlib.h>

#include <check.h>

#include <pqt/memory.h>
#include <pqt/tree.h>

#include "random.h"

enum { HUNDRED_THOUSAND = 100000, MILLION = 1000000, EDITS = 60 };
enum { MOST_EDIT_BYTES = 8000, MOST_BOXES = 1000 };

static const pqt_box square = {{0, 0}, {10000, 10000}};

static inline pqt_memory *
make_arena(void)
{
    pqt_error error = {0};
    pqt_memory *arena = pqt_arena_make(0, &error);
    ck_assert_msg(arena != NULL, "%s", error.text);
    return arena;
}

typedef pqt_box draw_fn(dice *d);

static inline pqt_box
around(double x, double y, double width, double height)
{
    return (pqt_box){{x - width / 2, y - height / 2}, {x + width / 2, y + height / 2}};
}

static inline pqt_box
uniform(dice *d)
{
    double size = 10000 / sqrt(HUNDRED_THOUSAND);
    double x = dice_real(d) * (10000 - size);
    double y = dice_real(d) * (10000 - size);
    return (pqt_box){{x, y}, {x + dice_real(d) * size, y + dice_real(d) * size}};
}

static inline pqt_box
identical(dice *d)
{
    (void)d;
    return (pqt_box){{1234, 5678}, {1240, 5680}};
}

static inline pqt_box
thin(dice *d)
{
    return around(2500 + dice_real(d) * 5000, dice_real(d) * 10000, 5000, 1);
}

static inline pqt_box
world_sized(dice *d)
{
    double size = 10000 * (1 + dice_real(d) * 0.01);
    return around(5000 + dice_real(d), 5000 + dice_real(d), size, size);
}

static inline pqt_box
clumped(dice *d)
{
    return around(3000 + dice_real(d) * 1e-6, 3000 + dice_real(d) * 1e-6, dice_real(d) * 1e-9,
                  dice_real(d) * 1e-9);
}

/* Returns a box in a square that is a millionth of the world wide, as wide as sixteen of the
   smallest cells. */
static inline pqt_box
crowded(dice *d)
{
    return around(3000 + dice_real(d) * 0.01, 3000 + dice_real(d) * 0.01, dice_real(d) * 1e-5,
                  dice_real(d) * 1e-5);
}

static inline pqt_box
outside(dice *d)
{
    double x = 20000 + dice_real(d) * 10000;
    double y = dice_real(d) * 10000;
    return around(dice_chance(d, 50) ? x : -x, y, dice_real(d) * 30, dice_real(d) * 30);
}

typedef struct mass {
    const char *name;
    draw_fn *draw;
} mass;

static const mass masses[] = {
    {"uniform", uniform},         {"identical", identical}, {"thin", thin},
    {"world-sized", world_sized}, {"clumped", clumped},     {"outside", outside},
    {"crowded", crowded},
};

enum { MASSES = sizeof masses / sizeof *masses };

typedef struct field {
    const char *name;
    dice d;
    pqt_memory *arena;
    pqt_item *items;
    size_t count;
    const pqt_tree *tree;
} field;

/* Draws items, and makes an arena for their tree. */
static inline field
field_draw(const char *name, draw_fn *draw, size_t count)
{
    field f = {name, {test_seed(name)}, make_arena(), NULL, count, NULL};
    f.items = calloc(count, sizeof *f.items);
    for (size_t i = 0; i < count; i++)
        f.items[i] = (pqt_item){draw(&f.d), i};
    return f;
}

static inline field
field_make(const mass *c, size_t count, bool unique)
{
    field f = field_draw(c->name, c->draw, count);
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    options.memory = f.arena;
    options.unique_ids = unique;
    f.tree = pqt_tree_make(square, &options, &error);
    f.tree = pqt_tree_insert_all(f.tree, f.items, count, &error);
    ck_assert_msg(f.tree != NULL, "%s: %s", f.name, error.text);
    ck_assert_uint_eq(pqt_tree_count(f.tree), count);
    return f;
}

static inline void
field_free(field *f)
{
    free(f->items);
    pqt_arena_destroy(&f->arena);
}

/* Returns a random change, often to an item that another change of the batch has inserted, moved or
 * removed. */
static inline pqt_change
draw_dependent_change(field *f, pqt_item *last, bool unique)
{
    pqt_item item = f->items[dice_below(&f->d, f->count)];
    pqt_item fresh = {uniform(&f->d), dice_below(&f->d, 2 * f->count)};
    pqt_change change = {PQT_INSERT, fresh, uniform(&f->d)};
    if (dice_chance(&f->d, 80)) {
        change.kind = dice_chance(&f->d, 75) ? PQT_MOVE : PQT_REMOVE;
        change.item = dice_chance(&f->d, 20) ? *last : item;
        if (unique && dice_chance(&f->d, 50))
            change.kind = change.kind == PQT_MOVE ? PQT_MOVE_ID : PQT_REMOVE_ID;
    }
    bool moves = change.kind == PQT_MOVE || change.kind == PQT_MOVE_ID;
    *last = (pqt_item){moves ? change.to : change.item.box, change.item.id};
    return change;
}

#endif

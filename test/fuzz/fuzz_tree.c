/* SPDX-License-Identifier: MIT */
/*
 * fuzz_tree.c: interprets bytes as commands on versions in four slots, and compares the versions
 * and the answers with models after each command.
 *
 * Every input is valid: each byte is taken modulo the number of its possible values, and bytes past
 * the end are 0. The first five choose the world and the options. The program stops if a version or
 * an answer differs from that of the model.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt/memory.h>
#include <pqt/tree.h>

#include "compare_trees.h"
#include "plain_model.h"
#include "random.h"
#include "replay.h"
#include "tree_bounds.h"

enum { SLOTS = 4, MOST_COMMANDS = 400, MOST_BATCH = 40 };

/* ---- bytes ---- */

/* Takes a number: mostly on lines of a grid, sometimes between or beyond them, rarely any
 * double. */
static double
take_real(input *in, double low, double high)
{
    static const double special[] = {0.0,       -0.0,    NAN,      INFINITY,
                                     -INFINITY, DBL_MAX, -DBL_MAX, 5e-324};
    unsigned kind = take(in);
    double fraction = 0;
    double value;
    uint64_t word;
    if (kind < 160)
        fraction = kind % 65 / 64.0;
    else if (kind < 190)
        fraction = (take(in) * 256 + take(in)) / 65535.0;
    else if (kind < 205)
        return special[kind % 8];
    else if (kind < 230)
        fraction = (double)take(in) / 16 - 8;
    else {
        word = take_word(in);
        memcpy(&value, &word, sizeof value);
        return value;
    }
    return low * (1 - fraction) + high * fraction;
}

static void
put_in_order(double *a, double *b)
{
    double larger = *a;
    if (*a <= *b)
        return;
    *a = *b;
    *b = larger;
}

static pqt_box
take_box(input *in, pqt_box bounds)
{
    unsigned kind = take(in);
    pqt_box box;
    box.min.x = take_real(in, bounds.min.x, bounds.max.x);
    box.min.y = take_real(in, bounds.min.y, bounds.max.y);
    box.max = box.min;
    if (kind % 4 == 0)
        return box;
    if (kind % 4 != 1)
        box.max.x = take_real(in, bounds.min.x, bounds.max.x);
    if (kind % 4 != 2)
        box.max.y = take_real(in, bounds.min.y, bounds.max.y);
    if (kind >= 16) {
        put_in_order(&box.min.x, &box.max.x);
        put_in_order(&box.min.y, &box.max.y);
    }
    return box;
}

/* ---- slots ---- */

typedef struct slot {
    const pqt_tree *tree;
    model m;
} slot;

typedef struct session {
    input in;
    pqt_box bounds;
    pqt_memory *memories[2];
    slot slots[SLOTS];
} session;

/* Returns an item of the tree if the byte is below `old`, otherwise any item. */
static pqt_item
take_item(session *s, const model *m, unsigned old)
{
    unsigned kind = take(&s->in);
    pqt_item item;
    if (m->count > 0 && kind < old)
        return m->items[kind % m->count];
    item.box = take_box(&s->in, s->bounds);
    item.id = kind < 250 ? kind : take_word(&s->in);
    return item;
}

static pqt_change
take_change(session *s, const model *m)
{
    pqt_change change;
    unsigned kind = take(&s->in);
    memset(&change, 0, sizeof change);
    change.kind = kind < 140 ? PQT_INSERT : (pqt_change_kind)(2 + kind % (m->unique ? 4 : 2));
    change.item = take_item(s, m, change.kind == PQT_INSERT ? 16 : 230);
    if (change.kind == PQT_MOVE || change.kind == PQT_MOVE_ID)
        change.to = take_box(&s->in, s->bounds);
    return change;
}

static bool
divisible(const pqt_item *item, void *context)
{
    const uint64_t *divisor = context;
    return item->id % *divisor == 0;
}

static pqt_query
take_query(session *s)
{
    static uint64_t divisors[] = {1, 2, 3, 5};
    unsigned kind = take(&s->in);
    pqt_query query;
    memset(&query, 0, sizeof query);
    query.relation = (pqt_relation)(1 + kind % 4);
    query.window = take_box(&s->in, s->bounds);
    if (kind >= 192) {
        query.filter = divisible;
        query.context = &divisors[kind / 4 % 4];
    }
    return query;
}

/* Stores the result of a call in a slot if it is correct. */
static void
settle(slot *to, const slot *from, model m, model_result must, const pqt_tree *next,
       const pqt_error *error)
{
    complaint why;
    require(check_model_result(must, from->tree, next, error, &why), why.text);
    if (must.status != PQT_OK) {
        model_free(&m);
        return;
    }
    model_free(&to->m);
    *to = (slot){next, m};
    require(check_version(&to->m, to->tree, &why), why.text);
}

/* ---- commands ---- */

static void
change_one(session *s, slot *to, const slot *from)
{
    pqt_change change = take_change(s, &from->m);
    model m = model_copy(&from->m);
    pqt_error error = {0};
    model_result must = model_apply(&m, &change, 1);
    const pqt_tree *next = change_tree(from->tree, &change, &error);
    settle(to, from, m, must, next, &error);
}

static void
change_many(session *s, slot *to, const slot *from)
{
    pqt_change changes[MOST_BATCH];
    size_t count = take(&s->in) % (MOST_BATCH + 1);
    model m = model_copy(&from->m);
    pqt_error error = {0};
    for (size_t i = 0; i < count; i++)
        changes[i] = take_change(s, &from->m);
    model_result must = model_apply(&m, changes, count);
    const pqt_tree *next = pqt_tree_apply(from->tree, changes, count, &error);
    settle(to, from, m, must, next, &error);
}

static void
search(session *s, slot *to, const slot *from)
{
    pqt_query query = take_query(s);
    model m = model_copy(&from->m);
    pqt_error error = {0};
    model_result must = model_search(&m, query);
    const pqt_tree *next = pqt_tree_search(from->tree, &query, &error);
    settle(to, from, m, must, next, &error);
}

static void
clear(slot *to, const slot *from)
{
    model m = model_copy(&from->m);
    pqt_error error = {0};
    model_result must = model_clear(&m);
    settle(to, from, m, must, pqt_tree_clear(from->tree, &error), &error);
}

static void
copy(session *s, slot *to, const slot *from)
{
    pqt_memory *memory = s->memories[take(&s->in) % 2];
    pqt_error error = {0};
    const pqt_tree *next = pqt_tree_copy(from->tree, memory, &error);
    model_result must = {PQT_OK, 0, memory != pqt_tree_memory(from->tree)};
    settle(to, from, model_copy(&from->m), must, next, &error);
}

static void
prepare_diff(session *s, const slot *from)
{
    built_tree *built = model_build(&from->m);
    complaint why;
    require(check_query(built, from->tree, take_query(s), &why), why.text);
    built_free(built);
}

static void
confront(const slot *a, const slot *b)
{
    pqt_error error = {0};
    bool equal = model_equals(&a->m, &b->m);
    require(pqt_tree_equals(a->tree, b->tree) == equal, "equals is wrong");
    require(pqt_tree_shared_bytes(a->tree, b->tree) <= pqt_tree_get_stats(a->tree).bytes,
            "more bytes are shared than exist");
    require(pqt_tree_check(a->tree, &error), error.text);
}

static void
command(session *s)
{
    unsigned which = take(&s->in);
    unsigned places = take(&s->in);
    slot *to = &s->slots[places < 128 ? 0 : places % SLOTS];
    slot *from = places < 192 ? to : &s->slots[places / SLOTS % SLOTS];
    if (which < 130)
        change_one(s, to, from);
    else if (which < 160)
        change_many(s, to, from);
    else if (which < 190)
        search(s, to, from);
    else if (which < 195)
        clear(to, from);
    else if (which < 205)
        copy(s, to, from);
    else if (which < 240)
        prepare_diff(s, from);
    else
        confront(to, from);
}

static void
start(session *s)
{
    static const int capacities[] = {1, 2, 3, 24};
    static const int depths[] = {24, 0, 1, 8, 32};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    s->bounds = worlds[take(&s->in) % worlds_count].bounds;
    s->memories[0] = pqt_arena_make(0, &error);
    s->memories[1] = pqt_arena_make(0, &error);
    options.leaf_capacity = capacities[take(&s->in) % 4];
    options.max_depth = depths[take(&s->in) % 5];
    options.unique_ids = take(&s->in) % 2 == 1;
    options.strict_bounds = take(&s->in) % 8 == 7;
    options.memory = s->memories[0];
    for (int i = 0; i < SLOTS; i++) {
        s->slots[i].tree = pqt_tree_make(s->bounds, &options, &error);
        s->slots[i].m = model_make(s->bounds, &options);
    }
    require(error.status == PQT_OK, error.text);
}

static void
finish_rebuild(session *s)
{
    complaint why;
    for (int i = 0; i < SLOTS; i++) {
        require(check_version(&s->slots[i].m, s->slots[i].tree, &why), why.text);
        model_free(&s->slots[i].m);
    }
    pqt_arena_destroy(&s->memories[0]);
    pqt_arena_destroy(&s->memories[1]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    session s;
    memset(&s, 0, sizeof s);
    s.in = (input){data, size, 0};
    start(&s);
    for (int i = 0; i < MOST_COMMANDS && s.in.at < size; i++)
        command(&s);
    finish_rebuild(&s);
    return 0;
}

/* Makes seed i: a world and options in turn, then random commands, which are mostly single changes
 * at first. */
static void
make_seed(unsigned seed, FILE *file)
{
    dice d = {seed};
    const size_t size = 200 + dice_below(&d, 1600);
    fputc((int)(seed % worlds_count), file);
    fputc((int)(seed / 3 % 4), file);
    fputc((int)(seed / 7 % 5), file);
    fputc((int)(seed / 2 % 2), file);
    fputc(seed % 16 == 15 ? 7 : 0, file);
    for (size_t k = 5; k < size; k++)
        fputc((int)dice_below(&d, k < size / 2 ? 140 : 256), file);
}

const fuzz_target fuzz_this = {"tree", 48, make_seed};

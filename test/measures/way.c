/* SPDX-License-Identifier: MIT */
/*
 * way.c: prints the address of each function that one operation enters, each of them once.
 *
 * ways.py compiles the library with -finstrument-functions, so that each function calls
 * __cyg_profile_func_enter. Everything is in a heap, and the data are fixed, so that the set of
 * functions is the same in each run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt.h>
#if __has_include(<pqt/worlds.h>)
#include <pqt/worlds.h>
#endif

#define NOT_RECORDED __attribute__((no_instrument_function))

enum { MANY = 8192, ITEMS = 10000, BALLS = 60, STEPS = 60, SIDE = 1000 };

static const void *entered[MANY];
static int count;
static bool recording;

void __cyg_profile_func_enter(void *function, void *caller) NOT_RECORDED;
void __cyg_profile_func_exit(void *function, void *caller) NOT_RECORDED;

void
__cyg_profile_func_enter(void *function, void *caller)
{
    (void)caller;
    if (!recording)
        return;
    for (int i = 0; i < count; i++)
        if (entered[i] == function)
            return;
    if (count == MANY)
        abort();
    entered[count++] = function;
}

void
__cyg_profile_func_exit(void *function, void *caller)
{
    (void)function;
    (void)caller;
}

/* Returns a coordinate between 0 and SIDE, from a linear congruential generator. */
NOT_RECORDED static double
draw(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (double)(state >> 40) / (double)(1 << 24) * SIDE;
}

NOT_RECORDED static const pqt_tree *
make_tree(pqt_memory *memory, bool unique, pqt_error *error)
{
    static pqt_item items[ITEMS];
    for (int i = 0; i < ITEMS; i++) {
        const pqt_vec at = {draw(), draw()};
        items[i] = (pqt_item){{at, {at.x + 3, at.y + 3}}, (uint64_t)i};
    }
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = memory;
    options.unique_ids = unique;
    return pqt_tree_of(items, ITEMS, &options, error);
}

/* Makes a world of balls that have moved for STEPS steps. */
NOT_RECORDED static const pqt_world *
make_world(pqt_memory *memory, const pqt_step_options *step, pqt_error *error)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = memory;
    const pqt_world *world = pqt_world_make((pqt_box){{0, 0}, {100, 100}}, &options, error);
    for (int i = 0; i < BALLS; i++) {
        const pqt_body ball = {.id = (uint64_t)i,
                               .position = {5 + 9.1 * (i % 10), 10 + 9.1 * (i / 10)},
                               .velocity = {10 * (i % 7) - 30, 10 * (i % 5) - 20},
                               .radius = 2};
        world = pqt_world_add(world, ball, error);
    }
    for (int i = 0; i < STEPS; i++)
        world = pqt_world_step(world, 0.02, step, error);
    return world;
}

NOT_RECORDED static bool
add_one(const pqt_item *item, void *context)
{
    (void)item;
    ++*(int *)context;
    return true;
}

NOT_RECORDED static bool
record_insert(pqt_memory *memory, bool unique, pqt_error *error)
{
    const pqt_tree *tree = make_tree(memory, unique, error);
    const pqt_item item = {{{500, 500}, {503, 503}}, ITEMS};
    recording = true;
    const pqt_tree *next = pqt_tree_insert(tree, item, error);
    recording = false;
    return next != NULL && pqt_tree_count(next) == ITEMS + 1;
}

NOT_RECORDED static bool
record_window(pqt_memory *memory, pqt_error *error)
{
    const pqt_tree *tree = make_tree(memory, false, error);
    const pqt_query query = {.window = {{500, 500}, {600, 600}}, .relation = PQT_TOUCHES};
    int found = 0;
    recording = true;
    pqt_tree_visit(tree, &query, add_one, &found);
    recording = false;
    return found > 50 && found < 200;
}

/* Records a step of balls that bounce in flight or, in a pile, also rest on each other. */
NOT_RECORDED static bool
record_step(pqt_memory *memory, bool pile, pqt_error *error)
{
    pqt_step_report report;
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.restitution = pile ? 0.5 : 1;
    options.friction = pile ? 0.3 : 0;
    options.gravity.y = pile ? 100 : 0;
    const pqt_world *world = make_world(memory, &options, error);
    options.report = &report;
    recording = true;
    const pqt_world *next = pqt_world_step(world, 0.1, &options, error);
    recording = false;
    return next != NULL && report.contacts > 0 && (report.resting > 0) == pile;
}

NOT_RECORDED static bool
record(const char *operation, pqt_memory *memory, pqt_error *error)
{
    if (strcmp(operation, "window") == 0)
        return record_window(memory, error);
    if (strcmp(operation, "step") == 0 || strcmp(operation, "step-pile") == 0)
        return record_step(memory, strcmp(operation, "step-pile") == 0, error);
    return record_insert(memory, strcmp(operation, "insert-unique") == 0, error);
}

NOT_RECORDED int
main(int argc, char **argv)
{
    pqt_error error = {0};
    pqt_memory *memory = pqt_heap_make(NULL, &error);
    if (argc != 2 || memory == NULL || !record(argv[1], memory, &error)) {
        fprintf(stderr, "way: an operation gave another result than expected. %s\n", error.text);
        return EXIT_FAILURE;
    }
    for (int i = 0; i < count; i++)
        printf("%p\n", entered[i]);
    pqt_heap_destroy(&memory);
    return EXIT_SUCCESS;
}

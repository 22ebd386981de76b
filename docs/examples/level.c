/* SPDX-License-Identifier: MIT */
/*
 * level.c: a level of a game as one document: its ground, coins, balls and best times.
 *
 * The parts are of four kinds and change together, so one undo step covers all of them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/worlds.h>

static pqt_error error;

static void
must(bool done)
{
    if (!done) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
}

/* Returns a level with a flat ground, two coins above it, a rolling ball, and no times. */
static const pqt_document *
new_level(void)
{
    const pqt_pixel_box ground = {{0, 24}, {64, 32}};
    const pqt_item coins[] = {{{{20, 21}, {22, 23}}, 1}, {{{50, 21}, {52, 23}}, 2}};
    const pqt_body ball = {.id = 1, .position = {4, 23}, .velocity = {20, 0}, .radius = 1};
    pqt_map_options texts = PQT_MAP_DEFAULTS;
    texts.keys = PQT_MAP_BYTE_KEYS;
    const pqt_world *balls = pqt_world_make((pqt_box){{0, 0}, {64, 32}}, NULL, &error);
    const pqt_part parts[] = {
        {"ground", PQT_KIND_REGION, pqt_region_of_boxes(&ground, 1, NULL, &error), NULL},
        {"coins", PQT_KIND_TREE, pqt_tree_of(coins, 2, NULL, &error), NULL},
        {"balls", PQT_KIND_WORLD, pqt_world_add(balls, ball, &error), NULL},
        {"times", PQT_KIND_MAP, pqt_map_make(&texts, &error), NULL},
    };
    must(error.status == PQT_OK);
    return pqt_document_make(parts, 4, &error);
}

/* Returns the level with a crater. The other parts are shared with the version before. */
static const pqt_document *
dig(const pqt_document *level, double x)
{
    const pqt_paint crater = pqt_paint_disc(PQT_PAINT_CLEAR, (pqt_vec){x, 24}, 6);
    const pqt_region *ground = pqt_document_region(level, "ground");
    return pqt_document_set_region(level, "ground", pqt_region_paint(ground, crater, &error),
                                   &error);
}

/* Returns the level after some steps. The ball moves on and takes the coins that it touches. */
static const pqt_document *
play(const pqt_document *level, int steps, const char *player)
{
    const pqt_world *balls = pqt_document_world(level, "balls");
    const pqt_tree *coins = pqt_document_tree(level, "coins");
    const pqt_map *times = pqt_document_map(level, "times");
    for (int i = 0; i < steps; i++) {
        pqt_body ball = {0};
        pqt_item coin;
        balls = pqt_world_step(balls, 1.0 / 60, NULL, &error);
        must(balls != NULL && pqt_world_find(balls, 1, &ball));
        const pqt_query near_ball = {.window = pqt_circle_box((pqt_circle){ball.position, 1}),
                                     .relation = PQT_TOUCHES};
        while (pqt_tree_any(coins, &near_ball, &coin))
            coins = pqt_tree_remove(coins, coin, &error);
    }
    times = pqt_map_insert(times, pqt_map_text(player), pqt_map_number((uint64_t)steps), &error);
    level = pqt_document_set_world(level, "balls", balls, &error);
    level = pqt_document_set_tree(level, "coins", coins, &error);
    return pqt_document_set_map(level, "times", times, &error);
}

static void
print_level(const char *title, const pqt_document *level)
{
    pqt_body ball = {0};
    pqt_map_value steps = {0};
    pqt_world_find(pqt_document_world(level, "balls"), 1, &ball);
    const bool played = pqt_map_find(pqt_document_map(level, "times"), pqt_map_text("Ann"), &steps);
    printf("%-12s %3" PRIu64 " pixels of ground, coins: %zu, ball at %.1f, ", title,
           pqt_region_count(pqt_document_region(level, "ground")),
           pqt_tree_count(pqt_document_tree(level, "coins")), ball.position.x);
    printf(played ? "Ann: %" PRIu64 " steps\n" : "not played\n", steps.number);
}

int
main(void)
{
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_DOCUMENT), new_level(), NULL, &error);
    must(history != NULL);
    print_level("new", pqt_history_value(history));
    must(pqt_history_push(history, dig(pqt_history_value(history), 40),
                          &(pqt_history_entry_info){.label = "Dig"}, &error));
    print_level("dug", pqt_history_value(history));
    must(pqt_history_push(history, play(pqt_history_value(history), 90, "Ann"),
                          &(pqt_history_entry_info){.label = "Play"}, &error));
    print_level("played", pqt_history_value(history));
    must(pqt_history_undo(history));
    print_level("one undo", pqt_history_value(history));
    must(pqt_history_undo(history));
    print_level("another", pqt_history_value(history));
    pqt_history_destroy(&history);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * live.c: a game in heads: threads change its world, its ground and its scores at the same time.
 *
 * A head holds the newest version of one kind. An update computes the next version from the newest
 * one and publishes it; if another thread came first, it is repeated, so no change is lost. Loading
 * never waits. A pin keeps a version, here the one that is saved in the background.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/worlds.h>

enum { PLAYERS = 2, STEPS = 200, POINTS = 300, HOLES = 20 };

static pqt_head *balls, *ground, *scores; /* a world, a region and a map */

static void
must(bool done, const pqt_error *error)
{
    if (!done) {
        fprintf(stderr, "%s\n", error->text);
        exit(1);
    }
}

static const void *
step(const void *now, void *context, pqt_error *error)
{
    (void)context;
    return pqt_world_step(now, 1.0 / 60, NULL, error);
}

static const void *
serve(const void *now, void *context, pqt_error *error)
{
    const uint64_t *player = context;
    const pqt_body ball = {.id = *player, .position = {10, 20 + 20 * (double)*player}, .radius = 1};
    return pqt_world_add(now, ball, error);
}

/* Adds a point to the score that all players share. */
static const void *
score(const void *now, void *context, pqt_error *error)
{
    pqt_map_value points = {0};
    (void)context;
    pqt_map_find(now, pqt_map_text("all"), &points);
    return pqt_map_insert(now, pqt_map_text("all"), pqt_map_number(points.number + 1), error);
}

static const void *
dig(const void *now, void *context, pqt_error *error)
{
    const double *x = context;
    return pqt_region_paint(now, pqt_paint_disc(PQT_PAINT_CLEAR, (pqt_vec){*x, 90}, 1.5), error);
}

/* A player serves a ball, scores, and digs holes. */
static void *
play(void *context)
{
    uint64_t *player = context;
    pqt_error error = {0};
    must(pqt_thread_attach(&error), &error); /* required, because its stack refers to versions */
    must(pqt_head_update(balls, serve, player, NULL, &error) != NULL, &error);
    for (int i = 0; i < POINTS; i++)
        must(pqt_head_update(scores, score, NULL, NULL, &error) != NULL, &error);
    for (int i = 0; i < HOLES; i++) {
        double x = 10 + 2 * i + 45 * (double)*player;
        must(pqt_head_update(ground, dig, &x, NULL, &error) != NULL, &error);
    }
    pqt_thread_detach();
    return NULL;
}

static void
print_game(const char *title)
{
    uint64_t steps;
    pqt_map_value points = {0};
    const pqt_world *world = pqt_head_load_world(balls, &steps);
    pqt_map_find(pqt_head_load_map(scores, NULL), pqt_map_text("all"), &points);
    printf("%s: %zu balls in version %" PRIu64 ", %" PRIu64 " points, %" PRIu64 " pixels\n", title,
           pqt_world_count(world), steps, points.number,
           pqt_region_count(pqt_head_load_region(ground, NULL)));
}

int
main(void)
{
    pqt_error error = {0};
    pqt_map_options texts = PQT_MAP_DEFAULTS;
    texts.keys = PQT_MAP_BYTE_KEYS;
    const pqt_pixel_box earth = {{0, 80}, {100, 100}};
    const pqt_region *flat = pqt_region_of_boxes(&earth, 1, NULL, &error);
    const pqt_map *no_scores = pqt_map_make(&texts, &error);
    const pqt_body first = {.id = 9, .position = {50, 70}, .velocity = {30, 0}, .radius = 1};
    const pqt_world *empty = pqt_world_make((pqt_box){{0, 0}, {100, 80}}, NULL, &error);
    balls = pqt_head_make(pqt_world_add(empty, first, &error), &error);
    ground = pqt_head_make(flat, &error);
    scores = pqt_head_make(no_scores, &error);
    must(balls != NULL && ground != NULL && scores != NULL, &error);

    pthread_t threads[PLAYERS];
    uint64_t players[PLAYERS] = {0, 1};
    for (int i = 0; i < PLAYERS; i++)
        if (pthread_create(&threads[i], NULL, play, &players[i]) != 0)
            return fprintf(stderr, "no more threads\n"), 1;
    for (int i = 0; i < STEPS; i++) /* meanwhile, this thread steps the world */
        must(pqt_head_update(balls, step, NULL, NULL, &error) != NULL, &error);
    for (int i = 0; i < PLAYERS; i++)
        pthread_join(threads[i], NULL);
    print_game("played");

    /* These pins keep the old game, while a new round is published. */
    pqt_pin *old_ground = pqt_head_pin(ground, NULL, &error);
    pqt_pin *old_scores = pqt_head_pin(scores, NULL, &error);
    pqt_pin *old_balls = pqt_head_pin(balls, NULL, &error);
    must(old_ground != NULL && old_scores != NULL && old_balls != NULL, &error);
    must(pqt_head_publish(ground, flat, &error), &error);
    must(pqt_head_publish(scores, no_scores, &error), &error);
    must(pqt_head_publish(balls, empty, &error), &error);
    print_game("a new round");
    printf("kept: %zu balls, %zu score, %" PRIu64 " pixels\n",
           pqt_world_count(pqt_pin_get_world(old_balls)),
           pqt_map_count(pqt_pin_get_map(old_scores)),
           pqt_region_count(pqt_pin_get_region(old_ground)));
    pqt_unpin(&old_ground);
    pqt_unpin(&old_scores);
    pqt_unpin(&old_balls);
    pqt_head_destroy(&ground);
    pqt_head_destroy(&scores);
    pqt_head_destroy(&balls);
    return 0;
}

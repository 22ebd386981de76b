/* SPDX-License-Identifier: MIT */
/*
 * balls.c: a fast ball hits a row of balls. Each step is a version, and any step can be restored.
 *
 * The first ball is fast enough to cross the row and leave the box within one frame. Steps process
 * each contact at its time, so the impulse passes from ball to ball and returns from the wall.
 */
#include <stdio.h>

#include <pqt.h>
#include <pqt/worlds.h>

enum { ROW = 4, FRAMES = 6, PAST = 2 };

static void
print_row(const char *name, const pqt_world *world)
{
    printf("%s:", name);
    for (uint64_t id = 0; id <= ROW; id++) {
        pqt_body body;
        if (pqt_world_find(world, id, &body))
            printf(" %g (%+g/s)", body.position.x, body.velocity.x);
    }
    puts("");
}

int
main(void)
{
    pqt_error error = {0};
    const pqt_world *world = pqt_world_make((pqt_box){{0, 0}, {100, 20}}, NULL, &error);
    pqt_body shot = {.id = 0, .position = {10, 10}, .velocity = {480, 0}, .radius = 1};
    world = pqt_world_add(world, shot, &error);
    for (uint64_t id = 1; id <= ROW; id++) {
        pqt_body ball = {.id = id, .position = {20 + 10 * (double)id, 10}, .radius = 1};
        world = pqt_world_add(world, ball, &error);
    }

    pqt_recording *run = pqt_recording_make(world, 0.25, NULL, 4, &error);
    if (run == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;
    for (int frame = 0; frame < FRAMES && world != NULL; frame++) {
        char name[20];
        snprintf(name, sizeof name, "frame %d", frame);
        print_row(name, world);
        world = pqt_recording_step(run, NULL, &error);
    }
    const pqt_world *past = pqt_recording_at(run, PAST, &error);
    if (world == NULL || past == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;
    print_row("back to 2", past);
    printf("worlds kept: %zu of %zu\n", pqt_recording_kept(run), pqt_recording_last(run) + 1);

    /* A part of a world is a world, too. */
    const pqt_query left = {.window = {{0, 0}, {35, 20}}, .relation = PQT_TOUCHES};
    const pqt_world *balls_on_the_left = pqt_world_search(past, &left, &error);
    if (balls_on_the_left == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;
    print_row("on the left", balls_on_the_left);
    pqt_recording_destroy(&run);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * crater.c: balls settle in a hollow of a hill of pixels, an explosion makes a crater, and undo
 * restores the hill.
 *
 * The ground is part of the world's version, so undo is a pointer assignment.
 */
#include <stdio.h>

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/worlds.h>

enum { WIDTH = 60, HEIGHT = 24 };

/* Prints one character for each pixel of the ground and each ball. */
static void
draw(const pqt_world *world)
{
    const pqt_obstacle ground = pqt_world_get_obstacle(world);
    for (int32_t y = 12; y < HEIGHT - 1; y++) {
        for (int32_t x = 0; x < WIDTH; x++) {
            const pqt_vec middle = {x + 0.5, y + 0.5};
            pqt_near_body near;
            const bool ball = pqt_world_nearest(world, middle, &near, 1) == 1 && near.distance == 0;
            const bool full = pqt_region_contains(ground.region, (pqt_pixel){x, y});
            putchar(ball ? 'o' : full ? '#' : ' ');
        }
        putchar('\n');
    }
}

static const pqt_world *
run(const pqt_world *world, int steps, pqt_error *error)
{
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.restitution = 0.3;
    options.gravity = (pqt_vec){0, 30};
    options.damping = 0.4;
    for (int i = 0; i < steps; i++)
        world = pqt_world_step(world, 0.02, &options, error);
    return world;
}

int
main(void)
{
    pqt_error error = {0};
    const pqt_box bounds = {{0, 0}, {WIDTH, HEIGHT}};
    const pqt_world *world = pqt_world_make(bounds, NULL, &error);
    if (world == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;

    /* The ground is a part of the world, so it is in the same memory. */
    const pqt_region *ground = pqt_region_make(pqt_world_memory(world), &error);
    ground = pqt_region_paint(
        ground, pqt_paint_box(PQT_PAINT_SET, (pqt_pixel_box){{0, 16}, {60, 24}}), &error);
    ground =
        pqt_region_paint(ground, pqt_paint_disc(PQT_PAINT_CLEAR, (pqt_vec){30, 8}, 13), &error);
    world = pqt_world_set_obstacle(world, (pqt_obstacle){ground, {0, 0}}, &error);
    for (uint64_t id = 0; id < 6; id++) {
        const pqt_body ball = {.id = id, .position = {4.5 + 10 * (double)id, 6}, .radius = 1.5};
        world = pqt_world_add(world, ball, &error);
    }
    const pqt_world *before = run(world, 400, &error);
    if (before == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;
    puts("in the hollow:");
    draw(before);

    const pqt_region *dug =
        pqt_region_paint(ground, pqt_paint_disc(PQT_PAINT_CLEAR, (pqt_vec){16, 18}, 5), &error);
    const pqt_world *after = pqt_world_set_obstacle(before, (pqt_obstacle){dug, {0, 0}}, &error);
    after = run(after, 400, &error);
    if (after == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;
    puts("after the blast:");
    draw(after);

    pqt_body ball;
    size_t inside = 0;
    for (uint64_t id = 0; id < 6; id++)
        if (pqt_world_find(after, id, &ball))
            inside += pqt_world_is_obstructed(after, (pqt_circle){ball.position, ball.radius});
    printf("balls in the ground: %zu; the hill before the blast %s\n", inside,
           pqt_world_get_obstacle(before).region == ground ? "is unchanged" : "is gone");
    return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * cmd_simulate_balls.c: makes the initial world of `pqt simulate`.
 *
 * Each ball starts in a cell of its own, of size 10 x 10, so balls do not overlap, and they fill
 * about 30 % of the box. With an obstacle, balls start only in cells without pixels, and are spread
 * evenly over them. If there are not enough such cells, the sizes of cells and balls and the speeds
 * are halved until there are.
 */
#include "config.h"

#include "tool/simulate_task.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/worlds.h>

#include "tool/input_png.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/tool_memory.h"

#define CELL 10.0
#define LEAST_RADIUS 2.0
#define MOST_RADIUS 4.0
#define LEAST_SPEED 30.0
#define MOST_SPEED 180.0

enum { MOST_HALVINGS = 6 };

/* The maximum number of pixels in the box of an obstacle. There is a limit because each cell of the
   box is tested. */
#define MOST_PIXELS INT64_C(268435456)

/* Returns the next number from a splitmix64 generator. Source: G. Steele, D. Lea, C. Flood, "Fast
   splittable pseudorandom number generators", 2014. */
uint64_t
simulate_next_bits(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static double
draw_number(uint64_t *state, double least, double most)
{
    return least + (most - least) * ((double)(simulate_next_bits(state) >> 11) * 0x1p-53);
}

/* Returns a velocity whose speed is in the range and whose direction is uniformly distributed. It
   is found by rejection sampling from a square. */
static pqt_vec
draw_velocity(uint64_t *state)
{
    pqt_vec v;
    do
        v = (pqt_vec){draw_number(state, -MOST_SPEED, MOST_SPEED),
                      draw_number(state, -MOST_SPEED, MOST_SPEED)};
    while (!(pqt_vec_length(v) >= LEAST_SPEED && pqt_vec_length(v) <= MOST_SPEED));
    return v;
}

static pqt_body
draw_ball(uint64_t *state, size_t id, pqt_vec cell, double side)
{
    const double scale = side / CELL; /* always a power of two */
    double radius = draw_number(state, LEAST_RADIUS, MOST_RADIUS) * scale;
    pqt_body ball = {.id = id, .radius = radius};
    ball.position.x = draw_number(state, cell.x + radius, cell.x + side - radius);
    ball.position.y = draw_number(state, cell.y + radius, cell.y + side - radius);
    ball.velocity = pqt_vec_scale(draw_velocity(state), scale);
    return ball;
}

/* ---- Cells ---- */

/* The upper left corners of the cells in which balls may start. */
typedef struct cells {
    double side;
    pqt_vec *corners;
    size_t count, capacity;
} cells;

static void
add_cell(cells *all, pqt_vec corner)
{
    all->corners = xgrow(all->corners, &all->capacity, all->count + 1, sizeof *all->corners);
    all->corners[all->count++] = corner;
}

/* Returns the cells of a box that contain no pixel, row by row. */
static cells
free_cells(pqt_box bounds, const pqt_region *pixels, double side)
{
    cells all = {.side = side};
    for (double y = bounds.min.y; y + side <= bounds.max.y; y += side)
        for (double x = bounds.min.x; x + side <= bounds.max.x; x += side)
            if (!pqt_region_overlaps_box(pixels, (pqt_box){{x, y}, {x + side, y + side}}))
                add_cell(&all, (pqt_vec){x, y});
    return all;
}

/* Returns one cell per ball, and the square box that contains these cells. */
static cells
square_of_cells(size_t balls, pqt_box *bounds)
{
    const size_t across = (size_t)ceil(sqrt((double)balls)), down = (balls + across - 1) / across;
    cells all = {.side = CELL};
    *bounds = (pqt_box){{0, 0}, {(double)across * CELL, (double)down * CELL}};
    for (size_t i = 0; i < balls; i++)
        add_cell(&all, (pqt_vec){(double)(i % across) * CELL, (double)(i / across) * CELL});
    return all;
}

/* ---- World ---- */

static const pqt_region *
read_obstacle(const char *file, pqt_box *bounds)
{
    pqt_png_options reading = PQT_PNG_DEFAULTS;
    reading.memory = tool_memory();
    const image picture = image_read(file, &reading);
    const int64_t width = (int64_t)picture.frame.max.x - picture.frame.min.x;
    const int64_t height = (int64_t)picture.frame.max.y - picture.frame.min.y;
    if (width * height > MOST_PIXELS)
        die(file, 0, "the box of the obstacle has more than %s pixels (%" PRId64 " x %" PRId64 ")",
            grouped((uint64_t)MOST_PIXELS).text, width, height);
    *bounds = (pqt_box){{picture.frame.min.x, picture.frame.min.y},
                        {picture.frame.max.x, picture.frame.max.y}};
    return picture.region;
}

/* Returns the cells between the pixels of the obstacle. The size of its picture determines the
   bounds. */
static cells
cells_among_pixels(const simulate_request *req, pqt_box bounds, const pqt_region *pixels)
{
    double side = CELL;
    cells all = free_cells(bounds, pixels, side);
    for (int i = 0; i < MOST_HALVINGS && all.count < req->balls; i++) {
        free(all.corners);
        all = free_cells(bounds, pixels, side /= 2);
    }
    if (all.count < req->balls)
        die(req->obstacle, 0, "only %zu balls fit between its pixels (--balls %zu)", all.count,
            req->balls);
    return all;
}

static const pqt_world *
make_world(const simulate_request *req, const cells *all, pqt_box bounds, const pqt_region *pixels)
{
    size_t capacity = 0;
    pqt_body *balls = xgrow(NULL, &capacity, req->balls, sizeof *balls);
    uint64_t state = req->seed;
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    pqt_error error = {0};
    options.memory = tool_memory();
    for (size_t i = 0; i < req->balls; i++)
        balls[i] = draw_ball(&state, i, all->corners[i * all->count / req->balls], all->side);
    const pqt_world *world = pqt_world_make(bounds, &options, &error);
    if (pixels != NULL)
        world = pqt_world_set_obstacle(world, (pqt_obstacle){pixels, {0, 0}}, &error);
    world = pqt_world_add_all(world, balls, req->balls, &error);
    if (world == NULL)
        die_error(NULL, &error);
    free(balls);
    return world;
}

const pqt_world *
simulate_first_world(const simulate_request *req)
{
    const pqt_region *pixels = NULL;
    pqt_box bounds;
    cells all;
    if (req->obstacle != NULL) {
        pixels = read_obstacle(req->obstacle, &bounds);
        all = cells_among_pixels(req, bounds, pixels);
    } else {
        all = square_of_cells(req->balls, &bounds);
    }
    const pqt_world *world = make_world(req, &all, bounds, pixels);
    free(all.corners);
    return world;
}

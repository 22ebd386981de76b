/* SPDX-License-Identifier: MIT */
/* cmd_simulate_view.c: writes the last world of `pqt simulate` as CSV rows and as a picture. */
#include "config.h"

#include "tool/simulate_task.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/worlds.h>

#include "tool/csv_table.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/pixel_boxes.h"
#include "tool/tool_memory.h"

/* ---- Rows ---- */

static bool
write_row(const pqt_body *body, void *stream)
{
    pqt_box box = pqt_circle_box((pqt_circle){body->position, body->radius});
    const double numbers[] = {body->position.x, body->position.y,      body->radius,
                              body->mass,       body->velocity.x,      body->velocity.y,
                              body->angle,      body->angular_velocity};
    fprintf(stream, "%s,%s,%s,%s,%" PRIu64, shortest(box.min.x).text, shortest(box.min.y).text,
            shortest(box.max.x).text, shortest(box.max.y).text, body->id);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        fprintf(stream, ",%s", shortest(numbers[i]).text);
    fputc('\n', stream);
    return true;
}

void
simulate_write_rows(FILE *stream, const pqt_world *world)
{
    fputs("min_x,min_y,max_x,max_y,id,centre_x,centre_y,radius,mass,velocity_x,velocity_y,angle,"
          "angular_velocity\n",
          stream);
    pqt_world_visit(world, NULL, write_row, stream);
}

/* ---- Picture ---- */

static const char style[] = ".pixels{fill:#8a8378;stroke:none}\n"
                            ".cells{stroke:#d2352b;stroke-width:.8;stroke-opacity:.6}\n"
                            ".ball{stroke:#2b5f92;fill:#c3d4e5}\n"
                            ".angle{stroke:#2b5f92;stroke-width:1.4}\n"
                            ".trail{stroke:#2b5f92;stroke-opacity:.45;stroke-width:.8}\n";

/* A picture, and the segments of the trails between two worlds. */
typedef struct drawing {
    pqt_svg *svg;
    const pqt_world *next;
    pqt_segment *segments;
    size_t count;
} drawing;

static bool
add_segment(const pqt_body *body, void *context)
{
    drawing *d = context;
    pqt_body later;
    if (pqt_world_find(d->next, body->id, &later))
        d->segments[d->count++] = (pqt_segment){body->position, later.position};
    return true;
}

static bool
draw_ball(const pqt_body *body, void *context)
{
    pqt_svg_circle(((drawing *)context)->svg, (pqt_circle){body->position, body->radius}, "ball");
    return true;
}

/* Adds a line from the centre of a ball with a spin to the point on its rim that was on the right
   when its angle was 0. */
static bool
add_spoke(const pqt_body *body, void *context)
{
    drawing *d = context;
    const pqt_vec rim = {body->position.x + body->radius * cos(body->angle),
                         body->position.y + body->radius * sin(body->angle)};
    if (body->angle != 0 || body->angular_velocity != 0)
        d->segments[d->count++] = (pqt_segment){body->position, rim};
    return true;
}

static const pqt_world *
world_of(const simulate_trail *trail, size_t step)
{
    return pqt_pin_get_world(trail->pins[step % SIMULATE_TRAIL]);
}

static void
draw_trails(drawing *d, const simulate_trail *trail)
{
    size_t capacity = 0;
    d->segments =
        xgrow(NULL, &capacity, pqt_world_count(world_of(trail, trail->last)), sizeof *d->segments);
    for (size_t step = trail->first; step < trail->last; step++) {
        d->next = world_of(trail, step + 1);
        d->count = 0;
        pqt_world_visit(world_of(trail, step), NULL, add_segment, d);
        pqt_svg_segments(d->svg, d->segments, d->count, "trail");
    }
    free(d->segments);
}

/* Draws the angles of the balls that have a spin. Returns false if there are none. */
static bool
draw_angles(drawing *d, const pqt_world *world)
{
    size_t capacity = 0;
    d->segments = xgrow(NULL, &capacity, pqt_world_count(world), sizeof *d->segments);
    d->count = 0;
    pqt_world_visit(world, NULL, add_spoke, d);
    pqt_svg_segments(d->svg, d->segments, d->count, "angle");
    free(d->segments);
    return d->count > 0;
}

static bool
add_box(const pqt_pixel_box *box, void *all)
{
    pixels_add(all, *box);
    return true;
}

/* Draws the pixels of the obstacle. Returns false if there is no obstacle. */
static bool
draw_obstacle(pqt_svg *svg, const pqt_world *world)
{
    const pqt_obstacle obstacle = pqt_world_get_obstacle(world);
    pixels all = {.at = obstacle.at};
    if (obstacle.region == NULL)
        return false;
    pqt_region_visit_boxes(obstacle.region, pqt_region_bounds(obstacle.region), add_box, &all);
    const pqt_tree *tree = tree_of_items(all.items, all.count, NULL);
    pqt_svg_items(svg, tree, NULL, "pixels");
    free(all.items);
    return true;
}

simulate_title
simulate_title_of(const simulate_request *req)
{
    simulate_title title;
    snprintf(title.text, sizeof title.text, "%s%s%s ball%s after %s step%s of %s s%s%s",
             req->scene != NULL ? req->scene->name : "", req->scene != NULL ? ": " : "",
             grouped(req->balls).text, req->balls == 1 ? "" : "s", grouped(req->steps).text,
             req->steps == 1 ? "" : "s", shortest(req->dt).text,
             req->friction > 0 ? ", friction " : "",
             req->friction > 0 ? shortest(req->friction).text : "");
    return title;
}

void
simulate_draw(FILE *stream, const simulate_request *req, const simulate_trail *trail)
{
    const pqt_world *world = world_of(trail, trail->last);
    pqt_svg_options options = PICTURE_DEFAULTS;
    pqt_error error = {0};
    pqt_svg svg;
    drawing d = {.svg = &svg};
    const simulate_title title = simulate_title_of(req);
    char trail_text[60];
    const size_t steps = trail->last - trail->first;
    snprintf(trail_text, sizeof trail_text, steps == 1 ? "the last step" : "the last %zu steps",
             steps);
    options.title = title.text;
    options.style = style;
    if (!pqt_svg_begin(&svg, stream, pqt_world_bounds(world), &options, &error))
        die_error(req->svg, &error);
    const bool has_pixels = draw_obstacle(&svg, world);
    pqt_svg_cells(&svg, pqt_world_tree(world), "cells");
    draw_trails(&d, trail);
    pqt_world_visit(world, NULL, draw_ball, &d);
    const bool has_angles = draw_angles(&d, world);
    pqt_svg_key(&svg, PQT_SVG_DOT, "ball", "balls");
    if (has_angles)
        pqt_svg_key(&svg, PQT_SVG_LINE, "angle", "their angles");
    if (steps > 0)
        pqt_svg_key(&svg, PQT_SVG_LINE, "trail", trail_text);
    if (has_pixels)
        pqt_svg_key(&svg, PQT_SVG_BOX, "pixels", "pixels");
    pqt_svg_key(&svg, PQT_SVG_BOX, "cells", "cells of the tree");
    pqt_svg_end(&svg, NULL); /* output_close reports a failure, because it knows the cause */
}

/* SPDX-License-Identifier: MIT */
/*
 * simulate_plot.c: draws energy and momentum over time as an SVG picture, for `pqt simulate
 * --plot`.
 *
 * Two panels share the time axis. The numbers on an axis are multiples of 1, 2 or 5 times a power
 * of ten.
 */
#include "config.h"

#include "tool/simulate_plot.h"

#include <math.h>
#include <stdio.h>

#include <pqt.h>
#include <pqt/worlds.h>

enum {
    WIDTH = 900,
    HEIGHT = 640,
    LEFT = 90,
    RIGHT = 870, /* the x coordinate of the right end of both panels, in pixels */
    MOST_INTERVALS = 8,
    MOST_CURVES = 4
};

/* ---- Samples ---- */

typedef struct measuring {
    pqt_vec gravity, lowest;
    double potential, rotation;
} measuring;

static bool
add_energy(const pqt_body *body, void *context)
{
    measuring *m = context;
    const pqt_vec above = pqt_vec_subtract(m->lowest, body->position);
    const double rim = body->angular_velocity * body->radius;
    if (body->fixed || body->kinematic)
        return true;
    m->potential += body->mass * (m->gravity.x * above.x + m->gravity.y * above.y);
    m->rotation += body->mass * rim * rim / 4;
    return true;
}

simulate_sample
simulate_measure(const pqt_world *world, pqt_vec gravity, double time)
{
    const pqt_world_stats stats = pqt_world_get_stats(world);
    const pqt_box bounds = pqt_world_bounds(world);
    measuring m = {.gravity = gravity};
    m.lowest.x = gravity.x > 0 ? bounds.max.x : bounds.min.x;
    m.lowest.y = gravity.y > 0 ? bounds.max.y : bounds.min.y;
    pqt_world_visit(world, NULL, add_energy, &m);
    return (simulate_sample){time, stats.energy, m.rotation, m.potential, stats.momentum};
}

/* ---- Plot ---- */

/* A range of numbers, and the interval between the numbers that label its axis. */
typedef struct axis {
    double low, high, interval;
} axis;

typedef struct curve {
    const char *name, *colour;
    double (*of)(const simulate_sample *sample);
} curve;

typedef struct panel {
    const char *title;
    double top, bottom; /* y coordinates in pixels */
    curve curves[MOST_CURVES];
    size_t count;
} panel;

static double
kinetic_of(const simulate_sample *sample)
{
    return sample->kinetic;
}

static double
rotation_of(const simulate_sample *sample)
{
    return sample->rotation;
}

static double
potential_of(const simulate_sample *sample)
{
    return sample->potential;
}

static double
total_of(const simulate_sample *sample)
{
    return sample->kinetic + sample->potential;
}

static double
momentum_x_of(const simulate_sample *sample)
{
    return sample->momentum.x;
}

static double
momentum_y_of(const simulate_sample *sample)
{
    return sample->momentum.y;
}

/* Returns the smallest number of the form 1, 2 or 5 times a power of ten that divides a span into
   at most MOST_INTERVALS intervals. */
static double
round_interval(double span)
{
    const double least = span / MOST_INTERVALS;
    double power = 1;
    if (!(least > 0))
        return 1;
    while (power > least)
        power /= 10;
    while (power * 10 <= least)
        power *= 10;
    return power >= least       ? power
           : power * 2 >= least ? power * 2
           : power * 5 >= least ? power * 5
                                : power * 10;
}

/* Returns the axis for a range, which is extended to multiples of the interval at both ends. */
static axis
axis_of(double low, double high)
{
    axis a = {.interval = round_interval(high - low)};
    a.low = floor(low / a.interval) * a.interval;
    a.high = ceil(high / a.interval) * a.interval;
    if (!(a.high > a.low))
        a.high = a.low + a.interval;
    return a;
}

/* Returns the axis for the curves of a panel. It contains 0. */
static axis
axis_of_curves(const panel *drawn, const simulate_sample *samples, size_t count)
{
    double low = 0, high = 0;
    for (size_t c = 0; c < drawn->count; c++)
        for (size_t i = 0; i < count; i++) {
            low = fmin(low, drawn->curves[c].of(&samples[i]));
            high = fmax(high, drawn->curves[c].of(&samples[i]));
        }
    return axis_of(low, high);
}

static double
pixel_of(double number, axis a, double from, double to)
{
    return from + (to - from) * ((number - a.low) / (a.high - a.low));
}

static void
draw_line(FILE *stream, const char *class_name, double x, double y, double to_x, double to_y)
{
    fprintf(stream, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", class_name, x, y, to_x,
            to_y);
}

static void
draw_horizontal_axis(FILE *stream, const panel *drawn, axis time)
{
    const size_t intervals = (size_t)((time.high - time.low) / time.interval + 0.5);
    for (size_t i = 0; i <= intervals; i++) {
        const double number = time.low + (double)i * time.interval;
        const double x = pixel_of(number, time, LEFT, RIGHT);
        draw_line(stream, "grid", x, drawn->top, x, drawn->bottom);
        fprintf(stream, "<text class=\"below\" x=\"%.1f\" y=\"%.1f\">%.6g</text>\n", x,
                drawn->bottom + 18, number);
    }
}

static void
draw_vertical_axis(FILE *stream, const panel *drawn, axis a)
{
    const size_t intervals = (size_t)((a.high - a.low) / a.interval + 0.5);
    for (size_t i = 0; i <= intervals; i++) {
        const double number = a.low + (double)i * a.interval;
        const double y = pixel_of(number, a, drawn->bottom, drawn->top);
        draw_line(stream, number == 0 ? "zero" : "grid", LEFT, y, RIGHT, y);
        fprintf(stream, "<text class=\"left\" x=\"%d\" y=\"%.1f\">%.6g</text>\n", LEFT - 8, y + 4,
                number);
    }
}

static void
draw_curves(FILE *stream, const panel *drawn, const simulate_sample *samples, size_t count,
            axis time, axis a)
{
    for (size_t c = 0; c < drawn->count; c++) {
        const curve *shown = &drawn->curves[c];
        const double key = RIGHT - 130.0 * (double)(drawn->count - c);
        fprintf(stream, "<path class=\"curve\" stroke=\"%s\" d=\"M", shown->colour);
        for (size_t i = 0; i < count; i++)
            fprintf(stream, "%s%.1f %.1f", i > 0 ? "L" : "",
                    pixel_of(samples[i].time, time, LEFT, RIGHT),
                    pixel_of(shown->of(&samples[i]), a, drawn->bottom, drawn->top));
        fprintf(stream, "\"/>\n<path class=\"curve\" stroke=\"%s\" d=\"M%.1f %.1fh24\"/>\n",
                shown->colour, key, drawn->top - 16);
        fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", key + 30, drawn->top - 12,
                shown->name);
    }
}

static void
draw_panel(FILE *stream, const panel *drawn, const simulate_sample *samples, size_t count,
           double duration)
{
    axis time = axis_of(0, duration);
    const axis a = axis_of_curves(drawn, samples, count);
    draw_horizontal_axis(stream, drawn, time);
    draw_vertical_axis(stream, drawn, a);
    fprintf(stream, "<text class=\"title\" x=\"%d\" y=\"%.1f\">%s</text>\n", LEFT, drawn->top - 12,
            drawn->title);
    draw_curves(stream, drawn, samples, count, time, a);
}

/* Returns the panel with the energies. The kinetic energy includes the energy of rotation. */
static panel
energy_panel(simulate_parts parts)
{
    panel energy = {.title = "energy (J)",
                    .top = 80,
                    .bottom = 320,
                    .curves = {{"kinetic", "#2b5f92", kinetic_of}},
                    .count = 1};
    if (parts.rotation)
        energy.curves[energy.count++] = (curve){"of rotation", "#3f8f5b", rotation_of};
    if (!parts.potential)
        return energy;
    energy.curves[energy.count++] = (curve){"potential", "#8a8378", potential_of};
    energy.curves[energy.count++] = (curve){"total", "#d2352b", total_of};
    return energy;
}

void
simulate_plot(FILE *stream, const char *title, const simulate_sample *samples, size_t count,
              simulate_parts parts)
{
    const panel energy = energy_panel(parts);
    const panel momentum = {
        .title = "momentum (kg m/s)",
        .top = 390,
        .bottom = 570,
        .curves = {{"along x", "#2b5f92", momentum_x_of}, {"along y", "#d2352b", momentum_y_of}},
        .count = 2};
    const double duration = samples[count - 1].time;
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
            "%d\">\n<style>\ntext{font:14px sans-serif;fill:#26323f}\n.title{font-weight:bold}\n"
            ".below{text-anchor:middle}\n.left{text-anchor:end}\n"
            ".grid{stroke:#d9dfe5;fill:none}\n.zero{stroke:#5d6d7b;fill:none}\n"
            ".curve{fill:none;stroke-width:1.8;stroke-linejoin:round}\n</style>\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
            "<text class=\"title\" x=\"%d\" y=\"28\">%s</text>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT, title);
    draw_panel(stream, &energy, samples, count, duration);
    draw_panel(stream, &momentum, samples, count, duration);
    fprintf(stream,
            "<text class=\"below\" x=\"%d\" y=\"612\">time (s); lengths are in metres, masses in "
            "kilograms</text>\n</svg>\n",
            (LEFT + RIGHT) / 2);
}

/* SPDX-License-Identifier: MIT */
/*
 * cmd_simulate.c: `pqt simulate`: simulates balls in a box, keeps their worlds, and measures the
 * cost.
 *
 * The run is recorded. Then the recording is rewound to random steps, and each of these is checked.
 */
#include "config.h"

#include "tool/commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <popt.h>
#include <pqt.h>
#include <pqt/worlds.h>

#include "tool/cli.h"
#include "tool/input_file.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/out.h"
#include "tool/progress.h"
#include "tool/simulate_task.h"
#include "tool/stress/latency_histogram.h"
#include "tool/tool_memory.h"

enum {
    MOST_BALLS = 1000000,
    MOST_STEPS = 10000000,
    TRAIL_SEGMENTS = 15000, /* the maximum number of segments for all balls together */
    REWINDS = 50,
    PLOTTED = 2000, /* the maximum number of intervals in a plot */
    SAMPLES = 100   /* the maximum number of pairs of kept worlds whose exclusive bytes are
                       measured */
};

static const char purpose[] =
    "Simulates balls that move, collide and bounce in a box: random balls, a scene, or a saved\n"
    "world. Keeps all their worlds or every K-th. Then rewinds to random steps, checks that each\n"
    "world is unchanged, and prints times and memory. --output writes the balls at the end as "
    "rows:\n"
    "min_x, min_y, max_x, max_y, id and more; if they go to standard output (-), the report goes\n"
    "to standard error. A .pqt file gets the whole world instead.\n"
    "Status: 0, or 1 if a check fails, or 2 for an error.\n";

static const struct poptOption table_of_options[] = {
    {"balls", '\0', POPT_ARG_STRING, NULL, 'n', "number of balls (default: 1000)", "N"},
    {"steps", '\0', POPT_ARG_STRING, NULL, 't', "number of steps (default: 1000)", "N"},
    {"dt", '\0', POPT_ARG_STRING, NULL, 'd', "duration of a step in seconds (default: 0.01)", "S"},
    {"seed", '\0', POPT_ARG_STRING, NULL, 'r', "seed of the random numbers (default: 1)", "N"},
    {"keep", '\0', POPT_ARG_STRING, NULL, 'k', "keep all worlds, or every K-th (default: 10)",
     "all|K"},
    {"obstacle", '\0', POPT_ARG_STRING, NULL, 'o',
     "let balls bounce off the pixels of this picture, which is the box", "IN.png"},
    {"world", '\0', POPT_ARG_STRING, NULL, 'w', "start from the world of this file", "IN.pqt"},
    {"scene", '\0', POPT_ARG_STRING, NULL, 'S',
     "start from a scene: pile, pyramid, cradle, billiards, pi", "NAME"},
    {"gravity", '\0', POPT_ARG_STRING, NULL, 'g',
     "acceleration of all balls; y points down (default: 0,0, or that of the scene)", "GX,GY"},
    {"friction", '\0', POPT_ARG_STRING, NULL, 'f',
     "coefficient of friction of all balls and walls, which lets balls turn (default: 0)", "MU"},
    {"svg", 's', POPT_ARG_STRING, NULL, 's', "draw as SVG: the balls at the end", "OUT.svg"},
    {"plot", '\0', POPT_ARG_STRING, NULL, 'p', "draw energy and momentum over time", "OUT.svg"},
    {"output", 'o', POPT_ARG_STRING, NULL, 'O', "write to this file: the balls at the end", "OUT"},
    FORMAT_OPTION("csv"),
    COMMON_OPTIONS};

/* The state and the results of a run. */
typedef struct run {
    simulate_request req;
    pqt_recording *recording;
    simulate_trail trail;
    simulate_sample *samples;
    size_t sample_count, sample_capacity;
    simulate_sample first, last; /* the first and the last sample of the run */
    pqt_step_options options;    /* the options of each step */
    pqt_step_report report;
    double seconds; /* the duration of all steps, in seconds */
    double first_bytes,
        further_bytes; /* the bytes of the first kept world, and the average bytes of each later
                          one */
    size_t rewinds, wrong;
    double rewind_seconds; /* the duration of all rewinds, in seconds */
} run;

/* ---- Options ---- */

static double
dt_option(poptContext context)
{
    double dt = distance_option(context, "--dt");
    if (!(dt > 0))
        die(NULL, 0, "--dt is not greater than 0 (0)");
    return dt;
}

static size_t
keep_option(poptContext context)
{
    char *text = text_option(context);
    uint64_t every = 1;
    if (strcmp(text, "all") != 0 &&
        (!read_id(text, strlen(text), &every) || every < 1 || every > MOST_STEPS))
        die(NULL, 0, "--keep is not all, or a whole number from 1 to %d (%s)", MOST_STEPS,
            quote_text(text).text);
    free(text);
    return (size_t)every;
}

static void
replace_text(char **text, poptContext context)
{
    free(*text);
    *text = text_option(context);
}

static const simulate_scene *
scene_option(poptContext context)
{
    char *text = text_option(context);
    const simulate_scene *scene = simulate_find_scene(text);
    free(text);
    return scene;
}

/* Flags that record which options were given. */
typedef struct given_options {
    bool balls, steps, gravity;
} given_options;

/* Ends the program with an error if options exclude each other. */
static void
check_combination(const simulate_request *req, given_options given)
{
    if (req->world != NULL && (given.balls || req->obstacle != NULL))
        die(NULL, 0, "--world already has balls and an obstacle (%s)",
            given.balls ? "--balls" : "--obstacle");
    if (req->scene != NULL && (given.balls || req->obstacle != NULL || req->world != NULL))
        die(NULL, 0, "--scene already has balls and walls (%s)",
            given.balls             ? "--balls"
            : req->obstacle != NULL ? "--obstacle"
                                    : "--world");
    if (req->format != FORMAT_BY_NAME && req->output == NULL)
        die(NULL, 0, "--format needs an output (--output OUT)");
}

static simulate_request
read_request(poptContext context)
{
    simulate_request req = {.balls = 1000, .steps = 1000, .dt = 0.01, .seed = 1, .every = 10};
    given_options given = {false, false, false};
    int letter;
    while ((letter = next_option(context)) != 0) {
        given.balls = given.balls || letter == 'n';
        given.steps = given.steps || letter == 't';
        given.gravity = given.gravity || letter == 'g';
        if (letter == 'n')
            req.balls = (size_t)number_option(context, "--balls", 1, MOST_BALLS);
        if (letter == 'S')
            req.scene = scene_option(context);
        if (letter == 'g')
            req.gravity = point_option(context, "--gravity");
        if (letter == 'f')
            req.friction = distance_option(context, "--friction");
        if (letter == 'p')
            replace_text(&req.plot, context);
        if (letter == 't')
            req.steps = (size_t)number_option(context, "--steps", 0, MOST_STEPS);
        if (letter == 'd')
            req.dt = dt_option(context);
        if (letter == 'r')
            req.seed = (uint64_t)number_option(context, "--seed", 0, INT64_MAX);
        if (letter == 'k')
            req.every = keep_option(context);
        if (letter == 'o')
            replace_text(&req.obstacle, context);
        if (letter == 'w')
            replace_text(&req.world, context);
        if (letter == 's')
            replace_text(&req.svg, context);
        if (letter == 'O')
            replace_text(&req.output, context);
        if (letter == 'F')
            req.format = format_option(context, "csv");
    }
    check_combination(&req, given);
    if (req.scene != NULL && !given.steps)
        req.steps = req.scene->steps;
    if (req.scene != NULL && !given.gravity)
        req.gravity = req.scene->gravity;
    no_argument(context);
    return req;
}

/* ---- Run ---- */

/* Returns the world in the file that --world names, and sets the number of balls in the request. */
static const pqt_world *
read_first_world(simulate_request *req)
{
    input_file from = input_open(req->world);
    if (!from.is_pqt)
        die(req->world, 0, "the file holds no world (.pqt)");
    const pqt_world *world = input_of_kind(&from, PQT_KIND_WORLD);
    input_close(&from);
    req->balls = pqt_world_count(world);
    if (req->balls == 0)
        die(req->world, 0, "the world has no balls");
    return world;
}

static void
pin_for_trail(run *r, const pqt_world *world, size_t step)
{
    pqt_error error = {0};
    pqt_pin **pin = &r->trail.pins[step % SIMULATE_TRAIL];
    pqt_unpin(pin);
    *pin = pqt_world_pin(world, &error);
    if (*pin == NULL)
        die_error(NULL, &error);
    r->trail.last = step;
}

/* Returns the world of the scene that --scene names, and sets the number of balls in the
   request. */
static const pqt_world *
make_scene(simulate_request *req)
{
    const pqt_world *world = simulate_scene_world(req->scene);
    req->balls = pqt_world_count(world);
    return world;
}

static const pqt_world *
make_first_world(simulate_request *req)
{
    return req->world != NULL   ? read_first_world(req)
           : req->scene != NULL ? make_scene(req)
                                : simulate_first_world(req);
}

static pqt_step_options
options_of_steps(const simulate_request *req)
{
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.gravity = req->gravity;
    options.friction = req->friction;
    if (req->scene != NULL)
        options.restitution = req->scene->restitution;
    return options;
}

/* Samples a world for the plot, if there is a plot and it needs this world. */
static void
sample_for_plot(run *r, const pqt_world *world, size_t step)
{
    const size_t every = (r->req.steps + PLOTTED - 1) / PLOTTED;
    if (r->req.plot == NULL || (step < r->req.steps && step % every != 0))
        return;
    r->samples = xgrow(r->samples, &r->sample_capacity, r->sample_count + 1, sizeof *r->samples);
    r->samples[r->sample_count++] =
        simulate_measure(world, r->req.gravity, (double)step * r->req.dt);
}

/* Returns the number of steps in a trail. If there are many balls, the trails are short. */
static size_t
trail_length(const simulate_request *req)
{
    size_t most = TRAIL_SEGMENTS / req->balls + 1;
    most = most < SIMULATE_TRAIL - 1 ? most : SIMULATE_TRAIL - 1;
    return most < req->steps ? most : req->steps;
}

static void
make_steps(run *r, const pqt_world *first)
{
    const simulate_request *req = &r->req;
    pqt_error error = {0};
    const double start = clock_seconds();
    r->recording = pqt_recording_make(first, req->dt, &r->options, req->every, &error);
    if (r->recording == NULL)
        die_error(NULL, &error);
    r->trail.first = req->steps - trail_length(req);
    if (r->trail.first == 0)
        pin_for_trail(r, first, 0);
    sample_for_plot(r, first, 0);
    progress_begin("simulating", req->steps, PROGRESS_COUNT);
    for (size_t step = 1; step <= req->steps; step++) {
        const pqt_world *world = pqt_recording_step(r->recording, &r->report, &error);
        if (world == NULL)
            die_error(NULL, &error);
        if (step >= r->trail.first)
            pin_for_trail(r, world, step);
        sample_for_plot(r, world, step);
        progress_at(step);
    }
    progress_end();
    r->seconds = clock_seconds() - start;
}

static const pqt_world *
world_at(const run *r, size_t step)
{
    pqt_error error = {0};
    const pqt_world *world = pqt_recording_at(r->recording, step, &error);
    if (world == NULL && error.status != PQT_ERROR_CORRUPT)
        die_error(NULL, &error);
    return world;
}

static bool
is_free_of_pixels(const pqt_body *body, void *context)
{
    const pqt_world *const *world = context;
    return !pqt_world_is_obstructed(*world, (pqt_circle){body->position, body->radius});
}

/* Returns true if a world is valid, has no ball inside pixels, equals the recorded world, and is
   followed by the next recorded world. */
static bool
check_recorded_world(const run *r, const pqt_world *world, size_t step)
{
    pqt_error error = {0};
    if (world == NULL || !pqt_world_check(world, &error) ||
        !pqt_world_visit(world, NULL, is_free_of_pixels, &world))
        return false;
    for (size_t i = step; i <= step + 1 && i <= r->req.steps; i++) {
        if (i > step)
            world = pqt_world_step(world, r->req.dt, &r->options, &error);
        pqt_fingerprint kept = pqt_recording_fingerprint(r->recording, i);
        if (world == NULL)
            return false;
        if (!pqt_fingerprint_equals(pqt_world_fingerprint(world), kept))
            return false;
    }
    return true;
}

/* Rewinds to random steps. Stops when this has taken as long as the run. */
static void
rewind_at_random(run *r)
{
    uint64_t state = ~r->req.seed;
    progress_begin("rewinding", REWINDS, PROGRESS_COUNT);
    do {
        size_t step = (size_t)(simulate_next_bits(&state) % (r->req.steps + 1));
        const double start = clock_seconds();
        const pqt_world *world = world_at(r, step);
        r->rewind_seconds += clock_seconds() - start;
        r->wrong += !check_recorded_world(r, world, step);
        progress_at(++r->rewinds);
    } while (r->rewinds < REWINDS && r->rewind_seconds < r->seconds);
    progress_end();
}

/*
 * Measures the average bytes of kept worlds, using a sample that is spread evenly over the run. The
 * last world is kept even if its number is not a multiple of --every. It is measured only if no
 * other kept world follows the first one.
 */
static void
count_bytes(run *r)
{
    const size_t every = r->req.every < r->req.steps ? r->req.every : r->req.steps;
    size_t keys = every > 0 ? r->req.steps / every : 0; /* the number of kept worlds after the
                                                           first */
    size_t samples = keys < SAMPLES ? keys : SAMPLES;
    r->first_bytes = (double)pqt_world_get_stats(world_at(r, 0)).bytes;
    for (size_t i = 0; i < samples; i++) {
        size_t key = 1 + i * keys / samples;
        const pqt_world *before = world_at(r, (key - 1) * every);
        const pqt_world *world = world_at(r, key * every);
        r->further_bytes +=
            (double)(pqt_world_get_stats(world).bytes - pqt_world_shared_bytes(before, world)) /
            (double)samples;
    }
}

/* ---- Report ---- */

static bool
has_gravity(const run *r)
{
    return r->req.gravity.x != 0 || r->req.gravity.y != 0;
}

static double
average_of(double sum, size_t count)
{
    return count > 0 ? sum / (double)count : 0;
}

/* With gravity, measures the drift of the sum of kinetic and potential energy. */
static void
print_energy(const run *r, FILE *stream)
{
    const double before = r->first.kinetic + r->first.potential;
    const double after = r->last.kinetic + r->last.potential;
    fprintf(stream, "%-20s %.6g", "energy", r->last.kinetic);
    if (has_gravity(r))
        fprintf(stream, " kinetic, %.6g potential", r->last.potential);
    fprintf(stream, ", relative drift %.1e\n", before > 0 ? after / before - 1 : 0);
}

static void
print_report(const run *r, FILE *stream)
{
    const simulate_request *req = &r->req;
    const pqt_box bounds = pqt_world_bounds(world_at(r, 0));
    size_t kept = pqt_recording_kept(r->recording);
    fprintf(stream, "%-20s %s in %s x %s, %s %s\n", "balls", grouped(req->balls).text,
            shortest(bounds.max.x - bounds.min.x).text, shortest(bounds.max.y - bounds.min.y).text,
            req->scene != NULL ? "scene" : "seed",
            req->scene != NULL ? req->scene->name : grouped(req->seed).text);
    fprintf(stream, "%-20s %s of %s s\n", "steps", grouped(req->steps).text,
            shortest(req->dt).text);
    fprintf(stream, "%-20s %.1f\n", "steps per second",
            r->seconds > 0 ? (double)req->steps / r->seconds : 0);
    fprintf(stream, "%-20s %s of two balls, %s with walls, ", "collisions",
            grouped(r->report.contacts).text, grouped(r->report.bounces).text);
    if (pqt_world_get_obstacle(world_at(r, 0)).region != NULL)
        fprintf(stream, "%s with pixels, ", grouped(r->report.obstacle_hits).text);
    fprintf(stream, "%s plastic, %s bodies delayed\n", grouped(r->report.plastic).text,
            grouped(r->report.delayed).text);
    fprintf(stream, "%-20s %.1f\n", "tests per step",
            average_of((double)r->report.tests, req->steps));
    fprintf(stream, "%-20s %zu\n", "cells at the end",
            pqt_world_get_stats(world_at(r, req->steps)).cells);
    print_energy(r, stream);
    fprintf(stream, "%-20s %.6g, %.6g at the end\n", "momentum", r->last.momentum.x,
            r->last.momentum.y);
    fprintf(stream, "%-20s %s\n", "versions kept", grouped(kept).text);
    fprintf(stream, "%-20s %s%sthe first %s\n", "bytes per version",
            kept > 1 ? in_bytes(r->further_bytes).text : "", kept > 1 ? "; " : "",
            in_bytes(r->first_bytes).text);
    fprintf(stream, "%-20s to %zu random steps, %s each, %zu wrong\n", "rewind", r->rewinds,
            in_time(average_of(r->rewind_seconds, r->rewinds)).text, r->wrong);
}

/* Writes the balls as CSV, or their world as a .pqt file. */
static void
write_world(const simulate_request *req, const pqt_world *world)
{
    const bool is_pqt = output_is_pqt(req->output, req->format);
    const char *format = output_format_name(req->format, is_pqt ? "pqt" : "CSV");
    FILE *stream = output_open(req->output, format);
    if (is_pqt)
        output_version(stream, req->output, world);
    else
        simulate_write_rows(stream, world);
}

static void
write_outputs(const run *r)
{
    const simulate_request *req = &r->req;
    const pqt_world *last = world_at(r, req->steps);
    const bool rows_first = req->output != NULL && strcmp(req->output, "-") == 0;
    if (req->output != NULL)
        write_world(req, last);
    if (req->svg != NULL)
        simulate_draw(output_open(req->svg, "SVG"), req, &r->trail);
    if (req->plot != NULL)
        simulate_plot(output_open(req->plot, "SVG"), simulate_title_of(req).text, r->samples,
                      r->sample_count, (simulate_parts){has_gravity(r), r->req.friction > 0});
    print_report(r, rows_first ? stderr : stdout);
    if (!rows_first) /* otherwise output_close flushes the rows */
        finish_standard_output();
    output_close();
}

/* Ends the program with an error if a picture would replace an input or go to standard output. */
static void
check_picture(const simulate_request *req, const char *option, const char *file)
{
    if (file == NULL)
        return;
    if (req->obstacle != NULL)
        output_guard(file, req->obstacle);
    if (req->world != NULL)
        output_guard(file, req->world);
    output_check_name(file, "SVG");
    if (strcmp(file, "-") == 0)
        die(NULL, 0, "%s may not be standard output, which receives the report (-)", option);
    output_guard_twin("--output", req->output, option, file);
}

static void
check_outputs(const simulate_request *req)
{
    if (req->obstacle != NULL && req->output != NULL)
        output_guard(req->output, req->obstacle);
    if (req->world != NULL && req->output != NULL)
        output_guard(req->output, req->world);
    if (req->output != NULL && !output_is_pqt(req->output, req->format))
        output_check_name(req->output, output_format_name(req->format, "CSV"));
    check_picture(req, "--svg", req->svg);
    check_picture(req, "--plot", req->plot);
    output_guard_twin("--svg", req->svg, "--plot", req->plot);
}

int
simulate_command(int count, const char **arguments)
{
    poptContext context = begin_options(count, arguments, table_of_options, "[OPTION...]", purpose);
    run r = {.req = read_request(context)};
    check_outputs(&r.req);
    r.options = options_of_steps(&r.req);
    const pqt_world *first = make_first_world(&r.req);
    r.first = simulate_measure(first, r.req.gravity, 0);
    make_steps(&r, first);
    r.last = simulate_measure(world_at(&r, r.req.steps), r.req.gravity, 0);
    rewind_at_random(&r);
    count_bytes(&r);
    write_outputs(&r);
    pqt_recording_destroy(&r.recording);
    for (size_t i = 0; i < SIMULATE_TRAIL; i++)
        pqt_unpin(&r.trail.pins[i]);
    free(r.req.obstacle);
    free(r.req.world);
    free(r.req.svg);
    free(r.req.output);
    free(r.req.plot);
    free(r.samples);
    poptFreeContext(context);
    return r.wrong == 0 ? STATUS_FOUND : STATUS_NOTHING;
}

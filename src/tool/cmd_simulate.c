/* SPDX-License-Identifier: MIT */
/*
 * cmd_simulate.c: `pqt simulate`: simulates balls in a box, keeps their worlds, and measures the
 * cost.
 *
 * The run is recorded. Then the recording is rewound to random steps, and each of these is checked.
 */
#include "config.h"

#include "tool/simulate_task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/input_file.h"
#include "tool/stress/latency_histogram.h"

enum {
    MOST_BALLS = 1000000,
    MOST_STEPS = 10000000,
    TRAIL_SEGMENTS = 15000, /* in total for all balls */
    REWINDS = 50,
    SAMPLES = 100 /* pairs of kept worlds whose exclusive bytes are measured, at most */
};

static const char purpose[] =
    "Simulates balls that move, collide and bounce in a box without friction, and keeps all their\n"
    "worlds or every K-th. Then rewinds to random steps, checks that each is as it was, and "
    "prints\n"
    "what all this cost. --csv writes the balls at the end as rows: min_x, min_y, max_x, max_y,\n"
    "id and more; if they go to standard output (-), the report goes to standard error. A .pqt\n"
    "file gets the whole world instead.\n"
    "Status: 0, or 1 if a check fails, or 2 for an error.\n";

static const struct poptOption table_of_options[] = {
    {"balls", 'n', POPT_ARG_STRING, NULL, 'n', "number of balls (default: 1000)", "N"},
    {"steps", 't', POPT_ARG_STRING, NULL, 't', "number of steps (default: 1000)", "N"},
    {"dt", 'd', POPT_ARG_STRING, NULL, 'd', "duration of a step in seconds (default: 0.01)", "S"},
    {"seed", 'r', POPT_ARG_STRING, NULL, 'r', "seed of the random balls (default: 1)", "N"},
    {"keep", 'k', POPT_ARG_STRING, NULL, 'k', "keep all worlds, or every K-th (default: 10)",
     "all|K"},
    {"obstacle", 'o', POPT_ARG_STRING, NULL, 'o',
     "let balls bounce off the pixels of this picture, which is the box", "IN.png"},
    {"world", 'w', POPT_ARG_STRING, NULL, 'w', "start from the world of this file", "IN.pqt"},
    {"svg", 's', POPT_ARG_STRING, NULL, 's', "draw the balls at the end", "OUT.svg"},
    {"csv", 'c', POPT_ARG_STRING, NULL, 'c', "write the balls at the end as CSV", "OUT"},
    FORMAT_OPTION("csv"),
    COMMON_OPTIONS};

/* The state and the results of a run. */
typedef struct run {
    simulate_request req;
    pqt_recording *recording;
    simulate_trail trail;
    pqt_step_report report;
    double seconds; /* of all steps */
    pqt_world_stats before, after;
    double first_bytes,
        further_bytes; /* of the first kept world, and on average of each further one */
    size_t rewinds, wrong;
    double rewind_seconds; /* of all rewinds */
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

static simulate_request
read_request(poptContext context)
{
    simulate_request req = {.balls = 1000, .steps = 1000, .dt = 0.01, .seed = 1, .every = 10};
    size_t balls = 0; /* 0: not given */
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'n')
            balls = (size_t)number_option(context, "--balls", 1, MOST_BALLS);
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
        if (letter == 'c')
            replace_text(&req.csv, context);
        if (letter == 'F')
            req.format = format_option(context, "csv");
    }
    if (req.world != NULL && (balls != 0 || req.obstacle != NULL))
        die(NULL, 0, "--world has balls and an obstacle of its own (%s)",
            balls != 0 ? "--balls" : "--obstacle");
    req.balls = balls != 0 ? balls : req.balls;
    if (req.format != FORMAT_BY_NAME && req.csv == NULL)
        die(NULL, 0, "--format needs an output (--csv OUT)");
    no_argument(context);
    return req;
}

/* ---- Run ---- */

/* The world of the file --world, whose balls are then those of the request. */
static const pqt_world *
read_first_world(simulate_request *req)
{
    input_file from = input_open(req->world);
    if (!from.is_pqt)
        die(req->world, 0, "the file holds no world (.pqt)");
    const pqt_world *world = input_world(&from);
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

/* The number of steps in a trail. Trails of many balls are short. */
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
    r->recording = pqt_recording_make(first, req->dt, NULL, req->every, &error);
    if (r->recording == NULL)
        die_error(NULL, &error);
    r->trail.first = req->steps - trail_length(req);
    if (r->trail.first == 0)
        pin_for_trail(r, first, 0);
    progress_begin("simulate", req->steps);
    for (size_t step = 1; step <= req->steps; step++) {
        const pqt_world *world = pqt_recording_step(r->recording, &r->report, &error);
        if (world == NULL)
            die_error(NULL, &error);
        if (step >= r->trail.first)
            pin_for_trail(r, world, step);
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

/* Whether a world is valid, has no ball in pixels, equals the recorded one, and leads to the next
   recorded one. */
static bool
check_recorded_world(const run *r, const pqt_world *world, size_t step)
{
    pqt_error error = {0};
    if (world == NULL || !pqt_world_check(world, &error) ||
        !pqt_world_visit(world, NULL, is_free_of_pixels, &world))
        return false;
    for (size_t i = step; i <= step + 1 && i <= r->req.steps; i++) {
        if (i > step)
            world = pqt_world_step(world, r->req.dt, NULL, &error);
        pqt_fingerprint kept = pqt_recording_fingerprint(r->recording, i);
        if (world == NULL)
            return false;
        if (!pqt_fingerprint_equals(pqt_world_fingerprint(world), kept))
            return false;
    }
    return true;
}

/* Rewinds to random steps, for at most as long as the run took. */
static void
rewind_at_random(run *r)
{
    uint64_t state = ~r->req.seed;
    progress_begin("rewind", REWINDS);
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
 * Measures the average bytes of kept worlds, for a sample that is spread evenly over the run. The
 * last world is kept whatever its number; it counts if no other kept world follows the first.
 */
static void
count_bytes(run *r)
{
    const size_t every = r->req.every < r->req.steps ? r->req.every : r->req.steps;
    size_t keys = every > 0 ? r->req.steps / every : 0; /* kept worlds after the first */
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

static double
average_of(double sum, size_t count)
{
    return count > 0 ? sum / (double)count : 0;
}

static void
print_report(const run *r, FILE *stream)
{
    const simulate_request *req = &r->req;
    const pqt_box bounds = pqt_world_bounds(world_at(r, 0));
    size_t kept = pqt_recording_kept(r->recording);
    fprintf(stream, "%-20s %s in %s x %s, seed %s\n", "balls", grouped(req->balls).text,
            shortest(bounds.max.x - bounds.min.x).text, shortest(bounds.max.y - bounds.min.y).text,
            grouped(req->seed).text);
    fprintf(stream, "%-20s %s of %s s\n", "steps", grouped(req->steps).text,
            shortest(req->dt).text);
    fprintf(stream, "%-20s %.1f\n", "steps a second",
            r->seconds > 0 ? (double)req->steps / r->seconds : 0);
    fprintf(stream, "%-20s %s of two balls, %s with walls, ", "collisions",
            grouped(r->report.contacts).text, grouped(r->report.bounces).text);
    if (pqt_world_get_obstacle(world_at(r, 0)).region != NULL)
        fprintf(stream, "%s with pixels, ", grouped(r->report.obstacle_hits).text);
    fprintf(stream, "%s plastic, %s bodies delayed\n", grouped(r->report.plastic).text,
            grouped(r->report.delayed).text);
    fprintf(stream, "%-20s %.1f\n", "tests a step",
            average_of((double)r->report.tests, req->steps));
    fprintf(stream, "%-20s %zu\n", "cells at the end", r->after.cells);
    fprintf(stream, "%-20s %.6g, relative drift %.1e\n", "energy", r->after.energy,
            r->before.energy > 0 ? r->after.energy / r->before.energy - 1 : 0);
    fprintf(stream, "%-20s %.6g, %.6g at the end\n", "momentum", r->after.momentum.x,
            r->after.momentum.y);
    fprintf(stream, "%-20s %s\n", "versions kept", grouped(kept).text);
    fprintf(stream, "%-20s %s%sthe first %s\n", "bytes a version",
            kept > 1 ? in_bytes(r->further_bytes).text : "", kept > 1 ? "; " : "",
            in_bytes(r->first_bytes).text);
    fprintf(stream, "%-20s to %zu random steps, %s each, %zu wrong\n", "rewind", r->rewinds,
            in_time(average_of(r->rewind_seconds, r->rewinds)).text, r->wrong);
}

/* Writes the balls as CSV, or their world as .pqt. */
static void
write_world(const simulate_request *req, const pqt_world *world)
{
    FILE *stream = output_open(req->csv);
    if (output_is_pqt(req->csv, req->format))
        output_world(stream, req->csv, world);
    else
        simulate_write_rows(stream, world);
}

static void
write_outputs(const run *r)
{
    const simulate_request *req = &r->req;
    const pqt_world *last = world_at(r, req->steps);
    const bool rows_first = req->csv != NULL && strcmp(req->csv, "-") == 0;
    if (req->csv != NULL)
        write_world(req, last);
    if (req->svg != NULL)
        simulate_draw(output_open(req->svg), req, &r->trail);
    print_report(r, rows_first ? stderr : stdout);
    if (!rows_first) /* otherwise output_close flushes it */
        finish_standard_output();
    output_close();
}

static void
check_outputs(const simulate_request *req)
{
    if (req->obstacle != NULL && req->csv != NULL)
        output_guard(req->csv, req->obstacle);
    if (req->world != NULL && req->csv != NULL)
        output_guard(req->csv, req->world);
    if (req->svg == NULL)
        return;
    if (req->obstacle != NULL)
        output_guard(req->svg, req->obstacle);
    if (req->world != NULL)
        output_guard(req->svg, req->world);
    if (strcmp(req->svg, "-") == 0)
        die(NULL, 0, "--svg may not be standard output, which has the report (-)");
    output_guard_twin("--csv", req->csv, req->svg);
}

int
simulate_command(int count, const char **arguments)
{
    poptContext context = begin_options(count, arguments, table_of_options, "[OPTION...]", purpose);
    run r = {.req = read_request(context)};
    check_outputs(&r.req);
    const pqt_world *first =
        r.req.world != NULL ? read_first_world(&r.req) : simulate_first_world(&r.req);
    r.before = pqt_world_get_stats(first);
    make_steps(&r, first);
    r.after = pqt_world_get_stats(world_at(&r, r.req.steps));
    rewind_at_random(&r);
    count_bytes(&r);
    write_outputs(&r);
    pqt_recording_destroy(&r.recording);
    for (size_t i = 0; i < SIMULATE_TRAIL; i++)
        pqt_unpin(&r.trail.pins[i]);
    free(r.req.obstacle);
    free(r.req.world);
    free(r.req.svg);
    free(r.req.csv);
    poptFreeContext(context);
    return r.wrong == 0 ? STATUS_FOUND : STATUS_NOTHING;
}

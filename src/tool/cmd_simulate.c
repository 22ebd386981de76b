/* SPDX-License-Identifier: MIT */
/*
 * cmd_simulate.c - `pqt simulate`: balls in a box, every moment kept, and what that costs.
 *
 * The run is recorded; then it is wound back to steps drawn at random, and each is tried.
 */
#include "config.h"

#include "tool/simulate_task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/stress/latency_histogram.h"

enum {
    MOST_BALLS = 1000000,
    MOST_STEPS = 10000000,
    TRAIL_SEGMENTS = 15000, /* of all balls together, at most */
    REWINDS = 50,
    SAMPLES = 100 /* pairs of kept worlds whose own bytes are counted, at most */
};

static const char purpose[] =
    "Lets balls fly, collide and bounce in a box, without friction, and keeps their worlds:\n"
    "all, or one in K. Then it winds back to steps at random, checks that each is what it was,\n"
    "and says what all this cost. The rows of --csv are the balls at the end: min_x, min_y,\n"
    "max_x, max_y, id and more; with - the report goes to standard error. Status: 0, or 1 if a\n"
    "check fails, or 2 for an error.\n";

static const struct poptOption table_of_options[] = {
    {"balls", 'n', POPT_ARG_STRING, NULL, 'n', "so many balls (default: 1000)", "N"},
    {"steps", 't', POPT_ARG_STRING, NULL, 't', "so many steps (default: 1000)", "N"},
    {"dt", 'd', POPT_ARG_STRING, NULL, 'd', "seconds of a step (default: 0.01)", "S"},
    {"seed", 'r', POPT_ARG_STRING, NULL, 'r', "other balls (default: 1)", "N"},
    {"keep", 'k', POPT_ARG_STRING, NULL, 'k', "keep all worlds, or one in K (default: 10)",
     "all|K"},
    {"obstacle", 'o', POPT_ARG_STRING, NULL, 'o',
     "let them bounce off the pixels of this picture, which is the box", "IN.png"},
    {"svg", 's', POPT_ARG_STRING, NULL, 's', "draw the balls at the end there", "OUT.svg"},
    {"csv", 'c', POPT_ARG_STRING, NULL, 'c', "write the balls at the end there", "OUT.csv"},
    COMMON_OPTIONS};

/* What is going on, and what came of it. */
typedef struct run {
    simulate_request asked;
    pqt_recording *recording;
    simulate_trail trail;
    pqt_step_report report;
    double seconds; /* of all steps */
    pqt_world_stats before, after;
    double first_bytes, further_bytes; /* of the first kept world, and what each further one adds */
    size_t rewinds, wrong;
    double rewind_seconds; /* of all rewinds */
} run;

/* ---- the request ---- */

static double
dt_option(poptContext context)
{
    double dt = distance_option(context, "--dt");
    if (!(dt > 0))
        complain(NULL, 0, "--dt is not above 0 (0)");
    return dt;
}

static size_t
keep_option(poptContext context)
{
    char *text = text_option(context);
    uint64_t every = 1;
    if (strcmp(text, "all") != 0 &&
        (!read_id(text, strlen(text), &every) || every < 1 || every > MOST_STEPS))
        complain(NULL, 0, "--keep is not all, or a whole number from 1 to %d (%s)", MOST_STEPS,
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
    simulate_request asked = {.balls = 1000, .steps = 1000, .dt = 0.01, .seed = 1, .every = 10};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'n')
            asked.balls = (size_t)number_option(context, "--balls", 1, MOST_BALLS);
        if (letter == 't')
            asked.steps = (size_t)number_option(context, "--steps", 0, MOST_STEPS);
        if (letter == 'd')
            asked.dt = dt_option(context);
        if (letter == 'r')
            asked.seed = (uint64_t)number_option(context, "--seed", 0, INT64_MAX);
        if (letter == 'k')
            asked.every = keep_option(context);
        if (letter == 'o')
            replace_text(&asked.obstacle, context);
        if (letter == 's')
            replace_text(&asked.svg, context);
        if (letter == 'c')
            replace_text(&asked.csv, context);
    }
    no_argument(context);
    return asked;
}

/* ---- the run ---- */

static void
pin_for_trail(run *r, const pqt_world *world, size_t step)
{
    pqt_error error = {0};
    pqt_pin **pin = &r->trail.pins[step % SIMULATE_TRAIL];
    pqt_unpin(pin);
    *pin = pqt_world_pin(world, &error);
    if (*pin == NULL)
        complain_error(NULL, &error);
    r->trail.last = step;
}

/* How many steps a trail is long: of many balls they are short. */
static size_t
trail_length(const simulate_request *asked)
{
    size_t most = TRAIL_SEGMENTS / asked->balls + 1;
    most = most < SIMULATE_TRAIL - 1 ? most : SIMULATE_TRAIL - 1;
    return most < asked->steps ? most : asked->steps;
}

static void
make_steps(run *r, const pqt_world *first)
{
    const simulate_request *asked = &r->asked;
    pqt_error error = {0};
    const double begun = gauge_seconds();
    r->recording = pqt_recording_make(first, asked->dt, NULL, asked->every, &error);
    if (r->recording == NULL)
        complain_error(NULL, &error);
    r->trail.first = asked->steps - trail_length(asked);
    if (r->trail.first == 0)
        pin_for_trail(r, first, 0);
    progress_begin("simulate", asked->steps);
    for (size_t step = 1; step <= asked->steps; step++) {
        const pqt_world *world = pqt_recording_step(r->recording, &r->report, &error);
        if (world == NULL)
            complain_error(NULL, &error);
        if (step >= r->trail.first)
            pin_for_trail(r, world, step);
        progress_at(step);
    }
    progress_end();
    r->seconds = gauge_seconds() - begun;
}

static const pqt_world *
world_at(const run *r, size_t step)
{
    pqt_error error = {0};
    const pqt_world *world = pqt_recording_at(r->recording, step, &error);
    if (world == NULL && error.status != PQT_ERROR_CORRUPT)
        complain_error(NULL, &error);
    return world;
}

static bool
is_in_the_open(const pqt_body *body, void *context)
{
    const pqt_world *const *world = context;
    return !pqt_world_is_obstructed(*world, (pqt_circle){body->position, body->radius});
}

/* Whether a world is sound, with no ball in pixels, is the one that was recorded, and goes on to
   the one recorded next. */
static bool
is_as_recorded(const run *r, const pqt_world *world, size_t step)
{
    pqt_error error = {0};
    if (world == NULL || !pqt_world_check(world, &error) ||
        !pqt_world_visit(world, pqt_query_all(), is_in_the_open, &world))
        return false;
    for (size_t i = step; i <= step + 1 && i <= r->asked.steps; i++) {
        if (i > step)
            world = pqt_world_step(world, r->asked.dt, NULL, &error);
        pqt_fingerprint kept = pqt_recording_fingerprint(r->recording, i);
        if (world == NULL)
            return false;
        pqt_fingerprint now = pqt_world_fingerprint(world);
        if (now.low != kept.low || now.high != kept.high)
            return false;
    }
    return true;
}

/* Winds back to steps at random; no longer than the run itself took. */
static void
rewind_at_random(run *r)
{
    uint64_t state = ~r->asked.seed;
    progress_begin("rewind", REWINDS);
    do {
        size_t step = (size_t)(simulate_next_bits(&state) % (r->asked.steps + 1));
        const double begun = gauge_seconds();
        const pqt_world *world = world_at(r, step);
        r->rewind_seconds += gauge_seconds() - begun;
        r->wrong += !is_as_recorded(r, world, step);
        progress_at(++r->rewinds);
    } while (r->rewinds < REWINDS && r->rewind_seconds < r->seconds);
    progress_end();
}

/*
 * What kept worlds take, on average over some of them that are spread over the run. The last one is
 * kept whatever its number, and counts where no key follows the first.
 */
static void
count_bytes(run *r)
{
    const size_t every = r->asked.every < r->asked.steps ? r->asked.every : r->asked.steps;
    size_t keys = every > 0 ? r->asked.steps / every : 0; /* after the first */
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

/* ---- the report ---- */

static double
each_of(double sum, size_t count)
{
    return count > 0 ? sum / (double)count : 0;
}

static void
print_report(const run *r, FILE *stream)
{
    const simulate_request *asked = &r->asked;
    const pqt_box bounds = pqt_world_bounds(world_at(r, 0));
    size_t kept = pqt_recording_kept(r->recording);
    fprintf(stream, "%-20s %s in %s x %s, seed %s\n", "balls", grouped(asked->balls).text,
            shortest(bounds.max.x).text, shortest(bounds.max.y).text, grouped(asked->seed).text);
    fprintf(stream, "%-20s %s of %s s\n", "steps", grouped(asked->steps).text,
            shortest(asked->dt).text);
    fprintf(stream, "%-20s %.1f\n", "steps a second",
            r->seconds > 0 ? (double)asked->steps / r->seconds : 0);
    fprintf(stream, "%-20s %s of two balls, %s with walls, ", "collisions",
            grouped(r->report.contacts).text, grouped(r->report.bounces).text);
    if (asked->obstacle != NULL)
        fprintf(stream, "%s with pixels, ", grouped(r->report.obstacle_hits).text);
    fprintf(stream, "%s made plastic\n", grouped(r->report.inelastic).text);
    fprintf(stream, "%-20s %.1f\n", "tests a step", each_of((double)r->report.tests, asked->steps));
    fprintf(stream, "%-20s %zu\n", "cells at the end", r->after.cells);
    fprintf(stream, "%-20s %.6g, relative drift %.1e\n", "energy", r->after.energy,
            r->after.energy / r->before.energy - 1);
    fprintf(stream, "%-20s %.6g, %.6g at the end\n", "momentum", r->after.momentum.x,
            r->after.momentum.y);
    fprintf(stream, "%-20s %s\n", "versions kept", grouped(kept).text);
    fprintf(stream, "%-20s %s%sthe first %s\n", "bytes a version",
            kept > 1 ? in_bytes(r->further_bytes).text : "", kept > 1 ? "; " : "",
            in_bytes(r->first_bytes).text);
    fprintf(stream, "%-20s to %zu random steps, %s each, %zu wrong\n", "rewind", r->rewinds,
            in_time(each_of(r->rewind_seconds, r->rewinds)).text, r->wrong);
}

static void
write_outputs(const run *r)
{
    const simulate_request *asked = &r->asked;
    const pqt_world *last = world_at(r, asked->steps);
    const bool rows_first = asked->csv != NULL && strcmp(asked->csv, "-") == 0;
    if (asked->csv != NULL)
        simulate_write_rows(output_open(asked->csv), last);
    if (asked->svg != NULL)
        simulate_draw(output_open(asked->svg), asked, &r->trail);
    print_report(r, rows_first ? stderr : stdout);
    if (!rows_first) /* else output_close sees to it */
        finish_standard_output();
    output_close();
}

static void
check_outputs(const simulate_request *asked)
{
    if (asked->obstacle != NULL && asked->csv != NULL)
        output_guard(asked->csv, asked->obstacle);
    if (asked->svg == NULL)
        return;
    if (asked->obstacle != NULL)
        output_guard(asked->svg, asked->obstacle);
    if (strcmp(asked->svg, "-") == 0)
        complain(NULL, 0, "--svg is standard output, where the report goes (-)");
    output_guard_twin("--csv", asked->csv, asked->svg);
}

int
simulate_command(int count, const char **arguments)
{
    poptContext context = begin_options(count, arguments, table_of_options, "[OPTION...]", purpose);
    run r = {.asked = read_request(context)};
    check_outputs(&r.asked);
    const pqt_world *first = simulate_first_world(&r.asked);
    r.before = pqt_world_get_stats(first);
    make_steps(&r, first);
    r.after = pqt_world_get_stats(world_at(&r, r.asked.steps));
    rewind_at_random(&r);
    count_bytes(&r);
    write_outputs(&r);
    pqt_recording_destroy(&r.recording);
    for (size_t i = 0; i < SIMULATE_TRAIL; i++)
        pqt_unpin(&r.trail.pins[i]);
    free(r.asked.obstacle);
    free(r.asked.svg);
    free(r.asked.csv);
    poptFreeContext(context);
    return r.wrong == 0 ? STATUS_FOUND : STATUS_NOTHING;
}

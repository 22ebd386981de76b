/* SPDX-License-Identifier: MIT */
/* cmd_collide.c: `pqt collide`: computes whether two PNG pictures overlap, or how far one moves
   until it hits the other. */
#include "config.h"

#include "tool/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <popt.h>
#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/shapes.h>

#include "tool/cli.h"
#include "tool/collide_task.h"
#include "tool/input_png.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/out.h"
#include "tool/tool_memory.h"

static const char purpose[] =
    "Reads the pixels of A.png and B.png that are more than half opaque or, without alpha,\n"
    "light. A is at 0,0, and B is moved to X,Y. Prints whether and where they overlap or, with\n"
    "--to, how far B moves on a straight line to there, and what stops it. Positions need not be\n"
    "whole: they are rounded to 1/1024 pixel, and everything after that is exact. y points down.\n"
    "Each line has a name, a space and a value. A and B may also be .pqt files that hold regions.\n"
    "Status: 0 they overlap or B hits, 1 they do not, 2 an error.\n";

static const struct poptOption table_of_options[] = {
    {"offset", '\0', POPT_ARG_STRING, NULL, 'f', "move the second file (required)", "X,Y"},
    {"to", '\0', POPT_ARG_STRING, NULL, 't', "the end point, of the motion of B", "X,Y"},
    {"cell-a", '\0', POPT_ARG_STRING, NULL, 'a', "compare A in cells of N x N pixels", "N"},
    {"cell-b", '\0', POPT_ARG_STRING, NULL, 'b', "compare B in cells of N x N pixels", "N"},
    {"full-cells", '\0', POPT_ARG_NONE, NULL, 'u', "count cells with all pixels set, not with any",
     NULL},
    {"ignore", '\0', POPT_ARG_NONE, NULL, 'i', "let B leave what it overlaps at the start", NULL},
    {"svg", 's', POPT_ARG_STRING, NULL, 's', "draw as SVG: both, the motion and the contact",
     "OUT.svg"},
    COMMON_OPTIONS};

/* ---- Options ---- */

static int32_t
side_option(poptContext context, const char *name)
{
    const int32_t side = (int32_t)number_option(context, name, 1, PQT_PIXEL_LIMIT);
    if (!pqt_cells_are_valid((pqt_cells){side, 1, PQT_COARSE_OUTER}))
        die(NULL, 0, "%s is not a power of 2 (%" PRId32 ")", name, side);
    return side;
}

static void
apply_option(collision *c, poptContext context, int letter)
{
    switch (letter) {
    case 'f':
        c->from = point_option(context, "--offset");
        c->has_from = true;
        break;
    case 't':
        c->to = point_option(context, "--to");
        c->moves = true;
        break;
    case 'a':
        c->cells.side_a = side_option(context, "--cell-a");
        break;
    case 'b':
        c->cells.side_b = side_option(context, "--cell-b");
        break;
    case 'u':
        c->cells.kind = PQT_COARSE_INNER;
        break;
    case 'i':
        c->ignores_overlap = true;
        break;
    default:
        picture_option(&c->drawn, context, letter);
    }
}

static collision
read_request(poptContext context)
{
    collision c = {.cells = {1, 1, PQT_COARSE_OUTER}};
    int letter;
    while ((letter = next_option(context)) != 0)
        apply_option(&c, context, letter);
    if (!c.has_from)
        die(NULL, 0, "no offset is given (--offset X,Y)");
    if (c.ignores_overlap && !c.moves)
        die(NULL, 0, "--ignore needs a motion (--to X,Y)");
    if (c.cells.kind == PQT_COARSE_INNER && c.cells.side_a == 1 && c.cells.side_b == 1)
        die(NULL, 0, "--full-cells needs cells larger than pixels (--cell-a N or --cell-b N)");
    c.file_a = file_argument(context, 0);
    c.file_b = file_argument(context, 1);
    no_argument(context);
    input_guard(c.file_a, c.file_b);
    picture_guard(&c.drawn, c.file_a);
    picture_guard(&c.drawn, c.file_b);
    return c;
}

static const pqt_region *
read_picture(const char *file)
{
    pqt_png_options options = PQT_PNG_DEFAULTS;
    options.memory = tool_memory();
    return image_read(file, &options).region;
}

/* ---- Collision ---- */

static bool
reads_cells(const collision *c)
{
    return c->cells.side_a > 1 || c->cells.side_b > 1;
}

static void
find_overlap(collision *c)
{
    c->overlaps = pqt_region_overlaps_cells(c->a, c->b, c->from, c->cells);
    if (!reads_cells(c))
        pqt_region_first_overlap(c->a, c->b, c->from, PQT_FROM_TOP, &c->first);
}

static void
find_sweep(collision *c)
{
    pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
    const pqt_region_mover mover = {c->b, c->from, c->to}, other = {c->a, {0, 0}, {0, 0}};
    options.ignore_overlap = c->ignores_overlap;
    options.cells = (pqt_cells){c->cells.side_b, c->cells.side_a, c->cells.kind};
    c->sweep = pqt_region_sweep_region(mover, other, &options);
    if (c->sweep.status == PQT_SWEEP_NONE)
        die(NULL, 0,
            "--offset, --to or the distance between them exceeds %d pixels (%s,%s to %s,%s)",
            PQT_PIXEL_LIMIT, shortest(c->from.x).text, shortest(c->from.y).text,
            shortest(c->to.x).text, shortest(c->to.y).text);
    c->overlaps = c->sweep.exit != 0;
}

/* ---- Output ---- */

static void
print_position(const char *key, pqt_vec position)
{
    printf("%s %s,%s\n", key, shortest(position.x).text, shortest(position.y).text);
}

static void
print_pixel(const char *key, pqt_pixel pixel)
{
    printf("%s %" PRId32 ",%" PRId32 "\n", key, pixel.x, pixel.y);
}

static void
print_overlap(const collision *c)
{
    printf("overlap %s\n", c->overlaps ? "yes" : "no");
    if (reads_cells(c))
        return;
    printf("area %s\n", shortest(pqt_region_overlap_area(c->a, c->b, c->from).pixels).text);
    if (!c->overlaps)
        return;
    print_pixel("pixel-a", c->first.a);
    print_pixel("pixel-b", c->first.b);
}

static void
print_time(const char *key, pqt_fraction exact, double value)
{
    printf("%s %s\n", key, exact.den != 0 ? shortest(value).text : "never");
    if (exact.den != 0)
        printf("%s-exact %" PRId64 "/%" PRId64 "\n", key, exact.num, exact.den);
}

static const char *
name_of_blocked(unsigned blocked)
{
    if (blocked & PQT_BLOCKED_CORNER)
        return "corner";
    return blocked == PQT_BLOCKED_X ? "x" : blocked == PQT_BLOCKED_Y ? "y" : "both";
}

static void
print_sweep(const collision *c)
{
    static const char *const names[] = {"none", "free", "touches", "hits", "overlaps"};
    const pqt_region_sweep *s = &c->sweep;
    printf("status %s\n", names[s->status]);
    print_time("time", s->exact_time, s->time);
    print_position("stop", s->stop);
    if (s->blocked != 0) {
        printf("blocked %s\n", name_of_blocked(s->blocked));
        print_position("normal", s->normal);
        print_pixel("pixel-a", s->met.b);
        print_pixel("pixel-b", s->met.a);
    }
    if (!c->overlaps)
        return;
    print_time("exit", s->exact_exit, s->exit);
    print_position("push", s->push_out);
}

int
collide_command(int count, const char **arguments)
{
    poptContext context = begin_options(count, arguments, table_of_options,
                                        "--offset X,Y [OPTION...] A.png B.png", purpose);
    collision c = read_request(context);
    c.a = read_picture(c.file_a);
    c.b = read_picture(c.file_b);
    if (c.moves)
        find_sweep(&c);
    else
        find_overlap(&c);
    if (c.drawn.output != NULL)
        collide_draw(&c);
    if (c.moves)
        print_sweep(&c);
    else
        print_overlap(&c);
    poptFreeContext(context);
    picture_release(&c.drawn);
    return c.overlaps || c.sweep.status == PQT_SWEEP_HITS ? STATUS_FOUND : STATUS_NOTHING;
}

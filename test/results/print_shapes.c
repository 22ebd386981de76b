/* SPDX-License-Identifier: MIT */
/*
 * print_shapes.c: results of convex shapes, and of sweeps of all shapes.
 */
#include "results.h"

#include <pqt/shapes.h>

static void
hash_sweep(const pqt_sweep *sweep, byte_hash *sum)
{
    hash_integer((uint64_t)sweep->status + 8 * sweep->blocked, sum);
    hash_number(sweep->time, sum);
    hash_vec(sweep->stop, sum);
    hash_vec(sweep->stop_b, sum);
    hash_vec(sweep->normal, sum);
    hash_number(sweep->exit, sum);
    hash_vec(sweep->free_position, sum);
}

static void
hash_contact(const pqt_contact *contact, byte_hash *sum)
{
    hash_number(contact->depth, sum);
    hash_vec(contact->point, sum);
    hash_vec(contact->push, sum);
}

/* Adds the sweep of one shape against another, and their contact. */
static void
hash_collision(const pqt_convex *a, const pqt_convex *b, byte_hash *sum)
{
    const pqt_vec start = {0, 0}, end = {b->vertices[0].y - 50, b->vertices[0].x - 50};
    const pqt_sweep sweep =
        pqt_sweep_pair(pqt_mover_convex(a, start, end), pqt_mover_convex(b, start, start), NULL);
    const pqt_contact contact = pqt_contact_convexes(a, b);
    hash_sweep(&sweep, sum);
    hash_contact(&contact, sum);
}

/* Prints a hash of oriented boxes, their relations, and the distances, sweeps and contacts between
 * them. */
void
print_convexes(printer *p)
{
    enum { SHAPES = 240 };
    pqt_convex shapes[SHAPES];
    byte_hash sum = NO_BYTES;
    for (size_t i = 0; i < SHAPES; i++) {
        const pqt_vec centre = {draw(p, 0, 100), draw(p, 0, 100)},
                      half = {draw(p, 1, 9), draw(p, 0, 9)};
        const pqt_vec direction = {draw(p, -1, 1), draw(p, -1, 1)};
        const double radius = i % 2 == 0 ? 0 : draw(p, 0, 3);
        pqt_error error = {0};
        must(pqt_convex_from_oriented_box(centre, half, direction, radius, &shapes[i], &error),
             "convex", &error);
        for (size_t k = 0; k < shapes[i].count; k++) {
            hash_number(shapes[i].vertices[k].x, &sum);
            hash_number(shapes[i].vertices[k].y, &sum);
        }
        for (size_t j = 0; j < i; j++) {
            const pqt_box box = pqt_convex_box(&shapes[j]);
            const uint8_t relates = (uint8_t)(pqt_convex_touches(&shapes[i], &shapes[j]) +
                                              2 * pqt_convex_overlaps(&shapes[i], &shapes[j]) +
                                              4 * pqt_convex_covers_box(&shapes[i], box));
            hash_bytes(&relates, 1, &sum);
            const pqt_gap gap = pqt_convex_distance(&shapes[i], &shapes[j]);
            hash_number(gap.distance, &sum);
            hash_number(gap.on_a.x + gap.on_a.y + gap.normal.x, &sum);
            hash_collision(&shapes[i], &shapes[j], &sum);
        }
    }
    print_hash(p, "convexes", &sum);
}

/* ---- Sweeps of all shapes ---- */

enum { SWEEPS_OF_A_PAIR = 90, KINDS = 4 };

/* How the numbers of a sweep are drawn. Whole numbers meet at corners and sides exactly; grazing
 * motions are nearly parallel to a side. */
typedef enum style { WHOLE, FRACTIONS, GRAZING, FAST } style;

static double
draw_in_style(printer *p, style how, double most)
{
    return how == WHOLE ? (double)(int)draw(p, -most, most) : draw(p, -most, most);
}

/* Returns a mover: a box, a circle, a polygon or a polygon with round corners. Its numbers are
 * multiples of a unit. */
static pqt_mover
draw_mover(printer *p, style how, size_t kind, double unit, pqt_convex *shape)
{
    pqt_error error = {0};
    const double wide = 1 + (double)dice_below(&p->source, 4), high = 1 + draw(p, 0, 3);
    pqt_vec from, to;
    from.x = unit * draw_in_style(p, how, 12);
    from.y = unit * draw_in_style(p, how, 12);
    const double reach = how == FAST ? 1e6 : 20;
    to.x = from.x + unit * draw_in_style(p, how, reach);
    to.y = how == GRAZING ? from.y + (to.x - from.x) * ldexp(draw(p, -1, 1), -20)
                          : from.y + unit * draw_in_style(p, how, reach);
    const pqt_vec half = {unit * wide, unit * (how == WHOLE ? wide : high)};
    if (kind == 0)
        return pqt_mover_box((pqt_box){{-half.x, -half.y}, half}, from, to);
    if (kind == 1)
        return pqt_mover_circle(half.y, from, to);
    const double x = draw_in_style(p, how, 3), y = draw_in_style(p, how, 3);
    const pqt_vec direction = {x == 0 && y == 0 ? 1 : x, y};
    must(pqt_convex_from_oriented_box((pqt_vec){0, 0}, half, direction, kind == 3 ? half.x / 4 : 0,
                                      shape, &error),
         "convex of a mover", &error);
    return pqt_mover_convex(shape, from, to);
}

static void
print_sweeps_of_pairs(printer *p, style how, int exponent)
{
    static const char *const styles[] = {"whole", "fractions", "grazing", "fast"};
    static const char *const kinds[] = {"box", "circle", "polygon", "rounded"};
    for (size_t kind = 0; kind < KINDS * KINDS; kind++) {
        byte_hash sum = NO_BYTES;
        for (int i = 0; i < SWEEPS_OF_A_PAIR; i++) {
            pqt_convex shapes[2];
            const double unit = ldexp(1, exponent);
            const pqt_mover a = draw_mover(p, how, kind % KINDS, unit, &shapes[0]);
            pqt_mover b = draw_mover(p, how, kind / KINDS, unit, &shapes[1]);
            if (i % 3 == 0)
                b.to = b.from;
            const pqt_sweep_options ignoring = {sizeof ignoring, .ignore_overlap = true};
            const pqt_sweep plain = pqt_sweep_pair(a, b, NULL);
            const pqt_sweep leaving = pqt_sweep_pair(a, b, &ignoring);
            hash_sweep(&plain, &sum);
            hash_sweep(&leaving, &sum);
        }
        fprintf(p->out, "%-9s 2^%-5d ", styles[how], exponent);
        char what[32];
        snprintf(what, sizeof what, "%s, %s", kinds[kind % KINDS], kinds[kind / KINDS]);
        print_hash(p, what, &sum);
    }
}

static bool
hash_hit(const pqt_ray_hit *hit, void *context)
{
    hash_integer(hit->item.id, context);
    hash_number(hit->entry, context);
    hash_vec(hit->normal, context);
    return true;
}

/* Sweeps, slides and casts in a tree whose items touch each other or leave gaps. */
static void
print_sweeps_in_trees(printer *p, style how)
{
    enum { ITEMS = 500, MOVES = 1500 };
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = p->memory;
    const pqt_tree *tree = pqt_tree_make((pqt_box){{-200, -200}, {200, 200}}, &options, &error);
    for (uint64_t id = 0; id < ITEMS; id++) {
        const pqt_vec min = {draw_in_style(p, how, 180), draw_in_style(p, how, 180)};
        const pqt_vec max = {min.x + (double)dice_below(&p->source, 12), min.y + draw(p, 0, 12)};
        tree = pqt_tree_insert(tree, (pqt_item){{min, max}, id}, &error);
    }
    must(tree != NULL, "tree of sweeps", &error);
    byte_hash sum = NO_BYTES;
    for (int i = 0; i < MOVES; i++) {
        pqt_convex shape;
        pqt_mover mover = draw_mover(p, how, (size_t)i % KINDS, 1, &shape);
        mover.from.x *= 14;
        mover.to.y *= 9;
        const pqt_sweep_options ignoring = {sizeof ignoring, .ignore_overlap = i % 5 == 0};
        const pqt_sweep sweep = pqt_tree_sweep(tree, mover, &ignoring);
        const pqt_slide slide = pqt_tree_slide(tree, mover, 3, &ignoring);
        hash_sweep(&sweep, &sum);
        hash_integer(sweep.item.id, &sum);
        hash_integer(sweep.rank == SIZE_MAX ? 0 : sweep.rank + 1, &sum);
        hash_vec(slide.stop, &sum);
        hash_integer(slide.blocked + 4 * slide.bounces, &sum);
        const pqt_cast cast = pqt_cast_segment((pqt_segment){mover.from, mover.to});
        pqt_tree_visit_cast(tree, &cast, hash_hit, &sum);
    }
    print_hash(p, how == WHOLE ? "in a tree, whole" : "in a tree, fractions", &sum);
}

void
print_sweeps(printer *p)
{
    static const int exponents[] = {-480, 0, 480};
    for (size_t i = 0; i < 3; i++) {
        for (style how = WHOLE; how <= FAST; how++)
            print_sweeps_of_pairs(p, how, exponents[i]);
    }
    print_sweeps_in_trees(p, WHOLE);
    print_sweeps_in_trees(p, FRACTIONS);
}

/* SPDX-License-Identifier: MIT */
/* shim_collision.c: the functions for casts, sweeps and slides in trees that tree.py calls. */
#include "shim.h"

#include <string.h>

/* ---- Casts ---- */

/* A hit, or none. tree.py has the same offsets. */
typedef struct hit_row {
    double box[4];
    uint64_t id;
    double entry, exit, normal[2];
    uint8_t hit, inside, unused[6];
} hit_row;

_Static_assert(sizeof(hit_row) == 80 && offsetof(hit_row, hit) == 72, "as in tree.py");

static pqt_cast
cast_of(bool is_ray, const double *line)
{
    const pqt_vec from = {line[0], line[1]}, to = {line[2], line[3]};
    return is_ray ? pqt_cast_ray((pqt_ray){from, to}) : pqt_cast_segment((pqt_segment){from, to});
}

static bool
append_row(const pqt_ray_hit *hit, void *context)
{
    target *to = context;
    hit_row row = {0};
    if (hit->hit) {
        memcpy(row.box, &hit->item.box, sizeof row.box);
        row.id = hit->item.id;
        row.entry = hit->entry;
        row.exit = hit->exit;
        row.normal[0] = hit->normal.x;
        row.normal[1] = hit->normal.y;
        row.hit = 1;
        row.inside = hit->inside;
    }
    return append(to->bytes, &row, sizeof row, to->error);
}

/* Appends the first hit of each line, or a row of zeros. A line is four numbers: its start, and its
   end or the direction of a ray. */
bool
pqtpy_tree_cast_each(const pqt_pin *pin, bool is_ray, const double *lines, size_t count,
                     pqtpy_bytes *hits, pqt_error *error)
{
    target to = {hits, error};
    for (size_t i = 0; i < count; i++) {
        const pqt_cast cast = cast_of(is_ray, lines + 4 * i);
        const pqt_ray_hit hit = pqt_tree_cast(tree_to_read(pin), &cast);
        if (!append_row(&hit, &to))
            return false;
    }
    return true;
}

/* Appends all hits of a line, front to back. */
bool
pqtpy_tree_cast_all(const pqt_pin *pin, bool is_ray, const double *line, pqtpy_bytes *hits,
                    pqt_error *error)
{
    target to = {hits, error};
    const pqt_cast cast = cast_of(is_ray, line);
    return pqt_tree_visit_cast(tree_to_read(pin), &cast, append_row, &to);
}

/* ---- Sweeps ---- */

/* The kinds of movers, and how many numbers describe a sweep; tree.py has the same values. */
enum { BOX = 1, CIRCLE, CONVEX, SWEEP_NUMBERS = 14 };

bool
make_mover(int kind, const double *shape, size_t count, const double *path, pqt_convex *convex,
           pqt_mover *mover, pqt_error *error)
{
    const pqt_vec from = {path[0], path[1]}, to = {path[2], path[3]};
    pqt_vec points[PQT_MAX_CONVEX_VERTICES];
    if (kind == BOX) {
        *mover = pqt_mover_box((pqt_box){{shape[0], shape[1]}, {shape[2], shape[3]}}, from, to);
    } else if (kind == CIRCLE) {
        *mover = pqt_mover_circle(shape[0], from, to);
    } else {
        if (count < 2 || count > PQT_MAX_CONVEX_VERTICES) {
            fail(error, PQT_ERROR_LIMIT, 0, "a convex shape has 2 to 8 points");
            return false;
        }
        memcpy(points, shape, count * sizeof points[0]);
        if (!pqt_convex_from_points(points, count, 0, convex, error))
            return false;
        *mover = pqt_mover_convex(convex, from, to);
    }
    if (pqt_mover_is_valid(*mover))
        return true;
    fail(error, PQT_ERROR_BOX, 0, "the shape or a position is NaN, infinite, inverted or negative");
    return false;
}

/* Writes a sweep: status, time, stop, blocked axes, normal, exit, free position, box. */
static void
write_sweep(const pqt_sweep *s, double *numbers, uint64_t *id)
{
    const double found[SWEEP_NUMBERS] = {s->status,          s->time,           s->stop.x,
                                         s->stop.y,          s->blocked,        s->normal.x,
                                         s->normal.y,        s->exit,           s->free_position.x,
                                         s->free_position.y, s->item.box.min.x, s->item.box.min.y,
                                         s->item.box.max.x,  s->item.box.max.y};
    memcpy(numbers, found, sizeof found);
    *id = s->item.id;
}

/* Slides a mover along a path of four numbers. Writes the stop, the bounces and the blocked axes,
   the first sweep and the last one, and their ids. If no bounce is allowed, it only sweeps. */
bool
pqtpy_tree_slide(const pqt_pin *pin, int kind, const double *shape, size_t count,
                 const double *path, unsigned bounces, bool ignore_overlap, double *numbers,
                 uint64_t *ids, pqt_error *error)
{
    pqt_convex convex;
    pqt_mover mover;
    pqt_sweep_options options = PQT_SWEEP_DEFAULTS;
    options.ignore_overlap = ignore_overlap;
    if (!make_mover(kind, shape, count, path, &convex, &mover, error))
        return false;
    const pqt_slide slide = pqt_tree_slide(tree_to_read(pin), mover, bounces, &options);
    const double found[4] = {slide.stop.x, slide.stop.y, slide.bounces, slide.blocked};
    memcpy(numbers, found, sizeof found);
    write_sweep(&slide.first, numbers + 4, &ids[0]);
    write_sweep(&slide.last, numbers + 4 + SWEEP_NUMBERS, &ids[1]);
    return true;
}

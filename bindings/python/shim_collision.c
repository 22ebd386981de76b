/* SPDX-License-Identifier: MIT */
/* shim_collision.c: the functions for casts in trees that tree.py calls. */
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

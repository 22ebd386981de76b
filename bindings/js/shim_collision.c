/* SPDX-License-Identifier: MIT */
/* shim_collision.c: pairs and casts in trees, for lib/collision.js. */
#include "shim.h"

/* ---- Pairs ---- */

static bool
append_items(const pqt_item *a, const pqt_item *b, void *context)
{
    (void)context;
    return append(a, sizeof *a) && append(b, sizeof *b);
}

static bool
append_ids(const pqt_item *a, const pqt_item *b, void *context)
{
    (void)context;
    const uint32_t ids[2] = {(uint32_t)a->id, (uint32_t)b->id};
    if (ids[0] != a->id || ids[1] != b->id)
        fail(PQT_ERROR_LIMIT, "an id is above 2^32 - 1: use pairs");
    return failure.status == PQT_OK && append(ids, sizeof ids);
}

/* Fills the buffer with the pairs of a tree, or of two trees, of which the second is moved by an
   offset: two items each, or with `ids` two ids of 32 bits. Returns the number of bytes; -1 on
   failure. */
int32_t
EXPORT(pqtjs_tree_pairs)(pqt_pin *pin, int has_other, pqt_pin *of_other, int relation, double x,
                         double y, int ids)
{
    const pqt_tree *tree = tree_of(pin), *other = has_other ? tree_of(of_other) : NULL;
    const pqt_pair_query query = {.relation = (pqt_relation)relation, .offset = {x, y}};
    begin_append();
    if (tree == NULL || (has_other && other == NULL) ||
        !pqt_pairs_visit(tree, other, &query, ids ? append_ids : append_items, NULL))
        return -1;
    return pqtjs_appended();
}

/* ---- Casts ---- */

/* Fills the buffer with the first hits of a line, front to back, at most `most`, and returns their
   number; -1 on failure. The line is a segment, or a ray with its direction. */
int32_t
EXPORT(pqtjs_tree_cast)(pqt_pin *pin, int is_ray, double x, double y, double to_x, double to_y,
                        double most)
{
    _Static_assert(sizeof(pqt_ray_hit) == 88 && offsetof(pqt_ray_hit, item) == 8 &&
                       offsetof(pqt_ray_hit, entry) == 48 && offsetof(pqt_ray_hit, normal) == 64,
                   "as in collision.js");
    const pqt_tree *tree = tree_of(pin);
    const pqt_vec from = {x, y}, to = {to_x, to_y};
    const pqt_cast cast =
        is_ray ? pqt_cast_ray((pqt_ray){from, to}) : pqt_cast_segment((pqt_segment){from, to});
    if (tree == NULL)
        return -1;
    if (most == 1) {
        const pqt_ray_hit first = pqt_tree_cast(tree, &cast);
        memcpy(buffer, &first, sizeof first);
        return first.hit;
    }
    const size_t room = buffer_size / sizeof(pqt_ray_hit);
    size_t count = pqt_tree_cast_all(tree, &cast, (pqt_ray_hit *)buffer, room);
    if (count > room) {
        if (!extend(count * sizeof(pqt_ray_hit)))
            return -1;
        count = pqt_tree_cast_all(tree, &cast, (pqt_ray_hit *)buffer, count);
    }
    return (int32_t)(most < (double)count ? most : (double)count);
}

/* SPDX-License-Identifier: MIT */
/* flat.c: failures, queries and movers, and the calls for trees. */
#include "flat.h"

#include <stdio.h>
#include <stdlib.h>

void
flat_fail(pqt_error *error, pqt_status status, size_t index, const char *text)
{
    if (error == NULL || error->status != PQT_OK)
        return;
    error->status = status;
    error->index = index;
    snprintf(error->text, sizeof error->text, "%s", text);
}

/* A relation with this bit is one on the sphere. */
enum { ON_SPHERE = 8 };

bool
flat_query(pqt_box window, int relation, size_t index, pqt_query *query, pqt_error *error)
{
    *query = (pqt_query){.window = window, .relation = (pqt_relation)(relation & ~ON_SPHERE)};
    if ((relation & ON_SPHERE) != 0) {
        query->surface = PQT_SPHERE;
        if (pqt_sphere_window(window.min.x, window.min.y, window.max.x, window.max.y,
                              &query->window))
            return true;
        flat_fail(error, PQT_ERROR_BOX, index,
                  "the window is not one of longitudes from -540 to 540 and latitudes "
                  "from -90 to 90");
        return false;
    }
    if (window.min.x <= window.max.x && window.min.y <= window.max.y)
        return true;
    flat_fail(error, PQT_ERROR_BOX, index, "the window contains NaN or is inverted");
    return false;
}

/* ---- Words and byte strings ---- */

flat_reader
flat_read(const char *words, size_t count)
{
    return (flat_reader){words, words + count * sizeof(uint64_t), 0};
}

static uint64_t
word_at(const char *words, size_t index)
{
    uint64_t word;
    memcpy(&word, words + index * sizeof word, sizeof word);
    return word;
}

uint64_t
flat_take_word(flat_reader *from)
{
    const uint64_t word = word_at(from->words, 0);
    from->words += sizeof word;
    return word;
}

const char *
flat_take_string(flat_reader *from, size_t *size)
{
    const char *bytes = from->bytes + from->end;
    *size = (size_t)flat_take_word(from) - from->end;
    from->end += *size;
    return bytes;
}

static bool
add_bytes(flat_bytes *to, const void *bytes, size_t count, pqt_error *error)
{
    if (count > to->capacity - to->size) {
        const size_t need = to->size + count, capacity = need + need / 2 + 64;
        char *larger = need >= count && capacity > need ? realloc(to->data, capacity) : NULL;
        if (larger == NULL) {
            flat_fail(error, PQT_ERROR_MEMORY, 0, "out of memory (results of a call)");
            return false;
        }
        to->data = larger;
        to->capacity = capacity;
    }
    if (count > 0)
        memcpy(to->data + to->size, bytes, count);
    to->size += count;
    return true;
}

bool
flat_add_words(flat_writer *to, const void *words, size_t bytes)
{
    return add_bytes(&to->words, words, bytes, to->error);
}

bool
flat_add_word(flat_writer *to, uint64_t word)
{
    return flat_add_words(to, &word, sizeof word);
}

bool
flat_add_string(flat_writer *to, const void *bytes, size_t size)
{
    return add_bytes(&to->bytes, bytes, size, to->error) && flat_add_word(to, to->bytes.size);
}

bool
flat_end(flat_writer *to, bool done)
{
    const uint64_t words = to->words.size / sizeof words;
    done = done && flat_append(&words, sizeof words, to->out) &&
           flat_append(to->words.data, to->words.size, to->out) &&
           flat_append(to->bytes.data, to->bytes.size, to->out);
    free(to->words.data);
    free(to->bytes.data);
    return done;
}

bool
flat_read_source(void *bytes, size_t capacity, size_t *count, void *context)
{
    flat_source *from = context;
    *count = from->count < capacity ? from->count : capacity;
    if (*count > 0)
        memcpy(bytes, from->bytes, *count);
    from->bytes += *count;
    from->count -= *count;
    return true;
}

/* ---- Answers to conflicts ---- */

uint64_t
flat_hash(uint64_t seed, const void *bytes, size_t count)
{
    uint64_t hash = seed ^ 0xcbf29ce484222325; /* FNV-1a */
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    return hash;
}

flat_decision
flat_decide(flat_answers *all, uint64_t hash)
{
    const size_t at = 4 * all->next++;
    if (at >= 4 * all->count || word_at(all->answers, at) != hash)
        return (flat_decision){.resolution = all->otherwise};
    const size_t begin = at == 0 ? 0 : (size_t)word_at(all->answers, at - 1);
    return (flat_decision){(int)word_at(all->answers, at + 1), word_at(all->answers, at + 2),
                           all->answers + 4 * all->count * sizeof(uint64_t) + begin,
                           (size_t)word_at(all->answers, at + 3) - begin};
}

/* ---- Properties and items ---- */

/* The name of the option in the language of the package. */
#ifdef __wasm__
#define UNIQUE_IDS "uniqueIds"
#else
#define UNIQUE_IDS "unique_ids"
#endif

pqt_tree_options
flat_tree_options(int capacity, int depth, int flags, pqt_memory *memory)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.leaf_capacity = capacity;
    options.max_depth = depth;
    options.unique_ids = (flags & FLAT_UNIQUE_IDS) != 0;
    options.strict_bounds = (flags & FLAT_STRICT_BOUNDS) != 0;
    options.memory = memory;
    return options;
}

const pqt_tree *
flat_tree_make(pqt_box bounds, int capacity, int depth, int flags, pqt_memory *memory,
               pqt_error *error)
{
    const pqt_tree_options options = flat_tree_options(capacity, depth, flags, memory);
    return pqt_tree_make(bounds, &options, error);
}

void
flat_tree_describe(const pqt_tree *tree, double *found)
{
    const pqt_box bounds = pqt_tree_bounds(tree);
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_tree_get_options(tree, &options);
    const int flags = (options.unique_ids ? FLAT_UNIQUE_IDS : 0) +
                      (options.strict_bounds ? FLAT_STRICT_BOUNDS : 0);
    const double figures[7] = {bounds.min.x,          bounds.min.y,      bounds.max.x, bounds.max.y,
                               options.leaf_capacity, options.max_depth, flags};
    memcpy(found, figures, sizeof figures);
}

bool
flat_has_unique_ids(const pqt_tree *tree, size_t index, pqt_error *error)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_tree_get_options(tree, &options);
    if (!options.unique_ids)
        flat_fail(error, PQT_ERROR_OPTION, index, "the tree was not made with " UNIQUE_IDS);
    return options.unique_ids;
}

bool
flat_tree_any(const pqt_tree *tree, const pqt_query *query)
{
    pqt_item found;
    return pqt_tree_any(tree, query, &found);
}

bool
flat_tree_contains(const pqt_tree *tree, pqt_box box, uint64_t id)
{
    return pqt_tree_contains(tree, (pqt_item){box, id});
}

int
flat_tree_find(const pqt_tree *tree, uint64_t id, pqt_item *found, pqt_error *error)
{
    return flat_has_unique_ids(tree, 0, error) ? pqt_tree_find(tree, id, found) : -1;
}

bool
flat_tree_page(const pqt_tree *tree, const pqt_query *query, size_t most, bool more,
               const char *cursor, void *out, pqt_error *error)
{
    _Static_assert(sizeof(pqt_cursor) == 1544, "as in tree.js and tree.py");
    (void)error;
    pqt_cursor at;
    if (more)
        memcpy(&at, cursor, sizeof at);
    else
        pqt_cursor_open(&at, tree, query);
    for (pqt_item item; most > 0 && pqt_cursor_next(&at, &item); most--)
        if (!flat_append(&item, sizeof item, out))
            return false;
    return flat_append(&at, sizeof at, out);
}

/* ---- Several versions ---- */

bool
flat_append_change(const pqt_change *change, void *out)
{
    return flat_append(change, sizeof *change, out);
}

bool
flat_tree_diff(const pqt_tree *before, const pqt_tree *after, void *out, pqt_error *error)
{
    _Static_assert(sizeof(pqt_change) == 80 && offsetof(pqt_change, item) == 8,
                   "as in items.js and _core.py");
    return pqt_tree_visit_diff(before, after, NULL, flat_append_change, out, error);
}

bool
flat_tree_damage(const pqt_tree *before, const pqt_tree *after, size_t most, void *out,
                 pqt_error *error)
{
    pqt_box *boxes = calloc(most + 1, sizeof *boxes);
    size_t count = 0;
    if (boxes == NULL)
        flat_fail(error, PQT_ERROR_MEMORY, 0, "out of memory (results of a call)");
    const bool found = boxes != NULL &&
                       pqt_diff_damage(before, after, NULL, boxes, most, &count, error) &&
                       flat_append(boxes, count * sizeof *boxes, out);
    free(boxes);
    return found;
}

/* A pair that began or ended. */
typedef struct flat_pair {
    pqt_item a, b;
    uint8_t began, unused[7];
} flat_pair;

static bool
append_pair_change(pqt_pair_change change, const pqt_item *a, const pqt_item *b, void *out)
{
    _Static_assert(sizeof(flat_pair) == 88 && offsetof(flat_pair, began) == 80,
                   "as in collision.js and tree.py");
    const flat_pair pair = {*a, *b, change == PQT_PAIR_BEGAN, {0}};
    return flat_append(&pair, sizeof pair, out);
}

bool
flat_tree_pair_changes(const pqt_tree *before, const pqt_tree *after, pqt_relation relation,
                       void *out, pqt_error *error)
{
    const pqt_pair_query query = {.relation = relation};
    return pqt_pairs_visit_changes(before, after, &query, append_pair_change, out, error);
}

static pqt_resolution
resolve_alike(const pqt_conflict *conflict, pqt_items *answer, void *context)
{
    (void)conflict;
    (void)answer;
    return *(const pqt_resolution *)context;
}

const pqt_tree *
flat_tree_combine(int operation, const pqt_tree *base, const pqt_tree *ours, const pqt_tree *theirs,
                  int resolution, pqt_error *error)
{
    pqt_resolution answer = (pqt_resolution)resolution;
    pqt_merge_options options = PQT_MERGE_DEFAULTS;
    options.resolve = resolution == 0 ? NULL : resolve_alike;
    options.context = &answer;
    switch (operation) {
    case FLAT_MERGE:
        return pqt_tree_merge(base, ours, theirs, &options, error);
    case FLAT_UNION:
        return pqt_tree_union(ours, theirs, &options, error);
    case FLAT_INTERSECTION:
        return pqt_tree_intersection(ours, theirs, &options, error);
    default:
        return pqt_tree_difference(ours, theirs, &options, error);
    }
}

/* ---- Pairs ---- */

static bool
append_pair(const pqt_item *a, const pqt_item *b, void *out)
{
    return flat_append(a, sizeof *a, out) && flat_append(b, sizeof *b, out);
}

static bool
append_ids(const pqt_item *a, const pqt_item *b, void *out)
{
    const uint64_t ids[2] = {a->id, b->id};
    return flat_append(ids, sizeof ids, out);
}

bool
flat_tree_pairs(const pqt_tree *tree, const pqt_tree *other, bool between, pqt_relation relation,
                pqt_vec offset, bool ids, void *out, pqt_error *error)
{
    (void)error;
    const pqt_pair_query query = {.relation = relation, .offset = offset};
    return pqt_pairs_visit(tree, between ? other : NULL, &query, ids ? append_ids : append_pair,
                           out);
}

/* ---- Casts ---- */

_Static_assert(sizeof(pqt_ray_hit) == 88 && offsetof(pqt_ray_hit, item) == 8 &&
                   offsetof(pqt_ray_hit, entry) == 48 && offsetof(pqt_ray_hit, normal) == 64,
               "as in collision.js and tree.py");

/* The context of append_hit. */
typedef struct hit_target {
    void *out;
    size_t most;
} hit_target;

static bool
append_hit(const pqt_ray_hit *hit, void *context)
{
    hit_target *to = context;
    return flat_append(hit, sizeof *hit, to->out) && --to->most > 0;
}

bool
flat_tree_cast(const pqt_tree *tree, bool is_ray, pqt_vec from, pqt_vec to, size_t most, void *out,
               pqt_error *error)
{
    (void)error;
    const pqt_cast cast =
        is_ray ? pqt_cast_ray((pqt_ray){from, to}) : pqt_cast_segment((pqt_segment){from, to});
    hit_target target = {out, most};
    if (most == 1) {
        const pqt_ray_hit first = pqt_tree_cast(tree, &cast);
        return !first.hit || flat_append(&first, sizeof first, out);
    }
    return most == 0 || pqt_tree_visit_cast(tree, &cast, append_hit, &target) || target.most == 0;
}

/* ---- Sweeps ---- */

bool
flat_mover(int kind, const double *numbers, size_t points, pqt_convex *convex, pqt_mover *mover,
           pqt_error *error)
{
    const pqt_vec from = {numbers[0], numbers[1]}, to = {numbers[2], numbers[3]};
    const double *shape = numbers + 4;
    if (kind == FLAT_BOX) {
        const pqt_box box = {{shape[0], shape[1]}, {shape[2], shape[3]}};
        *mover = pqt_mover_box(box, from, to);
    } else if (kind == FLAT_CIRCLE) {
        *mover = pqt_mover_circle(shape[0], from, to);
    } else {
        pqt_vec corners[PQT_MAX_CONVEX_VERTICES];
        if (points < 2 || points > PQT_MAX_CONVEX_VERTICES) {
            flat_fail(error, PQT_ERROR_LIMIT, 0, "a convex shape has 2 to 8 points");
            return false;
        }
        memcpy(corners, shape, points * sizeof corners[0]);
        if (!pqt_convex_from_points(corners, points, 0, convex, error))
            return false;
        *mover = pqt_mover_convex(convex, from, to);
    }
    if (pqt_mover_is_valid(*mover))
        return true;
    flat_fail(error, PQT_ERROR_BOX, 0,
              "the shape or a position is NaN, infinite, inverted or negative");
    return false;
}

/* A sweep as the packages read it. */
typedef struct flat_sweep {
    pqt_item item;
    double status, time, stop[2], blocked, normal[2], exit, free_position[2];
} flat_sweep;

static flat_sweep
sweep_of(const pqt_sweep *s)
{
    return (flat_sweep){s->item,    s->status,
                        s->time,    {s->stop.x, s->stop.y},
                        s->blocked, {s->normal.x, s->normal.y},
                        s->exit,    {s->free_position.x, s->free_position.y}};
}

bool
flat_tree_slide(const pqt_tree *tree, int kind, const double *numbers, size_t points, int bounces,
                bool ignore_overlap, double *found, pqt_error *error)
{
    _Static_assert(sizeof(flat_sweep) == 120, "as in collision.js and tree.py");
    pqt_convex convex;
    pqt_mover mover;
    pqt_sweep_options options = PQT_SWEEP_DEFAULTS;
    options.ignore_overlap = ignore_overlap;
    if (!flat_mover(kind, numbers, points, &convex, &mover, error))
        return false;
    const pqt_slide slide = pqt_tree_slide(tree, mover, (unsigned)bounces, &options);
    const flat_sweep sweeps[2] = {sweep_of(&slide.first), sweep_of(&slide.last)};
    const double end[4] = {slide.stop.x, slide.stop.y, slide.bounces, slide.blocked};
    memcpy(found, sweeps, sizeof sweeps);
    memcpy((char *)found + sizeof sweeps, end, sizeof end);
    return true;
}

bool
flat_sweep_pair(int kind_a, int kind_b, const double *numbers, size_t points_a, size_t points_b,
                bool ignore_overlap, double *found, pqt_error *error)
{
    pqt_convex shapes[2];
    pqt_mover a, b;
    pqt_sweep_options options = PQT_SWEEP_DEFAULTS;
    options.ignore_overlap = ignore_overlap;
    const double *numbers_b = numbers + 4 + (kind_a == FLAT_CONVEX ? 2 * points_a : 4);
    if (!flat_mover(kind_a, numbers, points_a, &shapes[0], &a, error) ||
        !flat_mover(kind_b, numbers_b, points_b, &shapes[1], &b, error))
        return false;
    const pqt_sweep s = pqt_sweep_pair(a, b, &options);
    const double result[12] = {s.status,   s.time,     s.stop.x,          s.stop.y,
                               s.stop_b.x, s.stop_b.y, s.blocked,         s.normal.x,
                               s.normal.y, s.exit,     s.free_position.x, s.free_position.y};
    memcpy(found, result, sizeof result);
    return true;
}

double
flat_sphere_distance(pqt_vec point, double west, double south, double east, double north)
{
    return pqt_sphere_distance(point, pqt_sphere_box(west, south, east, north));
}

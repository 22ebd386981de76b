/* SPDX-License-Identifier: MIT */
/*
 * builder.c: the independent builder.
 *
 * It is deliberately slow and simple, so that a reader can compare each line with the sentence of
 * the contract above it. Do not optimise it, and do not call any function of the library except the
 * item hash.
 */
#include "builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree/item_hash.h"

static void *
need(size_t count, size_t size)
{
    void *block = calloc(count > 0 ? count : 1, size);
    if (block == NULL) {
        fputs("builder: out of memory\n", stderr);
        abort();
    }
    return block;
}

/*
 * "floor of (v/2 - lo/2) / (hi/2 - lo/2) times 2^32, clamped; an axis of zero extent has one
 * column." The loop computes the bits of the fraction one at a time, because doubling and
 * subtracting 1 are exact.
 */
uint32_t
built_column(double value, double low, double high)
{
    double extent = high / 2 - low / 2;
    double fraction;
    uint32_t qcoord = 0;
    if (extent == 0)
        return 0;
    fraction = (value / 2 - low / 2) / extent;
    if (fraction < 0)
        return 0;
    if (fraction >= 1)
        return UINT32_MAX;
    for (int bit = 0; bit < 32; bit++) {
        bool right = fraction * 2 >= 1;
        fraction = right ? fraction * 2 - 1 : fraction * 2;
        qcoord = (qcoord << 1) | (right ? 1u : 0u);
    }
    return qcoord;
}

/* "The upper 32 bits of v/2 - (lo + hi)/4 as an integer of the same order." */
uint32_t
built_outlier_column(double value, double low, double high)
{
    double from_middle = value / 2 - (low / 4 + high / 4);
    uint64_t bits;
    memcpy(&bits, &from_middle, sizeof bits);
    if ((bits >> 63) != 0)
        bits = ~bits;
    else
        bits = bits | ((uint64_t)1 << 63);
    return (uint32_t)(bits >> 32);
}

/* Sets digit d of a pair of columns: bit 31 - d of both, y above x. */
static void
spell_columns(unsigned char *digits, uint32_t x, uint32_t y)
{
    for (int d = 0; d < BUILT_DIGITS; d++) {
        unsigned right = (x >> (31 - d)) & 1;
        unsigned lower = (y >> (31 - d)) & 1;
        digits[d] = (unsigned char)(lower * 2 + right);
    }
}

/* Sets digit m of a hash: its bits 63 - 2m and 62 - 2m. */
static void
spell_mix(unsigned char *digits, uint64_t mix)
{
    for (int m = 0; m < BUILT_DIGITS; m++)
        digits[m] = (unsigned char)((mix >> (62 - 2 * m)) & 3);
}

/* "The first depth d at which its box is wider than W/2^d or higher than H/2^d, else D." */
static int
level_of(pqt_box box, pqt_box bounds, int depth)
{
    double width = box.max.x / 2 - box.min.x / 2;
    double height = box.max.y / 2 - box.min.y / 2;
    double world_width = bounds.max.x / 2 - bounds.min.x / 2;
    double world_height = bounds.max.y / 2 - bounds.min.y / 2;
    for (int d = 0; d <= depth; d++) {
        if (width > ldexp(world_width, -d) || height > ldexp(world_height, -d))
            return d;
    }
    return depth;
}

built_item
built_item_of(pqt_item item, pqt_box bounds, int depth)
{
    built_item built;
    double x = item.box.min.x / 2 + item.box.max.x / 2;
    double y = item.box.min.y / 2 + item.box.max.y / 2;
    memset(&built, 0, sizeof built);
    built.item = item;
    built.outlier = x < bounds.min.x || x > bounds.max.x || y < bounds.min.y || y > bounds.max.y;
    built.level = built.outlier ? 0 : level_of(item.box, bounds, depth);
    spell_columns(built.path, built_column(x, bounds.min.x, bounds.max.x),
                  built_column(y, bounds.min.y, bounds.max.y));
    if (built.level == 0)
        spell_columns(built.centre, built_outlier_column(x, bounds.min.x, bounds.max.x),
                      built_outlier_column(y, bounds.min.y, bounds.max.y));
    else
        memcpy(built.centre, built.path, sizeof built.centre);
    built.fingerprint = pqti_item_fingerprint(&item);
    spell_mix(built.mix, pqti_item_hash(&item));
    return built;
}

/* Compares two sequences of digits. A prefix precedes the longer sequence. */
static int
compare_digits(const unsigned char *a, int a_count, const unsigned char *b, int b_count)
{
    for (int i = 0; i < a_count && i < b_count; i++) {
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    }
    return a_count < b_count ? -1 : a_count > b_count;
}

static int
compare_numbers(double a, double b)
{
    return a < b ? -1 : a > b;
}

/* Compares items in tree order as docs/design.md defines it. The path comes first, and a prefix
   precedes the longer path. It is followed by the centre (down to depth D, or completely among the
   own items of the root), the hash, and the five numbers. */
int
built_compare(const built_item *a, const built_item *b, int depth)
{
    int way = compare_digits(a->path, a->level, b->path, b->level);
    if (way == 0)
        way = a->level == 0 ? compare_digits(a->centre, BUILT_DIGITS, b->centre, BUILT_DIGITS)
                            : compare_digits(a->centre, depth, b->centre, depth);
    if (way == 0)
        way = compare_digits(a->mix, BUILT_DIGITS, b->mix, BUILT_DIGITS);
    if (way == 0)
        way = compare_numbers(a->item.box.min.x, b->item.box.min.x);
    if (way == 0)
        way = compare_numbers(a->item.box.min.y, b->item.box.min.y);
    if (way == 0)
        way = compare_numbers(a->item.box.max.x, b->item.box.max.x);
    if (way == 0)
        way = compare_numbers(a->item.box.max.y, b->item.box.max.y);
    if (way == 0)
        way = a->item.id < b->item.id ? -1 : a->item.id > b->item.id;
    return way;
}

/* Sorts by merging. qsort would need the depth in a global variable. */
static void
sort(const built_item **items, size_t count, int depth, const built_item **scratch)
{
    size_t half = count / 2;
    size_t left = 0;
    size_t right = half;
    if (count < 2)
        return;
    sort(items, half, depth, scratch);
    sort(items + half, count - half, depth, scratch);
    for (size_t i = 0; i < count; i++) {
        bool take_left =
            left < half && (right == count || built_compare(items[left], items[right], depth) <= 0);
        scratch[i] = take_left ? items[left++] : items[right++];
    }
    memcpy(items, scratch, count * sizeof *items);
}

/* The child of an inner place that contains an item: a quadrant 0..3, or 4 for own items. */
enum { BUILT_OWN_ITEMS = 4 };

static int
part_of(const built_item *item, built_spot spot)
{
    switch (spot.kind) {
    case BUILT_SPACE:
        return item->level == spot.depth ? BUILT_OWN_ITEMS : item->path[spot.depth];
    case BUILT_CENTRE:
        return item->centre[spot.depth];
    case BUILT_MIX:
        return item->mix[spot.depth];
    }
    abort();
}

/* Returns the position of a child. Own items are divided by their centres, and below depth D by
 * their hashes. */
static built_spot
spot_below(built_spot spot, int child_index, int depth)
{
    built_spot below = spot;
    if (child_index == BUILT_OWN_ITEMS) {
        below.kind = BUILT_CENTRE;
        below.in_root_own_items = spot.depth == 0;
    } else {
        below.depth = spot.depth + 1;
    }
    if (below.kind == BUILT_CENTRE &&
        below.depth == (below.in_root_own_items ? BUILT_DIGITS : depth)) {
        below.kind = BUILT_MIX;
        below.depth = 0;
    }
    return below;
}

/* "A leaf if and only if the count is at most the capacity". Below the last bits, every place is a
 * leaf. */
static bool
is_leaf(built_spot spot, size_t count, size_t capacity)
{
    return count <= capacity || (spot.kind == BUILT_MIX && spot.depth == BUILT_DIGITS);
}

static double
smaller(double a, double b)
{
    return a < b ? a : b;
}

static double
larger(double a, double b)
{
    return a > b ? a : b;
}

static pqt_box
box_of(const built_item *const *items, size_t count)
{
    pqt_box box = items[0]->item.box;
    for (size_t i = 1; i < count; i++) {
        pqt_box next = items[i]->item.box;
        box.min.x = smaller(box.min.x, next.min.x);
        box.min.y = smaller(box.min.y, next.min.y);
        box.max.x = larger(box.max.x, next.max.x);
        box.max.y = larger(box.max.y, next.max.y);
    }
    return box;
}

/* Sets the bounds of quadrant q, "on the grid of that place". */
static void
bound_quadrant(built_place *place, int q, pqt_box world)
{
    const built_place *below = place->quarter[q];
    pqt_box box;
    place->min_x[q] = place->min_y[q] = UINT32_MAX;
    place->max_x[q] = place->max_y[q] = 0;
    if (below == NULL)
        return;
    box = box_of(below->items, below->count);
    if (place->spot.in_root_own_items) {
        place->min_x[q] = built_outlier_column(box.min.x, world.min.x, world.max.x);
        place->min_y[q] = built_outlier_column(box.min.y, world.min.y, world.max.y);
        place->max_x[q] = built_outlier_column(box.max.x, world.min.x, world.max.x);
        place->max_y[q] = built_outlier_column(box.max.y, world.min.y, world.max.y);
    } else {
        place->min_x[q] = built_column(box.min.x, world.min.x, world.max.x);
        place->min_y[q] = built_column(box.min.y, world.min.y, world.max.y);
        place->max_x[q] = built_column(box.max.x, world.min.x, world.max.x);
        place->max_y[q] = built_column(box.max.y, world.min.y, world.max.y);
    }
}

/* Sets the sides: "A node that splits by hashes knows the least and the greatest of each side of
 * its items." */
static void
note_sides(built_place *place)
{
    for (size_t i = 0; i < place->count; i++) {
        pqt_box box = place->items[i]->item.box;
        const double own[4] = {box.min.x, box.min.y, box.max.x, box.max.y};
        for (int side = 0; side < 4; side++) {
            place->sides[side] = i == 0 ? own[side] : smaller(place->sides[side], own[side]);
            place->sides[4 + side] = i == 0 ? own[side] : larger(place->sides[4 + side], own[side]);
        }
    }
}

static built_place *place_of(const built_tree *tree, built_spot spot,
                             const built_item *const *items, size_t count);

/* Returns the place of the items that belong to one child, or NULL if there are none. */
static built_place *
part_place(const built_tree *tree, const built_place *place, int child_index)
{
    const built_item **members = need(place->count, sizeof *members);
    built_place *below = NULL;
    size_t count = 0;
    for (size_t i = 0; i < place->count; i++) {
        if (part_of(place->items[i], place->spot) == child_index)
            members[count++] = place->items[i];
    }
    if (count > 0)
        below = place_of(tree, spot_below(place->spot, child_index, tree->depth), members, count);
    free(members);
    return below;
}

/* Returns the quadrant that replaces a node all of whose items are in that quadrant. Such a node is
   not stored unless it is a hash node. */
static built_place *
only_quadrant(built_place *place)
{
    built_place *only = NULL;
    for (int q = 0; q < 4; q++) {
        if (place->quarter[q] != NULL && place->quarter[q]->count == place->count)
            only = place->quarter[q];
    }
    if (only == NULL || place->spot.kind == BUILT_MIX)
        return place;
    only->deep = true;
    free(place->items);
    free(place);
    return only;
}

static built_place *
place_of(const built_tree *tree, built_spot spot, const built_item *const *items, size_t count)
{
    built_place *place = need(1, sizeof *place);
    place->spot = spot;
    place->count = count;
    place->leaf = is_leaf(spot, count, tree->capacity);
    place->items = need(count, sizeof *place->items);
    memcpy(place->items, items, count * sizeof *items);
    for (size_t i = 0; i < count; i++) {
        place->fingerprint.low += items[i]->fingerprint.low;
        place->fingerprint.high += items[i]->fingerprint.high;
    }
    if (place->leaf)
        return place;
    if (spot.kind == BUILT_MIX)
        note_sides(place);
    if (spot.kind == BUILT_SPACE)
        place->own_items = part_place(tree, place, BUILT_OWN_ITEMS);
    /* Every path ends at depth D. */
    if (spot.kind == BUILT_SPACE && spot.depth == tree->depth) {
        for (int q = 0; q < 4; q++)
            bound_quadrant(place, q, tree->bounds);
        return place;
    }
    for (int q = 0; q < 4; q++) {
        place->quarter[q] = part_place(tree, place, q);
        bound_quadrant(place, q, tree->bounds);
    }
    return only_quadrant(place);
}

built_tree *
built_make(const pqt_item *items, size_t count, pqt_box bounds, size_t capacity, int depth)
{
    const built_spot whole = {BUILT_SPACE, 0, false};
    built_tree *tree = need(1, sizeof *tree);
    const built_item **scratch = need(count, sizeof *scratch);
    tree->bounds = bounds;
    tree->capacity = capacity;
    tree->depth = depth;
    tree->count = count;
    tree->items = need(count, sizeof *tree->items);
    tree->order = need(count, sizeof *tree->order);
    for (size_t i = 0; i < count; i++) {
        tree->items[i] = built_item_of(items[i], bounds, depth);
        tree->order[i] = &tree->items[i];
    }
    sort(tree->order, count, depth, scratch);
    free(scratch);
    if (count > 0) {
        tree->root = place_of(tree, whole, tree->order, count);
        tree->fingerprint = tree->root->fingerprint;
    }
    return tree;
}

static void
free_place(built_place *place)
{
    if (place == NULL)
        return;
    free_place(place->own_items);
    for (int q = 0; q < 4; q++)
        free_place(place->quarter[q]);
    free(place->items);
    free(place);
}

void
built_free(built_tree *tree)
{
    if (tree == NULL)
        return;
    free_place(tree->root);
    free(tree->order);
    free(tree->items);
    free(tree);
}

static void
measure_ball(const built_place *place, size_t above, built_size *size)
{
    if (place == NULL)
        return;
    if (place->leaf) {
        size->leaves++;
        size->depth = above > size->depth ? above : size->depth;
        return;
    }
    size->nodes++;
    measure_ball(place->own_items, above + 1, size);
    for (int q = 0; q < 4; q++)
        measure_ball(place->quarter[q], above + 1, size);
}

built_size
built_measure(const built_tree *tree)
{
    built_size size = {0, 0, 0};
    measure_ball(tree->root, 0, &size);
    return size;
}

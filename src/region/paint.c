/* SPDX-License-Identifier: MIT */
/*
 * paint.c - shapes into a region: one descent for all of them.
 *
 * Each square is handed the dabs that meet it, in their order. Where one covers the square wholly
 * and sets or clears, those before it and what was there do not matter; so a square has a *base*,
 * what is to be painted on, beside what it was of old. Where no dab is left, the base is the
 * result. In a tile all dabs paint on the same 64 words; then it is made, once.
 *
 * Invariant: what has the pixels it had is the old square itself, whatever was painted meanwhile.
 * In tiles the rows are compared, in quads the children.
 */
#include "config.h"

#include "region/paint.h"

#include <string.h>

#include "base/error_internal.h"
#include "region/bits.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"

/* As many entries as one dab needs on its way down, and two or three need mostly. */
enum { FEW = 64 };

/* The lists of the squares on the way down, one above the other. An entry is 2 * index + wholly. */
typedef struct lists {
    uint32_t *entries; /* `few`, or scratch */
    size_t count, room;
    uint32_t few[FEW];
} lists;

/* One of the lists. The entries may move, so it is said where it begins. */
typedef struct list {
    size_t start, count;
} list;

typedef struct painter {
    const pqt_region *region;
    const pqti_dabs *dabs;
    lists all;
} painter;

static bool
push(lists *all, uint32_t entry)
{
    if (all->count == all->room) {
        uint32_t *more = pqti_scratch(2 * all->room, sizeof *more);
        if (more == NULL)
            return false;
        memcpy(more, all->entries, all->count * sizeof *more);
        if (all->entries != all->few)
            pqti_scratch_free(all->entries);
        all->entries = more;
        all->room *= 2;
    }
    all->entries[all->count++] = entry;
    return true;
}

static void
drop(list *of, size_t count)
{
    of->start += count;
    of->count -= count;
}

static pqt_ink
ink_of(const painter *p, uint32_t entry)
{
    return p->dabs->dabs != NULL ? p->dabs->dabs[entry / 2].ink : PQT_SET;
}

/* The list of a child of a square that has the list `of`, on top of all. False: no memory. */
static bool
select_dabs(painter *p, list of, pqti_plot plot, list *selected)
{
    selected->start = p->all.count;
    for (size_t i = of.start; i < of.start + of.count; i++) {
        uint32_t entry = p->all.entries[i];
        pqti_dab room;
        if (entry % 2 == 0) {
            pqti_cover cover = pqti_dab_covers(pqti_dab_at(p->dabs, entry / 2, &room), plot);
            if (cover == PQTI_OUTSIDE)
                continue;
            entry += cover == PQTI_WHOLLY;
        }
        if (!push(&p->all, entry))
            return false;
    }
    selected->count = p->all.count - selected->start;
    return true;
}

/* The last dab that leaves nothing of what was there makes the base. */
static void
find_base(const painter *p, const pqti_square **base, list *dabs)
{
    for (size_t left = dabs->count; left > 0; left--) {
        uint32_t entry = p->all.entries[dabs->start + left - 1];
        if (entry % 2 == 1 && ink_of(p, entry) != PQT_TOGGLE) {
            *base = ink_of(p, entry) == PQT_SET ? PQTI_FULL : PQTI_EMPTY;
            drop(dabs, left);
            return;
        }
    }
}

/* Leaves out what changes nothing of a plain base, or all of it. */
static void
paint_plain(const painter *p, const pqti_square **base, list *dabs)
{
    for (; dabs->count > 0 && pqti_is_plain(*base); drop(dabs, 1)) {
        uint32_t entry = p->all.entries[dabs->start];
        pqt_ink ink = ink_of(p, entry);
        if (ink == PQT_TOGGLE && entry % 2 == 1)
            *base = *base == PQTI_FULL ? PQTI_EMPTY : PQTI_FULL;
        else if (ink == PQT_TOGGLE || (ink == PQT_SET) != (*base == PQTI_FULL))
            return;
    }
}

static void
ink_row(uint64_t *row, pqt_ink ink, uint64_t mask)
{
    if (ink == PQT_SET)
        *row |= mask;
    else if (ink == PQT_CLEAR)
        *row &= ~mask;
    else
        *row ^= mask;
}

/* Paints what a dab has of a tile. */
static void
ink_rows(uint64_t rows[PQTI_TILE_SIDE], const pqti_dab *dab, bool wholly, pqti_plot plot)
{
    const pqt_pixel_box tile = pqti_plot_box(plot);
    const pqt_pixel_box box = wholly ? tile : pqti_box_common(tile, dab->box);
    for (int32_t y = box.min.y; y < box.max.y; y++) {
        pqti_span span = {tile.min.x, tile.max.x};
        if (!wholly)
            span = pqti_dab_row(dab, y);
        const int from = span.from > tile.min.x ? span.from - tile.min.x : 0;
        const int to = span.to < tile.max.x ? span.to - tile.min.x : PQTI_TILE_SIDE;
        if (from < to)
            ink_row(&rows[y - plot.y], dab->ink, pqti_bits_between(from, to));
    }
}

static const pqti_square *
paint_tile(painter *p, pqti_plot plot, const pqti_square *old, const pqti_square *base, list dabs)
{
    uint64_t rows[PQTI_TILE_SIDE];
    memcpy(rows, pqti_rows_of(base), sizeof rows);
    for (size_t i = dabs.start; i < dabs.start + dabs.count; i++) {
        uint32_t entry = p->all.entries[i];
        pqti_dab room;
        ink_rows(rows, pqti_dab_at(p->dabs, entry / 2, &room), entry % 2 == 1, plot);
    }
    return pqti_tile_make(p->region->memory, rows, old, NULL);
}

static const pqti_square *paint_square(painter *p, pqti_plot plot, const pqti_square *old,
                                       const pqti_square *base, list dabs);

static const pqti_square *
paint_quad(painter *p, pqti_plot plot, const pqti_square *old, const pqti_square *base, list dabs)
{
    const pqti_square *before[4], *below[4], *after[4];
    bool same = pqti_is_block(old);
    pqti_children(p->region, old, plot.level, before);
    pqti_children(p->region, base, plot.level, below);
    for (int i = 0; i < 4; i++) {
        pqti_plot child = pqti_child_plot(plot, i);
        size_t top = p->all.count;
        list selected;
        if (!select_dabs(p, dabs, child, &selected))
            return NULL;
        after[i] = paint_square(p, child, before[i], below[i], selected);
        p->all.count = top;
        if (after[i] == NULL)
            return NULL;
        same = same && after[i] == before[i];
    }
    return same ? old : pqti_quad_make(p->region->memory, after, plot.level, old);
}

/* NULL: no memory. */
static const pqti_square *
paint_square(painter *p, pqti_plot plot, const pqti_square *old, const pqti_square *base, list dabs)
{
    find_base(p, &base, &dabs);
    paint_plain(p, &base, &dabs);
    if (dabs.count == 0 && !pqti_is_outer(base))
        return base;
    return plot.level == PQTI_TILE_LEVEL ? paint_tile(p, plot, old, base, dabs)
                                         : paint_quad(p, plot, old, base, dabs);
}

/* The level that what is set may need. */
static int
level_needed(const pqt_region *old, const pqti_dabs *dabs)
{
    pqt_pixel_box box = {{0, 0}, {0, 0}};
    for (size_t i = 0; i < dabs->count; i++) {
        pqti_dab room;
        const pqti_dab *dab = pqti_dab_at(dabs, i, &room);
        if (dab->ink != PQT_CLEAR)
            box = pqti_box_joined(box, dab->box);
    }
    int level = pqti_box_is_empty(box) ? PQTI_TILE_LEVEL : pqti_level_of(box);
    return level > old->level ? level : old->level;
}

/* The list of all dabs. False: no memory. */
static bool
list_dabs(painter *p, list *all)
{
    *all = (list){0, p->dabs->count};
    for (uint32_t i = 0; i < p->dabs->count; i++)
        if (!push(&p->all, 2 * i))
            return false;
    return true;
}

static bool
paint_quadrants(painter *p, int level, const pqti_square *quadrant[4])
{
    list all, selected;
    if (!list_dabs(p, &all))
        return false;
    for (int i = 0; i < 4; i++) {
        const pqti_square *old = pqti_quadrant(p->region, level, i);
        pqti_plot plot = pqti_quadrant_plot(level, i);
        p->all.count = all.count;
        if (!select_dabs(p, all, plot, &selected))
            return false;
        quadrant[i] = paint_square(p, plot, old, old, selected);
        if (quadrant[i] == NULL)
            return false;
    }
    return true;
}

bool
pqti_paint_quadrants(const pqt_region *old, const pqti_dabs *dabs, int *level,
                     const pqti_square *quadrant[4], pqt_error *error)
{
    painter p = {.region = old, .dabs = dabs};
    PQT_INVARIANT(dabs->count <= PQTI_MOST_DABS, "too many dabs");
    p.all.entries = p.all.few;
    p.all.room = FEW;
    *level = level_needed(old, dabs);
    bool painted = paint_quadrants(&p, *level, quadrant);
    if (p.all.entries != p.all.few)
        pqti_scratch_free(p.all.entries);
    if (!painted)
        pqti_out_of_memory(error);
    return painted;
}

/* Paint on a region: a pixel by copying its path, all else by paint.c. */

static const pqt_region *
paint_dabs(const pqt_region *region, const pqti_dab *dabs, size_t count, pqt_error *error)
{
    const pqti_square *quadrant[4];
    int level;
    pqti_dabs source = {.dabs = dabs, .count = count};
    if (!pqti_paint_quadrants(region, &source, &level, quadrant, error))
        return NULL;
    return pqti_region_next(region, level, quadrant, error);
}

static int
child_at(pqt_pixel pixel, int level)
{
    return (pixel.x >> (level - 1) & 1) + 2 * (pixel.y >> (level - 1) & 1);
}

/* The quadrant with one pixel the other way round: squares around it are copied, inmost first. */
static const pqti_square *
toggle_in(const pqt_region *region, const pqti_square *square, pqt_pixel pixel)
{
    const pqti_square *way[PQTI_TOP_LEVEL + 1];
    for (int level = region->level; level > PQTI_TILE_LEVEL; level--) {
        way[level] = square;
        if (pqti_is_block(square))
            square = ((const pqti_quad *)square)->child[child_at(pixel, level)];
    }
    const int inside = PQTI_TILE_SIDE - 1;
    square = pqti_tile_toggle(region->memory, square, pixel.x & inside, pixel.y & inside);
    for (int level = PQTI_TILE_LEVEL + 1; square != NULL && level <= region->level; level++) {
        const pqti_square *child[4];
        pqti_children(region, way[level], level, child);
        child[child_at(pixel, level)] = square;
        square = pqti_quad_make(region->memory, child, level, way[level]);
    }
    return square;
}

/* Paints a pixel that the region's level has room for. */
static const pqt_region *
paint_pixel(const pqt_region *region, pqt_ink ink, pqt_pixel pixel, pqt_error *error)
{
    const pqti_square *quadrant[4];
    int changed = (pixel.x >= 0) + 2 * (pixel.y >= 0);
    if (ink != PQT_TOGGLE && pqt_region_contains(region, pixel) == (ink == PQT_SET))
        return region;
    for (int i = 0; i < 4; i++)
        quadrant[i] = region->quadrant[i];
    quadrant[changed] = toggle_in(region, quadrant[changed], pixel);
    if (quadrant[changed] != NULL)
        return pqti_region_next(region, region->level, quadrant, error);
    pqti_out_of_memory(error);
    return NULL;
}

/* Whether a dab is one pixel that the region's level has room for. */
static bool
is_near_pixel(const pqt_region *region, const pqti_dab *dab)
{
    int32_t side = pqti_side(region->level);
    pqt_pixel_box box = dab->box;
    return dab->is_box && (int64_t)box.max.x - box.min.x == 1 &&
           (int64_t)box.max.y - box.min.y == 1 && box.min.x >= -side && box.min.x < side &&
           box.min.y >= -side && box.min.y < side;
}

const pqt_region *
pqt_region_paint(const pqt_region *region, pqt_paint paint, pqt_error *error)
{
    pqti_dab dab;
    if (!pqti_region_may_go_on(region, error) || !pqti_dab_of(&paint, 0, &dab, error))
        return NULL;
    if (is_near_pixel(region, &dab))
        return paint_pixel(region, dab.ink, dab.box.min, error);
    return paint_dabs(region, &dab, 1, error);
}

/* Makes ready as many dabs as there is paint; NULL with an error told. */
static pqti_dab *
make_dabs(const pqt_paint *paints, size_t count, pqt_error *error)
{
    pqti_dab *dabs = pqti_scratch(count, sizeof *dabs);
    if (dabs == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (!pqti_dab_of(&paints[i], i, &dabs[i], error)) {
            pqti_scratch_free(dabs);
            return NULL;
        }
    }
    return dabs;
}

const pqt_region *
pqt_region_paint_all(const pqt_region *region, const pqt_paint *paints, size_t count,
                     pqt_error *error)
{
    PQT_ASSERT(paints != NULL || count == 0, "paints is NULL, and count is not 0");
    if (!pqti_region_may_go_on(region, error))
        return NULL;
    if (count <= 1)
        return count == 0 ? region : pqt_region_paint(region, paints[0], error);
    if (!pqti_admit_dab_count(count, error))
        return NULL;
    pqti_dab *dabs = make_dabs(paints, count, error);
    if (dabs == NULL)
        return NULL;
    const pqt_region *next = paint_dabs(region, dabs, count, error);
    pqti_scratch_free(dabs);
    return next;
}

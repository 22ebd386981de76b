/* SPDX-License-Identifier: MIT */
/*
 * peer_grid.c: a baseline written for this benchmark: a uniform grid, rebuilt by a counting sort
 * for each state.
 *
 * Each cell lists all items that touch it. One array contains the lists, cell by cell. An item may
 * be in several cells; to report it once, one of these is its representative: for a pair, the cell
 * of the lower corner of the intersection; for a nearest item, the cell nearest to the point.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pqt/segment.h>

#include "peer.h"
#include "segment_slab.h"

/* The approximate number of cells per item. Measurements on all distributions showed that 1 is best
 * or close to it. */
static const double CELLS_PER_ITEM = 1;

enum { MOST_NEAREST = 64 };

typedef struct range {
    int min_x, min_y, max_x, max_y;
} range;

typedef struct grid {
    pqt_item *items; /* the items after the last `take` */
    size_t count;
    pqt_vec low;
    double side;         /* the side of a cell, in world units */
    double cells_a_unit; /* 1 / side */
    int columns, rows;
    /* the index in `entries` at which each cell begins, and at which the last one ends */
    uint32_t *begins;
    pqt_item *entries; /* the items of all cells, row by row from low to high */
    size_t entry_capacity;
} grid;

static int
cell_along(double value, double low, double cells_a_unit, int cells)
{
    double at = (value - low) * cells_a_unit;
    if (!(at > 0))
        return 0;
    return at >= cells ? cells - 1 : (int)at;
}

static int
column_of(const grid *g, double x)
{
    return cell_along(x, g->low.x, g->cells_a_unit, g->columns);
}

static int
row_of(const grid *g, double y)
{
    return cell_along(y, g->low.y, g->cells_a_unit, g->rows);
}

static range
range_of(const grid *g, const pqt_box *box)
{
    return (range){column_of(g, box->min.x), row_of(g, box->min.y), column_of(g, box->max.x),
                   row_of(g, box->max.y)};
}

static size_t
cell_at(const grid *g, int column, int row)
{
    return (size_t)row * (size_t)g->columns + (size_t)column;
}

static double
lesser(double a, double b)
{
    return a < b ? a : b;
}

static double
max_i64(double a, double b)
{
    return a > b ? a : b;
}

static int
clamp_to_int32(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

static bool
touches(const pqt_box *a, const pqt_box *b)
{
    return (a->min.x <= b->max.x) & (b->min.x <= a->max.x) & (a->min.y <= b->max.y) &
           (b->min.y <= a->max.y);
}

/* Chooses the size of the cells. They are no smaller than half an average item; otherwise a pile
   would need more cells than memory holds. */
static void
set_cells(grid *g)
{
    const double cells = (double)g->count * CELLS_PER_ITEM;
    pqt_box all = g->items[0].box;
    double sides = 0;
    for (size_t i = 0; i < g->count; i++) {
        pqt_box box = g->items[i].box;
        all = pqt_box_union(all, box);
        sides += ((box.max.x - box.min.x) + (box.max.y - box.min.y)) / (double)g->count;
    }
    double width = max_i64(all.max.x - all.min.x, 1e-300);
    double height = max_i64(all.max.y - all.min.y, 1e-300);
    g->low = all.min;
    g->side = max_i64(sqrt(width) * sqrt(height) / sqrt(cells), sides / 4);
    g->cells_a_unit = 1 / g->side;
    g->columns = (int)(width * g->cells_a_unit) + 1;
    g->rows = (int)(height * g->cells_a_unit) + 1;
}

static void *
make(const pqt_item *items, size_t count, pqt_box world)
{
    (void)world;
    grid *g = calloc(1, sizeof *g);
    pqt_item *own = malloc(count * sizeof *own);
    if (g == NULL || own == NULL)
        return NULL;
    memcpy(own, items, count * sizeof *own);
    *g = (grid){.items = own, .count = count};
    return g;
}

/* Counts the entries of each cell, and replaces the counts with the ends of the cells. */
static void
count_entries(grid *g, size_t cells)
{
    memset(g->begins, 0, (cells + 1) * sizeof *g->begins);
    for (size_t i = 0; i < g->count; i++) {
        range r = range_of(g, &g->items[i].box);
        for (int row = r.min_y; row <= r.max_y; row++)
            for (int column = r.min_x; column <= r.max_x; column++)
                g->begins[cell_at(g, column, row)]++;
    }
    for (size_t i = 1; i <= cells; i++)
        g->begins[i] += g->begins[i - 1];
}

/* Places the items from the last to the first, and fills each cell from its end to its
 * beginning. */
static void
place_entries(grid *g)
{
    for (size_t i = g->count; i-- > 0;) {
        range r = range_of(g, &g->items[i].box);
        for (int row = r.min_y; row <= r.max_y; row++)
            for (int column = r.min_x; column <= r.max_x; column++)
                g->entries[--g->begins[cell_at(g, column, row)]] = g->items[i];
    }
}

static bool
build_from_source(void *of)
{
    grid *g = of;
    if (g->begins == NULL) {
        set_cells(g);
        g->begins = malloc((cell_at(g, 0, g->rows) + 1) * sizeof *g->begins);
    }
    if (g->begins == NULL)
        return false;
    size_t cells = cell_at(g, 0, g->rows);
    count_entries(g, cells);
    if (g->begins[cells] > g->entry_capacity) {
        free(g->entries);
        g->entry_capacity = g->begins[cells] + g->begins[cells] / 8u;
        g->entries = malloc(g->entry_capacity * sizeof *g->entries);
    }
    if (g->entries == NULL)
        return false;
    place_entries(g);
    return true;
}

static void
query(const void *of, const pqt_box *window, answer *found)
{
    const grid *g = of;
    range r = range_of(g, window);
    for (int row = r.min_y; row <= r.max_y; row++)
        for (int column = r.min_x; column <= r.max_x; column++) {
            size_t cell = cell_at(g, column, row);
            for (uint32_t i = g->begins[cell]; i < g->begins[cell + 1]; i++) {
                const pqt_item *item = &g->entries[i];
                if (!touches(&item->box, window) ||
                    column_of(g, max_i64(item->box.min.x, window->min.x)) != column ||
                    row_of(g, max_i64(item->box.min.y, window->min.y)) != row)
                    continue;
                found->hits++;
                found->ids += item->id;
            }
        }
}

static double
bytes(const void *of)
{
    const grid *g = of;
    size_t cells = cell_at(g, 0, g->rows);
    return (double)((cells + 1) * sizeof *g->begins + g->begins[cells] * sizeof *g->entries);
}

static void
free_grid(void *of)
{
    grid *g = of;
    free(g->entries);
    free(g->begins);
    free(g->items);
    free(g);
}

/* Returns true if a cell is the representative of a pair. */
static bool
speaks(const grid *g, const pqt_box *a, const pqt_box *b, int column, int row)
{
    return column_of(g, max_i64(a->min.x, b->min.x)) == column &&
           row_of(g, max_i64(a->min.y, b->min.y)) == row;
}

static void
pair_cell(const grid *g, int column, int row, answer *found)
{
    size_t cell = cell_at(g, column, row);
    const pqt_item *end = g->entries + g->begins[cell + 1];
    for (const pqt_item *a = g->entries + g->begins[cell]; a < end; a++)
        for (const pqt_item *b = a + 1; b < end; b++)
            if (touches(&a->box, &b->box) && speaks(g, &a->box, &b->box, column, row))
                add_pair(found, a->id, b->id);
}

static void
pairs(void *of, answer *found)
{
    const grid *g = of;
    for (int row = 0; row < g->rows; row++)
        for (int column = 0; column < g->columns; column++)
            pair_cell(g, column, row, found);
}

static bool
take(void *of, const drawn_move *moves, size_t count)
{
    grid *g = of;
    for (size_t i = 0; i < count; i++)
        g->items[moves[i].from.id].box = moves[i].to;
    return true;
}

static void
partners(const void *of, const pqt_item *item, const bool *has_moved, answer *found)
{
    const grid *g = of;
    range r = range_of(g, &item->box);
    for (int row = r.min_y; row <= r.max_y; row++)
        for (int column = r.min_x; column <= r.max_x; column++) {
            size_t cell = cell_at(g, column, row);
            for (uint32_t i = g->begins[cell]; i < g->begins[cell + 1]; i++) {
                const pqt_item *other = &g->entries[i];
                if (touches(&other->box, &item->box) && other->id != item->id &&
                    !(has_moved[other->id] && other->id < item->id) &&
                    speaks(g, &other->box, &item->box, column, row))
                    add_pair(found, item->id, other->id);
            }
        }
}

/* The nearest items so far, sorted. */
typedef struct knn_search {
    pqt_vec from;
    int column, row; /* the cell of `from` */
    size_t wanted, count;
    double squares[MOST_NEAREST]; /* the squares of the distances */
    uint64_t *ids;
} knn_search;

static void
rank(knn_search *r, double square, uint64_t id)
{
    size_t at = r->count < r->wanted ? r->count++ : r->wanted - 1;
    for (; at > 0 && r->squares[at - 1] > square; at--) {
        r->squares[at] = r->squares[at - 1];
        r->ids[at] = r->ids[at - 1];
    }
    r->squares[at] = square;
    r->ids[at] = id;
}

static double
worst(const knn_search *r)
{
    return r->count < r->wanted ? HUGE_VAL : r->squares[r->wanted - 1];
}

static double
square_to(const pqt_box *box, pqt_vec from)
{
    double x = max_i64(max_i64(box->min.x - from.x, from.x - box->max.x), 0);
    double y = max_i64(max_i64(box->min.y - from.y, from.y - box->max.y), 0);
    return x * x + y * y;
}

/* Ranks the items whose representative is this cell: of the cells that such an item touches, this
   one is nearest to the point. */
static void
rank_cell(const grid *g, knn_search *r, int column, int row)
{
    size_t cell = cell_at(g, column, row);
    for (uint32_t i = g->begins[cell]; i < g->begins[cell + 1]; i++) {
        const pqt_item *item = &g->entries[i];
        double square = square_to(&item->box, r->from);
        if (square >= worst(r))
            continue;
        range reach = range_of(g, &item->box);
        if (clamp_to_int32(r->column, reach.min_x, reach.max_x) == column &&
            clamp_to_int32(r->row, reach.min_y, reach.max_y) == row)
            rank(r, square, item->id);
    }
}

/* Ranks the cells exactly `ring` columns or rows away. */
static void
rank_ring(const grid *g, knn_search *r, int ring)
{
    for (int row = r->row - ring; row <= r->row + ring; row++) {
        bool whole = abs(row - r->row) == ring;
        int step = whole || ring == 0 ? 1 : 2 * ring;
        if (row < 0 || row >= g->rows)
            continue;
        for (int column = r->column - ring; column <= r->column + ring; column += step)
            if (column >= 0 && column < g->columns)
                rank_cell(g, r, column, row);
    }
}

/* Returns the distance from the point to the cells beyond a ring, or infinity if there are none. */
static double
way_beyond(const grid *g, const knn_search *r, int ring)
{
    double motion = HUGE_VAL;
    if (r->column - ring > 0)
        motion = lesser(motion, r->from.x - (g->low.x + (r->column - ring) * g->side));
    if (r->row - ring > 0)
        motion = lesser(motion, r->from.y - (g->low.y + (r->row - ring) * g->side));
    if (r->column + ring + 1 < g->columns)
        motion = lesser(motion, g->low.x + (r->column + ring + 1) * g->side - r->from.x);
    if (r->row + ring + 1 < g->rows)
        motion = lesser(motion, g->low.y + (r->row + ring + 1) * g->side - r->from.y);
    return max_i64(motion, 0);
}

static size_t
nearest(const void *of, pqt_vec from, size_t most, uint64_t *ids)
{
    const grid *g = of;
    knn_search r = {.from = from, .wanted = most < MOST_NEAREST ? most : MOST_NEAREST, .ids = ids};
    r.column = column_of(g, from.x);
    r.row = row_of(g, from.y);
    for (int ring = 0;; ring++) {
        rank_ring(g, &r, ring);
        double motion = way_beyond(g, &r, ring);
        if (motion == HUGE_VAL || motion * motion > worst(&r))
            return r.count;
    }
}

/* The position on one axis of a traversal of cells along a segment. */
typedef struct stride {
    int cell, step, cells;
    double next; /* the fraction at which it enters the next cell */
    double more; /* the increment of `next` for each further cell */
} stride;

static stride
stride_along(const grid *g, double from, double motion, double begin, double low, int cells)
{
    stride s = {.cells = cells, .step = motion < 0 ? -1 : 1};
    s.cell = cell_along(from + begin * motion, low, g->cells_a_unit, cells);
    double edge = low + (s.cell + (motion < 0 ? 0 : 1)) * g->side;
    s.next = motion == 0 ? HUGE_VAL : (edge - from) / motion;
    s.more = motion == 0 ? HUGE_VAL : g->side / fabs(motion);
    return s;
}

/* Advances to the next cell. Returns false if the traversal leaves the grid. */
static bool
stride_on(stride *s)
{
    s->cell += s->step;
    s->next += s->more;
    return s->cell >= 0 && s->cell < s->cells;
}

/* Visits cells until the first hit so far precedes the next cell. */
static bool
first_hit(const void *of, const pqt_segment *segment, uint64_t *id)
{
    const grid *g = of;
    slabs s = slabs_of(segment);
    pqt_box all = {g->low, {g->low.x + g->columns * g->side, g->low.y + g->rows * g->side}};
    double begin, first = 1;
    bool found = false;
    if (!slabs_enter(&s, &all, 1, &begin))
        return false;
    stride x = stride_along(g, s.from.x, s.motion.x, begin, g->low.x, g->columns);
    stride y = stride_along(g, s.from.y, s.motion.y, begin, g->low.y, g->rows);
    for (bool inside = true; inside;) {
        size_t cell = cell_at(g, x.cell, y.cell);
        for (uint32_t i = g->begins[cell]; i < g->begins[cell + 1]; i++) {
            double fraction;
            if (!slabs_enter(&s, &g->entries[i].box, first, &fraction))
                continue;
            first = fraction;
            *id = g->entries[i].id;
            found = true;
        }
        stride *sooner = x.next < y.next ? &x : &y;
        inside = sooner->next <= first && stride_on(sooner);
    }
    return found;
}

static const peer_collision collision = {
    .pairs = pairs,
    .take = take,
    .advance = build_from_source,
    .partners = partners,
};

static const peer_sight sight = {
    .nearest = nearest,
    .first_hit = first_hit,
};

const peer peer_grid = {
    .name = "grid",
    .what = "baseline: a uniform grid of about one cell an item, rebuilt when items "
            "move; W5b by partners of moved items",
    .make = make,
    .build = build_from_source,
    .query = query,
    .bytes = bytes,
    .free = free_grid,
    .collision = &collision,
    .sight = &sight,
};

/* SPDX-License-Identifier: MIT */
/*
 * antimeridian.c: cuts lines and polygons at the antimeridian.
 *
 * A polygon is cut at one meridian after the other. A ring that crosses it becomes chains, which
 * end there. Since the inside of a polygon is between the first and the second of these ends from
 * the south, between the third and the fourth, and so on, edges between them make rings of the
 * chains again. A position on the meridian counts as one on the side that is cut off.
 */
#include "config.h"

#include "tool/antimeridian.h"

#include <math.h>
#include <stdlib.h>

#include "tool/tool_memory.h"

/* ---- Paths ---- */

void
paths_begin(paths *to, bool is_hole)
{
    to->all = xgrow(to->all, &to->capacity, to->count + 1, sizeof *to->all);
    to->all[to->count++] = (polyline){to->positions, 0, is_hole};
}

void
paths_add(paths *to, position added)
{
    to->at = xgrow(to->at, &to->positions_capacity, to->positions + 1, sizeof *to->at);
    to->at[to->positions++] = added;
    to->all[to->count - 1].count++;
}

void
paths_free(paths *of)
{
    free(of->at);
    free(of->all);
    *of = (paths){.at = NULL};
}

static void
add_path(paths *to, const paths *from, const polyline *added)
{
    paths_begin(to, added->is_hole);
    for (size_t i = 0; i < added->count; i++)
        paths_add(to, from->at[added->first + i]);
}

/* Returns the point of an edge on a meridian, which one of its ends may be. It is the same for both
   directions of the edge. */
static position
crossing(position a, position b, double meridian)
{
    if (a.x == meridian || b.x == meridian)
        return a.x == meridian ? a : b;
    const position west = a.x < b.x ? a : b, east = a.x < b.x ? b : a;
    const double t = (meridian - west.x) / (east.x - west.x);
    return (position){meridian, west.y + t * (east.y - west.y), west.z + t * (east.z - west.z)};
}

/* ---- Strips ---- */

/* The meridians on which the paths lie. */
static void
measure(const paths *of, double *west, double *east)
{
    *west = INFINITY;
    *east = -INFINITY;
    for (size_t i = 0; i < of->positions; i++) {
        *west = fmin(*west, of->at[i].x);
        *east = fmax(*east, of->at[i].x);
    }
}

/* Moves the last paths by whole turns. */
static void
turn(paths *of, size_t first, double degrees)
{
    for (size_t i = first; i < of->positions; i++)
        of->at[i].x += degrees;
}

/* ---- Lines ---- */

/* Adds the part of an edge between two meridians. The part continues the last line if that ends
   where the part begins, and `continues` is true. */
static bool
add_edge(paths *to, position a, position b, double west, double east, bool continues)
{
    const position from = a.x < west ? crossing(a, b, west) : a.x > east ? crossing(a, b, east) : a;
    const position end = b.x < west ? crossing(a, b, west) : b.x > east ? crossing(a, b, east) : b;
    if (!continues || from.x != a.x || from.y != a.y) {
        paths_begin(to, false);
        paths_add(to, from);
    }
    paths_add(to, end);
    return end.x == b.x && end.y == b.y;
}

/* Returns true if more than a point of an edge is between two meridians. An edge on a meridian is
   east of it. */
static bool
is_between(position a, position b, double west, double east)
{
    const double least = fmin(a.x, b.x), most = fmax(a.x, b.x);
    return least < east && (most > west || (most == west && least == most));
}

static void
clip_line(paths *to, const paths *from, const polyline *line, double west, double east)
{
    const position *at = from->at + line->first;
    bool continues = false;
    for (size_t i = 1; i < line->count; i++) {
        if (is_between(at[i - 1], at[i], west, east))
            continues = add_edge(to, at[i - 1], at[i], west, east, continues);
        else
            continues = false;
    }
}

paths
cut_lines(const paths *lines)
{
    paths made = {.at = NULL};
    double west, east;
    measure(lines, &west, &east);
    for (double middle = 360 * floor((west + 180) / 360); middle - 180 <= east; middle += 360) {
        const size_t first = made.positions;
        for (size_t i = 0; i < lines->count; i++)
            clip_line(&made, lines, &lines->all[i], middle - 180, middle + 180);
        turn(&made, first, -middle);
    }
    return made;
}

/* ---- Polygons ---- */

/* An end of a chain on the meridian. */
typedef struct chain_end {
    double y, slope; /* the slope of its first edge, from the meridian */
    size_t chain;
    bool is_last; /* the chain ends here, and does not begin */
    bool is_used; /* the chain is in a ring */
} chain_end;

static int
compare_ends(const void *a, const void *b)
{
    const chain_end *first = a, *second = b;
    const int order = (first->y > second->y) - (first->y < second->y);
    return order != 0 ? order : (first->slope > second->slope) - (first->slope < second->slope);
}

static chain_end
end_of(size_t chain, bool is_last, position end, position next)
{
    return (chain_end){end.y, (next.y - end.y) / (next.x - end.x), chain, is_last, false};
}

/* Adds a ring to `whole` if it is east of a meridian, and its chains that are east of it if it
   crosses the meridian. */
static void
split_ring(const paths *from, const polyline *ring, double meridian, paths *whole, paths *chains)
{
    const position *at = from->at + ring->first;
    size_t outside = 0;
    while (outside < ring->count && at[outside].x > meridian)
        outside++;
    if (outside == ring->count) {
        add_path(whole, from, ring);
        return;
    }
    for (size_t i = 0; i < ring->count; i++) {
        const position a = at[(outside + i) % ring->count];
        const position b = at[(outside + i + 1) % ring->count];
        const bool begins = a.x <= meridian && b.x > meridian;
        if (begins)
            paths_begin(chains, false);
        if (begins || (a.x > meridian && b.x <= meridian))
            paths_add(chains, crossing(a, b, meridian));
        if (b.x > meridian)
            paths_add(chains, b);
    }
}

/* Returns the ends of all chains, from south to north. If two are at one place, the one whose edge
   goes farther to the south is first. */
static chain_end *
sort_ends(const paths *chains)
{
    size_t capacity = 0;
    chain_end *ends = xgrow(NULL, &capacity, 2 * chains->count, sizeof *ends);
    for (size_t c = 0; c < chains->count; c++) {
        const position *at = chains->at + chains->all[c].first;
        const position *last = at + chains->all[c].count - 1;
        ends[2 * c] = end_of(c, false, at[0], at[1]);
        ends[2 * c + 1] = end_of(c, true, last[0], last[-1]);
    }
    qsort(ends, 2 * chains->count, sizeof *ends, compare_ends);
    return ends;
}

/* Adds the positions of a chain, in its direction or against it. */
static void
add_chain(paths *to, const paths *chains, size_t chain, bool is_forward)
{
    const polyline *of = &chains->all[chain];
    for (size_t i = 0; i < of->count; i++)
        paths_add(to, chains->at[of->first + (is_forward ? i : of->count - 1 - i)]);
}

/* Adds the rings that the chains form. */
static void
join_chains(paths *to, const paths *chains)
{
    const size_t count = 2 * chains->count;
    size_t capacity = 0;
    chain_end *ends = sort_ends(chains);
    size_t *places = xgrow(NULL, &capacity, count, sizeof *places); /* of both ends of a chain */
    for (size_t e = 0; e < count; e++)
        places[2 * ends[e].chain + ends[e].is_last] = e;
    for (size_t e = 0; e < count; e++) {
        if (ends[e].is_used || ends[e].is_last)
            continue; /* a ring begins with a chain in its direction */
        paths_begin(to, false);
        for (size_t at = e; !ends[at].is_used;) {
            const size_t chain = ends[at].chain, other = places[2 * chain + !ends[at].is_last];
            add_chain(to, chains, chain, !ends[at].is_last);
            ends[at].is_used = ends[other].is_used = true;
            at = other ^ 1;
        }
    }
    free(ends);
    free(places);
}

/* Returns true if a position is in a ring: if an odd number of its edges is east of it. */
static bool
is_inside(const paths *of, const polyline *ring, position at)
{
    const position *corners = of->at + ring->first;
    bool is_in = false;
    for (size_t i = 0; i < ring->count; i++) {
        const position a = corners[i], b = corners[(i + 1) % ring->count];
        if ((a.y > at.y) != (b.y > at.y) && at.x < a.x + (at.y - a.y) / (b.y - a.y) * (b.x - a.x))
            is_in = !is_in;
    }
    return is_in;
}

/* Returns the outer ring that a hole is in. The hole may touch its ring, so most of its positions
   decide. */
static size_t
ring_around(const paths *outer, const paths *from, const polyline *hole)
{
    size_t best = 0, most = 0;
    for (size_t o = 0; o < outer->count && outer->count > 1; o++) {
        size_t count = 0;
        for (size_t i = 0; i < hole->count; i++)
            count += is_inside(outer, &outer->all[o], from->at[hole->first + i]);
        if (count > most) {
            most = count;
            best = o;
        }
    }
    return best;
}

/* Adds polygons: the outer rings, each with the holes that are in it. */
static void
add_polygons(paths *to, const paths *outer, const paths *whole)
{
    for (size_t o = 0; o < outer->count; o++) {
        add_path(to, outer, &outer->all[o]);
        for (size_t h = 0; h < whole->count; h++)
            if (whole->all[h].is_hole && ring_around(outer, whole, &whole->all[h]) == o)
                add_path(to, whole, &whole->all[h]);
    }
}

/* Adds the part east of a meridian of the polygon that begins at a ring. Returns its last ring and
   one. */
static size_t
clip_polygon(paths *to, const paths *from, size_t ring, double meridian)
{
    paths whole = {.at = NULL}, chains = {.at = NULL}, outer = {.at = NULL};
    size_t end = ring;
    do {
        split_ring(from, &from->all[end++], meridian, &whole, &chains);
    } while (end < from->count && from->all[end].is_hole);
    join_chains(&outer, &chains);
    for (size_t i = 0; i < whole.count; i++)
        if (!whole.all[i].is_hole)
            add_path(&outer, &whole, &whole.all[i]);
    add_polygons(to, &outer, &whole);
    paths_free(&whole);
    paths_free(&chains);
    paths_free(&outer);
    return end;
}

/* Returns the parts of polygons east of a meridian. */
static paths
clip_polygons(const paths *from, double meridian)
{
    paths made = {.at = NULL};
    for (size_t ring = 0; ring < from->count;)
        ring = clip_polygon(&made, from, ring, meridian);
    return made;
}

static void
mirror(paths *of)
{
    for (size_t i = 0; i < of->positions; i++)
        of->at[i].x = -of->at[i].x;
}

paths
cut_polygon(const paths *rings)
{
    paths made = {.at = NULL};
    double west, east;
    measure(rings, &west, &east);
    for (double middle = 360 * floor((west + 180) / 360); middle - 180 < east; middle += 360) {
        const size_t first = made.positions;
        paths in_east = clip_polygons(rings, middle - 180);
        mirror(&in_east);
        paths part = clip_polygons(&in_east, -(middle + 180));
        mirror(&part);
        for (size_t i = 0; i < part.count; i++)
            add_path(&made, &part, &part.all[i]);
        turn(&made, first, -middle);
        paths_free(&in_east);
        paths_free(&part);
    }
    return made;
}

/* SPDX-License-Identifier: MIT */
/*
 * peer_geos.c: the STRtree of GEOS as a contestant, used through its C interface.
 *
 * It is built once from all items and cannot be changed, so it is rebuilt after moves. A query
 * requires a geometry, so one is made for each window. The geometries of the items are made before
 * the clock starts. The tree compares envelopes in doubles, so its results need no further test.
 */
#include "peer.h"

#include <stdlib.h>
#include <string.h>

#include <geos_c.h>

enum { NODE_CAPACITY = 10 }; /* the value that GEOS recommends; 16 is equally fast */

typedef struct state {
    GEOSContextHandle_t geos;
    pqt_item *items;          /* the items with the boxes that the tree contains */
    GEOSGeometry **envelopes; /* the envelopes of the items */
    size_t count;
    GEOSSTRtree *tree;
    pqt_item *moved; /* the items after the next moves, and their envelopes */
    GEOSGeometry **moved_envelopes;
    size_t moved_count;
} state;

static GEOSGeometry *
envelope_of(const state *s, const pqt_box *box)
{
    return GEOSGeom_createRectangle_r(s->geos, box->min.x, box->min.y, box->max.x, box->max.y);
}

static void *
make(const pqt_item *items, size_t count, pqt_box world)
{
    (void)world;
    state *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->geos = GEOS_init_r();
    s->count = count;
    s->items = malloc(count * sizeof *s->items);
    s->envelopes = calloc(count, sizeof(GEOSGeometry *));
    s->moved = calloc(count, sizeof *s->moved);
    s->moved_envelopes = calloc(count, sizeof(GEOSGeometry *));
    if (s->items == NULL || s->envelopes == NULL || s->moved == NULL || s->moved_envelopes == NULL)
        return NULL;
    memcpy(s->items, items, count * sizeof *items);
    for (size_t i = 0; i < count; i++)
        s->envelopes[i] = envelope_of(s, &items[i].box);
    return s;
}

static void
ignore(void *item, void *context)
{
    (void)item;
    (void)context;
}

/* Builds the tree. GEOS itself would build it at the first query. */
static bool
build_from_source(void *of)
{
    state *s = of;
    if (s->tree != NULL)
        GEOSSTRtree_destroy_r(s->geos, s->tree);
    s->tree = GEOSSTRtree_create_r(s->geos, NODE_CAPACITY);
    if (s->tree == NULL)
        return false;
    for (size_t i = 0; i < s->count; i++)
        GEOSSTRtree_insert_r(s->geos, s->tree, s->envelopes[i], &s->items[i]);
    GEOSSTRtree_query_r(s->geos, s->tree, s->envelopes[0], ignore, NULL);
    return true;
}

static void
add_item(void *item, void *context)
{
    answer *found = context;
    found->hits++;
    found->ids += ((const pqt_item *)item)->id;
}

static void
query_box(const state *s, const pqt_box *box, GEOSQueryCallback callback, void *context)
{
    GEOSGeometry *envelope = envelope_of(s, box);
    GEOSSTRtree_query_r(s->geos, s->tree, envelope, callback, context);
    GEOSGeom_destroy_r(s->geos, envelope);
}

static void
query(const void *of, const pqt_box *window, answer *found)
{
    query_box(of, window, add_item, found);
}

/* A search for the partners of an item. A search for all pairs finds only partners with higher
 * ids. */
typedef struct partner_search {
    uint64_t id;
    const bool *has_moved; /* NULL in a search for all pairs */
    answer *found;
} partner_search;

static void
add_partner(void *item, void *context)
{
    const partner_search *search = context;
    uint64_t other = ((const pqt_item *)item)->id;
    if (other > search->id ||
        (other < search->id && search->has_moved != NULL && !search->has_moved[other]))
        add_pair(search->found, search->id, other);
}

static void
pairs(void *of, answer *found)
{
    const state *s = of;
    for (size_t i = 0; i < s->count; i++) {
        partner_search search = {s->items[i].id, NULL, found};
        GEOSSTRtree_query_r(s->geos, s->tree, s->envelopes[i], add_partner, &search);
    }
}

static void
partners(const void *of, const pqt_item *item, const bool *has_moved, answer *found)
{
    partner_search search = {item->id, has_moved, found};
    query_box(of, &item->box, add_partner, &search);
}

/* Moves the items, and frees the envelopes that the previous moves replaced. The latter is not
 * timed. */
static bool
take(void *of, const drawn_move *moves, size_t count)
{
    state *s = of;
    for (size_t i = 0; i < s->moved_count; i++)
        GEOSGeom_destroy_r(s->geos, s->moved_envelopes[i]);
    for (size_t i = 0; i < count; i++) {
        s->moved[i] = (pqt_item){moves[i].to, moves[i].from.id};
        s->moved_envelopes[i] = envelope_of(s, &moves[i].to);
    }
    s->moved_count = count;
    return true;
}

static bool
advance(void *of)
{
    state *s = of;
    for (size_t i = 0; i < s->moved_count; i++) {
        uint64_t id = s->moved[i].id;
        GEOSGeometry *left = s->envelopes[id];
        s->items[id] = s->moved[i];
        s->envelopes[id] = s->moved_envelopes[i];
        s->moved_envelopes[i] = left;
    }
    return build_from_source(of);
}

static void
free_state(void *of)
{
    state *s = of;
    for (size_t i = 0; i < s->count; i++)
        GEOSGeom_destroy_r(s->geos, s->envelopes[i]);
    for (size_t i = 0; i < s->moved_count; i++)
        GEOSGeom_destroy_r(s->geos, s->moved_envelopes[i]);
    if (s->tree != NULL)
        GEOSSTRtree_destroy_r(s->geos, s->tree);
    GEOS_finish_r(s->geos);
    free(s->moved_envelopes);
    free(s->moved);
    free(s->envelopes);
    free(s->items);
    free(s);
}

static const peer_collision collision = {
    .pairs = pairs,
    .take = take,
    .advance = advance,
    .partners = partners,
};

const peer peer_geos = {
    .name = "geos",
    .what =
        "STRtree of GEOS " GEOS_VERSION ", nodes of 10, a geometry made for each window; rebuilt "
        "when items move; W5b by partners of moved items",
    .make = make,
    .build = build_from_source,
    .query = query,
    .free = free_state,
    .collision = &collision,
};

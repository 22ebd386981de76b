/* SPDX-License-Identifier: MIT */
/*
 * peer_box2d.cpp: the dynamic tree of Box2D 2.4 as a contestant.
 *
 * It stores boxes of floats, each with a margin. Here they are rounded outwards, and the exact
 * boxes decide which items are found, as shapes do in Box2D. The tree changes in place. Its broad
 * phase reports pairs of boxes with margins, and only new pairs. So this file finds pairs as the
 * broad phase does, by a query of the tree for each box.
 */
#include "peer.h"

#include <algorithm>
#include <box2d/b2_dynamic_tree.h>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "segment_slab.h"

namespace
{

const float infinity = std::numeric_limits<float>::infinity();

float
rounded_down(double value)
{
    float near = static_cast<float>(value);
    return near > value ? std::nextafter(near, -infinity) : near;
}

float
rounded_up(double value)
{
    float near = static_cast<float>(value);
    return near < value ? std::nextafter(near, infinity) : near;
}

b2AABB
bounds_of(const pqt_box &box)
{
    b2AABB bounds;
    bounds.lowerBound.Set(rounded_down(box.min.x), rounded_down(box.min.y));
    bounds.upperBound.Set(rounded_up(box.max.x), rounded_up(box.max.y));
    return bounds;
}

bool
touches(const pqt_box &a, const pqt_box &b)
{
    return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y;
}

/* The next box of an item, and a box of floats that contains it. */
struct new_place {
    std::uint64_t id;
    pqt_box box;
    b2AABB bounds;
};

struct contestant {
    std::vector<pqt_box> boxes;     /* the exact boxes, by id */
    std::vector<b2AABB> bounds;     /* the same boxes in floats */
    std::vector<int32> proxies;     /* indexed by id */
    std::vector<std::uint32_t> ids; /* indexed by proxy */
    std::vector<new_place> taken;
    std::vector<std::uint32_t> order; /* scratch memory for a list of ids */
    b2DynamicTree tree;
    /* For sweeps of a box of one size: the boxes of the items enlarged by its half size, and a tree
       of them. */
    std::vector<pqt_box> grown;
    std::vector<std::uint32_t> grown_ids; /* indexed by proxy of that tree */
    b2DynamicTree grown_tree;
};

void *
make(const pqt_item *from, std::size_t count, pqt_box)
{
    contestant *c = new contestant;
    for (std::size_t i = 0; i < count; i++) {
        c->boxes.push_back(from[i].box);
        c->bounds.push_back(bounds_of(from[i].box));
    }
    c->proxies.resize(count);
    c->ids.resize(2 * count);
    return c;
}

/* Returns the bits of a 16-bit column, with a zero before each. */
std::uint32_t
spread(std::uint32_t column)
{
    column = (column | column << 8) & 0x00ff00ff;
    column = (column | column << 4) & 0x0f0f0f0f;
    column = (column | column << 2) & 0x33333333;
    return (column | column << 1) & 0x55555555;
}

std::uint32_t
column_along(double low, double value, double high)
{
    return static_cast<std::uint32_t>((value - low) / (high - low) * 65535);
}

/* Returns the position of a box on the Z curve of the box that contains all items. */
std::uint32_t
place_on_curve(const pqt_box &all, const pqt_box &box)
{
    return spread(column_along(all.min.x, box.min.x, all.max.x)) |
           spread(column_along(all.min.y, box.min.y, all.max.y)) << 1;
}

using places = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/* Returns the ids, in the order of the curve. */
places
order_by_curve(const contestant &c)
{
    pqt_box all = c.boxes[0];
    places order;
    for (const pqt_box &box : c.boxes)
        all = pqt_box_union(all, box);
    for (std::size_t id = 0; id < c.boxes.size(); id++)
        order.emplace_back(place_on_curve(all, c.boxes[id]), static_cast<std::uint32_t>(id));
    std::sort(order.begin(), order.end());
    return order;
}

/* Builds the tree in Z order, so that neighbours are close to each other in memory. This halves the
 * time of all searches. */
bool
build(void *state)
{
    contestant &c = *static_cast<contestant *>(state);
    for (const places::value_type &next : order_by_curve(c)) {
        std::uint32_t id = next.second;
        int32 proxy = c.tree.CreateProxy(c.bounds[id], nullptr);
        c.proxies[id] = proxy;
        c.ids[static_cast<std::size_t>(proxy)] = id;
    }
    return true;
}

/* Moves a proxy. The next motion is unknown, so no margin is requested in any direction. */
void
put(contestant &c, const new_place &place)
{
    c.boxes[place.id] = place.box;
    c.bounds[place.id] = place.bounds;
    c.tree.MoveProxy(c.proxies[place.id], place.bounds, b2Vec2(0, 0));
}

bool
move(void *state, const pqt_item *from, const pqt_box *to)
{
    put(*static_cast<contestant *>(state), new_place{from->id, *to, bounds_of(*to)});
    return true;
}

struct window_search {
    const contestant &c;
    const pqt_box &window;
    answer *found;

    bool QueryCallback(int32 proxy)
    {
        std::uint32_t id = c.ids[static_cast<std::size_t>(proxy)];
        if (touches(c.boxes[id], window)) {
            found->hits++;
            found->ids += id;
        }
        return true;
    }
};

void
query(const void *state, const pqt_box *window, answer *found)
{
    const contestant &c = *static_cast<const contestant *>(state);
    window_search search{c, *window, found};
    c.tree.Query(&search, bounds_of(*window));
}

/* A search for the partners of an item. A search for all pairs finds only partners with higher
 * ids. */
struct partner_search {
    const contestant &c;
    std::uint64_t id;
    pqt_box box;
    const bool *has_moved; /* null in a search for all pairs */
    answer *found;

    bool QueryCallback(int32 proxy)
    {
        std::uint32_t other = c.ids[static_cast<std::size_t>(proxy)];
        bool is_turn = other > id || (other < id && has_moved != nullptr && !has_moved[other]);
        if (is_turn && touches(c.boxes[other], box))
            add_pair(found, id, other);
        return true;
    }
};

/* Lists all items in the order of the tree. */
struct listing {
    const contestant &c;
    std::vector<std::uint32_t> &ids;

    bool QueryCallback(int32 proxy)
    {
        ids.push_back(c.ids[static_cast<std::size_t>(proxy)]);
        return true;
    }
};

/* Searches in the order of the tree, so that the nodes of a query are in the cache. */
void
pairs(void *state, answer *found)
{
    contestant &c = *static_cast<contestant *>(state);
    b2AABB everywhere;
    everywhere.lowerBound.Set(-infinity, -infinity);
    everywhere.upperBound.Set(infinity, infinity);
    c.order.clear();
    listing all{c, c.order};
    c.tree.Query(&all, everywhere);
    for (std::uint32_t id : c.order) {
        partner_search search{c, id, c.boxes[id], nullptr, found};
        c.tree.Query(&search, c.bounds[id]);
    }
}

void
partners(const void *state, const pqt_item *item, const bool *has_moved, answer *found)
{
    const contestant &c = *static_cast<const contestant *>(state);
    partner_search search{c, item->id, item->box, has_moved, found};
    c.tree.Query(&search, bounds_of(item->box));
}

bool
take(void *state, const drawn_move *moves, std::size_t count)
{
    contestant &c = *static_cast<contestant *>(state);
    c.taken.clear();
    for (std::size_t i = 0; i < count; i++)
        c.taken.push_back(new_place{moves[i].from.id, moves[i].to, bounds_of(moves[i].to)});
    return true;
}

bool
advance(void *state)
{
    contestant &c = *static_cast<contestant *>(state);
    for (const new_place &place : c.taken)
        put(c, place);
    return true;
}

struct hit_search {
    const std::vector<pqt_box> &boxes;
    const std::vector<std::uint32_t> &ids;
    slabs along;
    double first;
    std::uint64_t id;
    bool found;

    /* Returns the fraction up to which the tree must still search. 0 ends the search, and a
       negative value changes nothing. */
    float RayCastCallback(const b2RayCastInput &, int32 proxy)
    {
        std::uint32_t other = ids[static_cast<std::size_t>(proxy)];
        double fraction;
        if (!slabs_enter(&along, &boxes[other], first, &fraction))
            return -1;
        first = fraction;
        id = other;
        found = true;
        return rounded_up(fraction);
    }
};

bool
cast(const b2DynamicTree &tree, hit_search search, const pqt_segment *segment, std::uint64_t *id)
{
    b2RayCastInput input;
    input.p1.Set(static_cast<float>(segment->from.x), static_cast<float>(segment->from.y));
    input.p2.Set(static_cast<float>(segment->to.x), static_cast<float>(segment->to.y));
    input.maxFraction = 1;
    tree.RayCast(&search, input);
    *id = search.id;
    return search.found;
}

bool
first_hit(const void *state, const pqt_segment *segment, std::uint64_t *id)
{
    const contestant &c = *static_cast<const contestant *>(state);
    return cast(c.tree, hit_search{c.boxes, c.ids, slabs_of(segment), 1, 0, false}, segment, id);
}

bool
first_met(const void *state, pqt_vec, const pqt_segment *segment, std::uint64_t *id)
{
    const contestant &c = *static_cast<const contestant *>(state);
    return cast(c.grown_tree, hit_search{c.grown, c.grown_ids, slabs_of(segment), 1, 0, false},
                segment, id);
}

/* Sweeps a box, which is equivalent to sweeping a point among boxes that are enlarged by half its
 * size. */
bool
take_swept(void *state, pqt_vec half)
{
    contestant &c = *static_cast<contestant *>(state);
    for (const pqt_box &box : c.boxes)
        c.grown.push_back(pqt_box{{box.min.x - half.x, box.min.y - half.y},
                                  {box.max.x + half.x, box.max.y + half.y}});
    c.grown_ids.resize(2 * c.boxes.size());
    for (const places::value_type &next : order_by_curve(c)) {
        int32 proxy = c.grown_tree.CreateProxy(bounds_of(c.grown[next.second]), nullptr);
        c.grown_ids[static_cast<std::size_t>(proxy)] = next.second;
    }
    return true;
}

void
free_contestant(void *state)
{
    delete static_cast<contestant *>(state);
}

const peer_collision collision = {pairs, take, advance, nullptr, partners};
const peer_sight sight = {nullptr, first_hit, take_swept, first_met};

} // namespace

extern "C" {

const peer peer_box2d = {
    "box2d",
    "b2DynamicTree of Box2D 2.4, built by inserting in Z order, changed in place; floats around "
    "exact boxes; "
    "W5b by "
    "partners of moved items; W7b by rays in a second tree, of boxes grown for the one size",
    false,
    make,
    build,
    move,
    query,
    nullptr,
    nullptr,
    free_contestant,
    nullptr,
    &collision,
    &sight,
};
}

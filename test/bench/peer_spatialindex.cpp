/* SPDX-License-Identifier: MIT */
/*
 * peer_spatialindex.cpp: the R*-tree of libspatialindex as a contestant, in memory.
 *
 * It is built by its bulk loader and changed in place. A storage manager keeps nodes as arrays of
 * bytes, as on a disk, and each access to a node decodes them.
 */
#include "peer.h"

#include <memory>
#include <utility>
#include <vector>

#include <spatialindex/SpatialIndex.h>

namespace
{

namespace si = SpatialIndex;

/* Of 10, 20, 50 and 100 entries per node, 10 is fastest. */
constexpr std::uint32_t NODE_CAPACITY = 10;
constexpr double FILL = 0.9;

si::Region
region_of(const pqt_box &box)
{
    const double low[] = {box.min.x, box.min.y}, high[] = {box.max.x, box.max.y};
    return si::Region(low, high, 2);
}

struct contestant {
    std::vector<pqt_item> items;
    std::unique_ptr<si::IStorageManager> storage;
    std::unique_ptr<si::ISpatialIndex> tree;
    std::vector<drawn_move> taken;
};

/* A stream of all items for the bulk loader, which deletes each one. */
class stream : public si::IDataStream
{
  public:
    explicit stream(const std::vector<pqt_item> &from) : items(from)
    {
    }
    si::IData *getNext() override
    {
        const pqt_item &item = items[next++];
        si::Region region = region_of(item.box);
        return new si::RTree::Data(0, nullptr, region, static_cast<si::id_type>(item.id));
    }
    bool hasNext() override
    {
        return next < items.size();
    }
    std::uint32_t size() override
    {
        return static_cast<std::uint32_t>(items.size());
    }
    void rewind() override
    {
        next = 0;
    }

  private:
    const std::vector<pqt_item> &items;
    std::size_t next = 0;
};

/* Passes the id of each item found to a function. */
template <class Function> class visitor : public si::IVisitor
{
  public:
    explicit visitor(Function to_call) : function(to_call)
    {
    }
    void visitNode(const si::INode &) override
    {
    }
    void visitData(const si::IData &item) override
    {
        function(static_cast<std::uint64_t>(item.getIdentifier()));
    }
    void visitData(std::vector<const si::IData *> &) override
    {
    }

  private:
    Function function;
};

template <class Function>
void
for_each_hit(const contestant &c, const pqt_box &window, Function function)
{
    visitor<Function> to_call(function);
    c.tree->intersectsWithQuery(region_of(window), to_call);
}

void *
make(const pqt_item *from, std::size_t count, pqt_box)
{
    contestant *c = new contestant;
    c->items.assign(from, from + count);
    return c;
}

bool
build(void *state)
{
    contestant &c = *static_cast<contestant *>(state);
    si::id_type id;
    stream all(c.items);
    c.tree.reset();
    c.storage.reset(si::StorageManager::createNewMemoryStorageManager());
    c.tree.reset(si::RTree::createAndBulkLoadNewRTree(si::RTree::BLM_STR, all, *c.storage, FILL,
                                                      NODE_CAPACITY, NODE_CAPACITY, 2,
                                                      si::RTree::RV_RSTAR, id));
    return true;
}

bool
move(void *state, const pqt_item *from, const pqt_box *to)
{
    const contestant &c = *static_cast<contestant *>(state);
    si::id_type id = static_cast<si::id_type>(from->id);
    if (!c.tree->deleteData(region_of(from->box), id))
        return false;
    c.tree->insertData(0, nullptr, region_of(*to), id);
    return true;
}

void
query(const void *state, const pqt_box *window, answer *found)
{
    for_each_hit(*static_cast<const contestant *>(state), *window, [found](std::uint64_t id) {
        found->hits++;
        found->ids += id;
    });
}

void
pairs(void *state, answer *found)
{
    const contestant &c = *static_cast<contestant *>(state);
    for (const pqt_item &item : c.items)
        for_each_hit(c, item.box, [&](std::uint64_t other) {
            if (other > item.id)
                add_pair(found, item.id, other);
        });
}

bool
take(void *state, const drawn_move *moves, std::size_t count)
{
    contestant &c = *static_cast<contestant *>(state);
    c.taken.assign(moves, moves + count);
    for (const drawn_move &move : c.taken)
        c.items[move.from.id].box = move.to;
    return true;
}

/* Moves the items. If one item in ten moves, rebuilding the tree takes less time. */
bool
advance(void *state)
{
    contestant &c = *static_cast<contestant *>(state);
    if (c.taken.size() >= c.items.size() / 10)
        return build(state);
    for (const drawn_move &next : c.taken)
        if (!move(state, &next.from, &next.to))
            return false;
    return true;
}

void
partners(const void *state, const pqt_item *item, const bool *has_moved, answer *found)
{
    for_each_hit(*static_cast<const contestant *>(state), item->box, [&](std::uint64_t other) {
        if (other > item->id || (other < item->id && !has_moved[other]))
            add_pair(found, item->id, other);
    });
}

/* Finds the nearest items. The tree also reports items that are as far away as the last one. */
std::size_t
nearest(const void *state, pqt_vec from, std::size_t most, std::uint64_t *ids)
{
    const contestant &c = *static_cast<const contestant *>(state);
    const double place[] = {from.x, from.y};
    std::size_t count = 0;
    auto add = [&](std::uint64_t id) {
        if (count < most)
            ids[count++] = id;
    };
    visitor<decltype(add)> to_call(add);
    c.tree->nearestNeighborQuery(static_cast<std::uint32_t>(most), si::Point(place, 2), to_call);
    return count;
}

void
free_contestant(void *state)
{
    contestant *c = static_cast<contestant *>(state);
    c->tree.reset();
    delete c;
}

const peer_collision collision = {pairs, take, advance, nullptr, partners};
const peer_sight sight = {nearest, nullptr, nullptr, nullptr};

} // namespace

extern "C" {

const peer peer_spatialindex = {
    "spatialindex",
    "R*-tree of libspatialindex " SIDX_RELEASE_NAME
    " in its memory storage, nodes of 10, bulk loaded; moves change it in place, but where all "
    "items "
    "move it is rebuilt; W5b by partners of moved items",
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
    nullptr,
};
}

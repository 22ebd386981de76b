/* SPDX-License-Identifier: MIT */
/*
 * peer_boost.cpp: the R-tree of Boost.Geometry as a contestant, packed and R*.
 *
 * The packed tree is built from the whole array. The R* tree is built by inserting one item after
 * another, which makes better nodes than the other insertion methods of Boost. Both change in
 * place, so they have no persistent form; a copy of the whole tree for each version would not be a
 * fair comparison.
 */
#include "peer.h"

#include <pthread.h>

#include <iterator>
#include <memory>
#include <utility>
#include <vector>

/* Boost includes headers that it has itself deprecated. */
#define BOOST_ALLOW_DEPRECATED_HEADERS
#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/version.hpp>

#include "segment_slab.h"

namespace
{

namespace bg = boost::geometry;
namespace bgi = boost::geometry::index;
using point = bg::model::point<double, 2, bg::cs::cartesian>;
using box = bg::model::box<point>;
using segment = bg::model::segment<point>;
using value = std::pair<box, std::uint64_t>;

/* An allocator that counts the bytes allocated through it, without the overhead of malloc. */
template <class Type> struct counting_allocator {
    using value_type = Type;
    std::size_t *held;

    explicit counting_allocator(std::size_t *counter) : held(counter)
    {
    }
    template <class Other>
    counting_allocator(const counting_allocator<Other> &other) : held(other.held)
    {
    }
    Type *allocate(std::size_t count)
    {
        Type *block = std::allocator<Type>().allocate(count);
        *held += count * sizeof(Type);
        return block;
    }
    void deallocate(Type *block, std::size_t count)
    {
        *held -= count * sizeof(Type);
        std::allocator<Type>().deallocate(block, count);
    }
    template <class Other> bool operator==(const counting_allocator<Other> &other) const
    {
        return held == other.held;
    }
    template <class Other> bool operator!=(const counting_allocator<Other> &other) const
    {
        return held != other.held;
    }
};

box
box_of(const pqt_box &from)
{
    return box(point(from.min.x, from.min.y), point(from.max.x, from.max.y));
}

/* Receives the results of a query, and adds up the ids. Boost itself counts the hits. */
struct adder {
    using iterator_category = std::output_iterator_tag;
    using value_type = void;
    using difference_type = void;
    using pointer = void;
    using reference = void;
    std::uint64_t *ids;

    adder &operator*()
    {
        return *this;
    }
    adder &operator++()
    {
        return *this;
    }
    adder &operator++(int)
    {
        return *this;
    }
    adder &operator=(const value &hit)
    {
        *ids += hit.second;
        return *this;
    }
};

/* Passes each result of a query to a function. Boost requires an output iterator. */
template <class Function> struct caller {
    using iterator_category = std::output_iterator_tag;
    using value_type = void;
    using difference_type = void;
    using pointer = void;
    using reference = void;
    Function *function;

    caller &operator*()
    {
        return *this;
    }
    caller &operator++()
    {
        return *this;
    }
    caller &operator++(int)
    {
        return *this;
    }
    caller &operator=(const value &hit)
    {
        (*function)(hit);
        return *this;
    }
};

template <class Tree, class Predicate, class Function>
void
for_each_hit(const Tree &tree, const Predicate &predicate, Function function)
{
    tree.query(predicate, caller<Function>{&function});
}

/*
 * The contestants of this file, which are distinguished by the parameters and by whether the array
 * is packed. An exception ends the run, which is a separate process.
 */
template <class Parameters, bool packed> struct contestant {
    using allocator = counting_allocator<value>;
    using indexable = bgi::indexable<value>;
    using equal = bgi::equal_to<value>;
    using rtree = bgi::rtree<value, Parameters, indexable, equal, allocator>;

    std::vector<value> items;
    std::size_t held = 0;
    std::unique_ptr<rtree> tree;
    std::vector<std::pair<value, value>> taken; /* the moves: old and new boxes */
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

    contestant(const pqt_item *from, std::size_t count)
    {
        items.reserve(count);
        for (std::size_t i = 0; i < count; i++)
            items.emplace_back(box_of(from[i].box), from[i].id);
    }

    void index_items()
    {
        allocator counting(&held);
        if (packed) {
            tree.reset(new rtree(items, Parameters(), indexable(), equal(), counting));
            return;
        }
        tree.reset(new rtree(Parameters(), indexable(), equal(), counting));
        tree->insert(items);
    }

    static void *make(const pqt_item *from, std::size_t count, pqt_box)
    {
        return new contestant(from, count);
    }

    static bool build(void *state)
    {
        static_cast<contestant *>(state)->index_items();
        return true;
    }

    static bool move(void *state, const pqt_item *from, const pqt_box *to)
    {
        rtree &tree = *static_cast<contestant *>(state)->tree;
        if (tree.remove(value(box_of(from->box), from->id)) != 1)
            return false;
        tree.insert(value(box_of(*to), from->id));
        return true;
    }

    static void query(const void *state, const pqt_box *window, answer *found)
    {
        const rtree &tree = *static_cast<const contestant *>(state)->tree;
        std::uint64_t ids = 0;
        found->hits += tree.query(bgi::intersects(box_of(*window)), adder{&ids});
        found->ids += ids;
    }

    static void query_items(const void *state, const pqt_box *window, answer *found)
    {
        const rtree &tree = *static_cast<const contestant *>(state)->tree;
        std::uint64_t sum = 0, hits = 0;
        for_each_hit(tree, bgi::intersects(box_of(*window)), [&](const value &hit) {
            const point &min = hit.first.min_corner(), &max = hit.first.max_corner();
            sum += item_mark(min.get<0>(), min.get<1>(), max.get<0>(), max.get<1>(), hit.second);
            hits++;
        });
        found->hits += hits;
        found->ids += sum;
    }

    /* Runs a query for each item, in the order of the tree, so that the nodes are in the cache. */
    static void pairs(void *state, answer *found)
    {
        const rtree &tree = *static_cast<const contestant *>(state)->tree;
        for (const value &item : tree)
            for_each_hit(tree, bgi::intersects(item.first), [&](const value &other) {
                if (other.second > item.second)
                    add_pair(found, item.second, other.second);
            });
    }

    static bool take(void *state, const drawn_move *moves, std::size_t count)
    {
        contestant &c = *static_cast<contestant *>(state);
        c.taken.clear();
        for (std::size_t i = 0; i < count; i++) {
            value to(box_of(moves[i].to), moves[i].from.id);
            c.taken.emplace_back(c.items[to.second], to);
            c.items[to.second] = to;
        }
        return true;
    }

    /* Moves the items. If one item in ten moves, rebuilding a packed tree takes less time. */
    static bool advance(void *state)
    {
        contestant &c = *static_cast<contestant *>(state);
        if (packed && c.taken.size() >= c.items.size() / 10) {
            c.index_items();
            return true;
        }
        for (const std::pair<value, value> &move : c.taken) {
            if (c.tree->remove(move.first) != 1)
                return false;
            c.tree->insert(move.second);
        }
        return true;
    }

    static void partners(const void *state, const pqt_item *item, const bool *has_moved,
                         answer *found)
    {
        const rtree &tree = *static_cast<const contestant *>(state)->tree;
        for_each_hit(tree, bgi::intersects(box_of(item->box)), [&](const value &other) {
            if (other.second > item->id || (other.second < item->id && !has_moved[other.second]))
                add_pair(found, item->id, other.second);
        });
    }

    static std::size_t nearest(const void *state, pqt_vec from, std::size_t most,
                               std::uint64_t *ids)
    {
        const rtree &tree = *static_cast<const contestant *>(state)->tree;
        std::size_t count = 0;
        for_each_hit(tree, bgi::nearest(point(from.x, from.y), static_cast<unsigned>(most)),
                     [&](const value &near) { ids[count++] = near.second; });
        return count;
    }

    /* Finds the first hit: Boost finds all boxes that the segment meets, and slab tests choose the
       first of them. */
    static bool first_hit(const void *state, const pqt_segment *given, std::uint64_t *id)
    {
        const rtree &tree = *static_cast<const contestant *>(state)->tree;
        slabs along = slabs_of(given);
        double first = 1;
        bool found = false;
        segment way(point(given->from.x, given->from.y), point(given->to.x, given->to.y));
        for_each_hit(tree, bgi::intersects(way), [&](const value &met) {
            pqt_box exact = {
                {bg::get<bg::min_corner, 0>(met.first), bg::get<bg::min_corner, 1>(met.first)},
                {bg::get<bg::max_corner, 0>(met.first), bg::get<bg::max_corner, 1>(met.first)}};
            double fraction;
            if (!slabs_enter(&along, &exact, first, &fraction))
                return;
            first = fraction;
            *id = met.second;
            found = true;
        });
        return found;
    }

    /* Shares the tree as the user of a tree that changes in place would: with one lock for readers
       and writers. */
    static bool begin_sharing(void *state)
    {
        static_cast<contestant *>(state)->index_items();
        return true;
    }

    static bool write(void *state, const pqt_item *from, const pqt_box *to)
    {
        contestant &c = *static_cast<contestant *>(state);
        pthread_rwlock_wrlock(&c.lock);
        const bool moved = move(state, from, to);
        pthread_rwlock_unlock(&c.lock);
        return moved;
    }

    static void *enter(void *state)
    {
        return state;
    }

    static void leave(void *)
    {
    }

    static void read(void *reader, const pqt_box *window, answer *found)
    {
        contestant &c = *static_cast<contestant *>(reader);
        pthread_rwlock_rdlock(&c.lock);
        query(reader, window, found);
        pthread_rwlock_unlock(&c.lock);
    }

    static double bytes(const void *state)
    {
        return static_cast<double>(static_cast<const contestant *>(state)->held);
    }

    static void free(void *state)
    {
        delete static_cast<contestant *>(state);
    }
};

/*
 * Of 8, 16 and 32 entries per node, 16 is best overall. With 8, small windows are a tenth faster
 * and larger ones slower; with 32, nearly everything is slower.
 */
using packed = contestant<bgi::quadratic<16>, true>;
using rstar = contestant<bgi::rstar<16>, false>;

const peer_collision collision = {
    packed::pairs, packed::take, packed::advance, nullptr, packed::partners,
};
const peer_sight sight = {packed::nearest, packed::first_hit};
const peer_sharing packed_sharing = {packed::begin_sharing, packed::write, packed::enter,
                                     packed::leave, packed::read};
const peer_sharing rstar_sharing = {rstar::begin_sharing, rstar::write, rstar::enter, rstar::leave,
                                    rstar::read};

} // namespace

extern "C" {

const peer peer_boost_packed = {
    "boost-packed",
    "Boost.Geometry " BOOST_LIB_VERSION ", quadratic<16>, built from the array; moves change it in "
    "place, but where all items move it is "
    "rebuilt; W5b by partners of moved items; W8 under a pthread_rwlock",
    false,
    packed::make,
    packed::build,
    packed::move,
    packed::query,
    packed::query_items,
    packed::bytes,
    packed::free,
    nullptr,
    &collision,
    &sight,
    &packed_sharing,
};

const peer peer_boost_rstar = {
    "boost-rstar",
    "Boost.Geometry " BOOST_LIB_VERSION
    ", rstar<16>, built by inserting; moves change it in place; W8 under a pthread_rwlock",
    false,
    rstar::make,
    rstar::build,
    rstar::move,
    rstar::query,
    rstar::query_items,
    rstar::bytes,
    rstar::free,
    nullptr,
    nullptr,
    nullptr,
    &rstar_sharing,
};
}

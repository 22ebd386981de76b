/* SPDX-License-Identifier: MIT */
/*
 * peer_boost.cpp - the R-tree of Boost.Geometry as a contestant, packed and R*.
 *
 * Packed is built from the whole array; R* by inserting one item after another, which makes better
 * nodes than Boost's other ways to insert. Both change in place and so have no persistent form: a
 * copy of the whole tree for each version is nothing to compare with.
 */
#include "peer.h"

#include <memory>
#include <utility>
#include <vector>

/* Boost includes headers of its own that it calls deprecated. */
#define BOOST_ALLOW_DEPRECATED_HEADERS
#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/version.hpp>

namespace
{

namespace bg = boost::geometry;
namespace bgi = boost::geometry::index;
using point = bg::model::point<double, 2, bg::cs::cartesian>;
using box = bg::model::box<point>;
using value = std::pair<box, std::uint64_t>;

/* An allocator that counts what is held through it. What malloc adds to a block is not counted. */
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

/* Takes what a query finds, and keeps the sum of the ids; Boost itself counts the hits. */
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

/*
 * Both kinds, told apart by the parameters and by whether the array is packed. What is thrown ends
 * the run: it is a process of its own.
 */
template <class Parameters, bool packed> struct contestant {
    using allocator = counting_allocator<value>;
    using indexable = bgi::indexable<value>;
    using equal = bgi::equal_to<value>;
    using rtree = bgi::rtree<value, Parameters, indexable, equal, allocator>;

    std::vector<value> items;
    std::size_t held = 0;
    std::unique_ptr<rtree> tree;

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

    static void *make(const pqt_item *from, std::size_t count)
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
 * Of nodes of 8, 16 and 32, those of 16 serve best on the whole: 8 is a tenth faster for small
 * windows and slower for large ones, 32 is slower nearly everywhere.
 */
using packed = contestant<bgi::quadratic<16>, true>;
using rstar = contestant<bgi::rstar<16>, false>;

} // namespace

extern "C" {

const peer peer_boost_packed = {
    "boost-packed",
    "Boost.Geometry " BOOST_LIB_VERSION
    ", quadratic<16>, built from the array; moves change it in place",
    false,
    packed::make,
    packed::build,
    packed::move,
    packed::query,
    packed::bytes,
    packed::free,
    nullptr,
};

const peer peer_boost_rstar = {
    "boost-rstar",
    "Boost.Geometry " BOOST_LIB_VERSION ", rstar<16>, built by inserting; moves change it in place",
    false,
    rstar::make,
    rstar::build,
    rstar::move,
    rstar::query,
    rstar::bytes,
    rstar::free,
    nullptr,
};
}

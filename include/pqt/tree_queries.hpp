/* SPDX-License-Identifier: MIT */
/** @file tree_queries.hpp - the queries that trees and the views of drafts share. See pqt.hpp. */
#ifndef PQT_TREE_QUERIES_HPP
#define PQT_TREE_QUERIES_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

#include <pqt.h>
#include <pqt/array_view.hpp>
#include <pqt/callback.hpp>
#include <pqt/query.hpp>

namespace pqt
{

namespace detail
{

/* Calls a C function with a query and a filter, and rethrows what the filter threw. */
template <class Filter> class filtered
{
  public:
    filtered(const query &from, Filter &filter) : raw_(from.raw()), call_(filter)
    {
        raw_.context = &call_;
        raw_.filter = [](const pqt_item *item, void *context) {
            return callback<Filter>::of(context).accepts(*item);
        };
    }

    filtered(const filtered &) = delete;
    filtered &operator=(const filtered &) = delete;

    const pqt_query *raw() const noexcept
    {
        return &raw_;
    }

    void rethrow() const
    {
        call_.rethrow();
    }

  private:
    pqt_query raw_;
    callback<Filter> call_;
};

} // namespace detail

template <class Source> class item_range_of;

/**
 * The queries of a tree, which is a version or the view of a draft.
 *
 * @tparam Derived  pqt::tree or pqt::draft_view
 */
template <class Derived> class tree_queries
{
  public:
    /** @name Readers: they allocate nothing unless they return a vector. All throw moved_from. */
    /** @{ */

    /**
     * Counts the items.
     *
     * @return the number of items
     * @cost O(1)
     */
    std::size_t size() const
    {
        return pqt_tree_count(source());
    }

    /** @return whether there are no items */
    bool empty() const
    {
        return size() == 0;
    }

    /**
     * Returns the bounds.
     *
     * @return the rectangle that the tree divides, in world units
     */
    pqt_box bounds() const
    {
        return pqt_tree_bounds(source());
    }

    /**
     * Finds the smallest box around all items.
     *
     * @return the box, in world units; none if there are no items
     * @cost   O(nodes whose items reach the edge of the box)
     */
    std::optional<pqt_box> extent() const
    {
        pqt_box box;
        return pqt_tree_extent(source(), &box) ? std::optional<pqt_box>(box) : std::nullopt;
    }

    /**
     * Counts the nodes and bytes of the version.
     *
     * @return the statistics of the version
     * @cost O(nodes)
     */
    pqt_tree_stats stats() const
    {
        return pqt_tree_get_stats(source());
    }

    /**
     * Returns whether the version contains an item.
     *
     * @param item  a box and an id
     * @return      whether the version contains it
     * @cost        O(depth)
     */
    bool contains(const pqt_item &item) const
    {
        return pqt_tree_contains(source(), item);
    }

    /**
     * Finds the item with a given id. Needs unique ids.
     *
     * @param id  the id of an item
     * @return    the item; none if no item has the id
     */
    std::optional<pqt_item> find(std::uint64_t id) const
    {
        pqt_item found;
        return pqt_tree_find(source(), id, &found) ? std::optional<pqt_item>(found) : std::nullopt;
    }

    /**
     * Loops over the items that match.
     *
     * @param query  selects the items
     * @return       the items, one by one, in tree order
     * @throws       out_of_memory
     * @cost         O(log n + matches) for the whole loop
     */
    [[nodiscard]] item_range_of<Derived> window(const query &query) const;

    /**
     * Loops over all items.
     *
     * @return all items, one by one, in tree order
     * @throws out_of_memory
     */
    [[nodiscard]] item_range_of<Derived> items() const;

    /**
     * Visits the items that match, in tree order. It is faster than a loop over window().
     *
     * @param query  selects the items
     * @param visitor  takes a const pqt_item &
     * @return         false if the visitor stopped the visit
     * @throws         anything that the visitor throws
     */
    template <class Visitor> bool visit(const query &query, Visitor &&visitor) const
    {
        const pqt_query raw = query.raw();
        const auto kept = held_source();
        detail::callback call(visitor);
        const bool all = pqt_tree_visit(
            kept.get(), &raw,
            [](const pqt_item *item, void *context) {
                return decltype(call)::of(context).visit(*item);
            },
            &call);
        call.rethrow();
        return all;
    }

    /**
     * Visits the ids of the items that match, several at a time.
     *
     * @param query  selects the items
     * @param visitor  takes an array_view<std::uint64_t>, valid during the call
     * @return         false if the visitor stopped the visit
     * @throws         anything that the visitor throws
     * @cost           about a third of the time that visit takes for large windows
     */
    template <class Visitor> bool visit_ids(const query &query, Visitor &&visitor) const
    {
        const pqt_query raw = query.raw();
        const auto kept = held_source();
        detail::callback call(visitor);
        const bool all = pqt_tree_visit_ids(
            kept.get(), &raw,
            [](const std::uint64_t *ids, std::size_t count, void *context) {
                return decltype(call)::of(context).visit(array_view<std::uint64_t>(ids, count));
            },
            &call);
        call.rethrow();
        return all;
    }

    /**
     * Visits the items that match as columns, several at a time.
     *
     * @param query  selects the items
     * @param visitor  takes a const pqt_item_columns &, whose arrays are valid during the call
     * @return         false if the visitor stopped the visit
     * @throws         anything that the visitor throws
     * @cost           as pqt_tree_visit_columns
     */
    template <class Visitor> bool visit_columns(const query &query, Visitor &&visitor) const
    {
        const pqt_query raw = query.raw();
        const auto kept = held_source();
        detail::callback call(visitor);
        const bool all = pqt_tree_visit_columns(
            kept.get(), &raw,
            [](const pqt_item_columns *columns, void *context) {
                return decltype(call)::of(context).visit(*columns);
            },
            &call);
        call.rethrow();
        return all;
    }

    /**
     * Counts the items that match.
     *
     * @param query  selects the items
     * @return       the number of matches
     * @cost         O(nodes that the window's edge crosses)
     */
    std::size_t count(const query &query) const
    {
        const pqt_query raw = query.raw();
        return pqt_tree_count_in(source(), &raw);
    }

    /**
     * Counts the items that match and that a filter accepts.
     *
     * @param query  selects the items
     * @param filter  takes a const pqt_item & and returns a bool
     * @return        the number of items that match and are accepted
     * @throws        anything that the filter throws
     */
    template <class Filter> std::size_t count(const query &query, Filter &&filter) const
    {
        const auto kept = held_source();
        detail::filtered call(query, filter);
        const std::size_t count = pqt_tree_count_in(kept.get(), call.raw());
        call.rethrow();
        return count;
    }

    /**
     * Finds an item that matches.
     *
     * @param query  selects the items
     * @return the first match in tree order; none if there is none
     */
    std::optional<pqt_item> any(const query &query) const
    {
        const pqt_query raw = query.raw();
        pqt_item found;
        return pqt_tree_any(source(), &raw, &found) ? std::optional<pqt_item>(found) : std::nullopt;
    }

    /**
     * Finds an item that matches and that a filter accepts.
     *
     * @param query  selects the items
     * @param filter  takes a const pqt_item & and returns a bool
     * @return        the first match that is accepted
     * @throws        anything that the filter throws
     */
    template <class Filter> std::optional<pqt_item> any(const query &query, Filter &&filter) const
    {
        detail::filtered call(query, filter);
        pqt_item found;
        const auto kept = held_source();
        const bool is_found = pqt_tree_any(kept.get(), call.raw(), &found);
        call.rethrow();
        return is_found ? std::optional<pqt_item>(found) : std::nullopt;
    }

    /**
     * Collects the items that match.
     *
     * @param query  selects the items
     * @return       the matches, in tree order
     * @throws       std::bad_alloc
     */
    [[nodiscard]] std::vector<pqt_item> collect(const query &query = {}) const
    {
        const pqt_query raw = query.raw();
        std::vector<pqt_item> items(pqt_tree_count_in(source(), &raw));
        pqt_tree_collect(source(), &raw, items.data(), items.size());
        return items;
    }

    /**
     * Collects the ids of the items that match.
     *
     * @param query  selects the items
     * @return       the ids of the matches, in tree order
     * @throws       std::bad_alloc
     */
    [[nodiscard]] std::vector<std::uint64_t> collect_ids(const query &query = {}) const
    {
        const pqt_query raw = query.raw();
        std::vector<std::uint64_t> ids(pqt_tree_count_in(source(), &raw));
        pqt_tree_collect_ids(source(), &raw, ids.data(), ids.size());
        return ids;
    }

#if __cplusplus >= 202002L
    /**
     * Writes matches into an array (C++20).
     *
     * @param query  selects the items
     * @param room   receives the first matches
     * @return       the number of matches; at most room.size() of them are written
     */
    std::size_t collect_into(const query &query, std::span<pqt_item> room) const
    {
        const pqt_query raw = query.raw();
        return pqt_tree_collect(source(), &raw, room.data(), room.size());
    }

    /**
     * Writes ids of matches into an array (C++20).
     *
     * @param query  selects the items
     * @param room   receives the first ids
     * @return       the number of matches; at most room.size() of them are written
     */
    std::size_t collect_ids_into(const query &query, std::span<std::uint64_t> room) const
    {
        const pqt_query raw = query.raw();
        return pqt_tree_collect_ids(source(), &raw, room.data(), room.size());
    }
#endif

    /**
     * Finds the items nearest to a box.
     *
     * @param from          the box from which distances are measured; on the sphere, a point
     * @param count         the maximum number of items to find
     * @param max_distance  the maximum distance, in world units or metres, inclusive
     * @param surface       PQT_SPHERE for longitudes and latitudes in degrees (sphere.h)
     * @return              the items and their distances, nearest first
     * @throws              std::bad_alloc
     * @cost                O(log n + count log count) for items spread evenly
     */
    [[nodiscard]] std::vector<pqt_near>
    nearest(const pqt_box &from, std::size_t count,
            double max_distance = std::numeric_limits<double>::infinity(),
            pqt_surface surface = PQT_PLANE) const
    {
        pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
        options.max_distance = max_distance;
        options.surface = surface;
        std::vector<pqt_near> found(count < size() ? count : size());
        found.resize(pqt_tree_nearest(source(), from, &options, found.data(), found.size()));
        return found;
    }

    /**
     * Finds the items nearest to a point.
     *
     * @param from          a point
     * @param count         the maximum number of items to find
     * @param max_distance  the maximum distance, in world units or metres, inclusive
     * @param surface       PQT_SPHERE for longitudes and latitudes in degrees (sphere.h)
     * @return              the items and their distances, nearest first
     * @throws              std::bad_alloc
     */
    [[nodiscard]] std::vector<pqt_near>
    nearest(const pqt_vec &from, std::size_t count,
            double max_distance = std::numeric_limits<double>::infinity(),
            pqt_surface surface = PQT_PLANE) const
    {
        return nearest(pqt_box{from, from}, count, max_distance, surface);
    }

    /**
     * Visits items by increasing distance until the visitor stops.
     *
     * @param from     a box; on the sphere, a point
     * @param visitor  takes a const pqt_near &
     * @param surface  PQT_SPHERE for longitudes and latitudes in degrees (sphere.h)
     * @return         false if the visitor stopped the visit
     * @throws         anything that the visitor throws
     * @cost           O(k log n) for the first k items if they are spread evenly
     */
    template <class Visitor>
    bool visit_nearest(const pqt_box &from, Visitor &&visitor,
                       pqt_surface surface = PQT_PLANE) const
    {
        const auto kept = held_source();
        detail::callback call(visitor);
        pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
        options.surface = surface;
        const bool all = pqt_tree_visit_nearest(
            kept.get(), from, &options,
            [](const pqt_near *near_one, void *context) {
                return decltype(call)::of(context).visit(*near_one);
            },
            &call);
        call.rethrow();
        return all;
    }

    /**
     * Finds the first item that a segment hits.
     *
     * @param line a segment
     * @return the first item that it hits; none if there is none
     */
    std::optional<pqt_ray_hit> cast(const pqt_segment &line) const
    {
        return first_hit(pqt_cast_segment(line));
    }

    /**
     * Finds the first item that a ray hits.
     *
     * @param line a ray
     * @return the first item that it hits; none if there is none
     */
    std::optional<pqt_ray_hit> cast(const pqt_ray &line) const
    {
        return first_hit(pqt_cast_ray(line));
    }

    /**
     * Finds all items that a segment hits.
     *
     * @param line  a segment
     * @return      all hits, front to back
     * @throws      std::bad_alloc
     */
    [[nodiscard]] std::vector<pqt_ray_hit> cast_all(const pqt_segment &line) const
    {
        return all_hits(pqt_cast_segment(line));
    }

    /**
     * Finds all items that a ray hits.
     *
     * @param line  a ray
     * @return      all hits, front to back
     * @throws      std::bad_alloc
     */
    [[nodiscard]] std::vector<pqt_ray_hit> cast_all(const pqt_ray &line) const
    {
        return all_hits(pqt_cast_ray(line));
    }

    /**
     * Visits the hits of a segment or ray, front to back.
     *
     * @param line     a pqt_segment or pqt_ray
     * @param visitor  takes a const pqt_ray_hit &
     * @return         false if the visitor stopped the visit
     * @throws         anything that the visitor throws
     */
    template <class Line, class Visitor> bool visit_cast(const Line &line, Visitor &&visitor) const
    {
        const pqt_cast cast = cast_of(line);
        const auto kept = held_source();
        detail::callback call(visitor);
        const bool all = pqt_tree_visit_cast(
            kept.get(), &cast,
            [](const pqt_ray_hit *hit, void *context) {
                return decltype(call)::of(context).visit(*hit);
            },
            &call);
        call.rethrow();
        return all;
    }

    /**
     * Visits the pairs of items that have a relation.
     *
     * @param relation  the relation of the first item to the second
     * @param visitor   takes two const pqt_item &
     * @return          false if the visitor stopped the visit
     * @throws          anything that the visitor throws
     * @cost            O(n + pairs) for items spread evenly
     */
    template <class Visitor> bool visit_pairs(pqt_relation relation, Visitor &&visitor) const
    {
        return visit_pairs_with(nullptr, relation, {0, 0}, visitor);
    }

    /**
     * Visits the pairs that consist of an item of this version and an item of another version.
     *
     * @param other     a tree or the view of a draft, in any memory
     * @param relation  the relation of the first item to the second
     * @param offset    added to the boxes of the other version, in world units
     * @param visitor   takes two const pqt_item &
     * @return          false if the visitor stopped the visit
     * @throws          anything that the visitor throws
     */
    template <class Other, class Visitor>
    bool visit_pairs(const tree_queries<Other> &other, pqt_relation relation, const pqt_vec &offset,
                     Visitor &&visitor) const
    {
        const auto second = other.held_source();
        return visit_pairs_with(second.get(), relation, offset, visitor);
    }

    /**
     * Visits the pairs of one item with the items of this version, in tree order.
     *
     * @param item      in the version or not; it makes no pair with an equal item
     * @param relation  the relation of this item to the other
     * @param visitor   takes two const pqt_item &, of which the first is `item`
     * @return          false if the visitor stopped the visit
     * @throws          anything that the visitor throws
     */
    template <class Visitor>
    bool visit_pairs_of(const pqt_item &item, pqt_relation relation, Visitor &&visitor) const
    {
        pqt_pair_query query = {};
        query.relation = relation;
        const auto kept = held_source();
        detail::callback call(visitor);
        const bool all = pqt_pairs_visit_of(
            kept.get(), item, &query,
            [](const pqt_item *a, const pqt_item *b, void *context) {
                return decltype(call)::of(context).visit(*a, *b);
            },
            &call);
        call.rethrow();
        return all;
    }

    /**
     * Collects the pairs of items that have a relation.
     *
     * @param relation  the relation of the first item to the second
     * @return          the pairs
     * @throws          std::bad_alloc
     */
    [[nodiscard]] std::vector<pqt_pair> pairs(pqt_relation relation = PQT_TOUCHES) const
    {
        return pairs_of(nullptr, relation, {0, 0});
    }

    /**
     * Collects the pairs that consist of an item of this version and an item of another version.
     *
     * @param other     a tree or the view of a draft, in any memory
     * @param relation  the relation of the first item to the second
     * @param offset    added to the boxes of the other version, in world units
     * @return          the pairs
     * @throws          std::bad_alloc
     */
    template <class Other>
    [[nodiscard]] std::vector<pqt_pair> pairs(const tree_queries<Other> &other,
                                              pqt_relation relation = PQT_TOUCHES,
                                              const pqt_vec &offset = {0, 0}) const
    {
        return pairs_of(other.source(), relation, offset);
    }

    /**
     * Counts the pairs of items that have a relation.
     *
     * @param relation  the relation of the first item to the second
     * @return          their number
     */
    std::size_t count_pairs(pqt_relation relation = PQT_TOUCHES) const
    {
        pqt_pair_query query = {};
        query.relation = relation;
        return pqt_pairs_count(source(), nullptr, &query);
    }

    /**
     * Visits the cells of the subdivision.
     *
     * @param visitor  takes a const pqt_cell &
     * @return         false if the visitor stopped the visit
     * @throws         anything that the visitor throws
     */
    template <class Visitor> bool visit_cells(Visitor &&visitor) const
    {
        const auto kept = held_source();
        detail::callback call(visitor);
        const bool all = pqt_tree_visit_cells(
            kept.get(),
            [](const pqt_cell *cell, void *context) {
                return decltype(call)::of(context).visit(*cell);
            },
            &call);
        call.rethrow();
        return all;
    }
    /** @} */

  private:
    template <class Other> friend class tree_queries;

    const pqt_tree *source() const
    {
        return static_cast<const Derived *>(this)->get();
    }

    /* Holds the version during a visit. A view needs nothing that holds it. */
    Derived held_source() const
    {
        return static_cast<const Derived *>(this)->held();
    }

    static pqt_cast cast_of(const pqt_segment &line)
    {
        return pqt_cast_segment(line);
    }

    static pqt_cast cast_of(const pqt_ray &line)
    {
        return pqt_cast_ray(line);
    }

    std::optional<pqt_ray_hit> first_hit(const pqt_cast &cast) const
    {
        const pqt_ray_hit hit = pqt_tree_cast(source(), &cast);
        return hit.hit ? std::optional<pqt_ray_hit>(hit) : std::nullopt;
    }

    std::vector<pqt_ray_hit> all_hits(const pqt_cast &cast) const
    {
        std::vector<pqt_ray_hit> hits(8);
        const std::size_t all = pqt_tree_cast_all(source(), &cast, hits.data(), hits.size());
        const bool is_whole = all <= hits.size();
        hits.resize(all);
        if (!is_whole)
            pqt_tree_cast_all(source(), &cast, hits.data(), all);
        return hits;
    }

    template <class Visitor>
    bool visit_pairs_with(const pqt_tree *other, pqt_relation relation, const pqt_vec &offset,
                          Visitor &visitor) const
    {
        pqt_pair_query query = {};
        query.relation = relation;
        query.offset = offset;
        const auto kept = held_source();
        detail::callback call(visitor);
        const bool all = pqt_pairs_visit(
            kept.get(), other, &query,
            [](const pqt_item *a, const pqt_item *b, void *context) {
                return decltype(call)::of(context).visit(*a, *b);
            },
            &call);
        call.rethrow();
        return all;
    }

    std::vector<pqt_pair> pairs_of(const pqt_tree *other, pqt_relation relation,
                                   const pqt_vec &offset) const
    {
        std::vector<pqt_pair> pairs;
        auto add = [&](const pqt_item &a, const pqt_item &b) { pairs.push_back({a, b}); };
        visit_pairs_with(other, relation, offset, add);
        return pairs;
    }
};

} // namespace pqt

#endif

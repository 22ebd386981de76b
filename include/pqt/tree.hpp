/* SPDX-License-Identifier: MIT */
/** @file tree.hpp - trees. See pqt.hpp. */
#ifndef PQT_TREE_HPP
#define PQT_TREE_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <new>
#include <optional>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

#include <pqt/all.h>
#include <pqt/array_view.hpp>
#include <pqt/callback.hpp>
#include <pqt/query.hpp>
#include <pqt/value.hpp>

namespace pqt
{

/** The options of a tree, which all its versions share; see pqt_tree_options. */
struct tree_options {
    int leaf_capacity = 24;        /**< maximum items in a leaf, 1..PQT_MAX_CAPACITY */
    int max_depth = 32;            /**< the maximum depth of a cell, 0..PQT_MAX_DEPTH */
    bool strict_bounds = false;    /**< refuse items outside the bounds */
    bool unique_ids = false;       /**< an id occurs once: inserting it again replaces its item */
    bool ids_are_pointers = false; /**< ids point to collected memory; needs the collector */
};

/**
 * The bounds of a tree, as an argument: a pqt_box, or its two corners in braces. A list of two
 * numbers is no bounds, so `{{0, 0}, {10, 10}}` is one box, and not a box with options.
 */
class bounds_arg
{
  public:
    /** Takes a box. @param box the box */
    constexpr bounds_arg(const pqt_box &box) noexcept : box_(box)
    {
    }

    /**
     * Takes two corners.
     *
     * @param min  the upper left corner, world units
     * @param max  the lower right corner, world units
     */
    constexpr bounds_arg(const pqt_vec &min, const pqt_vec &max) noexcept : box_{min, max}
    {
    }

    /**
     * Takes the numbers of a box.
     *
     * @param min_x  the left side, world units
     * @param min_y  the upper side
     * @param max_x  the right side
     * @param max_y  the lower side
     */
    constexpr bounds_arg(double min_x, double min_y, double max_x, double max_y) noexcept
        : box_{{min_x, min_y}, {max_x, max_y}}
    {
    }

    /** @return the box */
    constexpr const pqt_box &box() const noexcept
    {
        return box_;
    }

  private:
    pqt_box box_;
};

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

class tree;
class item_range;

/**
 * A version of a tree: an immutable set of items. Edits return other versions.
 *
 *     pqt::tree tree({{0, 0}, {100, 100}});
 *     tree = tree.insert({{{10, 20}, {30, 30}}, 1});
 *
 * A value takes 32 bytes on a 64-bit system, and its pin 16. docs/cpp.md lists the costs.
 */
class tree : public value<tree, pqt_tree>
{
  public:
    /**
     * Makes an empty tree.
     *
     * @param bounds   the rectangle that the tree divides, in world units, finite; items may lie
     *                 outside
     * @param options  the options of all its versions
     * @param memory   where its versions live
     * @throws error   PQT_ERROR_BOX, PQT_ERROR_OPTION
     * @throws out_of_memory
     */
    explicit tree(const bounds_arg &bounds, const tree_options &options = {},
                  memory_ref memory = {})
        : tree(make(memory, [&](pqt_error *failure) {
              const pqt_tree_options full = full_options(options, memory);
              return pqt_tree_make(bounds.box(), &full, failure);
          }))
    {
    }

    /**
     * Makes an empty tree with the default options.
     *
     * @param bounds  the rectangle that the tree divides, in world units
     * @param memory  where its versions live
     * @throws error  PQT_ERROR_BOX
     * @throws out_of_memory
     */
    tree(const bounds_arg &bounds, memory_ref memory) : tree(bounds, tree_options(), memory)
    {
    }

    /**
     * Makes a tree from items, in bulk; see pqt_tree_of.
     *
     * @param items    the items, in any order
     * @param options  the options of all its versions
     * @param memory   where its versions live
     * @return         the tree; its bounds are the smallest box around the items
     * @throws error   PQT_ERROR_BOX (index() is the index of the item), PQT_ERROR_OPTION,
     *                 PQT_ERROR_LIMIT
     * @throws out_of_memory
     * @cost  O(n log n), O(n) for items spread evenly
     */
    [[nodiscard]] static tree of(array_view<pqt_item> items, const tree_options &options = {},
                                 memory_ref memory = {})
    {
        const pqt_tree_options full = full_options(options, memory);
        return make(memory, [&](pqt_error *failure) {
            return pqt_tree_of(items.data(), items.size(), &full, failure);
        });
    }

    /** @name Edits: each returns a version; *this is unchanged. All throw out_of_memory and
        moved_from. */
    /** @{ */

    /**
     * Inserts an item. With unique ids, an item with the same id is replaced.
     *
     * @param item  a finite box in world units, and an id
     * @return      the version with the item
     * @throws      error PQT_ERROR_BOX, PQT_ERROR_BOUNDS, PQT_ERROR_LIMIT
     * @cost        O(depth)
     */
    [[nodiscard]] tree insert(const pqt_item &item) const
    {
        return edit([&](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_insert(from, item, failure);
        });
    }

    /**
     * Inserts items, all or none.
     *
     * @param items  the items to insert
     * @return       the version with the items
     * @throws       error: see insert; index() is the index of the item
     */
    [[nodiscard]] tree insert_all(array_view<pqt_item> items) const
    {
        return edit([&](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_insert_all(from, items.data(), items.size(), failure);
        });
    }

    /**
     * Removes an item.
     *
     * @param item  its box and id must both match
     * @return      the version without the item; an equal one if it is absent
     * @cost        O(depth)
     */
    [[nodiscard]] tree remove(const pqt_item &item) const
    {
        return edit([&](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_remove(from, item, failure);
        });
    }

    /**
     * Removes items.
     *
     * @param items the items to remove; absent ones are ignored
     * @return the version without them
     */
    [[nodiscard]] tree remove_all(array_view<pqt_item> items) const
    {
        return edit([&](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_remove_all(from, items.data(), items.size(), failure);
        });
    }

    /**
     * Removes the item with a given id. Needs unique ids.
     *
     * @param id  the id of an item
     * @return    the version without the item; an equal one if no item has the id
     */
    [[nodiscard]] tree remove_id(std::uint64_t id) const
    {
        return edit([&](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_remove_id(from, id, failure);
        });
    }

    /**
     * Replaces the box of an item and keeps its id.
     *
     * @param item  the item as it is now
     * @param to    its new box
     * @return      the version in which it has that box; an equal one if the item is absent
     * @throws      error PQT_ERROR_BOX, PQT_ERROR_BOUNDS
     * @cost        O(depth)
     */
    [[nodiscard]] tree move(const pqt_item &item, const pqt_box &to) const
    {
        return edit([&](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_move(from, item, to, failure);
        });
    }

    /**
     * Moves the item with a given id. Needs unique ids.
     *
     * @param id  the id of an item
     * @param to  its new box
     * @return    the version in which it has that box; an equal one if no item has the id
     * @throws    error: see move
     */
    [[nodiscard]] tree move_id(std::uint64_t id, const pqt_box &to) const
    {
        return edit([&](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_move_id(from, id, to, failure);
        });
    }

    /**
     * Applies changes as if one by one, all or none; pqt::batch collects them.
     *
     * @param changes  the changes, in order
     * @return         the version after them
     * @throws         error: see the single edits; index() is the index of the change
     * @cost           one descent for all changes
     */
    [[nodiscard]] tree apply(array_view<pqt_change> changes) const
    {
        return edit([&](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_apply(from, changes.data(), changes.size(), failure);
        });
    }

    /**
     * Removes all items.
     *
     * @return the empty version with the same bounds and options
     * @cost O(1)
     */
    [[nodiscard]] tree clear() const
    {
        return edit(
            [](const pqt_tree *from, pqt_error *failure) { return pqt_tree_clear(from, failure); });
    }

    /**
     * Keeps the items that match, in a version with the same bounds.
     *
     * @param query  selects the items to keep
     * @return       the new version
     * @throws       error PQT_ERROR_BOX: the window contains NaN or is inverted
     * @cost         O(nodes that the window's edge crosses); the result shares the nodes inside
     */
    [[nodiscard]] tree search(const query &query) const
    {
        const pqt_query raw = query.raw();
        return edit([&](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_search(from, &raw, failure);
        });
    }

    /**
     * Like search, for items that a filter also accepts.
     *
     * @param query  selects the items to keep
     * @param filter  takes a const pqt_item & and returns a bool
     * @return        the new version
     * @throws        anything that the filter throws
     */
    template <class Filter> [[nodiscard]] tree search(const query &query, Filter &&filter) const
    {
        detail::filtered call(query, filter);
        const pqt_tree *const from = get();
        return make_calling(home(), call, [&](pqt_error *failure) {
            return pqt_tree_search(from, call.raw(), failure);
        });
    }

    /**
     * Restores a window to its state in an older version, as an undo within the window.
     *
     * @param old    the older version, in the same memory
     * @param query  selects the items
     * @return       the version; see pqt_tree_restore
     * @throws       error PQT_ERROR_BOX, PQT_ERROR_MISMATCH, PQT_ERROR_LIMIT
     */
    [[nodiscard]] tree restore(const tree &old, const query &query) const
    {
        const pqt_query raw = query.raw();
        const pqt_tree *const past = old.get();
        return edit([&](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_restore(from, past, &raw, failure);
        });
    }
    /** @} */

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
        return pqt_tree_count(get());
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
        return pqt_tree_bounds(get());
    }

    /**
     * Returns the options.
     *
     * @return the options of all its versions
     */
    tree_options options() const
    {
        pqt_tree_options full = PQT_TREE_DEFAULTS;
        pqt_tree_get_options(get(), &full);
        return {full.leaf_capacity, full.max_depth, full.strict_bounds, full.unique_ids,
                full.ids_are_pointers};
    }

    /**
     * Counts the nodes and bytes of the version.
     *
     * @return the statistics of the version
     * @cost O(nodes)
     */
    pqt_tree_stats stats() const
    {
        return pqt_tree_get_stats(get());
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
        return pqt_tree_contains(get(), item);
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
        return pqt_tree_find(get(), id, &found) ? std::optional<pqt_item>(found) : std::nullopt;
    }

    /**
     * Loops over the items that match.
     *
     * @param query  selects the items
     * @return       the items, one by one, in tree order
     * @throws       out_of_memory
     * @cost         O(log n + matches) for the whole loop
     */
    [[nodiscard]] item_range window(const query &query) const;

    /**
     * Loops over all items.
     *
     * @return all items, one by one, in tree order
     * @throws out_of_memory
     */
    [[nodiscard]] item_range items() const;

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
        const auto self = this->held();
        detail::callback call(visitor);
        const bool all = pqt_tree_visit(
            self.get(), &raw,
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
        const auto self = this->held();
        detail::callback call(visitor);
        const bool all = pqt_tree_visit_ids(
            self.get(), &raw,
            [](const std::uint64_t *ids, std::size_t count, void *context) {
                return decltype(call)::of(context).visit(array_view<std::uint64_t>(ids, count));
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
        return pqt_tree_count_in(get(), &raw);
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
        const tree self = held();
        detail::filtered call(query, filter);
        const std::size_t count = pqt_tree_count_in(self.get(), call.raw());
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
        return pqt_tree_any(get(), &raw, &found) ? std::optional<pqt_item>(found) : std::nullopt;
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
        const tree self = held();
        const bool is_found = pqt_tree_any(self.get(), call.raw(), &found);
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
        std::vector<pqt_item> items(pqt_tree_count_in(get(), &raw));
        pqt_tree_collect(get(), &raw, items.data(), items.size());
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
        std::vector<std::uint64_t> ids(pqt_tree_count_in(get(), &raw));
        pqt_tree_collect_ids(get(), &raw, ids.data(), ids.size());
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
        return pqt_tree_collect(get(), &raw, room.data(), room.size());
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
        return pqt_tree_collect_ids(get(), &raw, room.data(), room.size());
    }
#endif

    /**
     * Finds the items nearest to a box.
     *
     * @param from          the box from which distances are measured, in world units
     * @param count         the maximum number of items to find
     * @param max_distance  the maximum distance, in world units, inclusive
     * @return              the items and their distances, nearest first
     * @throws              std::bad_alloc
     * @cost                O(log n + count log count) for items spread evenly
     */
    [[nodiscard]] std::vector<pqt_near>
    nearest(const pqt_box &from, std::size_t count,
            double max_distance = std::numeric_limits<double>::infinity()) const
    {
        pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
        options.max_distance = max_distance;
        std::vector<pqt_near> found(count < size() ? count : size());
        found.resize(pqt_tree_nearest(get(), from, &options, found.data(), found.size()));
        return found;
    }

    /**
     * Finds the items nearest to a point.
     *
     * @param from          a point, in world units
     * @param count         the maximum number of items to find
     * @param max_distance  the maximum distance, in world units, inclusive
     * @return              the items and their distances, nearest first
     * @throws              std::bad_alloc
     */
    [[nodiscard]] std::vector<pqt_near>
    nearest(const pqt_vec &from, std::size_t count,
            double max_distance = std::numeric_limits<double>::infinity()) const
    {
        return nearest(pqt_box{from, from}, count, max_distance);
    }

    /**
     * Visits items by increasing distance until the visitor stops.
     *
     * @param from     a box, in world units
     * @param visitor  takes a const pqt_near &
     * @return         false if the visitor stopped the visit
     * @throws         anything that the visitor throws
     * @cost           O(k log n) for the first k items if they are spread evenly
     */
    template <class Visitor> bool visit_nearest(const pqt_box &from, Visitor &&visitor) const
    {
        const auto self = this->held();
        detail::callback call(visitor);
        const bool all = pqt_tree_visit_nearest(
            self.get(), from, nullptr,
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
        const auto self = this->held();
        detail::callback call(visitor);
        const bool all = pqt_tree_visit_cast(
            self.get(), &cast,
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
        return visit_pairs_of(nullptr, relation, {0, 0}, visitor);
    }

    /**
     * Visits the pairs that consist of an item of this version and an item of another version.
     *
     * @param other     a version in any memory
     * @param relation  the relation of the first item to the second
     * @param offset    added to the boxes of the other version, in world units
     * @param visitor   takes two const pqt_item &
     * @return          false if the visitor stopped the visit
     * @throws          anything that the visitor throws
     */
    template <class Visitor>
    bool visit_pairs(const tree &other, pqt_relation relation, const pqt_vec &offset,
                     Visitor &&visitor) const
    {
        const tree second = other.held();
        return visit_pairs_of(second.get(), relation, offset, visitor);
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
     * @param other     a version in any memory
     * @param relation  the relation of the first item to the second
     * @param offset    added to the boxes of the other version, in world units
     * @return          the pairs
     * @throws          std::bad_alloc
     */
    [[nodiscard]] std::vector<pqt_pair> pairs(const tree &other,
                                              pqt_relation relation = PQT_TOUCHES,
                                              const pqt_vec &offset = {0, 0}) const
    {
        return pairs_of(other.get(), relation, offset);
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
        const auto self = this->held();
        detail::callback call(visitor);
        const bool all = pqt_tree_visit_cells(
            self.get(),
            [](const pqt_cell *cell, void *context) {
                return decltype(call)::of(context).visit(*cell);
            },
            &call);
        call.rethrow();
        return all;
    }

    /**
     * Counts the bytes that two versions share.
     *
     * @param other  a version in the same memory
     * @return       the number of bytes in blocks that both versions hold
     * @cost         O(nodes)
     */
    std::size_t shared_bytes(const tree &other) const
    {
        return pqt_tree_shared_bytes(get(), other.get());
    }
    /** @} */

    /** @name Differences and merges */
    /** @{ */

    /**
     * Visits the changes that turn this version into another.
     *
     * @param after    a version with equal bounds and options
     * @param query    selects the items to compare
     * @param visitor  takes a const pqt_change &
     * @return         false if the visitor stopped the visit
     * @throws         error PQT_ERROR_MISMATCH
     * @throws         anything that the visitor throws
     * @cost           O(nodes that the two versions do not share)
     */
    template <class Visitor>
    bool visit_diff(const tree &after, const query &query, Visitor &&visitor) const
    {
        const pqt_query raw = query.raw();
        const auto self = this->held();
        const auto next = after.held();
        detail::callback call(visitor);
        pqt_error failure = {};
        const bool all = pqt_tree_visit_diff(
            self.get(), next.get(), &raw,
            [](const pqt_change *change, void *context) {
                return decltype(call)::of(context).visit(*change);
            },
            &call, &failure);
        call.rethrow();
        if (failure.status != PQT_OK)
            detail::raise(failure);
        return all;
    }

    /**
     * Collects the changes between two versions.
     *
     * @param after    a version with equal bounds and options
     * @param query    selects the items to compare
     * @return       the changes that turn this version into `after`; apply(diff(after)) == after
     * @throws       error PQT_ERROR_MISMATCH
     * @throws       std::bad_alloc
     */
    [[nodiscard]] std::vector<pqt_change> diff(const tree &after, const query &query = {}) const
    {
        std::vector<pqt_change> changes;
        visit_diff(after, query, [&](const pqt_change &change) { changes.push_back(change); });
        return changes;
    }

    /**
     * Merges two versions that were derived from this one.
     *
     * @param ours    one side, in the same memory
     * @param theirs  the other side, in the same memory
     * @return        the version with the changes of both
     * @throws error  PQT_ERROR_CONFLICT: both sides changed an id; PQT_ERROR_MISMATCH,
     *                PQT_ERROR_LIMIT
     * @cost  O(changes of both sides x depth)
     */
    [[nodiscard]] tree merge(const tree &ours, const tree &theirs) const
    {
        const pqt_tree *const a = ours.get(), *const b = theirs.get();
        return edit([&](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_merge(from, a, b, nullptr, failure);
        });
    }

    /**
     * Merges, and lets a function resolve conflicts.
     *
     * @param ours     one side
     * @param theirs   the other side
     * @param resolve  takes a const pqt_conflict & and a pqt_items & for the items of the answer,
     *                 and returns a pqt_resolution; these items must live until the merge ends
     * @return         the merged version
     * @throws error: see above, and PQT_ERROR_CALLBACK
     * @throws anything that resolve throws
     */
    template <class Resolve>
    [[nodiscard]] tree merge(const tree &ours, const tree &theirs, Resolve &&resolve) const
    {
        detail::callback call(resolve);
        pqt_merge_options options = PQT_MERGE_DEFAULTS;
        options.context = &call;
        options.resolve = [](const pqt_conflict *conflict, pqt_items *answer, void *context) {
            return decltype(call)::of(context).decide(PQT_UNRESOLVED, *conflict, *answer);
        };
        const pqt_tree *const base = get(), *const a = ours.get(), *const b = theirs.get();
        return make_calling(home(), call, [&](pqt_error *failure) {
            return pqt_tree_merge(base, a, b, &options, failure);
        });
    }

    /**
     * Merges, and resolves all conflicts in the same way.
     *
     * @param ours    one side
     * @param theirs  the other side
     * @param always  the resolution; not PQT_KEEP_ITEMS
     * @return        the merged version
     * @throws        error: see above
     */
    [[nodiscard]] tree merge(const tree &ours, const tree &theirs, pqt_resolution always) const
    {
        return merge(ours, theirs, [=](const pqt_conflict &, pqt_items &) { return always; });
    }

    /**
     * Unites the items of two versions.
     *
     * @param a  a version
     * @param b  a version with the same memory and options
     * @return   the items that are in either version
     * @throws   error PQT_ERROR_MISMATCH; with unique ids PQT_ERROR_CONFLICT
     */
    [[nodiscard]] friend tree operator|(const tree &a, const tree &b)
    {
        return combine(pqt_tree_union, a, b);
    }

    /**
     * Keeps the items that two versions share.
     *
     * @param a  a version
     * @param b  a version with the same memory and options
     * @return   the items that are in both versions
     * @throws   error PQT_ERROR_MISMATCH; with unique ids PQT_ERROR_CONFLICT
     */
    [[nodiscard]] friend tree operator&(const tree &a, const tree &b)
    {
        return combine(pqt_tree_intersection, a, b);
    }

    /**
     * Removes the items of one version from another.
     *
     * @param a  a version
     * @param b  a version with the same memory and options
     * @return   the items of a that are not in b
     * @throws   error PQT_ERROR_MISMATCH; with unique ids PQT_ERROR_CONFLICT
     */
    [[nodiscard]] friend tree operator-(const tree &a, const tree &b)
    {
        return combine(pqt_tree_difference, a, b);
    }
    /** @} */

  private:
    friend class value<tree, pqt_tree>;

    explicit tree(value &&from) noexcept : value(std::move(from))
    {
    }

    static pqt_tree_options full_options(const tree_options &options, memory_ref memory) noexcept
    {
        pqt_tree_options full = PQT_TREE_DEFAULTS;
        full.leaf_capacity = options.leaf_capacity;
        full.max_depth = options.max_depth;
        full.strict_bounds = options.strict_bounds;
        full.unique_ids = options.unique_ids;
        full.ids_are_pointers = options.ids_are_pointers;
        full.memory = memory.get();
        return full;
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
        const pqt_ray_hit hit = pqt_tree_cast(get(), &cast);
        return hit.hit ? std::optional<pqt_ray_hit>(hit) : std::nullopt;
    }

    std::vector<pqt_ray_hit> all_hits(const pqt_cast &cast) const
    {
        std::vector<pqt_ray_hit> hits(8);
        const std::size_t all = pqt_tree_cast_all(get(), &cast, hits.data(), hits.size());
        const bool is_whole = all <= hits.size();
        hits.resize(all);
        if (!is_whole)
            pqt_tree_cast_all(get(), &cast, hits.data(), all);
        return hits;
    }

    template <class Visitor>
    bool visit_pairs_of(const pqt_tree *other, pqt_relation relation, const pqt_vec &offset,
                        Visitor &visitor) const
    {
        pqt_pair_query query = {};
        query.relation = relation;
        query.offset = offset;
        const auto self = this->held();
        detail::callback call(visitor);
        const bool all = pqt_pairs_visit(
            self.get(), other, &query,
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
        visit_pairs_of(other, relation, offset, add);
        return pairs;
    }

    template <class F> static tree combine(F function, const tree &a, const tree &b)
    {
        const pqt_tree *const other = b.get();
        return a.edit([&](const pqt_tree *from, pqt_error *failure) {
            return function(from, other, nullptr, failure);
        });
    }
};

} // namespace pqt

namespace std
{

/** Hashes a tree by its fingerprint, in O(1). */
template <> struct hash<pqt::tree> : pqt::detail::hash_of<pqt::tree> {
};

} // namespace std

#include <pqt/item_range.hpp>

#endif

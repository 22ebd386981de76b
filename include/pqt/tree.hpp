/* SPDX-License-Identifier: MIT */
/** @file tree.hpp - trees. See pqt.hpp. */
#ifndef PQT_TREE_HPP
#define PQT_TREE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <new>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

#include <pqt.h>
#include <pqt/array_view.hpp>
#include <pqt/callback.hpp>
#include <pqt/query.hpp>
#include <pqt/tree_queries.hpp>
#include <pqt/value.hpp>

namespace pqt
{

namespace detail
{

template <> inline constexpr pqt_kind kind_of<pqt_tree> = PQT_KIND_TREE;

} // namespace detail

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

/**
 * A version of a tree: an immutable set of items. Edits return other versions.
 *
 *     pqt::tree tree({{0, 0}, {100, 100}});
 *     tree = tree.insert({{{10, 20}, {30, 30}}, 1});
 *
 * A value takes 32 bytes on a 64-bit system, and its pin 16. docs/cpp.md lists the costs.
 */
class tree : public value<tree, pqt_tree>, public tree_queries<tree>
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

    /** @name Its options and bytes; tree_queries has the queries. All throw moved_from. */
    /** @{ */

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
     * Covers the changes between two versions by a few boxes, for example to draw them again.
     *
     * @param after  a version with equal bounds and options
     * @param most   the maximum number of boxes, at least 1
     * @return       boxes that cover the old and the new box of each change
     * @throws       error PQT_ERROR_MISMATCH
     * @throws       std::bad_alloc
     */
    [[nodiscard]] std::vector<pqt_box> damage(const tree &after, std::size_t most = 16) const
    {
        std::vector<pqt_box> boxes(most);
        std::size_t count = 0;
        pqt_error failure = {};
        if (!pqt_diff_damage(this->get(), after.get(), nullptr, boxes.data(), most, &count,
                             &failure))
            detail::raise(failure);
        boxes.resize(count);
        return boxes;
    }

    /**
     * Visits the pairs that began or ended between two versions. See pqt_pairs_visit_changes.
     *
     * @param after     a version with equal bounds, options and memory
     * @param relation  the relation of the first item to the second
     * @param visitor   takes a pqt_pair_change and two const pqt_item &
     * @return          false if the visitor stopped the visit
     * @throws          error PQT_ERROR_MISMATCH
     * @throws          anything that the visitor throws
     * @throws          out_of_memory, moved_from
     * @cost            O(changed items x (log n + items around them))
     */
    template <class Visitor>
    bool visit_pair_changes(const tree &after, pqt_relation relation, Visitor &&visitor) const
    {
        pqt_pair_query query = {};
        query.relation = relation;
        const auto self = this->held();
        const auto next = after.held();
        detail::callback call(visitor);
        pqt_error failure = {};
        const bool all = pqt_pairs_visit_changes(
            self.get(), next.get(), &query,
            [](pqt_pair_change change, const pqt_item *a, const pqt_item *b, void *context) {
                return decltype(call)::of(context).visit(change, *a, *b);
            },
            &call, &failure);
        call.rethrow();
        if (failure.status != PQT_OK)
            detail::raise(failure);
        return all;
    }

    /**
     * Returns the digest of the items of a cell, with which another machine compares its own.
     *
     * @param path  from any source; a path of zeros names the root
     * @return      their fingerprint and number
     * @throws      moved_from
     */
    [[nodiscard]] pqt_sync_digest digest(const pqt_sync_path &path = {}) const
    {
        return pqt_sync_digest_of(this->get(), path);
    }

    /**
     * Collects the items of a cell that another machine asks for.
     *
     * @param path  from any source
     * @return      the items, in tree order
     * @throws      std::bad_alloc, moved_from
     */
    [[nodiscard]] std::vector<pqt_item> items_at(const pqt_sync_path &path) const
    {
        std::vector<pqt_item> items(static_cast<std::size_t>(digest(path).count));
        pqt_sync_items_of(this->get(), path, items.data(), items.size());
        return items;
    }

    /**
     * Finds where this tree differs from one on another machine. See pqt_sync_find.
     *
     *     std::vector<pqt_change> changes;
     *     mine.find_mismatches(
     *         [&](const pqt_sync_path &path) { return peer.ask_for_digest(path); },
     *         [&](const pqt_sync_path &path) { return peer.ask_for_items(path); },
     *         [&](const pqt_sync_mismatch &cell) {
     *             changes.insert(changes.end(), cell.changes, cell.changes + cell.count);
     *         });
     *     mine = mine.apply(changes);
     *
     * @param digest   takes a const pqt_sync_path &, and returns digest(path) of the other tree
     * @param items    takes a const pqt_sync_path &, and returns items_at(path) of the other tree
     * @param visitor  takes a const pqt_sync_mismatch &
     * @return         false if the visitor stopped the visit
     * @throws         error PQT_ERROR_CALLBACK: an answer is invalid
     * @throws         anything that one of the three throws
     * @throws         out_of_memory, moved_from
     */
    template <class Digest, class Items, class Visitor>
    bool find_mismatches(Digest &&digest, Items &&items, Visitor &&visitor) const
    {
        auto fetch_digest = [&](const pqt_sync_path &path, pqt_sync_digest &to) {
            to = digest(path);
        };
        auto fetch_items = [&](const pqt_sync_path &path, pqt_item *to, std::size_t count) {
            const std::vector<pqt_item> found = items(path);
            if (found.size() != count)
                return false;
            std::copy(found.begin(), found.end(), to);
            return true;
        };
        auto calls = std::make_tuple(detail::callback(fetch_digest), detail::callback(fetch_items),
                                     detail::callback(visitor));
        using all_calls = decltype(calls);
        const pqt_sync_peer peer = {
            [](const pqt_sync_path *path, pqt_sync_digest *to, void *context) {
                return std::get<0>(*static_cast<all_calls *>(context)).visit(*path, *to);
            },
            [](const pqt_sync_path *path, pqt_item *to, std::size_t count, void *context) {
                return std::get<1>(*static_cast<all_calls *>(context)).visit(*path, to, count);
            },
            &calls};
        const auto self = this->held();
        pqt_error failure = {};
        const bool all = pqt_sync_find(
            self.get(), &peer,
            [](const pqt_sync_mismatch *cell, void *context) {
                return std::get<2>(*static_cast<all_calls *>(context)).visit(*cell);
            },
            &calls, &failure);
        std::apply([](const auto &...call) { (call.rethrow(), ...); }, calls);
        if (failure.status != PQT_OK)
            detail::raise(failure);
        return all;
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
    friend class tree_queries<tree>;

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

/* SPDX-License-Identifier: MIT */
/** @file draft.hpp - drafts: trees that are edited in place between two versions. See pqt.hpp. */
#ifndef PQT_DRAFT_HPP
#define PQT_DRAFT_HPP

#include <cstdint>
#include <utility>

#include <pqt/draft.h>
#include <pqt/item_range.hpp>
#include <pqt/tree.hpp>

namespace pqt
{

/**
 * The view of a draft: it has the queries of a tree and is not a version. It is valid until the
 * next edit that changes the draft, and until the draft is destroyed or moved from. The program
 * stops if it is used later, unless 16 views were taken since.
 */
class draft_view : public tree_queries<draft_view>
{
  public:
    /** @return the view, for C functions that read */
    const pqt_tree *get() const noexcept
    {
        return view_;
    }

  private:
    friend class draft;
    friend class tree_queries<draft_view>;

    explicit draft_view(const pqt_tree *view) noexcept : view_(view)
    {
    }

    draft_view held() const noexcept
    {
        return *this;
    }

    const pqt_tree *view_;
};

/** A range of the items of a view. */
using view_range = item_range_of<draft_view>;

/**
 * A draft of a tree, which edits in place what it has made itself, like a transient in immer:
 *
 *     pqt::draft draft(tree);
 *     for (const pqt_item &item : items)
 *         draft.insert(item);
 *     for (const pqt_item &item : draft.view().window(box))
 *         ...
 *     tree = draft.snapshot();
 *
 * See pqt/draft.h. It can be moved but not copied. Only one thread at a time may use it. An edit
 * that throws leaves it as it was.
 */
class draft
{
  public:
    /**
     * Begins a draft of a version.
     *
     * @param from  any version; the draft works in its memory
     * @throws      out_of_memory, moved_from
     * @cost        O(1): about 7 KiB until it is destroyed
     */
    explicit draft(const tree &from) : home_(from.home())
    {
        const pqt_tree *const version = from.get();
        detail::attempt(home_, [&](pqt_error *failure) {
            draft_ = pqt_draft_begin(version, failure);
            return draft_ != nullptr;
        });
    }

    /** Takes over a draft. @param from moved from afterwards */
    draft(draft &&from) noexcept : draft_(std::exchange(from.draft_, nullptr)), home_(from.home_)
    {
    }

    /**
     * Takes over a draft, and destroys the one it had.
     *
     * @param from  moved from afterwards
     * @return      *this
     */
    draft &operator=(draft &&from) noexcept
    {
        draft taken(std::move(from));
        std::swap(draft_, taken.draft_);
        std::swap(home_, taken.home_);
        return *this;
    }

    draft(const draft &) = delete;
    draft &operator=(const draft &) = delete;

    /** Destroys the draft, with the edits since its last snapshot. Snapshots remain. */
    ~draft()
    {
        pqt_draft_destroy(&draft_);
    }

    /** @return the draft, for C functions @throws moved_from */
    pqt_draft *get() const
    {
        if (draft_ == nullptr)
            throw moved_from();
        return draft_;
    }

    /** @name Edits: they change the draft. All throw out_of_memory and moved_from. */
    /** @{ */

    /**
     * Inserts an item; see tree::insert.
     *
     * @param item  a finite box in world units, and an id
     * @return      *this
     * @throws      error PQT_ERROR_BOX, PQT_ERROR_BOUNDS, PQT_ERROR_LIMIT
     */
    draft &insert(const pqt_item &item)
    {
        return edit([&](pqt_draft *own, pqt_error *failure) {
            return pqt_draft_insert(own, item, failure);
        });
    }

    /**
     * Removes an item. An absent item is ignored.
     *
     * @param item  its box and id must both match
     * @return      *this
     */
    draft &remove(const pqt_item &item)
    {
        return edit([&](pqt_draft *own, pqt_error *failure) {
            return pqt_draft_remove(own, item, failure);
        });
    }

    /**
     * Removes the item with a given id. Needs unique ids. An absent id is ignored.
     *
     * @param id  the id of an item
     * @return    *this
     */
    draft &remove_id(std::uint64_t id)
    {
        return edit([&](pqt_draft *own, pqt_error *failure) {
            return pqt_draft_remove_id(own, id, failure);
        });
    }

    /**
     * Replaces the box of an item and keeps its id. An absent item is ignored.
     *
     * @param item  the item as it is now
     * @param to    its new box
     * @return      *this
     * @throws      error PQT_ERROR_BOX, PQT_ERROR_BOUNDS
     */
    draft &move(const pqt_item &item, const pqt_box &to)
    {
        return edit([&](pqt_draft *own, pqt_error *failure) {
            return pqt_draft_move(own, item, to, failure);
        });
    }

    /**
     * Moves the item with a given id. Needs unique ids. An absent id is ignored.
     *
     * @param id  the id of an item
     * @param to  its new box
     * @return    *this
     * @throws    error PQT_ERROR_BOX, PQT_ERROR_BOUNDS
     */
    draft &move_id(std::uint64_t id, const pqt_box &to)
    {
        return edit([&](pqt_draft *own, pqt_error *failure) {
            return pqt_draft_move_id(own, id, to, failure);
        });
    }

    /**
     * Applies changes, all or none; pqt::batch collects them.
     *
     * @param changes  the changes, in order
     * @return         *this
     * @throws         error: see the single edits; index() is the index of the change
     */
    draft &apply(array_view<pqt_change> changes)
    {
        return edit([&](pqt_draft *own, pqt_error *failure) {
            return pqt_draft_apply(own, changes.data(), changes.size(), failure);
        });
    }
    /** @} */

    /** @name Reading */
    /** @{ */

    /**
     * Returns the draft as a tree to be read.
     *
     * @return  the view, valid until the next edit
     * @throws  moved_from
     * @cost    O(1)
     */
    [[nodiscard]] draft_view view() const
    {
        return draft_view(pqt_draft_view(get()));
    }

    /**
     * Returns the draft as a version. The draft continues.
     *
     * @return  the version; it is_same as the last one if nothing has changed since
     * @throws  out_of_memory, and the draft is unchanged; moved_from
     * @cost    O(1): 48 bytes and a pin
     */
    [[nodiscard]] tree snapshot()
    {
        pqt_draft *const own = get();
        return tree::make(home_,
                          [=](pqt_error *failure) { return pqt_draft_snapshot(own, failure); });
    }
    /** @} */

  private:
    template <class F> draft &edit(F &&function)
    {
        pqt_draft *const own = get();
        detail::attempt(home_, [&](pqt_error *failure) { return function(own, failure); });
        return *this;
    }

    pqt_draft *draft_ = nullptr;
    memory_ref home_;
};

} // namespace pqt

#endif

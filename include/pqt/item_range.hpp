/* SPDX-License-Identifier: MIT */
/** @file item_range.hpp - a loop over the items that match a query. See pqt.hpp. */
#ifndef PQT_ITEM_RANGE_HPP
#define PQT_ITEM_RANGE_HPP

#include <cstddef>
#include <iterator>
#if __cplusplus >= 202002L
#include <ranges>
#endif

#include <pqt/cursor.h>
#include <pqt/tree.hpp>

namespace pqt
{

/**
 * A range of the items of a version that match a query, for one loop over them:
 *
 *     for (const pqt_item &item : tree.window(box))
 *         ...
 *
 * The range holds a pin, so the version lives as long as the range, whatever happens to the tree. A
 * range of the view of a draft has no pin: it is valid as long as the view. A range takes about 2
 * kB and allocates nothing but the pin. It is an input range: begin() starts from
 * the first match and ends earlier loops over the same range. Iterators are valid as long as the
 * range, which must not be moved in the meantime; begin() of a temporary range does not compile.
 *
 * @tparam Source  pqt::tree or pqt::draft_view
 */
template <class Source>
class item_range_of
#if __cplusplus >= 202002L
    : public std::ranges::view_base
#endif
{
  public:
    /** An input iterator: it reads each item once. */
    class iterator
    {
      public:
        using iterator_category = std::input_iterator_tag; /**< it reads each item once */
        using value_type = pqt_item;                       /**< an item */
        using difference_type = std::ptrdiff_t;            /**< required, not used */
        using pointer = const pqt_item *;                  /**< a pointer to the item */
        using reference = const pqt_item &;                /**< valid until the next ++ */

        /** Makes the iterator that marks the end of any range. */
        iterator() noexcept = default;

        /** @return the item, valid until the next ++ of an iterator of this range */
        const pqt_item &operator*() const noexcept
        {
            return range_->item_;
        }

        /** @return the item */
        const pqt_item *operator->() const noexcept
        {
            return &range_->item_;
        }

        /** Advances to the next match. @return *this */
        iterator &operator++() noexcept
        {
            if (!pqt_cursor_next(&range_->cursor_, &range_->item_))
                range_ = nullptr;
            return *this;
        }

        /** A copy of the item that was read before the iterator advanced. */
        class read
        {
          public:
            /** @return the item */
            const pqt_item &operator*() const noexcept
            {
                return item_;
            }

          private:
            friend class iterator;

            explicit read(const pqt_item &item) noexcept : item_(item)
            {
            }

            pqt_item item_;
        };

        /** Advances to the next match. @return the previous item, for *it++ */
        read operator++(int) noexcept
        {
            const read before(**this);
            ++*this;
            return before;
        }

        /**
         * Compares two iterators.
         *
         * @param a  one iterator
         * @param b  another one of the same range, or the end
         * @return   whether both or neither are at the end
         */
        friend bool operator==(const iterator &a, const iterator &b) noexcept
        {
            return a.range_ == b.range_;
        }

        /**
         * Compares two iterators.
         *
         * @param a  one iterator
         * @param b  the other one
         * @return   whether only one is at the end
         */
        friend bool operator!=(const iterator &a, const iterator &b) noexcept
        {
            return !(a == b);
        }

      private:
        friend class item_range_of;

        explicit iterator(item_range_of *range) noexcept : range_(range)
        {
        }

        item_range_of *range_ = nullptr;
    };

    /**
     * Makes the range.
     *
     * @param source  a version, on which the range takes a pin, or a view
     * @param query   selects the items
     * @throws        out_of_memory, moved_from
     */
    item_range_of(const Source &source, const query &query) : source_(source), query_(query)
    {
        (void)source_.get();
    }

    /**
     * Opens the cursor.
     *
     * @return  the first match
     * @throws  moved_from
     */
    iterator begin() &
    {
        raw_ = query_.raw();
        pqt_cursor_open(&cursor_, source_.get(), &raw_);
        iterator first(this);
        return ++first;
    }

    /** A temporary range has no iterators, because they would outlive it. */
    iterator begin() && = delete;

    /** @return the end */
    iterator end() const noexcept
    {
        return iterator();
    }

    /** @return the version or the view that the range reads */
    const Source &version() const noexcept
    {
        return source_;
    }

  private:
    Source source_;
    query query_;
    pqt_query raw_;
    pqt_cursor cursor_;
    pqt_item item_;
};

/** A range of the items of a version. */
using item_range = item_range_of<tree>;

template <class Derived>
item_range_of<Derived>
tree_queries<Derived>::window(const query &query) const
{
    return item_range_of<Derived>(*static_cast<const Derived *>(this), query);
}

template <class Derived>
item_range_of<Derived>
tree_queries<Derived>::items() const
{
    return window(query());
}

} // namespace pqt

#endif

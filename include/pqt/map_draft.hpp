/* SPDX-License-Identifier: MIT */
/** @file map_draft.hpp - drafts of maps, which are edited in place between two versions. See
 * pqt.hpp. */
#ifndef PQT_MAP_DRAFT_HPP
#define PQT_MAP_DRAFT_HPP

#include <utility>
#include <vector>

#include <pqt/draft.h>
#include <pqt/map.hpp>

namespace pqt
{

/**
 * The view of a draft of a map: it has the queries of a map and is not a version. It is valid until
 * the next edit that changes the draft, and so are the byte strings that it returns.
 *
 * @tparam Key    as those of the map
 * @tparam Value  as those of the map
 */
template <class Key, class Value>
class map_draft_view : public map_queries<map_draft_view<Key, Value>, Key, Value>
{
  public:
    /** @return the view, for C functions that read */
    const pqt_map *get() const noexcept
    {
        return view_;
    }

  private:
    template <class K, class V> friend class map_draft;
    friend class map_queries<map_draft_view, Key, Value>;

    explicit map_draft_view(const pqt_map *view) noexcept : view_(view)
    {
    }

    map_draft_view held() const noexcept
    {
        return *this;
    }

    const pqt_map *view_;
};

/**
 * A draft of a map, which edits in place what it has made itself; see pqt/draft.h and pqt::draft.
 *
 *     pqt::map_draft draft(ages);
 *     draft.insert(17, 42).remove(18);
 *     ages = draft.snapshot();
 *
 * @tparam Key    as those of the map
 * @tparam Value  as those of the map
 */
template <class Key = std::uint64_t, class Value = std::uint64_t> class map_draft
{
    using keys = detail::map_type<Key>;
    using values = detail::map_type<Value>;

  public:
    /**
     * Begins a draft of a version.
     *
     * @param from  any version; the draft works in its memory
     * @throws      out_of_memory, moved_from
     * @cost        O(1): about 7 KiB until it is destroyed
     */
    explicit map_draft(const map<Key, Value> &from) : home_(from.home())
    {
        const pqt_map *const version = from.get();
        detail::attempt(home_, [&](pqt_error *failure) {
            draft_ = pqt_map_draft_begin(version, failure);
            return draft_ != nullptr;
        });
    }

    /** Takes over a draft. @param from moved from afterwards */
    map_draft(map_draft &&from) noexcept
        : draft_(std::exchange(from.draft_, nullptr)), home_(from.home_)
    {
    }

    /**
     * Takes over a draft, and destroys the one it had.
     *
     * @param from  moved from afterwards
     * @return      *this
     */
    map_draft &operator=(map_draft &&from) noexcept
    {
        map_draft taken(std::move(from));
        std::swap(draft_, taken.draft_);
        std::swap(home_, taken.home_);
        return *this;
    }

    map_draft(const map_draft &) = delete;
    map_draft &operator=(const map_draft &) = delete;

    /** Destroys the draft, with the edits since its last snapshot. Snapshots remain. */
    ~map_draft()
    {
        pqt_map_draft_destroy(&draft_);
    }

    /** @return the draft, for C functions @throws moved_from */
    pqt_map_draft *get() const
    {
        if (draft_ == nullptr)
            throw moved_from();
        return draft_;
    }

    /**
     * Sets the value of a key, whether or not it had one.
     *
     * @param key     the key
     * @param mapped  the value; it may be one that the view returned
     * @return        *this
     * @throws        error PQT_ERROR_LIMIT: the key is too long
     * @throws        out_of_memory, moved_from; the draft is unchanged
     */
    map_draft &insert(Key key, Value mapped)
    {
        return edit([&](pqt_map_draft *own, pqt_error *failure) {
            return pqt_map_draft_insert(own, keys::key(key), values::value(mapped), failure);
        });
    }

    /**
     * Removes a key and its value. An absent key is ignored.
     *
     * @param key  the key
     * @return     *this
     * @throws     out_of_memory, moved_from; the draft is unchanged
     */
    map_draft &remove(Key key)
    {
        return edit([&](pqt_map_draft *own, pqt_error *failure) {
            return pqt_map_draft_remove(own, keys::key(key), failure);
        });
    }

    /**
     * Applies pqt_map_change values, all or none.
     *
     * @param changes  keys and values of the map's kinds
     * @return         *this
     * @throws         error: see insert; index() is the index of the change
     * @throws         out_of_memory, moved_from; the draft is unchanged
     */
    map_draft &apply(array_view<pqt_map_change> changes)
    {
        return edit([&](pqt_map_draft *own, pqt_error *failure) {
            return pqt_map_draft_apply(own, changes.data(), changes.size(), failure);
        });
    }

    /**
     * Returns the draft as a map to be read.
     *
     * @return  the view, valid until the next edit
     * @throws  moved_from
     * @cost    O(1)
     */
    [[nodiscard]] map_draft_view<Key, Value> view() const
    {
        return map_draft_view<Key, Value>(pqt_map_draft_view(get()));
    }

    /**
     * Returns the draft as a version. The draft continues.
     *
     * @return  the version; it is_same as the last one if nothing has changed since
     * @throws  out_of_memory, and the draft is unchanged; moved_from
     * @cost    O(1): 48 bytes and a pin
     */
    [[nodiscard]] map<Key, Value> snapshot()
    {
        pqt_map_draft *const own = get();
        return map<Key, Value>::make(
            home_, [=](pqt_error *failure) { return pqt_map_draft_snapshot(own, failure); });
    }

  private:
    template <class F> map_draft &edit(F &&function)
    {
        pqt_map_draft *const own = get();
        detail::attempt(home_, [&](pqt_error *failure) { return function(own, failure); });
        return *this;
    }

    pqt_map_draft *draft_ = nullptr;
    memory_ref home_;
};

} // namespace pqt

#endif

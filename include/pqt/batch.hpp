/* SPDX-License-Identifier: MIT */
/** @file batch.hpp - changes that are applied together. See pqt.hpp. */
#ifndef PQT_BATCH_HPP
#define PQT_BATCH_HPP

#include <cstdint>
#include <new>
#include <vector>

#include <pqt/tree.h>

namespace pqt
{

/**
 * Changes that are applied together; pqt::draft also shows the state after each of them.
 *
 *     pqt::batch batch;
 *     batch.insert(a).move(b, to);
 *     tree = tree.apply(batch.changes());
 *
 * Adding a change does not edit a tree. apply makes all of the changes or none.
 */
class batch
{
  public:
    /**
     * Adds a change that inserts an item.
     *
     * @param item  the item to insert
     * @return      *this
     * @throws      std::bad_alloc
     */
    batch &insert(const pqt_item &item)
    {
        return add(PQT_INSERT, item, {});
    }

    /**
     * Adds a change that removes an item.
     *
     * @param item  the item to remove
     * @return      *this
     * @throws      std::bad_alloc
     */
    batch &remove(const pqt_item &item)
    {
        return add(PQT_REMOVE, item, {});
    }

    /**
     * Adds a change that moves an item.
     *
     * @param item  the item to move
     * @param to    its new box
     * @return      *this
     * @throws      std::bad_alloc
     */
    batch &move(const pqt_item &item, const pqt_box &to)
    {
        return add(PQT_MOVE, item, to);
    }

    /**
     * Adds a change that removes the item with a given id. Needs unique ids.
     *
     * @param id  the id of the item to remove
     * @return    *this
     * @throws    std::bad_alloc
     */
    batch &remove_id(std::uint64_t id)
    {
        return add(PQT_REMOVE_ID, {{}, id}, {});
    }

    /**
     * Adds a change that moves the item with a given id. Needs unique ids.
     *
     * @param id  the id of the item to move
     * @param to  its new box
     * @return    *this
     * @throws    std::bad_alloc
     */
    batch &move_id(std::uint64_t id, const pqt_box &to)
    {
        return add(PQT_MOVE_ID, {{}, id}, to);
    }

    /** @return the changes, in the order in which they were added */
    const std::vector<pqt_change> &changes() const noexcept
    {
        return changes_;
    }

    /** Discards the changes. */
    void clear() noexcept
    {
        changes_.clear();
    }

  private:
    batch &add(pqt_change_kind kind, const pqt_item &item, const pqt_box &to)
    {
        changes_.push_back({kind, item, to});
        return *this;
    }

    std::vector<pqt_change> changes_;
};

} // namespace pqt

#endif

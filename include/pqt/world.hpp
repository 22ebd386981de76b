/* SPDX-License-Identifier: MIT */
/** @file world.hpp - worlds. See pqt.hpp. */
#ifndef PQT_WORLD_HPP
#define PQT_WORLD_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include <pqt/worlds.h>
#include <pqt/array_view.hpp>
#include <pqt/callback.hpp>
#include <pqt/query.hpp>
#include <pqt/region.hpp>
#include <pqt/tree.hpp>
#include <pqt/value.hpp>

namespace pqt
{

namespace detail
{

template <> inline constexpr pqt_kind kind_of<pqt_world> = PQT_KIND_WORLD;

} // namespace detail

/**
 * A version of a world: an immutable set of bodies that collide. See pqt/step.h for the step.
 *
 *     pqt::world world(pqt_box{{0, 0}, {100, 100}});
 *     pqt_body ball = {};
 *     ball.id = 1, ball.position = {50, 50}, ball.radius = 2, ball.mass = 1;
 *     world = world.add(ball).step(1.0 / 60);
 */
class world : public value<world, pqt_world>
{
  public:
    /**
     * Makes a world without bodies.
     *
     * @param bounds  the rectangle of its walls, in world units
     * @param walls   whether bodies stay within the bounds
     * @param memory  where its versions live
     * @throws        error PQT_ERROR_BOX
     * @throws        out_of_memory
     */
    explicit world(const pqt_box &bounds, bool walls = true, memory_ref memory = {})
        : world(make(memory, [&](pqt_error *failure) {
              pqt_world_options options = PQT_WORLD_DEFAULTS;
              options.walls = walls;
              options.memory = memory.get();
              return pqt_world_make(bounds, &options, failure);
          }))
    {
    }

    /**
     * Adds a body.
     *
     * @param body  its id must be new
     * @return      the new version
     * @throws      error PQT_ERROR_BODY, PQT_ERROR_BOUNDS
     * @throws      out_of_memory, moved_from
     */
    [[nodiscard]] world add(const pqt_body &body) const
    {
        return edit([&](const pqt_world *from, pqt_error *failure) {
            return pqt_world_add(from, body, failure);
        });
    }

    /**
     * Adds bodies, all or none.
     *
     * @param bodies  their ids must be new
     * @return        the new version
     * @throws        error: see add; index() is the index of the body
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] world add_all(array_view<pqt_body> bodies) const
    {
        return edit([&](const pqt_world *from, pqt_error *failure) {
            return pqt_world_add_all(from, bodies.data(), bodies.size(), failure);
        });
    }

    /**
     * Replaces the body with the same id.
     *
     * @param body  see pqt_body
     * @return      the new version; an equal one if no body has the id
     * @throws      error: see pqt_world_change
     * @throws      out_of_memory, moved_from
     */
    [[nodiscard]] world change(const pqt_body &body) const
    {
        return edit([&](const pqt_world *from, pqt_error *failure) {
            return pqt_world_change(from, body, failure);
        });
    }

    /**
     * Removes a body.
     *
     * @param id  the id of the body
     * @return    the new version; an equal one if no body has the id
     * @throws    out_of_memory, moved_from
     */
    [[nodiscard]] world remove(std::uint64_t id) const
    {
        return edit([&](const pqt_world *from, pqt_error *failure) {
            return pqt_world_remove(from, id, failure);
        });
    }

    /**
     * Applies changes, all or none.
     *
     * @param changes  the changes, in order
     * @return         the new version
     * @throws         error: see pqt_world_apply; index() is the index of the change
     * @throws         out_of_memory, moved_from
     */
    [[nodiscard]] world apply(array_view<pqt_body_change> changes) const
    {
        return edit([&](const pqt_world *from, pqt_error *failure) {
            return pqt_world_apply(from, changes.data(), changes.size(), failure);
        });
    }

    /**
     * Computes the world after a step.
     *
     * @param dt  the duration of the step, in seconds
     * @return    the new version
     * @throws    error: see pqt_world_step
     * @throws    out_of_memory, moved_from
     */
    [[nodiscard]] world step(double dt) const
    {
        const pqt_step_options options = PQT_STEP_DEFAULTS;
        return step(dt, options);
    }

    /**
     * Removes all bodies.
     *
     * @return  the new version, with the same bounds, options and obstacle
     * @throws  out_of_memory, moved_from
     */
    [[nodiscard]] world clear() const
    {
        return edit([](const pqt_world *from, pqt_error *failure) {
            return pqt_world_clear(from, failure);
        });
    }

    /**
     * Keeps the bodies whose boxes a query finds.
     *
     * @param query  selects boxes
     * @return       the new version
     * @throws       error PQT_ERROR_BOX
     * @throws       out_of_memory, moved_from
     */
    [[nodiscard]] world search(const query &query) const
    {
        const pqt_query raw = query.raw();
        return edit([&](const pqt_world *from, pqt_error *failure) {
            return pqt_world_search(from, &raw, failure);
        });
    }

    /**
     * Computes the world after a step.
     *
     * @param dt       the duration of the step, in seconds
     * @param options  start from PQT_STEP_DEFAULTS
     * @return         the new version
     * @throws         error: see pqt_world_step
     * @throws         out_of_memory, moved_from
     */
    [[nodiscard]] world step(double dt, const pqt_step_options &options) const
    {
        return edit([&](const pqt_world *from, pqt_error *failure) {
            return pqt_world_step(from, dt, &options, failure);
        });
    }

    /**
     * Sets the obstacle: pixels that bodies hit.
     *
     * @param pixels  a region in the same memory
     * @param at      the position of the pixel {0, 0}, in world units
     * @return        the new version
     * @throws        error PQT_ERROR_MISMATCH, PQT_ERROR_OPTION
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] world set_obstacle(const region &pixels, const pqt_vec &at = {0, 0}) const
    {
        const pqt_obstacle obstacle = {pixels.get(), at};
        return edit([&](const pqt_world *from, pqt_error *failure) {
            return pqt_world_set_obstacle(from, obstacle, failure);
        });
    }

    /**
     * Counts the bodies.
     *
     * @return  the number of bodies
     * @throws  moved_from
     */
    std::size_t size() const
    {
        return pqt_world_count(get());
    }

    /**
     * Returns the walls.
     *
     * @return  the bounds, in world units
     * @throws  moved_from
     */
    pqt_box bounds() const
    {
        return pqt_world_bounds(get());
    }

    /**
     * Finds a body.
     *
     * @param id  its id
     * @return    the body; none if no body has the id
     * @throws    moved_from
     */
    std::optional<pqt_body> find(std::uint64_t id) const
    {
        pqt_body found;
        return pqt_world_find(get(), id, &found) ? std::optional<pqt_body>(found) : std::nullopt;
    }

    /**
     * Returns the boxes of the bodies, with their ids.
     *
     * @return  a tree, which can be searched with windows and rays
     * @throws  out_of_memory, moved_from
     * @cost    O(1)
     */
    [[nodiscard]] tree bodies() const
    {
        return edit_other<tree>(pqt_world_tree(get()));
    }

    /**
     * Visits the bodies whose boxes match a query.
     *
     * @param query    selects bodies by their boxes
     * @param visitor  takes a const pqt_body &
     * @return         false if the visitor stopped the visit
     * @throws         anything that the visitor throws
     * @throws         moved_from
     */
    template <class Visitor> bool visit(const query &query, Visitor &&visitor) const
    {
        const pqt_query raw = query.raw();
        const auto self = this->held();
        detail::callback call(visitor);
        const bool all = pqt_world_visit(
            self.get(), &raw,
            [](const pqt_body *body, void *context) {
                return decltype(call)::of(context).visit(*body);
            },
            &call);
        call.rethrow();
        return all;
    }

    /**
     * Collects the bodies whose boxes match a query.
     *
     * @param query    selects bodies by their boxes
     * @return       the bodies
     * @throws       std::bad_alloc, moved_from
     */
    [[nodiscard]] std::vector<pqt_body> collect(const query &query = {}) const
    {
        std::vector<pqt_body> found;
        visit(query, [&](const pqt_body &body) { found.push_back(body); });
        return found;
    }

    /**
     * Finds the bodies nearest to a point.
     *
     * @param point  the point, in world units
     * @param count  the maximum number of bodies to find
     * @return       the bodies and their distances, nearest first
     * @throws       std::bad_alloc, moved_from
     */
    [[nodiscard]] std::vector<pqt_near_body> nearest(const pqt_vec &point, std::size_t count) const
    {
        std::vector<pqt_near_body> found(count < size() ? count : size());
        found.resize(pqt_world_nearest(get(), point, found.data(), found.size()));
        return found;
    }

    /**
     * Returns the events of the step that made this version.
     *
     * @return  an array, valid while a value holds this version; empty unless
     *          pqt_step_options.events was set
     * @throws  moved_from
     */
    array_view<pqt_contact_event> events() const
    {
        std::size_t count = 0;
        const pqt_contact_event *const first = pqt_world_events(get(), &count);
        return {first, count};
    }

    /**
     * Returns the statistics: bodies, energy, momentum.
     *
     * @return  the statistics
     * @throws  moved_from
     */
    pqt_world_stats stats() const
    {
        return pqt_world_get_stats(get());
    }

  private:
    friend class value<world, pqt_world>;

    explicit world(value &&from) noexcept : value(std::move(from))
    {
    }

    template <class T> T edit_other(const typename T::c_type *version) const
    {
        return part_of<T>(version, home());
    }
};

} // namespace pqt

namespace std
{

/** Hashes a world by its fingerprint, in O(1). */
template <> struct hash<pqt::world> : pqt::detail::hash_of<pqt::world> {
};

} // namespace std

#endif

/* SPDX-License-Identifier: MIT */
/** @file shapes.hpp - moving shapes that trees stop. See pqt.hpp. */
#ifndef PQT_SHAPES_HPP
#define PQT_SHAPES_HPP

#include <type_traits>

#include <pqt/shapes.h>
#include <pqt/callback.hpp>
#include <pqt/tree_queries.hpp>

namespace pqt
{

namespace detail
{

/* Calls a C function with the options of a sweep and a filter, and rethrows what the filter threw.
   Holds the version, because the filter may assign to the tree. */
template <class Derived, class Filter, class F>
auto
sweep_filtered(const tree_queries<Derived> &in, Filter &filter, bool ignore_overlap, F &&function)
{
    const Derived kept = static_cast<const Derived &>(in); // takes a pin
    callback<Filter> call(filter);
    pqt_sweep_options options = PQT_SWEEP_DEFAULTS;
    options.ignore_overlap = ignore_overlap;
    options.context = &call;
    options.filter = [](const pqt_item *item, void *context) {
        return callback<Filter>::of(context).accepts(*item);
    };
    const auto result = function(kept.get(), &options);
    call.rethrow();
    return result;
}

template <class Derived, class F>
auto
sweep_all(const tree_queries<Derived> &in, bool ignore_overlap, F &&function)
{
    pqt_sweep_options options = PQT_SWEEP_DEFAULTS;
    options.ignore_overlap = ignore_overlap;
    return function(static_cast<const Derived &>(in).get(), &options);
}

template <class Filter>
using if_filter = std::enable_if_t<std::is_invocable_r_v<bool, Filter &, const pqt_item &>>;

} // namespace detail

/**
 * Moves a shape through a tree or the view of a draft. The first item on its way stops it. See
 * pqt_tree_sweep.
 *
 *     const auto step = pqt::sweep(level, pqt_mover_circle(0.5, from, to));
 *     position = step.stop;
 *
 * @param in              a tree or the view of a draft
 * @param mover           made by pqt_mover_box, _circle or _convex
 * @param ignore_overlap  whether to ignore what the shape overlaps at the start
 * @return                how far it gets, and what stops it
 * @throws                moved_from
 */
template <class Derived>
[[nodiscard]] pqt_sweep
sweep(const tree_queries<Derived> &in, const pqt_mover &mover, bool ignore_overlap = false)
{
    return detail::sweep_all(in, ignore_overlap,
                             [&](const pqt_tree *tree, const pqt_sweep_options *options) {
                                 return pqt_tree_sweep(tree, mover, options);
                             });
}

/**
 * Moves a shape through the items that a filter accepts.
 *
 * @param in              a tree or the view of a draft
 * @param mover           the shape and its motion
 * @param filter          takes a const pqt_item & and returns a bool; it may be called more than
 *                        once for an item
 * @param ignore_overlap  whether to ignore what the shape overlaps at the start
 * @return                how far it gets, and what stops it
 * @throws                anything that the filter throws
 * @throws                out_of_memory, moved_from
 */
template <class Derived, class Filter, class = detail::if_filter<Filter>>
[[nodiscard]] pqt_sweep
sweep(const tree_queries<Derived> &in, const pqt_mover &mover, Filter &&filter,
      bool ignore_overlap = false)
{
    return detail::sweep_filtered(in, filter, ignore_overlap,
                                  [&](const pqt_tree *tree, const pqt_sweep_options *options) {
                                      return pqt_tree_sweep(tree, mover, options);
                                  });
}

/**
 * Moves a shape through a tree or the view of a draft, and along what it hits. See pqt_tree_slide.
 *
 * @param in              a tree or the view of a draft
 * @param mover           the shape, its position and its target
 * @param bounces         the maximum number of changes of direction
 * @param ignore_overlap  whether to ignore what the shape overlaps at the start
 * @return                where it ends, and what it touched
 * @throws                moved_from
 */
template <class Derived>
[[nodiscard]] pqt_slide
slide(const tree_queries<Derived> &in, const pqt_mover &mover, unsigned bounces = 3,
      bool ignore_overlap = false)
{
    return detail::sweep_all(in, ignore_overlap,
                             [&](const pqt_tree *tree, const pqt_sweep_options *options) {
                                 return pqt_tree_slide(tree, mover, bounces, options);
                             });
}

/**
 * Moves a shape along the items that a filter accepts.
 *
 * @param in              a tree or the view of a draft
 * @param mover           the shape, its position and its target
 * @param bounces         the maximum number of changes of direction
 * @param filter          takes a const pqt_item & and returns a bool; it may be called more than
 *                        once for an item
 * @param ignore_overlap  whether to ignore what the shape overlaps at the start
 * @return                where it ends, and what it touched
 * @throws                anything that the filter throws
 * @throws                out_of_memory, moved_from
 */
template <class Derived, class Filter, class = detail::if_filter<Filter>>
[[nodiscard]] pqt_slide
slide(const tree_queries<Derived> &in, const pqt_mover &mover, unsigned bounces, Filter &&filter,
      bool ignore_overlap = false)
{
    return detail::sweep_filtered(in, filter, ignore_overlap,
                                  [&](const pqt_tree *tree, const pqt_sweep_options *options) {
                                      return pqt_tree_slide(tree, mover, bounces, options);
                                  });
}

} // namespace pqt

#endif

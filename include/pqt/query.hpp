/* SPDX-License-Identifier: MIT */
/** @file query.hpp - windows, shapes and relations of queries. See pqt.hpp. */
#ifndef PQT_QUERY_HPP
#define PQT_QUERY_HPP

#include <optional>

#include <pqt/convex.h>
#include <pqt/query.h>

namespace pqt
{

/**
 * A window or a convex shape, and the relation that items must have to it. A box converts to it
 * implicitly, and then matches the items that touch the box. A query copies the shape, so it may be
 * kept for later.
 *
 * A C filter in a pqt_query is called as in C: it must not throw.
 */
class query
{
  public:
    /** Matches every item. */
    query() noexcept : query_(pqt_query_all())
    {
    }

    /**
     * Matches the items that have a relation to a window.
     *
     * @param window    in world units; sides may be infinite; a NaN or inverted one matches nothing
     * @param relation  the relation of an item to the window
     */
    query(const pqt_box &window, pqt_relation relation = PQT_TOUCHES) noexcept
        : query_(pqt_query_all())
    {
        query_.window = window;
        query_.relation = relation;
    }

    /**
     * Matches the items that have a relation to a convex shape.
     *
     * @param shape     a valid shape; otherwise the program stops
     * @param relation  the relation of an item to the shape
     */
    query(const pqt_convex &shape, pqt_relation relation = PQT_TOUCHES) noexcept
        : query_(pqt_query_all()), convex_(shape)
    {
        query_.relation = relation;
    }

    /** Matches the same items as a pqt_query. @param from its convex shape is copied */
    query(const pqt_query &from) noexcept : query_(from)
    {
        if (from.convex != nullptr)
            convex_ = *from.convex;
    }

    /**
     * Counts the work of queries.
     *
     * @param stats  each call adds to it; it must outlive the query; null: nothing is counted
     * @return       *this
     */
    query &count_work(pqt_query_stats *stats) noexcept
    {
        query_.stats = stats;
        return *this;
    }

    /**
     * Takes x as a longitude and y as a latitude, in degrees (sphere.h). A convex shape then stops
     * the program.
     *
     * @return  *this
     */
    query &on_sphere() noexcept
    {
        query_.surface = PQT_SPHERE;
        return *this;
    }

    /** @return the pqt_query; it points into this object */
    pqt_query raw() const noexcept
    {
        pqt_query copy = query_;
        copy.convex = convex_.has_value() ? &*convex_ : nullptr;
        return copy;
    }

  private:
    pqt_query query_;
    std::optional<pqt_convex> convex_;
};

/**
 * Matches items that have a point in common with a window: `intersects` of Boost.Geometry.
 *
 * @param shape  a box or a convex shape
 * @return       the query
 */
template <class Shape>
query
touches(const Shape &shape)
{
    return query(shape, PQT_TOUCHES);
}

/**
 * Matches items whose interiors intersect the interior of a window.
 *
 * @param shape  a box or a convex shape
 * @return       the query
 */
template <class Shape>
query
overlaps(const Shape &shape)
{
    return query(shape, PQT_OVERLAPS);
}

/**
 * Matches items inside a window, edges included: `covered_by` of Boost.Geometry.
 *
 * @param shape  a box or a convex shape
 * @return       the query
 */
template <class Shape>
query
inside(const Shape &shape)
{
    return query(shape, PQT_INSIDE);
}

/**
 * Matches items that contain a window, edges included: `covers` of Boost.Geometry.
 *
 * @param shape  a box or a convex shape
 * @return       the query
 */
template <class Shape>
query
covers(const Shape &shape)
{
    return query(shape, PQT_COVERS);
}

} // namespace pqt

#endif

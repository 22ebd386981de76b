/* SPDX-License-Identifier: MIT */
/** @file region.hpp - regions. See pqt.hpp. */
#ifndef PQT_REGION_HPP
#define PQT_REGION_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include <pqt/pixels.h>
#include <pqt/array_view.hpp>
#include <pqt/callback.hpp>
#include <pqt/value.hpp>

namespace pqt
{

namespace detail
{

template <> inline constexpr pqt_kind kind_of<pqt_region> = PQT_KIND_REGION;

} // namespace detail

/**
 * A version of a region: an immutable set of pixels. See pqt/region.h for paints and units.
 *
 *     pqt::region canvas;
 *     canvas = canvas.paint(pqt_paint_disc(PQT_PAINT_SET, {50, 50}, 20));
 */
class region : public value<region, pqt_region>
{
  public:
    /**
     * Makes a region without pixels.
     *
     * @param memory  where its versions live
     * @throws        out_of_memory
     */
    explicit region(memory_ref memory = {})
        : region(make(memory,
                      [&](pqt_error *failure) { return pqt_region_make(memory.get(), failure); }))
    {
    }

    /**
     * Makes a region from boxes of pixels.
     *
     * @param boxes   the boxes, in any order; they may overlap
     * @param memory  where its versions live
     * @return        the region
     * @throws        error PQT_ERROR_BOX, PQT_ERROR_LIMIT; index() is the index of the box
     * @throws        out_of_memory
     */
    [[nodiscard]] static region of(array_view<pqt_pixel_box> boxes, memory_ref memory = {})
    {
        return make(memory, [&](pqt_error *failure) {
            return pqt_region_of_boxes(boxes.data(), boxes.size(), memory.get(), failure);
        });
    }

    /**
     * Makes a region from an image, such as an alpha channel.
     *
     * @param image   read during this call only
     * @param at      the position of its upper left pixel
     * @param memory  where its versions live
     * @return        the region
     * @throws        error PQT_ERROR_OPTION, PQT_ERROR_LIMIT
     * @throws        out_of_memory
     * @cost          O(width x height)
     */
    [[nodiscard]] static region of_image(const pqt_byte_image &image, const pqt_pixel &at = {0, 0},
                                         memory_ref memory = {})
    {
        return make(memory, [&](pqt_error *failure) {
            return pqt_region_of_bytes(&image, at, memory.get(), failure);
        });
    }

    /**
     * Makes a region from an image of bits.
     *
     * @param image   read during this call only
     * @param at      the position of its upper left pixel
     * @param memory  where its versions live
     * @return        the region
     * @throws        error PQT_ERROR_OPTION, PQT_ERROR_LIMIT
     * @throws        out_of_memory
     */
    [[nodiscard]] static region of_bits(const pqt_bit_image &image, const pqt_pixel &at = {0, 0},
                                        memory_ref memory = {})
    {
        return make(memory, [&](pqt_error *failure) {
            return pqt_region_of_bits(&image, at, memory.get(), failure);
        });
    }

    /**
     * Makes a region from runs of pixels.
     *
     * @param runs    the runs, in any order; they may overlap
     * @param memory  where its versions live
     * @return        the region
     * @throws        error PQT_ERROR_BOX, PQT_ERROR_LIMIT; index() is the index of the run
     * @throws        out_of_memory
     */
    [[nodiscard]] static region of_runs(array_view<pqt_pixel_run> runs, memory_ref memory = {})
    {
        return make(memory, [&](pqt_error *failure) {
            return pqt_region_of_runs(runs.data(), runs.size(), memory.get(), failure);
        });
    }

    /**
     * Reads a PNG from a stream, up to the end of the PNG. See pqt_png_read.
     *
     * @param stream   open for reading; never closed
     * @param options  which pixels are in the region; their memory is not used
     * @param memory   where its versions live
     * @return         the region
     * @throws         error PQT_ERROR_STREAM, PQT_ERROR_FORMAT, PQT_ERROR_LIMIT, PQT_ERROR_OPTION,
     *                 PQT_ERROR_UNSUPPORTED
     * @throws         out_of_memory
     */
    [[nodiscard]] static region
    from_png(std::FILE *stream, pqt_png_options options = PQT_PNG_DEFAULTS, memory_ref memory = {})
    {
        options.memory = memory.get();
        return make_once(memory, [&](pqt_error *failure) {
            return pqt_png_read(stream, &options, nullptr, failure);
        });
    }

    /**
     * Reads a PNG from memory. Bytes after the end of the PNG are ignored.
     *
     * @param bytes    the PNG
     * @param options  which pixels are in the region; their memory is not used
     * @param memory   where its versions live
     * @return         the region
     * @throws         error: see above
     * @throws         out_of_memory
     */
    [[nodiscard]] static region from_png(array_view<std::uint8_t> bytes,
                                         pqt_png_options options = PQT_PNG_DEFAULTS,
                                         memory_ref memory = {})
    {
        options.memory = memory.get();
        return make(memory, [&](pqt_error *failure) {
            return pqt_png_read_bytes(bytes.data(), bytes.size(), &options, nullptr, failure);
        });
    }

    /**
     * Paints a primitive.
     *
     * @param paint  made by pqt_paint_pixel, _box, _disc or _stroke
     * @return       the new version
     * @throws       error: see pqt_region_paint
     * @throws       out_of_memory, moved_from
     */
    [[nodiscard]] region paint(const pqt_paint &paint) const
    {
        return edit([&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_paint(from, paint, failure);
        });
    }

    /**
     * Paints primitives in order, all or none.
     *
     * @param paints  the primitives
     * @return        the new version
     * @throws        error: see pqt_region_paint_all; index() is the index of the paint
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] region paint_all(array_view<pqt_paint> paints) const
    {
        return edit([&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_paint_all(from, paints.data(), paints.size(), failure);
        });
    }

    /**
     * Adds the pixels of another region.
     *
     * @param other   a region in the same memory
     * @param offset  added to its pixels
     * @return        the new version
     * @throws        error PQT_ERROR_MISMATCH, PQT_ERROR_LIMIT
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] region unite(const region &other, const pqt_pixel &offset = {0, 0}) const
    {
        return combine(pqt_region_union, other, offset);
    }

    /**
     * Keeps the pixels that are also in another region.
     *
     * @param other   a region in the same memory
     * @param offset  added to its pixels
     * @return        the new version
     * @throws        error: see unite
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] region intersect(const region &other, const pqt_pixel &offset = {0, 0}) const
    {
        return combine(pqt_region_intersection, other, offset);
    }

    /**
     * Removes the pixels of another region.
     *
     * @param other   a region in the same memory
     * @param offset  added to its pixels
     * @return        the new version
     * @throws        error: see unite
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] region subtract(const region &other, const pqt_pixel &offset = {0, 0}) const
    {
        return combine(pqt_region_difference, other, offset);
    }

    /**
     * Keeps the pixels that are in exactly one of the two regions.
     *
     * @param other   a region in the same memory
     * @param offset  added to its pixels
     * @return        the new version
     * @throws        error: see unite
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] region symmetric_difference(const region &other,
                                              const pqt_pixel &offset = {0, 0}) const
    {
        return combine(pqt_region_xor, other, offset);
    }

    /**
     * Adds the neighbours of all pixels, `steps` times.
     *
     * @param steps         the number of times, >= 0
     * @param connectivity  which pixels are neighbours
     * @return              the new version
     * @throws              error: see pqt_region_dilate
     * @throws              out_of_memory, moved_from
     */
    [[nodiscard]] region dilate(std::int32_t steps,
                                pqt_connectivity connectivity = PQT_CONNECTIVITY_8) const
    {
        return edit([&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_dilate(from, steps, connectivity, failure);
        });
    }

    /**
     * Removes the pixels that have a neighbour outside the region, `steps` times.
     *
     * @param steps         the number of times, >= 0
     * @param connectivity  which pixels are neighbours
     * @return              the new version
     * @throws              error: see pqt_region_erode
     * @throws              out_of_memory, moved_from
     */
    [[nodiscard]] region erode(std::int32_t steps,
                               pqt_connectivity connectivity = PQT_CONNECTIVITY_8) const
    {
        return edit([&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_erode(from, steps, connectivity, failure);
        });
    }

    /**
     * Adds all pixels whose centres are within a radius of the centre of a pixel.
     *
     * @param radius  pixels
     * @return   the new version
     * @throws   error: see pqt_region_dilate_disc
     * @throws   out_of_memory, moved_from
     */
    [[nodiscard]] region dilate_disc(double radius) const
    {
        return edit([&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_dilate_disc(from, radius, failure);
        });
    }

    /**
     * Keeps the pixels whose centres are farther than a radius from those outside.
     *
     * @param radius  pixels
     * @return   the new version
     * @throws   error: see pqt_region_erode_disc
     * @throws   out_of_memory, moved_from
     */
    [[nodiscard]] region erode_disc(double radius) const
    {
        return edit([&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_erode_disc(from, radius, failure);
        });
    }

    /**
     * Keeps the pixels that have a neighbour outside.
     *
     * @param connectivity  which pixels are neighbours
     * @return   the new version
     * @throws   error: see pqt_region_outline
     * @throws   out_of_memory, moved_from
     */
    [[nodiscard]] region outline(pqt_connectivity connectivity = PQT_CONNECTIVITY_4) const
    {
        return edit([&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_outline(from, connectivity, failure);
        });
    }

    /**
     * Thins the region to lines.
     *
     * @return   the new version
     * @throws   error: see pqt_region_skeleton
     * @throws   out_of_memory, moved_from
     */
    [[nodiscard]] region skeleton() const
    {
        return edit([&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_skeleton(from, failure);
        });
    }

    /**
     * Enlarges the region by whole factors.
     *
     * @param factor_x  the factor of x
     * @param factor_y  the factor of y
     * @return   the new version
     * @throws   error: see pqt_region_scale
     * @throws   out_of_memory, moved_from
     */
    [[nodiscard]] region scale(std::int32_t factor_x, std::int32_t factor_y) const
    {
        return edit([&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_scale(from, factor_x, factor_y, failure);
        });
    }

    /**
     * Flips or rotates the region about the point 0, 0.
     *
     * @param how  the flip or the quarter turns
     * @return   the new version
     * @throws   error: see pqt_region_transform
     * @throws   out_of_memory, moved_from
     */
    [[nodiscard]] region transform(pqt_transform how) const
    {
        return edit([&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_transform(from, how, failure);
        });
    }

    /**
     * Maps the region, for example by pqt_affine_rotation.
     *
     * @param map       the map
     * @param sampling  the rule for pixels that are covered in part
     * @return   the new version
     * @throws   error: see pqt_region_map
     * @throws   out_of_memory, moved_from
     */
    [[nodiscard]] region map(const pqt_affine &map,
                             pqt_sampling sampling = PQT_SAMPLE_NEAREST) const
    {
        return edit([&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_map(from, map, sampling, failure);
        });
    }

    /**
     * Scales the pixels of one box to those of another.
     *
     * @param box       the box that is scaled
     * @param to        the box that it fills
     * @param sampling  the rule for pixels that are covered in part
     * @return   the new version
     * @throws   error: see pqt_region_resize
     * @throws   out_of_memory, moved_from
     */
    [[nodiscard]] region resize(const pqt_pixel_box &box, const pqt_pixel_box &to,
                                pqt_sampling sampling = PQT_SAMPLE_NEAREST) const
    {
        return edit([&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_resize(from, box, to, sampling, failure);
        });
    }

    /**
     * Returns whether the region and another one overlap. See pqt_region_overlaps.
     *
     * @param other   another region, in any memory
     * @param offset  the displacement of the other one, pixels
     * @return        true if they overlap
     * @throws        moved_from
     */
    bool overlaps(const region &other, const pqt_vec &offset = {0, 0}) const
    {
        return pqt_region_overlaps(get(), other.get(), offset);
    }

    /**
     * Returns whether a box overlaps the region. See pqt_region_overlaps_box.
     *
     * @param box  any box
     * @return     true if it does
     * @throws     moved_from
     */
    bool overlaps(const pqt_box &box) const
    {
        return pqt_region_overlaps_box(get(), box);
    }

    /**
     * Returns whether a circle overlaps the region. See pqt_region_overlaps_circle.
     *
     * @param circle  any circle
     * @return        true if it does
     * @throws        moved_from
     */
    bool overlaps(const pqt_circle &circle) const
    {
        return pqt_region_overlaps_circle(get(), circle);
    }

    /**
     * Returns whether the cells of the region and of another one overlap. See
     * pqt_region_overlaps_cells.
     *
     * @param other   another region, in any memory
     * @param offset  the displacement of the other one, pixels
     * @param cells   the sides of the cells, and when one is full; pqt_cells_are_valid
     * @return        true if they overlap
     * @throws        moved_from
     */
    bool overlaps(const region &other, const pqt_vec &offset, const pqt_cells &cells) const
    {
        return pqt_region_overlaps_cells(get(), other.get(), offset, cells);
    }

    /**
     * Returns the area in which the region and another one overlap. See pqt_region_overlap_area.
     *
     * @param other   another region, in any memory
     * @param offset  the displacement of the other one, pixels
     * @return        the area
     * @throws        moved_from
     */
    pqt_overlap_area overlap_area(const region &other, const pqt_vec &offset = {0, 0}) const
    {
        return pqt_region_overlap_area(get(), other.get(), offset);
    }

    /**
     * Finds the first pixels that overlap, as seen from a side. See pqt_region_first_overlap.
     *
     * @param other   another region, in any memory
     * @param offset  the displacement of the other one, pixels
     * @param side    the side
     * @return        the pair; none if they do not overlap
     * @throws        moved_from
     */
    std::optional<pqt_pixel_pair> first_overlap(const region &other, const pqt_vec &offset = {0, 0},
                                                pqt_side side = PQT_FROM_TOP) const
    {
        pqt_pixel_pair pair = {{0, 0}, {0, 0}};
        if (!pqt_region_first_overlap(get(), other.get(), offset, side, &pair))
            return std::nullopt;
        return pair;
    }

    /**
     * Visits all pairs of pixels that overlap, as rectangles. See pqt_region_visit_overlap.
     *
     * @param other    another region, in any memory
     * @param offset   the displacement of the other one, pixels
     * @param visitor  takes a const pqt_pixel_pairs &
     * @return         false if the visitor stopped the visit
     * @throws         anything that the visitor throws
     * @throws         moved_from
     */
    template <class Visitor>
    bool visit_overlap(const region &other, const pqt_vec &offset, Visitor &&visitor) const
    {
        const auto self = this->held();
        const auto second = other.held();
        detail::callback call(visitor);
        const bool all = pqt_region_visit_overlap(
            self.get(), second.get(), offset,
            [](const pqt_pixel_pairs *pairs, void *context) {
                return decltype(call)::of(context).visit(*pairs);
            },
            &call);
        call.rethrow();
        return all;
    }

    /**
     * Returns the offsets at which the bounds of the region and of another one overlap.
     *
     * @param other  another region, in any memory
     * @return       the box of the offsets of the other one
     * @throws       moved_from
     */
    pqt_pixel_box overlap_offsets(const region &other) const
    {
        return pqt_region_overlap_offsets(get(), other.get());
    }

    /**
     * Counts the pixels in common with another region at each offset. See pqt_region_convolve.
     *
     * @param other    another region, in any memory
     * @param offsets  the displacements of the other one; overlap_offsets has all that matter
     * @return         the counts, row by row, without numbers between rows
     * @throws         error PQT_ERROR_BOX, PQT_ERROR_LIMIT
     * @throws         out_of_memory, std::bad_alloc, moved_from
     */
    [[nodiscard]] std::vector<std::uint32_t> convolve(const region &other,
                                                      const pqt_pixel_box &offsets) const
    {
        std::vector<std::uint32_t> counts(pixels_of(offsets));
        pqt_error failure = {};
        if (!pqt_region_convolve(get(), other.get(), offsets, counts.data(), width_of(offsets),
                                 &failure))
            detail::raise(failure);
        return counts;
    }

    /**
     * Finds the first pixel on a segment. See pqt_region_cast_segment.
     *
     * @param segment  the segment
     * @return         the hit
     * @throws         moved_from
     */
    pqt_pixel_hit cast(const pqt_segment &segment) const
    {
        return pqt_region_cast_segment(get(), segment);
    }

    /**
     * Finds the first pixel on a ray. See pqt_region_cast_ray.
     *
     * @param ray  the ray
     * @return     the hit
     * @throws     moved_from
     */
    pqt_pixel_hit cast(const pqt_ray &ray) const
    {
        return pqt_region_cast_ray(get(), ray);
    }

    /**
     * Sweeps a box, a circle or a convex against the region at rest. See pqt_region_sweep_mover.
     *
     * @param mover  the shape and its motion
     * @return       the result of the sweep
     * @throws       moved_from
     */
    [[nodiscard]] pqt_region_sweep sweep_mover(const pqt_mover &mover) const
    {
        return pqt_region_sweep_mover(mover, {get(), {0, 0}, {0, 0}}, nullptr);
    }

    /**
     * Slides the region along another one at rest. See pqt_region_slide_region.
     *
     * @param from     its position at the start
     * @param to       where it would go
     * @param other    the region at rest, at 0, 0
     * @param bounces  the maximum number of changes of direction
     * @return         the result of the slide
     * @throws         moved_from
     */
    [[nodiscard]] pqt_region_slide slide(const pqt_vec &from, const pqt_vec &to,
                                         const region &other, unsigned bounces = 4) const
    {
        return pqt_region_slide_region({get(), from, to}, other.get(), {0, 0}, bounces, nullptr);
    }

    /**
     * Slides a box, a circle or a convex along the region at rest. See pqt_region_slide_mover.
     *
     * @param mover    the shape and its motion
     * @param bounces  the maximum number of changes of direction
     * @return         the result of the slide
     * @throws         moved_from
     */
    [[nodiscard]] pqt_region_slide slide_mover(const pqt_mover &mover, unsigned bounces = 4) const
    {
        return pqt_region_slide_mover(mover, get(), {0, 0}, bounces, nullptr);
    }

    /**
     * Sweeps the region against another one at rest; see pqt_region_sweep_region.
     *
     * @param from   the starting position, in pixels
     * @param to     the end position, in pixels
     * @param other  the region at rest, at the position {0, 0}
     * @return       the result of the sweep
     * @throws       moved_from
     */
    [[nodiscard]] pqt_region_sweep sweep(const pqt_vec &from, const pqt_vec &to,
                                         const region &other) const
    {
        return pqt_region_sweep_region({get(), from, to}, {other.get(), {0, 0}, {0, 0}}, nullptr);
    }

    /**
     * Moves all pixels.
     *
     * @param offset  the displacement, in pixels
     * @return        the new version
     * @throws        error PQT_ERROR_LIMIT
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] region move(const pqt_pixel &offset) const
    {
        return edit([&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_move(from, offset, failure);
        });
    }

    /**
     * Keeps the pixels of a box.
     *
     * @param window  the box
     * @return        the new version
     * @throws        error PQT_ERROR_BOX
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] region crop(const pqt_pixel_box &window) const
    {
        return edit([&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_crop(from, window, failure);
        });
    }

    /**
     * Returns the pixels of a box that are not in the region.
     *
     * @param box  the box
     * @return     the new version
     * @throws     error PQT_ERROR_BOX, PQT_ERROR_LIMIT
     * @throws     out_of_memory, moved_from
     */
    [[nodiscard]] region complement(const pqt_pixel_box &box) const
    {
        return edit([&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_complement(from, box, failure);
        });
    }

    /**
     * Stores equal squares once. See pqt_region_intern.
     *
     * @return  the version with the same pixels
     * @throws  out_of_memory, moved_from
     */
    [[nodiscard]] region intern() const
    {
        return edit([&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_intern(from, failure);
        });
    }

    /**
     * Returns the connected component that contains a pixel; see pqt_region_component.
     *
     * @param pixel         any pixel
     * @param connectivity  which pixels are neighbours
     * @return              the component; it is empty if the pixel is not in the region
     * @throws              out_of_memory, moved_from
     */
    [[nodiscard]] region component(pqt_pixel pixel,
                                   pqt_connectivity connectivity = PQT_CONNECTIVITY_4) const
    {
        return edit([&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_component(from, pixel, connectivity, failure);
        });
    }

    /**
     * Returns the connected component with the most pixels.
     *
     * @param connectivity  which pixels are neighbours
     * @return              the component; of several, the first
     * @throws              out_of_memory, moved_from
     */
    [[nodiscard]] region largest_component(pqt_connectivity connectivity = PQT_CONNECTIVITY_4) const
    {
        return edit([&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_largest_component(from, connectivity, failure);
        });
    }

    /**
     * Finds the connected components.
     *
     * @param connectivity  which pixels are neighbours
     * @param minimum       the least number of pixels of a component; smaller ones are left out
     * @return              the components, in the order of pqt_region_visit_components
     * @throws              std::bad_alloc, moved_from
     */
    [[nodiscard]] std::vector<region> components(pqt_connectivity connectivity = PQT_CONNECTIVITY_4,
                                                 std::uint64_t minimum = 0) const
    {
        std::vector<region> found;
        auto add = [&](const pqt_region *one) { found.push_back(hold(one, home())); };
        detail::callback call(add);
        pqt_error failure = {};
        {
            const detail::scope open(home().get(), &failure);
            if (open)
                (void)pqt_region_visit_components(
                    get(), connectivity, minimum,
                    [](const pqt_region *one, void *context) {
                        return decltype(call)::of(context).visit(one);
                    },
                    &call, &failure);
        }
        call.rethrow();
        if (failure.status != PQT_OK)
            detail::raise(failure);
        return found;
    }

    /**
     * Counts the pixels.
     *
     * @return  the number of pixels
     * @throws  moved_from
     * @cost    O(1)
     */
    std::uint64_t size() const
    {
        return pqt_region_count(get());
    }

    /**
     * Returns whether there are no pixels.
     *
     * @return  true if there are none
     * @throws  moved_from
     */
    bool empty() const
    {
        return size() == 0;
    }

    /**
     * Counts the pixels in a window.
     *
     * @param window  the window
     * @return        the number of pixels
     * @throws        moved_from
     */
    std::uint64_t count(const pqt_pixel_box &window) const
    {
        return pqt_region_count_in(get(), window);
    }

    /**
     * Returns whether a pixel is in the region.
     *
     * @param pixel  the pixel
     * @return       true if it is
     * @throws       moved_from
     * @cost         O(level)
     */
    bool contains(const pqt_pixel &pixel) const
    {
        return pqt_region_contains(get(), pixel);
    }

    /**
     * Returns the moments: the centroid, the second central moments and the axis.
     *
     * @return  see pqt_region_get_moments
     * @throws  moved_from
     */
    pqt_region_moments moments() const
    {
        return pqt_region_get_moments(get());
    }

    /**
     * Returns the smallest box that contains all pixels.
     *
     * @return  the box
     * @throws  moved_from
     */
    pqt_pixel_box bounds() const
    {
        return pqt_region_bounds(get());
    }

    /**
     * Counts the nodes and bytes of the version.
     *
     * @return  the statistics
     * @throws  moved_from
     */
    pqt_region_stats stats() const
    {
        return pqt_region_get_stats(get());
    }

    /**
     * Writes the pixels of a window into an array.
     *
     * @param window  the window
     * @param byte    that of a pixel in the region; that of others is 0
     * @return        a byte for each pixel, row by row, without bytes between rows
     * @throws        error PQT_ERROR_BOX
     * @throws        std::bad_alloc, moved_from
     */
    [[nodiscard]] std::vector<std::uint8_t> to_pixels(const pqt_pixel_box &window,
                                                      std::uint8_t byte = 1) const
    {
        std::vector<std::uint8_t> bytes(pixels_of(window));
        pqt_error failure = {};
        if (!pqt_region_to_bytes(get(), window, bytes.data(), width_of(window), byte, &failure))
            detail::raise(failure);
        return bytes;
    }

    /**
     * Measures the squared distance of each pixel of a window. See pqt_region_distances.
     *
     * @param window  the window
     * @param target  the pixels to which distances are measured
     * @return        squared distances, row by row; UINT32_MAX: the window has no such pixel
     * @throws        error PQT_ERROR_BOX, PQT_ERROR_LIMIT, PQT_ERROR_OPTION
     * @throws        out_of_memory, std::bad_alloc, moved_from
     */
    [[nodiscard]] std::vector<std::uint32_t> squared_distances(const pqt_pixel_box &window,
                                                               pqt_distance_target target) const
    {
        const std::int64_t height = static_cast<std::int64_t>(window.max.y) - window.min.y;
        const bool fits = width_of(window) <= PQT_DISTANCE_LIMIT && height <= PQT_DISTANCE_LIMIT;
        std::vector<std::uint32_t> squares(fits ? pixels_of(window) : 0); // otherwise it is refused
        pqt_error failure = {};
        if (!pqt_region_distances(get(), window, target, squares.data(), width_of(window),
                                  &failure))
            detail::raise(failure);
        return squares;
    }

    /**
     * Writes the pixels of a window as a PNG. See pqt_png_write.
     *
     * @param stream  open for writing; never closed
     * @param window  the window
     * @throws        error PQT_ERROR_BOX, PQT_ERROR_LIMIT, PQT_ERROR_STREAM, PQT_ERROR_UNSUPPORTED
     * @throws        out_of_memory, moved_from
     */
    void to_png(std::FILE *stream, const pqt_pixel_box &window) const
    {
        pqt_error failure = {};
        if (!pqt_png_write(stream, get(), window, &failure))
            detail::raise(failure);
    }

    /**
     * Visits the squares of the quadtree that contain pixels, each before its parts.
     *
     * @param visitor  takes a const pqt_square &
     * @return         false if the visitor stopped the visit
     * @throws         anything that the visitor throws
     * @throws         moved_from
     */
    template <class Visitor> bool visit_squares(Visitor &&visitor) const
    {
        const auto self = this->held();
        detail::callback call(visitor);
        const bool all = pqt_region_visit_squares(
            self.get(),
            [](const pqt_square *one, void *context) {
                return decltype(call)::of(context).visit(*one);
            },
            &call);
        call.rethrow();
        return all;
    }

    /**
     * Visits the contours, as polygons along the edges of pixels; see pqt_region_visit_contours.
     *
     * @param connectivity  which pixels are neighbours
     * @param tolerance     pixels by which a contour may be simplified; 0: not at all
     * @param visitor       takes a const pqt_contour &
     * @return              false if the visitor stopped the visit
     * @throws              error PQT_ERROR_OPTION
     * @throws              anything that the visitor throws
     * @throws              out_of_memory, moved_from
     */
    template <class Visitor>
    bool visit_contours(pqt_connectivity connectivity, double tolerance, Visitor &&visitor) const
    {
        const auto self = this->held();
        detail::callback call(visitor);
        pqt_error failure = {};
        const bool all = pqt_region_visit_contours(
            self.get(), connectivity, tolerance,
            [](const pqt_contour *contour, void *context) {
                return decltype(call)::of(context).visit(*contour);
            },
            &call, &failure);
        call.rethrow();
        if (failure.status != PQT_OK)
            detail::raise(failure);
        return all;
    }

    /**
     * Visits the pixels in a window as runs of rows.
     *
     * @param window   the window
     * @param visitor  takes a const pqt_pixel_run &
     * @return         false if the visitor stopped the visit
     * @throws         anything that the visitor throws
     * @throws         moved_from
     */
    template <class Visitor> bool visit_runs(const pqt_pixel_box &window, Visitor &&visitor) const
    {
        const auto self = this->held();
        detail::callback call(visitor);
        const bool all = pqt_region_visit_runs(
            self.get(), window,
            [](const pqt_pixel_run *run, void *context) {
                return decltype(call)::of(context).visit(*run);
            },
            &call);
        call.rethrow();
        return all;
    }

    /**
     * Visits the pixels in a window as boxes.
     *
     * @param window   the window
     * @param visitor  takes a const pqt_pixel_box &
     * @return         false if the visitor stopped the visit
     * @throws         anything that the visitor throws
     * @throws         moved_from
     */
    template <class Visitor> bool visit_boxes(const pqt_pixel_box &window, Visitor &&visitor) const
    {
        const auto self = this->held();
        detail::callback call(visitor);
        const bool all = pqt_region_visit_boxes(
            self.get(), window,
            [](const pqt_pixel_box *one, void *context) {
                return decltype(call)::of(context).visit(*one);
            },
            &call);
        call.rethrow();
        return all;
    }

    /**
     * Visits boxes that together cover all pixels in which two versions differ.
     *
     * @param after    another version
     * @param visitor  takes a const pqt_pixel_box &
     * @return         false if the visitor stopped the visit
     * @throws         anything that the visitor throws
     * @throws         moved_from
     * @cost           O(nodes that the two versions do not share)
     */
    template <class Visitor> bool visit_diff(const region &after, Visitor &&visitor) const
    {
        const auto self = this->held();
        const auto next = after.held();
        detail::callback call(visitor);
        const bool all = pqt_region_visit_diff(
            self.get(), next.get(),
            [](const pqt_pixel_box *one, void *context) {
                return decltype(call)::of(context).visit(*one);
            },
            &call);
        call.rethrow();
        return all;
    }

  private:
    friend class value<region, pqt_region>;

    explicit region(value &&from) noexcept : value(std::move(from))
    {
    }

    /* The width of a box; 0 if the box is inverted, which the library refuses. */
    static std::size_t width_of(const pqt_pixel_box &box)
    {
        const std::int64_t width = static_cast<std::int64_t>(box.max.x) - box.min.x;
        return width > 0 ? static_cast<std::size_t>(width) : 0;
    }

    /* The number of pixels of a box. There is no memory for an array of more. */
    static std::size_t pixels_of(const pqt_pixel_box &box)
    {
        const std::int64_t height = static_cast<std::int64_t>(box.max.y) - box.min.y;
        const std::size_t width = width_of(box);
        if (width == 0 || height <= 0)
            return 0;
        if (static_cast<std::size_t>(height) > PTRDIFF_MAX / sizeof(std::uint32_t) / width)
            throw std::bad_alloc();
        return width * static_cast<std::size_t>(height);
    }

    template <class F>
    region combine(F function, const region &other, const pqt_pixel &offset) const
    {
        const pqt_region *const second = other.get();
        return edit([&](const pqt_region *from, pqt_error *failure) {
            return function(from, second, offset, failure);
        });
    }
};

} // namespace pqt

namespace std
{

/** Hashes a region by its fingerprint, in O(1). */
template <> struct hash<pqt::region> : pqt::detail::hash_of<pqt::region> {
};

} // namespace std

#endif

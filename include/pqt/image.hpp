/* SPDX-License-Identifier: MIT */
/** @file image.hpp - images. See pqt.hpp. */
#ifndef PQT_IMAGE_HPP
#define PQT_IMAGE_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

#include <pqt/pixels.h>
#include <pqt/array_view.hpp>
#include <pqt/callback.hpp>
#include <pqt/region.hpp>
#include <pqt/value.hpp>

namespace pqt
{

namespace detail
{

template <> inline constexpr pqt_kind kind_of<pqt_image> = PQT_KIND_IMAGE;

} // namespace detail

/**
 * A version of an image: an immutable picture of 8-bit RGBA. See pqt/image.h for colours and modes.
 *
 *     pqt::image canvas(640, 480, {255, 255, 255, 255});
 *     canvas = canvas.paint(pqt_paint_disc(PQT_PAINT_SET, {50, 50}, 20), {200, 0, 0, 128});
 */
class image : public value<image, pqt_image>
{
  public:
    /**
     * Makes an image of one colour.
     *
     * @param width   pixels
     * @param height  pixels
     * @param colour  the colour of all pixels
     * @param memory  where its versions live
     * @throws        error PQT_ERROR_LIMIT
     * @throws        out_of_memory
     */
    image(std::size_t width, std::size_t height, const pqt_rgba &colour = {0, 0, 0, 0},
          memory_ref memory = {})
        : image(make(memory, [&](pqt_error *failure) {
              return pqt_image_make(width, height, colour, memory.get(), failure);
          }))
    {
    }

    /**
     * Makes an image from an array of pixels, four bytes each, without bytes between rows.
     *
     * @param data    4 * width * height bytes, read during this call only
     * @param width   pixels
     * @param height  pixels
     * @param memory  where its versions live
     * @return        the image
     * @throws        error PQT_ERROR_LIMIT
     * @throws        out_of_memory
     * @cost          O(width x height)
     */
    [[nodiscard]] static image of_rgba(const std::uint8_t *data, std::size_t width,
                                       std::size_t height, memory_ref memory = {})
    {
        return make(memory, [&](pqt_error *failure) {
            return pqt_image_of_rgba(data, width, height, 4 * width, memory.get(), failure);
        });
    }

    /**
     * Reads a PNG from a stream, up to the end of the PNG. See pqt_png_read_image.
     *
     * @param stream   open for reading; never closed
     * @param options  only max_pixels is used
     * @param memory   where its versions live
     * @return         the image
     * @throws         error PQT_ERROR_STREAM, PQT_ERROR_FORMAT, PQT_ERROR_LIMIT,
     *                 PQT_ERROR_UNSUPPORTED
     * @throws         out_of_memory
     */
    [[nodiscard]] static image
    from_png(std::FILE *stream, pqt_png_options options = PQT_PNG_DEFAULTS, memory_ref memory = {})
    {
        options.memory = memory.get();
        return make_once(memory, [&](pqt_error *failure) {
            return pqt_png_read_image(stream, &options, nullptr, failure);
        });
    }

    /**
     * Reads a PNG from memory. Bytes after the end of the PNG are ignored.
     *
     * @param bytes    the PNG
     * @param options  only max_pixels is used
     * @param memory   where its versions live
     * @return         the image
     * @throws         error: see above
     * @throws         out_of_memory
     */
    [[nodiscard]] static image from_png(array_view<std::uint8_t> bytes,
                                        pqt_png_options options = PQT_PNG_DEFAULTS,
                                        memory_ref memory = {})
    {
        options.memory = memory.get();
        return make(memory, [&](pqt_error *failure) {
            return pqt_png_read_image_bytes(bytes.data(), bytes.size(), &options, nullptr, failure);
        });
    }

    /**
     * Writes the image as a PNG. See pqt_png_write_image.
     *
     * @param stream  open for writing; never closed
     * @throws        error PQT_ERROR_LIMIT, PQT_ERROR_STREAM, PQT_ERROR_UNSUPPORTED
     * @throws        out_of_memory, moved_from
     */
    void to_png(std::FILE *stream) const
    {
        pqt_error failure = {};
        if (!pqt_png_write_image(stream, get(), &failure))
            detail::raise(failure);
    }

    /**
     * Returns the box of all pixels.
     *
     * @return the box, which begins at 0, 0
     * @throws moved_from
     */
    [[nodiscard]] pqt_pixel_box bounds() const
    {
        return pqt_image_bounds(get());
    }

    /**
     * Returns the colour of a pixel.
     *
     * @param pixel  any pixel
     * @return       its colour; 0, 0, 0, 0 outside the image
     * @throws       moved_from
     */
    [[nodiscard]] pqt_rgba pixel(const pqt_pixel &pixel) const
    {
        return pqt_image_pixel(get(), pixel);
    }

    /**
     * Copies all pixels to an array, four bytes each, row by row.
     *
     * @return 4 * width * height bytes
     * @throws std::bad_alloc, moved_from
     */
    [[nodiscard]] std::vector<std::uint8_t> to_rgba() const
    {
        const auto self = this->held();
        const pqt_pixel_box all = pqt_image_bounds(self.get());
        const std::size_t stride = 4 * static_cast<std::size_t>(all.max.x);
        std::vector<std::uint8_t> bytes(stride * static_cast<std::size_t>(all.max.y));
        pqt_error failure = {};
        if (!pqt_image_to_rgba(self.get(), all, bytes.data(), stride, &failure))
            detail::raise(failure);
        return bytes;
    }

    /**
     * Changes the colour of one pixel.
     *
     * @param pixel   any pixel; nothing changes if it is outside
     * @param colour  its colour
     * @return        the new version
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] image set_pixel(const pqt_pixel &pixel, const pqt_rgba &colour) const
    {
        return edit([&](const pqt_image *from, pqt_error *failure) {
            return pqt_image_set_pixel(from, pixel, colour, failure);
        });
    }

    /**
     * Draws a shape.
     *
     * @param paint   made by pqt_paint_pixel, _box, _disc or _stroke, with PQT_PAINT_SET
     * @param colour  its colour
     * @param mode    how it is drawn
     * @return        the new version
     * @throws        error: see pqt_image_paint
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] image paint(const pqt_paint &paint, const pqt_rgba &colour,
                              pqt_ink_mode mode = PQT_INK_OVER) const
    {
        return edit([&](const pqt_image *from, pqt_error *failure) {
            return pqt_image_paint(from, paint, colour, mode, failure);
        });
    }

    /**
     * Draws one colour on the pixels of a region.
     *
     * @param shape   the region
     * @param at      the position of its pixel 0, 0
     * @param colour  the colour
     * @param mode    how it is drawn
     * @return        the new version
     * @throws        error: see pqt_image_fill
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] image fill(const region &shape, const pqt_pixel &at, const pqt_rgba &colour,
                             pqt_ink_mode mode = PQT_INK_OVER) const
    {
        const pqt_region *const pixels = shape.get();
        return edit([&](const pqt_image *from, pqt_error *failure) {
            return pqt_image_fill(from, pixels, at, colour, mode, failure);
        });
    }

    /**
     * Draws a box of another image.
     *
     * @param source  the image that is drawn
     * @param box     the pixels of the source
     * @param at      the position of the upper left pixel of the box
     * @param mode    how it is drawn
     * @return        the new version
     * @throws        error: see pqt_image_blit
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] image blit(const image &source, const pqt_pixel_box &box, const pqt_pixel &at,
                             pqt_ink_mode mode = PQT_INK_OVER) const
    {
        const pqt_image *const drawn = source.get();
        return edit([&](const pqt_image *from, pqt_error *failure) {
            return pqt_image_blit(from, drawn, box, at, mode, failure);
        });
    }

    /**
     * Maps the image, for example by pqt_affine_rotation.
     *
     * @param map       the map
     * @param width     of the result
     * @param height    of the result
     * @param sampling  how a colour is chosen
     * @return          the new version
     * @throws          error: see pqt_image_map
     * @throws          out_of_memory, moved_from
     */
    [[nodiscard]] image map(const pqt_affine &map, std::size_t width, std::size_t height,
                            pqt_sampling sampling = PQT_SAMPLE_NEAREST) const
    {
        return edit([&](const pqt_image *from, pqt_error *failure) {
            return pqt_image_map(from, map, width, height, sampling, failure);
        });
    }

    /**
     * Scales a box of the image to a size.
     *
     * @param box       the box; bounds() is all of it
     * @param width     of the result
     * @param height    of the result
     * @param sampling  how a colour is chosen
     * @return          the new version
     * @throws          error: see pqt_image_resize
     * @throws          out_of_memory, moved_from
     */
    [[nodiscard]] image resize(const pqt_pixel_box &box, std::size_t width, std::size_t height,
                               pqt_sampling sampling = PQT_SAMPLE_NEAREST) const
    {
        return edit([&](const pqt_image *from, pqt_error *failure) {
            return pqt_image_resize(from, box, width, height, sampling, failure);
        });
    }

    /**
     * Draws a colour on the area of a pixel.
     *
     * @param pixel      any pixel
     * @param tolerance  the largest difference in a channel
     * @param colour     the colour
     * @param mode       how it is drawn
     * @return           the new version
     * @throws           error: see pqt_image_flood
     * @throws           out_of_memory, moved_from
     */
    [[nodiscard]] image flood(const pqt_pixel &pixel, std::uint8_t tolerance,
                              const pqt_rgba &colour, pqt_ink_mode mode = PQT_INK_REPLACE) const
    {
        return edit([&](const pqt_image *from, pqt_error *failure) {
            return pqt_image_flood(from, pixel, tolerance, colour, mode, failure);
        });
    }

    /**
     * Merges two versions that were made from this one, pixel by pixel.
     *
     * @param ours    one side
     * @param theirs  the other side
     * @return        the version with the changes of both
     * @throws        error PQT_ERROR_MISMATCH; PQT_ERROR_CONFLICT, which names the box
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] image merge(const image &ours, const image &theirs) const
    {
        const pqt_image *const one = ours.get(), *const other = theirs.get();
        return edit([&](const pqt_image *from, pqt_error *failure) {
            return pqt_image_merge(from, one, other, nullptr, nullptr, failure);
        });
    }

    /**
     * Merges, and asks about each box with conflicts.
     *
     * @param ours     one side
     * @param theirs   the other side
     * @param resolve  takes a const pqt_pixel_box &, and returns a pqt_image_resolution for the
     *                 pixels in conflict in it
     * @return         the merged version
     * @throws         error PQT_ERROR_MISMATCH; PQT_ERROR_CONFLICT for PQT_IMAGE_UNRESOLVED
     * @throws         anything that `resolve` throws
     * @throws         out_of_memory, moved_from
     */
    template <class Resolve>
    [[nodiscard]] image merge(const image &ours, const image &theirs, Resolve &&resolve) const
    {
        detail::callback call(resolve);
        const pqt_image *const from = get(), *const one = ours.get(), *const other = theirs.get();
        return make_calling(home(), call, [&](pqt_error *failure) {
            return pqt_image_merge(
                from, one, other,
                [](const pqt_pixel_box *box, void *context) {
                    return decltype(call)::of(context).decide(PQT_IMAGE_UNRESOLVED, *box);
                },
                &call, failure);
        });
    }

    /**
     * Merges, and resolves all conflicts in the same way.
     *
     * @param ours    one side
     * @param theirs  the other side
     * @param always  the resolution
     * @return        the merged version
     * @throws        error: see above
     */
    [[nodiscard]] image merge(const image &ours, const image &theirs,
                              pqt_image_resolution always) const
    {
        return merge(ours, theirs, [=](const pqt_pixel_box &) { return always; });
    }

    /**
     * Visits boxes that together cover all pixels in which two versions differ.
     *
     * @param after    another version of the same size
     * @param visitor  takes a const pqt_pixel_box &
     * @return         false if the visitor stopped the visit
     * @throws         error PQT_ERROR_MISMATCH
     * @throws         anything that the visitor throws
     * @throws         moved_from
     */
    template <class Visitor> bool visit_diff(const image &after, Visitor &&visitor) const
    {
        const auto self = this->held();
        const auto next = after.held();
        detail::callback call(visitor);
        pqt_error failure = {};
        const bool all = pqt_image_visit_diff(
            self.get(), next.get(),
            [](const pqt_pixel_box *one, void *context) {
                return decltype(call)::of(context).visit(*one);
            },
            &call, &failure);
        call.rethrow();
        if (failure.status != PQT_OK)
            detail::raise(failure);
        return all;
    }

    /**
     * Finds the pixels with a property, for example those of one colour.
     *
     * @param selection  the property
     * @return           their region, in the same memory
     * @throws           error PQT_ERROR_OPTION
     * @throws           out_of_memory, moved_from
     */
    [[nodiscard]] region select(const pqt_image_selection &selection) const
    {
        const pqt_image *const from = get();
        return make_part<region>(
            home(), [&](pqt_error *failure) { return pqt_image_select(from, selection, failure); });
    }

    /**
     * Returns the statistics of a version.
     *
     * @return the statistics
     * @throws moved_from
     */
    [[nodiscard]] pqt_image_stats stats() const
    {
        return pqt_image_get_stats(get());
    }

  private:
    friend class value<image, pqt_image>;

    explicit image(value &&from) noexcept : value(std::move(from))
    {
    }
};

} // namespace pqt

namespace std
{

/** Hashes an image by its fingerprint, in O(1). */
template <> struct hash<pqt::image> : pqt::detail::hash_of<pqt::image> {
};

} // namespace std

#endif

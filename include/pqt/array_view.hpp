/* SPDX-License-Identifier: MIT */
/** @file array_view.hpp - the caller's arrays as parameters. See pqt.hpp. */
#ifndef PQT_ARRAY_VIEW_HPP
#define PQT_ARRAY_VIEW_HPP

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L
#include <ranges>
#include <span>
#endif

namespace pqt
{

/**
 * A read-only view of an array that the caller owns, like std::span<const T>. It is made implicitly
 * from a std::vector, std::array, std::span, C array or braced list, and is meant for parameters:
 * it does not own the elements.
 */
template <class T> class array_view
{
  public:
    using value_type = T;       /**< the type of an element */
    using iterator = const T *; /**< the type of an iterator */

    /** Makes a view without elements. */
    constexpr array_view() noexcept = default;

    /**
     * Views an array.
     *
     * @param data  the first element
     * @param size  the number of elements
     */
    constexpr array_view(const T *data, std::size_t size) noexcept : data_(data), size_(size)
    {
    }

    /** Views a braced list, which lives until the full expression ends. @param list the elements */
    constexpr array_view(const std::initializer_list<T> &list) noexcept
        : data_(std::data(list)), size_(list.size())
    {
    }

    /** Views a container of contiguous elements. @param from the container */
    template <class C,
              class = std::enable_if_t<std::is_convertible_v<
                  std::remove_pointer_t<decltype(std::data(std::declval<const C &>()))> (*)[],
                  const T (*)[]>>>
    constexpr array_view(const C &from) noexcept : data_(std::data(from)), size_(std::size(from))
    {
    }

    /** @return a pointer to the first element; null if there are none */
    constexpr const T *data() const noexcept
    {
        return data_;
    }

    /** @return the number of elements */
    constexpr std::size_t size() const noexcept
    {
        return size_;
    }

    /** @return whether there are no elements */
    constexpr bool empty() const noexcept
    {
        return size_ == 0;
    }

    /** @return an iterator to the first element */
    constexpr const T *begin() const noexcept
    {
        return data_;
    }

    /** @return an iterator one past the last element */
    constexpr const T *end() const noexcept
    {
        return data_ + size_;
    }

    /** @param index below size(), not checked @return the element */
    constexpr const T &operator[](std::size_t index) const noexcept
    {
        return data_[index];
    }

  private:
    const T *data_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace pqt

#if __cplusplus >= 202002L
/** An array_view does not own the array, so iterators may outlive the view. */
template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<pqt::array_view<T>> = true;
#endif

#endif

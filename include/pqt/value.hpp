/* SPDX-License-Identifier: MIT */
/** @file value.hpp - the common base of versions: a version and its pin. See pqt.hpp. */
#ifndef PQT_VALUE_HPP
#define PQT_VALUE_HPP

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <pqt.h>
#include <pqt/array_view.hpp>
#include <pqt/callback.hpp>
#include <pqt/error.hpp>
#include <pqt/memory.hpp>

namespace pqt
{

namespace detail
{

/* The kind of the versions of a C type. The header of each class has its own. */
template <class V> inline constexpr pqt_kind kind_of = PQT_KIND_NONE;

/* Returns the plural of a kind, such as "trees". */
template <class V>
std::string
versions_of()
{
    return std::string(pqt_kind_name(kind_of<V>)) + 's';
}

/* Returns the bytes that a function writes to a callback. */
template <class F>
std::vector<std::byte>
written(F &&write)
{
    std::vector<std::byte> bytes;
    auto append = [&](const void *first, std::size_t count) {
        const auto *const begin = static_cast<const std::byte *>(first);
        bytes.insert(bytes.end(), begin, begin + count);
    };
    callback call(append);
    pqt_error failure = {};
    const bool done =
        write([](const void *first, std::size_t count,
                 void *context) { return decltype(call)::of(context).visit(first, count); },
              &call, &failure);
    call.rethrow();
    if (!done)
        raise(failure);
    return bytes;
}

/* Bytes from which a C function reads. */
class byte_source
{
  public:
    explicit byte_source(array_view<std::byte> bytes) noexcept
        : begin_(bytes.begin()), next_(bytes.begin()), end_(bytes.end())
    {
    }

    static bool read(void *room, std::size_t capacity, std::size_t *count, void *context)
    {
        auto &from = *static_cast<byte_source *>(context);
        const auto size = static_cast<std::size_t>(from.end_ - from.next_);
        *count = size < capacity ? size : capacity;
        if (*count > 0)
            std::memcpy(room, from.next_, *count);
        from.next_ += *count;
        return true;
    }

    /* Throws if bytes are left after what was read. */
    void expect_end(const char *noun) const
    {
        if (next_ == end_)
            return;
        pqt_error failure = {};
        failure.status = PQT_ERROR_FORMAT;
        failure.index = static_cast<std::size_t>(next_ - begin_);
        std::snprintf(failure.text, sizeof failure.text, "byte %zu: bytes follow the %s",
                      failure.index, noun);
        raise(failure);
    }

  private:
    const std::byte *begin_, *next_, *end_;
};

} // namespace detail

/**
 * The common base of trees, maps, regions, images, worlds and documents: a version and its pin.
 *
 * @tparam Derived  the class of the value
 * @tparam V        the C type that it holds
 */
template <class Derived, class V> class value
{
  public:
    using c_type = V; /**< the C type, such as pqt_tree */

    /**
     * Takes another pin on a version.
     *
     * @param from  a value
     * @throws      out_of_memory
     * @cost        O(1), without a lock unless a cycle of the heap is marking
     */
    value(const value &from) : version_(from.version_), home_(from.home_)
    {
        if (version_ != nullptr)
            pin_ = pin(version_);
    }

    /** Takes over a pin. @param from a value; it is moved from afterwards */
    value(value &&from) noexcept
        : version_(std::exchange(from.version_, nullptr)), pin_(std::exchange(from.pin_, nullptr)),
          home_(from.home_)
    {
    }

    /**
     * Takes another pin on a version, and releases the one it had.
     *
     * @param from  a value; it may be *this
     * @return      *this
     * @throws      out_of_memory, and *this is unchanged
     */
    value &operator=(const value &from)
    {
        value copy(from);
        swap(copy);
        return *this;
    }

    /**
     * Takes over a pin, and releases the one it had.
     *
     * @param from  a value; it is moved from afterwards unless it is *this
     * @return      *this
     */
    value &operator=(value &&from) noexcept
    {
        value taken(std::move(from));
        swap(taken);
        return *this;
    }

    /** Releases the pin. */
    ~value()
    {
        pqt_unpin(&pin_);
    }

    /** Exchanges two values. @param other the other value */
    void swap(value &other) noexcept
    {
        std::swap(version_, other.version_);
        std::swap(pin_, other.pin_);
        std::swap(home_, other.home_);
    }

    /** @return the version, for C functions, valid while a value holds it @throws moved_from */
    const V *get() const
    {
        if (version_ == nullptr)
            throw moved_from();
        return version_;
    }

    /** @return false if the value was moved from */
    bool has_value() const noexcept
    {
        return version_ != nullptr;
    }

    /** @return the memory in which the value's versions live */
    memory_ref home() const noexcept
    {
        return home_;
    }

    /**
     * Makes a value from a version that C functions made.
     *
     * @param version  not null; it must be alive: held by a pin, or made in a scope that is open
     * @return         a value with a pin of its own
     * @throws out_of_memory
     */
    [[nodiscard]] static Derived share(const V *version)
    {
        pqt_memory *const memory = pqt_version_memory(version);
        const memory_ref standard = default_memory();
        return adopt(version, pin(version),
                     standard.get() == memory ? standard : memory_ref(memory));
    }

    /**
     * Returns the fingerprint of the value: 128 bits that represent it.
     *
     * @return  the fingerprint, which is the same for equal values on every machine
     * @throws  moved_from
     * @cost    O(1); for a document, O(parts)
     */
    pqt_fingerprint fingerprint() const
    {
        return pqt_version_fingerprint(get());
    }

    /**
     * Returns whether both values hold the same version.
     *
     * @return whether they do; true implies that they are equal
     * @param other  the other value
     */
    bool is_same(const value &other) const noexcept
    {
        return version_ == other.version_;
    }

    /**
     * Validates every invariant of the version.
     *
     * @throws  error PQT_ERROR_CORRUPT: the library has a bug, or memory was overwritten
     * @throws  moved_from
     */
    void check() const
    {
        pqt_error failure = {};
        if (!pqt_version_check(get(), &failure))
            detail::raise(failure);
    }

    /**
     * Copies the version into another memory.
     *
     * @param memory  where the copy lives
     * @return        an equal value; it holds the same version if that lives in the memory already
     * @throws out_of_memory, moved_from
     * @cost O(blocks)
     */
    [[nodiscard]] Derived copy_to(memory_ref memory) const
    {
        const V *const version = get();
        return make(memory, [&](pqt_error *failure) {
            return static_cast<const V *>(pqt_version_copy(version, memory.get(), failure));
        });
    }

    /**
     * Writes the value in the format of docs/format.md.
     *
     * @return the bytes, the same on every platform
     * @throws error  PQT_ERROR_OPTION: ids are pointers
     * @throws std::bad_alloc, moved_from
     * @cost O(n)
     */
    [[nodiscard]] std::vector<std::byte> to_bytes() const
    {
        return detail::written([&](pqt_write_fn *write, void *context, pqt_error *failure) {
            return pqt_version_write(get(), write, context, failure);
        });
    }

    /**
     * Reads a value from bytes that hold nothing else.
     *
     * @param bytes   as to_bytes returns them
     * @param memory  where the version lives
     * @return        the value
     * @throws error  PQT_ERROR_FORMAT: the bytes have another format or are damaged, or bytes
     *                follow the value; index() is the offset of the faulty byte
     * @throws out_of_memory
     * @cost O(n log n)
     */
    [[nodiscard]] static Derived from_bytes(array_view<std::byte> bytes, memory_ref memory = {})
    {
        detail::byte_source from(bytes);
        Derived read = make(memory, [&](pqt_error *failure) {
            from = detail::byte_source(bytes);
            return static_cast<const V *>(pqt_version_read(
                detail::kind_of<V>, detail::byte_source::read, &from, memory.get(), failure));
        });
        from.expect_end("version");
        return read;
    }

    /**
     * Writes the value to a file, completely or not at all; see pqt_tree_save.
     *
     * @param path  the name of the file
     * @throws error  PQT_ERROR_STREAM, PQT_ERROR_OPTION
     * @throws out_of_memory, moved_from
     */
    void save(const std::string &path) const
    {
        pqt_error failure = {};
        if (!pqt_version_save(get(), path.c_str(), &failure))
            detail::raise(failure);
    }

    /**
     * Reads a value from a file that holds nothing else.
     *
     * @param path    the name of the file
     * @param memory  where the version lives
     * @return        the value
     * @throws error  PQT_ERROR_STREAM, PQT_ERROR_FORMAT
     * @throws out_of_memory
     */
    [[nodiscard]] static Derived load(const std::string &path, memory_ref memory = {})
    {
        return make(memory, [&](pqt_error *failure) {
            return static_cast<const V *>(
                pqt_version_load(detail::kind_of<V>, path.c_str(), memory.get(), failure));
        });
    }

    /**
     * Counts the bytes of the blocks that no given version shares: the cost of keeping this one.
     *
     * @param others  other values; if there are none, all bytes are counted
     * @return        the number of bytes
     * @throws std::bad_alloc, moved_from
     */
    std::size_t exclusive_bytes(array_view<Derived> others = {}) const
    {
        std::vector<const void *> versions;
        versions.reserve(others.size());
        for (const Derived &other : others)
            versions.push_back(other.get());
        pqt_error failure = {};
        std::size_t bytes = 0;
        if (!pqt_version_exclusive_bytes(get(), versions.data(), versions.size(), &bytes, &failure))
            detail::raise(failure);
        return bytes;
    }

    /**
     * Compares two values. They are equal if their contents, bounds and options are, whatever
     * memories they live in.
     *
     * @param a  one value
     * @param b  the other one
     * @return   whether they are equal; moved-from values equal each other
     * @cost     O(1) if they hold the same version; otherwise O(blocks that they do not share)
     */
    friend bool operator==(const Derived &a, const Derived &b)
    {
        const value &left = a, &right = b;
        return left.version_ == right.version_ ||
               (left.version_ != nullptr && right.version_ != nullptr &&
                pqt_version_equals(left.version_, right.version_));
    }

    /**
     * Compares two values.
     *
     * @param a  one value
     * @param b  the other one
     * @return   whether they differ
     */
    friend bool operator!=(const Derived &a, const Derived &b)
    {
        return !(a == b);
    }

    /**
     * Exchanges two values.
     *
     * @param a  one value
     * @param b  the other one
     */
    friend void swap(Derived &a, Derived &b) noexcept
    {
        a.swap(b);
    }

  protected:
    /** Makes a value that takes over a version and its pin. */
    value(const V *version, pqt_pin *pin, memory_ref home) noexcept
        : version_(version), pin_(pin), home_(home)
    {
    }

    /**
     * Makes a version and pins it, in a scope. Then reclaims in proportion to what was
     * allocated, even if the function failed. If memory is exhausted, reclaims all that nothing
     * holds and tries once more.
     */
    template <class F> [[nodiscard]] static Derived make(memory_ref home, F &&function)
    {
        for (bool is_last = !home.reclaims();; is_last = true) {
            pqt_error failure = {};
            pqt_pin *const pin = make_pinned(home, function, &failure);
            const bool again = pin == nullptr && !is_last && failure.status == PQT_ERROR_MEMORY;
            detail::reclaim_after(home, again ? PQT_RECLAIM_ALL : PQT_RECLAIM_PACED);
            if (pin != nullptr)
                return adopt(version_of(pin), pin, home);
            if (!again)
                detail::raise(failure);
        }
    }

    /** Like make, for a version that is derived from this one. */
    template <class F> [[nodiscard]] Derived edit(F &&function) const
    {
        const V *const version = get();
        return make(home_, [&](pqt_error *failure) { return function(version, failure); });
    }

    /** Like make, for a function that calls back: rethrows the exception that `call` caught, and
        does not try again. */
    template <class Call, class F>
    [[nodiscard]] static Derived make_calling(memory_ref home, Call &call, F &&function)
    {
        pqt_error failure = {};
        pqt_pin *pin = make_pinned(home, function, &failure);
        detail::reclaim_after(home);
        try {
            call.rethrow();
        } catch (...) {
            pqt_unpin(&pin);
            throw;
        }
        if (pin == nullptr)
            detail::raise(failure);
        return adopt(version_of(pin), pin, home);
    }

    /** Like make, for a function that must not be called twice. */
    template <class F> [[nodiscard]] static Derived make_once(memory_ref home, F &&function)
    {
        pqt_error failure = {};
        pqt_pin *const pin = make_pinned(home, function, &failure);
        detail::reclaim_after(home);
        if (pin == nullptr)
            detail::raise(failure);
        return adopt(version_of(pin), pin, home);
    }

    /**
     * Returns a second value that holds this version. A function that calls back works on it,
     * because the callback may assign to *this and reclaim.
     */
    [[nodiscard]] Derived held() const
    {
        return hold(get(), home_);
    }

    /** Returns a value that holds a part of this version. */
    template <class T>
    [[nodiscard]] static T part_of(const typename T::c_type *version, memory_ref home)
    {
        return T::hold(version, home);
    }

    /** Like make, for a version of another kind. */
    template <class T, class F> [[nodiscard]] static T make_part(memory_ref home, F &&function)
    {
        return T::make(home, std::forward<F>(function));
    }

    /** Makes a value that takes its own pin on a version that another value holds or contains. */
    [[nodiscard]] static Derived hold(const V *version, memory_ref home)
    {
        return adopt(version, pin(version), home);
    }

  private:
    template <class D, class W> friend class value;
    template <class T> friend class history;
    friend class recording;
    friend class document;
    friend class draft;
    template <class K, class W> friend class map_draft;

    template <class F>
    static pqt_pin *make_pinned(memory_ref home, F &function, pqt_error *failure) noexcept
    {
        const detail::scope open(home.get(), failure);
        const V *const made = open ? function(failure) : nullptr;
        return made != nullptr ? pqt_version_pin(made, failure) : nullptr;
    }

    static pqt_pin *pin(const V *version)
    {
        pqt_error failure = {};
        pqt_pin *const made = pqt_version_pin(version, &failure);
        if (made == nullptr)
            detail::raise(failure);
        return made;
    }

    static const V *version_of(const pqt_pin *pin)
    {
        return static_cast<const V *>(pqt_pin_get_version_of(pin, detail::kind_of<V>));
    }

    static Derived adopt(const V *version, pqt_pin *pin, memory_ref home)
    {
        return Derived(value(version, pin, home));
    }

    const V *version_ = nullptr;
    pqt_pin *pin_ = nullptr;
    memory_ref home_;
};

namespace detail
{

template <class T> struct hash_of {
    std::size_t operator()(const T &from) const
    {
        return from.has_value() ? static_cast<std::size_t>(from.fingerprint().low) : 0;
    }
};

} // namespace detail

} // namespace pqt

#endif

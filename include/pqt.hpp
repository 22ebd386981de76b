/* SPDX-License-Identifier: MIT */
/**
 * @file pqt.hpp - the library for C++17: versions as values, errors as exceptions, loops over
 * queries, lambdas as visitors.
 *
 * The header needs no library but libpqt. docs/cpp.md introduces it; the C headers describe each
 * operation in full.
 *
 * **Versions.** A pqt::tree, map, region, world or document is an immutable value that holds a pin
 * on its version, so the version lives as long as the value, wherever the value is stored. A copy
 * takes another pin, a move takes the pin over, and the destructor releases it, on any thread. Each
 * call that makes a version opens a scope of its memory (pqt_scope_begin), makes the version, pins
 * it, and ends the scope. So no version without a pin exists at a point where a heap may reclaim.
 * The pointer that get() returns is not pinned: it is valid as long as a value holds that version.
 *
 * **A moved-from value** can be assigned to, compared and destroyed. Any other use throws
 * pqt::moved_from. Two moved-from values are equal.
 *
 * **Memories.** Versions live in pqt::default_memory() unless another memory is given. That is a
 * heap (pqt/heap.h), so no collector scans the program or sends it signals. In this heap and in
 * those of pqt::memory, each call that makes a version reclaims a few of the blocks that no pin
 * holds.
 *
 * **Errors.** A call that fails throws pqt::error, or pqt::out_of_memory, which is a
 * std::bad_alloc, and leaves all versions unchanged. Misuse, such as an id function on a tree
 * without unique ids, stops the program with a message, as in C (pqt/error.h).
 *
 * **Visitors** are callables. One that returns void visits all; one that returns a bool stops at
 * false. An exception that a visitor throws ends the visit and leaves the call that began it. No
 * exception passes through the C library: it is caught, carried past, and rethrown. A visit takes a
 * pin of its own, so the visitor may assign to the value that is visited. If there is no memory for
 * the pin, the visit throws out_of_memory.
 *
 * **Threads.** Different values may be used by different threads at once, even if they hold the
 * same version. Several threads may read one value, but not while another assigns to it, as with
 * std::shared_ptr. Two threads may make versions in one heap at once. In the collector's memory a
 * thread must be attached (pqt/memory.h).
 */
#ifndef PQT_HPP
#define PQT_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L
#include <ranges>
#include <span>
#endif

#include <pqt.h>

namespace pqt
{

/** A failure of the library: what() is the library's message, which names value and place. */
class error : public std::runtime_error
{
  public:
    /** Makes the exception for a failure. @param from an error that is set */
    explicit error(const pqt_error &from)
        : std::runtime_error(from.text), code_(from.status), index_(from.index)
    {
    }

    /** @return the kind of failure; never PQT_OK or PQT_ERROR_MEMORY */
    pqt_status code() const noexcept
    {
        return code_;
    }

    /** @return the index of the faulty element in the caller's array; 0 without one */
    std::size_t index() const noexcept
    {
        return index_;
    }

  private:
    pqt_status code_;
    std::size_t index_;
};

/**
 * PQT_ERROR_MEMORY: no memory, or the limit of the heap or arena is reached.
 *
 * It is a std::bad_alloc and not a pqt::error, for two reasons: code that handles exhausted memory
 * catches std::bad_alloc, which std::vector throws in the same calls; and throwing it allocates no
 * string. It cannot be both, since `catch (std::exception &)` would then be ambiguous.
 */
class out_of_memory : public std::bad_alloc
{
  public:
    /** Makes the exception for a failure. @param from an error that is set */
    explicit out_of_memory(const pqt_error &from) noexcept : from_(from)
    {
    }

    /** @return the library's message */
    const char *what() const noexcept override
    {
        return from_.text;
    }

    /** @return PQT_ERROR_MEMORY */
    pqt_status code() const noexcept
    {
        return from_.status;
    }

  private:
    pqt_error from_;
};

/** A value was used after it was moved from. */
class moved_from : public std::logic_error
{
  public:
    /** Makes the exception. */
    moved_from() : std::logic_error("pqt: the value was moved from")
    {
    }
};

/**
 * A read-only view of an array of the caller, like std::span<const T>. It is made implicitly from a
 * std::vector, std::array, std::span, C array or braced list, and is meant for parameters: it does
 * not own what it views.
 */
template <class T> class array_view
{
  public:
    using value_type = T;       /**< the type of an element */
    using iterator = const T *; /**< the type of an iterator */

    /** Views nothing. */
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

    /** Views a braced list, until the end of the full expression. @param list the elements */
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

    /** @return the first element; null if there are none */
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

    /** @return the first element */
    constexpr const T *begin() const noexcept
    {
        return data_;
    }

    /** @return one beyond the last element */
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

class memory;
class memory_ref;
memory_ref default_memory();

/** Not for users: the parts that all classes share. */
namespace detail
{

[[noreturn]] inline void
raise(const pqt_error &failure)
{
    if (failure.status == PQT_ERROR_MEMORY)
        throw out_of_memory(failure);
    throw error(failure);
}

[[noreturn]] inline void
raise(pqt_status status, const char *text)
{
    pqt_error failure = {};
    failure.status = status;
    std::snprintf(failure.text, sizeof failure.text, "%s", text);
    raise(failure);
}

/* A callable as the context of a C callback. It keeps the exception that the callable throws. */
template <class F> class callback
{
  public:
    explicit callback(F &function) noexcept : function_(&function)
    {
    }

    /* Returns whether to continue: false after an exception. */
    template <class... Arguments> bool visit(Arguments &&...arguments) noexcept
    {
        try {
            if constexpr (std::is_void_v<std::invoke_result_t<F &, Arguments...>>) {
                std::invoke(*function_, std::forward<Arguments>(arguments)...);
                return true;
            } else {
                return static_cast<bool>(
                    std::invoke(*function_, std::forward<Arguments>(arguments)...));
            }
        } catch (...) {
            thrown_ = std::current_exception();
            return false;
        }
    }

    /* Like visit, for a filter: after an exception it accepts nothing and is not called again. */
    template <class... Arguments> bool accepts(Arguments &&...arguments) noexcept
    {
        return thrown_ == nullptr && visit(std::forward<Arguments>(arguments)...);
    }

    /* Returns what the callable decides; `failed` after an exception. */
    template <class Answer, class... Arguments>
    Answer decide(Answer failed, Arguments &&...arguments) noexcept
    {
        try {
            return std::invoke(*function_, std::forward<Arguments>(arguments)...);
        } catch (...) {
            thrown_ = std::current_exception();
            return failed;
        }
    }

    void rethrow() const
    {
        if (thrown_ != nullptr)
            std::rethrow_exception(thrown_);
    }

    static callback &of(void *context) noexcept
    {
        return *static_cast<callback *>(context);
    }

  private:
    F *function_;
    std::exception_ptr thrown_;
};

template <class F> callback(F &) -> callback<F>;

/* A scope of the calling thread; see pqt_scope_begin. */
class scope
{
  public:
    scope(pqt_memory *memory, pqt_error *failure) noexcept
        : memory_(pqt_scope_begin(memory, failure) ? memory : nullptr)
    {
    }

    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;

    ~scope()
    {
        if (memory_ != nullptr)
            pqt_scope_end(memory_);
    }

    explicit operator bool() const noexcept
    {
        return memory_ != nullptr;
    }

  private:
    pqt_memory *memory_;
};

/* The functions of the C library for one kind of version. */
template <class V> struct kind;

#define PQTI_KIND(name)                                                                            \
    template <> struct kind<pqt_##name> {                                                          \
        static constexpr auto pin = pqt_##name##_pin;                                              \
        static constexpr auto equals = pqt_##name##_equals;                                        \
        static constexpr auto hash = pqt_##name##_fingerprint;                                     \
        static constexpr auto check = pqt_##name##_check;                                          \
        static constexpr auto copy = pqt_##name##_copy;                                            \
        static constexpr auto write = pqt_##name##_write;                                          \
        static constexpr auto read = pqt_##name##_read;                                            \
        static constexpr auto save = pqt_##name##_save;                                            \
        static constexpr auto load = pqt_##name##_load;                                            \
        static constexpr auto exclusive = pqt_##name##_exclusive_bytes;                            \
        static constexpr const char *text = #name "s";                                             \
        static pqt_memory *home(const pqt_##name *version)                                         \
        {                                                                                          \
            PQTI_HOME_OF_##name                                                                    \
        }                                                                                          \
    };
#define PQTI_HOME_OF_tree return pqt_tree_memory(version);
#define PQTI_HOME_OF_region return pqt_region_memory(version);
#define PQTI_HOME_OF_world return pqt_world_memory(version);
#define PQTI_HOME_OF_document return pqt_document_memory(version);
#define PQTI_HOME_OF_map                                                                           \
    pqt_map_options options = PQT_MAP_DEFAULTS;                                                    \
    pqt_map_get_options(version, &options);                                                        \
    return options.memory;
PQTI_KIND(tree)
PQTI_KIND(map)
PQTI_KIND(region)
PQTI_KIND(world)
PQTI_KIND(document)
#undef PQTI_KIND
#undef PQTI_HOME_OF_tree
#undef PQTI_HOME_OF_map
#undef PQTI_HOME_OF_region
#undef PQTI_HOME_OF_world
#undef PQTI_HOME_OF_document

/* The maximum number of blocks that a call that makes a version may reclaim: `steps_per_edit` for a
   single edit, and `steps_per_element` more for each element of a batch or a bulk load. A cycle
   marks and sweeps about five blocks for each block that was allocated, and an edit allocates about
   ten. */
constexpr std::size_t steps_per_edit = 64;
constexpr std::size_t steps_per_element = 4;

constexpr std::size_t
steps_for(std::size_t elements) noexcept
{
    return steps_per_edit + steps_per_element * elements;
}

} // namespace detail

/**
 * A memory that someone else owns: a pointer, and whether the calls of this header reclaim in it.
 * It is made implicitly from a pqt::memory or from a pqt_memory.
 */
class memory_ref
{
  public:
    /**
     * Refers to a memory of the C library: a heap, an arena or the collector. Calls of this header
     * never reclaim in it by themselves, because C code may use versions in it that have no pins.
     *
     * @param given if null, default_memory(), in which they do
     * @throws out_of_memory  if the default memory is needed and cannot be made
     */
    memory_ref(pqt_memory *given)
        : memory_ref(given != nullptr ? memory_ref(given, false) : default_memory())
    {
    }

    /** Refers to the default memory. @throws out_of_memory if it cannot be made */
    memory_ref() : memory_ref(nullptr)
    {
    }

    /** Refers to an owner's memory. @param owner it must outlive all versions in it */
    inline memory_ref(const memory &owner);

    /** @return the memory, for C functions; never null */
    pqt_memory *get() const noexcept
    {
        return memory_;
    }

    /** @return whether calls of this header that make a version reclaim in it */
    bool reclaims() const noexcept
    {
        return reclaims_;
    }

  private:
    friend memory_ref default_memory();
    friend class memory;

    memory_ref(pqt_memory *given, bool reclaims) noexcept : memory_(given), reclaims_(reclaims)
    {
    }

    pqt_memory *memory_;
    bool reclaims_;
};

/**
 * Returns the memory of versions for which none is given: one heap of the whole program, made at
 * the first call and never destroyed, so versions in static variables may be destroyed at any time.
 * It is not pqt_default_memory, which may be the collector.
 *
 * @return  the memory
 * @throws  out_of_memory  if it cannot be made; a later call tries again
 */
#if defined(__GNUC__) || defined(__clang__)
__attribute__((visibility("default")))
#endif
inline memory_ref
default_memory()
{
    static pqt_memory *const heap = [] {
        pqt_error failure = {};
        pqt_heap_options options = PQT_HEAP_DEFAULTS;
        options.reclaim_at_push = true;
        pqt_memory *const made = pqt_heap_make(&options, &failure);
        if (made == nullptr)
            detail::raise(failure);
        return made;
    }();
    return memory_ref(heap, true);
}

/** The options of a heap; the fields are those of pqt_heap_options. */
struct heap_options : pqt_heap_options {
    /** Sets the defaults of C, but reclaim_at_push is true. If it is set to false, the heap
        reclaims only in memory::reclaim. */
    heap_options() : pqt_heap_options(PQT_HEAP_DEFAULTS)
    {
        reclaim_at_push = true;
    }
};

/**
 * Owns a heap or an arena. As with std::pmr::memory_resource, the memory must outlive all values,
 * histories and recordings in it; if not, the destructor stops the program with a message.
 */
class memory
{
  public:
    /** Makes a heap. @throws out_of_memory */
    memory() : memory(heap_options())
    {
    }

    /**
     * Makes a heap.
     *
     * @param options  its options
     * @throws error   PQT_ERROR_OPTION: the growth is out of range
     * @throws out_of_memory
     */
    explicit memory(const heap_options &options) : heap_(true), reclaims_(options.reclaim_at_push)
    {
        pqt_error failure = {};
        memory_ = pqt_heap_make(&options, &failure);
        if (memory_ == nullptr)
            detail::raise(failure);
    }

    /**
     * Makes an arena, which frees all its versions at once and reclaims none before.
     *
     * @param limit  the maximum number of bytes that it may take; 0: no limit
     * @return       the arena
     * @throws out_of_memory
     */
    [[nodiscard]] static memory arena(std::size_t limit = 0)
    {
        pqt_error failure = {};
        pqt_memory *const made = pqt_arena_make(limit, &failure);
        if (made == nullptr)
            detail::raise(failure);
        return memory(made);
    }

    /** Takes over a memory; values in it are not affected. @param from owns none afterwards */
    memory(memory &&from) noexcept
        : memory_(std::exchange(from.memory_, nullptr)), heap_(from.heap_),
          reclaims_(from.reclaims_)
    {
    }

    /**
     * Destroys the memory and takes over another one.
     *
     * @param from  owns none afterwards
     * @return      *this
     */
    memory &operator=(memory &&from) noexcept
    {
        memory taken(std::move(from));
        std::swap(memory_, taken.memory_);
        std::swap(heap_, taken.heap_);
        std::swap(reclaims_, taken.reclaims_);
        return *this;
    }

    memory(const memory &) = delete;
    memory &operator=(const memory &) = delete;

    /** Destroys the memory. @cost O(bytes / 1 MiB), independent of the number of versions */
    ~memory()
    {
        if (memory_ != nullptr && heap_)
            pqt_heap_destroy(&memory_);
        else if (memory_ != nullptr)
            pqt_arena_destroy(&memory_);
    }

    /** @return the memory, for C functions; null if it was moved from */
    pqt_memory *get() const noexcept
    {
        return memory_;
    }

    /**
     * Reclaims versions that nothing holds; see pqt_memory_reclaim.
     *
     * @param blocks  the maximum number of steps; if omitted, there is no limit
     * @return        whether no cycle is left open
     * @throws moved_from
     */
    bool reclaim(std::size_t blocks = PQT_RECLAIM_ALL)
    {
        return pqt_memory_reclaim(checked(), blocks);
    }

    /** @return the statistics of the memory @throws moved_from */
    pqt_memory_stats stats() const
    {
        return pqt_memory_get_stats(checked());
    }

  private:
    friend class memory_ref;

    explicit memory(pqt_memory *arena) noexcept : memory_(arena), heap_(false), reclaims_(false)
    {
    }

    pqt_memory *checked() const
    {
        if (memory_ == nullptr)
            throw moved_from();
        return memory_;
    }

    pqt_memory *memory_ = nullptr;
    bool heap_;
    bool reclaims_;
};

inline memory_ref::memory_ref(const memory &owner)
    : memory_(owner.checked()), reclaims_(owner.reclaims_)
{
}

/**
 * The common base of trees, maps, regions, worlds and documents: a version and its pin.
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

    /** @return the version, for C functions: valid while a value holds it @throws moved_from */
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

    /** @return the memory in which its versions live */
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
        pqt_memory *const memory = detail::kind<V>::home(version);
        const memory_ref standard = default_memory();
        return adopt(version, pin(version),
                     standard.get() == memory ? standard : memory_ref(memory));
    }

    /**
     * Returns 128 bits that represent the value.
     *
     * @return  the fingerprint of the value: equal for equal values, on every machine
     * @throws  moved_from
     * @cost    O(1); for a document, O(parts)
     */
    pqt_fingerprint fingerprint() const
    {
        return detail::kind<V>::hash(get());
    }

    /**
     * Returns whether both values hold the same version.
     *
     * @return whether both hold the same version: true implies ==
     * @param other  the other value
     */
    bool is_same(const value &other) const noexcept
    {
        return version_ == other.version_;
    }

    /**
     * Validates every invariant.
     *
     * @throws  error PQT_ERROR_CORRUPT: the library has a bug, or memory was overwritten
     * @throws  moved_from
     */
    void check() const
    {
        pqt_error failure = {};
        if (!detail::kind<V>::check(get(), &failure))
            detail::raise(failure);
    }

    /**
     * Copies the version into another memory.
     *
     * @param memory  where the copy lives
     * @return        an equal value; it holds the same version if that is already in the memory
     * @throws out_of_memory, moved_from
     * @cost O(blocks)
     */
    [[nodiscard]] Derived copy_to(memory_ref memory) const
    {
        const V *const version = get();
        return make(memory, detail::steps_per_edit, [&](pqt_error *failure) {
            return detail::kind<V>::copy(version, memory.get(), failure);
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
        std::vector<std::byte> bytes;
        auto append = [&](const void *first, std::size_t count) {
            const auto *const begin = static_cast<const std::byte *>(first);
            bytes.insert(bytes.end(), begin, begin + count);
        };
        detail::callback call(append);
        pqt_error failure = {};
        const bool written = detail::kind<V>::write(
            get(),
            [](const void *first, std::size_t count, void *context) {
                return decltype(call)::of(context).visit(first, count);
            },
            &call, &failure);
        call.rethrow();
        if (!written)
            detail::raise(failure);
        return bytes;
    }

    /**
     * Reads a value from bytes that hold nothing else.
     *
     * @param bytes   as to_bytes returns them
     * @param memory  where the version lives
     * @return        the value
     * @throws error  PQT_ERROR_FORMAT: other or damaged bytes, or bytes after the value; index() is
     *                the byte
     * @throws out_of_memory
     * @cost O(n log n)
     */
    [[nodiscard]] static Derived from_bytes(array_view<std::byte> bytes, memory_ref memory = {})
    {
        const std::byte *next = bytes.begin();
        Derived read = make(memory, detail::steps_for(bytes.size() / 64), [&](pqt_error *failure) {
            struct source {
                const std::byte *next, *end;
            } from = {bytes.begin(), bytes.end()};
            const V *const version = detail::kind<V>::read(
                [](void *room, std::size_t capacity, std::size_t *count, void *context) {
                    auto &left = *static_cast<source *>(context);
                    const auto size = static_cast<std::size_t>(left.end - left.next);
                    *count = size < capacity ? size : capacity;
                    if (*count > 0)
                        std::memcpy(room, left.next, *count);
                    left.next += *count;
                    return true;
                },
                &from, memory.get(), failure);
            next = from.next;
            return version;
        });
        if (next != bytes.end()) {
            pqt_error failure = {};
            failure.status = PQT_ERROR_FORMAT;
            failure.index = static_cast<std::size_t>(next - bytes.begin());
            std::snprintf(failure.text, sizeof failure.text, "byte %zu: bytes follow the version",
                          failure.index);
            detail::raise(failure);
        }
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
        if (!detail::kind<V>::save(get(), path.c_str(), &failure))
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
        return make(memory, detail::steps_per_edit, [&](pqt_error *failure) {
            return detail::kind<V>::load(path.c_str(), memory.get(), failure);
        });
    }

    /**
     * Counts the bytes of the blocks that no given version shares: the cost of this one.
     *
     * @param others  other values; none: all bytes are counted
     * @return        bytes
     * @throws std::bad_alloc, moved_from
     */
    std::size_t exclusive_bytes(array_view<Derived> others = {}) const
    {
        std::vector<const V *> versions;
        versions.reserve(others.size());
        for (const Derived &other : others)
            versions.push_back(other.get());
        pqt_error failure = {};
        std::size_t bytes = 0;
        if (!detail::kind<V>::exclusive(get(), versions.data(), versions.size(), &bytes, &failure))
            detail::raise(failure);
        return bytes;
    }

    /**
     * Compares two values. They are equal if their contents, bounds and options are, in whatever
     * memories they live.
     *
     * @param a  one value
     * @param b  the other one
     * @return   whether they are equal; moved-from values equal each other
     * @cost     O(1) if they hold one version; otherwise O(blocks that they do not share)
     */
    friend bool operator==(const Derived &a, const Derived &b)
    {
        const value &left = a, &right = b;
        return left.version_ == right.version_ ||
               (left.version_ != nullptr && right.version_ != nullptr &&
                detail::kind<V>::equals(left.version_, right.version_));
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
    /** A value that takes over a version and its pin. */
    value(const V *version, pqt_pin *pin, memory_ref home) noexcept
        : version_(version), pin_(pin), home_(home)
    {
    }

    /**
     * Makes a version and pins it, in a scope; then reclaims at most `steps` blocks. If memory is
     * exhausted, reclaims what nothing holds and tries once more.
     */
    template <class F>
    [[nodiscard]] static Derived make(memory_ref home, std::size_t steps, F &&function)
    {
        for (bool is_last = !home.reclaims();; is_last = true) {
            pqt_error failure = {};
            if (pqt_pin *const pin = make_pinned(home, function, &failure)) {
                Derived made = adopt(version_of(pin), pin, home);
                if (home.reclaims())
                    (void)pqt_memory_reclaim(home.get(), steps);
                return made;
            }
            if (is_last || failure.status != PQT_ERROR_MEMORY)
                detail::raise(failure);
            (void)pqt_memory_reclaim(home.get(), PQT_RECLAIM_ALL);
        }
    }

    /** Like make, for a version that is made from this one. */
    template <class F> [[nodiscard]] Derived edit(std::size_t steps, F &&function) const
    {
        const V *const version = get();
        return make(home_, steps, [&](pqt_error *failure) { return function(version, failure); });
    }

    /** Like make, for a function that calls back: rethrows the exception that `call` caught, and
        does not try again. */
    template <class Call, class F>
    [[nodiscard]] static Derived make_calling(memory_ref home, Call &call, F &&function)
    {
        pqt_error failure = {};
        pqt_pin *pin = make_pinned(home, function, &failure);
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
        if (pin == nullptr)
            detail::raise(failure);
        return adopt(version_of(pin), pin, home);
    }

    /**
     * A second value that holds this version. A function that calls back works on it, because the
     * callback may assign to *this and reclaim.
     */
    [[nodiscard]] Derived held() const
    {
        return hold(get(), home_);
    }

    /** A value that holds a part of this version. */
    template <class T>
    [[nodiscard]] static T part_of(const typename T::c_type *version, memory_ref home)
    {
        return T::hold(version, home);
    }

    /** A value that takes its own pin on a version, which another value holds or contains. */
    [[nodiscard]] static Derived hold(const V *version, memory_ref home)
    {
        return adopt(version, pin(version), home);
    }

  private:
    template <class D, class W> friend class value;
    template <class T> friend class history;
    friend class recording;
    friend class document;

    template <class F>
    static pqt_pin *make_pinned(memory_ref home, F &function, pqt_error *failure) noexcept
    {
        const detail::scope open(home.get(), failure);
        const V *const made = open ? function(failure) : nullptr;
        return made != nullptr ? detail::kind<V>::pin(made, failure) : nullptr;
    }

    static pqt_pin *pin(const V *version)
    {
        pqt_error failure = {};
        pqt_pin *const made = detail::kind<V>::pin(version, &failure);
        if (made == nullptr)
            detail::raise(failure);
        return made;
    }

    static const V *version_of(const pqt_pin *pin)
    {
        if constexpr (std::is_same_v<V, pqt_tree>)
            return pqt_pin_get_tree(pin);
        else if constexpr (std::is_same_v<V, pqt_map>)
            return pqt_pin_get_map(pin);
        else if constexpr (std::is_same_v<V, pqt_region>)
            return pqt_pin_get_region(pin);
        else if constexpr (std::is_same_v<V, pqt_world>)
            return pqt_pin_get_world(pin);
        else
            return pqt_pin_get_document(pin);
    }

    static Derived adopt(const V *version, pqt_pin *pin, memory_ref home)
    {
        return Derived(value(version, pin, home));
    }

    const V *version_ = nullptr;
    pqt_pin *pin_ = nullptr;
    memory_ref home_;
};

/**
 * A window or a convex shape, and the relation that items must have to it. A box converts to it
 * implicitly, and then matches the items that touch the box. It copies the shape, so it may be
 * kept.
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
     * Matches the items in a relation to a window.
     *
     * @param window    world units; sides may be infinite; a NaN or inverted one matches nothing
     * @param relation  the relation of an item to the window
     */
    query(const pqt_box &window, pqt_relation relation = PQT_TOUCHES) noexcept
        : query_(pqt_query_all())
    {
        query_.window = window;
        query_.relation = relation;
    }

    /**
     * Matches the items in a relation to a convex shape.
     *
     * @param shape     a valid shape; otherwise the program stops
     * @param relation  the relation of an item to the shape
     */
    query(const pqt_convex &shape, pqt_relation relation = PQT_TOUCHES) noexcept
        : query_(pqt_query_all()), convex_(shape)
    {
        query_.relation = relation;
    }

    /** Matches like a pqt_query. @param from its convex is copied */
    query(const pqt_query &from) noexcept : query_(from)
    {
        if (from.convex != nullptr)
            convex_ = *from.convex;
    }

    /**
     * Counts the work of queries.
     *
     * @param stats  increased by each call; it must outlive the query; null: no counts
     * @return       *this
     */
    query &count_work(pqt_query_stats *stats) noexcept
    {
        query_.stats = stats;
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
 * Matches items with a point in common with a window: `intersects` of Boost.Geometry.
 *
 * @param shape  a box or a convex
 * @return       the query
 */
template <class Shape>
query
touches(const Shape &shape)
{
    return query(shape, PQT_TOUCHES);
}

/**
 * Matches items whose interior meets that of a window.
 *
 * @param shape  a box or a convex
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
 * @param shape  a box or a convex
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
 * @param shape  a box or a convex
 * @return       the query
 */
template <class Shape>
query
covers(const Shape &shape)
{
    return query(shape, PQT_COVERS);
}

/** The options of a tree, common to all its versions; see pqt_tree_options. */
struct tree_options {
    int leaf_capacity = 24;        /**< the most items in a leaf, 1..PQT_MAX_CAPACITY */
    int max_depth = 24;            /**< the most halvings of the bounds, 0..PQT_MAX_DEPTH */
    bool strict_bounds = false;    /**< refuse items outside the bounds */
    bool unique_ids = false;       /**< an id occurs once: inserting it again replaces its item */
    bool ids_are_pointers = false; /**< ids point into the collector's memory, which it needs */
};

namespace detail
{

/* Calls a C function that visits, with a query and its filter, and rethrows. */
template <class Filter> class filtered
{
  public:
    filtered(const query &from, Filter &filter) : raw_(from.raw()), call_(filter)
    {
        raw_.context = &call_;
        raw_.filter = [](const pqt_item *item, void *context) {
            return callback<Filter>::of(context).accepts(*item);
        };
    }

    filtered(const filtered &) = delete;
    filtered &operator=(const filtered &) = delete;

    const pqt_query *raw() const noexcept
    {
        return &raw_;
    }

    void rethrow() const
    {
        call_.rethrow();
    }

  private:
    pqt_query raw_;
    callback<Filter> call_;
};

} // namespace detail

class tree;

/**
 * The items of a version that match a query, for one loop over them:
 *
 *     for (const pqt_item &item : tree.window(box))
 *         ...
 *
 * The range holds a pin, so the version lives as long as the range, whatever happens to the tree.
 * It takes about 2 kB and allocates nothing but the pin. It is an input range: begin() starts from
 * the first match and ends earlier loops over the same range. Iterators are valid as long as the
 * range, which must not be moved in the meantime; begin() of a temporary range does not compile.
 */
class item_range;

/**
 * A version of a tree: an immutable set of items. Edits return other versions.
 *
 *     pqt::tree tree(pqt_box{{0, 0}, {100, 100}});
 *     tree = tree.insert({{{10, 20}, {30, 30}}, 1});
 *
 * A value takes 32 bytes on a 64-bit system, and its pin 16. docs/cpp.md has the costs.
 */
class tree : public value<tree, pqt_tree>
{
  public:
    /**
     * Makes an empty tree.
     *
     * @param bounds   the rectangle that the tree divides, world units, finite; items may lie
     *                 outside
     * @param options  the options of all its versions
     * @param memory   where its versions live
     * @throws error   PQT_ERROR_BOX, PQT_ERROR_OPTION
     * @throws out_of_memory
     */
    explicit tree(const pqt_box &bounds, const tree_options &options = {}, memory_ref memory = {})
        : tree(make(memory, detail::steps_per_edit, [&](pqt_error *failure) {
              const pqt_tree_options full = full_options(options, memory);
              return pqt_tree_make(bounds, &full, failure);
          }))
    {
    }

    /**
     * Makes an empty tree with the default options.
     *
     * @param bounds  the rectangle that the tree divides, world units
     * @param memory  where its versions live
     * @throws error  PQT_ERROR_BOX
     * @throws out_of_memory
     */
    tree(const pqt_box &bounds, memory_ref memory) : tree(bounds, tree_options(), memory)
    {
    }

    /**
     * Makes a tree from items, in bulk; see pqt_tree_of.
     *
     * @param items    in any order
     * @param options  the options of all its versions
     * @param memory   where its versions live
     * @return         the tree; its bounds are the smallest box around the items
     * @throws error   PQT_ERROR_BOX (index() is the item), PQT_ERROR_OPTION, PQT_ERROR_LIMIT
     * @throws out_of_memory
     * @cost  O(n log n), O(n) for items spread evenly
     */
    [[nodiscard]] static tree of(array_view<pqt_item> items, const tree_options &options = {},
                                 memory_ref memory = {})
    {
        const pqt_tree_options full = full_options(options, memory);
        return make(memory, detail::steps_for(items.size()), [&](pqt_error *failure) {
            return pqt_tree_of(items.data(), items.size(), &full, failure);
        });
    }

    /** @name Edits: each returns a version; *this is unchanged. All throw out_of_memory and
        moved_from. */
    /** @{ */

    /**
     * Inserts an item. With unique ids, an item with the same id is replaced.
     *
     * @param item  a box, world units, finite, and an id
     * @return      the version with the item
     * @throws      error PQT_ERROR_BOX, PQT_ERROR_BOUNDS, PQT_ERROR_LIMIT
     * @cost        O(depth)
     */
    [[nodiscard]] tree insert(const pqt_item &item) const
    {
        return edit(detail::steps_per_edit, [&](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_insert(from, item, failure);
        });
    }

    /**
     * Inserts items, all or none.
     *
     * @param items  the items to insert
     * @return       the version with the items
     * @throws       error: see insert; index() is the item, and none is inserted
     */
    [[nodiscard]] tree insert_all(array_view<pqt_item> items) const
    {
        return edit(detail::steps_for(items.size()), [&](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_insert_all(from, items.data(), items.size(), failure);
        });
    }

    /**
     * Removes an item.
     *
     * @param item  box and id must match
     * @return      the version without the item; an equal one if it is absent
     * @cost        O(depth)
     */
    [[nodiscard]] tree remove(const pqt_item &item) const
    {
        return edit(detail::steps_per_edit, [&](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_remove(from, item, failure);
        });
    }

    /**
     * Removes items.
     *
     * @param items the items to remove; absent ones are ignored
     * @return the version without them
     */
    [[nodiscard]] tree remove_all(array_view<pqt_item> items) const
    {
        return edit(detail::steps_for(items.size()), [&](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_remove_all(from, items.data(), items.size(), failure);
        });
    }

    /**
     * Removes the item with an id. Needs unique ids.
     *
     * @param id  the id of an item
     * @return    the version without the item with this id
     */
    [[nodiscard]] tree remove_id(std::uint64_t id) const
    {
        return edit(detail::steps_per_edit, [&](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_remove_id(from, id, failure);
        });
    }

    /**
     * Replaces the box of an item and keeps its id.
     *
     * @param item  as it is now
     * @param to    its new box
     * @return      the version in which it has that box; an equal one if the item is absent
     * @throws      error PQT_ERROR_BOX, PQT_ERROR_BOUNDS
     * @cost        O(depth)
     */
    [[nodiscard]] tree move(const pqt_item &item, const pqt_box &to) const
    {
        return edit(detail::steps_per_edit, [&](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_move(from, item, to, failure);
        });
    }

    /**
     * Moves the item with an id. Needs unique ids.
     *
     * @param id  the id of an item
     * @param to  its new box
     * @return    the version in which it has that box
     * @throws    error: see move
     */
    [[nodiscard]] tree move_id(std::uint64_t id, const pqt_box &to) const
    {
        return edit(detail::steps_per_edit, [&](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_move_id(from, id, to, failure);
        });
    }

    /**
     * Applies changes as if one by one, all or none; pqt::batch collects them.
     *
     * @param changes  in order
     * @return         the version after them
     * @throws         error: see the single edits; index() is the change
     * @cost           one descent for all
     */
    [[nodiscard]] tree apply(array_view<pqt_change> changes) const
    {
        return edit(detail::steps_for(changes.size()),
                    [&](const pqt_tree *from, pqt_error *failure) {
                        return pqt_tree_apply(from, changes.data(), changes.size(), failure);
                    });
    }

    /**
     * Removes all items.
     *
     * @return the empty version with the same bounds and options
     * @cost O(1)
     */
    [[nodiscard]] tree clear() const
    {
        return edit(detail::steps_per_edit, [](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_clear(from, failure);
        });
    }

    /**
     * Keeps the items that match, in a version with the same bounds.
     *
     * @param query  selects the items to keep
     * @return       the version
     * @throws       error PQT_ERROR_BOX: the window is NaN or inverted
     * @cost         O(nodes that the window's edge crosses); what is inside is shared
     */
    [[nodiscard]] tree search(const query &query) const
    {
        const pqt_query raw = query.raw();
        return edit(detail::steps_per_edit, [&](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_search(from, &raw, failure);
        });
    }

    /**
     * Like search, for items that a filter also accepts.
     *
     * @param query  selects the items to keep
     * @param filter  takes a const pqt_item & and returns a bool
     * @return        the version
     * @throws        what the filter throws
     */
    template <class Filter> [[nodiscard]] tree search(const query &query, Filter &&filter) const
    {
        detail::filtered call(query, filter);
        const pqt_tree *const from = get();
        return make_calling(home(), call, [&](pqt_error *failure) {
            return pqt_tree_search(from, call.raw(), failure);
        });
    }

    /**
     * Restores a window to its state in an older version: undo within a window.
     *
     * @param old    the older version, in the same memory
     * @param query  selects the items
     * @return       the version; see pqt_tree_restore
     * @throws       error PQT_ERROR_BOX, PQT_ERROR_MISMATCH, PQT_ERROR_LIMIT
     */
    [[nodiscard]] tree restore(const tree &old, const query &query) const
    {
        const pqt_query raw = query.raw();
        const pqt_tree *const past = old.get();
        return edit(detail::steps_per_edit, [&](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_restore(from, past, &raw, failure);
        });
    }
    /** @} */

    /** @name Reading: these allocate nothing unless they return a vector. All throw moved_from. */
    /** @{ */

    /**
     * Counts the items.
     *
     * @return the number of items
     * @cost O(1)
     */
    std::size_t size() const
    {
        return pqt_tree_count(get());
    }

    /** @return whether there are no items */
    bool empty() const
    {
        return size() == 0;
    }

    /**
     * Returns the bounds.
     *
     * @return the rectangle that the tree divides, world units
     */
    pqt_box bounds() const
    {
        return pqt_tree_bounds(get());
    }

    /**
     * Returns the options.
     *
     * @return the options of all its versions
     */
    tree_options options() const
    {
        pqt_tree_options full = PQT_TREE_DEFAULTS;
        pqt_tree_get_options(get(), &full);
        return {full.leaf_capacity, full.max_depth, full.strict_bounds, full.unique_ids,
                full.ids_are_pointers};
    }

    /**
     * Counts the nodes and bytes of the version.
     *
     * @return the statistics of the version
     * @cost O(nodes)
     */
    pqt_tree_stats stats() const
    {
        return pqt_tree_get_stats(get());
    }

    /**
     * Returns whether the version contains an item.
     *
     * @param item  a box and an id
     * @return      whether the version contains it
     * @cost        O(depth)
     */
    bool contains(const pqt_item &item) const
    {
        return pqt_tree_contains(get(), item);
    }

    /**
     * Finds the item with an id. Needs unique ids.
     *
     * @param id  the id of an item
     * @return    the item; none if no item has the id
     */
    std::optional<pqt_item> find(std::uint64_t id) const
    {
        pqt_item found;
        return pqt_tree_find(get(), id, &found) ? std::optional<pqt_item>(found) : std::nullopt;
    }

    /**
     * Loops over the items that match.
     *
     * @param query  selects the items
     * @return       the items, one by one, in tree order
     * @throws       out_of_memory
     * @cost         O(log n + matches) for the whole loop
     */
    [[nodiscard]] item_range window(const query &query) const;

    /**
     * Loops over all items.
     *
     * @return all items, one by one, in tree order
     * @throws out_of_memory
     */
    [[nodiscard]] item_range items() const;

    /**
     * Visits the items that match, in tree order. It is faster than a loop over window().
     *
     * @param query  selects the items
     * @param visitor  takes a const pqt_item &
     * @return         false if the visitor stopped it
     * @throws         what the visitor throws
     */
    template <class Visitor> bool visit(const query &query, Visitor &&visitor) const
    {
        const pqt_query raw = query.raw();
        const auto self = this->held();
        detail::callback call(visitor);
        const bool all = pqt_tree_visit(
            self.get(), &raw,
            [](const pqt_item *item, void *context) {
                return decltype(call)::of(context).visit(*item);
            },
            &call);
        call.rethrow();
        return all;
    }

    /**
     * Visits the ids of the items that match, several at a time.
     *
     * @param query  selects the items
     * @param visitor  takes an array_view<std::uint64_t>, valid during the call
     * @return         false if the visitor stopped it
     * @throws         what the visitor throws
     * @cost           about a third of visit's time for large windows
     */
    template <class Visitor> bool visit_ids(const query &query, Visitor &&visitor) const
    {
        const pqt_query raw = query.raw();
        const auto self = this->held();
        detail::callback call(visitor);
        const bool all = pqt_tree_visit_ids(
            self.get(), &raw,
            [](const std::uint64_t *ids, std::size_t count, void *context) {
                return decltype(call)::of(context).visit(array_view<std::uint64_t>(ids, count));
            },
            &call);
        call.rethrow();
        return all;
    }

    /**
     * Counts the items that match.
     *
     * @param query  selects the items
     * @return       the number of matches
     * @cost         O(nodes that the window's edge crosses)
     */
    std::size_t count(const query &query) const
    {
        const pqt_query raw = query.raw();
        return pqt_tree_count_in(get(), &raw);
    }

    /**
     * Counts the items that match and that a filter accepts.
     *
     * @param query  selects the items
     * @param filter  takes a const pqt_item & and returns a bool
     * @return        the number of items that match and are accepted
     * @throws        what the filter throws
     */
    template <class Filter> std::size_t count(const query &query, Filter &&filter) const
    {
        const tree self = held();
        detail::filtered call(query, filter);
        const std::size_t count = pqt_tree_count_in(self.get(), call.raw());
        call.rethrow();
        return count;
    }

    /**
     * Finds an item that matches.
     *
     * @param query  selects the items
     * @return the first match in tree order; none if there is none
     */
    std::optional<pqt_item> any(const query &query) const
    {
        const pqt_query raw = query.raw();
        pqt_item found;
        return pqt_tree_any(get(), &raw, &found) ? std::optional<pqt_item>(found) : std::nullopt;
    }

    /**
     * Finds an item that matches and that a filter accepts.
     *
     * @param query  selects the items
     * @param filter  takes a const pqt_item & and returns a bool
     * @return        the first match that is accepted
     * @throws        what the filter throws
     */
    template <class Filter> std::optional<pqt_item> any(const query &query, Filter &&filter) const
    {
        detail::filtered call(query, filter);
        pqt_item found;
        const tree self = held();
        const bool is_found = pqt_tree_any(self.get(), call.raw(), &found);
        call.rethrow();
        return is_found ? std::optional<pqt_item>(found) : std::nullopt;
    }

    /**
     * Collects the items that match.
     *
     * @param query  selects the items
     * @return       the matches, in tree order
     * @throws       std::bad_alloc
     */
    [[nodiscard]] std::vector<pqt_item> collect(const query &query = {}) const
    {
        const pqt_query raw = query.raw();
        std::vector<pqt_item> items(pqt_tree_count_in(get(), &raw));
        pqt_tree_collect(get(), &raw, items.data(), items.size());
        return items;
    }

    /**
     * Collects the ids of the items that match.
     *
     * @param query  selects the items
     * @return       the ids of the matches, in tree order
     * @throws       std::bad_alloc
     */
    [[nodiscard]] std::vector<std::uint64_t> collect_ids(const query &query = {}) const
    {
        const pqt_query raw = query.raw();
        std::vector<std::uint64_t> ids(pqt_tree_count_in(get(), &raw));
        pqt_tree_collect_ids(get(), &raw, ids.data(), ids.size());
        return ids;
    }

#if __cplusplus >= 202002L
    /**
     * Writes matches into an array (C++20).
     *
     * @param query  selects the items
     * @param room   set to the first matches
     * @return       the number of matches; if it exceeds room.size(), the rest was not written
     */
    std::size_t collect_into(const query &query, std::span<pqt_item> room) const
    {
        const pqt_query raw = query.raw();
        return pqt_tree_collect(get(), &raw, room.data(), room.size());
    }

    /**
     * Writes ids of matches into an array (C++20).
     *
     * @param query  selects the items
     * @param room   set to the first ids
     * @return       the number of matches; if it exceeds room.size(), the rest was not written
     */
    std::size_t collect_ids_into(const query &query, std::span<std::uint64_t> room) const
    {
        const pqt_query raw = query.raw();
        return pqt_tree_collect_ids(get(), &raw, room.data(), room.size());
    }
#endif

    /**
     * Finds the items nearest to a box.
     *
     * @param from          where distances are measured from, world units
     * @param count         the maximum number of items to find
     * @param max_distance  world units, inclusive
     * @return              the items and their distances, nearest first
     * @throws              std::bad_alloc
     * @cost                O(log n + count log count) for items spread evenly
     */
    [[nodiscard]] std::vector<pqt_near>
    nearest(const pqt_box &from, std::size_t count,
            double max_distance = std::numeric_limits<double>::infinity()) const
    {
        pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
        options.max_distance = max_distance;
        std::vector<pqt_near> found(count < size() ? count : size());
        found.resize(pqt_tree_nearest(get(), from, &options, found.data(), found.size()));
        return found;
    }

    /**
     * As above, from a point.
     *
     * @param from          a point, world units
     * @param count         the maximum number of items to find
     * @param max_distance  world units, inclusive
     * @return              nearest first
     * @throws              std::bad_alloc
     */
    [[nodiscard]] std::vector<pqt_near>
    nearest(const pqt_vec &from, std::size_t count,
            double max_distance = std::numeric_limits<double>::infinity()) const
    {
        return nearest(pqt_box{from, from}, count, max_distance);
    }

    /**
     * Visits items by increasing distance until the visitor stops.
     *
     * @param from     a box, world units
     * @param visitor  takes a const pqt_near &
     * @return         false if the visitor stopped it
     * @throws         what the visitor throws
     * @cost           O(k log n) for the first k items spread evenly
     */
    template <class Visitor> bool visit_nearest(const pqt_box &from, Visitor &&visitor) const
    {
        const auto self = this->held();
        detail::callback call(visitor);
        const bool all = pqt_tree_visit_nearest(
            self.get(), from, nullptr,
            [](const pqt_near *near_one, void *context) {
                return decltype(call)::of(context).visit(*near_one);
            },
            &call);
        call.rethrow();
        return all;
    }

    /**
     * Finds the first item that a segment hits.
     *
     * @param line a segment
     * @return the first item that it hits; none if there is none
     */
    std::optional<pqt_ray_hit> cast(const pqt_segment &line) const
    {
        return first_hit(pqt_cast_segment(line));
    }

    /**
     * Finds the first item that a ray hits.
     *
     * @param line a ray
     * @return the first item that it hits; none if there is none
     */
    std::optional<pqt_ray_hit> cast(const pqt_ray &line) const
    {
        return first_hit(pqt_cast_ray(line));
    }

    /**
     * Finds all items that a segment hits.
     *
     * @param line  a segment
     * @return      all hits, front to back
     * @throws      std::bad_alloc
     */
    [[nodiscard]] std::vector<pqt_ray_hit> cast_all(const pqt_segment &line) const
    {
        return all_hits(pqt_cast_segment(line));
    }

    /**
     * Finds all items that a ray hits.
     *
     * @param line  a ray
     * @return      all hits, front to back
     * @throws      std::bad_alloc
     */
    [[nodiscard]] std::vector<pqt_ray_hit> cast_all(const pqt_ray &line) const
    {
        return all_hits(pqt_cast_ray(line));
    }

    /**
     * Visits the hits of a segment or ray, front to back.
     *
     * @param line     a pqt_segment or pqt_ray
     * @param visitor  takes a const pqt_ray_hit &
     * @return         false if the visitor stopped it
     * @throws         what the visitor throws
     */
    template <class Line, class Visitor> bool visit_cast(const Line &line, Visitor &&visitor) const
    {
        const pqt_cast cast = cast_of(line);
        const auto self = this->held();
        detail::callback call(visitor);
        const bool all = pqt_tree_visit_cast(
            self.get(), &cast,
            [](const pqt_ray_hit *hit, void *context) {
                return decltype(call)::of(context).visit(*hit);
            },
            &call);
        call.rethrow();
        return all;
    }

    /**
     * Visits the pairs of items in a relation.
     *
     * @param relation  the relation of the first to the second
     * @param visitor   takes two const pqt_item &
     * @return          false if the visitor stopped it
     * @throws          what the visitor throws
     * @cost            O(n + pairs) for items spread evenly
     */
    template <class Visitor> bool visit_pairs(pqt_relation relation, Visitor &&visitor) const
    {
        return visit_pairs_of(nullptr, relation, {0, 0}, visitor);
    }

    /**
     * Visits the pairs of an item of this version and an item of another version.
     *
     * @param other     a version in any memory
     * @param relation  the relation of the first to the second
     * @param offset    added to the boxes of the other version, world units
     * @param visitor   takes two const pqt_item &
     * @return          false if the visitor stopped it
     * @throws          what the visitor throws
     */
    template <class Visitor>
    bool visit_pairs(const tree &other, pqt_relation relation, const pqt_vec &offset,
                     Visitor &&visitor) const
    {
        const tree second = other.held();
        return visit_pairs_of(second.get(), relation, offset, visitor);
    }

    /**
     * Collects the pairs of items in a relation.
     *
     * @param relation  the relation of the first to the second
     * @return          the pairs
     * @throws          std::bad_alloc
     */
    [[nodiscard]] std::vector<pqt_pair> pairs(pqt_relation relation = PQT_TOUCHES) const
    {
        return pairs_of(nullptr, relation, {0, 0});
    }

    /**
     * Collects the pairs of an item of this version and an item of another version.
     *
     * @param other     a version in any memory
     * @param relation  the relation of an item to one of the other
     * @param offset    added to the boxes of the other version, world units
     * @return          the pairs
     * @throws          std::bad_alloc
     */
    [[nodiscard]] std::vector<pqt_pair> pairs(const tree &other,
                                              pqt_relation relation = PQT_TOUCHES,
                                              const pqt_vec &offset = {0, 0}) const
    {
        return pairs_of(other.get(), relation, offset);
    }

    /**
     * Visits the cells of the subdivision.
     *
     * @param visitor  takes a const pqt_cell &
     * @return         false if the visitor stopped it
     * @throws         what the visitor throws
     */
    template <class Visitor> bool visit_cells(Visitor &&visitor) const
    {
        const auto self = this->held();
        detail::callback call(visitor);
        const bool all = pqt_tree_visit_cells(
            self.get(),
            [](const pqt_cell *cell, void *context) {
                return decltype(call)::of(context).visit(*cell);
            },
            &call);
        call.rethrow();
        return all;
    }

    /**
     * Counts the bytes that two versions share.
     *
     * @param other  a version in the same memory
     * @return       bytes that both hold
     * @cost         O(nodes)
     */
    std::size_t shared_bytes(const tree &other) const
    {
        return pqt_tree_shared_bytes(get(), other.get());
    }
    /** @} */

    /** @name Differences and merges */
    /** @{ */

    /**
     * Visits the changes that turn this version into another.
     *
     * @param after    a version with equal bounds and options
     * @param query    selects the items to compare
     * @param visitor  takes a const pqt_change &
     * @return         false if the visitor stopped it
     * @throws         error PQT_ERROR_MISMATCH
     * @throws         what the visitor throws
     * @cost           O(nodes that the two do not share)
     */
    template <class Visitor>
    bool visit_diff(const tree &after, const query &query, Visitor &&visitor) const
    {
        const pqt_query raw = query.raw();
        const auto self = this->held();
        const auto next = after.held();
        detail::callback call(visitor);
        pqt_error failure = {};
        const bool all = pqt_diff_visit(
            self.get(), next.get(), &raw,
            [](const pqt_change *change, void *context) {
                return decltype(call)::of(context).visit(*change);
            },
            &call, &failure);
        call.rethrow();
        if (failure.status != PQT_OK)
            detail::raise(failure);
        return all;
    }

    /**
     * Collects the changes between two versions.
     *
     * @param after    a version with equal bounds and options
     * @param query    selects the items to compare
     * @return       the changes that turn this version into `after`; apply(diff(after)) == after
     * @throws       error PQT_ERROR_MISMATCH
     * @throws       std::bad_alloc
     */
    [[nodiscard]] std::vector<pqt_change> diff(const tree &after, const query &query = {}) const
    {
        std::vector<pqt_change> changes;
        visit_diff(after, query, [&](const pqt_change &change) { changes.push_back(change); });
        return changes;
    }

    /**
     * Merges two versions that were derived from this one.
     *
     * @param ours    one side, in the same memory
     * @param theirs  the other side, in the same memory
     * @return        the version with the changes of both
     * @throws error  PQT_ERROR_CONFLICT: both sides changed an id; PQT_ERROR_MISMATCH,
     *                PQT_ERROR_LIMIT
     * @cost  O(changes of both sides x depth)
     */
    [[nodiscard]] tree merge(const tree &ours, const tree &theirs) const
    {
        const pqt_tree *const a = ours.get(), *const b = theirs.get();
        return edit(detail::steps_per_edit, [&](const pqt_tree *from, pqt_error *failure) {
            return pqt_tree_merge(from, a, b, nullptr, failure);
        });
    }

    /**
     * Merges, and lets a function resolve conflicts.
     *
     * @param ours     one side
     * @param theirs   the other side
     * @param resolve  takes a const pqt_conflict & and a pqt_items & for the items of its answer,
     *                 and returns a pqt_resolution; these items must live until the merge ends
     * @return         the merged version
     * @throws error: see above, and PQT_ERROR_CALLBACK
     * @throws what resolve throws
     */
    template <class Resolve>
    [[nodiscard]] tree merge(const tree &ours, const tree &theirs, Resolve &&resolve) const
    {
        detail::callback call(resolve);
        pqt_merge_options options = PQT_MERGE_DEFAULTS;
        options.context = &call;
        options.resolve = [](const pqt_conflict *conflict, pqt_items *answer, void *context) {
            return decltype(call)::of(context).decide(PQT_UNRESOLVED, *conflict, *answer);
        };
        const pqt_tree *const base = get(), *const a = ours.get(), *const b = theirs.get();
        return make_calling(home(), call, [&](pqt_error *failure) {
            return pqt_tree_merge(base, a, b, &options, failure);
        });
    }

    /**
     * Merges, and resolves all conflicts in the same way.
     *
     * @param ours    one side
     * @param theirs  the other side
     * @param always  the resolution; not PQT_KEEP_ITEMS
     * @return        the merged version
     * @throws        error: see above
     */
    [[nodiscard]] tree merge(const tree &ours, const tree &theirs, pqt_resolution always) const
    {
        return merge(ours, theirs, [=](const pqt_conflict &, pqt_items &) { return always; });
    }

    /**
     * Unites the items of two versions.
     *
     * @param a  a version
     * @param b  one with the same memory and options
     * @return   the items that are in either
     * @throws   error PQT_ERROR_MISMATCH; with unique ids PQT_ERROR_CONFLICT
     */
    [[nodiscard]] friend tree operator|(const tree &a, const tree &b)
    {
        return combine(pqt_tree_union, a, b);
    }

    /**
     * Keeps the items that two versions share.
     *
     * @param a  a version
     * @param b  one with the same memory and options
     * @return   the items of both
     * @throws   error PQT_ERROR_MISMATCH; with unique ids PQT_ERROR_CONFLICT
     */
    [[nodiscard]] friend tree operator&(const tree &a, const tree &b)
    {
        return combine(pqt_tree_intersection, a, b);
    }

    /**
     * Removes the items of another version.
     *
     * @param a  a version
     * @param b  one with the same memory and options
     * @return   the items of a that are not in b
     * @throws   error PQT_ERROR_MISMATCH; with unique ids PQT_ERROR_CONFLICT
     */
    [[nodiscard]] friend tree operator-(const tree &a, const tree &b)
    {
        return combine(pqt_tree_difference, a, b);
    }
    /** @} */

  private:
    friend class value<tree, pqt_tree>;

    explicit tree(value &&from) noexcept : value(std::move(from))
    {
    }

    static pqt_tree_options full_options(const tree_options &options, memory_ref memory) noexcept
    {
        pqt_tree_options full = PQT_TREE_DEFAULTS;
        full.leaf_capacity = options.leaf_capacity;
        full.max_depth = options.max_depth;
        full.strict_bounds = options.strict_bounds;
        full.unique_ids = options.unique_ids;
        full.ids_are_pointers = options.ids_are_pointers;
        full.memory = memory.get();
        return full;
    }

    static pqt_cast cast_of(const pqt_segment &line)
    {
        return pqt_cast_segment(line);
    }

    static pqt_cast cast_of(const pqt_ray &line)
    {
        return pqt_cast_ray(line);
    }

    std::optional<pqt_ray_hit> first_hit(const pqt_cast &cast) const
    {
        const pqt_ray_hit hit = pqt_tree_cast(get(), &cast);
        return hit.hit ? std::optional<pqt_ray_hit>(hit) : std::nullopt;
    }

    std::vector<pqt_ray_hit> all_hits(const pqt_cast &cast) const
    {
        std::vector<pqt_ray_hit> hits(8);
        const std::size_t all = pqt_tree_cast_all(get(), &cast, hits.data(), hits.size());
        const bool is_whole = all <= hits.size();
        hits.resize(all);
        if (!is_whole)
            pqt_tree_cast_all(get(), &cast, hits.data(), all);
        return hits;
    }

    template <class Visitor>
    bool visit_pairs_of(const pqt_tree *other, pqt_relation relation, const pqt_vec &offset,
                        Visitor &visitor) const
    {
        pqt_pair_query query = {};
        query.relation = relation;
        query.offset = offset;
        const auto self = this->held();
        detail::callback call(visitor);
        const bool all = pqt_pairs_visit(
            self.get(), other, &query,
            [](const pqt_item *a, const pqt_item *b, void *context) {
                return decltype(call)::of(context).visit(*a, *b);
            },
            &call);
        call.rethrow();
        return all;
    }

    std::vector<pqt_pair> pairs_of(const pqt_tree *other, pqt_relation relation,
                                   const pqt_vec &offset) const
    {
        std::vector<pqt_pair> pairs;
        auto add = [&](const pqt_item &a, const pqt_item &b) { pairs.push_back({a, b}); };
        visit_pairs_of(other, relation, offset, add);
        return pairs;
    }

    template <class F> static tree combine(F function, const tree &a, const tree &b)
    {
        const pqt_tree *const other = b.get();
        return a.edit(detail::steps_per_edit, [&](const pqt_tree *from, pqt_error *failure) {
            return function(from, other, nullptr, failure);
        });
    }
};

class item_range
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
        using difference_type = std::ptrdiff_t;            /**< not used */
        using pointer = const pqt_item *;                  /**< to the item */
        using reference = const pqt_item &;                /**< valid until the next ++ */

        /** The end of every range. */
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

        /** An item that was read before the iterator advanced. */
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
        friend class item_range;

        explicit iterator(item_range *range) noexcept : range_(range)
        {
        }

        item_range *range_ = nullptr;
    };

    /**
     * Makes the range.
     *
     * @param tree   a version; the range takes a pin
     * @param query  selects the items
     * @throws       out_of_memory, moved_from
     */
    item_range(const tree &tree, const query &query) : tree_(tree), query_(query)
    {
        (void)tree_.get();
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
        pqt_cursor_open(&cursor_, tree_.get(), &raw_);
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

    /** @return the version that the range reads */
    const tree &version() const noexcept
    {
        return tree_;
    }

  private:
    tree tree_;
    query query_;
    pqt_query raw_;
    pqt_cursor cursor_;
    pqt_item item_;
};

inline item_range
tree::window(const query &query) const
{
    return item_range(*this, query);
}

inline item_range
tree::items() const
{
    return item_range(*this, query());
}

/**
 * Changes that are applied together, like a transient in immer:
 *
 *     pqt::batch batch;
 *     batch.insert(a).move(b, to);
 *     tree = tree.apply(batch.changes());
 *
 * No tree changes before apply, which makes all of the changes or none.
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
     * Adds a change that removes the item with an id. Needs unique ids.
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
     * Adds a change that moves the item with an id. Needs unique ids.
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

    /** @return the changes in their order */
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

namespace detail
{

/* The options of a map for the C++ types of its keys and values. */
template <class T> struct map_type;

template <> struct map_type<std::uint64_t> {
    static constexpr pqt_map_keys keys = PQT_MAP_IDS;
    static constexpr pqt_map_values values = PQT_MAP_NUMBERS;

    static pqt_map_key key(std::uint64_t id) noexcept
    {
        return {id, nullptr, 0};
    }

    static pqt_map_value value(std::uint64_t number) noexcept
    {
        return {number, nullptr, 0};
    }

    static std::uint64_t key_of(const pqt_map_key &key) noexcept
    {
        return key.id;
    }

    static std::uint64_t value_of(const pqt_map_value &value) noexcept
    {
        return value.number;
    }
};

template <> struct map_type<std::string_view> {
    static constexpr pqt_map_keys keys = PQT_MAP_BYTE_KEYS;
    static constexpr pqt_map_values values = PQT_MAP_BYTE_VALUES;

    static pqt_map_key key(std::string_view text) noexcept
    {
        return {0, text.data(), text.size()};
    }

    static pqt_map_value value(std::string_view bytes) noexcept
    {
        return {0, bytes.data(), bytes.size()};
    }

    static std::string_view key_of(const pqt_map_key &key) noexcept
    {
        return {static_cast<const char *>(key.bytes), key.size};
    }

    static std::string_view value_of(const pqt_map_value &value) noexcept
    {
        return {static_cast<const char *>(value.bytes), value.size};
    }
};

} // namespace detail

/**
 * A version of a map: an immutable set of keys and their values. The types choose the kind of map:
 * std::uint64_t for ids and numbers, std::string_view for byte strings, which are copied in.
 *
 *     pqt::map<std::uint64_t, std::string_view> names;
 *     names = names.insert(17, "oak");
 *
 * A std::string_view that a version returns is valid as long as a value holds that version.
 *
 * @tparam Key    std::uint64_t or std::string_view (of at most PQT_MAX_MAP_KEY bytes)
 * @tparam Value  std::uint64_t or std::string_view
 */
template <class Key = std::uint64_t, class Value = std::uint64_t>
class map : public value<map<Key, Value>, pqt_map>
{
    using base = value<map<Key, Value>, pqt_map>;
    using keys = detail::map_type<Key>;
    using values = detail::map_type<Value>;

  public:
    /**
     * Makes an empty map.
     *
     * @param memory  where its versions live
     * @throws        out_of_memory
     */
    explicit map(memory_ref memory = {})
        : map(base::make(memory, detail::steps_per_edit, [&](pqt_error *failure) {
              pqt_map_options options = PQT_MAP_DEFAULTS;
              options.keys = keys::keys;
              options.values = values::values;
              options.memory = memory.get();
              return pqt_map_make(&options, failure);
          }))
    {
    }

    /**
     * Sets the value of a key, whether or not it had one.
     *
     * @param key     the key
     * @param mapped  the value
     * @return        the version
     * @throws        error PQT_ERROR_LIMIT: the key is too long
     * @throws        out_of_memory, moved_from
     * @cost          O(log n)
     */
    [[nodiscard]] map insert(Key key, Value mapped) const
    {
        return base::edit(detail::steps_per_edit, [&](const pqt_map *from, pqt_error *failure) {
            return pqt_map_insert(from, keys::key(key), values::value(mapped), failure);
        });
    }

    /**
     * Removes a key and its value.
     *
     * @param key  the key
     * @return     the version
     * @throws     out_of_memory, moved_from
     * @cost       O(log n)
     */
    [[nodiscard]] map remove(Key key) const
    {
        return base::edit(detail::steps_per_edit, [&](const pqt_map *from, pqt_error *failure) {
            return pqt_map_remove(from, keys::key(key), failure);
        });
    }

    /**
     * Sets the values of several keys, all or none. If a key occurs twice, its last entry counts.
     *
     * @param entries  keys and values
     * @return         the version
     * @throws         error: see insert; index() is the entry
     * @throws         std::bad_alloc, moved_from
     * @cost           one descent for all
     */
    [[nodiscard]] map insert_all(array_view<std::pair<Key, Value>> entries) const
    {
        std::vector<pqt_map_change> changes;
        changes.reserve(entries.size());
        for (const auto &[key, mapped] : entries)
            changes.push_back({PQT_MAP_INSERT, keys::key(key), values::value(mapped)});
        return apply(changes);
    }

    /**
     * Applies pqt_map_change values as if one by one, all or none.
     *
     * @param changes  with the map's kinds of keys and values
     * @return         the version
     * @throws         error: see insert; index() is the change
     * @throws         out_of_memory, moved_from
     */
    [[nodiscard]] map apply(array_view<pqt_map_change> changes) const
    {
        return base::edit(detail::steps_for(changes.size()),
                          [&](const pqt_map *from, pqt_error *failure) {
                              return pqt_map_apply(from, changes.data(), changes.size(), failure);
                          });
    }

    /**
     * Counts the keys.
     *
     * @return  the number of keys that have a value
     * @throws  moved_from
     */
    std::size_t size() const
    {
        return pqt_map_count(base::get());
    }

    /**
     * Returns whether there are no keys.
     *
     * @return  true if there are none
     * @throws  moved_from
     */
    bool empty() const
    {
        return size() == 0;
    }

    /**
     * Finds the value of a key.
     *
     * @param key  the key
     * @return     the value; none if it has none
     * @throws     moved_from
     * @cost       O(log n)
     */
    std::optional<Value> find(Key key) const
    {
        pqt_map_value found;
        if (!pqt_map_find(base::get(), keys::key(key), &found))
            return std::nullopt;
        return values::value_of(found);
    }

    /**
     * Returns whether a key has a value.
     *
     * @param key  the key
     * @return     true if it has one
     * @throws     moved_from
     */
    bool contains(Key key) const
    {
        return pqt_map_find(base::get(), keys::key(key), nullptr);
    }

    /**
     * Visits all entries in key order.
     *
     * @param visitor  takes a Key and a Value
     * @return         false if the visitor stopped it
     * @throws         what the visitor throws
     * @throws         moved_from
     */
    template <class Visitor> bool visit(Visitor &&visitor) const
    {
        const auto self = this->held();
        detail::callback call(visitor);
        const bool all = pqt_map_visit(
            self.get(),
            [](const pqt_map_entry *entry, void *context) {
                return decltype(call)::of(context).visit(keys::key_of(entry->key),
                                                         values::value_of(entry->value));
            },
            &call);
        call.rethrow();
        return all;
    }

    /**
     * Visits the keys whose values differ between two versions.
     *
     * @param after    another version
     * @param visitor  takes a Key, and a std::optional<Value> before and after
     * @return         false if the visitor stopped it
     * @throws         what the visitor throws
     * @throws         moved_from
     * @cost           O(changes x log n)
     */
    template <class Visitor> bool visit_diff(const map &after, Visitor &&visitor) const
    {
        const auto self = this->held();
        const auto next = after.held();
        detail::callback call(visitor);
        const bool all = pqt_map_visit_diff(
            self.get(), next.get(),
            [](const pqt_map_key *key, const pqt_map_value *old_one, const pqt_map_value *new_one,
               void *context) {
                return decltype(call)::of(context).visit(keys::key_of(*key), maybe(old_one),
                                                         maybe(new_one));
            },
            &call);
        call.rethrow();
        return all;
    }

    /**
     * Merges two versions that were derived from this one.
     *
     * @param ours    one side
     * @param theirs  the other side, both in the memory of this version
     * @return        the version with the changes of both
     * @throws        error PQT_ERROR_CONFLICT, PQT_ERROR_MISMATCH
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] map merge(const map &ours, const map &theirs) const
    {
        const pqt_map *const a = ours.get(), *const b = theirs.get();
        return base::edit(detail::steps_per_edit, [&](const pqt_map *from, pqt_error *failure) {
            return pqt_map_merge(from, a, b, nullptr, failure);
        });
    }

    /**
     * Merges, and lets a function resolve conflicts.
     *
     * @param ours     one side
     * @param theirs   the other side
     * @param resolve  takes a const pqt_map_conflict & and a pqt_map_value & for the value of its
     *                 answer, and returns a pqt_map_resolution
     * @return         the merged version
     * @throws         error: see above, and PQT_ERROR_CALLBACK
     * @throws         what resolve throws
     * @throws         out_of_memory, moved_from
     */
    template <class Resolve>
    [[nodiscard]] map merge(const map &ours, const map &theirs, Resolve &&resolve) const
    {
        detail::callback call(resolve);
        pqt_map_merge_options options = PQT_MAP_MERGE_DEFAULTS;
        options.context = &call;
        options.resolve = [](const pqt_map_conflict *conflict, pqt_map_value *answer,
                             void *context) {
            return decltype(call)::of(context).decide(PQT_MAP_UNRESOLVED, *conflict, *answer);
        };
        const pqt_map *const from = base::get(), *const a = ours.get(), *const b = theirs.get();
        return base::make_calling(base::home(), call, [&](pqt_error *failure) {
            return pqt_map_merge(from, a, b, &options, failure);
        });
    }

  private:
    friend base;

    explicit map(base &&from) : base(std::move(from))
    {
        pqt_map_options options = PQT_MAP_DEFAULTS;
        pqt_map_get_options(base::get(), &options);
        if (options.keys != keys::keys || options.values != values::values)
            detail::raise(PQT_ERROR_MISMATCH, "the map has keys or values of another kind");
    }

    static std::optional<Value> maybe(const pqt_map_value *one)
    {
        return one == nullptr ? std::nullopt : std::optional<Value>(values::value_of(*one));
    }
};

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
        : region(make(memory, detail::steps_per_edit,
                      [&](pqt_error *failure) { return pqt_region_make(memory.get(), failure); }))
    {
    }

    /**
     * Makes a region from boxes of pixels.
     *
     * @param boxes   in any order; they may overlap
     * @param memory  where its versions live
     * @return        the region
     * @throws        error PQT_ERROR_BOX, PQT_ERROR_LIMIT; index() is the box
     * @throws        out_of_memory
     */
    [[nodiscard]] static region of(array_view<pqt_pixel_box> boxes, memory_ref memory = {})
    {
        return make(memory, detail::steps_for(boxes.size()), [&](pqt_error *failure) {
            return pqt_region_of_boxes(boxes.data(), boxes.size(), memory.get(), failure);
        });
    }

    /**
     * Makes a region from an image, such as an alpha channel.
     *
     * @param image   read by this call only
     * @param at      where its upper left pixel is
     * @param memory  where its versions live
     * @return        the region
     * @throws        error PQT_ERROR_OPTION, PQT_ERROR_LIMIT
     * @throws        out_of_memory
     * @cost          O(width x height)
     */
    [[nodiscard]] static region of_image(const pqt_byte_image &image, const pqt_pixel &at = {0, 0},
                                         memory_ref memory = {})
    {
        return make(memory, detail::steps_for(image.width * image.height / 4096),
                    [&](pqt_error *failure) {
                        return pqt_region_of_bytes(&image, at, memory.get(), failure);
                    });
    }

    /**
     * Paints a primitive.
     *
     * @param paint  from pqt_paint_pixel, _box, _disc or _stroke
     * @return       the version
     * @throws       error: see pqt_region_paint
     * @throws       out_of_memory, moved_from
     */
    [[nodiscard]] region paint(const pqt_paint &paint) const
    {
        return edit(detail::steps_per_edit, [&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_paint(from, paint, failure);
        });
    }

    /**
     * Paints primitives in order, all or none.
     *
     * @param paints  the primitives
     * @return        the version
     * @throws        error: see pqt_region_paint_all; index() is the paint
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] region paint_all(array_view<pqt_paint> paints) const
    {
        return edit(detail::steps_for(paints.size()),
                    [&](const pqt_region *from, pqt_error *failure) {
                        return pqt_region_paint_all(from, paints.data(), paints.size(), failure);
                    });
    }

    /**
     * Adds the pixels of another region.
     *
     * @param other   in the same memory
     * @param offset  added to its pixels
     * @return        the version
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
     * @param other   in the same memory
     * @param offset  added to its pixels
     * @return        the version
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
     * @param other   in the same memory
     * @param offset  added to its pixels
     * @return        the version
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
     * @param other   in the same memory
     * @param offset  added to its pixels
     * @return        the version
     * @throws        error: see unite
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] region symmetric_difference(const region &other,
                                              const pqt_pixel &offset = {0, 0}) const
    {
        return combine(pqt_region_xor, other, offset);
    }

    /**
     * Adds the neighbours of all pixels, several times.
     *
     * @param steps         the number of times, >= 0
     * @param connectivity  which pixels are neighbours
     * @return              the version
     * @throws              error: see pqt_region_dilate
     * @throws              out_of_memory, moved_from
     */
    [[nodiscard]] region dilate(std::int32_t steps,
                                pqt_connectivity connectivity = PQT_CONNECTIVITY_8) const
    {
        return edit(detail::steps_per_edit, [&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_dilate(from, steps, connectivity, failure);
        });
    }

    /**
     * Removes the pixels that have a neighbour outside, several times.
     *
     * @param steps         the number of times, >= 0
     * @param connectivity  which pixels are neighbours
     * @return              the version
     * @throws              error: see pqt_region_erode
     * @throws              out_of_memory, moved_from
     */
    [[nodiscard]] region erode(std::int32_t steps,
                               pqt_connectivity connectivity = PQT_CONNECTIVITY_8) const
    {
        return edit(detail::steps_per_edit, [&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_erode(from, steps, connectivity, failure);
        });
    }

    /**
     * Sweeps the region against another one at rest: see pqt_region_sweep_region.
     *
     * @param from   the starting position, pixels
     * @param to     the end position, pixels
     * @param other  the region at rest, at the position {0, 0}
     * @return       how far it gets
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
     * @param offset  the displacement
     * @return        the version
     * @throws        error PQT_ERROR_LIMIT
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] region move(const pqt_pixel &offset) const
    {
        return edit(detail::steps_per_edit, [&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_move(from, offset, failure);
        });
    }

    /**
     * Keeps the pixels of a box.
     *
     * @param window  the box
     * @return        the version
     * @throws        error PQT_ERROR_BOX
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] region crop(const pqt_pixel_box &window) const
    {
        return edit(detail::steps_per_edit, [&](const pqt_region *from, pqt_error *failure) {
            return pqt_region_crop(from, window, failure);
        });
    }

    /**
     * Finds the connected components.
     *
     * @param connectivity  which pixels are neighbours
     * @return              the components, in the order of pqt_region_visit_components
     * @throws              std::bad_alloc, moved_from
     */
    [[nodiscard]] std::vector<region>
    components(pqt_connectivity connectivity = PQT_CONNECTIVITY_4) const
    {
        std::vector<region> found;
        auto add = [&](const pqt_region *one) { found.push_back(hold(one, home())); };
        detail::callback call(add);
        pqt_error failure = {};
        {
            const detail::scope open(home().get(), &failure);
            (void)pqt_region_visit_components(
                get(), connectivity,
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
     * Visits the pixels in a window as runs of rows.
     *
     * @param window   the window
     * @param visitor  takes a const pqt_pixel_run &
     * @return         false if the visitor stopped it
     * @throws         what the visitor throws
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
     * @return         false if the visitor stopped it
     * @throws         what the visitor throws
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
     * @return         false if the visitor stopped it
     * @throws         what the visitor throws
     * @throws         moved_from
     * @cost           O(nodes that the two do not share)
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

    template <class F>
    region combine(F function, const region &other, const pqt_pixel &offset) const
    {
        const pqt_region *const second = other.get();
        return edit(detail::steps_per_edit, [&](const pqt_region *from, pqt_error *failure) {
            return function(from, second, offset, failure);
        });
    }
};

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
     * @param bounds  its walls, world units
     * @param walls   whether bodies stay within the bounds
     * @param memory  where its versions live
     * @throws        error PQT_ERROR_BOX
     * @throws        out_of_memory
     */
    explicit world(const pqt_box &bounds, bool walls = true, memory_ref memory = {})
        : world(make(memory, detail::steps_per_edit, [&](pqt_error *failure) {
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
     * @return      the version
     * @throws      error PQT_ERROR_BODY, PQT_ERROR_BOUNDS
     * @throws      out_of_memory, moved_from
     */
    [[nodiscard]] world add(const pqt_body &body) const
    {
        return edit(detail::steps_per_edit, [&](const pqt_world *from, pqt_error *failure) {
            return pqt_world_add(from, body, failure);
        });
    }

    /**
     * Adds bodies, all or none.
     *
     * @param bodies  their ids must be new
     * @return        the version
     * @throws        error: see add; index() is the body
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] world add_all(array_view<pqt_body> bodies) const
    {
        return edit(detail::steps_for(bodies.size()),
                    [&](const pqt_world *from, pqt_error *failure) {
                        return pqt_world_add_all(from, bodies.data(), bodies.size(), failure);
                    });
    }

    /**
     * Replaces the body with the same id.
     *
     * @param body  its id must exist
     * @return      the version
     * @throws      error: see pqt_world_change
     * @throws      out_of_memory, moved_from
     */
    [[nodiscard]] world change(const pqt_body &body) const
    {
        return edit(detail::steps_per_edit, [&](const pqt_world *from, pqt_error *failure) {
            return pqt_world_change(from, body, failure);
        });
    }

    /**
     * Removes a body.
     *
     * @param id  the id of the body
     * @return    the version
     * @throws    out_of_memory, moved_from
     */
    [[nodiscard]] world remove(std::uint64_t id) const
    {
        return edit(detail::steps_per_edit, [&](const pqt_world *from, pqt_error *failure) {
            return pqt_world_remove(from, id, failure);
        });
    }

    /**
     * Applies changes, all or none.
     *
     * @param changes  in order
     * @return         the version
     * @throws         error: see pqt_world_apply; index() is the change
     * @throws         out_of_memory, moved_from
     */
    [[nodiscard]] world apply(array_view<pqt_body_change> changes) const
    {
        return edit(detail::steps_for(changes.size()),
                    [&](const pqt_world *from, pqt_error *failure) {
                        return pqt_world_apply(from, changes.data(), changes.size(), failure);
                    });
    }

    /**
     * Computes the world after a span of time.
     *
     * @param dt  seconds
     * @return    the version
     * @throws    error: see pqt_world_step
     * @throws    out_of_memory, moved_from
     */
    [[nodiscard]] world step(double dt) const
    {
        const pqt_step_options options = PQT_STEP_DEFAULTS;
        return step(dt, options);
    }

    /**
     * Computes the world after a span of time.
     *
     * @param dt       seconds
     * @param options  start from PQT_STEP_DEFAULTS
     * @return         the version
     * @throws         error: see pqt_world_step
     * @throws         out_of_memory, moved_from
     */
    [[nodiscard]] world step(double dt, const pqt_step_options &options) const
    {
        return edit(detail::steps_for(pqt_world_count(get())),
                    [&](const pqt_world *from, pqt_error *failure) {
                        return pqt_world_step(from, dt, &options, failure);
                    });
    }

    /**
     * Sets the obstacle: pixels that bodies hit.
     *
     * @param pixels  in the same memory
     * @param at      where the pixel 0, 0 is, world units
     * @return        the version
     * @throws        error PQT_ERROR_MISMATCH, PQT_ERROR_OPTION
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] world set_obstacle(const region &pixels, const pqt_vec &at = {0, 0}) const
    {
        const pqt_obstacle obstacle = {pixels.get(), at};
        return edit(detail::steps_per_edit, [&](const pqt_world *from, pqt_error *failure) {
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
     * @return  the bounds, world units
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
     * @return  a tree, for windows and rays
     * @throws  out_of_memory, moved_from
     * @cost    O(1)
     */
    [[nodiscard]] tree bodies() const
    {
        return edit_other<tree>(pqt_world_tree(get()));
    }

    /**
     * Visits the bodies that match.
     *
     * @param query    matches the boxes of the bodies
     * @param visitor  takes a const pqt_body &
     * @return         false if the visitor stopped it
     * @throws         what the visitor throws
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
     * Collects the bodies that match.
     *
     * @param query    matches the boxes of the bodies
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
     * @param point  world units
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

/**
 * A version of a document: named trees, maps, regions and worlds that change together.
 *
 *     pqt::document document = pqt::document::of({{"shapes", shapes}, {"names", names, "shapes"}});
 *     document = document.set("shapes", document.tree("shapes").insert(item));
 */
class document : public value<document, pqt_document>
{
  public:
    /** A named version, for of() and set(). It refers to its arguments, which must outlive it. */
    class part
    {
      public:
        /**
         * Names a tree.
         *
         * @param name     its name
         * @param version  the tree
         * @throws         moved_from
         */
        part(const char *name, const pqt::tree &version)
            : part_{name, PQT_PART_TREE, version.get(), nullptr}, home_(version.home())
        {
        }

        /**
         * Names a map.
         *
         * @param name      its name
         * @param version   the map
         * @param keyed_by  the tree whose ids are its keys; null: none
         * @throws          moved_from
         */
        template <class Key, class Value>
        part(const char *name, const pqt::map<Key, Value> &version, const char *keyed_by = nullptr)
            : part_{name, PQT_PART_MAP, version.get(), keyed_by}, home_(version.home())
        {
        }

        /**
         * Names a region.
         *
         * @param name     its name
         * @param version  the region
         * @throws         moved_from
         */
        part(const char *name, const pqt::region &version)
            : part_{name, PQT_PART_REGION, version.get(), nullptr}, home_(version.home())
        {
        }

        /**
         * Names a world.
         *
         * @param name     its name
         * @param version  the world
         * @throws         moved_from
         */
        part(const char *name, const pqt::world &version)
            : part_{name, PQT_PART_WORLD, version.get(), nullptr}, home_(version.home())
        {
        }

      private:
        friend class document;

        pqt_part part_;
        memory_ref home_;
    };

    /**
     * Makes a document from parts in one memory.
     *
     * @param parts  1..PQT_MAX_PARTS parts with different names
     * @return       the document
     * @throws       error: see pqt_document_make; index() is the part
     * @throws       std::bad_alloc
     * @cost         O(parts), and a look-up for each entry of a keyed map
     */
    [[nodiscard]] static document of(array_view<part> parts)
    {
        const std::vector<pqt_part> raw = raw_parts(parts);
        return make(
            parts.empty() ? memory_ref() : parts[0].home_, detail::steps_per_edit,
            [&](pqt_error *failure) { return pqt_document_make(raw.data(), raw.size(), failure); });
    }

    /**
     * Replaces a part.
     *
     * @param name     the name of a part of the same kind
     * @param version  a tree, map, region or world in the same memory
     * @return         the version of the document
     * @throws         error PQT_ERROR_OPTION, PQT_ERROR_MISMATCH
     * @throws         std::bad_alloc, moved_from
     */
    template <class Version>
    [[nodiscard]] document set(const std::string &name, const Version &version) const
    {
        return set_all({part(name.c_str(), version)});
    }

    /**
     * Replaces several parts together.
     *
     * @param parts  each has the name and kind of a part of this document
     * @return       the version of the document
     * @throws       error: see set; index() is the part
     * @throws       std::bad_alloc, moved_from
     */
    [[nodiscard]] document set_all(array_view<part> parts) const
    {
        const std::vector<pqt_part> raw = raw_parts(parts);
        return edit(detail::steps_per_edit, [&](const pqt_document *from, pqt_error *failure) {
            return pqt_document_set_parts(from, raw.data(), raw.size(), failure);
        });
    }

    /**
     * Counts the parts.
     *
     * @return  the number of parts
     * @throws  moved_from
     */
    std::size_t size() const
    {
        return pqt_document_count(get());
    }

    /**
     * Returns whether a part has a name.
     *
     * @param name  any text
     * @return      true if one has it
     * @throws      moved_from
     */
    bool contains(const std::string &name) const
    {
        return pqt_document_find(get(), name.c_str(), nullptr);
    }

    /**
     * Returns a part that is a tree.
     *
     * @param name  the name of the part
     * @return      the tree
     * @throws      error PQT_ERROR_OPTION: there is no such tree
     * @throws      out_of_memory, moved_from
     */
    [[nodiscard]] pqt::tree tree(const std::string &name) const
    {
        return get_part<pqt::tree>(name, PQT_PART_TREE);
    }

    /**
     * Returns a part that is a map.
     *
     * @tparam Key    as in pqt::map
     * @tparam Value  as in pqt::map
     * @param name  the name of the part
     * @return        the map
     * @throws        error PQT_ERROR_OPTION: there is no such map; PQT_ERROR_MISMATCH: its keys or
     *                      values have another kind
     * @throws        out_of_memory, moved_from
     */
    template <class Key = std::uint64_t, class Value = std::uint64_t>
    [[nodiscard]] pqt::map<Key, Value> map(const std::string &name) const
    {
        return get_part<pqt::map<Key, Value>>(name, PQT_PART_MAP);
    }

    /**
     * Returns a part that is a region.
     *
     * @param name  the name of the part
     * @return      the region
     * @throws      error PQT_ERROR_OPTION: there is no such region
     * @throws      out_of_memory, moved_from
     */
    [[nodiscard]] pqt::region region(const std::string &name) const
    {
        return get_part<pqt::region>(name, PQT_PART_REGION);
    }

    /**
     * Returns a part that is a world.
     *
     * @param name  the name of the part
     * @return      the world
     * @throws      error PQT_ERROR_OPTION: there is no such world
     * @throws      out_of_memory, moved_from
     */
    [[nodiscard]] pqt::world world(const std::string &name) const
    {
        return get_part<pqt::world>(name, PQT_PART_WORLD);
    }

    /**
     * Visits the changes that turn this version into another, part by part.
     *
     * @param after    a version with an equal schema
     * @param visitor  takes a const pqt_document_change &
     * @return         false if the visitor stopped it
     * @throws         error PQT_ERROR_MISMATCH
     * @throws         what the visitor throws
     * @throws         out_of_memory, moved_from
     */
    template <class Visitor> bool visit_diff(const document &after, Visitor &&visitor) const
    {
        const auto self = this->held();
        const auto next = after.held();
        detail::callback call(visitor);
        pqt_error failure = {};
        const bool all = pqt_document_visit_diff(
            self.get(), next.get(),
            [](const pqt_document_change *change, void *context) {
                return decltype(call)::of(context).visit(*change);
            },
            &call, &failure);
        call.rethrow();
        if (failure.status != PQT_OK)
            detail::raise(failure);
        return all;
    }

    /**
     * Merges two versions that were derived from this one.
     *
     * @param ours    one side
     * @param theirs  the other side
     * @return        the version with the changes of both
     * @throws        error PQT_ERROR_CONFLICT, PQT_ERROR_MISMATCH
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] document merge(const document &ours, const document &theirs) const
    {
        const pqt_document *const a = ours.get(), *const b = theirs.get();
        return edit(detail::steps_per_edit, [&](const pqt_document *from, pqt_error *failure) {
            return pqt_document_merge(from, a, b, nullptr, failure);
        });
    }

    /**
     * Merges, and lets a function resolve conflicts.
     *
     * @param ours     one side
     * @param theirs   the other side
     * @param resolve  takes a const pqt_document_conflict & and a pqt_document_answer &, and
     *                 returns a pqt_document_resolution
     * @return         the merged version
     * @throws         error: see above, and PQT_ERROR_CALLBACK
     * @throws         what resolve throws
     * @throws         out_of_memory, moved_from
     */
    template <class Resolve>
    [[nodiscard]] document merge(const document &ours, const document &theirs,
                                 Resolve &&resolve) const
    {
        detail::callback call(resolve);
        pqt_document_merge_options options = PQT_DOCUMENT_MERGE_DEFAULTS;
        options.context = &call;
        options.resolve = [](const pqt_document_conflict *conflict, pqt_document_answer *answer,
                             void *context) {
            return decltype(call)::of(context).decide(PQT_DOCUMENT_UNRESOLVED, *conflict, *answer);
        };
        const pqt_document *const from = get(), *const a = ours.get(), *const b = theirs.get();
        return make_calling(home(), call, [&](pqt_error *failure) {
            return pqt_document_merge(from, a, b, &options, failure);
        });
    }

  private:
    friend class value<document, pqt_document>;

    explicit document(value &&from) noexcept : value(std::move(from))
    {
    }

    static std::vector<pqt_part> raw_parts(array_view<part> parts)
    {
        std::vector<pqt_part> raw;
        raw.reserve(parts.size());
        for (const part &one : parts)
            raw.push_back(one.part_);
        return raw;
    }

    template <class T> T get_part(const std::string &name, pqt_part_kind kind) const
    {
        std::size_t index = 0;
        if (pqt_document_find(get(), name.c_str(), &index)) {
            const pqt_part found = pqt_document_get_part(get(), index);
            if (found.kind == kind)
                return part_of<T>(static_cast<const typename T::c_type *>(found.version), home());
        }
        detail::raise(
            PQT_ERROR_OPTION,
            ("the document has no " + std::string(pqt_part_kind_name(kind)) + " \"" + name + "\"")
                .c_str());
    }
};

namespace detail
{

template <class V>
const pqt_history_kind *
history_kind() noexcept
{
    if constexpr (std::is_same_v<V, pqt_tree>)
        return pqt_history_trees();
    else if constexpr (std::is_same_v<V, pqt_map>)
        return pqt_history_maps();
    else if constexpr (std::is_same_v<V, pqt_region>)
        return pqt_history_regions();
    else if constexpr (std::is_same_v<V, pqt_world>)
        return pqt_history_worlds();
    else
        return pqt_history_documents();
}

template <class V>
constexpr pqt_bytes_kind
bytes_kind() noexcept
{
    if constexpr (std::is_same_v<V, pqt_tree>)
        return PQT_BYTES_TREE;
    else if constexpr (std::is_same_v<V, pqt_map>)
        return PQT_BYTES_MAP;
    else if constexpr (std::is_same_v<V, pqt_region>)
        return PQT_BYTES_REGION;
    else if constexpr (std::is_same_v<V, pqt_world>)
        return PQT_BYTES_WORLD;
    else
        return PQT_BYTES_DOCUMENT;
}

/* An open store. A pqt::store and the history or recording in it share the store, which is closed
   when the last of them is destroyed. */
struct open_store {
    explicit open_store(pqt_store *opened) noexcept : store(opened)
    {
    }

    open_store(const open_store &) = delete;
    open_store &operator=(const open_store &) = delete;

    ~open_store()
    {
        (void)pqt_store_close(&store, nullptr);
    }

    pqt_store *store;
};

} // namespace detail

/**
 * Undo, redo and branches of trees, maps, regions, worlds or documents; see pqt/history.h.
 *
 *     pqt::history history(tree);
 *     history.push(tree.insert(item), "Insert");
 *     history.undo();
 *     tree = history.value();
 *
 * A history owns its entries. It can be moved but not copied. Only one thread at a time may use it.
 *
 * A history may be in a pqt::store. Then each function that changes it, or that needs a version,
 * may also throw what the store reports: PQT_ERROR_STREAM, PQT_ERROR_FORMAT, and PQT_ERROR_MISMATCH
 * if the store is open for reading. In this case nothing has changed, with one exception: an undo
 * position, a saved mark or a group that cannot be written has changed, and is written with the
 * next change.
 *
 * @tparam T  the class of the values
 */
template <class T> class history
{
  public:
    /**
     * Makes a history.
     *
     * @param first    its first value
     * @param options  start from PQT_HISTORY_DEFAULTS
     * @throws         error PQT_ERROR_OPTION
     * @throws         out_of_memory, moved_from
     */
    explicit history(const T &first, const pqt_history_options &options = PQT_HISTORY_DEFAULTS)
        : home_(first.home())
    {
        pqt_error failure = {};
        history_ = pqt_history_make(detail::history_kind<typename T::c_type>(), first.get(),
                                    &options, &failure);
        if (history_ == nullptr)
            detail::raise(failure);
    }

    /** Takes over a history. @param from moved from afterwards */
    history(history &&from) noexcept
        : history_(std::exchange(from.history_, nullptr)), home_(from.home_),
          store_(std::move(from.store_))
    {
    }

    /**
     * Takes over a history.
     *
     * @param from  moved from afterwards
     * @return      *this
     */
    history &operator=(history &&from) noexcept
    {
        history taken(std::move(from));
        std::swap(history_, taken.history_);
        std::swap(home_, taken.home_);
        std::swap(store_, taken.store_);
        return *this;
    }

    history(const history &) = delete;
    history &operator=(const history &) = delete;

    /** Destroys the history. Values taken from it stay valid, and a store keeps its contents. */
    ~history()
    {
        pqt_history_destroy(&history_);
    }

    /**
     * Returns the history, for C functions.
     *
     * @return  the history
     * @throws  moved_from
     */
    pqt_history *get() const
    {
        if (history_ == nullptr)
            throw moved_from();
        return history_;
    }

    /**
     * Adds an entry after the current one; an equal value adds none.
     *
     * @param value  in the memory of the first
     * @param label  a text for a menu
     * @throws       error PQT_ERROR_MISMATCH, PQT_ERROR_LIMIT
     * @throws       out_of_memory, moved_from
     */
    void push(const T &value, const std::string &label = {})
    {
        pqt_history_entry_info info = {};
        info.label = label.c_str();
        push(value, info);
    }

    /**
     * Adds an entry with a time or a key.
     *
     * @param value  in the memory of the first
     * @param info   see pqt_history_entry_info
     * @throws       error: see above, PQT_ERROR_OPTION
     * @throws       out_of_memory, moved_from
     */
    void push(const T &value, const pqt_history_entry_info &info)
    {
        pqt_error failure = {};
        if (!pqt_history_push(get(), value.get(), &info, &failure))
            detail::raise(failure);
    }

    /**
     * Makes the parent of the current entry the current one.
     *
     * @return  false if it has none, or in a group
     * @throws  moved_from
     */
    bool undo()
    {
        return with_store([this] { return pqt_history_undo(get()); });
    }

    /**
     * Returns to the child that was current most recently.
     *
     * @return  false if there is none, or in a group
     * @throws  moved_from
     */
    bool redo()
    {
        return with_store([this] { return pqt_history_redo(get()); });
    }

    /**
     * Makes any entry current.
     *
     * @param entry  its number
     * @throws       error: see pqt_history_checkout
     * @throws       moved_from
     */
    void checkout(std::uint64_t entry)
    {
        (void)with_store([&] {
            pqt_error failure = {};
            if (!pqt_history_checkout(get(), entry, &failure))
                detail::raise(failure);
            return true;
        });
    }

    /**
     * Opens a group: all pushes until its end become one entry.
     *
     * @param label  the label of that entry
     * @throws       moved_from
     */
    void begin_group(const std::string &label)
    {
        (void)with_store([&] {
            pqt_history_begin(get(), label.c_str());
            return true;
        });
    }

    /**
     * Ends the group that was opened last.
     *
     * @return  see pqt_history_end
     * @throws  moved_from
     */
    bool end_group()
    {
        return with_store([this] { return pqt_history_end(get()); });
    }

    /**
     * Ends the group that was opened last, and undoes its pushes.
     *
     * @return  see pqt_history_cancel
     * @throws  moved_from
     */
    bool cancel_group()
    {
        return with_store([this] { return pqt_history_cancel(get()); });
    }

    /**
     * Returns the current value.
     *
     * @return  the value, with a pin of its own
     * @throws  out_of_memory, moved_from
     */
    [[nodiscard]] T value() const
    {
        return with_store([this] { return load(pqt_history_current(get())); }).value();
    }

    /**
     * Returns the value of an entry.
     *
     * @param entry  its number
     * @return       the value; none if there is no such entry
     * @throws       out_of_memory, moved_from
     */
    [[nodiscard]] std::optional<T> value_of(std::uint64_t entry) const
    {
        return with_store([&] { return load(entry); });
    }

    /**
     * Returns the number of the current entry.
     *
     * @return  the number
     * @throws  moved_from
     */
    std::uint64_t current() const
    {
        return pqt_history_current(get());
    }

    /**
     * Returns the label for "Undo ...".
     *
     * @return  the label; none if undo would return false
     * @throws  std::bad_alloc, moved_from
     */
    std::optional<std::string> undo_label() const
    {
        return text(pqt_history_undo_label(get()));
    }

    /**
     * Returns the label for "Redo ...".
     *
     * @return  the label; none if redo would return false
     * @throws  std::bad_alloc, moved_from
     */
    std::optional<std::string> redo_label() const
    {
        return text(pqt_history_redo_label(get()));
    }

    /** Marks the current entry as saved. @throws moved_from */
    void mark_saved()
    {
        (void)with_store([this] {
            pqt_history_mark_saved(get());
            return true;
        });
    }

    /**
     * Returns whether the current entry is not the saved one.
     *
     * @return  see pqt_history_is_modified
     * @throws  moved_from
     */
    bool is_modified() const
    {
        return pqt_history_is_modified(get());
    }

    /**
     * Names an entry, so that find() returns it and thin() keeps it.
     *
     * @param entry  its number
     * @param name   the name
     * @throws       error: see pqt_history_set_name
     * @throws       out_of_memory, moved_from
     */
    void set_name(std::uint64_t entry, const std::string &name)
    {
        pqt_error failure = {};
        if (!pqt_history_set_name(get(), entry, name.c_str(), &failure))
            detail::raise(failure);
    }

    /**
     * Finds an entry by its name.
     *
     * @param name  the name
     * @return      the number of the entry; none if no entry has the name
     * @throws      moved_from
     */
    std::optional<std::uint64_t> find(const std::string &name) const
    {
        std::uint64_t entry = 0;
        return pqt_history_find(get(), name.c_str(), &entry) ? std::optional<std::uint64_t>(entry)
                                                             : std::nullopt;
    }

    /**
     * Drops old entries, and more of them the older they are; see pqt_history_thin.
     *
     * @param recent  0: keep only the entries that are always kept
     * @throws        out_of_memory, moved_from
     */
    void thin(std::size_t recent)
    {
        pqt_error failure = {};
        if (!pqt_history_thin(get(), recent, &failure))
            detail::raise(failure);
    }

    /**
     * Drops an entry; the entries that follow it stay.
     *
     * @param entry  its number
     * @throws       error PQT_ERROR_MISMATCH: there is none, or it is always kept
     * @throws       out_of_memory, moved_from
     */
    void drop(std::uint64_t entry)
    {
        pqt_error failure = {};
        if (!pqt_history_drop(get(), entry, &failure))
            detail::raise(failure);
    }

    /**
     * Drops an entry and all entries that follow it, except those that are always kept.
     *
     * @param entry  its number
     * @throws       error PQT_ERROR_MISMATCH: there is none
     * @throws       out_of_memory, moved_from
     */
    void drop_branch(std::uint64_t entry)
    {
        pqt_error failure = {};
        if (!pqt_history_drop_branch(get(), entry, &failure))
            detail::raise(failure);
    }

    /**
     * Visits all entries in the order of pqt_history_visit.
     *
     * @param visitor  takes a const pqt_history_entry &, and must not change the history
     * @return         false if the visitor stopped it
     * @throws         what the visitor throws
     * @throws         moved_from
     */
    template <class Visitor> bool visit(Visitor &&visitor) const
    {
        detail::callback call(visitor);
        const bool all = pqt_history_visit(
            get(),
            [](const pqt_history_entry *entry, void *context) {
                return decltype(call)::of(context).visit(*entry);
            },
            &call);
        call.rethrow();
        return all;
    }

    /**
     * Returns the statistics.
     *
     * @return  the statistics
     * @throws  moved_from
     */
    pqt_history_stats stats() const
    {
        return pqt_history_get_stats(get());
    }

  private:
    friend class store;

    /* Takes over the history of a store. */
    history(pqt_history *opened, memory_ref home, std::shared_ptr<detail::open_store> from) noexcept
        : history_(opened), home_(home), store_(std::move(from))
    {
    }

    std::uint64_t used_bytes() const
    {
        return pqt_memory_get_stats(home_.get()).used_bytes;
    }

    /*
     * Calls a function that does not report failures of the store, and throws the failure if there
     * is one. Reclaims in proportion to the versions that were loaded. If memory is exhausted and
     * nothing has changed, reclaims what nothing holds and calls once more.
     */
    template <class F> auto with_store(F &&function) const
    {
        if (store_ == nullptr)
            return function();
        for (bool is_last = !home_.reclaims();; is_last = true) {
            pqt_error failure = {};
            (void)pqt_store_get_error(store_->store, nullptr);
            const std::uint64_t before = used_bytes();
            auto result = function();
            const std::uint64_t after = used_bytes();
            const bool done = pqt_store_get_error(store_->store, &failure);
            const bool again = !is_last && !result && failure.status == PQT_ERROR_MEMORY;
            if (home_.reclaims() && (after > before || again))
                (void)pqt_memory_reclaim(
                    home_.get(),
                    again ? PQT_RECLAIM_ALL
                          : detail::steps_for(static_cast<std::size_t>((after - before) / 64)));
            if (done)
                return result;
            if (!again)
                detail::raise(failure);
        }
    }

    /* A history holds its versions, but a push by another thread is misuse: so a pin suffices. */
    std::optional<T> load(std::uint64_t entry) const
    {
        pqt_error failure = {};
        const detail::scope open(home_.get(), &failure);
        if (!open)
            detail::raise(failure);
        const auto *const version =
            static_cast<const typename T::c_type *>(pqt_history_value_of(get(), entry));
        return version == nullptr ? std::nullopt : std::optional<T>(T::hold(version, home_));
    }

    static std::optional<std::string> text(const char *label)
    {
        return label == nullptr ? std::nullopt : std::optional<std::string>(label);
    }

    pqt_history *history_ = nullptr;
    memory_ref home_;
    std::shared_ptr<detail::open_store> store_; /* null: it is in no store */
};

/** The options of a store; the fields are those of pqt_store_options. */
struct store_options : pqt_store_options {
    /** Sets the defaults of C: read and write, create, PQT_STORE_NORMAL. */
    store_options() : pqt_store_options(PQT_STORE_DEFAULTS)
    {
    }
};

/**
 * Returns whether bytes begin a store.
 *
 * @param bytes  the first PQT_STORE_HEAD bytes of a file, or more
 * @return       see pqt_is_store
 */
inline bool
is_store(array_view<std::byte> bytes) noexcept
{
    return pqt_is_store(bytes.data(), bytes.size());
}

class recording;

/**
 * A file that holds one history; see pqt/store.h.
 *
 *     pqt::store store("plan.pqts");
 *     pqt::history history = store.empty() ? pqt::history(tree) : store.history<pqt::tree>();
 *     if (store.empty())
 *         store.save(history);
 *     history.push(tree.insert(item), "Insert"); // in the file when it returns
 *
 * A store can be moved but not copied. The history in it keeps the file open, so the store may be
 * destroyed before the history. One thread at a time may use a store and its history. After fork,
 * the child must use neither.
 *
 * After close(), any use but assignment and destruction throws moved_from.
 */
class store
{
  public:
    /**
     * Opens a store.
     *
     * @param path     the name of the file; a missing one is created, unless the options say not to
     * @param options  its options
     * @throws         error PQT_ERROR_CONFLICT: another process writes it, and what() names that
     *                 process; PQT_ERROR_FORMAT, PQT_ERROR_OPTION, PQT_ERROR_STREAM
     * @throws         error PQT_ERROR_UNSUPPORTED: the library was built without SQLite
     * @throws         out_of_memory
     */
    explicit store(const std::string &path, const store_options &options = {})
        : own_(std::make_shared<detail::open_store>(nullptr))
    {
        pqt_error failure = {};
        own_->store = pqt_store_open(path.c_str(), &options, &failure);
        if (own_->store == nullptr)
            detail::raise(failure);
    }

    /** Takes over a store. @param from moved from afterwards */
    store(store &&from) noexcept = default;

    /** Takes over a store; releases its own. @param from moved from afterwards @return *this */
    store &operator=(store &&from) noexcept = default;

    store(const store &) = delete;
    store &operator=(const store &) = delete;

    /** Closes the file; while its history or recording exists, that keeps it open. Only close()
        reports failures. */
    ~store() = default;

    /**
     * Returns the store, for C functions.
     *
     * @return  the store
     * @throws  moved_from
     */
    pqt_store *get() const
    {
        if (own_ == nullptr)
            throw moved_from();
        return own_->store;
    }

    /**
     * Returns the kind of the versions.
     *
     * @return  the kind; PQT_BYTES_NONE if the store is empty
     * @throws  moved_from
     */
    pqt_bytes_kind kind() const
    {
        return pqt_store_kind(get());
    }

    /**
     * Returns whether the store is empty.
     *
     * @return  whether save() may be called
     * @throws  moved_from
     */
    bool empty() const
    {
        return kind() == PQT_BYTES_NONE;
    }

    /**
     * Saves a history in an empty store. From then on the history is in the store, and each change
     * is in the file when the call that made it returns.
     *
     * @param saved  without an index, in no store, with no open group
     * @throws       error PQT_ERROR_MISMATCH, PQT_ERROR_OPTION, PQT_ERROR_STREAM: the store is
     *               empty, and the history is in no store
     * @throws       out_of_memory, moved_from
     */
    template <class T> void save(pqt::history<T> &saved)
    {
        pqt_error failure = {};
        if (!pqt_history_save(saved.get(), get(), &failure))
            detail::raise(failure);
        saved.store_ = own_;
    }

    /**
     * Saves a recording in an empty store. From then on the recording is in the store, and each
     * step is in the file when step() returns.
     *
     * @param saved  in no store
     * @throws       error PQT_ERROR_MISMATCH, PQT_ERROR_STREAM: the store is empty, and the
     *               recording is in no store
     * @throws       out_of_memory, moved_from
     */
    void save(pqt::recording &saved);

    /**
     * Returns whether the store holds a recording rather than a history.
     *
     * @return  whether recording() may be called
     * @throws  moved_from
     */
    bool has_recording() const
    {
        return pqt_store_has_recording(get());
    }

    /**
     * Opens the recording, with its options. It continues where it ended.
     *
     * @param memory  where its worlds live
     * @return        the recording, which keeps the file open
     * @throws        error PQT_ERROR_MISMATCH: the store holds no recording, or it is open
     * @throws        error PQT_ERROR_FORMAT: the store is damaged; what() names the step
     * @throws        error PQT_ERROR_STREAM
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] pqt::recording recording(memory_ref memory = {}) const;

    /**
     * Opens the history. Its entries have the numbers, labels, names and times that they had.
     *
     * @tparam T      the class of the values
     * @param memory  where its versions live
     * @return        the history, which keeps the file open
     * @throws        error PQT_ERROR_MISMATCH: the store is empty, its versions are of another
     *                kind, or its history is open
     * @throws        error PQT_ERROR_FORMAT: the store is damaged; what() names the entry
     * @throws        error PQT_ERROR_STREAM
     * @throws        out_of_memory, moved_from
     */
    template <class T> [[nodiscard]] pqt::history<T> history(memory_ref memory = {}) const
    {
        constexpr pqt_bytes_kind wanted = detail::bytes_kind<typename T::c_type>();
        const pqt_bytes_kind held = kind();
        if (held != PQT_BYTES_NONE && held != wanted)
            detail::raise(PQT_ERROR_MISMATCH, (std::string("the store has no history of ") +
                                               detail::kind<typename T::c_type>::text)
                                                  .c_str());
        pqt::history<T> opened(open(memory), memory, own_);
        (void)opened.value(); /* throws if a map has other keys or values */
        return opened;
    }

    /**
     * Checks the whole store: the database, each entry, each change and each version.
     *
     * @throws  error PQT_ERROR_FORMAT: something is damaged; what() names the first entry with a
     *          fault, and index() is its number
     * @throws  error PQT_ERROR_STREAM
     * @throws  out_of_memory, moved_from
     * @cost    O(changes + keyframes)
     */
    void check() const
    {
        if (empty())
            return;
        const memory heap;
        pqt_error failure = {};
        pqt_history *opened = nullptr;
        pqt_recording *steps = nullptr;
        if (!is_history_open() && has_recording())
            steps = open_recording(heap);
        else if (!is_history_open())
            opened = open(heap);
        const bool done = pqt_store_check(get(), &failure);
        pqt_history_destroy(&opened);
        pqt_recording_destroy(&steps);
        if (!done)
            detail::raise(failure);
    }

    /**
     * Returns the space of dropped entries to the file system.
     *
     * @throws  error PQT_ERROR_STREAM: the disk is full, or a reader has the store open for too
     *          long; PQT_ERROR_MISMATCH: the store is open for reading
     * @throws  out_of_memory, moved_from
     * @cost    O(bytes of the file)
     */
    void compact()
    {
        pqt_error failure = {};
        if (!pqt_store_compact(get(), &failure))
            detail::raise(failure);
    }

    /**
     * Counts the contents, and the work since it was opened.
     *
     * @return  the statistics
     * @throws  error PQT_ERROR_STREAM, PQT_ERROR_FORMAT
     * @throws  out_of_memory, moved_from
     * @cost    O(entries)
     */
    pqt_store_stats stats() const
    {
        pqt_error failure = {};
        pqt_store_stats counted = {};
        if (!pqt_store_get_stats(get(), &counted, &failure))
            detail::raise(failure);
        return counted;
    }

    /**
     * Closes the file.
     *
     * @throws  error PQT_ERROR_MISMATCH: its history or recording still exists; the store stays
     *                open
     * @throws  error PQT_ERROR_STREAM: the undo position, a redo link or the saved mark could not
     *          be written; the store is closed
     * @throws  moved_from
     */
    void close()
    {
        pqt_error failure = {};
        (void)get();
        if (is_history_open())
            detail::raise(PQT_ERROR_MISMATCH, has_recording() ? "the recording of the store is open"
                                                              : "the history of the store is open");
        const std::shared_ptr<detail::open_store> last = std::move(own_);
        if (!pqt_store_close(&last->store, &failure))
            detail::raise(failure);
    }

  private:
    /* The history or the recording also holds the store. */
    bool is_history_open() const noexcept
    {
        return own_.use_count() > 1;
    }

    pqt_history *open(memory_ref memory) const
    {
        pqt_error failure = {};
        pqt_history *const opened = pqt_history_open(get(), memory.get(), &failure);
        if (opened == nullptr)
            detail::raise(failure);
        return opened;
    }

    pqt_recording *open_recording(memory_ref memory) const
    {
        pqt_error failure = {};
        pqt_recording *const opened = pqt_recording_open(get(), memory.get(), &failure);
        if (opened == nullptr)
            detail::raise(failure);
        return opened;
    }

    std::shared_ptr<detail::open_store> own_;
};

/**
 * A run of a world: each step is recorded, and any of them can be returned or repeated; see
 * pqt/recording.h. It can be moved but not copied. Only one thread at a time may step it.
 */
class recording
{
  public:
    /**
     * Begins a recording.
     *
     * @param first    its step 0
     * @param dt       seconds of each step, > 0
     * @param options  the options of each step
     * @param every    the number of steps from one stored world to the next, > 0
     * @throws         error PQT_ERROR_OPTION
     * @throws         out_of_memory, moved_from
     */
    recording(const world &first, double dt, const pqt_step_options &options = PQT_STEP_DEFAULTS,
              std::size_t every = 60)
        : home_(first.home())
    {
        pqt_error failure = {};
        recording_ = pqt_recording_make(first.get(), dt, &options, every, &failure);
        if (recording_ == nullptr)
            detail::raise(failure);
    }

    /** Takes over a recording. @param from moved from afterwards */
    recording(recording &&from) noexcept
        : recording_(std::exchange(from.recording_, nullptr)), home_(from.home_),
          store_(std::move(from.store_))
    {
    }

    /**
     * Takes over a recording.
     *
     * @param from  moved from afterwards
     * @return      *this
     */
    recording &operator=(recording &&from) noexcept
    {
        recording taken(std::move(from));
        std::swap(recording_, taken.recording_);
        std::swap(home_, taken.home_);
        std::swap(store_, taken.store_);
        return *this;
    }

    recording(const recording &) = delete;
    recording &operator=(const recording &) = delete;

    /** Destroys the recording. Worlds taken from it stay valid. */
    ~recording()
    {
        pqt_recording_destroy(&recording_);
    }

    /**
     * Returns the recording, for C functions.
     *
     * @return  the recording
     * @throws  moved_from
     */
    pqt_recording *get() const
    {
        if (recording_ == nullptr)
            throw moved_from();
        return recording_;
    }

    /**
     * Steps the last world and records the result.
     *
     * @return  the world after the step
     * @throws  error: see pqt_world_step
     * @throws  out_of_memory, moved_from
     */
    world step()
    {
        pqt_recording *const own = get();
        return world::make_once(
            home_, [&](pqt_error *failure) { return pqt_recording_step(own, nullptr, failure); });
    }

    /**
     * Returns the number of the last step.
     *
     * @return  0 before the first step
     * @throws  moved_from
     */
    std::size_t last() const
    {
        return pqt_recording_last(get());
    }

    /**
     * Returns the world after a step, stored or reproduced.
     *
     * @param number  0..last(); otherwise the program stops
     * @return        the world
     * @throws        error PQT_ERROR_CORRUPT
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] world at(std::size_t number) const
    {
        const pqt_recording *const own = get();
        return world::make_once(
            home_, [&](pqt_error *failure) { return pqt_recording_at(own, number, failure); });
    }

    /**
     * Repeats all steps and compares the results.
     *
     * @return  nothing if all steps gave the same results; otherwise the first that did not
     * @throws  error: see pqt_recording_verify
     * @throws  out_of_memory, moved_from
     */
    std::optional<pqt_recording_divergence> verify() const
    {
        pqt_error failure = {};
        pqt_recording_divergence divergence = {};
        if (pqt_recording_verify(get(), &divergence, &failure))
            return std::nullopt;
        if (!divergence.found)
            detail::raise(failure);
        return divergence;
    }

  private:
    friend class store;

    recording(pqt_recording *opened, memory_ref home, std::shared_ptr<detail::open_store> from)
        : recording_(opened), home_(home), store_(std::move(from))
    {
    }

    pqt_recording *recording_ = nullptr;
    memory_ref home_;
    std::shared_ptr<detail::open_store> store_; /* null: it is in no store */
};

inline void
store::save(pqt::recording &saved)
{
    pqt_error failure = {};
    if (!pqt_recording_save(saved.get(), get(), &failure))
        detail::raise(failure);
    saved.store_ = own_;
}

inline pqt::recording
store::recording(memory_ref memory) const
{
    return pqt::recording(open_recording(memory), memory, own_);
}

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

#if __cplusplus >= 202002L
/** An array_view does not own the array, so iterators outlive the view. */
template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<pqt::array_view<T>> = true;
#endif

namespace std
{

/** Hashes a value by its fingerprint, in O(1); a document in O(parts). */
template <> struct hash<pqt::tree> : pqt::detail::hash_of<pqt::tree> {
};

/** Hashes a value by its fingerprint, in O(1); a document in O(parts). */
template <class Key, class Value>
struct hash<pqt::map<Key, Value>> : pqt::detail::hash_of<pqt::map<Key, Value>> {
};

/** Hashes a value by its fingerprint, in O(1); a document in O(parts). */
template <> struct hash<pqt::region> : pqt::detail::hash_of<pqt::region> {
};

/** Hashes a value by its fingerprint, in O(1); a document in O(parts). */
template <> struct hash<pqt::world> : pqt::detail::hash_of<pqt::world> {
};

/** Hashes a value by its fingerprint, in O(1); a document in O(parts). */
template <> struct hash<pqt::document> : pqt::detail::hash_of<pqt::document> {
};

} // namespace std

#endif

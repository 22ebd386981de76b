/* SPDX-License-Identifier: MIT */
/** @file memory.hpp - memories for versions: the default one, heaps, and memories that others own.
 * See pqt.hpp. */
#ifndef PQT_MEMORY_HPP
#define PQT_MEMORY_HPP

#include <cstddef>
#include <utility>

#include <pqt/error.hpp>
#include <pqt/heap.h>
#include <pqt/memory.h>

namespace pqt
{

class memory;
class memory_ref;
memory_ref default_memory();

namespace detail
{

/* A scope that the calling thread has opened; see pqt_scope_begin. */
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

} // namespace detail

/**
 * Refers to a memory that someone else owns, and says whether functions of this header reclaim in
 * it. It is made implicitly from a pqt::memory or from a pqt_memory.
 */
class memory_ref
{
  public:
    /**
     * Refers to a memory of the C library: a heap, an arena or the collector. Functions of this
     * header never reclaim in it by themselves, because C code may use versions in it that have no
     * pins.
     *
     * @param given the memory; null: default_memory(), in which these functions do reclaim
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

    /** Refers to the memory of an owner. @param owner it must outlive all versions in the memory */
    inline memory_ref(const memory &owner);

    /** @return the memory, for C functions; never null */
    pqt_memory *get() const noexcept
    {
        return memory_;
    }

    /** @return whether functions of this header that make a version reclaim in it */
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
 * Returns the memory of versions for which none is given: one heap for the whole program. The first
 * call makes it, and it is never destroyed, so versions in static variables may be destroyed at any
 * time. It is not pqt_default_memory, which may be the collector.
 *
 * @return  the memory
 * @throws  out_of_memory  if the heap cannot be made; a later call tries again
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

namespace detail
{

/* Reclaims after a call that may have allocated, whether or not it succeeded. */
inline void
reclaim_after(const memory_ref &home, std::size_t steps = PQT_RECLAIM_PACED) noexcept
{
    if (home.reclaims())
        (void)pqt_memory_reclaim(home.get(), steps);
}

} // namespace detail

namespace detail
{

/* Calls a function that may allocate, and that returns false if it fails. If memory is exhausted,
   reclaims all that nothing holds and tries once more. Throws if it fails then. */
template <class F>
void
attempt(const memory_ref &home, F &&function)
{
    for (bool is_last = !home.reclaims();; is_last = true) {
        pqt_error failure = {};
        const bool done = function(&failure);
        const bool again = !done && !is_last && failure.status == PQT_ERROR_MEMORY;
        reclaim_after(home, again ? PQT_RECLAIM_ALL : PQT_RECLAIM_PACED);
        if (done)
            return;
        if (!again)
            raise(failure);
    }
}

} // namespace detail

/** The options of a heap, with the fields of pqt_heap_options. */
struct heap_options : pqt_heap_options {
    /** Sets the defaults of the C library, except that reclaim_at_push is true. If it is set to
        false, the heap reclaims only in memory::reclaim. */
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
     * Makes an arena, which frees all its versions at once and reclaims none before that.
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

    /** Takes over a memory. Values in it are not affected. @param from owns no memory afterwards */
    memory(memory &&from) noexcept
        : memory_(std::exchange(from.memory_, nullptr)), heap_(from.heap_),
          reclaims_(from.reclaims_)
    {
    }

    /**
     * Destroys the memory and takes over another one.
     *
     * @param from  owns no memory afterwards
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
     * @return        true if no cycle is in progress afterwards
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

} // namespace pqt

#endif

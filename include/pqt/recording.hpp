/* SPDX-License-Identifier: MIT */
/** @file recording.hpp - recordings of all steps of a world. See pqt.hpp. */
#ifndef PQT_RECORDING_HPP
#define PQT_RECORDING_HPP

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include <pqt/store_recording.h>
#include <pqt/store.hpp>
#include <pqt/world.hpp>

namespace pqt
{

/**
 * A recorded run of a world. It returns the world after any step: a stored one, or one that it
 * recomputes from the last stored world before that step. See pqt/recording.h. It can be moved but
 * not copied. Only one thread at a time may step it.
 */
class recording
{
  public:
    /**
     * Begins a recording.
     *
     * @param first    the world at step 0
     * @param dt       the duration of each step, in seconds, > 0
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
     * Returns the world after a step. If it is not stored, it is computed again.
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
     * @return  nothing if all steps gave the same results; otherwise the first step that did not
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

    /* Opens the recording in a store. */
    static recording open(const std::shared_ptr<detail::open_store> &from, memory_ref memory)
    {
        pqt_error failure = {};
        pqt_recording *const opened = pqt_recording_open(from->store, memory.get(), &failure);
        if (opened == nullptr)
            detail::raise(failure);
        return recording(opened, memory, from);
    }

    pqt_recording *recording_ = nullptr;
    memory_ref home_;
    std::shared_ptr<detail::open_store> store_; /* null if the recording is in no store */
};

inline void
store::save(pqt::recording &saved)
{
    pqt_error failure = {};
    if (!pqt_recording_save(saved.get(), get(), &failure))
        detail::raise(failure);
    saved.store_ = own_;
}

} // namespace pqt

#endif

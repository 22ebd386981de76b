/* SPDX-License-Identifier: MIT */
/** @file error.hpp - exceptions of the C++ interface. See pqt.hpp. */
#ifndef PQT_ERROR_HPP
#define PQT_ERROR_HPP

#include <cstddef>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <vector>

#include <pqt/error.h>

namespace pqt
{

/** A failure of the library. what() returns its message, which names the value and the place. */
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

    /** @return the index of the faulty element in the caller's array; 0 if there is none */
    std::size_t index() const noexcept
    {
        return index_;
    }

  private:
    pqt_status code_;
    std::size_t index_;
};

/**
 * PQT_ERROR_MEMORY: memory is exhausted, or the limit of the heap or arena is reached.
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

/** Thrown if a value is used after it was moved from. */
class moved_from : public std::logic_error
{
  public:
    /** Makes the exception. */
    moved_from() : std::logic_error("pqt: the value was moved from")
    {
    }
};

/** Not for users: code that all classes share. */
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

} // namespace detail

} // namespace pqt

#endif

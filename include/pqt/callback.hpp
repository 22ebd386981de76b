/* SPDX-License-Identifier: MIT */
/** @file callback.hpp - C++ callables as visitors for C functions; not for users. See pqt.hpp. */
#ifndef PQT_CALLBACK_HPP
#define PQT_CALLBACK_HPP

#include <exception>
#include <functional>
#include <type_traits>
#include <utility>

namespace pqt
{

namespace detail
{

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

    /* Calls the callable and returns its answer, or `failed` after an exception. */
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

} // namespace detail

} // namespace pqt

#endif

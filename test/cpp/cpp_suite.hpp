/* SPDX-License-Identifier: MIT */
/*
 * cpp_suite.hpp: runs the tests of a C++ program and prints their results as TAP.
 *
 *     TEST(an_edit_leaves_the_old_version) { ... CHECK(tree.size() == 1); }
 *
 * A test fails if a CHECK fails, if an exception leaves it, or if the number of pins in the default
 * memory differs between its beginning and its end.
 */
#ifndef CPP_SUITE_HPP
#define CPP_SUITE_HPP

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <pqt.hpp>

namespace cpp_suite
{

struct failed {
    const char *what;
    int line;
};

struct test {
    const char *name;
    void (*run)();
};

inline std::vector<test> &
tests()
{
    static std::vector<test> all;
    return all;
}

inline bool
add(const char *name, void (*run)())
{
    tests().push_back({name, run});
    return true;
}

inline std::uint64_t
pins(const pqt::memory_ref &memory = {})
{
    return pqt_memory_get_stats(memory.get()).pins;
}

/* Runs a test. Returns the text of its failure, which is empty if it passed. */
inline std::string
message_of(const test &one)
{
    const std::uint64_t before = pins();
    try {
        one.run();
    } catch (const failed &check) {
        return "line " + std::to_string(check.line) + ": " + check.what;
    } catch (const std::exception &thrown) {
        return thrown.what();
    } catch (...) {
        return "an exception that is no std::exception";
    }
    return pins() == before ? "" : "pins are left";
}

inline int
run()
{
    int number = 0;
    (void)std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    for (const test &one : tests()) {
        const std::string message = message_of(one);
        std::printf("%sok %d - %s\n", message.empty() ? "" : "not ", ++number, one.name);
        if (!message.empty())
            std::printf("# %s\n", message.c_str());
    }
    std::printf("1..%d\n", number);
    return 0;
}

/* Returns the number of rounds of a random test, scaled by PQT_TEST_SCALE. */
inline int
rounds(int count)
{
    const char *const scale = std::getenv("PQT_TEST_SCALE");
    const int scaled = scale == nullptr ? count : static_cast<int>(count * std::atof(scale));
    return scaled < 1 ? 1 : scaled;
}

/* Random numbers from splitmix64, the same on every machine. */
class random
{
  public:
    explicit random(std::uint64_t seed) : state_(seed)
    {
    }

    std::uint64_t below(std::uint64_t limit)
    {
        std::uint64_t word = state_ += 0x9e3779b97f4a7c15;
        word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
        word = (word ^ word >> 27) * 0x94d049bb133111eb;
        return (word ^ word >> 31) % limit;
    }

  private:
    std::uint64_t state_;
};

/* Returns a random box with integer coordinates in [0, 1000]. */
inline pqt_box
random_box(random &from)
{
    const double x = static_cast<double>(from.below(960)), y = static_cast<double>(from.below(960));
    return {{x, y},
            {x + static_cast<double>(from.below(40)), y + static_cast<double>(from.below(40))}};
}

/* Returns the exception of type E that a call throws. The test fails if the call throws none. */
template <class E, class F>
E
thrown_by(F &&call, int line)
{
    try {
        call();
    } catch (const E &thrown) {
        return thrown;
    }
    throw failed{"the exception is not thrown", line};
}

/*
 * Calls a function `rounds` times. Returns the highest number of used bytes of the heap after a
 * call. The function throws or returns a version, which is dropped at once.
 */
template <class F>
std::uint64_t
most_bytes_of_calls(const pqt::memory &heap, std::size_t rounds, F &&function)
{
    std::uint64_t most = 0;
    for (std::size_t round = 0; round < rounds; round++) {
        function();
        const std::uint64_t now = heap.stats().used_bytes;
        most = now > most ? now : most;
    }
    return most;
}

} // namespace cpp_suite

#define TEST(name)                                                                                 \
    static void name();                                                                            \
    static const bool name##_is_added = cpp_suite::add(#name, name);                               \
    static void name()

#define CHECK(condition) ((condition) ? (void)0 : throw cpp_suite::failed{#condition, __LINE__})

#define THROWN(type, ...) cpp_suite::thrown_by<type>([&] { __VA_ARGS__; }, __LINE__)

#endif

/* SPDX-License-Identifier: MIT */
/*
 * random.h: random numbers for tests: they follow from a seed, which is printed, and are the same
 * on every machine.
 *
 * PQT_SEED=N in the environment sets the first seed of a test. Without it the seed is fixed, so
 * that make check is repeatable. PQT_TEST_SCALE=X multiplies the work of random tests by X: with
 * 50, test_model performs more than a million operations; 0.02 is suitable for memcheck.
 */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The state of splitmix64. Every seed is suitable. */
typedef struct dice {
    uint64_t state;
} dice;

static inline uint64_t
dice_next(dice *d)
{
    uint64_t z = d->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Returns a number in 0 .. bound - 1. The bias of the remainder does not matter to tests. */
static inline size_t
dice_below(dice *d, size_t bound)
{
    return (size_t)(dice_next(d) % bound);
}

/* Returns a number in [0, 1). */
static inline double
dice_real(dice *d)
{
    return (double)(dice_next(d) >> 11) * 0x1p-53;
}

static inline bool
dice_chance(dice *d, size_t percent)
{
    return dice_below(d, 100) < percent;
}

/* Returns the seed of a test, and prints it so that a failure can be repeated. */
static inline uint64_t
test_seed(const char *test)
{
    const char *given = getenv("PQT_SEED");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : 20240229;
    fprintf(stderr, "# %s: PQT_SEED=%" PRIu64 "\n", test, seed);
    return seed;
}

/* Returns `usual` times PQT_TEST_SCALE, but at least 1. */
static inline size_t
test_scaled(size_t usual)
{
    const char *given = getenv("PQT_TEST_SCALE");
    double scaled = (double)usual * (given != NULL ? strtod(given, NULL) : 1.0);
    return scaled < 1 ? 1 : (size_t)scaled;
}

/* Returns the step of a loop over all cases of a kind, such as the bytes of a file: 1, or a few at
   a small scale. It is odd, so that a loop that flips bit i of byte i flips each bit. */
static inline size_t
test_stride(void)
{
    const size_t percent = test_scaled(100);
    return percent < 15 ? 15 / percent | 1 : 1;
}

/* Returns the same as test_scaled, but at least `least`. For tests that also assert how often
   something happened. */
static inline size_t
test_scaled_from(size_t usual, size_t least)
{
    const size_t scaled = test_scaled(usual);
    return scaled < least ? least : scaled;
}

#endif

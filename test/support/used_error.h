/* SPDX-License-Identifier: MIT */
/*
 * used_error.h: calls of every public function that takes an error, for tests with a used error,
 * which holds an earlier failure.
 *
 * Each call is a case: it prepares what the function needs, calls it once with the error that the
 * test passes, and describes the result by a number. test/check_misuse compares the cases with the
 * functions of the public headers. used_error_trees.c, used_error_kinds.c, used_error_images.c and
 * used_error_holders.c contain the cases of test_used_error.c, and used_error_lines.c those of
 * test_line.c.
 */
#ifndef TEST_USED_ERROR_H
#define TEST_USED_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include <check.h>

#include <pqt/bytes.h>

typedef struct outcome {
    bool done;      /* the result is true or not NULL */
    uint64_t value; /* describes what the call did; equal for equal results */
} outcome;

typedef outcome error_case_fn(pqt_error *error);

typedef struct error_case {
    const char *function;
    error_case_fn *call;
} error_case;

/* Defines the case of a function. A case sets up its own state, so that it can be repeated. */
#define CASE(function) static outcome case_of_##function(pqt_error *error)

/* The case of a function, for a table. */
#define HAS(function)                                                                              \
    {                                                                                              \
#function, case_of_##function                                                              \
    }

/* Versions of each kind in an arena, and another version of the same kind, which may be merged with
   the first. */
typedef struct sample_versions {
    pqt_memory *memory;
    const pqt_tree *tree, *next_tree;
    const pqt_region *region, *next_region;
    const pqt_map *map, *next_map;
    const pqt_world *world, *next_world;
    const pqt_document *document, *next_document;
} sample_versions;

extern sample_versions sample;

/*
 * The call of the function in a case. Only allocations between the two functions fail. DONE is for
 * functions that return bool; VERSION, PIN and OWN are for those that return a version, a pin, and
 * anything else to be destroyed.
 */
void begin_call(void);
void end_call(void);

static inline bool
end_bool(bool done)
{
    end_call();
    return done;
}

static inline void *
end_pointer(void *made)
{
    end_call();
    return made;
}

outcome end_version(const void *version);
outcome end_pin(pqt_pin *pin);

#define DONE(call) (begin_call(), end_bool(call))
#define OWN(call) (begin_call(), end_pointer(call))
#define VERSION(call) (begin_call(), end_version(call))
#define PIN(call) (begin_call(), end_pin(call))

/* Returns a number that is equal for equal versions. */
uint64_t number_of(const void *version);

/* Adds the tests for a table of cases. */
void add_error_cases(Suite *suite, const char *name, const error_case *cases, size_t count);

extern const error_case error_cases_of_trees[], error_cases_of_kinds[], error_cases_of_images[],
    error_cases_of_holders[], error_cases_of_lines[];
extern const size_t error_case_count_of_trees, error_case_count_of_kinds,
    error_case_count_of_images, error_case_count_of_holders, error_case_count_of_lines;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * memory_support.h: functions for tests of the memories.
 *
 * In place of real versions they use synthetic ones: a node whose children are nodes and leaves,
 * each filled with numbers that follow from the mark of the version.
 */
#ifndef TEST_MEMORY_SUPPORT_H
#define TEST_MEMORY_SUPPORT_H

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include <pqt/memory.h>

#include "memory/memory_internal.h"
#include "require.h"

/* A check that runs in a thread or in a child process. */
typedef bool check_fn(void *context);

typedef struct job {
    check_fn *check;
    void *context;
    bool passed;
    pthread_t thread;
} job;

static inline void *
run_job(void *context)
{
    job *this = context;
    this->passed = this->check(this->context);
    return NULL;
}

static inline void
begin(job *this)
{
    ck_assert_int_eq(pthread_create(&this->thread, NULL, run_job, this), 0);
}

static inline bool
end(job *this)
{
    ck_assert_int_eq(pthread_join(this->thread, NULL), 0);
    return this->passed;
}

static inline bool
in_thread(check_fn *check, void *context)
{
    job alone = {check, context, false, 0};
    return pthread_create(&alone.thread, NULL, run_job, &alone) == 0 &&
           pthread_join(alone.thread, NULL) == 0 && alone.passed;
}

/* Runs a check in a child, which an alarm ends if it hangs. */
static inline bool
in_child(check_fn *check, void *context)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGALRM, SIG_DFL); /* suite.c handles it otherwise */
        alarm(600);
        _exit(check(context) ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    return status == 0;
}

/* Returns the memory of a loop test: 0 is an arena, 1 the collector, if there is one. */
static inline pqt_memory *
make_memory(int which)
{
    pqt_error error = {0};
    pqt_memory *memory =
        which == 0 ? pqt_arena_make(0, &error) : pqti_memory_or_default(NULL, &error);
    ck_assert_msg(memory != NULL, "%s", error.text);
    return memory;
}

static inline void
drop_memory(pqt_memory *memory)
{
    if (memory != pqt_collector())
        pqt_arena_destroy(&memory);
}

static inline int
count_memories(void)
{
    return pqt_collector() != NULL ? 2 : 1;
}

#define PARTS 14

/* A node of 128 bytes, like a real one. Its parts are blocks of 128 bytes, every second one a
 * leaf. */
typedef struct version {
    _Alignas(16) uint64_t mark;
    void *parts[PARTS];
    uint64_t last; /* the collector does not search the last word for pointers */
} version;

#define VERSION_BYTES ((PARTS + 1) * sizeof(version))

static inline void
fill(uint64_t *block, uint64_t number)
{
    for (size_t i = 0; i < sizeof(version) / sizeof *block; i++)
        block[i] = number;
}

static inline bool
is_filled(const uint64_t *block, uint64_t number)
{
    for (size_t i = 0; i < sizeof(version) / sizeof *block; i++)
        if (block[i] != number)
            return false;
    return true;
}

static inline version *
make_version(pqt_memory *memory, uint64_t mark)
{
    version *made = pqti_alloc_list(memory, sizeof *made);
    made->mark = mark;
    for (unsigned i = 0; i < PARTS; i++) {
        made->parts[i] = (i % 2 == 0 ? pqti_alloc_list : pqti_alloc_leaf)(memory, sizeof *made);
        fill(made->parts[i], mark + i);
    }
    return made;
}

static inline bool
is_whole(const version *made, uint64_t mark)
{
    bool whole = made->mark == mark;
    for (unsigned i = 0; i < PARTS; i++)
        whole = whole && is_filled(made->parts[i], mark + i);
    return whole;
}

static inline bool
make_garbage(void *memory)
{
    REQUIRE(pqt_thread_attach(NULL));
    for (unsigned i = 0; i < 2000; i++)
        (void)make_version(memory, UINT64_MAX - i);
    pqt_thread_detach();
    return true;
}

/* Overwrites lost blocks: runs a collection, and allocates new blocks of the same size. */
static inline void
collect_and_overwrite(pqt_memory *memory)
{
    for (int i = 0; i < 3; i++) {
        pqti_collect(memory);
        ck_assert(in_thread(make_garbage, memory));
    }
    pqti_collect(memory);
}

/* Adds a test that runs once on each memory; _i is the memory's number. */
#define add_to_each(tests, test) tcase_add_loop_test(tests, test, 0, count_memories())

#endif

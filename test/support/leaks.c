/* SPDX-License-Identifier: MIT */
/* leaks.c: checks that every pin and all scratch memory of the library is freed when a test
 * ends. */
#include "config.h"

#include "leaks.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <check.h>

#include "memory/memory_internal.h"

static atomic_long pins, scratch;
static pid_t runner;

static void
count(pqti_block kind, bool begins)
{
    atomic_long *alive = kind == PQTI_BLOCK_PIN ? &pins : &scratch;
    atomic_fetch_add_explicit(alive, begins ? 1 : -1, memory_order_relaxed);
}

/*
 * Fails the test if any pin or scratch memory is left. A test that runs in its own process fails
 * through ck_abort_msg. With CK_FORK=no, the test ran in the process of the runner, which has
 * already reported its results, so the process exits with an error instead.
 */
static void
expect_none(void)
{
    const long left_pins = atomic_load(&pins), left_scratch = atomic_load(&scratch);
    if (left_pins == 0 && left_scratch == 0)
        return;
    if (getpid() != runner)
        ck_abort_msg("%ld pins and %ld blocks of scratch were not freed", left_pins, left_scratch);
    fprintf(stderr, "# %ld pins and %ld blocks of scratch were not freed\n", left_pins,
            left_scratch);
    _exit(EXIT_FAILURE);
}

void
leaks_watch(void)
{
    runner = getpid();
    pqti_set_lifetime_hook(count);
    if (atexit(expect_none) != 0)
        abort();
}

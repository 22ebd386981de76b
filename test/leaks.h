/* SPDX-License-Identifier: MIT */
/*
 * leaks.h: every pin and all scratch memory of the library must be freed when a test ends.
 *
 * This includes memory of the test and temporary memory of a call, whether it succeeds or fails. So
 * each suite that fails allocations one by one also detects leaks in error paths.
 */
#ifndef TEST_LEAKS_H
#define TEST_LEAKS_H

/* After this call, each process must have freed its memory when it exits. Each test is a
 * process. */
void leaks_watch(void);

#endif

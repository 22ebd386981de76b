/* SPDX-License-Identifier: MIT */
/*
 * leaks.h: checks that every pin and all scratch memory of the library is freed when a test ends.
 *
 * This includes memory of the test, and temporary memory of a call, whether the call succeeds or
 * fails. So each suite that fails allocations one by one also detects leaks in error paths.
 */
#ifndef TEST_LEAKS_H
#define TEST_LEAKS_H

/* Makes this process, and each child that it forks, fail at exit if memory is not freed. Each test
 * is a process. */
void leaks_watch(void);

#endif

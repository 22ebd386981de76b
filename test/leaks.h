/* SPDX-License-Identifier: MIT */
/*
 * leaks.h - every pin and all scratch memory of the library must be freed when a test ends.
 *
 * That is so for what a test makes and for what a call takes for itself, whether it succeeds or
 * fails. So each suite that fails allocations one by one looks for leaks on each of these ways.
 */
#ifndef TEST_LEAKS_H
#define TEST_LEAKS_H

/* From here on each process that exits, as each test does, must have freed what it took. */
void leaks_watch(void);

#endif

/* SPDX-License-Identifier: MIT */
/* head_internal.h: what only tests ask of a head. */
#ifndef PQTI_HEAD_INTERNAL_H
#define PQTI_HEAD_INTERNAL_H

#include <pqt/head.h>

/* Returns the number of threads that are waiting for a newer version. */
unsigned pqti_head_waiters(pqt_head *head);

#endif

/* SPDX-License-Identifier: MIT */
/* attributes.h: attributes of functions that the language has no word for. */
#ifndef PQTI_ATTRIBUTES_H
#define PQTI_ATTRIBUTES_H

/* Functions with large frames stay out of those that recurse: hosts have stacks of 128 KiB. */
#define PQTI_NOINLINE __attribute__((noinline))

#endif

/* SPDX-License-Identifier: MIT */
/*
 * never_called.h: replaces functions whose sources build_wasm leaves out.
 *
 * The rest of the library refers to them in branches or tables that calls from JavaScript never
 * reach. So a call to one is a bug in the library, and traps as a violated invariant does.
 */
#ifndef PQTJS_NEVER_CALLED_H
#define PQTJS_NEVER_CALLED_H

#define NEVER_CALLED(type, name, ...)                                                              \
    type name(__VA_ARGS__)                                                                         \
    {                                                                                              \
        __builtin_trap();                                                                          \
    }

#pragma clang diagnostic ignored "-Wunused-parameter"

#endif

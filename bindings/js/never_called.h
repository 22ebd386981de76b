/* SPDX-License-Identifier: MIT */
/*
 * never_called.h: functions that replace those of sources which build_wasm leaves out.
 *
 * The rest of the library names them, in a branch or a table that the calls of JavaScript never
 * use. So a call would be a fault of the library, and traps like a violated invariant.
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

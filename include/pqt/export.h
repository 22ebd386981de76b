/* SPDX-License-Identifier: MIT */
/** @file export.h - how the library's functions are declared to C and C++. */
#ifndef PQT_EXPORT_H
#define PQT_EXPORT_H

#if defined(__GNUC__) || defined(__clang__)
/** Marks a function that the shared library hands out; all others stay hidden. */
#define PQT_API __attribute__((visibility("default")))
/** Marks a function whose result is its whole purpose: ignoring it draws a warning. */
#define PQT_NODISCARD __attribute__((warn_unused_result))
#else
#define PQT_API
#define PQT_NODISCARD
#endif

#ifdef __cplusplus
#define PQT_BEGIN_DECLARATIONS extern "C" {
#define PQT_END_DECLARATIONS }
#else
#define PQT_BEGIN_DECLARATIONS
#define PQT_END_DECLARATIONS
#endif

#endif

/* SPDX-License-Identifier: MIT */
/** @file export.h - macros that declare the library's functions to C and C++. */
#ifndef PQT_EXPORT_H
#define PQT_EXPORT_H

#if defined(__GNUC__) || defined(__clang__)
/** Exports a function from the shared library. All other functions are hidden. */
#define PQT_API __attribute__((visibility("default")))
/** Makes the compiler warn if the result of the function is not used. */
#define PQT_NODISCARD __attribute__((warn_unused_result))
#else
#define PQT_API
#define PQT_NODISCARD
#endif

#ifdef __cplusplus
/** Begins the declarations of a header, with C linkage in C++. */
#define PQT_BEGIN_DECLARATIONS extern "C" {
/** Ends what PQT_BEGIN_DECLARATIONS began. */
#define PQT_END_DECLARATIONS }
#else
#define PQT_BEGIN_DECLARATIONS
#define PQT_END_DECLARATIONS
#endif

#endif

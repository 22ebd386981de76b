/* SPDX-License-Identifier: MIT */
/*
 * option_structs.h - options structs of programs that were compiled with another release.
 *
 * Each public struct that begins with `size` can grow. A program passes the size that its headers
 * gave the struct:
 *
 * - A smaller struct, of an earlier release, is read up to its size. Later fields take their
 *   defaults. No struct is smaller than that of the first release.
 * - A larger struct, of a later release, is accepted if every byte beyond the library's own struct
 *   is zero: what the program does not set cannot be missed.
 *
 * A new field begins at or beyond the old sizeof, never in its padding.
 */
#ifndef PQTI_OPTION_STRUCTS_H
#define PQTI_OPTION_STRUCTS_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/error.h>

/* Sizes above this are taken for uninitialised memory. Unit: bytes. */
#define PQTI_OPTIONS_MOST 4096

/* A struct that begins with `size`. */
typedef struct pqti_options_layout {
    const char *start;    /* what a program starts from, "PQT_TREE_DEFAULTS", for messages */
    const void *defaults; /* a struct of the library's own size */
    size_t size;          /* the library's own size */
    size_t first_size;    /* that of the first release */
} pqti_options_layout;

/* The structs, each defined in the source that reads it. */
extern const pqti_options_layout pqti_tree_options_layout;
extern const pqti_options_layout pqti_nearest_options_layout;
extern const pqti_options_layout pqti_merge_options_layout;
extern const pqti_options_layout pqti_sweep_options_layout;
extern const pqti_options_layout pqti_region_sweep_options_layout;
extern const pqti_options_layout pqti_world_options_layout;
extern const pqti_options_layout pqti_step_options_layout;
extern const pqti_options_layout pqti_history_options_layout;
extern const pqti_options_layout pqti_history_kind_layout;
extern const pqti_options_layout pqti_svg_options_layout;
extern const pqti_options_layout pqti_png_options_layout;

/* The size that a struct had when `field` was its last. */
#define PQTI_SIZE_THROUGH(type, field)                                                             \
    ((offsetof(type, field) + sizeof(((type *)NULL)->field) + _Alignof(type) - 1) /                \
     _Alignof(type) * _Alignof(type))

/* Defines NAME_layout of a struct `type` whose last field in the first release was `last`. */
#define PQTI_DEFINE_OPTIONS(name, type, last, begin)                                               \
    static const type name##_defaults = begin;                                                     \
    const pqti_options_layout name##_layout = {#begin, &name##_defaults, sizeof(type),             \
                                               PQTI_SIZE_THROUGH(type, last)}

/* Converts options of another size: see pqti_options_read. */
const void *pqti_options_convert(const pqti_options_layout *layout, const void *given,
                                 void *converted, pqt_error *error);

/*
 * Returns the options that `given` means: the defaults for NULL, `given` itself if it has the
 * library's own size, else `converted`, which has room for a struct of that size and is filled.
 * Returns NULL with PQT_ERROR_OPTION if the size is wrong or an unknown field is set.
 */
static inline const void *
pqti_options_read(const pqti_options_layout *layout, const void *given, void *converted,
                  pqt_error *error)
{
    if (given == NULL)
        return layout->defaults;
    if (*(const size_t *)given == layout->size)
        return given;
    return pqti_options_convert(layout, given, converted, error);
}

/* The same for a public function that cannot fail: wrong options stop the program in its name. */
const void *pqti_options_require(const char *function, const pqti_options_layout *layout,
                                 const void *given, void *converted);

/*
 * Copies the library's options to a caller's struct, whose size the caller has set: at most that
 * many bytes, and zeros beyond the library's own struct. The caller's size stays.
 */
void pqti_options_write(const char *function, const pqti_options_layout *layout,
                        const void *options, void *to);

#endif

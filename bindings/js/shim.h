/* SPDX-License-Identifier: MIT */
/*
 * shim.h: code that the functions of pqt.wasm for JavaScript share.
 *
 * All versions are in one heap. Each function that makes a version pins it and returns the pin,
 * which is the handle of a JavaScript object; pqtjs_unpin releases it. Arrays pass through one
 * buffer, which JavaScript fills before a call and copies from after it. A function that fails
 * returns 0, or -1 if 0 is a valid result, and stores the reason in the error that pqtjs_error
 * returns.
 *
 * A handle of 0 means that the object was freed. JavaScript code cannot pass other numbers as
 * handles, because lib/core.js keeps them in private fields, with the kind of the version.
 */
#ifndef PQT_SHIM_H
#define PQT_SHIM_H

#include "config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wasm_simd128.h>

#include <pqt/all.h>

#include "flat.h"
#include "io/bytes_internal.h"
#include "memory/memory_internal.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

/* The error of the last call that failed, until pqtjs_error takes it. It is empty when a call
   begins, because lib/ takes it after each call that fails. */
extern pqt_error failure;
extern pqt_memory *heap; /* the memory of all versions; NULL before the first one */
extern char *buffer;     /* for arguments and results; it has 64 KiB or more */
extern size_t buffer_size;

/* Records a failure, unless one is recorded already. */
static inline void
fail(pqt_status status, const char *text)
{
    flat_fail(&failure, status, 0, text);
}

/* Returns the heap of all versions, which the first call makes; NULL if that failed. */
pqt_memory *memory_of_versions(void);

/* Makes the buffer at least this large, and keeps its contents. */
bool extend(size_t bytes);

/* Frees everything that nothing holds, and returns whether to try a call again. */
bool try_again(void);

/* Reclaims memory in proportion to what was allocated, and returns `pin`: the pin on a version, or
   NULL if the call failed or makes none. Each call that may allocate from the heap ends with this.
 */
pqt_pin *keep(pqt_pin *pin);

/* Returns the version that a handle holds. Returns NULL and sets the failure if it was freed. Traps
   if the version is of another kind, which only a bug in lib/ can cause. */
const void *held_version(const pqt_pin *pin, pqt_kind kind);

/* Does the same for one kind. */
#define VERSION_OF(kind, number)                                                                   \
    static inline const pqt_##kind *kind##_of(const pqt_pin *pin)                                  \
    {                                                                                              \
        return held_version(pin, number);                                                          \
    }
VERSION_OF(region, PQT_KIND_REGION)
VERSION_OF(world, PQT_KIND_WORLD)
VERSION_OF(document, PQT_KIND_DOCUMENT)
VERSION_OF(image, PQT_KIND_IMAGE)

/* Do the same for trees and for maps. The handle of a draft, one more than its address, which is
   even, is accepted, too: they return the draft as it is then. */
const pqt_tree *tree_of(const pqt_pin *pin);

static inline const pqt_map *
map_of(const pqt_pin *pin)
{
    const uintptr_t address = (uintptr_t)pin;
    return address % 2 == 0 ? held_version(pin, PQT_KIND_MAP)
                            : pqt_map_draft_view((pqt_map_draft *)(address - 1));
}

/* Does the same for the kind of an argument, a pqt_kind. See lib/core.js. */
const void *version_of(int kind, const pqt_pin *pin);

/* Returns whether a history was not freed, and sets the failure if it was. The handle of a history
   is its address. JavaScript frees it only once, as it does a pin. */
bool is_history(const pqt_history *history);

/* Append bytes to the buffer, from its beginning, and return the number of bytes. */
void begin_append(void);
bool append(const void *bytes, size_t count);
int32_t pqtjs_appended(void);

/* Returns a change. Sides are stored in pairs, as the library loads them. */
static inline pqt_change
change_of(int kind, double min_x, double min_y, double max_x, double max_y, uint64_t id,
          double to_min_x, double to_min_y, double to_max_x, double to_max_y)
{
    pqt_change change;
    change.kind = (pqt_change_kind)kind;
    change.item.id = id;
    wasm_v128_store(&change.item.box.min, wasm_f64x2_make(min_x, min_y));
    wasm_v128_store(&change.item.box.max, wasm_f64x2_make(max_x, max_y));
    wasm_v128_store(&change.to.min, wasm_f64x2_make(to_min_x, to_min_y));
    wasm_v128_store(&change.to.max, wasm_f64x2_make(to_max_x, to_max_y));
    return change;
}

/* Makes the function return a pin on the version that `call` makes. If memory is exhausted, calls
   once more, but only if `has_arguments`: if the call has not written to the buffer. */
#define RETURN_PINNED_IF(has_arguments, pin, call)                                                 \
    do {                                                                                           \
        for (bool again = false;; again = true) {                                                  \
            const void *made = (call);                                                             \
            if (made != NULL || again || !(has_arguments) || !try_again())                         \
                return keep(pin(made, &failure));                                                  \
        }                                                                                          \
    } while (0)
#define RETURN_PINNED(kind, call) RETURN_PINNED_IF(true, pqt_##kind##_pin, call)
#define RETURN_PINNED_ANY(call) RETURN_PINNED_IF(true, pqt_version_pin, call)
#define RETURN_PINNED_RESULTS(kind, call)                                                          \
    RETURN_PINNED_IF(pqtjs_appended() == 0, pqt_##kind##_pin, call)

/* Does the same for a draft or a history, and for an edit of one, which succeeds or not. */
#define RETURN_DRAFT(type, call)                                                                   \
    do {                                                                                           \
        pqt_##type *made = (call);                                                                 \
        return made != NULL || !try_again() ? made : (call);                                       \
    } while (0)
#define RETURN_HISTORY(call) RETURN_DRAFT(history, call)
#define RETURN_EDITED(call)                                                                        \
    do {                                                                                           \
        const bool made = (call) || (try_again() && (call));                                       \
        keep(NULL);                                                                                \
        return made;                                                                               \
    } while (0)

/* Defines the functions that each kind of version has. A fingerprint is written to the buffer, its
   lower half first. Bytes are written and read by the row of the kind, so a module has only the
   rows of its own kinds. */
#define VERSION_FUNCTIONS(kind)                                                                    \
    int32_t EXPORT(pqtjs_##kind##_fingerprint)(pqt_pin * pin)                                      \
    {                                                                                              \
        const pqt_##kind *version = kind##_of(pin);                                                \
        if (version == NULL)                                                                       \
            return 0;                                                                              \
        const pqt_fingerprint fingerprint = pqt_##kind##_fingerprint(version);                     \
        memcpy(buffer, &fingerprint, sizeof fingerprint);                                          \
        return 1;                                                                                  \
    }                                                                                              \
                                                                                                   \
    int32_t EXPORT(pqtjs_##kind##_equals)(pqt_pin * a, pqt_pin * b)                                \
    {                                                                                              \
        const pqt_##kind *one = kind##_of(a), *other = kind##_of(b);                               \
        return one == NULL || other == NULL ? -1 : pqt_##kind##_equals(one, other);                \
    }                                                                                              \
                                                                                                   \
    int32_t EXPORT(pqtjs_##kind##_check)(pqt_pin * pin)                                            \
    {                                                                                              \
        const pqt_##kind *version = kind##_of(pin);                                                \
        return version != NULL && pqt_##kind##_check(version, &failure);                           \
    }                                                                                              \
                                                                                                   \
    int32_t EXPORT(pqtjs_##kind##_write)(pqt_pin * pin)                                            \
    {                                                                                              \
        const pqt_##kind *version = kind##_of(pin);                                                \
        begin_append();                                                                            \
        if (version == NULL ||                                                                     \
            !pqti_write_version(&pqti_##kind##_bytes, version, flat_append, NULL, &failure))       \
            return -1;                                                                             \
        return pqtjs_appended();                                                                   \
    }                                                                                              \
                                                                                                   \
    static const pqt_##kind *read_##kind(size_t count)                                             \
    {                                                                                              \
        flat_source from = {buffer, count};                                                        \
        return pqti_read_version(&pqti_##kind##_bytes, flat_read_source, &from,                    \
                                 memory_of_versions(), &failure);                                  \
    }                                                                                              \
                                                                                                   \
    pqt_pin *EXPORT(pqtjs_##kind##_read)(size_t count)                                             \
    {                                                                                              \
        RETURN_PINNED(kind, read_##kind(count));                                                   \
    }

#endif

/* SPDX-License-Identifier: MIT */
/**
 * @file error.h - what went wrong, in a value that the caller owns.
 *
 * Every function that can fail takes a `pqt_error *` last and returns NULL or false when it did.
 * The caller starts from `pqt_error error = {0};` and may pass one error through a chain of calls:
 * the first failure stays, later calls neither clear nor replace it. NULL is allowed.
 *
 * An error holds no pointer: it may be copied, kept and thrown away. One error is not to be handed
 * to calls in several threads at once. Errors are for bad data and for what is missing. A mistake
 * of the caller, such as a NULL array with a count, is none: the library says on standard error
 * which function was misused and how, and aborts, unless it was compiled with NDEBUG. The line is
 * `pqt: FUNCTION: SENTENCE`; or `pqt: SENTENCE` where a query's relation or the calling thread is
 * at fault, which is seen where the function is not known. What is wrong with the library itself
 * is told as `pqt: internal error in ...`.
 */
#ifndef PQT_ERROR_H
#define PQT_ERROR_H

#include <stddef.h>

#include <pqt/export.h>

PQT_BEGIN_DECLARATIONS

/** The kinds of failure. The numbers are part of the ABI. */
typedef enum pqt_status {
    PQT_OK = 0,             /**< nothing failed */
    PQT_ERROR_MEMORY = 1,   /**< no memory, or an arena's limit is reached */
    PQT_ERROR_BOX = 2,      /**< a box or a window is NaN, infinite or inside out */
    PQT_ERROR_BOUNDS = 3,   /**< the tree is strict and an item leaves its bounds */
    PQT_ERROR_OPTION = 4,   /**< an option is out of its range; the text names it */
    PQT_ERROR_LIMIT = 5,    /**< more than the library counts; see limits.h */
    PQT_ERROR_THREAD = 6,   /**< the first call came from a thread that is not main */
    PQT_ERROR_MISMATCH = 7, /**< two values do not belong together; the text names the field */
    PQT_ERROR_CORRUPT = 8,  /**< a check found an invariant broken; the text names it */
    PQT_ERROR_STREAM = 9,   /**< a stream could not be read or written */
    /** this build of the library was made without the part asked for */
    PQT_ERROR_UNSUPPORTED = 10,
    PQT_ERROR_CALLBACK = 11, /**< a function of the caller's failed, or answered what cannot be */
    PQT_ERROR_CONFLICT = 12, /**< both sides of a merge changed one id; the text names it */
    PQT_ERROR_BODY = 13,     /**< a body's number is out of its range, or its id is there already */
    PQT_ERROR_FORMAT = 14,   /**< data is not of the format that it should have, or is broken */
    /** the calling thread does not round to nearest, or flushes denormals to zero; see
        docs/manual.md */
    PQT_ERROR_ARITHMETIC = 15
} pqt_status;

/** A failure, or none. Start from `{0}`; set it back to that to use it again. */
typedef struct pqt_error {
    pqt_status status; /**< the kind; PQT_OK: nothing failed yet */
    size_t index;      /**< which element of the caller's array, from 0; 0 if there is none */
    /** one line of UTF-8 that names the value and the place, without a newline; what does not fit
        is cut between characters */
    char text[104];
} pqt_error;

/**
 * Names a status in a few words, for logs.
 *
 * @param status  any value
 * @return        a static string in English, never NULL; "unknown status" for a number that is none
 *
 * @thread  any
 * @since   0.1
 */
PQT_API const char *pqt_status_name(pqt_status status);

PQT_END_DECLARATIONS

#endif

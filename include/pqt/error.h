/* SPDX-License-Identifier: MIT */
/**
 * @file error.h - errors, and the rules that hold for every function of the library. Comments of
 * functions do not repeat them.
 *
 * **Errors.** Every function that can fail takes a `pqt_error *error` as its last parameter and
 * returns NULL or false on failure. Any other result means that the call did its work. Start from
 * `pqt_error error = {0};`. NULL is allowed. An error holds no pointer, so it may be copied and
 * kept. Threads must not pass the same error to calls at the same time. Only some functions of
 * histories in stores can fail without such a parameter: see pqt_store_get_error.
 *
 * **One error for many calls.** A failure is written only into an empty error. So an error keeps
 * the first failure, and later calls neither clear nor replace it. A call with valid arguments does
 * its work whatever the error holds, so only its result says whether it failed.
 *
 * **NULL versions.** A function that takes an error accepts NULL for a version, or for a value of a
 * history, unless its comment says "not NULL". NULL means that an earlier call failed to make it:
 * the earlier error is kept, and the function returns NULL or false. So a chain of calls is checked
 * once, at its end, by its result. If the error is still empty, no earlier call failed, so a NULL
 * version is misuse. If the caller passes NULL for the error, the function cannot tell, and returns
 * NULL or false. A function that takes no error needs a version, unless its comment allows NULL.
 *
 * **Floating-point mode.** A function that takes an error, and makes or compares versions, fails
 * with PQT_ERROR_ARITHMETIC if the calling thread does not have C's default mode. docs/manual.md,
 * "Reproducible results", describes the mode.
 *
 * **Misuse.** Errors are for bad data and for missing resources. A mistake by the caller, such as a
 * NULL array with a count, is not an error: the library writes a message to standard error and
 * calls abort. A library that was compiled with NDEBUG does not check for mistakes. The message is
 * `pqt: FUNCTION: SENTENCE`, where FUNCTION is the public function that was called. It is `pqt:
 * SENTENCE` if the function is not known, for example because a member of a query or the calling
 * thread is wrong. A fault of the library itself is reported as `pqt: internal error in ...`.
 *
 * **Visitors.** A visitor returns true to continue and false to stop. Its arguments are valid
 * during the call. A function that calls a visitor returns true if every element was visited. It
 * returns false if the visitor stopped it or if it failed. Only a function that takes an error can
 * fail. To distinguish the two, pass an empty error: if it is still empty afterwards, the visitor
 * stopped the call. With a used error, only the visitor knows that it stopped. A visitor may leave
 * by longjmp: nothing stays locked, but the temporary memory of the call is lost, and open scopes
 * stay open (heap.h). Callbacks whose comments say that a lock is held must return.
 *
 * **Callbacks that can fail.** A callback that takes an error receives an empty one, whatever the
 * caller's error holds. Like a function of the library, it fails by returning NULL. Its failure is
 * then written into the caller's error if that is empty.
 *
 * **Results in an array.** A function that writes results into the caller's array takes the array
 * and its capacity, and writes no more than that. If it cannot fail, it returns the number of all
 * results. If it can fail, it returns false on failure and sets `count` to the number of all
 * results. A number above the capacity means that the rest was not written. The array may be NULL
 * if the capacity is 0.
 *
 * **Releases.** Everything is in the library since release 0.1, unless its comment has a later one.
 *
 * **Threads.** A comment with `@thread` names the threads that may call the function. Any number of
 * threads may call the other functions at once, also with the same versions. memory.h says which
 * threads may make versions in the collector's memory.
 */
#ifndef PQT_ERROR_H
#define PQT_ERROR_H

#include <stddef.h>

#include <pqt/export.h>

PQT_BEGIN_DECLARATIONS

/** The kinds of failure. The numbers are part of the ABI. */
typedef enum pqt_status {
    PQT_OK = 0,             /**< no failure */
    PQT_ERROR_MEMORY = 1,   /**< out of memory, or the limit of an arena or heap is reached */
    PQT_ERROR_BOX = 2,      /**< a box or a window is NaN, infinite or inverted */
    PQT_ERROR_BOUNDS = 3,   /**< an item is not inside the bounds of a strict tree or of walls */
    PQT_ERROR_OPTION = 4,   /**< an option is out of range; the text names it */
    PQT_ERROR_LIMIT = 5,    /**< a limit of the library is exceeded; see limits.h */
    PQT_ERROR_THREAD = 6,   /**< the first call came from a thread that is not the main thread */
    PQT_ERROR_MISMATCH = 7, /**< two values do not belong together; the text names the field */
    PQT_ERROR_CORRUPT = 8,  /**< a check found a broken invariant; the text names it */
    PQT_ERROR_STREAM = 9,   /**< a stream could not be read or written */
    PQT_ERROR_UNSUPPORTED = 10, /**< this build of the library lacks the requested part */
    /** a callback failed, or returned a value that it must not return */
    PQT_ERROR_CALLBACK = 11,
    PQT_ERROR_CONFLICT = 12, /**< both sides of a merge changed one id; the text names it */
    PQT_ERROR_BODY = 13,     /**< a number of a body is out of range, or its id exists already */
    PQT_ERROR_FORMAT = 14,   /**< data is not in the expected format, or is damaged */
    /** the calling thread does not round to nearest, flushes denormals to zero, or traps
        exceptions; see docs/manual.md */
    PQT_ERROR_ARITHMETIC = 15
} pqt_status;

/**
 * A failure, or none. Initialise with `{0}`, or `{}` in C++; set it to that again to receive the
 * next failure. The first member is a number because in C++ `{0}` cannot set a member of an
 * enumerated type.
 */
typedef struct pqt_error {
    /** the index of the element of the caller's array at fault; or what the comment of the function
        names, such as a byte or the number of an entry; 0 without either */
    size_t index;
    pqt_status status; /**< the kind; PQT_OK: no failure yet */
    /** one line of UTF-8 without a newline that names the value and the place; a longer text is cut
        between characters */
    char text[104];
} pqt_error;

/**
 * Returns the name of a status in a few words, for logs.
 *
 * @param status  any value
 * @return        a static string in English, never NULL; "unknown status" for any other number
 *
 * @thread  any
 */
PQT_API const char *pqt_status_name(pqt_status status);

PQT_END_DECLARATIONS

#endif

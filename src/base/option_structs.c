/* SPDX-License-Identifier: MIT */
/* option_structs.c: reads options structs of programs that were compiled with another release. */
#include "config.h"

#include "base/option_structs.h"

#include <string.h>

#include "base/error_internal.h"

static size_t
size_of_given(const void *given)
{
    return *(const size_t *)given;
}

static bool
size_is_valid(const pqti_options_layout *layout, size_t size)
{
    return size >= layout->first_size && size <= PQTI_OPTIONS_MAX_SIZE;
}

static bool
tail_is_zero(const pqti_options_layout *layout, const void *given)
{
    const unsigned char *bytes = given;
    for (size_t i = layout->size; i < size_of_given(given); i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

const void *
pqti_options_convert(const pqti_options_layout *layout, const void *given, void *converted,
                     pqt_error *error)
{
    const size_t size = size_of_given(given);
    if (!size_is_valid(layout, size)) {
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "size is %zu, but must be %zu to %d: initialise with %s", size,
                       layout->first_size, PQTI_OPTIONS_MAX_SIZE, layout->start);
        return NULL;
    }
    if (!tail_is_zero(layout, given)) {
        pqti_error_set(
            error, PQT_ERROR_OPTION, 0,
            "size is %zu, and a field beyond %zu is set, which this release does not know", size,
            layout->size);
        return NULL;
    }
    memcpy(converted, layout->defaults, layout->size);
    memcpy(converted, given, size < layout->size ? size : layout->size);
    *(size_t *)converted = layout->size;
    return converted;
}

const void *
pqti_options_require(const char *function, const pqti_options_layout *layout, const void *given,
                     void *converted)
{
    pqt_error error = {0};
    const void *options = pqti_options_read(layout, given, converted, &error);
    PQT_ASSERT_IN(function, options != NULL, error.text);
    return options != NULL ? options : layout->defaults;
}

void
pqti_options_write(const char *function, const pqti_options_layout *layout, const void *options,
                   void *to)
{
    PQT_ASSERT_IN(function, to != NULL, "options is NULL");
    const size_t size = size_of_given(to);
    PQT_ASSERT_IN(function, size_is_valid(layout, size),
                  "options->size is not the size of any release");
    const size_t known = size < layout->size ? size : layout->size;
    memcpy(to, options, known);
    memset((unsigned char *)to + known, 0, size - known);
    *(size_t *)to = size;
}

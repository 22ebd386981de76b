/* SPDX-License-Identifier: MIT */
/* globe.h: the option --globe, with which x is a longitude and y a latitude. */
#ifndef GLOBE_H
#define GLOBE_H

#include <stddef.h>

#include <pqt.h>

#include "tool/column_options.h"

#define GLOBE_OPTION                                                                               \
    {                                                                                              \
        "globe", '\0', POPT_ARG_NONE, &chosen_columns.is_globe, 'G',                               \
            "take x as a longitude, y as a latitude", NULL                                         \
    }

/* Ends the program with an error unless all items of a file are on the globe. */
void globe_require(const pqt_item *items, size_t count, const char *file);

/* Makes a window on the globe from its western, southern, eastern and northern side. Ends the
   program with an error, which shows `text`, if it is none. */
pqt_box globe_window(pqt_box sides, const char *text);

#endif

/* SPDX-License-Identifier: MIT */
/* query.c - a question that need not be filled in: the one that everything answers. */
#include "config.h"

#include <pqt/query.h>

#include <math.h>

pqt_query
pqt_query_all(void)
{
    return (pqt_query){.window = {{-INFINITY, -INFINITY}, {INFINITY, INFINITY}},
                       .relation = PQT_TOUCHES};
}

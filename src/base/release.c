/* SPDX-License-Identifier: MIT */
/* release.c: returns the release number of the library. */
#include "config.h"

#include <pqt/version.h>

const char *
pqt_version(void)
{
    return PQT_VERSION;
}

int
pqt_version_number(void)
{
    return PQT_VERSION_NUMBER;
}

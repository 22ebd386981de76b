/* SPDX-License-Identifier: MIT */
/* release.c - which release of the library this is. */
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

/* SPDX-License-Identifier: MIT */
/* region_commands.h: random commands on regions and bitmaps, selected by weight. */
#ifndef TEST_REGION_COMMANDS_H
#define TEST_REGION_COMMANDS_H

#include "region_versions.h"

typedef struct region_command {
    const char *name;
    version (*run)(stage *s);
    size_t weight;
} region_command;

const region_command *region_command_draw(dice *d);

/* Returns an empty version. */
version region_start_again(stage *s);

#endif

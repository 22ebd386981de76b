/* SPDX-License-Identifier: MIT */
/* column_options.c: the options that name the columns of positions and ids in CSV files. */
#include "config.h"

#include "tool/column_options.h"

#include <string.h>

#include "tool/message.h"

column_names chosen_columns;

/* Divides the argument of --box, which is replaced by its parts, into four names. */
static void
divide_box(const char *names[4])
{
    const quotation given = quote_text(chosen_columns.box);
    char *at = chosen_columns.box;
    size_t count = 0;
    bool is_complete = true;
    while (at != NULL && count < 4) {
        char *name = at;
        at = strchr(name, ',');
        if (at != NULL)
            *at++ = '\0';
        is_complete = is_complete && *name != '\0';
        names[count++] = name;
    }
    if (count < 4 || at != NULL || !is_complete)
        die(NULL, 0, "--box is not four columns X0,Y0,X1,Y1 (%s)", given.text);
}

const pqt_table_options *
column_options(void)
{
    static pqt_table_options options;
    const column_names *chosen = &chosen_columns;
    if (options.size > 0)
        return &options;
    if ((chosen->x == NULL) != (chosen->y == NULL))
        die(NULL, 0, "--%s needs --%s", chosen->x != NULL ? "x" : "y",
            chosen->x != NULL ? "y" : "x");
    if ((chosen->x != NULL) + (chosen->box != NULL) + (chosen->geometry != NULL) > 1)
        die(NULL, 0, "only one of --x with --y, --box and --geometry can be used");
    options = (pqt_table_options)PQT_TABLE_DEFAULTS;
    options.position[0] = chosen->x;
    options.position[1] = chosen->y;
    options.id = chosen->id;
    options.surface = chosen->is_globe ? PQT_SPHERE : PQT_PLANE;
    if (chosen->geometry != NULL)
        options.position[0] = chosen->geometry;
    if (chosen->box != NULL)
        divide_box(options.position);
    return &options;
}

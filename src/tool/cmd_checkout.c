/* SPDX-License-Identifier: MIT */
/* cmd_checkout.c: `pqt checkout`: makes an entry of a store current. */
#include "config.h"

#include "tool/commands.h"

#include <inttypes.h>
#include <stdio.h>

#include <popt.h>
#include <pqt.h>
#include <pqt/stores.h>

#include "tool/cli.h"
#include "tool/message.h"
#include "tool/out.h"
#include "tool/store_input.h"

static const char purpose[] =
    "Makes an entry of a store current, so that the next version follows it, and prints its\n"
    "number. ENTRY is a number or a name. To read a version, pass STORE@ENTRY to any command.\n"
    "Status: 0, or 2 for an error.\n";

static const struct poptOption table_of_options[] = {COMMON_OPTIONS};

int
checkout_command(int count, const char **arguments)
{
    pqt_error error = {0};
    poptContext context =
        begin_options(count, arguments, table_of_options, "[OPTION...] STORE@ENTRY", purpose);
    next_option(context);
    const char *name = only_argument(context);
    if (line_is_named(name))
        die(name, 0,
            "a line has no current entry, since versions follow the newest one; to go back, save "
            "the older version again (pqt save)");
    opened_store opened = store_open_named(name, PQT_STORE_WRITE);
    store_close_at_exit(&opened);
    if (!opened.has_entry)
        die(opened.file, 0, "no entry is named (STORE@ENTRY)");
    if (!pqt_history_checkout(opened.history, opened.entry, &error))
        die_error(opened.file, &error);
    printf("%" PRIu64 "\n", opened.entry);
    finish_standard_output();
    store_close_named(&opened);
    poptFreeContext(context);
    return STATUS_FOUND;
}

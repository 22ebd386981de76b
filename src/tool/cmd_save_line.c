/* SPDX-License-Identifier: MIT */
/*
 * cmd_save_line.c: saves a version to a line, for `pqt save`.
 *
 * The line is opened before FILE is read, so a push by another program while FILE is being made or
 * read is detected. Otherwise FILE, which lacks the changes of that push, would undo them.
 */
#include "config.h"

#include "tool/save_task.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <pqt.h>
#include <pqt/stores.h>

#include "tool/line_input.h"
#include "tool/message.h"
#include "tool/out.h"
#include "tool/save_input.h"

/* Returns the version from which FILE was made: the newest version, or the one that the address
   names. Returns NULL if the line is empty. Ends the program with an error if the new version may
   not follow that version. */
static const void *
version_before(const opened_line *line, bool merges)
{
    const uint64_t newest = pqt_line_number(line->line);
    if (line->number == newest)
        return pqt_line_version(line->line);
    const void *version = line_version(line);
    if (!merges)
        die(line->name, 0,
            "version %" PRIu64 " is not the newest one, which is %" PRIu64
            ": nothing was saved; --merge merges the changes of both",
            line->number, newest);
    return version;
}

static _Noreturn void
die_unsaved(const save_request *req, const opened_line *line, const pqt_error *error)
{
    if (error->status == PQT_ERROR_CONFLICT && !req->merges)
        die(line->name, 0, "%s: nothing was saved; --merge merges the changes of both",
            error->text);
    if (error->status == PQT_ERROR_OPTION && req->label == NULL)
        die(line->name, 0, "%s: --label replaces the name of the file", error->text);
    die_error(line->name, error);
}

static void
push_version(const save_request *req, const opened_line *line, const void *before,
             const save_input *given)
{
    pqt_error error = {0};
    pqt_line *to = line->line;
    const char *label = req->label != NULL ? req->label : given->name;
    const void *version = before == NULL
                              ? given->version
                              : save_version_after(given, pqt_line_kind(to), before, "line");
    const bool done = before != NULL && req->merges
                          ? pqt_line_update(to, before, version, label, NULL, NULL, &error) != NULL
                          : pqt_line_push(to, given->kind, version, label, &error);
    if (!done)
        die_unsaved(req, line, &error);
}

bool
save_to_line(const save_request *req)
{
    pqt_line_stats stats;
    opened_line line =
        line_open_to_save(req->target, req->author != NULL ? req->author : getenv("USER"));
    const void *before = version_before(&line, req->merges);
    const save_input given = save_load(req->file);
    push_version(req, &line, before, &given);
    pqt_line_get_stats(line.line, &stats);
    printf("%" PRIu64 "\n", pqt_line_number(line.line));
    finish_standard_output();
    line_close_named(&line);
    return stats.pushed > 0;
}

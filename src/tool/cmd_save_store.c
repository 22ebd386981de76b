/* SPDX-License-Identifier: MIT */
/* cmd_save_store.c: saves a version to a store, for `pqt save`. */
#include "config.h"

#include "tool/save_task.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include <pqt.h>
#include <pqt/stores.h>

#include "tool/message.h"
#include "tool/out.h"
#include "tool/save_input.h"
#include "tool/store_input.h"

/* Names the current entry, if a name is given. Returns false and sets `error` on failure. */
static bool
name_current(pqt_history *history, const save_request *req, pqt_error *error)
{
    return req->name == NULL ||
           pqt_history_set_name(history, pqt_history_current(history), req->name, error);
}

static const char *
label_of(const save_request *req, const save_input *given)
{
    return req->label != NULL ? req->label : given->name;
}

/* Makes the history of a store that has none. */
static pqt_history *
make_history(const save_request *req, const save_input *given)
{
    pqt_error error = {0};
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.time = req->has_time ? req->time : 0;
    options.label = label_of(req, given);
    pqt_history *made =
        pqt_history_make(pqt_history_kind_of(given->kind), given->version, &options, &error);
    if (made == NULL || !name_current(made, req, &error))
        die_error(req->target, &error);
    return made;
}

/* Saves the first entry of a store. */
static void
save_first(opened_store *opened, pqt_history *made)
{
    pqt_error error = {0};
    opened->history = made;
    if (!pqt_history_save(made, opened->store, &error))
        die_error(opened->file, &error);
}

/* Adds an entry to a store, in a group: if the entry cannot have its name, it is not added. Returns
   false if the version equals the current one. */
static bool
save_next(opened_store *opened, const save_request *req, const save_input *given)
{
    pqt_error error = {0};
    pqt_history_entry current;
    const void *version = save_version_after(given, pqt_store_kind(opened->store),
                                             pqt_history_value(opened->history), "store");
    const uint64_t before = pqt_history_current(opened->history);
    pqt_history_get_entry(opened->history, before, &current);
    const pqt_history_entry_info info = {
        .label = label_of(req, given),
        .time = req->has_time ? req->time : current.time + 1,
    };
    pqt_history_begin(opened->history, info.label);
    if (!pqt_history_push(opened->history, version, &info, &error) ||
        !name_current(opened->history, req, &error)) {
        pqt_history_cancel(opened->history);
        die_error(opened->file, &error);
    }
    pqt_history_end(opened->history);
    return pqt_history_current(opened->history) != before;
}

bool
save_to_store(const save_request *req)
{
    const save_input given = save_load(req->file);
    /* If the first entry is refused, no file has been made. */
    pqt_history *made = access(req->target, F_OK) != 0 ? make_history(req, &given) : NULL;
    opened_store opened = store_open_named(req->target, PQT_STORE_CREATE);
    store_close_at_exit(&opened);
    if (opened.has_entry)
        die(NULL, 0,
            "versions are added after the current entry: pqt checkout makes another entry current");
    bool is_saved = true;
    if (opened.history == NULL) {
        save_first(&opened, made != NULL ? made : make_history(req, &given));
    } else {
        pqt_history_destroy(&made); /* another program has made the store meanwhile */
        is_saved = save_next(&opened, req, &given);
    }
    const uint64_t entry = pqt_history_current(opened.history);
    printf("%" PRIu64 "\n", entry);
    finish_standard_output();
    store_close_named(&opened);
    return is_saved;
}

/* SPDX-License-Identifier: MIT */
/* cmd_save.c: `pqt save`: adds a version to a store. */
#include "config.h"

#include "tool/tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool/input_file.h"
#include "tool/store_input.h"

static const char purpose[] =
    "Adds the version in FILE to a store, as an entry after the current one, and prints its\n"
    "number. A store that does not exist is created. FILE is CSV, .pqt, or a version of another\n"
    "store. Items are put into a tree with the bounds and options of the store's current\n"
    "version; of CSV files, only ids and boxes are kept. A version that equals the current one\n"
    "adds no entry. Status: 0 if it was saved, 1 if nothing has changed, 2 for an error.\n";

enum { STATUS_SAVED = STATUS_FOUND, STATUS_EQUAL = STATUS_NOTHING };

static const struct poptOption table_of_options[] = {
    {"label", 'l', POPT_ARG_STRING, NULL, 'l', "the entry's label (default: the name of FILE)",
     "LABEL"},
    {"name", 'n', POPT_ARG_STRING, NULL, 'n', "name the entry, so that it can be found", "NAME"},
    {"time", 't', POPT_ARG_STRING, NULL, 't', "the entry's time (default: the current one's + 1)",
     "T"},
    COMMON_OPTIONS};

typedef struct request {
    const char *store, *file;
    char *label, *name; /* NULL: not given */
    double time;
    bool has_time;
} request;

static request
read_request(poptContext context)
{
    request req = {.store = NULL};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'l') {
            free(req.label);
            req.label = text_option(context);
        } else if (letter == 'n') {
            free(req.name);
            req.name = text_option(context);
        } else if (letter == 't') {
            char *text = text_option(context);
            if (read_number(text, strlen(text), &req.time) != NUMBER_FINE)
                die(NULL, 0, "--time is not a number (%s)", quote_text(text).text);
            req.has_time = true;
            free(text);
        }
    }
    req.store = file_argument(context, 0);
    req.file = file_argument(context, 1);
    no_argument(context);
    return req;
}

/* A version of any kind. */
typedef struct loaded {
    pqt_bytes_kind kind;
    const void *version;
} loaded;

static loaded
load_input(const char *file)
{
    input_file from = input_open(file);
    loaded given = {from.is_pqt ? from.kind : PQT_BYTES_TREE, NULL};
    switch (given.kind) {
    case PQT_BYTES_REGION:
        given.version = input_region(&from);
        break;
    case PQT_BYTES_WORLD:
        given.version = input_world(&from);
        break;
    case PQT_BYTES_MAP:
        given.version = input_map(&from);
        break;
    case PQT_BYTES_DOCUMENT:
        given.version = input_document(&from);
        break;
    default:
        if (from.is_pqt) {
            given.version = input_tree(&from);
        } else {
            table rows = table_from(&from);
            given.version = tree_of_items(rows.items, rows.count, file);
            table_free(&rows);
        }
    }
    input_close(&from);
    return given;
}

static bool
insert_item(const pqt_item *item, void *context)
{
    pqt_item **next = context;
    *(*next)++ = *item;
    return true;
}

/* Returns a tree of these items with the bounds and options of another one. */
static const pqt_tree *
in_tree_of(const pqt_tree *other, const pqt_tree *given, const char *file)
{
    pqt_error error = {0};
    size_t capacity = 0;
    pqt_item *items = xgrow(NULL, &capacity, pqt_tree_count(given) + 1, sizeof *items);
    pqt_item *next = items;
    pqt_tree_visit(given, NULL, insert_item, &next);
    const pqt_tree *made =
        pqt_tree_insert_all(pqt_tree_clear(other, &error), items, (size_t)(next - items), &error);
    free(items);
    if (made == NULL)
        die_error(file, &error);
    return made;
}

/* Makes the first entry. */
static void
save_first(opened_store *opened, const request *req, const loaded *given)
{
    pqt_error error = {0};
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.time = req->has_time ? req->time : 0;
    opened->history =
        pqt_history_make(pqt_history_kind_of(given->kind), given->version, &options, &error);
    if (opened->history == NULL || !pqt_history_save(opened->history, opened->store, &error))
        die_error(opened->file, &error);
}

/* Adds an entry. Returns false if the version equals the current one. */
static bool
save_next(opened_store *opened, const request *req, const loaded *given)
{
    pqt_error error = {0};
    pqt_history_entry current;
    const pqt_bytes_kind kind = pqt_store_kind(opened->store);
    const void *version = given->version;
    if (given->kind != kind)
        die(req->file, 0, "the file holds a %s, but the store holds %ss",
            input_kind_name(given->kind), input_kind_name(kind));
    if (kind == PQT_BYTES_TREE)
        version = in_tree_of(pqt_history_value(opened->history), version, req->file);
    const uint64_t before = pqt_history_current(opened->history);
    pqt_history_get_entry(opened->history, before, &current);
    const pqt_history_entry_info info = {
        .label = req->label != NULL ? req->label : req->file,
        .time = req->has_time ? req->time : current.time + 1,
    };
    if (!pqt_history_push(opened->history, version, &info, &error))
        die_error(opened->file, &error);
    return pqt_history_current(opened->history) != before;
}

int
save_command(int count, const char **arguments)
{
    poptContext context =
        begin_options(count, arguments, table_of_options, "[OPTION...] STORE FILE", purpose);
    const request req = read_request(context);
    const loaded given = load_input(req.file);
    opened_store opened = store_open_named(req.store, PQT_STORE_CREATE);
    pqt_error error = {0};
    if (opened.has_entry)
        die(NULL, 0, "a version follows the current one: pqt checkout makes another one current");
    bool is_saved = true;
    if (opened.history == NULL)
        save_first(&opened, &req, &given);
    else
        is_saved = save_next(&opened, &req, &given);
    const uint64_t entry = pqt_history_current(opened.history);
    if (req.name != NULL && !pqt_history_set_name(opened.history, entry, req.name, &error))
        die_error(opened.file, &error);
    printf("%" PRIu64 "\n", entry);
    finish_standard_output();
    store_close_named(&opened);
    free(req.label);
    free(req.name);
    poptFreeContext(context);
    return is_saved ? STATUS_SAVED : STATUS_EQUAL;
}

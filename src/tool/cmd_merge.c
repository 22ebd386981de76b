/* SPDX-License-Identifier: MIT */
/* cmd_merge.c: `pqt merge`: performs a three-way merge of files. */
#include "config.h"

#include "tool/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <popt.h>
#include <pqt.h>

#include "tool/cli.h"
#include "tool/column_options.h"
#include "tool/csv_table.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/out.h"
#include "tool/output_version.h"
#include "tool/picture.h"
#include "tool/progress.h"
#include "tool/row_merge.h"
#include "tool/row_output.h"
#include "tool/store_input.h"
#include "tool/tool_memory.h"

static const char purpose[] =
    "Prints, as CSV, file BASE with the changes that files OURS and THEIRS made to it.\n"
    "If both are entries of one store, BASE may be left out: it is their last common ancestor.\n"
    "The rows of OURS stay in their order, and what nobody changed is written byte for byte.\n"
    "Rows are matched by the column id. If no file has one, they are matched by their positions,\n"
    "and ids in messages are numbers of rows, counted from 0. An id that both sides\n"
    "changed differently is merged column by column (the position is one column) if it has one\n"
    "row in each file. Otherwise, or if both sides changed one column, it is a conflict, which is\n"
    "printed on standard error. If there are conflicts, nothing is written\n"
    "unless --resolve decides them. A column that one side added or removed is added or removed;\n"
    "one that the other side changed meanwhile is a conflict. A .pqt file contains only ids and "
    "boxes.\n"
    "Status: 0 merged, 1 conflicts and nothing written, 2 an error.\n";

static const struct poptOption table_of_options[] = {
    {"output", 'o', POPT_ARG_STRING, NULL, 'o', "write to this file, which may be one of the three",
     "OUT"},
    FORMAT_OPTION("csv"),
    {"resolve", '\0', POPT_ARG_STRING, NULL, 'r', "in conflicts keep ours, theirs, both or neither",
     "SIDE"},
    {"svg", 's', POPT_ARG_STRING, NULL, 's', "draw as SVG: the changes of each side, and conflicts",
     "OUT.svg"},
    {"flip-y", 'f', POPT_ARG_NONE, NULL, 'f', "let y point up in the picture", NULL},
    COLUMN_OPTIONS,
    COMMON_OPTIONS};

enum { STATUS_MERGED = STATUS_FOUND, STATUS_CONFLICT = STATUS_NOTHING };

static const char *const side_names[SIDES] = {"base", "ours", "theirs"};

static const struct decision {
    const char *name;
    pqt_resolution resolution;
} decisions[] = {{"ours", PQT_KEEP_OURS},
                 {"theirs", PQT_KEEP_THEIRS},
                 {"both", PQT_KEEP_BOTH},
                 {"neither", PQT_KEEP_NEITHER}};
enum { DECISIONS = sizeof decisions / sizeof decisions[0] };

typedef struct request {
    const char *files[SIDES];
    char *ancestor; /* the name of the base, if it was not given; otherwise NULL */
    char *output;   /* NULL: the result goes to standard output */
    output_format format;
    const struct decision *decision; /* NULL: no decision was given */
    picture drawn;
} request;

static const struct decision *
decision_option(poptContext context)
{
    char *text = text_option(context);
    for (size_t i = 0; i < DECISIONS; i++)
        if (strcmp(text, decisions[i].name) == 0) {
            free(text);
            return &decisions[i];
        }
    die(NULL, 0, "--resolve is not ours, theirs, both or neither (%s)", quote_text(text).text);
}

/* Ends the program with an error if the picture would replace an input. The merged rows may replace
   an input, because all inputs are read before the output is written. */
static void
guard_outputs(const request *req)
{
    for (int i = 0; i < SIDES; i++)
        picture_guard(&req->drawn, req->files[i]);
    output_guard_twin("--output", req->output, "--svg", req->drawn.output);
}

/* Reads the names of the files. The base of two entries of a store need not be named. */
static void
read_files(request *req, poptContext context)
{
    const char *first = file_argument(context, 0), *second = file_argument(context, 1);
    if (poptPeekArg(context) == NULL)
        req->ancestor = store_common_ancestor(first, second);
    const bool is_base_named = req->ancestor == NULL;
    req->files[BASE] = is_base_named ? first : req->ancestor;
    req->files[OURS] = is_base_named ? second : first;
    req->files[THEIRS] = is_base_named ? file_argument(context, 2) : second;
    no_argument(context);
}

static request
read_request(poptContext context)
{
    request req = {.output = NULL};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'o') {
            free(req.output);
            req.output = text_option(context);
        }
        if (letter == 'F')
            req.format = format_option(context, "csv");
        if (letter == 'r')
            req.decision = decision_option(context);
        picture_option(&req.drawn, context, letter);
    }
    read_files(&req, context);
    guard_outputs(&req);
    return req;
}

/* ---- Messages about conflicts ---- */

static void
print_conflict_row(const rows *all, const row *shown)
{
    const char *field = shown->fields;
    fprintf(stderr, " (%s,%s", shortest(shown->item.box.min.x).text,
            shortest(shown->item.box.min.y).text);
    if (all->tables[1].columns.places == 4)
        fprintf(stderr, ",%s,%s", shortest(shown->item.box.max.x).text,
                shortest(shown->item.box.max.y).text);
    for (size_t i = 0; i < all->fields; i++, field = next_field(field))
        fprintf(stderr, ",\"%s\"", quote_text(field).text);
    putc(')', stderr);
}

static void
print_conflict(const merger *m, const conflict_rows *shown, const struct decision *decision)
{
    size_t at = shown->first;
    fprintf(stderr, "pqt: conflict: id %" PRIu64 ":", shown->id);
    for (int s = 0; s < SIDES; s++) {
        fprintf(stderr, s == 0 ? " %s" : ", %s", side_names[s]);
        if (shown->counts[s] == 0)
            fputs(" none", stderr);
        for (size_t i = 0; i < shown->counts[s]; i++)
            print_conflict_row(m->rows, &m->rows->all[m->conflicting[at++]]);
    }
    if (decision != NULL)
        fprintf(stderr, "; kept: %s", decision->name);
    putc('\n', stderr);
}

static void
print_conflicts(const merger *m, const struct decision *decision)
{
    const size_t columns = m->rows->column_conflicts, all = m->count + columns;
    const char *text = m->rows->column_conflict_texts.bytes;
    for (size_t i = 0; i < columns; i++, text = next_field(text))
        fprintf(stderr, "pqt: conflict: %s\n", text);
    for (size_t i = 0; i < m->count; i++)
        print_conflict(m, &m->conflicts[i], decision);
    if (all > 0 && (decision == NULL || columns > 0))
        fprintf(stderr, "pqt: %s conflict%s, nothing is written (%s)\n", grouped(all).text,
                all == 1 ? "" : "s",
                columns > 0 ? "--resolve does not decide those of columns"
                            : "resolve them with --resolve");
}

/* ---- Picture ---- */

/* The way in which the picture shows a row. */
typedef struct row_status {
    bool is_merged, is_conflicting;
} row_status;

typedef bool layer_filter_fn(const row *of, row_status where);

static bool
is_unchanged(const row *of, row_status where)
{
    return where.is_merged && of->files >> BASE & 1;
}

static bool
is_from_ours(const row *of, row_status where)
{
    return where.is_merged && of->files == 1 << OURS;
}

static bool
is_from_theirs(const row *of, row_status where)
{
    return where.is_merged && of->files == 1 << THEIRS;
}

/* Returns true if both sides have a row that the base does not have, or if a row was merged by
   columns and is in none of the three files. */
static bool
is_from_both(const row *of, row_status where)
{
    return where.is_merged && (of->files == (1 << OURS | 1 << THEIRS) || of->files == 0);
}

static bool
is_removed_by_ours(const row *of, row_status where)
{
    return !where.is_merged && !where.is_conflicting && of->files == (1 << BASE | 1 << THEIRS);
}

static bool
is_removed_by_theirs(const row *of, row_status where)
{
    return !where.is_merged && !where.is_conflicting && of->files == (1 << BASE | 1 << OURS);
}

static bool
is_removed_by_both(const row *of, row_status where)
{
    return !where.is_merged && !where.is_conflicting && of->files == 1 << BASE;
}

static bool
is_conflict(const row *of, row_status where)
{
    (void)of;
    return where.is_conflicting;
}

/* The layers, in the order in which they are drawn. */
static const struct layer_of_rows {
    layer_filter_fn *is_in_layer;
    const char *class_name, *meaning;
} layers[] = {{is_unchanged, "ground", "as in the base"},
              {is_removed_by_ours, "gone ours", "removed in ours"},
              {is_removed_by_theirs, "gone theirs", "removed in theirs"},
              {is_removed_by_both, "gone both", "removed in both"},
              {is_from_ours, "ours", "from ours"},
              {is_from_theirs, "theirs", "from theirs"},
              {is_from_both, "both", "from both"},
              {is_conflict, "conflict", "in conflict"}};
enum { LAYERS = sizeof layers / sizeof layers[0] };

static const char style[] =
    ".ours{stroke:#1d4fb0;stroke-width:1.4}\n"
    ".theirs{stroke:#15803d;stroke-width:1.4}\n"
    ".both{stroke:#8b3fb5;stroke-width:1.4}\n"
    ".gone{stroke-width:.9;stroke-dasharray:4 3;stroke-opacity:.7}\n"
    ".conflict{stroke:#d2261d;stroke-width:2;fill:#d2261d;fill-opacity:.12}\n"
    ".ours.dot,.theirs.dot,.both.dot{stroke-width:5}\n"
    ".gone.dot{stroke-width:4;stroke-opacity:.4}\n"
    ".conflict.dot{stroke-width:7}\n";

/* Draws one layer after another. Sets `is_empty` for layers without items. */
static void
draw_layers(picture *drawn, const merger *m, const row_status *where, bool is_empty[LAYERS])
{
    const rows *all = m->rows;
    size_t capacity = 0;
    pqt_item *items = xgrow(NULL, &capacity, all->count, sizeof *items);
    for (int l = 0; l < LAYERS; l++) {
        size_t count = 0;
        for (size_t i = 0; i < all->count; i++)
            if (layers[l].is_in_layer(&all->all[i], where[i]))
                items[count++] = all->all[i].item;
        picture_items(drawn, items, count, layers[l].class_name);
        is_empty[l] = count == 0;
    }
    free(items);
}

/* Returns an array with the status of each row. The caller frees it. */
static row_status *
statuses_of_rows(const merger *m)
{
    size_t capacity = 0;
    row_status *where = xgrow(NULL, &capacity, m->rows->count, sizeof *where);
    memset(where, 0, m->rows->count * sizeof *where);
    for (size_t i = 0; i < m->merged_count; i++)
        where[m->merged[i]].is_merged = true;
    for (size_t i = 0; i < m->conflicting_count; i++)
        where[m->conflicting[i]].is_conflicting = true;
    return where;
}

static void
draw_merge(request *req, const merger *m)
{
    picture *drawn = &req->drawn;
    char what[400];
    bool is_empty[LAYERS];
    row_status *where = statuses_of_rows(m);
    snprintf(what, sizeof what, "merged with %.200s, %s conflict%s", name_of(req->files[THEIRS]),
             grouped(m->count).text, m->count == 1 ? "" : "s");
    drawn->more_style = style;
    picture_begin(drawn, req->files[OURS], what, picture_wide(m->rows->bounds), m->rows->count);
    draw_layers(drawn, m, where, is_empty);
    rows_add_tooltips(m->rows, &drawn->tips);
    tooltips_draw(&drawn->tips, &drawn->svg);
    for (int l = LAYERS - 1; l >= 0; l--)
        if (!is_empty[l])
            pqt_svg_key(&drawn->svg, drawn->sign, layers[l].class_name, layers[l].meaning);
    picture_end(drawn);
    free(where);
}

/* Writes a tree of the merged items. Its bounds are the smallest that contain them. */
static void
write_pqt(FILE *stream, const char *file, const merger *m)
{
    size_t capacity = 0;
    pqt_item *items = xgrow(NULL, &capacity, m->merged_count, sizeof *items);
    for (size_t i = 0; i < m->merged_count; i++)
        items[i] = m->rows->all[m->merged[i]].item;
    output_version(stream, file, tree_of_items(items, m->merged_count, file));
    free(items);
}

static void
write_merged(const request *req, const merger *m)
{
    bool is_file = req->output != NULL && strcmp(req->output, "-") != 0;
    const bool is_pqt = output_is_pqt(req->output, req->format);
    const char *format = output_format_name(req->format, is_pqt ? "pqt" : "CSV");
    FILE *stream = is_file ? output_open(req->output, format) : stdout;
    if (is_pqt) {
        write_pqt(stream, req->output, m);
        return;
    }
    write_merged_rows(m, stream, req->output);
}

/* Merged rows are written as OURS is, but JSON cannot be written. */
static void
refuse_json(const request *req, const rows *all)
{
    for (int s = 0; s < SIDES; s++)
        if (all->tables[s].is_json)
            die(req->files[s], 0, "JSON cannot be merged; pqt search makes CSV of it");
}

int
merge_command(int count, const char **arguments)
{
    poptContext context = begin_options(count, arguments, table_of_options,
                                        "[OPTION...] [BASE] OURS THEIRS", purpose);
    request req = read_request(context);
    rows all = rows_read_sides(req.files);
    refuse_json(&req, &all);
    merger m = merge_rows(&all, req.decision != NULL ? req.decision->resolution : PQT_KEEP_OURS);
    bool is_merged = all.column_conflicts == 0 && (m.count == 0 || req.decision != NULL);
    picture_adapt(&req.drawn, &all.tables[BASE]);
    if (!is_quiet)
        print_conflicts(&m, req.decision);
    if (req.drawn.output != NULL)
        draw_merge(&req, &m);
    if (is_merged)
        write_merged(&req, &m);
    merger_free(&m);
    rows_free(&all);
    free(req.output);
    free(req.ancestor);
    poptFreeContext(context);
    picture_release(&req.drawn);
    return is_merged ? STATUS_MERGED : STATUS_CONFLICT;
}

/* SPDX-License-Identifier: MIT */
/* cmd_merge.c - `pqt merge`: what two sides made of a file, brought together. */
#include "config.h"

#include "tool/tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool/picture.h"
#include "tool/row_merge.h"

static const char purpose[] =
    "Prints, as CSV, file BASE with the changes that files OURS and THEIRS have made of it.\n"
    "Rows belong together by their ids: the column id or, without it, the row numbers. An id\n"
    "that both sides changed, and not alike, is merged column by column (a place is one) if it\n"
    "has one row in each file. Otherwise, and where both changed one column, it is a conflict:\n"
    "a line on standard error. Then nothing is written, unless --resolve says what to keep.\n"
    "Status: 0 merged, 1 conflicts and nothing written, 2 an error.\n";

static const struct poptOption table_of_options[] = {
    {"output", 'o', POPT_ARG_STRING, NULL, 'o', "write there; may be one of the three files",
     "OUT.csv"},
    {"resolve", 'r', POPT_ARG_STRING, NULL, 'r',
     "what to keep in conflicts: ours, theirs, both or neither", "SIDE"},
    {"quiet", 'q', POPT_ARG_NONE, NULL, 'q', "do not list conflicts", NULL},
    {"svg", 's', POPT_ARG_STRING, NULL, 's', "draw which side brought what, and conflicts",
     "OUT.svg"},
    {"flip-y", 'f', POPT_ARG_NONE, NULL, 'f', "let y point up in the picture", NULL},
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
    char *output;                    /* NULL: standard output */
    const struct decision *decision; /* NULL: none */
    bool is_quiet;
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
    complain(NULL, 0, "--resolve is not ours, theirs, both or neither (%s)", quote_text(text).text);
}

/* The merged rows may replace an input, which was read by then; a picture may replace none. */
static void
guard_outputs(const request *asked)
{
    for (int i = 0; i < SIDES; i++)
        picture_guard(&asked->drawn, asked->files[i]);
    output_guard_twin("--output", asked->output, asked->drawn.output);
}

static request
read_request(poptContext context)
{
    request asked = {.output = NULL};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'o') {
            free(asked.output);
            asked.output = text_option(context);
        }
        if (letter == 'r')
            asked.decision = decision_option(context);
        asked.is_quiet = asked.is_quiet || letter == 'q';
        picture_option(&asked.drawn, context, letter);
    }
    for (int i = 0; i < SIDES; i++)
        asked.files[i] = file_argument(context, i);
    no_argument(context);
    guard_outputs(&asked);
    return asked;
}

/** @name Conflicts, in words */
/** @{ */

static void
tell_row(const rows *all, const row *told)
{
    const char *field = told->fields;
    fprintf(stderr, " (%s,%s", shortest(told->item.box.min.x).text,
            shortest(told->item.box.min.y).text);
    if (all->tables[1].columns.places == 4)
        fprintf(stderr, ",%s,%s", shortest(told->item.box.max.x).text,
                shortest(told->item.box.max.y).text);
    for (size_t i = 0; i < all->fields; i++, field = next_field(field))
        fprintf(stderr, ",\"%s\"", quote_text(field).text);
    putc(')', stderr);
}

static void
tell_dispute(const merger *m, const dispute *told, const struct decision *decision)
{
    size_t at = told->first;
    fprintf(stderr, "pqt: conflict: id %" PRIu64 ":", told->id);
    for (int s = 0; s < SIDES; s++) {
        fprintf(stderr, s == 0 ? " %s" : ", %s", side_names[s]);
        if (told->counts[s] == 0)
            fputs(" none", stderr);
        for (size_t i = 0; i < told->counts[s]; i++)
            tell_row(m->rows, &m->rows->all[m->disputed[at++]]);
    }
    if (decision != NULL)
        fprintf(stderr, "; kept: %s", decision->name);
    putc('\n', stderr);
}

static void
tell_disputes(const merger *m, const struct decision *decision)
{
    for (size_t i = 0; i < m->count; i++)
        tell_dispute(m, &m->disputes[i], decision);
    if (m->count > 0 && decision == NULL)
        fprintf(stderr,
                "pqt: %s conflict%s, so nothing is merged (--resolve ours, theirs, both or neither "
                "would)\n",
                grouped(m->count).text, m->count == 1 ? "" : "s");
}
/** @} */

/** @name The picture */
/** @{ */

/* Where a row stands, as far as the picture is concerned. */
typedef struct standing {
    bool is_merged, is_disputed;
} standing;

typedef bool chosen_fn(const row *of, standing where);

static bool
is_unchanged(const row *of, standing where)
{
    return where.is_merged && of->files >> BASE & 1;
}

static bool
is_from_ours(const row *of, standing where)
{
    return where.is_merged && of->files == 1 << OURS;
}

static bool
is_from_theirs(const row *of, standing where)
{
    return where.is_merged && of->files == 1 << THEIRS;
}

/* What both have, and the base has not; or what was merged column by column. */
static bool
is_from_both(const row *of, standing where)
{
    return where.is_merged && (of->files == (1 << OURS | 1 << THEIRS) || of->files == 0);
}

static bool
is_taken_by_ours(const row *of, standing where)
{
    return !where.is_merged && !where.is_disputed && of->files == (1 << BASE | 1 << THEIRS);
}

static bool
is_taken_by_theirs(const row *of, standing where)
{
    return !where.is_merged && !where.is_disputed && of->files == (1 << BASE | 1 << OURS);
}

static bool
is_taken_by_both(const row *of, standing where)
{
    return !where.is_merged && !where.is_disputed && of->files == 1 << BASE;
}

static bool
is_conflict(const row *of, standing where)
{
    (void)of;
    return where.is_disputed;
}

/* In the order in which they are drawn. */
static const struct layer_of_rows {
    chosen_fn *is_chosen;
    const char *class_name, *meaning;
} layers[] = {{is_unchanged, "ground", "as in the base"},
              {is_taken_by_ours, "gone ours", "gone in ours"},
              {is_taken_by_theirs, "gone theirs", "gone in theirs"},
              {is_taken_by_both, "gone both", "gone in both"},
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

/* Draws one layer after the other; `is_empty` tells which had nothing in them. */
static void
draw_layers(picture *drawn, const merger *m, const standing *where, bool is_empty[LAYERS])
{
    const rows *all = m->rows;
    size_t capacity = 0;
    pqt_item *items = grown(NULL, &capacity, all->count, sizeof *items);
    for (int l = 0; l < LAYERS; l++) {
        size_t count = 0;
        for (size_t i = 0; i < all->count; i++)
            if (layers[l].is_chosen(&all->all[i], where[i]))
                items[count++] = all->all[i].item;
        picture_items(drawn, items, count, layers[l].class_name);
        is_empty[l] = count == 0;
    }
    free(items);
}

/* To be freed. */
static standing *
stand_of_rows(const merger *m)
{
    size_t capacity = 0;
    standing *where = grown(NULL, &capacity, m->rows->count, sizeof *where);
    memset(where, 0, m->rows->count * sizeof *where);
    for (size_t i = 0; i < m->merged_count; i++)
        where[m->merged[i]].is_merged = true;
    for (size_t i = 0; i < m->disputed_count; i++)
        where[m->disputed[i]].is_disputed = true;
    return where;
}

static void
draw(request *asked, const merger *m)
{
    picture *drawn = &asked->drawn;
    char what[400];
    bool is_empty[LAYERS];
    standing *where = stand_of_rows(m);
    snprintf(what, sizeof what, "merged with %.200s, %s conflict%s", name_of(asked->files[THEIRS]),
             grouped(m->count).text, m->count == 1 ? "" : "s");
    drawn->more_style = style;
    picture_begin(drawn, asked->files[OURS], what, picture_wide(m->rows->bounds), m->rows->count);
    draw_layers(drawn, m, where, is_empty);
    for (int l = LAYERS - 1; l >= 0; l--)
        if (!is_empty[l])
            pqt_svg_key(&drawn->svg, drawn->sign, layers[l].class_name, layers[l].meaning);
    picture_end(drawn);
    free(where);
}
/** @} */

static void
write_merged(const request *asked, const merger *m)
{
    bool is_file = asked->output != NULL && strcmp(asked->output, "-") != 0;
    FILE *stream = is_file ? output_open(asked->output) : stdout;
    rows_write_table_header(m->rows, stream);
    for (size_t i = 0; i < m->merged_count && !ferror(stream); i++)
        rows_write_line(m->rows, stream, m->merged[i]);
}

int
merge_command(int count, const char **arguments)
{
    poptContext context =
        begin_options(count, arguments, table_of_options, "[OPTION...] BASE OURS THEIRS", purpose);
    request asked = read_request(context);
    rows all = rows_read(asked.files, SIDES, false);
    merger m =
        merge_rows(&all, asked.decision != NULL ? asked.decision->resolution : PQT_KEEP_OURS);
    bool is_merged = m.count == 0 || asked.decision != NULL;
    picture_suit(&asked.drawn, &all.tables[BASE]);
    if (!asked.is_quiet)
        tell_disputes(&m, asked.decision);
    if (asked.drawn.output != NULL)
        draw(&asked, &m);
    if (is_merged)
        write_merged(&asked, &m);
    merger_free(&m);
    rows_free(&all);
    free(asked.output);
    poptFreeContext(context);
    picture_release(&asked.drawn);
    return is_merged ? STATUS_MERGED : STATUS_CONFLICT;
}

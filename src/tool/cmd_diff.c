/* SPDX-License-Identifier: MIT */
/* cmd_diff.c: `pqt diff`: prints and draws the changes from one file to another. */
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
#include "tool/csv_write.h"
#include "tool/json_text.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/picture.h"
#include "tool/row_table.h"
#include "tool/tool_memory.h"

static const char purpose[] =
    "Prints the changes from file A to file B as CSV, one per line, in the order of ids:\n"
    "change,id, the row's old columns, its new columns. A change is added, removed, moved, or\n"
    "changed (same position, but another name or other fields). Rows are matched by the column\n"
    "id; their order does not matter. If neither file has ids, rows are matched by their "
    "positions,\n"
    "so one that moved is removed and added, and the id is the number of the row, counted from 0.\n"
    "With a window, only rows in it are compared: a row that left it is removed, and one that\n"
    "entered it is added.\n"
    "Status: 0 no change, 1 changes, 2 an error.\n";

static const struct poptOption table_of_options[] = {
    {"window", 'w', POPT_ARG_STRING, NULL, 'w', "the window, which limits the comparison",
     "X0,Y0,X1,Y1"},
    {"places", '\0', POPT_ARG_NONE, NULL, 'p', "compare only ids and positions", NULL},
    {"count", 'c', POPT_ARG_NONE, NULL, 'c', "print only how many there are", NULL},
    {"svg", 's', POPT_ARG_STRING, NULL, 's', "draw as SVG: both versions and the changes",
     "OUT.svg"},
    {"flip-y", 'f', POPT_ARG_NONE, NULL, 'f', "let y point up in the picture", NULL},
    {"json", 'j', POPT_ARG_NONE, NULL, 'j', "print JSON: an array", NULL},
    COLUMN_OPTIONS,
    COMMON_OPTIONS};

enum { STATUS_SAME = STATUS_FOUND, STATUS_DIFFERENT = STATUS_NOTHING };

typedef struct request {
    const char *files[2];
    pqt_query query;
    bool has_window;
    bool only_places;
    bool only_count;
    bool wants_json;
    picture drawn;
} request;

typedef enum kind { ADDED, REMOVED, MOVED, CHANGED, KINDS } kind;

static const char *const kind_names[KINDS] = {"added", "removed", "moved", "changed"};

typedef struct change {
    kind kind;
    size_t before, after; /* numbers of rows, or NO_ROW */
    uint64_t id;
} change;

/* The changes, sorted by id and then by row. */
typedef struct changes {
    rows *rows;
    bool are_keys; /* true if the versions that are compared contain keys (row_table.h) */
    change *all;
    size_t count, capacity;
    size_t count_of[KINDS];
} changes;

static request
read_request(poptContext context)
{
    request req = {.query = pqt_query_all()};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'w')
            req.query.window = box_option(context, "--window", true);
        req.has_window = req.has_window || letter == 'w';
        req.only_places = req.only_places || letter == 'p';
        req.only_count = req.only_count || letter == 'c';
        req.wants_json = req.wants_json || letter == 'j';
        picture_option(&req.drawn, context, letter);
    }
    for (int i = 0; i < 2; i++) {
        req.files[i] = file_argument(context, i);
        picture_guard(&req.drawn, req.files[i]);
    }
    no_argument(context);
    return req;
}

/* Returns the row for an item of the versions that are compared. */
static size_t
row_of(const changes *found, pqt_item item)
{
    return rows_find(found->rows, &item, found->are_keys);
}

static bool
add_change(const pqt_change *diff, void *context)
{
    changes *found = context;
    size_t number = row_of(found, diff->item);
    change added = {ADDED, NO_ROW, number, diff->item.id};
    if (diff->kind == PQT_REMOVE)
        added = (change){REMOVED, number, NO_ROW, diff->item.id};
    if (diff->kind == PQT_MOVE) {
        size_t after = row_of(found, (pqt_item){diff->to, diff->item.id});
        bool same_position =
            compare_items(&found->rows->all[number].item, &found->rows->all[after].item) == 0;
        added = (change){same_position ? CHANGED : MOVED, number, after, diff->item.id};
    }
    found->all = xgrow(found->all, &found->capacity, found->count + 1, sizeof *found->all);
    found->all[found->count++] = added;
    found->count_of[added.kind]++;
    return true;
}

/* A query that selects keys by the positions of their rows. */
typedef struct key_query {
    const rows *rows;
    pqt_box window;
} key_query;

static bool
key_is_in_window(const pqt_item *key, void *context)
{
    const key_query *query = context;
    pqt_box place = query->rows->all[rows_find(query->rows, key, true)].item.box;
    return pqt_box_touches(place, query->window);
}

static void
compare_versions(changes *found, const pqt_tree *before, const pqt_tree *after,
                 const pqt_query *query)
{
    pqt_error error = {0};
    if (!pqt_tree_visit_diff(before, after, query, add_change, found, &error))
        die_error(NULL, &error);
}

/* Compares changes by id, then by kind with removals before additions, then by row. */
static int
compare_changes(const void *a, const void *b)
{
    const change *first = a, *second = b;
    int order = (first->id > second->id) - (first->id < second->id);
    size_t one = first->before != NO_ROW ? first->before : first->after;
    size_t other = second->before != NO_ROW ? second->before : second->after;
    order = order != 0 ? order : (first->kind == ADDED) - (second->kind == ADDED);
    return order != 0 ? order : (one > other) - (one < other);
}

static changes
find_changes(rows *both, pqt_query by_place)
{
    changes found = {.rows = both};
    key_query query = {both, by_place.window};
    pqt_query by_key = pqt_query_all();
    by_key.filter = key_is_in_window;
    by_key.context = &query;
    const pqt_tree *versions[2];
    rows_places(both, false, versions);
    compare_versions(&found, versions[0], versions[1], &by_place);
    found.are_keys = true;
    rows_keys(both, versions);
    compare_versions(&found, versions[0], versions[1], &by_key);
    if (found.count > 0)
        qsort(found.all, found.count, sizeof *found.all, compare_changes);
    return found;
}

/* ---- Picture ---- */

enum { MOST_DAMAGE = 12 }; /* the maximum number of boxes; more would not help the reader */
enum {
    DAMAGE_MARGIN_DIVISOR = 100
}; /* the longer side divided by this is a margin, so that the damage of a single point is
      visible */

/* Draws the old or the new items of all changes of one kind. */
static void
draw_kind(picture *drawn, const changes *found, kind which, bool before, const char *class_name)
{
    size_t count = 0, capacity = 0;
    pqt_item *items = xgrow(NULL, &capacity, found->count, sizeof *items);
    for (size_t i = 0; i < found->count; i++)
        if (found->all[i].kind == which)
            items[count++] =
                found->rows->all[before ? found->all[i].before : found->all[i].after].item;
    picture_items(drawn, items, count, class_name);
    free(items);
}

static void
draw_moves(picture *drawn, const changes *found)
{
    size_t count = 0, capacity = 0;
    pqt_segment *lines = xgrow(NULL, &capacity, found->count, sizeof *lines);
    for (size_t i = 0; i < found->count; i++) {
        const change *c = &found->all[i];
        if (c->kind == MOVED)
            lines[count++] = (pqt_segment){pqt_box_centre(found->rows->all[c->before].item.box),
                                           pqt_box_centre(found->rows->all[c->after].item.box)};
    }
    pqt_svg_segments(&drawn->svg, lines, count, "move");
    free(lines);
}

static void
draw_ground(picture *drawn, const rows *both)
{
    size_t count = 0, capacity = 0;
    pqt_item *items = xgrow(NULL, &capacity, both->count, sizeof *items);
    for (size_t i = 0; i < both->count; i++)
        if (both->all[i].files == 3)
            items[count++] = both->all[i].item;
    picture_items(drawn, items, count, "ground");
    free(items);
}

/* Returns the box of the picture: the bounds of all rows, or the part of the bounds that is in the
   window. */
static pqt_box
box_to_draw(const request *req, pqt_box bounds)
{
    pqt_box window = picture_window(req->query.window, bounds);
    pqt_box cell = window;
    if (!req->has_window)
        return bounds;
    pqt_box_intersection(window, bounds, &cell);
    return cell;
}

/* Returns the number of rows that touch a box. */
static size_t
count_in(const rows *both, pqt_box cell)
{
    size_t count = 0;
    for (size_t i = 0; i < both->count; i++)
        count += pqt_box_touches(both->all[i].item.box, cell);
    return count;
}

static void
draw_damage(picture *drawn, const rows *both, const pqt_query *query, pqt_box cell)
{
    pqt_box boxes[MOST_DAMAGE];
    size_t count = MOST_DAMAGE;
    pqt_vec size = pqt_box_size(cell);
    double longer = size.x > size.y ? size.x : size.y;
    pqt_error error = {0};
    const pqt_tree *versions[2];
    rows_places(both, true, versions);
    if (!pqt_diff_damage(versions[0], versions[1], query, boxes, count, &count, &error))
        die_error(NULL, &error);
    for (size_t i = 0; i < count; i++) {
        pqt_box around = pqt_box_grown(boxes[i], longer / DAMAGE_MARGIN_DIVISOR);
        pqt_svg_box(&drawn->svg, pqt_box_is_valid(around) ? around : boxes[i], "damage");
    }
}

static void
draw_keys(picture *drawn, const request *req, const changes *found)
{
    const pqt_svg_sign box = PQT_SVG_BOX, item = drawn->sign;
    if (found->count_of[ADDED] > 0)
        pqt_svg_key(&drawn->svg, item, "added", "added");
    if (found->count_of[REMOVED] > 0)
        pqt_svg_key(&drawn->svg, item, "removed", "removed");
    if (found->count_of[MOVED] > 0) {
        pqt_svg_key(&drawn->svg, item, "moved", "moved");
        pqt_svg_key(&drawn->svg, PQT_SVG_LINE, "move", "from old to new");
    }
    if (found->count_of[CHANGED] > 0)
        pqt_svg_key(&drawn->svg, item, "changed", "changed");
    if (found->count > found->count_of[CHANGED])
        pqt_svg_key(&drawn->svg, box, "damage", "damage");
    pqt_svg_key(&drawn->svg, item, "ground", "unchanged");
    if (req->has_window)
        pqt_svg_key(&drawn->svg, box, "window", "window");
}

static const char style[] =
    ".added{stroke:#15803d;stroke-width:1.4;fill:#15803d;fill-opacity:.12}\n"
    ".removed{stroke:#c2261d;stroke-width:1.4;fill:#c2261d;fill-opacity:.12}\n"
    ".left{stroke:#7da0dc;stroke-width:1}\n"
    ".moved{stroke:#1d4fb0;stroke-width:1.4}\n"
    ".move{stroke:#1d4fb0;stroke-width:.8}\n"
    ".changed{stroke:#8b3fb5;stroke-width:1.4}\n"
    ".damage{stroke:#b7791f;stroke-width:1;stroke-dasharray:6 4;fill:none}\n"
    ".added.dot,.removed.dot,.left.dot,.moved.dot,.changed.dot{stroke-width:5}\n";

static void
draw_diff(request *req, const changes *found)
{
    picture *drawn = &req->drawn;
    char what[400];
    snprintf(what, sizeof what, "%s added, %s removed, %s moved, %s changed since %.200s",
             grouped(found->count_of[ADDED]).text, grouped(found->count_of[REMOVED]).text,
             grouped(found->count_of[MOVED]).text, grouped(found->count_of[CHANGED]).text,
             name_of(req->files[0]));
    const pqt_box cell = box_to_draw(req, found->rows->bounds);
    drawn->more_style = style;
    picture_begin(drawn, req->files[1], what, picture_wide(cell), count_in(found->rows, cell));
    draw_ground(drawn, found->rows);
    draw_damage(drawn, found->rows, &req->query, cell);
    draw_kind(drawn, found, REMOVED, true, "removed");
    draw_kind(drawn, found, MOVED, true, "left");
    draw_moves(drawn, found);
    draw_kind(drawn, found, CHANGED, false, "changed");
    draw_kind(drawn, found, MOVED, false, "moved");
    draw_kind(drawn, found, ADDED, false, "added");
    if (req->has_window)
        pqt_svg_box(&drawn->svg, req->query.window, "window");
    rows_add_tooltips(found->rows, &drawn->tips);
    tooltips_draw(&drawn->tips, &drawn->svg);
    draw_keys(drawn, req, found);
    picture_end(drawn);
}

static void
print_counts(const changes *found, bool as_json)
{
    facts all = {.are_json = as_json, .width = 8};
    if (as_json) {
        for (int k = 0; k < KINDS; k++)
            fact_number(&all, kind_names[k], found->count_of[k]);
        facts_end(&all);
        return;
    }
    for (int k = 0; k < KINDS; k++)
        printf("%-8s %zu\n", kind_names[k], found->count_of[k]);
}

/* Returns the id of a change. Without ids, it is the number of the row in its file: the rows of the
   second file that match none have the numbers after those of the first file. */
static uint64_t
shown_id(const changes *found, const change *c)
{
    const rows *both = found->rows;
    return c->kind == ADDED && !rows_have_ids(both) ? c->id - both->tables[0].count : c->id;
}

static void
print_changes(const changes *found)
{
    fputs("change,id", stdout);
    rows_write_header(found->rows, stdout, "old_");
    rows_write_header(found->rows, stdout, "new_");
    putchar('\n');
    for (size_t i = 0; i < found->count && !ferror(stdout); i++) {
        const change *c = &found->all[i];
        printf("%s,%" PRIu64, kind_names[c->kind], shown_id(found, c));
        rows_write(found->rows, stdout, c->before);
        rows_write(found->rows, stdout, c->after);
        putchar('\n');
    }
}

/* Prints a row as a member that is an object, with the columns that are compared. */
static void
print_row_json(const rows *both, const char *name, size_t number)
{
    const table_columns *columns = &both->tables[1].columns;
    const row *of = &both->all[number];
    const char *field = of->fields;
    const char *separator = "";
    printf(",\"%s\":{", name);
    for (size_t c = 0; c < columns->count; c++) {
        const double *coordinate = coordinate_in(columns, c, &of->item);
        const bool is_other = column_is_other(columns, c);
        if (c == columns->id || (is_other && both->fields == 0))
            continue;
        fputs(separator, stdout);
        write_json_string(stdout, column_name(columns, c));
        putchar(':');
        if (coordinate != NULL)
            fputs(shortest(*coordinate).text, stdout);
        else
            write_json_field(stdout, field);
        field = is_other ? next_field(field) : field;
        separator = ",";
    }
    putchar('}');
}

/* Ends the program with an error if names or fields of changes cannot be written as JSON. */
static void
check_json(const changes *found, const char *const files[2])
{
    const rows *both = found->rows;
    const table_columns *columns = &both->tables[1].columns;
    size_t capacity = 0;
    const char **names = xgrow(NULL, &capacity, columns->count, sizeof *names);
    for (size_t c = 0; c < columns->count; c++) {
        names[c] = column_name(columns, c);
        check_json_text(names[c], files[1]);
    }
    if (both->fields > 0)
        check_json_names(names, columns->count, files[1]);
    free(names);
    for (size_t i = 0; i < found->count; i++)
        for (size_t side = 0; side < 2; side++) {
            const size_t number = side == 0 ? found->all[i].before : found->all[i].after;
            const char *field = number != NO_ROW ? both->all[number].fields : NULL;
            for (size_t f = 0; field != NULL && f < both->fields; f++, field = next_field(field))
                check_json_text(field, files[side]);
        }
}

/* Prints each change as an object with its old and its new row, where there is one. */
static void
print_changes_json(const changes *found)
{
    putchar('[');
    for (size_t i = 0; i < found->count && !ferror(stdout); i++) {
        const change *c = &found->all[i];
        printf("%s\n{\"change\":\"%s\",\"id\":", i > 0 ? "," : "", kind_names[c->kind]);
        write_json_id(stdout, shown_id(found, c));
        if (c->before != NO_ROW)
            print_row_json(found->rows, "old", c->before);
        if (c->after != NO_ROW)
            print_row_json(found->rows, "new", c->after);
        putchar('}');
    }
    puts(found->count > 0 ? "\n]" : "]");
}

int
diff_command(int count, const char **arguments)
{
    poptContext context =
        begin_options(count, arguments, table_of_options, "[OPTION...] A B", purpose);
    request req = read_request(context);
    rows both = rows_read(req.files, 2, req.only_places);
    changes found = find_changes(&both, req.query);
    picture_adapt(&req.drawn, &both.tables[0]);
    if (req.drawn.output != NULL)
        draw_diff(&req, &found);
    if (req.only_count) {
        print_counts(&found, req.wants_json);
    } else if (req.wants_json) {
        check_json(&found, req.files);
        print_changes_json(&found);
    } else {
        print_changes(&found);
    }
    int status = found.count > 0 ? STATUS_DIFFERENT : STATUS_SAME;
    free(found.all);
    rows_free(&both);
    poptFreeContext(context);
    picture_release(&req.drawn);
    return status;
}

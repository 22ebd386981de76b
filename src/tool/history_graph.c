/* SPDX-License-Identifier: MIT */
/* history_graph.c: prints and draws the tree of a history's entries. */
#include "config.h"

#include "tool/history_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt.h>

#include "tool/graph_layout.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/out.h"

enum {
    ROW = 26,    /* the distance between rows, in picture units */
    WIDTH = 760, /* the width of a picture, in picture units */
    /* maximum number of rows in a picture: above it, runs of entries are collapsed, and if that
       does not suffice, rows are drawn without labels */
    MOST_ROWS = 600,
    TEXT_AT = 44,      /* the column, in characters, at which times and bytes begin */
    LONGEST_DRAWN = 26 /* the maximum number of characters of a label in a picture */
};

/* Writes the marks of an entry, for example ", current, saved, named draft". Most entries have no
   marks. */
static void
write_marks(const pqt_history_entry *entry, char *text, size_t size)
{
    snprintf(text, size, "%s%s%s%s", entry->is_current ? ", current" : "",
             entry->is_saved ? ", saved" : "", entry->name != NULL ? ", named " : "",
             entry->name != NULL ? entry->name : "");
}

/* Returns the number of characters (not bytes) in a string. */
static int
width_of(const char *text)
{
    int width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* Prints the vertical lines of the branches that continue below. Returns their width in
   characters. */
static int
print_branch_lines(const graph_layout *all, size_t i)
{
    const size_t columns = all->list[i].column;
    for (size_t column = 0; column < columns; column++)
        fputs(column + 1 == columns && graph_row_begins_branch(all, i) ? "|-" : "| ", stdout);
    return (int)columns * 2;
}

static void
print_row(const graph_layout *all, size_t i)
{
    char marks[PQT_MAX_LABEL + 40], number[40];
    const pqt_history_entry *entry = &all->list[i].entry;
    const char *label = entry->label[0] == '\0' && i == 0 ? "(first)" : entry->label;
    write_marks(entry, marks, sizeof marks);
    snprintf(number, sizeof number, "%" PRIu64, entry->number);
    const int used = print_branch_lines(all, i) + 2 + (int)strlen(number) + 1 + width_of(label);
    printf("%c %s %s%*s  time %s, %s%s\n",
           entry->is_current   ? '>'
           : entry->is_on_path ? '*'
                               : 'o',
           number, label, used < TEXT_AT ? TEXT_AT - used : 0, "", shortest(entry->time).text,
           in_bytes((double)entry->added).text, marks);
}

void
history_print(const pqt_history *history)
{
    graph_layout all = graph_layout_of(history);
    const pqt_history_stats stats = pqt_history_get_stats(history);
    for (size_t i = 0; i < all.count && !ferror(stdout); i++)
        print_row(&all, i);
    printf("%zu entr%s, %zu branch%s, %s in all (index %s, entries %s)\n", stats.entries,
           stats.entries == 1 ? "y" : "ies", stats.branches, stats.branches == 1 ? "" : "es",
           in_bytes((double)stats.bytes).text, in_bytes((double)stats.index_bytes).text,
           in_bytes((double)stats.entry_bytes).text);
    graph_layout_free(&all);
}

/* Returns the position of a row in the picture. A world unit is one row. */
static pqt_vec
position_of_row(const graph_layout *all, size_t i)
{
    return (pqt_vec){(double)all->list[i].column + 0.8, (double)i + 0.5};
}

/* Draws a line from each entry to its parent, first horizontally and then upwards. */
static void
draw_lines(pqt_svg *svg, const graph_layout *all, bool on_path)
{
    for (size_t i = 1; i < all->count; i++) {
        if (all->list[i].entry.is_on_path != on_path)
            continue;
        const pqt_vec to = position_of_row(all, i),
                      from = position_of_row(all, all->list[i].parent);
        const pqt_vec corner = {from.x, to.y};
        const pqt_segment lines[2] = {{from, corner}, {corner, to}};
        pqt_svg_segments(svg, lines, from.x < to.x ? 2 : 1, on_path ? "path" : "branch");
    }
}

/* Returns the number of bytes of a label that fit before the column of times. Counts only whole
   characters. */
static int
bytes_that_fit(const char *label)
{
    int bytes = 0, width = 0;
    for (; label[bytes] != '\0'; bytes++) {
        width += ((unsigned char)label[bytes] & 0xc0) != 0x80;
        if (width > LONGEST_DRAWN)
            break;
    }
    return bytes;
}

static void
draw_text(pqt_svg *svg, const graph_layout *all, size_t i)
{
    const graph_row *row = &all->list[i];
    const pqt_history_entry *entry = &row->entry;
    const pqt_vec position = position_of_row(all, i);
    const char *label = entry->label[0] == '\0' && i == 0 ? "(first)" : entry->label;
    const int fits = bytes_that_fit(label);
    char marks[PQT_MAX_LABEL + 40], text[2 * PQT_MAX_LABEL + 200];
    write_marks(entry, marks, sizeof marks);
    if (row->left_out > 0)
        snprintf(text, sizeof text, "\xe2\x80\xa6  %zu entries", row->left_out + 1);
    else
        snprintf(text, sizeof text, "%" PRIu64 "  %.*s%s", entry->number, fits, label,
                 label[fits] != '\0' ? "\xe2\x80\xa6" : "");
    pqt_svg_text(svg, (pqt_vec){position.x + 0.5, position.y + 0.17}, text,
                 entry->is_on_path ? "label" : "label aside");
    snprintf(text, sizeof text, "time %s, %s%s", shortest(entry->time).text,
             in_bytes((double)entry->added).text, marks);
    if (row->left_out == 0)
        pqt_svg_text(svg, (pqt_vec){(double)all->columns + 10.5, position.y + 0.17}, text,
                     "label aside");
}

static void
draw_rows(pqt_svg *svg, const graph_layout *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const pqt_history_entry *entry = &all->list[i].entry;
        const pqt_vec position = position_of_row(all, i);
        pqt_svg_box(svg, (pqt_box){position, position},
                    entry->is_current   ? "current"
                    : entry->is_on_path ? "passed"
                                        : "other");
        if (all->count <= MOST_ROWS)
            draw_text(svg, all, i);
    }
}

static const char style[] = ".path{stroke:#b3128a;stroke-width:2.5}\n"
                            ".branch{stroke:#9fb0bf;stroke-width:1.5}\n"
                            ".current.dot{stroke:#b3128a;stroke-width:14}\n"
                            ".passed.dot{stroke:#b3128a;stroke-width:8}\n"
                            ".other.dot{stroke:#7b8c9b;stroke-width:8}\n"
                            ".current.sign{stroke-width:14}\n"
                            ".label{fill:#26323f;font-size:13px}\n"
                            ".aside{fill:#5d6d7b}\n";

void
history_draw(const pqt_history *history, const char *output, const char *title)
{
    graph_layout all = graph_layout_of(history);
    if (all.count > MOST_ROWS)
        graph_layout_collapse(&all);
    pqt_svg svg;
    pqt_error error = {0};
    pqt_svg_options options = PQT_SVG_DEFAULTS;
    const double columns = (double)all.columns + (double)WIDTH / ROW;
    const double height = (double)(all.count < MOST_ROWS ? all.count : MOST_ROWS) * ROW;
    options.title = title;
    options.style = style;
    options.width = columns * ROW < 16384 ? columns * ROW : 16384;
    options.height = height > 16 ? height : 16;
    const pqt_box world = {{0, 0}, {columns, (double)all.count}};
    if (!pqt_svg_begin(&svg, output_open(output, "SVG"), world, &options, &error))
        die_error(output, &error);
    draw_lines(&svg, &all, false);
    draw_lines(&svg, &all, true);
    draw_rows(&svg, &all);
    pqt_svg_key(&svg, PQT_SVG_DOT, "current", "current");
    pqt_svg_key(&svg, PQT_SVG_LINE, "path", "undo path");
    pqt_svg_key(&svg, PQT_SVG_LINE, "branch", "other branches");
    graph_layout_free(&all);
    if (!pqt_svg_end(&svg, NULL))
        output_close(); /* reports the cause of the failure */
}

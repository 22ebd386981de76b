/* SPDX-License-Identifier: MIT */
/* report.c: prints figures as a table for people, or as comma-separated values for programs. */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>

#include "peers.h"

static void
begin_table(const plan *what)
{
    printf("pqt %s: process CPU time, median of %zu runs in turn, each in a process of its own.\n",
           pqt_version(), what->repeats);
    printf("+- is half of the range from the least to the greatest. Ratio: peer / pqt; below 1, "
           "pqt loses.\n\n");
    for (size_t i = 0; i < what->contestant_count; i++)
        printf("  %-13s %s\n", what->contestants[i]->name, what->contestants[i]->what);
    for (size_t i = 0; i < peer_count; i++)
        if (peers[i].contestant == NULL)
            printf("  %-13s skipped: %s\n", peers[i].name, peers[i].package);
}

void
report_begin(format form, const plan *what)
{
    if (form == TABLE)
        begin_table(what);
    else
        printf("workload,distribution,n,pqt,peer_name,peer,ratio\n");
    fflush(stdout);
}

void
report_task(format form, const plan *what)
{
    if (form == TABLE)
        printf("\n%s: %s\n", what->task->name, what->task->what);
    fflush(stdout);
}

void
report_too_much(format form, const plan *what)
{
    if (form == TABLE)
        printf("\n%s %zu: skipped: the pairs of this number of equal boxes take longer to "
               "tell than to find\n",
               distribution_name(what->shape), what->count);
}

static const char *
word_of(ending ended)
{
    switch (ended) {
    case UNFINISHED:
        return "not finished in time";
    case WRONG:
        return "wrong answers";
    case CRASHED:
        return "crashed";
    default:
        return "";
    }
}

static bool
has_figure(const plan *what, size_t i)
{
    return i < MOST_FIGURES && what->task->labels[i] != NULL;
}

static void
print_heads(const plan *what)
{
    char head[32];
    printf("\n%-9s %8zu", distribution_name(what->shape), what->count);
    for (size_t i = 0; has_figure(what, i); i++) {
        snprintf(head, sizeof head, "%s %s", what->task->labels[i], what->task->units[i]);
        printf("%*s %-11s", i == 0 ? 14 : 18, head, i == 0 ? "" : "");
    }
    printf("\n");
}

/* Prints three significant digits, and the spread in per cent. */
static void
print_measured(measured value)
{
    int decimals = value.median < 9.995 ? 2 : value.median < 99.95 ? 1 : 0;
    double share = value.median > 0 ? 100 * value.spread / value.median : 0;
    printf("%9.*f +-%2.0f%%", decimals, value.median, share);
}

static void
print_ratio(double ratio, bool is_peer)
{
    char text[32];
    snprintf(text, sizeof text, "%.2f", ratio);
    printf(" %7s %-5s", text, is_peer && strtod(text, NULL) < 1 ? "LOSS" : "");
}

static void
print_contestant(const plan *what, const outcome outcomes[], size_t i)
{
    const peer *contestant = what->contestants[i];
    if (outcomes[i].ended == UNSUITED)
        return;
    printf("  %-15s", contestant->name);
    if (outcomes[i].ended != MEASURED) {
        printf("  %s\n", word_of(outcomes[i].ended));
        return;
    }
    for (size_t j = 0; has_figure(what, j); j++) {
        print_measured(outcomes[i].figures[j]);
        if (i == 0)
            printf("%14s", "");
        else
            print_ratio(outcomes[i].figures[j].median / outcomes[0].figures[j].median,
                        !contestant->is_pqt);
    }
    printf("\n");
}

/* Returns true if a peer cannot run the workload, and prints the reason. Prints nothing for pqt in
 * another memory. */
static bool
is_left_out(const plan *what, const outcome outcomes[], size_t i)
{
    return outcomes[i].ended == UNSUITED && !what->contestants[i]->is_pqt;
}

/* Prints a table with a row for each contestant and a column for each figure. */
static void
report_table(const plan *what, const outcome outcomes[])
{
    const char *before = "  (";
    print_heads(what);
    for (size_t i = 0; i < what->contestant_count; i++)
        print_contestant(what, outcomes, i);
    for (size_t i = 0; i < what->contestant_count; i++)
        if (is_left_out(what, outcomes, i)) {
            printf("%s%s", before, what->contestants[i]->name);
            before = ", ";
        }
    if (before[0] == ',')
        printf(": %s)\n", what->task->otherwise);
}

/* Prints comma-separated values. The fields of a peer without a figure are empty. If there are no
 * peers, the name is empty, too. */
static void
report_line(const plan *what, const outcome outcomes[], size_t i, size_t figure_index)
{
    double own = outcomes[0].figures[figure_index].median;
    bool has_peer = i < what->contestant_count;
    printf("%s,%s,%zu,%.4g,%s,", what->task->labels[figure_index], distribution_name(what->shape),
           what->count, own, has_peer ? what->contestants[i]->name : "");
    if (has_peer && outcomes[i].ended == MEASURED) {
        double other = outcomes[i].figures[figure_index].median;
        printf("%.4g,%.3f\n", other, other / own);
    } else {
        printf(",\n");
    }
}

static void
report_lines(const plan *what, const outcome outcomes[], size_t figure_index)
{
    if (what->contestant_count == 1)
        report_line(what, outcomes, 1, figure_index);
    for (size_t i = 1; i < what->contestant_count; i++)
        if (outcomes[i].ended != UNSUITED || is_left_out(what, outcomes, i))
            report_line(what, outcomes, i, figure_index);
}

void
report(format form, const plan *what, const outcome outcomes[MOST_CONTESTANTS])
{
    if (form == TABLE)
        report_table(what, outcomes);
    for (size_t i = 0; form == CSV && has_figure(what, i); i++)
        report_lines(what, outcomes, i);
    fflush(stdout);
}

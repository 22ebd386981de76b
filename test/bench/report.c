/* SPDX-License-Identifier: MIT */
/* report.c - figures for people, as a table, and for programs, as comma-separated values. */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>

static void
begin_table(const plan *what)
{
    printf("pqt %s: process CPU time, median of %zu runs in turn, each in a process of its own.\n",
           pqt_version(), what->repeats);
    printf(
        "+- is half of what lies between the least and the greatest. Ratio: peer / pqt; below 1, "
        "pqt loses.\n\n");
    for (size_t i = 0; i < what->contestant_count; i++)
        printf("  %-13s %s\n", what->contestants[i]->name, what->contestants[i]->what);
    if (what->contestant_count == 1)
        printf("  No peer was asked for, or found when this was built: no ratios.\n");
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

/* Three digits that count, and the spread in hundredths of them. */
void
report_task(format form, const plan *what)
{
    if (form != TABLE)
        return;
    printf("\n%s: %s\n%-12s %8s  %-10s %15s", what->task->name, what->task->what, "", "items",
           "unit", what->contestants[0]->name);
    for (size_t i = 1; i < what->contestant_count; i++)
        if (what->task->suits(what->contestants[i]))
            printf("  %15s %-10s", what->contestants[i]->name, "ratio");
    for (size_t i = 1; i < what->contestant_count; i++)
        if (!what->task->suits(what->contestants[i]))
            printf("  (%s: %s)", what->contestants[i]->name, what->task->otherwise);
    printf("\n");
}

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
    printf(" %s %-5s", text, is_peer && strtod(text, NULL) < 1 ? "LOSS" : "");
}

static void
report_row(const plan *what, const outcome outcomes[], size_t figure_index)
{
    measured own = outcomes[0].figures[figure_index];
    printf("%-10s %c %8zu  %-10s ", what->task->labels[figure_index],
           distribution_letter(what->shape), what->count, what->task->units[figure_index]);
    print_measured(own);
    for (size_t i = 1; i < what->contestant_count; i++) {
        if (!outcomes[i].possible)
            continue;
        printf("  ");
        print_measured(outcomes[i].figures[figure_index]);
        print_ratio(outcomes[i].figures[figure_index].median / own.median,
                    !what->contestants[i]->is_pqt);
    }
    printf("\n");
}

/* A peer that cannot do it has empty fields; where there are no peers, so has the name. */
static void
report_lines(const plan *what, const outcome outcomes[], size_t figure_index)
{
    double own = outcomes[0].figures[figure_index].median;
    for (size_t i = 1; i == 1 || i < what->contestant_count; i++) {
        bool has_peer = i < what->contestant_count;
        printf("%s,%c,%zu,%.4g,%s,", what->task->labels[figure_index],
               distribution_letter(what->shape), what->count, own,
               has_peer ? what->contestants[i]->name : "");
        if (has_peer && outcomes[i].possible) {
            double other = outcomes[i].figures[figure_index].median;
            printf("%.4g,%.3f\n", other, other / own);
        } else {
            printf(",\n");
        }
    }
}

void
report(format form, const plan *what, const outcome outcomes[MOST_CONTESTANTS])
{
    for (size_t i = 0; i < MOST_FIGURES && what->task->labels[i] != NULL; i++) {
        if (form == TABLE)
            report_row(what, outcomes, i);
        else
            report_lines(what, outcomes, i);
    }
    fflush(stdout);
}

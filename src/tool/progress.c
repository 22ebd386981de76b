/* SPDX-License-Identifier: MIT */
/*
 * progress.c - a bar on standard error, for long work on a terminal.
 *
 * Nothing is shown in the first half second, and nothing ever where standard error is no terminal:
 * scripts see errors there, and nothing else.
 */
#include "config.h"

#include "tool/tool.h"

#include <time.h>
#include <unistd.h>

#define PATIENCE 0.5 /* seconds of work before a bar appears */
#define REDRAW 0.1   /* seconds between two looks of it */
enum { BAR_WIDTH = 30 };

/* The work that is going on; label NULL: none, or nobody watches. */
static struct {
    const char *label;
    uint64_t total;
    double due; /* when the bar is drawn next */
    bool is_drawn;
} work;

static double
now_in_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void
progress_begin(const char *label, uint64_t total)
{
    progress_end();
    if (!isatty(STDERR_FILENO))
        return;
    work.label = label;
    work.total = total;
    work.due = now_in_seconds() + PATIENCE;
}

static void
draw_bar(uint64_t done)
{
    char bar[BAR_WIDTH + 1];
    double part = done < work.total ? (double)done / (double)work.total : 1;
    for (int i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < part * BAR_WIDTH ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r%s [%s] %3.0f %%", work.label, bar, part * 100);
}

void
progress_at(uint64_t done)
{
    if (work.label == NULL)
        return;
    double now = now_in_seconds();
    if (now < work.due)
        return;
    work.due = now + REDRAW;
    work.is_drawn = true;
    if (work.total > 0)
        draw_bar(done);
    else
        fprintf(stderr, "\r%s %s", work.label, grouped(done).text);
    fflush(stderr);
}

void
progress_end(void)
{
    if (work.is_drawn)
        fputs("\r\033[K", stderr);
    work.is_drawn = false;
    work.label = NULL;
}

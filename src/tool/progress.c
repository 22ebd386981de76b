/* SPDX-License-Identifier: MIT */
/*
 * progress.c: a progress bar on standard error.
 *
 * The bar appears only after half a second, and never if standard error is not a terminal: scripts
 * see only errors there.
 */
#include "config.h"

#include "tool/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "tool/numbers.h"

#define DELAY 0.5  /* the delay before the bar appears, in seconds */
#define REDRAW 0.1 /* the time between updates, in seconds */
enum { BAR_WIDTH = 30 };

/* The current work. `label` is NULL if there is none, or if standard error is not a terminal. */
static struct {
    const char *label;
    uint64_t total;
    double due; /* the time of the next update */
    bool is_drawn;
} progress;

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
    progress.label = label;
    progress.total = total;
    progress.due = now_in_seconds() + DELAY;
}

static void
draw_bar(uint64_t done)
{
    char bar[BAR_WIDTH + 1];
    double share = done < progress.total ? (double)done / (double)progress.total : 1;
    for (int i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < share * BAR_WIDTH ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r%s [%s] %3.0f %%", progress.label, bar, share * 100);
}

void
progress_at(uint64_t done)
{
    if (progress.label == NULL)
        return;
    double now = now_in_seconds();
    if (now < progress.due)
        return;
    progress.due = now + REDRAW;
    progress.is_drawn = true;
    if (progress.total > 0)
        draw_bar(done);
    else
        fprintf(stderr, "\r%s %s", progress.label, grouped(done).text);
    fflush(stderr);
}

void
progress_end(void)
{
    if (progress.is_drawn)
        fputs("\r\033[K", stderr);
    progress.is_drawn = false;
    progress.label = NULL;
}

/* SPDX-License-Identifier: MIT */
/*
 * progress.c: how far long work has come, on standard error if that is a terminal.
 *
 * The line appears only after half a second, or after the seconds in PQT_PROGRESS_DELAY. It never
 * appears with --quiet, if standard error is not a terminal, or if the terminal is dumb and so
 * cannot erase it: scripts see only errors there. Work that calls progress_at draws the line
 * itself. For other work, a thread draws it.
 */
#include "config.h"

#include "tool/progress.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "tool/numbers.h"

#define DELAY 0.5  /* the delay before the line appears, in seconds */
#define REDRAW 0.1 /* the time between updates, in seconds */
enum { BAR_WIDTH = 30, LEAST_BAR_WIDTH = 5 };

bool is_quiet;

/* The current work. `label` is NULL if there is none, or if nothing is shown. */
static struct {
    const char *label;
    uint64_t total;
    progress_unit unit;
    double began;
    double due; /* the time of the next update */
    bool is_drawn;
    bool has_thread; /* the thread draws until `is_over`; only then are the others shared */
} progress;

static pthread_t drawer;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t over = PTHREAD_COND_INITIALIZER;
static bool is_over; /* guarded by `lock` */

static double
now_in_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double
delay_in_seconds(void)
{
    const char *text = getenv("PQT_PROGRESS_DELAY");
    double delay;
    if (text != NULL && read_number(text, strlen(text), &delay) == NUMBER_FINE && delay >= 0)
        return delay;
    return DELAY;
}

static bool
is_shown(void)
{
    const char *terminal = getenv("TERM");
    return !is_quiet && isatty(STDERR_FILENO) &&
           (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

/* Returns the number of columns that a line may have without being wrapped. */
static int
columns_of_terminal(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 79;
    return size.ws_col - 1;
}

static digits
amount(uint64_t of)
{
    return progress.unit == PROGRESS_BYTES ? in_bytes((double)of) : grouped(of);
}

/* Returns a time in whole seconds, such as 45 s, 3 min 20 s or 2 h 5 min. */
static digits
whole_time(double seconds)
{
    digits shown;
    const long long whole = seconds < 1e9 ? (long long)seconds : 1000000000;
    if (whole < 60)
        snprintf(shown.text, sizeof shown.text, "%lld s", whole);
    else if (whole < 3600)
        snprintf(shown.text, sizeof shown.text, "%lld min %lld s", whole / 60, whole % 60);
    else
        snprintf(shown.text, sizeof shown.text, "%lld h %lld min", whole / 3600, whole / 60 % 60);
    return shown;
}

/* ---- Drawing ---- */

/* Draws the line: the label, a bar of at most `width` characters, and the rest. In a narrow
   terminal the bar is left out and the line is cut off, because a line that is wrapped could not be
   erased. */
static void
draw_line(double share, int width, const char *rest)
{
    char line[200], bar[BAR_WIDTH + 1];
    const int columns = columns_of_terminal();
    const int free_columns = columns - (int)(strlen(progress.label) + strlen(rest) + 4);
    width = width < free_columns ? width : free_columns;
    for (int i = 0; i < width; i++)
        bar[i] = i < share * width ? '#' : '.';
    if (width >= LEAST_BAR_WIDTH)
        snprintf(line, sizeof line, "%s [%.*s] %s", progress.label, width, bar, rest);
    else
        snprintf(line, sizeof line, "%s %s", progress.label, rest);
    fprintf(stderr, "\r%.*s\033[K", columns, line);
    fflush(stderr);
    progress.is_drawn = true;
}

/* Draws a bar, the total and the time left, if the work continues at the mean speed so far. */
static void
draw_bar(uint64_t done, double took)
{
    char rest[120];
    const double share = done < progress.total ? (double)done / (double)progress.total : 1;
    const double left = share > 0 ? took * (1 - share) / share + 0.5 : 0;
    int used = snprintf(rest, sizeof rest, "%3.0f %%", share * 100);
    if (progress.unit != PROGRESS_TIME)
        used += snprintf(rest + used, sizeof rest - (size_t)used, " of %s",
                         amount(progress.total).text);
    if (share > 0)
        snprintf(rest + used, sizeof rest - (size_t)used, ", %s left", whole_time(left).text);
    draw_line(share, BAR_WIDTH, rest);
}

static void
draw_wait(void)
{
    char rest[120];
    snprintf(rest, sizeof rest, "%s items, %s", grouped(progress.total).text,
             whole_time(now_in_seconds() - progress.began).text);
    draw_line(0, 0, rest);
}

/* ---- Work ---- */

static void
begin(const char *label, uint64_t total, progress_unit unit)
{
    progress_end();
    if (!is_shown())
        return;
    progress.label = label;
    progress.total = total;
    progress.unit = unit;
    progress.began = now_in_seconds();
    progress.due = progress.began + delay_in_seconds();
}

void
progress_begin(const char *label, uint64_t total, progress_unit unit)
{
    begin(label, total, unit);
}

void
progress_at(uint64_t done)
{
    if (progress.label == NULL)
        return;
    const double now = now_in_seconds();
    if (now < progress.due)
        return;
    progress.due = now + REDRAW;
    if (progress.total > 0)
        draw_bar(done, now - progress.began);
    else
        draw_line(0, 0, amount(done).text);
}

/* Returns the time of the next update by the wall clock. If that clock is set, the update comes too
   early or too late, but the end of the work is signalled. */
static struct timespec
next_update(void)
{
    struct timespec next;
    clock_gettime(CLOCK_REALTIME, &next);
    next.tv_nsec += (long)(REDRAW * 1e9);
    next.tv_sec += next.tv_nsec / 1000000000;
    next.tv_nsec %= 1000000000;
    return next;
}

/* Draws the line until the work is over. */
static void *
draw_until_over(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!is_over) {
        const struct timespec next = next_update();
        if (now_in_seconds() >= progress.due)
            draw_wait();
        pthread_cond_timedwait(&over, &lock, &next);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

void
progress_begin_wait(const char *label, uint64_t items)
{
    begin(label, items, PROGRESS_COUNT);
    if (progress.label == NULL)
        return;
    is_over = false;
    progress.has_thread = pthread_create(&drawer, NULL, draw_until_over, NULL) == 0;
}

static void
stop_drawer(void)
{
    pthread_mutex_lock(&lock);
    is_over = true;
    pthread_cond_signal(&over);
    pthread_mutex_unlock(&lock);
    pthread_join(drawer, NULL);
    progress.has_thread = false;
}

void
progress_end(void)
{
    if (progress.has_thread)
        stop_drawer();
    if (progress.is_drawn)
        fputs("\r\033[K", stderr);
    progress.is_drawn = false;
    progress.label = NULL;
}

/* SPDX-License-Identifier: MIT */
/*
 * plot.c: draws how figures grow with the number of items. It reads the CSV output of the
 * benchmark, and writes SVG.
 *
 * Both axes are logarithmic, so a power law is a straight line. A dashed line from the first point
 * of each figure shows the expected growth: like the depth of the tree if the task descends one
 * path, or like the number of items if it traverses the whole tree.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SERIES = 32, MOST_POINTS = 64, COLUMNS = 4, EXIT_USAGE = 2 };

/* The layout, in pixels. */
enum { PANEL = 250, GAP_X = 70, GAP_Y = 70, MARGIN_X = 66, MARGIN_Y = 66, FOOT = 26 };

typedef struct point {
    double n, value;
} point;

/* A figure of the benchmark for one distribution. */
typedef struct series {
    char label[16], shape[16];
    point points[MOST_POINTS];
    size_t count;
} series;

/* The expected growth of a figure. */
typedef enum law { LEVEL, LOG_N, N, N_LOG_N } law;

static const char *const law_names[] = {
    [LEVEL] = "1", [LOG_N] = "log n", [N] = "n", [N_LOG_N] = "n log n"};

typedef struct expectation {
    const char *label, *unit, *what;
    law follows;
} expectation;

static const expectation expectations[] = {
    {"W1", "ns/item", "build", LEVEL}, /* built by a radix sort */
    {"W2", "ns/insert", "insert, all versions kept", LOG_N},
    {"W2-bytes", "B/version", "bytes that a version adds", LOG_N},
    {"W2b", "ns/move", "move", LOG_N},
    {"W3-1", "ns/query", "window of 1", LOG_N},
    {"W3-10", "ns/query", "window of 10", LOG_N},
    {"W3-100", "ns/query", "window of 100", LOG_N},
    {"W3-1000", "ns/query", "window of 1000", LOG_N},
    {"W3i-1", "ns/query", "items of a window of 1", LOG_N},
    {"W3i-10", "ns/query", "items of a window of 10", LOG_N},
    {"W3i-100", "ns/query", "items of a window of 100", LOG_N},
    {"W3i-1000", "ns/query", "items of a window of 1000", LOG_N},
    {"W4", "ms", "all pairs", N},
    {"W5", "ms/frame", "move all, and pairs", N},
    {"W5b", "ms/frame", "move one in 100, and changes", N_LOG_N},
    {"W6", "ns/query", "ten nearest", LOG_N},
    {"W7", "ns/query", "first hit of a segment", LOG_N},
    {"W7b", "ns/query", "first hit of a swept box", LOG_N},
    {"W9", "B/item", "bytes held", LEVEL},
};

enum { EXPECTATIONS = sizeof expectations / sizeof expectations[0] };

static const expectation *
expectation_of(const char *label)
{
    for (size_t i = 0; i < EXPECTATIONS; i++)
        if (strcmp(expectations[i].label, label) == 0)
            return &expectations[i];
    return NULL;
}

/* ---- reading ---- */

/* Returns the series for a label and a distribution, and makes it if it does not exist. Returns
 * NULL if there are too many. */
static series *
series_of(series *all, size_t *count, const char *label, const char *shape)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(all[i].label, label) == 0 && strcmp(all[i].shape, shape) == 0)
            return &all[i];
    if (*count == MOST_SERIES)
        return NULL;
    series *added = &all[(*count)++];
    *added = (series){.count = 0};
    snprintf(added->label, sizeof added->label, "%s", label);
    snprintf(added->shape, sizeof added->shape, "%s", shape);
    return added;
}

/* Adds a point. A line that repeats the previous number of items is for another peer, and has the
 * same figure for pqt. */
static void
add_point(series *to, point added)
{
    if (to->count > 0 && to->points[to->count - 1].n == added.n)
        return;
    if (to->count < MOST_POINTS)
        to->points[to->count++] = added;
}

/* Parses a line. Returns false if the benchmark does not print such lines. */
static bool
read_line(const char *line, series *all, size_t *count)
{
    char label[16], shape[16];
    point read;
    if (sscanf(line, "%15[^,],%15[^,],%lf,%lf,", label, shape, &read.n, &read.value) != 4 ||
        !(read.n > 1) || !(read.value > 0))
        return false;
    if (expectation_of(label) == NULL)
        return true; /* figures that do not grow with n, such as W8 */
    series *to = series_of(all, count, label, shape);
    if (to != NULL)
        add_point(to, read);
    return true;
}

static size_t
read_all(FILE *in, series all[MOST_SERIES])
{
    char line[256];
    size_t count = 0;
    for (size_t number = 1; fgets(line, sizeof line, in) != NULL; number++)
        if (number > 1 && !read_line(line, all, &count)) {
            fprintf(stderr, "plot: line %zu is none of the benchmark's: %s", number, line);
            exit(EXIT_FAILURE);
        }
    return count;
}

/* ---- drawing ---- */

/* The decades of the axes, as logarithms. All panels have the same x axis; the first decade of y
 * differs. */
typedef struct frame {
    double x0, x1, y0, y1;
    int left, top; /* the position of the panel, in pixels */
} frame;

static double
across(const frame *f, double n)
{
    return f->left + (log10(n) - f->x0) / (f->x1 - f->x0) * PANEL;
}

static double
down(const frame *f, double value)
{
    return f->top + PANEL - (log10(value) - f->y0) / (f->y1 - f->y0) * PANEL;
}

static double
expected(const series *s, const expectation *of, double n)
{
    double times = n / s->points[0].n, deeper = log(n) / log(s->points[0].n);
    const double growth[] = {
        [LEVEL] = 1, [LOG_N] = deeper, [N] = times, [N_LOG_N] = times * deeper};
    return s->points[0].value * growth[of->follows];
}

/* Chooses the decades of y so that the figures are in the middle. All panels have the same number
   of decades, so that slopes can be compared. */
static void
set_decades(frame *f, const series *s, const expectation *of, double decades)
{
    double low = HUGE_VAL, high = 0;
    for (size_t i = 0; i < s->count; i++) {
        double guess = expected(s, of, s->points[i].n);
        low = fmin(low, fmin(s->points[i].value, guess));
        high = fmax(high, fmax(s->points[i].value, guess));
    }
    f->y0 = floor((log10(low) + log10(high) - decades) / 2 + 0.5);
    f->y1 = f->y0 + decades;
}

static void
draw_number(double logarithm)
{
    double value = pow(10, logarithm);
    if (value >= 1e6)
        printf("%.0fM", value / 1e6);
    else if (value >= 1e3)
        printf("%.0fk", value / 1e3);
    else
        printf("%g", value);
}

static void
draw_grid(const frame *f)
{
    for (double x = ceil(f->x0 - 1e-9); x <= f->x1; x++) {
        double at = across(f, pow(10, x));
        printf("<path class='grid' d='M%.1f %d v%d'/><text class='tick' x='%.1f' y='%d'>", at,
               f->top, PANEL, at, f->top + PANEL + 14);
        draw_number(x);
        printf("</text>\n");
    }
    for (double y = f->y0; y <= f->y1; y++) {
        double at = down(f, pow(10, y));
        printf("<path class='grid' d='M%d %.1f h%d'/><text class='side' x='%d' y='%.1f'>", f->left,
               at, PANEL, f->left - 6, at + 4);
        draw_number(y);
        printf("</text>\n");
    }
}

typedef double height_fn(const series *s, const expectation *of, size_t i);

static double
height_expected(const series *s, const expectation *of, size_t i)
{
    return expected(s, of, s->points[i].n);
}

static double
height_measured(const series *s, const expectation *of, size_t i)
{
    (void)of;
    return s->points[i].value;
}

static void
draw_line(const frame *f, const series *s, const expectation *of, height_fn *height,
          const char *class)
{
    printf("<path class='%s' d='", class);
    for (size_t i = 0; i < s->count; i++)
        printf("%c%.1f %.1f ", i == 0 ? 'M' : 'L', across(f, s->points[i].n),
               down(f, height(s, of, i)));
    printf("'/>\n");
}

static void
draw_series(const frame *f, const series *s, const expectation *of)
{
    draw_line(f, s, of, height_expected, "guess");
    draw_line(f, s, of, height_measured, "line");
    for (size_t i = 0; i < s->count; i++)
        printf("<circle cx='%.1f' cy='%.1f' r='2.5'/>\n", across(f, s->points[i].n),
               down(f, s->points[i].value));
}

/* Returns the slope, as a power of n, between the first point and the last one. */
static double
slope_of(const series *s)
{
    const point *first = &s->points[0], *last = &s->points[s->count - 1];
    return s->count < 2 ? 0 : log(last->value / first->value) / log(last->n / first->n);
}

static void
draw_panel(frame f, const series *s, double decades)
{
    const expectation *of = expectation_of(s->label);
    set_decades(&f, s, of, decades);
    printf("<text class='head' x='%d' y='%d'>%s %s: %s</text>\n", f.left, f.top - 22, s->label,
           s->shape, of->what);
    printf("<text class='note' x='%d' y='%d'>%s; n^%.2f, expected %s</text>\n", f.left, f.top - 7,
           of->unit, slope_of(s), law_names[of->follows]);
    draw_grid(&f);
    draw_series(&f, s, of);
}

/* Chooses the decades of n, and the number of decades for the figure that grows most. */
static frame
frame_of(const series *all, size_t count, double *decades)
{
    frame f = {.x0 = HUGE_VAL, .x1 = 0};
    *decades = 2;
    for (size_t i = 0; i < count; i++) {
        const point *first = &all[i].points[0], *last = &all[i].points[all[i].count - 1];
        f.x0 = fmin(f.x0, log10(first->n));
        f.x1 = fmax(f.x1, log10(last->n));
        double low = first->value, high = first->value;
        for (size_t j = 0; j < all[i].count; j++) {
            low = fmin(low, all[i].points[j].value);
            high = fmax(high, all[i].points[j].value);
        }
        *decades = fmax(*decades, ceil(log10(high / low) + 1));
    }
    f.x1 = fmax(f.x1, f.x0 + 1);
    return f;
}

static void
draw_all(const series *all, size_t count)
{
    double decades;
    frame f = frame_of(all, count, &decades);
    size_t rows = (count + COLUMNS - 1) / COLUMNS;
    printf("<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%zu'>\n"
           "<style>text{font:12px sans-serif;fill:#333}.head{font-weight:bold}.note{fill:#777}"
           ".tick{text-anchor:middle;font-size:10px}.side{text-anchor:end;font-size:10px}"
           ".grid{stroke:#e4e4e4}.guess{stroke:#e08020;stroke-dasharray:5 4;fill:none}"
           ".line{stroke:#1560a8;stroke-width:2;fill:none}circle{fill:#1560a8}</style>\n"
           "<rect width='100%%' height='100%%' fill='#fff'/>\n",
           MARGIN_X + COLUMNS * (PANEL + GAP_X), MARGIN_Y + rows * (PANEL + GAP_Y) + FOOT);
    for (size_t i = 0; i < count; i++) {
        f.left = MARGIN_X + (int)(i % COLUMNS) * (PANEL + GAP_X);
        f.top = MARGIN_Y + (int)(i / COLUMNS) * (PANEL + GAP_Y);
        draw_panel(f, &all[i], decades);
    }
    printf("<text class='note' x='%d' y='%zu'>across: items; up: the figure, both logarithmic; "
           "dashed: "
           "what would be expected from the first point on</text>\n</svg>\n",
           MARGIN_X, MARGIN_Y + rows * (PANEL + GAP_Y) + FOOT / 2);
}

int
main(int argc, char **argv)
{
    static series all[MOST_SERIES];
    if (argc != 1) {
        fprintf(stderr, "Usage: %s < FILE.csv > FILE.svg\n", argv[0]);
        return EXIT_USAGE;
    }
    size_t count = read_all(stdin, all);
    if (count == 0) {
        fputs("plot: there are no figures\n", stderr);
        return EXIT_FAILURE;
    }
    draw_all(all, count);
    return EXIT_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/*
 * sharing.c: two writers and a follower share a map through PostgreSQL.
 *
 *     ./sharing postgresql:///city#map
 *
 * See docs/sharing.md for the database. Each writer inserts houses of its own, and moves the same
 * car. The writer that pushes second resolves the conflict.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pqt.h>
#include <pqt/stores.h>

enum { CAR = 1, HOUSES = 50 };

static pqt_error error;

static void
must(bool done)
{
    if (!done) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
}

static pqt_line *
open_line(const char *address, const char *author)
{
    pqt_line_options options = PQT_LINE_DEFAULTS;
    options.author = author;
    pqt_line *line = pqt_line_open(address, NULL, &options, &error);
    must(line != NULL);
    return line;
}

/* Makes the first version, a street with a car. */
static void
begin(const char *address)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.unique_ids = true;
    pqt_line *line = open_line(address, "planner");
    const pqt_tree *map = pqt_tree_make((pqt_box){{0, 0}, {1000, 1000}}, &options, &error);
    map = pqt_tree_insert(map, (pqt_item){{{0, 0}, {4, 2}}, CAR}, &error);
    must(pqt_line_push(line, PQT_KIND_TREE, map, "A street", &error));
    pqt_line_close(&line);
}

/* Resolves the conflict: the second driver moves the car from where it is now. */
static const pqt_tree *
drive(const pqt_tree *map, double distance)
{
    pqt_item car;
    must(pqt_tree_find(map, CAR, &car));
    car.box.min.x += distance;
    car.box.max.x += distance;
    return pqt_tree_move_id(map, CAR, car.box, &error);
}

static const void *
drive_again(const void *base, const void *ours, const void *theirs, void *context,
            pqt_error *failure)
{
    (void)base;
    (void)ours;
    (void)context;
    (void)failure;
    return drive(theirs, 1);
}

static void
write_map(const char *address, const char *author, uint64_t first_id)
{
    pqt_line *line = open_line(address, author);
    for (uint64_t i = 0; i < HOUSES; i++) {
        const pqt_tree *map = pqt_line_version(line);
        const double x = 10 + 15 * (double)i, y = (double)first_id;
        const pqt_item house = {{{x, y}, {x + 10, y + 10}}, first_id + i};
        /* Houses never conflict: the library merges them. */
        must(pqt_line_update(line, map, pqt_tree_insert(map, house, &error), "A house", NULL, NULL,
                             &error) != NULL);
        map = pqt_line_version(line);
        must(pqt_line_update(line, map, drive(map, 1), "Drive", drive_again, NULL, &error) != NULL);
    }
    pqt_line_close(&line);
    exit(0);
}

int
main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: %s ADDRESS, postgresql://...#NAME of a line to be made\n",
                arguments[0]);
        return 2;
    }
    begin(arguments[1]);
    if (fork() == 0)
        write_map(arguments[1], "Ada", 100);
    if (fork() == 0)
        write_map(arguments[1], "Bob", 500);

    /* The follower. Its other threads could read pqt_line_head without a lock. */
    pqt_line *line = open_line(arguments[1], NULL);
    while (pqt_line_number(line) < 1 + 2 * 2 * HOUSES)
        must(pqt_line_wait(line, 60, &error));
    while (wait(NULL) > 0)
        continue;
    pqt_item car;
    const pqt_tree *map = pqt_line_version(line);
    must(pqt_tree_find(map, CAR, &car));
    printf("version %d: %zu houses, the car has driven %g\n", (int)pqt_line_number(line),
           pqt_tree_count(map) - 1, car.box.min.x);
    pqt_line_stats stats;
    pqt_line_get_stats(line, &stats);
    printf("the follower fetched %s\n",
           stats.keyframes == 1 ? "one whole version, then changes only" : "whole versions");
    pqt_line_close(&line);
    return 0;
}

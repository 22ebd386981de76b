/* SPDX-License-Identifier: MIT */
/* used_error_lines.c: cases of used_error.h for lines. test/with_postgresql names the database. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pqt/line.h>
#include <pqt/merge.h>

#include "used_error.h"

/* Returns the address of a line that no other call uses. */
static const char *
new_address(void)
{
    static char address[600];
    static int count;
    const char *database = getenv("PQT_TEST_POSTGRESQL");
    ck_assert_msg(database != NULL, "test/with_postgresql runs this program");
    snprintf(address, sizeof address, "%s#used error %d %d", database, (int)getpid(), count++);
    return address;
}

static pqt_line *
open_at(const char *address)
{
    pqt_error failure = {0};
    pqt_line *line = pqt_line_open(address, sample.memory, NULL, &failure);
    ck_assert_msg(line != NULL, "%s", failure.text);
    return line;
}

/* Returns a line of one version, `sample.tree`. */
static pqt_line *
line_of_one(void)
{
    pqt_error failure = {0};
    pqt_line *line = open_at(new_address());
    ck_assert_msg(pqt_line_push(line, PQT_KIND_TREE, sample.tree, "first", &failure), "%s",
                  failure.text);
    return line;
}

static outcome
closed(pqt_line *line, bool done)
{
    const uint64_t number = pqt_line_number(line);
    pqt_line_close(&line);
    return (outcome){done, number};
}

CASE(pqt_line_open)
{
    pqt_line *line = OWN(pqt_line_open(new_address(), sample.memory, NULL, error));
    const bool done = line != NULL;
    pqt_line_close(&line);
    return (outcome){done, 0};
}

/* Makes two lines of one address, of which the second lacks the newest version. */
static pqt_line *
line_behind(void)
{
    pqt_error failure = {0};
    const char *address = new_address();
    pqt_line *writer = open_at(address), *reader = open_at(address);
    ck_assert_msg(pqt_line_push(writer, PQT_KIND_TREE, sample.tree, "first", &failure), "%s",
                  failure.text);
    pqt_line_close(&writer);
    return reader;
}

CASE(pqt_line_fetch)
{
    pqt_line *line = line_behind();
    const bool done = DONE(pqt_line_fetch(line, error));
    return closed(line, done);
}

CASE(pqt_line_wait)
{
    pqt_line *line = line_behind();
    const bool done = DONE(pqt_line_wait(line, 0, error));
    return closed(line, done);
}

CASE(pqt_line_push)
{
    pqt_line *line = line_of_one();
    const bool done = DONE(pqt_line_push(line, PQT_KIND_TREE, sample.next_tree, "next", error));
    return closed(line, done);
}

CASE(pqt_line_push_all)
{
    const pqt_line_new versions[] = {{sample.next_tree, "next"}, {sample.tree, "back"}};
    pqt_line *line = line_of_one();
    const bool done = DONE(pqt_line_push_all(line, PQT_KIND_TREE, versions, 2, error));
    return closed(line, done);
}

static const void *
merge(const void *base, const void *ours, const void *theirs, void *context, pqt_error *error)
{
    (void)context;
    ck_assert_int_eq(error->status, PQT_OK);
    return pqt_tree_merge(base, ours, theirs, NULL, error);
}

CASE(pqt_line_update)
{
    pqt_error failure = {0};
    pqt_line *line = line_of_one();
    const pqt_tree *ours = pqt_tree_remove_id(sample.tree, 7, &failure);
    ck_assert(pqt_line_push(line, PQT_KIND_TREE, sample.next_tree, "theirs", &failure));
    const outcome result =
        VERSION(pqt_line_update(line, sample.tree, ours, "ours", merge, NULL, error));
    const outcome after = closed(line, result.done);
    return (outcome){result.done, result.value + after.value};
}

CASE(pqt_line_load)
{
    pqt_line *line = line_of_one();
    const outcome result = VERSION(pqt_line_load(line, 1, error));
    pqt_line_close(&line);
    return result;
}

static bool
count_entry(const pqt_line_entry *entry, void *context)
{
    uint64_t *count = context;
    *count += entry->number;
    return true;
}

CASE(pqt_line_visit)
{
    uint64_t count = 0;
    pqt_line *line = line_of_one();
    const bool done = DONE(pqt_line_visit(line, 1, UINT64_MAX, count_entry, &count, error));
    pqt_line_close(&line);
    return (outcome){done, count};
}

CASE(pqt_line_head)
{
    pqt_line *line = line_of_one();
    begin_call();
    const bool done = end_bool(pqt_line_head(line, error) != NULL);
    return closed(line, done);
}

const error_case error_cases_of_lines[] = {
    HAS(pqt_line_open), HAS(pqt_line_fetch),  HAS(pqt_line_wait),
    HAS(pqt_line_push), HAS(pqt_line_update), HAS(pqt_line_push_all),
    HAS(pqt_line_load), HAS(pqt_line_visit),  HAS(pqt_line_head),
};
const size_t error_case_count_of_lines = sizeof error_cases_of_lines / sizeof *error_cases_of_lines;

/* SPDX-License-Identifier: MIT */
/* test_error.c: tests how failures are reported, and that misuse aborts. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pqt/merge.h>
#include <pqt/tree.h>

#include "base/error_internal.h"
#include "misuse.h"
#include "suite.h"

#define ROOM sizeof(((pqt_error *)NULL)->text)

/* Fills `text` with `count` characters 'x' and then `rest`. */
static const char *
padded(char *text, size_t count, const char *rest)
{
    memset(text, 'x', count);
    strcpy(text + count, rest);
    return text;
}

START_TEST(each_status_has_a_name_of_its_own)
{
    for (int a = PQT_OK; a <= PQT_ERROR_ARITHMETIC; a++) {
        const char *name = pqt_status_name((pqt_status)a);
        ck_assert_uint_gt(strlen(name), 0);
        ck_assert_str_ne(name, "unknown status");
        for (int b = PQT_OK; b < a; b++)
            ck_assert_str_ne(name, pqt_status_name((pqt_status)b));
    }
}
END_TEST

START_TEST(an_invalid_status_is_named_unknown)
{
    ck_assert_str_eq(pqt_status_name((pqt_status)(PQT_ERROR_ARITHMETIC + 1)), "unknown status");
    ck_assert_str_eq(pqt_status_name((pqt_status)999), "unknown status");
}
END_TEST

START_TEST(relations_have_names)
{
    static const char *const relations[] = {"unknown relation", "touches", "overlaps",
                                            "inside",           "covers",  "unknown relation"};
    for (int i = 0; i < 6; i++)
        ck_assert_str_eq(pqt_relation_name((pqt_relation)i), relations[i]);
}
END_TEST

START_TEST(a_failure_has_status_index_and_text)
{
    pqt_error error = {0};
    ck_assert(!pqti_may_be_null(&error));
    pqti_error_set(&error, PQT_ERROR_BOUNDS, 17, "item %zu: %s is %d of %llu", (size_t)17, "max.x",
                   -3, 123456789012345ULL);
    ck_assert(pqti_may_be_null(&error));
    ck_assert_int_eq(error.status, PQT_ERROR_BOUNDS);
    ck_assert_uint_eq(error.index, 17);
    ck_assert_str_eq(error.text, "item 17: max.x is -3 of 123456789012345");
}
END_TEST

START_TEST(the_first_failure_is_kept)
{
    pqt_error error = {0};
    pqti_error_set(&error, PQT_ERROR_BOX, 1, "first");
    pqti_error_set(&error, PQT_ERROR_MEMORY, 2, "second");
    ck_assert_int_eq(error.status, PQT_ERROR_BOX);
    ck_assert_uint_eq(error.index, 1);
    ck_assert_str_eq(error.text, "first");
}
END_TEST

START_TEST(without_an_error_nothing_is_reported)
{
    pqti_error_set(NULL, PQT_ERROR_BOX, 0, "nobody listens");
    ck_assert(pqti_may_be_null(NULL));
}
END_TEST

START_TEST(a_text_that_just_fits_is_kept_whole)
{
    char text[ROOM + 8];
    pqt_error error = {0};
    pqti_error_set(&error, PQT_ERROR_BOX, 0, "%s", padded(text, ROOM - 1, ""));
    ck_assert_str_eq(error.text, text);
    error = (pqt_error){0};
    pqti_error_set(&error, PQT_ERROR_BOX, 0, "%s", padded(text, ROOM - 3, "\xc3\xa9"));
    ck_assert_str_eq(error.text, text);
}
END_TEST

START_TEST(a_longer_text_is_cut)
{
    char text[ROOM + 8];
    pqt_error error = {0};
    pqti_error_set(&error, PQT_ERROR_BOX, 0, "%s", padded(text, ROOM, ""));
    text[ROOM - 1] = '\0';
    ck_assert_str_eq(error.text, text);
}
END_TEST

/* Characters of 2, 3 and 4 bytes (e acute, the euro sign, a G clef) are cut after each of their
 * bytes. */
START_TEST(a_text_is_cut_between_characters)
{
    const char *const characters[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9d\x84\x9e"};
    for (size_t i = 0; i < 3; i++) {
        size_t bytes = strlen(characters[i]);
        for (size_t kept = 0; kept <= bytes; kept++) {
            char text[ROOM + 8];
            size_t before = ROOM - 1 - kept;
            for (int more = 0; more < 2; more++) {
                pqt_error error = {0};
                pqti_error_set(&error, PQT_ERROR_BOX, 0, "%s%s",
                               padded(text, before, characters[i]), more ? "!" : "");
                text[kept == bytes ? before + bytes : before] = '\0';
                ck_assert_str_eq(error.text, text);
            }
        }
    }
}
END_TEST

START_TEST(bytes_that_are_not_utf8_are_cut_anywhere)
{
    char text[ROOM + 8];
    memset(text, 0x80, sizeof text);
    text[sizeof text - 1] = '\0';
    pqt_error error = {0};
    pqti_error_set(&error, PQT_ERROR_BOX, 0, "%s", text);
    text[ROOM - 1] = '\0';
    ck_assert_str_eq(error.text, text);
}
END_TEST

START_TEST(a_failure_without_a_status_stops_the_program)
{
    pqt_error error = {0};
    pqti_error_set(&error, PQT_OK, 0, "nothing");
}
END_TEST

START_TEST(misuse_stops_the_program)
{
    pqti_precondition_failed("pqt_tree_insert", "tree is NULL");
}
END_TEST

START_TEST(misuse_prints_a_message_on_standard_error)
{
    int ends[2], status;
    char line[128] = "";
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        pqti_precondition_failed("pqt_tree_insert", "tree is NULL");
    }
    close(ends[1]);
    FILE *output = fdopen(ends[0], "r");
    ck_assert_ptr_nonnull(output);
    ck_assert_uint_gt(fread(line, 1, sizeof line - 1, output), 0);
    fclose(output);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    ck_assert_str_eq(line, "pqt: pqt_tree_insert: tree is NULL\n");
}
END_TEST

static Suite *
error_suite(void)
{
    Suite *suite = suite_create("error");
    TCase *telling = tcase_create("telling");
    tcase_add_test(telling, each_status_has_a_name_of_its_own);
    tcase_add_test(telling, relations_have_names);
    tcase_add_test(telling, an_invalid_status_is_named_unknown);
    tcase_add_test(telling, a_failure_has_status_index_and_text);
    tcase_add_test(telling, the_first_failure_is_kept);
    tcase_add_test(telling, without_an_error_nothing_is_reported);
    tcase_add_test(telling, a_text_that_just_fits_is_kept_whole);
    tcase_add_test(telling, a_longer_text_is_cut);
    tcase_add_test(telling, a_text_is_cut_between_characters);
    tcase_add_test(telling, bytes_that_are_not_utf8_are_cut_anywhere);
    suite_add_tcase(suite, telling);

    TCase *misuse = tcase_create("misuse");
    tcase_add_misuse_test(misuse, a_failure_without_a_status_stops_the_program);
    tcase_add_misuse_test(misuse, misuse_stops_the_program);
    tcase_add_test(misuse, misuse_prints_a_message_on_standard_error);
    suite_add_tcase(suite, misuse);
    return suite;
}

int
main(void)
{
    return run_suite(error_suite());
}

/* SPDX-License-Identifier: MIT */
/* test_change.c: tests that changes of documents name only parts that exist, and that only parts of
   known kinds are changed. */
#include "config.h"

#include <stddef.h>
#include <stdint.h>

#include "bytes_support.h"
#include "change/change.h"
#include "suite.h"
#include "tree_support.h"

enum { PART_CHANGE = 1, PART_WHOLE = 2 };

enum { PARTS = 2 + PQT_WITH_PIXELS + PQT_WITH_WORLDS, TREE_PLACE = 1 + PQT_WITH_PIXELS };

static const pqt_document *
make_document(void)
{
    pqt_error error = {0};
    const pqt_part parts[] = {
        {"map", PQT_KIND_MAP, small_map(0, arena, &error), NULL},
#if PQT_WITH_PIXELS
        {"region", PQT_KIND_REGION, small_region(2, arena, &error), NULL},
#endif
        {"tree", PQT_KIND_TREE, small_tree_of(3, arena, &error), NULL},
#if PQT_WITH_WORLDS
        {"world", PQT_KIND_WORLD, small_world_of(0, arena, &error), NULL},
#endif
    };
    const pqt_document *document = pqt_document_make(parts, PARTS, &error);
    require(document != NULL, error.text);
    return document;
}

/* Writes the change of the document's tree. Its first byte is the index of the part. */
static pqti_byte_buffer
change_of_tree(const pqt_document *document)
{
    pqt_error error = {0};
    pqti_byte_buffer change = {0};
    pqti_encoding encoding = PQTI_NO_CHANGE;
    const pqt_tree *tree = pqt_document_tree(document, "tree");
    tree = pqt_tree_insert(tree, (pqt_item){.box = {{1, 1}, {2, 2}}, .id = 777}, &error);
    const pqt_document *next = pqt_document_set_tree(document, "tree", tree, &error);
    require(next != NULL &&
                pqti_change_write(&change, PQT_KIND_DOCUMENT, document, next, &encoding, &error),
            error.text);
    require(change.bytes[0] == TREE_PLACE && change.bytes[1] == PART_CHANGE,
            "the change begins with the index of the tree");
    return change;
}

static void
expect_damaged(const pqt_error *error)
{
    ck_assert_int_eq(error->status, PQT_ERROR_FORMAT);
    ck_assert_str_eq(error->text, "the change is damaged");
}

/* The struct of the changes has room for PQT_MAX_PARTS parts. Here, the member that follows looks
   like the part of a tree. */
START_TEST(a_change_of_a_part_that_does_not_exist_is_refused)
{
    const pqt_document *document = make_document();
    pqti_byte_buffer change = change_of_tree(document);
    const pqt_kind kind = PQT_KIND_TREE;
    ck_assert_uint_eq(offsetof(pqti_changes, strings),
                      offsetof(pqti_changes, parts) + PQT_MAX_PARTS * sizeof(pqti_part_changes));
    for (unsigned place = 0; place < 256; place++) {
        pqt_error error = {0};
        pqti_changes changes;
        pqti_byte_source source = {change.bytes, change.length, 0, false};
        change.bytes[0] = (uint8_t)place;
        pqti_changes_begin(&changes, PQT_KIND_DOCUMENT, document, arena);
        memcpy(&changes.strings, &kind, sizeof kind);
        const bool is_read = pqti_change_read(&changes, &source, false, &error);
        changes.strings = NULL;
        pqti_changes_free(&changes);
        ck_assert_msg(is_read == (place == TREE_PLACE), "the change of part %u", place);
        if (!is_read)
            expect_damaged(&error);
    }
    pqti_buffer_free(&change);
}
END_TEST

/* A part may be set to an equal version that shares no block with the old one. */
START_TEST(a_part_that_equals_the_old_one_is_not_in_the_change)
{
    pqt_error error = {0};
    const pqt_document *document = make_document();
    const pqt_part parts[] = {
        {"map", PQT_KIND_MAP, pqt_map_copy(pqt_document_map(document, "map"), arena, &error), NULL},
#if PQT_WITH_PIXELS
        {"region", PQT_KIND_REGION, small_region(2, arena, &error), NULL},
#endif
        {"tree", PQT_KIND_TREE, small_tree_of(3, arena, &error), NULL},
#if PQT_WITH_WORLDS
        {"world", PQT_KIND_WORLD, small_world_of(0, arena, &error), NULL},
#endif
    };
    const pqt_document *next = pqt_document_set_parts(document, parts, PARTS, &error);
    require(next != NULL && pqt_document_tree(next, "tree") == parts[TREE_PLACE].version,
            error.text);
    pqti_byte_buffer change = {0};
    pqti_encoding encoding = PQTI_NO_CHANGE;
    require(pqti_change_write(&change, PQT_KIND_DOCUMENT, document, next, &encoding, &error),
            error.text);
    ck_assert_int_eq(encoding, PQTI_REVERSIBLE);
    ck_assert_uint_eq(change.length, 0);
    pqti_buffer_free(&change);
}
END_TEST

/* A world has no changes: it is stored as a whole. */
START_TEST(an_empty_change_of_a_kind_without_changes_is_refused)
{
    const pqt_document *document = make_document();
    const uint8_t of_world[] = {PARTS - 1, PART_CHANGE, 0};
    static const pqt_kind kinds[] = {PQT_KIND_WORLD, PQT_KIND_NONE, PQT_KIND_DOCUMENT};
    for (size_t i = 0; i < 3; i++) {
        pqt_error error = {0};
        pqti_changes changes;
        const bool is_document = kinds[i] == PQT_KIND_DOCUMENT;
        pqti_byte_source source = {of_world, is_document ? sizeof of_world : 0, 0, false};
        pqti_changes_begin(&changes, kinds[i], document, arena);
        ck_assert(!pqti_change_read(&changes, &source, false, &error));
        expect_damaged(&error);
        pqti_changes_free(&changes);
    }
}
END_TEST

/* How a part is stored is a byte, too. A part that is stored whole cannot be read backwards. */
START_TEST(a_part_that_is_stored_in_another_way_is_refused)
{
    const pqt_document *document = make_document();
    pqti_byte_buffer change = change_of_tree(document);
    for (unsigned how = 0; how < 256; how++)
        for (int backwards = 0; backwards < 2; backwards++) {
            pqt_error error = {0};
            pqti_changes changes;
            pqti_byte_source source = {change.bytes, change.length, 0, false};
            change.bytes[1] = (uint8_t)how;
            pqti_changes_begin(&changes, PQT_KIND_DOCUMENT, document, arena);
            const bool is_read = pqti_change_read(&changes, &source, backwards == 1, &error);
            pqti_changes_free(&changes);
            ck_assert_msg(is_read == (how == PART_CHANGE), "how is %u", how);
            if (!is_read && (how != PART_WHOLE || backwards == 1))
                expect_damaged(&error);
        }
    pqti_buffer_free(&change);
}
END_TEST

/* The second of several: each part of a document with the most parts is changed, forwards and
   backwards, and no other part is. */
START_TEST(each_part_of_a_full_document_is_changed_alone)
{
    char names[PQT_MAX_PARTS][8];
    pqt_part parts[PQT_MAX_PARTS];
    pqt_error error = {0};
    for (int i = 0; i < PQT_MAX_PARTS; i++) {
        snprintf(names[i], sizeof names[i], "p%02d", i);
        parts[i] = (pqt_part){names[i], PQT_KIND_TREE, small_tree_of(3, arena, &error), NULL};
    }
    const pqt_document *document = pqt_document_make(parts, PQT_MAX_PARTS, &error);
    require(document != NULL, error.text);
    for (int i = 0; i < PQT_MAX_PARTS; i++) {
        pqti_byte_buffer bytes = {0};
        pqti_encoding encoding = PQTI_NO_CHANGE;
        const pqt_tree *tree = pqt_tree_insert(
            parts[i].version, (pqt_item){.box = {{1, 1}, {2, 2}}, .id = 777}, &error);
        const pqt_document *next = pqt_document_set_tree(document, names[i], tree, &error);
        require(next != NULL &&
                    pqti_change_write(&bytes, PQT_KIND_DOCUMENT, document, next, &encoding, &error),
                error.text);
        ck_assert_int_eq(encoding, PQTI_REVERSIBLE);
        for (int backwards = 0; backwards < 2; backwards++) {
            pqti_changes changes;
            const pqt_document *from = backwards ? next : document;
            pqti_byte_source source = {bytes.bytes, bytes.length, 0, false};
            pqti_changes_begin(&changes, PQT_KIND_DOCUMENT, from, arena);
            require(pqti_change_read(&changes, &source, backwards == 1, &error), error.text);
            const pqt_document *made = pqti_changes_apply(&changes, from, &error);
            require(made != NULL, error.text);
            ck_assert(pqt_document_equals(made, backwards ? document : next));
            pqti_changes_free(&changes);
        }
        pqti_buffer_free(&bytes);
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("change");
    TCase *tests = add_tests(suite, "change");
    tcase_add_test(tests, a_change_of_a_part_that_does_not_exist_is_refused);
    tcase_add_test(tests, a_part_that_equals_the_old_one_is_not_in_the_change);
    if (PQT_WITH_WORLDS)
        tcase_add_test(tests, an_empty_change_of_a_kind_without_changes_is_refused);
    tcase_add_test(tests, a_part_that_is_stored_in_another_way_is_refused);
    tcase_add_test(tests, each_part_of_a_full_document_is_changed_alone);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}

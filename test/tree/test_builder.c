/* SPDX-License-Identifier: MIT */
/*
 * test_builder.c: compares the trees that the builder predicts with cases computed by hand.
 *
 * Most cases use bounds of 8 x 8 and a depth of three, so that cells are 4, 2 and 1 wide. Columns
 * are then easy to read: 1 has 0x20000000, and the midline at 4 has 0x80000000.
 */
#include "builder.h"

#include "suite.h"
#include "tree/item_hash.h"

static const pqt_box world = {{0, 0}, {8, 8}};

static pqt_item
box(double min_x, double min_y, double max_x, double max_y, uint64_t id)
{
    return (pqt_item){{{min_x, min_y}, {max_x, max_y}}, id};
}

static pqt_item
point(double x, double y, uint64_t id)
{
    return box(x, y, x, y, id);
}

static void
expect_ids(const built_item *const *items, size_t count, const uint64_t *ids, size_t expected)
{
    ck_assert_uint_eq(count, expected);
    for (size_t i = 0; i < count; i++)
        ck_assert_uint_eq(items[i]->item.id, ids[i]);
}

#define EXPECT_IDS(items, count, ...)                                                              \
    expect_ids(items, count, (const uint64_t[]){__VA_ARGS__},                                      \
               sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

START_TEST(columns_are_the_bits_of_the_fraction)
{
    ck_assert_uint_eq(built_column(0, 0, 8), 0);
    ck_assert_uint_eq(built_column(1, 0, 8), 0x20000000u);
    ck_assert_uint_eq(built_column(4, 0, 8), 0x80000000u);
    ck_assert_uint_eq(built_column(4 - 0x1p-50, 0, 8), 0x7fffffffu);
    ck_assert_uint_eq(built_column(7, 0, 8), 0xe0000000u);
    ck_assert_uint_eq(built_column(0x1p-29, 0, 8), 1);
    ck_assert_uint_eq(built_column(0x1p-30, 0, 8), 0);
}
END_TEST

START_TEST(columns_end_at_the_bounds)
{
    ck_assert_uint_eq(built_column(8, 0, 8), UINT32_MAX);
    ck_assert_uint_eq(built_column(9, 0, 8), UINT32_MAX);
    ck_assert_uint_eq(built_column(1e308, 0, 1e-300), UINT32_MAX);
    ck_assert_uint_eq(built_column(-1, 0, 8), 0);
    ck_assert_uint_eq(built_column(-1e308, 0, 1e-300), 0);
}
END_TEST

START_TEST(an_axis_without_extent_has_one_column)
{
    ck_assert_uint_eq(built_column(5, 5, 5), 0);
    ck_assert_uint_eq(built_column(6, 5, 5), 0);
    ck_assert_uint_eq(built_column(4, 5, 5), 0);
    /* The smallest extent cannot be halved. */
    ck_assert_uint_eq(built_column(0x1p-1074, 0, 0x1p-1074), 0);
}
END_TEST

START_TEST(grid_lines_of_far_bounds_fall_into_their_own_columns)
{
    for (uint32_t k = 0; k < 64; k++) {
        ck_assert_uint_eq(built_column(5e6 + 100.0 * k / 64, 5e6, 5e6 + 100), k << 26);
        ck_assert_uint_eq(built_column(-0x1p996 + k * 0x1p991, -0x1p996, 0x1p996), k << 26);
    }
}
END_TEST

START_TEST(outlier_columns_keep_the_order_of_doubles)
{
    static const double rising[] = {-1e308, -5, -1, -1e-300, 0, 1e-300, 1, 1.5, 1e308};
    ck_assert_uint_eq(built_outlier_column(0, -1, 1), 0x80000000u);
    ck_assert_uint_eq(built_outlier_column(1, -1, 1), 0xbfe00000u);
    ck_assert_uint_eq(built_outlier_column(-1, -1, 1), 0x401fffffu);
    ck_assert_uint_eq(built_outlier_column(7, 6, 8), 0x80000000u);
    ck_assert_uint_eq(built_outlier_column(9, 6, 8), 0xbff00000u);
    for (size_t i = 1; i < sizeof rising / sizeof *rising; i++)
        ck_assert_uint_lt(built_outlier_column(rising[i - 1], -1, 1),
                          built_outlier_column(rising[i], -1, 1));
}
END_TEST

START_TEST(the_level_is_the_first_depth_whose_cell_is_smaller_than_the_box)
{
    const pqt_box wide = {{0, 0}, {8, 4}};
    static const struct {
        double width, height;
        int level;
    } cases[] = {
        {0, 0, 3},    {1, 0.5, 3}, {1.5, 0, 3}, {2, 1, 3},     {2.5, 1, 2},
        {2, 1.25, 2}, {4, 2, 2},   {4.5, 0, 1}, {0, 3, 1},     {8, 4, 1},
        {8.5, 0, 0},  {0, 4.5, 0}, {100, 1, 0}, {1e308, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double w = cases[i].width / 2;
        double h = cases[i].height / 2;
        built_item item = built_item_of(box(4 - w, 2 - h, 4 + w, 2 + h, 1), wide, 3);
        ck_assert_int_eq(item.level, cases[i].level);
        ck_assert(!item.outlier);
    }
}
END_TEST

START_TEST(in_bounds_without_extent_only_points_fit)
{
    const pqt_box dot = {{5, 5}, {5, 5}};
    const pqt_box line = {{0, 5}, {8, 5}};
    ck_assert_int_eq(built_item_of(point(5, 5, 1), dot, 3).level, 3);
    ck_assert_int_eq(built_item_of(box(4, 4, 6, 6, 1), dot, 3).level, 0);
    ck_assert(!built_item_of(box(4, 4, 6, 6, 1), dot, 3).outlier);
    ck_assert(built_item_of(point(5, 6, 1), dot, 3).outlier);
    ck_assert_int_eq(built_item_of(box(1, 5, 4, 5, 1), line, 3).level, 2);
    ck_assert_int_eq(built_item_of(box(1, 4, 1, 6, 1), line, 3).level, 0);
}
END_TEST

START_TEST(a_centre_on_the_edge_is_not_an_outlier)
{
    ck_assert(!built_item_of(point(0, 0, 1), world, 3).outlier);
    ck_assert(!built_item_of(point(8, 8, 1), world, 3).outlier);
    ck_assert(!built_item_of(box(6, 8, 10, 8, 1), world, 3).outlier);
    ck_assert(built_item_of(box(7, 1, 9.5, 1, 1), world, 3).outlier);
    ck_assert(built_item_of(point(4, -0x1p-1073, 1), world, 3).outlier);
    /* Half of the smallest number rounds to 0. So this centre becomes -0.0, which is inside the
       bounds. */
    ck_assert(!built_item_of(point(4, -0x1p-1074, 1), world, 3).outlier);
    ck_assert_int_eq(built_item_of(point(9, 1, 1), world, 3).level, 0);
}
END_TEST

START_TEST(a_midline_belongs_to_the_right_and_lower_quadrant)
{
    static const struct {
        double x, y;
        unsigned char path[3];
    } cases[] = {
        {4, 4, {3, 0, 0}}, {4, 1, {1, 0, 2}}, {1, 4, {2, 0, 1}}, {2, 2, {0, 3, 0}},
        {8, 8, {3, 3, 3}}, {0, 0, {0, 0, 0}}, {6, 5, {3, 1, 2}}, {3, 3, {0, 3, 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        built_item item = built_item_of(point(cases[i].x, cases[i].y, 1), world, 3);
        ck_assert_mem_eq(item.path, cases[i].path, 3);
    }
}
END_TEST

START_TEST(an_empty_tree_has_no_root)
{
    built_tree *tree = built_make(NULL, 0, world, 1, 3);
    built_size size = built_measure(tree);
    ck_assert_ptr_null(tree->root);
    ck_assert_uint_eq(tree->fingerprint.low, 0);
    ck_assert_uint_eq(tree->fingerprint.high, 0);
    ck_assert_uint_eq(size.nodes + size.leaves + size.depth, 0);
    built_free(tree);
}
END_TEST

START_TEST(up_to_the_capacity_the_root_is_a_leaf_in_tree_order)
{
    /* The items are in tree order: the outlier, the item of level 1 in the last quadrant, the
     * points in Z order. */
    const pqt_item items[] = {point(5, 1, 1), box(0, 0, 8, 8, 2), point(-3, 9, 3), point(4, 4, 4)};
    built_tree *tree = built_make(items, 4, world, 4, 3);
    ck_assert(tree->root->leaf);
    EXPECT_IDS(tree->order, tree->count, 3, 1, 2, 4);
    EXPECT_IDS(tree->root->items, tree->root->count, 3, 1, 2, 4);
    built_free(tree);
}
END_TEST

/*
 *     a . b .        a, b and c are points, d is as large as the bounds: too large for a cell of
 *     . . . .        depth 1, so it is an own item of the cell that contains its centre, the last
 *     . . c d        one. c is on both midlines, so it is in that cell too, one level deeper.
 */
START_TEST(a_large_item_is_an_own_item_of_its_cell)
{
    enum { A = 1, B, C, D };
    const pqt_item items[] = {point(4, 4, C), box(0, 0, 8, 8, D), point(5, 1, B), point(1, 1, A)};
    built_tree *tree = built_make(items, 4, world, 1, 3);
    const built_place *root = tree->root;
    const built_place *last = root->quarter[3];
    EXPECT_IDS(tree->order, tree->count, A, B, D, C);
    ck_assert(!root->leaf);
    ck_assert_ptr_null(root->own_items);
    ck_assert(root->quarter[0]->leaf && root->quarter[1]->leaf);
    ck_assert_ptr_null(root->quarter[2]);
    ck_assert(!last->leaf);
    EXPECT_IDS(last->own_items->items, last->own_items->count, D);
    EXPECT_IDS(last->quarter[0]->items, last->quarter[0]->count, C);
    ck_assert_ptr_null(last->quarter[3]);
    ck_assert_uint_eq(root->min_x[0], 0x20000000u);
    ck_assert_uint_eq(root->max_y[0], 0x20000000u);
    ck_assert_uint_eq(root->min_x[1], 0xa0000000u);
    ck_assert_uint_eq(root->min_x[2], UINT32_MAX);
    ck_assert_uint_eq(root->max_x[2], 0);
    ck_assert_uint_eq(root->min_x[3], 0);
    ck_assert_uint_eq(root->max_x[3], UINT32_MAX);
    ck_assert_uint_eq(last->min_x[0], 0x80000000u);
    ck_assert_uint_eq(last->max_x[0], 0x80000000u);
    built_size size = built_measure(tree);
    ck_assert_uint_eq(size.nodes, 2);
    ck_assert_uint_eq(size.leaves, 4);
    ck_assert_uint_eq(size.depth, 2);
    built_free(tree);
}
END_TEST

START_TEST(own_items_are_divided_by_centres_from_their_cell_down)
{
    /* Three boxes are 3 wide. Their level is 2, because a cell of depth 1 is 4 wide. The third one
     * is in another cell. */
    const pqt_item items[] = {
        box(-0.5, 0, 2.5, 0, 1), /* centre (1, 0): the path is 0 0, then digit 1 */
        box(-1, 0, 2, 0, 2),     /* centre (0.5, 0): the path is 0 0, then digit 0 */
        box(0.5, 0, 3.5, 0, 3),  /* centre (2, 0): the path is 0 1 */
    };
    built_tree *tree = built_make(items, 3, world, 1, 3);
    const built_place *cell = tree->root->quarter[0]; /* the node of the bounds is not stored */
    EXPECT_IDS(tree->order, tree->count, 2, 1, 3);
    ck_assert(tree->root->deep && !cell->deep);
    ck_assert_int_eq(tree->root->spot.depth, 1);
    ck_assert(!cell->leaf);
    ck_assert_int_eq(cell->spot.kind, BUILT_SPACE);
    ck_assert_int_eq(cell->own_items->spot.kind, BUILT_CENTRE);
    ck_assert_int_eq(cell->own_items->spot.depth, 2);
    ck_assert(!cell->own_items->leaf);
    EXPECT_IDS(cell->own_items->quarter[0]->items, cell->own_items->quarter[0]->count, 2);
    EXPECT_IDS(cell->own_items->quarter[1]->items, cell->own_items->quarter[1]->count, 1);
    ck_assert_uint_eq(cell->own_items->min_x[0], 0);
    ck_assert_uint_eq(cell->own_items->max_x[0], 0x40000000u);
    ck_assert(tree->root->quarter[1]->leaf);
    built_free(tree);
}
END_TEST

START_TEST(outliers_are_divided_by_the_bits_of_their_doubles)
{
    const pqt_item items[] = {point(9, 4, 1), point(-1, 4, 2), point(10, 4, 3), point(1, 1, 4)};
    built_tree *tree = built_make(items, 4, world, 1, 1);
    const built_place *own_items = tree->root->own_items;
    /* 4.5 - 2 and 5 - 2 have the columns 0xc0040000 and 0xc0080000. The first difference is in the
     * 13th digit, beyond the depth of 1. */
    ck_assert_uint_eq(tree->root->count, 4);
    ck_assert_uint_eq(own_items->count, 3);
    ck_assert(!own_items->leaf);
    EXPECT_IDS(own_items->quarter[2]->items, own_items->quarter[2]->count, 2);
    ck_assert_uint_eq(own_items->quarter[3]->count, 2);
    ck_assert_int_eq(own_items->quarter[3]->spot.kind, BUILT_CENTRE);
    ck_assert(own_items->quarter[3]->deep);
    ck_assert_int_eq(own_items->quarter[3]->spot.depth, 12);
    ck_assert_uint_eq(own_items->min_x[2], 0x3ffbffffu);
    ck_assert_uint_eq(own_items->min_x[3], 0xc0040000u);
    ck_assert_uint_eq(own_items->max_x[3], 0xc0080000u);
    EXPECT_IDS(tree->root->quarter[0]->items, tree->root->quarter[0]->count, 4);
    built_free(tree);
}
END_TEST

START_TEST(an_item_larger_than_the_bounds_is_divided_as_an_outlier)
{
    const pqt_item items[] = {box(-4, 1, 16, 1, 1), box(-12, 1, 10, 1, 2)};
    built_tree *tree = built_make(items, 2, world, 1, 3);
    const built_place *own_items = tree->root->own_items;
    /* The centres have x = 6 and x = -1. The first is inside the bounds, and the second is an
       outlier. They are on different sides of the middle, 4. */
    EXPECT_IDS(own_items->quarter[1]->items, own_items->quarter[1]->count, 1);
    EXPECT_IDS(own_items->quarter[0]->items, own_items->quarter[0]->count, 2);
    ck_assert_uint_eq(own_items->min_x[1], built_outlier_column(-4, 0, 8));
    ck_assert_uint_eq(own_items->max_x[1], built_outlier_column(16, 0, 8));
    built_free(tree);
}
END_TEST

START_TEST(at_the_maximal_depth_item_hashes_divide_a_cell)
{
    pqt_item items[40];
    built_tree *tree;
    const built_place *cell;
    size_t found = 0;
    for (uint64_t i = 0; i < 40; i++)
        items[i] = point(1, 1, i);
    tree = built_make(items, 40, world, 2, 1);
    /* the node of the bounds is not stored, because one quadrant contains all items */
    cell = tree->root;
    ck_assert(cell->deep);
    ck_assert_int_eq(cell->spot.depth, 1);
    ck_assert_uint_eq(cell->count, 40);
    ck_assert(!cell->leaf);
    for (int q = 0; q < 4; q++) {
        ck_assert_ptr_null(cell->quarter[q]);
        ck_assert_uint_eq(cell->min_x[q], UINT32_MAX);
        ck_assert_uint_eq(cell->max_y[q], 0);
    }
    ck_assert_int_eq(cell->own_items->spot.kind, BUILT_MIX);
    for (unsigned q = 0; q < 4; q++) {
        const built_place *part = cell->own_items->quarter[q];
        for (size_t i = 0; part != NULL && i < part->count; i++, found++)
            ck_assert_uint_eq(pqti_item_hash(&part->items[i]->item) >> 62, q);
        if (part != NULL && !part->leaf && part->quarter[2] != NULL)
            ck_assert_uint_eq(pqti_item_hash(&part->quarter[2]->items[0]->item) >> 60 & 3, 2);
    }
    ck_assert_uint_eq(found, 40);
    built_free(tree);
}
END_TEST

START_TEST(at_depth_zero_all_items_are_own_items_of_the_root)
{
    const pqt_item items[] = {point(1, 1, 1), point(7, 7, 2), point(100, 0, 3)};
    built_tree *tree = built_make(items, 3, world, 1, 0);
    ck_assert(!tree->root->leaf);
    ck_assert_uint_eq(tree->root->own_items->count, 3);
    ck_assert_int_eq(tree->root->own_items->spot.kind, BUILT_CENTRE);
    ck_assert(tree->root->own_items->spot.in_root_own_items);
    for (int q = 0; q < 4; q++)
        ck_assert_ptr_null(tree->root->quarter[q]);
    /* The items are around the middle at (4, 4): top left, top right, bottom right. */
    EXPECT_IDS(tree->root->own_items->quarter[0]->items, 1, 1);
    EXPECT_IDS(tree->root->own_items->quarter[1]->items, 1, 3);
    EXPECT_IDS(tree->root->own_items->quarter[3]->items, 1, 2);
    built_free(tree);
}
END_TEST

START_TEST(fingerprints_are_sums_word_by_word)
{
    const pqt_item items[] = {point(1, 1, 1), point(7, 7, 2), point(100, 0, 3)};
    built_tree *tree = built_make(items, 3, world, 1, 3);
    uint64_t low = 0;
    uint64_t high = 0;
    for (size_t i = 0; i < 3; i++) {
        low += pqti_item_fingerprint(&items[i]).low;
        high += pqti_item_fingerprint(&items[i]).high;
    }
    ck_assert_uint_eq(tree->fingerprint.low, low);
    ck_assert_uint_eq(tree->fingerprint.high, high);
    ck_assert_uint_eq(tree->root->fingerprint.high, high);
    ck_assert_uint_eq(tree->root->own_items->fingerprint.low, pqti_item_hash(&items[2]));
    built_free(tree);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("builder");
    TCase *way = tcase_create("way");
    TCase *shape = tcase_create("shape");
    tcase_add_test(way, columns_are_the_bits_of_the_fraction);
    tcase_add_test(way, columns_end_at_the_bounds);
    tcase_add_test(way, an_axis_without_extent_has_one_column);
    tcase_add_test(way, grid_lines_of_far_bounds_fall_into_their_own_columns);
    tcase_add_test(way, outlier_columns_keep_the_order_of_doubles);
    tcase_add_test(way, the_level_is_the_first_depth_whose_cell_is_smaller_than_the_box);
    tcase_add_test(way, in_bounds_without_extent_only_points_fit);
    tcase_add_test(way, a_centre_on_the_edge_is_not_an_outlier);
    tcase_add_test(way, a_midline_belongs_to_the_right_and_lower_quadrant);
    tcase_add_test(shape, an_empty_tree_has_no_root);
    tcase_add_test(shape, up_to_the_capacity_the_root_is_a_leaf_in_tree_order);
    tcase_add_test(shape, a_large_item_is_an_own_item_of_its_cell);
    tcase_add_test(shape, own_items_are_divided_by_centres_from_their_cell_down);
    tcase_add_test(shape, outliers_are_divided_by_the_bits_of_their_doubles);
    tcase_add_test(shape, an_item_larger_than_the_bounds_is_divided_as_an_outlier);
    tcase_add_test(shape, at_the_maximal_depth_item_hashes_divide_a_cell);
    tcase_add_test(shape, at_depth_zero_all_items_are_own_items_of_the_root);
    tcase_add_test(shape, fingerprints_are_sums_word_by_word);
    suite_add_tcase(suite, way);
    suite_add_tcase(suite, shape);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}

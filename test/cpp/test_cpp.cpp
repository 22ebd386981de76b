/* SPDX-License-Identifier: MIT */
/*
 * test_cpp.cpp: tests the trees, memories, errors and ranges of pqt.hpp.
 *
 * It is compiled as C++17 and as C++20. A leak of pins fails any test; see cpp_suite.hpp.
 */
#include "cpp_suite.hpp"

#include <pqt/shapes.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <thread>
#include <unordered_set>

using cpp_suite::pins;
using cpp_suite::random_box;
using cpp_suite::rounds;

static const pqt_box square = {{0, 0}, {1000, 1000}};
static const pqt_item cat = {{{10, 20}, {30, 30}}, 1};
static const pqt_item dog = {{{40, 60}, {70, 80}}, 2};

namespace
{

struct surprise {
    int number;
};

std::vector<pqt_item>
many_items(std::size_t count, std::uint64_t seed = 1)
{
    cpp_suite::random random(seed);
    std::vector<pqt_item> items;
    for (std::size_t i = 0; i < count; i++)
        items.push_back({random_box(random), i});
    return items;
}

pqt::tree
two_animals()
{
    return pqt::tree(square).insert_all({cat, dog});
}

bool
same_items(std::vector<pqt_item> a, std::vector<pqt_item> b)
{
    const auto by_id = [](const pqt_item &x, const pqt_item &y) { return x.id < y.id; };
    std::sort(a.begin(), a.end(), by_id);
    std::sort(b.begin(), b.end(), by_id);
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), pqt_item_equals);
}

/* A memory in which all allocations fail once `left` have succeeded. */
struct failing_host {
    std::size_t left;

    static void *allocate(std::size_t bytes, std::size_t alignment, void *context)
    {
        auto &host = *static_cast<failing_host *>(context);
        if (host.left == 0)
            return nullptr;
        host.left--;
        return std::aligned_alloc(alignment, bytes);
    }

    static void release(void *memory, std::size_t, void *)
    {
        std::free(memory);
    }

    pqt::heap_options options()
    {
        pqt::heap_options options;
        options.allocate = allocate;
        options.release = release;
        options.context = this;
        return options;
    }
};

} // namespace

/* ---- Values ---- */

TEST(an_edit_returns_a_version_and_leaves_the_old_one_unchanged)
{
    const pqt::tree monday = two_animals();
    const pqt::tree tuesday = monday.move(cat, {{60, 20}, {80, 30}});
    CHECK(monday.contains(cat) && !tuesday.contains(cat));
    CHECK(monday.size() == 2 && tuesday.size() == 2);
    CHECK(tuesday.remove(dog).size() == 1 && tuesday.clear().empty());
    CHECK(monday.remove_all({cat, dog}) == monday.clear());
}

TEST(each_value_holds_one_pin)
{
    const std::uint64_t before = pins();
    {
        const pqt::tree tree = two_animals();
        CHECK(pins() == before + 1);
        pqt::tree copy = tree;
        CHECK(pins() == before + 2 && copy.is_same(tree));
        const pqt::tree moved = std::move(copy);
        CHECK(pins() == before + 2);
        const std::vector<pqt::tree> many(10, tree);
        CHECK(pins() == before + 12);
    }
    CHECK(pins() == before);
}

TEST(a_moved_from_value_throws_and_can_be_assigned)
{
    pqt::tree tree = two_animals();
    const pqt::tree taken = std::move(tree);
    CHECK(!tree.has_value()); // NOLINT: that is the test
    THROWN(pqt::moved_from, (void)tree.size());
    THROWN(pqt::moved_from, (void)tree.insert(cat));
    THROWN(pqt::moved_from, (void)tree.window(square));
    THROWN(pqt::moved_from, (void)taken.merge(tree, taken));
    const pqt::tree copy = tree;
    CHECK(!copy.has_value() && copy == tree && copy != taken);
    CHECK(std::hash<pqt::tree>()(tree) == 0);
    tree = taken;
    CHECK(tree == taken && tree.size() == 2);
}

TEST(assigning_a_value_to_itself_changes_nothing)
{
    pqt::tree tree = two_animals();
    pqt::tree &same = tree;
    tree = same;
    CHECK(tree.size() == 2);
    tree = std::move(same);
    CHECK(tree.size() == 2);
    swap(tree, same);
    CHECK(tree.size() == 2);
    tree = tree.insert(cat);
    CHECK(tree.size() == 2);
}

TEST(equal_values_have_equal_hashes_in_all_memories)
{
    pqt::memory heap;
    pqt::memory arena = pqt::memory::arena();
    const pqt::tree here = two_animals();
    const pqt::tree there = pqt::tree(square, heap).insert(dog).insert(cat);
    const pqt::tree copy = here.copy_to(arena);
    CHECK(here == there && here == copy && !here.is_same(there));
    CHECK(here != here.remove(cat));
    const std::unordered_set<pqt::tree> set = {here, there, copy, here.remove(cat)};
    CHECK(set.size() == 2);
    CHECK(pqt_fingerprint_equals(here.fingerprint(), there.fingerprint()));
}

TEST(a_version_from_c_is_shared)
{
    pqt::memory heap;
    pqt_error error = {};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = heap.get();
    CHECK(pqt_scope_begin(heap.get(), &error));
    const pqt::tree tree =
        pqt::tree::share(pqt_tree_insert(pqt_tree_make(square, &options, &error), cat, &error));
    pqt_scope_end(heap.get());
    heap.reclaim();
    tree.check();
    CHECK(tree.contains(cat) && tree.home().get() == heap.get() && !tree.home().reclaims());
    CHECK(pqt::tree::share(two_animals().get()).home().reclaims());
}

/* ---- Reading ---- */

TEST(a_loop_visits_the_items_in_a_window)
{
    const pqt::tree tree = pqt::tree::of(many_items(2000));
    const pqt_box window = {{100, 100}, {300, 250}};
    for (const pqt_relation relation : {PQT_TOUCHES, PQT_OVERLAPS, PQT_INSIDE, PQT_COVERS}) {
        const pqt::query query(window, relation);
        std::vector<pqt_item> looped;
        for (const pqt_item &item : tree.window(query))
            looped.push_back(item);
        const std::vector<pqt_item> collected = tree.collect(query);
        CHECK(std::equal(looped.begin(), looped.end(), collected.begin(), collected.end(),
                         pqt_item_equals));
        CHECK(tree.count(query) == looped.size());
        CHECK(tree.any(query).has_value() == !looped.empty());
        std::size_t visited = 0;
        CHECK(tree.visit(query, [&](const pqt_item &) { visited++; }));
        CHECK(visited == looped.size());
        std::vector<std::uint64_t> ids;
        tree.visit_ids(query, [&](pqt::array_view<std::uint64_t> some) {
            ids.insert(ids.end(), some.begin(), some.end());
        });
        std::vector<std::uint64_t> ids_of_columns;
        CHECK(tree.visit_columns(query, [&](const pqt_item_columns &some) {
            ids_of_columns.insert(ids_of_columns.end(), some.ids, some.ids + some.count);
        }));
        CHECK(ids == ids_of_columns);
        CHECK(ids == tree.collect_ids(query) && ids.size() == looped.size());
        CHECK(tree.search(query).size() == looped.size());
    }
    CHECK(tree.count(pqt::touches(window)) > tree.count(pqt::inside(window)));
    CHECK(tree.count(pqt::overlaps(window)) <= tree.count(window));
    CHECK(tree.count(pqt::covers(pqt_box{{5, 5}, {5, 5}})) <= 10);
}

TEST(a_query_keeps_its_convex)
{
    const pqt::tree tree = pqt::tree::of(many_items(2000));
    std::optional<pqt::query> query;
    {
        pqt_convex convex;
        pqt_error error = {};
        CHECK(pqt_convex_from_oriented_box({500, 500}, {200, 50}, {1, 1}, 0, &convex, &error));
        query = pqt::touches(convex);
        convex = {};
    }
    auto range = tree.window(*query);
    const pqt::query copy = *query;
    query.reset();
    const auto looped = static_cast<std::size_t>(std::distance(range.begin(), range.end()));
    CHECK(looped > 0 && looped == tree.count(copy));
}

TEST(a_range_outlives_the_tree)
{
    pqt::memory heap;
    pqt::tree tree = pqt::tree::of(many_items(3000), {}, heap);
    auto range = tree.window(square);
    tree = tree.clear();
    heap.reclaim();
    std::size_t count = 0;
    for (const pqt_item &item : range) {
        CHECK(pqt_box_is_valid(item.box));
        if (count++ % 1000 == 0)
            heap.reclaim();
    }
    CHECK(count == 3000);
    CHECK(std::distance(range.begin(), range.end()) == 3000);
    count = 0;
    for (const pqt_item &item : pqt::tree::of(many_items(50), {}, heap).items())
        count += item.id < 50;
    CHECK(count == 50);
}

TEST(edits_in_a_loop_do_not_affect_the_loop)
{
    pqt::tree tree = pqt::tree::of(many_items(500));
    std::size_t count = 0;
    for (const pqt_item &item : tree.items()) {
        tree = tree.remove(item);
        count++;
    }
    CHECK(count == 500 && tree.empty());
}

TEST(standard_algorithms_accept_the_iterators)
{
    const pqt::tree tree = two_animals();
    auto range = tree.items();
    CHECK(std::count_if(range.begin(), range.end(),
                        [](const pqt_item &item) { return item.id == 2; }) == 1);
    auto first = range.begin();
    const std::uint64_t id = (*first++).id;
    CHECK(id != first->id && ++first == range.end());
    auto none = tree.window(pqt_box{{900, 900}, {901, 901}});
    CHECK(none.begin() == none.end());
#if __cplusplus >= 202002L
    static_assert(std::ranges::input_range<pqt::item_range>);
    static_assert(std::ranges::view<pqt::item_range>);
    CHECK(std::ranges::distance(range) == 2);
#if !defined(__clang__) || __clang_major__ >= 16 // clang 14 rejects the views of libstdc++ 12
    std::size_t cats = 0;
    for (const pqt_item &item :
         tree.items() | std::views::filter([](const pqt_item &one) { return one.id == 1; }))
        cats += item.id;
    CHECK(cats == 1);
#endif
    std::array<pqt_item, 1> room;
    CHECK(tree.collect_into(square, room) == 2);
    std::array<std::uint64_t, 4> ids;
    CHECK(tree.collect_ids_into(square, ids) == 2);
    const std::span<const pqt_item> view(room);
    CHECK(pqt::tree(square).insert_all(view).size() == 1);
#endif
}

TEST(arrays_of_all_kinds_are_accepted)
{
    const pqt_item plain[] = {cat, dog};
    const std::array<pqt_item, 2> array = {cat, dog};
    const std::vector<pqt_item> vector = {cat, dog};
    CHECK(pqt::tree::of(plain) == pqt::tree::of(array));
    CHECK(pqt::tree::of(vector) == pqt::tree::of({cat, dog}));
    CHECK(pqt::tree::of({}).empty());
}

TEST(searches_on_the_sphere_agree_with_c)
{
    const pqt_box fiji = pqt_sphere_box(177, -20, -178, -12);
    const pqt::tree tree = pqt::tree::of({pqt_item{fiji, 1}, pqt_item{{{0, 0}, {1, 1}}, 2}});
    const pqt_vec samoa = {-172, -13.8};
    const std::vector<pqt_near> found =
        tree.nearest(samoa, 2, std::numeric_limits<double>::infinity(), PQT_SPHERE);
    CHECK(found.size() == 2 && found.front().item.id == 1);
    CHECK(found.front().distance == pqt_sphere_distance(samoa, fiji));
    CHECK(tree.nearest(samoa, 2, 1e6, PQT_SPHERE).size() == 1);
    CHECK(tree.nearest(samoa, 1).front().item.id == 2);
    std::size_t seen = 0;
    CHECK(tree.visit_nearest(
        pqt_box{samoa, samoa}, [&](const pqt_near &one) { CHECK(one.item.id == ++seen); },
        PQT_SPHERE));
    CHECK(seen == 2);
    pqt::query window = pqt::touches(pqt_sphere_box(179, -15, -179, -14));
    CHECK(tree.count(window) == 1 && tree.count(window.on_sphere()) == 1);
    CHECK(tree.count(pqt::touches(pqt_box{{-179, -15}, {-178, -14}})) == 0);
    CHECK(tree.count(pqt::touches(pqt_box{{-179, -15}, {-178, -14}}).on_sphere()) == 1);
}

TEST(nearest_rays_and_pairs_agree_with_c)
{
    const std::vector<pqt_item> items = many_items(3000);
    const pqt::tree tree = pqt::tree::of(items);
    const std::vector<pqt_near> found = tree.nearest(pqt_vec{500, 500}, 10);
    CHECK(found.size() == 10 && found.front().distance <= found.back().distance);
    CHECK(tree.nearest(pqt_vec{500, 500}, SIZE_MAX).size() == 3000);
    CHECK(tree.nearest(pqt_vec{500, 500}, 10, -1).empty());
    std::size_t next = 0;
    CHECK(!tree.visit_nearest(pqt_box{{500, 500}, {500, 500}}, [&](const pqt_near &one) {
        return pqt_item_equals(one.item, found[next].item) && ++next < 10;
    }));
    CHECK(next == 10);
    const pqt_segment line = {{0, 0}, {1000, 900}};
    const std::vector<pqt_ray_hit> hits = tree.cast_all(line);
    CHECK(hits.size() > 8 && tree.cast(line)->item.id == hits.front().item.id);
    std::size_t seen = 0;
    CHECK(tree.visit_cast(
        line, [&](const pqt_ray_hit &hit) { CHECK(hit.item.id == hits[seen++].item.id); }));
    CHECK(seen == hits.size());
    CHECK(!tree.cast(pqt_ray{{-10, -10}, {-1, -1}}).has_value());
    CHECK(tree.cast_all(pqt_ray{{0, 0}, {1000, 900}}).size() == hits.size());
    pqt_pair_query query = {};
    query.relation = PQT_TOUCHES;
    CHECK(tree.pairs().size() == pqt_pairs_count(tree.get(), nullptr, &query));
    CHECK(tree.count_pairs() == tree.pairs().size());
    CHECK(tree.damage(tree).empty() && tree.damage(tree.remove(hits.front().item)).size() == 1);
    CHECK(tree.pairs(two_animals()).size() ==
          pqt_pairs_count(tree.get(), two_animals().get(), &query));
    CHECK(tree.visit_pairs(PQT_OVERLAPS, [](const pqt_item &, const pqt_item &) {}));
}

TEST(moving_shapes_stop_as_in_c)
{
    const pqt::tree walls = pqt::tree::of({{{{10, 0}, {12, 50}}, 1}, {{{20, 0}, {22, 50}}, 2}});
    const pqt_mover ball = pqt_mover_circle(1, {0, 20}, {30, 25});
    const pqt_sweep first = pqt::sweep(walls, ball),
                    raw = pqt_tree_sweep(walls.get(), ball, nullptr);
    CHECK(first.status == PQT_SWEEP_HITS && first.item.id == 1 && first.stop.x == raw.stop.x);
    const auto others = [](const pqt_item &item) { return item.id != 1; };
    CHECK(pqt::sweep(walls, ball, others).item.id == 2);
    const pqt_mover inside = pqt_mover_box({{0, 0}, {1, 1}}, {10.5, 10}, {15, 10});
    CHECK(pqt::sweep(walls, inside).status == PQT_SWEEP_OVERLAPS);
    CHECK(pqt::sweep(walls, inside, true).status == PQT_SWEEP_FREE);
    const pqt_slide along = pqt::slide(walls, ball);
    CHECK(along.bounces == 1 && along.stop.y == 25 && along.stop.x == first.stop.x);
    CHECK(pqt::slide(walls, ball, 0).stop.y == first.stop.y);
    CHECK(pqt::slide(walls, ball, 3, others).last.item.id == 2);
    pqt::draft draft(walls);
    draft.remove({{{10, 0}, {12, 50}}, 1});
    CHECK(pqt::sweep(draft.view(), ball).item.id == 2);
    THROWN(surprise,
           (void)pqt::sweep(walls, ball, [](const pqt_item &) -> bool { throw surprise{1}; }));
    pqt::tree replaced = walls; // by a filter, while it is swept
    CHECK(pqt::sweep(replaced, ball, [&](const pqt_item &) {
              replaced = replaced.clear();
              return true;
          }).item.id == 1);
}

TEST(pairs_of_one_item_and_pairs_that_changed_are_visited)
{
    const pqt_item tail = {{{25, 25}, {45, 65}}, 3};
    const pqt::tree apart = two_animals(), tied = apart.insert(tail);
    std::vector<std::uint64_t> found;
    const auto add = [&](const pqt_item &a, const pqt_item &b) {
        CHECK(a.id == 3);
        found.push_back(b.id);
    };
    CHECK(tied.visit_pairs_of(tail, PQT_TOUCHES, add));
    std::sort(found.begin(), found.end());
    CHECK(found == std::vector<std::uint64_t>({1, 2}));
    int began = 0, ended = 0;
    const auto count = [&](pqt_pair_change change, const pqt_item &, const pqt_item &) {
        (change == PQT_PAIR_BEGAN ? began : ended)++;
    };
    CHECK(apart.visit_pair_changes(tied, PQT_TOUCHES, count) && began == 2 && ended == 0);
    CHECK(tied.visit_pair_changes(apart, PQT_TOUCHES, count) && began == 2 && ended == 2);
    CHECK(THROWN(pqt::error,
                 apart.visit_pair_changes(pqt::tree(pqt_box{{0, 0}, {5, 5}}), PQT_TOUCHES, count))
              .code() == PQT_ERROR_MISMATCH);
}

TEST(a_tree_becomes_that_of_another_machine)
{
    const pqt::tree mine = pqt::tree::of(many_items(3000));
    pqt::tree theirs = mine.remove_all(many_items(10)).insert(cat);
    std::size_t asked = 0, sent = 0;
    std::vector<pqt_change> changes;
    const auto digest = [&](const pqt_sync_path &path) {
        asked++;
        return theirs.digest(path);
    };
    const auto items = [&](const pqt_sync_path &path) {
        std::vector<pqt_item> found = theirs.items_at(path);
        sent += found.size();
        return found;
    };
    const auto collect = [&](const pqt_sync_mismatch &cell) {
        changes.insert(changes.end(), cell.changes, cell.changes + cell.count);
    };
    CHECK(mine.find_mismatches(digest, items, collect) && mine.apply(changes) == theirs);
    CHECK(asked > 0 && sent < 1000);
    CHECK(!mine.find_mismatches(digest, items, [](const pqt_sync_mismatch &) { return false; }));
    const auto too_few = [](const pqt_sync_path &) { return std::vector<pqt_item>(); };
    CHECK(THROWN(pqt::error, mine.find_mismatches(digest, too_few, collect)).code() ==
          PQT_ERROR_CALLBACK);
    const auto throws = [](const auto &) -> pqt_sync_digest { throw surprise{3}; };
    CHECK(THROWN(surprise, mine.find_mismatches(throws, items, collect)).number == 3);
    const auto drops = [](const auto &) -> std::vector<pqt_item> { throw surprise{4}; };
    CHECK(THROWN(surprise, mine.find_mismatches(digest, drops, collect)).number == 4);
}

TEST(filters_accept_items)
{
    const pqt::tree tree = pqt::tree::of(many_items(1000));
    const auto is_even = [](const pqt_item &item) { return item.id % 2 == 0; };
    CHECK(tree.count({}, is_even) == 500);
    CHECK(tree.search({}, is_even).size() == 500);
    CHECK(tree.any({}, is_even)->id % 2 == 0);
    CHECK(!tree.any({}, [](const pqt_item &) { return false; }).has_value());
}

TEST(ids_are_found_if_they_are_unique)
{
    pqt::tree_options options;
    options.unique_ids = true;
    options.leaf_capacity = 5;
    pqt::tree tree(square, options);
    tree = tree.insert(cat).insert(dog).insert({dog.box, 1});
    CHECK(tree.size() == 2 && tree.find(1)->box.min.x == 40);
    CHECK(!tree.remove_id(1).find(1).has_value());
    CHECK(tree.move_id(2, cat.box).find(2)->box.min.x == 10);
    CHECK(tree.options().unique_ids && tree.options().leaf_capacity == 5);
    CHECK(tree.bounds().max.x == 1000 && tree.stats().items == 2);
    CHECK(!tree.clear().extent() && tree.extent()->max.x < 1000);
}

/* ---- Differences, merges, batches, bytes ---- */

TEST(applying_a_difference_gives_the_other_version)
{
    const pqt::tree before = pqt::tree(square).insert_all(many_items(500));
    const pqt::tree after = before.insert({{{1, 2}, {3, 4}}, 1000}).remove(many_items(1)[0]);
    const std::vector<pqt_change> changes = before.diff(after);
    CHECK(changes.size() == 2 && before.apply(changes) == after);
    CHECK(before.diff(before).empty());
    CHECK(before.diff(after, pqt_box{{2000, 2000}, {2001, 2001}}).empty());
    CHECK(!before.visit_diff(after, {}, [](const pqt_change &) { return false; }));
    CHECK(before.shared_bytes(after) > 0);
    CHECK(after.exclusive_bytes({before}) < after.exclusive_bytes());
}

TEST(a_merge_has_the_changes_of_both_sides)
{
    const pqt::tree base = two_animals();
    const pqt::tree ours = base.move(cat, {{60, 20}, {80, 30}});
    const pqt::tree theirs = base.remove(dog);
    CHECK(base.merge(ours, theirs) == ours.remove(dog));
    const pqt::tree other = base.move(cat, {{1, 1}, {2, 2}});
    CHECK(THROWN(pqt::error, (void)base.merge(ours, other)).code() == PQT_ERROR_CONFLICT);
    CHECK(base.merge(ours, other, PQT_KEEP_OURS) == ours);
    std::size_t conflicts = 0;
    const pqt_item answer = {{{7, 7}, {8, 8}}, 1};
    const pqt::tree answered =
        base.merge(ours, other, [&](const pqt_conflict &conflict, pqt_items &items) {
            conflicts += conflict.id == 1;
            items = {&answer, 1};
            return PQT_KEEP_ITEMS;
        });
    CHECK(conflicts == 1 && answered.contains(answer));
    CHECK((ours | base).size() == 3 && (ours & base).size() == 1 && (ours - base).size() == 1);
    CHECK(ours.restore(base, {}) == base);
}

TEST(a_batch_is_one_edit)
{
    pqt::batch batch;
    batch.insert(cat).insert(dog).move(cat, {{1, 1}, {2, 2}}).remove(dog);
    const pqt::tree tree = pqt::tree(square).apply(batch.changes());
    CHECK(tree.size() == 1 && batch.changes().size() == 4);
    batch.clear();
    batch.insert(dog).insert({{{5, 5}, {4, 4}}, 9});
    const pqt::error error = THROWN(pqt::error, (void)tree.apply(batch.changes()));
    CHECK(error.code() == PQT_ERROR_BOX && error.index() == 1);
}

/* A version of many edits has many more blocks than one of a single edit. */
TEST(memory_does_not_grow_while_batches_make_versions)
{
    pqt::memory heap;
    pqt::tree_options options;
    options.unique_ids = true;
    const std::vector<pqt_item> items = many_items(3000);
    pqt::tree tree = pqt::tree::of(items, options, heap);
    heap.reclaim();
    const auto live = heap.stats().used_bytes;
    for (std::size_t round = 0; round < 300; round++) {
        pqt::batch batch;
        for (std::size_t i = 0; i < 500; i++)
            batch.move_id(items[(i * 7 + round) % 3000].id, items[(i * 31 + round) % 3000].box);
        tree = tree.apply(batch.changes());
    }
    tree.check();
    CHECK(heap.stats().used_bytes < 4 * live + 1000000);
}

/* Functions that call back reclaim, too. Without it, 500 merges would take 100 MB. */
TEST(memory_does_not_grow_while_merges_and_filters_make_versions)
{
    pqt::memory heap;
    pqt::tree_options options;
    options.unique_ids = true;
    const pqt::tree base = pqt::tree::of(many_items(3000), options, heap);
    pqt::batch for_ours, for_theirs;
    for (std::uint64_t id = 0; id < 500; id++) {
        for_ours.move_id(id, cat.box);
        for_theirs.move_id(id + 499, dog.box);
    }
    const pqt::tree ours = base.apply(for_ours.changes());
    const pqt::tree theirs = base.apply(for_theirs.changes());
    const auto is_even = [](const pqt_item &item) { return item.id % 2 == 0; };
    const auto merges = [&] { return base.merge(ours, theirs, PQT_KEEP_OURS).size(); };
    const auto fails = [&] { THROWN(pqt::error, (void)base.merge(ours, theirs)); };
    const auto throws_from = [](const pqt_conflict &, pqt_items &) -> pqt_resolution {
        throw surprise{};
    };
    const auto filters = [&] { return base.search({}, is_even).size(); };
    const auto throws_in = [&] { THROWN(surprise, (void)base.merge(ours, theirs, throws_from)); };
    heap.reclaim();
    const std::uint64_t most = 4 * heap.stats().used_bytes + 1000000;
    CHECK(cpp_suite::most_bytes_of_calls(heap, 500, merges) < most);
    CHECK(cpp_suite::most_bytes_of_calls(heap, 500, filters) < most);
    CHECK(cpp_suite::most_bytes_of_calls(heap, 500, fails) < most);
    CHECK(cpp_suite::most_bytes_of_calls(heap, 500, throws_in) < most);
}

TEST(bytes_and_files_return_an_equal_value)
{
    const pqt::tree tree = pqt::tree::of(many_items(5000));
    std::vector<std::byte> bytes = tree.to_bytes();
    CHECK(pqt::tree::from_bytes(bytes) == tree);
    pqt::memory heap;
    CHECK(pqt::tree::from_bytes(bytes, heap).home().get() == heap.get());
    bytes.push_back(std::byte{0});
    CHECK(THROWN(pqt::error, (void)pqt::tree::from_bytes(bytes)).index() == bytes.size() - 1);
    bytes.resize(100);
    CHECK(THROWN(pqt::error, (void)pqt::tree::from_bytes(bytes)).code() == PQT_ERROR_FORMAT);
    CHECK(THROWN(pqt::error, (void)pqt::tree::from_bytes({})).code() == PQT_ERROR_FORMAT);
    CHECK(THROWN(pqt::error, (void)pqt::tree::load("/no/such/folder/x")).code() ==
          PQT_ERROR_STREAM);
}

/* ---- Errors ---- */

TEST(an_error_has_the_message_of_the_library)
{
    const pqt::tree tree = two_animals();
    const pqt_item inverted = {{{5, 0}, {4, 0}}, 1};
    const pqt::error error = THROWN(pqt::error, (void)tree.insert_all({cat, inverted}));
    CHECK(error.code() == PQT_ERROR_BOX && error.index() == 1);
    CHECK(std::string(error.what()).find("item 1") != std::string::npos);
    CHECK(tree.size() == 2);
    THROWN(std::runtime_error, (void)tree.insert(inverted));
    pqt::tree_options options;
    options.leaf_capacity = 0;
    CHECK(THROWN(pqt::error, pqt::tree(square, options)).code() == PQT_ERROR_OPTION);
}

TEST(values_of_two_memories_are_not_combined)
{
    pqt::memory heap;
    const pqt::tree here = two_animals();
    const pqt::tree there = pqt::tree(square, heap);
    CHECK(THROWN(pqt::error, (void)(here | there)).code() == PQT_ERROR_MISMATCH);
    CHECK((here | there.copy_to({})) == here);
    CHECK(there.insert(cat).home().get() == heap.get());
}

TEST(an_exhausted_memory_throws_bad_alloc_and_keeps_versions)
{
    pqt::heap_options options;
    options.limit = 3 << 20;
    pqt::memory heap(options);
    const std::vector<pqt_item> items = many_items(2000);
    const pqt::tree tree = pqt::tree::of(items, {}, heap);
    std::vector<pqt::tree> kept;
    const auto fill = [&] {
        for (std::uint64_t i = 0; i < 100000; i++)
            kept.push_back(tree.insert({items[i % 2000].box, 10000 + i}));
    };
    const auto error = THROWN(std::bad_alloc, fill());
    CHECK(kept.size() > 100);
    for (const pqt::tree &version : kept)
        CHECK(version.size() == 2001);
    (void)error;
    kept.resize(10, tree);
    CHECK(tree.insert({cat.box, 99999}).size() == 2001); // it reclaims, and tries again
}

TEST(each_failed_allocation_of_the_host_is_handled)
{
    for (std::size_t allowed = 0; allowed < 6; allowed++) {
        failing_host host = {allowed};
        try {
            pqt::memory heap(host.options());
            pqt::tree tree = pqt::tree::of(many_items(20000), {}, heap);
            const std::vector<std::byte> bytes = tree.to_bytes();
            tree = pqt::tree::from_bytes(bytes, heap);
            for (const pqt_item &item : many_items(200, 2))
                tree = tree.insert(item);
            tree.check();
        } catch (const pqt::out_of_memory &error) {
            CHECK(error.code() == PQT_ERROR_MEMORY && *error.what() != 0);
        }
    }
}

/* ---- Exceptions of visitors ---- */

TEST(an_exception_propagates_out_of_each_visitor)
{
    const pqt::tree tree = pqt::tree::of(many_items(3000));
    const pqt::tree other = tree.remove_all(many_items(100));
    const auto throws = [](const auto &...) -> bool { throw surprise{7}; };
    const std::uint64_t before = pins();
    CHECK(THROWN(surprise, tree.visit({}, throws)).number == 7);
    THROWN(surprise, tree.visit_ids({}, throws));
    THROWN(surprise, tree.visit_columns({}, throws));
    THROWN(surprise, tree.visit_nearest(square, throws));
    THROWN(surprise, tree.visit_cast(pqt_segment{{0, 0}, {1000, 1000}}, throws));
    THROWN(surprise, tree.visit_pairs(PQT_TOUCHES, throws));
    THROWN(surprise, tree.visit_pairs(other, PQT_TOUCHES, {0, 0}, throws));
    THROWN(surprise, tree.visit_pairs_of(cat, PQT_TOUCHES, throws));
    THROWN(surprise, two_animals().visit_pair_changes(two_animals().insert({cat.box, 9}),
                                                      PQT_TOUCHES, throws));
    THROWN(surprise,
           tree.find_mismatches([&](const auto &path) { return other.digest(path); },
                                [&](const auto &path) { return other.items_at(path); }, throws));
    THROWN(surprise, tree.visit_cells(throws));
    THROWN(surprise, tree.visit_diff(other, {}, throws));
    THROWN(surprise, (void)tree.count({}, throws));
    THROWN(surprise, (void)tree.any({}, throws));
    THROWN(surprise, (void)tree.search({}, throws));
    const pqt::tree a = two_animals(), b = a.move(cat, {{1, 1}, {2, 2}}),
                    c = a.move(cat, {{3, 3}, {4, 4}});
    THROWN(surprise, (void)a.merge(b, c, [](const pqt_conflict &, pqt_items &) -> pqt_resolution {
        throw surprise{1};
    }));
    CHECK(pins() == before + 3);
    CHECK(tree.insert(cat).size() == 3001); // no scope is still open
}

TEST(a_visitor_is_not_called_after_its_exception)
{
    const pqt::tree tree = pqt::tree::of(many_items(3000));
    int calls = 0;
    const auto tenth = [&](const pqt_item &) {
        if (++calls == 10)
            throw surprise{10};
        return true;
    };
    THROWN(surprise, tree.visit({}, tenth));
    CHECK(calls == 10);
    calls = 0;
    THROWN(surprise, (void)tree.count({}, tenth));
    CHECK(calls == 10);
    calls = 0;
    CHECK(!tree.visit({}, [&](const pqt_item &) { return ++calls < 5; }));
    CHECK(calls == 5);
}

TEST(a_visitor_may_edit_and_reclaim)
{
    pqt::memory heap;
    const pqt::tree tree = pqt::tree::of(many_items(1000), {}, heap);
    pqt::tree edited = tree;
    tree.visit({}, [&](const pqt_item &item) {
        edited = edited.move(item, cat.box);
        heap.reclaim();
    });
    CHECK(edited.count(cat.box) == 1000 && tree.size() == 1000);
    tree.check();
}

TEST(a_visitor_may_replace_the_value_that_it_visits)
{
    pqt::memory heap;
    const auto items = many_items(3000);
    pqt::tree tree = pqt::tree::of(items, {}, heap);
    pqt::tree other = tree.remove(items[0]);
    std::size_t count = 0;
    const auto replace = [&](const auto &...) {
        if (count++ == 0) {
            tree = pqt::tree(square, heap);
            other = tree;
            heap.reclaim();
            for (std::uint64_t seed = 9; seed < 30; seed++) // overwrites freed blocks
                tree = pqt::tree::of(many_items(300 + 10 * seed, seed), {}, heap);
        }
        return true;
    };
    const auto visits = [&](auto &&visit, std::size_t expected) {
        tree = pqt::tree::of(items, {}, heap);
        other = tree.remove(items[0]);
        count = 0;
        visit();
        CHECK(count == expected);
    };
    visits([&] { tree.visit({}, replace); }, 3000);
    visits([&] { tree.visit_nearest(square, replace); }, 3000);
    visits([&] { (void)tree.count({}, replace); }, 3000);
    visits([&] { (void)tree.any({}, replace); }, 1);
    visits([&] { (void)tree.search({}, replace); }, 3000);
    visits([&] { tree.visit_diff(other, {}, replace); }, 1);
    const std::size_t pairs = pqt::tree::of(items).pairs().size();
    visits([&] { tree.visit_pairs(PQT_TOUCHES, replace); }, pairs);
    visits([&] { tree.visit_pairs(other, PQT_INSIDE, {5000, 0}, replace); }, 0);
}

/* ---- Memories ---- */

TEST(a_heap_reclaims_versions_that_no_value_holds)
{
    pqt::memory heap;
    {
        pqt::tree tree = pqt::tree::of(many_items(5000), {}, heap);
        heap.reclaim();
        const std::uint64_t at_first = heap.stats().used_bytes;
        cpp_suite::random random(5);
        std::vector<pqt_item> items = tree.collect();
        for (int i = 0; i < 20000; i++) {
            pqt_item &item = items[random.below(items.size())];
            const pqt_box to = random_box(random);
            tree = tree.move(item, to);
            item.box = to;
        }
        /* All versions together would take 50 times as much. Debug builds quarantine freed
           blocks. */
        CHECK(heap.stats().used_bytes < 20 * at_first);
        tree.check();
        CHECK(same_items(tree.collect(), items));
    }
    heap.reclaim();
    CHECK(heap.stats().pins == 0 && heap.stats().used_bytes == 0);
}

TEST(a_heap_from_c_is_reclaimed_only_on_request)
{
    pqt_error error = {};
    pqt_memory *heap = pqt_heap_make(nullptr, &error);
    {
        pqt::tree tree = pqt::tree::of(many_items(2000), {}, heap);
        for (const pqt_item &item : many_items(2000))
            tree = tree.remove(item);
        CHECK(pqt_memory_get_stats(heap).collections == 0);
    }
    pqt_heap_destroy(&heap);
    pqt::heap_options options;
    options.reclaim_at_push = false;
    pqt::memory quiet(options);
    CHECK(!pqt::memory_ref(quiet).reclaims());
}

TEST(a_memory_can_be_moved)
{
    pqt::memory second = pqt::memory::arena(), first;
    pqt_memory *const address = first.get();
    const pqt::tree tree = pqt::tree(square, first).insert(cat);
    second = std::move(first);
    CHECK(second.get() == address && first.get() == nullptr); // NOLINT: that is the test
    THROWN(pqt::moved_from, (void)first.stats());
    THROWN(pqt::moved_from, pqt::tree(square, first));
    first = pqt::memory::arena(1 << 20);
    CHECK(pqt::tree(square, first).insert(cat) == tree);
    CHECK(tree.insert(dog).size() == 2);
}

TEST(the_default_memory_is_a_heap)
{
    CHECK(pqt::default_memory().get() != pqt_collector());
    CHECK(pqt::default_memory().get() == pqt::memory_ref().get());
    CHECK(pqt::default_memory().get() == two_animals().home().get());
    CHECK(pqt::default_memory().reclaims());
}

TEST(threads_make_and_release_versions_at_once)
{
    pqt::memory heap;
    const pqt::tree shared = pqt::tree::of(many_items(1000), {}, heap);
    const int edits = rounds(1000);
    std::vector<pqt::tree> results(4, shared);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < results.size(); t++)
        threads.emplace_back([&, t] {
            pqt::tree mine = shared;
            for (int i = 0; i < edits; i++) {
                mine = mine.insert({cat.box, 5000 + static_cast<std::uint64_t>(i)});
                if (i % 100 == 0)
                    heap.reclaim(1000);
                if (shared.count(square) != 1000)
                    return;
            }
            results[t] = std::move(mine);
        });
    for (std::thread &thread : threads)
        thread.join();
    for (const pqt::tree &result : results) {
        result.check();
        CHECK(result == results[0] && result.size() == 1000 + static_cast<std::size_t>(edits));
    }
}

/* ---- A model ---- */

TEST(random_commands_agree_with_std_map_and_keep_all_versions)
{
    using model = std::map<std::uint64_t, pqt_item>;
    const auto items_of = [](const model &from) {
        std::vector<pqt_item> items;
        for (const auto &entry : from)
            items.push_back(entry.second);
        return items;
    };
    pqt::memory heap;
    pqt::tree_options options;
    options.unique_ids = true;
    options.leaf_capacity = 4;
    for (int seed = 0; seed < rounds(20); seed++) {
        cpp_suite::random random(static_cast<std::uint64_t>(seed));
        std::vector<std::pair<pqt::tree, model>> versions = {
            {pqt::tree(square, options, heap), {}}};
        for (int step = 0; step < 150; step++) {
            auto [tree, items] = versions[versions.size() - 1 - random.below(versions.size()) / 8];
            const std::uint64_t id = random.below(60);
            const pqt_box box = random_box(random);
            switch (random.below(6)) {
            case 0:
            case 1:
                tree = tree.insert({box, id});
                items[id] = {box, id};
                break;
            case 2:
                tree = tree.remove_id(id);
                items.erase(id);
                break;
            case 3:
                tree = tree.move_id(id, box);
                if (items.count(id) > 0)
                    items[id].box = box;
                break;
            case 4: {
                pqt::batch batch;
                batch.insert({box, id}).remove_id((id + 1) % 60).insert({box, (id + 2) % 60});
                tree = tree.apply(batch.changes());
                items[id] = {box, id};
                items.erase((id + 1) % 60);
                items[(id + 2) % 60] = {box, (id + 2) % 60};
                break;
            }
            default:
                tree = pqt::tree::from_bytes(tree.to_bytes(), heap);
                break;
            }
            versions.emplace_back(std::move(tree), std::move(items));
        }
        heap.reclaim();
        for (const auto &[tree, items] : versions) {
            CHECK(same_items(tree.collect(), items_of(items)));
            tree.check();
        }
    }
}

/* This program includes <pqt.hpp> alone. */
TEST(the_core_has_documents_and_histories)
{
    using labels = pqt::map<std::uint64_t, std::string_view>;
    pqt::tree_options options;
    options.unique_ids = true;
    const pqt::tree shapes = pqt::tree(square, options).insert_all({cat, dog});
    const labels names = labels().insert(1, "cat").insert(2, "dog");
    const pqt::document first = pqt::document::of({{"shapes", shapes}, {"names", names, "shapes"}});
    pqt::history history(first);
    history.push(first.set_all({{"shapes", shapes.remove(dog)}, {"names", names.remove(2)}}),
                 "Remove the dog");
    const pqt::document second = history.value();
    const labels left = second.map<std::uint64_t, std::string_view>("names");
    CHECK(second.tree("shapes").size() == 1 && left.size() == 1);
    CHECK(history.undo() && history.value() == first);
    CHECK(pqt::document::from_bytes(first.to_bytes()) == first);
    CHECK(pqt::history<pqt::document>::from_bytes(history.to_bytes()).value() == first);
    CHECK(THROWN(pqt::error, (void)first.tree("names")).code() == PQT_ERROR_OPTION);
}

TEST(a_box_in_braces_is_the_bounds_of_a_tree)
{
    const pqt::tree plain({{0, 0}, {10, 20}});
    CHECK(plain == pqt::tree(pqt_box{{0, 0}, {10, 20}}) && plain.bounds().max.y == 20);
    pqt::memory heap;
    const pqt::tree there({{0, 0}, {10, 20}}, heap);
    CHECK(there == plain && pqt_tree_memory(there.get()) == pqt::memory_ref(heap).get());
    pqt::tree_options options;
    options.unique_ids = true;
    CHECK(pqt::tree({{0, 0}, {10, 20}}, options) == pqt::tree(plain.bounds(), options));
    CHECK(pqt::tree({0, 0, 10, 20}) == plain);
    static_assert(!std::is_constructible_v<pqt::tree, pqt_vec, pqt_vec>);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
TEST(an_error_is_empty_after_either_initialiser)
{
    pqt_error zero = {0}; // as in C, in whose form the headers show it
    pqt_error none = {};
    CHECK(zero.status == PQT_OK && none.status == PQT_OK && zero.text[0] == '\0');
    CHECK(pqt_tree_make({{0, 0}, {-1, 1}}, nullptr, &zero) == nullptr);
    CHECK(zero.status == PQT_ERROR_BOX && zero.index == 0 && zero.text[0] != '\0');
    zero = {0};
    CHECK(zero.status == PQT_OK && zero.text[0] == '\0');
}
#pragma GCC diagnostic pop

int
main()
{
    return cpp_suite::run();
}

/* SPDX-License-Identifier: MIT */
/* test_cpp_draft.cpp: tests the drafts of pqt.hpp and their views. */
#include "cpp_suite.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <thread>
#include <type_traits>

using cpp_suite::pins;
using cpp_suite::random_box;
using cpp_suite::rounds;

static const pqt_box square = {{0, 0}, {1000, 1000}};
static const pqt_item cat = {{{10, 20}, {30, 30}}, 1};
static const pqt_item dog = {{{40, 60}, {70, 80}}, 2};
static const pqt_box far_away = {{900, 900}, {910, 910}};

namespace
{

using model = std::map<std::uint64_t, pqt_item>;

pqt::tree
unique_tree(pqt::memory_ref memory = {})
{
    pqt::tree_options options;
    options.unique_ids = true;
    options.leaf_capacity = 4;
    return pqt::tree(square, options, memory);
}

std::vector<pqt_item>
items_of(const model &from)
{
    std::vector<pqt_item> items;
    for (const auto &entry : from)
        items.push_back(entry.second);
    return items;
}

template <class Source>
bool
holds(const Source &source, const model &items)
{
    std::vector<pqt_item> found = source.collect();
    std::sort(found.begin(), found.end(),
              [](const pqt_item &a, const pqt_item &b) { return a.id < b.id; });
    const std::vector<pqt_item> wanted = items_of(items);
    return std::equal(found.begin(), found.end(), wanted.begin(), wanted.end(), pqt_item_equals);
}

void
change_randomly(pqt::draft &draft, model &items, cpp_suite::random &random)
{
    const std::uint64_t id = random.below(100);
    const pqt_box box = random_box(random);
    const auto old = items.find(id);
    switch (random.below(6)) {
    case 0:
    case 1:
        draft.insert({box, id});
        items[id] = {box, id};
        return;
    case 2:
        draft.remove_id(id);
        items.erase(id);
        return;
    case 3:
        draft.move_id(id, box);
        if (old != items.end())
            old->second.box = box;
        return;
    case 4:
        if (old == items.end())
            return;
        draft.move(old->second, box).remove({box, id});
        items.erase(old);
        return;
    default:
        pqt::batch batch;
        batch.insert({box, id}).remove_id((id + 1) % 100);
        draft.apply(batch.changes());
        items[id] = {box, id};
        items.erase((id + 1) % 100);
    }
}

} // namespace

TEST(random_edits_of_a_draft_agree_with_std_map_and_leave_its_snapshots)
{
    pqt::memory heap;
    for (int seed = 0; seed < rounds(20); seed++) {
        cpp_suite::random random(static_cast<std::uint64_t>(seed));
        pqt::draft draft(unique_tree(heap));
        model items;
        std::vector<std::pair<pqt::tree, model>> snapshots;
        for (int step = 0; step < 600; step++) {
            change_randomly(draft, items, random);
            if (random.below(8) == 0)
                snapshots.emplace_back(draft.snapshot(), items);
            if (random.below(50) == 0)
                heap.reclaim();
            if (random.below(10) == 0)
                CHECK(holds(draft.view(), items));
        }
        for (const auto &[tree, held] : snapshots) {
            CHECK(holds(tree, held));
            tree.check();
        }
    }
}

TEST(a_snapshot_equals_the_version_of_the_same_edits)
{
    const pqt::tree tree = pqt::tree(square).insert_all({cat, dog});
    pqt::draft draft(tree);
    CHECK(draft.snapshot().is_same(tree));
    draft.move(cat, far_away).insert(cat).remove(dog);
    const pqt::tree next = draft.snapshot();
    CHECK(next == tree.move(cat, far_away).insert(cat).remove(dog));
    CHECK(draft.remove(dog).snapshot().is_same(next)); // the dog is absent
    CHECK(tree.contains(dog) && tree.size() == 2);
}

TEST(a_view_has_the_queries_of_a_tree)
{
    pqt::draft draft(unique_tree());
    draft.insert(cat).insert(dog);
    const pqt::tree tree = draft.snapshot();
    const pqt::draft_view view = draft.view();
    CHECK(view.size() == 2 && !view.empty() && view.contains(cat) && view.find(2)->id == 2);
    CHECK(view.collect().size() == 2 && view.collect_ids({{{0, 0}, {35, 35}}}).at(0) == 1);
    CHECK(view.any({{{50, 50}, {99, 99}}})->id == 2 && view.stats().items == 2);
    CHECK(view.count({}, [](const pqt_item &item) { return item.id == 2; }) == 1);
    CHECK(view.nearest(pqt_vec{0, 0}, 1).at(0).item.id == 1);
    CHECK(view.cast(pqt_segment{{0, 0}, {100, 100}})->item.id == 1);
    CHECK(view.pairs(tree).size() == 2 && tree.pairs(view).size() == 2 && view.pairs().empty());
    std::size_t seen = 0;
    CHECK(!view.visit({}, [&](const pqt_item &) { return ++seen < 1; }) && seen == 1);
    static_assert(!std::is_convertible_v<pqt::draft_view, pqt::tree>);
}

TEST(a_loop_over_a_view_takes_no_pin)
{
    pqt::draft draft(pqt::tree(square).insert_all({cat, dog}));
    draft.move(dog, far_away);
    const std::uint64_t before = pins();
    std::vector<std::uint64_t> ids;
    for (const pqt_item &item : draft.view().window(far_away)) {
        CHECK(pins() == before);
        ids.push_back(item.id);
    }
    CHECK(ids == std::vector<std::uint64_t>{2});
    pqt::view_range all = draft.view().items();
    CHECK(std::count_if(all.begin(), all.end(), [](const pqt_item &) { return true; }) == 2);
}

TEST(an_exception_propagates_out_of_a_visit_of_a_view)
{
    pqt::draft draft(pqt::tree(square).insert(cat));
    const auto visit = [&] { draft.view().visit({}, [](const pqt_item &) { throw 17; }); };
    CHECK(THROWN(int, visit()) == 17);
    CHECK(draft.insert(dog).view().size() == 2);
}

TEST(a_refused_edit_leaves_the_draft_as_it_was)
{
    const pqt_box bad = {{5, 5}, {4, 4}};
    const pqt::tree tree = pqt::tree(square).insert(cat);
    pqt::draft draft(tree);
    pqt::batch batch;
    batch.insert(dog).insert({bad, 9});
    const pqt::error error = THROWN(pqt::error, draft.apply(batch.changes()));
    CHECK(error.code() == PQT_ERROR_BOX && error.index() == 1);
    CHECK(THROWN(pqt::error, draft.insert({bad, 9})).code() == PQT_ERROR_BOX);
    CHECK(THROWN(pqt::error, draft.move(cat, bad)).code() == PQT_ERROR_BOX);
    CHECK(draft.snapshot().is_same(tree));
}

TEST(a_draft_can_be_moved)
{
    static_assert(!std::is_copy_constructible_v<pqt::draft>);
    static_assert(!std::is_copy_assignable_v<pqt::draft>);
    pqt::draft draft(pqt::tree(square).insert(cat));
    pqt::draft taken = std::move(draft);
    THROWN(pqt::moved_from, draft.insert(dog)); // NOLINT: that is the test
    THROWN(pqt::moved_from, (void)draft.view());
    THROWN(pqt::moved_from, (void)draft.snapshot());
    draft = std::move(taken);
    CHECK(draft.insert(dog).view().size() == 2);
    pqt::draft &same = draft;
    draft = std::move(same);
    CHECK(draft.view().size() == 2);
}

TEST(memory_does_not_grow_while_drafts_are_edited_and_snapshots_dropped)
{
    pqt::memory heap;
    std::vector<pqt_item> items;
    for (std::uint64_t i = 0; i < 2000; i++)
        items.push_back({{{double(i), 1}, {double(i), 2}}, i});
    pqt::draft draft(unique_tree(heap).insert_all(items));
    const std::uint64_t first = heap.stats().used_bytes;
    std::size_t round = 0;
    const std::uint64_t most = cpp_suite::most_bytes_of_calls(heap, 20000, [&] {
        const pqt_box box = {{double(round), 3}, {double(round), 3}};
        draft.move_id(round++ % 2000, box);
        (void)draft.snapshot();
    });
    CHECK(most < 4 * first);
}

TEST(an_exhausted_memory_throws_bad_alloc_and_leaves_the_draft)
{
    pqt::heap_options options;
    options.limit = 3 << 20;
    pqt::memory heap(options);
    const pqt::tree tree = unique_tree(heap);
    pqt::draft draft(tree);
    std::vector<pqt::tree> kept;
    std::uint64_t count = 0;
    const auto fill = [&] {
        for (; count < 100000; count++) {
            draft.insert({{{double(count % 1000), 0}, {double(count % 1000), 9}}, count});
            kept.push_back(draft.snapshot());
        }
    };
    THROWN(std::bad_alloc, fill());
    CHECK(kept.size() == count && count > 100);
    const std::size_t left = draft.view().size();
    CHECK(left == count || left == count + 1); // the edit failed, or the snapshot
    kept.resize(10, tree);
    draft.insert({{{0, 0}, {1, 1}}, 999999}); // it reclaims, and tries again
    CHECK(draft.view().size() == left + 1);
    draft.snapshot().check();
}

TEST(another_thread_reads_snapshots_of_a_draft)
{
    pqt::draft draft(unique_tree());
    for (std::uint64_t round = 0; round < 50; round++) {
        for (std::uint64_t i = 0; i < 20; i++)
            draft.insert(
                {{{double(i), double(round)}, {double(i), double(round)}}, 20 * round + i});
        bool right = false;
        std::thread reader([&, tree = draft.snapshot()] {
            tree.check();
            right = tree.size() == 20 * (round + 1);
        });
        draft.remove_id(20 * round).insert({cat.box, 20 * round});
        reader.join();
        CHECK(right);
    }
}

/* ---- Maps ---- */

TEST(random_edits_of_a_draft_of_a_map_agree_with_std_map_and_leave_its_snapshots)
{
    using texts = pqt::map<std::string_view, std::string_view>;
    pqt::memory heap;
    cpp_suite::random random(3);
    pqt::map_draft draft{texts(heap)};
    std::map<std::string, std::string> items;
    std::vector<std::pair<texts, std::map<std::string, std::string>>> snapshots;
    const auto holds_items = [](const auto &source, const auto &wanted) {
        std::map<std::string, std::string> found;
        source.visit([&](std::string_view key, std::string_view mapped) {
            found[std::string(key)] = mapped;
        });
        return found == wanted && source.size() == wanted.size();
    };
    for (int step = 0; step < rounds(3000); step++) {
        const std::string key = "key " + std::to_string(random.below(150));
        const std::string mapped(random.below(40), 'x');
        if (random.below(3) > 0) {
            draft.insert(key, mapped);
            items[key] = mapped;
        } else {
            draft.remove(key);
            items.erase(key);
        }
        if (random.below(30) == 0)
            snapshots.emplace_back(draft.snapshot(), items);
        if (random.below(100) == 0)
            heap.reclaim();
        if (random.below(20) == 0)
            CHECK(holds_items(draft.view(), items));
    }
    for (const auto &[map, held] : snapshots) {
        CHECK(holds_items(map, held));
        map.check();
    }
}

TEST(a_draft_of_a_map_is_read_moved_and_refuses_like_one_of_a_tree)
{
    static_assert(!std::is_copy_constructible_v<pqt::map_draft<>>);
    const pqt::map<> ages = pqt::map<>().insert(1, 10).insert(2, 20);
    pqt::map_draft draft(ages);
    CHECK(draft.snapshot().is_same(ages));
    draft.insert(3, *draft.view().find(1)).remove(2).remove(99);
    CHECK(draft.view().contains(3) && !draft.view().contains(2) && !draft.view().empty());
    const pqt::map<> next = draft.snapshot();
    CHECK(next == ages.insert(3, 10).remove(2) && ages.size() == 2);
    const pqt_map_change changes[] = {{PQT_MAP_INSERT, pqt_map_id(7), pqt_map_number(7)},
                                      {PQT_MAP_INSERT, pqt_map_text("a"), pqt_map_number(7)}};
    CHECK(THROWN(pqt::error, draft.apply(changes)).index() == 1);
    CHECK(draft.snapshot().is_same(next));
    CHECK(draft.apply({changes, 1}).view().size() == 3);
    pqt::map_draft<> taken = std::move(draft);
    THROWN(pqt::moved_from, draft.insert(1, 1)); // NOLINT: that is the test
    draft = std::move(taken);
    CHECK(draft.view().size() == 3);
}

int
main()
{
    return cpp_suite::run();
}

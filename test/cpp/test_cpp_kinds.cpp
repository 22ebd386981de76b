/* SPDX-License-Identifier: MIT */
/*
 * test_cpp_kinds.cpp: tests the maps, regions, worlds, documents, histories and recordings of
 * pqt.hpp.
 */
#include "cpp_suite.hpp"

#include <pqt/all.hpp>

#include <map>
#include <unordered_set>

#include <unistd.h>

using cpp_suite::most_bytes_of_calls;
using cpp_suite::pins;
using cpp_suite::rounds;

static const pqt_box square = {{0, 0}, {1000, 1000}};
static const pqt_item cat = {{{10, 20}, {30, 30}}, 1};
static const pqt_item dog = {{{40, 60}, {70, 80}}, 2};

using names = pqt::map<std::uint64_t, std::string_view>;
using numbers = pqt::map<>;

namespace
{

struct surprise {
};

const auto throws = [](const auto &...) -> bool { throw surprise{}; };

pqt_body
ball(std::uint64_t id, double x, double y)
{
    pqt_body body = {};
    body.id = id;
    body.position = {x, y};
    body.velocity = {30, 40};
    body.radius = 5;
    body.mass = 1;
    body.category = 1;
    body.mask = UINT32_MAX;
    return body;
}

pqt::tree
shapes()
{
    pqt::tree_options options;
    options.unique_ids = true;
    return pqt::tree(square, options).insert_all({cat, dog});
}

pqt::document
drawing()
{
    return pqt::document::of({{"shapes", shapes()},
                              {"names", names().insert(1, "cat").insert(2, "dog"), "shapes"},
                              {"canvas", pqt::region()},
                              {"world", pqt::world(square)}});
}

} // namespace

/* ---- Images ---- */

TEST(images_are_drawn_and_compared)
{
    const pqt_rgba white = {255, 255, 255, 255}, red = {200, 0, 0, 255}, glass = {0, 0, 0, 128};
    const auto is = [](pqt_rgba a, pqt_rgba b) {
        return a.r == b.r && a.g == b.g && a.b == b.b && a.a == b.a;
    };
    const pqt::image paper(60, 40, white);
    const pqt::image drawn = paper.paint(pqt_paint_disc(PQT_PAINT_SET, {20, 20}, 9), red);
    CHECK(is(drawn.pixel({20, 20}), red) && is(paper.pixel({20, 20}), white));
    CHECK(is(drawn.pixel({60, 0}), {0, 0, 0, 0}) && drawn.bounds().max.y == 40);
    CHECK(is(drawn.set_pixel({1, 1}, red).pixel({1, 1}), red));
    CHECK(is(drawn.flood({0, 0}, 0, glass, PQT_INK_OVER).pixel({59, 39}), {127, 127, 127, 255}));
    const pqt::region dot = pqt::region().paint(pqt_paint_pixel(PQT_PAINT_SET, {0, 0}));
    CHECK(is(paper.fill(dot, {5, 6}, red).pixel({5, 6}), red));
    CHECK(is(paper.blit(drawn, {{20, 20}, {22, 22}}, {50, 30}).pixel({51, 31}), red));
    CHECK(is(drawn.resize({{20, 20}, {21, 21}}, 3, 2).pixel({2, 1}), red));
    const pqt::image turned = drawn.map(pqt_affine_rotation({0, 1}, {20, 20}), 60, 40);
    CHECK(is(turned.pixel({20, 20}), red) && is(turned.pixel({59, 0}), {0, 0, 0, 0}));
    CHECK(pqt::image::of_rgba(drawn.to_rgba().data(), 60, 40) == drawn);
    CHECK(pqt::image::from_bytes(drawn.to_bytes()) == drawn);
    const pqt::image corner = paper.set_pixel({59, 39}, red);
    const pqt::image merged = paper.merge(drawn, corner);
    CHECK(merged == drawn.set_pixel({59, 39}, red));
    CHECK(THROWN(pqt::error, (void)paper.merge(corner, paper.set_pixel({59, 39}, glass))).code() ==
          PQT_ERROR_CONFLICT);
    std::size_t boxes = 0;
    CHECK(paper.visit_diff(corner, [&](const pqt_pixel_box &) { boxes++; }) && boxes == 1);
    THROWN(surprise, paper.visit_diff(corner, throws));
    CHECK(THROWN(pqt::error, (void)pqt::image(0, 5)).code() == PQT_ERROR_LIMIT);
    CHECK(corner.stats().tiles == 1);
    pqt::history<pqt::image> history(paper);
    history.push(drawn);
    CHECK(history.undo() && history.value() == paper);
    const pqt::document plan = pqt::document::of({{"picture", drawn}});
    CHECK(plan.image("picture") == drawn);
    drawn.check();
}

/* ---- Maps ---- */

TEST(maps_of_all_kinds_find_their_values)
{
    CHECK(numbers().insert(1, 2).find(1) == 2u);
    CHECK(names().insert(1, "one").find(1) == "one");
    CHECK((pqt::map<std::string_view, std::uint64_t>().insert("one", 1).find("one") == 1u));
    pqt::map<std::string_view, std::string_view> texts;
    texts = texts.insert_all({{"a", "x"}, {"b", ""}, {"a", "y"}});
    CHECK(texts.size() == 2 && texts.find("a") == "y" && texts.find("b") == "");
    CHECK(!texts.find("c").has_value() && !texts.contains("") && texts.remove("a").size() == 1);
    CHECK(THROWN(pqt::error, (void)texts.insert(std::string(33, 'k'), "")).code() ==
          PQT_ERROR_LIMIT);
    texts.check();
    CHECK((pqt::map<std::string_view, std::string_view>::from_bytes(texts.to_bytes()) == texts));
}

TEST(a_map_of_other_kinds_is_refused)
{
    const std::vector<std::byte> bytes = numbers().insert(1, 2).to_bytes();
    CHECK(THROWN(pqt::error, (void)names::from_bytes(bytes)).code() == PQT_ERROR_MISMATCH);
    CHECK(THROWN(pqt::error, (void)drawing().map<>("names")).code() == PQT_ERROR_MISMATCH);
}

TEST(random_commands_on_a_map_agree_with_std_map_and_keep_all_versions)
{
    pqt::memory heap;
    for (int seed = 0; seed < rounds(20); seed++) {
        cpp_suite::random random(static_cast<std::uint64_t>(seed) + 100);
        std::vector<std::pair<names, std::map<std::uint64_t, std::string>>> versions = {
            {names(heap), {}}};
        for (int step = 0; step < 200; step++) {
            auto [map, model] = versions[versions.size() - 1 - random.below(versions.size()) / 8];
            const std::uint64_t id = random.below(80);
            if (random.below(3) == 0) {
                map = map.remove(id);
                model.erase(id);
            } else {
                const std::string text(random.below(20), static_cast<char>('a' + random.below(26)));
                map = map.insert(id, text);
                model[id] = text;
            }
            versions.emplace_back(std::move(map), std::move(model));
        }
        heap.reclaim();
        for (const auto &[map, model] : versions) {
            std::map<std::uint64_t, std::string> seen;
            map.visit([&, &to = seen](std::uint64_t id, std::string_view text) { to[id] = text; });
            CHECK(seen == model && map.size() == model.size());
            std::size_t changes = 0;
            versions[0].first.visit_diff(map,
                                         [&](std::uint64_t, std::optional<std::string_view> before,
                                             std::optional<std::string_view> after) {
                                             changes += !before.has_value() && after.has_value();
                                         });
            CHECK(changes == seen.size());
        }
    }
}

TEST(maps_are_merged)
{
    const names base = names().insert(1, "cat");
    const names ours = base.insert(1, "lion").insert(2, "dog");
    const names theirs = base.insert(1, "tiger").insert(3, "owl");
    CHECK(THROWN(pqt::error, (void)base.merge(ours, theirs)).code() == PQT_ERROR_CONFLICT);
    const names merged =
        base.merge(ours, theirs, [](const pqt_map_conflict &conflict, pqt_map_value &answer) {
            answer = *conflict.theirs;
            return PQT_MAP_KEEP_VALUE;
        });
    CHECK(merged.size() == 3 && merged.find(1) == "tiger");
    CHECK(base.merge(base, theirs) == theirs);
    CHECK(base.merge(ours, theirs, PQT_MAP_KEEP_OURS).find(1) == "lion");
    CHECK(base.merge(ours, theirs, PQT_MAP_KEEP_NEITHER).size() == 2);
    CHECK(THROWN(pqt::error, (void)base.merge(ours, theirs, PQT_MAP_UNRESOLVED)).code() ==
          PQT_ERROR_CONFLICT);
}

/* ---- Regions and worlds ---- */

TEST(a_region_is_painted_and_read)
{
    const pqt::region empty;
    const pqt::region canvas = empty.paint(pqt_paint_disc(PQT_PAINT_SET, {50, 50}, 20));
    const pqt::region cut = canvas.paint_all(
        {pqt_paint_pixel(PQT_PAINT_CLEAR, {50, 50}), pqt_paint_pixel(PQT_PAINT_CLEAR, {51, 50})});
    CHECK(empty.empty() && canvas.size() == cut.size() + 2 && !cut.contains({50, 50}));
    CHECK(canvas.subtract(cut).size() == 2 && cut.unite(canvas) == canvas);
    CHECK(cut.intersect(canvas) == cut && canvas.move({5, 0}).move({-5, 0}) == canvas);
    CHECK(canvas.crop({{0, 0}, {50, 100}}).size() == canvas.count({{0, 0}, {50, 100}}));
    const pqt::region boxes = pqt::region::of({{{0, 0}, {5, 5}}, {{10, 0}, {15, 5}}});
    const std::vector<pqt::region> parts = boxes.components();
    const std::vector<pqt::region> large =
        boxes.components(PQT_CONNECTIVITY_8, boxes.largest_component().size() + 1);
    CHECK(parts.size() == 2 && parts[0].size() == 25 && parts[0].unite(parts[1]) == boxes);
    std::size_t corners = 0;
    boxes.visit_contours(PQT_CONNECTIVITY_4, 0,
                         [&](const pqt_contour &contour) { corners += contour.count; });
    CHECK(corners == 8);
    CHECK(large.empty() && boxes.component({12, 3}) == parts[1]);
    CHECK(boxes.moments().centroid.x == 7.5 && boxes.moments().axis.x == 1);
    CHECK(boxes.bounds().max.x == 15);
    std::int64_t run_pixels = 0, box_pixels = 0;
    boxes.visit_runs(boxes.bounds(),
                     [&](const pqt_pixel_run &run) { run_pixels += run.max_x - run.min_x; });
    boxes.visit_diff(pqt::region(), [&](const pqt_pixel_box &box) {
        box_pixels += (box.max.x - box.min.x) * (box.max.y - box.min.y);
    });
    CHECK(run_pixels == 50 && box_pixels == 75);
    CHECK(boxes.visit_boxes(boxes.bounds(), [](const pqt_pixel_box &) {}));
    const std::uint8_t alpha[] = {0, 255, 255, 0};
    const pqt_byte_image image = {alpha, 2, 2, 2, 1, 127};
    CHECK(pqt::region::of_image(image).size() == 2);
    const pqt_pixel_box all = boxes.bounds(), twice = {{0, 0}, {30, 10}};
    CHECK(boxes.scale(2, 2) == boxes.resize(all, twice));
    CHECK(boxes.map(pqt_affine_scaling({2, 2}, {0, 0}), PQT_SAMPLE_AREA) == boxes.scale(2, 2));
    CHECK(boxes.transform(PQT_FLIP_X).transform(PQT_FLIP_X) == boxes);
    CHECK(boxes.dilate_disc(2.5).erode_disc(2.5).size() >= boxes.size());
    CHECK(boxes.outline().size() == 32 && boxes.skeleton().size() < 50);
    CHECK(boxes.overlaps(boxes, {4.5, 0}) && !boxes.overlaps(boxes, {5, 0}));
    CHECK(boxes.overlaps(pqt_box{{4, 4}, {9, 9}}) && !boxes.overlaps(pqt_circle{{7.5, 2}, 2}));
    CHECK(boxes.overlap_area(boxes, {0, 4}).pixels == 10);
    CHECK(boxes.first_overlap(boxes, {0, 4})->a.y == 4 && !boxes.first_overlap(boxes, {0, 5}));
    CHECK(boxes.cast(pqt_segment{{7, 2}, {20, 2}}).pixel.x == 10);
    CHECK(boxes.cast(pqt_ray{{-7, 2}, {1, 0}}).pixel.x == 0);
    const pqt_mover ball = pqt_mover_circle(1, {2, -5}, {4, 5});
    CHECK(boxes.sweep_mover(ball).status == PQT_SWEEP_HITS);
    CHECK(boxes.slide_mover(ball).bounces > 0);
    CHECK(boxes.slide({0, -20}, {3, 0}, boxes).stop.y == -5);
    CHECK(pqt::region::from_bytes(canvas.to_bytes()) == canvas);
}

TEST(a_region_is_measured_and_compared)
{
    const pqt::region bar = pqt::region::of_runs({{2, 0, 5}, {3, 0, 5}});
    const std::uint8_t rows[] = {0xf8, 0xf8};
    const pqt_bit_image bits = {rows, 5, 2, 1, PQT_BITS_HIGH_FIRST};
    CHECK(bar.size() == 10 && pqt::region::of_bits(bits, {0, 2}) == bar && bar.intern() == bar);
    CHECK(THROWN(pqt::error, (void)pqt::region::of_runs({{0, 0, 1}, {0, 5, 1}})).index() == 1);
    const pqt_pixel_box window = {{-1, 1}, {6, 4}};
    const pqt::region hole = bar.complement(window);
    CHECK(hole.size() == 11 && !hole.overlaps(bar));
    CHECK(bar.to_pixels(window, 9) == std::vector<std::uint8_t>({0, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9,
                                                                 9, 9, 0, 0, 9, 9, 9, 9, 9, 0}));
    CHECK(bar.to_pixels({{0, 0}, {0, 9}}).empty());
    CHECK(THROWN(pqt::error, (void)bar.to_pixels({{1, 0}, {0, 1}})).code() == PQT_ERROR_BOX);
    CHECK(bar.squared_distances({{5, 3}, {8, 4}}, PQT_DISTANCE_TO_REGION) ==
          std::vector<std::uint32_t>({UINT32_MAX, UINT32_MAX, UINT32_MAX}));
    CHECK(bar.squared_distances({{4, 3}, {8, 4}}, PQT_DISTANCE_TO_REGION) ==
          std::vector<std::uint32_t>({0, 1, 4, 9}));
    const pqt_pixel_box wide = {{0, 0}, {40000, 40000}};
    const pqt_pixel_box all = {{INT32_MIN, INT32_MIN}, {INT32_MAX, INT32_MAX}};
    for (const pqt_pixel_box &one : {wide, all})
        CHECK(THROWN(pqt::error, (void)bar.squared_distances(one, PQT_DISTANCE_TO_REGION)).code() ==
              PQT_ERROR_LIMIT);
    THROWN(std::bad_alloc, (void)bar.to_pixels(all));
    THROWN(std::bad_alloc, (void)bar.convolve(bar, all));
    const pqt_pixel_box offsets = bar.overlap_offsets(bar);
    CHECK(offsets.min.x == -4 && offsets.max.y == 2);
    const std::vector<std::uint32_t> counts = bar.convolve(bar, offsets);
    CHECK(counts.size() == 27 && counts[13] == 10 && counts[0] == 1);
    std::int64_t pairs = 0;
    CHECK(bar.visit_overlap(bar, {3, 1}, [&](const pqt_pixel_pairs &some) {
        pairs += some.width * some.height;
        CHECK(some.a.y == 3 && some.b.y == 2);
    }));
    CHECK(pairs == 2);
    CHECK(bar.overlaps(bar, {6, 0}, {4, 4, PQT_COARSE_OUTER}) && !bar.overlaps(bar, {6, 0}));
    std::size_t squares = 0;
    CHECK(bar.visit_squares([&](const pqt_square &) { squares++; }));
    const pqt_region_stats stats = bar.stats();
    CHECK(squares == stats.nodes + stats.leaves + stats.full && squares > 0);
}

TEST(pictures_are_written_and_read)
{
    const pqt::region disc = pqt::region().paint(pqt_paint_disc(PQT_PAINT_SET, {9, 9}, 6));
    const pqt::image paper =
        pqt::image(20, 18, {255, 255, 255, 255}).fill(disc, {0, 0}, {200, 0, 0, 255});
    pqt_image_selection red = {};
    red.property = PQT_SELECT_COLOUR;
    red.colour = {200, 0, 0, 255};
    CHECK(paper.select(red) == disc);
    CHECK(THROWN(pqt::error, (void)paper.select({})).code() == PQT_ERROR_OPTION);
    std::FILE *const file = std::tmpfile();
    CHECK(file != nullptr);
    try {
        disc.to_png(file, {{0, 0}, {20, 18}});
        std::rewind(file);
        CHECK(pqt::region::from_png(file) == disc);
        std::rewind(file);
        paper.to_png(file);
        std::rewind(file);
        CHECK(pqt::image::from_png(file) == paper);
        std::rewind(file);
        std::vector<std::uint8_t> bytes(5000);
        bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
        CHECK(pqt::image::from_png(bytes) == paper);
        pqt_png_options dark = PQT_PNG_DEFAULTS;
        dark.channel = PQT_PNG_DARK;
        CHECK(pqt::region::from_png(bytes, dark) == disc);
        dark.max_pixels = 300;
        CHECK(THROWN(pqt::error, (void)pqt::image::from_png(bytes, dark)).code() ==
              PQT_ERROR_LIMIT);
        bytes.resize(40);
        CHECK(THROWN(pqt::error, (void)pqt::region::from_png(bytes)).code() == PQT_ERROR_FORMAT);
    } catch (const pqt::error &failure) {
        CHECK(failure.code() == PQT_ERROR_UNSUPPORTED); // a library without PNG
    }
    std::fclose(file);
}

TEST(a_step_of_a_world_keeps_earlier_versions)
{
    pqt::world world(square);
    world = world.add_all({ball(1, 100, 100), ball(2, 300, 100)}).add(ball(3, 990, 500));
    const pqt::world before = world;
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.events = true;
    std::size_t hits = 0;
    for (int i = 0; i < 60; i++) {
        world = world.step(1.0 / 60, options);
        for (const pqt_contact_event &event : world.events())
            hits += event.kind == PQT_CONTACT_HIT;
    }
    CHECK(hits > 0 && before.find(1)->position.x == 100 && world.find(1)->position.x > 120);
    CHECK(before.step(1.0 / 60) != before && before.events().empty());
    CHECK(world.bodies().size() == 3 && world.collect().size() == 3);
    CHECK(world.nearest({100, 100}, 1).at(0).body.id == 1);
    CHECK(world.remove(3).size() == 2 && world.change(ball(2, 5, 5)).find(2)->position.x == 5);
    CHECK(world.apply({{PQT_BODY_REMOVE, ball(1, 0, 0)}}).size() == 2);
    CHECK(THROWN(pqt::error, (void)world.add(ball(1, 50, 50))).code() == PQT_ERROR_BODY);
    CHECK(world.bounds().max.x == 1000 && world.stats().bodies == 3);
    CHECK(world.clear().size() == 0 && world.clear().bounds().max.x == 1000);
    CHECK(before.search(pqt_box{{0, 0}, {150, 150}}).collect().at(0).id == 1);
    CHECK(THROWN(pqt::error, (void)world.search(pqt_box{{1, 0}, {0, 1}})).code() == PQT_ERROR_BOX);
    const pqt::region wall = pqt::region::of({{{200, 0}, {210, 1000}}});
    CHECK(before.set_obstacle(wall) != before);
}

TEST(a_recording_returns_each_step)
{
    const pqt::world world = pqt::world(square).add(ball(1, 100, 100));
    pqt::recording recording(world, 1.0 / 60, PQT_STEP_DEFAULTS, 10);
    pqt::world last = world;
    for (int i = 0; i < 35; i++)
        last = recording.step();
    CHECK(recording.last() == 35 && recording.at(35) == last && recording.at(0) == world);
    CHECK(!recording.verify().has_value());
    pqt::recording taken = std::move(recording);
    CHECK(taken.last() == 35);
    THROWN(pqt::moved_from, (void)recording.step()); // NOLINT: that is the test
    recording = std::move(taken);
    CHECK(recording.at(17).find(1).has_value());
}

/* ---- Documents and histories ---- */

TEST(a_document_holds_named_parts)
{
    const pqt::document before = drawing();
    const pqt::document after = before.set("shapes", before.tree("shapes").move_id(1, dog.box));
    CHECK(before.size() == 4 && before.contains("names") && !before.contains("colours"));
    CHECK(after.tree("shapes").find(1)->box.min.x == 40 && before != after);
    CHECK((after.map<std::uint64_t, std::string_view>("names").find(2) == "dog"));
    CHECK(after.region("canvas").empty() && after.world("world").size() == 0);
    CHECK(THROWN(pqt::error, (void)after.tree("names")).code() == PQT_ERROR_OPTION);
    CHECK(THROWN(pqt::error, (void)after.region("colours")).code() == PQT_ERROR_OPTION);
    CHECK(THROWN(pqt::error, (void)pqt::document::of({})).code() == PQT_ERROR_LIMIT);
    const pqt::document both = after.set_all(
        {{"names", after.map<std::uint64_t, std::string_view>("names").insert(1, "lion")},
         {"canvas", pqt::region().paint(pqt_paint_pixel(PQT_PAINT_SET, {1, 1}))}});
    std::size_t changes = 0;
    CHECK(before.visit_diff(both, [&](const pqt_document_change &) { changes++; }));
    CHECK(changes == 3);
    CHECK(pqt::document::from_bytes(both.to_bytes()) == both);
    const pqt::document theirs = before.set("shapes", before.tree("shapes").move_id(1, cat.box));
    CHECK(before.merge(both, theirs) == both);
    pqt::memory heap;
    CHECK(THROWN(pqt::error, (void)before.set("canvas", pqt::region(heap))).code() ==
          PQT_ERROR_MISMATCH);
    const std::unordered_set<pqt::document> set = {before, after, both};
    CHECK(set.size() == 3);
}

TEST(a_merge_of_documents_takes_a_resolution)
{
    const pqt::document base = drawing();
    const auto renamed = [&](const char *name) {
        return base.set("names",
                        base.map<std::uint64_t, std::string_view>("names").insert(1, name));
    };
    const pqt::document ours = renamed("lion"), theirs = renamed("tiger");
    CHECK(base.merge(ours, theirs, PQT_DOCUMENT_KEEP_OURS) == ours);
    CHECK(base.merge(ours, theirs, PQT_DOCUMENT_KEEP_THEIRS) == theirs);
    CHECK(base.merge(ours, theirs, PQT_DOCUMENT_KEEP_BASE) == base);
    CHECK(THROWN(pqt::error, (void)base.merge(ours, theirs, PQT_DOCUMENT_UNRESOLVED)).code() ==
          PQT_ERROR_CONFLICT);
    THROWN(surprise, (void)base.merge(ours, theirs, [](const auto &...) -> pqt_document_resolution {
        throw surprise();
    }));
}

TEST(a_part_outlives_its_document)
{
    pqt::memory heap;
    std::optional<pqt::document> document = pqt::document::of({{"shapes", shapes().copy_to(heap)}});
    const pqt::tree tree = document->tree("shapes");
    document.reset();
    heap.reclaim();
    tree.check();
    CHECK(tree == shapes());
}

TEST(a_history_undoes_and_redoes)
{
    pqt::memory heap;
    const pqt::tree first = shapes().copy_to(heap);
    pqt::history history(first);
    history.push(first.move_id(1, dog.box), "Move");
    history.push(first.remove_id(1), "Remove");
    CHECK(history.undo_label() == "Remove" && !history.redo_label().has_value());
    CHECK(history.undo() && history.undo() && !history.undo());
    heap.reclaim();
    CHECK(history.value() == first && history.redo_label() == "Move" && history.redo());
    CHECK(history.value().find(1)->box.min.x == 40);
    const std::uint64_t entry = history.current();
    history.set_name(entry, "moved");
    CHECK(history.find("moved") == entry && !history.find("lost").has_value());
    CHECK(history.value_of(entry) == history.value() && !history.value_of(99).has_value());
    history.mark_saved();
    CHECK(!history.is_modified());
    history.begin_group("Both");
    history.push(first.remove_id(1));
    history.push(first.clear());
    history.end_group();
    CHECK(history.is_modified() && history.undo_label() == "Both" && history.undo());
    history.checkout(entry);
    std::size_t entries = 0;
    CHECK(history.visit([&](const pqt_history_entry &) { entries++; }));
    CHECK(entries == history.stats().entries && entries == 4);
    THROWN(pqt::error, history.checkout(99));
    const pqt::tree elsewhere = shapes();
    CHECK(THROWN(pqt::error, history.push(elsewhere)).code() == PQT_ERROR_MISMATCH);
    const pqt::tree held = history.value();
    pqt::history taken = std::move(history);
    THROWN(pqt::moved_from, history.undo()); // NOLINT: that is the test
    CHECK(taken.value() == held);
}

TEST(a_history_knows_its_paths_times_and_changes)
{
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.indexed = true;
    const pqt::tree first = shapes(), moved = first.move_id(1, dog.box);
    pqt::history history(first, options);
    const auto push = [&](const pqt::tree &tree, double time, std::uint64_t key = 0) {
        pqt_history_entry_info info = {};
        info.time = time;
        info.key = key;
        history.push(tree, info);
    };
    push(moved, 1);
    push(moved.remove_id(2), 2);
    history.checkout(1);
    push(moved.clear(), 3);
    CHECK(history.path(2, 3) == (std::vector<std::uint64_t>{2, 1, 3}) && history.path(2, 9).empty());
    CHECK(history.common_ancestor(2, 3) == 1u && !history.common_ancestor(2, 9).has_value());
    CHECK(history.entry_at(1.5, 2) == 1u && !history.entry_at(-1, 2).has_value());
    std::vector<std::uint64_t> tips;
    CHECK(history.visit_branches([&](const pqt_history_entry &one) { tips.push_back(one.number); }));
    CHECK(tips == (std::vector<std::uint64_t>{2, 3}));
    CHECK(!history.visit_branches([](const pqt_history_entry &) { return false; }));
    CHECK(history.entry(1)->children == 2 && !history.entry(9).has_value());
    const pqt_history_bytes bytes = history.entry_bytes(1);
    CHECK(bytes.all == bytes.shared + bytes.freed && bytes.all == moved.exclusive_bytes());
    CHECK(THROWN(pqt::error, (void)history.entry_bytes(9)).code() == PQT_ERROR_MISMATCH);

    const pqt_history_answer last = history.last_item_change(1, 2);
    CHECK(last.found && last.entry == 1 && last.before == 0 && last.change.kind == PQT_MOVE);
    CHECK(history.last_change({}, 2).entry == 2 && !history.last_change({}, 0).found);
    CHECK(history.last_change(dog.box, 1).entry == 1);
    CHECK(THROWN(pqt::error, (void)history.last_change({}, 9)).code() == PQT_ERROR_MISMATCH);
    CHECK(history.changes(1, 2, {}, 2).size() == 1 && history.changes(2, 1, {}, 2).size() == 1);
    CHECK(history.changes(0, 1, {}, 2).at(0).kind == PQT_MOVE);
    CHECK(THROWN(pqt::error, (void)history.changes(0, 1, {}, 9)).code() == PQT_ERROR_MISMATCH);

    history.set_name(2, "two");
    history.remove_name(2);
    CHECK(!history.find("two").has_value());
    push(first, 4, 7);
    push(moved, 4, 7);
    CHECK(history.current() == 4);
    history.end_coalescing();
    push(first, 4, 7);
    CHECK(history.current() == 5);
}

TEST(histories_hold_all_kinds)
{
    pqt::history documents(drawing());
    documents.push(drawing().set("shapes", shapes().clear()));
    CHECK(documents.undo() && documents.value() == drawing());
    pqt::history maps(numbers().insert(1, 1));
    maps.push(maps.value().insert(1, 2));
    CHECK(maps.undo() && maps.value().find(1) == 1u);
    CHECK(pqt::history(pqt::region()).value().empty());
    CHECK(pqt::history(pqt::world(square)).value().size() == 0);
}

TEST(a_history_goes_to_bytes_and_back)
{
    const pqt::tree first = shapes();
    pqt::history history(first);
    history.push(first.move_id(1, dog.box), "Move");
    history.push(first.remove_id(1), "Remove");
    history.undo();
    history.set_name(1, "moved");
    const std::vector<std::byte> bytes = history.to_bytes();
    auto read = pqt::history<pqt::tree>::from_bytes(bytes);
    CHECK(read.to_bytes() == bytes && read.current() == 1 && read.redo_label() == "Remove");
    CHECK(read.value() == history.value() && read.find("moved") == 1);
    CHECK(read.stats().bytes == history.stats().bytes);
    CHECK(THROWN(pqt::error, (void)pqt::history<numbers>::from_bytes(bytes)).code() ==
          PQT_ERROR_MISMATCH);
    CHECK(THROWN(pqt::error, (void)pqt::tree::from_bytes(bytes)).code() == PQT_ERROR_FORMAT);
    std::vector<std::byte> longer = bytes;
    longer.push_back(std::byte(0));
    CHECK(THROWN(pqt::error, (void)pqt::history<pqt::tree>::from_bytes(longer)).index() ==
          bytes.size());
    longer.resize(bytes.size() - 9);
    CHECK(THROWN(pqt::error, (void)pqt::history<pqt::tree>::from_bytes(longer)).code() ==
          PQT_ERROR_FORMAT);
    history.begin_group("open");
    CHECK(THROWN(pqt::error, (void)history.to_bytes()).code() == PQT_ERROR_MISMATCH);
}

TEST(a_history_goes_to_a_file_and_back)
{
    const std::string path = "cpp-history-" + std::to_string(getpid()) + ".pqt";
    pqt::memory heap;
    pqt_history_answer answer = {};
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.indexed = true;
    pqt::history history(shapes());
    history.push(history.value().move_id(1, dog.box), "Move");
    history.save(path);
    auto loaded = pqt::history<pqt::tree>::load(path, heap, options);
    std::remove(path.c_str());
    CHECK(loaded.value() == history.value());
    CHECK(loaded.value().home().get() == heap.get());
    CHECK(pqt_history_last_item_change(loaded.get(), nullptr, 1, 1, &answer, nullptr));
    CHECK(answer.found && answer.entry == 1);
    CHECK(THROWN(pqt::error, (void)pqt::history<pqt::tree>::load(path)).code() == PQT_ERROR_STREAM);
}

TEST(the_memory_of_a_history_is_reclaimed)
{
    pqt::memory heap;
    {
        pqt_history_options options = PQT_HISTORY_DEFAULTS;
        options.max_entries = 50;
        pqt::tree tree = shapes().copy_to(heap);
        pqt::history history(tree, options);
        for (std::uint64_t i = 0; i < 5000; i++) {
            tree = tree.insert({{{1, 1}, {2, 2}}, 3 + i % 500}).move_id(1, cat.box);
            tree = tree.move_id(2, {{static_cast<double>(i % 900), 0}, {999, 9}});
            history.push(tree);
        }
        CHECK(heap.stats().collections > 0 && history.value() == tree);
    }
    heap.reclaim();
    CHECK(heap.stats().used_bytes == 0 && heap.stats().pins == 0);
}

TEST(an_exception_propagates_out_of_each_visitor_of_the_other_kinds)
{
    const numbers map = numbers().insert(1, 2);
    const pqt::region canvas = pqt::region::of({{{0, 0}, {5, 5}}});
    const pqt::world world = pqt::world(square).add(ball(1, 50, 50));
    const pqt::document document = drawing();
    const pqt::history history(map);
    THROWN(surprise, map.visit(throws));
    THROWN(surprise, map.visit_diff(numbers(), throws));
    THROWN(surprise, canvas.visit_runs(canvas.bounds(), throws));
    THROWN(surprise, canvas.visit_boxes(canvas.bounds(), throws));
    THROWN(surprise, canvas.visit_diff(pqt::region(), throws));
    THROWN(surprise, canvas.visit_overlap(canvas, {0, 0}, throws));
    THROWN(surprise, canvas.visit_squares(throws));
    THROWN(surprise, world.visit({}, throws));
    THROWN(surprise,
           document.visit_diff(
               document.set("shapes", shapes().clear().insert(cat).insert({cat.box, 2})), throws));
    THROWN(surprise, history.visit(throws));
    const auto decides = [](const auto &...) -> pqt_map_resolution { throw surprise{}; };
    THROWN(surprise, (void)map.merge(map.insert(1, 3), map.insert(1, 4), decides));
    const auto judges = [](const auto &...) -> pqt_document_resolution { throw surprise{}; };
    THROWN(surprise, (void)document.merge(
                         document.set("shapes", shapes().move_id(1, {{0, 0}, {1, 1}})),
                         document.set("shapes", shapes().move_id(1, {{0, 0}, {2, 2}})), judges));
}

/* A merge of documents that fails has already merged some parts. */
TEST(memory_does_not_grow_while_maps_and_documents_are_merged)
{
    pqt::memory heap;
    names base(heap);
    for (std::uint64_t id = 0; id < 500; id++)
        base = base.insert(id, "cat");
    names ours = base, theirs = base;
    for (std::uint64_t id = 0; id < 100; id++) {
        ours = ours.insert(id, "lion");
        theirs = theirs.insert(id + 99, "tiger");
    }
    const auto document = [](const names &map) { return pqt::document::of({{"names", map}}); };
    const pqt::document whole = document(base), left = document(ours), right = document(theirs);
    const auto keeps = [](const auto &...) { return PQT_MAP_KEEP_OURS; };
    const auto takes = [](const auto &...) { return PQT_DOCUMENT_KEEP_OURS; };
    heap.reclaim();
    const std::uint64_t most = 4 * heap.stats().used_bytes + 1000000;
    CHECK(most_bytes_of_calls(heap, 1000, [&] { (void)base.merge(ours, theirs, keeps); }) < most);
    CHECK(most_bytes_of_calls(heap, 1000,
                              [&] { THROWN(pqt::error, (void)base.merge(ours, theirs)); }) < most);
    CHECK(most_bytes_of_calls(heap, 1000, [&] { (void)whole.merge(left, right, takes); }) < most);
    CHECK(most_bytes_of_calls(heap, 1000,
                              [&] { THROWN(pqt::error, (void)whole.merge(left, right)); }) < most);
}

TEST(memory_does_not_grow_while_a_recording_is_read)
{
    pqt::memory heap;
    std::vector<pqt_body> bodies;
    for (std::uint64_t id = 0; id < 100; id++)
        bodies.push_back(ball(id, 20 + 9.0 * static_cast<double>(id), 500));
    pqt::recording recording(pqt::world(square, true, heap).add_all(bodies), 1.0 / 60,
                             PQT_STEP_DEFAULTS, 10);
    for (int i = 0; i < 15; i++)
        (void)recording.step();
    heap.reclaim();
    const std::uint64_t most = 4 * heap.stats().used_bytes + 1000000;
    CHECK(most_bytes_of_calls(heap, 100, [&] { (void)recording.at(14); }) < most);
    CHECK(most_bytes_of_calls(heap, 100, [&] { CHECK(!recording.verify().has_value()); }) < most);
}

TEST(moved_from_values_of_all_kinds_throw)
{
    numbers map;
    pqt::region region;
    pqt::world world(square);
    pqt::document document = drawing();
    const numbers a = std::move(map);
    const pqt::region b = std::move(region);
    const pqt::world c = std::move(world);
    const pqt::document d = std::move(document);
    THROWN(pqt::moved_from, (void)map.insert(1, 2)); // NOLINT: that is the test
    THROWN(pqt::moved_from, (void)region.size());    // NOLINT
    THROWN(pqt::moved_from, (void)world.step(1));    // NOLINT
    THROWN(pqt::moved_from, (void)document.size());  // NOLINT
    THROWN(pqt::moved_from, (void)d.set("canvas", region));
    THROWN(pqt::moved_from, (void)pqt::history(map));
    map = a;
    CHECK(map == a && map.empty());
}

int
main()
{
    return cpp_suite::run();
}

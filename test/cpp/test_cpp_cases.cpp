/* SPDX-License-Identifier: MIT */
/*
 * test_cpp_cases.cpp: runs the cases of test/cases.json through pqt.hpp, and compares every answer.
 * The C library writes them (test/cases.c). PQT_CASES names the file.
 */
#include "cpp_suite.hpp"

#include <pqt/all.hpp>

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <variant>

#include <jansson.h>

using names = pqt::map<std::uint64_t, std::string_view>;
using totals = pqt::map<std::string_view, std::uint64_t>;
using history = std::shared_ptr<pqt::history<pqt::tree>>;
using any_version = std::variant<pqt::tree, names, totals, pqt::region, pqt::image, pqt::world,
                                 pqt::document, history>;
using any_versions = std::map<std::string, any_version>;

namespace
{

/* ---- JSON ---- */

struct release {
    void operator()(json_t *root) const noexcept
    {
        json_decref(root);
    }
};

json_t *
member(const json_t *step, const char *name)
{
    json_t *const found = json_object_get(step, name);
    if (found == nullptr)
        throw std::runtime_error(std::string("a step has no ") + name);
    return found;
}

std::string
text(const json_t *step, const char *name)
{
    return json_string_value(member(step, name));
}

double
real(const json_t *value)
{
    return json_is_string(value) ? std::nan("") : json_number_value(value);
}

std::uint64_t
word(const json_t *value)
{
    return json_is_string(value) ? std::stoull(json_string_value(value))
                                 : static_cast<std::uint64_t>(json_integer_value(value));
}

double
real_at(const json_t *array, std::size_t i)
{
    return real(json_array_get(array, i));
}

pqt_box
box_of(const json_t *sides)
{
    return {{real_at(sides, 0), real_at(sides, 1)}, {real_at(sides, 2), real_at(sides, 3)}};
}

pqt_vec
vec_of(const json_t *both)
{
    return {real_at(both, 0), real_at(both, 1)};
}

pqt_item
item_of(const json_t *step)
{
    return {box_of(member(step, "box")), word(member(step, "id"))};
}

pqt_item
item_in(const json_t *pair)
{
    return {box_of(json_array_get(pair, 1)), word(json_array_get(pair, 0))};
}

std::int32_t
pixel_at(const json_t *array, std::size_t i)
{
    return static_cast<std::int32_t>(real_at(array, i));
}

std::vector<std::byte>
bytes_of(const std::string &hex)
{
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes.push_back(static_cast<std::byte>(std::stoul(hex.substr(i, 2), nullptr, 16)));
    return bytes;
}

std::string
hex_of(const std::vector<std::byte> &bytes)
{
    std::string hex;
    for (const std::byte one : bytes) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", std::to_integer<unsigned>(one));
        hex += digits;
    }
    return hex;
}

std::string
hex_of(const pqt_fingerprint &fingerprint)
{
    char digits[33];
    std::snprintf(digits, sizeof digits, "%016llx%016llx",
                  static_cast<unsigned long long>(fingerprint.high),
                  static_cast<unsigned long long>(fingerprint.low));
    return digits;
}

pqt_body
body_of(const json_t *one)
{
    pqt_body body = {};
    body.id = word(member(one, "id"));
    body.position = vec_of(member(one, "at"));
    body.velocity = vec_of(member(one, "velocity"));
    body.radius = real(member(one, "radius"));
    body.mass = real(member(one, "mass"));
    body.fixed = json_is_true(member(one, "fixed"));
    return body;
}

/* ---- Steps ---- */

struct step_runner {
    const json_t *step;
    any_versions &all;

    template <class T> const T &named(const char *role) const
    {
        return std::get<T>(all.at(text(step, role)));
    }

    bool is(const char *op) const
    {
        return text(step, "op") == op;
    }

    const json_t *expected() const
    {
        return member(step, "is");
    }
};

/* Returns the resolution with a given name, for one kind of version. */
template <class Resolution>
Resolution
resolution_of(const std::string &name, Resolution ours, Resolution theirs, Resolution neither,
              Resolution base)
{
    return name == "ours" ? ours : name == "theirs" ? theirs : name == "neither" ? neither : base;
}

template <class T, class Decide>
T
merged(const step_runner &run, const Decide &decide)
{
    const T &ours = run.named<T>("ours"), &theirs = run.named<T>("theirs");
    const json_t *const name = json_object_get(run.step, "resolution");
    return name == nullptr ? run.named<T>("of").merge(ours, theirs)
                           : decide(ours, theirs, json_string_value(name));
}

any_version
merge_of(const step_runner &run)
{
    const any_version &base = run.all.at(text(run.step, "of"));
    if (const auto *tree = std::get_if<pqt::tree>(&base))
        return merged<pqt::tree>(
            run, [&](const pqt::tree &ours, const pqt::tree &theirs, const std::string &name) {
                return tree->merge(ours, theirs,
                                   resolution_of(name, PQT_KEEP_OURS, PQT_KEEP_THEIRS,
                                                 PQT_KEEP_NEITHER, PQT_KEEP_BASE));
            });
    if (const auto *map = std::get_if<names>(&base))
        return merged<names>(
            run, [&](const names &ours, const names &theirs, const std::string &name) {
                return map->merge(ours, theirs, [&](const pqt_map_conflict &, pqt_map_value &) {
                    return resolution_of(name, PQT_MAP_KEEP_OURS, PQT_MAP_KEEP_THEIRS,
                                         PQT_MAP_KEEP_NEITHER, PQT_MAP_KEEP_BASE);
                });
            });
    if (const auto *image = std::get_if<pqt::image>(&base))
        return merged<pqt::image>(
            run, [&](const pqt::image &ours, const pqt::image &theirs, const std::string &name) {
                return image->merge(ours, theirs,
                                    resolution_of(name, PQT_IMAGE_KEEP_OURS, PQT_IMAGE_KEEP_THEIRS,
                                                  PQT_IMAGE_UNRESOLVED, PQT_IMAGE_KEEP_BASE));
            });
    const pqt::document &document = std::get<pqt::document>(base);
    return merged<pqt::document>(
        run, [&](const pqt::document &ours, const pqt::document &theirs, const std::string &name) {
            return document.merge(
                ours, theirs, [&](const pqt_document_conflict &, pqt_document_answer &) {
                    return resolution_of(name, PQT_DOCUMENT_KEEP_OURS, PQT_DOCUMENT_KEEP_THEIRS,
                                         PQT_DOCUMENT_KEEP_NEITHER, PQT_DOCUMENT_KEEP_BASE);
                });
        });
}

any_version
read_of(const step_runner &run)
{
    const std::vector<std::byte> bytes = bytes_of(text(run.step, "bytes"));
    const std::string kind = text(run.step, "kind");
    if (kind == "tree")
        return pqt::tree::from_bytes(bytes);
    if (kind == "region")
        return pqt::region::from_bytes(bytes);
    if (kind == "image")
        return pqt::image::from_bytes(bytes);
    if (kind == "world")
        return pqt::world::from_bytes(bytes);
    if (kind == "document")
        return pqt::document::from_bytes(bytes);
    try {
        return names::from_bytes(bytes);
    } catch (const pqt::error &thrown) {
        if (thrown.code() != PQT_ERROR_MISMATCH)
            throw;
        return totals::from_bytes(bytes);
    }
}

any_version
document_of(const step_runner &run)
{
    std::vector<pqt::document::part> parts;
    std::size_t i;
    const json_t *one;
    json_array_foreach(member(run.step, "parts"), i, one)
    {
        const char *const name = json_string_value(json_array_get(one, 0));
        const any_version &value = run.all.at(json_string_value(json_array_get(one, 1)));
        const char *const keyed_by = json_string_value(json_array_get(one, 2));
        if (const auto *map = std::get_if<names>(&value))
            parts.emplace_back(name, *map, keyed_by);
        else
            parts.emplace_back(name, std::get<pqt::tree>(value));
    }
    return pqt::document::of(parts);
}

any_version
document_with(const step_runner &run)
{
    const auto &document = run.named<pqt::document>("of");
    const any_version &value = run.all.at(text(run.step, "to"));
    if (const auto *map = std::get_if<names>(&value))
        return document.set(text(run.step, "part"), *map);
    return document.set(text(run.step, "part"), std::get<pqt::tree>(value));
}

any_version
stepped(const step_runner &run)
{
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.restitution = real(member(run.step, "restitution"));
    options.gravity.y = real(member(run.step, "gravity"));
    pqt::world world = run.named<pqt::world>("of");
    for (std::uint64_t left = word(member(run.step, "times")); left > 0; left--)
        world = world.step(real(member(run.step, "dt")), options);
    return world;
}

pqt::batch
batch_of(const json_t *changes)
{
    pqt::batch batch;
    std::size_t i;
    const json_t *change;
    json_array_foreach(changes, i, change)
    {
        const std::string kind = json_string_value(json_array_get(change, 0));
        const pqt_item item = {box_of(json_array_get(change, 2)), word(json_array_get(change, 1))};
        if (kind == "insert")
            batch.insert(item);
        else if (kind == "remove")
            batch.remove(item);
        else
            batch.move(item, box_of(json_array_get(change, 3)));
    }
    return batch;
}

any_version
tree_made(const step_runner &run)
{
    if (run.is("tree")) {
        pqt::tree_options options;
        options.unique_ids = json_is_true(member(run.step, "uniqueIds"));
        options.strict_bounds = json_is_true(member(run.step, "strictBounds"));
        return pqt::tree(box_of(member(run.step, "bounds")), options);
    }
    const auto &of = run.named<pqt::tree>("of");
    if (run.is("insert"))
        return of.insert(item_of(run.step));
    if (run.is("remove"))
        return of.remove(item_of(run.step));
    if (run.is("move"))
        return of.move(item_of(run.step), box_of(member(run.step, "to")));
    if (run.is("clear"))
        return of.clear();
    if (run.is("apply"))
        return of.apply(batch_of(member(run.step, "changes")).changes());
    std::vector<pqt_item> items;
    std::size_t i;
    const json_t *one;
    json_array_foreach(member(run.step, "items"), i, one) items.push_back(item_in(one));
    return of.insert_all(items);
}

any_version
map_made(const step_runner &run)
{
    if (run.is("map")) {
        if (text(run.step, "keys") == "ids")
            return names();
        return totals();
    }
    const any_version &of = run.all.at(text(run.step, "of"));
    const json_t *const key = member(run.step, "key");
    if (run.is("delete"))
        return std::get<names>(of).remove(word(key));
    if (const auto *map = std::get_if<names>(&of))
        return map->insert(word(key), text(run.step, "value"));
    return std::get<totals>(of).insert(json_string_value(key), word(member(run.step, "value")));
}

any_version
region_made(const step_runner &run)
{
    if (run.is("region")) {
        const json_t *const sides = member(run.step, "box");
        const pqt_pixel_box box = {{pixel_at(sides, 0), pixel_at(sides, 1)},
                                   {pixel_at(sides, 2), pixel_at(sides, 3)}};
        return pqt::region::of({box});
    }
    const auto &of = run.named<pqt::region>("of");
    if (run.is("disc"))
        return of.paint(
            pqt_paint_disc(json_is_true(member(run.step, "set")) ? PQT_PAINT_SET : PQT_PAINT_CLEAR,
                           vec_of(member(run.step, "at")), real(member(run.step, "radius"))));
    if (run.is("union"))
        return of.unite(run.named<pqt::region>("other"));
    if (run.is("intersection"))
        return of.intersect(run.named<pqt::region>("other"));
    if (run.is("difference"))
        return of.subtract(run.named<pqt::region>("other"));
    if (run.is("xor"))
        return of.symmetric_difference(run.named<pqt::region>("other"));
    const json_t *const by = member(run.step, "by");
    if (run.is("shift"))
        return of.move({pixel_at(by, 0), pixel_at(by, 1)});
    const auto connectivity = static_cast<pqt_connectivity>(pixel_at(by, 1));
    return run.is("dilate") ? of.dilate(pixel_at(by, 0), connectivity)
                            : of.erode(pixel_at(by, 0), connectivity);
}

pqt_pixel
pixel_of(const json_t *both)
{
    return {pixel_at(both, 0), pixel_at(both, 1)};
}

pqt_pixel_box
pixel_box_of(const json_t *sides)
{
    return {{pixel_at(sides, 0), pixel_at(sides, 1)}, {pixel_at(sides, 2), pixel_at(sides, 3)}};
}

pqt_rgba
colour_of(const json_t *channels)
{
    std::uint8_t bytes[4];
    for (std::size_t i = 0; i < 4; i++)
        bytes[i] = static_cast<std::uint8_t>(pixel_at(channels, i));
    return {bytes[0], bytes[1], bytes[2], bytes[3]};
}

any_version
image_made(const step_runner &run)
{
    if (run.is("image"))
        return pqt::image(word(member(run.step, "width")), word(member(run.step, "height")),
                          colour_of(member(run.step, "colour")));
    const auto &of = run.named<pqt::image>("of");
    const pqt_ink_mode mode = text(run.step, "mode") == "over" ? PQT_INK_OVER : PQT_INK_REPLACE;
    if (run.is("ink"))
        return of.paint(pqt_paint_stroke(PQT_PAINT_SET, vec_of(member(run.step, "from")),
                                         vec_of(member(run.step, "to")),
                                         real(member(run.step, "radius"))),
                        colour_of(member(run.step, "colour")), mode);
    const pqt_pixel at = pixel_of(member(run.step, "at"));
    if (run.is("blit"))
        return of.blit(run.named<pqt::image>("other"), pixel_box_of(member(run.step, "box")), at,
                       mode);
    const pqt_rgba colour = colour_of(member(run.step, "colour"));
    if (run.is("fill"))
        return of.fill(run.named<pqt::region>("other"), at, colour, mode);
    const auto tolerance = static_cast<std::uint8_t>(word(member(run.step, "tolerance")));
    return of.flood(at, tolerance, colour, mode);
}

any_version
world_made(const step_runner &run)
{
    if (run.is("world"))
        return pqt::world(box_of(member(run.step, "bounds")));
    std::vector<pqt_body> bodies;
    std::size_t i;
    const json_t *one;
    json_array_foreach(member(run.step, "bodies"), i, one) bodies.push_back(body_of(one));
    return run.named<pqt::world>("of").add_all(bodies);
}

/* The operations that make a version from others. */
const std::map<std::string, std::function<any_version(const step_runner &)>> makers = {
    {"tree", tree_made},           {"insert", tree_made},   {"remove", tree_made},
    {"move", tree_made},           {"load", tree_made},     {"clear", tree_made},
    {"apply", tree_made},          {"map", map_made},       {"set", map_made},
    {"delete", map_made},          {"region", region_made}, {"disc", region_made},
    {"union", region_made},        {"xor", region_made},    {"shift", region_made},
    {"intersection", region_made}, {"dilate", region_made}, {"difference", region_made},
    {"erode", region_made},        {"image", image_made},   {"ink", image_made},
    {"fill", image_made},          {"blit", image_made},    {"flood", image_made},
    {"world", world_made},         {"add", world_made},     {"step", stepped},
    {"merge", merge_of},           {"read", read_of},       {"document", document_of},
    {"setPart", document_with}};

/* Calls a function with the value of a version, unless it is a history. */
template <class F>
auto
with_value(const any_version &of, F &&function)
{
    return std::visit(
        [&](const auto &one) {
            if constexpr (std::is_same_v<std::decay_t<decltype(one)>, history>)
                return function(one->value());
            else
                return function(one);
        },
        of);
}

std::size_t
size_of(const any_version &of)
{
    if (const auto *region = std::get_if<pqt::region>(&of))
        return static_cast<std::size_t>(pqt_region_count(region->get()));
    if (const auto *image = std::get_if<pqt::image>(&of)) {
        const pqt_pixel_box bounds = image->bounds();
        return static_cast<std::size_t>(bounds.max.x) * static_cast<std::size_t>(bounds.max.y);
    }
    return with_value(of, [](const auto &one) -> std::size_t {
        using type = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<type, pqt::region> || std::is_same_v<type, pqt::image>)
            return 0;
        else
            return one.size();
    });
}

void
ask_window(const step_runner &run)
{
    const std::vector<pqt_item> found =
        run.named<pqt::tree>("of").collect(box_of(member(run.step, "box")));
    CHECK(found.size() == json_array_size(run.expected()));
    for (std::size_t i = 0; i < found.size(); i++)
        CHECK(pqt_item_equals(found[i], item_in(json_array_get(run.expected(), i))));
}

void
ask_nearest(const step_runner &run)
{
    const std::vector<pqt_near> found = run.named<pqt::tree>("of").nearest(
        vec_of(member(run.step, "at")), word(member(run.step, "most")));
    CHECK(found.size() == json_array_size(run.expected()));
    for (std::size_t i = 0; i < found.size(); i++) {
        CHECK(found[i].item.id == word(json_array_get(run.expected(), i)));
        CHECK(found[i].distance == real_at(member(run.step, "distances"), i));
    }
}

bool
same_box(const pqt_box &a, const pqt_box &b)
{
    return a.min.x == b.min.x && a.min.y == b.min.y && a.max.x == b.max.x && a.max.y == b.max.y;
}

void
ask_diff(const step_runner &run)
{
    static const std::map<std::string, pqt_change_kind> kinds = {
        {"insert", PQT_INSERT}, {"remove", PQT_REMOVE}, {"move", PQT_MOVE}};
    const std::vector<pqt_change> found =
        run.named<pqt::tree>("of").diff(run.named<pqt::tree>("other"));
    CHECK(found.size() == json_array_size(run.expected()));
    for (std::size_t i = 0; i < found.size(); i++) {
        const json_t *const change = json_array_get(run.expected(), i);
        CHECK(found[i].kind == kinds.at(json_string_value(json_array_get(change, 0))));
        CHECK(found[i].item.id == word(json_array_get(change, 1)));
        CHECK(same_box(found[i].item.box, box_of(json_array_get(change, 2))));
        if (found[i].kind == PQT_MOVE)
            CHECK(same_box(found[i].to, box_of(json_array_get(change, 3))));
    }
}

void
ask_value(const step_runner &run)
{
    const any_version &of = run.all.at(text(run.step, "of"));
    const json_t *const key = member(run.step, "key");
    if (const auto *map = std::get_if<names>(&of)) {
        const auto found = map->find(word(key));
        CHECK(found.has_value() != json_is_null(run.expected()));
        CHECK(!found || *found == json_string_value(run.expected()));
    } else {
        const auto found = std::get<totals>(of).find(json_string_value(key));
        CHECK(found.has_value() != json_is_null(run.expected()));
        CHECK(!found || *found == word(run.expected()));
    }
}

void
ask_sweep(const step_runner &run)
{
    const pqt_region_sweep found = run.named<pqt::region>("of").sweep(
        vec_of(member(run.step, "from")), vec_of(member(run.step, "to")),
        run.named<pqt::region>("other"));
    const pqt_vec stop = vec_of(member(run.step, "stop"));
    CHECK(static_cast<std::uint64_t>(found.status) == word(member(run.step, "status")));
    CHECK(found.time == real(member(run.step, "time")));
    CHECK(found.stop.x == stop.x && found.stop.y == stop.y);
    CHECK((found.blocked & (PQT_BLOCKED_X | PQT_BLOCKED_Y)) == word(member(run.step, "blocked")));
}

void
ask_pixel(const step_runner &run)
{
    const pqt_rgba found = run.named<pqt::image>("of").pixel(pixel_of(member(run.step, "at")));
    const pqt_rgba expected = colour_of(run.expected());
    CHECK(found.r == expected.r && found.g == expected.g && found.b == expected.b &&
          found.a == expected.a);
}

void
ask_damage(const step_runner &run)
{
    std::size_t i = 0;
    run.named<pqt::image>("of").visit_diff(
        run.named<pqt::image>("other"), [&](const pqt_pixel_box &box) {
            const pqt_pixel_box expected = pixel_box_of(json_array_get(run.expected(), i++));
            CHECK(std::memcmp(&box, &expected, sizeof box) == 0);
            return true;
        });
    CHECK(i == json_array_size(run.expected()));
}

void
ask_body(const step_runner &run)
{
    const auto found = run.named<pqt::world>("of").find(word(member(run.step, "id")));
    const pqt_body expected = body_of(run.expected());
    CHECK(found.has_value());
    CHECK(found->position.x == expected.position.x && found->position.y == expected.position.y);
    CHECK(found->velocity.x == expected.velocity.x && found->velocity.y == expected.velocity.y);
    CHECK(found->radius == expected.radius && found->mass == expected.mass);
    CHECK(found->fixed == expected.fixed);
}

/* The queries, whose answers are compared. */
const std::map<std::string, std::function<void(const step_runner &)>> questions = {
    {"window", ask_window},
    {"nearest", ask_nearest},
    {"diff", ask_diff},
    {"get", ask_value},
    {"sweep", ask_sweep},
    {"pixel", ask_pixel},
    {"damage", ask_damage},
    {"body", ask_body},
    {"count",
     [](const step_runner &run) {
         CHECK(run.named<pqt::tree>("of").count(box_of(member(run.step, "box"))) ==
               word(run.expected()));
     }},
    {"equals",
     [](const step_runner &run) {
         const bool equal = run.all.at(text(run.step, "of")).index() ==
                                run.all.at(text(run.step, "other")).index() &&
                            std::visit(
                                [&](const auto &one) {
                                    return one == run.named<std::decay_t<decltype(one)>>("other");
                                },
                                run.all.at(text(run.step, "of")));
         CHECK(equal == json_is_true(run.expected()));
     }},
    {"bytes",
     [](const step_runner &run) {
         const std::string hex = with_value(run.all.at(text(run.step, "of")),
                                            [](const auto &one) { return hex_of(one.to_bytes()); });
         CHECK(hex == json_string_value(run.expected()));
     }},
    {"push",
     [](const step_runner &run) {
         run.named<history>("of")->push(run.named<pqt::tree>("version"), text(run.step, "label"));
     }},
    {"undo",
     [](const step_runner &run) {
         CHECK(run.named<history>("of")->undo() == json_is_true(run.expected()));
     }},
    {"redo",
     [](const step_runner &run) {
         CHECK(run.named<history>("of")->redo() == json_is_true(run.expected()));
     }},
    {"now", [](const step_runner &run) {
         CHECK(hex_of(run.named<history>("of")->value().fingerprint()) ==
               json_string_value(run.expected()));
     }}};

void
make_version(const step_runner &run)
{
    const auto maker = makers.find(text(run.step, "op"));
    if (maker == makers.end())
        throw std::runtime_error("the operation " + text(run.step, "op") + " is unknown");
    if (json_object_get(run.step, "error") != nullptr) {
        const pqt::error thrown =
            cpp_suite::thrown_by<pqt::error>([&] { (void)maker->second(run); }, __LINE__);
        CHECK(static_cast<std::uint64_t>(thrown.code()) == word(member(run.step, "status")));
        return;
    }
    any_version made = maker->second(run);
    CHECK(size_of(made) == word(member(run.step, "size")));
    const std::string fingerprint =
        with_value(made, [](const auto &one) { return hex_of(one.fingerprint()); });
    CHECK(fingerprint == text(run.step, "fingerprint"));
    run.all.insert_or_assign(text(run.step, "as"), std::move(made));
}

void
run_step(const step_runner &run)
{
    const auto question = questions.find(text(run.step, "op"));
    if (question != questions.end())
        question->second(run);
    else if (run.is("history"))
        run.all.insert_or_assign(text(run.step, "as"), std::make_shared<pqt::history<pqt::tree>>(
                                                           run.named<pqt::tree>("of")));
    else
        make_version(run);
}

/* Runs a case, and returns the number of its steps. */
std::size_t
run_case(const json_t *one)
{
    any_versions all;
    std::size_t number;
    const json_t *step;
    json_array_foreach(member(one, "steps"), number, step)
    {
        try {
            run_step({step, all});
        } catch (const cpp_suite::failed &failure) {
            std::printf("# %s, step %zu, %s\n", text(one, "name").c_str(), number + 1,
                        text(step, "op").c_str());
            throw failure;
        } catch (const std::exception &thrown) {
            throw std::runtime_error(text(one, "name") + ", step " + std::to_string(number + 1) +
                                     ", " + text(step, "op") + ": " + thrown.what());
        }
    }
    return json_array_size(member(one, "steps"));
}

} // namespace

TEST(the_cases_of_the_library_give_the_same_answers)
{
    const char *const path = std::getenv("PQT_CASES");
    json_error_t failure;
    const std::unique_ptr<json_t, release> root(
        json_load_file(path == nullptr ? "test/cases.json" : path, 0, &failure));
    if (root == nullptr)
        throw std::runtime_error(failure.text);
    std::size_t steps = 0, i;
    const json_t *one;
    json_array_foreach(member(root.get(), "cases"), i, one) steps += run_case(one);
    CHECK(steps > 0 && steps == word(member(root.get(), "steps")));
}

int
main()
{
    return cpp_suite::run();
}

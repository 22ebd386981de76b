/* SPDX-License-Identifier: MIT */
/*
 * cpp_cost.cpp: runs one small task through pqt.hpp or through the C interface, so that
 * instructions can be counted.
 *
 *     cpp_cost                 the names of the tasks
 *     cpp_cost TASK c|cpp      runs a task and prints its result
 *
 * The C code gives the same guarantees as the C++ code, in a heap that other threads may reclaim:
 * it makes a version in a scope, pins it, reclaims a little, and unpins the old version. It also
 * pins the version during a loop or a visit, because the body may drop it. test/bench/cpp_run runs
 * both under callgrind, which counts only inside `measured`.
 */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <pqt.hpp>

namespace
{

constexpr std::size_t items_count = 20000, edits = 2000, queries = 1000;

struct ground {
    std::vector<pqt_item> items;
    std::vector<pqt_box> windows;
    std::vector<pqt_change> changes;
    pqt::tree tree;
};

struct task {
    const char *name;
    std::uint64_t (*c)(const ground &);
    std::uint64_t (*cpp)(const ground &);
};

std::uint64_t
next_word(std::uint64_t *state)
{
    std::uint64_t word = *state += 0x9e3779b97f4a7c15;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
    word = (word ^ word >> 27) * 0x94d049bb133111eb;
    return word ^ word >> 31;
}

pqt_box
box_of(std::uint64_t *state, double side)
{
    const double x = static_cast<double>(next_word(state) % 1000000) / 1000;
    const double y = static_cast<double>(next_word(state) % 1000000) / 1000;
    return {{x, y}, {x + side, y + side}};
}

ground
make_ground()
{
    std::uint64_t state = 1;
    std::vector<pqt_item> items;
    std::vector<pqt_box> windows;
    std::vector<pqt_change> changes;
    for (std::size_t i = 0; i < items_count; i++)
        items.push_back({box_of(&state, 2), i});
    for (std::size_t i = 0; i < queries; i++)
        windows.push_back(box_of(&state, 20));
    for (std::size_t i = 0; i < edits; i++)
        changes.push_back({PQT_MOVE, items[i], box_of(&state, 2)});
    pqt::tree tree = pqt::tree::of(items);
    return {std::move(items), std::move(windows), std::move(changes), std::move(tree)};
}

/* ---- Edits ---- */

/* Makes one edit in C, and replaces the version that *pin keeps. */
template <class F>
void
edit(pqt_memory *heap, pqt_pin **pin, pqt_error *error, F function)
{
    if (!pqt_scope_begin(heap, error))
        return;
    const pqt_tree *const next = function(pqt_pin_get_tree(*pin));
    pqt_pin *const next_pin = next == nullptr ? nullptr : pqt_tree_pin(next, error);
    pqt_scope_end(heap);
    pqt_memory_reclaim(heap, PQT_RECLAIM_PACED);
    pqt_unpin(pin);
    *pin = next_pin;
}

std::uint64_t
result_of(pqt_pin **pin)
{
    const std::uint64_t low = pqt_tree_fingerprint(pqt_pin_get_tree(*pin)).low;
    pqt_unpin(pin);
    return low;
}

std::uint64_t
move_c(const ground &g)
{
    pqt_error error = {};
    pqt_memory *const heap = pqt_tree_memory(g.tree.get());
    pqt_pin *pin = pqt_tree_pin(g.tree.get(), &error);
    for (const pqt_change &change : g.changes)
        edit(heap, &pin, &error, [&](const pqt_tree *tree) {
            return pqt_tree_move(tree, change.item, change.to, &error);
        });
    return result_of(&pin);
}

std::uint64_t
move_cpp(const ground &g)
{
    pqt::tree tree = g.tree;
    for (const pqt_change &change : g.changes)
        tree = tree.move(change.item, change.to);
    return tree.fingerprint().low;
}

std::uint64_t
apply_c(const ground &g)
{
    pqt_error error = {};
    pqt_memory *const heap = pqt_tree_memory(g.tree.get());
    pqt_pin *pin = pqt_tree_pin(g.tree.get(), &error);
    for (std::size_t i = 0; i < edits; i += 100)
        edit(heap, &pin, &error, [&](const pqt_tree *tree) {
            return pqt_tree_apply(tree, &g.changes[i], 100, &error);
        });
    return result_of(&pin);
}

std::uint64_t
apply_cpp(const ground &g)
{
    pqt::tree tree = g.tree;
    for (std::size_t i = 0; i < edits; i += 100)
        tree = tree.apply({&g.changes[i], 100});
    return tree.fingerprint().low;
}

/* ---- Queries ---- */

std::uint64_t
loop_c(const ground &g)
{
    std::uint64_t sum = 0;
    pqt_error error = {};
    for (const pqt_box &window : g.windows) {
        pqt_query query = pqt_query_all();
        query.window = window;
        pqt_pin *pin = pqt_tree_pin(g.tree.get(), &error);
        pqt_cursor cursor;
        pqt_item item;
        for (pqt_cursor_open(&cursor, pqt_pin_get_tree(pin), &query);
             pqt_cursor_next(&cursor, &item);)
            sum += item.id;
        pqt_unpin(&pin);
    }
    return sum;
}

std::uint64_t
loop_cpp(const ground &g)
{
    std::uint64_t sum = 0;
    for (const pqt_box &window : g.windows)
        for (const pqt_item &item : g.tree.window(window))
            sum += item.id;
    return sum;
}

bool
add_id(const pqt_item *item, void *context)
{
    *static_cast<std::uint64_t *>(context) += item->id;
    return true;
}

std::uint64_t
visit_c(const ground &g)
{
    std::uint64_t sum = 0;
    pqt_error error = {};
    for (const pqt_box &window : g.windows) {
        pqt_query query = pqt_query_all();
        query.window = window;
        pqt_pin *pin = pqt_tree_pin(g.tree.get(), &error);
        pqt_tree_visit(pqt_pin_get_tree(pin), &query, add_id, &sum);
        pqt_unpin(&pin);
    }
    return sum;
}

std::uint64_t
visit_cpp(const ground &g)
{
    std::uint64_t sum = 0;
    for (const pqt_box &window : g.windows)
        g.tree.visit(window, [&](const pqt_item &item) { sum += item.id; });
    return sum;
}

std::uint64_t
count_c(const ground &g)
{
    std::uint64_t sum = 0;
    for (const pqt_box &window : g.windows) {
        pqt_query query = pqt_query_all();
        query.window = window;
        sum += pqt_tree_count_in(g.tree.get(), &query);
    }
    return sum;
}

std::uint64_t
count_cpp(const ground &g)
{
    std::uint64_t sum = 0;
    for (const pqt_box &window : g.windows)
        sum += g.tree.count(window);
    return sum;
}

std::uint64_t
nearest_c(const ground &g)
{
    std::uint64_t sum = 0;
    for (const pqt_box &window : g.windows) {
        std::vector<pqt_near> found(10);
        found.resize(pqt_tree_nearest(g.tree.get(), window, nullptr, found.data(), 10));
        sum += found.back().item.id;
    }
    return sum;
}

std::uint64_t
nearest_cpp(const ground &g)
{
    std::uint64_t sum = 0;
    for (const pqt_box &window : g.windows)
        sum += g.tree.nearest(window, 10).back().item.id;
    return sum;
}

const task tasks[] = {
    {"move", move_c, move_cpp},    {"apply", apply_c, apply_cpp},
    {"loop", loop_c, loop_cpp},    {"visit", visit_c, visit_cpp},
    {"count", count_c, count_cpp}, {"nearest", nearest_c, nearest_cpp},
};

} // namespace

/* Callgrind counts inside this function. */
extern "C" __attribute__((noinline)) std::uint64_t measured(const ground &g,
                                                            std::uint64_t (*run)(const ground &));

std::uint64_t
measured(const ground &g, std::uint64_t (*run)(const ground &))
{
    const std::uint64_t found = run(g);
    __asm__ volatile("" : : : "memory"); // prevents a tail call, which would end the counting
    return found;
}

int
main(int argc, char **argv)
{
    for (const task &one : tasks) {
        if (argc < 3) {
            std::puts(one.name);
        } else if (std::strcmp(argv[1], one.name) == 0) {
            const ground g = make_ground();
            const auto run = std::strcmp(argv[2], "cpp") == 0 ? one.cpp : one.c;
            std::printf("%" PRIu64 "\n", measured(g, run));
        }
    }
    return 0;
}

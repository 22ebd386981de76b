/* SPDX-License-Identifier: MIT */
/*
 * test_cpp_store.cpp: tests the stores of pqt.hpp. If WITHOUT_STORES is defined, the library has no
 * SQLite.
 */
#include "cpp_suite.hpp"

#include <pqt/all.hpp>

#ifndef WITHOUT_STORES

#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using cpp_suite::rounds;

static const pqt_box square = {{0, 0}, {1000, 1000}};
static const pqt_item cat = {{{10, 20}, {30, 30}}, 1};
static const pqt_item dog = {{{40, 60}, {70, 80}}, 2};

using names = pqt::map<std::uint64_t, std::string_view>;

namespace
{

/* A file in its own folder. The folder must be empty when it is removed, because a closed store
   leaves no other file. */
class place
{
  public:
    place()
    {
        const char *const parent = std::getenv("TMPDIR");
        folder_ = std::string(parent == nullptr ? "/tmp" : parent) + "/pqt-store-XXXXXX";
        if (mkdtemp(folder_.data()) == nullptr)
            throw std::runtime_error("no folder can be made");
    }

    place(const place &) = delete;
    place &operator=(const place &) = delete;

    ~place()
    {
        (void)std::remove(path().c_str());
        if (rmdir(folder_.c_str()) != 0) {
            std::printf("# a store that is closed leaves another file\n");
            std::abort();
        }
    }

    std::string path() const
    {
        return folder_ + "/plan.pqts";
    }

  private:
    std::string folder_;
};

pqt::tree
shapes()
{
    pqt::tree_options options;
    options.unique_ids = true;
    return pqt::tree(square, options).insert_all({cat, dog});
}

pqt::store_options
access(pqt_store_access how)
{
    pqt::store_options options;
    options.access = how;
    return options;
}

/* Makes a store with four entries. Entry 3 is a child of entry 1, which has a name. */
void
fill(const place &at)
{
    pqt::store store(at.path());
    pqt::history history(shapes());
    store.save(history);
    history.push(shapes().remove_id(1), "Remove");
    history.set_name(1, "fork");
    history.push(shapes().clear(), "Clear");
    CHECK(history.undo());
    history.push(shapes().move_id(2, cat.box), "Move");
}

/* Changes bytes of a file. */
void
damage(const std::string &path, std::size_t from, std::size_t count)
{
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(from));
    file << std::string(count, 'x');
    CHECK(file.good());
}

} // namespace

TEST(a_history_continues_after_it_was_closed)
{
    const place at;
    fill(at);
    pqt::store store(at.path(), access(PQT_STORE_WRITE));
    CHECK(!store.empty() && store.kind() == PQT_KIND_TREE);
    pqt::history history = store.history<pqt::tree>();
    CHECK(history.current() == 3 && history.find("fork") == 1u);
    CHECK(history.value() == shapes().move_id(2, cat.box));
    CHECK(history.undo_label() == "Move" && history.undo() && history.current() == 1);
    CHECK(history.value() == shapes().remove_id(1) && history.redo() && history.current() == 3);
    CHECK(history.value_of(2) == shapes().clear() && !history.value_of(9).has_value());
    history.checkout(2);
    history.push(shapes().insert({cat.box, 4}), "Insert");
    CHECK(history.current() == 4 && history.undo() && history.current() == 2);
}

TEST(limits_hold_in_an_opened_history)
{
    const place at;
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.max_entries = 3;
    {
        pqt::history history(shapes());
        pqt::store store(at.path());
        store.save(history);
    }
    pqt::history history = pqt::store(at.path()).history<pqt::tree>({}, options);
    for (std::uint64_t id = 1; id <= 20; id++)
        history.push(history.value().insert({cat.box, 100 + id}));
    CHECK(history.stats().entries <= 3);
    CHECK(history.current() == 20);
}

TEST(the_file_has_each_change_when_its_function_returns)
{
    const place at;
    pqt::store store(at.path());
    pqt::history history(shapes());
    store.save(history);
    for (std::uint64_t i = 0; i < 20; i++) {
        history.push(shapes().insert({cat.box, 10 + i}));
        if (i % 3 == 2)
            CHECK(history.undo());
        pqt::store reader(at.path(), access(PQT_STORE_READ));
        const auto seen = reader.history<pqt::tree>();
        CHECK(seen.current() == history.current() && seen.value() == history.value());
    }
}

/* A recording continues after it is closed and reopened. The store contains each step when step()
 * returns. */
TEST(a_recording_continues_after_it_was_closed)
{
    const place at;
    pqt_body one = {}, other = {};
    one.id = 1;
    one.position = {500, 500};
    one.velocity = {40, 30};
    one.radius = other.radius = 10;
    other.id = 2;
    other.position = {100, 90};
    const pqt::world first = pqt::world(square).add(one).add(other);
    pqt::recording whole(first, 0.25, PQT_STEP_DEFAULTS, 5);
    {
        pqt::store store(at.path());
        pqt::recording run(first, 0.25, PQT_STEP_DEFAULTS, 5);
        (void)run.step();
        CHECK(!store.has_recording());
        store.save(run);
        CHECK(store.has_recording() && store.kind() == PQT_KIND_WORLD);
        for (int i = 1; i < 12; i++)
            (void)run.step();
        CHECK(THROWN(pqt::error, store.save(run)).code() == PQT_ERROR_MISMATCH);
        CHECK(THROWN(pqt::error, (void)store.history<pqt::world>()).code() == PQT_ERROR_MISMATCH);
        CHECK(THROWN(pqt::error, store.close()).code() == PQT_ERROR_MISMATCH);
        store.check();
        pqt::store reader(at.path(), access(PQT_STORE_READ));
        CHECK(reader.recording().last() == 12);
    }
    pqt::store store(at.path(), access(PQT_STORE_WRITE));
    store.check();
    CHECK(store.stats().entries == 13 && store.stats().keyframes == 3);
    std::optional<pqt::recording> run(store.recording());
    CHECK(run->last() == 12);
    for (int i = 0; i < 30; i++)
        (void)whole.step();
    for (int i = 12; i < 30; i++)
        CHECK(run->step() == whole.at(static_cast<std::size_t>(i) + 1));
    for (std::size_t step = 0; step <= 30; step += 7)
        CHECK(run->at(step) == whole.at(step));
    CHECK(!run->verify().has_value());
    run.reset();
    store.close();
}

TEST(histories_of_all_kinds_are_loaded_unchanged)
{
    const auto check = [](const auto &first, const auto &second) {
        const place at;
        {
            pqt::store store(at.path());
            pqt::history history(first);
            store.save(history);
            history.push(second, "Change");
        }
        using value = std::decay_t<decltype(first)>;
        pqt::store store(at.path());
        auto history = store.history<value>();
        CHECK(history.value() == second && history.undo() && history.value() == first);
        history.value().check();
        store.check();
    };
    check(shapes(), shapes().clear());
    check(names().insert(1, "cat"), names().insert(1, "owl").insert(2, "dog"));
    check(pqt::region(), pqt::region::of({{{0, 0}, {5, 5}}}));
    check(pqt::world(square), pqt::world(square).set_obstacle(pqt::region::of({{{0, 0}, {5, 5}}})));
    const pqt::document document =
        pqt::document::of({{"shapes", shapes()}, {"pixels", pqt::region()}});
    check(document, document.set("shapes", shapes().clear()));
}

TEST(a_history_keeps_its_store_open)
{
    const place at;
    std::optional<pqt::history<pqt::tree>> history;
    {
        pqt::store store(at.path());
        history.emplace(shapes());
        store.save(*history);
        CHECK(THROWN(pqt::error, store.close()).code() == PQT_ERROR_MISMATCH);
    }
    history->push(shapes().clear(), "Clear");
    CHECK(THROWN(pqt::error, pqt::store(at.path())).code() == PQT_ERROR_CONFLICT);
    pqt::history<pqt::tree> taken = std::move(*history);
    history.reset();
    CHECK(taken.undo() && THROWN(pqt::error, pqt::store(at.path())).code() == PQT_ERROR_CONFLICT);
    taken = pqt::history(shapes());
    pqt::store store(at.path());
    CHECK(store.history<pqt::tree>().current() == 0);
    CHECK(store.history<pqt::tree>().redo()); /* the last history was destroyed */
    store.close();
    THROWN(pqt::moved_from, (void)store.kind());
    store = pqt::store(at.path());
    pqt::store other = std::move(store);
    THROWN(pqt::moved_from, store.close()); // NOLINT: that is the test
    CHECK(!other.empty());
}

TEST(the_error_of_a_second_writer_names_the_first)
{
    const place at;
    const pqt::store store(at.path());
    const pqt::error refused = THROWN(pqt::error, pqt::store(at.path()));
    CHECK(refused.code() == PQT_ERROR_CONFLICT);
    CHECK(std::strstr(refused.what(), ("process " + std::to_string(getpid())).c_str()) != nullptr);
}

TEST(stores_refuse_what_they_cannot_hold)
{
    const place at;
    CHECK(THROWN(pqt::error, pqt::store(at.path(), access(PQT_STORE_WRITE))).code() ==
          PQT_ERROR_STREAM);
    pqt::store_options wrong;
    wrong.keyframe_ratio = 0;
    CHECK(THROWN(pqt::error, pqt::store(at.path(), wrong)).code() == PQT_ERROR_OPTION);
    {
        pqt::store store(at.path());
        CHECK(store.empty());
        store.check();
        CHECK(THROWN(pqt::error, (void)store.history<pqt::tree>()).code() == PQT_ERROR_MISMATCH);
        pqt::history history(names().insert(1, "cat"));
        history.begin_group("Group");
        CHECK(THROWN(pqt::error, store.save(history)).code() == PQT_ERROR_MISMATCH);
        CHECK(history.end_group());
        store.save(history);
        CHECK(THROWN(pqt::error, store.save(history)).code() == PQT_ERROR_MISMATCH);
        CHECK(THROWN(pqt::error, (void)store.history<names>()).code() == PQT_ERROR_MISMATCH);
        store.check();
    }
    pqt::store store(at.path());
    const pqt::error other = THROWN(pqt::error, (void)store.history<pqt::tree>());
    CHECK(other.code() == PQT_ERROR_MISMATCH);
    CHECK(std::strcmp(other.what(), "the store has no history of trees") == 0);
    CHECK(THROWN(pqt::error, (void)store.history<pqt::map<>>()).code() == PQT_ERROR_MISMATCH);
    CHECK(store.history<names>().value().find(1) == "cat");
    pqt::store elsewhere = std::move(store);
    THROWN(pqt::moved_from, (void)store.history<names>()); // NOLINT: that is the test
}

TEST(a_store_that_is_open_for_reading_changes_nothing)
{
    const place at;
    fill(at);
    pqt::store store(at.path(), access(PQT_STORE_READ));
    pqt::history history = store.history<pqt::tree>();
    CHECK(THROWN(pqt::error, history.push(shapes())).code() == PQT_ERROR_MISMATCH);
    CHECK(THROWN(pqt::error, history.set_name(2, "two")).code() == PQT_ERROR_MISMATCH);
    CHECK(THROWN(pqt::error, store.compact()).code() == PQT_ERROR_MISMATCH);
    CHECK(history.current() == 3 && history.undo() && history.current() == 1);
    CHECK(pqt::store(at.path(), access(PQT_STORE_READ)).history<pqt::tree>().current() == 3);
}

TEST(the_first_bytes_of_a_store_are_recognised)
{
    const place at;
    fill(at);
    std::vector<char> head(PQT_STORE_HEAD);
    CHECK(std::ifstream(at.path(), std::ios::binary).read(head.data(), PQT_STORE_HEAD).good());
    const auto *const bytes = reinterpret_cast<const std::byte *>(head.data());
    CHECK(pqt::is_store({bytes, head.size()}) && !pqt::is_store({bytes, head.size() - 1}));
    CHECK(!pqt::is_store(shapes().to_bytes()) && !pqt::is_store({}));
}

/* Loaded versions are forgotten and reclaimed, so the memory does not grow with each access. */
TEST(versions_are_loaded_and_released)
{
    const place at;
    const std::uint64_t entries = 300;
    {
        pqt::store store(at.path());
        pqt::tree tree = shapes();
        for (std::uint64_t id = 10; id < 1000; id++)
            tree = tree.insert({cat.box, id});
        pqt::history history(tree);
        store.save(history);
        for (std::uint64_t i = 1; i < entries; i++) {
            tree = tree.move_id(10 + i, dog.box);
            history.push(tree);
        }
    }
    pqt::store_options options;
    options.max_loaded = 100000;
    pqt::memory heap;
    {
        pqt::store store(at.path(), options);
        const auto history = store.history<pqt::tree>(heap);
        cpp_suite::random random(7);
        std::uint64_t most = 0;
        for (int i = 0; i < std::max(rounds(500), 400); i++) {
            const std::uint64_t entry = random.below(entries);
            const pqt::tree tree = history.value_of(entry).value();
            const bool is_moved = tree.find(10 + entry)->box.min.x == dog.box.min.x;
            CHECK(tree.size() == 992 && is_moved == (entry > 0));
            most = std::max(most, heap.stats().used_bytes);
        }
        CHECK(store.stats().entries == entries && store.stats().loads > 200);
        CHECK(most < 5000000 && heap.stats().collections > 0);
        CHECK(store.stats().loaded_bytes < 300000);
    }
    heap.reclaim();
    CHECK(heap.stats().used_bytes == 0 && heap.stats().pins == 0);
}

TEST(thinning_and_compacting_make_the_file_smaller)
{
    const place at;
    pqt::store store(at.path());
    pqt::history history(shapes());
    store.save(history);
    for (std::uint64_t i = 0; i < 500; i++)
        history.push(history.value().insert({cat.box, 10 + i}), std::string(100, 'x'));
    const pqt::tree last = history.value();
    store.compact();
    const std::uint64_t before = store.stats().file_bytes;
    history.drop(499);
    CHECK(!history.value_of(499).has_value());
    history.thin(0);
    CHECK(history.stats().entries == 2 && store.stats().entries == 2);
    store.compact();
    CHECK(store.stats().file_bytes < before / 2);
    store.check();
    history.checkout(0);
    history.drop_branch(500);
    CHECK(history.value() == shapes() && history.stats().entries == 1);
    CHECK(THROWN(pqt::error, history.drop(500)).code() == PQT_ERROR_MISMATCH);
    CHECK(last.size() == 502);
}

/* Whichever bytes are damaged, the result is an exception or the unchanged history. */
TEST(damage_throws_and_never_yields_another_version)
{
    struct stat file = {};
    {
        const place at;
        fill(at);
        CHECK(stat(at.path().c_str(), &file) == 0);
    }
    const std::vector<pqt::tree> expected = {shapes(), shapes().remove_id(1), shapes().clear(),
                                             shapes().move_id(2, cat.box)};
    const auto size = static_cast<std::uint64_t>(file.st_size);
    cpp_suite::random random(11);
    int thrown = 0;
    for (int i = 0; i < rounds(60); i++) {
        const place at;
        fill(at);
        damage(at.path(), random.below(size - 64), 64);
        try {
            pqt::store store(at.path());
            auto history = store.history<pqt::tree>();
            for (std::uint64_t entry = 0; entry < 4; entry++)
                CHECK(history.value_of(entry) == expected[entry]);
            store.check();
        } catch (const pqt::error &error) {
            CHECK(error.code() == PQT_ERROR_FORMAT || error.code() == PQT_ERROR_STREAM);
            thrown++;
        }
        for (const char *suffix : {"-wal", "-shm"})
            (void)std::remove((at.path() + suffix).c_str());
    }
    CHECK(thrown > 0 || rounds(60) < 6); /* one damage may hit nothing that is read */
}

/* The version of an entry is missing, so undo throws instead of returning false. */
TEST(a_version_that_cannot_be_loaded_throws)
{
    const place at;
    {
        pqt::store store(at.path());
        pqt::history history(shapes());
        store.save(history);
        for (std::uint64_t i = 1; i <= 100; i++) {
            const std::uint64_t bits = 0x4050123456789a00 + i;
            pqt_item item = {{{0, 0}, {100, 100}}, 10 + i};
            std::memcpy(&item.box.min.x, &bits, sizeof bits);
            history.push(history.value().insert(item));
        }
        history.checkout(0);
    }
    /* The coordinate of entry 50 occurs only in its change. */
    std::ifstream file(at.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    const std::size_t found = bytes.find("\x32\x9a\x78\x56\x34\x12");
    CHECK(found != std::string::npos);
    damage(at.path(), found, 4);
    pqt::store store(at.path());
    pqt::history history = store.history<pqt::tree>();
    for (int i = 1; i < 50; i++)
        CHECK(history.redo());
    const pqt::error error = THROWN(pqt::error, history.redo());
    CHECK(error.code() == PQT_ERROR_FORMAT && history.current() == 49);
    CHECK(std::strstr(error.what(), "50") != nullptr);
    CHECK(history.value().size() == 51 && history.undo() && history.redo());
    CHECK(THROWN(pqt::error, (void)history.value_of(60)).code() == PQT_ERROR_FORMAT);
    CHECK(THROWN(pqt::error, history.checkout(50)).code() == PQT_ERROR_FORMAT);
    CHECK(!history.value_of(101).has_value() && history.current() == 49);
    CHECK(THROWN(pqt::error, store.check()).code() == PQT_ERROR_FORMAT);
}

#else

TEST(a_library_without_sqlite_says_so)
{
    const pqt::error error = THROWN(pqt::error, pqt::store("absent.pqts"));
    CHECK(error.code() == PQT_ERROR_UNSUPPORTED);
    CHECK(std::string(error.what()) == "stores: this build has no SQLite");
    CHECK(!pqt::is_store({}));
}

/* Tests that everything compiles and links. It is never called. */
TEST(the_functions_of_stores_exist)
{
    pqt::history history(pqt::region{});
    if (history.stats().entries == 99) {
        pqt::store store("absent.pqts");
        store.save(history);
        history = store.history<pqt::region>();
        store.check();
        store.compact();
        CHECK(store.stats().entries == 0 && store.empty());
        store.close();
    }
    CHECK(history.value().empty());
}

#endif

int
main()
{
    return cpp_suite::run();
}

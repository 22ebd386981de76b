/* SPDX-License-Identifier: MIT */
/*
 * test_host.c: tests what the library leaves behind in the process around it: after a fork, after a
 * plugin with a copy of it was unloaded, and after a thread was cancelled.
 *
 * If a fault makes a child hang, an alarm ends it.
 */
#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pqt/heap.h>
#include <pqt/bytes.h>

#include "base/fork.h"
#include "memory/memory_internal.h"
#include "random.h"
#include "require.h"
#if PQT_WITH_SQLITE
#include "numbered_store.h"
#include "store/store_internal.h"
#endif
#include "suite.h"
#include "tree_support.h"

/* ---- Children ---- */

typedef bool child_fn(void *context);

/* Forks a child that runs a function, and that an alarm ends if it hangs. */
static pid_t
begin_child(child_fn *run, void *context)
{
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGALRM, SIG_DFL); /* suite.c handles it otherwise */
        alarm(600);
        _exit(run(context) ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    require(child > 0, "a child is forked");
    return child;
}

static int
status_of(pid_t child)
{
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

static bool
in_child(child_fn *run, void *context)
{
    return status_of(begin_child(run, context)) == 0;
}

/* ---- Descriptors that a child closes ---- */

static bool
is_open(void *descriptor)
{
    return fcntl(*(int *)descriptor, F_GETFD) >= 0;
}

static bool
is_closed(void *descriptor)
{
    return !is_open(descriptor);
}

static bool
is_closed_in_child(void *descriptor)
{
    return is_closed(descriptor) && in_child(is_closed, descriptor);
}

static void
add_private(pqti_private_descriptor *added, int descriptor)
{
    require(pqti_fork_watch(), "forks are watched");
    pqti_fork_hold();
    require(pqti_fork_add(added, descriptor), "a descriptor is added");
    pqti_fork_release();
}

static void
remove_private(pqti_private_descriptor *removed)
{
    pqti_fork_hold();
    pqti_fork_remove(removed);
    pqti_fork_release();
}

static int
open_null(void)
{
    const int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    require(descriptor >= 0, "a descriptor is opened");
    return descriptor;
}

START_TEST(a_child_closes_the_private_descriptors_of_its_parent)
{
    enum { COUNT = 5 };
    pqti_private_descriptor added[COUNT];
    int descriptors[COUNT];
    for (int i = 0; i < COUNT; i++)
        add_private(&added[i], descriptors[i] = open_null());
    /* The first, the last and one between them are removed from the list. */
    for (int i = 0; i < COUNT; i += 2)
        remove_private(&added[i]);
    for (int i = 0; i < COUNT; i++) {
        ck_assert(in_child(i % 2 == 0 ? is_open : is_closed_in_child, &descriptors[i]));
        ck_assert(is_open(&descriptors[i]));
    }
    for (int i = 0; i < COUNT; i++) {
        remove_private(&added[i]); /* removing twice does nothing */
        close(descriptors[i]);
    }
}
END_TEST

/* Another library may close a descriptor that it had opened, and the host may then open a file. */
START_TEST(a_child_keeps_another_file_with_the_number_of_a_private_descriptor)
{
    pqti_private_descriptor added;
    int descriptor = open_null();
    add_private(&added, descriptor);
    close(descriptor);
    ck_assert(in_child(is_closed, &descriptor));
    ck_assert_int_eq(open("/", O_RDONLY | O_CLOEXEC), descriptor);
    ck_assert(in_child(is_open, &descriptor));
    remove_private(&added);
    close(descriptor);
}
END_TEST

/* ---- Plugins ---- */

enum { EDITS = 300 };

/* A plugin that contains a copy of the library, and its functions. */
typedef struct plugin {
    void *handle;
    bool (*attach)(bool attach);
    bool (*works)(int edits);
    bool (*begin_heap)(void);
    bool (*edits_heap)(int edits);
    void (*end_heap)(void);
} plugin;

static bool
load_plugin(plugin *to)
{
    to->handle = dlopen("test/.libs/plugin_copy.so", RTLD_NOW | RTLD_LOCAL);
    if (to->handle == NULL)
        fprintf(stderr, "# %s\n", dlerror());
    REQUIRE(to->handle != NULL);
    *(void **)&to->attach = dlsym(to->handle, "copy_attach"); /* the cast that POSIX recommends */
    *(void **)&to->works = dlsym(to->handle, "copy_works");
    *(void **)&to->begin_heap = dlsym(to->handle, "copy_begin_heap");
    *(void **)&to->edits_heap = dlsym(to->handle, "copy_edits_heap");
    *(void **)&to->end_heap = dlsym(to->handle, "copy_end_heap");
    REQUIRE(to->attach != NULL && to->works != NULL && to->begin_heap != NULL);
    REQUIRE(to->edits_heap != NULL && to->end_heap != NULL);
    return true;
}

/* Returns the number of mappings whose file name contains a text. */
static size_t
count_mappings(const char *text)
{
    char line[PATH_MAX + 100];
    size_t count = 0;
    FILE *mappings = fopen("/proc/self/maps", "r");
    require(mappings != NULL, "the mappings are listed");
    while (fgets(line, sizeof line, mappings) != NULL)
        count += strstr(line, text) != NULL;
    fclose(mappings);
    return count;
}

/* Returns the number of pthread keys that can still be made. */
static size_t
count_free_keys(void)
{
    static pthread_key_t keys[4096];
    size_t count = 0;
    while (count < 4096 && pthread_key_create(&keys[count], NULL) == 0)
        count++;
    for (size_t i = 0; i < count; i++)
        pthread_key_delete(keys[i]);
    return count;
}

static bool
unload_plugin(const plugin *from)
{
    REQUIRE(count_mappings("plugin_copy") > 0);
    REQUIRE(dlclose(from->handle) == 0);
    REQUIRE(count_mappings("plugin_copy") == 0);
    return true;
}

static bool
loads_and_unloads(void *unused)
{
    (void)unused;
    plugin copy;
    REQUIRE(load_plugin(&copy));
    REQUIRE(copy.begin_heap() && copy.edits_heap(EDITS));
    copy.end_heap();
    REQUIRE(pqt_collector() != NULL || copy.works(EDITS)); /* in the default heap of the copy */
    return unload_plugin(&copy);
}

static bool
forks(void *unused)
{
    (void)unused;
    return true;
}

static void *
run_in_thread(void *run)
{
    child_fn **function = run;
    return (*function)(NULL) ? run : NULL;
}

/* Runs a function in a thread that then ends. */
static bool
in_thread(child_fn *run)
{
    pthread_t thread;
    void *result = NULL;
    require(pthread_create(&thread, NULL, run_in_thread, &run) == 0, "a thread begins");
    require(pthread_join(thread, &result) == 0, "a thread ends");
    return result != NULL;
}

START_TEST(a_thread_ends_after_the_plugin_that_it_used_was_unloaded)
{
    ck_assert(in_thread(loads_and_unloads));
    ck_assert(in_child(forks, NULL));
}
END_TEST

/* More often than there are pthread keys, if PQT_TEST_SCALE is 10, as in check-long. The threads
   that load the plugin end. */
START_TEST(a_plugin_that_is_reloaded_leaves_no_mapping_and_no_key)
{
    for (int i = 0; i < 4; i++) /* the first times, the system allocates tables */
        ck_assert(i % 2 == 0 ? in_thread(loads_and_unloads) : loads_and_unloads(NULL));
    const size_t mappings = count_mappings(""), keys = count_free_keys();
    for (size_t i = test_scaled(200); i > 0; i--)
        require(i % 2 == 0 ? in_thread(loads_and_unloads) : loads_and_unloads(NULL),
                "a plugin is loaded, used and unloaded");
    ck_assert_uint_eq(count_free_keys(), keys);
    if (!TESTED_WITH_ADDRESS_SANITIZER) /* which maps memory of its own */
        ck_assert_uint_le(count_mappings(""), mappings);
    ck_assert(in_child(forks, NULL));
}
END_TEST

/* A thread that holds free blocks of a heap of the plugin. */
typedef struct user {
    plugin *copy;
    pthread_barrier_t *turn;
} user;

static void *
use_heap_and_stay(void *context)
{
    const user *with = context;
    const bool right = with->copy->edits_heap(EDITS);
    pthread_barrier_wait(with->turn); /* the main thread unloads the plugin */
    pthread_barrier_wait(with->turn);
    return right ? context : NULL;
}

START_TEST(threads_that_used_a_plugin_may_outlive_it)
{
    enum { THREADS = 3, ROUNDS = 3 };
    for (int round = 0; round < ROUNDS; round++) {
        plugin copy;
        pthread_t threads[THREADS];
        pthread_barrier_t turn;
        user with = {&copy, &turn};
        ck_assert(load_plugin(&copy) && copy.begin_heap());
        ck_assert_int_eq(pthread_barrier_init(&turn, NULL, THREADS + 1), 0);
        for (int i = 0; i < THREADS; i++)
            ck_assert_int_eq(pthread_create(&threads[i], NULL, use_heap_and_stay, &with), 0);
        pthread_barrier_wait(&turn);
        copy.end_heap();
        ck_assert(unload_plugin(&copy));
        pthread_barrier_wait(&turn);
        for (int i = 0; i < THREADS; i++) {
            void *result = NULL;
            ck_assert_int_eq(pthread_join(threads[i], &result), 0);
            ck_assert_ptr_nonnull(result);
        }
        pthread_barrier_destroy(&turn);
    }
}
END_TEST

static plugin shared;

/* Uses the default memory of a copy, which is the collector of the program if there is one. The
   thread ends while it is attached. */
static bool
uses_default_memory(void *unused)
{
    (void)unused;
    REQUIRE(shared.attach(true) && shared.works(EDITS));
    return true;
}

/* Does the same from loading to unloading. The copy uses the collector that the program started. */
static bool
uses_default_memory_alone(void *unused)
{
    REQUIRE(pqt_thread_attach(NULL));
    return load_plugin(&shared) && uses_default_memory(unused) && unload_plugin(&shared);
}

static void
collect_and_edit(void)
{
    pqt_error error = {0};
    const pqt_tree *tree = pqt_tree_make(world_box, NULL, &error);
    require(tree != NULL, error.text);
    pqt_memory *memory = pqt_tree_memory(tree);
    pqti_collect(memory);
    require(pqt_scope_begin(memory, &error), error.text); /* the memory may be a heap */
    tree = pqt_tree_make(world_box, NULL, &error);
    for (uint64_t id = 0; id < EDITS; id++)
        tree = pqt_tree_insert(tree, dot((double)(id % 16), 1, id), &error);
    require(tree != NULL && pqt_tree_check(tree, &error), error.text);
    pqt_scope_end(memory);
}

/* The collector must neither scan the static variables of the plugin nor write to them, nor wait
   for the thread. */
START_TEST(the_default_memory_works_after_a_plugin_that_used_it_was_unloaded)
{
    pqt_error error = {0};
    ck_assert_msg(pqt_init(&error), "%s", error.text);
    for (size_t i = 0; i < test_scaled_from(20, 5); i++) {
        if (i % 2 == 0)
            require(in_thread(uses_default_memory_alone), "a thread uses a plugin");
        else
            require(load_plugin(&shared) && uses_default_memory(NULL) &&
                        in_thread(uses_default_memory) && unload_plugin(&shared),
                    "two threads use a plugin");
        collect_and_edit();
    }
    ck_assert(in_child(forks, NULL));
}
END_TEST

/* The collector has threads and signal handlers, so it must remain when the plugin is unloaded that
   it was loaded for. */
START_TEST(the_collector_outlives_the_plugin_that_it_was_loaded_for)
{
    ck_assert_int_eq(system("test/unloader"), 0);
}
END_TEST

/* ---- Cancelled threads ---- */

/* A thread that works until it is cancelled, and counts what it did. */
typedef struct worker {
    bool (*work)(void *context);
    void *context;
    atomic_size_t done;
    atomic_bool has_failed;
} worker;

static void *
work_until_cancelled(void *context)
{
    worker *with = context;
    while (with->work(with->context)) {
        atomic_fetch_add(&with->done, 1);
        pthread_testcancel();
    }
    atomic_store(&with->has_failed, true);
    return NULL;
}

/* Runs the thread, and cancels it at some moment after its first piece of work. */
static void
cancel_at_work(worker *with, dice *d)
{
    pthread_t thread;
    void *result = NULL;
    atomic_store(&with->done, 0);
    require(pthread_create(&thread, NULL, work_until_cancelled, with) == 0, "a thread begins");
    while (atomic_load(&with->done) == 0 && !atomic_load(&with->has_failed))
        sched_yield();
    for (size_t yields = dice_below(d, 200); yields > 0; yields--)
        sched_yield();
    require(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0, "a thread ends");
    require(result == PTHREAD_CANCELED, "its work did not fail before");
}

static size_t
count_entries(const char *name)
{
    size_t count = 0;
    DIR *folder = opendir(name);
    require(folder != NULL, "a folder is listed");
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

static bool
saves_and_loads(void *context)
{
    const char *path = context;
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = arena;
    const pqt_tree *tree = pqt_tree_make(world_box, &options, &error);
    for (uint64_t id = 0; id < 50; id++)
        tree = pqt_tree_insert(tree, dot((double)(id % 16), 1, id), &error);
    REQUIRE(pqt_tree_save(tree, path, &error));
    REQUIRE(pqt_tree_load(path, arena, &error) != NULL);
    return true;
}

/* 1,000 threads are cancelled if PQT_TEST_SCALE is 10, as in check-long. */
START_TEST(threads_that_are_cancelled_while_they_save_leave_no_file_and_no_descriptor)
{
    char name[] = "host-XXXXXX", path[64];
    dice d = {test_seed("cancelled saves")};
    ck_assert_ptr_nonnull(mkdtemp(name));
    snprintf(path, sizeof path, "%s/version.pqt", name);
    worker with = {.work = saves_and_loads, .context = path};
    const size_t descriptors = count_entries("/proc/self/fd");
    for (size_t i = test_scaled(100); i > 0; i--)
        cancel_at_work(&with, &d);
    ck_assert_uint_eq(count_entries("/proc/self/fd"), descriptors);
    ck_assert_uint_eq(count_entries(name), 3); /* with "." and ".." */
    unlink(path);
    ck_assert_int_eq(rmdir(name), 0);
}
END_TEST

#if PQT_WITH_SQLITE

/* ---- Stores ---- */

/* A pipe whose reader waits until every process has closed the end for writing. */
typedef struct gate {
    int out, in;
} gate;

static gate
make_gate(void)
{
    int ends[2];
    require(pipe(ends) == 0, "a pipe is made");
    return (gate){ends[0], ends[1]};
}

static bool
pass_gate(const gate *waiting)
{
    char none;
    return read(waiting->out, &none, 1) == 0;
}

/* A writer, its child, and the gates at which they wait for the test. */
typedef struct writing {
    const store_folder *folder;
    pqt_memory *memory;
    gate child_lives; /* closed at the end of the test */
    gate is_open;     /* closed when the child exists */
} writing;

static void
push_next(pqt_history *history)
{
    pqt_error error = {0};
    require(push_numbered(history, pqt_history_current(history) + 1, &error), error.text);
}

static bool
lasts(void *context)
{
    const writing *with = context;
    close(with->child_lives.in);
    close(with->is_open.in);
    return pass_gate(&with->child_lives);
}

/* Opens the store, forks a child that never uses the library, and dies. */
static bool
forks_and_is_killed(void *context)
{
    const writing *with = context;
    pqt_store *store = open_store(with->folder, PQT_STORE_CREATE);
    pqt_history *history = begin_numbered(store);
    REQUIRE(history != NULL);
    REQUIRE(begin_child(lasts, context) > 0);
    raise(SIGKILL);
    return false;
}

START_TEST(a_child_of_a_killed_writer_does_not_hold_its_lock)
{
    pqt_error error = {0};
    const store_folder folder = make_store_folder();
    writing with = {&folder, arena, make_gate(), make_gate()};
    const pid_t writer = begin_child(forks_and_is_killed, &with);
    close(with.is_open.in);
    ck_assert(pass_gate(&with.is_open)); /* the child lives, and has closed what it closes */
    ck_assert(WIFSIGNALED(status_of(writer)));
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    ck_assert_msg(history != NULL, "%s", error.text);
    ck_assert_msg(
        pqt_history_push(history, pqt_tree_clear(pqt_history_value(history), &error), NULL, &error),
        "%s", error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_store_folder(&folder);
    close(with.child_lives.in);
    close(with.child_lives.out);
    close(with.is_open.out);
}
END_TEST

typedef struct opened {
    pqt_store *store;
    pqt_history *history;
} opened;

#define REFUSED(call)                                                                              \
    do {                                                                                           \
        pqt_error refusal = {0};                                                                   \
        pqt_error *const error = &refusal;                                                         \
        REQUIRE(!(call));                                                                          \
        REQUIRE(refusal.status == PQT_ERROR_STREAM);                                               \
        REQUIRE(strstr(refusal.text, "opened before a fork") != NULL);                             \
    } while (0)

/* Each function that uses the file is refused. The history itself works, as a copy in memory. */
static bool
is_refused(void *context)
{
    opened *with = context;
    pqt_store_stats stats;
    const bool writes = pqt_history_current(with->history) == 2; /* a reader has 1 */
    const pqt_tree *empty = pqt_tree_clear(pqt_history_value(with->history), NULL);
    REFUSED(pqt_store_check(with->store, error));
    REFUSED(pqt_store_get_stats(with->store, &stats, error));
    if (!writes) {
        REFUSED(pqt_history_checkout(with->history, 0, error));
    } else {
        REFUSED(pqt_store_compact(with->store, error));
        REFUSED(pqt_history_push(with->history, empty, NULL, error));
        REFUSED(pqt_history_set_name(with->history, 1, "one", error));
        REFUSED(pqt_history_thin(with->history, 1, error));
        REQUIRE(pqt_history_checkout(with->history, 0, NULL)); /* its version is loaded */
        REFUSED(pqt_store_get_error(with->store, error));
    }
    REQUIRE(empty != NULL && pqt_tree_count(pqt_history_value(with->history)) > 0);
    pqt_history_destroy(&with->history);
    REQUIRE(pqt_store_close(&with->store, NULL) == !writes); /* the checkout was not written */
    return true;
}

/* Before, the child relied on locks of its parent, and its pushes were lost when another process
   removed the log. */
static bool
cannot_open(void *path)
{
    pqt_error error = {0};
    pqt_store_options options = PQT_STORE_DEFAULTS;
    REQUIRE(pqt_store_open(path, &options, NULL) == NULL);
    options.access = PQT_STORE_READ;
    REQUIRE(pqt_store_open(path, &options, &error) == NULL);
    REQUIRE(error.status == PQT_ERROR_STREAM && strstr(error.text, "was forked") != NULL);
    return true;
}

static bool
can_open(void *path)
{
    pqt_store *store = pqt_store_open(path, NULL, NULL);
    return store != NULL && pqt_store_close(&store, NULL);
}

START_TEST(a_child_opens_a_store_only_if_its_parent_had_it_not_open)
{
    store_folder folder = make_store_folder();
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    pqt_history *history = begin_numbered(store);
    ck_assert(in_child(cannot_open, folder.path));
    pqt_history_destroy(&history);
    close_store(&store);
    ck_assert(in_child(can_open, folder.path));
    remove_store_folder(&folder);
}
END_TEST

/* A lock of SQLite that a thread holds until the test lets it end. */
typedef struct held_lock {
    int number;
    gate is_held, may_end;
} held_lock;

static void *
hold_lock(void *context)
{
    held_lock *held = context;
    sqlite3_mutex *lock = sqlite3_mutex_alloc(held->number);
    sqlite3_mutex_enter(lock);
    close(held->is_held.in);
    pass_gate(&held->may_end);
    sqlite3_mutex_leave(lock);
    return NULL;
}

/* Such a child opens nothing, but it does not hang. It can say whether a file is a store. */
static bool
opens_nothing(void *path)
{
    pqt_error error = {0};
    alarm(60); /* only a faulty library reaches it */
    REQUIRE(pqt_store_open(path, NULL, &error) == NULL);
    REQUIRE(error.status == PQT_ERROR_STREAM && strstr(error.text, "after exec") != NULL);
    REQUIRE(pqt_is_store_file(path));
    REQUIRE(!in_child(can_open, path));
    return true;
}

/* _i selects the lock. The locks 8 to 10 are for programs. */
START_TEST(a_child_that_inherits_a_lock_of_sqlite_is_refused)
{
    pthread_t thread;
    held_lock held = {_i < 8 ? _i : _i + 3, make_gate(), make_gate()};
    store_folder folder = make_store_folder();
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    pqt_history *history = begin_numbered(store);
    pqt_history_destroy(&history);
    close_store(&store);
    ck_assert_int_eq(pthread_create(&thread, NULL, hold_lock, &held), 0);
    ck_assert(pass_gate(&held.is_held));
    ck_assert(in_child(opens_nothing, folder.path));
    close(held.may_end.in);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert(in_child(can_open, folder.path));
    remove_store_folder(&folder);
}
END_TEST

typedef struct busy_opener {
    const store_folder *folder;
    atomic_bool must_end;
} busy_opener;

static void *
open_and_close(void *context)
{
    busy_opener *opener = context;
    while (!atomic_load(&opener->must_end)) {
        pqt_store *store = open_store(opener->folder, PQT_STORE_CREATE);
        close_store(&store);
    }
    return NULL;
}

static bool
opens_or_is_refused(void *path)
{
    pqt_error error = {0};
    pqt_store *store = pqt_store_open(path, NULL, &error);
    const bool passes = store != NULL ? pqt_store_close(&store, NULL)
                                      : error.status == PQT_ERROR_STREAM &&
                                            strstr(error.text, "after exec") != NULL;
    /* The child ends as another program, because a leak checker would report the memory that the
       parent's other thread had at the fork. */
    return passes && execlp("true", "true", (char *)NULL) == 0;
}

START_TEST(no_child_hangs_when_it_opens_a_store_while_a_thread_of_its_parent_does)
{
    if (TESTED_WITH_ADDRESS_SANITIZER)
        return; /* its own locks may be held at the fork, and a child then waits for them */
    pthread_t thread;
    store_folder busy = make_store_folder(), other = make_store_folder();
    busy_opener opener = {.folder = &busy};
    ck_assert(can_open(other.path));
    ck_assert_int_eq(pthread_create(&thread, NULL, open_and_close, &opener), 0);
    for (size_t i = 0; i < test_scaled(50); i++)
        ck_assert(in_child(opens_or_is_refused, other.path));
    atomic_store(&opener.must_end, true);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    remove_store_folder(&busy);
    remove_store_folder(&other);
}
END_TEST

/* _i selects a writer or a reader. The child closes the store, as a destructor of C++ would. */
START_TEST(a_child_that_uses_the_store_of_its_parent_is_refused_and_changes_nothing)
{
    pqt_error error = {0};
    const store_folder folder = make_store_folder();
    opened writer = {.store = open_store(&folder, PQT_STORE_CREATE)};
    writer.history = begin_numbered(writer.store);
    push_next(writer.history);
    opened reader = {.store = open_store(&folder, PQT_STORE_READ)};
    reader.history = pqt_history_open(reader.store, NULL, arena, &error);
    push_next(writer.history);
    ck_assert(in_child(is_refused, _i == 0 ? &writer : &reader));
    ck_assert_uint_eq(pqt_history_current(reader.history), 1);
    ck_assert_msg(pqt_store_check(reader.store, &error), "%s", error.text);
    push_next(writer.history);
    ck_assert_msg(pqt_store_check(writer.store, &error), "%s", error.text);
    pqt_history_destroy(&reader.history);
    close_store(&reader.store);
    push_next(writer.history);
    pqt_history_destroy(&writer.history);
    close_store(&writer.store);
    remove_store_folder(&folder);
}
END_TEST

static bool
pushes(void *history)
{
    pqt_error error = {0};
    REQUIRE(push_numbered(history, pqt_history_current(history) + 1, &error));
    return true;
}

/* 1,000 threads are cancelled if PQT_TEST_SCALE is 10, as in check-long. */
START_TEST(threads_that_are_cancelled_while_they_push_leave_the_store_to_others)
{
    pqt_error error = {0};
    dice d = {test_seed("cancelled pushes")};
    const store_folder folder = make_store_folder();
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    pqt_history *history = begin_numbered(store);
    worker with = {.work = pushes, .context = history};
    const size_t descriptors = count_entries("/proc/self/fd");
    for (size_t i = test_scaled(100); i > 0; i--) {
        cancel_at_work(&with, &d);
        push_next(history);
    }
    ck_assert_uint_eq(count_entries("/proc/self/fd"), descriptors);
    ck_assert_msg(pqt_store_check(store, &error), "%s", error.text);
    const uint64_t last = pqt_history_current(history);
    pqt_history_destroy(&history);
    close_store(&store);
    store = open_store(&folder, PQT_STORE_WRITE);
    history = pqt_history_open(store, NULL, arena, &error);
    ck_assert_msg(history != NULL, "%s", error.text);
    ck_assert_uint_eq(pqt_history_current(history), last);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* The functions of the library leave no transaction open, but a callback may leave a call by
   longjmp. */
START_TEST(a_push_rolls_back_a_transaction_that_it_finds_open)
{
    pqt_error error = {0};
    const store_folder folder = make_store_folder();
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    pqt_history *history = begin_numbered(store);
    push_next(history);
    ck_assert(pqti_run_plain(&store->database, PQTI_BEGIN, &error));
    ck_assert(pqti_run_number(&store->database, PQTI_DELETE_ENTRY, 1, &error));
    push_next(history);
    ck_assert_msg(pqt_store_check(store, &error), "%s", error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    store = open_store(&folder, PQT_STORE_READ);
    history = pqt_history_open(store, NULL, arena, &error);
    ck_assert_msg(history != NULL, "%s", error.text);
    ck_assert_uint_eq(pqt_history_get_stats(history).entries, 3);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

#endif

/* A build without shared libraries has no plugins. */
static void
add_plugin_tests(Suite *suite)
{
    if (access("test/.libs/plugin_copy.so", F_OK) != 0) {
        fputs("# no plugin, so plugins are not tested\n", stderr);
        return;
    }
    TCase *tests = add_tests(suite, "plugins");
    tcase_add_test(tests, a_thread_ends_after_the_plugin_that_it_used_was_unloaded);
    tcase_add_test(tests, a_plugin_that_is_reloaded_leaves_no_mapping_and_no_key);
    tcase_add_test(tests, threads_that_used_a_plugin_may_outlive_it);
    tcase_add_test(tests, the_default_memory_works_after_a_plugin_that_used_it_was_unloaded);
    tcase_add_test(tests, the_collector_outlives_the_plugin_that_it_was_loaded_for);
}

int
main(void)
{
    Suite *suite = suite_create("host");
    TCase *tests = add_tests(suite, "descriptors");
    tcase_add_test(tests, a_child_closes_the_private_descriptors_of_its_parent);
    tcase_add_test(tests, a_child_keeps_another_file_with_the_number_of_a_private_descriptor);
    add_plugin_tests(suite);
    tests = add_tests(suite, "cancellation");
    tcase_add_test(tests,
                   threads_that_are_cancelled_while_they_save_leave_no_file_and_no_descriptor);
#if PQT_WITH_SQLITE
    tcase_add_test(tests, threads_that_are_cancelled_while_they_push_leave_the_store_to_others);
    tcase_add_test(tests, a_push_rolls_back_a_transaction_that_it_finds_open);
    tests = add_tests(suite, "stores");
    tcase_add_test(tests, a_child_of_a_killed_writer_does_not_hold_its_lock);
    tcase_add_test(tests, a_child_opens_a_store_only_if_its_parent_had_it_not_open);
    tcase_add_loop_test(tests, a_child_that_inherits_a_lock_of_sqlite_is_refused, 2, 11);
    tcase_add_test(tests, no_child_hangs_when_it_opens_a_store_while_a_thread_of_its_parent_does);
    tcase_add_loop_test(
        tests, a_child_that_uses_the_store_of_its_parent_is_refused_and_changes_nothing, 0, 2);
#endif
    return run_suite(suite);
}

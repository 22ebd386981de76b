/* SPDX-License-Identifier: MIT */
/* test_thread_attach.c: tests threads and child processes of a program that uses the collector. */
#include "config.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "memory_support.h"
#include "misuse.h"
#include "suite.h"

#if PQT_WITH_COLLECTOR
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#endif

#define THREADS 4

/* ---- Threads ---- */

static bool
allocates_unknown(void *memory)
{
    return pqti_alloc_list(memory, 16) != NULL;
}

START_TEST(a_thread_that_was_not_attached_may_not_allocate)
{
    in_thread(allocates_unknown, make_memory(1));
}
END_TEST

static bool
pins_unknown(void *memory)
{
    return pqti_pin(memory, PQT_KIND_TREE, memory, NULL) != NULL;
}

START_TEST(a_thread_that_was_not_attached_may_not_pin)
{
    in_thread(pins_unknown, make_memory(1));
}
END_TEST

static bool
allocates_after_detaching(void *memory)
{
    REQUIRE(pqt_thread_attach(NULL));
    REQUIRE(pqti_alloc_list(memory, 16) != NULL);
    pqt_thread_detach();
    return pqti_alloc_list(memory, 16) != NULL;
}

START_TEST(a_thread_that_was_detached_may_not_allocate)
{
    in_thread(allocates_after_detaching, make_memory(1));
}
END_TEST

START_TEST(attaching_main_changes_nothing)
{
    pqt_memory *memory = make_memory(1);
    ck_assert(pqt_thread_attach(NULL));
    pqt_thread_detach();
    version *made = make_version(memory, 9);
    pqti_collect(memory);
    ck_assert(is_whole(made, 9));
}
END_TEST

static bool
attaches_twice(void *memory)
{
    pqt_thread_detach();
    REQUIRE(pqt_thread_attach(NULL) && pqt_thread_attach(NULL));
    version *made = make_version(memory, 9);
    pqti_collect(memory);
    REQUIRE(is_whole(made, 9));
    pqt_thread_detach();
    pqt_thread_detach();
    REQUIRE(pqt_thread_attach(NULL)); /* attaches again */
    REQUIRE(is_whole(make_version(memory, 8), 8));
    pqt_thread_detach();
    return true;
}

START_TEST(attaching_twice_has_the_effect_of_attaching_once)
{
    ck_assert(in_thread(attaches_twice, make_memory(1)));
}
END_TEST

/* State shared by the main thread, which collects, and a thread whose stack contains the only
 * pointers to versions. */
typedef struct meeting {
    pqt_memory *memory;
    atomic_int arrived, released;
    bool blocks_signals;
} meeting;

static void
block_all(bool block)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(block ? SIG_BLOCK : SIG_UNBLOCK, &all, NULL);
}

static bool
is_blocked(int signal)
{
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    return sigismember(&mask, signal) == 1;
}

static bool
holds_versions(void *context)
{
    meeting *here = context;
    version *held[20];
    block_all(here->blocks_signals);
    REQUIRE(pqt_thread_attach(NULL));
    REQUIRE(is_blocked(SIGUSR1) == here->blocks_signals);
    for (unsigned i = 0; i < 20; i++)
        held[i] = make_version(here->memory, i);
    atomic_store(&here->arrived, 1);
    while (!atomic_load(&here->released))
        usleep(100);
    for (unsigned i = 0; i < 20; i++)
        REQUIRE(is_whole(held[i], i));
    pqt_thread_detach();
#ifdef __linux__
    REQUIRE(is_blocked(SIGPWR) == here->blocks_signals);
    REQUIRE(is_blocked(SIGXCPU) == here->blocks_signals);
#endif
    return true;
}

static void
collect_while_a_thread_holds_versions(bool blocks_signals)
{
    meeting here = {.memory = make_memory(1), .blocks_signals = blocks_signals};
    job holder = {holds_versions, &here, false, 0};
    begin(&holder);
    while (!atomic_load(&here.arrived))
        usleep(100);
    collect_and_overwrite(here.memory);
    atomic_store(&here.released, 1);
    ck_assert(end(&holder));
}

START_TEST(the_stack_of_an_attached_thread_keeps_versions)
{
    collect_while_a_thread_holds_versions(false);
}
END_TEST

START_TEST(a_thread_that_blocked_all_signals_can_be_attached)
{
    collect_while_a_thread_holds_versions(true);
}
END_TEST

static bool
makes_versions(void *memory)
{
    REQUIRE(pqt_thread_attach(NULL));
    for (unsigned i = 0; i < 200; i++) {
        version *made = make_version(memory, i);
        if (i % 20 == 0)
            pqti_collect(memory);
        REQUIRE(is_whole(made, i));
    }
    pqt_thread_detach();
    return true;
}

START_TEST(attached_threads_make_versions_at_once)
{
    pqt_memory *memory = make_memory(1);
    job jobs[THREADS];
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (job){makes_versions, memory, false, 0};
        begin(&jobs[i]);
    }
    for (int i = 0; i < THREADS; i++)
        ck_assert(end(&jobs[i]));
}
END_TEST

static bool
forgets_to_detach(void *memory)
{
    REQUIRE(pqt_thread_attach(NULL));
    return is_whole(make_version(memory, 2), 2);
}

/* If the thread stayed attached, the collector would wait for a thread that has ended, and block
 * the program. */
START_TEST(a_thread_that_ends_is_detached)
{
    pqt_memory *memory = make_memory(1);
    for (int i = 0; i < 10; i++) {
        ck_assert(in_thread(forgets_to_detach, memory));
        pqti_collect(memory);
    }
}
END_TEST

static bool
works_on_in_a_child(void *context)
{
    version *made = context;
    pqt_memory *memory = pqt_collector();
    for (int i = 0; i < 5; i++) {
        pqti_collect(memory);
        REQUIRE(in_thread(make_garbage, memory));
    }
    REQUIRE(is_whole(made, 4));
    REQUIRE(is_whole(make_version(memory, 6), 6));
    return true;
}

START_TEST(a_child_continues_with_its_copies)
{
    version *made = make_version(make_memory(1), 4);
    ck_assert(in_child(works_on_in_a_child, made));
    ck_assert(is_whole(made, 4));
}
END_TEST

/* The collector of the child must not wait for threads that exist only in its parent. */
START_TEST(a_child_continues_without_the_other_threads)
{
    meeting here = {.memory = make_memory(1)};
    job holder = {holds_versions, &here, false, 0};
    version *made = make_version(here.memory, 4);
    begin(&holder);
    while (!atomic_load(&here.arrived))
        usleep(100);
    ck_assert(in_child(works_on_in_a_child, made));
    atomic_store(&here.released, 1);
    ck_assert(end(&holder));
}
END_TEST

static bool
forks_attached(void *memory)
{
    REQUIRE(pqt_thread_attach(NULL));
    version *made = make_version(memory, 4);
    REQUIRE(in_child(works_on_in_a_child, made));
    REQUIRE(is_whole(made, 4));
    pqt_thread_detach();
    return true;
}

START_TEST(a_child_of_an_attached_thread_continues)
{
    ck_assert(in_thread(forks_attached, make_memory(1)));
}
END_TEST

#if PQT_WITH_COLLECTOR

/* ---- Threads that the program, or another copy of the library, also registers ---- */

static bool
register_by_host(void)
{
    struct GC_stack_base base;
    return GC_get_stack_base(&base) == GC_SUCCESS && GC_register_my_thread(&base) == GC_SUCCESS;
}

static bool
collects_and_keeps(pqt_memory *memory)
{
    version *made = make_version(memory, 9);
    pqti_collect(memory);
    return is_whole(made, 9);
}

static bool
attaches_after_the_host_unregistered(void *memory)
{
    REQUIRE(pqt_thread_attach(NULL));
    GC_unregister_my_thread();
    REQUIRE(pqt_thread_attach(NULL));
    REQUIRE(collects_and_keeps(memory));
    pqt_thread_detach();
    REQUIRE(!GC_thread_is_registered());
    return true;
}

START_TEST(attaching_registers_a_thread_that_the_host_unregistered)
{
    ck_assert(in_thread(attaches_after_the_host_unregistered, make_memory(1)));
}
END_TEST

static bool
attaches_in_and_after_a_registration(void *memory)
{
    REQUIRE(register_by_host());
    REQUIRE(pqt_thread_attach(NULL));
    pqt_thread_detach();
    REQUIRE(GC_thread_is_registered());
    REQUIRE(pqt_thread_attach(NULL));
    GC_unregister_my_thread();
    REQUIRE(pqt_thread_attach(NULL));
    REQUIRE(collects_and_keeps(memory));
    pqt_thread_detach();
    REQUIRE(!GC_thread_is_registered());
    return true;
}

START_TEST(attaching_leaves_a_registration_of_the_host_to_the_host)
{
    ck_assert(in_thread(attaches_in_and_after_a_registration, make_memory(1)));
}
END_TEST

static bool
detaches_after_the_host_unregistered(void *memory)
{
    block_all(true);
    REQUIRE(pqt_thread_attach(NULL));
    GC_unregister_my_thread();
    REQUIRE(pqt_thread_attach(NULL));
    GC_unregister_my_thread();
    pqt_thread_detach();
#ifdef __linux__
    REQUIRE(is_blocked(SIGPWR) && is_blocked(SIGXCPU)); /* as before the first registration */
#endif
    return memory != NULL;
}

START_TEST(detaching_a_thread_that_the_host_unregistered_does_no_harm)
{
    pqt_memory *memory = make_memory(1);
    ck_assert(in_thread(detaches_after_the_host_unregistered, memory));
    pqti_collect(memory);
}
END_TEST

static bool
ends_after_the_host_unregistered(void *unused)
{
    (void)unused;
    REQUIRE(pqt_thread_attach(NULL));
    GC_unregister_my_thread();
    return true;
}

START_TEST(a_thread_that_the_host_unregistered_may_end_attached)
{
    pqt_memory *memory = make_memory(1);
    ck_assert(in_thread(ends_after_the_host_unregistered, memory));
    pqti_collect(memory);
}
END_TEST

static bool
allocates_after_the_host_unregistered(void *memory)
{
    REQUIRE(register_by_host() && pqt_thread_attach(NULL));
    REQUIRE(pqti_alloc_list(memory, 16) != NULL);
    pqt_thread_detach();
    GC_unregister_my_thread();
    return pqti_alloc_list(memory, 16) != NULL;
}

/* Detaching removes the record of the thread, even if other code registered it. */
START_TEST(a_detached_thread_that_the_host_unregistered_may_not_allocate)
{
    in_thread(allocates_after_the_host_unregistered, make_memory(1));
}
END_TEST

/* While this is set, the collector registers no thread. */
static atomic_bool is_full;

/* Replaces the function of the collector. */
int
GC_register_my_thread(const struct GC_stack_base *base)
{
    typedef int register_fn(const struct GC_stack_base *);
    register_fn *registered = (register_fn *)dlsym(RTLD_NEXT, "GC_register_my_thread");
    return atomic_load(&is_full) ? GC_NO_MEMORY : registered(base);
}

/* Blocks all signals, and adds the signals that are blocked now. */
static bool
block_all_signals(sigset_t *blocked)
{
    sigset_t all;
    return sigfillset(&all) == 0 && pthread_sigmask(SIG_BLOCK, &all, NULL) == 0 &&
           pthread_sigmask(SIG_BLOCK, NULL, blocked) == 0;
}

static bool
are_blocked_still(const sigset_t *before)
{
    sigset_t now;
    REQUIRE(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0);
    for (int i = 1; i < NSIG; i++)
        REQUIRE(sigismember(&now, i) == sigismember(before, i));
    return true;
}

static bool
is_refused_then_attached(void *memory)
{
    pqt_error error = {0};
    sigset_t before;
    REQUIRE(block_all_signals(&before));
    atomic_store(&is_full, true);
    REQUIRE(!pqt_thread_attach(&error));
    atomic_store(&is_full, false);
    REQUIRE(error.status == PQT_ERROR_THREAD);
    REQUIRE(strcmp(error.text, "thread: the collector cannot find its stack") == 0);
    REQUIRE(are_blocked_still(&before));
    pqt_thread_detach(); /* has no effect */
    REQUIRE(are_blocked_still(&before));
    REQUIRE(pqt_thread_attach(NULL) && collects_and_keeps(memory));
    pqt_thread_detach();
    return are_blocked_still(&before);
}

START_TEST(a_thread_that_the_collector_does_not_register_is_refused_and_may_try_again)
{
    ck_assert(in_thread(is_refused_then_attached, make_memory(1)));
}
END_TEST

static void
unregister_by_host(void *unused)
{
    (void)unused;
    GC_unregister_my_thread();
}

/* Makes the first call to the library, and is cancelled afterwards. */
static void *
starts_and_is_cancelled(void *started)
{
    if (!register_by_host())
        return NULL;
    pthread_cleanup_push(unregister_by_host, NULL);
    *(bool *)started = pqt_init(NULL);
    pthread_cancel(pthread_self());
    pthread_testcancel();
    pthread_cleanup_pop(1);
    return NULL;
}

START_TEST(the_thread_that_makes_the_first_call_may_be_cancelled_afterwards)
{
    pthread_t thread;
    void *result = NULL;
    bool started = false;
    GC_INIT();
    GC_allow_register_threads();
    ck_assert_int_eq(pthread_create(&thread, NULL, starts_and_is_cancelled, &started), 0);
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    ck_assert(started);
    ck_assert(result == PTHREAD_CANCELED);
}
END_TEST

enum { EDITS_THAT_COLLECT = 4000 };

/* The functions of a second copy of the library in a plugin. */
typedef struct copy {
    bool (*attach)(bool attach);
    bool (*works)(int edits);
    pqt_memory *memory;
} copy;

static bool
take_turns(void *context)
{
    const copy *other = context;
    for (int i = 0; i < 3; i++) {
        REQUIRE(pqt_thread_attach(NULL));
        REQUIRE(other->attach(true) && other->works(EDITS_THAT_COLLECT) && other->attach(false));
        REQUIRE(collects_and_keeps(other->memory));
        pqt_thread_detach();
        REQUIRE(!GC_thread_is_registered());
        REQUIRE(other->attach(true) && pqt_thread_attach(NULL));
        REQUIRE(other->works(EDITS_THAT_COLLECT) && collects_and_keeps(other->memory));
        pqt_thread_detach();
        REQUIRE(other->works(EDITS_THAT_COLLECT) && other->attach(false));
        REQUIRE(!GC_thread_is_registered());
    }
    return true;
}

static bool
find_copy(void *plugin, copy *found)
{
    *(void **)&found->attach = dlsym(plugin, "copy_attach");
    *(void **)&found->works = dlsym(plugin, "copy_works");
    return found->attach != NULL && found->works != NULL;
}

START_TEST(two_copies_of_the_library_attach_one_thread_in_turns)
{
    copy other = {.memory = make_memory(1)};
    void *plugin = dlopen("test/.libs/plugin_copy.so", RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL) {
        fprintf(stderr, "# no plugin, so nothing is tested: %s\n", dlerror());
        return;
    }
    ck_assert(find_copy(plugin, &other));
    ck_assert(other.works(10)); /* both know the main thread */
    ck_assert(in_thread(take_turns, &other));
    ck_assert(in_thread(take_turns, &other));
}
END_TEST

#endif

/* ---- A build without the collector ---- */

START_TEST(a_build_without_the_collector_has_nothing_to_start)
{
    pqt_error error = {0};
    ck_assert(pqt_init(&error));
    ck_assert(pqt_thread_attach(&error));
    pqt_thread_detach();
    ck_assert_int_eq(error.status, PQT_OK);
}
END_TEST

static void
add_threads(Suite *suite)
{
    TCase *tests = tcase_create("threads");
    tcase_add_test(tests, attaching_main_changes_nothing);
    tcase_add_test(tests, attaching_twice_has_the_effect_of_attaching_once);
    tcase_add_test(tests, the_stack_of_an_attached_thread_keeps_versions);
    tcase_add_test(tests, a_thread_that_blocked_all_signals_can_be_attached);
    tcase_add_test(tests, attached_threads_make_versions_at_once);
    tcase_add_test(tests, a_thread_that_ends_is_detached);
    tcase_add_test(tests, a_child_continues_with_its_copies);
    tcase_add_test(tests, a_child_continues_without_the_other_threads);
    tcase_add_test(tests, a_child_of_an_attached_thread_continues);
#if PQT_WITH_COLLECTOR
    tcase_add_test(tests,
                   a_thread_that_the_collector_does_not_register_is_refused_and_may_try_again);
    tcase_add_test(tests, the_thread_that_makes_the_first_call_may_be_cancelled_afterwards);
#endif
    suite_add_tcase(suite, tests);
}

static void
add_hosts(Suite *suite)
{
#if PQT_WITH_COLLECTOR
    TCase *tests = tcase_create("hosts");
    tcase_add_test(tests, attaching_registers_a_thread_that_the_host_unregistered);
    tcase_add_test(tests, attaching_leaves_a_registration_of_the_host_to_the_host);
    tcase_add_test(tests, detaching_a_thread_that_the_host_unregistered_does_no_harm);
    tcase_add_test(tests, a_thread_that_the_host_unregistered_may_end_attached);
    tcase_add_test(tests, two_copies_of_the_library_attach_one_thread_in_turns);
    tcase_add_misuse_test(tests, a_detached_thread_that_the_host_unregistered_may_not_allocate);
    suite_add_tcase(suite, tests);
#else
    (void)suite;
#endif
}

static void
add_absence(Suite *suite)
{
    TCase *tests = tcase_create("no collector");
    tcase_add_test(tests, a_build_without_the_collector_has_nothing_to_start);
    suite_add_tcase(suite, tests);
}

static void
add_mistakes(Suite *suite)
{
    TCase *tests = tcase_create("mistakes");
    tcase_add_misuse_test(tests, a_thread_that_was_not_attached_may_not_allocate);
    tcase_add_misuse_test(tests, a_thread_that_was_not_attached_may_not_pin);
    tcase_add_misuse_test(tests, a_thread_that_was_detached_may_not_allocate);
    suite_add_tcase(suite, tests);
}

int
main(void)
{
    Suite *suite = suite_create("attach");
    if (pqt_collector() == NULL) {
        add_absence(suite);
        return run_suite(suite);
    }
    add_threads(suite);
    add_hosts(suite);
    add_mistakes(suite);
    return run_suite(suite);
}

/* SPDX-License-Identifier: MIT */
/*
 * test_coroutine.c: tests stacks of coroutines, which the program must report to the collector, and
 * stacks of threads at any address and of any depth.
 */
#include "config.h"

#include "memory_support.h"
#include "misuse.h"
#include "suite.h"

#if PQT_WITH_COLLECTOR && HAVE_MAKECONTEXT && HAVE_GC_GET_MY_STACKBOTTOM

#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#include <pqt.h>

enum { STACK = 1 << 20, EDITS = 3000 };

static const pqt_box bounds = {{0, 0}, {100, 100}};

static pqt_item
dot(int i)
{
    const pqt_vec at = {i % 100, i / 100 % 100};
    return (pqt_item){{at, at}, (uint64_t)i};
}

static const pqt_tree *
tree_of(int count, pqt_memory *memory)
{
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = memory;
    const pqt_tree *tree = pqt_tree_make(bounds, &options, &error);
    for (int i = 0; i < count; i++)
        tree = pqt_tree_insert(tree, dot(i), &error);
    ck_assert_msg(tree != NULL, "%s", error.text);
    return tree;
}

/* Makes `count` versions that only this stack refers to. Returns true if all are correct. */
static bool
edit(const pqt_tree *tree, int count)
{
    pqt_error error = {0};
    const size_t before = pqt_tree_count(tree);
    for (int i = 0; i < count; i++)
        tree = pqt_tree_insert(tree, dot(5000 + i), &error);
    REQUIRE(tree != NULL && error.status == PQT_OK);
    REQUIRE(pqt_tree_count(tree) == before + (size_t)count);
    return pqt_tree_check(tree, &error);
}

/* ---- Coroutines ---- */

typedef struct coroutine {
    ucontext_t self, caller;
    char *stack;
    check_fn *check;
    void *context;
    bool passed;
    bool is_known;                    /* whether switches are reported to the collector */
    struct GC_stack_base here, there; /* the stacks of the caller and of the coroutine */
} coroutine;

static _Thread_local coroutine *running; /* makecontext passes only ints */

static void *
enter_stack(void *context)
{
    coroutine *this = context;
    GC_set_stackbottom(NULL, &this->there);
    return NULL;
}

static void *
leave_stack(void *context)
{
    coroutine *this = context;
    GC_set_stackbottom(NULL, &this->here);
    return NULL;
}

static void
run_coroutine(void)
{
    coroutine *this = running;
    if (this->is_known)
        GC_enable();
    this->passed = this->check(this->context);
    if (this->is_known)
        GC_disable();
}

static void
switch_to(coroutine *this)
{
    running = this;
    getcontext(&this->self);
    this->self.uc_stack.ss_sp = this->stack;
    this->self.uc_stack.ss_size = STACK;
    this->self.uc_link = &this->caller;
    makecontext(&this->self, run_coroutine, 0);
    swapcontext(&this->caller, &this->self);
}

/* Runs a check on a stack that the collector does not know. Returns its result. */
static bool
in_coroutine(check_fn *check, void *context)
{
    coroutine this = {.stack = malloc(STACK), .check = check, .context = context};
    REQUIRE(this.stack != NULL);
    switch_to(&this);
    free(this.stack);
    return this.passed;
}

/* Runs a check on a stack that is registered with the collector, as the manual describes. Versions
   on the caller's stack must be pinned. */
static bool
in_known_coroutine(check_fn *check, void *context)
{
    coroutine this = {.stack = malloc(STACK), .check = check, .context = context, .is_known = true};
    REQUIRE(this.stack != NULL);
    (void)GC_get_my_stackbottom(&this.here);
    this.there.mem_base = this.stack + STACK;
    GC_disable();
    GC_call_with_alloc_lock(enter_stack, &this);
    switch_to(&this);
    GC_call_with_alloc_lock(leave_stack, &this);
    GC_enable();
    free(this.stack);
    return this.passed;
}

static bool
edits_pinned(void *pin)
{
    return edit(pqt_pin_get_tree(pin), EDITS);
}

static bool
reads_pinned(void *pin)
{
    return pqt_tree_count_in(pqt_pin_get_tree(pin), NULL) == 1000;
}

static bool
edits_in_arena(void *tree)
{
    return edit(tree, EDITS);
}

static bool
loads(void *head)
{
    return pqt_head_load(head, NULL) != NULL;
}

static bool
pins(void *pin)
{
    pqt_pin *another = pqt_tree_pin(pqt_pin_get_tree(pin), NULL);
    return another != NULL;
}

START_TEST(a_coroutine_reads_pinned_versions)
{
    pqt_pin *pin = pqt_tree_pin(tree_of(1000, NULL), NULL);
    ck_assert(in_coroutine(reads_pinned, pin));
    pqt_unpin(&pin);
}
END_TEST

START_TEST(a_coroutine_edits_in_an_arena)
{
    pqt_memory *arena = pqt_arena_make(0, NULL);
    /* The context is not const, and edits_in_arena does not write to it. */
    ck_assert(in_coroutine(edits_in_arena, (void *)(uintptr_t)tree_of(1000, arena)));
    pqt_arena_destroy(&arena);
}
END_TEST

static bool
edits_here_and_there(void *pin)
{
    for (int i = 0; i < 4; i++) {
        REQUIRE(in_known_coroutine(edits_pinned, pin));
        REQUIRE(edits_pinned(pin));
    }
    return true;
}

static atomic_bool is_over;

static bool
collects_until_over(void *memory)
{
    REQUIRE(pqt_thread_attach(NULL));
    while (!atomic_load(&is_over))
        pqti_collect(memory);
    pqt_thread_detach();
    return true;
}

static bool
edits_attached(void *pin)
{
    REQUIRE(pqt_thread_attach(NULL));
    REQUIRE(edits_here_and_there(pin));
    pqt_thread_detach();
    return true;
}

/* Another thread collects while this thread is inside the coroutine and while it is outside. _i
   selects the main thread or an attached thread. */
START_TEST(a_coroutine_on_a_known_stack_edits_during_collections)
{
    pqt_pin *pin = pqt_tree_pin(tree_of(1000, NULL), NULL);
    job collector = {collects_until_over, pqt_collector(), false, 0};
    begin(&collector);
    ck_assert(_i == 0 ? edits_here_and_there(pin) : in_thread(edits_attached, pin));
    atomic_store(&is_over, true);
    ck_assert(end(&collector));
    pqt_unpin(&pin);
}
END_TEST

/* ---- Errors that must be detected ---- */

typedef struct mistake {
    check_fn *check;
    void *context;
    bool in_thread;
} mistake;

static bool
makes_mistake(void *context)
{
    const mistake *this = context;
    return pqt_thread_attach(NULL) && in_coroutine(this->check, this->context);
}

static void
make_mistake(void *context)
{
    const mistake *this = context;
    if (this->in_thread)
        in_thread(makes_mistake, context);
    else
        makes_mistake(context);
}

static void
expect_said(mistake this, const char *part)
{
    char text[MISUSE_TEXT];
    ck_assert_msg(misuse_aborts(make_mistake, &this, text), "%s", text);
    /* AddressSanitizer may print a warning before it */
    ck_assert_msg(strstr(text, part) != NULL, "%s", text);
}

static const char unknown[] = "pqt: the collector does not know this stack: ";

/* _i selects the main thread or an attached thread, whose stack may be on the other side. */
START_TEST(a_coroutine_that_edits_or_pins_on_an_unknown_stack_is_reported)
{
    pqt_pin *pin = pqt_tree_pin(tree_of(1000, NULL), NULL);
    expect_said((mistake){edits_pinned, pin, _i == 1}, unknown);
    expect_said((mistake){pins, pin, _i == 1}, unknown);
    pqt_unpin(&pin);
}
END_TEST

START_TEST(a_coroutine_that_loads_on_an_unknown_stack_is_reported)
{
    pqt_head *head = pqt_head_make(tree_of(1000, NULL), NULL);
    expect_said((mistake){loads, head, _i == 1}, "pqt: pqt_head_load: the collector does not know");
    pqt_head_destroy(&head);
}
END_TEST

static bool
edits_back_in_main(void *pin)
{
    REQUIRE(in_known_coroutine(edits_pinned, pin));
    return in_coroutine(edits_pinned, pin);
}

/* The collector no longer knows the stack of a coroutine after the thread has left it. */
START_TEST(a_stack_that_is_no_longer_known_is_detected)
{
    pqt_pin *pin = pqt_tree_pin(tree_of(1000, NULL), NULL);
    expect_said((mistake){edits_back_in_main, pin, _i == 1}, unknown);
    pqt_unpin(&pin);
}
END_TEST

static pqt_pin *pin_for_handler;

static void
edit_in_handler(int signal)
{
    (void)signal;
    (void)edits_pinned(pin_for_handler);
}

static bool
raises_on_another_stack(void *pin)
{
    const stack_t stack = {.ss_sp = malloc(STACK), .ss_size = STACK};
    const struct sigaction action = {.sa_handler = edit_in_handler, .sa_flags = SA_ONSTACK};
    pin_for_handler = pin;
    return sigaltstack(&stack, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0 &&
           raise(SIGUSR1) == 0;
}

static void
raise_on_another_stack(void *pin)
{
    (void)raises_on_another_stack(pin);
}

START_TEST(a_signal_handler_that_edits_on_its_own_stack_is_reported)
{
    char text[MISUSE_TEXT];
    pqt_pin *pin = pqt_tree_pin(tree_of(1000, NULL), NULL);
    ck_assert_msg(misuse_aborts(raise_on_another_stack, pin, text), "%s", text);
    ck_assert_msg(strncmp(text, unknown, strlen(unknown)) == 0, "%s", text);
    pqt_unpin(&pin);
}
END_TEST

/* ---- Stacks of threads, of any depth and at any address ---- */

/* Recurses until a number of bytes of the stack are in use, and edits there. */
static bool
edits_deep(const pqt_pin *pin, size_t left)
{
    volatile char frame[4096];
    frame[0] = frame[4095] = (char)left;
    if (left > sizeof frame)
        return edits_deep(pin, left - sizeof frame) && frame[0] == frame[4095];
    return edit(pqt_pin_get_tree(pin), 300);
}

static bool
edits_deep_attached(void *pin)
{
    REQUIRE(pqt_thread_attach(NULL));
    for (size_t bytes = 4096; bytes <= STACK / 2; bytes *= 2)
        REQUIRE(edits_deep(pin, bytes));
    pqt_thread_detach();
    return true;
}

START_TEST(versions_are_made_anywhere_on_the_stack_of_main)
{
    pqt_pin *pin = pqt_tree_pin(tree_of(1000, NULL), NULL);
    ck_assert(edits_deep_attached(pin));
    ck_assert(edits_deep(pin, 4 << 20)); /* half of the size that most systems allow */
    pqt_unpin(&pin);
}
END_TEST

static bool
edits_with_stack(pthread_attr_t *attributes, check_fn *check, void *context)
{
    job one = {check, context, false, 0};
    REQUIRE(pthread_create(&one.thread, attributes, run_job, &one) == 0);
    pthread_attr_destroy(attributes);
    return pthread_join(one.thread, NULL) == 0 && one.passed;
}

START_TEST(versions_are_made_anywhere_on_a_stack_that_the_host_has_allocated)
{
    pthread_attr_t attributes;
    void *memory = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pqt_pin *pin = pqt_tree_pin(tree_of(1000, NULL), NULL);
    ck_assert(memory != MAP_FAILED && pthread_attr_init(&attributes) == 0);
    ck_assert_int_eq(pthread_attr_setstack(&attributes, memory, STACK), 0);
    ck_assert(edits_with_stack(&attributes, edits_deep_attached, pin));
    ck_assert_int_eq(munmap(memory, STACK), 0);
    pqt_unpin(&pin);
}
END_TEST

/* Edits in a thread whose stack is registered with a frame as its bottom, not with the end of the
 * stack. */
static void *
edit_above_frame(struct GC_stack_base *base, void *pin)
{
    const bool passed = GC_register_my_thread(base) == GC_SUCCESS && edits_deep(pin, 100000) &&
                        edit(pqt_pin_get_tree(pin), EDITS);
    GC_unregister_my_thread();
    return passed ? pin : NULL;
}

static bool
edits_registered_by_host(void *pin)
{
    return GC_call_with_stack_base(edit_above_frame, pin) == pin;
}

START_TEST(versions_are_made_in_a_thread_that_the_host_registers_with_bounds_of_its_own)
{
    pqt_pin *pin = pqt_tree_pin(tree_of(1000, NULL), NULL);
    ck_assert(in_thread(edits_registered_by_host, pin));
    pqt_unpin(&pin);
}
END_TEST

static bool
set_stack_limit(rlim_t bytes)
{
    struct rlimit limit;
    REQUIRE(getrlimit(RLIMIT_STACK, &limit) == 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    return setrlimit(RLIMIT_STACK, &limit) == 0;
}

static bool
grows_beyond_limit(void *unused)
{
    (void)unused;
    REQUIRE(set_stack_limit(1 << 20));
    pqt_pin *pin = pqt_tree_pin(tree_of(1000, NULL), NULL);
    REQUIRE(edits_pinned(pin));
    REQUIRE(set_stack_limit(8 << 20));
    REQUIRE(edits_deep(pin, 3 << 20));
    pqt_unpin(&pin);
    return true;
}

START_TEST(the_stack_of_main_may_grow_beyond_its_first_limit)
{
    ck_assert(in_child(grows_beyond_limit, NULL));
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("coroutine");
    TCase *tests = tcase_create("coroutines");
    tcase_add_test(tests, a_coroutine_reads_pinned_versions);
    tcase_add_test(tests, a_coroutine_edits_in_an_arena);
    tcase_add_loop_test(tests, a_coroutine_on_a_known_stack_edits_during_collections, 0, 2);
    suite_add_tcase(suite, tests);
    tests = tcase_create("threads");
    tcase_add_test(tests, the_stack_of_main_may_grow_beyond_its_first_limit);
    tcase_add_test(tests, versions_are_made_anywhere_on_the_stack_of_main);
    tcase_add_test(tests, versions_are_made_anywhere_on_a_stack_that_the_host_has_allocated);
    tcase_add_test(tests,
                   versions_are_made_in_a_thread_that_the_host_registers_with_bounds_of_its_own);
    suite_add_tcase(suite, tests);
    tests = tcase_create("mistakes");
    if (misuse_can_be_tested()) {
        tcase_add_loop_test(tests, a_coroutine_that_edits_or_pins_on_an_unknown_stack_is_reported,
                            0, 2);
        tcase_add_loop_test(tests, a_coroutine_that_loads_on_an_unknown_stack_is_reported, 0, 2);
        tcase_add_loop_test(tests, a_stack_that_is_no_longer_known_is_detected, 0, 2);
        tcase_add_test(tests, a_signal_handler_that_edits_on_its_own_stack_is_reported);
    }
    suite_add_tcase(suite, tests);
    return suite;
}

#else

static Suite *
make_suite(void)
{
    return suite_create("coroutine");
}

#endif

int
main(void)
{
    return run_suite(make_suite());
}

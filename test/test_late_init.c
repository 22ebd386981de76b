/* SPDX-License-Identifier: MIT */
/*
 * test_late_init.c: the first call comes from a thread other than main: it is refused. Main can
 * then start the library, and the thread can use it.
 *
 * This is a process of its own, without check, so that nothing calls the library earlier.
 */
#include "config.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <pqt.h>

static const pqt_box bounds = {{0, 0}, {1, 1}};

static void
tell(bool right, int number, const char *name)
{
    printf("%sok %d - %s\n", right ? "" : "not ", number, name);
}

static void *
come_first(void *unused)
{
    pqt_error making = {0}, attaching = {0};
    const bool refused =
        pqt_tree_make(bounds, NULL, &making) == NULL && !pqt_thread_attach(&attaching);
    tell(refused && making.status == PQT_ERROR_THREAD && attaching.status == PQT_ERROR_THREAD, 1,
         "the first call off main is refused");
    tell(strcmp(making.text, "thread: the first call must come from main; call pqt_init there") ==
             0,
         2, "and says what to do");
    return unused;
}

static void *
come_again(void *unused)
{
    pqt_error error = {0};
    bool right = pqt_thread_attach(&error);
    pqt_head *head = pqt_head_make(pqt_tree_make(bounds, NULL, &error), &error);
    right = right && head != NULL && pqt_tree_count(pqt_head_load(head, NULL)) == 0;
    pqt_head_destroy(&head);
    pqt_thread_detach();
    tell(right && error.status == PQT_OK, 4, "then the thread may use it");
    return unused;
}

int
main(void)
{
    pthread_t thread;
    if (pqt_collector() == NULL) {
        puts("1..0 # SKIP only the collector is started");
        return 0;
    }
    puts("1..4");
    if (pthread_create(&thread, NULL, come_first, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 1;
    tell(pqt_init(NULL), 3, "main can start the library after that");
    if (pthread_create(&thread, NULL, come_again, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 1;
    return 0;
}

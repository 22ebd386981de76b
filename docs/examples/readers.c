/* SPDX-License-Identifier: MIT */
/*
 * readers.c: one writer and three readers share a head: no reader waits or sees a partial edit.
 *
 * The writer adds items one by one and publishes each version. The empty version has number 1, so
 * version n contains n - 1 items. Each reader checks this.
 */
#include <pthread.h>
#include <stdio.h>

#include <pqt.h>

enum { READERS = 3, ITEMS = 20000 };

typedef struct reader {
    pthread_t thread;
    pqt_head *head; /* valid in any memory: a head keeps its version alive */
    uint64_t last;  /* the number of the newest version that the thread read */
    size_t wrong;
} reader;

static void *
read_until_the_last(void *context)
{
    reader *this = context;
    pqt_query left = {.window = {{0, 0}, {50, 100}}, .relation = PQT_TOUCHES};
    pqt_error error = {0};
    if (!pqt_thread_attach(&error)) /* required, because its stack refers to versions */
        return fprintf(stderr, "%s\n", error.text), NULL;
    while (this->last < ITEMS + 1) {
        uint64_t number;
        const pqt_tree *tree = pqt_head_load_tree(this->head, &number);
        this->wrong += pqt_tree_count(tree) != number - 1 || number < this->last;
        this->wrong += pqt_tree_count_in(tree, &left) > pqt_tree_count(tree);
        this->last = number;
        pqt_head_wait(this->head, number, 0.1); /* until there is a newer version */
    }
    pqt_thread_detach();
    return NULL;
}

static const void *
add_item(const void *now, void *context, pqt_error *error)
{
    const uint64_t id = *(const uint64_t *)context;
    double x = (double)(id * 37 % 100), y = (double)(id * 61 % 97);
    return pqt_tree_insert(now, (pqt_item){{{x, y}, {x + 1, y + 1}}, id}, error);
}

int
main(void)
{
    pqt_error error = {0};
    pqt_box bounds = {{0, 0}, {100, 100}};
    pqt_head *head = pqt_head_make(pqt_tree_make(bounds, NULL, &error), &error);
    reader readers[READERS] = {{.last = 0}};
    if (head == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;
    for (int i = 0; i < READERS; i++) {
        readers[i].head = head;
        if (pthread_create(&readers[i].thread, NULL, read_until_the_last, &readers[i]) != 0)
            return fprintf(stderr, "no more threads\n"), 1;
    }
    for (uint64_t id = 0; id < ITEMS; id++)
        if (pqt_head_update(head, add_item, &id, NULL, &error) == NULL)
            return fprintf(stderr, "%s\n", error.text), 1;
    for (int i = 0; i < READERS; i++) {
        pthread_join(readers[i].thread, NULL);
        printf("reader %d reached version %llu and found %zu errors\n", i,
               (unsigned long long)readers[i].last, readers[i].wrong);
    }
    printf("the head's number is %llu\n", (unsigned long long)pqt_head_number(head));
    pqt_head_destroy(&head);
    return 0;
}

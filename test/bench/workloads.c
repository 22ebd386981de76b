/* SPDX-License-Identifier: MIT */
/* workloads.c: the tasks of the benchmark. Each workload runs one task with one contestant. */
#include "workloads.h"

#include <stdlib.h>

#include "contestant_run.h"
#include "tasks.h"

enum {
    PROBES = 1000,        /* the number of windows for comparisons if the task has none */
    PLAIN = 64,           /* the number of these windows that are also searched in a plain array */
    PROBE_HITS = 10,      /* the approximate number of hits of a probe */
    SELF_PROBES = 100000, /* the number of items whose own box is a window, to count pairs */
    MOVES = 100000,
    /* the number of moves on a cliff, where a move may take a hundred times longer */
    CLIFF_MOVES = 10000,
    VERSIONS_LOOKED_AT = 64,
    /* the approximate number of hits of a window in the newest version; less in older ones */
    VERSION_HITS = 100,
    VERSIONS_MEASURED = 200
};

/* The number of hits at which a run of queries ends. In a pile, each window finds every item. */
static const uint64_t ENOUGH_HITS = 20000000;

static void
ask(const trial *t, const pqt_box *window, answer *found)
{
    (t->reads_items ? t->contestant->query_items : t->contestant->query)(t->state, window, found);
}

static answer
ask_all(const trial *t, const pqt_box *windows, size_t count)
{
    answer found = {0, 0};
    for (size_t i = 0; i < count; i++)
        ask(t, &windows[i], &found);
    return found;
}

/* Queries windows until there are enough hits, which happens at the same window for all
   contestants. Returns the number of windows. */
static size_t
ask_enough(const trial *t, const pqt_box *windows, size_t count, answer *found)
{
    size_t asked = 0;
    for (*found = (answer){0, 0}; asked < count && found->hits < ENOUGH_HITS; asked++)
        ask(t, &windows[asked], found);
    return asked;
}

/* Returns the answer for a window by a linear scan of the first `count` items in their current
 * state. */
static answer
ask_plainly(const trial *t, size_t count, const pqt_box *window)
{
    answer found = {0, 0};
    for (size_t i = 0; i < count; i++) {
        const pqt_item item = t->items[i];
        if (!pqt_box_touches(item.box, *window))
            continue;
        found.hits++;
        found.ids += t->reads_items ? item_mark(item.box.min.x, item.box.min.y, item.box.max.x,
                                                item.box.max.y, item.id)
                                    : item.id;
    }
    return found;
}

/* Queries windows outside the timed task, and compares some answers with a plain array. */
static bool
probe(const trial *t, answer *found)
{
    static pqt_box windows[PROBES];
    draw_windows(t->shape, t->count, PROBE_HITS, windows, PROBES);
    for (size_t i = 0; i < PLAIN; i++)
        if (!answer_equals(ask_all(t, &windows[i], 1), ask_plainly(t, t->count, &windows[i])))
            return trial_complain(t, "finds something else than a plain array");
    (void)ask_enough(t, windows, PROBES, found);
    return true;
}

/* Does what `probe` does, and also queries the items' own boxes. For some distributions, the number
   of pairs that they find is known. */
static bool
probe_pairs(const trial *t, answer *found)
{
    size_t most = t->count < SELF_PROBES ? t->count : SELF_PROBES;
    answer pairs = {0, 0};
    if (!probe(t, found))
        return false;
    for (size_t i = 0; i < most && pairs.hits < ENOUGH_HITS; i++)
        t->contestant->query(t->state, &t->items[i].box, &pairs);
    found->hits += pairs.hits;
    found->ids += pairs.ids;
    uint64_t known = known_pairs(t->shape, t->count);
    if (known != 0 && pairs.hits != t->count + 2 * known)
        return trial_complain(t, "the items make a wrong number of pairs");
    return true;
}

/* Builds the index twice, and times the second build. The first one includes page faults in new
 * memory. */
static bool
run_build(const workload *self, const peer *contestant, distribution shape, size_t count,
          figure figures[MOST_FIGURES])
{
    trial t;
    if (!trial_start_built(&t, self, contestant, shape, count))
        return false;
    trial_finish(&t);
    if (!trial_start(&t, self, contestant, shape, count))
        return false;
    double begun = trial_now();
    if (!contestant->build(t.state))
        return trial_complain(&t, "the index was not built");
    figures[0].value = (trial_now() - begun) / (double)count;
    bool right = probe_pairs(&t, &figures[0].found);
    trial_finish(&t);
    return right;
}

/* Queries a window in some of the kept versions. Each contains the items that were inserted before
 * it. */
static bool
probe_versions(const trial *t, answer *found)
{
    pqt_box windows[VERSIONS_LOOKED_AT];
    draw_windows(t->shape, t->count, VERSION_HITS, windows, VERSIONS_LOOKED_AT);
    for (size_t i = 0; i < VERSIONS_LOOKED_AT; i++) {
        size_t version = t->count * (i + 1) / VERSIONS_LOOKED_AT;
        answer kept = {0, 0};
        t->contestant->history->query(t->state, version, &windows[i], &kept);
        if (!answer_equals(kept, ask_plainly(t, version, &windows[i])))
            return trial_complain(t, "an old version is not what it was");
        found->hits += kept.hits;
        found->ids += kept.ids;
    }
    return true;
}

static double
mean_own_bytes(const trial *t)
{
    size_t measured = t->count < VERSIONS_MEASURED ? t->count : VERSIONS_MEASURED;
    double sum = 0;
    for (size_t i = 0; i < measured; i++)
        sum += t->contestant->history->own_bytes(t->state, t->count * (i + 1) / measured);
    return sum / (double)measured;
}

/* Inserts without a warm-up: the heap grows during the run, as a user's heap does. */
static bool
run_history(const workload *self, const peer *contestant, distribution shape, size_t count,
            figure figures[MOST_FIGURES])
{
    trial t;
    const peer_history *history = contestant->history;
    if (!trial_start(&t, self, contestant, shape, count))
        return false;
    if (!history->begin(t.state, count))
        return trial_complain(&t, "the first version was not made");
    double bytes = history->memory_bytes(t.state);
    double begun = trial_now();
    for (size_t i = 0; i < count; i++)
        if (!history->insert(t.state, &t.items[i]))
            return trial_complain(&t, "an item was not inserted");
    figures[0].value = (trial_now() - begun) / (double)count;
    figures[1].value = mean_own_bytes(&t);
    figures[2].value = (history->memory_bytes(t.state) - bytes) / (double)count;
    bool right = probe_versions(&t, &figures[0].found);
    trial_finish(&t);
    return right;
}

static bool
move_all(const trial *t, const drawn_move *moves, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!t->contestant->move(t->state, &moves[i].from, &moves[i].to))
            return trial_complain(t, "an item was not moved");
    return true;
}

static bool
run_moves(const workload *self, const peer *contestant, distribution shape, size_t count,
          figure figures[MOST_FIGURES])
{
    trial t;
    if (!trial_start_built(&t, self, contestant, shape, count))
        return false;
    size_t timed = is_cliff(shape) ? CLIFF_MOVES : MOVES;
    size_t before = timed / 10; /* the warm-up, in which the heap grows to its final size */
    drawn_move *moves = trial_room(before + timed, sizeof *moves);
    draw_moves(shape, t.items, count, moves, before + timed);
    bool moved = move_all(&t, moves, before);
    double begun = trial_now();
    moved = moved && move_all(&t, moves + before, timed);
    figures[0].value = (trial_now() - begun) / (double)timed;
    bool right = moved && probe(&t, &figures[0].found);
    free(moves);
    trial_finish(&t);
    return right;
}

/* For each figure of W3: the approximate number of hits, and a number of windows that makes the
   time measurable. */
static const struct {
    unsigned hits;
    size_t windows;
} sizes[MOST_FIGURES] = {{1, 20000}, {10, 20000}, {100, 10000}, {1000, 2000}};

static void
time_windows(const trial *t, unsigned hits, size_t count, figure *out)
{
    pqt_box *windows = trial_room(count, sizeof *windows);
    draw_windows(t->shape, t->count, hits, windows, count);
    /* A run before the clock starts fills the caches. */
    size_t asked = ask_enough(t, windows, count, &out->found);
    double begun = trial_now();
    out->found = ask_all(t, windows, asked);
    out->value = (trial_now() - begun) / (double)asked;
    free(windows);
}

static bool
read_windows(const workload *self, const peer *contestant, distribution shape, size_t count,
             bool reads_items, figure figures[MOST_FIGURES])
{
    trial t;
    answer found;
    if (!trial_start_built(&t, self, contestant, shape, count))
        return false;
    t.reads_items = reads_items;
    bool right = probe(&t, &found);
    for (size_t i = 0; right && i < MOST_FIGURES; i++)
        time_windows(&t, sizes[i].hits, sizes[i].windows, &figures[i]);
    trial_finish(&t);
    return right;
}

static bool
run_windows(const workload *self, const peer *contestant, distribution shape, size_t count,
            figure figures[MOST_FIGURES])
{
    return read_windows(self, contestant, shape, count, false, figures);
}

static bool
run_item_windows(const workload *self, const peer *contestant, distribution shape, size_t count,
                 figure figures[MOST_FIGURES])
{
    return read_windows(self, contestant, shape, count, true, figures);
}

static bool
run_bytes(const workload *self, const peer *contestant, distribution shape, size_t count,
          figure figures[MOST_FIGURES])
{
    trial t;
    if (!trial_start_built(&t, self, contestant, shape, count))
        return false;
    figures[0].value = contestant->bytes(t.state) / (double)count;
    bool right = probe(&t, &figures[0].found);
    trial_finish(&t);
    return right;
}

static bool
can_query(const peer *contestant)
{
    return contestant->query != NULL;
}

static bool
can_query_items(const peer *contestant)
{
    return contestant->query_items != NULL;
}

static bool
can_keep_versions(const peer *contestant)
{
    return contestant->history != NULL;
}

static bool
can_move(const peer *contestant)
{
    return contestant->query != NULL && contestant->move != NULL;
}

static bool
can_tell_bytes(const peer *contestant)
{
    return contestant->query != NULL && contestant->bytes != NULL;
}

static bool
can_pair(const peer *contestant)
{
    return contestant->collision != NULL;
}

static bool
can_tell_nearest(const peer *contestant)
{
    return contestant->sight != NULL && contestant->sight->nearest != NULL;
}

static bool
can_cast(const peer *contestant)
{
    return contestant->sight != NULL && contestant->sight->first_hit != NULL;
}

static bool
can_sweep(const peer *contestant)
{
    return contestant->sight != NULL && contestant->sight->first_met != NULL;
}

static bool
can_share(const peer *contestant)
{
    return contestant->sharing != NULL;
}

/* With more pairs than this in a pile, the task would measure little but its output. */
static const double MOST_PAIRS = 1e8;

bool
is_too_much(const workload *task, distribution shape, size_t count)
{
    return task->suits == can_pair && is_pile(shape) &&
           (double)count * (double)count / 2 > MOST_PAIRS;
}

static const char no_windows[] = "no windows";

const workload workloads[] = {
    {"W1", "build from an array", {"W1"}, {"ns/item"}, "U", can_query, no_windows, run_build},
    {"W2",
     "insert one by one, every version kept: time; bytes that a version adds; growth of the memory",
     {"W2", "W2-bytes", "W2-memory"},
     {"ns/insert", "B/version", "B/version"},
     "U",
     can_keep_versions,
     "no persistent form",
     run_history},
    {"W2b",
     "move an item by up to 10, the newest kept",
     {"W2b"},
     {"ns/move"},
     "UM",
     can_move,
     "no single moves",
     run_moves},
    {"W3",
     "windows of about 1, 10, 100, 1000 hits",
     {"W3-1", "W3-10", "W3-100", "W3-1000"},
     {"ns/query", "ns/query", "ns/query", "ns/query"},
     "UCM",
     can_query,
     no_windows,
     run_windows},
    {"W3i",
     "windows of about 1, 10, 100, 1000 hits, each side of each item read",
     {"W3i-1", "W3i-10", "W3i-100", "W3i-1000"},
     {"ns/query", "ns/query", "ns/query", "ns/query"},
     "UCM",
     can_query_items,
     "no windows of items",
     run_item_windows},
    {"W4", "all overlapping pairs", {"W4"}, {"ms"}, "UCM", can_pair, "no pairs", run_pairs},
    {"W5",
     "every box moves by up to 5: the new state and all of its pairs",
     {"W5"},
     {"ms/frame"},
     "U",
     can_pair,
     "no pairs",
     run_frames},
    {"W5b",
     "one box in a hundred moves by up to 5: the new state, and the pairs that began or ended",
     {"W5b"},
     {"ms/frame"},
     "U",
     can_pair,
     "no pairs",
     run_few_moves},
    {"W6",
     "the ten nearest to a point",
     {"W6"},
     {"ns/query"},
     "UCM",
     can_tell_nearest,
     "no nearest",
     run_nearest},
    {"W7",
     "the first box that a segment of length 1000 enters",
     {"W7"},
     {"ns/query"},
     "UCM",
     can_cast,
     "no rays",
     run_segments},
    {"W7b",
     "the first box that a box of 10 x 10 meets on a way of 1000",
     {"W7b"},
     {"ns/query"},
     "UCM",
     can_sweep,
     "no sweeps",
     run_sweeps},
    {"W8",
     "one writer, every move seen, and one reader, ~10 hits; a read by the wall, by the processor, "
     "by the processor without the writer, and the slowest by the wall",
     {"W8", "W8-busy", "W8-alone", "W8-slowest"},
     {"ns/query", "ns/query", "ns/query", "ms"},
     "U",
     can_share,
     "not shared",
     run_sharing},
    {"W9",
     "bytes held, items included",
     {"W9"},
     {"B/item"},
     "U",
     can_tell_bytes,
     "not reported",
     run_bytes},
};

const size_t workload_count = sizeof workloads / sizeof workloads[0];

/* SPDX-License-Identifier: MIT */
/*
 * replay.h: the functions that fuzz targets share, and their main function without a fuzzing
 * engine.
 *
 * With a fuzzing engine (-DPQT_FUZZING_ENGINE, and for clang -fsanitize=fuzzer) the engine defines
 * main. Without one, main replays the files and folders of its arguments, or the corpus of the
 * target, and prints the results as TAP. `make check` does this.
 *
 * The corpus was made by `fuzz_NAME --make test/fuzz/corpus/NAME`, the same on every machine.
 */
#ifndef TEST_REPLAY_H
#define TEST_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A fuzz target: the name of the folder of its corpus, and a function that makes the `seeds`
   initial inputs. */
typedef struct fuzz_target {
    const char *name;
    unsigned seeds;
    void (*make_seed)(unsigned seed, FILE *file);
} fuzz_target;
extern const fuzz_target fuzz_this;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Aborts the program with the message `what` unless `right`. */
void require(bool right, const char *what);

/* An input of a fuzz target. Bytes past its end are 0. */
typedef struct input {
    const uint8_t *data;
    size_t size, at;
} input;

static inline unsigned
take(input *in)
{
    return in->at < in->size ? in->data[in->at++] : 0;
}

static inline uint64_t
take_word(input *in)
{
    uint64_t word = 0;
    for (int i = 0; i < 8; i++)
        word = word << 8 | take(in);
    return word;
}

#endif

# SPDX-License-Identifier: MIT
"""self_test.py: tests the parts of make mutation that need no build, and reports TAP.

Each function whose name begins with `test_` is a test; its name states what must hold.
"""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from changes import apply_edits, changes_of, locks_of
from draw import Draw, Source
from log import Log, Result
from set_aside import SetAside, read_entries
from suites import LINE, LINE_SCRIPTS
from summary import summarise

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

FILE = "src/base/tiny.c"
TEXT = """\
/* tiny.c: a < b in a comment is no change. */
#define LIMIT (3 < 4)

static int
first_of(const int *numbers, int count)
{
    PQT_ASSERT(count > 0, "there is no number");
    if (count == 0 || numbers == NULL)
        return 0;
    int first = numbers[1];
    first = largest(first,
                    count);
    if (count && 0.5 < first && !stopped)
        first = 7u;
    else
        forget(numbers, pqt_vec_add(a, b));
    return first;
}

static void
add(heap *heap)
{
    lock_heap(heap);
    heap->count++;
    unlock_heap(heap);
}

static void
lock_only(heap *heap)
{
    pthread_mutex_lock(&heap->lock);
    for (int i = 0; i < 2; i++) {
        if (heap->stopped)
            break;
        heap->count = (pair){1, 2}.first;
    }
}
"""
EXPECTED = [
    (8, "condition", "if (numbers == NULL)"),
    (8, "condition", "if (count == 0)"),
    (8, "constant", "if (count == -1 || numbers == NULL)"),
    (8, "constant", "if (count == 1 || numbers == NULL)"),
    (8, "equality", "if (count != 0 || numbers == NULL)"),
    (8, "equality", "if (count == 0 || numbers != NULL)"),
    (8, "guard", ";"),
    (8, "logic", "if (count == 0 && numbers == NULL)"),
    (9, "constant", "return -1;"),
    (9, "constant", "return 1;"),
    (10, "constant", "int first = numbers[0];"),
    (10, "constant", "int first = numbers[2];"),
    (11, "arguments", "first = largest(count, first);"),
    (11, "statement", ";"),
    (13, "comparison", "if (count && 0.5 <= first && !stopped)"),
    (13, "comparison", "if (count && 0.5 > first && !stopped)"),
    (13, "condition", "if (0.5 < first && !stopped)"),
    (13, "condition", "if (count && !stopped)"),
    (13, "condition", "if (count && !stopped)"),
    (13, "condition", "if (count && 0.5 < first)"),
    (13, "constant", "if (count && -0.5 < first && !stopped)"),
    (13, "constant", "if (count && 1.5 < first && !stopped)"),
    (13, "logic", "if (count || 0.5 < first && !stopped)"),
    (13, "logic", "if (count && 0.5 < first || !stopped)"),
    (14, "constant", "first = 6u;"),
    (14, "constant", "first = 8u;"),
    (14, "statement", ";"),
    (16, "arguments", "forget(pqt_vec_add(a, b), numbers);"),
    (16, "statement", ";"),
    (24, "statement", ";"),
    (31, "statement", ";"),
    (32, "comparison", "for (int i = 0; i <= 2; i++) {"),
    (32, "comparison", "for (int i = 0; i > 2; i++) {"),
    (32, "constant", "for (int i = -1; i < 2; i++) {"),
    (32, "constant", "for (int i = 0; i < 1; i++) {"),
    (32, "constant", "for (int i = 0; i < 3; i++) {"),
    (32, "constant", "for (int i = 1; i < 2; i++) {"),
    (33, "guard", ";"),
    (35, "constant", "heap->count = (pair){0, 2}.first;"),
    (35, "constant", "heap->count = (pair){1, 1}.first;"),
    (35, "constant", "heap->count = (pair){1, 3}.first;"),
    (35, "constant", "heap->count = (pair){2, 2}.first;"),
    (35, "statement", ";"),
]
ASIDE = """\
# SPDX-License-Identifier: MIT

src/base/tiny.c first_of
- if (count && 0.5 < first && !stopped)
  first = 7u;
"""


def entry(before, after):
    return f"src/base/tiny.c first_of\n- {before}\n+ {after}\n  It changes nothing.\n"


def some_result(result="survived", line=13, by=None, runs=()):
    return Result(FILE, line, "constant", "first_of", "first = 7u;", "first = 8u;", [line], result,
                  by, "failed" if by else None, list(runs))


def compare(found, expected):
    """Raises an exception that names the differences of two lists."""
    missing = [value for value in expected if value not in found]
    more = [value for value in found if value not in expected]
    assert found == expected, f"missing: {missing}; not expected: {more}"


def test_the_changes_of_a_text_are_these():
    found = [(change.line, change.kind, change.after) for change in changes_of(FILE, TEXT)]
    compare(sorted(found), sorted(EXPECTED))


def test_a_change_keeps_the_number_of_lines():
    for change in changes_of(FILE, TEXT) + locks_of(FILE, TEXT):
        assert apply_edits(TEXT, change.edits).count("\n") == TEXT.count("\n"), change


def test_a_change_changes_its_own_lines_only():
    for change in changes_of(FILE, TEXT):
        pairs = zip(TEXT.splitlines(), apply_edits(TEXT, change.edits).splitlines())
        changed = [n for n, (old, new) in enumerate(pairs, 1) if old != new]
        assert changed[0] == change.line and changed[-1] - changed[0] <= 1, change


def test_locks_are_dropped_where_they_are_locked_and_unlocked():
    found = locks_of(FILE, TEXT)
    compare([(change.line, change.function, change.lines) for change in found],
            [(23, "add", (23, 25))])
    assert "lock_heap" not in apply_edits(TEXT, found[0].edits)[TEXT.index("add("):]


def series(seed, executable=(8, 9, 11, 13, 14, 16)):
    draw = Draw({FILE: Source(FILE, TEXT, executable)}, seed)
    return [draw.next() for _ in range(12)]


def test_a_seed_draws_the_same_changes_again():
    assert series(7) == series(7)
    assert series(7) != series(8)


def test_no_change_is_drawn_twice():
    assert len({change.edits for change in series(7)}) == 12


def test_only_executable_lines_are_drawn():
    assert {change.line for change in series(7, [14]) if change} == {14, 16}
    draw = Draw({FILE: Source(FILE, TEXT, [])}, 7)
    assert draw.next() is None


def test_an_entry_sets_a_change_aside_wherever_its_line_is():
    aside = SetAside(entry("first = 7u;", "first =  8u;"))
    for text in (TEXT, "\n\n" + TEXT):
        found = [change for change in changes_of(FILE, text) if aside.reason(change)]
        assert [change.after for change in found] == ["first = 8u;"]
        assert aside.reason(found[0]) == "It changes nothing."


def test_an_entry_of_another_function_or_text_sets_nothing_aside():
    for text in (entry("first = 7u;", "first = 9u;"), entry("first = 6u;", "first = 8u;"),
                 entry("first = 7u;", "first = 8u;").replace("first_of", "add")):
        aside = SetAside(text)
        assert not any(aside.reason(change) for change in changes_of(FILE, TEXT))
        assert aside.unmatched(lambda file: changes_of(file, TEXT)) == aside.entries


def test_entries_that_match_are_not_reported():
    aside = SetAside("# a comment\n\n" + entry("first = 7u;", "first = 8u;"))
    assert aside.unmatched(lambda file: changes_of(file, TEXT)) == []


def test_an_entry_without_a_reason_is_refused():
    for text in (entry("first = 7u;", "first = 8u;").replace("  It changes nothing.\n", ""),
                 "src/base/tiny.c\n- a\n+ b\n  why\n", "src/base/tiny.c first_of\nwhy\n"):
        try:
            read_entries(text)
        except ValueError:
            continue
        raise AssertionError("accepted: " + text)


def test_a_log_is_read_again_without_a_line_that_was_cut():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "log")
        log = Log(path)
        log.add(some_result())
        log.add(some_result(line=14))
        log.add(some_result("noticed", 14, "test/test_a"))
        with open(path, "a", encoding="utf-8") as file:
            file.write('{"file": "src/b')
        read = Log(path)
        assert [result.result for result in read.counted()] == ["survived", "noticed"]
        assert read.find(changes_of(FILE, TEXT)[0]) is None


def test_a_summary_counts_what_was_set_aside_apart():
    results = [some_result("noticed", 1, "test/test_a", [("test/test_a", "failed", 1.0)]),
               some_result("survived", 2, runs=[("test/test_a", "passed", 2.0)]),
               some_result("unexecuted", 3)]
    text = summarise(results, SetAside(""))
    row = next(line for line in text.splitlines() if line.startswith("in all"))
    assert row.split() == ["in", "all", "3", "1", "1", "1", "0", "33", "%"], row
    assert "src/base/tiny.c:2: constant; 1 suites ran: test_a" in text, text
    assert "no suite executes the line" in text
    text = summarise(results, SetAside(entry("first = 7u;", "first = 8u;")))
    assert "100 %" in text and "It changes nothing." in text, text


def test_the_files_of_the_suite_that_wants_a_server_exist():
    for name in (LINE + ".c",) + LINE_SCRIPTS:
        assert os.path.isfile(os.path.join(TOP, name)), name


def main():
    tests = [(name, value) for name, value in globals().items() if name.startswith("test_")]
    failures = 0
    for number, (name, test) in enumerate(tests, 1):
        sentence = name.removeprefix("test_").replace("_", " ")
        try:
            test()
            print(f"ok {number} - {sentence}")
        except Exception as error:  # pylint: disable=broad-except
            failures += 1
            print(f"not ok {number} - {sentence}")
            for line in f"{type(error).__name__}: {error}".splitlines():
                print("# " + line)
    print(f"1..{len(tests)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

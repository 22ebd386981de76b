#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_history_file.sh: tests .pqt files with histories: pqt log, show, diff, search and save
# read them, FILE@ENTRY names a version in one, and pqt log --output writes one. Only the last tests
# need SQLite.
#
# PQT names the program; the default is ./pqt.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"

golden=$top/test/golden
cp "$golden/history-tree.pqt" plan.pqt
cp "$golden/history-region.pqt" "$golden/history-world.pqt" "$golden/history-document.pqt" .

# line TEXT: checks that the last run succeeded and printed this line, among others.
line()
{
    succeeded && grep -qxF -e "$1" out
}

run log plan.pqt --svg log.svg --check
check "log prints the entries of a file" grep -q '^o 7 l.* time 1e+300, .*, named ünique$' out
check "log prints the current entry" grep -q '^> 2 ✎ draw .* current$' out
check "log draws the tree of a file" is_picture log.svg
run show plan.pqt@5
check "show prints an entry of a file" line "parent   3"
check "show prints the changes of an entry" line "changes  2 added, 1 removed, 1 moved"
run show plan.pqt@one
check "an entry is found by its name" line "entry    1"
run show plan.pqt
check "show prints the current entry by default" line "entry    2, current"
run diff plan.pqt@2 plan.pqt@3
check "diff compares two versions of a file" [ "$status" -eq 1 ]
run search --window=-inf,-inf,inf,inf plan.pqt@1
check "search reads a version of a file" [ "$(wc -l < out)" -eq 2 ]
for kind in region world document; do
    run info "history-$kind.pqt"
    check "info reads a history of ${kind}s" succeeded
    run show "history-$kind.pqt@3"
    check "show reads a history of ${kind}s" line "kind     $kind"
done
run log plan.pqt -o again.pqt
check "log --output writes a file" succeeded
check "a file is written again with the same bytes" cmp -s plan.pqt again.pqt
cp plan.pqt "a@b.pqt"
run show a@b.pqt@1
check "a file with an @ in its name is read" line "entry    1"

# fails WORDS: checks that the last run failed, with one line that has these words.
fails()
{
    [ "$status" -eq 2 ] && [ "$(wc -l < err)" -eq 1 ] && grep -qF -e "$1" err && [ ! -s out ]
}

run show plan.pqt@99
check "an entry that does not exist is an error" fails "plan.pqt: no entry has this number or name (99)"
for command in "save plan.pqt plan.pqt@1" "checkout plan.pqt@1"; do
    # shellcheck disable=SC2086 # words
    run $command
    check "${command%% *} changes no file of a history" \
        fails "plan.pqt: a store is needed, but this file has a history, which is only read"
done
check "such a file is unchanged" cmp -s plan.pqt "$golden/history-tree.pqt"
run log plan.pqt --output -
check "log --output refuses standard output" fails "--output may not be standard output"
run log plan.pqt --output plan.pqt
check "log --output does not replace its input" fails "plan.pqt"
run log plan.pqt --output out.csv
check "log --output refuses another ending" fails "the output is pqt"
head -c 300 plan.pqt > cut.pqt
run log cut.pqt
check "a file that was cut is an error, which names the byte" fails "cut.pqt: byte 300: the data end too early"
{ cat plan.pqt; echo; } > more.pqt
run log more.pqt
check "bytes after a history are an error" fails "bytes follow the history"
sed 's/one/two/' plan.pqt > damaged.pqt
run show damaged.pqt
check "damage is an error, which names the section" fails "section BYTE: the checksum is wrong"
run info - < plan.pqt
check "a history is not read from standard input" fails "expected a tree (TREE), found a history"

run save store.pqts plan.pqt@3
if [ "$status" -eq 2 ] && grep -q 'this build has no SQLite' err; then
    skip "stores as files" "this build has no SQLite"
    finish
    exit
fi
check "save reads a version of a file" succeeded
cp "$golden/history-tree.pqts" tree.pqts
run log tree.pqts --output of-store.pqt
check "log --output writes the history of a store" cmp -s of-store.pqt plan.pqt
run diff tree.pqts@5 of-store.pqt@5
check "a version of the file equals that of the store" [ "$status" -eq 0 ]
run log tree.pqts --output tree.pqts
check "log --output does not replace a store" [ "$status" -eq 2 ]

finish

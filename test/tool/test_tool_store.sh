#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_store.sh: tests stores: pqt save, log, show and checkout, and STORE@ENTRY as an input.
#
# PQT names the program; the default is ./pqt.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"

printf 'id,min_x,min_y,max_x,max_y\n1,0,0,1,1\n2,4,4,5,5\n3,9,9,9,9\n' > a.csv
printf 'id,min_x,min_y,max_x,max_y\n1,0,0,1,1\n2,4,5,5,6\n4,2,2,3,3\n' > b.csv
printf 'id,min_x,min_y,max_x,max_y\n1,0,0,1,1\n' > c.csv

run save plan.pqts a.csv
if [ "$status" -eq 2 ] && grep -q 'this build has no SQLite' err; then
    skip_all "this build has no SQLite"
fi

# printed TEXT: checks that the last run succeeded and printed exactly this line.
printed()
{
    succeeded && [ "$(cat out)" = "$1" ]
}

# line TEXT: checks that the last run succeeded and printed this line, among others.
line()
{
    succeeded && grep -qxF -e "$1" out
}

# rows FILE...: prints the ids of the items in one line.
rows()
{
    "$program" search --window=-inf,-inf,inf,inf "$1" 2>> err | tail -n +2 | cut -d , -f 1 | sort | tr '\n' ' '
}

check "save creates a store" printed 0
run save plan.pqts b.csv --label "Move 2" --name draft --time 5
check "save adds a version after the current one" printed 1
run save plan.pqts b.csv
check "save adds no entry for an equal version" [ "$status" -eq 1 ]
run checkout plan.pqts@0
check "checkout makes an older entry current" printed 0
run save plan.pqts c.csv
check "save after a checkout begins a branch" printed 2
run log --check plan.pqts --svg log.svg
check "log prints the tree of entries" grep -q '^> 2 c.csv  *time 1, .* B, current$' out
cp out logged
check "log prints names" grep -q '1 Move 2 .* time 5, .*, named draft$' out
check "log --svg draws the tree" is_picture log.svg
run show plan.pqts@draft
check "show prints an entry" line "label    Move 2"
check "show prints the changes of an entry" line "changes  1 added, 1 removed, 1 moved"
check "show prints the bytes of a version and those that are new" \
    grep -qxE 'memory   [0-9.]+ k?B, of which [0-9.]+ k?B are new' out
run show plan.pqts
check "show prints the current entry by default" line "entry    2, current"

check "the first entry has the name of its file as label" grep -q ' 0 a.csv  *time 0, ' logged
run save -l 'First one' labelled.pqts a.csv
run show labelled.pqts@0
check "save --label labels the first entry of a store" line "label    First one"

check "any command reads a version by its name" [ "$(rows plan.pqts@draft)" = "1 2 4 " ]
check "any command reads a version by its number" [ "$(rows plan.pqts@0)" = "1 2 3 " ]
check "any command reads the current version" [ "$(rows plan.pqts)" = "1 " ]
run diff --count plan.pqts@0 plan.pqts@draft
check "diff compares two entries" grep -qx 'moved    1' out
run info plan.pqts@0
check "info describes an entry" line "items            3"

# The base of two entries is their last common ancestor.
run merge plan.pqts@0 plan.pqts@draft plan.pqts@2 --resolve ours
cp out merged
check "merge merges three entries" [ "$(cut -d , -f 1 merged | tr '\n' ' ')" = "id 1 2 4 " ]
run merge plan.pqts@draft plan.pqts@2 --resolve ours
check "merge finds the base of two entries" cmp -s out merged
run merge plan.pqts@draft plan.pqts --resolve ours
check "merge finds the base of an entry and the current one" cmp -s out merged
run merge plan.pqts@0 plan.pqts@draft
check "the base of an entry and its successor is the entry" \
    [ "$(cut -d , -f 1 out | tr '\n' ' ')" = "id 1 2 4 " ]
run merge plan.pqts@7 plan.pqts@2
check "merge refuses an unknown entry" refused 'pqt: plan.pqts: no entry has this number or name (7)'
run merge labelled.pqts@0 plan.pqts@2
check "merge refuses entries of two stores without a base" \
    refused 'pqt: no third file is named (- is standard input)'

# The program recognises a store by its content, whatever its name.
cp plan.pqts other@name
check "a name may have an @" [ "$(rows other@name@1)" = "1 2 4 " ]
run save copy.pqts plan.pqts@draft
check "save copies a version from another store" printed 0
check "a version copied from another store is unchanged" [ "$(rows copy.pqts)" = "1 2 4 " ]

# Errors.
run show plan.pqts@7
check "an unknown entry is refused" refused 'pqt: plan.pqts: no entry has this number or name (7)'
run checkout plan.pqts
check "checkout requires an entry" refused 'pqt: plan.pqts: no entry is named (STORE@ENTRY)'
run save plan.pqts@1 a.csv
check "save refuses an entry as its target" refused \
    'pqt: versions are added after the current entry: pqt checkout makes another entry current'
run save plan.pqts c.csv --time -1
check "save refuses a time before that of the last entry" [ "$status" -eq 2 ]
run log a.csv
check "a file that is not a store is refused" \
    refused 'pqt: a.csv: the file is not a store, or is damaged'
run search --window 0,0,9,9 a.csv --output plan.pqts
check "an output cannot replace a store" refused \
    'pqt: plan.pqts: the output would replace a store (pqt save adds to one)'
run save plan.pqts b.csv --name draft
check "save refuses a name that another entry has" refused \
    'pqt: plan.pqts: name: entry 1 already has the name draft'
run save plan.pqts b.csv --name "$(printf 'a\tb')"
check "save refuses a name with control characters" refused \
    'pqt: plan.pqts: name: it is empty, longer than 255 bytes, not UTF-8, or has control characters'
run show plan.pqts
check "save adds no entry if it cannot name it" line "entry    2, current"
check "a store is closed after an error" [ "$(echo plan.pqts*)" = plan.pqts ]
run checkout plan.pqts@7
check "checkout refuses an unknown entry" refused \
    'pqt: plan.pqts: no entry has this number or name (7)'
check "a store is closed if it lacks the entry" [ "$(echo plan.pqts*)" = plan.pqts ]
run save new.pqts b.csv --name ''
check "save refuses a bad name in a new store" [ "$status" -eq 2 ]
check "and makes no store" [ ! -e new.pqts ]
run save new.pqts b.csv --name draft
check "save names the first entry of a store" [ "$(rows new.pqts@draft)" = "1 2 4 " ]
run save plan.pqts nothing.csv
check "save refuses a missing file" [ "$status" -eq 2 ]
head -c 3000 plan.pqts > cut.pqts
run log cut.pqts
check "a truncated store is refused" refused 'pqt: cut.pqts: the file is not a store, or is damaged'

# refused_for TEXT: checks that the last run ended with status 2 and named this.
refused_for()
{
    [ "$status" -eq 2 ] && grep -q -e "$1" err
}

# nothing_changed: checks that nothing was written through a link.
nothing_changed()
{
    cmp -s victim.csv b.csv && cmp -s plan.pqts before.pqts && [ ! -e nowhere ]
}

# Links at the names of the files that belong to a store.
cp plan.pqts before.pqts
cp b.csv victim.csv
for suffix in -writer -wal -shm -journal; do
    for link in 'ln -s victim.csv' 'ln victim.csv' 'ln -s plan.pqts' 'ln -s nowhere' mkfifo mkdir; do
        # shellcheck disable=SC2086 # the command and its words
        $link "plan.pqts$suffix"
        run save plan.pqts b.csv
        check "save refuses $suffix after $link" refused_for "$suffix"
        check "and changes nothing" nothing_changed
        rm -rf "plan.pqts$suffix"
    done
    run search --window 0,0,9,9 a.csv --output "plan.pqts$suffix"
    check "an output cannot replace the file $suffix of a store" refused \
        "pqt: plan.pqts$suffix: the output would replace a file that belongs to a store"
done
ln plan.pqts second.pqts
run save plan.pqts a.csv
check "save refuses a store with two names" refused \
    'pqt: plan.pqts: the store has 2 names, one of them second.pqts, and can only be read'
check "a store with two names is read" [ "$(rows second.pqts@draft)" = "1 2 4 " ]
rm second.pqts

# with_output_held COMMAND...: runs a command whose output is a full pipe, so that it waits when it
# has something to print. Its number is in the file pid.
with_output_held()
{
    rm -f go pid
    mkfifo go
    # shellcheck disable=SC2016 # the inner shell expands it
    sh -c 'echo $$ > pid; head -c 65536 /dev/zero; exec "$@"' sh "$@" 2> err |
        { cat go > late; cat > /dev/null; } &
}

# is_a_store NAME WHEN: checks that the commands recognise the store.
is_a_store()
{
    run info "$1@0"
    check "info reads it $2" line "items            3"
    check "search reads it $2" [ "$(rows "$1@0")" = "1 2 3 " ]
    run draw "$1@0" -o drawn.svg
    check "draw reads it $2" is_picture drawn.svg
    printf 'show\n' > ops
    run history --script ops "$1@0"
    check "history reads it $2" succeeded
    run diff --count "$1@0" b.csv
    check "diff reads it $2" grep -qx 'moved    1' out
    run search --window 0,0,9,9 b.csv -o "$1"
    check "no output replaces it $2" refused \
        "pqt: $1: the output would replace a store (pqt save adds to one)"
}

# The store is in its first session, and its only entry is in the log.
with_output_held "$program" save live.pqts a.csv
tries=0
while [ "$tries" -lt 600 ] && ! "$program" info live.pqts@0 > /dev/null 2>&1; do
    tries=$((tries + 1))
    sleep 0.1
done
is_a_store live.pqts "while its first writer has it open"
run save live.pqts b.csv
check "a second writer waits for nobody" grep -q 'the store is locked by process' err
kill -9 "$(cat pid)"
: > go
wait
is_a_store live.pqts "when its first writer was killed"
run save live.pqts b.csv
check "the next writer adds to it" printed 1

# A file of no bytes with a lock is a store that is being made.
: > begun.pqts
echo 'process 1 on another machine' > begun.pqts-writer
for command in info log show 'draw -o drawn.svg' 'search --window 0,0,9,9' 'diff a.csv'; do
    # shellcheck disable=SC2086 # the command and its options
    run $command begun.pqts
    check "$command says that a store is being made" refused \
        'pqt: begun.pqts: the store has no contents yet; begun by process 1 on another machine'
done
run search --window 0,0,9,9 a.csv -o begun.pqts
check "no output replaces it" refused \
    'pqt: begun.pqts: the output would replace a store (pqt save adds to one)'
run save begun.pqts a.csv
check "save makes it after its first writer has died" printed 0
check "the store is correct after these errors" [ "$("$program" log --check plan.pqts | grep -c .)" -eq 5 ]
finish

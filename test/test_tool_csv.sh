#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_csv.sh - CSV from one command into the next: sets without items, and what is printed.
#
# PQT names the program; else it is ./pqt.

top=$(cd "$(dirname "$0")/.." && pwd) || exit 1
# shellcheck source=test/tool.sh
. "$top/test/tool.sh"

# A header alone is a set without items, to every command that reads CSV.

printf 'id,name,x,y\n' > empty.csv
printf 'id,name,x,y' > unended.csv
printf 'id,name,x,y\n1,cat,1,1\n2,dog,2,2\n' > two.csv

# answers STATUS OUTPUT ARGUMENT...: the command ends so and prints this, a format of printf, without a word
# on standard error.
answers()
{
    expected_status=$1
    # shellcheck disable=SC2059 # a format
    printf "$2" > expected
    shift 2
    run "$@"
    check "pqt $*" printed "$expected_status"
}

# printed STATUS: the last run ended so, and printed what is expected.
printed()
{
    [ "$status" -eq "$1" ] && cmp -s expected out && [ ! -s err ]
}

# lacks PATTERN FILE
lacks()
{
    ! grep -qE "$1" "$2"
}

# fact NAME: what the last info said of it.
fact()
{
    sed -n "s/^$1  *//p" out
}

for file in empty.csv unended.csv; do
    run info $file
    check "info of no rows succeeds: $file" succeeded
    check "and counts none: $file" test "$(fact rows)$(fact items)$(fact points)" = 000
    check "and prints no number that is none: $file" lacks 'nan|inf' out
    run draw $file -o drawn.svg
    check "draw of no items succeeds: $file" succeeded
    check "and draws a picture: $file" is_picture drawn.svg
    check "without items: $file" lacks '^<path class="items( dot)?" ' drawn.svg
done
run info --bounds 0,0,9,9 empty.csv
check "info of no rows in given bounds" test "$status $(fact bounds)" = "0 0, 0 .. 9, 9"
for window in 0,0,1,1 -inf,-inf,inf,inf 0,0,0,0; do
    run draw empty.csv -w "$window" -o drawn.svg
    check "draw of a window, and no items: $window" succeeded
    check "is a picture: $window" is_picture drawn.svg
    answers 1 '0\n' search -c -w "$window" empty.csv
done
answers 1 '0\n' pairs -c empty.csv
answers 1 '0\n' pairs -c empty.csv two.csv
answers 1 '0\n' pairs -c two.csv empty.csv
head='change,id,old_name,old_x,old_y,new_name,new_x,new_y\n'
answers 0 "$head" diff empty.csv empty.csv
answers 0 "$head" diff empty.csv unended.csv
answers 1 "${head}added,1,,,,cat,1,1\nadded,2,,,,dog,2,2\n" diff empty.csv two.csv
answers 1 "${head}removed,1,cat,1,1,,,\nremoved,2,dog,2,2,,,\n" diff two.csv empty.csv
answers 1 'added    0\nremoved  2\nmoved    0\nchanged  0\n' diff -c two.csv empty.csv
answers 0 'id,name,x,y\n' merge empty.csv empty.csv empty.csv
answers 0 'id,name,x,y\n1,cat,1,1\n2,dog,2,2\n' merge empty.csv two.csv empty.csv
answers 0 'id,name,x,y\n' merge two.csv two.csv empty.csv
cp out merged.csv
run info merged.csv
check "what merge writes without rows is read again" test "$status $(fact items)" = "0 0"
for command in "nearest -p 1,1" "nearest -p 1,1 -k 3 --max 5" "ray --from 0,0 --to 1,1 --all" "pairs" \
    "pairs two.csv" "diff empty.csv" "merge empty.csv empty.csv"; do
    # shellcheck disable=SC2086 # words
    run $command empty.csv --svg drawn.svg
    check "pqt $command empty.csv draws" is_picture drawn.svg
    check "and says nothing of an error" test ! -s err
done
printf 'insert 5 1 1\nundo\nshow\nchanged 0 0 2 2\nitem 5\nbetween 0 1\ncontent 0 0 2 2\n' > ops
run history empty.csv --script ops --svg drawn.svg
check "a history may begin without items" succeeded
check "and is drawn" is_picture drawn.svg
: > ops
run history empty.csv --script ops
check "and may stay without" succeeded
mkdir data
printf 'lon,lat\n' > data/cities.csv
printf 'min_x,min_y,max_x,max_y\n' > data/countries.csv
for edits in 0 300; do
    run demo --data data --edits $edits -o drawn.svg
    check "the demo with no data and $edits edits passes its checks" succeeded
    check "and prints no number that is none" lacks 'nan|inf' out
    check "and draws" is_picture drawn.svg
done
finish

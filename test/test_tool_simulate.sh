#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_simulate.sh: pqt simulate: its report, rows and picture, and its errors.
#
# PQT names the program; the default is ./pqt. Speeds are not tested.

top=$(cd "$(dirname "$0")/.." && pwd) || exit 1
# shellcheck source=test/tool.sh
. "$top/test/tool.sh"
# shellcheck disable=SC2034 # for run
subcommand=simulate

# is_refused MESSAGE ARGUMENT...
is_refused()
{
    message=$1
    shift
    run "$@"
    check "$* is refused" refused "pqt: $message"
}

# reports FILE LINE...: the last run succeeded, and each line is in the report in this file.
reports()
{
    file=$1
    shift
    [ "$status" -eq 0 ] || return 1
    for line in "$@"; do
        grep -qE "^$line\$" "$file" || return 1
    done
}

# same_lines PATTERN FILE FILE: both files have equal matching lines.
same_lines()
{
    grep -E "$1" "$2" > these
    grep -E "$1" "$3" > those
    [ -s these ] && cmp -s these those
}

# differs FILE FILE: the last run succeeded, and the files differ.
differs()
{
    [ "$status" -eq 0 ] && ! cmp -s "$1" "$2"
}

# is_within ROWS WIDTH HEIGHT: all boxes are in the box from 0, 0 to WIDTH, HEIGHT.
is_within()
{
    [ "$status" -eq 0 ] && awk -F, -v width="$2" -v height="$3" \
        'NR > 1 && ($1 < 0 || $2 < 0 || $3 > width || $4 > height) { bad = 1 } END { exit bad }' "$1"
}

# is_whole FILE BALLS: the picture is complete, with a circle and a trail for each ball.
is_whole()
{
    [ "$(tail -n 1 "$1")" = "</svg>" ] && [ "$(grep -c '<circle class="ball"' "$1")" -eq "$2" ] &&
        grep -q 'class="trail"' "$1" && grep -q 'class="cells"' "$1"
}

is_refused "--balls is not a whole number from 1 to 1000000 (0)" --balls 0
is_refused "--balls is not a whole number from 1 to 1000000 (-3)" --balls=-3
is_refused "--steps is not a whole number from 0 to 10000000 (1e3)" --steps 1e3
is_refused "--dt is not greater than 0 (0)" --dt 0
is_refused "--dt is not a number >= 0 (-1)" --dt=-1
is_refused "--dt is not a number >= 0 (nan)" --dt nan
is_refused "--dt is not finite (inf)" --dt inf
is_refused "--seed is not a whole number from 0 to 9223372036854775807 (x)" --seed x
is_refused "--keep is not all, or a whole number from 1 to 10000000 (0)" --keep 0
is_refused "--keep is not all, or a whole number from 1 to 10000000 (some)" --keep some
is_refused "unexpected argument (world.csv)" world.csv
is_refused "--svg may not be standard output, which has the report (-)" --svg -
is_refused "x.out: output is named twice (--csv and --svg)" --csv x.out --svg x.out
run --balls 5 --steps 5 --svg none/x.svg
check "a picture that cannot be written is an error" [ "$status" -eq 2 ]

number='[1-9][0-9,]*'
run --balls 60 --steps 40 --keep all --svg a.svg --csv a.csv
check "all versions are kept and verified" reports out 'balls +60 in 80 x 80, seed 1' \
    'steps +40 of 0.01 s' "collisions +$number of two balls, $number with walls, 0 plastic, 0 bodies delayed" \
    'energy +[0-9.e+]+, relative drift (-?[0-9.]+e-1[0-9]|0.0e\+00)' \
    'versions kept +41' 'bytes a version +.*B; the first .*B' \
    'rewind +to [0-9]+ random steps, .*, 0 wrong'
check "standard error is empty" [ ! -s err ]
check "the picture is complete" is_whole a.svg 60
check "there is a row for each ball" [ "$(wc -l < a.csv)" -eq 61 ]
cp out kept-all

run --balls 60 --steps 40 --keep 7 --csv -
check "rows go to standard output" cmp -s out a.csv
check "the report then goes to standard error" reports err 'versions kept +7' \
    'rewind +to [0-9]+ random steps, .*, 0 wrong'
check "--keep does not change the run" same_lines '^(collisions|energy|momentum|tests)' err kept-all

run --balls 60 --steps 40 --seed 2 --csv b.csv
check "another seed is another run" differs a.csv b.csv
"$program" nearest --point 40,40 a.csv > out 2> err
status=$?
check "the other commands read the rows" [ "$status-$(wc -c < err)" = 0-0 ]

run --balls 1 --steps 0
check "a run may have no steps" reports out 'steps +0 of 0.01 s' 'versions kept +1' \
    'bytes a version +the first .*B' \
    'rewind +to [0-9]+ random steps, .*, 0 wrong'
run --balls 5 --steps 4 --svg short.svg
check "the last kept version is counted" reports out 'versions kept +2' \
    'bytes a version +[1-9][0-9,]* B; the first .*B'
check "the key explains its trails" grep -q '>the last 4 steps<' short.svg
run --balls 5 --steps 1 --svg short.svg
check "a single step has a key too" grep -q '>the last step<' short.svg
run --balls 5 --steps 1 --dt 1e300
check "a step that is too long is refused" \
    refused "pqt: dt is 1e+300, must be above 0 and at most 1.6069380442589903e+60"
run --balls 40 --steps 3 --dt 5 --csv c.csv
check "long steps keep all balls in the box" is_within c.csv 70 60

# A run that starts from the world of another run continues it.

run --balls=50 --steps=20 --csv=middle.pqt
run --world=middle.pqt --steps=20 --csv=end.pqt
check "a run starts from a world" test "$status" -eq 0
run --balls=50 --steps=40 --csv=whole.pqt
check "two runs make the world of one" cmp end.pqt whole.pqt
run --world=middle.pqt --balls=3
check "a world has its own balls" refused \
    "pqt: --world has balls and an obstacle of its own (--balls)"
finish

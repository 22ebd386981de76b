#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_progress.sh: tests what long work shows on a terminal, and that scripts see none of it.
#
# PQT names the program; the default is ./pqt.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"
PQT_PROGRESS_DELAY=0 TERM=xterm
export PQT_PROGRESS_DELAY TERM
unset NO_COLOR
awk 'BEGIN { print "id,x,y"; for (i = 0; i < 30000; i++) print i "," i % 173 "," i % 179 }' > items.csv

# in_terminal COMMAND: runs a line of the shell in a terminal of 80 columns. Sets $status, and stores
# what it shows in `out`, with a line for each time that the line on the terminal begins again.
in_terminal()
{
    script -qec "stty cols ${columns:-80}; $1" typescript > shown < /dev/null
    status=$?
    tr '\r' '\n' < shown > out
    : > err
}

# shows PATTERN: checks that a line of the terminal matched an extended regular expression.
shows()
{
    [ "$status" -eq 0 ] && grep -qE "$1" out
}

# is_plain: checks that the output has no escape sequence apart from the one that erases the rest of
# a line.
is_plain()
{
    escape=$(printf '\033')
    sed "s/$escape\[K//g" out > rest
    ! grep -q "$escape" rest
}

run info items.csv
check "no progress appears if standard error is no terminal" succeeded
if ! script -qec true typescript > /dev/null 2>&1 < /dev/null; then
    skip "progress on a terminal" "script of util-linux is not installed"
    finish
    exit
fi

in_terminal "'$program' info items.csv"
check "reading shows a bar, the size and the time left" \
    shows '^reading \[#*\.*\] +[0-9]+ % of [0-9.]+ kB, [0-9]+ s left'
check "the bar has 30 characters" shows '^reading \[[#.]{30}\]'
check "building shows a bar, the items and the time left" \
    shows '^building \[#*\.*\] +[0-9]+ % of 30,000, [0-9]+ s left'
check "the line is erased" [ "$(tail -n +2 out | grep -c "^$(printf '\033')\[K")" -ge 2 ]
check "the output follows" shows '^items  *30,000'
check "nothing is coloured" is_plain

in_terminal "cat items.csv | '$program' info -"
check "a pipe shows the bytes that were read" shows '^reading [0-9.]+ k?B'
columns=44 in_terminal "'$program' info items.csv"
check "a narrow terminal gets a shorter bar" shows '^reading \[[#.]{5,12}\] '
columns=24 in_terminal "'$program' info items.csv"
check "a narrower one gets none" shows '^reading +[0-9]+ % of '
check "and no line is wrapped" [ "$(grep -E '^(reading|building)' out | tr -d '\033' | awk '{ sub(/\[K/, ""); if (length > most) most = length } END { print most }')" -le 23 ]

in_terminal "'$program' stress --seconds 1 --items 100"
check "a test of a given time shows the time left" shows '^testing \[[#.]{30}\] +[0-9]+ %, [0-9]+ s left'

# shows_none COMMAND: checks that a command shows its output alone.
shows_none()
{
    in_terminal "$1"
    [ "$status" -eq 0 ] && ! grep -qE 'reading|building' out && grep -q 30,000 out
}
check "--quiet shows no progress" shows_none "'$program' info --quiet items.csv"
check "-q shows no progress" shows_none "'$program' info -q items.csv"
check "a dumb terminal shows no progress" shows_none "TERM=dumb '$program' info items.csv"
check "progress waits for its delay" shows_none "PQT_PROGRESS_DELAY=1000 '$program' info items.csv"
check "redirected errors show no progress" shows_none "'$program' info items.csv 2> errors"
check "and are empty" [ ! -s errors ]

in_terminal "'$program' info items.csv none.csv"
check "an error is a line of its own" [ "$status-$(grep -c '^pqt: ' out)" = 2-1 ]
printf 'id,x,y\n1,2\n' > bad.csv
in_terminal "'$program' info bad.csv"
check "an error erases the progress first" [ "$status" -eq 2 -a "$(grep -c 'pqt: bad.csv:2: ' out)" = 1 ]
finish

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_history.sh: tests pqt history: scripts, their output and errors, and pictures.
#
# PQT names the program; the default is ./pqt.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"

printf 'id,x,y,name\n1,1,1,cat\n2,5,5,dog\n3,9,1,owl\n' > f.csv

# run OPS [ARGUMENT...]: runs a script. OPS is a printf format.
run()
{
    # shellcheck disable=SC2059 # a format
    printf "$1" > ops
    shift
    "$program" history f.csv --script ops "$@" > out 2> err
    status=$?
}

# says TEXT: checks that the last run succeeded and printed these lines, ignoring the bytes and the
# last line.
says()
{
    printf '%s\n' "$1" > expected
    sed -e '/^[0-9]* entr/d' -e 's/, [0-9.,]* k*B//' -e 's/   *time/ time/' out > got
    [ "$status" -eq 0 ] && [ ! -s err ] && cmp -s expected got
}

# refuses NAME OPS MESSAGE: checks that the script ends with this error.
refuses()
{
    run "$2"
    printf 'pqt: ops:%s\n' "$3" > expected
    if [ "$status" -eq 2 ] && cmp -s expected err; then
        pass "$1"
    else
        fail "$1"
        sed 's/^/# /' err | head -n 5
    fi
}

# ---- Scripts ----

run ''
check "an empty script keeps the file's items" says '> 0 (first) time 0, current, saved'

run 'insert 7 4 4\nmove 1 2 2\nundo\nremove 2 # a branch\n'
check "an edit after an undo starts a branch" says '* 0 (first) time 0, saved
* 1 insert 7 time 1
|-o 2 move 1 time 2
> 3 remove 2 time 3, current'

run '\357\273\277move 1 2 2\r\n'
check "a byte-order mark and CRLF line ends are accepted" says '* 0 (first) time 0, saved
> 1 move 1 time 1, current'

run 'drag 1 2 2\ndrag 1 3 3\ndrag 2 6 6\nsave\ndrag 2 7 7\n'
check "moves of one item are one entry until a save" says '* 0 (first) time 0
* 1 drag 1 time 2
* 2 drag 2 time 3, saved
> 3 drag 2 time 4, current'

run 'begin Align all\nmove 1 1 5\nbegin inner\nmove 3 9 5\nend\nend\nbegin x\nremove 1\ncancel\n'
check "a group is one entry, and a cancelled group is none" says '* 0 (first) time 0, saved
> 1 Align all time 2, current'

run 'insert 7 4 4\nname 1 draft one\nundo\nredo 1\ninsert 8 1 1 2 3\nundo 2\ngo 1\n'
check "undo, redo and go change the current entry" says '* 0 (first) time 0, saved
> 1 insert 7 time 1, current, named draft one
o 2 insert 8 time 2'

run 'insert 7 4 4\nname 1 draft\nundo\ngo draft\n'
check "go finds an entry by its name" says '* 0 (first) time 0, saved
> 1 insert 7 time 1, current, named draft'

# The output shows the parents: 2 and 3 follow 1, 5 follows 4, 6 follows 5.
run 'move 1 1 2\nmove 1 1 3\nundo\nmove 1 1 4\nundo\nmove 1 1 5\nmove 1 1 6\nmove 1 1 7\ngo 4\nmove 1 1 8\n'
check "the largest branch continues in the column of its parent" says '* 0 (first) time 0, saved
* 1 move 1 time 1
|-o 2 move 1 time 2
|-o 3 move 1 time 3
* 4 move 1 time 4
|-> 7 move 1 time 7, current
o 5 move 1 time 5
o 6 move 1 time 6'

# A long path with a leaf at each entry must have narrow rows.
awk 'BEGIN { for (i = 1; i <= 3000; i++) print "move 1 2 " i "\nmove 2 2 " i "\nundo" }' > many
"$program" history f.csv --script many > out 2> err
status=$?
check "many branches take few columns" \
    [ "$status $(awk '/time/ && length < 100' out | wc -l)" = "0 6001" ]

run 'time 10\nmove 1 2 2\ntime 20\nmove 1 3 3\ntime 30\nmove 1 4 4\ndrop 2\n'
check "the children of a dropped entry become children of its parent" \
    says '* 0 (first) time 0, saved
* 1 move 1 time 10
> 3 move 1 time 30, current'

run 'insert 7 4 4\ninsert 8 4 4\nundo 2\ninsert 9 1 1\nprune 1\n'
check "a branch can be pruned" says '* 0 (first) time 0, saved
> 3 insert 9 time 3, current'

: > many
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do echo "move 1 $i $i" >> many; done
"$program" history f.csv --script many --limit 8 > out 2> err
status=$?
check "a script succeeds with a limit" [ "$status" -eq 0 ]
check "the history stays within a limit" [ "$(grep -c time out)" -le 8 ]

# ---- Queries ----

run 'move 1 2 2\nmove 1 1 1\nmove 3 8 8\nshow\ncontent 0 0 2 2 1\ncontent -inf -inf inf inf\nchanged 2 2 2 2\nchanged 5 5 5 5\nitem 1\nitem 2\nitem 9\nbetween 0 9\nbetween 9 2\n'
grep -v -e time -e '^[0-9]* entr' out > got
cat > expected <<'END'
content 0,0,2,2 at entry 1: 1
content -inf,-inf,inf,inf at entry 3: 3 1 2
changed 5,5,5,5: never
first: item 1 is present
first: item 2 is present
first: item 9 is absent
between 0 and 9:
item 3 moved from 9,1 to 8,8
between 9 and 2:
item 3 moved from 8,8 to 9,1
END
sort expected > a
sort got > b
check "queries of content and changes are answered" cmp -s a b
check "a change that was reverted is a change" grep -q '^changed 2,2,2,2: entry 2 (move 1), time 2$' out
check "the changes of an item are listed newest first" \
    [ "$(grep -n '^entry' out | sed 's/^[0-9]*://')" = "entry 2, time 2: item 1 moved from 2,2 to 1,1
entry 1, time 1: item 1 moved from 1,1 to 2,2" ]
check "show prints the tree during the script" [ "$(grep -c '(first)' out)" -eq 2 ]

# ---- Pictures ----

run 'insert 7 4 4\nmove 1 2 2\nundo\nremove 2\nbegin <&"\nmove 1 3 3\nend\n' --svg h.svg
check "history --svg draws a picture" [ "$status" -eq 0 ]
check "the picture of a history has a text for each entry" \
    [ "$(grep -c 'insert 7\|move 1\|remove 2' h.svg)" -ge 1 ]
if command -v xmllint > /dev/null; then
    check "the picture of a history is well-formed XML" xmllint --noout h.svg
fi
check "labels are escaped in the picture" grep -q '&lt;&amp;' h.svg
awk 'BEGIN { for (i = 1; i <= 1000; i++) print "move 1 2 " i; print "undo 500\nmove 1 1 1\nname 3 third" }' > many
"$program" history f.csv --script many --svg many.svg > out 2> err
status=$?
check "the picture of a long history shows marks and forks" \
    [ "$status $(grep -o '>[^<]* entries<' many.svg | tr -dc '0-9\n' | tr '\n' ' ')" = "0 496 498 " ]
check "history --svg without show prints nothing" [ "$(grep -c '<text' many.svg)" -lt 30 ]
run 'undo\n' --svg new.svg
check "a script that fails leaves no picture" [ ! -e new.svg ]

# ---- Texts of items ----

run 'get 1\nset 1 name tom cat\nget 1\nremove 1\nundo\nget 1\nundo\nget 1\n'
check "undo restores the texts of an item" says 'get 1: name = cat
get 1: name = tom cat
get 1: name = tom cat
get 1: name = cat
> 0 (first) time 0, current, saved
o 1 set 1 time 1
o 2 remove 1 time 2'

run 'set 2 name\nget 2\ninsert 7 4 4\nget 7\n'
check "a text can be removed, and a new item has no text" says 'get 2
get 7
* 0 (first) time 0, saved
* 1 set 2 time 1
> 2 insert 7 time 2, current'

printf 'id,x,y,name,name,items,\n1,1,1,a,b,c,d\n' > odd.csv
printf 'get 1\n' > ops
"$program" history odd.csv --script ops > out 2> err
check "columns with a repeated or empty name are left out" grep -qx 'get 1: name = a' out

# ---- Errors and their lines ----

refuses "a column that does not exist" 'set 1 colour red\n' '1: no column has this name (colour)'
refuses "the items as a column" 'set 1 items red\n' '1: no column has this name (items)'
refuses "a column that is missing" 'set 1\n' '1: column is missing'

refuses "an unknown command" '\n# nothing\nfly 7\n' '3: unknown command (fly)'
refuses "undo at the first" 'undo\n' '1: there is nothing to undo (0 done)'
refuses "undo of too many" 'move 1 2 2\nundo 3\n' '2: there is nothing to undo (1 done)'
refuses "redo at the tip" 'redo\n' '1: there is nothing to redo (0 done)'
refuses "undo in a group" 'move 1 2 2\nbegin a\nundo\n' '3: there is nothing to undo (0 done)'
refuses "going in a group" 'begin a\ngo 0\n' '2: entry 0: checkout is not possible while a group is open'
refuses "an unknown entry" 'go 5\n' '1: entry 5: the history has no entry with this number'
refuses "an unknown name" 'go there\n' '1: no entry has this name (there)'
refuses "a name that is taken" 'name 0 a\nmove 1 2 2\nname 1 a\n' '3: name: entry 0 already has the name a'
refuses "an end without a group" 'end\n' '1: no group is open'
refuses "a cancel without a group" 'cancel\n' '1: no group is open'
refuses "a group that stays open" 'begin a\nbegin b\nmove 1 2 2\nend\n' '1: the group is still open'
refuses "one after a cancel" 'begin a\nbegin b\ncancel\nbegin c\n' '4: the group is still open'
refuses "a label that is missing" 'begin\n' '1: label is missing'
refuses "dropping the current" 'move 1 2 2\ndrop 1\n' '2: entry 1: it is current and cannot be dropped'
refuses "an item that is there" 'insert 1 0 0\n' '1: an item with this id already exists (1)'
refuses "an item that does not exist" 'move 9 0 0\n' '1: no item has this id (9)'
refuses "a number that is none" 'move 1 two 0\n' '1: x is not a number (two)'
refuses "a number that is not finite" 'insert 9 inf 0\n' '1: x is not a finite number (inf)'
refuses "a number that is missing" 'move 1 2\n' '1: y is missing'
refuses "text in place of an id" 'remove cat\n' '1: id is not a whole number from 0 to 18446744073709551615 (cat)'
refuses "an inverted box" 'insert 9 4 4 3 5\n' '1: item 0: box is inverted (x 4 > 3)'
refuses "an inverted window" 'changed 4 4 3 5\n' '1: box is inverted (4 > 3)'
refuses "a word too many" 'save now\n' '1: unexpected word (now)'
refuses "a time that goes back" 'time 5\nmove 1 2 2\ntime 4\nmove 1 3 3\n' \
    '4: time is 4, before that of the current entry, 5'
refuses "a time before the first" 'content 0 0 1 1 -1\n' '1: time is before the first entry (-1)'
refuses "a zero byte" 'undo\000\n' '1: the line has a zero byte, so the file is not UTF-8 text'

"$program" history f.csv > out 2> err
status=$?
check "a script is required" grep -q '^pqt: no script is given (--script OPS)$' err
"$program" history f.csv --script none > out 2> err
check "a script must exist" grep -q '^pqt: none: cannot be opened' err
"$program" history - --script - < f.csv > out 2> err
check "standard input cannot be both the file and the script" \
    grep -q '^pqt: standard input is named twice (-)$' err
run 'save\n' --svg ops
check "the picture cannot replace the script" grep -q 'output is also an input' err
head -c 5000 /dev/zero | tr '\0' a > ops
"$program" history f.csv --script ops > out 2> err
check "a line that is too long is refused" grep -q '^pqt: ops:1: line is longer than 4096 bytes' err

finish

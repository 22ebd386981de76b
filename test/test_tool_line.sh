#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_line.sh: tests lines: pqt push, pull, follow and save, and ADDRESS@NUMBER as an input.
# It starts a PostgreSQL server.
#
# PQT names the program; the default is ./pqt.

top=$(cd "$(dirname "$0")/.." && pwd) || exit 1

if [ -z "${PQT_TEST_POSTGRESQL:-}" ]; then
    # shellcheck source=test/tap.sh
    . "$top/test/tap.sh"
    if "${PQT:-./pqt}" log 'postgresql:///x?host=/nowhere#x' 2>&1 | grep -q 'this build has no'; then
        skip_all "this build has no PostgreSQL"
    fi
    "$top/test/with_postgresql" "$0"
    status=$?
    if [ "$status" -eq 77 ]; then
        skip_all "PostgreSQL is not installed"
    fi
    exit "$status"
fi

# shellcheck source=test/tool.sh
. "$top/test/tool.sh"

line=$PQT_TEST_BOB#plan
printf 'id,min_x,min_y,max_x,max_y\n1,0,0,1,1\n2,4,4,5,5\n3,9,9,9,9\n' > a.csv
printf 'id,min_x,min_y,max_x,max_y\n1,0,0,1,1\n2,4,5,5,6\n4,2,2,3,3\n' > b.csv
printf 'id,min_x,min_y,max_x,max_y\n1,0,0,1,1\n' > c.csv
printf 'id,min_x,min_y,max_x,max_y\n1,0,0,1,1\n2,4,5,5,6\n4,2,2,3,3\n7,7,7,8,8\n' > d.csv
printf 'id,min_x,min_y,max_x,max_y\n1,5,5,6,6\n' > e.csv

printf 'id,min_x,min_y,max_x,max_y\n1,8,8,9,9\n7,7,7,8,8\n' > f.csv

# printed TEXT: checks that the last run succeeded and printed exactly this line.
printed()
{
    succeeded && [ "$(cat out)" = "$1" ]
}

# ended STATUS TEXT: checks that the last run ended with this status, and printed this line on
# standard output or standard error.
ended()
{
    [ "$status" -eq "$1" ] && grep -qF -e "$2" out err
}

# failed TEXT: checks that the last run ended with status 2, and printed one line on standard error
# that contains this text.
failed()
{
    [ "$status" -eq 2 ] && [ ! -s out ] && [ "$(wc -l < err)" -eq 1 ] && grep -qF -e "$1" err
}

# ids FILE: prints the ids of its items in one line.
ids()
{
    "$program" search --window=-inf,-inf,inf,inf "$1" 2>> err | tail -n +2 | cut -d , -f 1 | sort | tr '\n' ' '
}

run save ada.pqts a.csv
if [ "$status" -eq 2 ] && grep -q 'this build has no SQLite' err; then
    skip_all "this build has no SQLite"
fi
run save ada.pqts b.csv --label "Move 2"
run push ada.pqts "$line" --author Ada
check "a push makes the line, with all versions on the path" printed 2
run push ada.pqts "$line"
check "a second push has nothing to do" ended 1 2
run log "$line"
check "the log has the versions, their authors and labels" grep -qE '^ +2 .* Ada +Move 2$' out
run log --check "$line"
check "all versions pass their check" ended 0 "of changes"
run show "$line"
check "show prints the version, its role and its changes" ended 0 "1 added, 1 removed, 1 moved"
check "show prints the role" grep -qx 'role     bob' out
run show "$line@1"
check "show takes a number" ended 0 "items    3"

run pull "$line" bob.pqts
check "a pull makes a store with all versions" printed 1
check "the store has the newest version" [ "$(ids bob.pqts)" = "1 2 4 " ]
check "the store has the version before" [ "$(ids bob.pqts@0)" = "1 2 3 " ]
run pull "$line" bob.pqts
check "a second pull has nothing to do" ended 1 1

run save bob.pqts c.csv
run push bob.pqts "$line"
check "a store that pulled can push" printed 3
run save ada.pqts d.csv
run push ada.pqts "$line"
check "a store that lacks versions cannot push" ended 1 "the line has versions that the store lacks"
check "and nothing is pushed" [ "$(ids "$line")" = "1 " ]
run pull "$line" ada.pqts
check "a pull merges" printed 4
check "the merge has the changes of both" [ "$(ids ada.pqts)" = "1 7 " ]
check "the versions of the line are in the store" [ "$(ids ada.pqts@3)" = "1 " ]
run push ada.pqts "$line"
check "the merge can be pushed" printed 4
run save bob.pqts e.csv
run push bob.pqts "$line" --merge
check "a push can merge" printed 5
check "the newest version has the changes of both" [ "$(ids "$line")" = "1 7 " ]

run save ada.pqts f.csv
run push ada.pqts "$line" --merge
check "a conflict is named, and nothing is pushed" failed "#plan: "
check "after a conflict the line is as it was" [ "$(ids "$line")" = "1 7 " ]

run diff "$line@1" "$line@2"
check "diff compares versions of a line" ended 1 "2"
run follow
check "follow needs an address" failed "no address of a line is given (postgresql://...#NAME)"
run follow "$line@1" --count 3
check "follow prints the versions after one" [ "$(cut -c 1 out | tr '\n' ' ')" = "2 3 4 " ]
"$program" follow "$line" --count 2 --output newest.pqt > followed 2>&1 &
follower=$!
tries=0
while [ "$tries" -lt 6000 ] && ! grep -q '^5 ' followed; do
    tries=$((tries + 1))
    sleep 0.1
done
run pull "$line" third.pqts
run save third.pqts a.csv --label "All back"
run push third.pqts "$line" --author Cleo
wait "$follower"
check "follow prints a version when it is pushed" grep -qx '6  All back  (Cleo)  3 items' followed
check "follow writes the newest version" [ "$(ids newest.pqt)" = "1 2 3 " ]
run follow "$PQT_TEST_ALICE#nothing" --seconds 0
check "following a line without versions ends with its time" [ "$status" -eq 1 ]

run push ada.pqts "$PQT_TEST_ALICE#plan" --merge
check "a reader may not push" ended 2 "permission denied for table version"
run push ada.pqts nonsense
check "an address is recognised" failed "the second argument is not the address of a line, postgresql://...#NAME (nonsense)"
run pull nonsense ada.pqts
check "a pull needs an address" failed "the first argument is not the address of a line, postgresql://...#NAME (nonsense)"
run follow nonsense
check "following needs an address" failed "the argument is not the address of a line, postgresql://...#NAME (nonsense)"
run show "$line@99"
check "a number that is not there is named" failed "#plan: the line has no version 99"
run show "$line@x"
check "a number that is none is named" failed "#plan@x: the text after @ is not the number of a version (x)"
run show "$line@"
check "nothing after @ is the newest version" ended 0 "version  6"
run push bob.pqts "$line@2"
check "a push after an older version is refused" failed "#plan@2: versions are added after the newest one, so this address may have no @NUMBER"
run studio "$line@2"
if [ "$status" -eq 2 ] && grep -q 'this build has no' err; then
    skip "the studio refuses it, too" "this build has no web server"
else
    check "the studio refuses it, too" failed "#plan@2: versions are added after the newest one"
fi
run push bob.pqts "$PQT_TEST_BOB#me@home"
check "a name with @ is not taken for a number" failed "#me@home: the text after @ is not the number of a version (home); if the name contains an @, add one more @ after it"
run push bob.pqts "$PQT_TEST_BOB#me@2@"
check "one more @ ends a name that has an @" succeeded
"$PQT_TEST_PSQL" -q -X -t -A "$PQT_TEST_POSTGRESQL" -c "SELECT name FROM pqt.line WHERE name LIKE 'me%'" < /dev/null > out 2> err
check "the line has this name" printed me@2
check "its newest version can be read" [ "$(ids "$PQT_TEST_BOB#me@2@")" = "$(ids bob.pqts)" ]
check "and an older one" [ "$(ids "$PQT_TEST_BOB#me@2@1")" = "1 2 3 " ]
run pull "$PQT_TEST_BOB#me@2@" me.pqts
check "and pulled" [ "$(ids me.pqts)" = "$(ids bob.pqts)" ]
run follow "$PQT_TEST_BOB#me@2@1" --count 1
check "and followed" [ "$(cut -c 1 out)" = 2 ]
run pull "$PQT_TEST_BOB#missing" new.pqts
check "a missing line is named" failed "the database has no line \"missing\""
check "a pull that failed makes no store" [ ! -e new.pqts ]
run show "$PQT_TEST_BARE#plan"
check "a database without the schema is named" failed "the database has no schema pqt"
run show 'postgresql://x:secret@/x?host=/nowhere#plan'
check "a database that is not there is named" failed "#plan: the database: "
check "no password is printed" [ "$(grep -c secret err)" = 0 ]
run pull "$line" 'postgresql://x:secret@/x?host=/nowhere#plan'
check "a line is not pulled to as a store" failed "pqt: #plan: a store is needed, but this is a line: pqt pull makes a store of it"
run checkout 'postgresql://x:secret@/x?host=/nowhere#plan@1'
check "nothing is checked out of a line" failed "pqt: #plan@1: a line has no current entry, since versions follow the newest one"
run log --svg tree.svg "$line"
check "a line has no tree" failed "--svg draws the tree of a store"
run save undo.pqts a.csv
run save undo.pqts b.csv
run push undo.pqts "$PQT_TEST_BOB#undo"
run pull "$PQT_TEST_BOB#undo" late.pqts
run save undo.pqts a.csv --label "Undo"
run push undo.pqts "$PQT_TEST_BOB#undo"
check "a version that equals an older one is pushed" printed 3
run push late.pqts "$PQT_TEST_BOB#undo"
check "a store that lacks an undo does not push over it" ended 1 3
run pull "$PQT_TEST_BOB#undo" late.pqts
check "an undo is pulled" printed 2
check "the undo is the current entry" [ "$(ids late.pqts)" = "1 2 3 " ]

awk 'BEGIN {
    print "id,min_x,min_y,max_x,max_y"
    for (i = 1; i <= 4000; i++)
        printf "%d,%d,1,%d,2\n", i, i, i + 1
}' > g.csv
run save late.pqts e.csv
run save undo.pqts d.csv
run save undo.pqts g.csv
run push undo.pqts "$PQT_TEST_BOB#undo"
"$PQT_TEST_PSQL" -q -X "$PQT_TEST_POSTGRESQL" -c "UPDATE pqt.version SET label = 'x'
    WHERE number = 4 AND line = (SELECT id FROM pqt.line WHERE name = 'undo')" < /dev/null
run pull "$PQT_TEST_BOB#undo" late.pqts
check "a pull that fails names the damaged version" failed "#undo: version 4: its hash is wrong"
check "and leaves the current entry as it was" [ "$(ids late.pqts)" = "1 " ]

run save empty.pqts d.csv
run push empty.pqts "$line"
check "a store without a common version is refused" failed "no version in common"

# Saving to a line.
direct=$PQT_TEST_BOB#direct
run save "$direct" a.csv --author Ada --label "First"
check "a save makes the line" printed 1
run log "$direct"
check "its version has the author and the label" grep -qE '^ +1 .* Ada +First$' out
USER=eve run save "$direct" b.csv
check "a save follows the newest version" printed 2
check "the file is the newest version" [ "$(ids "$direct")" = "1 2 4 " ]
run log "$direct"
check "the label is the name of the file, and the author is the user" grep -qE '^ +2 .* eve +b.csv$' out
run save "$direct" b.csv
check "a version that equals the newest one is not saved" ended 1 2
run save "$direct" "$direct@1"
check "an older version can be saved again" printed 3
check "it is the newest one then" [ "$(ids "$direct")" = "1 2 3 " ]
run log "$direct"
check "the name of a line is a label, without its URL" grep -qE '  #direct@1$' out
run save copy.pqts a.csv
run save copy.pqts "$direct@2"
run log copy.pqts
check "in a store, too" [ "$(grep -c postgresql out)" = 0 ]
check "where the version is" [ "$(ids copy.pqts)" = "1 2 4 " ]
run info "$direct"
check "no command prints the URL of a line" [ "$(grep -c postgresql out)" = 0 ]

run save "$direct@2" d.csv
check "a file that was made from an older version is not saved" failed "pqt: #direct: version 2 is not the newest one, which is 3: nothing was saved; --merge merges the changes of both"
run save "$direct@1" c.csv --merge
check "unless it is merged" printed 4
sed 's/^2,4,5/2,4,4/' b.csv > b2.csv
run save "$direct@2" b2.csv --merge
check "a conflict is named, and nothing is saved" failed "pqt: #direct: id 2 has different values in ours and in theirs"
run save "$direct@4" d.csv
check "the newest version may be named" printed 5
run save "$direct@3" "$direct@3" --merge
check "a file without changes of its own adds nothing to newer ones" ended 1 5
run save "$direct@9" a.csv --merge
check "a version that is not there is named" failed "#direct: the line has no version 9"
run save "$PQT_TEST_BOB#none@1" a.csv
check "and one of a line that is not there" failed "#none: the line has no version 1"

# save_late THEIRS OURS [OPTION...]: saves OURS to the line. THEIRS is saved after the line was
# opened and before OURS is read. To ensure this, OURS is a pipe, which is opened after the line.
save_late()
{
    theirs=$1
    ours=$2
    shift 2
    rm -f late.csv opened
    mkfifo late.csv
    {
        "$program" save "$direct" late.csv "$@" > out 2> err
        echo $? > late_status
        [ -e opened ] || cat late.csv > /dev/null
    } &
    late=$!
    exec 9> late.csv
    : > opened
    "$program" save "$direct" "$theirs" > /dev/null 2>&1 9>&-
    cat "$ours" >&9
    exec 9>&-
    wait "$late"
    status=$(cat late_status)
}

save_late c.csv b.csv
check "a save that another one overtakes fails" failed "pqt: #direct: version 6: another version was pushed first: nothing was saved; --merge merges the changes of both"
check "and leaves the line to the other" [ "$(ids "$direct")" = "1 " ]
printf '7,7,7,8,8\n' | cat c.csv - > c7.csv
printf '8,8,8,9,9\n' | cat c.csv - > c8.csv
save_late c7.csv c8.csv --merge
check "with --merge it is made again" printed 8
check "the newest version has the changes of both" [ "$(ids "$direct")" = "1 7 8 " ]
rm late.csv

run save "$direct" a.csv --name draft
check "a version of a line has no name" failed "--name names an entry of a store, but versions of a line have numbers only"
run save "$direct" a.csv --time 3
check "nor a time of its own" failed "--time is for a store: the database sets the times of a line"
run save undo.pqts a.csv --merge
check "an entry of a store is not merged" failed "--merge is for a line: nobody else changes a store while it is open"
run save undo.pqts a.csv --author Ada
check "and has no author" failed "--author is for a line: entries of a store have no author"
run region "$top/docs/examples/data/sprites/ship.png" -o pixels.pqt
run save "$direct" pixels.pqt
check "a version of another kind is refused" failed "pqt: pixels.pqt: the file holds a region, but the line holds trees"
run save "$direct" nothing.csv
check "a missing file is refused" failed "pqt: nothing.csv: cannot be opened"
run save "$PQT_TEST_ALICE#direct" a.csv
check "a reader may not save" failed "permission denied for table version"
run save "$direct" a.csv --label "$(printf '%0101d' 0)"
check "a label that is too long is refused" failed "#direct: the label is longer than 100 bytes"
run save "$direct" "$(printf '%090d' 0 | sed 's|0|./|g')a.csv"
check "and so is the name of a file" failed "or has control characters: --label replaces the name of the file"
run save 'postgresql://x:secret@/x?host=/nowhere#plan' a.csv
check "a save needs the database" failed "pqt: #plan: the database: "

# without_secret STATUS TEXT: checks that the last run ended with this status, and printed this text
# and no URL.
without_secret()
{
    ended "$1" "$2" && ! grep -qE 'secret|postgres' out err
}

secret=$(echo "$direct" | sed 's|//bob@|//bob:secret@|')
printf 'id,x,y,name\n1,3,3,a\n' > named.csv
run region "$secret"
check "an input of another kind is named without its URL" without_secret 2 "pqt: #direct: the file holds a tree, but"
run diff named.csv "$secret"
check "an input with other columns, too" without_secret 2 "pqt: #direct: "
run diff "$secret" named.csv
check "and one that it is compared with" without_secret 2 " in #direct ("
run info "$secret@2"
check "info names it so" without_secret 0 "#direct@2"
run log a.csv "$secret"
check "and so is an argument too many" without_secret 2 "unexpected argument (#direct)"
run save "${secret%#*}" a.csv
check "a URL without a line is not printed" without_secret 2 "address"
run info "$secret@99"
check "a version that is not there is named without the URL" without_secret 2 "pqt: #direct: the line has no version 99"
check "the line is whole after all of this" [ "$("$program" log --check "$direct" | grep -c .)" -eq 9 ]

finish

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_line.sh: tests lines: pqt push, pull, follow and save, and ADDRESS@NUMBER as an input.
# It starts a PostgreSQL server.
#
# PQT names the program; the default is ./pqt.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1

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

# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"

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
check "push creates a line from all versions on the path" printed 2
run push ada.pqts "$line"
check "a second push does nothing" ended 1 2
run log "$line"
check "log prints the versions with their authors and labels" grep -qE '^ +2 .* Ada +Move 2$' out
run log --check "$line"
check "check finds all versions correct" ended 0 "of changes"
run show "$line"
check "show prints the changes of a version" ended 0 "1 added, 1 removed, 1 moved"
check "show prints the role that pushed a version" grep -qx 'role     bob' out
run show "$line@1"
check "show accepts a number" ended 0 "items    3"

run pull "$line" bob.pqts
check "pull creates a store with all versions" printed 1
check "a pulled store has the newest version" [ "$(ids bob.pqts)" = "1 2 4 " ]
check "a pulled store has the previous version" [ "$(ids bob.pqts@0)" = "1 2 3 " ]
run show bob.pqts@0
check "a pulled store has the label of the first version" grep -qx 'label    a.csv' out
run pull "$line" bob.pqts
check "a second pull does nothing" ended 1 1

run save bob.pqts c.csv
run push bob.pqts "$line"
check "a pulled store can be pushed" printed 3
run save ada.pqts d.csv
run push ada.pqts "$line"
check "a store that lacks newer versions cannot be pushed" \
    ended 1 "the line has versions that the store lacks"
check "a refused push leaves the line unchanged" [ "$(ids "$line")" = "1 " ]
run pull "$line" ada.pqts
check "pull merges the changes of a store and a line" printed 4
check "a merge by pull has the changes of both" [ "$(ids ada.pqts)" = "1 7 " ]
check "after a pull the store has the versions of the line" [ "$(ids ada.pqts@3)" = "1 " ]
run push ada.pqts "$line"
check "a merge by pull can be pushed" printed 4
run save bob.pqts e.csv
run push bob.pqts "$line" --merge
check "push --merge merges the changes of a store and a line" printed 5
check "a merge by push has the changes of both" [ "$(ids "$line")" = "1 7 " ]

run save ada.pqts f.csv
run push ada.pqts "$line" --merge
check "a push with a conflict is refused and names it" failed "#plan: "
check "a push with a conflict leaves the line unchanged" [ "$(ids "$line")" = "1 7 " ]

# is_json: checks that the last output is JSON, if python3 is there to tell.
is_json()
{
    [ "$status" -lt 2 ] && [ ! -s err ] &&
        { ! command -v python3 > out.version || python3 -c 'import json, sys; json.load(open("out", encoding="utf-8"))'; }
}

# has MEMBER: checks that the last output has this member of JSON on a line.
has()
{
    sed 's/,$//' out | grep -qxF -e "$1"
}
run log --json "$line"
check "log --json of a line is JSON" is_json
check "log --json has each version of a line" [ "$(grep -c '^"number":' out)" = 5 ]
check "log --json has the author and the label of a version" \
    [ "$(has '"author":"Ada"' && has '"label":"Move 2"' && echo both)" = both ]
run log "$line"
"$program" log --json --check "$line" > checked
"$program" log --json "$line" | cmp -s - checked
check "log --json --check prints the same" [ $? -eq 0 ]
run show --json "$line@2"
check "show --json of a version of a line is JSON" is_json
check "show --json has the changes since the version before" \
    [ "$(has '"added":1' && has '"removed":1' && has '"moved":1' && echo all)" = all ]
check "show --json has the role that pushed the version" has '"role":"bob"'
run show "$line@2"
hash=$(sed -n 's/^hash  *//p' out)
run show --json "$line@2"
check "show --json has the hash that show prints" has "\"hash\":\"$hash\""
run info "$line@2"
fingerprint=$(sed -n 's/^fingerprint  *//p' out)
run info --json "$line@2"
check "info --json of a version of a line is JSON" is_json
check "info --json of a version of a line has its fingerprint" has "\"fingerprint\":\"$fingerprint\""
check "info --json of a version of a line prints no URL" [ "$(grep -c postgresql out)" = 0 ]
run diff --json "$line@1" "$line@2"
check "diff --json of two versions of a line is JSON" is_json
check "diff --json has the changes between two versions of a line" \
    [ "$status $(tr -d '\n' < out)" = '1 [{"change":"moved","id":2,"old":{"min_x":4,"min_y":4,"max_x":5,"max_y":5},"new":{"min_x":4,"min_y":5,"max_x":5,"max_y":6}},{"change":"removed","id":3,"old":{"min_x":9,"min_y":9,"max_x":9,"max_y":9}},{"change":"added","id":4,"new":{"min_x":2,"min_y":2,"max_x":3,"max_y":3}}]' ]
run log --json "$PQT_TEST_BOB#nothing"
check "log --json of a line that does not exist prints no JSON" failed 'the database has no line "nothing"'

run diff "$line@1" "$line@2"
check "diff compares two versions of a line" ended 1 "2"
run follow
check "follow requires an address" failed "no address of a line is given (postgresql://...#NAME)"
run follow "$line@1" --versions 3
check "follow prints the versions after a number" [ "$(cut -c 1 out | tr '\n' ' ')" = "2 3 4 " ]
"$program" follow "$line" --versions 2 --output newest.pqt > followed 2>&1 &
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
check "follow --output writes the newest version" [ "$(ids newest.pqt)" = "1 2 3 " ]
run follow "$PQT_TEST_ALICE#nothing" --idle 0
check "follow --idle ends for a line without versions" [ "$status" -eq 1 ]

run push ada.pqts "$PQT_TEST_ALICE#plan" --merge
check "a reader cannot push" ended 2 "permission denied for table version"
run push ada.pqts nonsense
check "an invalid address is refused" failed "the second argument is not the address of a line, postgresql://...#NAME (nonsense)"
run pull nonsense ada.pqts
check "pull requires an address" failed "the first argument is not the address of a line, postgresql://...#NAME (nonsense)"
run follow nonsense
check "follow refuses a store" failed "the argument is not the address of a line, postgresql://...#NAME (nonsense)"
run show "$line@99"
check "a version that does not exist is named in the error" \
    failed "#plan: the line has no version 99"
run show "$line@x"
check "a version that is not a number is named in the error" failed "#plan@x: the text after @ is not the number of a version (x)"
run show "$line@"
check "an empty number after @ means the newest version" ended 0 "version  6"
run push bob.pqts "$line@2"
check "push refuses a store that is checked out at an older version" failed "#plan@2: versions are added after the newest one, so this address may have no @NUMBER"
run studio "$line@2"
if [ "$status" -eq 2 ] && grep -q 'this build has no' err; then
    skip "the studio refuses it, too" "this build has no web server"
else
    check "the studio refuses it, too" failed "#plan@2: versions are added after the newest one"
fi
run push bob.pqts "$PQT_TEST_BOB#me@home"
check "a name with an @ is not mistaken for a number" failed "#me@home: the text after @ is not the number of a version (home); if the name contains an @, add one more @ after it"
run push bob.pqts "$PQT_TEST_BOB#me@2@"
check "a final @ marks the end of a name that contains an @" succeeded
"$PQT_TEST_PSQL" -q -X -t -A "$PQT_TEST_POSTGRESQL" -c "SELECT name FROM pqt.line WHERE name LIKE 'me%'" < /dev/null > out 2> err
check "a line with an @ in its name is stored by that name" printed me@2
check "a line with an @ in its name can be read" \
    [ "$(ids "$PQT_TEST_BOB#me@2@")" = "$(ids bob.pqts)" ]
check "an older version of a line with an @ in its name can be read" \
    [ "$(ids "$PQT_TEST_BOB#me@2@1")" = "1 2 3 " ]
run pull "$PQT_TEST_BOB#me@2@" me.pqts
check "a line with an @ in its name can be pulled" [ "$(ids me.pqts)" = "$(ids bob.pqts)" ]
run follow "$PQT_TEST_BOB#me@2@1" --versions 1
check "a line with an @ in its name can be followed" [ "$(cut -c 1 out)" = 2 ]
run pull "$PQT_TEST_BOB#missing" new.pqts
check "a missing line is named in the error" failed "the database has no line \"missing\""
check "a pull that fails creates no store" [ ! -e new.pqts ]
run show "$PQT_TEST_BARE#plan"
check "a database without the schema is reported" failed "the database has no schema pqt"
run show 'postgresql://x:secret@/x?host=/nowhere#plan'
check "an unreachable database is reported" failed "#plan: the database: "
check "the error of an unreachable database contains no password" [ "$(grep -c secret err)" = 0 ]
run pull "$line" 'postgresql://x:secret@/x?host=/nowhere#plan'
check "pull refuses a line in place of a store" failed "pqt: #plan: a store is needed, but this is a line: pqt pull makes a store of it"
run checkout 'postgresql://x:secret@/x?host=/nowhere#plan@1'
check "checkout refuses a line" failed "pqt: #plan@1: a line has no current entry, since versions follow the newest one"
run log --svg tree.svg "$line"
check "history refuses a line" failed "--svg draws the tree of a store"
run save undo.pqts a.csv
run save undo.pqts b.csv
run push undo.pqts "$PQT_TEST_BOB#undo"
run pull "$PQT_TEST_BOB#undo" late.pqts
run save undo.pqts a.csv --label "Undo"
run push undo.pqts "$PQT_TEST_BOB#undo"
check "push accepts a version that equals an older one" printed 3
run push late.pqts "$PQT_TEST_BOB#undo"
check "a store that lacks an undo of the line cannot be pushed" ended 1 3
run pull "$PQT_TEST_BOB#undo" late.pqts
check "pull fetches an undo" printed 2
check "a pulled undo is the current entry" [ "$(ids late.pqts)" = "1 2 3 " ]

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
check "pull names the damaged version" failed "#undo: version 4: its hash is wrong"
check "a pull that fails leaves the current entry unchanged" [ "$(ids late.pqts)" = "1 " ]

run save empty.pqts d.csv
run push empty.pqts "$line"
check "a store without a version of the line cannot be pushed" failed "no version in common"

# Saving to a line.
direct=$PQT_TEST_BOB#direct
run save "$direct" a.csv --author Ada --label "First"
check "save creates a line" printed 1
run log "$direct"
check "a saved version has its author and label" grep -qE '^ +1 .* Ada +First$' out
USER=eve run save "$direct" b.csv
check "save adds a version after the newest one" printed 2
check "the newest version is the saved file" [ "$(ids "$direct")" = "1 2 4 " ]
run log "$direct"
check "by default the label is the file name, and the author the user" grep -qE '^ +2 .* eve +b.csv$' out
run save "$direct" b.csv
check "save refuses a version that equals the newest one" ended 1 2
run save "$direct" "$direct@1"
check "save accepts a version that equals an older one" printed 3
check "a version that was saved again is the newest one" [ "$(ids "$direct")" = "1 2 3 " ]
run log "$direct"
check "a version saved from a line has the name of the line as its label, without the URL" \
    grep -qE '  #direct@1$' out
run save copy.pqts a.csv
run save copy.pqts "$direct@2"
run log copy.pqts
check "a store with a version saved from a line contains no URL" [ "$(grep -c postgresql out)" = 0 ]
check "save copies a version from a line to a store" [ "$(ids copy.pqts)" = "1 2 4 " ]
run info "$direct"
check "info prints no URL of a line" [ "$(grep -c postgresql out)" = 0 ]

run save "$direct@2" d.csv
check "save refuses a file that was made from an older version" failed "pqt: #direct: version 2 is not the newest one, which is 3: nothing was saved; --merge merges the changes of both"
run save "$direct@1" c.csv --merge
check "save --merge accepts a file that was made from an older version" printed 4
sed 's/^2,4,5/2,4,4/' b.csv > b2.csv
run save "$direct@2" b2.csv --merge
check "a conflict of a save is named, and nothing is saved" failed "pqt: #direct: id 2 has different values in ours and in theirs"
run save "$direct@4" d.csv
check "save accepts the number of the newest version" printed 5
run save "$direct@3" "$direct@3" --merge
check "save --merge without changes adds no version" ended 1 5
run save "$direct@9" a.csv --merge
check "save names a version that does not exist" failed "#direct: the line has no version 9"
run save "$PQT_TEST_BOB#none@1" a.csv
check "save names a version of a line that does not exist" failed "#none: the line has no version 1"

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
check "save fails if another program saves first" failed "pqt: #direct: version 6: another version was pushed first: nothing was saved; --merge merges the changes of both"
check "a save that fails leaves the version of the other program" [ "$(ids "$direct")" = "1 " ]
printf '7,7,7,8,8\n' | cat c.csv - > c7.csv
printf '8,8,8,9,9\n' | cat c.csv - > c8.csv
save_late c7.csv c8.csv --merge
check "save --merge succeeds if another program saves first" printed 8
check "save --merge keeps the changes of both programs" [ "$(ids "$direct")" = "1 7 8 " ]
rm late.csv

run save "$direct" a.csv --name draft
check "save refuses --name for a line" failed "--name names an entry of a store, but versions of a line have numbers only"
run save "$direct" a.csv --time 3
check "save refuses --time for a line" \
    failed "--time is for a store: the database sets the times of a line"
run save undo.pqts a.csv --merge
check "save refuses --merge for a store" failed "--merge is for a line: nobody else changes a store while it is open"
run save undo.pqts a.csv --author Ada
check "save refuses --author for a store" \
    failed "--author is for a line: entries of a store have no author"
run region "$top/docs/examples/data/sprites/ship.png" -o pixels.pqt
run save "$direct" pixels.pqt
check "a version of another kind is refused" failed "pqt: pixels.pqt: the file holds a region, but the line holds trees"
run save "$direct" nothing.csv
check "a missing file is refused" failed "pqt: nothing.csv: cannot be opened"
run save "$PQT_TEST_ALICE#direct" a.csv
check "a reader cannot save" failed "permission denied for table version"
run save "$direct" a.csv --label "$(printf '%0101d' 0)"
check "a label that is too long is refused" failed "#direct: the label is longer than 100 bytes"
run save "$direct" "$(printf '%090d' 0 | sed 's|0|./|g')a.csv"
check "a file name that is too long for a label is refused" failed "or has control characters: --label replaces the name of the file"
run save 'postgresql://x:secret@/x?host=/nowhere#plan' a.csv
check "save reports an unreachable database" failed "pqt: #plan: the database: "

# without_secret STATUS TEXT: checks that the last run ended with this status, and printed this text
# and no URL.
without_secret()
{
    ended "$1" "$2" && ! grep -qE 'secret|postgres' out err
}

secret=$(echo "$direct" | sed 's|//bob@|//bob:secret@|')
printf 'id,x,y,name\n1,3,3,a\n' > named.csv
run region "$secret"
check "the error of an input of the wrong kind contains no URL" without_secret 2 "pqt: #direct: the file holds a tree, but"
run diff named.csv "$secret"
check "the error of an input with other columns contains no URL" without_secret 2 "pqt: #direct: "
run diff "$secret" named.csv
check "the error of a second input with other columns contains no URL" \
    without_secret 2 " in #direct ("
run info "$secret@2"
check "info names a line without its URL" without_secret 0 "#direct@2"
run log a.csv "$secret"
check "the error of an unexpected argument contains no URL" \
    without_secret 2 "unexpected argument (#direct)"
run save "${secret%#*}" a.csv
check "the error of a URL without a line contains no URL" without_secret 2 "address"
run info "$secret@99"
check "the error of a version that does not exist contains no URL" without_secret 2 "pqt: #direct: the line has no version 99"
check "all versions are correct after these errors" [ "$("$program" log --check "$direct" | grep -c .)" -eq 9 ]

finish

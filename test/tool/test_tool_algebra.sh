#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_algebra.sh: tests pqt diff and pqt merge: their output, their files, and their errors.
#
# PQT names the program; the default is ./pqt. Its answers for the countries are compared with those
# of awk, which reads all rows.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"
data=$top/docs/examples/data

# prints STATUS TEXT [ERRORS]: checks that the last run ended with this status and printed exactly
# these texts, which are printf formats.
prints()
{
    # shellcheck disable=SC2059 # formats
    printf "$2" > expected
    # shellcheck disable=SC2059
    printf "${3-}" > expected_err
    [ "$status" -eq "$1" ] && cmp -s expected out && cmp -s expected_err err
}

# refuses MESSAGE ARGUMENT...: checks that the command ends with status 2 and this line, and changes
# neither old.svg nor old.csv.
refuses()
{
    message=$1
    shift
    echo kept > old.svg
    echo kept > old.csv
    run "$@"
    printf 'pqt: %s\n' "$message" > expected
    if [ "$status" -eq 2 ] && [ ! -s out ] && cmp -s expected err && no_scraps &&
        [ "$(cat old.svg old.csv)" = "$(printf 'kept\nkept')" ] && [ ! -e new.svg ] && [ ! -e new.csv ]
    then
        pass "refused: pqt $*"
    else
        fail "refused: pqt $*"
        sed 's/^/# /' err | head -n 5
    fi
}

# Three small files with each kind of change in the manual.

printf 'id,name,x,y\n1,cat,1,1\n2,dog,2,2\n3,fox,3,3\n4,owl,4,4\n5,bat,5,5\n7,ape,7,7\n' > base.csv
printf 'id,name,x,y\n1,cat,1.5,1\n2,hound,2,2\n4,owl,4,4.5\n5,bat,5,5\n7,gorilla,7,7\n8,"a ""b"", c",8,0.1\n' > a.csv
printf 'name,id,x,y\ncat,1,1,1.5\ndog,2,2.5,2\nred fox,3,3,3\nowl,4,4,4.5\nbat,5,5,5\nchimp,7,7,7\nant,9,9,9\n' > b.csv

run diff base.csv a.csv
check "diff prints added, removed, moved and changed rows by ids" prints 1 \
'change,id,old_name,old_x,old_y,new_name,new_x,new_y
moved,1,cat,1,1,cat,1.5,1
changed,2,dog,2,2,hound,2,2
removed,3,fox,3,3,,,
moved,4,owl,4,4,owl,4,4.5
changed,7,ape,7,7,gorilla,7,7
added,8,,,,"a ""b"", c",8,0.1\n'
run diff -c base.csv a.csv
check "diff --count prints the numbers of changes" \
    prints 1 'added    1\nremoved  1\nmoved    2\nchanged  2\n'
run diff base.csv base.csv
check "a file does not differ from itself" prints 0 \
    'change,id,old_name,old_x,old_y,new_name,new_x,new_y\n'
run diff -c base.csv base.csv
check "a file differs from itself by 0 changes" \
    prints 0 'added    0\nremoved  0\nmoved    0\nchanged  0\n'
{ head -n 1 base.csv; tail -n +2 base.csv | sort -r; sed -n 3p base.csv; } > shuffled.csv
run diff -c base.csv shuffled.csv
check "neither the order of rows nor a repeated row is a difference" \
    prints 0 'added    0\nremoved  0\nmoved    0\nchanged  0\n'
run diff --places base.csv a.csv
check "--places ignores the other columns" prints 1 \
'change,id,old_x,old_y,new_x,new_y
moved,1,1,1,1.5,1
removed,3,3,3,,
moved,4,4,4,4,4.5
added,8,,,8,0.1\n'
run diff --window 0,0,2.2,2.2 base.csv b.csv
check "diff --window removes a row that left the window" prints 1 \
'change,id,old_name,old_x,old_y,new_name,new_x,new_y
moved,1,cat,1,1,cat,1,1.5
removed,2,dog,2,2,,,\n'
run diff --window 2.2,0,3,3 base.csv b.csv
check "diff --window adds a row that entered the window" prints 1 \
'change,id,old_name,old_x,old_y,new_name,new_x,new_y
added,2,,,,dog,2.5,2
changed,3,fox,3,3,red fox,3,3\n'
run diff -w 10,10,inf,inf base.csv b.csv
check "diff --window finds no change far from all changes" prints 0 \
    'change,id,old_name,old_x,old_y,new_name,new_x,new_y\n'

printf 'x,y\n1,1\n-0,2\n' > rows.csv
printf '\357\273\277x,y\r\n1.0,1\r\n0,2e0' > same.csv
run diff rows.csv same.csv
check "numbers are compared by value, and row numbers serve as ids" prints 0 \
    'change,id,old_x,old_y,new_x,new_y\n'
printf 'id,x,y\n0,1,1\n1,0,2\n' > ids.csv
run diff rows.csv ids.csv
check "a file with ids is compared with a file without ids" prints 0 \
    'change,id,old_x,old_y,new_x,new_y\n'
printf 'id,min_x,min_y,max_x,max_y\n1,0,0,1,1\n1,5,5,6,6\n1,7,7,8,8\n' > two.csv
printf 'id,min_x,min_y,max_x,max_y\n1,0,0,2,1\n1,5,5,6,6\n1,7,7,9,8\n' > moved.csv
run diff two.csv moved.csv
check "rows with the same id that cannot be paired are removed and added" prints 1 \
'change,id,old_min_x,old_min_y,old_max_x,old_max_y,new_min_x,new_min_y,new_max_x,new_max_y
removed,1,0,0,1,1,,,,
removed,1,7,7,8,8,,,,
added,1,,,,,0,0,2,1
added,1,,,,,7,7,9,8\n'
printf 'x,y,name\n1,1,"two\nlines"\n2,2," b "\n' > a_text.csv
printf 'x,y,name\n1,1,"two\nlines"\n2,2,b\n' > b_text.csv
run diff a_text.csv b_text.csv
check "fields are compared including trailing blanks" prints 1 \
    'change,id,old_x,old_y,old_name,new_x,new_y,new_name\nchanged,1,2,2," b ",2,2,b\n'

# Merging them.

conflicts='pqt: conflict: id 1: base (1,1,"cat"), ours (1.5,1,"cat"), theirs (1,1.5,"cat")%s
pqt: conflict: id 3: base (3,3,"fox"), ours none, theirs (3,3,"red fox")%s
pqt: conflict: id 7: base (7,7,"ape"), ours (7,7,"gorilla"), theirs (7,7,"chimp")%s\n'

# conflicts_with SUFFIX: prints the conflicts, and adds this suffix to each line.
conflicts_with()
{
    # shellcheck disable=SC2059 # a format
    printf "$conflicts" "$1" "$1" "$1"
}

run merge base.csv a.csv b.csv
check "merge lists conflicts and writes nothing" prints 1 '' "$(conflicts_with '')
pqt: 3 conflicts, nothing is written (resolve them with --resolve)\\n"
rm -f new.csv
run merge base.csv a.csv b.csv -o new.csv --quiet
check "merge --quiet --output prints and writes nothing if there are conflicts" test "$status$(cat out err)" = 1
check "merge --output creates no file if there are conflicts" test ! -e new.csv

# merged SIDE ROWS: checks the output of --resolve SIDE. ROWS are the rows of the three ids in
# conflict.
merged()
{
    run merge base.csv a.csv b.csv --resolve "$1"
    check "--resolve $1" prints 0 "id,name,x,y\\n$2" "$(conflicts_with "; kept: $1")\\n"
}

merged ours '1,cat,1.5,1\n2,hound,2.5,2\n4,owl,4,4.5\n5,bat,5,5\n7,gorilla,7,7
8,"a ""b"", c",8,0.1\n9,ant,9,9\n'
merged theirs '1,cat,1,1.5\n2,hound,2.5,2\n3,red fox,3,3\n4,owl,4,4.5\n5,bat,5,5\n7,chimp,7,7
8,"a ""b"", c",8,0.1\n9,ant,9,9\n'
merged both '1,cat,1.5,1\n1,cat,1,1.5\n2,hound,2.5,2\n3,red fox,3,3\n4,owl,4,4.5\n5,bat,5,5\n7,gorilla,7,7
7,chimp,7,7\n8,"a ""b"", c",8,0.1\n9,ant,9,9\n'
cp out both.csv
merged neither '2,hound,2.5,2\n4,owl,4,4.5\n5,bat,5,5\n8,"a ""b"", c",8,0.1\n9,ant,9,9\n'
run merge both.csv both.csv both.csv
check "two rows with the same id and position are read and kept" cmp -s out both.csv
run merge base.csv b.csv a.csv --resolve both -q
cp out exchanged.csv
run diff -c both.csv exchanged.csv
check "--resolve both does not depend on the order of the sides" test "$status" = 0
run merge a.csv b.csv b.csv
check "columns are written in the order of OURS" test "$(head -n 1 out)" = name,id,x,y

printf 'name,x,y\na,1,1\nb,2,2\n' > nameless.csv
printf 'name,x,y\na,1,1\nb,2,2\nc,3,3\n' > longer.csv
run merge nameless.csv longer.csv nameless.csv
check "rows without ids are merged without ids" prints 0 'name,x,y\na,1,1\nb,2,2\nc,3,3\n'
printf 'id,name,x,y\n0,a,1,1\n1,b,2,2\n2,c,3,3\n' > numbered.csv
run merge nameless.csv numbered.csv longer.csv
check "rows without ids are merged with rows that have ids" cmp -s out numbered.csv
run merge numbered.csv longer.csv numbered.csv
check "rows get their numbers as ids if only OURS has no ids" cmp -s out numbered.csv

printf 'id,x,y\n1,0.1,1e-300\n2,1.7976931348623157e308,-5e-324\n3,0.30000000000000004,-0\n' > hard.csv
run merge hard.csv hard.csv hard.csv
check "merge keeps the spelling of numbers" cmp -s out hard.csv
printf 'id,x,y\n1,0.10,1E-300\n2,17976931348623157e292,-5e-324\n3,0.30000000000000004,0\n' > spelled.csv
run merge hard.csv spelled.csv hard.csv
check "merge compares numbers by value" cmp -s out spelled.csv
printf 'min_x,min_y,max_x,max_y,id\n0.1,1e-300,0.1,1e-300,1\n' > corners.csv
"$program" search -w=-inf,-inf,inf,inf hard.csv -o hard.pqt
run merge corners.csv corners.csv hard.pqt
check "merge prints doubles of .pqt files without loss" test "$(sort -t , -k 5 out)" = \
'0.1,1e-300,0.1,1e-300,1
1.7976931348623157e+308,-5e-324,1.7976931348623157e+308,-5e-324,2
0.30000000000000004,0,0.30000000000000004,0,3
min_x,min_y,max_x,max_y,id'
run merge hard.csv hard.csv hard.csv
cp out again.csv
run diff -c hard.csv again.csv
check "doubles printed by merge are read back equal" test "$status" = 0

printf 'id,name,x,y\n1,a,1,1\n' > one.csv
printf 'id,name,x,y\n2,b,2,2\n' > other.csv
run merge one.csv other.csv other.csv
check "the same change on both sides is no conflict" prints 0 'id,name,x,y\n2,b,2,2\n'
printf 'id,name,x,y\n1,a,1,1\n2,c,2,2\n' > new_c.csv
printf 'id,name,x,y\n1,a,1,1\n2,b,2,2\n' > new_b.csv
run merge one.csv new_b.csv new_c.csv
check "an id that the sides added with different names is a conflict" prints 1 '' \
'pqt: conflict: id 2: base none, ours (2,2,"b"), theirs (2,2,"c")
pqt: 1 conflict, nothing is written (resolve them with --resolve)\n'
printf 'id,name,x,y\n1,a,1,1\n1,a,5,5\n1,b,9,9\n' > many.csv
printf 'id,name,x,y\n1,a,1,2\n1,a,5,5\n1,b,9,9\n' > many_a.csv
printf 'id,name,x,y\n1,a,1,1\n1,z,5,5\n1,b,9,9\n' > many_b.csv
run merge many.csv many_a.csv many_b.csv --resolve both
check "rows that share an id are kept if neither side changed them" prints 0 \
    'id,name,x,y\n1,a,1,2\n1,a,1,1\n1,z,5,5\n1,a,5,5\n1,b,9,9\n' \
'pqt: conflict: id 1: base (1,1,"a") (5,5,"a"), ours (1,2,"a") (5,5,"a"), theirs (1,1,"a") (5,5,"z"); kept: both\n'
run merge many.csv many_a.csv many_a.csv
check "the changes of one side to rows that share an id are applied" cmp -s out many_a.csv

# Outputs.

cp a.csv ours.csv
run merge base.csv ours.csv b.csv --resolve ours -q -o ours.csv
check "the output may replace an input" prints 0 ''
run merge base.csv a.csv b.csv --resolve ours -q
check "an input replaced by the output contains the merged rows" cmp -s out ours.csv
run merge - a.csv b.csv --resolve ours -q -o - < base.csv
check "- is standard input for BASE and standard output for --output" cmp -s out ours.csv
check "merge leaves no temporary file" no_scraps
run merge base.csv a.csv b.csv --resolve theirs -q -o new.csv --svg new.svg
check "merge with --output and --svg succeeds" prints 0 ''
check "merge --output with --svg writes the rows" test "$(wc -l < new.csv)" -eq 9
check "merge --output with --svg writes the picture" is_picture new.svg
check "the picture mentions the conflicts" grep -q '>a.csv: merged with b.csv, 3 conflicts<' new.svg
check "the picture shows the side of each change" test \
    "$(grep -cE '^<path class="(ground|gone both|ours|theirs|both|conflict) dot" ' new.svg)" -eq 6
rm new.svg new.csv
run merge base.csv a.csv b.csv -q --svg new.svg
check "merge without --resolve writes only the picture if there are conflicts" \
    test "$status$(cat out err)" = 1
check "the picture of a merge without --resolve shows all conflicts" \
    grep -q 'class="conflict dot"' new.svg
for sides in "a.csv base.csv ours" "base.csv a.csv theirs"; do
    side=${sides##* }
    # shellcheck disable=SC2086 # words
    run merge base.csv ${sides% *} --svg new.svg
    check "removals by only $side are drawn" grep -q "class=\"gone $side dot\"" new.svg
done
rm new.svg
run diff base.csv a.csv
cp out lines
run diff base.csv a.csv --svg new.svg
check "diff prints the same with and without a picture" cmp -s out lines
check "diff --svg writes a picture" is_picture new.svg
check "the picture of a diff shows every kind of change" test "$(grep -cE \
    '^<path class="(added|removed|moved|left|changed|ground)( dot)?" ' new.svg)" -eq 6
check "the key of a diff shows dots for points" grep -q '<path class="moved sign dot" ' new.svg
check "the key of a diff shows lines from old to new positions" \
    grep -q '^<path class="move" ' new.svg
check "the key of a diff shows damage" grep -q '^<path class="damage" ' new.svg
rm new.svg
printf 'x,y\n-1.7e308,0\n1.7e308,1.7e308\n' > f.csv
printf 'x,y\n1.7e308,-1.7e308\n0,0\n' > g.csv
run diff f.csv g.csv --svg huge.svg
check "diff draws coordinates near the largest double" is_picture huge.svg
run merge f.csv g.csv f.csv --svg huge.svg
check "merge draws coordinates near the largest double" is_picture huge.svg
printf 'x,y\n5,5\n' > f.csv
run diff f.csv f.csv --svg point.svg
check "diff draws a single point" is_picture point.svg
printf 'id,x,y\n1,0,0\n2,1,1\n3,1e6,1e6\n' > f.csv
printf 'id,x,y\n1,1,0\n2,1,1\n3,1e6,1e6\n' > g.csv
run diff f.csv g.csv --svg far.svg
check "a move too short for the scale of a picture has zero length" grep -q '^<path class="move" d="m[0-9.]* [0-9.]*h0"/>' far.svg
run diff f.csv g.csv -w 0,0,1,1 --svg near.svg
check "the same short move fills a picture of a small window" \
    grep -q '^<path class="move" d="m50 50h800"/>' near.svg
run diff f.csv g.csv -w 1e9,0,inf,1 --svg beside.svg
check "diff draws a window far from all rows" grep -q '^<path class="window" ' beside.svg

# Errors.

printf 'id,name,x,y\n1,a,1,q\n' > bad.csv
printf 'id,name,lon,lat\n1,a,1,1\n' > map.csv
printf 'id,x,y\n1,1,1\n' > bare.csv
printf 'id,x,y,name,tag\n1,1,1,a,b\n' > wide.csv
refuses "bad.csv:2: y is not a number (q)" diff base.csv bad.csv --svg new.svg
refuses "bad.csv:2: y is not a number (q)" diff bad.csv base.csv --svg old.svg
for order in "bad.csv a.csv b.csv" "base.csv bad.csv b.csv" "base.csv a.csv bad.csv"; do
    # shellcheck disable=SC2086 # words
    refuses "bad.csv:2: y is not a number (q)" merge $order -o old.csv --svg old.svg
done
refuses "none.csv: cannot be opened (No such file or directory)" merge base.csv a.csv none.csv -o new.csv
refuses "map.csv: positions are not in the same columns as in base.csv (lon, not x)" diff base.csv map.csv
refuses "map.csv: positions are not in the same columns as in base.csv (lon, not x)" diff --places base.csv map.csv
refuses "bare.csv: column of base.csv is missing (name)" diff base.csv bare.csv
refuses "base.csv: column differs from that of bare.csv (name)" diff bare.csv base.csv
refuses "no file is named (- is standard input)" diff
refuses "no second file is named (- is standard input)" diff base.csv
refuses "unexpected argument (b.csv)" diff base.csv a.csv b.csv
refuses "no third file is named (- is standard input)" merge base.csv a.csv
refuses "unexpected argument (c.csv)" merge base.csv a.csv b.csv c.csv
refuses "standard input is named twice (-)" diff - -

# The boxes of a tree are compared with boxes in any columns.
printf 'id,min_lon,min_lat,max_lon,max_lat\n1,0,0,2,2\n2,5,5,6,7\n' > degrees.csv
"$program" search -w=-inf,-inf,inf,inf degrees.csv -o degrees.pqt
run diff degrees.csv degrees.pqt
check "boxes in degrees are those of their tree" [ "$status-$(wc -l < out)-$(wc -c < err)" = 0-1-0 ]
printf 'id,min_x,min_y,max_x,max_y\n1,0,0,2,2\n' > sides.csv
refuses "degrees.csv: positions are not in the same columns as in sides.csv (min_lon, not min_x)" diff sides.csv degrees.csv

# A record may have 2^20 bytes, and therefore many columns. Finding one must not read all previous
# ones again.
awk 'BEGIN { printf "x,y"; while (++n < 400000) printf ",a"; print ""
             printf "1,2"; while (--n > 0) printf ","; print "" }' > wide.csv
run diff wide.csv wide.csv
check "files with thousands of columns are compared" [ "$status-$(wc -l < out)-$(wc -c < err)" = 0-1-0 ]
rm -f wide.csv
refuses "standard input is named twice (-)" merge - a.csv -
refuses "--window is inverted (2,0,1,1)" diff -w 2,0,1,1 base.csv a.csv
refuses "--window is not four numbers X0,Y0,X1,Y1 (nan,0,1,1)" diff -w nan,0,1,1 base.csv a.csv
refuses "unknown option (--resolve)" diff base.csv a.csv --resolve ours
refuses "unknown option (--window)" merge base.csv a.csv b.csv --window 0,0,1,1
refuses "--resolve is not ours, theirs, both or neither (mine)" merge base.csv a.csv b.csv --resolve mine
cp a.csv a.rows
refuses "a.rows: output is also an input (a.rows)" diff base.csv a.rows --svg a.rows
refuses "a.rows: output is also an input (a.rows)" merge base.csv a.rows b.csv --svg a.rows
refuses "--svg may not be standard output, which receives the results (-)" merge base.csv a.csv b.csv --svg -
refuses "none: output is named twice (--output and --svg)" merge base.csv a.csv a.csv \
    -o none --svg none
refuses "none/x.csv: cannot be written (No such file or directory)" merge base.csv a.csv a.csv \
    --svg old.svg -o none/x.csv
refuses "none/x.svg: cannot be written (No such file or directory)" merge base.csv a.csv a.csv \
    --svg none/x.svg -o old.csv
if [ -c /dev/full ]; then
    echo kept > old.svg
    "$program" merge base.csv a.csv a.csv --svg old.svg > /dev/full 2> err
    check "if rows cannot be written to standard output, the old picture is kept" test "$? $(cat old.svg) $(cat err)" = \
        "2 kept pqt: standard output: cannot be written (No space left on device)"
    "$program" merge base.csv a.csv a.csv --svg old.svg -o /dev/full 2> err
    check "if rows cannot be written to a file, the old picture is kept" test "$? $(cat old.svg) $(cat err)" = \
        "2 kept pqt: /dev/full: cannot be written (No space left on device)"
else
    skip "if rows cannot be written to standard output, the old picture is kept" \
        "there is no /dev/full"
fi
check "no temporary file is left" no_scraps

# The program as a merge driver of git.

# in_git ARGUMENT...: runs git without any user configuration.
in_git()
{
    GIT_CONFIG_NOSYSTEM=1 HOME=$work git -C repository -c user.name=a -c user.email=a@b.invalid "$@" > out 2>&1
}

# commit_as FILE: commits FILE as the next version of t.csv.
commit_as()
{
    cp "$1" repository/t.csv && in_git commit -q -a -m "$1"
}

if command -v git > /dev/null; then
    mkdir repository
    echo '*.csv merge=pqt' > repository/.gitattributes
    cp base.csv repository/t.csv
    in_git init -q
    in_git config merge.pqt.driver "'$program' merge %O %A %B -o %A"
    in_git add . && in_git commit -q -m base && in_git branch side
    in_git checkout -q side
    printf 'id,name,x,y\n1,cat,1,1\n2,dog,2,2\n3,fox,3,3\n4,owl,4,5\n5,bat,5,5\n7,ape,7,7\n' > moved.csv
    printf 'id,name,x,y\n1,cat,1,1\n2,dog,2,2\n3,fox,3,3\n4,owl,4,4\n5,bat,5,5\n7,chimp,7,7\n' > renamed.csv
    in_git checkout -q -B one side && commit_as moved.csv
    in_git checkout -q -B two side && commit_as renamed.csv
    in_git merge -q -m both one
    check "git merges two branches with pqt merge as its driver" \
        test "$(sed -n '5p;7p' repository/t.csv)" = "4,owl,4,5
7,chimp,7,7"
    in_git checkout -q -B three side && commit_as a.csv
    in_git merge -q -m both two
    check "git reports the conflicts of pqt merge" test "$?" = 1
    check "the conflicts that git reports name the id" grep -q '^pqt: conflict: id 7: ' out
else
    skip "git merges two branches with pqt merge as its driver" "there is no git"
fi

# Two sessions edit the countries. Each row has its own id, and no comma in its name.

tr -d "'" < "$data/countries.csv" | awk -F'"' -v OFS= 'NR == 1 { print "id," $0; next }
    { gsub(/,/, " ", $2); print NR - 2, ",", $2, $3 }' > start.csv

# plain FILE: prints the rows of a file with numbers as the program writes them, without zeros at the
# end of a fraction, in order of ids.
plain()
{
    sed -E 's/(\.[0-9]*[1-9])0+(,|$)/\1\2/g; s/\.0+(,|$)/\1/g' "$1" > found.csv
    head -n 1 found.csv
    tail -n +2 found.csv | sort -t , -k 1,1n
}

plain start.csv > base.csv

# session SEED: makes 1000 edits to base.csv. Most of them move a row, and some rename, remove or
# add one.
session()
{
    awk -F, -v OFS=, -v seed="$1" '
        function roll(n) { seed = (seed * 16807) % 2147483647; return seed % n }
        NR == 1 { print; next }
        { n++; row[n] = $0; id[n] = $1 }
        END {
            for (k = 0; k < 30; k++) roll(2)
            for (edits = 0; edits < 1000; edits++) {
                i = 1 + roll(n); what = roll(10)
                if (what == 9) { extra++; row[n + extra] = (100000 + roll(400)) ",new " roll(2) ",0," roll(9) ",50,10,60"
                    if (!((substr(row[n + extra], 1, 6)) in seen)) { seen[substr(row[n + extra], 1, 6)] = 1 }
                    else { row[n + extra] = "" }
                    continue }
                if (row[i] == "") continue
                split(row[i], f, ",")
                if (what == 8) { row[i] = ""; continue }
                if (what >= 6) f[2] = "renamed " roll(3)
                else { dx = roll(5); f[4] += dx; f[6] += dx }
                row[i] = f[1] "," f[2] "," f[3] "," f[4] "," f[5] "," f[6] "," f[7]
            }
            for (i = 1; i <= n + extra; i++) if (row[i] != "") print row[i]
        }' base.csv > raw.csv
    plain raw.csv
}

session 11 > ours.csv
session 5005 > theirs.csv

# awk applies the difference to the old rows, which must give the new rows.
run diff base.csv ours.csv
awk -F, -v OFS=, '
    FILENAME == "out" && FNR > 1 {
        if ($1 != "added") gone[$2] = 1
        if ($1 != "removed") print $2, $9, $10, $11, $12, $13, $14 }
    FILENAME == "base.csv" && FNR > 1 && !($1 in gone)' out base.csv | sort > applied
tail -n +2 ours.csv | sort > expected
check "awk applies the diffs of 1,000 edits and gets the same result" \
    cmp -s applied expected
check "1,000 edits give hundreds of differences" test "$(wc -l < out)" -gt 500
run diff -w 0,0,60,60 base.csv ours.csv
"$program" search -w 0,0,60,60 base.csv | sed 1d | cut -d, -f1 | sort > in_base
"$program" search -w 0,0,60,60 ours.csv | sed 1d | cut -d, -f1 | sort > in_ours
check "rows that diff --window adds agree with searches" test \
    "$(grep ^added out | cut -d, -f2 | sort)" = "$(comm -13 in_base in_ours)"
check "rows that diff --window removes agree with searches" test \
    "$(grep ^removed out | cut -d, -f2 | sort)" = "$(comm -23 in_base in_ours)"

# model SIDE: merges base.csv, ours.csv and theirs.csv row by row. It writes conflicts to model.err.
model()
{
    awk -F, -v side="$1" '
        function pick(b, o, t) {
            if (b == o || o == t) return t
            if (b == t) return o
            clash = 1
            return "" }
        function place(row, f) { split(row, f, ","); return f[4] "," f[5] "," f[6] "," f[7] }
        function field(row, k, f) { split(row, f, ","); return f[k] }
        FNR == 1 { next }
        { ids[$1] = 1; version = FILENAME; rows[version, $1] = $0 }
        END {
            for (i in ids) {
                b = rows["base.csv", i]; o = rows["ours.csv", i]; t = rows["theirs.csv", i]
                clash = 0
                row = pick(b, o, t)
                if (clash && b != "" && o != "" && t != "") {
                    clash = 0
                    name = pick(field(b, 2), field(o, 2), field(t, 2))
                    part = pick(field(b, 3), field(o, 3), field(t, 3))
                    row = i "," name "," part "," pick(place(b), place(o), place(t)) }
                if (!clash) { if (row != "") print row; continue }
                print i > "model.err"
                if ((side == "ours" || side == "both") && o != "") print o
                if ((side == "theirs" || side == "both") && t != "") print t
            }
        }' base.csv ours.csv theirs.csv | sort
}

for side in ours theirs both neither; do
    : > model.err
    model $side > expected
    run merge base.csv ours.csv theirs.csv --resolve $side
    tail -n +2 out | sort > merged
    check "merge --resolve $side gives the same rows as awk" cmp -s merged expected
    sed -n 's/^pqt: conflict: id \([0-9]*\): .*; kept: '$side'$/\1/p' err | sort > reported
    check "merge --resolve $side finds the same conflicts as awk" \
        test "$(cat reported)" = "$(sort model.err)"
done
check "two random sessions give tens of conflicts" test "$(wc -l < reported)" -gt 20
check "some rows are merged column by column" test "$(grep -c renamed out)" -gt 50
run merge base.csv ours.csv theirs.csv
check "merge without --resolve reports all conflicts in ascending order of ids" test \
    "$(sed -n 's/^pqt: conflict: id \([0-9]*\): .*/\1/p' err)" = "$(sort -n reported)"
run merge base.csv base.csv theirs.csv
check "the result is THEIRS if OURS has no changes" cmp -s out theirs.csv
run merge base.csv ours.csv base.csv
check "the result is OURS if THEIRS has no changes" cmp -s out ours.csv
run merge base.csv ours.csv theirs.csv --resolve both -q
cp out one_way.csv
run merge base.csv theirs.csv ours.csv --resolve both -q
check "the order of the sides does not matter if both are kept" \
    test "$(sort out)" = "$(sort one_way.csv)"

# Rows that nobody changed are written byte for byte, by pqt merge and by git with it as the driver.

printf '\357\273\277"id",x,y,name\r\n007,1.50,1e3,"a"\r\n\r\n2, 2 ,"2",\r\n3,3,3,"say ""c"""\r\n' > odd.csv
run merge odd.csv odd.csv odd.csv
check "merge keeps the bytes of rows without changes" cmp -s out odd.csv
sed 's/^3,3,/3,3.0,/' odd.csv > odd_ours.csv
sed 's/^2, 2 ,"2",/2, 2 ,"2.5",/' odd.csv > odd_theirs.csv
printf '0004,4,4e0,d' >> odd_theirs.csv
run merge odd.csv odd_ours.csv odd_theirs.csv
check "merge changes only the fields that a side changed" prints 0 \
    '\357\273\277"id",x,y,name\r\n007,1.50,1e3,"a"\r\n\r\n2, 2 ,"2.5",\r\n3,3.0,3,"say ""c"""\r\n0004,4,4e0,d\r\n'
cp out merged_odd.csv
printf 'x,y,n\n1.0,1,a\n1.0,1,a\n2,2,b\n' > loose.csv
printf 'x,y,n\n9,9,new\n1.0,1,a\n1.0,1,a\n2,2,changed\n' > loose_ours.csv
printf 'x,y,n\n1,1,a\n2.0,2,b\n8,8,new\n' > loose_theirs.csv
run merge loose.csv loose_ours.csv loose_theirs.csv
check "rows without ids are matched by position, and copies are counted" prints 0 \
    'x,y,n\n9,9,new\n1.0,1,a\n2,2,changed\n8,8,new\n'
run merge loose.csv loose.csv loose.csv
check "two equal rows are kept" cmp -s out loose.csv
printf 'id,x,y\n1,1,1\n1,1,1\n2,2,2\n' > twice.csv
run merge twice.csv twice.csv twice.csv
check "two equal rows with one id are kept" cmp -s out twice.csv
printf 'n,x,y,w,h\na,0.1,0.2,0.7,0.10\nb,5,5,1,1\n' > sizes.csv
printf 'n,x,y,w,h\na,0.1,0.2,0.7,0.10\nb,5,5,2,1\n' > sizes_theirs.csv
run merge sizes.csv sizes.csv sizes_theirs.csv
check "boxes given by sizes are merged" cmp -s out sizes_theirs.csv

if command -v git > /dev/null; then
    in_git checkout -q -f -B odd_base two && cp odd.csv repository/odd.csv
    in_git add odd.csv && in_git commit -q -m odd
    in_git checkout -q -B odd_theirs && cp odd_theirs.csv repository/odd.csv && in_git commit -q -a -m theirs
    in_git checkout -q -B odd_ours odd_base && cp odd_ours.csv repository/odd.csv && in_git commit -q -a -m ours
    in_git merge -q -m both odd_theirs
    in_git show HEAD:odd.csv
    check "git keeps the lines that nobody changed" cmp -s out merged_odd.csv
    in_git diff --stat HEAD~1 HEAD
    check "git shows only the lines that changed" grep -q '2 insertions(+), 1 deletion(-)' out
else
    skip "git keeps the lines that nobody changed" "there is no git"
fi

# Rows without ids are compared whatever their order.

printf 'x,y,n\n1,1,a\n2,2,b\n3,3,c\n' > ordered.csv
printf 'x,y,n\n0,0,new\n3,3,c\n1,1,a\n2,2,b\n' > shuffled.csv
run diff ordered.csv shuffled.csv
check "a row that is inserted at the top is added" prints 1 \
    'change,id,old_x,old_y,old_n,new_x,new_y,new_n\nadded,0,,,,0,0,new\n'
run diff shuffled.csv ordered.csv
check "a row that is removed from the top is removed" prints 1 \
    'change,id,old_x,old_y,old_n,new_x,new_y,new_n\nremoved,0,0,0,new,,,\n'
printf 'x,y,n\n2,2,B\n1,1,a\n4,3,c\n' > edited.csv
run diff ordered.csv edited.csv
check "without ids, a row that moved is removed and added" prints 1 \
'change,id,old_x,old_y,old_n,new_x,new_y,new_n
changed,1,2,2,b,2,2,B
removed,2,3,3,c,,,
added,2,,,,4,3,c\n'

# Columns that the sides added and removed.

# merges STATUS EXPECTED OURS THEIRS: merges two files with b.csv, and checks the status and what is
# printed on standard output and standard error.
merges()
{
    printf '%b' "$2" > expected
    run merge b.csv "$3" "$4"
    cat err >> out
    check "merge $3 and $4" test "$status $(cmp out expected && echo same)" = "$1 same"
}
printf 'id,x,y,name\n7,1,2,cat\n8, 3 ,4,"dog"\n9,5,6,owl\n' > b.csv
printf 'id,x,y,name,pop\n7,1,2,cat,10\n8, 3 ,4,"dog",20\n9,5,6,owl,30\n' > pop.csv
printf 'id,x,y,name\n7,1,2,cats\n9,5,6,owl\n10,8,8,new\n' > rows.csv
merges 0 'id,x,y,name,pop\n7,1,2,cats,10\n9,5,6,owl,30\n10,8,8,new,\n' pop.csv rows.csv
merges 0 'id,x,y,name,pop\n7,1,2,cats,10\n9,5,6,owl,30\n10,8,8,new,\n' rows.csv pop.csv
merges 0 'id,x,y,name,pop\n7,1,2,cat,10\n8, 3 ,4,"dog",20\n9,5,6,owl,30\n' pop.csv b.csv
merges 0 'id,x,y,name,pop\n7,1,2,cat,10\n8, 3 ,4,"dog",20\n9,5,6,owl,30\n' b.csv pop.csv
printf 'id,"my size",x,y,name\n7,s,1,2,cat\n8,m, 3 ,4,"dog"\n9,l,5,6,owl\n11,xl,0,0,"a,b"\n' > size.csv
merges 0 'id,"my size",x,y,name,pop\n7,s,1,2,cat,10\n8,m, 3 ,4,"dog",20\n9,l,5,6,owl,30\n11,xl,0,0,"a,b",\n' \
    pop.csv size.csv
merges 0 'id,"my size",x,y,name,pop\n7,s,1,2,cat,10\n8,m, 3 ,4,"dog",20\n9,l,5,6,owl,30\n11,xl,0,0,"a,b",\n' \
    size.csv pop.csv
printf 'id,x,y,name,POP\n7,1,2,cat,10\n8,3,4.5,dog,20\n9,5,6,owl,30\n' > same.csv
merges 0 'id,x,y,name,pop\n7,1,2,cat,10\n8,3,4.5,dog,20\n9,5,6,owl,30\n' pop.csv same.csv
printf 'id,x,y,name,pop\n7,1,2,cat,10\n8,3,4,dog,21\n9,5,6,owl,30\n' > twenty.csv
merges 1 'pqt: conflict: id 8: base (3,4,"dog",""), ours (3,4,"dog","20"), theirs (3,4,"dog","21")
pqt: 1 conflict, nothing is written (resolve them with --resolve)\n' pop.csv twenty.csv
printf 'id,x,y\n7,1,2\n8,3,4.5\n9,5,6\n' > nameless.csv
merges 0 'id,x,y,pop\n7,1,2,10\n8,3,4.5,20\n9,5,6,30\n' pop.csv nameless.csv
merges 0 'id,x,y,pop\n7,1,2,10\n8,3,4.5,20\n9,5,6,30\n' nameless.csv pop.csv
printf 'id,x,y,name\n7,1,2,cat\n8,3,4,dogs\n9,5,6,owl\n' > named.csv
merges 1 'pqt: conflict: column name: removed in ours, changed in theirs (id 8)
pqt: 1 conflict, nothing is written (--resolve does not decide those of columns)\n' nameless.csv named.csv
merges 1 'pqt: conflict: column name: removed in theirs, changed in ours (id 8)
pqt: 1 conflict, nothing is written (--resolve does not decide those of columns)\n' named.csv nameless.csv
merges 0 'id,x,y\n7,1,2\n8,3,4.5\n9,5,6\n' nameless.csv nameless.csv
printf 'name,y,x,id\ncat,2,1,7\ndog,4,3.5,8\nowl,6,5,9\n' > turned.csv
merges 0 'id,x,y,name,pop\n7,1,2,cat,10\n8,3.5,4,dog,20\n9,5,6,owl,30\n' pop.csv turned.csv
merges 0 'name,pop,y,x,id\ncat,10,2,1,7\ndog,20,4,3.5,8\nowl,30,6,5,9\n' turned.csv pop.csv
printf 'id;x;y;name;pop\n7;1;2;cat;"1;0"\n8;3,5;4;dog;20\n9;5;6;owl;3,0\n' > semicolons.csv
merges 0 'id,x,y,name,pop\n7,1,2,cat,1;0\n8,3.5,4,dog,20\n9,5,6,owl,"3,0"\n' b.csv semicolons.csv
printf 'id,x,y,name,pop,Pop\n7,1,2,cat,1,2\n' > double.csv
merges 2 'pqt: double.csv: column occurs twice, so its changes cannot be merged (Pop)\n' b.csv double.csv
mv b.csv ids.csv
printf 'x,y,name\n1,2,cat\n3,4,dog\n' > b.csv
printf 'x,y,name,pop\n1,2,cat,10\n3,4,dog,20\n' > pop.csv
printf 'x,y,name\n1,2,cats\n3,4,dog\n5,6,owl\n' > rows.csv
merges 0 'x,y,name,pop\n1,2,cats,10\n3,4,dog,20\n5,6,owl,\n' pop.csv rows.csv
merges 0 'x,y,name,pop\n1,2,cats,10\n3,4,dog,20\n5,6,owl,\n' rows.csv pop.csv
finish

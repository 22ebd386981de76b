#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_csv.sh: tests passing CSV between commands: empty sets, and reading the output of other
# commands.
#
# PQT names the program; the default is ./pqt.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"

# A header alone is an empty set for every command that reads CSV.

printf 'id,name,x,y\n' > empty.csv
printf 'id,name,x,y' > unended.csv
printf 'id,name,x,y\n1,cat,1,1\n2,dog,2,2\n' > two.csv

# answers STATUS OUTPUT ARGUMENT...: checks that the command ends with the status and prints OUTPUT,
# a printf format, and nothing on standard error.
answers()
{
    expected_status=$1
    # shellcheck disable=SC2059 # a format
    printf "$2" > expected
    shift 2
    run "$@"
    check "pqt $*" printed "$expected_status"
}

# printed STATUS: checks that the last run ended with the status and printed the expected text.
printed()
{
    [ "$status" -eq "$1" ] && cmp -s expected out && [ ! -s err ]
}

# lacks PATTERN FILE: checks that no line of the file matches.
lacks()
{
    ! grep -qE "$1" "$2"
}

# fact NAME: prints this fact from the last output of info.
fact()
{
    sed -n "s/^$1  *//p" out
}

for file in empty.csv unended.csv; do
    run info $file
    check "info succeeds without rows: $file" succeeded
    check "info without rows counts none: $file" \
        test "$(fact rows)$(fact items)$(fact points)" = 000
    check "info without rows prints neither NaN nor infinity: $file" lacks 'nan|inf' out
    run draw $file -o drawn.svg
    check "draw succeeds without items: $file" succeeded
    check "draw without items writes a picture: $file" is_picture drawn.svg
    check "draw without items draws none: $file" lacks '^<path class="items( dot)?" ' drawn.svg
done
run info --bounds 0,0,9,9 empty.csv
check "info accepts bounds for a file without rows" test "$status $(fact bounds)" = "0 0, 0 .. 9, 9"
for window in 0,0,1,1 -inf,-inf,inf,inf 0,0,0,0; do
    run draw empty.csv -w "$window" -o drawn.svg
    check "draw of a window succeeds without items: $window" succeeded
    check "draw of a window without items writes a picture: $window" is_picture drawn.svg
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
check "search reads the output of a merge without rows" test "$status $(fact items)" = "0 0"
for command in "nearest -p 1,1" "nearest -p 1,1 -k 3 --max 5" "ray --from 0,0 --to 1,1 --all" "pairs" \
    "pairs two.csv" "diff empty.csv" "merge empty.csv empty.csv"; do
    # shellcheck disable=SC2086 # words
    run $command empty.csv --svg drawn.svg
    check "pqt $command empty.csv draws" is_picture drawn.svg
    check "pqt $command empty.csv prints no error" test ! -s err
done
printf 'insert 5 1 1\nundo\nshow\nchanged 0 0 2 2\nitem 5\nbetween 0 1\ncontent 0 0 2 2\n' > ops
run history empty.csv --script ops --svg drawn.svg
check "a history may start without items" succeeded
check "a history without items is drawn" is_picture drawn.svg
: > ops
run history empty.csv --script ops
check "a history may remain without items" succeeded
mkdir data
printf 'lon,lat\n' > data/cities.csv
printf 'min_x,min_y,max_x,max_y\n' > data/countries.csv
for edits in 0 300; do
    run demo --data data --edits $edits -o drawn.svg
    check "the demo passes its checks without data and with $edits edits" succeeded
    check "the demo without data prints neither NaN nor infinity, with $edits edits" \
        lacks 'nan|inf' out
    check "the demo without data draws a picture, with $edits edits" is_picture drawn.svg
done

# The output of each command is readable by the others.

# lines LINE...: prints these lines, which are printf formats.
lines()
{
    printf '%s\\n' "$@"
}

printf 'u,y,name,x\n,1,"a, b",1\n" v",2,"say ""no""",2\n"two\nlines",9,c,9\n' > odd.csv
answers 0 "$(lines id,u,y,name,x '0,,1,"a, b",1' '1," v",2,"say ""no""",2')" search -w 0,0,5,5 odd.csv
answers 0 "$(lines id,u,y,name,x '2,"two' 'lines",9,c,9')" search -w 9,9,9,9 odd.csv
answers 1 "$(lines id,u,y,name,x)" search -w 50,50,60,60 odd.csv
answers 0 "$(lines id,u,y,name,x,distance '0,,1,"a, b",1,1')" nearest -p 0,1 odd.csv
answers 0 "$(lines id,u,y,name,x,fraction '1," v",2,"say ""no""",2,0.5')" ray --from 2,0 --to 2,4 odd.csv
printf 'X,Y,"a ""b"", c",id\n1,1,z,7\n' > capital.csv
answers 0 "$(lines 'X,Y,"a ""b"", c",id' 1,1,z,7)" search -w 0,0,5,5 capital.csv
answers 0 "$(lines 'X,Y,"a ""b"", c",id,second_id,second_u,second_y,second_name,second_x' \
    '1,1,z,7,0,,1,"a, b",1')" pairs capital.csv odd.csv
answers 0 "$(lines 'id,u,y,name,x,second_X,second_Y,"second_a ""b"", c",second_id' '0,,1,"a, b",1,1,1,z,7')" \
    pairs odd.csv capital.csv

# An added column has a unique name.
printf 'x,y,Distance,fraction,distance_2,SECOND\n1,1,a,b,c,d\n1,2,e,f,g,h\n' > taken.csv
head=x,y,Distance,fraction,distance_2,SECOND
answers 0 "$(lines id,$head,distance_3 0,1,1,a,b,c,d,0)" nearest -p 1,1 taken.csv
answers 0 "$(lines id,$head,fraction_2 0,1,1,a,b,c,d,0)" ray --from 1,1 --to 0,0 taken.csv
printf 'x,y,Second_x\n1,1,a\n' > second.csv
answers 0 "$(lines id,x,y,Second_x,second_2_id,second_2_x,second_2_y,second_2_Second_x 0,1,1,a,0,1,1,a)" \
    pairs second.csv second.csv

# The output of each command is piped into each command that reads.
data=$top/docs/examples/data
cp "$data/cities.csv" "$data/countries.csv" .
window=5.9,45.8,10.5,47.8
"$program" search -w $window cities.csv > swiss.csv
"$program" nearest -p 8.55,47.37 -k 50 cities.csv > near.csv
"$program" ray --from=-20,40 --to 60,55 --all countries.csv > hit.csv
"$program" pairs --relation inside cities.csv countries.csv > within.csv
for file in swiss near hit within; do
    check "$file.csv has rows" test "$(wc -l < $file.csv)" -gt 10
    for command in info "search -w=-inf,-inf,inf,inf" "nearest -p 0,0" "ray --from=-180,0 --to 180,50" \
        "pairs -c" "draw -o drawn.svg"; do
        # shellcheck disable=SC2086 # words
        "$program" $command - < $file.csv > out 2> err
        status=$?
        check "pqt $command reads $file.csv from standard input" test "$status" -le 1 -a ! -s err
    done
    run diff $file.csv $file.csv
    check "pqt diff reads $file.csv" succeeded
    run merge $file.csv $file.csv $file.csv
    check "pqt merge reads $file.csv" succeeded
done
LC_ALL=C sort swiss.csv > expected
"$program" search -w $window swiss.csv | LC_ALL=C sort > sorted
check "search finds the same rows in its own output" cmp -s expected sorted
"$program" search -w $window -r inside cities.csv > whole.csv
run diff -c whole.csv swiss.csv
check "search --relation inside finds the same points with the same ids" succeeded
"$program" search -w $window cities.csv | "$program" nearest -p 8.55,47.37 -k 5 - > out 2> err
"$program" nearest -p 8.55,47.37 -k 5 cities.csv > expected
check "nearest finds the same items in the output of a search as in the file" cmp -s expected out
"$program" search -w $window cities.csv | "$program" draw - -o piped.svg
"$program" draw swiss.csv -o drawn.svg
check "draw draws the output of a search from a pipe as from a file" \
    test "$(grep -c '^<path class="items' piped.svg)$(grep '^<path' piped.svg)" = \
    "$(grep -c '^<path class="items' drawn.svg)$(grep '^<path' drawn.svg)"
"$program" search -w 0,0,0,0 cities.csv | "$program" draw - -o piped.svg
check "draw accepts an empty output of a search" is_picture piped.svg
cut -d, -f1 within.csv | sed 1d | LC_ALL=C sort -u > expected
"$program" search -w=-inf,-inf,inf,inf within.csv | cut -d, -f1 | sed 1d | LC_ALL=C sort -u > sorted
check "search reads the first items of pairs with their ids" cmp -s expected sorted
# test/tables.txt has texts that the library and the package for JavaScript read, too.

# items FILE: prints the items of a file as test/tables.txt does.
items()
{
    "$program" search -w=-inf,-inf,inf,inf -o items.pqt "$1" > out 2> err # status 1: no items
    [ $? -le 1 ] || return 2
    "$program" search -w=-inf,-inf,inf,inf items.pqt | sed 1d | tr , ' ' | LC_ALL=C sort
}

# read_as ANSWER: checks that case.csv has the answer of a line of test/tables.txt.
read_as()
{
    case $1 in
        line\ *)
            run info case.csv
            line=${1%%: *}
            refused "pqt: case.csv:${line#line }: ${1#*: }"
            ;;
        *)
            run info case.csv
            succeeded && items case.csv > found && printf '%s\n' "$1" | tr ';' '\n' | sed '/^$/d' | LC_ALL=C sort |
                cmp -s - found
            ;;
    esac
}

tab=$(printf '\t')
while IFS=$tab read -r name text answer; do
    case $name in '' | \#*) continue ;; esac
    [ "$text" != - ] || text=
    [ "$answer" != - ] || answer=
    # shellcheck disable=SC2059 # a format without conversions
    printf "$text" > case.csv
    check "the program reads the shared case: $name" read_as "$answer"
done < "$top/test/tables.txt"

# Boxes given by sizes.

printf 'id,x,y,w,h,n\n1,0.1,0.2,0.7,0.10,a\n2,5,5,0,0,b\n' > sizes.csv
run info sizes.csv
check "sizes make boxes" test "$(fact points)" = 1
answers 0 'id,x,y,w,h,n\n1,0.1,0.2,0.7,0.10,a\n' search -w 0.75,0,1,1 sizes.csv
printf 'id,x,y,w,h,n\n1,0.1,0.2,0.70,0.10,a\n2,5,5,1,0,b\n' > larger.csv
answers 1 "$(lines change,id,old_x,old_y,old_w,old_h,old_n,new_x,new_y,new_w,new_h,new_n \
    changed,1,0.1,0.2,0.7,0.10,a,0.1,0.2,0.70,0.10,a moved,2,5,5,0,0,b,5,5,1,0,b)" diff sizes.csv larger.csv

# Columns with other names.

printf 'ref,a,b,x,y\n7,1,2,8,9\n4,3,4,8,9\n' > named.csv
answers 0 'ref,a,b,x,y\n7,1,2,8,9\n' search -w 0,0,2,2 --x a --y B --id REF named.csv
answers 0 'ref,a,b,x,y,distance\n4,3,4,8,9,1\n' nearest --point 3,3 --x a --y b --id ref named.csv
answers 0 'id,ref,a,b,x,y\n0,7,1,2,8,9\n' search -w 0,0,2,2 --box a,b,x,y named.csv
run diff --x a --y b --id ref --count named.csv named.csv
check "both files of diff have the named columns" test "$status $(grep -c 0 out)" = "0 4"
run info --x a --y c named.csv
check "a named column that is missing is refused" refused "pqt: named.csv:1: no column c (ref,a,b,x,y)"
run info --x a named.csv
check "--x alone is refused" refused "pqt: --x needs --y"
run info --x a --y A named.csv
check "one column for x and y is refused" refused "pqt: a column is named twice (A)"
run info --x a --y b --box a,b,x,y named.csv
check "--box and --x are refused" refused \
    "pqt: only one of --x with --y, --box and --geometry can be used"
for box in a,b,x a,b,x,y,ref a,,x,y ''; do
    run info --box "$box" named.csv
    check "not four columns are refused: $box" refused "pqt: --box is not four columns X0,Y0,X1,Y1 ($box)"
done

# Geometries.

printf 'id,wkt,n\n1,"LINESTRING (0 0,2 1)",a\n2,POINT (5 5),b\n' > lines.csv
answers 0 'id,wkt,n\n1,"LINESTRING (0 0,2 1)",a\n' search -w 1,1,4,4 lines.csv
answers 0 'id,wkt,n,distance\n2,POINT (5 5),b,0\n' nearest --point 5,5 lines.csv
printf 'id,wkt,n\n1,"LINESTRING (0 0,2 1)",c\n2,POINT (5 5),b\n' > renamed.csv
printf 'id,wkt,n\n1,"LINESTRING (0 1,2 0)",a\n2,POINT (6 5),b\n' > shifted.csv
answers 1 "$(lines change,id,old_wkt,old_n,new_wkt,new_n \
    'changed,1,"LINESTRING (0 0,2 1)",a,"LINESTRING (0 1,2 0)",a' \
    'moved,2,POINT (5 5),b,POINT (6 5),b')" diff lines.csv shifted.csv
answers 0 'id,wkt,n\n1,"LINESTRING (0 1,2 0)",c\n2,POINT (6 5),b\n' merge lines.csv renamed.csv shifted.csv
answers 0 'id,wkt,n\n1,"LINESTRING (0 1,2 0)",c\n2,POINT (6 5),b\n' merge lines.csv shifted.csv renamed.csv
printf 'shape,x,y\nPOINT (5 5),7,0\n' > shapes.csv
answers 0 'shape,x,y\nPOINT (5 5),7,0\n' search -w 5,5,6,6 --geometry shape --id x shapes.csv

# Files without a header, such as those of GeoNames.

printf '2660646\tGen\303\250ve\t\t\t46.2022\t6.14569\tP\n2657896\tZ\303\274rich\tZuri, the city\t\t47.36667\t8.55\tP\n' > geonames.txt
answers 0 'id,column_2,column_3,column_4,y,x,column_7\n2657896,Z\303\274rich,"Zuri, the city",,47.36667,8.55,P\n' \
    search -w 8,47,9,48 --no-header --x 6 --y 5 --id 1 geonames.txt
cp out first
run search -w 8,47,9,48 --no-header --x 6 --y 5 --id 1 - < geonames.txt
check "a file without a header is read from standard input" cmp -s out first
"$program" search -w 8,47,9,48 first > out
check "and its output has a header" cmp -s out first
printf '\357\273\2771;2,5;3;"a;b"\r\n4;5;6;c\r\n' > bare.csv
answers 0 'id,x,y,column_3,column_4\n0,1,2.5,3,a;b\n1,4,5,6,c\n' search -w 0,0,9,9 --no-header --x 1 --y 2 bare.csv
printf '0,1,2,3,"two\nlines"\n4,5,6,7,b' > boxes.csv
answers 0 'id,min_x,min_y,max_x,max_y,column_5\n0,0,1,2,3,"two\nlines"\n1,4,5,6,7,b\n' \
    search -w 0,0,9,9 --no-header --box 1,2,3,4 boxes.csv
printf 'a,POINT (1 2)\n' > wkt.csv
answers 0 'id,column_1,wkt\n0,a,POINT (1 2)\n' search -w 0,0,9,9 --no-header --geometry 2 wkt.csv
run info --no-header geonames.txt
check "--no-header without numbers is refused" refused \
    "pqt: --no-header needs the numbers of columns (--x 2 --y 3, --box 2,3,4,5 or --geometry 2)"
run info --no-header --x 6 --y lat geonames.txt
check "--no-header with a name is refused" refused \
    "pqt: with --no-header, a column is named by its number, counted from 1 (lat)"
run info --no-header --x 6 --y 8 geonames.txt
check "a column that is not there is refused" refused "pqt: geonames.txt:1: no column 8 (the first row has 7)"
run info --no-header --x 6 --y 6.0 geonames.txt
check "a number with a point is refused" refused \
    "pqt: with --no-header, a column is named by its number, counted from 1 (6.0)"
run info --no-header --x 6 --y 06 geonames.txt
check "a number with a leading zero is refused" refused \
    "pqt: with --no-header, a column is named by its number, counted from 1 (06)"
run info --no-header --x 5 --y 2 geonames.txt
check "an error names the line of the file" refused "pqt: geonames.txt:1: y is not a number ($(printf 'Gen\303\250ve'))"
run merge --no-header --x 5 --y 6 geonames.txt geonames.txt geonames.txt
check "a merge without headers is refused" refused "pqt: --no-header cannot be used here: the result has a header"

# Rows whose fields are read again, from files and pipes.

awk 'BEGIN {
    print "id,x,y,name"
    for (i = 0; i < 400; i++)
        printf "%d,%d,%d,\"%s\nrow %d\"\n", (i * 37) % 400, i % 20, int(i / 20), substr("aaaaaaaaaaaaaaaaaaaa", 1, i % 20), i
}' > again.csv
run search -w 3,0,4,19 again.csv
awk 'NR > 1 && /^[0-9]/ { split($0, f, ","); keep = f[2] == 3 || f[2] == 4 } NR == 1 || keep' again.csv | sort > expected
sort out > sorted
check "rows that are read again have their own fields" cmp -s sorted expected
cp out first
run search -w 3,0,4,19 - < again.csv
check "standard input from a file is read again" cmp -s out first
# shellcheck disable=SC2002 # a pipe is meant
cat again.csv | { run search -w 3,0,4,19 -; }
check "standard input from a pipe is read again" cmp -s out first
printf 'id,x,y,n\n5,1,1,a\n5,2,2,b\n5,1,1,c\n3,1,1,d\n' > twins.csv
answers 0 'id,x,y,n\n5,2,2,b\n' search -w 2,2,3,3 twins.csv
answers 0 'id,x,y,n,distance\n5,1,1,a,0\n3,1,1,d,0\n' nearest --point 1,1 -k 2 twins.csv
awk 'BEGIN { print "x,y,n"; for (i = 0; i < 3; i++) { printf "%d,0,", i; for (k = 0; k < 30000; k++) printf "%d%d%d%d%d", i, k, i, k, i; print "" } }' > wide.csv
run search -w 1,0,1,0 wide.csv
check "a row of 300 kB is read again" test "$(cut -d, -f 4 out | sed 1d)" = "$(sed -n 3p wide.csv | cut -d, -f 3)"

# A tree that is built in parts equals the tree that merge builds at once.

awk 'BEGIN {
    print "id,min_x,min_y,max_x,max_y"
    for (i = 0; i < 200000; i++) {
        x = (i * 7919) % 10007; y = (i * 104729) % 10009
        if (i % 3 == 0) { x = x / 1e9; y = y / 1e9 }
        if (i % 1000 == 0) { x = 5; y = 5 }
        printf "%d,%.10g,%.10g,%.10g,%.10g\n", i, x, y, x + (i % 7) * (i % 50 == 0 ? 900 : 1), y + i % 5
    }
}' > parts.csv
"$program" merge parts.csv parts.csv parts.csv -o whole.pqt
"$program" info parts.csv | grep -E '^(items|bounds|fingerprint|inner|leaves)' > out
"$program" info whole.pqt | grep -E '^(items|bounds|fingerprint|inner|leaves)' > expected
check "a tree of 200,000 boxes is built in parts" test "$(wc -l < out) $(cmp out expected && echo same)" = "5 same"
awk 'BEGIN { print "id,x,y"; for (i = 0; i < 100000; i++) printf "%d,7,-0\n", i }' > stack.csv
"$program" merge stack.csv stack.csv stack.csv -o whole.pqt
"$program" info stack.csv | grep -E '^(items|bounds|fingerprint)' > out
"$program" info whole.pqt | grep -E '^(items|bounds|fingerprint)' > expected
check "a tree of 100,000 points at one place is built in parts" cmp out expected

# Memory: a file is never in memory as a whole. A program with a sanitizer cannot start with little.

limit=400000
# shellcheck disable=SC3045 # dash and bash have it
(ulimit -v "$limit" && "$program" info again.csv > out 2> err) || limit=unlimited
limited()
{
    # shellcheck disable=SC3045 # dash and bash have it
    (ulimit -v "$limit" && "$program" "$@" > out 2> err)
    status=$?
}
rows=40000
[ "$limit" != unlimited ] || rows=2000
long_rows()
{
    awk -v rows="$rows" 'BEGIN { print "x,y,text"; for (i = 0; i < 1000; i++) text = text "0123456789abcdef"
        for (i = 0; i < rows; i++) printf "%d,%d,%s\n", i % 200, i / 200, text }'
}
long_rows | limited info -
check "a stream of 640 MB takes less than 400 MB" test "$status $(grep '^items' out | tr -cd 0-9)" = "0 $rows"
long_rows | limited search -w 1,1,1,1 -
check "and so does a search with all its columns" test "$status $(wc -l < out) $(wc -c < out)" = "0 2 16021"

long_rows | limited draw - -o drawn.svg
check "and so does a picture" test "$status $(sed -n 's/.* items: *//p' drawn.svg | grep -c .)$(is_picture drawn.svg && echo svg)" = "0 0svg"
long_rows > long.csv
# shellcheck disable=SC2094 # it is only read
limited diff --places --count long.csv - < long.csv
check "and so do the differences of positions" test "$status $(grep -c ' 0$' out)" = "0 4"

# Hostile files: one line, status 2, and little memory.

# hostile NAME FILE MESSAGE: checks that a file is refused in one line that has the message.
hostile()
{
    limited info "$2"
    check "$1" test "$status $(wc -c < out) $(wc -l < err) $(grep -cF "$3" err)" = "2 0 1 1"
}
awk 'BEGIN { printf "x"; for (i = 0; i < 1000000; i++) printf ",c%d", i; print "" }' > hostile.csv
hostile "a header of a million columns is refused" hostile.csv "record is longer than 1048576 bytes"
awk 'BEGIN { printf "x"; for (i = 0; i < 500000; i++) printf ","; print ""; print "1" }' > hostile.csv
hostile "half a million columns without names are refused" hostile.csv "column is missing (y)"
awk 'BEGIN { printf "x,y\n1,2\n3"; for (i = 0; i < 1000000; i++) printf ","; print "" }' > hostile.csv
hostile "a row of a million fields is refused" hostile.csv ":3: wrong number of fields (1000001 where the header has 2)"
awk 'BEGIN { printf "x,y\n1,"; for (i = 0; i < 1000000; i++) printf "9"; print "" }' > hostile.csv
hostile "a number of a million digits is refused" hostile.csv ":2: y is not a number (999999999999999999999999...)"
awk 'BEGIN { printf "x,y\n1,1e"; for (i = 0; i < 1000000; i++) printf "9"; print "" }' > hostile.csv
hostile "an exponent of a million digits is refused" hostile.csv ":2: y is not a number (1e9999"
awk 'BEGIN { printf "wkt\n\""; for (i = 0; i < 1000000; i++) printf "GEOMETRYCOLLECTION ("; print "\"" }' > hostile.csv
hostile "geometries that are nested a million times are refused" hostile.csv ":2: wkt "
for word in NaN inf -Infinity 1e400 nan\(1\); do
    printf 'x,y\n1,%s\n' "$word" > hostile.csv
    hostile "$word is refused" hostile.csv ":2: y is not a"
done
printf 'x,y\n1,2\n3,"4' > hostile.csv
hostile "a truncated row is refused" hostile.csv ":3: quote is not closed (end of file)"
printf '\377\376x\0,\0y\0\n\0' > hostile.csv
hostile "UTF-16 is refused" hostile.csv ":1: the file is UTF-16, and a table must be UTF-8"
printf 'Nr;Ort;L\344nge;Breite\n1;Z\374rich;8,5;47,3\n' > hostile.csv
hostile "a header in Windows-1252 without a position is refused" hostile.csv \
    ":1: no position; the names look like Windows-1252, not UTF-8 (L\xe4nge)"
limited info --x Länge --y Breite hostile.csv
check "and so is a column that is named in UTF-8" refused \
    "pqt: hostile.csv:1: no column Länge; the names look like Windows-1252, not UTF-8 (L\xe4nge)"
printf 'x,y,n\n1,\351,a\n' > hostile.csv
hostile "a number in Windows-1252 is refused" hostile.csv ":2: y is not a number (\\xe9)"
awk 'BEGIN { for (i = 0; i < 30000000; i++) print "" }' > hostile.csv
hostile "blank lines alone are refused" hostile.csv ":30000001: no header (end of file)"
awk 'BEGIN { printf "x,y,text\n1,2,\""; for (i = 0; i < 14000000; i++) printf "0123456789" }' > hostile.csv
hostile "a quote that is not closed in 140 MB is refused" hostile.csv ":2: record is longer than 134217728 bytes"
printf 'x,y\n1,2\r\n3,4\r5,6\n\r\n7,8' > mixed.csv
answers 0 'id,x,y\n0,1,2\n1,3,4\n2,5,6\n3,7,8\n' search -w 0,0,9,9 mixed.csv

# Files of other programs.

# foreign WHAT BYTES...: checks that a file with these first bytes is refused with what it is.
foreign()
{
    # shellcheck disable=SC2059 # a format
    printf "$2" > foreign.dat
    head -c 100 /dev/zero >> foreign.dat
    run info foreign.dat
    check "$1 is refused" refused "pqt: foreign.dat: is $1, and not a table ($3)"
}
gdal='ogr2ogr -f GeoJSONSeq /vsistdout/ FILE | pqt ... -'
foreign "a PNG picture" '\211PNG\r\n\032\n' "pqt region reads it"
foreign "a GeoPackage or another database of SQLite" 'SQLite format 3\000' "$gdal"
foreign FlatGeobuf 'fgb\003fgb\000' "$gdal"
foreign "a Shapefile" '\000\000\047\012' "$gdal"
foreign Parquet 'PAR1\025' "$gdal"
foreign "XML, such as KML or GPX" '<?xml version="1.0"?>' "$gdal"
foreign "a ZIP archive, such as a workbook of Excel" 'PK\003\004' "unpack it, or save it as CSV"
foreign compressed '\037\213\010' "gunzip -c FILE | pqt ... -"
printf 'PAR1,x,y\n7,1,2\n' > similar.csv
answers 0 'id,PAR1,x,y\n0,7,1,2\n' search -w 0,0,9,9 similar.csv
head -c 1000000 /dev/urandom > hostile.csv
limited info hostile.csv
check "random bytes are refused" test "$status $(wc -l < err)" = "2 1"
finish

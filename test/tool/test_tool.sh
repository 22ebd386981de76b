#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool.sh: tests the pqt program: its output, its files, and its errors.
#
# PQT names the program; the default is ./pqt. Its answers are compared with those of awk, which
# reads every line.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"
data=$top/docs/examples/data

# refuses_file NAME MESSAGE [MORE...]: checks that the command, and the commands MORE, refuse f.csv
# and write no file.
refuses_file()
{
    for command in "draw -o old.svg" ${3:+"$3"} ${4:+"$4"} ${5:+"$5"}; do
        command="$command f.csv"
        echo kept > old.svg
        # shellcheck disable=SC2086 # words
        run $command
        if ! refused "pqt: f.csv$2" || [ -e new.svg ] || [ "$(cat old.svg)" != kept ] || ! no_scraps
        then
            fail "$1 ($command)"
            sed 's/^/# /' err | head -n 5
            return
        fi
    done
    pass "$1"
}

# refuses NAME CONTENT MESSAGE: checks that a file is refused. CONTENT is a printf format.
refuses()
{
    # shellcheck disable=SC2059 # a format
    printf "$2" > f.csv
    refuses_file "$1" "$3"
}

# refuses_always NAME CONTENT MESSAGE: like refuses, but for every command.
refuses_always()
{
    # shellcheck disable=SC2059 # a format
    printf "$2" > f.csv
    refuses_file "$1" "$3" info "search -w 0,0,1,1" "draw -o new.svg"
}

# Files that are not tables.

rm -f f.csv
refuses_file "a file that does not exist" ": cannot be opened (No such file or directory)" \
    info "search -w 0,0,1,1" "draw -o new.svg"
mkdir f.csv
refuses_file "a directory" ": cannot be read (Is a directory)"
rmdir f.csv
refuses_always "an empty file" '' ":1: no header (end of file)"
refuses "blank lines alone" '\n  \n\r\n' ":4: no header (end of file)"
refuses "UTF-16" '\377\376x\000,\000y\000\n\000' \
    ":1: the file is UTF-16, and a table must be UTF-8"
refuses "a zero byte" 'x,y\n1,2\n3,\0004\n' \
    ":3: the line has a zero byte, so the file is not UTF-8 text (3,\\x004)"

# Columns.

refuses "no columns of a position" 'a,b\n1,2\n' \
    ":1: no columns min_x,min_y,max_x,max_y or x,y or lon,lat or wkt (a,b)"
refuses "a missing column of four" 'min_x,max_x,min_y\n1,2,3\n' ":1: column is missing (max_y)"
refuses "a missing column of two" '\nid,lat\n1,2\n' ":2: column is missing (lon)"
refuses "a column that occurs twice" 'x,y,X\n1,2,3\n' ":1: column occurs twice (x)"
refuses "two ids" 'id,x,y,ID\n1,1,2,1\n' ":1: column occurs twice (id)"
refuses "two sets of columns for the position" 'x,y,lon,lat\n1,2,3,4\n' \
    ":1: columns of two positions (x,y and lon,lat)"

# Rows.

refuses_always "text in a number" 'x,y\n1,2\n3,abc\n' ":3: y is not a number (abc)"
refuses "an empty number" 'x,y\n1,\n' ":2: y is not a number ()"
refuses "a number in another base" 'x,y\n0x10,1\n' ":2: x is not a number (0x10)"
refuses "a number followed by other characters" 'x,y\n1,"2 "\n' ":2: y is not a number (2 )"
refuses "a number with a comma" 'x,y\n"1,5",2\n' ":2: x is not a number (1,5)"
refuses "a lone sign" 'x,y\n-,2\n' ":2: x is not a number (-)"
refuses "half an exponent" 'x,y\n1e,2\n' ":2: x is not a number (1e)"
refuses "NaN" 'lon,lat\n1,NaN\n' ":2: lat is not a finite number (NaN)"
refuses "infinity" 'lon,lat\n-inf,1\n' ":2: lon is not a finite number (-inf)"
refuses "a number too large" 'x,y\n1,1e999\n' ":2: y is not a finite number (1e999)"
refuses "an inverted box in x" 'min_x,min_y,max_x,max_y\n0,0,1,1\n2.5,0,1,1\n' \
    ":3: box is inverted (min_x 2.5 > max_x 1)"
refuses "an inverted box in y" 'min_x,min_y,max_x,max_y\n0,1e-300,1,0\n' \
    ":2: box is inverted (min_y 1e-300 > max_y 0)"
refuses "a negative id" 'id,x,y\n-1,2,3\n' \
    ":2: id is not a whole number from 0 to 18446744073709551615 (-1)"
refuses "an id that is no number" 'id,x,y\n1,2,3\nA7,2,3\n' \
    ":3: id is not a whole number from 0 to 18446744073709551615 (A7)"
refuses "an id too large" 'id,x,y\n18446744073709551616,2,3\n' \
    ":2: id is not a whole number from 0 to 18446744073709551615 (18446744073709551616)"
refuses "a field too few" 'x,y,name\n1,2,a\n3,4\n5,6,c\n' \
    ":3: wrong number of fields (2 where the header has 3)"
refuses "a field too many" 'x,y,name\n1,2,a\n3,4,b,c\n' \
    ":3: wrong number of fields (4 where the header has 3)"
refuses "a last line that was cut off" 'x,y,name\n1,2,a\n3,4' \
    ":3: wrong number of fields (2 where the header has 3)"
refuses "a last line cut off within quotes" 'x,y,name\n1,2,a\n3,4,"b' \
    ":3: quote is not closed (end of file)"
refuses "an unclosed quote, with the line where it begins" 'x,y,name\n1,2,"a\n\nb"\n3,4,"c\n5,6,d\n7,8,e\n' \
    ":5: quote is not closed (end of file)"
refuses "a quote within a field" 'x,y,name\n1,2,a"b\n' ":2: quote in the wrong place (\"b)"
refuses "text after a quote" 'x,y,name\n1,2,"a"b\n' ":2: quote in the wrong place (b)"
refuses "lines counted through quoted line breaks" 'x,y,name\r\n1,2,"a\r\nb"\r\nz,4,c\r\n' \
    ":4: x is not a number (z)"
refuses "lines that end in CR" 'x,y\r1,2\r\r3,u\r' ":4: y is not a number (u)"
refuses "control characters in a value" 'x,y\n1,\033[31m\n' ":2: y is not a number (\\x1b[31m)"
bytes='\374\374\374\374\374\374\374\374\374\374\374\374\374\374\374\374'
refuses "many bytes that are not UTF-8" "x,y\\n1,$bytes$bytes$bytes$bytes\\n" \
    ":2: y is not a number (\\xfc\\xfc\\xfc\\xfc\\xfc\\xfc...)"
refuses "bytes that are not UTF-8" 'x,y\n1,\374\n' ":2: y is not a number (\\xfc)"
refuses "a surrogate, overlong forms, and what is beyond Unicode" \
    'x,y\n1,\355\240\200\340\200\200\360\200\200\200\364\220\200\200\302\205\n' \
    ":2: y is not a number (\\xed\\xa0\\x80\\xe0\\x80\\x80...)"
refuses "characters of two, three and four bytes are shown" \
    'x,y\n1,\303\274\342\202\254\360\237\230\200\n' ":2: y is not a number ($(printf '\303\274\342\202\254\360\237\230\200'))"

{ printf 'x,y,'; head -c 10000000 /dev/zero | tr '\0' 'x'; printf '\n1,2,a\n'; } > f.csv
refuses_file "a header of 10 MB" ":1: record is longer than 1048576 bytes \
(x,y,xxxxxxxxxxxxxxxxxxxx...)"
{ printf 'x,y,name\n1,2,a\n3,4,"'; yes 'abcdefg' | head -c 140000000; } > f.csv
refuses_file "an unclosed quote in a long file" ":3: record is longer than 134217728 bytes (3,4,\"abcdefg)"
printf 'x,y\n1,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n' > f.csv
refuses_file "a long value is cut" \
    ":2: y is not a number (aaaaaaaaaaaaaaaaaaaaaaaa...)"

# The command line.

printf 'x,y\n1,2\n' > g.csv

# refuses_call MESSAGE ARGUMENT...
refuses_call()
{
    message=$1
    shift
    run "$@"
    check "refused: pqt $*" refused "pqt: $message"
}

# A name that ends like one of another format.

other_ending()
{
    # shellcheck disable=SC2086 # the options are words
    refuses_call "$1: the output is $2, but its name has another ending (.${1##*.})" "$3" $4 "$1" g.csv
    check "no file is written: $1" test ! -e "$1"
}

other_ending out.png SVG draw -o
other_ending out.CSV SVG draw -o
other_ending out.svg CSV search "-w 0,0,9,9 -o"
other_ending out.pdf CSV search "-w 0,0,9,9 -o"
other_ending out.png SVG pairs --svg
other_ending out.pqt SVG nearest "-p 1,2 --svg"
other_ending out.png CSV merge "g.csv g.csv -o"
other_ending out.jpg SVG diff "g.csv --svg"
run search -w 0,0,9,9 -F csv -o out.png g.csv
check "--format allows any name" succeeded
rm -f out.png
for name in out.txt out .csv.d/out; do
    mkdir -p .csv.d
    run draw -o $name g.csv
    check "a picture may have the name $name" succeeded
done
rm -rf .csv.d out.txt

folder=a-folder-with-a-name-that-is-so-long-that-a-value-would-be-cut-before-its-end
refuses_call "$folder/g.csv: cannot be opened (No such file or directory)" info "$folder/g.csv"
refuses_call '"": cannot be opened (No such file or directory)' info ''
refuses_call "no command is given (pqt help lists them)"
refuses_call "unknown command (inform); did you mean info?" inform g.csv
refuses_call "unknown option (--frobnicate)" --frobnicate
refuses_call "unknown option (--frobnicate)" info --frobnicate g.csv
refuses_call "unknown option (-z)" search -z g.csv
refuses_call "unknown option (--frobnicate)" draw g.csv --frobnicate
refuses_call "unknown option (--frobnicate)" demo --frobnicate
refuses_call "no file is named (- is standard input)" info
refuses_call "unexpected argument (h.csv)" info g.csv h.csv
refuses_call "unexpected argument (g.csv)" demo g.csv
refuses_call "no window is given (--window X0,Y0,X1,Y1)" search g.csv
refuses_call "missing argument (--window)" search g.csv --window
for window in 1,2,3 1,2,3,4,5 1,2,3,x '1,2,3,' ',,,' '' nan,0,1,1 '1, 2,3,4' 1e,0,1,1; do
    refuses_call "--window is not four numbers X0,Y0,X1,Y1 ($window)" search --window "$window" g.csv
done
refuses_call "--window is inverted (5,0,1,1)" search -w 5,0,1,1 g.csv
refuses_call "--window is inverted (0,5,1,1)" draw -o new.svg -w 0,5,1,1 g.csv
refuses_call "--relation is not touches, overlaps, inside or covers (near)" \
    search -w 0,0,1,1 --relation near g.csv
refuses_call "no point is given (--point X,Y)" nearest g.csv
refuses_call "no start is given (--from X,Y)" ray --to 1,2 g.csv
refuses_call "no end is given (--to X,Y)" ray --from 1,2 g.csv
for point in 1 1,2,3 1,x '1,' '' nan,1 0x1,2; do
    refuses_call "--point is not two numbers X,Y ($point)" nearest --point "$point" -s new.svg g.csv
    refuses_call "--from is not two numbers X,Y ($point)" ray --from "$point" --to 1,2 g.csv
    refuses_call "--to is not two numbers X,Y ($point)" ray --from 1,2 --to "$point" g.csv
    refuses_call "--offset is not two numbers X,Y ($point)" pairs --offset "$point" g.csv g.csv
done
refuses_call "--point is not finite (1,inf)" nearest --point 1,inf g.csv
refuses_call "--from is not finite (1e999,0)" ray --from 1e999,0 --to 1,2 g.csv
refuses_call "--to is not finite (0,-inf)" ray --from 1,2 --to 0,-inf g.csv
refuses_call "--offset is not finite (inf,0)" pairs --offset inf,0 g.csv g.csv
for k in 0 -1 many 1.5 '' nan 99999999999999999999; do
    refuses_call "--k is not a whole number from 1 to 1000000000 ($k)" nearest -p 1,2 --k "$k" g.csv
done
for distance in -1 nan near '' 1,2; do
    refuses_call "--max is not a number >= 0 ($distance)" \
        nearest -p 1,2 --max "$distance" g.csv
done
refuses_call "--max is not finite (inf)" nearest -p 1,2 --max inf g.csv
refuses_call "--relation is not touches, overlaps, inside or covers (near)" pairs -r near g.csv
refuses_call "--offset needs a second file (FILE2)" pairs --offset 1,2 g.csv
refuses_call "standard input is named twice (-)" pairs - -
refuses_call "missing argument (--point)" nearest g.csv --point
refuses_call "unexpected argument (h.csv)" nearest -p 1,2 g.csv h.csv
refuses_call "unexpected argument (h.csv)" ray --from 1,2 --to 3,4 g.csv h.csv
refuses_call "unexpected argument (i.csv)" pairs g.csv h.csv i.csv
refuses_call "h.csv: cannot be opened (No such file or directory)" pairs -s new.svg g.csv h.csv
for command in "nearest -p 1,2" "ray --from 1,2 --to 3,4" pairs "pairs -c"; do
    # shellcheck disable=SC2086 # words
    refuses_call "no file is named (- is standard input)" $command
    # shellcheck disable=SC2086 # words
    refuses_call "unknown option (--frobnicate)" $command --frobnicate g.csv
    # shellcheck disable=SC2086 # words
    refuses_call "--svg may not be standard output, which receives the results (-)" $command --svg - g.csv
    # shellcheck disable=SC2086 # words
    refuses_call "g.csv: output is also an input (g.csv)" $command --svg g.csv g.csv
    # shellcheck disable=SC2086 # words
    refuses_call "none/x.svg: cannot be written (No such file or directory)" \
        $command --svg none/x.svg g.csv
done
cp g.csv g.rows
refuses_call "g.rows: output is also an input (g.rows)" pairs --svg g.rows plain.csv g.rows
refuses_call "no output is named (-o OUT.svg)" draw g.csv
refuses_call "g.csv: output is also an input (g.csv)" draw g.csv -o g.csv
refuses_call "none/x.svg: cannot be written (No such file or directory)" draw g.csv -o none/x.svg
refuses_call ".: cannot be written (Is a directory)" draw g.csv -o .
refuses_call "--capacity is not a whole number from 1 to 1024 (0)" info --capacity 0 g.csv
refuses_call "--depth is not a whole number from 0 to 32 (33)" info --depth 33 g.csv
refuses_call "--bounds is not finite (0,0,1,inf)" info --bounds 0,0,1,inf g.csv
refuses_call "--edits is not a whole number from 0 to 1000000 (many)" demo --edits many
refuses_call "none/cities.csv: cannot be opened (No such file or directory)" demo --data none
check "refused calls leave no file" test ! -e new.svg
check "refused calls do not change the input" test "$(cat g.csv)" = "x,y
1,2"

for command in info search nearest ray pairs draw demo; do
    run $command --help
    check "$command --help begins with the usage" grep -q "^Usage: pqt $command" out
    check "$command --help succeeds" succeeded
done
run --help
check "--help lists the commands" test "$(grep -cE '^  (info|search|nearest|ray|pairs|draw|demo) ' out)" = 7
run --version
check "--version prints the version" grep -qE '^pqt [0-9]+\.[0-9]+\.[0-9]+$' out

# Write errors are reported.

"$program" info g.csv 2> err >&-
status=$?
: > out
check "a closed standard output is an error" \
    refused "pqt: standard output: cannot be written (Bad file descriptor)"
if [ -c /dev/full ]; then
    for command in "info g.csv" "search -w 0,0,9,9 g.csv" "draw -o - g.csv" "--version" "info --help"
    do
        # shellcheck disable=SC2086 # words
        "$program" $command > /dev/full 2> err
        status=$?
        check "a full disk under standard output is an error ($command)" \
            refused "pqt: standard output: cannot be written (No space left on device)"
    done
    refuses_call "/dev/full: cannot be written (No space left on device)" draw -o /dev/full g.csv
    for command in "nearest -p 1,2" "ray --from 0,0 --to 2,4" "pairs -c"; do
        # shellcheck disable=SC2086 # words
        refuses_call "/dev/full: cannot be written (No space left on device)" \
            $command --svg /dev/full g.csv
        # shellcheck disable=SC2086 # words
        "$program" $command --svg new.svg g.csv > /dev/full 2> err
        status=$?
        : > out
        check "if lines cannot be written, no picture is left ($command)" \
            refused "pqt: standard output: cannot be written (No space left on device)"
        check "if lines cannot be written, no part of a picture is left ($command)" \
            test ! -e new.svg -a -z "$(find . -name '.pqt-*')"
    done
else
    skip "a full disk under standard output is an error" "there is no /dev/full"
fi
(
    ulimit -f 8
    exec "$program" draw -o new.svg "$data/cities.csv" > out 2> err
)
status=$?
check "an output that exceeds the file size limit is an error" refused "pqt: new.svg: cannot be written (File too large)"
check "an output that exceeds the file size limit is not left" test ! -e new.svg
check "an output that exceeds the file size limit leaves no temporary file" no_scraps

# Different notations of the same file.

printf 'id,min_x,min_y,max_x,max_y,name\n7,0,0,10,5,a b\n8,20,-3,20,-3,"c, ""d"""\n' > plain.csv

# fingerprint FILE: prints the fingerprint that info reports.
fingerprint()
{
    "$program" info "$1" 2> err | sed -n 's/^fingerprint *//p'
}

# means_the_same NAME FORMAT: checks that a file has the same fingerprint.
means_the_same()
{
    # shellcheck disable=SC2059 # a format
    printf "$2" > f.csv
    check "items are the same with $1" test "$(fingerprint f.csv)" = "$(fingerprint plain.csv)"
}

check "a fingerprint has 32 digits" test "$(fingerprint plain.csv | wc -c)" -eq 33
means_the_same "CRLF" 'id,min_x,min_y,max_x,max_y\r\n7,0,0,10,5\r\n8,20,-3,20,-3\r\n'
means_the_same "CR" 'id,min_x,min_y,max_x,max_y\r7,0,0,10,5\r8,20,-3,20,-3\r'
means_the_same "a byte-order mark" '\357\273\277id,min_x,min_y,max_x,max_y\n7,0,0,10,5\n8,20,-3,20,-3\n'
means_the_same "a byte-order mark and quotes" \
    '\357\273\277"id","min_x",min_y,max_x,max_y\n"7","0",0,10,5\n8,20,-3,20,-3\n'
means_the_same "an unterminated last line" 'id,min_x,min_y,max_x,max_y\n7,0,0,10,5\n8,20,-3,20,-3'
means_the_same "capitals in the header" 'ID,Min_X,MIN_Y,max_x,max_y\n7,0,0,10,5\n8,20,-3,20,-3\n'
means_the_same "blank lines" '\n \nid,min_x,min_y,max_x,max_y\n\n7,0,0,10,5\n\t\n8,20,-3,20,-3\n\n'
means_the_same "blanks around fields" 'id, min_x,min_y ,max_x,max_y\n7, 0,0 ,10,5\n8,20,-3,20,-3\n'
means_the_same "columns in another order" 'max_y,id,max_x,min_y,min_x\n5,7,10,0,0\n-3,8,20,-3,20\n'
means_the_same "more columns" \
    'u,id,min_x,min_y,max_x,max_y,u\n"x\ny",7,0,0,10,5,z\nnan,8,20,-3,20,-3,\n'
means_the_same "rows in another order" 'id,min_x,min_y,max_x,max_y\n8,20,-3,20,-3\n7,0,0,10,5\n'
means_the_same "a row that occurs twice" \
    'id,min_x,min_y,max_x,max_y\n7,0,0,10,5\n8,20,-3,20,-3\n7,0,0,10,5\n'
means_the_same "other notations of the same numbers" \
    'id,min_x,min_y,max_x,max_y\n007,-0,+0.0,1e1,5.\n8,.2e2,-3,20.000,-30E-1\n'
# Print the smallest double by halving 1. Some versions of awk refuse to read 5e-324, and others
# compute 2^-1074 as 0.
awk 'BEGIN { least = 1; for (i = 0; i < 1074; i++) least /= 2; printf "x,y\n-%.1074f,0\n", least }' > f.csv
printf 'x,y\n-5e-324,0\n' > short.csv
check "the smallest double is read with all its decimals" test "$(fingerprint f.csv)" = "$(fingerprint short.csv)"
check "standard input gives the same fingerprint as the file" \
    test "$(fingerprint - < plain.csv)" = "$(fingerprint plain.csv)"

# Results, and their format.

# found STATUS TEXT: checks that the last run ended with the status, and printed these lines after
# its header, which ends with $added.
added=
found()
{
    printf 'id,min_x,min_y,max_x,max_y,name%s\n%s' "$added" "$2" > expected
    [ "$status" -eq "$1" ] && [ ! -s err ] && cmp -s expected out
}

a_row='7,0,0,10,5,a b'
b_row='8,20,-3,20,-3,"c, ""d"""'
end='
'
run search --window 0,0,100,100 plain.csv
check "search prints the header and the row" found 0 "$a_row$end"
run search --window 20,-3,20,-3 --relation covers plain.csv
check "a name is quoted if necessary" found 0 "$b_row$end"
run search --window=-inf,-inf,inf,inf --relation inside --count plain.csv
check "a window may be infinite" test "$(cat out)" = 2
check "search with a match ends with status 0" succeeded
run search --window 50,50,60,60 plain.csv
check "search without a match prints only the header and ends with status 1" found 1 ''
run search --window 50,50,60,60 --count plain.csv
check "search --count without a match prints 0 and ends with status 1" \
    test "$status $(cat out)" = "1 0"
run search --window 5,5,5,5 -r touches -c plain.csv
check "a window touches a box at its edge" test "$(cat out)" = 1
run search --window 10,0,12,5 -r overlaps -c plain.csv
check "a window does not overlap a box at its edge" test "$(cat out)" = 0
printf 'x,y,id\n1,2,18446744073709551615\n0.1,0.30000000000000004,0\n' > f.csv
run search -w 0,0,9,9 f.csv
printf '0.1,0.30000000000000004,0\n1,2,18446744073709551615\nx,y,id\n' > expected
LC_ALL=C sort out > sorted
check "numbers are printed with all digits" cmp -s expected sorted
printf 'x,y,name,id\n1,2,first,5\n1,2,second,5\n3,4,third,5\n' > f.csv
run search -w 0,0,9,9 f.csv
printf '1,2,first,5\n3,4,third,5\nx,y,name,id\n' > expected
LC_ALL=C sort out > sorted
check "the first of several rows with one id and box is printed" cmp -s expected sorted

# wanted KIND X0 Y0 X1 Y1 RELATION: prints the answer of awk, sorted. KIND is cities or countries.
wanted()
{
    awk -F, -v kind="$1" -v x0="$2" -v y0="$3" -v x1="$4" -v y1="$5" -v relation="$6" '
        NR > 1 {
            if (kind == "cities") { a = c = $(NF - 2) + 0; b = d = $(NF - 1) + 0 }
            else { a = $(NF - 3) + 0; b = $(NF - 2) + 0; c = $(NF - 1) + 0; d = $NF + 0 }
            if (relation == "touches") hit = a <= x1 && x0 <= c && b <= y1 && y0 <= d
            if (relation == "overlaps") hit = a < x1 && x0 < c && b < y1 && y0 < d
            if (relation == "inside") hit = x0 <= a && c <= x1 && y0 <= b && d <= y1
            if (relation == "covers") hit = a <= x0 && x1 <= c && b <= y0 && y1 <= d
            # as the file spells them
            if (hit && kind == "cities") print NR - 2 "," $(NF - 2) "," $(NF - 1) "," $(NF - 2) "," $(NF - 1)
            if (hit && kind != "cities") print NR - 2 "," $(NF - 3) "," $(NF - 2) "," $(NF - 1) "," $NF
        }' "$data/$1.csv" | LC_ALL=C sort
}

# agrees KIND X0 Y0 X1 Y1 RELATION: checks that the program finds and counts the same rows as awk.
agrees()
{
    wanted "$@" > expected
    "$program" search -w "$2,$3,$4,$5" -r "$6" "$data/$1.csv" 2> err | awk -F, -v OFS=, -v kind="$1" '
        NR > 1 && kind == "cities" { print $1, $(NF - 2), $(NF - 1), $(NF - 2), $(NF - 1) }
        NR > 1 && kind != "cities" { print $1, $(NF - 3), $(NF - 2), $(NF - 1), $NF }' | LC_ALL=C sort > out
    count=$("$program" search -w "$2,$3,$4,$5" -r "$6" -c "$data/$1.csv" 2>> err)
    cmp -s expected out && [ ! -s err ] && [ "$count" -eq "$(wc -l < expected)" ]
}

for window in "5.9 45.8 10.5 47.8" "-180 -90 180 90" "13.41053 52.52437 13.41053 52.52437" \
    "1.49129 42.46372 25 42.5" "179 -17 180 -16"; do
    for relation in touches overlaps inside covers; do
        for kind in cities countries; do
            # shellcheck disable=SC2086 # four numbers
            check "search --relation $relation in $window finds the same $kind as awk" \
                agrees $kind $window $relation
        done
    done
done

for kind in cities countries; do
    "$program" search -w=-inf,-inf,inf,inf "$data/$kind.csv" > again.csv
    run diff -c again.csv "$data/$kind.csv"
    check "a search of everything prints each row of $kind with all columns" succeeded
done

# The boxes of the countries. Only the box of Antarctica spans the whole width.

run search -w 13.4,52.5,13.4,52.5 --relation covers "$data/countries.csv"
check "Berlin is only in the box of Germany" test "$(sed 1d out | cut -d, -f2)" = Germany
awk -F, 'NR > 1 && $(NF - 1) - $(NF - 3) > 180 { print $1 }' "$data/countries.csv" > out
check "only the box of Antarctica is wider than 180 degrees" test "$(cat out)" = '"Antarctica"'
for place in 179,66,Russia -179,66,Russia 179.99,-16.8,Fiji -179.99,-16.8,Fiji; do
    "$program" search -w "${place%,*},${place%,*}" -r covers "$data/countries.csv" > out 2> err
    check "both sides of the antimeridian are searched: $place" test "$(sed 1d out | cut -d, -f2 | sort -u)" = "${place##*,}"
done

# The nearest items.

printf 'id,min_x,min_y,max_x,max_y,name\n7,0,0,10,5,a b\n8,20,-3,20,-3,"c, ""d"""\n' > plain.csv
run nearest --point 13,9 --k 5 plain.csv
added=,distance
check "nearest prints the rows and their distances" \
    found 0 "$a_row,5$end$b_row,13.892443989449804$end"
run nearest --point 13,9 plain.csv
check "--k is 1 by default" found 0 "$a_row,5$end"
run nearest --point 13,9 --max 5 -k 2 plain.csv
check "--max includes its distance" found 0 "$a_row,5$end"
run nearest --point 13,9 --max 4.999 plain.csv
check "nearest without a match prints only the header and ends with status 1" found 1 ''
run nearest --point=-0,5 --max 0 plain.csv
check "the distance is 0 in the box and on its edge" found 0 "$a_row,0$end"

# exactly: prints the id and the added number of each row with all its digits.
exactly()
{
    awk -F, 'NR > 1 { printf "%d,%.17g\n", $1, $NF }'
}

# near X Y MAX FILE: prints the answer of awk, the nearest row first.
near()
{
    awk -F, -v x="$1" -v y="$2" -v most="$3" '
        function gap(low, v, high) { return v < low ? low - v : v > high ? v - high : 0 }
        NR > 1 {
            if (NF == 5) { a = c = $3 + 0; b = d = $4 + 0 }
            else { a = $(NF - 3) + 0; b = $(NF - 2) + 0; c = $(NF - 1) + 0; d = $NF + 0 }
            u = gap(a, x, c); v = gap(b, y, d); far = sqrt(u * u + v * v)
            if (far <= most) printf "%d,%.17g\n", NR - 2, far
        }' "$4" | LC_ALL=C sort -t, -k2g -k1n
}

# awk must not split fields at commas inside quotes.
sed 's/"[^"]*"/n/' "$data/cities.csv" > cities.csv
sed 's/"[^"]*"/n/' "$data/countries.csv" > countries.csv
for point in "8.55 47.37 0.5" "-73.9 40.7 0.3" "179 -17 8" "13.41053 52.52437 0.05" "0 -85 30"; do
    # shellcheck disable=SC2086 # three numbers
    set -- $point
    for kind in cities countries; do
        near "$@" $kind.csv > expected
        "$program" nearest --point "$1,$2" --max "$3" --k 100000 "$data/$kind.csv" 2> err |
            exactly > out
        check "the $kind nearest to $point are in the order of their distances" \
            test "$(cut -d, -f2 out)" = "$(cut -d, -f2 expected)"
        LC_ALL=C sort out > sorted
        LC_ALL=C sort expected > wanted
        check "the $kind nearest to $point are those that awk finds" cmp -s sorted wanted
    done
done
near 8.55 47.37 9 cities.csv | head -n 12 > expected
"$program" nearest --point 8.55,47.37 --k 12 "$data/cities.csv" | exactly > out
check "the 12 nearest cities are those that awk finds, in the same order" cmp -s expected out

# Rays.

run ray --from=-10,4 --to 30,4 plain.csv
added=,fraction
check "ray prints the row and its fraction" found 0 "$a_row,0.25$end"
run ray --from 5,5 --to 20,-3 --all plain.csv
check "an end on an edge is a hit, and so is an end at a point" found 0 "$a_row,0$end$b_row,1$end"
run ray --from 5,5 --to 20,-3 plain.csv
check "without --all only the first hit is printed" found 0 "$a_row,0$end"
run ray --from 3,3 --to 3,3 plain.csv
check "a segment of zero length acts as a point" found 0 "$a_row,0$end"
run ray --from 0,6 --to 30,6 --all plain.csv
check "ray without a hit prints only the header and ends with status 1" found 1 ''

# hits X0 Y0 X1 Y1: prints the answer of awk for the countries.
hits()
{
    awk -F, -v x0="$1" -v y0="$2" -v x1="$3" -v y1="$4" '
        function slab(low, from, to, high,    p, q, t) {
            p = (low - from) / (to - from); q = (high - from) / (to - from)
            if (p > q) { t = p; p = q; q = t }
            if (p > first) first = p
            if (q < last) last = q
        }
        NR > 1 {
            first = 0; last = 1
            slab($(NF - 3) + 0, x0, x1, $(NF - 1) + 0); slab($(NF - 2) + 0, y0, y1, $NF + 0)
            if (first <= last) printf "%d,%.17g\n", NR - 2, first
        }' countries.csv | LC_ALL=C sort
}

for way in "-20 40 60 55" "-179 -80 170 82.5" "179.5 -17 -179.5 66" "100 20 90.5 -20.25"; do
    # shellcheck disable=SC2086 # four numbers
    set -- $way
    hits "$@" > expected
    run ray --from "$1,$2" --to "$3,$4" --all "$data/countries.csv"
    exactly < out > found
    cut -d, -f2 found > fractions
    check "$way: hits are ordered from front to back" sort -g -c fractions
    LC_ALL=C sort found > sorted
    check "$way: hits are those that awk finds" \
        test -s expected -a "$(cat sorted)" = "$(cat expected)"
    first=$("$program" ray --from "$1,$2" --to "$3,$4" "$data/countries.csv")
    check "$way: the first hit is the first of all" test "$first" = "$(head -n 2 out)"
done

# Pairs.

printf 'id,min_x,min_y,max_x,max_y,name\n1,0,0,9,9,a\n2,2,2,3,3,"b, c"\n3,9,5,12,6,d\n' > m.csv
printf 'id,x,y\n5,102,3\n6,150,0\n' > n.csv
# both_ways COLUMN: prints each pair of ids, sorted, with the smaller id first. The second id is in
# COLUMN.
both_ways()
{
    awk -F, -v at="$1" 'NR > 1 { print ($1 < $at ? $1 "," $at : $at "," $1) }' | LC_ALL=C sort
}
m_a=1,0,0,9,9,a
m_b='2,2,2,3,3,"b, c"'
added=,second_id,second_min_x,second_min_y,second_max_x,second_max_y,second_name
run pairs m.csv
check "each pair is printed once" test "$(sed 's/"b, c"/b/' out | both_ways 7)" = "1,2
1,3"
check "pairs prints both rows of a pair" grep -qxe "$m_a,$m_b" -e "$m_b,$m_a" out
run pairs -r inside m.csv
check "pairs --relation inside prints the inner item first" found 0 "$m_b,$m_a$end"
run pairs -r covers m.csv
check "pairs --relation covers prints the outer item first" found 0 "$m_a,$m_b$end"
run pairs -r overlaps -c m.csv
check "pairs --count prints the number of pairs" test "$status $(cat out)" = "0 1"
added=,second_id,second_x,second_y
run pairs m.csv n.csv
check "pairs without a pair prints only the header and ends with status 1" found 1 ''
run pairs -c m.csv n.csv
check "pairs --count without a pair prints 0 and ends with status 1" \
    test "$status $(cat out)" = "1 0"
run pairs --offset=-100,0 m.csv n.csv
printf '%s,5,102,3\n' "$m_a" "$m_b" > expected
sed 1d out | sort > sorted
check "--offset moves the second file, but not its printed rows" cmp -s expected sorted
run pairs --offset=-100,0 m.csv - < n.csv
sed 1d out | sort > sorted
check "the second file may be standard input" cmp -s expected sorted
run pairs m.csv m.csv
check "each item of a file pairs with itself if the second file is the same" \
    test "$(wc -l < out)" -eq 8

awk -F, '
    NR > 1 { a[NR - 2] = $(NF - 3) + 0; b[NR - 2] = $(NF - 2) + 0
             c[NR - 2] = $(NF - 1) + 0; d[NR - 2] = $NF + 0 }
    END {
        for (i = 0; i < NR - 1; i++) {
            p = a[i]; q = b[i]; r = c[i]; s = d[i]
            for (j = i + 1; j < NR - 1; j++)
                if (a[j] <= r && p <= c[j] && b[j] <= s && q <= d[j]) {
                    print i "," j > "touching"
                    if ((p >= a[j] && r <= c[j] && q >= b[j] && s <= d[j]) ||
                        (p <= a[j] && r >= c[j] && q <= b[j] && s >= d[j]))
                        print i "," j > "nested"
                }
        }
    }' countries.csv
LC_ALL=C sort touching > expected
run pairs countries.csv
check "the countries that touch are those that awk finds" \
    test "$(both_ways 8 < out)" = "$(cat expected)"
run pairs -c "$data/countries.csv"
check "the number of countries that touch is that of awk" \
    test "$(cat out)" -eq "$(wc -l < touching)"
LC_ALL=C sort nested > expected
for relation in inside covers; do
    run pairs -r $relation countries.csv
    check "the countries of relation $relation are those that awk finds" \
        test "$(both_ways 8 < out)" = "$(cat expected)"
done
pairs=$("$program" pairs -c -r inside "$data/cities.csv" "$data/countries.csv")
count=$(awk -F, -v OFS=, '
    FILENAME ~ /countries/ { if (FNR > 1 && $(NF - 1) - $(NF - 3) > 9) {
        n++; a[n] = $(NF - 3) + 0; b[n] = $(NF - 2) + 0; c[n] = $(NF - 1) + 0; d[n] = $NF + 0 }
        next }
    FNR > 1 { for (i = 1; i <= n; i++)
        pairs += a[i] <= $3 && $3 <= c[i] && b[i] <= $4 && $4 <= d[i] }
    END { print pairs }' countries.csv cities.csv)
awk -F, 'NR == 1 || $(NF - 1) - $(NF - 3) > 9' countries.csv > large.csv
check "the cities in large countries are those that awk finds" \
    test "$("$program" pairs -c -r inside "$data/cities.csv" large.csv)" = "$count"
check "more cities are in all countries than in large ones" test "$pairs" -gt "$count"

# fact NAME: prints this fact from the last output of info.
fact()
{
    sed -n "s/^$1  *//p" out
}

run info "$data/cities.csv"
check "info counts rows and items" test "$(fact rows) $(fact items) $(fact points)" = \
    "49,025 49,025 49,025"
check "info takes the bounds from the data" test "$(fact bounds)" = \
    "-175.2018, -54.81084 .. 179.36451, 71.69002"
check "info finds no item outside bounds taken from the data" test "$(fact 'out of bounds')" = 0
run info --bounds 0,0,90,90 --capacity 8 "$data/cities.csv"
outside=$(awk -F, 'NR > 1 && !($(NF - 2) >= 0 && $(NF - 2) <= 90 && $(NF - 1) >= 0 && $(NF - 1) <= 90) {
    n++ } END { print n }' "$data/cities.csv")
check "info counts items outside given bounds" test "$(fact 'out of bounds' | tr -d ,)" = "$outside"
check "info advises bounds that contain all items" test "$(fact advice | tr -d ,)" = \
    "$outside items are outside the bounds; use --bounds=$(echo -175.2018,-54.81084,179.36451,71.69002 | tr -d ,)"
check "info with advice succeeds" succeeded

# The cost of searches reveals bounds that are far too large, or far away.
awk 'BEGIN { print "x,y"; for (i = 0; i < 10000; i++) print i % 100 + 0.5, i * 7 % 10007 / 100 }' |
    tr ' ' , > world.csv
for bounds in '' 0,0,101,101 -1e6,-1e6,1e6,1e6; do
    run info ${bounds:+"--bounds=$bounds"} world.csv
    check "info has no advice if the bounds cost nothing: ${bounds:-those of the items}" \
        test "$(fact advice)" = ''
    check "a search tests few boxes if the bounds cost nothing: ${bounds:-those of the items}" \
        test "$(fact 'boxes per search' | sed 's/[.].*//')" -lt 100
done
run info --bounds=-1e9,-1e9,1e9,1e9 world.csv
check "info has no advice on large bounds for which the default depth suffices" \
    test "$(fact advice)" = ''
run info --depth=24 --bounds=-1e9,-1e9,1e9,1e9 world.csv
check "info prints how many boxes searches test if bounds are far too large" \
    test "$(fact 'boxes per search' | sed 's/[.].*//')" -gt 1000
check "info advises smaller bounds or a larger depth" eval 'fact advice | grep -qxE \
    "searches test [0-9]+ times as many boxes as necessary; use --bounds=0.5,0,99.5,100.06 or --depth=32"'
run info --bounds=-1e9,-1e9,1e9,1e9 --depth=32 world.csv
check "info has no advice if its option is followed" test "$(fact advice)" = ''
run info --bounds=1e9,1e9,2e9,2e9 world.csv
check "info reports that all items are far outside" eval 'fact advice | grep -qxE \
    "10,000 items are outside the bounds; searches test .* use --bounds=0.5,0,99.5,100.06"'
printf 'x,y\n5,5\n' > f.csv
run info --bounds=0,0,1,1 f.csv
check "info reports that one item is far outside" test "$(fact advice)" = "1 item is outside the bounds; use --bounds=5,5,5,5"
{
    echo x,y
    yes 5,5 | head -n 900
} > f.csv
run info --bounds=0,0,10,10 f.csv
check "info has no advice if searches test no box" test "$(fact advice)" = ''

# Pictures.

run draw "$data/countries.csv" -w 0,40,20,55 -o map.svg
check "draw succeeds" succeeded
check "draw writes a picture" is_picture map.svg
count=$("$program" search -c -w 0,40,20,55 "$data/countries.csv")
check "draw prints the number of matches" grep -q "found: $count<" map.svg
check "draw draws cells, items, the window and the matches" \
    test "$(grep -cE '^<path class="(cells|items|items dot|window|found)" ' map.svg)" = 5
check "draw leaves no other file" no_scraps
run draw "$data/countries.csv" -w 0,40,20,55 -o -
check "draw writes to standard output" cmp -s out map.svg
check "keys show boxes for box items" grep -q '<path class="items sign" ' map.svg
printf 'x,y\n5,5\n6,6\n' > f.csv
for window in 100,100,200,200 1e300,-inf,inf,inf -inf,-inf,-7,inf; do
    run draw f.csv -w "$window" -o map.svg
    check "draw shows a window away from the items: $window" grep -q '^<path class="window" ' map.svg
done
check "keys show dots for point items" grep -q '<path class="items sign dot" ' map.svg
run draw - -o piped.svg < plain.csv
check "draw reads standard input" is_picture piped.svg
printf 'x,y,name\n1,2,"<b> & \374"\n' > '<&>.csv'
run draw '<&>.csv' -o odd.svg
check "draw accepts any file name" is_picture odd.svg
printf 'lon,lat\n0,0\n10,20\n' > f.csv
run draw f.csv -o up.svg
printf 'x,y\n0,0\n10,20\n' > f.csv
run draw f.csv -f -o down.svg
check "y points up for columns lon,lat, as with --flip-y" cmp -s up.svg down.svg
run draw f.csv -o down.svg
check "y points down for other columns" test "$(cmp up.svg down.svg > /dev/null; echo $?)" = 1
cp "$data/countries.csv" f.csv
run draw f.csv -w 0,40,20,55 -o up.svg
sed '1s/.*/name,part,min_x,min_y,max_x,max_y/' "$data/countries.csv" > f.csv
run draw f.csv -f -w 0,40,20,55 -o down.svg
check "y points up for min_lon,min_lat,max_lon,max_lat, too" cmp -s up.svg down.svg
run draw f.csv -w 0,40,20,55 -o down.svg
check "y points down for the same boxes in min_x,min_y,max_x,max_y" test "$(cmp up.svg down.svg > /dev/null; echo $?)" = 1

# draws_too CLASSES COMMAND...: checks that the output is the same with and without --svg, and that
# the picture has this number of paths for results.
draws_too()
{
    paths=$1
    shift
    "$program" "$@" > lines 2> err
    expected_status=$?
    rm -f found.svg
    run "$@" --svg found.svg
    [ "$status" -eq "$expected_status" ] && [ ! -s err ] && cmp -s out lines && no_scraps &&
        is_picture found.svg &&
        [ "$(grep -cE '^<path class="(ground|found|link|segment|mark|entry)( dot)?" ' found.svg)" -eq "$paths" ]
}

check "nearest draws items, matches, distances and the point" \
    draws_too 4 nearest -p 8.55,47.37 -k 8 "$data/cities.csv"
check "nearest draws a picture without matches" draws_too 2 nearest -p 0,0 --max 0 "$data/cities.csv"
check "ray draws items, hits, the segment, its start and the entries" \
    draws_too 6 ray --from=-20,40 --to 60,55 --all "$data/countries.csv"
run ray --from=-20,40 --to 60,55 --all "$data/countries.csv" --svg found.svg
check "ray draws as many entries as hits" grep -q ": $(sed 1d out | wc -l | tr -d ' ') hits of a segment<" found.svg
check "pairs draws items, pairs and lines between them" draws_too 3 pairs m.csv
check "pairs draws two files" draws_too 5 pairs --offset=-100,0 m.csv n.csv
check "pairs --count draws too" draws_too 3 pairs -c m.csv
printf 'x,y\n-1.7e308,0\n1.7e308,1\n' > f.csv
check "nearest draws coordinates near the largest double" draws_too 4 nearest -p 0,0 -k 2 f.csv
check "ray draws coordinates near the largest double" \
    draws_too 5 ray --from=-1.7e308,0 --to 1.7e308,1 --all f.csv
check "an offset near the largest double gives no pairs" draws_too 2 pairs --offset 1.7e308,0 f.csv f.csv

# Tooltips: the names of items, or their ids.

# tips PICTURE: prints the tooltips in a picture.
tips()
{
    sed -n 's/^<path class="tip[^>]*><title>\(.*\)<\/title><\/path>$/\1/p' "$1"
}

# has_tips PICTURE TEXT: checks that the tooltips in a picture, in order of the alphabet, are the text.
has_tips()
{
    is_picture "$1" && [ "$(tips "$1" | LC_ALL=C sort | tr '\n' ' ')" = "$2" ]
}
printf 'id,x,y,Stop_Name,size\n7,1,2,"A & <b>, ""C""",3\n8,5,6,,4\n9,50,60,far,4\n' > named.csv
run draw named.csv -o map.svg
check "items have their names as tooltips, and ids without names" \
    has_tips map.svg 'A &amp; &lt;b&gt;, &quot;C&quot; far id 8 '
printf 'x,y\n1,2\n3,4\n' | "$program" draw - -o map.svg > out 2> err
check "items of a file without names have ids" has_tips map.svg 'id 0 id 1 '
printf 'label,name,x,y,other_name\nno,yes,1,2,never\n' > f.csv
run draw f.csv -o map.svg
check "the column name precedes others" has_tips map.svg 'yes '
run nearest -p 1,2 -k 2 named.csv --svg map.svg
check "nearest shows the names on its map" has_tips map.svg 'A &amp; &lt;b&gt;, &quot;C&quot; id 8 '
run ray --from 0,1 --to 2,3 named.csv --svg map.svg
check "ray shows names, too" has_tips map.svg 'A &amp; &lt;b&gt;, &quot;C&quot; '
run pairs --offset 4,4 named.csv named.csv --svg map.svg
check "pairs shows the names of both files" [ "$(tips map.svg | grep -c far)" = 2 ]
sed '3s/,6,/,7,/; 4s/far/near/' named.csv > moved.csv
run diff named.csv moved.csv --svg map.svg
check "diff shows old and new names" has_tips map.svg 'A &amp; &lt;b&gt;, &quot;C&quot; far id 8 id 8 near '
run merge named.csv named.csv moved.csv --svg map.svg
check "merge shows names" has_tips map.svg 'A &amp; &lt;b&gt;, &quot;C&quot; far id 8 id 8 near '
printf 'min_x,min_y,max_x,max_y,name\n4,4,5,5,small\n0,0,9,9,large\n4,4,6,6,middle\n' > f.csv
run draw f.csv -o map.svg
check "small boxes are above large ones" [ "$(tips map.svg | tr '\n' ' ')" = "large middle small " ]

# many N: writes a file of N points, of which 0 to 99 are in the window 0,0,99,0.
many()
{
    awk -v n="$1" 'BEGIN { print "id,x,y"; for (i = 0; i < n; i++) print i "," i ",0" }'
}
many 2000 > f.csv
run draw f.csv -o map.svg
check "2,000 items have tooltips" [ "$(tips map.svg | wc -l)" -eq 2000 ]
many 2001 > f.csv
run draw f.csv -o map.svg
check "2,001 items have none" [ "$(tips map.svg | wc -l)" -eq 0 ]
run draw f.csv -w 0,0,99,0 -o map.svg
check "but the results have" [ "$(tips map.svg | wc -l)" -eq 100 ]
run draw f.csv -w 0,0,inf,0 -o map.svg
check "2,001 results have none" [ "$(tips map.svg | wc -l)" -eq 0 ]
run nearest -p 0,0 -k 10 f.csv --svg map.svg
check "the limit counts the items on the map" [ "$(tips map.svg | wc -l)" -ge 10 ]

echo old > target.svg
chmod 640 target.svg
ln -s target.svg link.svg
run draw plain.csv -o link.svg
check "an output through a symbolic link replaces its target" is_picture target.svg
check "an output through a symbolic link keeps the link" test -L link.svg
check "an output keeps the permissions of the file it replaces" \
    test "$(find target.svg -perm 640)" = target.svg

# The progress bar.

# slowly: prints a file with delays.
slowly()
{
    printf 'x,y\n1,2\n'
    sleep 0.7
    printf '3,4\n5,6\n'
}

mkfifo slow.csv
slowly > slow.csv &
run info slow.csv
wait
check "no progress bar is drawn if standard error is not a terminal" succeeded
if script -qec true /dev/null > out 2>&1 < /dev/null; then
    slowly > slow.csv &
    script -qec "'$program' info slow.csv > shown" /dev/null > out 2> err < /dev/null
    wait
    check "a progress bar is drawn on a terminal" grep -q reading out
    check "the progress bar is erased at the end" grep -q "$(printf '\r\033')\[K" out
    check "a progress bar does not change the result" grep -q '^items *3$' shown
else
    skip "a progress bar is drawn on a terminal" "there is no script(1), which provides one"
fi
finish

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_pqt.sh: tests .pqt files: each command reads them like CSV or PNG, writes them, and
# refuses damaged ones.
#
# PQT names the program; the default is ./pqt.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"
data=$top/docs/examples/data
sprites=$data/sprites
all=-inf,-inf,inf,inf

# same A B: checks that the files are equal.
same()
{
    cmp "$1" "$2" > /dev/null 2>> err
}

# sorted_rows FILE: prints the rows without the header, sorted.
sorted_rows()
{
    tail -n +2 "$1" | LC_ALL=C sort
}

# differ A B: checks that the files differ.
differ()
{
    ! cmp -s "$1" "$2"
}

# convert FROM TO: copies all items to a file of another format.
convert()
{
    run search --window=$all "$1" --output "$2"
}

# is_pqt FILE: checks that the file is a .pqt file.
is_pqt()
{
    [ "$(od -An -tx1 -N4 "$1" | tr -d ' ')" = 89505154 ]
}

# fact NAME: prints this fact from the last output of info.
fact()
{
    sed -n "s/^$1  *//p" out
}

# From CSV to .pqt and back. The first rows are already in tree order, because all output is.

cat > raw.csv <<END
id,min_x,min_y,max_x,max_y
18446744073709551615,0.1,0.2,0.30000000000000004,0.7
0,-1e-300,4.94065645841247e-324,1e-300,1.50000000000002e-310
7,1,1,1,1
7,1,1,2,2
9007199254740993,-12345.678901234567,3,12345.678901234567,3.5
1,-0.5,-3,2.2250738585072014e-308,0
END
convert raw.csv a.csv
check "a search of everything writes CSV to a file" test "$status" -eq 0 -a -s a.csv
convert a.csv a.pqt
check "a file whose name ends in .pqt is written as .pqt" is_pqt a.pqt
convert a.pqt b.csv
check "CSV converted to .pqt and back has the same bytes" same a.csv b.csv
sorted_rows raw.csv > raw.rows
sorted_rows b.csv > b.rows
check "a conversion to .pqt and back keeps all doubles and ids" same raw.rows b.rows
convert a.pqt again.pqt
check "a copy of a .pqt file has the same bytes" same a.pqt again.pqt
cp a.pqt disguised.csv
convert disguised.csv c.csv
check "a .pqt file is recognised by its content, whatever its name" same a.csv c.csv
cp a.csv disguised.pqt
convert disguised.pqt c.csv
check "CSV is recognised by its content even if its name ends in .pqt" same a.csv c.csv
convert "$data/cities.csv" cities.pqt
check "a .pqt file does not contain names" is_pqt cities.pqt
convert cities.pqt cities.csv
check "a .pqt file contains all cities" test "$(wc -l < cities.csv)" -eq 49026
run diff --places "$data/cities.csv" cities.pqt
check "a .pqt file contains the cities at the same places" test "$status" -eq 0
run diff "$data/cities.csv" cities.pqt
check "diff reports that the names are missing" test "$status" -eq 2

# Standard input and output.

"$program" search --window=$all --format pqt a.csv > piped.pqt
check "--format pqt writes .pqt to standard output" same a.pqt piped.pqt
"$program" search --window=$all --format pqt - --output - < a.csv > piped.pqt
check "--format pqt writes .pqt to --output - too" same a.pqt piped.pqt
# shellcheck disable=SC2002 # a pipe cannot be read twice
cat a.pqt | "$program" search --window=$all - > piped.csv
check "a .pqt file is read from a pipe" same a.csv piped.csv
# shellcheck disable=SC2002
cat a.csv | "$program" search --window=$all /dev/stdin > piped.csv
check "CSV is read from /dev/stdin" same a.csv piped.csv
# shellcheck disable=SC2002
cat "$sprites/rock.png" | "$program" region - > piped.txt
check "PNG is read from a pipe" grep -q '^pixels ' piped.txt
convert a.csv /dev/stdout
check "--output /dev/stdout writes CSV" same a.csv out
run search --window=$all --format csv a.pqt --output named.pqt
check "--format csv writes CSV whatever the name" same a.csv named.pqt
run search --window=$all --format pqt a.csv --output named.csv
check "--format pqt writes .pqt whatever the name" same a.pqt named.csv

{ head -c 30 a.pqt; sleep 0.1; tail -c +31 a.pqt; } | "$program" search --window=$all - > piped.csv
check "a .pqt file is read from a pipe in pieces" same a.csv piped.csv
mkfifo fifo
"$program" search --window=$all a.csv --output fifo --format pqt &
"$program" search --window=$all fifo > piped.csv
wait
check "a .pqt file is written to a named pipe, which is not replaced" test -p fifo -a "$(cmp a.csv piped.csv)" = ""
ln -s target.pqt link.pqt
convert a.csv target.pqt
echo old > target.pqt
convert a.csv link.pqt
check "an output through a symbolic link keeps the link" test -h link.pqt
check "an output through a symbolic link replaces its target" same a.pqt target.pqt
printf '\211' | "$program" info - > out 2> err
check "the first byte of a .pqt file alone is refused" test $? -eq 2 -a "$(wc -l < err)" -eq 1

# Each command prints the same for CSV and for .pqt.

cat > ops.txt <<END
insert 5 1 2
move 5 2 2
undo
remove 1
content -1e9 -1e9 1e9 1e9
END
sed 's/^1,-0.5,-3,/1,-0.25,-3,/' a.csv > moved.csv
sed '/^0,/d' a.csv > fewer.csv
convert moved.csv moved.pqt
convert fewer.csv fewer.pqt

# agrees ARGUMENT...: checks that the command, which names .csv files, prints the same for the
# corresponding .pqt files.
agrees()
{
    run "$@"
    cp out csv.out
    csv_status=$status
    for argument; do
        shift
        case $argument in
            *.csv) set -- "$@" "${argument%.csv}.pqt" ;;
            *) set -- "$@" "$argument" ;;
        esac
    done
    run "$@"
    check "pqt $*" test "$status" -eq "$csv_status" -a -s out -a ! -s err
    if [ "$1" = merge ]; then # which keeps the order of rows in CSV
        sorted_rows csv.out > csv.sorted && mv csv.sorted csv.out
        sorted_rows out > out.sorted && mv out.sorted out
    fi
    check "pqt $* prints the same as for CSV" same csv.out out
}
agrees search --window=0,0,1,1 a.csv
agrees search --window=$all --count a.csv
agrees nearest --point 0,0 --k 4 a.csv
agrees ray --from=-10,-10 --to 10,10 --all a.csv
agrees pairs a.csv
agrees pairs a.csv moved.csv
agrees diff a.csv moved.csv
agrees diff --count a.csv fewer.csv
agrees merge a.csv moved.csv fewer.csv
agrees history --script ops.txt a.csv
run draw a.csv -o csv.svg
run draw a.pqt -o pqt.svg
sed 's/a\.csv/a.pqt/' csv.svg > expected.svg
check "a .pqt file is drawn like the same rows in CSV" same expected.svg pqt.svg

# Commands with files of both formats.

printf 'x,y,id\n1,1,1\n2,2,2\n' > points.csv
convert points.csv points.pqt
run diff points.csv points.pqt
check "a CSV file with columns x,y is compared with a .pqt file of points" test "$status" -eq 0
run diff points.pqt points.csv
check "a .pqt file of points is compared with a CSV file with columns x,y" test "$status" -eq 0
run diff points.csv a.pqt
check "a CSV file with columns x,y is not compared with a .pqt file of boxes" refused \
    "pqt: a.pqt: positions are not in the same columns as in points.csv (min_x, not x)"
run diff a.pqt points.csv
check "a .pqt file of boxes is not compared with a CSV file with columns x,y" refused \
    "pqt: points.csv: positions are not in the same columns as in a.pqt (x, not min_x)"
run merge a.csv moved.pqt fewer.csv --output merged.pqt
check "merge reads CSV and .pqt and writes .pqt" is_pqt merged.pqt
convert merged.pqt merged.csv
run merge a.csv moved.csv fewer.csv
sorted_rows out > expected.rows
sorted_rows merged.csv > merged.rows
check "merge writes the same rows to .pqt and to CSV" same expected.rows merged.rows
cp a.pqt ours.pqt
run merge a.csv ours.pqt fewer.csv --output ours.pqt
check "the output of merge may replace an input" succeeded
convert fewer.csv expected.pqt
check "an input that merge replaced contains the result" same expected.pqt ours.pqt
cp a.pqt self.pqt
run search --window=0,0,1,1 self.pqt --output self.pqt
check "the output of search may replace its input" succeeded
run search --window=$all --format pqt /dev/null
check "an empty input is refused" refused "pqt: /dev/null:1: no header (end of file)"
printf 'id,x,y\n' > none.csv
run search --window=$all none.csv --output none.pqt
check "a search without a match writes a .pqt file and ends with status 1" test "$status" -eq 1 -a ! -s err
run info none.pqt
check "a .pqt file may contain no items" test "$(fact items)" = 0

# The info command.

run info a.pqt
check "info describes a .pqt file of a tree" \
    test "$(fact kind), $(fact 'format version'), $(fact items)" = "tree, 1.0, 6"
check "info prints the size of a .pqt file" test "$(fact 'file bytes')" = "$(wc -c < a.pqt | tr -d ' ')"
print=$(fact fingerprint)
run info a.csv
check "the fingerprint of a .pqt file is that of the CSV file" test "$(fact fingerprint)" = "$print"
run info --capacity 3 --bounds 0,0,9,9 a.pqt
check "info with options describes a tree of the same items with those options" \
    test "$(fact bounds); $(fact options)" = "0, 0 .. 9, 9; 3 items per leaf, 32 halvings at most"

# Regions.

for sprite in rock terrain ship; do
    run region "$sprites/$sprite.png" --output $sprite.pqt
    check "region writes .pqt: $sprite" is_pqt $sprite.pqt
    run region $sprite.pqt --xor "$sprites/$sprite.png"
    check "a region read from .pqt has the same pixels: $sprite" \
        test "$status" -eq 1 -a "$(fact pixels)" = 0
done
run region rock.pqt --output rock.png
run region rock.png --output rock2.pqt
check "a region converted to PNG and back to .pqt has the same bytes" same rock.pqt rock2.pqt
"$program" region --format pqt --output - < "$sprites/rock.png" - > piped.pqt
check "region reads standard input and writes standard output" same rock.pqt piped.pqt
run region "$sprites/rock.png" --difference "$sprites/rock.png" --output empty.pqt
run region empty.pqt --output empty.png
check "a region without pixels is written as PNG, with status 1" test "$status" -eq 1 -a ! -s err
run collide --offset 100,-60 --to 100,100 "$sprites/terrain.png" "$sprites/ship.png"
cp out expected.txt
run collide --offset 100,-60 --to 100,100 terrain.pqt ship.pqt
check "collide reads regions from .pqt files" same expected.txt out
run info rock.pqt
check "info describes a region" test "$(fact kind)" = region -a -n "$(fact fingerprint)"

run region "$sprites/rock.png" --union "$sprites/rock.png" --offset=-10,-20 --output shifted.pqt
run region shifted.pqt --output shifted.png
run region shifted.png --output moved_back.pqt
run region shifted.pqt --xor moved_back.pqt --offset=-2,-14
check "pixels with negative coordinates are in the picture" test "$(fact pixels)" = 0
run simulate --balls 5 --steps 3 --obstacle shifted.pqt
check "an obstacle may have pixels with negative coordinates" succeeded
run region "$sprites/rock.png" --union "$sprites/rock.png" --offset=1000000,1000000 --output far.pqt
run region far.pqt --output far.png
check "a picture of a region too far from the origin is refused" refused \
    "pqt: far.png: the picture of the result has more than 268,435,456 pixels (1000084 x 1000069)"
run simulate --balls 5 --steps 1 --obstacle far.pqt
check "an obstacle too far from the origin is refused" refused \
    "pqt: far.pqt: the box of the obstacle has more than 268,435,456 pixels (1000084 x 1000069)"
run region far.pqt --output far.pqt
check "the output of region cannot replace its input" refused \
    "pqt: far.pqt: output is also an input (far.pqt)"

# Worlds.

run simulate --balls 20 --steps 5 --obstacle "$sprites/terrain.png" --output world.pqt
check "simulate writes its last world" is_pqt world.pqt
run info world.pqt
check "info describes a world" test "$(fact kind), $(fact bodies)" = "world, 20"
check "info describes the obstacle of a world" test "$(fact 'obstacle pixels')" != 0
run simulate --balls 20 --steps 5 --obstacle terrain.pqt --output - --format pqt
check "an obstacle may be a region, and the world may go to standard output" is_pqt out

# A map and a document: the examples of docs/format.md.

# example HEADING: prints the bytes of the first hexadecimal block after a heading.
example()
{
    sed -n "/^### $1/,\$p" "$top/docs/format.md" |
        awk '/^```/ { blocks++ } blocks == 1 && !/^```/' | tr ' ' '\n' | while read -r byte; do
            # shellcheck disable=SC2059 # the byte as an escape
            printf "\\$(printf %o "0x$byte")"
        done
}

example 'A map of two names' > map.pqt
example 'A document of a shape' > document.pqt
run info map.pqt
check "info describes a map" \
    test "$(fact kind): $(fact entries) from $(fact keys) to $(fact values)" = \
    "map: 2 from byte strings to numbers"
run search --window=$all map.pqt
check "search refuses a map" refused \
    "pqt: map.pqt: the file holds a map, but a tree is needed (.pqt)"

run info document.pqt
check "info describes a document" \
    test "$(fact kind): $(fact part | tr '\n' ';')" = \
    "document: colours, map of 1 entries, keyed by shapes;shapes, tree of 1 items;"

run search --window=$all document.pqt
check "search reads the only tree of a document" test "$status:$(wc -l < out)" = 0:2
run diff document.pqt document.pqt
check "diff compares the trees of documents" succeeded
run region document.pqt
check "region refuses a document without one" refused \
    "pqt: document.pqt: the document has 0 regions, but one is needed (.pqt)"

# Damaged files, and .pqt files of the wrong kind.

run search --window=$all rock.pqt
check "search refuses a region" refused \
    "pqt: rock.pqt: the file holds a region, but a tree is needed (.pqt)"
run region a.pqt
check "region refuses a tree" refused \
    "pqt: a.pqt: the file holds a tree, but a region is needed (.pqt)"
run draw world.pqt -o never.svg
check "search refuses a world" refused \
    "pqt: world.pqt: the file holds a world, but a tree is needed (.pqt)"
run search --window=$all "$top/test/golden/image-colour.pqt"
check "search refuses an image" refused \
    "pqt: $top/test/golden/image-colour.pqt: the file holds an image, but a tree is needed (.pqt)"
run info "$top/test/golden/image-colour.pqt"
check "info describes an image" test "$status, $(fact kind)" = "0, image"
run search --window=$all "$sprites/rock.png"
check "search refuses a PNG picture" test "$status" -eq 2 -a "$(wc -l < err)" -eq 1
cat a.pqt a.pqt > twice.pqt
run search --window=$all twice.pqt
check "a file of two versions is refused" refused \
    "pqt: twice.pqt: byte $(wc -c < a.pqt | tr -d ' '): bytes follow the version"
{ head -c 8 a.pqt; printf '\002'; tail -c +10 a.pqt; } > newer.pqt
run info newer.pqt
check "a file of a newer format is refused" refused \
    "pqt: newer.pqt: byte 8: the format version is 2.0; this library reads 1"

# A small file whose region has many squares, which are copies of each other.

cp rock.pqt many.pqt
side=64
while [ -s many.pqt ] && [ $side -le 16384 ]; do
    run region many.pqt --union=many.pqt --offset=$side,0 --output row.pqt
    run region row.pqt --union=row.pqt --offset=0,$side --output many.pqt
    side=$((2 * side))
done
check "a region that repeats its squares takes few bytes" test "$(wc -c < many.pqt)" -lt 3000
run region many.pqt
check "region refuses too many squares" refused \
    "pqt: many.pqt: the region has more than 262144 squares"
run collide --offset 1,1 many.pqt many.pqt
check "collide refuses too many squares" refused \
    "pqt: many.pqt: the region has more than 262144 squares"

# The same for obstacles, and for the parts of documents, whose squares are counted together. 4^8
# tiles are 2^16 squares.

maker=$built/test/pqt_maker
"$maker" world many-world.pqt 9
run info many-world.pqt
check "info refuses an obstacle with too many squares" refused \
    "pqt: many-world.pqt: the region has more than 262144 squares"
run simulate --world many-world.pqt --steps 1
check "simulate refuses an obstacle with too many squares" refused \
    "pqt: many-world.pqt: the region has more than 262144 squares"
"$maker" world-part many-part.pqt 12
check "a document that repeats squares takes few bytes" test "$(wc -c < many-part.pqt)" -lt 1000
run info many-part.pqt
check "info refuses a document whose world has too many squares" refused \
    "pqt: many-part.pqt: part balls: the regions of the document have more than 262144 squares"
"$maker" parts many-parts.pqt 12 1
run info many-parts.pqt
check "info refuses a document whose region has too many squares" refused \
    "pqt: many-parts.pqt: part mask00: the regions of the document have more than 262144 squares"
"$maker" parts many-parts.pqt 8 4
run info many-parts.pqt
check "info refuses a document whose regions have too many squares together" refused \
    "pqt: many-parts.pqt: part mask03: the regions of the document have more than 262144 squares"
"$maker" parts many-parts.pqt 8 3
run info many-parts.pqt
check "info accepts a document whose regions have fewer squares together" succeeded

# Images are drawn as PNG.

"$maker" image picture.pqt
run draw picture.pqt -o picture.png
check "draw writes the pixels of an image" succeeded
run region picture.png
check "the picture has the size of the image" grep -q "picture\.png, 20 x 10, 8 bits, colour, alpha$" out
check "the picture has the pixels of the image" grep -q "^pixels  *12$" out
run draw - -o - < picture.pqt
check "an image may be standard input, and its picture standard output" cmp -s out picture.png
for option in --flip-y --globe --window=0,0,1,1 --relation=inside; do
    run draw picture.pqt -o other.png "$option"
    check "draw refuses ${option%%=*} with an image" refused \
        "pqt: picture.pqt: holds an image, which is written whole, without other options than -o"
done
run draw picture.pqt -o picture.svg
check "draw refuses to write an image under the name of an SVG" refused \
    "pqt: picture.svg: the output is PNG, but its name has another ending (.svg)"
check "a picture that is refused is not made" test ! -e other.png -a ! -e picture.svg
run draw a.pqt -o tree.png
check "draw refuses to write a tree under the name of a PNG" refused \
    "pqt: tree.png: the output is SVG, but its name has another ending (.png)"

# refuses_each COMMAND...: checks that the command refuses all files damaged-* with one line that
# names the file.
refuses_each()
{
    for file in damaged-*; do
        run "$@" "$file"
        if [ "$status" -ne 2 ] || [ -s out ] || [ "$(wc -l < err)" -ne 1 ] ||
            ! grep -q "^pqt: $file: byte [0-9]*: " err; then
            sed "s/^/# $file: /" err
            return 1
        fi
    done
}
size=$(wc -c < a.pqt)
length=4
while [ "$length" -lt "$size" ]; do
    head -c "$length" a.pqt > damaged-$length
    length=$((length + 7))
done
check "search refuses each truncated file" refuses_each search --window=$all
check "info refuses each truncated file" refuses_each info
rm -f damaged-*
at=4
while [ "$at" -lt "$size" ]; do
    { head -c $at a.pqt; tail -c +$((at + 1)) a.pqt | head -c 1 | tr '\000-\377' '\377\000-\376'
        tail -c +$((at + 2)) a.pqt; } > damaged-$at
    at=$((at + 11))
done
check "info refuses each file with a changed byte" refuses_each nearest --point 0,0
rm -f damaged-*
head -c 3 a.pqt > short.pqt
run info short.pqt
check "a file of three bytes is refused" test "$status" -eq 2 -a "$(wc -l < err)" -eq 1

# Outputs that cannot be written, and contradictory options.

echo kept > old.pqt
run search --window=$all no.csv --output old.pqt
check "a missing input leaves the output unchanged" test "$status$(cat old.pqt)" = 2kept
run search --window=$all a.csv --output nowhere/a.pqt
check "an output in a folder that does not exist is refused" refused \
    "pqt: nowhere/a.pqt: cannot be written (No such file or directory)"
if [ -c /dev/full ]; then
    run search --window=$all --format pqt a.csv --output /dev/full
    check "an output on a full device is an error" \
        refused "pqt: /dev/full: cannot be written (No space left on device)"
    "$program" search --window=$all --format pqt a.csv > /dev/full 2> err
    check "a full device as standard output is an error" test $? -eq 2 -a -s err
fi
run search --window=$all --format xml a.csv
check "an unknown format is refused" refused "pqt: --format is not csv, json, ndjson, geojson, wkt or pqt (xml)"
run region --format csv --output r.png rock.pqt
check "a format of another command is refused" refused "pqt: --format is not png or pqt (csv)"
run search --window=$all --count --output x.pqt a.csv
check "--count with --output is refused" refused "pqt: --count cannot be used with --output"
run simulate --format pqt
check "simulate refuses --format without --output" refused \
    "pqt: --format needs an output (--output OUT)"
check "no temporary file is left" no_scraps
finish

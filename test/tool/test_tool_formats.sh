#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_formats.sh: tests the formats in which commands print rows, and that each is read back.
#
# PQT names the program; the default is ./pqt.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"

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

all=-w=-inf,-inf,inf,inf
collection='{"type":"FeatureCollection","features":['

# Each format.

cat > rows.csv << 'EOF'
name,id,lon,lat,code
"a ""b"",c",7,8.5,47,007
8001,8,1.50,-2,
EOF
answers 0 'name,id,lon,lat,code\n8001,8,1.50,-2,\n"a ""b"",c",7,8.5,47,007\n' search $all --format csv rows.csv
answers 0 '[\n{"name":8001,"id":8,"lon":1.50,"lat":-2,"code":""},\n{"name":"a \\"b\\",c","id":7,"lon":8.5,"lat":47,"code":"007"}\n]\n' \
    search $all --format json rows.csv
answers 0 '{"name":8001,"id":8,"lon":1.50,"lat":-2,"code":""}\n{"name":"a \\"b\\",c","id":7,"lon":8.5,"lat":47,"code":"007"}\n' \
    search $all --format ndjson rows.csv
answers 0 "$collection"'\n{"type":"Feature","id":8,"geometry":{"type":"Point","coordinates":[1.50,-2]},"properties":{"name":8001,"code":""}},\n{"type":"Feature","id":7,"geometry":{"type":"Point","coordinates":[8.5,47]},"properties":{"name":"a \\"b\\",c","code":"007"}}\n]}\n' \
    search $all --format geojson rows.csv
answers 0 'id,wkt,name,code\n8,POINT (1.50 -2),8001,\n7,POINT (8.5 47),"a ""b"",c",007\n' search $all --format wkt rows.csv
answers 0 '{"name":8001,"id":8,"lon":1.50,"lat":-2,"code":"","distance":1.5}\n' nearest --point 0,-2 --format ndjson rows.csv
answers 0 '{"name":8001,"id":8,"lon":1.50,"lat":-2,"code":"","fraction":0.5}\n' ray --from 0,-2 --to 3,-2 --format ndjson rows.csv
answers 0 "$collection"'\n{"type":"Feature","id":8,"geometry":{"type":"Point","coordinates":[1.50,-2]},"properties":{"name":8001,"code":"","distance":1.5}}\n]}\n' \
    nearest --point 0,-2 --format geojson rows.csv
printf 'x,y\n1,2\n1,2\n' > twins.csv
answers 0 '[\n{"id":1,"x":1,"y":2,"second_id":0,"second_x":1,"second_y":2}\n]\n' pairs --format json twins.csv
answers 0 'id,wkt\n1,POINT (1 2)\n0,POINT (1 2)\n' search $all --format wkt twins.csv
printf 'min_x,min_y,max_x,max_y,id\n1,2,3,4,5\n' > boxes.csv
answers 0 'id,wkt\n5,"POLYGON ((1 2,3 2,3 4,1 4,1 2))"\n' search $all --format wkt boxes.csv
answers 0 "$collection"'\n{"type":"Feature","id":5,"geometry":{"type":"Polygon","coordinates":[[[1,2],[3,2],[3,4],[1,4],[1,2]]]},"properties":{}}\n]}\n' \
    search $all --format geojson boxes.csv
printf 'x,y,w,h,id\n1,2,3,4,5\n' > sizes.csv
answers 0 'id,wkt\n5,"POLYGON ((1 2,4 2,4 6,1 6,1 2))"\n' search $all --format wkt sizes.csv

# Numbers are spelled as in the file, where the format can hold them so.

printf '%s\n' id,x,y '007,+1.50,.5' '8,1e0,-0.0' '"9","2.000","3E-1"' > spelled.csv
answers 0 'id,x,y\n8,1e0,-0.0\n9,2.000,3E-1\n007,+1.50,.5\n' search $all spelled.csv
answers 0 '{"id":8,"x":1e0,"y":-0.0}\n{"id":9,"x":2.000,"y":3E-1}\n{"id":7,"x":1.5,"y":0.5}\n' \
    search $all --format ndjson spelled.csv
answers 0 'id,wkt\n8,POINT (1e0 -0.0)\n9,POINT (2.000 3E-1)\n7,POINT (+1.50 .5)\n' search $all --format wkt spelled.csv
printf 'id;x;y\n1;1,50;2.0\n' > comma.csv
answers 0 'id,x,y\n1,1.5,2.0\n' search $all comma.csv
printf 'min_x,min_y,max_x,max_y,id\n1.0,2.0,3.0,4.0,5\n' > decimals.csv
answers 0 'id,wkt\n5,"POLYGON ((1.0 2.0,3.0 2.0,3.0 4.0,1.0 4.0,1.0 2.0))"\n' search $all --format wkt decimals.csv

# No rows.

printf 'id,x,y\n' > empty.csv
for format in csv json ndjson geojson wkt; do
    case $format in
    csv) text='id,x,y\n' ;;
    json) text='[]\n' ;;
    ndjson) text= ;;
    geojson) text="$collection]}\\n" ;;
    wkt) text='id,wkt\n' ;;
    esac
    answers 1 "$text" search $all --format "$format" empty.csv
done

# Geometries.

cat > shapes.csv << 'EOF'
id,wkt
1,POINT Z (+1.0 2.50 .5)
2,"LINESTRINGM(1 2 9,3 4 9)"
3,"MULTIPOINT ((0 0),(1 1))"
4,"multipolygon (((0 0,2 0,2 2,0 0)),EMPTY)"
5,"GEOMETRYCOLLECTION (POINT (1 1),GEOMETRYCOLLECTION EMPTY,TRIANGLE ((0 0,1 0,1 1,0 0)))"
6,"POINT ((1 2))"
7,"GEOMETRYCOLLECTION (POINT ((1 2)),POINT EMPTY)"
EOF
"$program" search $all --format ndjson shapes.csv | grep -c wkt > out
check "a geometry stays a text in JSON" [ "$(cat out)" = 7 ]
for id in 1 2 3 4 5 6 7; do
    case $id in
    1) geometry='{"type":"Point","coordinates":[1,2.50,0.5]}' ;;
    2) geometry='{"type":"LineString","coordinates":[[1,2],[3,4]]}' ;;
    3) geometry='{"type":"MultiPoint","coordinates":[[0,0],[1,1]]}' ;;
    4) geometry='{"type":"MultiPolygon","coordinates":[[[[0,0],[2,0],[2,2],[0,0]]],[]]}' ;;
    5) geometry='{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,1]},{"type":"GeometryCollection","geometries":[]},{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}]}' ;;
    6) geometry='{"type":"Point","coordinates":[1,2]}' ;;
    7) geometry='{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},{"type":"Point","coordinates":[]}]}' ;;
    esac
    sed -n "1p;$((id + 1))p" shapes.csv > shape.csv
    answers 0 "$collection"'\n{"type":"Feature","id":'$id',"geometry":'"$geometry"',"properties":{}}\n]}\n' \
        search $all --format geojson shape.csv
done

# Numbers that doubles do not keep are strings, and so are words.

printf 'id,x,y,n\n1,1,2,1e999\n1,2,2,1e-999\n1,3,2,1.5e-310\n1,4,2,0e-999\n1,5,2,-1.7e308\n1,6,2,1.50\n' > extremes.csv
answers 0 '{"id":1,"x":1,"y":2,"n":"1e999"}\n{"id":1,"x":2,"y":2,"n":"1e-999"}\n{"id":1,"x":3,"y":2,"n":"1.5e-310"}\n{"id":1,"x":4,"y":2,"n":0e-999}\n{"id":1,"x":5,"y":2,"n":-1.7e308}\n{"id":1,"x":6,"y":2,"n":1.50}\n' \
    search $all --format ndjson extremes.csv

# An id that is text is a property, and not the id of the feature.

printf 'id,x,y\nabc,2,3\n' > words.csv
answers 0 "$collection"'\n{"type":"Feature","geometry":{"type":"Point","coordinates":[2,3]},"properties":{"id":"abc"}}\n]}\n' \
    search $all --format geojson words.csv

# A header with very many columns.

awk 'BEGIN { printf "x,y"; for (i = 0; i < 60000; i++) printf ",c%d", i; printf "\n1,2"
    for (i = 0; i < 60000; i++) printf ",1"; printf "\n" }' > wide.csv
run search $all --format ndjson wide.csv
check "a row of many columns is an object" [ "$status $(tr , '\n' < out | grep -c '"c')" = "0 60000" ]
printf 'id,x,y,b,a,c,a\n1,2,3,4,5,6,7\n' > twice.csv
run search $all --format ndjson twice.csv
check "an object has no two members with one name" refused \
    "pqt: twice.csv: an object of JSON has no two members with one name (a)"

# By the ending of the output.

for ending in csv json ndjson geojson wkt; do
    run search $all -o "found.$ending" rows.csv
    check "an output that ends in .$ending is written" succeeded
    "$program" search $all --format "$ending" rows.csv > expected
    check "an output that ends in .$ending has this format" cmp -s expected "found.$ending"
done
run search $all -o found.csv --format json rows.csv
check "--format comes before the ending" [ "$(head -c 1 found.csv)" = '[' ]

# Each format is read back, with all items and fields.

"$program" search -w 5.9,45.8,10.5,47.8 "$top/docs/examples/data/cities.csv" > source.csv
"$program" search $all -o cities.pqt source.csv

for format in csv json ndjson geojson wkt; do
    "$program" search $all --format "$format" source.csv > "cities.$format"
    run search $all -o back.pqt "cities.$format"
    if grep -q 'built without jansson' err; then
        continue
    fi
    check "$format is read back" succeeded
    check "$format is read back with the same items" cmp -s cities.pqt back.pqt
    run search $all --format "$format" "cities.$format"
    case $format in
    geojson) sed 's/"id":[0-9]*,//' out > found && sed 's/"id":[0-9]*,//' cities.geojson | cmp -s - found ;;
    *) cmp -s out "cities.$format" ;;
    esac
    same=$?
    check "$format is printed again as it was" [ "$same" -eq 0 ]
done

# Refused.

run search $all --format xml rows.csv
check "another format is refused" refused "pqt: --format is not csv, json, ndjson, geojson, wkt or pqt (xml)"
run nearest --point 0,0 --format pqt rows.csv
check "nearest writes no .pqt" refused "pqt: --format is not csv, json, ndjson, geojson or wkt (pqt)"
run pairs --format geojson rows.csv
check "pairs writes no GeoJSON" refused "pqt: --format is not csv, json, or ndjson (geojson)"
printf 'id,x,y\n7,181,0\n' > far.csv
"$program" search $all --format geojson -o far.geojson far.csv > out 2> err
status=$?
check "GeoJSON has no coordinates beyond the earth" \
    refused "pqt: far.csv: GeoJSON has longitudes and latitudes, but id 7 reaches from 181,0 to 181,0"
check "no file was written" [ ! -e far.geojson ]
printf 'x,y,a,a\n1,2,3,4\n' > doubles.csv
"$program" search $all --format json -o doubles.json doubles.csv > out 2> err
status=$?
check "JSON has no two members with one name" \
    refused "pqt: doubles.csv: an object of JSON has no two members with one name (a)"
printf 'x,y,n\n1,2,caf\351\n' > latin.csv
"$program" search $all --format json -o latin.json latin.csv > out 2> err
status=$?
check "JSON is UTF-8" refused 'pqt: latin.csv: JSON is UTF-8, but a field is not (\xe9)'
answers 0 '{"id":0,"x":1,"y":2,"n":"\\u0001\\u0009\302\205\360\237\230\200"}\n' search $all --format ndjson - << EOF
x,y,n
1,2,$(printf '\001\t\302\205\360\237\230\200')
EOF
answers 0 '{"id":"18446744073709551615","x":1,"y":2,"n":"1234567890123456"}\n' search $all --format ndjson - << 'EOF'
id,x,y,n
18446744073709551615,1,2,1234567890123456
EOF

# Other answers in JSON.

# is_json: checks that the last output is JSON, if python3 is there to tell.
is_json()
{
    [ "$status" -lt 2 ] && [ ! -s err ] &&
        { ! command -v python3 > out.version || python3 -c 'import json, sys; json.load(open("out", encoding="utf-8"))'; }
}
printf 'id,x,y,n\n7,1,2,"a""b"\n8,3,4,05\n9,5,6,7\n' > before.csv
printf 'id,x,y,n\n7,1,2,c\n8,3,4.5,05\n10,5,6,7\n' > after.csv
answers 1 '[\n{"change":"changed","id":7,"old":{"x":1,"y":2,"n":"a\\"b"},"new":{"x":1,"y":2,"n":"c"}},
{"change":"moved","id":8,"old":{"x":3,"y":4,"n":"05"},"new":{"x":3,"y":4.5,"n":"05"}},
{"change":"removed","id":9,"old":{"x":5,"y":6,"n":7}},
{"change":"added","id":10,"new":{"x":5,"y":6,"n":7}}\n]\n' diff --json before.csv after.csv
check "the changes are JSON" is_json
answers 1 '{\n"added":1,\n"removed":1,\n"moved":1,\n"changed":1\n}\n' diff --json --count before.csv after.csv
answers 0 '[]\n' diff --json before.csv before.csv
answers 1 '[\n{"change":"moved","id":8,"old":{"x":3,"y":4},"new":{"x":3,"y":4.5}},\n{"change":"removed","id":9,"old":{"x":5,"y":6}},\n{"change":"added","id":10,"new":{"x":5,"y":6}}\n]\n' \
    diff --json --places before.csv after.csv
for file in before.csv back.pqt "$top"/test/golden/*.pqt; do
    [ -e "$file" ] || continue
    run info "$file"
    [ "$status" -eq 0 ] || continue
    sed -n 's/^fingerprint  *//p' out > fingerprint
    run info --json "$file"
    check "the facts of ${file##*/} are JSON" is_json
    check "the facts of ${file##*/} have its fingerprint" grep -q "\"fingerprint\":\"$(cat fingerprint)\"" out
done
run info --json before.csv
check "the facts of a table are members" grep -qx '"bounds":\[1,2,5,6\],' out
check "the options of a tree are members" grep -qx '"leaf_capacity":24,' out

printf 'id,x,y,a,a\n7,1,2,c,d\n' > twice.csv
printf 'id,x,y,a,a\n7,1,2,c,e\n' > other.csv
run diff --json twice.csv other.csv
check "a change has no two members with one name" refused \
    "pqt: other.csv: an object of JSON has no two members with one name (a)"
printf 'id,x,y,n\n7,1,2,\351\n' > latin.csv
run diff --json before.csv latin.csv
check "a change that is not UTF-8 is refused" refused \
    "pqt: latin.csv: JSON is UTF-8, but a field is not (\\xe9)"

# Entries of histories in JSON.

golden=$top/test/golden/history-bytes-items.pqt
[ -e "$golden" ] || golden=$(printf '%s\n' "$top"/test/golden/history-bytes-*.pqt | head -n 1)
run log "$golden"
entries=$(grep -c ' time ' out)
run log --json "$golden"
check "the entries of a history are JSON" is_json
check "each entry of a history is printed" [ "$(grep -c '^"number":' out)" = "$entries" ]
check "one entry is the current one" [ "$(grep -c '^"is_current":true' out)" = 1 ]
run show "$golden"
label=$(sed -n 's/^label    //p' out)
run show --json "$golden"
check "an entry of a history is JSON" is_json
check "an entry of a history has its label" grep -qF "\"label\":\"$label\"" out
finish

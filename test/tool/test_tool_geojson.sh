#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_geojson.sh: tests reading GeoJSON: collections, sequences, single features and
# geometries, as other tools write them, and files that are refused.
#
# PQT names the program; the default is ./pqt.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"

printf '{"type":"Point","coordinates":[1,2]}' > point.json
"$program" info point.json > out 2> err
if grep -q 'built without jansson' err; then
    check "GeoJSON is refused with the reason" \
        [ "$(cat err)" = "pqt: point.json: this pqt was built without jansson, and reads no JSON" ]
    finish
    exit 0
fi

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

# reads NAME TEXT OUTPUT: checks that a file with this text, a printf format, has these rows, both
# by its name and from a pipe.
reads()
{
    # shellcheck disable=SC2059 # a format
    printf "$2" > case.json
    # shellcheck disable=SC2059 # a format
    printf "$3" > expected
    run search $all case.json
    check "$1" printed 0
    # shellcheck disable=SC2002 # a pipe, which cannot be read twice
    cat case.json | "$program" search $all - > out 2> err
    status=$?
    check "from a pipe: $1" printed 0
}

# Files of each shape.

reads "a geometry alone" '{"type":"Point","coordinates":[1,2]}' 'id,wkt\n0,POINT (1 2)\n'
reads "a feature alone" '{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2.50]},"properties":{"n":"a"}}' \
    'id,wkt,n\n0,POINT (1 2.50),a\n'
reads "a collection as ogr2ogr writes it" '{
"type": "FeatureCollection",
"name": "pts",
"crs": { "type": "name", "properties": { "name": "urn:ogc:def:crs:OGC:1.3:CRS84" } },
"features": [
{ "type": "Feature", "properties": { "n": "a", "pop": 12 }, "geometry": { "type": "Point", "coordinates": [ 1.5, 2.0 ] } },
{ "type": "Feature", "properties": { "n": null, "pop": -1.5e-7 }, "geometry": { "type": "LineString", "coordinates": [ [ 0.0, 0.0, 7.0 ], [ 1.0, 1.0, 8.0 ] ] } }
]
}
' 'id,wkt,n,pop\n1,"LINESTRING (0.0 0.0 7.0,1.0 1.0 8.0)",,-1.5e-7\n0,POINT (1.5 2.0),a,12\n'
reads "a collection as geopandas writes it" '{"type": "FeatureCollection", "features": [{"id": "4", "type": "Feature", "properties": {"name": "x"}, "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 1], [0, 0]]]}, "bbox": [0.0, 0.0, 2.0, 1.0]}]}' \
    'id,wkt,name\n4,"POLYGON ((0 0,2 0,2 1,0 0))",x\n'
reads "a collection as Overpass exports it" '{"type":"FeatureCollection","features":[{"type":"Feature","id":"node/7","properties":{"@id":"node/7","amenity":"cafe"},"geometry":{"type":"Point","coordinates":[1,2]}}]}' \
    'id,wkt,@id,amenity\nnode/7,POINT (1 2),node/7,cafe\n'
reads "a sequence with a feature in each line" '{"type":"Feature","properties":{"a":1},"geometry":{"type":"Point","coordinates":[1,2]}}
{"type":"Feature","properties":{"b":true},"geometry":{"type":"Point","coordinates":[3,4]}}\r\n' \
    'id,wkt,a,b\n0,POINT (1 2),1,\n1,POINT (3 4),,true\n'
reads "a sequence with record separators" '\036{"type":"Point","coordinates":[1,2]}\n\036{"type":"Point","coordinates":[3,4]}\n' \
    'id,wkt\n0,POINT (1 2)\n1,POINT (3 4)\n'
reads "a byte-order mark" '\357\273\277{"type":"Point","coordinates":[1,2]}' 'id,wkt\n0,POINT (1 2)\n'
reads "members after the features" '{"features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":null}],"bbox":[0,0,1,1],"type":"FeatureCollection"}' \
    'id,wkt\n0,POINT (1 2)\n'
printf '{"type":"FeatureCollection","features":[]}' > none.json
answers 1 'id,wkt\n' search $all none.json
printf '[]\n' > none.json
answers 1 'id,wkt\n' search $all none.json
reads "ids that are null" '{"type":"Feature","id":null,"geometry":{"type":"Point","coordinates":[1,2]}}' 'id,wkt\n0,POINT (1 2)\n'

# Plain objects.

reads "an array of objects" '[{"id":7,"lon":1.5,"lat":2,"n":"a"},\n{"lon":3,"id":8,"lat":4,"t":[1]}]' \
    'id,lon,lat,n,t\n7,1.5,2,a,\n8,3,4,,[1]\n'
reads "an object in each line" '{"x":1,"y":2,"type":"cafe"}\n{"x":3,"y":4,"type":"bar"}\n' \
    'id,x,y,type\n0,1,2,cafe\n1,3,4,bar\n'

# All kinds of geometries.

reads "all kinds of geometries" '{"type":"MultiPoint","coordinates":[[1,2],[3,4]]}
{"type":"MultiLineString","coordinates":[[[1,2],[3,4]],[[5,6],[7,8]]]}
{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]],[]]}
{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},{"type":"GeometryCollection","geometries":[]}]}
' 'id,wkt
2,"MULTIPOLYGON (((0 0,1 0,1 1,0 0)),EMPTY)"
3,"GEOMETRYCOLLECTION (POINT (1 2),GEOMETRYCOLLECTION EMPTY)"
0,"MULTIPOINT (1 2,3 4)"
1,"MULTILINESTRING ((1 2,3 4),(5 6,7 8))"
'
run info case.json
check "the items have the boxes of the geometries" \
    [ "$(sed -n 's/^bounds  *//p' out)" = "0, 0 .. 7, 8" ]

reads "an empty point in a collection" \
    '{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[]},{"type":"Point","coordinates":[1,2]}]}' \
    'id,wkt\n0,"GEOMETRYCOLLECTION (POINT EMPTY,POINT (1 2))"\n'

# Properties.

reads "properties of all types" '{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"s":"a\\"b, c","o":{"k":[1,null]},"t":false,"u":"\\u00e9\\n","z":null}}' \
    'id,wkt,s,o,t,u,z\n0,POINT (1 2),"a""b, c","{""k"":[1,null]}",false,"\303\251\n",\n'
reads "numbers as they are spelt" '{"n":-0.0,"bbox":[1.0,2.00,3,4],"type":"FeatureCollection","features":[
{"type":"Feature","id":7.0,"geometry":{"type":"Point","coordinates":[1.50,2E+1,0e-0]},"properties":{"a":1.50,"b":-0,"c":[1.10,{"d":2e0}],"e":12345678901234567890123,"f":1e999}},
{"type":"Feature","id":8,"geometry":{"type":"Point","coordinates":[1,2]},"properties":{"a":0.1,"b":"1.50","c":null}}]}' \
    'id,wkt,a,b,c,e,f\n8,POINT (1 2),0.1,1.50,,,\n7,POINT (1.50 2E+1 0e-0),1.50,-0,"[1.10,{""d"":2e0}]",12345678901234567890123,1e999\n'
reads "ids as pandas writes them" '[{"id":7.0,"x":1.0,"y":2},{"id":1e1,"x":1.0,"y":2},{"id":0.0,"x":2.5,"y":2}]' \
    'id,x,y\n7,1.0,2\n10,1.0,2\n0,2.5,2\n'
reads "properties with the names of columns" '{"type":"Feature","id":3,"geometry":{"type":"Point","coordinates":[1,2]},"properties":{"ID":9,"wkt":"w","Wkt_2":"v","lon":5}}' \
    'id,wkt,ID_2,wkt_2,Wkt_2_2,lon\n3,POINT (1 2),9,w,v,5\n'
reads "a property with ids" '{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"id":7}}' \
    'wkt,id\nPOINT (1 2),7\n'
printf '{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"ref":7}}' > ref.json
answers 0 'wkt,ref\nPOINT (1 2),7\n' search $all --id ref ref.json

# Other commands read the output, and GeoJSON.

printf '{"type":"Feature","id":1,"geometry":{"type":"LineString","coordinates":[[0,0],[2,1]]},"properties":{"n":"a"}}\n{"type":"Feature","id":2,"geometry":{"type":"Point","coordinates":[5,5]},"properties":{"n":"b"}}\n' > two.json
"$program" search $all two.json > two.csv
answers 0 'change,id,old_wkt,old_n,new_wkt,new_n\n' diff two.json two.csv
answers 0 'id,wkt,n,distance\n2,POINT (5 5),b,1\n' nearest --point 5,6 two.json
run draw two.json -o two.svg
check "GeoJSON is drawn" is_picture two.svg
run merge two.json two.json two.json
check "GeoJSON is not merged" refused "pqt: two.json: JSON cannot be merged; pqt search makes CSV of it"

# Refused files.

# refuses NAME LINE MESSAGE TEXT: checks that a file with this text, a printf format, is refused with
# this message about the line.
refuses()
{
    # shellcheck disable=SC2059 # a format
    printf "$4" > case.json
    run info case.json
    check "$1" refused "pqt: case.json:$2: $3"
}

feature='{"type":"Feature","properties":{},"geometry":'
refuses "a bbox across the antimeridian" 2 \
    "bbox crosses the antimeridian, so it is no box of the plane, but one with --globe (west 177 > east -178)" \
    "\n$feature{\"type\":\"Point\",\"coordinates\":[1,2]},\"bbox\":[177,-20,-178,-16]}"
refuses "a bbox with heights across the antimeridian" 1 \
    "bbox crosses the antimeridian, so it is no box of the plane, but one with --globe (west 177 > east -178)" \
    '{"type":"Point","coordinates":[1,2],"bbox":[177,-20,0,-178,-16,9]}'
refuses "a bbox of five numbers" 1 "bbox is not four or six numbers" '{"type":"Point","coordinates":[1,2],"bbox":[1,2,3,4,5]}'
refuses "another reference system" 1 "the coordinates are not those of WGS 84 (urn:ogc:def:crs:EPSG::25832)" \
    '{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::25832"}},"features":['
refuses "another reference system after the features" 3 "the coordinates are not those of WGS 84 (EPSG:3857)" \
    '{"type":"FeatureCollection","features":[\n],\n"crs":{"type":"name","properties":{"name":"EPSG:3857"}}}'
refuses "a linked reference system" 1 "the coordinates are not those of WGS 84 (a crs without a name)" \
    '{"type":"Point","coordinates":[1,2],"crs":{"type":"link","properties":{"href":"x"}}}'
refuses "another reference system of a geometry" 2 "the coordinates are not those of WGS 84 (EPSG:3857)" \
    "\n$feature{\"type\":\"Point\",\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:3857\"}},\"coordinates\":[1,2]}}"
refuses "an empty point" 1 "the geometry is empty, and has no box" '{"type":"Point","coordinates":[]}'
refuses "a feature without a geometry" 2 "the feature has no geometry, and so no box" \
    '{"type":"Point","coordinates":[1,2]}\n{"type":"Feature","properties":{},"geometry":null}'
refuses "an empty geometry" 1 "the geometry is empty, and has no box" '{"type":"MultiPolygon","coordinates":[]}'
refuses "a position of one number" 1 "a position of the geometry has fewer than two numbers" '{"type":"Point","coordinates":[1]}'
refuses "a coordinate that is a text" 1 "a coordinate of the geometry is not a number" '{"type":"Point","coordinates":[1,"2"]}'
refuses "coordinates that are not nested" 1 "the coordinates of the geometry are not an array" '{"type":"Polygon","coordinates":[[1,2]]}'
refuses "coordinates that are missing" 1 "the coordinates of the geometry are not an array" '{"type":"Point"}'
refuses "NaN" 1 "is not JSON (invalid token near 'NaN')" '{"type":"Point","coordinates":[NaN,2]}'
refuses "a number that overflows" 1 "a coordinate of the geometry is too large (1e999)" '{"type":"Point","coordinates":[1e999,2]}'
refuses "a number that overflows in a row" 2 "x is not a finite number (1e999)" '[{"x":1,"y":2},\n{"x":1e999,"y":2}]'
for number in 01 1. -.5 1e 1e+ - 1-2 1.2.3; do
    refuses "a number that JSON does not have: $number" 1 "is not JSON (invalid token near '$number')" '[{"x":1,"y":2,"n":'$number'}]'
done
refuses "a number with a plus sign" 1 "is not JSON (invalid token near '+')" '[{"x":1,"y":2,"n":+1}]'
refuses "a number that JSON does not have, in a collection" 1 "is not JSON (invalid token near '01')" '{"type":"FeatureCollection","n":01,"features":[]}'
refuses "UTF-16" 1 "the file is UTF-16, and a table must be UTF-8" '\377\376{\000}\000'
refuses "a file that is cut off" 1 "is not JSON (']' expected near end of file)" '{"type":"Point","coordinates":[1,2'
refuses "a collection that is cut off" 1 "is not JSON (',' expected near 'end of file')" \
    "{\"type\":\"FeatureCollection\",\"features\":[$feature{\"type\":\"Point\",\"coordinates\":[1,2]}}"
refuses "features without a comma" 2 "is not JSON (',' expected near '{')" \
    "{\"type\":\"FeatureCollection\",\"features\":[$feature{\"type\":\"Point\",\"coordinates\":[1,2]}}\n{}]}"
refuses "bytes that are not UTF-8" 1 "is not UTF-8, as JSON is; it looks like Windows-1252 (unable to decode byte 0xe9 near '\"')" '{"type":"Point","x":"\351"}'
refuses "a zero byte in a string" 1 "is not JSON (\\u0000 is not allowed without JSON_ALLOW_NUL near '\"\\u0000\"')" '{"type":"Point","x":"\\u0000"}'
refuses "a member that occurs twice" 1 "is not JSON (a member occurs twice: type)" '{"type":"Point","type":"Point"}'
refuses "a property that occurs twice" 1 "is not JSON (duplicate object key near '\"a\"')" '{"type":"Feature","properties":{"a":1,"a":2}}'
refuses "TopoJSON" 1 "no columns min_x,min_y,max_x,max_y or x,y or lon,lat or wkt (type\",\"objects)" '{"type":"Topology","objects":{}}'
refuses "an object after a feature" 2 "type is not Feature or that of a geometry ()" '{"type":"Point","coordinates":[1,2]}\n{"lon":1,"lat":2}'
refuses "text after an array" 1 "text follows the array" '[{"x":1,"y":2}] x'
refuses "an array of numbers" 1 "is not JSON ('{' expected near '1')" '[1,2]'
refuses "a row without a coordinate" 2 "x is not a number ()" '[{"x":1,"y":2},\n{"y":3}]'
refuses "a row with a coordinate that is null" 2 "y is not a number ()" '{"x":1,"y":2}\n{"x":3,"y":null}'
refuses "a collection of another type" 1 "type is not FeatureCollection (Features)" '{"type":"Features","features":[]}'
refuses "a collection of geometries as features" 1 "type is not Feature (Point)" \
    '{"type":"FeatureCollection","features":[{"type":"Point","coordinates":[1,2]}]}'
refuses "text after a collection" 1 "text follows the FeatureCollection" '{"type":"FeatureCollection","features":[]} x'
refuses "a collection after a feature" 2 "a FeatureCollection follows features" \
    '{"type":"Point","coordinates":[1,2]}\n{"type":"FeatureCollection","features":['
refuses "properties that are a list" 1 "the properties are not an object" '{"type":"Feature","properties":[1],"geometry":null}'
refuses "an id that is text after one that is not" 3 "id is not a whole number from 0 to 18446744073709551615 (b)" \
    '{"type":"Feature","id":1,"geometry":{"type":"Point","coordinates":[1,2]},"properties":{"x":"two\\nlines"}}\n\n{"type":"Feature","id":"b","geometry":{"type":"Point","coordinates":[1,2]}}'

# Hostile files: one line, and little memory. A program with a sanitizer cannot start with little.

limit=700000
# shellcheck disable=SC3045 # dash and bash have it
(ulimit -v "$limit" && "$program" info point.json > out 2> err) || limit=unlimited

# limited FILE MESSAGE: checks that the file is refused in one line that has the message.
limited()
{
    # shellcheck disable=SC3045 # dash and bash have it
    (ulimit -v "$limit" && "$program" info "$1" > out 2> err)
    status=$?
    [ "$status" -eq 2 ] && [ ! -s out ] && [ "$(wc -l < err)" -eq 1 ] && grep -q "$2" err
}
awk 'BEGIN { for (i = 0; i < 1000000; i++) printf "{\"a\":" }' > deep.json
check "a file that is nested a million times is refused" limited deep.json "maximum parsing depth reached"
{
    printf '{"type":"GeometryCollection","geometries":['
    awk 'BEGIN { for (i = 0; i < 100; i++) printf "{\"type\":\"GeometryCollection\",\"geometries\":[" }'
    printf '{"type":"Point","coordinates":[1,2]}'
    awk 'BEGIN { for (i = 0; i < 101; i++) printf "]}" }'
} > nested.json
check "collections that are nested a hundred times are refused" limited nested.json "nested too deeply"
{
    printf '{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"a":0'
    awk 'BEGIN { for (i = 0; i < 1000000; i++) printf ",\"p%d\":1", i }'
    printf '}}'
} > wide.json
check "a million properties are refused" limited wide.json "more than 4096 properties (p4095)"
{
    printf '{"type":"Point","x":"'
    head -c 70000000 /dev/zero | tr '\0' x
} > long.json
check "a value without an end is refused" limited long.json "a value is longer than 33554432 bytes"
awk 'BEGIN { printf "{\"type\":\"Point\""; for (i = 0; i < 5000000; i++) printf ",\"m%d\":1", i; print "}" }' > members.json
check "an object without an end is refused" limited members.json "a value takes more than 268435456 bytes of memory"
for unit in '[],' '{"a":{}},' '"",' '[1.5,2.5],'; do
    {
        printf '{"type":"Point","x":['
        yes "$unit" | head -c 34000000
    } > small.json
    check "small values without an end are refused: $unit" \
        limited small.json "a value takes more than 268435456 bytes of memory"
done
awk 'BEGIN {
    printf "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]},\"properties\":{\"A\":0"
    for (i = 0; i < 4000; i++) {
        name = ""
        for (bit = 0; bit < 12; bit++) name = name (int(i / 2 ^ bit) % 2 ? "N" : "n")
        printf ",\"%s\":1", name
    }
    print "}}" }' > spellings.json
run search $all spellings.json
check "names that differ in their letters only get numbers" \
    [ "$status $(head -n 1 out | tr , '\n' | grep -ci '^n*_[0-9]*$')" = "0 3999" ]
finish

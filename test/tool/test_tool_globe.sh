#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_globe.sh: tests the option --globe: windows and nearest items across the antimeridian,
# and input that is not on the globe.
#
# PQT names the program; the default is ./pqt.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"

printf '%s\n' min_lon,min_lat,max_lon,max_lat,name 177,-19,182,-12,Fiji -173,-14,-171,-13,Samoa \
    0,0,1,1,Gulf -180,-90,180,-85,Antarctica > places.csv

# names STATUS NAME... -- ARGUMENT...: checks that the command ends with the status, and prints the
# rows with these names in this order.
names()
{
    expected_status=$1
    shift
    : > expected
    while [ "$1" != -- ]; do
        echo "$1" >> expected
        shift
    done
    shift
    run "$@"
    sed '1d; s/^[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,\([A-Z][a-z]*\).*/\1/' out > found
    check "pqt $*" same_names "$expected_status"
}

same_names()
{
    [ "$status" -eq "$1" ] && cmp -s expected found && [ ! -s err ]
}

names 0 Samoa Fiji -- search --globe --window=170,-30,-170,0 places.csv
names 0 Samoa Fiji -- search --window=170,-30,190,0 --globe places.csv
names 0 Fiji -- search --globe --window=-180,-30,-178,0 places.csv
names 1 -- search --window=-180,-30,-178,0 places.csv
names 0 Antarctica Samoa Gulf Fiji -- search --globe --window=-inf,-inf,inf,inf places.csv
names 0 Antarctica -- search --globe --relation covers --window=170,-90,-170,-86 places.csv
names 0 Samoa Fiji -- nearest --globe --point=-171.8,-13.8 --k 2 places.csv
names 0 Samoa Antarctica -- nearest --point=-171.8,-13.8 --k 2 places.csv
names 0 Antarctica -- nearest --globe --point=50,-90 places.csv
names 1 -- nearest --globe --point=-171,-16 --max 1000 places.csv
run nearest --globe --point=0,0 --k 1 "$top/docs/examples/data/cities.csv"
check "the city nearest to 0,0 is Takoradi, in metres" \
    grep -q '^[0-9]*,Takoradi,GH,.*,[56][0-9][0-9][0-9][0-9][0-9]\.[0-9]*$' out

run search --globe --window=170,-30,-170,91 places.csv
check "a window beyond a pole is refused" refused \
    "pqt: --window is not on the globe (170,-30,-170,91): it is west,south,east,north in degrees"
run search --globe --window=0,1,1,0 places.csv
check "a window with north below south is refused" refused \
    "pqt: --window is not on the globe (0,1,1,0): it is west,south,east,north in degrees"
run nearest --globe --point=0,91 places.csv
check "a point beyond a pole is refused" refused \
    "pqt: --point is not on the globe (0,91): it is longitude,latitude in degrees"

# Boxes whose west side is greater than their east side.

# printed STATUS TEXT: checks that the last run ended with the status and printed TEXT, a printf
# format.
printed()
{
    # shellcheck disable=SC2059 # a format
    printf "$2" > expected
    [ "$status" -eq "$1" ] && cmp -s expected out && [ ! -s err ]
}

printf '%s\n' id,west,south,east,north,name 1,177.0,-19,-178.10,-12,Fiji 2,-173,-14,-171,-13,Samoa > sides.csv
run search --globe --window=-179,-90,-178.5,90 sides.csv
check "a box whose west is greater than its east crosses the antimeridian" \
    printed 0 'id,west,south,east,north,name\n1,177.0,-19,181.9,-12,Fiji\n'
run search --window=-179,-90,-178.5,90 sides.csv
check "and is refused in the plane" refused "pqt: sides.csv:2: box is inverted (west 177 > east -178.1)"
run search --globe --window=-inf,-90,inf,90 --format geojson sides.csv
check "GeoJSON has a box across the antimeridian in two parts, with its bbox" printed 0 \
    '{"type":"FeatureCollection","features":[\n{"type":"Feature","id":2,"geometry":{"type":"Polygon","coordinates":[[[-173,-14],[-171,-14],[-171,-13],[-173,-13],[-173,-14]]]},"properties":{"name":"Samoa"}},\n{"type":"Feature","id":1,"geometry":{"type":"MultiPolygon","coordinates":[[[[177,-19],[180,-19],[180,-12],[177,-12],[177,-19]]],[[[-180,-19],[-178.1,-19],[-178.1,-12],[-180,-12],[-180,-19]]]]},"bbox":[177,-19,-178.1,-12],"properties":{"name":"Fiji"}}\n]}\n'
cp out sides.json
run info sides.json
if ! grep -q 'built without jansson' err; then
    check "a bbox across the antimeridian is refused in the plane" refused \
        "pqt: sides.json:3: bbox crosses the antimeridian, so it is no box of the plane, but one with --globe (west 177 > east -178.1)"
    "$program" search --globe --window=-inf,-90,inf,90 --output items.pqt sides.csv
    run search --globe --window=-inf,-90,inf,90 --output again.pqt sides.json
    check "and is one item on the globe" cmp -s items.pqt again.pqt
    run info --globe sides.json
    check "info --globe has its bounds" grep -qE '^bounds +-173, -19 .. 181.9, -12$' out
    cat > cut.json << 'EOF'
{"type":"FeatureCollection","features":[
{"type":"Feature","id":5,"geometry":{"type":"GeometryCollection","geometries":[{"type":"LineString","coordinates":[[179.25,0],[180,0.5]]},{"type":"LineString","coordinates":[[-180,0.5],[-179,1]]},{"type":"Point","coordinates":[-179.5,1]}]},"bbox":[179.25,0,-179,1],"properties":{"n":"arc"}},
{"type":"Feature","id":6,"geometry":{"type":"MultiPoint","coordinates":[[179,3],[-179.5,3]]},"bbox":[179,3,-179.5,3],"properties":{"n":"stones"}}
]}
EOF
    run search --globe --window=-180,0,-179.9,1 cut.json
    check "the parts of a geometry in the east have longitudes above 180" printed 0 \
        'id,wkt,n\n5,"GEOMETRYCOLLECTION (LINESTRING (179.25 0,180 0.5),LINESTRING (180 0.5,181 1),POINT (180.5 1))",arc\n'
    run search --globe --window=-inf,-90,inf,90 --format geojson cut.json
    check "and are written back as they were" cmp -s out cut.json
    "$program" search --globe --window=-inf,-90,inf,90 cut.json > cut.csv
    run search --globe --window=-inf,-90,inf,90 --format geojson cut.csv
    check "also from CSV" cmp -s out cut.json
    run draw --globe cut.json -o map.svg
    check "and are drawn" is_picture map.svg
fi
# Geometries in one piece are cut.

# cuts NAME WKT GEOMETRY: checks that a geometry in one piece is printed as this one.
cuts()
{
    printf 'id,wkt\n3,"%s"\n' "$2" > uncut.csv
    run search --globe --window=-inf,-90,inf,90 --format geojson uncut.csv
    check "GeoJSON has $1 cut at the antimeridian" test "$status $(sed -n 's/.*"geometry":\(.*}\),"bbox".*/\1/p' out)" = "0 $3"
}

cuts "a line" "LINESTRING Z (178 0 10,182 4 20,182 6 30,178 6 40)" \
    '{"type":"MultiLineString","coordinates":[[[178,0,10],[180,2,15]],[[180,6,35],[178,6,40]],[[-180,2,15],[-178,4,20],[-178,6,30],[-180,6,35]]]}'
cuts "a line that touches it" "LINESTRING (179 0,180 1,179 2,181 4)" \
    '{"type":"MultiLineString","coordinates":[[[179,0],[180,1],[179,2],[180,3]],[[-180,3],[-179,4]]]}'
cuts "a line along it" "LINESTRING (179 0,180 0,180 5,181 5)" \
    '{"type":"MultiLineString","coordinates":[[[179,0],[180,0]],[[-180,0],[-180,5],[-179,5]]]}'
cuts "several lines" "MULTILINESTRING ((1 1,2 2.50),(179 0,181 0))" \
    '{"type":"MultiLineString","coordinates":[[[1,1],[2,2.5]],[[179,0],[180,0]],[[-180,0],[-179,0]]]}'
cuts "a polygon" "POLYGON ((179 0,181 0,181 1,179 0))" \
    '{"type":"MultiPolygon","coordinates":[[[[180,0.5],[179,0],[180,0],[180,0.5]]],[[[-180,0],[-179,0],[-179,1],[-180,0.5],[-180,0]]]]}'
cuts "a polygon with several parts on one side" "POLYGON ((178 0,182 0,182 1,179 1,179 2,182 2,182 3,178 3,178 0))" \
    '{"type":"MultiPolygon","coordinates":[[[[180,1],[179,1],[179,2],[180,2],[180,3],[178,3],[178,0],[180,0],[180,1]]],[[[-180,0],[-178,0],[-178,1],[-180,1],[-180,0]]],[[[-180,2],[-178,2],[-178,3],[-180,3],[-180,2]]]]}'
cuts "a polygon with holes" "POLYGON ((176 0,184 0,184 8,176 8,176 0),(179 3,181 3,181 5,179 5,179 3),(177 1,178 1,178 2,177 1))" \
    '{"type":"MultiPolygon","coordinates":[[[[180,5],[179,5],[179,3],[180,3],[180,0],[176,0],[176,8],[180,8],[180,5]],[[177,1],[178,1],[178,2],[177,1]]],[[[-180,0],[-176,0],[-176,8],[-180,8],[-180,5],[-179,5],[-179,3],[-180,3],[-180,0]]]]}'
cuts "a polygon with a corner that touches it" "POLYGON ((-185 -3,-175 -3,-175 4,-180 4,-175 5.5,-180 4.5,-180 6,-185 -3))" \
    '{"type":"MultiPolygon","coordinates":[[[[180,6],[175,-3],[180,-3],[180,6]]],[[[-180,-3],[-175,-3],[-175,4],[-180,4],[-180,-3]]],[[[-180,4],[-175,5.5],[-180,4.5],[-180,4]]]]}'
cuts "several polygons" "MULTIPOLYGON (((1 1,2 1,2 2,1 1)),EMPTY,((179 0,181 0,181 1,179 0)))" \
    '{"type":"MultiPolygon","coordinates":[[[[1,1],[2,1],[2,2],[1,1]]],[[[180,0.5],[179,0],[180,0],[180,0.5]]],[[[-180,0],[-179,0],[-179,1],[-180,0.5],[-180,0]]]]}'
cuts "a polygon in a collection" "GEOMETRYCOLLECTION (POINT (-180.50 1),POLYGON ((-181 0,-179 0,-179 1,-181 0)))" \
    '{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[179.5,1]},{"type":"MultiPolygon","coordinates":[[[[180,0.5],[179,0],[180,0],[180,0.5]]],[[[-180,0],[-179,0],[-179,1],[-180,0.5],[-180,0]]]]}]}'
run info sides.json
if ! grep -q 'built without jansson' err; then
    run search --globe --window=-181,0,-179,1 --format geojson uncut.csv
    cp out cut.json
    run search --globe --window=-inf,-90,inf,90 cut.json
    check "and is read back in one piece" [ "$(sed 1d out)" = \
        '3,"GEOMETRYCOLLECTION (POINT (179.5 1),MULTIPOLYGON (((180 0.5,179 0,180 0,180 0.5)),((180 0,181 0,181 1,180 0.5,180 0))))"' ]
fi
printf '177,-19,-178,-12\n' > bare.csv
run search --globe --no-header --box 1,2,3,4 --window=181,-15,181,-15 bare.csv
check "files without a header have such boxes, too" printed 0 'id,min_x,min_y,max_x,max_y\n0,177,-19,182,-12\n'

# Pictures.

# parts PICTURE CLASS: prints the number of shapes of a class on the map.
parts()
{
    awk -v class="$2" '
        /^<path class="/ { inside = index($0, "<path class=\"" class "\"") == 1 }
        inside { line = $0; sub(/.* d="/, "", line); count += gsub(/m/, "", line) }
        /\/>|<\/path>/ { inside = 0 }
        END { print count + 0 }' "$1"
}

# tips PICTURE: prints the tooltips, in order of the alphabet.
tips()
{
    sed -n 's/^<path class="tip[^>]*><title>\(.*\)<\/title><\/path>$/\1/p' "$1" | LC_ALL=C sort | tr '\n' ' '
}

run draw --globe places.csv -o map.svg
check "draw --globe writes a picture" is_picture map.svg
check "an item across the antimeridian has a part on each side" \
    [ "$(parts map.svg items) $(tips map.svg)" = "5 Antarctica Fiji Fiji Gulf Samoa " ]
run draw --globe --window=170,-30,-170,0 places.csv -o map.svg
check "and so has a window" [ "$(parts map.svg window) $(parts map.svg found)" = "2 3" ]
check "draw --globe counts what the window finds" grep -q 'found: 2<' map.svg
run draw --globe --window=190,-30,inf,0 places.csv -o map.svg
check "an infinite window goes all the way round" grep -q 'found: 3<' map.svg
run draw --globe --window=0,0,1,91 places.csv -o map.svg
check "draw refuses a window that is not on the globe" refused \
    "pqt: --window is not on the globe (0,0,1,91): it is west,south,east,north in degrees"
printf 'lon,lat,name\n-179,10,east\n190,-80,south\n-170,0,"on the equator"\n' > points.csv
run draw --globe points.csv -o map.svg
check "longitudes beyond 180 are west of the antimeridian" \
    [ "$(sed -n 's/.* items: *//p; s/^<path class="items dot" d="//p' map.svg | grep -c .)" = 1 ]

# longest PICTURE: prints the longest step to the right or to the left of a great circle, in units of
# the picture, whose map is at most 1200 wide.
longest()
{
    sed -n '/^<path class="link"/,/\/>/p' "$1" | grep -oE '[lh]-?[0-9]*\.?[0-9]+' | tr -d 'lh-' | sort -n | tail -n 1
}
run nearest --globe --point=170,10 --k 3 points.csv --svg map.svg
check "nearest --globe draws great circles" is_picture map.svg
check "which are cut at the antimeridian" \
    [ "$(longest map.svg | awk '{ print $1 < 60 }')" = 1 ]
check "each in at least 48 pieces" [ "$(parts map.svg link)" -ge 144 ]
check "nearest --globe prints the same with a picture" \
    [ "$("$program" nearest --globe --point=170,10 --k 3 points.csv)" = "$(cat out)" ]
run nearest --globe --point=-171.8,-13.8 --k 2 places.csv --svg map.svg
check "nearest --globe has tooltips" [ "$(tips map.svg | tr " " "\n" | grep -c -e Fiji -e Samoa)" -ge 2 ]
run nearest --globe --point=0,89 --max 1 places.csv --svg map.svg
check "nearest --globe draws a map without results" is_picture map.svg
run nearest --globe --point=50,-90 places.csv --svg map.svg
check "and one of a pole" is_picture map.svg
printf 'id,x,y\n7,0,91\n' > beyond.csv
run search --globe --window=0,0,1,1 beyond.csv
check "an item beyond a pole is refused" refused \
    "pqt: beyond.csv: item 7 is not on the globe (0,91,0,91): latitudes are from -90 to 90, longitudes from -540 to 540"
finish

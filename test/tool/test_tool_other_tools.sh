#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_other_tools.sh: tests reading files as other tools write them. Those of GDAL are written by
# ogr2ogr; without it, these tests are skipped.
#
# PQT names the program; the default is ./pqt.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"
data=$top/test/data

# answers NAME ROWS ARGUMENT...: checks that a search prints these rows.
answers()
{
    name=$1
    printf '%b' "$2" > expected
    shift 2
    run search "$@"
    check "$name" test "$status $(cmp out expected && echo same)" = "0 same"
}

# piped NAME PATTERN: checks the last output of a pipe.
piped()
{
    check "$1" test "$(wc -l < out) $(grep -c "$2" out)" = "2 1"
}

# ---- Excel, GTFS, GeoNames, PostGIS, geopandas, QGIS ----

answers "Excel in German: sep=, semicolons, decimal commas" \
    'Nr,Ort,L\303\244nge,Breite,Einwohner\n2,Gen\303\250ve; Stadt,6.14569,46.2022,203.856\n1,Z\303\274rich,8.55,47.36667,421.878\n' \
    -w 0,0,90,90 --x Länge --y Breite --id Nr "$data/excel_german.csv"
answers "Excel in English" 'id,Name,Longitude,Latitude,Opened\n0,"Bern, Main Station",7.43911,46.94883,01/06/1860\n' \
    -w 7,46,7.5,47 "$data/excel_english.csv"
answers "Excel in Windows-1252: bytes of names stay" 'Nr,Ort,x,y\n1,Z\374rich,8.55,47.36667\n' \
    -w 8,47,9,48 --id Nr "$data/excel_windows1252.csv"
answers "the stops of GTFS, whose ids are text" \
    'id,stop_id,stop_name,stop_lat,stop_lon,location_type\n1,A2,Market South,46.94711,7.44802,0\n' \
    -w 7.448,46,8,47 "$data/stops.txt"
answers "GeoNames, without a header" \
    'id,column_2,column_3,column_4,y,x,column_7,column_8,column_9\n2657896,Z\303\274rich,Zuerich,"Turigo,Zurigo",47.36667,8.55,P,PPLA,CH\n' \
    -w 8,47,9,48 --no-header --x 6 --y 5 --id 1 "$data/geonames.txt"
answers "PostGIS with st_astext" 'id,gid,name,st_astext\n0,1,lake,"POLYGON((6 46,7 46,7 46.5,6 46))"\n' \
    -w 6,46,6,46 "$data/postgis_astext.csv"
answers "PostGIS with st_x and st_y" 'id,gid,name,st_x,st_y\n0,1,Suva,178.44149,-18.14161\n' \
    -w 178,-19,179,-18 "$data/postgis_xy.csv"
run info "$data/postgis_ewkb.csv"
check "PostGIS with hexadecimal EWKB is refused by name" test "$status $(grep -c \
    ':2: geom is hexadecimal WKB; ST_AsText writes WKT (0101000020E610000079758E...)' err)" = "2 1"
answers "geopandas" 'id,,name,geometry\n0,0,lake,"POLYGON ((6 46, 7 46, 7 46.5, 6 46))"\n' \
    -w 6,46,6,46 "$data/geopandas.csv"
run merge "$data/geopandas.csv" "$data/geopandas.csv" "$data/geopandas.csv"
check "the index of pandas, which has no name, is written back byte for byte" cmp -s out "$data/geopandas.csv"
printf ',x,y\n0,1.50,2\n1,3,4.0\n' > pandas.csv
printf ',x,y\n0,1.50,2\n1,3.5,4.0\n2,5,6\n' > theirs.csv
run merge pandas.csv pandas.csv theirs.csv
check "and so are its rows in a merge" cmp -s out theirs.csv
answers "pandas: points with an index" 'id,,x,y\n0,0,1.50,2\n1,1,3,4.0\n' -w 0,0,9,9 pandas.csv
answers "QGIS" 'WKT,fid,name\nPointZ (178.44149 -18.14161 3),2,Suva\n' -w 178,-19,179,-18 "$data/qgis.csv"

# ---- GDAL ----

if ! command -v ogr2ogr > /dev/null; then
    skip "files of GDAL" "there is no ogr2ogr"
    finish
    exit
fi
cat > places.geojson << 'EOF'
{"type":"FeatureCollection","features":[
{"type":"Feature","properties":{"name":"Zürich","people":421878,"note":"say \"hi\", all"},
 "geometry":{"type":"Point","coordinates":[8.55,47.36667]}},
{"type":"Feature","properties":{"name":"Suva","people":93970,"note":null},
 "geometry":{"type":"Point","coordinates":[178.44149,-18.14161]}}]}
EOF
cat > areas.geojson << 'EOF'
{"type":"FeatureCollection","features":[
{"type":"Feature","properties":{"name":"lake; deep"},
 "geometry":{"type":"Polygon","coordinates":[[[6,46],[7,46],[7,46.5],[6,46]]]}},
{"type":"Feature","properties":{"name":"isles"},"geometry":{"type":"MultiPolygon","coordinates":
 [[[[177,-18],[178,-18],[178,-17],[177,-18]]],[[[179,-17],[180,-17],[180,-16],[179,-17]]]]}}]}
EOF
for order in XY YX XYZ; do
    ogr2ogr -f CSV -lco GEOMETRY=AS_$order $order.csv places.geojson
    run search -w 8,47,9,48 $order.csv
    piped "ogr2ogr: CSV with GEOMETRY=AS_$order" 'Zürich,421878,"say ""hi"", all"$'
done
for separator in COMMA SEMICOLON TAB; do
    ogr2ogr -f CSV -lco GEOMETRY=AS_WKT -lco SEPARATOR=$separator -lco WRITE_BOM=YES wkt.csv areas.geojson
    run search -w 6,46,6,46 wkt.csv
    piped "ogr2ogr: CSV with GEOMETRY=AS_WKT and SEPARATOR=$separator" '"POLYGON ((6 46,.*))",lake; deep$'
    rm -f wkt.csv
done
run info places.geojson
if grep -q 'built without jansson' err; then
    skip "GeoJSON of GDAL" "this build reads no JSON"
    finish
    exit
fi
ogr2ogr -f GeoJSON again.geojson areas.geojson
run search -w 6,46,6,46 again.geojson
piped "ogr2ogr: GeoJSON" '"POLYGON ((6.0 46.0,.*))",lake; deep$'
for rs in NO YES; do
    ogr2ogr -f GeoJSONSeq -lco RS=$rs again.geojsons areas.geojson
    run search -w 6,46,6,46 again.geojsons
    piped "ogr2ogr: GeoJSONSeq with RS=$rs" '"POLYGON ((6.0 46.0,.*))",lake; deep$'
    rm -f again.geojsons
done

# through FORMAT FILE: checks that a file of another format is read through the pipe of the manual.
through()
{
    if ! ogr2ogr -f "$1" "$2" areas.geojson 2> err; then
        skip "$1 through ogr2ogr" "this ogr2ogr does not write it"
        return
    fi
    ogr2ogr -f GeoJSONSeq -t_srs EPSG:4326 /vsistdout/ "$2" 2> /dev/null |
        "$program" search -w 177.5,-18,177.6,-17 - > out 2> err
    piped "$1 through ogr2ogr" '"MULTIPOLYGON (((.*)))",isles'
}
through GPKG areas.gpkg
through "ESRI Shapefile" areas.shp
through FlatGeobuf areas.fgb
through KML areas.kml
finish

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_studio.sh: tests pqt studio: its options, its files, and the folder that it writes.
#
# PQT names the program; the default is ./pqt. make check-studio tests the pages in a browser. A
# build without pqt.wasm, which make studio compiles, writes nothing and reports this.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"
# shellcheck disable=SC2034 # for run
subcommand=studio
countries=$top/docs/examples/data/countries.csv
# The program also finds the data of the examples below the current folder.
ln -s "$top/docs" docs

run --port=65536
check "a port above 65535 is refused" refused "pqt: --port is not a whole number from 0 to 65535 (65536)"
run --port=http
check "a port that is not a number is refused" refused "pqt: --port is not a whole number from 0 to 65535 (http)"
run missing.csv
check "a missing file is refused" refused "pqt: missing.csv: cannot be opened (No such file or directory)"
mkdir folder.csv
run folder.csv
check "a folder is refused" refused "pqt: folder.csv: is not a regular file"
echo > notes.doc
run notes.doc
check "a file of another kind is refused" \
    refused "pqt: notes.doc: the studio opens .csv, .tsv, .txt, .geojson, .json, .geojsonl, .ndjson, .png and .pqt \
files, and .pqts stores"
mkdir other
cp "$countries" countries.csv
cp "$countries" other/countries.csv
run countries.csv other/countries.csv
check "two files with the same name are refused" \
    refused "pqt: other/countries.csv: another file has the same name (countries.csv)"

run postgresql://localhost/city
check "a URL without a line is refused" \
    refused "pqt: the address names no line: postgresql://...#NAME"
run a.pqts other/a.pqts
check "two stores with the same name are refused" \
    refused "pqt: another file has the same name (a.pqts)"
run 'http://127.0.0.1:1/#balls&scene=five&do=s1<b>'
check "a link with other characters is refused" \
    refused "pqt: the link has a character that such links do not have (<b>)"
run '#balls&scene=five' 'https://example.org/studio/#balls&scene=pile'
check "two links are refused" refused "pqt: there is more than one link"
run --export=site '#balls&scene=five'
check "--export refuses a link" \
    refused "pqt: a link is opened in the page that --export writes, which cannot include it"
run --export=site a.pqts
check "--export refuses a store" \
    refused "pqt: a store or a line needs the server: --export cannot include it"
check "--export does not create a store" test ! -e a.pqts

run --export=site countries.csv
if grep -q "has no pqt.wasm" err; then
    check "a build without pqt.wasm reports that" \
        refused "pqt: this build has no pqt.wasm, which the studio needs (make studio compiles it)"
    check "--export in a build without pqt.wasm writes nothing" test ! -e site
    finish
    exit
fi

site_is_whole()
{
    [ "$status" -eq 0 ] && [ ! -s err ] || return 1
    for file in index.html main.js studio.css pqt.js pqt/init.js pqt/lib/core.js pqt/pqt.wasm data/cities.csv; do
        [ -s "site/$file" ] || return 1
    done
    [ "$(cat out)" = "$(find site -type f | wc -l | tr -d ' ') files are in site" ] &&
        cmp -s site/files/countries.csv countries.csv &&
        [ "$(cat site/files.json)" = '{"files":["countries.csv"]}' ]
}
check "--export writes the site with the file" site_is_whole

# all_imports_are_there: checks that the site contains each module that a script imports.
all_imports_are_there()
{
    (cd site && grep -oE "(from|import\() ?['\"\`]\./[a-z_/]+\.js" ./*.js | sed "s/.*['\"\`]//" | sort -u) > imports
    [ -s imports ] || return 1
    while read -r file; do
        [ -s "site/$file" ] || return 1
    done < imports
}
check "the site has each module that is imported" all_imports_are_there

run --export=studio.html countries.csv
check "--export writes one page, which says where it is" test "$status:$(cat out)" = "0:the studio is in studio.html"
check "the page has the file, in base64, and no module" \
    test "$(grep -c "$(head -c 30 countries.csv | base64 | head -c 36)" studio.html)" = 2 -a "$(grep -c 'type="module"' studio.html)" = 0
run --export=missing/studio.html
check "--export of a page requires that the folder exists" refused \
    "pqt: missing/studio.html: cannot be written (No such file or directory)"

run --export=site
check "--export overwrites the site" test "$(cat site/files.json)" = '{"files":[]}'
echo > file
run --export=file
check "--export refuses a file in place of a folder" refused "pqt: file: the folder cannot be created (Not a directory)"
run --export=missing/site
check "--export requires that the parent folder exists" refused "pqt: missing/site: the folder cannot be created (No such file or directory)"
run --address=example.com
if grep -q '^#define PQT_WITH_MICROHTTPD 1' "$built/config.h"; then
    check "a URL that names a version is refused" refused "pqt: --address is not a numeric address (example.com)"
else
    check "a build without a web server reports that" \
        refused "pqt: this build has no web server (libmicrohttpd); --export writes the studio to a folder"
fi

finish

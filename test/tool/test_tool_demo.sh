#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_demo.sh: tests pqt demo: its report and picture, and the figures of README.md.
#
# PQT names the program; the default is ./pqt. Durations are not tested.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"
# shellcheck disable=SC2034 # for run
subcommand=demo
data=$top/docs/examples/data

# in_all PATTERN BYTES: prints the sum of the two figures of a line, cities and countries, in units
# of BYTES.
in_all()
{
    awk -v pattern="$1" -v unit="$2" '
        BEGIN { of["B"] = 1; of["kB"] = 1e3; of["MB"] = 1e6; of["GB"] = 1e9 }
        $0 ~ pattern { print ($(NF - 3) * of[$(NF - 2)] + $(NF - 1) * of[$NF]) / unit }
    ' out
}

# in_readme PATTERN: prints the number that the group of the pattern matches in README.md. Spaces
# match line breaks.
in_readme()
{
    tr '\n' ' ' < "$top/README.md" | sed -n "s/.*$1.*/\1/p"
}

# is_about A B: checks that the numbers differ by at most a tenth. They differ because memories
# arrange blocks differently.
is_about()
{
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && a < 1.1 * b && b < 1.1 * a) }'
}

run --data "$data"
check "the demo succeeds" succeeded
check "the demo keeps every version of 20,000 edits" grep -qE '^versions kept.* 16,001 +4,001$' out
check "no check of the demo fails" grep -qE '^ +failed +0 +0$' out
check "thousands of checks of the demo pass" \
    grep -qE '^checks.*passed +[0-9]+,[0-9]{3} +[0-9]+,[0-9]{3}$' out
check "the demo draws pqt-demo.svg" is_picture pqt-demo.svg
check "the picture of the demo is that of README.md" \
    cmp -s pqt-demo.svg "$top/docs/images/pqt-demo.svg"
check "the picture of the demo is smaller than 1 MB" test "$(wc -c < pqt-demo.svg)" -lt 1000000
check "the picture of the demo contains the credits" \
    grep -q 'GeoNames (CC BY 4.0), Natural Earth' pqt-demo.svg
found=$("$program" search -c -w=-10.5,35.5,31,60 "$data/cities.csv")
check "the picture of the demo contains the cities that a search finds" \
    grep -q "window: $(echo "$found" | sed 's/...$/,&/') cities found" pqt-demo.svg

check "README.md gives the size of the demo's versions" \
    is_about "$(in_readme 'keeps every version\*: \([0-9]*\) MB')" "$(in_all '^memory of all versions' 1e6)"
check "README.md gives the size of full copies" \
    is_about "$(in_readme 'full copies would take \([0-9]*\) GB')" "$(in_all '^full copies' 1e9)"

# demo_prints SEED EDITS: prints the fingerprints at the end of the report.
demo_prints()
{
    "$program" demo --data "$data" --edits "$2" --seed "$1" -o demo.svg 2> err |
        sed -n 's|^first digits of its fingerprint *||p'
}

first=$(demo_prints 3 200)
check "the same seed repeats the same edits" test "$first" = "$(demo_prints 3 200)"
check "another seed makes different edits" test "$first" != "$(demo_prints 4 200)"
check "the demo works without edits" test -n "$(demo_prints 1 0)"
run --data "$data" --edits 10 -o none/demo.svg
check "the demo reports that it cannot draw" \
    test "$status $(cat err)" = "2 pqt: none/demo.svg: cannot be written (No such file or directory)"
check "the demo leaves no temporary file" no_scraps
run --output -
check "the demo refuses to write its picture to standard output" \
    refused "pqt: --output may not be standard output, which receives the report (-)"
finish

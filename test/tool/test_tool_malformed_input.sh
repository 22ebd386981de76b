#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_malformed_input.sh: tests files with changed, lost or repeated bytes. Each of them must
# be read, or refused with one line.
#
# PQT names the program; the default is ./pqt. PQT_SEED and PQT_TEST_SCALE have the same meaning as
# in random.h. If a file causes a failure, it is written to the log in octal.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"
LC_ALL=C
export LC_ALL

# garble COUNT FILE: prints COUNT lines, each a variant of the file in octal escapes with up to four
# changes: a byte is replaced, often by a meaningful one, or some bytes are lost or repeated.
garble()
{
    od -An -v -to1 "$2" | awk -v count="$1" -v seed="${PQT_SEED:-20240229}" '
        function dice(bound) { state = (state * 69069 + 1) % 4294967296; return int(state / 65536) % bound }
        { for (i = 1; i <= NF; i++) byte[size++] = $i }
        END {
            state = seed
            told = split("000 011 012 015 040 042 043 054 055 056 060 071 145 177 200 377", likely)
            for (; count > 0; count--) {
                for (i = 0; i < size; i++)
                    text[i] = "\\0" byte[i]
                for (changes = 1 + dice(4); changes > 0; changes--) {
                    at = dice(size)
                    kind = dice(4)
                    if (kind == 0)
                        text[at] = "\\0" likely[1 + dice(told)]
                    else if (kind == 1)
                        text[at] = sprintf("\\0%03o", dice(256))
                    else if (kind == 2)
                        for (n = dice(20); n >= 0; n--)
                            text[at + n] = ""
                    else
                        text[at] = text[at] text[at] text[(at + 1) % size]
                }
                line = ""
                for (i = 0; i < size; i++)
                    line = line text[i]
                print line
            }
        }'
}

# is_answered: checks that the last run ended with an allowed status, and reported an error in one
# line.
is_answered()
{
    if [ "$status" -eq 2 ]; then
        [ "$(wc -l < err)" -eq 1 ] && grep -q '^pqt: ' err && no_scraps
    else
        [ "$status" -le 1 ] && [ ! -s err ]
    fi
}

# answers FILE ARGUMENT...: checks that the command answers for each variant of the file.
answers()
{
    file=$1
    shift
    cp "$file" sound
    garble "$(awk -v scale="${PQT_TEST_SCALE:-1}" 'BEGIN { print int(20 * scale) + 1 }')" sound > garbled
    while read -r line; do
        printf '%b' "$line" > "$file"
        run "$@" < /dev/null
        if ! is_answered; then
            echo "# status $status: $line"
            return 1
        fi
    done < garbled
    mv sound "$file"
}

printf 'id,min_x,min_y,max_x,max_y,name\n1,1,1,2,2.5,cat\n2,-5,5,1e3,6,"a ""b"", c"\n7,0,0,0,0,owl\n' > boxes.csv
printf 'id,x,y,name\n1,1,1,cat\n2,5,5,dog\n3,9,1,owl\n' > points.csv
printf 'lon,lat,name\r\n13.4,52.5,Berlin\r\n-0.1,51.5,London\r\n' > map.csv
printf 'insert 9 4 4\nbegin both\nmove 1 2 2\ndrag 2 6 6\nend\nundo 1\ninsert 8 1 1 2 2\nname 1 first # one\n' > ops
printf 'save\ntime 40\nremove 3\ngo first\nredo\ncontent 0 0 9 9 2\nchanged 0 0 3 3\nitem 9\nthin 3\nshow\n' >> ops

check "info answers or refuses damaged boxes" answers boxes.csv info boxes.csv
check "nearest answers or refuses damaged points" answers points.csv nearest --point 1,1 points.csv
check "search answers or refuses damaged points of a map" \
    answers map.csv search --window=-10,40,20,60 map.csv
cp points.csv new.csv
check "diff answers or refuses a damaged file" answers new.csv diff points.csv new.csv
check "merge answers or refuses a damaged file" answers new.csv merge points.csv new.csv points.csv --quiet --resolve=both
check "draw answers or refuses a damaged file" answers boxes.csv draw boxes.csv -o boxes.svg
check "history answers or refuses a damaged script" \
    answers ops history points.csv --script ops --svg ops.svg
if grep -q '^#define PQT_WITH_PNG 1' "$built/config.h"; then
    cp "$top/docs/examples/data/sprites/walker.png" .
    check "region answers or refuses a damaged image" answers walker.png region walker.png
    check "region --union answers or refuses a damaged image" answers walker.png region walker.png --xor walker.png -o both.png
fi
finish

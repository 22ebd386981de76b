#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_obstacle.sh: tests pqt simulate --obstacle: balls among the pixels of an image.
#
# PQT names the program; the default is ./pqt. Run from the build folder.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"
# shellcheck disable=SC2034 # for run
subcommand=simulate
cp "$top"/docs/examples/data/sprites/*.png .

if ! grep -q '^#define PQT_WITH_PNG 1' "$built/config.h"; then
    run --obstacle maze.png
    check "a build without libpng reports that" \
        refused "pqt: maze.png: png: this build of the library cannot read PNG"
    finish
    exit
fi

# reports LINE...: checks that the last run succeeded, and that each line is in its report.
reports()
{
    [ "$status" -eq 0 ] || return 1
    for line in "$@"; do
        grep -qE "^$line\$" out || return 1
    done
}

# is_drawn FILE BALLS: checks that the picture is complete, and has pixels and a circle for each
# ball.
is_drawn()
{
    [ "$(tail -n 1 "$1")" = "</svg>" ] && [ "$(grep -c '<circle class="ball"' "$1")" -eq "$2" ] &&
        grep -q 'class="pixels"' "$1"
}

number='[1-9][0-9,]*'
run --obstacle terrain.png --balls 200 --steps 60 --keep 7 --svg a.svg --output a.csv
check "balls bounce off the pixels of an image" reports 'balls +200 in 512 x 160, seed 1' \
    "collisions +$number of two balls, $number with walls, $number with pixels, 0 plastic, 0 bodies delayed" \
    'energy +[0-9.e+]+, relative drift (-?[0-9.]+e-1[0-9]|0.0e\+00)' \
    'rewind +to [0-9]+ random steps, .*, 0 wrong'
check "simulate --obstacle prints nothing on standard error" [ ! -s err ]
check "the picture shows the pixels" is_drawn a.svg 200
check "there is a row for each ball" [ "$(wc -l < a.csv)" -eq 201 ]
run --obstacle terrain.png --balls 200 --steps 60 --output b.csv
check "a repeated run has the same result" cmp -s a.csv b.csv

# There are fewer than 1000 cells of 10 x 10, so the 1000 balls are made smaller.
run --obstacle maze.png --steps 10
check "balls are small enough for the gaps of the maze" reports 'balls +1,000 in 125 x 125, seed 1' \
    'rewind +to [0-9]+ random steps, .*, 0 wrong'
run --obstacle - --balls 5 --steps 2 < rock.png
check "an image may be standard input" reports 'balls +5 in 96 x 80, seed 1'

run --obstacle walker.png --balls 1000000
check "too many balls for an image are refused" [ "$status-$(wc -l < err)" = 2-1 ]
check "the error of too many balls gives the possible number" grep -qE '^pqt: walker.png: only [0-9]+ balls fit between its pixels' err
run --obstacle none.png
check "a missing image is refused" \
    refused "pqt: none.png: cannot be opened (No such file or directory)"
run --obstacle a.csv
check "a file that is not an image is refused" refused "pqt: a.csv: png: the input does not begin with the signature of PNG"
run --obstacle rock.png --balls 5 --steps 2 --svg rock.png
check "the picture cannot replace the image" [ "$status" -eq 2 ]
run --obstacle rock.png --balls 5 --steps 2 --output ./rock.png
check "the rows cannot replace the image" [ "$status" -eq 2 ]
check "refused outputs leave the image unchanged" \
    cmp -s rock.png "$top/docs/examples/data/sprites/rock.png"
finish

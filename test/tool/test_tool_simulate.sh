#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_simulate.sh: tests pqt simulate: its report, rows and picture, and its errors.
#
# PQT names the program; the default is ./pqt. Speeds are not tested.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"
# shellcheck disable=SC2034 # for run
subcommand=simulate

# is_refused MESSAGE ARGUMENT...: checks that the command is refused with this message.
is_refused()
{
    message=$1
    shift
    run "$@"
    check "$* is refused" refused "pqt: $message"
}

# reports FILE LINE...: checks that the last run succeeded, and that each line is in the report in
# this file.
reports()
{
    file=$1
    shift
    [ "$status" -eq 0 ] || return 1
    for line in "$@"; do
        grep -qE "^$line\$" "$file" || return 1
    done
}

# same_lines PATTERN FILE FILE: checks that the matching lines of both files are equal.
same_lines()
{
    grep -E "$1" "$2" > these
    grep -E "$1" "$3" > those
    [ -s these ] && cmp -s these those
}

# differs FILE FILE: checks that the last run succeeded, and that the files differ.
differs()
{
    [ "$status" -eq 0 ] && ! cmp -s "$1" "$2"
}

# is_within ROWS WIDTH HEIGHT: checks that all boxes are in the box from (0, 0) to (WIDTH, HEIGHT).
is_within()
{
    [ "$status" -eq 0 ] && awk -F, -v width="$2" -v height="$3" \
        'NR > 1 && ($1 < 0 || $2 < 0 || $3 > width || $4 > height) { bad = 1 } END { exit bad }' "$1"
}

# is_whole FILE BALLS: checks that the picture is complete, with a circle and a trail for each ball.
is_whole()
{
    [ "$(tail -n 1 "$1")" = "</svg>" ] && [ "$(grep -c '<circle class="ball"' "$1")" -eq "$2" ] &&
        grep -q 'class="trail"' "$1" && grep -q 'class="cells"' "$1"
}

is_refused "--balls is not a whole number from 1 to 1000000 (0)" --balls 0
is_refused "--balls is not a whole number from 1 to 1000000 (-3)" --balls=-3
is_refused "--steps is not a whole number from 0 to 10000000 (1e3)" --steps 1e3
is_refused "--dt is not greater than 0 (0)" --dt 0
is_refused "--dt is not a number >= 0 (-1)" --dt=-1
is_refused "--dt is not a number >= 0 (nan)" --dt nan
is_refused "--dt is not finite (inf)" --dt inf
is_refused "--seed is not a whole number from 0 to 9223372036854775807 (x)" --seed x
is_refused "--keep is not all, or a whole number from 1 to 10000000 (0)" --keep 0
is_refused "--keep is not all, or a whole number from 1 to 10000000 (some)" --keep some
is_refused "unexpected argument (world.csv)" world.csv
is_refused "--svg may not be standard output, which receives the report (-)" --svg -
is_refused "x.out: output is named twice (--output and --svg)" --output x.out --svg x.out
run --balls 5 --steps 5 --svg none/x.svg
check "a picture that cannot be written is an error" [ "$status" -eq 2 ]

number='[1-9][0-9,]*'
run --balls 60 --steps 40 --keep all --svg a.svg --output a.csv
check "all versions are kept and verified" reports out 'balls +60 in 80 x 80, seed 1' \
    'steps +40 of 0.01 s' "collisions +$number of two balls, $number with walls, 0 plastic, 0 bodies delayed" \
    'energy +[0-9.e+]+, relative drift (-?[0-9.]+e-1[0-9]|0.0e\+00)' \
    'versions kept +41' 'bytes per version +.*B; the first .*B' \
    'rewind +to [0-9]+ random steps, .*, 0 wrong'
check "simulate prints nothing on standard error" [ ! -s err ]
check "the picture of a run is complete" is_whole a.svg 60
check "there is a row for each ball" [ "$(wc -l < a.csv)" -eq 61 ]
cp out kept-all

run --balls 60 --steps 40 --keep 7 --output -
check "--output - writes the rows to standard output" cmp -s out a.csv
check "--output - prints the report on standard error" reports err 'versions kept +7' \
    'rewind +to [0-9]+ random steps, .*, 0 wrong'
check "--keep does not change the run" same_lines '^(collisions|energy|momentum|tests)' err kept-all

run --balls 60 --steps 40 --seed 2 --output b.csv
check "another seed gives another run" differs a.csv b.csv
"$program" nearest --point 40,40 a.csv > out 2> err
status=$?
check "other commands read the rows" [ "$status-$(wc -c < err)" = 0-0 ]

run --balls 1 --steps 0
check "a run may have no steps" reports out 'steps +0 of 0.01 s' 'versions kept +1' \
    'bytes per version +the first .*B' \
    'rewind +to [0-9]+ random steps, .*, 0 wrong'
run --balls 5 --steps 4 --svg short.svg
check "the last kept version is counted" reports out 'versions kept +2' \
    'bytes per version +[1-9][0-9,]* B; the first .*B'
check "the key of the picture explains the trails" grep -q '>the last 4 steps<' short.svg
run --balls 5 --steps 1 --svg short.svg
check "the picture of a single step has a key, too" grep -q '>the last step<' short.svg
run --balls 5 --steps 1 --dt 1e300
check "a step that is too long is refused" \
    refused "pqt: dt is 1e+300, but must be above 0 and at most 1.6069380442589903e+60"
run --balls 40 --steps 3 --dt 5 --output c.csv
check "long steps keep all balls in the box" is_within c.csv 70 60

# A run that starts from the world of another run continues it.

run --balls=50 --steps=20 --output=middle.pqt
run --world=middle.pqt --steps=20 --output=end.pqt
check "a run can start from a world" test "$status" -eq 0
run --balls=50 --steps=40 --output=whole.pqt
check "two runs in sequence give the world of one run" cmp end.pqt whole.pqt
run --world=middle.pqt --balls=3
check "--balls is refused for a run from a world" refused \
    "pqt: --world already has balls and an obstacle (--balls)"

# Scenes, gravity and the plot.

# draws_energy FILE: checks that the plot is complete and shows curves of energy and momentum with
# units.
draws_energy()
{
    [ "$(tail -n 1 "$1")" = "</svg>" ] && grep -q '>energy (J)<' "$1" &&
        grep -q '>momentum (kg m/s)<' "$1" && grep -q '>time (s)' "$1" &&
        grep -q '>potential<' "$1" && ! grep -qE 'nan|inf' "$1"
}

is_refused "--scene is not pile, pyramid, cradle, billiards or pi (Pile)" --scene Pile
is_refused "--scene is not pile, pyramid, cradle, billiards or pi ()" --scene ""
is_refused "--scene already has balls and walls (--balls)" --balls 3 --scene pi
is_refused "--scene already has balls and walls (--obstacle)" --scene pi --obstacle x.png
is_refused "--scene already has balls and walls (--world)" --scene pi --world x.pqt
is_refused "--gravity is not two numbers X,Y (9.81)" --gravity 9.81
is_refused "--gravity is not finite (0,inf)" --gravity 0,inf
is_refused "--friction is not a number >= 0 (-1)" --friction=-1
is_refused "--friction is not a number >= 0 (nan)" --friction nan
is_refused "--friction is not finite (inf)" --friction inf
is_refused "--plot may not be standard output, which receives the report (-)" --plot -
is_refused "x.out: output is named twice (--output and --plot)" --output x.out --plot x.out
is_refused "x.out: output is named twice (--svg and --plot)" --svg x.out --plot x.out

run --scene pile --steps 2000 --svg pile.svg --plot plot.svg --output pile.csv
check "a pile settles" reports out 'balls +196 in 24 x 24, scene pile' \
    'energy +0 kinetic, [0-9.]+ potential, relative drift -[0-9.e-]+' 'momentum +0, 0 at the end'
check "the picture of a scene is complete" is_whole pile.svg 196
check "the plot shows energy and momentum" draws_energy plot.svg
check "a scene has its own rows" [ "$(wc -l < pile.csv)" -eq 197 ]
# is_below ROWS Y: checks that all boxes are below a height. y points down.
is_below()
{
    [ "$status" -eq 0 ] && awk -F, -v y="$2" 'NR > 1 && $2 < y { bad = 1 } END { exit bad }' "$1"
}

run --scene pyramid --steps 0 --output pyramid.csv
check "a pyramid is 13 m high" is_below pyramid.csv 6.87
run --scene pyramid --steps 600 --output pyramid.csv
check "a pyramid without friction flattens" is_below pyramid.csv 15
run --scene cradle
check "a cradle transfers its speed" reports out 'energy +50, relative drift 0.0e\+00' \
    'collisions +10 of two balls, 1 with walls, 0 plastic, 0 bodies delayed' \
    'momentum +-10, 0 at the end'
run --scene billiards
check "a break shot conserves its energy" reports out \
    'energy +5.44, relative drift (-?[0-9.]+e-1[4-9]|0.0e\+00)' \
    'collisions .* 0 plastic, 0 bodies delayed'
# The centres after one second, in which 36 collisions occur. They were computed event by event with
# 60 decimal digits from the same doubles, and each collision as the root of its quadratic equation.
cat > exact.csv << EOF
0,1.0843223052664095,1.1802716336278332
1,1.4277435137493739,1.0162307297756443
2,1.9468049094656839,0.67734061519811717
3,2.0080731543402561,0.69900416288713751
4,2.3437728138116021,1.2215207848930614
5,0.77542903176498446,0.49545253889849472
6,1.9174027074525455,0.60652189642105392
7,2.0040579966001069,0.63497856428490118
8,2.0535429774622118,0.66370266853670379
9,2.391448558075647,0.69171414301440826
10,2.0041087947843432,0.57782452529523698
11,2.0538783696871223,0.60624502828592275
12,2.1069227769070906,0.63262000548606223
13,2.0174782183675948,0.4868366094479461
14,2.1751581174520491,0.45302239952622514
15,2.443629818342949,0.17437650097480406
EOF

# is_exact ROWS: checks that each centre is within 1e-12 of that in exact.csv.
is_exact()
{
    [ "$status" -eq 0 ] && awk -F, 'NR == FNR { x[$1] = $2; y[$1] = $3; next }
        FNR > 1 { a = $6 - x[$5]; b = $7 - y[$5]; count++
                  if (a * a > 1e-24 || b * b > 1e-24) bad = 1 }
        END { exit bad || count != 16 }' exact.csv "$1"
}

run --scene billiards --output shot.csv
check "a break shot ends within 1e-12 of a computation with 60 digits" is_exact shot.csv
run --scene billiards --keep all --dt 0.1 --steps 10 --output shot.csv
check "a break shot in longer steps ends within 1e-12 of a computation with 60 digits" \
    is_exact shot.csv
run --scene pi
check "1571 collisions of two balls and 1570 with a wall give the digits of pi" reports out \
    'collisions +1,571 of two balls, 1,570 with walls, 0 plastic, 0 bodies delayed'
run --scene cradle --gravity 0,9.81 --steps 10 --output fallen.csv
check "--gravity replaces the gravity of a scene" reports out 'energy +[0-9.]+ kinetic, .* potential.*'
run --balls 40 --gravity=-5,0 --steps 20 --plot random.svg
check "--gravity acts on random balls" draws_energy random.svg
# has_angles FILE: checks that at least a hundred rows have an angle and an angular velocity.
has_angles()
{
    awk -F, 'NR == 1 { bad = $12 != "angle" || $13 != "angular_velocity" }
        NR > 1 && $12 != 0 && $13 != 0 { turning++ } END { exit bad || turning < 100 }' "$1"
}

# has_no_angle FILE: checks that no ball has an angle or an angular velocity.
has_no_angle()
{
    awk -F, 'NR > 1 && ($12 != 0 || $13 != 0) { bad = 1 } END { exit bad }' "$1"
}

# turns FILE COUNT: checks that the picture has a line for the angle of each ball.
turns()
{
    awk '/<path class="angle"/ { inside = 1 } inside { count += gsub(/m/, "&") } />/ { inside = 0 }
        END { exit count != n }' n="$2" "$1" &&
        grep -q '>their angles<' "$1"
}

run --scene pyramid --friction 1 --steps 300 --svg heap.svg --plot heap-plot.svg --output heap.csv
check "a pyramid with friction becomes a heap" reports out \
    'energy +[0-9.]+ kinetic, [0-9.]+ potential, relative drift -[0-9.e-]+'
check "the plot shows the energy of rotation" grep -q '>of rotation<' heap-plot.svg
check "the plot with rotation also shows the other curves" draws_energy heap-plot.svg
check "the picture shows the angle of each ball" turns heap.svg 120
check "the rows have angles and angular velocities" has_angles heap.csv
check "the title of a picture contains the friction" grep -q ', friction 1<' heap.svg
check "rows without friction have no angle" has_no_angle pile.csv
check "a picture without friction shows no angle" [ "$(grep -c 'angle"' pile.svg)" -eq 0 ]
run --balls 5 --steps 1 --friction 1e61
check "a friction that is too large is refused" \
    refused "pqt: friction is 1e+61, not in 0 .. 1.6069380442589903e+60"
run --balls 4 --steps 0 --gravity 0,1 --plot none.svg
check "a run without steps has a plot" draws_energy none.svg
finish

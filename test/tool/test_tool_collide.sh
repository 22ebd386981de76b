#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_collide.sh: tests pqt collide: its output for two images, its pictures, and its errors.
#
# PQT names the program; the default is ./pqt. The images are a wall of 8 x 8 pixels, a dot of 2 x 2
# pixels, and an image without set pixels, so that each answer follows from the arguments.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"
# shellcheck disable=SC2034 # for run
subcommand=collide

# picture SIDE SUM DATA SUM: writes a PNG of SIDE x SIDE pixels of one bit. All arguments except
# SIDE are printf escapes.
picture()
{
    # shellcheck disable=SC2059 # escapes
    printf "\211PNG\015\012\032\012\000\000\000\015IHDR\000\000\000\0$1\000\000\000\0$1\001\000\000\000\000$2\000\000\000\014IDAT$3$4\000\000\000\000IEND\256B\140\202"
}

picture 10 '\354t\203&' 'x\332c\370\317\200\002\001?\320\007\371' 'g-I\241' > wall.png
picture 02 'Z\315\060\211' 'x\332c\070\300p\000\000\003\004\001\201' '*\345nZ' > dot.png
picture 02 'Z\315\060\211' 'x\332c\140\140\140\000\000\000\004\000\001' '\310\352\353\371' > none.png

# prints STATUS LINE...: checks that the last run ended with this status and printed exactly these
# lines.
prints()
{
    wanted=$1
    shift
    printf '%s\n' "$@" > expected
    [ "$status" -eq "$wanted" ] && [ ! -s err ] && cmp -s expected out
}

# refuses LINE ARGUMENT...: checks that the command ends with status 2, and prints only this line.
refuses()
{
    line=$1
    shift
    run "$@"
    printf '%s\n' "$line" > expected
    [ "$status" -eq 2 ] && [ ! -s out ] && cmp -s expected err
}

run --offset 0,0 wall.png dot.png
if grep -q 'cannot read PNG' err; then
    skip_all "this build does not read PNG"
fi

check "an overlap is printed with its area and first pair" \
    prints 0 "overlap yes" "area 4" "pixel-a 0,0" "pixel-b 0,0"
run --offset 7.5,-1.25 wall.png dot.png
check "an overlap at an offset between pixels is found" \
    prints 0 "overlap yes" "area 0.375" "pixel-a 7,0" "pixel-b 0,1"
run --offset 8,0 wall.png dot.png
check "images that touch do not overlap" prints 1 "overlap no" "area 0"
run --offset 1e300,0 wall.png dot.png
check "images far apart from each other do not overlap" prints 1 "overlap no" "area 0"
run --offset 0,0 wall.png none.png
check "an image without pixels does not overlap" prints 1 "overlap no" "area 0"
run --offset 8,0 --cell-a 16 wall.png dot.png
check "larger cells may overlap where pixels do not" prints 0 "overlap yes"
run --offset 0,0 --cell-a 16 --full-cells wall.png dot.png
check "--full-cells counts only full cells" prints 1 "overlap no"

run --offset 18,3 --to=-2,8 wall.png dot.png
check "a path to another image ends at a hit" prints 0 "status hits" "time 0.5" "time-exact 1/2" "stop 8,5.5" \
    "blocked x" "normal 1,0" "pixel-a 7,5" "pixel-b 0,0"
run --offset 18,3 --to 8,3 wall.png dot.png
check "a path that ends in contact is free" prints 1 "status touches" "time 1" "time-exact 1/1" "stop 8,3" \
    "blocked x" "normal 1,0" "pixel-a 7,3" "pixel-b 0,0"
run --offset 18,3 --to 18,3 wall.png dot.png
check "a path of zero length is free" prints 1 "status free" "time 1" "time-exact 1/1" "stop 18,3"
run --offset 6,3 --to 10,3 wall.png dot.png
check "a path that starts with an overlap hits at once" prints 0 "status overlaps" "time 0" "time-exact 0/1" "stop 6,3" \
    "exit 0.5" "exit-exact 1/2" "push 2,0"
run --offset 6,3 --to 6,3 wall.png dot.png
check "a path of zero length that starts with an overlap hits at once" prints 0 "status overlaps" "time 0" "time-exact 0/1" "stop 6,3" \
    "exit never" "push 2,0"
run --offset 6,3 --to 10,3 --ignore wall.png dot.png
check "--ignore lets a path leave an overlap" prints 0 "status free" "time 1" "time-exact 1/1" "stop 10,3" "exit 0.5" \
    "exit-exact 1/2" "push 2,0"
run --offset 6,3 --to 7,3 --ignore wall.png dot.png
check "--ignore reports an overlap that the path does not leave" prints 0 "status overlaps" "time 1" "time-exact 1/1" \
    "stop 7,3" "exit 2" "exit-exact 2/1" "push 2,0"
run --offset 18,18 --to 0,0 wall.png dot.png
check "a diagonal path hits at a corner" prints 0 "status hits" "time 0.5555555555555556" "time-exact 5/9" \
    "stop 8,8" "blocked corner" "normal 0.7071067811865475,0.7071067811865475" "pixel-a 7,7" \
    "pixel-b 0,0"
run --offset 40,3 --to 0,3 --cell-a 16 --cell-b 4 wall.png dot.png
check "larger cells stop a path earlier" prints 0 "status hits" "time 0.6" "time-exact 3/5" "stop 16,3" \
    "blocked x" "normal 1,0" "pixel-a 0,0" "pixel-b 0,0"

run --offset 18,3 --to=-2,8 --svg way.svg wall.png dot.png
check "a path is drawn" is_picture way.svg
for class in first start second cell motion remaining met normal; do
    check "the picture of a path shows its $class" grep -q "class=\"$class" way.svg
done
run --offset 0,0 --cell-b 2 --svg overlap.svg wall.png dot.png
check "an overlap is drawn" is_picture overlap.svg
cat dot.png > copy.png
run --offset 0,0 - copy.png < wall.png
check "one image may be standard input" \
    prints 0 "overlap yes" "area 4" "pixel-a 0,0" "pixel-b 0,0"

check "--offset is required" refuses "pqt: no offset is given (--offset X,Y)" wall.png dot.png
check "--offset must be finite" refuses "pqt: --offset is not finite (inf,0)" --offset inf,0 wall.png dot.png
check "two images are required" refuses "pqt: no second file is named (- is standard input)" --offset 0,0 wall.png
check "a third image is refused" refuses "pqt: unexpected argument (dot.png)" --offset 0,0 wall.png dot.png dot.png
check "an image must exist" refuses "pqt: nowhere.png: cannot be opened (No such file or directory)" \
    --offset 0,0 nowhere.png dot.png
check "the side of a cell must be a power of two" refuses "pqt: --cell-b is not a power of 2 (3)" \
    --offset 0,0 --cell-b 3 wall.png dot.png
check "the side of a cell must not be 0" \
    refuses "pqt: --cell-a is not a whole number from 1 to 1048576 (0)" --offset 0,0 --cell-a 0 wall.png dot.png
check "a path that is too long is refused" \
    refuses "pqt: --offset, --to or the distance between them exceeds 1048576 pixels (0,0 to 2000000,0)" \
    --offset 0,0 --to 2e6,0 wall.png dot.png
check "--ignore requires a path" \
    refuses "pqt: --ignore needs a motion (--to X,Y)" --offset 0,0 --ignore wall.png dot.png
check "--full-cells requires larger cells" \
    refuses "pqt: --full-cells needs cells larger than pixels (--cell-a N or --cell-b N)" \
    --offset 0,0 --full-cells wall.png dot.png
check "standard input cannot be both images" refuses "pqt: standard input is named twice (-)" --offset 0,0 - -
check "the picture cannot replace an image" \
    refuses "pqt: wall.png: output is also an input (wall.png)" --offset 0,0 --svg wall.png wall.png dot.png
printf 'x,y\n1,2\n' > f.csv
run --offset 0,0 --svg broken.svg f.csv dot.png
check "a file that is not PNG is refused" test "$status" -eq 2
check "the error of a file that is not PNG is one line" test "$(wc -l < err)" -eq 1
check "a file that is not PNG leaves no picture" test ! -e broken.svg
finish

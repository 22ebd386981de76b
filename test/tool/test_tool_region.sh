#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_region.sh: tests pqt region: its output, its files, and its errors.
#
# PQT names the program; the default is ./pqt. Run this from the build folder. Operations are
# checked by counting: two images together have as many pixels as their union and their intersection
# together.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"
# shellcheck disable=SC2034 # for run
subcommand=region
sprites=$top/docs/examples/data/sprites

if ! grep -q '^#define PQT_WITH_PNG 1' "$built/config.h"; then
    run "$sprites/ship.png"
    check "a build without libpng reports that" \
        refused "pqt: $sprites/ship.png: png: this build of the library cannot read PNG"
    finish
    exit
fi

# of NAME: prints the value of a line of --info without commas.
of()
{
    sed -n "s/^$1  *//p" out | tr -d ,
}

# makes NAME FORMAT: writes a file with these bytes.
makes()
{
    # shellcheck disable=SC2059 # a format
    printf "$2" > "$1"
}

cp "$sprites"/*.png .

# Descriptions of images.

says_what_was_drawn()
{
    while read -r name _ _ _ pixels _ fingerprint; do
        run "$name.png"
        [ "$status" -eq 0 ] && [ "$(of pixels)" = "$pixels" ] &&
            [ "$(of fingerprint)" = "$fingerprint" ] || return 1
    done < "$top/docs/examples/sprites.out"
}
check "--info describes each sprite as it was drawn" says_what_was_drawn

are_drawn_by_the_example()
{
    mkdir -p drawn && "$built/docs/examples/sprites" drawn > out 2> err || return 1
    for file in drawn/*.png; do
        run "$file" --xor "$(basename "$file")"
        [ "$status" -eq 1 ] && [ "$(of pixels)" = 0 ] || return 1
    done
}
check "the sprites equal the pictures that the example draws" are_drawn_by_the_example

run ship.png
cat > expected << 'TEXT'
picture          ship.png, 64 x 56, 1 bit, palette, alpha
pixels           930
bounds           3, 9 .. 61, 51
components       1
with corners     1
fingerprint      a12f123392c568594a933d580d02374f
inner nodes      0
leaves           1
full squares     0
TEXT
is_the_ship()
{
    [ "$status" -eq 0 ] && [ ! -s err ] && grep -v '^bytes' out | cmp -s - expected
}
check "--info prints all facts of the ship" is_the_ship

# Five pixels of alpha 0, 1, 127, 128 and 255; and red, green, blue and white without alpha.
makes alpha.png '\211PNG\015\012\032\012\000\000\000\015IHDR\000\000\000\005\000\000\000\001\010\006\000\000\000\026\376d\363\000\000\000\031IDATx\332c\370\317\000\004\377\031\030\201D=\047\047g\303\177\040\000\000>\237\010\025)q\325?\000\000\000\000IEND\256B`\202'
makes colour.png '\211PNG\015\012\032\012\000\000\000\015IHDR\000\000\000\004\000\000\000\001\010\002\000\000\000v^\230\232\000\000\000\020IDATx\332c\370\317\300\300\000\306@\000\000\035\357\005\373\345E\326\320\000\000\000\000IEND\256B`\202'

# has COUNT ARGUMENT...: checks that the set has COUNT pixels.
has()
{
    count=$1
    shift
    run "$@"
    [ "$(of pixels)" = "$count" ] && [ "$status" -eq "$((count == 0))" ]
}
check "pixels that are more than half opaque belong to the set" has 2 alpha.png
check "--threshold 0 selects all pixels that are not fully transparent" has 4 alpha.png --threshold 0
check "--threshold 126 includes 127" has 3 --threshold 126 alpha.png
check "--threshold 255 selects nothing, and the status is 1" has 0 alpha.png --threshold=255
check "an image without alpha is selected by brightness" has 2 colour.png
check "--channel alpha selects the whole of an image without alpha" has 4 colour.png --channel alpha
check "--channel dark selects dark pixels" has 2 colour.png --channel dark
check "--channel light ignores the colour of transparent pixels" has 2 alpha.png --channel light

# Operations.

# add_up OFFSET: checks that the numbers of pixels of terrain and rock add up.
add_up()
{
    a=$(run terrain.png && of pixels) b=$(run rock.png && of pixels)
    run terrain.png --intersection rock.png --offset="$1"
    both=$(of pixels)
    has $((a + b - both)) terrain.png --union rock.png --offset="$1" &&
        has $((a - both)) terrain.png --difference rock.png --offset="$1" &&
        has $((a + b - 2 * both)) terrain.png --xor rock.png --offset="$1"
}
for offset in 0,0 100,20 64,64 -37,-11 500,90 1000000,-1000000; do
    check "the areas of the union and the intersection of terrain and rock add up at $offset" \
        add_up "$offset"
done

run terrain.png --union rock.png --offset=-37,-11 --info
frame_holds_both()
{
    grep -q '^frame            -37, -11 \.\. 512, 160$' out &&
        grep -q '^offset           -37, -11$' out
}
check "the frame of a union contains both images" frame_holds_both

# Outputs.

run terrain.png --difference rock.png --offset 100,20 -o crater.png --svg crater.svg --info
pixels=$(of pixels)
fingerprint=$(of fingerprint)
run crater.png
comes_back()
{
    [ "$(of pixels)" = "$pixels" ] && [ "$(of fingerprint)" = "$fingerprint" ] &&
        grep -q 'crater.png, 512 x 160, 1 bit, palette, alpha' out
}
check "the file of --output reads back equal" comes_back
# is_drawn FILE: checks that the picture has pixels and leaves.
is_drawn()
{
    grep -q 'class="leaf"' "$1" && grep -q 'class="pixels"' "$1" && is_picture "$1"
}
check "--svg draws pixels and leaves" is_drawn crater.svg
run walker.png --union ship.png --offset=-30,-7 -o moved.png
check "region prints nothing with outputs and without --info" test ! -s out
run moved.png
check "a union with an offset is written with the frame of both images" \
    grep -q 'moved.png, 64 x 56' out
through_a_pipe()
{
    "$program" region rock.png --intersection ship.png -o - | "$program" region - --info > out 2> err &&
        pixels=$(of pixels) && run rock.png --intersection ship.png && [ "$(of pixels)" = "$pixels" ]
}
check "images are read from and written to pipes" through_a_pipe
run rock.png --intersection ship.png --offset 90,70 --output nothing.png
check "an empty intersection ends with status 1" test "$status" -eq 1
check "an empty intersection is still written" has 0 nothing.png

# Errors.

# refused_and_kept LINE: checks that the last run was refused, and that it changed or made no
# output.
refused_and_kept()
{
    refused "$1" && [ "$(cat kept.png)" = kept ] && [ ! -e new.svg ]
}

# refuses NAME LINE ARGUMENT...: checks that the command prints one line and keeps an existing
# output.
refuses()
{
    name=$1
    line=$2
    shift 2
    echo kept > kept.png
    run "$@"
    check "$name" refused_and_kept "$line"
}
head -c 100 ship.png > short.png
echo 'no picture' > text.png
: > empty.png
cp ship.png broken.png
printf 'x' | dd of=broken.png bs=1 seek=120 conv=notrunc 2> /dev/null
mkdir folder.png
refuses "no file" "pqt: no file is named (- is standard input)" -o kept.png
refuses "a file that does not exist" "pqt: none.png: cannot be opened (No such file or directory)" \
    none.png -o kept.png
refuses "a second file that does not exist" \
    "pqt: none.png: cannot be opened (No such file or directory)" ship.png --union none.png -o kept.png
refuses "a folder" "pqt: folder.png: cannot be read (Is a directory)" folder.png -o kept.png
refuses "an empty file" "pqt: empty.png: png: the input is empty" empty.png -o kept.png
refuses "a text" "pqt: text.png: png: the input does not begin with the signature of PNG" text.png -o kept.png
refuses "a file cut short" "pqt: short.png: png: the input ends early, after 100 bytes" short.png \
    -o kept.png
run broken.png -o kept.png
one_line()
{
    [ "$status" -eq 2 ] && [ ! -s out ] && [ "$(wc -l < err)" -eq 1 ] &&
        grep -q '^pqt: broken.png: png: ' err
}
check "a file with a changed byte is refused with one line" one_line
refuses "two arguments" "pqt: unexpected argument (rock.png)" ship.png rock.png
refuses "two operations" "pqt: more than one operation is given (--union and --xor)" ship.png \
    --union rock.png --xor rock.png
refuses "an offset without a second picture" \
    "pqt: --offset needs a second picture (--union B.png)" ship.png --offset 1,2
refuses "half a pixel" "pqt: --offset is not a whole number of pixels from -2097152 to 2097152 (0.5)" ship.png \
    --union rock.png --offset 0.5,1
refuses "an offset beyond the limit of offsets" "pqt: --offset is not a whole number of pixels from -2097152 to 2097152 (3000000)" \
    ship.png --union rock.png --offset 0,3000000
refuses "an offset that leaves the limit" \
    "pqt: rock.png: offset 1048570, 0: the region extends more than 1048576 pixels from 0" \
    ship.png --union rock.png --offset 1048570,0
refuses "no channel" "pqt: --channel is not auto, alpha, light or dark (red)" ship.png --channel red
refuses "no threshold" "pqt: --threshold is not a whole number from 0 to 255 (256)" ship.png \
    --threshold 256
refuses "standard input twice" "pqt: standard input is named twice (-)" - --union -
refuses "an output that is the input" "pqt: ship.png: output is also an input (ship.png)" \
    ship.png -o ship.png
refuses "an output that is the second input" \
    "pqt: rock.png: output is also an input (rock.png)" ship.png --xor rock.png -o rock.png
refuses "one output twice" "pqt: none: output is named twice (--output and --svg)" ship.png \
    -o none -s none
refuses "lines and a picture on one output" \
    "pqt: --output may not be standard output, which receives the lines of --info (-)" ship.png --info -o -
refuses "a result that is infinite" \
    "pqt: kept.png: the picture of the result has more than 268,435,456 pixels (1000096 x 1000080)" \
    ship.png --union rock.png --offset 1000000,1000000 -o kept.png --svg new.svg
refuses "an output folder that does not exist" \
    "pqt: none/a.png: cannot be written (No such file or directory)" ship.png -o none/a.png
if [ -w /dev/full ]; then
    refuses "a full disk" "pqt: /dev/full: cannot be written (No space left on device)" ship.png \
        -o /dev/full
fi
finish

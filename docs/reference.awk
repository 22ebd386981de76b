# SPDX-License-Identifier: MIT
#
# reference.awk: the filter through which Doxygen reads a header. It documents the parameter `error`
# of each function whose comment does not, since the rules for errors are the same for all of them
# (include/pqt/error.h). It does not change the number of lines.

{ line[NR] = $0 }

# Returns the last line of the last parameter in a comment, or the line that ends the comment.
function last_of_parameters(from, to,    i, last)
{
    last = to
    for (i = from; i <= to; i++)
        if (line[i] ~ /@param/)
            for (last = i; last + 1 < to && line[last + 1] !~ /^ \*( *$| *@)/;)
                last++
    return last
}

function document_error(from, to,    i, at)
{
    for (i = from; i <= to; i++)
        if (line[i] ~ /@param +error([^a-z_]|$)/)
            return
    at = last_of_parameters(from, to)
    end = at == to ? " */" : ""
    sub(/ *\*\/.*/, "", line[at])
    line[at] = line[at] (line[at] == "" ? " *" : "") \
        " @param error set on failure; may be NULL; an earlier error in it is kept" end
}

END {
    for (i = 1; i <= NR; i++) {
        if (line[i] ~ /^\/\*\*/)
            from = i
        if (line[i] ~ /\*\/ *$/ && from > 0)
            to = i
        if (line[i] ~ /^(PQT_API|static inline) / && to == i - 1) {
            declaration = line[i]
            for (last = i; line[last] !~ /[;{]/ && last < NR;)
                declaration = declaration line[++last]
            if (declaration ~ /pqt_error \*error[,)]/)
                document_error(from, to)
        }
    }
    for (i = 1; i <= NR; i++)
        print line[i]
}

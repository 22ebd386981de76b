# SPDX-License-Identifier: MIT
"""counts.py: the measures that need no run. The text of each function states how it counts."""
import re

import c_source
from project import BENCHMARKS, BINDINGS, EXAMPLES, PROGRAM

KINDS = ("tree", "map", "region", "world", "document")
_MARKER = "PQT_API"
_LONG_COMMENT = "pqt_world_step"
_NUMBER = re.compile(r"(?:unsigned |signed |long |short )*(?:void|bool|char|short|int|long|float|"
                     r"double|size_t|ptrdiff_t|u?int\w*_t|unsigned|pqti_(?:[fu]|mask)\d+x\d+)")


def _public(project, headers):
    names = []
    for header in headers:
        names += c_source.declared(project.text(header), _MARKER)
    return sorted(set(names))


def public_functions(project):
    """names that a header in include/ declares with PQT_API or defines `static inline`"""
    return _public(project, project.headers())


def included_headers(project):
    return ["include/" + name for name in project.included("pqt.h")]


def functions_of_pqt_h(project):
    """the public functions of the headers that <pqt.h> includes, directly or not"""
    return _public(project, included_headers(project))


def lines_of_pqt_h(project):
    """the lines of these headers, without those of pqt.h itself"""
    return sum(map(project.lines, included_headers(project)))


def repeated_verbs(project):
    """public functions whose name becomes that of another one if its word for a kind of version
    (tree, map, region, world, document, or their plurals) is replaced by another kind's"""
    groups = {}
    for name in public_functions(project):
        for kind in KINDS:
            pattern, count = re.subn(r"_%s(s?)(?=_|$)" % kind, r"_*\1", name)
            if count:
                groups.setdefault(pattern, set()).add(name)
    return sorted({name for names in groups.values() if len(names) > 1 for name in names})


def _names_in(code, public):
    """Returns the public functions that the code names. A name that a macro pastes together stands
    for each public function with any one word in place of each pasted part."""
    found = public.intersection(re.findall(r"\bpqt_\w+", code))
    for pasted in set(re.findall(r"\bpqt_\w*(?:\s*##\s*\w+)+", code)):
        parts = re.split(r"\s*##\s*", pasted)
        # The parts at even places are text, and the others are arguments: pqt_ ## kind ## _pin.
        pattern = "".join("[a-z]+" if i % 2 else re.escape(part) for i, part in enumerate(parts))
        found |= {name for name in public if re.fullmatch(pattern, name)}
    return found


def _called(project, paths, public):
    found = set()
    for path in paths:
        is_c = path.endswith((".c", ".h", ".cpp", ".hpp"))
        found |= _names_in(project.code(path) if is_c else project.text(path), public)
    return _with_inlined(project, found, public)


def _with_inlined(project, called, public):
    """Adds what the inline functions of the public headers call, if they are called."""
    inline = {function.name: function for header in project.headers()
              for function in project.functions(header)}
    waiting, found = list(called), set(called)
    while waiting:
        name = waiting.pop()
        below = _names_in(inline[name].body, public) - found if name in inline else set()
        waiting += below
        found |= below
    return found


_SOURCES = (".c", ".h", ".cpp", ".hpp", ".py", ".js")


def uncalled(project):
    """public functions that no code of the program (src/tool, src/studio), of an example
    (docs/examples) or of a benchmark (test/bench) names outside comments, directly or through
    inline functions of public headers; names that macros paste together count"""
    public = set(public_functions(project))
    paths = project.files(PROGRAM + EXAMPLES + BENCHMARKS, _SOURCES)
    return sorted(public - _called(project, paths, public))


def uncalled_but_by_bindings(project):
    """those of them that code of a binding (bindings/, include/*.hpp) names, directly or through
    inline functions"""
    missing = set(uncalled(project))
    paths = project.files(BINDINGS, _SOURCES) + project.files(("include",), (".hpp",))
    return sorted(_called(project, paths, missing))


def uncalled_but_in_documents(project):
    """those of them that a block of code in README.md or docs/*.md calls"""
    missing = set(uncalled(project))
    documents = ["README.md"] + project.files(("docs",), (".md",))
    fenced = re.compile(r"^```[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
    found = set()
    for path in documents:
        for block in fenced.findall(project.text(path)):
            found |= missing.intersection(re.findall(r"\b(pqt_\w+)\s*\(", block))
    return sorted(found)


def uncalled_by_all(project):
    """those of the uncalled that neither a binding nor a document's code calls"""
    return sorted(set(uncalled(project)) - set(uncalled_but_by_bindings(project)) -
                  set(uncalled_but_in_documents(project)))


def _kind_files(project):
    return project.files(("src", "include", "bindings"), (".c", ".h", ".hpp"))


def kind_enums(project):
    """enums in src/ and include/ with enumerators for at least three kinds of version, whose names
    end in _TREE, _MAP, _REGION, _WORLD or _DOCUMENT"""
    return [enum for _, enum in _kind_enums(project)]


def _kind_enums(project):
    found = []
    for path in project.files(("src", "include"), (".c", ".h")):
        for enum in c_source.enums(project.code(path)):
            kinds = [name for name in enum if name.endswith(tuple("_" + k.upper() for k in KINDS))]
            if len(kinds) >= 3:
                found.append((path, kinds))
    return found


def _kind_pattern(project):
    names = sorted({name for enum in kind_enums(project) for name in enum})
    return r"\b(?:%s)\b" % "|".join(names) if names else r"(?!)"


def files_that_name_kinds(project):
    """C and C++ files of src/, include/ and bindings/ with an enumerator of these enums in code"""
    pattern = re.compile(_kind_pattern(project))
    return [path for path in _kind_files(project) if pattern.search(project.code(path))]


def _count_in_kind_files(project, count):
    return sum(count(project.code(path)) for path in files_that_name_kinds(project))


def kind_tables(project):
    """arrays in these files that are initialised with [enumerator] =, and macros that pass several
    enumerators to their argument, as first arguments"""
    designator = re.compile(r"\[\s*%s\s*\]\s*=" % _kind_pattern(project))
    array = re.compile(r"\]\s*=\s*\{(.*?)\};", re.DOTALL)
    macro = re.compile(r"^#define(?:.*\\\n)*.*$", re.MULTILINE)
    row = re.compile(r"\w\(\s*%s," % _kind_pattern(project))
    return _count_in_kind_files(project, lambda code: sum(
        1 for body in array.findall(code) if designator.search(body)) + sum(
        1 for body in macro.findall(code) if len(row.findall(body)) > 1))


def kind_switches(project):
    """switches in these files with a case of a kind"""
    case = re.compile(r"\bcase %s" % _kind_pattern(project))
    return _count_in_kind_files(project, lambda code: sum(
        1 for block in re.split(r"\bswitch\b", code)[1:] if case.search(block)))


def kind_comparisons(project):
    """comparisons in these files (==, !=, <, >, <=, >=) with an enumerator of a kind"""
    kind = _kind_pattern(project)
    sign = r"(?:[=!<>]=|[<>])"
    compare = re.compile(r"%s\s*%s|%s\s*%s" % (sign, kind, kind, sign))
    return _count_in_kind_files(project, lambda code: len(compare.findall(code)))


def library_files(project):
    """.c and .h files in src/, without src/tool and src/studio"""
    return project.sources()


def library_lines(project):
    """the lines of these files, with comments and empty lines"""
    return sum(map(project.lines, project.sources()))


def _long_comment(project):
    for header in project.headers():
        comment = c_source.comment_of(project.text(header), _LONG_COMMENT)
        if comment:
            return comment
    return ""


def comment_lines(project):
    """lines of the comment in front of its declaration, with those of /** and */"""
    return _long_comment(project).count("\n") + 1


def comment_words(project):
    """words of that comment, without the marks of the comment"""
    text = re.sub(r"/\*\*|\*/|^\s*\*(?!/)", " ", _long_comment(project), flags=re.MULTILINE)
    return len(text.split())


def _library_functions(project):
    return [function for path in project.sources() for function in project.functions(path)]


def _words_of_type(name):
    return re.sub(r"^(?:pqti?|struct)_", "", name).split("_")


def letters(project):
    """one-letter parameters of function definitions in the library whose type is neither a number
    nor void"""
    return [(function, parameter) for function in _library_functions(project)
            for parameter in map(c_source.Parameter, function.parameters)
            if len(parameter.name) == 1 and not _NUMBER.fullmatch(parameter.type)]


def letters_that_fit_no_type(project):
    """those whose letter begins no word of the type's name; a and b fit every type, and so do c and
    d next to a and b, and x and y next to each other"""
    return [(function, parameter) for function, parameter in letters(project)
            if parameter.name not in "ab" and not _fits(parameter) and
            not _is_in_series(function, parameter)]


def lone_letters(project):
    """those called a or b that begin no word of the type's name, in a function without the other"""
    return [(function, parameter) for function, parameter in letters(project)
            if parameter.name in "ab" and not _fits(parameter) and not _has_pair(function)]


def _fits(parameter):
    return any(word.startswith(parameter.name.lower()) for word in _words_of_type(parameter.type))


def _names(function):
    return {c_source.Parameter(text).name for text in function.parameters}


def _has_pair(function):
    return {"a", "b"} <= _names(function)


def _is_in_series(function, parameter):
    series = {"c": "ab", "d": "abc", "x": "y", "y": "x"}.get(parameter.name)
    return series is not None and set(series) <= _names(function)


def build_files(project):
    """Makefile.am and the files that it includes, directly or not"""
    found = ["Makefile.am"]
    for path in found:
        for name in re.findall(r"^include (?:\$\((?:top_)?srcdir\)/)?(\S+)", project.text(path),
                               re.MULTILINE):
            if name not in found:
                found.append(name)
    return found


def build_lines(project):
    """the lines of these files"""
    return sum(map(project.lines, build_files(project)))


def largest_build_file(project):
    """the lines of the longest of them"""
    return max(map(project.lines, build_files(project)))


def path_lines(project):
    """lines of the longest of them that consist of one path"""
    path = max(build_files(project), key=project.lines)
    one_path = re.compile(r"^[ \t]+[\w./-]*/[\w./-]+(?:[ \t]*\\)?$", re.MULTILINE)
    return len(one_path.findall(project.text(path)))


def _lengths(project):
    return sorted(function.length for function in _library_functions(project))


def functions_defined(project):
    """function definitions in the library"""
    return len(_library_functions(project))


def median_length(project):
    """the median number of lines between a function's braces"""
    lengths = _lengths(project)
    return lengths[len(lengths) // 2] if lengths else 0


def ninth_decile(project):
    """nine in ten functions have at most this number of lines"""
    lengths = _lengths(project)
    return lengths[(len(lengths) * 9 - 1) // 10] if lengths else 0


def long_functions(project):
    """functions of more than 40 lines"""
    return sum(length > 40 for length in _lengths(project))


def deepest_nesting(project):
    """the largest number of nested if, else, for, while, do and switch, by their indentation"""
    return max((function.nesting for function in _library_functions(project)), default=0)

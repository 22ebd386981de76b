# SPDX-License-Identifier: MIT
"""c_source.py: what the measures read of C: code without comments, functions, parameters, enums.

It relies on the form that clang-format gives to the sources: a function's braces stand alone at the
beginning of a line, and each level of a block is indented by four spaces.
"""
import re

_TOKEN = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", re.DOTALL)
_CONTROL = re.compile(r"( +)(?:} )?(?:if|else|for|while|do|switch)\b")
_QUALIFIER = re.compile(r"\b(?:const|volatile|restrict|static|struct|union|enum|register)\b|[*&]")


class Function:
    """A function definition: its name, its parameters and its body as text, and its extent."""

    def __init__(self, head, name, parameters, body):
        self.is_inline = re.search(r"\binline\b", head) is not None
        self.name = name
        self.parameters = parameters
        self.body = "\n".join(body)
        self.length = len(body)
        self.nesting = max([len(match[1]) // 4 for match in map(_CONTROL.match, body) if match],
                           default=0)


class Parameter:
    """A parameter: the name of its type without qualifiers and stars, and its own name."""

    def __init__(self, text):
        array = text.split("[")[0]
        match = re.fullmatch(r"(.*?)(\w+)\s*", _QUALIFIER.sub(" ", array), re.DOTALL)
        self.type = " ".join(match[1].split()) if match and "(" not in text else ""
        self.name = match[2] if self.type else ""


def without_comments(text):
    """Replaces comments and the contents of literals by spaces. Lines keep their numbers."""
    return _TOKEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def without_directives(code):
    """Replaces preprocessor directives, with the bodies of macros, by empty lines."""
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda match: "\n" * match[0].count("\n"), code,
                  flags=re.MULTILINE)


def _split_parameters(text):
    depth, parts = 0, [""]
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


def _parse_head(head):
    """Returns the name and the parameters of a function definition, or None. Its name begins a
    line."""
    match = re.search(r"^([A-Za-z_]\w*)\((.*)\)\s*\Z", head, re.DOTALL | re.MULTILINE)
    return (match[1], _split_parameters(match[2])) if match else None


def functions(text):
    """Returns the functions that the text of a source file defines."""
    lines = without_directives(without_comments(text)).split("\n")
    found = []
    for at, line in enumerate(lines):
        if line.rstrip() != "{":
            continue
        first = at
        while first > 0 and lines[first - 1].strip() and lines[first - 1].rstrip()[-1] not in ";}":
            first -= 1
        head = "\n".join(lines[first:at])
        end = next((i for i in range(at, len(lines)) if lines[i].startswith("}")), len(lines))
        parsed = _parse_head(head)
        if parsed:
            found.append(Function(head, *parsed, lines[at + 1:end]))
    return found


def enums(code):
    """Returns the enums of code without comments, each as a list of its enumerators' names."""
    return [re.findall(r"(?:^|,)\s*([A-Za-z_]\w*)", body)
            for body in re.findall(r"\benum\b[^;{()]*\{([^}]*)\}", code)]


def declared(text, marker):
    """Returns the names of the public functions of a header: those declared with the marker, and
    those defined `static inline`."""
    code = without_directives(without_comments(text))
    exported = re.findall(r"\b%s\b([^;{]*?)\b(\w+)\s*\(" % marker, code)
    inline = [function.name for function in functions(text) if function.is_inline]
    return [name for _, name in exported] + inline


def comment_of(text, name):
    """Returns the comment in front of the first declaration of the function, or an empty text."""
    declaration = re.search(r"\b%s\s*\(" % name, without_comments(text))
    if not declaration:
        return ""
    before = text[:declaration.start()]
    start = before.rfind("/**")
    return before[start:before.index("*/", start) + 2] if start >= 0 else ""


def included(text):
    """Returns the names that a text includes with <...>."""
    return re.findall(r"^[ \t]*#[ \t]*include[ \t]+<([^>]+)>", text, re.MULTILINE)

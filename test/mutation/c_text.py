# SPDX-License-Identifier: MIT
"""c_text.py: divides the text of a C file into tokens, functions and statements.

It needs no preprocessor. A macro that is used as a function is read as one, and a macro that is
used as the head of a loop is read as one.
"""
import re
from collections import namedtuple

TOKEN = re.compile(r"""
    (?P<directive>^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)
  | (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<string>"(?:\\.|[^"\\\n])*")
  | (?P<char>'(?:\\.|[^'\\\n])+')
  | (?P<name>[A-Za-z_]\w*)
  | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
  | (?P<space>\s+)
  | (?P<mark>->|\.\.\.|<<=|>>=|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&^|]=|.)
""", re.VERBOSE | re.DOTALL | re.MULTILINE)

KEYWORDS_OF_TYPES = {
    "const", "static", "struct", "enum", "union", "unsigned", "signed", "int", "long", "short",
    "char", "double", "float", "bool", "void", "volatile", "register", "typedef", "extern",
    "_Atomic", "_Alignas", "_Thread_local", "alignas"}
JUMPS = {"return", "break", "continue", "goto"}
ASSERTION = re.compile(r"(PQTI?_)?(ASSERT|INVARIANT)\w*$|assert$|static_assert$|_Static_assert$")
OPENING = {"(": ")", "[": "]", "{": "}"}

Token = namedtuple("Token", "kind text start end line")
# Tokens `first` to `last` are the body with its braces.
Function = namedtuple("Function", "name first last")
# `kind` is expression, declaration, assertion, jump or if. Tokens `first` to `last` are the
# statement. `ends` is set for an if without an else whose body always leaves by a jump.
Statement = namedtuple("Statement", "kind first last ends")


class CText:
    """One C file: its text, tokens, functions and the statements of its functions."""

    def __init__(self, text):
        self.text = text
        self.tokens = tokens_of(text)
        self.partner = partners_of(self.tokens)
        self.functions = functions_of(self.tokens, self.partner)

    def statements(self, function):
        """Returns the statements of a function, each also if another one contains it."""
        return _Reader(self, function).found

    def function_at(self, token):
        """Returns the function whose body contains the token with this number, or None."""
        for function in self.functions:
            if function.first <= token <= function.last:
                return function
        return None


def tokens_of(text):
    """Returns the tokens, without spaces, comments and preprocessor directives."""
    tokens = []
    line = 1
    for match in TOKEN.finditer(text):
        if match.lastgroup not in ("directive", "comment", "space"):
            tokens.append(Token(match.lastgroup, match.group(), match.start(), match.end(), line))
        line += match.group().count("\n")
    return tokens


def partners_of(tokens):
    """Returns the number of the partner of each bracket, by the number of the bracket."""
    partner = {}
    open_brackets = []
    for i, token in enumerate(tokens):
        if token.kind != "mark":
            continue
        if token.text in OPENING:
            open_brackets.append(i)
        elif token.text in OPENING.values() and open_brackets:
            start = open_brackets.pop()
            partner[start] = i
            partner[i] = start
    return partner


def functions_of(tokens, partner):
    """Returns the functions in order: at the outer level, a `{` after a `)` begins a body."""
    functions = []
    i = 0
    while i < len(tokens):
        if tokens[i].text != "{" or i not in partner:
            i += 1
            continue
        last = partner[i]
        if i > 0 and tokens[i - 1].text == ")" and i - 1 in partner:
            name = tokens[partner[i - 1] - 1]
            if name.kind == "name":
                functions.append(Function(name.text, i, last))
        i = last + 1
    return functions


class _Reader:
    """Reads the statements of one function."""

    def __init__(self, source, function):
        self.tokens = source.tokens
        self.partner = source.partner
        self.found = []
        self.read_block(function.first)

    def text(self, i):
        return self.tokens[i].text if i < len(self.tokens) else ""

    def add(self, kind, first, last, ends=False):
        self.found.append(Statement(kind, first, last, ends))

    def read_block(self, first):
        """Reads the block that begins at token `first`. Returns whether it ends with a jump."""
        last = self.partner[first]
        i = first + 1
        jumps = False
        while i < last:
            i, jumps = self.read(i)
        return jumps

    def read(self, i):
        """Reads the statement at token `i`. Returns the token after it, and whether it jumps."""
        text = self.text(i)
        if text == "{":
            return self.partner[i] + 1, self.read_block(i)
        if text == "if":
            return self.read_if(i)
        if text in ("for", "while", "switch"):
            return self.read(self.partner[i + 1] + 1)[0], False
        if text == "do":
            after = self.read(i + 1)[0]
            return self.partner[after + 1] + 2, False
        if text in ("case", "default") or self.is_label(i):
            return self.read_label(i), False
        if self.is_loop_macro(i):
            return self.read(self.partner[i + 1] + 1)[0], False
        return self.read_simple(i)

    def read_if(self, first):
        after, jumps = self.read(self.partner[first + 1] + 1)
        if self.text(after) == "else":
            return self.read(after + 1)[0], False
        self.add("if", first, after - 1, jumps)
        return after, False

    def is_label(self, i):
        return (self.tokens[i].kind == "name" and self.text(i + 1) == ":"
                and self.text(i + 2) != ":")

    def read_label(self, i):
        while self.text(i) != ":":
            i = self.partner.get(i, i) + 1
        return i + 1

    def is_loop_macro(self, i):
        if self.tokens[i].kind != "name" or self.text(i) in JUMPS or self.text(i + 1) != "(":
            return False
        after = self.partner[i + 1] + 1
        return self.text(after) == "{" or self.tokens[after].kind == "name"

    def read_simple(self, first):
        last = first
        while self.text(last) != ";":
            if self.text(last) == "}":
                raise ValueError(f"line {self.tokens[first].line}: a statement has no ;")
            last = self.partner.get(last, last) + 1
        kind = self.kind_of(first, last)
        if last > first:
            self.add(kind, first, last)
        return last + 1, kind == "jump"

    def kind_of(self, first, last):
        text = self.text(first)
        if text in JUMPS:
            return "jump"
        if ASSERTION.match(text):
            return "assertion"
        if text in KEYWORDS_OF_TYPES:
            return "declaration"
        if self.tokens[first].kind != "name":
            return "expression"
        i = first + 1
        while i < last and self.text(i) in ("*", "const", "restrict"):
            i += 1
        is_declared = self.tokens[i].kind == "name" and (i > first or i == first + 1)
        return "declaration" if is_declared else "expression"

# SPDX-License-Identifier: MIT
"""changes.py: the small changes that can be made to a C file, by kind.

    comparison   a comparison is widened, narrowed or turned around
    equality     == becomes !=, or the reverse
    logic        && becomes ||, or the reverse
    condition    an operand of && or || is dropped
    constant     a number is increased or decreased by 1
    statement    a statement is dropped
    guard        an if whose body ends with return, break, continue or goto is dropped
    arguments    two neighbouring arguments of a call are exchanged, unless its name says that
                 their order makes no difference, such as pqt_vec_add
    lock         all locks and unlocks of a function are dropped

No change is made to an assertion. A change keeps the number of lines.
"""
import re
from collections import namedtuple

from c_text import CText, KEYWORDS_OF_TYPES

COMPARISONS = {"<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<=")}
EQUALITIES = {"==": "!=", "!=": "=="}
LOGIC = {"&&": "||", "||": "&&"}
INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)([uUlLzZ]*)$")
REAL = re.compile(r"((?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)([fFlL]?)$")
LOCK = re.compile(r"(pqti_)?lock_(?!free)\w+$|pthread_mutex_lock$|pqti_fork_hold$")
UNLOCK = re.compile(r"(pqti_)?unlock_\w+$|pthread_mutex_unlock$|pqti_fork_release$")
# Calls whose arguments may be exchanged.
COMMUTATIVE = re.compile(r"(\w+_)?(add|alloc_scratch|dot|equals?|fmax|fmin|max|min|overlaps|union)(_\w+)?$")
# These tokens end an operand of && and ||, at the same depth of brackets.
ENDS = {"?", ":", ",", ";", "=", "return", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "%=", "case"}
NO_CALLS = KEYWORDS_OF_TYPES | {"if", "for", "while", "switch", "return", "sizeof", "_Alignof"}
KINDS = ("comparison", "equality", "logic", "condition", "constant", "statement", "guard",
         "arguments")

# `edits` are (start, end, text) in the order of the text, and `lines` their lines. `before` and
# `after` are the lines that change, with single spaces. `body` is the first line of the function's
# body.
Change = namedtuple("Change", "file line kind function edits before after lines body")


def apply_edits(text, edits):
    """Returns the text after the edits, each with as many line ends as the text it replaces."""
    parts = []
    done = 0
    for start, end, new in edits:
        parts += [text[done:start], new, "\n" * text.count("\n", start, end)]
        done = end
    return "".join(parts) + text[done:]


def squeeze(text):
    """Returns the text without comments, and with single spaces."""
    return " ".join(re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL).split())


def changes_of(file, text):
    """Returns all changes of a file, except locks, in the order of the text."""
    source = CText(text)
    found = []
    for function in source.functions:
        found += _Finder(file, source, function).find()
    found.sort(key=lambda change: (change.edits[0][0], change.kind, change.edits))
    return found


def locks_of(file, text):
    """Returns one change for each function that locks and unlocks."""
    source = CText(text)
    found = []
    for function in source.functions:
        change = _Finder(file, source, function).find_locks()
        if change is not None:
            found.append(change)
    return found


class _Finder:
    """Finds the changes of one function."""

    def __init__(self, file, source, function):
        self.file = file
        self.source = source
        self.tokens = source.tokens
        self.function = function
        self.statements = source.statements(function)
        self.found = []

    def find(self):
        self.find_statements()
        asserted = self.asserted_tokens()
        for i in range(self.function.first + 1, self.function.last):
            if i not in asserted:
                self.find_at(i)
        return self.found

    def asserted_tokens(self):
        asserted = set()
        for statement in self.statements:
            if statement.kind == "assertion":
                asserted.update(range(statement.first, statement.last + 1))
        return asserted

    def add(self, kind, *edits):
        self.found.append(self.change(kind, edits))

    def change(self, kind, edits):
        text = self.source.text
        start = text.rfind("\n", 0, edits[0][0]) + 1
        end = text.find("\n", edits[-1][1])
        moved = tuple((first - start, last - start, new) for first, last, new in edits)
        lines = tuple(text.count("\n", 0, edit[0]) + 1 for edit in edits)
        return Change(self.file, lines[0], kind, self.function.name, tuple(edits),
                      squeeze(text[start:end]), squeeze(apply_edits(text[start:end], moved)), lines,
                      self.tokens[self.function.first].line)

    def replace(self, kind, i, new):
        self.add(kind, (self.tokens[i].start, self.tokens[i].end, new))

    # ---- Whole statements ----

    def find_statements(self):
        locks = self.lock_calls()
        for statement in self.statements:
            span = (self.tokens[statement.first].start, self.tokens[statement.last].end)
            if statement in locks:
                continue  # they are dropped together, as the kind lock
            if statement.kind == "expression":
                self.add("statement", (*span, ";"))
            elif statement.kind == "if" and statement.ends:
                self.add("guard", (*span, ";"))

    # ---- Single tokens ----

    def find_at(self, i):
        token = self.tokens[i]
        if token.text in COMPARISONS:
            for new in COMPARISONS[token.text]:
                self.replace("comparison", i, new)
        elif token.text in EQUALITIES:
            self.replace("equality", i, EQUALITIES[token.text])
        elif token.text in LOGIC:
            self.replace("logic", i, LOGIC[token.text])
            self.find_conditions(i)
        elif token.kind == "number":
            for new in neighbours_of(token.text):
                self.replace("constant", i, new)
        elif (token.kind == "name" and token.text not in NO_CALLS
              and not COMMUTATIVE.match(token.text)):
            if self.tokens[i + 1].text == "(":
                self.find_arguments(i + 1)

    # ---- Operands of && and || ----

    def find_conditions(self, i):
        self.drop_left(i)
        start = self.tokens[i - 1].end
        self.add("condition", (start, self.tokens[self.right_end(i)].end, ""))

    def ends_operand(self, operator, text):
        if text in ENDS:
            return True
        return text == "||" or (text == "&&" and operator == "&&")

    def drop_left(self, i):
        first = i
        while True:
            before = self.tokens[first - 1].text
            if before in ("(", "[", "{", "}") or self.ends_operand(self.tokens[i].text, before):
                if before != "}":
                    break
            first = self.source.partner.get(first - 1, first - 1)
        # The space after the operator is dropped too.
        self.add("condition", (self.tokens[first].start, self.tokens[i + 1].start, ""))

    def right_end(self, i):
        last = i + 1
        while True:
            last = self.source.partner.get(last, last)
            after = self.tokens[last + 1].text
            if after in (")", "]", "}") or self.ends_operand(self.tokens[i].text, after):
                return last
            last += 1

    # ---- Arguments ----

    def find_arguments(self, opening):
        arguments = self.arguments_of(opening)
        text = self.source.text
        for (a, b), (c, d) in zip(arguments, arguments[1:]):
            first, second = text[a:b], text[c:d]
            if first != second and "\n" not in first + second:
                self.add("arguments", (a, b, second), (c, d, first))

    def arguments_of(self, opening):
        """Returns the (start, end) of each argument of the call."""
        arguments = []
        first = i = opening + 1
        last = self.source.partner[opening]
        while i <= last:
            if i == last or self.tokens[i].text == ",":
                if i > first:
                    arguments.append((self.tokens[first].start, self.tokens[i - 1].end))
                first = i + 1
                i += 1
            else:
                i = self.source.partner.get(i, i) + 1
        return arguments

    # ---- Locks ----

    def lock_calls(self):
        """Returns the locks and unlocks of a function that has both, otherwise none."""
        locks = [s for s in self.statements if self.is_call(s, LOCK)]
        unlocks = [s for s in self.statements if self.is_call(s, UNLOCK)]
        return sorted(locks + unlocks, key=lambda s: s.first) if locks and unlocks else []

    def find_locks(self):
        edits = [(self.tokens[s.first].start, self.tokens[s.last].end, ";")
                 for s in self.lock_calls()]
        if not edits:
            return None
        change = self.change("lock", edits)
        return change._replace(before="the locks of " + self.function.name, after="none")

    def is_call(self, statement, pattern):
        return (statement.kind == "expression"
                and pattern.match(self.tokens[statement.first].text) is not None
                and self.tokens[statement.first + 1].text == "(")


def neighbours_of(number):
    """Returns the number plus 1 and minus 1, as text. 0u has no smaller neighbour."""
    match = INTEGER.match(number)
    if match:
        value = int(match.group(1), 0 if match.group(1)[:2].lower() == "0x" else 10)
        suffix = match.group(2)
        smaller = [] if value == 0 and "u" in suffix.lower() else [str(value - 1) + suffix]
        return [str(value + 1) + suffix] + smaller
    match = REAL.match(number)
    if match is None:
        return []
    value = float(match.group(1))
    return [repr(new) + match.group(2) for new in (value + 1, value - 1) if new != value]

# SPDX-License-Identifier: MIT
"""flat.py: writes the C code of the calls in calls.txt.

    python3 bindings/flat/flat.py wasm SECTION...      for pqt.wasm
    python3 bindings/flat/flat.py python SECTION...    for the extension module; imported by shim_build.py

A call has numbers, pins and arrays, and here becomes one with the types of the library. In pqt.wasm,
an array is at the beginning of the buffer, and a handle of 0 fails; see shim.h of each package.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
KINDS = ("tree", "region", "image", "map", "world", "document")
DRAFTS = {"draft": "tree", "map_draft": "map"}
SECTIONS = ("edits", "trees", "regions", "images", "maps", "documents", "histories", "history_queries", "history_bytes", "worlds")
# The types of numbers, how many there are, and the value that the library gets of them.
VALUES = {
    "pixel": ("int32_t", 2, "(pqt_pixel){%s, %s}"),
    "pixel_box": ("int32_t", 4, "(pqt_pixel_box){{%s, %s}, {%s, %s}}"),
    "vec": ("double", 2, "(pqt_vec){%s, %s}"),
    "box": ("double", 4, "(pqt_box){{%s, %s}, {%s, %s}}"),
    "circle": ("double", 3, "(pqt_circle){{%s, %s}, %s}"),
    "rgba": ("uint32_t", 1, "flat_rgba(%s)"),
    "size": ("size_t", 1, "%s"),
    "int": ("int", 1, "%s"),
    "byte": ("int", 1, "(uint8_t)%s"),
    "bool": ("bool", 1, "%s"),
    "double": ("double", 1, "%s"),
}
NUMBERS = ("char", "double", "uint8_t", "uint32_t", "uint64_t")


class Call:
    """One line of the table."""

    def __init__(self, line, helpers):
        found = re.fullmatch(r"(\w+) (\w+)\((.*)\)", line)
        if found is None:
            raise SystemExit("calls.txt: not a call: %s" % line)
        self.result, self.name, parameters = found.groups()
        self.types = parameters.split(", ")
        self.function = ("flat_" if "flat_" + self.name in helpers else "pqt_") + self.name
        self.appends = "append" in self.types
        self.has_history = "history" in self.types
        self.fails = self.appends or self.has_history or "error" in self.types or self.result in KINDS
        self.returns = {"edit": "RETURN_EDITED(%s);", "version": "RETURN_PINNED_ANY(%s);", "history": "RETURN_HISTORY(%s);"}  # statements for results that take more than a return
        self.returns.update((kind, "RETURN_PINNED(%s, %%s);" % kind) for kind in KINDS)
        self.returns.update((draft, "RETURN_DRAFT(%s, %%s);" % draft) for draft in DRAFTS)
        self.parameters = []  # of the call
        self.values = []      # what the function of the library gets
        self.checks = []      # declarations, and the conditions on which the call fails

    def add(self, parameters, value, declaration=None, condition=None):
        self.parameters += parameters
        self.values.append(value)
        if declaration is not None or condition is not None:
            self.checks.append((declaration, condition))

    def add_numbers(self, type, name):
        """Adds a parameter that both packages pass as numbers."""
        number, count, value = VALUES.get(type, ("int", 1, "(%s)%%s" % type))
        if type not in VALUES and not type.startswith("pqt_"):
            raise SystemExit("calls.txt: there is no type %s" % type)
        names = [name] if count == 1 else ["%s%d" % (name, i) for i in range(count)]
        self.add(["%s %s" % (number, one) for one in names], value % tuple(names))

    def add_query(self, name, error):
        """Adds a window and a relation."""
        sides = [name + str(i) for i in range(4)]
        self.add(["double " + side for side in sides] + ["int relation"], "&" + name, "pqt_query %s;" % name,
                 "!flat_query(%s, relation, 0, &%s, %s)" % (VALUES["box"][2] % tuple(sides), name, error))

    def add_change(self, ids, id):
        """Adds a change, with the parameters `ids` of its id and the value of the id."""
        sides = [["%s%d" % (name, i) for i in range(4)] for name in ("box", "to")]
        doubles = [["double " + side for side in box] for box in sides]
        value = "change_of(kind, %s, %s, %s)" % (", ".join(sides[0]), id, ", ".join(sides[1]))
        self.add(["int kind"] + doubles[0] + ids + doubles[1], "&change", "const pqt_change change = %s;" % value)

    def definition(self, head, failed, body):
        """Returns the function; it returns `failed` if a check fails."""
        lines = [declaration for declaration, _ in self.checks if declaration is not None]
        conditions = [condition for _, condition in self.checks if condition is not None]
        if conditions:
            lines.append("if (%s)" % " || ".join(conditions))
            lines.append("    return %s;" % failed)
        return "%s\n{\n%s}\n" % (head, "".join("    %s\n" % line for line in lines + body))


def calls_of(sections, package):
    """Returns the calls of some sections of the table."""
    helpers = set(re.findall(r"\bflat_\w+(?=\()", HERE.joinpath("flat.h").read_text(encoding="utf-8")))
    calls, section = [], None
    for line in HERE.joinpath("calls.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and line[0] != "#" and section in sections:
            call = Call(line, helpers)
            for i, type in enumerate(call.types):
                package.add(call, type, chr(ord("a") + i))
            calls.append(call)
    return calls


class Wasm:
    """The code for pqt.wasm."""

    @staticmethod
    def versions(sections):
        """Returns the functions that each kind of version has."""
        kinds = [section.rstrip("s") for section in sections]
        return ["VERSION_FUNCTIONS(%s)\n" % kind for kind in kinds if kind in KINDS]

    @staticmethod
    def add(call, type, name):
        """Adds a parameter of the table."""
        fixed = {"append": "NULL", "memory": "memory_of_versions()", "error": "&failure"}
        if type in KINDS:
            call.add(["pqt_pin *pin_" + name], name, "const pqt_%s *%s = %s_of(pin_%s);" % (type, name, type, name),
                     name + " == NULL")
        elif type == "version":
            call.add(["int kind", "pqt_pin *pin_" + name], name, "const void *%s = version_of(kind, pin_%s);" % (name, name),
                     name + " == NULL")
        elif type == "history":
            call.add(["pqt_history *" + name], name, None, "!is_history(%s)" % name)
        elif type in DRAFTS:
            call.add(["pqt_%s *%s" % (type, name)], ("&" if call.name.endswith("_destroy") else "") + name)
        elif type == "query":
            call.add_query(name, "&failure")
        elif type == "id":
            call.add(["uint32_t low_" + name, "uint32_t high_" + name], "(uint64_t)high_%s << 32 | low_%s" % (name, name))
        elif type == "change":
            call.add_change(["uint32_t low", "uint32_t high"], "(uint64_t)high << 32 | low")
        elif type.endswith("[]"):
            call.add(["size_t " + name], "(const %s *)buffer, %s" % (type[:-2], name))
        elif type.startswith(("in ", "out ")):
            call.add([], "(%s *)buffer" % type.replace("in ", "const ").replace("out ", ""))
        elif type in fixed:
            call.add([], fixed[type])
        else:
            call.add_numbers(type, name)

    @staticmethod
    def function(call):
        value = "%s(%s)" % (call.function, ", ".join(call.values))
        type = "double" if call.result in ("size", "uint64", "double") else "int32_t"
        failed, body = "-1", ["return (%s)%s;" % (type, value)]
        if call.appends:
            value = "(begin_append(), %s)" % value
        if call.appends and call.result in KINDS:
            call.returns[call.result] = "RETURN_PINNED_RESULTS(%s, %%s);" % call.result
        if call.result in call.returns:
            type = {"edit": type}.get(call.result, "pqt_%s *" % call.result if call.result in (*DRAFTS, "history") else "pqt_pin *")
            failed, body = "0" if call.result == "edit" else "NULL", [call.returns[call.result] % value]
        elif call.appends:
            body = ["return %s;" % (value + " ? pqtjs_appended() : -1" if call.result == "done" else value)]
        elif call.result == "done":
            failed = "0"
        elif call.result == "none":
            failed, body = "0", [value + ";", "return 1;"]
        elif call.result.startswith("pqt_"):
            failed, body = "0", ["const %s made = %s;" % (call.result, value),
                                 "memcpy(buffer, &made, sizeof made);", "return 1;"]
        head = "%s EXPORT(pqtjs_%s)(%s)" % (type, call.name, ", ".join(call.parameters))
        return call.definition(head, failed, body)


class Python:
    """The code for the extension module."""

    @staticmethod
    def versions(sections):
        """Returns no functions: those of shim.c are for versions of any kind."""
        return []

    @staticmethod
    def add(call, type, name):
        """Adds a parameter of the table."""
        fixed = {"append": "&to", "memory": "heap", "error": "error"}
        element = type.split()[-1].replace("[]", "")
        pointed = element if element in NUMBERS else "void"
        if type in KINDS:
            get = type + "_to_read" if type in DRAFTS.values() else "pqt_pin_get_" + type
            call.add(["const pqtpy_%s *%s" % (type, name)], "%s(%s)" % (get, name))
        elif type == "version":
            call.add(["const void *" + name], "pqt_pin_get_version(%s)" % name, None,
                     ("!takes_version(of, %s, error)" if call.has_history else "!has_version(%s, error)") % name)
        elif type == "history":
            call.add(["pqtpy_history *of"], "history", "pqt_history *history;", "(history = begin_use(of, error)) == NULL")
        elif type in DRAFTS:
            call.add(["pqtpy_%s *%s" % (type, name)], ("&" if call.name.endswith("_destroy") else "") + name)
        elif type == "query":
            call.add_query(name, "error" if call.fails else "NULL")
        elif type == "id":
            call.add(["uint64_t " + name], name)
        elif type == "change":
            call.add_change(["uint64_t id"], "id")
        elif type.endswith("[]"):
            call.add(["const %s *%s" % (pointed, name), "size_t count"], name + ", count")
        elif type.startswith("in "):
            call.add(["const %s *%s" % (pointed, name)], name)
        elif type.startswith("out "):
            call.add(["%s *%s" % (pointed, name)], name)
        elif type in fixed:
            call.add([], fixed[type])
        else:
            call.add_numbers(type, name)

    @staticmethod
    def prototype(call):
        type = {"done": "bool ", "edit": "bool ", "size": "size_t ", "uint64": "uint64_t ", "none": "void "}.get(
            call.result, call.result + " ")
        more = ["pqtpy_bytes *bytes"] * call.appends
        if call.result in (*KINDS, *DRAFTS, "history"):
            type = "pqtpy_%s *" % call.result
        elif call.result == "version":
            type = "pqt_pin *"
        elif call.result.startswith("pqt_"):
            type, more = "void ", ["void *made"]
        more += ["pqt_error *error"] * call.fails
        return "%spqtpy_%s(%s)" % (type, call.name, ", ".join(call.parameters + more))

    @staticmethod
    def function(call):
        value = "%s(%s)" % (call.function, ", ".join(call.values))
        failed = {"int": "-1", "size": "PQTPY_REFUSED", "uint64": "0", "done": "false", "bool": "false",
                  "edit": "false"}.get(call.result, "NULL")
        if call.appends and call.result in KINDS:
            value = "(bytes->size = 0, %s)" % value  # the call may be made again
        body = [call.returns.get(call.result, "return %s;") % value]
        if call.has_history:
            body = Python.use(call, value)
            call.checks.sort(key=lambda check: "begin_use" in str(check[1]))  # last, because it locks
        if call.appends:
            body.insert(0, "target to = {bytes, error};")
        elif call.result == "none":
            body = [value + ";"]
        elif call.result.startswith("pqt_"):
            body = ["const %s found = %s;" % (call.result, value), "memcpy(made, &found, sizeof found);"]
        return call.definition(Python.prototype(call), failed, body)


    @staticmethod
    def use(call, value):
        """Returns the statements that use a history, whose store may be locked for it."""
        type = {"uint64": "uint64_t ", "version": "pqt_pin *"}.get(call.result, "bool ")
        if call.result == "version":
            value = "pin_any(%s, error)" % value
        again = ["if (!made && try_again_in(of, error))", "    made = %s;" % value] if call.result == "edit" else []
        return ["%smade = %s;" % (type, value)] + again + [
            "end_use(of, error);", "return made%s;" % (" && error->status == PQT_OK" * (call.result in ("done", "edit")))]


def prototypes(sections=SECTIONS):
    """Returns the prototypes for Python, for the C compiler and for cffi."""
    return "".join("%s;\n" % Python.prototype(call) for call in calls_of(sections, Python))


def code(package, sections=SECTIONS):
    """Returns the functions for a package."""
    parts = [package.function(call) for call in calls_of(sections, package)]
    return '#include "shim.h"\n\n#include "flat.h"\n\n' + "\n".join(parts + package.versions(sections))


if __name__ == "__main__":
    sys.stdout.write(code({"wasm": Wasm, "python": Python}[sys.argv[1]], sys.argv[2:]))

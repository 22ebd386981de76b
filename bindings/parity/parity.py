# SPDX-License-Identifier: MIT
"""parity.py: compares the calls of the packages, and writes docs/parity.md.

    python3 bindings/parity/parity.py           writes docs/parity.md
    python3 bindings/parity/parity.py --check   reports as TAP whether it is up to date

trees.txt, pixels.txt and versions.txt list the calls by capability. Each name must exist in the sources, and each call of the
sources must be in a row, so a call that is added or renamed fails the check until the list has it.
"""
import ast
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
LANGUAGES = ("C", "C++", "Python", "JavaScript")
HEADERS = ("tree", "draft", "query", "cursor", "nearest", "ray", "diff", "merge", "sync", "pairs",
           "sweep", "region", "region_affine", "region_cast", "region_collect", "region_contour", "region_convolve", "region_morph",
           "region_overlap", "region_sweep", "image", "png", "any_version", "contact_event", "crossing", "document",
           "fingerprint", "history", "history_bytes", "history_query", "kind", "map", "obstacle", "recording", "step",
           "store", "store_recording", "world")
LISTS = ("trees.txt", "pixels.txt", "versions.txt")
# Members that are not capabilities, but rules of a language.
RULES = {
    "value.get", "value.has_value", "value.operator=", "value.share", "value.swap", "value.value",
    "draft.get", "draft.operator=", "batch.clear", "batch.insert", "batch.remove",
    "map_draft.get", "map_draft.operator=", "history.get", "history.operator=", "recording.get",
    "recording.operator=", "store.get", "store.operator=",
    "MapDraft.__repr__", "Map.__repr__", "Document.__repr__", "History.__repr__", "Recording.__repr__",
    "World.__repr__", "Store.__repr__", "Store.__enter__",
    "Batch.__len__", "Batch.__repr__", "Batch.__setstate__", "Batch.clear", "Draft.__repr__",
    "Tree.__repr__", "Version.__delattr__", "Version.__init_subclass__",
    "Version.__setattr__", "Version.constructor", "Region.__repr__", "Image.__repr__",
}
# Names of members as a program writes them.
SPELLINGS = {
    "tree.tree": "tree()", "draft.draft": "draft()", "Tree.__new__": "Tree()",
    "Batch.__init__": "Batch()", "Draft.__init__": "Draft()", "PersistentTree.constructor": "new PersistentTree()",
    "Tree.__len__": "len()", "Tree.__iter__": "for", "Tree.__contains__": "in", "Tree.__or__": "|",
    "Tree.__and__": "&", "Tree.__sub__": "-", "Version.__eq__": "==", "Version.__hash__": "hash()",
    "Version.__copy__": "copy()", "Version.__deepcopy__": "deepcopy()",
    "Version.__reduce__": "pickle", "tree.operator|": "|", "tree.operator&": "&",
    "tree.operator-": "-", "value.operator==": "==", "value.operator!=": "!=",
    "region.region": "region()", "Region.__new__": "Region()", "Region.constructor": "new Region()",
    "image.image": "image()", "Image.__new__": "Image()",
    "PersistentImage.constructor": "new PersistentImage()",
    "map.map": "map()", "Map.__new__": "Map()", "PersistentMap.constructor": "new PersistentMap()", "Map.__len__": "len()",
    "Map.__iter__": "for", "Map.__contains__": "in", "Map.__getitem__": "[]", "MapBatch.__init__": "MapBatch()",
    "map_draft.map_draft": "map_draft()", "MapDraft.__init__": "MapDraft()",
    "Document.__new__": "Document()", "Document.__len__": "len()", "Document.__iter__": "for",
    "Document.__contains__": "in", "Document.__getitem__": "[]",
    "history.history": "history()", "History.__init__": "History()", "History.constructor": "new History()",
    "History.__len__": "len()", "History.__iter__": "for",
    "world.world": "world()", "World.__new__": "World()", "World.constructor": "new World()", "World.__len__": "len()",
    "recording.recording": "recording()", "Recording.__init__": "Recording()", "Recording.constructor": "new Recording()",
    "Recording.__len__": "len()", "store.store": "store()", "Store.__init__": "Store()", "Store.__exit__": "with",
    "Region.__len__": "len()",
    "Region.__iter__": "for", "Region.__contains__": "in", "Region.__or__": "|",
    "Region.__and__": "&", "Region.__sub__": "-", "Region.__xor__": "^",
}
# Classes whose name precedes their members, because they are not trees.
NAMED = ("batch", "draft", "Batch", "Draft", "map_draft", "MapBatch", "MapDraft")


def read(*path):
    return TOP.joinpath(*path).read_text(encoding="utf-8")


def members_of_c():
    """Returns the exported functions that the headers declare."""
    exported = set(read("test", "exports.txt").split())
    found = set()
    for header in HEADERS:
        declared = re.sub(r"/\*.*?\*/", "", read("include", "pqt", header + ".h"), flags=re.S)
        found |= set(re.findall(r"\b(pqt_\w+)\(", declared)) & exported
    return found, exported


def members_of_cpp():
    """Returns the public methods of the classes, as class.method."""
    found = set()
    headers = {"map_queries": "map"}
    for name in ("tree", "tree_queries", "value", "draft", "batch", "region", "image", "map", "map_queries", "map_draft",
                 "document", "history", "world", "recording", "store"):
        text = read("include", "pqt", headers.get(name, name) + ".hpp")
        body = re.search(r"^(?:template <[^>]*> )?class %s\b[^;{]*\{(.*?)^\};" % name, text,
                         re.M | re.S).group(1)
        public = re.split(r"^  (?:private|protected):", body, flags=re.M)[0]
        methods = re.findall(r"^    (?![ */:}{#]|return|using|static_assert)(?:.*?)(operator ?[^\s(]+|\w+)\(",
                             public, re.M)
        found |= {"%s.%s" % (name, method) for method in methods}
    return found


def functions_of_cpp():
    """Returns the functions that are no members."""
    text = read("include", "pqt", "shapes.hpp")
    return set(re.findall(r"^(\w+)\(const tree_queries", text.split("} // namespace detail")[1], re.M))


def members_of_python():
    """Returns the public methods and properties of the classes."""
    found = set()
    for module, name, owner in (("tree", "TreeQueries", "Tree"), ("tree", "Tree", "Tree"),
                                ("draft", "Draft", "Draft"), ("batch", "Edits", "Batch"),
                                ("batch", "Batch", "Batch"), ("_core", "Version", "Version"),
                                ("region", "Region", "Region"), ("image", "Image", "Image"),
                                ("map", "MapCalls", "Map"), ("map", "Map", "Map"),
                                ("map_batch", "MapBatch", "MapBatch"), ("map_draft", "MapDraft", "MapDraft"),
                                ("document", "Document", "Document"), ("history", "History", "History"),
                                ("world", "World", "World"), ("recording", "Recording", "Recording"),
                                ("store", "Store", "Store")):
        for node in ast.parse(read("bindings", "python", "src", "pqt", module + ".py")).body:
            if isinstance(node, ast.ClassDef) and node.name == name:
                found |= {"%s.%s" % (owner, one.name) for one in node.body
                          if isinstance(one, ast.FunctionDef)
                          and (not one.name.startswith("_") or one.name.endswith("__"))}
    return found


def functions_of_python():
    """Returns the public functions of the package that are no methods."""
    body = [one for name in ("tree.py", "store.py") for one in ast.parse(read("bindings", "python", "src", "pqt", name)).body]
    exported = read("bindings", "python", "src", "pqt", "__init__.py")
    return {one.name for one in body
            if isinstance(one, ast.FunctionDef) and '"%s"' % one.name in exported}


def members_of_javascript():
    """Returns the members of the types, and functions of the package."""
    text = re.sub(r"/\*.*?\*/", "", read("bindings", "js", "index.d.ts"), flags=re.S)
    found = set()
    for name in ("Version", "TreeQueries", "Draft", "PersistentTree", "Region", "PersistentImage", "MapQueries",
                 "MapDraft", "PersistentMap", "Document", "History", "World", "Recording"):
        body = re.search(r"^(?:export |declare )(?:abstract )?(?:class|interface) %s\b[^{]*\{(.*?)^\}"
                         % name, text, re.M | re.S).group(1)
        members = re.findall(r"^  (?:static |readonly |protected )*(\[[\w.]+\]|\w+)\??[(<:]", body, re.M)
        found |= {"%s.%s" % (name, member) for member in members}
    return found, set(re.findall(r"^export function (\w+)", text, re.M))


def rows_of(text):
    """Returns the sections of the list: (title, rows), where a row is the capability and its cells."""
    sections = []
    for line in text.splitlines():
        if line.startswith("["):
            sections.append((line.strip("[]"), []))
        elif line and not line.startswith("#"):
            capability, *cells = re.split(r" \| ", line)
            if len(cells) != len(LANGUAGES):
                raise SystemExit("a row needs %d cells: %s" % (len(LANGUAGES) + 1, line))
            sections[-1][1].append((capability, cells))
    return sections


def names_in(cell):
    return [] if cell.startswith("no: ") else cell.split()


def faults_of(sections):
    """Returns the names that do not exist, and the calls that no row has."""
    declared, exported = members_of_c()
    script, functions = members_of_javascript()
    # Of each language: the calls that need a row, and the names that a row may have.
    known = [(declared, exported), (members_of_cpp(), functions_of_cpp() | exported), (members_of_python(), functions_of_python()),
             (script, functions)]
    faults, ruled = [], set()
    for number, (needed, more) in enumerate(known):
        listed = {name for _, rows in sections for _, cells in rows for name in names_in(cells[number])}
        faults += ["%s: there is no %s" % (LANGUAGES[number], one) for one in sorted(listed - needed - more)]
        faults += ["%s: no row has %s" % (LANGUAGES[number], one) for one in sorted(needed - listed - RULES)]
        ruled |= needed & RULES - listed
    faults += ["the script has a rule for %s" % one for one in sorted(RULES - ruled)]
    reasons = [cell for _, rows in sections for _, cells in rows for cell in cells if cell.startswith("no")]
    faults += ["a cell without a reason: %s" % cell for cell in reasons if not re.match(r"no: \w", cell)]
    return faults


def spelling_of(name):
    """Returns a name as the table shows it."""
    owner, _, member = name.partition(".")
    plain = member if member and owner not in NAMED else name
    return SPELLINGS.get(name, plain).replace("|", "\\|")


def shown(cell):
    names = names_in(cell)
    return ", ".join(dict.fromkeys("`%s`" % spelling_of(name) for name in names)) if names else cell


def document_of(sections):
    lines = [
        "# The API in each language", "",
        "`bindings/parity/parity.py` writes this page from the lists next to it, and `test/check_parity` compares",
        "it with the sources: each name exists, and each call is in a row. A cell that begins with *no* says why",
        "the language lacks the call, or what to write instead. C++ calls a C function in its column as it is,",
        "with plain structs and what `get()` of an object returns.",
        "Left out are heads and lines, which are for threads and servers and only in C, and tables: C and",
        "JavaScript have them, and Python reads tables with its own libraries.",
        "Drafts in JavaScript have all calls of `TreeQueries`, and `draft_view` in C++ those of `tree_queries`.",
        "Searches, counts, pairs, casts, nearest items and sweeps take a filter in C and JavaScript; in C++,",
        "the functions that visit take one, or the visitor decides. In Python, NumPy filters the arrays that",
        "a search returns.",
    ]
    for title, rows in sections:
        lines += ["", "## %s" % title, "", "| | %s |" % " | ".join(LANGUAGES), "|---|---|---|---|---|"]
        lines += ["| %s | %s |" % (capability, " | ".join(shown(cell) for cell in cells))
                  for capability, cells in rows]
    return "\n".join(lines) + "\n"


def main():
    sections = [section for name in LISTS for section in rows_of(read("bindings", "parity", name))]
    document = document_of(sections)
    faults = faults_of(sections)
    if "--check" not in sys.argv[1:]:
        TOP.joinpath("docs", "parity.md").write_text(document, encoding="utf-8")
        sys.exit("\n".join(faults) or 0)
    print("%s 1 - the lists in bindings/parity name the calls of the sources, and all of them"
          % ("not ok" if faults else "ok"))
    for fault in faults:
        print("# " + fault)
    print("%s 2 - docs/parity.md is what bindings/parity/parity.py writes"
          % ("ok" if read("docs", "parity.md") == document else "not ok"))
    print("1..2")


main()

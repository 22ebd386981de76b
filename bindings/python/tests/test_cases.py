# SPDX-License-Identifier: MIT
"""Runs the cases that the C library writes (test/cases.c), and compares every answer."""
import importlib
import json
import os
import pathlib

import numpy as np
import pytest

import pqt

SOURCE = pathlib.Path(os.environ.get("PQT_SOURCE", pathlib.Path(__file__).parents[3]))
FILE = json.loads((SOURCE / "test" / "cases.json").read_text())
CLASSES = {"tree": pqt.Tree, "map": pqt.Map, "region": pqt.Region, "image": pqt.Image, "world": pqt.World,
           "document": pqt.Document}
CHANGES = {"insert": 1, "remove": 2, "move": 3}
STEPS_RUN = []


def real(value):
    return float("nan") if value == "nan" else value


def box_of(box):
    return tuple(real(side) for side in box)


def key_of(step, of):
    return step["key"].encode() if of.kinds[0] == "bytes" else int(step["key"])


def value_of(value, of):
    return value.encode() if of.kinds[1] == "bytes" else int(value)


def bodies_of(some):
    array = pqt.bodies([one["at"] for one in some], [one["radius"] for one in some],
                       ids=[one["id"] for one in some],
                       velocities=[one["velocity"] for one in some],
                       masses=[one["mass"] for one in some],
                       fixed=[one["fixed"] for one in some])
    return array


def load(step, of, _):
    return of.insert_all(np.array([box for _, box in step["items"]], float).reshape(-1, 4),
                         [int(number) for number, _ in step["items"]])


def apply(step, of, _):
    batch = pqt.Batch()
    for kind, number, box, *to in step["changes"]:
        getattr(batch, kind)(box, int(number), *to)
    return of.apply(batch)


def merge(step, of, versions):
    return of.merge(versions[step["ours"]], versions[step["theirs"]], step.get("resolution"))


def many_steps(step, of, _):
    for _ in range(step["times"]):
        of = of.step(step["dt"], restitution=step["restitution"], gravity=(0, step["gravity"]))
    return of


def document(step, _, versions):
    return pqt.Document({name: versions[version] for name, version, _ in step["parts"]},
                        keyed_by={name: tree for name, _, tree in step["parts"] if tree})


# The operations that make a version from other versions.
MAKERS = {
    "tree": lambda step, of, _: pqt.Tree(box_of(step["bounds"]), unique_ids=step["uniqueIds"],
                                         strict_bounds=step["strictBounds"]),
    "insert": lambda step, of, _: of.insert(box_of(step["box"]), int(step["id"])),
    "remove": lambda step, of, _: of.remove(box_of(step["box"]), int(step["id"])),
    "move": lambda step, of, _: of.move(box_of(step["box"]), int(step["id"]), box_of(step["to"])),
    "load": load,
    "apply": apply,
    "clear": lambda step, of, _: of.clear(),
    "merge": merge,
    "read": lambda step, of, _: CLASSES[step["kind"]].from_bytes(bytes.fromhex(step["bytes"])),
    "map": lambda step, of, _: pqt.Map(keys=step["keys"], values=step["values"]),
    "set": lambda step, of, _: of.set(key_of(step, of), value_of(step["value"], of)),
    "delete": lambda step, of, _: of.remove(key_of(step, of)),
    "region": lambda step, of, _: pqt.Region.of_boxes([step["box"]]),
    "disc": lambda step, of, _: of.paint_disc(step["at"], step["radius"],
                                              "set" if step["set"] else "clear"),
    "union": lambda step, of, versions: of | versions[step["other"]],
    "intersection": lambda step, of, versions: of & versions[step["other"]],
    "difference": lambda step, of, versions: of - versions[step["other"]],
    "xor": lambda step, of, versions: of ^ versions[step["other"]],
    "shift": lambda step, of, _: of.move(*step["by"]),
    "dilate": lambda step, of, _: of.dilate(*step["by"]),
    "erode": lambda step, of, _: of.erode(*step["by"]),
    "image": lambda step, of, _: pqt.Image(step["width"], step["height"], step["colour"]),
    "ink": lambda step, of, _: of.paint_stroke(*map(box_of, (step["from"], step["to"])),
                                               step["radius"], step["colour"], step["mode"]),
    "fill": lambda step, of, versions: of.fill(versions[step["other"]], step["colour"], step["at"],
                                               step["mode"]),
    "blit": lambda step, of, versions: of.blit(versions[step["other"]], step["at"], step["box"],
                                               step["mode"]),
    "flood": lambda step, of, _: of.flood(*step["at"], step["colour"], step["tolerance"],
                                          step["mode"]),
    "world": lambda step, of, _: pqt.World(box_of(step["bounds"])),
    "add": lambda step, of, _: of.add(bodies_of(step["bodies"])),
    "step": many_steps,
    "document": document,
    "setPart": lambda step, of, versions: of.set({step["part"]: versions[step["to"]]}),
}


def window(step, of, _):
    boxes, ids = of.items_in(box_of(step["box"]))
    assert [[int(number), box] for number, box in step["is"]] == \
        [[int(number), list(box)] for number, box in zip(ids, boxes)]


def nearest(step, of, _):
    assert of.nearest(step["at"], step["most"]).tolist() == [int(number) for number in step["is"]]
    _, ids, distances = of.nearest_each([step["at"]], step["most"])
    assert ids.tolist() == [int(number) for number in step["is"]]
    assert distances.tolist() == step["distances"]


def diff(step, of, versions):
    found = of.diff(versions[step["other"]])
    assert len(found) == len(step["is"])
    for change, (kind, number, box, *to) in zip(found, step["is"]):
        assert (change["kind"], change["id"], change["box"].tolist()) == \
            (CHANGES[kind], int(number), box)
        assert not to or change["to"].tolist() == to[0]


def get(step, of, _):
    expected = None if step["is"] is None else value_of(step["is"], of)
    assert of.get(key_of(step, of)) == expected


def sweep(step, of, versions):
    found = of.sweep(step["from"], step["to"], versions[step["other"]])
    assert (found.status, found.time, list(found.stop)) == \
        (("none", "free", "touches", "hits", "overlaps")[step["status"]], step["time"],
         step["stop"])
    assert (found.blocked_x, found.blocked_y) == (bool(step["blocked"] & 1),
                                                  bool(step["blocked"] & 2))


def body(step, of, _):
    bodies = of.bodies()
    found, expected = bodies[bodies["id"] == step["id"]][0], step["is"]
    assert found["position"].tolist() == expected["at"]
    assert found["velocity"].tolist() == expected["velocity"]
    assert (found["radius"], found["mass"], found["fixed"]) == \
        (expected["radius"], expected["mass"], expected["fixed"])


def size_of(version):
    return version.width * version.height if isinstance(version, pqt.Image) else len(version)


def equal(found, expected):
    assert found == expected


# The queries whose answers are compared.
QUESTIONS = {
    "window": window,
    "count": lambda step, of, _: equal(of.count_in(box_of(step["box"])), step["is"]),
    "nearest": nearest,
    "equals": lambda step, of, versions: equal(of == versions[step["other"]], step["is"]),
    "diff": diff,
    "bytes": lambda step, of, _: equal(of.to_bytes().hex(), step["is"]),
    "get": get,
    "sweep": sweep,
    "pixel": lambda step, of, _: equal(list(of.pixel(*step["at"])), step["is"]),
    "damage": lambda step, of, versions: equal(of.damage(versions[step["other"]]).tolist(),
                                               step["is"]),
    "body": body,
    "push": lambda step, of, versions: of.push(versions[step["version"]], step["label"]),
    "undo": lambda step, of, _: equal(of.undo(), step["is"]),
    "redo": lambda step, of, _: equal(of.redo(), step["is"]),
    "now": lambda step, of, _: equal("%032x" % of.value.fingerprint, step["is"]),
}


def run_step(step, versions):
    of = versions.get(step.get("of"))
    if step["op"] == "history":
        versions[step["as"]] = pqt.History(of)
    elif step["op"] in QUESTIONS:
        QUESTIONS[step["op"]](step, of, versions)
    elif "error" in step:
        with pytest.raises(pqt.Error) as caught:
            MAKERS[step["op"]](step, of, versions)
        assert caught.value.code == step["status"]
    else:
        version = MAKERS[step["op"]](step, of, versions)
        assert size_of(version) == step["size"]
        assert "%032x" % version.fingerprint == step["fingerprint"]
        versions[step["as"]] = version


@pytest.mark.parametrize("case", FILE["cases"], ids=lambda case: case["name"])
def test_case(case):
    versions = {}
    for number, step in enumerate(case["steps"], 1):
        try:
            run_step(step, versions)
        except AssertionError as error:
            raise AssertionError("step %d, %.200s: %s" % (number, json.dumps(step), error)) from error
        STEPS_RUN.append(step)


def test_a_call_that_is_made_again_has_its_arguments_and_no_results(monkeypatch):
    monkeypatch.syspath_prepend(str(SOURCE / "bindings" / "flat"))
    flat = importlib.import_module("flat")
    for package, to, line in ((flat.Python, "&to,", "(bytes->size = 0, "),
                              (flat.Wasm, "(begin_append(),", "RETURN_PINNED_RESULTS(")):
        made = [body for body in flat.code(package).splitlines()
                if body.startswith("    RETURN_PINNED") and to in body]
        assert len(made) == 3 and all(line in body for body in made)  # the merges


def test_all_steps_of_the_file_were_run():
    assert FILE["format"] == 1
    assert len(STEPS_RUN) == FILE["steps"] > 0

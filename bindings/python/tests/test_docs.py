# SPDX-License-Identifier: MIT
"""test_docs.py: runs each program of docs/python.md and compares its output."""
import contextlib
import doctest
import inspect
import io
import pathlib
import re

import pytest

import pqt
from test_region import has_png
from test_store import has_stores

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "python.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_each_program_of_the_page_prints_what_the_page_says(tmp_path, monkeypatch):
    if not PAGE.exists():
        pytest.skip("there is no " + str(PAGE))
    monkeypatch.chdir(tmp_path)
    blocks, names, programs = BLOCK.findall(PAGE.read_text(encoding="utf-8")), {}, 0
    for i, (language, text) in enumerate(blocks):
        if language != "python" or ("pqt.Store" in text and not has_stores(tmp_path)) or (
                "png" in text and not has_png()):
            continue
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(text, "python.md, block %d" % i, "exec"), names)
        following = blocks[i + 1] if i + 1 < len(blocks) else ("", "")
        assert out.getvalue() == (following[1] if following[0] == "text" else "")
        programs += 1
    assert programs >= 5


def test_the_docstring_example_of_the_package_works():
    assert doctest.testmod(pqt).failed == 0


def test_everything_public_has_a_docstring():
    for name in pqt.__all__:
        value = getattr(pqt, name)
        assert name in ("BODY", "EVENT") or inspect.getdoc(value), name
        if inspect.isclass(value) and value.__module__.startswith("pqt."):
            for member, attribute in vars(value).items():
                if not member.startswith("_") and (callable(attribute) or isinstance(
                        attribute, (property, classmethod))):
                    assert inspect.getdoc(attribute), name + "." + member

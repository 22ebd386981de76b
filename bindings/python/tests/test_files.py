# SPDX-License-Identifier: MIT
"""Failures of files have the classes and attributes that Python gives them; NaN is refused."""
import errno
import os
import pickle

import numpy as np
import pytest

import pqt

NAN, INF = float("nan"), float("inf")
TREE = pqt.Tree((0, 0, 100, 100)).insert((10, 10, 20, 20), 1)
VERSIONS = [TREE, pqt.Map({1: 10}), pqt.Region.of_boxes([(0, 0, 5, 5)]), pqt.World((0, 0, 9, 9)),
            pqt.Document({"shapes": TREE})]


@pytest.mark.parametrize("version", VERSIONS, ids=lambda one: type(one).__name__)
def test_a_missing_file_is_named_when_any_version_is_loaded_or_saved(tmp_path, version):
    for call, path in ((type(version).load, tmp_path / "nope.pqt"),
                       (version.save, str(tmp_path / "no" / "a.pqt"))):
        with pytest.raises(FileNotFoundError) as found:
            call(path)
        assert isinstance(found.value, pqt.Error) and isinstance(found.value, pqt.FileError)
        assert found.value.errno == errno.ENOENT and found.value.filename == str(path)
        assert found.value.strerror == os.strerror(errno.ENOENT)
        assert str(found.value) == "[Errno 2] No such file or directory: %r" % str(path)
        assert found.value.code == 9 and found.value.index == 0
        again = pickle.loads(pickle.dumps(found.value))
        assert type(again) is type(found.value) and str(again) == str(found.value)


def test_a_folder_and_a_file_in_place_of_a_folder_are_named(tmp_path):
    for call in (pqt.Tree.load, TREE.save):
        with pytest.raises(IsADirectoryError) as found:
            call(tmp_path)
        assert found.value.filename == str(tmp_path)
    (tmp_path / "file").write_bytes(b"")
    for call in (pqt.Tree.load, TREE.save):
        with pytest.raises(NotADirectoryError):
            call(tmp_path / "file" / "a.pqt")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write any file")
def test_a_file_without_permission_raises_permission_error(tmp_path):
    path = tmp_path / "a.pqt"
    TREE.save(path)
    path.chmod(0)
    for call in (pqt.Tree.load, TREE.save):
        with pytest.raises(PermissionError):
            call(path)


def test_another_failure_of_a_file_is_an_os_error_with_its_errno(tmp_path):
    path = tmp_path / ("a" * 300)
    with pytest.raises(pqt.FileError) as found:
        pqt.Tree.load(path)
    assert found.value.errno == errno.ENAMETOOLONG and isinstance(found.value, OSError)


def test_damaged_data_is_no_failure_of_the_file(tmp_path):
    path = tmp_path / "a.pqt"
    path.write_bytes(b"garbage")
    with pytest.raises(pqt.InvalidValue) as found:
        pqt.Tree.load(path)
    assert not isinstance(found.value, OSError)


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_casts_refuse_numbers_that_are_not_finite(bad):
    for place in range(4):
        numbers = [0.0, 0.0, 50.0, 50.0]
        numbers[place] = bad
        start, end = numbers[:2], numbers[2:]
        for cast in (TREE.cast, TREE.cast_all):
            for line in ({"end": end}, {"direction": end}):
                with pytest.raises(pqt.InvalidValue, match="the line is not finite"):
                    cast(start, **line)
        with pytest.raises(pqt.InvalidValue, match="line 1 is not finite") as found:
            TREE.cast_each(np.array([(0, 0), start]), np.array([(1, 1), end]))
        assert found.value.index == 1

# SPDX-License-Identifier: MIT
# from_python.py: uses the library through ctypes. Run it with python3 from_python.py [LIBRARY]
# The collector does not scan Python's heap, so a pin keeps each version alive.
import sys
from ctypes import CDLL, POINTER, Structure, byref, c_char, c_double, c_int, c_size_t, c_uint64, c_void_p

class Box(Structure):
    _fields_ = [("x0", c_double), ("y0", c_double), ("x1", c_double), ("y1", c_double)]

class Item(Structure):
    _fields_ = [("box", Box), ("id", c_uint64)]

class Error(Structure):
    _fields_ = [("index", c_size_t), ("status", c_int), ("text", c_char * 104)]

pqt = CDLL(sys.argv[1] if len(sys.argv) > 1 else "libpqt.so.0")
error = Error()
pqt.pqt_tree_make.argtypes, pqt.pqt_tree_make.restype = [Box, c_void_p, POINTER(Error)], c_void_p
pqt.pqt_tree_insert.argtypes, pqt.pqt_tree_insert.restype = [c_void_p, Item, POINTER(Error)], c_void_p
pqt.pqt_version_pin.argtypes, pqt.pqt_version_pin.restype = [c_void_p, POINTER(Error)], c_void_p
pqt.pqt_pin_get_version.argtypes, pqt.pqt_pin_get_version.restype = [c_void_p], c_void_p
pqt.pqt_tree_count.argtypes, pqt.pqt_tree_count.restype = [c_void_p], c_size_t

def pinned(tree):
    pin = pqt.pqt_version_pin(tree, byref(error))
    return pin or sys.exit(error.text.decode())

pins = [pinned(pqt.pqt_tree_make(Box(0, 0, 100, 100), None, byref(error)))]
for i in range(1000):
    item = Item(Box(i % 97, i % 89, i % 97 + 1, i % 89 + 1), i)
    pins.append(pinned(pqt.pqt_tree_insert(pqt.pqt_pin_get_version(pins[-1]), item, byref(error))))
print("versions 0, 500 and 1000 contain", [pqt.pqt_tree_count(pqt.pqt_pin_get_version(pins[i])) for i in (0, 500, 1000)])
pqt.pqt_tree_insert(pqt.pqt_pin_get_version(pins[-1]), Item(Box(1, 0, 0, 1), 7), byref(error))
print("refused:", error.text.decode())
for pin in pins:
    pqt.pqt_unpin(byref(c_void_p(pin)))

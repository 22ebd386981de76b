# SPDX-License-Identifier: MIT
# _pqt.pyi: the compiled shim; shim_calls.h declares its functions.
from typing import Any

ffi: Any
lib: Any

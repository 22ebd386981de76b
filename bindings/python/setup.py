# SPDX-License-Identifier: MIT
"""setup.py: builds the pqt package. shim_build.py finds the library that it is linked with."""
from setuptools import setup

setup(
    name="pqt",
    version="0.1.0",
    description="Persistent quadtrees: every edit returns a new tree, and old ones stay",
    license="MIT",
    python_requires=">=3.9",
    package_dir={"": "src"},
    packages=["pqt"],
    package_data={"pqt": ["py.typed", "*.pyi"]},
    setup_requires=["cffi>=1.15"],
    install_requires=["cffi>=1.15", "numpy"],
    cffi_modules=["shim_build.py:ffibuilder"],
    zip_safe=False,
)

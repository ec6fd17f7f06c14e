"""Finds the package in the source tree, unless NAVD_PYTHON_INSTALLED asks for an installed one."""

import os
import pathlib
import sys

SOURCE = pathlib.Path(os.environ.get("NAVD_SOURCE") or pathlib.Path(__file__).resolve().parents[3])
if not os.environ.get("NAVD_PYTHON_INSTALLED"):
    sys.path.insert(0, str(SOURCE / "clients" / "python"))

# SPDX-License-Identifier: MIT
"""Finds the Python packages that the add-on stands on: navd (clients/python) and msgpack.

build_zip.py puts both into the folder `packages` beside this file. In the source tree there is no such folder, and navd is
taken from clients/python. The folder is in sys.path only while they are imported, so that other add-ons never find it there.
A msgpack that Python has anyway is preferred: it is usually the compiled one.
"""
import importlib
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_VENDORED = os.path.join(_HERE, "packages")
_IN_SOURCE_TREE = os.path.join(_HERE, "..", "..", "python")


def _folder() -> str:
    return os.path.abspath(_VENDORED if os.path.isdir(_VENDORED) else _IN_SOURCE_TREE)


def load() -> None:
    """Imports navd and msgpack; from then on `import navd.core` and the like work in every module of the add-on."""
    try:
        importlib.import_module("msgpack")
    except ImportError:
        pass  # the add-on's own, then
    folder = _folder()
    sys.path.insert(0, folder)
    try:
        for name in ("msgpack", "navd.core", "navd.edits", "navd.mesh", "navd.tiles", "navd.transport"):
            importlib.import_module(name)
    finally:
        sys.path.remove(folder)


def unload() -> None:
    """Forgets what load() took from the add-on's folder, so that another version of the add-on brings its own."""
    folder = _folder() + os.sep
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in ("navd", "msgpack") and (
                getattr(module, "__file__", None) or "").startswith(folder):
            del sys.modules[name]

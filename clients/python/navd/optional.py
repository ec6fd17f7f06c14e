"""Packages that are used where they are there, imported when they are first needed: numpy and zstandard, or None."""

from importlib import import_module
from typing import Any

numpy: Any
zstandard: Any


def __getattr__(name: str) -> Any:
    if name not in ("numpy", "zstandard"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        found: Any = import_module(name)
    except ImportError:
        found = None
    globals()[name] = found  # asked once
    return found

"""Packages that are used where they are there: numpy and zstandard."""

from typing import Any

numpy: Any
zstandard: Any
try:
    import numpy
except ImportError:
    numpy = None
try:
    import zstandard
except ImportError:
    zstandard = None

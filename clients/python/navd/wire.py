"""The msgpack package: the installed one, or one that stands beside this package where both are part of an add-on."""

from importlib import import_module
from typing import Any

msgpack: Any
try:
    msgpack = import_module("msgpack")
except ImportError:
    if "." not in __package__:
        raise
    msgpack = import_module("..msgpack", __package__)

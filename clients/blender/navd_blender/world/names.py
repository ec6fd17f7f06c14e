# SPDX-License-Identifier: MIT
"""Names of Blender as navd takes them (docs/protocol/worlds.md#worldopen, protocol/name.c)."""
import functools
import re

_MOST_BYTES = 200
# Controls, line ends, and what Unicode calls default ignorable: zero width, directions, fillers, variations; and half characters.
_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff]")
_DOTS = re.compile(r"(?<![^/\\])\.{1,2}(?![^/\\])")


@functools.lru_cache(maxsize=65536)
def display_name(name: str) -> str:
    """The name without what navd refuses: invisible characters, and path components "." and ".."."""
    text = _DOTS.sub("?", _INVISIBLE.sub("", name))
    return _DOTS.sub("?", text.encode()[:_MOST_BYTES].decode("utf-8", "ignore"))

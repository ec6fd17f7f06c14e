# SPDX-License-Identifier: MIT
"""Names of Blender as navd takes them (docs/protocol/worlds.md#worldopen)."""
import functools

_MOST_BYTES = 200


@functools.lru_cache(maxsize=65536)
def display_name(name: str) -> str:
    """The name without what navd refuses: control, invisible and direction characters, and path components "." and ".."."""
    text = "".join(letter if letter.isprintable() else "?" for letter in name)
    text = "/".join("?" if part in (".", "..") else part for part in text.split("/"))
    return text.encode("utf-8", "replace")[:_MOST_BYTES].decode("utf-8", "ignore")

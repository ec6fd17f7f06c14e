"""The bytes of a tile as they travel: a zstd frame, or the tile itself."""

import threading

from . import optional
from .errors import NavdError

_FRAME = b"\x28\xb5\x2f\xfd"
_own = threading.local()  # each thread's decompressor: making one takes longer than unpacking a tile
TILE_BYTES = 256 << 20  # no tile is larger


def choice() -> str:
    """What to ask for as `compression`: "zstd", or "none" where the package zstandard is missing."""
    return "zstd" if optional.zstandard is not None else "none"


def unpack(data: bytes, size: int) -> bytes:
    """The tile of `size` bytes in the `data` of a tile message. Raises NavdError "format", or "state" without zstandard."""
    if data[:4] == _FRAME:  # neither encoding of a tile begins like this
        if optional.zstandard is None:
            raise NavdError("state", "the tile is compressed: install python3-zstandard, or ask for compression \"none\"")
        if not 0 <= size <= TILE_BYTES:
            raise NavdError("format", f"size: {size}, expected at most {TILE_BYTES} bytes of a tile")
        try:
            if optional.zstandard.frame_content_size(data) not in (-1, size):  # or the frame would decide what is allocated
                raise NavdError("format", f"size: {size}, but the frame says {optional.zstandard.frame_content_size(data)}")
            if not hasattr(_own, "decompressor"):
                _own.decompressor = optional.zstandard.ZstdDecompressor()
            data = _own.decompressor.decompress(data, max_output_size=max(size, 1))
        except optional.zstandard.ZstdError as error:
            raise NavdError("format", f"a tile's data is not a valid zstd frame: {error}") from error
    if len(data) != size:
        raise NavdError("format", f"size: {size}, but the tile has {len(data)} bytes")
    return data

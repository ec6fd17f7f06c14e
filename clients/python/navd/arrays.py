"""Views of bytes as numbers, without a copy: numpy arrays where numpy is, otherwise memoryviews and rows of them."""

import array
import sys
from typing import Any, Iterator, Protocol, Tuple, Union

from . import optional

Bytes = Union[bytes, bytearray, memoryview]


class Array(Protocol):
    """What both a numpy array and its stand-ins have. numpy.asarray() of a numpy array is that array."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: Any, /) -> Any: ...

    def __iter__(self) -> Iterator[Any]: ...

    def tolist(self) -> Any: ...


class Rows:
    """Rows of equal length over a flat sequence of numbers, for where numpy is not: rows[i][j]."""

    def __init__(self, flat: Any, width: int) -> None:
        self._flat = flat
        self._width = width

    def __len__(self) -> int:
        return len(self._flat) // self._width

    def __getitem__(self, index: Any, /) -> Tuple[Any, ...]:
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(f"row {index} of {len(self)}")
        return tuple(self._flat[at * self._width : (at + 1) * self._width])

    def __iter__(self) -> Iterator[Tuple[Any, ...]]:
        for at in range(len(self)):
            yield self[at]

    def tolist(self) -> Any:
        return [list(row) for row in self]


_NUMPY = {"B": "u1", "H": "<u2", "I": "<u4", "i": "<i4", "f": "<f4"}
_BYTES = {"B": 1, "H": 2, "I": 4, "i": 4, "f": 4}


def view(data: Bytes, code: str, offset: int, count: int, width: int = 1) -> Array:
    """`count` little-endian numbers from `offset` on, as rows of `width` if that is above 1. code: of the module struct."""
    if optional.numpy is not None:
        flat = optional.numpy.frombuffer(data, _NUMPY[code], count, offset)
        rows: Array = flat.reshape(-1, width) if width > 1 else flat
        return rows
    numbers: Any = memoryview(data)[offset : offset + count * _BYTES[code]].cast("B").cast(code)
    if sys.byteorder == "big" and code != "B":
        numbers = array.array(code, numbers)
        numbers.byteswap()
    result: Array = Rows(numbers, width) if width > 1 else numbers
    return result

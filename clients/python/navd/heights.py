"""Terrain as samples on a square grid: cut into blocks, each of them a mesh of its own (docs/protocol/heights.md)."""

import struct
import sys
from array import array
from typing import Any, Iterator, NamedTuple, Optional, Tuple

from . import optional
from .errors import NavdError
from .mesh import Mesh, make_mesh

BLOCK = 64  # cells along a block
HOLE = 254  # as the area of a cell: there is no ground
DIAGONALS = ("forward", "backward", "alternating", "shorter")


class Part(NamedTuple):
    """The part of a rectangle that lies in one block. block: its number; column, row: in the block, in samples."""

    block: int
    column: int
    row: int
    columns: int
    rows: int
    samples: bytes
    areas: bytes


class Terrain:
    """columns by rows samples, row by row: sample (c, r) is at x = c * spacing_m, z = r * spacing_m, y = offset_m + scale_m * sample."""

    def __init__(
        self,
        samples: Any = None,
        *,
        spacing_m: float,
        scale_m: float = 1.0,
        offset_m: float = 0.0,
        diagonal: str = "forward",
        areas: Any = None,
        columns: Optional[int] = None,
        rows: Optional[int] = None,
        bits: Optional[int] = None,
    ) -> None:
        """
        samples: an array of two dimensions (numpy), rows of numbers, or bytes with columns, rows and bits given. Whole numbers from 0
        to 65535 travel with 16 bits, all others as float32. None, with columns, rows and bits: the terrain is there already, and is
        only to be patched or removed.
        diagonal: which way each cell is cut: "forward", "backward", "alternating", "shorter".
        areas: for each of (columns - 1) * (rows - 1) cells 0 to 63, OWN_AREA, or HOLE.
        Raises NavdError "argument".
        """
        if diagonal not in DIAGONALS:
            raise NavdError("argument", f"diagonal: {diagonal!r}, expected one of {', '.join(DIAGONALS)}")
        self.spacing_m, self.scale_m, self.offset_m, self.diagonal = float(spacing_m), float(scale_m), float(offset_m), diagonal
        self.samples: Optional[bytes] = None
        if samples is None or isinstance(samples, (bytes, bytearray, memoryview)):
            if columns is None or rows is None or bits is None:
                raise NavdError("argument", "columns, rows, bits: required where the samples are bytes or missing")
            self.columns, self.rows, self.bits = int(columns), int(rows), int(bits)
            self.samples = None if samples is None else bytes(samples)
        else:
            self.columns, self.rows, self.bits, self.samples = _numbers(samples, bits)
        if self.columns < 2 or self.rows < 2 or self.bits not in (16, 32):
            raise NavdError(
                "argument",
                f"{self.columns} columns and {self.rows} rows of {self.bits} bits, expected 2 or more, and 16 or 32 bits",
            )
        wanted = self.columns * self.rows * self.bits // 8
        if self.samples is not None and len(self.samples) != wanted:
            raise NavdError("argument", f"samples: {len(self.samples)} bytes, expected {wanted}")
        self.areas = _areas(areas, (self.columns - 1) * (self.rows - 1))
        self.across = (self.columns - 2) // BLOCK + 1
        self.down = (self.rows - 2) // BLOCK + 1

    @property
    def block_count(self) -> int:
        """Blocks, and so instances: their ids follow each other."""
        return self.across * self.down

    def blocks(self) -> Iterator[Mesh]:
        """The meshes of all blocks, row by row."""
        if self.samples is None:
            raise NavdError("state", "the terrain has no samples: it can only be patched or removed")
        for part in self._parts(0, 0, self.columns, self.rows, self.samples, self.areas):
            x, z = part.block % self.across, part.block // self.across
            head = struct.pack(
                "<IIiidddBB6x",
                part.columns,
                part.rows,
                x * BLOCK,
                z * BLOCK,
                self.spacing_m,
                self.scale_m,
                self.offset_m,
                int(self.bits == 32),
                DIAGONALS.index(self.diagonal),
            )
            triangles = 2 * (part.columns - 1) * (part.rows - 1)
            data = head + part.samples + part.areas
            yield make_mesh(part.columns * part.rows, triangles, bool(part.areas), data, self.bits)

    def patch(self, column: int, row: int, samples: Any, areas: Any = None, *, columns: Optional[int] = None) -> Iterator[Part]:
        """A rectangle of samples whose first is (column, row), by blocks. samples: as Terrain() takes them; columns: of bytes."""
        if isinstance(samples, (bytes, bytearray, memoryview)):
            if not columns:
                raise NavdError("argument", "columns: required where the samples are bytes")
            data, width = bytes(samples), int(columns)
            height = len(data) * 8 // self.bits // width
        else:
            width, height, _, data = _numbers(samples, self.bits)
        if len(data) != width * height * self.bits // 8 or not height:
            raise NavdError("argument", f"samples: {len(data)} bytes are no rows of {width} samples of {self.bits} bits")
        if column < 0 or row < 0 or column + width > self.columns or row + height > self.rows:
            raise NavdError(
                "argument",
                f"{width} by {height} samples from column {column}, row {row} are not within {self.columns} by {self.rows}",
            )
        return self._parts(column, row, width, height, data, _areas(areas, (width - 1) * (height - 1)))

    def _parts(self, column: int, row: int, width: int, height: int, data: bytes, areas: Optional[bytes]) -> Iterator[Part]:
        step = self.bits // 8
        for z in range(max(row - 1, 0) // BLOCK, min((row + height - 1) // BLOCK, self.down - 1) + 1):
            for x in range(max(column - 1, 0) // BLOCK, min((column + width - 1) // BLOCK, self.across - 1) + 1):
                c0, r0 = max(column, x * BLOCK), max(row, z * BLOCK)
                c1, r1 = min(column + width, x * BLOCK + BLOCK + 1), min(row + height, z * BLOCK + BLOCK + 1)
                rows = (((r - row) * width + c0 - column) * step for r in range(r0, r1))
                cells = ((r - row) * (width - 1) + c0 - column for r in range(r0, r1 - 1))
                yield Part(
                    z * self.across + x,
                    c0 - x * BLOCK,
                    r0 - z * BLOCK,
                    c1 - c0,
                    r1 - r0,
                    b"".join(data[at : at + (c1 - c0) * step] for at in rows),
                    b"".join(areas[at : at + c1 - c0 - 1] for at in cells) if areas else b"",
                )


def _numbers(samples: Any, bits: Optional[int]) -> Tuple[int, int, int, bytes]:
    """Columns, rows, bits and bytes."""
    numpy = optional.numpy
    try:
        if numpy is not None and isinstance(samples, numpy.ndarray):
            if samples.ndim != 2:
                raise ValueError(f"an array of {samples.ndim} dimensions")
            whole = samples.dtype.kind in "iu"
            bits = bits or (16 if whole and samples.size and samples.min() >= 0 and samples.max() <= 65535 else 32)
            if bits == 16 and not (whole and samples.min() >= 0 and samples.max() <= 65535):
                raise ValueError("samples of 16 bits are whole numbers from 0 to 65535")
            data = numpy.ascontiguousarray(samples, "<u2" if bits == 16 else "<f4").tobytes()
            return samples.shape[1], samples.shape[0], bits, data
        rows = [list(row) for row in samples]
        width = len(rows[0]) if rows else 0
        if any(len(row) != width for row in rows):
            raise ValueError("rows of several lengths")
        numbers = [number for row in rows for number in row]
        if bits is None:
            bits = 16 if all(isinstance(number, int) and 0 <= number <= 65535 for number in numbers) else 32
        packed = array("H" if bits == 16 else "f", numbers)
    except (TypeError, ValueError, OverflowError, IndexError) as error:
        raise NavdError("argument", f"samples: {error}, expected rows of numbers") from error
    if sys.byteorder == "big":
        packed.byteswap()
    return width, len(rows), bits, packed.tobytes()


def _areas(areas: Any, cells: int) -> Optional[bytes]:
    if areas is None:
        return None
    try:
        numpy = optional.numpy
        if numpy is not None and isinstance(areas, numpy.ndarray):
            flat: bytes = areas.astype("u1").tobytes()
        elif isinstance(areas, (bytes, bytearray, memoryview)):
            flat = bytes(areas)
        else:
            flat = b"".join(bytes(row) if not isinstance(row, int) else bytes([row]) for row in areas)
    except (TypeError, ValueError) as error:
        raise NavdError("argument", f"areas: {error}, expected 0 to 63, OWN_AREA or HOLE for each cell") from error
    if len(flat) != cells:
        raise NavdError("argument", f"areas: {len(flat)} of them for {cells} cells")
    return flat

# SPDX-License-Identifier: MIT
"""The chunks of a model as batches of the module gpu. Needs a window."""
import time
from typing import Dict, List, NamedTuple, Optional

import bpy
import gpu
import numpy

from .chunks import Arrays, Chunks
from .colors import Palette

SMOOTH_COLOR = "SMOOTH_COLOR" if bpy.app.version >= (4, 0, 0) else "3D_SMOOTH_COLOR"
_MOST_PUT_OFF = 3
_format = None


def vertex_format():
    global _format
    if _format is None:
        _format = gpu.types.GPUVertFormat()
        _format.attr_add(id="pos", comp_type="F32", len=3, fetch_mode="FLOAT")
        _format.attr_add(id="color", comp_type="U8", len=4, fetch_mode="INT_TO_FLOAT_UNIT")
    return _format


def make_batch(kind: str, positions: numpy.ndarray, colors: numpy.ndarray, indices: Optional[numpy.ndarray] = None):
    """kind: "TRIS" or "LINES"; positions f32 (N, 3), colors u8 (N, 4), indices i32."""
    buffer = gpu.types.GPUVertBuf(vertex_format(), len(positions))
    buffer.attr_fill("pos", numpy.ascontiguousarray(positions))
    buffer.attr_fill("color", numpy.ascontiguousarray(colors))
    if indices is None:
        return gpu.types.GPUBatch(type=kind, buf=buffer)
    return gpu.types.GPUBatch(type=kind, buf=buffer, elem=gpu.types.GPUIndexBuf(type=kind, seq=indices))


class Drawn(NamedTuple):
    ground: object
    lines: object  # None without lines
    triangles: int


class Batches:
    def __init__(self) -> None:
        self.drawn: Dict[tuple, Drawn] = {}
        self._boxes = numpy.zeros((0, 8, 4), "f4")
        self._order: List[Drawn] = []
        self._boxes_of: Optional[Chunks] = None
        self._usual_s = 0.0  # what a chunk takes
        self._put_off = 0  # calls since the last one

    def clear(self) -> None:
        self.__init__()

    @property
    def triangles(self) -> int:
        return sum(drawn.triangles for drawn in self.drawn.values())

    def make(self, chunks: Chunks, palette: Palette, end: float) -> bool:
        """Makes dirty chunks while another one fits in before `end`, a time.perf_counter(); after some calls without room for
        any, one all the same. True: something looks otherwise now."""
        changed = False
        while chunks.dirty:
            start = time.perf_counter()
            if start + self._usual_s > end and (changed or self._put_off < _MOST_PUT_OFF):
                self._put_off += not changed
                break
            self._make(chunks, palette)
            self._usual_s = max(time.perf_counter() - start, 0.9 * self._usual_s)
            self._put_off, changed = 0, True
        return changed

    def _make(self, chunks: Chunks, palette: Palette) -> None:
        chunk_key = chunks.take_dirty()
        arrays = chunks.arrays(chunk_key, palette)
        if arrays is None:
            self.drawn.pop(chunk_key, None)
        else:
            self.drawn[chunk_key] = self._batches(arrays)
        self._boxes_of = None

    @staticmethod
    def _batches(arrays: Arrays) -> Drawn:
        lines = make_batch("LINES", arrays.line_positions, arrays.line_colors) if len(arrays.line_positions) else None
        return Drawn(make_batch("TRIS", arrays.positions, arrays.colors, arrays.triangles), lines, len(arrays.triangles))

    def in_view(self, chunks: Chunks, to_clip) -> List[Drawn]:
        """What may be seen: not entirely beyond one side of the view. to_clip: 4 x 4, from metres to clip space."""
        if self._boxes_of is not chunks:
            self._measure(chunks)
        if not self._order:
            return []
        points = self._boxes @ numpy.array(to_clip, "f4").T
        w = points[:, :, 3:]
        outside = (points[:, :, :3] > w).all(axis=1) | (points[:, :, :3] < -w).all(axis=1)
        return [self._order[at] for at in numpy.nonzero(~outside.any(axis=1))[0]]

    def _measure(self, chunks: Chunks) -> None:
        keys = [key for key in self.drawn if key in chunks.chunks and chunks.chunks[key].low is not None]
        self._order = [self.drawn[key] for key in keys]
        bounds = numpy.array([(chunks.chunks[key].low, chunks.chunks[key].high) for key in keys], "f4").reshape(-1, 2, 3)
        corners = [[bounds[:, x, 0], bounds[:, y, 1], bounds[:, z, 2], numpy.ones(len(keys), "f4")]
                   for x in (0, 1) for y in (0, 1) for z in (0, 1)]
        self._boxes = numpy.array(corners, "f4").transpose(2, 0, 1)
        self._boxes_of = chunks

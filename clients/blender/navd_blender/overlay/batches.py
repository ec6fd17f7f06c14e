# SPDX-License-Identifier: MIT
"""The chunks of a model as batches of the module gpu. Needs a window."""
import time
from typing import Dict, List, NamedTuple, Optional, Tuple

import bpy
import gpu
import numpy

from .chunks import Arrays, Chunks
from .colors import Palette

SMOOTH_COLOR = "SMOOTH_COLOR" if bpy.app.version >= (4, 0, 0) else "3D_SMOOTH_COLOR"
COARSE_PIXELS = 2.5  # that the coarse triangles of a chunk may be above or below its ground, on the screen
_COARSE_SHARE = 0.6  # of a chunk's triangles: above, coarse ones are not worth their memory
_MOST_PUT_OFF = 3
_format = None


def vertex_format():
    global _format
    if _format is None:
        _format = gpu.types.GPUVertFormat()
        _format.attr_add(id="pos", comp_type="F32", len=3, fetch_mode="FLOAT")
        _format.attr_add(id="color", comp_type="U8", len=4, fetch_mode="INT_TO_FLOAT_UNIT")
    return _format


def vertices(positions: numpy.ndarray, colors: numpy.ndarray):
    """positions f32 (N, 3), colors u8 (N, 4)."""
    buffer = gpu.types.GPUVertBuf(vertex_format(), len(positions))
    buffer.attr_fill("pos", numpy.ascontiguousarray(positions))
    buffer.attr_fill("color", numpy.ascontiguousarray(colors))
    return buffer


def make_batch(kind: str, buffer, indices: Optional[numpy.ndarray] = None):
    """kind: "TRIS" or "LINES"; indices i32."""
    if indices is None:
        return gpu.types.GPUBatch(type=kind, buf=buffer)
    return gpu.types.GPUBatch(type=kind, buf=buffer, elem=gpu.types.GPUIndexBuf(type=kind, seq=indices))


class Drawn(NamedTuple):
    """A chunk on the graphics card. coarse: None where it would save little; lines: None without any."""
    ground: object
    coarse: object
    lines: object
    triangles: int
    coarse_triangles: int
    error: float  # of coarse, metres up or down


class Batches:
    def __init__(self) -> None:
        self.drawn: Dict[tuple, Drawn] = {}
        self._boxes = numpy.zeros((0, 8, 4), "f4")
        self._order: List[Drawn] = []
        self._errors = numpy.zeros(0, "f4")
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
            self.drawn[chunk_key] = self._batches(arrays, palette)
        self._boxes_of = None

    @staticmethod
    def _batches(arrays: Arrays, palette: Palette) -> Drawn:
        buffer = vertices(arrays.positions, arrays.colors)
        worth = len(arrays.coarse) < _COARSE_SHARE * len(arrays.triangles) and palette.hides(arrays.error)
        return Drawn(
            ground=make_batch("TRIS", buffer, arrays.triangles),
            coarse=make_batch("TRIS", buffer, arrays.coarse) if worth else None,
            lines=make_batch("LINES", vertices(arrays.line_positions, arrays.line_colors)) if len(arrays.line_positions) else None,
            triangles=len(arrays.triangles), coarse_triangles=len(arrays.coarse), error=arrays.error)

    def in_view(self, chunks: Chunks, to_clip, size) -> List[Tuple[Drawn, float]]:
        """What may be seen: not entirely beyond one side of the view. With each, where its coarse triangles look the same: how far
        away it is, as clip space has it (w); 0 where they do not. to_clip: 4 x 4, from metres; size: of the view, pixels."""
        if self._boxes_of is not chunks:
            self._measure(chunks)
        if not self._order:
            return []
        matrix = numpy.array(to_clip, "f4")
        points = self._boxes @ matrix.T
        w = points[:, :, 3:]
        outside = (points[:, :, :3] > w).all(axis=1) | (points[:, :, :3] < -w).all(axis=1)
        # How many pixels a corner of the box moves when the ground there rises by the error.
        error, up = self._errors[:, None, None], matrix[:, 1]
        with numpy.errstate(divide="ignore", invalid="ignore"):
            moved = (points[:, :, :2] + error * up[:2]) / (w + error * up[3]) - points[:, :, :2] / w
            pixels = numpy.abs(moved * (size[0] / 2, size[1] / 2)).max(axis=(1, 2))
        near = w.min(axis=(1, 2))
        near[~((near > 0) & (pixels <= COARSE_PIXELS))] = 0  # also with NaN
        return [(self._order[at], float(near[at])) for at in numpy.nonzero(~outside.any(axis=1))[0]]

    def _measure(self, chunks: Chunks) -> None:
        keys = [key for key in self.drawn if key in chunks.chunks and chunks.chunks[key].low is not None]
        self._order = [self.drawn[key] for key in keys]
        bounds = numpy.array([(chunks.chunks[key].low, chunks.chunks[key].high) for key in keys], "f4").reshape(-1, 2, 3)
        self._errors = numpy.array([drawn.error if drawn.coarse is not None else numpy.inf for drawn in self._order], "f4")
        corners = [[bounds[:, x, 0], bounds[:, y, 1], bounds[:, z, 2], numpy.ones(len(keys), "f4")]
                   for x in (0, 1) for y in (0, 1) for z in (0, 1)]
        self._boxes = numpy.array(corners, "f4").transpose(2, 0, 1)
        self._boxes_of = chunks

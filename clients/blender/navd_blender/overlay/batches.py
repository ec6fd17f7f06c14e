# SPDX-License-Identifier: MIT
"""The chunks of a model as batches of the module gpu. Needs a window."""
import time
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

import bpy
import gpu
import numpy

from .chunks import Arrays, Chunks
from .colors import Palette
from .thinner import Ground, Thinner, thinner

SMOOTH_COLOR = "SMOOTH_COLOR" if bpy.app.version >= (4, 0, 0) else "3D_SMOOTH_COLOR"
COARSE_PIXELS = 2.5  # that thinner or coarse triangles of a chunk may be above or below its ground, on the screen
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


class Level(NamedTuple):
    """Triangles of a chunk on the graphics card."""
    batch: object
    triangles: int
    error: float  # metres up or down from the ground, at most


class Drawn(NamedTuple):
    """A chunk on the graphics card. thinner, coarse: None where it would save little; thinner also as long as it is not found;
    lines: None without any."""
    ground: Level
    thinner: Optional[Level]
    coarse: Optional[Level]
    lines: object


class Shown(NamedTuple):
    """A chunk that may be in view, and the level of it that looks right from there."""
    level: Level
    lines: object
    distance: float  # of its nearest point, as clip space has it (w)


class _Whole(NamedTuple):
    """A chunk whose thinner ground is not found yet."""
    version: int
    buffer: object
    steps: Iterator[Optional[Thinner]]


class Batches:
    def __init__(self) -> None:
        self.drawn: Dict[tuple, Drawn] = {}
        self._boxes = numpy.zeros((0, 8, 4), "f4")
        self._order: List[Drawn] = []
        self._errors = numpy.zeros((0, 2), "f4")  # of thinner and coarse
        self._measured = False  # the three above are those of `drawn`
        self._chunks: Optional[Chunks] = None
        self._usual_s = 0.0  # what a chunk takes
        self._put_off = 0  # calls since the last one
        self._whole: Dict[tuple, _Whole] = {}
        self._thinned: Dict[tuple, Tuple[int, Optional[Thinner]]] = {}  # and the version of the chunk that it is of

    @property
    def triangles(self) -> int:
        return sum(drawn.ground.triangles for drawn in self.drawn.values())

    @property
    def thinned(self) -> bool:
        """Every chunk has been looked at by thin()."""
        return not self._whole

    def make(self, chunks: Chunks, palette: Palette, end: float) -> bool:
        """Makes dirty chunks while another one fits in before `end`, a time.perf_counter(); after some calls without room for
        any, one all the same. True: something looks otherwise now."""
        changed = False
        if chunks is not self._chunks:  # the model begins anew
            changed = bool(self.drawn)
            self.__init__()
            self._chunks = chunks
        while chunks.dirty:
            start = time.perf_counter()
            if start + self._usual_s > end and (changed or self._put_off < _MOST_PUT_OFF):
                self._put_off += not changed
                break
            self._make(chunks, palette)
            self._usual_s = max(time.perf_counter() - start, 0.9 * self._usual_s)
            self._put_off, changed = 0, True
        return changed

    def thin(self, palette: Palette, end: float) -> None:
        """Until `end`: finds thinner ground for the chunks that have changed, the newest change first."""
        while self._whole and time.perf_counter() < end:
            chunk_key, whole = next(reversed(self._whole.items()))
            found = next(whole.steps, False)
            if found is None:
                continue
            del self._whole[chunk_key]
            self._thinned[chunk_key] = whole.version, found or None
            self._add_thinner(chunk_key, whole.buffer, found, palette)

    def _make(self, chunks: Chunks, palette: Palette) -> None:
        chunk_key = chunks.take_dirty()
        arrays = chunks.arrays(chunk_key, palette)
        self._measured = False
        self._whole.pop(chunk_key, None)
        if arrays is None:
            self.drawn.pop(chunk_key, None)
            self._thinned.pop(chunk_key, None)
            return
        buffer = vertices(arrays.positions, arrays.colors)
        coarse = None
        if len(arrays.coarse) < _COARSE_SHARE * len(arrays.triangles) and palette.hides(arrays.error):
            coarse = Level(make_batch("TRIS", buffer, arrays.coarse), len(arrays.coarse), arrays.error)
        lines = make_batch("LINES", vertices(arrays.line_positions, arrays.line_colors)) if len(arrays.line_positions) else None
        self.drawn[chunk_key] = Drawn(
            Level(make_batch("TRIS", buffer, arrays.triangles), len(arrays.triangles), 0.0), None, coarse, lines)
        version = chunks.chunks[chunk_key].version
        known = self._thinned.get(chunk_key)
        if known and known[0] == version:
            self._add_thinner(chunk_key, buffer, known[1], palette)
        else:
            ground = Ground(arrays.positions, arrays.triangles, arrays.first_triangle)
            self._whole[chunk_key] = _Whole(version, buffer, thinner(ground, arrays.error))

    def _add_thinner(self, chunk_key: tuple, buffer, found: Optional[Thinner], palette: Palette) -> None:
        if found and palette.hides(found.error):
            level = Level(make_batch("TRIS", buffer, found.triangles), len(found.triangles), found.error)
            self.drawn[chunk_key] = self.drawn[chunk_key]._replace(thinner=level)
            self._measured = False

    def in_view(self, to_clip, size) -> List[Shown]:
        """What may be seen: not entirely beyond one side of the view. to_clip: 4 x 4, from metres; size: of the view, pixels."""
        if not self._measured:
            self._measure()
        if not self._order:
            return []
        matrix = numpy.array(to_clip, "f4")
        points = self._boxes @ matrix.T
        w = points[:, :, 3:]
        outside = (points[:, :, :3] > w).all(axis=1) | (points[:, :, :3] < -w).all(axis=1)
        # How many pixels a corner of the box moves when the ground there rises by the error.
        up = matrix[:, 1]
        pixels = numpy.empty_like(self._errors)
        with numpy.errstate(divide="ignore", invalid="ignore"):
            places = points[:, :, :2] / w
            for at in range(pixels.shape[1]):
                error = self._errors[:, at, None, None]
                moved = (points[:, :, :2] + error * up[:2]) / (w + error * up[3]) - places
                pixels[:, at] = numpy.abs(moved * (size[0] / 2, size[1] / 2)).max(axis=(1, 2))
        near = w.min(axis=(1, 2))
        hidden = (near[:, None] > 0) & (pixels <= COARSE_PIXELS)  # False with NaN
        shown = []
        for at in numpy.nonzero(~outside.any(axis=1))[0]:
            drawn = self._order[at]
            level = drawn.coarse if hidden[at, 1] else drawn.thinner if hidden[at, 0] else drawn.ground
            shown.append(Shown(level, drawn.lines, float(near[at])))
        return shown

    def _measure(self) -> None:
        keys = list(self.drawn)
        self._order = list(self.drawn.values())
        chunks = self._chunks.chunks if self._chunks else {}
        bounds = numpy.array([(chunks[key].low, chunks[key].high) for key in keys], "f4").reshape(-1, 2, 3)
        self._errors = numpy.array([[level.error if level else numpy.inf for level in (drawn.thinner, drawn.coarse)]
                                    for drawn in self._order], "f4").reshape(-1, 2)
        corners = [[bounds[:, x, 0], bounds[:, y, 1], bounds[:, z, 2], numpy.ones(len(keys), "f4")]
                   for x in (0, 1) for y in (0, 1) for z in (0, 1)]
        self._boxes = numpy.array(corners, "f4").transpose(2, 0, 1)
        self._measured = True

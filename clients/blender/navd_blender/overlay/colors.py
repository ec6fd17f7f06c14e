# SPDX-License-Identifier: MIT
"""The overlay's colours. Without bpy and without gpu."""
import colorsys
import time
from typing import Dict, List, Optional, Sequence, Tuple

import numpy

from .geometry import BORDER, INNER, UNREACHABLE, WALL

GROUND = 63
AREA, HEIGHT, AGE, STATUS = "AREA", "HEIGHT", "AGE", "STATUS"
# Age in seconds: up to here the colour counts.
AGES = ((2, (255, 214, 64)), (10, (250, 150, 60)), (60, (226, 88, 92)), (600, (150, 84, 158)), (float("inf"), (72, 92, 170)))
BUILT, CACHED, FAILED = (66, 176, 96), (60, 140, 200), (226, 60, 50)
# Low to high.
HEIGHTS = ((38, 70, 140), (40, 130, 170), (70, 175, 130), (190, 200, 90), (240, 170, 70), (230, 90, 60))
LINES = {INNER: (20, 30, 50, 70), WALL: (20, 30, 50, 230), BORDER: (40, 110, 230, 200)}
HEIGHT_STEPS = 64
_LINE_TABLE = numpy.array([LINES[kind] for kind in (INNER, WALL, BORDER)], "u1")


class TileState:
    """What is known about a tile besides its geometry. received: time.monotonic(); made_us: 0 from the cache."""
    __slots__ = ("received", "made_us", "revision", "failed")

    def __init__(self, received=0.0, made_us=0, revision=0, failed=""):
        self.received, self.made_us, self.revision, self.failed = received, made_us, revision, failed


def area_color(area: int, table: Dict[int, dict]) -> Tuple[int, int, int]:
    """The table's colour of an area; without one, a colour of its own for each area."""
    color = table.get(area, {}).get("color")
    if color is not None:
        return color >> 16 & 255, color >> 8 & 255, color & 255
    if area == GROUND:
        return 56, 150, 205
    red, green, blue = colorsys.hsv_to_rgb(area * 0.618034 % 1, 0.62, 0.86)
    return int(red * 255), int(green * 255), int(blue * 255)


def age_class(age_s: float) -> int:
    return next(at for at, (until, _) in enumerate(AGES) if age_s < until)


class Palette:
    """How chunks are coloured. After a change of its members all chunks are to be made again."""

    def __init__(self) -> None:
        self.mode, self.alpha = AREA, 0.55
        self.areas: Dict[int, dict] = {}  # by id, the world's table
        self._table: Optional[numpy.ndarray] = None  # of the mode AREA or HEIGHT
        self.low, self.high = 0.0, 1.0  # of the whole mesh
        self.states: Dict[Tuple[int, int], TileState] = {}
        self.now = time.monotonic

    def set_look(self, mode: str, alpha: float) -> None:
        self.mode, self.alpha, self._table = mode, alpha, None

    def set_areas(self, areas: List[dict]) -> None:
        self.areas, self._table = {area["id"]: area for area in areas}, None

    def colors(self, keys: Sequence, tiles: List, counts: numpy.ndarray, positions: numpy.ndarray) -> numpy.ndarray:
        """u8 (N, 4) for the vertices of these tiles, one after the other; counts: vertices of each."""
        if self.mode == AREA:
            looks = numpy.concatenate([tile.looks for tile in tiles])
            if self._table is None:
                self._table = self._area_table()
            return self._table[looks]
        if self.mode == HEIGHT:
            span = max(self.high - self.low, 1e-6)
            if self._table is None:
                self._table = self._height_table()
            step = ((positions[:, 1] - self.low) * ((HEIGHT_STEPS - 1) / span)).astype("i4")
            return self._table[numpy.clip(step, 0, HEIGHT_STEPS - 1)]
        now = self.now()
        each = numpy.array([self._tile_color(self.states.get(key), now) for key in keys], "u1")
        return numpy.repeat(each, counts, axis=0)

    def hides(self, metres: float) -> bool:
        """Whether ground that is wrong by so much in height has the same colour all the same."""
        return self.mode != HEIGHT or metres * HEIGHT_STEPS <= 2 * (self.high - self.low)

    def line_colors(self, kinds: numpy.ndarray) -> numpy.ndarray:
        return _LINE_TABLE[kinds]

    def _area_table(self) -> numpy.ndarray:
        table = numpy.zeros((2 * UNREACHABLE, 4), "u1")
        alpha = round(self.alpha * 255)
        for area in range(UNREACHABLE):
            red, green, blue = area_color(area, self.areas)
            table[area] = red, green, blue, alpha
            grey = (red + green + blue) // 6
            table[area + UNREACHABLE] = grey, grey, grey, alpha
        return table

    def _height_table(self) -> numpy.ndarray:
        at = numpy.linspace(0, len(HEIGHTS) - 1, HEIGHT_STEPS)
        table = numpy.empty((HEIGHT_STEPS, 4), "u1")
        for channel in range(3):
            table[:, channel] = numpy.interp(at, range(len(HEIGHTS)), [color[channel] for color in HEIGHTS])
        table[:, 3] = round(self.alpha * 255)
        return table

    def _tile_color(self, state, now) -> Tuple[int, int, int, int]:
        alpha = round(self.alpha * 255)
        state = state or TileState()
        if self.mode == AGE:
            return (*AGES[age_class(now - state.received)][1], alpha)
        if state.failed:
            return (*FAILED, alpha)
        return (*(BUILT if state.made_us else CACHED), alpha)

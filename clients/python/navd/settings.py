"""What decides how a profile's tiles are built (docs/protocol/settings.md)."""

import struct
from dataclasses import dataclass, fields
from typing import Any, Dict, Mapping, Tuple, Union

from .errors import NavdError


# By number, as tiles and paths have them (docs/protocol/settings.md#walls-and-ceilings).
SHEETS = ("up", "down", "x+", "x-", "z+", "z-")


@dataclass(frozen=True, repr=False)
class Settings:
    """An agent and how its mesh is built. What is not given has the daemon's default. Lengths are metres; "cells" in a name are
    columns of the grid, "voxels" steps of height. The daemon checks the ranges and names what is wrong."""

    cell_size_m: float = 0.3  # side of a column
    cell_height_m: float = 0.2  # height of a voxel
    tile_cells: int = 48  # columns along a tile's side
    agent_height_m: float = 2.0
    agent_radius_m: float = 0.6
    agent_climb_m: float = 0.9
    agent_slope_deg: float = 45.0
    walkable_areas: Tuple[int, ...] = tuple(range(1, 64))
    partition: str = "convex"  # or "watershed", "monotone"
    region_min_cells: float = 8.0
    region_merge_cells: float = 20.0  # not with "convex"
    edge_max_length_m: float = 12.0  # 0: no limit; not with "convex"
    edge_max_error_cells: float = 1.3
    outlines: str = "voxel"  # or "true"
    polygon_max_vertices: int = 6  # 3 to 6
    triangulation: str = "ears"  # or "min-area", "delaunay"
    relaxation_m: float = 0.0  # "convex" only
    detail_sample_cells: float = 6.0  # below 0.9: none
    detail_max_error_voxels: float = 1.0
    generator: str = "voxel"  # or "surface"
    surface_error_m: float = 0.05  # "surface" only; 0: heights as they are
    corners: str = "round"  # or "mitre", "bevel"; "surface" only
    mitre_limit: float = 2.0  # radii: how far a mitre reaches from its corner at the most
    arc_error_m: float = 0.0  # how far a round corner may lie outside of its arc; 0: 2 % of the radius
    sheets: Union[str, Tuple[str, ...]] = ("up",)  # where the agent stands: "all", or of "up", "down", "x+", "x-", "z+", "z-"
    grip_areas: Tuple[int, ...] = tuple(range(1, 64))  # that hold it at any slope
    seam_smooth_deg: float = 60.0  # the largest turns of edges that it crosses: where the surface goes on,
    seam_inner_deg: float = 120.0  # from floor to wall,
    seam_outer_deg: float = 180.0  # over a rim
    area_flags: Tuple[int, ...] = (1,) * 64  # Detour's polygon flags by area

    def __repr__(self) -> str:
        return f"Settings({', '.join(f'{key}={value!r}' for key, value in self.to_map().items())})"

    @property
    def tile_size_m(self) -> float:
        """Side of a tile, computed as navd does: the cell size is a float32."""
        single: float = struct.unpack("<f", struct.pack("<f", self.cell_size_m))[0]
        return self.tile_cells * single

    def to_map(self) -> Dict[str, Any]:
        """As the protocol has it: what differs from the defaults."""
        found: Dict[str, Any] = {}
        for entry in fields(self):
            value = getattr(self, entry.name)
            if value != entry.default:
                found[entry.name] = list(value) if isinstance(value, tuple) else value
        return found

    @classmethod
    def from_map(cls, settings: Mapping[str, Any]) -> "Settings":
        """The settings in an answer. Keys that this package does not know are left out."""
        known: Dict[str, Any] = {}
        for entry in fields(cls):
            value = settings.get(entry.name)
            if value is None:
                continue
            if isinstance(value, list):
                value = tuple(value)
            elif isinstance(value, float):
                value = _shortest(value)
            known[entry.name] = value
        return cls(**known)


def profile_maps(profiles: Any) -> Any:
    """{name: Settings} as world.open takes it."""
    maps = []
    for name, settings in dict(profiles).items():
        if not isinstance(settings, Settings):
            raise NavdError("argument", f"profiles[{name!r}]: {settings!r}, expected navd.Settings")
        maps.append({"name": name, "settings": settings.to_map()})
    return maps


def _shortest(value: float) -> float:
    """The shortest decimal that is the same float32: 0.3, not 0.30000001192092896."""
    try:
        wanted = struct.pack("<f", value)
    except OverflowError:
        return value
    for digits in range(6, 10):
        short = float(f"{value:.{digits}g}")
        if struct.pack("<f", short) == wanted:
            return short
    return value

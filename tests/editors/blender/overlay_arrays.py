"""What the overlay's batches are made of, without Blender and without drawing: geometry, chunks, colours, the model."""
import os
import random
import struct
import subprocess
import sys
import tempfile
import types

SOURCE = os.environ["NAVD_SOURCE"]
sys.path[:0] = [os.path.join(SOURCE, "clients/python"), os.path.join(SOURCE, "clients/blender")]
try:
    import numpy
    from navd import tiles as navd_tiles
except ImportError as missing:
    print(f"{missing}: scripts/setup editors installs it", file=sys.stderr)
    sys.exit(1 if os.environ.get("NAVD_EDITORS") == "required" else 77)
from navd_blender.overlay import chunks, colors, geometry, model, thinner  # noqa: E402


def built(*options):
    """The courtyard's tiles, from navctl's file of navd tiles (docs/formats.md#the-file-of-navd-tiles)."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "courtyard.navd")
        subprocess.run([os.environ["NAVCTL"], "build", os.path.join(SOURCE, "docs/demo/courtyard.obj"), "-o", path, *options],
                       check=True, stdout=subprocess.DEVNULL)
        data = open(path, "rb").read()
    count, areas = struct.unpack_from("<II", data, 16)
    records = [struct.unpack_from("<iiIIQ16sQ", data, 32 + 80 * areas + 48 * at) for at in range(count)]
    return [navd_tiles.read_tile(data[offset:offset + size]) for _, _, _, size, _, _, offset in records]


def size_m2(positions, triangles):
    a, b, c = (positions[triangles[:, corner]].astype("f8") for corner in range(3))
    return float(abs(numpy.cross(b - a, c - a)[:, 1]).sum() / 2)


def geometry_has_each_triangle_and_each_edge_once():
    for tile in TILES + AREAS:
        made = geometry.tile_geometry(tile)
        points = tile.positions()
        assert abs(size_m2(made.positions, made.triangles) - size_m2(points, tile.triangles)) < 1e-6
        assert (made.positions[made.triangles] == points[tile.triangles]).all()
        behind = tile.corner_behind
        seen_from_here = sum((behind == kind).sum() for kind in (navd_tiles.WALL, navd_tiles.NEXT_X, navd_tiles.NEXT_Z))
        assert len(made.lines) == 2 * (seen_from_here + (behind >= 0).sum() // 2)
        assert (made.line_kinds == geometry.WALL).sum() == 2 * (behind == navd_tiles.WALL).sum()
        assert (made.looks[made.triangles] == tile.area[tile.triangle_cells()][:, None]).all(), "a vertex has another cell's area"
    assert len({int(look) for tile in AREAS for look in geometry.tile_geometry(tile).looks}) == 2


def nonsense_is_refused():
    for name, value in (("triangles", len(TILES[0].positions())), ("corner_vertex", len(TILES[0].positions())), ("first_triangle", 60000),
                        ("first_corner", 60000)):
        tile = navd_tiles.read_tile(TILES[0].data)
        numbers = getattr(tile, name).copy()
        numbers.flat[0] = value
        setattr(tile, name, numbers)
        try:
            geometry.tile_geometry(tile)
        except (IndexError, ValueError):
            continue
        raise AssertionError(f"{name}: {value} was taken")


def heights_on(points, positions, triangles):
    """How high the triangles are at these points; NaN beside them."""
    found = numpy.full(len(points), numpy.nan)
    for a, b, c in positions[triangles].astype("f8"):
        area = (b[0] - a[0]) * (c[2] - a[2]) - (c[0] - a[0]) * (b[2] - a[2])
        if abs(area) < 1e-9:
            continue
        second = ((points[:, 0] - a[0]) * (c[2] - a[2]) - (c[0] - a[0]) * (points[:, 2] - a[2])) / area
        third = ((b[0] - a[0]) * (points[:, 2] - a[2]) - (points[:, 0] - a[0]) * (b[2] - a[2])) / area
        inside = (second > -1e-6) & (third > -1e-6) & (second + third < 1 + 1e-6)
        found[inside] = a[1] + second[inside] * (b[1] - a[1]) + third[inside] * (c[1] - a[1])
    return found


def coarse_triangles_cover_the_same_ground_within_their_error():
    order, palette = numpy.random.default_rng(3), colors.Palette()
    for tile in TILES + AREAS:
        shape = geometry.tile_geometry(tile)
        assert len(shape.coarse) == tile.counts["corners"] - 2 * tile.counts["cells"]
        assert abs(size_m2(shape.positions, shape.coarse) - size_m2(shape.positions, shape.triangles)) < 1e-3
        assert (shape.looks[shape.coarse] == shape.looks[shape.coarse][:, :1]).all(), "a coarse triangle of two looks"
        # On ground that is far from even.
        cells = numpy.repeat(numpy.arange(tile.counts["cells"]), numpy.diff(shape.first_coarse, append=len(shape.coarse)))
        bumps = shape.positions.copy()
        bumps[:, 1] += order.uniform(-3, 3, len(bumps)) + 0.7 * bumps[:, 0]
        made = chunks.Chunks()
        made.put((0, 0), shape._replace(positions=bumps))
        made.put((1, 0), shape._replace(positions=bumps + numpy.array([50, 0, 0], "f4")))
        (arrays,) = all_arrays(made, palette).values()
        most = 0.0
        for cell, first in enumerate(shape.first_triangle):
            last = shape.first_triangle[cell + 1] if cell + 1 < len(shape.first_triangle) else len(shape.triangles)
            points = bumps[numpy.unique(shape.triangles[first:last])].astype("f8")
            apart = abs(heights_on(points, bumps, shape.coarse[cells == cell]) - points[:, 1])
            most = max(most, numpy.nanmax(apart))
        assert most <= arrays.error + 1e-3, f"{most} m apart, the bound is {arrays.error}"
        assert arrays.error < 12, arrays.error


def rim_of(triangles):
    """The edges that one triangle has, with the cell's way around."""
    edges = [(int(a), int(b)) for triangle in triangles for a, b in zip(triangle, numpy.roll(triangle, -1))]
    return {(a, b) for a, b in edges if (b, a) not in edges}


def bumpy(side, seed):
    """A cell of side x side squares with a border that is level."""
    x, z = (axis.ravel() for axis in numpy.meshgrid(numpy.arange(side + 1.0), numpy.arange(side + 1.0)))
    y = numpy.random.default_rng(seed).uniform(0, 1, len(x)) * ((x % side > 0) & (z % side > 0))
    corner = (numpy.arange(side)[:, None] * (side + 1) + numpy.arange(side)).ravel()
    squares = numpy.stack((corner, corner + side + 1, corner + side + 2, corner, corner + side + 2, corner + 1), axis=1)
    return numpy.stack((x, y, z), axis=1).astype("f4"), squares.reshape(-1, 3).astype("i4")


def thinner_ground_has_the_same_rim_and_is_within_its_error():
    order = numpy.random.default_rng(5)
    for side, count in ((6, 1), (9, 12), (20, 1)):
        cells = [bumpy(side, seed) for seed in range(count)]
        points = numpy.concatenate([positions + numpy.array([0, 0, 30 * at], "f4") for at, (positions, _) in enumerate(cells)])
        triangles = numpy.concatenate([part + at * (side + 1) ** 2 for at, (_, part) in enumerate(cells)])
        first = numpy.arange(count, dtype="i4") * 2 * side * side
        *steps, found = thinner.thinner(thinner.Ground(points, triangles, first), 4.0)
        assert all(step is None for step in steps)
        assert len(found.triangles) <= thinner.WORTH * len(triangles), f"{len(found.triangles)} of {len(triangles)}"
        assert rim_of(found.triangles) == rim_of(triangles), "it gapes"
        assert abs(size_m2(points, found.triangles) - size_m2(points, triangles)) < 1e-3
        weights = order.dirichlet((1, 1, 1), (len(triangles), 10))
        places = numpy.concatenate(((points[triangles][:, None] * weights[..., None]).sum(axis=2).reshape(-1, 3), points))
        apart = abs(heights_on(places, points, found.triangles) - places[:, 1])
        assert not numpy.isnan(apart).any(), "a hole"
        assert apart.max() <= found.error + 1e-5, f"{apart.max()} m apart, the bound is {found.error}"
        assert found.error < 1.05, found.error
    # A cell of very many triangles would take too long.
    points, triangles = bumpy(40, 1)
    assert not list(thinner.thinner(thinner.Ground(points, triangles, numpy.zeros(1, "i4")), 4.0))
    # All that can go goes where the ground is level.
    points, triangles = bumpy(6, 1)
    points[:, 1] = 7
    *_, found = thinner.thinner(thinner.Ground(points, triangles, numpy.zeros(1, "i4")), 0.0)
    assert found.error == 0 and len(found.triangles) < 0.5 * len(triangles)
    assert not list(thinner.thinner(thinner.Ground(points[:0], triangles[:0], numpy.zeros(0, "i4")), 1.0))


def a_chunk_has_another_version_when_its_ground_changes():
    made, shape = chunks.Chunks(), geometry.tile_geometry(TILES[0])
    seen = set()
    for change in (lambda: made.put((0, 0), shape), lambda: made.put((1, 0), shape), lambda: made.put((0, 0), shape),
                   lambda: made.remove((1, 0)), lambda: made.put((9, 9), shape)):
        change()
        versions = {chunk.version for chunk in made.chunks.values()}
        assert not versions <= seen, "the same version"
        seen |= versions
    made.mark((0, 0))
    assert {chunk.version for chunk in made.chunks.values()} <= seen, "another version of the same ground"


def all_arrays(made, palette):
    """Of every chunk, by key."""
    found = {}
    while (key := made.take_dirty()) is not None:
        found[key] = made.arrays(key, palette)
    return {key: arrays for key, arrays in found.items() if arrays is not None}


def a_changed_tile_costs_one_chunk_of_bounded_size():
    made, palette, order = chunks.Chunks(), colors.Palette(), random.Random(7)
    shapes = [geometry.tile_geometry(tile) for tile in TILES]
    kept, chunks.CHUNK_VERTICES = chunks.CHUNK_VERTICES, 200
    try:
        for x in range(-20, 20):
            for z in range(-20, 20):
                made.put((x, z), order.choice(shapes))
        arrays = all_arrays(made, palette)
        assert sum(len(part.triangles) for part in arrays.values()) == sum(len(tile.triangles) for tile in made.tiles.values())
        for key, part in arrays.items():
            assert len(part.positions) == made.chunks[key].vertices and (len(part.positions) <= 200 or key[0] == 0), key
            assert part.triangles.max() < len(part.positions) == len(part.colors)
            expected = sum(size_m2(made.tiles[tile].positions, made.tiles[tile].triangles) for tile in made.chunks[key].tiles)
            assert abs(size_m2(part.positions, part.triangles) - expected) < 1e-3
        made.put((3, 4), shapes[0])
        made.put((-17, 9), shapes[1])
        assert len(made.dirty) <= 2
        assert (-17, 9) in made.chunks[made.take_dirty()].tiles, "the newest change is not the first to be made"
        for key in list(made.tiles):
            made.remove(key)
        assert not all_arrays(made, palette) and not made.chunks and not len(made)
    finally:
        chunks.CHUNK_VERTICES = kept


def colours_are_those_of_the_mode():
    palette = colors.Palette()
    shape = geometry.tile_geometry(TILES[0])
    counts = numpy.array([len(shape.positions)])

    def first():
        return tuple(palette.colors([(0, 0)], [shape], counts, shape.positions)[0].tolist())
    palette.set_areas([{"id": 63, "color": 0x102030}])
    palette.set_look(colors.AREA, 1.0)
    assert first() == (0x10, 0x20, 0x30, 255)
    palette.set_look(colors.STATUS, 0.5)
    palette.states[0, 0] = colors.TileState(made_us=9)
    assert first() == (*colors.BUILT, 128)
    palette.states[0, 0] = colors.TileState(made_us=0)
    assert first() == (*colors.CACHED, 128)
    palette.states[0, 0].failed = "memory"
    assert first() == (*colors.FAILED, 128)
    palette.set_look(colors.AGE, 1.0)
    palette.now = lambda: 30.0
    assert first()[:3] == colors.AGES[2][1]
    palette.set_look(colors.HEIGHT, 1.0)
    palette.low, palette.high = -1e3, float(shape.positions[:, 1].max())
    assert first()[:3] == colors.HEIGHTS[-1] or max(abs(a - b) for a, b in zip(first(), colors.HEIGHTS[-1])) < 12


class Events:
    """The events of a link, as the model takes them."""

    def __init__(self):
        self.model = model.Model()
        self.revision = 0

    def tile(self, key, status="ok", shape=None, reason=""):
        self.revision += 1
        data = types.SimpleNamespace(x=key[0], z=key[1], status=status, reason=reason, revision=self.revision, made_us=5)
        self.take("tile", data, shape)

    def take(self, name, data, tile=None):
        self.model.take(types.SimpleNamespace(name=name, data=data, tile=tile, subscription=None))


def the_model_has_what_the_world_has():
    events, shape = Events(), geometry.tile_geometry(TILES[0])
    made = events.model
    events.take("subscribed", {"grid": 3})
    for key in ((0, 0), (1, 0), (2, 0)):
        events.tile(key, shape=shape)
    events.tile((1, 0), "failed", reason="limit: too many spans")
    assert made.failed[1, 0].reason == "limit: too many spans" and (1, 0) in made.chunks.tiles, "the tile before does not stay"
    events.tile((1, 0), shape=shape)
    assert not made.failed
    events.tile((2, 0), "removed")
    assert set(made.chunks.tiles) == {(0, 0), (1, 0)}
    # Another connection that does not resume: what does not come again is gone, and not before that is certain.
    events.take("subscribed", {"grid": 3, "resumed": False})
    events.tile((1, 0), shape=shape)
    assert (0, 0) in made.chunks.tiles
    events.take("synced", types.SimpleNamespace(revision=9))
    assert set(made.chunks.tiles) == {(1, 0)} and made.synced == 9
    # Another grid: the old ground stays until there is some of the new one, and then none of it.
    side = made.side
    events.take("settings", types.SimpleNamespace(grid=4, origin_m=(1.0, 0.0, 0.0)))
    assert set(made.chunks.tiles) == {(1, 0)} and made.side == side > 0 and made.origin == shape.origin
    events.tile((5, 5), "failed", reason="limit: too many spans")
    assert not made.chunks.tiles and set(made.failed) == {(5, 5)} and made.side == 0 and made.origin == (1.0, 0.0, 0.0)
    events.tile((5, 5), shape=shape)
    events.tile((6, 5), shape=shape)
    events.take("subscribed", {"grid": 5, "resumed": False})
    assert set(made.chunks.tiles) == {(5, 5), (6, 5)}
    events.tile((5, 5), "removed")
    assert set(made.chunks.tiles) == {(6, 5)}
    events.tile((5, 5), shape=shape)
    assert set(made.chunks.tiles) == {(5, 5)}, "ground of two grids"
    # The new grid has no ground at all; a world that is only higher has the same grid.
    events.take("settings", types.SimpleNamespace(grid=6, origin_m=(2.0, 0.0, 0.0)))
    events.take("synced", types.SimpleNamespace(revision=10))
    assert not made.states and made.origin == (2.0, 0.0, 0.0)
    events.tile((5, 5), shape=shape)
    events.take("settings", types.SimpleNamespace(grid=6, origin_m=(2.0, 3.0, 0.0)))
    assert set(made.chunks.tiles) == {(5, 5)} and made.origin == (2.0, 3.0, 0.0)
    events.take("ended", None)
    assert not made.states


def tiles_grow_old():
    events, shape = Events(), geometry.tile_geometry(TILES[0])
    made = events.model
    now = [100.0]
    made.palette.now = lambda: now[0]
    made.set_look(colors.AGE, 1.0)
    events.tile((0, 0), shape=shape)
    made.chunks.dirty.clear()
    made.grow_old()
    assert not made.chunks.dirty
    for seconds in (3, 11, 61, 601):
        now[0] = 100.0 + seconds
        made.grow_old()
        assert len(made.chunks.dirty) == 1, f"after {seconds} s the colour is the same"
        made.chunks.dirty.clear()
        made.grow_old()
        assert not made.chunks.dirty


TILES = built()
AREAS = built("--area", "platform*=7")
for test in (geometry_has_each_triangle_and_each_edge_once, nonsense_is_refused,
             coarse_triangles_cover_the_same_ground_within_their_error, thinner_ground_has_the_same_rim_and_is_within_its_error,
             a_chunk_has_another_version_when_its_ground_changes, a_changed_tile_costs_one_chunk_of_bounded_size,
             colours_are_those_of_the_mode, the_model_has_what_the_world_has, tiles_grow_old):
    test()
    print("ok:", test.__name__)

"""The readers of tiles, on what navctl writes; with numpy and without."""

import json
import os
import pathlib
import random
import struct
import subprocess

import pytest

from navd import compression, detour, optional, tiles
from navd.errors import NavdError

NAVCTL = os.environ.get("NAVCTL", "navctl")
SOURCE = pathlib.Path(__file__).resolve().parents[3]


def navctl(*arguments):
    return subprocess.run([NAVCTL, *map(str, arguments)], check=True, capture_output=True).stdout


@pytest.fixture(params=["numpy", "plain"])
def numbers(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(optional, "numpy", None)
    elif optional.numpy is None:
        pytest.skip("numpy is not installed")
    return request.param


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The courtyard as a Detour file and as a file of navd tiles, with a link."""
    folder = tmp_path_factory.mktemp("tiles")
    scene = SOURCE / "docs/demo/courtyard.obj"
    for name in ("level.bin", "level.navd"):
        navctl("build", scene, "-o", folder / name)
    return folder


def navd_tiles(data):
    """The tiles of a file of navd tiles (docs/formats.md#the-file-of-navd-tiles)."""
    count, areas = struct.unpack_from("<II", data, 16)
    found = []
    for record in range(count):
        x, z, _profile, size, revision, key, offset = struct.unpack_from("<iiIIQ16sQ", data, 32 + 80 * areas + 48 * record)
        found.append((x, z, revision, key, data[offset : offset + size]))
    return found


def area_of(points, triangles):
    total = 0.0
    for triangle in triangles:
        (ax, _, az), (bx, _, bz), (cx, _, cz) = (map(float, points[int(index)]) for index in triangle[:3])
        total += abs((bx - ax) * (cz - az) - (cx - ax) * (bz - az)) / 2
    return total


def test_navd_tiles_hold_what_navctl_says(files, numbers):
    info = json.loads(navctl("info", files / "level.navd", "--json"))
    counts = dict.fromkeys(("cells", "corners", "triangles", "links"), 0)
    walls = 0
    found, area = navd_tiles((files / "level.navd").read_bytes()), 0.0
    for x, z, revision, key, data in found:
        tile = tiles.read_tile(data).check()
        assert (tile.x, tile.z, tile.revision, tile.key) == (x, z, revision, key)
        for name in counts:
            counts[name] += tile.counts[name]
        points = tile.positions()
        assert len(points) == tile.counts["vertices"] + tile.counts["details"]
        heights = [float(point[1]) for point in points]
        assert (min(heights), max(heights)) == (tile.min_y, tile.max_y)
        area += area_of(points, tile.triangles)
        cells = list(tile.triangle_cells())
        assert len(cells) == tile.counts["triangles"] and all(0 <= cell < tile.counts["cells"] for cell in cells)
        for number in range(tile.counts["cells"]):  # clockwise, as docs/formats.md has it
            ring = [points[vertex] for vertex in tile.cell(number)]
            turn = sum(float(a[0]) * float(b[2]) - float(b[0]) * float(a[2]) for a, b in zip(ring, ring[1:] + ring[:1]))
            assert turn < 0
        walls += list(tile.corner_behind).count(tiles.WALL)
        for behind in list(tile.corner_behind) + list(tile.portal_behind):
            assert tiles.PREVIOUS_Z <= behind < tile.counts["cells"]
    assert len(found) == info["tiles"]
    assert counts == {"cells": info["polygons"], "corners": info["corners"], "triangles": info["triangles"], "links": info["links"]}
    assert walls == info["walls"]
    assert area == pytest.approx(info["area_m2"], rel=1e-4)


def test_detour_tiles_hold_what_navctl_says(files, numbers):
    info = json.loads(navctl("info", files / "level.bin", "--json"))
    found = detour.read_tile_set((files / "level.bin").read_bytes())
    assert (len(found.tiles), sum(tile.polygon_count for tile in found.tiles)) == (info["tiles"], info["polygons"])
    area = 0.0
    for tile in found.tiles:
        points = list(tile.vertices) + list(tile.detail_vertices)
        triangles = tile.triangles()
        assert {triangle[3] for triangle in triangles} == set(range(tile.ground_polygons))
        area += area_of(points, triangles)
        for polygon in tile.polygons:
            assert len(polygon.vertices) == len(polygon.neighbours)
    assert area == pytest.approx(info["area_m2"], rel=1e-4)


SIDES = {tiles.WALL: "wall", tiles.WALL - 1: "x+", tiles.WALL - 2: "z+", tiles.WALL - 3: "x-", tiles.WALL - 4: "z-"}
DETOUR_SIDES = {0: "wall", 0x8000: "x+", 0x8002: "z+", 0x8004: "x-", 0x8006: "z-"}


def places_of(mesh, shape):
    return [pytest.approx(mesh["vertices_m"][vertex], rel=1e-7) for vertex in shape["vertices"]]


def test_cells_stand_where_navctl_shows_them(files, numbers):
    for x, z, _, _, data in navd_tiles((files / "level.navd").read_bytes()):
        tile = tiles.read_tile(data)
        mesh = json.loads(navctl("tile", files / "level.navd", x, z, "--json"))["mesh"]
        points = tile.positions()
        assert tile.counts["cells"] == len(mesh["cells"])
        for number, shape in enumerate(mesh["cells"]):
            assert [tuple(map(float, points[vertex])) for vertex in tile.cell(number)] == places_of(mesh, shape)
            assert list(tile.cell(number)) == shape["vertices"]
            assert tile.area[number] == shape["area"]
            first = tile.first_corner[number]
            behind = [int(tile.corner_behind[first + edge]) for edge in range(len(shape["sides"]))]
            assert [SIDES.get(b, "cell") for b in behind] == shape["sides"]
            assert [b if b >= 0 else None for b in behind] == shape["neighbours"]


def test_polygons_stand_where_navctl_shows_them(files, numbers):
    for tile in detour.read_tile_set((files / "level.bin").read_bytes()).tiles:
        mesh = json.loads(navctl("tile", files / "level.bin", tile.x, tile.z, "--json"))["mesh"]
        assert tile.polygon_count == len(mesh["polygons"])
        for polygon, shape in zip(tile.polygons, mesh["polygons"]):
            assert [tuple(map(float, tile.vertices[vertex])) for vertex in polygon.vertices] == places_of(mesh, shape)
            assert polygon.area == shape["area"]
            assert [DETOUR_SIDES.get(n, "polygon") for n in polygon.neighbours] == shape["sides"]
            assert [n - 1 if 0 < n < 0x8000 else None for n in polygon.neighbours] == shape["neighbours"]


def test_a_tile_set_is_written_as_navctl_writes_it(files):
    data = (files / "level.bin").read_bytes()
    found = detour.read_tile_set(data)
    shuffled = [tile.data for tile in found.tiles]
    random.Random(1).shuffle(shuffled)
    assert detour.write_tile_set(shuffled, found.origin, found.tile_size) == data
    with pytest.raises(NavdError, match="at least one tile"):
        detour.write_tile_set([], found.origin, found.tile_size)


def use(tile):
    """Everything that follows indices."""
    if isinstance(tile, tiles.Tile):
        tile.check()
        tile.positions(), tile.links, tile.triangle_cells()
        for number in range(tile.counts["cells"]):
            tile.cell(number)
    else:
        tile.polygons, tile.links, tile.vertices, tile.triangles()


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning", "ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("name", ["level.bin", "level.navd"])
def test_damaged_tiles_are_refused_or_read(files, numbers, name):
    data = (files / name).read_bytes()
    if name == "level.navd":
        read, all_tiles = tiles.read_tile, [entry[4] for entry in navd_tiles(data)]
    else:
        read, all_tiles = detour.read_detour_tile, [bytes(tile.data) for tile in detour.read_tile_set(data).tiles]
    good = max(all_tiles, key=len)
    refused = 0
    for size in list(range(0, 200)) + list(range(200, len(good), 97)):
        with pytest.raises(NavdError) as caught:
            read(good[:size])
        assert caught.value.code in ("truncated", "format")
    with pytest.raises(NavdError):
        read(good + bytes(4))
    for seed in range(400):
        rng = random.Random(seed)
        damaged = bytearray(good)
        for _ in range(rng.randrange(1, 5)):
            at = rng.randrange(200) if seed % 2 else rng.randrange(len(damaged))
            damaged[at] = rng.randrange(256)
        try:
            use(read(bytes(damaged)))
        except NavdError as error:
            assert error.code in ("truncated", "format", "version")
            refused += 1
    assert refused > 50


def test_views_are_no_copies(files):
    if optional.numpy is None:
        pytest.skip("numpy is not installed")
    data = navd_tiles((files / "level.navd").read_bytes())[0][4]
    tile = tiles.read_tile(data)
    whole = optional.numpy.frombuffer(data, "u1")
    assert optional.numpy.shares_memory(whole, tile.vertex_x) and optional.numpy.shares_memory(whole, tile.triangles)
    found = detour.read_tile_set((files / "level.bin").read_bytes()).tiles[0]
    assert optional.numpy.shares_memory(found.vertices, optional.numpy.frombuffer(found.data, "u1"))


def test_compressed_tiles():
    zstandard = pytest.importorskip("zstandard")
    data = bytes(range(256)) * 40
    frame = zstandard.ZstdCompressor().compress(data)
    assert compression.unpack(frame, len(data)) == data
    assert compression.unpack(data, len(data)) == data
    for wrong, size in ((frame, len(data) + 1), (frame, 1), (frame, -1), (frame, 1 << 60), (frame[:-3], len(data)), (data, 3)):
        with pytest.raises(NavdError) as caught:
            compression.unpack(wrong, size)
        assert caught.value.code == "format"


def test_without_zstandard(monkeypatch):
    zstandard = pytest.importorskip("zstandard")
    frame = zstandard.ZstdCompressor().compress(b"tile")
    assert compression.choice() == "zstd"
    monkeypatch.setattr(optional, "zstandard", None)
    assert compression.choice() == "none"
    with pytest.raises(NavdError, match="python3-zstandard"):
        compression.unpack(frame, 4)

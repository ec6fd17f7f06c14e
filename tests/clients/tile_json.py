"""The JSON of one tile, read by Python and held against what a tile is: sides, neighbours, portals, heights.

Arguments: navctl, a scene, a folder to write to.
"""
import json
import os
import subprocess
import sys

navctl, scene, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
SIDE_AXIS = {"x+": (0, 1), "z+": (2, 1), "x-": (0, -1), "z-": (2, -1)}


def no_doubles(pairs):
    assert len({k for k, _ in pairs}) == len(pairs), pairs
    return dict(pairs)


def no_constant(name):
    raise AssertionError(f"{name} is no JSON")


def run(*arguments):
    return subprocess.run([navctl, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def tile(source, x, z, *options):
    text = run("tile", source, x, z, "--json", *options)
    assert text.endswith("}\n") and text.count("\n") == 1, text[-80:]
    return text, json.loads(text, object_pairs_hook=no_doubles, parse_constant=no_constant)


def doubled_area(points):
    return sum(b[0] * a[2] - a[0] * b[2] for a, b in zip(points, points[1:] + points[:1]))


def check(t, side_m):
    mesh = t["mesh"]
    detour = t["encoding"] == "detour"
    shapes, inside = (mesh["polygons"], "polygon") if detour else (mesh["cells"], "cell")
    vertices = mesh["vertices_m"]
    places = vertices + mesh["detail_vertices_m"]
    assert t["polygons"] == len(shapes) > 0 and t["links"] == len(mesh["links"])
    assert t["corners"] == sum(len(s["vertices"]) for s in shapes)
    assert t["triangles"] == sum(len(s["triangles"]) for s in shapes)
    walls = portals = 0
    for number, s in enumerate(shapes):
        count = len(s["vertices"])
        assert s["id"] == number and len(s["sides"]) == len(s["neighbours"]) == count >= 3, s
        assert len(set(s["vertices"])) == count and max(s["vertices"]) < len(vertices), s
        corners = [vertices[v] for v in s["vertices"]]
        assert doubled_area(corners) > 0, s
        # Heights: the triangles cover what the corners do.
        covered = sum(abs(doubled_area([places[v] for v in tri])) for tri in s["triangles"])
        assert abs(covered - doubled_area(corners)) < 1e-3, s
        for k, (side, neighbour) in enumerate(zip(s["sides"], s["neighbours"])):
            a, b = s["vertices"][k], s["vertices"][(k + 1) % count]
            walls += side == "wall"
            if side == inside:
                other = shapes[neighbour]
                edges = list(zip(other["vertices"], other["vertices"][1:] + other["vertices"][:1]))
                assert other["neighbours"][edges.index((b, a))] == number, (s, other)
                continue
            assert neighbour is None, s
            if side == "wall":
                continue
            portals += 1
            axis, direction = SIDE_AXIS[side]
            place = (t["x"], 0, t["z"])[axis] + (direction > 0)
            assert all(abs(vertices[v][axis] - place * side_m) < 1e-4 for v in (a, b)), (s, side)
    assert (walls, portals) == (t["walls"], t["portals"])
    ground = sum(doubled_area([vertices[v] for v in s["vertices"]]) for s in shapes) / 2
    assert abs(ground - t["area_m2"]) < 1e-2, ground
    if detour:
        return
    grid = mesh["grid"]
    unit_m = grid["column_m"] / grid["units_per_column"]
    for at_m, at in zip(vertices, mesh["vertices_units"], strict=True):
        corner = (t["x"] * side_m + grid["origin_m"][0], t["z"] * side_m + grid["origin_m"][2])
        assert abs(corner[0] + at[0] * unit_m - at_m[0]) < 1e-3 and abs(corner[1] + at[2] * unit_m - at_m[2]) < 1e-3
        assert abs(grid["origin_m"][1] + at[1] * grid["voxel_height_m"] - at_m[1]) < 1e-3
    assert abs(grid["columns"] * grid["column_m"] - side_m) < 1e-4
    for number, p in enumerate(mesh["portals"]):
        assert p["id"] == number and p["clearance_m"] > 0, p
        a, b = (vertices[v] for v in p["vertices"])
        assert abs(((a[0] - b[0]) ** 2 + (a[2] - b[2]) ** 2) ** 0.5 - p["width_m"]) < 1e-3, p
        cell = shapes[p["cell"]]
        k = cell["vertices"].index(p["vertices"][0])
        assert cell["sides"][k] == p["side"] and cell["neighbours"][k] == p["neighbour"], p
    assert t["cell_portals"] == sum(p["side"] == "cell" for p in mesh["portals"])


checked = 0
variants = ([], ["--outlines", "true"], ["--partition", "watershed"], ["--relaxation", "0.3"], ["--cell-size", "0.25"])
for variant in variants:
    side_m = 48 * (0.25 if "--cell-size" in variant else 0.3)
    for name in ("tiles.navd", "tiles.bin"):
        path = os.path.join(folder, name)
        run("build", scene, "-o", path, *variant)
        info = json.loads(run("info", path, "--json"))
        for z in range(info["first_tile"][1], info["last_tile"][1] + 1):
            for x in range(info["first_tile"][0], info["last_tile"][0] + 1):
                if subprocess.run([navctl, "tile", path, str(x), str(z)], capture_output=True).returncode:
                    continue
                text, t = tile(path, x, z)
                assert (t["x"], t["z"]) == (x, z)
                check(t, side_m)
                checked += 1
        # The scene's own tile is the same, and so is a tile in a file of its own.
        encoding = "detour" if name.endswith(".bin") else "navd"
        first, single = tile(path, 1, 1)[0], os.path.join(folder, "single")
        assert tile(scene, 1, 1, "--encoding", encoding, *variant, "-o", single)[0] == first, variant
        assert tile(single, 1, 1)[0] == first, variant
assert checked > 50, checked

_, t = tile(scene, 1, 1, "--area-type", "63,name=grass,cost=2")
assert all(c["area_name"] == "grass" for c in t["mesh"]["cells"]) and t["area_table"][0]["name"] == "grass", t
print(f"{checked} tiles")

"""Anything with `.vertices` and `.faces` is a mesh: a trimesh, or an object of your own. Known meshes are not sent again."""

import math

import navd


class Tower:
    """A prism with `sides` sides."""

    def __init__(self, sides: int, radius: float, height: float) -> None:
        ring = [(radius * math.cos(a), radius * math.sin(a)) for a in (2 * math.pi * i / sides for i in range(sides))]
        self.vertices = [(x, y, z) for y in (0.0, height) for x, z in ring]
        walls = [(i, sides + i, sides + (i + 1) % sides, (i + 1) % sides) for i in range(sides)]
        self.faces = [*walls, tuple(range(2 * sides - 1, sides - 1, -1))]  # and the roof


class Ground:
    vertices = [(-15, 0, -15), (-15, 0, 15), (15, 0, 15), (15, 0, -15)]
    faces = [(0, 1, 2, 3)]
    areas = [5]  # optional: the kind of ground of each face


with navd.connect() as client:
    world = client.open_world("towers", create=True, profiles={"human": navd.Settings()})
    world.set_areas([{"id": 5, "name": "grass", "cost": 1.5}])
    tower = Tower(sides=7, radius=1.5, height=4.0)
    edit = navd.Edit().put("ground", Ground)
    for number in range(9):  # nine instances of one mesh
        edit.put(f"tower {number}", tower, at=(8 * (number % 3) - 8, 0, 8 * (number // 3) - 8), scale=1 + number / 9)
    revision = world.apply(edit).revision
    world.wait(revision)
    for entry in sorted(world.objects(), key=lambda entry: entry.name):
        assert entry.transform and entry.mesh
        print(entry.name, "at", entry.transform[3::4], "mesh", entry.mesh.hex()[:8])
    with world.subscribe() as subscription:
        tiles = [event.tile() for event in subscription.wait_synced(revision)]
    print(len(tiles), "tiles of areas", sorted({int(area) for tile in tiles for area in tile.area}))

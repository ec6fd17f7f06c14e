"""The way between two places, before and after something blocks it."""

import navd

FLOOR = navd.pack([(-15, 0, -15), (-15, 0, 15), (15, 0, 15), (15, 0, -15)], [(0, 1, 2, 3)])
corners = [(x, y, z) for x in (-1, 1) for y in (0, 3) for z in (-10, 10)]
WALL = navd.pack(corners, [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])

with navd.connect() as client:
    world = client.open_world("paths", create=True, profiles={"human": navd.Settings()})
    world.wait(world.put("floor", FLOOR).revision)
    for name in ("free", "blocked"):
        path = world.path((-10, 0, 0), (10, 0, 0))
        print(f"{name}: {path.status}, {path.length_m:.1f} m, {len(path.points)} points")
        world.wait(world.put("wall", WALL).revision)

"""How long a client takes for 10,000 tiles, from the first call of the subscription until all are here, unpacked and parsed with
their triangles in metres: bench.py [TILES]. The daemon has built them before. Needs NAVD, or navd in the path."""

import asyncio
import math
import os
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[3] / "clients" / "python"), str(HERE.parents[1])]

import navd  # noqa: E402
import navd.aio  # noqa: E402
from daemon import Navd  # noqa: E402
from scenes import box, floor  # noqa: E402

TILES = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
SIDE = math.ceil(math.sqrt(TILES))
SETTINGS = navd.Settings(tile_cells=32)


def fill(address):
    """SIDE x SIDE tiles of ground, with a box in each."""
    with navd.connect(address, timeout=None) as client:
        world = client.open_world("bench", create=True, profiles={"human": SETTINGS})
        size = SETTINGS.tile_size_m
        ground, crate = client.put_meshes([navd.pack(*floor(SIDE * size - 2)), navd.pack(*box(3, 1.5, 2))])
        first = -SIDE // 2
        edit = navd.Edit().put("ground", ground)
        for x in range(SIDE):
            for z in range(SIDE):
                edit.put(1 + x * SIDE + z, crate, at=((first + x + 0.3) * size, 0, (first + z + 0.2 + 0.4 * (x % 2)) * size))
        for begin in range(0, len(edit), 5000):
            part = navd.Edit()
            part.ops, part.meshes = edit.ops[begin : begin + 5000], edit.meshes[begin : begin + 5000]
            world.apply(part)
        world.wait(timeout=None)


def parse(found):
    triangles = 0
    for event in found:
        tile = event.tile()
        points = tile.positions()
        triangles += len(tile.triangles)
        assert len(points)
    return triangles


def blocking(address):
    with navd.connect(address, timeout=None) as client:
        world = client.open_world("bench")
        begin, cpu = time.perf_counter(), time.process_time()
        with world.subscribe() as subscription:
            found = subscription.wait_synced()
            received = time.perf_counter()
            triangles = parse(found)
        return received - begin, time.perf_counter() - received, time.process_time() - cpu, len(found), triangles


async def awaited(address):
    async with await navd.aio.connect(address, timeout=None) as client:
        world = await client.open_world("bench")
        begin, cpu = time.perf_counter(), time.process_time()
        async with await world.subscribe() as subscription:
            found = await subscription.wait_synced()
            received = time.perf_counter()
            triangles = parse(found)
        return received - begin, time.perf_counter() - received, time.process_time() - cpu, len(found), triangles


def main():
    with tempfile.TemporaryDirectory() as folder:
        daemon = Navd(folder)
        try:
            fill(daemon.path)
            for name, run in (("blocking", blocking), ("asyncio", lambda address: asyncio.run(awaited(address)))):
                best = min((run(daemon.path) for _ in range(3)), key=lambda times: times[0] + times[1])
                received, parsed, cpu, tiles, triangles = best
                print(f"python {name}: {tiles} tiles received in {received:.3f} s and parsed in {parsed:.3f} s, together "
                      f"{received + parsed:.3f} s, {cpu:.3f} s of them on the processor ({triangles} triangles; bar: 10,000 tiles in 1 s)")
        finally:
            daemon.stop()


main()

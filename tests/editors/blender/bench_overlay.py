"""Figures of the overlay beside their bars: 200 objects, 5,000 tiles, 100,000 triangles. Timings decide nothing here.

    tests/editors/with_daemon.sh -- tests/editors/blender/run_blender.sh --window tests/editors/blender/bench_overlay.py [TILES]
"""
import os
import random
import sys
import time

import bpy
import numpy

sys.path.insert(0, os.path.dirname(__file__))
import harness  # noqa: E402
from live import Live  # noqa: E402

TILES = int(harness.arguments[0]) if harness.arguments else 5000
TILE_M = 14.4
MOVES = 120
harness.install()


def figure(name, seconds, bars):
    ms = numpy.sort(numpy.array(seconds)) * 1000
    at = {"p50": 50, "p95": 95, "p99": 99, "max": 100}
    values = ", ".join(f"{label} {numpy.percentile(ms, at[label]):.2f}" for label in ("p50", "p95", "p99", "max"))
    print(f"{name}: {values} ms of {len(ms)} (bars: {bars})", flush=True)


class Calls:
    """The add-on's timer, as Blender calls it; each call as the clock sees it, and the main thread's own time, which other programs
    do not change. after: called after each."""

    def __init__(self, handlers, after):
        self.times = []
        tick = handlers.tick

        def timed():
            wall, own = time.perf_counter(), time.thread_time()
            again = tick()
            self.times.append((time.perf_counter() - wall, time.thread_time() - own))
            after()
            return again

        bpy.app.timers.unregister(tick)
        handlers.tick = timed
        bpy.app.timers.register(timed, persistent=True)

    def print(self, when):
        """Calls that had nothing to do are left out, as they would hide the others."""
        busy = [pair for pair in self.times if pair[0] > 5e-5]
        figure(f"main thread, a call, {when}", [wall for wall, _ in busy], "p99 4, max 16")
        figure("    of that its own time", [own for _, own in busy], "p99 4, max 16")
        self.times.clear()


def ground(side, cells):
    """Hills that keep an agent's ground connected, with enough bumps for many triangles, in 64 objects."""
    steps = numpy.linspace(-side / 2, side / 2, cells + 1)
    for part_x in numpy.array_split(numpy.arange(cells), 8):
        for part_y in numpy.array_split(numpy.arange(cells), 8):
            x, y = numpy.meshgrid(steps[part_x[0]:part_x[-1] + 2], steps[part_y[0]:part_y[-1] + 2])
            points = numpy.stack([x, y, numpy.sin(x / 2.9) * numpy.cos(y / 3.3)], axis=2).reshape(-1, 3)
            row = len(part_x) + 1
            first = (numpy.arange(len(part_y))[:, None] * row + numpy.arange(len(part_x))).ravel()
            mesh = bpy.data.meshes.new("Ground")
            mesh.from_pydata(points.tolist(), [], numpy.stack([first, first + 1, first + row + 1, first + row], axis=1).tolist())
            bpy.context.collection.objects.link(bpy.data.objects.new("Ground", mesh))


def script():
    from navd_blender import handlers
    from navd_blender.overlay import draw, manager
    model = manager.model
    for ob in list(bpy.data.objects):
        bpy.data.objects.remove(ob)
    across = round(TILES ** 0.5)
    side = across * TILE_M
    ground(side, across * 4)
    order = random.Random(1)
    box = bpy.data.meshes.new("Box")
    box.from_pydata([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], [],
                    [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
    boxes = []
    for number in range(136):
        ob = bpy.data.objects.new(f"Box {number}", box)
        ob.location = (order.uniform(-side / 2, side / 2), order.uniform(-side / 2, side / 2), 0.5)
        ob.scale = (1.5, 1.5, 1.5)
        bpy.context.collection.objects.link(ob)
        boxes.append(ob)
    bpy.context.view_layer.update()
    # No 3D view until the drawing is measured: how long Blender draws its window is not the add-on's.
    window, area, region = harness.view()
    for other in window.screen.areas:
        other.type = "TEXT_EDITOR"
    yield lambda: True
    moved = {"at": None, "version": 0}
    latencies = []

    def made():
        return live.follow.settled and model.synced >= live.follow.publisher.revision and not model.chunks.dirty

    def after():
        if moved["at"] and model.version > moved["version"] and made():
            latencies.append(time.perf_counter() - moved["at"])
            moved["at"] = None

    calls = Calls(handlers, after)
    started = time.monotonic()
    live = Live("bench")
    yield lambda: made() and len(model.states) > 0.99 * TILES
    print(f"{len(model.states)} tiles, {manager._batches.triangles} triangles in {len(manager._batches.drawn)} batches after "
          f"{time.monotonic() - started:.1f} s", flush=True)
    calls.print("while all tiles come")

    # Change to batch ready. Places are written so that Blender draws nothing; the change comes at any time before the timer.
    places = numpy.empty(3 * len(bpy.data.objects), "f4")
    for number in range(MOVES):
        ob = boxes[number % len(boxes)]
        bpy.data.objects.foreach_get("location", places)
        places[3 * list(bpy.data.objects).index(ob)] += 3
        bpy.data.objects.foreach_set("location", places)
        ob.update_tag(refresh={"OBJECT"})
        moved["version"] = model.version
        moved["at"] = time.perf_counter()
        time.sleep(order.uniform(0, 0.005))
        bpy.context.view_layer.update()
        yield lambda: moved["at"] is None
    figure("a move to its batch ready", latencies, "p50 15, p95 30")
    calls.print("while objects move")

    # The coarser levels for the middle distance are made when nothing else is to do: until then all triangles are drawn.
    started = time.monotonic()
    yield manager.settled
    print(f"coarser levels made after another {time.monotonic() - started:.1f} s", flush=True)

    # Drawing: everything in view, then nearer and nearer.
    area.type = "VIEW_3D"
    yield lambda: True
    area.spaces.active.region_3d.view_location = (0, 0, 0)
    area.spaces.active.clip_end = 10 * side
    area.spaces.active.show_object_viewport_mesh = False  # the scene's own drawing would be waited for and counted
    for share in (1.1, 0.6, 0.3, 0.15):
        area.spaces.active.region_3d.view_distance = side * share
        for name, edges in (("ground", False), ("ground and edges", True)):
            bpy.context.scene.navd_overlay.edges = edges
            draw.timings = []
            for _ in range(12):
                harness.redraw()
            # Wall time and the main thread's own: where there is no graphics card, Blender's rasteriser takes the same processors.
            timings = draw.timings[2:]
            figure(f"a draw from {side * share:.0f} m, {name}, {timings[0][2]} triangles of {manager._batches.triangles}",
                   [timing[0] for timing in timings], "6 for 100,000")
            figure("    of that the main thread's own", [timing[1] for timing in timings], "6 for 100,000")
    harness.screenshot(os.path.join(os.environ.get("NAVD_PICTURES", os.environ["TMPDIR"]), "bench.png"))


harness.play(script, timeout_s=240)

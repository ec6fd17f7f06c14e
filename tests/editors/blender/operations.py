"""Random operations of every kind on a scene that is followed, with a connection that breaks and a daemon that dies. Again and
again the world must equal a fresh push of the same scene.

    operations.py [--seeds N] [--first SEED] [--each N] [--check N]
--each: operations of each kind for each seed; --check: operations between two comparisons. Without options 500 of each kind.
"""
import argparse
import faulthandler
import os
import random
import sys
import tempfile
import time

import bpy

sys.path[:0] = [os.path.dirname(__file__), os.path.join(os.path.dirname(__file__), "..")]
import harness  # noqa: E402
import random_scene  # noqa: E402
from daemon import Navd  # noqa: E402
from live import Live, Tiles, compare  # noqa: E402
from proxy import Proxy  # noqa: E402

BREAKS = ("break", "break_later", "restart", "kill")


class Run:
    def __init__(self, seed, arguments):
        self.random = random.Random(seed)
        self.arguments = arguments
        self.daemon = Navd(tempfile.mkdtemp(prefix="navd-"), "--threads", "2", state=seed % 2 == 1)
        self.proxy = Proxy(self.daemon.path)
        random_scene.start()
        settings = bpy.context.scene.navd
        agent = settings.agents.add()
        agent.name, agent.cell_size, agent.tile_cells = "human", 0.5, 32
        self.tiles = None
        self.live = Live("live", self.proxy.path)
        self.live.session.begun.append(self.begun)
        self.begun(self.live.session.connection)
        self.folder = tempfile.mkdtemp(prefix="navd-files-")
        self.operations = random_scene.Operations(self.random, self.folder)
        bpy.ops.ed.undo_push(message="start")
        self.checks = 0

    def begun(self, connection):
        self.tiles = Tiles(connection.link, "human")

    def one(self, kind):
        if kind == "break":
            self.proxy.cut()
        elif kind == "break_later":  # with edits under way
            self.operations.run("move")
            bpy.context.view_layer.update()
            self.live.handlers.step()
            self.proxy.cut()
        elif kind in ("restart", "kill"):
            self.daemon.restart(kind == "kill")
        else:
            self.operations.run(kind)
        bpy.context.view_layer.update()
        if self.random.random() < 0.7:  # otherwise it comes together with the next one
            self.live.settle()
        if bpy.context.mode == "EDIT_MESH" and self.random.random() < 0.3:
            self.check()  # the mesh that is being edited, as it is

    def check(self):
        self.live.call("ping")  # answered by the daemon that is there now: what was broken before is known to be broken
        self.live.settle()
        found = compare(self.live, lambda: self.tiles, self.daemon.path)
        self.checks += 1
        return found

    def run(self):
        kinds = [kind for kind in random_scene.KINDS + BREAKS for _ in range(self.arguments.each)]
        self.random.shuffle(kinds)
        for at, kind in enumerate(kinds, 1):
            try:
                self.one(kind)
                if at % self.arguments.check == 0 or at == len(kinds):
                    self.check()
            except BaseException:
                print(f"operation {at} of {len(kinds)}; the last ones: {self.operations.log[-self.arguments.check:]}")
                raise
        return len(kinds)

    def close(self):
        from navd_blender import connection
        connection.disconnect()
        self.live.session.begun.clear()
        self.daemon.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--each", type=int, default=25)
    parser.add_argument("--check", type=int, default=25)
    arguments = parser.parse_args(harness.arguments)
    faulthandler.enable()  # a crash of Blender shows where it was asked for
    harness.install()
    for seed in range(arguments.first, arguments.first + arguments.seeds):
        start = time.monotonic()
        run = Run(seed, arguments)
        try:
            count = run.run()
        except BaseException:
            print(f"seed {seed} failed")
            raise
        run.close()
        print(f"ok: seed {seed}: {count} operations, {run.checks} comparisons, {time.monotonic() - start:.1f} s", flush=True)


main()

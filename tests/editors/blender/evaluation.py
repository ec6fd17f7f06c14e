"""The scene is evaluated while another thread of Python is busy, as the link's may be: Blender must live."""
import os
import sys
import threading
import time

import bpy

sys.path.insert(0, os.path.dirname(__file__))
import harness  # noqa: E402

harness.install()
from navd_blender.world.follow import evaluated_depsgraph  # noqa: E402

ROUNDS = 20000


def busy():
    while not ended.is_set():
        kept = []
        for number in range(300):
            kept.append({"scene": [number], "view_layer": (number, [])})
            if number % 20 == 0:
                time.sleep(0)  # lets go of the interpreter, and takes it again at any time


ended = threading.Event()
thread = threading.Thread(target=busy)
thread.start()
cube = bpy.data.objects["Cube"]
for step in range(ROUNDS):
    cube.location.x = step % 7
    assert evaluated_depsgraph().objects["Cube"].matrix_world.translation.x == step % 7
ended.set()
thread.join()
print(f"ok: {ROUNDS} evaluations beside a busy thread")

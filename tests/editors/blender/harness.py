"""What the scripts in Blender share: the add-on installed from its zip, and an end with the right exit code."""
import os
import sys
import traceback

import addon_utils
import bpy

ADDON = "navd_blender"
arguments = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []


bpy.context.preferences.view.show_splash = False


def install():
    """The zip as a person installs it; returns the add-on's package."""
    bpy.ops.preferences.addon_install(filepath=os.environ["NAVD_ADDON"], overwrite=True)
    return enable()


def enable():
    bpy.ops.preferences.addon_enable(module=ADDON)
    assert addon_utils.check(ADDON) == (True, True), "the add-on is not enabled"
    return sys.modules[ADDON]


def disable():
    bpy.ops.preferences.addon_disable(module=ADDON)
    assert addon_utils.check(ADDON)[1] is False, "the add-on is still loaded"


def finish(code=0):
    """Ends a Blender with a window at once, with an exit code."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def finish_failed():
    traceback.print_exc()
    finish(1)


def play(script, timeout_s=300):
    """In a window: runs the generator function `script` from a timer. What it yields are conditions: it goes on when one is
    true. Blender ends with it, and fails when it raises or a condition is not met in time."""
    import time
    run = script()
    waits = {"for": lambda: True, "until": time.monotonic() + timeout_s}

    def step():
        try:
            if not waits["for"]():
                assert time.monotonic() < waits["until"], f"waited {timeout_s} s at line {run.gi_frame.f_lineno} of {script.__name__}"
                return 0.01
            waits["for"] = next(run)
            waits["until"] = time.monotonic() + timeout_s
            return 0.0
        except StopIteration:
            finish(0)
        except BaseException:
            finish_failed()

    bpy.app.timers.register(step, first_interval=0.2, persistent=True)


def view():
    """(window, area, region) of the first 3D view."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    return window, area, next(region for region in area.regions if region.type == "WINDOW")


def redraw():
    """Draws the window now, and waits for it."""
    window, area, region = view()
    with bpy.context.temp_override(window=window, area=area, region=region):
        bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)


def screenshot(path):
    redraw()
    window, area, region = view()
    with bpy.context.temp_override(window=window, area=area, region=region):
        bpy.ops.screen.screenshot(filepath=path)


def pixels(path):
    """A picture as rows of (r, g, b), 0 to 1, the lowest row first."""
    import numpy
    image = bpy.data.images.load(path)
    values = numpy.empty(len(image.pixels), "f4")
    image.pixels.foreach_get(values)
    width, height = image.size
    bpy.data.images.remove(image)
    return values.reshape(height, width, 4)[:, :, :3]

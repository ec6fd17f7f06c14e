"""What the scripts in Blender share: the add-on installed from its zip, and an end with the right exit code."""
import os
import sys
import traceback

import addon_utils
import bpy

ADDON = "navd_blender"
arguments = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []


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

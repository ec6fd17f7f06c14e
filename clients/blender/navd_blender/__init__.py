# SPDX-License-Identifier: MIT
"""navd in Blender: the scene goes to a navd as it is edited, and its navigation mesh comes back as an overlay."""
import importlib
import sys

bl_info = {
    "name": "navd",
    "description": "Live navigation meshes, built as you edit",
    "author": "The navd authors",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > navd",
    "category": "3D View",
}

# The parts with register() and unregister(), in the order in which they are registered.
PARTS = ("properties", "local", "operators", "panels", "handlers", "overlay", "tools", "panels_overlay")


def register():
    importlib.import_module(".packages", __package__).load()
    for name in PARTS:
        importlib.import_module("." + name, __package__).register()


def unregister():
    for name in reversed(PARTS):
        sys.modules[f"{__package__}.{name}"].unregister()
    sys.modules[f"{__package__}.packages"].unload()
    # Enabling again imports every module again, as it is on disk by then.
    for name in [name for name in sys.modules if name.startswith(__package__ + ".")]:
        del sys.modules[name]

# SPDX-License-Identifier: MIT
"""What a person does with the navigation mesh: paths, failed tiles, bake, export.

files.py        the bytes of exported files; needs no Blender
bake.py         waits until everything is built, then writes it
mesh_object.py  the navigation mesh as an object
operators.py    bake, export, make object, show a failed tile
path.py         the way between two objects, live
"""
import importlib

PARTS = ("operators", "path")


def register():
    for name in PARTS:
        importlib.import_module("." + name, __package__).register()


def unregister():
    for name in reversed(PARTS):
        importlib.import_module("." + name, __package__).unregister()

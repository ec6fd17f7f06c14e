# SPDX-License-Identifier: MIT
"""The navigation mesh over the 3D view, from the tiles that the link receives.

geometry.py  what is drawn of a tile; on the link's thread
chunks.py    tiles in merged batches, and which of them are to be made again
colors.py    by area, height, age or status
model.py     the tiles of a subscription
thinner.py   fewer triangles for ground that is farther away
batches.py   chunks on the graphics card
draw.py      draw handlers
manager.py   puts them together, in the add-on's timer
The first five need no Blender.
"""
import importlib

PARTS = ("settings", "manager")


def register():
    for name in PARTS:
        importlib.import_module("." + name, __package__).register()


def unregister():
    for name in reversed(PARTS):
        importlib.import_module("." + name, __package__).unregister()

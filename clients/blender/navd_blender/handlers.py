# SPDX-License-Identifier: MIT
"""What Blender tells: updates of the scene, undo, redo, load, save."""


def register():
    pass


def unregister():
    pass

# SPDX-License-Identifier: MIT
"""The navigation mesh over the 3D view, from the tiles that the link receives."""


def register():
    pass


def unregister():
    pass

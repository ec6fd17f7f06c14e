# SPDX-License-Identifier: MIT
"""The add-on's settings: in the preferences, the scene, objects and materials."""


def register():
    pass


def unregister():
    pass

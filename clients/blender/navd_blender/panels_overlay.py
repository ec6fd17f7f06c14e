# SPDX-License-Identifier: MIT
"""The sidebar's panels of the overlay and the tools."""


def register():
    pass


def unregister():
    pass

# SPDX-License-Identifier: MIT
"""The sidebar: connection, geometry, agents."""


def register():
    pass


def unregister():
    pass

# SPDX-License-Identifier: MIT
"""What a person does with the navigation mesh: paths, failed tiles, bake, export."""


def register():
    pass


def unregister():
    pass

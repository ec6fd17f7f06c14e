"""Geometry for tests."""

import navd

FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def box(x, y, z):
    """A box from 0 to x, y, z, as lists."""
    return [(a * x, b * y, c * z) for a in (0.0, 1.0) for b in (0.0, 1.0) for c in (0.0, 1.0)], FACES


def floor(side):
    """A square of ground at height 0, around the origin."""
    half = side / 2
    return [(-half, 0, -half), (-half, 0, half), (half, 0, half), (half, 0, -half)], [(0, 1, 2, 3)]


FLOOR, CRATE = navd.pack(*floor(40)), navd.pack(*box(2, 2, 2))
HUMAN = {"human": navd.Settings(tile_cells=32)}

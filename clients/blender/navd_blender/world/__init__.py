# SPDX-License-Identifier: MIT
"""The scene as navd sees it: what of it is geometry, what has changed, and how it is sent."""

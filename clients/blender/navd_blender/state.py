# SPDX-License-Identifier: MIT
"""What the add-on knows while Blender runs. Main thread only. Nothing of it is stored in the file."""
from typing import Any, Callable, Dict, List, Optional


class Session:
    """One connection of this Blender to one world.

    link      the link (link.Link), from connect to disconnect; None: not connected and not trying
    world     the answer of world.open ("world", "profiles", "to_metres", ...); None until the world is open
    follow    the scene's publisher (world.follow.Follow); None without one
    notice    (icon, text, advice) for the panel: the last thing that went wrong; None: nothing
    progress  (done, total) tiles of the active profile; (0, 0): idle
    """

    def __init__(self) -> None:
        self.link: Any = None
        self.world: Optional[Dict[str, Any]] = None
        self.follow: Any = None
        self.notice: Optional[tuple] = None
        self.progress = (0, 0)
        # Called with no arguments, on the main thread, when something of the above has changed: to redraw, for instance.
        self.changed: List[Callable[[], None]] = []

    def tell(self, text: str, advice: str = "", icon: str = "ERROR") -> None:
        """Shows a line in the panel, until the next one or clear()."""
        self.notice = (icon, text, advice)
        self.touch()

    def clear(self) -> None:
        self.notice = None
        self.touch()

    def touch(self) -> None:
        for listener in list(self.changed):
            listener()


session = Session()

# SPDX-License-Identifier: MIT
"""What the add-on knows while Blender runs. Main thread only. Nothing of it is stored in the file."""
from typing import Any, Callable, Dict, List, Optional, Tuple


class Session:
    """The connection of this Blender to one world.

    connection  connection.Connection, from connect to disconnect; None: not connected and not trying
    notice      (icon, text, advice) for the panel: the last thing that went wrong; None: nothing
    progress    (done, total) tiles of the active agent; (0, 0): idle
    """

    def __init__(self) -> None:
        self.connection: Any = None
        self.notice: Optional[Tuple[str, str, str]] = None
        self.progress = (0, 0)
        # Called with no arguments, on the main thread, when something of the above has changed: to redraw, for instance.
        self.changed: List[Callable[[], None]] = []
        # Called with the connection, on the main thread, when it begins: to add listeners to its link and to subscribe.
        self.begun: List[Callable[[Any], None]] = []

    @property
    def link(self) -> Any:
        """link.Link, or None."""
        return self.connection.link if self.connection else None

    @property
    def follow(self) -> Any:
        """world.follow.Follow, or None."""
        return self.connection.follow if self.connection else None

    @property
    def world(self) -> Optional[Dict[str, Any]]:
        """The answer of world.open while the world is open, or None."""
        return self.connection.link.world if self.connection else None

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

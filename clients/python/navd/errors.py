"""What can go wrong, as exceptions that carry the daemon's words."""

from typing import Any, Mapping, Optional


class NavdError(Exception):
    """An error that the daemon or this package reports.

    code: one of the names in docs/protocol.md#errors, such as "not_found" or "limit".
    message: a sentence for a person.
    key: path of the wrong value in the request, such as "ops[3].transform"; "" if there is none.
    op: index of the wrong operation of an edit; None if there is none.
    """

    def __init__(self, code: str, message: str, key: str = "", op: Optional[int] = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.key = key
        self.op = op

    def __reduce__(self) -> Any:  # or a copy, or one from another process, would have no message
        return (type(self), (self.code, self.message, self.key, self.op))


class ConnectionLost(NavdError, ConnectionError):
    """The connection is gone. A call that was under way may or may not have taken effect."""


class TimedOut(NavdError, TimeoutError):
    """The time limit of a call has passed. The call may still take effect."""

    def __init__(self, message: str, code: str = "timeout", key: str = "", op: Optional[int] = None) -> None:
        super().__init__(code, message, key, op)

    def __reduce__(self) -> Any:
        return (type(self), (self.message, self.code, self.key, self.op))


def from_wire(error: Mapping[str, Any]) -> NavdError:
    """The error of a response as an exception."""
    op = error.get("op")
    code = str(error.get("code", "internal"))
    message = str(error.get("message", "the daemon gave no reason"))
    key = str(error.get("key") or "")
    number = op if isinstance(op, int) else None
    if code == "timeout":
        return TimedOut(message, code, key, number)
    return NavdError(code, message, key, number)

"""MessagePack values out of a stream that is cut anywhere.

A scanner walks over the headers as they arrive and finds where each message ends, without unpacking. So a message over a
limit is refused before it costs memory, and a long one that comes in small pieces is walked over once.
"""

from typing import Any, List, Optional

from .errors import NavdError
from .wire import msgpack

MESSAGE_BYTES = 64 << 20  # the daemon's own default; see docs/protocol.md#limits
DEPTH = 16
ELEMENTS = 1 << 20
CONTAINER_ELEMENTS = 1 << 18

# For each first byte: bytes of a value without contents of variable size; 0: see _LENGTHS and _COUNTS.
_SIZES = [0] * 256
for _byte in range(256):
    if _byte < 0x80 or _byte >= 0xE0 or _byte in (0xC0, 0xC2, 0xC3):
        _SIZES[_byte] = 1
    elif 0xA0 <= _byte < 0xC0:
        _SIZES[_byte] = 1 + (_byte & 31)
for _byte, _size in zip(range(0xCA, 0xD4), (5, 9, 2, 3, 5, 9, 2, 3, 5, 9)):
    _SIZES[_byte] = _size
for _byte, _size in zip(range(0xD4, 0xD9), (3, 4, 6, 10, 18)):
    _SIZES[_byte] = _size
# First byte of what says its length: (bytes of the length, bytes between it and the contents).
_LENGTHS = {0xC4: (1, 0), 0xC5: (2, 0), 0xC6: (4, 0), 0xC7: (1, 1), 0xC8: (2, 1), 0xC9: (4, 1), 0xD9: (1, 0), 0xDA: (2, 0), 0xDB: (4, 0)}
# First byte of an array or map: (bytes of the count, values per entry).
_COUNTS = {0xDC: (2, 1), 0xDD: (4, 1), 0xDE: (2, 2), 0xDF: (4, 2)}


class Stream:
    """Takes bytes, gives messages. Not for several threads at once."""

    def __init__(
        self,
        message_bytes: int = MESSAGE_BYTES,
        depth: int = DEPTH,
        elements: int = ELEMENTS,
        container_elements: int = CONTAINER_ELEMENTS,
    ) -> None:
        self._buffer = bytearray()
        self._limits = (message_bytes, depth, elements, container_elements)
        self._at = 0  # the next header that was not looked at; may be beyond the end while contents are awaited
        self._elements = 0
        self._open: List[int] = []  # of each open container: values that are still to come
        self._broken: Optional[NavdError] = None

    def feed(self, data: "bytes | bytearray | memoryview") -> None:
        """Adds bytes. Take what they complete with next_message() before the next ones."""
        self._buffer += data

    def next_message(self) -> Any:
        """The next complete message, or None. Raises NavdError: the stream cannot go on ("format" or "limit")."""
        if self._broken:
            raise self._broken
        try:
            end = self._scan()
            if not end:
                return None
            with memoryview(self._buffer) as whole:
                message = msgpack.unpackb(whole[:end], raw=False, strict_map_key=True, unicode_errors="replace")
        except NavdError as error:
            self._broken = error
            raise
        except Exception as error:  # whatever msgpack raises, the peer sent it
            self._broken = NavdError("format", f"what arrived is not valid MessagePack: {error}")
            raise self._broken from error
        del self._buffer[:end]
        self._at = self._elements = 0
        return message

    def _scan(self) -> int:
        """The bytes of the first message; 0: it is not complete."""
        buffer, at, elements, waiting = self._buffer, self._at, self._elements, self._open
        message_bytes, depth, most_elements, most_entries = self._limits
        size, sizes = len(buffer), _SIZES
        while at < size and (waiting or not elements):
            byte = buffer[at]
            count = 0
            step = sizes[byte]
            if not step:
                if byte < 0xA0:  # fixmap, fixarray
                    step, count, per_entry = 1, byte & 15, 2 if byte < 0x90 else 1
                elif byte in _LENGTHS:
                    width, gap = _LENGTHS[byte]
                    if at + 1 + width > size:
                        break
                    step = 1 + width + gap + int.from_bytes(buffer[at + 1 : at + 1 + width], "big")
                elif byte in _COUNTS:
                    width, per_entry = _COUNTS[byte]
                    step = 1 + width
                    if at + step > size:
                        break
                    count = int.from_bytes(buffer[at + 1 : at + step], "big")
                else:
                    raise NavdError("format", f"what arrived is not valid MessagePack: no value begins with 0x{byte:02x}")
            at += step
            elements += 1
            if at > message_bytes:
                raise NavdError("limit", f"a message has more than message_bytes = {message_bytes} bytes")
            if elements > most_elements:
                raise NavdError("limit", f"a message has more than elements = {most_elements} values")
            if count:
                if count > most_entries:
                    raise NavdError("limit", f"an array or map has {count} entries, more than container_elements = {most_entries}")
                if len(waiting) == depth:
                    raise NavdError("limit", f"a message is nested deeper than depth = {depth}")
                waiting.append(count * per_entry)
                continue
            while waiting:  # the value is complete, and so may be what it stands in
                waiting[-1] -= 1
                if waiting[-1]:
                    break
                waiting.pop()
            if not waiting:
                break
        self._at, self._elements = at, elements
        complete = elements > 0 and not waiting and at <= size
        return at if complete else 0

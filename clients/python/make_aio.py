#!/usr/bin/env python3
"""Writes navd/aio/client.py and navd/aio/world.py from the blocking navd/client.py and navd/world.py, so that both clients have the
same names, and the same words about them. Run it after a change of those; a test checks that it was run.

make_aio.py          writes the files
make_aio.py --check  exit code 1 if they differ
"""

import pathlib
import re
import sys

PACKAGE = pathlib.Path(__file__).resolve().parent / "navd"
# What waits. A method that calls one of these waits too.
WAITS = r"(?<![\w.])((?:self|client)(?:\._client)?\.(?:_run|_wait_until|_open|get|apply|paths|put_meshes|close)\()"
TURNED = [
    (r"^from \.(?!transport|world)", "from .."),
    (r"def __(enter|exit|iter)__", r"def __a\1__"),
    (r"\bIterator\b", "AsyncIterator"),
    (r"\bThe blocking client\b", "The asyncio client"),
    (r"as the blocking client has them", "as the asyncio client has them"),
]


def turn(source: str) -> str:
    if "\nThreads:" in source:
        source = re.sub(r'\nThreads:.*?(?=\n""")', THREADS.rstrip(), source, count=1, flags=re.S)
    pieces = re.split(r"(?m)^(?=(?:    )?(?:@|def |class ))", source)
    out = []
    for piece in pieces:
        turned = re.sub(WAITS, r"await \1", piece)
        if turned != piece or "def __enter__" in piece or "def connect(" in piece:
            turned = re.sub(r"(?m)^(    )?def ", r"\1async def ", turned, count=1)
        out.append(turned)
    text = "".join(out)
    for pattern, replacement in TURNED:
        text = re.sub(pattern, replacement, text, flags=re.M)
    return "# Made from the blocking client by make_aio.py; change that.\n" + text


THREADS = """
All methods belong to the thread of the event loop that connect() was awaited in. Events are taken in while the loop runs, and a
broken connection comes back by itself. Callbacks run on the loop, one at a time, in order; one that returns an awaitable is awaited
before the next one runs, so coroutines may call the client. What they raise is logged (logger "navd").
"""


def main() -> int:
    wrong = 0
    for name in ("client.py", "world.py"):
        text = turn((PACKAGE / name).read_text())
        made = PACKAGE / "aio" / name
        if "--check" not in sys.argv:
            made.write_text(text)
        elif not made.exists() or made.read_text() != text:
            print(f"{made}: is not what make_aio.py makes of the blocking client; run {__file__}", file=sys.stderr)
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())

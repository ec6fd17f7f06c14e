"""Follows a page's first steps to the letter: replay.py PAGE [PROGRAM...]. The programs are those that the page needs: one that is
missing skips the page (exit code 77), or fails it with NAVD_EDITORS=required.

Blocks marked ```sh are run one after the other, in one shell, in an empty folder with a home of its own; blocks marked
```python save=NAME (or c, cpp, ...) are saved there under NAME first. Other blocks are not run. NAVD_SOURCE is the project's root,
NAVD_BUILD the build folder, and navd and navctl are in the path. A command that fails fails the page, and so does a page without steps.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

TIMEOUT_S = 600
PATH = "/usr/local/bin:/usr/bin:/bin"  # with Debian's Python, whatever others there are


def steps(page):
    """The page's blocks as lines of shell, each with the place where it stands."""
    out = []
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for block in re.finditer(r"^```(\w+)(?: save=(\S+))?\n(.*?)^```$", text, re.M | re.S):
        language, name, body = block.groups()
        line = text.count("\n", 0, block.start()) + 1
        if name:
            quoted = body.replace("'", "'\\''")
            out.append((line, "printf '%%s' '%s' >'%s'" % (quoted, name)))
        elif language == "sh":
            out.append((line, body))
    return out


def script_of(page):
    lines = ["set -eu"]
    for line, body in steps(page):
        lines.append("echo '-- %s:%d'" % (os.path.basename(page), line))
        lines.append(body)
    return "\n".join(lines) + "\n"


def replay(page):
    if not any(True for _ in steps(page)):
        print("FAILED: %s has no steps" % page)
        return False
    build = os.environ["NAVD_BUILD"]
    with tempfile.TemporaryDirectory() as folder:
        home = os.path.join(folder, "home")
        work = os.path.join(folder, "work")
        for made in (home, work):
            os.mkdir(made)
        environment = {
            "HOME": home,
            "PATH": ":".join([os.path.join(build, "clients", "navctl"), os.path.join(build, "daemon"), PATH]),
            "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": home,
            "NAVD_SOURCE": os.environ["NAVD_SOURCE"],
            "NAVD_BUILD": build,
        }
        # A session of its own: what the page starts in the background ends with it. All of it holds the pipe, so the pipe's end says
        # that the folder is in use no more.
        alive, held = os.pipe()
        shell = subprocess.Popen(["bash", "-c", script_of(page)], cwd=work, env=environment, stdin=subprocess.DEVNULL, start_new_session=True,
                                 pass_fds=[held])
        os.close(held)
        try:
            code = shell.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired:
            code = "none after %d s" % TIMEOUT_S
        try:
            os.killpg(shell.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        os.read(alive, 1)
        os.close(alive)
    if code != 0:
        print("FAILED: %s: the step above ended with exit code %s" % (page, code))
    return code == 0


for program in sys.argv[2:]:
    if not shutil.which(program, path=PATH):
        print("skipped: %s is missing; scripts/setup editors installs it" % program)
        sys.exit(1 if os.environ.get("NAVD_EDITORS") == "required" else 77)
sys.exit(0 if replay(sys.argv[1]) else 1)

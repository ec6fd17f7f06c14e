"""Every example runs as its user would run it, and does what it says."""

import json
import os
import pathlib
import subprocess
import sys

import navd
from scenes import CRATE, FLOOR, HUMAN

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "clients" / "python" / "examples"
NAVCTL = os.environ.get("NAVCTL", "navctl")
RUN = {**os.environ, "PYTHONPATH": str(EXAMPLES.parent)}


def run(daemon, name, *arguments):
    command = [sys.executable, "-B", str(EXAMPLES / name), *map(str, arguments)]
    done = subprocess.run(command, env={**RUN, "NAVD_ADDRESS": daemon.path}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def test_first_steps(daemon):
    lines = run(daemon, "first_steps.py")
    tiles = [line for line in lines if line.endswith("cells")]
    changed = [line for line in lines if "changed" in line]
    assert len(tiles) > 8 and 2 <= len(changed) < len(tiles)


def test_mesh_objects(daemon):
    lines = run(daemon, "mesh_objects.py")
    assert sum(line.startswith("tower") for line in lines) == 9
    assert len({line.split()[-1] for line in lines if line.startswith("tower")}) == 1  # one mesh
    assert lines[-1].endswith("tiles of areas [5, 63]")  # grass, and the roofs


def test_follow_async(daemon):
    lines = run(daemon, "follow_async.py")
    assert lines[-1] == "done" and any(line.endswith("revision 6") for line in lines)


def test_find_path(daemon):
    free, blocked = run(daemon, "find_path.py")
    assert free.startswith("free: found, 20.0 m, 2 points")
    assert blocked.startswith("blocked: found") and float(blocked.split()[2]) > 25


def test_detour_file(daemon, tmp_path):
    """It follows until it is told to end, and navctl reads what it wrote."""
    path = tmp_path / "level.bin"
    with navd.connect(daemon.path) as client:
        world = client.open_world("detour file", create=True, profiles=HUMAN)
        world.wait(world.put("floor", FLOOR).revision)
        command = [sys.executable, "-B", str(EXAMPLES / "detour_file.py"), "detour file", str(path)]
        follower = subprocess.Popen(command, env={**RUN, "NAVD_ADDRESS": daemon.path}, stdout=subprocess.PIPE, text=True)
        try:
            assert "revision 1" in follower.stdout.readline()
            before = path.read_bytes()
            world.put("crate", CRATE, at=(3, 0, 3))
            while "revision 2" not in (line := follower.stdout.readline()):
                assert line, "it has ended"
            assert path.read_bytes() != before
        finally:
            follower.terminate()
            follower.communicate()
        info = json.loads(subprocess.run([NAVCTL, "info", path, "--json"], check=True, capture_output=True).stdout)
        read = navd.detour.read_tile_set(path.read_bytes())
        assert info["tiles"] == len(read.tiles) == len(world.subscribe().wait_synced(2))
        assert info["polygons"] == sum(tile.polygon_count for tile in read.tiles)
        lines = run(daemon, "detour_file.py", "detour file", tmp_path / "once.bin", "--once")
        assert len(lines) == 1 and (tmp_path / "once.bin").read_bytes() == path.read_bytes()


def test_the_page_shows_the_example():
    page = (EXAMPLES.parents[2] / "docs" / "editors" / "python.md").read_text()
    assert "```python save=first_steps.py\n" + (EXAMPLES / "first_steps.py").read_text() + "```\n" in page

"""The package as a whole: typed, the same names in both clients, light to import, installable without network."""

import inspect
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import navd
import navd.aio

PACKAGE = pathlib.Path(__file__).resolve().parents[3] / "clients" / "python"


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def public(kind):
    return {name: member for name, member in inspect.getmembers(kind) if not name.startswith("_")}


@pytest.mark.parametrize("blocking, awaited, only", [
    (navd.Client, navd.aio.Client, {"fileno", "process"}),  # what an event loop of one's own needs
    (navd.World, navd.aio.World, set()),
    (navd.Subscription, navd.aio.Subscription, set()),
])
def test_both_clients_have_the_same_names(blocking, awaited, only):
    ours, theirs = public(blocking), public(awaited)
    assert set(ours) - only == set(theirs)
    for name in theirs:
        if inspect.isfunction(ours[name]):
            assert list(inspect.signature(ours[name]).parameters.values()) == list(inspect.signature(theirs[name]).parameters.values()), name
            assert (ours[name].__doc__ or "").split("\n")[0] == (theirs[name].__doc__ or "").split("\n")[0] or name == "close"


def test_the_asyncio_client_is_made_from_the_blocking_one():
    run(sys.executable, "-B", PACKAGE / "make_aio.py", "--check")


def test_types():
    if not shutil.which("mypy"):
        pytest.skip("mypy is not installed")
    examples = sorted((PACKAGE / "examples").glob("*.py"))
    run("mypy", "--no-incremental", "--cache-dir", os.devnull, "navd", "make_aio.py", *examples, cwd=PACKAGE)


def test_every_public_method_says_what_it_does():
    for kind in (navd.Client, navd.World, navd.Subscription, navd.Edit, navd.Settings, navd.TileMap, navd.tiles.Tile):
        assert kind.__doc__
    undocumented = [
        f"{kind.__name__}.{name}"
        for kind in (navd.Client, navd.World, navd.Subscription)
        for name, member in public(kind).items()
        if not inspect.getdoc(member)
    ]
    assert undocumented == []


BLOCKED = """
import sys
for name in {blocked!r}:
    sys.modules[name] = None
sys.path.insert(0, {package!r})
import navd.core
for late in ("asyncio", "ssl", "numpy", "zstandard"):
    assert not sys.modules.get(late), late + " is imported when it is needed"
navd.TileEvent, navd.tiles
from navd import optional, compression
vertices, faces = [(0, 0, 0), (0, 0, 30), (30, 0, 30), (30, 0, 0)], [(0, 1, 2, 3)]
with navd.connect({address!r}) as client:
    for encoding in ("navd", "detour"):
        tile = client.build_tiles(vertices, faces, first=(0, 0), last=(0, 0), encoding=encoding)[0]
        read = tile.read()
        triangles = read.triangles if encoding == "navd" else read.triangles()
        print(encoding, compression.choice(), type(triangles).__name__, len(triangles), tile.key.hex())
"""


def test_without_numpy_and_without_zstandard(daemon):
    """In processes in which they cannot be imported: the same tiles."""
    outputs = {}
    for blocked in ((), ("numpy",), ("zstandard",), ("numpy", "zstandard")):
        code = BLOCKED.format(blocked=blocked, package=str(PACKAGE), address=daemon.path)
        for pure in ("", "1") if len(blocked) != 1 else ("",):
            env = {**os.environ, "MSGPACK_PUREPYTHON": pure}
            if not pure:
                del env["MSGPACK_PUREPYTHON"]
            lines = [line.split() for line in run(sys.executable, "-B", "-c", code, env=env).splitlines()]
            if navd.optional.zstandard is not None:
                assert {line[1] for line in lines} == {"none" if "zstandard" in blocked else "zstd"}
            if navd.optional.numpy is not None:
                assert lines[0][2] == ("Rows" if "numpy" in blocked else "ndarray")
            outputs[blocked, pure] = [(line[0], line[3], line[4]) for line in lines]
    assert len(set(map(tuple, outputs.values()))) == 1, outputs


def test_as_a_part_of_an_add_on(tmp_path, daemon):
    """The package inside another one, with msgpack beside it and nowhere else."""
    import msgpack

    vendor = tmp_path / "addon" / "vendor"
    for source, name in ((PACKAGE / "navd", "navd"), (pathlib.Path(msgpack.__file__).parent, "msgpack")):
        shutil.copytree(source, vendor / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for folder in (vendor.parent, vendor):
        (folder / "__init__.py").touch()
    code = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
sys.meta_path.insert(0, type("No", (), {{"find_spec": staticmethod(lambda name, path=None, target=None:
    (_ for _ in ()).throw(ImportError(name)) if name in ("msgpack", "navd") else None)}}))
from addon.vendor import navd
assert navd.__name__ == "addon.vendor.navd" and "navd" not in sys.modules and "msgpack" not in sys.modules
with navd.connect({daemon.path!r}) as client:
    client.ping()
"""
    run(sys.executable, "-B", "-c", code)


def test_pip_installs_it_without_network(tmp_path, daemon):
    """Into a virtual environment, from the folder, and used from there."""
    copy = tmp_path / "python"  # setuptools writes into the folder that it builds
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "build"))
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    run(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-index", "--disable-pip-version-check", copy, env=env)
    code = f"""
import navd, navd.aio, pathlib
assert pathlib.Path(navd.__file__).is_relative_to({str(tmp_path / "venv")!r}), navd.__file__
assert pathlib.Path(navd.__file__).with_name("py.typed").exists()
with navd.connect({daemon.path!r}) as client:
    print(client.server)
"""
    assert run(python, "-c", code, env=env, cwd=tmp_path).startswith("navd ")


def test_every_name_is_there():
    for name in navd.__all__:
        assert getattr(navd, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        navd.nothing

"""Finds the package in the source tree, unless NAVD_PYTHON_INSTALLED asks for an installed one."""

import os
import pathlib
import sys

SOURCE = pathlib.Path(os.environ.get("NAVD_SOURCE") or pathlib.Path(__file__).resolve().parents[3])
if not os.environ.get("NAVD_PYTHON_INSTALLED"):
    sys.path.insert(0, str(SOURCE / "clients" / "python"))

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import pytest  # noqa: E402

import both  # noqa: E402
from daemon import Navd  # noqa: E402

for _name in list(os.environ):
    if _name.startswith("NAVD_") and _name not in ("NAVD_SOURCE", "NAVD_BUILD", "NAVD_EDITORS", "NAVD_PYTHON_INSTALLED"):
        del os.environ[_name]  # the tests say themselves where and who


@pytest.fixture(params=[both.Blocking, both.Asyncio], ids=["blocking", "asyncio"])
def nav(request):
    """Both clients, one after the other."""
    made = request.param()
    yield made
    made.close()


@pytest.fixture(scope="session")
def daemon(tmp_path_factory):
    """One daemon for the tests that leave it as it was: each uses a world of its own."""
    navd = Navd(str(tmp_path_factory.mktemp("daemon")))
    yield navd
    assert navd.stop() == 0


@pytest.fixture
def client(nav, daemon):
    with nav.connect(daemon.path) as made:
        yield made


@pytest.fixture
def world(nav, client, request):
    import scenes

    made = client.open_world(f"{request.node.name}", create=True, profiles=scenes.HUMAN)
    yield made
    if not client.closed:
        made.delete()

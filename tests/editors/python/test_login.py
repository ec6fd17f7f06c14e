"""Tokens and TLS: who is let in, who is told why not, and that a token goes to nobody else."""

import importlib
import pathlib
import queue
import shutil
import subprocess
import sys
import threading
import types

import pytest

import navd
from daemon import NAVD, Navd
from listener import Listener

if not shutil.which("openssl"):
    pytest.skip("openssl is not installed", allow_module_level=True)


def openssl(folder, *arguments):
    subprocess.run(["openssl", *map(str, arguments)], cwd=folder, check=True, capture_output=True)


def new_token(folder, name, tokens):
    made = subprocess.run([NAVD, "token", "new", name, "--role", "editor", "--file", tokens], check=True, capture_output=True, text=True)
    token = made.stdout.strip()
    file = folder / f"{name}.token"
    file.write_text(token + "\n")
    file.chmod(0o600)
    return token, file


class Place:
    """A daemon with TLS and tokens, an authority that signed its certificate, and one that did not."""

    def __init__(self, folder):
        self.folder = folder
        for authority in ("ca", "other"):
            openssl(folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 2, "-subj",
                    f"/CN={authority}", "-keyout", f"{authority}.key", "-out", f"{authority}.pem")
        openssl(folder, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=navd", "-keyout",
                "server.key", "-out", "server.csr")
        (folder / "ext").write_text("subjectAltName=IP:127.0.0.1\n")
        openssl(folder, "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", 2,
                "-extfile", "ext", "-out", "server.pem")
        self.ca, self.other = str(folder / "ca.pem"), str(folder / "other.pem")
        self.tokens = folder / "tokens"
        self.token, self.file = new_token(folder, "ann", self.tokens)
        self.daemon = Navd(str(folder), "--tokens", str(self.tokens), "--tls-certificate", str(folder / "server.pem"), "--tls-key",
                           str(folder / "server.key"), "--auth-delay-ms", "1", state=True)
        self.address = f"tls://127.0.0.1:{self.daemon.port}"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    made = Place(tmp_path_factory.mktemp("login"))
    yield made
    made.daemon.stop()


def test_tls_with_a_token_file(nav, place):
    with nav.connect(place.address, token_file=str(place.file), ca_file=place.ca) as client:
        assert client.role == "editor"
        client.open_world("over tls", create=True, profiles={"human": navd.Settings()})


def test_tls_by_the_environment(nav, place, monkeypatch):
    monkeypatch.setenv("NAVD_ADDRESS", place.address)
    monkeypatch.setenv("NAVD_CA_FILE", place.ca)
    monkeypatch.setenv("NAVD_TOKEN", place.token)
    with nav.connect() as client:
        assert client.role == "editor"
    monkeypatch.setenv("NAVD_TOKEN", "navd_0000000000000000_wrong")
    monkeypatch.setenv("NAVD_TOKEN_FILE", str(place.file))  # goes before NAVD_TOKEN
    with nav.connect() as client:
        assert client.role == "editor"


def test_a_large_mesh_over_tls(nav, place):
    """More than any buffer on the way holds, in both directions."""
    side = 300
    vertices = [(x, 0, z) for x in range(side) for z in range(side)]
    faces = [(x * side + z, x * side + z + 1, (x + 1) * side + z) for x in range(side - 1) for z in range(side - 1)]
    mesh = navd.pack(vertices, faces)
    with nav.connect(place.address, token=place.token, ca_file=place.ca) as client:
        assert client.get_mesh(client.put_mesh(mesh)) == mesh


def test_what_is_wrong_is_said(nav, place):
    def refused(address=place.address, **options):
        with pytest.raises(navd.NavdError) as caught:
            nav.connect(address, **options)
        assert place.token not in str(caught.value)
        return caught.value.code, str(caught.value)

    code, words = refused(token=place.token, ca_file=place.other)
    assert code == "untrusted" and "not trusted" in words and "ca_file" in words
    code, words = refused(f"tls://localhost:{place.daemon.port}", token=place.token, ca_file=place.ca)
    assert code == "untrusted" and "localhost" in words
    code, words = refused(ca_file=place.ca)
    assert code == "unauthenticated" and "token_file" in words
    code, words = refused(token=place.token[:-1] + ("0" if place.token[-1] != "0" else "1"), ca_file=place.ca)
    assert code == "unauthenticated" and "not valid" in words
    code, words = refused(token=place.token, ca_file="/nowhere/ca.pem")
    assert code == "argument" and "/nowhere/ca.pem" in words
    code, words = refused(token_file="/nowhere/token", ca_file=place.ca)
    assert code == "argument" and "/nowhere/token: No such file" in words
    code, words = refused(token=place.token, ca_file=place.ca, cert_file="a.pem")
    assert code == "argument" and "two files" in words
    open_file = place.folder / "open.token"
    open_file.write_text(place.token)
    open_file.chmod(0o644)
    code, words = refused(token_file=str(open_file), ca_file=place.ca)
    assert code == "argument" and "chmod 0600" in words
    code, words = refused(f"127.0.0.1:{place.daemon.port}", token=place.token)  # without TLS at a port of TLS
    assert "tls://" in words


def test_the_token_is_read_again_at_a_reconnect(nav, place):
    second, file = new_token(place.folder, f"bob-{nav.name}", place.tokens)
    place.daemon.await_line("tokens.loaded", f"count={len(place.tokens.read_text().splitlines())}")
    with nav.connect(place.address, token_file=str(file), ca_file=place.ca) as client:
        world = client.open_world("again", create=True, profiles={"human": navd.Settings()})
        subscription = world.subscribe()
        place.daemon.kill()
        lines = [line for line in place.tokens.read_text().splitlines() if f"bob-{nav.name}" not in line]
        place.tokens.write_text("\n".join(lines) + "\n")
        third, _ = new_token(place.folder, f"carl-{nav.name}", place.tokens)
        file.write_text(third)
        place.daemon.start()
        client.ping()
        assert client.role == "editor"
        place.daemon.kill()
        file.write_text(second)
        place.daemon.start()
        with pytest.raises(navd.NavdError) as caught:  # it is not valid any more, and coming again does not help
            client.ping()
        assert caught.value.code == "unauthenticated" and client.closed


@pytest.mark.parametrize("code, told", [("internal", 0), ("unauthenticated", 1)])
def test_without_tls_a_token_goes_only_to_who_asks_for_it(nav, place, code, told):
    listener = Listener(code)
    with pytest.raises(navd.NavdError):
        nav.connect(f"127.0.0.1:{listener.port}", token=place.token)
    listener.close()
    assert sum("token" in request[3] for request in listener.requests) == told


def test_without_tls_no_token_leaves_this_machine(nav, place, monkeypatch):
    """As if the listener were on another machine."""
    import navd.session

    monkeypatch.setattr(navd.session, "is_local", lambda host: False)
    listener = Listener("internal")
    with pytest.raises(navd.NavdError, match="unencrypted; use tls://"):
        nav.connect(f"127.0.0.1:{listener.port}", token=place.token)
    listener.close()
    assert listener.requests == []


@pytest.mark.parametrize("host, local", [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("::ffff:127.0.0.1", True),
                                         ("192.168.1.1", False), ("::ffff:10.0.0.1", False), ("fe80::1%eth0", False), ("", False)])
def test_what_this_machine_is(host, local):
    assert navd.address.is_local(host) is local


@pytest.mark.parametrize("code, told", [("internal", 0), ("unauthenticated", 1)])
def test_the_blender_add_on_withholds_its_token_alike(place, code, told):
    """The thread of its link, which needs no Blender."""
    package = types.ModuleType("navd_blender")
    package.__path__ = [str(pathlib.Path(__file__).resolve().parents[3] / "clients" / "blender" / "navd_blender")]
    sys.modules["navd_blender"] = package
    try:
        port = importlib.import_module("navd_blender.port")
        listener, posted = Listener(code), queue.Queue()
        address = navd.address.parse_address(f"127.0.0.1:{listener.port}")
        thread_side = port.Port(address, navd.address.Access(token=place.token), {"name": "level"}, {}, "test", posted.put, port.Turn())
        thread = threading.Thread(target=thread_side.run)
        thread.start()
        while posted.get(timeout=60)[0] != "disconnected":
            pass
        thread_side.stop()
        thread.join(60)
        listener.close()
        assert not thread.is_alive()
        assert sum("token" in request[3] for request in listener.requests) == told
    finally:
        for name in [name for name in sys.modules if name.startswith("navd_blender")]:
            del sys.modules[name]

# SPDX-License-Identifier: MIT
"""Opens the socket of an address: "/path/to/socket", "unix:/path", "host:port", "[::1]:port" or "tls://host:port"."""
import ipaddress
import os
import socket
import ssl
from typing import Any, Tuple

CONNECT_S = 10.0


def default_address() -> str:
    """$NAVD_ADDRESS, or the first usual socket that exists, or the one that would be the user's own."""
    given = os.environ.get("NAVD_ADDRESS")
    if given:
        return given
    runtime, home = os.environ.get("XDG_RUNTIME_DIR"), os.path.expanduser("~")
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(home, ".local", "state")
    usual = [os.path.join(runtime, "navd.sock")] if runtime else []
    usual += ["/run/navd/navd.sock", os.path.join(state, "navd", "navd.sock")]
    return next((path for path in usual if os.path.exists(path)), usual[0])


def is_unix(address: str) -> bool:
    return address.startswith(("unix:", "/", "./", "../"))


def split(address: str) -> Tuple[str, int]:
    """Host and port. Raises ValueError with a sentence."""
    bare = address[6:] if address.startswith("tls://") else address
    host, colon, port = bare.rpartition(":")
    if not colon or not port.isdigit() or not 0 < int(port) < 65536 or not host:
        raise ValueError(f"'{address}' is no address: expected /path/to/socket, host:port or tls://host:port")
    return host.strip("[]"), int(port)


def is_remote(address: str) -> bool:
    """Another machine, so that permission to use the network is needed."""
    if is_unix(address):
        return False
    host = split(address)[0]
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host != "localhost"


def open_socket(address: str, ca_file: str = "") -> Any:
    """A connected socket that does not block. Raises OSError or ValueError."""
    if is_unix(address):
        path = address[5:] if address.startswith("unix:") else address
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            sock.settimeout(CONNECT_S)
            sock.connect(path)
        except OSError:
            sock.close()
            raise
        sock.setblocking(False)
        return sock
    host, port = split(address)
    sock = socket.create_connection((host, port), CONNECT_S)
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if address.startswith("tls://"):
            context = ssl.create_default_context(cafile=ca_file or None)
            context.minimum_version = ssl.TLSVersion.TLSv1_3
            sock = context.wrap_socket(sock, server_hostname=host)
        sock.setblocking(False)
    except OSError:
        sock.close()
        raise
    return sock

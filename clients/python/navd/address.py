"""Where a daemon is and how to log in: addresses, tokens, certificates. What both clients need before they have a socket."""

import ipaddress
import os
import ssl
import stat
from dataclasses import dataclass
from typing import NamedTuple, Optional

from .errors import NavdError

TOKEN_BYTES = 255


class Address(NamedTuple):
    """kind: "unix", "tcp" or "tls". path of a socket, or host and port."""

    kind: str
    path: str
    host: str
    port: int
    text: str  # as it was given


def default_address() -> str:
    """$NAVD_ADDRESS, or the first of the usual sockets that exists, as navctl does. Raises NavdError "not_found"."""
    given = os.environ.get("NAVD_ADDRESS")
    if given:
        return given
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    places = [os.path.join(runtime, "navd.sock")] if runtime else []
    places += ["/run/navd/navd.sock", os.path.expanduser("~/.local/state/navd/navd.sock")]
    for place in places:
        if os.path.exists(place):
            return place
    raise NavdError("not_found", f"no navd here: set NAVD_ADDRESS, or start navd (looked for {', '.join(places)})")


def parse_address(text: str) -> Address:
    """Understands unix:///path, unix:/path, /path, ./path, tcp://host:port, host:port, tls://host:port. Raises "argument"."""
    for scheme in ("unix://", "unix:"):
        if text.startswith(scheme):
            return Address("unix", text[len(scheme) :], "", 0, text)
    kind, rest = "tcp", text
    for scheme in ("tcp", "tls"):
        if text.startswith(scheme + "://"):
            kind, rest = scheme, text[6:]
    if rest is text and "/" in text:
        return Address("unix", text, "", 0, text)
    host, colon, port = rest.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    if not colon or not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise NavdError("argument", f"{text}: an address is /path/to/socket, host:port or tls://host:port")
    return Address(kind, "", host, int(port), text)


@dataclass
class Access:
    """How a client logs in. What is None comes from the environment, as for navctl. The token is read again at each login."""

    token: Optional[str] = None
    token_file: Optional[str] = None  # else $NAVD_TOKEN_FILE, else the token in $NAVD_TOKEN
    ca_file: Optional[str] = None  # else $NAVD_CA_FILE, else the system's authorities
    cert_file: Optional[str] = None
    key_file: Optional[str] = None
    namespace: Optional[str] = None
    insecure_token: bool = False

    def __repr__(self) -> str:
        return "<access>"  # no token gets into a log

    def namespace_name(self) -> str:
        return self.namespace if self.namespace is not None else os.environ.get("NAVD_NAMESPACE", "")

    def read_token(self) -> str:
        """The token, "" if there is none. Raises NavdError "argument"."""
        if self.token is not None:
            return self.token
        path = self.token_file or os.environ.get("NAVD_TOKEN_FILE")
        if not path:
            return os.environ.get("NAVD_TOKEN", "").split(maxsplit=1)[0] if os.environ.get("NAVD_TOKEN", "").strip() else ""
        try:
            with open(path, "rb") as file:
                status = os.fstat(file.fileno())
                if os.name == "posix" and stat.S_ISREG(status.st_mode) and status.st_mode & 0o007:
                    raise NavdError("argument", f"the token file {path}: every user can read it; run chmod 0600")
                line = file.read(TOKEN_BYTES + 1).split(b"\n", 1)[0].strip()
        except OSError as error:
            raise NavdError("argument", f"the token file {path}: {error.strerror}") from error
        if len(line) > TOKEN_BYTES or not line.isascii():
            raise NavdError("argument", f"the token file {path}: its first line is not a token")
        return line.decode("ascii")

    def tls_context(self) -> ssl.SSLContext:
        """TLS 1.3, with the server's certificate and name checked. Raises NavdError "argument"."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        authorities = self.ca_file or os.environ.get("NAVD_CA_FILE")
        certificate = self.cert_file or os.environ.get("NAVD_CERT_FILE")
        key = self.key_file or os.environ.get("NAVD_KEY_FILE")
        if bool(certificate) != bool(key):
            raise NavdError("argument", "a client certificate needs two files: cert_file and key_file")
        try:
            if authorities:
                context.load_verify_locations(authorities)
            else:
                context.load_default_certs()
        except (OSError, ssl.SSLError) as error:
            raise NavdError("argument", f"the authorities in {authorities or 'the files of the system'}: {error}") from error
        try:
            if certificate:
                context.load_cert_chain(certificate, key)
        except (OSError, ssl.SSLError) as error:
            raise NavdError("argument", f"the client's certificate {certificate} and its key {key}: {error}") from error
        return context


def is_local(host: str) -> bool:
    """Is the address that a socket is connected to on this machine?"""
    try:
        address = ipaddress.ip_address(host.split("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def explain(error: BaseException, address: Address) -> NavdError:
    """Why there is no connection, in words."""
    if isinstance(error, NavdError):
        return error
    if isinstance(error, ssl.SSLCertVerificationError):
        words = error.verify_message or str(error)
        hint = "; give the authority's file as ca_file or NAVD_CA_FILE" if error.verify_code in (18, 19, 20, 21) else ""
        return NavdError("untrusted", f"{address.text}: the daemon's certificate is not trusted: {words}{hint}")
    if isinstance(error, ssl.SSLError):
        return NavdError("io", f"{address.text}: TLS: {error.reason or error}")
    if isinstance(error, PermissionError):
        return NavdError("forbidden", f"{address.text}: permission denied: the socket's mode lets others connect, not you")
    if isinstance(error, TimeoutError):  # socket.timeout is one since 3.10
        return NavdError("timeout", f"no navd at {address.text}: no answer in time")
    words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return NavdError("io", f"no navd at {address.text}: {words or type(error).__name__}")

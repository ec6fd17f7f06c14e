# Made from the blocking client by make_aio.py; change that.
"""The asyncio client.

All methods belong to the thread of the event loop that connect() was awaited in. Events are taken in while the loop runs, and a
broken connection comes back by itself. Callbacks run on the loop, one at a time, in order; one that returns an awaitable is awaited
before the next one runs, so coroutines may call the client. What they raise is logged (logger "navd").
"""

from types import TracebackType
from typing import Any, Iterable, List, Mapping, Optional, Sequence, Tuple, Type

from .. import operations
from ..address import Access, default_address, parse_address
from ..core import Map, TileEvent
from ..edits import Edit
from ..mesh import Mesh, pack
from ..operations import WorldEntry
from ..settings import Settings
from .transport import Timeout, Transport
from .world import World


async def connect(
    address: Optional[str] = None,
    *,
    token: Optional[str] = None,
    token_file: Optional[str] = None,
    ca_file: Optional[str] = None,
    cert_file: Optional[str] = None,
    key_file: Optional[str] = None,
    namespace: Optional[str] = None,
    insecure_token: bool = False,
    name: str = "python",
    priority: str = "normal",
    timeout: Optional[float] = 30.0,
    reconnect: bool = True,
) -> "Client":
    """Connects and logs in.

    address: "/path", "unix:///path", "host:port", "tcp://host:port" or "tls://host:port"; None: $NAVD_ADDRESS, or the usual
        sockets, as navctl looks for them.
    token, token_file, ca_file, cert_file, key_file, namespace: what is None comes from NAVD_TOKEN, NAVD_TOKEN_FILE, NAVD_CA_FILE,
        NAVD_CERT_FILE, NAVD_KEY_FILE, NAVD_NAMESPACE. The token file is read again at each login.
    insecure_token: lets a token cross the network without TLS.
    name: of this program, for the daemon's log. priority: "low", "normal" or "high" (role admin).
    timeout: seconds for each call, this one included; None: no limit.
    reconnect: come back after a broken connection, and go on with all subscriptions.
    Raises NavdError: "io" or "timeout" without a daemon, "unauthenticated", "untrusted", "forbidden", "argument".
    """
    access = Access(token, token_file, ca_file, cert_file, key_file, namespace, insecure_token)
    client = Client(parse_address(address or default_address()), access, name, priority, timeout, reconnect)
    try:
        await client._open()
    except BaseException:
        await client.close()
        raise
    return client


class Client(Transport):
    """A connection to a daemon, and what can be asked of it. Made by connect(); a context manager."""

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<navd.Client {self.address}{': closed' if self._closed else ''}>"

    @property
    def server(self) -> str:
        """The daemon's name and version."""
        return str(self._session.hello.get("server", ""))

    @property
    def role(self) -> str:
        """What this session may do: "reader", "editor" or "admin"."""
        return str(self._session.hello.get("role", ""))

    @property
    def namespace(self) -> str:
        """The namespace that it uses."""
        return str(self._session.hello.get("namespace", ""))

    @property
    def limits(self) -> Map:
        """The daemon's limits (docs/protocol.md#limits)."""
        return dict(self._session.connection.limits)

    # --- calls ---

    async def call(self, method: str, params: Optional[Mapping[str, Any]] = None, timeout: Timeout = "default") -> Map:
        """Any call of the protocol, as docs/protocol.md has it; raises NavdError with its error."""
        return await self._run(operations.raw(method, dict(params or {})), timeout=timeout)

    async def ping(self) -> None:
        """Returns when the daemon has answered."""
        await self._run(operations.ask("ping", {}))

    async def stats(self) -> Map:
        """The daemon's counters, by name."""
        return await self._run(operations.ask("stats", {}))

    async def jobs(self, world: Optional[int] = None) -> Map:
        """Unfinished work (docs/protocol/jobs.md#jobslist). world: the id of one."""
        return await self._run(operations.ask("jobs.list", {} if world is None else {"world": world}))

    async def worlds(self) -> List[WorldEntry]:
        """All worlds of the namespace, by name."""
        return await self._run(operations.list_worlds())

    async def open_world(
        self,
        name: str,
        *,
        create: bool = False,
        profiles: Optional[Mapping[str, Settings]] = None,
        origin_m: Optional[Sequence[float]] = None,
        areas: Optional[Sequence[Map]] = None,
        reach: Optional[Map] = None,
        build: Optional[str] = None,
        margin_m: Optional[float] = None,
        up: str = "y",
        unit_m: float = 1.0,
    ) -> "World":
        """Finds a world, or creates it (docs/protocol/worlds.md#worldopen).

        profiles: the agents that it shall have. origin_m, areas, reach, build, margin_m: used when it is created.
        up: "y" or "z"; unit_m: metres in one of the caller's units: navd converts what this client sends and gets.
        """
        state = await self._run(
            operations.open_world(
                self._session, name, create, profiles, origin_m, areas, reach, build, margin_m, up, unit_m
            )
        )
        return World(self, state)

    async def put_mesh(self, vertices: Any, faces: Any = None, areas: Any = None) -> bytes:
        """Makes a mesh known to the daemon, as navd.mesh.pack() takes it, and returns its key. Sends it only if need be."""
        keys = await self.put_meshes([pack(vertices, faces, areas)])
        return keys[0]

    async def put_meshes(self, meshes: Iterable[Any]) -> List[bytes]:
        """Makes meshes known: Mesh, or anything with `.vertices` and `.faces`. Their keys, in order."""
        return await self._run(operations.put_meshes(self._session, meshes), upload=True)

    async def get_mesh(self, key: bytes) -> Mesh:
        """Reads a mesh as it was sent."""
        return await self._run(operations.get_mesh(key))

    async def build_tiles(
        self,
        vertices: Any,
        faces: Any = None,
        areas: Any = None,
        *,
        first: Tuple[int, int],
        last: Tuple[int, int],
        settings: Settings = Settings(),
        encoding: str = "navd",
        origin_m: Optional[Sequence[float]] = None,
        up: str = "y",
        unit_m: float = 1.0,
        extra: Optional[Edit] = None,
        sheet: str = "up",
    ) -> List[TileEvent]:
        """Builds tiles without a world (docs/protocol/tiles.md#tilesbuild). first, last: tile x, z, both included.
        sheet: of the tiles, one of settings.sheets. extra: an edit whose put_volume and put_link count."""
        return await self._run(
            operations.build_tiles(
                vertices, faces, areas, first, last, settings, encoding, origin_m, up, unit_m, extra, sheet
            )
        )

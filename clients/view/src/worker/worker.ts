// The worker: owns the connection, unpacks tiles, and tells the page what to draw. See FromWorker for what it says.
import { connectWebSocket, NavdError, type Client, type OpenedWorld, type PathWatch, type Subscription, type SubscriptionEvent, type U64, type WatchedPath } from '../../../js/src/index.js';
import { hex } from '../../../js/src/geometry.js';
import { readNavdTile } from '../../../js/src/tiles/navd_tile.js';
import type { FromWorker, Profile, SentTile, Settings, SettingsMessage, ToWorker, World } from '../model/types.ts';
import { makeMesh } from './mesh.ts';
import { MeshPool } from './mesh_pool.ts';
import { Parts } from './parts.ts';
import { SceneReader } from './scene.ts';
import { Settle } from './settle.ts';

const RETRY_MS = 1500;
const LIST_MS = 2000; // how often the list of worlds is read while none is open
const SOLVE_MS = 120; // parts are joined so long after the last tile
const SOLVE_LATEST_MS = 3000; // and at least so often
const FAILED_MS = 250;
const BATCH = 50; // tiles of one message to the page, at most: it must not hold up a frame
// It is of no use to try again after these.
const REFUSED = new Set(['unauthenticated', 'forbidden', 'version', 'argument', 'format', 'untrusted']);

const scope = self as unknown as DedicatedWorkerGlobalScope;
const post = (message: FromWorker, transfer: Transferable[] = []) => scope.postMessage(message, transfer);
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

type WatchMessage = Extract<ToWorker, { type: 'watch' }>;

let client: Client | null = null;
let wanted: { world: string; profile: string } | null = null;
let opened: { world: U64; name: string; profile: string } | null = null;
let subscription: Subscription | null = null;
let opening = false;
let turn = 0; // counts openings: what belongs to an earlier one is ignored

const parts = new Parts();
const serials = new Map<string, number>(); // number of the tile that is known, by its place
const pool = new MeshPool(); // of `tiles`
const scene = new SceneReader(post);

let tiles: SentTile[] = [];
let serial = 0;
let removed: { x: number; z: number; revision: number }[] = [];
let flushDue = false;
const solveSoon = new Settle(solve, SOLVE_MS, SOLVE_LATEST_MS);
const readFailedSoon = new Settle(readFailed, FAILED_MS);

scope.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  switch (data.type) {
    case 'connect':
      void connect(data.url, data.token);
      break;
    case 'open':
      wanted = { world: data.world, profile: data.profile };
      void open();
      break;
    case 'focus':
      void subscription?.focus({ focus: [data.x, data.z] }).catch(() => {});
      break;
    case 'call':
      void call(data.id, data.method, data.params);
      break;
    case 'watch':
      wantedPath = data;
      void watchPath();
      break;
    case 'scene':
      scene.want(data.wanted);
      break;
  }
});

function told(state: 'connecting' | 'open' | 'waiting' | 'refused', message = ''): void {
  post({ type: 'connection', connection: { state, message, server: client?.hello?.server ?? '', role: client?.hello?.role ?? '' } });
}

function sentence(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

// Until it has connected once; afterwards the client comes back by itself.
async function connect(url: string, token: string): Promise<void> {
  told('connecting');
  for (;;) {
    try {
      client = await connectWebSocket(url, { client: 'navd view', token: token || undefined });
      break;
    } catch (thrown) {
      if (thrown instanceof NavdError && REFUSED.has(thrown.code)) return told('refused', sentence(thrown));
      told('waiting', sentence(thrown));
      await sleep(RETRY_MS);
    }
  }
  client.on((event) => {
    if (event.type === 'lost') told('waiting', sentence(event.error));
    if (event.type === 'bye') told('waiting', sentence(event.reason));
    if (event.type === 'restored') {
      told('open');
      void listWorlds();
    }
    if (event.type === 'closed') told('refused', sentence(event.error ?? 'the connection was closed'));
  });
  told('open');
  void open();
  void watchWorlds();
}

// --- worlds ---

async function listWorlds(): Promise<string[]> {
  if (!client) return [];
  const worlds = await client.listWorlds();
  post({ type: 'worlds', worlds: worlds.map((w) => ({ name: w.name, revision: Number(w.revision), instances: Number(w.instances) })) });
  return worlds.map((w) => w.name);
}

// While no world is open, a new one shows up, and one that is waited for is opened.
async function watchWorlds(): Promise<void> {
  for (;;) {
    if (client?.state === 'closed') return;
    if (!opened && !opening && client?.state === 'open') {
      try {
        const names = await listWorlds();
        if (wanted && !opened && !opening && names.includes(wanted.world)) await open();
      } catch {
        // The connection says what is wrong.
      }
    }
    await sleep(LIST_MS);
  }
}

async function open(): Promise<void> {
  if (!client || !wanted) return;
  const mine = ++turn;
  const { world: name, profile } = wanted;
  opening = true;
  try {
    await leave();
    const answer = await client.openWorld({ name });
    if (mine !== turn) return;
    await begin(answer, name, profile, mine);
    void listWorlds().catch(() => {});
  } catch (thrown) {
    if (mine !== turn || client.state !== 'open') return;
    opened = null;
    const none = thrown instanceof NavdError && thrown.code === 'not_found';
    post({ type: 'missing', world: name, message: none ? `There is no world ${name}. It opens here as soon as there is one.` : sentence(thrown) });
  } finally {
    if (mine === turn) opening = false;
  }
}

async function leave(): Promise<void> {
  const old = subscription;
  subscription = null;
  opened = null;
  wantedPath = null;
  void watchPath();
  tiles = [];
  removed = [];
  pool.empty();
  regrid = null;
  grid = undefined;
  parts.clear();
  serials.clear();
  solveSoon.stop();
  readFailedSoon.stop();
  scene.leave();
  await old?.unsubscribe().catch(() => {});
}

async function begin(answer: OpenedWorld, name: string, wish: string, mine: number): Promise<void> {
  const found = answer.profiles.find((p) => p.name === wish) ?? answer.profiles[0];
  const profile = found?.name ?? '';
  const world: World = {
    id: answer.world,
    name,
    revision: Number(answer.revision),
    origin: answer.origin_m as [number, number, number],
    profiles: answer.profiles.map((p) => ({ name: p.name, settings: p.settings as Settings })),
  };
  opened = { world: answer.world, name, profile };
  post({ type: 'drop' });
  post({ type: 'opened', world, profile });
  post({ type: 'areas', areas: answer.areas });
  // Floors are what is drawn; of an agent that stands on walls alone there are none.
  if (!found?.settings.sheets.includes('up')) return void post({ type: 'synced', revision: world.revision });
  // On the same machine the way is short, and unpacking takes longer than receiving.
  const compression = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(scope.location.hostname) ? 'none' : 'zstd';
  const made = await client!.subscribe({ world: answer.world, profile, sheets: ['up'], compression }, (event) => {
    if (mine === turn) take(event, profile);
  });
  if (mine !== turn) return void made.unsubscribe().catch(() => {});
  subscription = made;
  scene.enter(client!, answer.world);
  readFailedSoon.touch();
}

// --- what comes ---

let grid: U64 | undefined;
// The settings of another grid, of which no tile has come yet: until then the old ground stays.
let regrid: SettingsMessage | null = null;

function take(event: SubscriptionEvent, profile: string): void {
  switch (event.type) {
    case 'tile':
      grid ??= event.grid;
      takeTile(event);
      break;
    case 'synced':
      flush(true);
      post({ type: 'synced', revision: Number(event.revision) });
      scene.changed();
      break;
    case 'progress':
      post({ type: 'progress', done: Number(event.done), total: Number(event.total) });
      break;
    case 'areas':
      post({ type: 'areas', areas: event.areas });
      break;
    case 'settings': {
      flush();
      const now: Profile = { name: profile, settings: event.settings as Settings };
      const message: SettingsMessage = { type: 'settings', profile: now, origin: event.origin_m as [number, number, number], revision: Number(event.revision) };
      // The tiles of another grid lie elsewhere.
      const moved = grid !== undefined && event.grid !== grid;
      grid = event.grid;
      if (moved || regrid) {
        parts.clear();
        serials.clear();
        regrid = message;
      } else post(message);
      break;
    }
    case 'ended':
      flush();
      opened = null;
      subscription = null;
      post({ type: 'ended', reason: event.reason === 'deleted' ? 'The world was deleted.' : `The tiles of this world ended: ${event.reason}.` });
      break;
  }
}

function takeTile(event: Extract<SubscriptionEvent, { type: 'tile' }>): void {
  const { x, z } = event;
  if (regrid && event.status === 'removed') return; // nothing of this grid is shown
  const place = `${x},${z}`;
  const revision = Number(event.revision);
  scheduleFlush();
  if (event.status === 'failed' || event.status === 'removed') readFailedSoon.touch();
  if (event.status === 'removed') {
    parts.remove(x, z);
    serials.delete(place);
    removed.push({ x, z, revision });
    tiles = tiles.filter((t) => t.x !== x || t.z !== z);
    solveSoon.touch();
    return;
  }
  const tile: SentTile = {
    x,
    z,
    status: event.status === 'pending' ? 'empty' : event.status,
    reason: event.reason,
    revision,
    serial: ++serial,
    content: event.key.some((byte) => byte !== 0) ? hex(event.key) : '',
    bytes: event.size,
    cells: 0,
    links: 0,
    queuedUs: Number(event.queued_us),
    madeUs: Number(event.made_us),
    arrived: Date.now(),
    mesh: null,
  };
  if (event.status !== 'failed') {
    serials.set(place, tile.serial);
    if (event.data) readMesh(tile, event.data);
    else parts.remove(x, z);
    solveSoon.touch();
  }
  tiles.push(tile);
  if (tiles.length >= BATCH) flush();
}

function readMesh(tile: SentTile, data: Uint8Array): void {
  try {
    const read = readNavdTile(data);
    const found = parts.set(read, data);
    tile.cells = read.cell_count;
    tile.links = read.links.count;
    tile.mesh = makeMesh(pool, read, found.cells, found.count);
  } catch (thrown) {
    tile.status = 'failed';
    tile.reason = `this page could not read it: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  }
}

function scheduleFlush(): void {
  if (flushDue) return;
  flushDue = true;
  setTimeout(() => flush(), 0);
}

// `all`: there are no more.
function flush(all = false): void {
  flushDue = false;
  if (tiles.length === 0 && removed.length === 0 && !(all && regrid)) return;
  const meshes = pool.empty();
  post({ type: 'tiles', tiles, meshes, removed, grid: regrid }, [meshes]);
  tiles = [];
  removed = [];
  regrid = null;
}

function solve(): void {
  flush();
  const { changed, count } = parts.solve();
  const list = new Int32Array(changed.length * 4);
  const components = new Uint32Array(changed.reduce((sum, c) => sum + c.components.length, 0));
  let at = 0;
  changed.forEach((c, i) => {
    list.set([c.x, c.z, serials.get(`${c.x},${c.z}`) ?? 0, c.components.length], i * 4);
    components.set(c.components, at);
    at += c.components.length;
  });
  post({ type: 'components', count, tiles: list, components }, [list.buffer, components.buffer]);
}

function readFailed(): void {
  if (!client || !opened) return;
  client.failed(opened.world).then(
    ({ total, tiles: list }) => post({ type: 'failed', total, tiles: list.filter((t) => t.profile === opened?.profile) }),
    () => {},
  );
}

// --- the path that the page keeps ---

let wantedPath: WatchMessage | null = null;
let watch: PathWatch | null = null;
let changing = false;

// One change at a time; the newest wish counts.
async function watchPath(): Promise<void> {
  if (changing) return;
  changing = true;
  for (let mine: WatchMessage | null = null; mine !== wantedPath; ) {
    mine = wantedPath;
    await watch?.unwatch().catch(() => {});
    watch = await beginWatch(mine);
  }
  changing = false;
}

async function beginWatch(mine: WatchMessage | null): Promise<PathWatch | null> {
  const tell = (path: WatchedPath | null) => mine === wantedPath && mine && post({ type: 'path', id: mine.id, path });
  if (!mine?.ends) return null;
  try {
    if (!client || !opened) throw new Error('no world is open');
    const { world, profile } = opened;
    return await client.watchPaths({ world, profile, queries: [mine.ends] }, (event) => {
      if (event.type === 'paths') tell(event.paths[0]!);
      if (event.type === 'ended') tell(null);
    });
  } catch {
    tell(null);
    return null;
  }
}

// --- calls of the page ---

async function call(id: number, method: string, params: Record<string, unknown>): Promise<void> {
  try {
    if (!client) throw new Error('there is no connection yet');
    const result = await client.call(method as never, params as never);
    post({ type: 'called', id, result });
  } catch (thrown) {
    const code = thrown instanceof NavdError ? thrown.code : 'closed';
    post({ type: 'called', id, failure: { code, message: thrown instanceof Error ? thrown.message : String(thrown) } });
  }
}

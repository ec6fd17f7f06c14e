// The protocol's messages: what calls answer, and what navd says without being asked (params.ts has what they take). Names are
// those of the protocol, so its pages (docs/protocol.md) explain each key. Optional keys of results have their defaults.

import {
  bin,
  bool,
  dictionary,
  f64,
  floats,
  i32,
  ids,
  key,
  list,
  numbers,
  optional,
  orElse,
  table,
  text,
  u32,
  unsigned,
  word,
  type Of,
  type Reader,
} from './wire/shapes.js';
import { settings, sheet, type Sheet } from './settings.js';
import type { U64 } from './wire/values.js';

export type * from './params.js';

export type Floats = ArrayLike<number>;
export type Bounds = readonly [min_x: number, min_z: number, max_x: number, max_z: number];
export type Encoding = 'navd' | 'detour';
export type Compression = 'zstd' | 'none';

const none = (): never[] => [];
const empty = (): string => '';
const zero = (): number => 0;
const no = (): boolean => false;
const noKey = (): Uint8Array => new Uint8Array(16);
const noIds = (): BigUint64Array => new BigUint64Array(0);
const optionalText = orElse(text, empty);
const count = orElse(unsigned, zero as () => U64);
const flag = orElse(bool, no);

// --- what several messages have ---

const area = table({
  id: u32,
  name: optionalText,
  cost: orElse(f64, () => 1),
  flags: optional(u32),
  color: optional(u32),
  walkable: orElse(bool, () => true),
});
export type Area = Of<typeof area>;
export type AreaParams = Partial<Area> & { id: number };

const profile = table({ name: text, settings: orElse(settings, () => settings({}, 'settings')), grid: count });
export type Profile = Of<typeof profile>;

const reach = table({
  unreachable: word('keep', 'flag', 'drop'),
  seeds: orElse(list(numbers), none as () => number[][]),
  island_min_area_m2: orElse(f64, zero),
});
export type Reach = Of<typeof reach>;

const caller = table({ session: count, client: optionalText, principal: optionalText });
export type Caller = Of<typeof caller>;

const failure = table({
  profile: text,
  x: i32,
  z: i32,
  sheet,
  code: text,
  reason: optionalText,
  stage: optionalText,
  signal: optionalText,
  since_ms: count,
  tries: orElse(u32, zero),
  retry_ms: optional(unsigned),
});
export type Failure = Of<typeof failure>;

const encoding = orElse(word<Encoding>(), () => 'navd' as Encoding);
export type TileStatus = 'ok' | 'empty' | 'failed' | 'removed' | 'pending';
const TILE = {
  x: i32,
  z: i32,
  sheet,
  status: word<TileStatus>(),
  reason: optionalText,
  revision: unsigned,
  key: orElse(key, noKey),
  size: orElse(u32, zero),
  encoding,
  queued_us: count,
  made_us: count,
  data: optional(bin),
};
const tile = table(TILE);
/** A tile as navd answers it. `data` is unpacked: `size` bytes, which readNavdTile or readDetourTile takes. */
export type Tile = Of<typeof tile>;

/** What tells the places of tiles apart. */
export function placeOf({ x, z, sheet }: { x: number; z: number; sheet: Sheet }): string {
  return sheet === 'up' ? `${x},${z}` : `${x},${z},${sheet}`;
}

const changed = table({ revision: unsigned, dirty_tiles: orElse(u32, zero), durable: flag });
export type Changed = Of<typeof changed>;

// --- edits ---

interface Named {
  source?: string;
  name?: string;
}
export interface PutInstance extends Named {
  op: 'put_instance';
  id: U64;
  mesh: Uint8Array;
  /** Three rows of four, row by row; by default nothing is moved. */
  transform?: Floats;
  area?: number;
}
export interface PutVolume extends Named {
  op: 'put_volume';
  id: U64;
  points: Floats;
  min_y: number;
  max_y: number;
  area?: number;
  include?: boolean;
}
export interface PutLink extends Named {
  op: 'put_link';
  id: number;
  start: Floats;
  end: Floats;
  radius_m: number;
  area?: number;
  both_ways?: boolean;
  flags?: number;
}
/** Other samples in a rectangle of an instance's height grid: strokeOf() makes these for a terrain. */
export interface PatchHeights {
  op: 'patch_heights';
  id: U64;
  column?: number;
  row?: number;
  columns: number;
  rows: number;
  samples: Uint8Array;
  areas?: Uint8Array;
}
export type Operation =
  | PutInstance
  | PutVolume
  | PutLink
  | { op: 'move_instance'; id: U64; transform: Floats }
  | { op: 'remove_instance' | 'remove_volume'; id: U64 }
  | { op: 'remove_link'; id: number }
  | { op: 'dirty'; min: Floats; max: Floats }
  | { op: 'set_areas'; areas: AreaParams[] }
  | { op: 'set_reach'; reach: Partial<Reach> & { unreachable: Reach['unreachable'] } }
  | { op: 'set_build'; build: 'all' | 'watched'; margin_m?: number }
  | PatchHeights;

const OBJECT_NAMES = { source: optionalText, name: optionalText };
const instance = table({
  op: word('put_instance'),
  id: unsigned,
  mesh: key,
  transform: orElse(floats, () => new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0])),
  area: orElse(u32, () => 63),
  ...OBJECT_NAMES,
});
const volume = table({
  op: word('put_volume'),
  id: unsigned,
  points: floats,
  min_y: f64,
  max_y: f64,
  area: orElse(u32, zero),
  include: flag,
  ...OBJECT_NAMES,
});
const link = table({
  op: word('put_link'),
  id: u32,
  start: floats,
  end: floats,
  radius_m: f64,
  area: orElse(u32, () => 63),
  both_ways: flag,
  flags: orElse(u32, () => 1),
  ...OBJECT_NAMES,
});
export type WorldObject = Of<typeof instance> | Of<typeof volume> | Of<typeof link>;
const object: Reader<WorldObject> = (value, path) => {
  const { op } = table({ op: text })(value, path);
  return (op === 'put_volume' ? volume : op === 'put_link' ? link : instance)(value, path);
};

// --- results, by method ---

const openedWorld = table({
  world: unsigned,
  revision: unsigned,
  created: flag,
  origin_m: orElse(numbers, () => [0, 0, 0]),
  profiles: orElse(list(profile), none as () => Profile[]),
  reach: optional(reach),
  areas: orElse(list(area), none as () => Area[]),
  build: orElse(word('all', 'watched'), () => 'all' as const),
  margin_m: orElse(f64, zero),
  to_metres: optional(numbers),
});
export type OpenedWorld = Of<typeof openedWorld>;

const hello = table({
  server: text,
  version: u32,
  limits: dictionary(unsigned),
  dictionary: orElse(u32, zero),
  role: optionalText,
  namespace: optionalText,
  keepalive_s: orElse(u32, zero),
});
export type Hello = Of<typeof hello>;

const why = table({
  state: word('clean', 'queued', 'waiting', 'resting', 'running', 'held', 'unwatched'),
  status: orElse(word<TileStatus>(), () => 'pending' as TileStatus),
  revision: count,
  queued_us: count,
  made_us: count,
  /** Microseconds of each stage of the run that made it. */
  stages: optional(dictionary(unsigned)),
  cause: optionalText,
  object: optional(unsigned),
  caller: optional(caller),
  cause_revision: count,
  cause_ms: count,
  open_since: optional(unsigned),
  class: optional(text),
  failure: optional(failure),
});
export type Why = Of<typeof why>;

const openEdit = table({
  world: unsigned,
  revision: unsigned,
  name: optionalText,
  class: text,
  caller: optional(caller),
  tiles: u32,
  running: orElse(u32, zero),
  age_ms: count,
});
const openBuild = table({
  build: unsigned,
  class: text,
  caller: optional(caller),
  age_ms: count,
  tiles: u32,
  finished: orElse(u32, zero),
});

const synchronized = table({
  received: unsigned,
  complete: bool,
  applied: flag,
  revision: count,
  dirty_tiles: orElse(u32, zero),
  durable: flag,
  added: count,
  moved: count,
  removed: count,
  unchanged: count,
  changed: count,
  renamed: count,
  missing: orElse(list(key), none as () => Uint8Array[]),
  kept: flag,
  added_ids: orElse(ids, noIds),
  changed_ids: orElse(ids, noIds),
  moved_ids: orElse(ids, noIds),
  renamed_from: orElse(ids, noIds),
  renamed_to: orElse(ids, noIds),
  removed_ids: orElse(ids, noIds),
});
export type Synchronized = Of<typeof synchronized>;

const pathLink = table({ point: u32, link: u32, area: u32, back: flag });
/** An off-mesh link that a path takes: it leaves the ground at `point`, and comes down at the next one. */
export type PathLink = Of<typeof pathLink>;
const pathStatus = word('found', 'partial', 'no_start', 'no_goal', 'limit');
const pathFields = {
  status: pathStatus,
  length_m: orElse(f64, zero),
  surface_m: orElse(f64, zero),
  points: orElse(floats, () => new Float32Array(0)),
  cost: orElse(f64, zero),
  lower_bound: orElse(f64, zero),
  optimal: flag,
  limit: optional(word('nodes', 'time', 'points', 'radius', 'tiles')),
  links: orElse(list(pathLink), none as () => PathLink[]),
  normals: optional(floats),
  sheets: optional(bin),
};
const path = table(pathFields);
/**
 * A way. `points` has three numbers each, from start to end. No way costs less than `lower_bound`; where that is the cost
 * the way is optimal. `limit` says what ended the search, where something has. Over walls and ceilings there is for each point the
 * surface that the way goes on over from there: its normal, three numbers in `normals`, and its place in SHEETS, a byte in `sheets`.
 */
export type Path = Of<typeof path>;

const watchedPath = table({ query: u32, ...pathFields });
/** A path of a watch. `query`: its place among the queries, from 0. */
export type WatchedPath = Of<typeof watchedPath>;

const placeStatus = word('found', 'none', 'wall', 'no_start', 'no_goal', 'limit');
const groundPlace = table({ at: floats, x: i32, z: i32, cell: u32 });
/** A point of the ground; tile and cell say which floor it is on. */
export type GroundPlace = Of<typeof groundPlace>;
const groundWall = table({ from: floats, to: floats, normal: floats });
/** An edge of a cell that one cannot cross. */
export type GroundWall = Of<typeof groundWall>;
const nearest = table({ status: placeStatus, distance_m: orElse(f64, zero), place: optional(groundPlace) });
export type Nearest = Of<typeof nearest>;
const ray = table({ status: placeStatus, length_m: orElse(f64, zero), end: optional(groundPlace), wall: optional(groundWall) });
export type Ray = Of<typeof ray>;
const nearestWall = table({
  status: placeStatus,
  distance_m: orElse(f64, zero),
  place: optional(groundPlace),
  wall: optional(groundWall),
});
export type NearestWall = Of<typeof nearestWall>;

export const RESULTS = {
  hello,
  ping: table({}),
  'world.open': openedWorld,
  'world.list': table({
    worlds: orElse(list(table({ name: text, revision: unsigned, instances: count })), none),
  }),
  'world.close': table({}),
  'world.delete': table({}),
  'world.objects': table({ revision: unsigned, objects: orElse(list(object), none as () => WorldObject[]), next: count }),
  'world.areas': table({
    revision: unsigned,
    dirty_tiles: orElse(u32, zero),
    durable: flag,
    areas: orElse(list(area), none as () => Area[]),
  }),
  'world.reach': table({
    revision: unsigned,
    reach: optional(reach),
    profiles: orElse(
      list(
        table({
          name: text,
          parts: u32,
          unreachable_parts: u32,
          area_m2: f64,
          unreachable_m2: f64,
          seeds_without_ground: orElse(list(u32), none as () => number[]),
        }),
      ),
      none,
    ),
  }),
  'world.edit': changed,
  'world.sync': synchronized,
  'world.profile': table({ revision: unsigned, dirty_tiles: orElse(u32, zero), durable: flag, grid: count }),
  'world.origin': changed,
  'mesh.have': table({
    missing: orElse(list(key), none as () => Uint8Array[]),
    keys: orElse(list(optional(key)), none as () => (Uint8Array | undefined)[]),
  }),
  'mesh.put': table({ received: unsigned, complete: bool, skipped_triangles: orElse(u32, zero), hash: optional(key) }),
  'mesh.get': table({ vertices: u32, triangles: u32, areas: flag, heights: orElse(u32, zero), data: bin }),
  'tiles.subscribe': table({ subscription: unsigned, revision: unsigned, resumed: flag, grid: count }),
  'tiles.unsubscribe': table({}),
  'path.watch': table({ subscription: unsigned }),
  'path.unwatch': table({}),
  'path.cancel': table({ cancelled: flag }),
  'tiles.focus': table({}),
  'tiles.get': table({ tiles: list(tile), grid: count }),
  'tiles.build': table({ tiles: list(tile) }),
  'tiles.failed': table({ total: orElse(u32, zero), tiles: orElse(list(failure), none as () => Failure[]) }),
  'tiles.why': why,
  'jobs.wait': table({ revision: unsigned }),
  'jobs.list': table({
    edits: orElse(list(openEdit), none as () => Of<typeof openEdit>[]),
    builds: orElse(list(openBuild), none as () => Of<typeof openBuild>[]),
  }),
  'jobs.cancel': table({ cancelled: u32 }),
  'path.find': table({ revision: unsigned, open_tiles: orElse(u32, zero), paths: list(path) }),
  'path.nearest': table({ revision: unsigned, open_tiles: orElse(u32, zero), places: list(nearest) }),
  'path.raycast': table({ revision: unsigned, open_tiles: orElse(u32, zero), rays: list(ray) }),
  'path.wall': table({ revision: unsigned, open_tiles: orElse(u32, zero), walls: list(nearestWall) }),
  'path.random': table({ revision: unsigned, open_tiles: orElse(u32, zero), status: placeStatus, points: floats }),
  'path.reach': table({ revision: unsigned, open_tiles: orElse(u32, zero), goals: list(table({ status: placeStatus })) }),
  'path.within': table({ revision: unsigned, open_tiles: orElse(u32, zero), status: placeStatus, cells: bin, points: floats, outlines: bin }),
  'farm.check': table({
    answered: flag,
    worlds: list(
      table({
        name: text,
        state: text,
        revision: unsigned,
        leader_revision: count,
        tiles: count,
        leader_tiles: count,
        sum: key,
        leader_sum: optional(key),
      }),
    ),
  }),
  'farm.status': table({
    name: text,
    id: text,
    up: flag,
    trouble: text,
    generator: u32,
    worlds: text,
    role: text,
    leads: flag,
    live: flag,
    leader: text,
    epoch: unsigned,
    unlogged: count,
    behind: count,
    lag_p99_us: count,
    has_jobs: flag,
    jobs_waiting: count,
    jobs_out: count,
    jobs_redelivered: count,
    members: list(
      table({
        id: text,
        kind: text,
        name: text,
        version: text,
        generator: u32,
        leaves: flag,
        threads: u32,
        jobs: u32,
        waiting: count,
        tiles: count,
        found: count,
        done: count,
        set_aside: count,
        refused: count,
        bytes_in: count,
        bytes_out: count,
        uptime_s: count,
        seen_ms: count,
      }),
    ),
    streams: list(table({ name: text, messages: count, bytes: count, max_bytes: count })),
  }),
  'sessions.list': table({
    total: unsigned,
    sessions: list(
      table({
        id: unsigned,
        client: optionalText,
        name: optionalText,
        role: optionalText,
        namespace: optionalText,
        encrypted: flag,
        age_ms: count,
        subscriptions: orElse(u32, zero),
        bytes_in: count,
        bytes_out: count,
        bytes_queued: count,
      }),
    ),
  }),
  stats: dictionary(unsigned),
};

export type Method = keyof typeof RESULTS;
export type Result<M extends Method> = Of<(typeof RESULTS)[M]>;
export type Jobs = Result<'jobs.list'>;
export type Session = Result<'sessions.list'>['sessions'][number];

// --- notifications ---

export const NOTES = {
  tile: table({ subscription: unsigned, world: unsigned, profile: text, ...TILE }),
  synced: table({ subscription: unsigned, world: unsigned, revision: unsigned }),
  progress: table({ world: unsigned, profile: text, done: unsigned, total: unsigned }),
  settings: table({
    subscription: unsigned,
    world: unsigned,
    profile: text,
    settings,
    origin_m: numbers,
    revision: unsigned,
    grid: count,
  }),
  areas: table({ subscription: unsigned, world: unsigned, revision: unsigned, areas: orElse(list(area), none as () => Area[]) }),
  ended: table({ subscription: unsigned, world: unsigned, reason: text }),
  paths: table({ subscription: unsigned, world: unsigned, revision: unsigned, paths: list(watchedPath) }),
  alive: table({}),
  bye: table({ reason: text, retry_ms: unsigned }),
};

export type NoteName = keyof typeof NOTES;
export type Note = { [N in NoteName]: { name: N; params: Of<(typeof NOTES)[N]> } }[NoteName];

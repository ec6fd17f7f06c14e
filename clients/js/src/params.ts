// What the protocol's calls take, by method. Names are those of the protocol, so its pages (docs/protocol.md) explain each key.

import type {
  AreaParams,
  Bounds,
  Compression,
  Encoding,
  Floats,
  Operation,
  PutLink,
  PutVolume,
  Reach,
} from './messages.js';
import type { SettingsParams, Sheet } from './settings.js';
import type { U64 } from './wire/values.js';

type World = { world: U64 };

export interface TileSource {
  settings?: SettingsParams;
  encoding?: Encoding;
  compression?: Compression;
  /** Of the tiles: one of the settings' sheets. */
  sheet?: Sheet;
  first: readonly [x: number, z: number];
  last: readonly [x: number, z: number];
  area?: number;
  areas?: Uint8Array;
  up?: 'y' | 'z';
  unit_m?: number;
  vertices: Float32Array;
  indices: Uint32Array;
  volumes?: Omit<PutVolume, 'op' | 'id'>[];
  links?: Omit<PutLink, 'op'>[];
}

export interface Query {
  from: Floats;
  to: Floats;
}

export interface PlaceOptions {
  /** How far from the ground a place may be, metres; default 2. */
  near_m?: number;
  /** Areas that are walls; no place is on them. */
  exclude?: number[];
}

/** What a path may cross, and what is least. */
export interface PathOptions extends PlaceOptions {
  /** Of an agent that is wider than the tiles were built for. */
  radius_m?: number;
  /** Off-mesh links are taken where that is shorter. */
  links?: boolean;
  /** A metre costs what the world's table of areas says; default false: 1. */
  world_costs?: boolean;
  /** What a metre costs on these areas, whatever the table says. */
  costs?: { area: number; cost: number }[];
  /** Where costs differ: how far a path may be above its `lower_bound`, as a share of its cost; default 0.01. */
  gap?: number;
}

export interface Params {
  hello: {
    version: number;
    client?: string;
    token?: string;
    namespace?: string;
    priority?: 'normal' | 'low' | 'high';
    keepalive?: boolean;
  };
  ping: Record<string, never>;
  'world.open': {
    name: string;
    create?: boolean;
    origin_m?: Floats;
    profiles?: { name: string; settings?: SettingsParams }[];
    reach?: Partial<Reach> & { unreachable: Reach['unreachable'] };
    build?: 'all' | 'watched';
    margin_m?: number;
    areas?: AreaParams[];
    up?: 'y' | 'z';
    unit_m?: number;
  };
  'world.list': Record<string, never>;
  'world.close': World;
  'world.delete': World;
  'world.objects': World & { cursor?: U64; revision?: U64; limit?: number };
  'world.areas': World & { areas?: AreaParams[]; replace?: boolean };
  'world.reach': World;
  'world.edit': World & { base_revision?: U64; ops: Operation[] };
  'world.sync': World & {
    source: string;
    base_revision?: U64;
    ids: BigUint64Array;
    meshes: Uint8Array;
    transforms: Float32Array;
    areas?: Uint8Array;
    names?: Uint8Array;
    dry_run?: boolean;
    adopt?: boolean;
    offset?: U64;
    more?: boolean;
  };
  'world.profile': World & { name: string; settings?: SettingsParams; remove?: boolean };
  'world.origin': World & { origin_m: Floats };
  'mesh.have': { hashes?: Uint8Array[]; sha256?: Uint8Array[] };
  'mesh.put': {
    hash?: Uint8Array;
    vertices: number;
    triangles: number;
    areas?: boolean;
    heights?: 0 | 16 | 32;
    offset?: U64;
    data: Uint8Array;
  };
  'mesh.get': { hash: Uint8Array; offset?: U64 };
  'tiles.subscribe': World & {
    profile: string;
    sheets?: 'all' | readonly Sheet[];
    encoding?: Encoding;
    compression?: Compression;
    bounds?: Bounds;
    focus?: Floats;
    build?: 'all' | 'watched';
    margin_m?: number;
    since?: U64;
    known?: (readonly [x: number, z: number, key: Uint8Array, sheet?: Sheet])[];
  };
  'tiles.unsubscribe': { subscription: U64 };
  'path.watch': World & PathOptions & { profile: string; queries: Query[] };
  'path.unwatch': { subscription: U64 };
  'path.cancel': { call: number };
  'tiles.focus': { subscription: U64; focus?: Floats; bounds?: Bounds; margin_m?: number };
  'tiles.get': World & {
    profile: string;
    encoding?: Encoding;
    compression?: Compression;
    tiles: (readonly [x: number, z: number, sheet?: Sheet])[];
  };
  'tiles.build': TileSource;
  'tiles.failed': World & { limit?: number };
  'tiles.why': World & { profile: string; x: number; z: number; sheet?: Sheet };
  'jobs.wait': World & { revision?: U64; bounds?: Bounds; profile?: string };
  'jobs.list': Partial<World>;
  'jobs.cancel': Partial<World> & { revision?: U64; build?: U64 };
  'path.find': World & PathOptions & { profile: string; queries: Query[] };
  'path.nearest': World & PlaceOptions & { profile: string; queries: { at: Floats }[] };
  'path.raycast': World & PlaceOptions & { profile: string; queries: Query[] };
  'path.wall': World & PlaceOptions & { profile: string; limit_m?: number; queries: { at: Floats }[] };
  'path.random': World & PlaceOptions & {
    profile: string;
    seed?: U64;
    count: number;
    areas?: number[];
    at?: Floats;
    radius_m?: number;
    reachable?: boolean;
  };
  'path.reach': World & PlaceOptions & { profile: string; from: Floats; goals: { at: Floats }[] };
  'path.within': World & PlaceOptions & { profile: string; at: Floats; distance_m: number; outlines?: boolean };
  'farm.check': Record<string, never>;
  'farm.status': Record<string, never>;
  'sessions.list': { limit?: number };
  stats: Record<string, never>;
}

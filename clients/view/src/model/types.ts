// What the page knows of a world, and the messages between the page and its worker.
//
// The worker owns the connection: it reads the protocol, unpacks tiles and turns them into what is drawn. The page never parses
// a tile, so streaming a world does not stop a frame.

import type { WatchedPath } from '../../../js/src/messages.js';

// Side of a chunk, in tiles: tiles of a chunk are drawn together.
export const CHUNK_TILES = 8;

export type TileStatus = 'ok' | 'empty' | 'failed' | 'removed';

// "x,z": what tiles are found by.
export type TileKey = string;
export const tileKey = (x: number, z: number): TileKey => `${x},${z}`;

// What is drawn of one tile. All arrays are views of one buffer, which tiles that came together share, and never change.
export interface TileMesh {
  // Three floats for each vertex: metres from the corner of the tile's chunk in x and z, and from 0 in y.
  positions: Float32Array;
  // For each vertex: bits 0-21 the tile's connected part, 22-27 the area, 28 unreachable, 29 on a wall, 30 relaxed.
  info: Uint32Array;
  // Three vertices for each triangle; those of a cell stand together.
  triangles: Uint32Array;
  // Two vertices for each edge of a cell.
  edges: Uint32Array;
  // Cell c has the triangles firstTriangle[c] to firstTriangle[c + 1] - 1.
  firstTriangle: Uint32Array;
  minY: number;
  maxY: number;
  // How many connected parts the tile has by itself.
  parts: number;
}

// A TileMesh on its way to the page: how long its arrays are, which follow each other in the buffer of the message from `at` on.
export interface PackedMesh {
  at: number; // in words of four bytes, like these:
  positions: number;
  triangles: number;
  edges: number;
  cells: number;
  minY: number;
  maxY: number;
  parts: number;
}

export function unpackMesh(buffer: ArrayBuffer, { at, positions, triangles, edges, cells, minY, maxY, parts }: PackedMesh): TileMesh {
  const take = (words: number) => {
    const array = new Uint32Array(buffer, at * 4, words);
    at += words;
    return array;
  };
  const floats = take(positions);
  return {
    positions: new Float32Array(buffer, floats.byteOffset, positions),
    info: take(positions / 3),
    triangles: take(triangles),
    edges: take(edges),
    firstTriangle: take(cells + 1),
    minY,
    maxY,
    parts,
  };
}

export const INFO_PART = 0x3fffff;
export const INFO_AREA_SHIFT = 22;
export const INFO_UNREACHABLE = 1 << 28;
export const INFO_WALL = 1 << 29;
export const INFO_RELAXED = 1 << 30;

export interface Tile {
  x: number;
  z: number;
  status: Exclude<TileStatus, 'removed'>;
  // Why it failed; '' otherwise.
  reason: string;
  // The world's revision that the tile shows.
  revision: number;
  // The worker's number of it: each tile that comes has another.
  serial: number;
  // Content key in hexadecimal; '' if it has none.
  content: string;
  // Bytes of the unpacked tile.
  bytes: number;
  cells: number;
  links: number;
  queuedUs: number;
  // Time of generation; 0: it came from the cache.
  madeUs: number;
  // When it came, in milliseconds of Date.now().
  arrived: number;
  // Null if there is nothing to draw. A failed tile keeps the mesh that it had before.
  mesh: TileMesh | null;
  // For each of the mesh's parts: the connected component of the world that it belongs to. Known a moment after the tile.
  components: Uint32Array | null;
}

// A tile on its way from the worker.
export type SentTile = Omit<Tile, 'mesh' | 'components'> & { mesh: PackedMesh | null };

export interface Settings {
  [name: string]: unknown;
  cell_size_m: number;
  cell_height_m: number;
  tile_cells: number;
}

export interface Profile {
  name: string;
  settings: Settings;
}

export interface World {
  // A u64: a bigint if a number cannot hold it.
  id: number | bigint;
  name: string;
  // The world's revision when it was opened; Model.revision goes on counting.
  revision: number;
  origin: [number, number, number];
  profiles: Profile[];
}

export interface WorldEntry {
  name: string;
  revision: number;
  instances: number;
}

export interface Area {
  id: number;
  name: string;
  cost: number;
  // 0xrrggbb, if the table has a colour for it.
  color?: number;
  flags?: number;
  walkable: boolean;
}

export interface FailedTile {
  profile: string;
  x: number;
  z: number;
  code: string;
  reason: string;
  stage: string;
  signal: string;
  tries: number;
}

// connecting: the first attempt; open: all is well; waiting: lost, connects again by itself; refused: it is of no use to try again
// without doing something (`message` says what).
export interface ConnectionState {
  state: 'connecting' | 'open' | 'waiting' | 'refused';
  message: string;
  server: string;
  role: string;
}

export interface Failure {
  code: string;
  message: string;
}

// What of the scene's own triangles is drawn: a mesh, and where it is placed (16 numbers each, column by column, as WebGL has them).
export interface SceneBatch {
  positions: Float32Array;
  triangles: Uint32Array;
  placements: Float32Array;
}

// From the page to the worker.
export type ToWorker =
  | { type: 'connect'; url: string; token: string }
  | { type: 'open'; world: string; profile: string }
  | { type: 'focus'; x: number; z: number }
  | { type: 'call'; id: number; method: string; params: Record<string, unknown> }
  // The path to keep and to tell; null: none.
  | { type: 'watch'; id: number; ends: PathEnds | null }
  | { type: 'scene'; wanted: boolean };

export interface PathEnds {
  from: [number, number, number];
  to: [number, number, number];
}

export interface SettingsMessage {
  type: 'settings';
  profile: Profile;
  origin: [number, number, number];
  revision: number;
}

// From the worker to the page.
export type FromWorker =
  | { type: 'connection'; connection: ConnectionState }
  | { type: 'worlds'; worlds: WorldEntry[] }
  | { type: 'opened'; world: World; profile: string }
  | { type: 'missing'; world: string; message: string }
  // Forget all tiles: another world.
  | { type: 'drop' }
  // `meshes`: what is drawn of all of them. `grid`: these are the first tiles of another grid, with its settings; forget those of the
  // one before.
  | { type: 'tiles'; tiles: SentTile[]; meshes: ArrayBuffer; removed: { x: number; z: number; revision: number }[]; grid: SettingsMessage | null }
  // `tiles`: x, z, serial and number of parts of each tile whose components have changed; `components`: those of all of them.
  | { type: 'components'; tiles: Int32Array; components: Uint32Array; count: number }
  | { type: 'synced'; revision: number }
  | { type: 'areas'; areas: Area[] }
  | SettingsMessage
  | { type: 'progress'; done: number; total: number }
  | { type: 'failed'; total: number; tiles: FailedTile[] }
  | { type: 'ended'; reason: string }
  // The path that is kept, by the number of its `watch`; null: it is kept no longer.
  | { type: 'path'; id: number; path: WatchedPath | null }
  | { type: 'called'; id: number; result?: unknown; failure?: Failure }
  | { type: 'scene'; revision: number; batches: SceneBatch[]; triangles: number; message: string };

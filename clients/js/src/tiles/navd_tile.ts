// Reads navd's own tile (docs/formats.md#the-navd-tile) into typed arrays: views of the bytes, nothing for each cell. Counts,
// offsets and indices are checked, so what is here can be used as it is. The checksum is not: browsers have no XXH3.

import { SHEETS, type Sheet } from '../settings.js';
import type { U64 } from '../wire/values.js';
import { refuse, Sections } from './bytes.js';

const MAGIC = 0x5456414e;
const VERSION = 2;
const HEADER_BYTES = 152;
const LINK_BYTES = 36;
const WHAT = 'navd tile';

export type Indices = Uint16Array | Uint32Array;

/** What is behind an edge of a cell that is no other cell. */
export const Behind = { wall: -1, x_plus: -2, z_plus: -3, x_minus: -4, z_minus: -5, seam: -6 } as const;
const BORDERS = 6;

export interface NavdTile {
  revision: U64;
  key: Uint8Array;
  /** Of the frame of its sheet. */
  x: number;
  z: number;
  sheet: Sheet;
  /** Side of the grid that vertices are on: the columns of the profile times `unit`. */
  tile_cells: number;
  /** Squares of that grid along the side of a column: 1 with voxel outlines. */
  unit: number;
  /** Of the world in the frame, metres. */
  origin: [x: number, y: number, z: number];
  /** Side of a square of the grid, metres. */
  cell_size: number;
  cell_height: number;
  agent_height: number;
  agent_radius: number;
  agent_climb: number;
  min_y: number;
  max_y: number;
  relaxation: number;
  vertex_count: number;
  cell_count: number;
  /** On the grid, from the tile's lower corner; voxels for y. */
  vertex_x: Uint16Array;
  vertex_z: Uint16Array;
  vertex_y: Int32Array;
  /** Cell c has the corners first_corner[c] to first_corner[c + 1] - 1. */
  first_corner: Indices;
  /** And the triangles first_triangle[c] to first_triangle[c + 1] - 1. */
  first_triangle: Indices;
  area: Uint8Array;
  /** Bit 0: relaxed; bit 1: unreachable. */
  flags: Uint8Array;
  corner_vertex: Indices;
  /** A cell, or one of the six highest values: see behind(). */
  corner_behind: Indices;
  portal_cell: Indices;
  portal_behind: Indices;
  portal_from: Indices;
  portal_to: Indices;
  portal_width: Float32Array;
  portal_clearance: Float32Array;
  detail_x: Float32Array;
  detail_z: Float32Array;
  detail_y: Float32Array;
  /** Three for each triangle: below vertex_count a vertex, from there on a detail vertex. */
  triangles: Indices;
  links: Links;
}

/** Off-mesh links, in columns. */
export interface Links {
  count: number;
  /** Six numbers each: start and end, metres, in the world. */
  ends: Float32Array;
  radius: Float32Array;
  id: Uint32Array;
  flags: Uint16Array;
  area: Uint8Array;
  both_ways: Uint8Array;
}

/** What a value of `corner_behind` or `portal_behind` means: a cell, or one of Behind. */
export function behind(tile: NavdTile, value: number): number {
  const highest = tile.corner_behind.BYTES_PER_ELEMENT === 2 ? 0xffff : 0xffffffff;
  return value > highest - BORDERS ? value - highest - 1 : value;
}

/** Throws FormatError or TruncatedError. */
export function readNavdTile(bytes: Uint8Array): NavdTile {
  const sections = new Sections(WHAT, bytes, HEADER_BYTES);
  const { view } = sections;
  if (view.getUint32(0, true) !== MAGIC) refuse(WHAT, 'these bytes do not start with NAVT');
  const version = view.getUint32(4, true);
  if (version !== VERSION) refuse(WHAT, `version ${version}, expected ${VERSION}`);
  if (view.getUint32(24, true) !== bytes.length) refuse(WHAT, `${bytes.length} bytes, its header says ${view.getUint32(24, true)}`);
  const index_bytes = view.getUint32(28, true);
  if (index_bytes !== 2 && index_bytes !== 4) refuse(WHAT, `indices of ${index_bytes} bytes, expected 2 or 4`);
  const [V, D, C, K, T, L, P] = [116, 120, 124, 128, 132, 136, 140].map((at) => view.getUint32(at, true)) as Counts;
  const idx = (count: number): Indices => (index_bytes === 2 ? sections.u16(count) : sections.u32(count));
  const revision = view.getBigUint64(8, true);
  const f32 = (at: number): number => view.getFloat32(at, true);
  const tile: NavdTile = {
    revision: revision <= Number.MAX_SAFE_INTEGER ? Number(revision) : revision,
    key: sections.bytes.subarray(32, 48),
    x: view.getInt32(52, true),
    z: view.getInt32(56, true),
    tile_cells: view.getUint32(60, true),
    sheet: SHEETS[view.getUint16(150, true)] ?? refuse(WHAT, `sheet ${view.getUint16(150, true)}`),
    unit: view.getUint16(148, true) || 1,
    origin: [view.getFloat64(64, true), view.getFloat64(72, true), view.getFloat64(80, true)],
    cell_size: f32(88),
    cell_height: f32(92),
    agent_height: f32(96),
    agent_radius: f32(100),
    agent_climb: f32(104),
    min_y: f32(108),
    max_y: f32(112),
    relaxation: f32(144),
    vertex_count: V,
    cell_count: C,
    vertex_x: sections.u16(V),
    vertex_z: sections.u16(V),
    vertex_y: sections.i32(V),
    first_corner: idx(C + 1),
    first_triangle: idx(C + 1),
    area: sections.u8(C),
    flags: sections.u8(C),
    corner_vertex: idx(K),
    corner_behind: idx(K),
    portal_cell: idx(P),
    portal_behind: idx(P),
    portal_from: idx(P),
    portal_to: idx(P),
    portal_width: sections.f32(P),
    portal_clearance: sections.f32(P),
    detail_x: sections.f32(D),
    detail_z: sections.f32(D),
    detail_y: sections.f32(D),
    triangles: idx(3 * T),
    links: readLinks(sections, L),
  };
  sections.end();
  checkRuns('corners', tile.first_corner, K, 3);
  checkRuns('triangles', tile.first_triangle, T, 1);
  checkBelow('a corner', tile.corner_vertex, V);
  checkBelow('a triangle', tile.triangles, V + D);
  checkBelow('a portal', tile.portal_cell, C);
  checkBelow('a portal', tile.portal_from, V);
  checkBelow('a portal', tile.portal_to, V);
  checkBehind(tile, tile.corner_behind);
  checkBehind(tile, tile.portal_behind);
  return tile;
}

type Counts = [number, number, number, number, number, number, number];

function checkRuns(of: string, first: Indices, total: number, least: number): void {
  let before = 0;
  for (let c = 0; c < first.length; c++) {
    const at = first[c]!;
    if (c === 0 ? at !== 0 : at < before + least) refuse(WHAT, `the ${of} of its cells are out of order`);
    before = at;
  }
  if (before !== total) refuse(WHAT, `its cells have ${before} ${of}, its header says ${total}`);
}

function checkBelow(of: string, values: Indices, limit: number): void {
  for (let i = 0; i < values.length; i++) {
    if (values[i]! >= limit) refuse(WHAT, `${of} names ${values[i]}, and there are ${limit}`);
  }
}

function checkBehind({ cell_count }: NavdTile, values: Indices): void {
  const borders = (values.BYTES_PER_ELEMENT === 2 ? 0xffff : 0xffffffff) - BORDERS;
  for (let i = 0; i < values.length; i++) {
    const cell = values[i]!;
    if (cell >= cell_count && cell <= borders) refuse(WHAT, `an edge has cell ${cell} behind it, and there are ${cell_count}`);
  }
}

function makeLinks(count: number): Links {
  return {
    count,
    ends: new Float32Array(6 * count),
    radius: new Float32Array(count),
    id: new Uint32Array(count),
    flags: new Uint16Array(count),
    area: new Uint8Array(count),
    both_ways: new Uint8Array(count),
  };
}

const NO_LINKS = Object.freeze(makeLinks(0)); // of most tiles

function readLinks(sections: Sections, count: number): Links {
  const at = sections.skip(LINK_BYTES * count);
  if (count === 0) return NO_LINKS;
  const links = makeLinks(count);
  for (let i = 0; i < count; i++) {
    const record = at + LINK_BYTES * i;
    for (let k = 0; k < 6; k++) links.ends[6 * i + k] = sections.view.getFloat32(record + 4 * k, true);
    links.radius[i] = sections.view.getFloat32(record + 24, true);
    links.id[i] = sections.view.getUint32(record + 28, true);
    links.flags[i] = sections.view.getUint16(record + 32, true);
    links.area[i] = sections.view.getUint8(record + 34);
    links.both_ways[i] = sections.view.getUint8(record + 35);
  }
  return links;
}

// Of each axis of the world: the frame's axis that lies along it, and which way.
const TURNS: Record<Sheet, readonly (readonly [axis: number, sign: number])[]> = {
  up: [[0, 1], [1, 1], [2, 1]],
  down: [[0, 1], [1, -1], [2, -1]],
  'x+': [[1, 1], [0, -1], [2, 1]],
  'x-': [[1, -1], [0, 1], [2, 1]],
  'z+': [[0, 1], [2, -1], [1, 1]],
  'z-': [[0, 1], [2, 1], [1, -1]],
};

/** Turns places or directions, three numbers each, from the frame of a sheet into the world. */
export function toWorld(sheet: Sheet, places: Float32Array): void {
  const turn = TURNS[sheet];
  for (let i = 0; i < places.length; i += 3) {
    const own = [places[i]!, places[i + 1]!, places[i + 2]!];
    turn.forEach(([axis, sign], k) => {
      places[i + k] = sign * own[axis]!;
    });
  }
}

/** Vertices, then detail vertices, as `triangles` counts them: x, y, z in metres, in the world. Both tiles of a border get the same floats. */
export function navdPositions(tile: NavdTile): Float32Array {
  const V = tile.vertex_count;
  const count = V + tile.detail_x.length;
  const positions = new Float32Array(3 * count);
  const [ox, oy, oz] = tile.origin;
  const grid_x = tile.x * tile.tile_cells;
  const grid_z = tile.z * tile.tile_cells;
  for (let i = 0; i < count; i++) {
    const detail = i - V;
    const x = detail < 0 ? tile.vertex_x[i]! : tile.detail_x[detail]!;
    const y = detail < 0 ? tile.vertex_y[i]! : tile.detail_y[detail]!;
    const z = detail < 0 ? tile.vertex_z[i]! : tile.detail_z[detail]!;
    positions[3 * i] = ox + (grid_x + x) * tile.cell_size;
    positions[3 * i + 1] = oy + y * tile.cell_height;
    positions[3 * i + 2] = oz + (grid_z + z) * tile.cell_size;
  }
  if (tile.sheet !== 'up') toWorld(tile.sheet, positions);
  return positions;
}

// Reads Detour's tile, version 7 with 32-bit references (docs/formats.md#the-detour-tile), into typed arrays: a column for each
// field, nothing for each polygon. Counts and indices are checked.

import { refuse, Sections } from './bytes.js';

const MAGIC = 0x444e4156;
const VERSION = 7;
const HEADER_BYTES = 100;
const POLYGON_BYTES = 32;
const CORNERS = 6;
const WHAT = 'Detour tile';

export interface DetourTile {
  x: number;
  /** Detour's y. */
  z: number;
  layer: number;
  user_id: number;
  walkable_height: number;
  walkable_radius: number;
  walkable_climb: number;
  min: Float32Array;
  max: Float32Array;
  vert_count: number;
  /** Ground polygons and off-mesh links. */
  poly_count: number;
  /** Polygons from here on are off-mesh links. */
  off_mesh_base: number;
  /** Three numbers each. */
  vertices: Float32Array;
  /** Six for each polygon, of which the first poly_corners count. */
  poly_vertices: Uint16Array;
  poly_neighbours: Uint16Array;
  poly_corners: Uint8Array;
  poly_flags: Uint16Array;
  poly_areas: Uint8Array;
  /** 0: ground, 1: off-mesh link. */
  poly_types: Uint8Array;
  detail_first_vertex: Uint32Array;
  detail_first_triangle: Uint32Array;
  detail_vertex_counts: Uint8Array;
  detail_triangle_counts: Uint8Array;
  detail_vertices: Float32Array;
  /** Four each: three corners and flags. */
  detail_triangles: Uint8Array;
  /** Six numbers each: start and end. */
  off_mesh_ends: Float32Array;
  off_mesh_radius: Float32Array;
  off_mesh_both_ways: Uint8Array;
  off_mesh_id: Uint32Array;
}

/** Throws FormatError or TruncatedError. */
export function readDetourTile(bytes: Uint8Array): DetourTile {
  const sections = new Sections(WHAT, bytes, HEADER_BYTES);
  const { view } = sections;
  if (view.getUint32(0, true) !== MAGIC) refuse(WHAT, "these bytes do not start with Detour's magic number");
  const version = view.getInt32(4, true);
  if (version !== VERSION) refuse(WHAT, `version ${version}, expected ${VERSION}`);
  const count = (at: number, of: string): number => {
    const n = view.getInt32(at, true);
    if (n < 0) refuse(WHAT, `${n} ${of}`);
    return n;
  };
  const polys = count(24, 'polygons');
  const verts = count(28, 'vertices');
  const links = count(32, 'links');
  const meshes = count(36, 'detail meshes');
  const detail_verts = count(40, 'detail vertices');
  const detail_tris = count(44, 'detail triangles');
  const nodes = count(48, 'nodes of the box tree');
  const cons = count(52, 'off-mesh links');
  const base = count(56, 'ground polygons');
  if (base > polys || meshes > base) refuse(WHAT, `${base} ground polygons and ${meshes} detail meshes in ${polys} polygons`);
  const bounds = new Float32Array([72, 76, 80, 84, 88, 92].map((at) => view.getFloat32(at, true)));

  const vertices = sections.f32(3 * verts);
  const polygons = readPolygons(view, sections.skip(POLYGON_BYTES * polys), polys);
  sections.skip(12 * links);
  const details = readDetails(view, sections.skip(12 * meshes), meshes);
  const detail_vertices = sections.f32(3 * detail_verts);
  const detail_triangles = sections.u8(4 * detail_tris);
  sections.skip(16 * nodes);
  const off_mesh = readOffMesh(view, sections.skip(36 * cons), cons);
  const tile: DetourTile = {
    x: view.getInt32(8, true),
    z: view.getInt32(12, true),
    layer: view.getInt32(16, true),
    user_id: view.getUint32(20, true),
    walkable_height: view.getFloat32(60, true),
    walkable_radius: view.getFloat32(64, true),
    walkable_climb: view.getFloat32(68, true),
    min: bounds.subarray(0, 3),
    max: bounds.subarray(3, 6),
    vert_count: verts,
    poly_count: polys,
    off_mesh_base: base,
    vertices,
    ...polygons,
    ...details,
    detail_vertices,
    detail_triangles,
    ...off_mesh,
  };
  check(tile);
  return tile;
}

function readPolygons(view: DataView, start: number, count: number) {
  const out = {
    poly_vertices: new Uint16Array(CORNERS * count),
    poly_neighbours: new Uint16Array(CORNERS * count),
    poly_corners: new Uint8Array(count),
    poly_flags: new Uint16Array(count),
    poly_areas: new Uint8Array(count),
    poly_types: new Uint8Array(count),
  };
  for (let i = 0; i < count; i++) {
    const at = start + POLYGON_BYTES * i;
    for (let k = 0; k < CORNERS; k++) {
      out.poly_vertices[CORNERS * i + k] = view.getUint16(at + 4 + 2 * k, true);
      out.poly_neighbours[CORNERS * i + k] = view.getUint16(at + 16 + 2 * k, true);
    }
    out.poly_flags[i] = view.getUint16(at + 28, true);
    out.poly_corners[i] = view.getUint8(at + 30);
    out.poly_areas[i] = view.getUint8(at + 31) & 63;
    out.poly_types[i] = view.getUint8(at + 31) >> 6;
  }
  return out;
}

function readDetails(view: DataView, start: number, count: number) {
  const out = {
    detail_first_vertex: new Uint32Array(count),
    detail_first_triangle: new Uint32Array(count),
    detail_vertex_counts: new Uint8Array(count),
    detail_triangle_counts: new Uint8Array(count),
  };
  for (let i = 0; i < count; i++) {
    const at = start + 12 * i;
    out.detail_first_vertex[i] = view.getUint32(at, true);
    out.detail_first_triangle[i] = view.getUint32(at + 4, true);
    out.detail_vertex_counts[i] = view.getUint8(at + 8);
    out.detail_triangle_counts[i] = view.getUint8(at + 9);
  }
  return out;
}

function readOffMesh(view: DataView, start: number, count: number) {
  const out = {
    off_mesh_ends: new Float32Array(6 * count),
    off_mesh_radius: new Float32Array(count),
    off_mesh_both_ways: new Uint8Array(count),
    off_mesh_id: new Uint32Array(count),
  };
  for (let i = 0; i < count; i++) {
    const at = start + 36 * i;
    for (let k = 0; k < 6; k++) out.off_mesh_ends[6 * i + k] = view.getFloat32(at + 4 * k, true);
    out.off_mesh_radius[i] = view.getFloat32(at + 24, true);
    out.off_mesh_both_ways[i] = view.getUint8(at + 30) & 1;
    out.off_mesh_id[i] = view.getUint32(at + 32, true);
  }
  return out;
}

function check(tile: DetourTile): void {
  const { poly_corners, poly_vertices, vert_count, off_mesh_base } = tile;
  for (let i = 0; i < tile.poly_count; i++) {
    const corners = poly_corners[i]!;
    if (corners > CORNERS || corners < (i < off_mesh_base ? 3 : 2)) refuse(WHAT, `polygon ${i} has ${corners} corners`);
    for (let k = 0; k < corners; k++) {
      const vertex = poly_vertices[CORNERS * i + k]!;
      if (vertex >= vert_count) refuse(WHAT, `polygon ${i} names vertex ${vertex}, and there are ${vert_count}`);
    }
  }
  const vertices = tile.detail_vertices.length / 3;
  const triangles = tile.detail_triangles.length / 4;
  for (let i = 0; i < tile.detail_first_vertex.length; i++) {
    const first = tile.detail_first_triangle[i]!;
    const count = tile.detail_triangle_counts[i]!;
    if (tile.detail_first_vertex[i]! + tile.detail_vertex_counts[i]! > vertices || first + count > triangles) {
      refuse(WHAT, `the detail of polygon ${i} lies outside of the tile's ${vertices} vertices and ${triangles} triangles`);
    }
    const limit = poly_corners[i]! + tile.detail_vertex_counts[i]!;
    for (let t = 4 * first; t < 4 * (first + count); t++) {
      if (t % 4 !== 3 && tile.detail_triangles[t]! >= limit) refuse(WHAT, `a detail triangle of polygon ${i} names a corner too high`);
    }
  }
}

export interface Triangles {
  /** Three numbers each: vertices, then detail vertices. */
  positions: Float32Array;
  /** Three for each triangle. */
  indices: Uint32Array;
  /** For each triangle, its polygon. */
  polygons: Uint32Array;
}

/** The height mesh of the ground, to draw. */
export function detourTriangles(tile: DetourTile): Triangles {
  const positions = new Float32Array(tile.vertices.length + tile.detail_vertices.length);
  positions.set(tile.vertices);
  positions.set(tile.detail_vertices, tile.vertices.length);
  const count = tile.detail_triangle_counts.reduce((sum, n) => sum + n, 0);
  const indices = new Uint32Array(3 * count);
  const polygons = new Uint32Array(count);
  let out = 0;
  for (let i = 0; i < tile.detail_first_vertex.length; i++) {
    const corners = tile.poly_corners[i]!;
    const detail = tile.vert_count + tile.detail_first_vertex[i]! - corners;
    for (let t = 0; t < tile.detail_triangle_counts[i]!; t++) {
      for (let k = 0; k < 3; k++) {
        const corner = tile.detail_triangles[4 * (tile.detail_first_triangle[i]! + t) + k]!;
        indices[3 * out + k] = corner < corners ? tile.poly_vertices[CORNERS * i + corner]! : detail + corner;
      }
      polygons[out++] = i;
    }
  }
  return { positions, indices, polygons };
}

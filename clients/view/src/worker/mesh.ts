// From a navd tile to what is drawn of it. See TileMesh and PackedMesh for the result.
//
// A world has thousands of tiles, and most of them come while the code is still cold: so this works in arrays that stay, without
// objects for each edge or vertex.
import type { NavdTile } from '../../../js/src/tiles/navd_tile.js';
import { CHUNK_TILES, INFO_AREA_SHIFT, INFO_RELAXED, INFO_UNREACHABLE, INFO_WALL, type PackedMesh } from '../model/types.ts';
import { cellEdges } from './cell_edges.ts';
import type { MeshPool } from './mesh_pool.ts';
import { PlaceTable } from './place_table.ts';

const RELAXED = 1;
const UNREACHABLE = 2;
const NONE = 0xffffffff;

const placeTable = new PlaceTable();

let room = 0; // of all of these
let same = new Uint32Array(0); // for each vertex of the tile the first one at the same place
let lastInfo = new Uint32Array(0); // for each vertex of the tile: its newest `info`, and the drawn vertex that has it
let lastVertex = new Uint32Array(0);
let wallVertex = new Uint32Array(0); // and the one of its walls
let drawn = new Uint32Array(0); // `triangles`, in drawn vertices
let source = new Uint32Array(0); // for each drawn vertex: the tile's vertex, and its `info`
let infos = new Uint32Array(0);
let edges = new Uint32Array(0);

// `all` vertices of the tile, `corners` of its triangles. Each corner adds at most one vertex to draw, one of a wall, and one edge.
function makeRoom(all: number, corners: number): void {
  const need = Math.max(all, 2 * corners);
  if (need <= room) return;
  room = Math.max(1024, 2 * need);
  const make = () => new Uint32Array(room);
  same = make();
  lastInfo = make();
  lastVertex = make();
  wallVertex = make();
  drawn = make();
  source = make();
  infos = make();
  edges = make();
}

// `parts` names the connected part of each cell, 0 to `partCount` - 1. The mesh is written to the end of the pool.
export function makeMesh(pool: MeshPool, tile: NavdTile, parts: Uint32Array, partCount: number): PackedMesh {
  const { vertex_count: V, cell_count: C, triangles, first_triangle, area, flags } = tile;
  const all = V + tile.detail_x.length;
  const corners = triangles.length;
  makeRoom(all, corners);
  lastInfo.fill(NONE, 0, all);
  wallVertex.fill(NONE, 0, all);
  findSame(tile);

  // Vertices are shared within what has the same part, area and flags.
  let count = 0;
  for (let c = 0; c < C; c++) {
    const flag = flags[c]!;
    let info = parts[c]! | (area[c]! << INFO_AREA_SHIFT);
    if (flag & UNREACHABLE) info |= INFO_UNREACHABLE;
    if (flag & RELAXED) info |= INFO_RELAXED;
    const end = first_triangle[c + 1]! * 3;
    for (let k = first_triangle[c]! * 3; k < end; k++) {
      const v = triangles[k]!;
      if (lastInfo[v] !== info) {
        lastInfo[v] = info;
        lastVertex[v] = count;
        source[count] = v;
        infos[count++] = info;
      }
      drawn[k] = lastVertex[v]!;
    }
  }

  const { count: edgeCount, from, to, wall } = cellEdges(triangles, first_triangle, C, same);
  for (let e = 0; e < edgeCount; e++) {
    const isWall = wall[e] === 1 && !onBorder(tile, triangles[from[e]!]!, triangles[to[e]!]!);
    for (let end = 0; end < 2; end++) {
      const k = end === 0 ? from[e]! : to[e]!;
      let vertex = drawn[k]!;
      if (isWall) {
        const v = triangles[k]!;
        if (wallVertex[v] === NONE) {
          wallVertex[v] = count;
          source[count] = v;
          infos[count++] = INFO_WALL | (infos[vertex]! & ~INFO_RELAXED);
        }
        vertex = wallVertex[v]!;
      }
      edges[2 * e + end] = vertex;
    }
  }

  const first = pool.take(count * 4 + corners + edgeCount * 2 + C + 1);
  const { words, floats } = pool;
  let at = first + count * 3;
  for (let i = 0; i < count; i++) words[at++] = infos[i]!;
  for (let i = 0; i < corners; i++) words[at++] = drawn[i]!;
  for (let i = 0; i < edgeCount * 2; i++) words[at++] = edges[i]!;
  for (let i = 0; i <= C; i++) words[at++] = first_triangle[i]!;

  const gridX = inChunk(tile.x) * tile.tile_cells;
  const gridZ = inChunk(tile.z) * tile.tile_cells;
  const { cell_size, cell_height, vertex_x, vertex_y, vertex_z, detail_x, detail_y, detail_z } = tile;
  const originY = tile.origin[1];
  for (let i = 0, p = first; i < count; i++, p += 3) {
    const v = source[i]!;
    const d = v - V;
    floats[p] = (gridX + (d < 0 ? vertex_x[v]! : detail_x[d]!)) * cell_size;
    floats[p + 1] = originY + (d < 0 ? vertex_y[v]! : detail_y[d]!) * cell_height;
    floats[p + 2] = (gridZ + (d < 0 ? vertex_z[v]! : detail_z[d]!)) * cell_size;
  }
  return { at: first, positions: count * 3, triangles: corners, edges: edgeCount * 2, cells: C, minY: tile.min_y, maxY: tile.max_y, parts: Math.max(1, partCount) };
}

const inChunk = (n: number): number => n - Math.floor(n / CHUNK_TILES) * CHUNK_TILES;

// Cells do not share detail vertices, but they lie at the same places.
function findSame({ vertex_count: V, detail_x, detail_y, detail_z }: NavdTile): void {
  for (let v = 0; v < V; v++) same[v] = v;
  const D = detail_x.length;
  if (D === 0) return;
  placeTable.clear(D);
  for (let d = 0; d < D; d++) same[V + d] = V + placeTable.first(detail_x[d]!, detail_y[d]!, detail_z[d]!, d);
}

function onBorder(tile: NavdTile, a: number, b: number): boolean {
  const { vertex_count: V, tile_cells } = tile;
  const xa = a < V ? tile.vertex_x[a]! : tile.detail_x[a - V]!;
  const xb = b < V ? tile.vertex_x[b]! : tile.detail_x[b - V]!;
  if (xa === xb && (xa === 0 || xa === tile_cells)) return true;
  const za = a < V ? tile.vertex_z[a]! : tile.detail_z[a - V]!;
  const zb = b < V ? tile.vertex_z[b]! : tile.detail_z[b - V]!;
  return za === zb && (za === 0 || za === tile_cells);
}

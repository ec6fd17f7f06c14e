// From a navd tile to what is drawn of it. See TileMesh for the result.
import type { NavdTile } from '../../../js/src/tiles/navd_tile.js';
import { CHUNK_TILES, INFO_AREA_SHIFT, INFO_RELAXED, INFO_UNREACHABLE, INFO_WALL, type TileMesh } from '../model/types.ts';

const RELAXED = 1;
const UNREACHABLE = 2;

// `parts` names the connected part of each cell, 0 to `partCount` - 1.
export function makeMesh(tile: NavdTile, parts: Uint32Array, partCount: number): TileMesh {
  const { vertex_count: V, cell_count: C, triangles, first_triangle } = tile;
  const all = V + tile.detail_x.length;
  const same = canonical(tile);

  // Vertices are shared within what has the same part, area and flags.
  const source: number[] = []; // vertex of the tile, for each vertex that is drawn
  const infos: number[] = [];
  const lastInfo = new Int32Array(all).fill(-1);
  const lastVertex = new Int32Array(all);
  const add = (v: number, info: number): number => {
    source.push(v);
    infos.push(info);
    return source.length - 1;
  };
  const drawn = new Uint32Array(triangles.length);
  for (let c = 0; c < C; c++) {
    const flags = tile.flags[c]!;
    const info = parts[c]! | (tile.area[c]! << INFO_AREA_SHIFT) | (flags & UNREACHABLE ? INFO_UNREACHABLE : 0) | (flags & RELAXED ? INFO_RELAXED : 0);
    for (let k = first_triangle[c]! * 3; k < first_triangle[c + 1]! * 3; k++) {
      const v = triangles[k]!;
      if (lastInfo[v] !== info) {
        lastInfo[v] = info;
        lastVertex[v] = add(v, info);
      }
      drawn[k] = lastVertex[v]!;
    }
  }

  const edges: number[] = [];
  const wallVertex = new Map<number, number>();
  const wall = (k: number): number => {
    const v = triangles[k]!;
    let at = wallVertex.get(v);
    if (at === undefined) {
      at = add(v, INFO_WALL | (infos[drawn[k]!]! & ~INFO_RELAXED));
      wallVertex.set(v, at);
    }
    return at;
  };
  for (const [from, to, isWall] of outlines(tile, same)) edges.push(isWall ? wall(from) : drawn[from]!, isWall ? wall(to) : drawn[to]!);

  // One buffer for all of it, so that it moves to the page in one piece.
  const count = source.length;
  const words = count * 4 + drawn.length + edges.length + C + 1;
  const buffer = new ArrayBuffer(words * 4);
  let at = 0;
  const take = (n: number) => {
    const view = new Uint32Array(buffer, at, n);
    at += n * 4;
    return view;
  };
  const positions = new Float32Array(buffer, 0, count * 3);
  at = count * 12;
  const info = take(count);
  info.set(infos);
  const outTriangles = take(drawn.length);
  outTriangles.set(drawn);
  const outEdges = take(edges.length);
  outEdges.set(edges);
  const firstTriangle = take(C + 1);
  firstTriangle.set(first_triangle);

  const inChunk = (n: number) => n - Math.floor(n / CHUNK_TILES) * CHUNK_TILES;
  const columnX = inChunk(tile.x) * tile.tile_cells;
  const columnZ = inChunk(tile.z) * tile.tile_cells;
  const { cell_size, cell_height, origin } = tile;
  for (let i = 0; i < count; i++) {
    const v = source[i]!;
    const [x, y, z] = v < V ? [tile.vertex_x[v]!, tile.vertex_y[v]!, tile.vertex_z[v]!] : [tile.detail_x[v - V]!, tile.detail_y[v - V]!, tile.detail_z[v - V]!];
    positions[i * 3] = (columnX + x) * cell_size;
    positions[i * 3 + 1] = origin[1] + y * cell_height;
    positions[i * 3 + 2] = (columnZ + z) * cell_size;
  }
  return { positions, info, triangles: outTriangles, edges: outEdges, firstTriangle, minY: tile.min_y, maxY: tile.max_y, parts: Math.max(1, partCount) };
}

// For each vertex the first one at the same place: cells do not share detail vertices.
function canonical(tile: NavdTile): Uint32Array {
  const V = tile.vertex_count;
  const same = new Uint32Array(V + tile.detail_x.length);
  const places = new Map<string, number>();
  for (let v = 0; v < V; v++) same[v] = v;
  for (let d = 0; d < tile.detail_x.length; d++) {
    const place = `${tile.detail_x[d]},${tile.detail_y[d]},${tile.detail_z[d]}`;
    const first = places.get(place);
    if (first === undefined) places.set(place, V + d);
    same[V + d] = first ?? V + d;
  }
  return same;
}

// The edges of cells along their triangles, so that they lie on what is drawn: two places in `triangles`, and whether it is a wall.
function outlines(tile: NavdTile, same: Uint32Array): [number, number, boolean][] {
  const { triangles, first_triangle, cell_count } = tile;
  const all = same.length;
  const seen = new Map<number, [number, number, boolean]>();
  const own = new Map<number, [number, number] | null>();
  for (let c = 0; c < cell_count; c++) {
    own.clear();
    for (let t = first_triangle[c]! * 3; t < first_triangle[c + 1]! * 3; t += 3) {
      for (let k = 0; k < 3; k++) {
        const [from, to] = [t + k, t + ((k + 1) % 3)];
        const [a, b] = [same[triangles[from]!]!, same[triangles[to]!]!];
        const key = a < b ? a * all + b : b * all + a;
        own.set(key, own.has(key) ? null : [from, to]); // an edge of two triangles is inside the cell
      }
    }
    for (const [key, edge] of own) {
      if (!edge) continue;
      const other = seen.get(key);
      if (other) other[2] = false;
      else seen.set(key, [edge[0], edge[1], !onBorder(tile, triangles[edge[0]]!, triangles[edge[1]]!)]);
    }
  }
  return [...seen.values()];
}

function onBorder(tile: NavdTile, a: number, b: number): boolean {
  const V = tile.vertex_count;
  const x = (v: number) => (v < V ? tile.vertex_x[v]! : tile.detail_x[v - V]!);
  const z = (v: number) => (v < V ? tile.vertex_z[v]! : tile.detail_z[v - V]!);
  const side = (p: number, q: number) => p === q && (p === 0 || p === tile.tile_cells);
  return side(x(a), x(b)) || side(z(a), z(b));
}

// Which tile and cell a ray meets, and where. Boxes of tiles first, then the triangles of those few that it passes.
import { Vector3 } from 'three';
import type { Model, Selection } from '../model/model.ts';
import { CHUNK_TILES, type Tile } from '../model/types.ts';

export interface Hit extends Selection {
  distance: number;
}

// The place of the corner that a tile's positions count from.
export function chunkCorner(model: Model, tile: { x: number; z: number }): [number, number] {
  const side = model.tileSize * CHUNK_TILES;
  const [ox, , oz] = model.world.value?.origin ?? [0, 0, 0];
  return [ox + Math.floor(tile.x / CHUNK_TILES) * side, oz + Math.floor(tile.z / CHUNK_TILES) * side];
}

export function pick(model: Model, from: Vector3, along: Vector3): Hit | null {
  const size = model.tileSize;
  const [ox, , oz] = model.world.value?.origin ?? [0, 0, 0];
  const near: { tile: Tile; enter: number }[] = [];
  for (const tile of model.shown.tiles.values()) {
    if (!tile.mesh) continue;
    const enter = enterBox(from, along, ox + tile.x * size, tile.mesh.minY - 0.05, oz + tile.z * size, size, tile.mesh.maxY + 0.05);
    if (enter !== null) near.push({ tile, enter });
  }
  near.sort((a, b) => a.enter - b.enter);
  let best: Hit | null = null;
  for (const { tile, enter } of near) {
    if (best && enter > best.distance) break;
    const hit = pickTile(model, tile, from, along);
    if (hit && (!best || hit.distance < best.distance)) best = hit;
  }
  return best;
}

// Height of the highest ground at (x, z) that is not above y; null: none.
export function groundBelow(model: Model, x: number, y: number, z: number): number | null {
  const at = model.tileAt(x, z);
  const tile = model.shown.get(at.x, at.z);
  if (!tile?.mesh) return null;
  const top = Math.min(y, tile.mesh.maxY + 1);
  const hit = pickTile(model, tile, new Vector3(x, top, z), new Vector3(0, -1, 0));
  return hit ? hit.point[1] : null;
}

function pickTile(model: Model, tile: Tile, from: Vector3, along: Vector3): Hit | null {
  const mesh = tile.mesh!;
  const [cx, cz] = chunkCorner(model, tile);
  const p = mesh.positions;
  const ray = [from.x - cx, from.y, from.z - cz] as const;
  let nearest = Infinity;
  let triangle = -1;
  for (let t = 0; t < mesh.triangles.length; t += 3) {
    const d = meet(ray, along, p, mesh.triangles[t]! * 3, mesh.triangles[t + 1]! * 3, mesh.triangles[t + 2]! * 3);
    if (d < nearest) {
      nearest = d;
      triangle = t / 3;
    }
  }
  if (triangle < 0) return null;
  const point = from.clone().addScaledVector(along, nearest);
  return { x: tile.x, z: tile.z, cell: cellOf(mesh.firstTriangle, triangle), point: [point.x, point.y, point.z], distance: nearest };
}

// The cell of a triangle: the last one that begins at or before it.
function cellOf(first: Uint32Array, triangle: number): number {
  let low = 0;
  let high = first.length - 1;
  while (high - low > 1) {
    const mid = (low + high) >> 1;
    if (first[mid]! <= triangle) low = mid;
    else high = mid;
  }
  return low;
}

// Distance to the box of a tile along the ray; null: it passes by.
function enterBox(from: Vector3, along: Vector3, x: number, minY: number, z: number, size: number, maxY: number): number | null {
  let enter = 0;
  let leave = Infinity;
  const slab = (o: number, d: number, low: number, high: number) => {
    if (d === 0) {
      if (o < low || o > high) leave = -1;
      return;
    }
    const a = (low - o) / d;
    const b = (high - o) / d;
    enter = Math.max(enter, Math.min(a, b));
    leave = Math.min(leave, Math.max(a, b));
  };
  slab(from.x, along.x, x, x + size);
  slab(from.y, along.y, minY, maxY);
  slab(from.z, along.z, z, z + size);
  return enter <= leave ? enter : null;
}

// Möller and Trumbore: where a ray meets a triangle, from either side; Infinity: nowhere.
function meet(o: readonly [number, number, number], d: Vector3, p: Float32Array, a: number, b: number, c: number): number {
  const [e1x, e1y, e1z] = [p[b]! - p[a]!, p[b + 1]! - p[a + 1]!, p[b + 2]! - p[a + 2]!];
  const [e2x, e2y, e2z] = [p[c]! - p[a]!, p[c + 1]! - p[a + 1]!, p[c + 2]! - p[a + 2]!];
  const hx = d.y * e2z - d.z * e2y;
  const hy = d.z * e2x - d.x * e2z;
  const hz = d.x * e2y - d.y * e2x;
  const det = e1x * hx + e1y * hy + e1z * hz;
  if (Math.abs(det) < 1e-12) return Infinity;
  const inv = 1 / det;
  const [sx, sy, sz] = [o[0] - p[a]!, o[1] - p[a + 1]!, o[2] - p[a + 2]!];
  const u = (sx * hx + sy * hy + sz * hz) * inv;
  if (u < -1e-6 || u > 1 + 1e-6) return Infinity;
  const qx = sy * e1z - sz * e1y;
  const qy = sz * e1x - sx * e1z;
  const qz = sx * e1y - sy * e1x;
  const v = (d.x * qx + d.y * qy + d.z * qz) * inv;
  if (v < -1e-6 || u + v > 1 + 1e-6) return Infinity;
  const t = (e2x * qx + e2y * qy + e2z * qz) * inv;
  return t > 1e-6 ? t : Infinity;
}

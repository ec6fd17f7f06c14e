// The connected parts of one tile, and where they reach its borders.
import { Behind, type NavdTile } from '../../../js/src/tiles/navd_tile.js';

const SIDES = 4; // x+, z+, x-, z-: what is behind them is named by Behind, from -2 downwards
// Of a border edge: from LOW to HIGH along the border, on the tile's grid, at the heights LOW_Y and HIGH_Y, in voxels.
const LOW = 0;
const HIGH = 1;
const LOW_Y = 2;
const HIGH_Y = 3;
const PART = 4;
const EDGE = 5;
const HEADER = SIDES + 1;

let parent = new Uint32Array(0); // these stay from tile to tile
let parts = new Uint32Array(0);

function find(p: Uint32Array, i: number): number {
  while (p[i] !== i) i = p[i] = p[p[i]!]!;
  return i;
}

// What is behind an edge is a cell, or one of the six highest values.
const highest = ({ corner_behind }: NavdTile): number => (corner_behind.BYTES_PER_ELEMENT === 2 ? 0xffff : 0xffffffff);

// The connected part of each cell, until the next call, and how many there are.
export function cellParts(tile: NavdTile): { cells: Uint32Array; count: number } {
  const { cell_count: C, first_corner, corner_behind } = tile;
  if (C > parent.length) {
    parent = new Uint32Array(2 * C);
    parts = new Uint32Array(2 * C);
  }
  const p = parent;
  const cells = parts;
  const cellEnd = highest(tile) - 6;
  for (let c = 0; c < C; c++) p[c] = c;
  for (let c = 0; c < C; c++) {
    const end = first_corner[c + 1]!;
    for (let k = first_corner[c]!; k < end; k++) {
      const other = corner_behind[k]!;
      if (other > cellEnd) continue;
      const a = find(p, c);
      const b = find(p, other);
      if (a < b) p[b] = a;
      else if (b < a) p[a] = b;
    }
  }
  let count = 0;
  for (let c = 0; c < C; c++) {
    const root = find(p, c);
    cells[c] = root === c ? count++ : cells[root]!; // a root is the lowest of its set
  }
  return { cells, count };
}

// The edges on the tile's borders, side by side and along each: HEADER numbers that say where each side begins and the last one
// ends, and EDGE numbers for each edge.
export function borderEdges(tile: NavdTile, cells: Uint32Array): Int32Array {
  const { cell_count: C, first_corner, corner_behind, corner_vertex, vertex_x, vertex_y, vertex_z } = tile;
  const top = highest(tile) + 1;
  const K = corner_behind.length;
  const counts = [0, 0, 0, 0];
  for (let k = 0; k < K; k++) {
    const side = Behind.x_plus - (corner_behind[k]! - top);
    if (side >= 0 && side < SIDES) counts[side]!++;
  }
  let at = HEADER;
  const out = new Int32Array(HEADER + EDGE * (counts[0]! + counts[1]! + counts[2]! + counts[3]!));
  const ends = [0, 0, 0, 0];
  for (let side = 0; side < SIDES; side++) {
    out[side] = ends[side] = at;
    at += EDGE * counts[side]!;
  }
  out[SIDES] = at;
  for (let c = 0; c < C; c++) {
    const first = first_corner[c]!;
    const end = first_corner[c + 1]!;
    for (let k = first; k < end; k++) {
      const side = Behind.x_plus - (corner_behind[k]! - top);
      if (side < 0 || side >= SIDES) continue;
      const along = side % 2 === 0 ? vertex_z : vertex_x;
      let low = corner_vertex[k]!;
      let high = corner_vertex[k + 1 < end ? k + 1 : first]!;
      if (along[high]! < along[low]!) {
        const swap = low;
        low = high;
        high = swap;
      }
      // In order along the side: there are few.
      let e = ends[side]!;
      for (; e > out[side]! && out[e - EDGE + LOW]! > along[low]!; e -= EDGE) out.copyWithin(e, e - EDGE, e);
      out[e + LOW] = along[low]!;
      out[e + HIGH] = along[high]!;
      out[e + LOW_Y] = vertex_y[low]!;
      out[e + HIGH_Y] = vertex_y[high]!;
      out[e + PART] = cells[c]!;
      ends[side]! += EDGE;
    }
  }
  return out;
}

// Edges that overlap, and whose heights come within the climb (in voxels) in the middle of the overlap, join their parts. `side` of
// one tile, 0 or 1, meets the opposite side of the other.
export function joinBorders(mine: Int32Array, side: number, theirs: Int32Array, climb: number, join: (a: number, b: number) => void): void {
  const end = theirs[side + 3]!;
  let first = theirs[side + 2]!;
  for (let a = mine[side]!; a < mine[side + 1]!; a += EDGE) {
    const low = mine[a + LOW]!;
    const high = mine[a + HIGH]!;
    while (first < end && theirs[first + HIGH]! <= low && theirs[first + LOW]! < low) first += EDGE;
    for (let b = first; b < end && theirs[b + LOW]! < high; b += EDGE) {
      const from = Math.max(low, theirs[b + LOW]!);
      const to = Math.min(high, theirs[b + HIGH]!);
      if (from >= to) continue;
      const middle = (from + to) / 2;
      if (Math.abs(heightAt(mine, a, middle) - heightAt(theirs, b, middle)) <= climb) join(mine[a + PART]!, theirs[b + PART]!);
    }
  }
}

function heightAt(edges: Int32Array, e: number, at: number): number {
  const low = edges[e + LOW]!;
  const y = edges[e + LOW_Y]!;
  return y + ((edges[e + HIGH_Y]! - y) * (at - low)) / (edges[e + HIGH]! - low || 1);
}

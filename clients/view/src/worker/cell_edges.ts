// The edges of a tile's cells, found among those of their triangles, so that they lie on what is drawn. An edge that a cell has twice
// is inside of it; one that two cells have is no wall. Edges are found again by their two vertices, in a table with open addressing.
// One function with plain arrays: most tiles come while the code is still cold.
import type { Indices } from '../../../js/src/tiles/navd_tile.js';

export interface CellEdges {
  count: number;
  // Places in the tile's `triangles`.
  from: Uint32Array;
  to: Uint32Array;
  // Only one cell has it.
  wall: Uint8Array;
}

const FREE = -1;

let room = 0;
const found: CellEdges = { count: 0, from: new Uint32Array(0), to: new Uint32Array(0), wall: new Uint8Array(0) };
let slots = new Int32Array(0); // number of an entry
// Of each entry: its vertices, the newest cell that has it, its place among the edges of that cell and among `found`.
let lows = new Uint32Array(0);
let highs = new Uint32Array(0);
let cells = new Int32Array(0);
let mines = new Int32Array(0);
let edges = new Int32Array(0);
// Of each edge of the present cell: its entry, its ends, and whether the cell has it once more.
let entries = new Int32Array(0);
let froms = new Uint32Array(0);
let tos = new Uint32Array(0);
let insides = new Uint8Array(0);

function makeRoom(n: number): void {
  room = Math.max(512, 2 * n);
  found.from = new Uint32Array(room);
  found.to = new Uint32Array(room);
  found.wall = new Uint8Array(room);
  slots = new Int32Array(slotsFor(room));
  lows = new Uint32Array(room);
  highs = new Uint32Array(room);
  cells = new Int32Array(room);
  mines = new Int32Array(room);
  edges = new Int32Array(room);
  entries = new Int32Array(room);
  froms = new Uint32Array(room);
  tos = new Uint32Array(room);
  insides = new Uint8Array(room);
}

function slotsFor(n: number): number {
  let slots = 64;
  while (slots < 2 * n) slots *= 2;
  return slots;
}

// In the order of the cells and of their triangles; valid until the next call. `same` names for each vertex of the tile the first one
// at the same place.
export function cellEdges(triangles: Indices, firstTriangle: Indices, cellCount: number, same: Uint32Array): CellEdges {
  const n = triangles.length;
  if (n > room) makeRoom(n);
  const { from, to, wall } = found;
  // A table of the tile's own size: to clear a large one would take longer than a small tile does.
  const size = slotsFor(n);
  const mask = size - 1;
  const [table, low, high, cell, mine, edge, entryOf, fromOf, toOf, inside] = [slots, lows, highs, cells, mines, edges, entries, froms, tos, insides];
  table.fill(FREE, 0, size);
  let known = 0;
  let count = 0;
  for (let c = 0; c < cellCount; c++) {
    let mineCount = 0;
    const end = firstTriangle[c + 1]! * 3;
    for (let k = firstTriangle[c]! * 3; k < end; k++) {
      const next = k % 3 === 2 ? k - 2 : k + 1;
      const a = same[triangles[k]!]!;
      const b = same[triangles[next]!]!;
      const p = a < b ? a : b;
      const q = a < b ? b : a;
      let slot = ((Math.imul(p, 0x9e3779b1) ^ Math.imul(q, 0x85ebca6b)) >>> 7) & mask;
      let entry = table[slot]!;
      while (entry !== FREE && (low[entry] !== p || high[entry] !== q)) {
        slot = (slot + 1) & mask;
        entry = table[slot]!;
      }
      if (entry === FREE) {
        entry = table[slot] = known++;
        low[entry] = p;
        high[entry] = q;
        edge[entry] = -1;
      } else if (cell[entry] === c) {
        inside[mine[entry]!] = 1;
        continue;
      }
      cell[entry] = c;
      mine[entry] = mineCount;
      entryOf[mineCount] = entry;
      fromOf[mineCount] = k;
      toOf[mineCount] = next;
      inside[mineCount++] = 0;
    }
    for (let i = 0; i < mineCount; i++) {
      if (inside[i]) continue;
      const entry = entryOf[i]!;
      const before = edge[entry]!;
      if (before >= 0) {
        wall[before] = 0;
        continue;
      }
      edge[entry] = count;
      from[count] = fromOf[i]!;
      to[count] = toOf[i]!;
      wall[count++] = 1;
    }
  }
  found.count = count;
  return found;
}

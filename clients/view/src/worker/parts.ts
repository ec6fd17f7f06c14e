// Which ground is connected with which, over all tiles: connected parts of each tile, joined across borders and by off-mesh links.
//
// A tile's parts and its border edges are found when it comes. Who is joined with whom is found from them for all tiles at once,
// which takes milliseconds for thousands of tiles; the caller decides how often.
import { Behind, behind, type NavdTile } from '../../../js/src/tiles/navd_tile.js';
import { type TileKey, tileKey } from '../model/types.ts';

// An edge of ground on a border: from `low` to `high` along it, in columns, at the heights `lowY` and `highY`, in voxels.
interface BorderEdge {
  low: number;
  high: number;
  lowY: number;
  highY: number;
  part: number;
}

interface Node {
  tile: NavdTile;
  cellParts: Uint32Array;
  parts: number;
  borders: [BorderEdge[], BorderEdge[], BorderEdge[], BorderEdge[]]; // x+, z+, x-, z-
  components: Uint32Array; // as last told
}

const SIDES = [Behind.x_plus, Behind.z_plus, Behind.x_minus, Behind.z_minus] as const;

export interface Solved {
  // Tiles whose components have changed.
  changed: { x: number; z: number; components: Uint32Array }[];
  count: number;
}

class UnionFind {
  readonly parent: Uint32Array;

  constructor(n: number) {
    this.parent = new Uint32Array(n);
    for (let i = 0; i < n; i++) this.parent[i] = i;
  }

  find(i: number): number {
    const p = this.parent;
    while (p[i] !== i) i = p[i] = p[p[i]!]!;
    return i;
  }

  join(a: number, b: number): void {
    const [x, y] = [this.find(a), this.find(b)];
    if (x !== y) this.parent[Math.max(x, y)] = Math.min(x, y);
  }
}

export class Parts {
  #nodes = new Map<TileKey, Node>();
  #nextId = 0;

  // The connected part of each cell of the tile, and how many there are.
  set(tile: NavdTile): { cellParts: Uint32Array; parts: number } {
    const sets = new UnionFind(tile.cell_count);
    const borders: Node['borders'] = [[], [], [], []];
    const edges: { side: number; edge: BorderEdge; cell: number }[] = [];
    for (let c = 0; c < tile.cell_count; c++) {
      const [first, end] = [tile.first_corner[c]!, tile.first_corner[c + 1]!];
      for (let k = first; k < end; k++) {
        const what = behind(tile, tile.corner_behind[k]!);
        if (what >= 0) sets.join(c, what);
        else if (what !== Behind.wall) {
          const side = SIDES.indexOf(what as (typeof SIDES)[number]);
          const [p, q] = [tile.corner_vertex[k]!, tile.corner_vertex[k + 1 < end ? k + 1 : first]!];
          const along = side % 2 === 0 ? tile.vertex_z : tile.vertex_x;
          const [low, high] = along[p]! < along[q]! ? [p, q] : [q, p];
          edges.push({ side, cell: c, edge: { low: along[low]!, high: along[high]!, lowY: tile.vertex_y[low]!, highY: tile.vertex_y[high]!, part: 0 } });
        }
      }
    }
    const numbers = new Map<number, number>();
    const cellParts = new Uint32Array(tile.cell_count);
    for (let c = 0; c < tile.cell_count; c++) {
      const root = sets.find(c);
      const number = numbers.get(root) ?? numbers.size;
      numbers.set(root, number);
      cellParts[c] = number;
    }
    for (const { side, edge, cell } of edges) borders[side]!.push({ ...edge, part: cellParts[cell]! });
    for (const list of borders) list.sort((a, b) => a.low - b.low);
    const key = tileKey(tile.x, tile.z);
    // Ids of before stay where they are likely to be right; the rest comes with solve().
    this.#nodes.set(key, { tile, cellParts, parts: numbers.size, borders, components: this.#nodes.get(key)?.components ?? new Uint32Array(0) });
    return { cellParts, parts: numbers.size };
  }

  remove(x: number, z: number): void {
    this.#nodes.delete(tileKey(x, z));
  }

  clear(): void {
    this.#nodes.clear();
    this.#nextId = 0;
  }

  solve(): Solved {
    const base = new Map<Node, number>();
    let total = 0;
    for (const node of this.#nodes.values()) {
      base.set(node, total);
      total += node.parts;
    }
    const sets = new UnionFind(total);
    for (const node of this.#nodes.values()) {
      for (const [side, dx, dz] of [[0, 1, 0], [1, 0, 1]] as const) {
        const other = this.#nodes.get(tileKey(node.tile.x + dx, node.tile.z + dz));
        if (other) joinBorders(node, side, other, (a, b) => sets.join(base.get(node)! + a, base.get(other)! + b));
      }
      this.#joinLinks(node, base, sets);
    }
    return this.#name(base, sets, total);
  }

  #joinLinks(node: Node, base: Map<Node, number>, sets: UnionFind): void {
    const { ends, radius, count } = node.tile.links;
    for (let i = 0; i < count; i++) {
      const at = [0, 3].map((k) => this.#partAt(ends[i * 6 + k]!, ends[i * 6 + k + 1]!, ends[i * 6 + k + 2]!, radius[i]!, node.tile));
      if (at[0] && at[1]) sets.join(base.get(at[0].node)! + at[0].part, base.get(at[1].node)! + at[1].part);
    }
  }

  // The part under a place, or within the radius of it.
  #partAt(x: number, y: number, z: number, radius: number, grid: NavdTile): { node: Node; part: number } | null {
    const size = grid.cell_size * grid.tile_cells;
    const node = this.#nodes.get(tileKey(Math.floor((x - grid.origin[0]) / size), Math.floor((z - grid.origin[2]) / size)));
    if (!node) return null;
    const { tile } = node;
    const px = (x - tile.origin[0]) / tile.cell_size - tile.x * tile.tile_cells;
    const pz = (z - tile.origin[2]) / tile.cell_size - tile.z * tile.tile_cells;
    const reach = radius / tile.cell_size;
    let best = -1;
    let least = Infinity;
    for (let c = 0; c < tile.cell_count; c++) {
      const away = distance(tile, c, px, pz);
      if (away > reach) continue;
      const v = tile.corner_vertex[tile.first_corner[c]!]!;
      const up = Math.abs(tile.origin[1] + tile.vertex_y[v]! * tile.cell_height - y);
      if (away * tile.cell_size + up < least) {
        least = away * tile.cell_size + up;
        best = c;
      }
    }
    return best < 0 ? null : { node, part: node.cellParts[best]! };
  }

  // A component keeps the number that most of it had, so that its colour stays; the largest ones choose first.
  #name(base: Map<Node, number>, sets: UnionFind, total: number): Solved {
    const size = new Uint32Array(total);
    const votes = new Map<number, Map<number, number>>();
    for (const [node, from] of base) {
      for (let part = 0; part < node.parts; part++) {
        const root = sets.find(from + part);
        size[root]!++;
        const before = node.components[part];
        if (before === undefined) continue;
        const of = votes.get(root) ?? new Map<number, number>();
        votes.set(root, of);
        of.set(before, (of.get(before) ?? 0) + 1);
      }
    }
    const roots: number[] = [];
    for (let i = 0; i < total; i++) if (size[i]! > 0) roots.push(i);
    roots.sort((a, b) => size[b]! - size[a]! || a - b);
    const taken = new Set<number>();
    const id = new Uint32Array(total);
    const nameless: number[] = [];
    for (const root of roots) {
      const free = [...(votes.get(root) ?? [])].filter(([name]) => !taken.has(name)).sort((a, b) => b[1] - a[1] || a[0] - b[0])[0];
      if (!free) {
        nameless.push(root);
        continue;
      }
      taken.add(free[0]);
      id[root] = free[0];
    }
    for (const root of nameless) id[root] = this.#nextId++;
    const changed: Solved['changed'] = [];
    for (const [node, from] of base) {
      const components = Uint32Array.from({ length: node.parts }, (_, part) => id[sets.find(from + part)]!);
      const same = components.length === node.components.length && components.every((c, i) => c === node.components[i]);
      if (same) continue;
      node.components = components;
      changed.push({ x: node.tile.x, z: node.tile.z, components });
    }
    return { changed, count: roots.length };
  }
}

// Edges that overlap, and whose heights come within the climb in the middle of the overlap, join their parts.
function joinBorders(node: Node, side: 0 | 1, other: Node, join: (a: number, b: number) => void): void {
  const climb = node.tile.agent_climb / node.tile.cell_height + 1e-3;
  const theirs = other.borders[(side + 2) as 2 | 3];
  let first = 0;
  for (const a of node.borders[side]) {
    while (first < theirs.length && theirs[first]!.high <= a.low && theirs[first]!.low < a.low) first++;
    for (let k = first; k < theirs.length && theirs[k]!.low < a.high; k++) {
      const b = theirs[k]!;
      const [low, high] = [Math.max(a.low, b.low), Math.min(a.high, b.high)];
      if (low >= high) continue;
      const middle = (low + high) / 2;
      if (Math.abs(heightAt(a, middle) - heightAt(b, middle)) <= climb) join(a.part, b.part);
    }
  }
}

const heightAt = (e: BorderEdge, at: number): number => e.lowY + ((e.highY - e.lowY) * (at - e.low)) / (e.high - e.low || 1);

// From a point to a convex cell, in columns; 0 inside.
function distance(tile: NavdTile, cell: number, x: number, z: number): number {
  const [first, end] = [tile.first_corner[cell]!, tile.first_corner[cell + 1]!];
  let inside = true;
  let least = Infinity;
  for (let k = first; k < end; k++) {
    const [p, q] = [tile.corner_vertex[k]!, tile.corner_vertex[k + 1 < end ? k + 1 : first]!];
    const [ax, az, bx, bz] = [tile.vertex_x[p]!, tile.vertex_z[p]!, tile.vertex_x[q]!, tile.vertex_z[q]!];
    const [dx, dz] = [bx - ax, bz - az];
    if (dx * (z - az) - dz * (x - ax) > 0) inside = false; // clockwise: inside is to the right
    const t = Math.max(0, Math.min(1, ((x - ax) * dx + (z - az) * dz) / (dx * dx + dz * dz || 1)));
    least = Math.min(least, Math.hypot(x - ax - t * dx, z - az - t * dz));
  }
  return inside ? 0 : least;
}

// Which ground is connected with which, over all tiles: connected parts of each tile, joined across borders and by off-mesh links.
//
// A tile's parts and its border edges are found when it comes. Who is joined with whom is found from them for all tiles at once,
// which takes milliseconds for thousands of tiles; the caller decides how often. Of a tile only that and its bytes are kept: few
// objects, since all of them live as long as the world is open.
import { readNavdTile, type NavdTile } from '../../../js/src/tiles/navd_tile.js';
import { type TileKey, tileKey } from '../model/types.ts';
import { borderEdges, cellParts, joinBorders } from './tile_parts.ts';

interface Node {
  x: number;
  z: number;
  data: Uint8Array; // the tile
  links: boolean; // it has off-mesh links
  climb: number; // of the agent, in voxels
  parts: number;
  borders: Int32Array; // see borderEdges()
  components: Uint32Array; // as last told
}

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
    const x = this.find(a);
    const y = this.find(b);
    if (x < y) this.parent[y] = x;
    else if (y < x) this.parent[x] = y;
  }
}

export class Parts {
  #nodes = new Map<TileKey, Node>();
  #nextId = 0;

  // `data` is the tile. The connected part of each cell, until the next call, and how many there are.
  set(tile: NavdTile, data: Uint8Array): { cells: Uint32Array; count: number } {
    const found = cellParts(tile);
    const key = tileKey(tile.x, tile.z);
    // Ids of before stay where they are likely to be right; the rest comes with solve().
    const components = this.#nodes.get(key)?.components ?? new Uint32Array(0);
    const climb = tile.agent_climb / tile.cell_height + 1e-3;
    this.#nodes.set(key, { x: tile.x, z: tile.z, data, links: tile.links.count > 0, climb, parts: found.count, borders: borderEdges(tile, found.cells), components });
    return found;
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
    for (const [node, from] of base) {
      for (let side = 0; side < 2; side++) {
        const other = this.#nodes.get(side === 0 ? tileKey(node.x + 1, node.z) : tileKey(node.x, node.z + 1));
        if (!other) continue;
        const to = base.get(other)!;
        joinBorders(node.borders, side, other.borders, node.climb, (a, b) => sets.join(from + a, to + b));
      }
      if (node.links) this.#joinLinks(node, base, sets);
    }
    return this.#name(base, sets, total);
  }

  #joinLinks(node: Node, base: Map<Node, number>, sets: UnionFind): void {
    const tile = readNavdTile(node.data);
    const { ends, radius, count } = tile.links;
    for (let i = 0; i < count; i++) {
      const at = [0, 3].map((k) => this.#partAt(ends[i * 6 + k]!, ends[i * 6 + k + 1]!, ends[i * 6 + k + 2]!, radius[i]!, tile));
      if (at[0] && at[1]) sets.join(base.get(at[0].node)! + at[0].part, base.get(at[1].node)! + at[1].part);
    }
  }

  // The part under a place, or within the radius of it.
  #partAt(x: number, y: number, z: number, radius: number, grid: NavdTile): { node: Node; part: number } | null {
    const size = grid.cell_size * grid.tile_cells;
    const node = this.#nodes.get(tileKey(Math.floor((x - grid.origin[0]) / size), Math.floor((z - grid.origin[2]) / size)));
    if (!node) return null;
    const tile = readNavdTile(node.data);
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
    return best < 0 ? null : { node, part: cellParts(tile).cells[best]! };
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
      const before = node.components;
      let same = before.length === node.parts;
      for (let part = 0; same && part < node.parts; part++) same = id[sets.find(from + part)] === before[part];
      if (same) continue;
      const components = new Uint32Array(node.parts);
      for (let part = 0; part < node.parts; part++) components[part] = id[sets.find(from + part)]!;
      node.components = components;
      changed.push({ x: node.x, z: node.z, components });
    }
    return { changed, count: roots.length };
  }
}

// From a point to a convex cell, on the tile's grid; 0 inside.
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

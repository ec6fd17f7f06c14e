// Tiles of one neighbourhood (CHUNK_TILES on a side) in shared buffers: two draw calls, whatever the number of tiles.
//
//   positions, info   | tile A   slack | tile B  slack | ...        free |      vertices
//   triangles         | tile A slack | tile B   slack | ...         free |      indices
//   edges             | ...                                         free |
//
// A tile that changes is written over its own range, and only this is sent to the graphics card. What it no longer needs becomes
// triangles without area. A tile that has outgrown its range gets one at the end; when the end is reached, the chunk is laid out anew.
import { Box3, BufferAttribute, BufferGeometry, LineSegments, Mesh, Sphere, Vector3 } from 'three';
import { CHUNK_TILES, INFO_PART, type TileKey, type TileMesh } from '../model/types.ts';
import type { Materials } from './material.ts';

interface Range {
  at: number;
  room: number;
}

interface Entry {
  mesh: TileMesh;
  slot: number; // first of the tile's slots in the table of colours
  vertices: Range;
  triangles: Range; // in indices
  edges: Range;
}

// Whole triangles and whole edges, whatever is counted.
const withSlack = (n: number): number => (n === 0 ? 0 : Math.ceil((n * 1.25) / 6 + 1) * 6);

const TILES = CHUNK_TILES * CHUNK_TILES;
// Room is kept for at most so many vertices or indices of tiles that are not there.
const MOST_FORESEEN = 30_000;

export class Chunk {
  readonly ground: Mesh;
  readonly lines: LineSegments;
  // Where it lies in the world.
  readonly box = new Box3();
  readonly entries = new Map<TileKey, Entry>();
  #positions = new BufferAttribute(new Float32Array(0), 3);
  #info = new BufferAttribute(new Uint32Array(0), 1);
  #triangles = new BufferAttribute(new Uint32Array(0), 1);
  #edges = new BufferAttribute(new Uint32Array(0), 1);
  #used = { vertices: 0, triangles: 0, edges: 0 };
  #materials: Materials;
  #side: number;

  // `corner` is the place of the chunk's lowest corner, `tileSize` in metres.
  constructor(materials: Materials, corner: Vector3, tileSize: number) {
    this.#materials = materials;
    this.#side = tileSize * CHUNK_TILES;
    this.ground = new Mesh(new BufferGeometry(), materials.ground);
    this.lines = new LineSegments(new BufferGeometry(), materials.edges);
    this.lines.renderOrder = 1;
    for (const object of [this.ground, this.lines]) {
      object.position.copy(corner);
      object.matrixAutoUpdate = false;
      object.updateMatrix();
      object.matrixWorldAutoUpdate = false;
      object.matrixWorld.copy(object.matrix);
      object.frustumCulled = false; // Ground looks at the boxes, which are smaller than spheres
      object.geometry.boundingSphere = new Sphere(); // by its centre the nearest chunks are drawn first
    }
  }

  get empty(): boolean {
    return this.entries.size === 0;
  }

  // Writes some tiles (null: without anything to draw any more).
  write(tiles: ReadonlyMap<TileKey, TileMesh | null>): void {
    const moved: [TileKey, TileMesh][] = [];
    for (const [key, mesh] of tiles) {
      const entry = this.entries.get(key);
      if (entry && mesh === entry.mesh) continue;
      if (entry) {
        const fits =
          mesh &&
          mesh.positions.length / 3 <= entry.vertices.room &&
          mesh.triangles.length <= entry.triangles.room &&
          mesh.edges.length <= entry.edges.room;
        if (fits) {
          this.#materials.colours.give(entry.slot, entry.mesh.parts);
          entry.slot = this.#materials.colours.take(mesh.parts);
          entry.mesh = mesh;
          this.#fill(entry);
          continue;
        }
        this.#erase(key, entry);
      }
      if (mesh && mesh.triangles.length > 0) moved.push([key, mesh]);
    }
    if (moved.length > 0) this.#append(moved);
    this.#setBounds();
  }

  dispose(): void {
    for (const entry of this.entries.values()) this.#materials.colours.give(entry.slot, entry.mesh.parts);
    this.entries.clear();
    this.ground.geometry.dispose();
    this.lines.geometry.dispose();
  }

  #append(tiles: [TileKey, TileMesh][]): void {
    const need = { ...this.#used };
    for (const [, mesh] of tiles) {
      need.vertices += withSlack(mesh.positions.length / 3);
      need.triangles += withSlack(mesh.triangles.length);
      need.edges += withSlack(mesh.edges.length);
    }
    for (const [key, mesh] of tiles) {
      const slot = this.#materials.colours.take(mesh.parts);
      this.entries.set(key, { mesh, slot, vertices: { at: 0, room: 0 }, triangles: { at: 0, room: 0 }, edges: { at: 0, room: 0 } });
    }
    if (need.vertices > this.#positions.count || need.triangles > this.#triangles.count || need.edges > this.#edges.count) {
      this.#layOut();
      return;
    }
    for (const [key] of tiles) {
      const entry = this.entries.get(key)!;
      this.#place(entry);
      this.#fill(entry);
    }
    this.#setDrawRange();
  }

  #place(entry: Entry): void {
    const take = (kind: 'vertices' | 'triangles' | 'edges', n: number) => {
      const range = { at: this.#used[kind], room: withSlack(n) };
      this.#used[kind] += range.room;
      return range;
    };
    entry.vertices = take('vertices', entry.mesh.positions.length / 3);
    entry.triangles = take('triangles', entry.mesh.triangles.length);
    entry.edges = take('edges', entry.mesh.edges.length);
  }

  // New buffers with room for half as much again, and for the tiles that a chunk still lacks while a world streams in.
  #layOut(): void {
    this.ground.geometry.dispose();
    this.lines.geometry.dispose();
    this.#used = { vertices: 0, triangles: 0, edges: 0 };
    for (const entry of this.entries.values()) this.#place(entry);
    const missing = TILES / Math.max(1, this.entries.size) - 1;
    const room = (n: number) => n + 64 + Math.max(n >> 1, Math.min(Math.ceil(n * missing * 1.1), MOST_FORESEEN));
    this.#positions = new BufferAttribute(new Float32Array(room(this.#used.vertices) * 3), 3);
    this.#info = new BufferAttribute(new Uint32Array(room(this.#used.vertices)), 1);
    this.#triangles = new BufferAttribute(new Uint32Array(room(this.#used.triangles)), 1);
    this.#edges = new BufferAttribute(new Uint32Array(room(this.#used.edges)), 1);
    for (const geometry of [this.ground.geometry, this.lines.geometry]) {
      geometry.setAttribute('position', this.#positions);
      geometry.setAttribute('info', this.#info);
    }
    this.ground.geometry.setIndex(this.#triangles);
    this.lines.geometry.setIndex(this.#edges);
    for (const entry of this.entries.values()) this.#fill(entry, false);
    this.#setDrawRange();
  }

  #setDrawRange(): void {
    this.ground.geometry.setDrawRange(0, this.#used.triangles);
    this.lines.geometry.setDrawRange(0, this.#used.edges);
  }

  #fill(entry: Entry, send = true): void {
    const { mesh, vertices, triangles, edges } = entry;
    (this.#positions.array as Float32Array).set(mesh.positions, vertices.at * 3);
    const info = this.#info.array as Uint32Array;
    for (let i = 0; i < mesh.info.length; i++) {
      const value = mesh.info[i]!;
      info[vertices.at + i] = (value & ~INFO_PART) | ((value & INFO_PART) + entry.slot);
    }
    const index = (attribute: BufferAttribute, from: Uint32Array, to: Range) => {
      const array = attribute.array as Uint32Array;
      for (let i = 0; i < from.length; i++) array[to.at + i] = from[i]! + vertices.at;
      array.fill(vertices.at, to.at + from.length, to.at + to.room);
      if (send && to.room > 0) update(attribute, to.at, to.room);
    };
    index(this.#triangles, mesh.triangles, triangles);
    index(this.#edges, mesh.edges, edges);
    if (send) {
      update(this.#positions, vertices.at * 3, mesh.positions.length);
      update(this.#info, vertices.at, mesh.info.length);
    }
  }

  #erase(key: TileKey, entry: Entry): void {
    this.entries.delete(key);
    this.#materials.colours.give(entry.slot, entry.mesh.parts);
    for (const [attribute, range] of [
      [this.#triangles, entry.triangles],
      [this.#edges, entry.edges],
    ] as const) {
      (attribute.array as Uint32Array).fill(0, range.at, range.at + range.room);
      if (range.room > 0) update(attribute, range.at, range.room);
    }
  }

  #setBounds(): void {
    let low = Infinity;
    let high = -Infinity;
    for (const { mesh } of this.entries.values()) {
      low = Math.min(low, mesh.minY);
      high = Math.max(high, mesh.maxY);
    }
    if (low > high) low = high = 0;
    const { x, y, z } = this.ground.position;
    this.box.min.set(x, y + low, z);
    this.box.max.set(x + this.#side, y + high, z + this.#side);
    const half = this.#side / 2;
    for (const { geometry } of [this.ground, this.lines]) geometry.boundingSphere!.center.set(half, (low + high) / 2, half);
  }
}

// Sends a part of a buffer with the next frame. Many parts become one: sending has a price for each.
function update(attribute: BufferAttribute, at: number, count: number): void {
  const ranges = attribute.updateRanges;
  if (ranges.length >= 4) {
    const start = Math.min(at, ...ranges.map((r) => r.start));
    const end = Math.max(at + count, ...ranges.map((r) => r.start + r.count));
    attribute.clearUpdateRanges();
    attribute.addUpdateRange(start, end - start);
  } else {
    attribute.addUpdateRange(at, count);
  }
  attribute.needsUpdate = true;
}

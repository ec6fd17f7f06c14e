// Tiles of one neighbourhood (CHUNK_TILES on a side) in shared buffers: two draw calls, whatever the number of tiles.
//
//   positions, info   | tile A   slack | tile B  slack | ...        free |      vertices
//   triangles, edges  | tile A | tile B | ...                       free |      indices
//
// A tile that changes is written over its own vertices, and only these are sent to the graphics card. A tile that has outgrown its
// range gets one at the end; when the end is reached, the chunk is laid out anew. Indices lie without gaps, for a gap is drawn like
// anything else; they are few, so all of the chunk are written with each change.
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
}

const withSlack = (n: number): number => Math.ceil(n * 1.25) + 8;

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
  #used = 0; // vertices
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
        this.#materials.colours.give(entry.slot, entry.mesh.parts);
        if (mesh && mesh.triangles.length > 0 && mesh.positions.length / 3 <= entry.vertices.room) {
          entry.slot = this.#materials.colours.take(mesh.parts);
          entry.mesh = mesh;
          this.#fill(entry);
          continue;
        }
        this.entries.delete(key);
      }
      if (mesh && mesh.triangles.length > 0) moved.push([key, mesh]);
    }
    if (moved.length > 0) this.#append(moved);
    this.#writeIndices();
    this.#setBounds();
  }

  dispose(): void {
    for (const entry of this.entries.values()) this.#materials.colours.give(entry.slot, entry.mesh.parts);
    this.entries.clear();
    this.#release();
  }

  #append(tiles: [TileKey, TileMesh][]): void {
    const added: Entry[] = [];
    let need = this.#used;
    for (const [key, mesh] of tiles) {
      const entry = { mesh, slot: this.#materials.colours.take(mesh.parts), vertices: { at: 0, room: 0 } };
      need += withSlack(mesh.positions.length / 3);
      this.entries.set(key, entry);
      added.push(entry);
    }
    if (need > this.#positions.count) return this.#layOut();
    for (const entry of added) {
      this.#place(entry);
      this.#fill(entry);
    }
  }

  #place(entry: Entry): void {
    entry.vertices = { at: this.#used, room: withSlack(entry.mesh.positions.length / 3) };
    this.#used += entry.vertices.room;
  }

  // New buffers of vertices.
  #layOut(): void {
    this.#release();
    this.#used = 0;
    for (const entry of this.entries.values()) this.#place(entry);
    const room = this.#roomFor(this.#used);
    this.#positions = new BufferAttribute(new Float32Array(room * 3), 3);
    this.#info = new BufferAttribute(new Uint32Array(room), 1);
    for (const geometry of [this.ground.geometry, this.lines.geometry]) {
      geometry.setAttribute('position', this.#positions);
      geometry.setAttribute('info', this.#info);
    }
    for (const entry of this.entries.values()) this.#fill(entry, false);
  }

  // For half as much again, and for the tiles that the chunk still lacks while a world streams in.
  #roomFor(n: number): number {
    const missing = TILES / Math.max(1, this.entries.size) - 1;
    return n + 64 + Math.max(n >> 1, Math.min(Math.ceil(n * missing * 1.1), MOST_FORESEEN));
  }

  #fill({ mesh, slot, vertices }: Entry, send = true): void {
    (this.#positions.array as Float32Array).set(mesh.positions, vertices.at * 3);
    const info = this.#info.array as Uint32Array;
    for (let i = 0; i < mesh.info.length; i++) {
      const value = mesh.info[i]!;
      info[vertices.at + i] = (value & ~INFO_PART) | ((value & INFO_PART) + slot);
    }
    if (send) {
      update(this.#positions, vertices.at * 3, mesh.positions.length);
      update(this.#info, vertices.at, mesh.info.length);
    }
  }

  #writeIndices(): void {
    const counts = { triangles: 0, edges: 0 };
    for (const { mesh } of this.entries.values()) {
      counts.triangles += mesh.triangles.length;
      counts.edges += mesh.edges.length;
    }
    if (counts.triangles > this.#triangles.count || counts.edges > this.#edges.count) {
      this.#release();
      this.#triangles = new BufferAttribute(new Uint32Array(this.#roomFor(counts.triangles)), 1);
      this.#edges = new BufferAttribute(new Uint32Array(this.#roomFor(counts.edges)), 1);
      this.ground.geometry.setIndex(this.#triangles);
      this.lines.geometry.setIndex(this.#edges);
    }
    const toTriangles = this.#triangles.array as Uint32Array;
    const toEdges = this.#edges.array as Uint32Array;
    let triangles = 0;
    let edges = 0;
    for (const { mesh, vertices } of this.entries.values()) {
      for (let i = 0; i < mesh.triangles.length; i++) toTriangles[triangles++] = mesh.triangles[i]! + vertices.at;
      for (let i = 0; i < mesh.edges.length; i++) toEdges[edges++] = mesh.edges[i]! + vertices.at;
    }
    this.ground.geometry.setDrawRange(0, triangles);
    this.lines.geometry.setDrawRange(0, edges);
    for (const [attribute, count] of [[this.#triangles, triangles], [this.#edges, edges]] as const) {
      attribute.clearUpdateRanges();
      update(attribute, 0, count);
    }
  }

  // What the graphics card has of it. Both go together: they share their vertices.
  #release(): void {
    this.ground.geometry.dispose();
    this.lines.geometry.dispose();
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

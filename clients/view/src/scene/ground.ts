// The ground of the world: the shown tiles, in chunks, with their colours.
import { Box3, Frustum, Group, Matrix4, PerspectiveCamera, Vector3 } from 'three';
import { CHUNK_TILES, type Tile, type TileKey, type TileMesh, tileKey } from '../model/types.ts';
import type { Model } from '../model/model.ts';
import { Chunk } from './chunk.ts';
import { type Mode, distinct, tileColour } from './colours.ts';
import type { Materials } from './material.ts';

// Edges of cells are drawn where a tile is at least so wide on the screen: nearer to each other they are only noise.
const EDGE_TILE_PX = 44;
// The scale of heights covers at least so much.
const FLAT_M = 2;

const chunkId = (x: number, z: number): string => `${Math.floor(x / CHUNK_TILES)},${Math.floor(z / CHUNK_TILES)}`;

export interface GroundStats {
  // Chunks written to by the newest call of update() that had something to do, and how long it took, in milliseconds.
  chunksTouched: number;
  updateMs: number;
  // Since the page was opened.
  chunksTouchedInAll: number;
}

export class Ground {
  readonly group = new Group();
  readonly stats: GroundStats = { chunksTouched: 0, updateMs: 0, chunksTouchedInAll: 0 };
  showEdges = true;
  #model: Model;
  #materials: Materials;
  #chunks = new Map<string, Chunk>();
  #pending = new Map<string, Map<TileKey, Tile | null>>(); // by chunk, in the order of arrival
  #mode: Mode = 'height';
  #heightsDue = false;
  #low = 0;
  #high = 1;

  // `changed`: there is something to update() or to draw.
  constructor(model: Model, materials: Materials, changed: () => void) {
    this.#model = model;
    this.#materials = materials;
    this.group.matrixWorldAutoUpdate = false;
    for (const [key, tile] of model.shown.tiles) this.#take(key, tile.x, tile.z, tile); // came before the scene's code
    model.shown.changed.on((changes) => {
      if (changes.length === 0) this.#clear();
      for (const { key, x, z, after } of changes) this.#take(key, x, z, after);
      changed();
    });
    model.componentsChanged.on((tiles) => {
      if (this.#mode !== 'part') return;
      for (const tile of tiles) this.#colour(tile);
      changed();
    });
  }

  get mode(): Mode {
    return this.#mode;
  }

  set mode(mode: Mode) {
    this.#mode = mode;
    this.#materials.setMode(mode);
    this.recolour();
  }

  get chunkCount(): number {
    return this.#chunks.size;
  }

  get busy(): boolean {
    return this.#pending.size > 0;
  }

  get heights(): [number, number] {
    return [this.#low, this.#high];
  }

  // Moves tiles that have come into their chunks, for about so many milliseconds. False: there are more.
  update(budgetMs: number): boolean {
    const start = performance.now();
    let touched = 0;
    for (const [id, tiles] of this.#pending) {
      if (touched > 0 && performance.now() - start > budgetMs) break;
      this.#pending.delete(id);
      if (this.#write(id, tiles)) touched++;
    }
    if (touched > 0) {
      this.stats.chunksTouched = touched;
      this.stats.chunksTouchedInAll += touched;
      this.stats.updateMs = performance.now() - start;
      this.#heightsDue = true;
    }
    return !this.busy;
  }

  #take(key: TileKey, x: number, z: number, tile: Tile | null): void {
    const id = chunkId(x, z);
    const list = this.#pending.get(id);
    if (list) list.set(key, tile);
    else this.#pending.set(id, new Map([[key, tile]]));
  }

  // False: there was nothing to write, and is nothing.
  #write(id: string, tiles: ReadonlyMap<TileKey, Tile | null>): boolean {
    let chunk = this.#chunks.get(id);
    const meshes = new Map<TileKey, TileMesh | null>();
    let any = false;
    for (const [key, tile] of tiles) {
      const mesh = tile?.mesh ?? null;
      meshes.set(key, mesh);
      any ||= mesh !== null;
    }
    if (!chunk) {
      if (!any) return false;
      const [cx, cz] = id.split(',').map(Number) as [number, number];
      chunk = new Chunk(this.#materials, this.#corner(cx, cz), this.#model.tileSize);
      this.#chunks.set(id, chunk);
      this.group.add(chunk.ground, chunk.lines);
    }
    chunk.write(meshes);
    if (chunk.empty) this.#drop(id, chunk);
    for (const tile of tiles.values()) if (tile) this.#colour(tile);
    return true;
  }

  // Writes the colours of all tiles anew, for a mode that has colours by tile.
  recolour(): void {
    if (this.#mode === 'height' || this.#mode === 'area') return;
    for (const tile of this.#model.shown.tiles.values()) this.#colour(tile);
  }

  // Before a frame: the scale of heights, which chunks can be seen, and which are near enough to have the edges of cells drawn.
  prepare(camera: PerspectiveCamera, heightPx: number): void {
    if (this.#heightsDue) this.#fitHeights();
    this.#heightsDue = false;
    const side = this.#model.tileSize;
    const perMetre = heightPx / (2 * Math.tan((camera.fov * Math.PI) / 360));
    const frustum = new Frustum().setFromProjectionMatrix(new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse));
    for (const { ground, lines, box } of this.#chunks.values()) {
      ground.visible = frustum.intersectsBox(box);
      const away = Math.max(1, box.distanceToPoint(camera.position));
      lines.visible = ground.visible && this.showEdges && (side * perMetre) / away > EDGE_TILE_PX;
    }
  }

  // Of all shown ground, and of failed tiles; empty if there is none.
  bounds(): Box3 {
    const size = this.#model.tileSize;
    const [ox, , oz] = this.#model.world.value?.origin ?? [0, 0, 0];
    let [x0, y0, z0, x1, y1, z1] = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
    for (const { x, z, mesh, status } of this.#model.shown.tiles.values()) {
      const ground = mesh !== null && mesh.triangles.length > 0;
      if (!ground && status !== 'failed') continue;
      x0 = Math.min(x0, x);
      x1 = Math.max(x1, x + 1);
      z0 = Math.min(z0, z);
      z1 = Math.max(z1, z + 1);
      if (!ground) continue;
      y0 = Math.min(y0, mesh.minY);
      y1 = Math.max(y1, mesh.maxY);
    }
    if (y0 > y1 && x0 < x1) y0 = y1 = (this.#low + this.#high) / 2;
    return new Box3(new Vector3(ox + x0 * size, y0, oz + z0 * size), new Vector3(ox + x1 * size, y1, oz + z1 * size));
  }

  #corner(cx: number, cz: number): Vector3 {
    const side = this.#model.tileSize * CHUNK_TILES;
    const [ox, , oz] = this.#model.world.value?.origin ?? [0, 0, 0];
    return new Vector3(ox + cx * side, 0, oz + cz * side);
  }

  #colour(tile: Tile): void {
    if (this.#mode === 'height' || this.#mode === 'area') return;
    const entry = this.#chunks.get(chunkId(tile.x, tile.z))?.entries.get(tileKey(tile.x, tile.z));
    if (!entry || entry.mesh !== tile.mesh) return;
    const now = Date.now();
    for (let part = 0; part < entry.mesh.parts; part++) {
      const colour = this.#mode === 'part' ? distinct(tile.components?.[part] ?? 0) : tileColour(this.#mode, tile, now);
      this.#materials.colours.set(entry.slot + part, colour);
    }
  }

  // The scale of heights, over all that is shown.
  #fitHeights(): void {
    let low = Infinity;
    let high = -Infinity;
    for (const { mesh } of this.#model.shown.tiles.values()) {
      if (!mesh || mesh.triangles.length === 0) continue;
      low = Math.min(low, mesh.minY);
      high = Math.max(high, mesh.maxY);
    }
    if (low > high) return;
    // Flat ground has the colour of the middle.
    const more = Math.max(0, FLAT_M - (high - low)) / 2;
    this.#low = low - more;
    this.#high = high + more;
    this.#materials.setHeights(this.#low, this.#high);
  }

  #drop(id: string, chunk: Chunk): void {
    this.#chunks.delete(id);
    this.group.remove(chunk.ground, chunk.lines);
    chunk.dispose();
  }

  #clear(): void {
    this.#pending.clear();
    for (const [id, chunk] of this.#chunks) this.#drop(id, chunk);
    this.#materials.colours.clear();
  }
}

// What is drawn over the ground: the cell under the cursor, the selected tile and cell, failed and empty tiles, what has just
// changed, and the centre of the orbit.
import { BufferAttribute, BufferGeometry, Color, DoubleSide, Group, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial, PlaneGeometry, RingGeometry, Vector3 } from 'three';
import type { Model, Selection } from '../model/model.ts';
import type { Tile, TileMesh } from '../model/types.ts';
import { STATUS_COLOURS } from './colours.ts';
import { chunkCorner } from './pick.ts';

// What has changed is outlined for so long.
export const FLASH_MS = 1200;

class Outline {
  readonly lines: LineSegments;
  #material: LineBasicMaterial;

  constructor(order: number, through: boolean) {
    this.#material = new LineBasicMaterial({ depthTest: !through, transparent: true });
    this.lines = new LineSegments(new BufferGeometry(), this.#material);
    this.lines.renderOrder = order;
    this.lines.frustumCulled = false;
    this.lines.visible = false;
  }

  colour(hex: number): void {
    this.#material.color.setHex(hex);
  }

  // Pairs of points, in metres from `corner`.
  set(corner: Vector3, points: Float32Array): void {
    this.lines.geometry.dispose();
    this.lines.geometry = new BufferGeometry();
    this.lines.geometry.setAttribute('position', new BufferAttribute(points, 3));
    this.lines.position.copy(corner);
    this.lines.updateMatrixWorld();
    this.lines.visible = points.length > 0;
  }

  hide(): void {
    this.lines.visible = false;
  }
}

// The edges of a cell that no other triangle of it has.
export function cellOutline(mesh: TileMesh, cell: number): Float32Array {
  const edges = new Map<string, [number, number] | null>();
  for (let t = mesh.firstTriangle[cell]! * 3; t < mesh.firstTriangle[cell + 1]! * 3; t += 3) {
    for (let k = 0; k < 3; k++) {
      const a = mesh.triangles[t + k]!;
      const b = mesh.triangles[t + ((k + 1) % 3)]!;
      const key = a < b ? `${a},${b}` : `${b},${a}`;
      edges.set(key, edges.has(key) ? null : [a, b]);
    }
  }
  const out: number[] = [];
  for (const edge of edges.values()) {
    for (const v of edge ?? []) out.push(mesh.positions[v * 3]!, mesh.positions[v * 3 + 1]! + 0.03, mesh.positions[v * 3 + 2]!);
  }
  return new Float32Array(out);
}

export class Marks {
  readonly group = new Group();
  #model: Model;
  #hover = new Outline(4, true);
  #cell = new Outline(5, true);
  #tile = new Outline(5, true);
  #fresh = new Outline(4, true);
  #failed = new Outline(3, true);
  #plates: InstancedMesh | null = null;
  #plateMaterial = new MeshBasicMaterial({ transparent: true, opacity: 0.35, side: DoubleSide, depthWrite: false });
  #centre: Mesh;
  #flashes = new Map<string, { tile: Tile; until: number }>();
  #showEmpty = false;

  constructor(model: Model, invalidate: () => void) {
    this.#model = model;
    this.group.matrixWorldAutoUpdate = false;
    const ring = new RingGeometry(0.75, 1, 40);
    ring.rotateX(-Math.PI / 2);
    this.#centre = new Mesh(ring, new MeshBasicMaterial({ transparent: true, opacity: 0.85, depthTest: false, side: DoubleSide }));
    this.#centre.renderOrder = 6;
    this.#centre.visible = false;
    this.#centre.frustumCulled = false;
    this.group.add(this.#hover.lines, this.#cell.lines, this.#tile.lines, this.#fresh.lines, this.#failed.lines, this.#centre);
    model.hover.watch((at) => {
      this.#outlineCell(this.#hover, at);
      invalidate();
    });
    const select = () => {
      const at = model.selection.value;
      this.#outlineCell(this.#cell, at && at.cell >= 0 ? at : null);
      this.#outlineTile(this.#tile, at);
      invalidate();
    };
    model.selection.watch(select);
    model.shown.changed.on((changes) => {
      if (changes.length === 0) this.#flashes.clear();
      const { selection } = model;
      const at = selection.value;
      // The cell has another number in the new tile, if it is there at all.
      if (at && changes.some((c) => c.x === at.x && c.z === at.z)) selection.set({ ...at, cell: -1 });
      model.hover.set(null);
    });
    this.setTheme(true);
  }

  setTheme(dark: boolean): void {
    this.#hover.colour(dark ? 0xffffff : 0x10141c);
    this.#cell.colour(0xffb627);
    this.#tile.colour(0xffb627);
    this.#fresh.colour(dark ? 0x7fe7ff : 0x0077b6);
    this.#failed.colour(0xe5484d);
    (this.#centre.material as MeshBasicMaterial).color.setHex(dark ? 0xffffff : 0x10141c);
  }

  set showEmpty(show: boolean) {
    this.#showEmpty = show;
  }

  // Outlines tiles that have just changed, for a moment.
  flash(tiles: readonly Tile[], now: number): void {
    for (const tile of tiles) this.#flashes.set(`${tile.x},${tile.z}`, { tile, until: now + FLASH_MS });
    this.#drawFlashes();
  }

  // Takes away outlines whose moment has passed; the time of the next one, null: none.
  expire(now: number): number | null {
    let next = Infinity;
    let gone = false;
    for (const [key, { until }] of this.#flashes) {
      if (until <= now) {
        this.#flashes.delete(key);
        gone = true;
      } else next = Math.min(next, until);
    }
    if (gone) this.#drawFlashes();
    return next === Infinity ? null : next;
  }

  // Tiles that have no ground to show: failed ones, and empty ones where they are asked for.
  updatePlates(midY: number): void {
    const size = this.#model.tileSize;
    const [ox, , oz] = this.#model.world.value?.origin ?? [0, 0, 0];
    const failed: Tile[] = [];
    const plates: Tile[] = [];
    for (const tile of this.#model.shown.tiles.values()) {
      if (tile.status === 'failed') failed.push(tile);
      if (tile.status === 'failed' || (this.#showEmpty && tile.status === 'empty')) plates.push(tile);
    }
    if (this.#plates) {
      this.group.remove(this.#plates);
      this.#plates.geometry.dispose();
      this.#plates.dispose();
      this.#plates = null;
    }
    if (plates.length > 0) {
      const square = new PlaneGeometry(1, 1);
      square.rotateX(-Math.PI / 2);
      const mesh = new InstancedMesh(square, this.#plateMaterial, plates.length);
      mesh.frustumCulled = false;
      mesh.renderOrder = 2;
      const at = new Matrix4();
      const colour = new Color();
      plates.forEach((tile, i) => {
        const y = this.#plateHeight(tile, midY);
        at.makeScale(size * 0.96, 1, size * 0.96).setPosition(ox + (tile.x + 0.5) * size, y, oz + (tile.z + 0.5) * size);
        mesh.setMatrixAt(i, at);
        const [r, g, b] = STATUS_COLOURS[tile.status];
        mesh.setColorAt(i, colour.setRGB(r / 255, g / 255, b / 255));
      });
      mesh.updateMatrixWorld();
      this.#plates = mesh;
      this.group.add(mesh);
    }
    const points: number[] = [];
    for (const tile of failed) {
      const y = this.#plateHeight(tile, midY);
      const [x0, z0] = [ox + (tile.x + 0.02) * size, oz + (tile.z + 0.02) * size];
      const [x1, z1] = [ox + (tile.x + 0.98) * size, oz + (tile.z + 0.98) * size];
      points.push(x0, y, z0, x1, y, z0, x1, y, z0, x1, y, z1, x1, y, z1, x0, y, z1, x0, y, z1, x0, y, z0, x0, y, z0, x1, y, z1, x1, y, z0, x0, y, z1);
    }
    this.#failed.set(...near(points));
  }

  // The ring around which the camera turns, of the same size on the screen wherever it is.
  showCentre(at: Vector3 | null, size: number): void {
    this.#centre.visible = at !== null;
    if (!at) return;
    this.#centre.position.copy(at);
    this.#centre.scale.setScalar(size);
    this.#centre.updateMatrixWorld();
  }

  #plateHeight(tile: Tile, midY: number): number {
    if (tile.mesh && tile.mesh.triangles.length > 0) return tile.mesh.maxY + 0.1;
    let sum = 0;
    let n = 0;
    for (const [dx, dz] of [[1, 0], [-1, 0], [0, 1], [0, -1]] as const) {
      const mesh = this.#model.shown.get(tile.x + dx, tile.z + dz)?.mesh;
      if (!mesh || mesh.triangles.length === 0) continue;
      sum += (mesh.minY + mesh.maxY) / 2;
      n++;
    }
    return (n > 0 ? sum / n : midY) + 0.1;
  }

  #outlineCell(outline: Outline, at: Selection | null): void {
    const tile = at && this.#model.shown.get(at.x, at.z);
    if (!tile?.mesh || at!.cell < 0 || at!.cell >= tile.mesh.firstTriangle.length - 1) return outline.hide();
    const [x, z] = chunkCorner(this.#model, tile);
    outline.set(new Vector3(x, 0, z), cellOutline(tile.mesh, at!.cell));
  }

  #outlineTile(outline: Outline, at: { x: number; z: number } | null): void {
    if (!at) return outline.hide();
    const tile = this.#model.shown.get(at.x, at.z);
    outline.set(...near(this.#box(at, tile?.mesh ?? null)));
  }

  #drawFlashes(): void {
    const points: number[] = [];
    for (const { tile } of this.#flashes.values()) points.push(...this.#box(tile, tile.mesh));
    this.#fresh.set(...near(points));
  }

  // The box of a tile, twelve edges.
  #box({ x, z }: { x: number; z: number }, mesh: TileMesh | null): number[] {
    const size = this.#model.tileSize;
    const [ox, , oz] = this.#model.world.value?.origin ?? [0, 0, 0];
    const [x0, z0, x1, z1] = [ox + x * size, oz + z * size, ox + (x + 1) * size, oz + (z + 1) * size];
    const y0 = mesh?.minY ?? 0;
    const y1 = (mesh?.maxY ?? 0) + 0.05;
    const ring = (y: number) => [x0, y, z0, x1, y, z0, x1, y, z0, x1, y, z1, x1, y, z1, x0, y, z1, x0, y, z1, x0, y, z0];
    if (y1 - y0 < 0.2) return ring(y1);
    return [...ring(y0), ...ring(y1), x0, y0, z0, x0, y1, z0, x1, y0, z0, x1, y1, z0, x1, y0, z1, x1, y1, z1, x0, y0, z1, x0, y1, z1];
  }
}

// Points in the world as a corner and what is left, so that they keep their precision far from the origin.
function near(points: number[]): [Vector3, Float32Array] {
  const corner = points.length > 0 ? new Vector3(points[0], points[1], points[2]) : new Vector3();
  const out = new Float32Array(points.length);
  for (let i = 0; i < points.length; i += 3) {
    out[i] = points[i]! - corner.x;
    out[i + 1] = points[i + 1]! - corner.y;
    out[i + 2] = points[i + 2]! - corner.z;
  }
  return [corner, out];
}

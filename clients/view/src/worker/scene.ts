// The scene's own triangles: read when they are asked for, and again after a change. Meshes are read once and kept while the world
// is open. Meshes that stand in many places are drawn by placing them; single ones are put together, so that there are few batches.
import { type Client, NavdError, type U64 } from '../../../js/src/index.js';
import { hex, type Mesh } from '../../../js/src/geometry.js';
import type { FromWorker, SceneBatch } from '../model/types.ts';

const MOST_TRIANGLES = 4_000_000;
const MANY = 4; // instances of a mesh from which on it is placed, not copied
const BATCH_VERTICES = 200_000;
const AT_ONCE = 8;
const AGAIN_MS = 200;
const SETTLE_MS = 300;

type Post = (message: FromWorker, transfer?: Transferable[]) => void;

interface Placed {
  mesh: Uint8Array;
  transforms: ArrayLike<number>[]; // three rows of four
}

export class SceneReader {
  #post: Post;
  #client: Client | null = null;
  #world: U64 = 0;
  #wanted = false;
  #meshes = new Map<string, Mesh>();
  #turn = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(post: Post) {
    this.#post = post;
  }

  enter(client: Client, world: U64): void {
    this.#client = client;
    this.#world = world;
    if (this.#wanted) void this.#read();
  }

  leave(): void {
    this.#client = null;
    this.#turn++;
    this.#meshes.clear();
    clearTimeout(this.#timer);
  }

  want(wanted: boolean): void {
    this.#wanted = wanted;
    this.#turn++;
    if (wanted) void this.#read();
  }

  // The world has another revision.
  changed(): void {
    if (!this.#wanted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#read(), SETTLE_MS);
  }

  async #read(): Promise<void> {
    const client = this.#client;
    if (!client) return;
    const mine = ++this.#turn;
    const current = () => mine === this.#turn;
    try {
      const { revision, objects } = await client.objects(this.#world);
      const placed = new Map<string, Placed>();
      for (const object of objects) {
        if (object.op !== 'put_instance') continue;
        const key = hex(object.mesh);
        const entry = placed.get(key) ?? { mesh: object.mesh, transforms: [] };
        placed.set(key, entry);
        entry.transforms.push(object.transform);
      }
      const left = [...placed].filter(([key]) => !this.#meshes.has(key));
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (let next = left.pop(); next && current(); next = left.pop()) this.#meshes.set(next[0], await this.#mesh(client, next[1].mesh));
        }),
      );
      if (!current()) return;
      for (const key of this.#meshes.keys()) if (!placed.has(key)) this.#meshes.delete(key);
      const { batches, triangles, message } = this.#batches(placed);
      this.#post(
        { type: 'scene', revision: Number(revision), batches, triangles, message },
        batches.flatMap((b) => [b.positions.buffer, b.triangles.buffer, b.placements.buffer] as ArrayBuffer[]),
      );
    } catch (thrown) {
      if (!current()) return;
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      this.#post({ type: 'scene', revision: 0, batches: [], triangles: 0, message });
    }
  }

  async #mesh(client: Client, hash: Uint8Array): Promise<Mesh> {
    for (;;) {
      try {
        return await client.getMesh(hash);
      } catch (thrown) {
        if (!(thrown instanceof NavdError) || thrown.code !== 'again') throw thrown; // else it is still being read from disk
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }

  #batches(placed: ReadonlyMap<string, Placed>): { batches: SceneBatch[]; triangles: number; message: string } {
    const batches: SceneBatch[] = [];
    let triangles = 0;
    let left = 0;
    let single: { mesh: Mesh; transform: ArrayLike<number> }[] = [];
    let vertices = 0;
    const finish = () => {
      if (single.length > 0) batches.push(together(single));
      single = [];
      vertices = 0;
    };
    for (const [key, { transforms }] of placed) {
      const mesh = this.#meshes.get(key)!;
      const count = (mesh.indices.length / 3) * transforms.length;
      if (triangles + count > MOST_TRIANGLES) {
        left += count;
        continue;
      }
      triangles += count;
      if (transforms.length >= MANY) {
        const placements = new Float32Array(transforms.length * 16);
        transforms.forEach((t, i) => placements.set(column(t), i * 16));
        batches.push({ positions: mesh.vertices.slice(), triangles: mesh.indices.slice(), placements });
        continue;
      }
      for (const transform of transforms) {
        single.push({ mesh, transform });
        vertices += mesh.vertices.length / 3;
        if (vertices > BATCH_VERTICES) finish();
      }
    }
    finish();
    const message = left > 0 ? `${triangles.toLocaleString('en')} triangles; ${left.toLocaleString('en')} more are too many to draw` : '';
    return { batches, triangles, message };
  }
}

// Rows of a transform as WebGL's columns.
function column(t: ArrayLike<number>): number[] {
  return [t[0]!, t[4]!, t[8]!, 0, t[1]!, t[5]!, t[9]!, 0, t[2]!, t[6]!, t[10]!, 0, t[3]!, t[7]!, t[11]!, 1];
}

function together(list: readonly { mesh: Mesh; transform: ArrayLike<number> }[]): SceneBatch {
  const positions = new Float32Array(list.reduce((n, { mesh }) => n + mesh.vertices.length, 0));
  const triangles = new Uint32Array(list.reduce((n, { mesh }) => n + mesh.indices.length, 0));
  let v = 0;
  let k = 0;
  for (const { mesh, transform: t } of list) {
    const base = v / 3;
    for (let i = 0; i < mesh.vertices.length; i += 3) {
      const [x, y, z] = [mesh.vertices[i]!, mesh.vertices[i + 1]!, mesh.vertices[i + 2]!];
      positions[v++] = t[0]! * x + t[1]! * y + t[2]! * z + t[3]!;
      positions[v++] = t[4]! * x + t[5]! * y + t[6]! * z + t[7]!;
      positions[v++] = t[8]! * x + t[9]! * y + t[10]! * z + t[11]!;
    }
    for (const index of mesh.indices) triangles[k++] = index + base;
  }
  return { positions, triangles, placements: new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]) };
}

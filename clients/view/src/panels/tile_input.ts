// The triangles that a tile is made from, as a Wavefront OBJ file: those of all instances within its padded bounds, in the world's
// metres. Volumes and links, which OBJ has no place for, stand in comments. `navctl tile dump` writes the same without loss.
import type { WorldObject } from '../../../js/src/messages.js';
import type { Model } from '../model/model.ts';

type Instance = Extract<WorldObject, { op: 'put_instance' }>;
type Page = { revision: number | bigint; objects: WorldObject[]; next: number | bigint };
type Part = { vertices: number; triangles: number; areas: boolean; data: Uint8Array };

const PAGE = 4096;

interface Mesh {
  positions: Float32Array;
  indices: Uint32Array;
}

export async function tileInput(model: Model, x: number, z: number): Promise<{ text: string; triangles: number }> {
  const world = model.world.value!;
  const settings = model.profile.value!.settings;
  const size = model.tileSize;
  const cell = settings.cell_size_m;
  const padding = (Math.ceil(Number(settings.agent_radius_m) / cell) + 3) * cell;
  const [ox, , oz] = world.origin;
  const bounds = [ox + x * size - padding, oz + z * size - padding, ox + (x + 1) * size + padding, oz + (z + 1) * size + padding] as const;

  const objects: WorldObject[] = [];
  let page = await model.call<Page>('world.objects', { world: world.id, limit: PAGE });
  objects.push(...page.objects);
  while (page.next !== 0) {
    page = await model.call<Page>('world.objects', { world: world.id, limit: PAGE, cursor: page.next, revision: page.revision });
    objects.push(...page.objects);
  }
  const meshes = new Map<string, Promise<Mesh>>();
  const meshOf = (hash: Uint8Array): Promise<Mesh> => {
    const key = hash.join();
    let mesh = meshes.get(key);
    if (!mesh) meshes.set(key, (mesh = readMesh(model, hash)));
    return mesh;
  };

  const lines = [`# Input of tile ${x},${z} of world ${world.name}, profile ${model.profile.value!.name}, revision ${page.revision}`];
  for (const [name, value] of Object.entries(settings)) lines.push(`# ${name} = ${Array.isArray(value) ? value.join(' ') : String(value)}`);
  let triangles = 0;
  let vertices = 0;
  for (const object of objects) {
    if (object.op !== 'put_instance') {
      lines.push(`# ${JSON.stringify(object, (_, value: unknown) => (ArrayBuffer.isView(value) ? Array.from(value as never) : typeof value === 'bigint' ? String(value) : value))}`);
      continue;
    }
    const faces = placed(object, await meshOf(object.mesh), bounds);
    if (faces.length === 0) continue;
    lines.push(`o ${object.name || `instance_${object.id}`}`, `usemtl area_${object.area}`);
    for (let v = 0; v < faces.length; v += 3) lines.push(`v ${faces[v]} ${faces[v + 1]} ${faces[v + 2]}`);
    for (let t = 0; t < faces.length; t += 9) {
      lines.push(`f ${vertices + 1} ${vertices + 2} ${vertices + 3}`);
      vertices += 3;
      triangles++;
    }
  }
  return { text: `${lines.join('\n')}\n`, triangles };
}

async function readMesh(model: Model, hash: Uint8Array): Promise<Mesh> {
  let bytes = new Uint8Array(0);
  for (;;) {
    const part = await model.call<Part>('mesh.get', { hash, offset: bytes.length });
    if (bytes.length === 0) bytes = new Uint8Array(part.data);
    else {
      const longer = new Uint8Array(bytes.length + part.data.length);
      longer.set(bytes);
      longer.set(part.data, bytes.length);
      bytes = longer;
    }
    const whole = 12 * (part.vertices + part.triangles);
    if (bytes.length < whole && part.data.length > 0) continue;
    return { positions: new Float32Array(bytes.buffer, 0, 3 * part.vertices), indices: new Uint32Array(bytes.buffer, 12 * part.vertices, 3 * part.triangles) };
  }
}

// Nine numbers for each triangle whose box touches the bounds.
function placed({ transform: m }: Instance, { positions, indices }: Mesh, [minX, minZ, maxX, maxZ]: readonly [number, number, number, number]): number[] {
  const out: number[] = [];
  const corner = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let t = 0; t < indices.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const v = 3 * indices[t + k]!;
      const [px, py, pz] = [positions[v]!, positions[v + 1]!, positions[v + 2]!];
      for (let row = 0; row < 3; row++) {
        corner[3 * k + row] = Math.fround(m[4 * row]! * px + m[4 * row + 1]! * py + m[4 * row + 2]! * pz + m[4 * row + 3]!);
      }
    }
    const xs = [corner[0]!, corner[3]!, corner[6]!];
    const zs = [corner[2]!, corner[5]!, corner[8]!];
    if (Math.max(...xs) < minX || Math.min(...xs) > maxX || Math.max(...zs) < minZ || Math.min(...zs) > maxZ) continue;
    out.push(...corner);
  }
  return out;
}

// The ground that is shown as a binary glTF file: a mesh for each area, with its name and colour; metres, Y up, as glTF has it.
import { CHUNK_TILES, INFO_AREA_SHIFT, type Tile } from '../model/types.ts';
import type { Model } from '../model/model.ts';
import { areaColour } from '../scene/colours.ts';

const GLB_MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BIN_CHUNK = 0x004e4942;
const FLOAT = 5126;
const UNSIGNED_INT = 5125;
const ARRAY_BUFFER = 34962;
const ELEMENT_ARRAY_BUFFER = 34963;

interface Part {
  positions: number[];
  indices: number[];
}

export function groundAsGlb(model: Model): { bytes: ArrayBuffer; triangles: number } {
  const tiles = [...model.shown.tiles.values()].filter((tile) => tile.mesh && tile.mesh.triangles.length > 0);
  if (tiles.length === 0) throw new Error('there is no ground yet');
  // Positions count from a corner near the ground, so that they keep their precision.
  const side = model.tileSize * CHUNK_TILES;
  const [ox, , oz] = model.world.value!.origin;
  const chunk = (n: number) => Math.floor(n / CHUNK_TILES);
  const first = [Math.min(...tiles.map((t) => chunk(t.x))), Math.min(...tiles.map((t) => chunk(t.z)))] as const;
  const parts = new Map<number, Part>();
  for (const tile of tiles) addTile(parts, tile, (chunk(tile.x) - first[0]) * side, (chunk(tile.z) - first[1]) * side);

  const blobs: Uint8Array[] = [];
  let size = 0;
  const bufferViews: object[] = [];
  const accessors: object[] = [];
  const add = (bytes: Uint8Array, target: number, accessor: object): number => {
    bufferViews.push({ buffer: 0, byteOffset: size, byteLength: bytes.length, target });
    accessors.push({ bufferView: bufferViews.length - 1, ...accessor });
    blobs.push(bytes);
    size += bytes.length; // of four-byte values: the next one is aligned
    return accessors.length - 1;
  };
  const meshes: object[] = [];
  const materials: object[] = [];
  const nodes: object[] = [];
  let triangles = 0;
  const table = model.areas.value;
  for (const [id, { positions, indices }] of [...parts].sort(([a], [b]) => a - b)) {
    const points = new Float32Array(positions);
    const [min, max] = bounds(points);
    const name = table.find((area) => area.id === id)?.name || (id === 63 ? 'ground' : `area ${id}`);
    const position = add(new Uint8Array(points.buffer), ARRAY_BUFFER, { componentType: FLOAT, count: points.length / 3, type: 'VEC3', min, max });
    const index = add(new Uint8Array(new Uint32Array(indices).buffer), ELEMENT_ARRAY_BUFFER, { componentType: UNSIGNED_INT, count: indices.length, type: 'SCALAR' });
    const colour = areaColour(id, table).map((c) => (c / 255) ** 2.2);
    materials.push({ name, doubleSided: true, pbrMetallicRoughness: { baseColorFactor: [...colour, 1], metallicFactor: 0, roughnessFactor: 1 } });
    meshes.push({ name, primitives: [{ attributes: { POSITION: position }, indices: index, material: materials.length - 1 }] });
    nodes.push({ name, mesh: meshes.length - 1, translation: [ox + first[0] * side, 0, oz + first[1] * side] });
    triangles += indices.length / 3;
  }
  const gltf = {
    asset: { version: '2.0', generator: 'navd view' },
    scene: 0,
    scenes: [{ name: model.world.value!.name, nodes: nodes.map((_, i) => i) }],
    nodes,
    meshes,
    materials,
    accessors,
    bufferViews,
    buffers: [{ byteLength: size }],
  };
  return { bytes: pack(JSON.stringify(gltf), blobs, size), triangles };
}

function addTile(parts: Map<number, Part>, { mesh }: Tile, dx: number, dz: number): void {
  const { positions, info, triangles } = mesh!;
  const places = new Map<number, number>(); // vertex of the tile → of the part; a vertex has one area
  for (let k = 0; k < triangles.length; k++) {
    const v = triangles[k]!;
    const area = (info[v]! >>> INFO_AREA_SHIFT) & 63;
    let part = parts.get(area);
    if (!part) parts.set(area, (part = { positions: [], indices: [] }));
    let at = places.get(v);
    if (at === undefined) {
      at = part.positions.length / 3;
      places.set(v, at);
      part.positions.push(positions[3 * v]! + dx, positions[3 * v + 1]!, positions[3 * v + 2]! + dz);
    }
    part.indices.push(at);
  }
}

function bounds(points: Float32Array): [number[], number[]] {
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  points.forEach((n, i) => {
    min[i % 3] = Math.min(min[i % 3]!, n);
    max[i % 3] = Math.max(max[i % 3]!, n);
  });
  return [min, max];
}

function pack(json: string, blobs: Uint8Array[], size: number): ArrayBuffer {
  const text = new TextEncoder().encode(json + ' '.repeat((4 - (new TextEncoder().encode(json).length % 4)) % 4));
  const bytes = new Uint8Array(12 + 8 + text.length + 8 + size);
  const view = new DataView(bytes.buffer);
  [GLB_MAGIC, 2, bytes.length, text.length, JSON_CHUNK].forEach((n, i) => view.setUint32(4 * i, n, true));
  bytes.set(text, 20);
  let at = 20 + text.length;
  view.setUint32(at, size, true);
  view.setUint32(at + 4, BIN_CHUNK, true);
  at += 8;
  for (const blob of blobs) {
    bytes.set(blob, at);
    at += blob.length;
  }
  return bytes.buffer;
}

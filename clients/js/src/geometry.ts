// Meshes and lists of instances as navd takes them: see docs/protocol/meshes.md and docs/protocol/sources.md.

import { ArgumentError } from './errors.js';
import type { Floats } from './messages.js';
import type { U64 } from './wire/values.js';

export interface Mesh {
  /** Three numbers each: x, y, z. */
  vertices: Float32Array;
  /** Three vertices for each triangle, anticlockwise seen from the front. */
  indices: Uint32Array;
  /** For each triangle its area, or 255 for that of the instance. */
  areas?: Uint8Array;
}

/** An instance in the list of `sync`. */
export interface Instance {
  id: U64;
  /** What putMesh() answered. */
  mesh: Uint8Array;
  /** Three rows of four, row by row; by default nothing is moved. */
  transform?: Floats;
  area?: number;
  name?: string;
}

export const IDENTITY: readonly number[] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];

/** Bytes of a view, as they are in memory; every platform that has these types counts as little-endian. */
export function bytesOf(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/** The string of bytes that a mesh is. Throws ArgumentError. */
export function meshBytes({ vertices, indices, areas }: Mesh): Uint8Array {
  const triangles = indices.length / 3;
  if (vertices.length % 3 !== 0) throw new ArgumentError(`${vertices.length} numbers in vertices: expected three for each vertex`);
  if (!Number.isInteger(triangles)) throw new ArgumentError(`${indices.length} indices: expected three for each triangle`);
  if (areas && areas.length !== triangles) {
    throw new ArgumentError(`${areas.length} areas: expected one for each of the ${triangles} triangles`);
  }
  const bytes = new Uint8Array(vertices.byteLength + indices.byteLength + (areas?.length ?? 0));
  bytes.set(bytesOf(vertices), 0);
  bytes.set(bytesOf(indices), vertices.byteLength);
  if (areas) bytes.set(areas, vertices.byteLength + indices.byteLength);
  return bytes;
}

/** The mesh in a string of bytes. Throws ArgumentError. */
export function meshOf(bytes: Uint8Array, vertices: number, triangles: number, areas: boolean): Mesh {
  const expected = 12 * (vertices + triangles) + (areas ? triangles : 0);
  if (bytes.length !== expected) throw new ArgumentError(`a mesh of ${bytes.length} bytes: expected ${expected}`);
  const copy = bytes.slice().buffer;
  const mesh: Mesh = {
    vertices: new Float32Array(copy, 0, 3 * vertices),
    indices: new Uint32Array(copy, 12 * vertices, 3 * triangles),
  };
  if (areas) mesh.areas = new Uint8Array(copy, 12 * (vertices + triangles), triangles);
  return mesh;
}

/** The SHA-256 of bytes; undefined where there is none: browsers have it for https and localhost alone. */
export async function sha256(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const subtle = globalThis.crypto?.subtle;
  return subtle ? new Uint8Array(await subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)) : undefined;
}

/** A key or hash as people read it. */
export function hex(key: Uint8Array): string {
  return Array.from(key, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export interface Columns {
  ids: BigUint64Array;
  meshes: Uint8Array;
  transforms: Float32Array;
  areas?: Uint8Array;
  names?: Uint8Array;
}

/** The columns that `world.sync` takes. Names go along if any instance of the whole list has one. */
export function columnsOf(instances: readonly Instance[], named: boolean): Columns {
  const columns: Columns = {
    ids: new BigUint64Array(instances.length),
    meshes: new Uint8Array(16 * instances.length),
    transforms: new Float32Array(12 * instances.length),
    areas: new Uint8Array(instances.length),
  };
  const names: Uint8Array[] = [];
  const encoder = new TextEncoder();
  instances.forEach(({ id, mesh, transform = IDENTITY, area = 63, name = '' }, i) => {
    if (mesh.length !== 16) throw new ArgumentError(`instance ${id}: its mesh has ${mesh.length} bytes, expected a key of 16`);
    if (transform.length !== 12) throw new ArgumentError(`instance ${id}: its transform has ${transform.length} numbers, expected 12`);
    columns.ids[i] = BigInt(id);
    columns.meshes.set(mesh, 16 * i);
    columns.transforms.set(transform, 12 * i);
    columns.areas![i] = area;
    if (!named) return;
    const bytes = encoder.encode(name);
    if (bytes.length > 200) throw new ArgumentError(`instance ${id}: its name has ${bytes.length} bytes, expected at most 200`);
    names.push(Uint8Array.of(bytes.length), bytes);
  });
  if (named) {
    columns.names = new Uint8Array(names.reduce((sum, piece) => sum + piece.length, 0));
    let at = 0;
    for (const piece of names) {
      columns.names.set(piece, at);
      at += piece.length;
    }
  }
  return columns;
}

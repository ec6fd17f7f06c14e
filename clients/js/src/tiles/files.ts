// Files of many tiles: navd's own (docs/formats.md#the-file-of-navd-tiles) and Detour's MSET. Tiles are views of the file's bytes.

import { TruncatedError } from '../errors.js';
import type { Area } from '../messages.js';
import { SHEETS, type Sheet } from '../settings.js';
import type { U64 } from '../wire/values.js';
import { refuse } from './bytes.js';
import { readDetourTile } from './detour_tile.js';

const NAVD_MAGIC = 0x4656414e;
const NAVD_HEADER_BYTES = 32;
const AREA_BYTES = 80;
const RECORD_BYTES = 48;
const MSET_MAGIC = 0x4d534554;
const MSET_HEADER_BYTES = 40;
const REFERENCE_BITS = 22; // of a reference, for tile and polygon together

export interface NavdFile {
  areas: Area[];
  tiles: { x: number; z: number; sheet: Sheet; profile: number; revision: U64; key: Uint8Array; data: Uint8Array }[];
}

export interface MsetFile {
  origin: [x: number, y: number, z: number];
  tile_width: number;
  tile_height: number;
  max_tiles: number;
  max_polys: number;
  tiles: { ref: number; data: Uint8Array }[];
}

function viewOf(what: string, bytes: Uint8Array, header: number): DataView {
  if (bytes.length < header) throw new TruncatedError(`${what}: ${bytes.length} bytes, fewer than its header has`);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

function number(value: bigint): U64 {
  return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

/** Throws FormatError or TruncatedError. */
export function readNavdFile(bytes: Uint8Array): NavdFile {
  const what = 'file of navd tiles';
  const view = viewOf(what, bytes, NAVD_HEADER_BYTES);
  if (view.getUint32(0, true) !== NAVD_MAGIC) refuse(what, 'these bytes do not start with NAVF');
  const version = view.getUint32(4, true);
  if (version !== 1 && version !== 2) refuse(what, `version ${version}, expected 1 or 2`);
  if (view.getBigUint64(8, true) !== BigInt(bytes.length)) refuse(what, `${bytes.length} bytes, its header says ${view.getBigUint64(8, true)}`);
  const tile_count = view.getUint32(16, true);
  const area_count = view.getUint32(20, true);
  const records = NAVD_HEADER_BYTES + AREA_BYTES * area_count;
  if (records + RECORD_BYTES * tile_count > bytes.length) throw new TruncatedError(`${what}: no room for ${tile_count} tiles`);
  const areas: Area[] = [];
  for (let i = 0; i < area_count; i++) areas.push(readArea(bytes, view, NAVD_HEADER_BYTES + AREA_BYTES * i));
  const tiles: NavdFile['tiles'] = [];
  for (let i = 0; i < tile_count; i++) {
    const at = records + RECORD_BYTES * i;
    const offset = view.getBigUint64(at + 40, true);
    const size = view.getUint32(at + 12, true);
    if (offset + BigInt(size) > BigInt(bytes.length)) throw new TruncatedError(`${what}: tile ${i} ends behind the file's end`);
    tiles.push({
      x: view.getInt32(at, true),
      z: view.getInt32(at + 4, true),
      profile: view.getUint32(at + 8, true) & 0xffffff,
      sheet: SHEETS[view.getUint8(at + 11)] ?? refuse(what, `a tile of sheet ${view.getUint8(at + 11)}`),
      revision: number(view.getBigUint64(at + 16, true)),
      key: bytes.subarray(at + 24, at + 40),
      data: bytes.subarray(Number(offset), Number(offset) + size),
    });
  }
  return { areas, tiles };
}

function readArea(bytes: Uint8Array, view: DataView, at: number): Area {
  const bits = view.getUint8(at + 1);
  const name = bytes.subarray(at + 16, at + AREA_BYTES);
  const end = name.indexOf(0);
  return {
    id: view.getUint8(at),
    name: new TextDecoder().decode(end < 0 ? name : name.subarray(0, end)),
    cost: view.getFloat32(at + 4, true),
    flags: bits & 1 ? view.getUint16(at + 2, true) : undefined,
    color: bits & 2 ? view.getUint32(at + 8, true) : undefined,
    walkable: (bits & 4) === 0,
  };
}

/** Throws FormatError or TruncatedError. */
export function readMset(bytes: Uint8Array): MsetFile {
  const what = 'MSET file';
  const view = viewOf(what, bytes, MSET_HEADER_BYTES);
  if (view.getUint32(0, true) !== MSET_MAGIC) refuse(what, 'these bytes do not start with TESM');
  const version = view.getUint32(4, true);
  if (version !== 1) refuse(what, `version ${version}, expected 1`);
  const count = view.getInt32(8, true);
  const tiles: MsetFile['tiles'] = [];
  let at = MSET_HEADER_BYTES;
  for (let i = 0; i < count; i++) {
    if (at + 8 > bytes.length) throw new TruncatedError(`${what}: ${i} tiles, its header says ${count}`);
    const size = view.getInt32(at + 4, true);
    if (size < 0 || at + 8 + size > bytes.length) throw new TruncatedError(`${what}: tile ${i} ends behind the file's end`);
    tiles.push({ ref: view.getUint32(at, true), data: bytes.subarray(at + 8, at + 8 + size) });
    at += 8 + size;
  }
  if (at !== bytes.length) refuse(what, `${bytes.length - at} bytes follow its last tile`);
  return {
    origin: [view.getFloat32(12, true), view.getFloat32(16, true), view.getFloat32(20, true)],
    tile_width: view.getFloat32(24, true),
    tile_height: view.getFloat32(28, true),
    max_tiles: view.getInt32(32, true),
    max_polys: view.getInt32(36, true),
    tiles,
  };
}

/** A file of the Detour tiles that have data, as navctl and Detour's own programs write it. Throws FormatError if Detour's 32-bit references have no room. */
export function writeMset(
  grid: { origin: ArrayLike<number>; tile_size: number },
  tiles: readonly { x: number; z: number; data?: Uint8Array | undefined }[],
): Uint8Array {
  const what = 'MSET file';
  const sorted = tiles.flatMap(({ x, z, data }) => (data ? [{ x, z, data }] : [])).sort((a, b) => a.z - b.z || a.x - b.x);
  let tile_bits = 0;
  while (1 << tile_bits < sorted.length) tile_bits++;
  const max_polys = 2 ** (REFERENCE_BITS - tile_bits);
  const bytes = new Uint8Array(sorted.reduce((sum, { data }) => sum + 8 + data.length, MSET_HEADER_BYTES));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MSET_MAGIC, true);
  view.setUint32(4, 1, true);
  view.setInt32(8, sorted.length, true);
  for (let k = 0; k < 3; k++) view.setFloat32(12 + 4 * k, grid.origin[k]!, true);
  view.setFloat32(24, grid.tile_size, true);
  view.setFloat32(28, grid.tile_size, true);
  view.setInt32(32, 1 << tile_bits, true);
  view.setInt32(36, max_polys, true);
  let at = MSET_HEADER_BYTES;
  sorted.forEach(({ x, z, data }, i) => {
    const { poly_count } = readDetourTile(data);
    if (poly_count > max_polys) refuse(what, `tile ${x},${z} has ${poly_count} polygons, and ${sorted.length} tiles leave room for ${max_polys}`);
    view.setUint32(at, ((1 << REFERENCE_BITS) | (i << (REFERENCE_BITS - tile_bits))) >>> 0, true);
    view.setInt32(at + 4, data.length, true);
    bytes.set(data, at + 8);
    at += 8 + data.length;
  });
  return bytes;
}

// Height grids, and terrains of many such blocks: see docs/protocol/heights.md.

import { ArgumentError } from './errors.js';
import { bytesOf } from './geometry.js';
import type { PatchHeights } from './messages.js';
import type { U64 } from './wire/values.js';

/** Which way the square of a cell is cut into two triangles. */
export const DIAGONALS = ['forward', 'backward', 'alternating', 'shorter'] as const;

/** As the area of a cell: there is no ground. */
export const HOLE = 254;

/** A height grid: see docs/protocol/heights.md. */
export interface Heights {
  columns: number;
  rows: number;
  /** Where a block begins in its terrain; default 0. */
  first_column?: number;
  first_row?: number;
  spacing_m: number;
  /** Default 1 and 0: a sample of s is at offset_m + scale_m * s. */
  scale_m?: number;
  offset_m?: number;
  diagonal?: (typeof DIAGONALS)[number];
  /** Row by row. */
  samples: Uint16Array | Float32Array;
  /** For each of (columns - 1) * (rows - 1) cells its area, 255 for that of the instance, or HOLE. */
  areas?: Uint8Array;
}

/** Cells along a block of a terrain. */
export const BLOCK = 64;
const HEAD_BYTES = 48;

export function bitsOf({ samples }: Pick<Heights, 'samples'>): 16 | 32 {
  return samples instanceof Uint16Array ? 16 : 32;
}

function check({ columns, rows, samples, areas }: Heights): void {
  if (!(Number.isInteger(columns) && Number.isInteger(rows) && columns >= 2 && rows >= 2)) {
    throw new ArgumentError(`${columns} by ${rows} samples: expected 2 by 2 or more`);
  }
  if (samples.length !== columns * rows) throw new ArgumentError(`${samples.length} samples: expected ${columns * rows}`);
  const cells = (columns - 1) * (rows - 1);
  if (areas && areas.length !== cells) throw new ArgumentError(`${areas.length} areas: expected one for each of the ${cells} cells`);
}

/** The string of bytes that a height grid is. Throws ArgumentError. */
export function heightsBytes(heights: Heights): Uint8Array {
  check(heights);
  const { samples, areas } = heights;
  const diagonal = DIAGONALS.indexOf(heights.diagonal ?? 'forward');
  if (diagonal < 0) throw new ArgumentError(`diagonal ${heights.diagonal}: expected one of ${DIAGONALS.join(', ')}`);
  const bytes = new Uint8Array(HEAD_BYTES + samples.byteLength + (areas?.length ?? 0));
  const head = new DataView(bytes.buffer);
  head.setUint32(0, heights.columns, true);
  head.setUint32(4, heights.rows, true);
  head.setInt32(8, heights.first_column ?? 0, true);
  head.setInt32(12, heights.first_row ?? 0, true);
  head.setFloat64(16, heights.spacing_m, true);
  head.setFloat64(24, heights.scale_m ?? 1, true);
  head.setFloat64(32, heights.offset_m ?? 0, true);
  head.setUint8(40, bitsOf(heights) === 16 ? 0 : 1);
  head.setUint8(41, diagonal);
  bytes.set(bytesOf(samples), HEAD_BYTES);
  if (areas) bytes.set(areas, HEAD_BYTES + samples.byteLength);
  return bytes;
}

/** Bytes of the string of a grid with so many samples and triangles, as mesh.get tells them. */
export function heightsSize(samples: number, triangles: number, bits: number, areas: boolean): number {
  return HEAD_BYTES + (samples * bits) / 8 + (areas ? triangles / 2 : 0);
}

/** The grid in a string of bytes. Throws ArgumentError. */
export function heightsOf(bytes: Uint8Array, bits: number, areas: boolean): Heights {
  if (bytes.length < HEAD_BYTES) throw new ArgumentError(`a height grid of ${bytes.length} bytes: expected ${HEAD_BYTES} or more`);
  const copy = bytes.slice().buffer;
  const head = new DataView(copy);
  const columns = head.getUint32(0, true);
  const rows = head.getUint32(4, true);
  const count = columns * rows;
  const expected = heightsSize(count, 2 * (columns - 1) * (rows - 1), bits, areas);
  if (bytes.length !== expected) throw new ArgumentError(`a height grid of ${bytes.length} bytes: expected ${expected}`);
  const heights: Heights = {
    columns,
    rows,
    first_column: head.getInt32(8, true),
    first_row: head.getInt32(12, true),
    spacing_m: head.getFloat64(16, true),
    scale_m: head.getFloat64(24, true),
    offset_m: head.getFloat64(32, true),
    diagonal: DIAGONALS[head.getUint8(41)] ?? 'forward',
    samples: bits === 16 ? new Uint16Array(copy, HEAD_BYTES, count) : new Float32Array(copy, HEAD_BYTES, count),
  };
  if (areas) heights.areas = new Uint8Array(copy, HEAD_BYTES + (count * bits) / 8);
  return heights;
}

function along(samples: number): number {
  return Math.floor((samples - 2) / BLOCK) + 1;
}

type Samples = Uint16Array | Float32Array | Uint8Array;

/** A rectangle of `columns` by `rows` out of rows of `width`. */
function cut<T extends Samples>(from: T, width: number, column: number, row: number, columns: number, rows: number): T {
  const out = from.slice(0, columns * rows) as T;
  for (let r = 0; r < rows; r++) {
    const at = (row + r) * width + column;
    out.set(from.subarray(at, at + columns), r * columns);
  }
  return out;
}

interface Part {
  block: number;
  column: number;
  row: number;
  columns: number;
  rows: number;
}

/** What of a rectangle of a terrain lies in each block that it touches, borders included; counted in the terrain. */
function* partsOf(terrain: Pick<Heights, 'columns' | 'rows'>, column: number, row: number, columns: number, rows: number): Generator<Part> {
  const across = along(terrain.columns);
  const lastX = Math.min(Math.floor((column + columns - 1) / BLOCK), across - 1);
  const lastZ = Math.min(Math.floor((row + rows - 1) / BLOCK), along(terrain.rows) - 1);
  for (let z = Math.floor(Math.max(row - 1, 0) / BLOCK); z <= lastZ; z++) {
    for (let x = Math.floor(Math.max(column - 1, 0) / BLOCK); x <= lastX; x++) {
      const from = [Math.max(column, x * BLOCK), Math.max(row, z * BLOCK)] as const;
      const to = [Math.min(column + columns, x * BLOCK + BLOCK + 1), Math.min(row + rows, z * BLOCK + BLOCK + 1)] as const;
      yield { block: z * across + x, column: from[0], row: from[1], columns: to[0] - from[0], rows: to[1] - from[1] };
    }
  }
}

/** The blocks of a terrain, each a grid to put, in the order of their ids. Throws ArgumentError. */
export function terrainBlocks(terrain: Heights): Heights[] {
  check(terrain);
  const { columns, rows, samples, areas } = terrain;
  return Array.from(partsOf(terrain, 0, 0, columns, rows), (part) => {
    const block: Heights = {
      ...terrain,
      columns: part.columns,
      rows: part.rows,
      first_column: part.column,
      first_row: part.row,
      samples: cut(samples, columns, part.column, part.row, part.columns, part.rows),
    };
    if (areas) block.areas = cut(areas, columns - 1, part.column, part.row, part.columns - 1, part.rows - 1);
    return block;
  });
}

/**
 * A brush stroke: the operations that put a rectangle of samples, whose first is (column, row), into a terrain whose first
 * block is instance `firstId`. `columns`: samples in a row of the rectangle. Throws ArgumentError.
 */
export function strokeOf(
  terrain: Pick<Heights, 'columns' | 'rows'>,
  firstId: U64,
  column: number,
  row: number,
  columns: number,
  samples: Uint16Array | Float32Array,
  areas?: Uint8Array,
): PatchHeights[] {
  const rows = samples.length / columns;
  if (!(Number.isInteger(rows) && rows >= 1)) throw new ArgumentError(`${samples.length} samples: expected whole rows of ${columns}`);
  if (column < 0 || row < 0 || column + columns > terrain.columns || row + rows > terrain.rows) {
    throw new ArgumentError(
      `${columns} by ${rows} samples from column ${column}, row ${row}: not within ${terrain.columns} by ${terrain.rows}`,
    );
  }
  const cells = (columns - 1) * (rows - 1);
  if (areas && areas.length !== cells) throw new ArgumentError(`${areas.length} areas: expected one for each of the ${cells} cells`);
  const across = along(terrain.columns);
  return Array.from(partsOf(terrain, column, row, columns, rows), (part) => {
    const op: PatchHeights = {
      op: 'patch_heights',
      id: typeof firstId === 'bigint' ? firstId + BigInt(part.block) : firstId + part.block,
      column: part.column - (part.block % across) * BLOCK,
      row: part.row - Math.floor(part.block / across) * BLOCK,
      columns: part.columns,
      rows: part.rows,
      samples: bytesOf(cut(samples, columns, part.column - column, part.row - row, part.columns, part.rows)),
    };
    if (areas && part.columns > 1 && part.rows > 1) {
      op.areas = cut(areas, columns - 1, part.column - column, part.row - row, part.columns - 1, part.rows - 1);
    }
    return op;
  });
}

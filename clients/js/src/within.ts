// What lies within a distance, out of the bytes in which navd tells it: see docs/protocol/places.md#pathwithin.

import { FormatError } from './errors.js';
import type { Result } from './messages.js';

/** A cell that one can get to. */
export interface WithinCell {
  /** The tile. */
  x: number;
  z: number;
  cell: number;
  /** Of the shortest path to its nearest point. */
  distance_m: number;
  /** All of it is within the distance. */
  whole: boolean;
}

export interface Within {
  /** `found`, `no_start` or `limit`. */
  status: Result<'path.within'>['status'];
  /** The nearest first. */
  cells: WithinCell[];
  /** Where they were asked for: convex polygons, three numbers a corner, which together are the ground within the distance. */
  outlines: Float32Array[];
}

const CELL_BYTES = 20;

/** Throws FormatError. */
export function withinOf({ status, cells, points, outlines }: Result<'path.within'>): Within {
  const each = new DataView(cells.buffer, cells.byteOffset, cells.byteLength);
  const counts = new DataView(outlines.buffer, outlines.byteOffset, outlines.byteLength);
  const out: Within = { status, cells: [], outlines: [] };
  for (let at = 0; at + CELL_BYTES <= cells.byteLength; at += CELL_BYTES) {
    out.cells.push({
      x: each.getInt32(at, true),
      z: each.getInt32(at + 4, true),
      cell: each.getUint32(at + 8, true),
      distance_m: each.getFloat32(at + 12, true),
      whole: each.getUint32(at + 16, true) !== 0,
    });
  }
  let first = 0;
  for (let at = 0; at + 4 <= outlines.byteLength; at += 4) {
    const end = first + 3 * counts.getUint32(at, true);
    if (end > points.length) throw new FormatError('navd sent outlines with too few points');
    out.outlines.push(points.subarray(first, end));
    first = end;
  }
  return out;
}

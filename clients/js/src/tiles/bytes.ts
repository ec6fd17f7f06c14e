// Sections of typed numbers, one after the other, out of bytes of others.

import { FormatError, TruncatedError } from '../errors.js';

export function refuse(what: string, why: string): never {
  throw new FormatError(`${what}: ${why}`);
}

/** Reads sections in order. Each starts at a multiple of 4; views into the bytes where they lie well, else into a copy. */
export class Sections {
  readonly bytes: Uint8Array;
  readonly view: DataView;

  constructor(
    private readonly what: string,
    bytes: Uint8Array,
    private at: number,
  ) {
    this.bytes = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);
    if (this.bytes.length < at) throw new TruncatedError(`${what}: ${bytes.length} bytes, fewer than its header has`);
  }

  /** Skips a section; where it starts. */
  skip(bytes: number): number {
    const start = this.at;
    if (bytes > this.bytes.length - start) {
      throw new TruncatedError(`${this.what}: ${this.bytes.length} bytes, fewer than its sections have`);
    }
    this.at = Math.min(start + ((bytes + 3) & ~3), this.bytes.length);
    return start;
  }

  u8(count: number): Uint8Array {
    const at = this.skip(count);
    return this.bytes.subarray(at, at + count);
  }
  u16(count: number): Uint16Array {
    return new Uint16Array(this.bytes.buffer, this.bytes.byteOffset + this.skip(2 * count), count);
  }
  u32(count: number): Uint32Array {
    return new Uint32Array(this.bytes.buffer, this.bytes.byteOffset + this.skip(4 * count), count);
  }
  i32(count: number): Int32Array {
    return new Int32Array(this.bytes.buffer, this.bytes.byteOffset + this.skip(4 * count), count);
  }
  f32(count: number): Float32Array {
    return new Float32Array(this.bytes.buffer, this.bytes.byteOffset + this.skip(4 * count), count);
  }

  /** Nothing may follow. */
  end(): void {
    if (this.at !== this.bytes.length) {
      throw new FormatError(`${this.what}: ${this.bytes.length - this.at} bytes follow its last section`);
    }
  }
}

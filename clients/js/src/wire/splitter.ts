// Cuts a stream of bytes into messages: MessagePack values that follow each other without any length in front. The bytes come in
// pieces of any size, and a value says where it ends only as it is read, so this walks over its headers as they arrive.
// Nothing is unpacked here, and nothing is allocated for what a header promises.

import { FormatError } from '../errors.js';

export interface SplitterLimits {
  /** The longest message, in bytes. */
  message_bytes: number;
  /** How deep arrays and maps may stand in each other. */
  depth: number;
}

export const DEFAULT_LIMITS: SplitterLimits = { message_bytes: 256 * 1024 * 1024, depth: 32 };

const FIRST_CAPACITY = 64 * 1024;
const KEPT_CAPACITY = 1024 * 1024; // a larger buffer goes with the message that needed it

export class Splitter {
  private buffer = new Uint8Array(FIRST_CAPACITY);
  private view = new DataView(this.buffer.buffer);
  private size = 0; // bytes in the buffer, from its start
  private start = 0; // of the message that is being walked over
  private at = 0; // up to here it was walked over
  private open: number[] = []; // values still to come in each array or map that is open, the outermost first

  constructor(private readonly limits: SplitterLimits = DEFAULT_LIMITS) {}

  /** The messages that are complete with these bytes, each a copy. Throws FormatError. */
  push(bytes: Uint8Array): Uint8Array[] {
    this.append(bytes);
    const messages: Uint8Array[] = [];
    while (this.walk()) {
      messages.push(this.buffer.slice(this.start, this.at));
      this.start = this.at;
    }
    if (this.size - this.start > this.limits.message_bytes) {
      throw new FormatError(`a message of navd has more than ${this.limits.message_bytes} bytes`);
    }
    return messages;
  }

  private append(bytes: Uint8Array): void {
    if (this.size + bytes.length > this.buffer.length) this.makeRoom(bytes.length);
    this.buffer.set(bytes, this.size);
    this.size += bytes.length;
  }

  private makeRoom(bytes: number): void {
    const kept = this.size - this.start;
    let capacity = this.buffer.length > KEPT_CAPACITY ? FIRST_CAPACITY : this.buffer.length;
    while (capacity < kept + bytes) capacity *= 2;
    const next = capacity === this.buffer.length ? this.buffer : new Uint8Array(capacity);
    if (next === this.buffer) next.copyWithin(0, this.start, this.size);
    else next.set(this.buffer.subarray(this.start, this.size));
    this.buffer = next;
    this.view = new DataView(next.buffer);
    this.at -= this.start;
    this.size = kept;
    this.start = 0;
  }

  /** Goes on to the end of the message: true. False: more bytes are needed. */
  private walk(): boolean {
    do {
      const value = this.header();
      if (!value) return false;
      this.at += value.bytes;
      if (value.inside > 0) {
        if (this.open.length === this.limits.depth) {
          throw new FormatError(`a message of navd is nested more than ${this.limits.depth} deep`);
        }
        this.open.push(value.inside);
        continue;
      }
      while (this.open.length > 0 && --this.open[this.open.length - 1]! === 0) this.open.pop();
    } while (this.open.length > 0);
    return true;
  }

  /** The value at `at`: its bytes, without what is inside of it. Undefined: not all of it is here. */
  private header(): { bytes: number; inside: number } | undefined {
    const left = this.size - this.at;
    if (left < 1) return undefined;
    const type = this.buffer[this.at]!;
    if (type < 0x80 || type >= 0xe0) return { bytes: 1, inside: 0 };
    if (type < 0x90) return { bytes: 1, inside: 2 * (type & 15) };
    if (type < 0xa0) return { bytes: 1, inside: type & 15 };
    if (type < 0xc0) return this.whole(1 + (type & 31));
    const fixed = FIXED_BYTES[type - 0xc0]!;
    if (fixed > 0) return this.whole(fixed);
    const width = COUNT_BYTES[type - 0xc0]!;
    if (width === 0) throw new FormatError('navd sent bytes that are not MessagePack: 0xc1');
    if (left < 1 + width) return undefined;
    const count =
      width === 1 ? this.buffer[this.at + 1]! : width === 2 ? this.view.getUint16(this.at + 1) : this.view.getUint32(this.at + 1);
    if (count > this.limits.message_bytes) {
      throw new FormatError(`a message of navd has more than ${this.limits.message_bytes} bytes`);
    }
    if (type >= 0xde) return { bytes: 1 + width, inside: 2 * count };
    if (type >= 0xdc) return { bytes: 1 + width, inside: count };
    return this.whole(1 + width + count + (type >= 0xc7 && type <= 0xc9 ? 1 : 0));
  }

  private whole(bytes: number): { bytes: number; inside: number } | undefined {
    if (this.at - this.start + bytes > this.limits.message_bytes) {
      throw new FormatError(`a message of navd has more than ${this.limits.message_bytes} bytes`);
    }
    return this.size - this.at < bytes ? undefined : { bytes, inside: 0 };
  }
}

// From 0xc0 to 0xdf: bytes of values that have always as many; 0 for the others.
const FIXED_BYTES = [1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 5, 9, 2, 3, 5, 9, 2, 3, 5, 9, 3, 4, 6, 10, 18, 0, 0, 0, 0, 0, 0, 0];
// And the bytes of the count that follows the type.
const COUNT_BYTES = [0, 0, 0, 0, 1, 2, 4, 1, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 2, 4, 2, 4];

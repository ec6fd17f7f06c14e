// JavaScript values and MessagePack.
//
// **u64.** A number of navd up to 2^53 - 1 is a JavaScript number, a larger one a bigint: each value has one form only, so that ===
// and the keys of a Map work. Both are taken in params, in either form.

import { Decoder, Encoder } from '@msgpack/msgpack';
import { ArgumentError } from '../errors.js';

/** An integer from 0 to 2^64 - 1: a number if it is exact, else a bigint. */
export type U64 = number | bigint;

const HIGHEST_U64 = 2n ** 64n - 1n;

/** The one form of a u64: for ids that were computed, before they are compared with those of navd. */
export function u64(value: U64): U64 {
  if (typeof value === 'number' ? !Number.isSafeInteger(value) || value < 0 : value < 0n || value > HIGHEST_U64) {
    throw new ArgumentError(`${value}: expected an integer from 0 to 2^64 - 1; above 2^53 - 1 it must be a bigint`);
  }
  return typeof value === 'bigint' && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

const encoder = new Encoder({ useBigInt64: true, ignoreUndefined: true });
const decoder = new Decoder({ useBigInt64: true });

/** Throws ArgumentError for what MessagePack cannot hold. */
export function encodeValue(value: unknown): Uint8Array {
  try {
    return encoder.encode(widen(value));
  } catch (error) {
    if (error instanceof ArgumentError) throw error;
    throw new ArgumentError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Throws whatever the library throws at bytes that are not one MessagePack value. */
export function decodeValue(bytes: Uint8Array): unknown {
  return narrow(decoder.decode(bytes));
}

// The encoder writes numbers beyond 32 bits as floats: these become bigints. What needs no change is not copied.
function widen(value: unknown): unknown {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) && (value > 0xffffffff || value < -0x80000000) ? BigInt(value) : value;
  }
  if (typeof value === 'bigint' && (value > HIGHEST_U64 || value < 0n)) {
    throw new ArgumentError(`${value}: expected an integer from 0 to 2^64 - 1`);
  }
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) {
    let copy: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const wide = widen(value[i]);
      if (wide !== value[i] && !copy) copy = value.slice();
      if (copy) copy[i] = wide;
    }
    return copy ?? value;
  }
  const map = value as Record<string, unknown>;
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(map)) {
    const wide = widen(map[key]);
    if (wide !== map[key] && !copy) copy = { ...map };
    if (copy) copy[key] = wide;
  }
  return copy ?? map;
}

// In place: the decoder made these objects for us alone.
function narrow(value: unknown): unknown {
  if (typeof value === 'bigint') {
    return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER ? Number(value) : value;
  }
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = narrow(value[i]);
    return value;
  }
  const map = value as Record<string, unknown>;
  for (const key of Object.keys(map)) {
    const entry = map[key];
    if (typeof entry === 'bigint' || typeof entry === 'object') map[key] = narrow(entry);
  }
  return map;
}

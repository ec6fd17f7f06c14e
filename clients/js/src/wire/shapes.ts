// What a message must look like, as values that both check it and give it its type. Absent keys get their defaults; keys that are
// not known stay, so that a newer navd can say more.

import { FormatError } from '../errors.js';
import type { U64 } from './values.js';

/** Checks a value of the wire. Throws FormatError, which names its path. */
export type Reader<T> = (value: unknown, path: string) => T;
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type AnyReader = Reader<any>;
export type Of<R> = R extends Reader<infer T> ? T : never;

function fail(path: string, expected: string): never {
  throw new FormatError(`navd sent a message without ${expected} in ${path}`, { key: path });
}

export const text: Reader<string> = (value, path) => (typeof value === 'string' ? value : fail(path, 'a string'));
export const bool: Reader<boolean> = (value, path) => (typeof value === 'boolean' ? value : fail(path, 'a bool'));
export const f64: Reader<number> = (value, path) =>
  typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : fail(path, 'a number');
export const unsigned: Reader<U64> = (value, path) =>
  (typeof value === 'number' && Number.isInteger(value) && value >= 0) || (typeof value === 'bigint' && value >= 0n)
    ? value
    : fail(path, 'an unsigned integer');
export const u32: Reader<number> = (value, path) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0xffffffff ? value : fail(path, 'a u32');
export const i32: Reader<number> = (value, path) =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= 0x80000000 ? value : fail(path, 'an i32');
export const bin: Reader<Uint8Array> = (value, path) => (value instanceof Uint8Array ? value : fail(path, 'bytes'));
export const key: Reader<Uint8Array> = (value, path) =>
  value instanceof Uint8Array && value.length === 16 ? value : fail(path, 'a key of 16 bytes');

/** One of these words; a newer navd may say others. */
export const word = <W extends string>(..._words: W[]): Reader<W> => text as Reader<W>;

export const optional =
  <T>(reader: Reader<T>): Reader<T | undefined> =>
  (value, path) =>
    value === undefined || value === null ? undefined : reader(value, path);

export const orElse =
  <T>(reader: Reader<T>, absent: () => T): Reader<T> =>
  (value, path) =>
    value === undefined || value === null ? absent() : reader(value, path);

export const list =
  <T>(reader: Reader<T>): Reader<T[]> =>
  (value, path) =>
    Array.isArray(value) ? value.map((entry, i) => reader(entry, `${path}[${i}]`)) : fail(path, 'an array');

/** Several floats: a bin of little-endian float32, or an array of numbers. */
export const floats: Reader<Float32Array> = (value, path) => {
  if (Array.isArray(value)) return Float32Array.from(value.map((entry, i) => f64(entry, `${path}[${i}]`)));
  if (!(value instanceof Uint8Array) || value.length % 4 !== 0) fail(path, 'floats');
  return new Float32Array(value.slice().buffer);
};

/** Numbers that keep their precision: an array, or a bin of little-endian float32. */
export const numbers: Reader<number[]> = (value, path) =>
  Array.isArray(value) ? list(f64)(value, path) : Array.from(floats(value, path));

/** u64s in a bin. */
export const ids: Reader<BigUint64Array> = (value, path) =>
  value instanceof Uint8Array && value.length % 8 === 0 ? new BigUint64Array(value.slice().buffer) : fail(path, 'ids of 8 bytes');

/** Fills the map that it is given: the decoder made it for us alone. */
export const table = <S extends Record<string, AnyReader>>(shape: S): Reader<{ [K in keyof S]: Of<S[K]> }> => {
  const names = Object.keys(shape);
  const readers = Object.values(shape);
  let paths: string[] = []; // of the last one that was read: thousands of tiles have the same
  let pathsOf: string | undefined;
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || ArrayBuffer.isView(value)) fail(path, 'a map');
    if (path !== pathsOf) {
      paths = names.map((name) => (path ? `${path}.${name}` : name));
      pathsOf = path;
    }
    const map = value as Record<string, unknown>;
    for (let i = 0; i < names.length; i++) map[names[i]!] = readers[i]!(map[names[i]!], paths[i]!);
    return map as { [K in keyof S]: Of<S[K]> };
  };
};

/** A map whose values are all alike. */
export const dictionary =
  <T>(reader: Reader<T>): Reader<Record<string, T>> =>
  (value, path) => {
    const from = table({})(value, path) as Record<string, unknown>;
    const out: Record<string, T> = {};
    for (const name of Object.keys(from)) out[name] = reader(from[name], `${path}.${name}`);
    return out;
  };

// What a tile's ground is coloured by, and the colours.
import type { Area, Tile } from '../model/types.ts';

export const MODES = ['height', 'area', 'part', 'age', 'time', 'status'] as const;
export type Mode = (typeof MODES)[number];
export const MODE_NAMES: Record<Mode, string> = {
  height: 'Height',
  area: 'Area',
  part: 'Unconnected part',
  age: 'Age',
  time: 'Build time',
  status: 'Status',
};

export type Rgb = [number, number, number];

const rgb = (hex: number): Rgb => [(hex >> 16) & 255, (hex >> 8) & 255, hex & 255];
export const cssOf = ([r, g, b]: Rgb): string => `rgb(${r} ${g} ${b})`;

// Low to high; even steps of lightness, so that it also reads without colour (after viridis).
export const RAMP: readonly Rgb[] = [0x35356e, 0x2f5f8a, 0x2a8a8c, 0x45b07c, 0x9ccb5a, 0xf2dd5e].map(rgb);
// Young to old, and quick to slow.
const HEAT: readonly Rgb[] = [0x3f7fbf, 0x4fae8c, 0xd9c650, 0xe08a3c, 0xc8453f].map(rgb);
const FRESH: readonly Rgb[] = [0xf4b63f, 0xd98a4a, 0x9a6f8f, 0x5f6d9e, 0x4a5a7c].map(rgb);

export function ramp(colours: readonly Rgb[], t: number): Rgb {
  const at = Math.max(0, Math.min(1, t)) * (colours.length - 1);
  const i = Math.min(colours.length - 2, Math.floor(at));
  const f = at - i;
  const [a, b] = [colours[i]!, colours[i + 1]!];
  return [0, 1, 2].map((k) => Math.round(a[k]! + (b[k]! - a[k]!) * f)) as Rgb;
}

// Well apart for neighbouring numbers: the golden angle around the circle, in three rows of lightness.
export function distinct(n: number): Rgb {
  const hue = (n * 137.508 + 200) % 360;
  const light = [0.6, 0.48, 0.7][n % 3]!;
  const saturation = 0.52;
  const f = (k: number) => {
    const at = (k + hue / 30) % 12;
    return Math.round(255 * (light - saturation * Math.min(light, 1 - light) * Math.max(-1, Math.min(at - 3, 9 - at, 1))));
  };
  return [f(0), f(8), f(4)];
}

const GROUND: Rgb = rgb(0x5c9ead);

// Area 63 is ordinary ground.
export function areaColour(id: number, table: readonly Area[]): Rgb {
  const area = table.find((a) => a.id === id);
  if (area?.color !== undefined) return rgb(area.color);
  return id === 63 ? GROUND : distinct(id);
}

export const STATUS_COLOURS: Record<Tile['status'], Rgb> = { ok: rgb(0x58a884), empty: rgb(0x8b93a1), failed: rgb(0xd64550) };

// Seconds, from young to old: 1 s to an hour.
export const ageColour = (seconds: number): Rgb => ramp(FRESH, Math.log10(Math.max(1, seconds)) / Math.log10(3600));
// Microseconds: 0.1 ms to 100 ms; from the cache grey.
export const timeColour = (us: number): Rgb => (us === 0 ? rgb(0x8b93a1) : ramp(HEAT, (Math.log10(us) - 2) / 3));

export interface LegendEntry {
  label: string;
  colour: Rgb;
}

export function tileColour(mode: Mode, tile: Tile, now: number): Rgb {
  switch (mode) {
    case 'age':
      return ageColour((now - tile.arrived) / 1000);
    case 'time':
      return timeColour(tile.madeUs);
    case 'status':
      return STATUS_COLOURS[tile.status];
    default:
      return GROUND;
  }
}

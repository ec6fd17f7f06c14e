// What decides how a tile is built: docs/protocol/settings.md. navd leaves out what has its default; here all of it is filled in.

import { f64, list, orElse, table, u32, word, type Of, type Reader } from './wire/shapes.js';

// As navd has them: f32.
const f32 = (value: number) => orElse(f64, () => Math.fround(value));
const integer = (value: number) => orElse(u32, () => value);

/** Surface that looks along one axis of the world (docs/protocol/settings.md#walls-and-ceilings). */
export const SHEETS = ['up', 'down', 'x+', 'x-', 'z+', 'z-'] as const;
export type Sheet = (typeof SHEETS)[number];
export const sheet: Reader<Sheet> = orElse(word<Sheet>(...SHEETS), () => 'up' as Sheet);
const names = list(word<Sheet>(...SHEETS));
const sheets: Reader<Sheet[]> = (value, where) => (value === 'all' ? [...SHEETS] : names(value, where));

export const settings = table({
  cell_size_m: f32(0.3),
  cell_height_m: f32(0.2),
  tile_cells: integer(48),
  agent_height_m: f32(2),
  agent_radius_m: f32(0.6),
  agent_climb_m: f32(0.9),
  agent_slope_deg: f32(45),
  walkable_areas: orElse(list(u32), () => Array.from({ length: 63 }, (_, i) => i + 1)),
  partition: orElse(word('watershed', 'monotone', 'convex'), () => 'convex'),
  region_min_cells: f32(8),
  region_merge_cells: f32(20),
  edge_max_length_m: f32(12),
  edge_max_error_cells: f32(1.3),
  outlines: orElse(word('voxel', 'true'), () => 'voxel'),
  polygon_max_vertices: integer(6),
  triangulation: orElse(word('ears', 'min-area', 'delaunay'), () => 'ears'),
  relaxation_m: f32(0),
  detail_sample_cells: f32(6),
  detail_max_error_voxels: f32(1),
  generator: orElse(word('voxel', 'surface'), () => 'voxel'),
  surface_error_m: f32(0.05),
  corners: orElse(word('round', 'mitre', 'bevel'), () => 'round'),
  mitre_limit: f32(2),
  arc_error_m: f32(0),
  sheets: orElse(sheets, () => ['up'] as Sheet[]),
  grip_areas: orElse(list(u32), () => Array.from({ length: 63 }, (_, i) => i + 1)),
  seam_smooth_deg: f32(60),
  seam_inner_deg: f32(120),
  seam_outer_deg: f32(180),
  area_flags: orElse(list(u32), () => Array<number>(64).fill(1)),
});

/** Settings of a profile. */
export type Settings = Of<typeof settings>;
/** Those that differ from the defaults. */
export type SettingsParams = Partial<Omit<Settings, 'sheets'>> & { sheets?: 'all' | readonly Sheet[] };

/** Side of a tile in metres, as navd and Detour have it. */
export function tileSize({ cell_size_m, tile_cells }: Settings): number {
  return Math.fround(Math.fround(cell_size_m) * tile_cells);
}

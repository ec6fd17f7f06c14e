// Goes to a tile: the camera and the selection.
import type { Model } from '../model/model.ts';
import type { View } from '../scene/view.ts';

export function goToTile(model: Model, view: View, x: number, z: number): void {
  const size = model.tileSize;
  const [ox, oy, oz] = model.world.value?.origin ?? [0, 0, 0];
  const [px, pz] = [ox + (x + 0.5) * size, oz + (z + 0.5) * size];
  view.goTo(px, pz);
  model.selection.set({ x, z, cell: -1, point: [px, oy, pz] });
}

// "Find": a place by its coordinates, or a tile by its numbers.
import type { Model } from '../model/model.ts';
import type { View } from '../scene/view.ts';
import { byId, metres } from './dom.ts';

export type Place = { x: number; z: number; y?: number } | { tile: { x: number; z: number } };

// "12 -40", "12, 3.5, -40", "tile 3 -2"; otherwise the words for what is wrong.
export function readPlace(text: string): Place | string {
  const words = text.trim().toLowerCase().split(/[\s,;]+/).filter(Boolean);
  const tile = words[0] === 'tile';
  if (tile) words.shift();
  const numbers = words.map(Number);
  const wrong = words.find((_, i) => !Number.isFinite(numbers[i]));
  if (wrong !== undefined) return `"${wrong}" is not a number.`;
  if (tile) {
    if (numbers.length !== 2 || !numbers.every(Number.isInteger)) return 'A tile has two whole numbers: tile 3 -2.';
    return { tile: { x: numbers[0]!, z: numbers[1]! } };
  }
  if (numbers.length === 2) return { x: numbers[0]!, z: numbers[1]! };
  if (numbers.length === 3) return { x: numbers[0]!, y: numbers[1]!, z: numbers[2]! };
  return `A place has two or three numbers, this has ${numbers.length}: x z, or x y z.`;
}

export function goToPlace(place: Place, model: Model, view: View): string {
  const size = model.tileSize;
  const [ox, oy, oz] = model.world.value?.origin ?? [0, 0, 0];
  const at = 'tile' in place ? { x: ox + (place.tile.x + 0.5) * size, z: oz + (place.tile.z + 0.5) * size, y: undefined } : place;
  const tile = 'tile' in place ? place.tile : model.tileAt(at.x, at.z);
  const shown = model.shown.get(tile.x, tile.z);
  view.goTo(at.x, at.z, at.y);
  const y = view.camera.centre.y;
  model.selection.set({ ...tile, cell: -1, point: [at.x, Number.isFinite(y) ? y : oy, at.z] });
  return shown ? `Tile ${tile.x}, ${tile.z}` : `No tile at ${metres(at.x)}, ${metres(at.z)}`;
}

export function bindFind(model: Model, view: View): () => void {
  const dialog = byId<HTMLDialogElement>('find');
  const input = byId<HTMLInputElement>('find-text');
  const error = byId('find-error');
  const open = () => {
    error.hidden = true;
    dialog.showModal();
    input.select();
  };
  byId('find-open').addEventListener('click', open);
  byId('find-close').addEventListener('click', () => dialog.close());
  dialog.querySelector('form')!.addEventListener('submit', (event) => {
    event.preventDefault();
    const place = readPlace(input.value);
    error.hidden = typeof place !== 'string';
    if (typeof place === 'string') {
      error.textContent = place;
      return;
    }
    dialog.close();
    view.element.focus();
    model.notice.emit(goToPlace(place, model, view));
  });
  return open;
}

// The tiles of the open profile, by key. There are two of these: what has arrived (`live`), and what is looked at (`shown`), which
// differ only while the history is frozen.
import { Event } from './signal.ts';
import { type Tile, type TileKey, tileKey } from './types.ts';

export interface TileChange {
  key: TileKey;
  x: number;
  z: number;
  // Null: there was none, or there is none any more.
  before: Tile | null;
  after: Tile | null;
}

export class TileStore {
  readonly tiles = new Map<TileKey, Tile>();
  // After the tiles have changed, once for all that changed together. An empty list: everything was dropped.
  readonly changed = new Event<readonly TileChange[]>();

  get(x: number, z: number): Tile | null {
    return this.tiles.get(tileKey(x, z)) ?? null;
  }

  apply(changes: readonly TileChange[]): void {
    for (const change of changes) {
      if (change.after) this.tiles.set(change.key, change.after);
      else this.tiles.delete(change.key);
    }
    if (changes.length > 0) this.changed.emit(changes);
  }

  clear(): void {
    this.tiles.clear();
    this.changed.emit([]);
  }
}

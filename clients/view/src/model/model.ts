// The page's model of a world: what the scene draws and the panels list. It is filled by the worker, and changed by nobody else but
// the functions below. All of it runs on the page's thread.
import type { WatchedPath } from '../../../js/src/messages.js';
import { Event, Signal } from './signal.ts';
import { History } from './history.ts';
import { TileStore, type TileChange } from './tiles.ts';
import {
  type Area,
  type ConnectionState,
  type FailedTile,
  type Failure,
  type FromWorker,
  type Profile,
  type SceneBatch,
  type SettingsMessage,
  type Tile,
  type ToWorker,
  type World,
  type WorldEntry,
  tileKey,
  unpackMesh,
  type PathEnds,
} from './types.ts';

export interface Selection {
  x: number;
  z: number;
  // Number of the cell in its tile; -1: the tile only.
  cell: number;
  // Where it was picked, in metres.
  point: [number, number, number];
}

export interface SceneState {
  revision: number;
  batches: readonly SceneBatch[];
  triangles: number;
  // Why it is not there, or not all of it; '' otherwise.
  message: string;
}

// A call that the daemon refused, or that could not be made.
export class CallError extends Error {
  readonly code: string;

  constructor(failure: Failure) {
    super(failure.message);
    this.code = failure.code;
  }
}

export class Model {
  readonly connection = new Signal<ConnectionState>({ state: 'connecting', message: '', server: '', role: '' });
  // Null: not asked for yet.
  readonly worlds = new Signal<readonly WorldEntry[] | null>(null);
  readonly world = new Signal<World | null>(null);
  // Why the world that was asked for could not be opened; ''.
  readonly missing = new Signal<string>('');
  readonly profile = new Signal<Profile | null>(null);
  // The newest revision that is known.
  readonly revision = new Signal<number>(0);
  // All tiles of this revision are here; -1 while the first ones stream.
  readonly synced = new Signal<number>(-1);
  readonly areas = new Signal<readonly Area[]>([]);
  readonly progress = new Signal<{ done: number; total: number }>({ done: 0, total: 0 });
  readonly failed = new Signal<{ total: number; tiles: readonly FailedTile[] }>({ total: 0, tiles: [] });
  // Connected components of the ground, over all tiles.
  readonly componentCount = new Signal<number>(0);
  // Tiles whose `components` have changed.
  readonly componentsChanged = new Event<readonly Tile[]>();
  // What arrived, and what is shown: see History.
  readonly live = new TileStore();
  readonly shown = new TileStore();
  readonly history = new History(this.shown);
  readonly selection = new Signal<Selection | null>(null);
  readonly hover = new Signal<Selection | null>(null);
  // The scene's own triangles, while they are asked for.
  readonly scene = new Signal<SceneState | null>(null);
  // Something worth telling a person once, in words; the page shows it and reads it out.
  readonly notice = new Event<string>();

  #worker: Worker;
  #watch: { id: number; heard: (path: WatchedPath | null) => void } | null = null;
  #calls = new Map<number, { resolve: (value: never) => void; reject: (error: CallError) => void }>();
  #nextCall = 1;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.addEventListener('message', (event: MessageEvent<FromWorker>) => this.#receive(event.data));
  }

  connect(url: string, token: string): void {
    this.#send({ type: 'connect', url, token });
  }

  // Opens a world by its name; without a profile its first one. The tiles come by themselves.
  open(world: string, profile = ''): void {
    this.missing.set('');
    this.#send({ type: 'open', world, profile });
  }

  // Tiles near here come first.
  focus(x: number, z: number): void {
    this.#send({ type: 'focus', x, z });
  }

  // Asks for the scene's own triangles, and goes on following them.
  wantScene(wanted: boolean): void {
    if (!wanted) this.scene.set(null);
    this.#send({ type: 'scene', wanted });
  }

  // Any call of the protocol. Rejects with a CallError.
  call<T = Record<string, unknown>>(method: string, params: Record<string, unknown>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const id = this.#nextCall++;
      this.#calls.set(id, { resolve, reject });
      this.#send({ type: 'call', id, method, params });
    });
  }

  // Keeps the path between two places in place of the one before: `heard` is called with it now, and whenever an edit changes it. null:
  // it is kept no longer.
  watchPath(ends: PathEnds | null, heard: (path: WatchedPath | null) => void): void {
    const id = this.#nextCall++;
    this.#watch = ends && { id, heard };
    this.#send({ type: 'watch', id, ends });
  }

  // Side of a tile in metres; 0 before a world is open.
  get tileSize(): number {
    const settings = this.profile.value?.settings;
    return settings ? settings.cell_size_m * settings.tile_cells : 0;
  }

  // The tile that covers a place.
  tileAt(x: number, z: number): { x: number; z: number } {
    const origin = this.world.value?.origin ?? [0, 0, 0];
    const size = this.tileSize || 1;
    return { x: Math.floor((x - origin[0]) / size), z: Math.floor((z - origin[2]) / size) };
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromWorker): void {
    switch (message.type) {
      case 'connection':
        this.connection.set(message.connection);
        break;
      case 'worlds':
        this.worlds.set(message.worlds);
        break;
      case 'opened':
        this.missing.set('');
        this.profile.set(message.world.profiles.find((p) => p.name === message.profile) ?? null);
        this.world.set(message.world);
        this.revision.set(message.world.revision);
        break;
      case 'missing':
        this.world.set(null);
        this.missing.set(message.message);
        break;
      case 'drop':
        this.#drop();
        break;
      case 'tiles':
        this.#tiles(message);
        break;
      case 'components':
        this.#components(message);
        break;
      case 'synced':
        this.revision.set(Math.max(this.revision.value, message.revision));
        this.synced.set(message.revision);
        break;
      case 'areas':
        this.areas.set(message.areas);
        break;
      case 'settings':
        this.#settings(message);
        break;
      case 'progress':
        this.progress.set({ done: message.done, total: message.total });
        break;
      case 'failed':
        this.failed.set({ total: message.total, tiles: message.tiles });
        break;
      case 'ended':
        this.world.set(null);
        this.missing.set(message.reason);
        break;
      case 'path':
        if (this.#watch?.id === message.id) this.#watch.heard(message.path);
        break;
      case 'called': {
        const call = this.#calls.get(message.id);
        this.#calls.delete(message.id);
        if (message.failure) call?.reject(new CallError(message.failure));
        else call?.resolve(message.result as never);
        break;
      }
      case 'scene':
        this.scene.set(message);
        break;
    }
  }

  #drop(): void {
    this.history.clear();
    this.live.clear();
    this.shown.clear();
    this.synced.set(-1);
  }

  #settings({ profile, origin }: SettingsMessage): void {
    const world = this.world.value;
    this.profile.set(profile);
    if (world) this.world.set({ ...world, origin });
  }

  #tiles(message: Extract<FromWorker, { type: 'tiles' }>): void {
    if (message.grid) {
      this.#drop();
      this.#settings(message.grid);
    }
    const changes: TileChange[] = [];
    let revision = this.revision.value;
    for (const sent of message.tiles) {
      const tile: Tile = Object.assign(sent, { mesh: sent.mesh && unpackMesh(message.meshes, sent.mesh), components: null });
      const key = tileKey(tile.x, tile.z);
      const before = this.live.tiles.get(key) ?? null;
      // The tile before a failure stays valid.
      if (tile.status === 'failed' && before) {
        tile.mesh = before.mesh;
        tile.components = before.components;
        tile.cells = before.cells;
        tile.content = before.content;
        tile.serial = before.serial;
      }
      revision = Math.max(revision, tile.revision);
      changes.push({ key, x: tile.x, z: tile.z, before, after: tile });
    }
    for (const { x, z, revision: at } of message.removed) {
      const key = tileKey(x, z);
      const before = this.live.tiles.get(key);
      revision = Math.max(revision, at);
      if (before) changes.push({ key, x, z, before, after: null });
    }
    this.revision.set(revision);
    if (changes.length === 0) return;
    this.live.apply(changes);
    if (this.synced.value < 0) this.shown.apply(changes); // the first tiles are no history
    else this.history.add(revision, changes);
  }

  #components(message: Extract<FromWorker, { type: 'components' }>): void {
    const tiles: Tile[] = [];
    const list = message.tiles;
    let from = 0;
    for (let i = 0; i < list.length; i += 4) {
      const tile = this.live.get(list[i]!, list[i + 1]!);
      const end = from + list[i + 3]!;
      // Another version of the tile may have come meanwhile; its own components follow.
      if (tile && tile.serial === list[i + 2]!) {
        tile.components = message.components.subarray(from, end);
        tiles.push(tile);
      }
      from = end;
    }
    this.componentCount.set(message.count);
    this.componentsChanged.emit(tiles);
  }
}

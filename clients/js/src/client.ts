// navd's calls as methods. The connection under it comes back by itself: calls wait for it, subscriptions go on where they were.

import { AgainError, ArgumentError, asNavdError, ClosedError, NavdError, NotFoundError, StateError } from './errors.js';
import { columnsOf, meshBytes, meshOf, sha256, type Instance, type Mesh } from './geometry.js';
import { bitsOf, heightsBytes, heightsOf, heightsSize, type Heights } from './heights.js';
import type {
  AreaParams,
  Bounds,
  Changed,
  Compression,
  Encoding,
  Floats,
  Hello,
  Jobs,
  Method,
  Note,
  Operation,
  OpenedWorld,
  Params,
  Nearest,
  NearestWall,
  Path,
  PathOptions,
  PlaceOptions,
  Ray,
  Profile,
  Query,
  Result,
  Synchronized,
  Tile,
  TileSource,
  Why,
  WorldObject,
} from './messages.js';
import { PathWatch, type PathWatchListener, type WatchPathsOptions } from './path_watch.js';
import { Session, type CallOptions, type SessionOptions } from './session.js';
import type { SettingsParams, Sheet } from './settings.js';
import { Subscription, type SubscribeOptions, type SubscriptionListener } from './subscription.js';
import type { Dial } from './transports/transport.js';
import { unpackTile } from './unpack.js';
import { withinOf, type Within } from './within.js';
import type { U64 } from './wire/values.js';

export type ClientOptions = SessionOptions;
export type PlaceCallOptions = CallOptions & PlaceOptions;

export type ClientEvent =
  /** The connection broke; the client tries to come back. */
  | { type: 'lost'; error: NavdError }
  /** It is back, and all subscriptions with it. */
  | { type: 'restored' }
  /** navd is stopping. */
  | { type: 'bye'; reason: string; retry_ms: U64 }
  /** The last event. With an error: coming back cannot help. */
  | { type: 'closed'; error: NavdError | undefined };

export type ClientListener = (event: ClientEvent) => void;

interface KnownWorld {
  name: string;
  up: 'y' | 'z' | undefined;
  unit_m: number | undefined;
}

const MESH_TRIES = 3;
const SYNC_PART = 65536; // instances of one message
const FIRST_PAGE = 4096;
const LONGEST_PAGE = 16384;
const PAGE_TRIES = 8;

export class Client {
  private readonly session: Session;
  private readonly listeners = new Set<ClientListener>();
  private readonly subscriptions = new Set<Subscription | PathWatch>();
  private readonly wired = new Map<U64, Subscription | PathWatch>(); // by their number in this connection
  private readonly worlds = new Map<U64, KnownWorld>();
  private readonly holding = new Set<Subscription>();
  private upload: Promise<unknown> = Promise.resolve();

  /** Connects and says hello. Rejects with a NavdError. */
  static async connect(dial: Dial, options: ClientOptions = {}): Promise<Client> {
    const client = new Client(dial, options);
    await client.session.open();
    return client;
  }

  private constructor(dial: Dial, options: ClientOptions) {
    this.session = new Session(dial, options, {
      note: (note) => this.note(note),
      lost: (error) => this.lost(error),
      restore: () => this.restore(),
      restored: () => this.tell({ type: 'restored' }),
      closed: (error) => this.closed(error),
    });
  }

  /** What navd said to hello: its name, its limits, our role. */
  get hello(): Hello {
    return this.session.hello;
  }

  /** open: calls go out. lost: they wait until the connection is back. closed: for ever. */
  get state(): 'connecting' | 'open' | 'lost' | 'closed' {
    return this.session.state;
  }

  /** Says what happens to the connection. Returns what ends that. */
  on(listener: ClientListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Ends the connection and all subscriptions. Calls that wait are rejected with ClosedError. */
  close(): void {
    this.session.close();
  }

  /** Any call by its name; the methods below are shorter. */
  call<M extends Method>(method: M, params: Params[M], options?: CallOptions): Promise<Result<M>> {
    return this.session.call(method, params, options);
  }

  /** Resolves when little of what was sent still waits here: for those who send much. */
  room(): Promise<void> {
    return this.session.room();
  }

  ping(options?: CallOptions): Promise<unknown> {
    return this.call('ping', {}, options);
  }

  /** Counters of the daemon, see docs/protocol/sessions.md#stats. */
  stats(options?: CallOptions): Promise<Record<string, U64>> {
    return this.call('stats', {}, options);
  }

  // --- worlds ---

  /** Finds a world, or creates it with `create`. */
  async openWorld(params: Params['world.open'], options?: CallOptions): Promise<OpenedWorld> {
    const opened = await this.call('world.open', params, options);
    this.worlds.set(opened.world, { name: params.name, up: params.up, unit_m: params.unit_m });
    return opened;
  }

  async listWorlds(options?: CallOptions): Promise<Result<'world.list'>['worlds']> {
    return (await this.call('world.list', {}, options)).worlds;
  }

  /** The profiles of a world that exists, with their settings. */
  async profiles(name: string, options?: CallOptions): Promise<Profile[]> {
    return (await this.openWorld({ name }, options)).profiles;
  }

  async closeWorld(world: U64, options?: CallOptions): Promise<void> {
    await this.call('world.close', { world }, options);
    this.worlds.delete(world);
    for (const subscription of this.subscriptions) {
      if (subscription.options.world !== world) continue;
      this.forget(subscription);
      subscription.end('the world was closed');
    }
  }

  /** Deletes a world for everybody. */
  async deleteWorld(world: U64, options?: CallOptions): Promise<void> {
    await this.call('world.delete', { world }, options);
    this.worlds.delete(world);
  }

  /** All objects of a world at one revision, as the operations that create them. */
  async objects(world: U64, options?: CallOptions): Promise<{ revision: U64; objects: WorldObject[] }> {
    let limit = FIRST_PAGE;
    for (let tries = 1; ; tries++) {
      try {
        const objects: WorldObject[] = [];
        let page = await this.call('world.objects', { world, limit }, options);
        for (;;) {
          for (const object of page.objects) objects.push(object);
          if (page.next === 0) return { revision: page.revision, objects };
          page = await this.call('world.objects', { world, limit, cursor: page.next, revision: page.revision }, options);
        }
      } catch (error) {
        if (!(error instanceof StateError) || tries === PAGE_TRIES) throw error; // else the world has changed in between
        limit = Math.min(2 * limit, LONGEST_PAGE);
      }
    }
  }

  /** The table of areas. */
  async areas(world: U64, options?: CallOptions): Promise<Result<'world.areas'>['areas']> {
    return (await this.call('world.areas', { world }, options)).areas;
  }

  /** Changes the table of areas; `replace`: the areas that are not listed go. */
  setAreas(world: U64, areas: AreaParams[], replace = false, options?: CallOptions): Promise<Result<'world.areas'>> {
    return this.call('world.areas', { world, areas, replace }, options);
  }

  reach(world: U64, options?: CallOptions): Promise<Result<'world.reach'>> {
    return this.call('world.reach', { world }, options);
  }

  /** Adds a profile, or gives it other settings. */
  setProfile(world: U64, name: string, settings: SettingsParams, options?: CallOptions): Promise<Result<'world.profile'>> {
    return this.call('world.profile', { world, name, settings }, options);
  }

  removeProfile(world: U64, name: string, options?: CallOptions): Promise<Result<'world.profile'>> {
    return this.call('world.profile', { world, name, remove: true }, options);
  }

  setOrigin(world: U64, origin_m: Floats, options?: CallOptions): Promise<Changed> {
    return this.call('world.origin', { world, origin_m: Array.from(origin_m) }, options);
  }

  // --- geometry and edits ---

  /** Sends a mesh or a height grid, unless navd has it already. Its key, for put_instance. */
  putMesh(mesh: Mesh | Heights, options?: CallOptions): Promise<Uint8Array> {
    const turn = this.upload.then(() => this.upToDateMesh(mesh, options)); // a session has one upload at a time
    this.upload = turn.catch(() => {});
    return turn;
  }

  /** Reads a mesh as it was sent. Throws ArgumentError for a height grid. */
  async getMesh(hash: Uint8Array, options?: CallOptions): Promise<Mesh> {
    const { bytes, part } = await this.readMesh(hash, options);
    if (part.heights) throw new ArgumentError('the mesh is a height grid: getHeights() reads it');
    return meshOf(bytes, part.vertices, part.triangles, part.areas);
  }

  /** Reads a height grid as it is. Throws ArgumentError for a mesh of triangles. */
  async getHeights(hash: Uint8Array, options?: CallOptions): Promise<Heights> {
    const { bytes, part } = await this.readMesh(hash, options);
    if (!part.heights) throw new ArgumentError('the mesh has triangles: getMesh() reads it');
    return heightsOf(bytes, part.heights, part.areas);
  }

  private async readMesh(hash: Uint8Array, options?: CallOptions): Promise<{ bytes: Uint8Array; part: Result<'mesh.get'> }> {
    const parts: Uint8Array[] = [];
    let received = 0;
    for (;;) {
      const part = await this.call('mesh.get', { hash, offset: received }, options);
      parts.push(part.data);
      received += part.data.length;
      const { vertices, triangles, heights } = part;
      const size = heights
        ? heightsSize(vertices, triangles, heights, part.areas)
        : 12 * (vertices + triangles) + (part.areas ? triangles : 0);
      if (received < size && part.data.length > 0) continue;
      const all = new Uint8Array(received);
      let at = 0;
      for (const piece of parts) {
        all.set(piece, at);
        at += piece.length;
      }
      return { bytes: all, part };
    }
  }

  /** Applies operations, all or none. */
  edit(world: U64, ops: Operation[], options: CallOptions & { base_revision?: U64 } = {}): Promise<Changed> {
    return this.call('world.edit', { world, ops, base_revision: options.base_revision }, options);
  }

  /** Makes what `source` has put into the world equal to this list. With `missing` in the answer nothing was applied: put these meshes. */
  async sync(
    world: U64,
    source: string,
    instances: readonly Instance[],
    options: CallOptions & { base_revision?: U64; dry_run?: boolean; adopt?: boolean } = {},
  ): Promise<Synchronized> {
    const { signal, ...rest } = options;
    const named = instances.some((instance) => instance.name);
    for (let offset = 0; ; offset += SYNC_PART) {
      const part = instances.slice(offset, offset + SYNC_PART);
      const more = offset + part.length < instances.length;
      await this.room();
      const params = { world, source, ...columnsOf(part, named), ...rest, offset, more };
      const answer = await this.call('world.sync', params, { signal });
      if (!more) return answer;
    }
  }

  // --- tiles ---

  /** Tiles as they change. With a listener, events go there at once; without, iterate over the subscription. */
  async subscribe(options: SubscribeOptions, listener?: SubscriptionListener): Promise<Subscription> {
    const subscription: Subscription = new Subscription(this, { ...options }, listener, (held) => {
      if (held) this.holding.add(subscription);
      else this.holding.delete(subscription);
      this.session.hold(this.holding.size > 0);
    });
    await this.session.call('tiles.subscribe', subscription.request(), {}, (answer) => {
      this.subscriptions.add(subscription);
      this.begin(subscription, answer);
    });
    return subscription;
  }

  /** The newest finished state of some tiles, in the order asked. */
  async getTiles(
    world: U64,
    profile: string,
    tiles: (readonly [x: number, z: number, sheet?: Sheet])[],
    options: CallOptions & { encoding?: Encoding; compression?: Compression } = {},
  ): Promise<Tile[]> {
    const { signal, encoding, compression = 'zstd' } = options;
    const answer = await this.call('tiles.get', { world, profile, tiles, encoding, compression }, { signal });
    return answer.tiles.map((tile) => unpackTile(tile, compression));
  }

  /** Tiles from geometry of your own, without a world. */
  async buildTiles(source: TileSource, options?: CallOptions): Promise<Tile[]> {
    const answer = await this.call('tiles.build', source, options);
    return answer.tiles.map((tile) => unpackTile(tile, source.compression ?? 'zstd'));
  }

  /** The tiles whose newest run failed, the earliest failure first. */
  failed(world: U64, limit?: number, options?: CallOptions): Promise<Result<'tiles.failed'>> {
    return this.call('tiles.failed', { world, limit }, options);
  }

  /** What a tile waits for, or who caused it to be as it is. */
  why(world: U64, profile: string, x: number, z: number, options: CallOptions & { sheet?: Sheet } = {}): Promise<Why> {
    const { sheet, ...rest } = options;
    return this.call('tiles.why', { world, profile, x, z, sheet }, rest);
  }

  // --- work ---

  /** Resolves when all tiles touched up to a revision (the present one) are out. The world's revision by then. */
  async wait(world: U64, options: CallOptions & { revision?: U64; bounds?: Bounds; profile?: string } = {}): Promise<U64> {
    const { signal, ...rest } = options;
    return (await this.call('jobs.wait', { world, ...rest }, { signal })).revision;
  }

  jobs(world?: U64, options?: CallOptions): Promise<Jobs> {
    return this.call('jobs.list', { world }, options);
  }

  async cancel(params: Params['jobs.cancel'], options?: CallOptions): Promise<number> {
    return (await this.call('jobs.cancel', params, options)).cancelled;
  }

  /** Ways through the mesh, in the order asked. NotFoundError: this navd cannot, or there is no such world or profile. */
  async findPaths(world: U64, profile: string, queries: Query[], options: CallOptions & PathOptions = {}): Promise<Path[]> {
    const { signal, ...rest } = options;
    const asked = queries.map(({ from, to }) => ({ from: Array.from(from), to: Array.from(to) }));
    return (await this.call('path.find', { world, profile, queries: asked, ...rest }, { signal })).paths;
  }

  /** Keeps paths: the listener hears of each that an edit changes. NotFoundError: this navd cannot, or there is no such world or profile. */
  async watchPaths(options: WatchPathsOptions, listener: PathWatchListener): Promise<PathWatch> {
    const watch = new PathWatch(this, { ...options }, listener);
    await this.session.call('path.watch', watch.request(), {}, (answer) => {
      this.subscriptions.add(watch);
      this.beginWatch(watch, answer);
    });
    return watch;
  }

  /** The ground nearest to each of some places. */
  async nearest(world: U64, profile: string, places: Floats[], options: PlaceCallOptions = {}): Promise<Nearest[]> {
    const { signal, ...rest } = options;
    const queries = places.map((at) => ({ at: Array.from(at) }));
    return (await this.call('path.nearest', { world, profile, queries, ...rest }, { signal })).places;
  }

  /** Straight from each `from` towards x and z of `to`, as far as one can walk. */
  async raycast(world: U64, profile: string, lines: Query[], options: PlaceCallOptions = {}): Promise<Ray[]> {
    const { signal, ...rest } = options;
    const queries = lines.map(({ from, to }) => ({ from: Array.from(from), to: Array.from(to) }));
    return (await this.call('path.raycast', { world, profile, queries, ...rest }, { signal })).rays;
  }

  /** The wall nearest to each of some places. `limit_m`: how far it is looked for; default 100. */
  async walls(
    world: U64,
    profile: string,
    places: Floats[],
    options: PlaceCallOptions & { limit_m?: number } = {},
  ): Promise<NearestWall[]> {
    const { signal, ...rest } = options;
    const queries = places.map((at) => ({ at: Array.from(at) }));
    return (await this.call('path.wall', { world, profile, queries, ...rest }, { signal })).walls;
  }

  /** Which goals can be reached: `found`, `none`, `no_start`, `no_goal` or (with `exclude`) `limit` for each. */
  async reaches(world: U64, profile: string, from: Floats, goals: Floats[], options: PlaceCallOptions = {}): Promise<string[]> {
    const { signal, ...rest } = options;
    const asked = { world, profile, from: Array.from(from), goals: goals.map((at) => ({ at: Array.from(at) })), ...rest };
    return (await this.call('path.reach', asked, { signal })).goals.map(({ status }) => status);
  }

  /** Places at random, uniform by area: three numbers each. */
  async random(world: U64, profile: string, params: Omit<Params['path.random'], 'world' | 'profile'>, options?: CallOptions): Promise<Float32Array> {
    return (await this.call('path.random', { world, profile, ...params }, options)).points;
  }

  /** All ground to which the shortest path from a place is no longer than a distance, the nearest cells first. */
  async within(
    world: U64,
    profile: string,
    at: Floats,
    distance_m: number,
    options: PlaceCallOptions & { outlines?: boolean } = {},
  ): Promise<Within> {
    const { signal, ...rest } = options;
    return withinOf(await this.call('path.within', { world, profile, at: Array.from(at), distance_m, ...rest }, { signal }));
  }

  // --- what subscriptions call ---

  /** Not to be resumed any more. */
  forget(subscription: Subscription | PathWatch): void {
    this.subscriptions.delete(subscription);
    if (subscription instanceof Subscription) this.holding.delete(subscription);
    for (const [wire, other] of this.wired) if (other === subscription) this.wired.delete(wire);
    this.session.hold(this.holding.size > 0);
  }

  private begin(subscription: Subscription, answer: Result<'tiles.subscribe'>): void {
    subscription.begin(answer);
    this.wired.set(answer.subscription, subscription);
  }

  private beginWatch(watch: PathWatch, answer: Result<'path.watch'>): void {
    watch.begin(answer);
    this.wired.set(answer.subscription, watch);
  }

  private note(note: Note): void {
    if (note.name === 'alive') return;
    if (note.name === 'bye') return this.tell({ type: 'bye', ...note.params });
    if (note.name === 'progress') {
      for (const subscription of this.wired.values()) {
        if (subscription instanceof PathWatch) continue;
        const { world, profile } = subscription.options;
        if (world === note.params.world && profile === note.params.profile) subscription.note(note);
      }
      return;
    }
    const subscription = this.wired.get(note.params.subscription);
    if (subscription instanceof PathWatch) subscription.note(note);
    else if (note.name !== 'paths') subscription?.note(note);
    if (subscription && note.name === 'ended') this.forget(subscription);
  }

  private lost(error: NavdError): void {
    this.unwire();
    this.tell({ type: 'lost', error });
  }

  private unwire(): void {
    this.wired.clear();
    for (const subscription of this.subscriptions) subscription.lost();
  }

  private closed(error: NavdError | undefined): void {
    for (const subscription of [...this.subscriptions]) {
      this.forget(subscription);
      subscription.end(error ? error.message : 'the client was closed');
    }
    this.tell({ type: 'closed', error });
  }

  // A new connection knows nothing: neither the axes of worlds nor subscriptions.
  private async restore(): Promise<void> {
    this.unwire(); // an earlier attempt may have begun
    for (const [world, { name, up, unit_m }] of this.worlds) {
      const plain = (up ?? 'y') === 'y' && (unit_m ?? 1) === 1;
      if (!plain) await this.reopen(world, { name, up, unit_m }).catch(unlessClosed); // else the world is gone
    }
    for (const subscription of [...this.subscriptions]) {
      try {
        await this.resume(subscription);
      } catch (thrown) {
        const error = asNavdError(thrown);
        unlessClosed(error);
        this.forget(subscription);
        subscription.fail(error);
      }
    }
  }

  private async resume(subscription: Subscription | PathWatch): Promise<void> {
    const { world, profile } = subscription.options;
    const known = this.worlds.get(world);
    if (known) {
      const { profiles, origin_m, revision } = await this.reopen(world, known);
      const now = profiles.find(({ name }) => name === profile);
      if (now && subscription instanceof Subscription) {
        const params = { subscription: 0, world, profile, settings: now.settings, origin_m, revision, grid: now.grid };
        subscription.note({ name: 'settings', params });
      }
    }
    if (subscription.ended !== undefined) return;
    if (subscription instanceof PathWatch) {
      await this.session.raw('path.watch', subscription.request(), (answer) => {
        if (subscription.ended === undefined) this.beginWatch(subscription, answer);
        else this.drop('path.unwatch', answer.subscription);
      });
      return;
    }
    await this.session.raw('tiles.subscribe', subscription.request(), (answer) => {
      if (subscription.ended === undefined) this.begin(subscription, answer);
      else this.drop('tiles.unsubscribe', answer.subscription);
    });
  }

  // It was ended while navd made it. An error: the connection is gone, and it with it.
  private drop(method: 'path.unwatch' | 'tiles.unsubscribe', subscription: U64): void {
    this.session.raw(method, { subscription }).catch(() => {});
  }

  // Is the world of that name still the one that it was?
  private async reopen(world: U64, known: KnownWorld): Promise<OpenedWorld> {
    const opened = await this.session.raw('world.open', known);
    if (opened.world !== world) throw new NotFoundError(`world ${known.name} was deleted and created again`);
    return opened;
  }

  private async upToDateMesh(mesh: Mesh | Heights, options: CallOptions | undefined): Promise<Uint8Array> {
    const bytes = 'samples' in mesh ? heightsBytes(mesh) : meshBytes(mesh);
    const digest = await sha256(bytes);
    for (let tries = 1; ; tries++) {
      try {
        return (digest && (await this.lookUpMesh(digest, options))) ?? (await this.sendMesh(mesh, bytes, options));
      } catch (error) {
        // Sending again is harmless.
        if (!(error instanceof ClosedError) || this.state === 'closed' || tries === MESH_TRIES) throw error;
      }
    }
  }

  private async lookUpMesh(digest: Uint8Array, options: CallOptions | undefined): Promise<Uint8Array | undefined> {
    try {
      return (await this.call('mesh.have', { sha256: [digest] }, options)).keys[0];
    } catch (error) {
      if (error instanceof AgainError) return undefined; // navd has just started
      throw error;
    }
  }

  private async sendMesh(mesh: Mesh | Heights, bytes: Uint8Array, options?: CallOptions): Promise<Uint8Array> {
    const part = Number(this.hello.limits['mesh_part_bytes'] ?? 1 << 20);
    const areas = mesh.areas !== undefined;
    const whole =
      'samples' in mesh
        ? { vertices: mesh.columns * mesh.rows, triangles: 2 * (mesh.columns - 1) * (mesh.rows - 1), areas, heights: bitsOf(mesh) }
        : { vertices: mesh.vertices.length / 3, triangles: mesh.indices.length / 3, areas };
    const answers: Promise<Result<'mesh.put'>>[] = [];
    for (let offset = 0; offset === 0 || offset < bytes.length; offset += part) {
      await this.room();
      const answer = this.call('mesh.put', { ...whole, offset, data: bytes.subarray(offset, offset + part) }, options);
      answer.catch(() => {}); // the last one tells
      answers.push(answer);
    }
    for (const answer of answers) await answer;
    const { hash } = await answers[answers.length - 1]!;
    if (!hash) throw new NotFoundError('this navd does not tell the hash of a mesh: it is older than this client');
    return hash;
  }

  private tell(event: ClientEvent): void {
    for (const listener of [...this.listeners]) {
      try {
        listener(event);
      } catch (error) {
        queueMicrotask(() => {
          throw error; // a defect of the listener: not ours to hide
        });
      }
    }
  }
}

function unlessClosed(error: NavdError): void {
  if (error.code === 'closed') throw error;
}

// Detour itself, as recast-navigation brings it to browsers: follows the open world tile by tile, and finds its own paths. A chunk of
// its own, as it is larger than all the rest of the page.
import { init, NavMesh, NavMeshParams, NavMeshQuery, statusSucceed, UnsignedCharArray } from 'recast-navigation';
import type { Tile } from '../../../js/src/messages.js';
import type { Model } from '../model/model.ts';
import { tileKey } from '../model/types.ts';
import type { Found } from './path.ts';
import type { Point } from './path_marks.ts';

const MOST_NODES = 65535;
const MOST_POINTS = 4096;
const REFERENCE_BITS = 22; // for tile and polygon
const AT_ONCE = 500;
const NEAR_M = 2;
const TRIES = 5; // to get tiles that are being built

export class DetourWorld {
  #model: Model;
  #mesh: NavMesh;
  #query: NavMeshQuery;
  #bytes = new Map<string, UnsignedCharArray>();
  #stale = new Map<string, [number, number]>();
  #stop: () => void;

  static async create(model: Model): Promise<DetourWorld> {
    await init();
    return new DetourWorld(model);
  }

  private constructor(model: Model) {
    this.#model = model;
    const [x, y, z] = model.world.value!.origin;
    let bits = 4;
    while (1 << bits < 2 * model.live.tiles.size) bits++;
    this.#mesh = new NavMesh();
    const size = model.tileSize;
    const params = { orig: { x, y, z }, tileWidth: size, tileHeight: size, maxTiles: 1 << bits, maxPolys: 1 << (REFERENCE_BITS - bits) };
    if (!this.#mesh.initTiled(NavMeshParams.create(params))) throw new Error(`Detour has no room for ${1 << bits} tiles.`);
    this.#query = new NavMeshQuery(this.#mesh, { maxNodes: MOST_NODES });
    for (const tile of model.live.tiles.values()) this.#stale.set(tileKey(tile.x, tile.z), [tile.x, tile.z]);
    this.#stop = model.live.changed.on((changes) => {
      for (const change of changes) this.#stale.set(change.key, [change.x, change.z]);
    });
  }

  destroy(): void {
    this.#stop();
    this.#query.destroy();
    this.#mesh.destroy();
    for (const bytes of this.#bytes.values()) bytes.destroy();
  }

  async find(from: Point, to: Point): Promise<Found> {
    await this.#catchUp();
    const before = performance.now();
    const halfExtents = { x: NEAR_M, y: NEAR_M, z: NEAR_M };
    const at = ([x, y, z]: Point) => this.#query.findNearestPoly({ x, y, z }, { halfExtents });
    const [start, goal] = [at(from), at(to)];
    const none = (words: string): Found => ({ words, length: NaN, points: new Float32Array(0), ms: performance.now() - before });
    if (!start.nearestRef) return none('no ground at the start');
    if (!goal.nearestRef) return none('no ground at the goal');
    const { polys } = this.#query.findPath(start.nearestRef, goal.nearestRef, start.nearestPoint, goal.nearestPoint, { maxPathPolys: MOST_NODES });
    const last = polys.size > 0 ? polys.get(polys.size - 1) : 0;
    const complete = last === goal.nearestRef;
    const end = complete || !last ? goal.nearestPoint : this.#query.closestPointOnPoly(last, goal.nearestPoint).closestPoint;
    const straight = this.#query.findStraightPath(start.nearestPoint, end, polys, { maxStraightPathPoints: MOST_POINTS });
    const points = straight.straightPath.toTypedArray().slice(0, 3 * straight.straightPathCount);
    for (const array of [polys, straight.straightPath, straight.straightPathFlags, straight.straightPathRefs]) array.destroy();
    if (points.length < 3) return none('nothing found');
    let length = 0;
    for (let i = 3; i < points.length; i += 3) length += Math.hypot(points[i]! - points[i - 3]!, points[i + 2]! - points[i - 1]!);
    return { words: complete ? 'found' : 'no way: ends as near as one can get', length, points, ms: performance.now() - before };
  }

  // Fetches the tiles that have changed since the last path.
  async #catchUp(): Promise<void> {
    for (let tries = 0; this.#stale.size > 0; tries++) {
      if (tries === TRIES) throw new Error(`${this.#stale.size} tiles are still being built.`);
      const places = [...this.#stale.values()];
      for (let i = 0; i < places.length; i += AT_ONCE) await this.#fetch(places.slice(i, i + AT_ONCE));
      if (this.#stale.size > 0) await this.#model.call('jobs.wait', { world: this.#model.world.value!.id });
    }
  }

  async #fetch(tiles: [number, number][]): Promise<void> {
    for (const [x, z] of tiles) this.#stale.delete(tileKey(x, z));
    const answer = await this.#model.call<{ tiles: Tile[] }>('tiles.get', {
      world: this.#model.world.value!.id,
      profile: this.#model.profile.value!.name,
      encoding: 'detour',
      compression: 'none',
      tiles,
    });
    for (const tile of answer.tiles) {
      if (tile.status === 'pending') this.#stale.set(tileKey(tile.x, tile.z), [tile.x, tile.z]);
      else if (tile.status !== 'failed') this.#put(tile);
    }
  }

  #put({ x, z, data }: Tile): void {
    const key = tileKey(x, z);
    const old = this.#bytes.get(key);
    if (old) {
      this.#mesh.removeTile(this.#mesh.getTileRefAt(x, z, 0));
      old.destroy();
      this.#bytes.delete(key);
    }
    if (!data) return;
    const bytes = new UnsignedCharArray();
    bytes.copy(data);
    if (statusSucceed(this.#mesh.addTile(bytes, 0, 0).status)) this.#bytes.set(key, bytes);
    else {
      bytes.destroy();
      throw new Error(`Detour has no room for tile ${x}, ${z}: too many tiles, or too many polygons in one.`);
    }
  }
}

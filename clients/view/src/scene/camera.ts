// The camera: orbit around a centre, or walk on the ground. Mouse, touch and keys; what they do is in docs/editors/view.md.
//
// Orbit: the camera looks at `centre` from `distance`. Zooming scales everything around the place under the cursor, so that it stays
// where it is. Walk: `centre` is where the eyes are, and the ground below it carries them.
import { type Box3, PerspectiveCamera, Vector3 } from 'three';
import { Event, Signal } from '../model/signal.ts';

export type CameraMode = 'orbit' | 'walk';

export interface CameraHost {
  element: HTMLElement;
  // The ground under a point of the element (CSS pixels from its corner); null: none.
  pick(px: number, py: number): Vector3 | null;
  // Height of the ground below a point, null: none.
  groundBelow(x: number, y: number, z: number): number | null;
  // Eyes above ground while walking, metres.
  eyeHeight(): number;
  invalidate(): void;
}

const MAX_TILT = Math.PI / 2 - 0.001;
const MIN_DISTANCE = 0.3;
const WALK_SPEED = 4.5; // metres a second
const KEYS_MOVE = new Set(['KeyW', 'KeyA', 'KeyS', 'KeyD', 'KeyQ', 'KeyE', 'ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown', 'Equal', 'Minus', 'NumpadAdd', 'NumpadSubtract']);

export class Camera {
  readonly camera = new PerspectiveCamera(50, 1, 0.1, 1e5);
  readonly mode = new Signal<CameraMode>('orbit');
  // While a person turns or moves it; the scene shows the centre then.
  readonly active = new Signal<boolean>(false);
  // A person has moved it.
  readonly moved = new Event<void>();
  readonly centre = new Vector3();
  distance = 60;
  // Radians: 0 looks along -z; up is positive tilt of the camera above the ground.
  yaw = 0.6;
  tilt = 0.85;
  // How far the world reaches, for the clipping planes.
  worldRadius = 1000;
  #host: CameraHost;
  #keys = new Set<string>();
  #fast = false;
  #last = 0;
  #pointers = new Map<number, { x: number; y: number }>();
  #grab: Vector3 | null = null;
  #activeTimer = 0;

  constructor(host: CameraHost) {
    this.#host = host;
    const e = host.element;
    e.addEventListener('pointerdown', (event) => this.#down(event));
    e.addEventListener('pointermove', (event) => this.#move(event));
    e.addEventListener('pointerup', (event) => this.#up(event));
    e.addEventListener('pointercancel', (event) => this.#up(event));
    e.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    e.addEventListener('contextmenu', (event) => event.preventDefault());
    e.addEventListener('keydown', (event) => this.#key(event, true));
    e.addEventListener('keyup', (event) => this.#key(event, false));
    e.addEventListener('blur', () => this.#keys.clear());
  }

  // Puts the camera where its numbers say. Once before each frame.
  place(): void {
    const c = this.camera;
    const cos = Math.cos(this.tilt);
    const back = new Vector3(Math.sin(this.yaw) * cos, Math.sin(this.tilt), Math.cos(this.yaw) * cos);
    if (this.mode.value === 'walk') {
      c.position.copy(this.centre);
      c.near = 0.05;
      c.far = Math.max(200, this.worldRadius * 3);
    } else {
      c.position.copy(this.centre).addScaledVector(back, this.distance);
      c.near = Math.max(0.02, this.distance / 200);
      c.far = this.distance * 2 + this.worldRadius * 4;
    }
    c.up.set(0, 1, 0);
    c.lookAt(c.position.x - back.x, c.position.y - back.y, c.position.z - back.z);
    c.updateProjectionMatrix();
    c.updateMatrixWorld();
  }

  // Moves on what keys are held down; true while there is something to do.
  step(now: number): boolean {
    const dt = Math.min(0.1, (now - this.#last) / 1000);
    this.#last = now;
    if (this.#keys.size === 0) return false;
    const held = (...codes: string[]) => (codes.some((c) => this.#keys.has(c)) ? 1 : 0);
    const walking = this.mode.value === 'walk';
    const ahead = held('KeyW', 'ArrowUp') - held('KeyS', 'ArrowDown');
    const side = held('KeyD', 'ArrowRight') - held('KeyA', 'ArrowLeft');
    const turn = held('KeyQ') - held('KeyE');
    const lift = held('PageUp') - held('PageDown');
    const zoom = held('Minus', 'NumpadSubtract') - held('Equal', 'NumpadAdd');
    this.yaw += turn * dt * 1.6;
    const speed = (walking ? WALK_SPEED : this.distance * 0.8) * (this.#fast ? 4 : 1) * dt;
    const [sin, cos] = [Math.sin(this.yaw), Math.cos(this.yaw)];
    this.centre.x += (-sin * ahead + cos * side) * speed;
    this.centre.z += (-cos * ahead - sin * side) * speed;
    this.#tilt(lift * dt * 1.2);
    if (!walking) this.distance = Math.max(MIN_DISTANCE, this.distance * Math.exp(zoom * dt * 1.8));
    else if (ahead || side) this.#standOnGround();
    this.#touch();
    return true;
  }

  // Shows a box, in the direction in which the camera looks now: as near as all of its corners can be seen.
  fit(box: Box3): void {
    if (this.mode.value === 'walk') this.setMode('orbit');
    box.getCenter(this.centre);
    const corners = Array.from({ length: 8 }, (_, i) => new Vector3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z));
    const room = Math.max(0.5, 1 - 110 / Math.max(1, this.#host.element.clientHeight)); // bars lie above and below
    const seen = (distance: number) => {
      this.distance = distance;
      this.place();
      return corners.every((c) => {
        const { x, y, z } = c.clone().project(this.camera);
        return Math.abs(x) < 0.94 && Math.abs(y) < room && z < 1;
      });
    };
    let [near, far] = [MIN_DISTANCE * 4, box.getSize(new Vector3()).length() * 4 + 4];
    for (let i = 0; i < 24; i++) {
      const middle = (near + far) / 2;
      if (seen(middle)) far = middle;
      else near = middle;
    }
    seen(far);
    this.#host.invalidate();
  }

  // Looks at a place from at most so far away.
  lookAt(point: Vector3, distance = this.distance): void {
    if (this.mode.value === 'walk') {
      this.centre.copy(point);
      this.#standOnGround();
    } else {
      this.centre.copy(point);
      this.distance = Math.max(MIN_DISTANCE, Math.min(this.distance, distance));
    }
    this.#host.invalidate();
  }

  fromAbove(): void {
    this.setMode('orbit');
    this.tilt = MAX_TILT;
    this.yaw = 0;
    this.#host.invalidate();
  }

  setMode(mode: CameraMode): void {
    if (mode === this.mode.value) return;
    if (mode === 'walk') {
      this.tilt = 0;
      this.mode.set(mode);
      this.#standOnGround(true);
    } else {
      // Look back at where the walk has ended.
      this.distance = Math.min(this.distance, 40);
      this.tilt = 0.6;
      this.mode.set(mode);
    }
    this.#keys.clear();
    this.#host.invalidate();
  }

  #standOnGround(drop = false): void {
    const c = this.centre;
    const eyes = this.#host.eyeHeight();
    // What one can step on from here; from above, the highest ground.
    const y = this.#host.groundBelow(c.x, drop ? c.y + 2 : c.y + 0.3, c.z) ?? (drop ? this.#host.groundBelow(c.x, Infinity, c.z) : null);
    if (y !== null) c.y = y + eyes;
    else if (drop) c.y += eyes;
  }

  #tilt(by: number): void {
    const low = this.mode.value === 'walk' ? -MAX_TILT : -0.2;
    this.tilt = Math.max(low, Math.min(MAX_TILT, this.tilt + by));
  }

  #touch(): void {
    this.active.set(true);
    clearTimeout(this.#activeTimer);
    this.#activeTimer = window.setTimeout(() => {
      if (this.#pointers.size === 0 && this.#keys.size === 0) this.active.set(false);
    }, 500);
    this.moved.emit();
    this.#host.invalidate();
  }

  #at(event: { clientX: number; clientY: number }): { x: number; y: number } {
    const box = this.#host.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #down(event: PointerEvent): void {
    if (event.defaultPrevented) return; // a tool has taken it
    this.#host.element.focus({ preventScroll: true });
    this.#host.element.setPointerCapture(event.pointerId);
    const at = this.#at(event);
    this.#pointers.set(event.pointerId, at);
    this.#grab = this.#host.pick(at.x, at.y);
  }

  #up(event: PointerEvent): void {
    if (!this.#pointers.delete(event.pointerId)) return;
    if (this.#pointers.size === 0) this.#touch();
    this.#grab = null;
  }

  #move(event: PointerEvent): void {
    const before = this.#pointers.get(event.pointerId);
    if (!before) return;
    const at = this.#at(event);
    if (this.#pointers.size >= 2) this.#pinch(event.pointerId, before, at);
    else {
      const dx = at.x - before.x;
      const dy = at.y - before.y;
      if (dx === 0 && dy === 0) return;
      const pan = event.buttons & 6 || event.shiftKey;
      if (pan && this.mode.value === 'orbit') this.#pan(before, at);
      else {
        const s = this.mode.value === 'walk' ? 0.0035 : 0.006;
        this.yaw -= dx * s;
        this.#tilt(dy * s);
      }
    }
    this.#pointers.set(event.pointerId, at);
    this.#touch();
  }

  // Two fingers: their middle drags, their distance zooms.
  #pinch(id: number, before: { x: number; y: number }, at: { x: number; y: number }): void {
    const other = [...this.#pointers].find(([key]) => key !== id)?.[1];
    if (!other || this.mode.value === 'walk') return;
    const mid = (p: { x: number; y: number }) => ({ x: (p.x + other.x) / 2, y: (p.y + other.y) / 2 });
    const far = (p: { x: number; y: number }) => Math.max(10, Math.hypot(p.x - other.x, p.y - other.y));
    this.#zoom(far(before) / far(at), mid(at));
    this.#pan(mid(before), mid(at));
  }

  // Moves the camera so that the grabbed place follows the pointer, on a level plane.
  #pan(from: { x: number; y: number }, to: { x: number; y: number }): void {
    const y = this.#grab?.y ?? this.centre.y;
    const a = this.onPlane(from.x, from.y, y);
    const b = this.onPlane(to.x, to.y, y);
    const reach = this.distance * 20;
    if (a && b && a.distanceTo(b) < reach) this.centre.add(a.sub(b).setY(0));
    this.place();
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 200 : 1);
    const factor = Math.exp(Math.max(-200, Math.min(200, pixels)) * 0.0016);
    if (this.mode.value === 'walk') {
      const step = pixels > 0 ? -1 : 1;
      this.centre.x -= Math.sin(this.yaw) * step;
      this.centre.z -= Math.cos(this.yaw) * step;
      this.#standOnGround();
    } else this.#zoom(factor, this.#at(event));
    this.#touch();
  }

  #zoom(factor: number, at: { x: number; y: number }): void {
    const distance = Math.max(MIN_DISTANCE, Math.min(this.worldRadius * 8 + 100, this.distance * factor));
    const f = distance / this.distance;
    const to = this.#host.pick(at.x, at.y) ?? this.onPlane(at.x, at.y, this.centre.y);
    // Everything scales around the place under the cursor; the sky is no such place.
    if (to && to.distanceTo(this.camera.position) < this.distance * 30) this.centre.lerp(to, 1 - f);
    this.distance = distance;
    this.place();
  }

  // Where a point of the element meets a level plane; null if it does not.
  onPlane(px: number, py: number, y: number): Vector3 | null {
    const { from, along } = this.ray(px, py);
    const t = (y - from.y) / along.y;
    return Number.isFinite(t) && t > 0 ? from.addScaledVector(along, t) : null;
  }

  // From the eye through a point of the element.
  ray(px: number, py: number): { from: Vector3; along: Vector3 } {
    this.place(); // it may have moved since the last frame
    const box = this.#host.element.getBoundingClientRect();
    const along = new Vector3((px / box.width) * 2 - 1, 1 - (py / box.height) * 2, 0.5).unproject(this.camera);
    const from = this.camera.position.clone();
    return { from, along: along.sub(from).normalize() };
  }

  #key(event: KeyboardEvent, down: boolean): void {
    this.#fast = event.shiftKey;
    if (event.ctrlKey || event.metaKey || event.altKey || !KEYS_MOVE.has(event.code)) return;
    event.preventDefault();
    if (!down) {
      this.#keys.delete(event.code);
      this.#touch();
      return;
    }
    if (this.#keys.size === 0) this.#last = performance.now();
    this.#keys.add(event.code);
    this.#host.invalidate();
  }
}

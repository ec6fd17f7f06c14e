// The picture: renderer, frames, camera and what they draw. A frame is drawn only when something has changed.
import { Color, ColorManagement, Group, LineSegments, Mesh, Raycaster, Scene, Vector2, Vector3, WebGLRenderer } from 'three';
import { Event, Signal } from '../model/signal.ts';
import type { Model, Selection } from '../model/model.ts';
import type { TileChange } from '../model/tiles.ts';
import { Camera } from './camera.ts';
import type { Mode } from './colours.ts';
import { Ground } from './ground.ts';
import { Marks } from './marks.ts';
import { Materials } from './material.ts';
import { SceneMeshes } from './objects.ts';
import { groundBelow, pick } from './pick.ts';

// Tiles are moved into their chunks in slices of this length, between frames.
const SLICE_MS = 8;
// While the first tiles stream, at least so much time lies between two frames, and so many times what the one before took: the rest
// is for the tiles.
const STREAM_FRAME_MS = 250;
const STREAM_SHARE = 3;
const CLICK_PX = 4;

// Takes clicks and drags on the ground from the camera while it is set, for tools like the path tool.
export interface Tool {
  // True: the tool has taken the pointer, the camera does not move until it is released.
  down(at: Selection | null, event: PointerEvent): boolean;
  move(at: Selection | null, event: PointerEvent): void;
  up(at: Selection | null, event: PointerEvent): void;
}

export interface FrameStats {
  frames: number;
  drawCalls: number;
  triangles: number;
  // Main-thread time of the newest frame, in milliseconds.
  frameMs: number;
  // performance.now() when the first frame was drawn that has all tiles; 0 before.
  allDrawnAt: number;
}

// WebGL 2 is missing.
export class NoWebGl extends Error {}

function isSoftware(gl: WebGL2RenderingContext): boolean {
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

export class View {
  readonly element: HTMLCanvasElement;
  readonly camera: Camera;
  readonly ground: Ground;
  // Things of tools and panels; whoever changes them calls invalidate().
  readonly overlay = new Group();
  readonly stats: FrameStats = { frames: 0, drawCalls: 0, triangles: 0, frameMs: 0, allDrawnAt: 0 };
  readonly dark = new Signal<boolean>(true);
  readonly mode = new Signal<Mode>('height');
  readonly borders = new Signal<boolean>(true);
  readonly edges = new Signal<boolean>(true);
  // The camera goes where tiles change.
  readonly follow = new Signal<boolean>(false);
  readonly afterFrame = new Event<void>();
  // Where the pointer is on the ground or, beside it, on the level of the centre; null: outside.
  readonly pointer = new Signal<{ point: [number, number, number]; px: number; py: number; on: Selection | null } | null>(null);
  tool: Tool | null = null;
  #model: Model;
  #renderer: WebGLRenderer;
  #scene = new Scene();
  #materials = new Materials();
  #marks: Marks;
  #objects: SceneMeshes;
  #wanted = false;
  #renderedAt = 0;
  #frameTook = 0;
  #frameSince = false;
  #working = false;
  #flashTimer = 0;
  #ageTimer = 0;
  #pointerEvent: { px: number; py: number } | null = null;
  #fitted = false;
  #platesDue = true;
  #lost = false;

  // Throws NoWebGl.
  constructor(canvas: HTMLCanvasElement, model: Model) {
    this.element = canvas;
    this.#model = model;
    // Before there is a context: a drawing buffer of another size would have to be made anew.
    [canvas.width, canvas.height] = [canvas.clientWidth, canvas.clientHeight];
    const context = canvas.getContext('webgl2', { antialias: false, alpha: false, stencil: false, powerPreference: 'high-performance' });
    if (!context) throw new NoWebGl('WebGL 2 is not available');
    this.#renderer = new WebGLRenderer({ canvas, context, antialias: false, alpha: false, stencil: false });
    this.#renderer.info.autoReset = true;
    // Colours are written as they are shown, by the shaders here and by three's own.
    ColorManagement.enabled = false;
    this.#renderer.outputColorSpace = 'srgb-linear';
    // Four samples for each pixel where there is a graphics card. Only the context tells, and its own smoothing is chosen before.
    this.#renderer.setPixelRatio(isSoftware(context) ? 1 : Math.max(2, window.devicePixelRatio));
    this.#scene.matrixWorldAutoUpdate = false;
    this.camera = new Camera({
      element: canvas,
      pick: (px, py) => this.groundAt(px, py),
      groundBelow: (x, y, z) => groundBelow(model, x, y, z),
      eyeHeight: () => Math.max(0.3, Number(model.profile.value?.settings.agent_height_m ?? 2) * 0.9),
      invalidate: () => this.invalidate(),
    });
    this.ground = new Ground(model, this.#materials, () => this.#work());
    this.#marks = new Marks(model, () => this.invalidate());
    this.#objects = new SceneMeshes(model, () => this.invalidate());
    this.#scene.add(this.#objects.group, this.ground.group, this.#marks.group, this.overlay);
    // The shaders of the ground are compiled while its tiles come, not when the first of them is drawn.
    const first = new Group();
    first.add(new Mesh(undefined, this.#materials.ground), new LineSegments(undefined, this.#materials.edges));
    this.#renderer.compile(first, this.camera.camera, this.#scene);
    this.#listen();
    canvas.addEventListener('webglcontextlost', (event) => {
      event.preventDefault();
      this.#lost = true;
    });
    canvas.addEventListener('webglcontextrestored', () => {
      this.#lost = false;
      this.invalidate();
    });
  }

  // Draws a frame as soon as the browser has one.
  invalidate(): void {
    if (this.#wanted) return;
    this.#wanted = true;
    requestAnimationFrame((now) => this.#frame(now));
  }

  // Shows all of the world.
  fitAll(): void {
    const box = this.ground.bounds();
    if (box.isEmpty()) return;
    this.#fitted = true;
    this.camera.fit(box);
  }

  // Shows a place: a tile, a cell, a coordinate. Without a height, that of the ground.
  goTo(x: number, z: number, y?: number): void {
    const height = y ?? groundBelow(this.#model, x, Infinity, z) ?? this.camera.centre.y;
    this.camera.lookAt(new Vector3(x, height, z), Math.max(12, this.#model.tileSize * 2.5));
  }

  // What is under a point of the canvas, in CSS pixels from its corner.
  select(px: number, py: number): Selection | null {
    const { from, along } = this.camera.ray(px, py);
    return pick(this.#model, from, along);
  }

  groundAt(px: number, py: number): Vector3 | null {
    const hit = this.select(px, py);
    return hit ? new Vector3(...hit.point) : null;
  }

  // What of the overlay is under a point of the canvas.
  overlayAt(px: number, py: number): Raycaster['intersectObjects'] extends (...args: never[]) => infer R ? R : never {
    const caster = new Raycaster();
    const { clientWidth, clientHeight } = this.element;
    caster.setFromCamera(new Vector2((px / clientWidth) * 2 - 1, 1 - (py / clientHeight) * 2), this.camera.camera);
    return caster.intersectObjects(this.overlay.children, true);
  }

  // The picture as it is now, as a PNG.
  screenshot(): Promise<Blob> {
    this.#render();
    return new Promise((resolve, reject) => {
      this.element.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture could not be written'))), 'image/png');
    });
  }

  setTheme(dark: boolean): void {
    this.dark.set(dark);
    this.#materials.setTheme(dark);
    this.#marks.setTheme(dark);
    this.#objects.setTheme(dark);
    this.#scene.background = new Color().setStyle(getComputedStyle(this.element).backgroundColor, 'srgb-linear');
    this.invalidate();
  }

  #listen(): void {
    const model = this.#model;
    this.mode.watch((mode) => {
      this.ground.mode = mode;
      this.#marks.showEmpty = mode === 'status';
      this.#platesDue = true;
      this.#tickAges();
      this.invalidate();
    });
    this.borders.watch((on) => {
      this.#materials.borders = on;
      this.invalidate();
    });
    this.edges.watch((on) => {
      this.ground.showEdges = on;
      this.invalidate();
    });
    model.areas.watch((areas) => {
      this.#materials.setAreas(areas);
      this.invalidate();
    });
    model.world.watch(() => {
      this.#fitted = false;
      this.#materials.tileSize = model.tileSize || 1;
    });
    model.profile.watch(() => (this.#materials.tileSize = model.tileSize || 1));
    model.shown.changed.on((changes) => this.#tilesChanged(changes));
    model.synced.watch(() => this.invalidate());
    this.camera.moved.on(() => this.follow.set(false));
    this.camera.active.watch(() => this.invalidate());

    const canvas = this.element;
    new ResizeObserver(() => this.#resize()).observe(canvas);
    let pressed: { x: number; y: number; taken: boolean } | null = null;
    // Before the camera's own listeners, in the capturing phase.
    const at = (event: PointerEvent) => {
      const box = canvas.getBoundingClientRect();
      return { px: event.clientX - box.left, py: event.clientY - box.top };
    };
    canvas.addEventListener(
      'pointerdown',
      (event) => {
        const { px, py } = at(event);
        const taken = event.button === 0 && this.tool !== null && this.tool.down(this.select(px, py), event);
        pressed = { x: px, y: py, taken };
        if (taken) {
          event.preventDefault();
          canvas.setPointerCapture(event.pointerId);
        }
      },
      { capture: true },
    );
    canvas.addEventListener('pointermove', (event) => {
      const { px, py } = at(event);
      if (pressed?.taken) this.tool?.move(this.select(px, py), event);
      this.#pointerEvent = { px, py };
      if (event.buttons === 0 || pressed?.taken) this.invalidatePointer();
    });
    canvas.addEventListener('pointerup', (event) => {
      const { px, py } = at(event);
      if (pressed?.taken) this.tool?.up(this.select(px, py), event);
      else if (pressed && event.button === 0 && Math.hypot(px - pressed.x, py - pressed.y) < CLICK_PX) model.selection.set(this.select(px, py));
      pressed = null;
    });
    canvas.addEventListener('pointerleave', () => {
      this.#pointerEvent = null;
      this.pointer.set(null);
      model.hover.set(null);
    });
    canvas.addEventListener('dblclick', (event) => {
      const box = canvas.getBoundingClientRect();
      const to = this.groundAt(event.clientX - box.left, event.clientY - box.top);
      if (to) this.camera.lookAt(to);
    });
  }

  #pointerWanted = false;

  // Looks at most once a frame what is under the pointer; that alone draws nothing.
  invalidatePointer(): void {
    if (this.#pointerWanted) return;
    this.#pointerWanted = true;
    requestAnimationFrame(() => {
      this.#pointerWanted = false;
      const event = this.#pointerEvent;
      if (!event || !this.#model.world.value) return;
      const on = this.select(event.px, event.py);
      const before = this.#model.hover.value;
      if (on?.x !== before?.x || on?.z !== before?.z || on?.cell !== before?.cell) this.#model.hover.set(on);
      const plane = on ? null : this.camera.onPlane(event.px, event.py, this.camera.centre.y);
      const point = on?.point ?? (plane ? ([plane.x, plane.y, plane.z] as [number, number, number]) : null);
      this.pointer.set(point ? { point, px: event.px, py: event.py, on } : null);
    });
  }

  #tilesChanged(changes: readonly TileChange[]): void {
    this.#platesDue = true;
    this.invalidate();
    if (changes.length === 0) {
      this.stats.allDrawnAt = 0;
      return;
    }
    // The first tiles are all new; only what changes later is worth a look.
    if (this.#model.synced.value < 0) return;
    const tiles = changes.flatMap((c) => (c.after ? [c.after] : []));
    if (tiles.length === 0) return;
    this.#marks.flash(tiles.slice(0, 400), performance.now());
    if (this.follow.value) {
      const size = this.#model.tileSize;
      const [ox, , oz] = this.#model.world.value?.origin ?? [0, 0, 0];
      const n = tiles.length;
      this.goTo(ox + (tiles.reduce((s, t) => s + t.x, 0) / n + 0.5) * size, oz + (tiles.reduce((s, t) => s + t.z, 0) / n + 0.5) * size);
    }
  }

  // Moves tiles into their chunks, a slice at a time, until all are there.
  #work(): void {
    this.invalidate();
    if (this.#working || !this.ground.busy) return;
    this.#working = true;
    setTimeout(() => {
      this.#working = false;
      this.ground.update(SLICE_MS);
      this.#work();
    });
  }

  #frame(now: number): void {
    this.#wanted = false;
    if (this.#lost) return;
    const start = performance.now();
    const late = start - this.#renderedAt; // a frame that waits for the one before says how long that one takes
    const moving = this.camera.step(now);
    if (this.#frameSince) this.#frameTook = late;
    this.#frameSince = false;
    const coming = this.#model.synced.value < 0 || this.ground.busy;
    const time = late >= Math.max(STREAM_FRAME_MS, this.#frameTook * STREAM_SHARE) && this.ground.chunkCount > 0;
    if (!coming || time || moving || this.camera.active.value) {
      if (!this.#fitted && this.#model.shown.tiles.size > 0) {
        this.fitAll();
        this.#fitted = !coming; // until all of it is there
      }
      this.#render();
      this.#renderedAt = performance.now();
      this.#frameSince = true;
      this.stats.frameMs = this.#renderedAt - start;
      if (!coming && this.stats.allDrawnAt === 0 && this.#model.shown.tiles.size > 0) this.stats.allDrawnAt = performance.now();
      this.afterFrame.emit();
    }
    if (moving || coming) this.invalidate();
  }

  #render(): void {
    if (this.#platesDue && !this.ground.busy) {
      this.#platesDue = false;
      const [low, high] = this.ground.heights;
      this.#marks.updatePlates((low + high) / 2);
      const box = this.ground.bounds();
      if (!box.isEmpty()) this.camera.worldRadius = Math.max(50, box.getSize(new Vector3()).length() / 2);
    }
    const { camera } = this.camera;
    this.camera.place();
    this.ground.prepare(camera, this.element.clientHeight);
    const orbiting = this.camera.active.value && this.camera.mode.value === 'orbit';
    this.#marks.showCentre(orbiting ? this.camera.centre : null, this.camera.distance * 0.012);
    this.#flashes();
    this.overlay.updateMatrixWorld(true);
    this.#renderer.render(this.#scene, camera);
    const { calls, triangles } = this.#renderer.info.render;
    this.stats.frames++;
    this.stats.drawCalls = calls;
    this.stats.triangles = triangles;
  }

  // One frame when the next outline of a change has to go.
  #flashes(): void {
    const now = performance.now();
    const next = this.#marks.expire(now);
    clearTimeout(this.#flashTimer);
    if (next !== null) this.#flashTimer = window.setTimeout(() => this.invalidate(), next - now + 5);
  }

  // Ages go on by themselves: the colours follow from time to time, while they are looked at.
  #tickAges(): void {
    clearTimeout(this.#ageTimer);
    if (this.mode.value !== 'age') return;
    this.#ageTimer = window.setTimeout(() => {
      if (!document.hidden) {
        this.ground.recolour();
        this.invalidate();
      }
      this.#tickAges();
    }, 5000);
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.element;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.#renderer.setSize(clientWidth, clientHeight, false);
    this.camera.camera.aspect = clientWidth / clientHeight;
    this.#render(); // at once: an empty canvas would flicker
  }
}

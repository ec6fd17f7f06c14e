// What the path tool draws: two handles of the same size at any distance, and lines that shine through the ground.
import { BufferAttribute, BufferGeometry, Color, DataTexture, LinearFilter, LinearMipmapLinearFilter, LinearSRGBColorSpace, Points, PointsMaterial, Vector3 } from 'three';
import { Line2 } from 'three/examples/jsm/lines/Line2.js';
import { LineGeometry } from 'three/examples/jsm/lines/LineGeometry.js';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import type { View } from '../scene/view.ts';

export type Point = [number, number, number];
export type End = 'start' | 'goal';

// As the style sheet has them.
export const COLOURS = { navd: 0xff8a1f, detour: 0xb36bff, start: 0x33c481, goal: 0xff4d6d };
const LIFT = 0.12; // metres above the ground
const SIZE_PX = 18;

// The view writes colours as they are.
const plain = (hex: number) => new Color().setHex(hex, LinearSRGBColorSpace);

// A disc with a rim, white where the handle's colour shows. (A canvas would wait for the graphics card.)
function disc(): DataTexture {
  const side = 64;
  const [inner, outer] = [21, 31];
  const texels = new Uint8Array(side * side * 4);
  const within = (radius: number, r: number) => Math.max(0, Math.min(1, radius + 0.5 - r));
  for (let i = 0; i < side * side; i++) {
    const r = Math.hypot((i % side) + 0.5 - side / 2, Math.floor(i / side) + 0.5 - side / 2);
    texels.fill(0x22 + (0xff - 0x22) * within(inner, r), i * 4, i * 4 + 3);
    texels[i * 4 + 3] = 255 * within(outer, r);
  }
  const texture = new DataTexture(texels, side, side);
  texture.magFilter = LinearFilter;
  texture.minFilter = LinearMipmapLinearFilter;
  texture.generateMipmaps = true;
  texture.needsUpdate = true;
  return texture;
}

class Handle {
  readonly points: Points;
  at: Point | null = null;

  constructor(colour: number) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(3), 3));
    this.points = new Points(geometry, new PointsMaterial({ color: plain(colour), map: disc(), size: SIZE_PX, sizeAttenuation: false, depthTest: false, transparent: true }));
    this.points.frustumCulled = false;
    this.points.renderOrder = 9;
    this.points.visible = false;
  }

  show(at: Point | null): void {
    this.at = at;
    this.points.visible = at !== null;
    if (at) this.points.position.set(at[0], at[1] + LIFT, at[2]);
  }
}

class Way {
  readonly line: Line2;
  #shown: Float32Array | null = null;

  constructor(colour: number, width: number, order: number) {
    const material = new LineMaterial({ color: plain(colour), linewidth: width, depthTest: false, transparent: true, opacity: 0.9 });
    this.line = new Line2(new LineGeometry(), material);
    this.line.frustumCulled = false;
    this.line.renderOrder = order;
    this.line.visible = false;
  }

  show(points: Float32Array): void {
    if (points === this.#shown) return;
    this.#shown = points;
    this.line.visible = points.length >= 6;
    if (!this.line.visible) return;
    // From its first point on, so that it keeps its precision far from the origin.
    const [x, y, z] = [points[0]!, points[1]!, points[2]!];
    const near = Array.from(points, (n, i) => n - [x, y - LIFT, z][i % 3]!);
    this.line.geometry.dispose();
    this.line.geometry = new LineGeometry();
    this.line.geometry.setPositions(near);
    this.line.position.set(x, y, z);
  }
}

export class PathMarks {
  #view: View;
  #navd = new Way(COLOURS.navd, 4, 8);
  #detour = new Way(COLOURS.detour, 2.5, 7);
  #ends: Record<End, Handle> = { start: new Handle(COLOURS.start), goal: new Handle(COLOURS.goal) };

  constructor(view: View) {
    this.#view = view;
    view.overlay.add(this.#detour.line, this.#navd.line, this.#ends.start.points, this.#ends.goal.points);
  }

  show(start: Point | null, goal: Point | null, navd: Float32Array, detour: Float32Array): void {
    this.#ends.start.show(start);
    this.#ends.goal.show(goal);
    this.#navd.show(navd);
    this.#detour.show(detour);
    this.#view.invalidate();
  }

  // The handle under the pointer.
  near(event: PointerEvent, pixels: number): End | null {
    const box = this.#view.element.getBoundingClientRect();
    for (const end of ['goal', 'start'] as const) {
      const { at, points } = this.#ends[end];
      if (!at) continue;
      const on = new Vector3().copy(points.position).project(this.#view.camera.camera);
      const x = box.left + ((on.x + 1) / 2) * box.width;
      const y = box.top + ((1 - on.y) / 2) * box.height;
      if (on.z < 1 && Math.hypot(event.clientX - x, event.clientY - y) < pixels) return end;
    }
    return null;
  }
}

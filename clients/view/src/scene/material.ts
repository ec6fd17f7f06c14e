// How ground and its edges are drawn: one program each for the whole world.
//
// A vertex carries its slot (bits 0-21 of `info`), which is where the table of colours has the colour of its tile and connected part,
// and its area. So a change of colours writes a texture and touches no geometry.
//
// What is not asked for is not compiled: a processor that draws goes through all branches of a shader, whichever is taken.
import { Color, DataTexture, DoubleSide, GLSL3, NearestFilter, RawShaderMaterial, RGBAFormat, UnsignedByteType, Vector2, Vector3 } from 'three';
import { type Mode, type Rgb, RAMP, areaColour } from './colours.ts';
import type { Area } from '../model/types.ts';

const WIDTH = 1024; // of the table of colours

// The ramp of heights at `at` steps from its beginning, without a texture: these are dear on a processor.
function rampCode(at: string): string {
  const code = (colour: Rgb) => `vec3(${colour.map((c) => (c / 255).toFixed(6)).join(', ')})`;
  const steps = RAMP.slice(1).map((to, i) => `clamp(${at} - ${i}.0, 0.0, 1.0) * ${code(to.map((c, k) => c - RAMP[i]![k]!) as Rgb)}`);
  return [code(RAMP[0]!), ...steps].join(' + ');
}

const vertex = `
precision highp float;
precision highp int;
precision highp usampler2D;
precision highp sampler2D;
in vec3 position;
in uint info;
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
uniform sampler2D slots;
uniform sampler2D areas;
uniform vec2 heights; // the lowest, and steps of the ramp for each metre above it
uniform float tilesPerMetre;
out vec3 ground;
out vec3 local; // in sides of a tile

void main() {
  local = position * tilesPerMetre;
  gl_Position = projectionMatrix * (modelViewMatrix * vec4(position, 1.0));
#if COLOUR == HEIGHT
  float at = (position.y - heights.x) * heights.y;
  ground = ${rampCode('at')};
#elif COLOUR == AREA
  ground = texelFetch(areas, ivec2(int((info >> 22) & 63u), 0), 0).rgb;
#else
  int slot = int(info & 0x3fffffu);
  ground = texelFetch(slots, ivec2(slot % ${WIDTH}, slot / ${WIDTH}), 0).rgb;
#endif
  if ((info & 0x10000000u) != 0u) ground = mix(ground, vec3(0.5), 0.65);
}`;

const groundFragment = `
precision highp float;
in vec3 ground;
in vec3 local;
uniform vec3 borderColour;
uniform vec3 light;
out vec4 colour;

void main() {
  vec3 dx = dFdx(local);
  vec3 dy = dFdy(local);
  vec3 n = cross(dx, dy);
  vec3 shaded = ground * (0.62 + 0.38 * abs(dot(n, light)) * inversesqrt(max(dot(n, n), 1e-30)));
#if BORDERS
  vec2 width = max(abs(dx.xz) + abs(dy.xz), vec2(1e-6));
  vec2 d = abs(fract(local.xz - 0.5) - 0.5) / width;
  float line = clamp(1.25 - min(d.x, d.y), 0.0, 1.0) * clamp(1.05 - 4.2 * max(width.x, width.y), 0.0, 0.8);
  shaded = mix(shaded, borderColour, line);
#endif
  colour = vec4(shaded, 1.0);
}`;

const edgeVertex = `
precision highp float;
precision highp int;
in vec3 position;
in uint info;
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
out float wall;

void main() {
  wall = (info & 0x20000000u) != 0u ? 1.0 : 0.0;
  vec4 p = projectionMatrix * (modelViewMatrix * vec4(position, 1.0));
  p.z -= 0.00012 * p.w;
  gl_Position = p;
}`;

const edgeFragment = `
precision highp float;
in float wall;
uniform vec3 inner;
uniform vec3 outer;
uniform float opacity;
out vec4 colour;

void main() {
  colour = vec4(mix(inner, outer, wall), (wall > 0.5 ? 1.0 : 0.55) * opacity);
}`;

function texture(width: number, height: number): DataTexture {
  const t = new DataTexture(new Uint8Array(width * height * 4).fill(255), width, height, RGBAFormat, UnsignedByteType);
  t.minFilter = t.magFilter = NearestFilter;
  t.needsUpdate = true;
  return t;
}

const bytes = (t: DataTexture): Uint8Array => t.image.data as Uint8Array;

// The colours of all tiles: slots of the table are handed out to tiles, one for each connected part.
export class ColourTable {
  texture = texture(WIDTH, 8);
  #end = 0;
  #free = new Map<number, number[]>(); // by length
  onGrown: () => void = () => {};

  take(count: number): number {
    const kept = this.#free.get(count)?.pop();
    if (kept !== undefined) return kept;
    const at = this.#end;
    this.#end += count;
    const rows = this.texture.image.height;
    if (this.#end > rows * WIDTH) {
      const bigger = texture(WIDTH, Math.max(rows * 2, Math.ceil(this.#end / WIDTH)));
      bytes(bigger).set(bytes(this.texture));
      this.texture.dispose();
      this.texture = bigger;
      this.onGrown();
    }
    return at;
  }

  give(at: number, count: number): void {
    const list = this.#free.get(count);
    if (list) list.push(at);
    else this.#free.set(count, [at]);
  }

  set(slot: number, colour: Rgb): void {
    const b = bytes(this.texture);
    if (b[slot * 4] === colour[0] && b[slot * 4 + 1] === colour[1] && b[slot * 4 + 2] === colour[2]) return;
    b.set(colour, slot * 4);
    this.texture.needsUpdate = true;
  }

  clear(): void {
    this.#end = 0;
    this.#free.clear();
  }
}

export class Materials {
  readonly colours = new ColourTable();
  readonly ground: RawShaderMaterial;
  readonly edges: RawShaderMaterial;
  #areas = texture(64, 1);

  constructor() {
    this.ground = new RawShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: vertex,
      fragmentShader: groundFragment,
      side: DoubleSide,
      defines: { HEIGHT: 0, AREA: 1, SLOT: 2, COLOUR: 'HEIGHT', BORDERS: 1 },
      uniforms: {
        slots: { value: this.colours.texture },
        areas: { value: this.#areas },
        heights: { value: new Vector2(0, 1) },
        tilesPerMetre: { value: 1 },
        borderColour: { value: new Color() },
        light: { value: new Vector3(0.35, 0.88, 0.32).normalize() },
      },
    });
    this.edges = new RawShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: edgeVertex,
      fragmentShader: edgeFragment,
      transparent: true,
      depthWrite: false,
      uniforms: { inner: { value: new Color() }, outer: { value: new Color() }, opacity: { value: 1 } },
    });
    this.colours.onGrown = () => (this.ground.uniforms.slots!.value = this.colours.texture);
    this.setAreas([]);
  }

  setMode(mode: Mode): void {
    this.#define('COLOUR', mode === 'height' ? 'HEIGHT' : mode === 'area' ? 'AREA' : 'SLOT');
  }

  set borders(shown: boolean) {
    this.#define('BORDERS', shown ? 1 : 0);
  }

  #define(name: string, value: string | number): void {
    if (this.ground.defines[name] === value) return;
    this.ground.defines[name] = value;
    this.ground.needsUpdate = true;
  }

  setAreas(table: readonly Area[]): void {
    for (let id = 0; id < 64; id++) bytes(this.#areas).set(areaColour(id, table), id * 4);
    this.#areas.needsUpdate = true;
  }

  setHeights(low: number, high: number): void {
    (this.ground.uniforms.heights!.value as Vector2).set(low, (RAMP.length - 1) / Math.max(high - low, 0.01));
  }

  set tileSize(metres: number) {
    this.ground.uniforms.tilesPerMetre!.value = 1 / metres;
  }

  setTheme(dark: boolean): void {
    // Raw colours: the shaders write what is shown.
    (this.ground.uniforms.borderColour!.value as Color).setRGB(dark ? 0.05 : 0.98, dark ? 0.06 : 0.98, dark ? 0.08 : 1);
    (this.edges.uniforms.inner!.value as Color).setRGB(dark ? 0.04 : 0.1, dark ? 0.05 : 0.12, dark ? 0.07 : 0.16);
    (this.edges.uniforms.outer!.value as Color).setRGB(dark ? 0.92 : 0.05, dark ? 0.94 : 0.06, dark ? 0.98 : 0.1);
  }
}


// The scene's own triangles, behind the ground, if they are asked for.
import { BufferAttribute, BufferGeometry, DoubleSide, GLSL3, Group, InstancedMesh, Color, RawShaderMaterial } from 'three';
import type { Model, SceneState } from '../model/model.ts';

const vertexShader = `
precision highp float;
in vec3 position;
in mat4 instanceMatrix;
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
out vec3 place;

void main() {
  vec4 world = instanceMatrix * vec4(position, 1.0);
  place = world.xyz;
  gl_Position = projectionMatrix * (modelViewMatrix * world);
}`;

const fragmentShader = `
precision highp float;
in vec3 place;
uniform vec3 tint;
out vec4 colour;

void main() {
  vec3 n = cross(dFdx(place), dFdy(place));
  n *= inversesqrt(max(dot(n, n), 1e-20));
  colour = vec4(tint * (0.45 + 0.4 * abs(n.y) + 0.15 * abs(n.x)), 1.0);
}`;

export class SceneMeshes {
  readonly group = new Group();
  // Ground lies on the triangles that it was made from: they are drawn a little further back.
  #material = new RawShaderMaterial({
    glslVersion: GLSL3,
    vertexShader,
    fragmentShader,
    side: DoubleSide,
    polygonOffset: true,
    polygonOffsetFactor: 2,
    polygonOffsetUnits: 8,
    uniforms: { tint: { value: new Color() } },
  });

  constructor(model: Model, invalidate: () => void) {
    this.group.matrixWorldAutoUpdate = false;
    model.scene.watch((scene) => {
      this.#show(scene);
      invalidate();
    });
  }

  setTheme(dark: boolean): void {
    (this.#material.uniforms.tint!.value as Color).setRGB(...((dark ? [0.36, 0.38, 0.43] : [0.8, 0.8, 0.79]) as [number, number, number]));
  }

  #show(scene: SceneState | null): void {
    for (const mesh of this.group.children as InstancedMesh[]) {
      mesh.geometry.dispose();
      mesh.dispose();
    }
    this.group.clear();
    for (const { positions, triangles, placements } of scene?.batches ?? []) {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(positions, 3));
      geometry.setIndex(new BufferAttribute(triangles, 1));
      const mesh = new InstancedMesh(geometry, this.#material, placements.length / 16);
      (mesh.instanceMatrix.array as Float32Array).set(placements);
      mesh.frustumCulled = false;
      mesh.updateMatrixWorld();
      this.group.add(mesh);
    }
  }
}
